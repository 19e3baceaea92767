//! How the parts of a folder, or of the whole project, depend on each other.
//!
//! A tree of files is cut into as many parts as a reader takes in: the largest folder of source is opened again and again. Edges between
//! definitions then become edges between parts, with counts.

use std::collections::BTreeMap;

use cds_index::{DocumentView, EntityView};
use cds_model::{Certainty, EdgeKind, EntityType, PathRole, counted};
use rustc_hash::{FxHashMap, FxHashSet};

use super::members::{files_below, folder};
use super::sections::{Found, Ground};
use super::uses::Joined;
use super::{Finding, subjects};

/// Parts that are shown side by side.
const MOST_PARTS: usize = 24;

/// A part: a folder that is not opened, or a file.
#[derive(Debug)]
struct Part {
    path: String,
    /// Its files, by position among those that are looked at.
    files: Vec<usize>,
    /// Files of source among them.
    weight: usize,
}

/// Cuts paths into parts. `is_source` says which of them a reader wants to see inside.
fn cut(paths: &[(&str, bool)], root: &str, most: usize) -> Vec<Part> {
    let part = |path: &str, files: Vec<usize>| {
        let weight = files.iter().filter(|i| paths[**i].1).count();
        Part { path: path.to_owned(), files, weight }
    };
    let mut parts = vec![part(root, (0..paths.len()).collect())];
    let mut closed = Vec::new();
    loop {
        let is_open = |p: &Part| p.files.iter().any(|i| paths[*i].0 != p.path) && !closed.contains(&p.path);
        let weigh = |p: &Part| (p.weight, p.files.len());
        let largest =
            (0..parts.len()).filter(|i| is_open(&parts[*i])).max_by_key(|i| (weigh(&parts[*i]), std::cmp::Reverse(*i)));
        let Some(at) = largest else { break };
        let mut children: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for &file in &parts[at].files {
            let path = paths[file].0;
            let below = if parts[at].path.is_empty() { path } else { &path[parts[at].path.len() + 1..] };
            let first = below.split('/').next().unwrap_or(below);
            let child =
                if parts[at].path.is_empty() { first.to_owned() } else { format!("{}/{first}", parts[at].path) };
            children.entry(child).or_default().push(file);
        }
        // The first folder is opened whatever it holds; others if there is room, and if there is source in them.
        let is_first = parts.len() == 1;
        let weighs = |files: &Vec<usize>| files.iter().any(|i| paths[*i].1);
        let more = children.values().filter(|files| weighs(files)).count();
        let now = parts.iter().filter(|p| p.weight > 0).count();
        if !is_first && (now + more > most + 1 || parts[at].weight == 0) {
            closed.push(parts[at].path.clone());
            continue;
        }
        parts.splice(at..=at, children.into_iter().map(|(path, files)| part(&path, files)));
    }
    parts
}

impl Ground<'_> {
    /// Parts of the subjects' folder and what they use of each other, most edges first.
    pub(super) fn modules(&self) -> Found {
        let around = |e: EntityView| match e.entity_type() {
            EntityType::Directory => e.path(),
            _ => folder(&e.path()).to_owned(),
        };
        let root = self.subjects().next().map(around).unwrap_or_default();
        let documents: Vec<_> = files_below(self.snapshot, &root).filter(|d| self.filter.accepts_file(*d)).collect();
        let is_source = |d: &DocumentView| d.role() == PathRole::Source && d.entities().len() > 0;
        let paths: Vec<(&str, bool)> = documents.iter().map(|d| (d.path(), is_source(d))).collect();
        let parts = cut(&paths, &root, MOST_PARTS);
        let mut part_of: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, part) in parts.iter().enumerate() {
            part_of.extend(part.files.iter().map(|file| (documents[*file].id.0, at)));
        }
        let mut joined: FxHashMap<(usize, usize), Option<Joined>> = FxHashMap::default();
        let graph = self.snapshot.graph();
        for document in documents.iter().take_while(|_| !self.cancel.is_cancelled()) {
            let Some(&at) = part_of.get(&document.id.0) else { continue };
            for node in std::iter::once(document.entity()).chain(document.entities()) {
                let edges = graph.outgoing(node.0).filter(|(_, row)| row.kind() != EdgeKind::Contain);
                for (edge, row) in edges.filter(|(_, row)| row.certainty() <= self.wanted.floor) {
                    let other = self.entity(row.to).and_then(EntityView::document);
                    let Some(to) = other.and_then(|d| part_of.get(&d.id.0)).filter(|to| **to != at) else { continue };
                    // Code does not need its tests: there a name alone is mistaken.
                    let is_test = |d: DocumentView| d.role() == PathRole::Test;
                    if row.certainty() == Certainty::Named && other.is_some_and(is_test) && !is_test(*document) {
                        continue;
                    }
                    Joined::add(joined.entry((at, *to)).or_default(), edge, *row);
                }
            }
        }
        let mut edges: Vec<((usize, usize), Joined)> =
            joined.into_iter().filter_map(|(ends, joined)| Some((ends, joined?))).collect();
        // Parts that guesses alone join may have nothing to do with each other.
        edges.retain(|(_, joined)| joined.sure() > 0 || joined.candidates <= 1);
        let is_mutual = |(from, to): (usize, usize)| edges.iter().any(|(ends, _)| *ends == (to, from));
        let mutual = edges.iter().filter(|(ends, _)| ends.0 < ends.1 && is_mutual(*ends)).count();
        // What the source needs comes before what tests and examples need.
        edges.sort_by_key(|((from, to), joined)| {
            let many = std::cmp::Reverse((joined.sure(), joined.counts.guesses));
            (parts[*from].weight == 0, many, *from, *to)
        });
        let joined_parts: FxHashSet<usize> = edges.iter().flat_map(|((from, to), _)| [*from, *to]).collect();
        let finding = |((from, to), joined): &((usize, usize), Joined)| {
            let path = parts[*to].path.clone();
            let is_file = self.snapshot.document_at(&path);
            Finding {
                name: path.rsplit('/').next().unwrap_or(&path).to_owned(),
                entity_type: if is_file.is_some() { "file" } else { "directory" },
                kind: if is_file.is_some() { "file" } else { "directory" },
                id: path.clone(),
                path,
                start_line: u32::from(is_file.is_some()),
                end_line: is_file.map_or(0, |d| d.lines().max(1)),
                depth: 1,
                from: parts[*from].path.clone(),
                edge: graph.edges.get(joined.edge as usize).map_or("", |row| row.kind().name()),
                certainty: joined.certainty.name(),
                candidates: joined.candidates,
                via: self.site(joined.edge).into_iter().collect(),
                counts: Some(joined.counts),
                ..Finding::default()
            }
        };
        let place = match root.as_str() {
            "" => "the project".to_owned(),
            root => root.to_owned(),
        };
        let mut about = match edges.len() {
            0 => format!("no part of {place} is known to use another"),
            n => format!("{} of {place}, {} between them", counted(joined_parts.len(), "part"), counted(n, "edge")),
        };
        match mutual {
            0 => {}
            1 => about.push_str("; one pair uses each other"),
            n => about.push_str(&format!("; {n} pairs use each other")),
        }
        if self.subjects().any(|e| e.entity_type() != EntityType::Directory) {
            about.push_str(&format!("; {} lies there", subjects::called(self.snapshot, &self.question.subjects)));
        }
        Found {
            findings: edges.iter().take(self.limit).map(finding).collect(),
            total: edges.len(),
            about: Some(about),
            ..Found::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn the_largest_folder_of_source_is_opened_until_there_are_enough_parts() {
        // A star marks what is no source.
        let check = |paths: &[&str], root: &str, most: usize, expect: &[&str]| {
            let paths: Vec<(&str, bool)> = paths.iter().map(|p| (p.trim_end_matches('*'), !p.ends_with('*'))).collect();
            let found: Vec<String> = cut(&paths, root, most).into_iter().map(|p| p.path).collect();
            assert_eq!(found, expect, "{paths:?}");
        };
        let tree = ["docs/a.md*", "src/app/a.py", "src/app/b.py", "src/lib/c.py", "tests/d.py*", "tests/e.py*"];
        check(&tree, "", 1, &["docs", "src", "tests"]);
        // Parts without source take no room.
        check(&tree, "", 2, &["docs", "src/app", "src/lib/c.py", "tests"]);
        check(&tree, "", 9, &["docs", "src/app/a.py", "src/app/b.py", "src/lib/c.py", "tests"]);
        check(&["src/app/a.py", "src/app/b.py"], "src", 9, &["src/app/a.py", "src/app/b.py"]);
        check(&["a.py", "b.py", "c.py"], "", 2, &["a.py", "b.py", "c.py"]);
        check(&[], "", 9, &[""]);
    }
}
