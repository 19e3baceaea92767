//! How a file's bytes became the text that was indexed, for whoever needs to know where in the file something stands.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How characters are written in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Encoding {
    /// UTF-8, or something else whose bytes were replaced.
    #[default]
    Utf8,
    /// UTF-16, the lower byte first.
    Utf16Le,
    /// UTF-16, the higher byte first.
    Utf16Be,
}

/// What a text does not say of the bytes it was decoded from. Of a file that is plain UTF-8 the text says everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceBytes {
    encoding: Encoding,
    /// Bytes of the mark in front of the text.
    mark: u32,
    /// What stands as U+FFFD in the text because it could not be decoded, in order of position.
    replaced: Vec<Replaced>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Replaced {
    /// First byte of the character in the text.
    at: u32,
    len: u8,
    bytes: [u8; 3],
}

impl Replaced {
    fn new(at: usize, bytes: &[u8]) -> Replaced {
        let mut kept = [0; 3];
        kept[..bytes.len()].copy_from_slice(bytes);
        Replaced { at: at as u32, len: bytes.len() as u8, bytes: kept }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

impl SourceBytes {
    /// Decodes UTF-8, or UTF-16 with a mark; what cannot be decoded becomes U+FFFD. Gives the text, and what it does not say of the bytes.
    pub fn decode(bytes: Vec<u8>) -> (String, SourceBytes) {
        match bytes.get(..2) {
            Some([0xFF, 0xFE]) => decode_wide(&bytes, Encoding::Utf16Le),
            Some([0xFE, 0xFF]) => decode_wide(&bytes, Encoding::Utf16Be),
            _ => decode_utf8(bytes),
        }
    }

    /// Whether the text is what the file's bytes are.
    pub fn is_plain(&self) -> bool {
        *self == SourceBytes::default()
    }

    /// The first byte of a file in UTF-8 that is not, as a position in the file.
    pub fn first_replaced(&self, text: &str) -> Option<u32> {
        let first = self.replaced.first().filter(|_| self.encoding == Encoding::Utf8)?;
        Some(self.offset(text, first.at))
    }

    /// Where in the file a position of the text is.
    pub fn offset(&self, text: &str, at: u32) -> u32 {
        let before = text.get(..at as usize).unwrap_or(text);
        let len = match self.encoding {
            Encoding::Utf8 => {
                let replaced = self.replaced[..self.replaced.partition_point(|r| r.at < at)].iter();
                let shorter: usize = replaced.map(|r| REPLACEMENT_LEN - r.bytes().len()).sum();
                before.len().saturating_sub(shorter)
            }
            Encoding::Utf16Le | Encoding::Utf16Be => before.encode_utf16().count() * 2,
        };
        self.mark + len as u32
    }

    /// The file's bytes of a stretch of the text.
    pub fn bytes<'a>(&self, text: &'a str, range: Range<usize>) -> Cow<'a, [u8]> {
        let stretch = text.get(range.clone()).unwrap_or_default();
        let first = self.replaced.partition_point(|r| (r.at as usize) < range.start);
        let replaced = &self.replaced[first..];
        let replaced = &replaced[..replaced.partition_point(|r| (r.at as usize) < range.end)];
        if self.encoding == Encoding::Utf8 && replaced.is_empty() {
            return Cow::Borrowed(stretch.as_bytes());
        }
        let mut bytes = Vec::with_capacity(stretch.len() * 2);
        let mut from = range.start;
        for one in replaced {
            self.encode(text.get(from..one.at as usize).unwrap_or_default(), &mut bytes);
            bytes.extend(one.bytes());
            from = one.at as usize + REPLACEMENT_LEN;
        }
        self.encode(text.get(from..range.end).unwrap_or_default(), &mut bytes);
        Cow::Owned(bytes)
    }

    fn encode(&self, text: &str, bytes: &mut Vec<u8>) {
        match self.encoding {
            Encoding::Utf8 => bytes.extend(text.as_bytes()),
            Encoding::Utf16Le => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Encoding::Utf16Be => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        }
    }
}

/// Bytes of U+FFFD in a text.
const REPLACEMENT_LEN: usize = char::REPLACEMENT_CHARACTER.len_utf8();

fn decode_utf8(bytes: Vec<u8>) -> (String, SourceBytes) {
    const MARK: &str = "\u{feff}";
    let mut source = SourceBytes::default();
    let mut text = String::from_utf8(bytes).unwrap_or_else(|e| {
        let mut text = String::with_capacity(e.as_bytes().len());
        for chunk in e.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                source.replaced.push(Replaced::new(text.len(), chunk.invalid()));
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    });
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
        source.mark = MARK.len() as u32;
        for replaced in &mut source.replaced {
            replaced.at -= source.mark;
        }
    }
    (text, source)
}

fn decode_wide(bytes: &[u8], encoding: Encoding) -> (String, SourceBytes) {
    let mut source = SourceBytes { encoding, mark: 2, replaced: Vec::new() };
    let unit = |pair: &[u8]| match encoding {
        Encoding::Utf16Be => u16::from_be_bytes([pair[0], pair[1]]),
        _ => u16::from_le_bytes([pair[0], pair[1]]),
    };
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(bytes[2..].chunks_exact(2).map(unit)) {
        text.push(decoded.unwrap_or_else(|e| {
            let unit = e.unpaired_surrogate();
            let bytes = if encoding == Encoding::Utf16Be { unit.to_be_bytes() } else { unit.to_le_bytes() };
            source.replaced.push(Replaced::new(text.len(), &bytes));
            char::REPLACEMENT_CHARACTER
        }));
    }
    (text, source)
}

#[cfg(test)]
mod tests {
    use super::SourceBytes;

    #[test]
    fn every_stretch_of_a_text_leads_back_to_the_bytes_of_the_file() {
        let check = |bytes: &[u8], expect: &str, mark: usize| {
            let (text, source) = SourceBytes::decode(bytes.to_vec());
            assert_eq!(text, expect, "{bytes:?}");
            assert_eq!(source.is_plain(), text.as_bytes() == bytes);
            let places = || (0..=text.len()).filter(|at| text.is_char_boundary(*at));
            for start in places() {
                for end in places().filter(|end| start <= *end) {
                    let on_disk = |at: usize| source.offset(&text, at as u32) as usize;
                    assert_eq!(
                        &*source.bytes(&text, start..end),
                        &bytes[on_disk(start)..on_disk(end)],
                        "{start}..{end}"
                    );
                }
            }
            assert_eq!(source.offset(&text, 0) as usize, mark);
            assert_eq!(source.offset(&text, text.len() as u32) as usize, bytes.len());
        };
        check(b"", "", 0);
        check(b"plain\r\n", "plain\r\n", 0);
        check("été \u{fffd}".as_bytes(), "été \u{fffd}", 0);
        check(b"\xEF\xBB\xBFmarked", "marked", 3);
        check(b"caf\xE9, na\xEFve\n", "caf\u{fffd}, na\u{fffd}ve\n", 0);
        check(b"\xEF\xBB\xBF\xE9t\xE9 \xF0\x9F\x98 x", "\u{fffd}t\u{fffd} \u{fffd} x", 3);
        check(b"\xFF\xFEh\0i\0", "hi", 2);
        check(b"\xFE\xFF\0h\0i\xD8\x3D\xDE\0", "hi\u{1f600}", 2);
        check(b"\xFF\xFEa\0\x3D\xD8b\0", "a\u{fffd}b", 2);
    }
}
