//! The closed table of entity kinds: each keeps its language's own word and maps to one entity type.

use serde::{Deserialize, Serialize};

/// The types of entity in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum EntityType {
    /// A folder.
    Directory,
    /// A file.
    File,
    /// Anything at the level of types: classes, structs, traits, modules, aliases.
    Class,
    /// Anything at the level of values: functions, methods, constants, macros.
    Function,
    /// A module or type that the tree uses and does not have.
    External,
}

impl EntityType {
    /// All types, in the order of the containment tree.
    pub const ALL: [EntityType; 5] =
        [EntityType::Directory, EntityType::File, EntityType::Class, EntityType::Function, EntityType::External];

    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            EntityType::Directory => "directory",
            EntityType::File => "file",
            EntityType::Class => "class",
            EntityType::Function => "function",
            EntityType::External => "external",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<EntityType> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
}

/// One row of [`KINDS`].
#[derive(Debug)]
pub struct KindRow {
    /// The language's own word.
    pub name: &'static str,
    /// What it maps to.
    pub entity_type: EntityType,
    /// Whether an entity of this kind is a chunk of its own.
    pub chunked: bool,
    /// Whether it declares a type: functions directly inside are methods.
    pub is_type: bool,
}

const fn row(name: &'static str, entity_type: EntityType, chunked: bool, is_type: bool) -> KindRow {
    KindRow { name, entity_type, chunked, is_type }
}

use EntityType::{Class, Directory, External, File, Function};

/// Every kind there is. Stored as a position: append new rows at the end of their block only together
/// with a new format version. Columns: name, entity type, own chunk, type whose functions are methods.
#[rustfmt::skip]
pub const KINDS: &[KindRow] = &[
    // What holds code.
    row("directory",   Directory, false, false),
    row("file",        File,      false, false),
    // Stretches of a file that no entity owns.
    row("block",       File,      true,  false),
    row("section",     File,      true,  false),
    // The level of types.
    row("actor",       Class,     true,  true),
    row("annotation",  Class,     true,  true),
    row("class",       Class,     true,  true),
    row("data",        Class,     true,  true),
    row("delegate",    Class,     false, false),
    row("enum",        Class,     true,  true),
    row("extension",   Class,     true,  true),
    row("impl",        Class,     true,  true),
    row("instance",    Class,     true,  true),
    row("interface",   Class,     true,  true),
    row("module",      Class,     true,  false),
    row("namespace",   Class,     true,  false),
    row("newtype",     Class,     true,  true),
    row("object",      Class,     true,  true),
    row("protocol",    Class,     true,  true),
    row("record",      Class,     true,  true),
    row("struct",      Class,     true,  true),
    row("trait",       Class,     true,  true),
    row("typealias",   Class,     false, false),
    row("union",       Class,     true,  true),
    // The level of values.
    row("constant",    Function,  false, false),
    row("constructor", Function,  true,  false),
    row("deinit",      Function,  true,  false),
    row("event",       Function,  false, false),
    row("field",       Function,  false, false),
    row("function",    Function,  true,  false),
    row("getter",      Function,  true,  false),
    row("init",        Function,  true,  false),
    row("macro",       Function,  true,  false),
    row("method",      Function,  true,  false),
    row("operator",    Function,  true,  false),
    row("property",    Function,  false, false),
    row("setter",      Function,  true,  false),
    row("subscript",   Function,  true,  false),
    row("test",        Function,  true,  false),
    row("variable",    Function,  false, false),
    // A module or type that the tree uses and does not have.
    row("external",    External,  false, false),
];

/// A row of [`KINDS`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Kind(u8);

impl Kind {
    /// The kind called `name`.
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().position(|k| k.name == name).map(|i| Kind(i as u8))
    }

    /// The kind called `name`, which must be in the table.
    ///
    /// # Panics
    /// When it is not: callers pass literals.
    pub fn known(name: &'static str) -> Kind {
        Kind::from_name(name).expect("a kind of the table")
    }

    /// The kind stored as `code`; damaged codes read as `block`.
    pub fn from_code(code: u8) -> Kind {
        if usize::from(code) < KINDS.len() { Kind(code) } else { Kind(2) }
    }

    /// What is stored for it.
    pub fn code(self) -> u8 {
        self.0
    }

    /// Its row.
    pub fn row(self) -> &'static KindRow {
        // A `Kind` read from a damaged cache may be out of range.
        KINDS.get(usize::from(self.0)).unwrap_or(&KINDS[2])
    }

    /// The language's own word.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The entity type it maps to.
    pub fn entity_type(self) -> EntityType {
        self.row().entity_type
    }
}
