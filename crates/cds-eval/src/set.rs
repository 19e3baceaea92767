//! Questions with known answers, one JSON object a line.

use std::collections::BTreeMap;

use cds_engine::{Error, ErrorKind, Result};
use serde_json::{Map, Value};

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its line in the set, from 1.
    pub line: usize,
    /// What it is called.
    pub id: String,
    /// Which repository it is about.
    pub repo: Option<String>,
    /// The language of that.
    pub language: Option<String>,
    /// What kind of question it is.
    pub category: Option<String>,
    /// What is asked.
    pub query: String,
    /// What is right.
    pub gold: Gold,
}

/// What a good answer contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gold {
    /// Places in files.
    Targets(Vec<Target>),
    /// What has to change to mend what an issue tells of.
    Issue {
        /// Paths.
        files: Vec<String>,
        /// Names as `path:Class.method`.
        functions: Vec<String>,
    },
}

/// A file, or some lines of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Relative to the repository's root.
    pub path: String,
    /// First and last line; none: any place in the file.
    pub lines: Option<(u32, u32)>,
}

/// The two kinds of lines, which are measured differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Lines with `targets`.
    Queries,
    /// Lines with `gold_functions`.
    Issues,
}

impl Family {
    /// Both.
    pub const ALL: [Family; 2] = [Family::Queries, Family::Issues];

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Family::Queries => "queries",
            Family::Issues => "issues",
        }
    }
}

impl Question {
    /// How it is measured.
    pub fn family(&self) -> Family {
        match self.gold {
            Gold::Targets(_) => Family::Queries,
            Gold::Issue { .. } => Family::Issues,
        }
    }
}

/// Reads a set. Empty lines are skipped and unknown fields ignored; anything else that is wrong is told with its line.
pub fn parse_set(name: &str, text: &str) -> Result<Vec<Question>> {
    let mut questions: Vec<Question> = Vec::new();
    let mut lines_of: BTreeMap<String, usize> = BTreeMap::new();
    for (i, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let line = i + 1;
        let question = parse_line(line, row).and_then(|question| match lines_of.insert(question.id.clone(), line) {
            Some(first) => Err(format!("the id {:?} is that of line {first} too", question.id)),
            None => Ok(question),
        });
        questions.push(question.map_err(|what| invalid(format!("{name}, line {line}: {what}")))?);
    }
    if questions.is_empty() {
        return Err(invalid(format!("{name}: there are no questions in it")));
    }
    Ok(questions)
}

pub(crate) fn invalid(message: String) -> Error {
    Error { kind: ErrorKind::Invalid, message }
}

type Row = Map<String, Value>;

fn parse_line(line: usize, text: &str) -> std::result::Result<Question, String> {
    let row: Value = serde_json::from_str(text).map_err(|e| format!("this is no JSON: {e}"))?;
    let Value::Object(row) = row else { return Err("an object is expected, such as {\"id\": ...}".to_owned()) };
    let is_issue = row.contains_key("instance_id") || row.contains_key("gold_functions");
    let (id, query) = if is_issue { ("instance_id", "problem_statement") } else { ("id", "query") };
    let gold = if is_issue {
        Gold::Issue { files: texts(&row, "gold_files")?, functions: functions(&row)? }
    } else {
        Gold::Targets(targets(&row)?)
    };
    Ok(Question {
        line,
        id: text_of(&row, id)?,
        repo: optional(&row, "repo")?,
        language: optional(&row, "language")?,
        category: optional(&row, "category")?,
        query: text_of(&row, query)?,
        gold,
    })
}

fn optional(row: &Row, key: &str) -> std::result::Result<Option<String>, String> {
    match row.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
        Some(other) => Err(format!("{key:?} must be a text that is not empty, not {other}")),
    }
}

fn text_of(row: &Row, key: &str) -> std::result::Result<String, String> {
    optional(row, key)?.ok_or_else(|| format!("{key:?} is missing"))
}

fn texts(row: &Row, key: &str) -> std::result::Result<Vec<String>, String> {
    let Some(list) = row.get(key) else { return Err(format!("{key:?} is missing")) };
    let list = list.as_array().filter(|l| !l.is_empty()).ok_or_else(|| format!("{key:?} must be a list of texts"))?;
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| format!("{key:?} has {value} in it"));
    list.iter().map(text).collect()
}

fn functions(row: &Row) -> std::result::Result<Vec<String>, String> {
    let names = texts(row, "gold_functions")?;
    match names.iter().find(|name| !name.contains(':')) {
        Some(name) => Err(format!("\"gold_functions\": {name:?} is not of the form path:Class.method")),
        None => Ok(names),
    }
}

fn targets(row: &Row) -> std::result::Result<Vec<Target>, String> {
    let Some(list) = row.get("targets") else { return Err("\"targets\" is missing".to_owned()) };
    let list = list.as_array().filter(|l| !l.is_empty()).ok_or("\"targets\" must be a list that is not empty")?;
    let target = |(i, value): (usize, &Value)| {
        let at = |what: String| format!("target {}: {what}", i + 1);
        let row = value.as_object().ok_or_else(|| at("an object with \"path\" is expected".to_owned()))?;
        let path = text_of(row, "path").map_err(at)?;
        let number = |key: &str| match row.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0) {
                Some(n) => Ok(Some(n)),
                None => Err(at(format!("{key:?} must be a line number, not {value}"))),
            },
        };
        let lines = match (number("start_line")?, number("end_line")?) {
            (None, None) => None,
            (Some(start), end) if end.is_none_or(|end| end >= start) => Some((start, end.unwrap_or(start))),
            (Some(start), _) => return Err(at(format!("it ends before line {start}, where it starts"))),
            (None, Some(_)) => return Err(at("\"end_line\" needs a \"start_line\"".to_owned())),
        };
        Ok(Target { path, lines })
    };
    list.iter().enumerate().map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::{Family, Gold, Target, parse_set};

    #[test]
    fn lines_are_questions() {
        let set = concat!(
            r#"{"id": "a", "repo": "r", "query": "q", "targets": [{"path": "p"}, {"path": "s", "start_line": 3, "end_line": 5}], "extra": 1}"#,
            "\n\n",
            r#"{"instance_id": "i", "repo": "o/r", "base_commit": "c", "problem_statement": "s", "gold_files": ["f.py"], "gold_functions": ["f.py:A.b"]}"#,
        );
        let questions = parse_set("x", set).unwrap();
        assert_eq!(questions.iter().map(|q| (q.line, q.id.as_str())).collect::<Vec<_>>(), [(1, "a"), (3, "i")]);
        let targets = vec![Target { path: "p".into(), lines: None }, Target { path: "s".into(), lines: Some((3, 5)) }];
        assert_eq!(questions[0].gold, Gold::Targets(targets));
        assert_eq!(questions[1].family(), Family::Issues);
        assert_eq!(questions[1].query, "s");
    }

    #[test]
    fn a_bad_line_is_told_with_its_number() {
        let good = r#"{"id": "a", "query": "q", "targets": [{"path": "p"}]}"#;
        let check = |line: &str, expect: &str| {
            let error = parse_set("set.jsonl", &format!("{good}\n{line}")).unwrap_err().to_string();
            assert!(error.starts_with("set.jsonl, line 2: ") && error.contains(expect), "{line}: {error}");
        };
        check("{", "this is no JSON");
        check("[]", "an object is expected");
        check(good, "the id \"a\" is that of line 1 too");
        check(r#"{"id": "b", "targets": [{"path": "p"}]}"#, "\"query\" is missing");
        check(r#"{"id": "b", "query": " ", "targets": [{"path": "p"}]}"#, "\"query\" must be a text that is not empty");
        check(r#"{"query": "q", "targets": [{"path": "p"}]}"#, "\"id\" is missing");
        check(r#"{"id": 7, "query": "q", "targets": [{"path": "p"}]}"#, "\"id\" must be a text");
        check(r#"{"id": "b", "query": "q"}"#, "\"targets\" is missing");
        check(r#"{"id": "b", "query": "q", "targets": []}"#, "\"targets\" must be a list that is not empty");
        check(r#"{"id": "b", "query": "q", "targets": ["p"]}"#, "target 1: an object with \"path\"");
        check(r#"{"id": "b", "query": "q", "targets": [{"path": "p"}, {}]}"#, "target 2: \"path\" is missing");
        let lines = |lines: &str| format!(r#"{{"id": "b", "query": "q", "targets": [{{"path": "p", {lines}}}]}}"#);
        check(&lines(r#""start_line": 0"#), "target 1: \"start_line\" must be a line number, not 0");
        check(&lines(r#""start_line": 5, "end_line": 4"#), "it ends before line 5");
        check(&lines(r#""end_line": 4"#), "\"end_line\" needs a \"start_line\"");
        let issue = |gold: &str| format!(r#"{{"instance_id": "i", "problem_statement": "s", {gold}}}"#);
        check(&issue(r#""gold_files": ["f"]"#), "\"gold_functions\" is missing");
        check(&issue(r#""gold_files": ["f"], "gold_functions": ["f"]"#), "not of the form path:Class.method");
        check(&issue(r#""gold_files": [1], "gold_functions": ["f:g"]"#), "\"gold_files\" has 1 in it");
        assert_eq!(parse_set("e", "\n").unwrap_err().to_string(), "e: there are no questions in it");
    }
}
