//! Blocks of a file that are asked for one by one. They are read, not mapped: what was read does not stay, where a map would grow to the size
//! of the file, and a file that was cut is an error instead of a fault.

use std::fs::File;
use std::path::{Path, PathBuf};

use cds_model::counted;

use crate::{Error, Result, private_fs};

pub(crate) struct Blocks {
    path: PathBuf,
    size: u64,
    #[cfg(unix)]
    file: File,
    /// Where reading moves a place that all share, they take turns.
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

impl Blocks {
    pub(crate) fn open(path: &Path, expected: Option<u64>) -> Result<Blocks> {
        let (file, size) = open(path, expected)?;
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(Blocks { path: path.to_owned(), size, file })
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes from `at` on; none where the file ends before.
    pub(crate) fn read(&self, at: u64, len: u32) -> Option<Vec<u8>> {
        // A length that is damaged is not given room.
        if at.checked_add(u64::from(len))? > self.size {
            return None;
        }
        let mut block = vec![0; len as usize];
        #[cfg(unix)]
        std::os::unix::fs::FileExt::read_exact_at(&self.file, &mut block, at).ok()?;
        #[cfg(not(unix))]
        {
            use std::io::{Read, Seek, SeekFrom};
            let mut file = self.file.lock().ok()?;
            file.seek(SeekFrom::Start(at)).ok()?;
            file.read_exact(&mut block).ok()?;
        }
        Some(block)
    }
}

/// Opens a file of the index and tells its size, which is the one expected.
pub(super) fn open(path: &Path, expected: Option<u64>) -> Result<(File, u64)> {
    let file = private_fs::open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::damaged(path, "the file is missing"),
        _ => Error::io(path)(e),
    })?;
    let size = file.metadata().map_err(Error::io(path))?.len();
    if let Some(expected) = expected.filter(|&e| e != size) {
        return Err(Error::damaged(path, format!("{} instead of {expected}", counted(size as usize, "byte"))));
    }
    Ok((file, size))
}

#[cfg(test)]
mod tests {
    use super::Blocks;

    #[test]
    fn blocks_are_read_wherever_they_lie() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"onetwothree").unwrap();
        let blocks = Blocks::open(file.path(), Some(11)).unwrap();
        assert_eq!(blocks.read(6, 5).as_deref(), Some(&b"three"[..]));
        assert_eq!(blocks.read(0, 3).as_deref(), Some(&b"one"[..]));
        assert_eq!(blocks.read(11, 0).as_deref(), Some(&b""[..]));
        assert_eq!(blocks.read(9, 3), None);
        assert!(Blocks::open(file.path(), Some(12)).is_err());
        assert!(Blocks::open(&file.path().join("none"), None).is_err());
    }
}
