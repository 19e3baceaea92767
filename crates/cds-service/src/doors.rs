//! What stands behind every door: projects, tasks, and one way to call an operation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cds_engine::CancelToken;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::admission::{Admission, CLIENT, Class};
use crate::fault::{Fault, FaultKind};
use crate::mcp::ToolSet;
use crate::metrics::Metrics;
use crate::operations::{self, Operation, PROJECT};
use crate::projects::{Keeping, Project, Projects};
use crate::tasks::{TaskRequest, Tasks};

/// What a process may be asked to bear.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long an answer may take.
    pub time: Duration,
    /// Bytes of a request.
    pub body: usize,
    /// Requests that are answered or wait at once.
    pub requests: usize,
    /// Connections at once to the address. One more closes the one that has been idle longest.
    pub connections: usize,
    /// The same for each Unix socket.
    pub socket_connections: usize,
    /// How long a client may take to send the head of a request, and then its whole body.
    pub head: Duration,
    /// Requests in one batch.
    pub batch: usize,
    /// Projects named in one request.
    pub projects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(30),
            body: 1 << 20,
            // Half of the connections to the address: there is always one that is not busy and can be closed for another. Expensive and
            // costly requests together also keep fewer connections busy than a socket has.
            requests: 256,
            // With those of sockets and the files of indexes fewer than the 1,024 descriptors that many systems allow.
            connections: 512,
            socket_connections: 128,
            head: Duration::from_secs(10),
            batch: 100,
            projects: 256,
        }
    }
}

/// The operation that begins a task instead of answering.
pub(crate) const INDEX: &[&str] = &["index", "rebuild_index", "index_codebase"];

/// Where a line about a request goes.
pub type Log = Box<dyn Fn(&Value) + Send + Sync>;

/// Everything a door needs.
pub struct Doors {
    /// What can be asked.
    pub projects: Projects,
    /// What is under way.
    pub tasks: Arc<Tasks>,
    /// What was asked so far.
    pub metrics: Metrics,
    /// What may be asked.
    pub limits: Limits,
    /// What MCP clients are offered.
    pub tools: ToolSet,
    /// Told of every request: what was asked for and how it went, never in what words.
    log: Option<Log>,
    /// Answers that are computed at once: one more than there are cores, as each waits now and then for what runs beside it. More would only
    /// wait for each other.
    admission: Admission,
}

impl Doors {
    /// Doors to no project yet.
    pub fn new(keeping: Keeping, limits: Limits, tools: ToolSet, log: Option<Log>) -> Arc<Doors> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Arc::new(Doors {
            projects: Projects::new(keeping),
            tasks: Arc::default(),
            metrics: Metrics::default(),
            limits,
            tools,
            log,
            admission: Admission::new(limits.requests, cores),
        })
    }

    /// Calls an operation by any of its names.
    pub async fn call(self: &Arc<Self>, name: &str, given: Map<String, Value>) -> Result<Value, Fault> {
        operations::value(&self.text(name, given).await?)
    }

    /// The same, for doors that pass the answer on as it is.
    pub async fn text(self: &Arc<Self>, name: &str, given: Map<String, Value>) -> Result<Box<RawValue>, Fault> {
        let started = Instant::now();
        let shown = operations::find(name).map_or(if INDEX.contains(&name) { "index" } else { "unknown" }, |o| o.name);
        let answer = self.answer(name, given).await;
        let (took, fault) = (started.elapsed(), answer.as_ref().err().map(|fault| fault.kind));
        self.metrics.count(shown, took, fault);
        if let Some(log) = &self.log {
            log(&json!({
                "operation": shown,
                "milliseconds": (took.as_secs_f64() * 1e5).round() / 100.0,
                "error": fault.map(FaultKind::name),
            }));
        }
        answer
    }

    async fn answer(self: &Arc<Self>, name: &str, mut given: Map<String, Value>) -> Result<Box<RawValue>, Fault> {
        if INDEX.contains(&name) {
            let given = crate::parameters::check(&index_input(), given)?;
            let request: TaskRequest = serde_json::from_value(Value::Object(given))
                .map_err(|e| Fault::new(FaultKind::Invalid, e.to_string()))?;
            let task = self.tasks.begin(&self.projects, &request)?;
            return operations::text(&task);
        }
        let operation = operations::find(name).ok_or_else(|| {
            let names: Vec<&str> = operations::OPERATIONS.iter().map(|o| o.name).collect();
            Fault::new(FaultKind::NoOperation, format!("no operation {name:?}: there are index, {}", names.join(", ")))
        })?;
        self.take_absolute_path(operation, &mut given)?;
        let mut given = crate::parameters::check(&operation.served_input, given)?;
        let project = given.remove(PROJECT).unwrap_or_default();
        let asked = self.asked(operation, &project)?;
        let class = operation.class(&given);
        self.run(class, move || match asked {
            Asked::One(project) => project.call(operation, given),
            Asked::Many(projects) => operations::text(&merged(operation, &projects, &given)?),
        })
        .await
    }

    /// Runs work that blocks, when it is its turn. Waiting counts against the time limit. The work's token is cancelled when the limit
    /// has passed or the client no longer waits, which drops this future.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        class: Class,
        work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let cancel = CancelToken::default().within(Some(self.limits.time));
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        let until = tokio::time::Instant::now() + self.limits.time;
        let seconds = self.limits.time.as_secs();
        let client = CLIENT.try_with(|client| *client).unwrap_or_default();
        let busy = |_| {
            let message = format!("the server was busy with other requests for {seconds} s: try again later");
            Fault::new(FaultKind::Busy, message)
        };
        let admitted = tokio::time::timeout_at(until, self.admission.enter(client, class)).await.map_err(busy)??;
        let work = blocking(move || {
            let answer = cancel.scope(work);
            drop(admitted);
            answer
        });
        let late = |_| Fault::new(FaultKind::Timeout, format!("no answer within {seconds} s: narrow the request"));
        tokio::time::timeout_at(until, work).await.map_err(late)?
    }

    /// Other tools name the project by its folder, in `path`. An absolute path therefore selects the project around it, and what lies below
    /// the root of that is the path that was meant.
    fn take_absolute_path(&self, operation: &Operation, given: &mut Map<String, Value>) -> Result<(), Fault> {
        let is_filter = !operation.input["properties"]["path"].is_null();
        let Some(path) = given.get("path").and_then(Value::as_str).filter(|_| is_filter) else { return Ok(()) };
        if path == "." {
            given.remove("path");
            return Ok(());
        }
        let path = std::path::Path::new(path);
        if !path.is_absolute() {
            return Ok(());
        }
        let project = match given.get(PROJECT) {
            None | Some(Value::Null) => self.projects.find(path.to_str())?,
            Some(Value::String(name)) if name != "*" => self.projects.find(Some(name))?,
            Some(_) => return Ok(()),
        };
        let Some(below) = project.below(path) else {
            return Err(Fault::parameter("path", &format!("a path in {}", project.name), &path.display().to_string()));
        };
        let below = below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        given.insert(PROJECT.to_owned(), json!(project.name));
        if below.is_empty() {
            given.remove("path");
        } else {
            given.insert("path".to_owned(), json!(below));
        }
        Ok(())
    }

    fn asked(&self, operation: &Operation, project: &Value) -> Result<Asked, Fault> {
        let many = |mut projects: Vec<Arc<Project>>| {
            let mut seen = std::collections::HashSet::new();
            projects.retain(|project| seen.insert(project.name.clone()));
            match projects.as_slice() {
                [] => Err(Fault::parameter(PROJECT, "at least one project", "none")),
                [one] if project != "*" => Ok(Asked::One(Arc::clone(one))),
                _ if operation.has_hits() => Ok(Asked::Many(projects)),
                several => Err(Fault::parameter(PROJECT, "one project", &several.len().to_string())),
            }
        };
        match project {
            Value::Null => self.projects.find(None).map(Asked::One),
            Value::String(all) if all == "*" => many(self.projects.all()),
            Value::String(one) => self.projects.find(Some(one)).map(Asked::One),
            Value::Array(list) if list.len() > self.limits.projects => {
                let most = format!("at most {} projects", self.limits.projects);
                Err(Fault::parameter(PROJECT, &most, &list.len().to_string()))
            }
            Value::Array(list) => {
                let find = |one: &Value| match one.as_str() {
                    Some(one) => self.projects.find(Some(one)),
                    None => Err(Fault::parameter(PROJECT, "a name", &one.to_string())),
                };
                many(list.iter().map(find).collect::<Result<_, _>>()?)
            }
            other => Err(Fault::parameter(PROJECT, "a name, a list of names, or \"*\"", &other.to_string())),
        }
    }

    /// Stops keeping a project, cancels its tasks, and forgets it. Its index stays on disk.
    pub(crate) fn close_project(&self, name: &str) -> Result<(), Fault> {
        if let Some(project) = self.projects.take(name)? {
            self.tasks.cancel_of(name);
            project.close();
        }
        Ok(())
    }

    /// Ends all that is under way.
    pub fn close(&self) {
        self.admission.close();
        self.tasks.cancel_all();
        self.projects.close_all();
    }
}

/// Cancels the work of a request that nobody waits for any more.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

enum Asked {
    One(Arc<Project>),
    Many(Vec<Arc<Project>>),
}

/// The only place where work that blocks leaves the runtime.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(_) => Err(Fault::new(FaultKind::Internal, "a fault of cds: please report it with the request you sent")),
    }
}

/// Hits of several projects, each with its project, the best first; of equal ones those of the first project.
fn merged(operation: &Operation, projects: &[Arc<Project>], given: &Map<String, Value>) -> Result<Value, Fault> {
    if given.contains_key("cursor") {
        return Err(Fault::parameter("cursor", "nothing, where several projects are asked", "a cursor"));
    }
    let mut whole: Option<Map<String, Value>> = None;
    let mut unknown: Option<Fault> = None;
    let mut hits: Vec<Value> = Vec::new();
    for project in projects {
        if CancelToken::current().is_cancelled() {
            return Err(Fault::new(FaultKind::Timeout, "time ran out: ask fewer projects"));
        }
        let mut answer = match project.call(operation, given.clone()).and_then(|answer| operations::value(&answer)) {
            Ok(Value::Object(answer)) => answer,
            Ok(_) => continue,
            // What one project does not have, another may.
            Err(fault) if fault.kind == FaultKind::NotFound => {
                unknown.get_or_insert(fault);
                continue;
            }
            Err(fault) => return Err(fault),
        };
        let own = answer.get_mut("hits").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
        for mut hit in own {
            hit[PROJECT] = json!(project.name);
            hits.push(hit);
        }
        match &mut whole {
            None => whole = Some(answer),
            Some(whole) => join(whole, answer),
        }
    }
    let Some(mut whole) = whole else {
        return Err(unknown.unwrap_or_else(|| Fault::new(FaultKind::NotFound, "no project is open")));
    };
    let score = |hit: &Value| hit["score"].as_f64().unwrap_or(0.0);
    hits.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let limit = given.get("limit").and_then(Value::as_u64).filter(|limit| *limit > 0);
    // Without a limit each project has its own.
    hits.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
    whole.insert("hits".to_owned(), json!(hits));
    if let Some(cursor) = whole.get_mut("next_cursor") {
        *cursor = Value::Null;
    }
    Ok(Value::Object(whole))
}

/// One more project's answer, without its hits.
fn join(whole: &mut Map<String, Value>, answer: Map<String, Value>) {
    for (name, own) in answer {
        let Some(known) = whole.get_mut(&name) else { continue };
        match (name.as_str(), known, own) {
            ("total" | "filtered_out", Value::Number(known), Value::Number(own)) => {
                *known = (known.as_u64().unwrap_or(0) + own.as_u64().unwrap_or(0)).into();
            }
            ("partial" | "timed_out", Value::Bool(known), Value::Bool(own)) => *known |= own,
            ("warnings" | "suggestions", Value::Array(known), Value::Array(own)) => known.extend(own),
            // Only what no project has is missing.
            ("missing", Value::Array(known), Value::Array(own)) => {
                known.retain(|miss| own.iter().any(|other| other["id"] == miss["id"]));
            }
            _ => {}
        }
    }
}

/// What `index` takes.
pub(crate) fn index_input() -> Value {
    operations::input::<TaskRequest>(&[])
}
