//! The OpenAPI 3.1 document: a projection of the table, like the doors it describes.

use serde_json::{Map, Value, json};

use crate::aliases;
use crate::doors::index_input;
use crate::operations::{OPERATIONS, schema};
use crate::parameters;
use crate::projects::ProjectInfo;
use crate::tasks::Task;

/// Where operations live.
pub(crate) const BASE: &str = "/api/v1";

/// The document.
pub fn document() -> Value {
    let mut shared = Map::new();
    let mut paths = Map::new();
    for operation in OPERATIONS.iter() {
        let input = asked(moved(&operation.served_input, &mut shared));
        let output = moved(&operation.output, &mut shared);
        let describe = post(operation.name, operation.about, input, "200", "The answer.", output);
        paths.insert(format!("{BASE}/{}", operation.name), json!({ "post": describe }));
    }
    let task = moved(&schema::<Task>(), &mut shared);
    let project = moved(&schema::<ProjectInfo>(), &mut shared);
    shared.insert("Task".to_owned(), task);
    shared.insert("Project".to_owned(), project);
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let list = |name: &str| json!({ "type": "array", "items": reference(name) });
    let id = |about: &str| json!([{ "name": "id", "in": "path", "required": true, "description": about, "schema": { "type": "string" } }]);
    let new_task = asked(index_input());
    let new_project = asked(project_root_input());
    let with_id = |mut operation: Value, about: &str| {
        operation["parameters"] = id(about);
        operation
    };
    let mut add = |path: &str, item: Value| paths.insert(format!("{BASE}/{path}"), item);
    add(
        "projects",
        json!({
            "get": get("list_projects", "Projects that are open.", "Their list.", list("Project")),
            "post": post("open_project", "Open a folder: it is indexed and kept up to date.", new_project, "201", "The project.", reference("Project")),
        }),
    );
    add(
        "projects/{id}",
        json!({
            "get": with_id(get("get_project", "A project.", "The project.", reference("Project")), "Its name."),
            "delete": with_id(answers("close_project", "Stop keeping a project. Its index stays on disk.", "204", "It is closed.", None), "Its name."),
        }),
    );
    let refreshed = asked(refresh_input());
    let about = "Bring an index up to date, and answer when it is.";
    add("refresh", json!({ "post": post("refresh", about, refreshed, "200", "The project.", reference("Project")) }));
    add(
        "tasks",
        json!({
            "get": get("list_tasks", "Tasks, the newest first.", "Their list.", list("Task")),
            "post": post("index", "Index in the background. A request equal to one that has not ended is merged with it.", new_task, "202", "The task.", reference("Task")),
        }),
    );
    add(
        "tasks/{id}",
        json!({
            "get": with_id(get("get_task", "A task as it stands.", "The task.", reference("Task")), "Its id."),
        }),
    );
    let cancel = get("cancel_task", "Ask a task to stop.", "The task as it stands.", reference("Task"));
    add("tasks/{id}/cancel", json!({ "post": with_id(cancel, "Its id.") }));
    let mut events = with_id(
        answers(
            "follow_task",
            "A task, each time it changes, until it ends.",
            "200",
            "Events called `task`, with a task as JSON each.",
            None,
        ),
        "Its id.",
    );
    // Whether a schema is of the stream or of an event in it is read in both ways.
    events["responses"]["200"]["content"] = json!({ "text/event-stream": { "schema": {} } });
    add("tasks/{id}/events", json!({ "get": events }));
    shared.insert("Fault".to_owned(), json!({
        "type": "object", "required": ["error"],
        "properties": { "error": {
            "type": "object", "required": ["code", "message"],
            "properties": {
                "code": { "type": "string" },
                "message": { "type": "string" },
                "data": { "type": "object", "description": "`field`, `expected` and `received` of a parameter at fault." },
            },
        } },
    }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "cds",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Finds code by name, by words, by meaning and by walking the code graph.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": { "schemas": shared },
    })
}

/// What `refresh` takes.
pub(crate) fn refresh_input() -> Value {
    let project =
        json!({ "type": ["string", "null"], "description": "The project, by name or path; none: the only one." });
    json!({ "type": "object", "properties": { "project": project } })
}

/// The parameters of `open_project`.
pub(crate) fn project_root_input() -> Value {
    json!({
        "type": "object", "required": ["root"],
        "properties": { "root": { "type": "string", "minLength": 1, "description": "The folder." } },
    })
}

/// The schema of a request body with everything that validation accepts besides the schema of the operation: aliases and numbers as
/// texts, both marked as deprecated, so that generated clients can leave them out.
fn asked(mut input: Value) -> Value {
    aliases::describe(&mut input);
    for property in input["properties"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        let Some(pattern) = parameters::numerals(property) else { continue };
        let mut number = property.take();
        let mut outer = json!({});
        for name in ["description", "deprecated"] {
            if let Some(value) = number.as_object_mut().and_then(|number| number.remove(name)) {
                outer[name] = value;
            }
        }
        outer["anyOf"] = json!([number, { "type": "string", "pattern": pattern, "deprecated": true }]);
        *property = outer;
    }
    input["additionalProperties"] = json!(false);
    input
}

fn answers(id: &str, about: &str, status: &str, gives: &str, output: Option<Value>) -> Value {
    let fault = json!({
        "description": "It was not answered: what happened, and what to do.",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Fault" } } },
    });
    let mut responses = json!({ "default": fault });
    responses[status] = json!({ "description": gives });
    if let Some(output) = output {
        responses[status]["content"] = json!({ "application/json": { "schema": output } });
    }
    json!({ "operationId": id, "summary": about, "responses": responses })
}

fn get(id: &str, about: &str, gives: &str, output: Value) -> Value {
    answers(id, about, "200", gives, Some(output))
}

fn post(id: &str, about: &str, input: Value, status: &str, gives: &str, output: Value) -> Value {
    let mut operation = answers(id, about, status, gives, Some(output));
    operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": input } } });
    operation
}

/// A schema whose definitions are moved to where all share them.
fn moved(schema: &Value, shared: &mut Map<String, Value>) -> Value {
    let mut schema = schema.clone();
    redirect(&mut schema);
    if let Some(Value::Object(definitions)) = schema.as_object_mut().and_then(|s| s.remove("$defs")) {
        shared.extend(definitions);
    }
    schema
}

fn redirect(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(target)) = fields.get_mut("$ref") {
                *target = target.replace("#/$defs/", "#/components/schemas/");
            }
            fields.values_mut().for_each(redirect);
        }
        Value::Array(items) => items.iter_mut().for_each(redirect),
        _ => {}
    }
}
