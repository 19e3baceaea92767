//! Disks that are full and folders that may not be written: the old index answers, and what went wrong is told.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::fixture::{Output, Project, files_below, index_folders};

/// A file system of its own, so small that it can be filled.
struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    /// None where this user may not mount.
    fn mount(project: &Project, kilobytes: u64) -> Option<SmallDisk> {
        let at = project.home().join("small");
        fs::create_dir_all(&at).expect("a folder");
        let size = format!("size={kilobytes}k,mode=755");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&at);
        if !mount.output().is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: this user may not mount a file system");
            return None;
        }
        Some(SmallDisk { at })
    }

    fn index(&self) -> String {
        self.at.join("index").to_str().expect("UTF-8").to_owned()
    }

    /// Takes what is free but for so many bytes.
    fn fill(&self, but: u64) {
        let (file, block) = (self.at.join("ballast"), vec![1; 4096]);
        let mut ballast = fs::File::create(&file).expect("a file");
        while std::io::Write::write_all(&mut ballast, &block).is_ok() {}
        let size = ballast.metadata().expect("a size").len();
        ballast.set_len(size.saturating_sub(but)).expect("it is made shorter");
    }

    fn free(&self) {
        fs::remove_file(self.at.join("ballast")).expect("it is there");
    }

    /// Bytes that the index takes.
    fn used(&self) -> u64 {
        let index = self.at.join("index");
        let sizes = files_below(&index).into_iter().map(|file| fs::metadata(index.join(file)).expect("a file").len());
        sizes.sum()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).status();
    }
}

fn module(i: usize, word: &str) -> String {
    (0..8)
        .map(|k| format!("def {word}_{i}_{k}(a, b):\n    \"\"\"Word {k} of {word}.\"\"\"\n    return a + {i}\n\n"))
        .collect()
}

fn project(files: usize) -> Project {
    let project = Project::new("//- first.py\ndef first():\n    return 1\n");
    for i in 0..files {
        project.write(&format!("many/m{i}.py"), module(i, "before"));
    }
    project
}

/// It says what the system said, and where; exit code 5.
fn assert_refused(output: &Output, says: &str) {
    assert_eq!((output.code, output.stdout.as_str()), (5, ""), "{}", output.stderr);
    assert!(output.stderr.contains(says), "{}", output.stderr);
    assert!(output.stderr.contains("--index-dir puts the index elsewhere"), "{}", output.stderr);
    assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
}

#[test]
fn a_first_index_that_does_not_fit_says_so_and_leaves_nothing_in_the_way() {
    let project = project(60);
    let Some(disk) = SmallDisk::mount(&project, 2_048) else { return };
    let index = disk.index();
    let cds = |args: &[&str]| project.cds(&[args, &["--index-dir", &index]].concat());
    // Every amount of space gives out somewhere else.
    for space in [0, 4, 16, 48, 96, 160, 256] {
        disk.fill(space << 10);
        let output = cds(&["index"]);
        if output.code == 0 {
            assert!(space > 100, "60 files fit into {space} KB?");
            break;
        }
        assert_refused(&output, "No space left on device");
        let left = if Path::new(&index).exists() { files_below(Path::new(&index)) } else { Vec::new() };
        let harmless = |file: &&String| [".gitignore", "lock"].contains(&file.as_str());
        assert!(left.iter().all(|file| harmless(&file)), "{space} KB: {left:?}");
        let search = cds(&["search", "first"]);
        assert_refused(&search, "No space left on device");
        disk.free();
    }
    let _ = fs::remove_file(disk.at.join("ballast"));
    assert_eq!(cds(&["index"]).code, 0);
    assert_eq!(cds(&["symbol", "before_59_7"]).code, 0);
    assert_eq!(fs::read_to_string(Path::new(&index).join(".gitignore")).expect("it is there"), "*\n");
}

#[test]
fn an_update_that_does_not_fit_leaves_the_old_index_answering() {
    let project = project(60);
    let Some(disk) = SmallDisk::mount(&project, 4_096) else { return };
    let index = disk.index();
    let home = Path::new(&index);
    let cds = |args: &[&str]| project.cds(&[args, &["--index-dir", &index]].concat());
    assert_eq!(cds(&["index"]).code, 0);
    let (before, used) = (index_folders(home), disk.used());
    for i in 0..30 {
        project.write(&format!("many/m{i}.py"), module(i, "after"));
    }
    let mut refused = 0;
    for space in [0, 4, 16, 48, 96, 160, 256, 400] {
        disk.fill(space << 10);
        let output = cds(&["index"]);
        if output.code == 0 {
            break;
        }
        refused += 1;
        assert_refused(&output, "No space left on device");
        assert_eq!(index_folders(home), before, "{space} KB: half of a generation is left");
        assert!(disk.used() <= used + 1024, "{space} KB: {} bytes instead of {used}", disk.used());
        assert_eq!(cds(&["symbol", "before_7_7", "--no-update"]).code, 0, "the old index answers");
        // A question that would bring it up to date is answered all the same, and told so.
        let search = cds(&["symbol", "before_7_7", "-f", "json"]);
        assert_eq!(search.code, 0, "{space} KB: {}", search.stderr);
        assert!(search.stderr.contains("No space left on device"), "{space} KB: {}", search.stderr);
        let answer: Value = serde_json::from_str(&search.stdout).expect("JSON");
        assert_eq!(answer["hits"][0]["stale"], true, "{answer}");
        disk.free();
    }
    assert!(refused > 3, "the disk was never full");
    let _ = fs::remove_file(disk.at.join("ballast"));
    assert_eq!(cds(&["symbol", "after_7_7"]).code, 0, "with space again, the next question repairs it");
    assert_eq!(cds(&["symbol", "before_7_7"]).code, 1);
    assert_eq!(cds(&["symbol", "before_57_7"]).code, 0);
    let (there, named) = index_folders(home);
    assert_eq!(there, named);
}

/// Runs the binary as somebody for whom permissions count; none when that is impossible. The superuser becomes nobody.
struct Nobody<'a> {
    project: &'a Project,
    program: Vec<&'static str>,
}

impl<'a> Nobody<'a> {
    fn new(project: &'a Project) -> Option<Nobody<'a>> {
        const AS_NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        let secret = project.home().join("secret");
        fs::write(&secret, "").expect("a file");
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).expect("it is ours");
        if fs::read(&secret).is_err() {
            return Some(Nobody { project, program: vec![env!("CARGO_BIN_EXE_cds")] });
        }
        let works = Command::new(AS_NOBODY[0]).args(&AS_NOBODY[1..]).arg("true").status().is_ok_and(|s| s.success());
        if !works {
            eprintln!("skipped: this user reads everything and may not become another");
            return None;
        }
        // Where the binary was built, nobody may not look.
        fs::copy(env!("CARGO_BIN_EXE_cds"), project.home().join("cds")).expect("a copy");
        give(project.root().parent().expect("a folder"));
        Some(Nobody { project, program: [&AS_NOBODY[..], &["../home/cds"]].concat() })
    }

    fn cds(&self, args: &[&str]) -> Output {
        let mut command = Command::new(self.program[0]);
        command.args(&self.program[1..]).args(args).current_dir(self.project.root());
        let output = command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = output.env("HOME", self.project.home()).output().expect("it runs");
        Output {
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
            code: output.status.code().expect("no signal"),
        }
    }
}

/// Gives a folder and all that is in it to nobody.
fn give(folder: &Path) {
    const NOBODY: u32 = 65534;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY)).expect("it may be given");
        for entry in fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry")) {
            if entry.file_type().expect("a type").is_dir() {
                folders.push(entry.path());
            } else {
                std::os::unix::fs::chown(entry.path(), Some(NOBODY), Some(NOBODY)).expect("it may be given");
            }
        }
    }
}

/// Takes or gives the right to write a folder and all that is in it.
fn set_writable(folder: &Path, is_writable: bool) {
    let (folders, files) = if is_writable { (0o755, 0o644) } else { (0o555, 0o444) };
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(folders)).expect("it is ours");
        for entry in fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry")) {
            if entry.file_type().expect("a type").is_dir() {
                open.push(entry.path());
            } else {
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(files)).expect("it is ours");
            }
        }
    }
}

#[test]
fn an_index_that_may_not_be_written_answers_and_says_that_it_is_old() {
    let project = project(3);
    let Some(nobody) = Nobody::new(&project) else { return };
    assert_eq!(nobody.cds(&["index"]).code, 0);
    set_writable(&project.path(".cds-index"), false);
    for args in [
        &["search", "before_1_1"][..],
        &["symbol", "first"],
        &["grep", "first"],
        &["outline"],
        &["traverse", "first.py", "--edge", "contain"],
        &["status"],
    ] {
        let output = nobody.cds(args);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{args:?}");
    }
    assert_eq!(nobody.cds(&["search", "xqzvwy"]).code, 1, "nothing found is no error either");
    let unchanged = nobody.cds(&["index"]);
    assert_refused(&unchanged, "Permission denied");

    project.write("first.py", "def second():\n    return 22\n");
    give(&project.root());
    for args in [&["search", "first"][..], &["symbol", "first"], &["grep", "first"], &["outline", "first.py"]] {
        let output = nobody.cds(&[args, &["-f", "json"]].concat());
        assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
        let says = "could not be brought up to date";
        assert!(output.stderr.contains(says) && output.stderr.contains("Permission denied"), "{}", output.stderr);
        let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
        let hit = if answer["hits"].is_array() { &answer["hits"][0] } else { &answer["files"][0] };
        assert_eq!(hit["stale"], true, "{args:?}: {answer}");
        assert!(nobody.cds(&[args, &["--no-update"]].concat()).code == 0, "{args:?}");
    }
    assert_refused(&nobody.cds(&["index"]), "Permission denied");
    set_writable(&project.path(".cds-index"), true);
    assert_eq!(nobody.cds(&["symbol", "second"]).code, 0);
    assert_eq!(nobody.cds(&["symbol", "first"]).code, 1);
}

#[test]
fn a_folder_in_which_no_index_can_be_made_is_told() {
    let project = project(1);
    let Some(nobody) = Nobody::new(&project) else { return };
    set_writable(&project.root(), false);
    for args in [&["index"][..], &["search", "first"], &["symbol", "first"]] {
        assert_refused(&nobody.cds(args), "Permission denied");
    }
    let elsewhere = project.home().join("elsewhere");
    let args = ["symbol", "first", "--index-dir", elsewhere.to_str().expect("UTF-8")];
    assert_eq!(nobody.cds(&args).code, 0, "as it says, it may be elsewhere");
    set_writable(&project.root(), true);
}

#[test]
fn a_source_file_that_may_no_longer_be_read_is_listed() {
    let project = project(3);
    let Some(nobody) = Nobody::new(&project) else { return };
    let set_mode = |mode: u32| {
        fs::set_permissions(project.path("first.py"), fs::Permissions::from_mode(mode)).expect("it may be set");
    };
    assert_eq!(nobody.cds(&["index"]).code, 0);
    // Neither its size nor its modification time differ, only the time of the last status change.
    set_mode(0o000);
    assert_eq!(nobody.cds(&["symbol", "first"]).code, 1);
    set_mode(0o644);
    project.write("first.py", "def second():\n    return 22\n");
    set_mode(0o000);
    give(&project.root());
    let output = nobody.cds(&["symbol", "second"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_eq!(nobody.cds(&["symbol", "first"]).code, 1, "and it is not what it was");
    let status = nobody.cds(&["status", "--problems"]);
    assert!(status.stdout.contains("first.py: unreadable (left out)"), "{}", status.stdout);
    assert_eq!(nobody.cds(&["symbol", "before_2_2"]).code, 0, "others are found");
    set_mode(0o644);
    assert_eq!(nobody.cds(&["symbol", "second"]).code, 0);
}
