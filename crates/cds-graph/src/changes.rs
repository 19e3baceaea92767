//! What the difference between two trees can be asked about: keys of names, paths and lists that are others than before.

use cds_model::{LinkRules, ModuleRule};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asked::{Of, file_key, has_any, hash, key, text_key};
use crate::modules::package;
use crate::modules::python::Roots;
use crate::symbols::{Symbol, Symbols};
use crate::tree::{File, TOP, Tree};

/// More keys than this, and everything is looked at again: that is then the faster way.
const MOST: usize = 4_000;

/// What changed between two trees.
#[derive(Default)]
pub struct Changes {
    keys: FxHashSet<u32>,
    /// Those of them that say where modules lie.
    places: FxHashSet<u32>,
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
    /// Whether something of what was asked changed.
    pub(crate) fn touches(&self, asked: &[u8]) -> bool {
        self.is_all || has_any(asked, &self.sorted)
    }

    /// A file as it was and as it is.
    pub fn file(&mut self, symbols: &Symbols, path: &str, before: Option<Version>, now: Option<Version>) {
        if Tree::wants_text(path) {
            self.is_all = true;
        }
        let own = hash(path);
        let before = before.map(|v| (v, File::new(path, 0, 0, v.outline)));
        let now = now.map(|v| (v, File::new(path, 0, 0, v.outline)));
        let includes = |v: &Version| matches!(v.rules.modules, ModuleRule::Include | ModuleRule::Path);
        match (&before, &now) {
            (Some((a, old)), Some((b, new))) if a.language == b.language && old.package == new.package => {
                let (old, new) = (Shape::of(symbols, old), Shape::of(symbols, new));
                for name in differing(&old.inside, &new.inside) {
                    self.keys.insert(file_key(own, name));
                }
                for name in differing(&old.names, &new.names) {
                    self.keys.insert(key(Of::Name, name.0));
                }
                if old.wild != new.wild {
                    self.keys.insert(key(Of::Wild, own));
                    if includes(a) {
                        self.keys.insert(text_key(Of::Includes, ""));
                    }
                }
            }
            _ => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let name = path.rsplit('/').next().unwrap_or(path);
                self.places.insert(text_key(Of::Path, path));
                self.places.insert(text_key(Of::Base, name));
                self.places.insert(text_key(Of::Members, folder));
                self.keys.insert(key(Of::Wild, own));
                for (version, file) in [&before, &now].into_iter().flatten() {
                    let shape = Shape::of(symbols, file);
                    self.keys.extend(shape.inside.keys().map(|name| file_key(own, *name)));
                    self.keys.extend(shape.names.keys().map(|name| key(Of::Name, name.0)));
                    if let Some(package) = file.package {
                        self.places.insert(text_key(Of::Package, &package::normal(symbols.of(package))));
                    }
                    if includes(version) {
                        self.keys.insert(text_key(Of::Includes, ""));
                    }
                }
            }
        }
    }

    /// Strings that were not there before, from this one on.
    pub fn strings(&mut self, symbols: &Symbols, from: u32) {
        for text in symbols.since(from) {
            self.keys.insert(text_key(Of::Missing, text));
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
            self.places.insert(text_key(Of::Folder, folder));
            self.places.insert(text_key(Of::Folders, ""));
        }
        let roots = |paths: &[&str]| Roots::new(paths.iter().copied(), |path| paths.binary_search(&path).is_ok());
        for name in roots(before).difference(&roots(now)) {
            self.places.insert(text_key(Of::Root, name));
        }
    }

    /// Ready to be asked. What files take from others may be something else where these others changed place: that is all that imports of
    /// files name that asked for a place. `files` gives path, what was asked, and the outline of each.
    pub fn finish<'a>(&mut self, symbols: &Symbols, files: impl Iterator<Item = (&'a str, &'a [u8], &'a [u32])>) {
        if !self.places.is_empty() {
            let mut places: Vec<u32> = self.places.iter().copied().collect();
            places.sort_unstable();
            for (path, _, outline) in files.filter(|(_, asked, _)| has_any(asked, &places)) {
                let file = File::new(path, 0, 0, outline);
                let mut bound = Shape::default();
                bound.add_imports(symbols, &file, &[]);
                self.keys.extend(bound.inside.keys().map(|name| file_key(file.key, *name)));
                self.keys.insert(key(Of::Wild, file.key));
            }
        }
        self.sorted = self.keys.iter().chain(&self.places).copied().collect();
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.is_all |= self.sorted.len() > MOST;
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
        self.keys.extend(owners.map(|(file, name)| key(Of::Bases, file_key(file, Symbol(name)))));
    }
}

/// The key of a file by its path, for [`Changes::owners`].
pub fn path_key(path: &str) -> u32 {
    hash(path)
}

/// What a file says, by name, in numbers that are equal when it says the same, wherever in the file that stands.
#[derive(Default)]
struct Shape {
    /// All that can be asked of the file itself.
    inside: FxHashMap<Symbol, u64>,
    /// What those see who look for a name in the whole tree.
    names: FxHashMap<Symbol, u64>,
    /// What it takes whole from others.
    wild: u64,
}

fn join(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Shape {
    fn of(symbols: &Symbols, file: &File) -> Shape {
        let mut shape = Shape::default();
        let scopes = scopes(file);
        let scope_of = |at: u32| scopes.get(at as usize).copied().unwrap_or(u64::from(at == TOP));
        let default = symbols.get("default");
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
            if let Some(default) = default.filter(|_| entity.is_default()) {
                shape.inside(default, join(all, entity.name.0.into()));
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

    fn add_bindings(&mut self, symbols: &Symbols, file: &File, scopes: &[u64]) {
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

    fn add_imports(&mut self, symbols: &Symbols, file: &File, scopes: &[u64]) {
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
                let parts = symbols.of(import.module).split(|c: char| !c.is_alphanumeric() && c != '_');
                for part in parts.filter_map(|part| symbols.get(part)) {
                    self.inside(part, all);
                }
            }
        }
    }
}

/// What the scope of each entity is called, from the outside in.
fn scopes(file: &File) -> Vec<u64> {
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
