//! Which file, folder or outside module an import means. One file for each family of rules.

mod ecma;
mod go;
pub(crate) mod package;
mod path;
pub(crate) mod python;
mod rust;

use cds_model::{ModuleRule, Step};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::asked::{Of, ask_text};
use crate::tree::{File, Import, Tree};

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
    /// A position in [`Modules::folders`].
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

/// Paths, folders, packages and manifests of the tree.
pub(crate) struct Modules<'a> {
    files: FxHashMap<&'a str, u32>,
    paths: Vec<&'a str>,
    folders: Vec<Folder>,
    by_folder: FxHashMap<String, u32>,
    /// Files that declare a package, by its name.
    packages: FxHashMap<String, Vec<u32>>,
    /// The last parts of paths: for headers and files that are named from a root that is not known.
    by_name: FxHashMap<&'a str, Vec<u32>>,
    python: python::Roots,
    ecma: ecma::Config,
    go: go::Config,
    rust: rust::Crates,
}

pub(crate) struct Folder {
    pub(crate) path: String,
    pub(crate) files: Vec<u32>,
}

impl<'a> Modules<'a> {
    pub(crate) fn new(tree: &Tree<'a>) -> Modules<'a> {
        let mut modules = Modules {
            files: FxHashMap::with_capacity_and_hasher(tree.files.len(), FxBuildHasher),
            paths: tree.files.iter().map(|f| f.path).collect(),
            folders: Vec::new(),
            by_folder: FxHashMap::default(),
            packages: FxHashMap::default(),
            by_name: FxHashMap::default(),
            python: python::Roots::default(),
            ecma: ecma::Config::new(&tree.manifests),
            go: go::Config::new(&tree.manifests),
            rust: rust::Crates::new(&tree.manifests),
        };
        for (at, file) in tree.files.iter().enumerate() {
            let at = at as u32;
            modules.files.insert(file.path, at);
            let folder = modules.add_folder(file.folder());
            modules.folders[folder as usize].files.push(at);
            let name = file.path.rsplit('/').next().unwrap_or_default();
            modules.by_name.entry(name).or_default().push(at);
            if let Some(package) = file.package {
                let name = package::normal(tree.symbols.of(package));
                modules.packages.entry(name).or_default().push(at);
            }
        }
        modules.python = python::Roots::new(tree.files.iter().map(|f| f.path), |path| modules.files.contains_key(path));
        modules
    }

    fn add_folder(&mut self, path: &str) -> u32 {
        if let Some(&at) = self.by_folder.get(path) {
            return at;
        }
        if let Some((above, _)) = path.rsplit_once('/') {
            self.add_folder(above);
        } else if !path.is_empty() {
            self.add_folder("");
        }
        let at = self.folders.len() as u32;
        self.folders.push(Folder { path: path.to_owned(), files: Vec::new() });
        self.by_folder.insert(path.to_owned(), at);
        at
    }

    pub(crate) fn file(&self, path: &str) -> Option<u32> {
        ask_text(Of::Path, path);
        self.files.get(path).copied()
    }

    pub(crate) fn folder(&self, path: &str) -> Option<u32> {
        ask_text(Of::Folder, path);
        self.by_folder.get(path).copied()
    }

    pub(crate) fn folder_path(&self, folder: u32) -> &str {
        &self.folders[folder as usize].path
    }

    /// All folders, the outer ones first.
    fn all_folders(&self) -> &[Folder] {
        ask_text(Of::Folders, "");
        &self.folders
    }

    /// The files of a folder.
    pub(crate) fn files_in(&self, folder: u32) -> &[u32] {
        let folder = &self.folders[folder as usize];
        ask_text(Of::Members, &folder.path);
        &folder.files
    }

    /// Files that declare a package.
    pub(crate) fn package_files(&self, name: &str) -> Option<&[u32]> {
        ask_text(Of::Package, name);
        self.packages.get(name).map(Vec::as_slice)
    }

    pub(crate) fn package_names(&self) -> impl Iterator<Item = &String> {
        self.packages.keys()
    }

    fn files_named(&self, name: &str) -> Option<&[u32]> {
        ask_text(Of::Base, name);
        self.by_name.get(name).map(Vec::as_slice)
    }

    pub(crate) fn path_of(&self, file: u32) -> &str {
        self.paths[file as usize]
    }

    /// What an import of a file means.
    pub(crate) fn target(&self, tree: &Tree, file: &File, import: &Import) -> Target {
        let module = tree.symbols.of(import.module);
        match tree.rules[file.rule as usize].modules {
            ModuleRule::None => Target::Unknown,
            ModuleRule::Python => self.python(file, module),
            ModuleRule::Ecma => self.ecma(file, module),
            // Modules are found by their names, wherever they stand.
            ModuleRule::Package if !tree.rules[file.rule as usize].open.is_empty() => {
                Target::Names(package::normal(module))
            }
            ModuleRule::Package if module.contains('/') => self.path(file, module, &[]),
            ModuleRule::Package => {
                let named = import.name.get().map(|n| package::normal(&format!("{module}.{}", tree.symbols.of(n))));
                match (self.package(tree, file.rule, module), named) {
                    // `use App\Models` takes a package by its last name.
                    (Target::Outside(_), Some(named)) if self.package_files(&named).is_some() => Target::Package(named),
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
            ModuleRule::Path => self.path(file, module, &tree.rules[file.rule as usize].roots),
        }
    }

    /// What the words and crates at the beginning of a path mean that no import brings in, and how many steps they are.
    pub(crate) fn words(&self, tree: &Tree, file: &File, scope: u32, steps: &[Step]) -> Option<(Target, usize)> {
        match tree.rules[file.rule as usize].modules {
            ModuleRule::Rust => {
                let count = rust::words(steps);
                let path: Vec<&str> = steps[..count].iter().map(|s| s.name).collect();
                Some((self.rust(tree, file, scope, &path.join("::")), count))
            }
            ModuleRule::Package => {
                let name = |count: usize| steps[..count].iter().map(|s| s.name).collect::<Vec<_>>().join(".");
                let found =
                    (1..=steps.len()).rev().map(|c| (name(c), c)).find(|(n, _)| self.package_files(n).is_some());
                found.map(|(name, count)| (Target::Package(name), count))
            }
            _ => None,
        }
    }

    /// The module called `name` inside a place: a file or folder of a folder.
    pub(crate) fn inside(&self, tree: &Tree, rule: u16, place: Place, name: &str) -> Option<Place> {
        let folder = &self.folders[place.folder? as usize];
        let rules = &tree.rules[rule as usize];
        match rules.modules {
            ModuleRule::Python => self.python_at(&join(&folder.path, name)),
            ModuleRule::Rust => self.rust_at(&join(&folder.path, name)),
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
