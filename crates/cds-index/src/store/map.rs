//! Files mapped into memory. A block is verified when it is first read: nothing but verified bytes leaves this module.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::{fmt, io};

use cds_graph::{Rows, Verify};
use memmap2::Mmap;
use tantivy::HasLen;
use tantivy::directory::{FileHandle, OwnedBytes};
use zerocopy::{FromBytes, Immutable, KnownLayout};

use super::blocks;
use super::checksums::{self, SHIFT, Summed};
use crate::{Error, Result};

/// The first damage that was met in the files of a snapshot. Readers of rows continue with empty ones; what they give must be discarded
/// when something is recorded here.
#[derive(Default)]
pub(crate) struct Damage(OnceLock<(PathBuf, String)>);

impl Damage {
    pub(crate) fn record(&self, path: &Path, detail: impl FnOnce() -> String) {
        self.0.get_or_init(|| (path.to_owned(), detail()));
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.0.get() {
            None => Ok(()),
            Some((path, detail)) => Err(Error::damaged(path, detail)),
        }
    }
}

/// A mapped file with the checksums of its blocks. Empty files are not mapped: the system refuses.
pub(crate) struct Mapped {
    map: Option<Mmap>,
    blocks: VerifiedBlocks,
}

impl Mapped {
    #[allow(unsafe_code)]
    pub(crate) fn open(path: &Path, written: Summed, damage: &Arc<Damage>) -> Result<Mapped> {
        let (file, size) = blocks::open(path, Some(written.size))?;
        if written.sums.len() != checksums::blocks(size) {
            return Err(Error::damaged(path, "not as many checksums as blocks"));
        }
        // SAFETY: files of a published generation are never written again, only unlinked as a whole.
        let map = if size == 0 { None } else { Some(unsafe { Mmap::map(&file) }.map_err(Error::io(path))?) };
        Ok(Mapped { map, blocks: VerifiedBlocks::new(path, written.sums, damage) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.blocks.path
    }

    pub(crate) fn len(&self) -> usize {
        self.unverified().len()
    }

    fn unverified(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    /// Bytes that lie in the file and are as they were written.
    pub(crate) fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        let bytes = self.unverified().get(range.clone())?;
        self.verify(range).then_some(bytes)
    }

    /// The whole file; empty where any of it is damaged.
    pub(crate) fn all(&self) -> &[u8] {
        self.get(0..self.len()).unwrap_or_default()
    }

    /// The whole file as rows; a size that does not fit is damage.
    pub(crate) fn check_rows<T>(&self) -> Result<()> {
        if self.len().is_multiple_of(size_of::<T>()) {
            Ok(())
        } else {
            Err(Error::damaged(self.path(), "not a whole number of rows"))
        }
    }

    /// The file as rows, each verified when it is read.
    pub(crate) fn rows<T: FromBytes + Immutable + KnownLayout>(&self) -> Rows<'_, T> {
        // Maps begin on a page, so alignment holds; the size was checked when the file was opened.
        Rows::mapped(<[T]>::ref_from_bytes(self.unverified()).unwrap_or_default(), self)
    }

    /// Verifies every block, also those that were verified before: pages may have been read from the disk again since.
    pub(crate) fn verify_all(&self) -> Result<()> {
        // All of it will be read: the system maps it at once instead of some pages at a time. An older kernel does not know it.
        #[cfg(target_os = "linux")]
        if let Some(map) = &self.map {
            let _ = map.advise(memmap2::Advice::PopulateRead);
        }
        self.blocks.verify_all(self.unverified())
    }

    /// The file as tantivy reads it.
    pub(crate) fn into_handle(self) -> Handle {
        Handle { bytes: self.map.map_or_else(OwnedBytes::empty, OwnedBytes::new), blocks: self.blocks }
    }
}

impl Verify for Mapped {
    fn verify(&self, range: Range<usize>) -> bool {
        self.blocks.verify(self.unverified(), range)
    }
}

/// Which blocks of a file were verified.
struct VerifiedBlocks {
    path: PathBuf,
    sums: Box<[u32]>,
    /// A bit for each block that was verified.
    verified: Box<[AtomicU64]>,
    /// Whether all of them were.
    whole: AtomicBool,
    damage: Arc<Damage>,
}

impl VerifiedBlocks {
    fn new(path: &Path, sums: Vec<u32>, damage: &Arc<Damage>) -> VerifiedBlocks {
        let verified = (0..sums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let (path, damage) = (path.to_owned(), Arc::clone(damage));
        VerifiedBlocks { path, sums: sums.into(), verified, whole: AtomicBool::new(false), damage }
    }

    fn all_verified(&self) -> bool {
        self.whole.load(Ordering::Relaxed)
    }

    /// Whether the blocks that hold a range of the file's bytes are as they were written.
    fn verify(&self, file: &[u8], range: Range<usize>) -> bool {
        if range.is_empty() || self.all_verified() {
            return true;
        }
        let (first, last) = (range.start >> SHIFT, (range.end - 1) >> SHIFT);
        let verified = (first..=last).all(|block| self.verify_block(file, block));
        if verified && last - first + 1 == self.sums.len() {
            self.whole.store(true, Ordering::Relaxed);
        }
        verified
    }

    fn verify_all(&self, file: &[u8]) -> Result<()> {
        if !(0..self.sums.len()).all(|block| self.read_block(file, block)) {
            return self.damage.check();
        }
        self.whole.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn verify_block(&self, file: &[u8], block: usize) -> bool {
        let is_verified = self.verified[block / 64].load(Ordering::Relaxed) >> (block % 64) & 1 == 1;
        is_verified || self.read_block(file, block)
    }

    fn read_block(&self, file: &[u8], block: usize) -> bool {
        let range = block << SHIFT..file.len().min((block + 1) << SHIFT);
        if crc32fast::hash(&file[range.clone()]) != self.sums[block] {
            self.damage.record(&self.path, || format!("the checksum of bytes {} to {}", range.start, range.end));
            return false;
        }
        self.verified[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        true
    }
}

/// A mapped file for tantivy, which reads a range before it looks at it and keeps what it was given: nothing it decodes is unverified.
pub(crate) struct Handle {
    bytes: OwnedBytes,
    blocks: VerifiedBlocks,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.blocks.path.display())
    }
}

impl HasLen for Handle {
    fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl FileHandle for Handle {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.bytes.len() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a range behind the end of the file"));
        }
        if !self.blocks.verify(&self.bytes, range.clone()) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum"));
        }
        Ok(self.bytes.slice(range))
    }
}

/// A mapped file that was verified as a whole, for libraries that want bytes.
pub(crate) struct WholeMap(Mapped);

impl WholeMap {
    pub(crate) fn new(mapped: Mapped) -> Result<WholeMap> {
        mapped.verify_all()?;
        Ok(WholeMap(mapped))
    }
}

impl AsRef<[u8]> for WholeMap {
    fn as_ref(&self) -> &[u8] {
        self.0.unverified()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::{Damage, Mapped, Summed, WholeMap};
    use crate::store::checksums::BLOCK;

    fn open(path: &Path, bytes: &[u8], damage: &Arc<Damage>) -> Mapped {
        Mapped::open(path, Summed::of(bytes), damage).unwrap()
    }

    #[test]
    fn only_the_blocks_of_a_range_are_verified_and_damage_is_recorded() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let whole: Vec<u8> = (0..4 * BLOCK + 12).map(|i| (i % 253) as u8).collect();
        // The byte that is flipped, the range that is read, and whether it can be.
        let cases = [
            (2 * BLOCK, 0..2 * BLOCK, true),
            (2 * BLOCK, 3 * BLOCK..4 * BLOCK + 12, true),
            (2 * BLOCK, 2 * BLOCK - 1..2 * BLOCK + 1, false),
            (2 * BLOCK, 3 * BLOCK - 1..3 * BLOCK, false),
            (2 * BLOCK, 0..4 * BLOCK + 12, false),
            (4 * BLOCK + 11, 4 * BLOCK..4 * BLOCK + 1, false),
            (4 * BLOCK + 11, 4 * BLOCK..4 * BLOCK, true),
        ];
        for (at, range, expect) in cases {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(file.path(), &bytes).unwrap();
            let damage = Arc::default();
            let mapped = open(file.path(), &whole, &damage);
            for _ in 0..2 {
                assert_eq!(mapped.get(range.clone()).is_some(), expect, "{at} {range:?}");
            }
            assert_eq!(damage.check().is_ok(), expect, "{at} {range:?}");
            let rows = mapped.rows::<u32>();
            assert_eq!(rows.get(at / 4), None);
            assert!(rows.all().is_empty() && mapped.all().is_empty() && mapped.verify_all().is_err());
            let error = damage.check().unwrap_err().to_string();
            assert!(error.contains(&format!("bytes {} to", at / BLOCK * BLOCK)), "{error}");
            assert!(WholeMap::new(mapped).is_err());
        }
    }

    #[test]
    fn a_whole_file_reads_as_it_was_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for len in [0, 4, BLOCK, BLOCK + 4, 70 * BLOCK] {
            let bytes: Vec<u8> = (0..len).map(|i| (i % 253) as u8).collect();
            std::fs::write(file.path(), &bytes).unwrap();
            let damage = Arc::default();
            let mapped = open(file.path(), &bytes, &damage);
            assert_eq!(mapped.get(len.saturating_sub(3)..len).map(<[u8]>::len), Some(len.min(3)));
            assert_eq!((mapped.get(len..len + 1), mapped.all()), (None, bytes.as_slice()));
            assert_eq!(mapped.rows::<u32>().all().len(), len / 4);
            mapped.verify_all().unwrap();
            damage.check().unwrap();
            assert_eq!(WholeMap::new(mapped).unwrap().as_ref(), bytes);
        }
    }
}
