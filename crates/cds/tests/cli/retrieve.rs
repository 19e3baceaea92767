//! `cds retrieve`: code by id, path, line and range.

use crate::fixture::{Project, Run, column};

const CODE: &str = "\
//- src/a.py
import os


class Session:
    \"\"\"Holds a user.\"\"\"

    def close(self):
        return os.getpid()


def helper():
    return 1
//- src/b.py
def helper():
    return 2
//- src/c.rs
pub struct Pool;

impl Pool {
    pub fn get(&self) {}
}
";

/// Snippets of the answer, joined by a line.
fn check(project: &Project, args: &[&str], expect: &str) {
    let found = project.json_or_nothing(&[&["retrieve"], args].concat());
    assert_eq!(column(&found, "snippet").join("\n---\n"), expect, "{args:?}");
}

#[test]
fn ids_lines_ranges_and_files_give_their_code() {
    let project = Project::new(CODE);
    let close = "    def close(self):\n        return os.getpid()";
    check(&project, &["src/a.py:Session.close"], close);
    check(&project, &["./src/a.py:7-8"], close);
    check(&project, &["src/a.py:1"], "import os");
    check(&project, &["Session.close", "src/b.py"], &format!("{close}\n---\ndef helper():\n    return 2"));
    check(&project, &["src/b.py:2-99"], "    return 2");
    check(&project, &["src/a.py:Session", "--snippet", "fold"], "class Session");
    check(&project, &["src/c.rs:Pool.get"], "    pub fn get(&self) {}");
}

#[test]
fn an_id_that_several_entities_of_a_file_share_gives_them_all() {
    let project = Project::new(CODE);
    check(&project, &["src/c.rs:Pool"], "pub struct Pool;\n---\nimpl Pool {\n    pub fn get(&self) {}\n}");
}

#[test]
fn unknown_and_ambiguous_ids_come_back_as_missing() {
    let project = Project::new(CODE);
    let check = |id: &str, reason: &str, candidates: &[&str]| {
        let output = project.cds(&["retrieve", id]);
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{id}");
        assert!(output.stderr.contains(reason), "{id}: {}", output.stderr);
        let missing = &project.json_or_nothing(&["retrieve", id])["missing"][0];
        assert_eq!(missing["id"], id);
        assert_eq!(missing["candidates"], serde_json::json!(candidates), "{id}");
    };
    check("helper", "2 entities have this name", &["src/a.py:helper", "src/b.py:helper"]);
    check("helpr", "nothing in the index has this id or name", &["helper"]);
    check("src/a.py:99", "src/a.py has 12 lines", &[]);
    check("src/a.py:0", "src/a.py has 12 lines", &[]);
    check("src/a.py:5-3", "its last line stands before its first", &[]);
    check("src/none.py", "nothing in the index has this id or name", &[]);
    check("../../etc/passwd", "nothing in the index has this id or name", &[]);
}

#[test]
fn one_good_id_among_bad_ones_is_an_answer() {
    let project = Project::new(CODE);
    let found = project.json(&["retrieve", "nobody", "src/b.py:helper"]);
    assert_eq!(column(&found, "id"), ["src/b.py:helper"]);
    assert_eq!(found["missing"][0]["id"], "nobody");
}

#[test]
fn ids_come_from_standard_input_as_a_search_prints_them() {
    let project = Project::new(CODE);
    let ids = project.ids(&["search", "close helper", "--granularity", "entity"]);
    assert!(ids.len() >= 2, "{ids:?}");
    for args in [&["retrieve", "-", "-f", "json"][..], &["retrieve", "-f", "json"][..]] {
        let stdin = ids.join("\n") + "\n\n";
        let output = project.run(&Run { args, stdin: &stdin, ..Run::default() });
        assert_eq!(output.code, 0, "{}", output.stderr);
        let found = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(column(&found, "id"), ids);
    }
    let output = project.run(&Run { args: &["retrieve"], stdin: "\n", ..Run::default() });
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("no ids"), "{}", output.stderr);
}

#[test]
fn a_budget_cuts_or_leaves_out_what_does_not_fit_and_says_so() {
    let project = Project::new(CODE);
    let found = project.json(&["retrieve", "src/b.py:helper", "src/a.py", "src/a.py:1", "--max-tokens", "20"]);
    assert_eq!(column(&found, "id"), ["src/b.py:helper", "src/a.py", "src/a.py:1-1"]);
    let warning = found["warnings"][0].as_str().unwrap();
    assert!(warning.contains("src/a.py needs about") && warning.ends_with("is cut to one line"), "{warning}");
    assert_eq!(found["hits"][1]["snippet"].as_str().unwrap().lines().count(), 1);
    let found = project.json(&["retrieve", "src/a.py", "src/b.py:helper", "--max-tokens", "1"]);
    assert_eq!(column(&found, "id"), ["src/a.py"], "one is shown, whatever it costs");
    let warning = found["warnings"][1].as_str().unwrap();
    assert!(warning.contains("src/b.py:helper needs about") && warning.ends_with("is left out"), "{warning}");
}

#[test]
fn bytes_and_lines_agree_with_the_file_also_with_carriage_returns() {
    let project = Project::new("");
    let text = "first = 1\r\n\r\ndef second():\r\n    return \"é\"\r\nlast = 2";
    project.write("dos.py", text);
    for (id, expect) in [("dos.py:3-4", "def second():\r\n    return \"é\"\r\n"), ("dos.py:5", "last = 2")] {
        let hit = &project.json(&["retrieve", id])["hits"][0];
        let byte = |field: &str| hit[field].as_u64().unwrap() as usize;
        assert_eq!(&text[byte("start_byte")..byte("end_byte")], expect, "{id}");
    }
}

#[test]
fn what_was_not_ranked_has_no_score() {
    let project = Project::new("//- a.py\ndef known():\n    return 1\n");
    for id in ["a.py", "a.py:known", "a.py:1-2"] {
        let hit = &project.json(&["retrieve", id])["hits"][0];
        for field in ["score", "relevance_percent", "match_type", "scores", "ranks", "signals"] {
            assert!(hit.get(field).is_none(), "{id}: {field} is {}", hit[field]);
        }
    }
    let toon = project.cds(&["retrieve", "known", "-f", "toon"]).stdout;
    assert!(toon.contains("{n,path,lines,kind,name,stale}"), "{toon}");
    let hit = &project.json(&["symbol", "known"])["hits"][0];
    assert_eq!((&hit["score"], &hit["match_type"]), (&1.0.into(), &"exact".into()));
}
