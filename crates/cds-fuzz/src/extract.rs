//! Any text in any language has facts, and they keep what their documentation says.

use cds_lang::{Language, Registry};

/// The first line names a language and the rest is its text. Where it names none, the first byte is a language's place in the
/// registry. Text is read as `cds index` would: what is not UTF-8 is replaced.
pub fn extract(data: &[u8]) {
    let registry = Registry::builtin();
    let text = String::from_utf8_lossy(data);
    if let Some((name, text)) = text.split_once('\n')
        && let Some(language) = registry.by_name(name)
    {
        return check(language, text);
    }
    let Some((&which, text)) = data.split_first() else { return };
    let languages = registry.languages();
    check(&languages[usize::from(which) % languages.len()], &String::from_utf8_lossy(text));
}

fn check(language: &Language, text: &str) {
    let facts = cds_lang::extract(Registry::builtin(), language, text);
    let name = &language.name;
    let cuts_characters = |at: u32| !text.is_char_boundary(at as usize);
    let line_of = |at: u32| text[..at as usize].matches('\n').count() + 1;
    let lines = facts.lines.max(1);

    let mut covered = 0;
    for chunk in &facts.chunks {
        let span = chunk.span;
        assert!(span.start < span.end, "{name}: an empty chunk {span:?}");
        assert!(!cuts_characters(span.start) && !cuts_characters(span.end), "{name}: {span:?} cuts a character");
        assert!(span.start <= covered, "{name}: a hole before byte {}", span.start);
        assert!(span.end > covered, "{name}: a chunk inside another");
        assert_eq!(span.start_line as usize, line_of(span.start), "{name}: {span:?}");
        assert!(span.start_line <= span.end_line && span.end_line <= lines, "{name}: {span:?} of {lines} lines");
        assert!(chunk.entity.is_none_or(|e| (e as usize) < facts.entities.len()), "{name}: {chunk:?}");
        covered = span.end;
    }
    assert_eq!(covered as usize, text.len(), "{name}: the end is in no chunk");

    for (i, entity) in facts.entities.iter().enumerate() {
        assert!(!entity.name.is_empty(), "{name}: an entity without a name");
        for span in [entity.span, entity.full] {
            assert!(span.start <= span.end && span.end as usize <= text.len(), "{name}: {entity:?}");
            assert!(!cuts_characters(span.start) && !cuts_characters(span.end), "{name}: {entity:?}");
            assert!(1 <= span.start_line && span.start_line <= span.end_line, "{name}: {entity:?}");
            assert!(span.end_line <= lines, "{name}: {entity:?} of {lines} lines");
        }
        assert!(entity.full.encloses(entity.span), "{name}: {entity:?}");
        if let Some(parent) = entity.parent {
            assert!((parent as usize) < i, "{name}: a parent after its child: {entity:?}");
            assert!(facts.entities[parent as usize].span.encloses(entity.span), "{name}: {entity:?} sticks out");
        }
    }

    let around = |enclosing: Option<u32>, start: u32| {
        enclosing.is_none_or(|e| facts.entities.get(e as usize).is_some_and(|e| e.full.contains(start)))
    };
    for reference in &facts.references {
        assert!(!cuts_characters(reference.start), "{name}: {reference:?}");
        assert!(around(reference.enclosing, reference.start), "{name}: {reference:?} is not inside its entity");
        assert_eq!(reference.line as usize, line_of(reference.start), "{name}: {reference:?}");
    }
    assert!(facts.references.is_sorted_by_key(|r| r.start), "{name}: references out of order");
    for name_at in &facts.names {
        let written = text.get(name_at.start as usize..name_at.end as usize);
        assert!(written.is_some_and(|written| !written.is_empty()), "{name}: {name_at:?} is no name");
    }
    assert!(facts.names.is_sorted(), "{name}: names out of order");
    for import in &facts.imports {
        assert!(!cuts_characters(import.start), "{name}: {import:?}");
        assert!(import.enclosing.is_none_or(|e| (e as usize) < facts.entities.len()), "{name}: {import:?}");
    }
    for binding in &facts.bindings {
        assert!(binding.start as usize <= text.len(), "{name}: {binding:?}");
        assert!(binding.enclosing.is_none_or(|e| (e as usize) < facts.entities.len()), "{name}: {binding:?}");
    }
    for (start, end) in facts.comments.iter().chain(&facts.doc_spans).copied() {
        assert!(start <= end && !cuts_characters(start) && !cuts_characters(end), "{name}: a comment {start}-{end}");
    }
    assert!(facts.comments.is_sorted(), "{name}: comments out of order");
    assert_eq!(cds_lang::extract(Registry::builtin(), language, text), facts, "{name}: other facts the second time");
}
