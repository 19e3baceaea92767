//! Minutes of mixed load on `cds serve`: memory, descriptors and threads must not grow after the first minute.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Report;
use super::load::{Client, Daemon, question};
use crate::trees;

/// How long the load lasts, and how often the server is measured.
const DURATION: Duration = Duration::from_mins(3);
const INTERVAL: Duration = Duration::from_secs(5);
/// What is measured before counts as start-up.
const WARM_UP: Duration = Duration::from_mins(1);
/// Clients that send requests one after the other.
const CLIENTS: usize = 8;
/// How often a file of the tree is edited.
const EDIT: Duration = Duration::from_secs(2);
/// Growth that counts as noise of the allocator.
const NOISE: f64 = 1.05;

/// The server at one moment.
#[derive(Clone, Copy)]
struct Sample {
    seconds: u64,
    memory_mb: f64,
    descriptors: usize,
    threads: usize,
}

impl Sample {
    fn take(daemon: &Daemon, started: Instant) -> Result<Sample> {
        let entries = |folder: &str| -> Result<usize> {
            Ok(std::fs::read_dir(format!("/proc/{}/{folder}", daemon.child.id()))?.count())
        };
        let seconds = started.elapsed().as_secs();
        let (descriptors, threads) = (entries("fd")?, entries("task")?);
        Ok(Sample { seconds, memory_mb: daemon.memory("RssAnon")?, descriptors, threads })
    }
}

/// A request: path and body. Every tenth one is malformed or asks for what is not there.
fn request(number: usize) -> (&'static str, Value) {
    let word = question(number);
    let name = word.split(' ').next_back().unwrap_or("read");
    match number % 10 {
        0..=3 => ("/api/v1/search", json!({ "query": word })),
        4 => ("/api/v1/search", json!({ "query": word, "preset": "hybrid", "granularity": "chunk" })),
        5 => ("/api/v1/grep", json!({ "pattern": format!("def .*{name}"), "limit": 50 })),
        6 => ("/api/v1/symbol", json!({ "name": name })),
        7 => ("/api/v1/research", json!({ "query": format!("what calls {name}") })),
        8 => ("/api/v1/outline", json!({ "path": "." })),
        _ => ("/api/v1/search", json!({ "query": "", "limit": -1 })),
    }
}

#[allow(clippy::print_stdout)]
pub(super) fn run(report: &mut Report, source: &Path) -> Result<()> {
    let tree = trees::target().join("bench/soak-tree");
    let home = trees::target().join("bench/soak-index");
    for folder in [&tree, &home] {
        let _ = std::fs::remove_dir_all(folder);
    }
    trees::copy(source, &tree)?;
    let daemon = Daemon::start(&tree, &home)?;
    let mut client = Client::connect(&daemon.address)?;
    while client.ask("GET", "/ready", "")? != 200 {
        std::thread::sleep(Duration::from_millis(50));
    }
    let (stop, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    let started = Instant::now();
    let samples = std::thread::scope(|scope| -> Result<Vec<Sample>> {
        for first in 0..CLIENTS {
            let (stop, answered, address) = (&stop, &answered, &daemon.address);
            scope.spawn(move || {
                let mut number = first * 1_009;
                while !stop.load(Ordering::Relaxed) {
                    // A connection serves a hundred requests; some are dropped in the middle of one.
                    let Ok(mut client) = Client::connect(address) else { continue };
                    for _ in 0..100 {
                        let (path, body) = request(number);
                        number += 1;
                        if stop.load(Ordering::Relaxed) || client.ask("POST", path, &body.to_string()).is_err() {
                            break;
                        }
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        scope.spawn(|| {
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                let _ = std::fs::write(
                    tree.join(format!("edited{}.py", number % 20)),
                    format!("def edit_{number}(): pass\n"),
                );
                std::thread::sleep(EDIT);
            }
        });
        let measure = || -> Result<Vec<Sample>> {
            let mut samples = Vec::new();
            while started.elapsed() < DURATION {
                std::thread::sleep(INTERVAL);
                samples.push(Sample::take(&daemon, started)?);
            }
            Ok(samples)
        };
        let samples = measure();
        stop.store(true, Ordering::Relaxed);
        samples
    })?;
    println!("{:>8} {:>10} {:>12} {:>8}", "seconds", "memory MB", "descriptors", "threads");
    for Sample { seconds, memory_mb, descriptors, threads } in &samples {
        println!("{seconds:>8} {memory_mb:>10.1} {descriptors:>12} {threads:>8}");
    }
    let (early, late): (Vec<Sample>, Vec<Sample>) = samples.iter().partition(|s| s.seconds <= WARM_UP.as_secs());
    ensure!(!early.is_empty() && !late.is_empty(), "the server was measured before and after the first minute");
    let peak = |samples: &[Sample], of: fn(&Sample) -> f64| samples.iter().map(of).fold(0.0, f64::max);
    let growth = |of: fn(&Sample) -> f64| peak(&late, of) / peak(&early, of);
    report.row("soak: answers", answered.load(Ordering::Relaxed) as f64, "", None);
    report.row("soak: peak memory after the first minute / before", growth(|s| s.memory_mb), "x", Some(NOISE));
    report.row("soak: peak descriptors, the same", growth(|s| s.descriptors as f64), "x", Some(NOISE));
    report.row("soak: peak threads, the same", growth(|s| s.threads as f64), "x", Some(NOISE));
    Ok(())
}
