//! `cargo xtask coverage`: which lines the tests reach.

use std::process::Command;

use anyhow::{Result, bail};

pub(crate) fn run() -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .args([
            "tarpaulin",
            "--engine",
            "ptrace",
            "--skip-clean",
            "--out",
            "Stdout",
            "--follow-exec",
            "--timeout",
            "600",
        ])
        .args([
            "-p",
            "cds-model",
            "-p",
            "cds-lang",
            "-p",
            "cds-index",
            "-p",
            "cds-search",
            "-p",
            "cds-engine",
            "-p",
            "cds",
        ])
        .args([
            "--exclude-files",
            "crates/*/examples/*",
            "--exclude-files",
            "crates/*/tests/*",
            "--exclude-files",
            "xtask/*",
        ])
        .status()?;
    if !status.success() {
        bail!("cargo tarpaulin failed; install it with `cargo install cargo-tarpaulin`");
    }
    Ok(())
}
