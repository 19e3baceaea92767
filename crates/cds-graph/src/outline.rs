//! What linking needs to know of one file, in rows that can be stored: strings are numbers, positions are kept.

use std::borrow::Cow;

use cds_model::{Entity, EntityType, FileFacts, Kind, LinkRules, Reach, ReachRules, ReferenceKind};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::symbols::{Symbol, Symbols};

/// The outermost scope of a file, among positions of entities.
pub(crate) const TOP: u32 = u32::MAX;

macro_rules! rows {
    ($($(#[$about:meta])* struct $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
        #[repr(C)]
        pub(crate) struct $name { $($(#[$field_about])* pub(crate) $field: $type,)* }
    )*};
}

rows! {
    struct Definition {
        name: Symbol,
        /// Or [`TOP`].
        parent: u32,
        scope: Maybe,
        return_type: Maybe,
        /// Another name for a type whose definition it ends: `typedef struct a { … } b;`.
        alias_of: Maybe,
        /// The first of its parameters, and one past the last.
        parameters: [u32; 2],
        /// The kind's code, and flags.
        packed: u32,
    }

    struct Parameter {
        name: Symbol,
        type_name: Maybe,
    }

    /// A base of a type.
    struct Use {
        name: Symbol,
        receiver: Maybe,
        scope: u32,
        start: u32,
        line: u32,
    }

    struct Import {
        module: Symbol,
        name: Maybe,
        alias: Maybe,
        scope: u32,
        start: u32,
        line: u32,
        flags: u32,
    }

    struct Binding {
        scope: u32,
        name: Symbol,
        start: u32,
        type_name: Maybe,
        value: Maybe,
        /// The entity it stands in: the method that sets a member. The highest bit says that it is a member.
        inner: u32,
    }

    struct Member {
        scope: u32,
        name: Symbol,
        local: u32,
    }

    /// How much of each an outline has, in the order of its rows.
    struct Header {
        package: Maybe,
        entities: u32,
        parameters: u32,
        bases: u32,
        imports: u32,
        bindings: u32,
        members: u32,
    }
}

/// A number that may not be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub(crate) struct Maybe(u32);

impl Maybe {
    fn of(number: Option<u32>) -> Maybe {
        Maybe(number.unwrap_or(u32::MAX))
    }

    fn symbol(symbol: Option<Symbol>) -> Maybe {
        Maybe::of(symbol.map(|s| s.0))
    }

    pub(crate) fn number(self) -> Option<u32> {
        (self.0 != u32::MAX).then_some(self.0)
    }

    pub(crate) fn get(self) -> Option<Symbol> {
        self.number().map(Symbol)
    }
}

/// Bits of what is packed in a definition, above the kind.
mod flag {
    pub(super) const PROPERTY: u32 = 1 << 8;
    pub(super) const DEFAULT: u32 = 1 << 9;
    pub(super) const DECLARATION: u32 = 1 << 10;
    pub(super) const OWN: u32 = 1 << 11;
    pub(super) const PARTIAL: u32 = 1 << 12;
    pub(super) const TEST: u32 = 1 << 13;
    pub(super) const SELF_ONLY: u32 = 1 << 14;
    /// The first of two bits that hold a [`Reach`](cds_model::Reach).
    pub(super) const REACH: u32 = 15;
    /// Of imports.
    pub(super) const WILDCARD: u32 = 1;
    pub(super) const EXPORT: u32 = 2;
}

/// By what is stored.
const REACHES: [Reach; 4] = [Reach::Tree, Reach::Group, Reach::Below, Reach::File];

impl Definition {
    pub(crate) fn kind(&self) -> Kind {
        Kind::from_code(self.packed as u8)
    }

    pub(crate) fn scope(&self) -> Option<Symbol> {
        self.scope.get()
    }

    pub(crate) fn return_type(&self) -> Option<Symbol> {
        self.return_type.get()
    }

    pub(crate) fn alias_of(&self) -> Option<u32> {
        self.alias_of.number()
    }

    pub(crate) fn is_property(&self) -> bool {
        self.packed & flag::PROPERTY != 0
    }

    pub(crate) fn is_default(&self) -> bool {
        self.packed & flag::DEFAULT != 0
    }

    /// Its body stands elsewhere.
    pub(crate) fn is_declaration(&self) -> bool {
        self.packed & flag::DECLARATION != 0
    }

    /// Only its own file, and files that include it, see it.
    pub(crate) fn is_own(&self) -> bool {
        self.packed & flag::OWN != 0
    }

    /// One of several parts of a type.
    pub(crate) fn is_partial(&self) -> bool {
        self.packed & flag::PARTIAL != 0
    }

    /// It is a test, or lies in one.
    pub(crate) fn is_test(&self) -> bool {
        self.packed & flag::TEST != 0
    }

    /// It can only be called without a receiver, or on the object itself.
    pub(crate) fn is_self_only(&self) -> bool {
        self.packed & flag::SELF_ONLY != 0
    }

    /// The files in which a call may mean it by its name alone.
    pub(crate) fn reach(&self) -> Reach {
        REACHES[(self.packed >> flag::REACH & 3) as usize]
    }
}

impl Import {
    pub(crate) fn wildcard(&self) -> bool {
        self.flags & flag::WILDCARD != 0
    }

    pub(crate) fn is_export(&self) -> bool {
        self.flags & flag::EXPORT != 0
    }

    /// Whether it takes a module as a whole: with a wildcard, or without a name.
    pub(crate) fn is_whole(&self) -> bool {
        self.wildcard() || (self.name.get().is_none() && self.alias.get().is_none())
    }
}

/// The highest bit of [`Binding::inner`].
const IS_MEMBER: u32 = 1 << 31;

impl Binding {
    pub(crate) fn is_member(&self) -> bool {
        self.inner & IS_MEMBER != 0
    }

    pub(crate) fn inner(&self) -> u32 {
        match self.inner & !IS_MEMBER {
            inner if inner == TOP & !IS_MEMBER => TOP,
            inner => inner,
        }
    }
}

/// What linking needs to know of a file, in rows that can be stored. Strings are numbers of `symbols`. Calls are not part of it: they are
/// read from the facts when the file is linked.
pub fn outline(symbols: &mut Symbols, rules: &LinkRules, facts: &FileFacts) -> Vec<u32> {
    let mut parameters = Vec::new();
    let mut entities = Vec::with_capacity(facts.entities.len());
    for (entity, reach) in facts.entities.iter().zip(reaches(&rules.reach, facts)) {
        let from = parameters.len() as u32;
        for parameter in &entity.parameters {
            let (name, type_name) = parameter_parts(&parameter.name, parameter.type_name.as_deref());
            let (name, is_whole) = parameter_name(name);
            let type_name = type_name.filter(|_| is_whole);
            let type_name = Maybe::symbol(type_name.map(|t| symbols.symbol(t)));
            parameters.push(Parameter { name: symbols.symbol(name), type_name });
        }
        let is_only_name = entity.signature.trim_start_matches('*') == entity.name;
        let alias_of = entity.parent.filter(|_| entity.kind.name() == "typealias" && is_only_name);
        let parent = match alias_of {
            Some(held) => facts.entities[held as usize].parent,
            None => entity.parent,
        };
        let is_own = entity.modifiers.iter().any(|m| rules.file_modifiers.iter().any(|f| f == m))
            && !entity.parent.is_some_and(|p| is_type(facts.entities[p as usize].kind));
        let bits = [
            (entity.decorators.iter().any(|d| d.contains("property")), flag::PROPERTY),
            (entity.modifiers.iter().any(|m| m == "default"), flag::DEFAULT),
            (entity.is_declaration && is_callable(entity.kind), flag::DECLARATION),
            (is_own, flag::OWN),
            (entity.modifiers.iter().any(|m| m == "partial"), flag::PARTIAL),
            (entity.is_test, flag::TEST),
            (has_modifier(entity, &rules.reach.self_modifiers), flag::SELF_ONLY),
        ];
        let flags: u32 = bits.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum();
        entities.push(Definition {
            alias_of: Maybe::of(alias_of),
            name: symbols.symbol(&entity.name),
            scope: Maybe::symbol(entity.scope.as_deref().map(|s| symbols.symbol(s))),
            parent: parent.unwrap_or(TOP),
            return_type: Maybe::symbol(entity.return_type.as_deref().map(|t| symbols.symbol(t))),
            parameters: [from, parameters.len() as u32],
            packed: u32::from(entity.kind.code()) | flags | (reach as u32) << flag::REACH,
        });
    }
    let mut bases = Vec::new();
    for reference in facts.references.iter().filter(|r| r.kind == ReferenceKind::Base) {
        bases.push(Use {
            name: symbols.symbol(&reference.name),
            receiver: Maybe::symbol(reference.receiver.as_deref().map(|r| symbols.symbol(r))),
            scope: reference.enclosing.unwrap_or(TOP),
            start: reference.start,
            line: reference.line,
        });
    }
    let mut imports = Vec::with_capacity(facts.imports.len());
    for import in &facts.imports {
        let (module, name) = with_path(&import.module, import.name.as_deref());
        imports.push(Import {
            module: symbols.symbol(&module),
            name: Maybe::symbol(name.map(|n| symbols.symbol(n))),
            alias: Maybe::symbol(import.alias.as_deref().map(|a| symbols.symbol(a))),
            scope: scope_of_import(facts, import),
            start: import.start,
            line: import.line,
            flags: if import.wildcard { flag::WILDCARD } else { 0 } | if import.is_export { flag::EXPORT } else { 0 },
        });
    }
    let mut bindings: Vec<Binding> = Vec::with_capacity(facts.bindings.len());
    for binding in &facts.bindings {
        bindings.push(Binding {
            scope: scope_of_binding(facts, binding),
            name: symbols.symbol(binding.name.trim_start_matches(['$', '@'])),
            start: binding.start,
            type_name: Maybe::symbol(binding.type_name.as_deref().map(|t| symbols.symbol(t))),
            value: Maybe::symbol(binding.value.as_deref().map(|v| symbols.symbol(v))),
            inner: binding.enclosing.unwrap_or(TOP) & !IS_MEMBER | if binding.is_member { IS_MEMBER } else { 0 },
        });
    }
    let members = members(rules, facts, &entities);
    let package = Maybe::symbol(facts.package.as_deref().map(|p| symbols.symbol(p)));
    bindings.sort_by_key(|b| (b.scope, b.name, b.start));
    let header = Header {
        package,
        entities: entities.len() as u32,
        parameters: parameters.len() as u32,
        bases: bases.len() as u32,
        imports: imports.len() as u32,
        bindings: bindings.len() as u32,
        members: members.len() as u32,
    };
    let mut words = Vec::new();
    push_rows(&mut words, &[header]);
    push_rows(&mut words, &entities);
    push_rows(&mut words, &parameters);
    push_rows(&mut words, &bases);
    push_rows(&mut words, &imports);
    push_rows(&mut words, &bindings);
    push_rows(&mut words, &members);
    words
}

fn has_modifier(entity: &Entity, words: &[String]) -> bool {
    entity.modifiers.iter().any(|m| words.iter().any(|w| m == w))
}

/// How far each entity is visible.
fn reaches(rules: &ReachRules, facts: &FileFacts) -> Vec<Reach> {
    let begins =
        |m: &str, word: &str| m.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('('));
    let is_shown = |e: &Entity| e.modifiers.iter().any(|m| rules.modifiers.iter().any(|word| begins(m, word)));
    let is_listed = |e: &Entity| facts.imports.iter().any(|i| i.is_export && i.name.as_ref() == Some(&e.name));
    let exports = rules.exported
        && (facts.imports.iter().any(|i| i.is_export)
            || facts.entities.iter().any(|e| e.parent.is_none() && is_shown(e)));
    // Whether all in an entity is hidden with it, and whether other files may continue the type that it is part of.
    let mut hidden: Vec<bool> = Vec::with_capacity(facts.entities.len());
    let mut partial: Vec<bool> = Vec::with_capacity(facts.entities.len());
    let mut reaches = Vec::with_capacity(facts.entities.len());
    for entity in &facts.entities {
        let around = entity.parent.map(|p| p as usize);
        let parent = around.map(|p| &facts.entities[p]);
        let is_hidden = has_modifier(entity, &rules.file_modifiers)
            || rules.file_prefixes.iter().any(|prefix| entity.name.starts_with(prefix.as_str()))
            || around.is_some_and(|p| hidden[p]);
        let is_partial = entity.modifiers.iter().any(|m| m == "partial") || around.is_some_and(|p| partial[p]);
        hidden.push(is_hidden);
        partial.push(is_partial);
        let is_open = |p: &Entity| {
            rules.open_parents.iter().any(|kind| kind == p.kind.name())
                || is_block(p.kind) && !p.conformances.is_empty()
        };
        let is_capital = rules.capitalised && entity.name.starts_with(char::is_uppercase);
        let is_function = parent.is_none() && is_callable(entity.kind);
        let member_default = rules.member_default.filter(|_| parent.is_some_and(|p| is_type(p.kind)));
        reaches.push(match () {
            () if is_partial && !is_hidden => Reach::Tree,
            () if is_hidden => Reach::File,
            () if is_shown(entity) || is_capital || parent.is_some_and(is_open) => Reach::Tree,
            () if exports && is_function && !is_listed(entity) => Reach::File,
            () => member_default.unwrap_or(rules.default),
        });
    }
    reaches
}

fn members(rules: &LinkRules, facts: &FileFacts, entities: &[Definition]) -> Vec<Member> {
    let member = |scope: u32, name: Symbol, local: usize| Member { scope, name, local: local as u32 };
    let mut members: Vec<Member> = entities.iter().enumerate().map(|(i, e)| member(e.parent, e.name, i)).collect();
    let is_lifting = |e: &Definition| rules.lifted.iter().any(|kind| kind == e.kind().name());
    for (i, entity) in entities.iter().enumerate() {
        if let Some(around) = entities.get(entity.parent as usize).filter(|e| is_lifting(e)) {
            members.push(member(around.parent, entity.name, i));
        }
    }
    // The namespace that the whole file declares is its outermost scope.
    if let Some(package) = facts.package.as_deref() {
        let is_outermost = |e: &Definition| {
            e.parent != TOP
                && facts.entities[e.parent as usize].kind.name() == "namespace"
                && facts.qualified_name(e.parent).replace('\\', ".") == package.replace('\\', ".")
        };
        let inside = entities.iter().enumerate().filter(|(_, e)| is_outermost(e));
        let inside: Vec<Member> = inside.map(|(i, e)| member(TOP, e.name, i)).collect();
        members.extend(inside);
    }
    members.sort_unstable_by_key(|m| (m.scope, m.name, m.local));
    members
}

fn push_rows<T: IntoBytes + Immutable>(words: &mut Vec<u32>, rows: &[T]) {
    let word = |bytes: &[u8]| u32::from_ne_bytes(bytes.try_into().expect("four bytes"));
    words.extend(rows.as_bytes().chunks_exact(4).map(word));
}

/// The rows of an outline.
#[derive(Clone, Copy, Default)]
pub(crate) struct Contents<'a> {
    pub(crate) package: Option<Symbol>,
    pub(crate) entities: &'a [Definition],
    pub(crate) parameters: &'a [Parameter],
    pub(crate) bases: &'a [Use],
    pub(crate) imports: &'a [Import],
    /// Sorted by scope, then name, then position.
    pub(crate) bindings: &'a [Binding],
    /// Every entity by scope, name and position, sorted.
    pub(crate) members: &'a [Member],
}

impl<'a> Contents<'a> {
    /// Reads what [`outline`] wrote. A damaged outline has no rows.
    pub(crate) fn read(outline: &'a [u32]) -> Contents<'a> {
        let read = || {
            let (header, rest) = rows_of::<Header>(outline, 1)?;
            let header = header[0];
            let (entities, rest) = rows_of(rest, header.entities)?;
            let (parameters, rest) = rows_of(rest, header.parameters)?;
            let (bases, rest) = rows_of(rest, header.bases)?;
            let (imports, rest) = rows_of(rest, header.imports)?;
            let (bindings, rest) = rows_of(rest, header.bindings)?;
            let (members, _) = rows_of(rest, header.members)?;
            Some(Contents { package: header.package.get(), entities, parameters, bases, imports, bindings, members })
        };
        read().unwrap_or_default()
    }

    /// Names of the outermost scope and the entities that have them.
    pub(crate) fn outermost(&self) -> impl Iterator<Item = (Symbol, u32)> {
        self.members.iter().filter(|m| m.scope == TOP).map(|m| (m.name, m.local))
    }

    /// Scopes and the names in them, those of bindings last.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = (u32, Symbol)> {
        let members = self.members.iter().map(|m| (m.scope, m.name));
        members.chain(self.bindings.iter().map(|b| (b.scope, b.name)))
    }
}

/// The first rows of some words, and the rest.
fn rows_of<T: FromBytes + Immutable + KnownLayout>(words: &[u32], count: u32) -> Option<(&[T], &[u32])> {
    let (rows, rest) = words.split_at_checked((count as usize).checked_mul(size_of::<T>() / 4)?)?;
    Some((<[T]>::ref_from_bytes(rows.as_bytes()).ok()?, rest))
}

/// The name of a parameter, and whether that is all of it: `*args` and `&rest` are bound to their name, `(*done)(int)` and
/// `row[8]` as well, but of another type than is written.
fn parameter_name(written: &str) -> (&str, bool) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = written.trim_start_matches(['*', '.', '&', '$', '@', ':']);
    let is_whole = name.chars().all(|c| is_part(c) || !c.is_ascii());
    let inner = name.trim_start_matches(|c| !is_part(c));
    let end = inner.find(|c| !is_part(c)).unwrap_or(inner.len());
    if is_whole {
        return (name, true);
    }
    // A constructor of a pattern is no name that is bound.
    let is_bound = !inner.starts_with(char::is_uppercase);
    (if is_bound { &inner[..end] } else { "" }, false)
}

/// The scope an import belongs to: not the constant that is defined by it.
fn scope_of_import(facts: &FileFacts, import: &cds_model::Import) -> u32 {
    let around = import.enclosing.map(|i| (i, &facts.entities[i as usize]));
    let defined = around.filter(|(_, e)| import.alias.as_ref().or(import.name.as_ref()) == Some(&e.name));
    match defined.filter(|(_, e)| e.kind.entity_type() == EntityType::Function && !is_callable(e.kind)) {
        Some((_, constant)) => constant.parent.unwrap_or(TOP),
        None => import.enclosing.unwrap_or(TOP),
    }
}

/// Name and type of a parameter, which some grammars give as one text: `private val name: Type = value`.
fn parameter_parts<'a>(name: &'a str, type_name: Option<&'a str>) -> (&'a str, Option<&'a str>) {
    let (name, written) = match name.split_once(':') {
        Some((name, rest)) if type_name.is_none() => (name, Some(rest.split(" = ").next().unwrap_or(rest).trim())),
        _ => (name, type_name),
    };
    // `*args` and `...rest` are bound to their name.
    let name = name.trim().trim_start_matches(['*', '.', '&', '$', '@']);
    (name.rsplit(' ').next().unwrap_or(name), written)
}

/// Module and name of an import whose name is a path: `use a::{b::c}` takes `c` from `a::b`.
fn with_path<'a>(module: &'a str, name: Option<&'a str>) -> (Cow<'a, str>, Option<&'a str>) {
    for separator in ["::", "\\"] {
        if let Some((path, last)) = name.and_then(|n| n.rsplit_once(separator)) {
            return (format!("{module}{separator}{path}").into(), Some(last));
        }
    }
    (module.into(), name)
}

/// The scope a binding belongs to: that of the object for a member, and not the constant that it defines.
fn scope_of_binding(facts: &FileFacts, binding: &cds_model::Binding) -> u32 {
    let mut at = binding.enclosing;
    while let Some(entity) = at.map(|i| &facts.entities[i as usize]) {
        // What is bound in the body of a computed property is not a member.
        let is_value = entity.kind.entity_type() == EntityType::Function
            && !is_callable(entity.kind)
            && entity.name == binding.name;
        let passes = if binding.is_member { entity.kind.entity_type() != EntityType::Class } else { is_value };
        if !passes {
            break;
        }
        at = entity.parent;
    }
    at.unwrap_or(TOP)
}

/// Whether entities of a kind have a body that runs.
pub(crate) fn is_callable(kind: Kind) -> bool {
    kind.entity_type() == EntityType::Function
        && !matches!(kind.name(), "constant" | "variable" | "property" | "field" | "event")
}

/// Whether entities of a kind add to a type that is named elsewhere.
pub(crate) fn is_block(kind: Kind) -> bool {
    matches!(kind.name(), "impl" | "extension" | "instance")
}

pub(crate) fn is_type(kind: Kind) -> bool {
    kind.entity_type() == EntityType::Class && !matches!(kind.name(), "module" | "namespace")
}
