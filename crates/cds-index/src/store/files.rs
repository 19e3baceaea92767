//! `files.bin`: each file's text and facts, compressed as one block. The facts stand behind the text, so most of their strings
//! are found in it again; the text alone is had by stopping early.
//!
//! Facts are cut where chunks begin: what a hit shows of one chunk is read without those of the others, which in a large file take
//! longer to read than the search took, and many times its memory.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use cds_model::{
    Binding, Chunk, Entity, FileFacts, Import, LanguageShare, Name, Problem, Reference, SourceBytes, Span,
};
use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use zstd::stream::raw::{InBuffer, Operation, OutBuffer};

use super::words::PackedNames;

/// Level 3 is a tenth smaller than level 1 and still far faster than parsing.
const LEVEL: i32 = 3;

thread_local! {
    static COMPRESSOR: RefCell<zstd::bulk::Compressor<'static>> =
        RefCell::new(zstd::bulk::Compressor::new(LEVEL).expect("a level that exists"));
    static DECOMPRESSOR: RefCell<zstd::bulk::Decompressor<'static>> =
        RefCell::new(zstd::bulk::Decompressor::new().expect("memory is all it needs"));
    /// Decodes the beginning of a block.
    static PREFIX_DECODER: RefCell<zstd::stream::raw::Decoder<'static>> =
        RefCell::new(zstd::stream::raw::Decoder::new().expect("memory is all it needs"));
    /// Room that blocks are unpacked into.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// More room than this is not kept.
const MOST_ROOM: usize = 1 << 20;

/// A file's block, ready to be written.
pub(crate) struct Packed {
    pub(crate) block: Vec<u8>,
    pub(crate) text_len: u32,
    pub(crate) facts_len: u32,
    pub(crate) checksum: u32,
}

impl Packed {
    pub(crate) fn new(text: &str, facts: &FileFacts) -> Packed {
        let plain = cut(text, facts);
        let block = COMPRESSOR.with_borrow_mut(|c| c.compress(&plain)).expect("memory is all it needs");
        Packed {
            text_len: text.len() as u32,
            facts_len: (plain.len() - text.len()) as u32,
            checksum: checksum(&block),
            block,
        }
    }
}

/// CRC-32: damage is noticed before it is decoded.
pub(crate) fn checksum(block: &[u8]) -> u32 {
    crc32fast::hash(block)
}

/// What is known of a file before its pieces: what is said of it as a whole, and where they are.
#[derive(Serialize, Deserialize)]
struct Head {
    lines: u32,
    doc_comment: Option<String>,
    languages: Vec<LanguageShare>,
    source: SourceBytes,
    pieces: Vec<PieceRow>,
}

/// Where a piece begins, as steps from the one before, and how much is in it.
#[derive(Default, Serialize, Deserialize)]
struct PieceRow {
    start: u32,
    start_line: u32,
    /// Bytes of text that its chunk has.
    len: u32,
    /// Bytes that it takes itself.
    bytes: u32,
    entities: u32,
}

/// A chunk, and the entities, references and names from its start to that of the next one.
#[derive(Default, Serialize, Deserialize)]
struct Piece {
    /// None only where a file has none.
    chunk: Option<Chunk>,
    entities: Vec<Entity>,
    references: Vec<Reference>,
    names: PackedNames,
}

/// What no hit shows.
#[derive(Default, Serialize, Deserialize)]
struct Rest {
    imports: Vec<Import>,
    bindings: Vec<Binding>,
    package: Option<CompactString>,
    comments: Vec<(u32, u32)>,
    doc_spans: Vec<(u32, u32)>,
    problems: Vec<Problem>,
}

/// Adds facts to a text: the head, the pieces, the rest.
fn cut(text: &str, facts: &FileFacts) -> Vec<u8> {
    let mut plain = text.as_bytes().to_vec();
    let (mut entities, mut references) = (facts.entities.as_slice(), facts.references.as_slice());
    let mut head = Head {
        lines: facts.lines,
        doc_comment: facts.doc_comment.clone(),
        languages: facts.languages.clone(),
        source: facts.source.clone(),
        pieces: Vec::with_capacity(facts.chunks.len()),
    };
    let mut names = facts.names.as_slice();
    let mut pieces = Vec::new();
    let mut last = Span::default();
    for at in 0..facts.chunks.len().max(1) {
        let next = facts.chunks.get(at + 1).map_or(u32::MAX, |chunk| chunk.span.start);
        let own_entities = entities.iter().position(|e| e.span.start >= next).unwrap_or(entities.len());
        let own_references = references.iter().position(|r| r.start >= next).unwrap_or(references.len());
        let own_names = names.iter().position(|n| n.start >= next).unwrap_or(names.len());
        let chunk = facts.chunks.get(at).cloned();
        let span = chunk.as_ref().map_or(Span::default(), |chunk| chunk.span);
        let mut piece = Piece {
            chunk,
            entities: entities[..own_entities].to_vec(),
            references: references[..own_references].to_vec(),
            names: PackedNames::new(piece_text(text, span, next), span.start, &names[..own_names]),
        };
        piece.make_steps(span);
        (entities, references) = (&entities[own_entities..], &references[own_references..]);
        names = &names[own_names..];
        let from = pieces.len();
        pieces = postcard::to_extend(&piece, pieces).expect("facts are plain data");
        let Span { start, end, start_line, .. } = step(span, last);
        let bytes = (pieces.len() - from) as u32;
        head.pieces.push(PieceRow { start, start_line, len: end, bytes, entities: own_entities as u32 });
        last = span;
    }
    let mut comments = facts.comments.clone();
    comments_to_steps(&mut comments);
    let rest = Rest {
        imports: facts.imports.clone(),
        bindings: facts.bindings.clone(),
        package: facts.package.clone(),
        comments,
        doc_spans: facts.doc_spans.clone(),
        problems: facts.problems.clone(),
    };
    plain = postcard::to_extend(&head, plain).expect("facts are plain data");
    plain.extend(pieces);
    postcard::to_extend(&rest, plain).expect("facts are plain data")
}

/// The text from the beginning of a piece to that of the next one.
fn piece_text(text: &str, span: Span, next: u32) -> &[u8] {
    let bytes = text.as_bytes();
    bytes.get(span.start as usize..bytes.len().min(next as usize)).unwrap_or_default()
}

/// Where a piece is.
#[derive(Clone, Copy, Default)]
struct Place {
    /// In the bytes of all facts.
    at: usize,
    bytes: usize,
    /// Of its chunk.
    span: Span,
    /// Its first entity, in the file's list.
    entity: u32,
}

/// A file's text and facts, as they were indexed. Facts are read as they are asked for; where they are damaged there are none.
pub struct LoadedFile {
    /// Its text.
    pub text: String,
    facts: Vec<u8>,
    head: Head,
    places: Vec<Place>,
    rest_at: usize,
}

/// What stands in a span.
pub struct Inside<'a> {
    /// Entities that begin in it, in order.
    pub entities: Vec<Entity>,
    /// References in it, in order.
    pub references: Vec<Reference>,
    /// Further names in it, in order.
    pub names: Vec<Name>,
    text: &'a str,
}

impl Inside<'_> {
    /// Names that are declared in it: those of entities first.
    pub fn definitions(&self) -> impl Iterator<Item = &str> {
        self.entities.iter().map(|entity| entity.name.as_str()).chain(self.named(|name| name.is_definition))
    }

    /// Names that are used in it: those of references first. A name may come more than once.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.references.iter().map(|reference| reference.name.as_str()).chain(self.named(|name| name.is_use))
    }

    fn named(&self, is_asked: fn(&Name) -> bool) -> impl Iterator<Item = &str> {
        let names = self.names.iter().filter(move |name| is_asked(name));
        names.filter_map(|name| self.text.get(name.start as usize..name.end as usize))
    }
}

impl LoadedFile {
    pub(crate) fn unpack(block: &[u8], text_len: u32, facts_len: u32) -> Option<LoadedFile> {
        let len = text_len as usize + facts_len as usize;
        if plain_len(block)? != len as u64 {
            return None;
        }
        // Text and facts of their own size: what is remembered of a file is no larger than it is.
        let mut room = ROOM.take();
        room.clear();
        room.reserve(len);
        let unpacked = DECOMPRESSOR.with_borrow_mut(|d| d.decompress_to_buffer(block, &mut room));
        unpacked.ok().filter(|unpacked| *unpacked == len)?;
        let (text, facts) = room.split_at(text_len as usize);
        let (text, facts) = (std::str::from_utf8(text).ok()?.to_owned(), facts.to_vec());
        if room.capacity() <= MOST_ROOM {
            ROOM.set(room);
        }
        let (head, pieces): (Head, &[u8]) = postcard::take_from_bytes(&facts).ok()?;
        let mut place = Place { at: facts.len() - pieces.len(), ..Place::default() };
        let mut places = Vec::with_capacity(head.pieces.len());
        for row in &head.pieces {
            let steps = Span { start: row.start, end: row.len, start_line: row.start_line, end_line: 0 };
            place.span = unstep(steps, place.span);
            place.bytes = row.bytes as usize;
            places.push(place);
            place.at = place.at.checked_add(place.bytes)?;
            place.entity = place.entity.checked_add(row.entities)?;
        }
        Some(LoadedFile { text, rest_at: place.at, facts, head, places })
    }

    /// About how much memory it takes.
    pub fn weight(&self) -> usize {
        self.text.len()
            + self.facts.len()
            + self.places.len() * size_of::<(Place, PieceRow)>()
            + size_of::<LoadedFile>()
    }

    /// How many lines it has.
    pub fn lines(&self) -> u32 {
        self.head.lines
    }

    /// The comment that describes the file as a whole.
    pub fn doc_comment(&self) -> Option<&str> {
        self.head.doc_comment.as_deref()
    }

    /// Languages found in it, the one with most tokens first.
    pub fn languages(&self) -> &[LanguageShare] {
        &self.head.languages
    }

    /// Where in the file on disk a position of the text is.
    pub fn offset_on_disk(&self, at: u32) -> u32 {
        self.head.source.offset(&self.text, at)
    }

    /// The bytes of a span in the file on disk.
    pub fn bytes_on_disk(&self, span: Span) -> Cow<'_, [u8]> {
        self.head.source.bytes(&self.text, span.range())
    }

    /// The text of each chunk.
    pub fn chunk_texts(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| self.text.get(place.span.range()).unwrap_or_default())
    }

    /// Names of the piece at a position in the file's list.
    fn names(&self, piece: &Piece, at: usize) -> impl Iterator<Item = Name> {
        let span = self.places[at].span;
        let next = self.places.get(at + 1).map_or(u32::MAX, |place| place.span.start);
        piece.names.unpack(piece_text(&self.text, span, next), span.start).into_iter()
    }

    fn piece(&self, place: &Place) -> Option<Piece> {
        let bytes = self.facts.get(place.at..place.at.checked_add(place.bytes)?)?;
        let mut piece: Piece = postcard::from_bytes(bytes).ok()?;
        piece.undo_steps(place.span);
        Some(piece)
    }

    /// A chunk, by its position in the file's list.
    pub fn chunk(&self, at: u32) -> Option<Chunk> {
        self.piece(self.places.get(at as usize)?)?.chunk
    }

    /// An entity, by its position in the file's list.
    pub fn entity(&self, at: u32) -> Option<Entity> {
        let place = self.places[..self.places.partition_point(|place| place.entity <= at)].last()?;
        let mut entities = self.piece(place)?.entities;
        let own = (at - place.entity) as usize;
        (own < entities.len()).then(|| entities.swap_remove(own))
    }

    /// What stands in a span.
    pub fn inside(&self, span: Span) -> Option<Inside<'_>> {
        let end = self.places.partition_point(|place| place.span.start < span.end);
        // The last piece that begins before the span may reach into it.
        let first = self.places[..end].partition_point(|place| place.span.start <= span.start).saturating_sub(1);
        let (entities, references, names) = (Vec::new(), Vec::new(), Vec::new());
        let mut inside = Inside { entities, references, names, text: &self.text };
        for (at, place) in self.places.iter().enumerate().take(end).skip(first) {
            let piece = self.piece(place)?;
            inside.names.extend(self.names(&piece, at).filter(|n| span.contains(n.start)));
            inside.entities.extend(piece.entities.into_iter().filter(|e| span.contains(e.span.start)));
            inside.references.extend(piece.references.into_iter().filter(|r| span.contains(r.start)));
        }
        Some(inside)
    }

    /// All facts.
    pub fn facts(&self) -> Option<FileFacts> {
        let Rest { imports, bindings, package, mut comments, doc_spans, problems } =
            postcard::from_bytes(self.facts.get(self.rest_at..)?).ok()?;
        comments_from_steps(&mut comments);
        let mut facts = FileFacts {
            imports,
            bindings,
            package,
            comments,
            doc_spans,
            problems,
            doc_comment: self.head.doc_comment.clone(),
            languages: self.head.languages.clone(),
            source: self.head.source.clone(),
            lines: self.head.lines,
            ..FileFacts::default()
        };
        for (at, place) in self.places.iter().enumerate() {
            let piece = self.piece(place)?;
            facts.names.extend(self.names(&piece, at));
            facts.chunks.extend(piece.chunk);
            facts.entities.extend(piece.entities);
            facts.references.extend(piece.references);
        }
        Some(facts)
    }
}

/// How long a block says it is when unpacked. Asked before memory is taken for it.
fn plain_len(block: &[u8]) -> Option<u64> {
    zstd::zstd_safe::get_frame_content_size(block).ok().flatten()
}

/// The beginning of the text, alone.
pub(crate) fn unpack_text(block: &[u8], text_len: u32) -> Option<String> {
    if plain_len(block)? < u64::from(text_len) {
        return None;
    }
    let mut text = vec![0; text_len as usize];
    PREFIX_DECODER.with_borrow_mut(|decoder| {
        decoder.reinit().ok()?;
        let (mut input, mut output) = (InBuffer::around(block), OutBuffer::around(text.as_mut_slice()));
        loop {
            let before = (input.pos(), output.pos());
            let left = decoder.run(&mut input, &mut output).ok()?;
            if left == 0 || output.pos() == text_len as usize || (input.pos(), output.pos()) == before {
                return (output.pos() == text_len as usize).then_some(());
            }
        }
    })?;
    String::from_utf8(text).ok()
}

impl Piece {
    /// Positions as steps from the one before, the first from the start of the piece: small numbers take one byte and compress well.
    /// Arithmetic wraps, so that damage cannot panic.
    fn make_steps(&mut self, base: Span) {
        if let Some(chunk) = &mut self.chunk {
            chunk.span = step(chunk.span, base);
        }
        let mut last = base;
        for entity in &mut self.entities {
            let (span, full) = (entity.span, entity.full);
            entity.name_line = entity.name_line.wrapping_sub(span.start_line);
            entity.full = apart(span, full);
            entity.span = step(span, last);
            last = span;
        }
        let (mut start, mut line) = (base.start, base.start_line);
        for reference in &mut self.references {
            let here = (reference.start, reference.line);
            reference.start = here.0.wrapping_sub(start);
            reference.line = here.1.wrapping_sub(line);
            (start, line) = here;
        }
    }

    /// The way back.
    fn undo_steps(&mut self, base: Span) {
        if let Some(chunk) = &mut self.chunk {
            chunk.span = unstep(chunk.span, base);
        }
        let mut last = base;
        for entity in &mut self.entities {
            let span = unstep(entity.span, last);
            entity.full = apart(span, entity.full);
            entity.name_line = entity.name_line.wrapping_add(span.start_line);
            entity.span = span;
            last = span;
        }
        let (mut start, mut line) = (base.start, base.start_line);
        for reference in &mut self.references {
            start = start.wrapping_add(reference.start);
            line = line.wrapping_add(reference.line);
            (reference.start, reference.line) = (start, line);
        }
    }
}

fn comments_to_steps(comments: &mut [(u32, u32)]) {
    let mut last = 0;
    for (start, end) in comments {
        let here = *start;
        *end = end.wrapping_sub(here);
        *start = here.wrapping_sub(last);
        last = here;
    }
}

fn comments_from_steps(comments: &mut [(u32, u32)]) {
    let mut last = 0u32;
    for (start, end) in comments {
        *start = start.wrapping_add(last);
        *end = end.wrapping_add(*start);
        last = *start;
    }
}

/// How far one span is from another; of a span and what this gives, it gives the other again.
fn apart(span: Span, other: Span) -> Span {
    Span {
        start: span.start.wrapping_sub(other.start),
        end: span.end.wrapping_sub(other.end),
        start_line: span.start_line.wrapping_sub(other.start_line),
        end_line: span.end_line.wrapping_sub(other.end_line),
    }
}

/// A span as steps: its start from the last one's start, its end from its start.
fn step(span: Span, last: Span) -> Span {
    Span {
        start: span.start.wrapping_sub(last.start),
        end: span.end.wrapping_sub(span.start),
        start_line: span.start_line.wrapping_sub(last.start_line),
        end_line: span.end_line.wrapping_sub(span.start_line),
    }
}

fn unstep(step: Span, last: Span) -> Span {
    let start = step.start.wrapping_add(last.start);
    let start_line = step.start_line.wrapping_add(last.start_line);
    Span { start, end: step.end.wrapping_add(start), start_line, end_line: step.end_line.wrapping_add(start_line) }
}

#[cfg(test)]
mod tests {
    use super::{LoadedFile, Packed, checksum, unpack_text};
    use cds_model::{FileFacts, Span};

    fn load(packed: &Packed) -> LoadedFile {
        LoadedFile::unpack(&packed.block, packed.text_len, packed.facts_len).unwrap()
    }

    #[test]
    fn text_and_facts_come_back() {
        let facts = FileFacts { doc_comment: Some("héllo".to_owned()), lines: 7, ..FileFacts::default() };
        for text in ["", "fn main() {}\n", &"été ".repeat(30_000)] {
            let packed = Packed::new(text, &facts);
            assert_eq!(packed.checksum, checksum(&packed.block));
            let loaded = load(&packed);
            assert_eq!((loaded.text.as_str(), loaded.facts().as_ref()), (text, Some(&facts)));
            assert_eq!(unpack_text(&packed.block, packed.text_len).as_deref(), Some(text));
        }
    }

    #[test]
    fn real_facts_come_back_whole_and_in_pieces() {
        let registry = cds_lang::Registry::builtin();
        let method =
            "    # b\n    @property\n    def f(self):\n        \"\"\"Does.\"\"\"\n        g()\n        h.i()\n\n";
        let text =
            format!("# a\nimport os\nclass A(B):\n{}\nx = A()\n{}", method.repeat(40), "y = x.z(1)\n".repeat(900));
        let facts = cds_lang::extract(registry, registry.by_name("python").unwrap(), &text);
        assert!(facts.references.len() > 30 && facts.entities.len() > 30 && facts.chunks.len() > 40);
        let loaded = load(&Packed::new(&text, &facts));
        assert_eq!(loaded.facts().as_ref(), Some(&facts));
        for (at, entity) in facts.entities.iter().enumerate() {
            assert_eq!(loaded.entity(at as u32).as_ref(), Some(entity));
        }
        assert!(loaded.entity(facts.entities.len() as u32).is_none());
        let whole = Span { start: 0, end: u32::MAX, start_line: 1, end_line: u32::MAX };
        let spans = facts.chunks.iter().map(|c| c.span).chain(facts.entities.iter().map(|e| e.full)).chain([whole]);
        for span in spans {
            let inside = loaded.inside(span).unwrap();
            let entities: Vec<_> = facts.entities.iter().filter(|e| span.contains(e.span.start)).cloned().collect();
            let references: Vec<_> = facts.references.iter().filter(|r| span.contains(r.start)).cloned().collect();
            let names: Vec<_> = facts.names.iter().filter(|n| span.contains(n.start)).copied().collect();
            assert_eq!((inside.entities, inside.references, inside.names), (entities, references, names), "{span:?}");
        }
        for (at, (chunk, text_of)) in facts.chunks.iter().zip(loaded.chunk_texts()).enumerate() {
            assert_eq!(loaded.chunk(at as u32).as_ref(), Some(chunk));
            assert_eq!(text_of, &text[chunk.span.range()]);
        }
    }

    #[test]
    fn damage_is_noticed() {
        let packed = Packed::new("some text", &FileFacts::default());
        assert!(LoadedFile::unpack(&packed.block[..4], packed.text_len, packed.facts_len).is_none());
        assert!(LoadedFile::unpack(&packed.block, packed.text_len + 1, packed.facts_len).is_none());
        assert!(unpack_text(b"not zstd", 3).is_none());
    }
}
