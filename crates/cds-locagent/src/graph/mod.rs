//! The dependency graph: what it holds. How it is made is in `build`, what calls and bases mean in `link`.

pub(crate) mod build;
mod link;
mod modules;
mod python;
pub(crate) mod walk;

pub use build::build_graph;

use std::ops::Range;

use compact_str::CompactString;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Node {
    /// `pkg/mod.py`, `pkg/mod.py:Class.method`.
    pub id: CompactString,
    /// What it is.
    pub kind: NodeType,
    /// Which of [`Graph::texts`] it is in; none for a folder.
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
    /// The name after `as`, by place in [`Graph::aliases`].
    pub alias: Option<u32>,
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Graph {
    /// In the order of the walk: files by sorted path pieces, entities as they are visited.
    pub nodes: Vec<Node>,
    /// A multiset, sorted by source id, target id, type and alias.
    pub edges: Vec<Edge>,
    /// Names after `as`.
    pub aliases: Vec<CompactString>,
    /// The text of each file, line ends as `\n`.
    pub texts: Vec<String>,
    /// Files that are not, or not fully, part of it.
    pub problems: Vec<Problem>,
    #[serde(skip)]
    pub(crate) by_id: FxHashMap<CompactString, u32>,
}

impl Graph {
    /// The place of a node.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// The source of a node: the whole text of a file, a definition without its decorators; empty for a folder.
    pub fn code(&self, node: u32) -> &str {
        let node = &self.nodes[node as usize];
        node.text.map_or("", |text| &self.texts[text as usize][node.code.start as usize..node.code.end as usize])
    }

    /// The name after `as` of an import.
    pub fn alias(&self, edge: &Edge) -> Option<&str> {
        edge.alias.map(|alias| self.aliases[alias as usize].as_str())
    }

    /// What is not kept on disk is made again.
    pub(crate) fn restore(&mut self) {
        self.by_id = self.nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at as u32)).collect();
    }

    /// Places of nodes in the order of their ids.
    pub fn by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_unstable_by(|a, b| self.nodes[*a as usize].id.cmp(&self.nodes[*b as usize].id));
        order
    }

    /// Sorts edges by the text of what they join. Insertion order depends on hash seeds in LocAgent; this one is for comparing.
    pub(crate) fn sort_edges(&mut self) {
        let mut rank = vec![0u64; self.nodes.len()];
        for (at, node) in self.by_id().into_iter().enumerate() {
            rank[node as usize] = at as u64;
        }
        let key = |edge: &Edge| {
            let alias = edge.alias.map_or(0, |alias| u64::from(alias) + 1);
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
