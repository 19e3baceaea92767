//! `files.bin`: each file's text and facts, compressed. The facts are compressed with the text as dictionary, since
//! most of their strings stand in it.

use std::io::Write;
use std::path::Path;

use cds_model::FileFacts;

use crate::{Error, Result};

/// A file's two blocks, ready to be written.
pub(crate) struct Packed {
    pub(crate) text: Vec<u8>,
    pub(crate) text_len: u32,
    pub(crate) facts: Vec<u8>,
    pub(crate) facts_len: u32,
    pub(crate) checksum: u32,
}

/// The end of the text that can serve as dictionary: LZ4 looks back 64 KiB.
fn dictionary(text: &str) -> &[u8] {
    let bytes = text.as_bytes();
    &bytes[bytes.len().saturating_sub(60_000)..]
}

impl Packed {
    pub(crate) fn new(text: &str, facts: &FileFacts) -> Packed {
        let plain = postcard::to_stdvec(facts).expect("facts are plain data");
        let packed_text = lz4_flex::block::compress(text.as_bytes());
        let packed_facts = lz4_flex::block::compress_with_dict(&plain, dictionary(text));
        let checksum = checksum(&packed_text, &packed_facts);
        Packed {
            text_len: text.len() as u32,
            facts_len: plain.len() as u32,
            text: packed_text,
            facts: packed_facts,
            checksum,
        }
    }

    pub(crate) fn write(&self, out: &mut impl Write, path: &Path) -> Result<u64> {
        out.write_all(&self.text).and_then(|()| out.write_all(&self.facts)).map_err(Error::io(path))?;
        Ok((self.text.len() + self.facts.len()) as u64)
    }
}

/// The first bytes of a hash over both blocks: damage is noticed before it is decoded.
pub(crate) fn checksum(text: &[u8], facts: &[u8]) -> u32 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text).update(facts);
    u32::from_le_bytes(hasher.finalize().as_bytes()[..4].try_into().expect("four bytes"))
}

pub(crate) fn unpack_text(packed: &[u8], len: u32) -> Option<String> {
    let bytes = lz4_flex::block::decompress(packed, len as usize).ok()?;
    String::from_utf8(bytes).ok().filter(|t| t.len() == len as usize)
}

pub(crate) fn unpack_facts(packed: &[u8], len: u32, text: &str) -> Option<FileFacts> {
    let plain = lz4_flex::block::decompress_with_dict(packed, len as usize, dictionary(text)).ok()?;
    postcard::from_bytes(&plain).ok()
}
