//! A sandbox with a hostile project, decoys around it, and the checks that every case must pass.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A text of the decoys that no command may show.
pub(crate) const SECRET: &str = "canary-7f3a91";

/// A function of the project that every command looks for.
const NEEDLE: &str = "needle_function";

/// Memory of one command.
const MAX_MEMORY_KB: u64 = 1_000_000;

/// Files larger than this are compared by size and time.
const MAX_HASHED: u64 = 16_000_000;

/// A hostile project.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Makes the project.
    pub(crate) make: fn(&Sandbox),
    pub(crate) expect: Expect,
}

impl Case {
    /// A project in which the good file is found.
    pub(crate) const fn finds(name: &'static str, make: fn(&Sandbox)) -> Case {
        Case { name, make, expect: Expect::Finds }
    }

    /// A project that is rejected with a message that contains this.
    pub(crate) const fn rejected(name: &'static str, make: fn(&Sandbox), message: &'static str) -> Case {
        Case { name, make, expect: Expect::Rejected(message) }
    }
}

/// What becomes of a hostile project.
#[derive(Clone, Copy)]
pub(crate) enum Expect {
    /// What is good in it is found.
    Finds,
    /// It is rejected with a message that contains this.
    Rejected(&'static str),
}

pub(crate) struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    fn new() -> Sandbox {
        let sandbox = Sandbox { dir: tempfile::tempdir().expect("a temporary folder") };
        sandbox.write("good.py", format!("def {NEEDLE}():\n    return 1\n"));
        let decoys =
            ["home/.cargo/config.toml", "home/.ssh/key", "home/.bashrc", "outside/manifest.json", "outside/lock"];
        for decoy in decoys {
            Sandbox::write_at(&sandbox.dir.path().join(decoy), format!("# {SECRET}\n{SECRET} = \"{SECRET}\"\n"));
        }
        sandbox
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.project().join(path)
    }

    /// A path of the decoys.
    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.dir.path().join("outside").join(path)
    }

    fn write_at(path: &Path, content: impl AsRef<[u8]>) {
        std::fs::create_dir_all(path.parent().expect("inside the sandbox")).expect("folders are made");
        std::fs::write(path, content).expect("the file is written");
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        Sandbox::write_at(&self.path(path), content);
    }

    pub(crate) fn link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("inside the sandbox")).expect("folders are made");
        symlink(target, path).expect("the link is made");
    }

    pub(crate) fn folder(&self, path: impl AsRef<Path>) {
        std::fs::create_dir_all(self.path(path)).expect("the folder is made");
    }

    pub(crate) fn fifo(&self, path: impl AsRef<Path>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("inside the sandbox")).expect("folders are made");
        let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo is there");
        assert!(made.success(), "{}", path.display());
    }

    pub(crate) fn socket(&self, path: &str) {
        drop(std::os::unix::net::UnixListener::bind(self.path(path)).expect("the socket is made"));
    }

    /// A file of that size without content.
    pub(crate) fn sparse(&self, path: impl AsRef<Path>, size: u64) {
        self.write(&path, "");
        let file = std::fs::File::options().write(true).open(self.path(path)).expect("it was written");
        file.set_len(size).expect("the file system has sparse files");
    }

    /// Everything in the sandbox but the index, as it is.
    fn state(&self) -> BTreeMap<PathBuf, String> {
        let index = self.path(".cds-index");
        let mut state = BTreeMap::new();
        let mut folders = vec![self.dir.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry")) {
                let path = entry.path();
                let meta = path.symlink_metadata().expect("it is there");
                let kind = meta.file_type();
                // A folder's time moves when the index directory is made in it.
                let (content, time) = if kind.is_dir() {
                    (String::new(), 0)
                } else if kind.is_symlink() {
                    (format!("{:?}", std::fs::read_link(&path)), meta.mtime_nsec())
                } else if kind.is_file() && meta.len() <= MAX_HASHED {
                    (format!("{:08x}", checksum(&std::fs::read(&path).unwrap_or_default())), meta.mtime_nsec())
                } else {
                    (meta.len().to_string(), meta.mtime_nsec())
                };
                if path == index && kind.is_dir() {
                    continue;
                }
                let special = kind.is_fifo() || kind.is_socket();
                state.insert(path.clone(), format!("{kind:?} {:o} {special} {content} {time}", meta.mode()));
                if kind.is_dir() {
                    folders.push(path);
                }
            }
        }
        state
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let built = || env!("CARGO_BIN_EXE_cds").into();
        let mut command = Command::new(std::env::var_os("CDS_HOSTILE_BINARY").unwrap_or_else(built));
        command.env_clear().current_dir(self.project()).args(arguments);
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        let home = self.dir.path().join("home");
        command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join(".config"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

/// What a command printed and how it ended.
struct Ended {
    stdout: String,
    stderr: String,
    code: Option<i32>,
    seconds: f64,
    /// The most memory it had, where the system says so.
    memory_kb: u64,
}

/// A running command whose output is read as it comes.
struct Running {
    child: Child,
    started: Instant,
    lines: std::sync::mpsc::Receiver<String>,
    stderr: Option<std::thread::JoinHandle<String>>,
    stdout: String,
    memory_kb: u64,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let mut child = command.spawn().expect("the binary starts");
        let (send, lines) = std::sync::mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut stderr = child.stderr.take().expect("piped");
        std::thread::spawn(move || {
            for line in stdout.split(b'\n').map_while(Result::ok) {
                let _ = send.send(String::from_utf8_lossy(&line).into_owned());
            }
        });
        let stderr = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Running { child, started: Instant::now(), lines, stderr: Some(stderr), stdout: String::new(), memory_kb: 0 }
    }

    /// Waits for a line of standard output that contains a text; none if the command ends or time runs out before.
    fn line(&mut self, wanted: &str) -> Option<String> {
        let until = self.started + limit();
        loop {
            let line = self.lines.recv_timeout(until.saturating_duration_since(Instant::now())).ok()?;
            self.stdout.push_str(&line);
            self.stdout.push('\n');
            if line.contains(wanted) {
                return Some(line);
            }
        }
    }

    /// Looks at the most memory that the process has had so far.
    fn measure(&mut self) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        self.memory_kb = self.memory_kb.max(peak.unwrap_or(0));
    }

    /// Asks the process to end.
    fn terminate(&mut self) {
        self.measure();
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        self.started = Instant::now();
    }

    /// Waits for the end, and ends it when time runs out.
    fn wait(mut self) -> Ended {
        let mut status = None;
        while status.is_none() && self.started.elapsed() < limit() {
            self.measure();
            status = self.child.try_wait().expect("the child can be waited for");
            std::thread::sleep(Duration::from_millis(5));
        }
        let seconds = self.started.elapsed().as_secs_f64();
        if status.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        self.stdout.extend(self.lines.iter().map(|line| line + "\n"));
        let stderr = self.stderr.take().expect("taken once").join().expect("the reader ends");
        let code = status.map(|s| s.code().unwrap_or(-1));
        Ended { stdout: std::mem::take(&mut self.stdout), stderr, code, seconds, memory_kb: self.memory_kb }
    }
}

/// How long a command may take.
fn limit() -> Duration {
    let seconds = std::env::var("CDS_HOSTILE_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(20.0))
}

/// Runs every case of a group and reports all that fail.
pub(crate) fn check_all(cases: &[Case]) {
    let only = std::env::var("CDS_HOSTILE_ONLY").unwrap_or_default();
    let mut failures = Vec::new();
    let mut slowest = (0.0, "");
    for case in cases.iter().filter(|case| case.name.contains(&only)) {
        let sandbox = Sandbox::new();
        (case.make)(&sandbox);
        let seconds = check(case, &sandbox, &mut failures);
        if seconds > slowest.0 {
            slowest = (seconds, case.name);
        }
    }
    eprintln!("{} cases, slowest command {:.2} s ({})", cases.len(), slowest.0, slowest.1);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Runs all commands on one case; returns how long the slowest took.
fn check(case: &Case, sandbox: &Sandbox, failures: &mut Vec<String>) -> f64 {
    let before = sandbox.state();
    let mut slowest: f64 = 0.0;
    for (command, run) in COMMANDS {
        let Ended { stdout, stderr, code, seconds, memory_kb } = run(sandbox);
        slowest = slowest.max(seconds);
        let mut fail = |what: String| {
            let shown = |text: &str| text.chars().take(600).collect::<String>();
            failures.push(format!(
                "{}: {command}: {what}\nstdout: {}\nstderr: {}",
                case.name,
                shown(&stdout),
                shown(&stderr)
            ));
        };
        match (code, case.expect) {
            (None, _) => fail(format!("did not end within {:?}", limit())),
            (Some(-1 | 101), _) => fail("crashed".to_owned()),
            (Some(0), Expect::Finds) if stdout.contains("good.py") || *command == "index" => {}
            (Some(2 | 3 | 5), Expect::Rejected(message)) if stderr.contains(message) || stdout.contains(message) => {}
            (Some(code), Expect::Finds) => fail(format!("exit code {code} instead of an answer")),
            (Some(code), Expect::Rejected(message)) => fail(format!("exit code {code} instead of {message:?}")),
        }
        if memory_kb > MAX_MEMORY_KB {
            fail(format!("took {memory_kb} KB"));
        }
        if stderr.contains("panicked") || stdout.contains(SECRET) || stderr.contains(SECRET) {
            fail("shows what it must not".to_owned());
        }
        // JSON is exact, so what a service answers is not looked at.
        let is_unsafe = |c: &char| c.is_control() && !matches!(c, '\n' | '\t') || ('\u{202a}'..='\u{202e}').contains(c);
        let unsafe_char = stdout.chars().chain(stderr.chars()).find(is_unsafe);
        if let Some(c) = unsafe_char.filter(|_| !matches!(*command, "serve" | "watch")) {
            fail(format!("prints the control character {c:?}"));
        }
        let after = sandbox.state();
        if after != before {
            let changed = |path: &&PathBuf| before.get(*path) != after.get(*path);
            let paths: std::collections::BTreeSet<&PathBuf> =
                before.keys().chain(after.keys()).filter(changed).collect();
            fail(format!("changed {paths:?}"));
        }
    }
    slowest
}

type Run = fn(&Sandbox) -> Ended;

const COMMANDS: &[(&str, Run)] = &[
    ("index", |sandbox| Running::start(sandbox.command(&["index"])).wait()),
    ("search", |sandbox| Running::start(sandbox.command(&["search", NEEDLE, "--limit", "5"])).wait()),
    ("grep", |sandbox| Running::start(sandbox.command(&["grep", NEEDLE])).wait()),
    ("watch", watch),
    ("serve", serve),
];

/// Starts a watcher and ends it when it watches; what it found is what a search finds then.
fn watch(sandbox: &Sandbox) -> Ended {
    let mut watcher = Running::start(sandbox.command(&["watch", "-f", "json"]));
    if watcher.line("watching").is_none() {
        return watcher.wait();
    }
    let waited = watcher.started.elapsed().as_secs_f64();
    watcher.terminate();
    let ended = watcher.wait();
    if ended.code.is_none() {
        return ended;
    }
    let found = Running::start(sandbox.command(&["search", NEEDLE, "--no-update"])).wait();
    let memory_kb = ended.memory_kb.max(found.memory_kb);
    Ended { seconds: waited.max(ended.seconds), stdout: ended.stdout + &found.stdout, memory_kb, ..found }
}

/// Starts a service, searches over HTTP and ends it.
fn serve(sandbox: &Sandbox) -> Ended {
    let mut service = Running::start(sandbox.command(&["serve", "--port", "0"]));
    let Some(line) = service.line("listening on http://") else { return service.wait() };
    let address = line.trim().trim_start_matches("listening on http://").to_owned();
    let mut answer = (0, String::new());
    // The first index may still be built.
    while service.started.elapsed() < limit() {
        answer = search(&address);
        if answer.0 != 503 && !answer.1.contains("\"hits\":[]") {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let waited = service.started.elapsed().as_secs_f64();
    service.terminate();
    let ended = service.wait();
    let code = match answer.0 {
        _ if ended.code.is_none() || waited >= limit().as_secs_f64() => None,
        200 => Some(0),
        400..=599 => Some(3),
        _ => Some(-1),
    };
    Ended { seconds: waited.max(ended.seconds), stdout: answer.1, code, ..ended }
}

/// The status and body of a search.
fn search(address: &str) -> (u16, String) {
    let body = format!("{{\"query\":\"{NEEDLE}\"}}");
    let request = format!(
        "POST /api/v1/search HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let Ok(mut stream) = TcpStream::connect(address) else { return (0, String::new()) };
    let _ = stream.set_read_timeout(Some(limit()));
    let mut bytes = Vec::new();
    let _ = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_end(&mut bytes).map(drop));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0), body.to_owned())
}

/// A path of bytes that need not be UTF-8.
pub(crate) fn raw(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}
