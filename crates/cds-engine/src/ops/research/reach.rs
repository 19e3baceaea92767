//! From entities to all that edges lead to, each with the surest way to it.
//!
//! What is certain is walked first. A way may then pass one guess, an edge that is known by name alone among several: guess upon
//! guess leads anywhere. Of each entity the way without a guess is kept, of these the shortest, of these the surest.

use cds_graph::{EdgeRow, Graph};
use cds_model::{CancelToken, Certainty, EdgeKind};
use rustc_hash::FxHashMap;

/// Entities that one walk may reach.
const MOST: usize = 20_000;

/// Edges that one walk may look at.
const MOST_STEPS: usize = 2_000_000;

/// Steps after which the clock is looked at.
const PATIENCE: usize = 1024;

/// Marks a step that is no edge: from a method to one that takes its place.
pub(super) const NO_EDGE: u32 = u32::MAX;

/// Where a walk begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) node: u32,
    /// Among how many it was chosen; more than one is a guess already.
    pub(super) candidates: u32,
}

impl Start {
    pub(super) fn sure(node: u32) -> Start {
        Start { node, candidates: 1 }
    }
}

/// What a walk may follow.
pub(super) struct Reach<'a> {
    pub(super) graph: Graph<'a>,
    pub(super) backward: bool,
    /// Kinds of edges from the first entities.
    pub(super) first: &'a [EdgeKind],
    /// Kinds from all others.
    pub(super) then: &'a [EdgeKind],
    pub(super) depth: u32,
    pub(super) floor: Certainty,
    /// What else a method may stand for where it is called, each with how many may be meant there.
    pub(super) stands_for: Option<&'a dyn Fn(u32) -> Vec<(u32, u32)>>,
    pub(super) cancel: &'a CancelToken,
}

/// The last step to an entity, and what is known of all steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) node: u32,
    /// The entity before it.
    pub(super) from: u32,
    /// The edge between them, or [`NO_EDGE`].
    pub(super) edge: u32,
    pub(super) depth: u32,
    /// How the least sure of its edges is known.
    pub(super) certainty: Certainty,
    /// Among how many the most doubtful of its entities was found.
    pub(super) candidates: u32,
    /// The way to the entity before it; none: that is a first one.
    before: Option<usize>,
}

impl Way {
    /// Whether a name alone says that it leads here.
    pub(super) fn is_guess(&self) -> bool {
        self.certainty == Certainty::Named
    }
}

/// What a walk came to.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// Certain ones first, then by depth.
    pub(super) ways: Vec<Way>,
    /// Whether a bound ended it.
    pub(super) truncated: bool,
    /// Whether time did.
    pub(super) late: bool,
}

impl Reached {
    /// The steps to an entity, from the first on.
    pub(super) fn steps(&self, way: &Way) -> Vec<Way> {
        let mut steps = vec![*way];
        let mut at = way.before;
        while let Some(before) = at.and_then(|i| self.ways.get(i)) {
            steps.push(*before);
            at = before.before;
        }
        steps.reverse();
        steps
    }
}

/// An entity whose edges are followed next.
#[derive(Clone, Copy)]
struct Open {
    node: u32,
    certainty: Certainty,
    candidates: u32,
    way: Option<usize>,
}

impl Reach<'_> {
    /// Walks.
    pub(super) fn from(&self, starts: &[Start]) -> Reached {
        let mut walk = Walk { reach: self, reached: Reached::default(), known: FxHashMap::default(), steps: 0 };
        let open = |start: &Start| {
            let certainty = if start.candidates > 1 { Certainty::Named } else { Certainty::Scoped };
            Open { node: start.node, certainty, candidates: start.candidates, way: None }
        };
        let (sure, doubtful): (Vec<Open>, Vec<Open>) = starts.iter().map(open).partition(|o| o.candidates <= 1);
        for start in starts {
            walk.known.insert(start.node, None);
        }
        // Entities by depth, as long as nothing is guessed.
        let mut levels = vec![sure];
        for depth in 0..self.depth as usize {
            let next = walk.level(&levels[depth], &[], depth as u32 + 1);
            if next.is_empty() {
                break;
            }
            levels.push(next);
        }
        // Then those that one guess leads to, and what they lead to.
        let mut guessed = doubtful;
        for depth in 0..self.depth as usize {
            let certain = levels.get(depth).map_or(&[][..], Vec::as_slice);
            guessed = walk.level(&guessed, certain, depth as u32 + 1);
        }
        walk.reached
    }
}

struct Walk<'a, 'b> {
    reach: &'a Reach<'b>,
    reached: Reached,
    /// Entities that are reached, with their ways; those at the start have none.
    known: FxHashMap<u32, Option<usize>>,
    steps: usize,
}

impl Walk<'_, '_> {
    /// One step on: from some entities along what is certain, from others along guesses.
    fn level(&mut self, certain: &[Open], guessing: &[Open], depth: u32) -> Vec<Open> {
        let first = self.reached.ways.len();
        for (list, guesses) in [(certain, false), (guessing, true)] {
            for open in list {
                for (node, edge, row) in self.neighbours(open, guesses) {
                    self.steps += 1;
                    if self.steps.is_multiple_of(PATIENCE) && self.reach.cancel.is_cancelled() {
                        self.reached.late = true;
                    }
                    if self.reached.late || self.steps > MOST_STEPS || self.reached.ways.len() >= MOST {
                        self.reached.truncated = true;
                        return Vec::new();
                    }
                    let (certainty, candidates) = row;
                    if (candidates > 1) != guesses {
                        continue;
                    }
                    let way = Way {
                        node,
                        from: open.node,
                        edge,
                        depth,
                        certainty: certainty.max(open.certainty),
                        candidates: candidates.max(open.candidates),
                        before: open.way,
                    };
                    self.take(way, first);
                }
            }
        }
        let ways = self.reached.ways.iter().enumerate().skip(first);
        ways.map(|(i, w)| Open { node: w.node, certainty: w.certainty, candidates: w.candidates, way: Some(i) })
            .collect()
    }

    /// Keeps a way to what was not reached before, or a surer one of the same length.
    fn take(&mut self, way: Way, first: usize) {
        match self.known.get(&way.node) {
            None => {
                self.known.insert(way.node, Some(self.reached.ways.len()));
                self.reached.ways.push(way);
            }
            Some(Some(at)) if *at >= first => {
                let kept = &mut self.reached.ways[*at];
                if (way.certainty, way.candidates) < (kept.certainty, kept.candidates) {
                    *kept = way;
                }
            }
            Some(_) => {}
        }
    }

    fn neighbours(&self, open: &Open, guesses: bool) -> Vec<(u32, u32, (Certainty, u32))> {
        let reach = self.reach;
        let kinds = if open.way.is_none() { reach.first } else { reach.then };
        let allowed = |row: &EdgeRow| kinds.contains(&row.kind()) && row.certainty() <= reach.floor;
        let known = |row: &EdgeRow| match row.certainty() {
            Certainty::Named => (Certainty::Named, row.candidates().max(1)),
            certainty => (certainty, 1),
        };
        let mut found: Vec<(u32, u32, (Certainty, u32))> = if reach.backward {
            let into = reach.graph.incoming(open.node).filter(|(_, _, row)| allowed(row));
            into.map(|(edge, source, row)| (source, edge, known(row))).collect()
        } else {
            let out = reach.graph.outgoing(open.node).filter(|(_, row)| allowed(row));
            out.map(|(edge, row)| (row.to, edge, known(row))).collect()
        };
        // It is a guess, and one guess is enough.
        let may_guess = guesses && reach.floor == Certainty::Named;
        if let Some(stands_for) = reach.stands_for.filter(|_| may_guess) {
            let others = stands_for(open.node).into_iter();
            found.extend(others.map(|(node, among)| (node, NO_EDGE, (Certainty::Named, among.max(2)))));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cds_graph::{Edge, GraphTables, Row, Stretch};
    use cds_model::{CancelToken, Certainty, EdgeKind};

    use super::{Reach, Reached, Start};

    /// A graph from `1>2 2>3~2`: a tilde marks a guess among so many.
    fn tables(edges: &str) -> GraphTables {
        let edges = edges.split_whitespace().enumerate().map(|(i, e)| {
            let (ends, among) = e.split_once('~').unwrap_or((e, ""));
            let (from, to) = ends.split_once('>').unwrap();
            let certainty = if among.is_empty() { Certainty::Scoped } else { Certainty::Named };
            let line = i as u32 + 1;
            let (from, to, candidates) = (from.parse().unwrap(), to.parse().unwrap(), among.parse().unwrap_or(1));
            Edge { from, start: line, to, kind: EdgeKind::Invoke, certainty, candidates, line, alias: None }
        });
        let mut stretch = Stretch::default();
        stretch.extend(0..8, Row::of_sites(edges.collect()));
        GraphTables::new(vec![stretch])
    }

    fn reached(tables: &GraphTables, depth: u32, limit: Option<Duration>, starts: &[Start]) -> Reached {
        let kinds = &[EdgeKind::Invoke];
        let cancel = CancelToken::default().within(limit);
        let (graph, floor) = (tables.graph(), Certainty::Named);
        let reach = Reach {
            graph,
            backward: false,
            first: kinds,
            then: kinds,
            depth,
            floor,
            stands_for: None,
            cancel: &cancel,
        };
        reach.from(starts)
    }

    /// `node depth` of each way, a tilde for guesses.
    fn check(edges: &str, depth: u32, expect: &str) {
        let found = reached(&tables(edges), depth, None, &[Start::sure(0)]);
        let shown =
            found.ways.iter().map(|w| format!("{}@{}{}", w.node, w.depth, if w.candidates > 1 { "~" } else { "" }));
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expect, "{edges}");
    }

    #[test]
    fn what_is_certain_comes_first_and_one_guess_is_passed() {
        check("0>1 1>2 2>3", 2, "1@1 2@2");
        check("0>1 1>0", 5, "1@1");
        // A certain way is kept though a guess is shorter.
        check("0>2~3 0>1 1>2", 5, "1@1 2@2");
        check("0>1~2 1>2 2>3~2", 5, "1@1~ 2@2~");
        check("0>1~1 1>2~1", 5, "1@1 2@2");
        check("0>1 1>2~4 2>3 3>4~2", 5, "1@1 2@2~ 3@3~");
    }

    #[test]
    fn a_way_is_as_sure_as_its_least_sure_edge() {
        let tables = tables("0>1 1>2~1 2>3");
        let found = reached(&tables, 5, None, &[Start::sure(0)]);
        let certainties: Vec<Certainty> = found.ways.iter().map(|w| w.certainty).collect();
        assert_eq!(certainties, [Certainty::Scoped, Certainty::Named, Certainty::Named]);
        let steps: Vec<u32> = found.steps(&found.ways[2]).iter().map(|w| w.node).collect();
        assert_eq!(steps, [1, 2, 3]);
        let doubtful = reached(&tables, 5, None, &[Start { node: 0, candidates: 2 }]);
        assert!(doubtful.ways.iter().all(super::Way::is_guess));
    }

    #[test]
    fn time_ends_a_walk() {
        let edges: String = (0..3000).map(|i| format!("0>{} ", 1 + i % 7)).collect();
        let many = format!("{edges} 0>0~2");
        assert!(!reached(&tables(&many), 3, None, &[Start::sure(0)]).late);
        let starts = vec![Start::sure(0); 3000];
        assert!(reached(&tables(&many), 3, Some(Duration::ZERO), &starts).late);
    }
}
