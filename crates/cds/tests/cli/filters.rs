//! Every filter, through search and through the other commands that take it.

use crate::fixture::{Project, sorted};

/// Ids of all chunks of the answer, sorted: filters are about who is in it.
fn check(project: &Project, query: &str, filters: &[&str], expect: &[&str]) {
    let args = [&["search", query, "--granularity", "chunk", "--limit", "100"], filters].concat();
    assert_eq!(sorted(project.ids(&args)), expect, "{query} {filters:?}");
}

#[test]
fn s9_paths_are_chosen_by_glob_folder_name_and_extension() {
    let code = |name: &str| format!("func {name}() {{ token() }}\n");
    let mut fixture = String::new();
    for (path, name) in [
        ("Sources/Auth/Login.swift", "login"),
        ("Sources/Auth/Deep/Token.swift", "deep"),
        ("Sources/Net/Http.swift", "http"),
        ("Sources/Auth/Tests/LoginTests.swift", "loginTests"),
        ("Tests/NetTests.swift", "netTests"),
    ] {
        fixture.push_str(&format!("//- {path}\n{}", code(name)));
    }
    fixture.push_str(
        "//- Sources/Auth/tool.py\ndef tool():\n    token()\n//- main.go\npackage main\n\nfunc main() { token() }\n",
    );
    let project = Project::new(&fixture);
    let check = |filters: &[&str], expect: &[&str]| {
        let args = [&["search", "token", "-f", "paths", "--limit", "100"], filters].concat();
        let found = sorted(project.cds(&args).stdout.lines().map(str::to_owned).collect());
        assert_eq!(found, expect, "{filters:?}");
    };
    let deep = "Sources/Auth/Deep/Token.swift";
    let (login, tests) = ("Sources/Auth/Login.swift", "Sources/Auth/Tests/LoginTests.swift");
    let tool = "Sources/Auth/tool.py";
    check(&["--path", "Sources/Auth/**"], &[deep, login, tests, tool]);
    check(&["--path", "Sources/Auth/**", "--path", "main.go"], &[deep, login, tests, tool, "main.go"]);
    check(&["--path", "Sources/Auth/**", "--exclude", "**/Tests/**"], &[deep, login, tool]);
    check(&["--path", "Sources/Auth", "--exclude", "*.swift"], &[tool]);
    check(&["--path", "*.swift", "--exclude", "**/Tests/**"], &[deep, login, "Sources/Net/Http.swift"]);
    check(&["--path", ".go"], &["main.go"]);
    check(&["--path", "Sources/Auth/*.swift"], &[login]);
    check(&["--path", "Login.swift"], &[login]);
    check(&["--path", "./Sources/Net/"], &["Sources/Net/Http.swift"]);
    check(&["--path", "sources/**"], &[]);
    check(&["--lang", "python,go"], &[tool, "main.go"]);
    check(&["--lang", "golang"], &["main.go"]);
    check(&["--lang", "swift", "--path", "Tests"], &["Tests/NetTests.swift"]);
}

#[test]
fn s9_filters_act_while_searching_so_that_a_limit_is_filled() {
    let mut fixture = String::new();
    for i in 0..60 {
        fixture.push_str(&format!("//- noise/n{i}.py\ndef token_{i}():\n    token = token_{i}\n    return token\n"));
    }
    for i in 0..20 {
        fixture.push_str(&format!(
            "//- rare/r{i:02}.py\ndef other_{i}():\n    \"\"\"One token among many other words.\"\"\"\n"
        ));
    }
    let project = Project::new(&fixture);
    let ids = project.ids(&["search", "token", "--path", "rare/**", "--limit", "20"]);
    assert_eq!(ids.len(), 20);
    assert!(ids.iter().all(|id| id.starts_with("rare/")), "{ids:?}");
}

const ERRORS: &str = "\
//- errors.rs
pub struct ErrorHandler;
pub struct Other;

impl ErrorHandler {
    pub fn report(&self) { logger(1); }
    pub fn note(&self) { log(2); }
    pub fn silent(&self) { drop(3); }
}

impl Other {
    pub fn report_other(&self) { logger(4); }
}

pub fn free() { logger(5); }
//- errors.py
class ErrorHandler:
    def report(self):
        logger.error(1)

    def silent(self):
        return 3


def free():
    logger.error(2)
";

#[test]
fn b4_kinds_references_and_parent_together() {
    let project = Project::new(ERRORS);
    let query = "report note silent free error handler logger log drop";
    let all = ["--kind", "function,method", "--has-references", "logger,log", "--parent-context", "impl ErrorHandler"];
    check(&project, query, &all, &["errors.rs:ErrorHandler.note", "errors.rs:ErrorHandler.report"]);
    let by_name = ["--kind", "method", "--has-references", "error,logger", "--parent-context", "ErrorHandler"];
    check(&project, query, &by_name, &["errors.py:ErrorHandler.report", "errors.rs:ErrorHandler.report"]);
    // Also when the entity is found by its name alone.
    check(&project, "silent", &["--has-references", "logger,log"], &[]);
    check(&project, "report", &["--has-references", "log"], &[]);
    let hierarchical = ["search", "silent", "--preset", "cds-index", "--has-references", "logger,log"];
    assert_eq!(project.ids(&hierarchical), [""; 0]);
    assert_eq!(project.ids(&["symbol", "silent", "--has-references", "logger"]), [""; 0]);
    assert_eq!(project.ids(&["symbol", "silent", "--has-references", "drop"]), ["errors.rs:ErrorHandler.silent"]);
}

#[test]
fn b4_references_are_all_names_that_are_used() {
    let project = Project::new(
        "\
//- s3.js
import React from 'react';
function upload(p) { return AWS.upload(p); }
function client() { return new AWS.S3(); }
function other(p) { return upload(p); }
//- main.rs
use tracing::info;
fn start() { tokio::spawn(run()); }
fn read() -> u32 { config.get() }
fn quiet() { drop(1) }
//- app.go
package app

import \"net/http\"

func fetch(url string) { log.Print(url) }
",
    );
    let query = "upload client other start read quiet fetch react net tracing";
    let check = |name: &str, expect: &[&str]| check(&project, query, &["--has-references", name], expect);
    check("AWS", &["s3.js:client", "s3.js:upload"]);
    check("tokio", &["main.rs:start"]);
    check("config", &["main.rs:read"]);
    check("tracing", &["main.rs:1-1"]);
    check("react", &["s3.js:1-1"]);
    check("http", &["app.go:1-3"]);
    check("log", &["app.go:fetch"]);
    check("p", &["s3.js:other", "s3.js:upload"]);
    check("aws", &[]);
    // Entities that are found by name answer as chunks do, and hits list what filters judge.
    assert_eq!(project.ids(&["symbol", "client", "--has-references", "AWS"]), ["s3.js:client"]);
    assert_eq!(project.ids(&["symbol", "other", "--has-references", "AWS"]), [""; 0]);
    let found = project.json(&["search", "upload", "--has-references", "AWS", "--granularity", "chunk"]);
    let hit = &found["hits"][0];
    assert_eq!(
        (&hit["definitions"], &hit["references"]),
        (&serde_json::json!(["upload", "p"]), &serde_json::json!(["upload", "p", "AWS"]))
    );
}

#[test]
fn b5_scope_depth_is_a_range_of_nesting() {
    let project = Project::new(
        "\
//- a.py
class One:
    class Two:
        def three(self):
            def four():
                return \"needle\"
            return \"needle\"

    def two(self):
        return \"needle\"


def one():
    return \"needle\"
//- a.rs
mod one {
    mod two {
        fn three() { needle(); }
    }
    fn two() { needle(); }
}
//- a.txt
needle
",
    );
    let (py3, rs3) = ("a.py:One.Two.three", "a.rs:one.two.three");
    check(&project, "needle", &["--scope-depth", "3,10"], &[py3, rs3]);
    check(&project, "needle", &["--scope-depth", "2,2"], &["a.py:One.two", "a.rs:one.two#2"]);
    check(&project, "needle", &["--scope-depth", "1,1"], &["a.py:one"]);
    check(&project, "needle", &["--scope-depth", "0,0"], &["a.txt:1-1"]);
    check(&project, "needle", &["--scope-depth", "9,10"], &[]);
}

#[test]
fn b6_definitions_and_kinds_together() {
    let project = Project::new(
        "\
//- db.rs
pub struct Connection { url: String }
pub struct Row { url: String }
pub fn Database(url: String) {}
//- db.py
class Database:
    url = \"\"


class Cursor:
    url = \"\"
//- db.go
package db

type Connection struct{ url string }

func open(url string) {}
",
    );
    let asked = ["--has-definitions", "Connection,Database", "--kind", "struct,class"];
    check(&project, "url", &asked, &["db.go:Connection", "db.py:Database", "db.rs:Connection"]);
    check(&project, "url", &["--has-definitions", "Connection", "--kind", "class"], &[]);
    check(&project, "url", &["--has-definitions", "open"], &["db.go:open"]);
    check(&project, "Row url", &["--has-definitions", "Connection", "--lang", "rust"], &["db.rs:Connection"]);
}

#[test]
fn b6_definitions_are_all_names_that_are_declared() {
    let project = Project::new(
        "\
//- app.py
import logging
logger = logging.getLogger(1)

class Settings:
    limit: int = 3

    def needle(self, path):
        self.total = path
        return logger
//- mode.ts
enum Mode { Fast, Slow }
function needle({ depth }: Options) { const logger = depth; }
//- point.rs
struct Point { width: u32 }
fn needle(height: u32) { let area = height; }
",
    );
    let query = "needle logger settings mode point";
    let check = |name: &str, expect: &[&str]| check(&project, query, &["--has-definitions", name], expect);
    check("logger", &["app.py:1-2", "mode.ts:needle"]);
    check("limit", &["app.py:Settings"]);
    check("path,depth,height", &["app.py:Settings.needle", "mode.ts:needle", "point.rs:needle"]);
    check("total", &["app.py:Settings.needle"]);
    check("Slow", &["mode.ts:Mode"]);
    check("width,area", &["point.rs:Point", "point.rs:needle"]);
    check("logging", &[]);
    assert_eq!(project.ids(&["symbol", "needle", "--has-definitions", "area"]), ["point.rs:needle"]);
}

#[test]
fn names_types_bases_tests_and_visibility() {
    let project = Project::new(
        "\
//- shapes.py
class Shape:
    def area(self):
        return \"needle\"


class Circle(Shape):
    \"\"\"A needle.\"\"\"

    def area(self):
        return \"needle\"

    def _private(self):
        return \"needle\"
//- shapes.rs
pub trait Draw { fn draw(&self); }
/// A needle.
pub struct Square;
impl Draw for Square { fn draw(&self) { needle(); } }
fn hidden() { needle(); }
#[cfg(test)]
mod tests {
    #[test]
    fn draws() { needle(); }
}
//- tests/test_shapes.py
def test_area():
    assert \"needle\"
",
    );
    let circle = "shapes.py:Circle";
    check(&project, "needle", &["--node-name", "area"], &["shapes.py:Circle.area", "shapes.py:Shape.area"]);
    check(&project, "needle", &["--node-name", "ar*a"], &["shapes.py:Circle.area", "shapes.py:Shape.area"]);
    check(
        &project,
        "needle",
        &["--node-name", "/^(draw|hid)/", "--lang", "rust"],
        &["shapes.rs:Square.draw", "shapes.rs:hidden", "shapes.rs:tests.draws"],
    );
    check(
        &project,
        "needle",
        &["--parent-context", "class Circle*"],
        &["shapes.py:Circle._private", "shapes.py:Circle.area"],
    );
    check(&project, "needle", &["--type", "class"], &[circle, "shapes.rs:Square"]);
    check(&project, "needle", &["--kind", "struct"], &["shapes.rs:Square"]);
    check(&project, "needle", &["--conformances", "Shape"], &[circle]);
    check(&project, "needle", &["--is-test", "true"], &["shapes.rs:tests.draws", "tests/test_shapes.py:test_area"]);
    check(
        &project,
        "needle",
        &["--is-test", "false", "--lang", "rust", "--type", "function"],
        &["shapes.rs:Square.draw", "shapes.rs:hidden"],
    );
    check(&project, "needle", &["--is-public", "false", "--lang", "python"], &["shapes.py:Circle._private"]);
    assert!(
        !project.ids(&["search", "needle", "--is-public", "true", "-n", "50"]).contains(&"shapes.rs:hidden".to_owned())
    );
    // The same filters look up names.
    assert_eq!(project.ids(&["symbol", "area", "--parent-context", "Shape"]), ["shapes.py:Shape.area"]);
    assert_eq!(project.ids(&["symbol", "*", "--conformances", "Shape"]), [circle]);
    assert_eq!(
        project.ids(&["symbol", "*", "--is-test", "true", "--lang", "python", "--type", "function"]),
        ["tests/test_shapes.py:test_area"]
    );
}

#[test]
fn modified_since_counts_back_from_now_or_from_1970() {
    let project = Project::new("//- new.py\ndef needle():\n    pass\n//- old.py\ndef needle():\n    pass\n");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(30 * 24);
    let old = std::fs::File::options().write(true).open(project.path("old.py")).unwrap();
    old.set_modified(long_ago).unwrap();
    check(&project, "needle", &["--modified-since", "7d"], &["new.py:needle"]);
    check(&project, "needle", &["--modified-since", "1h"], &["new.py:needle"]);
    check(&project, "needle", &["--modified-since", "8w"], &["new.py:needle", "old.py:needle"]);
    check(&project, "needle", &["--modified-since", "0"], &["new.py:needle", "old.py:needle"]);
    check(&project, "needle", &["--modified-since", "99999999999"], &[]);
}

#[test]
fn definitions_without_a_chunk_of_their_own_are_found_by_kind_type_and_name() {
    let project = Project::new(
        "\
//- limits.py
import os

RETRY_LIMIT = 3
RETRY_DELAY = 5
OTHER = 7


def retry():
    return RETRY_LIMIT
//- limits.rs
pub const RETRY_LIMIT: u32 = 3;
pub type RetryResult = Result<(), ()>;

pub fn retry() -> u32 { RETRY_LIMIT }
",
    );
    let (delay, limit) = ("limits.py:RETRY_DELAY", "limits.py:RETRY_LIMIT");
    let (in_rust, alias) = ("limits.rs:RETRY_LIMIT", "limits.rs:RetryResult");
    let entities = |query: &str, filters: &[&str], expect: &[&str]| {
        let args = [&["search", query, "--granularity", "entity"], filters].concat();
        assert_eq!(sorted(project.ids(&args)), expect, "{query} {filters:?}");
    };
    entities("retry", &["--kind", "constant"], &[delay, limit, in_rust]);
    entities("retr*", &["--kind", "constant", "--lang", "python"], &[delay, limit]);
    entities("retry delay", &["--kind", "typealias"], &[alias]);
    entities("retry", &["--kind", "constant,function"], &[delay, limit, "limits.py:retry", in_rust, "limits.rs:retry"]);
    entities("RETRY_LIMIT", &["--node-name", "RETRY_LIMIT"], &[limit, in_rust]);
    entities("retry", &["--type", "class"], &[alias]);
    entities("retry", &["--kind", "constant", "--preset", "cds-index"], &[delay, limit, in_rust]);
    entities("import os", &["--kind", "constant"], &[]);
    assert_eq!(project.ids(&["search", "other", "--kind", "constant"]), ["limits.py:OTHER"]);
    // The best of a chunk is shown, with its own line and kind.
    let hits = project.json(&["search", "retry delay", "--kind", "constant", "--lang", "python"])["hits"].clone();
    let hit = &hits[0];
    assert_eq!((&hit["id"], &hit["kind"], &hit["start_line"]), (&delay.into(), &"constant".into(), &4.into()));
    assert_eq!(hits.as_array().unwrap().len(), 1);
}
