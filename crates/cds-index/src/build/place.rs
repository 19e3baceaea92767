//! A path below the root: as it is written, and as it is on disk.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Something below the root. Names that are not UTF-8 are written with replacement characters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// With `/` between its parts; empty for the root.
    pub(crate) path: String,
    /// The path on disk, where it cannot be written.
    pub(crate) raw: Option<PathBuf>,
}

impl Place {
    pub(crate) fn root() -> Place {
        Place::default()
    }

    /// A path that an index wrote, and its bytes if it could not be written.
    pub(crate) fn known(path: &str, raw: Option<&Vec<u8>>) -> Place {
        #[cfg(unix)]
        let raw = raw.map(|raw| PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(raw)));
        #[cfg(not(unix))]
        let raw = raw.and(None);
        Place { path: path.to_owned(), raw }
    }

    /// A path elsewhere, which is absolute.
    pub(crate) fn outside(path: &Path) -> Place {
        match path.to_str() {
            Some(text) => Place { path: text.to_owned(), raw: None },
            None => Place { path: path.to_string_lossy().into_owned(), raw: Some(path.to_owned()) },
        }
    }

    pub(crate) fn child(&self, name: &OsStr) -> Place {
        let separator = if self.path.is_empty() { "" } else { "/" };
        let path = [&self.path, separator, &name.to_string_lossy()].concat();
        let raw = (self.raw.is_some() || name.to_str().is_none()).then(|| self.on_disk().join(name));
        Place { path, raw }
    }

    pub(crate) fn on_disk(&self) -> &Path {
        self.raw.as_deref().unwrap_or(Path::new(&self.path))
    }

    /// As rules see it.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.raw.as_ref().map_or(self.path.as_bytes(), |raw| raw.as_os_str().as_encoded_bytes())
    }

    /// The bytes of a path that cannot be written; elsewhere than on Unix such names are found as they are written.
    pub(crate) fn raw_bytes(&self) -> Option<Vec<u8>> {
        let raw = self.raw.as_ref().filter(|_| cfg!(unix))?;
        Some(raw.as_os_str().as_encoded_bytes().to_vec())
    }

    pub(crate) fn is_root(&self) -> bool {
        self.path.is_empty()
    }
}
