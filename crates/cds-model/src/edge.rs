//! Edges of the code graph, and how each of them is known.

use serde::{Deserialize, Serialize};

/// What joins two entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum EdgeKind {
    /// A folder, file or definition holds another.
    Contain,
    /// A file or definition brings in another, or a module from outside.
    Import,
    /// A definition calls another.
    Invoke,
    /// A type extends, implements, conforms to or mixes in another.
    Inherit,
}

impl EdgeKind {
    /// All kinds, in the order they are stored and shown.
    pub const ALL: [EdgeKind; 4] = [EdgeKind::Contain, EdgeKind::Import, EdgeKind::Invoke, EdgeKind::Inherit];

    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::Contain => "contain",
            EdgeKind::Import => "import",
            EdgeKind::Invoke => "invoke",
            EdgeKind::Inherit => "inherit",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<EdgeKind> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

/// How an edge was resolved, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Certainty {
    /// Its name is defined in the same scope, file or package.
    Scoped,
    /// Its name was brought in by an import.
    Imported,
    /// The type of what it is called on is known.
    Typed,
    /// Only its name is known; it is one of so many candidates.
    Named,
}

impl Certainty {
    /// All, surest first.
    pub const ALL: [Certainty; 4] = [Certainty::Scoped, Certainty::Imported, Certainty::Typed, Certainty::Named];

    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Scoped => "scoped",
            Certainty::Imported => "imported",
            Certainty::Typed => "typed",
            Certainty::Named => "named",
        }
    }

    /// The certainty of that name.
    pub fn from_name(name: &str) -> Option<Certainty> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}
