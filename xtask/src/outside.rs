//! Clients of others at our doors: MCP as the official SDKs speak it, the HTTP API as a fuzzer reads its document, and our own client for
//! Python. What they need is installed once below the target directory, each at a version.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::trees::{run as must, target};

/// Where the scripts are.
const SCRIPTS: &str = "crates/cds/tests/outside";

/// Our own client.
const CLIENT: &str = "clients/python";

/// How much is asked of the HTTP API.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// What every change must pass.
    Short,
    /// More of it, for a change of the doors.
    Long,
}

/// `cargo xtask outside`
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let form = match arguments {
        [] => Form::Short,
        [long] if long == "--long" => Form::Long,
        _ => bail!("cargo xtask outside [--long]"),
    };
    // As the tests build it, so that nothing is compiled twice.
    must(Command::new(env!("CARGO")).args(["build", "--workspace", "--all-features", "--bin", "cds"]))?;
    all(form)
}

/// Every client, against the binary that was built last. A machine without Python or npm goes without, and is told.
pub(crate) fn all(form: Form) -> Result<()> {
    match python()? {
        Some(python) => {
            let examples = match form {
                Form::Short => "30",
                Form::Long => "400",
            };
            let scripts = Path::new(SCRIPTS);
            step("Python MCP client", Command::new(&python).arg(scripts.join("mcp_client.py")))?;
            step("HTTP API", Command::new(&python).arg(scripts.join("http_api.py")).args(["--examples", examples]))?;
            let tests = ["-m", "unittest", "discover", "-s", "tests"];
            step("Python client", Command::new(&python).args(tests).current_dir(CLIENT))?;
        }
        None => {
            eprintln!("== Python clients, HTTP API: NOT TESTED, there is no python3 of 3.11 or later on this machine")
        }
    }
    match node()? {
        Some(folder) => {
            step("TypeScript MCP client", Command::new("node").arg("--test").arg(folder.join("mcp_client.mjs")))
        }
        None => {
            eprintln!("== TypeScript MCP client: NOT TESTED, there is no npm on this machine");
            Ok(())
        }
    }
}

fn step(name: &str, command: &mut Command) -> Result<()> {
    eprintln!("== {name}");
    let started = std::time::Instant::now();
    must(command.env("CDS_BIN", std::path::absolute(target().join("debug/cds"))?).env("PYTHONDONTWRITEBYTECODE", "1"))?;
    eprintln!("== {name}: ok in {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

fn starts(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// A Python that has all that the scripts import.
fn python() -> Result<Option<PathBuf>> {
    if !starts(Command::new("python3").args(["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"])) {
        return Ok(None);
    }
    let folder = std::path::absolute(target().join("outside/python"))?;
    let python = folder.join("bin/python");
    installed(&folder, &["requirements.txt"], |wanted| {
        must(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        must(
            Command::new(&python)
                .args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "-r"])
                .arg(wanted.join("requirements.txt")),
        )
    })?;
    Ok(Some(python))
}

/// A folder with packages of npm, and the script beside them, where Node looks for what it imports.
fn node() -> Result<Option<PathBuf>> {
    if !starts(Command::new("npm").arg("--version")) {
        return Ok(None);
    }
    let folder = std::path::absolute(target().join("outside/node"))?;
    installed(&folder, &["package.json", "package-lock.json"], |wanted| {
        std::fs::create_dir_all(&folder)?;
        for file in ["package.json", "package-lock.json"] {
            std::fs::copy(wanted.join(file), folder.join(file))?;
        }
        must(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder))
    })?;
    std::fs::copy(Path::new(SCRIPTS).join("mcp_client.mjs"), folder.join("mcp_client.mjs"))?;
    Ok(Some(folder))
}

/// Installs what the files ask for, unless the last installation was for the same.
fn installed(folder: &Path, files: &[&str], install: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let scripts = Path::new(SCRIPTS);
    let mut wanted = String::new();
    for file in files {
        wanted.push_str(&std::fs::read_to_string(scripts.join(file))?);
    }
    let complete = folder.join(".complete");
    if std::fs::read_to_string(&complete).is_ok_and(|had| had == wanted) {
        return Ok(());
    }
    eprintln!("== installing {}", files.join(" and "));
    install(scripts)?;
    std::fs::write(complete, wanted)?;
    Ok(())
}
