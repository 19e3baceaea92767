//! To which named part of its file does a block belong?
//!
//! Spans are opened while blocks are met in order, and each block is put into the one that is open then. Their names look like paths
//! of definitions, but are of a counter that runs on for blocks that open nothing: `impl:19` is the nineteenth block of the module that was
//! asked, not the nineteenth span.

use rustc_hash::FxHashMap;

use super::blocks::{Block, BlockId, Kind};
use super::paths::{PathId, Paths};

/// Above so many tokens, module-level code continues in a new span.
const MAX_TOKENS: u32 = 500;

/// Number of a span in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpanId(u32);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Documentation,
    Initiation,
    Implementation,
}

/// A word at the end of a span's name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Label {
    None,
    Docstring,
    Imports,
}

struct Span {
    name: String,
    role: Role,
    opened_by: BlockId,
    /// Path of the block the span is about.
    about: PathId,
    blocks: u32,
    tokens: u32,
    /// How many spans of the same module-level code came before.
    index: u32,
}

/// The spans of a file.
#[derive(Default)]
pub(crate) struct Spans {
    spans: Vec<Span>,
    asked: FxHashMap<(PathId, Label), u32>,
}

impl Spans {
    pub(crate) fn name(&self, span: SpanId) -> &str {
        &self.spans[span.0 as usize].name
    }

    /// Puts the newest block into a span, which is the current one or a new one.
    pub(crate) fn place(&mut self, blocks: &[Block], paths: &mut Paths, current: Option<SpanId>) -> SpanId {
        let block = blocks.last().expect("a block was just made");
        let span = match current {
            Some(current) if self.keeps_comment(current, block) => current,
            _ => self.open(blocks, paths, current).unwrap_or_else(|| current.expect("without a span one is opened")),
        };
        let entry = &mut self.spans[span.0 as usize];
        entry.blocks += 1;
        entry.tokens += block.tokens;
        span
    }

    /// A comment after the first block of anything but documentation stays, and does not count as asking for a span.
    fn keeps_comment(&self, current: SpanId, block: &Block) -> bool {
        let current = &self.spans[current.0 as usize];
        block.kind == Kind::Comment && current.role != Role::Documentation && current.blocks > 1
    }

    fn open(&mut self, blocks: &[Block], paths: &mut Paths, current: Option<SpanId>) -> Option<SpanId> {
        let id = blocks.len() as BlockId - 1;
        let block = &blocks[id as usize];
        let parent = &blocks[block.parent as usize];
        let (role, label) = self.role(blocks, block, current);
        let asked = self.ask(blocks, paths, block, label);

        let structure = block.kind.is_structure();
        let about = if structure { block.path } else { parent.path };
        let (opened_by, about, index) = match current.map(|current| &self.spans[current.0 as usize]) {
            None => (if structure { id } else { block.parent }, about, 0),
            Some(current) => {
                let beside =
                    structure && matches!(parent.kind, Kind::Module | Kind::Class) && current.about == parent.path;
                if beside || paths.depth(current.about) > paths.depth(parent.path) {
                    (id, about, 0)
                } else if current.tokens + block.tokens > MAX_TOKENS && parent.kind == Kind::Module {
                    (current.opened_by, current.about, current.index + 1)
                } else {
                    return None;
                }
            }
        };
        let name = asked.name(paths);
        self.spans.push(Span { name, role, opened_by, about, blocks: 0, tokens: 0, index });
        Some(SpanId(self.spans.len() as u32 - 1))
    }

    fn role(&self, blocks: &[Block], block: &Block, current: Option<SpanId>) -> (Role, Label) {
        let current = current.map(|current| &self.spans[current.0 as usize]);
        let opened_by = |span: &Span| blocks[span.opened_by as usize].kind;
        let in_module = current.is_none_or(|span| opened_by(span) == Kind::Module);
        let at_the_top = current.is_none_or(|span| span.role != Role::Implementation || span.index == 0);
        if block.kind == Kind::Comment && in_module && at_the_top {
            return (Role::Documentation, Label::Docstring);
        }
        let begins_class = current.is_some_and(|span| {
            matches!(opened_by(span), Kind::Class | Kind::Constructor)
                && blocks[blocks[span.opened_by as usize].parent as usize].path != blocks[block.parent as usize].path
                && span.role != Role::Implementation
                && block.kind != Kind::Function
        });
        if matches!(block.kind, Kind::Class | Kind::Constructor) || begins_class {
            (Role::Initiation, Label::None)
        } else if block.kind == Kind::Import && in_module {
            (Role::Initiation, Label::Imports)
        } else {
            (Role::Implementation, Label::None)
        }
    }

    /// Counts that a name was asked for.
    fn ask(&mut self, blocks: &[Block], paths: &mut Paths, block: &Block, label: Label) -> Asked {
        let path = nearest_structure(blocks, block).path;
        // The module's labels share their counters with definitions of that name.
        let (path, label) = match (path, label) {
            (PathId::ROOT, Label::None) => (paths.child_named(path, "impl"), Label::None),
            (PathId::ROOT, Label::Docstring) => (paths.child_named(path, "docstring"), Label::None),
            (PathId::ROOT, Label::Imports) => (paths.child_named(path, "imports"), Label::None),
            other => other,
        };
        let count = self.asked.entry((path, label)).or_default();
        *count += 1;
        Asked { path, label, count: *count }
    }
}

/// A name that a block asked for, whether a span gets it or not.
struct Asked {
    path: PathId,
    label: Label,
    /// How often the same name was asked for, this time included.
    count: u32,
}

impl Asked {
    fn name(&self, paths: &Paths) -> String {
        let mut name = paths.text(self.path);
        name.push_str(match self.label {
            Label::None => "",
            Label::Docstring => ":docstring",
            Label::Imports => ":imports",
        });
        if self.count > 1 {
            name.push_str(&format!(":{}", self.count));
        }
        name
    }
}

fn nearest_structure<'b>(blocks: &'b [Block], block: &'b Block) -> &'b Block {
    let mut at = block;
    while !at.kind.is_structure() {
        at = &blocks[at.parent as usize];
    }
    at
}
