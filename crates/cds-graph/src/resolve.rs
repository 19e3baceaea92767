//! What a name, a path of names or a type means at a place: scopes first, then imports, then what types say.

use std::cell::Cell;
use std::sync::OnceLock;

use cds_model::{Certainty, EntityType, Shared, Step, steps};
use rustc_hash::FxHashMap;

use crate::asked::{Of, ask, ask_file, ask_name, ask_text, file_key, unrecorded};
use crate::bodies::Bodies;
use crate::includes::Includes;
use crate::modules::{Modules, Place, Target};
use crate::spaces::Spaces;
use crate::symbols::Symbol;
use crate::tree::{Binding, Definition, File, Import, TOP, Tree, is_block, is_callable, is_type};
use crate::types::{first_result, held_type, type_path};

/// How many bindings, return types and re-exports one question may lead through.
const MAX_DEPTH: u8 = 12;

/// How many look-ups one question may take.
const MAX_STEPS: u32 = 4_000;

thread_local! {
    static STEPS_LEFT: Cell<u32> = const { Cell::new(MAX_STEPS) };
}

/// What an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A file or folder.
    Module(Place),
    /// All files of a package, by a position in [`Resolver::package_names`].
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

pub(crate) struct Resolver<'a> {
    pub(crate) tree: &'a Tree<'a>,
    pub(crate) modules: &'a Modules<'a>,
    /// What each import of each file means; found out when it is asked for.
    targets: Vec<OnceLock<Vec<Target>>>,
    /// Bases of types, in the order they are written; `None` for one from outside.
    pub(crate) bases: FxHashMap<u32, Vec<Option<u32>>>,
    /// Blocks and single members that belong to a type without lying in it.
    pub(crate) extensions: FxHashMap<u32, Vec<u32>>,
    /// First nodes of files, ascending, with their positions.
    pub(crate) starts: Vec<(u32, u32)>,
    pub(crate) package_names: Vec<String>,
    pub(crate) package_ids: FxHashMap<String, u32>,
    /// Outermost names of files that everybody sees, by family and name.
    pub(crate) shared: FxHashMap<(Group, Symbol), Vec<u32>>,
    /// Namespaces and types that are open, and files that others include.
    pub(crate) spaces: Spaces,
    pub(crate) includes: Includes,
    pub(crate) bodies: Bodies,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(tree: &'a Tree<'a>, modules: &'a Modules<'a>) -> Resolver<'a> {
        let mut starts: Vec<(u32, u32)> = tree.files.iter().enumerate().map(|(i, f)| (f.node, i as u32)).collect();
        starts.sort_unstable();
        let mut package_names: Vec<String> = modules.package_names().cloned().collect();
        package_names.sort();
        let package_ids = package_names.iter().enumerate().map(|(i, n)| (n.clone(), i as u32)).collect();
        let mut shared: FxHashMap<(Group, Symbol), Vec<u32>> = FxHashMap::default();
        for (at, file) in tree.files.iter().enumerate() {
            if let Some(group) = group_of(tree, modules, at as u32) {
                for (name, local) in file.outermost() {
                    let definition = &file.entities[local as usize];
                    if definition.scope().is_none() && !is_block(definition.kind()) && !definition.is_own() {
                        shared.entry((group, name)).or_default().push(file.node_of(local));
                    }
                }
            }
        }
        let targets: Vec<OnceLock<Vec<Target>>> = tree.files.iter().map(|_| OnceLock::new()).collect();
        let target = |at: u32| targets[at as usize].get_or_init(|| targets_of(tree, modules, at)).as_slice();
        Resolver {
            spaces: Spaces::new(tree),
            includes: Includes::new(tree, target),
            bodies: Bodies::new(tree),
            targets,
            bases: FxHashMap::default(),
            extensions: FxHashMap::default(),
            starts,
            package_names,
            package_ids,
            shared,
            tree,
            modules,
        }
    }

    /// What the imports of a file mean. Whoever asks first finds out for all: what that takes is noted for the file itself alone, see
    /// [`Resolver::own_targets`].
    pub(crate) fn targets(&self, at: u32) -> &[Target] {
        self.targets[at as usize].get_or_init(|| unrecorded(|| targets_of(self.tree, self.modules, at)))
    }

    /// The same for the file that is being linked.
    pub(crate) fn own_targets(&self, at: u32) {
        let own = targets_of(self.tree, self.modules, at);
        self.targets[at as usize].get_or_init(|| own);
    }

    /// A name as a symbol. That there is none is worth noting: there may be one some day.
    pub(crate) fn symbol(&self, text: &str) -> Option<Symbol> {
        let symbol = self.tree.symbols.get(text);
        if symbol.is_none() {
            ask_text(Of::Missing, text);
        }
        symbol
    }

    /// The block that stands for all of a space, before its bases or extensions are asked for.
    pub(crate) fn first(&self, node: u32) -> u32 {
        let first = self.spaces.first(node);
        for node in [node, first] {
            let (at, local) = self.place_of(node);
            let file = self.file(at);
            if let Some(definition) = file.entities.get(local as usize) {
                ask(Of::Bases, file_key(file.key, definition.name));
                if self.spaces.is_space(node) {
                    ask_name(definition.name);
                }
            }
        }
        first
    }

    /// The file of a node, and its position inside; [`TOP`] for the file itself.
    pub(crate) fn place_of(&self, node: u32) -> (u32, u32) {
        let at = self.starts.partition_point(|&(first, _)| first <= node) - 1;
        let (first, file) = self.starts[at];
        (file, if node == first { TOP } else { node - first - 1 })
    }

    pub(crate) fn kind_of(&self, node: u32) -> Option<cds_model::Kind> {
        let (file, local) = self.place_of(node);
        self.tree.files[file as usize].entities.get(local as usize).map(Definition::kind)
    }

    pub(crate) fn file(&self, at: u32) -> &'a File<'a> {
        &self.tree.files[at as usize]
    }

    pub(crate) fn rules(&self, at: u32) -> &'a cds_model::LinkRules {
        &self.tree.rules[self.file(at).rule as usize]
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &'a str {
        self.tree.symbols.of(symbol)
    }

    /// What a path means at a place in a file.
    pub(crate) fn path(&self, file: u32, scope: u32, at: u32, path: &str, depth: u8) -> Option<Found> {
        if !may_go_on(depth) {
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
        let (space, taken) = self.spaces.longest(self.tree, file, scope, steps)?;
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
        let around = || self.type_at(file, scope, depth).or_else(|| self.spaces.around(self.tree, file, scope));
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
            let value = self.type_member(around()?, self.symbol(field)?, depth)?;
            return if step.called { None } else { Some((value, Certainty::Typed)) };
        }
        let symbol = self.symbol(name)?;
        if step.called {
            self.called(self.function(file, scope, at, symbol, depth)?, depth)
        } else {
            self.variable(file, scope, at, symbol, depth)
        }
    }

    pub(crate) fn next_step(&self, file: u32, (value, how): Found, step: &Step, depth: u8) -> Option<Found> {
        if value == Value::Outside {
            return Some((Value::Outside, how));
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
        let Some(symbol) = self.symbol(step.name) else {
            return self.kept(file, value, step);
        };
        let member = self.member_as(file, value, symbol, step.called, depth);
        if matches!(member, None | Some(Value::Outside))
            && let Some(kept) = self.kept(file, value, step)
        {
            return Some(kept);
        }
        let found = member?;
        // What was found in an import stays imported; what a type told is typed.
        let is_space = |node: u32| self.spaces.is_space(node) && self.kind_of(node).is_some_and(|k| !is_type(k));
        let is_module = match value {
            Value::Module(_) | Value::Package(_) => true,
            Value::Entity(node) => is_space(node),
            _ => false,
        };
        let how = if is_module { how.max(Certainty::Imported) } else { how.max(Certainty::Typed) };
        let found = (found, how);
        if step.called { self.called(found, depth) } else { Some(found) }
    }

    /// The type that methods of a scope belong to: around it, or named by its head.
    pub(crate) fn type_at(&self, at: u32, scope: u32, depth: u8) -> Option<u32> {
        let file = self.file(at);
        let mut inner = scope;
        while inner != TOP {
            let definition = &file.entities[inner as usize];
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
        while inner != TOP {
            if let Some(table) = file.entities[inner as usize].scope() {
                return self.table(at, table);
            }
            inner = file.parent(inner);
        }
        None
    }

    /// The table of that name, if functions are put into one.
    pub(crate) fn table(&self, at: u32, name: Symbol) -> Option<Value> {
        let has = || {
            let file = self.file(at);
            ask_file(file.key, name);
            file.entities.iter().any(|e| e.scope() == Some(name))
        };
        (self.rules(at).tables && has()).then_some(Value::Table(at, name))
    }

    /// The type that an `impl` or `extension` block adds to.
    pub(crate) fn extended(&self, node: u32, depth: u8) -> Option<u32> {
        let (at, local) = self.place_of(node);
        let definition = &self.file(at).entities[local as usize];
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
                let definition = file.entities.get(local as usize)?;
                if is_type(definition.kind()) {
                    Value::Instance(node)
                } else {
                    let written = definition.return_type()?;
                    self.typed(at, local, self.text(written), depth)?
                }
            }
            // `require('./x')()`: what the module gives when no name is said.
            Value::Module(place) => {
                let default = self.symbol("default")?;
                let found = self.in_module(place.file?, default, depth)?;
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
        if !may_go_on(depth) {
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
        let definition = file.entities.get(local as usize).filter(|d| d.kind().name() == "typealias")?;
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
    pub(crate) fn name(&self, at: u32, scope: u32, byte: u32, name: Symbol, depth: u8) -> Option<Found> {
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
        name: Symbol,
        depth: u8,
        outside: &mut bool,
    ) -> Option<Found> {
        if !may_go_on(depth) {
            return None;
        }
        let file = self.file(at);
        let rules = self.rules(at);
        let mut inner = scope;
        loop {
            let definition = file.entities.get(inner as usize);
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
    pub(crate) fn in_space(&self, node: u32, name: Symbol, depth: u8) -> Option<Value> {
        let others = self.spaces.blocks_with(node, name).iter().filter(|&&block| block != node);
        let file = self.place_of(node).0;
        let is_seen = |value: &Value| match *value {
            Value::Entity(found) => {
                let (at, local) = self.place_of(found);
                at == file || !self.file(at).entities[local as usize].is_own()
            }
            _ => true,
        };
        others.into_iter().find_map(|&block| self.member_of_block(block, name, depth + 1).filter(is_seen))
    }

    /// A name in the namespaces that the head of a definition says: `void a::b::f()`.
    pub(crate) fn in_head(&self, at: u32, local: u32, head: Symbol, name: Symbol, depth: u8) -> Option<Value> {
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
    pub(crate) fn in_own_scope(&self, at: u32, scope: u32, byte: u32, name: Symbol, depth: u8) -> Option<Found> {
        let file = self.file(at);
        let bindings = file.bindings(scope, name);
        let mut members = file.members(scope, name).filter(|&m| file.entities[m as usize].scope().is_none());
        // A constructor called like its type: the name means the type.
        let is_own_name = file.entities.get(scope as usize).is_some_and(|e| e.name == name && is_type(e.kind()));
        let first = file.members(scope, name).next().filter(|_| is_own_name);
        if first.is_some_and(|m| file.entities[m as usize].kind().name() == "constructor") {
            return Some((Value::Entity(file.node_of(scope)), Certainty::Scoped));
        }
        let member = members.find(|&m| !is_block(file.entities[m as usize].kind()));
        if let Some(local) = member {
            let kind = file.entities[local as usize].kind();
            let node = file.node_of(local);
            if is_callable(kind) || kind.entity_type() == EntityType::Class {
                return Some((Value::Entity(node), Certainty::Scoped));
            }
            let bound = self.bound(at, scope, byte, bindings, depth);
            let typed = || {
                let written = file.entities[local as usize].return_type()?;
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
        if let Some(table) = is_open.then(|| self.table(at, name)).flatten() {
            return Some((table, Certainty::Scoped));
        }
        if own_bindings.is_some() {
            return own_bindings;
        }
        let [from, to] = file.entities.get(scope as usize)?.parameters;
        let parameter = file.parameters[from as usize..to as usize].iter().find(|p| p.name == name)?;
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
        if !may_go_on(depth) {
            return None;
        }
        let inner = if binding.is_member() { binding.inner() } else { scope };
        let (value, _) = self.path(at, inner, binding.start, written, depth + 1)?;
        (value != Value::Hidden).then_some(value)
    }
}

/// Whether a question may lead further: neither too deep nor, through wildcards and bindings, too wide.
pub(crate) fn may_go_on(depth: u8) -> bool {
    let left = STEPS_LEFT.get();
    STEPS_LEFT.set(left.saturating_sub(1));
    depth < MAX_DEPTH && left > 0
}

/// Begins a question: each has the same number of steps, whoever asks first.
pub(crate) fn begin() {
    STEPS_LEFT.set(MAX_STEPS);
}

/// Kinds that are called on something.
fn is_member_kind(kind: cds_model::Kind) -> bool {
    matches!(kind.name(), "method" | "getter" | "setter" | "constructor")
}

/// Files that see each other's outermost names, by their family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Group {
    Folder(usize, u32),
    Package(usize, Symbol),
    Tree(usize),
}

/// The files that see each other's outermost names: a folder, a package, or all of a family.
pub(crate) fn group_of(tree: &Tree, modules: &Modules, at: u32) -> Option<Group> {
    group_with(tree, modules, at, tree.files[at as usize].package)
}

/// The same, as if the file were in that package.
pub(crate) fn group_with(tree: &Tree, modules: &Modules, at: u32, package: Option<Symbol>) -> Option<Group> {
    let file = &tree.files[at as usize];
    let family = tree.family(file.rule);
    let folder = || modules.folder(file.folder()).map(|folder| Group::Folder(family, folder));
    match (tree.rules[file.rule as usize].shared, package) {
        (Shared::File, _) => None,
        (Shared::Package, Some(package)) => Some(Group::Package(family, package)),
        (Shared::Folder, _) | (Shared::Package, None) => folder(),
        (Shared::Tree, _) => Some(Group::Tree(family)),
    }
}

fn targets_of(tree: &Tree, modules: &Modules, at: u32) -> Vec<Target> {
    let file = &tree.files[at as usize];
    let target = |import: &Import| {
        if import.is_export() { Target::Unknown } else { modules.target(tree, file, import) }
    };
    file.imports.iter().map(target).collect()
}
