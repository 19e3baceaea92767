//! Pages of a search: put together they are the answer without pages, for every preset and granularity.

use std::collections::BTreeSet;

use cds_engine::{Config, Engine, Hit, Hooks, PRESETS, SearchRequest, SearchResponse};
use proptest::prelude::*;
use tempfile::TempDir;

const GRANULARITIES: [&str; 5] = ["file", "document", "chunk", "entity", "both"];

/// Words in one place, in all files, in one large file; a name; a relation; a language.
const QUESTIONS: &[&str] = &[
    "walrus",
    "where is the tusk of a walrus",
    "second",
    "walrus_7",
    "what calls second()",
    "implementations of Swimmer",
    "second walrus in python",
    "nothing has zebras and absent words",
];

/// More files and more chunks than a retriever hands over, and one file that alone has as many.
fn tree(root: &std::path::Path) {
    let write = |path: String, text: String| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("inside the root")).expect("folders are made");
        std::fs::write(path, text).expect("the file is written");
    };
    let function =
        |name: String| format!("def {name}(first):\n    \"\"\"A walrus.\"\"\"\n    return second(first)\n\n\n");
    write("many.py".to_owned(), (0..300).map(|i| function(format!("walrus_{i}"))).collect());
    for i in 0..260 {
        let members: String = (0..i % 4).map(|m| function(format!("tusk_{i}_{m}"))).collect();
        write(format!("d{}/f{i}.py", i % 9), format!("{members}class Walrus{i}(Swimmer):\n    tusks = second({i})\n"));
    }
    write(
        "swim.rs".to_owned(),
        "pub trait Swimmer { fn second(&self); }\n\nimpl Swimmer for u8 { fn second(&self) { walrus() } }\n".to_owned(),
    );
}

thread_local! {
    static ENGINE: (TempDir, Engine) = {
        let dir = tempfile::tempdir().expect("a temporary folder");
        tree(dir.path());
        let engine = Engine::open(dir.path(), Config::default()).expect("the folder opens");
        engine.ensure_indexed(&Hooks::default()).expect("the tree is indexed");
        (dir, engine)
    };
}

fn search(request: &SearchRequest) -> SearchResponse {
    ENGINE.with(|(_, engine)| engine.search(request).expect("the query is answered"))
}

/// What distinguishes a hit from all others: a document and a chunk of the same file are two.
fn key(hit: &Hit) -> String {
    format!("{}:{}-{} {} {}", hit.id, hit.start_line, hit.end_line, hit.kind, hit.chunk_count.is_some())
}

fn keys(response: &SearchResponse) -> Vec<String> {
    response.hits.iter().map(key).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_neither_repeat_nor_skip_and_totals_do_not_depend_on_them(
        limit in 17usize..90,
        granularity in 0..GRANULARITIES.len(),
        preset in 0..PRESETS.len(),
        question in 0..QUESTIONS.len(),
    ) {
        let request = SearchRequest {
            query: QUESTIONS[question].to_owned(),
            preset: Some(PRESETS[preset].name.to_owned()),
            granularity: Some(GRANULARITIES[granularity].to_owned()),
            rerank: PRESETS[preset].has("rerank").then_some(false),
            snippet: Some("fold".to_owned()),
            ..SearchRequest::default()
        };
        let whole = search(&SearchRequest { limit: Some(1_000), ..request.clone() });
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let page = search(&SearchRequest { limit: Some(limit), cursor: cursor.take(), ..request.clone() });
            prop_assert!(
                page.total == whole.total || page.total_is_lower_bound && page.total <= whole.total,
                "total {} of the page, {} without pages", page.total, whole.total
            );
            prop_assert!(page.hits.iter().all(|hit| hit.score.is_some_and(|score| (0.0..=1.0).contains(&score))));
            pages.extend(keys(&page));
            prop_assert!(pages.len() <= 4_000, "pages end");
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        let once: BTreeSet<&String> = pages.iter().collect();
        prop_assert_eq!(once.len(), pages.len(), "a hit is on two pages");
        let whole_keys = keys(&whole);
        prop_assert_eq!(pages.get(..whole_keys.len()), Some(&whole_keys[..]), "the order depends on the limit");
        if !whole.total_is_lower_bound {
            prop_assert_eq!(pages.len(), whole.total, "the total is what pages reach");
        }
    }
}
