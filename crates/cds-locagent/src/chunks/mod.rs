//! Chunks of the code index, as LocAgent's splitter cuts them.

mod blocks;
mod cut;
mod files;
mod from_ruff;
mod from_tree_sitter;
mod naming;
mod old_grammar;
mod opening;
#[cfg(test)]
mod parsers_agree;
mod paths;
mod pieces;
mod spans;
mod syntax;
mod text;
mod tokens;
mod tree;

use serde::{Deserialize, Serialize};

use blocks::{Blocks, Tools};
use cut::{Cut, cut, looks_generated};
use text::Renderer;

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
}

impl Chunk {
    /// cl100k_base tokens of the text. LocAgent counts them for every chunk and never looks at them: here they are counted when asked for.
    pub fn tokens(&self) -> u32 {
        tokens::Counter::new().count(&self.text)
    }
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
    /// The older grammar that LocAgent uses has an error in it, ours has none.
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
pub struct Splitter(Tools);

impl Default for Splitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Splitter {
    /// A splitter for Python.
    pub fn new() -> Self {
        Self(Tools::new())
    }

    /// The chunks of a file, or why it has none.
    pub fn chunks(&mut self, path: &str, text: &str) -> Result<Vec<Chunk>, Dropped> {
        let blocks = self.0.blocks(text)?;
        if blocks.blocks[0].total == 0 {
            return Err(Dropped::Empty);
        }
        if looks_generated(&blocks, text) {
            return Err(Dropped::Generated);
        }
        let mut renderer = Renderer::new(&blocks, text);
        let chunks = cut(&blocks, text).into_iter().map(|cut| chunk(path, &blocks, &mut renderer, &cut)).collect();
        Ok(chunks)
    }
}

fn chunk(path: &str, blocks: &Blocks, renderer: &mut Renderer<'_>, cut: &Cut) -> Chunk {
    let line = |at: Option<&u32>| at.map(|id| &blocks.blocks[*id as usize]);
    let mut seen = Vec::new();
    for id in &cut.blocks {
        if let Some(span) = blocks.blocks[*id as usize].span
            && !seen.contains(&span)
        {
            seen.push(span);
        }
    }
    Chunk {
        file: path.to_owned(),
        // A chunk without blocks has no lines; it comes to be beside blocks that are nearly too long.
        start_line: line(cut.blocks.first()).map_or(0, |block| block.start_line),
        end_line: line(cut.blocks.last()).map_or(0, |block| block.end_line),
        span_ids: seen.into_iter().map(|span| blocks.spans.name(span).to_owned()).collect(),
        text: renderer.render(&cut.blocks),
    }
}

/// The chunks of a single file, or why it has none.
pub fn chunk_file(path: &str, text: &str) -> Result<Vec<Chunk>, Dropped> {
    Splitter::new().chunks(path, text)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of a file as an outline: kind, span, name and own text, children indented.
    fn outline(text: &str) -> String {
        let built = Tools::new().blocks(text).expect("a file that is kept");
        let mut out = String::new();
        for block in built.blocks.iter().skip(1).filter(|block| block.span.is_some()) {
            let depth = built.paths.depth(block.path) as usize - 1;
            let path = built.paths.text(block.path);
            let span = block.span.map_or("", |span| built.spans.name(span));
            out.push_str(&format!(
                "{}{:?} {path} in {span}: {:?}\n",
                "  ".repeat(depth),
                block.kind,
                &text[block.text.clone()]
            ));
        }
        out
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(outline(text), expect, "{text}");
    }

    #[test]
    fn a_module_has_spans_for_its_head_and_its_definitions() {
        check(
            "\"\"\"Doc.\"\"\"\nimport a.b as c\nx = f(1)\ndef g(): # c\n    return 1\ny = x\n",
            "Comment _Doc_ in docstring: \"\\\"\\\"\\\"Doc.\\\"\\\"\\\"\"\n\
             Import c in docstring: \"import a.b as c\"\n\
             Assignment x in docstring: \"x =\"\n  Call x.f_1_ in docstring: \"f(1)\"\n\
             Function g in g: \"def g():\"\n  Comment g._c in g: \"# c\"\n  Statement g.return in g: \"return\"\n    Code g.return.1 in g: \"1\"\n\
             Assignment y in impl:3: \"y =\"\n  Code y.x in impl:3: \"x\"\n",
        );
    }

    #[test]
    fn imports_without_a_plain_name_are_code() {
        check(
            "from .a import *\nfrom .b import c as d, e\nfrom f import g\n",
            "Code from_a_import_ in impl: \"from .a import *\"\n\
             Import e in impl: \"from .b import c as d, e\"\n\
             Import from_f_import_g in impl: \"from f import g\"\n",
        );
    }

    #[test]
    fn a_name_made_of_text_is_forgotten_when_taken() {
        check(
            "a[0] = 1\na[0] = 1\nx = 1\nx = 2\n",
            "Code a_0_1 in impl: \"a[0] = 1\"\nCode None_1 in impl: \"a[0] = 1\"\n\
             Assignment x in impl: \"x =\"\n  Code x.1 in impl: \"1\"\n\
             Assignment x_1 in impl: \"x =\"\n  Code x_1.2 in impl: \"2\"\n",
        );
    }

    #[test]
    fn a_class_ends_early_where_a_commented_one_inside_ends() {
        check(
            "class A: # a\n    class B: # b\n        x\n    def f(self): pass\n",
            "Class A in A: \"class A:\"\n  Comment A._a in A: \"# a\"\n  Class A.B in A.B: \"class B:\"\n    Comment A.B._b in A.B: \"# b\"\n    Code A.B.x in A.B: \"x\"\n\
             Function f in f: \"def f(self):\"\n  Code f.pass in f: \"pass\"\n",
        );
    }

    #[test]
    fn clauses_and_what_the_patterns_do_not_know() {
        check(
            "try: # c\n    a\nexcept* B:\n    b\nfinally:\n    c\nif a:\n    b; c\nelse: d\n",
            "Statement try_ in impl: \"try:\"\n  Comment try_._c in impl: \"# c\"\n  Code try_.a in impl: \"a\"\n  \
             Statement try_.except_B_ in impl: \"except* B:\"\n    Code try_.except_B_.b in impl: \"b\"\n  \
             Clause try_.finally_ in impl: \"finally:\"\n    Code try_.finally_.c in impl: \"c\"\n\
             Compound if_a_ in impl: \"if a:\"\n  Code if_a_.b in impl: \"b\"\n  Code if_a_._ in impl: \";\"\n  Code if_a_.c in impl: \"c\"\n  \
             Clause if_a_.else_ in impl: \"else:\"\n    Code if_a_.else_.d in impl: \"d\"\n",
        );
    }

    #[test]
    fn files_are_lost() {
        let generated = format!("# not generated\n{}", "x = 'word word word word'\n".repeat(400));
        let deep = format!("{}1\n", "x = ".repeat(600));
        for (text, expect) in [
            ("", Dropped::Empty),
            ("\n\n", Dropped::Empty),
            ("if a:\n\tb\n", Dropped::OddSpace),
            ("a\r\nb\r\n", Dropped::OddSpace),
            ("a = 1\n\u{c}\n", Dropped::OddSpace),
            ("x = (1\ny = )\n", Dropped::SyntaxError),
            (generated.as_str(), Dropped::Generated),
            (deep.as_str(), Dropped::TooDeep),
        ] {
            assert_eq!(chunk_file("a.py", text), Err(expect), "{:?}", &text[..text.len().min(40)]);
        }
    }

    #[test]
    fn what_is_left_out_of_a_function_is_remarked() {
        let body = |name: &str| format!("    {name} = [{}]\n", "1234, ".repeat(120));
        let text = format!("def f():\n{}{}{}", body("a"), body("b"), body("c"));
        let chunks = chunk_file("pkg/a.py", &text).expect("chunks");
        let shown: Vec<String> = chunks
            .iter()
            .map(|chunk| {
                chunk.text.lines().map(|line| line.chars().take(20).collect::<String>()).collect::<Vec<_>>().join("|")
            })
            .collect();
        assert_eq!(
            shown,
            [
                "def f():|    a = [1234, 1234,|    # ... other code",
                "def f():|    # ... other code|    b = [1234, 1234,|    # ... other code",
                "def f():|    # ... other code|    c = [1234, 1234,",
            ]
        );
        let head = "file_path: pkg/a.py\ncategory: implementation\nspan_ids: ['f']\n\ndef f():\n    a = [";
        assert!(document(&chunks[0]).starts_with(head));
    }

    #[test]
    fn a_backslash_is_kept_after_an_assignments_sign_only() {
        let text = "y = 1\nz = \\\n  \"b\"\nw =\\\n3\nif \\\n  \"a\": b\n";
        let chunks = chunk_file("a.py", text).expect("chunks");
        assert_eq!(chunks[0].text, text.trim_end());
        let chunks = chunk_file("a.py", "z = \\\n  \"b\"\n").expect("chunks");
        assert_eq!(chunks[0].text, "z =\n  \"b\"", "the first statement does not begin a line");
    }

    #[test]
    fn any_text_is_taken() {
        let sample = "@d\nclass A(B): # c\n    \"\"\"é\"\"\"\n    x: C[D, E,]\n    def __init__(self, a=1, *b) -> None: # ...\n        if a: \\\n            b; return \\\n  f'{a!r}'\n    try:\n        match(x)\n    except* E as e: pass\n    match x:\n        case 1: # é\n            x = \\\n                'a'\nfrom . import (a as b, c)\n";
        for end in (0..=sample.len()).filter(|end| sample.is_char_boundary(*end)) {
            let _ = chunk_file("a.py", &sample[..end]);
            let _ = chunk_file("a.py", &sample[end..]);
            let _ = chunk_file("a.py", &format!("{}\u{0}{}", &sample[..end], &sample[end..]));
        }
        let _ = chunk_file("a.py", &"if a:\n".repeat(100));
        let _ = chunk_file("a.py", &"(".repeat(100_000));
        let nested: String = (0..2000).map(|i| format!("{}if a:\n", " ".repeat(i))).collect();
        let _ = chunk_file("a.py", &nested);
    }
}
