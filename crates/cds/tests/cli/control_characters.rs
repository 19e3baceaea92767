//! A tree whose names and texts are full of escape sequences, asked with every command in every text format: nothing that
//! acts on a terminal or hides text is printed, JSON is exact, and a path is a line.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};

use crate::fixture::{Output, Project};
use crate::service::Mcp;

/// Characters that must not be printed. Written apart from the implementation.
fn is_forbidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Text without `ESC [ digits ; digits m`.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        out.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';');
        match end.filter(|end| after[*end..].starts_with('m')) {
            Some(end) => rest = &after[end + 1..],
            None => {
                out.push('\x1b');
                rest = after;
            }
        }
    }
    out + rest
}

fn check(what: &str, text: &str) {
    let found = text.char_indices().find(|(_, c)| is_forbidden(*c));
    assert!(found.is_none(), "{what}: {found:?} in {text:?}");
}

fn check_output(args: &[&str], output: &Output, is_coloured: bool) {
    let what = format!("{args:?}");
    check(&what, &output.stderr);
    check(&what, &if is_coloured { without_colours(&output.stdout) } else { output.stdout.clone() });
    assert!(!output.stderr.contains("panicked"), "{what}: {}", output.stderr);
}

/// Clipboard, title, clear screen, C1 sequences, conceal, bidirectional and zero-width characters, tags.
const EVIL: &str = "\x1b]52;c;aGk=\x07 \x1b]0;t\x1b\\ \x1b[2J\x1b[8m \u{9b}2J \u{9d}0;t\u{9c} \u{202e}\u{2066}\u{2069} \u{200b}\u{200d}\u{feff}\u{e0041} \x7f\x08 \u{2028}\u{85}";

const NAMES: &[&str] = &[
    "osc\x1b]52;c;aGk=\x07.py",
    "new\nline.py",
    "bidi\u{202e}yp.py",
    "tick` <b>\"q\" & [x](y).py",
    "dir\u{9b}2J/zero\u{200b}.py",
    "return\r.py",
];

fn hostile() -> Project {
    let project = Project::new(
        "\
//- user.py
from base import Base, needle

def user(thing):
    return needle(thing)

class Derived(Base):
    def needle_method(self):
        return needle(self)
//- base.py
class Base:
    pass
//- joined.js
function a\u{200d}b() { return needle(1) }
function c() { return a\u{200d}b() }
",
    );
    project.write("base.py", format!("class Base:\n    '''{EVIL}'''\n\ndef needle(thing):\n    '''<!-- `{EVIL} needle'''\n    return '{EVIL}'  # {EVIL}\n"));
    for name in NAMES {
        let code =
            format!("from base import needle\n\ndef f(x='{EVIL}'):\n    '''{EVIL}'''\n    return needle('{EVIL}')\n");
        project.write(name, code);
    }
    let invalid = project.root().join(OsStr::from_bytes(b"bytes\xff\x1b.py"));
    std::fs::write(invalid, b"def needle_bytes():\n    return '\xff\xfe\x1b'\n").unwrap();
    project.write("crlf.py", "def needle_crlf():\r\n    a = 'over\rwritten'\r\n    return a\r\n");
    let fences: String = (3..=12).map(|n| format!("# needle {n}\n\n{0}\ncode\n{0}\n\n", "`".repeat(n))).collect();
    project.write("fences.md", fences);
    project.write("problem\x1b[2J\n.bin", b"\0\x01");
    project.write("set.jsonl", json!({ "id": format!("q{EVIL}"), "repo": format!("r{EVIL}"), "query": format!("needle {EVIL}"), "category": EVIL, "targets": [{ "path": "base.py" }] }).to_string());
    project
}

const FORMATS: &[&str] = &["human", "markdown", "toon", "paths"];

const COMMANDS: &[&[&str]] = &[
    &["index"],
    &["search", "needle", "-n", "50"],
    &["search", "needle", "-n", "50", "--explain", "--granularity", "both"],
    &["search", "needle \x1b]0;t\x07 \u{202e}", "--snippet", "full"],
    &["search", "absent\x1b[2J"],
    &["symbol", "f"],
    &["symbol", "needl\u{202e}e"],
    &["symbol", "a\u{200d}b"],
    &["outline"],
    &["outline", "base.py", "--depth", "3"],
    &["grep", "needle|return|written"],
    &["retrieve", "base.py", "crlf.py", "new\nline.py", "dir\u{9b}2J/zero\u{200b}.py", "missing\x1b[2J\ncds: forged"],
    &["callers", "base.py:needle"],
    &["callees", "user.py:user"],
    &["traverse", "base.py:needle", "--direction", "both", "--depth", "3"],
    &["implementations", "base.py:Base"],
    &["dependents", "base.py"],
    &["path", "user.py:user", "base.py:needle"],
    &["research", "what would break if needle changed"],
    &["research", "dependency map"],
    &["similar", "base.py:4"],
    &["status", "--problems"],
    &["config"],
    &["model", "list"],
    &["eval", "set.jsonl", "--worst", "3", "--against", ""],
];

#[test]
fn no_command_prints_control_characters() {
    let project = hostile();
    project.cds(&["index"]);
    for command in COMMANDS {
        for format in FORMATS {
            let args = [*command, &["-f", format, "--color", "never"]].concat();
            check_output(&args, &project.cds(&args), false);
        }
        let args = [*command, &["--color", "always"]].concat();
        check_output(&args, &project.cds(&args), true);
    }
    for draw in ["dot", "mermaid"] {
        let args = ["traverse", "base.py:needle", "--direction", "both", "--depth", "3", "--draw", draw];
        let output = project.cds(&args);
        check_output(&args, &output, false);
        let quotes = |line: &str| line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
        let odd = output.stdout.lines().find(|line| quotes(line) % 2 == 1);
        assert_eq!((odd, output.stdout.lines().count() > 10), (None, true), "{draw}: {}", output.stdout);
    }
}

#[test]
fn messages_are_clean() {
    let project = hostile();
    let check = |args: &[&str], code: i32| {
        let output = project.cds(args);
        check_output(args, &output, false);
        assert_eq!(output.code, code, "{args:?}: {}", output.stderr);
        let starts = output.stderr.lines().filter(|line| line.starts_with("cds: forged")).count();
        assert_eq!(starts, 0, "{args:?}: {}", output.stderr);
    };
    check(&["grep", "(\x1b]0;t\x07\ncds: forged"], 2);
    check(&["outline", "absent\u{9b}2J\ncds: forged"], 1);
    check(&["--root", "absent\x1b[2J\ncds: forged", "status"], 5);
    check(&["search", "x", "--preset", "p\u{202e}"], 2);
    check(&["combo", "plan\x1b.yaml"], 5);
    project.write("plan.yaml", "name: \"p\\e[2J\"\nsteps:\n  - {name: \"s\\e[2J\", command: grep, args: [needle], output_var: x}\nfinal_output: \"${x.hits[0].path} \\e]0;t\\a\"\n");
    check(&["combo", "plan.yaml"], 0);
    check(&["combo", "plan.yaml", "--dry-run"], 0);
    project.write(".cds.toml", format!("{EVIL} = 1\n"));
    check(&["status"], 2);
    project.write(".cds.toml", "[search]\n\"x\\u001b[2J\\ncds: forged\" = 1\n");
    check(&["status"], 2);
}

#[test]
fn paths_are_a_line_each_and_json_is_exact() {
    let project = hostile();
    let found = project.json(&["grep", "needle", "-n", "500"]);
    let exact: BTreeSet<&str> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap()).collect();
    for name in NAMES {
        assert!(exact.contains(name), "{name:?} in {exact:?}");
    }
    let printed = project.cds(&["grep", "needle", "-n", "500", "-f", "paths"]).stdout;
    assert_eq!(printed.lines().count(), exact.len(), "{printed}");
    for shown in [
        "osc\\x1b]52;c;aGk=\\x07.py",
        "new\\nline.py",
        "bidi\\u{202e}yp.py",
        "dir\\u{9b}2J/zero\\u{200b}.py",
        "return\\r.py",
    ] {
        assert!(printed.lines().any(|line| line == shown), "{shown}: {printed}");
    }
    let text = |id: &str| project.json(&["retrieve", id])["hits"][0]["snippet"].as_str().unwrap().to_owned();
    assert!(text("base.py:needle").contains(EVIL));
    for args in
        [&["grep", "needle", "-f", "json"][..], &["search", "needle", "-f", "jsonl"], &["outline", "-f", "json"]]
    {
        let output = project.cds(args);
        check_output(args, &output, false);
        assert!(output.stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{args:?}");
    }
}

#[test]
fn code_is_readable_where_it_is_escaped() {
    let project = hostile();
    let human = project.cds(&["retrieve", "crlf.py"]).stdout;
    assert!(human.contains("1 | def needle_crlf():\n") && human.contains("'over\\rwritten'\n"), "{human}");
    let hits = project.cds(&["retrieve", "fences.md", "--snippet", "full", "-f", "markdown"]).stdout;
    let fences: Vec<&str> = hits.lines().filter(|line| line.starts_with(&"`".repeat(13))).collect();
    assert!(matches!(fences[..], [open, "`````````````"] if open.starts_with("`````````````markdown")), "{hits}");
    let listed = project.cds(&["symbol", "needle", "-f", "markdown"]).stdout;
    assert!(listed.contains("   \\<!-- \\`\\x1b\\]52"), "no HTML comment begins: {listed}");
    let titled = project.cds(&["search", "needle", "--path", "tick*", "-f", "markdown"]).stdout;
    assert!(titled.contains("1. ``tick` <b>\"q\" & [x](y).py:"), "{titled}");
    assert!(titled.contains("```python title=\"tick&#96; <b>&quot;q&quot; &amp; [x](y).py:"), "{titled}");
}

#[test]
fn agents_read_clean_text_and_exact_data() {
    let project = hostile();
    project.cds(&["index"]);
    let mut mcp = Mcp::start(&project, &[]);
    let mut asked = |tool: &str, arguments: Value| {
        let answer = mcp.call(tool, &arguments);
        for block in answer["content"].as_array().into_iter().flatten() {
            check(tool, block["text"].as_str().unwrap_or_default());
        }
        answer
    };
    asked("search_code", json!({ "query": "needle", "limit": 50 }));
    asked("outline", json!({}));
    asked("index_status", json!({ "problems": true }));
    asked("code_research", json!({ "query": "what would break if needle changed" }));
    let retrieved = asked("retrieve", json!({ "ids": ["base.py:needle", "new\nline.py", "absent\x1b\ncds"] }));
    assert!(retrieved["structuredContent"]["hits"][0]["snippet"].as_str().unwrap().contains(EVIL), "{retrieved}");
    let refused = asked("search_code", json!({ "query": "needle", "preset": "p\x1b\u{202e}" }));
    assert_eq!(refused["isError"], true, "{refused}");
    asked("index_codebase", json!({}));
}

#[test]
fn locagent_text_is_exact_in_a_pipe() {
    let project = hostile();
    let output = project.cds(&["--compat", "locagent", "retrieve", "base.py:needle"]);
    assert!(output.stdout.contains("\x1b]52;c;aGk="), "{}", output.stdout);
    check("locagent status", &project.cds(&["--compat", "locagent", "status", "--problems"]).stdout);
}
