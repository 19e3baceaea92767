//! Time and memory of one step: `memory index|load|update SOURCE HOME`. `index` writes to the folder HOME what the others read.

use std::path::Path;
use std::time::Instant;

use cds_locagent::search::Request;
use cds_locagent::{Repository, Source};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[allow(clippy::print_stdout)]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [step, root, home] = arguments.as_slice() else { panic!("usage: memory index|load|update SOURCE HOME") };
    let (root, home) = (Path::new(root), Path::new(home));
    let started = Instant::now();
    let repository = match step.as_str() {
        "index" => {
            let repository = Repository::build(root).expect("the source can be read");
            repository.save(home).expect("the folder can be written");
            repository
        }
        "load" => Repository::load(home).expect("there is an index"),
        "update" => {
            let facts = Repository::load(home).expect("there is an index").facts();
            let source = Source { root, read: &|path| std::fs::read(root.join(path)), stop: &|| false };
            Repository::read(source, Some(facts)).expect("the source can be read")
        }
        other => panic!("{other}: no such step"),
    };
    let seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let is_current = repository.is_current(root);
    let looked = started.elapsed().as_secs_f64() * 1e3;
    let started = Instant::now();
    let request = Request { terms: vec!["parse the configuration".to_owned()], ..Request::default() };
    let found = repository.search(&request).map_or(0, |outcome| outcome.text.len());
    println!(
        "{step}: {seconds:.2} s, {} nodes, {} edges, {} chunks, current: {is_current} ({looked:.1} ms), \
         search: {found} bytes ({:.1} ms), peak {} MB",
        repository.graph.nodes.len(),
        repository.graph.edges.len(),
        repository.code.chunks.len(),
        started.elapsed().as_secs_f64() * 1e3,
        peak_megabytes(),
    );
}

/// The most memory that this process had, where the kernel says.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) / 1024
}
