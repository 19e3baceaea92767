//! The directory of an index: whether it may be used, and for which root.
//!
//! A directory becomes an index directory when a writer puts a [`Marker`] into it. The marker says which root it is for, and which directory
//! it was made in: inode and time of creation, which no clone, archive or copy reproduces. It also has a random id, which the manifest
//! repeats. So an index that arrived with a repository is never believed, and two roots never share a directory.
//!
//! | directory | `<root>/.cds-index` | named by the owner |
//! |---|---|---|
//! | missing or empty | used | used |
//! | marker of this root, made here | used | used |
//! | marker of another root that exists | rejected | rejected |
//! | no valid marker, files of an index only | replaced | rejected |
//! | anything else: other files, links, another owner | rejected | rejected |

use std::fs::{File, Metadata};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::build::{index_home, is_lock};
use crate::store::{Manifest, WRITTEN};
use crate::{Error, Result, Snapshot, private_fs};

/// The file that makes a directory an index directory.
pub(crate) const MARKER: &str = "cds-index.json";
pub(crate) const LOCK: &str = "lock";
const IGNORE: &str = ".gitignore";
/// Where a service that keeps the index listens.
const SOCKET: &str = "daemon.sock";
/// What git must not see, whatever the project's own ignore files say.
const IGNORE_ALL: &str = "*\n";
/// Raised with every change of the marker's layout.
const MARKER_VERSION: u32 = 1;
/// More than any marker has.
const MARKER_SIZE: u64 = 64 << 10;

/// What a writer leaves in a directory before it publishes anything.
const PRELIMINARY: &[&str] = &[LOCK, IGNORE, ".gitignore.new", MARKER, "cds-index.json.new"];
/// Other files of an index directory.
const FILES: &[&str] = &[Manifest::NAME, "manifest.json.new", "config.toml", "config.toml.new", SOCKET, "locagent.bin"];

/// The content of [`MARKER`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    version: u32,
    /// Random. The manifest repeats it, so that no other manifest is taken for ours.
    id: String,
    /// The root, for people to read.
    root: String,
    /// A hash of the root's canonical path, and the directory there.
    root_path: String,
    root_dir: DirId,
    /// The index directory itself.
    dir: DirId,
}

/// Tells a directory from every other one, also from a copy at the same path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DirId {
    inode: u64,
    /// Nanoseconds since 1970; none where the file system does not keep it.
    created: Option<i64>,
}

impl DirId {
    fn of(meta: &Metadata) -> DirId {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(meta);
        #[cfg(not(unix))]
        let inode = 0;
        let since = |time: std::time::SystemTime| time.duration_since(UNIX_EPOCH).ok();
        let created = meta.created().ok().and_then(since).map(|since| since.as_nanos() as i64);
        DirId { inode, created }
    }
}

/// What is in an index directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirState {
    /// Nothing, or nothing but what a writer leaves that was stopped early.
    Vacant,
    /// An index directory of this root.
    Ours,
    /// Files of an index that was not made here. They are never read; the next build replaces them.
    Untrusted,
}

/// An index directory and the root it is for.
#[derive(Clone, Copy, Debug)]
pub struct IndexDir<'a> {
    root: &'a Path,
    path: &'a Path,
}

/// What a writer made of a directory, and how to take it back.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    /// The marker's id.
    pub(crate) id: String,
    /// Whether nothing that could be asked was there before.
    is_first: bool,
    #[cfg(unix)]
    mode: Option<u32>,
}

impl Claim {
    /// A claim before its marker is written, or where that failed.
    pub(crate) fn without_marker(dir: IndexDir) -> Claim {
        Claim { is_first: !dir.path.join(Manifest::NAME).exists(), ..Claim::default() }
    }
}

impl<'a> IndexDir<'a> {
    /// Touches nothing.
    pub fn new(root: &'a Path, path: &'a Path) -> IndexDir<'a> {
        IndexDir { root, path }
    }

    pub(crate) fn root(self) -> &'a Path {
        self.root
    }

    pub(crate) fn path(self) -> &'a Path {
        self.path
    }

    /// What is there; an error where it may not be used. Nothing is written.
    pub fn state(self) -> Result<DirState> {
        self.look().map(|(state, _)| state)
    }

    /// Opens the index of this root, and no other one.
    pub fn open(self) -> Result<Snapshot> {
        match self.state()? {
            DirState::Ours => Snapshot::open(self.path),
            DirState::Vacant => Err(Error::Missing(self.path.to_owned())),
            DirState::Untrusted => Err(Error::Untrusted(self.path.to_owned())),
        }
    }

    fn look(self) -> Result<(DirState, Option<Marker>)> {
        let root = std::fs::canonicalize(self.root).map_err(Error::io(self.root))?;
        let Some(dir) = self.handle()? else {
            // Creating what is missing could make such a path lead to a directory that was not checked.
            if self.path.components().any(|part| part == Component::ParentDir) {
                return Err(self.rejected("it does not exist and its path contains `..`: name it without"));
            }
            return Ok((DirState::Vacant, None));
        };
        let path = std::fs::canonicalize(self.path).map_err(Error::io(self.path))?;
        if root.starts_with(&path) {
            return Err(self.rejected("it contains the project: name a directory of its own with --index-dir"));
        }
        let meta = dir.metadata().map_err(Error::io(self.path))?;
        if !is_own(&meta) {
            return Err(self.rejected("it belongs to another user: name a directory of your own with --index-dir"));
        }
        let marker = read_marker(&dir, self.path).ok();
        // What lies in the root may have come with it.
        let is_made_here = |marker: &Marker| !path.starts_with(&root) || marker.dir == DirId::of(&meta);
        if let Some(marker) = marker.filter(is_made_here) {
            if marker.is_for(&root) {
                return Ok((DirState::Ours, Some(marker)));
            }
            let other = Path::new(&marker.root);
            if !self.is_default() || other.is_dir() {
                let why = format!(
                    "it is the index of {}: every project needs a directory of its own, name another with --index-dir, \
                     or remove this one",
                    other.display()
                );
                return Err(self.rejected(&why));
            }
        }
        let foreign = foreign_entry(self.path).map_err(Error::io(self.path))?;
        match foreign {
            Contents::Nothing => Ok((DirState::Vacant, None)),
            Contents::Ours(_) if self.is_default() => Ok((DirState::Untrusted, None)),
            Contents::Ours(name) | Contents::Foreign(name) => {
                let dir = self.path.display();
                let why = if self.is_default() {
                    format!("it holds {name:?}, which cds did not write: remove {dir}")
                } else {
                    format!("it holds {name:?} and is not an index of this project: name an empty or a new directory")
                };
                Err(self.rejected(&why))
            }
        }
    }

    /// The directory, opened without following links; none where there is nothing.
    fn handle(self) -> Result<Option<File>> {
        let link = |at: &Path| {
            let why = format!("{} is a symbolic link: remove it, or name the directory itself", at.display());
            self.rejected(&why)
        };
        // Links below the root may have come with it, and so may the last one.
        let mut at = self.root.to_owned();
        for name in self.path.strip_prefix(self.root).unwrap_or(Path::new("")) {
            at.push(name);
            if is_link(&at) {
                return Err(link(&at));
            }
        }
        match private_fs::open_dir(self.path) {
            Ok(dir) => Ok(Some(dir)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(_) if is_link(self.path) => Err(link(self.path)),
            Err(e) => Err(Error::io(self.path)(e)),
        }
    }

    pub(crate) fn is_default(self) -> bool {
        self.path == index_home(self.root)
    }

    fn rejected(self, why: &str) -> Error {
        Error::Rejected { path: self.path.to_owned(), why: why.to_owned() }
    }

    /// Creates the directory if it may be used; gives what was there before and which directories were made.
    pub(crate) fn create(self) -> Result<(DirState, Vec<PathBuf>)> {
        let state = self.state()?;
        let missing: Vec<&Path> = self.path.ancestors().take_while(|path| !path.exists()).collect();
        if let Some(parent) = self.path.parent() {
            private_fs::create_dir_all(parent).map_err(Error::io(self.path))?;
        }
        private_fs::create_dir(self.path).map_err(Error::io(self.path))?;
        Ok((state, missing.into_iter().map(Path::to_owned).collect()))
    }

    /// Makes it the index directory of this root. Called by whoever holds its lock.
    pub(crate) fn claim(self) -> Result<Claim> {
        let (state, known) = self.look()?;
        if state == DirState::Untrusted {
            self.clear()?;
        }
        let mut claim = Claim::without_marker(self);
        #[cfg(unix)]
        {
            claim.mode = tighten(self.path).map_err(Error::io(self.path))?;
        }
        let marker = Marker::new(self.root, self.path, known.as_ref().map(|known| known.id.clone()))?;
        if known.as_ref() != Some(&marker) {
            let path = self.path.join(MARKER);
            let text = serde_json::to_string(&marker).expect("a marker is plain data");
            private_fs::replace(&path, text.as_bytes()).map_err(Error::io(&path))?;
        }
        let ignore = self.path.join(IGNORE);
        if private_fs::open(&ignore).is_err() {
            private_fs::replace(&ignore, IGNORE_ALL.as_bytes()).map_err(Error::io(&ignore))?;
        }
        claim.id = marker.id;
        Ok(claim)
    }

    /// Removes what was not made here: files of an index, and nothing else is there.
    fn clear(self) -> Result<()> {
        for entry in std::fs::read_dir(self.path).map_err(Error::io(self.path))?.flatten() {
            let path = entry.path();
            let done = match entry.file_type() {
                Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(&path),
                _ if entry.file_name() == LOCK => Ok(()),
                _ => std::fs::remove_file(&path),
            };
            done.map_err(Error::io(&path))?;
        }
        Ok(())
    }

    /// Removes a directory in which nothing was published, as if it had never been claimed. `made` are directories to remove with it.
    pub(crate) fn discard(self, claim: &Claim, made: &[PathBuf]) {
        if !claim.is_first || !matches!(foreign_entry(self.path), Ok(Contents::Nothing)) {
            return;
        }
        for name in PRELIMINARY {
            let _ = std::fs::remove_file(self.path.join(name));
        }
        #[cfg(unix)]
        if let Some(mode) = claim.mode {
            use std::os::unix::fs::PermissionsExt;
            let _ = std::fs::set_permissions(self.path, std::fs::Permissions::from_mode(mode));
        }
        let _ = made.iter().map(std::fs::remove_dir).take_while(std::io::Result::is_ok).count();
    }
}

impl Marker {
    fn new(root: &Path, path: &Path, id: Option<String>) -> Result<Marker> {
        let canonical = std::fs::canonicalize(root).map_err(Error::io(root))?;
        let id_of = |path: &Path| std::fs::metadata(path).map(|meta| DirId::of(&meta)).map_err(Error::io(path));
        Ok(Marker {
            version: MARKER_VERSION,
            id: id.unwrap_or_else(random_id),
            root: canonical.display().to_string(),
            root_path: path_hash(&canonical),
            root_dir: id_of(root)?,
            dir: id_of(path)?,
        })
    }

    /// Whether it is for the root at this canonical path: the path is the same, or the directory was moved there.
    fn is_for(&self, root: &Path) -> bool {
        let is_there = || std::fs::metadata(root).is_ok_and(|meta| DirId::of(&meta) == self.root_dir);
        self.root_path == path_hash(root) || self.root_dir.created.is_some() && is_there()
    }
}

/// The id in the marker of an index directory.
pub(crate) fn marker_id(path: &Path) -> Result<String> {
    let dir = private_fs::open_dir(path).map_err(Error::io(path))?;
    let damaged = |_| Error::damaged(path.join(MARKER), "the marker");
    read_marker(&dir, path).map(|marker| marker.id).map_err(damaged)
}

/// Reads the marker of a directory that is open.
fn read_marker(dir: &File, path: &Path) -> std::io::Result<Marker> {
    use std::io::Read;
    #[cfg(unix)]
    let file = {
        use rustix::fs::{Mode, OFlags, openat};
        let _ = path;
        File::from(openat(dir, MARKER, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK, Mode::empty())?)
    };
    #[cfg(not(unix))]
    let file = {
        let _ = dir;
        private_fs::open(&path.join(MARKER))?
    };
    let meta = file.metadata()?;
    let mut text = String::new();
    file.take(MARKER_SIZE).read_to_string(&mut text)?;
    let marker: Marker = serde_json::from_str(&text)?;
    if !meta.is_file() || !is_own(&meta) || marker.version != MARKER_VERSION {
        return Err(std::io::Error::other("no marker of ours"));
    }
    Ok(marker)
}

/// What a directory without a valid marker holds.
enum Contents {
    Nothing,
    /// Files of an index, such as this one.
    Ours(String),
    /// Something else, such as this.
    Foreign(String),
}

fn foreign_entry(path: &Path) -> std::io::Result<Contents> {
    let mut found = Contents::Nothing;
    let mut entries: Vec<_> = std::fs::read_dir(path)?.collect::<std::io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        // A writer may have renamed or removed it since the directory was listed.
        let Some(meta) = if_there(entry.metadata())? else { continue };
        let is_file = is_own(&meta) && (meta.is_file() || name == SOCKET && is_socket(&meta));
        if is_file && is_preliminary(&entry.path(), &name) {
            continue;
        }
        let is_ours = if meta.is_dir() {
            let is_known = is_generation(&name) || name == "cache";
            is_own(&meta) && is_known && if_there(has_only_files(&entry.path(), &name))?.unwrap_or(true)
        } else {
            is_file
                && (FILES.contains(&name.as_str())
                    || PRELIMINARY.contains(&name.as_str())
                    || name.starts_with("locagent.") && name.ends_with(".tmp"))
        };
        if !is_ours {
            return Ok(Contents::Foreign(name));
        }
        found = Contents::Ours(name);
    }
    Ok(found)
}

/// The result of looking at something that may be gone.
fn if_there<T>(found: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match found {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Whether a file is one that writers leave before they publish, and not somebody else's of that name.
fn is_preliminary(path: &Path, name: &str) -> bool {
    match name {
        LOCK => is_lock(path),
        IGNORE => private_fs::read(path).is_ok_and(|text| text.is_empty() || text == IGNORE_ALL.as_bytes()),
        name => PRELIMINARY.contains(&name) && path.is_file(),
    }
}

/// `g000001` or `p000001`
pub(crate) fn is_generation(name: &str) -> bool {
    name.strip_prefix(['g', 'p']).is_some_and(|n| n.len() == 6 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a directory of an index holds what cds writes there: known names, and regular files of ours below them.
fn has_only_files(path: &Path, name: &str) -> std::io::Result<bool> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let is_known = name == "cache" || WRITTEN.contains(&entry.file_name().to_string_lossy().as_ref());
        let Some(meta) = if_there(entry.metadata())? else { continue };
        let is_plain = |meta: &Metadata| meta.is_file() && is_own(meta);
        let is_ours = if meta.is_dir() && name != "cache" {
            let below = std::fs::read_dir(entry.path())?.collect::<std::io::Result<Vec<_>>>()?;
            is_own(&meta) && below.iter().all(|below| below.metadata().is_ok_and(|meta| is_plain(&meta)))
        } else {
            is_plain(&meta)
        };
        if !is_known || !is_ours {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

fn is_socket(meta: &Metadata) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileTypeExt::is_socket(&meta.file_type())
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        false
    }
}

/// Whether it belongs to who runs this.
fn is_own(meta: &Metadata) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::uid(meta) == rustix::process::geteuid().as_raw()
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        true
    }
}

/// Keeps others out of a directory that they could enter, and of all that is in it; gives the mode it had. File systems without permissions
/// stay as they are.
#[cfg(unix)]
fn tighten(path: &Path) -> std::io::Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::symlink_metadata(path)?.permissions().mode() & 0o7777;
    if mode & 0o700 == mode {
        return Ok(None);
    }
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let _ = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700));
        for entry in std::fs::read_dir(&folder)?.flatten() {
            match entry.file_type()? {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_symlink() => {}
                _ => drop(std::fs::set_permissions(entry.path(), std::fs::Permissions::from_mode(0o600))),
            }
        }
    }
    Ok(Some(mode))
}

fn path_hash(path: &Path) -> String {
    blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex()[..32].to_owned()
}

/// 128 bits from the seed that the system gives to hash maps.
fn random_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    let draw = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", draw(), draw())
}
