//! A small package full of oddities, and what LocAgent gave for it: everything must be equal.

// Shared with the measuring example, which reads more of it.
#[allow(dead_code)]
mod compare;

use std::path::Path;

use cds_locagent::Repository;

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny")
}

#[test]
fn the_odd_package_is_equal_in_everything() {
    let repository = Repository::build(&fixtures().join("source")).expect("the source can be read");
    let report = compare::compare(&repository, &fixtures());
    assert!(report.notes.is_empty(), "{}", report.notes.join("\n"));
    assert_eq!(report.graph_differences, 0);
    for share in [report.chunks, report.chunk_texts, report.overlap, report.name_hits, report.outlines, report.trees] {
        assert!(share.is_whole() && share.all > 0.0, "{report:?}");
    }
}

#[test]
fn what_is_kept_is_what_was_built() {
    let home = tempfile::tempdir().expect("a folder");
    let built = Repository::build(&fixtures().join("source")).expect("the source can be read");
    built.save(home.path()).expect("it can be written");
    let loaded = Repository::load(home.path()).expect("it can be read");
    let report = compare::compare(&loaded, &fixtures());
    assert!(report.notes.is_empty(), "{}", report.notes.join("\n"));
    assert!(loaded.is_current(&fixtures().join("source")));
}

#[test]
fn damage_is_told() {
    let home = tempfile::tempdir().expect("a folder");
    let built = Repository::build(&fixtures().join("source")).expect("the source can be read");
    built.save(home.path()).expect("it can be written");
    let file = home.path().join("locagent.bin");
    let whole = std::fs::read(&file).expect("a file");
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        std::fs::write(&file, &damaged).expect("written");
        assert!(Repository::load(home.path()).is_err(), "a changed byte at {at} goes unnoticed");
        std::fs::write(&file, &whole[..at]).expect("written");
        assert!(Repository::load(home.path()).is_err(), "an end at {at} goes unnoticed");
    }
}
