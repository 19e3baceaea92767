//! Real trees to measure on: packages from PyPI, by name and version, unpacked below the target directory.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A little over a thousand files of ordinary size.
pub(crate) const SMALL: &[&str] = &["ansible-core==2.17.6", "requests==2.32.3", "flask==3.0.3"];

/// Cut at ten thousand files.
pub(crate) const LARGE: &[&str] = &[
    "Django==5.1.3",
    "sympy==1.13.3",
    "twisted==24.10.0",
    "jupyterlab==4.3.0",
    "ansible-core==2.17.6",
    "ansible==10.6.0",
];

/// Files in the large tree.
const LARGE_FILES: usize = 10_000;

/// Downloads and unpacks `packages` into one folder, once.
pub(crate) fn fetch(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let root = target().join("bench").join(name);
    if root.join(".complete").exists() {
        return Ok(root);
    }
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root)?;
    let mut left = LARGE_FILES;
    for package in packages {
        eprintln!("fetching {package}");
        let downloads = target().join("bench/downloads").join(package);
        if !downloads.exists() {
            run(Command::new("python3")
                .args(["-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d"])
                .arg(&downloads)
                .arg(package))?;
        }
        let wheel =
            std::fs::read_dir(&downloads)?.flatten().map(|e| e.path()).next().context("pip downloaded nothing")?;
        let unpacked = target().join("bench/unpacked").join(package);
        if !unpacked.exists() {
            run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked))?;
        }
        let mut files = Vec::new();
        list(&unpacked, &mut files);
        files.sort();
        for file in files.iter().take(left) {
            let to = root.join(package.split('=').next().unwrap_or(package)).join(file.strip_prefix(&unpacked)?);
            std::fs::create_dir_all(to.parent().context("a file has a folder")?)?;
            std::fs::copy(file, to)?;
        }
        left = left.saturating_sub(files.len());
    }
    std::fs::write(root.join(".complete"), "")?;
    Ok(root)
}

pub(crate) fn list(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(&entry.path(), out),
            Ok(kind) if kind.is_file() => out.push(entry.path()),
            _ => {}
        }
    }
}

/// The workspace's target directory.
pub(crate) fn target() -> PathBuf {
    let below_workspace = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(below_workspace, PathBuf::from)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
