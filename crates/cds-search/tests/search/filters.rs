//! Each filter alone, then together: which entities pass, and which mistakes are named.

use cds_model::{ChunkId, EntityId, EntityType, Filters, Granularity, Kind, Pattern, Query};
use cds_search::{CompiledFilter, GlobCache, SearchOptions, Tools};

use crate::fixture::{Tree, query};

const TREE: &str = "\
//- src/shapes.py
class Shape(Base):
    def area(self):
        return walrus

    def _grow(self):
        def inner():
            return walrus
        return inner()

def make_shape():
    return Shape()
//- src/lib.rs
pub trait Draw { fn draw(&self); }

pub struct Circle;

impl Draw for Circle {
    fn draw(&self) { walrus() }
}
//- src/server.go
package server

func (s *Server) Start() { walrus() }
//- tests/test_shapes.py
def test_area():
    return walrus

def helper(): pass
//- notes.txt
walrus
";

/// Which of all entities pass, sorted.
fn passing(tree: &Tree, filters: &Filters) -> Vec<String> {
    let globs = GlobCache::default();
    let filter = CompiledFilter::new(filters, &globs).expect("the filter compiles");
    let all = (0..tree.snapshot.entity_count() as u32).filter_map(|i| tree.snapshot.entity(EntityId(i)));
    let mut found: Vec<String> = all.filter(|e| filter.accepts_entity(&tree.snapshot, *e)).map(|e| e.key()).collect();
    found.sort();
    assert_eq!(filter.accepts_all(), *filters == Filters::default());
    found
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn each_filter_alone() {
    let tree = Tree::new(TREE);
    let none = Filters::default;
    let check = |filters: Filters, expect: &[&str]| assert_eq!(passing(&tree, &filters), expect, "{filters:?}");
    let outside = (0..tree.snapshot.entity_count() as u32).filter_map(|i| tree.snapshot.entity(EntityId(i)));
    let outside = outside.filter(|e| e.kind().name() == "external").count();
    assert_eq!(passing(&tree, &none()).len() + outside, tree.snapshot.entity_count());

    check(Filters { languages: names(&["go"]), ..none() }, &["src/server.go", "src/server.go:Server.Start"]);
    check(
        Filters { languages: names(&["go", "text"]), ..none() },
        &["notes.txt", "src/server.go", "src/server.go:Server.Start"],
    );
    check(Filters { languages: names(&["cobol"]), ..none() }, &[]);
    check(Filters { paths: names(&["*.txt"]), entity_types: vec![EntityType::File], ..none() }, &["notes.txt"]);
    check(
        Filters { exclude: names(&["src", "tests"]), entity_types: vec![EntityType::File], ..none() },
        &["notes.txt"],
    );
    check(
        Filters { paths: names(&["src"]), exclude: names(&["*.py", "*.rs"]), ..none() },
        // Folders have no file that could be told by its path.
        &[".", "src", "src/server.go", "src/server.go:Server.Start", "tests"],
    );
    check(Filters { entity_types: vec![EntityType::Directory], ..none() }, &[".", "src", "tests"]);
    check(
        Filters { entity_types: vec![EntityType::Class], ..none() },
        &["src/lib.rs:Circle", "src/lib.rs:Circle#2", "src/lib.rs:Draw", "src/shapes.py:Shape"],
    );
    check(Filters { node_types: vec![Kind::known("struct")], ..none() }, &["src/lib.rs:Circle"]);
    check(
        Filters { node_types: vec![Kind::known("trait"), Kind::known("impl")], ..none() },
        &["src/lib.rs:Circle#2", "src/lib.rs:Draw"],
    );
    check(
        Filters { is_test: Some(true), ..none() },
        // What stands in a file of tests is part of them.
        &["tests/test_shapes.py", "tests/test_shapes.py:helper", "tests/test_shapes.py:test_area"],
    );
    check(Filters { is_public: Some(false), ..none() }, &["src/shapes.py:Shape._grow"]);
    check(Filters { conformances: names(&["Base", "Nobody"]), ..none() }, &["src/shapes.py:Shape"]);
    check(Filters { conformances: names(&["Draw"]), ..none() }, &["src/lib.rs:Circle#2"]);
    check(Filters { conformances: names(&["base"]), ..none() }, &[]);
}

#[test]
fn names_are_exact_globs_or_regular_expressions() {
    let tree = Tree::new(TREE);
    let check = |pattern: &str, expect: &[&str]| {
        let filters = Filters { node_name: Some(Pattern::parse(pattern)), ..Filters::default() };
        assert_eq!(passing(&tree, &filters), expect, "{pattern}");
    };
    check("area", &["src/shapes.py:Shape.area"]);
    check("Area", &[]);
    check("*shape", &["src/shapes.py:make_shape"]);
    check("S?ape", &["src/shapes.py:Shape"]);
    check("s.a*", &[]);
    check("/^(area|inner)$/", &["src/shapes.py:Shape._grow.inner", "src/shapes.py:Shape.area"]);
    check("/raw/", &["src/lib.rs:Circle.draw", "src/lib.rs:Draw", "src/lib.rs:Draw.draw"]);
}

#[test]
fn parents_are_told_by_name_scope_or_signature() {
    let tree = Tree::new(TREE);
    let check = |pattern: &str, expect: &[&str]| {
        let filters = Filters {
            parent_context: Some(Pattern::parse(pattern)),
            entity_types: vec![EntityType::Function],
            ..Filters::default()
        };
        assert_eq!(passing(&tree, &filters), expect, "{pattern}");
    };
    check("Shape", &["src/shapes.py:Shape._grow", "src/shapes.py:Shape.area"]);
    check("_grow", &["src/shapes.py:Shape._grow.inner"]);
    check("*Draw for*", &["src/lib.rs:Circle.draw"]);
    check("Server", &["src/server.go:Server.Start"]);
    check("shapes.py", &["src/shapes.py:make_shape"]);
    check("Nobody", &[]);
}

#[test]
fn depth_counts_from_the_file() {
    let tree = Tree::new(TREE);
    let check = |least: u32, most: u32, expect: &[&str]| {
        let filters =
            Filters { scope_depth: Some((least, most)), paths: names(&["src/shapes.py"]), ..Filters::default() };
        let found: Vec<String> = passing(&tree, &filters).into_iter().filter(|k| k.contains(':')).collect();
        assert_eq!(found, expect, "{least}..{most}");
    };
    check(1, 1, &["src/shapes.py:Shape", "src/shapes.py:make_shape"]);
    check(2, 2, &["src/shapes.py:Shape._grow", "src/shapes.py:Shape.area"]);
    check(3, 9, &["src/shapes.py:Shape._grow.inner"]);
    check(4, 9, &[]);
    check(0, 0, &[]);
}

#[test]
fn depth_of_prose_is_that_of_its_headings() {
    let tree = Tree::new(
        "//- guide.md\nwalrus\n\n# One\nwalrus\n\n## Two\nwalrus\n\n### Three\nwalrus\n\n# Four\nwalrus\n//- low.md\n## Low\nwalrus\n",
    );
    let check = |least: u32, most: u32, expect: &[&str]| {
        let filters = Filters { scope_depth: Some((least, most)), ..Filters::default() };
        let globs = GlobCache::default();
        let filter = CompiledFilter::new(&filters, &globs).expect("the filter compiles");
        let chunks = (0..).map_while(|i| tree.snapshot.chunk(ChunkId(i)));
        let accepted = chunks.filter(|chunk| filter.accepts(&tree.snapshot, chunk.id));
        let shown: Vec<String> = accepted
            .map(|chunk| format!("{}:{}", chunk.document().expect("its file").path(), chunk.lines().0))
            .collect();
        assert_eq!(shown, expect, "{least}..{most}");
    };
    check(0, 0, &["guide.md:1"]);
    check(1, 1, &["guide.md:3", "guide.md:12", "low.md:1"]);
    check(2, 2, &["guide.md:6"]);
    check(3, 7, &["guide.md:9"]);
    check(4, 7, &[]);
}

#[test]
fn entities_that_define_or_use_a_name() {
    let tree = Tree::new(TREE);
    let check = |definitions: &[&str], references: &[&str], expect: &[&str]| {
        let filters = Filters {
            has_definitions: names(definitions),
            has_references: names(references),
            languages: names(&["python"]),
            ..Filters::default()
        };
        assert_eq!(passing(&tree, &filters), expect, "{definitions:?} {references:?}");
    };
    // A file and a class hold what stands in them.
    check(&["area"], &[], &["src/shapes.py", "src/shapes.py:Shape", "src/shapes.py:Shape.area"]);
    check(&[], &["Shape"], &["src/shapes.py", "src/shapes.py:make_shape"]);
    check(&["make_shape"], &["Shape"], &["src/shapes.py", "src/shapes.py:make_shape"]);
    check(&["test_area"], &["Shape"], &[]);
    // Folders hold files, not names.
    let filters =
        Filters { has_definitions: names(&["area"]), entity_types: vec![EntityType::Directory], ..Filters::default() };
    assert_eq!(passing(&tree, &filters), [""; 0]);
}

#[test]
fn times_are_those_of_the_file() {
    let tree = Tree::new(TREE);
    let document = tree.snapshot.document_at("notes.txt").expect("it is indexed");
    let changed = document.modified_ns() / 1_000_000_000;
    let count = |since: i64| {
        let filters = Filters { modified_since: Some(since), paths: names(&["notes.txt"]), ..Filters::default() };
        passing(&tree, &Filters { entity_types: vec![EntityType::File], ..filters }).len()
    };
    assert_eq!((count(changed - 5), count(changed), count(changed + 5)), (1, 1, 0));
}

#[test]
fn chunks_are_judged_by_what_they_show() {
    let tree = Tree::new(TREE);
    let check = |filters: Filters, expect: &[&str]| {
        let asked = Query { filters: filters.clone(), ..query("walrus") };
        assert_eq!(tree.found_sorted(&asked), expect, "{filters:?}");
    };
    let none = Filters::default;
    check(
        none(),
        &[
            "notes.txt",
            "src/lib.rs:Circle.draw",
            "src/server.go:Server.Start",
            "src/shapes.py:Shape._grow",
            "src/shapes.py:Shape.area",
            "tests/test_shapes.py:test_area",
        ],
    );
    // What no entity owns is a piece of its file, at depth 0, public, without a name.
    check(Filters { entity_types: vec![EntityType::File], ..none() }, &["notes.txt"]);
    check(Filters { scope_depth: Some((0, 0)), ..none() }, &["notes.txt"]);
    check(Filters { node_types: vec![Kind::known("block")], ..none() }, &["notes.txt"]);
    check(Filters { node_name: Some(Pattern::parse("/./")), languages: names(&["text"]), ..none() }, &[]);
    check(Filters { parent_context: Some(Pattern::parse("/./")), languages: names(&["text"]), ..none() }, &[]);
    check(Filters { conformances: names(&["Base"]), ..none() }, &[]);
    check(Filters { is_public: Some(false), ..none() }, &["src/shapes.py:Shape._grow"]);
    check(Filters { is_test: Some(true), ..none() }, &["tests/test_shapes.py:test_area"]);
    check(
        Filters { is_test: Some(false), languages: names(&["python"]), scope_depth: Some((2, 2)), ..none() },
        &["src/shapes.py:Shape._grow", "src/shapes.py:Shape.area"],
    );
}

#[test]
fn mistakes_name_their_option() {
    let check = |filters: Filters, expect: &str| {
        let globs = GlobCache::default();
        let error = CompiledFilter::new(&filters, &globs).map(|_| ()).expect_err("a mistake").to_string();
        assert!(error.starts_with(expect), "{error}");
    };
    let none = Filters::default;
    check(Filters { paths: names(&["a["]), ..none() }, "path: \"a[\" is not a path pattern");
    check(Filters { exclude: names(&[""]), ..none() }, "exclude: a path pattern cannot be empty");
    check(Filters { node_name: Some(Pattern::parse("/(/")), ..none() }, "node_name: not a regular expression: ");
    check(
        Filters { parent_context: Some(Pattern::parse("/[/")), ..none() },
        "parent_context: not a regular expression: ",
    );
}

#[test]
fn mistakes_reach_whoever_searches() {
    let tree = Tree::new("//- a.txt\nplum\n");
    let check = |query: Query, expect: &str| {
        let found = cds_search::search(&tree.snapshot, &query, &SearchOptions::default(), &Tools::default());
        assert_eq!(found.expect_err("a mistake").to_string(), expect);
    };
    check(
        Query { preset: "best".into(), ..query("plum") },
        "preset: no preset \"best\"; there are default, cds-index, bm25, dense, sparse, hybrid, swiftindex, rice, rice-sparse, rice-dense, breeze",
    );
    let filters = Filters { paths: names(&[""]), ..Filters::default() };
    check(Query { filters, ..query("plum") }, "path: a path pattern cannot be empty");
}

/// A function nested twice, in languages that have those: file and code.
const NESTED: &[(&str, &str)] = &[
    (
        "a.py",
        "def outer():\n    def middle():\n        def innermost():\n            return walrus\n        return innermost\n    return middle\n",
    ),
    (
        "a.js",
        "function outer() {\n  function middle() {\n    function innermost() { return walrus; }\n    return innermost;\n  }\n  return middle;\n}\n",
    ),
    (
        "a.ts",
        "function outer() {\n  function middle() {\n    function innermost(): number { return walrus; }\n    return innermost;\n  }\n  return middle;\n}\n",
    ),
    (
        "a.rs",
        "fn outer() {\n    fn middle() {\n        fn innermost() -> u32 { walrus() }\n        innermost();\n    }\n    middle();\n}\n",
    ),
    (
        "a.kt",
        "fun outer() {\n    fun middle() {\n        fun innermost(): Int {\n            return walrus\n        }\n        innermost()\n    }\n    middle()\n}\n",
    ),
    (
        "a.swift",
        "func outer() {\n    func middle() {\n        func innermost() -> Int { return walrus }\n        innermost()\n    }\n    middle()\n}\n",
    ),
];

#[test]
fn b5_nested_functions_pass_filters_in_any_combination() {
    for (path, code) in NESTED {
        let tree = Tree::of([(*path, *code)].into_iter());
        let expect = [format!("{path}:outer.middle.innermost")];
        for combination in 1u32..32 {
            let has = |bit: u32| combination & (1 << bit) != 0;
            let filters = Filters {
                node_types: if has(0) { vec![Kind::from_name("function").unwrap()] } else { Vec::new() },
                node_name: has(1).then(|| Pattern::parse("innermost")),
                scope_depth: has(2).then_some((3, 10)),
                parent_context: has(3).then(|| Pattern::parse("middle")),
                entity_types: if has(4) { vec![EntityType::Function] } else { Vec::new() },
                ..Filters::default()
            };
            let found = tree.found(&Query { filters: filters.clone(), ..query("innermost") });
            assert!(found.contains(&expect[0]), "{path}: {found:?} {filters:?}");
            let is_exact = has(1) || has(2) || has(3);
            assert!(!is_exact || found == expect, "{path}: {found:?} {filters:?}");
        }
    }
}

#[test]
fn b6_relations_and_names_obey_definitions_and_references() {
    let classes: String = (0..300).map(|i| format!("class Reader{i}(Base):\n    pass\n\n")).collect();
    let last = "class Last(Base):\n    def read(self):\n        return walrus\n";
    let tree = Tree::of([("a.py", "class Base:\n    pass\n"), ("b.py", classes.as_str()), ("c.py", last)].into_iter());
    for preset in ["default", "swiftindex"] {
        let found = |filters: Filters| {
            let asked =
                Query { filters, granularity: Granularity::Entity, limit: 400, ..query("what implements Base") };
            tree.found(&Query { preset: preset.to_owned(), ..asked })
        };
        let reading = Filters { has_references: names(&["walrus"]), ..Filters::default() };
        assert!(found(reading).iter().all(|id| id.starts_with("c.py:Last")), "{preset}");
        let in_one = Filters { paths: names(&["c.py"]), ..Filters::default() };
        assert!(found(in_one).contains(&"c.py:Last".to_owned()), "{preset}: filters apply before the relation is cut");
    }
}

#[test]
fn an_entity_stands_for_a_chunk_only_if_it_passes() {
    let readme = "# Guide\n\nUse the walrus.\n\n```python\ndef walrus(): pass\n```\n";
    let tree = Tree::of([("README.md", readme), ("a.py", "def walrus():\n    pass\n")].into_iter());
    let filters = Filters { languages: names(&["python"]), ..Filters::default() };
    assert_eq!(tree.found(&Query { filters, granularity: Granularity::Entity, ..query("walrus") }), ["a.py:walrus"]);
}
