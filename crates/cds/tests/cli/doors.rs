//! Every door gives the same answers: CLI, JSON-RPC, HTTP, MCP and gRPC, each as a real client meets it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{Project, asked};
use crate::service::{Mcp, Service};

const SHOP: &str = "\
//- shop/cart.py
from shop.money import Money, parse

class Cart:
    \"\"\"Holds what a customer wants.\"\"\"

    def __init__(self):
        self.items = []

    def add(self, item, count=1):
        \"\"\"Adds an item; retries when the stock is locked.\"\"\"
        for attempt in range(3):
            self.items.append((item, count))

    def total(self):
        return Money(sum(parse(price) for price, _ in self.items))

class GiftCart(Cart):
    def total(self):
        return Money(0)
//- shop/money.py
class Money:
    def __init__(self, cents):
        self.cents = cents

def parse(text):
    return int(text)
//- shop/web.ts
import { retry } from './retry';

export interface Handler { handle(path: string): string }

export class Router implements Handler {
  handle(path: string): string {
    return retry(() => path.toUpperCase());
  }
}
//- shop/retry.ts
export function retry<T>(work: () => T, times = 3): T {
  for (let i = 0; i < times; i++) {
    try { return work(); } catch (error) { if (i + 1 === times) throw error; }
  }
  throw new Error('never');
}
//- tests/test_cart.py
from shop.cart import Cart

def test_total():
    assert Cart().total().cents == 0
//- README.md
# Shop

How carts are added up.
";

/// What is asked: the operation, the command line, and the parameters that say the same.
fn requests() -> Vec<(&'static str, Vec<&'static str>, Value)> {
    let row = |operation, line: &'static str, parameters: Value| {
        (operation, line.split(' ').map(|word| word.trim_matches('\'')).collect(), parameters)
    };
    vec![
        row("search", "search retry", json!({ "query": "retry" })),
        row("search", "search cart total", json!({ "query": "cart total" })),
        row("search", "search retry --limit 1", json!({ "query": "retry", "limit": 1 })),
        row("search", "search retry --limit 2", json!({ "query": "retry", "top_k": 2 })),
        row("search", "search retry --lang typescript", json!({ "query": "retry", "lang": ["typescript"] })),
        row("search", "search retry --lang python", json!({ "query": "retry", "languages": "python" })),
        row("search", "search total --path 'shop/**'", json!({ "query": "total", "path": "shop/**" })),
        row("search", "search total --path shop", json!({ "query": "total", "path_prefix": "shop" })),
        row("search", "search total --exclude 'tests/**'", json!({ "query": "total", "exclude": ["tests/**"] })),
        row("search", "search cart --type class", json!({ "query": "cart", "entity_types": ["class"] })),
        row("search", "search cart --kind method", json!({ "query": "cart", "kind": "method" })),
        row("search", "search total --is-test true", json!({ "query": "total", "is_test": true })),
        row("search", "search total --is-test false", json!({ "query": "total", "is_test": false })),
        row("search", "search cart --granularity document", json!({ "query": "cart", "granularity": "document" })),
        row(
            "search",
            "search cart --granularity both --files 1",
            json!({ "query": "cart", "granularity": "both", "files": 1 }),
        ),
        row("search", "search cart --chunks-per-file 1", json!({ "query": "cart", "chunks_per_file": 1 })),
        row("search", "search cart --preset dense", json!({ "query": "cart", "preset": "dense" })),
        row("search", "search cart --preset bm25", json!({ "query": "cart", "preset": "bm25" })),
        row("search", "search cart --snippet full", json!({ "query": "cart", "snippet": "full" })),
        row("search", "search cart --snippet preview", json!({ "query": "cart", "snippet": "preview" })),
        row("search", "search retry --depth 1", json!({ "query": "retry", "max_depth": 1 })),
        row("search", "search cart --max-tokens 60", json!({ "query": "cart", "max_tokens": 60 })),
        row("search", "search cart --cursor 1", json!({ "query": "cart", "cursor": "1" })),
        row("search", "search cart --node-name 'tot*'", json!({ "query": "cart", "node_name": "tot*" })),
        row("search", "search cart --min-similarity 0.2", json!({ "query": "cart", "min_similarity": 0.2 })),
        row("search", "search where are things tried again", json!({ "query": "where are things tried again" })),
        row("search", "search cart --limit 2", json!({ "query": "cart", "limit": "2" })),
        row(
            "search",
            "search cart --snippet fold,preview,full",
            json!({ "query": "cart", "snippet": "fold,preview,full" }),
        ),
        // Requests as other tools write them.
        row("search", "search cart --node-name 'tot*'", json!({ "query": "cart", "node_name_pattern": "tot*" })),
        row(
            "search",
            "search total --parent-context Cart",
            json!({ "query": "total", "parent_context_pattern": "Cart" }),
        ),
        row(
            "search",
            "search cart --granularity document --files 1",
            json!({ "query": "cart", "granularity": "document", "file_limit": 1 }),
        ),
        row("search", "search cart --chunks-per-file 1", json!({ "query": "cart", "max_per_file": 1 })),
        row(
            "search",
            "search cart --preset cds-index --upper-threshold 0",
            json!({ "query": "cart", "preset": "cds-index", "use_bm25_fallback": false }),
        ),
        row(
            "search",
            "search cart --preset cds-index",
            json!({ "query": "cart", "preset": "cds-index", "use_bm25_fallback": true }),
        ),
        row("search", "search cart total", json!({ "search_terms": ["cart", "total"], "expanded": true })),
        row("search", "search total --path shop", json!({ "query": "total", "file_path_or_pattern": "shop" })),
        row(
            "search",
            "search retry --path .ts",
            json!({ "query": "retry", "extensions": "ts", "expand_query": false }),
        ),
        row(
            "search",
            "search retry --lang typescript --path shop",
            json!({ "query": "retry", "filter": { "languages": ["typescript"], "path_prefix": "shop" } }),
        ),
        row("search", "search cart --snippet full", json!({ "query": "cart", "include_content": true })),
        row("search", "search cart --granularity chunk", json!({ "query": "cart", "group_by_file": true })),
        row("search", "search retry --depth 2", json!({ "query": "retry", "multi_hop": true, "format": "toon" })),
        row(
            "traverse",
            "traverse Cart.total --direction backward --depth 1 --edge invoke --type function",
            json!({
                "start_entities": ["Cart.total"], "direction": "upstream", "traversal_depth": 1,
                "dependency_type_filter": ["invokes"], "entity_type_filter": ["function"],
            }),
        ),
        row("traverse", "traverse Cart.total --edges invoke", json!({ "from": "Cart.total", "edge": "invoke" })),
        row(
            "retrieve",
            "retrieve shop/cart.py:3 shop/cart.py:5",
            json!({ "file_path_or_pattern": "shop/cart.py", "line_nums": [3, 5] }),
        ),
        row("symbol", "symbol Cart", json!({ "name": "Cart" })),
        row("symbol", "symbol 'to*'", json!({ "name": "to*" })),
        row("symbol", "symbol cart --ignore-case", json!({ "symbol": "cart", "ignore_case": true })),
        row("symbol", "symbol Carr --fuzzy", json!({ "name": "Carr", "fuzzy": true })),
        row("traverse", "traverse Cart.total", json!({ "from": ["Cart.total"] })),
        row("traverse", "traverse retry --direction backward", json!({ "from": "retry", "direction": "backward" })),
        row("callers", "callers retry", json!({ "from": "retry" })),
        row("callees", "callees Cart.total", json!({ "from": "Cart.total" })),
        row("implementations", "implementations Handler", json!({ "from": "Handler" })),
        row("dependents", "dependents shop/money.py", json!({ "from": "shop/money.py" })),
        row("path", "path test_total Money", json!({ "from": "test_total", "to": "Money" })),
        row("retrieve", "retrieve shop/cart.py:Cart.total", json!({ "ids": "shop/cart.py:Cart.total" })),
        row("retrieve", "retrieve shop/cart.py:1-4 shop/no.py", json!({ "ids": ["shop/cart.py:1-4", "shop/no.py"] })),
        row("outline", "outline shop/cart.py", json!({ "path": "shop/cart.py" })),
        row("outline", "outline shop", json!({ "path": "shop" })),
        row("grep", "grep retr", json!({ "pattern": "retr" })),
        row(
            "grep",
            "grep RETRY --ignore-case --lang typescript",
            json!({ "pattern": "RETRY", "ignore_case": true, "lang": "typescript" }),
        ),
        row("similar", "similar shop/cart.py:10", json!({ "place": "shop/cart.py:10" })),
        row("research", "research Cart.total", json!({ "query": "Cart.total" })),
        row(
            "research",
            "research what would break if parse changed",
            json!({ "query": "what would break if parse changed" }),
        ),
        row(
            "research",
            "research which tests reach Money --depth 4",
            json!({ "query": "which tests reach Money", "depth": 4 }),
        ),
        row(
            "research",
            "research path from test_total to Money",
            json!({ "question": "path from test_total to Money" }),
        ),
        row("research", "research what implements Handler", json!({ "query": "what implements Handler" })),
        row(
            "research",
            "research what depends on shop --limit 1",
            json!({ "query": "what depends on shop", "top_k": 1 }),
        ),
        row("research", "research dependency map", json!({ "query": "dependency map" })),
        row("research", "research Cart --focus patterns", json!({ "query": "Cart", "focus": "patterns" })),
        row(
            "research",
            "research retry --certainty typed --lang typescript --max-tokens 90",
            json!({ "query": "retry", "certainty": "typed", "lang": "typescript", "max_tokens": 90 }),
        ),
        row(
            "research",
            "research how are prices added up --focus flow",
            json!({ "query": "how are prices added up", "focus": "flow" }),
        ),
    ]
}

#[test]
fn b10_names_of_other_tools_are_described_and_deprecated() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let mut mcp = Mcp::start(&project, &[]);
    let schema = |operation: &str| {
        let api = service.get("/api/openapi.json").json();
        api["paths"][format!("/api/v1/{operation}")]["post"]["requestBody"]["content"]["application/json"]["schema"]
            .clone()
    };
    let search = schema("search");
    let property = |name: &str| &search["properties"][name];
    assert_eq!((&property("top_k")["deprecated"], &property("limit")["deprecated"]), (&json!(true), &Value::Null));
    assert_eq!(property("use_bm25_fallback")["type"], json!(["boolean", "null"]));
    // A request needs one of the names of what is required, and may write a number as text.
    assert_eq!(search["allOf"][0]["anyOf"][0], json!({ "required": ["query"] }));
    assert!(search["allOf"][0]["anyOf"].as_array().is_some_and(|any| any.contains(&json!({ "required": ["text"] }))));
    assert_eq!(property("limit")["anyOf"][1]["pattern"], "^-?[0-9]+$");
    let way = schema("path");
    assert_eq!(way["required"], json!(["to"]));
    let tools = mcp.ask("tools/list", &json!({}));
    let tool = tools["result"]["tools"].as_array().and_then(|tools| tools.iter().find(|t| t["name"] == "search_code"));
    let properties = &tool.expect("it is there")["inputSchema"]["properties"];
    let about = |name: &str| properties[name]["description"].as_str().unwrap_or_default().to_owned();
    assert!(about("limit").contains("`top_k`") && about("upper_threshold").contains("`use_bm25_fallback`"));

    let refused = |parameters: Value, expect: &str| {
        let answer = service.post("/api/v1/search", &parameters);
        assert_eq!((answer.status, &answer.json()["error"]["message"]), (400, &json!(expect)), "{parameters}");
    };
    refused(json!({ "query": "a", "top_k": "x" }), "top_k: expected integer, at least 1, at most 1000, received \"x\"");
    refused(
        json!({ "query": "a", "limit": 1, "top_k": 2 }),
        "limit: expected one value, received two, under two names",
    );
    refused(
        json!({ "query": "a", "filter": { "size": 1 } }),
        "filter.size: expected a filter, received an unknown name",
    );
    refused(json!({ "query": "a", "multi_hop": 1 }), "multi_hop: expected boolean, received 1");
    let lines = service.post("/api/v1/retrieve", &json!({ "line_nums": [1] }));
    assert_eq!(lines.status, 400, "{}", lines.body);
}

#[test]
fn c3_names_alone_answer_where_bm25_is_left_out() {
    let project = Project::new("//- a.py\ndef connect():\n    pass\n\n\ndef other():\n    \"\"\"Will connect.\"\"\"\n");
    let service = Service::start(&project, &[]);
    let names = |fallback: Value| {
        let given = json!({ "query": "connect", "preset": "cds-index", "use_bm25_fallback": fallback });
        let answer = service.post("/api/v1/search", &given).json();
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| (hit["name"].clone(), hit["matched_terms"].clone())).collect::<Vec<_>>()
    };
    let connect = (json!("connect"), json!(["connect"]));
    assert_eq!(names(json!(false)), std::slice::from_ref(&connect));
    let both = [connect, (json!("other"), json!(["connect"]))];
    assert_eq!((names(json!(true)), names(Value::Null)), (both.to_vec(), both.to_vec()));
}

#[test]
fn an_absolute_path_selects_its_project() {
    let one = Project::new("//- src/a.py\ndef retry_one():\n    pass\n//- lib/b.py\ndef retry_lib():\n    pass\n");
    let two = Project::new("//- a.py\ndef retry_two():\n    pass\n");
    let folder = |project: &Project| project.root().canonicalize().unwrap().display().to_string();
    let (first, second) = (folder(&one), folder(&two));
    let service = Service::start(&one, &[&first, &second]);
    let names = |path: &str| {
        let given = json!({ "query": "retry", "path": path });
        let answer = service.post("/api/v1/search", &given).json();
        let mut names: Vec<String> =
            answer["hits"].as_array().into_iter().flatten().map(|hit| hit["name"].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&second), ["\"retry_two\""]);
    assert_eq!(names(&first), ["\"retry_lib\"", "\"retry_one\""]);
    assert_eq!(names(&format!("{first}/src")), ["\"retry_one\""]);
    let outline = service.post("/api/v1/outline", &json!({ "path": format!("{first}/src/a.py") })).json();
    assert_eq!(outline["files"][0]["path"], "src/a.py", "{outline}");
    let outside = one.home().canonicalize().unwrap().display().to_string();
    assert_eq!(service.post("/api/v1/search", &json!({ "query": "retry", "path": outside })).status, 404);
    let mixed = json!({ "query": "retry", "path": first, "project": second });
    assert_eq!(service.post("/api/v1/search", &mixed).status, 400);
}

/// An answer without what differs from one moment to the next.
fn settled(mut answer: Value) -> Value {
    if let Some(object) = answer.as_object_mut() {
        object.remove("timings_ms");
        object.remove("follow_ups");
        object.retain(|_, value| !value.is_null());
    }
    answer
}

/// What is found, in order.
fn found(answer: &Value) -> Vec<String> {
    let of = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
    let findings: Vec<Value> =
        of("sections").iter().flat_map(|s| s["findings"].as_array().cloned().unwrap_or_default()).collect();
    let all = [of("hits"), of("edges"), of("files"), of("subjects"), findings].concat();
    all.iter()
        .map(|hit| match hit["id"].as_str() {
            Some(id) => id.to_owned(),
            None => format!("{}{}{}{}", hit["path"], hit["line"], hit["from"], hit["to"]),
        })
        .collect()
}

#[test]
fn b10_the_same_requests_give_the_same_answers_in_every_door() {
    let project = Project::new(SHOP);
    project.cds(&["index"]);
    let service = Service::start(&project, &[]);
    #[cfg(feature = "grpc")]
    let grpc = crate::grpc::Grpc::connect(&service);
    let mut mcp = Mcp::start(&project, &[]);
    let tools = mcp.ask("tools/list", &json!({}));
    let tool_of = |operation: &str| match operation {
        "search" => Some("search_code"),
        "symbol" => Some("find_symbol"),
        "traverse" => Some("traverse_graph"),
        "similar" => Some("find_similar"),
        "retrieve" => Some("retrieve"),
        "outline" => Some("outline"),
        "research" => Some("code_research"),
        _ => None,
    };
    let requests = requests();
    assert!(requests.len() >= 40);
    let api = service.get("/api/openapi.json").json();
    for (operation, line, parameters) in requests {
        let described = &api["paths"][format!("/api/v1/{operation}")]["post"]["requestBody"]["content"]["application/json"]
            ["schema"];
        for name in parameters.as_object().expect("an object").keys() {
            assert!(described["properties"].get(name).is_some(), "OpenAPI forbids {name}: {line:?}");
        }
        let expect = settled(project.json_or_nothing(&line));
        let by_rpc = service.rpc(operation, &parameters).unwrap_or_else(|e| panic!("{line:?}: {e}"));
        assert_eq!(settled(by_rpc), expect, "JSON-RPC: {line:?}");
        let by_http = service.post(&format!("/api/v1/{operation}"), &parameters);
        assert_eq!(by_http.status, 200, "{line:?}: {}", by_http.body);
        assert_eq!(settled(by_http.json()), expect, "HTTP: {line:?}");
        assert!(by_http.head.contains("x-cds-api-version: 1"));
        #[cfg(feature = "grpc")]
        {
            let by_grpc = grpc.call(operation, &parameters).unwrap_or_else(|e| panic!("{line:?}: {e}"));
            assert_eq!(settled(by_grpc), crate::grpc::plain(expect.clone()), "gRPC: {line:?}");
        }
        let Some(tool) = tool_of(operation) else { continue };
        assert!(tools["result"]["tools"].as_array().is_some_and(|tools| tools.iter().any(|t| t["name"] == tool)));
        let by_mcp = mcp.call(tool, &parameters);
        assert_eq!(found(&by_mcp["structuredContent"]), found(&expect), "MCP: {line:?}");
        assert!(by_mcp["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
}

#[test]
fn s2_an_empty_query_is_rejected_in_every_door() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let mut mcp = Mcp::start(&project, &[]);
    for (operation, tool) in [("search", "search_code"), ("research", "code_research")] {
        for query in ["", "  "] {
            let output = project.cds(&[operation, query]);
            assert_eq!((output.code, output.stderr.as_str()), (2, "cds: query cannot be empty\n"));
            let parameters = json!({ "query": query });
            let error = service.rpc(operation, &parameters).expect_err("it is rejected");
            assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!("query cannot be empty")));
            let answer = service.post(&format!("/api/v1/{operation}"), &parameters);
            assert_eq!((answer.status, &answer.json()["error"]["message"]), (400, &json!("query cannot be empty")));
            #[cfg(feature = "grpc")]
            {
                let error =
                    crate::grpc::Grpc::connect(&service).call(operation, &parameters).expect_err("it is rejected");
                assert_eq!((&error["status"], &error["message"]), (&json!(3), &json!("query cannot be empty")));
            }
            let told = mcp.call(tool, &parameters);
            assert_eq!(
                (&told["isError"], &told["content"][0]["text"]),
                (&json!(true), &json!("query cannot be empty"))
            );
        }
    }
}

#[test]
fn r7_nothing_found_is_an_empty_list_in_every_door() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let mut mcp = Mcp::start(&project, &[]);
    let parameters = json!({ "query": "xylophone", "preset": "bm25" });
    let empty = |answer: &Value| assert_eq!((&answer["hits"], &answer["total"]), (&json!([]), &json!(0)));
    assert_eq!(project.cds(&["search", "xylophone", "--preset", "bm25"]).code, 1);
    empty(&service.rpc("search", &parameters).expect("it is answered"));
    empty(&service.post("/api/v1/search", &parameters).json());
    #[cfg(feature = "grpc")]
    {
        let answer = crate::grpc::Grpc::connect(&service).call("search", &parameters).expect("it is answered");
        // A list of nothing is not sent.
        assert_eq!((&answer["hits"], &answer["total"]), (&Value::Null, &json!(0)));
    }
    empty(&mcp.call("search_code", &parameters)["structuredContent"]);
}

#[test]
fn b11_two_projects_do_not_mix_unless_asked() {
    let one = Project::new(SHOP);
    let two = Project::new("//- bank/account.py\ndef retry_transfer():\n    return 1\n");
    let (first, second) = (one.root().display().to_string(), two.root().display().to_string());
    let service = Service::start(&one, &[&first, &second]);
    let projects = service.get("/api/v1/projects").json();
    let names: Vec<&str> = projects.as_array().expect("a list").iter().filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, ["project", "project-2"]);
    let paths = |project: Value| -> Vec<String> {
        let answer = service.rpc("search", &json!({ "query": "retry", "project": project })).expect("it is answered");
        let hits = answer["hits"].as_array().expect("hits").iter();
        let mut paths: Vec<String> =
            hits.filter_map(|hit| Some(hit["path"].as_str()?.split('/').next()?.to_owned())).collect();
        paths.sort();
        paths.dedup();
        paths
    };
    assert_eq!(paths(json!("project")), ["shop"]);
    assert_eq!(paths(json!("project-2")), ["bank"]);
    assert_eq!(paths(json!(second)), ["bank"]);
    assert_eq!(paths(json!(["project", "project-2"])), ["bank", "shop"]);
    assert_eq!(paths(json!("*")), ["bank", "shop"]);
    let all = service.rpc("search", &json!({ "query": "retry", "project": "*" })).expect("it is answered");
    assert!(all["hits"].as_array().expect("hits").iter().all(|hit| hit["project"].is_string()));
    // Which one is meant must be said.
    let error = service.rpc("search", &json!({ "query": "retry" })).expect_err("it is rejected");
    assert_eq!(error["data"]["field"], "project");
    assert_eq!(
        service.rpc("search", &json!({ "query": "retry", "project": "no" })).expect_err("unknown")["code"],
        -32002
    );
    assert_eq!(service.send("DELETE", "/api/v1/projects/project-2", &[], b"").status, 204);
    assert_eq!(paths(Value::Null), ["shop"]);
}

#[test]
fn c12_a_hundred_questions_at_once_are_answered() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let words = ["retry", "cart total", "where are prices parsed", "handler", "money"];
    let ask = |i: usize| {
        let started = Instant::now();
        let answer = service.rpc("search", &json!({ "query": words[i % words.len()] }));
        assert!(answer.is_ok_and(|answer| answer["total"].as_u64() > Some(0)), "{i}");
        started.elapsed()
    };
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..100).map(|i| scope.spawn(move || ask(i))).collect();
        all.into_iter().map(|thread| thread.join().expect("no error")).collect()
    });
    times.sort();
    assert!(times[95] < Duration::from_secs(5), "{:?}", times[95]);
}

#[test]
fn parameters_that_are_wrong_are_told_by_name() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let check = |method: &str, parameters: Value, code: i64, data: Value| {
        let error = service.rpc(method, &parameters).expect_err("it is rejected");
        assert_eq!((error["code"].as_i64(), &error["data"]), (Some(code), &data), "{method} {parameters}: {error}");
    };
    let data = |field: &str, expected: &str, received: &str| json!({ "field": field, "expected": expected, "received": received });
    check(
        "search",
        json!({ "query": "a", "limit": "ten" }),
        -32602,
        data("limit", "integer, at least 1, at most 1000", "\"ten\""),
    );
    check("search", json!({}), -32602, data("query", "a value", "nothing"));
    check("search", json!({ "query": ["a"] }), -32602, data("query", "string", "[\"a\"]"));
    check(
        "search",
        json!({ "query": "a", "limit": 0 }),
        -32602,
        data("limit", "integer, at least 1, at most 1000", "0"),
    );
    check("search", json!({ "query": "a", "snippet": "all" }), -32602, Value::Null);
    check("retrieve", json!({ "ids": 3 }), -32602, data("ids", "array or string", "3"));
    check("no_such", json!({}), -32601, Value::Null);
    check("traverse", json!({ "from": "Nobody" }), -32002, Value::Null);
}

#[test]
fn json_rpc_is_spoken_as_it_is_written() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let check = |body: &str, status: u16, expect: Value| {
        let answer = service.send("POST", "/rpc", &[("Content-Type", "application/json")], body.as_bytes());
        let short = |answer: &Value| {
            let code = answer["error"]["code"].clone();
            json!({ "id": answer["id"], "error": code, "result": answer["result"].is_object() })
        };
        let found = match serde_json::from_str::<Value>(&answer.body) {
            Ok(Value::Array(all)) => all.iter().map(short).collect(),
            Ok(one) => short(&one),
            Err(_) => Value::Null,
        };
        assert_eq!((answer.status, found), (status, expect), "{body}");
    };
    let ok = |id: Value| json!({ "id": id, "error": null, "result": true });
    let bad = |id: Value, code: i64| json!({ "id": id, "error": code, "result": false });
    check(r#"{"jsonrpc":"2.0","id":"a","method":"status"}"#, 200, ok(json!("a")));
    check(r#"{"jsonrpc":"2.0","id":1,"method":"status","params":{}}"#, 200, ok(json!(1)));
    check(r#"{"jsonrpc":"2.0","method":"status"}"#, 204, Value::Null);
    check(
        r#"[{"jsonrpc":"2.0","id":1,"method":"status"},{"jsonrpc":"2.0","method":"status"},{"jsonrpc":"2.0","id":2,"method":"x"},5]"#,
        200,
        json!([ok(json!(1)), bad(json!(2), -32601), bad(Value::Null, -32600)]),
    );
    check(r#"[{"jsonrpc":"2.0","method":"status"}]"#, 204, Value::Null);
    check("[]", 200, bad(Value::Null, -32600));
    check("{", 200, bad(Value::Null, -32700));
    check("", 200, bad(Value::Null, -32700));
    check(r#"{"jsonrpc":"1.0","id":1,"method":"status"}"#, 200, bad(Value::Null, -32600));
    check(r#"{"jsonrpc":"2.0","id":{},"method":"status"}"#, 200, bad(Value::Null, -32600));
    check(r#"{"jsonrpc":"2.0","id":1,"method":"search","params":["a"]}"#, 200, bad(json!(1), -32602));
    check(&format!("[{}]", vec!["1"; 101].join(",")), 200, bad(Value::Null, -32600));
}

#[test]
fn tasks_are_begun_followed_merged_and_cancelled() {
    let project = Project::new(SHOP);
    for i in 0..400 {
        project.write(&format!("many/m{i}.py"), format!("def f{i}(x):\n    return g{i}(x)\n").repeat(40));
    }
    let service = Service::start(&project, &["--no-watch"]);
    let first = service.post("/api/v1/tasks", &json!({ "force": true }));
    assert_eq!((first.status, &first.json()["state"]), (202, &json!("pending")));
    let equal = service.post("/api/v1/tasks", &json!({ "force": true })).json();
    assert_eq!((&equal["state"], &equal["merged_into"]), (&json!("merged"), &json!("1")));
    let events = service.get("/api/v1/tasks/1/events");
    assert!(events.head.contains("text/event-stream"));
    let states: Vec<Value> = events
        .body
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
        .map(|task| task["state"].clone())
        .collect();
    assert_eq!(states.last(), Some(&json!("completed")), "{states:?}");
    let done = service.get("/api/v1/tasks/1").json();
    assert_eq!((&done["state"], &done["files"]), (&json!("completed"), &json!(406)));
    let third = service.post("/api/v1/tasks", &json!({ "force": true })).json();
    let id = third["id"].as_str().expect("an id");
    assert_eq!(service.send("POST", &format!("/api/v1/tasks/{id}/cancel"), &[], b"").status, 200);
    let _ = service.get(&format!("/api/v1/tasks/{id}/events"));
    let state = service.get(&format!("/api/v1/tasks/{id}")).json()["state"].clone();
    assert!(state == "cancelled" || state == "completed", "{state}");
    assert_eq!(service.get("/api/v1/tasks/99").status, 404);
    assert_eq!(service.get("/api/v1/tasks").json().as_array().map(Vec::len), Some(3));
    // Whatever became of it, questions are answered.
    assert!(service.rpc("search", &json!({ "query": "retry" })).is_ok());
}

#[test]
fn what_changes_is_found_without_being_asked_for() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    project.write("shop/new.py", "def brand_new_thing():\n    return 1\n");
    let until = Instant::now() + crate::service::PATIENCE;
    loop {
        let answer = service.rpc("symbol", &json!({ "name": "brand_new_thing" })).expect("it is answered");
        if answer["total"] == 1 {
            return;
        }
        assert!(Instant::now() < until, "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_service_stays_ready_while_files_are_touched_and_edited() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let stays_ready = |seconds: u64| {
        let until = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < until {
            let ready = service.get("/ready");
            assert_eq!(ready.status, 200, "{}", ready.body);
            std::thread::sleep(Duration::from_millis(20));
        }
        service.get("/ready").json()["projects"][0]["index"].clone()
    };
    // Another time, the same bytes: nothing to take in.
    std::fs::File::options()
        .write(true)
        .open(project.path("shop/cart.py"))
        .unwrap()
        .set_modified(std::time::SystemTime::now())
        .unwrap();
    assert_eq!(stays_ready(2), json!({ "state": "ready", "done": 0, "total": 0 }));
    project.write("shop/retry.ts", "export function again() { return 1; }\n");
    stays_ready(2);
}

#[test]
fn pages_of_what_is_similar_show_each_hit_once_and_a_small_budget_still_shows_one() {
    let project = Project::new(SHOP);
    let service = Service::start(&project, &[]);
    let ask = |operation: &str, given: Value| service.post(&format!("/api/v1/{operation}"), &given);
    let place = "shop/cart.py:10";
    let all = ask("similar", json!({ "place": place, "limit": 100 })).json();
    let total = all["total"].as_u64().expect("a number");
    assert_eq!(found(&all).len() as u64, total, "{all}");
    let (mut paged, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = ask("similar", json!({ "place": place, "limit": 2, "max_tokens": 60, "cursor": cursor })).json();
        assert_eq!(page["total"], total, "{page}");
        paged.extend(found(&page));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(paged, found(&all));
    let past = ask("similar", json!({ "place": "shop/cart.py:999" }));
    assert!(past.status == 404 && past.body.contains("shop/cart.py has 19 lines"), "{past:?}");

    let little = ask("search", json!({ "query": "retry", "max_tokens": 1 })).json();
    assert_eq!(little["hits"].as_array().map(Vec::len), Some(1), "{little}");
    assert!(little["next_cursor"].is_string(), "{little}");
    let little = ask("retrieve", json!({ "ids": ["shop/cart.py:Cart"], "max_tokens": 1 })).json();
    assert!(little["hits"][0]["snippet"].as_str().is_some_and(|s| s.lines().count() == 1), "{little}");
    let chunks = ask("search", json!({ "query": "retry", "granularity": "chunk", "limit": 100 })).json();
    assert!(chunks["total"].as_u64() >= Some(found(&chunks).len() as u64), "{chunks}");
    assert_eq!(ask("grep", json!({ "pattern": "retry", "limit": 0 })).status, 400, "as the command line says");
}

#[test]
fn an_agent_is_greeted_at_once_and_answered_while_the_index_is_made() {
    let project = Project::new(SHOP);
    for i in 0..asked("CDS_MCP_FILES").unwrap_or(1500) {
        let text: String = (0..60).map(|j| format!("def f{i}_{j}(value):\n    return g{j}(value)\n")).collect();
        project.write(&format!("many/{}/m{i}.py", i % 97), text);
    }
    let mut mcp = Mcp::start(&project, &[]);
    // The bar is 100 ms; a busy machine of ours may take longer to start a process.
    assert!(mcp.greeting < Duration::from_secs(1), "{:?}", mcp.greeting);
    let early = mcp.call("search_code", &json!({ "query": "retry" }));
    let answer = &early["structuredContent"];
    assert!(answer["partial"] == true || answer["total"].as_u64() > Some(0), "{early}");
    // As whole as its schema asks: clients hold it against that, and throw away what does not fit.
    assert!(answer["next_cursor"].is_null() || answer["next_cursor"].is_string(), "{early}");
    let done = mcp.call("index_codebase", &json!({}));
    assert_ne!(done["isError"], true, "{done}");
    assert!(mcp.call("search_code", &json!({ "query": "retry" }))["structuredContent"]["total"].as_u64() > Some(0));
}

#[test]
fn an_agent_finds_what_is_read_already_and_is_never_told_that_something_is_not_there() {
    let project = Project::new("//- shop/till.py\ndef open_till():\n    return 1\n");
    for i in 0..6_000 {
        project.write(&format!("lib/deep/er/m{i}.py"), format!("def f{i}(x):\n    return g{i}(x) + {i}\n"));
    }
    let mut mcp = Mcp::start(&project, &[]);
    let mut early = 0;
    let until = Instant::now() + crate::service::PATIENCE;
    loop {
        let name = mcp.call("find_symbol", &json!({ "name": "open_till" }));
        let is_made = name["isError"] != true;
        let text = name["content"][0]["text"].as_str().unwrap_or_default();
        assert!(
            if is_made {
                text.contains("shop/till.py")
            } else {
                text.contains("the index is being made") || text.contains("files so far")
            },
            "{name}"
        );
        if is_made {
            break;
        }
        let found = mcp.call("search_code", &json!({ "query": "open till" }))["structuredContent"].take();
        let is_found = found["hits"][0]["name"] == "open_till";
        assert!(is_found || found["total"] == 0, "{found}");
        if is_found && found["partial"] == true {
            early += 1;
            let warning = found["warnings"][0].as_str().unwrap_or_default();
            assert!(warning.contains(" of 6,001 files so far"), "{found}");
        }
        assert!(Instant::now() < until, "the index is not made");
    }
    assert!(early > 0, "nothing was found before all was read");
}

#[test]
fn files_and_entities_are_resources() {
    let project = Project::new(SHOP);
    let mut mcp = Mcp::start(&project, &[]);
    assert_ne!(mcp.call("index_codebase", &json!({}))["isError"], true);
    let listed = mcp.ask("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "cds://project/");
    let mut text = |uri: &str| {
        let answer = mcp.ask("resources/read", &json!({ "uri": uri }));
        answer["result"]["contents"][0]["text"].as_str().map(str::to_owned).ok_or(answer["error"]["message"].clone())
    };
    assert_eq!(text("cds://project/shop/money.py:parse").as_deref(), Ok("def parse(text):\n    return int(text)"));
    assert!(text("cds://project/").is_ok_and(|text| text.contains("6 files")));
    assert!(text("cds://project/../secret").is_err());
    assert!(text("cds://elsewhere/shop/money.py").is_err());
    assert!(text("file:///etc/passwd").is_err());
}

/// The socket beside the index is Unix's.
#[cfg(unix)]
#[test]
fn the_command_line_asks_a_service_that_keeps_the_index_and_says_the_same() {
    let project = Project::new(SHOP);
    project.cds(&["index"]);
    let alone = project.cds(&["search", "retry"]);
    let service = Service::start(&project, &[]);
    let until = Instant::now() + crate::service::PATIENCE;
    while !project.path(".cds-index/daemon.sock").exists() {
        assert!(Instant::now() < until, "no socket");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(project.cds(&["search", "retry"]), alone);
    // What changed a moment ago is found, whoever brought it up to date.
    project.write("shop/later.py", "def added_a_moment_ago():\n    return 1\n");
    assert_eq!(project.ids(&["symbol", "added_a_moment_ago"]), ["shop/later.py:added_a_moment_ago"]);
    drop(service);
    // One that was killed leaves its socket, and nobody waits for it.
    assert_eq!(project.cds(&["search", "retry"]).code, 0);
}

#[test]
fn edits_are_found_at_once_while_a_service_keeps_the_index() {
    let project = Project::new(SHOP);
    let _service = Service::start(&project, &[]);
    for edit in 0..25 {
        // The service's own update of the edit before may be under way.
        let name = format!("added_{edit}");
        project.write(&format!("shop/new_{}.py", edit % 3), format!("def {name}():\n    return {edit}\n"));
        assert_eq!(project.ids(&["symbol", &name]), [format!("shop/new_{}.py:{name}", edit % 3)]);
        std::thread::sleep(Duration::from_millis(45));
    }
}
