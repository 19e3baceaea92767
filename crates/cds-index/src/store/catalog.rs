//! The files of a snapshot by name, each with its size and the checksums of its blocks: the one way to open them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::blocks::Blocks;
use super::checksums::{self, Summed};
use super::manifest::Manifest;
use super::map::{Damage, Mapped, WholeMap};
use crate::{Error, Result, private_fs};

pub(crate) struct Catalog {
    home: PathBuf,
    files: FxHashMap<String, Summed>,
    damage: Arc<Damage>,
}

impl Catalog {
    /// Reads the checksums of a generation and its parts.
    pub(crate) fn open(home: &Path, manifest: &Manifest) -> Result<Catalog> {
        let mut files = FxHashMap::default();
        let parts = manifest.parts.iter().map(|part| part.name.as_str());
        for folder in parts.chain([manifest.generation.as_str()]) {
            let sums = read_checksums(home, manifest, folder)?;
            let mut rest = sums.as_slice();
            let path = home.join(folder).join(checksums::NAME);
            let inside =
                |name: &str| name.strip_prefix(folder)?.strip_prefix('/').filter(|n| *n != checksums::NAME).map(drop);
            for (name, written) in manifest.files.iter().filter(|(name, _)| inside(name).is_some()) {
                let (own, others) = rest
                    .split_at_checked(checksums::blocks(written.size))
                    .ok_or_else(|| Error::damaged(&path, "fewer checksums than blocks"))?;
                files.insert(name.clone(), Summed { size: written.size, sums: own.to_vec() });
                rest = others;
            }
            if !rest.is_empty() {
                return Err(Error::damaged(&path, "more checksums than blocks"));
            }
        }
        Ok(Catalog { home: home.to_owned(), files, damage: Arc::default() })
    }

    /// Where a file or folder of the index is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    fn file(&self, name: &str) -> Result<(PathBuf, &Summed)> {
        let path = self.home.join(name);
        match self.files.get(name) {
            Some(written) => Ok((path, written)),
            None => Err(Error::damaged(path, "not in the manifest")),
        }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Maps a file, whose blocks are verified when they are read.
    pub(crate) fn map(&self, name: &str) -> Result<Mapped> {
        let (path, written) = self.file(name)?;
        Mapped::open(&path, written.clone(), &self.damage)
    }

    /// Maps a finite-state map. The library that walks it trusts its bytes, so all of it is verified at once: 1.6 of the 18 MB of tables
    /// at 10,000 files.
    pub(crate) fn map_fst(&self, name: &str) -> Result<fst::Map<WholeMap>> {
        let mapped = self.map(name)?;
        let path = mapped.path().to_owned();
        fst::Map::new(WholeMap::new(mapped)?).map_err(|e| Error::damaged(path, e.to_string()))
    }

    /// Reads a file, verified.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>> {
        let mapped = self.map(name)?;
        mapped.verify_all()?;
        Ok(mapped.all().to_vec())
    }

    /// Opens a file whose entries are read one by one and have checksums of their own.
    pub(crate) fn blocks(&self, name: &str) -> Result<Blocks> {
        let (path, written) = self.file(name)?;
        Blocks::open(&path, Some(written.size))
    }

    /// Names of all files.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether a file on disk is as it was written. Reads it, whatever was verified before.
    pub(crate) fn verify(&self, name: &str) -> Result<()> {
        let (path, written) = self.file(name)?;
        super::blocks::open(&path, Some(written.size))?;
        let found = Summed::of_file(&path)?;
        match found.sums.iter().zip(&written.sums).position(|(a, b)| a != b) {
            None if found.size == written.size => Ok(()),
            block => {
                let at = block.unwrap_or_default() * checksums::BLOCK;
                Err(Error::damaged(path, format!("the checksum of the block at byte {at}")))
            }
        }
    }

    /// The first damage that was met by a reader.
    pub(crate) fn damage(&self) -> Result<()> {
        self.damage.check()
    }
}

fn read_checksums(home: &Path, manifest: &Manifest, folder: &str) -> Result<Vec<u32>> {
    let name = format!("{folder}/{}", checksums::NAME);
    let path = home.join(&name);
    let damaged = |detail: &str| Error::damaged(&path, detail);
    let written = manifest.files.get(&name).ok_or_else(|| damaged("not in the manifest"))?;
    let bytes = private_fs::read(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => damaged("the file is missing"),
        _ => Error::io(&path)(e),
    })?;
    if bytes.len() as u64 != written.size || written.checksum != Some(crc32fast::hash(&bytes)) {
        return Err(damaged("the checksum"));
    }
    let (sums, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(damaged("not a whole number of rows"));
    }
    Ok(sums.iter().map(|sum| u32::from_le_bytes(*sum)).collect())
}
