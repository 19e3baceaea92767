//! BM25 on tantivy: its schema, written by one thread in order, read segment by segment.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use tantivy::directory::Directory;
use tantivy::indexer::{AddOperation, SegmentWriter};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexMeta, Segment, SegmentMeta, SegmentReader, TantivyDocument, Term};

use cds_model::ChunkId;

use crate::store::catalog::Catalog;
use crate::store::folder::{ReadFolder, WriteFolder};
use crate::store::rows::NONE;
use crate::tokenize::{self, ContentTokenizer, Tokenizer};
use crate::{Error, Result, guard, private_fs};

/// The fields of a chunk in the text index.
#[derive(Clone, Copy, Debug)]
pub struct Bm25Fields {
    /// All of its text.
    pub content: Field,
    /// Names it defines.
    pub symbols: Field,
    /// Its entity's signature.
    pub signature: Field,
    /// Its entity's doc comment.
    pub doc: Field,
    /// Words of its path.
    pub path: Field,
}

impl Bm25Fields {
    /// They are the same in every text index.
    pub(crate) fn get() -> Bm25Fields {
        schema().1
    }
}

/// Memory a segment fills before the next is begun. No merging, and one thread fills them in order: the same tree gives the
/// same segments.
pub(crate) const SEGMENT_MEMORY: usize = 160 << 20;

/// Memory the tables of the smallest segment are laid out for; tantivy wants 64 KB at least.
const SMALLEST_MEMORY: usize = 256 << 10;

/// Bytes of text below which one segment is closed fast enough.
const WORTH_SPLITTING: u64 = 4 << 20;

/// The file in which tantivy looks for its segments.
const META: &str = "meta.json";

fn schema() -> (Schema, Bm25Fields) {
    let mut builder = Schema::builder();
    let mut words = |name: &str, record: IndexRecordOption| {
        let tokenizer = if name == "content" { tokenize::CONTENT } else { tokenize::NAME };
        let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(record);
        builder.add_text_field(name, TextOptions::default().set_indexing_options(indexing))
    };
    let content = words("content", IndexRecordOption::WithFreqs);
    let symbols = words("symbols", IndexRecordOption::WithFreqs);
    let signature = words("signature", IndexRecordOption::WithFreqs);
    let doc = words("doc", IndexRecordOption::WithFreqs);
    let path = words("path", IndexRecordOption::WithFreqs);
    let fields = Bm25Fields { content, symbols, signature, doc, path };
    (builder.build(), fields)
}

fn register(index: &Index) {
    index.tokenizers().register(tokenize::NAME, Tokenizer::default());
    index.tokenizers().register(tokenize::CONTENT, ContentTokenizer::default());
}

/// What of a chunk enters the text index.
pub(crate) struct TextRow<'a> {
    pub(crate) content: &'a str,
    pub(crate) path: &'a str,
    pub(crate) signature: &'a str,
    pub(crate) doc: &'a str,
    pub(crate) definitions: Vec<&'a str>,
}

impl TextRow<'_> {
    /// What enters each field; a field may come more than once.
    pub(crate) fn texts(&self, fields: &Bm25Fields) -> impl Iterator<Item = (Field, &str)> {
        let Bm25Fields { content, symbols, signature, doc, path } = *fields;
        let once = [(content, self.content), (path, self.path), (signature, self.signature), (doc, self.doc)];
        let all = once.into_iter().chain(self.definitions.iter().map(move |name| (symbols, *name)));
        all.filter(|(_, text)| !text.is_empty())
    }
}

/// Writes segments one after the other. The writer's caller fills the open one while full ones go to disk beside it.
pub(crate) struct TextWriter {
    folder: WriteFolder,
    index: Index,
    fields: Bm25Fields,
    open: Option<(Segment, SegmentWriter)>,
    closing: Vec<JoinHandle<tantivy::Result<SegmentMeta>>>,
    /// Bytes of text until the next segment is begun though the open one has room.
    until_last: usize,
    /// Bytes of the file that is being added.
    written: usize,
    /// Memory a segment's tables are laid out for.
    memory: usize,
    /// Memory a segment may fill.
    most: usize,
}

impl TextWriter {
    /// `expected` is about how many bytes of text will come; `segment_memory` stands for [`SEGMENT_MEMORY`].
    pub(crate) fn create(folder: &Path, expected: u64, segment_memory: usize) -> Result<TextWriter> {
        private_fs::create_dir(folder).map_err(Error::io(folder))?;
        let (schema, fields) = schema();
        let folder = WriteFolder::new(folder);
        let index = Index::create(folder.clone(), schema, tantivy::IndexSettings::default());
        let index = index.map_err(|e| folder.error(e))?;
        register(&index);
        // Only the last segment goes to disk while nothing else is left to do: it is made small.
        let until_last = if expected < WORTH_SPLITTING { 0 } else { expected as usize / 4 * 3 };
        // Tables are laid out for what they may hold: a small text must not pay for a large one.
        let most = segment_memory.max(SMALLEST_MEMORY);
        let memory = (expected as usize * 8).clamp(SMALLEST_MEMORY, most);
        Ok(TextWriter { folder, index, fields, open: None, closing: Vec::new(), until_last, written: 0, memory, most })
    }

    pub(crate) fn add(&mut self, row: &TextRow) -> Result<()> {
        let mut document = TantivyDocument::new();
        for (field, text) in row.texts(&self.fields) {
            document.add_text(field, text);
        }
        let (_, writer) = match &mut self.open {
            Some(open) => open,
            None => {
                let segment = self.index.new_segment();
                let writer = SegmentWriter::for_segment(self.memory, segment.clone());
                let writer = writer.map_err(|e| self.folder.error(e))?;
                self.open.insert((segment, writer))
            }
        };
        writer.add_document(AddOperation { opstamp: 0, document }).map_err(|e| self.folder.error(e))?;
        self.written += row.content.len();
        Ok(())
    }

    /// A file ends. Segments are closed only here: numbers of a file are added up in one order, wherever its chunks lie.
    pub(crate) fn end_file(&mut self) {
        let before = self.until_last;
        self.until_last = before.saturating_sub(std::mem::take(&mut self.written));
        let is_full = self.open.as_ref().is_some_and(|(_, writer)| writer.mem_usage() > self.most);
        if is_full || (before > 0 && self.until_last == 0) {
            self.close_segment();
        }
    }

    /// Lays the open segment on disk, on a thread of its own.
    fn close_segment(&mut self) {
        let Some((segment, writer)) = self.open.take() else { return };
        // A disk slower than the writer must not fill memory with segments that wait for it.
        while self.closing.iter().filter(|closing| !closing.is_finished()).count() > 1 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.closing.push(std::thread::spawn(move || {
            let chunks = writer.max_doc();
            writer.finalize()?;
            Ok(segment.with_max_doc(chunks).meta().clone())
        }));
    }

    /// No more chunks come: the last segment goes to disk while the caller does something else.
    pub(crate) fn close(mut self) -> ClosingText {
        self.close_segment();
        ClosingText { folder: self.folder, index: self.index, closing: self.closing }
    }
}

/// A text index whose segments are on their way to disk.
pub(crate) struct ClosingText {
    folder: WriteFolder,
    index: Index,
    closing: Vec<JoinHandle<tantivy::Result<SegmentMeta>>>,
}

impl ClosingText {
    pub(crate) fn finish(self) -> Result<()> {
        let closed = self.closing.into_iter().map(|c| c.join().expect("laying a segment on disk does not panic"));
        let meta = IndexMeta {
            index_settings: self.index.settings().clone(),
            persisted_custom_extensions: Vec::new(),
            segments: closed.collect::<tantivy::Result<_>>().map_err(|e| self.folder.error(e))?,
            schema: self.index.schema(),
            opstamp: 0,
            payload: None,
        };
        let listed = serde_json::to_vec(&meta).expect("a list of segments is plain data");
        let written = self.index.directory().atomic_write(Path::new(META), &listed);
        written.map_err(|e| self.folder.error(e.into()))
    }
}

/// The text index of a part as a reader sees it.
pub(crate) struct TextReader {
    folder: PathBuf,
    pub(crate) searcher: tantivy::Searcher,
    pub(crate) fields: Bm25Fields,
    /// The first document of each segment among those of the part.
    firsts: Vec<u32>,
    docs: u32,
}

/// A stretch of the text index, and which chunks its documents are.
#[derive(Clone, Copy)]
pub struct TextSegment<'a> {
    /// Its postings.
    pub reader: &'a SegmentReader,
    /// The part it belongs to.
    pub(crate) part: usize,
    /// Its first document among those of the part.
    pub(crate) first: u32,
    chunks: &'a [u32],
}

impl TextSegment<'_> {
    /// The chunk that a document is; none if it is no longer there.
    pub fn chunk(&self, doc: u32) -> Option<ChunkId> {
        self.chunks.get(doc as usize).filter(|chunk| **chunk != NONE).map(|chunk| ChunkId(*chunk))
    }
}

impl TextReader {
    pub(crate) fn open(catalog: &Arc<Catalog>, name: &str) -> Result<TextReader> {
        let folder = catalog.path(name);
        let opened = guard(|| {
            TextReader::open_trusting(ReadFolder { catalog: Arc::clone(catalog), name: name.to_owned() }, &folder)
        });
        opened.unwrap_or_else(|panic| Err(Error::damaged(&folder, panic)))
    }

    fn open_trusting(files: ReadFolder, folder: &Path) -> Result<TextReader> {
        let damaged = |e: tantivy::TantivyError| Error::damaged(folder, e.to_string());
        let index = Index::open(files).map_err(damaged)?;
        register(&index);
        let (_, fields) = schema();
        let reader = index.reader_builder().reload_policy(tantivy::ReloadPolicy::Manual).try_into();
        let reader: tantivy::IndexReader = reader.map_err(damaged)?;
        let searcher = reader.searcher();
        let mut firsts = Vec::new();
        let mut docs = 0;
        for segment in searcher.segment_readers() {
            firsts.push(docs);
            docs += segment.max_doc();
        }
        Ok(TextReader { folder: folder.to_owned(), searcher, fields, firsts, docs })
    }

    pub(crate) fn docs(&self) -> u32 {
        self.docs
    }

    /// Its segments; `chunks` says which chunk each document of the part is.
    pub(crate) fn segments<'a>(&'a self, part: usize, chunks: &'a [u32]) -> impl Iterator<Item = TextSegment<'a>> {
        self.searcher.segment_readers().iter().zip(&self.firsts).map(move |(reader, &first)| TextSegment {
            reader,
            part,
            first,
            chunks: chunks.get(first as usize..).unwrap_or_default(),
        })
    }

    /// In how many documents a term stands.
    pub(crate) fn doc_freq(&self, term: &Term) -> Result<u64> {
        self.searcher.doc_freq(term).map_err(|e| self.damaged(&e))
    }

    /// How many terms all documents have in a field.
    pub(crate) fn tokens(&self, field: Field) -> Result<u64> {
        let mut tokens = 0;
        for segment in self.searcher.segment_readers() {
            tokens += segment.inverted_index(field).map_err(|e| self.damaged(&e))?.total_num_tokens();
        }
        Ok(tokens)
    }

    /// What is mapped can always be read: an error means other bytes than were written.
    fn damaged(&self, error: &tantivy::TantivyError) -> Error {
        Error::damaged(&self.folder, error.to_string())
    }
}
