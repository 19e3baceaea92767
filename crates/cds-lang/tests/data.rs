//! The language folders are whole: every query compiles, quickly, and every language has a corpus.

use std::path::Path;
use std::time::{Duration, Instant};

use cds_lang::{LanguageFiles, Registry};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("languages")
}

#[test]
fn every_query_compiles_and_none_is_slow() {
    // Unoptimised neighbours and busy machines are slow too: the cap is far above the 20 to 150 ms that are usual.
    const CAP: Duration = Duration::from_secs(4);
    let registry = Registry::builtin();
    registry.check().unwrap_or_else(|e| panic!("{e}"));
    for language in registry.languages() {
        let started = Instant::now();
        cds_lang::extract(registry, language, "x\n");
        assert!(started.elapsed() < CAP, "{} takes {:?} to load", language.name, started.elapsed());
    }
}

#[test]
fn every_language_has_a_corpus() {
    for language in Registry::builtin().languages().iter().filter(|l| l.has_grammar()) {
        let tests = folder().join(&language.name).join("tests");
        let files = std::fs::read_dir(&tests).unwrap_or_else(|e| panic!("{}: {e}", tests.display()));
        let cases: usize = files
            .flatten()
            .map(|f| std::fs::read_to_string(f.path()).unwrap_or_default().matches("```facts").count())
            .sum();
        assert!(cases >= 10, "{} has only {cases} cases", language.name);
    }
}

#[test]
fn every_folder_is_in_the_table() {
    for entry in std::fs::read_dir(folder()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let shared = ["ecma", "jsx"].contains(&name.as_str());
        assert!(shared || Registry::builtin().by_name(&name).is_some(), "{name} has no row in grammars.rs");
    }
}

fn check_override(files: LanguageFiles, expect: &str) {
    let found = Registry::new(|name| if name == "python" { files.clone() } else { LanguageFiles::default() });
    let error = found.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(expect), "{error}");
}

#[test]
fn mistakes_in_a_folder_are_named() {
    let tags = |text: &str| LanguageFiles { tags: Some(text.to_owned()), ..LanguageFiles::default() };
    let toml = |text: &str| LanguageFiles { toml: Some(text.to_owned()), ..LanguageFiles::default() };
    check_override(tags("(no_such_node) @comment"), "language python: tags.scm + imports.scm: \"no_such_node\"");
    check_override(tags("(comment) @nonsense"), "unknown capture @nonsense");
    check_override(tags("(class_definition) @definition.nonsense"), "unknown capture @definition.nonsense");
    check_override(toml("extension = [\"py\"]"), "language python: language.toml: ");
    check_override(toml("inherits = [\"nobody\"]"), "inherits from \"nobody\", which is neither");
    check_override(toml("[parts]\nbody_kinds = [\"nothing\"]"), "no node kind \"nothing\"");
    check_override(toml("[members]\nfunction = \"gizmo\""), "no kind \"gizmo\"");
}

#[test]
fn a_folder_can_be_replaced() {
    let files = LanguageFiles {
        tags: Some("(class_definition name: (identifier) @name) @definition.struct".to_owned()),
        ..LanguageFiles::default()
    };
    let registry =
        Registry::new(|name| if name == "python" { files.clone() } else { LanguageFiles::default() }).unwrap();
    let facts = cds_lang::extract(&registry, registry.by_name("python").unwrap(), "class A: pass\ndef f(): pass\n");
    assert_eq!(cds_lang::describe(&facts).lines().next(), Some("struct A 1-1"));
    assert_eq!(facts.entities.len(), 1);
}

#[test]
fn a_language_may_inherit_from_several_folders_and_from_another_language() {
    let registry = Registry::builtin();
    let check = |text: &str| {
        let facts =
            |name: &str| cds_lang::describe(&cds_lang::extract(registry, registry.by_name(name).unwrap(), text));
        assert_eq!(facts("tsx"), facts("typescript"), "{text}");
    };
    check("export interface A extends B { f(x: C): D }\nimport e = require(\"e\");\n");
    check("abstract class G<T> implements H { private readonly i: T }\nenum J { K }\n");
    let facts = cds_lang::extract(registry, registry.by_name("tsx").unwrap(), "const l = <Button />;\n");
    assert_eq!(facts.references[0].name, "Button");
}

#[test]
fn files_are_recognised() {
    let check = |path: &str, text: &str, expect: &str| {
        assert_eq!(Registry::builtin().detect(path, text).name, expect, "{path}");
    };
    check("a/b.py", "", "python");
    check("A.PY", "", "python");
    check("a.tsx", "", "tsx");
    check("Rakefile", "", "ruby");
    check("a.h", "int f(void);\n", "c");
    check("a.h", "#pragma once\nnamespace a {\n}\n", "cpp");
    check("run", "#!/usr/bin/env python3\n", "python");
    check("run", "#!/usr/bin/env -S FOO=1 node --x\n", "javascript");
    check("run", "#!/bin/bash -e\n", "bash");
    check("notes", "just words", "text");
    check(".gitignore", "target", "text");
    check("README.md", "", "markdown");
    check("App.vue", "", "html");
    check("x.unknown", "", "text");
}

#[test]
fn dialects_share_the_name_that_users_see() {
    let registry = Registry::builtin();
    let names = registry.shown_names();
    assert!(names.is_sorted_by(|a, b| a < b), "each once: {names:?}");
    assert!(registry.languages().iter().all(|l| names.contains(&l.shown())));
    assert!(names.contains(&"typescript") && !names.contains(&"tsx"), "{names:?}");
}

#[test]
fn keywords_come_from_the_grammar() {
    let words = |name: &str| Registry::builtin().by_name(name).unwrap().keywords();
    assert!(words("python").contains(&"lambda") && words("rust").contains(&"impl"));
    assert!(words("text").is_empty());
}

#[test]
fn pattern_costs_cover_the_whole_query() {
    let costs = cds_lang::pattern_costs(Registry::builtin().by_name("lua").unwrap());
    assert!(costs.len() > 5 && costs.is_sorted_by(|a, b| a.0 >= b.0));
    assert!(cds_lang::pattern_costs(Registry::builtin().by_name("text").unwrap()).is_empty());
}

#[test]
fn parsing_is_measured() {
    let lua = Registry::builtin().by_name("lua").unwrap();
    assert!(cds_lang::parse_and_query_time(lua, "local x = 1\n").is_some());
    let mut bare = cds_lang::BareParser::default();
    assert!(bare.parse(lua, "local x = 1\n"));
    assert!(!bare.parse(Registry::builtin().by_name("text").unwrap(), "x"));
}

#[test]
fn a_syntax_tree_can_be_printed() {
    let lua = Registry::builtin().by_name("lua").unwrap();
    let tree = cds_lang::syntax_tree(lua, "f()\n");
    assert!(tree.starts_with("(chunk) @1\n") && tree.contains("name: (identifier) \"f\""), "{tree}");
}
