//! What block does a node open, and where among its descendants do the block's children begin?
//!
//! The answers follow from how LocAgent asks tree-sitter: a list of patterns for each kind of node, the first that fits wins. The tree is
//! walked by hand here, and the effects of those patterns that nobody intended are named where they are kept.

use std::ops::Range;

use super::blocks::Kind;
use super::old_grammar::leading_match;
use super::syntax::Syntax;
use super::tree::{Cursor, NodeId, Tree};

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
    pub(crate) last: Option<NodeId>,
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
pub(crate) fn open(cursor: &mut Cursor<'_>, text: &str) -> Opening {
    let node = cursor.node();
    let depth = cursor.node().depth;
    let leaf = |kind| Opening { kind, name: None, own_end: None, depth, last: None };
    let none = leaf(Kind::Code);
    match node.syntax {
        Syntax::Comment => leaf(Kind::Comment),
        Syntax::Module => open_at_first_named(cursor, Kind::Module).unwrap_or(none),
        Syntax::Import => Opening { name: imported(cursor.tree, cursor.at), ..leaf(Kind::Import) },
        Syntax::ImportFrom => match imported_from(cursor.tree, cursor.at) {
            Some(name) => Opening { name, ..leaf(Kind::Import) },
            None => none,
        },
        Syntax::FutureImport => leaf(Kind::Import),
        Syntax::Assignment => open_assignment(cursor, text).unwrap_or(none),
        Syntax::Call if is_plain_call(cursor.tree, cursor.at) => leaf(Kind::Call),
        Syntax::Expression => open_expression(cursor, text).unwrap_or(none),
        Syntax::Return => open_at_first_named(cursor, Kind::Statement).unwrap_or(none),
        Syntax::Decorated => open_decorated(cursor).unwrap_or(none),
        Syntax::Class | Syntax::Function | Syntax::Compound | Syntax::Clause | Syntax::Except | Syntax::Blocked => {
            open_blocked(cursor).unwrap_or(none)
        }
        _ => none,
    }
}

/// A node whose first named child is its block's first one.
fn open_at_first_named(cursor: &mut Cursor<'_>, kind: Kind) -> Option<Opening> {
    let depth = cursor.node().depth;
    let start = cursor.node().start as usize;
    let own_end = go_to_child(cursor, |cursor| cursor.node().named)?.unwrap_or(start);
    Some(Opening { kind, name: None, own_end: Some(own_end), depth, last: None })
}

/// The value of an assignment to a name or an attribute is a child. Any other target leaves the statement whole.
fn open_assignment(cursor: &mut Cursor<'_>, text: &str) -> Option<Opening> {
    let node = cursor.node();
    let depth = cursor.node().depth;
    let name = if leading_match(&text[node.range()]) {
        node.start as usize..node.start as usize + "match".len()
    } else {
        let (_, left) = cursor.tree.children(cursor.at).next()?;
        matches!(left.syntax, Syntax::Identifier | Syntax::Attribute).then(|| left.range())?
    };
    let right = |cursor: &Cursor<'_>| cursor.node().is_value;
    let own_end = go_to_child(cursor, right).map(|end| end.unwrap_or(node.start as usize));
    Some(Opening { kind: Kind::Assignment, name: Some(name), own_end, depth, last: None })
}

/// A string that stands alone is a comment, if there is any text in it. Else the statement is what its first expression is.
fn open_expression(cursor: &mut Cursor<'_>, text: &str) -> Option<Opening> {
    let depth = cursor.node().depth;
    go_to_child(cursor, |cursor| cursor.node().named)?;
    let inner = cursor.node();
    let leaf = |kind| Opening { kind, name: None, own_end: None, depth, last: None };
    let opening = match inner.syntax {
        Syntax::String if has_content(cursor.tree, cursor.at) => Some(leaf(Kind::Comment)),
        Syntax::Comment => Some(leaf(Kind::Comment)),
        Syntax::Call if is_plain_call(cursor.tree, cursor.at) => Some(leaf(Kind::Call)),
        Syntax::Assignment => open_assignment(cursor, text),
        _ => None,
    };
    if opening.as_ref().is_none_or(|opening| opening.own_end.is_none()) {
        go_up(cursor, depth);
    }
    opening
}

fn open_decorated(cursor: &mut Cursor<'_>) -> Option<Opening> {
    let depth = cursor.node().depth;
    let definition = |cursor: &Cursor<'_>| matches!(cursor.node().syntax, Syntax::Function | Syntax::Class);
    go_to_child(cursor, definition)?;
    let opening = open_blocked(cursor);
    if opening.as_ref().is_none_or(|opening| opening.own_end.is_none()) {
        go_up(cursor, depth);
    }
    opening
}

fn open_blocked(cursor: &mut Cursor<'_>) -> Option<Opening> {
    let node = cursor.node();
    let depth = cursor.node().depth;
    let parts = parts(cursor.tree, cursor.at);
    let (kind, first) = of_its_own(node.syntax, &parts).or_else(|| of_any(&parts))?;
    let name = parts.iter().find(|part| part.syntax == Syntax::Identifier).map(|part| part.range.clone());
    let name = name.filter(|_| matches!(kind, Kind::Class | Kind::Function));
    let last = match first {
        First::At(_) if kind == Kind::Class => last_of_commented(cursor.tree, cursor.at),
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

fn parts(tree: &Tree, of: NodeId) -> Vec<Part> {
    tree.children(of)
        .map(|(id, child)| {
            let filled = child.syntax == Syntax::Block && tree.children(id).any(|(_, inner)| inner.named);
            Part { syntax: child.syntax, named: child.named, range: child.range(), filled }
        })
        .collect()
}

/// The node after which a class with a comment before its block ends.
///
/// It should be the last one of its block. But the pattern is matched in the whole subtree, and the first such node wins: when the class
/// holds another class of this shape, the outer class ends where the inner one does, and what follows becomes a sibling of it.
fn last_of_commented(tree: &Tree, class: NodeId) -> Option<NodeId> {
    let mut best: Option<NodeId> = None;
    let mut open = vec![class];
    while let Some(id) = open.pop() {
        if tree.node(id).syntax == Syntax::Class
            && let Some(last) = last_if_commented(tree, id)
            && best.is_none_or(|best| tree.node(last).start < tree.node(best).start)
        {
            best = Some(last);
        }
        open.extend(tree.children(id).filter(|(_, child)| may_hold_statements(child.syntax)).map(|(id, _)| id));
    }
    best
}

fn last_if_commented(tree: &Tree, class: NodeId) -> Option<NodeId> {
    let First::At(comment) = commented_block(&parts(tree, class))? else { return None };
    let (block, _) = tree.children(class).nth(comment + 1)?;
    tree.children(block).filter(|(_, child)| child.named).last().map(|(id, _)| id)
}

fn may_hold_statements(syntax: Syntax) -> bool {
    use Syntax::{Block, Blocked, Class, Clause, Compound, Decorated, Except, Function};
    matches!(syntax, Block | Blocked | Class | Clause | Compound | Decorated | Except | Function)
}

/// The first imported name, or the name it gets.
fn imported(tree: &Tree, import: NodeId) -> Option<Range<usize>> {
    tree.children(import).find_map(|(id, child)| match child.syntax {
        Syntax::DottedName => Some(child.range()),
        Syntax::AliasedImport => {
            tree.children(id).find(|(_, part)| part.syntax == Syntax::Identifier).map(|(_, part)| part.range())
        }
        _ => None,
    })
}

/// Whether an import from a module counts as one, and its name.
///
/// From a module without leading dots it does, without a name. From a relative one it is called by the first name that gets no alias;
/// when there is none, as in `from . import *`, it is no import.
#[expect(clippy::option_option, reason = "an import, and one with a name, are two questions")]
fn imported_from(tree: &Tree, import: NodeId) -> Option<Option<Range<usize>>> {
    let mut children = tree.children(import).map(|(_, child)| child);
    match children.nth(1)?.syntax {
        Syntax::DottedName => Some(None),
        Syntax::RelativeImport => {
            children.find(|child| child.syntax == Syntax::DottedName).map(|name| Some(name.range()))
        }
        _ => None,
    }
}

/// A call of a name or an attribute with an argument list: not one of a call's result, nor one with a bare generator.
fn is_plain_call(tree: &Tree, call: NodeId) -> bool {
    let mut children = tree.children(call).map(|(_, child)| child.syntax);
    matches!(children.next(), Some(Syntax::Identifier | Syntax::Attribute))
        && children.any(|child| child == Syntax::Arguments)
}

fn has_content(tree: &Tree, string: NodeId) -> bool {
    tree.children(string).any(|(_, child)| child.syntax == Syntax::StringContent)
}

/// Moves to the first child that fits, and gives the end of the one before it, if there is one. Stays when none fits.
#[expect(clippy::option_option, reason = "found at all, and something before it, are two questions")]
fn go_to_child(cursor: &mut Cursor<'_>, fits: impl Fn(&Cursor<'_>) -> bool) -> Option<Option<usize>> {
    let mut before = None;
    if !cursor.goto_first_child() {
        return None;
    }
    while !fits(cursor) {
        before = Some(cursor.node().end as usize);
        if !cursor.goto_next_sibling() {
            cursor.goto_parent();
            return None;
        }
    }
    Some(before)
}

/// Moves to where the children begin, and gives the end of what stands before.
fn go_to_first(cursor: &mut Cursor<'_>, parts: &[Part], first: First) -> usize {
    let (First::At(at) | First::Inside(at)) = first;
    let before = at.checked_sub(1).map_or(cursor.node().start as usize, |at| parts[at].range.end);
    cursor.goto_first_child();
    for _ in 0..at {
        cursor.goto_next_sibling();
    }
    match first {
        First::At(_) => before,
        First::Inside(_) => go_to_child(cursor, |cursor| cursor.node().named).flatten().unwrap_or(before),
    }
}

/// Moves up to a depth.
pub(crate) fn go_up(cursor: &mut Cursor<'_>, depth: u32) {
    while cursor.node().depth > depth {
        cursor.goto_parent();
    }
}
