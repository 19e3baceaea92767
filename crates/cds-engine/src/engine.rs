//! A root, its settings and the snapshot that is current.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cds_encode::{ModelError, Models};
use cds_index::{
    Build, BuildOptions, BuildReport, DirState, Effort, Freshness, IndexDir, Owner, Progress, Seen, Snapshot, TreeSize,
    guard, index_home,
};
use cds_lang::Registry;
use cds_model::CancelToken;
use cds_search::Tools;

use crate::config::Config;
use crate::error::{Error, ErrorKind, Result, checkpoint};
use crate::follow_ups::FollowUps;
use crate::hydrate::{self, Files};
use crate::languages::Languages;
use crate::models;

/// One project, open.
pub struct Engine {
    root: PathBuf,
    home: PathBuf,
    config: Config,
    languages: Languages,
    snapshot: Mutex<Option<Arc<Snapshot>>>,
    pub(crate) tools: Tools,
    pub(crate) follow_ups: FollowUps,
    pub(crate) files: Files,
    /// Why the index could not be brought up to date the last time, if it could not.
    missed: Mutex<Option<String>>,
}

/// How thoroughly to look.
#[derive(Default)]
struct How<'a> {
    force: bool,
    quick: bool,
    seen: Option<&'a Seen>,
    wait: Duration,
    /// Whether an answer waits for it: then a model that cannot be used is no reason to fail.
    for_answer: bool,
}

/// The most that a request to an embedding service may take while an answer waits for an update.
const MODEL_LIMIT: Duration = Duration::from_secs(2);

/// How long a question waits for somebody else who writes: an update of a few files takes less, and may have begun before the last edit.
const PATIENCE: Duration = Duration::from_secs(1);

/// How a long operation talks to its caller.
pub struct Hooks<'a> {
    /// Told now and then how far it is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told about once a second while another process writes the index, with what is known of it.
    pub waiting: &'a (dyn Fn(Option<&Owner>) + Sync),
    /// Asked before a folder is indexed for the first time that is very large, or that nobody means to index whole.
    pub approve: &'a (dyn Fn(&str) -> bool + Sync),
    /// Told what went wrong where the operation goes on all the same.
    pub warn: &'a (dyn Fn(&str) + Sync),
    /// Whether some of a large tree is to be asked before all of it is in its first index.
    pub early: bool,
    /// Whether a project without files gets an index without files; otherwise that is an error.
    pub empty: bool,
    /// Set to stop it.
    pub cancel: &'a AtomicBool,
}

/// How often a question is asked anew because a writer took away the generation that was to answer it.
const ATTEMPTS: usize = 5;

/// Changed files whose languages are made ready before they are read: more than a few come with a longer wait anyway.
const READY_AHEAD: usize = 8;

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Hooks<'_> {
    fn default() -> Self {
        Hooks {
            progress: &|_| {},
            waiting: &|_| {},
            approve: &|_| true,
            warn: &|_| {},
            early: false,
            empty: false,
            cancel: &NEVER,
        }
    }
}

/// A number as people read it: `412,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|part| std::str::from_utf8(part).ok()).collect();
    parts.join(",")
}

/// What to say of an index that is not whole yet.
pub(crate) fn so_far(snapshot: &Snapshot) -> Option<String> {
    let left = snapshot.manifest().left;
    let (some, all) = (grouped(snapshot.file_count() as u64), grouped(snapshot.file_count() as u64 + left));
    (left > 0).then(|| {
        format!("the index has {some} of {all} files so far: ask again in a moment, or run `cds index` to complete it")
    })
}

/// The root that `start` belongs to: the nearest folder above it with an index, else with version control, else itself.
pub fn find_root(start: &Path) -> PathBuf {
    let start = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    let above = |marker: &str| start.ancestors().find(|dir| dir.join(marker).exists()).map(Path::to_owned);
    above(".cds-index/manifest.json").or_else(|| above(".git")).unwrap_or(start)
}

impl Engine {
    /// Opens a root; it need not be indexed yet, but it must be a folder that can be read.
    pub fn open(root: &Path, config: Config) -> Result<Engine> {
        let io = |e: std::io::Error| {
            let message =
                format!("{}: {e}; the root must be a folder that can be read: name one with --root", root.display());
            Error { kind: ErrorKind::Io, message }
        };
        let root = std::path::absolute(root).map_err(io)?;
        std::fs::read_dir(&root).map_err(io)?;
        let home = match config.text("index.dir") {
            "" => index_home(&root),
            dir => root.join(dir),
        };
        let languages = match (config.text("index.languages"), config.user_folder()) {
            ("", Some(folder)) => Languages::read(&folder.join("languages"))?,
            ("", None) => Languages::default(),
            (folder, _) if !root.join(folder).is_dir() => {
                let message = format!("index.languages: {} is no folder", root.join(folder).display());
                return Err(Error { kind: ErrorKind::Invalid, message });
            }
            (folder, _) => Languages::read_named(&root, Path::new(folder))?,
        };
        let tools = Tools { models: models::from_settings(&config, &root), ..Tools::default() };
        Ok(Engine {
            root,
            home,
            config,
            languages,
            snapshot: Mutex::new(None),
            tools,
            follow_ups: FollowUps::default(),
            files: hydrate::files(),
            missed: Mutex::default(),
        })
    }

    /// The folder that is indexed.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where its index lives.
    pub fn home(&self) -> &Path {
        &self.home
    }

    fn index_dir(&self) -> IndexDir<'_> {
        IndexDir::new(&self.root, &self.home)
    }

    /// Whether the index directory was made for this root on this machine: what is in another one is not read.
    pub fn owns_home(&self) -> bool {
        self.index_dir().state().is_ok_and(|state| state == DirState::Ours)
    }

    /// Fails if the index directory cannot be used. One that settings or a flag name is made, if need be.
    pub fn check_home(&self) -> Result<()> {
        match self.config.text("index.dir") {
            "" => self.index_dir().state().map(drop).map_err(Error::from),
            _ => self.prepare_home().map(drop),
        }
    }

    /// Makes that folder, if need be, for something that lives beside the index.
    pub fn prepare_home(&self) -> Result<&Path> {
        cds_index::prepare_home(&self.root, &self.home)?;
        Ok(&self.home)
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Every language, the user's own included.
    pub fn registry(&self) -> Result<&Registry> {
        self.languages.registry()
    }

    fn build_options(&self) -> BuildOptions {
        BuildOptions {
            max_file_size: self.config.number("index.max_file_size"),
            comments: self.config.flag("index.comments"),
            languages: self.languages.fingerprint(),
            by_wish: ["index.max_file_size", "index.comments"].iter().any(|key| self.config.is_wish(key)),
        }
    }

    /// The same, but a setting that nobody made stays as it was wished for when the index was built: `cds index --no-comments` holds
    /// until the next `cds index`, it is not undone by a search. What a file of settings no longer says does not stay.
    fn kept_options(&self) -> BuildOptions {
        let mut options = self.build_options();
        let Ok(snapshot) = self.snapshot() else { return options };
        let built = &snapshot.manifest().options;
        if !built.by_wish {
            return options;
        }
        options.by_wish = true;
        if self.config.is_default("index.max_file_size") {
            options.max_file_size = built.max_file_size;
        }
        if self.config.is_default("index.comments") {
            options.comments = built.comments;
        }
        options
    }

    /// Brings the index up to date; with `force`, from nothing. Waits `index.wait` seconds for another process that does so.
    pub fn index(&self, force: bool, hooks: &Hooks) -> Result<BuildReport> {
        let wait = Duration::from_secs(self.config.number("index.wait"));
        self.build(self.build_options(), How { force, wait, ..How::default() }, hooks)
    }

    /// The first index of a project, or the rest of one, which an answer waits for.
    fn index_for_answer(&self, hooks: &Hooks) -> Result<BuildReport> {
        let wait = Duration::from_secs(self.config.number("index.wait"));
        self.build(self.build_options(), How { wait, for_answer: true, ..How::default() }, hooks)
    }

    /// Models in place of those that cannot be used: the index then lacks vectors of new chunks, and the next `cds index` makes them. A mistake in
    /// the settings is an error where indexing is what was requested.
    fn substitute_models(&self, how: &How, hooks: &Hooks) -> Result<Option<Models>> {
        let snapshot = self.snapshot().ok();
        let manifest = snapshot.as_ref().map(|snapshot| snapshot.manifest());
        let known = (manifest.and_then(|m| m.model.as_ref()), manifest.and_then(|m| m.sparse_model.as_ref()));
        // Encoding everything with another model may take hours, so only `cds index` starts it.
        if how.for_answer && manifest.is_some_and(|manifest| !self.has_settings_model(manifest)) {
            let why =
                "the settings name another model than the index was made with: `cds index` encodes all chunks with it";
            (hooks.warn)(why);
            return Ok(Some(Models::of_index(known.0, known.1, why)));
        }
        let tolerates = |error: &ModelError| how.for_answer || matches!(error, ModelError::Unavailable(_));
        let mut reasons = Vec::new();
        let limit = how.for_answer.then_some(MODEL_LIMIT);
        let models = self.tools.models.with_substitutes(known, limit, tolerates, &mut reasons)?;
        for reason in reasons {
            (hooks.warn)(&format!("new chunks get no vectors until the next `cds index`: {reason}"));
        }
        Ok(models)
    }

    fn build(&self, options: BuildOptions, how: How, hooks: &Hooks) -> Result<BuildReport> {
        let (memory, large) = (self.config.memory(), self.config.large());
        let state = self.index_dir().state().map_err(|error| self.explain(error))?;
        let is_first = !self.has_manifest(&state);
        if let Some(what) = self.config.is_hardly_meant(&self.root).filter(|_| is_first) {
            let root = self.root.display();
            if !(hooks.approve)(&format!("{root} is {what}. Index it?")) {
                let message = format!("{root} is {what}: name a project with --root, or index it all with --yes");
                return Err(Error { kind: ErrorKind::Invalid, message });
            }
        }
        if state == DirState::Untrusted {
            let home = self.home.display();
            (hooks.warn)(&format!(
                "the index in {home} was not made here (it was copied, it came with a clone, or an older cds made it) and is replaced"
            ));
        }
        let approve = |TreeSize { files, bytes }: TreeSize| {
            let (files, size) = (grouped(files), bytes as f64 / 1e9);
            (hooks.approve)(&format!("This folder has {files} files ({size:.1} GB). Index it?"))
        };
        let published = || *self.current() = None;
        let substitutes = self.substitute_models(&how, hooks)?;
        let build = Build {
            root: &self.root,
            home: &self.home,
            registry: self.languages.checked()?,
            options,
            models: substitutes.as_ref().unwrap_or(&self.tools.models),
            model_limit: how.for_answer.then_some(MODEL_LIMIT),
            force: how.force,
            quick: how.quick,
            seen: how.seen,
            early: hooks.early.then_some(&published),
            empty: hooks.empty,
            effort: Effort { wait: how.wait, waiting: hooks.waiting, memory, large, approve: &approve },
            cancel: hooks.cancel,
            progress: hooks.progress,
        };
        let report = cds_index::build(&build).map_err(|error| self.explain(error))?;
        self.miss(None);
        if report.changed {
            *self.current() = None;
        }
        Ok(report)
    }

    /// Whether an index of ours was published.
    fn has_manifest(&self, state: &DirState) -> bool {
        *state == DirState::Ours && self.home.join("manifest.json").exists()
    }

    /// An index that cannot be written could be elsewhere.
    fn explain(&self, error: cds_index::Error) -> Error {
        let in_home = matches!(&error, cds_index::Error::Io { path, .. } if path.starts_with(&self.home));
        let mut error = Error::from(error);
        if in_home {
            error.message.push_str("; --index-dir puts the index elsewhere");
        }
        error
    }

    /// Indexes when there is no index; when there is one and `search.update` is on, brings it up to date if the disk
    /// shows changes. A damaged or foreign index is an error here: the user is told, not surprised by a long wait.
    pub fn ensure_indexed(&self, hooks: &Hooks) -> Result<Option<BuildReport>> {
        let snapshot = match self.snapshot() {
            Ok(snapshot) => snapshot,
            Err(e) if self.has_manifest(&self.index_dir().state()?) => return Err(e),
            Err(_) => return self.index_for_answer(hooks).map(Some),
        };
        if !self.config.flag("search.update") {
            return Ok(None);
        }
        self.miss(None);
        // What is not whole yet is waited for, as where there is nothing.
        if snapshot.manifest().left > 0 {
            return self.index_for_answer(hooks).map(Some);
        }
        let (tell, told) = std::sync::mpsc::sync_channel::<String>(READY_AHEAD);
        std::thread::scope(|scope| {
            // Making a language ready takes longer than anything else before a changed file can be read: it begins at once.
            scope.spawn(move || {
                for path in told {
                    let Ok(registry) = self.languages.checked() else { return };
                    registry.detect(&path, "").make_ready();
                }
            });
            let seen = Seen::look(snapshot, &self.root, &|path| drop(tell.try_send(path.to_owned())));
            drop(tell);
            match seen.freshness(&self.root, &self.kept_options()) {
                Freshness::Fresh => Ok(None),
                Freshness::Stale(_) | Freshness::Settings => {
                    let done = self.bring_up_to_date(&seen, hooks);
                    // Letting go of all that was mapped takes a while, and nobody needs to wait for it.
                    rayon::spawn(|| drop(seen));
                    done
                }
            }
        })
    }

    fn bring_up_to_date(&self, seen: &Seen, hooks: &Hooks) -> Result<Option<BuildReport>> {
        // Damage looks like change, and so does what another process has updated meanwhile.
        let snapshot = &seen.snapshot;
        if let Err(e) = snapshot.verify_tables() {
            if snapshot.is_superseded() {
                *self.current() = None;
                return self.ensure_indexed(hooks);
            }
            return Err(e.into());
        }
        let how = How { quick: true, seen: Some(seen), wait: PATIENCE, for_answer: true, ..How::default() };
        let built = self.build(self.kept_options(), how, hooks);
        // Who wrote meanwhile may have taken in all there was; and a folder may have another time with the same files in it.
        if !snapshot.is_current() {
            *self.current() = None;
        }
        match built {
            // Somebody else is at it, and for long: answer from what is there.
            Err(e) if e.kind == ErrorKind::Busy => {
                let why = "another process is writing the index: what changed a moment ago may be missing".to_owned();
                (hooks.warn)(&why);
                self.miss(Some(why));
                Ok(None)
            }
            // A full disk, or a folder that may not be written, is no reason not to answer.
            Err(e) if e.kind == ErrorKind::Io => {
                let why = format!("the index could not be brought up to date and answers as it is: {e}");
                (hooks.warn)(&why);
                self.miss(Some(why));
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// An answer that lacks something says so, whoever reads it, until the index is up to date again.
    fn miss(&self, why: Option<String>) {
        *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Why answers may lack what changed a moment ago.
    pub(crate) fn missed(&self) -> Option<String> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Brings the index up to date as it was built, whatever state it is in; nothing if there was nothing to do. The disk is
    /// compared with what the index knows, and walked only where that shows a change or when `walk` asks for it. Waits for
    /// another process that writes, however long it takes.
    pub fn update(&self, walk: bool, hooks: &Hooks) -> Result<Option<BuildReport>> {
        // Another process may have written since.
        if self.snapshot().is_ok_and(|snapshot| !snapshot.is_current()) {
            *self.current() = None;
        }
        // A look needs no lock, and mostly finds that a question has brought everything up to date already.
        let whole = |snapshot: &Arc<Snapshot>| {
            let manifest = snapshot.manifest();
            manifest.counts.not_encoded == 0 && manifest.left == 0 && self.has_settings_model(manifest)
        };
        let snapshot = self.snapshot().ok().filter(|snapshot| !walk && whole(snapshot));
        let seen = snapshot.map(|snapshot| Seen::look(snapshot, &self.root, &|_| {}));
        let options = self.kept_options();
        let is_fresh = |seen: &Seen| seen.freshness(&self.root, &options) == Freshness::Fresh;
        if seen.as_ref().is_some_and(|seen| is_fresh(seen) && seen.snapshot.damage().is_ok()) {
            self.miss(None);
            return Ok(None);
        }
        let seen = seen.filter(|seen| seen.snapshot.verify_tables().is_ok());
        if seen.is_none() {
            *self.current() = None;
        }
        let how = How { quick: !walk, seen: seen.as_ref(), wait: Duration::MAX, for_answer: true, ..How::default() };
        let report = self.build(options, how, hooks)?;
        if seen.is_some_and(|seen| !seen.snapshot.is_current()) {
            *self.current() = None;
        }
        Ok(Some(report).filter(|report| report.changed))
    }

    /// Runs an operation within `search.time_limit_ms`, and within the current request if that ends earlier. The token for both is the
    /// current one while `work` runs. An answer that nobody waits for any more is an error.
    pub(crate) fn limited<T>(&self, work: impl FnOnce(&CancelToken) -> Result<T>) -> Result<T> {
        let limit = self.config.number("search.time_limit_ms");
        let cancel = CancelToken::current().within((limit > 0).then(|| Duration::from_millis(limit)));
        let answer = cancel.scope(|| work(&cancel));
        if cancel.is_abandoned() {
            return cancel.scope(checkpoint).and(answer);
        }
        answer
    }

    /// Answers from the current snapshot, if it is whole: that something is not there, or that nobody calls it, can be said of no other.
    pub(crate) fn answer<T>(&self, mut work: impl FnMut(&Snapshot) -> Result<T>) -> Result<T> {
        self.answer_so_far(|snapshot| match so_far(snapshot) {
            Some(message) => Err(Error { kind: ErrorKind::NotReady, message }),
            None => work(snapshot),
        })
    }

    /// Answers from the current snapshot, also from one that is not whole yet, which is for `work` to tell. Blocks of its files are verified
    /// when they are first read: where one is damaged, its rows read as absent, and what `work` made of that, also a panic, is replaced by
    /// the error. A generation that a writer replaced meanwhile looks damaged too, and then the new one is asked.
    pub(crate) fn answer_so_far<T>(&self, mut work: impl FnMut(&Snapshot) -> Result<T>) -> Result<T> {
        let mut attempts = 1..ATTEMPTS;
        loop {
            let snapshot = self.snapshot()?;
            let answer = guard(|| work(&snapshot)).unwrap_or_else(|panic| {
                snapshot.damage()?;
                snapshot.verify()?;
                let message = format!("a fault of cds: {panic}; please report it with the command you ran");
                Err(Error { kind: ErrorKind::Internal, message })
            });
            let damage = snapshot.damage();
            if damage.is_err() {
                // The next question opens it anew: it may have been repaired in place.
                *self.current() = None;
            }
            let answer = damage.map_err(Error::from).and(answer);
            let is_not_ready = answer.as_ref().is_err_and(|e| e.kind == ErrorKind::NotReady);
            if !is_not_ready || !snapshot.is_superseded() || attempts.next().is_none() {
                return answer;
            }
            *self.current() = None;
        }
    }

    /// Whether there is an index that is whole, however old.
    pub fn is_indexed(&self) -> bool {
        self.snapshot().is_ok_and(|snapshot| so_far(&snapshot).is_none())
    }

    /// Whether the disk still says what the snapshot says.
    pub fn freshness(&self, snapshot: &Snapshot) -> Freshness {
        cds_index::check_freshness(snapshot, &self.root, &self.kept_options())
    }

    /// The current snapshot, opened on first use.
    pub(crate) fn snapshot(&self) -> Result<Arc<Snapshot>> {
        let mut current = self.current();
        if let Some(snapshot) = &*current {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = Arc::new(self.index_dir().open()?);
        *current = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<Arc<Snapshot>>> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use cds_index::Freshness;

    use super::{Config, Engine, Hooks};

    #[test]
    fn a_folder_with_another_time_and_the_same_files_is_looked_at_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.txt"), "some words").unwrap();
        let engine = Engine::open(dir.path(), Config::default()).unwrap();
        engine.ensure_indexed(&Hooks::default()).unwrap();
        let is_fresh = || engine.freshness(&engine.snapshot().unwrap()) == Freshness::Fresh;
        let touch = || {
            // Times of some file systems are coarse.
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::write(dir.path().join("came"), "").unwrap();
            std::fs::remove_file(dir.path().join("came")).unwrap();
        };
        touch();
        assert!(!is_fresh());
        assert!(engine.ensure_indexed(&Hooks::default()).unwrap().is_none_or(|report| !report.changed));
        assert!(is_fresh(), "after a question");
        touch();
        assert!(engine.update(false, &Hooks::default()).unwrap().is_none());
        assert!(is_fresh(), "after an update");
    }
}
