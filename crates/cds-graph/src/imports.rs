//! What imports bring in: names of a scope, of a module that others see, through wildcards, and without any import.

use cds_model::{Certainty, ModuleRule, Shared, steps};

use crate::lookup::Lookup;
use crate::modules::{Place, Target};
use crate::outline::{Import, TOP};
use crate::resolve::{Found, Value};
use crate::symbols::Symbol;
use crate::tree::Name;

impl<'r> Lookup<'r> {
    /// A name that an import of this scope brings in.
    pub(crate) fn imported(&self, at: u32, scope: u32, name: Name, depth: u8) -> Option<Found> {
        let mut hidden = None;
        for (i, import) in self.imports_of(at, name).rev() {
            let is_bound = !import.wildcard() || import.alias.get().is_some();
            if import.scope != scope || !is_bound || import.is_export() {
                continue;
            }
            let Some(found) = self.import_binds(at, i, import, name, depth) else { continue };
            if found.0 == Value::Hidden {
                hidden = Some(found);
                continue;
            }
            return Some(found);
        }
        hidden
    }

    /// What an import gives to `name`, if it is that import which binds it.
    pub(crate) fn import_binds(&self, at: u32, i: usize, import: &Import, name: Name, depth: u8) -> Option<Found> {
        let bound_as = import.alias.get().or(import.name.get());
        if let Some(bound_as) = bound_as {
            if bound_as != name.symbol {
                return None;
            }
            return Some(self.import_value(at, i, import, depth).unwrap_or((Value::Hidden, Certainty::Imported)));
        }
        self.module_called(at, i, import, name, depth).map(|value| (value, Certainty::Imported))
    }

    /// The module that an import takes as a whole, if a part of its path is `name`.
    fn module_called(&self, at: u32, i: usize, import: &Import, name: Name, depth: u8) -> Option<Value> {
        let target = self.target(at, i);
        let rules = self.rules(at);
        let module = self.text(import.module);
        let wanted = name.text;
        match rules.modules {
            ModuleRule::Python => {
                let first = module.split('.').next().unwrap_or(module);
                if first != wanted {
                    return None;
                }
                if first == module {
                    return Some(self.target_value(at, target, depth).unwrap_or(Value::Outside));
                }
                // `import a.b` binds `a`.
                Some(match self.python_module(at, first) {
                    Target::Place { place, .. } => Value::Module(place),
                    _ => Value::Outside,
                })
            }
            ModuleRule::Go => {
                // What the package calls itself, if it is in the tree.
                if let Target::Place { place: Place { folder: Some(folder), .. }, .. } = target {
                    let files = self.files_in(*folder);
                    let mut declared = files.iter().filter_map(|&f| self.file(f).package()).map(|p| self.text(p));
                    let bound = declared.find(|p| !p.ends_with("_test")) == Some(wanted);
                    return bound.then(|| self.target_value(at, target, depth).unwrap_or(Value::Outside));
                }
                let mut parts = module.rsplit('/');
                let mut last = parts.next().unwrap_or(module);
                // `x/v2` is called x.
                if last.len() > 1 && last.starts_with('v') && last[1..].bytes().all(|b| b.is_ascii_digit()) {
                    last = parts.next().unwrap_or(last);
                }
                let last = last.trim_start_matches("go-").split('.').next().unwrap_or(last);
                (last == wanted).then(|| self.target_value(at, target, depth).unwrap_or(Value::Outside))
            }
            ModuleRule::Package | ModuleRule::Rust => {
                let last = module.rsplit(['.', ':', '\\']).next().unwrap_or(module);
                (last == wanted).then(|| self.target_value(at, target, depth).unwrap_or(Value::Outside))
            }
            _ => None,
        }
    }

    /// What an import brings in.
    pub(crate) fn import_value(&self, at: u32, i: usize, import: &Import, depth: u8) -> Option<Found> {
        let target = self.target(at, i);
        let imported = |value: Value| (value, Certainty::Imported);
        if let (Target::Names(path), Some(name)) = (target, import.name.get())
            && let Some(space) = self.space_called(at, &format!("{path}.{}", self.text(name)))
        {
            return Some(imported(Value::Entity(space)));
        }
        let module = self.target_value(at, target, depth)?;
        let Some(name) = import.name.get().map(|name| self.named(name)) else { return Some(imported(module)) };
        match module {
            Value::Outside => Some(imported(Value::Outside)),
            // A module inside this file takes a name from around it; the file itself takes none from itself.
            Value::Module(place) if place.file == Some(at) && place.folder.is_none() => {
                let is_inner = import.scope != TOP;
                let found = is_inner.then(|| self.in_own_scope(at, TOP, u32::MAX, name, depth + 1)).flatten();
                found.map(|(value, _)| imported(value))
            }
            _ => {
                if let Some(found) = self.member_of_import(at, module, name, depth + 1) {
                    return Some(found);
                }
                // The name of a package is taken, as its last part.
                if let Value::Package(id) = module
                    && self.package_name(id).rsplit('.').next() == Some(name.text)
                {
                    return Some(imported(module));
                }
                // `import x from './y'` where y says `module.exports = …`: the module itself.
                let is_default = name.text == "default";
                is_default.then_some(imported(module))
            }
        }
    }

    /// A member of what an import leads to. A module may itself have it from a wildcard that is not sure.
    fn member_of_import(&self, at: u32, value: Value, name: Name, depth: u8) -> Option<Found> {
        match value {
            Value::Module(place) => self.module_member(at, place, name, depth),
            value => self.member(at, value, name, depth).map(|value| (value, Certainty::Imported)),
        }
    }

    pub(crate) fn target_value(&self, at: u32, target: &Target, depth: u8) -> Option<Value> {
        match target {
            Target::Place { place, rest } => {
                let mut value = Value::Module(*place);
                for part in rest {
                    value = self.member(at, value, self.name_of(part), depth + 1)?;
                }
                Some(value)
            }
            Target::Package(name) => self.package_id(name).map(Value::Package),
            Target::Outside(_) => Some(Value::Outside),
            Target::Names(path) => {
                if let Some(space) = self.space_called(at, path) {
                    return Some(Value::Entity(space));
                }
                let (value, _) = self.path(at, TOP, u32::MAX, path, depth + 1)?;
                Some(value)
            }
            Target::Unknown => None,
        }
    }

    /// A name of a file that others may see: its own, given under another name, or passed on.
    pub(crate) fn in_module(&self, at: u32, name: Name, depth: u8) -> Option<Found> {
        if !self.may_go_on(depth) {
            return None;
        }
        if let Some(found) = self.in_own_scope(at, TOP, u32::MAX, name, depth).filter(|f| f.0 != Value::Hidden) {
            return Some((found.0, Certainty::Imported));
        }
        let is_given =
            |i: &Import| i.is_export() && i.alias.get() == Some(name.symbol) && i.name.get() != Some(name.symbol);
        let exported = self.imports_of(at, name).rfind(|(_, import)| is_given(import));
        if let Some(own) = exported.and_then(|(_, import)| import.name.get()) {
            return self.name(at, TOP, u32::MAX, self.named(own), depth + 1).map(|(v, _)| (v, Certainty::Imported));
        }
        if name.text == "default"
            && let Some(local) = self.file(at).default_export()
        {
            return Some((Value::Entity(self.file(at).node_of(local)), Certainty::Imported));
        }
        if let Some(found) = self.imported(at, TOP, name, depth + 1).filter(|f| f.0 != Value::Hidden) {
            return Some(found);
        }
        self.through_wildcards(at, TOP, name, depth + 1)
    }

    /// The namespace or open type of that name, from a place.
    pub(crate) fn space_named(&self, at: u32, scope: u32, path: &str) -> Option<Value> {
        let steps = steps(path)?;
        let (space, taken) = self.longest_space(at, scope, &steps)?;
        (taken == steps.len()).then_some(Value::Entity(space))
    }

    /// Names that `import *` brings in, or files that are included.
    pub(crate) fn through_wildcards(&self, at: u32, scope: u32, name: Name, depth: u8) -> Option<Found> {
        if !self.may_go_on(depth) {
            return None;
        }
        let file = self.file(at);
        let packages = self.rules(at).modules == ModuleRule::Package && !self.rules(at).qualified;
        let mut unsure = None;
        for (i, import) in file.whole_imports() {
            // A package that is taken without a name is taken whole.
            let is_package = || match self.target(at, i) {
                Target::Package(_) => !self.rules(at).qualified,
                // A file that is read in.
                Target::Place { place, rest } => place.file.is_some() && rest.is_empty() && packages,
                _ => false,
            };
            let is_whole = import.name.get().is_none() && import.alias.get().is_none() && is_package();
            if import.is_export() || !(import.wildcard() || is_whole) || !file.is_around(import.scope, scope) {
                continue;
            }
            let value = match self.target(at, i) {
                // Looked up by name alone: what other wildcards bring in would ask them all again.
                Target::Names(path) => self.space_named(at, import.scope, path),
                // `use a::{b::*}` names the module by a path and a name.
                _ => self.import_value(at, i, import, depth).map(|(value, _)| value),
            };
            let Some(value) = value else { continue };
            let taken = match value {
                Value::Module(place) if place.file == Some(at) => None,
                Value::Module(Place { file: Some(from), .. }) => self.taken_by_wildcard(from, name),
                Value::Outside => None,
                _ => Some(Certainty::Imported),
            };
            let Some(taken) = taken else { continue };
            match self.member_of_import(at, value, name, depth + 1) {
                Some((value, how)) if how.max(taken) == Certainty::Named => {
                    unsure = unsure.or(Some((value, Certainty::Named)));
                }
                Some((value, _)) => return Some((value, Certainty::Imported)),
                None => {}
            }
        }
        if unsure.is_some() {
            return unsure;
        }
        let mut files = self.included_with(at, name.symbol).into_iter();
        files.find_map(|f| self.in_own_scope(f, TOP, u32::MAX, name, depth + 1)).map(|(v, _)| (v, Certainty::Imported))
    }

    /// How it is known that an import of everything takes a name from a file; `None` if it does not.
    fn taken_by_wildcard(&self, at: u32, name: Name) -> Option<Certainty> {
        let (file, rules) = (self.file(at), self.rules(at));
        if let Some(list) = rules.wildcard_list.as_deref().map(|list| self.name_of(list)) {
            let is_outermost = |import: &Import| import.scope == TOP;
            let is_listed = |(_, import): (usize, &Import)| import.is_export() && is_outermost(import);
            if self.imports_of(at, name).any(is_listed) {
                return Some(Certainty::Imported);
            }
            // The list of another file is taken over, or this one is computed.
            let is_imported = self.imports_of(at, list).any(|(_, import)| is_outermost(import));
            if is_imported || file.whole_imports().any(|(_, import)| import.is_export() && is_outermost(import)) {
                return Some(Certainty::Named);
            }
            if !file.bindings(TOP, list.symbol).is_empty() {
                return None;
            }
        }
        let is_hidden = rules.wildcard_hidden_prefixes.iter().any(|prefix| name.text.starts_with(prefix.as_str()));
        (!is_hidden).then_some(Certainty::Imported)
    }

    /// Outermost names of files that are seen without an import.
    pub(crate) fn visible(&self, at: u32, name: Name) -> Option<Found> {
        let found = self.shared(self.group_of(at)?, name.symbol).or_else(|| self.in_outer_packages(at, name))?;
        let tree_wide = self.rules(at).shared == Shared::Tree;
        // Defined by several files that no package joins: not known which, unless they are blocks of one.
        let owner = self.place_of(found[0]).0;
        let joined = self.file(at).package().is_some() && !tree_wide;
        let is_one = |&n: &u32| {
            let is_block = self.first_block(n) == self.first_block(found[0]);
            (tree_wide && is_block) || self.place_of(n).0 == owner
        };
        let is_sure = joined || found.iter().all(is_one);
        // A type or namespace that stands in one place only is that one for everybody.
        let is_only = found.len() == 1 && self.is_space(found[0]);
        let how = if tree_wide && !is_only { Certainty::Named } else { Certainty::Scoped };
        is_sure.then(|| (Value::Entity(found[0]), how))
    }

    /// A name of the packages around a file's own.
    pub(crate) fn in_outer_packages(&self, at: u32, name: Name) -> Option<&'r Vec<u32>> {
        if !self.rules(at).outer_packages {
            return None;
        }
        let mut package = self.text(self.file(at).package()?);
        while let Some((above, _)) = package.rsplit_once('.') {
            package = above;
            let group = self.group_with(at, Some(self.name_of(package).symbol));
            if let Some(found) = group.and_then(|group| self.shared(group, name.symbol)) {
                return Some(found);
            }
        }
        None
    }

    /// Entities of other files that share an outermost entity's name and package, and itself.
    pub(crate) fn twins(&self, node: u32, name: Symbol) -> Vec<u32> {
        let (at, _) = self.place_of(node);
        if self.rules(at).shared == Shared::Tree || self.file(at).package().is_none() {
            return vec![node];
        }
        let all = self.group_of(at).and_then(|group| self.shared(group, name)).into_iter().flatten().copied();
        let same: Vec<u32> = all.filter(|&n| self.kind_of(n) == self.kind_of(node)).collect();
        if same.contains(&node) { same } else { vec![node] }
    }

    /// The table that a module is.
    pub(crate) fn returned(&self, module: Value, depth: u8) -> Option<Value> {
        let Value::Module(Place { file: Some(file), .. }) = module else { return None };
        if !self.rules(file).tables {
            return None;
        }
        self.in_module(file, self.name_of("default"), depth + 1).map(|f| f.0).filter(|&v| v != module)
    }
}
