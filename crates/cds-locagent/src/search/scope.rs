//! Which files a search is restricted to.

use crate::graph::Graph;
use crate::like::fnmatch::Pattern;
use crate::search::names::{Names, id_path};

/// The files a search is restricted to.
pub(crate) enum Files {
    /// There is none in the graph, and nothing is restricted.
    All,
    /// Per node, whether it is one.
    Some(Vec<bool>),
}

impl Files {
    /// Files, tests aside, that match; all of them when none does.
    pub(crate) fn new(graph: &Graph, names: &Names, pattern: Option<&str>, notice: &mut String) -> Self {
        let files = names.files();
        let matching = match pattern.filter(|pattern| !pattern.is_empty()) {
            None => files.to_vec(),
            Some(pattern) => matching(graph, files, pattern),
        };
        if matching.is_empty() {
            if let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) {
                *notice += &format!("No files found for file pattern '{pattern}'. Will search all files.\n...\n");
            }
            return if files.is_empty() { Self::All } else { Self::some(graph, files) };
        }
        Self::some(graph, &matching)
    }

    fn some(graph: &Graph, files: &[u32]) -> Self {
        let mut included = vec![false; graph.nodes.len()];
        for &file in files {
            included[file as usize] = true;
        }
        Self::Some(included)
    }

    /// Whether the file of an id is one of them. A folder's never is.
    pub(crate) fn include(&self, graph: &Graph, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(files) => graph.find(id_path(id)).is_some_and(|file| files[file as usize]),
        }
    }
}

/// A pattern with one of `*?[` in it covers the whole path, another is a part of it.
fn matching(graph: &Graph, files: &[u32], pattern: &str) -> Vec<u32> {
    let path = |file: &u32| graph.nodes[*file as usize].id.as_str();
    if pattern.contains(['*', '?', '[']) {
        let pattern = Pattern::new(pattern);
        files.iter().filter(|file| pattern.matches(path(file))).copied().collect()
    } else {
        files.iter().filter(|file| path(file).contains(pattern)).copied().collect()
    }
}
