//! Rust: `crate`, `self` and `super` walk the module tree of files; the first name of another path is a crate of the
//! workspace, a module beside, or a crate from outside.

use cds_model::Step;

use super::{Modules, Place, Target, join};
use crate::dependencies::Recorder;
use crate::outline::TOP;
use crate::tree::{FileView, Name, Tree};

#[derive(Default)]
pub(super) struct Crates {
    /// Name as code writes it, and the folder of its sources.
    named: Vec<(String, String)>,
}

impl Crates {
    pub(super) fn new(manifests: &[(String, String)]) -> Crates {
        let mut named = Vec::new();
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if name != "Cargo.toml" {
                continue;
            }
            let Ok(table) = text.parse::<toml::Table>() else { continue };
            let value = |part: &str| table.get(part)?.get("name")?.as_str().map(|n| n.replace('-', "_"));
            for name in [value("lib"), value("package")].into_iter().flatten() {
                named.push((name, join(folder, "src")));
            }
        }
        named.sort();
        named.dedup();
        Crates { named }
    }
}

/// Whether a file holds a module below that of another one: `a/b/c.rs` below `a/b.rs`.
pub(crate) fn is_below(path: &str, outer: &str) -> bool {
    let (folder, name) = outer.rsplit_once('/').unwrap_or(("", outer));
    let stem = name.split('.').next().unwrap_or(name);
    let module = if matches!(stem, "lib" | "main" | "mod") { folder.to_owned() } else { join(folder, stem) };
    module.is_empty() || path.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

impl Modules<'_> {
    /// `scope` is where the path stands: a module inside a file is one of its own.
    pub(super) fn rust(&self, tree: &Tree, file: FileView, scope: u32, module: &str) -> Target {
        let recorder = file.recorder();
        let below = |folder: u32, name: &str| self.rust_at(&join(self.paths.folder_path(folder), name), recorder);
        let mut parts = module.split("::").map(str::trim).filter(|p| !p.is_empty()).peekable();
        let Some(first) = parts.peek().copied() else { return Target::Unknown };
        let own = self.own_module(file);
        let mut inline = modules_around(tree, file, scope);
        if !matches!(first, "self" | "super") {
            inline.clear();
        }
        let start = match first {
            "crate" => {
                parts.next();
                self.rust_root(file)
            }
            "self" => {
                parts.next();
                Some(own)
            }
            "super" => {
                let mut folder = own;
                while parts.peek() == Some(&"super") {
                    parts.next();
                    if inline.pop().is_some() {
                        continue;
                    }
                    let Some(above) = self.above(folder, recorder) else { return Target::Unknown };
                    folder = above;
                }
                Some(folder)
            }
            _ => {
                let named = self.rust.named.iter().find(|(name, _)| name == first);
                if let Some((_, source)) = named {
                    parts.next();
                    self.rust_at(source, recorder)
                } else {
                    // A module or name of this file comes first, since the 2018 edition.
                    let name = Name::new(tree.symbols, first, recorder);
                    let inside = file.members(TOP, name.symbol).next().is_some();
                    let beside = own.folder.is_some_and(|f| below(f, first).is_some());
                    if !inside && !beside {
                        return Target::outside(first);
                    }
                    Some(own)
                }
            }
        };
        let Some(mut place) = start else { return Target::Unknown };
        let mut rest: Vec<String> = inline;
        for part in parts {
            let deeper = rest.is_empty().then_some(place.folder).flatten();
            match deeper.and_then(|f| below(f, part)) {
                Some(inside) => place = inside,
                None => rest.push(part.to_owned()),
            }
        }
        Target::Place { place, rest }
    }

    /// The module at a path without extension.
    pub(super) fn rust_at(&self, path: &str, recorder: &Recorder) -> Option<Place> {
        let file = |end: &str| self.paths.file(&format!("{path}{end}"), recorder);
        let own = file(".rs").or_else(|| file("/mod.rs")).or_else(|| file("/lib.rs")).or_else(|| file("/main.rs"));
        let folder = self.paths.folder(path, recorder);
        (own.is_some()).then_some(Place { file: own, folder })
    }

    /// The module that a file is.
    fn own_module(&self, file: FileView) -> Place {
        let at = self.paths.file(file.path(), file.recorder());
        let (folder, name) = file.path().rsplit_once('/').unwrap_or(("", file.path()));
        let inside = match name {
            "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
            name => join(folder, name.strip_suffix(".rs").unwrap_or(name)),
        };
        Place { file: at, folder: self.paths.folder(&inside, file.recorder()) }
    }

    fn above(&self, place: Place, recorder: &Recorder) -> Option<Place> {
        let inside = match (place.folder, place.file) {
            (Some(folder), _) => self.paths.folder_path(folder).to_owned(),
            (None, Some(file)) => self.paths.path_of(file).strip_suffix(".rs")?.to_owned(),
            _ => return None,
        };
        let (above, _) = inside.rsplit_once('/')?;
        self.rust_at(above, recorder)
    }

    /// The root of the crate that a file belongs to.
    fn rust_root(&self, file: FileView) -> Option<Place> {
        let mut folder = file.folder();
        loop {
            let at = |name: &str| self.paths.file(&join(folder, name), file.recorder());
            if let Some(root) = at("lib.rs").or_else(|| at("main.rs")) {
                return Some(Place { file: Some(root), folder: self.paths.folder(folder, file.recorder()) });
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
}

/// How many steps at the beginning of a path say where to begin: `super::super`, `crate`, a crate's name.
pub(super) fn words(steps: &[Step]) -> usize {
    steps.iter().take_while(|s| s.name == "super").count().max(1)
}

/// Names of the modules around a place inside its file, from the outermost.
fn modules_around(tree: &Tree, file: FileView, mut scope: u32) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(definition) = file.entity(scope) {
        if definition.kind().name() == "module" {
            names.push(tree.symbols.of(definition.name).to_owned());
        }
        scope = definition.parent;
    }
    names.reverse();
    names
}
