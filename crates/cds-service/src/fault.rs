//! What a door says when it says no: one catalogue, spelled as each protocol spells it.

use cds_engine::{Error, ErrorKind};
use serde_json::{Value, json};

/// Why a request was not answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which row of the catalogue.
    pub kind: FaultKind,
    /// What happened and what to do.
    pub message: String,
    /// `field`, `expected` and `received` of a parameter, where one is at fault.
    pub data: Option<Value>,
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The body is not JSON.
    NotJson,
    /// It is JSON, but no request.
    NotRequest,
    /// There is no such operation.
    NoOperation,
    /// A parameter is wrong.
    Invalid,
    /// There is no index, or it cannot be read.
    NotReady,
    /// There is no such entity, file, project or task.
    NotFound,
    /// It took too long.
    Timeout,
    /// Somebody else is at it, or too many ask at once.
    Busy,
    /// It was cancelled.
    Cancelled,
    /// A model or a service behind it cannot be used.
    Model,
    /// The disk said no.
    Io,
    /// A fault of cds.
    Internal,
}

/// Kind, JSON-RPC code, HTTP status, gRPC code, name.
const CATALOGUE: &[(FaultKind, i64, u16, i32, &str)] = &[
    (FaultKind::NotJson, -32700, 400, 3, "not_json"),
    (FaultKind::NotRequest, -32600, 400, 3, "not_a_request"),
    (FaultKind::NoOperation, -32601, 404, 12, "no_such_operation"),
    (FaultKind::Invalid, -32602, 400, 3, "invalid_parameter"),
    (FaultKind::NotReady, -32001, 409, 9, "index_not_found"),
    (FaultKind::NotFound, -32002, 404, 5, "not_found"),
    (FaultKind::Timeout, -32004, 504, 4, "timeout"),
    (FaultKind::Busy, -32005, 503, 14, "busy"),
    (FaultKind::Cancelled, -32006, 503, 1, "cancelled"),
    (FaultKind::Model, -32007, 502, 14, "model"),
    (FaultKind::Io, -32008, 500, 13, "io"),
    (FaultKind::Internal, -32603, 500, 13, "internal"),
];

impl FaultKind {
    fn row(self) -> &'static (FaultKind, i64, u16, i32, &'static str) {
        CATALOGUE.iter().find(|row| row.0 == self).expect("every kind has a row")
    }

    /// The code of JSON-RPC.
    pub fn code(self) -> i64 {
        self.row().1
    }

    /// The status of HTTP.
    pub fn status(self) -> u16 {
        self.row().2
    }

    /// The code of gRPC.
    pub fn grpc(self) -> i32 {
        self.row().3
    }

    /// One word.
    pub fn name(self) -> &'static str {
        self.row().4
    }
}

impl Fault {
    /// A fault without data.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into(), data: None }
    }

    /// A parameter that is not what it should be.
    pub fn parameter(field: &str, expected: &str, received: &str) -> Fault {
        Fault {
            kind: FaultKind::Invalid,
            message: format!("{field}: expected {expected}, received {received}"),
            data: Some(json!({ "field": field, "expected": expected, "received": received })),
        }
    }

    /// As the body of an answer over HTTP.
    pub fn body(&self) -> Value {
        let mut error = json!({ "code": self.kind.name(), "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "error": error })
    }

    /// As the error of an answer in JSON-RPC.
    pub fn rpc(&self) -> Value {
        let mut error = json!({ "code": self.kind.code(), "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        let kind = match error.kind {
            ErrorKind::Invalid => FaultKind::Invalid,
            ErrorKind::NotFound => FaultKind::NotFound,
            ErrorKind::NotReady => FaultKind::NotReady,
            ErrorKind::Busy => FaultKind::Busy,
            ErrorKind::Cancelled => FaultKind::Cancelled,
            ErrorKind::Timeout => FaultKind::Timeout,
            ErrorKind::Model => FaultKind::Model,
            ErrorKind::Io => FaultKind::Io,
            ErrorKind::Internal => FaultKind::Internal,
        };
        Fault::new(kind, error.message)
    }
}
