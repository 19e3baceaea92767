//! `cds search`: ranking, granularity, snippets, budgets, pages.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fixture::{Project, column};

/// Scores of the hits.
fn scores(response: &Value) -> Vec<f64> {
    response["hits"].as_array().unwrap().iter().map(|h| h["score"].as_f64().unwrap()).collect()
}

#[test]
fn c3_names_alone_answer_when_they_are_enough_else_bm25_joins_below() {
    let mut fixture = String::new();
    for i in 0..3 {
        fixture.push_str(&format!("//- p{i}.py\ndef connect():\n    return {i}\n"));
        fixture.push_str(&format!("//- r{i}.rs\npub fn connect() -> u8 {{ {i} }}\n"));
    }
    fixture.push_str("//- other.py\ndef open_it():\n    \"\"\"Opens: connect and wait.\"\"\"\n    return connect()\n");
    fixture.push_str("//- few.py\ndef disconnect_all():\n    return 0\n\n\ndef stop():\n    return disconnect_all()\n");
    let project = Project::new(&fixture);
    let ask = |query: &str, more: &[&str]| project.json(&[&["search", query, "--preset", "cds-index"], more].concat());

    let enough = ask("connect", &[]);
    assert_eq!(column(&enough, "match_type"), ["name"; 6], "no BM25: {enough}");
    assert_eq!(scores(&enough), [1.0; 6]);

    for (query, more) in [("connect", &["--upper-threshold", "10"][..]), ("disconnect_all", &[])] {
        let joined = ask(query, more);
        let ids = column(&joined, "id");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no entity twice: {ids:?}");
        let kinds = column(&joined, "match_type");
        let names = kinds.iter().take_while(|k| *k == "name").count();
        assert!(names > 0 && names < kinds.len(), "{kinds:?}");
        assert!(kinds[names..].iter().all(|k| k == "bm25"), "names stand above: {kinds:?}");
        assert!(scores(&joined)[..names].iter().all(|s| (*s - 1.0).abs() < 1e-6));
        assert!(scores(&joined)[names..].iter().all(|s| (0.0..1.0).contains(s)));
        assert!(scores(&joined).is_sorted_by(|a, b| a >= b));
    }
    assert!(column(&ask("connect", &["--upper-threshold", "10"]), "id").contains(&"other.py:open_it".to_owned()));
}

#[test]
fn c4_prefixes_of_names_then_content() {
    let cases = [
        "//- a.py
def sanitize_html(text):
    return text

def sanitize_input(text):
    return text

def validate_user_data(data):
    return check(data)

def clean_input(value):
    \"\"\"Cleans what the user typed as input.\"\"\"
    return value

def unrelated():
    return 1
",
        "//- a.rs
pub fn sanitize_html(text: &str) {}
pub fn sanitize_input(text: &str) {}
pub fn validate_user_data(data: &str) { check(data) }
/// Cleans what the user typed as input.
pub fn clean_input(value: &str) {}
pub fn unrelated() {}
",
        "//- a.go
package a

func sanitize_html(text string) {}
func sanitize_input(text string) {}
func validate_user_data(data string) { check(data) }

// Cleans what the user typed as input.
func clean_input(value string) {}
func unrelated() {}
",
    ];
    for fixture in cases {
        let project = Project::new(fixture);
        let found = project.json(&["search", "sanitize user input", "--preset", "cds-index"]);
        let names = column(&found, "name");
        assert_eq!(names[..2], ["sanitize_html", "sanitize_input"], "{fixture}");
        let mut rest = names[2..].to_vec();
        rest.sort();
        assert_eq!(rest, ["clean_input", "validate_user_data"], "{fixture}");
        assert_eq!(column(&found, "match_type"), ["name", "name", "bm25", "bm25"]);
    }
}

#[test]
fn s1_words_of_a_doc_comment_are_found_and_add_to_those_of_the_code() {
    let project = Project::new(
        "\
//- a.py
def check_it(a, b):
    \"\"\"Validates user credentials.\"\"\"
    return a == b


def other(a):
    return a
//- b.rs
/// Validates user credentials.
pub fn check_it(a: u8) -> bool {
    a > 1
}

pub fn other() {}
//- c.go
package c

// CheckIt validates user credentials.
func CheckIt(a int) bool { return a > 1 }

func Other() {}
//- D.java
class D {
    /** Validates user credentials. */
    boolean checkIt(int a) { return a > 1; }

    void other() {}
}
",
    );
    for (path, id) in
        [("a.py", "a.py:check_it"), ("b.rs", "b.rs:check_it"), ("c.go", "c.go:CheckIt"), ("D.java", "D.java:D.checkIt")]
    {
        assert_eq!(project.ids(&["search", "validates user credentials", "--path", path]), [id]);
    }

    let both = Project::new(
        "\
//- both.py
def first():
    \"\"\"Rotates the ledger.\"\"\"
    return ledger.rotate(1)
//- code.py
def second():
    \"\"\"Does something.\"\"\"
    return ledger.rotate(1)
//- doc.py
def third():
    \"\"\"Rotates the ledger.\"\"\"
    return something(1)
",
    );
    for preset in ["default", "bm25"] {
        let found = both.json(&["search", "ledger", "--preset", preset]);
        assert_eq!(column(&found, "path").len(), 3, "{preset}");
        assert_eq!(column(&found, "path")[0], "both.py", "{preset}: doc and code add up");
    }
}

#[test]
fn s8_highlights_point_at_the_matched_text() {
    let project = Project::new(
        "\
//- wide.py
def authenticate(user):
    名前 = \"日本語 🎉\"; authenticated = authenticate_now(名前)  # authenticates ñ
    return authenticated
//- wide.rs
/// 🎉🎉 Authenticates 用户 – once.
pub fn authenticate() { let é = authenticate_now(); }
//- wide.go
package wide

// 日本 Authenticate signs in.
func Authenticate() {}
//- wide.md
# 認証
認証 authenticate 認証
",
    );
    for snippet in ["fold", "preview", "full"] {
        for hit in project.json(&["search", "authenticate", "--snippet", snippet])["hits"].as_array().unwrap() {
            let text: Vec<&str> = hit["snippet"].as_str().unwrap().lines().collect();
            let first = hit["snippet_line"].as_u64().unwrap();
            let highlights = hit["highlights"].as_array().cloned().unwrap_or_default();
            assert!(!highlights.is_empty() || snippet == "fold", "{}", hit["id"]);
            for span in &highlights {
                let [line, from, to] = [0, 1, 2].map(|i| span[i].as_u64().unwrap());
                let line = text[(line - first) as usize];
                let shown: String = line.chars().skip(from as usize).take((to - from) as usize).collect();
                assert!(shown.to_lowercase().starts_with("authenticate"), "{shown:?} in {line:?}");
                assert!(shown.chars().all(|c| c.is_alphanumeric() || c == '_'), "{shown:?}");
            }
        }
    }
    let found = project.json(&["search", "authenticate", "--path", "wide.py"]);
    let on_line_2: Vec<&Value> =
        found["hits"][0]["highlights"].as_array().unwrap().iter().filter(|h| h[0] == 2).collect();
    assert_eq!(on_line_2.len(), 3, "authenticated, the part of authenticate_now, authenticates: {on_line_2:?}");
    assert_eq!((&on_line_2[0][1], &on_line_2[0][2]), (&18.into(), &31.into()));
    let chinese = project.json(&["search", "認証"]);
    assert_eq!(chinese["hits"][0]["path"], "wide.md");
}

#[test]
fn c9_fold_preview_and_full() {
    let body = |line: &str| (0..30).map(|i| format!("    {line}{i}\n")).collect::<String>();
    let project = Project::new(&format!(
        "//- a.py\ndef long_one(a, b):\n{}    needle(a)\n{}    return b\n//- b.go\npackage b\n\nfunc LongOne(a int) {{\n{}    needle(a)\n}}\n",
        body("x = "),
        body("y = "),
        body("z := "),
    ));
    let check = |path: &str, signature: &str, lines: usize| {
        let ask = |snippet: &str| {
            let found = project.json(&["search", "needle", "--path", path, "--snippet", snippet]);
            found["hits"][0]["snippet"].as_str().unwrap().to_owned()
        };
        assert_eq!(ask("fold"), signature);
        // Several levels come together; the first is the snippet.
        let all = &project.json(&["search", "needle", "--path", path, "--snippet", "preview,fold,full"])["hits"][0];
        assert_eq!(all["snippet"], ask("preview"));
        for level in ["fold", "preview", "full"] {
            assert_eq!(all["snippets"][level], ask(level), "{level}");
        }
        let preview = ask("preview");
        assert_eq!(preview.lines().count(), 5);
        assert!(preview.contains("needle(a)"), "the lines that match: {preview}");
        let full = ask("full");
        assert_eq!(full.lines().count(), lines, "{full}");
        let file = std::fs::read_to_string(project.path(path)).unwrap();
        assert!(file.contains(&full), "the whole code, as it stands in the file");
    };
    check("a.py", "def long_one(a, b)", 63);
    check("b.go", "func LongOne(a int)", 33);
}

#[test]
fn c11_comments_can_be_left_out() {
    let fixture = "\
//- a.py
# zebra in a comment
def first():
    \"\"\"Giraffe in a docstring.\"\"\"
    return code_word
//- b.rs
// zebra in a comment
/// Giraffe in a doc comment.
pub fn second() { code_word(); }
//- C.java
/** Giraffe in javadoc. */
class C { /* zebra */ void third() { code_word(); } }
";
    let check = |project: &Project, comments: bool| {
        for (query, found) in [("zebra", comments), ("giraffe", comments), ("code_word", true)] {
            let hits = project.ids(&["search", query]);
            assert_eq!(hits.len(), if found { 3 } else { 0 }, "{query} with comments {comments}: {hits:?}");
        }
    };
    let project = Project::new(fixture);
    check(&project, true);
    project.write(".cds.toml", "[index]\ncomments = false\n");
    check(&project, false);
    project.remove(".cds.toml");
    project.cds(&["index"]);
    check(&project, true);

    let project = Project::new(fixture);
    project.cds(&["index", "--no-comments"]);
    check(&project, false);
    // What was asked of the index holds when a search brings it up to date.
    project.write("d.py", "# zebra\nnothing = 1\n");
    check(&project, false);
    assert_eq!(project.json(&["status"])["freshness"], "fresh");
}

const SHOP: &str = "\
//- cart.py
class Cart:
    def add_order(self, order):
        self.order = order

    def drop_order(self, order):
        order.drop()

    def count_order(self):
        return self.order

    def print_order(self):
        print(self.order)

    def send_order(self):
        send(self.order)
//- invoice.rs
pub fn invoice_order(order: &Order) {}
pub fn mail_invoice(invoice: u8) {}
//- note.go
package note

func Note(order string) {}
//- readme.md
# Orders

An order is placed.
//- unrelated.py
def nothing():
    pass
";

#[test]
fn b1_documents_are_the_best_files_with_their_best_chunks() {
    let project = Project::new(SHOP);
    let ask = |more: &[&str]| project.json(&[&["search", "order", "--granularity", "document"], more].concat());
    let chunks = |hit: &Value| hit["chunks"].as_array().unwrap().len();
    let found = ask(&[]);
    let mut paths = column(&found, "path");
    paths.sort();
    assert_eq!(paths, ["cart.py", "invoice.rs", "note.go", "readme.md"]);
    for hit in found["hits"].as_array().unwrap() {
        assert_eq!(hit["entity_type"], "file");
        assert!((1..=3).contains(&chunks(hit)), "{}", hit["path"]);
        assert!(hit["chunk_count"].as_u64().unwrap() >= chunks(hit) as u64);
        assert_eq!(hit["languages"][0], hit["primary_language"]);
        assert!(hit["size"].as_u64().unwrap() > 0 && hit["last_modified"].as_u64().unwrap() > 0);
        let inside = hit["chunks"].as_array().unwrap();
        assert!(inside.iter().all(|c| c["path"] == hit["path"]));
        assert!(inside.iter().map(|c| c["score"].as_f64().unwrap()).is_sorted_by(|a, b| a >= b));
    }
    let cart =
        |found: &Value| found["hits"].as_array().unwrap().iter().find(|h| h["path"] == "cart.py").cloned().unwrap();
    assert_eq!(chunks(&cart(&found)), 3);
    assert_eq!(cart(&found)["more_in_file"], 2, "five chunks of it match");
    assert_eq!(cart(&found)["primary_language"], "python");
    assert_eq!(chunks(&cart(&ask(&["--chunks-per-file", "1"]))), 1);
    assert_eq!(chunks(&cart(&ask(&["--chunks-per-file", "50"]))), 5);
    let two = ask(&["--files", "2"]);
    assert_eq!(column(&two, "path"), column(&found, "path")[..2]);
    assert_eq!(two["total"], 4);
}

#[test]
fn b2_chunks_stand_together_by_file_and_files_by_what_they_add_up_to() {
    let project = Project::new(SHOP);
    let ask =
        |more: &[&str]| project.json(&[&["search", "order", "--granularity", "chunk", "--limit", "50"], more].concat());
    let found = ask(&[]);
    let mut groups: Vec<(String, f64)> = Vec::new();
    for hit in found["hits"].as_array().unwrap() {
        let (path, score) = (hit["path"].as_str().unwrap().to_owned(), hit["group_score"].as_f64().unwrap());
        assert!((0.0..=1.0).contains(&score), "{hit}");
        if groups.last().is_none_or(|(last, _)| *last != path) {
            groups.push((path, score));
        }
    }
    let paths: BTreeSet<&str> = groups.iter().map(|(p, _)| p.as_str()).collect();
    assert_eq!(paths.len(), groups.len(), "each file's chunks stand together: {groups:?}");
    assert!(groups.iter().map(|(_, s)| s).is_sorted_by(|a, b| a >= b), "{groups:?}");
    assert_eq!(groups[0].0, "cart.py", "five chunks weigh more than one");
    assert_eq!((column(&found, "path").len(), &found["total"]), (6, &6.into()), "three of a file");
    assert_eq!(found["hits"][0]["more_in_file"], 2);
    assert_eq!(column(&ask(&["--chunks-per-file", "9"]), "path").len(), 8);
    let of_one = ask(&["--files", "1"]);
    assert_eq!((column(&of_one, "path"), &of_one["total"]), (vec!["cart.py".to_owned(); 3], &3.into()));
}

#[test]
fn b7_a_file_in_two_languages_lists_both_and_the_larger_first() {
    let script = "function alpha(one, two) { return one + two; }\n".repeat(20);
    let prose = "<p>Some words of alpha prose stand here.</p>\n".repeat(20);
    let python = "def alpha(one, two):\n    return one + two\n".repeat(20);
    let project = Project::new(&format!(
        "\
//- code.html
<html><body><p>alpha</p><script>
{script}</script></body></html>
//- prose.html
<html><body>{prose}<script>
alpha(1);
</script></body></html>
//- code.md
# alpha

```python
{python}```
//- prose.md
# alpha

{prose}

```python
alpha(1)
```
"
    ));
    let check = |path: &str, primary: &str, languages: &[&str]| {
        let found = project.json(&["search", "alpha", "--granularity", "document", "--path", path]);
        let hit = &found["hits"][0];
        assert_eq!(
            (&hit["primary_language"], &hit["languages"]),
            (&primary.into(), &serde_json::json!(languages)),
            "{path}"
        );
    };
    check("code.html", "javascript", &["javascript", "html"]);
    check("prose.html", "html", &["html", "javascript"]);
    check("code.md", "python", &["python", "markdown"]);
    check("prose.md", "markdown", &["markdown", "python"]);
}

#[test]
fn b7_a_chunk_is_in_the_language_of_the_block_it_lies_in() {
    let project = Project::new(
        "\
//- app.vue
<template>
  <p>alpha</p>
</template>

<script lang=\"ts\">
import { base } from './base';
const start: number = base;
export function alpha(one: number): number {
  return one + start;
}
</script>

<style>
.alpha { color: red }
</style>
//- page.html
<p>alpha</p>
<script>
function alpha() { return 1; }
</script>
//- guide.md
# alpha

```typescript
function alpha(one: number): number {
  return one + 1;
}
```

# words of alpha

Prose of alpha with a short example, which stays prose.

```ts
alpha(1);
```
//- tiny.md
# alpha

Words, words and more words, as many as it takes.

```go
alpha()
```
",
    );
    let found = |granularity: &str, language: &str| {
        let all = [
            "search",
            "alpha",
            "--granularity",
            granularity,
            "--lang",
            language,
            "--limit",
            "50",
            "--chunks-per-file",
            "9",
        ];
        let found = project.json_or_nothing(&all);
        let hits = found["hits"].as_array().unwrap().iter();
        let shown = |hit: &serde_json::Value| {
            format!("{}:{} {}", hit["path"].as_str().unwrap(), hit["start_line"], hit["language"].as_str().unwrap())
        };
        let mut shown: Vec<String> = hits.map(shown).collect();
        shown.sort();
        shown
    };
    assert_eq!(found("chunk", "typescript"), ["app.vue:8 typescript", "guide.md:1 typescript"]);
    assert_eq!(found("chunk", "javascript"), ["page.html:3 javascript"]);
    assert_eq!(found("chunk", "html"), ["app.vue:1 html", "app.vue:11 html", "page.html:1 html"]);
    assert_eq!(found("chunk", "markdown"), ["guide.md:9 markdown", "tiny.md:1 markdown"]);
    // A file represents its text outside definitions if the file itself is in that language.
    assert_eq!(found("entity", "typescript"), ["app.vue:8 typescript"]);
    // A document has all languages that stand in it.
    let of_documents = |language: &str| {
        let found = project.json(&[
            "search",
            "alpha",
            "--granularity",
            "document",
            "--lang",
            language,
            "--chunks-per-file",
            "1",
        ]);
        let mut paths = column(&found, "path");
        paths.sort();
        paths
    };
    assert_eq!(of_documents("typescript"), ["app.vue", "guide.md"]);
    assert_eq!(of_documents("go"), ["tiny.md"]);
    assert_eq!(found("chunk", "go"), [""; 0]);
    let symbols = project.json(&["symbol", "alpha", "--lang", "typescript"]);
    assert_eq!(column(&symbols, "path"), ["app.vue"]);
}

#[test]
fn spans_and_hashes_are_those_of_the_file_on_disk() {
    let project = Project::new("//- plain.py\ndef needle(): pass\n");
    let code = "# first caf\u{e9} of na\u{ef}ve needles\nx = 1\n\n\ndef needle():\n    return 'caf\u{e9}'\n\n\ndef other():\n    return needle()\n";
    let long: String = (0..200).map(|i| format!("    caf\u{e9}_{i} = needle({i})\n")).collect();
    let code = format!("{code}\n\ndef long_needle():\n{long}");
    let latin: Vec<u8> = code.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let files: [(&str, Vec<u8>); 6] = [
        ("utf8.py", code.clone().into_bytes()),
        ("marked.py", [b"\xEF\xBB\xBF", code.as_bytes()].concat()),
        ("latin.py", latin.clone()),
        ("marked_latin.py", [&b"\xEF\xBB\xBF"[..], &latin].concat()),
        ("crlf.py", code.replace('\n', "\r\n").into_bytes()),
        ("wide.py", [vec![0xFF, 0xFE], wide(&code)].concat()),
    ];
    for (name, bytes) in &files {
        std::fs::write(project.path(name), bytes).unwrap();
        let number = |hit: &serde_json::Value, name: &str| usize::try_from(hit[name].as_u64().unwrap()).unwrap();
        let bytes_of = |hit: &serde_json::Value| bytes[number(hit, "start_byte")..number(hit, "end_byte")].to_vec();
        let found = project.json(&[
            "search",
            "needle",
            "--granularity",
            "chunk",
            "--path",
            name,
            "--limit",
            "50",
            "--chunks-per-file",
            "50",
        ]);
        let hits = found["hits"].as_array().unwrap();
        assert!(hits.len() >= 5, "{name}: {found}");
        assert!(hits.iter().filter(|hit| hit["name"] == "long_needle").count() > 1, "{name}: one is split");
        for hit in hits {
            assert_eq!(hit["hash"], blake3::hash(&bytes_of(hit)).to_hex().as_str(), "{name}: {hit}");
        }
        let needle = project.json(&["retrieve", &format!("{name}:needle")]);
        let begin = bytes_of(&needle["hits"][0]);
        let expect = if *name == "wide.py" { wide("def needle") } else { b"def needle".to_vec() };
        assert!(begin.starts_with(&expect), "{name}: {begin:?}");
        assert!(needle["hits"][0]["snippet"].as_str().unwrap().starts_with("def needle():\n    return 'caf"), "{name}");
        let lines = project.json(&["retrieve", &format!("{name}:5-6")]);
        assert!(bytes_of(&lines["hits"][0]).starts_with(&expect), "{name}");
        assert_eq!(lines["hits"][0]["start_byte"], needle["hits"][0]["start_byte"], "{name}");
    }
}

#[test]
fn a_file_is_one_hit_and_says_how_much_more_matched() {
    let project = Project::new(SHOP);
    let found = project.json(&["search", "order"]);
    let paths = column(&found, "path");
    assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), paths.len());
    let cart = found["hits"].as_array().unwrap().iter().find(|h| h["path"] == "cart.py").unwrap();
    assert_eq!(cart["more_in_file"], 4);
    let three = project.json(&["search", "order", "--path", "cart.py", "--chunks-per-file", "3"]);
    assert_eq!(column(&three, "path"), ["cart.py"; 3]);
}

#[test]
fn phrases_must_stand_and_prefixes_may_go_on() {
    let project = Project::new(
        "\
//- a.py
def a():
    return \"connection reset by peer\"
//- b.py
def b():
    return \"reset the connection\"
//- c.py
def c():
    \"\"\"It retries.\"\"\"
//- d.py
def retry_policy():
    return authenticate()
//- e.py
def e():
    return \"authentication of connectionless retrieval\"
",
    );
    let check = |query: &str, expect: &[&str]| {
        let found = project.cds(&["search", query, "--preset", "bm25", "-f", "paths"]);
        let mut paths: Vec<&str> = found.stdout.lines().collect();
        paths.sort_unstable();
        assert_eq!(paths, expect, "{query}");
    };
    check("\"connection reset\"", &["a.py"]);
    check("\"reset connection\"", &[]);
    check("\"reset the connection\"", &["b.py"]);
    check("\"connection reset\" peer", &["a.py"]);
    check("\"connection reset\" \"reset by\"", &["a.py"]);
    check("\"connection reset\" \"authentication of\"", &[]);
    check("connection reset", &["a.py", "b.py"]);
    check("\"peer\"", &["a.py"]);
    check("connection*", &["a.py", "b.py", "e.py"]);
    check("connectionl*", &["e.py"]);
    check("retri*", &["c.py", "d.py", "e.py"]);
    check("retriev*", &["e.py"]);
    check("retry*", &["c.py", "d.py"]);
    check("retries*", &["c.py", "d.py"]);
    check("authenticat*", &["d.py", "e.py"]);
    check("zzz*", &[]);
    check("unclosed \"connection", &["a.py", "b.py"]);
}

#[test]
fn a_budget_gives_fewer_hits_and_says_what_was_left_out() {
    let many: String = (0..10)
        .map(|i| format!("//- f{i}.py\ndef needle_{i}(first_argument, second_argument):\n    \"\"\"About a needle.\"\"\"\n    return first_argument\n"))
        .collect();
    let project = Project::new(&many);
    let all = project.json(&["search", "needle"]);
    assert_eq!((column(&all, "id").len(), &all["warnings"]), (10, &serde_json::json!([])));
    let mut last = 0;
    for budget in ["60", "150", "300", "100000"] {
        let found = project.json(&["search", "needle", "--max-tokens", budget]);
        let ids = column(&found, "id");
        assert!(!ids.is_empty() && ids.len() >= last, "{budget}: {ids:?}");
        assert_eq!(ids, column(&all, "id")[..ids.len()], "best first");
        last = ids.len();
        let text: String = column(&found, "snippet").concat();
        assert!(text.len() < budget.parse::<usize>().unwrap() * 4, "{budget} tokens: {}", text.len());
        if budget == "100000" {
            assert_eq!((ids.len(), &found["warnings"]), (10, &serde_json::json!([])));
        } else {
            let warning = found["warnings"][0].as_str().unwrap();
            let left_out = format!("max_tokens {budget}: {} hit", 10 - ids.len());
            assert!(warning.starts_with(&left_out) && warning.contains("cursor"), "{warning}");
            assert_eq!(found["next_cursor"], ids.len().to_string());
        }
    }
    let one = project.cds(&["search", "needle", "--max-tokens", "1"]);
    assert!(
        one.code == 0 && one.stdout.starts_with("f0.py:1-3  needle_0"),
        "one is shown, whatever it costs: {}",
        one.stdout
    );
    assert!(one.stderr.contains("9 hits left out, 1 cut to one line"), "{}", one.stderr);
}

#[test]
fn pages_do_not_overlap_and_are_complete() {
    let many: String = (0..23)
        .map(|i| {
            format!("//- f{i:02}.py\ndef needle_{i}():\n    return 1\n\n\ndef other_{i}():\n    return needle_{i}()\n")
        })
        .collect();
    let project = Project::new(&many);
    for (granularity, most, more) in [
        ("file", 23, &[][..]),
        ("document", 23, &[]),
        ("chunk", 46, &[]),
        ("chunk", 23, &["--chunks-per-file", "1"]),
        ("entity", 46, &[]),
    ] {
        let ask = |rest: &[&str]| {
            let args = [&["search", "needle", "--granularity", granularity], more, rest].concat();
            project.json(&args)
        };
        let whole = ask(&["--limit", "1000"]);
        assert_eq!((column(&whole, "id").len(), &whole["next_cursor"]), (most, &Value::Null), "{granularity}");
        let mut pages = Vec::new();
        let mut cursor = Some("0".to_owned());
        while let Some(at) = cursor {
            let page = ask(&["--limit", "7", "--cursor", &at]);
            pages.extend(column(&page, "id"));
            assert_eq!(page["total"], whole["total"], "{granularity}");
            cursor = page["next_cursor"].as_str().map(str::to_owned);
        }
        assert_eq!(pages, column(&whole, "id"), "{granularity} {more:?}");
    }
}

#[test]
fn two_equal_runs_answer_alike() {
    let mut fixture = SHOP.to_owned();
    for i in 0..40 {
        fixture.push_str(&format!("//- same/f{i:02}.py\ndef equal():\n    return order\n"));
    }
    let project = Project::new(&fixture);
    let answers = || {
        let commands: [&[&str]; 8] = [
            &["search", "order"],
            &["search", "order", "-f", "json", "--limit", "40"],
            &["search", "equal order", "--preset", "cds-index", "-f", "json"],
            &["search", "order", "--granularity", "document", "-f", "toon"],
            &["symbol", "equal", "-f", "json"],
            &["symbol", "eqaul", "--fuzzy", "-f", "json"],
            &["grep", "order", "-f", "json"],
            &["outline", "-f", "json"],
        ];
        commands.map(|args| {
            let text = project.cds(args).stdout;
            match serde_json::from_str::<Value>(&text) {
                Ok(mut value) if value.get("timings_ms").is_some() => {
                    value["timings_ms"].take();
                    value.to_string()
                }
                _ => text,
            }
        })
    };
    let first = answers();
    assert!(first.iter().all(|a| !a.is_empty()));
    assert_eq!(first, answers());
    let order = project.ids(&["search", "order", "-n", "50"]);
    project.cds(&["index", "--force"]);
    assert_eq!(project.ids(&["search", "order", "-n", "50"]), order, "a clean build ranks alike");
}

#[test]
fn the_first_search_indexes_and_is_quiet_in_a_pipe() {
    let project = Project::new(SHOP);
    let output = project.cds(&["search", "order", "-f", "paths"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.contains("cart.py"));
    assert!(project.path(".cds-index/manifest.json").exists());
    assert_eq!(std::fs::read_to_string(project.path(".cds-index/.gitignore")).unwrap(), "*\n");
}

#[test]
fn a_search_sees_what_changed_and_marks_what_it_did_not_read_again() {
    let project = Project::new("//- a.py\ndef first():\n    return apple\n");
    assert_eq!(project.ids(&["search", "apple"]), ["a.py:first"]);
    project.write("a.py", "# one more line\n\n\ndef first():\n    return pear\n");
    let stale = project.json(&["search", "apple", "--no-update"]);
    let hit = &stale["hits"][0];
    assert_eq!((&hit["stale"], &hit["start_line"]), (&true.into(), &1.into()));
    assert_eq!(hit["snippet"], "def first():\n    return apple", "lines and text agree with each other");
    assert!(stale["warnings"][0].as_str().unwrap().contains("run `cds index`"));
    let fresh = project.json(&["search", "pear"]);
    let hit = &fresh["hits"][0];
    assert_eq!((&hit["stale"], &hit["start_line"]), (&false.into(), &4.into()));
    assert_eq!(project.cds(&["search", "apple"]).code, 1);
}

#[test]
fn sources_stand_above_tests_unless_tests_are_asked_for() {
    let project = Project::new(
        "\
//- src/parse_config.py
def parse_config(text):
    return text
//- tests/test_parse_config.py
def test_parse_config():
    assert parse_config(\"a\") == parse_config(\"a\")
",
    );
    assert_eq!(column(&project.json(&["search", "parse config"]), "path")[0], "src/parse_config.py");
    assert_eq!(column(&project.json(&["search", "tests of parse config"]), "path")[0], "tests/test_parse_config.py");
}
