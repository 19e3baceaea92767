//! The doors: JSON-RPC, HTTP with OpenAPI, MCP and gRPC, all projections of one table of operations.
//!
//! This is the only crate that is asynchronous and the only one that knows a protocol. [`Doors`] stands behind all of them: projects,
//! tasks and one way to call an operation. A new protocol is a module here; a new operation is a row of [`OPERATIONS`].

mod admission;
mod aliases;
mod beside;
mod compact;
mod connections;
mod doors;
mod fault;
#[cfg(feature = "grpc")]
mod grpc;
mod guard;
mod http;
#[cfg(any(test, not(feature = "grpc")))]
mod http1_only;
mod locagent;
mod mcp;
mod metrics;
mod openapi;
mod operations;
mod parameters;
mod projects;
mod proto;
mod registry;
mod roots;
mod rpc;
mod serve;
mod stall;
mod tasks;

pub use beside::refresh;
pub use doors::{Doors, Limits, Log};
pub use fault::{Fault, FaultKind};
#[cfg(feature = "grpc")]
pub use grpc::messages;
pub use guard::Guard;
pub use http::router;
pub use mcp::{ToolSet, over_stdio};
pub use metrics::Metrics;
pub use openapi::document as openapi;
pub use operations::{OPERATIONS, Operation, find};
pub use projects::{Keeping, Project, ProjectInfo, Projects, State, Warn};
pub use proto::document as proto;
pub use registry::Registry;
pub use rpc::answer as json_rpc;
pub use serve::{Listen, serve};
pub use tasks::{Task, TaskRequest, TaskState, Tasks};
