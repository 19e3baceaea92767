//! What a service bears: a hundred clients at once, how soon it is ready, what it costs when idle.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{Report, tool};
use crate::trees;

/// Clients that ask at the same time, each on a connection of its own, one question after the other.
const CLIENTS: usize = 100;
/// How long they go on.
const DURATION: Duration = Duration::from_secs(15);

/// Words that are put together to questions, so that few are asked twice.
const VERBS: &[&str] =
    &["parse", "read", "write", "open", "close", "retry", "validate", "render", "merge", "convert", "load", "check"];
const NOUNS: &[&str] = &[
    "config",
    "template",
    "socket",
    "matrix",
    "request",
    "response",
    "token",
    "module",
    "header",
    "polynomial",
    "session",
    "model",
    "inventory",
    "migration",
    "cookie",
    "field",
    "query",
    "signal",
    "buffer",
    "playbook",
];
const WAYS: &[&str] = &["", " errors", " from file", " where", " handler", " in memory", " async", " tests"];

pub(super) fn question(number: usize) -> String {
    let (verb, noun, way) =
        (VERBS[number % VERBS.len()], NOUNS[number / VERBS.len() % NOUNS.len()], WAYS[number / 240 % WAYS.len()]);
    format!("{verb} {noun}{way}")
}

pub(super) struct Daemon {
    pub(super) child: Child,
    pub(super) address: String,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Daemon {
    pub(super) fn start(tree: &Path, home: &Path) -> Result<Daemon> {
        let mut command = Command::new(tool("cds"));
        command.args(["serve", "--port", "0", "--index-dir"]).arg(home).arg(tree);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("piped")?).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on http://").context("it says where it listens")?.to_owned();
        Ok(Daemon { child, address })
    }

    pub(super) fn memory(&self, name: &str) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with(name)).context("memory is told")?;
        let kilobytes: f64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
        Ok(kilobytes / 1024.0)
    }
}

/// A connection that is kept.
pub(super) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub(super) fn connect(address: &str) -> Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Client { stream: BufReader::new(stream) })
    }

    /// The status of an answer.
    pub(super) fn ask(&mut self, method: &str, path: &str, body: &str) -> Result<u16> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.get_mut().write_all(head.as_bytes())?;
        let mut length = 0;
        let mut status = 0;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                bail!("the connection was closed");
            }
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.split(' ').next().unwrap_or_default().parse()?;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(status)
    }
}

pub(super) fn percentile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * share).round() as usize]
}

pub(super) fn run(report: &mut Report, tree: &Path) -> Result<()> {
    let home = trees::target().join("bench/index-served");
    let status = Command::new(tool("cds"))
        .arg("index")
        .arg(tree)
        .arg("--index-dir")
        .arg(&home)
        .stdout(Stdio::null())
        .status()?;
    anyhow::ensure!(status.success(), "the tree is indexed");
    let mut starts = Vec::new();
    for _ in 0..10 {
        let started = Instant::now();
        let daemon = Daemon::start(tree, &home)?;
        let mut client = Client::connect(&daemon.address)?;
        while client.ask("POST", "/api/v1/search", &json!({ "query": "retry", "limit": 1 }).to_string())? != 200 {}
        starts.push(started.elapsed().as_secs_f64() * 1e3);
    }
    report.row("service: start to first answer, p95 of 10", percentile(&mut starts, 0.95), "ms", Some(100.0));
    let daemon = Daemon::start(tree, &home)?;
    let mut client = Client::connect(&daemon.address)?;
    while client.ask("GET", "/ready", "")? != 200 {
        std::thread::sleep(Duration::from_millis(5));
    }
    report.row("service: memory of its own when idle", daemon.memory("RssAnon")?, "MB", None);
    let mut trips = Vec::new();
    for _ in 0..2000 {
        let started = Instant::now();
        client.ask("GET", "/health", "")?;
        trips.push(started.elapsed().as_secs_f64() * 1e3);
    }
    report.row("service: what the protocol adds, p95", percentile(&mut trips, 0.95), "ms", Some(1.0));
    let (mut times, errors) = load(&daemon.address)?;
    let count = times.len() as f64;
    report.row("service: 100 clients, hybrid search, errors", errors as f64, "", Some(0.0));
    report.row(
        "service: 100 clients, answers a second (bar: at least 500)",
        count / DURATION.as_secs_f64(),
        "/s",
        None,
    );
    report.row("service: 100 clients, p50", percentile(&mut times, 0.5), "ms", None);
    report.row("service: 100 clients, p95", percentile(&mut times, 0.95), "ms", Some(200.0));
    report.row("service: memory of its own under load", daemon.memory("RssAnon")?, "MB", Some(200.0));
    report.row("service: the same with mapped files", daemon.memory("VmRSS")?, "MB", None);
    Ok(())
}

fn load(address: &str) -> Result<(Vec<f64>, usize)> {
    let until = Instant::now() + DURATION;
    let work = |first: usize| -> Result<(Vec<f64>, usize)> {
        let mut client = Client::connect(address)?;
        let (mut times, mut errors) = (Vec::new(), 0);
        let mut number = first * 37;
        while Instant::now() < until {
            let body = json!({ "query": question(number), "preset": "hybrid" }).to_string();
            number += 1;
            let started = Instant::now();
            match client.ask("POST", "/api/v1/search", &body) {
                Ok(200) => times.push(started.elapsed().as_secs_f64() * 1e3),
                _ => errors += 1,
            }
        }
        Ok((times, errors))
    };
    let found: Vec<Result<(Vec<f64>, usize)>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|i| scope.spawn(move || work(i))).collect();
        clients.into_iter().map(|client| client.join().expect("no client panics")).collect()
    });
    let mut all = (Vec::new(), 0);
    for found in found {
        let (times, errors) = found?;
        all.0.extend(times);
        all.1 += errors;
    }
    Ok(all)
}
