//! One writer, many readers: real processes on one index.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::fixture::{Output, Project};

fn project(files: usize) -> Project {
    let body: String = (0..20).map(|i| format!("def function_{i}(a, b):\n    return a.method_{i}(b)\n\n")).collect();
    let project = Project::new("//- a.py\ndef first():\n    return 1\n");
    for i in 0..files {
        project.write(&format!("many/f{i}.py"), &body);
    }
    project
}

fn spawn(project: &Project, args: &[&str]) -> Child {
    project.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    Output {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap_or(-1),
    }
}

/// Waits until somebody has written into the lock file who it is.
fn owner(project: &Project) -> serde_json::Value {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let text = fs::read(project.path(".cds-index/lock")).unwrap_or_default();
        if let Ok(owner) = serde_json::from_slice(&text) {
            return owner;
        }
        assert!(Instant::now() < until, "nobody took the lock");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn indexers_that_meet_write_one_after_the_other() {
    let project = project(150);
    let children: Vec<Child> = (0..4).map(|_| spawn(&project, &["index", "--force"])).collect();
    for output in children.into_iter().map(ended) {
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(output.stdout.starts_with("indexed 151 files"), "{}", output.stdout);
    }
    // Each takes the number after that of the one before: two at once would have taken the same.
    assert!(project.generation().ends_with("g000004"), "{:?}", project.generation());
    assert_eq!(project.json(&["status"])["freshness"], "fresh");
    assert_eq!(fs::read(project.path(".cds-index/lock")).unwrap(), b"", "nobody is left as its owner");
    assert_eq!(project.cds(&["index"]).code, 0);
}

#[test]
fn who_will_not_wait_is_told_by_whom_and_readers_never_wait() {
    let project = project(400);
    assert_eq!(project.cds(&["index"]).code, 0);
    let old = project.generation();
    project.write("a.py", "def changed():\n    return 2\n");
    let writer = spawn(&project, &["index", "--force"]);
    let owner = owner(&project);
    let pid = writer.id();
    assert_eq!(owner["pid"], pid);
    let refused = project.cds(&["index", "--wait", "0"]);
    let found = project.cds(&["symbol", "first"]);
    let is_over = project.generation() != old;
    assert_eq!(ended(writer).code, 0);
    if is_over {
        eprintln!("skipped: this machine is too fast");
        return;
    }
    assert_eq!((refused.code, refused.stdout.as_str()), (4, ""), "{}", refused.stderr);
    let says = format!("(process {pid}, which has been indexing for ");
    assert!(refused.stderr.contains(&says) && refused.stderr.contains("--wait SECONDS"), "{}", refused.stderr);
    assert_eq!(found.code, 0, "the old index answers: {}", found.stderr);
    assert_eq!(project.cds(&["symbol", "changed"]).code, 0);
}

#[test]
fn a_search_in_a_fresh_folder_waits_for_its_first_index() {
    let project = project(400);
    let writer = spawn(&project, &["index"]);
    owner(&project);
    let found = project.cds(&["symbol", "first"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert_eq!(ended(writer).code, 0);
    assert!(project.generation().ends_with("g000001"), "and does not make another one");
}

#[cfg(unix)]
#[test]
fn the_lock_of_one_that_was_killed_is_taken_over_at_once() {
    let project = project(600);
    let mut writer = spawn(&project, &["index"]);
    owner(&project);
    // SIGKILL: nothing is cleaned up.
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert_ne!(fs::read(project.path(".cds-index/lock")).unwrap(), b"", "it could not say that it ended");
    let output = project.cds(&["index", "--wait", "0"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(project.cds(&["symbol", "first", "--no-update"]).code, 0);
}

#[test]
fn whatever_a_lock_file_says_of_nobody_is_no_hindrance() {
    let project = project(1);
    assert_eq!(project.cds(&["index"]).code, 0);
    let dead = r#"{"pid":2000000000,"host":"","space":"","started":1,"token":1,"beat":1}"#;
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let dead = dead.replace("\"host\":\"\"", &format!("\"host\":\"{}\"", host.trim()));
    for left in [dead.as_bytes(), b"garbage", b"\xff\xfe\0", b"", "x".repeat(100_000).as_bytes()] {
        fs::write(project.path(".cds-index/lock"), left).unwrap();
        let output = project.cds(&["index", "--force", "--wait", "0"]);
        assert_eq!(output.code, 0, "{}", output.stderr);
    }
}

#[test]
fn another_machine_s_lock_is_held_while_it_beats() {
    let project = project(1);
    assert_eq!(project.cds(&["index"]).code, 0);
    let text = r#"{"pid":77,"host":"another-machine","space":"x","started":1,"token":1,"beat":1}"#;
    fs::write(project.path(".cds-index/lock"), text).unwrap();
    let output = project.cds(&["index", "--force", "--wait", "0"]);
    assert_eq!(output.code, 4);
    assert!(output.stderr.contains("process 77 on another-machine"), "{}", output.stderr);
    assert_eq!(fs::read_to_string(project.path(".cds-index/lock")).unwrap(), text, "and is left alone");
    // Searches answer meanwhile.
    project.write("a.py", "def changed():\n    return 1\n");
    assert_eq!(project.cds(&["symbol", "first"]).code, 0);
}
