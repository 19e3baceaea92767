//! Hostile repositories. Each case is a project that somebody else wrote, in a sandbox with decoys around it. `cds index`, `search`, `grep`,
//! `watch` and `serve` run in it, and must write nothing outside the index directory, show nothing of the decoys, end in time and
//! within bounded memory, and either find what is there or reject the project with a message that says why.
//!
//! `CDS_HOSTILE_ONLY=part` runs the cases whose names contain the part, `CDS_HOSTILE_SECONDS` is the time limit of a
//! command, and `CDS_HOSTILE_BINARY` names another build of cds, such as a release build.
#![cfg(unix)]

mod content;
mod git;
mod index_directory;
mod links;
mod names;
mod rules;
mod sandbox;
mod settings;

use sandbox::{Case, check_all};

/// Every group of cases: at least 80 in all.
const GROUPS: &[&[Case]] =
    &[content::CASES, git::CASES, index_directory::CASES, links::CASES, names::CASES, rules::CASES, settings::CASES];

#[test]
fn there_are_eighty_cases_with_names_of_their_own() {
    let mut names: Vec<&str> = GROUPS.iter().copied().flatten().map(|case| case.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(count >= 80 && names.len() == count, "{} of {count} names", names.len());
}

#[test]
fn content_is_bounded() {
    check_all(content::CASES);
}

#[test]
fn version_control_files_are_read_with_care() {
    check_all(git::CASES);
}

#[test]
fn index_directories_of_others_are_not_used() {
    check_all(index_directory::CASES);
}

#[test]
fn links_and_special_files_are_not_followed() {
    check_all(links::CASES);
}

#[test]
fn names_are_only_names() {
    check_all(names::CASES);
}

#[test]
fn ignore_rules_are_bounded() {
    check_all(rules::CASES);
}

#[test]
fn settings_of_a_project_stay_within_its_bounds() {
    check_all(settings::CASES);
}
