//! Every string of the tables, once: two bytes of length, then the text.

use rustc_hash::FxHashMap;

/// Collects strings while a generation is written.
#[derive(Default)]
pub(crate) struct StringsWriter {
    bytes: Vec<u8>,
    known: FxHashMap<Box<str>, u32>,
}

impl StringsWriter {
    /// The position of `text`, which is added when it is new and cut at 64 KiB.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        if let Some(&at) = self.known.get(text) {
            return at;
        }
        let at = self.bytes.len() as u32;
        let longest = usize::from(u16::MAX);
        let cut = if text.len() <= longest { text.len() } else { text.floor_char_boundary(longest) };
        self.bytes.extend((cut as u16).to_le_bytes());
        self.bytes.extend(&text.as_bytes()[..cut]);
        self.known.insert(text.into(), at);
        at
    }

    /// The string added at a position.
    pub(crate) fn get(&self, at: u32) -> &str {
        get(&self.bytes, at)
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// The string at a position; empty when the position is damaged.
pub(crate) fn get(bytes: &[u8], at: u32) -> &str {
    let at = at as usize;
    let read = || {
        let len = bytes.get(at..at + 2)?;
        let len = usize::from(u16::from_le_bytes([len[0], len[1]]));
        std::str::from_utf8(bytes.get(at + 2..at + 2 + len)?).ok()
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{StringsWriter, get};

    #[test]
    fn equal_strings_are_stored_once() {
        let mut writer = StringsWriter::default();
        let (a, b, c) = (writer.add("alpha"), writer.add("beta"), writer.add("alpha"));
        let long = writer.add(&"é".repeat(40_000));
        let bytes = writer.finish();
        assert_eq!((get(&bytes, a), get(&bytes, b), a), ("alpha", "beta", c));
        assert_eq!(get(&bytes, long).len(), 65_534, "cut at a character");
        assert_eq!(get(&bytes, 1 << 30), "");
    }
}
