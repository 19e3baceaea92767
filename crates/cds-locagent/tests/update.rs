//! An update gives what a clean run gives: the same graph, the same index, the same answers.
#![allow(missing_docs)]

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use cds_locagent::graph::Graph;
use cds_locagent::search::{Request, entity_contents};
use cds_locagent::{Direction, Repository, Source, TreeRequest};

/// Draws numbers from a seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<'l, T: ?Sized>(&mut self, list: &[&'l T]) -> &'l T {
        list[self.below(list.len())]
    }
}

/// Everything that the tools print: the export, trees in both directions, the chunks, answers to searches.
fn printed(repository: &Repository) -> String {
    let graph: &Graph = &repository.graph;
    let mut out = String::new();
    for node in graph.by_id() {
        let node = &graph.nodes[*node as usize];
        out += &format!("{} {} {}-{}\n", node.id, node.kind.name(), node.start_line, node.end_line);
    }
    for edge in &graph.edges {
        let id = |node: u32| &graph.nodes[node as usize].id;
        let alias = graph.alias(edge).unwrap_or("");
        out += &format!("{} {} {} {alias}\n", id(edge.source), id(edge.target), edge.kind.name());
    }
    out += &format!("{:?}\n{:?}\n", graph.problems, repository.code.dropped);
    let starts: Vec<String> = graph.nodes.iter().map(|node| node.id.to_string()).collect();
    for direction in [Direction::Downstream, Direction::Upstream, Direction::Both] {
        let starts = starts.clone();
        out += &repository.trees(&TreeRequest { starts, direction, depth: None, node_types: None, edge_types: None });
    }
    out += &entity_contents(graph, &starts).unwrap_or_else(|error| error.to_string());
    for chunk in repository.chunks() {
        out += &format!("{chunk:?}\n");
    }
    for terms in [&["run"][..], &["word alpha"], &["Base.make", "beta"], &["nothing at all"], &["pkg/a.py"]] {
        let terms = terms.iter().map(|&term| term.to_owned()).collect();
        let request = Request { terms, file_pattern: None, ..Request::default() };
        match repository.search(&request) {
            Ok(outcome) => out += &outcome.text,
            Err(error) => out += &error.to_string(),
        }
    }
    out
}

const PATHS: [&str; 12] = [
    "a.py",
    "pkg/__init__.py",
    "pkg/a.py",
    "pkg/b.py",
    "pkg/sub/c.py",
    "pkg/sub/__init__.py",
    "pkg/tests/d.py",
    "pkg/tests_extra/e.py",
    "pkg/test_f.py",
    "weird.gitstuff/g.py",
    ".hidden/h.py",
    "zz/i.py",
];

fn source_text(draws: &mut Draws) -> Vec<u8> {
    let lines = [
        "import pkg.a as alpha\n",
        "from pkg.b import make as build, Base\n",
        "from .a import *\n",
        "from pkg import sub\n",
        "class Base:\n    def __init__(self):\n        run()\n\n    def make(self):\n        return alpha.run()\n",
        "class Child(Base):\n    def make(self):\n        return build(self)\n",
        "def run():\n    return make()\n",
        "def make(count):\n    return [\"word alpha\"] * count\n",
        "WORDS = ['beta', 'gamma', 'delta']\n",
        "# generated\n",
        "x = (1\n",
        "\tx = 1\n",
        "run()\r\n",
        "caf\u{e9} = 'é'\n",
    ];
    match draws.below(12) {
        0 => vec![0xff, b'x', b'\n'],
        1 => Vec::new(),
        _ => {
            let count = 1 + draws.below(8);
            // Lines that make a file unreadable are rare.
            (0..count)
                .map(|_| if draws.below(8) == 0 { lines[draws.below(14)] } else { lines[draws.below(9)] })
                .collect::<String>()
                .into_bytes()
        }
    }
}

/// Adds, changes, moves and deletes files, and a folder now and then.
fn edit(root: &Path, draws: &mut Draws) {
    let path = root.join(draws.of(&PATHS));
    let make = |path: &Path| fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    match draws.below(8) {
        0 => drop(fs::remove_file(&path)),
        1 => drop(fs::remove_dir_all(root.join(draws.of(&["pkg", "pkg/sub", "pkg/tests", "zz"])))),
        2 => {
            let other = root.join(draws.of(&PATHS));
            make(&other);
            let _ = fs::rename(&path, other);
        }
        #[cfg(unix)]
        3 => {
            make(&path);
            let _ = fs::remove_file(&path);
            std::os::unix::fs::symlink(root.join("pkg/a.py"), &path).expect("it can be linked");
        }
        _ => {
            make(&path);
            let _ = fs::remove_file(&path);
            fs::write(&path, source_text(draws)).expect("it can be written");
        }
    }
}

fn update(root: &Path, before: &Repository) -> Repository {
    let read = |path: &Path| fs::read(root.join(path));
    Repository::read(Source { root, read: &read, stop: &|| false }, Some(before.facts())).expect("it can be read")
}

#[test]
fn b4_an_update_equals_a_clean_run() {
    for seed in 0..8 {
        let mut draws = Draws(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let home = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for _ in PATHS {
            edit(root, &mut draws);
        }
        let mut kept = Repository::build(root).expect("it can be read");
        for step in 0..8 {
            for _ in 0..=draws.below(4) {
                edit(root, &mut draws);
            }
            kept = update(root, &kept);
            let clean = Repository::build(root).expect("it can be read");
            assert_eq!(printed(&kept), printed(&clean), "seed {seed}, step {step}");
            kept.save(home.path()).expect("it can be written");
            let first = fs::read(home.path().join("locagent.bin")).expect("it is there");
            clean.save(home.path()).expect("it can be written");
            let second = fs::read(home.path().join("locagent.bin")).expect("it is there");
            assert!(first == second, "what is kept differs: seed {seed}, step {step}");
            kept = Repository::load(home.path()).expect("it can be read");
        }
    }
}

#[test]
fn only_what_has_changed_is_parsed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).expect("it can be written");
    for name in ["a", "b", "c"] {
        write(&format!("{name}.py"), &format!("def {name}():\n    return {name}\n"));
    }
    let before = Repository::build(folder.path()).expect("it can be read");
    write("b.py", "def b():\n    return a()\n");
    write("d.py", "def d():\n    return b()\n");
    fs::remove_file(folder.path().join("c.py")).expect("it was there");
    let after = update(folder.path(), &before);
    assert_eq!(after.parsed(), 2);
    assert_eq!(update(folder.path(), &after).parsed(), 0);
    assert_eq!(before.parsed(), 3);
}

#[test]
fn files_are_read_by_the_caller_and_only_below_the_root() {
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("secret.py"), "def secret():\n    pass\n").expect("it can be written");
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir(root.join("pkg")).expect("it can be made");
    fs::write(root.join("pkg/own.py"), "def own():\n    pass\n").expect("it can be written");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("pkg/own.py", root.join("linked.py")).expect("it can be linked");
        std::os::unix::fs::symlink(outside.path().join("secret.py"), root.join("stolen.py")).expect("it can be linked");
    }
    let asked = Mutex::new(Vec::new());
    let read = |path: &Path| {
        asked.lock().expect("nobody panicked").push(path.to_owned());
        fs::read(root.join(path))
    };
    let repository = Repository::read(Source { root, read: &read, stop: &|| false }, None).expect("it can be read");
    let mut asked = asked.lock().expect("nobody panicked").clone();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked, [Path::new("pkg/own.py")]);
    let files: Vec<&str> = repository.code.chunks.iter().map(|chunk| chunk.file.as_str()).collect();
    #[cfg(unix)]
    {
        assert_eq!(files, ["linked.py", "pkg/own.py"]);
        assert_eq!(repository.code.dropped.len(), 1);
    }
    assert!(!printed(&repository).contains("secret"));

    let stopped = Repository::read(Source { root, read: &read, stop: &|| true }, None);
    assert_eq!(stopped.map(|_| ()).map_err(|error| error.kind()), Err(io::ErrorKind::Interrupted));
}
