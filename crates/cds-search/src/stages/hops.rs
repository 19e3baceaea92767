//! From what was found to what it needs: the graph is followed from the best hits, and what is met joins them.

use cds_graph::{Direction, Walk};
use cds_model::{Certainty, EdgeKind, EntityId};
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
            for taken in walked.taken.iter().filter(|t| t.to != seed.0 && t.to != t.from) {
                let (sum, depth) = reached.entry(EntityId(taken.to)).or_insert((0.0, taken.depth));
                *sum += score * STEP.powi(taken.depth as i32);
                *depth = (*depth).min(taken.depth);
            }
        }
        let mut reached: Vec<(EntityId, (f32, u32))> = reached.into_iter().collect();
        reached.sort_unstable_by_key(|(id, _)| *id);
        for (id, (value, depth)) in reached {
            let Some(entity) = cx.snapshot.entity(id) else { continue };
            let Some(chunk) = entity.chunk().filter(|_| cx.filter.accepts_entity(cx.snapshot, entity)) else {
                continue;
            };
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
