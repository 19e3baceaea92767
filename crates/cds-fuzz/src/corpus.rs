//! Inputs and words to begin with, in folders that libFuzzer reads too.

use std::path::{Path, PathBuf};

use crate::target::Target;

/// What a target begins with.
pub struct Corpus {
    /// Sorted by name.
    pub inputs: Vec<Input>,
    /// Words of the dictionary.
    pub words: Vec<Vec<u8>>,
}

/// One file of a corpus.
pub struct Input {
    /// Its file name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Corpus {
    /// Reads the corpus and the dictionary of a target.
    pub fn read(target: &Target) -> std::io::Result<Corpus> {
        let mut inputs = Vec::new();
        for entry in std::fs::read_dir(Corpus::folder(target))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            inputs.push(Input { name, bytes: std::fs::read(entry.path())? });
        }
        inputs.sort_by(|a, b| a.name.cmp(&b.name));
        let words = std::fs::read_to_string(Corpus::dictionary(target))?;
        Ok(Corpus { inputs, words: words.lines().filter_map(word).collect() })
    }

    /// Where the inputs of a target are.
    pub fn folder(target: &Target) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
    }

    /// Where its words are.
    pub fn dictionary(target: &Target) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("dictionary").join(format!("{}.txt", target.name))
    }
}

/// A line of libFuzzer's form: a word in quotes, in which `\\`, `\"` and `\x00` stand for what they say.
fn word(line: &str) -> Option<Vec<u8>> {
    let mut rest = line.trim().strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut word = Vec::new();
    while let Some(byte) = rest.next() {
        word.push(match byte {
            b'\\' => match rest.next()? {
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                other => other,
            },
            other => other,
        });
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn words_are_read_as_libfuzzer_reads_them() {
        let check = |line: &str, expect: Option<&[u8]>| assert_eq!(word(line).as_deref(), expect, "{line}");
        check("\"class\"", Some(b"class"));
        check(r#""a\\b\"c\x0a\xff""#, Some(b"a\\b\"c\n\xff"));
        check("# a remark", None);
        check("", None);
        check(r#""\x0""#, None);
    }
}
