//! What differs between two trees, as keys of names, paths and lists: the counterpart of the keys that links depend on.

use cds_model::{LinkRules, ModuleRule};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dependencies::{DepKind, Stored, file_key, hash, key, text_key};
use crate::modules::package;
use crate::modules::python::Roots;
use crate::outline::{Contents, TOP};
use crate::symbols::{Symbol, Symbols};
use crate::tree::{Tree, module_parts};

/// With more keys than this, linking everything is faster than finding out what is affected.
const MOST: usize = 4_000;

/// What changed between two trees.
#[derive(Default)]
pub struct Changes {
    keys: FxHashSet<u32>,
    sorted: Vec<u32>,
    is_all: bool,
}

/// A file of one of the trees: its path, language, rules and outline.
#[derive(Clone, Copy)]
pub struct Version<'a> {
    /// Its language.
    pub language: &'a str,
    /// The rules of that.
    pub rules: &'a LinkRules,
    /// See [`crate::outline`].
    pub outline: &'a [u32],
}

impl Changes {
    /// Whether any of these dependencies changed.
    pub(crate) fn touches(&self, dependencies: &[u8]) -> bool {
        self.is_all || Stored::read(dependencies).has_any(&self.sorted)
    }

    /// A file as it was and as it is.
    pub fn file(&mut self, symbols: &Symbols, path: &str, before: Option<Version>, now: Option<Version>) {
        if Tree::wants_text(path) {
            self.is_all = true;
        }
        let own = hash(path);
        let before = before.map(|v| (v, Contents::read(v.outline)));
        let now = now.map(|v| (v, Contents::read(v.outline)));
        let includes = |v: &Version| matches!(v.rules.modules, ModuleRule::Include | ModuleRule::Path);
        match (&before, &now) {
            (Some((a, old)), Some((b, new))) if a.language == b.language && old.package == new.package => {
                let (old, new) = (Shape::of(symbols, old), Shape::of(symbols, new));
                for name in differing(&old.inside, &new.inside) {
                    self.keys.insert(file_key(own, name));
                }
                for name in differing(&old.names, &new.names) {
                    self.keys.insert(key(DepKind::Name, name.0));
                }
                if old.default != new.default {
                    self.keys.insert(key(DepKind::Default, own));
                }
                if old.wild != new.wild {
                    self.keys.insert(key(DepKind::Wildcards, own));
                    if includes(a) {
                        self.keys.insert(text_key(DepKind::Includes, ""));
                    }
                }
            }
            _ => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let name = path.rsplit('/').next().unwrap_or(path);
                self.keys.insert(text_key(DepKind::Path, path));
                self.keys.insert(text_key(DepKind::FileName, name));
                self.keys.insert(text_key(DepKind::Members, folder));
                self.keys.insert(key(DepKind::Wildcards, own));
                self.keys.insert(key(DepKind::Default, own));
                for (version, file) in [&before, &now].into_iter().flatten() {
                    let shape = Shape::of(symbols, file);
                    self.keys.extend(shape.inside.keys().map(|name| file_key(own, *name)));
                    self.keys.extend(shape.names.keys().map(|name| key(DepKind::Name, name.0)));
                    if let Some(package) = file.package {
                        self.keys.insert(text_key(DepKind::Package, &package::normal(symbols.of(package))));
                    }
                    if includes(version) {
                        self.keys.insert(text_key(DepKind::Includes, ""));
                    }
                }
            }
        }
    }

    /// Strings that were not there before, from this one on.
    pub fn strings(&mut self, symbols: &Symbols, from: u32) {
        for text in symbols.since(from) {
            self.keys.insert(text_key(DepKind::Missing, text));
        }
    }

    /// Paths as they were and as they are, both sorted, if they differ.
    pub fn paths(&mut self, before: &[&str], now: &[&str]) {
        let folders = |paths: &[&str]| -> FxHashSet<String> {
            let all = paths.iter().flat_map(|path| path.match_indices('/').map(|(i, _)| path[..i].to_owned()));
            all.chain([String::new()]).collect()
        };
        let (old, new) = (folders(before), folders(now));
        for folder in old.symmetric_difference(&new) {
            self.keys.insert(text_key(DepKind::Folder, folder));
            self.keys.insert(text_key(DepKind::Folders, ""));
        }
        for name in Roots::new(before).difference(&Roots::new(now)) {
            self.keys.insert(text_key(DepKind::PythonRoot, name));
        }
    }

    /// Completes the keys. The targets of a file's imports are no dependencies of other files that look through these imports, so where
    /// a target may have changed, every name that the file imports may have. `files` gives path, dependencies and outline of each.
    pub fn finish(&mut self, symbols: &Symbols, files: &[(&str, &[u8], &[u32])]) {
        let mut passed_on = vec![false; files.len()];
        loop {
            self.sorted = self.keys.iter().copied().collect();
            self.sorted.sort_unstable();
            self.is_all |= self.sorted.len() > MOST;
            if self.is_all || self.keys.is_empty() {
                return;
            }
            let is_affected = |at: &usize| Stored::read(files[*at].1).targets_have_any(&self.sorted);
            let affected: Vec<usize> =
                (0..files.len()).into_par_iter().filter(|at| !passed_on[*at]).filter(is_affected).collect();
            if affected.is_empty() {
                return;
            }
            for at in affected {
                passed_on[at] = true;
                let (path, _, outline) = files[at];
                let mut bound = Shape::default();
                bound.add_imports(symbols, &Contents::read(outline), &[]);
                self.keys.extend(bound.inside.keys().map(|name| file_key(hash(path), *name)));
                self.keys.insert(key(DepKind::Wildcards, hash(path)));
            }
        }
    }

    /// Everything is to be linked.
    pub fn all() -> Changes {
        Changes { is_all: true, ..Changes::default() }
    }

    /// Whether everything is to be linked.
    pub fn is_all(&self) -> bool {
        self.is_all
    }

    /// Something that belonged to types, or their bases, is gone with its file.
    pub fn owners(&mut self, owners: impl Iterator<Item = (u32, u32)>) {
        self.keys.extend(owners.map(|(file, name)| key(DepKind::Bases, file_key(file, Symbol(name)))));
    }
}

/// The key of a file by its path, for [`Changes::owners`].
pub fn path_key(path: &str) -> u32 {
    hash(path)
}

/// What a file defines, binds and imports, by name, in numbers that do not depend on positions in the file.
#[derive(Default)]
struct Shape {
    /// All that can be asked of the file itself.
    inside: FxHashMap<Symbol, u64>,
    /// What those see who look for a name in the whole tree.
    names: FxHashMap<Symbol, u64>,
    /// What it takes whole from others.
    wild: u64,
    /// Its default export.
    default: u64,
}

fn join(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Shape {
    fn of(symbols: &Symbols, file: &Contents) -> Shape {
        let mut shape = Shape::default();
        let scopes = scopes(file);
        let scope_of = |at: u32| scopes.get(at as usize).copied().unwrap_or(u64::from(at == TOP));
        let mut bases: FxHashMap<u32, u64> = FxHashMap::default();
        for used in file.bases {
            let base = bases.entry(used.scope).or_default();
            *base = join(join(*base, used.name.0.into()), used.receiver.get().map_or(0, |r| u64::from(r.0) + 1));
        }
        for (i, entity) in file.entities.iter().enumerate() {
            let optional = |symbol: Option<Symbol>| symbol.map_or(0, |s| u64::from(s.0) + 1);
            let outer = join(join(scope_of(entity.parent), entity.packed.into()), optional(entity.scope()));
            let mut all = join(outer, optional(entity.return_type()));
            all = join(all, entity.alias_of().map_or(0, scope_of));
            all = join(all, bases.get(&(i as u32)).copied().unwrap_or(0));
            let [from, to] = entity.parameters;
            for parameter in file.parameters.get(from as usize..to as usize).unwrap_or_default() {
                all = join(join(all, parameter.name.0.into()), optional(parameter.type_name.get()));
                // A parameter is found by its name as well.
                shape.inside(parameter.name, join(scope_of(i as u32), optional(parameter.type_name.get())));
            }
            shape.inside(entity.name, all);
            let named = shape.names.entry(entity.name).or_default();
            *named = join(*named, outer);
            if let Some(table) = entity.scope() {
                shape.inside(table, all);
            }
            if entity.is_default() {
                shape.default = join(shape.default, join(all, entity.name.0.into()));
            }
        }
        shape.add_bindings(symbols, file, &scopes);
        shape.add_imports(symbols, file, &scopes);
        shape
    }

    fn inside(&mut self, name: Symbol, what: u64) {
        let all = self.inside.entry(name).or_default();
        *all = join(*all, what);
    }

    fn add_bindings(&mut self, symbols: &Symbols, file: &Contents, scopes: &[u64]) {
        let scope_of = |at: u32| scopes.get(at as usize).copied().unwrap_or(u64::from(at == TOP));
        let mut starts: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
        for binding in file.bindings {
            starts.entry(binding.name).or_default().push(binding.start);
        }
        for binding in file.bindings {
            let optional = |symbol: Option<Symbol>| symbol.map_or(0, |s| u64::from(s.0) + 1);
            let mut all = join(scope_of(binding.scope), optional(binding.type_name.get()));
            all = join(all, optional(binding.value.get()));
            all = join(all, if binding.is_member() { scope_of(binding.inner()) } else { 1 });
            // A value means what its first name is bound to before it.
            if let Some(value) = binding.value.get() {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let first = symbols.of(value).split(|c| !is_part(c)).find(|p| !p.is_empty()).unwrap_or_default();
                let others = symbols.get(first).and_then(|first| starts.get(&first));
                let before = others.map_or(0, |starts| starts.iter().filter(|s| **s < binding.start).count());
                all = join(all, before as u64);
            }
            self.inside(binding.name, all);
            let named = self.names.entry(binding.name).or_default();
            *named = join(*named, scope_of(binding.scope));
        }
    }

    fn add_imports(&mut self, symbols: &Symbols, file: &Contents, scopes: &[u64]) {
        let scope_of = |at: u32| scopes.get(at as usize).copied().unwrap_or(u64::from(at == TOP));
        for import in file.imports {
            let optional = |symbol: Option<Symbol>| symbol.map_or(0, |s| u64::from(s.0) + 1);
            let (name, alias) = (import.name.get(), import.alias.get());
            let mut all = join(scope_of(import.scope), import.module.0.into());
            all = join(join(all, optional(name)), optional(alias));
            all = join(all, import.flags.into());
            match alias.or(name) {
                Some(bound) => self.inside(bound, all),
                None => self.wild = join(self.wild, all),
            }
            if let Some(name) = name.filter(|_| import.is_export()) {
                self.inside(name, all);
            }
            if import.wildcard() {
                self.wild = join(self.wild, all);
            }
            // A module is called by a part of its path.
            if alias.or(name).is_none() {
                for part in module_parts(symbols.of(import.module)).filter_map(|part| symbols.get(part)) {
                    self.inside(part, all);
                }
            }
        }
    }
}

/// What the scope of each entity is called, from the outside in.
fn scopes(file: &Contents) -> Vec<u64> {
    let mut scopes: Vec<u64> = Vec::with_capacity(file.entities.len());
    for entity in file.entities {
        let around = scopes.get(entity.parent as usize).copied().unwrap_or(1);
        scopes.push(join(join(around, entity.name.0.into()), entity.packed.into()));
    }
    scopes
}

fn differing<'a>(a: &'a FxHashMap<Symbol, u64>, b: &'a FxHashMap<Symbol, u64>) -> impl Iterator<Item = Symbol> {
    let changed = a.iter().filter(|(name, what)| b.get(*name) != Some(*what)).map(|(name, _)| *name);
    changed.chain(b.keys().filter(|name| !a.contains_key(*name)).copied())
}
