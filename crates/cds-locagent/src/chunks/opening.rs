//! What block does a node open, and where among its descendants do the block's children begin?
//!
//! The answers follow from how LocAgent asks tree-sitter: a list of patterns for each kind of node, the first that fits wins. The tree is
//! walked by hand here, and the effects of those patterns that nobody intended are named where they are kept.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::blocks::Kind;
use super::old_grammar::leading_match;
use super::syntax::{Syntax, SyntaxTable};

/// What a node opens. When `own_end` is set, the cursor stands on the first child to visit; otherwise it stands on the node.
pub(crate) struct Opening {
    pub(crate) kind: Kind,
    /// Bytes of the name, where the node has one.
    pub(crate) name: Option<Range<usize>>,
    /// End of the block's own text, which is where its first child begins; none when the block is a leaf.
    pub(crate) own_end: Option<usize>,
    /// Depth of the node whose end ends the block: the definition below its decorators, else the node itself.
    pub(crate) depth: u32,
    /// The node after which the block ends, whatever follows.
    pub(crate) last: Option<usize>,
}

/// A child of a node that may have a block.
struct Part {
    syntax: Syntax,
    named: bool,
    range: Range<usize>,
    /// Whether it is a block with a statement inside.
    filled: bool,
}

/// Where the children of a block begin: at a part, or at the first statement inside of it.
#[derive(Clone, Copy)]
enum First {
    At(usize),
    Inside(usize),
}

/// Says what the cursor's node opens, and moves the cursor to the first child, if there is one.
pub(crate) fn open(table: &SyntaxTable, cursor: &mut TreeCursor<'_>, text: &str) -> Opening {
    let node = cursor.node();
    let depth = cursor.depth();
    let leaf = |kind| Opening { kind, name: None, own_end: None, depth, last: None };
    let none = leaf(Kind::Code);
    match table.of(node) {
        Syntax::Comment => leaf(Kind::Comment),
        Syntax::Module => open_at_first_named(cursor, Kind::Module).unwrap_or(none),
        Syntax::Import => Opening { name: imported(table, node), ..leaf(Kind::Import) },
        Syntax::ImportFrom => match imported_from(table, node) {
            Some(name) => Opening { name, ..leaf(Kind::Import) },
            None => none,
        },
        Syntax::FutureImport => leaf(Kind::Import),
        Syntax::Assignment => open_assignment(table, cursor, text).unwrap_or(none),
        Syntax::Call if is_plain_call(table, node) => leaf(Kind::Call),
        Syntax::Expression => open_expression(table, cursor, text).unwrap_or(none),
        Syntax::Return => open_at_first_named(cursor, Kind::Statement).unwrap_or(none),
        Syntax::Decorated => open_decorated(table, cursor).unwrap_or(none),
        Syntax::Class | Syntax::Function | Syntax::Compound | Syntax::Clause | Syntax::Except | Syntax::Blocked => {
            open_blocked(table, cursor).unwrap_or(none)
        }
        _ => none,
    }
}

/// A node whose first named child is its block's first one.
fn open_at_first_named(cursor: &mut TreeCursor<'_>, kind: Kind) -> Option<Opening> {
    let depth = cursor.depth();
    let start = cursor.node().start_byte();
    let own_end = go_to_child(cursor, |cursor| cursor.node().is_named())?.unwrap_or(start);
    Some(Opening { kind, name: None, own_end: Some(own_end), depth, last: None })
}

/// The value of an assignment to a name or an attribute is a child. Any other target leaves the statement whole.
fn open_assignment(table: &SyntaxTable, cursor: &mut TreeCursor<'_>, text: &str) -> Option<Opening> {
    let node = cursor.node();
    let depth = cursor.depth();
    let name = if leading_match(&text[node.byte_range()]) {
        node.start_byte()..node.start_byte() + "match".len()
    } else {
        node.child(0).filter(|left| matches!(table.of(*left), Syntax::Identifier | Syntax::Attribute))?.byte_range()
    };
    let right = |cursor: &TreeCursor<'_>| cursor.field_id().is_some_and(|id| id.get() == table.right);
    let own_end = go_to_child(cursor, right).map(|end| end.unwrap_or(node.start_byte()));
    Some(Opening { kind: Kind::Assignment, name: Some(name), own_end, depth, last: None })
}

/// A string that stands alone is a comment, if there is any text in it. Else the statement is what its first expression is.
fn open_expression(table: &SyntaxTable, cursor: &mut TreeCursor<'_>, text: &str) -> Option<Opening> {
    let depth = cursor.depth();
    go_to_child(cursor, |cursor| cursor.node().is_named())?;
    let inner = cursor.node();
    let leaf = |kind| Opening { kind, name: None, own_end: None, depth, last: None };
    let opening = match table.of(inner) {
        Syntax::String if has_content(table, inner) => Some(leaf(Kind::Comment)),
        Syntax::Comment => Some(leaf(Kind::Comment)),
        Syntax::Call if is_plain_call(table, inner) => Some(leaf(Kind::Call)),
        Syntax::Assignment => open_assignment(table, cursor, text),
        _ => None,
    };
    if opening.as_ref().is_none_or(|opening| opening.own_end.is_none()) {
        go_up(cursor, depth);
    }
    opening
}

fn open_decorated(table: &SyntaxTable, cursor: &mut TreeCursor<'_>) -> Option<Opening> {
    let depth = cursor.depth();
    let definition = |cursor: &TreeCursor<'_>| matches!(table.of(cursor.node()), Syntax::Function | Syntax::Class);
    go_to_child(cursor, definition)?;
    let opening = open_blocked(table, cursor);
    if opening.as_ref().is_none_or(|opening| opening.own_end.is_none()) {
        go_up(cursor, depth);
    }
    opening
}

fn open_blocked(table: &SyntaxTable, cursor: &mut TreeCursor<'_>) -> Option<Opening> {
    let node = cursor.node();
    let depth = cursor.depth();
    let parts = parts(table, node);
    let syntax = table.of(node);
    let (kind, first) = of_its_own(syntax, &parts).or_else(|| of_any(&parts))?;
    let name = parts.iter().find(|part| part.syntax == Syntax::Identifier).map(|part| part.range.clone());
    let name = name.filter(|_| matches!(kind, Kind::Class | Kind::Function));
    let last = match first {
        First::At(_) if kind == Kind::Class => last_of_commented(table, node),
        _ => None,
    };
    let own_end = go_to_first(cursor, &parts, first);
    Some(Opening { kind, name, own_end: Some(own_end), depth, last })
}

/// The pattern for the node's own kind.
fn of_its_own(syntax: Syntax, parts: &[Part]) -> Option<(Kind, First)> {
    match syntax {
        Syntax::Class => Some((Kind::Class, commented_block(parts).or_else(|| block_after_colon(parts))?)),
        Syntax::Function => Some((Kind::Function, function_body(parts)?)),
        Syntax::Compound => Some((Kind::Compound, block_after_colon(parts)?)),
        // `except*` is unknown to the patterns, so it is a statement like any other.
        Syntax::Except if parts.iter().any(|part| part.syntax == Syntax::Star) => None,
        Syntax::Clause | Syntax::Except => Some((Kind::Clause, block_after_colon(parts)?)),
        _ => None,
    }
}

/// The patterns for anything with a block: what stands between its colon and the block comes first, if there is something.
fn of_any(parts: &[Part]) -> Option<(Kind, First)> {
    let between =
        colon(parts).and_then(|colon| named_after(parts, colon)).filter(|at| filled_after(parts, *at).is_some());
    let first = match between {
        Some(at) => First::At(at),
        None => First::Inside(parts.iter().position(|part| part.filled)?),
    };
    Some((Kind::Statement, first))
}

/// A class whose block follows a comment directly: the comment is the first child.
fn commented_block(parts: &[Part]) -> Option<First> {
    let block = parts.iter().position(|part| part.filled)?;
    let comment = block.checked_sub(1)?;
    (parts[comment].syntax == Syntax::Comment).then_some(First::At(comment))
}

fn block_after_colon(parts: &[Part]) -> Option<First> {
    filled_after(parts, colon(parts)?).map(First::Inside)
}

/// A function's block must follow the colon at once, or after comments.
fn function_body(parts: &[Part]) -> Option<First> {
    let next = named_after(parts, colon(parts)?)?;
    match parts[next].syntax {
        Syntax::Comment => filled_after(parts, next).map(|_| First::At(next)),
        Syntax::Block if parts[next].filled => Some(First::Inside(next)),
        _ => None,
    }
}

fn colon(parts: &[Part]) -> Option<usize> {
    parts.iter().position(|part| part.syntax == Syntax::Colon)
}

fn named_after(parts: &[Part], at: usize) -> Option<usize> {
    (at + 1..parts.len()).find(|i| parts[*i].named)
}

fn filled_after(parts: &[Part], at: usize) -> Option<usize> {
    (at + 1..parts.len()).find(|i| parts[*i].filled)
}

fn parts(table: &SyntaxTable, node: Node<'_>) -> Vec<Part> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .map(|child| {
            let syntax = table.of(child);
            let filled = syntax == Syntax::Block && child.named_child_count() > 0;
            Part { syntax, named: child.is_named(), range: child.byte_range(), filled }
        })
        .collect()
}

/// The node after which a class with a comment before its block ends.
///
/// It should be the last one of its block. But the pattern is matched in the whole subtree, and the first such node wins: when the class
/// holds another class of this shape, the outer class ends where the inner one does, and what follows becomes a sibling of it.
fn last_of_commented(table: &SyntaxTable, class: Node<'_>) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    let mut open = vec![class];
    while let Some(node) = open.pop() {
        if table.of(node) == Syntax::Class
            && let Some(last) = last_if_commented(table, node)
            && best.is_none_or(|(start, _)| last.start_byte() < start)
        {
            best = Some((last.start_byte(), last.id()));
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor).filter(|child| may_hold_statements(table.of(*child))));
    }
    best.map(|(_, id)| id)
}

fn last_if_commented<'t>(table: &SyntaxTable, class: Node<'t>) -> Option<Node<'t>> {
    let First::At(comment) = commented_block(&parts(table, class))? else { return None };
    let block = class.child(comment as u32 + 1)?;
    block.named_child(block.named_child_count().checked_sub(1)? as u32)
}

fn may_hold_statements(syntax: Syntax) -> bool {
    use Syntax::{Block, Blocked, Class, Clause, Compound, Decorated, Except, Function};
    matches!(syntax, Block | Blocked | Class | Clause | Compound | Decorated | Except | Function)
}

/// The first imported name, or the name it gets.
fn imported(table: &SyntaxTable, node: Node<'_>) -> Option<Range<usize>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find_map(|child| match table.of(child) {
        Syntax::DottedName => Some(child.byte_range()),
        Syntax::AliasedImport => {
            let mut cursor = child.walk();
            child.children(&mut cursor).find(|part| table.of(*part) == Syntax::Identifier).map(|part| part.byte_range())
        }
        _ => None,
    })
}

/// Whether an import from a module counts as one, and its name.
///
/// From a module without leading dots it does, without a name. From a relative one it is called by the first name that gets no alias;
/// when there is none, as in `from . import *`, it is no import.
#[expect(clippy::option_option, reason = "an import, and one with a name, are two questions")]
fn imported_from(table: &SyntaxTable, node: Node<'_>) -> Option<Option<Range<usize>>> {
    match table.of(node.child(1)?) {
        Syntax::DottedName => Some(None),
        Syntax::RelativeImport => {
            let mut cursor = node.walk();
            let name = node.children(&mut cursor).skip(2).find(|child| table.of(*child) == Syntax::DottedName);
            name.map(|name| Some(name.byte_range()))
        }
        _ => None,
    }
}

/// A call of a name or an attribute with an argument list: not one of a call's result, nor one with a bare generator.
fn is_plain_call(table: &SyntaxTable, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor).map(|child| table.of(child));
    matches!(children.next(), Some(Syntax::Identifier | Syntax::Attribute))
        && children.any(|child| child == Syntax::Arguments)
}

fn has_content(table: &SyntaxTable, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| table.of(child) == Syntax::StringContent)
}

/// Moves to the first child that fits, and gives the end of the one before it, if there is one. Stays when none fits.
#[expect(clippy::option_option, reason = "found at all, and something before it, are two questions")]
fn go_to_child(cursor: &mut TreeCursor<'_>, fits: impl Fn(&TreeCursor<'_>) -> bool) -> Option<Option<usize>> {
    let mut before = None;
    if !cursor.goto_first_child() {
        return None;
    }
    while !fits(cursor) {
        before = Some(cursor.node().end_byte());
        if !cursor.goto_next_sibling() {
            cursor.goto_parent();
            return None;
        }
    }
    Some(before)
}

/// Moves to where the children begin, and gives the end of what stands before.
fn go_to_first(cursor: &mut TreeCursor<'_>, parts: &[Part], first: First) -> usize {
    let (First::At(at) | First::Inside(at)) = first;
    let before = at.checked_sub(1).map_or(cursor.node().start_byte(), |at| parts[at].range.end);
    cursor.goto_first_child();
    for _ in 0..at {
        cursor.goto_next_sibling();
    }
    match first {
        First::At(_) => before,
        First::Inside(_) => go_to_child(cursor, |cursor| cursor.node().is_named()).flatten().unwrap_or(before),
    }
}

/// Moves up to a depth.
pub(crate) fn go_up(cursor: &mut TreeCursor<'_>, depth: u32) {
    while cursor.depth() > depth && cursor.goto_parent() {}
}
