//! Acceptance scenarios of ranking and of understanding questions, as a user sees them.

use serde_json::Value;

use crate::fixture::{Project, column};

const APP: &str = "\
//- auth.py
def login(user):
    return validate_credentials(user)

def validate_credentials(user):
    return digest_secret(user)

def digest_secret(user):
    return 1
//- auth.go
package auth

func AuthHandler(user int) int {
	return authenticate(user)
}

func authenticate(user int) int {
	return user
}
";

/// `id hop_depth` of each hit.
fn hops(answer: &Value) -> Vec<String> {
    column(answer, "id").into_iter().zip(column(answer, "hop_depth")).map(|(id, hop)| format!("{id} {hop}")).collect()
}

#[test]
fn s7_depth_brings_what_hits_need_and_says_how_far() {
    let project = Project::new(APP);
    let check = |depth: &str, expect: &[&str]| {
        let args = ["search", "login", "--depth", depth, "--preset", "bm25", "--granularity", "entity"];
        assert_eq!(hops(&project.json(&args)), expect, "depth {depth}");
    };
    check("0", &["auth.py:login 0"]);
    check("1", &["auth.py:login 0", "auth.py:validate_credentials 1"]);
    check("2", &["auth.py:login 0", "auth.py:validate_credentials 1", "auth.py:digest_secret 2"]);
    let deep = project.cds(&["search", "login", "--depth", "9"]);
    assert_eq!(deep.code, 2, "{}", deep.stderr);
}

#[test]
fn s7_the_default_preset_follows_the_graph_too() {
    let project = Project::new(APP);
    let answer = project.json(&["search", "login", "--depth", "2", "--granularity", "entity"]);
    let ids = column(&answer, "id");
    assert_eq!(ids[0], "auth.py:login");
    for id in ["auth.py:validate_credentials", "auth.py:digest_secret"] {
        assert_eq!(ids.iter().filter(|i| *i == id).count(), 1, "{id} once in {ids:?}");
    }
}

const SHOP: &str = "\
//- Sources/Store.swift
public protocol ChunkStore {
    func insert()
}

public class MemoryStore: ChunkStore {
    public func insert() {}
}

public struct DiskStore {}

extension DiskStore: ChunkStore {
    public func insert() {}
}

public class NullStore: ChunkStore {
    public func insert() {}
}
//- Sources/Use.swift
func fill(store: ChunkStore) {
    let s: ChunkStore = store
    s.insert()
}
//- Tests/StoreTests.swift
class MemoryStoreTests {
    func testInsert() { MemoryStore().insert() }
}
";

/// One signal of the hit with an id.
fn signal(answer: &Value, id: &str, name: &str) -> Option<f64> {
    let hits = answer["hits"].as_array().expect("hits");
    let hit = hits.iter().find(|hit| hit["id"] == id).unwrap_or_else(|| panic!("no {id} in {answer}"));
    hit["signals"][name].as_f64().map(|value| (value * 100.0).round() / 100.0)
}

#[test]
fn s15_s16_s24_signals_are_shown() {
    let project = Project::new(SHOP);
    let ask = |text: &str| project.json(&["search", text, "--granularity", "entity", "--explain"]);
    let asked = ask("ChunkStore protocol");
    assert_eq!(column(&asked, "id")[0], "Sources/Store.swift:ChunkStore");
    assert_eq!(signal(&asked, "Sources/Store.swift:ChunkStore", "protocol_kind"), Some(1.3));
    assert!(signal(&asked, "Sources/Store.swift:ChunkStore", "public").is_some_and(|added| added > 0.0));
    let asked = ask("what implements ChunkStore");
    // One of them conforms by an extension.
    for name in ["MemoryStore", "DiskStore#2", "NullStore"] {
        let id = format!("Sources/Store.swift:{name}");
        assert_eq!(signal(&asked, &id, "conformance_implementation"), Some(3.0), "{name}");
        assert!(column(&asked, "id")[..5].contains(&id), "{name}");
    }
    assert!(
        column(&asked, "id")[..3].contains(&"Sources/Store.swift:ChunkStore".to_owned()),
        "{:?}",
        column(&asked, "id")
    );
}

#[test]
fn s17_s19_s23_a_type_stands_first_and_numbers_can_be_set() {
    let project = Project::new(SHOP);
    let asked = project.json(&["search", "MemoryStore", "--granularity", "entity", "-n", "20", "--explain"]);
    let id = "Sources/Store.swift:MemoryStore";
    assert_eq!(column(&asked, "id")[0], id);
    for (name, expect) in [("exact_symbol", 2.5), ("type_declaration", 1.5), ("source_path", 1.1)] {
        assert_eq!(signal(&asked, id, name), Some(expect), "{name}");
    }
    assert_eq!(signal(&asked, "Tests/StoreTests.swift:MemoryStoreTests", "other_role"), Some(0.6));
    let args = ["search", "MemoryStore", "--granularity", "entity", "-n", "20", "--explain", "--set", "source_path=1"];
    let off = project.json(&args);
    assert_eq!(signal(&off, id, "source_path"), None);
    assert_eq!(signal(&off, "Tests/StoreTests.swift:MemoryStoreTests", "other_role"), None);
}

#[test]
fn r7_nothing_found_is_an_empty_list_with_total_0() {
    let project = Project::new(APP);
    for args in [
        &["search", "xqzvwy"][..],
        &["search", "xqzvwy", "--preset", "hybrid"],
        &["search", "login", "--lang", "java"],
        &["search", "login", "--granularity", "both", "--lang", "java"],
    ] {
        let output = project.cds(&[&["--format", "json"], args].concat());
        assert_eq!(output.code, 1, "{args:?}: {}", output.stderr);
        let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
        assert_eq!((&answer["hits"], &answer["total"]), (&Value::Array(Vec::new()), &Value::from(0)), "{args:?}");
        assert!(answer["parsed_query"]["intent"].is_string(), "{args:?}");
    }
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

#[test]
fn r8_the_answer_says_how_the_question_was_understood() {
    let project = Project::new(APP);
    let answer = project.json(&["search", "find authentication handler in golang"]);
    let parsed = &answer["parsed_query"];
    assert_eq!((&parsed["original"], &parsed["intent"]), (&answer["query"], &"navigational".into()));
    assert_eq!(words(&parsed["keywords"]), ["authentication", "handler"]);
    assert_eq!(words(&parsed["languages"]), ["go"]);
    assert_eq!(words(&parsed["code_terms"]), [""; 0]);
    let expansions = words(&parsed["expanded"]);
    assert!(["auth", "authenticate", "login"].iter().all(|w| expansions.contains(w)), "{expansions:?}");
    assert!(parsed["confidence"].as_f64().is_some_and(|c| c > 0.5 && c <= 1.0));
    assert_eq!(answer["hits"][0]["path"], "auth.go", "the language is favoured: {answer}");
}

#[test]
fn r8_a_model_adds_words_that_the_index_has_and_none_where_it_is_off() {
    let project = Project::new("//- a.py\ndef login(user):\n    return validate_password(user)\n");
    let ask = |text: &str| project.json(&["search", text])["parsed_query"].clone();
    let text = "how are accounts and users checked";
    let on = ask(text);
    assert_eq!((&on["used_model"], words(&on["expanded"])), (&Value::Bool(false), vec!["password"]), "{on}");
    assert_eq!(ask("login")["used_model"], false, "a name needs no other words");
    for role in ["dense", "sparse"] {
        assert_eq!(project.cds(&["model", "use", "none", "--for", role]).code, 0);
    }
    project.cds(&["index"]);
    let off = ask(text);
    assert_eq!((&off["used_model"], words(&off["expanded"])), (&Value::Bool(false), vec![]), "{off}");
    let off = ask("find authentication handler in golang");
    assert_eq!((&off["used_model"], &off["intent"]), (&Value::Bool(false), &Value::from("navigational")));
    assert!(words(&off["expanded"]).contains(&"login"), "the table always works: {off}");
}

#[test]
fn r9_intents_come_with_the_answer() {
    let project = Project::new(APP);
    let check = |text: &str, expect: &str| {
        let answer = project.json_or_nothing(&["search", text]);
        assert_eq!(answer["parsed_query"]["intent"], expect, "{text}");
    };
    check("what does ParseQuery do", "factual");
    check("how does authentication work", "exploratory");
    check("why does login call validate", "analytical");
    check("find authentication handler in golang", "navigational");
    check("login", "navigational");
}

#[test]
fn a_pasted_traceback_finds_the_innermost_function_first() {
    let project = Project::new(APP);
    let text = "Traceback (most recent call last):\n  File \"/srv/auth.py\", line 2, in login\n    return validate_credentials(user)\n  File \"/srv/auth.py\", line 5, in validate_credentials\n    return digest_secret(user)\nTypeError: bad secret\n";
    let answer = project.json(&["search", text, "--granularity", "entity"]);
    assert_eq!(column(&answer, "id")[0], "auth.py:validate_credentials");
    assert_eq!(answer["parsed_query"]["is_report"], true);
}

#[test]
fn a_path_with_a_line_opens_the_chunk_there() {
    let project = Project::new(APP);
    for (text, expect) in [
        ("auth.py:2", "auth.py:login"),
        ("auth.py:5", "auth.py:validate_credentials"),
        ("auth.py:8", "auth.py:digest_secret"),
        ("auth.go:4", "auth.go:AuthHandler"),
        ("auth.go:8", "auth.go:authenticate"),
    ] {
        assert_eq!(project.ids(&["search", text, "--granularity", "entity"])[0], expect, "{text}");
        assert_eq!(project.ids(&["search", text])[0], expect, "{text}, by file");
    }
}

#[test]
fn copies_are_dropped_and_likeness_costs_on_request() {
    let body = "def retry_request(request, attempts, delay):\n    for attempt in range(attempts):\n        if send(request):\n            return True\n        sleep(delay)\n    return False\n";
    let other = "class RetryPolicy:\n    \"\"\"Says how often to try again.\"\"\"\n    most = 3\n    jitter = 0.5\n";
    let project = Project::new(&format!("//- one.py\n{body}//- two.py\n{body}//- zpolicy.py\n{other}"));
    let paths = |more: &[&str]| {
        column(
            &project.json(&[&["search", "send a request again after attempts with a delay"][..], more].concat()),
            "path",
        )
    };
    assert_eq!(paths(&[]), ["one.py", "two.py", "zpolicy.py"]);
    assert_eq!(paths(&["--set", "near_duplicate=0.85"]), ["one.py", "zpolicy.py"]);
    assert_eq!(paths(&["--mmr=0.3"]), ["one.py", "zpolicy.py", "two.py"]);
}
