//! What can be wrong with a query.

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can be wrong with a query, or with the index under it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A filter or name that cannot be read.
    #[error("{field}: {message}")]
    Invalid {
        /// The option at fault.
        field: &'static str,
        /// What is expected.
        message: String,
    },
    /// The request was cancelled: nobody waits for the answer.
    #[error("the request was cancelled")]
    Cancelled,
    /// The index failed.
    #[error(transparent)]
    Index(#[from] cds_index::Error),
    /// The text index failed.
    #[error("text index: {0}")]
    Text(#[from] tantivy::TantivyError),
    /// The text index could not be read.
    #[error("text index: {0}")]
    Io(#[from] std::io::Error),
}
