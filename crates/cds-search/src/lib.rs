//! A [`Query`](cds_model::Query) and a [`Snapshot`](cds_index::Snapshot) to ranked hits.
//!
//! [`search`] parses the query once, plans a list of stages (retrieve, fuse, boost, group, cut) and runs them over one pool
//! of candidates. A stage adds candidates, adds signals, reorders or cuts; every number that reaches a score is a
//! named signal, so explaining a hit is printing it. [`lookup`] answers for names alone.

mod bm25;
mod error;
mod expansions;
mod filter;
mod frequencies;
mod globs;
mod inside;
mod lookup;
mod lru;
mod patterns;
mod pipeline;
mod preset;
mod query;
mod stages;
mod store;
mod workers;

pub use error::{Error, Result};
pub use filter::{CompiledFilter, name_cost};
pub use frequencies::Frequencies;
pub use globs::GlobCache;
pub use lookup::{Found, LookupOptions, lookup, resolve};
pub use lru::Lru;
pub use patterns::{
    COSTLY_REGEX, MAX_GLOB_BYTES, MAX_GLOB_SIZE, MAX_GLOBS_BYTES, MAX_REGEX_CACHE, MAX_REGEX_COST, MAX_REGEX_NESTING,
    MAX_REGEX_SIZE, PatternError, check_regex, regex_cost,
};
pub use pipeline::{Outcome, SearchOptions, Tools, search};
pub use preset::{Fusion, Mixture, PRESETS, Preset, Retriever, Weights, canonical_number};
pub use query::{
    Asked, Intent, MAX_QUERY, Mention, ParsedQuery, Place, QueryKind, QueryTerm, Relation, Report, is_filler, is_name,
    parse, relations,
};
pub use store::{Embedded, VectorStore};
pub use workers::{scanners, workers};
