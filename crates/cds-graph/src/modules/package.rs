//! Java, Kotlin, Scala, C#, PHP and others: files declare a package or namespace, imports name one and something in it.

use super::{Modules, Target};
use crate::asked::{Of, ask_name, ask_text};
use crate::tree::Tree;

/// A package's name with dots, whatever the language writes.
pub(crate) fn normal(name: &str) -> String {
    name.trim_start_matches('\\').replace("::", ".").replace('\\', ".")
}

impl Modules<'_> {
    pub(super) fn package(&self, tree: &Tree, rule: u16, module: &str) -> Target {
        let name = normal(module);
        // Folders that are modules: `Sources/App`.
        for root in &tree.rules[rule as usize].roots {
            let end = super::join(root, &name);
            let is_module = |f: &super::Folder| {
                f.path.strip_suffix(end.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            };
            if let Some(at) = self.all_folders().iter().position(is_module) {
                return Target::place(super::Place { file: None, folder: Some(at as u32) });
            }
        }
        if self.package_files(&name).is_some() {
            return Target::Package(name);
        }
        // `import a.b.Outer.Inner`, `import static a.b.C.method`: the package is what is known of the path.
        let mut package = name.as_str();
        while let Some((above, _)) = package.rsplit_once('.') {
            if let Some(files) = self.package_files(above) {
                let rest = name[above.len() + 1..].split('.').map(str::to_owned).collect::<Vec<_>>();
                // The type's own file where there is one; any file of the package has its names otherwise.
                let first = tree.symbols.get(&rest[0]);
                first.map_or_else(|| ask_text(Of::Missing, &rest[0]), ask_name);
                let owner = files.iter().find(|&&f| {
                    first.is_some_and(|name| tree.files[f as usize].members(crate::tree::TOP, name).next().is_some())
                });
                if let Some(&file) = owner {
                    return Target::Place { place: super::Place { file: Some(file), folder: None }, rest };
                }
                break;
            }
            package = above;
        }
        Target::Outside(outside_name(&name))
    }
}

/// Packages are known by their first two parts: `org.junit`, `System.Linq`.
fn outside_name(name: &str) -> String {
    name.match_indices('.').nth(1).map_or(name, |(i, _)| &name[..i]).to_owned()
}
