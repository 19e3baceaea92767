//! Many readers and one writer on one index, all of them processes.
//!
//! `CDS_READERS_SECONDS` makes it a measurement: so long without a writer, so long with one, and how long searches took is printed. All
//! are slower then, each reader asks once a second and the writer pauses for half a second: who never pauses measures how many cores there
//! are. The long run is `CDS_READERS_SECONDS=60 cargo test -p cds --test cli c8 -- --nocapture`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fixture::{Project, asked};

const READERS: usize = 8;
/// With and without a writer take turns: whatever else the machine does slows both alike.
const ROUND: Duration = Duration::from_secs(5);
const FILES: usize = 60;
/// Files that the writer edits.
const EDITED: usize = 3;

fn path(file: usize) -> String {
    format!("accounts/m{file}.py")
}

fn text(file: usize, version: u64) -> String {
    format!(
        "from accounts.m0 import balance_0\n\n\ndef balance_{file}(account):\n    \"\"\"Balances the ledger of department {file}.\"\"\"\n    \
         version = {version}\n    return balance_0(account) + version\n"
    )
}

/// The version of a file that a hit shows; panics unless it is that, to the letter.
fn version_shown(hit: &Value) -> Option<u64> {
    let snippet = hit["snippet"].as_str().expect("a snippet");
    let path = hit["path"].as_str().expect("a path");
    let file: usize = path.strip_prefix("accounts/m")?.strip_suffix(".py")?.parse().ok()?;
    let version = snippet.lines().find_map(|line| line.trim().strip_prefix("version = "))?.parse().expect("a number");
    assert!(text(file, version).contains(snippet), "no version of {path} has this text: {snippet:?}");
    (file < EDITED).then_some(version)
}

struct Run {
    /// Each reader asks once in such a time.
    pace: Duration,
    /// How long the writer waits after an update.
    pause: Duration,
    /// The last version whose `cds index` ended.
    published: AtomicU64,
    /// The last version that was begun to be written.
    begun: AtomicU64,
    is_over: AtomicBool,
    /// How long searches took that only read.
    times: Mutex<Vec<Duration>>,
    others: AtomicU64,
}

impl Run {
    fn new(pace: Duration, pause: Duration) -> Run {
        Run {
            pace,
            pause,
            published: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            times: Mutex::default(),
            others: AtomicU64::new(0),
        }
    }

    /// One reader: what it asks depends on its number.
    fn read(&self, project: &Project, reader: usize) {
        let mut next = Instant::now() + self.pace * reader as u32 / READERS as u32;
        let mut turn = reader;
        while !self.is_over.load(Ordering::Relaxed) {
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
            next = Instant::now().max(next + self.pace);
            turn += 1;
            let published = self.published.load(Ordering::SeqCst);
            let started = Instant::now();
            match reader {
                // Brings the index up to date itself, unless the writer is at it.
                0 => self.check(&search(project, &[]), published),
                // Finds nothing, and must not take that for damage.
                1 => {
                    let output = project.cds(&["search", "xqzvwy", "--no-update"]);
                    assert_eq!(output.code, 1, "{}", output.stderr);
                }
                // Reads every byte.
                2 if turn.is_multiple_of(2) => {
                    let output = project.cds(&["status"]);
                    assert_eq!(output.code, 0, "{}", output.stderr);
                }
                3 if turn.is_multiple_of(2) => {
                    let args = ["callers", "accounts/m0.py:balance_0", "--no-update"];
                    let edges = project.json(&args)["edges"].as_array().expect("edges").len();
                    assert!(edges >= FILES - 1, "{edges} of {FILES} files call it");
                }
                4 if turn.is_multiple_of(2) => self.check(&search(project, &["--no-update"]), published),
                _ => {
                    let name = format!("balance_{}", turn % EDITED);
                    let answer = project.json(&["search", &name, "-n", "3", "--snippet", "full", "--no-update"]);
                    self.times.lock().expect("no panic").push(started.elapsed());
                    assert_eq!(answer["hits"][0]["name"], name, "{answer}");
                    self.check_versions(&[version_shown(&answer["hits"][0]).expect("a version")], published);
                    continue;
                }
            }
            self.others.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// All files that are edited are shown, each of a version that fits.
    fn check(&self, answer: &Value, published: u64) {
        let hits = answer["hits"].as_array().expect("hits");
        let versions: Vec<u64> = hits.iter().filter_map(version_shown).collect();
        assert_eq!(versions.len(), EDITED, "{answer}");
        self.check_versions(&versions, published);
    }

    /// None is older than what was there before the question, none is one that nobody wrote.
    fn check_versions(&self, versions: &[u64], published: u64) {
        let there = published..=self.begun.load(Ordering::SeqCst);
        assert!(versions.iter().all(|version| there.contains(version)), "{versions:?} are not in {there:?}");
    }

    fn write(&self, project: &Project) -> u64 {
        let mut version = self.begun.load(Ordering::SeqCst);
        while !self.is_over.load(Ordering::Relaxed) {
            version += 1;
            self.begun.store(version, Ordering::SeqCst);
            for file in 0..EDITED {
                project.write(&path(file), text(file, version));
            }
            let output = project.cds(&["index"]);
            assert_eq!(output.code, 0, "{}", output.stderr);
            self.published.store(version, Ordering::SeqCst);
            std::thread::sleep(self.pause);
        }
        version
    }
}

fn search(project: &Project, more: &[&str]) -> Value {
    let query = ["search", "balances the ledger of department", "-n", "80", "--snippet", "full"];
    project.json(&[&query, more].concat())
}

/// Runs all readers for a while, with or without the writer; gives the times of plain searches and how often was written.
fn run(project: &Project, run: &Run, time: Duration, with_writer: bool) -> (Vec<Duration>, u64) {
    run.is_over.store(false, Ordering::Relaxed);
    let written = std::thread::scope(|scope| {
        let stop = StopOnPanic(run);
        for reader in 0..READERS {
            scope.spawn(move || {
                let _stop = StopOnPanic(run);
                run.read(project, reader);
            });
        }
        let before = run.begun.load(Ordering::SeqCst);
        let writer = with_writer.then(|| {
            scope.spawn(move || {
                let _stop = StopOnPanic(run);
                run.write(project) - before
            })
        });
        let until = Instant::now() + time;
        while Instant::now() < until && !run.is_over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(stop);
        run.is_over.store(true, Ordering::Relaxed);
        writer.map_or(0, |writer| writer.join().expect("the writer does not fail"))
    });
    (std::mem::take(&mut *run.times.lock().expect("no panic")), written)
}

/// Whoever fails ends the test for all.
struct StopOnPanic<'a>(&'a Run);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_over.store(true, Ordering::Relaxed);
        }
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)].as_secs_f64() * 1e3
}

#[test]
fn c8_many_searches_and_one_writer_all_succeed() {
    let project = Project::new("");
    for file in 0..FILES {
        project.write(&path(file), text(file, 0));
    }
    assert_eq!(project.cds(&["index"]).code, 0);
    let long = asked("CDS_READERS_SECONDS").map(Duration::from_secs);
    let (pace, pause) = if long.is_some() { (1_000, 500) } else { (300, 20) };
    let state = Run::new(Duration::from_millis(pace), Duration::from_millis(pause));
    let told = |what: &str, mut times: Vec<Duration>| {
        times.sort_unstable();
        let (p50, p95) = (percentile(&times, 50), percentile(&times, 95));
        eprintln!("{what}: {} searches, p50 {p50:.1} ms, p95 {p95:.1} ms", times.len());
        p95
    };
    match long {
        None => {
            let (times, written) = run(&project, &state, Duration::from_secs(4), true);
            assert!(times.len() > 10 && written > 0, "{} searches, {written} updates", times.len());
        }
        Some(time) => {
            let (mut alone, mut beside, mut updates) = (Vec::new(), Vec::new(), 0);
            let rounds = (time.as_secs() / ROUND.as_secs()).max(1);
            for _ in 0..rounds {
                alone.extend(run(&project, &state, ROUND, false).0);
                let (times, written) = run(&project, &state, ROUND, true);
                beside.extend(times);
                updates += written;
            }
            let (alone, beside) = (told("without a writer", alone), told("with a writer", beside));
            let others = state.others.load(Ordering::Relaxed);
            eprintln!("{updates} updates, {others} other questions, p95 {:.2} times as long", beside / alone);
        }
    }
    assert_eq!(project.cds(&["index"]).code, 0);
    let last = state.begun.load(Ordering::SeqCst);
    state.published.store(last, Ordering::SeqCst);
    state.check(&search(&project, &["--no-update"]), last);
}
