//! The only functions that create or open files of an index.
//!
//! Files are created for their owner alone (0600, directories 0700): an index repeats the text of sources, whatever their permissions are.
//! Neither links nor anything but regular files are opened: a repository may have brought them.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;

const LINK: &str = "it is a symbolic link, and cds does not follow links here: remove it";
const NOT_A_FILE: &str = "it is not a regular file: remove it";

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a file, or empties the one that is there.
pub(crate) fn create(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().write(true).create(true).truncate(true))
}

/// Creates a file where there is nothing.
pub(crate) fn create_new(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().write(true).create_new(true))
}

/// Opens a file for reading and writing and keeps what is in it.
pub(crate) fn open_or_create(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// Opens a file to write at its end.
pub(crate) fn append(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().append(true).create(true))
}

/// Writes a file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    create(path)?.write_all(bytes)
}

/// Writes a file aside and renames it over the old one: readers see one or the other.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".new");
    let aside = Path::new(&aside);
    // Whatever a killed run or somebody else left there.
    match std::fs::remove_file(aside) {
        Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let done = create_new(aside).and_then(|mut file| file.write_all(bytes)).and_then(|()| std::fs::rename(aside, path));
    if done.is_err() {
        let _ = std::fs::remove_file(aside);
    }
    done
}

/// Creates a directory; one that is there stays, unless it is a link.
pub(crate) fn create_dir(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => match std::fs::symlink_metadata(path)? {
            meta if meta.is_dir() => Ok(()),
            meta if meta.is_symlink() => Err(Error::other(LINK)),
            _ => Err(e),
        },
        created => created,
    }
}

/// Creates the directories of a path that are missing.
pub(crate) fn create_dir_all(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Opens a directory itself, not what a link leads to.
pub(crate) fn open_dir(path: &Path) -> Result<File> {
    if std::fs::symlink_metadata(path)?.is_symlink() {
        return Err(Error::other(LINK));
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    #[cfg(windows)]
    // FILE_FLAG_BACKUP_SEMANTICS: without it a directory cannot be opened.
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0200_0000);
    options.open(path)
}

fn open_with(path: &Path, options: &mut OpenOptions) -> Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    if std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
        return Err(Error::other(LINK));
    }
    let file = options.open(path).map_err(|e| match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => Error::other(LINK),
        // Of a named pipe without a reader.
        Ok(meta) if !meta.is_file() && !meta.is_dir() => Error::other(NOT_A_FILE),
        _ => e,
    })?;
    if !file.metadata()?.is_file() {
        return Err(Error::other(NOT_A_FILE));
    }
    Ok(file)
}

/// Refuses a path below `root` that leads through a link, or ends at something else than a regular file.
pub fn refuse_links(root: &Path, path: &Path) -> Result<()> {
    let Ok(below) = path.strip_prefix(root) else { return Ok(()) };
    let mut at = root.to_owned();
    for name in below {
        at.push(name);
        match std::fs::symlink_metadata(&at) {
            Ok(meta) if meta.is_symlink() && at == path => return Err(Error::other(LINK)),
            Ok(meta) if meta.is_symlink() => {
                return Err(Error::other(format!("{} is a symbolic link, and cds does not follow it", at.display())));
            }
            Ok(meta) if at == path && !meta.is_file() => return Err(Error::other(NOT_A_FILE)),
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Writes a file of a project, such as its settings: not through links, which may lead out of the root. Missing directories are made.
pub fn write_inside(root: &Path, path: &Path, text: &str) -> Result<()> {
    refuse_links(root, path)?;
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::{append, create, create_dir, create_new, open, open_dir, open_or_create, replace, write_inside};

    #[test]
    fn only_regular_files_are_opened_and_no_links() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("target"), "kept").unwrap();
        symlink(at("target"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        symlink(dir.path(), at("dir-link")).unwrap();
        std::fs::create_dir(at("dir")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for name in ["link", "dangling", "dir-link", "dir", "pipe"] {
            for (how, open) in [
                ("open", open as fn(&_) -> _),
                ("create", create),
                ("new", create_new),
                ("keep", open_or_create),
                ("append", append),
            ] {
                assert!(open(&at(name)).is_err(), "{how} {name}");
            }
            assert!(write_inside(dir.path(), &at(name), "lost").is_err(), "{name}");
        }
        assert!(write_inside(dir.path(), &at("dir-link/new"), "lost").is_err());
        assert!(
            open_dir(&at("dir-link")).is_err() && create_dir(&at("dir-link")).is_err() && open_dir(&at("dir")).is_ok()
        );
        assert_eq!(std::fs::read(at("target")).unwrap(), b"kept");
        assert!(!at("nowhere").exists() && !at("new").exists());
        // A rename takes the place of a link.
        replace(&at("link"), b"ours").unwrap();
        assert_eq!(std::fs::read(at("target")).unwrap(), b"kept");
    }

    #[test]
    fn what_is_created_is_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |name: &str| std::fs::metadata(dir.path().join(name)).unwrap().mode() & 0o777;
        create(&dir.path().join("a")).unwrap();
        replace(&dir.path().join("b"), b"").unwrap();
        create_dir(&dir.path().join("c")).unwrap();
        assert_eq!((mode("a"), mode("b"), mode("c")), (0o600, 0o600, 0o700));
    }
}
