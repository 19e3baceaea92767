//! Members by how they are used: called or read, on an object or on what holds one; and the words that begin a path.

use cds_model::{Certainty, LinkRules, Step};

use crate::modules::Target;
use crate::resolve::{Found, Resolver, Value};
use crate::symbols::Symbol;
use crate::tree::{TOP, is_callable, is_type};

/// How many types above one are looked at for a method or a field.
const MAX_TYPES: usize = 32;

impl Resolver<'_> {
    /// A member that is called, or one that is read.
    pub(crate) fn member_as(&self, at: u32, value: Value, name: Symbol, called: bool, depth: u8) -> Option<Value> {
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
    pub(crate) fn function(&self, at: u32, scope: u32, byte: u32, name: Symbol, depth: u8) -> Option<Found> {
        let mut found = self.name(at, scope, byte, name, depth);
        if !self.rules(at).variables_apart {
            return found;
        }
        let file = self.file(at);
        let mut scope = scope;
        while let Some(definition) = file.entities.get(scope as usize) {
            if found.is_none_or(|f| matches!(f.0, Value::Entity(_) | Value::Outside)) {
                break;
            }
            if is_type(definition.kind)
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
    pub(crate) fn variable(&self, at: u32, scope: u32, byte: u32, name: Symbol, depth: u8) -> Option<Found> {
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
            for &base in self.bases.get(&self.spaces.first(queue[next])).into_iter().flatten().flatten() {
                if !queue.contains(&base) {
                    queue.push(base);
                }
            }
            next += 1;
        }
        None
    }

    fn method_of(&self, node: u32, name: Symbol) -> Option<Value> {
        let inside = |block: u32| {
            let (at, local) = self.place_of(block);
            let file = self.file(at);
            let definition = file.entities.get(local as usize)?;
            if !is_type(definition.kind) {
                return (definition.name == name && is_callable(definition.kind)).then_some(Value::Entity(block));
            }
            let is_method = |m: &u32| {
                let member = &file.entities[*m as usize];
                member.scope.is_none() && is_callable(member.kind)
            };
            file.members(local, name).find(is_method).map(|m| Value::Entity(file.node_of(m)))
        };
        let blocks = self.extensions.get(&self.spaces.first(node)).into_iter().flatten().copied();
        let around = blocks.chain(self.companions(node));
        inside(node).or_else(|| around.into_iter().find_map(inside))
    }

    /// Types whose members are those of another: one inside it, or one of the same name beside it.
    pub(crate) fn companions(&self, node: u32) -> Vec<u32> {
        let (at, local) = self.place_of(node);
        let file = self.file(at);
        let Some(definition) = file.entities.get(local as usize) else { return Vec::new() };
        let named = self.rules(at).companions.iter().filter_map(|c| self.tree.symbols.get(c));
        let inside = named.flat_map(|c| file.members(local, c));
        let beside = file.members(definition.parent, definition.name).filter(|&m| m != local);
        let is_companion = |m: &u32| is_type(file.entities[*m as usize].kind);
        inside.chain(beside).filter(is_companion).map(|m| file.node_of(m)).collect()
    }

    fn field_of(&self, node: u32, name: Symbol, depth: u8) -> Option<Value> {
        let (at, local) = self.place_of(node);
        self.field(at, local, name, depth)
    }

    /// Whether a name is a method of what holds an object, not of the object.
    pub(crate) fn is_of_holder(&self, at: u32, name: Symbol) -> bool {
        let LinkRules { keepers, holder_methods, .. } = self.rules(at);
        let name = self.text(name);
        keepers.iter().chain(holder_methods).any(|n| n == name)
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
        let (target, count) = self.modules.words(self.tree, self.file(at), scope, steps)?;
        // What stands alone may as well be a variable that is not known.
        if matches!(target, Target::Outside(_)) && !is_path {
            return None;
        }
        self.target_value(at, &target, depth).map(|v| ((v, Certainty::Imported), count))
    }
}
