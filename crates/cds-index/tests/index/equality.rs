//! After any sequence of edits and git operations an updated index equals one built from nothing: to the last byte of its dump, and in
//! hits and scores to the last bit.
//!
//! Trees are those of the graph's own cases, one folder per case: small files of every language that use each other in every way that is
//! known. `CDS_EQUALITY_TREE` names another folder, which is copied; `CDS_EQUALITY_STEPS` is the number of steps, `CDS_EQUALITY_SEED`
//! selects them, and `CDS_EQUALITY_EVERY=N` compares after every Nth step only. `docs/fuzzing.md` has the long run.

use std::path::PathBuf;
use std::sync::Arc;

use cds_index::{BuildReport, Seen, Snapshot};
use cds_model::{Filters, Granularity, Query};
use cds_search::{SearchOptions, Tools};

use crate::edits::{Edited, Files, cases, copied, each_case, small_edits};
use crate::fixture::Tree;
use crate::repository::Repository;

/// What an index built from nothing says.
fn clean(tree: &Tree, queries: &[String]) -> String {
    let home = tempfile::tempdir().expect("a temporary folder");
    tree.try_build(|build| build.home = home.path()).expect("the tree is indexed");
    told(&Snapshot::open(home.path()).expect("the index opens"), queries)
}

/// What an index says, and what it answers.
fn told(snapshot: &Snapshot, queries: &[String]) -> String {
    let mut told = snapshot.dump().expect("it can be read");
    let tools = Tools::default();
    for text in queries {
        let query = Query {
            text: text.clone(),
            limit: 20,
            granularity: Granularity::File,
            chunks_per_file: 1,
            filters: Filters::default(),
            preset: "default".to_owned(),
        };
        let outcome = cds_search::search(snapshot, &query, &SearchOptions::default(), &tools);
        let outcome = outcome.expect("the query is answered");
        told.push_str(&format!("answer {text:?}: {} in all\n", outcome.total));
        for hit in outcome.hits {
            let scores: Vec<(&str, u32)> = hit.retrieved.iter().map(|(by, s, _)| (*by, s.to_bits())).collect();
            told.push_str(&format!("answer {text:?}: {} {:08x} {scores:?}\n", hit.chunk.0, hit.score.to_bits()));
        }
    }
    told
}

/// Updates the index of a tree and compares it with a clean one.
pub(crate) fn assert_equal_to_clean(tree: &Tree, what: &str) -> BuildReport {
    let report = tree.try_build(|build| build.quick = true).unwrap_or_else(|e| panic!("{what}: {e}"));
    let (updated, clean) = (told(&tree.open(), &[]), clean(tree, &[]));
    assert!(updated == clean, "{what}\n{}", difference(&updated, &clean));
    report
}

/// One step of a run; returns what it was.
type Step<'a> = &'a mut dyn FnMut(&mut Repository) -> String;

/// Takes steps and compares after each.
fn check(files: Files, seed: u64, steps: usize, step: Step) {
    let every = setting("CDS_EQUALITY_EVERY", 1) as usize;
    let mut repository = Repository::new(Edited::new(files, seed));
    repository.edited.tree.build();
    let mut log = Vec::new();
    for number in 0..steps {
        let count = if repository.edited.dice.below(4) == 0 { 1 + repository.edited.dice.below(5) } else { 1 };
        log.extend((0..count).map(|_| step(&mut repository)));
        let edited = &mut repository.edited;
        // In turn as a search updates the index, as a watcher does, and as `cds index` does.
        let how = edited.dice.below(4);
        let seen = (how > 1).then(|| Seen::look(Arc::new(edited.tree.open()), edited.tree.root(), &|_| {}));
        let report = edited.tree.try_build(|build| (build.quick, build.seen) = (how > 0, seen.as_ref()));
        let report = match report {
            // Rules that leave nothing leave nothing to compare.
            Err(cds_index::Error::Empty(_)) => {
                let rules = edited.files.keys().filter(|path| path.ends_with("ignore")).cloned().collect::<Vec<_>>();
                for path in &rules {
                    edited.remove(path);
                }
                let _ = std::fs::remove_file(edited.tree.root().join(".git/info/exclude"));
                continue;
            }
            report => report.unwrap_or_else(|e| panic!("seed {seed}, step {number}: {e}, after {:#?}", tail(&log))),
        };
        if std::env::var_os("CDS_EQUALITY_SHOW").is_some() {
            let snapshot = edited.tree.open();
            let (parts, dead) = (snapshot.part_count(), snapshot.dead_chunks());
            let edit = log.last().map_or("", String::as_str);
            eprintln!(
                "{number}: {} of {} linked, {} parsed; {parts} parts, {dead} dead; {edit}",
                report.linked, report.files, report.parsed
            );
        }
        if (number + 1) % every != 0 {
            continue;
        }
        let queries = edited.queries();
        let (updated, clean) = (told(&edited.tree.open(), &queries), clean(&edited.tree, &queries));
        if updated != clean {
            let difference = difference(&updated, &clean);
            panic!("seed {seed}, step {number}, {report:?}, after {:#?}\n{difference}", tail(&log));
        }
    }
}

/// The last steps.
fn tail(log: &[String]) -> &[String] {
    &log[log.len().saturating_sub(6)..]
}

/// The first lines that differ.
fn difference(updated: &str, clean: &str) -> String {
    let (mut ours, mut theirs): (Vec<&str>, Vec<&str>) = (updated.lines().collect(), clean.lines().collect());
    ours.retain(|line| !clean.contains(&format!("{line}\n")));
    theirs.retain(|line| !updated.contains(&format!("{line}\n")));
    let few = |lines: &[&str]| {
        lines.iter().take(12).map(|l| l.chars().take(300).collect::<String>()).collect::<Vec<_>>().join("\n")
    };
    format!("only updated:\n{}\nonly clean:\n{}", few(&ours), few(&theirs))
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn files() -> Files {
    let files = std::env::var("CDS_EQUALITY_TREE").map_or_else(|_| cases(), |tree| copied(&PathBuf::from(tree)));
    assert!(files.len() > 20, "{} files", files.len());
    files
}

fn steps() -> usize {
    setting("CDS_EQUALITY_STEPS", 12) as usize
}

#[test]
fn equality_of_updated_and_clean_after_random_edits() {
    check(files(), setting("CDS_EQUALITY_SEED", 1), steps(), &mut |repository| repository.edited.step());
}

#[test]
fn equality_of_updated_and_clean_after_git_operations() {
    check(files(), setting("CDS_EQUALITY_SEED", 1), steps(), &mut |repository| {
        if repository.edited.dice.below(3) == 0 { repository.step() } else { repository.edited.step() }
    });
}

/// Random edits seldom meet the one line that matters to another file, so every case of the graph is edited line by line as well. The
/// short form takes every hundredth edit, `CDS_EQUALITY_STRIDE=1` all of them.
#[test]
fn equality_of_updated_and_clean_after_each_small_edit() {
    let stride = setting("CDS_EQUALITY_STRIDE", 100) as usize;
    let mut number = 0;
    for (case, files) in each_case() {
        let tree = Tree::new("");
        for (path, bytes) in &files {
            tree.write(path, bytes);
        }
        tree.settle();
        tree.build();
        let compare = |what: &str| {
            let _ = assert_equal_to_clean(&tree, &format!("{case}, {what}"));
        };
        for edit in small_edits(&files) {
            number += 1;
            if number % stride != 0 {
                continue;
            }
            for (path, bytes) in &edit.files {
                match bytes {
                    Some(bytes) => tree.write(path, bytes),
                    None => std::fs::remove_file(tree.root().join(path)).expect("it was there"),
                }
            }
            compare(&edit.what);
            for (path, _) in &edit.files {
                match files.get(path) {
                    Some(bytes) => tree.write(path, bytes),
                    None => std::fs::remove_file(tree.root().join(path)).expect("it was written"),
                }
            }
            compare(&format!("after {}", edit.what));
        }
    }
}
