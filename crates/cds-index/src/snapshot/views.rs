//! One file, entity or chunk of a snapshot, as whoever asks sees it.

use std::fmt::Write;

use cds_graph::EdgeRow;
use cds_model::{ChunkId, EdgeKind, EntityId, EntityType, FileId, Kind, PathRole};

use super::Snapshot;
use crate::disk::Stamp;
use crate::store::rows::{ChunkRow, DocumentRow, EntityRow, NONE, document_flag, flag, language_bit};

/// The path of the root.
pub const ROOT: &str = ".";

/// A file of the snapshot.
#[derive(Clone, Copy)]
pub struct DocumentView<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) row: &'a DocumentRow,
    /// Its id.
    pub id: FileId,
}

/// An entity of the snapshot.
#[derive(Clone, Copy)]
pub struct EntityView<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) row: &'a EntityRow,
    /// Its id.
    pub id: EntityId,
}

/// A chunk of the snapshot.
#[derive(Clone, Copy)]
pub struct ChunkView<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) row: &'a ChunkRow,
    /// Its id.
    pub id: ChunkId,
}

impl<'a> DocumentView<'a> {
    /// Its path, relative to the root, with `/`.
    pub fn path(self) -> &'a str {
        self.snapshot.string(self.row.path)
    }

    /// The language it was read in.
    pub fn language(self) -> &'a str {
        self.snapshot.language(self.row.language)
    }

    /// Whether it, or a block in it, is in a language. Where an index has more than 64 languages, those beyond the 63rd are not told apart.
    pub fn has_language(self, name: &str) -> bool {
        let position = self.snapshot.manifest.languages.iter().position(|language| language == name);
        position.is_some_and(|at| self.row.languages & language_bit(at as u16) != 0)
    }

    /// What it is for.
    pub fn role(self) -> PathRole {
        PathRole::from_code(self.row.role)
    }

    /// Its size in bytes, as read.
    pub fn size(self) -> u64 {
        self.row.size
    }

    /// Number of lines.
    pub fn lines(self) -> u32 {
        self.row.lines
    }

    /// Lines inside its functions.
    pub fn function_lines(self) -> u32 {
        self.row.function_lines
    }

    /// How many other files use what it defines.
    pub fn users(self) -> u32 {
        self.row.users
    }

    /// Files that it uses, each once.
    pub fn uses(self) -> Vec<FileId> {
        self.leads_to(|edge| edge.is_use())
    }

    /// Files that it imports, each once.
    pub fn imports(self) -> Vec<FileId> {
        self.leads_to(|edge| edge.kind() == EdgeKind::Import)
    }

    fn leads_to(self, wanted: impl Fn(&EdgeRow) -> bool) -> Vec<FileId> {
        let graph = self.snapshot.graph();
        let entities = self.snapshot.entity_rows();
        let (_, end) = self.entity_range();
        let mut files: Vec<u32> = (self.row.entity..end)
            .flat_map(|entity| graph.outgoing(entity))
            .filter(|(_, edge)| wanted(edge))
            .filter_map(|(_, edge)| entities.get(edge.to as usize).map(|e| e.file))
            .filter(|file| *file != NONE && *file != self.id.0)
            .collect();
        files.sort_unstable();
        files.dedup();
        files.into_iter().map(FileId).collect()
    }

    /// The folder it lies in, if it lies in one.
    pub fn folder(self) -> Option<EntityId> {
        let parent = self.snapshot.entity_rows().get(self.row.entity as usize)?.parent;
        (parent != NONE).then_some(EntityId(parent))
    }

    /// Length of the sum of its chunks' vectors.
    pub fn vector_length(self) -> f32 {
        self.row.vector_length
    }

    /// When it was last changed, in nanoseconds since 1970.
    pub fn modified_ns(self) -> i64 {
        self.row.modified_ns
    }

    /// Size and times of the file that was indexed.
    pub(crate) fn stamp(self) -> Stamp {
        self.row.stamp()
    }

    /// When it was indexed, in seconds since 1970.
    pub fn indexed_at(self) -> i64 {
        self.row.indexed_at
    }

    /// The blake3 hash of its bytes.
    pub fn hash(self) -> &'a [u8; 32] {
        &self.row.hash
    }

    /// Whether its time alone cannot show a later change.
    pub(crate) fn is_racy(self) -> bool {
        self.row.flags & document_flag::RACY != 0
    }

    pub(crate) fn row(self) -> &'a DocumentRow {
        self.row
    }

    /// Its chunks, in order.
    pub fn chunks(self) -> impl ExactSizeIterator<Item = ChunkId> + use<> {
        let first = self.row.first_chunk;
        let end = first.saturating_add(self.row.chunks).min(self.snapshot.chunk_count() as u32);
        (first..end.max(first)).map(ChunkId)
    }

    /// Its own entity.
    pub fn entity(self) -> EntityId {
        EntityId(self.row.entity)
    }

    /// The entities inside it, in the order of its facts.
    pub fn entities(self) -> impl ExactSizeIterator<Item = EntityId> + use<> {
        let (first, end) = self.entity_range();
        (first..end).map(EntityId)
    }

    fn entity_range(self) -> (u32, u32) {
        let first = self.row.entity.saturating_add(1);
        let end = first.saturating_add(self.row.entities).min(self.snapshot.entity_count() as u32);
        (first, end.max(first))
    }
}

impl<'a> EntityView<'a> {
    /// Its own name.
    pub fn name(self) -> &'a str {
        self.snapshot.string(self.row.name)
    }

    /// A scope that the syntax names and does not nest in.
    pub fn scope(self) -> Option<&'a str> {
        (self.row.scope != NONE).then(|| self.snapshot.string(self.row.scope))
    }

    /// The language's own word for it.
    pub fn kind(self) -> Kind {
        Kind::from_code(self.row.kind)
    }

    /// Its entity type.
    pub fn entity_type(self) -> EntityType {
        self.kind().entity_type()
    }

    /// The entity around it. What is around stands before it, but for folders, which stand behind all files: so walking
    /// up ends, whatever the bytes say.
    pub fn parent(self) -> Option<EntityView<'a>> {
        let parent = self.snapshot.entity(EntityId(self.row.parent))?;
        let leaves_file = self.entity_type() == EntityType::File && parent.entity_type() == EntityType::Directory;
        (parent.id < self.id || leaves_file).then_some(parent)
    }

    /// Its file; directories have none.
    pub fn document(self) -> Option<DocumentView<'a>> {
        self.snapshot.document(FileId(self.row.file))
    }

    /// The language it is written in: that of its chunk, or of its file.
    pub fn language(self) -> Option<&'a str> {
        let chunk = self.local().and(self.chunk()).and_then(|chunk| self.snapshot.chunk(chunk));
        chunk.map(ChunkView::language).or_else(|| self.document().map(DocumentView::language))
    }

    /// Its position in its file's facts; files and directories have none.
    pub fn local(self) -> Option<u32> {
        let file = self.document()?.entity();
        self.id.0.checked_sub(file.0.checked_add(1)?)
    }

    /// The chunk that holds its first line.
    pub fn chunk(self) -> Option<ChunkId> {
        (self.row.chunk != NONE).then_some(ChunkId(self.row.chunk))
    }

    /// First and last line.
    pub fn lines(self) -> (u32, u32) {
        (self.row.start_line, self.row.end_line)
    }

    /// Whether others may use it.
    pub fn is_public(self) -> bool {
        self.row.flags & flag::PUBLIC != 0
    }

    /// Whether it is a test, or stands in a file of tests.
    pub fn is_test(self) -> bool {
        self.row.flags & flag::TEST != 0 || self.document().is_some_and(|d| d.role() == PathRole::Test)
    }

    /// How many entities inside the same file lie around it.
    pub fn depth(self) -> u32 {
        u32::from(self.row.depth)
    }

    /// Names from the outermost entity inside the file to its own.
    pub fn scope_path(self) -> Vec<&'a str> {
        let mut path = Vec::new();
        let mut at = Some(self);
        while let Some(entity) = at.filter(|e| matches!(e.entity_type(), EntityType::Class | EntityType::Function)) {
            path.push(entity.name());
            path.extend(entity.scope());
            at = entity.parent();
        }
        path.reverse();
        path
    }

    /// Its id, which no other entity of the snapshot has: [`EntityView::shared_key`], and `#2` and so on behind it for all but the first
    /// of several.
    pub fn key(self) -> String {
        let mut key = self.shared_key();
        if self.row.ordinal > 1 {
            let _ = write!(key, "#{}", self.row.ordinal);
        }
        key
    }

    /// Its path for files and directories, `path:Outer.inner` for what is inside a file. Overloads share it, and so do a type and what
    /// adds to it in the same file.
    pub fn shared_key(self) -> String {
        match self.entity_type() {
            EntityType::Directory | EntityType::File | EntityType::External => self.path(),
            EntityType::Class | EntityType::Function => format!("{}:{}", self.path(), self.scope_path().join(".")),
        }
    }

    /// Which of the entities with its [`EntityView::shared_key`] it is, from 1 in order of position.
    pub fn ordinal(self) -> u32 {
        self.row.ordinal
    }

    /// The path of its file, or its own for a directory; `.` for the root.
    pub fn path(self) -> String {
        if let Some(document) = self.document() {
            return document.path().to_owned();
        }
        let mut names = Vec::new();
        let is_root = |e: &EntityView| e.row.parent == NONE && e.entity_type() == EntityType::Directory;
        let mut at = Some(self);
        while let Some(entity) = at.filter(|e| e.id == self.id || !is_root(e)) {
            names.push(entity.name());
            at = entity.parent();
        }
        names.reverse();
        names.join("/")
    }
}

impl<'a> ChunkView<'a> {
    /// Its file.
    pub fn document(self) -> Option<DocumentView<'a>> {
        self.snapshot.document(FileId(self.row.file))
    }

    /// The entity it shows.
    pub fn entity(self) -> Option<EntityView<'a>> {
        (self.row.entity != NONE).then(|| self.snapshot.entity(EntityId(self.row.entity))).flatten()
    }

    /// The entities that begin in it.
    pub fn entities(self) -> impl Iterator<Item = EntityView<'a>> {
        let (first, end) = self.document().map_or((0, 0), DocumentView::entity_range);
        // They stand in order of position, and so do chunks.
        let rows = self.snapshot.entity_rows().slice(first as usize..end as usize);
        let from = rows.partition_point(|row| row.chunk < self.id.0);
        let here = rows[from..].iter().take_while(move |row| row.chunk == self.id.0);
        here.enumerate().map(move |(i, row)| EntityView {
            snapshot: self.snapshot,
            row,
            id: EntityId(first + (from + i) as u32),
        })
    }

    /// What it is.
    pub fn node_type(self) -> Kind {
        Kind::from_code(self.row.kind)
    }

    /// Its bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.row.start as usize..self.row.end as usize
    }

    /// First and last line.
    pub fn lines(self) -> (u32, u32) {
        (self.row.start_line, self.row.end_line)
    }

    /// The language it is written in.
    pub fn language(self) -> &'a str {
        self.snapshot.language(self.row.language)
    }

    /// Estimated tokens.
    pub fn tokens(self) -> u32 {
        self.row.tokens.into()
    }

    /// Whether it is only the first line of a longer definition, such as `impl Project {`: what it defines is in other chunks.
    pub fn is_bare_header(self) -> bool {
        let (first, last) = self.lines();
        first == last && self.part() == 0 && self.entity().is_some_and(|e| e.lines().1 > last)
    }

    /// Whether it may represent its file: it is not a bare header, or the file has no other chunk.
    pub fn may_represent_file(self) -> bool {
        !self.is_bare_header() || self.document().is_some_and(|document| document.chunks().len() == 1)
    }

    /// Which piece of a long stretch it is.
    pub fn part(self) -> u32 {
        u32::from(self.row.part)
    }

    /// How deep it lies in its file: how many definitions, or headings of prose, lead to it.
    pub fn depth(self) -> u32 {
        let headings = self.row.flags >> flag::HEADINGS & flag::MAX_HEADINGS;
        self.entity().map_or(u32::from(headings), |entity| entity.depth() + 1)
    }

    /// Its position in its file.
    pub fn local(self) -> Option<u32> {
        self.id.0.checked_sub(self.document()?.row.first_chunk)
    }

    /// Whether its entity may be used by others.
    pub fn is_public(self) -> bool {
        self.row.flags & flag::PUBLIC != 0
    }

    /// Whether it is part of a test.
    pub fn is_test(self) -> bool {
        self.row.flags & flag::TEST != 0
    }

    /// Whether it declares a type.
    pub fn is_type_declaration(self) -> bool {
        self.row.flags & flag::TYPE != 0
    }
}
