//! The files of a generation: their layout, how they are written and how they are mapped.
//!
//! ```text
//! .cds-index/
//!   manifest.json        names the current generation; replaced by one rename
//!   config.toml          the settings it was built with
//!   lock                 held by the one writer
//!   cache/               what slow models said of texts
//!   g000001/
//!     graph/    entities.bin  strings.bin  out.bin  edges.bin  in.bin  aliases.bin  unresolved.bin  importance.bin
//!     indices/  documents.bin  chunks.bin  files.bin  names.fst  names.bin  uses.fst  uses.bin  vectors.bin
//!               scales.bin  terms.bin  weights.bin  bm25/
//!     problems.json
//! ```

pub(crate) mod best;
pub(crate) mod files;
pub(crate) mod manifest;
pub(crate) mod map;
pub(crate) mod names;
pub(crate) mod rows;
pub(crate) mod sparse;
pub(crate) mod strings;
pub(crate) mod text;
pub(crate) mod uses;
pub(crate) mod vectors;

pub use manifest::{FORMAT_VERSION, Manifest, SkippedFile, WrittenFile};
pub use text::Bm25Fields;
pub(crate) use text::SEGMENT_MEMORY;

/// Files of a generation, relative to its folder.
pub(crate) mod path {
    pub(crate) const ENTITIES: &str = "graph/entities.bin";
    pub(crate) const STRINGS: &str = "graph/strings.bin";
    pub(crate) const OUT: &str = "graph/out.bin";
    pub(crate) const EDGES: &str = "graph/edges.bin";
    pub(crate) const INCOMING: &str = "graph/in.bin";
    pub(crate) const ALIASES: &str = "graph/aliases.bin";
    pub(crate) const UNRESOLVED: &str = "graph/unresolved.bin";
    pub(crate) const IMPORTANCE: &str = "graph/importance.bin";
    pub(crate) const DOCUMENTS: &str = "indices/documents.bin";
    pub(crate) const CHUNKS: &str = "indices/chunks.bin";
    pub(crate) const FILES: &str = "indices/files.bin";
    pub(crate) const NAMES_FST: &str = "indices/names.fst";
    pub(crate) const NAMES: &str = "indices/names.bin";
    pub(crate) const USES_FST: &str = "indices/uses.fst";
    pub(crate) const USES: &str = "indices/uses.bin";
    pub(crate) const VECTORS: &str = "indices/vectors.bin";
    pub(crate) const SCALES: &str = "indices/scales.bin";
    pub(crate) const TERMS: &str = "indices/terms.bin";
    pub(crate) const WEIGHTS: &str = "indices/weights.bin";
    pub(crate) const BM25: &str = "indices/bm25";
    pub(crate) const PROBLEMS: &str = "problems.json";

    /// The tables that an update carries facts over by.
    pub(crate) const TABLES: [&str; 9] = [ENTITIES, STRINGS, DOCUMENTS, CHUNKS, NAMES_FST, NAMES, OUT, EDGES, INCOMING];
}
