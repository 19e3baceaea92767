//! A folder of source to a [`Snapshot`]: walk, extract, write a generation, map it.
//!
//! [`build`] takes a root and [`BuildOptions`], reads what changed and publishes a new generation by one rename;
//! [`Snapshot::open`] maps the published one and answers from it. This is the only crate that reads the tree being
//! indexed and the only one that writes to disk. A reader never imports a writer.

mod build;
mod disk;
mod dump;
mod encode;
mod error;
mod guard;
mod index_dir;
mod private_fs;
mod snapshot;
mod state_file;
mod store;
pub mod tokenize;

pub use build::{
    Build, BuildOptions, BuildReport, Effort, Freshness, GitFolders, Owner, ProblemRow, Progress, RuleFile, RuleState,
    Seen, TreeSize, check_freshness, entries, index_home, is_never_entered, prepare_home, remove_unused, run as build,
};
/// The languages a [`Build`] reads with.
pub use cds_lang::Registry;
pub use disk::{OpenError, OpenFile, ProjectRoot, Stamp, open_owner_file};
pub use encode::{chunk_vectors, query_vector};
pub use error::{Error, Result};
pub use guard::{guard, is_guarded};
pub use index_dir::{DirState, IndexDir};
pub use private_fs::{refuse_links, write_inside};
pub use snapshot::{ChunkView, DocumentView, EntityView, FileColumns, Places, ROOT, Snapshot};
pub use state_file::{read_state_file, update_state_file};
pub use store::files::{Inside, LoadedFile};
pub use store::names::NameMatch;
pub use store::space::VectorSpace;
pub use store::sparse::SparseWeights;
pub use store::vectors::{VectorTable, Vectors};
pub use store::{Bm25Fields, FORMAT_VERSION, Manifest, SkippedFile, TextSegment, WrittenFile};
