//! `cds watch` as a user runs it: the real binary on a real file system. Waits have a bound, and quiet is short.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fixture::Project;

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(30);
/// The quiet that a watcher waits for here; a storm puts an update off four times as long.
const DEBOUNCE: Duration = Duration::from_millis(60);
/// Long enough for an update that should not be.
const QUIET: Duration = Duration::from_millis(700);

struct Watcher<'a> {
    project: &'a Project,
    child: Child,
    lines: Receiver<Value>,
}

impl<'a> Watcher<'a> {
    /// Starts it and waits until it watches.
    fn start(project: &'a Project, args: &[&str]) -> Watcher<'a> {
        let watcher = Watcher::spawn(project, args);
        watcher.next("watching");
        watcher
    }

    fn spawn(project: &'a Project, args: &[&str]) -> Watcher<'a> {
        Watcher::listen(project, project.command(&[&["watch", "-f", "json"], args].concat()))
    }

    fn listen(project: &'a Project, command: Command) -> Watcher<'a> {
        Watcher::listen_with(project, command, DEBOUNCE)
    }

    fn listen_with(project: &'a Project, mut command: Command, debounce: Duration) -> Watcher<'a> {
        command.env("CDS_WATCH_DEBOUNCE_MS", debounce.as_millis().to_string());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = send.send(serde_json::from_str(&line).expect("one object a line"));
            }
        });
        Watcher { project, child, lines }
    }

    /// The next event of this name; what comes before it is passed over, failures are not.
    fn next(&self, name: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(event) if event["event"] == name => return event,
                Ok(event) => assert_ne!(event["event"], "failed", "while waiting for {name}: {event}"),
                Err(e) => panic!("no {name}: {e}"),
            }
        }
    }

    /// Waits until a name can be found, or can no longer be, without an update by the question itself.
    fn until(&self, name: &str, is_found: bool) {
        let until = Instant::now() + PATIENCE;
        while (self.project.cds(&["symbol", name, "--no-update"]).code == 0) != is_found {
            assert!(Instant::now() < until, "{name} is still {}", if is_found { "missing" } else { "there" });
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Every event there is until it is quiet.
    fn drain(&self) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            match self.lines.recv_timeout(QUIET) {
                Ok(event) => events.push(event),
                Err(RecvTimeoutError::Timeout) => return events,
                Err(e) => panic!("it ended: {e}"),
            }
        }
    }

    fn interrupt(&self) {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Ctrl-C: its exit code, and that nothing is left behind.
    fn stop(mut self) {
        self.interrupt();
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "it goes on");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.code(), Some(0));
        let lock = self.project.path(".cds-index/lock");
        assert!(!lock.exists() || fs::read(lock).unwrap().is_empty(), "a lock is left");
    }
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const START: &str = "//- a.py\ndef first():\n    return 1\n//- sub/b.py\ndef second():\n    return 2\n";

fn function(name: &str) -> String {
    format!("def {name}():\n    return 1\n")
}

#[test]
fn edits_saves_renames_and_deletions_are_followed() {
    let project = Project::new(START);
    let watcher = Watcher::start(&project, &[]);
    // In place.
    project.write("a.py", function("edited"));
    let event = watcher.next("updated");
    assert_eq!((&event["parsed"], &event["removed"], &event["files"]), (&1.into(), &0.into(), &2.into()), "{event}");
    watcher.until("edited", true);
    watcher.until("first", false);
    // As editors do: written aside, renamed over the old one.
    project.write("a.py.tmp~", function("saved"));
    fs::rename(project.path("a.py.tmp~"), project.path("a.py")).unwrap();
    watcher.until("saved", true);
    // A new file, renamed, moved to another folder, removed.
    project.write("new.py", function("fresh"));
    watcher.until("fresh", true);
    fs::rename(project.path("new.py"), project.path("sub/moved.py")).unwrap();
    let place = || project.ids(&["symbol", "fresh", "--no-update"]);
    let until = Instant::now() + PATIENCE;
    while place() != ["sub/moved.py:fresh"] {
        assert!(Instant::now() < until, "{:?}", place());
    }
    project.remove("sub/moved.py");
    watcher.until("fresh", false);
    assert_eq!(project.json(&["status"])["freshness"], "fresh", "and a question has nothing left to do");
    watcher.stop();
}

#[test]
fn folders_made_renamed_and_removed_later_are_followed() {
    let project = Project::new(START);
    let watcher = Watcher::start(&project, &[]);
    project.write("new/deep/er/c.py", function("third"));
    watcher.until("third", true);
    watcher.drain();
    project.write("new/deep/er/c.py", function("fourth"));
    watcher.until("fourth", true);
    watcher.drain();
    fs::rename(project.path("new"), project.path("newer")).unwrap();
    watcher.next("updated");
    watcher.drain();
    project.write("newer/deep/er/c.py", function("fifth"));
    watcher.until("fifth", true);
    watcher.drain();
    // Another folder of the same name.
    fs::remove_dir_all(project.path("newer")).unwrap();
    project.write("newer/deep/er/c.py", function("sixth"));
    watcher.until("sixth", true);
    watcher.drain();
    project.write("newer/deep/er/c.py", function("seventh"));
    watcher.until("seventh", true);
    fs::remove_dir_all(project.path("newer")).unwrap();
    watcher.until("seventh", false);
    watcher.stop();
}

#[test]
fn a_thousand_files_at_once_cost_few_updates() {
    let project = Project::new(START);
    // As people have it: a busy machine pauses for a tenth of a second while it writes a thousand files, hardly for half of one.
    let debounce = Duration::from_millis(500);
    let watcher = Watcher::listen_with(&project, project.command(&["watch", "-f", "json"]), debounce);
    watcher.next("watching");
    let started = Instant::now();
    for i in 0..1_000 {
        project.write(&format!("many/f{}/m{i}.py", i % 10), function(&format!("many_{i}")));
    }
    watcher.until("many_999", true);
    let events = watcher.drain();
    let updates: Vec<&Value> = events.iter().filter(|e| e["event"] == "updated").collect();
    // Each waits for quiet, which takes its time; folders that are new are looked at again at once.
    let most = started.elapsed().as_millis() / debounce.as_millis() + 5;
    assert!(updates.len() as u128 <= most, "at most {most}: {events:?}");
    assert_eq!(updates.last().unwrap()["files"], 1_002, "{events:?}");
    fs::remove_dir_all(project.path("many")).unwrap();
    watcher.until("many_5", false);
    watcher.stop();
}

#[test]
fn what_is_ignored_causes_no_update() {
    let project = Project::new(
        "//- .gitignore\n*.log\nbuild/\n//- a.py\ndef first():\n    return 1\n//- build/out.py\nx = 1\n//- trace.log\nx\n\
         //- node_modules/m/i.js\nlet x = 1\n//- .git/HEAD\nref: refs/heads/main\n//- .git/config\n[core]\n",
    );
    let watcher = Watcher::start(&project, &[]);
    project.write("trace.log", "more");
    project.write("other.log", "more");
    project.write("build/out.py", "y = 2\n");
    project.write("build/deep/out.py", "y = 2\n");
    project.write("node_modules/m/i.js", "let y = 2\n");
    project.write("node_modules/n/i.js", "let y = 2\n");
    project.write(".git/objects/ab/cdef", "x");
    project.write(".git/index", "x");
    project.write(".cds-index/stray", "x");
    let events = watcher.drain();
    assert!(events.is_empty(), "{events:?}");
    // Other rules, other files.
    project.write(".gitignore", "a.py\n");
    watcher.until("first", false);
    let paths = || project.cds(&["outline", "-f", "paths", "--no-update"]).stdout;
    assert_eq!(paths(), ".gitignore\nbuild/deep/out.py\nbuild/out.py\nother.log\ntrace.log\n");
    watcher.drain();
    project.write("build/deep/out.py", function("no_longer_ignored"));
    watcher.until("no_longer_ignored", true);
    project.write(".git/info/exclude", "build\n");
    watcher.until("no_longer_ignored", false);
    watcher.stop();
}

#[test]
fn a_switch_of_branches_is_followed() {
    let project = Project::new(START);
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(project.root()).env("HOME", project.home()).args(args);
        let who = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
        command.envs(who.map(|name| (name, "somebody")));
        command.output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q", "-b", "main"]) {
        eprintln!("skipped: there is no git");
        return;
    }
    assert!(git(&["add", "."]) && git(&["commit", "-qm", "one"]) && git(&["checkout", "-qb", "other"]));
    project.write("a.py", function("of_the_other_branch"));
    for i in 0..50 {
        project.write(&format!("other/f{i}.py"), function(&format!("other_{i}")));
    }
    assert!(git(&["add", "."]) && git(&["commit", "-qm", "two"]) && git(&["checkout", "-q", "main"]));
    let watcher = Watcher::start(&project, &[]);
    watcher.until("first", true);
    assert!(git(&["checkout", "-q", "other"]));
    watcher.until("of_the_other_branch", true);
    watcher.until("other_49", true);
    watcher.until("first", false);
    assert!(git(&["checkout", "-q", "main"]));
    watcher.until("first", true);
    watcher.until("other_49", false);
    watcher.stop();
}

#[test]
fn a_root_that_goes_away_is_waited_for() {
    let project = Project::new(START);
    // It must not be the folder that the process runs in, which cannot be removed everywhere.
    let watcher = Watcher::start(&project, &[]);
    let away = project.home().join("away");
    fs::rename(project.root(), &away).unwrap();
    watcher.next("root_gone");
    fs::rename(&away, project.root()).unwrap();
    watcher.next("root_back");
    project.write("sub/b.py", function("after_the_return"));
    watcher.until("after_the_return", true);
    watcher.drain();
    fs::remove_dir_all(project.root()).unwrap();
    watcher.next("root_gone");
    project.write("c.py", function("another_project"));
    watcher.next("root_back");
    watcher.until("another_project", true);
    watcher.stop();
}

#[test]
fn it_looks_by_itself_where_the_system_tells_nothing() {
    let project = Project::new(START);
    let watcher = Watcher::start(&project, &["--poll=1"]);
    project.write("a.py", function("polled"));
    watcher.until("polled", true);
    project.write("deep/er/c.py", function("polled_too"));
    watcher.until("polled_too", true);
    project.remove("a.py");
    watcher.until("polled", false);
    watcher.stop();
}

/// Runs it where the system's limits are lower; only there, in a namespace of its own.
#[cfg(target_os = "linux")]
#[test]
fn it_looks_by_itself_where_a_limit_of_the_system_is_reached() {
    for (limit, most) in [("max_inotify_watches", 4), ("max_inotify_instances", 0)] {
        let project = Project::new("//- a/a.py\nx = 1\n//- b/b.py\nx = 1\n//- c/c.py\nx = 1\n//- d/d.py\nx = 1\n");
        let lower = format!("echo {most} > /proc/sys/user/{limit}");
        let in_a_namespace = |run: &str| {
            let mut command = project.command(&[]);
            let (program, path) = (command.get_program().to_owned(), std::env::var_os("PATH").unwrap_or_default());
            command = Command::new("unshare");
            command.args(["-Ur", "sh", "-c", &format!("{lower} && {run}")]).arg(program);
            command.env_clear().env("PATH", path).env("HOME", project.home()).current_dir(project.root());
            command
        };
        if !in_a_namespace("true").output().is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: there are no namespaces here");
            return;
        }
        let watcher = Watcher::listen(&project, in_a_namespace("exec \"$0\" watch -f json"));
        let event = watcher.next("polling");
        assert_eq!(event["seconds"], 2, "{event}");
        watcher.next("watching");
        project.write("d/d.py", function("found_all_the_same"));
        watcher.until("found_all_the_same", true);
        watcher.stop();
    }
}

#[test]
fn it_survives_what_fails_and_tries_again() {
    let project = Project::new(START);
    let watcher = Watcher::start(&project, &[]);
    // Taken away.
    fs::remove_dir_all(project.path(".cds-index")).unwrap();
    watcher.until("first", true);
    watcher.drain();
    // Nothing can be written where a file stands.
    fs::remove_dir_all(project.path(".cds-index")).unwrap();
    fs::write(project.path(".cds-index"), "in the way").unwrap();
    project.write("a.py", function("at_first_in_vain"));
    let failed = loop {
        let event = watcher.lines.recv_timeout(PATIENCE).unwrap();
        if event["event"] == "failed" {
            break event;
        }
    };
    assert!(failed["message"].as_str().unwrap().contains(".cds-index"), "{failed}");
    fs::remove_file(project.path(".cds-index")).unwrap();
    watcher.until("at_first_in_vain", true);
    // Damaged.
    let tables = project.generation().join("graph/entities.bin");
    fs::write(tables, "damage").unwrap();
    project.write("a.py", function("after_the_damage"));
    watcher.until("after_the_damage", true);
    watcher.stop();
}

#[test]
fn it_waits_for_another_writer() {
    let project = Project::new(START);
    let watcher = Watcher::start(&project, &[]);
    let lock = fs::File::options().write(true).open(project.path(".cds-index/lock")).unwrap();
    lock.lock().unwrap();
    project.write("a.py", function("later"));
    assert_eq!(watcher.drain(), Vec::<Value>::new());
    assert_eq!(project.cds(&["symbol", "later", "--no-update"]).code, 1);
    drop(lock);
    watcher.until("later", true);
    // Ctrl-C is heard also while it waits.
    let lock = fs::File::options().write(true).open(project.path(".cds-index/lock")).unwrap();
    lock.lock().unwrap();
    project.write("a.py", function("never"));
    std::thread::sleep(Duration::from_millis(300));
    watcher.stop();
}

#[test]
fn an_empty_folder_and_other_settings_are_met() {
    let project = Project::new("");
    let watcher = Watcher::spawn(&project, &[]);
    let event = watcher.lines.recv_timeout(PATIENCE).unwrap();
    assert!(event["message"].as_str().unwrap().contains("nothing to index"), "{event}");
    project.write("deep/a.py", function("first") + &"# more\n".repeat(20));
    watcher.until("first", true);
    watcher.drain();
    project.write(".cds.toml", "[index]\nmax_file_size = 100\n");
    watcher.until("first", false);
    watcher.drain();
    project.write(".cds.toml", "[index]\nmax_file_size = 1000\n");
    watcher.until("first", true);
    watcher.stop();
}

#[test]
fn people_get_one_line_an_update() {
    let project = Project::new(START);
    let mut command = project.command(&["watch"]);
    command.env("CDS_WATCH_DEBOUNCE_MS", "60").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.next().unwrap().starts_with("indexed 2 files in "));
    let root = project.root();
    assert_eq!(lines.next().unwrap(), format!("watching {}: 2 files in 2 folders", root.display()));
    project.write("a.py", function("edited"));
    let line = lines.next().unwrap();
    assert!(line.starts_with("updated 1 file in 0.") && line.ends_with(" s"), "{line}");
    project.remove("a.py");
    assert!(lines.next().unwrap().starts_with("removed 1 file in 0."));
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let project = Project::new(START);
    let output = project.cds(&["watch", "nowhere"]);
    assert_eq!(output.code, 5, "{}", output.stderr);
    assert!(output.stderr.contains("the root must be a folder that can be read"), "{}", output.stderr);
    assert_eq!(project.cds(&["watch", "--poll=0"]).code, 2);
}
