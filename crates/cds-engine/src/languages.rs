//! Language data of the user's own, over the built-in one: a folder with one folder a language.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cds_lang::{LanguageError, LanguageFiles, Registry};

use crate::error::{Error, ErrorKind, Result};

/// What was found in the user's folder. Read when an engine opens, since it decides whether an index is fresh; put together
/// only when somebody asks for a language.
#[derive(Default)]
pub(crate) struct Languages {
    folder: PathBuf,
    overrides: BTreeMap<String, LanguageFiles>,
    registry: OnceLock<Result<Registry, String>>,
}

impl Languages {
    /// Reads a folder; one that is not there has no languages.
    pub(crate) fn read(folder: &Path) -> Result<Languages> {
        let io = |path: &Path, e: std::io::Error| Error {
            kind: ErrorKind::Io,
            message: format!("language data in {}: {e}", path.display()),
        };
        let mut languages = Languages { folder: folder.to_owned(), ..Languages::default() };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(languages),
            Err(e) => return Err(io(folder, e)),
        };
        for entry in entries {
            let path = entry.map_err(|e| io(folder, e))?.path();
            let Some(name) = path.file_name().and_then(|n| n.to_str()).filter(|_| path.is_dir()) else { continue };
            let file = |name: &str| {
                let path = path.join(name);
                match std::fs::read_to_string(&path) {
                    Ok(text) => Ok(Some(text)),
                    Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
                    Err(e) => Err(io(&path, e)),
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
