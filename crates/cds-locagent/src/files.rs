//! What is known of each file by itself. Reading and parsing happen here; a file whose bytes are known is not parsed again.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use compact_str::CompactString;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::chunks::{Chunk, Dropped, Splitter, code_files, decode};
use crate::graph::build::Parsed;
use crate::graph::walk::{Found, Walk};
use crate::source::Source;
use crate::text::Text;

/// A hash of a file's bytes.
type Hash = [u8; 32];

/// What is known of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileFacts {
    pub(crate) path: CompactString,
    /// None for a file that could not be read: it is tried again.
    hash: Option<Hash>,
    /// For the graph. None where the file is not in it.
    pub(crate) parsed: Option<Parsed>,
    /// For the code index. None where the file is not in it.
    pub(crate) cut: Option<Cut>,
    /// The text that was cut, where it is not that of the graph.
    cut_text: Option<Text>,
}

/// What the splitter made of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cut {
    /// Which chunks are its own.
    Chunks(Range<u32>),
    Dropped(Dropped),
}

impl FileFacts {
    /// The text that its chunks are cut from.
    pub(crate) fn cut_text(&self) -> Option<String> {
        let text = self.cut_text.as_ref().or_else(|| self.parsed.as_ref()?.text());
        text.filter(|_| matches!(self.cut, Some(Cut::Chunks(_)))).map(Text::get)
    }
}

/// What is made of a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Graph,
    Code,
    Both,
}

/// A file to look at.
pub(crate) struct Task<'k> {
    path: CompactString,
    /// As the file system has it, below the root.
    place: PathBuf,
    in_graph: bool,
    in_code: bool,
    known: Option<&'k FileFacts>,
}

/// All files that count: those of the code index in its order, then those of the graph alone.
pub(crate) fn tasks<'k>(
    source: Source<'_>,
    walk: &Walk,
    wanted: Wanted,
    known: &'k [FileFacts],
) -> io::Result<Vec<Task<'k>>> {
    let mut in_graph: FxHashSet<&str> = FxHashSet::default();
    if wanted != Wanted::Code {
        in_graph.extend(files_of(walk));
    }
    let known: FxHashMap<&str, &FileFacts> = known.iter().map(|facts| (facts.path.as_str(), facts)).collect();
    let mut tasks = Vec::new();
    if wanted != Wanted::Graph {
        for (path, place) in code_files(source.root)? {
            let place = place.strip_prefix(source.root).unwrap_or(&place).to_owned();
            let in_graph = in_graph.remove(path.as_str());
            let known = known.get(path.as_str()).copied();
            tasks.push(Task { path: path.into(), place, in_graph, in_code: true, known });
        }
    }
    for path in files_of(walk).filter(|path| in_graph.contains(path)) {
        let known = known.get(path).copied();
        tasks.push(Task { path: path.into(), place: path.into(), in_graph: true, in_code: false, known });
    }
    Ok(tasks)
}

fn files_of(walk: &Walk) -> impl Iterator<Item = &str> {
    walk.found.iter().filter_map(|found| match found {
        Found::File(path) => Some(path.as_str()),
        Found::Directory(_) => None,
    })
}

/// What a look at a file gave.
pub(crate) struct Looked {
    /// Without the numbers of its chunks, unless they are known ones.
    pub(crate) facts: FileFacts,
    /// Chunks that were cut now.
    pub(crate) chunks: Option<Vec<Chunk>>,
    pub(crate) is_parsed: bool,
}

impl Task<'_> {
    /// For the stamps: what may change.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// Reads the file, and parses it as far as that was not done before. The splitter is made when it is needed: its tables take
    /// longer to load than a small package to read.
    pub(crate) fn look(&self, source: Source<'_>, splitter: &mut Option<Splitter>) -> Looked {
        let mut facts = FileFacts { path: self.path.clone(), hash: None, parsed: None, cut: None, cut_text: None };
        let Ok(bytes) = source.bytes(&self.place) else {
            facts.parsed = self.in_graph.then_some(Parsed::Unreadable);
            facts.cut = self.in_code.then_some(Cut::Dropped(Dropped::Unreadable));
            return Looked { facts, chunks: None, is_parsed: false };
        };
        facts.hash = Some(*blake3::hash(&bytes).as_bytes());
        let known = self.known.filter(|known| known.hash == facts.hash);
        let mut is_parsed = false;
        if self.in_graph {
            let parsed = known.and_then(|known| known.parsed.clone());
            is_parsed = parsed.is_none();
            facts.parsed = Some(parsed.unwrap_or_else(|| Parsed::of(&bytes)));
        }
        if !self.in_code {
            return Looked { facts, chunks: None, is_parsed };
        }
        if let Some(known) = known.filter(|known| known.cut.is_some()) {
            facts.cut.clone_from(&known.cut);
            facts.cut_text.clone_from(&known.cut_text);
            // A text that stood in the graph until now, or does again.
            if facts.parsed.is_none() && facts.cut_text.is_none() {
                facts.cut_text = known.parsed.as_ref().and_then(Parsed::text).cloned();
            }
            return Looked { facts, chunks: None, is_parsed };
        }
        let text = decode(&bytes);
        match splitter.get_or_insert_default().chunks(&self.path, &text) {
            Ok(chunks) => {
                let graph_has_it = facts.parsed.as_ref().is_some_and(|parsed| parsed.text().is_some());
                if !graph_has_it || text.len() != bytes.len() || memchr::memchr(b'\r', &bytes).is_some() {
                    facts.cut_text = Some(Text::new(&text));
                }
                Looked { facts, chunks: Some(chunks), is_parsed: true }
            }
            Err(dropped) => {
                facts.cut = Some(Cut::Dropped(dropped));
                Looked { facts, chunks: None, is_parsed: true }
            }
        }
    }
}
