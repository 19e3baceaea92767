//! Acceptance scenarios of understanding questions: what is read from how they are asked, stacks and reports that are pasted. A test is named
//! by the id of its scenario, where it has one; each holds in every language that has a row.

use cds_encode::Models;
use cds_model::{Hit, Query};
use cds_search::{Intent, parse};
use proptest::prelude::*;

use crate::fixture::{Tree, query};
use crate::scenarios::{check, without_models};

#[test]
fn r8_a_question_is_taken_apart() {
    let parsed = parse("find authentication handler in golang");
    assert_eq!(parsed.intent, Intent::Navigational);
    assert_eq!(parsed.keywords, ["authentication", "handler"]);
    assert_eq!(parsed.languages, ["go"]);
    for word in ["auth", "authenticate", "login"] {
        assert!(parsed.expansions.iter().any(|e| e == word), "{word} in {:?}", parsed.expansions);
    }
    assert!(!parsed.expansions.iter().any(|e| e == "authentication"), "what was said is no other word");
    assert!(parsed.confidence > 0.5 && parsed.confidence <= 1.0);
    assert!(!parsed.used_model);
}

#[test]
fn r8_languages_and_names_are_read_where_they_are_meant() {
    let check = |text: &str, languages: &[&str], code: &[&str], keywords: &[&str]| {
        let parsed = parse(text);
        assert_eq!(parsed.languages, languages, "{text}");
        assert_eq!(parsed.code_terms, code, "{text}");
        assert_eq!(parsed.keywords, keywords, "{text}");
    };
    check("find parseQuery in rust", &["rust"], &["parseQuery"], &["parsequery"]);
    check("where is max_size set in c++", &["cpp"], &["max_size"], &["max_size", "set"]);
    check("retry loop in typescript", &["typescript"], &[], &["retry", "loop"]);
    check("session store in C#", &["csharp"], &[], &["session", "store"]);
    check("cache written using kotlin", &["kotlin"], &[], &["cache", "written"]);
    // Not after "in" or "using": a word like any other.
    check("go to definition", &[], &[], &["go", "definition"]);
    check("swift payment cards", &[], &[], &["swift", "payment", "cards"]);
    check("handler in golf", &[], &[], &["handler", "golf"]);
}

#[test]
fn r8_without_a_model_no_word_comes_from_one() {
    let fixture = "//- a.py\ndef login(user):\n    return session(user)\n\ndef authenticate(user):\n    return user\n";
    let tree = without_models(fixture);
    let outcome = tree.search(&query("find authentication handler"));
    assert!(!outcome.parsed.used_model);
    assert!(outcome.parsed.expansions.iter().any(|e| e == "login"), "the table always works");
}

#[test]
fn r9_intent_is_read_from_how_it_is_asked() {
    let check = |text: &str, expect: &str| {
        let parsed = parse(text);
        assert_eq!(parsed.intent.name(), expect, "{text}");
        assert!(parsed.confidence > 0.0 && parsed.confidence <= 1.0, "{text}");
    };
    check("what does ParseQuery do", "factual");
    check("how does authentication work", "exploratory");
    check("why does login call validate", "analytical");
    check("find authentication handler in golang", "navigational");
    check("What is a session", "factual");
    check("which function opens the database", "factual");
    check("how many retries are made", "factual");
    check("How are errors handled", "exploratory");
    check("explain the cache", "exploratory");
    check("what would break if Session changed", "analytical");
    check("what happens if the token expires", "analytical");
    check("where is the config loaded", "navigational");
    check("show me the router", "navigational");
    check("ParseQuery", "navigational");
    check("src/auth.py:42", "navigational");
    check("  why   not", "analytical");
    // Openings are whole words.
    check("whatever tokens", "exploratory");
    check("finder tool", "exploratory");
}

/// Words that the table has others for, each with a word as long that it has none for.
const WORDS: &[(&str, &str)] =
    &[("auth", "quok"), ("cfg", "qfz"), ("conn", "qonk"), ("retry", "quoky"), ("msg", "qsj")];

/// What the table says for them, and words that it does not know.
const OTHERS: &[&str] =
    &["login", "session", "settings", "options", "socket", "pool", "attempt", "event", "total", "reader", "W"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expansions_never_push_down_what_has_the_word(
        files in prop::collection::vec(prop::collection::vec(0..OTHERS.len(), 1..8), 2..6),
        pair in 0..WORDS.len(),
        second in 0..OTHERS.len() - 1,
    ) {
        let order = |word: &str| -> Vec<String> {
            let text = |words: &[usize]| {
                let body: Vec<&str> = words.iter().map(|w| if OTHERS[*w] == "W" { word } else { OTHERS[*w] }).collect();
                format!("def run():\n    return {}\n", body.join(" + "))
            };
            let mut files: Vec<(String, String)> =
                files.iter().enumerate().map(|(i, words)| (format!("f{i}.py"), text(words))).collect();
            // The index has the word.
            files.push(("g.py".to_owned(), format!("def run():\n    return {word}\n")));
            let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
            let tree = Tree::with(files, Models::with(None, None, None));
            tree.found(&query(&format!("{word} {}", OTHERS[second])))
        };
        let (with, without) = WORDS[pair];
        prop_assert_eq!(order(with), order(without));
    }
}

#[test]
fn other_words_find_what_has_no_word_of_the_query() {
    let tree = without_models("//- a.py\ndef login():\n    return 1\n//- b.py\ndef total():\n    return 1\n");
    let found = tree.found(&query("authentication code"));
    assert_eq!(found, ["a.py:login"]);
}

/// A project and a stack through it: the innermost frame is a library's or the project's own; who must come first.
struct Stack {
    files: &'static str,
    text: &'static str,
    expect: &'static str,
}

const STACKS: &[Stack] = &[
    Stack {
        files: "\
//- shop/web.py
from shop.cart import checkout

def handle(request):
    return checkout(request.items)
//- shop/cart.py
from shop.price import total

def checkout(items):
    return total(items)

def clear(items):
    items.clear()
//- shop/price.py
def tax(amount):
    return amount * 2

def total(items):
    amount = 0
    for item in items:
        amount += item[\"price\"]
    return amount

def discount(items):
    return 0
//- tests/test_price.py
from shop.price import total

def test_total():
    assert total([{\"price\": 1}]) == 1
",
        text: "\
Traceback (most recent call last):
  File \"/srv/app/shop/web.py\", line 4, in handle
    return checkout(request.items)
  File \"/srv/app/shop/cart.py\", line 4, in checkout
    return total(items)
  File \"/srv/app/shop/price.py\", line 7, in total
    amount += item[\"price\"]
KeyError: 'price'
",
        expect: "shop/price.py:total",
    },
    // The last frame lies in a library: the innermost of the project counts.
    Stack {
        files: "\
//- app/load.py
import json

def load(path):
    return json.loads(open(path).read())

def store(path):
    return json.dumps(path)
//- app/main.py
from app.load import load

def main():
    return load(\"settings.json\")
",
        text: "\
Traceback (most recent call last):
  File \"app/main.py\", line 4, in main
    return load(\"settings.json\")
  File \"app/load.py\", line 4, in load
    return json.loads(open(path).read())
  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode
    raise JSONDecodeError(\"Expecting value\", s, err.value) from None
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
",
        expect: "app/load.py:load",
    },
    Stack {
        files: "\
//- src/main/java/shop/Web.java
package shop;

public class Web {
    int handle(Request request) {
        return new Cart().checkout(request);
    }
}
//- src/main/java/shop/Cart.java
package shop;

public class Cart {
    int checkout(Request request) {
        return new Price().total(request.items);
    }

    void clear() {
    }
}
//- src/main/java/shop/Price.java
package shop;

public class Price {
    int tax(int amount) {
        return amount * 2;
    }

    int total(Items items) {
        Objects.requireNonNull(items.first);
        return items.first.price;
    }
}
//- src/test/java/shop/PriceTest.java
package shop;

public class PriceTest {
    void total() {
        assert new Price().total(new Items()) == 1;
    }
}
",
        text: "\
Exception in thread \"main\" java.lang.NullPointerException: Cannot read field \"price\" because \"items.first\" is null
\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)
\tat shop.Price.total(Price.java:9)
\tat shop.Cart.checkout(Cart.java:5)
\tat shop.Web.handle(Web.java:5)
",
        expect: "src/main/java/shop/Price.java:Price.total",
    },
    Stack {
        files: "\
//- src/web.ts
import { checkout } from './cart';

export function handle(request: any) {
  return checkout(request.items);
}
//- src/cart.ts
export function clear(items: any) {
  items.length = 0;
}

export function checkout(items: any) {
  return items.map((item: any) => item.price);
}
",
        text: "\
TypeError: Cannot read properties of undefined (reading 'map')
    at checkout (/srv/app/src/cart.ts:6:16)
    at handle (/srv/app/src/web.ts:4:10)
    at Layer.handle_request (/srv/app/node_modules/express/lib/router/layer.js:95:5)
",
        expect: "src/cart.ts:checkout",
    },
    Stack {
        files: "\
//- cart.go
package shop

func clear(items []int) {}

func total(items []int) int {
\treturn items[3]
}
//- web.go
package shop

func handle(items []int) int {
\treturn total(items)
}
",
        text: "\
panic: runtime error: index out of range [3] with length 1

goroutine 1 [running]:
main.total(...)
\t/srv/app/cart.go:6 +0x1d
main.handle(0xc000)
\t/srv/app/web.go:4 +0x2a
",
        expect: "cart.go:total",
    },
];

#[test]
fn a_pasted_stack_puts_the_innermost_function_of_the_project_first() {
    for Stack { files, text, expect } in STACKS {
        check(&Tree::new(files), text, &[], &[expect]);
    }
}

#[test]
fn a_path_with_a_line_means_the_chunk_at_that_line() {
    let languages = [
        ("py", "def first():\n    return 1\n\n\ndef second():\n    return 2\n\n\ndef third():\n    return 3\n"),
        ("rs", "fn first() -> u32 {\n    1\n}\n\nfn second() -> u32 {\n    2\n}\n\nfn third() -> u32 {\n    3\n}\n"),
        (
            "ts",
            "function first() {\n  return 1;\n}\n\nfunction second() {\n  return 2;\n}\n\nfunction third() {\n  return 3;\n}\n",
        ),
        (
            "go",
            "package a\nfunc first() int {\n\treturn 1\n}\nfunc second() int {\n\treturn 2\n}\n\nfunc third() int {\n\treturn 3\n}\n",
        ),
        (
            "kt",
            "fun first(): Int {\n    return 1\n}\n\nfun second(): Int {\n    return 2\n}\n\nfun third(): Int {\n    return 3\n}\n",
        ),
        (
            "swift",
            "func first() -> Int {\n    return 1\n}\n\nfunc second() -> Int {\n    return 2\n}\n\nfunc third() -> Int {\n    return 3\n}\n",
        ),
    ];
    for (extension, code) in languages {
        let files = [(format!("src/file.{extension}"), code), (format!("other/file2.{extension}"), code)];
        let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
        for (line, name) in [(2, "first"), (5, "second"), (6, "second"), (9, "third"), (10, "third")] {
            let expect = format!("src/file.{extension}:{name}");
            for text in [
                format!("file.{extension}:{line}"),
                format!("src/file.{extension}:{line}"),
                format!("./src/file.{extension}:{line}"),
                format!("src/file.{extension}#L{line}"),
            ] {
                check(&tree, &text, &[], &[&expect]);
            }
        }
    }
}

const REPORT_TREE: &str = "\
//- orm/query.py
from orm.sql import compile_where

class QuerySet:
    \"\"\"Rows of a table, fetched when they are needed.\"\"\"

    def filter(self, **conditions):
        self.conditions = conditions
        return self

    def exclude(self, **conditions):
        \"\"\"Rows that do not meet the conditions.\"\"\"
        self.negated = compile_where(conditions)
        return self
//- orm/sql.py
def quote(name):
    return '\"' + name + '\"'

def compile_where(conditions):
    \"\"\"The where clause for conditions; null values need their own operator.\"\"\"
    parts = []
    for name, value in conditions.items():
        parts.append(quote(name) + operator_for(value))
    return \" AND \".join(parts)

def operator_for(value):
    return \" = \" + value
//- orm/fields.py
class TextField:
    def __init__(self, null=False):
        self.null = null
//- tests/test_exclude.py
from orm.query import QuerySet

class Author:
    name = None

def test_exclude_null_rows():
    \"\"\"exclude with null rows raises TypeError in the where clause\"\"\"
    assert QuerySet().exclude(name=None)

def list_authors():
    return QuerySet().exclude(name=None)
//- docs/exclude.md
# exclude

QuerySet.exclude drops rows. Rows where a value is null are kept.
";

const REPORT: &str = "\
compile_where crashes for null values in exclude()

**Describe the bug**
When I call exclude() with a null value, building the \"where clause\" stops with \"must be str\" instead of \"IS NULL\".
I would expect that rows with a null value are left out, as the manual says.

```python
class Author(Model):
    name = TextField(null=True)

def list_authors():
    authors = QuerySet(Author)
    return authors.exclude(name=None)
```

Traceback (most recent call last):
  File \"/srv/blog/example.py\", line 7, in list_authors
    return authors.exclude(name=None)
  File \"/usr/lib/python3/site-packages/orm/query.py\", line 12, in exclude
    self.negated = compile_where(conditions)
  File \"/usr/lib/python3/site-packages/orm/sql.py\", line 8, in compile_where
    parts.append(quote(name) + operator_for(value))
TypeError: can only concatenate str (not \"NoneType\") to str

**Environment**
Python 3.11, Linux
";

#[test]
fn a_whole_report_finds_the_function_to_mend_before_tests_and_its_own_example() {
    let tree = Tree::new(REPORT_TREE);
    let found = tree.found(&query(REPORT));
    assert_eq!(found[0], "orm/sql.py:compile_where", "{found:?}");
    let at = |id: &str| found.iter().position(|f| f == id).unwrap_or(found.len());
    let exclude = at("orm/query.py:QuerySet.exclude");
    assert!(exclude < 4, "the frame outside it is near: {found:?}");
    for below in [
        "tests/test_exclude.py:list_authors",
        "tests/test_exclude.py:Author",
        "tests/test_exclude.py:test_exclude_null_rows",
    ] {
        assert!(at(below) > exclude, "{below}: {found:?}");
    }
    let parsed = parse(REPORT);
    assert!(parsed.report.is_some() && parsed.phrases.is_empty(), "quotes in it are part of the text");
}

/// The same function in each language, and what people call it.
const HINTS: &[(&str, &str, &str)] = &[
    ("golang", "go", "package a\n\nfunc readConfig() int {\n\treturn 1\n}\n"),
    ("go", "go", "package a\n\nfunc readConfig() int {\n\treturn 1\n}\n"),
    ("rust", "rs", "fn read_config() -> u32 {\n    1\n}\n"),
    ("python", "py", "def read_config():\n    return 1\n"),
    ("typescript", "ts", "function readConfig() {\n  return 1;\n}\n"),
    ("ts", "ts", "function readConfig() {\n  return 1;\n}\n"),
    ("java", "java", "class A {\n    int readConfig() { return 1; }\n}\n"),
    ("kotlin", "kt", "fun readConfig(): Int {\n    return 1\n}\n"),
    ("swift", "swift", "func readConfig() -> Int {\n    return 1\n}\n"),
    ("c++", "cpp", "int readConfig() {\n    return 1;\n}\n"),
    ("C#", "cs", "class A\n{\n    int readConfig() { return 1; }\n}\n"),
];

#[test]
fn a_language_in_the_question_favours_its_files() {
    let files: Vec<(String, &str)> = HINTS.iter().map(|(_, ext, code)| (format!("{ext}/a.{ext}"), *code)).collect();
    let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
    for (name, extension, _) in HINTS {
        for text in [format!("read config in {name}"), format!("where is the config read in {name}?")] {
            let hits = tree.search(&query(&text)).hits;
            assert_eq!(tree.path(&hits[0]), format!("{extension}/a.{extension}"), "{text}");
            let favoured = |hit: &Hit| hit.signals.iter().any(|s| s.name == "language" && (s.value - 1.5).abs() < 1e-6);
            assert!(favoured(&hits[0]), "{text}");
            for hit in &hits {
                assert_eq!(
                    favoured(hit),
                    tree.path(hit).ends_with(&format!(".{extension}")),
                    "{text}: {}",
                    tree.path(hit)
                );
            }
            assert!(hits.len() > 3, "{text}: others are still found");
        }
    }
}

#[test]
fn r8_every_preset_favours_the_language_of_the_question() {
    let files: Vec<(String, &str)> = HINTS.iter().map(|(_, ext, code)| (format!("{ext}/a.{ext}"), *code)).collect();
    let tree = Tree::of(files.iter().map(|(path, text)| (path.as_str(), *text)));
    for preset in cds_search::PRESETS {
        for (name, extension, _) in HINTS {
            let text = format!("read config in {name}");
            let hits = tree.search(&Query { preset: preset.name.to_owned(), ..query(&text) }).hits;
            assert_eq!(tree.path(&hits[0]), format!("{extension}/a.{extension}"), "{}: {text}", preset.name);
        }
    }
}
