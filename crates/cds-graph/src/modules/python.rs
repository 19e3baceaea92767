//! Python: dotted names are folders and files below some root; dots in front count folders upwards.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Modules, Place, Target, join, shared_folders};
use crate::dependencies::{DepKind, Recorder};
use crate::tree::FileView;

/// Where outermost packages and modules lie, by their name.
#[derive(Default)]
pub(crate) struct Roots(FxHashMap<String, Vec<String>>);

impl Roots {
    /// Those of a tree with these paths, which are sorted.
    pub(crate) fn new(paths: &[&str]) -> Roots {
        let has = |path: &str| paths.binary_search(&path).is_ok();
        let mut roots: FxHashMap<String, Vec<String>> = FxHashMap::default();
        let mut folders: FxHashSet<&str> = FxHashSet::default();
        let is_package = |folder: &str| {
            !folder.is_empty() && (has(&join(folder, "__init__.py")) || has(&join(folder, "__init__.pyi")))
        };
        let mut add = |name: &str, root: &str| {
            let list = roots.entry(name.to_owned()).or_default();
            if !list.iter().any(|r| r == root) {
                list.push(root.to_owned());
            }
        };
        for path in paths {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let Some(stem) = name.strip_suffix(".py").or(name.strip_suffix(".pyi")) else { continue };
            if !is_package(folder) {
                add(stem, folder);
            }
            if !folders.insert(folder) {
                continue;
            }
            // A folder with Python files is a package, with or without `__init__`: the outermost one that has it.
            let mut top = folder;
            while let Some((above, _)) = top.rsplit_once('/') {
                if !is_package(above) {
                    break;
                }
                top = above;
            }
            if !top.is_empty() {
                let (root, name) = top.rsplit_once('/').unwrap_or(("", top));
                add(name, root);
            }
            // Namespace packages: any folder above may be where a name begins.
            let mut above = folder;
            while !above.is_empty() {
                let (root, name) = above.rsplit_once('/').unwrap_or(("", above));
                if !is_package(root) {
                    add(name, root);
                }
                above = root;
            }
        }
        // Roots are compared by nearness, then in this order.
        let sorted = |(name, mut list): (String, Vec<String>)| {
            list.sort();
            (name, list)
        };
        Roots(roots.into_iter().map(sorted).collect())
    }
}

impl Roots {
    /// Names whose places are others in another tree.
    pub(crate) fn difference<'a>(&'a self, other: &'a Roots) -> impl Iterator<Item = &'a str> {
        let changed = self.0.iter().filter(|(name, places)| other.0.get(*name) != Some(places)).map(|(name, _)| name);
        let new = other.0.keys().filter(|name| !self.0.contains_key(*name));
        changed.chain(new).map(String::as_str)
    }
}

impl Modules<'_> {
    pub(crate) fn python(&self, file: FileView, module: &str) -> Target {
        let dots = module.len() - module.trim_start_matches('.').len();
        let rest = &module[dots..];
        if dots > 0 {
            let mut folder = file.folder();
            for _ in 1..dots {
                if folder.is_empty() {
                    return Target::Unknown;
                }
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            }
            let path = if rest.is_empty() { folder.to_owned() } else { join(folder, &rest.replace('.', "/")) };
            return self.python_at(&path, file.recorder()).map_or(Target::Unknown, Target::place);
        }
        let first = rest.split('.').next().unwrap_or(rest);
        let path = rest.replace('.', "/");
        let mut best: Option<(usize, Place)> = None;
        file.recorder().text(DepKind::PythonRoot, first);
        for root in self.python.0.get(first).into_iter().flatten() {
            let Some(place) = self.python_at(&join(root, &path), file.recorder()) else { continue };
            // A file that shadows a library of its own name does not import itself.
            if place.file.is_some_and(|f| self.paths.path_of(f) == file.path()) && first == rest {
                continue;
            }
            let near = shared_folders(root, file.folder());
            if best.is_none_or(|(b, _)| near > b) {
                best = Some((near, place));
            }
        }
        best.map_or_else(|| Target::outside(first), |(_, place)| Target::place(place))
    }

    /// The module at a path without extension.
    pub(super) fn python_at(&self, path: &str, recorder: &Recorder) -> Option<Place> {
        let file = |end: &str| self.paths.file(&format!("{path}{end}"), recorder);
        let own = file(".py").or_else(|| file(".pyi"));
        if own.is_some() && file("/__init__.py").is_none() {
            return Some(Place { file: own, folder: None });
        }
        let folder = self.paths.folder(path, recorder)?;
        Some(Place { file: file("/__init__.py").or_else(|| file("/__init__.pyi")), folder: Some(folder) })
    }
}
