//! The floor under indexing: the files of a folder, read and parsed by bare tree-sitter on every core, nothing else done.
//! Prints seconds, files and bytes as JSON. `cargo xtask bench` compares `cds index` with it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use cds_lang::Registry;

/// As `cds index`: larger files are not read.
const MAX_FILE_SIZE: u64 = 1_000_000;

fn files(folder: &Path, out: &mut Vec<(PathBuf, u64)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        let hidden_index = entry.file_name() == ".cds-index";
        if meta.is_dir() && !hidden_index {
            files(&entry.path(), out);
        } else if meta.is_file() && meta.len() <= MAX_FILE_SIZE {
            out.push((entry.path(), meta.len()));
        }
    }
}

#[allow(clippy::print_stdout)]
fn main() {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mut found = Vec::new();
    files(Path::new(&root), &mut found);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let next = AtomicUsize::new(0);
    let parsed = AtomicU64::new(0);
    let started = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut parser = cds_lang::BareParser::default();
                while let Some((path, size)) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(text) = std::fs::read(path) else { continue };
                    let Ok(text) = String::from_utf8(text) else { continue };
                    let language = Registry::builtin().detect(&path.to_string_lossy(), &text);
                    if parser.parse(language, &text) {
                        parsed.fetch_add(*size, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    println!("{{\"seconds\": {seconds}, \"files\": {}, \"parsed_bytes\": {}}}", found.len(), parsed.into_inner());
}
