//! Ways through a graph: breadth first, in the order of the tables, each node once.

use std::collections::VecDeque;

use cds_model::{CancelToken, Certainty, EdgeKind};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::csr::{EdgeRow, Graph};

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From what uses to what is used.
    #[default]
    Forward,
    /// From what is used to what uses it.
    Backward,
    /// Both.
    Both,
}

impl Direction {
    /// The direction of that name; every tool has its own.
    pub fn from_name(name: &str) -> Option<Direction> {
        match name {
            "forward" | "downstream" | "outgoing" => Some(Direction::Forward),
            "backward" | "upstream" | "incoming" => Some(Direction::Backward),
            "both" => Some(Direction::Both),
            _ => None,
        }
    }

    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
            Direction::Both => "both",
        }
    }
}

/// Maximum number of edges that a walk gives; then it is truncated.
pub const MAX_EDGES: usize = 200_000;

/// Steps between two looks at the cancel token.
const STEPS: usize = 1024;

/// Counts steps and tells when the current request has ended.
struct Steps {
    cancel: CancelToken,
    count: usize,
}

impl Steps {
    fn new() -> Steps {
        Steps { cancel: CancelToken::current(), count: 0 }
    }

    fn is_cancelled(&mut self) -> bool {
        self.count += 1;
        self.count.is_multiple_of(STEPS) && self.cancel.is_cancelled()
    }
}

/// Where a walk may go.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Which way.
    pub direction: Direction,
    /// How many edges away at most.
    pub depth: u32,
    /// Which kinds of edges.
    pub kinds: Vec<EdgeKind>,
    /// Edges less sure than this are left out.
    pub floor: Certainty,
    /// How many nodes at most, the first ones not counted.
    pub limit: usize,
}

impl Walk {
    fn allows(&self, edge: EdgeRow) -> bool {
        self.kinds.contains(&edge.kind()) && edge.certainty() <= self.floor
    }
}

/// One edge of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The node the walk came from.
    pub from: u32,
    /// The node it came to.
    pub to: u32,
    /// The edge, by position.
    pub edge: u32,
    /// Whether it was followed against its direction.
    pub backward: bool,
    /// How many edges from a first node.
    pub depth: u32,
    /// Whether the node had been reached before: it is not expanded here.
    pub repeated: bool,
}

/// Edges in the order they were taken, and whether there would have been more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// One for each edge between reached nodes.
    pub taken: Vec<Taken>,
    /// Whether the limit ended it.
    pub truncated: bool,
}

/// Walks from some nodes. Nodes that `accepts` refuses are neither shown nor passed. Ends early, truncated, when the current
/// [`CancelToken`] is cancelled.
pub fn walk(graph: Graph, starts: &[u32], options: &Walk, accepts: impl Fn(u32) -> bool) -> Walked {
    let mut walked = Walked::default();
    let mut reached: FxHashSet<u32> = starts.iter().copied().collect();
    let mut shown: FxHashSet<u32> = FxHashSet::default();
    let mut queue: VecDeque<(u32, u32)> = starts.iter().map(|&s| (s, 0)).collect();
    let mut count = 0;
    let mut steps = Steps::new();
    while let Some((node, depth)) = queue.pop_front() {
        if depth == options.depth {
            continue;
        }
        for (to, edge, backward) in neighbours(graph, node, options) {
            if walked.taken.len() == MAX_EDGES || steps.is_cancelled() {
                walked.truncated = true;
                return walked;
            }
            if !accepts(to) || !shown.insert(edge) {
                continue;
            }
            let repeated = !reached.insert(to);
            if !repeated {
                if count == options.limit {
                    walked.truncated = true;
                    return walked;
                }
                count += 1;
                queue.push_back((to, depth + 1));
            }
            walked.taken.push(Taken { from: node, to, edge, backward, depth: depth + 1, repeated });
        }
    }
    walked
}

/// Where one edge leads from a node: forward ones first.
fn neighbours(graph: Graph, node: u32, options: &Walk) -> Vec<(u32, u32, bool)> {
    let mut found = Vec::new();
    if options.direction != Direction::Backward {
        let out = graph.outgoing(node).filter(|(_, e)| options.allows(**e));
        found.extend(out.map(|(at, e)| (e.to, at, false)));
    }
    if options.direction != Direction::Forward {
        let into = graph.incoming(node).filter(|(_, _, e)| options.allows(**e));
        found.extend(into.map(|(at, source, _)| (source, at, true)));
    }
    found
}

/// The shortest way from one node to another, or none within the depth, or none when the current [`CancelToken`] is cancelled.
pub fn path(graph: Graph, from: u32, to: u32, options: &Walk) -> Option<Vec<Taken>> {
    let mut came: FxHashMap<u32, Taken> = FxHashMap::default();
    let mut queue = VecDeque::from([(from, 0)]);
    let mut steps = Steps::new();
    while let Some((node, depth)) = queue.pop_front() {
        if node == to {
            let mut way = Vec::new();
            let mut at = to;
            while at != from {
                let step = came[&at];
                way.push(step);
                at = step.from;
            }
            way.reverse();
            return Some(way);
        }
        if depth == options.depth {
            continue;
        }
        for (next, edge, backward) in neighbours(graph, node, options) {
            if steps.is_cancelled() {
                return None;
            }
            if next != from && !came.contains_key(&next) {
                came.insert(next, Taken { from: node, to: next, edge, backward, depth: depth + 1, repeated: false });
                queue.push_back((next, depth + 1));
            }
        }
    }
    None
}

/// How much each node matters, by who leads to it (PageRank over certain edges); the greatest is 1.
pub fn importance(graph: Graph) -> Vec<f32> {
    const DAMPING: f64 = 0.85;
    const ROUNDS: usize = 20;
    /// Nodes that are worth another core.
    const GRAIN: usize = 8192;
    let nodes = graph.nodes();
    if nodes == 0 {
        return Vec::new();
    }
    let counts = |edge: EdgeRow| edge.kind() != EdgeKind::Contain && edge.certainty() != Certainty::Named;
    let leads = |node: usize| {
        let own = graph.outgoing(node as u32).filter(|(_, e)| counts(**e)).map(|(_, e)| e.to as usize);
        own.filter(move |to| *to < nodes)
    };
    // Most nodes lead nowhere or nobody leads to them. Those that do lie side by side, for they are walked twenty times: `speakers` lead
    // somewhere, `heard` are led to.
    let mut speakers: Vec<usize> = Vec::new();
    let mut degrees: Vec<f64> = Vec::new();
    let mut places = vec![0u32; nodes];
    for node in 0..nodes {
        let mut degree = 0u32;
        for to in leads(node) {
            degree += 1;
            places[to] += 1;
        }
        if degree > 0 {
            speakers.push(node);
            degrees.push(f64::from(degree));
        }
    }
    let mut heard: Vec<usize> = Vec::new();
    let mut firsts = vec![0u32];
    for (node, place) in places.iter_mut().enumerate().filter(|(_, place)| **place > 0) {
        let first = *firsts.last().expect("it begins with one");
        firsts.push(first + *place);
        heard.push(node);
        *place = first;
    }
    let mut sources = vec![0u32; *firsts.last().expect("it begins with one") as usize];
    for (speaker, node) in speakers.iter().enumerate() {
        for to in leads(*node) {
            sources[places[to] as usize] = speaker as u32;
            places[to] += 1;
        }
    }
    let place_of = |node: &usize| heard.binary_search(node).ok();
    let own_places: Vec<Option<u32>> = speakers.iter().map(|node| place_of(node).map(|at| at as u32)).collect();
    let is_silent = |node: &usize| speakers.binary_search(node).is_err();
    let silent: Vec<u32> = (0u32..).zip(&heard).filter(|(_, node)| is_silent(node)).map(|(at, _)| at).collect();
    // Neither lead nor are led to: all of them have the rank that everybody has at least.
    let alone = (nodes - speakers.len() - silent.len()) as f64;

    let mut least = 1.0 / nodes as f64;
    let mut rank = vec![least; heard.len()];
    let mut shares = vec![0.0; speakers.len()];
    for _ in 0..ROUNDS {
        let lost = alone * least + silent.iter().map(|at| rank[*at as usize]).sum::<f64>();
        let share = |(share, (place, degree)): (&mut f64, (&Option<u32>, &f64))| {
            *share = place.map_or(least, |at| rank[at as usize]) / degree;
        };
        shares.par_iter_mut().zip(own_places.par_iter().zip(&degrees)).with_min_len(GRAIN).for_each(share);
        least = (1.0 - DAMPING) / nodes as f64 + DAMPING * lost / nodes as f64;
        // Each node gathers from those that lead to it, in their order: so the sum is the same on any number of cores.
        let gather = |(rank, bounds): (&mut f64, &[u32])| {
            let own = &sources[bounds[0] as usize..bounds[1] as usize];
            let sum = own.iter().fold(0.0, |sum, from| sum + shares[*from as usize]);
            *rank = least + DAMPING * sum;
        };
        rank.par_iter_mut().zip(firsts.par_windows(2)).with_min_len(GRAIN).for_each(gather);
    }
    let most = rank.iter().copied().fold(least, f64::max);
    let mut importance = vec![(least / most) as f32; nodes];
    heard.iter().zip(rank).for_each(|(node, rank)| importance[*node] = (rank / most) as f32);
    importance
}

#[cfg(test)]
mod tests {
    use cds_model::{Certainty, EdgeKind};

    use super::{Direction, Walk, importance, path, walk};
    use crate::csr::{GraphTables, Row, Stretch};
    use crate::link::Edge;

    /// A graph from `1>2 2>3~`: a tilde marks an edge known by name only.
    fn tables(nodes: usize, edges: &str) -> GraphTables {
        let edges = edges.split_whitespace().enumerate().map(|(i, e)| {
            let certainty = if e.ends_with('~') { Certainty::Named } else { Certainty::Scoped };
            let (from, to) = e.trim_end_matches('~').split_once('>').unwrap();
            let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
            let line = i as u32 + 1;
            Edge { from, start: line, to, kind: EdgeKind::Invoke, certainty, candidates: 1, line, alias: None }
        });
        let mut stretch = Stretch::default();
        stretch.extend(0..nodes as u32, Row::of_sites(edges.collect()));
        GraphTables::new(vec![stretch])
    }

    fn options(direction: Direction, depth: u32) -> Walk {
        Walk { direction, depth, kinds: vec![EdgeKind::Invoke], floor: Certainty::Named, limit: 100 }
    }

    fn check(edges: &str, direction: Direction, depth: u32, expect: &str) {
        let tables = tables(6, edges);
        let walked = walk(tables.graph(), &[0], &options(direction, depth), |_| true);
        let shown = walked.taken.iter().map(|t| format!("{}>{}{}", t.from, t.to, if t.repeated { "*" } else { "" }));
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expect, "{edges}");
    }

    #[test]
    fn every_node_is_expanded_once() {
        check("0>1 0>2 1>3 2>3", Direction::Forward, 10, "0>1 0>2 1>3 2>3*");
        check("0>1 1>0 1>2", Direction::Forward, 10, "0>1 1>0* 1>2");
        check("0>0", Direction::Forward, 3, "0>0*");
        check("0>1 1>2 2>3", Direction::Forward, 2, "0>1 1>2");
        check("1>0 2>1 0>3", Direction::Backward, 10, "0>1 1>2");
        check("1>0 0>2", Direction::Both, 1, "0>2 0>1");
    }

    #[test]
    fn floors_limits_and_filters_hold() {
        let tables = tables(6, "0>1~ 0>2 2>3 0>4");
        let sure = Walk { floor: Certainty::Typed, ..options(Direction::Forward, 5) };
        let ends = |w: &super::Walked| w.taken.iter().map(|t| t.to).collect::<Vec<_>>();
        assert_eq!(ends(&walk(tables.graph(), &[0], &sure, |_| true)), [2, 4, 3]);
        assert_eq!(ends(&walk(tables.graph(), &[0], &sure, |n| n != 2)), [4]);
        let walked = walk(tables.graph(), &[0], &Walk { limit: 1, ..sure }, |_| true);
        assert_eq!((ends(&walked), walked.truncated), (vec![2], true));
    }

    #[test]
    fn a_walk_ends_at_its_limit_of_edges_and_when_it_is_cancelled() {
        // Every one of 500 nodes leads to every other: a quarter of a million edges.
        let edges: Vec<String> = (0..500).flat_map(|a| (0..500).map(move |b| format!("{a}>{b}"))).collect();
        let tables = tables(500, &edges.join(" "));
        let options = Walk { limit: 100_000, ..options(Direction::Forward, 10) };
        let walked = walk(tables.graph(), &[0], &options, |_| true);
        assert_eq!((walked.taken.len(), walked.truncated), (super::MAX_EDGES, true));
        let cancel = cds_model::CancelToken::default();
        cancel.cancel();
        let (stopped, way) = cancel.scope(|| {
            let stopped = walk(tables.graph(), &[0], &options, |_| true);
            (stopped, path(tables.graph(), 0, 500, &options))
        });
        assert!(stopped.truncated && stopped.taken.len() <= super::STEPS, "{}", stopped.taken.len());
        assert_eq!(way, None);
    }

    #[test]
    fn the_shortest_way_is_found() {
        let tables = tables(6, "0>1 1>2 2>3 0>4 4>3 3>5");
        let way = |from, to, depth| {
            let way = path(tables.graph(), from, to, &options(Direction::Forward, depth))?;
            Some(way.iter().map(|t| t.to).collect::<Vec<_>>())
        };
        assert_eq!(way(0, 5, 10), Some(vec![4, 3, 5]));
        assert_eq!(way(0, 5, 2), None);
        assert_eq!(way(5, 0, 10), None);
        assert_eq!(way(0, 0, 1), Some(vec![]));
    }

    #[test]
    fn what_many_lead_to_matters_most() {
        let ranks = importance(tables(6, "0>1 2>1 3>1 1>4 5>3~").graph());
        assert!(ranks[4] > ranks[0] && ranks[1] > ranks[3]);
        assert!((ranks.iter().copied().fold(0.0, f32::max) - 1.0).abs() < 1e-6);
        assert!((ranks[3] - ranks[5]).abs() < 1e-6, "a guess counts for nothing");
    }
}
