//! Which files the rules leave out: `.cdsignore`, `.ignore`, `.gitignore`, and what git adds to them.
//!
//! A folder with rules is a [`Layer`] over the layer of the folder above it. A path is asked of the layers from the inside out; the kind of file
//! counts first, then depth: `.cdsignore`, `.ignore`, `.gitignore`, `info/exclude`, `core.excludesFile`. Rules of git end at the repository they
//! are in. Every file that was read, and every one that would have been had it been there, is noted with its stamp and a hash, so that
//! questions notice when it comes, goes or changes.

mod git;
mod pattern;
mod set;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cds_model::ProblemKind;
use serde::{Deserialize, Serialize};

use super::ProblemRow;
use super::place::Place;
use crate::disk::{self, Folder, Kind, OpenError, OpenFile, ProjectRoot, Stamp, is_racy, now_ns, open_owner_file};
pub(crate) use git::Environment;
pub use git::GitFolders;
pub(crate) use pattern::MAX_STEPS;
use pattern::{Budget, Subject};
use set::RuleSet;

/// Files of rules in folders, the strongest first.
pub(crate) const IGNORE_FILES: [&str; 3] = [".cdsignore", ".ignore", ".gitignore"];
/// Which of them git knows.
const OF_GIT: usize = 2;
const GIT: &str = ".git";

/// A file that decides what is indexed, as it was when the index was made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleFile {
    /// Relative to the root, or absolute.
    pub path: String,
    /// What stood there.
    pub state: RuleState,
}

/// What stands at the path of a [`RuleFile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleState {
    /// Nothing, and something would count.
    Absent,
    /// A folder: the `.git` of a repository.
    Folder,
    /// Something that is not read.
    Other,
    /// A file that was read.
    File {
        /// Its size and times.
        stamp: Stamp,
        /// Of its content; 0 where that was not read.
        hash: u64,
        /// Whether it may have changed since without its stamp showing it.
        racy: bool,
    },
}

impl RuleFile {
    /// The same once its stamp shows every change: its content was just compared.
    pub(crate) fn settled(mut self) -> RuleFile {
        if let RuleState::File { stamp, racy, .. } = &mut self.state {
            *racy &= is_racy(stamp.latest_ns(), now_ns());
        }
        self
    }

    /// Whether it is as it was, given what stands at its path now.
    pub(crate) fn is_same(&self, raw_paths: &RawPaths, root: &ProjectRoot, now: Option<(Kind, Stamp)>) -> bool {
        match (self.state, now) {
            (RuleState::Absent, None) | (RuleState::Folder, Some((Kind::Folder, _))) => true,
            (RuleState::Other, Some((kind, _))) => !matches!(kind, Kind::File | Kind::Folder),
            (RuleState::File { stamp, hash, racy }, Some((Kind::File, now))) => {
                stamp == now && (!racy || self.hash_now(raw_paths, root) == Some(hash))
            }
            _ => false,
        }
    }

    /// What stands at its path now. Files of the project are not followed if they are links; others are.
    pub(crate) fn stat(&self, raw_paths: &RawPaths, root: &ProjectRoot) -> Option<(Kind, Stamp)> {
        let place = Place::known(&self.path, raw_paths.get(&self.path));
        if self.is_of_project() {
            root.stat(place.on_disk())
        } else {
            disk::stat_owner_file(&root.path().join(place.on_disk()))
        }
    }

    fn hash_now(&self, raw_paths: &RawPaths, root: &ProjectRoot) -> Option<u64> {
        let place = Place::known(&self.path, raw_paths.get(&self.path));
        let open = if self.is_of_project() {
            root.open(place.on_disk(), set::MAX_BYTES)
        } else {
            open_owner_file(&root.path().join(place.on_disk()), set::MAX_BYTES)
        };
        open.and_then(OpenFile::read).ok().map(|bytes| hash(&bytes))
    }

    fn is_of_project(&self) -> bool {
        !Path::new(&self.path).is_absolute() && !self.path.starts_with(".git/") && !self.path.contains("/.git/")
    }
}

/// The bytes of paths that are not UTF-8, by how they are written.
type RawPaths = BTreeMap<String, Vec<u8>>;

fn hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
}

/// What of a path a set of rules is asked about.
enum Base {
    /// The folder of the rules is below the root: without so many bytes at its beginning.
    Below(usize),
    /// It is above the root: with this before it.
    Above(Vec<u8>),
}

impl Base {
    /// The subject's path is relative to the root.
    fn leaves_out(&self, rules: &RuleSet, subject: Subject) -> Option<bool> {
        if rules.is_empty() {
            return None;
        }
        let path = match self {
            Base::Below(bytes) => Cow::Borrowed(subject.path.get(*bytes..)?),
            Base::Above(before) => Cow::Owned([before, subject.path].concat()),
        };
        rules.leaves_out(Subject { path: &path, ..subject })
    }
}

/// Rules of git for a whole repository.
struct Repository {
    base: Base,
    exclude: RuleSet,
    excludes_file: Arc<RuleSet>,
}

/// The rules of a folder, over those of the folders above it.
pub(crate) struct Layer {
    above: Option<Arc<Layer>>,
    base: Base,
    /// In the order of [`IGNORE_FILES`].
    sets: [RuleSet; 3],
    repository: Option<Repository>,
}

impl Layer {
    /// Whether rules leave out a path below the root; none where that would take more than [`MAX_STEPS`].
    pub(crate) fn leaves_out(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
        let budget = Budget::default();
        let said = self.says(Subject { path, name, is_folder, budget: &budget });
        (!budget.is_spent()).then_some(said)
    }

    fn says(&self, subject: Subject) -> bool {
        let layers = || std::iter::successors(Some(self), |layer| layer.above.as_deref());
        for kind in 0..OF_GIT {
            let mut said = layers().filter_map(|l| l.base.leaves_out(&l.sets[kind], subject));
            if let Some(said) = said.next() {
                return said;
            }
        }
        for layer in layers() {
            if let Some(said) = layer.base.leaves_out(&layer.sets[OF_GIT], subject) {
                return said;
            }
            if let Some(Repository { base, exclude, excludes_file }) = &layer.repository {
                let said = base.leaves_out(exclude, subject);
                return said.or_else(|| base.leaves_out(excludes_file, subject)).unwrap_or(false);
            }
        }
        false
    }

    /// How many patterns of ignore files are in force.
    fn patterns(&self) -> usize {
        let layers = std::iter::successors(Some(self), |layer| layer.above.as_deref());
        layers.map(|layer| layer.sets.iter().map(RuleSet::len).sum::<usize>()).sum()
    }
}

/// Which files of rules a folder has.
#[derive(Clone, Copy, Default)]
pub(crate) struct Present {
    ignore: [bool; 3],
    git: bool,
}

impl Present {
    /// Notes an entry of the folder.
    pub(crate) fn add(&mut self, name: &OsStr) {
        match IGNORE_FILES.iter().position(|known| name == *known) {
            Some(at) => self.ignore[at] = true,
            None => self.git |= name == GIT,
        }
    }

    fn of(folder: &Folder) -> Present {
        let mut present = Present::default();
        let names = IGNORE_FILES.into_iter().chain([GIT]).map(OsStr::new);
        names.filter(|name| folder.stat(name).is_ok()).for_each(|name| present.add(name));
        present
    }

    fn is_empty(self) -> bool {
        !self.git && !self.ignore.contains(&true)
    }
}

/// What was read while layers were made.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) files: Vec<RuleFile>,
    pub(crate) problems: Vec<ProblemRow>,
    pub(crate) raw_paths: Vec<(String, Vec<u8>)>,
}

/// Reads rules, and notes what it read.
pub(crate) struct Rules<'a> {
    root: &'a ProjectRoot,
    environment: Environment<'a>,
    configs: Vec<PathBuf>,
    /// The user's own, where a repository names no other.
    excludes_file: Arc<RuleSet>,
    notes: Mutex<Notes>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(root: &'a ProjectRoot, environment: Environment<'a>) -> Rules<'a> {
        let configs = environment.configs();
        let (excludes_file, notes) = Default::default();
        let mut rules = Rules { root, environment, configs, excludes_file, notes };
        for config in &rules.configs {
            rules.note_owner_file(config);
        }
        rules.excludes_file = Arc::new(rules.excludes_file(&[]));
        rules
    }

    pub(crate) fn into_notes(self) -> Notes {
        self.notes.into_inner().expect("nobody panics with it")
    }

    /// The rules above the root.
    pub(crate) fn above_root(&self) -> Arc<Layer> {
        let fallback = Repository {
            base: Base::Below(0),
            exclude: RuleSet::default(),
            excludes_file: Arc::clone(&self.excludes_file),
        };
        let bottom = Layer { above: None, base: Base::Below(0), sets: Default::default(), repository: Some(fallback) };
        let root = self.root.path();
        let mut folders: Vec<&Path> = root.ancestors().skip(1).filter(|folder| folder.is_absolute()).collect();
        folders.reverse();
        folders.into_iter().fold(Arc::new(bottom), |above, folder| {
            let below = root.strip_prefix(folder).unwrap_or(root);
            let before = || Base::Above([below.as_os_str().as_encoded_bytes(), b"/"].concat());
            let sets = IGNORE_FILES.map(|name| self.owner_rules(&folder.join(name)));
            let git = folder.join(GIT);
            let (state, _) = Source::Owner(&git).read();
            self.note(Place::outside(&git), state);
            let repository = (state != RuleState::Absent).then(|| self.repository(folder, None, before()));
            if repository.is_none() && sets.iter().all(RuleSet::is_empty) {
                return above;
            }
            Arc::new(Layer { above: Some(above), base: before(), sets, repository })
        })
    }

    /// The rules of a folder below the root, or the root.
    pub(crate) fn enter(&self, above: &Arc<Layer>, place: &Place, folder: &Folder, present: Present) -> Arc<Layer> {
        if present.is_empty() {
            return Arc::clone(above);
        }
        let before = place.bytes().len() + usize::from(!place.is_root());
        let mut sets: [RuleSet; 3] = Default::default();
        let mut in_force = above.patterns();
        for (at, name) in IGNORE_FILES.into_iter().enumerate().filter(|(at, _)| present.ignore[*at]) {
            let place = place.child(name.as_ref());
            let path = place.path.clone();
            let rules = self.rules(place, Source::In(folder, name));
            in_force += rules.len();
            if in_force > set::MAX_IN_FORCE {
                in_force -= rules.len();
                let limit = set::MAX_IN_FORCE;
                self.reject(path, format!("with the folders above, more than the limit of {limit} patterns"));
            } else {
                sets[at] = rules;
            }
        }
        let repository = present.git.then(|| {
            let git = place.child(GIT.as_ref());
            let (state, _) = Source::In(folder, GIT).read();
            let path = self.root.path().join(place.on_disk());
            let inside = (state == RuleState::Folder).then_some(&git);
            let repository = self.repository(&path, inside, Base::Below(before));
            self.note(git, state);
            repository
        });
        Arc::new(Layer { above: Some(Arc::clone(above)), base: Base::Below(before), sets, repository })
    }

    /// The rules of a folder below the root, or the root, whose entries are not known.
    pub(crate) fn look_into(&self, above: &Arc<Layer>, place: &Place) -> Arc<Layer> {
        match self.root.folder(place.on_disk()) {
            Ok(folder) => self.enter(above, place, &folder, Present::of(&folder)),
            Err(_) => Arc::clone(above),
        }
    }

    /// What git keeps for the working tree at a folder. Where its `.git` is a folder inside the root, that is `inside`.
    fn repository(&self, folder: &Path, inside: Option<&Place>, base: Base) -> Repository {
        let mut repository =
            Repository { base, exclude: RuleSet::default(), excludes_file: Arc::clone(&self.excludes_file) };
        let Some(git) = GitFolders::of(folder) else { return repository };
        git.pointers.iter().for_each(|pointer| self.note_owner_file(pointer));
        let noted = |path: &Path, below: &[&str]| match inside {
            Some(git) => below.iter().fold(git.clone(), |place, name| place.child(name.as_ref())),
            None => Place::outside(path),
        };
        let (exclude, config) = (git.exclude(), git.config());
        repository.exclude = self.rules(noted(&exclude, &["info", "exclude"]), Source::Owner(&exclude));
        self.note(noted(&config, &["config"]), Source::Owner(&config).read().0);
        if git::excludes_file_in(&config).is_some() {
            repository.excludes_file = Arc::new(self.excludes_file(&[config]));
        }
        repository
    }

    /// The rules that `core.excludesFile` names, in one of these or in the user's configuration.
    fn excludes_file(&self, stronger: &[PathBuf]) -> RuleSet {
        let configs: Vec<PathBuf> = stronger.iter().chain(&self.configs).cloned().collect();
        let path = self.environment.excludes_file(&configs);
        path.map_or_else(RuleSet::default, |path| self.owner_rules(&path))
    }

    fn owner_rules(&self, path: &Path) -> RuleSet {
        self.rules(Place::outside(path), Source::Owner(path))
    }

    fn note_owner_file(&self, path: &Path) {
        self.note(Place::outside(path), Source::Owner(path).read().0);
    }

    /// Reads a file of rules. One that cannot be used has none, which is a problem unless it is not there.
    fn rules(&self, place: Place, source: Source) -> RuleSet {
        let (state, bytes) = source.read();
        let parsed = match &bytes {
            Ok(bytes) => RuleSet::parse(bytes),
            Err(OpenError::NotFound) => Ok((RuleSet::default(), None)),
            Err(error) => Err(error.to_string()),
        };
        let path = place.path.clone();
        self.note(place, state);
        match parsed {
            Ok((rules, mistake)) => {
                if let Some(detail) = mistake {
                    self.problem(path, detail);
                }
                rules
            }
            Err(why) => {
                self.reject(path, why);
                RuleSet::default()
            }
        }
    }

    fn reject(&self, path: String, why: impl std::fmt::Display) {
        self.problem(path, format!("{why}: none of its rules apply, make it a smaller regular file"));
    }

    fn problem(&self, path: String, detail: String) {
        let row = ProblemRow::new(path, ProblemKind::RulesRejected, detail);
        self.notes.lock().expect("nobody panics with it").problems.push(row);
    }

    fn note(&self, place: Place, state: RuleState) {
        let mut notes = self.notes.lock().expect("nobody panics with it");
        if let Some(raw) = place.raw_bytes() {
            if place.on_disk().is_absolute() {
                return;
            }
            notes.raw_paths.push((place.path.clone(), raw));
        }
        notes.files.push(RuleFile { path: place.path, state });
    }
}

/// Where a file is read from.
enum Source<'a> {
    /// A file of the project, by its folder and name.
    In(&'a Folder, &'a str),
    Owner(&'a Path),
}

impl Source<'_> {
    /// Its content, and what to remember of it.
    fn read(&self) -> (RuleState, Result<Vec<u8>, OpenError>) {
        let now = now_ns();
        let opened = match self {
            Source::In(folder, name) => folder.open(name.as_ref(), set::MAX_BYTES),
            Source::Owner(path) => open_owner_file(path, set::MAX_BYTES),
        };
        match opened.and_then(|file| Ok((file.stamp(), file.read()?))) {
            Ok((stamp, bytes)) => {
                let racy = is_racy(stamp.latest_ns(), now);
                (RuleState::File { stamp, hash: hash(&bytes), racy }, Ok(bytes))
            }
            Err(error) => (self.state_unread(), Err(error)),
        }
    }

    /// What to remember where nothing was read: it is tried again when that changes.
    fn state_unread(&self) -> RuleState {
        let found = match self {
            Source::In(folder, name) => folder.stat(name.as_ref()).ok(),
            Source::Owner(path) => disk::stat_owner_file(path),
        };
        match found {
            None => RuleState::Absent,
            Some((Kind::Folder, _)) => RuleState::Folder,
            Some((Kind::File, stamp)) => RuleState::File { stamp, hash: 0, racy: false },
            Some(_) => RuleState::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::{RuleFile, RuleState, hash};
    use crate::disk::{Kind, ProjectRoot};

    /// Edits within the clock's grain leave the stamp as it is.
    #[test]
    fn a_stamp_that_cannot_be_trusted_is_backed_by_the_content() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(".gitignore"), "*.b").unwrap();
        let root = ProjectRoot::at(dir.path());
        let (_, stamp) = root.stat(Path::new(".gitignore")).unwrap();
        let check = |text: &str, racy: bool, expect: bool| {
            let state = RuleState::File { stamp, hash: hash(text.as_bytes()), racy };
            let rule = RuleFile { path: ".gitignore".to_owned(), state };
            assert_eq!(rule.is_same(&BTreeMap::new(), &root, Some((Kind::File, stamp))), expect, "{text} {racy}");
        };
        check("*.b", true, true);
        check("*.a", true, false);
        check("*.a", false, true);
    }
}
