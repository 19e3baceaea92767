//! Walks through the code graph, as a user asks for them.

use serde_json::Value;

use crate::fixture::Project;

const APP: &str = "\
//- auth.py
class AuthProtocol:
    def login(self): ...

def login(user):
    check(user)

def check(user):
    audit(user)

def audit(user):
    login(user)
//- token.py
from auth import AuthProtocol

class TokenAuth(AuthProtocol):
    def login(self): ...

class StrictTokenAuth(TokenAuth):
    pass
//- web.py
import requests
from auth import login as sign_in

def handle(request, other):
    sign_in(request.user)
    other.login()

def route(request):
    handle(request, None)
//- User.swift
struct User {
    let name: String
}

extension User: Codable {
    func encode() {}
}

struct Plain {}
";

/// `kind from -> to certainty` of every edge.
fn edges(answer: &Value) -> Vec<String> {
    let text = |edge: &Value, field: &str| edge[field].as_str().unwrap().to_owned();
    let show =
        |e: &Value| format!("{} {} -> {} {}", text(e, "kind"), text(e, "from"), text(e, "to"), text(e, "certainty"));
    answer["edges"].as_array().unwrap().iter().map(show).collect()
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["nodes"].as_array().unwrap().iter().map(|n| n["id"].as_str().unwrap()).collect()
}

fn hits(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|h| h["id"].as_str().unwrap()).collect()
}

#[test]
fn c10_two_hops_with_filters_are_the_same_each_time_and_drawn_once() {
    let project = Project::new(APP);
    let args = [
        "traverse",
        "auth.py:login",
        "--direction",
        "both",
        "--depth",
        "2",
        "--edge",
        "invoke",
        "--type",
        "function",
        "--certainty",
        "typed",
    ];
    let first = project.json(&args);
    let expect = [
        "invoke auth.py:login -> auth.py:check scoped",
        "invoke auth.py:audit -> auth.py:login scoped",
        "invoke web.py:handle -> auth.py:login imported",
        "invoke auth.py:check -> auth.py:audit scoped",
        "invoke web.py:route -> web.py:handle scoped",
    ];
    assert_eq!(edges(&first), expect);
    assert_eq!(project.json(&args), first);
    project.cds(&["index", "--force"]);
    assert_eq!(project.json(&args), first);
    // The cycle login > check > audit > login ends where it began.
    let tree = project.cds(&["traverse", "auth.py:login", "--edge", "invoke", "--depth", "10"]);
    assert_eq!(
        tree.stdout,
        "auth.py:login function\n\
         └─ invoke -> auth.py:check function  scoped @auth.py:5\n\
         \u{20}  └─ invoke -> auth.py:audit function  scoped @auth.py:8\n\
         \u{20}     └─ invoke -> auth.py:login function  scoped @auth.py:11 (shown above)\n"
    );
}

#[test]
fn s11_implementations_are_found_by_question_and_by_command() {
    let project = Project::new(APP);
    let found = project.json(&["implementations", "AuthProtocol"]);
    assert_eq!(ids(&found), ["token.py:TokenAuth", "token.py:StrictTokenAuth"]);
    let asked = project.json(&["search", "implementations of AuthProtocol", "--granularity", "entity"]);
    assert_eq!(hits(&asked)[..2], ["token.py:TokenAuth", "token.py:StrictTokenAuth"]);
}

#[test]
fn s12_callers_come_through_the_chain() {
    let project = Project::new(APP);
    let direct = project.json(&["callers", "auth.py:login"]);
    assert_eq!(ids(&direct), ["auth.py:audit", "web.py:handle"]);
    let chain = project.json(&["callers", "auth.py:login", "--depth", "3"]);
    assert_eq!(ids(&chain), ["auth.py:audit", "web.py:handle", "auth.py:check", "web.py:route"]);
    let asked = project.json(&["search", "what calls login()", "--granularity", "entity"]);
    assert!(hits(&asked)[..3].contains(&"web.py:handle"), "{:?}", hits(&asked));
    assert!(hits(&asked).contains(&"web.py:route"), "{:?}", hits(&asked));
}

#[test]
fn s20_conformances_of_a_popular_protocol_come_from_the_graph() {
    let project = Project::new("//- base.py\nclass Popular: ...\n");
    for file in 0..26 {
        let classes: String =
            (0..200).map(|i| format!("class C{file}_{i}(Popular):\n    def run(self): ...\n\n")).collect();
        project.write(&format!("m{file}.py"), format!("from base import Popular\n\n{classes}"));
    }
    let found = project.json(&["implementations", "Popular", "--limit", "10000"]);
    assert_eq!(ids(&found).len(), 5_200);
    let asked = project.json(&["search", "implementations of Popular", "-n", "20"]);
    // 10 ms is the bar of a release build; this one is not optimised.
    assert!(asked["timings_ms"]["relations"].as_f64().unwrap() < 200.0, "{}", asked["timings_ms"]);
}

#[test]
fn s21_an_extension_that_conforms_is_found_and_boosted() {
    let project = Project::new(APP);
    let asked = project.json(&["search", "implements Codable", "--granularity", "entity", "--explain"]);
    assert_eq!(asked["hits"][0]["kind"], "extension", "{:?}", hits(&asked));
    assert!(asked["hits"][0]["signals"]["relation"].as_f64().unwrap() > 0.0);
    assert_eq!(ids(&project.json(&["implementations", "Codable"])), ["User.swift:User"]);
}

#[test]
fn guesses_are_marked_and_can_be_left_out() {
    let project = Project::new(APP);
    let all = project.json(&["callees", "web.py:handle"]);
    // What is sure of an entity is not guessed of it as well.
    let expect = [
        "invoke web.py:handle -> auth.py:login imported",
        "invoke web.py:handle -> auth.py:AuthProtocol.login named",
        "invoke web.py:handle -> token.py:TokenAuth.login named",
    ];
    assert_eq!(edges(&all), expect);
    let sure = project.json(&["callees", "web.py:handle", "--certainty", "typed"]);
    assert_eq!(edges(&sure), ["invoke web.py:handle -> auth.py:login imported"]);
}

#[test]
fn a_name_that_several_bear_or_nobody_is_refused_with_candidates() {
    let project = Project::new(APP);
    let many = project.cds(&["callers", "login"]);
    assert_eq!((many.code, many.stdout.as_str()), (2, ""));
    assert!(many.stderr.contains("auth.py:AuthProtocol.login, ") && many.stderr.contains("use one of their ids"));
    let none = project.cds(&["callers", "logn"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert!(none.stderr.contains("near it: login"), "{}", none.stderr);
    let unfit = project.cds(&["implementations", "handle"]);
    assert_eq!((unfit.code, unfit.stdout.as_str()), (1, ""));
    assert!(unfit.stderr.contains("names a function (web.py:handle)"), "{}", unfit.stderr);
    for (args, expect) in [
        (&["traverse", "handle", "--direction", "sideways"][..], "use forward, backward or both"),
        (&["traverse", "handle", "--depth", "11"], "between 1 and 10"),
        (&["traverse", "handle", "--edge", "cals"], "valid are: contain, import, invoke, inherit"),
        (&["traverse", "handle", "--certainty", "sure"], "valid are: scoped, imported, typed, named"),
        (&["callers", " "], "name cannot be empty"),
    ] {
        let output = project.cds(args);
        assert_eq!(output.code, 2, "{args:?}");
        assert!(output.stderr.contains(expect), "{args:?}: {}", output.stderr);
    }
}

#[test]
fn no_callers_are_never_said_without_the_calls_that_are_not_resolved() {
    // Nine owners of one method: more than a guess may name.
    let classes: String = (0..9).map(|i| format!("class C{i}:\n    def close(self): ...\n\n")).collect();
    let project = Project::new(&format!("//- a.py\n{classes}def f(x):\n    x.close()\n"));
    let output = project.cds(&["callers", "C3.close"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("1 call of this name may mean it or others"), "{}", output.stderr);
    let answer = project.json_or_nothing(&["callers", "C3.close"]);
    assert_eq!(answer["unresolved"]["sites"][0]["site"], "a.py:29");
    assert_eq!(answer["unresolved"]["sites"][0]["candidates"], 9);
}

#[test]
fn files_and_libraries_have_dependents() {
    let project = Project::new(APP);
    assert_eq!(ids(&project.json(&["dependents", "auth.py"])), ["token.py", "web.py"]);
    assert_eq!(ids(&project.json(&["dependents", "requests"])), ["web.py"]);
    assert_eq!(project.cds(&["dependents", "web.py"]).code, 1);
}

#[test]
fn the_shortest_way_is_drawn() {
    let project = Project::new(APP);
    let output = project.cds(&["path", "route", "audit"]);
    let ids: Vec<&str> =
        output.stdout.lines().filter_map(|l| l.split_whitespace().find(|w| w.contains(".py:"))).collect();
    assert_eq!(ids, ["web.py:route", "web.py:handle", "auth.py:login", "auth.py:check", "auth.py:audit"]);
    let none = project.cds(&["path", "audit", "route"]);
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("no way leads there"), "{}", none.stderr);
}

#[test]
fn pictures_show_guesses_dashed() {
    let project = Project::new(APP);
    let dot = project.cds(&["callees", "web.py:handle", "--draw", "dot"]).stdout;
    assert!(dot.starts_with("digraph cds {\n") && dot.ends_with("}\n"));
    assert!(dot.contains("\"web.py:handle\" -> \"auth.py:login\" [label=\"invoke\"];"), "{dot}");
    assert!(dot.contains("style=dashed"), "{dot}");
    let mermaid = project.cds(&["callees", "web.py:handle", "--draw", "mermaid"]).stdout;
    assert!(mermaid.starts_with("flowchart LR\n  n0[\"web.py:handle\"]\n"), "{mermaid}");
    assert!(mermaid.contains("-. invoke .->") && mermaid.contains("-- invoke -->"), "{mermaid}");
}
