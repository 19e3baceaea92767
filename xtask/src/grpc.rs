//! The gRPC door and a client from outside: grpcio of PyPI, kept below the target directory.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What the client is made of. Another version here makes a new environment.
const PACKAGES: &[&str] = &[
    "grpcio==1.85.1",
    "grpcio-health-checking==1.85.1",
    "grpcio-reflection==1.85.1",
    "grpcio-status==1.85.1",
    "grpcio-tools==1.85.1",
    "googleapis-common-protos==1.76.0",
    "protobuf==7.36.2",
];

/// Asks the binary that the tests built.
pub(crate) fn run() -> Result<()> {
    eprintln!("== gRPC by grpcio");
    let python = environment()?;
    let cds = std::path::absolute(crate::trees::target().join("debug/cds"))?;
    let status = Command::new(python)
        .arg("crates/cds/tests/outside/grpc_client.py")
        .env("CDS_BIN", cds)
        .env("CDS_PROTO", std::path::absolute("crates/cds-service/proto")?)
        // The stubs are made anew each time; nothing is left beside the .proto.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .status()
        .context("starting python")?;
    if !status.success() {
        bail!("a client of gRPC from outside failed");
    }
    Ok(())
}

/// A Python with the packages, made once.
fn environment() -> Result<PathBuf> {
    let folder = std::path::absolute(crate::trees::target().join("outside/grpc"))?;
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let complete = folder.join(".complete");
    let packages = PACKAGES.join("\n");
    if std::fs::read_to_string(&complete).is_ok_and(|made| made == packages) {
        return Ok(python);
    }
    let run = |command: &mut Command, what: &str| match command.status() {
        Ok(status) if status.success() => Ok(()),
        _ => bail!("{what} failed: python3 with venv and pip is needed, and a mirror of PyPI"),
    };
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder), "making a place for grpcio")?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES), "fetching grpcio")?;
    std::fs::write(complete, packages)?;
    Ok(python)
}
