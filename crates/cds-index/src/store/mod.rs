//! The files of a generation: their layout, how they are written and how they are mapped.
//!
//! ```text
//! .cds-index/
//!   manifest.json        names the current generation and its parts; replaced by one rename
//!   config.toml          the settings it was built with
//!   lock                 held by the one writer
//!   cache/               what slow models said of texts
//!   g000007/             tables of one generation, written anew each time
//!     graph/    entities.bin  out.bin  edges.bin  in.bin  aliases.bin  unresolved.bin  importance.bin
//!               bases.bin  extensions.bin  asked.bin  attributes.bin, and strings.bin  slots.bin: strings added since the first part
//!     indices/  documents.bin  chunks.bin  docs.bin  names.bin  uses.bin
//!     problems.json  checksums.bin
//!   p000003/             what is large of some files, written once and shared by generations
//!     files.bin  outlines.bin  strings.bin  slots.bin  names.fst  uses.fst  vectors.bin  scales.bin  sketches.bin  offsets.bin  terms.bin  weights.bin  bm25/  gone.json  gone.fst
//!     checksums.bin      of the blocks of the files of a folder: generations have one, too
//! ```

pub(crate) mod best;
pub(crate) mod blocks;
pub(crate) mod catalog;
pub(crate) mod checksums;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod gone;
pub(crate) mod manifest;
pub(crate) mod map;
pub(crate) mod moves;
pub(crate) mod names;
pub(crate) mod part;
pub(crate) mod rotation;
pub(crate) mod rows;
pub(crate) mod sketches;
pub(crate) mod space;
pub(crate) mod sparse;
pub(crate) mod strings;
pub(crate) mod text;
pub(crate) mod uses;
pub(crate) mod vectors;
pub(crate) mod words;

pub use manifest::{FORMAT_VERSION, Manifest, SkippedFile, WrittenFile};
pub(crate) use text::SEGMENT_MEMORY;
pub use text::{Bm25Fields, TextSegment};

/// Files of a generation, relative to its folder.
pub(crate) mod path {
    pub(crate) const ENTITIES: &str = "graph/entities.bin";
    pub(crate) const STRINGS: &str = "graph/strings.bin";
    pub(crate) const SLOTS: &str = "graph/slots.bin";
    pub(crate) const OUT: &str = "graph/out.bin";
    pub(crate) const EDGES: &str = "graph/edges.bin";
    pub(crate) const INCOMING: &str = "graph/in.bin";
    pub(crate) const ALIASES: &str = "graph/aliases.bin";
    pub(crate) const UNRESOLVED: &str = "graph/unresolved.bin";
    pub(crate) const IMPORTANCE: &str = "graph/importance.bin";
    pub(crate) const BASES: &str = "graph/bases.bin";
    pub(crate) const EXTENSIONS: &str = "graph/extensions.bin";
    pub(crate) const ATTRIBUTES: &str = "graph/attributes.bin";
    pub(crate) const ASKED: &str = "graph/asked.bin";
    pub(crate) const DOCUMENTS: &str = "indices/documents.bin";
    pub(crate) const CHUNKS: &str = "indices/chunks.bin";
    pub(crate) const DOCS: &str = "indices/docs.bin";
    pub(crate) const NAMES: &str = "indices/names.bin";
    pub(crate) const USES: &str = "indices/uses.bin";
    pub(crate) const PROBLEMS: &str = "problems.json";
}

/// What stands in the folders of generations and parts.
#[rustfmt::skip]
pub(crate) const WRITTEN: &[&str] = &[
    "graph", "indices", path::PROBLEMS, checksums::NAME,
    part_path::FILES, part_path::OUTLINES, part_path::STRINGS, part_path::SLOTS, part_path::NAMES, part_path::USES, part_path::VECTORS,
    part_path::SCALES, part_path::SKETCHES, part_path::OFFSETS, part_path::TERMS, part_path::WEIGHTS, part_path::BM25, part_path::GONE, part_path::GONE_TERMS,
];

/// Files of a part, relative to its folder.
pub(crate) mod part_path {
    pub(crate) const FILES: &str = "files.bin";
    pub(crate) const OUTLINES: &str = "outlines.bin";
    pub(crate) const STRINGS: &str = "strings.bin";
    pub(crate) const SLOTS: &str = "slots.bin";
    pub(crate) const NAMES: &str = "names.fst";
    pub(crate) const USES: &str = "uses.fst";
    pub(crate) const VECTORS: &str = "vectors.bin";
    pub(crate) const SCALES: &str = "scales.bin";
    pub(crate) const SKETCHES: &str = "sketches.bin";
    pub(crate) const OFFSETS: &str = "offsets.bin";
    pub(crate) const TERMS: &str = "terms.bin";
    pub(crate) const WEIGHTS: &str = "weights.bin";
    pub(crate) const BM25: &str = "bm25";
    pub(crate) const GONE: &str = "gone.json";
    pub(crate) const GONE_TERMS: &str = "gone.fst";
}
