//! After any sequence of edits an updated index says what one built from nothing says, to the last byte of its dump, and answers with the same
//! hits and scores, to the last bit.
//!
//! Trees are those of the graph's own cases, one folder a case: small files of every language that use each other in every way that is
//! known. `CDS_EQUALITY_TREE` names another folder, which is copied; `CDS_EQUALITY_STEPS` says how many edits there are, and
//! `CDS_EQUALITY_SEED` which; `CDS_EQUALITY_EVERY` compares only now and then, after an update each. The long run is
//! `CDS_EQUALITY_STEPS=10000 CDS_EQUALITY_EVERY=10 cargo test --release -p cds-index --test index equality -- --nocapture`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cds_index::{Seen, Snapshot};
use cds_model::{Filters, Granularity, Query};
use cds_search::{SearchOptions, Tools};

use crate::fixture::Tree;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Files by path, as they are on disk.
type Files = BTreeMap<String, Vec<u8>>;

/// The files of all cases.
fn cases() -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cds-graph/tests/cases");
    let mut files = Files::new();
    for entry in std::fs::read_dir(&folder).expect("the cases are there").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("cases are text");
        let language = entry.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut case = 0;
        let mut file: Option<(String, String)> = None;
        for line in text.lines() {
            match (&mut file, line.strip_prefix("```")) {
                (None, Some(tag)) => {
                    let path = tag.split_once(' ').map(|(_, path)| format!("{language}/{case}/{path}"));
                    file = Some((path.unwrap_or_default(), String::new()));
                }
                (Some(_), Some(_)) => {
                    let (path, text) = file.take().expect("a block is open");
                    if !path.is_empty() {
                        files.insert(path, text.into_bytes());
                    }
                }
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => case += usize::from(line.starts_with("## ")),
            }
        }
    }
    // Calls that may mean too many, which cases are too small for.
    for i in 0..12 {
        let text =
            format!("class Shelf{i}:\n    def dust(self):\n        return {i}\n\n\ndef visit{i}(it):\n    it.dust()\n");
        files.insert(format!("many/m{i}.py"), text.into_bytes());
    }
    files
}

/// The text files of a folder.
fn copied(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the tree can be read").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                files.insert(path.strip_prefix(root).expect("below it").to_string_lossy().into_owned(), bytes);
            }
        }
    }
    files
}

/// A tree on disk and what is known to be in it.
struct Edited {
    tree: Tree,
    files: Files,
    /// All texts there were: lines and files are taken from them.
    pool: Vec<Vec<u8>>,
    dice: Dice,
    /// Apart, so that other questions are no other edits.
    of_queries: Dice,
}

impl Edited {
    fn new(files: Files, seed: u64) -> Edited {
        let tree = Tree::new("");
        for (path, bytes) in &files {
            tree.write(path, bytes);
        }
        let pool = files.values().cloned().collect();
        Edited { tree, files, pool, dice: Dice(seed), of_queries: Dice(seed) }
    }

    fn any_path(&mut self) -> String {
        let at = self.dice.below(self.files.len());
        self.files.keys().nth(at).cloned().unwrap_or_default()
    }

    fn write(&mut self, path: String, bytes: Vec<u8>) {
        // A file cannot stand where a folder is, nor below a file.
        let is_below = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
        if self.files.keys().any(|other| is_below(other, &path) || is_below(&path, other)) {
            return;
        }
        self.tree.write(&path, &bytes);
        self.files.insert(path, bytes);
    }

    fn remove(&mut self, path: &str) {
        if self.files.len() > 1 && self.files.remove(path).is_some() {
            let mut absolute = self.tree.root().join(path);
            std::fs::remove_file(&absolute).expect("it was there");
            // As a version control system does, empty folders go too.
            while absolute.pop() && absolute != self.tree.root() && std::fs::remove_dir(&absolute).is_ok() {}
        }
    }

    /// Another text made of one: lines taken out, doubled, moved, taken from elsewhere, names exchanged.
    fn other(&mut self, bytes: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = self.dice.below(lines.len() + 1);
        match self.dice.below(6) {
            0 if !lines.is_empty() => drop(lines.remove(at.min(lines.len() - 1))),
            1 if !lines.is_empty() => {
                let line = self.dice.pick(&lines).clone();
                lines.insert(at, line);
            }
            2 => {
                let from = self.dice.below(self.pool.len());
                let foreign = String::from_utf8_lossy(&self.pool[from]).into_owned();
                let foreign: Vec<&str> = foreign.lines().collect();
                let start = self.dice.below(foreign.len());
                let count = 1 + self.dice.below(6);
                lines.extend(foreign.into_iter().skip(start).take(count).map(str::to_owned));
            }
            3 => {
                let words = |text: &str| -> Vec<String> {
                    let all = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 1);
                    all.map(str::to_owned).collect()
                };
                let own = words(&text);
                let from = self.dice.below(self.pool.len());
                let foreign = words(&String::from_utf8_lossy(&self.pool[from]));
                if let (false, false) = (own.is_empty(), foreign.is_empty()) {
                    let (a, b) = (self.dice.pick(&own).clone(), self.dice.pick(&foreign).clone());
                    let once = self.dice.below(2) == 0;
                    return if once { text.replacen(&a, &b, 1) } else { text.replace(&a, &b) }.into_bytes();
                }
            }
            4 => lines.insert(at, format!("# note {}", self.dice.below(1000))),
            _ => lines.reverse(),
        }
        let mut text = lines.join("\n");
        text.push('\n');
        text.into_bytes()
    }

    /// One edit; says what it was.
    fn step(&mut self) -> String {
        let path = self.any_path();
        let bytes = self.files[&path].clone();
        match self.dice.below(20) {
            0 | 1 => {
                self.remove(&path);
                format!("remove {path}")
            }
            2 | 3 => {
                let beside = self.any_path();
                let folder = beside.rsplit_once('/').map_or("", |(folder, _)| folder);
                let name = path.rsplit('/').next().unwrap_or(&path);
                let to = format!("{folder}/{name}").trim_start_matches('/').to_owned();
                self.remove(&path);
                self.write(to.clone(), bytes);
                format!("rename {path} to {to}")
            }
            4 => {
                let ending = ["py", "ts", "rs", "go", "c", "h", "java", "txt", "rb"];
                let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem).to_owned();
                let to = format!("{stem}.{}", self.dice.pick(&ending));
                self.remove(&path);
                self.write(to.clone(), bytes);
                format!("another language: {path} to {to}")
            }
            5 => {
                let from = self.dice.below(self.pool.len());
                let to = format!("new/{}/{}", self.dice.below(3), path.rsplit('/').next().unwrap_or(&path));
                let bytes = self.pool[from].clone();
                self.write(to.clone(), bytes);
                format!("add {to}")
            }
            6 => {
                // Time moves, bytes stay.
                self.write(path.clone(), bytes);
                format!("touch {path}")
            }
            7 => {
                let bytes = if self.dice.below(2) == 0 { b"\0\x01binary".to_vec() } else { Vec::new() };
                self.write(path.clone(), bytes);
                format!("empty or binary {path}")
            }
            8 => {
                let folder = path.split('/').next().unwrap_or(&path).to_owned();
                let rule = [format!("/{folder}/0\n"), format!("{folder}\n"), "*.h\n".to_owned(), String::new()];
                let rule = self.dice.pick(&rule).clone();
                self.write(".gitignore".to_owned(), rule.clone().into_bytes());
                format!("ignore {rule:?}")
            }
            9 => {
                let many: Vec<String> =
                    self.files.keys().filter(|p| p.split('/').next() == path.split('/').next()).cloned().collect();
                for path in &many {
                    let bytes = self.files[path].clone();
                    let other = self.other(&bytes);
                    self.write(path.clone(), other);
                }
                format!("{} files like {path}", many.len())
            }
            10 => {
                let other = self.dice.below(self.pool.len());
                let bytes = self.pool[other].clone();
                self.write(path.clone(), bytes);
                format!("replace {path}")
            }
            _ => {
                let other = self.other(&bytes);
                self.write(path.clone(), other);
                format!("edit {path}")
            }
        }
    }

    /// What an index built from nothing says.
    fn clean(&self, queries: &[String]) -> String {
        let home = tempfile::tempdir().expect("a temporary folder");
        let built = self.tree.try_build(|build| build.home = home.path());
        built.expect("the tree is indexed");
        told(&Snapshot::open(home.path()).expect("the index opens"), queries)
    }

    /// A name, two words and a question, from what is or was somewhere in the tree.
    fn queries(&mut self) -> Vec<String> {
        let mut word = || {
            let from = self.of_queries.below(self.pool.len());
            let text = String::from_utf8_lossy(&self.pool[from]).into_owned();
            let words: Vec<&str> =
                text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 1).collect();
            if words.is_empty() { "value".to_owned() } else { (*self.of_queries.pick(&words)).to_owned() }
        };
        vec![word(), format!("{} {}", word(), word()), format!("where is {} used by the {}", word(), word())]
    }
}

/// What an index says, and what it answers.
fn told(snapshot: &Snapshot, queries: &[String]) -> String {
    let mut told = snapshot.dump().expect("it can be read");
    let tools = Tools::default();
    for text in queries {
        let query = Query {
            text: text.clone(),
            limit: 20,
            granularity: Granularity::File,
            chunks_per_file: 1,
            filters: Filters::default(),
            preset: "default".to_owned(),
        };
        let outcome = cds_search::search(snapshot, &query, &SearchOptions::default(), &tools);
        let outcome = outcome.expect("the query is answered");
        told.push_str(&format!("answer {text:?}: {} in all\n", outcome.total));
        for hit in outcome.hits {
            let scores: Vec<(&str, u32)> = hit.retrieved.iter().map(|(by, s, _)| (*by, s.to_bits())).collect();
            told.push_str(&format!("answer {text:?}: {} {:08x} {scores:?}\n", hit.chunk.0, hit.score.to_bits()));
        }
    }
    told
}

fn check(files: Files, seed: u64, steps: usize) {
    let every = setting("CDS_EQUALITY_EVERY", 1) as usize;
    let mut edited = Edited::new(files, seed);
    edited.tree.build();
    let mut log = Vec::new();
    for step in 0..steps {
        let count = if edited.dice.below(4) == 0 { 1 + edited.dice.below(5) } else { 1 };
        log.extend((0..count).map(|_| edited.step()));
        // By turns as a search brings it up to date, as a watcher does, and as `cds index` does.
        let how = edited.dice.below(4);
        let seen = (how > 1).then(|| Seen::look(Arc::new(edited.tree.open()), edited.tree.root(), &|_| {}));
        let report = edited.tree.try_build(|build| (build.quick, build.seen) = (how > 0, seen.as_ref()));
        let report = match report {
            // Rules that leave nothing leave nothing to compare.
            Err(cds_index::Error::Empty(_)) => {
                let rules = edited.files.keys().filter(|path| path.ends_with("ignore")).cloned().collect::<Vec<_>>();
                for path in &rules {
                    edited.remove(path);
                }
                continue;
            }
            report => report.expect("the tree is indexed"),
        };
        if std::env::var_os("CDS_EQUALITY_SHOW").is_some() {
            let snapshot = edited.tree.open();
            let (parts, dead) = (snapshot.part_count(), snapshot.dead_chunks());
            let edit = log.last().map_or("", String::as_str);
            eprintln!(
                "{step}: {} of {} linked, {} parsed; {parts} parts, {dead} dead; {edit}",
                report.linked, report.files, report.parsed
            );
        }
        if (step + 1) % every != 0 {
            continue;
        }
        let queries = edited.queries();
        let (updated, clean) = (told(&edited.tree.open(), &queries), edited.clean(&queries));
        if updated != clean {
            let difference = difference(&updated, &clean);
            let last = log.len().saturating_sub(6);
            panic!("seed {seed}, step {step}, {report:?}, after {:#?}\n{difference}", &log[last..]);
        }
    }
}

/// The first lines that differ.
fn difference(updated: &str, clean: &str) -> String {
    let (mut ours, mut theirs): (Vec<&str>, Vec<&str>) = (updated.lines().collect(), clean.lines().collect());
    ours.retain(|line| !clean.contains(&format!("{line}\n")));
    theirs.retain(|line| !updated.contains(&format!("{line}\n")));
    let few = |lines: &[&str]| {
        lines.iter().take(12).map(|l| l.chars().take(300).collect::<String>()).collect::<Vec<_>>().join("\n")
    };
    format!("only updated:\n{}\nonly clean:\n{}", few(&ours), few(&theirs))
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn equality_of_updated_and_clean_after_random_edits() {
    let files = std::env::var("CDS_EQUALITY_TREE").map_or_else(|_| cases(), |tree| copied(&PathBuf::from(tree)));
    assert!(files.len() > 20, "{} files", files.len());
    check(files, setting("CDS_EQUALITY_SEED", 1), setting("CDS_EQUALITY_STEPS", 12) as usize);
}
