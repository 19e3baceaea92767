//! Retrievers side by side: meaning, words and weighted terms, what each adds, and a reranker behind them.

use std::sync::Arc;
use std::time::Duration;

use cds_encode::{Dense, DenseEncoder, Encoded, ModelError, ModelId, Models, Reranker, Sparse, SparseEncoder};
use cds_model::{Filters, Granularity, Query};
use cds_search::{Mixture, Preset, Retriever, SearchOptions};

use crate::fixture::{Tree, query, set};

const WORDS: &[&str] = &["cat", "dog", "fish"];

/// Reads a text as how often it says each of three words. What it should find can be told by looking.
struct Counter(ModelId);

fn counter() -> Counter {
    Counter(ModelId { name: "counter".into(), dimensions: WORDS.len() as u32, weights: "1".into() })
}

fn counts(text: &str) -> Vec<f32> {
    WORDS.iter().map(|word| text.matches(word).count() as f32).collect()
}

/// No more of a text is read.
const LONGEST: usize = 2_000;

impl DenseEncoder for Counter {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn encode(&self, texts: &[&str]) -> Result<Encoded<Vec<f32>>, ModelError> {
        let vector = |text: &&str| {
            let mut vector = counts(&text[..text.len().min(LONGEST)]);
            cds_encode::normalise(&mut vector);
            vector
        };
        let truncated = texts.iter().filter(|text| text.len() > LONGEST).count();
        Ok(Encoded { entries: texts.iter().map(vector).collect(), truncated })
    }
}

impl SparseEncoder for Counter {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn encode(&self, texts: &[&str]) -> Result<Encoded<Vec<(u32, f32)>>, ModelError> {
        let terms = |text: &&str| (0..).zip(counts(text)).filter(|(_, n)| *n > 0.0).collect();
        let truncated = texts.iter().filter(|text| text.len() > LONGEST).count();
        Ok(Encoded { entries: texts.iter().map(terms).collect(), truncated })
    }

    fn term(&self, term: u32) -> Option<&str> {
        WORDS.get(term as usize).copied()
    }
}

/// Likes long passages, after a while.
struct Slow(ModelId, Duration);

impl Reranker for Slow {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn score(&self, _: &str, passages: &[&str]) -> Result<Encoded<f32>, ModelError> {
        std::thread::sleep(self.1);
        Ok(Encoded { entries: passages.iter().map(|p| p.len() as f32 / 100.0).collect(), truncated: 0 })
    }
}

fn slow(pause: Duration) -> Arc<dyn Reranker> {
    Arc::new(Slow(ModelId { name: "slow".into(), dimensions: 1, weights: "1".into() }, pause))
}

fn models(reranker: Option<Arc<dyn Reranker>>) -> Models {
    Models::with(Some(Dense::Encoder(Box::new(counter()))), Some(Sparse::Encoder(Box::new(counter()))), reranker)
}

const FILES: &[(&str, &str)] = &[
    ("a.txt", "cat cat cat\n"),
    ("b.txt", "cat dog\n"),
    ("c.txt", "dog dog fish\n"),
    ("d.txt", "fish fish fish and some more words about nothing at all\n"),
];

fn tree() -> Tree {
    Tree::with(FILES.iter().copied(), models(None))
}

fn asked(text: &str, preset: &str) -> Query {
    Query { preset: preset.into(), granularity: Granularity::File, chunks_per_file: 1, ..query(text) }
}

fn paths(tree: &Tree, query: &Query, options: &SearchOptions) -> Vec<String> {
    tree.search_with(query, options).hits.iter().map(|hit| tree.path(hit)).collect()
}

#[test]
fn s3_meaning_alone_obeys_limit_and_least_similarity() {
    let tree = tree();
    let check = |limit: usize, least: f32, expect: &[&str]| {
        let options = SearchOptions { min_similarity: Some(least), ..SearchOptions::default() };
        let outcome = tree.search_with(&Query { limit, ..asked("cat", "dense") }, &options);
        let found: Vec<String> = outcome.hits.iter().map(|hit| tree.path(hit)).collect();
        assert_eq!(found, expect, "limit {limit}, least {least}");
        assert!(
            outcome
                .hits
                .iter()
                .all(|hit| hit.retrieved.iter().any(|(name, score, _)| *name == "dense" && *score >= least))
        );
    };
    check(5, 0.7, &["a.txt", "b.txt"]);
    check(5, 0.8, &["a.txt"]);
    check(1, 0.1, &["a.txt"]);
    check(5, 1.0, &["a.txt"]);
}

#[test]
fn s4_what_both_found_comes_first_and_nothing_is_lost() {
    // Words: a.txt, b.txt, c.txt have "zebra"; meaning: c.txt, d.txt, e.txt say "dog".
    let files = [
        ("a.txt", "zebra\n"),
        ("b.txt", "zebra\n"),
        ("c.txt", "zebra dog\n"),
        ("d.txt", "dog cat\n"),
        ("e.txt", "dog fish\n"),
    ];
    let tree = Tree::with(files.into_iter(), models(None));
    let found = paths(&tree, &asked("zebra dog", "hybrid"), &SearchOptions::default());
    assert_eq!(found[0], "c.txt");
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn s5_a_large_semantic_weight_lets_meaning_decide() {
    // By words b.txt is best (it has both); by meaning c.txt.
    let files = [("b.txt", "lonely dog\n"), ("c.txt", "dog dog cat cat and many other things\n")];
    let tree = Tree::with(files.into_iter(), models(None));
    let check = |weight: f32, expect: &str| {
        let options = set(&[("semantic_weight", weight), ("alpha", 0.0)]);
        assert_eq!(paths(&tree, &asked("lonely dog cat", "hybrid"), &options)[0], expect, "{weight}");
    };
    check(0.9, "c.txt");
    check(0.1, "b.txt");
}

#[test]
fn s6_scores_count_unless_alpha_is_one() {
    let mix = |alpha: f32| Mixture { k: 60.0, bm25: 0.5, sparse: 0.0, dense: 0.5, alpha };
    let a = |alpha: f32| mix(alpha).contribution(Retriever::Bm25, 0.99, 1);
    let b = |alpha: f32| mix(alpha).contribution(Retriever::Dense, 0.6, 1);
    assert!(a(0.7) > 1.3 * b(0.7), "clearly above: {} {}", a(0.7), b(0.7));
    assert!((a(1.0) - b(1.0)).abs() < f32::EPSILON, "ranks alone");
}

#[test]
fn r1_ranks_add_up_by_the_formula() {
    let rice = match Preset::find("rice").unwrap().fusion {
        cds_search::Fusion::Mixed(mixture) => mixture,
        other => panic!("{other:?}"),
    };
    let sum = rice.contribution(Retriever::Sparse, 0.3, 3) + rice.contribution(Retriever::Dense, 0.9, 7);
    assert!((sum - (0.5 / 63.0 + 0.5 / 67.0)).abs() < 1e-7);
    assert!((sum - 0.015_40).abs() < 1e-5);
}

#[test]
fn r2_what_one_list_lacks_is_still_ranked() {
    let files = [("a.txt", "zebra\n"), ("b.txt", "dog\n")];
    let tree = Tree::with(files.into_iter(), models(None));
    let outcome = tree.search(&asked("zebra dog", "breeze"));
    assert_eq!(outcome.hits.len(), 2);
    for hit in &outcome.hits {
        let sum: f32 = hit.signals.iter().filter(|s| !s.multiplies).map(|s| s.value).sum();
        let by_hand: f32 = hit.retrieved.iter().map(|(_, _, rank)| 0.5 / (60.0 + *rank as f32)).sum();
        assert!((sum - by_hand).abs() < 1e-6, "only the lists that have it add: {hit:?}");
    }
}

#[test]
fn r3_filters_apply_inside_retrieval() {
    let text: Vec<(String, String)> =
        (0..60).map(|i| (format!("{}/f{i}.txt", ["in", "out"][i % 2]), format!("dog {i}\n"))).collect();
    let tree = Tree::with(text.iter().map(|(path, text)| (path.as_str(), text.as_str())), models(None));
    for preset in ["dense", "sparse", "hybrid", "bm25", "rice"] {
        let filters = Filters { paths: vec!["in/**".into()], ..Filters::default() };
        let found = paths(&tree, &Query { filters, limit: 20, ..asked("dog", preset) }, &SearchOptions::default());
        assert_eq!(found.len(), 20, "{preset}: asking for twenty gives twenty");
        assert!(found.iter().all(|path| path.starts_with("in/")), "{preset}");
    }
    let filters = Filters { has_definitions: vec!["nothing".into()], ..Filters::default() };
    assert!(paths(&tree, &Query { filters, ..asked("dog", "dense") }, &SearchOptions::default()).is_empty());
}

#[test]
fn r1_the_sum_of_reciprocal_ranks_is_shown_whatever_alpha_is() {
    let tree = tree();
    for (alpha, k) in [(1.0, 60.0), (0.0, 60.0), (0.5, 10.0)] {
        let options = set(&[("alpha", alpha), ("rrf_k", k), ("rerank", 0.0)]);
        for hit in tree.search_with(&asked("dog", "rice"), &options).hits {
            let ranks = hit.retrieved.iter().map(|(_, _, rank)| 0.5 / (k + *rank as f32));
            assert!((hit.rrf.unwrap() - ranks.sum::<f32>()).abs() < 1e-7, "{hit:?}");
            assert!(hit.retrieved.iter().all(|(name, ..)| *name != "bm25"), "a retriever without a weight: {hit:?}");
        }
    }
    let hits = tree.search(&asked("dog", "dense")).hits;
    assert!(hits.iter().all(|hit| hit.match_type.name() == "dense"), "{hits:?}");
}

#[test]
fn r4_weights_change_the_order() {
    // Terms favour b.txt, which says "dog" most; vectors a.txt, which says nothing else.
    let files = [("a.txt", "dog\n"), ("b.txt", "dog dog dog cat cat\n")];
    let tree = Tree::with(files.into_iter(), models(None));
    let first = |preset: &str| {
        let options = set(&[("rerank", 0.0)]);
        paths(&tree, &asked("dog", preset), &options)[0].clone()
    };
    assert_eq!(first("rice-sparse"), "b.txt");
    assert_eq!(first("rice-dense"), "a.txt");
    assert_eq!(first("rice"), "a.txt", "equal sums: the earlier one");
}

#[test]
fn r5_a_reranker_reorders_in_time_and_is_excused_when_late_or_missing() {
    let check = |reranker: Option<Arc<dyn Reranker>>, limit: u64, first: &str, warning: &str| {
        let tree = Tree::with(FILES.iter().copied(), models(reranker));
        let options = SearchOptions { rerank_limit: Some(Duration::from_millis(limit)), ..SearchOptions::default() };
        let outcome = tree.search_with(&asked("fish dog", "rice"), &options);
        assert_eq!(tree.path(&outcome.hits[0]), first);
        match warning {
            "" => {
                assert_eq!(outcome.warnings, [""; 0]);
                let ranks = |hit: &cds_model::Hit| {
                    hit.retrieved.iter().find(|(name, ..)| *name == "rerank").map(|(_, _, rank)| *rank)
                };
                assert_eq!(outcome.hits.iter().map(ranks).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
            }
            warning => assert!(outcome.warnings.iter().any(|w| w.contains(warning)), "{:?}", outcome.warnings),
        }
    };
    let fused = "c.txt";
    check(Some(slow(Duration::ZERO)), 5_000, "d.txt", "");
    check(Some(slow(Duration::from_secs(3))), 30, fused, "took longer than 30 ms");
    check(None, 5_000, fused, "no reranker is set");
}

#[test]
fn r6_a_query_that_is_too_long_is_cut_and_says_so() {
    let tree = tree();
    let long = "dog ".repeat(600);
    for (preset, expect) in [("rice", 2), ("dense", 1), ("bm25", 0)] {
        let options = set(&[("rerank", 0.0)]);
        let warnings = tree.search_with(&asked(&long, preset), &options).warnings;
        assert_eq!(
            warnings.iter().filter(|w| w.contains("longer than counter reads")).count(),
            expect,
            "{preset}: {warnings:?}"
        );
        assert!(tree.search_with(&asked("dog", preset), &options).warnings.is_empty());
    }
}

#[test]
fn r10_each_retriever_is_timed_beside_the_others() {
    let outcome = tree().search(&asked("dog", "rice"));
    let names: Vec<&str> = outcome.timings.iter().map(|(name, _)| *name).collect();
    for name in ["bm25", "dense_encode", "dense", "sparse_encode", "sparse", "wait", "fuse"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

#[test]
fn words_answer_for_an_index_of_another_model_with_both_remedies() {
    let mut tree = tree();
    tree.tools.models = Models::default();
    for preset in ["dense", "hybrid", "default"] {
        let outcome = tree.search(&asked("dog", preset));
        assert!(outcome.partial && !outcome.hits.is_empty(), "{preset}");
        let told = outcome.warnings.join("\n");
        assert!(told.contains("counter (3 dimensions") && told.contains("cds-static"), "{told}");
        assert!(told.contains("`cds index`") && told.contains("`cds model use counter`"), "{told}");
    }
    assert_eq!(
        tree.found(&Query { granularity: Granularity::File, ..asked("dog", "bm25") }).len(),
        2,
        "words need no model"
    );
}

#[test]
fn without_words_meaning_alone_finds() {
    let tree = tree();
    let options = SearchOptions { no_bm25: true, ..SearchOptions::default() };
    for preset in ["default", "hybrid"] {
        let outcome = tree.search_with(&asked("dog words", preset), &options);
        let by_meaning = |hit: &cds_model::Hit| hit.retrieved.iter().any(|(name, ..)| *name == "dense");
        assert!(!outcome.hits.is_empty() && outcome.hits.iter().all(by_meaning), "{preset}");
    }
}
