//! `cds-fuzz run TARGET SECONDS SEED FOLDER` looks for an input that breaks a promise and puts it into the folder;
//! `cds-fuzz try TARGET FILE...` runs inputs once. Both need no nightly compiler: `cargo xtask fuzz` calls the first where
//! libFuzzer is missing.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use cds_fuzz::{Bound, Corpus, Input, TARGETS, run};

const USAGE: &str = "cds-fuzz run TARGET SECONDS SEED FOLDER | cds-fuzz try TARGET FILE...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match work(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Whether every promise held.
fn work(arguments: &[&str]) -> Result<bool, String> {
    let target = |name: &str| {
        let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        let found = TARGETS.iter().find(|t| t.name == name);
        found.ok_or_else(|| format!("no target {name:?}; there are {}", names.join(", ")))
    };
    match arguments {
        ["run", name, seconds, seed, folder] => {
            let target = target(name)?;
            let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is no number; {USAGE}"));
            let corpus = Corpus::read(target).map_err(|e| format!("the corpus of {name}: {e}"))?;
            let ran = run(target, &corpus, number(seed)?, Bound::Time(Duration::from_secs(number(seconds)?)));
            eprintln!("{name}: {} inputs, the slowest took {:?}", ran.inputs, ran.slowest);
            let Some(input) = ran.broken else { return Ok(true) };
            let path = Path::new(folder).join(format!("{name}-{:08x}", crc32fast::hash(&input)));
            std::fs::write(&path, &input).map_err(|e| format!("{}: {e}", path.display()))?;
            eprintln!("{name}: a promise broken by {}", path.display());
            Ok(false)
        }
        ["try", name, files @ ..] => {
            let target = target(name)?;
            let read = |path: &&str| match std::fs::read(path) {
                Ok(bytes) => Ok(Input { name: (*path).to_owned(), bytes }),
                Err(e) => Err(format!("{path}: {e}")),
            };
            let inputs = files.iter().map(read).collect::<Result<Vec<Input>, String>>()?;
            let ran = run(target, &Corpus { inputs, words: Vec::new() }, 0, Bound::Inputs(0));
            eprintln!("{name}: {} inputs, the slowest took {:?}", ran.inputs, ran.slowest);
            Ok(ran.broken.is_none())
        }
        _ => Err(USAGE.to_owned()),
    }
}
