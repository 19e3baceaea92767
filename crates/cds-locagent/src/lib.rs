//! LocAgent's behaviour for Python, to the letter: its graph, its chunks, its BM25, its search tool and its trees.
//!
//! A foreign system, quarantined: nothing else depends on this crate, and none of its quirks leaks into another. Where it looks wrong, it is
//! meant to be wrong in the same way; `docs/locagent.md` says what the default mode does instead.

pub mod chunks;
mod files;
pub mod graph;
mod like;
mod repository;
pub mod search;
mod source;
mod store;
mod text;
mod tree;

pub use repository::{CodeIndex, Facts, Place, Repository, build_graph};
pub use source::{MAX_FILE, Source};
pub use store::StoreError;
pub use tree::{Adjacency, Bound, Direction, TreeRequest, Unfinished, draw_trees, start_id};
