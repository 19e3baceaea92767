//! One file, from the disk or from the old generation, to what the writer needs. Runs on every core.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cds_encode::ModelId;
use cds_lang::Registry;
use cds_model::{FileFacts, FileId, Problem, ProblemKind, SourceBytes, counted};

use super::plan::Plan;
use super::walk::FoundFile;
use super::{BuildOptions, ProblemRow};
use crate::disk::{OpenError, ProjectRoot, Stamp, is_racy, now_ns};
use crate::snapshot::DocumentView;
use crate::store::files::Packed;
use crate::store::vectors::Quantised;
use crate::{Snapshot, encode};

pub(crate) enum Outcome {
    Skipped(ProblemRow),
    /// It is what the old generation has, and stays in its part.
    Kept(Kept),
    Ready(Box<Prepared>),
}

/// A file of the old generation that is the same.
pub(crate) struct Kept {
    pub(crate) id: FileId,
    /// Its times on disk may be others though its bytes are the same.
    pub(crate) stamp: Stamp,
    pub(crate) racy: bool,
}

/// A file ready to be written.
pub(crate) struct Prepared {
    pub(crate) path: String,
    pub(crate) stamp: Stamp,
    pub(crate) indexed_at: i64,
    pub(crate) racy: bool,
    pub(crate) hash: [u8; 32],
    pub(crate) language: String,
    pub(crate) text: String,
    pub(crate) facts: FileFacts,
    pub(crate) packed: Packed,
    /// One a chunk.
    pub(crate) vectors: Vec<Quantised>,
    /// Which file of the old generation it is, unchanged.
    pub(crate) reused: Option<FileId>,
}

pub(crate) struct Preparer<'a> {
    pub(crate) root: &'a ProjectRoot,
    pub(crate) registry: &'a Registry,
    pub(crate) options: &'a BuildOptions,
    pub(crate) old: Option<&'a Snapshot>,
    pub(crate) plan: &'a Plan,
    /// Which model makes vectors here, from words; none: vectors are made elsewhere or not at all.
    pub(crate) table: Option<&'a ModelId>,
}

impl Preparer<'_> {
    pub(crate) fn prepare(&self, file: &FoundFile) -> Outcome {
        let known = self.known(file);
        if let Some(known) = known
            && unchanged(known, file)
            && let Some(outcome) = self.keep(known, file, known.is_racy())
        {
            return outcome;
        }
        if let Some(row) = self.plan.still_skipped(file) {
            return Outcome::Skipped(row.clone());
        }
        let now = now_ns();
        let bytes = match self.root.read(file.place.on_disk(), self.options.max_file_size) {
            Ok(bytes) => bytes,
            Err(OpenError::TooLarge { size, limit }) => {
                let detail = format!("{}, more than max_file_size {limit}", counted(size as usize, "byte"));
                return skip(file, ProblemKind::TooLarge, detail);
            }
            Err(error) => return skip(file, error.problem(), error.to_string()),
        };
        let racy = is_racy(file.stamp.latest_ns(), now);
        let hash = *blake3::hash(&bytes).as_bytes();
        if let Some(known) = known.filter(|k| *k.hash() == hash)
            && let Some(outcome) = self.keep(known, file, racy)
        {
            return outcome;
        }
        let (text, source) = match decode(bytes) {
            Ok(decoded) => decoded,
            Err(detail) => return skip(file, ProblemKind::Binary, detail),
        };
        let (language, facts) = self.extract(file.path(), &text, source);
        Outcome::Ready(Box::new(Prepared {
            path: file.path().to_owned(),
            stamp: file.stamp,
            indexed_at: now / 1_000_000_000,
            racy,
            hash,
            language,
            packed: Packed::new(&text, &facts),
            vectors: self.vectors(file.path(), &text, &facts),
            text,
            facts,
            reused: None,
        }))
    }

    fn known(&self, file: &FoundFile) -> Option<DocumentView<'_>> {
        self.old?.document(file.known?)
    }

    /// A file that is as it was, by size and time, and stays where it is: there is nothing to read.
    pub(crate) fn kept(&self, file: &FoundFile) -> Option<Kept> {
        let known = self.known(file).filter(|known| unchanged(*known, file) && self.plan.stays(*known))?;
        Some(Kept { id: known.id, stamp: file.stamp, racy: known.is_racy() })
    }

    /// The file stays where it is, or moves to the new part with all that is known of it.
    fn keep(&self, known: DocumentView, file: &FoundFile, racy: bool) -> Option<Outcome> {
        if self.plan.stays(known) {
            return Some(Outcome::Kept(Kept { id: known.id, stamp: file.stamp, racy }));
        }
        let mut prepared = self.reuse(known, file)?;
        prepared.racy = racy;
        Some(Outcome::Ready(Box::new(prepared)))
    }

    fn reuse(&self, known: DocumentView, file: &FoundFile) -> Option<Prepared> {
        let old = self.old?;
        let loaded = old.load(known.id).ok()?;
        let facts = loaded.facts()?;
        let row = known.row();
        let block = old.block(row)?;
        let kept = self.table.filter(|table| old.manifest().model.as_ref() == Some(table)).and(old.vectors().ok()?);
        let vectors = match kept {
            Some(kept) => known.chunks().map(|chunk| kept.quantised(chunk.0)).collect::<Option<_>>()?,
            None => self.vectors(file.path(), &loaded.text, &facts),
        };
        Some(Prepared {
            vectors,
            path: file.path().to_owned(),
            stamp: file.stamp,
            indexed_at: known.indexed_at(),
            racy: known.is_racy(),
            hash: *known.hash(),
            language: known.language().to_owned(),
            packed: Packed { block, text_len: row.text_len, facts_len: row.facts_len, checksum: row.checksum },
            text: loaded.text,
            facts,
            reused: Some(known.id),
        })
    }

    fn vectors(&self, path: &str, text: &str, facts: &FileFacts) -> Vec<Quantised> {
        if self.table.is_none() {
            return Vec::new();
        }
        let vectors = encode::chunk_vectors(path, &findable(text, facts, self.options.comments), facts);
        vectors.iter().map(|vector| Quantised::of(vector)).collect()
    }

    fn extract(&self, path: &str, text: &str, source: SourceBytes) -> (String, FileFacts) {
        let language = self.registry.detect(path, text);
        // A panic in a grammar or in our own code costs one file its facts, not the run.
        let facts = catch_unwind(AssertUnwindSafe(|| cds_lang::extract(self.registry, language, text)));
        let mut facts = facts.unwrap_or_else(|_| {
            let plain = self.registry.by_name("text").expect("plain text is always there");
            let mut facts = cds_lang::extract(self.registry, plain, text);
            let detail = "the extractor failed: indexed as plain text".to_owned();
            facts.problems.push(Problem { kind: ProblemKind::BudgetExceeded, detail });
            facts
        });
        if let Some(at) = source.first_replaced(text) {
            let detail = format!("byte {at}: replaced what is not UTF-8");
            facts.problems.push(Problem { kind: ProblemKind::InvalidUtf8, detail });
        }
        facts.source = source;
        (language.shown().to_owned(), facts)
    }
}

/// The text that may be found: all of it, or with comments and doc comments turned to blanks, every other byte in its place.
pub(crate) fn findable<'a>(text: &'a str, facts: &FileFacts, comments: bool) -> Cow<'a, str> {
    if comments {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let spans = facts.comments.iter().copied().chain(facts.doc_spans.iter().copied());
    for (start, end) in spans {
        for byte in &mut bytes[start as usize..end as usize] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    Cow::Owned(String::from_utf8(bytes).expect("comments begin and end at characters"))
}

/// Whether the file on disk is the one that was indexed, by size and times alone.
pub(crate) fn unchanged(known: DocumentView, file: &FoundFile) -> bool {
    known.stamp() == file.stamp && !known.is_racy()
}

fn skip(file: &FoundFile, kind: ProblemKind, detail: String) -> Outcome {
    Outcome::Skipped(ProblemRow { stamp: Some(file.stamp), ..ProblemRow::new(file.path(), kind, detail) })
}

/// How much of a file is looked at for NUL bytes.
const SNIFF: usize = 8192;

/// Bytes to text: UTF-8, UTF-16 with a mark, or as much of it as can be read.
fn decode(bytes: Vec<u8>) -> Result<(String, SourceBytes), String> {
    let is_wide = matches!(bytes.get(..2), Some([0xFF, 0xFE] | [0xFE, 0xFF]));
    match bytes.iter().take(SNIFF).position(|&b| b == 0) {
        Some(at) if !is_wide => Err(format!("a NUL byte at {at}")),
        _ => Ok(SourceBytes::decode(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn text_is_told_from_data() {
        let check = |bytes: &[u8], expect: Result<&str, &str>| {
            let found = decode(bytes.to_vec());
            let found = found.as_ref().map(|(t, _)| t.as_str()).map_err(String::as_str);
            assert_eq!(found, expect, "{bytes:?}");
        };
        check(b"plain", Ok("plain"));
        check(b"\xEF\xBB\xBFmarked", Ok("marked"));
        check(b"\xFF\xFEh\0i\0", Ok("hi"));
        check(b"\xFE\xFF\0h\0i", Ok("hi"));
        check(b"\x7fELF\0\x01", Err("a NUL byte at 4"));
        check(b"caf\xE9", Ok("caf\u{fffd}"));
        check(b"", Ok(""));
    }
}
