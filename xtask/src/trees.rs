//! Real trees to measure on: packages from PyPI and npm, by name and version, unpacked below the target directory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
        let unpacked = wheel(package)?;
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

/// A package of PyPI, unpacked, once.
pub(crate) fn wheel(package: &str) -> Result<PathBuf> {
    once(package, |downloads| {
        run(Command::new("python3")
            .args(["-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d"])
            .arg(downloads)
            .arg(package))
    })
}

/// A package of npm, as name@version, unpacked, once.
pub(crate) fn tarball(package: &str) -> Result<PathBuf> {
    once(package, |downloads| {
        run(Command::new("npm")
            .args(["pack", "--silent", package, "--pack-destination"])
            .arg(downloads)
            .stdout(Stdio::null()))
    })
}

fn once(package: &str, download: impl Fn(&Path) -> Result<()>) -> Result<PathBuf> {
    let downloads = target().join("bench/downloads").join(package);
    if !downloads.exists() {
        eprintln!("fetching {package}");
        std::fs::create_dir_all(&downloads)?;
        download(&downloads).inspect_err(|_| drop(std::fs::remove_dir_all(&downloads)))?;
    }
    let archive = std::fs::read_dir(&downloads)?.flatten().map(|e| e.path()).next();
    let archive = archive.with_context(|| format!("nothing was downloaded for {package}"))?;
    let unpacked = target().join("bench/unpacked").join(package);
    if !unpacked.exists() {
        std::fs::create_dir_all(&unpacked)?;
        if archive.extension().is_some_and(|e| e == "tgz") {
            run(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(&archive).arg("-C").arg(&unpacked))?;
        } else {
            run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&archive).arg(&unpacked))?;
        }
    }
    Ok(unpacked)
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

/// Copies a tree.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    run(Command::new("cp").arg("-r").arg(from).arg(to))
}

/// The workspace's target directory.
pub(crate) fn target() -> PathBuf {
    // Without `..`, which `cds --index-dir` rejects.
    let below_workspace = || Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(below_workspace, PathBuf::from)
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
