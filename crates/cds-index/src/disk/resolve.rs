//! From a path to a handle: the system calls behind [`super::ProjectRoot`].

#[cfg(not(unix))]
pub(super) use portable::{Handle, open_following, stat_following, stat_handle};
#[cfg(unix)]
pub(super) use unix::{Handle, open_following, stat_following, stat_handle};

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::path::{Component, Path};

    use rustix::fs::{AtFlags, Mode, OFlags};
    use rustix::io::Errno;

    use super::super::stamp::of_stat;
    use super::super::{Kind, OpenError, Stamp};

    /// Pipes do not block, terminals are not taken over, and programs that are started do not inherit it.
    const SAFE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

    /// A folder, held open.
    #[derive(Debug)]
    pub(crate) struct Handle(OwnedFd);

    impl Handle {
        pub(crate) fn root(path: &Path) -> Result<Handle, OpenError> {
            Ok(Handle(rustix::fs::open(path, SAFE | OFlags::DIRECTORY, Mode::empty()).map_err(error)?))
        }

        pub(crate) fn open_file(&self, relative: &Path) -> Result<File, OpenError> {
            Ok(File::from(open_beneath(self.0.as_fd(), relative, SAFE | OFlags::NOFOLLOW).map_err(error)?))
        }

        pub(crate) fn open_folder(&self, relative: &Path) -> Result<Handle, OpenError> {
            let relative = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
            let flags = SAFE | OFlags::NOFOLLOW | OFlags::DIRECTORY;
            Ok(Handle(open_beneath(self.0.as_fd(), relative, flags).map_err(error)?))
        }

        /// Absolute paths are allowed here: nothing is opened.
        pub(crate) fn stat(&self, relative: &Path) -> Result<(Kind, Stamp), OpenError> {
            if relative.as_os_str().is_empty() {
                return Ok(of_stat(&rustix::fs::fstat(&self.0).map_err(error)?));
            }
            Ok(of_stat(&rustix::fs::statat(&self.0, relative, AtFlags::SYMLINK_NOFOLLOW).map_err(error)?))
        }

        pub(crate) fn fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    pub(crate) fn stat_handle(file: &File) -> Result<(Kind, Stamp), OpenError> {
        Ok(of_stat(&rustix::fs::fstat(file).map_err(error)?))
    }

    pub(crate) fn stat_following(path: &Path) -> Result<(Kind, Stamp), OpenError> {
        Ok(of_stat(&rustix::fs::stat(path).map_err(error)?))
    }

    pub(crate) fn open_following(path: &Path) -> Result<File, OpenError> {
        Ok(File::from(rustix::fs::open(path, SAFE, Mode::empty()).map_err(error)?))
    }

    fn error(errno: Errno) -> OpenError {
        match errno {
            Errno::LOOP | Errno::XDEV => OpenError::Symlink,
            // What a socket, or a device without a driver, answers.
            Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP => OpenError::NotRegular("a socket or device"),
            other => OpenError::from(std::io::Error::from(other)),
        }
    }

    #[cfg(target_os = "linux")]
    fn open_beneath(root: BorrowedFd, relative: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        use std::sync::atomic::{AtomicBool, Ordering};

        use rustix::fs::ResolveFlags;

        /// Kernels before 5.6 do not have the call, and some containers refuse it.
        static IS_MISSING: AtomicBool = AtomicBool::new(false);
        /// The kernel gives up when something is renamed meanwhile.
        const ATTEMPTS: usize = 16;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..ATTEMPTS {
            if IS_MISSING.load(Ordering::Relaxed) {
                break;
            }
            match rustix::fs::openat2(root, relative, flags, Mode::empty(), resolve) {
                Err(Errno::AGAIN) => {}
                Err(Errno::NOSYS | Errno::PERM) => {
                    // A file can refuse too: only a call that fails on the root itself is missing.
                    match rustix::fs::openat2(root, ".", flags | OFlags::DIRECTORY, Mode::empty(), resolve) {
                        Ok(_) => return Err(Errno::PERM),
                        Err(_) => IS_MISSING.store(true, Ordering::Relaxed),
                    }
                }
                opened => return opened,
            }
        }
        open_by_parts(root, relative, flags)
    }

    #[cfg(not(target_os = "linux"))]
    use open_by_parts as open_beneath;

    /// The same with one call for each part of the path.
    fn open_by_parts(root: BorrowedFd, relative: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let mut folder: Option<OwnedFd> = None;
        let mut parts = relative.components().peekable();
        while let Some(part) = parts.next() {
            let at = folder.as_ref().map_or(root, AsFd::as_fd);
            let name: &Path = match &part {
                Component::Normal(name) => name.as_ref(),
                Component::CurDir => ".".as_ref(),
                _ => return Err(Errno::XDEV),
            };
            let is_last = parts.peek().is_none();
            let of_folder = SAFE | OFlags::NOFOLLOW | OFlags::DIRECTORY;
            let opened = rustix::fs::openat(at, name, if is_last { flags } else { of_folder }, Mode::empty());
            let opened = opened.map_err(|errno| {
                // Not every system tells a link from a file here.
                let is_link = || {
                    let found = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW);
                    found.is_ok_and(|stat| of_stat(&stat).0 == Kind::Link)
                };
                if errno == Errno::NOTDIR && is_link() { Errno::LOOP } else { errno }
            })?;
            if is_last {
                return Ok(opened);
            }
            folder = Some(opened);
        }
        Err(Errno::NOENT)
    }

    #[cfg(test)]
    mod tests {
        use std::os::fd::AsFd;
        use std::path::Path;

        use rustix::fs::OFlags;
        use rustix::io::Errno;

        use super::{Handle, SAFE, open_beneath, open_by_parts};

        #[test]
        fn both_ways_to_open_agree() {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            std::fs::create_dir_all(root.join("a/b")).unwrap();
            std::fs::write(root.join("a/b/file"), "x").unwrap();
            std::os::unix::fs::symlink("a", root.join("inside")).unwrap();
            std::os::unix::fs::symlink("/", root.join("outside")).unwrap();
            std::os::unix::fs::symlink("b/file", root.join("a/link")).unwrap();
            let handle = Handle::root(root).ok().unwrap();
            let check = |path: &str, expect: Option<Errno>| {
                for open in [open_beneath, open_by_parts] {
                    let opened = open(handle.fd().as_fd(), Path::new(path), SAFE | OFlags::NOFOLLOW);
                    assert_eq!(opened.err(), expect, "{path}");
                }
            };
            check("a/b/file", None);
            check("a/b", None);
            check("./a", None);
            check("a/link", Some(Errno::LOOP));
            check("inside/b/file", Some(Errno::LOOP));
            check("outside/etc/hostname", Some(Errno::LOOP));
            check("../x", Some(Errno::XDEV));
            check("a/../../x", Some(Errno::XDEV));
            check("/etc/hostname", Some(Errno::XDEV));
            check("a/c", Some(Errno::NOENT));
            check("a/b/file/more", Some(Errno::NOTDIR));
        }
    }
}

/// Systems without handles of folders: each part of a path is looked at before it is opened.
#[cfg(not(unix))]
mod portable {
    use std::fs::File;
    use std::path::{Component, Path, PathBuf};

    use super::super::stamp::of_metadata;
    use super::super::{Kind, OpenError, Stamp};

    #[derive(Debug)]
    pub(crate) struct Handle(PathBuf);

    impl Handle {
        pub(crate) fn root(path: &Path) -> Result<Handle, OpenError> {
            if std::fs::metadata(path)?.is_dir() { Ok(Handle(path.to_owned())) } else { Err(OpenError::NotFound) }
        }

        pub(crate) fn open_file(&self, relative: &Path) -> Result<File, OpenError> {
            let path = self.checked(relative)?;
            match stat_path(&path)? {
                (Kind::File, _) => open_following(&path),
                (other, _) => Err(OpenError::NotRegular(other.shown())),
            }
        }

        pub(crate) fn open_folder(&self, relative: &Path) -> Result<Handle, OpenError> {
            Handle::root(&self.checked(relative)?)
        }

        pub(crate) fn stat(&self, relative: &Path) -> Result<(Kind, Stamp), OpenError> {
            stat_path(&self.0.join(relative))
        }

        pub(crate) fn path(&self) -> &Path {
            &self.0
        }

        fn checked(&self, relative: &Path) -> Result<PathBuf, OpenError> {
            let mut path = self.0.clone();
            for part in relative.components() {
                match part {
                    Component::Normal(name) => path.push(name),
                    Component::CurDir => continue,
                    _ => return Err(OpenError::Symlink),
                }
                if stat_path(&path)?.0 == Kind::Link {
                    return Err(OpenError::Symlink);
                }
            }
            Ok(path)
        }
    }

    fn stat_path(path: &Path) -> Result<(Kind, Stamp), OpenError> {
        Ok(of_metadata(&std::fs::symlink_metadata(path)?))
    }

    pub(crate) fn stat_handle(file: &File) -> Result<(Kind, Stamp), OpenError> {
        Ok(of_metadata(&file.metadata()?))
    }

    pub(crate) fn stat_following(path: &Path) -> Result<(Kind, Stamp), OpenError> {
        Ok(of_metadata(&std::fs::metadata(path)?))
    }

    pub(crate) fn open_following(path: &Path) -> Result<File, OpenError> {
        Ok(File::open(path)?)
    }
}
