//! Whatever stands in the files of an index: an answer is right or an error, nothing crashes, and `cds index` repairs it.

use std::fs;
use std::path::PathBuf;

use crate::fixture::{Project, files_below};

const CODE: &str = "\
//- a.py
LIMIT = 3

class Outer:
    def first(self):
        return second(LIMIT)
//- sub/deep/b.rs
/// Says hello.
pub fn second() {}
//- notes.md
# First

words about the second
";

const QUESTIONS: [&[&str]; 8] = [
    &["search", "first second"],
    &["search", "sec*", "--granularity", "entity"],
    &["search", "\"words about\"", "--preset", "cds-index"],
    &["symbol", "first"],
    &["symbol", "Out*", "-i"],
    &["outline", "a.py"],
    &["retrieve", "a.py:Outer.first", "sub", "notes.md:1-3"],
    &["grep", "second"],
];

/// An index whose files can be damaged and put back.
struct Patient {
    project: Project,
    home: PathBuf,
    whole: Vec<(String, Vec<u8>)>,
    /// What each question prints before anything is damaged.
    right: Vec<String>,
}

impl Patient {
    fn new() -> Patient {
        let project = Project::new(CODE);
        assert_eq!(project.cds(&["index"]).code, 0);
        let home = project.path(".cds-index");
        let read = |f: String| {
            let bytes = fs::read(home.join(&f)).expect("a file");
            (f, bytes)
        };
        let whole = files_below(&home).into_iter().filter(|f| !f.ends_with("lock")).map(read).collect();
        let right = QUESTIONS.iter().map(|args| project.cds(&[*args, &["--no-update"]].concat()).stdout).collect();
        Patient { project, home, whole, right }
    }

    /// Every file with something in it.
    fn files(&self) -> impl Iterator<Item = &(String, Vec<u8>)> {
        self.whole.iter().filter(|(name, bytes)| !bytes.is_empty() && !name.starts_with('.'))
    }

    fn damage(&self, file: &str, bytes: &[u8]) {
        fs::write(self.home.join(file), bytes).expect("written");
    }

    fn heal(&self) {
        // The directory itself stays: a copy of an index is not believed.
        for entry in fs::read_dir(&self.home).expect("a folder").map(|e| e.expect("an entry")) {
            let path = entry.path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("removed");
        }
        for (file, bytes) in &self.whole {
            self.project.write(&format!(".cds-index/{file}"), bytes);
        }
    }

    /// Asks three questions and then for the state; nothing crashes, what fails says what to do, and what is answered is right. Which
    /// three changes from turn to turn: all of them on every damage would take a minute.
    fn ask(&self, turn: usize, what: &str) {
        let status: &[&str] = &["status", "--problems"];
        let questions = QUESTIONS.iter().zip(&self.right).map(|(args, right)| (args, Some(right)));
        for (args, right) in questions.cycle().skip(turn * 3).take(3).chain([(&status, None)]) {
            let output = self.project.cds(&[*args, &["--no-update"]].concat());
            let what = format!("{what}, {args:?}: {output:?}");
            assert!(matches!(output.code, 0 | 1 | 3), "{what}");
            assert!(!output.stderr.contains("panicked"), "{what}");
            assert!(output.code != 3 || output.stderr.contains("run `cds index`"), "{what}");
            assert!(output.code == 3 || right.is_none_or(|right| *right == output.stdout), "{what}");
        }
    }

    /// `cds index` mends it, whether or not files changed too.
    fn repair(&self, what: &str) {
        let output = self.project.cds(&["index"]);
        assert_eq!(output.code, 0, "{what}: {output:?}");
        assert_eq!(self.project.cds(&["status"]).code, 0, "{what}");
        assert_eq!(self.project.ids(&["symbol", "first"]), ["a.py:Outer.first"], "{what}");
        assert_eq!(self.project.ids(&["search", "second", "--lang", "rust"]), ["sub/deep/b.rs:second"], "{what}");
    }
}

/// `bytes` with a stretch of the same byte somewhere.
fn overwritten(bytes: &[u8], at: usize, len: usize, with: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let end = bytes.len().min(at + len);
    bytes[at.min(end)..end].fill(with);
    bytes
}

#[test]
fn bytes_overwritten_in_place_crash_nothing_and_are_repaired() {
    let patient = Patient::new();
    for (turn, (file, bytes)) in patient.files().enumerate() {
        let places = [(0, 16), (bytes.len() / 2, 8), (bytes.len().saturating_sub(12), 12), (0, bytes.len())];
        for (i, (at, len)) in places.into_iter().enumerate() {
            let with = if (turn + i) % 2 == 0 { 0xFF } else { 0 };
            let damaged = overwritten(bytes, at, len, with);
            if damaged == *bytes {
                continue;
            }
            patient.damage(file, &damaged);
            let what = format!("{len} bytes at {at} of {file} are {with:#x}");
            // The settings it was built with are for people to read: losing them loses nothing.
            if !file.ends_with("config.toml") {
                assert_eq!(patient.project.cds(&["status"]).code, 3, "{what}: the damage is told");
            }
            patient.ask(turn + i, &what);
            patient.damage(file, bytes);
        }
        patient.damage(file, &overwritten(bytes, bytes.len() / 2, 8, 0xFF));
        patient.repair(&format!("the middle of {file}"));
        patient.heal();
    }
}

#[test]
fn files_cut_short_crash_nothing_and_are_repaired() {
    let patient = Patient::new();
    for (turn, (file, bytes)) in patient.files().enumerate() {
        for (i, len) in [0, bytes.len() / 2, bytes.len() - 1].into_iter().enumerate() {
            patient.damage(file, &bytes[..len]);
            patient.ask(turn + i, &format!("{file} cut to {len} of {} bytes", bytes.len()));
        }
        patient.repair(&format!("the last byte of {file}"));
        patient.heal();
    }
}

#[test]
fn a_damaged_table_is_not_carried_into_an_update() {
    let patient = Patient::new();
    for (file, bytes) in patient.files().filter(|(file, _)| file.ends_with(".bin") || file.ends_with(".fst")) {
        patient.damage(file, &overwritten(bytes, bytes.len() / 3, 24, 0x5A));
        patient.project.write("new.py", "def added():\n    return 1\n");
        patient.repair(&format!("{file} and a new file"));
        assert_eq!(patient.project.ids(&["symbol", "added"]), ["new.py:added"]);
        patient.project.remove("new.py");
        patient.heal();
    }
}

#[test]
fn a_search_says_damage_instead_of_finding_nothing_or_reading_all_anew() {
    let patient = Patient::new();
    for table in ["strings.bin", "graph/entities.bin", "indices/documents.bin"] {
        let (file, bytes) = patient.files().find(|(file, _)| file.ends_with(table)).expect("a table");
        patient.damage(file, &vec![0; bytes.len()]);
        for args in [&["symbol", "first"][..], &["symbol", "first", "--no-update"], &["search", "first"]] {
            let output = patient.project.cds(args);
            assert_eq!(output.code, 3, "{table} {args:?}: {output:?}");
            assert!(output.stderr.contains("the index is damaged"), "{table}: {}", output.stderr);
            assert!(output.stderr.contains("run `cds index`"), "{table}: {}", output.stderr);
        }
        patient.heal();
    }
}
