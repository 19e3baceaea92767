//! Chunks of the code index, as LocAgent's splitter cuts them.

mod blocks;
mod cut;
mod files;
mod names;
mod old_grammar;
mod opening;
mod paths;
mod spans;
mod syntax;
mod text;
mod tokens;

use serde::{Deserialize, Serialize};
use tree_sitter::{Language, Parser};

use cut::{Cut, cut, looks_generated};
use syntax::SyntaxTable;
use text::Renderer;
use tokens::Counter;

pub use files::code_files;

/// One document of the code index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Path of the file, relative to the root.
    pub file: String,
    /// First line, from one.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Names of the spans its blocks belong to, each once, in the order in which they are first met.
    pub span_ids: Vec<String>,
    /// The text, without the head.
    pub text: String,
    /// cl100k_base tokens of the text.
    pub tokens: u32,
}

/// Why a file has no chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Dropped {
    /// It could not be read.
    #[error("it cannot be read")]
    Unreadable,
    /// It has no tokens.
    #[error("empty")]
    Empty,
    /// It is long, and its first comment has the word "generated" in it.
    #[error("more than 2000 tokens, and \"generated\" in the first comment")]
    Generated,
    /// Tabs, carriage returns or form feeds stand between its blocks.
    #[error("something else than spaces and line feeds between statements, such as tabs or carriage returns")]
    OddSpace,
    /// The parser found a syntax error in or directly below a node that becomes a block.
    #[error("syntax error")]
    SyntaxError,
    /// The older grammar that LocAgent uses has an error there, though it is Python.
    #[error("syntax that LocAgent's grammar does not know")]
    OldSyntaxError,
    /// A block has no text, which happens after syntax errors.
    #[error("a statement without text")]
    EmptyBlock,
    /// Statements are nested more deeply than Python's stack allows.
    #[error("nested too deeply")]
    TooDeep,
    /// The parser gave up.
    #[error("not parsable")]
    Unparsable,
}

/// Cuts files into chunks.
pub struct Splitter {
    parser: Parser,
    table: SyntaxTable,
    counter: Counter,
}

impl Default for Splitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Splitter {
    /// A splitter for Python.
    pub fn new() -> Self {
        let language: Language = tree_sitter_python::LANGUAGE.into();
        let mut parser = Parser::new();
        parser.set_language(&language).expect("the grammar is of a version that the parser reads");
        Self { parser, table: SyntaxTable::new(&language), counter: Counter::new() }
    }

    /// The chunks of a file, or why it has none.
    pub fn chunks(&mut self, path: &str, text: &str) -> Result<Vec<Chunk>, Dropped> {
        let blocks = blocks::build(&mut self.parser, &self.table, &mut self.counter, text)?;
        if blocks.blocks[0].total == 0 {
            return Err(Dropped::Empty);
        }
        if looks_generated(&blocks, text) {
            return Err(Dropped::Generated);
        }
        let mut renderer = Renderer::new(&blocks, text);
        let chunks = cut(&blocks, text).into_iter().map(|cut| self.chunk(path, &blocks, &mut renderer, &cut)).collect();
        Ok(chunks)
    }

    fn chunk(&mut self, path: &str, blocks: &blocks::Blocks, renderer: &mut Renderer<'_>, cut: &Cut) -> Chunk {
        let line = |at: Option<&u32>| at.map(|id| &blocks.blocks[*id as usize]);
        let mut seen = Vec::new();
        for id in &cut.blocks {
            if let Some(span) = blocks.blocks[*id as usize].span
                && !seen.contains(&span)
            {
                seen.push(span);
            }
        }
        let text = renderer.render(&cut.blocks);
        Chunk {
            file: path.to_owned(),
            // A chunk without blocks has no lines; it comes to be beside blocks that are nearly too long.
            start_line: line(cut.blocks.first()).map_or(0, |block| block.start_line),
            end_line: line(cut.blocks.last()).map_or(0, |block| block.end_line),
            span_ids: seen.into_iter().map(|span| blocks.spans.name(span).to_owned()).collect(),
            tokens: self.counter.count(&text),
            text,
        }
    }
}

/// A file's bytes as the text that is cut: what is not UTF-8 is left out.
pub fn decode(bytes: &[u8]) -> String {
    bytes.utf8_chunks().map(|chunk| chunk.valid()).collect()
}

/// The text that is indexed for a chunk: its head, an empty line, its text.
pub fn document(chunk: &Chunk) -> String {
    let mut out = format!("file_path: {}\ncategory: {}", chunk.file, category(&chunk.file));
    if chunk.start_line > 0 {
        let spans: Vec<String> = chunk.span_ids.iter().map(|span| format!("'{span}'")).collect();
        out.push_str(&format!("\nspan_ids: [{}]", spans.join(", ")));
    }
    out.push_str("\n\n");
    out.push_str(&chunk.text);
    out.truncate(out.trim_end().len());
    out
}

/// Test files are left out of the index, but its patterns for categories are wider: a file below a directory called like a test file is
/// one too, unless that directory is at the root.
fn category(path: &str) -> &'static str {
    let is_test = path.contains("/test/")
        || path.contains("/tests/")
        || path.ends_with(".py") && path.contains("/test_")
        || path.ends_with("_test.py") && path.contains('/');
    if is_test { "test" } else { "implementation" }
}
