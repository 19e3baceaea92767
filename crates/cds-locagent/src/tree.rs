//! Trees drawn from the graph, as LocAgent's `explore_tree_structure` prints them.
//!
//! Depth first, and greedy: a node is opened where it is met first, even when that is too deep to print what is in it. What it used up there
//! is not shown again nearer to the root. The text depends on the order of edges; here that is the sorted one.

use rustc_hash::FxHashSet;

use crate::graph::{EdgeType, Graph, NodeType, is_test};

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From source to target.
    Downstream,
    /// From target to source.
    Upstream,
    /// Both from the start, then each branch in its own direction.
    Both,
}

/// What to draw.
#[derive(Clone, Debug)]
pub struct TreeRequest {
    /// Ids to start from; `/` around a path and `.__init__` behind a class are dropped.
    pub starts: Vec<String>,
    /// Which way.
    pub direction: Direction,
    /// How deep; `None` is LocAgent's -1, which means 20.
    pub depth: Option<u32>,
    /// Only nodes of these types, if any are named.
    pub node_types: Option<Vec<NodeType>>,
    /// Only edges of these types, if any are named.
    pub edge_types: Option<Vec<EdgeType>>,
}

const DEEPEST: u32 = 20;

/// Edges by both ends, neighbours in the order of their ids.
#[derive(Debug)]
pub struct Adjacency {
    /// Where the edges of a source begin in the graph's list.
    forward: Vec<u32>,
    backward: Vec<u32>,
    /// Places in the graph's list, by target.
    incoming: Vec<u32>,
}

impl Adjacency {
    /// Both directions of a graph, in one pass each.
    pub fn new(graph: &Graph) -> Self {
        let nodes = graph.nodes.len();
        let mut forward = vec![0; nodes];
        let mut backward = vec![0; nodes + 1];
        for (at, edge) in graph.edges.iter().enumerate().rev() {
            forward[edge.source as usize] = at as u32;
            backward[edge.target as usize + 1] += 1;
        }
        for at in 0..nodes {
            backward[at + 1] += backward[at];
        }
        let mut next = backward.clone();
        let mut incoming = vec![0; graph.edges.len()];
        for (at, edge) in graph.edges.iter().enumerate() {
            let place = &mut next[edge.target as usize];
            incoming[*place as usize] = at as u32;
            *place += 1;
        }
        Self { forward, backward, incoming }
    }

    /// Targets of a node, with the types of edges that lead there.
    fn successors<'g>(&self, graph: &'g Graph, node: u32) -> impl Iterator<Item = (u32, EdgeType)> + 'g {
        let start = self.forward[node as usize] as usize;
        graph.edges[start..].iter().take_while(move |edge| edge.source == node).map(|edge| (edge.target, edge.kind))
    }

    /// Sources of a node.
    fn predecessors<'g>(&'g self, graph: &'g Graph, node: u32) -> impl Iterator<Item = (u32, EdgeType)> + 'g {
        let (start, end) = (self.backward[node as usize], self.backward[node as usize + 1]);
        let places = &self.incoming[start as usize..end as usize];
        places.iter().map(|at| &graph.edges[*at as usize]).map(|edge| (edge.source, edge.kind))
    }
}

/// How much may be drawn.
pub struct Bound<'a> {
    /// Polled for each line: `true` ends the work.
    pub stop: &'a dyn Fn() -> bool,
    /// Bytes of the text, about.
    pub bytes: usize,
}

/// Why trees were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    /// The caller said so.
    #[error("time ran out: ask for less depth, or filter by type")]
    Stopped,
    /// The text is longer than allowed.
    #[error("the tree has more than {0} bytes of text: ask for less depth, or filter by type")]
    TooLong(usize),
}

/// Draws a tree from each start; starts that are no nodes, or are tests, are hinted at below. `suggest` finds nodes for a name that is none.
pub fn draw_trees(
    graph: &Graph,
    edges: &Adjacency,
    request: &TreeRequest,
    suggest: impl Fn(&str) -> Vec<u32>,
) -> String {
    let bound = Bound { stop: &|| false, bytes: usize::MAX };
    draw_within(graph, edges, request, suggest, &bound).expect("there is no bound")
}

/// The same, given up beyond a bound.
pub(crate) fn draw_within(
    graph: &Graph,
    edges: &Adjacency,
    request: &TreeRequest,
    suggest: impl Fn(&str) -> Vec<u32>,
    bound: &Bound<'_>,
) -> Result<String, Unfinished> {
    let mut trees: Vec<String> = Vec::new();
    let mut hints = String::new();
    let mut drawn = 0;
    for start in &request.starts {
        let start = start_id(start);
        match graph.find(start) {
            None => hint_unknown(graph, start, &suggest(start), &mut hints),
            Some(_) if is_test(start) => {
                hints +=
                    &format!("No results for the test entity: `{start}`. Please do not include any test entities.\n\n");
            }
            Some(node) => {
                let left = Bound { bytes: bound.bytes.saturating_sub(drawn), ..*bound };
                let tree = Tree::new(graph, edges, request, node).draw(&left).map_err(|why| match why {
                    Unfinished::TooLong(_) => Unfinished::TooLong(bound.bytes),
                    Unfinished::Stopped => why,
                })?;
                drawn += tree.len();
                trees.push(tree);
            }
        }
    }
    let mut text = trees.join("\n\n");
    if !hints.trim().is_empty() {
        text = text + "\n\n" + &hints;
    }
    Ok(text.trim().to_owned())
}

/// The id that a start means.
pub fn start_id(start: &str) -> &str {
    let start = if start == "/" { start } else { start.trim_matches('/') };
    start.strip_suffix(".__init__").unwrap_or(start)
}

fn hint_unknown(graph: &Graph, start: &str, candidates: &[u32], hints: &mut String) {
    if candidates.is_empty() {
        *hints +=
            &format!("The entity name `{start}` is invalid. There are no possible candidate entities in record.\n");
        return;
    }
    *hints += &format!(
        "The entity name `{start}` is invalid. Based on your input, here are some candidate entities you might be referring to:\n"
    );
    for candidate in candidates.iter().take(5) {
        let node = &graph.nodes[*candidate as usize];
        *hints += &format!("{}: `{}`\n", node.kind.name(), node.id);
    }
    *hints += "Source: Retrieved entity using keyword search (bm25).\n\n";
}

/// One tree while it is drawn.
struct Tree<'g> {
    graph: &'g Graph,
    edges: &'g Adjacency,
    request: &'g TreeRequest,
    root: u32,
    opened: FxHashSet<u32>,
    used: FxHashSet<(u32, EdgeType, u32)>,
    text: String,
}

/// A neighbour to print, and how it was reached.
#[derive(Clone, Copy)]
struct Branch {
    node: u32,
    kind: EdgeType,
    direction: Direction,
}

/// Branches of a node that are being printed.
struct Level {
    branches: std::vec::IntoIter<Branch>,
    prefix: String,
}

impl<'g> Tree<'g> {
    fn new(graph: &'g Graph, edges: &'g Adjacency, request: &'g TreeRequest, root: u32) -> Self {
        Self {
            graph,
            edges,
            request,
            root,
            opened: FxHashSet::default(),
            used: FxHashSet::default(),
            text: String::new(),
        }
    }

    fn draw(mut self, bound: &Bound<'_>) -> Result<String, Unfinished> {
        let deepest = self.request.depth.unwrap_or(DEEPEST) as usize;
        self.text.push_str(&self.graph.nodes[self.root as usize].id);
        let branches = self.open(self.root, self.request.direction);
        let mut levels = vec![Level { branches: branches.into_iter(), prefix: String::new() }];
        while !levels.is_empty() {
            if self.text.len() > bound.bytes {
                return Err(Unfinished::TooLong(bound.bytes));
            }
            if (bound.stop)() {
                return Err(Unfinished::Stopped);
            }
            // What lies too deep was collected all the same: that is what uses edges up.
            let next =
                if levels.len() > deepest { None } else { levels.last_mut().and_then(|level| level.branches.next()) };
            let Some(branch) = next else {
                levels.pop();
                continue;
            };
            let level = &levels[levels.len() - 1];
            let is_last = level.branches.len() == 0;
            let prefix = self.line(branch, &level.prefix, is_last);
            let branches = self.open(branch.node, branch.direction);
            levels.push(Level { branches: branches.into_iter(), prefix });
        }
        Ok(self.text)
    }

    /// Prints a branch and gives the prefix for what is below it.
    fn line(&mut self, branch: Branch, prefix: &str, is_last: bool) -> String {
        let by = if branch.direction == Direction::Upstream { "-by" } else { "" };
        let label = format!("{}{by} ── ", branch.kind.name());
        self.text += &format!(
            "\n{prefix}{}{label}{}",
            if is_last { "└── " } else { "├── " },
            self.graph.nodes[branch.node as usize].id
        );
        let width = 3 + label.chars().count();
        format!("{prefix}{}{}", if is_last { ' ' } else { '│' }, " ".repeat(width))
    }

    /// Neighbours of a node, the first time it is met.
    fn open(&mut self, node: u32, direction: Direction) -> Vec<Branch> {
        let mut branches = Vec::new();
        if !self.opened.insert(node) {
            return branches;
        }
        let is_both = node == self.root && self.request.direction == Direction::Both;
        let (graph, edges) = (self.graph, self.edges);
        if direction == Direction::Downstream || is_both {
            for (target, kind) in edges.successors(graph, node) {
                if self.is_shown(target, kind) && self.used.insert((node, kind, target)) {
                    branches.push(Branch { node: target, kind, direction: Direction::Downstream });
                }
            }
        }
        if direction == Direction::Upstream || is_both {
            for (source, kind) in edges.predecessors(graph, node) {
                if self.is_shown(source, kind) && self.used.insert((source, kind, node)) {
                    branches.push(Branch { node: source, kind, direction: Direction::Upstream });
                }
            }
        }
        branches
    }

    fn is_shown(&self, neighbour: u32, kind: EdgeType) -> bool {
        let node = &self.graph.nodes[neighbour as usize];
        self.request.node_types.as_ref().is_none_or(|types| types.contains(&node.kind))
            && self.request.edge_types.as_ref().is_none_or(|types| types.contains(&kind))
            && !is_test(&node.id)
    }
}
