//! Runs `languages/<language>/tests/*.md`. A case is a heading, prose that says why, a code block and a block tagged
//! `facts` with what [`cds_lang::describe`] says of it. Language data is read from disk, so that editing a query needs no
//! build. `UPDATE_EXPECT=1` writes what is found into the files: read the diff before you commit it.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cds_lang::{LanguageFiles, Registry, describe, extract};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("languages")
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let read = |name: &str, file: &str| std::fs::read_to_string(folder().join(name).join(file)).ok();
    Registry::new(|name| LanguageFiles {
        toml: read(name, "language.toml"),
        tags: read(name, "tags.scm"),
        imports: read(name, "imports.scm"),
    })
    .unwrap_or_else(|e| panic!("{e}"))
});

/// Positions of one case in its file: the lines of the code and of the expectation.
struct Case {
    title: String,
    code: String,
    expect: std::ops::Range<usize>,
}

fn cases(lines: &[&str]) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut title = String::new();
    let mut code: Option<String> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let Some(heading) = line.strip_prefix('#') {
            title = heading.trim_start_matches('#').trim().to_owned();
        }
        // Four backticks, so that code may itself hold fences of three.
        let fence = if line.starts_with("````") { "````" } else { "```" };
        if let Some(tag) = line.strip_prefix(fence) {
            let end = (at + 1..lines.len()).find(|&i| lines[i] == fence).expect("the block is closed");
            if tag == "facts" {
                let code = code.take().expect("code stands before its facts");
                cases.push(Case { title: title.clone(), code, expect: at + 1..end });
            } else {
                code = Some(lines[at + 1..end].join("\n") + "\n");
            }
            at = end;
        }
        at += 1;
    }
    cases
}

fn check(path: &Path) -> datatest_stable::Result<()> {
    let name = path.parent().and_then(Path::parent).and_then(Path::file_name).expect("languages/<name>/tests");
    let language = REGISTRY.by_name(&name.to_string_lossy()).expect("a row in grammars.rs");
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().collect();
    let cases = cases(&lines);
    if cases.is_empty() {
        return Err("no cases".into());
    }
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut out: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let mut failures = String::new();
    for case in cases.iter().rev() {
        let found = describe(&extract(&REGISTRY, language, &case.code));
        let expect = lines[case.expect.clone()].join("\n");
        if found.trim_end() == expect {
            continue;
        }
        if update {
            out.splice(case.expect.clone(), found.trim_end().lines().map(str::to_owned));
        } else {
            failures.insert_str(0, &format!("\n## {}\n--- expected\n{expect}\n--- found\n{found}", case.title));
        }
    }
    if update {
        std::fs::write(path, out.join("\n") + "\n")?;
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.into()) }
}

datatest_stable::harness! {
    { test = check, root = "languages", pattern = r"tests/.*\.md$" },
}
