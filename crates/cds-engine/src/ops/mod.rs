//! One file an operation.

pub(crate) mod graph;
pub(crate) mod grep;
pub(crate) mod outline;
pub(crate) mod research;
pub(crate) mod retrieve;
pub(crate) mod search;
pub(crate) mod similar;
pub(crate) mod status;
pub(crate) mod symbol;
mod twins;
