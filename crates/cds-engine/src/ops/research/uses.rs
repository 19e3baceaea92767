//! Who uses the subjects and what they use: edges between two things are one finding, with counts.

use cds_index::EntityView;
use cds_model::{Certainty, EdgeKind, EntityType};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::Topic;
use super::sections::{Found, Ground};
use super::{EdgeCounts, Finding};

/// Edges between two things, together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    pub(super) counts: EdgeCounts,
    /// How the surest of them is known.
    pub(super) certainty: Certainty,
    /// Among how many, if it is a guess.
    pub(super) candidates: u32,
    /// The first of the surest.
    pub(super) edge: u32,
}

impl Joined {
    /// Adds an edge to those between the same two.
    pub(super) fn add(known: &mut Option<Joined>, edge: u32, row: cds_graph::EdgeRow) {
        let is_guess = row.certainty() == Certainty::Named;
        let candidates = if is_guess { row.candidates().max(1) } else { 1 };
        let own = Joined { counts: EdgeCounts::default(), certainty: row.certainty(), candidates, edge };
        let joined = known.get_or_insert(own);
        if (own.candidates, own.certainty) < (joined.candidates, joined.certainty) {
            *joined = Joined { counts: joined.counts, ..own };
        }
        let sites = row.sites().max(1) as usize;
        match row.kind() {
            _ if is_guess => joined.counts.guesses += sites,
            EdgeKind::Import => joined.counts.import += sites,
            EdgeKind::Inherit => joined.counts.inherit += sites,
            EdgeKind::Invoke | EdgeKind::Contain => joined.counts.invoke += sites,
        }
    }

    /// Edges that are known by more than a name.
    pub(super) fn sure(&self) -> usize {
        self.counts.import + self.counts.invoke + self.counts.inherit
    }
}

/// What is reached, and from where.
struct Unit {
    node: u32,
    from: u32,
    depth: u32,
    joined: Joined,
}

impl Ground<'_> {
    /// Who uses the subjects.
    pub(super) fn users(&self) -> Found {
        self.joined(Topic::Dependents)
    }

    /// What the subjects use.
    pub(super) fn used(&self) -> Found {
        self.joined(Topic::Dependencies)
    }

    /// Files count where the subject is a file, a folder or a module from outside; definitions where it is one.
    fn joined(&self, topic: Topic) -> Found {
        let by_file = self.subjects().all(|e| e.local().is_none());
        let mut known: FxHashSet<u32> = self.question.subjects.iter().flat_map(|s| s.parts.iter().copied()).collect();
        // Parts stand for the subject that they are of.
        let mut level: Vec<(u32, Vec<u32>)> = Vec::new();
        for subject in &self.question.subjects {
            level.extend(subject.own.first().map(|own| (own.0, subject.parts.clone())));
        }
        let mut units: Vec<Unit> = Vec::new();
        for depth in 1..=self.depth(topic) {
            let mut next: Vec<Unit> = Vec::new();
            for (from, nodes) in level.iter().take_while(|_| !self.cancel.is_cancelled()) {
                let mut groups: FxHashMap<u32, Option<Joined>> = FxHashMap::default();
                for node in nodes {
                    self.group(*node, topic, by_file, &known, &mut groups);
                }
                let new = groups.into_iter().filter_map(|(node, joined)| Some((node, joined?)));
                next.extend(new.map(|(node, joined)| Unit { node, from: *from, depth, joined }));
            }
            next.sort_by_key(|u| (u.node, u.joined.candidates, u.joined.certainty, u.from));
            next.dedup_by_key(|u| u.node);
            known.extend(next.iter().map(|u| u.node));
            level = next.iter().map(|u| (u.node, self.inside(u.node, by_file))).collect();
            units.extend(next);
        }
        self.told(units, by_file)
    }

    /// All of a file, or a definition alone.
    fn inside(&self, node: u32, by_file: bool) -> Vec<u32> {
        let document = self.entity(node).filter(|_| by_file).and_then(EntityView::document);
        let inside = document.into_iter().flat_map(|d| d.entities().map(|id| id.0));
        std::iter::once(node).chain(inside).collect()
    }

    fn group(
        &self,
        node: u32,
        topic: Topic,
        by_file: bool,
        known: &FxHashSet<u32>,
        groups: &mut FxHashMap<u32, Option<Joined>>,
    ) {
        let graph = self.snapshot.graph();
        let mut add = |edge: u32, other: u32, row: cds_graph::EdgeRow| {
            if row.kind() == EdgeKind::Contain || row.certainty() > self.wanted.floor || known.contains(&other) {
                return;
            }
            let Some(entity) = self.entity(other).filter(|e| e.entity_type() != EntityType::External) else { return };
            let unit = if by_file { entity.document().map_or(other, |d| d.entity().0) } else { other };
            if !known.contains(&unit) {
                Joined::add(groups.entry(unit).or_default(), edge, row);
            }
        };
        if topic == Topic::Dependents {
            graph.incoming(node).for_each(|(edge, source, row)| add(edge, source, *row));
        } else {
            graph.outgoing(node).for_each(|(edge, row)| add(edge, row.to, *row));
        }
    }

    fn told(&self, mut units: Vec<Unit>, by_file: bool) -> Found {
        let kept = |u: &Unit| {
            let entity = self.entity(u.node);
            entity.is_some_and(|e| self.filter.accepts_entity(self.snapshot, e))
        };
        units.retain(kept);
        if !by_file {
            // A file that imports it and uses it is told by who in it does.
            let used_in: FxHashSet<u32> = units
                .iter()
                .filter_map(|u| self.entity(u.node).filter(|e| e.local().is_some())?.document())
                .map(|d| d.entity().0)
                .collect();
            units.retain(|u| {
                u.joined.counts.import == 0 || u.joined.sure() > u.joined.counts.import || !used_in.contains(&u.node)
            });
        }
        let rank = |u: &Unit| {
            let is_test = self.entity(u.node).is_some_and(EntityView::is_test);
            let is_guess = u.joined.certainty == Certainty::Named;
            (is_guess, u.depth, is_test, std::cmp::Reverse(u.joined.sure()), u.node)
        };
        units.sort_by_cached_key(rank);
        let finding = |u: &Unit| {
            let entity = self.entity(u.node)?;
            let row = self.snapshot.graph().edges.get(u.joined.edge as usize)?;
            Some(Finding {
                depth: u.depth,
                from: self.entity(u.from).map(EntityView::key).unwrap_or_default(),
                edge: row.kind().name(),
                certainty: u.joined.certainty.name(),
                candidates: u.joined.candidates,
                via: self.site(u.joined.edge).into_iter().collect(),
                counts: Some(u.joined.counts),
                ..Ground::bare(entity)
            })
        };
        Found {
            findings: units.iter().take(self.limit).filter_map(finding).collect(),
            total: units.len(),
            guesses: units.iter().filter(|u| u.joined.certainty == Certainty::Named).count(),
            ..Found::default()
        }
    }

    /// Modules that the tree does not have and the subjects use, those that most files use first.
    pub(super) fn external(&self) -> Found {
        let whole = self.question.subjects.is_empty();
        let parts: Vec<u32> = if whole {
            (0..self.snapshot.graph().nodes() as u32).collect()
        } else {
            self.question.subjects.iter().flat_map(|s| self.with_file(&s.parts)).collect()
        };
        let mut groups: FxHashMap<u32, (Option<Joined>, FxHashSet<u32>)> = FxHashMap::default();
        let mut externals: FxHashMap<u32, bool> = FxHashMap::default();
        for node in parts.into_iter().take_while(|_| !self.cancel.is_cancelled()) {
            let file = self.entity(node).and_then(EntityView::document).map_or(node, |d| d.id.0);
            for (edge, row) in self.snapshot.graph().outgoing(node).filter(|(_, row)| row.kind() != EdgeKind::Contain) {
                let is_external = externals
                    .entry(row.to)
                    .or_insert_with(|| self.entity(row.to).is_some_and(|e| e.entity_type() == EntityType::External));
                if *is_external && self.passes_source(node) {
                    let (joined, files) = groups.entry(row.to).or_default();
                    Joined::add(joined, edge, *row);
                    files.insert(file);
                }
            }
        }
        let mut modules: Vec<(u32, Joined, usize)> =
            groups.into_iter().filter_map(|(node, (joined, files))| Some((node, joined?, files.len()))).collect();
        modules.sort_by_key(|(node, joined, files)| (std::cmp::Reverse((*files, joined.sure())), *node));
        let finding = |(node, joined, files): &(u32, Joined, usize)| {
            Some(Finding {
                edge: EdgeKind::Import.name(),
                certainty: joined.certainty.name(),
                via: self.site(joined.edge).into_iter().collect(),
                counts: Some(joined.counts),
                files: *files,
                ..Ground::bare(self.entity(*node)?)
            })
        };
        let findings = modules.iter().take(self.limit).filter_map(finding).collect();
        Found { findings, total: modules.len(), ..Found::default() }
    }

    /// Imports stand in the file, not in the definition that needs them.
    fn with_file(&self, parts: &[u32]) -> Vec<u32> {
        let mut nodes = parts.to_vec();
        let types = [EntityType::Class, EntityType::Function];
        let first = parts.first().and_then(|n| self.entity(*n)).filter(|e| types.contains(&e.entity_type()));
        nodes.extend(first.and_then(EntityView::document).map(|d| d.entity().0));
        nodes
    }

    /// Whether what uses a module from outside passes the filters on files.
    fn passes_source(&self, node: u32) -> bool {
        let document = self.entity(node).and_then(EntityView::document);
        document.is_none_or(|d| self.filter.accepts_file(d))
    }
}
