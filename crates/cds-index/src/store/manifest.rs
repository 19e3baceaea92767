//! `manifest.json`: which generation is current and what it was made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::build::{BuildOptions, RuleFile};
use crate::disk::Stamp;
use crate::index_dir::marker_id;
use crate::store::space::VectorSpace;
use crate::{Error, Result, private_fs};

/// Raised with every change of any file's layout or of what is written to the text index. Another version means
/// rebuild, not migration.
pub const FORMAT_VERSION: u32 = 17;

/// The published state of an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Must equal [`FORMAT_VERSION`]; stands first so that other versions can still be told apart.
    pub format: u32,
    /// The program that wrote it.
    pub version: String,
    /// The folder of the current generation.
    pub generation: String,
    /// The id in the marker of the index directory: a manifest that came from elsewhere has another one.
    pub index_id: String,
    /// The project: a hash of the root's path.
    pub project: String,
    /// When the project was first indexed, in milliseconds since 1970. Chunk ids carry it.
    pub born_ms: u64,
    /// When this generation was written, in seconds since 1970.
    pub built: i64,
    /// Facts and settings that entered the text index; a difference means rebuild.
    pub fingerprint: String,
    /// The settings among them.
    pub options: BuildOptions,
    /// Which model made the vectors, if any did: those of another are not compared with them.
    pub model: Option<cds_encode::ModelId>,
    /// The space that its vectors are stored in, if it reads whole texts and did not fail on all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<VectorSpace>,
    /// Which model weighed the terms, if any did.
    pub sparse_model: Option<cds_encode::ModelId>,
    /// Names of languages; documents refer to them by position.
    pub languages: Vec<String>,
    /// Totals.
    pub counts: Counts,
    /// Files that were found and are not in it yet: the first index of a large tree is published in steps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left: u64,
    /// Directories seen, with the times of their last changes in nanoseconds: added and removed files show there.
    pub directories: Vec<(String, i64)>,
    /// Those that may have changed since they were listed without their times showing it, with a hash of their entries.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub racy_directories: BTreeMap<String, u64>,
    /// Files that decide what is indexed, inside the root and outside, sorted by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleFile>,
    /// The bytes of paths that are not UTF-8, by how they are written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raw_paths: BTreeMap<String, Vec<u8>>,
    /// Files that were left out and may become readable in place.
    pub skipped: Vec<SkippedFile>,
    /// The parts it is made of, the oldest first; documents refer to them by position.
    pub parts: Vec<PartEntry>,
    /// The files of the generation and of its parts, by path inside the index folder.
    pub files: BTreeMap<String, WrittenFile>,
    /// Of the manifest's own text up to this field, which stands last.
    pub checksum: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A part of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Its folder.
    pub name: String,
    /// How many chunks were written to it, whether or not they are still there.
    pub docs: u32,
}

/// A file or folder that was left out, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    /// Relative to the root.
    pub path: String,
    /// Its size and times; none for a folder that could not be entered.
    pub stamp: Option<Stamp>,
    /// Whether the system refused to read it. Permission may come without a new time.
    pub refused: bool,
}

/// A file of a generation as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Bytes.
    pub size: u64,
    /// CRC-32 of a list of checksums; the blocks of other files have theirs in such a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<u32>,
}

/// How much is in an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Files.
    pub files: u64,
    /// Entities, directories and files included.
    pub entities: u64,
    /// Chunks.
    pub chunks: u64,
    /// References found.
    pub references: u64,
    /// Bytes of source.
    pub source_bytes: u64,
    /// Edges of the graph, containment included.
    pub edges: u64,
    /// Calls that may mean too many entities to say which.
    pub unresolved: u64,
    /// Calls of what the tree does not define.
    pub calls_outside: u64,
    /// Files left out, and files with problems.
    pub problems: u64,
    /// Chunks that a model failed on; they are tried again.
    pub not_encoded: u64,
    /// Texts that were longer than a model reads.
    pub truncated: u64,
}

/// The name of the last field, as it is written.
const CHECKSUM: &str = "\"checksum\":";

#[derive(Deserialize)]
struct OnlyFormat {
    format: u32,
}

impl Manifest {
    pub(crate) const NAME: &str = "manifest.json";

    /// Reads the manifest of an index folder.
    pub fn read(home: &Path) -> Result<Manifest> {
        let path = home.join(Manifest::NAME);
        let text = match private_fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(Error::Missing(home.to_owned())),
            Err(e) => return Err(Error::io(&path)(e)),
        };
        let read = serde_json::from_slice::<Manifest>(&text);
        // That of another version may have other fields.
        let found = match &read {
            Ok(manifest) => manifest.format,
            Err(_) => serde_json::from_slice::<OnlyFormat>(&text).map_or(FORMAT_VERSION, |only| only.format),
        };
        if found != FORMAT_VERSION {
            return Err(Error::Format { path: home.to_owned(), found, expected: FORMAT_VERSION });
        }
        let manifest = read.map_err(|e| Error::damaged(&path, e.to_string()))?;
        if manifest.checksum != checksum(before_checksum(&text)) {
            return Err(Error::damaged(&path, "the checksum"));
        }
        if manifest.index_id != marker_id(home)? {
            return Err(Error::damaged(&path, "it is of another index directory"));
        }
        // They are joined to paths.
        let is_plain = |name: &str| name.len() == 7 && name[1..].bytes().all(|b| b.is_ascii_digit());
        if !is_plain(&manifest.generation) || !manifest.parts.iter().all(|part| is_plain(&part.name)) {
            return Err(Error::damaged(&path, "the name of a folder"));
        }
        Ok(manifest)
    }

    /// Whether this is the one that is published. Costs no more than reading it.
    pub(crate) fn is_current(&self, home: &Path) -> bool {
        private_fs::read(&home.join(Manifest::NAME)).is_ok_and(|text| text.ends_with(self.end().as_bytes()))
    }

    /// How its text ends. No two have the same sum but by a chance of one in four thousand million.
    fn end(&self) -> String {
        format!("{CHECKSUM}\"{}\"}}", self.checksum)
    }

    /// Where something of the index stands on disk.
    pub fn on_disk(&self, root: &Path, path: &str) -> PathBuf {
        #[cfg(unix)]
        if let Some(raw) = self.raw_paths.get(path) {
            return root.join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(raw));
        }
        root.join(path)
    }

    /// Publishes it: written aside, then renamed over the old one.
    pub(crate) fn publish(&mut self, home: &Path) -> Result<()> {
        let path = home.join(Manifest::NAME);
        self.checksum.clear();
        let mut text = serde_json::to_string(self).expect("a manifest is plain data");
        text.truncate(text.len() - self.end().len());
        self.checksum = checksum(text.as_bytes());
        text.push_str(&self.end());
        private_fs::replace(&path, text.as_bytes()).map_err(Error::io(&path))
    }
}

/// Of all that stands before the last field. The text is hashed, not the fields: that takes no time worth naming.
fn checksum(before: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(before))
}

fn before_checksum(text: &[u8]) -> &[u8] {
    let last = text.windows(CHECKSUM.len()).rposition(|w| w == CHECKSUM.as_bytes());
    &text[..last.unwrap_or(text.len())]
}
