//! Small files of the user's own, such as the list of a service's projects: for their owner alone, read whole, replaced atomically.

use std::io::{Error, Result};
use std::path::Path;

use crate::disk::{OpenError, OpenFile, open_owner_file};
use crate::private_fs;

/// The text of a file of at most `limit` bytes; none where there is no file.
pub fn read_state_file(path: &Path, limit: u64) -> Result<Option<String>> {
    match open_owner_file(path, limit).and_then(OpenFile::read_text) {
        Ok(text) => Ok(Some(text)),
        Err(OpenError::NotFound) => Ok(None),
        Err(e) => Err(Error::other(e.to_string())),
    }
}

/// Replaces a file by what `change` makes of its text. Processes that change it at the same time do so one after another; readers see the
/// old text or the new one. Missing directories are created.
pub fn update_state_file(path: &Path, limit: u64, change: impl FnOnce(Option<&str>) -> Result<String>) -> Result<()> {
    if let Some(folder) = path.parent() {
        private_fs::create_dir_all(folder)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    // Unlocked when it is closed.
    let lock = private_fs::open_or_create(Path::new(&beside))?;
    lock.lock()?;
    let text = change(read_state_file(path, limit)?.as_deref())?;
    private_fs::replace(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{read_state_file, update_state_file};

    #[test]
    fn changes_of_several_writers_are_all_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/state/list");
        assert_eq!(read_state_file(&path, 9).unwrap(), None);
        let append = |word: char| {
            update_state_file(&path, 1_000, |text| Ok(format!("{}{word}", text.unwrap_or_default()))).unwrap();
        };
        std::thread::scope(|scope| {
            for word in ['a', 'b', 'c'] {
                scope.spawn(move || (0..20).for_each(|_| append(word)));
            }
        });
        let text = read_state_file(&path, 1_000).unwrap().unwrap();
        assert_eq!(['a', 'b', 'c'].map(|word| text.matches(word).count()), [20, 20, 20]);
        assert!(read_state_file(&path, 9).is_err(), "more than the limit");
        // A change that fails leaves the file as it was.
        assert!(update_state_file(&path, 1_000, |_| Err(std::io::Error::other("no"))).is_err());
        assert_eq!(read_state_file(&path, 1_000).unwrap(), Some(text));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
