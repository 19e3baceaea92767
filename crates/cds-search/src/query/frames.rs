//! Places that a text names: frames of a stack, `file.py:42`, paths. One table of ways to write them, many languages.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

/// A place in code, as somebody wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The path as written; its end is compared with the paths of the index.
    pub path: String,
    /// From 1.
    pub line: Option<u32>,
    /// The function that was running there, with what is written before it.
    pub function: Option<String>,
    /// How sure it is that this is where to look: 1 for the innermost frame of a stack, less for each one further out.
    pub weight: f32,
}

/// Where the innermost frame stands in a stack.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Innermost {
    First,
    Last,
}

/// How frames are written: what stands in every such line, and the line. Each has `path` or `function`, and may have `line`. The first that
/// fits is taken.
#[rustfmt::skip]
const FRAMES: &[(&str, Innermost, &str, &str)] = &[
    ("python",  Innermost::Last,  r#"File ""#,      r#"File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>[\w<>.]+))?"#),
    ("python",  Innermost::Last,  ".py",            r"(?P<path>[\w./\\-]+\.py), line (?P<line>\d+),? in (?P<function>\w+)"),
    ("pytest",  Innermost::Last,  ".py:",           r"^(?P<path>[\w./\\-]+\.py):(?P<line>\d+): in (?P<function>\w+)"),
    ("csharp",  Innermost::First, ":line ",         r"^\s*at (?P<function>[\w.<>`+]+)\(.*\) in (?P<path>.+\.\w+):line (?P<line>\d+)"),
    ("java",    Innermost::First, "at ",            r"^\s*at (?:[\w.-]+/)?(?P<function>[\w.$<>]+)\((?P<path>[\w$-]+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)"),
    ("script",  Innermost::First, "at ",            r"^\s*at (?:async )?(?:new )?(?P<function>[\w.$<>]+)(?: \[as \w+\])? \((?:file://)?(?P<path>[^()]+?\.\w+):(?P<line>\d+):\d+\)"),
    ("script",  Innermost::First, "at ",            r"^\s*at (?:async )?(?:file://)?(?P<path>[^\s()]+\.(?:[cm]?[jt]sx?|vue)):(?P<line>\d+):\d+"),
    ("ruby",    Innermost::First, ".rb:",           r"(?P<path>[\w./-]+\.rb):(?P<line>\d+):in [`'](?:\w+ in )?(?P<function>[\w.:#?!]+)'"),
    ("php",     Innermost::First, ".php(",          r"^#\d+ (?P<path>[^\s(]+\.php)\((?P<line>\d+)\): (?P<function>[\w\\:>-]+)\("),
    ("gdb",     Innermost::First, ") at ",          r"^#\d+\s+(?:0x[0-9a-f]+ in )?(?P<function>[\w:~<>]+) ?\(.*\) at (?P<path>\S+?):(?P<line>\d+)"),
    ("elixir",  Innermost::First, ".ex",            r"^\s*(?:\([^)]*\) )?(?P<path>[\w./-]+\.exs?):(?P<line>\d+): (?P<function>[\w.!?]+)/\d"),
    ("lua",     Innermost::First, ".lua:",          r"^\s*(?P<path>[\w./-]+\.lua):(?P<line>\d+): in (?:function|method|upvalue|local) [<'](?P<function>[\w.:]+)"),
    ("rust",    Innermost::First, "panicked at ",   r"panicked at (?P<path>[\w./-]+\.rs):(?P<line>\d+)"),
    ("rust",    Innermost::First, ".rs:",           r"^\s*at (?P<path>[\w./-]+\.rs):(?P<line>\d+)"),
    ("go",      Innermost::First, ".go:",           r"^\s*(?P<path>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$"),
    ("swift",   Innermost::First, ".swift, line ",  r"(?:Fatal error|Precondition failed).*file (?P<path>\S+\.swift), line (?P<line>\d+)"),
    ("haskell", Innermost::First, "called at ",     r"^\s*(?P<function>\w+), called at (?P<path>\S+\.hs):(?P<line>\d+)"),
];

/// A path, with or without a line, anywhere in prose: `src/login.py:42`, `login.py`, `src/login.py#L42`.
const PATH: &str = r"(?P<path>(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.(?:py|pyi|rs|go|java|kt|kts|scala|swift|c|cc|cpp|cxx|h|hh|hpp|cs|js|jsx|mjs|cjs|ts|tsx|mts|rb|php|lua|ex|exs|hs|zig|sh|bash|vue|html|md|toml|yaml|yml|json))(?:(?::|#L|, line |\()(?P<line>\d+))?\b";

/// How much less each frame further out says.
const FURTHER: f32 = 0.8;

/// What a path is worth that stands in prose, with a folder before it and without.
const PATH_IN_PROSE: f32 = 1.0;
const FILE_IN_PROSE: f32 = 0.5;

/// Compiled when a line needs them: together they cost more than many a search.
static PATTERNS: [OnceLock<Regex>; FRAMES.len()] = [const { OnceLock::new() }; FRAMES.len()];

static IN_PROSE: LazyLock<Regex> = LazyLock::new(|| regex(PATH));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("patterns are tried by a test")
}

/// The frame that a line is, if it is one.
fn frame(line: &str) -> Option<(Innermost, Place)> {
    if !line.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    FRAMES.iter().zip(&PATTERNS).find_map(|((_, innermost, needle, pattern), compiled)| {
        let found = line.contains(needle).then(|| compiled.get_or_init(|| regex(pattern)).captures(line))??;
        let text = |name: &str| found.name(name).map(|m| m.as_str().to_owned());
        let place = Place {
            path: text("path").unwrap_or_default().replace('\\', "/"),
            line: text("line").and_then(|l| l.parse().ok()),
            function: text("function").filter(|f| !f.starts_with('<')),
            weight: 1.0,
        };
        Some((*innermost, place))
    })
}

/// Whether a line is a frame of a stack.
pub(crate) fn is_frame(line: &str) -> bool {
    frame(line).is_some()
}

/// The places a text names, each once, those it is surest of first.
pub(crate) fn places(text: &str) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut stack: Vec<(Innermost, Place)> = Vec::new();
    for line in text.lines() {
        match frame(line) {
            Some(found) => stack.push(found),
            // Most questions name no file: the pattern waits for one that may.
            None if !line.as_bytes().windows(2).any(|w| w[0] == b'.' && w[1].is_ascii_lowercase()) => {}
            None => {
                for found in IN_PROSE.captures_iter(line) {
                    let path = found["path"].to_owned();
                    let weight = if path.contains('/') { PATH_IN_PROSE } else { FILE_IN_PROSE };
                    let line = found.name("line").and_then(|l| l.as_str().parse().ok());
                    places.push(Place { path, line, function: None, weight });
                }
            }
        }
    }
    if stack.iter().any(|(innermost, _)| *innermost == Innermost::Last) {
        stack.reverse();
    }
    let mut weight = 1.0;
    let frames: Vec<Place> = stack
        .into_iter()
        .map(|(_, place)| {
            let place = Place { weight, ..place };
            weight *= FURTHER;
            place
        })
        .collect();
    let mut known: Vec<Place> = Vec::new();
    for place in frames.into_iter().chain(places) {
        let same = |k: &Place| k.path == place.path && k.line == place.line && k.function == place.function;
        if !known.iter().any(same) {
            known.push(place);
        }
    }
    known.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    known
}

#[cfg(test)]
mod tests {
    use super::{FRAMES, places, regex};

    /// `path:line function` of each place, surest first.
    fn check(text: &str, expect: &[&str]) {
        let found: Vec<String> = places(text)
            .into_iter()
            .map(|p| {
                let line = p.line.map(|l| format!(":{l}")).unwrap_or_default();
                let function = p.function.map(|f| format!(" {f}")).unwrap_or_default();
                format!("{}{line}{function}", p.path)
            })
            .collect();
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn frames_of_many_languages_are_read_innermost_first() {
        check(
            "Traceback (most recent call last):\n  File \"app/main.py\", line 3, in <module>\n    run()\n  File \"app/job.py\", line 48, in run\n    raise ValueError",
            &["app/job.py:48 run", "app/main.py:3"],
        );
        check("tests/a.py:3: in test_a\nlib/b.py:9: in inner", &["lib/b.py:9 inner", "tests/a.py:3 test_a"]);
        check(
            "java.lang.NullPointerException: x\n\tat com.shop.Cart.total(Cart.java:42)\n\tat com.shop.Main.main(Main.java:7)",
            &["Cart.java:42 com.shop.Cart.total", "Main.java:7 com.shop.Main.main"],
        );
        check(
            "TypeError: x is undefined\n    at Cart.total (/srv/app/src/cart.js:10:5)\n    at async run (file:///srv/app/src/run.mjs:2:1)\n    at src/top.ts:1:1",
            &["/srv/app/src/cart.js:10 Cart.total", "/srv/app/src/run.mjs:2 run", "src/top.ts:1"],
        );
        check("   at Shop.Cart.Total(Int32 n) in C:\\src\\Cart.cs:line 12", &["C:/src/Cart.cs:12 Shop.Cart.Total"]);
        check(
            "lib/cart.rb:12:in `total'\nlib/run.rb:3:in 'block in Run#go'",
            &["lib/cart.rb:12 total", "lib/run.rb:3 Run#go"],
        );
        check("#0 /var/www/Cart.php(33): Shop\\Cart->total()", &["/var/www/Cart.php:33 Shop\\Cart->total"]);
        check("#1  0x00005 in uv_run (loop=0x1) at src/unix/core.c:425", &["src/unix/core.c:425 uv_run"]);
        check("main.total(...)\n\t/srv/cart.go:18 +0x1d", &["/srv/cart.go:18"]);
        check("thread 'main' panicked at src/cart.rs:9:5:\nindex out of bounds", &["src/cart.rs:9"]);
        check("    (shop 0.1.0) lib/cart.ex:7: Shop.Cart.total/2", &["lib/cart.ex:7 Shop.Cart.total"]);
        check("\tcart.lua:3: in function 'total'", &["cart.lua:3 total"]);
        check("  total, called at src/Cart.hs:4:1 in main", &["src/Cart.hs:4 total"]);
    }

    #[test]
    fn every_pattern_compiles() {
        for (_, _, _, pattern) in FRAMES {
            let _ = regex(pattern);
        }
        check("a.py, line 3, in f", &["a.py:3 f"]);
        check("Fatal error: x: file Cart.swift, line 4", &["Cart.swift:4"]);
        check("  at src/cart.rs:9", &["src/cart.rs:9"]);
    }

    #[test]
    fn paths_in_prose_are_places() {
        check("see src/login.py:42 and login.py", &["src/login.py:42", "login.py"]);
        check("https://example.org/blob/main/src/a.rs#L7", &["example.org/blob/main/src/a.rs:7"]);
        check("Django 3.2.py? no: version 3.2, e.g. this", &["3.2.py"]);
        check("the end. Nothing here", &[]);
        check("open file.py twice: file.py", &["file.py"]);
    }

    #[test]
    fn inner_frames_weigh_more() {
        let found =
            places("  File \"a.py\", line 1, in f\n  File \"b.py\", line 2, in g\n  File \"c.py\", line 3, in h");
        let weights: Vec<f32> = found.iter().map(|p| p.weight).collect();
        assert_eq!(found[0].path, "c.py");
        assert!((weights[1] - 0.8).abs() < 1e-6 && (weights[2] - 0.64).abs() < 1e-6);
    }
}
