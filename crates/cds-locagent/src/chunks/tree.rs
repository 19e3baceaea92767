//! The syntax tree that the splitter walks: only as deep as it looks, and the same whichever parser it comes from.
//!
//! Nodes are kept in the order in which they begin, so a node's descendants are those between it and its `after`.

use std::ops::Range;

use super::syntax::Syntax;

/// Number of a node in its tree.
pub(crate) type NodeId = u32;

/// A node of the syntax tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) syntax: Syntax,
    pub(crate) named: bool,
    /// Whether it is the value of the assignment above it.
    pub(crate) is_value: bool,
    /// What is wrong with it.
    pub(crate) fault: Option<Fault>,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Lines, from one.
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) depth: u32,
    /// The root is its own parent.
    pub(crate) parent: NodeId,
    /// One past the last descendant.
    pub(crate) after: NodeId,
}

/// What is wrong with a node, so that a file with a block of it is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is an error, or one is directly below it.
    Broken,
    /// LocAgent's older grammar has an error there.
    Old,
}

impl Node {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A syntax tree; node 0 is the module.
#[derive(Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The nodes that are not finished, outer ones first.
    open: Vec<NodeId>,
}

impl Tree {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.open.clear();
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The number that the next node gets.
    pub(crate) fn next(&self) -> NodeId {
        self.nodes.len() as NodeId
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The nodes directly below one, with their numbers.
    pub(crate) fn children(&self, of: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        let end = self.node(of).after;
        let mut next = of + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            let node = self.node(child);
            next = node.after;
            Some((child, node))
        })
    }

    /// Begins a node, below the last one that is not finished. Its lines are set by [`Tree::finish`].
    pub(crate) fn begin(&mut self, syntax: Syntax, start: usize) -> &mut Node {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            syntax,
            named: true,
            is_value: false,
            fault: None,
            start: start as u32,
            end: start as u32,
            start_line: 0,
            end_line: 0,
            depth: self.open.len() as u32,
            parent: self.open.last().copied().unwrap_or(id),
            after: id + 1,
        });
        self.open.push(id);
        &mut self.nodes[id as usize]
    }

    /// Finishes the node that was begun last.
    pub(crate) fn end(&mut self, end: usize) {
        let after = self.nodes.len() as NodeId;
        let id = self.open.pop().expect("a node was begun");
        let node = &mut self.nodes[id as usize];
        node.end = end as u32;
        node.after = after;
    }

    pub(crate) fn leaf(&mut self, syntax: Syntax, range: Range<usize>) -> &mut Node {
        self.begin(syntax, range.start);
        self.end(range.end);
        self.nodes.last_mut().expect("just pushed")
    }

    /// Sets the lines of all nodes.
    pub(crate) fn finish(&mut self, text: &str) {
        // Nodes begin in order, and few end more than some lines later: lines are counted from those of the node before.
        let line_starts: Vec<u32> =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1)).collect();
        let mut line = 0;
        for node in &mut self.nodes {
            while line_starts.get(line + 1).is_some_and(|start| *start <= node.start) {
                line += 1;
            }
            node.start_line = line as u32 + 1;
            node.end_line = match line_starts.get(line + 1) {
                Some(next) if *next <= node.end => {
                    (line + line_starts[line..].partition_point(|start| *start <= node.end)) as u32
                }
                _ => line as u32 + 1,
            };
        }
    }

    pub(crate) fn walk(&self) -> Cursor<'_> {
        Cursor { tree: self, at: 0 }
    }
}

/// A place in a tree.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) at: NodeId,
}

impl<'t> Cursor<'t> {
    pub(crate) fn node(&self) -> &'t Node {
        self.tree.node(self.at)
    }

    pub(crate) fn goto_first_child(&mut self) -> bool {
        let has_child = self.node().after > self.at + 1;
        self.at += NodeId::from(has_child);
        has_child
    }

    pub(crate) fn goto_next_sibling(&mut self) -> bool {
        let node = self.node();
        let has_next = self.at > 0 && node.after < self.tree.node(node.parent).after;
        if has_next {
            self.at = node.after;
        }
        has_next
    }

    pub(crate) fn goto_parent(&mut self) {
        self.at = self.node().parent;
    }
}
