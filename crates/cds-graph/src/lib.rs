//! Joins the facts of many files to one graph. [`Tree`] collects them, [`link`] finds out what names mean, and every edge says
//! how it is known; [`Graph`] is the result in compact rows, [`walk`] ways through it.

mod asked;
mod bodies;
mod changes;
mod csr;
mod imports;
mod includes;
mod link;
mod members;
mod modules;
mod resolve;
mod rows;
mod spaces;
mod symbols;
mod tree;
mod types;
mod walk;

pub use changes::{Changes, Version, path_key};
pub use csr::{EdgeRow, Graph, GraphTables, Row, Stretch};
pub use link::{Edge, Known, Linked, LinkedFile, MAX_CANDIDATES, NONE, Site, Task, Unresolved, link};
pub use rows::{Rows, Verify};
pub use symbols::{StoredStrings, Symbols, text_at};
pub use tree::{Tree, outline};
pub use walk::{Direction, Taken, Walk, Walked, importance, path, walk};
