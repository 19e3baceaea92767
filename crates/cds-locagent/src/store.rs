//! One file on disk holds all of it: written beside and renamed, so that a reader sees the old one or the new one.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// First bytes of the file; the number rises with every change of what follows.
const MAGIC: &[u8; 8] = b"cdsloc02";

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is none.
    #[error("there is no LocAgent index: make one with `cds index --compat locagent`")]
    Missing,
    /// It is not whole, or another version wrote it.
    #[error("the LocAgent index is damaged or of another version: make it anew with `cds index --compat locagent`")]
    Unusable,
    /// It could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Writes parts one after another, each with its length and checksum.
pub(crate) struct Writer {
    file: Option<BufWriter<File>>,
    path: PathBuf,
    beside: PathBuf,
}

impl Writer {
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        let beside = path.with_extension(format!("{}.tmp", std::process::id()));
        let _ = std::fs::remove_file(&beside);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut writer = Self { file: None, path: path.to_owned(), beside };
        let mut file = BufWriter::new(options.open(&writer.beside)?);
        file.write_all(MAGIC)?;
        writer.file = Some(file);
        Ok(writer)
    }

    pub(crate) fn part(&mut self, part: &impl Serialize) -> Result<(), StoreError> {
        let file = self.file.as_mut().expect("it is open until it is finished");
        let head = file.stream_position()?;
        file.write_all(&[0; HEAD])?;
        let mut summed = Summed { file, length: 0, sum: crc32fast::Hasher::new() };
        postcard::to_io(part, &mut summed).map_err(io::Error::other)?;
        let Summed { file, length, sum } = summed;
        file.seek(SeekFrom::Start(head))?;
        file.write_all(&length.to_le_bytes())?;
        file.write_all(&sum.finalize().to_le_bytes())?;
        file.seek(SeekFrom::End(0))?;
        Ok(())
    }

    /// Rows, so many in a part.
    pub(crate) fn parts<T: Serialize>(&mut self, rows: &[T], in_part: usize) -> Result<(), StoreError> {
        self.part(&rows.len())?;
        rows.chunks(in_part).try_for_each(|rows| self.part(&rows))
    }

    pub(crate) fn finish(mut self) -> Result<(), StoreError> {
        let file = self.file.take().expect("it is open until it is finished");
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        Ok(std::fs::rename(&self.beside, &self.path)?)
    }
}

/// Bytes before a part: its length and checksum.
const HEAD: usize = 12;

/// Counts and sums what is written: a part is never in memory as a whole.
struct Summed<'f> {
    file: &'f mut BufWriter<File>,
    length: u64,
    sum: crc32fast::Hasher,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        self.sum.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // After it was renamed there is none.
        let _ = std::fs::remove_file(&self.beside);
    }
}

/// Reads parts in the order in which they were written. Only one is in memory in its written form.
pub(crate) struct Reader {
    file: File,
    /// Bytes that are not read yet.
    left: u64,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => StoreError::Missing,
            _ => StoreError::Io(e),
        })?;
        let mut reader = Self { left: file.metadata()?.len(), file };
        if reader.take::<8>()? == *MAGIC { Ok(reader) } else { Err(StoreError::Unusable) }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        let mut bytes = [0; N];
        self.left = self.left.checked_sub(N as u64).ok_or(StoreError::Unusable)?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next part, checked and decoded.
    pub(crate) fn part<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        let length = u64::from_le_bytes(self.take()?);
        let sum = u32::from_le_bytes(self.take()?);
        self.left = self.left.checked_sub(length).ok_or(StoreError::Unusable)?;
        let mut part = vec![0; length as usize];
        self.file.read_exact(&mut part)?;
        let is_whole = crc32fast::hash(&part) == sum;
        postcard::from_bytes(&part).ok().filter(|_| is_whole).ok_or(StoreError::Unusable)
    }

    /// Rows that were written in parts.
    pub(crate) fn parts<T: DeserializeOwned>(&mut self) -> Result<Vec<T>, StoreError> {
        let count: usize = self.part()?;
        let mut rows = Vec::with_capacity(count);
        while rows.len() < count {
            let mut part: Vec<T> = self.part()?;
            if part.is_empty() {
                return Err(StoreError::Unusable);
            }
            rows.append(&mut part);
        }
        Ok(rows)
    }
}

/// Times of files have a grain: what changes within it after a look has the same time.
const GRAIN: Duration = Duration::from_millis(20);

/// What files and folders looked like when they were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamps(Vec<Stamp>);

impl Stamps {
    /// Looks at paths below a root. Where one has changed just now, waits until a further change would show.
    pub(crate) fn take<'p>(root: &Path, paths: impl Iterator<Item = &'p Path>) -> Self {
        let mut paths: Vec<&Path> = paths.collect();
        paths.sort_unstable();
        paths.dedup();
        let look = || Self(paths.iter().filter_map(|path| Some(Stamp::of(root, path.to_str()?))).collect());
        let stamps = look();
        if !stamps.changed_just_now() {
            return stamps;
        }
        std::thread::sleep(GRAIN);
        look()
    }

    fn changed_just_now(&self) -> bool {
        let now = nanoseconds(SystemTime::now());
        // A time that is far ahead was set by somebody.
        self.0.iter().any(|stamp| now.abs_diff(stamp.modified) < GRAIN.as_nanos() as u64)
    }

    pub(crate) fn are_current(&self, root: &Path) -> bool {
        self.0.iter().all(|stamp| *stamp == Stamp::of(root, &stamp.path))
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(-1, |since| since.as_nanos() as i64)
}

/// What a file or folder looked like when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    path: String,
    size: u64,
    modified: i64,
}

impl Stamp {
    /// A folder's size says nothing, its time changes when a file comes or goes.
    fn of(root: &Path, path: &str) -> Self {
        let meta = std::fs::metadata(root.join(path));
        let modified = meta.as_ref().ok().and_then(|meta| meta.modified().ok());
        Self {
            path: path.to_owned(),
            size: meta.as_ref().map_or(u64::MAX, |meta| if meta.is_dir() { 0 } else { meta.len() }),
            modified: modified.map_or(-1, nanoseconds),
        }
    }
}
