//! A folder as tantivy sees it. Generations are published by one rename and checked by sums, so nothing is gained by waiting for the disk
//! after every file, which takes longer than all else in a small update; and readers take no locks, so they need not be able to write.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::private_fs;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, OwnedBytes, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

use super::catalog::Catalog;

/// A text index that is being written. tantivy reads back some of what it just wrote.
#[derive(Clone, Debug)]
pub(crate) struct WriteFolder {
    path: PathBuf,
    /// The first I/O error of any writer: some layers of tantivy keep only its text.
    failure: Arc<OnceLock<io::Error>>,
}

impl WriteFolder {
    pub(crate) fn new(path: &Path) -> WriteFolder {
        WriteFolder { path: path.to_owned(), failure: Arc::default() }
    }

    /// The error to report for one of tantivy: the I/O error behind it, if there was one.
    pub(crate) fn error(&self, error: tantivy::TantivyError) -> crate::Error {
        match self.failure.get() {
            Some(failure) => crate::Error::Io { path: self.path.clone(), source: copied(failure) },
            None => crate::Error::Text(error),
        }
    }

    fn noting<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|e| {
            let _ = self.failure.set(copied(e));
        })
    }
}

fn copied(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| io::Error::new(error.kind(), error.to_string()), io::Error::from_raw_os_error)
}

/// A text index to read.
#[derive(Clone)]
pub(crate) struct ReadFolder {
    pub(crate) catalog: Arc<Catalog>,
    /// Its folder in the index.
    pub(crate) name: String,
}

impl fmt::Debug for ReadFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

struct OpenFile {
    file: File,
    folder: WriteFolder,
}

impl Write for OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.folder.noting(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.folder.noting(flushed)
    }
}

impl TerminatingWrite for OpenFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.flush()
    }
}

fn missing(path: &Path) -> OpenReadError {
    OpenReadError::FileDoesNotExist(path.to_owned())
}

impl Directory for WriteFolder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Ok(Arc::new(OwnedBytes::new(self.atomic_read(path)?)))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        std::fs::remove_file(self.path.join(path))
            .map_err(|e| DeleteError::IoError { io_error: Arc::new(e), filepath: path.to_owned() })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.path.join(path).exists())
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.noting(private_fs::create_new(&self.path.join(path)));
        let file = file.map_err(|e| OpenWriteError::wrap_io_error(e, path.to_owned()))?;
        Ok(BufWriter::new(Box::new(OpenFile { file, folder: self.clone() })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        private_fs::read(&self.path.join(path)).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => missing(path),
            _ => OpenReadError::wrap_io_error(e, path.to_owned()),
        })
    }

    /// Nobody reads a folder before it is published.
    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.noting(private_fs::write(&self.path.join(path), bytes))
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// One writer has the index.
    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl Directory for ReadFolder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let name = self.file(path).ok_or_else(|| missing(path))?;
        let mapped = self.catalog.map(&name).map_err(|e| unreadable(path, &e))?;
        Ok(Arc::new(mapped.into_handle()))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::FileDoesNotExist(path.to_owned()))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.file(path).is_some())
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(io::ErrorKind::PermissionDenied.into(), path.to_owned()))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let name = self.file(path).ok_or_else(|| missing(path))?;
        self.catalog.read(&name).map_err(|e| unreadable(path, &e))
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// Readers see what never changes.
    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl ReadFolder {
    /// The name in the index of a file that is listed there.
    fn file(&self, path: &Path) -> Option<String> {
        let name = format!("{}/{}", self.name, path.to_str()?);
        self.catalog.contains(&name).then_some(name)
    }
}

fn unreadable(path: &Path, error: &crate::Error) -> OpenReadError {
    OpenReadError::wrap_io_error(io::Error::other(error.to_string()), path.to_owned())
}
