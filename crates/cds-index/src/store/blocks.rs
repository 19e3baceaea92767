//! Blocks of a file that is read through once. They are read, not mapped: what was read does not stay, where a map would grow to the
//! size of the file.

use std::fs::File;
use std::path::Path;

use crate::{Error, Result};

pub(crate) struct Blocks {
    #[cfg(unix)]
    file: File,
    /// Where reading moves a place that all share, they take turns.
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

impl Blocks {
    pub(crate) fn open(path: &Path) -> Result<Blocks> {
        let file = File::open(path).map_err(Error::io(path))?;
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(Blocks { file })
    }

    /// The bytes from `at` on; none where the file ends before.
    pub(crate) fn read(&self, at: u64, len: u32) -> Option<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use super::Blocks;

    #[test]
    fn blocks_are_read_wherever_they_lie() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"onetwothree").unwrap();
        let blocks = Blocks::open(file.path()).unwrap();
        assert_eq!(blocks.read(6, 5).as_deref(), Some(&b"three"[..]));
        assert_eq!(blocks.read(0, 3).as_deref(), Some(&b"one"[..]));
        assert_eq!(blocks.read(11, 0).as_deref(), Some(&b""[..]));
        assert_eq!(blocks.read(9, 3), None);
        assert!(Blocks::open(&file.path().join("none")).is_err());
    }
}
