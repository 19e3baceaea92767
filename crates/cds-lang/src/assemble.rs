//! Query matches to entities, references and imports: who contains whom, what stands above what.

use std::ops::Range;

use cds_model::{Binding, Entity, EntityType, FileFacts, Import, Kind, Parameter, Reference, ReferenceKind, path_text};
use compact_str::CompactString;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

use crate::comment;
use crate::extract::{BindingMatch, Definition, Found, ImportMatch, Lines, Mark, MarkKind, Use};
use crate::registry::{Fields, Language};
use crate::spec::{Public, Spec};

/// Longest signature kept, in characters.
const MAX_SIGNATURE: usize = 400;

/// Adds what was found to `facts` and gives the positions of the names of entities. Called once a text, or once for each embedded stretch.
pub(crate) fn add(
    facts: &mut FileFacts,
    language: &Language,
    fields: &Fields,
    mut found: Found,
    text: &str,
    lines: &Lines,
) -> Vec<u32> {
    found.marks.sort_by_key(|m| (m.range.start, m.range.end));
    found.marks.dedup_by_key(|m| (m.range.start, m.range.end));
    found.wrappers.sort_by_key(|w| (w.start, w.end));
    found.wrappers.dedup();
    let above: Vec<Mark> = found.marks.iter().filter(|m| m.kind != MarkKind::Modifier).cloned().collect();
    let mut imports = std::mem::take(&mut found.imports);
    let mut references = std::mem::take(&mut found.references);
    let definitions = merge(std::mem::take(&mut found.definitions), text);
    let base = facts.entities.len();
    facts.doc_spans.extend(found.file_doc.iter().map(|r| (r.start as u32, r.end as u32)));
    let context = Context {
        spec: &language.spec,
        fields,
        marks: &found.marks,
        above: &above,
        wrappers: &found.wrappers,
        text,
        lines,
    };
    let mut own_names = Vec::new();
    let mut previous = None;
    let mut stack: Vec<(Range<usize>, u32)> = Vec::new();
    for definition in definitions {
        let range = context.extent(&definition, previous);
        previous = Some(definition.range.start);
        // Definitions that share one range (`int a = 1, b = 2`) are siblings.
        let outside = |open: &Range<usize>| open.end < range.end || open.end <= range.start || *open == range;
        while stack.last().is_some_and(|(open, _)| outside(open)) {
            stack.pop();
        }
        let parent = stack.last().map(|&(_, i)| i);
        let is_outer = parent.is_none_or(|p| facts.entities[p as usize].kind.entity_type() == EntityType::Class);
        if definition.only_outer && !is_outer {
            continue;
        }
        let entity = context.entity(&definition, &range, parent, &facts.entities);
        // Of a name that is only quotes nothing is left: `declare module '' {}`.
        if entity.name.is_empty() {
            continue;
        }
        facts.doc_spans.extend(definition.doc.iter().map(|r| (r.start as u32, r.end as u32)));
        stack.push((range, facts.entities.len() as u32));
        own_names.extend(definition.name.iter().map(|n| n.start));
        facts.entities.push(entity);
    }
    let comments = found.marks.iter().filter(|m| m.kind == MarkKind::Comment);
    facts.comments.extend(comments.map(|m| (m.range.start as u32, m.range.end as u32)));
    if facts.doc_comment.is_none() {
        facts.doc_comment = context.file_doc(found.file_doc, facts.entities.get(base));
    }
    let first_reference = facts.references.len();
    // A definition's own name may look like a use of it.
    own_names.sort_unstable();
    references.retain(|u| u.kind == ReferenceKind::Base || own_names.binary_search(&u.name.start).is_err());
    add_references(facts, base, references, text, lines);
    add_imports(facts, base, std::mem::take(&mut imports), &context);
    add_bindings(facts, base, std::mem::take(&mut found.bindings), text);
    if let Some(range) = found.package.take() {
        facts.package = Some(one_line(&text[range], 200)).filter(|p| !p.is_empty());
    }
    for reference in &facts.references[first_reference..] {
        if let (ReferenceKind::Base, Some(at)) = (reference.kind, reference.enclosing) {
            facts.entities[at as usize].conformances.push(reference.name.clone());
        }
    }
    mark_extensions(&mut facts.entities[base..], base, &language.spec.public);
    mark_tests(&mut facts.entities[base..], base, &language.spec);
    own_names.into_iter().map(|name| name as u32).collect()
}

/// One definition a node, in order of position, outer ones first. A later pattern decides the kind; every
/// part that only an earlier one caught is kept.
fn merge<'tree>(mut all: Vec<Definition<'tree>>, text: &str) -> Vec<Definition<'tree>> {
    all.retain(|d| d.name.as_ref().is_some_and(|n| !n.is_empty()));
    all.sort_by_key(|d| {
        let range = &d.range;
        let name = d.name.as_ref().map_or(0, |n| n.start);
        (range.start, std::cmp::Reverse(range.end), name, std::cmp::Reverse(d.pattern))
    });
    let mut merged: Vec<Definition> = Vec::with_capacity(all.len());
    for next in all {
        let same = merged.last_mut().filter(|last| last.range == next.range && last.name == next.name);
        let Some(last) = same else {
            merged.push(next);
            continue;
        };
        if last.scope.is_empty() {
            last.scope = next.scope;
        }
        last.doc = last.doc.take().or(next.doc);
        last.body = last.body.or(next.body);
        last.parameters = last.parameters.or(next.parameters);
        last.return_type = last.return_type.take().or(next.return_type);
        last.is_test |= next.is_test;
        last.only_outer &= next.only_outer;
        for modifier in next.modifiers {
            if !last.modifiers.iter().any(|m| text[m.clone()] == text[modifier.clone()]) {
                last.modifiers.push(modifier);
            }
        }
    }
    merged
}

struct Context<'a> {
    spec: &'a Spec,
    fields: &'a Fields,
    /// Comments, decorators and modifiers.
    marks: &'a [Mark],
    /// Comments and decorators.
    above: &'a [Mark],
    wrappers: &'a [Range<usize>],
    text: &'a str,
    lines: &'a Lines,
}

impl Context<'_> {
    /// Where a definition begins and ends: with what wraps it, without white space and comments that only follow it.
    /// A wrapper belongs to the first definition in it, which is the outermost.
    fn extent(&self, definition: &Definition, previous: Option<usize>) -> Range<usize> {
        let node = definition.range.clone();
        let mut end = node.start + self.text[node.clone()].trim_end().len();
        let column = node.start - self.line_start(node.start);
        while let Some(mark) = self.above[..self.above.partition_point(|m| m.range.start < end)].last() {
            // Indentation languages let a body run up to the next token: comments at the definition's own depth are not its.
            let line = self.line_start(mark.range.start);
            let follows = mark.kind == MarkKind::Comment
                && self.text.get(mark.range.end..end).is_some_and(|t| t.trim().is_empty())
                && mark.range.start > node.start
                && mark.range.start - line <= column
                && self.text[line..mark.range.start].trim().is_empty();
            if !follows {
                break;
            }
            end = node.start + self.text[node.start..mark.range.start].trim_end().len();
        }
        let last = self.wrappers.partition_point(|w| w.start <= node.start);
        let mut start = node.start;
        for at in (last.saturating_sub(4)..last).rev() {
            let wrapper = &self.wrappers[at];
            if wrapper.end >= node.end && wrapper.end - node.end <= 2 && previous.is_none_or(|p| p < wrapper.start) {
                start = start.min(wrapper.start);
            }
        }
        start..end.max(node.start + 1).min(node.end)
    }

    fn line_start(&self, byte: usize) -> usize {
        self.lines.start(self.lines.line_of(byte as u32)) as usize
    }

    fn entity(&self, definition: &Definition, range: &Range<usize>, parent: Option<u32>, before: &[Entity]) -> Entity {
        let node = definition.node;
        let name_range = definition.name.clone().unwrap_or(range.start..range.start);
        let name = clean_name(&self.text[name_range.clone()]);
        let parent_entity = parent.map(|p| &before[p as usize]);
        let kind = self.member_kind(definition.kind, parent_entity);
        let body = definition.body.or_else(|| self.body_start(node)).filter(|&b| b > name_range.start);

        // Marks inside the definition in front of its name, then marks above it.
        let mut modifiers: Vec<CompactString> =
            definition.modifiers.iter().map(|r| one_line(&self.text[r.clone()], 80)).collect();
        let mut decorators = Vec::new();
        let header = name_range.start.max(range.start);
        let first = self.marks.partition_point(|m| m.range.start < range.start);
        for mark in self.marks[first..].iter().take_while(|m| m.range.start < header) {
            let text = one_line(&self.text[mark.range.clone()], 160);
            match mark.kind {
                MarkKind::Modifier if !modifiers.contains(&text) => modifiers.push(text),
                MarkKind::Decorator => decorators.push(text),
                _ => {}
            }
        }
        let floor = parent_entity.map_or(0, |p| p.span.start as usize);
        let above = self.standing_above(range.start, floor);
        let mut doc_ranges = Vec::new();
        for mark in above.iter().rev() {
            match mark.kind {
                MarkKind::Comment => doc_ranges.push(mark.range.clone()),
                _ => decorators.push(one_line(&self.text[mark.range.clone()], 160)),
            }
        }
        let full_start = above.last().map_or(range.start, |m| m.range.start);
        let doc_comment = match &definition.doc {
            Some(doc) => Some(comment::doc_text(&self.text[doc.clone()])),
            None if doc_ranges.is_empty() => None,
            None => {
                let lines: Vec<&str> = doc_ranges.iter().map(|r| &self.text[r.clone()]).collect();
                Some(comment::doc_text(&lines.join("\n")))
            }
        };
        let scope = self.path(&definition.scope).map(|s| clean_scope(&s)).filter(|s| !s.is_empty());
        let is_public = self.is_public(&name, kind, &modifiers, parent_entity);
        Entity {
            kind,
            parent,
            span: self.lines.span(range.clone()),
            full: self.lines.span(full_start..range.end),
            name_line: self.lines.line_of(name_range.start as u32),
            signature: self.signature(range, name_range.start, body),
            doc_comment: doc_comment.filter(|d| !d.is_empty()),
            parameters: self.parameters(definition),
            return_type: self.return_type(definition),
            conformances: Vec::new(),
            is_public,
            is_test: definition.is_test,
            is_recovered: definition.is_recovered,
            is_declaration: body.map_or(self.text[range.clone()].ends_with(");"), |b| self.text[b..].starts_with(';')),
            name,
            scope,
            modifiers,
            decorators,
        }
    }

    fn member_kind(&self, kind: Kind, parent: Option<&Entity>) -> Kind {
        let inside = parent
            .is_some_and(|p| p.kind.row().is_type || self.spec.member_parents.iter().any(|name| name == p.kind.name()));
        let renamed = self.spec.members.get(kind.name()).filter(|_| inside);
        renamed.and_then(|name| Kind::from_name(name)).unwrap_or(kind)
    }

    fn body_start(&self, node: Node) -> Option<usize> {
        if let Some(body) = self.fields.body.iter().find_map(|&f| node.child_by_field_id(f)) {
            return Some(body.start_byte());
        }
        if self.fields.body_kinds.is_empty() {
            return None;
        }
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|child| self.fields.body_kinds.contains(&child.kind_id()))
            .map(|child| child.start_byte())
    }

    /// Everything from the definition's own first word to its body, without comments and decorators.
    fn signature(&self, range: &Range<usize>, name: usize, body: Option<usize>) -> CompactString {
        let end = body.unwrap_or_else(|| range.start + header_end(&self.text[range.clone()], name - range.start));
        let end = end.min(range.end);
        let mut text = String::new();
        let mut at = range.start;
        let mut cut_front = false;
        let first = self.above.partition_point(|m| m.range.start < range.start);
        for mark in self.above[first..].iter().take_while(|m| m.range.start < end) {
            if mark.range.start >= at && (mark.kind == MarkKind::Comment || mark.range.end <= name) {
                text.push_str(&self.text[at..mark.range.start]);
                at = mark.range.end.min(end);
                cut_front |= mark.range.end <= name;
            }
        }
        text.push_str(&self.text[at..end]);
        let line = one_line(&text, MAX_SIGNATURE);
        // Brackets that held only decorators.
        let line = if cut_front { line.trim_start_matches(['[', ']', ',', ' ']) } else { &line };
        let trimmed = line.trim_end_matches(['{', ':', '=', ' ', ';', '\\', ',']);
        let trimmed = trimmed.strip_suffix(" do").unwrap_or(trimmed).trim_end();
        CompactString::from(trimmed)
    }

    /// Comments and decorators directly above `start`, the nearest first: nothing but white space between, no blank line,
    /// each on lines of its own.
    fn standing_above(&self, start: usize, floor: usize) -> Vec<&Mark> {
        let mut at = start;
        let mut found = Vec::new();
        let first = self.above.partition_point(|m| m.range.start < start);
        for mark in self.above[..first].iter().rev() {
            if mark.range.end > at {
                continue;
            }
            let between = &self.text[mark.range.end..at];
            // White space first: it tells at once, however far away the mark is.
            if !between.bytes().all(|b| b.is_ascii_whitespace()) || mark.range.start < floor {
                break;
            }
            // Some grammars let a line comment own its newline.
            let owned = usize::from(self.text[mark.range.clone()].ends_with('\n'));
            let newlines = between.bytes().filter(|&b| b == b'\n').count();
            let line = self.line_start(mark.range.start);
            let alone = self.text[line..mark.range.start].bytes().all(|b| b.is_ascii_whitespace());
            let joined = mark.kind == MarkKind::Decorator && newlines == 0;
            if newlines + owned > 1 || !(alone || joined) {
                break;
            }
            at = mark.range.start;
            found.push(mark);
        }
        found
    }

    /// Captures that together are one path: as written when only separators stand between, joined otherwise.
    fn path(&self, parts: &[Range<usize>]) -> Option<CompactString> {
        let first = parts.first()?;
        let mut path = CompactString::from(&self.text[first.clone()]);
        let mut end = first.end;
        for part in &parts[1..] {
            if part.start < end {
                continue;
            }
            let between = self.text[end..part.start].trim();
            let separator = between.find(|c| !matches!(c, '.' | ':' | '/' | '\\')).map_or(between, |i| &between[..i]);
            path.push_str(if separator.is_empty() { "." } else { separator });
            path.push_str(&self.text[part.clone()]);
            end = part.end;
        }
        Some(path)
    }

    fn parameters(&self, definition: &Definition) -> Vec<Parameter> {
        let list = definition
            .parameters
            .or_else(|| self.fields.parameters.iter().find_map(|&f| definition.node.child_by_field_id(f)));
        let list = match list {
            Some(list) => list,
            // Some grammars have no node for the list.
            None if !self.fields.parameter_kinds.is_empty() => definition.node,
            None => return Vec::new(),
        };
        let mut parameters = Vec::new();
        if list.named_child_count() == 0 && list.kind().contains("identifier") {
            self.parameter(list, &mut parameters);
        }
        let from_definition = list == definition.node;
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let kind = child.kind_id();
            let is_one = if from_definition {
                self.fields.parameter_kinds.contains(&kind)
            } else {
                !child.is_extra() && !self.fields.not_parameters.contains(&kind)
            };
            if is_one {
                self.parameter(child, &mut parameters);
            }
        }
        parameters
    }

    /// One node, one parameter, or several that share a type: `a, b int`.
    fn parameter(&self, node: Node, out: &mut Vec<Parameter>) {
        let text = |n: Node| one_line(&self.text[n.byte_range()], 80);
        let field = |ids: &[u16]| ids.iter().find_map(|&id| node.child_by_field_id(id));
        let mut type_node = field(&self.fields.parameter_type);
        let mut cursor = node.walk();
        let named = self.fields.parameter_name.iter().find_map(|&id| {
            let id = std::num::NonZero::new(id)?;
            let all: Vec<Node> = node.children_by_field_id(id, &mut cursor).filter(Node::is_named).collect();
            (!all.is_empty()).then_some(all)
        });
        let mut names = named.unwrap_or_else(|| {
            // Without fields: the first identifier is the name, what follows it the type.
            let mut cursor = node.walk();
            let children: Vec<Node> = node.named_children(&mut cursor).collect();
            let at = children.iter().position(|c| c.kind().contains("identifier") && Some(*c) != type_node);
            if type_node.is_none() && !self.fields.parameter_kinds.is_empty() {
                type_node = at.and_then(|i| children.get(i + 1).copied());
            }
            match (at, type_node) {
                (Some(i), Some(_)) => vec![children[i]],
                (None, Some(t)) => children.first().copied().filter(|c| *c != t).into_iter().collect(),
                _ => Vec::new(),
            }
        });
        if names.len() > 1 && !self.fields.parameter_kinds.is_empty() {
            // A grammar that calls the type a name as well.
            type_node = Some(names[1]);
            names.truncate(1);
        }
        let type_name = type_node.map(|t| clean_type(&self.text[t.byte_range()]));
        if names.is_empty() {
            out.push(Parameter { name: text(node), type_name });
            return;
        }
        out.extend(names.into_iter().map(|n| Parameter { name: text(n), type_name: type_name.clone() }));
    }

    fn return_type(&self, definition: &Definition) -> Option<CompactString> {
        let range = definition.return_type.clone().or_else(|| {
            let node = self.fields.return_type.iter().find_map(|&f| definition.node.child_by_field_id(f))?;
            Some(node.byte_range())
        })?;
        Some(clean_type(&self.text[range])).filter(|t| !t.is_empty())
    }

    fn is_public(&self, name: &str, kind: Kind, modifiers: &[CompactString], parent: Option<&Entity>) -> bool {
        let rule = &self.spec.public;
        if let Some(is_public) = said_public(rule, modifiers) {
            return is_public;
        }
        if rule.capitalised {
            return name.chars().next().is_some_and(char::is_uppercase);
        }
        let hidden = rule.hidden_prefixes.iter().any(|p| name.starts_with(p.as_str()));
        let shown = rule.shown_affixes.iter().any(|a| name.starts_with(a.as_str()) && name.ends_with(a.as_str()));
        if hidden {
            return shown;
        }
        // These only hold what has a visibility of its own. What extends a type is judged when all types are known.
        if matches!(kind.name(), "namespace" | "module" | "instance") {
            return true;
        }
        let open = parent.is_some_and(|p| p.is_public && rule.open_parents.iter().any(|k| k == p.kind.name()));
        rule.default || open
    }

    fn file_doc(&self, captured: Option<Range<usize>>, first: Option<&Entity>) -> Option<String> {
        if let Some(range) = captured {
            return Some(comment::doc_text(&self.text[range])).filter(|d| !d.is_empty());
        }
        // The first comments of the file, unless they belong to its first definition.
        let limit = first.map_or(self.text.len(), |e| e.full.start as usize);
        let mut at = 0;
        let mut parts = Vec::new();
        for mark in self.marks.iter().filter(|m| m.kind == MarkKind::Comment) {
            let between = self.text.get(at..mark.range.start).unwrap_or("x");
            if mark.range.start >= limit || !between.bytes().all(|b| b.is_ascii_whitespace()) {
                break;
            }
            at = mark.range.end;
            let comment = &self.text[mark.range.clone()];
            // What speaks to a machine is not about the file.
            let to_machine = ["-*-", "frozen_string_literal", "coding:", "vim:", "eslint", "go:build", "SPDX-"];
            if !comment.starts_with("#!") && !to_machine.iter().any(|m| comment.contains(m)) {
                parts.push(comment);
            }
        }
        let doc = comment::doc_text(&parts.join("\n"));
        (!doc.is_empty()).then_some(doc)
    }
}

/// Finds the innermost entity around a position; positions must come in ascending order.
pub(crate) struct Enclosing<'a> {
    entities: &'a [Entity],
    base: usize,
    next: usize,
    stack: Vec<usize>,
}

impl<'a> Enclosing<'a> {
    pub(crate) fn new(entities: &'a [Entity], base: usize) -> Self {
        Enclosing { entities, base, next: base, stack: Vec::new() }
    }

    pub(crate) fn at(&mut self, byte: u32) -> Option<u32> {
        while self.next < self.entities.len() && self.entities[self.next].full.start <= byte {
            self.stack.push(self.next);
            self.next += 1;
        }
        while self.stack.last().is_some_and(|&i| self.entities[i].full.end <= byte) {
            self.stack.pop();
        }
        // Doc comments make `full` spans of neighbours start early: walk outwards to one that really holds it.
        let found = self.stack.iter().rev().find(|&&i| self.entities[i].full.contains(byte)).copied();
        debug_assert!(found.is_none_or(|i| i >= self.base));
        found.map(|i| i as u32)
    }
}

fn add_references(facts: &mut FileFacts, base: usize, mut uses: Vec<Use>, text: &str, lines: &Lines) {
    // A base is also a type and a constructor call may look like one: the most telling kind stays.
    let weight = |u: &Use| match u.kind {
        ReferenceKind::Base => 0,
        ReferenceKind::Call => 1,
        ReferenceKind::Type => 2,
    };
    uses.sort_by_key(|u| (u.name.start, weight(u), u.receiver.is_none()));
    uses.dedup_by_key(|u| u.name.start);
    let mut enclosing = Enclosing::new(&facts.entities, base);
    let references = &mut facts.references;
    references.reserve_exact(uses.len());
    for found in uses {
        let name = clean_name(&text[found.name.clone()]);
        if name.is_empty() {
            continue;
        }
        let start = found.name.start as u32;
        let receiver = found.receiver.map(|r| one_line(&text[r], 80)).filter(|r| !r.is_empty());
        let enclosing = enclosing.at(start);
        references.push(Reference { name, kind: found.kind, receiver, enclosing, start, line: lines.line_of(start) });
    }
}

/// Longest type worth keeping, in characters.
const MAX_TYPE: usize = 120;

fn add_bindings(facts: &mut FileFacts, base: usize, mut found: Vec<BindingMatch>, text: &str) {
    // Of several patterns for one name the one that knows most stays.
    let known = |b: &BindingMatch| (b.type_name.is_none(), b.value.is_none(), !b.is_member);
    found.sort_by_key(|b| (b.name.start, known(b)));
    found.dedup_by_key(|b| b.name.start);
    let mut enclosing = Enclosing::new(&facts.entities, base);
    for one in found {
        let start = one.name.start as u32;
        let value = one.value.and_then(|r| Some((path_text(&text[r.clone()])?, r.end as u32)));
        facts.bindings.push(Binding {
            name: clean_name(&text[one.name]),
            type_name: one.type_name.map(|r| one_line(&text[r], MAX_TYPE)).filter(|t| !t.is_empty()),
            is_member: one.is_member,
            enclosing: enclosing.at(start),
            // `x = x.parent()` calls the old one.
            start: value.as_ref().map_or(start, |v| v.1.max(start)),
            value: value.map(|v| v.0),
        });
    }
}

fn add_imports(facts: &mut FileFacts, base: usize, mut found: Vec<ImportMatch>, context: &Context) {
    let (text, lines) = (context.text, context.lines);
    let position = |m: &ImportMatch| m.item.as_ref().or(m.module.last()).map_or(m.start, |r| r.start);
    found.sort_by_key(|m| (m.start, position(m), m.alias.is_none()));
    found.dedup_by(|next, kept| {
        let same = (next.start, position(next)) == (kept.start, position(kept));
        kept.wildcard |= same && next.wildcard;
        same
    });
    let mut enclosing = Enclosing::new(&facts.entities, base);
    for one in found {
        let read = |range: &Option<Range<usize>>| {
            range.clone().map(|r| unquote(&one_line(&text[r], 200))).filter(|t| !t.is_empty())
        };
        let name = if one.is_default { Some(CompactString::const_new("default")) } else { read(&one.item) };
        let from = context.path(&one.module).map(|m| unquote(&one_line(&m, 200))).filter(|m| !m.is_empty());
        if one.is_export {
            let alias = if one.is_default { Some(CompactString::const_new("default")) } else { read(&one.alias) };
            let start = position(&one) as u32;
            let (enclosing, line) = (enclosing.at(one.start as u32), lines.line_of(start));
            let (module, name) = (CompactString::default(), read(&one.item));
            facts.imports.push(Import {
                module,
                name,
                alias,
                wildcard: one.wildcard,
                is_export: true,
                enclosing,
                start,
                line,
            });
            continue;
        }
        let Some(module) = from.clone().or_else(|| name.clone()) else { continue };
        // Some languages write the name as the end of the path: `import a.b.C`.
        let inside = one.item.as_ref().zip(one.module.last()).is_some_and(|(i, m)| m.start < i.start && i.end <= m.end);
        let cut = name.as_deref().filter(|_| inside).and_then(|name| module.strip_suffix(name));
        let module =
            cut.map_or(module.clone(), |rest| CompactString::from(rest.trim_end_matches(['.', ':', '\\', '/'])));
        facts.imports.push(Import {
            name: name.filter(|_| from.is_some()),
            module,
            alias: read(&one.alias),
            wildcard: one.wildcard,
            is_export: false,
            enclosing: enclosing.at(one.start as u32),
            start: position(&one) as u32,
            line: lines.line_of(one.start as u32),
        });
    }
}

/// What modifiers say of visibility, if they do.
fn said_public(rule: &Public, modifiers: &[CompactString]) -> Option<bool> {
    let has = |words: &[String]| {
        // `private[app]` is a `private`.
        let is_word = |part: &str, word: &str| part.split('[').next() == Some(word);
        modifiers.iter().any(|m| words.iter().any(|w| m == w || m.split(' ').any(|part| is_word(part, w))))
    };
    if has(&rule.hidden_modifiers) { Some(false) } else { has(&rule.modifiers).then_some(true) }
}

/// What extends a type of the same file is as public as that, and inside a type as public as the one around it, unless it says itself. A
/// member that does what its parent conforms to is as public as its parent, in languages that say so.
fn mark_extensions(entities: &mut [Entity], base: usize, rule: &Public) {
    let extends = |entity: &Entity| matches!(entity.kind.name(), "extension" | "impl");
    let is_type = |entity: &Entity| entity.kind.row().is_type && !extends(entity);
    let types = entities.iter().filter(|e| e.is_public && is_type(e)).map(|e| e.name.clone());
    let types: FxHashSet<CompactString> = types.collect();
    for i in 0..entities.len() {
        let entity = &entities[i];
        let parent = entity.parent.and_then(|p| entities.get((p as usize).checked_sub(base)?));
        let decides = |parent: &&Entity| {
            let conforms = !parent.conformances.is_empty();
            conforms && rule.conforming_parents.iter().any(|kind| kind == parent.kind.name())
        };
        let is_public = said_public(rule, &entity.modifiers).unwrap_or_else(|| match parent.filter(decides) {
            Some(parent) => parent.is_public,
            None if extends(entity) => {
                let extended = entity.name.rsplit('.').next().unwrap_or_default();
                entity.is_public || types.contains(extended) || parent.is_some_and(|p| p.is_public && is_type(p))
            }
            None => entity.is_public,
        });
        entities[i].is_public = is_public;
    }
}

fn mark_tests(entities: &mut [Entity], base: usize, spec: &Spec) {
    let rule = &spec.test;
    let begins = |name: &str| rule.class_prefixes.iter().any(|p| name.starts_with(p.as_str()));
    for i in 0..entities.len() {
        let parent = entities[i].parent.and_then(|p| (p as usize).checked_sub(base));
        if let Some(parent) = parent.filter(|&p| begins(&entities[p].name) && has_test_name(&entities[i], rule)) {
            entities[parent].is_test = true;
        }
    }
    for i in 0..entities.len() {
        let entity = &entities[i];
        let decorated = entity.decorators.iter().any(|d| rule.decorators.iter().any(|t| names_decorator(d, t)));
        let named = has_test_name(entity, rule);
        let based = entity.conformances.iter().any(|c| rule.bases.iter().any(|b| b == c));
        let inherited =
            entity.parent.is_some_and(|p| (p as usize).checked_sub(base).is_some_and(|p| entities[p].is_test));
        let is_kind = entity.kind.name() == "test";
        entities[i].is_test |= decorated || named || based || inherited || is_kind;
    }
}

fn has_test_name(entity: &Entity, rule: &crate::spec::Test) -> bool {
    entity.kind.entity_type() == EntityType::Function
        && rule.function_prefixes.iter().any(|p| entity.name.starts_with(p.as_str()))
}

/// Whether a decorator as written (`@pytest.fixture(x)`, `#[tokio::test]`, `[Fact]`) is called `name`.
fn names_decorator(written: &str, name: &str) -> bool {
    let inner = written.trim_start_matches(['@', '#', '[', '!', '(']).trim_end_matches([']', ')']);
    if name.contains('(') {
        return inner.starts_with(name.trim_end_matches(')'));
    }
    let called = inner.split(['(', ' ', ']']).next().unwrap_or(inner);
    called == name || called.strip_suffix(name).is_some_and(|rest| rest.ends_with(['.', ':', '\\', '/']))
}

/// Runs of white space to one space, cut to `max` characters.
fn one_line(text: &str, max: usize) -> CompactString {
    let mut out = CompactString::default();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > max {
            let cut = (0..=max).rev().find(|&i| out.is_char_boundary(i)).unwrap_or(0);
            out.truncate(cut);
            out.push('…');
            break;
        }
    }
    out
}

/// What an import names, without quotes, angle brackets and the colon of a symbol.
fn unquote(text: &str) -> CompactString {
    let inner = text.trim_matches(['"', '\'', '`']);
    let inner = inner.strip_prefix('<').and_then(|t| t.strip_suffix('>')).unwrap_or(inner);
    CompactString::from(strip_symbol_colon(inner))
}

/// A name as it is looked up: no quotes around it, no colon of a symbol before it.
fn clean_name(text: &str) -> CompactString {
    let line = one_line(text, 200);
    let mut inner = line.as_str();
    for quote in ['"', '\'', '`'] {
        inner = inner.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)).unwrap_or(inner);
    }
    CompactString::from(strip_symbol_colon(inner))
}

fn strip_symbol_colon(text: &str) -> &str {
    text.strip_prefix(':').filter(|t| t.starts_with(|c: char| c.is_alphabetic() || c == '_')).unwrap_or(text)
}

/// Where a definition without a body ends its header: at a brace, or at the first line end after its name that no
/// bracket opened after the name spans.
fn header_end(text: &str, name: usize) -> usize {
    let mut depth = 0i32;
    for (at, byte) in text.bytes().enumerate().skip(name) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if !closes_on_line(&text[at..]) => return at,
            b'\n' if depth <= 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// Whether the brace at the start of `text` closes before its line ends.
fn closes_on_line(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.matches('}').count() >= line.matches('{').count()
}

/// The type a scope names: `*Server[T]` is `Server`, `ns::Foo::` is `ns.Foo`.
fn clean_scope(text: &str) -> CompactString {
    let start = text.trim_start_matches(['*', '&', '(', ' ']);
    let end = start.find(['<', '[', '(']).unwrap_or(start.len());
    let name = start[..end].trim().trim_end_matches([':', '.']);
    CompactString::from(name.replace("::", "."))
}

/// A type without the punctuation that grammars put into it: `: int` and `-> int` are `int`.
fn clean_type(text: &str) -> CompactString {
    let text = one_line(text, 120);
    let text = text.trim_start_matches(':').trim_start();
    CompactString::from(text.strip_prefix("->").unwrap_or(text).trim())
}
