//! `cds grep`: patterns over the indexed text.

use crate::fixture::{Project, column};

const CODE: &str = "\
//- src/a.py
TOTAL = 1


class Shop:
    def total(self):
        # total of it all
        return TOTAL + subtotal(1.5)


def subtotal(x):
    return x
//- src/b.rs
pub fn total() -> f64 {
    1.5
}
#[cfg(test)]
mod tests {
    #[test]
    fn counts() { super::total(); }
}
//- notes.txt
1x5 is not 1.5
";

/// `path:line:column [entity]` of each line found.
fn check(project: &Project, args: &[&str], expect: &[&str]) {
    let found = project.json_or_nothing(&[&["grep"], args].concat());
    let rows: Vec<String> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|h| {
            let entity = h["entity"].as_str().map(|e| format!(" [{e}]")).unwrap_or_default();
            format!("{}:{}:{}{entity}", h["path"].as_str().unwrap(), h["line"], h["column"])
        })
        .collect();
    assert_eq!(rows, expect, "{args:?}");
}

#[test]
fn regular_expressions_plain_text_words_and_case() {
    let project = Project::new(CODE);
    check(&project, &["sub\\w+\\("], &["src/a.py:7:24 [Shop.total]", "src/a.py:10:5 [subtotal]"]);
    check(&project, &["1.5"], &["notes.txt:1:1", "src/a.py:7:33 [Shop.total]", "src/b.rs:2:5 [total]"]);
    check(&project, &["-F", "1.5"], &["notes.txt:1:12", "src/a.py:7:33 [Shop.total]", "src/b.rs:2:5 [total]"]);
    check(&project, &["-w", "total", "--lang", "python"], &["src/a.py:5:9 [Shop.total]", "src/a.py:6:11 [Shop.total]"]);
    check(
        &project,
        &["-i", "-w", "TOTAL", "--path", "src/b.rs"],
        &["src/b.rs:1:8 [total]", "src/b.rs:7:26 [tests.counts]"],
    );
    check(&project, &["^TOTAL"], &["src/a.py:1:1 [TOTAL]"]);
    check(&project, &["nowhere"], &[]);
}

#[test]
fn filters_ask_for_the_entity_around_a_line() {
    let project = Project::new(CODE);
    check(
        &project,
        &["total", "--type", "function", "--lang", "rust"],
        &["src/b.rs:1:8 [total]", "src/b.rs:7:26 [tests.counts]"],
    );
    check(&project, &["total", "--is-test", "true"], &["src/b.rs:7:26 [tests.counts]"]);
    check(&project, &["total", "--is-test", "false", "--lang", "rust"], &["src/b.rs:1:8 [total]"]);
    check(&project, &["return", "--node-name", "sub*"], &["src/a.py:11:5 [subtotal]"]);
    check(&project, &["return", "--kind", "method"], &["src/a.py:7:9 [Shop.total]"]);
    check(&project, &["1.5", "--type", "file"], &["notes.txt:1:1"]);
    check(&project, &["total", "--exclude", "*.py", "--exclude", "*.rs"], &[]);
    check(
        &project,
        &["total", "--has-references", "subtotal"],
        &["src/a.py:5:9 [Shop.total]", "src/a.py:6:11 [Shop.total]", "src/a.py:7:27 [Shop.total]"],
    );
}

#[test]
fn matches_are_character_columns_of_the_line_shown() {
    let project = Project::new("");
    let long = "x".repeat(1_000);
    project.write("wide.txt", format!("日本語 needle é needle\n{long} needle {long}\n"));
    let found = project.json(&["grep", "needle"]);
    for hit in found["hits"].as_array().unwrap() {
        let text: Vec<char> = hit["text"].as_str().unwrap().chars().collect();
        assert!(text.len() <= 500, "a long line is cut");
        let matches = hit["matches"].as_array().unwrap();
        assert!(!matches.is_empty());
        for span in matches {
            let (from, to) = (span[0].as_u64().unwrap() as usize, span[1].as_u64().unwrap() as usize);
            assert_eq!(text[from..to].iter().collect::<String>(), "needle");
        }
    }
    assert_eq!(found["hits"][0]["column"], 5);
    assert_eq!(found["hits"][1]["column"], 1002, "counted in the whole line");
}

#[test]
fn a_limit_keeps_the_first_lines_in_order_of_path_and_says_that_there_are_more() {
    let many: String = (0..600).map(|i| format!("//- f{i:03}.txt\nneedle {i}\nneedle again\n")).collect();
    let project = Project::new(&many);
    let first: Vec<String> = (0..5).flat_map(|i| [1, 2].map(|l| format!("f{i:03}.txt:{l}:1"))).collect();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    check(&project, &["needle", "--limit", "10"], &first);
    let output = project.cds(&["grep", "needle", "-n", "3"]);
    assert_eq!((output.code, output.stdout.lines().count()), (0, 3));
    assert!(output.stderr.contains("only the first 3 lines shown: raise --limit"), "{}", output.stderr);
    assert_eq!(project.json(&["grep", "needle", "-n", "100000"])["total"], 1200);
}

#[test]
fn lines_are_coloured_in_their_language() {
    let project = Project::new("//- a.py\nreturn_value = 7\nreturn 7  # seven\n//- b.rs\nreturn 7; // seven\n");
    let text = project.cds(&["grep", "seven", "--color", "always"]).stdout;
    let (keyword, comment) = ("\u{1b}[34mreturn\u{1b}[0m", "\u{1b}[90m");
    assert_eq!((text.matches(keyword).count(), text.matches(comment).count()), (2, 2), "{text:?}");
    assert_eq!(column(&project.json(&["grep", "seven"]), "language"), ["python", "rust"]);
}
