//! Which file, folder or outside module an import means. One file for each family of rules.

mod ecma;
mod go;
pub(crate) mod package;
mod path;
mod paths;
pub(crate) mod python;
pub(crate) mod rust;

use cds_model::{ModuleRule, Step};

use self::paths::{Folder, Paths};
use crate::dependencies::Recorder;
use crate::outline::Import;
use crate::tree::{FileView, Tree};

/// What an import names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A file of the tree, or a folder that stands for its files; `rest` is what of the path lies inside it.
    Place { place: Place, rest: Vec<String> },
    /// Files that declare one package.
    Package(String),
    /// Not in the tree: the name people know it by.
    Outside(String),
    /// A path of names in the tree, wherever they stand.
    Names(String),
    /// Nothing is known.
    Unknown,
}

/// A module: a file, a folder, or a folder with the file that stands for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: Option<u32>,
    /// A position among all folders.
    pub(crate) folder: Option<u32>,
}

impl Target {
    fn place(place: Place) -> Target {
        Target::Place { place, rest: Vec::new() }
    }

    fn outside(name: &str) -> Target {
        Target::Outside(name.to_owned())
    }
}

/// Where modules of the tree lie, by paths, packages and manifests.
pub(crate) struct Modules<'a> {
    paths: Paths<'a>,
    python: python::Roots,
    ecma: ecma::Config,
    go: go::Config,
    rust: rust::Crates,
}

impl<'a> Modules<'a> {
    pub(crate) fn new(tree: &Tree<'a>) -> Modules<'a> {
        Modules {
            paths: Paths::new(tree),
            python: python::Roots::new(&tree.files().iter().map(|f| f.path).collect::<Vec<_>>()),
            ecma: ecma::Config::new(&tree.manifests),
            go: go::Config::new(&tree.manifests),
            rust: rust::Crates::new(&tree.manifests),
        }
    }

    pub(crate) fn files_in(&self, folder: u32, recorder: &Recorder) -> &[u32] {
        self.paths.files_in(folder, recorder)
    }

    pub(crate) fn package_files(&self, name: &str, recorder: &Recorder) -> Option<&[u32]> {
        self.paths.package_files(name, recorder)
    }

    pub(crate) fn package_names(&self) -> impl Iterator<Item = &String> {
        self.paths.package_names()
    }

    pub(crate) fn folder_path(&self, folder: u32) -> &str {
        self.paths.folder_path(folder)
    }

    /// The folder that a file lies in.
    pub(crate) fn folder_of(&self, file: u32) -> u32 {
        self.paths.folder_of(file)
    }

    /// What an import of a file means.
    pub(crate) fn target(&self, tree: &Tree, file: FileView, import: &Import) -> Target {
        let module = tree.symbols.of(import.module);
        match tree.rules[file.rule() as usize].modules {
            ModuleRule::None => Target::Unknown,
            ModuleRule::Python => self.python(file, module),
            ModuleRule::Ecma => self.ecma(file, module),
            // Modules are found by their names, wherever they stand.
            ModuleRule::Package if !tree.rules[file.rule() as usize].open.is_empty() => {
                Target::Names(package::normal(module))
            }
            ModuleRule::Package if module.contains('/') => self.path(file, module, &[]),
            ModuleRule::Package => {
                let named = import.name.get().map(|n| package::normal(&format!("{module}.{}", tree.symbols.of(n))));
                match (self.package(tree, file, module), named) {
                    // `use App\Models` takes a package by its last name.
                    (Target::Outside(_), Some(named))
                        if self.paths.package_files(&named, file.recorder()).is_some() =>
                    {
                        Target::Package(named)
                    }
                    (target, _) => target,
                }
            }
            ModuleRule::Rust => self.rust(tree, file, import.scope, module),
            ModuleRule::Go => self.go(file, module),
            // `using` names a namespace, not a file.
            ModuleRule::Include if import.wildcard() || import.name.get().is_some() || import.alias.get().is_some() => {
                Target::Names(package::normal(module))
            }
            ModuleRule::Include => self.include(file, module),
            ModuleRule::Path => self.path(file, module, &tree.rules[file.rule() as usize].roots),
        }
    }

    /// What the words and crates at the beginning of a path mean that no import brings in, and how many steps they are.
    pub(crate) fn words(&self, tree: &Tree, file: FileView, scope: u32, steps: &[Step]) -> Option<(Target, usize)> {
        match tree.rules[file.rule() as usize].modules {
            ModuleRule::Rust => {
                let count = rust::words(steps);
                let path: Vec<&str> = steps[..count].iter().map(|s| s.name).collect();
                Some((self.rust(tree, file, scope, &path.join("::")), count))
            }
            ModuleRule::Package => {
                let name = |count: usize| steps[..count].iter().map(|s| s.name).collect::<Vec<_>>().join(".");
                let is_package = |name: &str| self.paths.package_files(name, file.recorder()).is_some();
                let found = (1..=steps.len()).rev().map(|c| (name(c), c)).find(|(n, _)| is_package(n));
                found.map(|(name, count)| (Target::Package(name), count))
            }
            _ => None,
        }
    }

    /// The module called `name` inside a place: a file or folder of a folder.
    pub(crate) fn inside(&self, tree: &Tree, file: FileView, place: Place, name: &str) -> Option<Place> {
        let path = join(self.paths.folder_path(place.folder?), name);
        match tree.rules[file.rule() as usize].modules {
            ModuleRule::Python => self.python_at(&path, file.recorder()),
            ModuleRule::Rust => self.rust_at(&path, file.recorder()),
            _ => None,
        }
    }
}

/// Two parts of a path.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A relative path from a folder, with `.` and `..` worked out; `None` when it leaves the tree.
pub(crate) fn relative(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How many folders two paths share from the root.
fn shared_folders(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
