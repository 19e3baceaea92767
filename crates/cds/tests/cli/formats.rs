//! What the formats show, and where it goes: results on stdout, everything else on stderr.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::fixture::{Project, column};

const CODE: &str = "\
//- src/session.py
class Session(Base):
    \"\"\"Keeps a user signed in.\"\"\"

    @staticmethod
    def refresh(token):
        \"\"\"Renews the session token.\"\"\"
        return sign(token)
//- src/session.rs
/// Renews the session token.
pub fn refresh(token: &str) -> String {
    sign(token)
}
//- plain.txt
refresh the token by hand
";

#[test]
fn s13_human_shows_doc_and_signature() {
    let project = Project::new(CODE);
    let output = project.cds(&["search", "refresh", "--lang", "python"]);
    let expect = "\
src/session.py:4-7  Session > refresh  method  100%
  Doc: Renews the session token.
  Signature: def refresh(token)
  4 |     @staticmethod
  5 |     def refresh(token):
  6 |         \"\"\"Renews the session token.\"\"\"
  7 |         return sign(token)

";
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (expect, ""));
    let plain = project.cds(&["search", "refresh", "--lang", "text"]).stdout;
    assert!(!plain.contains("Doc:") && !plain.contains("Signature:"), "{plain}");
}

#[test]
fn s13_json_has_every_metadata_field() {
    let project = Project::new(CODE);
    let found = project.json(&["search", "refresh", "--lang", "python"]);
    let hit = &found["hits"][0];
    let expect = serde_json::json!({
        "id": "src/session.py:Session.refresh", "path": "src/session.py", "start_line": 4, "end_line": 7,
        "language": "python", "entity_type": "function", "kind": "method", "name": "refresh",
        "breadcrumb": "Session > refresh", "scope_path": ["Session", "refresh"],
        "parent_context": "class Session(Base)", "signature": "def refresh(token)",
        "doc_comment": "Renews the session token.", "decorators": ["@staticmethod"], "definitions": ["refresh", "token"],
        "references": ["staticmethod", "sign"], "is_type_declaration": false, "is_test": false, "is_public": true,
        "relevance_percent": 100, "match_type": "hybrid", "snippet_line": 4, "hop_depth": 0, "stale": false,
    });
    for (field, value) in expect.as_object().unwrap() {
        if field == "references" {
            // Decorators are references in some grammars only.
            assert!(hit[field].as_array().unwrap().contains(&"sign".into()), "{field}: {}", hit[field]);
        } else {
            assert_eq!(&hit[field], value, "{field}");
        }
    }
    for field in ["start_byte", "end_byte", "score", "token_count", "indexed_at"] {
        assert!(hit[field].is_number(), "{field}: {}", hit[field]);
    }
    for field in ["scores", "ranks", "signals"] {
        assert!(!hit[field].as_object().unwrap().is_empty(), "{field}");
    }
    assert_eq!(hit["hash"].as_str().unwrap().len(), 64);
    let uuid = hit["chunk_id"].as_str().unwrap();
    assert_eq!((uuid.len(), &uuid[14..15]), (36, "7"), "a UUID v7: {uuid}");
    assert!(!hit["highlights"].as_array().unwrap().is_empty());
    assert!(hit["snippet"].as_str().unwrap().contains("return sign(token)"));
    for field in ["query", "parsed_query", "total", "partial", "warnings", "timings_ms", "follow_ups", "next_cursor"] {
        assert!(found.get(field).is_some(), "{field}");
    }
    let class = &project.json(&["search", "Session", "--kind", "class"])["hits"][0];
    assert_eq!((&class["conformances"], &class["is_type_declaration"]), (&serde_json::json!(["Base"]), &true.into()));
    let plain = &project.json(&["search", "refresh", "--lang", "text"])["hits"][0];
    for field in ["signature", "doc_comment", "decorators", "conformances", "parent_context"] {
        assert!(plain.get(field).is_none(), "empty optional fields are left out: {field}");
    }
}

#[test]
fn equal_chunks_of_a_file_have_ids_of_their_own_that_stay() {
    let twin = "def twin():\n    return needle\n\n\n";
    let project = Project::new("");
    project.write("a.py", twin.repeat(3));
    let ids = || column(&project.json(&["search", "needle", "--granularity", "chunk"]), "chunk_id");
    let (before, mut once) = (ids(), ids());
    once.sort();
    once.dedup();
    assert_eq!((before.len(), once.len()), (3, 3), "{before:?}");
    project.write("a.py", format!("import os\n\n\n{}", twin.repeat(3)));
    assert_eq!(ids(), before, "an edit elsewhere keeps them");
}

#[test]
fn s13_toon_fits_its_budget_best_first_and_says_what_is_missing() {
    let project = Project::new("");
    for i in 0..6 {
        let doc = "Keeps the session of a user, renews it, and forgets it. ".repeat(12);
        let function =
            |j: usize| format!("def session_{i}_{j}(token):\n    \"\"\"{doc}\"\"\"\n    return sign(token, {j})\n\n\n");
        project.write(&format!("s{i}.py"), (0..4).map(function).collect::<String>());
    }
    let ask = |tokens: &str| {
        let args = [
            "search",
            "session",
            "--granularity",
            "document",
            "-f",
            "toon",
            "--snippet",
            "fold",
            "--max-tokens",
            tokens,
        ];
        project.cds(&args).stdout
    };
    let whole = ask("0");
    assert!(!whole.contains("left_out") && whole.lines().any(|line| line.starts_with("docs[")), "{whole}");
    // Doc comments are cut to their beginning.
    assert!(whole.contains("...") && whole.len() < 12_000, "{}", whole.len());
    let all = cds_engine::estimate_tokens(&whole) as usize;
    for tokens in [all / 4, all / 2, all * 3 / 4] {
        let text = ask(&tokens.to_string());
        let said = format!("for max_tokens {tokens}");
        assert!(text.contains("left_out") && text.contains(&said), "{text}");
        // The sentence about it comes on top.
        let cost = cds_engine::estimate_tokens(&text) as usize;
        assert!(cost <= tokens + 60, "{cost} of {tokens}: {text}");
        // The best come first.
        let rows = |section: &str| -> Vec<usize> {
            let lines = text.lines().skip_while(|line| !line.starts_with(section)).skip(1);
            lines.map_while(|line| line.strip_prefix("  ")?.split(',').next()?.parse().ok()).collect()
        };
        assert!(rows("meta[").is_sorted() && rows("hits[").first() == Some(&1), "{text}");
    }
}

#[test]
fn s13_toon_has_meta_and_docs_only_when_there_is_something_in_them() {
    let project = Project::new(CODE);
    let check = |args: &[&str], meta: bool, docs: bool| {
        let text = project.cds(&[args, &["-f", "toon"]].concat()).stdout;
        let has = |section: &str| text.lines().any(|l| l.starts_with(section));
        assert!(has("hits["), "{text}");
        assert_eq!((has("meta["), has("docs[")), (meta, docs), "{text}");
    };
    check(&["search", "refresh", "--lang", "python"], true, true);
    check(&["search", "refresh", "--lang", "text"], false, false);
    check(&["search", "sign", "--path", "src/session.rs"], true, true);
    check(&["retrieve", "plain.txt"], false, false);
    project.write("bare.py", "def bare():\n    pass\n");
    check(&["symbol", "bare"], true, false);
}

#[test]
fn jsonl_is_one_object_a_hit() {
    let project = Project::new(CODE);
    let whole = project.json(&["search", "refresh token"]);
    let lines = project.cds(&["search", "refresh token", "-f", "jsonl"]).stdout;
    let ids: Vec<String> = lines
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).expect("an object")["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids, column(&whole, "id"));
    assert_eq!(project.cds(&["search", "absent", "-f", "jsonl"]).stdout, "");
}

#[test]
fn paths_are_printed_once_each_in_the_order_of_the_hits() {
    let project = Project::new(CODE);
    let args = ["search", "session token", "--granularity", "chunk"];
    let mut expect: Vec<String> = Vec::new();
    for path in column(&project.json(&args), "path") {
        if !expect.contains(&path) {
            expect.push(path);
        }
    }
    let output = project.cds(&[&args[..], &["-f", "paths"]].concat()).stdout;
    assert_eq!(output.lines().collect::<Vec<_>>(), expect);
}

#[test]
fn markdown_cites_path_and_lines_and_fences_code() {
    let project = Project::new(CODE);
    let output = project.cds(&["search", "refresh", "--lang", "rust", "-f", "markdown"]).stdout;
    let expect = "\
1. `src/session.rs:1-4` — refresh (function)
   Renews the session token.

```rust title=\"src/session.rs:1\"
/// Renews the session token.
pub fn refresh(token: &str) -> String {
    sign(token)
}
```

";
    assert_eq!(output, expect);
    project.write("guide.md", "# Fences\n\n```python\nneedle = 1\n```\n");
    let output = project.cds(&["search", "needle", "-f", "markdown"]).stdout;
    assert!(output.contains("\n````markdown"), "longer than the fence inside: {output}");
}

#[test]
fn outline_grep_and_status_have_every_format() {
    let project = Project::new(CODE);
    for command in [&["outline"][..], &["grep", "token"], &["status"]] {
        for format in ["human", "json", "jsonl", "toon", "markdown"] {
            let output = project.cds(&[command, &["-f", format]].concat());
            assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{command:?} {format}");
            assert!(!output.stdout.is_empty(), "{command:?} {format}");
        }
    }
    let outline = project.cds(&["outline", "src/session.py"]).stdout;
    let expect = "\
src/session.py  python, 7 lines
  class class Session(Base)  1-7
    method def refresh(token)  5-7
";
    assert_eq!(outline, expect);
    assert_eq!(project.cds(&["outline", "-f", "paths"]).stdout, "plain.txt\nsrc/session.py\nsrc/session.rs\n");
    let folder = project.cds(&["outline", "src"]).stdout;
    assert!(!folder.contains("method"), "a folder shows its top level: {folder}");
    assert!(project.cds(&["outline", "src", "--depth", "1"]).stdout.contains("method def refresh"));
    let grep = project.cds(&["grep", "sign\\(", "--lang", "rust"]).stdout;
    assert_eq!(grep, "src/session.rs:3:5:     sign(token)  [refresh]\n");
}

#[test]
fn a_document_says_once_how_many_more_of_it_matched() {
    let project = Project::new("");
    project.write("a.py", (0..6).map(|i| format!("def needle_{i}():\n    return {i}\n\n\n")).collect::<String>());
    let args = ["search", "needle", "--granularity", "document"];
    let text = project.cds(&args).stdout;
    assert_eq!(text.matches("more in this file").count(), 1, "{text}");
    assert!(text.trim_end().ends_with("+3 more in this file"), "below the chunks shown: {text}");
    let document = &project.json(&args)["hits"][0];
    assert_eq!((&document["more_in_file"], document["chunks"].as_array().unwrap().len()), (&3.into(), 3));
    assert!(document["chunks"][0].get("more_in_file").is_none());
}

#[test]
fn one_is_not_many() {
    let project = Project::new("//- a.py\nneedle = 1\n");
    let check = |args: &[&str], expect: &str| {
        let output = project.cds(args);
        let text = output.stdout + &output.stderr;
        assert!(text.contains(expect), "{args:?}: {expect:?} in {text}");
    };
    check(&["index"], "indexed 1 file in");
    check(&["index"], "up to date: 1 file, nothing changed");
    check(&["outline"], "a.py  python, 1 line\n");
    check(&["outline", "-f", "markdown"], "(python, 1 line)");
    check(&["search", "needle", "--granularity", "document"], "1 chunk, 11 bytes");
    check(&["search", "needle", "--max-tokens", "1"], "0 hits left out, 1 cut to one line");
    check(&["retrieve", "a.py:9"], "a.py has 1 line");
    project.write("a.py", "needle = 2\nneedle = 3\n");
    check(&["status"], "1 file or folder changed");
    check(&["search", "needle", "--no-update"], "1 of the hits is from a file that changed");
    check(&["grep", "needle", "-n", "1"], "only the first 1 line shown");
    project.write("b.dat", b"\0");
    check(&["index"], "1 problem, see");
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    let project = Project::new(CODE);
    let escape = '\u{1b}';
    assert!(!project.cds(&["search", "refresh"]).stdout.contains(escape));
    assert!(project.cds(&["search", "refresh", "--color", "always"]).stdout.contains(escape));
    assert!(!project.cds(&["search", "refresh", "--color", "never"]).stdout.contains(escape));
    assert!(!project.cds(&["search", "refresh", "--color", "always", "-f", "json"]).stdout.contains(escape));
}

#[test]
fn explain_shows_what_made_the_score() {
    let project = Project::new(CODE);
    let text = project.cds(&["search", "refresh", "--explain"]).stdout;
    for part in ["Found: bm25", "names 1.00 (rank 1)", "Signals:", "exact_symbol", "query: symbol", "time: "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // What is added comes first, the greatest first; then what multiplies.
    let line = text.lines().find_map(|l| l.trim().strip_prefix("Signals: ")).unwrap();
    let (added, factors): (Vec<&str>, Vec<&str>) = line.split(", ").partition(|s| !s.contains('×'));
    assert_eq!([added.clone(), factors.clone()].concat().join(", "), line);
    let number = |s: &str| s.rsplit(' ').next().unwrap().parse::<f32>().unwrap();
    assert!(added.len() > 2 && added.is_sorted_by(|a, b| number(a) >= number(b)), "{line}");
    assert!(factors.iter().any(|f| f.starts_with("exact_symbol ×2.5")), "{line}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let many: String = (0..300)
        .map(|i| format!("//- f{i:03}.py\ndef function_{i}(argument_one, argument_two):\n    return {i}\n"))
        .collect();
    let project = Project::new(&many);
    project.cds(&["index"]);
    for args in [
        &["outline"][..],
        &["grep", "return"],
        &["search", "function", "-n", "300", "-f", "json"],
        &["completions", "bash"],
    ] {
        let mut child = project.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 1];
        let mut stdout = child.stdout.take().unwrap();
        assert_eq!(stdout.read(&mut first).unwrap(), 1, "{args:?}");
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.contains("pipe"), "{args:?}: {stderr}");
    }
}

#[test]
fn completions_are_printed_for_each_shell() {
    let project = Project::new("");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = project.cds(&["completions", shell]);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{shell}");
        assert!(output.stdout.contains("cds") && output.stdout.contains("outline"), "{shell}");
    }
}

#[test]
fn help_shows_examples() {
    let project = Project::new("");
    for args in
        [&["--help"][..], &["search", "--help"], &["symbol", "--help"], &["retrieve", "--help"], &["grep", "--help"]]
    {
        let text = project.cds(args).stdout;
        assert!(text.contains("Examples:") && text.contains("cds "), "{args:?}: {text}");
    }
    assert!(project.cds(&["--help"]).stdout.contains("Exit codes: 0 found, 1 nothing found"));
}
