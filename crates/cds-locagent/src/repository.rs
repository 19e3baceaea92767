//! All that LocAgent knows of one repository: made from its files, kept in one file, asked by the tools.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use compact_str::CompactString;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::chunks::{Chunk, Dropped, Splitter, document};
use crate::files::{Cut, FileFacts, Looked, Task, Wanted, tasks};
use crate::graph::build::join;
use crate::graph::modules::Modules;
use crate::graph::walk::{Walk, walk};
use crate::graph::{Graph, NodeType};
use crate::search::bm25::{Counts, GONE, Index, Kept};
use crate::search::names::Names;
use crate::search::{Outcome, Request, SearchError, search};
use crate::source::{Source, trusted};
use crate::store::{Reader, Stamps, StoreError, Writer};
use crate::tree::{Adjacency, Bound, TreeRequest, Unfinished, draw_trees, draw_within};

/// Name of the file in an index's folder.
const FILE: &str = "locagent.bin";

/// Rows of a part of the file. A part is read as a whole.
const EDGES: usize = 1 << 18;
const FILES: usize = 256;

/// Files whose texts are in memory at once.
const BATCH: usize = 256;

/// One repository, as LocAgent sees it.
#[derive(Debug)]
pub struct Repository {
    /// Folders, files, classes and functions, and how they hang together.
    pub graph: Graph,
    /// Names of the nodes that are no tests.
    pub names: Names,
    /// What the code index holds.
    pub code: Arc<CodeIndex>,
    files: Arc<Vec<FileFacts>>,
    /// How many of the files were parsed when it was read.
    parsed: usize,
    /// What files and folders looked like before they were read.
    stamps: Stamps,
    /// Made for the first tree.
    adjacency: OnceLock<Adjacency>,
}

/// What is known of files by themselves. It outlives the repository that it was read for: the next one parses only what has changed.
#[derive(Clone, Debug)]
pub struct Facts {
    files: Arc<Vec<FileFacts>>,
    code: Arc<CodeIndex>,
}

/// Chunks of the files that are no tests, and the words in them.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeIndex {
    /// In the order of files and lines.
    pub chunks: Vec<Place>,
    /// The documents are the chunks.
    pub words: Index,
    /// Files that LocAgent's splitter loses, and why.
    pub dropped: Vec<(String, Dropped)>,
}

/// Where a chunk stands. Its text is not kept: what an answer shows is the text of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Path of the file.
    pub file: CompactString,
    /// First line, from one.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Names of its spans.
    pub span_ids: Box<[CompactString]>,
}

impl From<Chunk> for Place {
    fn from(Chunk { file, start_line, end_line, span_ids, .. }: Chunk) -> Self {
        Self { file: file.into(), start_line, end_line, span_ids: span_ids.into_iter().map(Into::into).collect() }
    }
}

impl CodeIndex {
    /// Cuts and indexes every file that LocAgent's reader takes.
    pub fn build(root: &Path) -> io::Result<Self> {
        let files = trusted(root, |source| read(source, &tasks(source, &Walk::default(), Wanted::Code, &[])?, None));
        Ok(files?.code)
    }
}

/// Reads every Python file under a folder and joins them.
pub fn build_graph(root: &Path) -> io::Result<Graph> {
    trusted(root, |source| {
        let mut walked = walk(root)?;
        let Assembled { files, .. } = read(source, &tasks(source, &walked, Wanted::Graph, &[])?, None)?;
        Ok(joined(source, &mut walked, &files))
    })
}

/// Looks at files, a batch after the other.
fn read(source: Source<'_>, tasks: &[Task<'_>], known: Option<&CodeIndex>) -> io::Result<Assembled> {
    let mut assembly = Assembly::new(known, tasks.len());
    for batch in tasks.chunks(BATCH) {
        source.checkpoint()?;
        let looked: Vec<Looked> =
            batch.par_iter().map_init(|| None, |splitter, task| task.look(source, splitter)).collect();
        for looked in looked {
            assembly.add(looked);
        }
    }
    Ok(assembly.finish())
}

/// What files give that are looked at one by one.
struct Assembled {
    files: Vec<FileFacts>,
    code: CodeIndex,
    /// How many of them were parsed.
    parsed: usize,
}

/// Files and the code index while they come in.
struct Assembly<'k> {
    files: Vec<FileFacts>,
    parsed: usize,
    chunks: Vec<Place>,
    dropped: Vec<(String, Dropped)>,
    counts: Counts,
    known: Option<&'k CodeIndex>,
    /// Where the known chunks are now.
    now: Vec<u32>,
}

impl<'k> Assembly<'k> {
    fn new(known: Option<&'k CodeIndex>, files: usize) -> Self {
        Self {
            files: Vec::with_capacity(files),
            parsed: 0,
            chunks: Vec::new(),
            dropped: Vec::new(),
            counts: Counts::new(),
            known,
            now: vec![GONE; known.map_or(0, |known| known.chunks.len())],
        }
    }

    fn add(&mut self, Looked { mut facts, chunks, is_parsed }: Looked) {
        self.parsed += usize::from(is_parsed);
        let begin = self.chunks.len() as u32;
        if let Some(chunks) = chunks {
            for chunk in chunks {
                self.counts.add(self.chunks.len() as u32, &document(&chunk));
                self.chunks.push(chunk.into());
            }
            facts.cut = Some(Cut::Chunks(begin..self.chunks.len() as u32));
        } else if let (Some(Cut::Chunks(places)), Some(known)) = (&mut facts.cut, self.known) {
            for place in places.clone() {
                self.now[place as usize] = self.chunks.len() as u32;
                self.chunks.push(known.chunks[place as usize].clone());
            }
            *places = begin..self.chunks.len() as u32;
        } else if let Some(Cut::Dropped(why)) = facts.cut {
            self.dropped.push((facts.path.to_string(), why));
        }
        self.files.push(facts);
    }

    fn finish(mut self) -> Assembled {
        self.chunks.shrink_to_fit();
        let kept = self.known.map(|known| Kept { index: &known.words, now: &self.now });
        let words = self.counts.finish(kept);
        let code = CodeIndex { chunks: self.chunks, words, dropped: self.dropped };
        Assembled { files: self.files, code, parsed: self.parsed }
    }
}

fn joined(source: Source<'_>, walked: &mut Walk, files: &[FileFacts]) -> Graph {
    let parsed: FxHashMap<&str, _> =
        files.iter().filter_map(|file| Some((file.path.as_str(), file.parsed.as_ref()?))).collect();
    let modules = Modules::new(source.root, walked);
    join(&walked.found, modules, |path| parsed[path])
}

impl Repository {
    /// Reads a repository that is trusted.
    pub fn build(root: &Path) -> io::Result<Self> {
        trusted(root, |source| Self::read(source, None))
    }

    /// Reads a repository. Files that are as they were for the repository of `facts` are read, but not parsed; the result is the same.
    pub fn read(source: Source<'_>, facts: Option<Facts>) -> io::Result<Self> {
        let mut walked = walk(source.root)?;
        let (known_files, known_code) = facts.map(|facts| (facts.files, facts.code)).unzip();
        let tasks = tasks(source, &walked, Wanted::Both, known_files.as_deref().map_or(&[], Vec::as_slice))?;
        let stamps = Stamps::take(source.root, walked.watched().into_iter().chain(tasks.iter().map(Task::place)));
        let Assembled { files, code, parsed } = read(source, &tasks, known_code.as_deref())?;
        drop(tasks);
        drop((known_code, known_files));
        let graph = joined(source, &mut walked, &files);
        source.checkpoint()?;
        let names = Names::build(&graph);
        let (code, files, adjacency) = (Arc::new(code), Arc::new(files), OnceLock::new());
        Ok(Self { graph, names, code, files, parsed, stamps, adjacency })
    }

    /// How many files were parsed for it; none for one that was loaded.
    pub fn parsed(&self) -> usize {
        self.parsed
    }

    /// What the next reading need not do again. The rest is given back.
    pub fn into_facts(self) -> Facts {
        Facts { files: self.files, code: self.code }
    }

    /// The same, where others still ask it.
    pub fn facts(&self) -> Facts {
        Facts { files: Arc::clone(&self.files), code: Arc::clone(&self.code) }
    }

    /// Keeps it in the folder of an index.
    pub fn save(&self, home: &Path) -> Result<(), StoreError> {
        let mut writer = Writer::create(&home.join(FILE))?;
        writer.part(&self.stamps)?;
        writer.parts(&self.files, FILES)?;
        writer.part(&self.graph)?;
        writer.parts(&self.graph.edges, EDGES)?;
        writer.part(&self.names)?;
        writer.part(&*self.code)?;
        writer.finish()
    }

    /// Opens what was kept.
    pub fn load(home: &Path) -> Result<Self, StoreError> {
        let mut reader = Reader::open(&home.join(FILE))?;
        let stamps = reader.part()?;
        let files: Vec<FileFacts> = reader.parts()?;
        let mut graph: Graph = reader.part()?;
        let texts: FxHashMap<&str, _> =
            files.iter().filter_map(|file| Some((file.path.as_str(), file.parsed.as_ref()?.text()?))).collect();
        // The texts are numbered as the nodes of their files are.
        let is_text = |node: &&crate::graph::Node| node.kind == NodeType::File && node.text.is_some();
        let of_node = |node: &crate::graph::Node| texts.get(node.id.as_str()).map(|text| (*text).clone());
        let texts: Option<Vec<_>> = graph.nodes.iter().filter(is_text).map(of_node).collect();
        graph.texts = texts.ok_or(StoreError::Unusable)?;
        graph.edges = reader.parts()?;
        let (names, code) = (reader.part()?, reader.part()?);
        let (code, files, adjacency) = (Arc::new(code), Arc::new(files), OnceLock::new());
        Ok(Self { graph, names, code, files, parsed: 0, stamps, adjacency })
    }

    /// Whether files and folders are as they were when it was read.
    pub fn is_current(&self, root: &Path) -> bool {
        self.stamps.are_current(root)
    }

    /// The chunks with their texts, which are cut again for it.
    pub fn chunks(&self) -> Vec<Chunk> {
        let cut = |splitter: &mut Splitter, file: &FileFacts| {
            file.cut_text().and_then(|text| splitter.chunks(&file.path, &text).ok()).unwrap_or_default()
        };
        self.files.par_iter().map_init(Splitter::new, cut).collect::<Vec<_>>().concat()
    }

    /// LocAgent's `search_code_snippets`.
    pub fn search(&self, request: &Request) -> Result<Outcome, SearchError> {
        search(self, request, &|| false)
    }

    /// The same, given up when `stop` says so, which is asked for each term.
    pub fn search_until(&self, request: &Request, stop: &dyn Fn() -> bool) -> Result<Outcome, SearchError> {
        search(self, request, stop)
    }

    /// LocAgent's `explore_tree_structure`.
    pub fn trees(&self, request: &TreeRequest) -> String {
        draw_trees(&self.graph, self.adjacency(), request, |name| self.suggest(name))
    }

    /// The same, given up beyond a bound.
    pub fn trees_within(&self, request: &TreeRequest, bound: &Bound<'_>) -> Result<String, Unfinished> {
        draw_within(&self.graph, self.adjacency(), request, |name| self.suggest(name), bound)
    }

    fn adjacency(&self) -> &Adjacency {
        self.adjacency.get_or_init(|| Adjacency::new(&self.graph))
    }

    /// Nodes whose ids have words of a name.
    pub fn suggest(&self, name: &str) -> Vec<u32> {
        self.names.matching(name).unwrap_or_default()
    }
}
