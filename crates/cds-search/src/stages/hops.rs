//! From what was found to what it needs: the graph is followed from the best hits, and what is met joins them.

use cds_graph::{Direction, EdgeRow, Walk};
use cds_index::EntityView;
use cds_model::{Certainty, ChunkId, EdgeKind, EntityId, PathRole};
use rustc_hash::FxHashMap;

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;

/// Hits that are followed.
const SEEDS: usize = 5;

/// What is left of a score with each step.
const STEP: f32 = 0.5;

/// Entities that one seed may bring in.
const MOST: usize = 200;

/// Weight of a call that is resolved by name only, divided by the number of candidates.
const BY_NAME: f32 = 0.5;

fn certain(edge: EdgeRow) -> f32 {
    match edge.certainty() {
        Certainty::Named => BY_NAME / edge.candidates().max(1) as f32,
        _ => 1.0,
    }
}

/// Tests, examples and the like count less, as they do among direct hits.
fn role(cx: &Cx, entity: EntityView) -> f32 {
    let is_source = entity.document().is_some_and(|document| document.role() == PathRole::Source) && !entity.is_test();
    let is_asked = cx.parsed.asks_for_tests && entity.is_test();
    if is_source || is_asked { 1.0 } else { cx.preset.weights.other_role }
}

pub(crate) struct Hops {
    pub(crate) depth: u32,
}

impl Stage for Hops {
    fn name(&self) -> &'static str {
        "hops"
    }

    fn is_optional(&self) -> bool {
        true
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        pool.sort();
        let seeds: Vec<(EntityId, f32)> =
            pool.list.iter().filter_map(|c| Some((c.entity?, c.score))).take(SEEDS).collect();
        // Every way to an entity adds its share.
        let mut reached: FxHashMap<EntityId, (f32, u32)> = FxHashMap::default();
        for (seed, score) in &seeds {
            let walk = Walk {
                direction: Direction::Forward,
                depth: self.depth,
                kinds: vec![EdgeKind::Invoke, EdgeKind::Inherit, EdgeKind::Import],
                floor: Certainty::Named,
                limit: MOST,
            };
            let walked = cds_graph::walk(cx.snapshot.graph(), &[seed.0], &walk, |_| true);
            // What of the seed's score arrives at an entity by the first way to it.
            let mut shares: FxHashMap<u32, f32> = FxHashMap::from_iter([(seed.0, 1.0)]);
            for taken in walked.taken.iter().filter(|t| t.to != seed.0 && t.to != t.from) {
                let edge = cx.snapshot.graph().edges.get(taken.edge as usize);
                let share =
                    shares.get(&taken.from).copied().unwrap_or(0.0) * STEP * edge.map_or(0.0, |edge| certain(*edge));
                shares.entry(taken.to).or_insert(share);
                let (sum, depth) = reached.entry(EntityId(taken.to)).or_insert((0.0, taken.depth));
                *sum += score * share;
                *depth = (*depth).min(taken.depth);
            }
        }
        let mut reached: Vec<(EntityId, (f32, u32))> = reached.into_iter().collect();
        reached.sort_unstable_by_key(|(id, _)| *id);
        for (id, (value, depth)) in reached {
            let Some(entity) = cx.snapshot.entity(id) else { continue };
            let passes = |chunk: &ChunkId| {
                cx.filter.accepts_entity(cx.snapshot, entity) && cx.filter.accepts_names(cx.snapshot, *chunk)
            };
            let Some(chunk) = entity.chunk().filter(passes) else { continue };
            let value = value * role(cx, entity);
            match pool.list.iter_mut().find(|c| c.chunk == chunk && c.entity.is_none_or(|e| e == id)) {
                Some(known) => known.add("hops", value),
                None => {
                    let mut candidate = Candidate::new(chunk, Some(id));
                    candidate.retrieved.push(("multi-hop", value, depth));
                    candidate.hop_depth = depth;
                    candidate.add("hops", value);
                    pool.list.push(candidate);
                }
            }
        }
        Ok(())
    }
}
