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
    assert_eq!(ids(&project.json(&["implementations", "Codable"])), ["User.swift:User#2"]);
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

/// Rows of the whole graph: nodes by id, then edges.
fn exported(project: &Project) -> (Vec<Value>, Vec<Value>) {
    let output = project.cds(&["graph", "export"]);
    let rows = output.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.partition(|row| row.get("id").is_some())
}

/// Twins of every sort that files have: overloads, accessors, definitions of two branches, a type and what adds to it.
const TWINS: &str = "\
//- a.py
if True:
    def pick(): return 1
else:
    def pick(): return 2

class Box:
    @property
    def size(self): ...

    @size.setter
    def size(self, value): ...
//- b.rs
struct Shape;
impl Shape {
    fn area(&self) {}
}
impl Drop for Shape {
    fn drop(&mut self) {}
}
//- C.java
class C {
    void add(int a) {}
    void add(String a) {}
}
//- d.ts
export class D {
  get x() { return 1; }
  set x(v) {}
}
//- e.swift
struct User {}
extension User {
    func show() {}
}
extension User: Codable {}
//- f.rb
class F
  def run; end
end

class F
  def stop; end
end
";

#[test]
fn c1_every_entity_has_an_id_of_its_own_and_the_shared_one_means_all() {
    let project = Project::new(TWINS);
    let (nodes, edges) = exported(&project);
    let mut ids: Vec<&str> = nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "{ids:?}");
    for edge in &edges {
        assert!(ids.binary_search(&edge["from"].as_str().unwrap()).is_ok(), "{edge}");
        assert!(ids.binary_search(&edge["to"].as_str().unwrap()).is_ok(), "{edge}");
    }
    let check = |shared: &str, expect: &[(&str, u64)]| {
        let place = |row: &Value| (row["id"].as_str().unwrap().to_owned(), row["start_line"].as_u64().unwrap());
        let found: Vec<(String, u64)> =
            project.json(&["retrieve", shared])["hits"].as_array().unwrap().iter().map(place).collect();
        let expect: Vec<(String, u64)> = expect.iter().map(|(id, line)| ((*id).to_owned(), *line)).collect();
        assert_eq!(found, expect, "{shared}");
        // Each id is the same everywhere and answers for itself alone; the first one is that of all.
        for one in expect.iter().skip(1) {
            let id = one.0.as_str();
            let hits = |args: &[&str]| -> Vec<(String, u64)> {
                project.json(args)["hits"].as_array().unwrap().iter().map(place).collect()
            };
            assert_eq!(hits(&["retrieve", id]), std::slice::from_ref(one));
            assert_eq!(hits(&["symbol", id, "-n", "1"]), std::slice::from_ref(one));
            let walked = project.json_or_nothing(&["traverse", id, "--direction", "both", "--edge", "contain"]);
            assert_eq!(walked["from"].as_array().unwrap().len(), 1);
            assert_eq!(walked["from"][0]["id"], id);
            let path = id.split(':').next().unwrap();
            let outline = project.json(&["outline", path]);
            let outlined = outline["files"][0]["entities"].as_array().unwrap();
            assert_eq!(outlined.iter().filter(|entity| entity["id"] == id).count(), 1, "{outline}");
        }
    };
    check("a.py:pick", &[("a.py:pick", 2), ("a.py:pick#2", 4)]);
    check("a.py:Box.size", &[("a.py:Box.size", 7), ("a.py:Box.size#2", 10)]);
    check("b.rs:Shape", &[("b.rs:Shape", 1), ("b.rs:Shape#2", 2), ("b.rs:Shape#3", 5)]);
    check("C.java:C.add", &[("C.java:C.add", 2), ("C.java:C.add#2", 3)]);
    check("d.ts:D.x", &[("d.ts:D.x", 2), ("d.ts:D.x#2", 3)]);
    check("e.swift:User", &[("e.swift:User", 1), ("e.swift:User#2", 2), ("e.swift:User#3", 5)]);
    check("f.rb:F", &[("f.rb:F", 1), ("f.rb:F#2", 5)]);
    assert_eq!(project.cds(&["retrieve", "a.py:pick#3"]).code, 1);
    assert_eq!(project.cds(&["retrieve", "a.py:pick#1"]).code, 1);
}

#[test]
fn c5_contain_is_one_tree_below_the_root() {
    let project = Project::new(APP);
    project.write("src/deep/inner.py", "class Outer:\n    class Inner:\n        def f(self): ...\n");
    let (nodes, edges) = exported(&project);
    let parents = |id: &Value| edges.iter().filter(|e| e["kind"] == "contain" && e["to"] == *id).count();
    for node in &nodes {
        let is_alone = node["id"] == "." || node["entity_type"] == "external";
        assert_eq!(parents(&node["id"]), usize::from(!is_alone), "{node}");
    }
    assert!(nodes.iter().any(|n| n["id"] == "." && n["entity_type"] == "directory" && n["path"] == "."));
    let below = project.json(&["traverse", ".", "--edge", "contain", "--depth", "10", "--limit", "1000"]);
    let inside = nodes.iter().filter(|n| n["entity_type"] != "external").count();
    assert_eq!(ids(&below).len(), inside - 1);
    assert!(ids(&below).contains(&"src/deep/inner.py:Outer.Inner.f"), "{below}");
}

#[test]
fn c10_what_the_tree_does_not_have_is_external_everywhere() {
    let project = Project::new(APP);
    project.write("more/base.py", "import requests\n\nclass Late(Unknown):\n    pass\n");
    // A folder of the same name is another thing.
    project.write("requests/readme.md", "# Requests\n");
    let (nodes, _) = exported(&project);
    let outside = |id: &str| {
        let node = nodes.iter().find(|n| n["id"] == id).unwrap_or_else(|| panic!("{id}"));
        (node["entity_type"].as_str().unwrap(), node["kind"].as_str().unwrap())
    };
    assert_eq!(outside("Unknown"), ("external", "external"));
    assert_eq!(outside("requests"), ("directory", "directory"));
    assert_eq!(outside("requests#2"), ("external", "external"));
    let args = ["traverse", "more/base.py:Late", "--edge", "inherit"];
    let walked = project.json(&args);
    assert_eq!(walked["nodes"][0]["entity_type"], "external");
    assert_eq!(ids(&project.json(&[&args[..], &["--type", "external"]].concat())), ["Unknown"]);
    assert_eq!(project.cds(&[&args[..], &["--type", "file"]].concat()).code, 1);
    let drawn = |how: &str| project.cds(&[&args[..], &["--draw", how]].concat()).stdout;
    assert!(drawn("dot").contains("\"Unknown\" [tooltip=\"external\", style=dashed];"), "{}", drawn("dot"));
    assert!(drawn("mermaid").contains("n1([\"Unknown\"])"), "{}", drawn("mermaid"));
    let users = project.json(&["dependents", "requests#2"]);
    assert_eq!(ids(&users), ["more/base.py", "web.py"]);
    let research = project.json(&["research", "implementations of Unknown"]);
    assert_eq!(research["subjects"][0]["entity_type"], "external", "{research}");
}

#[test]
fn s7_hops_and_callers_leave_out_what_is_hidden_or_a_test() {
    let check = |files: &str, name: &str, caller: &str| {
        let project = Project::new(files);
        let callers = project.json_or_nothing(&["callers", name]);
        assert_eq!(edges(&callers), Vec::<String>::new(), "{files}");
        assert_eq!(callers["unresolved"]["count"], 1, "{files}");
        let hops = project.json(&["search", caller, "--depth", "2", "--granularity", "entity"]);
        assert!(!hits(&hops).iter().any(|id| id.ends_with(".append")), "{files}: {:?}", hits(&hops));
    };
    check(
        "//- Sources/Fill.swift\nfunc fillTable() { unknown().append(1) }\n\
         //- Tests/LogTests.swift\nprivate actor Log {\n    func append(_ x: Int) {}\n}\n",
        "append",
        "fillTable",
    );
    check(
        "//- fill.ts\nexport function fillTable(x: any) { x.append(1); }\n\
         //- log.ts\nexport class Log {\n  private append(x: number) {}\n}\n",
        "append",
        "fillTable",
    );
    check(
        "//- a/Fill.java\npackage a;\nclass Fill { void fillTable(X x) { x.append(1); } }\n\
         //- b/Log.java\npackage b;\npublic class Log { void append(int x) {} }\n",
        "append",
        "fillTable",
    );
    check(
        "//- fill.py\ndef fill_table(x):\n    x.append(1)\n\
         //- tests/test_log.py\nclass Log:\n    def append(self, x): ...\n",
        "append",
        "fill_table",
    );
}

#[test]
fn s11_a_type_is_one_with_what_adds_to_it() {
    let check = |files: &str, name: &str, expect: &[&str]| {
        let project = Project::new(files);
        let found = project.json(&["implementations", name]);
        assert_eq!(ids(&found), expect, "{files}");
        let research = project.json(&["research", &format!("implementations of {name}")]);
        assert_eq!(research["subjects"].as_array().unwrap().len(), 1, "{research}");
        assert_eq!(research["sections"][0]["total"], expect.len(), "{research}");
    };
    check(
        "//- Greeter.swift\nprotocol Greeter {}\n\
         //- Greeter+Loud.swift\nextension Greeter {\n    func shout() {}\n}\n\
         //- User.swift\nstruct User: Greeter {}\n",
        "Greeter",
        &["User.swift:User"],
    );
    check(
        "//- base.rb\nclass Base\nend\n\
         //- more.rb\nclass Base\n  def loud; end\nend\n\
         //- user.rb\nclass User < Base\nend\n",
        "Base",
        &["user.rb:User"],
    );
    check(
        "//- Base.cs\nnamespace Shop { public partial class Base { } }\n\
         //- Base.More.cs\nnamespace Shop { public partial class Base { void Loud() {} } }\n\
         //- User.cs\nnamespace Shop { public class User : Base { } }\n",
        "Base",
        &["User.cs:Shop.User"],
    );
    check(
        "//- src/lib.rs\nmod more;\npub trait Greeter {}\nstruct User;\nimpl Greeter for User {}\n\
         //- src/more.rs\nuse crate::Greeter;\nimpl dyn Greeter {\n    fn loud(&self) {}\n}\n",
        "Greeter",
        &["src/lib.rs:User#2"],
    );
    // What is only called alike is still refused.
    let two = Project::new(
        "//- a/Base.java\npackage a;\npublic class Base {}\n//- b/Base.java\npackage b;\npublic class Base {}\n",
    );
    let refused = two.cds(&["implementations", "Base"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .stderr
            .contains("2 entities are named \"Base\", use one of their ids: a/Base.java:Base, b/Base.java:Base")
    );
}
