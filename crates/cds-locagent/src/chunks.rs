//! Chunks of the code index, as LocAgent's splitter cuts them.

use serde::{Deserialize, Serialize};

/// One document of the code index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Path of the file, relative to the root.
    pub file: String,
    /// First line, from one.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Names of the spans its blocks belong to, each once, in the order in which they are first met.
    pub span_ids: Vec<String>,
    /// The text, without the head.
    pub text: String,
    /// cl100k_base tokens of the text.
    pub tokens: u32,
}
