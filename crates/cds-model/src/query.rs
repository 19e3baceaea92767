//! What is asked.

use crate::{EntityType, Kind};

/// What one hit stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Files ranked, each shown by its best chunk: the default.
    #[default]
    File,
    /// Files, each with its best chunks and facts about the whole.
    Document,
    /// Chunks, grouped by file, groups by their joint score.
    Chunk,
    /// Named entities.
    Entity,
    /// Documents, then chunks of others and further ones of theirs.
    Both,
}

impl Granularity {
    /// All of them.
    pub const ALL: [Granularity; 5] =
        [Granularity::File, Granularity::Document, Granularity::Chunk, Granularity::Entity, Granularity::Both];

    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            Granularity::File => "file",
            Granularity::Document => "document",
            Granularity::Chunk => "chunk",
            Granularity::Entity => "entity",
            Granularity::Both => "both",
        }
    }
}

/// How much of a hit's text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snippet {
    /// The signature line.
    Fold,
    /// Five lines around the best match.
    #[default]
    Preview,
    /// All of it.
    Full,
}

impl Snippet {
    /// All of them.
    pub const ALL: [Snippet; 3] = [Snippet::Fold, Snippet::Preview, Snippet::Full];

    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            Snippet::Fold => "fold",
            Snippet::Preview => "preview",
            Snippet::Full => "full",
        }
    }
}

/// A pattern over names: `exact`, `glob*` or `/regex/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Equal.
    Exact(String),
    /// With `*` and `?`.
    Glob(String),
    /// A regular expression, unanchored.
    Regex(String),
}

impl Pattern {
    /// Reads the written form.
    pub fn parse(text: &str) -> Pattern {
        match text.strip_prefix('/').and_then(|t| t.strip_suffix('/')) {
            Some(regex) => Pattern::Regex(regex.to_owned()),
            None if text.contains(['*', '?']) => Pattern::Glob(text.to_owned()),
            None => Pattern::Exact(text.to_owned()),
        }
    }
}

/// What a hit must be like. Empty lists and `None` ask for nothing; a list is satisfied by any of its members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    /// Names of languages.
    pub languages: Vec<String>,
    /// Whether files are judged as a whole: a language that stands anywhere in a file is that of its chunks, too.
    pub whole_files: bool,
    /// Globs, prefixes or extensions of paths, any of which must match.
    pub paths: Vec<String>,
    /// Globs, none of which may match.
    pub exclude: Vec<String>,
    /// Entity types.
    pub entity_types: Vec<EntityType>,
    /// Kinds of the chunk's node.
    pub node_types: Vec<Kind>,
    /// The name of the chunk's node.
    pub node_name: Option<Pattern>,
    /// The signature or name of the entity around the chunk's own.
    pub parent_context: Option<Pattern>,
    /// Least and greatest nesting depth.
    pub scope_depth: Option<(u32, u32)>,
    /// Names of which the chunk declares at least one: entities, variables, fields, parameters.
    pub has_definitions: Vec<String>,
    /// Names of which the chunk uses at least one: calls, types, receivers, modules, every other identifier.
    pub has_references: Vec<String>,
    /// Names of which the chunk's entity conforms to at least one.
    pub conformances: Vec<String>,
    /// Tests only, or no tests.
    pub is_test: Option<bool>,
    /// Public only, or not public only.
    pub is_public: Option<bool>,
    /// Changed at or after this time, in seconds since 1970.
    pub modified_since: Option<i64>,
}

/// A search, in a user's terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The words.
    pub text: String,
    /// How many hits.
    pub limit: usize,
    /// What a hit stands for.
    pub granularity: Granularity,
    /// How many chunks of one file may be shown.
    pub chunks_per_file: usize,
    /// What hits must be like.
    pub filters: Filters,
    /// The preset's name.
    pub preset: String,
}
