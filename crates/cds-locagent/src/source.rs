//! Where the files of a repository come from.
//!
//! The walks over folders happen here; files are opened by the caller, who knows how far the tree is trusted. A link to a file is resolved
//! before the caller is asked, and only within the root.

use std::io;
use std::path::{Path, PathBuf};

/// Bytes of the largest file that a caller should read. LocAgent reads everything; nothing that people write is as large.
pub const MAX_FILE: u64 = 64 << 20;

/// A folder and the way to read its files.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The folder.
    pub root: &'a Path,
    /// Reads a file by its path below the root. No part of the path is expected to be a link.
    pub read: &'a (dyn Fn(&Path) -> io::Result<Vec<u8>> + Sync),
    /// Polled between files: `true` ends the work with an error of kind `Interrupted`.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Source<'_> {
    /// The bytes of a file. A link that leads out of the root is not followed.
    pub(crate) fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        if std::fs::symlink_metadata(self.root.join(path))?.is_symlink() {
            return (self.read)(&self.behind_link(path)?);
        }
        (self.read)(path)
    }

    /// Where a link leads, as a path below the root.
    fn behind_link(&self, path: &Path) -> io::Result<PathBuf> {
        let target = self.root.join(path).canonicalize()?;
        let below = target.strip_prefix(self.root.canonicalize()?);
        below.map(Path::to_owned).map_err(|_| io::Error::other("a link that leads out of the root"))
    }

    /// An error, if the work is to end.
    pub(crate) fn checkpoint(&self) -> io::Result<()> {
        if (self.stop)() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

/// Calls `with` with a source that reads whatever is below a folder: for trees that are trusted.
pub(crate) fn trusted<T>(root: &Path, with: impl FnOnce(Source<'_>) -> T) -> T {
    with(Source { root, read: &|path| std::fs::read(root.join(path)), stop: &|| false })
}
