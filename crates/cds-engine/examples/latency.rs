//! Warm latencies over an index: `latency ROOT` prints p50 and p95 in milliseconds for exact names, words and phrases, as JSON.
//! Names and words are taken from the index itself, so any tree will do.

use std::time::Instant;

use cds_engine::{Config, Engine, Hooks, OutlineRequest, SearchRequest, SymbolRequest, TraverseRequest};

/// Queries of each kind.
const QUERIES: usize = 300;

fn percentiles(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len() as f64 - 1.0) * share) as usize).copied().unwrap_or(0.0);
    (at(0.5), at(0.95))
}

fn timed(mut work: impl FnMut(usize)) -> (f64, f64) {
    let times = (0..QUERIES).map(|i| {
        let started = Instant::now();
        work(i);
        started.elapsed().as_secs_f64() * 1e3
    });
    percentiles(times.collect())
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), cds_engine::Error> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mut config = Config::default();
    config.set("search.update", "false")?;
    if let Ok(folder) = std::env::var("CDS_INDEX_DIR") {
        config.set("index.dir", &folder)?;
    }
    let engine = Engine::open(root.as_ref(), config)?;
    engine.ensure_indexed(&Hooks::default())?;
    let chunks = engine.status(false)?.chunks;
    let outline = engine.outline(&OutlineRequest { path: String::new(), depth: Some(1) })?;
    let names: Vec<String> =
        outline.files.iter().flat_map(|f| &f.entities).map(|e| e.name.clone()).filter(|n| n.len() > 3).collect();
    let docs: Vec<String> =
        outline.files.iter().flat_map(|f| &f.entities).filter_map(|e| e.doc.clone()).filter(|d| d.len() > 12).collect();
    let name = |i: usize| names[i * 7919 % names.len()].clone();
    let words = |i: usize| {
        let doc = &docs[i * 7919 % docs.len()];
        doc.split_whitespace().take(6).collect::<Vec<_>>().join(" ").replace('"', "")
    };
    let search = |query: String, preset: &str| {
        let request = SearchRequest { query, preset: Some(preset.to_owned()), ..SearchRequest::default() };
        engine.search(&request).map(|r| r.total)
    };
    let lookup = |i: usize| {
        let request = SymbolRequest { name: name(i), limit: Some(1), ..SymbolRequest::default() };
        engine.symbol(&request).map(|r| r.total)
    };
    // Warm up: pages and caches.
    for i in 0..20 {
        let _ = (lookup(i), search(words(i), "default"));
    }
    let mut found = 0;
    let by_name = timed(|i| found += lookup(i).unwrap_or(0));
    let by_bm25 = timed(|i| found += search(words(i), "bm25").unwrap_or(0));
    let by_dense = timed(|i| found += search(words(i), "dense").unwrap_or(0));
    let by_hybrid = timed(|i| found += search(words(i), "hybrid").unwrap_or(0));
    let by_default = timed(|i| found += search(words(i), "default").unwrap_or(0));
    // What ranking adds to retrieval: every step that weighs.
    let weighing = ["mentions", "signals", "factors", "relations", "group", "cut"];
    let ranking = (0..QUERIES).filter_map(|i| {
        let request = SearchRequest { query: words(i), ..SearchRequest::default() };
        let timings = engine.search(&request).ok()?.timings_ms;
        Some(weighing.iter().filter_map(|stage| timings.get(stage)).sum::<f64>())
    });
    let ranking = percentiles(ranking.collect());
    let paths: Vec<&str> = outline.files.iter().flat_map(|f| f.entities.iter().map(|e| e.id.as_str())).collect();
    let by_graph = timed(|i| {
        let from = vec![paths[i * 7919 % paths.len()].to_owned()];
        let direction = Some("both".to_owned());
        let request = TraverseRequest { from, direction, depth: Some(2), ..TraverseRequest::default() };
        found += engine.traverse(&request).map_or(0, |r| r.nodes.len());
    });
    let row = |(p50, p95): (f64, f64)| format!("{{\"p50\": {p50:.4}, \"p95\": {p95:.4}}}");
    println!(
        "{{\"chunks\": {chunks}, \"found\": {found}, \"name\": {}, \"bm25\": {}, \"dense\": {}, \"hybrid\": {}, \"default\": {}, \"ranking\": {}, \"traverse\": {}}}",
        row(by_name),
        row(by_bm25),
        row(by_dense),
        row(by_hybrid),
        row(by_default),
        row(ranking),
        row(by_graph)
    );
    Ok(())
}
