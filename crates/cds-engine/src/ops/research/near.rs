//! What goes together with the subjects: code that shares callers or callees with them, and code that is written like them.

use cds_graph::EdgeRow;
use cds_index::EntityView;
use cds_model::{Certainty, ChunkId, EdgeKind};
use cds_search::{Embedded, VectorStore};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Finding;
use super::sections::{Found, Ground};
use crate::error::Result;

/// Parts of the subjects that are looked at, and entities that each of them is joined to.
const MOST_PARTS: usize = 200;
const MOST_BETWEEN: usize = 500;

/// What is less like them than this is not.
const LEAST_COSINE: f32 = 0.5;

/// What is joined to a subject through others.
#[derive(Clone, Default)]
struct Bond {
    /// Those that both are joined to, which say the more the less else they are joined to.
    score: f32,
    shared: usize,
    /// The one that says most: its score, itself, and the edges to the subject and to the other.
    best: Option<(f32, u32, u32, u32)>,
    certainty: Option<Certainty>,
}

fn is_sure(row: EdgeRow) -> bool {
    row.kind() == EdgeKind::Invoke && !(row.certainty() == Certainty::Named && row.candidates() > 1)
}

/// Joins all that one entity is joined to with the subject.
fn bind(
    bonds: &mut FxHashMap<u32, Bond>,
    between: &mut FxHashSet<u32>,
    own: &FxHashSet<u32>,
    (near, middle, row): (u32, u32, EdgeRow),
    others: &[(u32, u32, EdgeRow)],
) {
    between.insert(middle);
    let score = 1.0 / (1.0 + others.len() as f32).ln_1p();
    let mut once = FxHashSet::default();
    for (far, node, other) in others.iter().take(MOST_BETWEEN) {
        if own.contains(node) || *node == middle || !once.insert(*node) {
            continue;
        }
        let bond = bonds.entry(*node).or_default();
        let weakest = row.certainty().max(other.certainty());
        bond.score += score;
        bond.shared += 1;
        if bond.best.is_none_or(|(best, ..)| score > best) {
            bond.best = Some((score, middle, near, *far));
            bond.certainty = Some(weakest);
        }
    }
}

impl Ground<'_> {
    /// Definitions that the same code calls, or that call the same code.
    pub(super) fn related(&self) -> Found {
        let own: FxHashSet<u32> = self.question.subjects.iter().flat_map(|s| s.parts.iter().copied()).collect();
        let mut parts: Vec<u32> = own.iter().copied().collect();
        parts.sort_unstable();
        let graph = self.snapshot.graph();
        let mut bonds: FxHashMap<u32, Bond> = FxHashMap::default();
        let mut between: FxHashSet<u32> = FxHashSet::default();
        let may_be = |node: u32| {
            let entity = self.entity(node).filter(|e| !own.contains(&node) && e.local().is_some());
            entity.is_some_and(|e| !e.is_test() && e.document().is_some())
        };
        for part in parts.into_iter().take(MOST_PARTS) {
            let callers = graph.incoming(part).filter(|(_, source, row)| is_sure(**row) && may_be(*source));
            for (to_own, middle, row) in callers.take(MOST_BETWEEN) {
                let others: Vec<(u32, u32, EdgeRow)> =
                    graph.outgoing(middle).filter(|(_, r)| is_sure(**r)).map(|(e, r)| (e, r.to, *r)).collect();
                bind(&mut bonds, &mut between, &own, (to_own, middle, *row), &others);
            }
            let callees = graph.outgoing(part).filter(|(_, row)| is_sure(**row) && may_be(row.to));
            for (to_own, row) in callees.take(MOST_BETWEEN) {
                let others: Vec<(u32, u32, EdgeRow)> =
                    graph.incoming(row.to).filter(|(_, _, r)| is_sure(**r)).map(|(e, s, r)| (e, s, *r)).collect();
                bind(&mut bonds, &mut between, &own, (to_own, row.to, *row), &others);
            }
        }
        // Who calls it, and what it calls, is told elsewhere.
        bonds.retain(|node, _| may_be(*node) && !between.contains(node));
        bonds.retain(|node, bond| {
            let entity = self.entity(*node);
            bond.certainty.is_some_and(|c| c <= self.wanted.floor)
                && entity.is_some_and(|e| self.filter.accepts_entity(self.snapshot, e))
        });
        let mut found: Vec<(u32, Bond)> = bonds.into_iter().collect();
        found.sort_by(|(a, x), (b, y)| y.score.total_cmp(&x.score).then(a.cmp(b)));
        let finding = |(node, bond): &(u32, Bond)| {
            let (_, middle, near, far) = bond.best?;
            Some(Finding {
                depth: 2,
                from: self.entity(middle).map(EntityView::key).unwrap_or_default(),
                edge: EdgeKind::Invoke.name(),
                certainty: bond.certainty?.name(),
                via: [near, far].into_iter().filter_map(|edge| self.site(edge)).collect(),
                shared: bond.shared,
                ..Ground::bare(self.entity(*node)?)
            })
        };
        let findings = found.iter().take(self.limit).filter_map(finding).collect();
        Found { findings, total: found.len(), ..Found::default() }
    }

    /// Code near the subjects in meaning; none where the index has no vectors or the subjects no text of their own.
    pub(super) fn similar(&self) -> Result<Option<Found>> {
        let store = Embedded::new(self.snapshot, &self.wanted.filters, &self.engine.tools.globs);
        let own: FxHashSet<u32> = self.question.subjects.iter().flat_map(|s| s.parts.iter().copied()).collect();
        let mut best: FxHashMap<ChunkId, f32> = FxHashMap::default();
        let mut is_known = false;
        for chunk in self.subjects().filter(|e| e.local().is_some()).filter_map(EntityView::chunk) {
            if self.cancel.is_cancelled() {
                break;
            }
            let Some(vector) = store.vector(chunk)? else { continue };
            is_known = true;
            // Its own parts are the nearest.
            let most = self.limit + own.len().min(MOST_PARTS) + 1;
            for (near, cosine) in store.nearest(&vector, most)? {
                let known = best.entry(near).or_insert(cosine);
                *known = known.max(cosine);
            }
        }
        if !is_known {
            return Ok(None);
        }
        let mut near: Vec<(ChunkId, f32)> = best.into_iter().filter(|(_, cosine)| *cosine >= LEAST_COSINE).collect();
        near.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
        let mut findings: Vec<Finding> = Vec::new();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        for (chunk, cosine) in near {
            let Some(entity) = self.snapshot.chunk(chunk).and_then(|c| c.entity()) else { continue };
            if own.contains(&entity.id.0) || !seen.insert(entity.shared_key()) {
                continue;
            }
            let bare = Ground::bare(entity);
            let via = vec![format!("{}:{}", bare.path, bare.start_line)];
            findings.push(Finding { depth: 0, similarity: Some(cosine), via, ..bare });
        }
        let total = findings.len();
        findings.truncate(self.limit);
        Ok(Some(Found { findings, total, ..Found::default() }))
    }
}
