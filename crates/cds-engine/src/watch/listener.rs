//! Listening to the system: which folders it is asked about, and what its answers mean.
//!
//! Where the system watches folders one by one (inotify, kqueue), only those that the index knows are watched, so ignored
//! folders cost nothing. Elsewhere the system watches whole trees, and what is not wanted is dropped by name here and by
//! the rules of ignore files later.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cds_index::GitFolders;
use notify::event::ModifyKind;
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustc_hash::FxHashSet;

use super::pending::{Event, Inbox};

/// Whether one watch covers a whole tree.
const WHOLE_TREES: bool = cfg!(any(target_os = "macos", windows));

/// Why the system cannot be listened to.
pub(crate) struct Deaf(pub(crate) String);

/// The watches in force.
pub(crate) struct Listener {
    watcher: RecommendedWatcher,
    root: PathBuf,
    /// Folders of the index that are watched, or that cannot be.
    folders: FxHashSet<PathBuf>,
}

impl Listener {
    /// Watches the root itself, and those folders of git that say what belongs to the project.
    pub(crate) fn open(root: &Path, home: &Path, inbox: Arc<Inbox>) -> Result<Listener, Deaf> {
        let git = GitFolders::of(root);
        let told_as = std::fs::canonicalize(root).ok().filter(|_| WHOLE_TREES).unwrap_or_else(|| root.to_owned());
        let places = Places { root: root.to_owned(), home: home.to_owned(), git: git.clone(), told_as };
        let heard = move |result: notify::Result<notify::Event>| match result {
            Ok(event) => places.judge(&event).into_iter().for_each(|event| inbox.add(event)),
            // What failed may have had something to say.
            Err(_) => inbox.add(Event::Lost),
        };
        let watcher = notify::recommended_watcher(heard).map_err(|e| deaf(&e))?;
        let mut listener = Listener { watcher, root: root.to_owned(), folders: FxHashSet::default() };
        listener.watch(root)?;
        for folder in git.iter().flat_map(|git| [git.own.clone(), git.common.clone(), git.common.join("info")]) {
            if !WHOLE_TREES || !folder.starts_with(root) {
                listener.watch_folder(&folder)?;
            }
        }
        Ok(listener)
    }

    fn watch(&mut self, root: &Path) -> Result<(), Deaf> {
        self.folders.insert(root.to_owned());
        let mode = if WHOLE_TREES { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        self.watcher.watch(root, mode).map_err(|e| deaf(&e))
    }

    /// Whether it is watched now. A folder that is gone, or may not be read, is not, and that is no failure.
    fn watch_folder(&mut self, folder: &Path) -> Result<bool, Deaf> {
        match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => Ok(true),
            Err(e) if is_limit(&e) => Err(deaf(&e)),
            Err(_) => Ok(false),
        }
    }

    /// Folders at these paths may have been moved, or replaced by others of the same name: they are not watched until
    /// [`Listener::follow`] meets them again.
    pub(crate) fn forget(&mut self, touched: &FxHashSet<PathBuf>) {
        let root = &self.root;
        let is_touched = |folder: &PathBuf| {
            folder.ancestors().take_while(|above| above != root).any(|above| touched.contains(above))
        };
        let gone: Vec<PathBuf> = self.folders.extract_if(is_touched).collect();
        self.unwatch(&gone);
    }

    /// Watches the folders of the index, and those alone. Says whether there were new ones: what happened in them until now
    /// went unheard.
    pub(crate) fn follow(&mut self, folders: impl Iterator<Item = PathBuf>) -> Result<bool, Deaf> {
        let wanted: FxHashSet<PathBuf> = folders.chain([self.root.clone()]).collect();
        // Old ones first: a folder that was renamed has one watch, under its old name.
        let gone: Vec<PathBuf> = self.folders.extract_if(|folder| !wanted.contains(folder)).collect();
        self.unwatch(&gone);
        let mut new: Vec<PathBuf> = wanted.into_iter().filter(|folder| !self.folders.contains(folder)).collect();
        new.sort_unstable();
        let mut heard = false;
        for folder in new {
            heard |= WHOLE_TREES || self.watch_folder(&folder)?;
            self.folders.insert(folder);
        }
        Ok(heard)
    }

    fn unwatch(&mut self, folders: &[PathBuf]) {
        for folder in folders.iter().filter(|_| !WHOLE_TREES) {
            // The system may have dropped it already.
            let _ = self.watcher.unwatch(folder);
        }
    }

    /// How many folders are listened to.
    pub(crate) fn folder_count(&self) -> usize {
        self.folders.len()
    }
}

fn is_limit(error: &notify::Error) -> bool {
    let no_room = |e: &std::io::Error| matches!(e.raw_os_error(), Some(NO_HANDLES | NO_HANDLES_ANYWHERE));
    matches!(&error.kind, ErrorKind::MaxFilesWatch) || matches!(&error.kind, ErrorKind::Io(e) if no_room(e))
}

/// `EMFILE` and `ENFILE`, on every Unix.
const NO_HANDLES: i32 = 24;
const NO_HANDLES_ANYWHERE: i32 = 23;

fn deaf(error: &notify::Error) -> Deaf {
    Deaf(match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system's limit of watched folders is reached (on Linux, fs.inotify.max_user_watches)".to_owned()
        }
        ErrorKind::Io(e) => format!("the system cannot watch folders: {e}"),
        kind => format!("the system cannot watch folders: {kind:?}"),
    })
}

/// Which paths matter, by name alone.
struct Places {
    root: PathBuf,
    home: PathBuf,
    git: Option<GitFolders>,
    /// The root as the system calls it: systems that watch whole trees resolve links.
    told_as: PathBuf,
}

impl Places {
    fn judge(&self, event: &notify::Event) -> Vec<Event> {
        if event.need_rescan() {
            return vec![Event::Lost];
        }
        let is_gone = match event.kind {
            // Our own reading is told too.
            EventKind::Access(_) => return Vec::new(),
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => true,
            _ => false,
        };
        event.paths.iter().filter_map(|path| self.judge_path(&self.as_given(path), is_gone)).collect()
    }

    fn as_given<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match path.strip_prefix(&self.told_as) {
            Ok(inside) if self.told_as != self.root => {
                let whole = !inside.as_os_str().is_empty();
                Cow::Owned(if whole { self.root.join(inside) } else { self.root.clone() })
            }
            _ => Cow::Borrowed(path),
        }
    }

    fn judge_path(&self, path: &Path, is_gone: bool) -> Option<Event> {
        if path == self.root {
            return is_gone.then_some(Event::Root);
        }
        // The index itself is never a change, unless somebody takes it away.
        if path.starts_with(&self.home) {
            return (is_gone && path == self.home).then_some(Event::Rules);
        }
        if let Some(GitFolders { own, common, .. }) = &self.git
            && let Ok(inside) = path.strip_prefix(own).or_else(|_| path.strip_prefix(common))
        {
            return match inside.to_str() {
                // Another branch: much is about to change, or just did.
                Some("HEAD") => Some(Event::Lost),
                // The configuration may name another file of rules.
                Some("info/exclude" | "config") => Some(Event::Rules),
                // It was not there to be watched, or is another one now.
                Some("info") => Some(Event::All),
                _ => None,
            };
        }
        let inside = path.strip_prefix(&self.root).ok()?;
        let never = |part: Component| part.as_os_str().to_str().is_some_and(cds_index::is_never_entered);
        if inside.components().any(never) {
            return None;
        }
        let name = path.file_name().and_then(|name| name.to_str());
        Some(match name {
            Some(".gitignore" | ".ignore" | ".cdsignore") => Event::Rules,
            _ => Event::Touched(path.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, AccessMode, CreateKind, DataChange, Flag, ModifyKind, RemoveKind, RenameMode};
    use notify::{Event as Heard, EventKind};

    use super::{Event, GitFolders, Places};

    fn check(kind: EventKind, paths: &[&str], expect: &[Event]) {
        let places = Places {
            root: "/project".into(),
            home: "/project/.cds-index".into(),
            git: Some(GitFolders::at("/project/.git".into())),
            told_as: "/private/project".into(),
        };
        let heard = paths.iter().fold(Heard::new(kind), |event, path| event.add_path(path.into()));
        assert_eq!(places.judge(&heard), expect, "{kind:?} {paths:?}");
    }

    fn touched(path: &str) -> Event {
        Event::Touched(path.into())
    }

    const MODIFY: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    const CREATE: EventKind = EventKind::Create(CreateKind::Any);
    const REMOVE: EventKind = EventKind::Remove(RemoveKind::Any);
    const RENAME: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::Both));

    #[test]
    fn changes_of_files_and_folders_count() {
        check(MODIFY, &["/project/a.py"], &[touched("/project/a.py")]);
        check(CREATE, &["/project/deep/er"], &[touched("/project/deep/er")]);
        check(REMOVE, &["/project/a.py"], &[touched("/project/a.py")]);
        let (from, to) = ("/project/a.tmp", "/project/a.py");
        check(RENAME, &[from, to], &[touched(from), touched(to)]);
        check(MODIFY, &["/private/project/a.py"], &[touched("/project/a.py")]);
    }

    #[test]
    fn reading_the_index_and_folders_of_tools_do_not() {
        check(EventKind::Access(AccessKind::Open(AccessMode::Any)), &["/project/a.py"], &[]);
        check(MODIFY, &["/project/.cds-index/lock"], &[]);
        check(CREATE, &["/project/.cds-index"], &[]);
        check(CREATE, &["/project/web/node_modules/left-pad"], &[]);
        check(CREATE, &["/project/.git/index.lock"], &[]);
        check(CREATE, &["/project/.git/objects/ab"], &[]);
        check(MODIFY, &["/elsewhere/a.py"], &[]);
    }

    #[test]
    fn what_changes_the_rules_is_told_apart() {
        check(RENAME, &["/project/.git/HEAD.lock", "/project/.git/HEAD"], &[Event::Lost]);
        check(MODIFY, &["/project/.git/info/exclude"], &[Event::Rules]);
        check(RENAME, &["/project/.git/config.lock", "/project/.git/config"], &[Event::Rules]);
        check(CREATE, &["/project/.git/info"], &[Event::All]);
        check(MODIFY, &["/project/sub/.gitignore"], &[Event::Rules]);
        check(CREATE, &["/project/.cdsignore"], &[Event::Rules]);
        check(REMOVE, &["/project/.cds-index"], &[Event::Rules]);
    }

    #[test]
    fn the_root_and_lost_events_are_told_apart() {
        check(REMOVE, &["/project"], &[Event::Root]);
        check(REMOVE, &["/private/project"], &[Event::Root]);
        check(EventKind::Modify(ModifyKind::Name(RenameMode::From)), &["/project"], &[Event::Root]);
        check(EventKind::Modify(ModifyKind::Any), &["/project"], &[]);
        let root = || std::path::PathBuf::from("/project");
        let places = Places { root: root(), home: "/elsewhere".into(), git: None, told_as: root() };
        assert_eq!(places.judge(&Heard::new(EventKind::Other).set_flag(Flag::Rescan)), [Event::Lost]);
    }
}
