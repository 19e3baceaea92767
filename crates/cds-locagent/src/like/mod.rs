//! What Python and numpy do where Rust's nearest does something else. LocAgent's answers depend on it.

pub(crate) mod fnmatch;
pub(crate) mod numpy;
pub(crate) mod pyset;
pub(crate) mod pystr;
