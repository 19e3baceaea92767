//! Identifiers of a syntax tree: every leaf that is a name, and whether it is declared where it stands. Language data says which leaves are
//! names and where declarations keep theirs; what most grammars call alike needs no data.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use cds_model::{FileFacts, Name};
use rustc_hash::{FxHashMap, FxHasher};
use tree_sitter::Tree;

use crate::assemble::Enclosing;
use crate::spec::Spec;

/// End of the kinds of leaves that are names in most grammars: `identifier`, `type_identifier`, `field_identifier`.
const NAME_KIND: &str = "identifier";

/// Parts of the kinds of nodes that declare, and the fields in which those keep the name.
const DECLARING_KINDS: &[&str] = &["declara", "definition", "parameter", "_item", "signature"];
const DECLARING_FIELDS: &[&str] = &["declarator", "name", "pattern"];

/// Fields of patterns and declarators in which names are used: defaults, types, what a member belongs to. Sorted.
const USING_FIELDS: &[&str] = &[
    "arguments",
    "attributes",
    "block",
    "body",
    "bound",
    "condition",
    "constraint",
    "decorator",
    "default_type",
    "default_value",
    "function",
    "index",
    "key",
    "object",
    "operand",
    "operator",
    "parameters",
    "path",
    "receiver",
    "return_type",
    "right",
    "scope",
    "size",
    "subscript",
    "table",
    "type",
    "type_arguments",
    "type_parameters",
    "value",
];

/// A mistake in the data: the entry at fault.
pub(crate) struct UnknownEntry(pub(crate) String);

/// What names mean by the nodes they stand in, by kind of node.
pub(crate) struct NameRules {
    kinds: Vec<KindRule>,
    /// Whether names are used in a field of what is declared, by field.
    using_fields: Vec<bool>,
    /// What an object and its type call themselves: `self`, `cls`. In some grammars these are names as others.
    selves: Vec<String>,
}

#[derive(Clone, Default)]
struct KindRule {
    /// Whether its leaves are names.
    is_name: bool,
    /// Whether names that stand directly in it, or that it is, are declared.
    declares: Option<bool>,
    /// Fields whose names are declared.
    fields: Vec<u16>,
}

impl NameRules {
    pub(crate) fn new(grammar: &tree_sitter::Language, spec: &Spec) -> Result<NameRules, UnknownEntry> {
        let data = &spec.names;
        let mut kinds = vec![KindRule::default(); grammar.node_kind_count()];
        let field_id = |name: &str| grammar.field_id_for_name(name).map(std::num::NonZero::get);
        let declaring: Vec<u16> = DECLARING_FIELDS.iter().filter_map(|field| field_id(field)).collect();
        for (id, rule) in kinds.iter_mut().enumerate() {
            let kind = grammar.node_kind_for_id(id as u16).filter(|_| grammar.node_kind_is_named(id as u16));
            let Some(kind) = kind else { continue };
            rule.is_name = kind.ends_with(NAME_KIND) && !kind.contains("operator");
            if DECLARING_KINDS.iter().any(|part| kind.contains(part)) {
                rule.fields.clone_from(&declaring);
            }
        }
        let unknown = |entry: &str| UnknownEntry(entry.to_owned());
        let kind_id = |entry: &str, kind: &str| match grammar.id_for_node_kind(kind, true) {
            0 => Err(unknown(entry)),
            id => Ok(usize::from(id)),
        };
        for entry in &data.kinds {
            kinds[kind_id(entry, entry)?].is_name = true;
        }
        for entry in &data.declared {
            match entry.split_once('.') {
                Some((kind, field)) => {
                    let field = field_id(field).ok_or_else(|| unknown(entry))?;
                    kinds[kind_id(entry, kind)?].fields.push(field);
                }
                None => kinds[kind_id(entry, entry)?].declares = Some(true),
            }
        }
        for entry in &data.used {
            kinds[kind_id(entry, entry)?].declares = Some(false);
        }
        let mut using_fields = vec![false; grammar.field_count() + 1];
        for id in USING_FIELDS.iter().filter_map(|field| field_id(field)) {
            using_fields[usize::from(id)] = true;
        }
        let selves = spec.link.this.iter().chain(&spec.link.this_type).cloned().collect();
        Ok(NameRules { kinds, using_fields, selves })
    }

    fn of(&self, kind: u16) -> Option<&KindRule> {
        self.kinds.get(usize::from(kind))
    }
}

/// What a node says of the names in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// They are used.
    Uses,
    /// Those that stand directly in it are declared.
    DeclaresOwn,
    /// All are declared, but for those in fields of [`USING_FIELDS`].
    Declares,
}

/// Adds the names of `tree` to `names`, in order of position. Those in `declared`, which is sorted, are
/// declared unless they are of a kind that is only used.
pub(crate) fn collect(rules: &NameRules, tree: &Tree, text: &str, declared: &[Range<usize>], names: &mut Vec<Name>) {
    let nothing = KindRule::default();
    let mut declared = declared.iter().peekable();
    let mut cursor = tree.walk();
    // The nodes around the one at hand, and that itself.
    let mut open: Vec<(&KindRule, Scope)> = Vec::new();
    loop {
        let rule = rules.of(cursor.node().kind_id()).unwrap_or(&nothing);
        let (around, scope) = open.last().copied().unwrap_or((&nothing, Scope::Uses));
        let needs_field = scope != Scope::Uses || !around.fields.is_empty();
        let field = if needs_field { cursor.field_id().map(std::num::NonZero::get) } else { None };
        let is_named = field.is_some_and(|field| around.fields.contains(&field));
        let uses = field.is_some_and(|field| rules.using_fields[usize::from(field)]);
        if cursor.goto_first_child() {
            let own = match rule.declares {
                Some(false) => Scope::Uses,
                _ if is_named || scope == Scope::Declares && !uses => Scope::Declares,
                Some(true) => Scope::DeclaresOwn,
                None => Scope::Uses,
            };
            open.push((rule, own));
            continue;
        }
        if rule.is_name {
            let range = cursor.node().byte_range();
            while declared.peek().is_some_and(|next| next.end <= range.start) {
                declared.next();
            }
            let is_captured = declared.peek().is_some_and(|next| next.start <= range.start && range.end <= next.end);
            let by_scope = match scope {
                Scope::Uses => false,
                Scope::DeclaresOwn => field.is_none(),
                Scope::Declares => !uses,
            };
            let is_definition = is_named || rule.declares.unwrap_or(is_captured || by_scope);
            if !rules.selves.iter().any(|own| *own == text[range.clone()]) {
                add(names, text, range, is_definition);
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            open.pop();
        }
    }
}

/// One name, and the parts of one that is a path: `Foo.Bar`.
fn add(names: &mut Vec<Name>, text: &str, range: Range<usize>, is_definition: bool) {
    // Sigils are no part of a name: `@count`.
    let name = text[range.clone()].trim_start_matches('@');
    let start = range.end - name.len();
    names.extend(name_at(start..range.end, is_definition));
    if name.contains('.') {
        let mut at = start;
        for part in name.split('.') {
            names.extend(name_at(at..at + part.len(), is_definition));
            at += part.len() + 1;
        }
    }
}

fn name_at(range: Range<usize>, is_definition: bool) -> Option<Name> {
    (!range.is_empty()).then_some(Name {
        start: range.start as u32,
        end: range.end as u32,
        is_definition,
        is_use: !is_definition,
    })
}

/// Adds what a quoted module is called, and the last part of its path without the extension.
pub(crate) fn add_module(names: &mut Vec<Name>, text: &str, range: Range<usize>) {
    let quotes = ['"', '\'', '`', '<', '>'];
    let written = &text[range.clone()];
    if !written.starts_with(quotes) || written.contains('\n') {
        return;
    }
    let start = range.start + (written.len() - written.trim_start_matches(quotes).len());
    let module = written.trim_matches(quotes);
    let last = module.rfind('/').map_or(0, |slash| slash + 1);
    let end = module[last..].rfind('.').map_or(module.len(), |dot| last + dot);
    names.extend(name_at(start..start + module.len(), false));
    if (last, end) != (0, module.len()) {
        names.extend(name_at(start + last..start + end, false));
    }
}

/// Joins the names of a file that are alike in one entity and one chunk, and leaves out those that say nothing new: names of entities, whose
/// positions are `own_names`, uses that a reference tells of, and what an object calls itself.
pub(crate) fn join_alike(facts: &mut FileFacts, own_names: &mut [u32], text: &str) {
    own_names.sort_unstable();
    let mut names = std::mem::take(&mut facts.names);
    names.sort_unstable();
    let mut enclosing = Enclosing::new(&facts.entities, 0);
    let mut references = facts.references.iter().peekable();
    let mut chunks = facts.chunks.iter().map(|chunk| chunk.span.start).peekable();
    // Where the first of each is; none for a reference.
    let mut seen: FxHashMap<u64, Option<usize>> = FxHashMap::default();
    let key = |name: &str, entity: Option<u32>| {
        let mut hasher = FxHasher::default();
        (name, entity).hash(&mut hasher);
        hasher.finish()
    };
    for name in names {
        while let Some(start) = chunks.next_if(|start| *start <= name.start) {
            while references.next_if(|reference| reference.start < start).is_some() {}
            seen.clear();
        }
        let mut is_reference = false;
        while let Some(reference) = references.next_if(|reference| reference.start <= name.start) {
            is_reference = reference.start == name.start;
            seen.entry(key(&reference.name, reference.enclosing)).or_insert(None);
        }
        if own_names.binary_search(&name.start).is_ok() || is_reference && name.is_use {
            continue;
        }
        let own = &text[name.start as usize..name.end as usize];
        let first = seen.entry(key(own, enclosing.at(name.start))).or_insert(Some(facts.names.len()));
        match first.and_then(|first| facts.names.get_mut(first)) {
            Some(first) => {
                first.is_definition |= name.is_definition;
                first.is_use |= name.is_use;
            }
            None if first.is_some() || name.is_definition => {
                *first = Some(facts.names.len());
                facts.names.push(name);
            }
            None => {}
        }
    }
    facts.names.shrink_to_fit();
}
