//! Many projects in one process: each has an engine, and a thread that keeps its index up to date.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use cds_engine::{Config, Engine, Hooks, Progress, WatchEvent, WatchOptions, find_root};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::fault::{Fault, FaultKind};
use crate::operations::{self, Operation};
use crate::registry::{Entry, Registry};

/// How an index is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct State {
    /// `indexing` until there is a whole index, then `ready`, also while it is brought up to date; `failed`.
    pub state: &'static str,
    /// What is being done, where something is.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub phase: &'static str,
    /// Files done.
    pub done: usize,
    /// Files in all; 0 while they are being counted.
    pub total: usize,
    /// Why it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// A project as others see it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProjectInfo {
    /// What requests call it.
    pub name: String,
    /// Its folder.
    pub root: String,
    /// How its index is doing.
    pub index: State,
}

/// One project.
pub struct Project {
    /// What requests call it.
    pub name: String,
    /// What answers.
    pub engine: Engine,
    state: Mutex<State>,
    cancel: AtomicBool,
    keeper: Mutex<Option<JoinHandle<()>>>,
    approves: bool,
    /// Whether a client asked for it to be opened.
    by_client: bool,
    /// Its folder as it was named, which may lead through links.
    named: PathBuf,
}

impl Project {
    /// How its index is doing.
    pub fn state(&self) -> State {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// As others see it.
    pub fn info(&self) -> ProjectInfo {
        ProjectInfo { name: self.name.clone(), root: self.engine.root().display().to_string(), index: self.state() }
    }

    /// What a path has below the root; none for a path outside.
    pub(crate) fn below(&self, path: &Path) -> Option<PathBuf> {
        let strip = |root: &Path| path.strip_prefix(root).ok().map(Path::to_owned);
        let resolved = || std::fs::canonicalize(path).ok()?.strip_prefix(self.engine.root()).ok().map(Path::to_owned);
        if has_dots(path) {
            return None;
        }
        strip(self.engine.root()).or_else(|| strip(&self.named)).or_else(resolved)
    }

    /// Answers; while the first index is being made and has no files yet, with nothing, and a word about that.
    pub fn call(&self, operation: &Operation, given: Map<String, Value>) -> Result<Box<RawValue>, Fault> {
        let state = self.state();
        match operation.call(&self.engine, given.clone()) {
            Err(fault) if fault.kind == FaultKind::NotReady && state.state == "indexing" => {
                let so_far = match state.total {
                    0 => "files are being counted".to_owned(),
                    total => format!("{} of {total} files are read", state.done),
                };
                let message = format!("the index is being made: {so_far}; ask again in a moment");
                if operation.may_be_partial() {
                    operations::text(&partial(operation, &given, &message))
                } else {
                    Err(Fault::new(FaultKind::NotReady, message))
                }
            }
            // Why there is no index says more than that there is none.
            Err(fault) if fault.kind == FaultKind::NotReady && state.state == "failed" => {
                Err(Fault::new(FaultKind::NotReady, state.error))
            }
            answer => answer,
        }
    }

    /// Brings the index up to date, now: whoever asks has just changed something.
    pub fn refresh(&self) -> Result<ProjectInfo, Fault> {
        let missed: Mutex<Option<String>> = Mutex::default();
        let warn = |why: &str| *missed.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
        let hooks = Hooks { cancel: &self.cancel, warn: &warn, empty: true, ..Hooks::default() };
        self.engine.ensure_indexed(&hooks)?;
        // Who asked looks again, and tells what is missing.
        match missed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(Fault::new(FaultKind::Busy, why)),
            None => Ok(self.info()),
        }
    }

    /// Keeps the index up to date until the project is closed.
    fn keep(self: Arc<Self>, watch: &WatchOptions) {
        // While an index is brought up to date, the one of before is asked.
        let is_made = AtomicBool::new(self.engine.is_indexed());
        let progress = |p: Progress| {
            // Another attempt after a failure: the failure stands until one succeeds.
            if self.state().state == "failed" {
                return;
            }
            let state = if is_made.load(Ordering::Relaxed) { "ready" } else { "indexing" };
            self.set(State { state, phase: p.phase, done: p.done, total: p.total, error: String::new() });
        };
        let approve = |_: &str| self.approves;
        let cancel = &self.cancel;
        let hooks =
            Hooks { progress: &progress, approve: &approve, cancel, early: true, empty: true, ..Hooks::default() };
        // Who watches may have failed to make an index before.
        let ready = || {
            if self.engine.is_indexed() {
                is_made.store(true, Ordering::Relaxed);
                self.set(State { state: "ready", ..State::default() });
            }
        };
        self.engine.watch(watch, &hooks, &mut |event| match event {
            WatchEvent::Watching { .. } | WatchEvent::Updated(_) | WatchEvent::Unchanged | WatchEvent::RootBack => {
                ready()
            }
            WatchEvent::Failed(error) => {
                self.set(State { state: "failed", error: error.message.clone(), ..State::default() });
            }
            WatchEvent::RootGone => {
                let error = GONE.to_owned();
                self.set(State { state: "failed", error, ..State::default() });
            }
            WatchEvent::Polling { .. } => {}
        });
    }

    /// Whether it is being closed: no work for it begins any more.
    pub(crate) fn is_closing(&self) -> bool {
        self.cancel.load(Ordering::SeqCst)
    }

    fn begin_to_close(&self) {
        self.cancel.store(true, Ordering::SeqCst);
    }

    /// Waits until its index is no longer kept up to date.
    pub(crate) fn close(&self) {
        self.begin_to_close();
        if let Some(keeper) = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = keeper.join();
        }
    }
}

impl Unavailable {
    fn info(&self, name: &str) -> ProjectInfo {
        let index = State { state: "failed", error: self.error.clone(), ..State::default() };
        ProjectInfo { name: name.to_owned(), root: self.root.display().to_string(), index }
    }
}

/// The error of a project whose folder does not exist any more.
const GONE: &str = "its folder is gone";

/// How a project is opened.
#[derive(Clone, Copy, Default)]
struct Opening<'a> {
    /// Whether a client asked for it.
    by_client: bool,
    /// The name it had before; none: that of its folder.
    name: Option<&'a str>,
}

/// A name that nothing else has.
fn free_name(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let names = std::iter::once(base.to_owned()).chain((2..).map(|n| format!("{base}-{n}")));
    names.into_iter().find(|name| !is_taken(name)).unwrap_or_else(|| base.to_owned())
}

/// An answer without hits, as complete as its schema asks.
fn partial(operation: &Operation, given: &Map<String, Value>, message: &str) -> Value {
    let mut answer = json!({ "hits": [], "total": 0, "partial": true, "warnings": [message] });
    let fields = operation.output["properties"].as_object().into_iter().flatten();
    for (name, schema) in fields.filter(|(name, _)| answer.get(name.as_str()).is_none()).collect::<Vec<_>>() {
        let required = operation.output["required"].as_array().is_some_and(|r| r.iter().any(|n| n == name.as_str()));
        let may_be_null = schema["type"].as_array().is_some_and(|types| types.iter().any(|kind| kind == "null"));
        let empty = match schema["type"].as_str() {
            _ if may_be_null => Value::Null,
            Some("string") => given.get(name).cloned().unwrap_or_else(|| json!("")),
            Some("array") => json!([]),
            Some("integer" | "number") => json!(0),
            Some("boolean") => json!(false),
            _ if name == "parsed_query" => serde_json::to_value(cds_engine::ParsedQuery::default()).unwrap_or_default(),
            _ => json!({}),
        };
        if required {
            answer[name] = empty;
        }
    }
    let known = operation.output["properties"].as_object();
    if let (Some(known), Some(object)) = (known, answer.as_object_mut()) {
        object.retain(|name, _| known.contains_key(name));
    }
    answer
}

/// Whether a path has `.` or `..` components. The file system resolves what stands before them, so whether such a path exists tells
/// whether other folders do.
fn has_dots(path: &Path) -> bool {
    // `Path::components` leaves out `.`.
    let text = path.to_string_lossy();
    text.split(std::path::is_separator).any(|part| part == "." || part == "..")
}

/// How projects are kept.
#[derive(Clone, Debug, Default)]
pub struct Keeping {
    /// Folders that projects must lie in; empty: any.
    pub allowed_roots: Vec<PathBuf>,
    /// Whether nobody looks for changes.
    pub no_watch: bool,
    /// Whether very large folders, and those that nobody means to index whole, are indexed unasked.
    pub approves: bool,
    /// Where indexes live; none: in their roots, or as settings say.
    pub index_dir: Option<PathBuf>,
    /// Whether a project whose index directory is rejected is not opened, except for a client; else its index has failed.
    pub checks_index_dir: bool,
}

/// All projects of a process.
pub struct Projects {
    keeping: Keeping,
    /// By name.
    open: RwLock<BTreeMap<String, Arc<Project>>>,
    /// Told of every project that is opened.
    opened: Mutex<Option<Opened>>,
    /// Where projects that clients open are remembered, and who is told if that fails.
    registry: OnceLock<(Registry, Warn)>,
    /// Remembered projects that could not be opened, by name. Locked after `open` where both are.
    unavailable: RwLock<BTreeMap<String, Unavailable>>,
}

/// A remembered project that could not be opened.
struct Unavailable {
    root: PathBuf,
    error: String,
}

/// Receives warnings.
pub type Warn = Box<dyn Fn(&str) + Send + Sync>;

/// Who is told of projects that are opened.
type Opened = Box<dyn Fn(&Project) + Send>;

impl Projects {
    /// No projects yet.
    pub fn new(keeping: Keeping) -> Projects {
        Projects {
            keeping,
            open: RwLock::default(),
            opened: Mutex::default(),
            registry: OnceLock::new(),
            unavailable: RwLock::default(),
        }
    }

    /// Opens the projects that clients opened before a restart, and remembers those that they will open. Only folders that clients may open
    /// now are opened; other entries are left alone. A project that cannot be opened is listed with the reason.
    pub fn restore(&self, registry: Registry, warn: Warn) {
        let entries = registry.read().unwrap_or_else(|e| {
            warn(&format!("projects that clients opened are not restored: {e}"));
            Vec::new()
        });
        for Entry { name, root } in entries {
            let is_gone = std::fs::symlink_metadata(&root).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound);
            // Of a folder that is gone the path as it was remembered, without links, is all there is to judge.
            let is_allowed =
                root.is_absolute() && !has_dots(&root) && (self.may_open(&root) || is_gone && self.lies_allowed(&root));
            if !is_allowed {
                continue;
            }
            let opened = if is_gone {
                Err(Fault::new(FaultKind::NotReady, GONE))
            } else {
                self.open_as(&root, Opening { by_client: true, name: Some(&name) }).map(drop)
            };
            if let Err(fault) = opened {
                let is_taken = |name: &str| self.read().contains_key(name) || self.unavailable().contains_key(name);
                let name = free_name(&name, is_taken);
                let mut unavailable = self.unavailable.write().unwrap_or_else(PoisonError::into_inner);
                unavailable.insert(name, Unavailable { root, error: fault.message });
            }
        }
        let _ = self.registry.set((registry, warn));
    }

    fn unavailable(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<String, Unavailable>> {
        self.unavailable.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is remembered. A failure is a warning: the project itself is not affected.
    fn remember(&self, change: impl FnOnce(&Registry) -> Result<(), String>) {
        if let Some((registry, warn)) = self.registry.get()
            && let Err(e) = change(registry)
        {
            warn(&format!("a restart will not have this change of projects: {e}"));
        }
    }

    /// Every project as others see it, in order of name.
    pub fn infos(&self) -> Vec<ProjectInfo> {
        let mut infos: Vec<ProjectInfo> = self.all().iter().map(|project| project.info()).collect();
        infos.extend(self.unavailable().iter().map(|(name, project)| project.info(name)));
        infos.sort_by(|a, b| a.name.cmp(&b.name));
        infos
    }

    /// One project as others see it.
    pub(crate) fn info(&self, name: &str) -> Result<ProjectInfo, Fault> {
        let unavailable = self.unavailable().get(name).map(|project| project.info(name));
        unavailable.map_or_else(|| self.find(Some(name)).map(|project| project.info()), Ok)
    }

    /// Tells of every project that is open, and of those that will be.
    pub(crate) fn tell(&self, opened: Opened) {
        self.all().iter().for_each(|project| opened(project));
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<String, Arc<Project>>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a folder for a client, which does not learn what else is on disk: the error is the same for a folder that does not exist, one
    /// that is not allowed and one that cannot be read. Paths that are relative or have `.` or `..` components are not looked up.
    pub(crate) fn open_served(&self, root: &Path) -> Result<Arc<Project>, Fault> {
        if !root.is_absolute() || has_dots(root) || !self.may_open(root) {
            let message = format!(
                "{} is not a folder that may be opened: serve it, or allow it with --allow-root",
                root.display()
            );
            return Err(Fault::new(FaultKind::Invalid, message));
        }
        let project = self.open_as(root, Opening { by_client: true, name: None })?;
        if project.by_client {
            let root = project.engine.root();
            self.unavailable.write().unwrap_or_else(PoisonError::into_inner).retain(|_, known| known.root != root);
            self.remember(|registry| registry.add(Entry { name: project.name.clone(), root: root.to_owned() }));
        }
        Ok(project)
    }

    fn may_open(&self, root: &Path) -> bool {
        std::fs::canonicalize(root).is_ok_and(|root| root.is_dir() && self.lies_allowed(&root))
    }

    /// Whether a path without links lies in a folder that is allowed.
    fn lies_allowed(&self, root: &Path) -> bool {
        let mut allowed = self.keeping.allowed_roots.iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        self.keeping.allowed_roots.is_empty() || allowed.any(|folder| root.starts_with(folder))
    }

    /// Opens the folder; one that is open stays as it is.
    pub fn open(&self, root: &Path) -> Result<Arc<Project>, Fault> {
        self.open_as(root, Opening::default())
    }

    fn open_as(&self, root: &Path, opening: Opening) -> Result<Arc<Project>, Fault> {
        let by_client = opening.by_client;
        let named = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let refused = |message: String| Fault { kind: FaultKind::Invalid, message, data: None };
        let root = std::fs::canonicalize(root).map_err(|e| refused(format!("{}: {e}", root.display())))?;
        if !root.is_dir() {
            return Err(refused(format!("{} is no folder", root.display())));
        }
        if !self.lies_allowed(&root) {
            return Err(refused(format!("{} lies in none of the folders that are allowed", root.display())));
        }
        if let Some(known) = self.read().values().find(|project| project.engine.root() == root) {
            return Ok(Arc::clone(known));
        }
        let mut config = Config::load(&root, |name| std::env::var(name).ok()).map_err(cds_engine::Error::from)?;
        if let Some(folder) = &self.keeping.index_dir {
            config.set("index.dir", &folder.display().to_string()).map_err(cds_engine::Error::from)?;
        }
        let engine = Engine::open(&root, config)?;
        if self.keeping.checks_index_dir && !by_client {
            engine.check_home()?;
        }
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.values().find(|project| project.engine.root() == root) {
            return Ok(Arc::clone(known));
        }
        let base = || root.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
        let unavailable = self.unavailable();
        let is_own = |known: &Unavailable| known.root == root;
        let is_taken =
            |name: &str| open.contains_key(name) || unavailable.get(name).is_some_and(|known| !is_own(known));
        let name = free_name(&opening.name.map_or_else(base, str::to_owned), is_taken);
        drop(unavailable);
        let state = State { state: "indexing", phase: "looking", ..State::default() };
        let project = Arc::new(Project {
            name: name.clone(),
            engine,
            state: Mutex::new(state),
            cancel: AtomicBool::new(false),
            keeper: Mutex::default(),
            approves: self.keeping.approves,
            by_client,
            named,
        });
        if self.keeping.no_watch {
            project.set(State { state: "ready", ..State::default() });
        } else {
            let keeper = Arc::clone(&project);
            let keep = move || keeper.keep(&WatchOptions::default());
            let thread = std::thread::Builder::new().name(format!("keep {name}")).spawn(keep);
            let thread = thread.map_err(|e| Fault::new(FaultKind::Internal, e.to_string()))?;
            *project.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        }
        open.insert(name, Arc::clone(&project));
        drop(open);
        if let Some(opened) = &*self.opened.lock().unwrap_or_else(PoisonError::into_inner) {
            opened(&project);
        }
        Ok(project)
    }

    /// Takes a project out, so that nothing new begins for it, and forgets it. Its index stays on disk. What is returned is to be closed;
    /// a project that could not be opened has nothing to close.
    pub(crate) fn take(&self, name: &str) -> Result<Option<Arc<Project>>, Fault> {
        let unavailable = self.unavailable.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        if let Some(project) = unavailable {
            self.remember(|registry| registry.remove(&project.root));
            return Ok(None);
        }
        let project = self.open.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        let project = project.ok_or_else(|| self.unknown(name))?;
        project.begin_to_close();
        if project.by_client {
            self.remember(|registry| registry.remove(project.engine.root()));
        }
        Ok(Some(project))
    }

    /// Stops keeping all.
    pub fn close_all(&self) {
        let all = std::mem::take(&mut *self.open.write().unwrap_or_else(PoisonError::into_inner));
        for project in all.values() {
            project.begin_to_close();
        }
        for project in all.values() {
            project.close();
        }
    }

    /// All, in order of name.
    pub fn all(&self) -> Vec<Arc<Project>> {
        self.read().values().cloned().collect()
    }

    fn unknown(&self, name: &str) -> Fault {
        let known: Vec<String> = self.read().keys().cloned().collect();
        let known = if known.is_empty() { "none is open".to_owned() } else { format!("open are {}", known.join(", ")) };
        Fault::new(FaultKind::NotFound, format!("project {name:?} is not open: {known}"))
    }

    /// The project of a name or of a path in it. Without one it is the only project that was not opened by a client, or else the only
    /// one that is open.
    pub fn find(&self, named: Option<&str>) -> Result<Arc<Project>, Fault> {
        let open = self.read();
        let Some(named) = named else {
            let mut own = open.values().filter(|project| !project.by_client);
            if let (Some(only), None) = (own.next(), own.next()) {
                return Ok(Arc::clone(only));
            }
            return match open.len() {
                1 => Ok(open.values().next().cloned().expect("there is one")),
                0 => Err(Fault::new(FaultKind::NotFound, "no project is open: open one with /api/v1/projects")),
                _ => {
                    let names: Vec<&str> = open.keys().map(String::as_str).collect();
                    Err(Fault::parameter("project", &format!("one of {}", names.join(", ")), "nothing"))
                }
            };
        };
        if let Some(project) = open.get(named) {
            return Ok(Arc::clone(project));
        }
        if let Some(project) = self.unavailable().get(named) {
            return Err(Fault::new(FaultKind::NotReady, format!("project {named:?}: {}", project.error)));
        }
        let deepest = |path: &Path| {
            let is_around = |root: &Path| path.starts_with(root);
            let around = open.values().filter(|p| is_around(p.engine.root()) || is_around(&p.named));
            around.max_by_key(|p| p.engine.root().as_os_str().len()).cloned()
        };
        let path = Path::new(named);
        // A path below a root is found by its text: the answer does not depend on which files exist there.
        let by_link = || deepest(&std::fs::canonicalize(path).ok()?);
        let found = if has_dots(path) { None } else { deepest(path).or_else(by_link) };
        drop(open);
        found.ok_or_else(|| self.unknown(named))
    }

    /// Opens what a client calls its folders, each with the project around it.
    pub fn open_around(&self, folder: &Path) -> Result<Arc<Project>, Fault> {
        self.open(&find_root(folder))
    }

    /// Waits until an index is there or has failed, at most so long.
    pub fn wait_ready(&self, at_most: Duration) {
        let until = std::time::Instant::now() + at_most;
        while std::time::Instant::now() < until && self.all().iter().any(|p| p.state().state == "indexing") {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
