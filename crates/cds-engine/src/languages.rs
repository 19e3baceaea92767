//! Language data of the user's own, over the built-in one: a folder with one folder a language.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cds_index::{OpenError, OpenFile, ProjectRoot, open_owner_file};
use cds_lang::{LanguageError, LanguageFiles, Registry};

use crate::error::{Error, ErrorKind, Result};

/// The most bytes of a file of language data. The largest built-in one has some ten thousand.
const MAX_FILE: u64 = 200_000;
/// The most folders that are looked at.
const MAX_FOLDERS: usize = 1_000;

/// What was found in the user's folder. Read when an engine opens, since it decides whether an index is fresh; put together
/// only when somebody asks for a language.
#[derive(Default)]
pub(crate) struct Languages {
    folder: PathBuf,
    overrides: BTreeMap<String, LanguageFiles>,
    registry: OnceLock<Result<Registry, String>>,
}

impl Languages {
    /// Reads a folder of the user's own; one that is not there has no languages.
    pub(crate) fn read(folder: &Path) -> Result<Languages> {
        Languages::read_with(folder, |path| open_owner_file(path, MAX_FILE))
    }

    /// Reads a folder that the settings name: below the root, where nothing may be a link, or elsewhere.
    pub(crate) fn read_named(root: &Path, folder: &Path) -> Result<Languages> {
        let project = ProjectRoot::at(root);
        Languages::read_with(&root.join(folder), |path| match path.strip_prefix(root) {
            Ok(inside) => project.open(inside, MAX_FILE),
            Err(_) => open_owner_file(path, MAX_FILE),
        })
    }

    fn read_with(folder: &Path, open: impl Fn(&Path) -> Result<OpenFile, OpenError>) -> Result<Languages> {
        let failed = |path: &Path, why: &dyn std::fmt::Display| Error {
            kind: ErrorKind::Io,
            message: format!("language data in {}: {why}", path.display()),
        };
        let io = |path: &Path, e: std::io::Error| failed(path, &e);
        let mut languages = Languages { folder: folder.to_owned(), ..Languages::default() };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(languages),
            Err(e) => return Err(io(folder, e)),
        };
        for (count, entry) in entries.enumerate() {
            if count == MAX_FOLDERS {
                return Err(failed(folder, &format!("more than {MAX_FOLDERS} entries: remove what is no language")));
            }
            let path = entry.map_err(|e| io(folder, e))?.path();
            let Some(name) = path.file_name().and_then(|n| n.to_str()).filter(|_| path.is_dir()) else { continue };
            let file = |name: &str| {
                let path = path.join(name);
                match open(&path).and_then(OpenFile::read_text) {
                    Ok(text) => Ok(Some(text)),
                    Err(OpenError::NotFound) => Ok(None),
                    Err(e) => Err(failed(&path, &e)),
                }
            };
            let (toml, tags, imports) = (file("language.toml")?, file("tags.scm")?, file("imports.scm")?);
            let files = LanguageFiles { toml, tags, imports };
            if !files.is_empty() {
                languages.overrides.insert(name.to_owned(), files);
            }
        }
        Ok(languages)
    }

    /// Equal for equal data; empty when there is none.
    pub(crate) fn fingerprint(&self) -> String {
        if self.overrides.is_empty() {
            return String::new();
        }
        let mut hasher = blake3::Hasher::new();
        for (name, LanguageFiles { toml, tags, imports }) in &self.overrides {
            for text in [Some(name), toml.as_ref(), tags.as_ref(), imports.as_ref()] {
                // A file that is missing is not one that is empty.
                hasher.update(&[u8::from(text.is_some())]).update(text.map_or(&[][..], |t| t.as_bytes())).update(&[0]);
            }
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// Every language. Queries of the user's are not compiled yet: that may take longer than an answer.
    pub(crate) fn registry(&self) -> Result<&Registry> {
        if self.overrides.is_empty() {
            return Ok(Registry::builtin());
        }
        let made = self.registry.get_or_init(|| Registry::with(&self.overrides).map_err(|e| self.mistake(&e)));
        made.as_ref().map_err(|message| Error::invalid(message.clone()))
    }

    /// The same, every query known to compile.
    pub(crate) fn checked(&self) -> Result<&Registry> {
        let registry = self.registry()?;
        registry.check_overrides().map_err(|e| Error::invalid(self.mistake(&e)))?;
        Ok(registry)
    }

    fn mistake(&self, error: &LanguageError) -> String {
        format!("{error}; mend or remove it in {}", self.folder.display())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    use super::Languages;

    #[test]
    fn language_data_of_a_project_is_read_as_its_other_files_are() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let check = |make: &dyn Fn(&Path), of_project: Result<usize, &str>, of_owner: Result<usize, &str>| {
            let dir = tempfile::tempdir().unwrap();
            let folder = dir.path().join("languages");
            std::fs::create_dir_all(folder.join("toy")).unwrap();
            make(&folder.join("toy/tags.scm"));
            let judge = |read: crate::error::Result<Languages>, expect: Result<usize, &str>| match (read, expect) {
                (Ok(languages), Ok(count)) => assert_eq!(languages.overrides.len(), count),
                (Err(error), Err(expect)) => assert!(error.message.contains(expect), "{error}"),
                (read, expect) => panic!("{:?} instead of {expect:?}", read.map(|l| l.overrides.len())),
            };
            judge(Languages::read_named(dir.path(), Path::new("languages")), of_project);
            judge(Languages::read(&folder), of_owner);
        };
        let pipe = |path: &Path| mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
        let link = |to: &'static str| move |path: &Path| std::os::unix::fs::symlink(to, path).unwrap();
        check(&|path| std::fs::write(path, "").unwrap(), Ok(1), Ok(1));
        check(&|_| {}, Ok(0), Ok(0));
        check(&pipe, Err("a pipe"), Err("a pipe"));
        check(&link("/dev/zero"), Err("a symbolic link"), Err("a device"));
        let large = |path: &Path| std::fs::write(path, "; \n".repeat(100_000)).unwrap();
        check(&large, Err("more than the limit"), Err("more than the limit"));
        let linked = |path: &Path| {
            let own = path.with_file_name("own.scm");
            std::fs::write(&own, "").unwrap();
            std::os::unix::fs::symlink(own, path).unwrap();
        };
        check(&linked, Err("a symbolic link"), Ok(1));
    }
}
