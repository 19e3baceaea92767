//! `cargo xtask fuzz`: inputs that break promises, looked for as long as you like.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Bytes of memory that one target may take, in MB, the sanitizer's own included.
const MEMORY_MB: usize = 4096;

/// Seconds that one input may take under the sanitizer.
const TIMEOUT: usize = 60;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    minutes: u64,
    target: Option<String>,
}

impl Asked {
    fn read(arguments: &[String]) -> Result<Asked> {
        let mut asked = Asked { minutes: 5, target: None };
        let mut rest = arguments.iter();
        while let Some(flag) = rest.next() {
            let value = rest.next().with_context(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--minutes" => asked.minutes = value.parse().with_context(|| format!("{value:?} minutes"))?,
                "--target" => asked.target = Some(value.clone()),
                _ => bail!("no option {flag}; there are --minutes N and --target NAME"),
            }
        }
        Ok(asked)
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let asked = Asked::read(arguments)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let mut targets = targets(&root)?;
    if let Some(name) = &asked.target {
        if !targets.contains(name) {
            bail!("no target {name:?}; there are {}", targets.join(", "));
        }
        targets.retain(|target| target == name);
    }
    let work = std::path::absolute(crate::trees::target())?.join("fuzz");
    let folders = Folders { broken: work.join("broken"), root, work };
    std::fs::create_dir_all(&folders.broken)?;
    // Indexes of the targets; libFuzzer ends a process without leave to tidy up.
    let scratch = folders.work.join(format!("tmp-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;

    let with_libfuzzer = is_there("cargo", &["+nightly", "fuzz", "--version"]);
    if !with_libfuzzer {
        eprintln!("== no libFuzzer: it needs `rustup toolchain install nightly` and `cargo install cargo-fuzz`");
        eprintln!("== so inputs are changed by chance, blind to what they reach");
    }
    let mut failed = Vec::new();
    for target in &targets {
        eprintln!("== {target}: {} min", asked.minutes);
        let mut command = if with_libfuzzer {
            folders.libfuzzer(target, asked.minutes)?
        } else {
            folders.stable(target, asked.minutes)?
        };
        if !command.env("TMPDIR", &scratch).status().with_context(|| format!("starting {target}"))?.success() {
            failed.push(target.as_str());
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    if failed.is_empty() {
        return Ok(());
    }
    bail!(
        "{} failed; inputs are in {}; `cargo run -p cds-fuzz -- try TARGET FILE` repeats one",
        failed.join(", "),
        folders.broken.display()
    );
}

/// Targets are files in `fuzz/fuzz_targets`; a test of cds-fuzz compares them with its table.
fn targets(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root.join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("rs")) {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// Where things are.
struct Folders {
    root: PathBuf,
    work: PathBuf,
    broken: PathBuf,
}

impl Folders {
    /// libFuzzer keeps what reaches new code in a folder of its own, so that the next run goes on from there; the corpus of
    /// the repository is read and not written.
    fn libfuzzer(&self, target: &str, minutes: u64) -> Result<Command> {
        let found = self.work.join("corpus").join(target);
        std::fs::create_dir_all(&found)?;
        let data = self.root.join("crates/cds-fuzz");
        // The versions that are tested elsewhere, not the newest.
        std::fs::copy(self.root.join("Cargo.lock"), self.root.join("fuzz/Cargo.lock"))?;
        let mut command = Command::new("cargo");
        command.current_dir(&self.root).args(["+nightly", "fuzz", "run", target, "--target-dir"]);
        command.arg(self.work.join("build")).arg(found).arg(data.join("corpus").join(target)).arg("--");
        command.arg(format!("-max_total_time={}", minutes * 60));
        command.arg(format!("-artifact_prefix={}/{target}-", self.broken.display()));
        command.arg(format!("-dict={}", data.join("dictionary").join(format!("{target}.txt")).display()));
        command.args([format!("-timeout={TIMEOUT}"), format!("-rss_limit_mb={MEMORY_MB}")]);
        // What is kept for the next question looks like a leak, and to search for leaks makes a run three times as slow.
        command.args(["-detect_leaks=0", "-print_final_stats=1", "-print_funcs=0"]);
        Ok(command)
    }

    fn stable(&self, target: &str, minutes: u64) -> Result<Command> {
        let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs();
        eprintln!("== seed {seed}");
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(&self.root).args(["run", "--quiet", "-p", "cds-fuzz", "--", "run", target]);
        command.args([(minutes * 60).to_string(), seed.to_string()]).arg(&self.broken);
        Ok(command)
    }
}

fn is_there(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::{Asked, targets};

    #[test]
    fn options_are_read() {
        let read = |line: &str| Asked::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let check = |line: &str, minutes: u64, target: Option<&str>| {
            assert_eq!(read(line).unwrap(), Asked { minutes, target: target.map(str::to_owned) });
        };
        check("", 5, None);
        check("--minutes 30", 30, None);
        check("--target query --minutes 1", 1, Some("query"));
        assert!(read("--minutes").unwrap_err().to_string().contains("needs a value"));
        assert!(read("--hours 3").unwrap_err().to_string().contains("there are --minutes"));
    }

    #[test]
    fn targets_are_found() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(targets(&root).unwrap().contains(&"extract".to_owned()));
    }
}
