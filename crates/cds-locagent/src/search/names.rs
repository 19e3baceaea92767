//! Finding entities by name: a dictionary of short names, BM25 over ids, and a fuzzy match when both find nothing.

use compact_str::CompactString;
use rapidfuzz::distance::indel;
use serde::{Deserialize, Serialize};

use crate::graph::{Graph, NodeType, is_test};
use crate::like::pystr;
use crate::search::bm25::{Index, QueryError};

/// What is known of the names in a graph. Tests are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Names {
    /// Short names in lower case with their bearers, sorted; those of one name in graph order.
    bearers: Vec<(CompactString, u32)>,
    /// Nodes, in graph order; the documents of `index`.
    nodes: Vec<u32>,
    /// Those that are files.
    files: Vec<u32>,
    index: Index,
}

impl Names {
    /// Reads the ids of a graph.
    pub fn build(graph: &Graph) -> Self {
        let id = |node: u32| graph.nodes[node as usize].id.as_str();
        let nodes = visible_nodes(graph);
        let files = nodes.iter().copied().filter(|&node| graph.nodes[node as usize].kind == NodeType::File).collect();
        let names = nodes
            .iter()
            .flat_map(|&node| short_names(id(node)).into_iter().flatten().map(move |name| (lower(name), node)));
        let mut bearers: Vec<(CompactString, u32)> = names.collect();
        bearers.sort_unstable();
        Self { bearers, files, index: Index::build(nodes.iter().map(|&node| id(node))), nodes }
    }

    /// The files that are no tests.
    pub fn files(&self) -> &[u32] {
        &self.files
    }

    /// The nodes of a short name, in graph order: as it is written, otherwise without regard to case.
    pub fn bearers(&self, graph: &Graph, name: &str) -> Vec<u32> {
        let key = name.to_lowercase();
        let from = self.bearers.partition_point(|(other, _)| other.as_str() < key.as_str());
        let any_case = || self.bearers[from..].iter().take_while(|(other, _)| *other == key).map(|&(_, node)| node);
        let exact: Vec<u32> =
            any_case().filter(|&node| short_names(&graph.nodes[node as usize].id).contains(&Some(name))).collect();
        if exact.is_empty() { any_case().collect() } else { exact }
    }

    /// The ten best ids with their scores, zero included.
    pub fn ranked(&self, query: &str) -> Result<Vec<(u32, f32)>, QueryError> {
        let hits = self.index.query(query)?;
        Ok(hits.into_iter().map(|hit| (self.nodes[hit.document as usize], hit.score)).collect())
    }

    /// The best ids with a word of the query in them, ten at most. A query without a usable word matches none.
    pub fn matching(&self, query: &str) -> Result<Vec<u32>, QueryError> {
        match self.ranked(query) {
            Ok(ranked) => Ok(ranked.into_iter().filter(|&(_, score)| score > 0.0).map(|(node, _)| node).collect()),
            Err(QueryError::NoToken) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The most similar files, classes and functions. There is no bound below which nothing is similar.
    pub fn similar(&self, graph: &Graph, query: &str, limit: usize) -> Vec<u32> {
        let query = Bag::new(query);
        let candidates = self.nodes.iter().filter(|&&node| graph.nodes[node as usize].kind != NodeType::Directory);
        let mut scored: Vec<(f64, u32)> =
            candidates.map(|&node| (query.similarity(&Bag::new(&graph.nodes[node as usize].id)), node)).collect();
        // Stable: among equals the graph's order stands.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.into_iter().take(limit).map(|(_, node)| node).collect()
    }
}

/// Nodes whose id is no test's. Whether a path is one is asked once for all that is in the file.
fn visible_nodes(graph: &Graph) -> Vec<u32> {
    let mut last = ("", false);
    let mut nodes = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let path = id_path(&node.id);
        if last.0 != path {
            last = (path, is_test(path));
        }
        if !last.1 {
            nodes.push(place as u32);
        }
    }
    nodes
}

/// The path in an id.
pub(crate) fn id_path(id: &str) -> &str {
    id.split(':').next().unwrap_or(id)
}

fn lower(name: &str) -> CompactString {
    if name.is_ascii() {
        let mut name = CompactString::from(name);
        name.make_ascii_lowercase();
        name
    } else {
        name.to_lowercase().into()
    }
}

/// Under which names an id is filed: a file with and without its ending, an entity by its last part, a folder not at all.
///
/// A method called `py` makes an id that looks like a file's, and is filed like one.
fn short_names(id: &str) -> [Option<&str>; 2] {
    let base = |path: &'_ str| path.rfind('/').map_or(0, |slash| slash + 1);
    if let Some(stem) = id.strip_suffix(".py") {
        [Some(&id[base(id)..]), Some(&stem[base(stem)..])]
    } else if let Some((_, name)) = id.rsplit_once(':') {
        [Some(name.rsplit('.').next().unwrap_or(name)), None]
    } else {
        [None, None]
    }
}

/// The different words of a text, sorted. `_` and `-` part words.
struct Bag(Vec<String>);

impl Bag {
    fn new(text: &str) -> Self {
        let text = text.replace(['_', '-'], " ");
        let mut words: Vec<String> = Vec::new();
        pystr::each_word(&text, |word| words.push(word.to_owned()));
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    /// rapidfuzz's `token_set_ratio`, 0 to 100.
    fn similarity(&self, other: &Self) -> f64 {
        if self.0.is_empty() || other.0.is_empty() {
            return 0.0;
        }
        let (common, own): (Vec<&String>, Vec<&String>) =
            self.0.iter().partition(|word| other.0.binary_search(word).is_ok());
        let foreign: Vec<&String> = other.0.iter().filter(|word| self.0.binary_search(word).is_err()).collect();
        if !common.is_empty() && (own.is_empty() || foreign.is_empty()) {
            return 100.0;
        }
        let (own, foreign) = (joined(&own), joined(&foreign));
        let common = joined(&common).len();
        // The blank that parts the common words from the others.
        let gap = usize::from(common != 0);
        let (own_len, foreign_len) = (common + gap + own.len(), common + gap + foreign.len());
        let distance = indel::distance(own.iter().copied(), foreign.iter().copied());
        let ratio = ratio(distance, own_len + foreign_len);
        if common == 0 {
            return ratio;
        }
        let own_to_common = self::ratio(gap + own.len(), common + own_len);
        let foreign_to_common = self::ratio(gap + foreign.len(), common + foreign_len);
        ratio.max(own_to_common).max(foreign_to_common)
    }
}

fn joined(words: &[&String]) -> Vec<char> {
    let mut text = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if place > 0 {
            text.push(' ');
        }
        text.extend(word.chars());
    }
    text
}

fn ratio(distance: usize, len: usize) -> f64 {
    if len == 0 { 100.0 } else { 100.0 - 100.0 * distance as f64 / len as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_filed_under_short_names() {
        let check = |id: &str, expected: &[&str]| {
            assert_eq!(short_names(id).into_iter().flatten().collect::<Vec<_>>(), expected, "{id}")
        };
        check("pkg/mod.py", &["mod.py", "mod"]);
        check("pkg/mod.py:Class.method", &["method"]);
        check("pkg", &[]);
        check("pkg/mod.py:Class.py", &["mod.py:Class.py", "mod.py:Class"]);
    }

    #[test]
    fn similarity_is_rapidfuzz() {
        let check = |a: &str, b: &str, expected: f64| {
            assert!((Bag::new(a).similarity(&Bag::new(b)) - expected).abs() < 1e-12, "{a} {b}")
        };
        check("fuzzy was a bear", "fuzzy fuzzy was a bear", 100.0);
        check("fuzzy was a bear but not a dog", "fuzzy was a bear but not a cat", 92.307_692_307_692_3);
        check("", "a", 0.0);
        check("kitten", "sitting", 61.538_461_538_461_54);
    }
}
