//! Acceptance scenarios of ranking. A test is named by the id of its scenario; each holds in
//! every language that has a row.

use cds_encode::Models;
use cds_model::{Filters, Granularity, Hit, Query};
use cds_search::{Frequencies, SearchOptions};

use crate::fixture::{Tree, query, set, words};

/// A hit and what multiplied it: `a.rs:Cart exact_symbol=2.5 public=1.1`, only those asked for.
fn shown(tree: &Tree, hit: &Hit, signals: &[&str]) -> String {
    let found = hit.signals.iter().filter(|s| signals.contains(&s.name));
    found.fold(tree.shown(hit), |line, s| format!("{line} {}={}", s.name, s.value))
}

/// The first hits of a question, with some of their signals.
pub(crate) fn check(tree: &Tree, text: &str, signals: &[&str], expect: &[&str]) {
    check_with(tree, &query(text), &SearchOptions::default(), signals, expect);
}

fn check_with(tree: &Tree, query: &Query, options: &SearchOptions, signals: &[&str], expect: &[&str]) {
    let hits = tree.search_with(query, options).hits;
    let found: Vec<String> = hits.iter().map(|hit| shown(tree, hit, signals)).collect();
    assert_eq!(found.get(..expect.len()).unwrap_or(&found), expect, "{:?}: {found:?}", query.text);
}

/// Every hit that a signal moved, in order.
fn moved(tree: &Tree, text: &str, signal: &str) -> Vec<String> {
    let hits = tree.search(&query(text)).hits;
    let is_moved = |hit: &&Hit| hit.signals.iter().any(|s| s.name == signal);
    hits.iter().filter(is_moved).map(|hit| shown(tree, hit, &[signal])).collect()
}

fn rank(tree: &Tree, text: &str, id: &str) -> usize {
    let found = tree.found(&query(text));
    found.iter().position(|f| f == id).unwrap_or_else(|| panic!("{text:?}: no {id} in {found:?}")) + 1
}

pub(crate) fn without_models(fixture: &str) -> Tree {
    let files = fixture.split("//- ").skip(1).map(|file| file.split_once('\n').expect("a path on a line of its own"));
    Tree::with(files, Models::with(None, None, None))
}

/// `login` needs `validate`, which needs `digest`: file, code, and the three names.
const CHAINS: &[(&str, &str)] = &[
    (
        "a.py",
        "def login(user):\n    return validate(user)\n\ndef validate(user):\n    return digest(user)\n\ndef digest(user):\n    return 1\n",
    ),
    (
        "a.rs",
        "fn login(user: u32) -> u32 {\n    validate(user)\n}\n\nfn validate(user: u32) -> u32 {\n    digest(user)\n}\n\nfn digest(user: u32) -> u32 {\n    user\n}\n",
    ),
    (
        "a.ts",
        "function login(user: string) {\n  return validate(user);\n}\n\nfunction validate(user: string) {\n  return digest(user);\n}\n\nfunction digest(user: string) {\n  return user;\n}\n",
    ),
    (
        "a.go",
        "package a\n\nfunc login(user int) int {\n\treturn validate(user)\n}\n\nfunc validate(user int) int {\n\treturn digest(user)\n}\n\nfunc digest(user int) int {\n\treturn user\n}\n",
    ),
    (
        "a.swift",
        "func login(user: Int) -> Int {\n    return validate(user: user)\n}\n\nfunc validate(user: Int) -> Int {\n    return digest(user: user)\n}\n\nfunc digest(user: Int) -> Int {\n    return user\n}\n",
    ),
    (
        "a.kt",
        "fun login(user: Int): Int {\n    return validate(user)\n}\n\nfun validate(user: Int): Int {\n    return digest(user)\n}\n\nfun digest(user: Int): Int {\n    return user\n}\n",
    ),
    (
        "a.c",
        "int digest(int user) {\n    return user;\n}\n\nint validate(int user) {\n    return digest(user);\n}\n\nint login(int user) {\n    return validate(user);\n}\n",
    ),
];

#[test]
fn s7_what_a_hit_needs_comes_with_its_depth() {
    for (file, code) in CHAINS {
        let tree = Tree::of([(*file, *code)].into_iter());
        let check = |depth: u32, expect: &[(&str, u32)]| {
            let options = SearchOptions { depth, ..SearchOptions::default() };
            let hits = tree.search_with(&words("login"), &options).hits;
            let found: Vec<(String, u32)> = hits.iter().map(|h| (tree.shown(h), h.hop_depth)).collect();
            let expect: Vec<(String, u32)> = expect.iter().map(|(name, d)| (format!("{file}:{name}"), *d)).collect();
            assert_eq!(found, expect, "{file}, depth {depth}");
            assert!(hits.iter().all(|h| h.hop_depth == 0 || h.match_type.name() == "multi-hop"), "{hits:?}");
        };
        check(0, &[("login", 0)]);
        check(1, &[("login", 0), ("validate", 1)]);
        check(2, &[("login", 0), ("validate", 1), ("digest", 2)]);
        check(5, &[("login", 0), ("validate", 1), ("digest", 2)]);
    }
}

#[test]
fn s7_every_way_to_a_chunk_adds_to_its_score_and_it_comes_once() {
    let cases = [
        // Two that match need it.
        "//- a.py\ndef login_one():\n    shared()\n    lonely()\n\ndef login_two():\n    shared()\n\ndef lonely():\n    pass\n\ndef shared():\n    pass\n",
        // One that matches needs it by two ways.
        "//- a.py\ndef login():\n    left()\n    right()\n\ndef left():\n    lonely()\n    shared()\n\ndef right():\n    shared()\n\ndef lonely():\n    pass\n\ndef shared():\n    pass\n",
    ];
    for fixture in cases {
        let tree = Tree::new(fixture);
        let options = SearchOptions { depth: 2, ..SearchOptions::default() };
        let hits = tree.search_with(&words("login"), &options).hits;
        let found: Vec<String> = hits.iter().map(|h| tree.shown(h)).collect();
        let score = |name: &str| hits[found.iter().position(|f| f.ends_with(name)).expect("a hit")].score;
        assert!(score("shared") > score("lonely") * 1.2, "{fixture}{:?}", hits.iter().map(|h| h.score).zip(&found));
        let chunks: std::collections::BTreeSet<_> = hits.iter().map(|h| h.chunk).collect();
        assert_eq!(chunks.len(), hits.len(), "each once: {found:?}");
    }
}

#[test]
fn s7_a_chunk_that_words_found_as_well_gains_and_stays_direct() {
    let tree = Tree::new(
        "//- a.py\ndef login():\n    helper_login()\n\ndef helper_login():\n    pass\n\ndef other_login():\n    pass\n",
    );
    let options = SearchOptions { depth: 1, ..SearchOptions::default() };
    let hits = tree.search_with(&words("login"), &options).hits;
    let helper = hits.iter().find(|h| tree.shown(h) == "a.py:helper_login").expect("a hit");
    assert_eq!(helper.hop_depth, 0);
    assert!(helper.signals.iter().any(|s| s.name == "hops" && s.value > 0.0), "{helper:?}");
}

/// What each language calls a promise, a file that makes one, one that keeps it, and one that only uses it.
struct Promise {
    word: &'static str,
    extension: &'static str,
    store: &'static str,
    /// Each keeps it, and is called by its name.
    kept: &'static [(&'static str, &'static str)],
    usage: &'static str,
}

const PROMISES: &[Promise] = &[
    Promise {
        word: "protocol",
        extension: "swift",
        store: "protocol ChunkStore {\n    func insert(chunk: Int)\n}\n",
        kept: &[
            ("MemoryStore", "class MemoryStore: ChunkStore {\n    func insert(chunk: Int) {}\n}\n"),
            ("DiskStore", "struct DiskStore: ChunkStore {\n    func insert(chunk: Int) {}\n}\n"),
            ("Ledger", "struct Ledger {}\n\nextension Ledger: ChunkStore {\n    func insert(chunk: Int) {}\n}\n"),
            ("NullStore", "final class NullStore: ChunkStore {\n    func insert(chunk: Int) {}\n}\n"),
        ],
        usage: "func fill(store: ChunkStore) {\n    let s: ChunkStore = store\n    s.insert(chunk: 1)\n}\n",
    },
    Promise {
        word: "trait",
        extension: "rs",
        store: "pub trait ChunkStore {\n    fn insert(&self, chunk: u32);\n}\n",
        kept: &[
            (
                "MemoryStore",
                "pub struct MemoryStore;\n\nimpl ChunkStore for MemoryStore {\n    fn insert(&self, chunk: u32) {}\n}\n",
            ),
            (
                "DiskStore",
                "pub struct DiskStore;\n\nimpl ChunkStore for DiskStore {\n    fn insert(&self, chunk: u32) {}\n}\n",
            ),
            (
                "NullStore",
                "pub struct NullStore;\n\nimpl ChunkStore for NullStore {\n    fn insert(&self, chunk: u32) {}\n}\n",
            ),
        ],
        usage: "pub fn fill(store: &dyn ChunkStore) {\n    let s: &dyn ChunkStore = store;\n    s.insert(1);\n}\n",
    },
    Promise {
        word: "interface",
        extension: "ts",
        store: "export interface ChunkStore {\n  insert(chunk: number): void;\n}\n",
        kept: &[
            ("MemoryStore", "export class MemoryStore implements ChunkStore {\n  insert(chunk: number) {}\n}\n"),
            ("DiskStore", "export class DiskStore implements ChunkStore {\n  insert(chunk: number) {}\n}\n"),
            ("NullStore", "export class NullStore implements ChunkStore {\n  insert(chunk: number) {}\n}\n"),
        ],
        usage: "export function fill(store: ChunkStore) {\n  const s: ChunkStore = store;\n  s.insert(1);\n}\n",
    },
    Promise {
        word: "interface",
        extension: "java",
        store: "public interface ChunkStore {\n    void insert(int chunk);\n}\n",
        kept: &[
            (
                "MemoryStore",
                "public class MemoryStore implements ChunkStore {\n    public void insert(int chunk) {}\n}\n",
            ),
            ("DiskStore", "public class DiskStore implements ChunkStore {\n    public void insert(int chunk) {}\n}\n"),
            ("NullStore", "public class NullStore implements ChunkStore {\n    public void insert(int chunk) {}\n}\n"),
        ],
        usage: "public class Filler {\n    void fill(ChunkStore store) {\n        ChunkStore s = store;\n        s.insert(1);\n    }\n}\n",
    },
    Promise {
        word: "interface",
        extension: "cs",
        store: "public interface ChunkStore\n{\n    void Insert(int chunk);\n}\n",
        kept: &[
            ("MemoryStore", "public class MemoryStore : ChunkStore\n{\n    public void Insert(int chunk) { }\n}\n"),
            ("DiskStore", "public class DiskStore : ChunkStore\n{\n    public void Insert(int chunk) { }\n}\n"),
            ("NullStore", "public class NullStore : ChunkStore\n{\n    public void Insert(int chunk) { }\n}\n"),
        ],
        usage: "public class Filler\n{\n    void Fill(ChunkStore store)\n    {\n        ChunkStore s = store;\n        s.Insert(1);\n    }\n}\n",
    },
    Promise {
        word: "interface",
        extension: "kt",
        store: "interface ChunkStore {\n    fun insert(chunk: Int)\n}\n",
        kept: &[
            ("MemoryStore", "class MemoryStore : ChunkStore {\n    override fun insert(chunk: Int) {}\n}\n"),
            ("DiskStore", "class DiskStore : ChunkStore {\n    override fun insert(chunk: Int) {}\n}\n"),
            ("NullStore", "object NullStore : ChunkStore {\n    override fun insert(chunk: Int) {}\n}\n"),
        ],
        usage: "fun fill(store: ChunkStore) {\n    val s: ChunkStore = store\n    s.insert(1)\n}\n",
    },
    Promise {
        word: "interface",
        extension: "php",
        store: "<?php\ninterface ChunkStore {\n    public function insert(int $chunk);\n}\n",
        kept: &[
            (
                "MemoryStore",
                "<?php\nclass MemoryStore implements ChunkStore {\n    public function insert(int $chunk) {}\n}\n",
            ),
            (
                "DiskStore",
                "<?php\nclass DiskStore implements ChunkStore {\n    public function insert(int $chunk) {}\n}\n",
            ),
            (
                "NullStore",
                "<?php\nclass NullStore implements ChunkStore {\n    public function insert(int $chunk) {}\n}\n",
            ),
        ],
        usage: "<?php\nfunction fill(ChunkStore $store) {\n    $store->insert(1);\n}\n",
    },
    Promise {
        word: "trait",
        extension: "scala",
        store: "trait ChunkStore {\n  def insert(chunk: Int): Unit\n}\n",
        kept: &[
            ("MemoryStore", "class MemoryStore extends ChunkStore {\n  def insert(chunk: Int): Unit = ()\n}\n"),
            ("DiskStore", "class DiskStore extends ChunkStore {\n  def insert(chunk: Int): Unit = ()\n}\n"),
            ("NullStore", "object NullStore extends ChunkStore {\n  def insert(chunk: Int): Unit = ()\n}\n"),
        ],
        usage: "object Filler {\n  def fill(store: ChunkStore): Unit = {\n    val s: ChunkStore = store\n    s.insert(1)\n  }\n}\n",
    },
];

impl Promise {
    fn tree(&self) -> Tree {
        let path = |name: &str| format!("{name}.{}", self.extension);
        let mut files: Vec<(String, &str)> = vec![(path("ChunkStore"), self.store)];
        files.extend(self.kept.iter().map(|(name, text)| (path(name), *text)));
        files.extend(["UseOne", "UseTwo", "UseThree"].map(|name| (path(name), self.usage)));
        Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)))
    }

    fn id(&self, name: &str) -> String {
        format!("{name}.{}:{name}", self.extension)
    }
}

#[test]
fn s15_a_question_for_a_protocol_raises_the_one_it_names() {
    for promise in PROMISES {
        let tree = promise.tree();
        let expect = format!("{} protocol_kind=1.3", promise.id("ChunkStore"));
        for text in [format!("ChunkStore {}", promise.word), "the ChunkStore interface".to_owned()] {
            assert_eq!(moved(&tree, &text, "protocol_kind"), std::slice::from_ref(&expect), "{text}");
            check(&tree, &text, &["protocol_kind"], &[&expect]);
        }
        for text in ["ChunkStore", "where is ChunkStore", "OtherStore protocol", "protocol"] {
            assert_eq!(moved(&tree, text, "protocol_kind"), [""; 0], "{}: {text}", promise.extension);
        }
    }
}

#[test]
fn s16_what_implements_a_type_is_answered_by_declarations_then_the_type_then_uses() {
    for promise in PROMISES {
        let tree = promise.tree();
        for text in ["what implements ChunkStore", "implementations of ChunkStore", "types conforming to ChunkStore"] {
            let hits = tree.search(&query(text)).hits;
            let found: Vec<String> =
                hits.iter().map(|hit| shown(&tree, hit, &["conformance_implementation"])).collect();
            let top = &found[..5.min(found.len())];
            for (name, _) in promise.kept {
                let own = promise.id(name);
                let is_kept = |f: &String| {
                    // What conforms may be an extension in the same file.
                    let id = f.strip_suffix(" conformance_implementation=3");
                    id.is_some_and(|id| id.trim_end_matches("#2") == own)
                };
                assert!(top.iter().any(is_kept), "{text}: no {own} in {found:?}");
            }
            let conforming = found.iter().filter(|f| f.ends_with("conformance_implementation=3")).count();
            assert_eq!(conforming, promise.kept.len(), "nothing else conforms: {found:?}");
            let last = found.iter().rposition(|f| f.ends_with("conformance_implementation=3")).expect("some");
            let uses = found.iter().position(|f| f.starts_with("Use"));
            assert!(uses.is_none_or(|at| at > last), "{text}: uses come last: {found:?}");
        }
    }
}

#[test]
fn s16_the_type_itself_is_among_the_first_three() {
    for promise in PROMISES {
        let tree = promise.tree();
        let at = rank(&tree, "what implements ChunkStore", &promise.id("ChunkStore"));
        assert!(at <= 3, "{}: {at} of {:?}", promise.extension, tree.found(&query("what implements ChunkStore")));
    }
}

/// A rare type, one whose name begins alike, and one that only speaks of it.
const RARE: &[(&str, &str)] = &[
    (
        "swift",
        "enum USearchError { case full }\n//- USearchErrorHandler.swift\nclass USearchErrorHandler {\n    func handle() { print(\"USearchError USearchError\") }\n}\n//- Index.swift\nfunc add() {\n    // throws USearchError, USearchError or USearchError\n    fatalError(\"USearchError\")\n}\n",
    ),
    (
        "rs",
        "enum USearchError { Full }\n//- USearchErrorHandler.rs\nstruct USearchErrorHandler;\nimpl USearchErrorHandler {\n    fn handle(&self) { println!(\"USearchError USearchError\") }\n}\n//- Index.rs\nfn add() {\n    // USearchError, USearchError or USearchError\n    panic!(\"USearchError\")\n}\n",
    ),
    (
        "ts",
        "class USearchError { full = 1 }\n//- USearchErrorHandler.ts\nclass USearchErrorHandler {\n  handle() { console.log(\"USearchError USearchError\"); }\n}\n//- Index.ts\nfunction add() {\n  // USearchError, USearchError or USearchError\n  throw \"USearchError\";\n}\n",
    ),
    (
        "java",
        "class USearchError extends Exception { int full; }\n//- USearchErrorHandler.java\nclass USearchErrorHandler {\n    void handle() { log(\"USearchError USearchError\"); }\n}\n//- Index.java\nclass Index {\n    // USearchError, USearchError or USearchError\n    void add() { fail(\"USearchError\"); }\n}\n",
    ),
    (
        "py",
        "class USearchError(Exception):\n    full = 1\n//- USearchErrorHandler.py\nclass USearchErrorHandler:\n    def handle(self):\n        print(\"USearchError USearchError\")\n//- Index.py\ndef add():\n    # USearchError, USearchError or USearchError\n    fail(\"USearchError\")\n",
    ),
    (
        "go",
        "package a\n\ntype USearchError struct{ full int }\n//- USearchErrorHandler.go\npackage a\n\ntype USearchErrorHandler struct{}\n\nfunc (h USearchErrorHandler) handle() { log(\"USearchError USearchError\") }\n//- Index.go\npackage a\n\n// USearchError, USearchError or USearchError\nfunc add() { panic(\"USearchError\") }\n",
    ),
    (
        "cs",
        "class USearchError { int full; }\n//- USearchErrorHandler.cs\nclass USearchErrorHandler\n{\n    void Handle() { Log(\"USearchError USearchError\"); }\n}\n//- Index.cs\nclass Index\n{\n    // USearchError, USearchError or USearchError\n    void Add() { Fail(\"USearchError\"); }\n}\n",
    ),
    (
        "kt",
        "class USearchError { val full = 1 }\n//- USearchErrorHandler.kt\nclass USearchErrorHandler {\n    fun handle() { println(\"USearchError USearchError\") }\n}\n//- Index.kt\nfun add() {\n    // USearchError, USearchError or USearchError\n    error(\"USearchError\")\n}\n",
    ),
];

#[test]
fn s17_a_rare_name_stands_above_what_has_it_in_part_or_in_passing() {
    for (extension, code) in RARE {
        let tree = Tree::new(&format!("//- Zerr.{extension}\n{code}"));
        let expect = format!("Zerr.{extension}:USearchError exact_symbol=2.5");
        for text in ["USearchError", "where is USearchError raised", "USearchError full"] {
            check(&tree, text, &["exact_symbol"], &[&expect]);
            assert_eq!(moved(&tree, text, "exact_symbol"), std::slice::from_ref(&expect), "{text}");
        }
        // Case counts.
        assert_eq!(moved(&tree, "usearcherror", "exact_symbol"), [""; 0], "{extension}");
    }
}

/// A function that many others call `search`.
const COMMON: &[(&str, &str)] = &[
    ("py", "def do_N():\n    return search(N)\n\n"),
    ("rs", "fn do_N() -> u32 { search(N) }\n\n"),
    ("ts", "function doN() { return search(N); }\n\n"),
    ("swift", "func doN() -> Int { return search(N) }\n\n"),
    ("kt", "fun doN(): Int { return search(N) }\n\n"),
];

#[test]
fn s17_a_common_word_is_not_raised_and_nine_chunks_are_still_few() {
    for (extension, code) in COMMON {
        let check = |others: usize, is_rare: bool| {
            let definition =
                code.split('\n').next().expect("a line").replace("do_N", "search").replace("doN", "search");
            let definition = if *extension == "py" { "def search():\n    return 1\n".to_owned() } else { definition };
            // The body of the definition must not call itself by the same line.
            let definition = definition.replace("search(N)", "1");
            let files: Vec<(String, String)> = std::iter::once((format!("one.{extension}"), definition))
                .chain((0..others).map(|i| (format!("m{i}.{extension}"), code.replace('N', &i.to_string()))))
                .collect();
            let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
            let expect = format!("one.{extension}:search exact_symbol=2.5");
            let expect: &[String] = if is_rare { &[expect] } else { &[] };
            assert_eq!(moved(&tree, "search", "exact_symbol"), expect, "{others} others in {extension}");
        };
        check(8, true);
        check(9, false);
        check(20, false);
    }
}

/// A store that promises to be one, named in full.
const CONFORMING: &[(&str, &str, &str)] = &[
    (
        "swift",
        "public protocol ChunkStore {\n    func insert()\n}\n",
        "public class GrdbStore: ChunkStore {\n    func insert() {}\n}\n",
    ),
    (
        "ts",
        "export interface ChunkStore {\n  insert(): void;\n}\n",
        "export class GrdbStore implements ChunkStore {\n  insert() {}\n}\n",
    ),
    (
        "java",
        "public interface ChunkStore {\n    void insert();\n}\n",
        "public class GrdbStore implements ChunkStore {\n    public void insert() {}\n}\n",
    ),
    (
        "py",
        "class ChunkStore:\n    def insert(self): ...\n",
        "class GrdbStore(ChunkStore):\n    def insert(self): ...\n",
    ),
    (
        "kt",
        "interface ChunkStore {\n    fun insert()\n}\n",
        "class GrdbStore : ChunkStore {\n    override fun insert() {}\n}\n",
    ),
    (
        "cs",
        "public interface ChunkStore\n{\n    void Insert();\n}\n",
        "public class GrdbStore : ChunkStore\n{\n    public void Insert() { }\n}\n",
    ),
];

/// Sum of evidence and product of multipliers before the cap.
fn parts(hit: &Hit) -> (f32, f32) {
    let evidence = hit.signals.iter().filter(|s| !s.multiplies).map(|s| s.value).sum();
    let product = hit.signals.iter().filter(|s| s.multiplies && s.name != "cap").map(|s| s.value).product();
    (evidence, product)
}

#[test]
fn s18_a_rare_name_and_a_conformance_multiply_up_to_the_cap() {
    for (extension, protocol, class) in CONFORMING {
        let files = [(format!("ChunkStore.{extension}"), *protocol), (format!("GrdbStore.{extension}"), *class)];
        let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
        let text = "GrdbStore as a ChunkStore";
        let expect = format!("GrdbStore.{extension}:GrdbStore exact_symbol=2.5 conformance=1.5");
        check(&tree, text, &["exact_symbol", "conformance"], &[&expect]);
        for cap in [2.0, 3.0, 5.0, 100.0] {
            let hits = tree.search_with(&query(text), &set(&[("cap", cap)])).hits;
            let (evidence, product) = parts(&hits[0]);
            assert!(product >= 2.5 * 1.5, "{extension}: {:?}", hits[0]);
            let best = evidence * product.min(cap);
            for hit in &hits[1..] {
                let (evidence, product) = parts(hit);
                let share = evidence * product.min(cap) / best;
                assert!((hit.score / hits[0].score - share).abs() < 1e-3, "{extension}, cap {cap}: {hit:?}");
            }
        }
        assert_eq!(moved(&tree, "ChunkStore", "conformance"), [""; 0], "a bare name means itself");
    }
}

/// A type with two methods and two uses that say its name more often than it does itself.
const TYPES: &[(&str, &str, &str)] = &[
    (
        "swift",
        "class GRDBChunkStore {\n    func insert() {}\n    func remove() {}\n}\n",
        "func use() {\n    let a = GRDBChunkStore(); let b = GRDBChunkStore(); a.run(b)\n}\n",
    ),
    (
        "rs",
        "struct GRDBChunkStore;\n\nimpl GRDBChunkStore {\n    fn insert(&self) {}\n    fn remove(&self) {}\n}\n",
        "fn used() {\n    let a = GRDBChunkStore; let b = GRDBChunkStore; a.run(b)\n}\n",
    ),
    (
        "ts",
        "class GRDBChunkStore {\n  insert() {}\n  remove() {}\n}\n",
        "function use() {\n  const a = new GRDBChunkStore(); const b = new GRDBChunkStore(); a.run(b);\n}\n",
    ),
    (
        "java",
        "class GRDBChunkStore {\n    void insert() {}\n    void remove() {}\n}\n",
        "class Use {\n    void use() { GRDBChunkStore a = new GRDBChunkStore(); a.run(new GRDBChunkStore()); }\n}\n",
    ),
    (
        "py",
        "class GRDBChunkStore:\n    def insert(self):\n        pass\n\n    def remove(self):\n        pass\n",
        "def use():\n    a = GRDBChunkStore()\n    return a.run(GRDBChunkStore(), GRDBChunkStore())\n",
    ),
    (
        "go",
        "package a\n\ntype GRDBChunkStore struct{}\n\nfunc (s GRDBChunkStore) insert() {}\n\nfunc (s GRDBChunkStore) remove() {}\n",
        "package a\n\nfunc use() {\n\ta := GRDBChunkStore{}\n\ta.run(GRDBChunkStore{}, GRDBChunkStore{})\n}\n",
    ),
    (
        "cs",
        "class GRDBChunkStore\n{\n    void insert() { }\n    void remove() { }\n}\n",
        "class Use\n{\n    void use() { var a = new GRDBChunkStore(); a.run(new GRDBChunkStore()); }\n}\n",
    ),
    (
        "kt",
        "class GRDBChunkStore {\n    fun insert() {}\n    fun remove() {}\n}\n",
        "fun use() {\n    val a = GRDBChunkStore(); val b = GRDBChunkStore(); a.run(b)\n}\n",
    ),
];

#[test]
fn s19_the_declaration_of_a_type_comes_first_and_its_methods_after() {
    for (extension, declared, used) in TYPES {
        let files = [(format!("Use.{extension}"), *used), (format!("Zstore.{extension}"), *declared)];
        let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
        let id = |name: &str| format!("Zstore.{extension}:GRDBChunkStore{name}");
        check(&tree, "GRDBChunkStore", &["type_declaration"], &[&format!("{} type_declaration=1.5", id(""))]);
        let found = tree.found(&query("GRDBChunkStore"));
        for method in [id(".insert"), id(".remove")] {
            let at = found.iter().position(|f| *f == method);
            assert!(at.is_some_and(|at| at > 0), "{extension}: {method} in {found:?}");
        }
        // By file the declaration speaks for its own.
        let by_file = Query { granularity: Granularity::File, chunks_per_file: 1, ..query("GRDBChunkStore") };
        check_with(&tree, &by_file, &SearchOptions::default(), &[], &[&id("")]);
        assert!(!moved(&tree, "use of a GRDBChunkStore", "type_declaration").iter().any(|f| f.contains("Use.")));
    }
}

#[test]
fn s19_methods_of_the_type_stand_above_its_uses() {
    for (extension, declared, used) in TYPES {
        let files = [(format!("Use.{extension}"), *used), (format!("Zstore.{extension}"), *declared)];
        let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
        let found = tree.found(&query("GRDBChunkStore"));
        let place = |start: &str| found.iter().position(|f| f.starts_with(start));
        let methods = [".insert", ".remove"].map(|m| place(&format!("Zstore.{extension}:GRDBChunkStore{m}")));
        let uses = place("Use.").unwrap_or(found.len());
        assert!(methods.iter().all(|at| at.is_some_and(|at| at < uses)), "{extension}: {found:?}");
    }
}

/// What makes a type comparable, what else it promises, and the standard promise by name.
const STANDARD: &[(&str, &str, &str, &str)] = &[
    (
        "swift",
        "extension Cart: Comparable {\n    func orderOfCarts() -> Bool { return cartPrice > 1 }\n}\n",
        "extension Cart: Priced {\n    func orderOfCarts() -> Bool { return cartPrice > 1 }\n}\n",
        "Comparable",
    ),
    (
        "swift",
        "extension Cart: CustomStringConvertible {\n    func orderOfCarts() -> String { return cartPrice }\n}\n",
        "extension Cart: Priced {\n    func orderOfCarts() -> String { return cartPrice }\n}\n",
        "CustomStringConvertible",
    ),
    (
        "rs",
        "impl Display for Cart {\n    fn order_of_carts(&self) -> u32 { self.cart_price }\n}\n",
        "impl Priced for Cart {\n    fn order_of_carts(&self) -> u32 { self.cart_price }\n}\n",
        "Display",
    ),
    (
        "rs",
        "impl PartialOrd for Cart {\n    fn order_of_carts(&self) -> u32 { self.cart_price }\n}\n",
        "impl Priced for Cart {\n    fn order_of_carts(&self) -> u32 { self.cart_price }\n}\n",
        "PartialOrd",
    ),
    (
        "hs",
        "module Std where\n\ninstance Show Cart where\n  show cart = orderOfCarts cart\n",
        "module Own where\n\ninstance Priced Cart where\n  price cart = orderOfCarts cart\n",
        "Show",
    ),
];

#[test]
fn s22_standard_promises_count_half_for_concepts_and_only_there() {
    for (extension, standard, own, name) in STANDARD {
        let files = [(format!("std.{extension}"), *standard), (format!("own.{extension}"), *own)];
        let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
        // The extension and its members.
        let all = tree.found(&query("how are carts put in order"));
        let mut expect: Vec<&String> = all.iter().filter(|id| id.starts_with("std") && id.contains(':')).collect();
        expect.sort();
        assert!(!expect.is_empty(), "{extension} {name}: {all:?}");
        for text in ["how are carts put in order", "what is the order of a Cart", "where is the order of a Cart"] {
            let mut found = moved(&tree, text, "standard_protocol");
            found.sort();
            let expect: Vec<String> = expect.iter().map(|id| format!("{id} standard_protocol=0.5")).collect();
            assert_eq!(found, expect, "{extension} {name}: {text}");
        }
        for text in [format!("{name} implementation"), format!("what is {name} of Cart"), "order of a Cart".to_owned()]
        {
            assert_eq!(moved(&tree, &text, "standard_protocol"), [""; 0], "{extension} {name}: {text}");
        }
    }
}

#[test]
fn s22_a_type_that_is_declared_with_a_standard_promise_is_not_demoted() {
    let cases = [
        ("a.swift", "struct Cart: Comparable {\n    let price: Int\n}\n"),
        ("a.java", "class Cart implements Comparable {\n    int price;\n}\n"),
        ("a.kt", "class Cart : Comparable {\n    val price = 1\n}\n"),
        ("a.cs", "class Cart : IComparable\n{\n    int price;\n}\n"),
        ("a.hs", "module A where\n\ndata Cart = Cart Int deriving (Show, Eq)\n"),
        ("a.rs", "#[derive(Debug, Clone)]\npub struct Cart {\n    price: u32,\n}\n"),
    ];
    for (path, code) in cases {
        let tree = Tree::of([(path, code)].into_iter());
        let text = "how is a Cart priced";
        assert_eq!(moved(&tree, text, "standard_protocol"), [""; 0], "{path}");
        assert!(tree.found(&query(text)).contains(&format!("{path}:Cart")), "{path}: {:?}", tree.found(&query(text)));
    }
}

/// The same code in source and among tests, as each language lays them out.
const BOTH: &[(&str, &str, &str)] = &[
    ("Sources/Shop/Cart.swift", "Tests/ShopTests/Cart.swift", "func checkoutCart() -> Int { return 1 }\n"),
    ("src/cart.rs", "tests/cart.rs", "fn checkout_cart() -> u32 { 1 }\n"),
    ("src/cart.ts", "src/__tests__/cart.ts", "function checkoutCart() { return 1; }\n"),
    ("src/main/java/Cart.java", "src/test/java/Cart.java", "class Cart {\n    int checkoutCart() { return 1; }\n}\n"),
    ("shop/cart.py", "tests/test_cart.py", "def checkout_cart():\n    return 1\n"),
    ("shop/cart.go", "shop/cart_test.go", "package shop\n\nfunc checkoutCart() int { return 1 }\n"),
    ("src/main/kotlin/Cart.kt", "src/test/kotlin/Cart.kt", "fun checkoutCart(): Int { return 1 }\n"),
    ("Shop/Cart.cs", "Shop.Tests/Cart.cs", "class Cart\n{\n    int checkoutCart() { return 1; }\n}\n"),
    ("lib/cart.rb", "spec/cart_spec.rb", "def checkout_cart\n  1\nend\n"),
];

#[test]
fn s23_source_stands_above_tests_unless_the_factor_is_one() {
    for (source, test, code) in BOTH {
        let tree = Tree::of([(*test, *code), (*source, *code)].into_iter());
        let by_file = |text: &str| Query { granularity: Granularity::File, chunks_per_file: 1, ..query(text) };
        let of = |options: &SearchOptions, text: &str| -> Vec<String> {
            let hits = tree.search_with(&by_file(text), options).hits;
            let signals = ["source_path", "other_role"];
            hits.iter()
                .map(|h| {
                    let shown = shown(&tree, h, &signals);
                    shown.replacen(&tree.shown(h), &tree.path(h), 1)
                })
                .collect()
        };
        let ranked = of(&SearchOptions::default(), "checkout of a cart");
        assert_eq!(ranked, [format!("{source} source_path=1.1"), format!("{test} other_role=0.6")]);
        let mut off = of(&set(&[("source_path", 1.0)]), "checkout of a cart");
        off.sort();
        let mut both = [*source, *test];
        both.sort_unstable();
        assert_eq!(off, both, "1 switches all roles off");
        let asked = of(&SearchOptions::default(), "tests of checkout");
        assert!(asked.contains(&(*test).to_owned()), "asked for, tests are not demoted: {asked:?}");
    }
}

/// A type that everybody may use and one that nobody else may.
const VISIBLE: &[(&str, &str)] = &[
    ("a.rs", "pub struct OpenCart {\n    n: u32,\n}\n\nstruct HiddenCart {\n    n: u32,\n}\n"),
    ("a.ts", "export class OpenCart {\n  n = 1;\n}\n\nclass HiddenCart {\n  n = 1;\n}\n"),
    ("a.java", "public class OpenCart {\n    int n;\n}\n\nclass HiddenCart {\n    int n;\n}\n"),
    ("a.py", "class OpenCart:\n    n = 1\n\nclass _HiddenCart:\n    n = 1\n"),
    ("a.go", "package a\n\ntype OpenCart struct{ n int }\n\ntype hiddenCart struct{ n int }\n"),
    ("a.cs", "public class OpenCart\n{\n    int n;\n}\n\ninternal class HiddenCart\n{\n    int n;\n}\n"),
    ("a.kt", "class OpenCart {\n    val n = 1\n}\n\nprivate class HiddenCart {\n    val n = 1\n}\n"),
];

#[test]
fn s24_what_is_public_gains_and_that_stacks() {
    for (path, code) in VISIBLE {
        let tree = Tree::of([(*path, *code)].into_iter());
        let swiftindex = |text: &str| Query { preset: "swiftindex".to_owned(), ..query(text) };
        let signals = ["exact_symbol", "type_declaration", "source_path", "public"];
        let expect = format!("{path}:OpenCart exact_symbol=2.5 type_declaration=1.5 source_path=1.1 public=1.1");
        check_with(&tree, &swiftindex("OpenCart"), &SearchOptions::default(), &signals, &[&expect]);
        let (_, product) = parts(&tree.search(&swiftindex("OpenCart")).hits[0]);
        assert!((product - 2.5 * 1.5 * 1.1 * 1.1).abs() < 1e-4, "{path}: {product}");
        let off = tree.search_with(&swiftindex("OpenCart"), &set(&[("public", 1.0)])).hits;
        assert!(off.iter().all(|h| h.signals.iter().all(|s| s.name != "public")), "{path}");
        let gains = moved(&tree, "cart", "public");
        assert!(gains.len() == 1 && gains[0].starts_with(&format!("{path}:OpenCart public=0.")), "{gains:?}");
    }
}

#[test]
fn s24_in_swift_what_is_internal_is_not_public() {
    let tree =
        Tree::new("//- a.swift\npublic class OpenCart {\n    var n = 1\n}\n\nclass HiddenCart {\n    var n = 1\n}\n");
    let gains = moved(&tree, "cart", "public");
    assert!(gains.len() == 1 && gains[0].starts_with("a.swift:OpenCart "), "{gains:?}");
}

#[test]
fn r3_one_large_file_hides_no_other() {
    let functions: String =
        (0..150).map(|i| format!("def login_{i}(user):\n    return check_login(user)\n\n")).collect();
    let mut files = vec![("src/auth/all.py".to_owned(), functions)];
    files.extend((0..30).map(|i| (format!("src/auth/f{i}.py"), format!("def page_{i}():\n    return login\n"))));
    let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    for preset in cds_search::PRESETS.iter().map(|preset| preset.name).filter(|name| *name != "cds-index") {
        let filters = Filters { paths: vec!["src/auth".to_owned()], ..Filters::default() };
        let by_file =
            Query { granularity: Granularity::File, chunks_per_file: 1, limit: 50, ..query("login of a user") };
        let outcome = tree.search(&Query { preset: preset.to_owned(), filters, ..by_file });
        assert_eq!((outcome.hits.len(), outcome.total), (31, 31), "{preset}");
    }
}

#[test]
fn s16_every_preset_with_relations_finds_implementations_among_many_uses() {
    let mut files: Vec<(String, String)> = (0..130)
        .map(|i| {
            (format!("use{i}.swift"), format!("func use{i}(plugin: Plugin) {{\n    plugin.run(plugin: plugin)\n}}\n"))
        })
        .collect();
    files.push(("Plugin.swift".to_owned(), "protocol Plugin {\n    func run(plugin: Plugin)\n}\n".to_owned()));
    for name in ["Lint", "Format", "Build"] {
        files.push((
            format!("{name}.swift"),
            format!("class {name}: Plugin {{\n    func run(plugin: Plugin) {{}}\n}}\n"),
        ));
    }
    let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    for preset in ["default", "swiftindex"] {
        for text in
            ["what implements Plugin", "classes that implement Plugin", "Plugin implementations", "Plugin conformances"]
        {
            let found = tree.found(&Query { preset: preset.to_owned(), ..query(text) });
            for name in ["Lint", "Format", "Build"] {
                assert!(found[..5].contains(&format!("{name}.swift:{name}")), "{preset}, {text}: {found:?}");
            }
        }
    }
}

/// Types whose declaration is one line, with a separator that repeats words of the question.
const BARE: &[(&str, &str)] = &[
    (
        "project.rs",
        "struct Project;\n\nimpl Project {\n    // MARK: rename the project\n\n    fn rename(&mut self, to: &str) {\n        self.set_name(to);\n    }\n}\n",
    ),
    (
        "Project.swift",
        "class Project {\n    // MARK: - rename the project\n\n    func rename(to: String) {\n        setName(to)\n    }\n}\n",
    ),
    (
        "Project.java",
        "class Project {\n    // ---- rename the project ----\n\n    void rename(String to) {\n        setName(to);\n    }\n}\n",
    ),
    (
        "project.py",
        "class Project:\n    # rename the project\n\n    def rename(self, to):\n        self.set_name(to)\n",
    ),
];

#[test]
fn a_header_or_a_separator_does_not_represent_a_file() {
    for (path, code) in BARE {
        let tree = Tree::of([(*path, *code)].into_iter());
        // In `cds-index` every word of the query is a name.
        for preset in cds_search::PRESETS.iter().map(|preset| preset.name).filter(|name| *name != "cds-index") {
            let by_file = Query { granularity: Granularity::File, chunks_per_file: 1, ..query("rename a project") };
            let hits = tree.search(&Query { preset: preset.to_owned(), ..by_file }).hits;
            let shown = tree.snapshot.chunk(hits[0].chunk).and_then(|chunk| chunk.entity()).map(|entity| entity.name());
            assert_eq!(shown, Some("rename"), "{path}, {preset}");
        }
    }
}

/// A source file with tests in it, as languages lay them out, and the lines of its function.
const INLINE_TESTS: &[(&str, &str, (u32, u32))] = &[
    (
        "src/cart.rs",
        "pub fn add_to_cart(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn the_same_item_is_added_to_the_cart_twice() {\n        assert_eq!(super::add_to_cart(&[1, 1]), 2, \"the same item twice in the cart\");\n    }\n}\n",
        (1, 3),
    ),
    (
        "src/cart.zig",
        "pub fn addToCart(items: []u32) u32 {\n    return items[0];\n}\n\ntest \"the same item is added to the cart twice\" {\n    _ = addToCart(&.{ 1, 1 });\n}\n",
        (1, 3),
    ),
];

#[test]
fn tests_inside_a_file_neither_represent_nor_lower_it() {
    for (path, code, lines) in INLINE_TESTS {
        let other = "other/menu.rs";
        let tree = Tree::of([(*path, *code), (other, "fn item_of_menu() -> u32 {\n    1\n}\n")].into_iter());
        let by_file = |text: &str| Query { granularity: Granularity::File, chunks_per_file: 1, ..query(text) };
        let hits = tree.search(&by_file("can the same item be added to a cart twice")).hits;
        let best = tree.snapshot.chunk(hits[0].chunk).expect("a chunk");
        assert_eq!((tree.path(&hits[0]).as_str(), best.lines()), (*path, *lines), "the function is shown");
        assert!(hits[0].signals.iter().all(|s| s.name != "other_role"), "{path}");
        let asked = tree.search(&by_file("tests of adding the same item to a cart twice")).hits;
        assert!(tree.snapshot.chunk(asked[0].chunk).expect("a chunk").is_test(), "{path}: tests were asked for");
    }
}

#[test]
fn s25_frequencies_are_remembered_up_to_a_hundred() {
    let tree = Tree::new("//- a.py\ndef retry():\n    return attempt\n\ndef other():\n    return attempt\n");
    let frequencies = Frequencies::default();
    let check = |name: &str, expect: u64| assert_eq!(frequencies.of(&tree.snapshot, name), expect, "{name}");
    check("attempt", 2);
    check("attempt", 2);
    check("retry", 1);
    check("absent", 0);
    assert_eq!(frequencies.kept(), ["attempt", "retry", "absent"], "each once");
    check("attempt", 2);
    assert_eq!(frequencies.kept(), ["retry", "absent", "attempt"], "asking keeps it");
    for i in 0..97 {
        check(&format!("name{i}"), 0);
    }
    assert_eq!(frequencies.kept().len(), 100);
    check("one_more", 0);
    let kept = frequencies.kept();
    assert_eq!((kept.len(), kept[0].as_str(), kept[99].as_str()), (100, "absent", "one_more"), "the oldest went");
    assert!(kept.contains(&"attempt".to_owned()));
}

#[test]
fn s25_a_search_asks_through_the_same_memory() {
    let tree = Tree::new("//- a.py\ndef retry():\n    return attempt\n");
    for _ in 0..2 {
        check(&tree, "retry", &["exact_symbol"], &["a.py:retry exact_symbol=2.5"]);
        assert_eq!(tree.tools.frequencies.kept(), ["retry"]);
    }
}

#[test]
fn r7_nothing_found_is_an_empty_list_and_no_error() {
    let tree = Tree::new("//- a.py\ndef retry():\n    return attempt\n//- b.go\npackage b\n\nfunc retry() {}\n");
    let check = |query: &Query| {
        let outcome = tree.search(query);
        assert_eq!((outcome.hits.len(), outcome.total, outcome.more, outcome.partial), (0, 0, false, false));
    };
    for preset in ["default", "bm25", "cds-index", "hybrid", "dense", "swiftindex", "breeze"] {
        for granularity in [Granularity::File, Granularity::Chunk, Granularity::Entity, Granularity::Document] {
            let asked = |text: &str| Query { preset: preset.into(), granularity, ..query(text) };
            check(&asked("xqzvwy"));
            check(&asked("XqzvwyQqkk"));
            check(&asked(""));
            check(&asked("   "));
            let filters = Filters { languages: vec!["java".into()], ..Filters::default() };
            check(&Query { filters, ..asked("retry") });
            let filters = Filters { paths: vec!["nowhere/**".into()], ..Filters::default() };
            check(&Query { filters, ..asked("retry attempt") });
        }
    }
}

/// A type, and one that shares a word of its name.
const PARTIAL: &[(&str, &str, &str)] = &[
    ("swift", "class UserSessionStore {\n    var n = 1\n}\n", "class SessionClock {\n    var session = 1\n}\n"),
    ("rs", "struct UserSessionStore {\n    n: u32,\n}\n", "struct SessionClock {\n    session: u32,\n}\n"),
    ("ts", "class UserSessionStore {\n  n = 1;\n}\n", "class SessionClock {\n  session = 1;\n}\n"),
    ("java", "class UserSessionStore {\n    int n;\n}\n", "class SessionClock {\n    int session;\n}\n"),
    ("py", "class UserSessionStore:\n    n = 1\n", "class SessionClock:\n    session = 1\n"),
    (
        "go",
        "package a\n\ntype UserSessionStore struct{ n int }\n",
        "package a\n\ntype SessionClock struct{ session int }\n",
    ),
    ("cs", "class UserSessionStore\n{\n    int n;\n}\n", "class SessionClock\n{\n    int session;\n}\n"),
    ("kt", "class UserSessionStore {\n    val n = 1\n}\n", "class SessionClock {\n    val session = 1\n}\n"),
];

#[test]
fn a_whole_name_demotes_what_has_only_a_part_of_it() {
    for (extension, whole, part) in PARTIAL {
        let files = [(format!("part.{extension}"), *part), (format!("whole.{extension}"), *whole)];
        let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
        let whole = format!("whole.{extension}:UserSessionStore");
        let part = format!("part.{extension}:SessionClock partial_name=0.3");
        check(&tree, "UserSessionStore", &["partial_name"], &[&whole, &part]);
        // Words, or a name of one word, are no whole name.
        for text in ["user session store", "session", "where is the session store"] {
            assert_eq!(moved(&tree, text, "partial_name"), [""; 0], "{extension}: {text}");
        }
    }
}

/// Two that are nearly the same and one that is not, by language.
const TWINS: &[(&str, &str, &str)] = &[
    (
        "py",
        "def retry_NAME(request, attempts, delay):\n    for attempt in range(attempts):\n        if send(request):\n            return True\n        sleep(delay)\n    return False\n",
        "class RetryPolicy:\n    \"\"\"Says how often to try again.\"\"\"\n    most = 3\n    jitter = 0.5\n",
    ),
    (
        "rs",
        "fn retry_NAME(request: Request, attempts: u32, delay: u32) -> bool {\n    for attempt in 0..attempts {\n        if send(request) { return true; }\n        sleep(delay);\n    }\n    false\n}\n",
        "/// Says how often to try again.\nstruct RetryPolicy {\n    most: u32,\n    jitter: f32,\n}\n",
    ),
    (
        "go",
        "package a\n\nfunc retryNAME(request Request, attempts int, delay int) bool {\n\tfor attempt := 0; attempt < attempts; attempt++ {\n\t\tif send(request) {\n\t\t\treturn true\n\t\t}\n\t\tsleep(delay)\n\t}\n\treturn false\n}\n",
        "package a\n\n// RetryPolicy says how often to try again.\ntype RetryPolicy struct {\n\tmost   int\n\tjitter float32\n}\n",
    ),
    (
        "ts",
        "function retryNAME(request: Request, attempts: number, delay: number) {\n  for (let attempt = 0; attempt < attempts; attempt++) {\n    if (send(request)) return true;\n    sleep(delay);\n  }\n  return false;\n}\n",
        "/** Says how often to try again. */\nclass RetryPolicy {\n  most = 3;\n  jitter = 0.5;\n}\n",
    ),
];

/// Paths of the hits, best first.
fn twins(row: &(&str, &str, &str), names: [&str; 2], options: &SearchOptions) -> Vec<String> {
    let (extension, twin, other) = *row;
    let files = [
        (format!("one.{extension}"), twin.replace("NAME", names[0])),
        (format!("two.{extension}"), twin.replace("NAME", names[1])),
        (format!("zpolicy.{extension}"), other.to_owned()),
    ];
    let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let by_file = Query {
        granularity: Granularity::File,
        chunks_per_file: 1,
        ..query("send a request again after attempts with a delay")
    };
    tree.search_with(&by_file, options).hits.iter().map(|hit| tree.path(hit)).collect()
}

#[test]
fn mmr_puts_what_is_unlike_before_a_near_twin() {
    for row in TWINS {
        let of = |mmr: Option<f32>| twins(row, ["one", "two"], &SearchOptions { mmr, ..SearchOptions::default() });
        let at = |found: &[String], name: &str| found.iter().position(|f| f.starts_with(name)).expect("a hit");
        let plain = of(None);
        assert_eq!(at(&plain, "zpolicy"), 2, "twins stand together: {plain:?}");
        let chosen = of(Some(0.3));
        assert_eq!(at(&chosen, "zpolicy"), 1, "{chosen:?}");
        assert_eq!((chosen.len(), &chosen[0]), (3, &plain[0]), "nothing is lost, the best stays");
        assert_eq!(of(Some(1.0)), plain, "standing alone changes nothing");
    }
}

#[test]
fn a_copy_of_a_better_hit_is_dropped_on_request() {
    for row in TWINS {
        let check = |names: [&str; 2], options: &SearchOptions, expect: usize| {
            let found = twins(row, names, options);
            assert_eq!(found.len(), expect, "{names:?}: {found:?}");
            assert!(found.iter().any(|f| f.starts_with("zpolicy")), "what is unlike stays: {found:?}");
        };
        check(["one", "one"], &SearchOptions::default(), 3);
        check(["one", "one"], &set(&[("near_duplicate", 0.85)]), 2);
        check(["one", "two"], &set(&[("near_duplicate", 0.7)]), 2);
        check(["one", "two"], &set(&[("near_duplicate", 1.0)]), 3);
    }
}
