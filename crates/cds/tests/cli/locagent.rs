//! `--compat locagent`, as a researcher uses it. What LocAgent itself gave for the odd package stands beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::service::{Mcp, Service};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cds-locagent/tests/fixtures/tiny")
}

fn recorded(kind: &str) -> Vec<Value> {
    let bytes = std::fs::read(fixtures().join(format!("{kind}.jsonl.zst"))).expect("a fixture");
    let text = String::from_utf8(zstd::decode_all(bytes.as_slice()).expect("whole")).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

/// Runs cds on the odd package; the index lives elsewhere.
fn cds(index: &Path, arguments: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cds"));
    command
        .args(arguments)
        .args(["--compat", "locagent", "--root"])
        .arg(fixtures().join("source"))
        .arg("--index-dir")
        .arg(index);
    let output = command.output().expect("cds runs");
    (String::from_utf8(output.stdout).expect("text"), output.status.code().unwrap_or(-1))
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[test]
fn the_graph_is_exported_as_locagent_has_it() {
    let index = tempfile::tempdir().unwrap();
    let (said, code) = cds(index.path(), &["index"]);
    assert!(said.starts_with("indexed ") && said.contains(" 218 nodes, 427 edges, 40 chunks"), "{said}");
    assert_eq!(code, 0);
    for kind in ["nodes", "edges"] {
        let (text, _) = cds(index.path(), &["graph", "export", "--format", "jsonl", &format!("--{kind}")]);
        assert_eq!(objects(&text), recorded(kind), "{kind}");
    }
    let (both, _) = cds(index.path(), &["graph", "export"]);
    assert_eq!(objects(&both).len(), 218 + 427);
}

#[test]
fn searches_are_answered_to_the_letter() {
    let index = tempfile::tempdir().unwrap();
    cds(index.path(), &["index"]);
    let mut compared = 0;
    for row in recorded("search").iter().step_by(12) {
        // Each argument is a term; a term that begins with a dash would be a flag.
        let terms: Vec<&str> = row["search_terms"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let lines =
            row["line_nums"].as_array().map(|lines| lines.iter().map(Value::to_string).collect::<Vec<_>>().join(","));
        let pattern = row["file_path_or_pattern"].as_str();
        let mut arguments = vec!["search"];
        arguments.extend(lines.as_ref().map(|_| "--lines"));
        arguments.extend(lines.as_deref());
        arguments.extend(pattern.filter(|p| *p != "**/*.py").map(|_| "--path"));
        arguments.extend(pattern.filter(|p| *p != "**/*.py"));
        arguments.extend(&terms);
        if (terms.is_empty() && lines.is_none()) || pattern.is_none() {
            continue;
        }
        let (text, code) = cds(index.path(), &arguments);
        match row["text"].as_str() {
            Some(expected) => assert_eq!(text.strip_suffix('\n'), Some(expected), "{arguments:?}"),
            None => assert_eq!((text.as_str(), code), ("", 2), "{arguments:?}"),
        }
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn trees_are_drawn_to_the_letter() {
    let index = tempfile::tempdir().unwrap();
    for row in recorded("traverse").iter().step_by(5) {
        let starts: Vec<&str> = row["starts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let depth = row["hops"].to_string();
        let list =
            |key: &str| row[key].as_array().map(|l| l.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","));
        let (types, edges) = (list("entity_type_filter"), list("dependency_type_filter"));
        let mut arguments = vec!["traverse", "--direction", row["direction"].as_str().unwrap(), "--depth", &depth];
        for (flag, value) in [("--type", &types), ("--edge", &edges)] {
            arguments.extend(value.iter().flat_map(|value| [flag, value]));
        }
        arguments.extend(starts);
        // An empty list shows nothing in LocAgent; there is no way to say so here.
        // Neither is there for a type that does not exist: it is refused.
        if [&types, &edges]
            .iter()
            .any(|list| list.as_ref().is_some_and(|list| list.is_empty() || list.contains("bogus")))
        {
            continue;
        }
        let (text, code) = cds(index.path(), &arguments);
        match row["text_canonical"].as_str() {
            Some(expected) => assert_eq!(text.strip_suffix('\n'), Some(expected), "{arguments:?}"),
            None => assert_eq!(code, 2, "{arguments:?}"),
        }
    }
}

const APP: &str = "\
//- app/main.py
from app.auth import login


def run():
    return login()
//- app/auth.py
class Session:
    def __init__(self):
        self.open()

    def open(self):
        return login()


def login():
    return 1
";

#[test]
fn what_changed_is_read_again_before_answering() {
    let project = Project::new(APP);
    let tree = |p: &Project| p.cds(&["traverse", "--compat", "locagent", "app/main.py:run"]).stdout;
    assert_eq!(tree(&project), "app/main.py:run\n└── invokes ── app/auth.py:login\n");
    project.write("app/main.py", "from app.auth import Session\n\n\ndef run():\n    return Session()\n");
    let old = project.cds(&["traverse", "--compat", "locagent", "app/main.py:run", "--no-update"]);
    assert_eq!(old.stdout, "app/main.py:run\n└── invokes ── app/auth.py:login\n");
    assert!(old.stderr.contains("files have changed since this LocAgent index was made"), "{}", old.stderr);
    assert!(tree(&project).starts_with("app/main.py:run\n└── invokes ── app/auth.py:Session\n"), "{}", tree(&project));
    // A file that came is noticed by its folder.
    project.write("app/more.py", "def run():\n    return 2\n");
    assert!(project.cds(&["graph", "export", "--compat", "locagent"]).stdout.contains("app/more.py:run"));
}

/// What is asked of a service, and of the command line.
fn requests() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    vec![
        ("locagent_search", json!({ "search_terms": ["login"] }), vec!["search", "login"]),
        ("search_code_snippets", json!({ "search_terms": ["Session", "run"] }), vec!["search", "Session", "run"]),
        (
            "locagent_search",
            json!({ "search_terms": ["open"], "file_path_or_pattern": "app/auth.py", "line_nums": [1, 6] }),
            vec!["search", "open", "--path", "app/auth.py", "--lines", "1,6"],
        ),
        ("locagent_explore", json!({ "start_entities": ["app/main.py:run"] }), vec!["traverse", "app/main.py:run"]),
        (
            "explore_tree_structure",
            json!({
                "start_entities": ["app/auth.py", "nothing"], "direction": "both", "traversal_depth": -1,
                "entity_type_filter": ["class", "function"], "dependency_type_filter": ["invokes", "contains"],
            }),
            vec![
                "traverse",
                "app/auth.py",
                "nothing",
                "--direction",
                "both",
                "--depth",
                "-1",
                "--type",
                "class,function",
                "--edge",
                "invokes,contains",
            ],
        ),
        (
            "get_entity_contents",
            json!({ "entity_names": ["app/auth.py:login"] }),
            vec!["retrieve", "app/auth.py:login"],
        ),
        ("locagent_graph", json!({}), vec!["graph", "export", "--nodes"]),
        ("locagent_graph", json!({ "part": "edges" }), vec!["graph", "export", "--edges"]),
    ]
}

#[test]
fn a_service_gives_the_text_of_the_command_line() {
    let project = Project::new(APP);
    // BM25 of names and of code wants ten entries.
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        project.write(&format!("app/more/{name}.py"), format!("def {name}_more(count):\n    return {name} * count\n"));
    }
    let service = Service::start(&project, &[]);
    #[cfg(feature = "grpc")]
    let grpc = crate::grpc::Grpc::connect(&service);
    let mut mcp = Mcp::start(&project, &["--tools", "all"]);
    let mut check = |when: &str| {
        for (operation, parameters, line) in requests() {
            let printed = project.cds(&[&line[..], &["--compat", "locagent"]].concat()).stdout;
            let answer =
                service.rpc(operation, &parameters).unwrap_or_else(|e| panic!("{operation} {parameters}: {e}"));
            let text = answer["text"].as_str().expect("a text").trim_end();
            assert_eq!(text, printed.trim_end(), "{when}: {operation} {parameters}");
            #[cfg(feature = "grpc")]
            if operation.starts_with("locagent_") {
                let answer = grpc.call(operation, &parameters).expect("it is answered");
                assert_eq!(answer["text"].as_str().map(str::trim_end), Some(text), "{when}: gRPC {parameters}");
            }
            if let Some(tool) = ["locagent_search", "locagent_explore"].iter().find(|tool| **tool == operation) {
                let answer = mcp.call(tool, &parameters);
                let told = answer["content"][0]["text"].as_str().unwrap_or_default();
                assert_eq!(told.trim_end(), text, "{when}: {tool} {parameters}");
            }
        }
    };
    check("at first");
    project.write("app/main.py", "from app.auth import Session\n\n\ndef run():\n    return Session()\n");
    check("after an edit");
    std::fs::remove_file(project.path("app/more/a.py")).expect("it was there");
    check("after a file is gone");

    let over_http = service.post("/api/v1/locagent_explore", &json!({ "start_entities": ["app/main.py:run"] })).json();
    assert!(over_http["text"].as_str().is_some_and(|text| text.starts_with("app/main.py:run\n")), "{over_http}");
    let page = |offset: u64| {
        let page =
            service.rpc("locagent_graph", &json!({ "part": "edges", "offset": offset, "limit": 7 })).expect("rows");
        (page["text"].as_str().expect("text").to_owned(), page["next_offset"].as_u64())
    };
    let (mut all, mut next) = page(0);
    while let Some(offset) = next {
        let (text, after) = page(offset);
        all += &text;
        next = after;
    }
    assert_eq!(all, project.cds(&["graph", "export", "--edges", "--compat", "locagent"]).stdout);
}

#[test]
fn what_locagent_operations_do_not_take_is_refused() {
    let project = Project::new(APP);
    let service = Service::start(&project, &[]);
    let check = |operation: &str, parameters: Value, expect: &str| {
        let error = service.rpc(operation, &parameters).expect_err("it is refused");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(expect)), "{parameters}: {error}");
    };
    check("locagent_search", json!({ "search_terms": vec!["a"; 101] }), "search_terms: expected at most 100");
    check("locagent_search", json!({ "search_terms": ["a".repeat(1_001)] }), "expected at most 1,000 characters");
    check("locagent_search", json!({ "line_nums": vec![1; 101] }), "line_nums: expected at most 100 lines");
    check("locagent_search", json!({ "search_terms": ["a"] }), "LocAgent fails here with IndexError");
    check("locagent_search", json!({ "search_terms": ["login"] }), "LocAgent fails here with ValueError");
    check("locagent_explore", json!({}), "start_entities: expected a value");
    check("locagent_explore", json!({ "start_entities": ["a"], "direction": "down" }), "direction: expected");
    check("locagent_explore", json!({ "start_entities": ["a"], "traversal_depth": -2 }), "traversal_depth: expected");
    check(
        "locagent_explore",
        json!({ "start_entities": ["a"], "entity_type_filter": ["method"] }),
        "entity_type_filter: expected one of directory, file, class, function",
    );
    check("locagent_graph", json!({ "part": "all" }), "part: expected nodes or edges");
    check("locagent_search", json!({ "search_terms": ["a"], "project": "../elsewhere" }), "is not open");
    let outside = service.rpc("locagent_retrieve", &json!({ "entity_names": ["../../etc/passwd", "/etc/passwd"] }));
    let text = outside.expect("an answer")["text"].to_string();
    assert!(text.contains("Invalid name") && !text.contains("root:"), "{text}");

    let mut mcp = Mcp::start(&project, &[]);
    let tools = mcp.ask("tools/list", &json!({})).to_string();
    assert!(tools.contains("search_code") && !tools.contains("locagent"), "{tools}");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_root_and_pipes_are_not_read() {
    let project = Project::new(APP);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.py"), "def secret_function():\n    pass\n").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.py"), project.path("app/secret.py")).unwrap();
    assert!(Command::new("mkfifo").arg(project.path("app/pipe.py")).status().unwrap().success());
    let status = project.cds(&["index", "--compat", "locagent"]);
    assert_eq!(status.code, 0, "{status:?}");
    let lost = project.cds(&["status", "--problems", "--compat", "locagent"]).stdout;
    assert!(lost.contains("app/secret.py: not in the code index: it cannot be read"), "{lost}");
    assert!(lost.contains("app/pipe.py: not in the graph: it cannot be read"), "{lost}");
    let service = Service::start(&project, &[]);
    let nodes = service.rpc("locagent_graph", &json!({})).expect("rows")["text"].to_string();
    assert!(nodes.contains("app/auth.py:login") && !nodes.contains("secret_function"), "{nodes}");
}

#[test]
fn the_default_index_and_the_other_live_side_by_side() {
    let project = Project::new(APP);
    project.cds(&["index", "--compat", "locagent"]);
    assert_eq!(project.cds(&["search", "login"]).code, 0);
    let status = project.cds(&["status", "--compat", "locagent"]);
    assert!(status.stdout.contains("up to date"), "{status:?}");
    let edges = objects(&project.cds(&["graph", "export", "--edges"]).stdout);
    let call = edges.iter().find(|e| e["from"] == "app/main.py:run" && e["kind"] == "invoke").expect("the call");
    assert_eq!((&call["to"], &call["certainty"]), (&Value::from("app/auth.py:login"), &Value::from("imported")));
}

#[test]
fn what_locagent_loses_is_listed() {
    let project = Project::new(APP);
    project.write("app/old.py", "print 'two'\n");
    project.write("app/tabs.py", "def f():\n\tx = 1\n\treturn x\n");
    let index = project.cds(&["index", "--compat", "locagent"]);
    assert!(index.stdout.contains("lost as LocAgent loses them"), "{index:?}");
    let status = project.cds(&["status", "--compat", "locagent", "--problems"]);
    assert!(status.stdout.contains("app/old.py: a node without contents: Python 3.12 does not parse it"), "{status:?}");
    assert!(status.stdout.contains("app/tabs.py: "), "{status:?}");
}

#[test]
fn flags_that_locagent_has_nothing_for_are_refused() {
    let project = Project::new(APP);
    let check = |arguments: &[&str], expect: &str| {
        let mut all = arguments.to_vec();
        all.extend(["--compat", "locagent"]);
        let output = project.cds(&all);
        assert_eq!((output.stderr.trim(), output.code), (expect, 2), "{arguments:?}");
    };
    let nothing_like =
        |flag: &str| format!("cds: LocAgent has nothing like {flag}: leave it out, or leave --compat out");
    check(&["search", "x", "--limit", "3"], &nothing_like("--limit"));
    check(&["search", "x", "--lang", "python"], &nothing_like("a filter other than --path"));
    check(&["traverse", "x", "--certainty", "typed"], &nothing_like("--certainty"));
    check(&["index", "--no-comments"], &nothing_like("--no-comments"));
    check(
        &["traverse", "x", "--edge", "invoke"],
        "cds: edge \"invoke\": LocAgent has contains, imports, inherits, invokes",
    );
    check(
        &["traverse", "x", "--direction", "sideways"],
        "cds: direction \"sideways\": use downstream, upstream or both",
    );
    check(
        &["traverse", "x", "--depth", "-2"],
        "cds: depth: use a number from 0 on, or -1 for as deep as LocAgent goes",
    );
    check(&["graph", "export", "--format", "toon"], "cds: graph export prints jsonl: leave --format out");
    let output = project.cds(&["callers", "login", "--compat", "locagent"]);
    assert!(output.stderr.starts_with("cds: LocAgent has no such command"), "{output:?}");
}

#[test]
fn where_locagent_fails_the_reason_is_told() {
    let project = Project::new(APP);
    let output = project.cds(&["search", "--compat", "locagent", "the of"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.starts_with("cds: LocAgent fails here with "), "{output:?}");
}

#[test]
fn what_is_left_out_is_told() {
    let project = Project::new("//- readme.txt\nno code\n");
    let index = project.cds(&["index", "--compat", "locagent"]);
    assert!(index.stderr.contains("no Python file here") && index.code == 0, "{index:?}");
    let project = Project::new(APP);
    let lines = project.cds(&["search", "--compat", "locagent", "--lines", "2", "--path", "app/none.py"]);
    assert!(lines.stderr.contains("--path names none") && lines.code == 1, "{lines:?}");
}

#[test]
fn damage_is_repaired_or_told() {
    let project = Project::new(APP);
    project.cds(&["index", "--compat", "locagent"]);
    std::fs::write(project.root().join(".cds-index/locagent.bin"), b"cdsloc01 no more").unwrap();
    let told = project.cds(&["traverse", "--compat", "locagent", "app/main.py:run", "--no-update"]);
    assert!(told.stderr.contains("damaged or of another version") && told.code == 3, "{told:?}");
    let repaired = project.cds(&["traverse", "--compat", "locagent", "app/main.py:run"]);
    assert_eq!((repaired.stdout.as_str(), repaired.code), ("app/main.py:run\n└── invokes ── app/auth.py:login\n", 0));
}
