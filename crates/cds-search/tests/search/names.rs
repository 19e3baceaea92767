//! Names in a query: which entities they mean, and how their chunks join what words found.

use cds_model::{Filters, Granularity, Kind, Query};

use crate::fixture::{Tree, query};

const TREE: &str = "\
//- parse.py
class Parser:
    limit = 3

    def parseQuery(self, text):
        return text

def parse_header(text):
    return text
//- use.py
def run(parser):
    return parser.parseQuery(\"parse header\")
//- notes.txt
parseQuery is called by run
";

/// Hits as `who found it: what it is`.
fn check(tree: &Tree, query: &Query, expect: &[&str]) {
    let outcome = tree.search(query);
    let mut found: Vec<String> =
        outcome.hits.iter().map(|h| format!("{}: {}", h.match_type.name(), tree.shown(h))).collect();
    found.sort();
    assert_eq!(found, expect, "{:?}", query.text);
}

#[test]
fn words_that_look_like_code_are_names() {
    let tree = Tree::new(TREE);
    let query = |text: &str| Query { preset: "bm25".to_owned(), ..query(text) };
    check(
        &tree,
        &query("who calls parseQuery"),
        &[
            "bm25: notes.txt",
            "bm25: parse.py:Parser",
            "bm25: parse.py:parse_header",
            "bm25: use.py:run",
            "hybrid: parse.py:Parser.parseQuery",
        ],
    );
    // A single word is a name even when it looks like prose.
    check(&tree, &query("run"), &["bm25: notes.txt", "hybrid: use.py:run"]);
    check(&tree, &query("run fast"), &["bm25: notes.txt", "bm25: use.py:run"]);
    // A scope narrows a name.
    check(
        &tree,
        &query("Parser.parseQuery"),
        &[
            "bm25: notes.txt",
            "bm25: parse.py:Parser",
            "bm25: parse.py:parse_header",
            "bm25: use.py:run",
            "hybrid: parse.py:Parser.parseQuery",
        ],
    );
    // Case counts, and folders and files are no definitions.
    check(&tree, &query("Run"), &["bm25: notes.txt", "bm25: use.py:run"]);
    check(&tree, &query("notes.txt"), &["bm25: notes.txt"]);
}

#[test]
fn a_name_that_has_no_words_is_found_by_name_alone() {
    let long = "a".repeat(70);
    let tree = Tree::new(&format!("//- a.py\ndef {long}_b():\n    return 1\n//- b.txt\nstrange\n"));
    let text = format!("strange {long}_b");
    check(&tree, &query(&text), &["hybrid: b.txt", &format!("name: a.py:{long}_b")]);
    // A phrase is a demand: names do not answer for it.
    check(&tree, &query(&format!("\"strange\" {long}_b")), &["hybrid: b.txt"]);
}

#[test]
fn a_named_entity_inside_a_chunk_becomes_what_the_chunk_shows() {
    let tree = Tree::new(
        "//- A.java\nclass Settings {\n    static final int retry_limit = 3;\n    static final int retry_delay = 4;\n}\n",
    );
    check(&tree, &query("set retry_delay"), &["hybrid: A.java:Settings.retry_delay"]);
    // Of two names in one chunk the first found stays.
    check(&tree, &query("retry_limit and retry_delay"), &["hybrid: A.java:Settings.retry_limit"]);
}

#[test]
fn filters_hold_for_names_as_well() {
    let long = "a".repeat(70);
    let tree = Tree::new(&format!(
        "//- A.java\nclass Holder {{\n    static final int {long}_b = 1;\n}}\n//- a.py\ndef {long}_c():\n    return used()\n//- b.txt\nstrange\n"
    ));
    let check_filtered = |text: &str, filters: Filters, expect: &[&str]| {
        check(&tree, &Query { filters, ..query(text) }, expect);
    };
    let field = format!("strange {long}_b");
    let function = format!("strange {long}_c");
    check_filtered(&function, Filters::default(), &["hybrid: b.txt", &format!("name: a.py:{long}_c")]);
    check_filtered(&function, Filters { languages: vec!["text".into()], ..Filters::default() }, &["hybrid: b.txt"]);
    let uses = |name: &str| Filters { has_references: vec![name.into()], ..Filters::default() };
    check_filtered(&function, uses("used"), &[&format!("name: a.py:{long}_c")]);
    check_filtered(&function, uses("unused"), &[]);
    // The field passes where the chunk that holds it would not.
    let constants = Filters { node_types: vec![Kind::known("constant")], ..Filters::default() };
    check_filtered(&field, constants, &[&format!("name: A.java:Holder.{long}_b")]);
    check_filtered(&field, Filters::default(), &["hybrid: b.txt", &format!("name: A.java:Holder.{long}_b")]);
}

#[test]
fn a_file_is_not_shown_twice_for_a_name_and_its_words() {
    let tree = Tree::new(TREE);
    let outcome =
        tree.search(&Query { granularity: Granularity::File, chunks_per_file: 1, ..query("where is parse_header") });
    let paths: Vec<String> = outcome.hits.iter().map(|h| tree.path(h)).collect();
    assert_eq!(paths.iter().filter(|p| *p == "parse.py").count(), 1, "{paths:?}");
    assert_eq!(paths[0], "parse.py");
}
