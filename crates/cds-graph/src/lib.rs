//! Joins the facts of many files to one graph. [`Tree`] collects them, [`link`] finds out what names mean, and every edge says
//! how it is known; [`Graph`] is the result in compact rows, [`walk`] ways through it.

mod bodies;
mod changes;
mod csr;
mod dependencies;
mod imports;
mod includes;
mod link;
mod lookup;
mod members;
mod modules;
mod outline;
mod resolve;
mod rows;
mod spaces;
mod symbols;
mod tree;
mod types;
mod walk;

pub use changes::{Changes, Version, path_key};
pub use csr::{EdgeRow, Graph, GraphTables, Row, Stretch};
#[cfg(feature = "mutation")]
pub use dependencies::DEPENDENCY_KINDS;
pub use link::{Edge, Known, Linked, LinkedFile, MAX_CANDIDATES, NONE, Site, Task, Unresolved, link};
pub use outline::outline;
pub use rows::{Rows, Verify};
pub use symbols::{StoredStrings, Symbols, text_at};
pub use tree::Tree;
pub use walk::{Direction, MAX_EDGES, Taken, Walk, Walked, importance, path, walk};
