//! `cargo xtask coverage`: which lines the tests reach, a figure a crate; an error where they are too few.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Crates whose tests run. What only the binary's tests reach is not counted: a crate answers for itself.
const TESTED: &[&str] = &["cds-model", "cds-lang", "cds-index", "cds-search", "cds-engine"];

/// Crates of whose lines tests must reach [`LEAST`] percent.
const CRATES: &[&str] = &["cds-index", "cds-lang", "cds-search"];
const LEAST: f64 = 90.0;

/// Modules of sparse search, of each of which tests must reach [`LEAST_OF_MODULE`] percent.
const MODULES: &[&str] = &[
    "cds-index/src/store/names.rs",
    "cds-index/src/store/text.rs",
    "cds-index/src/tokenize.rs",
    "cds-search/src/bm25.rs",
    "cds-search/src/filter.rs",
    "cds-search/src/globs.rs",
    "cds-search/src/lookup.rs",
    "cds-search/src/preset.rs",
    "cds-search/src/query/mod.rs",
    "cds-search/src/query/words.rs",
    "cds-search/src/stages/hierarchy.rs",
    "cds-search/src/stages/lexical.rs",
    "cds-search/src/stages/names.rs",
];
const LEAST_OF_MODULE: f64 = 95.0;

/// Lines of a file or a crate.
#[derive(Clone, Copy, Default)]
struct Lines {
    reached: u64,
    all: u64,
}

impl Lines {
    fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { 100.0 * self.reached as f64 / self.all as f64 }
    }
}

pub(crate) fn run() -> Result<()> {
    let folder =
        PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into())).join("coverage");
    std::fs::create_dir_all(&folder)?;
    let status = Command::new(env!("CARGO"))
        .args(["tarpaulin", "--engine", "ptrace", "--skip-clean", "--timeout", "600", "--out", "Json", "--output-dir"])
        .arg(&folder)
        .args(TESTED.iter().flat_map(|name| ["-p", name]))
        .args(["examples", "tests"].map(|part| format!("--exclude-files=crates/*/{part}/*")))
        .status()?;
    if !status.success() {
        bail!("cargo tarpaulin failed; install it with `cargo install cargo-tarpaulin`");
    }
    let report = std::fs::read(folder.join("tarpaulin-report.json")).context("tarpaulin's report")?;
    let (text, missed) = judge(&measured(&serde_json::from_slice(&report)?));
    eprint!("{text}");
    if !missed.is_empty() {
        bail!("too few lines are reached by tests:\n{}", missed.join("\n"));
    }
    Ok(())
}

/// Lines by file, with paths below `crates`.
fn measured(report: &Value) -> BTreeMap<String, Lines> {
    let mut files = BTreeMap::new();
    for file in report["files"].as_array().into_iter().flatten() {
        let parts: Vec<&str> = file["path"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let Some(at) = parts.iter().rposition(|part| *part == "crates") else { continue };
        let number = |field: &str| file[field].as_u64().unwrap_or(0);
        files.insert(parts[at + 1..].join("/"), Lines { reached: number("covered"), all: number("coverable") });
    }
    files
}

/// A line a crate and a line a file below the least of a crate; and what is too little.
fn judge(files: &BTreeMap<String, Lines>) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut missed = Vec::new();
    for name in TESTED {
        let inside = files.iter().filter(|(path, _)| path.split('/').next() == Some(name));
        let whole = inside.clone().fold(Lines::default(), |sum, (_, lines)| Lines {
            reached: sum.reached + lines.reached,
            all: sum.all + lines.all,
        });
        text += &format!("{:6.2} %  {name} ({} of {} lines)\n", whole.percent(), whole.reached, whole.all);
        for (path, lines) in inside.filter(|(_, lines)| lines.percent() < LEAST) {
            text += &format!("{:10.2} %  {path} ({} of {} lines)\n", lines.percent(), lines.reached, lines.all);
        }
        if CRATES.contains(name) && (whole.all == 0 || whole.percent() < LEAST) {
            missed.push(format!("{name}: {:.2} % of at least {LEAST} %", whole.percent()));
        }
    }
    for module in MODULES {
        let lines = files.get(*module).copied();
        if lines.is_none_or(|l| l.percent() < LEAST_OF_MODULE) {
            let percent = lines.unwrap_or_default().percent();
            missed.push(format!("{module}: {percent:.2} % of at least {LEAST_OF_MODULE} %"));
        }
    }
    (text, missed)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CRATES, MODULES, TESTED, judge, measured};

    /// A report in which every crate and module has a hundred lines, all reached but for those of `path`.
    fn report(path: &str, reached: u64) -> Value {
        let others = TESTED.iter().map(|name| format!("{name}/src/rest.rs"));
        let all = MODULES.iter().map(ToString::to_string).chain(others).filter(|p| p != path);
        let row = |path: &str, covered: u64| {
            let parts: Vec<&str> = ["/", "somewhere", "crates"].into_iter().chain(path.split('/')).collect();
            json!({"path": parts, "covered": covered, "coverable": 100})
        };
        let rows: Vec<Value> = all.map(|p| row(&p, 100)).chain([row(path, reached)]).collect();
        json!({"files": rows})
    }

    #[test]
    fn too_few_lines_are_an_error() {
        let check = |path: &str, reached: u64, expect: &[&str]| {
            let (text, missed) = judge(&measured(&report(path, reached)));
            assert_eq!(missed, expect, "{path} {reached}");
            assert_eq!(text.contains(path), reached < 90, "low files are shown: {text}");
            assert_eq!(
                text.lines().filter(|l| l.contains(" lines)")).count(),
                TESTED.len() + usize::from(reached < 90)
            );
        };
        check("cds-lang/src/rest.rs", 90, &[]);
        check("cds-lang/src/rest.rs", 89, &["cds-lang: 89.00 % of at least 90 %"]);
        check("cds-model/src/rest.rs", 0, &[]);
        check("cds-search/src/bm25.rs", 95, &[]);
        check("cds-search/src/bm25.rs", 94, &["cds-search/src/bm25.rs: 94.00 % of at least 95 %"]);
    }

    #[test]
    fn what_was_not_measured_is_an_error() {
        let (_, missed) = judge(&measured(&json!({"files": []})));
        assert_eq!(missed.len(), CRATES.len() + MODULES.len());
    }

    #[test]
    fn the_tables_name_what_there_is() {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        assert!(MODULES.iter().all(|module| crates.join(module).is_file()) && MODULES.is_sorted());
        assert!(CRATES.iter().all(|name| TESTED.contains(name)));
    }
}
