//! What to ask next, worked out from an answer and remembered: an agent that asks again gets the same.

use cds_search::Lru;

use crate::response::{Hit, SearchResponse};

/// Answers whose follow-ups are remembered.
const KEPT: usize = 50;

/// Follow-ups of one answer.
const MOST: usize = 4;

/// Hits that tell one answer from another to the same words.
const SUMMARY: usize = 3;

/// Follow-ups by the words of a query and what was found.
pub(crate) struct FollowUps {
    known: Lru<(String, Vec<String>), Vec<String>>,
}

impl Default for FollowUps {
    fn default() -> FollowUps {
        FollowUps { known: Lru::new(KEPT) }
    }
}

impl FollowUps {
    pub(crate) fn of(&self, response: &SearchResponse) -> Vec<String> {
        let normal = response.query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let summary = response.hits.iter().take(SUMMARY).map(|h| h.id.clone()).collect();
        let key = (normal, summary);
        if let Some(known) = self.known.get(&key) {
            return known;
        }
        let made = suggest(response);
        self.known.insert(key, made.clone());
        made
    }
}

/// Questions that the graph or another search can answer about the best hits.
fn suggest(response: &SearchResponse) -> Vec<String> {
    let mut made: Vec<String> = Vec::new();
    let asked = response.query.to_lowercase();
    let mut add = |question: String| {
        if made.len() < MOST && question.to_lowercase() != asked && !made.contains(&question) {
            made.push(question);
        }
    };
    for hit in response.hits.iter().take(SUMMARY) {
        let Some(name) = hit.name.as_deref().filter(|_| hit.entity_type != "file") else { continue };
        match hit.kind {
            "interface" | "protocol" | "trait" => add(format!("implementations of {name}")),
            _ if hit.entity_type == "function" => add(format!("what calls {}", qualified(hit, name))),
            _ => add(format!("tests of {name}")),
        }
    }
    if response.hits.is_empty() {
        for word in response.parsed_query.expanded.iter().take(MOST) {
            add(word.clone());
        }
    }
    made
}

/// A method goes by its class too: other classes have methods of its name.
fn qualified(hit: &Hit, name: &str) -> String {
    match hit.scope_path.as_slice() {
        [.., class, _] => format!("{class}.{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FollowUps, KEPT};
    use crate::response::{Hit, ParsedQuery, SearchResponse};

    fn response(query: &str, hits: &[(&str, &'static str, &'static str)]) -> SearchResponse {
        let hit = |(id, entity_type, kind): &(&str, &'static str, &'static str)| Hit {
            id: (*id).to_owned(),
            name: id.rsplit(['.', ':']).next().map(str::to_owned),
            scope_path: id.split(':').nth(1).unwrap_or_default().split('.').map(str::to_owned).collect(),
            entity_type,
            kind,
            ..Hit::default()
        };
        SearchResponse {
            query: query.to_owned(),
            parsed_query: ParsedQuery { expanded: vec!["login".to_owned()], ..ParsedQuery::default() },
            total: hits.len(),
            total_is_lower_bound: false,
            partial: false,
            warnings: Vec::new(),
            timings_ms: std::collections::BTreeMap::new(),
            hits: hits.iter().map(hit).collect(),
            follow_ups: Vec::new(),
            next_cursor: None,
        }
    }

    #[test]
    fn answers_suggest_what_to_ask_next() {
        let check = |query: &str, hits: &[(&str, &'static str, &'static str)], expect: &[&str]| {
            assert_eq!(FollowUps::default().of(&response(query, hits)), expect, "{query}");
        };
        check("log in", &[("a.py:Auth.login", "function", "method")], &["what calls Auth.login"]);
        check(
            "store",
            &[("a.rs:Store", "class", "trait"), ("a.rs:Disk", "class", "struct")],
            &["implementations of Store", "tests of Disk"],
        );
        check("what calls Auth.login", &[("a.py:Auth.login", "function", "method")], &[]);
        check("auth", &[], &["login"]);
        check("readme", &[("README.md", "file", "section")], &[]);
    }

    #[test]
    fn s14_fifty_answers_are_remembered_and_a_read_protects() {
        let known = FollowUps::default();
        let ask = |query: &str| known.of(&response(query, &[("a.py:f", "function", "function")]));
        for i in 0..KEPT {
            ask(&format!("query {i}"));
        }
        ask("Query   0");
        ask("one more");
        let kept: Vec<String> = known.known.keys().into_iter().map(|(query, _)| query).collect();
        assert_eq!(kept.len(), KEPT);
        assert!(kept.contains(&"query 0".to_owned()) && !kept.contains(&"query 1".to_owned()));
    }
}
