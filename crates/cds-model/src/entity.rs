//! Definitions found in a file.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::{Kind, Span};

/// A definition: class-like or function-like, nested to any depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Its own name, without scope.
    pub name: CompactString,
    /// The language's own word for it.
    pub kind: Kind,
    /// The entity around it, as a position in the same file's list; always smaller than its own.
    pub parent: Option<u32>,
    /// A scope that the syntax names and does not nest in: a Go receiver, `Foo::` in C++, `M.` in Lua.
    pub scope: Option<CompactString>,
    /// The definition itself, from its first keyword to its last byte.
    pub span: Span,
    /// The same with the doc comment and decorators above it.
    pub full: Span,
    /// The line its name stands on.
    pub name_line: u32,
    /// Everything before the body, on one line.
    pub signature: CompactString,
    /// The doc comment without its markers.
    pub doc_comment: Option<String>,
    /// Keywords before the name: `pub`, `static`, `async`.
    pub modifiers: Vec<CompactString>,
    /// Decorators, annotations and attributes, as written.
    pub decorators: Vec<CompactString>,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// The return type as written.
    pub return_type: Option<CompactString>,
    /// Bases, interfaces, protocols, traits and mixins it names.
    pub conformances: Vec<CompactString>,
    /// Whether code outside its file or type may use it.
    pub is_public: bool,
    /// Whether it is a test or lies inside one.
    pub is_test: bool,
    /// Whether it only says that there is such a function, whose body stands elsewhere: a prototype in a header.
    pub is_declaration: bool,
    /// Whether a parser found it only in a part of its file, or its keyword alone did: the file has syntax errors.
    pub is_recovered: bool,
}

/// One parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, or its whole text where the syntax gives none.
    pub name: CompactString,
    /// Its type as written.
    pub type_name: Option<CompactString>,
}
