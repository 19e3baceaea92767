//! The projects that clients opened, in a file of the user, so that a restarted service opens them again.
//!
//! Every service of a user shares the file. A service opens the folders that its own rules allow and leaves the other entries alone.

use std::path::{Path, PathBuf};

use cds_engine::{read_state_file, update_state_file};
use serde::{Deserialize, Serialize};

/// The file's name in the folder for state.
const FILE: &str = "projects.json";

/// Bytes of the file.
const MAX_BYTES: u64 = 16 << 20;

/// One project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// What requests call it.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) root: PathBuf,
}

/// The contents of the file.
#[derive(Default, Serialize, Deserialize)]
struct List {
    projects: Vec<Entry>,
}

/// The file.
#[derive(Clone, Debug)]
pub struct Registry {
    path: PathBuf,
}

impl Registry {
    /// The registry of the user with this environment: below `$XDG_STATE_HOME/cds`, or `~/.local/state/cds`; none without a home.
    pub fn of_user(env: impl Fn(&str) -> Option<String>) -> Option<Registry> {
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let home = || absolute("HOME").or_else(|| absolute("USERPROFILE")).map(|home| home.join(".local/state"));
        let folder = absolute("XDG_STATE_HOME").or_else(home)?;
        Some(Registry { path: folder.join("cds").join(FILE) })
    }

    /// Its entries; none where there is no file yet.
    pub(crate) fn read(&self) -> Result<Vec<Entry>, String> {
        let text = read_state_file(&self.path, MAX_BYTES).map_err(|e| self.failed(&e))?;
        text.map_or(Ok(Vec::new()), |text| parsed(&text)).map_err(|e| self.failed(&e))
    }

    /// Adds a project, or gives the one of this folder another name.
    pub(crate) fn add(&self, entry: Entry) -> Result<(), String> {
        self.update(|projects| {
            projects.retain(|known| known.root != entry.root);
            projects.push(entry);
        })
    }

    /// Removes the project of a folder.
    pub(crate) fn remove(&self, root: &Path) -> Result<(), String> {
        self.update(|projects| projects.retain(|known| known.root != root))
    }

    /// Replaces the file as a whole. Two services that do so at once wait for each other. A file that cannot be parsed is kept as it is.
    fn update(&self, change: impl FnOnce(&mut Vec<Entry>)) -> Result<(), String> {
        let changed = update_state_file(&self.path, MAX_BYTES, |text| {
            let mut projects = text.map_or(Ok(Vec::new()), parsed).map_err(std::io::Error::other)?;
            change(&mut projects);
            Ok(serde_json::to_string_pretty(&List { projects }).expect("a list of paths is plain data") + "\n")
        });
        changed.map_err(|e| self.failed(&e))
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> String {
        format!("{}: {error}", self.path.display())
    }
}

fn parsed(text: &str) -> Result<Vec<Entry>, String> {
    serde_json::from_str::<List>(text).map(|list| list.projects).map_err(|e| e.to_string())
}
