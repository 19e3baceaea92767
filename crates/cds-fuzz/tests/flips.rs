//! Damage of an index with tables of many blocks: every answer is right or an error with a remedy.
//!
//! Each trial damages one place of one file: a flipped byte in four of five trials, else a page of zeros, a cut, or a file in the place of
//! another one. Half of the trials choose every file with the same probability, the other half by size. Every operation is then called
//! and each answer compared with that of the undamaged index, as JSON without timings.
//!
//! `cargo test` runs a few trials over the sources of one crate. The long form takes a tree, which it copies:
//!
//! ```sh
//! CDS_FLIPS=2000 CDS_FLIPS_TREE=/some/tree cargo test --release -p cds-fuzz --test flips -- --nocapture
//! ```
//!
//! `CDS_FLIPS_SEED` chooses other places.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use cds_engine::{
    Config, Engine, Error, ErrorKind, GrepRequest, Hooks, OutlineRequest, ResearchRequest, RetrieveRequest,
    SearchRequest, SymbolRequest, TraverseRequest,
};
use cds_fuzz::{Watch, leave_guarded_panics};
use serde::Serialize;
use serde_json::Value;
use tempfile::TempDir;

/// Trials unless `CDS_FLIPS` says otherwise.
const TRIALS: usize = 120;

const PAGE: usize = 4096;

/// Numbers that look random and are the same each time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// A copy of a tree with an index of two parts: some files changed after the first build.
struct Indexed {
    folder: TempDir,
    config: Config,
    home: PathBuf,
    /// Files of the index with their sizes, sorted.
    files: Vec<(PathBuf, usize)>,
}

impl Indexed {
    fn new(tree: &Path) -> Indexed {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(tree, folder.path());
        let mut config = Config::default();
        config.set("search.time_limit_ms", "0").expect("a setting");
        let engine = Engine::open(folder.path(), config.clone()).expect("the folder is there");
        engine.index(true, &Hooks::default()).expect("it is indexed");
        let mut sources = Vec::new();
        list(folder.path(), &mut sources);
        let sources: Vec<PathBuf> =
            sources.into_iter().filter(|(p, _)| !p.starts_with(engine.home())).map(|f| f.0).collect();
        for path in sources.iter().step_by(sources.len().div_ceil(3)) {
            let mut file = OpenOptions::new().append(true).open(path).expect("a source");
            writeln!(file, "\n# one more line").expect("a line");
        }
        fs::write(folder.path().join("added.py"), "def added(x):\n    return x + 1\n").expect("a source");
        engine.index(false, &Hooks::default()).expect("it is updated");
        let home = engine.home().to_owned();
        let mut files = Vec::new();
        list(&home, &mut files);
        // The lock and what is for people to read are no part of an answer.
        let is_read =
            |path: &Path| path.file_name().is_some_and(|n| n != "lock" && n != "config.toml" && n != ".gitignore");
        files.retain(|(path, size)| *size > 0 && is_read(path));
        Indexed { folder, config, home, files }
    }

    fn engine(&self) -> Engine {
        Engine::open(self.folder.path(), self.config.clone()).expect("the folder is there")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && entry.file_name() != ".cds-index" => copy(&source, &target),
            Ok(kind) if kind.is_file() => drop(fs::copy(&source, &target).expect("a copy")),
            _ => {}
        }
    }
}

fn list(folder: &Path, files: &mut Vec<(PathBuf, usize)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            list(&path, files);
        } else {
            files.push((path.clone(), fs::metadata(&path).expect("a file").len() as usize));
        }
    }
}

type Answer = Result<Value, Error>;

/// A request, and the operation that answers it.
struct Question {
    name: String,
    ask: Box<dyn Fn(&Engine) -> Answer>,
}

fn plain(answer: impl Serialize) -> Value {
    let mut value = serde_json::to_value(answer).expect("an answer is plain data");
    if let Some(fields) = value.as_object_mut() {
        fields.remove("timings_ms");
    }
    value
}

/// Every operation, about what a search finds in the tree.
fn questions(engine: &Engine) -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    let mut add = |name: String, ask: Box<dyn Fn(&Engine) -> Answer>| all.push(Question { name, ask });
    let search = |query: &str, preset: &str, granularity: &str| SearchRequest {
        query: query.to_owned(),
        preset: Some(preset.to_owned()),
        granularity: Some(granularity.to_owned()),
        ..SearchRequest::default()
    };
    for (query, preset, granularity) in [
        ("where is the list of names written", "default", "file"),
        ("resolve the imports of a module", "default", "entity"),
        ("parse open close read", "bm25", "file"),
        ("what keeps the state of a connection", "dense", "chunk"),
        ("find get set", "sparse", "file"),
        ("get*", "cds-index", "entity"),
        ("zzz qqq nothing like this", "default", "file"),
    ] {
        let request = search(query, preset, granularity);
        add(format!("search {preset}: {query}"), Box::new(move |e| e.search(&request).map(plain)));
    }
    let request = SearchRequest { depth: 2, ..search("walk edges of a graph", "hybrid", "both") };
    add("search hybrid".to_owned(), Box::new(move |e| e.search(&request).map(plain)));
    let found =
        engine.search(&search("resolve names of functions", "default", "entity")).expect("a whole index answers");
    let names: Vec<String> = found.hits.iter().filter_map(|hit| hit.name.clone()).collect();
    let ids: Vec<String> = found.hits.iter().take(4).map(|hit| hit.id.clone()).collect();
    let path = found.hits.first().map(|hit| hit.path.clone()).expect("a hit");
    let place = found.hits.first().map(|hit| format!("{}:{}", hit.path, hit.start_line)).expect("a hit");
    let name = names.first().cloned().expect("a name");
    for (name, ignore_case, fuzzy) in
        [(name.clone(), false, false), ("re*".to_owned(), true, false), (format!("{name}x"), false, true)]
    {
        let request = SymbolRequest { name: name.clone(), ignore_case, fuzzy, ..SymbolRequest::default() };
        add(format!("symbol {name}"), Box::new(move |e| e.symbol(&request).map(plain)));
    }
    let walk = |from: &str, direction: &str| TraverseRequest {
        from: vec![from.to_owned()],
        direction: Some(direction.to_owned()),
        depth: Some(3),
        ..TraverseRequest::default()
    };
    let id = ids.first().cloned().expect("a hit");
    let (callers, callees) = (walk(&id, "backward"), walk(&id, "forward"));
    add("callers".to_owned(), Box::new(move |e| e.callers(&callers).map(plain)));
    add("callees".to_owned(), Box::new(move |e| e.callees(&callees).map(plain)));
    let both = walk(&path, "both");
    add("traverse".to_owned(), Box::new(move |e| e.traverse(&both).map(plain)));
    for path in [path, String::new()] {
        let request = OutlineRequest { path: path.clone(), depth: None };
        add(format!("outline {path}"), Box::new(move |e| e.outline(&request).map(plain)));
    }
    let request = RetrieveRequest { ids, ..RetrieveRequest::default() };
    add("retrieve".to_owned(), Box::new(move |e| e.retrieve(&request).map(plain)));
    let request = GrepRequest { pattern: format!("\\b{name}\\b"), limit: Some(20), ..GrepRequest::default() };
    add("grep".to_owned(), Box::new(move |e| e.grep(&request).map(plain)));
    let request =
        ResearchRequest { query: format!("what would break if {name} changed"), ..ResearchRequest::default() };
    add("research".to_owned(), Box::new(move |e| e.research(&request).map(plain)));
    let request = search("", "default", "file");
    add("similar".to_owned(), Box::new(move |e| e.similar(&place, &request).map(plain)));
    add("status".to_owned(), Box::new(|e| e.status(true).map(plain)));
    all
}

/// What happens to a file, and how it is undone.
#[derive(Clone, Debug)]
enum Damage {
    Flipped {
        at: usize,
        bits: u8,
    },
    Zeroed {
        at: usize,
    },
    Cut {
        at: usize,
    },
    /// The bytes of another file of the index.
    Swapped {
        with: PathBuf,
    },
}

impl Damage {
    fn draw(draw: &mut Draw, indexed: &Indexed) -> (PathBuf, Damage) {
        let files = &indexed.files;
        let total: usize = files.iter().map(|(_, size)| size).sum();
        let (path, size) = if draw.below(2) == 0 {
            files[draw.below(files.len())].clone()
        } else {
            let mut at = draw.below(total);
            files
                .iter()
                .find(|(_, size)| {
                    let here = at < *size;
                    at = at.saturating_sub(*size);
                    here
                })
                .expect("within the sum")
                .clone()
        };
        let at = draw.below(size);
        let damage = match draw.below(15) {
            0 => Damage::Zeroed { at: at / PAGE * PAGE },
            1 => Damage::Cut { at },
            2 => {
                // The same table of another folder, if there is one.
                let same: Vec<&(PathBuf, usize)> =
                    files.iter().filter(|(p, _)| *p != path && p.extension() == path.extension()).collect();
                match same.get(draw.below(same.len())) {
                    Some((with, _)) => Damage::Swapped { with: with.clone() },
                    None => Damage::Flipped { at, bits: 1 },
                }
            }
            _ => Damage::Flipped { at, bits: 1 << draw.below(8) | draw.below(256) as u8 },
        };
        (path, damage)
    }

    /// Does it to a file; what is returned undoes it. None: the bytes are the same.
    fn apply(&self, path: &Path) -> Option<Box<dyn Fn() + '_>> {
        let path = path.to_owned();
        let patch = move |at: usize, bytes: &[u8]| {
            let mut file = OpenOptions::new().write(true).open(&path).expect("a file of the index");
            file.seek(SeekFrom::Start(at as u64)).expect("a place");
            file.write_all(bytes).expect("written");
            path.clone()
        };
        let path = patch(0, &[]);
        let read = |at: usize, len: usize| {
            let mut file = fs::File::open(&path).expect("a file of the index");
            file.seek(SeekFrom::Start(at as u64)).expect("a place");
            let mut bytes = Vec::new();
            file.take(len as u64).read_to_end(&mut bytes).expect("bytes");
            bytes
        };
        match self {
            Damage::Flipped { at, bits } => {
                let before = read(*at, 1);
                patch(*at, &[before[0] ^ bits]);
                Some(Box::new(move || drop(patch(*at, &before))))
            }
            Damage::Zeroed { at } => {
                let before = read(*at, PAGE);
                if before.iter().all(|byte| *byte == 0) {
                    return None;
                }
                patch(*at, &vec![0; before.len()]);
                Some(Box::new(move || drop(patch(*at, &before))))
            }
            Damage::Cut { at } => {
                let before = read(*at, usize::MAX);
                OpenOptions::new().write(true).open(&path).and_then(|f| f.set_len(*at as u64)).expect("cut");
                Some(Box::new(move || drop(patch(*at, &before))))
            }
            Damage::Swapped { with } => {
                let (own, other) = (read(0, usize::MAX), fs::read(with).expect("a file of the index"));
                if own == other {
                    return None;
                }
                fs::write(&path, &other).expect("written");
                fs::write(with, &own).expect("written");
                Some(Box::new(move || {
                    fs::write(patch(0, &[]), &own).expect("written");
                    fs::write(with, &other).expect("written");
                }))
            }
        }
    }
}

#[derive(Default)]
struct Tally {
    trials: usize,
    same: usize,
    told: usize,
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

fn is_told(error: &Error) -> bool {
    error.kind == ErrorKind::NotReady && error.message.contains("run `cds index`")
}

#[test]
fn every_answer_of_a_damaged_index_is_right_or_an_error_with_a_remedy() {
    leave_guarded_panics();
    let tree = std::env::var_os("CDS_FLIPS_TREE").map(PathBuf::from);
    let tree = tree.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../cds-graph/src"));
    let indexed = Indexed::new(&tree);
    let questions = questions(&indexed.engine());
    let ask = |engine: &Engine| questions.iter().map(|q| (q.ask)(engine)).collect::<Vec<Answer>>();
    let whole = ask(&indexed.engine());
    for (question, (first, second)) in questions.iter().zip(whole.iter().zip(ask(&indexed.engine()))) {
        match (first, second) {
            (Ok(first), Ok(second)) => assert_eq!(*first, second, "{}: the same each time", question.name),
            (first, second) => assert_eq!(first.is_err(), second.is_err(), "{}", question.name),
        }
    }
    let trials = number("CDS_FLIPS").unwrap_or(TRIALS);
    let mut draw = Draw(number("CDS_FLIPS_SEED").unwrap_or(1) as u64);
    let watch = Watch::new("flips");
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut broken = Vec::new();
    for trial in 0..trials {
        let (path, damage) = Damage::draw(&mut draw, &indexed);
        let what = format!("{} {damage:?}", shown(path.strip_prefix(&indexed.home).expect("a file of the index")));
        let Some(undo) = damage.apply(&path) else { continue };
        watch.begin(|| what.clone());
        let answered = catch_unwind(AssertUnwindSafe(|| ask(&indexed.engine())));
        watch.end();
        undo();
        let tally = tallies.entry(shown(path.strip_prefix(&indexed.home).expect("a file of the index"))).or_default();
        tally.trials += 1;
        let Ok(answered) = answered else {
            broken.push(format!("{what}: a panic"));
            continue;
        };
        for (question, (answer, right)) in questions.iter().zip(answered.into_iter().zip(&whole)) {
            match (answer, right) {
                (Ok(answer), Ok(right)) if answer == *right => tally.same += 1,
                (Err(error), _) if is_told(&error) => tally.told += 1,
                (Err(error), Err(right)) if error.message == right.message => tally.same += 1,
                (Ok(answer), _) => broken.push(format!("{what}: {}: silently other: {answer:.400}", question.name)),
                (Err(error), _) => broken.push(format!("{what}: {}: {:?}: {error}", question.name, error.kind)),
            }
        }
        if (trial + 1) % 100 == 0 {
            eprintln!("{} trials, {} broken", trial + 1, broken.len());
        }
    }
    let after = ask(&indexed.engine());
    assert!(after.iter().zip(&whole).all(|(a, b)| a.as_ref().ok() == b.as_ref().ok()), "every byte was put back");
    eprintln!("file: trials, answers that were the same, answers that told the damage");
    for (file, Tally { trials, same, told }) in &tallies {
        eprintln!("{file}: {trials}, {same}, {told}");
    }
    let sum = |of: fn(&Tally) -> usize| tallies.values().map(of).sum::<usize>();
    let bytes: usize = indexed.files.iter().map(|(_, size)| size).sum();
    eprintln!(
        "{} trials over {} files of {bytes} bytes, {} questions each: {} answers the same, {} told the damage, {} broken",
        sum(|t| t.trials),
        indexed.files.len(),
        questions.len(),
        sum(|t| t.same),
        sum(|t| t.told),
        broken.len()
    );
    assert!(broken.is_empty(), "{} promises broken:\n{}", broken.len(), broken.join("\n"));
    // `status` reads everything, so that each trial is told once at least.
    assert!(sum(|t| t.told) >= sum(|t| t.trials));
}

#[test]
fn an_engine_answers_again_when_the_index_was_repaired_in_place() {
    leave_guarded_panics();
    let indexed = Indexed::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cds-graph/src/modules"));
    let questions = questions(&indexed.engine());
    let whole: Vec<Answer> = questions.iter().map(|q| (q.ask)(&indexed.engine())).collect();
    for table in ["entities.bin", "strings.bin", "docs.bin", "chunks.bin", "documents.bin", "checksums.bin"] {
        let (path, size) = indexed.files.iter().find(|(path, _)| path.ends_with(table)).expect("a table");
        let damage = Damage::Flipped { at: size / 2, bits: 0x10 };
        let undo = damage.apply(path).expect("a byte");
        let engine = indexed.engine();
        let told = questions.iter().filter(|q| (q.ask)(&engine).is_err_and(|error| is_told(&error))).count();
        assert!(told > 0, "{table}: the damage is told");
        undo();
        for (question, right) in questions.iter().zip(&whole) {
            let answer = (question.ask)(&engine);
            assert_eq!(answer.as_ref().ok(), right.as_ref().ok(), "{table}: {}", question.name);
        }
    }
}

/// A file's name without what is other in every index.
fn shown(file: &Path) -> String {
    let parts = file.iter().map(|part| part.to_string_lossy());
    let stable = parts.map(|part| match part.split_once('.') {
        Some((name, ending)) if name.len() == 32 => format!("*.{ending}"),
        _ => part.into_owned(),
    });
    stable.collect::<Vec<_>>().join("/")
}
