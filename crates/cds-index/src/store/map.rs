//! Files mapped into memory and read as rows.

use std::path::{Path, PathBuf};

use memmap2::Mmap;
use zerocopy::{FromBytes, Immutable, KnownLayout};

use super::blocks;
use crate::{Error, Result};

/// A mapped file. Empty files are not mapped: the system refuses.
pub(crate) struct Mapped {
    map: Option<Mmap>,
    path: PathBuf,
}

impl Mapped {
    #[allow(unsafe_code)]
    pub(crate) fn open(path: &Path, expected: Option<u64>) -> Result<Mapped> {
        let (file, size) = blocks::open(path, expected)?;
        // SAFETY: files of a published generation are never written again, only unlinked as a whole.
        let map = if size == 0 { None } else { Some(unsafe { Mmap::map(&file) }.map_err(Error::io(path))?) };
        Ok(Mapped { map, path: path.to_owned() })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    /// All of it will be read: the system maps it at once instead of a page here and a page there.
    pub(crate) fn populate(&self) {
        #[cfg(target_os = "linux")]
        if let Some(map) = &self.map {
            // An older kernel does not know it, and nothing is lost.
            let _ = map.advise(memmap2::Advice::PopulateRead);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The whole file as rows; a size that does not fit is damage.
    pub(crate) fn check_rows<T>(&self) -> Result<()> {
        if self.bytes().len().is_multiple_of(size_of::<T>()) {
            Ok(())
        } else {
            Err(Error::damaged(&self.path, "not a whole number of rows"))
        }
    }

    pub(crate) fn rows<T: FromBytes + Immutable + KnownLayout>(&self) -> &[T] {
        // Maps begin on a page, so alignment holds; the size was checked when the file was opened.
        <[T]>::ref_from_bytes(self.bytes()).unwrap_or_default()
    }
}

/// A mapped file that owns itself, for libraries that want bytes.
pub(crate) struct MappedBytes(pub(crate) Mapped);

impl AsRef<[u8]> for MappedBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}
