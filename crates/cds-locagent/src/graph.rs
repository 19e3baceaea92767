//! The dependency graph: what it holds. How it is made is in `build`.

use std::ops::Range;

use compact_str::CompactString;
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
    #[serde(skip)]
    by_id: FxHashMap<CompactString, u32>,
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
}

/// Whether LocAgent takes an id (or a search term) for a test's: a word of the path starts with `test`.
pub fn is_test(id: &str) -> bool {
    let path = id.split(':').next().unwrap_or_default().to_lowercase();
    path.split([' ', '_', '/']).any(|word| word.starts_with("test"))
}
