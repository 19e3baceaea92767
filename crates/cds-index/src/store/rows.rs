//! Fixed rows of the mapped tables. All little-endian on every machine we build for.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::disk::Stamp;

/// No entity, no parent, no chunk.
pub(crate) const NONE: u32 = u32::MAX;

/// A file as a whole.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct DocumentRow {
    /// Where its text and facts begin in `files.bin` of its part.
    pub(crate) blob: u64,
    pub(crate) size: u64,
    /// Modification time on disk, in nanoseconds since 1970.
    pub(crate) modified_ns: i64,
    /// When content, name, owner or permissions changed, in nanoseconds since 1970; 0 where the system does not say.
    pub(crate) changed_ns: i64,
    /// Seconds since 1970.
    pub(crate) indexed_at: i64,
    pub(crate) hash: [u8; 32],
    /// The languages in it, a bit each by position in the manifest's list; the last bit stands for all that follow.
    pub(crate) languages: u64,
    /// Its path, in `strings.bin`.
    pub(crate) path: u32,
    /// The size of its block, and plain sizes of the text and the facts in it.
    pub(crate) packed: u32,
    pub(crate) text_len: u32,
    pub(crate) facts_len: u32,
    /// Of the block.
    pub(crate) checksum: u32,
    pub(crate) first_chunk: u32,
    pub(crate) chunks: u32,
    /// The file's own entity; those inside follow it.
    pub(crate) entity: u32,
    pub(crate) entities: u32,
    pub(crate) lines: u32,
    /// Position in the manifest's list; the one that parsed it, not the one with most tokens.
    pub(crate) language: u16,
    pub(crate) role: u8,
    pub(crate) flags: u8,
    /// How many other files use what it defines.
    pub(crate) users: u32,
    /// Length of the sum of its chunks' vectors: what a mean of cosines lacks to be the cosine of the file as a whole.
    pub(crate) vector_length: f32,
    /// Lines inside functions: what does something, not only says what there is.
    pub(crate) function_lines: u32,
    /// Its part, by position in the manifest, and what its first chunk is there.
    pub(crate) part: u32,
    pub(crate) doc: u32,
    pub(crate) references: u32,
    /// Calls of what the tree does not define.
    pub(crate) calls_outside: u32,
    /// Its outline in `outlines.bin` of its part: the first word, and how many.
    pub(crate) outline: u32,
    pub(crate) outline_len: u32,
    /// What it asked of others, in `asked.bin`: the first byte, and how many.
    pub(crate) asked: u32,
    pub(crate) asked_len: u32,
}

impl DocumentRow {
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { size: self.size, modified_ns: self.modified_ns, changed_ns: self.changed_ns }
    }
}

#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct EntityRow {
    pub(crate) file: u32,
    pub(crate) parent: u32,
    /// Its name, in `strings.bin`.
    pub(crate) name: u32,
    /// A scope that the syntax names and does not nest in, or [`NONE`].
    pub(crate) scope: u32,
    /// The chunk that holds its first line.
    pub(crate) chunk: u32,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) depth: u16,
    /// Which of the entities that are called alike it is, from 1 in order of position: ids differ by it.
    pub(crate) ordinal: u32,
}

#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct ChunkRow {
    pub(crate) file: u32,
    /// The entity it shows, or [`NONE`].
    pub(crate) entity: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    /// A chunk has fewer than 65,536: its size is bounded.
    pub(crate) tokens: u16,
    /// Position in the manifest's list.
    pub(crate) language: u16,
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) part: u16,
}

/// The bit of a language in [`DocumentRow::languages`].
pub(crate) fn language_bit(position: u16) -> u64 {
    1 << position.min(63)
}

/// A call that may mean too many entities, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct UnresolvedRow {
    /// In `strings.bin`: that of every entity of the name.
    pub(crate) name: u32,
    /// The entity that calls.
    pub(crate) from: u32,
    pub(crate) line: u32,
    pub(crate) candidates: u32,
}

/// Text of an entity that filters compare for many entities at once. Rows are sorted by entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct AttributeRow {
    pub(crate) entity: u32,
    /// One of [`attribute`].
    pub(crate) attribute: u32,
    /// In `strings.bin`.
    pub(crate) text: u32,
}

/// Values of `attribute` in attribute rows.
pub(crate) mod attribute {
    /// The signature, of entities with members.
    pub(crate) const SIGNATURE: u32 = 0;
    /// The name of one base, interface, protocol, trait or mixin.
    pub(crate) const CONFORMANCE: u32 = 1;
}

/// What a file says of an entity that may lie in another: a base of a type, or what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct BelongRow {
    pub(crate) file: u32,
    pub(crate) owner: u32,
    /// Or [`NONE`] for one from outside the tree.
    pub(crate) other: u32,
}

/// Bits of `flags` in entity and chunk rows.
pub(crate) mod flag {
    pub(crate) const PUBLIC: u8 = 1;
    pub(crate) const TEST: u8 = 2;
    /// The chunk declares a type: the first piece of a class-like entity.
    pub(crate) const TYPE: u8 = 4;
    /// The first of three bits that hold how many headings lead to a chunk: see [`MAX_HEADINGS`].
    pub(crate) const HEADINGS: u8 = 3;
    /// The greatest number of headings that is kept. Prose has six levels.
    pub(crate) const MAX_HEADINGS: u8 = 7;
}

/// Bits of `flags` in document rows.
pub(crate) mod document_flag {
    /// The file's time was too close to the build's to tell a later change by it.
    pub(crate) const RACY: u8 = 1;
}
