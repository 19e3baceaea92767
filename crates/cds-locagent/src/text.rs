//! Texts and facts as they are kept: compressed, since an answer shows a few of ten thousand.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sources shrink to a quarter with level 1. Level 3 saves another tenth and takes twice as long.
const LEVEL: i32 = 1;

thread_local! {
    static COMPRESSOR: RefCell<zstd::bulk::Compressor<'static>> =
        RefCell::new(zstd::bulk::Compressor::new(LEVEL).expect("a level that exists"));
    static DECOMPRESSOR: RefCell<zstd::bulk::Decompressor<'static>> =
        RefCell::new(zstd::bulk::Decompressor::new().expect("memory is all it needs"));
}

/// Compressed bytes. A clone shares them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Blob {
    /// Of what was compressed.
    length: u32,
    bytes: Shared,
}

impl Blob {
    fn new(plain: &[u8]) -> Self {
        let bytes = COMPRESSOR.with_borrow_mut(|c| c.compress(plain)).expect("memory is all it needs");
        Self { length: plain.len() as u32, bytes: Shared(bytes.into()) }
    }

    fn plain(&self) -> Vec<u8> {
        let plain = DECOMPRESSOR.with_borrow_mut(|d| d.decompress(&self.bytes.0, self.length as usize));
        plain.expect("it was compressed here, or its checksum was right")
    }

    /// Any data.
    pub(crate) fn pack(data: &impl Serialize) -> Self {
        Self::new(&postcard::to_stdvec(data).expect("data of ours has a form in bytes"))
    }

    /// The data again.
    pub(crate) fn unpack<T: DeserializeOwned>(&self) -> T {
        postcard::from_bytes(&self.plain()).expect("it was packed here, or its checksum was right")
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes of {})", self.bytes.0.len(), self.length)
    }
}

/// Bytes of a text that are compressed together: what is shown of a long file is in few of its blocks.
const BLOCK: usize = 32 << 10;

/// The text of a file, compressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Text {
    length: u32,
    line_ends: u32,
    blocks: Box<[Blob]>,
}

impl Text {
    /// Compresses a text.
    pub(crate) fn new(text: &str) -> Self {
        let line_ends = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u32;
        let blocks = text.as_bytes().chunks(BLOCK).map(Blob::new).collect();
        Self { length: text.len() as u32, line_ends, blocks }
    }

    /// The text.
    pub(crate) fn get(&self) -> String {
        self.part(&(0..self.length))
    }

    /// A part of the text, which begins and ends at characters.
    pub(crate) fn part(&self, range: &Range<u32>) -> String {
        let (start, end) = (range.start as usize, range.end as usize);
        let first = start / BLOCK;
        let blocks = self.blocks.get(first..end.div_ceil(BLOCK)).unwrap_or_default();
        let mut bytes = blocks.iter().map(Blob::plain).collect::<Vec<_>>().concat();
        bytes.truncate(end - first * BLOCK);
        bytes.drain(..start - first * BLOCK);
        String::from_utf8(bytes).expect("it was compressed from text, and cut at characters")
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> u32 {
        self.length
    }

    /// How many `\n` it has.
    pub(crate) fn line_ends(&self) -> u32 {
        self.line_ends
    }
}

/// Bytes that are written at once, not one by one.
#[derive(Clone, PartialEq, Eq)]
struct Shared(Arc<[u8]>);

impl Serialize for Shared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Shared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Shared;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Shared, E> {
                Ok(Shared(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        for text in ["", "a", "é\n\nb\n", &"def f():\n    pass\n".repeat(10_000)] {
            let kept = Text::new(text);
            let written = postcard::to_stdvec(&kept).expect("it has a form in bytes");
            let read: Text = postcard::from_bytes(&written).expect("it can be read");
            assert_eq!((read.get().as_str(), read.len() as usize), (text, text.len()));
            assert_eq!(read.line_ends() as usize, text.matches('\n').count());
            let block = BLOCK.min(text.len());
            for (start, end) in [(0, 0), (0, block), (block, text.len()), (block / 2, block + (text.len() - block) / 2)]
            {
                if text.is_char_boundary(start) && text.is_char_boundary(end) {
                    assert_eq!(read.part(&(start as u32..end as u32)), text[start..end]);
                }
            }
        }
    }
}
