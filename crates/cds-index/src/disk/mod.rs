//! The one way to files that a project or its owner put on disk.
//!
//! A project is not trusted: any of its files may be a link to elsewhere, a pipe that nobody writes to, a device without an end, or larger
//! than memory, and may become so between two looks. [`ProjectRoot`] opens below a handle of the root, follows no link, never blocks, and
//! looks at what it opened before it reads, at most as much as the caller allows. [`open_owner_file`] is the same for files of the user's own,
//! which may be links and lie anywhere.

mod folder;
mod resolve;
mod stamp;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use cds_model::ProblemKind;

pub(crate) use folder::{Folder, folder_time};
pub use stamp::Stamp;
pub(crate) use stamp::{Kind, is_racy, now_ns};

/// Why a file was not opened, or not read. No message contains anything of a file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It, or a folder on the way to it, is a link.
    #[error("a symbolic link, not followed")]
    Symlink,
    /// It is a folder, a pipe, a socket or a device.
    #[error("{0}, not a regular file")]
    NotRegular(&'static str),
    /// It is larger than allowed.
    #[error("{size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// How large it is, at least.
        size: u64,
        /// How large it may be.
        limit: u64,
    },
    /// It is not there.
    #[error("no such file")]
    NotFound,
    /// The system refused.
    #[error("permission denied")]
    Permission,
    /// Its bytes are not UTF-8.
    #[error("not UTF-8")]
    NotText,
    /// Something else failed.
    #[error("{0}")]
    Io(std::io::Error),
}

impl OpenError {
    /// How it is listed among an index's problems.
    pub fn problem(&self) -> ProblemKind {
        match self {
            OpenError::Symlink => ProblemKind::Symlink,
            OpenError::NotRegular(_) => ProblemKind::SpecialFile,
            OpenError::TooLarge { .. } => ProblemKind::TooLarge,
            OpenError::NotFound | OpenError::Permission | OpenError::NotText | OpenError::Io(_) => {
                ProblemKind::Unreadable
            }
        }
    }
}

impl From<std::io::Error> for OpenError {
    fn from(error: std::io::Error) -> OpenError {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => OpenError::NotFound,
            ErrorKind::PermissionDenied => OpenError::Permission,
            _ => OpenError::Io(error),
        }
    }
}

/// A regular file, open, and not larger than was allowed.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    stamp: Stamp,
    limit: u64,
}

impl OpenFile {
    /// Size and times, as they were before anything was read.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// All of it. A file that grew beyond the limit since it was opened is too large.
    pub fn read(self) -> Result<Vec<u8>, OpenError> {
        let OpenFile { file, stamp, limit } = self;
        // One more than there should be, so that the end is met without growing.
        let mut bytes = Vec::with_capacity(stamp.size as usize + 1);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        let size = bytes.len() as u64;
        if size > limit { Err(OpenError::TooLarge { size, limit }) } else { Ok(bytes) }
    }

    /// All of it, as text.
    pub fn read_text(self) -> Result<String, OpenError> {
        String::from_utf8(self.read()?).map_err(|_| OpenError::NotText)
    }

    /// Whether the system lets it be read: some refuse only then.
    fn can_be_read(mut self) -> bool {
        self.file.read(&mut [0]).is_ok()
    }

    /// Takes what was opened, if it is a regular file within the limit.
    fn check(file: File, limit: u64) -> Result<OpenFile, OpenError> {
        let (kind, stamp) = resolve::stat_handle(&file)?;
        match kind {
            Kind::File if stamp.size > limit => Err(OpenError::TooLarge { size: stamp.size, limit }),
            Kind::File => Ok(OpenFile { file, stamp, limit }),
            other => Err(OpenError::NotRegular(other.shown())),
        }
    }
}

/// The folder of a project, held open. Where it cannot be opened, nothing below it can be.
#[derive(Debug)]
pub struct ProjectRoot {
    path: PathBuf,
    handle: Option<resolve::Handle>,
}

impl ProjectRoot {
    /// The folder that the user named; it may be a link.
    pub fn at(path: &Path) -> ProjectRoot {
        ProjectRoot { path: path.to_owned(), handle: resolve::Handle::root(path).ok() }
    }

    /// Its path, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file of at most `limit` bytes. No part of the path may be a link or lead out of the root.
    pub fn open(&self, relative: &Path, limit: u64) -> Result<OpenFile, OpenError> {
        OpenFile::check(self.handle()?.open_file(relative)?, limit)
    }

    /// Opens and reads a file.
    pub fn read(&self, relative: &Path, limit: u64) -> Result<Vec<u8>, OpenError> {
        self.open(relative, limit)?.read()
    }

    /// Opens a folder; the root where the path is empty.
    pub(crate) fn folder(&self, relative: &Path) -> Result<Folder, OpenError> {
        Folder::new(self.handle()?.open_folder(relative)?)
    }

    /// What stands at a path, which is not followed if it is a link.
    pub(crate) fn stat(&self, relative: &Path) -> Option<(Kind, Stamp)> {
        self.handle.as_ref()?.stat(relative).ok()
    }

    /// Whether a file or folder opens and can be read from.
    pub(crate) fn can_be_read(&self, relative: &Path) -> bool {
        match self.stat(relative) {
            Some((Kind::Folder, _)) => self.folder(relative).is_ok_and(|folder| folder.entries().is_ok()),
            Some((Kind::File, _)) => self.open(relative, u64::MAX).is_ok_and(OpenFile::can_be_read),
            _ => false,
        }
    }

    fn handle(&self) -> Result<&resolve::Handle, OpenError> {
        self.handle.as_ref().ok_or(OpenError::NotFound)
    }
}

/// Opens a file of the user's own, or one that git keeps outside the working tree: a regular file of at most `limit` bytes. Links are followed.
pub fn open_owner_file(path: &Path, limit: u64) -> Result<OpenFile, OpenError> {
    // Opening a device can do something: it is looked at first, and again once it is open.
    match resolve::stat_following(path)? {
        (Kind::File, _) => OpenFile::check(resolve::open_following(path)?, limit),
        (other, _) => Err(OpenError::NotRegular(other.shown())),
    }
}

/// What stands at a path; links are followed.
pub(crate) fn stat_owner_file(path: &Path) -> Option<(Kind, Stamp)> {
    resolve::stat_following(path).ok()
}

#[cfg(test)]
mod tests;
