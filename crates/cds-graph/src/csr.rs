//! The graph in rows: edges of each node side by side, both ways, without a string in it.

use cds_model::{Certainty, EdgeKind};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::link::Edge;
use crate::rows::Rows;

/// One edge in eight bytes: where it leads, and packed together the line of its first site and how it is known. There are
/// more edges than anything else in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct EdgeRow {
    /// The node it leads to.
    pub to: u32,
    packed: u32,
}

/// Widths of what is packed, lowest bits first: kind, certainty, candidates, sites, line.
const CANDIDATES: u32 = 4;
const SITES: u32 = 6;
const LINE: u32 = 18;

const fn most(bits: u32) -> u32 {
    (1 << bits) - 1
}

impl EdgeRow {
    fn new(to: u32, line: u32, kind: EdgeKind, certainty: Certainty, candidates: u16, sites: u32) -> EdgeRow {
        let packed = kind as u32
            | (certainty as u32) << 2
            | u32::from(candidates).min(most(CANDIDATES)) << 4
            | sites.min(most(SITES)) << (4 + CANDIDATES)
            | line.min(most(LINE)) << (4 + CANDIDATES + SITES);
        EdgeRow { to, packed }
    }

    /// That a node contains another one.
    pub fn contain(child: u32) -> EdgeRow {
        EdgeRow::new(child, 0, EdgeKind::Contain, Certainty::Scoped, 1, 1)
    }

    /// The same to another node.
    #[must_use]
    pub fn leading_to(self, to: u32) -> EdgeRow {
        EdgeRow { to, ..self }
    }

    /// What it says.
    pub fn kind(self) -> EdgeKind {
        EdgeKind::ALL[(self.packed & 3) as usize]
    }

    /// How it is known.
    pub fn certainty(self) -> Certainty {
        Certainty::ALL[(self.packed >> 2 & 3) as usize]
    }

    /// Whether it says that one thing needs another, and which: not that it contains it, nor that it may need one of many.
    pub fn is_use(self) -> bool {
        self.kind() != EdgeKind::Contain && self.candidates() <= 3
    }

    /// Among how many it was found.
    pub fn candidates(self) -> u32 {
        self.packed >> 4 & most(CANDIDATES)
    }

    /// How many sites say so; 63 means that many or more.
    pub fn sites(self) -> u32 {
        self.packed >> (4 + CANDIDATES) & most(SITES)
    }

    /// The line of its first site in the file of the node it begins at; 0 where there is none.
    pub fn line(self) -> u32 {
        self.packed >> (4 + CANDIDATES + SITES)
    }
}

/// An edge with where it begins.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The node it begins at.
    pub from: u32,
    /// The rest.
    pub edge: EdgeRow,
    /// What an import calls it, among the symbols.
    pub alias: Option<u32>,
}

impl Row {
    /// Sites that say the same are one edge: the surest way it is known, its first line. `sites` are those of one file.
    pub fn of_sites(mut sites: Vec<Edge>) -> Vec<Row> {
        sites.sort_unstable_by_key(|e| (e.from, e.kind, e.to, e.certainty, e.line, e.start));
        let same = sites.chunk_by(|a, b| (a.from, a.kind, a.to) == (b.from, b.kind, b.to));
        let row = |same: &[Edge]| {
            let Edge { from, to, line, kind, certainty, candidates, .. } = same[0];
            let edge = EdgeRow::new(to, line, kind, certainty, candidates, same.len() as u32);
            Row { from, edge, alias: same.iter().find_map(|e| e.alias) }
        };
        same.map(row).collect()
    }
}

/// The tables of a graph, ready to be written.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GraphTables {
    /// Where the edges of each node begin, and one more.
    pub out: Vec<u32>,
    /// All edges, by source; of one source by kind, line and target.
    pub edges: Vec<EdgeRow>,
    /// Where the incoming edges of each node begin, and one more; then positions of edges.
    pub incoming: Vec<u32>,
    /// Position of an edge and the number of its alias, by position.
    pub aliases: Vec<[u32; 2]>,
}

/// Edges of some nodes, one after the other.
#[derive(Debug, Default)]
pub struct Stretch {
    /// Where the edges of each node end.
    ends: Vec<u32>,
    edges: Vec<EdgeRow>,
    aliases: Vec<[u32; 2]>,
    /// The edges of the next node, with their aliases.
    open: Vec<(EdgeRow, Option<u32>)>,
}

impl Stretch {
    /// An edge of the next node.
    pub fn push(&mut self, edge: EdgeRow, alias: Option<u32>) {
        self.open.push((edge, alias));
    }

    /// The next node has no more edges.
    pub fn end_node(&mut self) {
        let order = |(edge, _): &(EdgeRow, Option<u32>)| (edge.kind(), edge.line(), edge.to);
        // What was laid out before and only moved is in order.
        if !self.open.is_sorted_by_key(order) {
            self.open.sort_unstable_by_key(order);
        }
        for (edge, alias) in self.open.drain(..) {
            if let Some(alias) = alias {
                self.aliases.push([self.edges.len() as u32, alias]);
            }
            self.edges.push(edge);
        }
        self.ends.push(self.edges.len() as u32);
    }

    /// Nodes with these edges; those of one node stand together, in the order of nodes.
    pub fn extend(&mut self, nodes: std::ops::Range<u32>, rows: impl IntoIterator<Item = Row>) {
        let mut rows = rows.into_iter().peekable();
        for node in nodes {
            while let Some(row) = rows.next_if(|row| row.from == node) {
                self.push(row.edge, row.alias);
            }
            self.end_node();
        }
        debug_assert!(rows.next().is_none(), "edges of nodes in order");
    }
}

impl GraphTables {
    /// Joins stretches of nodes that follow each other.
    pub fn new(stretches: Vec<Stretch>) -> GraphTables {
        let nodes: usize = stretches.iter().map(|s| s.ends.len()).sum();
        let mut tables = GraphTables {
            out: Vec::with_capacity(nodes + 1),
            edges: Vec::with_capacity(stretches.iter().map(|s| s.edges.len()).sum()),
            ..GraphTables::default()
        };
        tables.out.push(0);
        for Stretch { ends, edges, aliases, .. } in stretches {
            let first = tables.edges.len() as u32;
            tables.out.extend(ends.iter().map(|end| first + end));
            tables.aliases.extend(aliases.iter().map(|[at, alias]| [first + at, *alias]));
            tables.edges.extend_from_slice(&edges);
        }
        // Each edge goes to its place by counting. A place is counted one too far, and is right once it is filled.
        let GraphTables { edges, incoming, .. } = &mut tables;
        incoming.resize(nodes + 1 + edges.len(), 0);
        let (firsts, positions) = incoming.split_at_mut(nodes + 1);
        for edge in &*edges {
            firsts[edge.to as usize] += 1;
        }
        let mut sum = 0;
        for first in firsts.iter_mut() {
            sum += *first;
            *first = sum;
        }
        for (at, edge) in edges.iter().enumerate().rev() {
            let place = &mut firsts[edge.to as usize];
            *place -= 1;
            positions[*place as usize] = at as u32;
        }
        tables
    }

    /// The same to read.
    pub fn graph(&self) -> Graph<'_> {
        let (out, edges, incoming) = (self.out.as_slice(), self.edges.as_slice(), self.incoming.as_slice());
        Graph { out: out.into(), edges: edges.into(), incoming: incoming.into() }
    }
}

/// A graph to read, mapped from disk or in memory. Damaged tables give no edges; they never panic.
#[derive(Clone, Copy, Debug)]
pub struct Graph<'a> {
    /// See [`GraphTables::out`].
    pub out: Rows<'a, u32>,
    /// See [`GraphTables::edges`].
    pub edges: Rows<'a, EdgeRow>,
    /// See [`GraphTables::incoming`].
    pub incoming: Rows<'a, u32>,
}

impl<'a> Graph<'a> {
    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.out.len().saturating_sub(1)
    }

    fn range(bounds: Rows<u32>, node: u32) -> std::ops::Range<usize> {
        let at = node as usize;
        match bounds.slice(at..at.saturating_add(2)) {
            &[from, to] => from as usize..to as usize,
            _ => 0..0,
        }
    }

    /// Edges that begin at a node, with their positions.
    pub fn outgoing(&self, node: u32) -> impl Iterator<Item = (u32, &'a EdgeRow)> + use<'a> {
        let range = Self::range(self.out, node);
        let first = range.start as u32;
        self.edges.slice(range).iter().enumerate().map(move |(i, e)| (first + i as u32, e))
    }

    /// Edges that lead to a node, with their positions and sources, in order of source.
    pub fn incoming(&self, node: u32) -> impl Iterator<Item = (u32, u32, &'a EdgeRow)> + use<'a> {
        let graph = *self;
        let (firsts, positions) = graph.incoming.split_at(graph.nodes() + 1);
        let positions = positions.slice(Self::range(firsts, node));
        positions.iter().filter_map(move |&at| Some((at, graph.source(at)?, graph.edges.get(at as usize)?)))
    }

    /// The node an edge begins at.
    pub fn source(&self, edge: u32) -> Option<u32> {
        let after = self.out.partition_point(|&first| first <= edge);
        (after > 0 && after <= self.nodes()).then(|| after as u32 - 1)
    }
}
