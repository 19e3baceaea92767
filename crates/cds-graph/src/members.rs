//! Members of values, types and what extends them; by how they are used: called or read, on an object or on what holds one; and the words that begin a path.

use cds_model::{Certainty, EntityType, LinkRules, Shared, Step};

use crate::lookup::Lookup;
use crate::modules::{Place, Target};
use crate::outline::{Definition, TOP, is_callable, is_type};
use crate::resolve::{Found, Value};
use crate::tree::Name;

/// How many bases above a type are looked at.
const MAX_BASES: usize = 32;

/// How many types above one are looked at for a method or a field.
const MAX_TYPES: usize = 32;

impl Lookup<'_> {
    /// A member of a value.
    pub(crate) fn member(&self, at: u32, value: Value, name: Name, depth: u8) -> Option<Value> {
        if !self.may_go_on(depth) {
            return None;
        }
        match value {
            Value::Module(place) => self.member_of_module(at, place, name, depth).map(|(value, _)| value),
            Value::Package(id) => {
                let files = self.package_files(self.package_name(id));
                files.iter().find_map(|&f| self.in_own_scope(f, TOP, u32::MAX, name, depth + 1)).map(|(v, _)| v)
            }
            Value::Entity(node) => {
                let kind = self.kind_of(node)?;
                if is_type(kind) {
                    return self.type_member(node, name, depth);
                }
                // A module or namespace inside a file.
                let (at, local) = self.place_of(node);
                let file = self.file(at);
                let inside = file.members(local, name.symbol).next().map(|m| Value::Entity(file.node_of(m)));
                let inside = inside.or_else(|| self.in_space(node, name, depth));
                inside
                    .or_else(|| self.in_extensions(node, name, depth))
                    .or_else(|| self.imported(at, local, name, depth + 1).map(|(v, _)| v))
            }
            Value::Held(_) if self.is_of_holder(at, name) => None,
            Value::Instance(node) | Value::Held(node) => self.type_member(node, name, depth),
            Value::Bases(node) => self.in_bases(node, name, depth, &mut vec![node]),
            Value::Table(at, table) => {
                let file = self.file(at);
                let is_member = |&local: &u32| file.entity(local).is_some_and(|e| e.name == name.symbol);
                let local = file.in_table(table).find(is_member)?;
                Some(Value::Entity(file.node_of(local)))
            }
            Value::Outside => Some(Value::Outside),
            Value::Hidden => None,
        }
    }

    /// A member of a file or folder, and how it is known that the module has it.
    pub(crate) fn module_member(&self, at: u32, place: Place, name: Name, depth: u8) -> Option<Found> {
        if self.may_go_on(depth) { self.member_of_module(at, place, name, depth) } else { None }
    }

    fn member_of_module(&self, at: u32, place: Place, name: Name, depth: u8) -> Option<Found> {
        let imported = |value: Value| (value, Certainty::Imported);
        if let Some(table) = self.returned(Value::Module(place), depth) {
            return self.member(at, table, name, depth + 1).map(imported);
        }
        if let Some(found) = place.file.and_then(|f| self.in_module(f, name, depth + 1)) {
            return Some(found);
        }
        if let Some(inside) = self.module_inside(at, place, name.text) {
            return Some(imported(Value::Module(inside)));
        }
        let folder = place.folder.filter(|_| self.rules(at).shared == Shared::Folder)?;
        let files = self.files_in(folder);
        files.iter().find_map(|&f| self.in_own_scope(f, TOP, u32::MAX, name, depth + 1)).map(|(v, _)| imported(v))
    }

    /// A member of a type, of what extends it, or of its bases.
    pub(crate) fn type_member(&self, node: u32, name: Name, depth: u8) -> Option<Value> {
        self.own_member(node, name, depth).or_else(|| self.in_bases(node, name, depth, &mut vec![node]))
    }

    pub(crate) fn own_member(&self, node: u32, name: Name, depth: u8) -> Option<Value> {
        let direct = self.member_of_block(node, name, depth).or_else(|| self.in_space(node, name, depth));
        let direct = direct.or_else(|| self.in_extensions(node, name, depth));
        direct.or_else(|| self.companions(node).into_iter().find_map(|c| self.member_of_block(c, name, depth)))
    }

    /// What belongs to a type or space by its head or as a block of it.
    pub(crate) fn in_extensions(&self, node: u32, name: Name, depth: u8) -> Option<Value> {
        self.extensions_of(node).iter().find_map(|&block| {
            let definition = self.entity(block)?;
            if definition.scope().is_none() && is_type(definition.kind()) {
                self.member_of_block(block, name, depth)
            } else {
                (definition.name == name.symbol).then_some(Value::Entity(block))
            }
        })
    }

    pub(crate) fn member_of_block(&self, node: u32, name: Name, depth: u8) -> Option<Value> {
        let (at, local) = self.place_of(node);
        let file = self.file(at);
        let mut members = file.members(local, name.symbol).filter_map(|m| Some((m, file.entity(m)?)));
        if let Some((member, definition)) = members.find(|(_, definition)| definition.scope().is_none()) {
            let is_method = is_callable(definition.kind()) && !definition.is_property();
            if is_method || definition.kind().entity_type() == EntityType::Class {
                return Some(Value::Entity(file.node_of(member)));
            }
            // A field: what it holds, or at least that it is this one.
            let held = definition.return_type().and_then(|t| self.typed(at, local, self.text(t), depth + 1));
            return held.or_else(|| self.field(at, local, name, depth)).or(Some(Value::Entity(file.node_of(member))));
        }
        self.field(at, local, name, depth)
    }

    /// What a field of a type holds, by its bindings.
    pub(crate) fn field(&self, at: u32, local: u32, name: Name, depth: u8) -> Option<Value> {
        let bindings = self.file(at).bindings(local, name.symbol);
        let mut hidden = None;
        for binding in bindings {
            match self.binding(at, local, binding, depth + 1) {
                Some(value) => return Some(value),
                None => hidden = Some(Value::Hidden),
            }
        }
        hidden
    }

    pub(crate) fn in_bases(&self, node: u32, name: Name, depth: u8, seen: &mut Vec<u32>) -> Option<Value> {
        let mut outside = None;
        for base in self.bases_of(node) {
            let Some(base) = *base else {
                outside = Some(Value::Outside);
                continue;
            };
            if seen.contains(&base) || seen.len() > MAX_BASES {
                continue;
            }
            seen.push(base);
            let found = self.own_member(base, name, depth).or_else(|| self.in_bases(base, name, depth, seen));
            match found {
                Some(Value::Outside) => outside = found,
                Some(_) => return found,
                None => {}
            }
        }
        outside
    }

    /// A member that is called, or one that is read.
    pub(crate) fn member_as(&self, at: u32, value: Value, name: Name, called: bool, depth: u8) -> Option<Value> {
        let any = || self.member(at, value, name, depth);
        if !self.rules(at).fields_apart {
            return any();
        }
        let node = match value {
            Value::Held(_) if self.is_of_holder(at, name) => return None,
            Value::Instance(node) | Value::Held(node) => node,
            Value::Entity(node) if self.kind_of(node).is_some_and(is_type) => node,
            _ => return any(),
        };
        if called {
            return self.in_types(node, |t| self.method_of(t, name)).or_else(any);
        }
        match any() {
            Some(Value::Entity(found)) if self.kind_of(found).is_some_and(is_callable) => {
                self.in_types(node, |t| self.field_of(t, name, depth)).or(Some(Value::Entity(found)))
            }
            found => found,
        }
    }

    /// What a bare name that is called means.
    pub(crate) fn function(&self, at: u32, scope: u32, byte: u32, name: Name, depth: u8) -> Option<Found> {
        let mut found = self.name(at, scope, byte, name, depth);
        if !self.rules(at).variables_apart {
            return found;
        }
        let file = self.file(at);
        let mut scope = scope;
        while let Some(definition) = file.entity(scope) {
            if found.is_none_or(|f| matches!(f.0, Value::Entity(_) | Value::Outside)) {
                break;
            }
            if is_type(definition.kind())
                && let Some(method) = self.in_types(file.node_of(scope), |t| self.method_of(t, name))
            {
                return Some((method, Certainty::Scoped));
            }
            scope = definition.parent;
            found = self.name(at, scope, byte, name, depth);
        }
        if found.is_some_and(|f| matches!(f.0, Value::Hidden | Value::Instance(_) | Value::Held(_))) {
            let imported = self.imported(at, TOP, name, depth).or_else(|| self.visible(at, name));
            return imported.or_else(|| self.through_wildcards(at, scope, name, depth));
        }
        found
    }

    /// What a bare name that is read means.
    pub(crate) fn variable(&self, at: u32, scope: u32, byte: u32, name: Name, depth: u8) -> Option<Found> {
        let found = self.name(at, scope, byte, name, depth)?;
        let is_method = matches!(found.0, Value::Entity(node) if self.kind_of(node).is_some_and(is_callable));
        if !is_method || !self.rules(at).variables_apart {
            return Some(found);
        }
        let around = self.type_at(at, scope, depth);
        let field = around.and_then(|node| self.in_types(node, |t| self.field_of(t, name, depth)));
        Some(field.map_or(found, |value| (value, Certainty::Typed)))
    }

    /// The first answer among a type and its bases.
    fn in_types(&self, node: u32, ask: impl Fn(u32) -> Option<Value>) -> Option<Value> {
        let mut queue = vec![node];
        let mut next = 0;
        while next < queue.len() && next < MAX_TYPES {
            if let Some(value) = ask(queue[next]) {
                return Some(value);
            }
            for &base in self.bases_of(queue[next]).iter().flatten() {
                if !queue.contains(&base) {
                    queue.push(base);
                }
            }
            next += 1;
        }
        None
    }

    fn method_of(&self, node: u32, name: Name) -> Option<Value> {
        let inside = |block: u32| {
            let (at, local) = self.place_of(block);
            let file = self.file(at);
            let definition = file.entity(local)?;
            if !is_type(definition.kind()) {
                let is_it = definition.name == name.symbol && is_callable(definition.kind());
                return is_it.then_some(Value::Entity(block));
            }
            let is_callable = |member: &Definition| member.scope().is_none() && is_callable(member.kind());
            let is_method = |&m: &u32| file.entity(m).is_some_and(is_callable);
            file.members(local, name.symbol).find(is_method).map(|m| Value::Entity(file.node_of(m)))
        };
        let mut around = self.extensions_of(node).iter().copied().chain(self.companions(node));
        inside(node).or_else(|| around.find_map(inside))
    }

    /// Types whose members are those of another: one inside it, or one of the same name beside it.
    pub(crate) fn companions(&self, node: u32) -> Vec<u32> {
        let (at, local) = self.place_of(node);
        let file = self.file(at);
        let Some(definition) = file.entity(local) else { return Vec::new() };
        let named = self.rules(at).companions.iter().map(|c| self.name_of(c).symbol);
        let inside = named.flat_map(|c| file.members(local, c));
        let beside = file.members(definition.parent, definition.name).filter(|&m| m != local);
        let is_companion = |&m: &u32| file.entity(m).is_some_and(|e| is_type(e.kind()));
        inside.chain(beside).filter(is_companion).map(|m| file.node_of(m)).collect()
    }

    fn field_of(&self, node: u32, name: Name, depth: u8) -> Option<Value> {
        let (at, local) = self.place_of(node);
        self.field(at, local, name, depth)
    }

    /// Whether a name is a method of what holds an object, not of the object.
    pub(crate) fn is_of_holder(&self, at: u32, name: Name) -> bool {
        let LinkRules { keepers, holder_methods, .. } = self.rules(at);
        keepers.iter().chain(holder_methods).any(|n| n == name.text)
    }

    /// What a call gives by its name alone: the object itself, or a new one of the type.
    pub(crate) fn kept(&self, file: u32, value: Value, step: &Step) -> Option<Found> {
        let rules = self.rules(file);
        let is = |names: &[String]| step.called && names.iter().any(|n| n == step.name);
        match value {
            Value::Instance(_) if is(&rules.keepers) => Some((value, Certainty::Typed)),
            // Some are written without brackets: `option.get`.
            Value::Held(node) if rules.keepers.iter().any(|k| k == step.name) => {
                Some((Value::Instance(node), Certainty::Typed))
            }
            Value::Entity(node) if is(&rules.makers) && self.kind_of(node).is_some_and(is_type) => {
                Some((Value::Instance(node), Certainty::Typed))
            }
            _ => None,
        }
    }

    /// Words or a crate at the beginning of a path, and how many steps they are.
    pub(crate) fn word(&self, at: u32, scope: u32, steps: &[Step], is_path: bool, depth: u8) -> Option<(Found, usize)> {
        let (target, count) = self.module_words(at, scope, steps)?;
        // What stands alone may as well be a variable that is not known.
        if matches!(target, Target::Outside(_)) && !is_path {
            return None;
        }
        self.target_value(at, &target, depth).map(|v| ((v, Certainty::Imported), count))
    }
}
