//! What a name, a path of names or a type means at a place: scopes first, then imports, then what types say.

use cds_model::{Certainty, EntityType, Shared, Step, steps};

use crate::lookup::Lookup;
use crate::modules::Place;
use crate::outline::{Binding, TOP, is_block, is_callable, is_type};
use crate::symbols::Symbol;
use crate::tree::Name;
use crate::types::{first_result, held_type, type_path};

/// What an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A file or folder.
    Module(Place),
    /// All files of a package, by its position among all packages.
    Package(u32),
    /// An entity itself, by node.
    Entity(u32),
    /// An object of a type, by the type's node.
    Instance(u32),
    /// Such an object in something that holds it and has methods of its own.
    Held(u32),
    /// What a type's bases say.
    Bases(u32),
    /// A table of a file, by the file and the name of the variable.
    Table(u32, Symbol),
    /// Something from outside the tree.
    Outside,
    /// Bound here, to something that is not known: not what is called so elsewhere.
    Hidden,
}

/// A value and how it was found.
pub(crate) type Found = (Value, Certainty);

impl Lookup<'_> {
    /// What a path means at a place in a file.
    pub(crate) fn path(&self, file: u32, scope: u32, at: u32, path: &str, depth: u8) -> Option<Found> {
        if !self.may_go_on(depth) {
            return None;
        }
        let steps = steps(path)?;
        let first = self.first_step(file, scope, at, steps.first()?, depth).map(|f| (f, 1));
        let first = first.or_else(|| self.word(file, scope, &steps, path.contains("::"), depth));
        let Some((mut found, used)) = first else {
            return self.through_spaces(file, scope, &steps, depth);
        };
        for step in &steps[used..] {
            found = self.next_step(file, found, step, depth)?;
        }
        Some(found)
    }

    /// A path that begins with the qualified name of an open namespace or type, as it stands or below one around it.
    pub(crate) fn through_spaces(&self, file: u32, scope: u32, steps: &[Step], depth: u8) -> Option<Found> {
        let (space, taken) = self.longest_space(file, scope, steps)?;
        let mut found = (Value::Entity(space), Certainty::Imported);
        for step in &steps[taken..] {
            found = self.next_step(file, found, step, depth)?;
        }
        Some(found)
    }

    pub(crate) fn first_step(&self, file: u32, scope: u32, at: u32, step: &Step, depth: u8) -> Option<Found> {
        let rules = self.rules(file);
        let name = step.name.trim_start_matches('$');
        let is = |names: &[String]| names.iter().any(|n| n == step.name || n == name);
        let around = || self.type_at(file, scope, depth).or_else(|| self.space_around(file, scope));
        if is(&rules.this) {
            let instance = around().map(Value::Instance);
            let value = instance.or_else(|| self.table_at(file, scope));
            return value.map(|v| (v, Certainty::Typed));
        }
        if is(&rules.this_type) {
            let value = around().map(|t| if step.called { Value::Instance(t) } else { Value::Entity(t) });
            return value.map(|v| (v, Certainty::Typed));
        }
        if is(&rules.base) {
            return around().map(|t| (Value::Bases(t), Certainty::Typed));
        }
        if let Some(field) = name.strip_prefix('@') {
            // A field of the object has a sign of its own.
            let value = self.type_member(around()?, self.name_of(field), depth)?;
            return if step.called { None } else { Some((value, Certainty::Typed)) };
        }
        let name = self.name_of(name);
        if step.called {
            self.called(self.function(file, scope, at, name, depth)?, depth)
        } else {
            self.variable(file, scope, at, name, depth)
        }
    }

    pub(crate) fn next_step(&self, file: u32, (value, how): Found, step: &Step, depth: u8) -> Option<Found> {
        if value == Value::Outside {
            return Some((Value::Outside, how));
        }
        // `Outer.this`: the object of a type around.
        if let Value::Entity(node) = value
            && self.rules(file).this.iter().any(|this| this == step.name)
            && self.kind_of(node).is_some_and(is_type)
        {
            return Some((Value::Instance(node), how.max(Certainty::Typed)));
        }
        if self.rules(file).makers.iter().any(|m| m == step.name) {
            let made = match self.returned(value, depth).unwrap_or(value) {
                Value::Entity(node) if self.kind_of(node).is_some_and(is_type) => Some(Value::Instance(node)),
                table @ Value::Table(..) => Some(table),
                _ => None,
            };
            if let Some(made) = made {
                return Some((made, how.max(Certainty::Typed)));
            }
        }
        let name = self.name_of(step.name);
        let member = match value {
            Value::Module(place) => self.module_member(file, place, name, depth),
            _ => self.member_as(file, value, name, step.called, depth).map(|value| (value, how)),
        };
        if matches!(member, None | Some((Value::Outside, _)))
            && let Some(kept) = self.kept(file, value, step)
        {
            return Some(kept);
        }
        let (found, taken) = member?;
        // What was found in an import stays imported; what a type told is typed.
        let is_space = |node: u32| self.is_space(node) && self.kind_of(node).is_some_and(|k| !is_type(k));
        let is_module = match value {
            Value::Module(_) | Value::Package(_) => true,
            Value::Entity(node) => is_space(node),
            _ => false,
        };
        let how = how.max(taken).max(if is_module { Certainty::Imported } else { Certainty::Typed });
        let found = (found, how);
        if step.called { self.called(found, depth) } else { Some(found) }
    }

    /// The type that methods of a scope belong to: around it, or named by its head.
    pub(crate) fn type_at(&self, at: u32, scope: u32, depth: u8) -> Option<u32> {
        let file = self.file(at);
        let mut inner = scope;
        while let Some(definition) = file.entity(inner) {
            if is_type(definition.kind()) {
                let node = file.node_of(inner);
                return Some(self.extended(node, depth).unwrap_or(node));
            }
            if let Some(scope) = definition.scope() {
                return self.type_named(at, definition.parent, self.text(scope), depth + 1);
            }
            inner = definition.parent;
        }
        None
    }

    /// The table that a function is put into by its head.
    pub(crate) fn table_at(&self, at: u32, scope: u32) -> Option<Value> {
        let file = self.file(at);
        let mut inner = scope;
        while let Some(definition) = file.entity(inner) {
            if let Some(table) = definition.scope() {
                return self.table(at, table);
            }
            inner = definition.parent;
        }
        None
    }

    /// The table of that name, if functions are put into one.
    pub(crate) fn table(&self, at: u32, name: Symbol) -> Option<Value> {
        let has = || self.file(at).in_table(name).next().is_some();
        (self.rules(at).tables && has()).then_some(Value::Table(at, name))
    }

    /// The type that an `impl` or `extension` block adds to.
    pub(crate) fn extended(&self, node: u32, depth: u8) -> Option<u32> {
        let (at, local) = self.place_of(node);
        let definition = self.file(at).entity(local)?;
        if definition.is_partial() {
            return self.twins(node, definition.name).first().copied().filter(|&t| t != node);
        }
        if !is_block(definition.kind()) {
            return None;
        }
        self.type_named(at, definition.parent, self.text(definition.name), depth + 1).filter(|&t| t != node)
    }

    /// What calling a value gives.
    pub(crate) fn called(&self, (value, how): Found, depth: u8) -> Option<Found> {
        let value = match value {
            Value::Entity(node) => {
                let (at, local) = self.place_of(node);
                let file = self.file(at);
                let definition = file.entity(local)?;
                if is_type(definition.kind()) {
                    Value::Instance(node)
                } else {
                    let written = definition.return_type()?;
                    self.typed(at, local, self.text(written), depth)?
                }
            }
            // `require('./x')()`: what the module gives when no name is said.
            Value::Module(place) => {
                let found = self.in_module(place.file?, self.name_of("default"), depth)?;
                return self.called(found, depth + 1);
            }
            Value::Bases(node) => Value::Bases(node),
            Value::Outside => Value::Outside,
            _ => return None,
        };
        Some((value, how))
    }

    /// An object of a type as written.
    pub(crate) fn typed(&self, at: u32, scope: u32, written: &str, depth: u8) -> Option<Value> {
        let rules = self.rules(at);
        let written = if rules.first_result { first_result(written) } else { written };
        let held = held_type(written, rules);
        let path = held.or_else(|| type_path(written, &rules.wrappers))?;
        match self.type_value(at, scope, path, depth)? {
            Value::Entity(node) if held.is_some() => Some(Value::Held(node)),
            Value::Entity(node) => Some(Value::Instance(node)),
            Value::Outside => Some(Value::Outside),
            _ => None,
        }
    }

    /// The type of that name.
    pub(crate) fn type_named(&self, at: u32, scope: u32, written: &str, depth: u8) -> Option<u32> {
        let path = type_path(written, &self.rules(at).wrappers)?;
        match self.type_value(at, scope, path, depth)? {
            Value::Entity(node) => Some(node),
            _ => None,
        }
    }

    pub(crate) fn type_value(&self, at: u32, scope: u32, path: &str, depth: u8) -> Option<Value> {
        if !self.may_go_on(depth) {
            return None;
        }
        let rules = self.rules(at);
        if rules.this_type.iter().any(|t| t == path) {
            return self.type_at(at, scope, depth + 1).map(Value::Entity);
        }
        let (value, _) = self.path(at, scope, u32::MAX, path, depth + 1)?;
        match value {
            Value::Entity(node) if self.kind_of(node).is_some_and(is_type) => {
                Some(self.aliased(node, depth).unwrap_or(value))
            }
            Value::Outside => Some(value),
            // A variable called like its type does not hide it.
            _ if scope != TOP => self.type_value(at, self.file(at).parent(scope), path, depth + 1),
            _ => None,
        }
    }

    /// What another name for a type stands for.
    pub(crate) fn aliased(&self, node: u32, depth: u8) -> Option<Value> {
        let (at, local) = self.place_of(node);
        let file = self.file(at);
        let definition = file.entity(local).filter(|d| d.kind().name() == "typealias")?;
        if let Some(held) = definition.alias_of() {
            return Some(Value::Entity(file.node_of(held)));
        }
        let written = file.bindings(local, definition.name).first()?.type_name.get()?;
        let path = type_path(self.text(written), &self.rules(at).wrappers)?;
        // `typedef struct foo foo`: the name means itself here, the type elsewhere.
        match self.type_value(at, definition.parent, path, depth + 1)? {
            Value::Entity(found) if found == node => None,
            value => Some(value),
        }
    }

    /// What a bare name means at a place.
    pub(crate) fn name(&self, at: u32, scope: u32, byte: u32, name: Name, depth: u8) -> Option<Found> {
        let mut outside = false;
        let found = self.name_or_inherited(at, scope, byte, name, depth, &mut outside);
        match found {
            None if outside => Some((Value::Outside, Certainty::Scoped)),
            // A base that is not in the tree may have it as well.
            Some((Value::Entity(node), _)) if outside && self.kind_of(node).is_some_and(is_callable) => {
                Some((Value::Entity(node), Certainty::Named))
            }
            found => found,
        }
    }

    pub(crate) fn name_or_inherited(
        &self,
        at: u32,
        scope: u32,
        byte: u32,
        name: Name,
        depth: u8,
        outside: &mut bool,
    ) -> Option<Found> {
        if !self.may_go_on(depth) {
            return None;
        }
        let file = self.file(at);
        let rules = self.rules(at);
        let mut inner = scope;
        loop {
            let definition = file.entity(inner);
            let own_type = definition.is_some_and(|d| is_type(d.kind()));
            // Members of a type are not in the scope of its methods, but for languages that say so; in its own body they are.
            // Nor are those of an object that a constant holds, or a function gives back.
            let is_value = definition
                .is_some_and(|d| !own_type && !is_callable(d.kind()) && d.kind().entity_type() == EntityType::Function);
            let is_seen = rules.bare_members || inner == scope || !own_type && !is_value;
            if is_seen && let Some(found) = self.in_own_scope(at, inner, byte, name, depth) {
                let is_method = matches!(found.0, Value::Entity(n) if self.kind_of(n).is_some_and(is_member_kind));
                // `const x = require('./x')` binds a name and is an import as well.
                let through = if found.0 == Value::Hidden { self.imported(at, inner, name, depth) } else { None };
                if through.is_some() {
                    return through;
                }
                if rules.bare_members || !is_method || own_type || !rules.lifted.is_empty() {
                    return Some(found);
                }
            }
            if own_type && rules.bare_members {
                let node = file.node_of(inner);
                let node = self.extended(node, depth).unwrap_or(node);
                match self.type_member(node, name, depth) {
                    Some(Value::Outside) => *outside = true,
                    Some(value) => return Some((value, Certainty::Scoped)),
                    None => {}
                }
            }
            if let Some(value) = definition.and_then(|_| self.in_space(file.node_of(inner), name, depth)) {
                return Some((value, Certainty::Imported));
            }
            if let Some(value) = definition.and_then(|d| self.in_head(at, inner, d.scope()?, name, depth)) {
                return Some((value, Certainty::Scoped));
            }
            if let Some(found) = self.imported(at, inner, name, depth) {
                return Some(found);
            }
            if inner == TOP {
                break;
            }
            inner = file.parent(inner);
        }
        // A method whose type is named by its head sees that type's members.
        if rules.bare_members
            && let Some(node) = self.type_at(at, scope, depth)
            && let Some(value) = self.type_member(node, name, depth)
        {
            if value != Value::Outside {
                return Some((value, Certainty::Scoped));
            }
            *outside = true;
        }
        if rules.shared == Shared::Tree {
            // Seen by everybody, but what the file asked for comes first.
            let asked = self.through_wildcards(at, scope, name, depth);
            return asked.or_else(|| self.visible(at, name));
        }
        self.visible(at, name).or_else(|| self.through_wildcards(at, scope, name, depth))
    }

    /// A name in other blocks of the namespace or open type that a node is one of.
    pub(crate) fn in_space(&self, node: u32, name: Name, depth: u8) -> Option<Value> {
        let others = self.blocks_with(node, name.symbol).iter().filter(|&&block| block != node);
        let file = self.place_of(node).0;
        let is_seen = |value: &Value| match *value {
            Value::Entity(found) => {
                let (at, local) = self.place_of(found);
                at == file || !self.file(at).entity(local).is_some_and(|entity| entity.is_own())
            }
            _ => true,
        };
        others.into_iter().find_map(|&block| self.member_of_block(block, name, depth + 1).filter(is_seen))
    }

    /// A name in the namespaces that the head of a definition says: `void a::b::f()`.
    pub(crate) fn in_head(&self, at: u32, local: u32, head: Symbol, name: Name, depth: u8) -> Option<Value> {
        let mut path = self.text(head);
        loop {
            let outer = self.file(at).parent(local);
            let value = self.path(at, outer, u32::MAX, path, depth + 1);
            if let Some((Value::Entity(node), _)) = value
                && self.kind_of(node).is_some_and(|k| !is_type(k) || self.rules(at).bare_members)
                && let Some(found) = self.member(at, Value::Entity(node), name, depth + 1)
            {
                return Some(found);
            }
            path = path[..path.rfind(['.', ':'])?].trim_end_matches([':', '.']);
        }
    }

    /// Parameters, bindings and definitions of one scope.
    pub(crate) fn in_own_scope(&self, at: u32, scope: u32, byte: u32, name: Name, depth: u8) -> Option<Found> {
        let file = self.file(at);
        let bindings = file.bindings(scope, name.symbol);
        let members = || file.members(scope, name.symbol).filter_map(|m| Some((m, file.entity(m)?)));
        // A constructor called like its type: the name means the type.
        let is_own_name = file.entity(scope).is_some_and(|e| e.name == name.symbol && is_type(e.kind()));
        let first = members().next().filter(|_| is_own_name);
        if first.is_some_and(|(_, member)| member.kind().name() == "constructor") {
            return Some((Value::Entity(file.node_of(scope)), Certainty::Scoped));
        }
        let member = members().find(|(_, member)| member.scope().is_none() && !is_block(member.kind()));
        if let Some((local, member)) = member {
            let kind = member.kind();
            let node = file.node_of(local);
            if is_callable(kind) || kind.entity_type() == EntityType::Class {
                return Some((Value::Entity(node), Certainty::Scoped));
            }
            let bound = self.bound(at, scope, byte, bindings, depth);
            let typed = || {
                let written = member.return_type()?;
                Some((self.typed(at, scope, self.text(written), depth + 1)?, Certainty::Typed))
            };
            let held = || {
                let value = self.field(at, scope, name, depth + 1);
                let field = value.filter(|&v| v != Value::Hidden).map(|v| (v, Certainty::Typed));
                field.or_else(|| self.imported(at, scope, name, depth + 1).filter(|f| f.0 != Value::Hidden))
            };
            return bound
                .filter(|b| b.0 != Value::Hidden)
                .or_else(typed)
                .or_else(held)
                .or(Some((Value::Entity(node), Certainty::Scoped)));
        }
        let own_bindings: Option<Found> = self.bound(at, scope, byte, bindings, depth);
        // A global table may be made elsewhere.
        let is_open = own_bindings.is_some_and(|b| b.0 == Value::Hidden) || (own_bindings.is_none() && scope == TOP);
        if let Some(table) = is_open.then(|| self.table(at, name.symbol)).flatten() {
            return Some((table, Certainty::Scoped));
        }
        if own_bindings.is_some() {
            return own_bindings;
        }
        let parameter = file.parameters(scope).iter().find(|p| p.name == name.symbol)?;
        let value = parameter.type_name.get().and_then(|t| self.typed(at, scope, self.text(t), depth + 1));
        Some((value.unwrap_or(Value::Hidden), Certainty::Typed))
    }

    /// What a name is bound to before a place, or anywhere when it is bound only after.
    pub(crate) fn bound(&self, at: u32, scope: u32, byte: u32, bindings: &[Binding], depth: u8) -> Option<Found> {
        let bindings = || bindings.iter().filter(|b| !b.is_member());
        let last = bindings()
            .rfind(|b| b.start < byte)
            .or_else(|| bindings().next().filter(|_| scope == TOP || byte == u32::MAX))?;
        Some((self.binding(at, scope, last, depth).unwrap_or(Value::Hidden), Certainty::Typed))
    }

    pub(crate) fn binding(&self, at: u32, scope: u32, binding: &Binding, depth: u8) -> Option<Value> {
        if let Some(written) = binding.type_name.get()
            && let Some(value) = self.typed(at, scope, self.text(written), depth + 1)
        {
            return Some(value);
        }
        let written = self.text(binding.value.get()?);
        if !self.may_go_on(depth) {
            return None;
        }
        let inner = if binding.is_member() { binding.inner() } else { scope };
        let (value, _) = self.path(at, inner, binding.start, written, depth + 1)?;
        (value != Value::Hidden).then_some(value)
    }
}

/// Kinds that are called on something.
fn is_member_kind(kind: cds_model::Kind) -> bool {
    matches!(kind.name(), "method" | "getter" | "setter" | "constructor")
}
