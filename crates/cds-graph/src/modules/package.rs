//! Java, Kotlin, Scala, C#, PHP and others: files declare a package or namespace, imports name one and something in it.

use super::{Modules, Target};
use crate::outline::TOP;
use crate::tree::{FileView, Name, Tree};

/// A package's name with dots, whatever the language writes.
pub(crate) fn normal(name: &str) -> String {
    name.trim_start_matches('\\').replace("::", ".").replace('\\', ".")
}

impl Modules<'_> {
    pub(super) fn package(&self, tree: &Tree, file: FileView, module: &str) -> Target {
        let recorder = file.recorder();
        let name = normal(module);
        // Folders that are modules: `Sources/App`.
        for root in &tree.rules[file.rule() as usize].roots {
            let end = super::join(root, &name);
            let is_module = |f: &super::Folder| {
                f.path.strip_suffix(end.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            };
            if let Some(at) = self.paths.all_folders(recorder).iter().position(is_module) {
                return Target::place(super::Place { file: None, folder: Some(at as u32) });
            }
        }
        if self.paths.package_files(&name, recorder).is_some() {
            return Target::Package(name);
        }
        // `import a.b.Outer.Inner`, `import static a.b.C.method`: the package is what is known of the path.
        let mut package = name.as_str();
        while let Some((above, _)) = package.rsplit_once('.') {
            if let Some(files) = self.paths.package_files(above, recorder) {
                let rest = name[above.len() + 1..].split('.').map(str::to_owned).collect::<Vec<_>>();
                // The type's own file where there is one; any file of the package has its names otherwise.
                let first = Name::new(tree.symbols, &rest[0], recorder).symbol;
                recorder.name(first);
                let has_first = |at: u32| tree.view(at, recorder).members(TOP, first).next().is_some();
                let owner = files.iter().find(|&&at| has_first(at));
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
