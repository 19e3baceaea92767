//! LocAgent's behaviour for Python, to the letter: its graph, its chunks, its BM25, its search tool and its trees.
//!
//! A foreign system, quarantined: nothing else depends on this crate, and none of its quirks leaks into another. Where it looks wrong, it is
//! meant to be wrong in the same way; `docs/locagent.md` says what the default mode does instead.

pub mod bm25;
pub mod chunks;
mod entities;
mod fnmatch;
pub mod graph;
pub mod names;
mod numpy;
pub mod pyset;
mod pystr;
mod render;
pub mod search;
pub mod skeleton;
