//! The dependency graph: what it holds. How it is made is in `build`, what calls and bases mean in `link`.

pub(crate) mod build;
mod link;
pub(crate) mod modules;
mod python;
mod rows;
pub(crate) mod walk;

pub use rows::{EdgeRow, NodeRow};

use std::ops::Range;

use compact_str::CompactString;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::text::Text;

/// What a node is, in LocAgent's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NodeType {
    /// A folder; the root's id is `/`.
    Directory,
    /// A `.py` file.
    File,
    /// A class.
    Class,
    /// A function or a method.
    Function,
}

impl NodeType {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Directory, Self::File, Self::Class, Self::Function];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Class => "class",
            Self::Function => "function",
        }
    }
}

/// What an edge says, in LocAgent's words. The order is that of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EdgeType {
    /// Folder of a file, file of a class, class of a method.
    Contains,
    /// An `import` that leads into the repository.
    Imports,
    /// A base class, by name.
    Inherits,
    /// A call, by name.
    Invokes,
}

impl EdgeType {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Contains, Self::Imports, Self::Inherits, Self::Invokes];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Imports => "imports",
            Self::Inherits => "inherits",
            Self::Invokes => "invokes",
        }
    }
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// `pkg/mod.py`, `pkg/mod.py:Class.method`.
    pub id: CompactString,
    /// What it is.
    pub kind: NodeType,
    /// Number of the text that it is in; none for a folder.
    pub text: Option<u32>,
    /// Its code in that text.
    pub code: Range<u32>,
    /// First line, from one; zero for a file and a folder, which have none.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

/// One edge, by places in [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// From.
    pub source: u32,
    /// To.
    pub target: u32,
    /// What it says.
    pub kind: EdgeType,
    /// The name after `as`.
    pub alias: Alias,
}

/// The name after `as`, by place in [`Graph::aliases`], or none. Three bytes, because there are millions of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "u32", into = "u32")]
pub struct Alias([u8; 3]);

impl Alias {
    /// The alias at a place. A place beyond 2^24 - 2 has none.
    fn at(place: usize) -> Self {
        u32::try_from(place + 1).ok().filter(|number| *number < 1 << 24).unwrap_or(0).into()
    }

    fn place(self) -> Option<usize> {
        (u32::from(self) as usize).checked_sub(1)
    }
}

impl From<u32> for Alias {
    fn from(number: u32) -> Self {
        let [_, bytes @ ..] = number.to_be_bytes();
        Self(bytes)
    }
}

impl From<Alias> for u32 {
    fn from(Alias([high, middle, low]): Alias) -> u32 {
        u32::from_be_bytes([0, high, middle, low])
    }
}

/// A file that the graph lacks, or has as a node that nothing contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Its path.
    pub path: CompactString,
    /// Why.
    pub kind: ProblemKind,
}

/// Why a file is not fully part of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProblemKind {
    /// It could not be read: no node.
    Unreadable,
    /// It is not UTF-8: no node.
    NotUtf8,
    /// CPython 3.12 would not parse it: a node without contents.
    Syntax,
}

impl ProblemKind {
    /// For people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Unreadable => "not in the graph: it cannot be read",
            Self::NotUtf8 => "not in the graph: it is not UTF-8",
            Self::Syntax => "a node without contents: Python 3.12 does not parse it",
        }
    }
}

/// The graph of one repository.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Graph {
    /// In the order of the walk: files by sorted path pieces, entities as they are visited.
    pub nodes: Vec<Node>,
    /// A multiset, sorted by source id, target id, type and alias. They are kept in parts of their own.
    #[serde(skip)]
    pub edges: Vec<Edge>,
    /// Names after `as`.
    pub aliases: Vec<CompactString>,
    /// The text of each file, line ends as `\n`. They are kept with the files, not with the graph.
    #[serde(skip)]
    pub(crate) texts: Vec<Text>,
    /// Files that are not, or not fully, part of it.
    pub problems: Vec<Problem>,
    /// Places of nodes in the order of their ids.
    by_id: Vec<u32>,
}

impl Graph {
    /// The place of a node.
    pub fn find(&self, id: &str) -> Option<u32> {
        let place = self.by_id.binary_search_by(|node| self.nodes[*node as usize].id.as_str().cmp(id));
        place.ok().map(|place| self.by_id[place])
    }

    /// The source of a node: the whole text of a file, a definition without its decorators; empty for a folder.
    pub fn code(&self, node: u32) -> String {
        let node = &self.nodes[node as usize];
        let Some(text) = node.text.filter(|_| !node.code.is_empty()) else { return String::new() };
        self.texts[text as usize].part(&node.code)
    }

    /// How many lines a file has, the empty one after its last line end included.
    pub(crate) fn line_count(&self, file: u32) -> u32 {
        self.nodes[file as usize].text.map_or(0, |text| self.texts[text as usize].line_ends() + 1)
    }

    /// The name after `as` of an import.
    pub fn alias(&self, edge: &Edge) -> Option<&str> {
        edge.alias.place().map(|place| self.aliases[place].as_str())
    }

    /// Places of nodes in the order of their ids.
    pub fn by_id(&self) -> &[u32] {
        &self.by_id
    }

    /// Sorts nodes for [`Graph::find`], and edges by the text of what they join. Insertion order depends on hash seeds in LocAgent; this one is for comparing.
    pub(crate) fn sort(&mut self) {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.par_sort_unstable_by(|a, b| self.nodes[*a as usize].id.cmp(&self.nodes[*b as usize].id));
        let mut rank = vec![0u64; self.nodes.len()];
        for (at, node) in order.iter().enumerate() {
            rank[*node as usize] = at as u64;
        }
        self.by_id = order;
        let key = |edge: &Edge| {
            let alias = u64::from(u32::from(edge.alias));
            (rank[edge.source as usize] << 32 | rank[edge.target as usize], (edge.kind as u64) << 40 | alias)
        };
        self.edges.par_sort_unstable_by_key(key);
    }
}

/// The name by which calls find a node: what follows the last `:` and then the last dot. All files are called `py`.
pub fn short_name(id: &str) -> &str {
    let name = id.rsplit(':').next().unwrap_or(id);
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether LocAgent takes an id (or a search term) for a test's: a word of the path starts with `test`.
pub fn is_test(id: &str) -> bool {
    let path = id.split(':').next().unwrap_or_default().to_lowercase();
    path.split([' ', '_', '/']).any(|word| word.starts_with("test"))
}
