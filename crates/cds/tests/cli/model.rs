//! `cds model`, and what models change: what a developer sees who brings one.

use crate::fixture::{Project, Run};

const CODE: &str = "\
//- auth.py
class RateLimiter:
    \"\"\"Counts attempts by address.\"\"\"
    def check(self, address):
        if self.attempts[address] > LIMIT:
            raise TooManyAttempts(address)
//- io.py
def read_lines(path):
    with open(path) as f:
        return f.readlines()
";

#[test]
fn meaning_finds_what_no_word_does() {
    let project = Project::new(CODE);
    let hits = project.json(&["search", "load text from disk", "--preset", "dense"]);
    assert_eq!(hits["hits"][0]["name"], "read_lines", "{hits}");
    assert_eq!(hits["hits"][0]["match_type"], "dense");
    assert!(hits["hits"][0]["scores"]["dense"].as_f64().is_some_and(|cosine| cosine > 0.2 && cosine <= 1.0));
}

#[test]
fn what_is_inside_the_binary_is_listed_tested_and_named_by_status() {
    let project = Project::new(CODE);
    let list = project.cds(&["model", "list"]);
    assert!(list.stdout.starts_with("* builtin  dense"), "{}", list.stdout);
    assert!(list.stdout.contains("related words"), "{}", list.stdout);
    let test = project.cds(&["model", "test", "builtin"]);
    assert!(test.stdout.ends_with("ok\n"), "{}", test.stdout);
    project.cds(&["index"]);
    let status = project.json(&["status"]);
    assert!(status["model"].as_str().is_some_and(|m| m.starts_with("cds-static (")), "{status}");
    assert_eq!(status["not_encoded"], 0);
}

#[test]
fn mistakes_say_what_to_do() {
    let project = Project::new(CODE);
    let check = |args: &[&str], code: i32, message: &str| {
        let run = project.cds(args);
        assert_eq!(run.code, code, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    };
    check(&["model", "use", "minlm"], 2, "no model \"minlm\": `cds model list` shows those there are");
    check(&["model", "remove", "minlm"], 2, "no model \"minlm\"");
    check(&["model", "test", "minlm"], 2, "no model \"minlm\"");
    check(&["model", "use", "none"], 2, "--for dense, sparse or reranker");
    check(&["model", "use", "builtin", "--for", "speed"], 2, "use dense, sparse or reranker");
    check(&["model", "add", "nowhere"], 4, "nowhere");
    check(&["search", "x", "--set", "beta=1"], 2, "has no number \"beta\"");
    check(&["search", "x", "--set", "beta"], 2, "NAME=NUMBER");
    check(&["search", "x", "--min-similarity", "2"], 2, "min_similarity must be between 0 and 1");
    let unknown = Run { args: &["index"], env: &[("CDS_MODELS_DENSE", "minlm")], ..Run::default() };
    let run = project.run(&unknown);
    assert!(run.code == 4 && run.stderr.contains("models.dense: no model \"minlm\""), "{}", run.stderr);
}

#[test]
fn meaning_can_be_switched_off_and_on_again() {
    let project = Project::new(CODE);
    project.cds(&["index"]);
    let off = project.cds(&["model", "use", "none", "--for", "dense"]);
    assert!(off.stdout.contains("models.dense = \"none\""), "{}", off.stdout);
    let status = project.json(&["status"]);
    assert_eq!(status["freshness"], "settings changed", "status does not claim what the settings deny");
    project.write("late.py", "def late():\n    pass\n");
    let late = project.cds(&["grep", "def late"]);
    assert!(late.code == 0 && late.stderr.contains("the settings name another model"), "{}", late.stderr);
    assert!(!project.json(&["status"])["model"].is_null(), "an update keeps the model of the index");
    assert!(project.cds(&["index"]).stdout.contains("reused"), "facts stay");
    assert!(project.json(&["status"])["model"].is_null());
    let words = project.json(&["search", "read lines", "--preset", "dense"]);
    assert_eq!(words["hits"][0]["name"], "read_lines", "{words}");
    assert!(words["warnings"][0].as_str().is_some_and(|w| w.contains("vectors are switched off")), "{words}");
    let similar = project.cds(&["similar", "io.py:1"]);
    assert!(similar.code == 3 && similar.stderr.contains("no vectors"), "{}", similar.stderr);
    assert_eq!(project.json(&["search", "attempts"])["hits"][0]["path"], "auth.py", "words still find");
    project.cds(&["model", "use", "builtin"]);
    let words = project.cds(&["search", "read lines", "--no-update", "--preset", "dense"]);
    assert_eq!(words.code, 0, "{}", words.stderr);
    assert!(
        words.stderr.contains("made with no model") && words.stderr.contains("`cds model use none --for dense`"),
        "{}",
        words.stderr
    );
    project.cds(&["index"]);
    assert_eq!(project.cds(&["search", "load text from disk", "--preset", "dense"]).code, 0);
}

#[test]
fn settings_keep_their_comments() {
    let project = Project::new("//- .cds.toml\n# ours\n[search]\nlimit = 5 # few\n//- a.py\nx = 1\n");
    project.cds(&["model", "use", "none", "--for", "sparse"]);
    let text = std::fs::read_to_string(project.root().join(".cds.toml")).unwrap();
    assert!(text.starts_with("# ours\n[search]\nlimit = 5 # few\n"), "{text}");
    assert!(text.contains("[models]\nsparse = \"none\""), "{text}");
}

#[test]
fn similar_code_is_found_by_place() {
    let project = Project::new(
        "//- a.py\ndef read_lines(path):\n    return open(path).readlines()\n//- b.py\ndef load_lines(file):\n    return open(file).read().splitlines()\n//- c.py\ndef rotate(image, angle):\n    return image.turned(angle)\n",
    );
    let hits = project.json(&["similar", "a.py:2"]);
    assert_eq!(hits["hits"][0]["path"], "b.py", "{hits}");
    assert!(hits["hits"].as_array().unwrap().iter().all(|hit| hit["path"] != "a.py"), "not itself");
    let near = project.json_or_nothing(&["similar", "a.py:2", "--min-similarity", "0.99"]);
    assert_eq!(near["hits"].as_array().unwrap().len(), 0);
    let wrong = project.cds(&["similar", "nowhere.py:3"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("write path:line"), "{}", wrong.stderr);
}

#[test]
fn b3_both_is_documents_then_chunks_and_no_chunk_twice() {
    let many: String = (0..8).map(|i| format!("def retry_{i}():\n    return retry({i})\n\n")).collect();
    let project = Project::new(&format!(
        "//- a.py\n{many}//- b.py\ndef retry(n):\n    return n\n//- c.py\ndef other():\n    return retry(1)\n"
    ));
    let answer = project.json(&["search", "retry", "--granularity", "both", "--files", "2", "-n", "20"]);
    let hits = answer["hits"].as_array().unwrap();
    let is_document = |hit: &serde_json::Value| hit["chunks"].as_array().is_some_and(|chunks| !chunks.is_empty());
    assert_eq!(hits.iter().take_while(|hit| is_document(hit)).count(), 2, "documents first: {answer}");
    assert!(!hits[2..].iter().any(is_document), "then chunks alone");
    let place =
        |hit: &serde_json::Value| (hit["path"].as_str().unwrap().to_owned(), hit["start_line"].as_u64().unwrap());
    let shown = hits.iter().flat_map(|hit| hit["chunks"].as_array().into_iter().flatten()).chain(&hits[2..]).map(place);
    let all: Vec<_> = shown.collect();
    let once: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(once.len(), all.len(), "{all:?}");
    assert!(all.len() >= 9, "every chunk with the word is there: {all:?}");
    let budget = project.cds(&["search", "retry", "--granularity", "both", "--max-tokens", "150", "-f", "json"]);
    assert!(budget.stdout.contains("max_tokens 150"), "one budget for both: {}", budget.stdout);
}

#[test]
fn r5_without_a_reranker_the_fused_order_stays_and_says_so() {
    let project = Project::new(CODE);
    let plain = project.json(&["search", "read lines of a file", "--preset", "hybrid"]);
    let asked = project.json(&["search", "read lines of a file", "--preset", "hybrid", "--rerank"]);
    assert_eq!(plain["hits"][0]["id"], asked["hits"][0]["id"]);
    assert!(asked["warnings"][0].as_str().is_some_and(|w| w.contains("no reranker is set")), "{asked}");
    assert_eq!(plain["warnings"].as_array().unwrap().len(), 0);
}

/// Tiny models with random weights: what they say means nothing, but they say it as large ones do.
#[cfg(feature = "transformer")]
mod folders {
    use super::CODE;
    use crate::fixture::Project;

    fn folder(name: &str) -> String {
        format!("{}/../cds-encode/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn a_model_is_added_used_and_removed() {
        let project = Project::new(CODE);
        let added = project.cds(&["model", "add", &folder("bert"), "--name", "tiny"]);
        assert!(added.stdout.starts_with("added tiny: a dense model"), "{} {}", added.stdout, added.stderr);
        project.cds(&["index"]);
        assert!(project.cds(&["model", "use", "tiny"]).stdout.contains("models.dense = \"tiny\""));
        let words = project.cds(&["search", "lines", "--preset", "dense"]);
        assert!(
            words.code == 0 && words.stderr.contains("cds-static") && words.stderr.contains("`cds model use builtin`"),
            "{}",
            words.stderr
        );
        assert!(project.cds(&["index"]).stdout.contains("0 parsed, 3 reused"), "only vectors are computed again");
        let hits = project.json(&["search", "lines", "--preset", "dense", "--min-similarity", "0"]);
        assert!(!hits["hits"].as_array().unwrap().is_empty(), "{hits}");
        let in_use = project.cds(&["model", "remove", "tiny"]);
        assert!(in_use.code == 2 && in_use.stderr.contains("in use"), "{}", in_use.stderr);
        project.cds(&["model", "use", "builtin"]);
        assert!(project.cds(&["model", "remove", "tiny"]).stdout.contains("its files stay"));
        assert!(!project.cds(&["model", "list"]).stdout.contains("tiny"));
    }

    #[test]
    fn r13_a_splade_folder_weighs_terms_of_chunks_and_queries() {
        let project = Project::new(CODE);
        project.cds(&["model", "add", &folder("splade")]);
        let used = project.cds(&["model", "use", "splade"]);
        assert!(used.stdout.contains("models.sparse"), "{} {}", used.stdout, used.stderr);
        project.cds(&["index"]);
        assert!(project.json(&["status"])["sparse_model"].as_str().is_some_and(|m| m.starts_with("splade (")));
        let hits = project.json(&["search", "read lines", "--preset", "sparse"]);
        assert_eq!(hits["hits"][0]["match_type"], "sparse", "{hits}");
        assert!(hits["timings_ms"]["sparse_encode"].as_f64().is_some());
    }

    #[test]
    fn r5_a_cross_encoder_judges_the_first_hits() {
        let project = Project::new(CODE);
        project.cds(&["model", "add", &folder("cross-bert"), "--name", "judge"]);
        assert!(project.cds(&["model", "use", "judge"]).stdout.contains("models.reranker"));
        let hits = project.json(&["search", "read lines", "--preset", "hybrid", "--rerank"]);
        assert!(hits["warnings"].as_array().unwrap().iter().all(|w| !w.as_str().unwrap().contains("fused")), "{hits}");
        let ranks: Vec<u64> =
            hits["hits"].as_array().unwrap().iter().filter_map(|h| h["ranks"]["rerank"].as_u64()).collect();
        assert!(!ranks.is_empty() && ranks.is_sorted(), "{hits}");
        assert!(project.cds(&["model", "use", "judge", "--for", "dense"]).stderr.contains("is a reranker model"));
        assert!(project.cds(&["model", "test", "judge"]).stdout.starts_with("reranker model"));
    }
}

/// A service that speaks the protocol, on a port of this machine.
#[cfg(feature = "remote")]
mod services {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

    use super::CODE;
    use crate::fixture::{Project, Run};

    /// Answers with how often each text says `lines` and `address`; refuses texts that say `poison` while it is told to.
    fn serve(refuses: Arc<AtomicBool>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().take(200) {
                let Ok(mut stream) = stream else { return };
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap_or(0);
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let question: serde_json::Value = serde_json::from_slice(&body).unwrap();
                let texts: Vec<&str> =
                    question["input"].as_array().unwrap().iter().filter_map(|t| t.as_str()).collect();
                let (status, answer) = if refuses.load(Ordering::Relaxed) && texts.iter().any(|t| t.contains("poison"))
                {
                    ("400 Bad Request", serde_json::json!({"error": {"message": "refused"}}))
                } else {
                    let vector = |text: &&str| {
                        serde_json::json!([1.0, text.matches("lines").count(), text.matches("address").count()])
                    };
                    let data: Vec<_> = texts
                        .iter()
                        .enumerate()
                        .map(|(i, t)| serde_json::json!({"index": i, "embedding": vector(t)}))
                        .collect();
                    ("200 OK", serde_json::json!({ "data": data }))
                };
                let answer = answer.to_string();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
                    answer.len()
                );
            }
        });
        url
    }

    /// What a service does with requests.
    const OVERLOADED: u8 = 1;
    const SILENT: u8 = 2;

    /// A service that answers as `mode` says: with vectors, with 500, or not at all.
    fn failing(mode: Arc<AtomicU8>) -> String {
        let (listener, working) = (TcpListener::bind("127.0.0.1:0").unwrap(), serve(Arc::default()));
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let target = working.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming().take(200) {
                let Ok(mut stream) = stream else { return };
                match mode.load(Ordering::Relaxed) {
                    OVERLOADED => {
                        let _ = stream.read(&mut [0; 4096]);
                        let _ = write!(stream, "HTTP/1.1 500 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                    }
                    SILENT => silent.push(stream),
                    _ => {
                        let mut to = std::net::TcpStream::connect(&target).unwrap();
                        let (mut from, mut back) = (stream.try_clone().unwrap(), to.try_clone().unwrap());
                        std::thread::spawn(move || std::io::copy(&mut from, &mut to));
                        let _ = std::io::copy(&mut back, &mut stream);
                        let _ = stream.shutdown(std::net::Shutdown::Both);
                    }
                }
            }
        });
        url
    }

    #[test]
    fn words_answer_where_a_service_does_not() {
        let project = Project::new(CODE);
        let mode = Arc::new(AtomicU8::new(0));
        let url = failing(Arc::clone(&mode));
        let cds = |args: &[&str], url: &str| {
            let env =
                [("CDS_MODELS_DENSE", "service"), ("CDS_EMBEDDINGS_URL", url), ("CDS_EMBEDDINGS_MODEL", "counter")];
            project.run(&Run { args, env: &env, ..Run::default() })
        };
        assert_eq!(cds(&["index"], &url).code, 0);
        assert!(!cds(&["search", "read lines"], &url).stderr.contains("without dense"));
        let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let nowhere = format!("http://{unused}/v1");
        for (name, failure, url) in [("overloaded", OVERLOADED, &url), ("silent", SILENT, &url), ("away", 0, &nowhere)]
        {
            mode.store(failure, Ordering::Relaxed);
            project.write(&format!("{name}.py"), format!("def {name}_lines():\n    pass\n"));
            for preset in ["default", "dense", "hybrid"] {
                let run = cds(&["search", &format!("{name}_lines"), "--preset", preset, "-f", "json"], url);
                let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("an answer");
                assert_eq!(answer["hits"][0]["name"], format!("{name}_lines"), "{name} {preset}: {answer}");
                assert_eq!(answer["partial"], true, "{name} {preset}: {answer}");
                let warned = answer["warnings"].to_string();
                assert!(warned.contains("answered without dense retrieval"), "{name} {preset}: {warned}");
                assert!(!warned.contains("time ran out"), "{name} {preset}: {warned}");
            }
        }
        mode.store(0, Ordering::Relaxed);
        assert_eq!(cds(&["index"], &url).code, 0);
        let status = cds(&["status", "-f", "json"], &url);
        let status: serde_json::Value = serde_json::from_str(&status.stdout).unwrap();
        assert_eq!(status["not_encoded"], 0, "the service is back: no chunk lacks a vector");
        let run = cds(&["search", "away_lines", "--preset", "dense", "--min-similarity", "0", "-f", "json"], &url);
        assert!(run.stdout.contains("away_lines") && !run.stderr.contains("without"), "{} {}", run.stdout, run.stderr);
    }

    #[test]
    fn b9_what_a_service_refuses_is_counted_and_tried_again() {
        let many: String = (0..40).map(|i| format!("def f{i}():\n    return {i}\n\n")).collect();
        // Short texts come first, so that the batch that is refused has none of the others' code.
        let project = Project::new(&format!("{CODE}//- z.py\n{many}def p():\n    poison\n"));
        let refuses = Arc::new(AtomicBool::new(true));
        let url = serve(Arc::clone(&refuses));
        let env = [
            ("CDS_MODELS_DENSE", "service"),
            ("CDS_EMBEDDINGS_URL", url.as_str()),
            ("CDS_EMBEDDINGS_MODEL", "counter"),
        ];
        let cds = |args: &[&str]| project.run(&Run { args, env: &env, ..Run::default() });
        let first = cds(&["index"]);
        assert!(first.code == 0 && first.stdout.contains("without meaning"), "{} {}", first.stdout, first.stderr);
        let status: serde_json::Value =
            serde_json::from_str(&cds(&["status", "-f", "json", "--problems"]).stdout).unwrap();
        assert!(status["not_encoded"].as_u64().is_some_and(|n| n > 0), "{status}");
        assert!(
            status["problems"].as_array().unwrap().iter().any(|p| p["reason"] == "not_encoded" && p["path"] == "z.py"),
            "{status}"
        );
        let hits = cds(&["search", "lines", "--preset", "dense", "-f", "paths"]);
        assert_eq!(hits.stdout.lines().next(), Some("io.py"), "the rest is found: {}", hits.stderr);
        refuses.store(false, Ordering::Relaxed);
        let second = cds(&["index"]);
        assert!(second.code == 0 && !second.stdout.contains("without meaning"), "{} {}", second.stdout, second.stderr);
        let status: serde_json::Value = serde_json::from_str(&cds(&["status", "-f", "json"]).stdout).unwrap();
        assert_eq!(status["not_encoded"], 0);
    }
}
