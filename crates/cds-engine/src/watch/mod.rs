//! An index that follows the file system until it is stopped.
//!
//! The system is listened to by [`Listener`], what it says is gathered in [`pending`] until there is quiet, and then one update
//! brings the index up to date. Where the system cannot be listened to, the tree is looked at from time to time.
//!
//! No change is missed: folders are watched first, then looked at. After an update the folders that the index has come to
//! know are watched, and if there were new ones, another look follows.

mod listener;
mod network;
mod pending;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use cds_index::{BuildReport, Snapshot};
use rustc_hash::FxHashMap;

use crate::engine::{Engine, Hooks};
use crate::error::{Error, ErrorKind, Result};
use listener::{Deaf, Listener};
use pending::{Batch, Event, Inbox, Pending};

/// How a root is watched.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// How long it must be quiet before an update.
    pub quiet: Duration,
    /// How long a storm of changes may put an update off.
    pub at_most: Duration,
    /// Look this often instead of listening to the system.
    pub poll: Option<Duration>,
}

impl Default for WatchOptions {
    fn default() -> Self {
        WatchOptions { quiet: Duration::from_millis(500), at_most: Duration::from_secs(2), poll: None }
    }
}

/// What a watcher tells.
#[derive(Debug)]
pub enum WatchEvent<'a> {
    /// From now on no change is missed.
    Watching {
        /// Files in the index.
        files: usize,
        /// Folders that are listened to, or looked at.
        folders: usize,
    },
    /// The system cannot be listened to: the tree is looked at instead.
    Polling {
        /// Why.
        reason: &'a str,
        /// How often.
        every: Duration,
    },
    /// The index was brought up to date.
    Updated(&'a BuildReport),
    /// It says what the disk says; there was nothing to take in.
    Unchanged,
    /// It could not be; there will be another attempt.
    Failed(&'a Error),
    /// The root was moved or removed.
    RootGone,
    /// It is there again.
    RootBack,
}

/// Why a watcher ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// It was asked to.
    Stopped,
    /// The project's settings changed: open the root again and go on.
    Settings,
}

/// How often a tree is looked at that cannot be listened to.
const POLL: Duration = Duration::from_secs(2);
/// Looking may take this part of the time.
const POLL_SHARE: u32 = 10;
/// After a failure there is another attempt without a change: disks become free, other processes end.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_mins(1);
/// How often to look for a root that is gone.
const ROOT_LOOK: Duration = Duration::from_millis(200);

impl Engine {
    /// Keeps the index up to date until `hooks.cancel` is set. Errors are told and survived.
    pub fn watch(&self, options: &WatchOptions, hooks: &Hooks, tell: &mut dyn FnMut(WatchEvent)) -> WatchEnd {
        let watch = Watch {
            engine: self,
            options,
            hooks,
            tell,
            inbox: Arc::new(Inbox::new(Pending::new(options.quiet, options.at_most))),
            settings: stamp(&self.root().join(".cds.toml")),
            retry: None,
            known: None,
            is_told: false,
            told_failure: String::new(),
        };
        watch.run()
    }
}

/// Enough of a file to notice that it was changed.
fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.len(), meta.modified().ok()?))
}

/// How much must be looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    /// Nothing: only ignored files changed.
    None,
    /// What the index knows.
    Known,
    /// Everything, since other files may be taken now.
    Walk,
}

/// Why the inner loop was left.
enum Leave {
    End(WatchEnd),
    /// Nothing that is watched can be trusted any more. What the batch asked for is still to be done.
    Again(Batch),
    RootGone,
}

struct Watch<'a> {
    engine: &'a Engine,
    options: &'a WatchOptions,
    hooks: &'a Hooks<'a>,
    tell: &'a mut dyn FnMut(WatchEvent),
    inbox: Arc<Inbox>,
    /// The project's settings as they were at the start.
    settings: Option<(u64, SystemTime)>,
    /// When to try again after a failure, and how long to wait after the next one.
    retry: Option<(Instant, Duration)>,
    /// The index as of the last update.
    known: Option<Arc<Snapshot>>,
    /// Whether the start was told.
    is_told: bool,
    /// The last failure that was told, until something changes.
    told_failure: String,
}

impl Watch<'_> {
    fn run(mut self) -> WatchEnd {
        let mut batch = Batch::default();
        loop {
            batch = Batch { lost: true, rules: batch.rules, ..Batch::default() };
            let leave = match self.listen() {
                Ok(listener) => self.follow(Some(listener), batch),
                Err(reason) => {
                    if let Some(Deaf(reason)) = reason {
                        self.tell_polling(&reason);
                    }
                    self.follow(None, batch)
                }
            };
            match leave {
                Leave::End(end) => return end,
                Leave::Again(left) => batch = left,
                Leave::RootGone => {
                    (self.tell)(WatchEvent::RootGone);
                    self.known = None;
                    batch = Batch::default();
                    while !self.engine.root().is_dir() {
                        if self.is_stopped() {
                            return WatchEnd::Stopped;
                        }
                        std::thread::sleep(ROOT_LOOK);
                    }
                    (self.tell)(WatchEvent::RootBack);
                }
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.hooks.cancel.load(Ordering::Relaxed)
    }

    fn listen(&self) -> Result<Listener, Option<Deaf>> {
        if self.options.poll.is_some() {
            return Err(None);
        }
        let root = self.engine.root();
        if let Some(name) = network::silent_file_system(root) {
            return Err(Some(Deaf(format!("{name} does not tell what other machines change"))));
        }
        Listener::open(root, self.engine.home(), Arc::clone(&self.inbox)).map_err(Some)
    }

    fn tell_polling(&mut self, reason: &str) {
        (self.tell)(WatchEvent::Polling { reason, every: self.options.poll.unwrap_or(POLL) });
    }

    /// Updates whenever there is a reason. Without a listener, time is the reason.
    fn follow(&mut self, mut listener: Option<Listener>, mut batch: Batch) -> Leave {
        let mut is_first = true;
        loop {
            if !self.engine.root().is_dir() {
                return Leave::RootGone;
            }
            if stamp(&self.engine.root().join(".cds.toml")) != self.settings {
                return Leave::End(WatchEnd::Settings);
            }
            // Another folder may stand in its place already, or folders may have come and gone unheard.
            if is_first {
                is_first = false;
            } else if batch.root || batch.lost && listener.is_some() {
                return Leave::Again(batch);
            }
            let started = Instant::now();
            let look = self.look(&batch);
            if look > Look::None {
                if let Some(listener) = &mut listener {
                    listener.forget(&batch.paths);
                }
                self.update(look, &mut listener);
            }
            if !self.is_told {
                self.is_told = true;
                let files = self.known.as_ref().map_or(0, |known| known.file_count());
                let known = self.known.as_ref().map_or(0, |known| known.manifest().directories.len());
                let folders = listener.as_ref().map_or(known, Listener::folder_count);
                (self.tell)(WatchEvent::Watching { files, folders });
            }
            if self.is_stopped() {
                return Leave::End(WatchEnd::Stopped);
            }
            let poll = self.options.poll.unwrap_or(POLL).max(started.elapsed() * POLL_SHARE);
            let poll = listener.is_none().then(|| Instant::now() + poll);
            let until = [poll, self.retry.map(|(at, _)| at)].into_iter().flatten().min();
            let cancel = self.hooks.cancel;
            let news = self.inbox.wait(until, || cancel.load(Ordering::Relaxed));
            if self.is_stopped() {
                return Leave::End(WatchEnd::Stopped);
            }
            // Without news, time has come: for a look, or for another attempt, whose failure is not told again.
            if news.is_some() {
                self.told_failure.clear();
            }
            batch = news.unwrap_or_default();
        }
    }

    /// Updates until every folder the index knows is watched and was looked at since.
    fn update(&mut self, mut look: Look, listener: &mut Option<Listener>) {
        // A tree that grows faster than it can be followed is met again by its next events.
        for _ in 0..5 {
            let result = self.engine.update(look == Look::Walk, self.hooks);
            match &result {
                Ok(report) => {
                    self.retry = None;
                    let report = report.as_ref().filter(|r| r.parsed + r.removed > 0);
                    (self.tell)(report.map_or(WatchEvent::Unchanged, WatchEvent::Updated));
                }
                Err(e) if e.kind == ErrorKind::Cancelled => return,
                Err(e) => {
                    if self.told_failure != e.message {
                        (self.tell)(WatchEvent::Failed(e));
                        self.told_failure.clone_from(&e.message);
                    }
                    let pause = self.retry.map_or(FIRST_RETRY, |(_, pause)| (pause * 2).min(LAST_RETRY));
                    self.retry = Some((Instant::now() + pause, pause));
                }
            }
            self.known = self.engine.snapshot().ok();
            let (Some(known), Some(listening)) = (&self.known, listener.as_mut()) else { return };
            let manifest = known.manifest();
            let folders = manifest.directories.iter().map(|(path, _)| on_disk(manifest, self.engine.root(), path));
            match listening.follow(folders) {
                Ok(true) => look = Look::Known,
                Ok(false) => return,
                Err(Deaf(reason)) => {
                    *listener = None;
                    self.tell_polling(&reason);
                    return;
                }
            }
        }
        self.inbox.add(Event::Lost);
    }

    /// How much a burst of events asks for.
    fn look(&self, batch: &Batch) -> Look {
        let Some(known) = self.known.as_ref().filter(|_| !batch.rules) else { return Look::Walk };
        let is_time = batch.paths.is_empty();
        let matters = batch.lost || is_time || self.any_matters(known, batch);
        if matters { Look::Known } else { Look::None }
    }

    /// Whether any of the paths is known to the index, or new and not ignored.
    fn any_matters(&self, known: &Snapshot, batch: &Batch) -> bool {
        let (root, manifest) = (self.engine.root(), known.manifest());
        let inside = |path: &Path| {
            let text = path.strip_prefix(root).ok()?.to_str()?;
            Some(text.replace(std::path::MAIN_SEPARATOR, "/"))
        };
        let is_folder = |path: &str| manifest.directories.binary_search_by(|(p, _)| p.as_str().cmp(path)).is_ok();
        let mut taken: FxHashMap<&Path, Vec<PathBuf>> = FxHashMap::default();
        batch.paths.iter().any(|path| {
            // How the index writes a name that is not UTF-8 is its own business.
            let Some(written) = inside(path) else { return true };
            if known.document_at(&written).is_some()
                || is_folder(&written)
                || manifest.skipped.iter().any(|skipped| skipped.path == written)
            {
                return true;
            }
            // What is new stands somewhere below a folder that is known; the entry of that folder decides.
            let is_known = |folder: &Path| folder == root || inside(folder).is_some_and(|written| is_folder(&written));
            let Some(entry) = path.ancestors().find(|entry| entry.parent().is_some_and(is_known)) else { return true };
            let Some(folder) = entry.parent() else { return true };
            let taken = taken.entry(folder).or_insert_with(|| cds_index::entries(root, folder, self.engine.home()));
            taken.iter().any(|path| path == entry)
        })
    }
}

/// The root is written as an empty path, which would end in a separator.
fn on_disk(manifest: &cds_index::Manifest, root: &Path, path: &str) -> PathBuf {
    if path.is_empty() { root.to_owned() } else { manifest.on_disk(root, path) }
}
