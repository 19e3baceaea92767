//! The search tool on a small package. What is expected is what LocAgent itself answers there.
#![allow(missing_docs)]

use std::fs;

use cds_locagent::search::{Found, Outcome, Request, SearchError, Step, entity_contents};
use cds_locagent::{Bound, Direction, Repository, TreeRequest, Unfinished};

const SHAPES: &str = r#""""Shapes and their areas."""
import math


class Shape:
    def __init__(self, name):
        self.name = name

    def area(self):
        return 0

    def describe(self):
        return f"{self.name} of area {self.area()}"


class Circle(Shape):
    def area(self):
        return math.pi
"#;

/// Modules with a function each, and a second one that the first four have under the same name.
const WORDS: [&str; 8] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];

fn package() -> Repository {
    let root = tempfile::tempdir().expect("a folder can be made");
    let write = |path: &str, text: &str| fs::write(root.path().join(path), text).expect("a file can be written");
    fs::create_dir(root.path().join("pkg")).expect("a folder can be made");
    write("setup.py", "from pkg.shapes import Circle\n\nNAME = \"setup\"\n");
    write("pkg/__init__.py", "");
    write("pkg/shapes.py", SHAPES);
    for (place, word) in WORDS.iter().enumerate() {
        let make = format!("def make_{word}(count):\n    return [\"{word}\"] * count\n");
        let run = if place < 4 { format!("\n\ndef run():\n    return make_{word}(3)\n") } else { String::new() };
        write(&format!("pkg/{word}.py"), &(make + &run));
    }
    Repository::build(root.path()).expect("the folder can be read")
}

/// A step a line: what names gave, then, after a bar, what the code gave.
fn summary(outcome: &Outcome) -> String {
    let shown = |found: &[Found]| {
        found.iter().map(|found| format!("{:?} {}", found.format, found.nid)).collect::<Vec<_>>().join(", ")
    };
    let line = |step: &Step| match step {
        Step::Refused { term } => format!("refused {term}"),
        Step::Searched { term, entity_results, content_results: None, .. } => {
            format!("{term}: {}", shown(entity_results))
        }
        Step::Searched { term, entity_results, content_results: Some(content), .. } => {
            format!("{term}: {} | {}", shown(entity_results), shown(content))
        }
        Step::Lines { term, line_results } => format!("{term}: {}", shown(line_results)),
    };
    outcome.steps.iter().map(line).collect::<Vec<_>>().join("\n").replace("pkg/", "")
}

#[test]
fn terms_are_found() {
    let package = package();
    let check = |terms: &[&str], expected: &str| {
        let request = Request { terms: terms.iter().map(|&term| term.to_owned()).collect(), ..Request::default() };
        assert_eq!(summary(&package.search(&request).expect("an answer")), expected, "{terms:?}");
    };
    check(&["pkg/shapes.py:Shape.area"], "shapes.py:Shape.area: Complete shapes.py:Shape.area");
    check(&["pkg/shapes.py:Shape.__init__"], "shapes.py:Shape.__init__: Preview shapes.py:Shape");
    check(
        &["circle"],
        "circle: Preview shapes.py:Circle, Preview shapes.py:Circle, Preview shapes.py:Circle.area | CodeSnippet shapes.py",
    );
    check(&["run"], "run: Fold alpha.py:run, Fold beta.py:run, Fold delta.py:run, Fold gamma.py:run");
    // What stands before the dot fits nothing, so the namesakes do not end the search.
    check(
        &["Nope.run"],
        "Nope.run: Fold alpha.py:run, Fold beta.py:run, Fold delta.py:run, Fold gamma.py:run, Preview delta.py:run, Preview gamma.py:run, \
         Preview beta.py:run | Preview beta.py:make_beta, Preview beta.py:run",
    );
    check(
        &["pkg/shapes.py:Nope.area"],
        "shapes.py:Nope.area: Preview shapes.py:Shape.area, Preview shapes.py:Circle.area, Preview shapes.py:Shape.area, \
         Preview shapes.py:Circle.area, Preview shapes.py:Shape, Fold shapes.py | CodeSnippet shapes.py",
    );
    check(
        &["run", "make_zeta"],
        "run: Fold alpha.py:run, Fold beta.py:run, Fold delta.py:run, Fold gamma.py:run\n\
         make_zeta: Preview zeta.py:make_zeta, Preview zeta.py:make_zeta | Preview zeta.py:make_zeta",
    );
    check(&["testing"], "refused testing");
    check(&["zzqx"], "zzqx: Fold zeta.py, Preview zeta.py:make_zeta, Fold setup.py | ");
    check(&["setup"], "setup: Preview setup.py, Fold setup.py | ");
    check(&[], "");
}

#[test]
fn lines_are_found() {
    let package = package();
    let check = |file: &str, line_nums: &[i64], expected: &str| {
        let request = Request { terms: Vec::new(), line_nums: line_nums.to_vec(), file_pattern: Some(file.to_owned()) };
        assert_eq!(summary(&package.search(&request).expect("an answer")), expected, "{file} {line_nums:?}");
    };
    let shapes = "shapes.py:line 6, 16, 1: Preview shapes.py:Shape, Preview shapes.py:Circle, CodeSnippet shapes.py";
    check("pkg/shapes.py", &[6, 16, 1], shapes);
    check("setup.py", &[3], "setup.py:line 3: CodeSnippet setup.py");
    check("pkg/*.py", &[3], "");
}

#[test]
fn what_locagent_fails_on_fails() {
    let package = package();
    let check = |term: &str, expected: &str| {
        let request = Request { terms: vec!["run".to_owned(), term.to_owned()], ..Request::default() };
        assert_eq!(package.search(&request).expect_err("no answer").exception(), expected, "{term}");
    };
    check("a", "IndexError");
    check("__init__", "KeyError");
    check("pkg.__init__", "KeyError");
}

#[test]
fn an_answer_is_written_as_locagent_does() {
    let package = package();
    let request =
        Request { terms: vec!["run".to_owned()], line_nums: Vec::new(), file_pattern: Some("nothing".to_owned()) };
    let expected = "No files found for file pattern 'nothing'. Will search all files.\n...\n\
        ##Searching for term \"run\"...\n### Search Result:\n\
        Found function `pkg/alpha.py:run`.\nFound function `pkg/beta.py:run`.\nFound function `pkg/delta.py:run`.\nFound function `pkg/gamma.py:run`.\n\
        Source: Match found for entity name `run`.\nHint: Use more detailed query to get the full content of some if needed.";
    assert_eq!(package.search(&request).expect("an answer").text, expected);
    let names = ["pkg/zeta.py:make_zeta".to_owned(), "nope".to_owned()];
    let expected = "##Searching for entity `pkg/zeta.py:make_zeta`...\n### Search Result:\nFound function `pkg/zeta.py:make_zeta`.\n\
        Source: Exact match found for entity name `pkg/zeta.py:make_zeta`.\n```\n1 | def make_zeta(count):\n2 |     return [\"zeta\"] * count\n```\n\n\n\
        ##Searching for entity `nope`...\n### Search Result:\nInvalid name. \n\
        Hint: Valid entity name should be formatted as \"file_path:QualifiedName\" or just \"file_path\".";
    assert_eq!(entity_contents(&package.graph, &names).expect("an answer"), expected);
}

#[test]
fn trees_have_bounds() {
    let package = package();
    let starts = vec!["pkg/shapes.py".to_owned(), "pkg".to_owned()];
    let request = TreeRequest { starts, direction: Direction::Both, depth: None, node_types: None, edge_types: None };
    let draw = |bytes: usize, stop: bool| package.trees_within(&request, &Bound { stop: &|| stop, bytes });
    let whole = package.trees(&request);
    assert_eq!(draw(whole.len(), false), Ok(whole));
    assert_eq!(draw(200, false), Err(Unfinished::TooLong(200)));
    assert_eq!(draw(usize::MAX, true), Err(Unfinished::Stopped));
    let request = Request { terms: vec!["run".to_owned()], ..Request::default() };
    assert_eq!(package.search_until(&request, &|| true).map(|_| ()), Err(SearchError::Stopped));
}
