//! What one file says about itself.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::{Chunk, Entity, SourceBytes};

/// The facts of one file: a pure function of its bytes and its language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Definitions, parents before children, in order of position.
    pub entities: Vec<Entity>,
    /// Names used, in order of position.
    pub references: Vec<Reference>,
    /// Names brought in from elsewhere, in order of position.
    pub imports: Vec<Import>,
    /// Names bound to values, with what is known of their types, in order of position.
    pub bindings: Vec<Binding>,
    /// What else is declared or used by name, in order of position: variables, fields, parameters, receivers, modules. Names of entities and
    /// references are not repeated; names that are alike in one entity and one chunk stand where the first of them does.
    pub names: Vec<Name>,
    /// The package or namespace that the whole file says it belongs to, as written.
    pub package: Option<CompactString>,
    /// The pieces the file is retrieved in; together they cover it.
    pub chunks: Vec<Chunk>,
    /// Byte ranges of comments, in order.
    pub comments: Vec<(u32, u32)>,
    /// Byte ranges of docs that are not comments to the grammar: docstrings.
    pub doc_spans: Vec<(u32, u32)>,
    /// The comment that describes the file as a whole.
    pub doc_comment: Option<String>,
    /// Languages found in it, the one with most tokens first.
    pub languages: Vec<LanguageShare>,
    /// What went wrong while reading it.
    pub problems: Vec<Problem>,
    /// Number of lines.
    pub lines: u32,
    /// What the text does not say of the bytes it was decoded from.
    pub source: SourceBytes,
}

impl FileFacts {
    /// The dotted name of an entity inside its file: `Outer.inner`.
    pub fn qualified_name(&self, entity: u32) -> String {
        self.scope_path(entity).join(".")
    }

    /// How many entities lie around it.
    pub fn scope_depth(&self, entity: u32) -> usize {
        let parent = |i: u32| self.entities.get(i as usize).and_then(|e| e.parent);
        std::iter::successors(parent(entity), |&i| parent(i)).count()
    }

    /// Names from the outermost scope to the entity itself.
    pub fn scope_path(&self, entity: u32) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = Some(entity);
        while let Some(entity) = at.and_then(|i| self.entities.get(i as usize)) {
            path.push(entity.name.as_str());
            path.extend(entity.scope.as_deref());
            at = entity.parent;
        }
        path.reverse();
        path
    }
}

/// What a reference does with the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// Calls it.
    Call,
    /// Names it as a type.
    Type,
    /// Extends, implements, conforms to or mixes it in.
    Base,
}

impl ReferenceKind {
    /// The word used in captures and output.
    pub fn name(self) -> &'static str {
        match self {
            ReferenceKind::Call => "call",
            ReferenceKind::Type => "type",
            ReferenceKind::Base => "base",
        }
    }
}

/// A name used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name itself, without receiver.
    pub name: CompactString,
    /// What is done with it.
    pub kind: ReferenceKind,
    /// The text before the name: `self`, `db.session`, `Foo`.
    pub receiver: Option<CompactString>,
    /// The innermost entity around it.
    pub enclosing: Option<u32>,
    /// First byte of the name.
    pub start: u32,
    /// Its line.
    pub line: u32,
}

/// A name, or a whole module, brought in from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written, without quotes.
    pub module: CompactString,
    /// The name taken from it; none for the module itself.
    pub name: Option<CompactString>,
    /// What it is called here.
    pub alias: Option<CompactString>,
    /// Whether everything is taken; of an export, whether other names may be given as well.
    pub wildcard: bool,
    /// Whether the file gives a name of its own to others, under `alias`; then there is no module.
    pub is_export: bool,
    /// The innermost entity around it.
    pub enclosing: Option<u32>,
    /// First byte of the name, or of the module where everything is taken.
    pub start: u32,
    /// Its line.
    pub line: u32,
}

/// A name bound to a value: a variable, a field, a loop's name. It hides what is called so outside, and tells the type of
/// what is called on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: CompactString,
    /// Its type as written.
    pub type_name: Option<CompactString>,
    /// What it is set to, when that is a path of names: `Foo()`, `self.db.session()`; what stands in brackets is left out.
    pub value: Option<CompactString>,
    /// Whether it belongs to the object itself: `self.name = …`.
    pub is_member: bool,
    /// The innermost entity around it.
    pub enclosing: Option<u32>,
    /// From where on it holds: the end of the value, or the first byte of the name where that is not known.
    pub start: u32,
}

/// Where a name stands that is declared or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Whether it is declared in its entity and chunk.
    pub is_definition: bool,
    /// Whether it is used there.
    pub is_use: bool,
}

/// How much of a file is written in a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageShare {
    /// The language's name.
    pub language: CompactString,
    /// Its estimated tokens.
    pub tokens: u32,
}

/// Why a file is missing, or less well known than it could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProblemKind {
    /// Not text.
    Binary,
    /// Larger than `max_file_size`.
    TooLarge,
    /// The system refused to read it.
    Unreadable,
    /// Bytes that are not UTF-8 were replaced.
    InvalidUtf8,
    /// The parser met text that its grammar does not know.
    SyntaxError,
    /// Parsing took too long: indexed as plain text.
    BudgetExceeded,
    /// A symbolic link that leads out of the root or nowhere.
    Symlink,
    /// Its name is not UTF-8 and is written like another file's.
    SameName,
    /// A model failed on parts of it.
    NotEncoded,
    /// A pipe, a socket or a device.
    SpecialFile,
    /// An ignore file whose rules, or some of them, do not apply.
    RulesRejected,
}

impl ProblemKind {
    /// All kinds, in order of gravity: files left out first.
    pub const ALL: [ProblemKind; 11] = [
        ProblemKind::Unreadable,
        ProblemKind::TooLarge,
        ProblemKind::Binary,
        ProblemKind::Symlink,
        ProblemKind::SpecialFile,
        ProblemKind::SameName,
        ProblemKind::RulesRejected,
        ProblemKind::BudgetExceeded,
        ProblemKind::InvalidUtf8,
        ProblemKind::SyntaxError,
        ProblemKind::NotEncoded,
    ];

    /// The word used in output.
    pub fn name(self) -> &'static str {
        match self {
            ProblemKind::Binary => "binary",
            ProblemKind::TooLarge => "too_large",
            ProblemKind::Unreadable => "unreadable",
            ProblemKind::InvalidUtf8 => "invalid_utf8",
            ProblemKind::SyntaxError => "syntax_error",
            ProblemKind::BudgetExceeded => "budget_exceeded",
            ProblemKind::Symlink => "symlink",
            ProblemKind::SameName => "same_name",
            ProblemKind::NotEncoded => "not_encoded",
            ProblemKind::SpecialFile => "special_file",
            ProblemKind::RulesRejected => "ignore_rules_rejected",
        }
    }

    /// Whether the file is missing from the index because of it.
    pub fn skips_file(self) -> bool {
        use ProblemKind::{Binary, SameName, SpecialFile, Symlink, TooLarge, Unreadable};
        matches!(self, Binary | TooLarge | Unreadable | Symlink | SpecialFile | SameName)
    }
}

/// One thing that went wrong with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What.
    pub kind: ProblemKind,
    /// In words, with line or size.
    pub detail: String,
}
