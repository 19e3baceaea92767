//! Every target with its corpus and some changed inputs, by a fixed seed: what `cargo xtask fuzz` does at length.

use std::path::Path;

use cds_fuzz::{Bound, Corpus, TARGETS, Target, run};

fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("no target {name}"))
}

fn check(name: &str, inputs: usize) {
    let target = target(name);
    let corpus = Corpus::read(target).expect("a corpus");
    let ran = run(target, &corpus, 1, Bound::Inputs(inputs));
    if let Some(input) = ran.broken {
        panic!("{name}: input {} of seed 1 breaks a promise: b\"{}\"", ran.inputs, input.escape_ascii());
    }
}

#[test]
fn facts_of_any_text() {
    check("extract", 150);
}

#[test]
fn any_query() {
    check("query", 400);
}

#[test]
fn any_filter() {
    check("filters", 300);
}

#[test]
fn any_request() {
    check("requests", 60);
}

#[test]
fn any_settings() {
    check("settings", 300);
}

#[test]
fn any_manifest() {
    check("manifest", 30);
}

#[test]
fn any_damage_of_an_index() {
    check("index_readers", 60);
}

#[test]
fn the_corpora_are_small_and_every_target_has_its_files() {
    assert!(TARGETS.is_sorted_by(|a, b| a.name < b.name));
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).expect("the manifest of fuzz");
    for target in TARGETS {
        let name = target.name;
        let corpus = Corpus::read(target).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!((10..=40).contains(&corpus.inputs.len()), "{name}: {} inputs", corpus.inputs.len());
        assert!(corpus.words.len() > 10, "{name}: {} words", corpus.words.len());
        assert!(corpus.inputs.iter().all(|i| i.bytes.len() <= target.longest), "{name}: an input is too long");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in fuzz/Cargo.toml");
        let binary = std::fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).expect("a binary");
        assert!(binary.contains(&format!("cds_fuzz::{name}(data)")), "{name}: {binary}");
    }
    let bytes = |t| Corpus::read(t).expect("a corpus").inputs.iter().map(|i| i.bytes.len()).sum::<usize>();
    assert!(TARGETS.iter().map(bytes).sum::<usize>() <= 100_000);
    assert_eq!(std::fs::read_dir(fuzz.join("fuzz_targets")).expect("a folder").count(), TARGETS.len());
}
