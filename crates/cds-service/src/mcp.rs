//! MCP: tools from the table, files and entities as resources, over standard input and output and over HTTP.

use std::sync::Arc;
use std::time::Duration;

use cds_engine::{sanitize_line, sanitize_text};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

use crate::admission::{CLIENT, Client};
use crate::aliases;
use crate::compact::{self, Room};
use crate::doors::{Doors, index_input};
use crate::fault::{Fault, FaultKind};
use crate::guard::Guard;
use crate::operations::{OPERATIONS, Operation, PROJECT, schema};
use crate::roots::{Roots, unescaped};
use crate::tasks::{Task, TaskState, is_open};

/// The tool that indexes; the others are rows of the table.
const INDEX: &str = "index_codebase";

/// Tokens of an answer unless asked for otherwise: an agent has little room.
const MAX_TOKENS: u64 = 8_000;

/// How a file or entity is named as a resource.
const SCHEME: &str = "cds://";

const INSTRUCTIONS: &str = "Search this code before reading files whole: search_code finds code by words, names or meaning; \
find_symbol looks up a name; code_research answers what would break if something changed, which tests reach it, who calls it through \
the chain, how one thing reaches another and how modules depend on each other, with evidence; \
traverse_graph tells callers, callees, imports and subtypes, each with how sure it is; \
retrieve prints code by id or path:line; outline lists what a file defines. Answers cite path:first-last line. \
Edges marked `named` are guesses by name alone.";

/// One client's view of the doors.
#[derive(Clone)]
pub(crate) struct Server {
    doors: Arc<Doors>,
    /// Where the client works, where it may say so.
    roots: Option<Arc<Roots>>,
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    })
}

fn project() -> Value {
    json!({ "type": "string", "description": "Which project is asked, by name or path; none: the only one." })
}

/// How long an answer may be, where the operation itself does not ask.
const BUDGET: &str = "max_tokens";

fn budget() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 0, "description": "Budget in estimated tokens; none or 0: 25,000." })
}

/// Whether an operation chooses by itself what fits.
fn has_budget(operation: &Operation) -> bool {
    operation.input["properties"].get(BUDGET).is_some()
}

/// A schema without the widths of Rust's numbers: JSON Schema does not know them, and clients warn of each.
fn plain(mut schema: Value) -> Value {
    let is_width = |format: &mut Value| format.as_str().is_some_and(|format| format.starts_with("uint"));
    match &mut schema {
        Value::Object(fields) => {
            if fields.get_mut("format").is_some_and(is_width) {
                fields.remove("format");
            }
            fields.values_mut().for_each(|field| *field = plain(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = plain(item.take())),
        _ => {}
    }
    schema
}

/// Which tools a client is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// Those of cds.
    #[default]
    Default,
    /// Those of LocAgent as well.
    All,
}

impl ToolSet {
    /// The tools that are offered, with their operations.
    fn rows(self) -> impl Iterator<Item = (&'static str, &'static Operation)> {
        let is_offered = move |operation: &&Operation| self == ToolSet::All || !operation.is_compatibility();
        OPERATIONS.iter().filter(is_offered).filter_map(|operation| Some((operation.tool?, operation)))
    }
}

fn tools(set: ToolSet) -> Vec<Tool> {
    let annotated = |title: &str, read_only: bool| {
        ToolAnnotations::from_raw(Some(title.to_owned()), Some(read_only), Some(false), Some(true), Some(false))
    };
    let mut tools: Vec<Tool> = set
        .rows()
        .map(|(name, operation)| {
            let mut input = operation.served_input.clone();
            input["properties"][PROJECT] = project();
            input["properties"].as_object_mut().into_iter().for_each(aliases::mention);
            if !has_budget(operation) {
                input["properties"][BUDGET] = budget();
            }
            let tool = Tool::new(name, operation.about, object(plain(input)));
            let mut tool = tool.annotate(annotated(operation.about, true));
            tool.output_schema = Some(object(plain(operation.output.clone())));
            tool
        })
        .collect();
    let about = "Index the project, or bring its index up to date. Waits until it is done.";
    let tool = Tool::new(INDEX, about, object(plain(index_input())));
    let mut tool = tool.annotate(annotated("Index the project", false));
    tool.output_schema = Some(object(plain(schema::<Task>())));
    tools.push(tool);
    tools
}

/// How far a task is as one number that only grows, as the protocol asks, although each phase counts anew.
#[derive(Default)]
struct Steps {
    phase: String,
    /// Of the phases before this one, and one for each of them.
    before: usize,
    done: usize,
    told: Option<usize>,
}

impl Steps {
    /// What to tell, if it is more than was told.
    fn next(&mut self, task: &Task) -> Option<f64> {
        if self.phase != task.phase || task.done < self.done {
            self.before += self.done + 1;
            self.phase.clone_from(&task.phase);
        }
        self.done = task.done;
        let now = self.before + self.done;
        let grows = self.told.is_none_or(|told| now > told);
        self.told = Some(now);
        grows.then_some(now as f64)
    }
}

/// The answer of a tool: as data, and as text.
fn told(answer: Result<Value, Fault>, room: Room) -> CallToolResponse {
    let result = match answer {
        Ok(answer) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(compact::text(&answer, room))]);
            result.structured_content = Some(compact::data(answer, room));
            result
        }
        Err(fault) => {
            let mut text = sanitize_text(&fault.message).into_owned();
            if fault.kind == FaultKind::NotReady {
                text.push_str("\nindex_codebase makes the index.");
            }
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
    };
    result.into()
}

impl Server {
    /// Indexes and tells how far it is, until it is done or the client has lost patience.
    async fn index(&self, given: Map<String, Value>, context: &RequestContext<RoleServer>) -> Result<Value, Fault> {
        let task = self.doors.call("index", given).await?;
        let own = task["id"].as_str().unwrap_or_default().to_owned();
        // One that was merged is followed where the work is done, and stops nobody when it is cancelled.
        let mut now = self.doors.tasks.follow(task["merged_into"].as_str().unwrap_or(&own))?;
        let token = context.meta.get_progress_token();
        let mut steps = Steps::default();
        let mut left = Left { doors: &self.doors, task: Some(own) };
        loop {
            let task = now.borrow_and_update().clone();
            if !is_open(task.state) {
                left.task = None;
                return match task.state {
                    TaskState::Failed => Err(Fault::new(FaultKind::Internal, task.error.unwrap_or_default())),
                    _ => Ok(json!(task)),
                };
            }
            if let Some(token) = &token
                && let Some(done) = steps.next(&task)
            {
                let mut progress = ProgressNotificationParam::new(token.clone(), done);
                progress.total = (task.total > 0).then_some(done + (task.total - task.done.min(task.total)) as f64);
                progress.message = Some(if task.phase.is_empty() { "waiting".to_owned() } else { task.phase });
                let _ = context.peer.notify_progress(progress).await;
            }
            // A word now and then is enough; the end is told at once.
            let pause = tokio::time::sleep(Duration::from_millis(200));
            tokio::select! {
                () = context.ct.cancelled() => return Err(Fault::new(FaultKind::Cancelled, "indexing was cancelled")),
                ended = async { now.wait_for(|task| !is_open(task.state)).await.map(drop) } => {
                    if ended.is_err() {
                        return Err(Fault::new(FaultKind::NotFound, "the task is gone"));
                    }
                }
                () = pause => {}
            }
        }
    }
}

/// The connection that a request came on; on standard input and output there is only one.
fn client(context: &RequestContext<RoleServer>) -> Client {
    let head = context.extensions.get::<axum::http::request::Parts>();
    head.and_then(|head| head.extensions.get::<Client>().copied()).unwrap_or_default()
}

/// Stops a task when nobody waits for it any more: the client cancelled, or went away.
struct Left<'a> {
    doors: &'a Doors,
    task: Option<String>,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            let _ = self.doors.tasks.cancel(task);
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("cds", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(roots) = &self.roots {
            roots.ask(&self.doors, &context).await;
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if let Some(roots) = &self.roots {
            roots.ask(&self.doors, &context).await;
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools(self.doors.tools)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(roots) = &self.roots
            && let Some(question) = roots.answer(&self.doors, &request, &context).await
        {
            return Ok(question.into());
        }
        let mut given = request.arguments.unwrap_or_default();
        if let Some(roots) = &self.roots
            && !given.contains_key(PROJECT)
            && let Some(only) = roots.only(&context).await
        {
            given.insert(PROJECT.to_owned(), json!(only));
        }
        if request.name == INDEX {
            return Ok(told(self.index(given, &context).await, Room::WHOLE));
        }
        let mut offered = self.doors.tools.rows();
        let Some((_, operation)) = offered.find(|(tool, _)| *tool == request.name.as_ref()) else {
            let names: Vec<&str> = self.doors.tools.rows().map(|(tool, _)| tool).chain([INDEX]).collect();
            let message =
                sanitize_text(&format!("no tool {:?}: there are {}", request.name, names.join(", "))).into_owned();
            return Err(ErrorData::invalid_params(message, None));
        };
        let room = if has_budget(operation) {
            let tokens = given.entry(BUDGET).or_insert(json!(MAX_TOKENS));
            Room::chosen(tokens.as_u64().unwrap_or(MAX_TOKENS))
        } else {
            match given.remove(BUDGET) {
                None | Some(Value::Null) => Room::WHOLE,
                Some(tokens) => match tokens.as_u64() {
                    Some(tokens) => Room::within(tokens),
                    None => {
                        return Ok(told(Err(Fault::parameter(BUDGET, "integer", &tokens.to_string())), Room::WHOLE));
                    }
                },
            }
        };
        let answer = tokio::select! {
            () = context.ct.cancelled() => Err(Fault::new(FaultKind::Cancelled, "it was cancelled")),
            answer = CLIENT.scope(client(&context), self.doors.call(operation.name, given)) => answer,
        };
        Ok(told(answer, room))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let about = |project: &Arc<crate::projects::Project>| {
            let mut resource = Resource::new(format!("{SCHEME}{}/", project.name), sanitize_line(&project.name));
            let root = project.engine.root().display().to_string();
            resource.description = Some(format!("What is indexed in {}", sanitize_line(&root)));
            resource.mime_type = Some("text/plain".to_owned());
            resource
        };
        Ok(ListResourcesResult::with_all_items(self.doors.projects.all().iter().map(about).collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut template = ResourceTemplate::new(format!("{SCHEME}{{project}}/{{+id}}"), "code");
        template.description =
            Some("A file, or an entity: path, path:Outer.inner, path:10-20, as search_code cites them".to_owned());
        template.mime_type = Some("text/plain".to_owned());
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let unknown = |message: String| ErrorData::resource_not_found(sanitize_text(&message).into_owned(), None);
        let rest = request.uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'));
        let Some((project, id)) = rest else {
            return Err(unknown(format!("{:?} is not {SCHEME}project/id", request.uri)));
        };
        let id = unescaped(id).to_string_lossy().into_owned();
        let (operation, given) = match id.as_str() {
            "" => ("status", json!({ PROJECT: project })),
            id => ("retrieve", json!({ PROJECT: project, "ids": [id], "snippet": "full" })),
        };
        let given = given.as_object().cloned().unwrap_or_default();
        let answer = self.doors.call(operation, given).await.map_err(|fault| unknown(fault.message))?;
        let text = match operation {
            "status" => compact::text(&answer, Room::WHOLE),
            _ => match answer["hits"][0]["snippet"].as_str() {
                Some(text) => sanitize_text(text).into_owned(),
                None => return Err(unknown(compact::text(&answer, Room::WHOLE))),
            },
        };
        let contents = vec![ResourceContents::text(text, request.uri)];
        Ok(ReadResourceResult::new(contents).into())
    }
}

/// Answers one client on standard input and output until it leaves.
pub async fn over_stdio(doors: Arc<Doors>, takes_roots: bool) -> Result<(), Fault> {
    let lost = |e: String| Fault::new(FaultKind::Io, format!("the client was lost: {e}"));
    let server = Server { doors, roots: takes_roots.then(Arc::default) };
    // Who leaves before they have said who they are has changed their mind.
    let Ok(running) = server.serve(rmcp::transport::stdio()).await else { return Ok(()) };
    running.waiting().await.map(drop).map_err(|e| lost(e.to_string()))
}

/// The service at `/mcp`.
pub(crate) fn over_http(doors: &Arc<Doors>, guard: &Guard) -> StreamableHttpService<Server, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(guard.hosts())
        .with_max_request_body_bytes(doors.limits.body);
    let doors = Arc::clone(doors);
    let server = move || Ok(Server { doors: Arc::clone(&doors), roots: None });
    StreamableHttpService::new(server, Arc::default(), config)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Steps, plain};
    use crate::tasks::{Task, TaskState};

    #[test]
    fn progress_only_grows() {
        let mut steps = Steps::default();
        let mut check = |phase: &str, done: usize, expect: Option<f64>| {
            let task = Task {
                id: String::new(),
                project: String::new(),
                force: false,
                state: TaskState::Running,
                phase: phase.to_owned(),
                done,
                total: 9,
                merged_into: None,
                error: None,
                files: None,
                parsed: None,
                seconds: None,
            };
            assert_eq!(steps.next(&task), expect, "{phase} {done}");
        };
        check("", 0, Some(0.0));
        check("", 0, None);
        check("indexing", 0, Some(1.0));
        check("indexing", 9, Some(10.0));
        check("indexing", 9, None);
        check("writing", 0, Some(11.0));
        check("writing", 5, Some(16.0));
        // Counted anew without a word.
        check("writing", 1, Some(18.0));
    }

    #[test]
    fn schemas_say_what_clients_know() {
        let schema =
            json!({ "type": "integer", "format": "uint32", "items": [{ "format": "uint" }, { "format": "double" }] });
        assert_eq!(plain(schema), json!({ "type": "integer", "items": [{}, { "format": "double" }] }));
        let named = json!({ "properties": { "format": { "type": "string" } } });
        assert_eq!(plain(named.clone()), named);
    }
}
