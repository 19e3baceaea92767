//! What can go wrong, by who must act.

use std::path::{Path, PathBuf};

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong with an index.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is none yet.
    #[error("no index in {}: run `cds index`", .0.display())]
    Missing(PathBuf),
    /// The directory it would live in may not be used.
    #[error("{} cannot be the index directory: {why}", .path.display())]
    Rejected {
        /// The directory.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// It was not made on this machine by this user.
    #[error("the index in {} was not made here (it was copied, it came with a clone, or an older cds made it): run `cds index` to replace it", .0.display())]
    Untrusted(PathBuf),
    /// It was written by another version.
    #[error("the index in {} has format {found}, this cds reads format {expected}: run `cds index` to rebuild it", .path.display())]
    Format {
        /// Its folder.
        path: PathBuf,
        /// What it says.
        found: u32,
        /// What is read here.
        expected: u32,
    },
    /// Its bytes are not what was written.
    #[error("the index is damaged ({} in {}): run `cds index` to repair it", .detail, .path.display())]
    Damaged {
        /// The file at fault.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Its vectors are of another model.
    #[error("the index was made with {}, the settings name {wanted}: run `cds index` to encode it again{}", shown(.index.as_deref()), way_back(.index.as_deref(), .wanted, .role))]
    OtherModel {
        /// What made it, if anything did.
        index: Option<Box<cds_encode::ModelId>>,
        /// What it was to be asked with.
        wanted: Box<cds_encode::ModelId>,
        /// `dense` or `sparse`.
        role: &'static str,
    },
    /// A model cannot be used.
    #[error("{0}")]
    Model(#[from] cds_encode::ModelError),
    /// The root holds no file that can be indexed.
    #[error("nothing to index in {}: no readable text files (look at ignore files and --max-file-size, or name another folder with --root)", .0.display())]
    Empty(PathBuf),
    /// The root is larger than was agreed to.
    #[error(
        "{} has {} files ({}), more than index.max_files {} or index.max_total_size {}: name a smaller folder, leave folders out in .cdsignore, or go on with --yes",
        .root.display(), .size.files, bytes_shown(.size.bytes), .most.files, .most.bytes
    )]
    TooLarge {
        /// The folder.
        root: PathBuf,
        /// How large it is.
        size: crate::TreeSize,
        /// How large it may be.
        most: crate::TreeSize,
    },
    /// Another process is writing.
    #[error("another process is indexing {} ({}lock {}): wait for it (--wait SECONDS), or stop it", .root.display(), who(.owner.as_deref()), .lock.display())]
    Busy {
        /// What is being indexed.
        root: PathBuf,
        /// The lock it holds.
        lock: PathBuf,
        /// Who, if that is known.
        owner: Option<Box<crate::Owner>>,
    },
    /// The user stopped it.
    #[error("indexing was interrupted; the previous index is unchanged: run it again when you like")]
    Cancelled,
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The text index failed.
    #[error("text index: {0}")]
    Text(#[from] tantivy::TantivyError),
}

fn bytes_shown(bytes: u64) -> String {
    if bytes < 1_000_000_000 {
        format!("{:.1} MB", bytes as f64 / 1e6)
    } else {
        format!("{:.1} GB", bytes as f64 / 1e9)
    }
}

fn who(owner: Option<&crate::Owner>) -> String {
    owner.map(|owner| format!("{owner}; ")).unwrap_or_default()
}

fn shown(model: Option<&cds_encode::ModelId>) -> String {
    model.map_or_else(|| "no model".to_owned(), |model| format!("the model {model}"))
}

/// The command that makes the settings fit the index again, if a name can do that.
fn way_back(model: Option<&cds_encode::ModelId>, wanted: &cds_encode::ModelId, role: &str) -> String {
    let command = match model {
        None if role == "sparse" => "cds model use builtin --for sparse".to_owned(),
        None => format!("cds model use none --for {role}"),
        Some(model) if model == cds_encode::builtin().id() => "cds model use builtin".to_owned(),
        Some(model) if model.name == wanted.name => return String::new(),
        Some(model) => format!("cds model use {}", model.name),
    };
    format!(", or go back with `{command}`")
}

impl Error {
    pub(crate) fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io { path: path.as_ref().to_owned(), source }
    }

    pub(crate) fn damaged(path: impl AsRef<Path>, detail: impl Into<String>) -> Error {
        Error::Damaged { path: path.as_ref().to_owned(), detail: detail.into() }
    }
}
