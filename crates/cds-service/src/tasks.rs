//! Indexing in the background: asked for once, followed by as many as like.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cds_engine::{ErrorKind, Hooks, Progress};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::fault::{Fault, FaultKind};
use crate::projects::{Project, Projects};

/// Tasks that are remembered after their end.
const REMEMBERED: usize = 256;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It waits for another of its project.
    Pending,
    /// It is under way.
    Running,
    /// It ended well.
    Completed,
    /// It did not.
    Failed,
    /// An equal one was asked for before: follow that one.
    Merged,
    /// It was cancelled.
    Cancelled,
}

/// A task as others see it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Task {
    /// What to ask for it by.
    pub id: String,
    /// The project.
    pub project: String,
    /// Whether everything is read anew.
    pub force: bool,
    /// Where it stands.
    pub state: TaskState,
    /// What is being done.
    pub phase: String,
    /// Files done.
    pub done: usize,
    /// Files in all; 0 while they are being counted.
    pub total: usize,
    /// Which task does the work, of one that was merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Files in the index, at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Files whose facts were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parsed: Option<usize>,
    /// Wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// What is to be indexed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskRequest {
    /// The project, by name or path; none: the only one.
    pub project: Option<String>,
    /// Whether everything is read anew.
    pub force: bool,
}

struct Entry {
    now: watch::Sender<Task>,
    cancel: Arc<AtomicBool>,
}

/// All tasks of a process.
#[derive(Default)]
pub struct Tasks {
    next: AtomicU64,
    entries: Mutex<BTreeMap<u64, Entry>>,
}

impl Tasks {
    fn entries(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to index; one that is equal to another that has not ended is that one.
    pub fn begin(self: &Arc<Self>, projects: &Projects, request: &TaskRequest) -> Result<Task, Fault> {
        let project = projects.find(request.project.as_deref())?;
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut task = Task {
            id: number.to_string(),
            project: project.name.clone(),
            force: request.force,
            state: TaskState::Pending,
            phase: String::new(),
            done: 0,
            total: 0,
            merged_into: None,
            error: None,
            files: None,
            parsed: None,
            seconds: None,
        };
        let mut entries = self.entries();
        let is_equal = |other: &Task| {
            let is_open = matches!(other.state, TaskState::Pending | TaskState::Running);
            is_open && other.project == task.project && other.force == task.force
        };
        let equal = entries.values().map(|entry| entry.now.borrow().clone()).find(is_equal);
        let cancel = Arc::new(AtomicBool::new(false));
        if let Some(equal) = equal {
            (task.state, task.merged_into) = (TaskState::Merged, Some(equal.id));
        }
        let is_merged = task.state == TaskState::Merged;
        let (now, _) = watch::channel(task.clone());
        entries.insert(number, Entry { now, cancel: Arc::clone(&cancel) });
        while entries.len() > REMEMBERED {
            let ended = entries.iter().find(|(_, e)| !is_open(e.now.borrow().state)).map(|(number, _)| *number);
            match ended {
                Some(oldest) => drop(entries.remove(&oldest)),
                None => break,
            }
        }
        drop(entries);
        if !is_merged {
            let tasks = Arc::clone(self);
            let work = move || tasks.run(number, &project, &cancel);
            std::thread::Builder::new()
                .name(format!("task {number}"))
                .spawn(work)
                .map_err(|e| Fault::new(FaultKind::Internal, e.to_string()))?;
        }
        Ok(task)
    }

    fn change(&self, number: u64, change: impl FnOnce(&mut Task)) {
        if let Some(entry) = self.entries().get(&number) {
            entry.now.send_modify(change);
        }
    }

    fn run(&self, number: u64, project: &Project, cancel: &AtomicBool) {
        let force = self.entries().get(&number).is_some_and(|entry| entry.now.borrow().force);
        let progress = |p: Progress| {
            self.change(number, |task| {
                task.state = TaskState::Running;
                (task.phase, task.done, task.total) = (p.phase.to_owned(), p.done, p.total);
            });
        };
        let approve = |_: &str| true;
        let hooks =
            Hooks { progress: &progress, cancel, approve: &approve, early: true, empty: true, ..Hooks::default() };
        if project.is_closing() {
            cancel.store(true, Ordering::Relaxed);
        }
        let result = project.engine.index(force, &hooks);
        self.change(number, |task| match result {
            Ok(report) => {
                task.state = TaskState::Completed;
                (task.files, task.parsed, task.seconds) =
                    (Some(report.files), Some(report.parsed), Some(report.seconds));
            }
            Err(error) if error.kind == ErrorKind::Cancelled => task.state = TaskState::Cancelled,
            Err(error) => (task.state, task.error) = (TaskState::Failed, Some(error.message)),
        });
    }

    /// All that are remembered, the newest first.
    pub fn all(&self) -> Vec<Task> {
        self.entries().values().rev().map(|entry| entry.now.borrow().clone()).collect()
    }

    /// One, as it stands now and from now on.
    pub fn follow(&self, id: &str) -> Result<watch::Receiver<Task>, Fault> {
        let number: Option<u64> = id.parse().ok();
        let entries = self.entries();
        let entry = number.and_then(|number| entries.get(&number));
        let unknown =
            || Fault::new(FaultKind::NotFound, format!("task {id:?} is not known: list them with /api/v1/tasks"));
        entry.map(|entry| entry.now.subscribe()).ok_or_else(unknown)
    }

    /// Asks one to stop. One that was merged stops nobody.
    pub fn cancel(&self, id: &str) -> Result<Task, Fault> {
        let now = self.follow(id)?;
        if let Some(entry) =
            id.parse().ok().and_then(|number: u64| self.entries().get(&number).map(|e| Arc::clone(&e.cancel)))
        {
            entry.store(true, Ordering::Relaxed);
        }
        let task = now.borrow().clone();
        Ok(task)
    }

    /// Asks those of a project to stop.
    pub(crate) fn cancel_of(&self, project: &str) {
        let entries = self.entries();
        let own = entries.values().filter(|entry| entry.now.borrow().project == project);
        own.for_each(|entry| entry.cancel.store(true, Ordering::Relaxed));
    }

    /// Asks all to stop.
    pub fn cancel_all(&self) {
        self.entries().values().for_each(|entry| entry.cancel.store(true, Ordering::Relaxed));
    }
}

/// Whether a task has not ended.
pub(crate) fn is_open(state: TaskState) -> bool {
    matches!(state, TaskState::Pending | TaskState::Running)
}
