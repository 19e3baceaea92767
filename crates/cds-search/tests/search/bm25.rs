//! Words to chunks: the formula, prefixes, phrases, limits.

use std::time::Duration;

use cds_model::{Filters, Granularity, Query};
use cds_search::SearchOptions;
use proptest::prelude::*;

use crate::fixture::{Tree, words};

fn check(tree: &Tree, text: &str, expect: &[&str]) {
    assert_eq!(tree.found(&words(text)), expect, "{text:?}");
}

#[test]
fn rare_words_repeated_words_and_short_texts_count_more() {
    let tree = Tree::new(
        "\
//- a.txt
kiwi plum
//- b.txt
plum fig
//- c.txt
plum
//- d.txt
date date lime lemon
//- e.txt
date lime lemon olive
//- f.txt
grape
//- g.txt
grape and a much longer text besides with many other different nouns in between verbs
",
    );
    check(&tree, "kiwi plum", &["a.txt", "c.txt", "b.txt"]);
    check(&tree, "date", &["d.txt", "e.txt"]);
    check(&tree, "grape", &["f.txt", "g.txt"]);
    check(&tree, "lime", &["d.txt", "e.txt"]);
    check(&tree, "nothing", &[]);
}

#[test]
fn every_field_of_a_chunk_is_searched() {
    let tree = Tree::new(
        "\
//- inventory/warehouse.py
class Shelf:
    \"\"\"Holds pallets.\"\"\"

    def restock(self, crate_count):
        return crate_count + bolts
",
    );
    check(&tree, "pallets", &["inventory/warehouse.py:Shelf"]);
    check(&tree, "bolt", &["inventory/warehouse.py:Shelf.restock"]);
    check(&tree, "crate", &["inventory/warehouse.py:Shelf.restock"]);
    check(&tree, "restocking", &["inventory/warehouse.py:Shelf.restock"]);
    assert_eq!(tree.found_sorted(&words("warehouse")).len(), 2, "a path belongs to every chunk of its file");
}

#[test]
fn a_prefix_stands_for_every_word_that_begins_so() {
    let tree = Tree::new(
        "\
//- a.txt
authenticate
//- b.txt
authority
//- c.txt
retrying
//- d.txt
unrelated
",
    );
    let check = |text: &str, expect: &[&str]| assert_eq!(tree.found_sorted(&words(text)), expect, "{text:?}");
    check("auth*", &["a.txt", "b.txt"]);
    check("AUTH*", &["a.txt", "b.txt"]);
    check("authent*", &["a.txt"]);
    check("zzz*", &[]);
    // The index holds `retri`, which does not begin with `retry`.
    check("retry*", &["c.txt"]);
    check("retr*", &["c.txt"]);
    check("*", &[]);
    assert_eq!(tree.search(&words("auth*")).terms, ["authent", "author"], "spelled as the index does");
}

#[test]
fn a_prefix_stands_for_a_bounded_number_of_words() {
    let files: Vec<(String, String)> = (0..100).map(|i| (format!("{i:03}.txt"), format!("zq{}", letters(i)))).collect();
    let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let outcome = tree.search(&Query { limit: 200, ..words("zq*") });
    assert_eq!(outcome.terms.len(), 64);
    assert_eq!(outcome.hits.len(), 64);
    assert!(outcome.terms.is_sorted());
}

/// A number below a hundred in letters, so that it is one word, and one that has no ending to lose.
fn letters(n: usize) -> String {
    [n / 10, n % 10].iter().map(|d| char::from(b"bcfghjkmnp"[*d])).collect()
}

#[test]
fn phrases_must_stand_as_written() {
    let tree = Tree::new(
        "\
//- a.txt
open the file again
//- b.txt
file open
//- c.txt
open a door and find a file
//- d.txt
the of
",
    );
    let check = |text: &str, expect: &[&str]| assert_eq!(tree.found_sorted(&words(text)), expect, "{text:?}");
    check("open file", &["a.txt", "b.txt", "c.txt"]);
    check("\"file open\"", &["b.txt"]);
    check("\"file again\"", &["a.txt"]);
    // Any word may stand where a common one is written.
    check("\"open the file\"", &["a.txt"]);
    check("\"open file\"", &[]);
    check("\"open my file\"", &[]);
    // One word: the chunk must have it, whatever else is asked for.
    check("\"again\" file", &["a.txt"]);
    check("\"absent\" file", &[]);
    check("\"file\" \"door\"", &["c.txt"]);
    // In a sentence quotes belong to what it says: nothing has the word, the rest is looked for.
    check("cannot load \"absent\": the file is not there again", &["a.txt", "b.txt", "c.txt"]);
    // Only the commonest words: they are in no chunk, so nothing is asked for.
    check("\"of the\" again", &["a.txt"]);
}

#[test]
fn time_that_runs_out_gives_a_partial_answer() {
    let tree = Tree::new("//- a.txt\nplum\n//- b.py\ndef plum():\n    pass\n");
    for preset in ["default", "bm25", "cds-index"] {
        let late = SearchOptions { time_limit: Some(Duration::ZERO), ..SearchOptions::default() };
        let query = Query { preset: preset.to_owned(), ..words("plum tree") };
        assert!(tree.search_with(&query, &late).partial, "{preset}");
        let ample = SearchOptions { time_limit: Some(Duration::from_mins(10)), ..SearchOptions::default() };
        let outcome = tree.search_with(&query, &ample);
        assert!(!outcome.partial && !outcome.hits.is_empty(), "{preset}");
    }
}

#[test]
fn only_the_best_go_on_but_all_files_are_found() {
    let functions: String = (0..1_600).map(|i| format!("def function_{i}():\n    return walrus\n")).collect();
    let tree = Tree::of([("many.py", functions.as_str()), ("one.txt", "walrus")].into_iter());
    let outcome = tree.search(&Query { granularity: Granularity::Chunk, limit: 3_000, ..words("walrus") });
    assert_eq!((outcome.hits.len(), outcome.total), (4, 4), "three chunks of a file are shown");
    assert_eq!(outcome.hits[0].more_in_file, 1_597, "all are counted");
    let query = Query { chunks_per_file: 2_000, limit: 3_000, ..words("walrus") };
    assert_eq!(tree.search(&query).total, 700);
    assert!(tree.search(&Query { granularity: Granularity::File, ..query }).total == 2);
}

#[test]
fn words_past_the_thirty_second_are_still_found() {
    let many: Vec<String> = (0..40).map(|i| format!("zq{}", letters(i))).collect();
    let tree = Tree::of([("last.txt", many[39].as_str()), ("first.txt", many[0].as_str())].into_iter());
    let outcome = tree.search(&words(&many.join(" ")));
    let scores: Vec<(String, f32)> = outcome.hits.iter().map(|h| (tree.shown(h), h.score)).collect();
    assert_eq!(scores.len(), 2, "{scores:?}");
    assert!(scores.iter().all(|(_, score)| *score > 0.0), "{scores:?}");
}

#[test]
fn names_a_chunk_must_define_or_use_are_asked_of_the_postings() {
    let tree = Tree::new(
        "\
//- a.py
def caller():
    return helper()

def other():
    return helper_two()

def helper():
    return 1
",
    );
    let check = |definitions: &[&str], references: &[&str], expect: &[&str]| {
        let own = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let filters =
            Filters { has_definitions: own(definitions), has_references: own(references), ..Filters::default() };
        let found = tree.found_sorted(&Query { filters, ..words("helper caller other") });
        assert_eq!(found, expect, "{definitions:?} {references:?}");
    };
    check(&[], &[], &["a.py:caller", "a.py:helper", "a.py:other"]);
    check(&["helper"], &[], &["a.py:helper"]);
    check(&["helper", "other"], &[], &["a.py:helper", "a.py:other"]);
    check(&["Helper"], &[], &[]);
    check(&[], &["helper"], &["a.py:caller"]);
    check(&[], &["helper", "helper_two"], &["a.py:caller", "a.py:other"]);
    check(&["caller"], &["helper"], &["a.py:caller"]);
    check(&["helper"], &["helper"], &[]);
    check(&["absent"], &[], &[]);
}

/// BM25 as it is written down, over whole texts; no term is in a path.
fn by_hand(texts: &[Vec<&str>], asked: &[&str], of: usize) -> f32 {
    let (k1, b) = (1.2, 0.75);
    let total = texts.len() as f32;
    let average = (texts.iter().map(Vec::len).sum::<usize>() as f32 / total).max(1.0);
    let score = |word: &&str| {
        let holders = texts.iter().filter(|t| t.contains(word)).count() as f32;
        let rarity = (1.0 + (total - holders + 0.5) / (holders + 0.5)).ln();
        let times = texts[of].iter().filter(|w| *w == word).count() as f32;
        let frequency = times / (1.0 - b + b * texts[of].len() as f32 / average);
        rarity * frequency * (k1 + 1.0) / (frequency + k1)
    };
    asked.iter().map(score).sum()
}

const VOCABULARY: [&str; 6] = ["kiwi", "plum", "fig", "melon", "mango", "quinoa"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_are_those_of_the_formula(
        texts in prop::collection::vec(prop::collection::vec(prop::sample::select(&VOCABULARY[..]), 1..20), 1..8),
        asked in prop::sample::subsequence(&VOCABULARY[..], 1..4),
    ) {
        let files: Vec<(String, String)> =
            texts.iter().enumerate().map(|(i, words)| (format!("{i}.txt"), words.join(" "))).collect();
        let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let outcome = tree.search(&words(&asked.join(" ")));
        let holders = texts.iter().filter(|t| asked.iter().any(|w| t.contains(w))).count();
        prop_assert_eq!(outcome.hits.len(), holders);
        for (rank, hit) in outcome.hits.iter().enumerate() {
            let of: usize = tree.path(hit).trim_end_matches(".txt").parse().unwrap();
            let (name, score, at) = *hit.retrieved.iter().find(|(name, _, _)| *name == "bm25").unwrap();
            let expect = by_hand(&texts, &asked, of);
            prop_assert!((score - expect).abs() < 1e-4 * expect.max(1.0), "{}: {} and {}", name, score, expect);
            prop_assert_eq!(at as usize, rank + 1);
        }
    }
}
