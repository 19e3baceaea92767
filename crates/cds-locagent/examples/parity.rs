//! One package against what LocAgent gave for it: `parity SOURCE FIXTURES` prints a JSON object, and first differences on stderr.

// Shared with the tests, which read more of it.
#[allow(dead_code)]
#[path = "../tests/compare/mod.rs"]
mod compare;

use std::path::Path;

use cds_locagent::{CodeIndex, Repository, build_graph};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[allow(clippy::print_stdout)]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, fixtures] = arguments.as_slice() else { panic!("usage: parity SOURCE FIXTURES") };
    let source = Path::new(source);
    let before = processor_seconds();
    drop(build_graph(source).expect("the source can be read"));
    let after_graph = processor_seconds();
    drop(CodeIndex::build(source).expect("the source can be read"));
    let after_code = processor_seconds();
    let repository = Repository::build(source).expect("the source can be read");
    let report = compare::compare(&repository, Path::new(fixtures));
    for note in &report.notes {
        eprintln!("{note}");
    }
    println!(
        "{}",
        serde_json::json!({
            "graph_differences": report.graph_differences, "graph_rows": report.graph_rows,
            "chunks": report.chunks.percent(), "chunk_texts": report.chunk_texts.percent(),
            "overlap": report.overlap.percent(), "overlap_of_chunks": report.overlap_of_chunks.percent(),
            "name_hits": report.name_hits.percent(),
            "outlines": report.outlines.percent(), "outline_count": report.outlines.all, "trees": report.trees.percent(), "tree_count": report.trees.all,
            "graph_cpu_s": after_graph - before, "code_index_cpu_s": after_code - after_graph,
            "code_query_ms": median_ms(&report.code_seconds), "name_query_ms": median_ms(&report.name_seconds),
            "search_ms": median_ms(&report.search_seconds), "search_max_ms": max_ms(&report.search_seconds),
            "tree_ms": median_ms(&report.tree_seconds),
        })
    );
}

/// Time that all threads of this process have run, from the scheduler: the usual counters tick in hundredths of a second.
fn processor_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}

fn median_ms(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).map_or(0.0, |s| s * 1e3)
}

fn max_ms(seconds: &[f64]) -> f64 {
    seconds.iter().fold(0.0, |most: f64, s| most.max(s * 1e3))
}
