//! The one table that names languages in Rust: folder of data, grammar.

use tree_sitter_language::LanguageFn;

/// A built-in language: its folder's files and its grammar, if it has one.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) toml: &'static str,
    pub(crate) tags: &'static str,
    pub(crate) imports: &'static str,
    pub(crate) grammar: Option<LanguageFn>,
}

macro_rules! language {
    ($name:literal, $grammar:path) => {
        Row {
            name: $name,
            toml: include_str!(concat!("../languages/", $name, "/language.toml")),
            tags: include_str!(concat!("../languages/", $name, "/tags.scm")),
            imports: include_str!(concat!("../languages/", $name, "/imports.scm")),
            grammar: Some($grammar),
        }
    };
    // All of its queries are inherited.
    ($name:literal, $grammar:path, inherited) => {
        Row {
            name: $name,
            toml: include_str!(concat!("../languages/", $name, "/language.toml")),
            tags: "",
            imports: "",
            grammar: Some($grammar),
        }
    };
    ($name:literal) => {
        Row {
            name: $name,
            toml: include_str!(concat!("../languages/", $name, "/language.toml")),
            tags: "",
            imports: "",
            grammar: None,
        }
    };
}

/// Query files that are no language's own, for `inherits`: folder, tags, imports.
pub(crate) const SHARED: &[(&str, &str, &str)] = &[
    ("ecma", include_str!("../languages/ecma/tags.scm"), include_str!("../languages/ecma/imports.scm")),
    ("jsx", include_str!("../languages/jsx/tags.scm"), ""),
];

/// Every language, sorted. To add one: a folder, a row, a line in Cargo.toml.
pub(crate) const ROWS: &[Row] = &[
    language!("bash", tree_sitter_bash::LANGUAGE),
    language!("c", tree_sitter_c::LANGUAGE),
    language!("cpp", tree_sitter_cpp::LANGUAGE),
    language!("csharp", tree_sitter_c_sharp::LANGUAGE),
    language!("elixir", tree_sitter_elixir::LANGUAGE),
    language!("go", tree_sitter_go::LANGUAGE),
    language!("haskell", tree_sitter_haskell::LANGUAGE),
    language!("html"),
    language!("java", tree_sitter_java::LANGUAGE),
    language!("javascript", tree_sitter_javascript::LANGUAGE),
    language!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    language!("lua", tree_sitter_lua::LANGUAGE),
    language!("markdown"),
    language!("php", tree_sitter_php::LANGUAGE_PHP),
    language!("python", tree_sitter_python::LANGUAGE),
    language!("ruby", tree_sitter_ruby::LANGUAGE),
    language!("rust", tree_sitter_rust::LANGUAGE),
    language!("scala", tree_sitter_scala::LANGUAGE),
    language!("swift", tree_sitter_swift::LANGUAGE),
    language!("text"),
    language!("tsx", tree_sitter_typescript::LANGUAGE_TSX, inherited),
    language!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    language!("zig", tree_sitter_zig::LANGUAGE),
];
