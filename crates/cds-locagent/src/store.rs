//! One file on disk holds all of it: written beside and renamed, so that a reader sees the old one or the new one.

use std::io::{self, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// First bytes of the file; the number rises with every change of what follows.
const MAGIC: &[u8; 8] = b"cdsloc01";

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is none.
    #[error("there is no LocAgent index: make one with `cds index --compat locagent`")]
    Missing,
    /// It is not whole, or another version wrote it.
    #[error("the LocAgent index is damaged or of another version: make it anew with `cds index --compat locagent`")]
    Unusable,
    /// It could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Writes parts one after another, each with its length and checksum.
pub(crate) fn write(path: &Path, parts: &[Vec<u8>]) -> Result<(), StoreError> {
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let result = (|| {
        let _ = std::fs::remove_file(&beside);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = io::BufWriter::new(options.open(&beside)?);
        file.write_all(MAGIC)?;
        for part in parts {
            file.write_all(&(part.len() as u64).to_le_bytes())?;
            file.write_all(&crc32fast::hash(part).to_le_bytes())?;
            file.write_all(part)?;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&beside, path)
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    Ok(result?)
}

/// A file read whole; its parts are decoded one by one, as they are needed.
pub(crate) struct Parts {
    bytes: Vec<u8>,
}

impl Parts {
    pub(crate) fn read(path: &Path) -> Result<Self, StoreError> {
        let bytes = std::fs::read(path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => StoreError::Missing,
            _ => StoreError::Io(e),
        })?;
        if bytes.starts_with(MAGIC) { Ok(Self { bytes }) } else { Err(StoreError::Unusable) }
    }

    /// Part `number`, checked and decoded.
    pub(crate) fn get<T: DeserializeOwned>(&self, number: usize) -> Result<T, StoreError> {
        let mut rest = &self.bytes[MAGIC.len()..];
        for at in 0.. {
            let (head, tail) = rest.split_at_checked(12).ok_or(StoreError::Unusable)?;
            let length = u64::from_le_bytes(head[..8].try_into().map_err(|_| StoreError::Unusable)?);
            let sum = u32::from_le_bytes(head[8..].try_into().map_err(|_| StoreError::Unusable)?);
            let (part, next) = tail.split_at_checked(length as usize).ok_or(StoreError::Unusable)?;
            if at == number {
                let whole = crc32fast::hash(part) == sum;
                return postcard::from_bytes(part).ok().filter(|_| whole).ok_or(StoreError::Unusable);
            }
            rest = next;
        }
        Err(StoreError::Unusable)
    }
}

pub(crate) fn encode(part: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    postcard::to_stdvec(part).map_err(|e| StoreError::Io(io::Error::other(e)))
}

/// What a file or folder looked like when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    path: String,
    size: u64,
    modified: i64,
}

impl Stamp {
    /// A folder's size says nothing, its time changes when a file comes or goes.
    pub(crate) fn of(root: &Path, path: &str) -> Self {
        let meta = std::fs::metadata(root.join(path));
        let modified =
            meta.as_ref().ok().and_then(|m| m.modified().ok()).and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        Self {
            path: path.to_owned(),
            size: meta.as_ref().map_or(u64::MAX, |m| if m.is_dir() { 0 } else { m.len() }),
            modified: modified.map_or(-1, |t| t.as_nanos() as i64),
        }
    }

    pub(crate) fn is_current(&self, root: &Path) -> bool {
        *self == Self::of(root, &self.path)
    }
}
