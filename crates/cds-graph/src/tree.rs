//! What linking needs to know of every file, in little memory: strings are numbers, positions are kept.

use std::borrow::Cow;

use cds_model::{EntityType, FileFacts, Kind, LinkRules, ReferenceKind};
use rustc_hash::FxHashMap;

use crate::symbols::{Symbol, Symbols};

/// The outermost scope of a file, among positions of entities.
pub(crate) const TOP: u32 = u32::MAX;

/// The facts of all files, ready to be linked.
#[derive(Default)]
pub struct Tree {
    pub(crate) symbols: Symbols,
    pub(crate) rules: Vec<LinkRules>,
    languages: FxHashMap<String, u16>,
    pub(crate) files: Vec<File>,
    pub(crate) manifests: Vec<(String, String)>,
}

/// One file as the tree keeps it.
pub(crate) struct File {
    pub(crate) path: Box<str>,
    pub(crate) rule: u16,
    /// The file's own node; those of its entities follow.
    pub(crate) node: u32,
    pub(crate) package: Option<Symbol>,
    pub(crate) entities: Vec<Definition>,
    pub(crate) parameters: Vec<(Symbol, Option<Symbol>)>,
    pub(crate) uses: Vec<Use>,
    pub(crate) imports: Vec<Import>,
    /// Sorted by scope, then name, then position.
    pub(crate) bindings: Vec<Binding>,
    /// Scope, name and position of every entity, sorted.
    pub(crate) members: Vec<(u32, Symbol, u32)>,
}

pub(crate) struct Definition {
    pub(crate) name: Symbol,
    pub(crate) scope: Option<Symbol>,
    pub(crate) kind: Kind,
    pub(crate) parent: u32,
    pub(crate) return_type: Option<Symbol>,
    pub(crate) parameters: (u32, u32),
    pub(crate) is_property: bool,
    pub(crate) is_default: bool,
    /// Another name for a type whose definition it ends: `typedef struct a { … } b;`.
    pub(crate) alias_of: Option<u32>,
    /// Its body stands elsewhere.
    pub(crate) is_declaration: bool,
    /// Only its own file, and files that include it, see it.
    pub(crate) is_own: bool,
    /// One of several parts of a type.
    pub(crate) is_partial: bool,
}

pub(crate) struct Use {
    pub(crate) name: Symbol,
    pub(crate) receiver: Option<Symbol>,
    pub(crate) kind: ReferenceKind,
    pub(crate) scope: u32,
    pub(crate) start: u32,
    pub(crate) line: u32,
}

pub(crate) struct Import {
    pub(crate) module: Symbol,
    pub(crate) name: Option<Symbol>,
    pub(crate) alias: Option<Symbol>,
    pub(crate) wildcard: bool,
    pub(crate) is_export: bool,
    pub(crate) scope: u32,
    pub(crate) start: u32,
    pub(crate) line: u32,
}

pub(crate) struct Binding {
    pub(crate) scope: u32,
    pub(crate) name: Symbol,
    pub(crate) start: u32,
    pub(crate) type_name: Option<Symbol>,
    pub(crate) value: Option<Symbol>,
    pub(crate) is_member: bool,
    /// The entity it stands in: the method that sets a member.
    pub(crate) inner: u32,
}

/// Files of build tools that say how modules are called.
const MANIFESTS: [&str; 5] = ["package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml"];

impl Tree {
    /// Whether the text of such a file is wanted.
    pub fn wants_text(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        MANIFESTS.contains(&name) || (name.starts_with("tsconfig.") && name.ends_with(".json"))
    }

    /// The text of an alias.
    pub fn text(&self, alias: u32) -> &str {
        self.symbols.text(Symbol(alias))
    }

    /// Adds the text of a file for which [`Tree::wants_text`].
    pub fn add_manifest(&mut self, path: &str, text: &str) {
        self.manifests.push((path.to_owned(), text.to_owned()));
    }

    /// Adds a file. `node` is its own node; its entities' nodes follow it in their order. Files may come in any order.
    pub fn add(&mut self, path: &str, language: &str, rules: &LinkRules, node: u32, facts: &FileFacts) {
        let rule = match self.languages.get(language) {
            Some(&rule) => rule,
            None => {
                let rule = self.rules.len() as u16;
                self.rules.push(rules.clone());
                self.languages.insert(language.to_owned(), rule);
                rule
            }
        };
        let symbols = &mut self.symbols;
        let mut parameters = Vec::new();
        let mut entities = Vec::with_capacity(facts.entities.len());
        for entity in &facts.entities {
            let from = parameters.len() as u32;
            for parameter in &entity.parameters {
                let (name, type_name) = parameter_parts(&parameter.name, parameter.type_name.as_deref());
                let (name, is_whole) = parameter_name(name);
                let type_name = type_name.filter(|_| is_whole);
                parameters.push((symbols.add(name), type_name.map(|t| symbols.add(t))));
            }
            let is_only_name = entity.signature.trim_start_matches('*') == entity.name;
            let alias_of = entity.parent.filter(|_| entity.kind.name() == "typealias" && is_only_name);
            let parent = match alias_of {
                Some(held) => facts.entities[held as usize].parent,
                None => entity.parent,
            };
            entities.push(Definition {
                alias_of,
                name: symbols.add(&entity.name),
                scope: entity.scope.as_deref().map(|s| symbols.add(s)),
                kind: entity.kind,
                parent: parent.unwrap_or(TOP),
                return_type: entity.return_type.as_deref().map(|t| symbols.add(t)),
                parameters: (from, parameters.len() as u32),
                is_declaration: entity.is_declaration && is_callable(entity.kind),
                is_own: entity.modifiers.iter().any(|m| rules.file_modifiers.iter().any(|f| f == m))
                    && !entity.parent.is_some_and(|p| is_type(facts.entities[p as usize].kind)),
                is_partial: entity.modifiers.iter().any(|m| m == "partial"),
                is_default: entity.modifiers.iter().any(|m| m == "default"),
                is_property: entity.decorators.iter().any(|d| d.contains("property")),
            });
        }
        let uses = facts.references.iter().filter(|r| r.kind != ReferenceKind::Type).map(|r| Use {
            name: symbols.add(&r.name),
            receiver: r.receiver.as_deref().map(|r| symbols.add(r)),
            kind: r.kind,
            scope: r.enclosing.unwrap_or(TOP),
            start: r.start,
            line: r.line,
        });
        let uses = uses.collect();
        let imports = facts.imports.iter().map(|i| {
            let (module, name) = with_path(&i.module, i.name.as_deref());
            Import {
                module: symbols.add(&module),
                name: name.map(|n| symbols.add(n)),
                alias: i.alias.as_deref().map(|a| symbols.add(a)),
                wildcard: i.wildcard,
                is_export: i.is_export,
                scope: scope_of_import(facts, i),
                start: i.start,
                line: i.line,
            }
        });
        let imports = imports.collect();
        let mut bindings: Vec<Binding> = Vec::with_capacity(facts.bindings.len());
        for binding in &facts.bindings {
            bindings.push(Binding {
                scope: scope_of_binding(facts, binding),
                name: symbols.add(binding.name.trim_start_matches(['$', '@'])),
                start: binding.start,
                type_name: binding.type_name.as_deref().map(|t| symbols.add(t)),
                value: binding.value.as_deref().map(|v| symbols.add(v)),
                is_member: binding.is_member,
                inner: binding.enclosing.unwrap_or(TOP),
            });
        }
        bindings.sort_by_key(|b| (b.scope, b.name, b.start));
        let mut members: Vec<(u32, Symbol, u32)> =
            entities.iter().enumerate().map(|(i, e)| (e.parent, e.name, i as u32)).collect();
        let is_lifting = |e: &Definition| rules.lifted.iter().any(|kind| kind == e.kind.name());
        for (i, entity) in entities.iter().enumerate() {
            if let Some(around) = entities.get(entity.parent as usize).filter(|e| is_lifting(e)) {
                members.push((around.parent, entity.name, i as u32));
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
            let inside: Vec<(u32, Symbol, u32)> = inside.map(|(i, e)| (TOP, e.name, i as u32)).collect();
            members.extend(inside);
        }
        members.sort_unstable();
        let package = facts.package.as_deref().map(|p| symbols.add(p));
        let path = path.into();
        self.files.push(File { path, rule, node, package, entities, parameters, uses, imports, bindings, members });
    }
}

impl Tree {
    /// The first rule of those that share entities with this one.
    pub(crate) fn family(&self, rule: u16) -> usize {
        let family = &self.rules[rule as usize].family;
        let same = |other: &LinkRules| family.is_some() && other.family == *family;
        self.rules.iter().position(same).unwrap_or(rule.into())
    }
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

impl File {
    /// Entities called `name` directly inside a scope, in order of position.
    pub(crate) fn members(&self, scope: u32, name: Symbol) -> impl Iterator<Item = u32> + '_ {
        let from = self.members.partition_point(|m| (m.0, m.1) < (scope, name));
        self.members[from..].iter().take_while(move |m| (m.0, m.1) == (scope, name)).map(|m| m.2)
    }

    /// Bindings of `name` in a scope, in order of position.
    pub(crate) fn bindings(&self, scope: u32, name: Symbol) -> &[Binding] {
        let from = self.bindings.partition_point(|b| (b.scope, b.name) < (scope, name));
        let count = self.bindings[from..].partition_point(|b| (b.scope, b.name) == (scope, name));
        &self.bindings[from..from + count]
    }

    pub(crate) fn parent(&self, scope: u32) -> u32 {
        self.entities.get(scope as usize).map_or(TOP, |e| e.parent)
    }

    /// Whether a scope is another one, or lies around it.
    pub(crate) fn is_around(&self, outer: u32, mut scope: u32) -> bool {
        while scope != outer && scope != TOP {
            scope = self.parent(scope);
        }
        scope == outer
    }

    /// The innermost type around a scope, itself included.
    pub(crate) fn type_around(&self, mut scope: u32) -> Option<u32> {
        while scope != TOP {
            if is_type(self.entities[scope as usize].kind) {
                return Some(scope);
            }
            scope = self.parent(scope);
        }
        None
    }

    pub(crate) fn node_of(&self, local: u32) -> u32 {
        if local == TOP { self.node } else { self.node + 1 + local }
    }

    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}
