//! Joins the facts of many files to one graph. [`Tree`] collects them, [`link`] finds out what names mean, and every edge says
//! how it is known; [`Graph`] is the result in compact rows, [`walk`] ways through it.

mod bodies;
mod csr;
mod imports;
mod includes;
mod link;
mod members;
mod modules;
mod resolve;
mod spaces;
mod symbols;
mod tree;
mod types;
mod walk;

pub use csr::{EdgeRow, Graph, GraphTables};
pub use link::{Edge, Linked, MAX_CANDIDATES, Unresolved, link};
pub use tree::Tree;
pub use walk::{Direction, Taken, Walk, Walked, importance, path, walk};
