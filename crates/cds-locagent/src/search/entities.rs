//! The stages that look at names: an exact id, the dictionary of short names, BM25 over ids, a fuzzy match.

use crate::graph::NodeType;
use crate::like::pystr;
use crate::search::names::id_path;
use crate::search::{Found, Search, SearchError, query_error, visible};

/// So many bearers of a name are previewed; more are only named, and end the search.
const FEW: usize = 3;

/// How many of BM25's ids are shown, and how many of these with code.
const RANKED: usize = 5;
const RANKED_WITH_CODE: usize = 3;

/// What a name's bearers must be in.
#[derive(Clone, Copy)]
enum Within<'a> {
    Everything,
    /// The files of the search.
    Files,
    /// A file whose path is part of this text. Never asked for; see [`Search::by_last_part`].
    PathsIn(&'a str),
}

/// Bearers of a name, and how they were come by.
struct Bearers<'a> {
    name: &'a str,
    nodes: Vec<u32>,
    /// Whether what stands before the last dot was disregarded. Such hits never end the search.
    doubtful: bool,
}

impl Search<'_> {
    /// What is found for a term, and whether that ends its search.
    pub(crate) fn entities(&self, term: &str) -> Result<(Vec<Found>, bool), SearchError> {
        let graph = &self.repository.graph;
        if let Some(node) = visible(graph, term) {
            return Ok((vec![Found::exact(graph, node)], true));
        }
        // Constructors are no nodes of their own.
        if let Some((node, class)) =
            term.strip_suffix(".__init__").and_then(|class| Some((visible(graph, class)?, class)))
        {
            return Ok((
                vec![Found::preview(graph, node, &format!("Exact match found for entity name `{class}`."))?],
                true,
            ));
        }
        let (mut found, ended) = self.by_name(term)?;
        if !ended {
            found.extend(self.by_rank(term)?);
        }
        Ok((found, ended))
    }

    fn by_name(&self, term: &str) -> Result<(Vec<Found>, bool), SearchError> {
        let graph = &self.repository.graph;
        let bearers = self.bearers(term);
        let source = format!("Match found for entity name `{}`.", bearers.name);
        let mut found = Vec::new();
        let mut ended = false;
        for (kind, nodes) in self.by_kind(&bearers.nodes) {
            if kind == NodeType::Directory {
                continue;
            }
            if nodes.len() <= FEW {
                for node in nodes {
                    found.push(Found::preview(graph, node, &source)?);
                }
            } else {
                found.extend(nodes.into_iter().map(|node| Found::fold(graph, node, &source)));
                ended = !bearers.doubtful;
            }
        }
        Ok((found, ended))
    }

    /// Kinds in the order in which they are met.
    fn by_kind(&self, nodes: &[u32]) -> Vec<(NodeType, Vec<u32>)> {
        let mut kinds: Vec<(NodeType, Vec<u32>)> = Vec::new();
        for &node in nodes {
            let kind = self.repository.graph.nodes[node as usize].kind;
            match kinds.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, nodes)) => nodes.push(node),
                None => kinds.push((kind, vec![node])),
            }
        }
        kinds
    }

    fn bearers<'t>(&self, term: &'t str) -> Bearers<'t> {
        let tries = [Within::Files, Within::Everything];
        match tries.iter().map(|&within| self.named(term, within, None)).find(|nodes| !nodes.is_empty()) {
            Some(nodes) => Bearers { name: term, nodes, doubtful: false },
            None => match term.rsplit_once('.') {
                Some((owner, name)) => self.by_last_part(pystr::last_piece(owner), pystr::strip(name)),
                None => Bearers { name: term, nodes: Vec::new(), doubtful: false },
            },
        }
    }

    /// `Class.method` and the like.
    ///
    /// The second try is a slip of LocAgent's: the owner is handed over where the list of files belongs, so that the files whose path is a part of the
    /// owner's text count. That is not nothing: `pkg/mod.py:Wrong.method` has the path of a file in it.
    fn by_last_part<'t>(&self, owner: Option<&str>, name: &'t str) -> Bearers<'t> {
        let owner = owner.unwrap_or_default();
        let slip = if owner.is_empty() { Within::Everything } else { Within::PathsIn(owner) };
        let nodes = self.named(name, Within::Files, Some(owner));
        let nodes = if nodes.is_empty() { self.named(name, slip, None) } else { nodes };
        let doubtful = nodes.is_empty();
        let nodes = if doubtful { self.named(name, Within::Everything, None) } else { nodes };
        Bearers { name, nodes, doubtful }
    }

    fn named(&self, term: &str, within: Within, owner: Option<&str>) -> Vec<u32> {
        let graph = &self.repository.graph;
        let nodes = self.repository.names.bearers(graph, without_keyword(term)).into_iter();
        let owner = owner.unwrap_or_default().to_lowercase();
        nodes
            .filter(|&node| {
                let id = &graph.nodes[node as usize].id;
                let inside = match within {
                    Within::Everything => true,
                    Within::Files => self.files.include(graph, id),
                    Within::PathsIn(text) => text.contains(id_path(id)),
                };
                inside && (owner.is_empty() || belongs(id, &owner))
            })
            .collect()
    }

    /// BM25 over ids, those in the files of the search if there is one. The reason given is the same when the ids are merely similar.
    fn by_rank(&self, term: &str) -> Result<Vec<Found>, SearchError> {
        let graph = &self.repository.graph;
        let matching = self.repository.names.matching(term).map_err(|error| query_error(error, term, "names"))?;
        let mut nodes = self.preferred(matching);
        if nodes.is_empty() {
            nodes = self.repository.names.similar(graph, term, FEW);
        }
        let source = "Retrieved entity using keyword search (bm25).";
        let mut with_code = 0;
        let mut found = Vec::new();
        for node in nodes.into_iter().take(RANKED) {
            match graph.nodes[node as usize].kind {
                NodeType::Directory | NodeType::File => found.push(Found::fold(graph, node, source)),
                NodeType::Class | NodeType::Function if with_code < RANKED_WITH_CODE => {
                    with_code += 1;
                    found.push(Found::preview(graph, node, source)?);
                }
                NodeType::Class | NodeType::Function => {}
            }
        }
        Ok(found)
    }

    fn preferred(&self, nodes: Vec<u32>) -> Vec<u32> {
        let graph = &self.repository.graph;
        let inside: Vec<u32> =
            nodes.iter().copied().filter(|&node| self.files.include(graph, &graph.nodes[node as usize].id)).collect();
        if inside.is_empty() { nodes } else { inside }
    }
}

/// The name after `class`, `def` and so on. `Class` is cut with the character behind it, blank or not: `Classification` is looked up as `fication`.
fn without_keyword(term: &str) -> &str {
    const KEYWORDS: [(&str, usize); 7] =
        [("class ", 6), ("Class", 6), ("function ", 9), ("Function ", 9), ("method ", 7), ("Method ", 7), ("def ", 4)];
    match KEYWORDS.iter().find(|(keyword, _)| term.starts_with(keyword)) {
        Some(&(_, cut)) => pystr::strip(pystr::after(term, cut)),
        None => term,
    }
}

/// Whether every part of the owner, in lower case, is one of the id's, its last aside. Their order does not matter.
fn belongs(id: &str, owner: &str) -> bool {
    let id = id.to_lowercase().replace(".py", "");
    let mut parts: Vec<&str> = id.split(['.', '/', ':']).collect();
    parts.pop();
    owner.split('.').all(|part| parts.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_cut() {
        let check = |term: &str, expected: &str| assert_eq!(without_keyword(term), expected, "{term}");
        check("class Session", "Session");
        check("Classification", "fication");
        check("def  send", "send");
        check("Method send", "send");
        check("definition", "definition");
        check("Class", "");
    }

    #[test]
    fn owners_are_parts_of_the_id() {
        let check = |id: &str, owner: &str, expected: bool| assert_eq!(belongs(id, owner), expected, "{id} {owner}");
        check("src/pkg/mod.py:Class.method", "class", true);
        check("src/pkg/mod.py:Class.method", "mod.class", true);
        check("src/pkg/mod.py:Class.method", "class.mod", true);
        check("src/pkg/mod.py:Class.method", "method", false);
        check("src/pkg/mod.py:Class.method", "mod.py", false);
    }
}
