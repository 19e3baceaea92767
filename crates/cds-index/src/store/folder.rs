//! A folder as tantivy sees it. Generations are published by one rename and checked by sums, so nothing is gained by waiting for the disk
//! after every file, which takes longer than all else in a small update; and readers take no locks, so they need not be able to write.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::private_fs;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    mapped: MmapDirectory,
}

impl Folder {
    pub(crate) fn open(root: &Path) -> tantivy::Result<Folder> {
        Ok(Folder { root: root.to_owned(), mapped: MmapDirectory::open(root)? })
    }
}

struct Plain(File);

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Plain {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for Folder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = private_fs::create_new(&self.root.join(path));
        let file = file.map_err(|e| OpenWriteError::wrap_io_error(e, path.to_owned()))?;
        Ok(BufWriter::new(Box::new(Plain(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    /// Nobody reads a folder before it is published.
    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        private_fs::write(&self.root.join(path), bytes)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// One writer has the index, and readers see what never changes.
    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
