//! The gRPC door, asked by a client that was made from the same `.proto`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cds_service::messages;
use messages::cds_client::CdsClient;
use messages::search_part::Part;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_stream::StreamExt;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_types::StatusExt;

use crate::fixture::Project;
use crate::service::{PATIENCE, Service};

/// A client and what it runs on.
pub(crate) struct Grpc {
    runtime: Runtime,
    channel: Channel,
}

/// A message, as the other doors say it.
fn said(message: &impl Serialize) -> Value {
    // By way of its text, so that numbers are those that the text has.
    serde_json::from_str(&serde_json::to_string(message).expect("it is written")).expect("it is JSON")
}

/// Parameters of the other doors as a message: under our names, and a list as a list.
fn asked<T: DeserializeOwned>(operation: &str, parameters: &Value) -> Request<T> {
    let operation = cds_service::find(operation).expect("it is in the table");
    let mut given = parameters.as_object().expect("an object").clone();
    let project = given.remove("project");
    let mut given = operation.check(given.clone()).unwrap_or(given);
    for (name, value) in &mut given {
        let types = &operation.input["properties"][name]["type"];
        if value.is_string() && types.as_array().is_some_and(|types| types.contains(&json!("array"))) {
            *value = json!([value]);
        }
    }
    if let Some(project) = project {
        let is_list = project.is_array() || !operation.has_hits();
        given.insert("project".to_owned(), if is_list { project } else { json!([project]) });
    }
    Request::new(serde_json::from_value(Value::Object(given)).expect("it is a message"))
}

/// An answer without what protobuf does not send: nothing, and lists of nothing.
pub(crate) fn plain(answer: Value) -> Value {
    match answer {
        Value::Object(members) => {
            let kept = members.into_iter().map(|(name, value)| (name, plain(value)));
            let is_empty = |value: &Value| value.is_null() || value == &json!([]) || value == &json!({});
            Value::Object(kept.filter(|(_, value)| !is_empty(value)).collect())
        }
        Value::Array(list) => list.into_iter().map(plain).collect(),
        other => other,
    }
}

/// A fault as the other doors say it.
fn fault(status: &Status) -> Value {
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| panic!("no details: {status:?}"));
    assert_eq!(info.domain, "cds");
    let data: BTreeMap<&String, &String> = info.metadata.iter().collect();
    json!({ "status": status.code() as i32, "code": info.reason, "message": status.message(), "data": data })
}

impl Grpc {
    pub(crate) fn connect(service: &Service) -> Grpc {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let endpoint = Endpoint::from_shared(format!("http://{}", service.address)).expect("an address");
        let channel = runtime.block_on(endpoint.timeout(PATIENCE).connect()).expect("it listens");
        Grpc { runtime, channel }
    }

    /// What an operation answers, or its fault.
    pub(crate) fn call(&self, operation: &str, parameters: &Value) -> Result<Value, Value> {
        let mut client = CdsClient::new(self.channel.clone());
        macro_rules! ask {
            ($method:ident) => {
                self.runtime.block_on(client.$method(asked(operation, parameters))).map(|a| said(a.get_ref()))
            };
        }
        let answer = match operation {
            "search" => ask!(search),
            "symbol" => ask!(symbol),
            "traverse" => ask!(traverse),
            "callers" => ask!(callers),
            "callees" => ask!(callees),
            "implementations" => ask!(implementations),
            "dependents" => ask!(dependents),
            "path" => ask!(path),
            "research" => ask!(research),
            "retrieve" => ask!(retrieve),
            "similar" => ask!(similar),
            "outline" => ask!(outline),
            "grep" => ask!(grep),
            "status" => ask!(status),
            "locagent_search" => ask!(locagent_search),
            "locagent_explore" => ask!(locagent_explore),
            "locagent_retrieve" => ask!(locagent_retrieve),
            "locagent_graph" => ask!(locagent_graph),
            other => panic!("{other} is not asked"),
        };
        answer.map_err(|status| fault(&status))
    }

    /// All tasks that are told of until the end.
    fn index(&self, force: bool) -> Vec<messages::Task> {
        let mut client = CdsClient::new(self.channel.clone());
        self.runtime.block_on(async {
            let request = messages::TaskRequest { force: Some(force), project: None };
            let tasks = client.index(request).await.expect("it is begun").into_inner();
            tasks.map(|task| task.expect("it is told")).collect().await
        })
    }
}

const TREE: &str = "\
//- src/a.py
def retry(work):
    return work()
//- src/b.py
from src.a import retry

def fetch(url):
    return retry(lambda: url)
";

#[test]
fn hits_come_one_by_one_and_then_the_rest() {
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let grpc = Grpc::connect(&service);
    let request = || messages::SearchRequest { query: "retry".to_owned(), ..Default::default() };
    let mut client = CdsClient::new(grpc.channel.clone());
    let whole = grpc.runtime.block_on(client.search(request())).expect("it is answered").into_inner();
    assert!(whole.hits.len() > 1);
    let parts: Vec<Part> = grpc.runtime.block_on(async {
        let parts = client.search_stream(request()).await.expect("it is answered").into_inner();
        parts.map(|part| part.expect("it comes").part.expect("it is one")).collect().await
    });
    let (last, hits) = parts.split_last().expect("parts");
    let Part::Rest(rest) = last else { panic!("{last:?}") };
    let hits: Vec<messages::Hit> = hits
        .iter()
        .map(|part| match part {
            Part::Hit(hit) => hit.clone(),
            Part::Rest(rest) => panic!("{rest:?}"),
        })
        .collect();
    assert_eq!(hits, whole.hits);
    let expect = messages::SearchResponse { hits: Vec::new(), timings_ms: rest.timings_ms.clone(), ..whole };
    assert_eq!(rest, &expect);
    // What is wrong is told before anything comes.
    let refused = grpc.runtime.block_on(client.search_stream(messages::SearchRequest::default()));
    assert_eq!(refused.expect_err("it is refused").message(), "query cannot be empty");
}

#[test]
fn faults_are_those_of_the_other_doors() {
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let grpc = Grpc::connect(&service);
    let check = |operation: &str, parameters: Value, status: Code| {
        let expect = service.post(&format!("/api/v1/{operation}"), &parameters).json()["error"].clone();
        let mut found = grpc.call(operation, &parameters).expect_err("it is refused");
        assert_eq!(found["status"], status as i32, "{found}");
        found.as_object_mut().expect("an object").remove("status");
        assert_eq!(plain(found), plain(expect), "{operation} {parameters}");
    };
    check("search", json!({ "query": "" }), Code::InvalidArgument);
    check("search", json!({ "query": "a", "limit": 0 }), Code::InvalidArgument);
    check("search", json!({ "query": "a", "mmr": 1.5 }), Code::InvalidArgument);
    check("search", json!({ "query": "a", "scope_depth": [1] }), Code::InvalidArgument);
    check("search", json!({ "query": "a", "preset": "no" }), Code::InvalidArgument);
    check("search", json!({ "query": "a", "lang": ["klingon"] }), Code::InvalidArgument);
    check("search", json!({ "query": "a", "set": { "no": 1.0 } }), Code::InvalidArgument);
    check("search", json!({ "query": "a", "project": "elsewhere" }), Code::NotFound);
    check("symbol", json!({ "name": "" }), Code::InvalidArgument);
    check("grep", json!({ "pattern": "(" }), Code::InvalidArgument);
    check("traverse", json!({ "from": "Nobody" }), Code::NotFound);
    check("outline", json!({ "path": "no/such.py" }), Code::NotFound);
    // What JSON cannot say.
    let request = messages::SearchRequest { query: "a".to_owned(), mmr: Some(f32::NAN), ..Default::default() };
    let refused = grpc.runtime.block_on(CdsClient::new(grpc.channel.clone()).search(request)).expect_err("no number");
    assert_eq!(refused.message(), "mmr: expected number, at least 0, at most 1, received \"NaN\"");
    // A message longer than headers may be is cut, and comes.
    let found = grpc.call("outline", &json!({ "path": "ü".repeat(8_000) })).expect_err("there is none");
    assert_eq!(found["code"], "not_found");
}

#[test]
fn several_projects_are_asked_at_once() {
    let one = Project::new(TREE);
    let two = Project::new("//- bank/account.py\ndef retry_transfer():\n    return 1\n");
    let (first, second) = (one.root().display().to_string(), two.root().display().to_string());
    let service = Service::start(&one, &[&first, &second]);
    let grpc = Grpc::connect(&service);
    for project in [json!("*"), json!(["project", "project-2"]), json!("project-2"), json!([second])] {
        let parameters = json!({ "query": "retry", "project": project });
        let mut expect = service.rpc("search", &parameters).expect("it is answered");
        let mut found = grpc.call("search", &parameters).expect("it is answered");
        for answer in [&mut expect, &mut found] {
            answer.as_object_mut().expect("an object").remove("timings_ms");
        }
        assert_eq!(plain(found), plain(expect), "{project}");
    }
    let error = grpc.call("search", &json!({ "query": "retry" })).expect_err("which one must be said");
    assert_eq!((&error["code"], &error["data"]["field"]), (&json!("invalid_parameter"), &json!("project")));
}

#[test]
fn indexing_is_told_until_it_ends_and_stops_when_nobody_listens() {
    let project = Project::new(TREE);
    for i in 0..400 {
        project.write(&format!("many/m{i}.py"), format!("def f{i}(x):\n    return g{i}(x)\n").repeat(40));
    }
    let service = Service::start(&project, &["--no-watch"]);
    let grpc = Grpc::connect(&service);
    let tasks = grpc.index(false);
    let last = tasks.last().expect("at least one");
    assert_eq!((last.id.as_str(), last.state.as_str(), last.files), ("1", "completed", Some(402)), "{tasks:?}");
    assert_eq!(said(last), service.get("/api/v1/tasks/1").json());
    // Another that asks for the same follows the first; leaving stops nothing that is not theirs.
    let mut client = CdsClient::new(grpc.channel.clone());
    let force = || messages::TaskRequest { force: Some(true), project: None };
    grpc.runtime.block_on(async {
        let mut own = client.index(force()).await.expect("it is begun").into_inner();
        let begun = own.message().await.expect("it is told").expect("a task");
        assert_eq!((begun.id.as_str(), begun.force), ("2", true));
        let mut other = client.index(force()).await.expect("it is begun").into_inner();
        let merged = other.message().await.expect("it is told").expect("a task");
        assert_eq!((merged.state.as_str(), merged.merged_into.as_deref()), ("merged", Some("2")));
        let followed = other.message().await.expect("it is told").expect("a task");
        assert_eq!(followed.id, "2");
        drop(other);
        let mut last = begun;
        while let Some(task) = own.message().await.expect("it is told") {
            last = task;
        }
        assert_eq!(last.state, "completed");
        // Who began it and leaves stops it.
        let mut own = client.index(force()).await.expect("it is begun").into_inner();
        let begun = own.message().await.expect("it is told").expect("a task");
        assert_eq!(begun.id, "4");
    });
    let until = Instant::now() + PATIENCE;
    loop {
        // The runtime of the client says that it left.
        grpc.runtime.block_on(async { tokio::time::sleep(Duration::from_millis(20)).await });
        let state = service.get("/api/v1/tasks/4").json()["state"].clone();
        if state == "cancelled" {
            break;
        }
        assert!(state == "pending" || state == "running", "{state}");
        assert!(Instant::now() < until, "it goes on");
    }
    assert!(grpc.call("search", &json!({ "query": "retry" })).is_ok());
}

#[test]
fn health_and_reflection_are_answered() {
    let project = Project::new(TREE);
    let service = Service::start(&project, &[]);
    let Grpc { runtime, channel } = Grpc::connect(&service);
    let mut health = HealthClient::new(channel.clone());
    let asked = |service: &str| HealthCheckRequest { service: service.to_owned() };
    let mut check = |service: &str| {
        let answer = runtime.block_on(health.check(asked(service)));
        answer.map(|answer| answer.into_inner().status().as_str_name().to_owned()).map_err(|status| status.code())
    };
    assert_eq!(check("").as_deref(), Ok("SERVING"));
    assert_eq!(check("cds.v1.Cds").as_deref(), Ok("SERVING"));
    assert_eq!(check("elsewhere"), Err(Code::NotFound));
    let watched = runtime.block_on(async {
        let mut watched = health.watch(asked("cds.v1.Cds")).await.expect("it is answered").into_inner();
        watched.message().await.expect("it is told").expect("a status")
    });
    assert_eq!(watched.status().as_str_name(), "SERVING");
    let mut reflection = ServerReflectionClient::new(channel);
    let mut tell = |message| {
        let request = ServerReflectionRequest { host: String::new(), message_request: Some(message) };
        runtime.block_on(async {
            let asked = tokio_stream::once(request);
            let mut told = reflection.server_reflection_info(asked).await.expect("it is answered").into_inner();
            told.message().await.expect("it is told").expect("an answer").message_response.expect("one")
        })
    };
    let MessageResponse::ListServicesResponse(list) = tell(MessageRequest::ListServices(String::new())) else {
        panic!("no list")
    };
    let mut names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["cds.v1.Cds", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"]);
    let symbol = MessageRequest::FileContainingSymbol("cds.v1.SearchRequest".to_owned());
    assert!(
        matches!(tell(symbol), MessageResponse::FileDescriptorResponse(file) if file.file_descriptor_proto.len() == 1)
    );
}

#[test]
fn only_those_are_answered_who_may_ask() {
    let project = Project::new(TREE);
    let service = Service::start_with(&project, &[], &[("CDS_TOKEN", "a secret word")]);
    let Grpc { runtime, channel } = Grpc::connect(&service);
    let status = |word: Option<&str>, origin: Option<&str>| {
        let mut request = Request::new(messages::StatusRequest::default());
        for (name, value) in [("authorization", word), ("origin", origin)] {
            if let Some(value) = value {
                let value: MetadataValue<Ascii> = value.parse().expect("a header");
                request.metadata_mut().insert(name, value);
            }
        }
        let answer = runtime.block_on(CdsClient::new(channel.clone()).status(request));
        answer.map(|answer| answer.metadata().contains_key("x-cds-api-version")).map_err(|status| status.code())
    };
    assert_eq!(status(Some("Bearer a secret word"), None), Ok(true));
    assert_eq!(status(Some("Bearer a secret wore"), None), Err(Code::Unauthenticated));
    assert_eq!(status(None, None), Err(Code::Unauthenticated));
    assert_eq!(status(Some("Bearer a secret word"), Some("https://evil.example")), Err(Code::PermissionDenied));
    let origin = Endpoint::from_shared(format!("http://{}", service.address)).expect("an address");
    let origin = origin.origin("http://evil.example".parse().expect("an address"));
    let other = runtime.block_on(origin.connect()).expect("it listens");
    let refused = runtime.block_on(CdsClient::new(other).status(messages::StatusRequest::default()));
    assert_eq!(refused.expect_err("another name").code(), Code::PermissionDenied);
    // Whether it lives may be asked by anybody; what it can do may not.
    assert!(runtime.block_on(HealthClient::new(channel.clone()).check(HealthCheckRequest::default())).is_ok());
    let watch = runtime.block_on(HealthClient::new(channel).watch(HealthCheckRequest::default()));
    assert_eq!(watch.expect_err("it is refused").code(), Code::Unauthenticated);
    // Pages of other sites can send this much without asking; they are not let in by this door either.
    let word = ("Authorization", "Bearer a secret word");
    for kind in ["text/plain", "application/json", "application/grpc"] {
        let answer = service.send("POST", "/cds.v1.Cds/Index", &[word, ("Content-Type", kind)], b"\0\0\0\0\0");
        assert_eq!(answer.status, 415, "{kind}");
    }
}
