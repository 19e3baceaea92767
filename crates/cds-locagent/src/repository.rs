//! All that LocAgent knows of one repository: made from its files, kept in one file, asked by the tools.

use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::chunks::{Chunk, Dropped, Splitter, code_files, decode, document};
use crate::graph::Graph;
use crate::graph::build::build_graph;
use crate::graph::walk::every_path;
use crate::search::bm25::Index;
use crate::search::names::Names;
use crate::search::{Outcome, Request, SearchError, search};
use crate::store::{Parts, Stamp, StoreError, encode, write};
use crate::tree::{Adjacency, TreeRequest, draw_trees};

/// Name of the file in an index's folder.
const FILE: &str = "locagent.bin";

/// One repository, as LocAgent sees it.
#[derive(Debug)]
pub struct Repository {
    /// Folders, files, classes and functions, and how they hang together.
    pub graph: Graph,
    /// Names of the nodes that are no tests.
    pub names: Names,
    /// What the code index holds.
    pub code: CodeIndex,
    /// What files and folders looked like before they were read.
    stamps: Vec<Stamp>,
}

/// Chunks of the files that are no tests, and the words in them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct CodeIndex {
    /// In the order of files and lines.
    pub chunks: Vec<Chunk>,
    /// The documents are the chunks.
    pub words: Index,
    /// Files that LocAgent's splitter loses, and why.
    pub dropped: Vec<(String, Dropped)>,
}

impl CodeIndex {
    /// Cuts and indexes every file that LocAgent's reader takes.
    pub fn build(root: &Path) -> std::io::Result<Self> {
        let files = code_files(root)?;
        let cut: Vec<Cut> =
            files.par_iter().map_init(Splitter::new, |splitter, (path, place)| cut(splitter, path, place)).collect();
        let mut index = Self::default();
        let mut documents = Vec::new();
        for file in cut {
            match file {
                Ok(chunks) => chunks.into_iter().for_each(|(document, chunk)| {
                    documents.push(document);
                    index.chunks.push(chunk);
                }),
                Err(dropped) => index.dropped.push(dropped),
            }
        }
        index.words = Index::build(documents.iter().map(String::as_str));
        Ok(index)
    }
}

/// Chunks of a file, each behind the text that is indexed for it; or why there are none.
type Cut = Result<Vec<(String, Chunk)>, (String, Dropped)>;

fn cut(splitter: &mut Splitter, path: &str, place: &Path) -> Cut {
    let dropped = |why| (path.to_owned(), why);
    let bytes = std::fs::read(place).map_err(|_| dropped(Dropped::Unreadable))?;
    let chunks = splitter.chunks(path, &decode(&bytes)).map_err(dropped)?;
    Ok(chunks.into_iter().map(|chunk| (document(&chunk), chunk)).collect())
}

impl Repository {
    /// Reads a repository.
    pub fn build(root: &Path) -> std::io::Result<Self> {
        let stamps = every_path(root)?.iter().map(|path| Stamp::of(root, path)).collect();
        let graph = build_graph(root)?;
        let names = Names::build(&graph);
        Ok(Self { graph, names, code: CodeIndex::build(root)?, stamps })
    }

    /// Keeps it in the folder of an index.
    pub fn save(&self, home: &Path) -> Result<(), StoreError> {
        write(
            &home.join(FILE),
            &[encode(&self.stamps)?, encode(&self.graph)?, encode(&self.names)?, encode(&self.code)?],
        )
    }

    /// Opens what was kept.
    pub fn load(home: &Path) -> Result<Self, StoreError> {
        let parts = Parts::read(&home.join(FILE))?;
        let mut graph: Graph = parts.get(1)?;
        graph.restore();
        Ok(Self { graph, names: parts.get(2)?, code: parts.get(3)?, stamps: parts.get(0)? })
    }

    /// Whether files and folders are as they were when it was built.
    pub fn is_current(&self, root: &Path) -> bool {
        self.stamps.iter().all(|stamp| stamp.is_current(root))
    }

    /// LocAgent's `search_code_snippets`.
    pub fn search(&self, request: &Request) -> Result<Outcome, SearchError> {
        search(self, request)
    }

    /// LocAgent's `explore_tree_structure`.
    pub fn trees(&self, request: &TreeRequest) -> String {
        draw_trees(&self.graph, &Adjacency::new(&self.graph), request, |name| self.suggest(name))
    }

    /// Nodes whose ids have words of a name.
    pub fn suggest(&self, name: &str) -> Vec<u32> {
        self.names.matching(name).unwrap_or_default()
    }
}
