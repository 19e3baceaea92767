//! Into which blocks does LocAgent take a file apart?
//!
//! Blocks are kept in the order in which they begin, so a block's descendants are those between it and its `end`.

use std::ops::Range;

use rustc_hash::FxHashSet;
use tree_sitter::{Language, Parser};

use super::Dropped;
use super::from_ruff;
use super::from_tree_sitter;
use super::naming::{is_placeholder, name_from_text};
use super::opening::{Opening, go_up, open};
use super::paths::{NameId, PathId, Paths};
use super::spans::{SpanId, Spans};
use super::syntax::{Syntax, SyntaxTable};
use super::tokens::Counter;
use super::tree::{Cursor, Fault, Node, Tree};

/// Nesting at which LocAgent runs out of Python's stack and loses the file. 490 levels were seen to pass and 500 to fail with nearly nothing
/// else on that stack.
const MAX_DEPTH: u32 = 480;

/// Number of a block in its file.
pub(crate) type BlockId = u32;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Module,
    Class,
    Function,
    Constructor,
    Import,
    Compound,
    Clause,
    Assignment,
    Call,
    Statement,
    Code,
    Comment,
    /// A comment that stands for code left out, or a definition that holds nothing else.
    Placeholder,
    /// The space after the last statement.
    Space,
}

const KINDS: usize = Kind::Space as usize + 1;

impl Kind {
    pub(crate) fn is_structure(self) -> bool {
        matches!(self, Self::Module | Self::Class | Self::Function | Self::Constructor)
    }
}

/// A part of a file.
pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// The module is its own parent.
    pub(crate) parent: BlockId,
    /// One past the last descendant.
    pub(crate) end: BlockId,
    pub(crate) path: PathId,
    pub(crate) span: Option<SpanId>,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    /// What stands between the previous block and this one.
    pub(crate) before: Range<usize>,
    /// The block's own text: up to its first child.
    pub(crate) text: Range<usize>,
    /// Whether a backslash ends the first line of the text when it is shown.
    pub(crate) continued: bool,
    /// Tokens of its own text.
    pub(crate) tokens: u32,
    /// Tokens of its own text and of its descendants'.
    pub(crate) total: u32,
}

/// The blocks of a file.
pub(crate) struct Blocks {
    pub(crate) blocks: Vec<Block>,
    pub(crate) paths: Paths,
    pub(crate) spans: Spans,
}

impl Blocks {
    pub(crate) fn children(&self, of: BlockId) -> impl Iterator<Item = BlockId> {
        let end = self.blocks[of as usize].end;
        let mut next = of + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.blocks[child as usize].end;
            Some(child)
        })
    }
}

/// What it takes to take files apart, and can be used for one after another.
pub(crate) struct Tools {
    parser: Parser,
    table: SyntaxTable,
    tree: Tree,
    pub(crate) counter: Counter,
}

impl Tools {
    pub(crate) fn new() -> Self {
        let language: Language = tree_sitter_python::LANGUAGE.into();
        let mut parser = Parser::new();
        parser.set_language(&language).expect("the grammar is of a version that the parser reads");
        Self { parser, table: SyntaxTable::new(&language), tree: Tree::default(), counter: Counter::new() }
    }

    /// Takes a file apart.
    ///
    /// LocAgent's trees are tree-sitter's. But of a file without errors ruff's parser tells the same many times as fast.
    pub(crate) fn blocks(&mut self, text: &str) -> Result<Blocks, Dropped> {
        if !from_ruff::parse(text, &mut self.tree) {
            self.parse_with_tree_sitter(text)?;
        }
        self.build(text)
    }

    #[cfg(test)]
    pub(super) fn tree_mut(&mut self) -> &mut Tree {
        &mut self.tree
    }

    pub(super) fn parse_with_tree_sitter(&mut self, text: &str) -> Result<(), Dropped> {
        let parsed = self.parser.parse(text, None).ok_or(Dropped::Unparsable)?;
        from_tree_sitter::copy(&parsed, &self.table, text, &mut self.tree);
        Ok(())
    }

    /// Takes the file apart that the tree is of.
    pub(super) fn build(&mut self, text: &str) -> Result<Blocks, Dropped> {
        let mut builder = Builder {
            text,
            counter: &mut self.counter,
            cursor: self.tree.walk(),
            blocks: Vec::new(),
            paths: Paths::new(),
            spans: Spans::default(),
            taken: FxHashSet::default(),
            name: String::new(),
        };
        builder.module()?;
        Ok(Blocks { blocks: builder.blocks, paths: builder.paths, spans: builder.spans })
    }
}

struct Builder<'t> {
    text: &'t str,
    counter: &'t mut Counter,
    cursor: Cursor<'t>,
    blocks: Vec<Block>,
    paths: Paths,
    spans: Spans,
    /// Names taken below a block by blocks of a kind.
    taken: FxHashSet<(BlockId, Kind, NameId)>,
    name: String,
}

/// What a block's parent knows when the block begins.
struct Place<'p> {
    parent: BlockId,
    /// Depth of the parent.
    depth: u32,
    /// Where the previous block ended.
    from: usize,
    span: Option<SpanId>,
    /// How many children of each kind the parent has.
    siblings: &'p [u32; KINDS],
}

/// What a block's parent learns when the block has ended.
struct Ended {
    /// The span that is open after it.
    span: Option<SpanId>,
    name: NameId,
}

/// A block whose children are to be made.
struct Inside<'o> {
    of: BlockId,
    depth: u32,
    opening: &'o Opening,
    /// Where its own text ends.
    from: usize,
    span: Option<SpanId>,
}

/// The children of a block, once they are made.
struct Children {
    /// The span that is open after them.
    span: Option<SpanId>,
    end: usize,
    /// Whether a node ended the block before its end. The cursor stays on it then, and the block's parent goes on from there.
    ended_early: bool,
}

impl Builder<'_> {
    fn module(&mut self) -> Result<(), Dropped> {
        let node = self.cursor.node();
        check_fault(node)?;
        let opening = open(&mut self.cursor, self.text);
        self.blocks.push(Block {
            kind: Kind::Module,
            parent: 0,
            end: 1,
            path: PathId::ROOT,
            span: None,
            start_line: node.start_line,
            end_line: node.end_line,
            before: 0..0,
            text: 0..0,
            continued: false,
            tokens: 0,
            total: 0,
        });
        let Some(own_end) = opening.own_end else { return Ok(()) };
        let children = self.children(Inside { of: 0, depth: 0, opening: &opening, from: own_end, span: None })?;
        if node.end as usize > children.end {
            self.space(children.end..node.end as usize)?;
        }
        self.close(0);
        Ok(())
    }

    /// What follows the last statement is a block without a name, a span or a token.
    fn space(&mut self, before: Range<usize>) -> Result<(), Dropped> {
        check_space(&self.text[before.clone()])?;
        let end = self.blocks.len() as BlockId + 1;
        let line = self.blocks[0].end_line;
        self.blocks.push(Block {
            kind: Kind::Space,
            parent: 0,
            end,
            path: PathId::ROOT,
            span: None,
            start_line: line,
            end_line: line,
            text: before.end..before.end,
            before,
            continued: false,
            tokens: 0,
            total: 0,
        });
        Ok(())
    }

    /// Makes the block of the cursor's node, and those below. Leaves the cursor on the node, or deeper when the block ended early.
    fn block(&mut self, place: Place<'_>) -> Result<Ended, Dropped> {
        if place.depth >= MAX_DEPTH {
            return Err(Dropped::TooDeep);
        }
        let node = self.cursor.node();
        check_fault(node)?;
        let node_depth = node.depth;
        let opening = open(&mut self.cursor, self.text);
        let before = place.from.min(node.start as usize)..node.start as usize;
        check_space(&self.text[before.clone()])?;
        let text = node.start as usize..opening.own_end.unwrap_or(node.end as usize);

        let mut kind = opening.kind;
        if kind == Kind::Function && opening.name.clone().is_some_and(|name| &self.text[name] == "__init__") {
            kind = Kind::Constructor;
        }
        let continued = kind == Kind::Assignment
            && node.syntax == Syntax::Expression
            && opening.own_end.is_some()
            && self.cursor.node().start_line > node.start_line
            && self.text[text.clone()].lines().next().is_some_and(|line| line.trim_end().ends_with('='));
        let id = self.blocks.len() as BlockId;
        let name = self.unique_name(&place, kind, opening.name.clone(), &text)?;
        let path = self.paths.child(self.blocks[place.parent as usize].path, name);
        let tokens = self.counter.count(&self.text[text.clone()]);
        self.blocks.push(Block {
            kind,
            parent: place.parent,
            end: id + 1,
            path,
            span: None,
            start_line: node.start_line,
            end_line: node.end_line,
            before,
            text,
            continued,
            tokens,
            total: tokens,
        });
        let span = self.spans.place(&self.blocks, &mut self.paths, place.span);
        self.blocks[id as usize].span = Some(span);
        let mut span = Some(span);
        if let Some(own_end) = opening.own_end {
            let children =
                self.children(Inside { of: id, depth: place.depth + 1, opening: &opening, from: own_end, span })?;
            span = children.span;
            if !children.ended_early {
                go_up(&mut self.cursor, node_depth);
            }
        }
        self.close(id);
        Ok(Ended { span, name })
    }

    /// Makes the children of a block, of which the cursor stands on the first.
    fn children(&mut self, inside: Inside<'_>) -> Result<Children, Dropped> {
        let Inside { of, depth, opening, mut from, mut span } = inside;
        let mut siblings = [0; KINDS];
        loop {
            if self.cursor.node().syntax == Syntax::Block {
                self.cursor.goto_first_child();
            }
            let id = self.blocks.len() as BlockId;
            let ended = self.block(Place { parent: of, depth, from, span, siblings: &siblings })?;
            span = ended.span.or(span);
            let kind = self.blocks[id as usize].kind;
            siblings[kind as usize] += 1;
            self.taken.insert((of, kind, ended.name));
            from = self.cursor.node().end as usize;
            let ended_early = opening.last == Some(self.cursor.at);
            if ended_early || !self.go_on(opening.depth) {
                return Ok(Children { span, end: from, ended_early });
            }
        }
    }

    /// Moves to what follows the cursor's node below a node at a depth; stays on that node when nothing follows.
    fn go_on(&mut self, depth: u32) -> bool {
        for _ in depth..self.cursor.node().depth {
            if self.cursor.goto_next_sibling() {
                return true;
            }
            self.cursor.goto_parent();
        }
        false
    }

    /// The name of a block below its parent: that of the node, or one made of its text.
    ///
    /// A name that a sibling of the same kind has already gets the number of those siblings as a suffix. But a name made of the text is
    /// forgotten then: what remains is `None_3`.
    fn unique_name(
        &mut self,
        place: &Place<'_>,
        kind: Kind,
        name: Option<Range<usize>>,
        text: &Range<usize>,
    ) -> Result<NameId, Dropped> {
        let given = name.map(|name| &self.text[name]).filter(|name| !name.is_empty());
        let own = match given {
            Some(given) => self.paths.name(given),
            None if text.is_empty() => return Err(Dropped::EmptyBlock),
            None => {
                name_from_text(&self.text[text.clone()], &mut self.name);
                self.paths.name(&self.name)
            }
        };
        if !self.taken.contains(&(place.parent, kind, own)) {
            return Ok(own);
        }
        let count = place.siblings[kind as usize];
        Ok(self.paths.name(&format!("{}_{count}", given.unwrap_or("None"))))
    }

    /// Sets what is known when a block has ended.
    fn close(&mut self, id: BlockId) {
        let end = self.blocks.len() as BlockId;
        let (upto, inside) = self.blocks.split_at_mut(id as usize + 1);
        let block = &mut upto[id as usize];
        block.end = end;
        let mut children = 0;
        let mut only = None;
        let mut next = id + 1;
        while next < end {
            let child = &inside[(next - id - 1) as usize];
            block.total += child.total;
            children += 1;
            only = Some(child.kind);
            next = child.end;
        }
        let placeholder = match block.kind {
            Kind::Comment => is_placeholder(&self.text[block.text.clone()]),
            Kind::Class | Kind::Function => children == 1 && only == Some(Kind::Placeholder),
            _ => false,
        };
        if placeholder {
            block.kind = Kind::Placeholder;
        }
    }
}

fn check_fault(node: &Node) -> Result<(), Dropped> {
    match node.fault {
        None => Ok(()),
        Some(Fault::Broken) => Err(Dropped::SyntaxError),
        Some(Fault::Old) => Err(Dropped::OldSyntaxError),
    }
}

/// Only spaces, line feeds and backslashes may stand between blocks.
fn check_space(text: &str) -> Result<(), Dropped> {
    if text.bytes().all(|byte| matches!(byte, b' ' | b'\n' | b'\\')) { Ok(()) } else { Err(Dropped::OddSpace) }
}
