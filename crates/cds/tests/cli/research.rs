//! Questions about the code as a whole, as a user asks them.

use serde_json::{Value, json};

use crate::fixture::{Project, Run};
use crate::service::{Mcp, Service};

const SHOP: &str = "\
//- shop/cart.py
from shop.money import parse

class Cart:
    def total(self):
        return parse('1')

class GiftCart(Cart):
    def total(self):
        return 0

def checkout(cart: Cart):
    return cart.total()

def main():
    checkout(Cart())
//- shop/money.py
import decimal

def parse(text):
    return decimal.Decimal(text)

def show(amount):
    return str(amount)
//- tests/test_cart.py
from shop.cart import Cart, checkout

def test_checkout():
    assert checkout(Cart()) == 1
//- web/encoder.ts
export interface Encoder { encode(text: string): string }

export class JsonEncoder implements Encoder {
  encode(text: string): string { return quote(text); }
}

export class PlainEncoder implements Encoder {
  encode(text: string): string { return text; }
}

function quote(text: string): string { return '\"' + text + '\"'; }
//- web/server.ts
import { Encoder, JsonEncoder } from './encoder';

export function serve(encoder: Encoder): string {
  return encoder.encode('x');
}

export function start() {
  return serve(new JsonEncoder());
}
//- web/server.test.ts
import { start } from './server';

export function testStart() {
  start();
}
//- pack/src/lib.rs
pub trait Codec {
    fn pack(&self, text: &str) -> String;
}

pub struct Gzip;

impl Codec for Gzip {
    fn pack(&self, text: &str) -> String {
        squeeze(text)
    }
}

fn squeeze(text: &str) -> String {
    text.to_owned()
}

pub fn archive(gzip: &Gzip) -> String {
    gzip.pack(\"x\")
}

#[cfg(test)]
mod tests {
    use super::{Gzip, archive};

    #[test]
    fn archives_are_packed() {
        archive(&Gzip);
    }
}
//- store/store.go
package store

type Store interface {
	Get(key string) string
	Put(key string)
}

type Disk struct{}

func (d *Disk) Get(key string) string { return read(key) }

func (d *Disk) Put(key string) {}

type Broken struct{}

func (b *Broken) Get(key string) string { return key }

func read(key string) string { return key }

func Load(d *Disk) string { return d.Get(\"a\") }
//- store/store_test.go
package store

import \"testing\"

func TestLoad(t *testing.T) {
	Load(&Disk{})
}
";

/// `id@depth certainty` of each finding of a section, guesses with how many they may mean; nothing if there is no such section.
fn findings(answer: &Value, kind: &str) -> Option<Vec<String>> {
    let sections = answer["sections"].as_array().expect("sections");
    let section = sections.iter().find(|s| s["kind"] == kind)?;
    let show = |f: &Value| {
        let text = |field: &str| f[field].as_str().unwrap_or_default();
        let among = f["candidates"].as_u64().map(|n| format!(" 1 of {n}")).unwrap_or_default();
        format!("{}@{} {}{among}", text("id"), f["depth"], text("certainty")).trim_end().to_owned()
    };
    Some(section["findings"].as_array().expect("findings").iter().map(show).collect())
}

fn kinds(answer: &Value) -> Vec<&str> {
    answer["sections"].as_array().expect("sections").iter().filter_map(|s| s["kind"].as_str()).collect()
}

fn subjects(answer: &Value) -> Vec<&str> {
    answer["subjects"].as_array().expect("subjects").iter().filter_map(|s| s["id"].as_str()).collect()
}

fn check(project: &Project, query: &str, kind: &str, expect: &[&str]) {
    let answer = project.json_or_nothing(&["research", query]);
    assert_eq!(findings(&answer, kind).unwrap_or_else(|| panic!("{query}: {:?}", kinds(&answer))), expect, "{query}");
}

#[test]
fn s12_callers_come_through_the_chain_in_every_language() {
    let project = Project::new(SHOP);
    let expect = [
        "shop/cart.py:Cart.total@1 imported",
        "shop/cart.py:checkout@2 typed",
        "shop/cart.py:main@3 typed",
        "tests/test_cart.py:test_checkout@3 typed",
    ];
    check(&project, "what calls parse", "callers", &expect);
    let expect = [
        "pack/src/lib.rs:Gzip.pack@1 scoped",
        "pack/src/lib.rs:archive@2 typed",
        "pack/src/lib.rs:tests.archives_are_packed@3 typed",
    ];
    check(&project, "who calls squeeze?", "callers", &expect);
    let expect =
        ["store/store.go:Disk.Get@1 scoped", "store/store.go:Load@2 typed", "store/store_test.go:TestLoad@3 typed"];
    check(&project, "callers of `read`", "callers", &expect);
    // A call of the interface's method may mean this one, or that of the other class, or its own: a guess, and marked as one.
    let expect = ["web/encoder.ts:JsonEncoder.encode@1 scoped", "web/server.ts:serve@3 named 1 of 3"];
    check(&project, "callers of quote()", "callers", &expect);
    // A little word is a name where one stands.
    check(&project, "what calls show", "callers", &[]);
}

#[test]
fn s11_implementations_are_found_in_every_language() {
    let project = Project::new(SHOP);
    check(&project, "subclasses of Cart", "implementations", &["shop/cart.py:GiftCart@1 scoped"]);
    let both = ["web/encoder.ts:JsonEncoder@1 scoped", "web/encoder.ts:PlainEncoder@1 scoped"];
    check(&project, "what implements Encoder", "implementations", &both);
    check(&project, "implementations of the Codec trait", "implementations", &["pack/src/lib.rs:Gzip#2@1 scoped"]);
    // A Go type does not say which interfaces it has the methods of: that is a guess, and a type that lacks a method is none.
    check(&project, "what implements Store", "implementations", &["store/store.go:Disk@1 named"]);
    let answer = project.json(&["research", "what implements Store"]);
    assert_eq!(answer["sections"][0]["about"], "1 type has every method of Store");
    assert_eq!(answer["sections"][0]["guesses"], 1);
    let both = ["web/encoder.ts:JsonEncoder.encode@1 typed", "web/encoder.ts:PlainEncoder.encode@1 typed"];
    check(&project, "what implements Encoder.encode", "implementations", &both);
}

#[test]
fn a_change_touches_who_uses_it_and_the_tests_that_reach_it() {
    let project = Project::new(SHOP);
    let query = "what would break if parse changed";
    let expect = ["shop/cart.py:Cart.total@1 imported", "shop/cart.py:checkout@2 typed", "shop/cart.py:main@3 typed"];
    check(&project, query, "impact", &expect);
    check(&project, query, "tests", &["tests/test_cart.py:test_checkout@3 typed"]);
    // What takes its place in other types is touched too.
    let expect = [
        "web/server.ts:serve@1 typed",
        "web/encoder.ts:JsonEncoder.encode@1 typed",
        "web/encoder.ts:PlainEncoder.encode@1 typed",
        "web/server.ts:start@2 typed",
    ];
    check(&project, "impact of changing Encoder.encode", "impact", &expect);
    check(&project, "which tests reach squeeze", "tests", &["pack/src/lib.rs:tests.archives_are_packed@3 typed"]);
    check(&project, "which tests reach read", "tests", &["store/store_test.go:TestLoad@3 typed"]);
    check(&project, "which tests reach quote", "tests", &["web/server.test.ts:testStart@5 named 1 of 3"]);
    // Nothing is never said without the calls that are not resolved.
    let answer = project.json_or_nothing(&["research", "what would break if show changed"]);
    assert_eq!(answer["sections"][0]["about"], "nothing outside of tests is known to use show");
    assert_eq!(answer["sections"][0]["unresolved"], json!({ "count": 0, "sites": [] }));
}

#[test]
fn findings_carry_their_evidence() {
    let project = Project::new(SHOP);
    let answer = project.json(&["research", "what calls parse"]);
    let last = &answer["sections"][0]["findings"][2];
    assert_eq!(last["via"], json!(["shop/cart.py:5", "shop/cart.py:12", "shop/cart.py:15"]));
    assert_eq!(last["text"], "checkout(Cart())");
    assert_eq!((&last["from"], &last["edge"]), (&json!("shop/cart.py:checkout"), &json!("invoke")));
    assert_eq!((&last["start_line"], &last["end_line"], &last["kind"]), (&json!(14), &json!(15), &json!("function")));
    let subject = &answer["subjects"][0];
    assert_eq!((&subject["id"], &subject["signature"]), (&json!("shop/money.py:parse"), &json!("def parse(text)")));
    // Equal questions have equal answers.
    let again = project.json(&["research", "what calls parse"]);
    assert_eq!(again["sections"], answer["sections"]);
}

#[test]
fn a_path_is_told_step_by_step_or_that_there_is_none() {
    let project = Project::new(SHOP);
    let steps = ["shop/cart.py:checkout@1 scoped", "shop/cart.py:Cart.total@2 typed", "shop/money.py:parse@3 typed"];
    check(&project, "path from main to parse", "path", &steps);
    check(&project, "how does main reach `parse`?", "path", &steps);
    check(&project, "main -> parse", "path", &steps);
    check(&project, "path from parse to main", "path", &steps);
    // Through an interface: what implements it takes its place.
    let steps = [
        "web/server.ts:serve@1 scoped",
        "web/encoder.ts:Encoder.encode@2 typed",
        "web/encoder.ts:JsonEncoder.encode@3 named 1 of 3",
        "web/encoder.ts:quote@4 named 1 of 3",
    ];
    check(&project, "how does start reach quote", "path", &steps);
    let about = |query: &str| project.json_or_nothing(&["research", query])["sections"][0]["about"].clone();
    assert_eq!(about("path from main to parse"), "main leads to parse in 3 steps");
    assert_eq!(about("path from parse to main"), "no way leads from parse to main; main leads to parse in 3 steps");
    assert_eq!(about("path from show to main"), "no way of 10 steps leads from show to main, or back");
}

#[test]
fn parts_depend_on_each_other() {
    let project = Project::new(SHOP);
    let answer = project.json(&["research", "dependency map"]);
    let show = |f: &Value| format!("{} -> {} {}", f["from"].as_str().unwrap(), f["id"].as_str().unwrap(), f["counts"]);
    let edges = answer["sections"][0]["findings"].as_array().unwrap().iter().map(show);
    let expect = [
        "web/server.ts -> web/encoder.ts {\"import\":2,\"invoke\":2}",
        "shop/cart.py -> shop/money.py {\"import\":1,\"invoke\":1}",
        "tests -> shop/cart.py {\"import\":2,\"invoke\":2}",
        "web/server.test.ts -> web/server.ts {\"import\":1,\"invoke\":1}",
        "store/store_test.go -> store/store.go {\"invoke\":1}",
    ];
    assert_eq!(edges.collect::<Vec<_>>(), expect);
    assert_eq!(answer["subjects"], json!([]));
    assert_eq!(findings(&answer, "external").unwrap(), ["decimal@1 imported", "testing@1 imported"]);
    check(&project, "module map of web", "modules", &["web/encoder.ts@1 imported", "web/server.ts@1 imported"]);
    check(&project, "what depends on shop", "dependents", &["tests/test_cart.py@1 imported"]);
    check(&project, "what depends on decimal", "dependents", &["shop/money.py@1 imported"]);
    check(&project, "what does shop/cart.py depend on", "dependencies", &["shop/money.py@1 imported"]);
    check(&project, "what does checkout use", "dependencies", &["shop/cart.py:Cart.total@1 typed"]);
}

#[test]
fn a_focus_chooses_sections_and_a_name_alone_is_told_all_of() {
    let project = Project::new(SHOP);
    let check = |args: &[&str], expect: &[&str]| {
        let answer = project.json_or_nothing(&[&["research"], args].concat());
        assert_eq!(kinds(&answer), expect, "{args:?}");
    };
    check(&["Cart"], &["implementations", "dependents", "callees", "tests"]);
    check(&["checkout"], &["callers", "callees", "tests", "related"]);
    check(&["shop"], &["modules", "dependents", "external"]);
    check(&["checkout", "--focus", "flow"], &["callers", "callees"]);
    check(&["checkout", "--focus", "dependencies"], &["dependents", "dependencies"]);
    check(&["Encoder", "--focus", "architecture"], &["modules", "implementations"]);
    check(&["what implements Encoder", "--focus", "flow"], &["implementations", "callers"]);
    let wrong = project.cds(&["research", "Cart", "--focus", "floww"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("unknown focus \"floww\" (did you mean \"flow\"?)"), "{}", wrong.stderr);
    // Code that is called by the same code, or written alike.
    let related = project.json(&["research", "what is related to Cart.total"]);
    assert_eq!(kinds(&related), ["related", "similar"]);
}

#[test]
fn what_is_asked_about_is_found_or_told() {
    let project = Project::new(SHOP);
    let ask = |query: &str| project.json_or_nothing(&["research", query]);
    assert_eq!(subjects(&ask("shop/cart.py:Cart.total")), ["shop/cart.py:Cart.total"]);
    assert_eq!(subjects(&ask("what calls Disk.Get")), ["store/store.go:Disk.Get"]);
    // A place is the definition around it.
    assert_eq!(subjects(&ask("shop/cart.py:12")), ["shop/cart.py:checkout"]);
    // A name that several bear is asked about for all, and it says so.
    let total = ask("total");
    assert_eq!(subjects(&total), ["shop/cart.py:Cart.total", "shop/cart.py:GiftCart.total"]);
    let warning = total["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("2 entities are named \"total\": this is about all; an id such as"), "{warning}");
    // A question without a name is about what a search finds, and it says so.
    let words = ask("how is the cart checked out");
    assert!(subjects(&words).contains(&"shop/cart.py:checkout"), "{:?}", subjects(&words));
    assert!(words["warnings"][0].as_str().unwrap().contains("what a search for it finds"), "{}", words["warnings"]);

    let none = project.cds(&["research", "what would break if Crt.total changed"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert_eq!(none.stderr, "cds: nothing is named \"Crt.total\"; near it: Cart.total, GiftCart.total\n");
    let none = project.cds(&["research", "chekout"]);
    assert_eq!((none.code, none.stderr.as_str()), (1, "cds: nothing is named \"chekout\"; near it: checkout\n"));
    for (args, expect) in [
        (&["research", " "][..], "query cannot be empty"),
        (&["research", "x", "--depth", "11"], "depth must be between 1 and 10, not 11"),
        (&["research", "x", "--limit", "0"], "limit must be between 1 and 1000, not 0"),
        (&["research", "x", "--certainty", "sure"], "valid are: scoped, imported, typed, named"),
        (&["research", "x", "--lang", "klingon"], "unknown language"),
    ] {
        let output = project.cds(args);
        assert_eq!(output.code, 2, "{args:?}");
        assert!(output.stderr.contains(expect), "{args:?}: {}", output.stderr);
    }
}

#[test]
fn limits_filters_and_certainty_hold() {
    let project = Project::new(SHOP);
    let ask = |args: &[&str]| project.json_or_nothing(&[&["research", "what calls parse"], args].concat());
    let one = ask(&["--limit", "1"]);
    assert_eq!(findings(&one, "callers").unwrap(), ["shop/cart.py:Cart.total@1 imported"]);
    assert_eq!((&one["sections"][0]["total"], &one["sections"][0]["truncated"]), (&json!(4), &json!(true)));
    assert_eq!(findings(&ask(&["--depth", "1"]), "callers").unwrap().len(), 1);
    // What does not pass is walked through all the same.
    assert_eq!(findings(&ask(&["--path", "tests"]), "callers").unwrap(), ["tests/test_cart.py:test_checkout@3 typed"]);
    assert_eq!(findings(&ask(&["--certainty", "imported"]), "callers").unwrap().len(), 1);
    let sure = project.json_or_nothing(&["research", "callers of quote", "--certainty", "typed"]);
    assert_eq!(findings(&sure, "callers").unwrap(), ["web/encoder.ts:JsonEncoder.encode@1 scoped"]);
}

#[test]
fn a_budget_is_filled_from_every_section_and_says_what_it_left_out() {
    let project = Project::new(SHOP);
    let whole = project.json(&["research", "what would break if parse changed"]);
    let small = project.json(&["research", "what would break if parse changed", "--max-tokens", "160"]);
    let count = |answer: &Value, kind: &str| findings(answer, kind).unwrap().len();
    assert_eq!((count(&whole, "impact"), count(&whole, "tests")), (3, 1));
    assert_eq!((count(&small, "impact"), count(&small, "tests")), (1, 1));
    assert_eq!(small["sections"][0]["total"], 3);
    let warning = small["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("max_tokens 160: findings left out: impact 2; all need about "), "{warning}");
}

#[test]
fn calls_that_are_not_resolved_are_counted() {
    // Nine owners of one method: more than a guess may name.
    let classes: String = (0..9).map(|i| format!("class C{i}:\n    def close(self): ...\n\n")).collect();
    let project = Project::new(&format!("//- a.py\n{classes}def f(x):\n    x.close()\n"));
    let answer = project.json_or_nothing(&["research", "what calls C3.close"]);
    assert_eq!(answer["sections"][0]["unresolved"]["count"], 1);
    let site = &answer["sections"][0]["unresolved"]["sites"][0];
    assert_eq!(site, &json!({ "site": "a.py:29", "from": "a.py:f", "candidates": 9 }));
    let shown = project.cds(&["research", "what calls C3.close"]).stdout;
    assert!(shown.contains("no call of C3.close is known"), "{shown}");
    assert!(shown.contains("1 call of this name may mean it or others: a.py:29"), "{shown}");
}

#[test]
fn it_is_drawn_as_trees_lists_and_tables() {
    let project = Project::new(SHOP);
    let run = |format: &str| project.cds(&["research", "what would break if parse changed", "-f", format]).stdout;
    assert_eq!(
        run("human"),
        "parse  function  shop/money.py:3-4\n\
         \u{20}  def parse(text)\n\
         \n\
         impact  a change of parse may touch 3 places in 1 file\n\
         └─ Cart.total method  shop/cart.py:5  imported\n\
         \u{20}  │  return parse('1')\n\
         \u{20}  └─ checkout function  shop/cart.py:12  typed\n\
         \u{20}     │  return cart.total()\n\
         \u{20}     └─ main function  shop/cart.py:15  typed\n\
         \u{20}           checkout(Cart())\n\
         \n\
         tests  1 test in 1 file reaches parse\n\
         └─ test_checkout function  tests/test_cart.py:4  typed  by way of checkout\n\
         \u{20}     assert checkout(Cart()) == 1\n\
         \n\
         ask next:\n\
         \u{20} cds research 'what calls shop/money.py:parse'\n\
         \u{20} cds research 'what does shop/money.py:parse call'\n"
    );
    let markdown = run("markdown");
    assert!(markdown.contains("## impact\n\na change of parse may touch 3 places in 1 file\n\n"), "{markdown}");
    assert!(markdown.contains("\n  - `shop/cart.py:12` — checkout (typed): `return cart.total()`\n"), "{markdown}");
    assert!(markdown.contains("\n- `tests/test_cart.py:4` — test_checkout (typed): "), "{markdown}");
    let toon = run("toon");
    assert!(toon.contains("findings[3]{id,depth,from,sure,site,code}:\n"), "{toon}");
    let rows: Vec<Value> = run("jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rows.len(), &rows[3]["section"]), (4, &json!("tests")));
    assert_eq!(run("paths"), "shop/cart.py\ntests/test_cart.py\n");
    let coloured = project.cds(&["research", "what calls parse", "--color", "always"]).stdout;
    assert!(coloured.contains("\u{1b}[35mshop/cart.py:5\u{1b}[0m"), "{coloured}");
}

#[test]
fn agents_get_citations_and_errors_with_names_near() {
    let project = Project::new(SHOP);
    project.cds(&["index"]);
    let service = Service::start(&project, &[]);
    let error = service.rpc("code_research", &json!({ "query": "what calls chekout" })).expect_err("no such name");
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32002), &json!("nothing is named \"chekout\"; near it: checkout"))
    );
    let wrong = service.rpc("research", &json!({ "query": "x", "depth": 11 })).expect_err("out of range");
    assert_eq!(wrong["data"]["field"], "depth");
    let mut mcp = Mcp::start(&project, &[]);
    let told = mcp.call("code_research", &json!({ "query": "what would break if parse changed" }));
    let text = told["content"][0]["text"].as_str().expect("text");
    let expect = "shop/money.py:3-4 def parse(text)\n\
                  impact: a change of parse may touch 3 places in 1 file\n  \
                  shop/cart.py:Cart.total 4-5 (imported) at shop/cart.py:5: return parse('1')\n  \
                  shop/cart.py:checkout 11-12 (2 steps, typed) at shop/cart.py:5 > shop/cart.py:12: return cart.total()\n";
    assert!(text.starts_with(expect), "{text}");
}

#[test]
fn time_that_runs_out_is_told() {
    let many: String = (0..40)
        .map(|f| {
            let calls: String = (0..40).map(|i| format!("    f{}_{i}()\n", (f + 1) % 40)).collect();
            let functions: String = (0..40).map(|i| format!("def f{f}_{i}():\n{calls}\n")).collect();
            format!("//- m{f}.py\nfrom m{} import *\n\n{functions}", (f + 1) % 40)
        })
        .collect();
    let project = Project::new(&many);
    project.cds(&["index"]);
    let args = ["research", "what would break if f0_0 changed", "--depth", "10", "-f", "json", "--no-update"];
    let whole = project.run(&Run { args: &args, ..Run::default() });
    let answer: Value = serde_json::from_str(&whole.stdout).unwrap();
    assert_eq!(answer["partial"], false);
    let output = project.run(&Run { args: &args, env: &[("CDS_TIME_LIMIT_MS", "1")], ..Run::default() });
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(answer["partial"], true, "{}", output.stderr);
    assert!(output.stderr.contains("raise search.time_limit_ms"), "{}", output.stderr);
}
