//! The walk against git itself, and against trees made to harm it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Walked, Walker, walk_with};
use crate::build::rules::Environment;
use crate::disk::ProjectRoot;

/// A folder that is not in a repository, with a home folder of its own.
struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir_all(dir.path().join("home")).expect("a folder");
        std::fs::create_dir_all(dir.path().join("project")).expect("a folder");
        Scratch { dir }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("it lies below")).expect("folders");
        std::fs::write(path, text).expect("the file is written");
    }

    fn git(&self, folder: &str, arguments: &[&str]) -> Vec<u8> {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.path(folder))
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("home/config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_CONFIG_GLOBAL")
            .output()
            .expect("git runs");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn walk(&self) -> Walked {
        let home = self.path("home");
        let env = move |name: &str| match name {
            "HOME" => Some(home.clone()),
            "XDG_CONFIG_HOME" => Some(home.join("config")),
            "GIT_CONFIG_NOSYSTEM" => Some("1".into()),
            _ => None,
        };
        let root = self.path("project");
        let open = ProjectRoot::at(&root);
        let index = root.join(".cds-index");
        walk_with(Walker::with(&open, &index, Environment(&env)))
    }

    fn files(&self) -> BTreeSet<String> {
        self.walk().files.iter().map(|file| file.path().to_owned()).collect()
    }

    /// What git would add, repository by repository.
    fn files_of_git(&self, repositories: &[&str]) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        for repository in repositories {
            let folder = if repository.is_empty() { "project".to_owned() } else { format!("project/{repository}") };
            let listed = self.git(&folder, &["ls-files", "-z", "--others", "--exclude-standard"]);
            let listed = String::from_utf8(listed).expect("names are text");
            // A repository inside is one entry that ends with a slash.
            let names = listed.split('\0').filter(|name| !name.is_empty() && !name.ends_with('/'));
            let before = if repository.is_empty() { String::new() } else { format!("{repository}/") };
            files.extend(names.map(|name| format!("{before}{name}")));
        }
        files
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const FOLDERS: &[&str] = &["d", "e", "d e", ".h", "build"];
const NAMES: &[&str] = &[
    "a", "b", "ab", "a b", "#x", "!y", "m.py", "m.pyc", ".env", "A", "t ", "{a,b}", "x[1]", "é", "k.log", "a\\b", "-",
];
/// What lines of rules are made of.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "*", "**", "?", "a", "b", "ab", "m", "d", "e", "build", ".py", ".log", ".", "/", "/", "/", "**/", "/**", "/**/", "*.py", "[a-c]", "[!a]", "[^b]",
    "[[:alpha:]]", "[[:upper:]x]", "[]a]", "[", "]", "\\", "\\a", "\\ ", " ", "{a,b}", "#", "!", "\\#", "\\!", "é", "-", "[a-]", "[\\]]", "\t", "[d/e]",
];

fn rules(dice: &mut Dice) -> String {
    let mut text = if dice.below(8) == 0 { "\u{feff}".to_owned() } else { String::new() };
    for _ in 0..=dice.below(6) {
        let line = match dice.below(4) {
            0 => dice.pick(NAMES).to_owned(),
            1 => format!("{}{}", dice.pick(&["", "/", "**/", "!"]), dice.pick(FOLDERS)),
            _ => (0..=dice.below(4)).map(|_| dice.pick(PARTS)).collect(),
        };
        let negated = if dice.below(5) == 0 { "!" } else { "" };
        let folder = if dice.below(5) == 0 { "/" } else { "" };
        let end = dice.pick(&["\n", "\n", "\n", "\r\n", " \n", "\n\n"]);
        text.push_str(&format!("{negated}{line}{folder}{end}"));
    }
    if dice.below(4) == 0 { text.trim_end_matches('\n').to_owned() } else { text }
}

#[test]
fn the_walk_finds_what_git_finds() {
    let cases: u64 = std::env::var("CDS_GIT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    for seed in 0..cases {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66);
        let scratch = Scratch::new();
        let mut written = Vec::new();
        let mut write = |path: String, text: String| {
            scratch.write(&path, &text);
            written.push((path, text));
        };
        let mut folders = vec![String::new()];
        for _ in 0..6 {
            let above = folders[dice.below(folders.len())].clone();
            folders.push(format!("{above}/{}", dice.pick(FOLDERS)));
        }
        folders.sort();
        folders.dedup();
        for folder in &folders {
            for _ in 0..5 {
                scratch.write(&format!("project{folder}/{}", dice.pick(NAMES)), "");
            }
            if folder.is_empty() || dice.below(2) == 0 {
                write(format!("project{folder}/.gitignore"), rules(&mut dice));
            }
        }
        let mut repositories = vec![""];
        scratch.git("project", &["init", "-q", "--template="]);
        let inner = folders.last().expect("a folder").trim_start_matches('/');
        if dice.below(3) == 0 && !inner.is_empty() {
            scratch.git(&format!("project/{inner}"), &["init", "-q", "--template="]);
            repositories.push(inner);
        }
        for repository in &repositories {
            if dice.below(2) == 0 {
                write(format!("project/{repository}/.git/info/exclude"), rules(&mut dice));
            }
        }
        match dice.below(4) {
            0 => write("home/config/git/ignore".to_owned(), rules(&mut dice)),
            1 => {
                write("home/.gitconfig".to_owned(), "[core]\n\texcludesFile = ~/mine\n".to_owned());
                write("home/mine".to_owned(), rules(&mut dice));
            }
            2 => {
                let named = scratch.path("home/own").display().to_string();
                scratch.git("project", &["config", "core.excludesFile", &named]);
                write("home/own".to_owned(), rules(&mut dice));
            }
            _ => {}
        }
        let (ours, git) = (scratch.files(), scratch.files_of_git(&repositories));
        // The rules of the outer repository decide whether a repository inside is entered.
        let is_entered = |path: &String| inner.is_empty() || repositories.len() == 1 || !path.starts_with(inner);
        let is_left_out = !ours.iter().any(|path| !is_entered(path));
        let git: BTreeSet<String> = git.into_iter().filter(|path| !is_left_out || is_entered(path)).collect();
        assert_eq!(ours, git, "seed {seed}: {written:#?} repositories {repositories:?}");
    }
}

fn check(files: &[(&str, &str)], expect: &[&str]) {
    let scratch = Scratch::new();
    for (path, text) in files {
        scratch.write(path, text);
    }
    let found = scratch.files();
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expect, "{files:?}");
}

#[test]
fn kinds_of_rules_have_an_order_and_deeper_ones_win() {
    let (a, b) = (("project/a.py", ""), ("project/d/b.py", ""));
    check(&[a, b], &["a.py", "d/b.py"]);
    check(&[a, b, ("project/.gitignore", "*.py"), ("project/.ignore", "!a.py")], &[".gitignore", ".ignore", "a.py"]);
    check(
        &[a, b, ("project/d/.gitignore", "*.py"), ("project/.ignore", "!*.py"), ("project/.cdsignore", "a.py")],
        &[".cdsignore", ".ignore", "d/.gitignore", "d/b.py"],
    );
    check(
        &[a, b, ("project/.cdsignore", "*.py"), ("project/d/.cdsignore", "!b.py")],
        &[".cdsignore", "d/.cdsignore", "d/b.py"],
    );
    check(&[a, b, (".gitignore", "project/d")], &["a.py"]);
    check(&[a, b, (".gitignore", "*.py"), ("project/.git/HEAD", "")], &["a.py", "d/b.py"]);
    check(&[a, b, (".ignore", "b.py"), ("project/.git/HEAD", "")], &["a.py"]);
    check(&[a, b, ("project/.git/info/exclude", "/a.py")], &["d/b.py"]);
    check(&[a, b, (".git/info/exclude", "/project/a.py")], &["d/b.py"]);
    check(&[a, b, ("home/config/git/ignore", "/a.py")], &["d/b.py"]);
}

#[test]
fn a_git_file_leads_to_the_rules_of_its_repository() {
    let (a, b) = (("project/a.py", ""), ("project/sub/b.py", ""));
    let of_worktree = [
        ("project/.git", "gitdir: ../main/.git/worktrees/x\n"),
        ("main/.git/worktrees/x/commondir", "../..\n"),
        ("main/.git/info/exclude", "a.py\n"),
    ];
    check(&[&[a, b], &of_worktree[..]].concat(), &["sub/b.py"]);
    let of_submodule = [
        ("project/sub/.git", "gitdir: ../.git/modules/sub"),
        ("project/.git/modules/sub/info/exclude", "b.py"),
        ("project/.git/HEAD", ""),
    ];
    check(&[&[a, b], &of_submodule[..]].concat(), &["a.py"]);
    check(&[a, b, ("project/.git", "gitdir: ../nowhere"), ("project/sub/.git", "nonsense")], &["a.py", "sub/b.py"]);
}

#[cfg(unix)]
fn pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).expect("a pipe");
}

/// Each name stands for a file that would hang or fill memory if it were opened and read.
#[cfg(unix)]
#[test]
fn rules_that_cannot_be_read_harm_nobody_and_are_reported() {
    use std::os::unix::fs::symlink;

    let huge = |path: &Path| std::fs::File::create(path).and_then(|file| file.set_len(10_000_000_000)).unwrap();
    let check = |name: &str, make: &dyn Fn(&Path), expect: &[(&str, &str, &str)]| {
        let started = std::time::Instant::now();
        let scratch = Scratch::new();
        scratch.write("project/a.py", "");
        let path = scratch.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        let walked = scratch.walk();
        let problems: Vec<(String, &str, &str)> = walked
            .problems
            .iter()
            .map(|p| (p.path.replace(&*scratch.path("").to_string_lossy(), ""), p.reason.as_str(), p.detail.as_str()))
            .collect();
        let problems: Vec<(&str, &str, &str)> = problems.iter().map(|(p, r, d)| (p.as_str(), *r, *d)).collect();
        assert_eq!(problems, expect, "{name}");
        assert!(walked.files.iter().any(|file| file.path() == "a.py"), "{name}");
        assert!(started.elapsed() < std::time::Duration::from_secs(5), "{name} took {:?}", started.elapsed());
    };
    let rejected = "ignore_rules_rejected";
    for name in [".gitignore", ".ignore", ".cdsignore"] {
        let path = format!("project/{name}");
        let remedy = "none of its rules apply, make it a smaller regular file";
        let (no_pipe, no_link) =
            (format!("a pipe, not a regular file: {remedy}"), format!("a symbolic link, not followed: {remedy}"));
        let special = (name, "special_file", "a pipe, not read: its rules do not apply");
        check(&path, &pipe, &[(name, rejected, &no_pipe), special]);
        let link = (name, "symlink", "link to /dev/zero, not followed: its rules do not apply");
        check(&path, &|path| symlink("/dev/zero", path).unwrap(), &[(name, rejected, &no_link), link]);
        let large = format!("10000000000 bytes, more than the limit of 1000000: {remedy}");
        check(&path, &huge, &[(name, rejected, &large)]);
        let lines = format!("more than the limit of 10000 patterns: {remedy}");
        check(&path, &|path| std::fs::write(path, "x\n".repeat(400_000)).unwrap(), &[(name, rejected, &lines)]);
        check(
            &path,
            &|path| std::fs::write(path, "*.o\n[\n").unwrap(),
            &[(name, rejected, "line 2 matches nothing: close its bracket, or escape what is meant as it is")],
        );
        check(
            &path,
            &|path| std::fs::create_dir(path).unwrap(),
            &[(name, rejected, &format!("a folder, not a regular file: {remedy}"))],
        );
    }
    let remedy = "none of its rules apply, make it a smaller regular file";
    let slow = |path: &Path| {
        std::fs::write(path, (0..9_990).map(|i| format!("{}b{i}\n", "*a".repeat(24))).collect::<String>()).unwrap();
        for i in 0..10 {
            std::fs::write(path.with_file_name(format!("{}{i}.py", "a".repeat(240))), "").unwrap();
        }
    };
    let undecided = "ignore rules are not applied to 10 of its entries: comparing a path with them takes more than the limit of 300000 steps";
    check("project/.gitignore", &slow, &[("", rejected, undecided)]);
    let nested = |path: &Path| {
        for depth in 0..6 {
            let folder = path.with_file_name("d/".repeat(depth));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(".gitignore"), "x\n".repeat(9_990)).unwrap();
        }
    };
    let many = format!("with the folders above, more than the limit of 50000 patterns: {remedy}");
    check("project/.gitignore", &nested, &[("d/d/d/d/d/.gitignore", rejected, &many)]);
    let exclude = "project/.git/info/exclude";
    let no_pipe = format!("a pipe, not a regular file: {remedy}");
    check(exclude, &pipe, &[(".git/info/exclude", rejected, &no_pipe)]);
    let device = format!("a device, not a regular file: {remedy}");
    check(exclude, &|path| symlink("/dev/zero", path).unwrap(), &[(".git/info/exclude", rejected, &device)]);
    check("project/.git", &pipe, &[]);
    check("project/.git", &huge, &[]);
    let pointing = |to: &'static str| move |path: &Path| std::fs::write(path, format!("gitdir: {to}")).unwrap();
    check("project/.git", &pointing("/dev"), &[]);
    let to_pipe = |path: &Path| {
        std::fs::create_dir_all(path.with_file_name("decoy/info")).unwrap();
        pipe(&path.with_file_name("decoy/commondir"));
        pipe(&path.with_file_name("decoy/config"));
        pipe(&path.with_file_name("decoy/info/exclude"));
        std::fs::write(path, "gitdir: decoy").unwrap();
        std::fs::write(path.with_file_name(".gitignore"), "decoy").unwrap();
    };
    check("project/.git", &to_pipe, &[("project/decoy/info/exclude", rejected, &no_pipe)]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_listed() {
    use std::os::unix::fs::symlink;

    let scratch = Scratch::new();
    scratch.write("project/a.py", "");
    let project = scratch.path("project");
    pipe(&project.join("pipe.py"));
    let _socket = std::os::unix::net::UnixListener::bind(project.join("socket.py")).unwrap();
    symlink("a.py", project.join("link.py")).unwrap();
    // Marks that are no files mark nothing.
    for (folder, mark) in [("v", "pyvenv.cfg"), ("c", "CACHEDIR.TAG")] {
        scratch.write(&format!("project/{folder}/b.py"), "");
        symlink("/nowhere", project.join(folder).join(mark)).unwrap();
        scratch.write(&format!("project/real_{folder}/b.py"), "");
        scratch.write(&format!("project/real_{folder}/{mark}"), "");
    }
    let walked = scratch.walk();
    let problems: Vec<String> =
        walked.problems.iter().map(|p| format!("{} {}: {}", p.reason, p.path, p.detail)).collect();
    assert_eq!(
        problems,
        [
            "symlink c/CACHEDIR.TAG: link to /nowhere, not followed",
            "symlink link.py: link to a.py, not followed",
            "special_file pipe.py: a pipe, not read",
            "special_file socket.py: a socket, not read",
            "symlink v/pyvenv.cfg: link to /nowhere, not followed",
        ]
    );
    let files: Vec<&str> = walked.files.iter().map(super::FoundFile::path).collect();
    assert_eq!(files, ["a.py", "c/b.py", "v/b.py"]);
}

#[cfg(unix)]
#[test]
fn folders_too_deep_for_the_system_are_listed_and_the_rest_is_found() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

    let scratch = Scratch::new();
    scratch.write("project/a.py", "");
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, scratch.path("project"), flags, Mode::empty()).unwrap();
    for _ in 0..1_500 {
        mkdirat(&folder, "deep", Mode::from_raw_mode(0o755)).unwrap();
        folder = openat(&folder, "deep", flags, Mode::empty()).unwrap();
    }
    let walked = scratch.walk();
    assert_eq!(walked.files.len(), 1);
    assert!(walked.directories.len() > 800, "{}", walked.directories.len());
    let [problem] = &walked.problems[..] else { panic!("{:?}", walked.problems) };
    assert_eq!(problem.reason, "unreadable");
    assert!(problem.detail.contains("too long"), "{}", problem.detail);
    // What cannot be opened by its path cannot be removed by it either.
    let status = Command::new("rm").arg("-rf").arg(scratch.path("project")).status().expect("rm runs");
    assert!(status.success());
}
