//! `--compat locagent`, as a researcher uses it. What LocAgent itself gave for the odd package stands beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::fixture::Project;

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
