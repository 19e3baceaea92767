//! The same vectors and queries in cds's table and in usearch: time to build, from a cold start to the first answer, a query, what is found of
//! the ten nearest, bytes on disk. One JSON object a line.
//!
//! `bench-vectors FILE DIMENSIONS`: FILE.vectors and FILE.queries as `crates/cds-index/examples/scan.rs` writes them.
//! `bench-vectors open usearch|cds PATH DIMENSIONS FILE`: opens an index and answers one query; started anew for each cold start.

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use cds_index::VectorTable;
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

const NEAREST: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["open", "usearch", path, dimensions, file] => {
            let dimensions = dimensions.parse()?;
            let index = Index::new(&options(dimensions))?;
            index.view(path)?;
            let query = &read(&format!("{file}.queries"), dimensions)?[0];
            assert_eq!(index.search(query, NEAREST)?.keys.len(), NEAREST);
            Ok(())
        }
        [file, dimensions] => compare(file, dimensions.parse()?),
        _ => Err("usage: bench-vectors FILE DIMENSIONS".into()),
    }
}

fn options(dimensions: usize) -> IndexOptions {
    IndexOptions { dimensions, metric: MetricKind::IP, quantization: ScalarKind::I8, ..IndexOptions::default() }
}

fn compare(file: &str, dimensions: usize) -> Result<(), Box<dyn Error>> {
    let vectors = read(&format!("{file}.vectors"), dimensions)?;
    let queries = read(&format!("{file}.queries"), dimensions)?;
    let truth: Vec<f32> = queries.iter().map(|query| tenth(&vectors, query)).collect();
    let recall = |found: &[Vec<usize>]| {
        let near = |(list, (query, least)): (&Vec<usize>, (&Vec<f32>, &f32))| {
            list.iter().filter(|at| dot(&vectors[**at], query) >= least - 1e-6).count()
        };
        let all: usize = found.iter().zip(queries.iter().zip(&truth)).map(near).sum();
        all as f64 / (NEAREST * queries.len()) as f64
    };

    let started = Instant::now();
    let mut table = VectorTable::new(dimensions);
    vectors.iter().for_each(|vector| table.push(vector));
    let build = started.elapsed().as_secs_f64();
    let mut times = Vec::new();
    let mut found = Vec::new();
    for query in &queries {
        let started = Instant::now();
        let near = table.vectors().nearest(query, NEAREST, |_| true);
        times.push(started.elapsed().as_secs_f64() * 1e3);
        found.push(near.into_iter().map(|(chunk, _)| chunk.0 as usize).collect());
    }
    let disk = vectors.len() * (dimensions + 4);
    report("cds, exact scan", build, f64::NAN, times, recall(&found), disk as u64);

    let started = Instant::now();
    let index = Index::new(&options(dimensions))?;
    index.reserve(vectors.len())?;
    for (key, vector) in vectors.iter().enumerate() {
        index.add(key as u64, vector)?;
    }
    let path = format!("{file}.usearch");
    index.save(&path)?;
    let build = started.elapsed().as_secs_f64();
    let mut times = Vec::new();
    let mut found = Vec::new();
    for query in &queries {
        let started = Instant::now();
        let near = index.search(query, NEAREST)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        found.push(near.keys.into_iter().map(|key| key as usize).collect());
    }
    let cold = median((0..9).map(|_| cold(&["open", "usearch", &path, &dimensions.to_string(), file])).collect());
    report("usearch, HNSW, int8", build, cold, times, recall(&found), std::fs::metadata(Path::new(&path))?.len());
    Ok(())
}

/// Milliseconds of a process's whole life.
fn cold(arguments: &[&str]) -> f64 {
    let started = Instant::now();
    let program = std::env::current_exe().expect("this program has a path");
    assert!(Command::new(program).args(arguments).status().is_ok_and(|status| status.success()));
    started.elapsed().as_secs_f64() * 1e3
}

#[allow(clippy::print_stdout)]
fn report(name: &str, build: f64, cold: f64, mut times: Vec<f64>, recall: f64, disk: u64) {
    times.sort_by(f64::total_cmp);
    let row = serde_json::json!({
        "what": name, "build_s": build, "cold_ms": cold, "p50_ms": times[times.len() / 2], "p95_ms": times[times.len() * 95 / 100],
        "recall_at_10": recall, "disk_mb": disk as f64 / 1e6,
    });
    println!("{row}");
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The product of the tenth nearest: what is not below it is among them.
fn tenth(vectors: &[Vec<f32>], query: &[f32]) -> f32 {
    let mut scores: Vec<f32> = vectors.iter().map(|vector| dot(vector, query)).collect();
    scores.select_nth_unstable_by(NEAREST - 1, |a, b| b.total_cmp(a));
    scores[NEAREST - 1]
}

fn read(path: &str, dimensions: usize) -> Result<Vec<Vec<f32>>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    Ok(numbers.chunks_exact(dimensions).map(<[f32]>::to_vec).collect())
}
