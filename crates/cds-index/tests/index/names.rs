//! The name index answers as a look at every name would.

use cds_index::{NameMatch, Snapshot};
use cds_model::{ChunkId, EntityId};
use proptest::prelude::*;
use std::collections::BTreeSet;

use crate::fixture::Tree;

const TREE: &str = "\
//- a.py
class Parser:
    def parse(self): pass
    def Parse(self): pass
    def PARSE(self): pass

def parse_all(): pass
def praise(): pass
def purse(): pass
def sparse(): pass
def ünïcode(): pass
def Ünïcode(): pass
//- parse/parse.py
def x(): pass
def xy(): pass
";

fn check(snapshot: &Snapshot, name: &str, how: NameMatch, expect: &str) {
    let found = snapshot.find_names(name, how, 100);
    let names: Vec<&str> = found.iter().map(|&id| snapshot.entity(id).unwrap().name()).collect();
    assert_eq!(names.join(" "), expect, "{name:?} {how:?}");
}

#[test]
fn names_are_found_each_way() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    let check = |name: &str, how: NameMatch, expect: &str| check(&snapshot, name, how, expect);
    check("parse", NameMatch::Exact, "parse parse");
    check("Parse", NameMatch::Exact, "Parse");
    check("pArse", NameMatch::Exact, "");
    check("pArse", NameMatch::AnyCase, "parse Parse PARSE parse");
    check("parse", NameMatch::Prefix, "parse parse parse.py parse_all");
    check("Pars", NameMatch::Prefix, "Parse Parser");
    check("PARS", NameMatch::PrefixAnyCase, "parse Parse PARSE parse parse.py parse_all Parser");
    check("", NameMatch::Exact, "");
    check("ÜNÏCODE", NameMatch::AnyCase, "ünïcode Ünïcode");
    check("parse", NameMatch::Fuzzy(0), "parse Parse PARSE parse");
    // Those that begin alike come first.
    check("parse", NameMatch::Fuzzy(1), "parse Parse PARSE parse Parser purse sparse");
    check("prse", NameMatch::Fuzzy(1), "parse Parse PARSE parse purse");
    check("zzzzz", NameMatch::Fuzzy(2), "");
    check(&"sphinxofblackquartz".repeat(20), NameMatch::Fuzzy(2), "");
}

#[test]
fn no_more_are_given_than_asked_for() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    for how in [NameMatch::Exact, NameMatch::AnyCase, NameMatch::Prefix, NameMatch::PrefixAnyCase, NameMatch::Fuzzy(2)]
    {
        let all = snapshot.find_names("parse", how, 100);
        for most in 0..=all.len() {
            assert_eq!(snapshot.find_names("parse", how, most), all[..most], "{how:?} {most}");
        }
    }
}

/// Edits between two words, in characters.
fn distance(a: &str, b: &str) -> u32 {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<u32> = (0..=b.len() as u32).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i as u32;
        row[0] = i as u32 + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = corner + u32::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = cost.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn answers(name: &str, asked: &str, how: NameMatch) -> bool {
    let (lower, asked_lower) = (name.to_lowercase(), asked.to_lowercase());
    match how {
        NameMatch::Exact => name == asked,
        NameMatch::AnyCase => lower == asked_lower,
        NameMatch::Prefix => name.starts_with(asked),
        NameMatch::PrefixAnyCase => lower.starts_with(&asked_lower),
        NameMatch::Fuzzy(edits) => distance(&lower, &asked_lower) <= edits,
    }
}

thread_local! {
    static SNAPSHOT: (Tree, Snapshot) = {
        let tree = Tree::new(TREE);
        let snapshot = tree.built();
        (tree, snapshot)
    };
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_answers_as_a_look_at_every_name(name in "[parseuPARSE_.ïÜü]{1,8}|x|xy|parse[._a-z]{0,3}", edits in 0u32..3) {
        SNAPSHOT.with(|(_, snapshot)| {
            use NameMatch::{AnyCase, Exact, Fuzzy, Prefix, PrefixAnyCase};
            for how in [Exact, AnyCase, Prefix, PrefixAnyCase, Fuzzy(edits)] {
                let mut found = snapshot.find_names(&name, how, 1_000);
                found.sort_unstable();
                // The root is found by its path alone.
                let is_named = |id: &EntityId| snapshot.root().is_some_and(|root| root.id != *id);
                let all = (0..snapshot.entity_count() as u32).map(EntityId).filter(is_named);
                let expect: Vec<EntityId> = all.filter(|&id| answers(snapshot.entity(id).unwrap().name(), &name, how)).collect();
                assert_eq!(found, expect, "{name:?} {how:?}");
            }
        });
    }
}

#[test]
fn tables_of_names_agree_with_facts_also_after_updates() {
    let long = |seed: &str| {
        let body: String = (0..90).map(|i| format!("    {seed}_{i} = log.get({seed}, {i})\n")).collect();
        format!(
            "import config\n\ndef {seed}(a, b=config.base):\n{body}\n\n{}",
            "def inner(): return AWS.S3\n".repeat(120)
        )
    };
    let tree = Tree::new("//- a.rs\nuse tokio::sync;\nstruct S { size: u32 }\nfn f(s: S) { let x = s.size; }\n");
    tree.write("b.py", long("first"));
    tree.write("c.js", "const aws = require('aws-sdk');\nclass A { name = aws.S3(); }\n");
    tree.write("d.vue", "<script>\nconst { e, f } = g;\n</script>\n");
    tree.settle();
    check_agreement(&tree.built());
    tree.write("b.py", long("second"));
    tree.write("aa.go", "package p\nvar logger = http.Client{}\n");
    std::fs::remove_file(tree.root().join("c.js")).unwrap();
    let updated = tree.built();
    assert!(updated.part_count() > 1);
    check_agreement(&updated);
    let none = updated.chunks_using("aws-sdk").count();
    assert_eq!((none, updated.chunks_defining("second").count(), updated.chunks_using("tokio").count()), (0, 1, 1));
}

/// Every name is found in the chunks whose facts have it, and in no others.
fn check_agreement(snapshot: &Snapshot) {
    type Named = BTreeSet<(String, u32)>;
    let (mut defined, mut used) = (Named::new(), Named::new());
    for document in snapshot.documents() {
        let file = snapshot.load(document.id).unwrap();
        for (i, id) in document.chunks().enumerate() {
            let inside = file.inside(file.chunk(i as u32).unwrap().span).unwrap();
            defined.extend(inside.definitions().map(|name| (name.to_owned(), id.0)));
            used.extend(inside.uses().map(|name| (name.to_owned(), id.0)));
        }
    }
    let names: BTreeSet<&str> = defined.iter().chain(&used).map(|(name, _)| name.as_str()).collect();
    let find = |find: &dyn Fn(&str) -> Vec<ChunkId>| -> Named {
        names.iter().flat_map(|name| find(name).into_iter().map(|chunk| ((*name).to_owned(), chunk.0))).collect()
    };
    assert_eq!(find(&|name| snapshot.chunks_defining(name).collect()), defined);
    assert_eq!(find(&|name| snapshot.chunks_using(name).collect()), used);
    assert!(defined.len() > 100 && used.len() > 10);
}
