//! Exit codes, and what is said when something is wrong.

use crate::fixture::{Project, Run};

const CODE: &str = "//- a.py\ndef known():\n    return 1\n";

/// The exit code, nothing on stdout, and every one of these on stderr.
fn check(project: &Project, args: &[&str], code: i32, stderr: &[&str]) {
    let output = project.cds(args);
    assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{args:?}: {}", output.stderr);
    for part in stderr {
        assert!(output.stderr.contains(part), "{args:?}: {part:?} in {}", output.stderr);
    }
}

#[test]
fn what_is_found_is_0_and_what_is_not_is_1() {
    let project = Project::new(CODE);
    for (args, code) in [
        (&["search", "known"][..], 0),
        (&["search", "absent"], 1),
        (&["symbol", "known"], 0),
        (&["symbol", "absent"], 1),
        (&["grep", "known"], 0),
        (&["grep", "absent"], 1),
        (&["retrieve", "known"], 0),
        (&["retrieve", "absent"], 1),
        (&["outline"], 0),
        (&["outline", "a.py"], 0),
        (&["outline", "absent.py"], 1),
        (&["status"], 0),
        (&["config"], 0),
        (&["index"], 0),
        (&["--help"], 0),
        (&["search", "--help"], 0),
        (&["--version"], 0),
    ] {
        let output = project.cds(args);
        assert_eq!(output.code, code, "{args:?}: {}", output.stderr);
        assert_eq!(output.stdout.is_empty(), code == 1, "{args:?}: {}", output.stdout);
    }
}

#[test]
fn nothing_found_has_an_empty_answer_of_the_same_shape() {
    let project = Project::new(CODE);
    let found = project.json_or_nothing(&["search", "absent"]);
    assert_eq!(
        (&found["total"], &found["hits"], &found["partial"]),
        (&0.into(), &serde_json::json!([]), &false.into())
    );
    let output = project.cds(&["search", "absent"]);
    assert!(output.stderr.contains("nothing found"), "{}", output.stderr);
}

#[test]
fn s2_an_empty_query_is_rejected() {
    let project = Project::new(CODE);
    check(&project, &["search", ""], 2, &["query cannot be empty"]);
    check(&project, &["search", " ", "\t"], 2, &["query cannot be empty"]);
    check(&project, &["symbol", ""], 2, &["name cannot be empty"]);
    check(&project, &["grep", ""], 2, &["pattern cannot be empty"]);
    check(&project, &["search"], 2, &["QUERY"]);
    assert!(!project.path(".cds-index").exists(), "nothing was indexed for it");
    // Words without a letter are no mistake: nothing is found.
    let found = project.json_or_nothing(&["search", "?!"]);
    assert_eq!(found["total"], 0);
}

#[test]
fn bad_arguments_are_2_and_list_what_is_valid_before_anything_is_indexed() {
    let project = Project::new(CODE);
    check(&project, &["search", "x", "--lang", "pyton"], 2, &["unknown language", "did you mean \"python\"", "rust"]);
    check(&project, &["search", "x", "--type", "klass"], 2, &["unknown type", "directory, file, class, function"]);
    check(&project, &["search", "x", "--kind", "metod"], 2, &["unknown kind", "did you mean \"method\"", "struct"]);
    check(&project, &["search", "x", "--preset", "best"], 2, &["\"best\"", "default, cds-index, bm25"]);
    check(&project, &["search", "x", "--granularity", "word"], 2, &["file, document, chunk, entity"]);
    check(&project, &["search", "x", "--snippet", "some"], 2, &["fold, preview, full"]);
    check(&project, &["search", "x", "--format", "xml"], 2, &["json"]);
    check(&project, &["search", "x", "--limit", "0"], 2, &["limit must be between 1 and"]);
    check(&project, &["search", "x", "--limit", "100000"], 2, &["limit must be between 1 and"]);
    check(&project, &["search", "x", "--limit", "many"], 2, &["many"]);
    check(&project, &["search", "x", "--chunks-per-file", "0"], 2, &["chunks_per_file must be at least 1"]);
    check(&project, &["search", "x", "--cursor", "abc"], 2, &["cursor \"abc\""]);
    check(&project, &["search", "x", "--path", "a["], 2, &["path:", "is not a path pattern"]);
    check(&project, &["search", "x", "--exclude", ""], 2, &["exclude:", "cannot be empty"]);
    check(&project, &["search", "x", "--node-name", "/(/"], 2, &["node_name: not a regular expression"]);
    check(&project, &["search", "x", "--parent-context", "/[/"], 2, &["parent_context"]);
    check(&project, &["search", "x", "--scope-depth", "3"], 2, &["MIN,MAX"]);
    check(&project, &["search", "x", "--scope-depth", "3,1"], 2, &["scope_depth: 3 is more than 1"]);
    check(&project, &["search", "x", "--modified-since", "soon"], 2, &["modified_since", "7d"]);
    check(&project, &["search", "x", "--files", "1", "--limit", "1"], 2, &["files and limit mean the same"]);
    check(&project, &["search", "x", "--is-test", "maybe"], 2, &["true, false"]);
    check(&project, &["symbol", "x", "--lang", "pyton"], 2, &["unknown language"]);
    check(&project, &["symbol", "x", "--snippet", "some"], 2, &["fold, preview, full"]);
    check(&project, &["symbol", "x", "--limit", "0"], 2, &["limit must be"]);
    check(&project, &["grep", "("], 2, &["pattern:"]);
    check(&project, &["grep", "x", "--kind", "metod"], 2, &["unknown kind"]);
    check(&project, &["retrieve", "x", "--snippet", "some"], 2, &["fold, preview, full"]);
    check(&project, &["completions", "tcsh"], 2, &["tcsh"]);
    check(&project, &["serch"], 2, &["search"]);
    check(&project, &["search", "x", "--limt", "3"], 2, &["--limit"]);
    assert!(!project.path(".cds-index").exists(), "mistakes show before a long first index");
}

#[test]
fn a_folder_with_nothing_to_index_is_3_and_stays_clean() {
    let project = Project::new("");
    for args in [&["index"][..], &["search", "x"], &["symbol", "x"], &["grep", "x"], &["outline"], &["retrieve", "x"]] {
        check(&project, args, 3, &["nothing to index in"]);
    }
    check(&project, &["status"], 3, &["no index in", "run `cds index`"]);
    assert!(!project.path(".cds-index").exists());
}

#[test]
fn a_root_that_cannot_be_read_is_5() {
    let project = Project::new(CODE);
    for args in [&["search", "x", "--root", "absent"][..], &["index", "absent"], &["status", "--root", "absent"]] {
        check(&project, args, 5, &["absent"]);
    }
    check(&project, &["index", "a.py"], 5, &["a.py"]);
    check(&project, &["search", "x", "--root", "a.py"], 5, &["a.py"]);
    assert!(!project.path("absent").exists(), "it is not made");
}

#[test]
fn the_root_is_found_from_a_folder_below() {
    let project = Project::new("//- src/deep/a.py\ndef known():\n    return 1\n");
    project.cds(&["index"]);
    let run = Run { args: &["search", "known", "-f", "paths"], folder: "src/deep", ..Run::default() };
    let output = project.run(&run);
    assert_eq!((output.code, output.stdout.as_str()), (0, "src/deep/a.py\n"), "{}", output.stderr);
    assert!(!project.path("src/deep/.cds-index").exists());
}

#[test]
fn every_empty_answer_says_what_to_try_next() {
    let project = Project::new(CODE);
    check(&project, &["search", "absent"], 1, &["nothing found: try fewer or other words", "`cds grep`"]);
    check(
        &project,
        &["search", "known", "--lang", "rust"],
        1,
        &["nothing found: try other words, or leave out a filter"],
    );
    check(&project, &["search", "?!"], 1, &["the query has no words"]);
    check(&project, &["symbol", "zzzz"], 1, &["nothing is named \"zzzz\"", "--fuzzy", "`cds search`"]);
    check(&project, &["symbol", "knwn"], 1, &["near it: known"]);
    check(&project, &["symbol", "known", "--lang", "rust"], 1, &["does not pass the filters: leave one of them out"]);
    check(&project, &["grep", "absent"], 1, &["no line matches: -i ignores case"]);
    check(&project, &["retrieve", "zzzz"], 1, &["nothing in the index has this id or name", "`cds outline`"]);
    check(&project, &["retrieve", "knwn"], 1, &["this id or name: known"]);
    check(&project, &["outline", "absent.py"], 1, &["ignored, skipped (see `cds status --problems`) or misspelled"]);
}

#[test]
fn every_refusal_says_what_to_do() {
    let project = Project::new(CODE);
    check(&project, &["grep", "a("], 2, &["pattern: ", "-F takes it as plain text"]);
    check(&project, &["search", "x", "--cursor", "abc"], 2, &["use the next_cursor of an answer"]);
    check(&project, &["search", "x", "--root", "absent"], 5, &["name one with --root"]);
    check(
        &project,
        &["index", "--index-dir", "a.py/below"],
        5,
        &["a.py/below", "--index-dir puts the index elsewhere"],
    );
}
