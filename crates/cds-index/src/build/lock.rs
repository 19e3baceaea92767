//! One writer at a time. The system frees the lock when its owner ends, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::{Error, Result};

/// Creates the index folder if need be. Git must not see it, whatever the project's own ignore files say.
pub fn prepare_home(home: &Path) -> Result<()> {
    std::fs::create_dir_all(home).map_err(Error::io(home))?;
    let ignore = home.join(".gitignore");
    if !ignore.exists() {
        std::fs::write(&ignore, "*\n").map_err(Error::io(&ignore))?;
    }
    Ok(())
}

pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Creates the index folder if need be and takes its lock.
    pub(crate) fn take(root: &Path, home: &Path) -> Result<Lock> {
        prepare_home(home)?;
        let path = home.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(Error::io(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::Busy { root: root.to_owned(), lock: path }),
            Err(TryLockError::Error(e)) => Err(Error::io(&path)(e)),
        }
    }
}
