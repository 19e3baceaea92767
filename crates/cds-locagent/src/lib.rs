//! LocAgent's behaviour for Python, to the letter: its graph, its chunks, its BM25, its search tool and its trees.
//!
//! A foreign system, quarantined: nothing else depends on this crate, and none of its quirks leaks into another. Where it looks wrong, it is
//! meant to be wrong in the same way; `docs/locagent.md` says what the default mode does instead.

mod blocks;
pub mod chunks;
mod cut;
pub mod files;
pub mod graph;
mod naming;
mod old_grammar;
mod opening;
mod paths;
mod pieces;
mod render;
mod spans;
mod syntax;
mod tokens;
