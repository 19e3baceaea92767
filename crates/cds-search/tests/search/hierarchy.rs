//! The preset `cds-index`: names first, then words, never the other way round.

use cds_model::{EntityType, Filters, Granularity, MatchType, Query};
use cds_search::SearchOptions;

use crate::fixture::{Tree, query};

const TREE: &str = "\
//- a.py
def token():
    return 1

def token_reader():
    return 2

def tokenize(text):
    return 3

def read():
    \"\"\"Reads a token.\"\"\"
    return 4
//- notes.txt
a token is a word
";

fn names(text: &str) -> Query {
    Query { preset: "cds-index".to_owned(), ..query(text) }
}

/// Hits as `retriever: what`, best first.
fn check(tree: &Tree, text: &str, enough: Option<usize>, expect: &[&str]) {
    let options = SearchOptions { upper_threshold: enough, ..SearchOptions::default() };
    let outcome = tree.search_with(&names(text), &options);
    let found: Vec<String> =
        outcome.hits.iter().map(|h| format!("{}: {}", h.match_type.name(), tree.shown(h))).collect();
    assert_eq!(found, expect, "{text:?} {enough:?}");
}

#[test]
fn words_join_when_names_are_few() {
    let tree = Tree::new(TREE);
    let by_name = ["name: a.py:token", "name: a.py:tokenize", "name: a.py:token_reader"];
    let with_words = [&by_name[..], &["bm25: a.py:read"]].concat();
    check(&tree, "token", None, &with_words);
    check(&tree, "token", Some(4), &with_words);
    check(&tree, "token", Some(3), &by_name);
    check(&tree, "token", Some(1), &by_name);
    check(&tree, "Token", Some(1), &by_name);
    check(&tree, "tok", Some(1), &by_name);
    // Two letters are a name, but no beginning of one.
    check(&tree, "to", None, &[]);
    check(&tree, "words of prose", None, &[]);
    check(&tree, "read", Some(1), &["name: a.py:read"]);
}

#[test]
fn names_stand_above_words() {
    let tree = Tree::new(TREE);
    let outcome = tree.search(&names("token"));
    for hit in &outcome.hits {
        match hit.match_type {
            MatchType::Name => {
                let is_exact = tree.shown(hit) == "a.py:token";
                assert_eq!((hit.score >= 1.0, hit.signals[0].name), (is_exact, "name"), "{hit:?}");
                assert!(hit.score > 0.98, "{hit:?}");
            }
            _ => assert!(hit.score <= 0.98 && hit.signals[0].name == "bm25", "{hit:?}"),
        }
    }
    let ranks: Vec<u32> = outcome.hits.iter().map(|h| h.retrieved[0].2).collect();
    assert_eq!(&ranks[..3], [1, 2, 3]);
    assert!(outcome.terms.contains(&"token".to_owned()), "for highlights: {:?}", outcome.terms);
}

#[test]
fn what_is_no_entity_is_not_shown() {
    // The text file has the word most often, but no entity.
    let tree = Tree::new("//- a.py\ndef f():\n    return walrus\n//- b.txt\nwalrus walrus walrus\n");
    check(&tree, "walrus", None, &["bm25: a.py:f"]);
}

#[test]
fn stages_are_named_in_order() {
    let tree = Tree::new(TREE);
    let stages = |query: &Query| -> Vec<&str> { tree.search(query).timings.iter().map(|(name, _)| *name).collect() };
    assert_eq!(stages(&names("token")), ["parse", "names", "hierarchy", "group", "cut"]);
    let evidence = [
        "parse",
        "names",
        "bm25",
        "wait",
        "mentions",
        "signals",
        "factors",
        "relations",
        "group",
        "cut",
        "dense_encode",
        "dense",
    ];
    assert_eq!(stages(&query("token")), evidence);
    let words = ["parse", "names", "bm25", "wait", "mentions", "signals", "factors", "relations", "group", "cut"];
    assert_eq!(stages(&Query { preset: "bm25".into(), ..query("token") }), words);
    assert_eq!(stages(&query("")), ["parse"]);
}

#[test]
fn c3_the_exact_name_stands_before_longer_ones_however_many() {
    let others: String = (10..25).map(|i| format!("class Session{i}Thing:\n    pass\n\n")).collect();
    let tree = Tree::of(
        [("a.py", others.as_str()), ("z.py", "class Session:\n    pass\n\nclass session:\n    pass\n")].into_iter(),
    );
    let found = tree.found(&names("Session"));
    assert_eq!(found[..3], ["z.py:Session", "z.py:session", "a.py:Session10Thing"]);
    assert_eq!(tree.search(&names("Session")).total, 17);
}

#[test]
fn c2_filters_apply_before_names_are_counted() {
    let functions: String = (0..250).map(|i| format!("def get_{i}():\n    pass\n\n")).collect();
    let tree = Tree::of(
        [("a.py", functions.as_str()), ("b.py", "class Getter:\n    pass\n"), ("get/c.py", "x = 1\n")].into_iter(),
    );
    let of = |text: &str, kind: EntityType| {
        let filters = Filters { entity_types: vec![kind], ..Filters::default() };
        tree.found(&Query { filters, ..names(text) })
    };
    assert_eq!(of("get", EntityType::Class), ["b.py:Getter"]);
    assert_eq!(of("get", EntityType::Directory), ["get"]);
    assert_eq!(of("c.py", EntityType::File), ["get/c.py"]);
    assert_eq!(tree.search(&names("get_7")).hits.len(), 11, "get_7, and what begins so");
    assert_eq!(tree.search(&names("get")).total, 252, "names are not cut");
}

#[test]
fn c3_names_are_compared_as_the_query_spells_them() {
    let tree = Tree::of([("a.py", "def mailbox():\n    pass\n\nclass Mailbox:\n    pass\n")].into_iter());
    assert_eq!(tree.found(&names("the Mailbox")), ["a.py:Mailbox", "a.py:mailbox"]);
    assert_eq!(tree.found(&names("the mailbox")), ["a.py:mailbox", "a.py:Mailbox"]);
}

#[test]
fn a_folder_is_neither_a_chunk_nor_nested() {
    let tree = Tree::of([("get/a.py", "x = 1\n"), ("get/b.py", "y = 1\n")].into_iter());
    let of = |granularity: Granularity, scope_depth: Option<(u32, u32)>| {
        let filters = Filters { entity_types: vec![EntityType::Directory], scope_depth, ..Filters::default() };
        tree.found(&Query { filters, granularity, ..names("get") })
    };
    assert_eq!(of(Granularity::Entity, None), ["get"]);
    assert!(of(Granularity::Chunk, None).is_empty());
    assert!(of(Granularity::Entity, Some((0, 3))).is_empty());
}
