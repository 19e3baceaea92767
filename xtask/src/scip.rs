//! [`decode`] reads a SCIP index, the protobuf in which compilers write down where every symbol is defined and used.
//! Only the few fields that a measurement needs are read: a whole protobuf library is not worth its weight here.

use anyhow::{Context, Result, bail};

/// One source file of an index.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Document {
    /// From the project's root, with slashes.
    pub path: String,
    pub encoding: Encoding,
    pub occurrences: Vec<Occurrence>,
}

/// A symbol at a place. Lines and columns count from zero; columns are in the document's [`Encoding`].
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Occurrence {
    pub line: u32,
    pub start: u32,
    pub end_line: u32,
    pub end: u32,
    pub symbol: String,
    pub definition: bool,
}

/// What a column counts. Both indexers that we run are written in JavaScript, say nothing and mean UTF-16.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The offset in bytes of `column` in `line`; the line's length when the column is behind its end.
    pub(crate) fn bytes(self, line: &str, column: u32) -> usize {
        let mut units = 0;
        for (offset, character) in line.char_indices() {
            if units >= column as usize {
                return offset;
            }
            units += match self {
                Self::Utf8 => character.len_utf8(),
                Self::Utf16 => character.len_utf16(),
                Self::Utf32 => 1,
            };
        }
        line.len()
    }
}

/// The documents of an index.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut index = Message(bytes);
    while let Some((number, value)) = index.field()? {
        if let (2, Value::Bytes(document)) = (number, value) {
            documents.push(decode_document(document)?);
        }
    }
    Ok(documents)
}

fn decode_document(bytes: &[u8]) -> Result<Document> {
    let mut document = Document::default();
    let mut message = Message(bytes);
    while let Some(field) = message.field()? {
        match field {
            (1, Value::Bytes(path)) => document.path = text(path)?,
            (2, Value::Bytes(occurrence)) => document.occurrences.push(decode_occurrence(occurrence)?),
            (6, Value::Number(1)) => document.encoding = Encoding::Utf8,
            (6, Value::Number(3)) => document.encoding = Encoding::Utf32,
            _ => {}
        }
    }
    Ok(document)
}

fn decode_occurrence(bytes: &[u8]) -> Result<Occurrence> {
    let mut occurrence = Occurrence::default();
    let mut range = Vec::new();
    let mut message = Message(bytes);
    while let Some(field) = message.field()? {
        match field {
            (1, Value::Bytes(packed)) => {
                let mut numbers = Message(packed);
                while !numbers.0.is_empty() {
                    range.push(numbers.number()? as u32);
                }
            }
            (1, Value::Number(number)) => range.push(number as u32),
            (2, Value::Bytes(symbol)) => occurrence.symbol = text(symbol)?,
            (3, Value::Number(roles)) => occurrence.definition = roles & 1 != 0,
            _ => {}
        }
    }
    (occurrence.line, occurrence.start, occurrence.end_line, occurrence.end) = match range[..] {
        [line, start, end] => (line, start, line, end),
        [line, start, end_line, end] => (line, start, end_line, end),
        _ => bail!("an occurrence has a range of {} numbers, not three or four", range.len()),
    };
    Ok(occurrence)
}

fn text(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).context("a string of the index is not UTF-8")
}

/// The rest of a protobuf message.
struct Message<'a>(&'a [u8]);

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Fixed,
}

impl<'a> Message<'a> {
    fn field(&mut self) -> Result<Option<(u64, Value<'a>)>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = self.number()?;
        let value = match key & 7 {
            0 => Value::Number(self.number()?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = self.number()? as usize;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            other => bail!("protobuf wire type {other} is not in use"),
        };
        Ok(Some((key >> 3, value)))
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        bail!("a protobuf number is longer than ten bytes")
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).context("the index ends inside a field")?;
        self.0 = rest;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2, bytes.len() as u8];
        out.extend(bytes);
        out
    }

    #[test]
    fn documents_are_decoded_and_other_fields_skipped() {
        let definition = [field(1, &[2, 4, 9]), field(2, b"a#"), vec![3 << 3, 9]].concat();
        let reference =
            [field(1, &[0x80, 1, 1, 3, 0]), field(2, b"local 1"), vec![3 << 3, 8], vec![5 << 3, 7]].concat();
        let document = [field(1, b"a.py"), field(2, &definition), field(2, &reference), vec![6 << 3, 3]].concat();
        let index = [field(1, b"metadata"), field(2, &document), vec![9 << 3 | 5, 1, 2, 3, 4]].concat();
        let expected = Document {
            path: "a.py".into(),
            encoding: Encoding::Utf32,
            occurrences: vec![
                Occurrence { line: 2, start: 4, end_line: 2, end: 9, symbol: "a#".into(), definition: true },
                Occurrence { line: 128, start: 1, end_line: 3, end: 0, symbol: "local 1".into(), definition: false },
            ],
        };
        assert_eq!(decode(&index).unwrap(), [expected]);
    }

    #[test]
    fn what_is_cut_or_of_no_length_is_an_error() {
        assert!(decode(&[2 << 3 | 2, 9, 1]).is_err());
        assert!(decode(&[0x80; 12]).is_err());
        assert!(decode(&field(2, &field(2, &field(2, b"no range")))).is_err());
        assert_eq!(decode(&[]).unwrap(), []);
    }

    #[test]
    fn columns_become_bytes() {
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            assert_eq!(encoding.bytes("é🙂x", column), 6, "{encoding:?}");
        }
        assert_eq!(Encoding::Utf16.bytes("ab", 7), 2);
    }
}
