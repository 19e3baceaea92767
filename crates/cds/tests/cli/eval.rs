//! `cds eval`: scores, repositories, mistakes in sets, comparisons and the worst answers.

use serde_json::{Value, json};

use crate::fixture::{Project, files_below};

/// Two repositories below `repos`, one of them with its code in a folder, and a set for both.
fn two() -> Project {
    Project::new(
        "\
//- repos/jar/cookies.py
class Jar:
    def __init__(self):
        self.cookies = {}

    def merge_cookies(self, other):
        \"\"\"Merges the cookies of another jar.\"\"\"
        def one(name):
            self.cookies[name] = other.cookies[name]
        for name in other.cookies:
            one(name)


def expire_cookies(jar, now):
    \"\"\"Drops cookies that are too old.\"\"\"
    return [c for c in jar.cookies if c.until > now]
//- repos/jar/retry.py
def backoff(attempt):
    \"\"\"How long to wait before the next attempt.\"\"\"
    return 2 ** attempt
//- repos/web/src/web/routes.py
def match_route(path, table):
    \"\"\"Finds the handler of a path.\"\"\"
    return table.get(path)
//- repos/web/docs/routes.py
def match_route(path, table):
    \"\"\"Finds the handler of a path.\"\"\"
    return table.get(path)
//- repos.json
[{\"name\": \"web\", \"benchmark_root\": \"src/web\", \"url\": \"somewhere\"}]
//- set.jsonl
{\"id\": \"jar#1\", \"repo\": \"jar\", \"language\": \"python\", \"category\": \"symbol\", \"query\": \"merge_cookies\", \"targets\": [{\"path\": \"cookies.py\"}]}
{\"id\": \"jar#2\", \"repo\": \"jar\", \"language\": \"python\", \"category\": \"semantic\", \"query\": \"wait before the next attempt\", \"targets\": [{\"path\": \"retry.py\", \"start_line\": 1, \"end_line\": 3}]}
{\"id\": \"jar#3\", \"repo\": \"jar\", \"language\": \"python\", \"category\": \"semantic\", \"query\": \"wait before the next attempt\", \"targets\": [{\"path\": \"gone.py\"}]}
{\"id\": \"web#1\", \"repo\": \"web\", \"language\": \"python\", \"category\": \"symbol\", \"query\": \"handler of a path\", \"targets\": [{\"path\": \"src/web/routes.py\"}], \"note\": \"unknown fields are fine\"}
//- issues.jsonl
{\"instance_id\": \"jar-7\", \"repo\": \"someone/jar\", \"base_commit\": \"0\", \"problem_statement\": \"Cookies of another jar are lost when jars are merged with merge_cookies\", \"gold_files\": [\"cookies.py\"], \"gold_functions\": [\"cookies.py:Jar.merge_cookies\"]}
",
    )
}

const SET: &[&str] = &["eval", "set.jsonl", "--repos", "repos", "--repos-file", "repos.json"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [SET, more].concat()
}

fn number(value: &Value) -> f64 {
    (value.as_f64().unwrap_or(f64::NAN) * 1e4).round() / 1e4
}

fn lines(project: &Project, file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(project.path(file)).expect("it was written");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn questions_of_several_repositories_are_scored() {
    let project = two();
    let said = project.json(&with(&["--index-dir", "idx", "--predictions", "p.jsonl", "--details", "d.jsonl"]));
    let queries = &said["queries"];
    assert_eq!((&said["questions"], &queries["repositories"], &queries["missing"]), (&json!(4), &json!(2), &json!(0)));
    // The mean of 2/3 and 1.
    assert!((number(&queries["overall"]["ndcg_10"]) - 0.8333).abs() < 1e-9, "{queries}");
    assert!((number(&queries["overall"]["acc_1"]) - 0.8333).abs() < 1e-9, "{queries}");
    let named = |group: &str| -> Vec<(String, f64)> {
        let rows = queries[group].as_array().unwrap().iter();
        rows.map(|row| (row["name"].as_str().unwrap().to_owned(), number(&row["ndcg_10"]))).collect()
    };
    assert_eq!(named("by_category"), [("semantic".to_owned(), 0.5), ("symbol".to_owned(), 1.0)]);
    assert_eq!(named("by_repository"), [("jar".to_owned(), 0.6667), ("web".to_owned(), 1.0)]);
    assert_eq!(named("by_language"), [("python".to_owned(), 0.75)]);
    for measure in
        ["recall_1", "recall_5", "recall_10", "mrr", "acc_3", "acc_5", "recall_500_tokens", "recall_2000_tokens"]
    {
        assert!(queries["overall"][measure].is_number(), "{measure}: {queries}");
    }
    assert!(queries["overall"]["tokens_to_first"].as_f64().unwrap() > 0.0);
    assert!(queries["overall"]["latency_p95_ms"].as_f64() >= queries["overall"]["latency_p50_ms"].as_f64());
    assert!(project.path("idx/jar/manifest.json").exists() && project.path("idx/web/manifest.json").exists());
    assert!(files_below(&project.path("repos")).iter().all(|file| !file.contains(".cds-index")), "it lies elsewhere");

    let predictions = lines(&project, "p.jsonl");
    assert_eq!(
        predictions.iter().map(|p| p["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["jar#1", "jar#2", "jar#3", "web#1"]
    );
    assert_eq!(predictions[3]["results"], json!([{"path": "src/web/routes.py", "start_line": 1, "end_line": 3}]));

    let details = lines(&project, "d.jsonl");
    assert_eq!(details[1]["ranks"], json!([1]));
    assert_eq!((&details[2]["ranks"], &details[2]["score"]), (&json!([null]), &json!(0.0)));
    assert_eq!(details[0]["category"], "symbol");
    let hit = &details[0]["hits"][0];
    assert_eq!(hit["path"], "cookies.py");
    assert!(hit["signals"]["definition"].is_number() && hit["factors"]["exact_symbol"].is_number(), "{hit}");
    assert!(details[0]["latency_ms"].is_number() && details[0]["tokens_to_first"].is_number());
}

#[test]
fn a_set_about_one_folder_needs_no_repositories() {
    let project = Project::new(
        "\
//- a.py
def login(name):
    return name
//- set.jsonl
{\"id\": \"1\", \"query\": \"login\", \"targets\": [{\"path\": \"a.py\"}]}
",
    );
    let output = project.cds(&["eval", "set.jsonl", "--lang", "python"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let rows: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(rows[0], "1 query, 1 repository");
    assert!(rows[1].split_whitespace().eq(
        "n NDCG@10 R@1 R@5 R@10 MRR Acc@1 Acc@3 Acc@5 tokens R@500t R@1000t R@2000t p50 ms p95 ms".split_whitespace()
    ));
    assert!(rows[2].starts_with("all  1   1.0000  1.000"), "{}", output.stdout);
    assert!(project.path(".cds-index/manifest.json").exists(), "as `cds index` does");
    let markdown = project.cds(&["eval", "set.jsonl", "--lang", "python", "-f", "markdown"]);
    assert!(markdown.stdout.starts_with("## 1 query, 1 repository\n\n|  | n | NDCG@10 |"), "{}", markdown.stdout);
    let lines = project.cds(&["eval", "set.jsonl", "--lang", "python", "-f", "jsonl"]);
    assert!(lines.stdout.starts_with("{\"id\":\"1\",\"repo\":\"project\","), "{}", lines.stdout);
}

#[test]
fn a_missing_repository_counts_as_not_answered() {
    let project = two();
    std::fs::remove_dir_all(project.path("repos/web")).unwrap();
    let output = project.cds(&with(&["-f", "json"]));
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stderr.contains("repos/web: no such folder; not answered: 1 question"), "{}", output.stderr);
    let said: Value = serde_json::from_str(&output.stdout).unwrap();
    assert!((number(&said["queries"]["overall"]["ndcg_10"]) - 0.3333).abs() < 1e-9, "{said}");
    assert_eq!((&said["queries"]["missing"], &said["missing"][0]["questions"]), (&json!(1), &json!(1)));
    assert!(project.cds(SET).stdout.starts_with("4 queries, 2 repositories, 1 of them missing\n"));

    let nowhere = project.cds(&["eval", "set.jsonl", "--repos", "nowhere"]);
    assert_eq!(nowhere.code, 1);
    assert!(nowhere.stdout.contains("all  4   0.0000"), "{}", nowhere.stdout);
}

#[test]
fn mistakes_are_told_before_anything_is_indexed() {
    let project = two();
    project.write(
        "bad.jsonl",
        "{\"id\": \"1\", \"query\": \"q\", \"targets\": [{\"path\": \"p\"}]}\n{\"id\": \"2\", \"query\": \"q\"}\n",
    );
    project.write("norepo.jsonl", "{\"id\": \"1\", \"query\": \"q\", \"targets\": [{\"path\": \"p\"}]}\n");
    let check = |args: &[&str], code: i32, message: &str| {
        let output = project.cds(args);
        assert_eq!(output.code, code, "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains(message), "{args:?}: {}", output.stderr);
        assert!(files_below(&project.root()).iter().all(|file| !file.contains(".cds-index")), "{args:?}");
    };
    check(&["eval", "bad.jsonl"], 2, "bad.jsonl, line 2: \"targets\" is missing");
    check(&["eval", "norepo.jsonl", "--repos", "repos"], 2, "line 1: \"repo\" is missing, and --repos asks for it");
    check(&["eval", "none.jsonl"], 5, "none.jsonl: ");
    check(&["eval", "set.jsonl", "--repos", "repos", "--repos-file", "set.jsonl"], 2, "set.jsonl: ");
    check(&["eval", "set.jsonl", "--repos-file", "repos.json"], 2, "--repos <DIR>");
    check(&with(&["--preset", "best"]), 2, "no preset \"best\"");
    check(&with(&["--against", "--preset best"]), 2, "no preset \"best\"");
    check(&with(&["--against", "--worst 3"]), 2, "--against: unexpected argument '--worst'");
    check(&with(&["--against", "--path 'a"]), 2, "a ' is never closed");
    check(&with(&["--limit", "0"]), 2, "limit must be between 1 and");
}

#[test]
fn two_sets_of_options_are_compared() {
    let project = two();
    // Without the file that has the answer, everything is lost.
    let said = project.json(&with(&["--against", "--exclude 'retry.py' --preset bm25"]));
    let comparison = &said["queries"]["comparison"];
    assert_eq!((&comparison["won"], &comparison["lost"], &comparison["tied"]), (&json!(1), &json!(0), &json!(3)));
    // A third of one repository, none of the other.
    assert!((number(&comparison["bootstrap"]["mean"]) - 0.1667).abs() < 1e-9, "{comparison}");
    assert!((number(&comparison["difference"]["ndcg_10"]) - 0.1667).abs() < 1e-9);
    assert_eq!(comparison["gains"][0]["id"], "jar#2");
    assert_eq!((&comparison["gains"][0]["our_rank"], &comparison["gains"][0]["their_rank"]), (&json!(1), &Value::Null));
    assert_eq!(comparison["losses"], json!([]));
    assert!(said["queries"]["against"]["overall"]["ndcg_10"].is_number());
    let again = project.json(&with(&["--against", "--exclude 'retry.py' --preset bm25"]));
    assert_eq!(comparison["bootstrap"], again["queries"]["comparison"]["bootstrap"], "draws are the same every time");

    let human = project.cds(&with(&["--against", "--exclude 'retry.py' --preset bm25"])).stdout;
    for text in [
        "Against --exclude 'retry.py' --preset bm25\n",
        "difference  +0.1667",
        "won 1, lost 0, tied 3\n",
        "\njar#2  wait before the next attempt",
    ] {
        assert!(human.contains(text), "{text:?} in {human}");
    }
    let nothing = project.cds(&with(&["--path", "nowhere"]));
    assert!(nothing.stdout.starts_with("4 queries, 2 repositories, 4 without a hit\n"), "{}", nothing.stdout);
    let same = project.cds(&with(&["--against", ""]));
    assert!(same.stdout.contains("Against no options\n") && same.stdout.contains("p = 1.0000; won 0, lost 0, tied 4"));
}

#[test]
fn the_worst_answers_are_looked_into() {
    let project = two();
    let said = project.json(&with(&["--worst", "3"]));
    let worst = said["worst"].as_array().unwrap();
    assert_eq!(worst.len(), 1, "the others are perfect: {worst:?}");
    assert_eq!(worst[0]["targets"], json!([{"name": "gone.py", "rank": null}]));
    assert_eq!((&worst[0]["first"]["path"], &worst[0]["wanted"]), (&json!("retry.py"), &Value::Null));
    let human = project.cds(&with(&["--worst", "1", "--limit", "1", "--path", "*.py"])).stdout;
    let (_, shown) = human.split_once("\nWorst\n").unwrap();
    let expect = "jar#3  0.0000  wait before the next attempt\n  wanted gone.py at -\n  first  retry.py:1-3  bm25";
    assert!(shown.starts_with(expect), "{shown}");
    assert!(shown.ends_with("  no target is among the first 100 hits\n"), "{shown}");
}

#[test]
fn issues_are_located_by_function() {
    let project = two();
    let args = ["eval", "issues.jsonl", "--repos", "repos", "--predictions", "p.jsonl"];
    let said = project.json(&args);
    let overall = &said["issues"]["overall"];
    for measure in
        ["file_acc_1", "file_acc_3", "file_acc_5", "module_acc_5", "module_acc_10", "function_acc_5", "function_acc_10"]
    {
        assert_eq!(overall[measure], json!(1.0), "{measure}: {overall}");
    }
    assert!(said["queries"].is_null());
    let ranked = lines(&project, "p.jsonl")[0]["ranked"].clone();
    let names: Vec<&str> = ranked.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names[0], "cookies.py:Jar.merge_cookies", "{names:?}");
    assert!(!names.contains(&"cookies.py:Jar.merge_cookies.one"), "a function inside another is that one: {names:?}");
    assert!(project.cds(&args).stdout.starts_with("1 issue, 1 repository\n"));
}
