//! Questions that name a relation: "what calls login()", "implementations of Store". The graph answers them, words only help.

use cds_graph::{Direction, Walk};
use cds_model::{Certainty, ChunkId, EdgeKind, EntityId, EntityType};
use rustc_hash::FxHashMap;

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::lookup::{LookupOptions, lookup};
use crate::pipeline::Cx;
use crate::query::{Relation, relation_of};

/// How far the chain of callers is followed; implementations go through every level.
const CALLERS: u32 = 3;
const LEVELS: u32 = 10;

/// However many implement a type, it stands among this many itself: who asks for them wants to see what they promise.
const NAMED_AMONG: usize = 3;

/// Entities that the graph is followed to, before the filters.
const FOLLOWED: usize = 20_000;

/// Entities that a relation may bring in, the nearest first.
const MOST: usize = 1_000;

pub(crate) struct Relations;

impl Stage for Relations {
    fn name(&self) -> &'static str {
        "relations"
    }

    fn is_optional(&self) -> bool {
        true
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let weight = cx.preset.weights.relation;
        let Some((kind, name)) = asked(&cx.query.text).filter(|_| weight > 0.0) else { return Ok(()) };
        let starts: Vec<u32> = lookup(cx.snapshot, &name, LookupOptions::default())
            .entities
            .into_iter()
            .filter_map(|id| cx.snapshot.entity(id))
            .filter(|e| match kind {
                EdgeKind::Inherit => matches!(e.entity_type(), EntityType::Class | EntityType::External),
                _ => e.local().is_some(),
            })
            .map(|e| e.id.0)
            .collect();
        let depth = if kind == EdgeKind::Inherit { LEVELS } else { CALLERS };
        let walk =
            Walk { direction: Direction::Backward, depth, kinds: vec![kind], floor: Certainty::Named, limit: FOLLOWED };
        let walked = cds_graph::walk(cx.snapshot.graph(), &starts, &walk, |_| true);
        let mut known: FxHashMap<ChunkId, Vec<usize>> = FxHashMap::default();
        for (place, candidate) in pool.list.iter().enumerate() {
            known.entry(candidate.chunk).or_default().push(place);
        }
        let mut found = 0;
        for taken in walked.taken.iter().filter(|t| !t.repeated) {
            let Some(entity) = cx.snapshot.entity(EntityId(taken.to)) else { continue };
            let passes = |chunk: &ChunkId| {
                cx.filter.accepts_entity(cx.snapshot, entity) && cx.filter.accepts_names(cx.snapshot, *chunk)
            };
            let Some(chunk) = entity.chunk().filter(passes) else { continue };
            found += 1;
            if found > MOST {
                continue;
            }
            // The nearest count most; what is only guessed counts half.
            let edge = cx.snapshot.graph().edges.get(taken.edge as usize);
            let sure =
                if edge.is_some_and(|e| e.certainty() == Certainty::Named && e.candidates() > 1) { 0.5 } else { 1.0 };
            let value = weight * sure / taken.depth as f32;
            let of_chunk = known.entry(chunk).or_default();
            let same = of_chunk.iter().find(|place| pool.list[**place].entity.is_none_or(|e| e == entity.id));
            match same {
                Some(place) => pool.list[*place].add("relation", value),
                None => {
                    of_chunk.push(pool.list.len());
                    let mut candidate = Candidate::new(chunk, Some(entity.id));
                    candidate.retrieved.push(("graph", value, pool.list.len() as u32 + 1));
                    candidate.add("relation", value);
                    pool.list.push(candidate);
                }
            }
        }
        if found > MOST {
            pool.warnings
                .push(format!("the relation holds for {found} definitions; the {MOST} nearest are ranked by it"));
        }
        if kind == EdgeKind::Inherit {
            lift(cx, pool, &starts);
        }
        Ok(())
    }
}

/// Raises what the question names just above the last of the first ones.
fn lift(cx: &Cx, pool: &mut Candidates, starts: &[u32]) {
    let is_start = |c: &Candidate| c.entity.is_some_and(|e| starts.contains(&e.0) && declares(cx, e));
    let mut others: Vec<f32> = pool.list.iter().filter(|c| !is_start(c)).map(|c| c.score).collect();
    others.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(last) = others.get(NAMED_AMONG - 1) else { return };
    for candidate in pool.list.iter_mut().filter(|c| is_start(c)) {
        let lacking = last * 1.001 - candidate.score;
        if lacking > 0.0 {
            candidate.add("relation", lacking);
        }
    }
}

/// Whether an entity is declared where its chunk is, not added to.
fn declares(cx: &Cx, id: EntityId) -> bool {
    let entity = cx.snapshot.entity(id);
    entity.is_some_and(|e| e.local().is_some() && !matches!(e.kind().name(), "extension" | "impl" | "instance"))
}

/// Whether a query names a relation.
pub(crate) fn is_relation(query: &str) -> bool {
    asked(query).is_some()
}

/// The edges a query asks for, and the name it asks about.
fn asked(text: &str) -> Option<(EdgeKind, String)> {
    let (relation, name) = relation_of(text, &[Relation::Callers, Relation::Implementations])?;
    Some((if relation == Relation::Callers { EdgeKind::Invoke } else { EdgeKind::Inherit }, name))
}
