//! `files.bin`: each file's text and facts, compressed as one block. The facts stand behind the text, so most of their strings
//! are found in it again; the text alone is had by stopping early.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::Path;

use cds_model::{FileFacts, Span};

use crate::{Error, Result};

/// Level 3 is a tenth smaller than level 1 and still far faster than parsing.
const LEVEL: i32 = 3;

thread_local! {
    static COMPRESSOR: RefCell<zstd::bulk::Compressor<'static>> =
        RefCell::new(zstd::bulk::Compressor::new(LEVEL).expect("a level that exists"));
}

/// A file's block, ready to be written.
pub(crate) struct Packed {
    pub(crate) block: Vec<u8>,
    pub(crate) text_len: u32,
    pub(crate) facts_len: u32,
    pub(crate) checksum: u32,
}

impl Packed {
    pub(crate) fn new(text: &str, facts: &FileFacts) -> Packed {
        let mut facts = facts.clone();
        to_steps(&mut facts);
        let plain = postcard::to_extend(&facts, text.as_bytes().to_vec()).expect("facts are plain data");
        let block = COMPRESSOR.with_borrow_mut(|c| c.compress(&plain)).expect("memory is all it needs");
        Packed {
            text_len: text.len() as u32,
            facts_len: (plain.len() - text.len()) as u32,
            checksum: checksum(&block),
            block,
        }
    }

    pub(crate) fn write(&self, out: &mut impl Write, path: &Path) -> Result<u64> {
        out.write_all(&self.block).map_err(Error::io(path))?;
        Ok(self.block.len() as u64)
    }
}

/// The first bytes of a hash: damage is noticed before it is decoded.
pub(crate) fn checksum(block: &[u8]) -> u32 {
    u32::from_le_bytes(blake3::hash(block).as_bytes()[..4].try_into().expect("four bytes"))
}

/// Text and facts.
pub(crate) fn unpack(block: &[u8], text_len: u32, facts_len: u32) -> Option<(String, FileFacts)> {
    let len = text_len as usize + facts_len as usize;
    if plain_len(block)? != len as u64 {
        return None;
    }
    let mut plain = zstd::bulk::decompress(block, len).ok().filter(|p| p.len() == len)?;
    let mut facts = postcard::from_bytes(&plain[text_len as usize..]).ok()?;
    from_steps(&mut facts);
    plain.truncate(text_len as usize);
    Some((String::from_utf8(plain).ok()?, facts))
}

/// How long a block says it is when unpacked. Asked before memory is taken for it.
fn plain_len(block: &[u8]) -> Option<u64> {
    zstd::zstd_safe::get_frame_content_size(block).ok().flatten()
}

/// The text alone.
pub(crate) fn unpack_text(block: &[u8], text_len: u32) -> Option<String> {
    if plain_len(block)? < u64::from(text_len) {
        return None;
    }
    let mut text = vec![0; text_len as usize];
    zstd::stream::read::Decoder::with_buffer(block).ok()?.read_exact(&mut text).ok()?;
    String::from_utf8(text).ok()
}

/// Positions as steps from the one before: small numbers take one byte and compress well. Arithmetic wraps, so that damage
/// cannot panic.
fn to_steps(facts: &mut FileFacts) {
    let mut last = Span::default();
    for entity in &mut facts.entities {
        let (span, full) = (entity.span, entity.full);
        entity.name_line = entity.name_line.wrapping_sub(span.start_line);
        entity.full = Span {
            start: span.start.wrapping_sub(full.start),
            end: span.end.wrapping_sub(full.end),
            start_line: span.start_line.wrapping_sub(full.start_line),
            end_line: span.end_line.wrapping_sub(full.end_line),
        };
        entity.span = step(span, last);
        last = span;
    }
    last = Span::default();
    for chunk in &mut facts.chunks {
        let span = chunk.span;
        chunk.span = step(span, last);
        last = span;
    }
    let (mut start, mut line) = (0, 0);
    for reference in &mut facts.references {
        let here = (reference.start, reference.line);
        reference.start = here.0.wrapping_sub(start);
        reference.line = here.1.wrapping_sub(line);
        (start, line) = here;
    }
    let mut last = 0;
    for (start, end) in &mut facts.comments {
        let here = *start;
        *end = end.wrapping_sub(here);
        *start = here.wrapping_sub(last);
        last = here;
    }
}

/// The way back.
fn from_steps(facts: &mut FileFacts) {
    let mut last = Span::default();
    for entity in &mut facts.entities {
        let span = unstep(entity.span, last);
        let full = entity.full;
        entity.full = Span {
            start: span.start.wrapping_sub(full.start),
            end: span.end.wrapping_sub(full.end),
            start_line: span.start_line.wrapping_sub(full.start_line),
            end_line: span.end_line.wrapping_sub(full.end_line),
        };
        entity.name_line = entity.name_line.wrapping_add(span.start_line);
        entity.span = span;
        last = span;
    }
    last = Span::default();
    for chunk in &mut facts.chunks {
        chunk.span = unstep(chunk.span, last);
        last = chunk.span;
    }
    let (mut start, mut line) = (0u32, 0u32);
    for reference in &mut facts.references {
        start = start.wrapping_add(reference.start);
        line = line.wrapping_add(reference.line);
        (reference.start, reference.line) = (start, line);
    }
    let mut last = 0u32;
    for (start, end) in &mut facts.comments {
        *start = start.wrapping_add(last);
        *end = end.wrapping_add(*start);
        last = *start;
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
    use super::{Packed, checksum, unpack, unpack_text};
    use cds_model::FileFacts;

    #[test]
    fn text_and_facts_come_back() {
        let facts = FileFacts { doc_comment: Some("héllo".to_owned()), lines: 7, ..FileFacts::default() };
        for text in ["", "fn main() {}\n", &"été ".repeat(30_000)] {
            let packed = Packed::new(text, &facts);
            assert_eq!(packed.checksum, checksum(&packed.block));
            let (back, again) = unpack(&packed.block, packed.text_len, packed.facts_len).unwrap();
            assert_eq!((back.as_str(), &again), (text, &facts));
            assert_eq!(unpack_text(&packed.block, packed.text_len).as_deref(), Some(text));
        }
    }

    #[test]
    fn real_facts_come_back() {
        let registry = cds_lang::Registry::builtin();
        let text = "# a\nclass A(B):\n    # b\n    def f(self):\n        g()\n        h.i()\n\nx = A()\n";
        let facts = cds_lang::extract(registry, registry.by_name("python").unwrap(), text);
        assert!(facts.references.len() > 3 && facts.entities.len() == 2 && facts.comments.len() == 2);
        let packed = Packed::new(text, &facts);
        assert_eq!(unpack(&packed.block, packed.text_len, packed.facts_len).unwrap().1, facts);
    }

    #[test]
    fn damage_is_noticed() {
        let packed = Packed::new("some text", &FileFacts::default());
        assert!(unpack(&packed.block[..4], packed.text_len, packed.facts_len).is_none());
        assert!(unpack(&packed.block, packed.text_len + 1, packed.facts_len).is_none());
        assert!(unpack_text(b"not zstd", 3).is_none());
    }
}
