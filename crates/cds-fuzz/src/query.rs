//! Any text is a query.

/// More terms than this are looked up for no query: `MAX_REPORT_TERMS` of `cds-search`.
const MOST_TERMS: usize = 300;

/// The bytes are the query, as a program would pass them on.
pub fn query(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parsed = cds_search::parse(&text);
    assert!(parsed.terms.len() <= MOST_TERMS, "{} terms", parsed.terms.len());
    assert!(parsed.leading <= parsed.terms.len(), "{} leading of {} terms", parsed.leading, parsed.terms.len());
    assert!((0.0..=1.0).contains(&parsed.confidence), "confidence {}", parsed.confidence);
    for term in &parsed.terms {
        assert!(!term.text.is_empty(), "a term without text");
        assert!(term.weight.is_finite() && term.weight >= 0.0, "{term:?}");
    }
    for place in &parsed.places {
        assert!(!place.path.is_empty() && place.weight.is_finite(), "{place:?}");
    }
    for phrase in &parsed.phrases {
        assert!(!phrase.is_empty() && phrase.is_sorted_by_key(|(at, _)| *at), "{phrase:?}");
    }
    assert_eq!(cds_search::parse(&text), parsed, "another reading the second time");
}
