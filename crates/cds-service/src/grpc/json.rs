//! Messages as the JSON of the other doors, by the names of their fields, and back. What protobuf cannot say as JSON does is here:
//! lists of fixed length, objects with an order, numbers that are none.

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::messages::{Highlight, Match, Signal, Stamp};
use crate::fault::{Fault, FaultKind};
use crate::operations::{PROJECT, text, value};

/// What is asked, as the parameters of an operation.
pub(super) fn parameters(asked: &impl Serialize) -> Result<Map<String, Value>, Fault> {
    let Value::Object(mut given) = value(&text(asked)?)? else {
        return Err(Fault::new(FaultKind::Internal, "a message is an object"));
    };
    // A list of one is that one, so that `*` can be said.
    if let Some(Value::Array(list)) = given.get_mut(PROJECT)
        && list.len() == 1
    {
        given[PROJECT] = list.remove(0);
    }
    Ok(given)
}

/// An answer as a message.
pub(super) fn message<T: DeserializeOwned>(answer: Value) -> Result<T, Fault> {
    serde_json::from_value(answer).map_err(|e| Fault::new(FaultKind::Internal, format!("the answer does not fit: {e}")))
}

/// Messages that JSON says as lists. Reading takes either by itself.
macro_rules! list {
    ($($message:ident: $($part:ident)*;)*) => {
        $(impl Serialize for $message {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ($(self.$part,)*).serialize(serializer)
            }
        })*
    };
}

list! {
    Highlight: line first end;
    Match: first end;
    Stamp: size changed;
}

/// Signals, which JSON says as an object: name to number.
pub(super) mod by_name {
    use super::{Deserializer, MapAccess, SerializeMap, Serializer, Signal, Visitor};

    pub(crate) fn serialize<S: Serializer>(signals: &[Signal], serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(signals.len()))?;
        for Signal { name, value } in signals {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Signal>, D::Error> {
        struct Signals;
        impl<'de> Visitor<'de> for Signals {
            type Value = Vec<Signal>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("names and numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Signal>, A::Error> {
                let mut signals = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    signals.push(Signal { name, value });
                }
                Ok(signals)
            }
        }
        deserializer.deserialize_map(Signals)
    }
}

/// A number that is none is a word in JSON, and so refused by name; left to itself it would become nothing, and be ignored.
#[allow(clippy::ref_option, reason = "serde calls it so")]
pub(super) fn number<N: Copy + Into<f64> + Serialize, S: Serializer>(
    number: &Option<N>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match number {
        Some(none) if !(*none).into().is_finite() => serializer.collect_str(&(*none).into()),
        number => number.serialize(serializer),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::messages::{Hit, SearchRequest, SimilarRequest, StatusRequest};
    use super::{message, parameters};

    #[test]
    fn what_is_not_set_is_not_there() {
        let check = |asked: Value, expect: Value| assert_eq!(asked, expect);
        let given = |request: SearchRequest| Value::Object(parameters(&request).unwrap());
        let query = || "retry".to_owned();
        check(given(SearchRequest { query: query(), ..Default::default() }), json!({ "query": "retry" }));
        check(given(SearchRequest::default()), json!({ "query": "" }));
        check(
            given(SearchRequest {
                query: query(),
                limit: Some(0),
                lang: vec!["go".to_owned()],
                is_test: Some(false),
                min_similarity: Some(0.2),
                scope_depth: vec![0, 2],
                set: [("alpha".to_owned(), 0.1)].into(),
                ..Default::default()
            }),
            json!({
                "query": "retry", "limit": 0, "lang": ["go"], "is_test": false, "min_similarity": 0.2,
                "scope_depth": [0, 2], "set": { "alpha": 0.1 },
            }),
        );
        check(
            given(SearchRequest { query: query(), mmr: Some(f32::NAN), ..Default::default() }),
            json!({ "query": "retry", "mmr": "NaN" }),
        );
        let asked = |project: &[&str]| {
            let project = project.iter().map(|p| (*p).to_owned()).collect();
            Value::Object(parameters(&SimilarRequest { project, ..Default::default() }).unwrap())
        };
        check(asked(&["*"]), json!({ "place": "", "project": "*" }));
        check(asked(&["a", "b"]), json!({ "place": "", "project": ["a", "b"] }));
        check(Value::Object(parameters(&StatusRequest::default()).unwrap()), json!({}));
    }

    #[test]
    fn an_answer_is_the_same_there_and_back() {
        let hit = json!({
            "id": "a.py:f", "path": "a.py", "start_line": 1, "end_line": 2, "start_byte": 0, "end_byte": 9, "language": "python",
            "entity_type": "function", "kind": "function", "name": "f", "score": 0.9, "scores": { "bm25": 1.5 },
            "ranks": { "bm25": 1 }, "signals": { "words": 0.5, "names": 0.1 }, "highlights": [[1, 4, 5]], "is_type_declaration": false,
            "is_test": false, "is_public": true, "snippet_line": 1, "token_count": 7, "indexed_at": -1, "hop_depth": 0,
            "stale": false, "size": 0,
        });
        let there: Hit = message(hit.clone()).unwrap();
        assert_eq!((there.score, there.size, there.chunk_count), (Some(0.9), Some(0), None));
        assert_eq!(there.highlights[0].end, 5);
        assert_eq!(crate::operations::value(&crate::operations::text(&there).unwrap()).unwrap(), hit);
    }
}
