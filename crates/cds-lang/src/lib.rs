//! Source text to facts: `extract(language, text) -> FileFacts`, a pure function.
//!
//! A [`Language`] is a folder of data (`languages/<name>/`): a `language.toml` that says how to recognise
//! it and which node kinds play which role, a `tags.scm` that marks definitions and references, an
//! `imports.scm` that marks imports. [`Registry`] holds them all; [`extract`] runs the parser and the
//! queries of one language over one text. It cannot fail, touch the file system or look at a second file.
//!
//! ```
//! let registry = cds_lang::Registry::builtin();
//! let python = registry.by_name("python").unwrap();
//! let facts = cds_lang::extract(registry, python, "class A:\n    def f(self): pass\n");
//! assert_eq!(facts.qualified_name(1), "A.f");
//! ```

mod allocation;
mod assemble;
mod capture;
mod chunk;
mod comment;
mod describe;
mod diagnose;
mod embedded;
mod extract;
mod grammars;
mod names;
mod recover;
mod registry;
mod sections;
mod spec;

pub use comment::doc_text;
pub use describe::{describe, syntax_tree};
pub use diagnose::{BareParser, parse_and_query_time, pattern_costs};
pub use extract::{EXTRACTOR_VERSION, extract};
pub use registry::{Language, LanguageError, LanguageFiles, MAX_LANGUAGE_FILE, MAX_LANGUAGES, Registry};
pub use spec::{Highlight, Recover, Spec};
