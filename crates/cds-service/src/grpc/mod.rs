//! gRPC: the table once more, with messages that have types. Every call goes the way of the other doors: its message becomes the
//! parameters, [`Doors::call`] answers, and the answer becomes a message.
//!
//! It shares the port of HTTP, told apart by the first bytes of a connection, so that there is one address to know, one guard and one
//! set of limits.

mod health;
mod json;

/// What `cargo xtask codegen` made of `proto/cds/v1/cds.proto`: messages, a client, and what a server must answer.
#[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub)]
#[rustfmt::skip]
#[path = "../generated/cds.v1.rs"]
pub mod messages;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Version, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_stream::wrappers::ReceiverStream;
use tonic::codegen::BoxStream;
use tonic::server::NamedService;
use tonic::{Code, Status};
use tonic_health::pb::health_server::HealthServer;
use tonic_types::{ErrorDetails, StatusExt};

use crate::doors::Doors;
use crate::fault::{Fault, FaultKind};
use crate::http::text;
use crate::tasks::is_open;
use messages::cds_server::{Cds, CdsServer};
use messages::search_part::Part;

/// Our own messages, for clients that ask what there is.
const DESCRIPTORS: &[u8] = include_bytes!("../generated/cds.v1.bin");

/// Bytes before a message: whether it is compressed, and how long it is.
const PREFIX: usize = 5;

/// Bytes of a fault's message. It is sent twice, in headers, of which many clients take 8 KB.
const MESSAGE: usize = 1_500;

/// The routes of gRPC. The guard stands before them, as before all others.
pub(crate) fn routes(doors: &Arc<Doors>) -> Router<Arc<Doors>> {
    let cds = CdsServer::new(Door(Arc::clone(doors))).max_decoding_message_size(doors.limits.body);
    let health = HealthServer::new(health::Ready(Arc::clone(doors)));
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    // Clients ask in the words of either version.
    let new = reflection().build_v1().expect("the descriptors are ours");
    let old = reflection().build_v1alpha().expect("the descriptors are ours");
    Router::new()
        .route_service(&path(&cds), cds)
        .route_service(&path(&health), health)
        .layer(from_fn_with_state(Arc::clone(doors), whole))
        // Questions about messages come one after another on an open stream.
        .route_service(&path(&new), new)
        .route_service(&path(&old), old)
        .layer(from_fn(only_grpc))
}

fn path<S: NamedService>(_: &S) -> String {
    format!("/{}/{{*method}}", S::NAME)
}

/// Whether a request is meant for this door.
pub(crate) fn is_meant(request: &Request) -> bool {
    text(request.headers(), header::CONTENT_TYPE.as_str()).is_some_and(|kind| kind.starts_with("application/grpc"))
}

/// Turns away what a browser can send without asking first, and what has no trailers to say how it went.
async fn only_grpc(request: Request, next: Next) -> Response {
    if is_meant(&request) && request.version() == Version::HTTP_2 {
        return next.run(request).await;
    }
    let message = "this path is for gRPC: HTTP/2, and content-type application/grpc";
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, message).into_response()
}

/// Reads a request as a whole before it is answered, with the limits of the other doors on its size and on who may linger.
async fn whole(State(doors): State<Arc<Doors>>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, doors.limits.body + PREFIX).collect();
    let refused = match tokio::time::timeout(doors.limits.head, body).await {
        Ok(Ok(body)) => return next.run(Request::from_parts(head, Body::from(body.to_bytes()))).await,
        Ok(Err(e)) if e.is::<LengthLimitError>() => Status::resource_exhausted("the body is too large"),
        Ok(Err(_)) => Status::invalid_argument("the body could not be read"),
        Err(_) => Status::deadline_exceeded("the request did not come in time"),
    };
    refused.into_http()
}

/// Says no as gRPC does, to a request that the guard turned away.
pub(crate) fn refused(status: StatusCode, message: &str) -> Response {
    let code = match status {
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::BAD_REQUEST => Code::InvalidArgument,
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Code::ResourceExhausted,
        _ => Code::PermissionDenied,
    };
    Status::new(code, message).into_http()
}

/// Says that there is no such operation.
pub(crate) fn unknown(path: &str) -> Response {
    let message = format!("no operation {path:?}: ask for what there is by reflection");
    Status::from(Fault::new(FaultKind::NoOperation, message)).into_http()
}

impl From<Fault> for Status {
    fn from(fault: Fault) -> Status {
        let members = fault.data.as_ref().and_then(Value::as_object).into_iter().flatten();
        let data: HashMap<String, String> = members
            .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
            .collect();
        let details = ErrorDetails::with_error_info(fault.kind.name(), "cds", data);
        let message = match fault.message.len() {
            0..=MESSAGE => fault.message,
            _ => format!("{}…", &fault.message[..fault.message.floor_char_boundary(MESSAGE)]),
        };
        Status::with_error_details(Code::from_i32(fault.kind.grpc()), message, details)
    }
}

/// What answers.
struct Door(Arc<Doors>);

impl Door {
    async fn call<T: DeserializeOwned>(&self, operation: &str, asked: &impl Serialize) -> Result<T, Status> {
        let answer = self.0.call(operation, json::parameters(asked)?).await?;
        Ok(json::message(answer)?)
    }
}

/// A method of the service for each operation of the table. Whatever the table has and this has not does not compile.
macro_rules! answer {
    ($($operation:ident: $asked:ident => $answered:ident,)*) => {
        #[tonic::async_trait]
        impl Cds for Door {
            $(
                async fn $operation(
                    &self,
                    request: tonic::Request<messages::$asked>,
                ) -> Result<tonic::Response<messages::$answered>, Status> {
                    self.call(stringify!($operation), request.get_ref()).await.map(tonic::Response::new)
                }
            )*

            type SearchStreamStream = BoxStream<messages::SearchPart>;

            async fn search_stream(
                &self,
                request: tonic::Request<messages::SearchRequest>,
            ) -> Result<tonic::Response<Self::SearchStreamStream>, Status> {
                let mut rest: messages::SearchResponse = self.call("search", request.get_ref()).await?;
                let hits = std::mem::take(&mut rest.hits).into_iter().map(Part::Hit);
                let parts = hits.chain([Part::Rest(rest)]).map(|part| Ok(messages::SearchPart { part: Some(part) }));
                Ok(tonic::Response::new(Box::pin(tokio_stream::iter(parts))))
            }

            type IndexStream = ReceiverStream<Result<messages::Task, Status>>;

            async fn index(
                &self,
                request: tonic::Request<messages::TaskRequest>,
            ) -> Result<tonic::Response<Self::IndexStream>, Status> {
                let begun = self.call("index", request.get_ref()).await?;
                Ok(tonic::Response::new(self.follow(begun)?))
            }
        }
    };
}

answer! {
    search: SearchRequest => SearchResponse,
    symbol: SymbolRequest => SymbolResponse,
    traverse: TraverseRequest => GraphResponse,
    callers: TraverseRequest => GraphResponse,
    callees: TraverseRequest => GraphResponse,
    implementations: TraverseRequest => GraphResponse,
    dependents: TraverseRequest => GraphResponse,
    path: PathRequest => GraphResponse,
    retrieve: RetrieveRequest => RetrieveResponse,
    research: ResearchRequest => ResearchResponse,
    similar: SimilarRequest => SearchResponse,
    outline: OutlineRequest => OutlineResponse,
    grep: GrepRequest => GrepResponse,
    status: StatusRequest => StatusResponse,
    locagent_search: LocagentSearchRequest => LocagentText,
    locagent_explore: LocagentExploreRequest => LocagentText,
    locagent_retrieve: LocagentRetrieveRequest => LocagentText,
    locagent_graph: LocagentGraphRequest => LocagentGraphResponse,
}

impl Door {
    /// Every change of a task that is seen in time, and always the last one. Who began it and leaves has changed their mind.
    fn follow(&self, begun: messages::Task) -> Result<ReceiverStream<Result<messages::Task, Status>>, Status> {
        let (id, is_own) = match &begun.merged_into {
            Some(other) => (other.clone(), false),
            None => (begun.id.clone(), true),
        };
        let mut now = self.0.tasks.follow(&id)?;
        let tasks = Arc::clone(&self.0.tasks);
        let (send, updates) = tokio::sync::mpsc::channel(8);
        tokio::spawn(async move {
            let mut left = !is_own && send.send(Ok(begun)).await.is_err();
            while !left {
                let task = now.borrow_and_update().clone();
                left = send.send(json::message(json!(task)).map_err(Status::from)).await.is_err();
                if !is_open(task.state) {
                    return;
                }
                tokio::select! {
                    changed = now.changed() => if changed.is_err() { return },
                    () = send.closed() => left = true,
                }
            }
            if is_own {
                let _ = tasks.cancel(&id);
            }
        });
        Ok(ReceiverStream::new(updates))
    }
}
