//! HTTP: the operations as paths, projects and tasks as things, and what operators ask.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio_stream::wrappers::ReceiverStream;
use tower::Layer;

use crate::admission::{CLIENT, Class, Client};
use crate::doors::Doors;
use crate::fault::{Fault, FaultKind};
use crate::guard::{self, Guard};
use crate::tasks::{TaskRequest, is_open};
use crate::{mcp, openapi, rpc};

/// The version of what goes over the wire.
const VERSION: &str = "1";

/// Bytes around a message of gRPC. Other bodies are held to the exact limit when they are read.
const FRAME: usize = 5;

/// Seconds after which a request that found the server busy may be sent again.
const RETRY_AFTER: &str = "1";

/// All routes, behind the guard.
pub fn router(doors: &Arc<Doors>, guard: Guard) -> Router {
    let api = Router::new()
        .route("/projects", get(list_projects).post(open_project))
        .route("/projects/{id}", get(get_project).delete(close_project))
        .route("/refresh", post(refresh))
        .route("/tasks", get(list_tasks).post(begin_task))
        .route("/tasks/{id}", get(get_task))
        .route("/tasks/{id}/cancel", post(cancel_task))
        .route("/tasks/{id}/events", get(follow_task))
        .route("/{operation}", post(operation));
    let routes = Router::new()
        .nest(openapi::BASE, api)
        .route("/rpc", post(json_rpc))
        .route("/api/openapi.json", get(async || axum::Json(openapi::document())))
        .route("/api/docs", get(async || Html(include_str!("docs.html"))))
        .route("/metrics", get(metrics))
        .route("/ready", get(ready))
        .nest_service("/mcp", from_fn_with_state(Arc::clone(doors), whole).layer(mcp::over_http(doors, &guard)))
        .route("/health", get(async || axum::Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))))
        .fallback(no_path);
    #[cfg(feature = "grpc")]
    let routes = routes.merge(crate::grpc::routes(doors));
    routes
        .method_not_allowed_fallback(not_allowed)
        .layer(DefaultBodyLimit::max(doors.limits.body))
        .layer(from_fn_with_state((Arc::clone(doors), Arc::new(guard)), guarded))
        .with_state(Arc::clone(doors))
}

async fn guarded(State((doors, guard)): State<(Arc<Doors>, Arc<Guard>)>, request: Request, next: Next) -> Response {
    let head = guard::check_head(&request, doors.limits.body + FRAME);
    if let Err((status, message)) = head.and_then(|()| guard.admit(&request)) {
        doors.metrics.refuse();
        #[cfg(feature = "grpc")]
        if crate::grpc::is_meant(&request) {
            return crate::grpc::refused(status, &message);
        }
        let code = match status {
            StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => "too_large",
            StatusCode::BAD_REQUEST => "not_a_request",
            _ => "refused",
        };
        let mut response = answered(status, &json!({ "error": { "code": code, "message": message } }));
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        return response;
    }
    let origin = guard.shared_with(request.headers());
    let ends_session = request.method() == Method::DELETE && request.uri().path() == "/mcp";
    let client = request.extensions().get::<Client>().copied().unwrap_or_default();
    let mut response = CLIENT.scope(client, next.run(request)).await;
    // The end of a session is told as done: clients take "accepted" for a failure, and say so to their users.
    if ends_session && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    let headers = response.headers_mut();
    headers.insert("x-cds-api-version", HeaderValue::from_static(VERSION));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type, authorization"));
        headers.insert(header::VARY, HeaderValue::from_static("origin"));
    }
    response
}

fn answered(status: StatusCode, body: &impl Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn faulty(fault: &Fault) -> Response {
    let status = StatusCode::from_u16(fault.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = answered(status, &fault.body());
    if fault.kind == FaultKind::Busy {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
    }
    response
}

async fn no_path(request: Request) -> Response {
    #[cfg(feature = "grpc")]
    if crate::grpc::is_meant(&request) {
        return crate::grpc::unknown(request.uri().path());
    }
    drop(request);
    faulty(&Fault::new(FaultKind::NoOperation, "no such path: see /api/docs"))
}

async fn not_allowed() -> Response {
    let fault = Fault::new(FaultKind::NoOperation, "this path is asked in another way: see /api/docs");
    answered(StatusCode::METHOD_NOT_ALLOWED, &fault.body())
}

fn given<T: Serialize>(status: StatusCode, answer: Result<T, Fault>) -> Response {
    match answer {
        Ok(answer) => answered(status, &answer),
        Err(fault) => faulty(&fault),
    }
}

fn refuse(status: StatusCode, code: &str, message: &str) -> Response {
    answered(status, &json!({ "error": { "code": code, "message": message } }))
}

/// The body of a request in JSON, or what is wrong with it.
async fn body(doors: &Doors, request: Request) -> Result<Bytes, Response> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|k| k.to_str().ok()).unwrap_or_default();
    // A form of another site cannot send this type without asking first.
    if !kind.split(';').next().is_some_and(|k| k.trim().eq_ignore_ascii_case("application/json")) {
        return Err(refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            "the body must be JSON: send content-type application/json",
        ));
    }
    received(doors, request).await
}

/// Receives a body within the limits of size and time.
async fn received(doors: &Doors, request: Request) -> Result<Bytes, Response> {
    let all = tokio::time::timeout(doors.limits.head, Bytes::from_request(request, &())).await;
    let all = all.map_err(|_| refuse(StatusCode::REQUEST_TIMEOUT, "too_slow", "the body did not come in time"))?;
    all.map_err(|e| {
        let status = e.status();
        match status {
            StatusCode::PAYLOAD_TOO_LARGE => refuse(status, "too_large", "the body is too large"),
            _ => refuse(StatusCode::BAD_REQUEST, "not_a_request", "the body could not be read"),
        }
    })
}

/// Receives the body before the request is passed on to a service that has no time limit for it.
async fn whole(State(doors): State<Arc<Doors>>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match received(&doors, Request::from_parts(head.clone(), body)).await {
        Ok(body) => next.run(Request::from_parts(head, Body::from(body))).await,
        Err(refused) => refused,
    }
}

async fn object(doors: &Doors, request: Request) -> Result<Map<String, Value>, Response> {
    let body = body(doors, request).await?;
    match serde_json::from_slice(&body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(faulty(&Fault::new(FaultKind::Invalid, "the body must be an object"))),
        Err(e) => Err(faulty(&Fault::new(FaultKind::NotJson, format!("the body is not JSON: {e}")))),
    }
}

async fn operation(State(doors): State<Arc<Doors>>, Path(name): Path<String>, request: Request) -> Response {
    match object(&doors, request).await {
        Ok(parameters) => given(StatusCode::OK, doors.text(&name, parameters).await),
        Err(refused) => refused,
    }
}

async fn json_rpc(State(doors): State<Arc<Doors>>, request: Request) -> Response {
    match body(&doors, request).await {
        Ok(body) => match rpc::answer(&doors, &body).await {
            Some(answer) => answered(StatusCode::OK, &answer),
            None => StatusCode::NO_CONTENT.into_response(),
        },
        Err(refused) => refused,
    }
}

async fn list_projects(State(doors): State<Arc<Doors>>) -> Response {
    answered(StatusCode::OK, &json!(doors.projects.infos()))
}

async fn open_project(State(doors): State<Arc<Doors>>, request: Request) -> Response {
    let checked = match object(&doors, request).await {
        Ok(parameters) => crate::parameters::check(&openapi::project_root_input(), parameters),
        Err(refused) => return refused,
    };
    let root = match checked {
        Ok(parameters) => parameters["root"].as_str().unwrap_or_default().to_owned(),
        Err(fault) => return faulty(&fault),
    };
    let opened = Arc::clone(&doors);
    let open =
        doors.run(Class::Light, move || opened.projects.open_served(root.as_ref()).map(|project| project.info()));
    given(StatusCode::CREATED, open.await)
}

async fn get_project(State(doors): State<Arc<Doors>>, Path(name): Path<String>) -> Response {
    given(StatusCode::OK, doors.projects.info(&name))
}

async fn close_project(State(doors): State<Arc<Doors>>, Path(name): Path<String>) -> Response {
    let closed = Arc::clone(&doors);
    match doors.run(Class::Light, move || closed.close_project(&name)).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(fault) => faulty(&fault),
    }
}

/// Answers once the index says what the disk says.
async fn refresh(State(doors): State<Arc<Doors>>, request: Request) -> Response {
    let checked = match object(&doors, request).await {
        Ok(parameters) => crate::parameters::check(&openapi::refresh_input(), parameters),
        Err(refused) => return refused,
    };
    let project = checked.and_then(|p| doors.projects.find(p.get("project").and_then(Value::as_str)));
    let refreshed = match project {
        Ok(project) => doors.run(Class::Light, move || project.refresh()).await,
        Err(fault) => Err(fault),
    };
    given(StatusCode::OK, refreshed)
}

async fn list_tasks(State(doors): State<Arc<Doors>>) -> Response {
    answered(StatusCode::OK, &json!(doors.tasks.all()))
}

async fn begin_task(State(doors): State<Arc<Doors>>, request: Request) -> Response {
    let checked = match object(&doors, request).await {
        Ok(parameters) => crate::parameters::check(&crate::doors::index_input(), parameters),
        Err(refused) => return refused,
    };
    let begun = checked.and_then(|parameters| {
        let request: TaskRequest = serde_json::from_value(Value::Object(parameters))
            .map_err(|e| Fault::new(FaultKind::Invalid, e.to_string()))?;
        doors.tasks.begin(&doors.projects, &request)
    });
    given(StatusCode::ACCEPTED, begun)
}

async fn get_task(State(doors): State<Arc<Doors>>, Path(id): Path<String>) -> Response {
    given(StatusCode::OK, doors.tasks.follow(&id).map(|now| now.borrow().clone()))
}

async fn cancel_task(State(doors): State<Arc<Doors>>, Path(id): Path<String>) -> Response {
    given(StatusCode::OK, doors.tasks.cancel(&id))
}

/// Every change of a task that is seen in time, and always the last one.
async fn follow_task(State(doors): State<Arc<Doors>>, Path(id): Path<String>) -> Response {
    // One that was merged is followed where the work is done.
    let follow = |id: &str| doors.tasks.follow(id);
    let merged_into = |now: &tokio::sync::watch::Receiver<crate::tasks::Task>| now.borrow().merged_into.clone();
    let now = follow(&id).and_then(|now| merged_into(&now).map_or(Ok(now), |into| follow(&into)));
    let mut now = match now {
        Ok(now) => now,
        Err(fault) => return faulty(&fault),
    };
    let (send, events) = tokio::sync::mpsc::channel(8);
    tokio::spawn(async move {
        loop {
            let task = now.borrow_and_update().clone();
            let event = Event::default().event("task").data(json!(task).to_string());
            // Whoever follows has left, or there is nothing more to come.
            if send.send(Ok::<_, Infallible>(event)).await.is_err()
                || !is_open(task.state)
                || now.changed().await.is_err()
            {
                return;
            }
        }
    });
    Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::default()).into_response()
}

async fn metrics(State(doors): State<Arc<Doors>>) -> Response {
    let text = doors.metrics.text(&doors.projects);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// Ready when every project can be asked.
async fn ready(State(doors): State<Arc<Doors>>) -> Response {
    let projects = doors.projects.infos();
    let waiting = projects.iter().any(|project| project.index.state == "indexing");
    let status = if waiting { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    answered(status, &json!({ "ready": !waiting, "projects": projects }))
}

/// Headers of a request, for those who look at them elsewhere.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
