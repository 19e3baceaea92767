//! Prints the chunks of a package as lines of JSON, in index order, and the files that have none to standard error.
//!
//! `--count` prints their number only.

use std::io::Write;
use std::path::PathBuf;

use cds_locagent::chunks::{Splitter, decode};
use cds_locagent::files::code_files;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let root = PathBuf::from(args.next().unwrap_or_else(|| ".".to_owned()));
    let count_only = args.next().is_some_and(|arg| arg == "--count");
    let mut splitter = Splitter::new();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut count = 0;
    for (name, path) in code_files(&root)? {
        match splitter.chunks(&name, &decode(&std::fs::read(path)?)) {
            Ok(chunks) if count_only => count += chunks.len(),
            Ok(chunks) => {
                for chunk in chunks {
                    serde_json::to_writer(&mut out, &chunk)?;
                    writeln!(out)?;
                }
            }
            Err(reason) => eprintln!("{name}: {reason}"),
        }
    }
    if count_only {
        writeln!(out, "{count}")?;
    }
    Ok(())
}
