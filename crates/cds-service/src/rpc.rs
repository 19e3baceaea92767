//! JSON-RPC 2.0: single requests, batches, notifications.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::doors::Doors;
use crate::fault::{Fault, FaultKind};

/// Answers a body; nothing where only notifications came.
pub async fn answer(doors: &Arc<Doors>, body: &[u8]) -> Option<Box<RawValue>> {
    let asked: Value = match serde_json::from_slice(body) {
        Ok(asked) => asked,
        Err(e) => {
            return Some(failed(&Value::Null, &Fault::new(FaultKind::NotJson, format!("the body is not JSON: {e}"))));
        }
    };
    match asked {
        Value::Array(batch) if batch.is_empty() => {
            Some(failed(&Value::Null, &Fault::new(FaultKind::NotRequest, "a batch holds at least one request")))
        }
        Value::Array(batch) if batch.len() > doors.limits.batch => {
            let message = format!("a batch holds at most {} requests, not {}", doors.limits.batch, batch.len());
            Some(failed(&Value::Null, &Fault::new(FaultKind::NotRequest, message)))
        }
        Value::Array(batch) => {
            // A batch has the time of one request.
            let until = Instant::now() + doors.limits.time;
            let mut answers = Vec::new();
            for request in batch {
                if Instant::now() < until {
                    answers.extend(one(doors, request).await);
                } else if let Some(id) = request.get("id") {
                    let late = Fault::new(FaultKind::Timeout, "time ran out: send smaller batches");
                    answers.push(failed(id, &late));
                }
            }
            (!answers.is_empty()).then(|| written(&answers))
        }
        request => one(doors, request).await,
    }
}

async fn one(doors: &Arc<Doors>, request: Value) -> Option<Box<RawValue>> {
    let id = request.get("id").cloned();
    let shown = id.clone().unwrap_or_default();
    let not_request = |message: &str| Some(failed(&Value::Null, &Fault::new(FaultKind::NotRequest, message)));
    let Value::Object(mut request) = request else { return not_request("a request is an object") };
    if request.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return not_request("jsonrpc must be \"2.0\"");
    }
    if id.as_ref().is_some_and(|id| !(id.is_string() || id.is_number() || id.is_null())) {
        return not_request("id must be a string or a number");
    }
    let Some(method) = request.get("method").and_then(Value::as_str).map(str::to_owned) else {
        return not_request("method must be a string");
    };
    let result = match request.remove("params") {
        None => doors.text(&method, Map::new()).await,
        Some(Value::Object(params)) => doors.text(&method, params).await,
        Some(other) => Err(Fault::parameter("params", "an object", kind(&other))),
    };
    // A notification is not answered, whatever comes of it.
    id?;
    Some(match result {
        Ok(result) => written(&Answered { jsonrpc: "2.0", id: &shown, result: &result }),
        Err(fault) => failed(&shown, &fault),
    })
}

#[derive(Serialize)]
struct Answered<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: &'a RawValue,
}

fn failed(id: &Value, fault: &Fault) -> Box<RawValue> {
    written(&json!({ "jsonrpc": "2.0", "id": id, "error": fault.rpc() }))
}

fn written(answer: &impl Serialize) -> Box<RawValue> {
    to_raw_value(answer).expect("what is written has names for keys")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
