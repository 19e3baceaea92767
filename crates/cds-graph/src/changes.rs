//! What differs between two trees, as keys of names, paths and lists: the counterpart of the keys that links depend on.

use cds_model::{LinkRules, ModuleRule};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dependencies::{DepKind, KeySet, Stored, file_key, hash, key, text_key};
use crate::link::Known;
use crate::lookup::Tables;
use crate::modules::package;
use crate::modules::python::Roots;
use crate::outline::{Contents, Import, TOP, is_callable};
use crate::symbols::{Symbol, Symbols};
use crate::tree::{Tree, module_parts};

/// With more keys than this, linking everything is faster than finding out what is affected.
const MOST: usize = 4_000;

/// What changed between two trees.
#[derive(Default)]
pub struct Changes {
    keys: FxHashSet<u32>,
    /// The same, once they are complete.
    set: KeySet,
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
        self.is_all || Stored::read(dependencies).has_any(&self.set)
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
                for name in differing(&old.qualified, &new.qualified) {
                    self.keys.insert(key(DepKind::Qualified, name.0));
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
                    for kind in [DepKind::Name, DepKind::Qualified] {
                        self.keys.extend(shape.names.keys().map(|name| key(kind, name.0)));
                    }
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
    /// a target may have changed, the names that its import binds have.
    pub(crate) fn finish(&mut self, tables: &Tables, known: &[Known]) {
        let mut added: Vec<u32> = self.keys.iter().copied().collect();
        while !added.is_empty() {
            self.is_all |= self.keys.len() > MOST;
            if self.is_all {
                return;
            }
            let last = KeySet::from_iter(std::mem::take(&mut added));
            let is_affected = |file: &Known| Stored::read(file.dependencies).targets_have_any(&last);
            let affected = known.par_iter().enumerate().filter(|(_, file)| is_affected(file));
            let bound: Vec<u32> =
                affected.flat_map_iter(|(at, _)| bound_by_imports(tables, at as u32, &last)).collect();
            added.extend(bound.into_iter().filter(|key| self.keys.insert(*key)));
        }
        self.set = self.keys.iter().copied().collect();
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

/// Keys of what the imports of a file bind whose targets depend on one of these. A target is determined anew: the first thing that it
/// reads and that changed is the same in both trees.
fn bound_by_imports(tables: &Tables, at: u32, keys: &KeySet) -> Vec<u32> {
    let (file, symbols) = (tables.file(at), tables.symbols());
    let mut bound = Shape::default();
    for import in file.contents().imports {
        if tables.keys_of_target(at, import).into_iter().any(|key| keys.contains(key)) {
            bound.add_import(symbols, import, 0);
        }
    }
    let names = bound.inside.keys().map(|name| file_key(file.key, *name));
    names.chain((bound.wild != 0).then(|| key(DepKind::Wildcards, file.key))).collect()
}

/// What a file defines, binds and imports, by name, in numbers that do not depend on positions in the file.
#[derive(Default)]
struct Shape {
    /// All that can be asked of the file itself.
    inside: FxHashMap<Symbol, u64>,
    /// What a look-up of a name in the whole tree reads. It does not depend on the names of what encloses a definition, so that an edit of
    /// the name of a type does not affect all files that use a member's name.
    names: FxHashMap<Symbol, u64>,
    /// What a look-up of a qualified name reads.
    qualified: FxHashMap<Symbol, u64>,
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
        let scopes = Scopes::of(file);
        let scope_of = |at: u32| Scopes::at(&scopes.reached, at);
        let mut bases: FxHashMap<u32, u64> = FxHashMap::default();
        for used in file.bases {
            let base = bases.entry(used.scope).or_default();
            *base = join(join(*base, used.name.0.into()), used.receiver.get().map_or(0, |r| u64::from(r.0) + 1));
        }
        for (i, entity) in file.entities.iter().enumerate() {
            let optional = |symbol: Option<Symbol>| symbol.map_or(0, |s| u64::from(s.0) + 1);
            let within = |scope: u64| join(join(scope, entity.packed.into()), optional(entity.scope()));
            let mut all = join(within(scope_of(entity.parent)), optional(entity.return_type()));
            all = join(all, entity.alias_of().map_or(0, scope_of));
            all = join(all, bases.get(&(i as u32)).copied().unwrap_or(0));
            let [from, to] = entity.parameters;
            for parameter in file.parameters.get(from as usize..to as usize).unwrap_or_default() {
                all = join(join(all, parameter.name.0.into()), optional(parameter.type_name.get()));
                // A parameter is found by its name as well.
                shape.inside(parameter.name, join(scope_of(i as u32), optional(parameter.type_name.get())));
            }
            shape.inside(entity.name, all);
            let kinds = Scopes::at(&scopes.kinds, entity.parent);
            let kinds = join(join(kinds, entity.packed.into()), u64::from(entity.scope().is_some()));
            shape.named(entity.name, kinds, within(Scopes::at(&scopes.full, entity.parent)));
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

    fn named(&mut self, name: Symbol, kinds: u64, names: u64) {
        for (table, what) in [(&mut self.names, kinds), (&mut self.qualified, names)] {
            let all = table.entry(name).or_default();
            *all = join(*all, what);
        }
    }

    fn inside(&mut self, name: Symbol, what: u64) {
        let all = self.inside.entry(name).or_default();
        *all = join(*all, what);
    }

    fn add_bindings(&mut self, symbols: &Symbols, file: &Contents, scopes: &Scopes) {
        let scope_of = |at: u32| Scopes::at(&scopes.reached, at);
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
            self.named(binding.name, Scopes::at(&scopes.kinds, binding.scope), scope_of(binding.scope));
        }
    }

    fn add_imports(&mut self, symbols: &Symbols, file: &Contents, scopes: &Scopes) {
        for import in file.imports {
            self.add_import(symbols, import, Scopes::at(&scopes.reached, import.scope));
        }
    }

    fn add_import(&mut self, symbols: &Symbols, import: &Import, scope: u64) {
        let optional = |symbol: Option<Symbol>| symbol.map_or(0, |s| u64::from(s.0) + 1);
        let (name, alias) = (import.name.get(), import.alias.get());
        let mut all = join(scope, import.module.0.into());
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

/// Hashes of each entity of a file with what encloses it, from the outside in.
#[derive(Default)]
struct Scopes {
    /// Of all names and kinds.
    full: Vec<u64>,
    /// Of the names up to the innermost function, and of all kinds. What a function contains is read only after the function itself was
    /// looked up, whose own hash has the other names.
    reached: Vec<u64>,
    /// Of kinds alone.
    kinds: Vec<u64>,
}

impl Scopes {
    fn of(file: &Contents) -> Scopes {
        let mut scopes = Scopes::default();
        for entity in file.entities {
            let around = |of: &[u64]| of.get(entity.parent as usize).copied().unwrap_or(1);
            let named = |around: u64| join(join(around, entity.name.0.into()), entity.packed.into());
            let is_function = is_callable(entity.kind());
            let full = named(around(&scopes.full));
            let reached = named(around(if is_function { &scopes.kinds } else { &scopes.reached }));
            let kinds = join(around(&scopes.kinds), entity.packed.into());
            scopes.full.push(full);
            scopes.reached.push(reached);
            scopes.kinds.push(kinds);
        }
        scopes
    }

    /// The hash of a scope.
    fn at(of: &[u64], scope: u32) -> u64 {
        of.get(scope as usize).copied().unwrap_or(u64::from(scope == TOP))
    }
}

fn differing<'a>(a: &'a FxHashMap<Symbol, u64>, b: &'a FxHashMap<Symbol, u64>) -> impl Iterator<Item = Symbol> {
    let changed = a.iter().filter(|(name, what)| b.get(*name) != Some(*what)).map(|(name, _)| *name);
    changed.chain(b.keys().filter(|name| !a.contains_key(*name)).copied())
}
