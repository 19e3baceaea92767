//! One error for every operation, by who must act.

use cds_model::CancelToken;

/// The result of every operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller's: an argument is wrong.
    Invalid,
    /// The caller's: there is no such thing.
    NotFound,
    /// There is no index, or it cannot be read: index.
    NotReady,
    /// Another process works on it: wait.
    Busy,
    /// The operation was interrupted.
    Cancelled,
    /// Time ran out, and a part of the answer would mislead.
    Timeout,
    /// A model or a service cannot be used.
    Model,
    /// The system refused to read or write.
    Io,
    /// Ours: a bug.
    Internal,
}

/// What went wrong, in words that say what to do next.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Whose turn it is.
    pub kind: ErrorKind,
    /// What happened and what to do.
    pub message: String,
}

impl Error {
    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Invalid, message: message.into() }
    }
}

/// Fails when the current request has ended. For loops whose partial answer would mislead.
pub(crate) fn checkpoint() -> Result<()> {
    let cancel = CancelToken::current();
    if !cancel.is_cancelled() {
        return Ok(());
    }
    let (kind, message) = if cancel.is_abandoned() {
        (ErrorKind::Cancelled, "the request was cancelled")
    } else {
        (ErrorKind::Timeout, "time ran out: narrow the request or raise search.time_limit_ms")
    };
    Err(Error { kind, message: message.to_owned() })
}

impl From<cds_index::Error> for Error {
    fn from(error: cds_index::Error) -> Error {
        use cds_index::Error as E;
        let kind = match &error {
            E::Missing(_)
            | E::Untrusted(_)
            | E::Format { .. }
            | E::Damaged { .. }
            | E::Empty(_)
            | E::OtherModel { .. } => ErrorKind::NotReady,
            E::TooLarge { .. } | E::Rejected { .. } => ErrorKind::Invalid,
            E::Busy { .. } => ErrorKind::Busy,
            E::Cancelled => ErrorKind::Cancelled,
            E::Model(_) => ErrorKind::Model,
            E::Io { .. } => ErrorKind::Io,
            E::Text(_) => ErrorKind::Internal,
        };
        let remedy = if kind == ErrorKind::Internal { ": try again, and then `cds index --force`" } else { "" };
        Error { kind, message: format!("{error}{remedy}") }
    }
}

impl From<cds_encode::ModelError> for Error {
    fn from(error: cds_encode::ModelError) -> Error {
        cds_index::Error::from(error).into()
    }
}

impl From<cds_search::Error> for Error {
    fn from(error: cds_search::Error) -> Error {
        use cds_search::Error as E;
        match error {
            E::Invalid { .. } => Error::invalid(error.to_string()),
            E::Cancelled => Error { kind: ErrorKind::Cancelled, message: error.to_string() },
            E::Index(e) => e.into(),
            E::Text(_) | E::Io(_) => {
                Error { kind: ErrorKind::NotReady, message: format!("{error}: run `cds index` to repair it") }
            }
        }
    }
}
