//! Writes a part: what is large of the files that changed, in the order of their paths.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cds_model::{Chunk, Entity, FileFacts};
use zerocopy::IntoBytes;

use super::Build;
use super::meaning::{Encoding, Meaning, Written};
use super::prepare::{Prepared, findable};
use crate::store::checksums::{Summed, Summer};
use crate::store::gone::GoneWriter;
use crate::store::manifest::PartEntry;
use crate::store::map::Mapped;
use crate::store::part::GoneFile;
use crate::store::part_path as path;
use crate::store::text::{ClosingText, TextRow, TextWriter};
use crate::{Error, Result, Snapshot, private_fs};

pub(crate) struct PartWriter<'a> {
    name: String,
    folder: PathBuf,
    files: Checked,
    outlines: Checked,
    text: Option<TextWriter>,
    meaning: Option<Meaning<'a>>,
    docs: u32,
    pub(crate) comments: bool,
}

/// Where a file was put.
pub(crate) struct Placed {
    pub(crate) blob: u64,
    pub(crate) doc: u32,
    /// The first word of its outline.
    pub(crate) outline: u32,
}

/// A part that takes no more files; its postings may still be on their way to disk.
pub(crate) struct ClosingPart<'a> {
    writer: PartWriter<'a>,
    text: ClosingText,
    files: BTreeMap<String, Summed>,
}

/// What was taken out of other parts: the list of it, and its terms.
pub(crate) struct Taken {
    listed: Vec<u8>,
    terms: Vec<u8>,
}

impl Taken {
    /// `gone` are files of other parts that are no longer there.
    pub(crate) fn new(old: &Snapshot, gone: &[GoneFile], comments: bool) -> Result<Taken> {
        let mut writer = GoneWriter::new();
        for file in gone {
            let (text, facts) = old.gone(file)?;
            let text = findable(&text, &facts, comments);
            text_rows(&file.path, &text, &facts, comments).for_each(|row| writer.add(&row));
        }
        let listed = serde_json::to_vec(gone).expect("files are plain data");
        Ok(Taken { listed, terms: writer.finish() })
    }
}

/// A part on disk.
pub(crate) struct WrittenPart {
    pub(crate) entry: PartEntry,
    /// By path inside the index folder.
    pub(crate) files: BTreeMap<String, Summed>,
}

impl<'a> PartWriter<'a> {
    /// `expected` is about how many bytes of text will come.
    pub(crate) fn create(
        build: &Build<'a>,
        name: String,
        expected: u64,
        encoding: Encoding<'a>,
    ) -> Result<PartWriter<'a>> {
        let folder = build.home.join(&name);
        private_fs::create_dir(&folder).map_err(Error::io(&folder))?;
        Ok(PartWriter {
            files: Checked::create(&folder.join(path::FILES))?,
            outlines: Checked::create(&folder.join(path::OUTLINES))?,
            text: Some(TextWriter::create(&folder.join(path::BM25), expected, build.effort.segment_memory())?),
            meaning: Some(Meaning::create(
                &folder,
                build.home,
                build.models,
                build.model_limit,
                build.cancel,
                encoding,
            )?),
            docs: 0,
            comments: build.options.comments,
            name,
            folder,
        })
    }

    pub(crate) fn add(&mut self, file: &Prepared, outline: &[u32]) -> Result<Placed> {
        let (blob, outlined) = (self.files.sums.size(), self.outlines.sums.size());
        let placed = Placed { blob, doc: self.docs, outline: (outlined / 4) as u32 };
        self.outlines.write(outline.as_bytes())?;
        self.files.write(&file.packed.block)?;
        let text = findable(&file.text, &file.facts, self.comments);
        let writer = self.text.as_mut().expect("files come before the end");
        text_rows(&file.path, &text, &file.facts, self.comments).try_for_each(|row| writer.add(&row))?;
        writer.end_file();
        self.meaning.as_mut().expect("files come before the end").add(file, &text)?;
        self.docs += file.facts.chunks.len() as u32;
        Ok(placed)
    }

    /// No more files come.
    pub(crate) fn close(mut self) -> Result<ClosingPart<'a>> {
        let mut files = BTreeMap::new();
        files.insert(format!("{}/{}", self.name, path::OUTLINES), self.outlines.finish()?);
        files.insert(format!("{}/{}", self.name, path::FILES), self.files.finish()?);
        // The text index takes longest to close: it goes on beside the rest.
        let text = self.text.take().expect("it is closed once").close();
        Ok(ClosingPart { writer: self, text, files })
    }

    fn write(&self, name: &str, bytes: &[u8], files: &mut BTreeMap<String, Summed>) -> Result<()> {
        let file = self.folder.join(name);
        files.insert(format!("{}/{name}", self.name), Summed::of(bytes));
        private_fs::write(&file, bytes).map_err(Error::io(&file))
    }
}

impl ClosingPart<'_> {
    pub(crate) fn folder(&self) -> &Path {
        &self.writer.folder
    }

    /// The outlines that were written.
    pub(crate) fn outlines(&self) -> Result<Mapped> {
        let written = self.files[&format!("{}/{}", self.writer.name, path::OUTLINES)].clone();
        Mapped::open(&self.writer.folder.join(path::OUTLINES), written, &Arc::default())
    }

    pub(crate) fn finish(self, gone: Option<Taken>) -> Result<(WrittenPart, Written)> {
        let ClosingPart { mut writer, text, mut files } = self;
        let mut meaning = writer.meaning.take().expect("it is finished once").finish()?;
        let listed = |name: &str| format!("{}/{name}", writer.name);
        files.insert(listed(path::VECTORS), std::mem::take(&mut meaning.vectors));
        writer.write(path::SCALES, meaning.tables.scales.as_bytes(), &mut files)?;
        writer.write(path::SKETCHES, meaning.tables.sketches.as_bytes(), &mut files)?;
        if !meaning.tables.offsets.is_empty() {
            writer.write(path::OFFSETS, meaning.tables.offsets.as_bytes(), &mut files)?;
        }
        writer.write(path::TERMS, meaning.terms.as_bytes(), &mut files)?;
        writer.write(path::WEIGHTS, meaning.weights.as_bytes(), &mut files)?;
        text.finish()?;
        files.extend(text_files(&writer.folder, &writer.name, path::BM25)?);
        if let Some(gone) = gone {
            writer.write(path::GONE, &gone.listed, &mut files)?;
            writer.write(path::GONE_TERMS, &gone.terms, &mut files)?;
        }
        let entry = PartEntry { name: writer.name, docs: writer.docs };
        Ok((WrittenPart { entry, files }, meaning))
    }
}

/// A file that is written bit by bit, with the checksums of its blocks.
struct Checked {
    file: BufWriter<File>,
    path: PathBuf,
    sums: Summer,
}

impl Checked {
    fn create(path: &Path) -> Result<Checked> {
        let file = BufWriter::with_capacity(1 << 18, private_fs::create(path).map_err(Error::io(path))?);
        Ok(Checked { file, path: path.to_owned(), sums: Summer::default() })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.sums.update(bytes);
        self.file.write_all(bytes).map_err(Error::io(&self.path))
    }

    fn finish(&mut self) -> Result<Summed> {
        self.file.flush().map_err(Error::io(&self.path))?;
        Ok(std::mem::take(&mut self.sums).finish())
    }
}

/// What of a file enters a text index, chunk by chunk.
fn text_rows<'a>(
    path: &'a str,
    text: &'a str,
    facts: &'a FileFacts,
    comments: bool,
) -> impl Iterator<Item = TextRow<'a>> {
    facts.chunks.iter().enumerate().map(move |(i, chunk)| {
        let entity = chunk.entity.filter(|_| chunk.part == 0).map(|e| &facts.entities[e as usize]);
        let doc = match entity {
            Some(entity) => entity.doc_comment.as_deref(),
            None if i == 0 => facts.doc_comment.as_deref(),
            None => None,
        };
        TextRow {
            content: &text[chunk.span.range()],
            path,
            signature: entity.map_or("", |e| &e.signature),
            doc: doc.filter(|_| comments).unwrap_or_default(),
            definitions: defined_in(facts, chunk).map(|e| e.name.as_str()).collect(),
        }
    })
}

/// Entities that begin in the chunk.
fn defined_in<'a>(facts: &'a FileFacts, chunk: &Chunk) -> impl Iterator<Item = &'a Entity> {
    let from = facts.entities.partition_point(|e| e.span.start < chunk.span.start);
    let end = chunk.span.end;
    facts.entities[from..].iter().take_while(move |e| e.span.start < end)
}

/// The files of a text index, read back: it writes them itself.
fn text_files(folder: &Path, part: &str, index: &str) -> Result<BTreeMap<String, Summed>> {
    let text = folder.join(index);
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(&text).map_err(Error::io(&text))? {
        let file = entry.map_err(Error::io(&text))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // Locks come and go with whoever opens it.
        if !name.ends_with(".lock") {
            files.insert(format!("{part}/{index}/{name}"), Summed::of_file(&file)?);
        }
    }
    Ok(files)
}
