//! A folder that is open: what is in it, and what is opened and looked at inside it without walking its path again.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::resolve::Handle;
use super::{Kind, OpenError, OpenFile, Stamp};

pub(crate) struct Folder {
    handle: Handle,
    stamp: Stamp,
}

impl Folder {
    pub(super) fn new(handle: Handle) -> Result<Folder, OpenError> {
        let (_, stamp) = handle.stat(Path::new(""))?;
        Ok(Folder { handle, stamp })
    }

    /// When its entries or its permissions changed last, as of when it was opened.
    pub(crate) fn time(&self) -> i64 {
        folder_time(self.stamp)
    }

    pub(crate) fn stat(&self, name: &OsStr) -> Result<(Kind, Stamp), OpenError> {
        self.handle.stat(name.as_ref())
    }

    pub(crate) fn open(&self, name: &OsStr, limit: u64) -> Result<OpenFile, OpenError> {
        OpenFile::check(self.handle.open_file(name.as_ref())?, limit)
    }

    #[cfg(unix)]
    pub(crate) fn entries(&self) -> Result<Vec<(OsString, Kind)>, OpenError> {
        use std::os::unix::ffi::OsStrExt;

        use rustix::fs::FileType;

        let failed = |errno| OpenError::from(std::io::Error::from(errno));
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(self.handle.fd()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Not every file system says it here.
                FileType::Unknown => match self.stat(name) {
                    Ok((kind, _)) => kind,
                    Err(_) => continue,
                },
                known => super::stamp::kind_of(known),
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    #[cfg(not(unix))]
    pub(crate) fn entries(&self) -> Result<Vec<(OsString, Kind)>, OpenError> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(self.handle.path())? {
            let entry = entry?;
            entries.push((entry.file_name(), super::stamp::kind_of(entry.file_type()?)));
        }
        Ok(entries)
    }

    /// Where a link leads to.
    pub(crate) fn link(&self, name: &OsStr) -> PathBuf {
        #[cfg(unix)]
        {
            let target = rustix::fs::readlinkat(self.handle.fd(), name, Vec::new());
            let target = target.map(std::ffi::CString::into_bytes).unwrap_or_default();
            PathBuf::from(<OsString as std::os::unix::ffi::OsStringExt>::from_vec(target))
        }
        #[cfg(not(unix))]
        std::fs::read_link(self.handle.path().join(name)).unwrap_or_default()
    }
}

/// The time of a folder that shows every change of its entries and permissions.
pub(crate) fn folder_time(stamp: Stamp) -> i64 {
    if cfg!(unix) { stamp.changed_ns } else { stamp.modified_ns }
}
