//! LocAgent's behaviour for Python, to the letter: its graph, its chunks, its BM25, its search tool and its trees.
//!
//! A foreign system, quarantined: nothing else depends on this crate, and none of its quirks leaks into another. Where it looks wrong, it is
//! meant to be wrong in the same way; `docs/locagent.md` says what the default mode does instead.

pub mod chunks;
pub mod graph;
mod like;
mod repository;
pub mod search;
mod store;
mod tree;

pub use graph::build_graph;
pub use repository::{CodeIndex, Repository};
pub use store::StoreError;
pub use tree::{Adjacency, Direction, TreeRequest, draw_trees, start_id};
