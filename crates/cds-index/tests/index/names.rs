//! The name index answers as a look at every name would.

use cds_index::{NameMatch, Snapshot};
use cds_model::EntityId;
use proptest::prelude::*;

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
