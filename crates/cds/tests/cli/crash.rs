//! Writers that are killed at any instant. What was published stays whole, and the next run goes on as if nothing had been.
//!
//! `CDS_KILLS` says how often; the long run is `CDS_KILLS=200 cargo test -p cds --test cli crash -- --nocapture`. `CDS_KILLS_SEED` makes
//! another sequence of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fixture::{Dice, Project, asked, index_folders};

const KILLS: u64 = 20;
/// A clean build to compare with costs more than all the rest.
const COMPARED: u64 = 10;
const FILES: usize = 150;
/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Which version of each file there is, by its number.
type Tree = BTreeMap<usize, u64>;

fn path(file: usize) -> String {
    let folder = file % 5;
    match file % 6 {
        0 => format!("py{folder}/m{file}.py"),
        1 => format!("js{folder}/m{file}.js"),
        2 => format!("go{folder}/m{file}.go"),
        3 => format!("rs{folder}/m{file}.rs"),
        4 => format!("java{folder}/M{file}.java"),
        _ => format!("docs{folder}/m{file}.md"),
    }
}

/// A line that stands in one version of one file only.
fn mark(file: usize, version: u64) -> String {
    format!("mark_{file}_{version}_end")
}

/// A file that defines something, uses what another file of its language defines, and has its mark on a line.
fn text(file: usize, version: u64) -> String {
    let (mark, other) = (mark(file, version), file.saturating_sub(6));
    let from = other % 5;
    match file % 6 {
        0 => format!(
            "from py{from}.m{other} import step_{other}\n\n\ndef step_{file}(amount):\n    \"\"\"Adds what the ledger lacks.\"\"\"\n    {mark} = amount\n    return step_{other}({mark})\n"
        ),
        1 => format!(
            "import {{ step_{other} }} from \"../js{from}/m{other}.js\";\n\nexport function step_{file}(amount) {{\n  const {mark} = amount;\n  return step_{other}({mark});\n}}\n"
        ),
        2 => format!(
            "package ledger\n\nfunc Step{file}(amount int) int {{\n\t{mark} := amount\n\treturn Step{other}({mark})\n}}\n"
        ),
        3 => format!(
            "pub struct Entry{file};\n\nimpl Entry{file} {{\n    pub fn step_{file}(&self, amount: u32) -> u32 {{\n        let {mark} = amount;\n        step_{other}({mark})\n    }}\n}}\n"
        ),
        4 => format!(
            "class M{file} extends M{other} {{\n    int step(int amount) {{\n        int {mark} = amount;\n        return super.step({mark});\n    }}\n}}\n"
        ),
        _ => format!("# Ledger {file}\n\nHow accounts are balanced.\n\n## Steps\n\n{mark} comes first.\n"),
    }
}

struct Crash {
    project: Project,
    tree: Tree,
    dice: Dice,
    versions: u64,
}

impl Crash {
    fn new(seed: u64) -> Crash {
        let project = Project::new("");
        let tree: Tree = (0..FILES).map(|file| (file, 0)).collect();
        for &file in tree.keys() {
            project.write(&path(file), text(file, 0));
        }
        Crash { project, tree, dice: Dice(seed), versions: 0 }
    }

    /// A few files are edited, added and removed.
    fn edit(&mut self) {
        for _ in 0..=self.dice.below(4) {
            let file = self.dice.below(FILES + 20);
            self.versions += 1;
            let is_removed = self.dice.below(4) == 0 && self.tree.len() > FILES / 2;
            if is_removed && self.tree.remove(&file).is_some() {
                self.project.remove(&path(file));
            } else {
                self.tree.insert(file, self.versions);
                self.project.write(&path(file), text(file, self.versions));
            }
        }
    }

    /// What an index holds, by the marks in the texts it shows.
    fn marks(&self, more: &[&str]) -> BTreeSet<(String, String)> {
        let answer = self.project.json(&[&["grep", "mark_[0-9]+_[0-9]+_end", "-n", "1000"], more].concat());
        let marks = answer["hits"].as_array().expect("hits").iter().map(|hit| {
            let line = hit["text"].as_str().expect("a line");
            let at = line.find("mark_").expect("the mark");
            let mark = line[at..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            (hit["path"].as_str().expect("a path").to_owned(), mark.to_owned())
        });
        marks.collect()
    }

    fn is_found(&self, file: usize, version: u64, more: &[&str]) -> bool {
        let mark = mark(file, version);
        let answer = self.project.json_or_nothing(&[&["search", &mark, "--snippet", "full"], more].concat());
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.filter(|hit| hit["snippet"].as_str().is_some_and(|text| text.contains(&mark)))
            .inspect(|hit| {
                let whole = text(file, version);
                let shown = hit["snippet"].as_str().expect("a snippet");
                assert!(whole.contains(shown.trim_end()), "not what was indexed: {hit}");
            })
            .count()
            > 0
    }
}

fn expected(tree: &Tree) -> BTreeSet<(String, String)> {
    tree.iter().map(|(&file, &version)| (path(file), mark(file, version))).collect()
}

/// Answers of an index, without what differs between two indexes of one tree.
fn answers(project: &Project, index: &Path, tree: &Tree) -> Vec<Value> {
    let index = index.to_str().expect("UTF-8");
    let file = |at: usize| *tree.keys().nth(at).expect("there are many");
    let python = *tree.keys().find(|file| **file % 6 == 0 && **file > 30).expect("there are many");
    let from = path(file(40));
    let mut all = Vec::new();
    for args in [
        &["search", "how is the ledger balanced", "-n", "30"][..],
        &["search", "step amount", "-n", "50", "--granularity", "entity", "--explain"],
        &["search", &format!("step_{}", file(60)), "--preset", "bm25"],
        &["callers", &format!("{}:step_{python}", path(python)), "--depth", "3"],
        &["traverse", &from, "--direction", "both", "--depth", "3", "--edge", "contain", "--edge", "invoke"],
        &["outline", "--depth", "9"],
        &["status"],
    ] {
        let mut answer = project.json_or_nothing(&[args, &["--no-update", "--index-dir", index]].concat());
        let fields = answer.as_object_mut().expect("an object");
        for name in ["timings_ms", "index_dir", "generation", "built", "index_bytes"] {
            fields.remove(name);
        }
        for hit in answer["hits"].as_array_mut().into_iter().flatten() {
            hit["indexed_at"].take();
            // It carries the time of the first index.
            hit["chunk_id"].take();
        }
        all.push(answer);
    }
    all
}

/// What a killed writer left, in the order in which a writer works.
fn phase(home: &Path, old: &str, is_ended: bool) -> &'static str {
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(home.join("manifest.json")).expect("a manifest")).expect("whole");
    let new = format!("{:06}", old[1..].parse::<u32>().expect("a number") + 1);
    let has = |path: &str| home.join(path).exists();
    match () {
        () if is_ended => "8 after the end",
        () if manifest["generation"] != old && has(old) => "7 published, not swept",
        () if manifest["generation"] != old => "7 published and swept",
        () if has("manifest.json.new") => "6 publishing",
        () if has(&format!("g{new}/problems.json")) => "5 tables written",
        () if has(&format!("g{new}/indices/documents.bin")) => "4 writing tables",
        () if has(&format!("p{new}/scales.bin")) => "3 linked, closing the text index",
        () if has(&format!("g{new}")) => "2 writing and linking files",
        () if std::fs::metadata(home.join("lock")).is_ok_and(|lock| lock.len() > 0) => "1 looking",
        () => "0 before the lock",
    }
}

/// Waits until something stands in the index folder, or the writer is through.
fn wait_for(child: &mut Child, path: &Path) {
    let until = Instant::now() + PATIENCE;
    while !path.exists() && child.try_wait().expect("a child").is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn killed_at_any_instant_the_old_or_the_new_index_answers_and_the_next_run_goes_on() {
    let kills = asked("CDS_KILLS").unwrap_or(KILLS);
    let mut crash = Crash::new(asked("CDS_KILLS_SEED").unwrap_or(1));
    let home = crash.project.path(".cds-index");
    let clean = crash.project.home().join("clean");
    let generation = |project: &Project| -> String {
        project.generation().file_name().expect("a name").to_string_lossy().into_owned()
    };
    assert_eq!(crash.project.cds(&["index"]).code, 0);
    crash.edit();
    let started = Instant::now();
    assert_eq!(crash.project.cds(&["index"]).code, 0);
    let mut usual = started.elapsed();
    let settings = std::fs::read(home.join("config.toml")).expect("settings");
    let mut phases: BTreeMap<&str, usize> = BTreeMap::new();
    for kill in 0..kills {
        let (before, old) = (crash.tree.clone(), generation(&crash.project));
        crash.edit();
        let args: &[&str] = [&["index"][..], &["search", "ledger"], &["watch"]][crash.dice.below(3)];
        let mut child =
            crash.project.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let next = format!("{:06}", old[1..].parse::<u32>().expect("a number") + 1);
        let delay = usual * crash.dice.below(1_300) as u32 / 1_000;
        // Half of the time at any time, half of the time at a moment of its own.
        match crash.dice.below(12) {
            0 => wait_for(&mut child, &home.join(format!("g{next}"))),
            1 => wait_for(&mut child, &home.join(format!("p{next}/scales.bin"))),
            2 => wait_for(&mut child, &home.join(format!("g{next}/indices/documents.bin"))),
            3 => wait_for(&mut child, &home.join(format!("g{next}/problems.json"))),
            4 => wait_for(&mut child, &home.join("manifest.json.new")),
            5 => {
                let until = Instant::now() + PATIENCE;
                while generation(&crash.project) == old && Instant::now() < until {
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
            _ => std::thread::sleep(delay),
        }
        let is_ended = child.try_wait().expect("a child").is_some();
        child.kill().expect("SIGKILL");
        child.wait().expect("it ends");
        let found = phase(&home, &old, is_ended);
        *phases.entry(found).or_default() += 1;
        let what = format!("kill {kill} of {args:?}: {found}");

        let shown = crash.marks(&["--no-update"]);
        assert!(shown == expected(&before) || shown == expected(&crash.tree), "{what}: neither old nor new");
        let (&file, &now) = crash.tree.iter().max_by_key(|(_, version)| **version).expect("there are many");
        let is_new = shown == expected(&crash.tree);
        assert_eq!(crash.is_found(file, now, &["--no-update"]), is_new || before.get(&file) == Some(&now), "{what}");

        let started = Instant::now();
        let output = crash.project.cds(&["index", "--wait", "0"]);
        assert_eq!(output.code, 0, "{what}: {}", output.stderr);
        if !is_new {
            usual = started.elapsed();
        }
        assert_eq!(crash.marks(&["--no-update"]), expected(&crash.tree), "{what}");
        assert_eq!(std::fs::read(home.join("config.toml")).expect("settings"), settings, "{what}");
        let (there, named) = index_folders(&home);
        assert_eq!(there, named, "{what}: folders are left over");
        assert!(!home.join("manifest.json.new").exists(), "{what}: half a manifest is left over");
        if kill % COMPARED == COMPARED - 1 || kill + 1 == kills {
            let _ = std::fs::remove_dir_all(&clean);
            let output = crash.project.cds(&["index", "--index-dir", clean.to_str().expect("UTF-8")]);
            assert_eq!(output.code, 0, "{what}: {}", output.stderr);
            let (ours, theirs) =
                (answers(&crash.project, &home, &crash.tree), answers(&crash.project, &clean, &crash.tree));
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert_eq!(ours, theirs, "{what}: not what a clean build says");
            }
        }
    }
    eprintln!("{kills} kills: {phases:#?}");
}
