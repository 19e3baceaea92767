//! Checksums of blocks. Every folder of an index, a generation or a part, has one file `checksums.bin` with the CRC-32 of each block of
//! its other files, in the order of their names. Its own checksum stands in the manifest, so that every byte of an index is covered.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use zerocopy::IntoBytes;

use super::manifest::WrittenFile;
use crate::{Error, Result, private_fs};

/// The file of a folder that has the checksums of the others.
pub(crate) const NAME: &str = "checksums.bin";

/// Bytes in a block, as a power of two. Smaller blocks make a look at a few rows cheaper, larger ones the list of checksums: see
/// `docs/decisions/0025-block-checksums.md`.
pub(crate) const SHIFT: u32 = 13;

/// Bytes in a block.
pub(crate) const BLOCK: usize = 1 << SHIFT;

/// Blocks of a file of this size.
pub(crate) fn blocks(size: u64) -> usize {
    size.div_ceil(BLOCK as u64) as usize
}

/// A file that was written, with the checksums of its blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summed {
    pub(crate) size: u64,
    pub(crate) sums: Vec<u32>,
}

impl Summed {
    pub(crate) fn of(bytes: &[u8]) -> Summed {
        Summed { size: bytes.len() as u64, sums: bytes.chunks(BLOCK).map(crc32fast::hash).collect() }
    }

    /// Of a file that something else wrote.
    pub(crate) fn of_file(path: &Path) -> Result<Summed> {
        let mut file = private_fs::open(path).map_err(Error::io(path))?;
        let mut summer = Summer::default();
        let mut buffer = vec![0; 32 * BLOCK];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(summer.finish()),
                Ok(len) => summer.update(&buffer[..len]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::io(path)(e)),
            }
        }
    }
}

/// Computes checksums of a file that is written piece by piece.
#[derive(Default)]
pub(crate) struct Summer {
    written: Summed,
    open: crc32fast::Hasher,
}

impl Summer {
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = BLOCK - self.written.size as usize % BLOCK;
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.open.update(now);
            self.written.size += now.len() as u64;
            if now.len() == room {
                self.close();
            }
            bytes = later;
        }
    }

    fn close(&mut self) {
        self.written.sums.push(std::mem::take(&mut self.open).finalize());
    }

    /// Bytes so far.
    pub(crate) fn size(&self) -> u64 {
        self.written.size
    }

    pub(crate) fn finish(mut self) -> Summed {
        if !self.written.size.is_multiple_of(BLOCK as u64) {
            self.close();
        }
        self.written
    }
}

/// Writes the checksums of new folders, and lists their files for the manifest. Names begin with the folder.
pub(crate) fn seal(home: &Path, files: BTreeMap<String, Summed>) -> Result<BTreeMap<String, WrittenFile>> {
    let mut listed = BTreeMap::new();
    let mut folders: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (name, file) in files {
        let folder = name.split('/').next().unwrap_or_default();
        folders.entry(folder.to_owned()).or_default().extend(&file.sums);
        listed.insert(name, WrittenFile { size: file.size, checksum: None });
    }
    for (folder, sums) in folders {
        let (name, bytes) = (format!("{folder}/{NAME}"), sums.as_bytes());
        let path = home.join(&name);
        private_fs::write(&path, bytes).map_err(Error::io(&path))?;
        let checksum = Some(crc32fast::hash(bytes));
        listed.insert(name, WrittenFile { size: bytes.len() as u64, checksum });
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Summed, Summer, blocks};

    #[test]
    fn a_file_has_the_same_checksums_however_it_is_written() {
        let bytes: Vec<u8> = (0..3 * BLOCK + 100).map(|i| (i * 31 % 251) as u8).collect();
        for len in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 100] {
            let whole = Summed::of(&bytes[..len]);
            assert_eq!((whole.size, whole.sums.len()), (len as u64, blocks(len as u64)));
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes[..len]).unwrap();
            assert_eq!(Summed::of_file(file.path()).unwrap().sums, whole.sums);
            for piece in [1, 7, BLOCK / 2, BLOCK, 2 * BLOCK + 1] {
                let mut summer = Summer::default();
                bytes[..len].chunks(piece).for_each(|piece| summer.update(piece));
                assert_eq!(summer.size(), len as u64);
                assert_eq!(summer.finish().sums, whole.sums, "{len} bytes by {piece}");
            }
        }
    }
}
