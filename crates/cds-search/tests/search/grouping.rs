//! What one hit stands for, how many are shown, and pages.

use std::collections::BTreeSet;

use cds_model::{Granularity, Hit, Query};
use cds_search::SearchOptions;
use proptest::prelude::*;

use crate::fixture::{Tree, query, words};

const TREE: &str = "\
//- a.py
def first():
    return walrus

def second():
    return walrus, walrus

def third():
    return nothing
//- b.py
def fourth():
    return walrus
//- c.txt
walrus
";

fn grouped(granularity: Granularity, chunks_per_file: usize) -> Query {
    Query { granularity, chunks_per_file, ..words("walrus") }
}

/// Hits as `path +more`, in order, and the total.
fn check(tree: &Tree, query: &Query, expect: &[&str], total: usize) {
    let outcome = tree.search(query);
    let found: Vec<String> = outcome.hits.iter().map(|h| format!("{} +{}", tree.shown(h), h.more_in_file)).collect();
    assert_eq!((found, outcome.total), (expect.iter().map(ToString::to_string).collect(), total), "{query:?}");
}

#[test]
fn a_file_is_shown_by_its_best_chunks() {
    let tree = Tree::new(TREE);
    check(&tree, &grouped(Granularity::File, 1), &["c.txt:1-1 +0", "a.py:second +1", "b.py:fourth +0"], 3);
    let two = ["c.txt:1-1 +0", "a.py:second +0", "a.py:first +0", "b.py:fourth +0"];
    check(&tree, &grouped(Granularity::File, 2), &two, 3);
    check(&tree, &grouped(Granularity::Document, 9), &two, 3);
}

#[test]
fn chunks_are_grouped_by_the_joint_score_of_their_file() {
    let tree = Tree::new(TREE);
    let expect = ["a.py:second +0", "a.py:first +0", "c.txt:1-1 +0", "b.py:fourth +0"];
    check(&tree, &grouped(Granularity::Chunk, 3), &expect, 4);
    check(&tree, &grouped(Granularity::Chunk, 1), &["a.py:second +1", "c.txt:1-1 +0", "b.py:fourth +0"], 3);
}

#[test]
fn an_entity_is_one_hit_and_a_file_stands_for_what_is_none() {
    let tree = Tree::new(TREE);
    let expect = ["c.txt +0", "a.py:second +0", "a.py:first +0", "b.py:fourth +0"];
    check(&tree, &grouped(Granularity::Entity, 1), &expect, 4);
    // A long function is many chunks and one entity.
    let body: String = (0..200).map(|i| format!("    walrus({i})\n")).collect();
    let tree = Tree::of([("long.py", format!("def long():\n{body}").as_str())].into_iter());
    check(&tree, &grouped(Granularity::Entity, 1), &["long.py:long +0"], 1);
    assert!(tree.search(&grouped(Granularity::Chunk, 9)).total > 1);
}

#[test]
fn nothing_found_is_nothing_counted() {
    let tree = Tree::new(TREE);
    for granularity in Granularity::ALL {
        check(&tree, &Query { text: "absent".into(), ..grouped(granularity, 1) }, &[], 0);
        check(&tree, &Query { text: String::new(), ..grouped(granularity, 1) }, &[], 0);
    }
}

#[test]
fn the_limit_counts_files_or_hits() {
    let tree = Tree::new(TREE);
    let check = |granularity: Granularity, limit: usize, expect: usize, more: bool| {
        let outcome = tree.search(&Query { limit, ..grouped(granularity, 9) });
        assert_eq!((outcome.hits.len(), outcome.more), (expect, more), "{granularity:?} {limit}");
    };
    check(Granularity::File, 1, 1, true);
    check(Granularity::File, 2, 3, true);
    check(Granularity::File, 3, 4, false);
    check(Granularity::Document, 2, 3, true);
    check(Granularity::Chunk, 2, 2, true);
    check(Granularity::Chunk, 4, 4, false);
    check(Granularity::Entity, 3, 3, true);
    check(Granularity::Entity, 0, 0, true);
    check(Granularity::Entity, 9, 4, false);
}

#[test]
fn the_best_hit_is_as_good_as_the_share_of_the_query_it_answers() {
    let tree = Tree::new("//- a.txt\nkiwi plum\n//- b.txt\nfig\n//- c.txt\nlime\n");
    let best = |text: &str| tree.search(&words(text)).hits[0].score;
    assert!((best("kiwi plum") - 1.0).abs() < 1e-6);
    assert!((best("kiwi fig") - 0.5).abs() < 1e-6);
    let some = best("kiwi plum absent");
    assert!(some > 0.3 && some < 0.7, "{some}");
}

/// Words that are in one place, in many files, in one large file, and a name.
const QUERIES: &[&str] =
    &["walrus first second nothing", "walrus", "second", "walrus_7", "where is the tusk of a walrus"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_put_together_are_the_whole(
        limit in 1usize..40,
        which in 0usize..4,
        per_file in 1usize..4,
        preset in 0usize..cds_search::PRESETS.len(),
        text in 0usize..QUERIES.len(),
    ) {
        let tree = TREES.with(Clone::clone);
        let preset = cds_search::PRESETS[preset].name.to_owned();
        let ask = Query {
            granularity: Granularity::ALL[which],
            chunks_per_file: per_file,
            preset,
            limit: 1_000,
            ..query(QUERIES[text])
        };
        let all = tree.search(&ask);
        let whole: Vec<String> = all.hits.iter().map(|hit| tree.shown(hit)).collect();
        let count = |hits: &[Hit]| match ask.granularity {
            Granularity::File | Granularity::Document => hits.iter().map(|h| tree.path(h)).collect::<BTreeSet<_>>().len(),
            _ => hits.len(),
        };
        prop_assert_eq!(count(&all.hits), all.total, "the total is what can be reached");
        let mut pages = Vec::new();
        let mut offset = 0;
        loop {
            let options = SearchOptions { offset, ..SearchOptions::default() };
            let page = tree.search_with(&Query { limit, ..ask.clone() }, &options);
            pages.extend(page.hits.iter().map(|h| tree.shown(h)));
            prop_assert!(page.hits.iter().all(|h| (0.0..=1.0).contains(&h.score)));
            prop_assert!(page.total == all.total || page.total_is_lower_bound, "the total depends on the page");
            offset += limit;
            if !page.more {
                break;
            }
            prop_assert!(!page.hits.is_empty() && offset < 1_000);
        }
        prop_assert_eq!(&pages, &whole);
        let mut once = pages.clone();
        once.sort();
        once.dedup();
        prop_assert!(once.len() == pages.len() || ask.chunks_per_file > 1 || ask.granularity == Granularity::Chunk);
    }
}

thread_local! {
    /// One file with more matches than a retriever hands over, and more files than it hands over.
    static TREES: std::rc::Rc<Tree> = {
        let many: String = (0..150).map(|i| format!("def walrus_{i}(first):\n    return second(first, {i})\n\n")).collect();
        let files: Vec<(String, String)> =
            (0..130).map(|i| (format!("d{}/f{i}.py", i % 7), format!("def tusk_{i}():\n    return walrus + {i}\n"))).collect();
        let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let own = TREE.split("//- ").skip(1).map(|file| file.split_once('\n').expect("a path on a line of its own"));
        std::rc::Rc::new(Tree::of(files.chain(own).chain([("many.py", many.as_str())])))
    };
}
