//! What must hold for every text in every language: chunks cover it, spans nest, nothing panics or runs away.

use cds_lang::{Language, Registry, extract};
use cds_model::{FileFacts, ProblemKind};
use proptest::prelude::*;

/// Everything that must be true of facts.
fn check(language: &Language, text: &str) -> FileFacts {
    let facts = extract(Registry::builtin(), language, text);
    let name = &language.name;
    let mut covered = 0;
    for chunk in &facts.chunks {
        let span = chunk.span;
        assert!(span.start < span.end, "{name}: an empty chunk");
        assert!(text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize));
        assert!(span.start <= covered, "{name}: a hole before byte {}", span.start);
        assert!(span.end > covered, "{name}: a chunk inside another");
        assert_eq!(span.start_line as usize, text[..span.start as usize].matches('\n').count() + 1, "{name}");
        assert!(span.start_line <= span.end_line && span.end_line <= facts.lines.max(1), "{name}: {span:?}");
        assert!(chunk.entity.is_none_or(|e| (e as usize) < facts.entities.len()));
        covered = span.end;
    }
    assert_eq!(covered as usize, text.len(), "{name}: the end is not covered");
    for (i, entity) in facts.entities.iter().enumerate() {
        assert!(!entity.name.is_empty(), "{name}: an entity without a name");
        assert!(entity.full.encloses(entity.span), "{name}: {entity:?}");
        assert!(entity.span.end as usize <= text.len() && entity.span.start <= entity.span.end);
        if let Some(parent) = entity.parent {
            assert!((parent as usize) < i, "{name}: a parent after its child");
            assert!(facts.entities[parent as usize].span.encloses(entity.span), "{name}: {} sticks out", entity.name);
        }
    }
    for reference in &facts.references {
        assert!(text.is_char_boundary(reference.start as usize));
        assert!(reference.enclosing.is_none_or(|e| facts.entities[e as usize].full.contains(reference.start)));
    }
    assert!(facts.references.is_sorted_by_key(|r| r.start), "{name}: references out of order");
    for name_at in &facts.names {
        let written = text.get(name_at.start as usize..name_at.end as usize);
        assert!(written.is_some_and(|written| !written.is_empty()), "{name}: {name_at:?} is no name");
    }
    assert!(facts.names.is_sorted(), "{name}: names out of order");
    assert_eq!(extract(Registry::builtin(), language, text), facts, "{name}: another answer the second time");
    facts
}

fn check_all(text: &str) {
    for language in Registry::builtin().languages() {
        check(language, text);
    }
}

#[test]
fn odd_texts() {
    check_all("");
    check_all("\n");
    check_all("   \n\t\n");
    check_all("\u{feff}x");
    check_all("no newline at the end");
    check_all("a\r\nb\r\n");
    check_all("日本語 = \"ü\" // ß\n");
    check_all("class A { def f(self): fn g() -> int { \"unclosed\n");
    check_all("\0\u{1}\u{2}");
    check_all("#!/bin/sh\n");
}

#[test]
fn deep_nesting_and_long_lines() {
    for language in Registry::builtin().languages() {
        for text in ["(".repeat(2_000), "[{".repeat(1_000), "x ".repeat(20_000)] {
            check(language, &text);
        }
        let facts = extract(Registry::builtin(), language, &"(".repeat(100_000));
        assert!(facts.chunks.len() > 10, "{}: deep nesting is still text", language.name);
    }
}

#[test]
fn corpus_code_cut_anywhere_keeps_its_promises() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    for language in Registry::builtin().languages() {
        let Ok(files) = std::fs::read_dir(folder.join(&language.name).join("tests")) else { continue };
        for file in files.flatten() {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            for code in text.split("```").skip(1).step_by(2).filter(|c| !c.starts_with("facts")) {
                let code = code.split_once('\n').map_or("", |(_, code)| code);
                for part in 1..=4 {
                    let cut = code.floor_char_boundary(code.len() * part / 4);
                    check(language, &code[..cut]);
                }
            }
        }
    }
}

#[test]
fn long_entities_are_split_with_overlap() {
    let python = Registry::builtin().by_name("python").unwrap();
    let body: String = (0..300).map(|i| format!("    if x == {i}:\n        y = {i}\n")).collect();
    let facts = check(python, &format!("def long(x):\n{body}    return y\n"));
    assert!(facts.chunks.len() > 5);
    for (i, pair) in facts.chunks.windows(2).enumerate() {
        assert_eq!((pair[0].part as usize, pair[0].entity), (i, Some(0)));
        assert!(pair[0].span.end_line - pair[0].span.start_line < 80);
        assert!(pair[1].span.start < pair[0].span.end, "overlap");
    }
}

#[test]
fn types_are_headers_and_members() {
    let java = Registry::builtin().by_name("java").unwrap();
    let facts = check(java, "/** Doc. */\nclass A {\n  int x;\n\n  // About f.\n  void f() {}\n  void g() {}\n}\n");
    let found: Vec<(String, u32, u32)> = facts
        .chunks
        .iter()
        .map(|c| (c.entity.map(|e| facts.qualified_name(e)).unwrap_or_default(), c.span.start_line, c.span.end_line))
        .collect();
    assert_eq!(found, [("A".to_owned(), 1, 3), ("A.f".to_owned(), 5, 6), ("A.g".to_owned(), 7, 8)]);
}

#[test]
fn ends_of_several_blocks_are_no_chunk() {
    let ruby = Registry::builtin().by_name("ruby").unwrap();
    let text = "class A\n  class << self\n    def f\n    end\n  end\nend\n\nclass B\n  class << self\n    def g\n    end\n  end\n\n  C = 1\nend\n";
    let facts = check(ruby, text);
    let found: Vec<(String, u32, u32)> = facts
        .chunks
        .iter()
        .map(|c| (c.entity.map(|e| facts.qualified_name(e)).unwrap_or_default(), c.span.start_line, c.span.end_line))
        .collect();
    let expect = [("A", 1, 2), ("A.f", 3, 6), ("B", 8, 9), ("B.g", 10, 11), ("B", 11, 15)];
    assert_eq!(found, expect.map(|(name, first, last)| (name.to_owned(), first, last)));
}

#[test]
fn markdown_is_cut_at_headings() {
    let markdown = Registry::builtin().by_name("markdown").unwrap();
    let text = "Intro\n\n# A\ntext\n## B ##\n```sh\n# not a heading\n```\nUnder\n=====\nend\n";
    let facts = check(markdown, text);
    let found: Vec<String> =
        facts.chunks.iter().map(|c| format!("{}@{}", c.headings.join(">"), c.span.start_line)).collect();
    assert_eq!(found, ["@1", "A@3", "A>B@5", "Under@9"]);
    let languages: Vec<&str> = facts.languages.iter().map(|l| l.language.as_str()).collect();
    assert_eq!(languages, ["markdown", "bash"]);
}

#[test]
fn syntax_errors_are_listed_with_their_line() {
    let python = Registry::builtin().by_name("python").unwrap();
    let facts = check(python, "x = 1\ndef f(:\n    pass\n");
    assert_eq!(facts.problems[0].kind, ProblemKind::SyntaxError);
    assert_eq!(facts.problems[0].detail, "line 2");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_its_promises(text in "\\PC{0,200}", which in 0usize..23) {
        let languages = Registry::builtin().languages();
        check(&languages[which % languages.len()], &text);
    }

    #[test]
    fn any_soup_of_tokens_keeps_its_promises(
        words in prop::collection::vec(prop::sample::select(vec![
            "class", "def", "fn", "func", "struct", "impl", "{", "}", "(", ")", ":", "\n", "\n\n", "    ", "=", "import",
            "from", "a.b", "\"", "'", "//", "/*", "*/", "#", "--", "end", "do", "x", "é", "::", "->", ";", "<script>", "```",
        ]), 0..120),
        which in 0usize..23,
    ) {
        let languages = Registry::builtin().languages();
        check(&languages[which % languages.len()], &words.join(" "));
    }
}
