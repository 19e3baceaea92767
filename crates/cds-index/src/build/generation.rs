//! Writes the files of one generation, file after file in order of path.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use cds_graph::{GraphTables, Tree};
use cds_model::{Chunk, Entity, EntityType, FileFacts, Kind, LinkRules, PathRole, Reference};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use zerocopy::{Immutable, IntoBytes};

use super::meaning::Meaning;
use super::prepare::{Prepared, findable};
use super::{Build, ProblemRow};
use crate::store::manifest::{Counts, SkippedFile, WrittenFile};
use crate::store::map::Mapped;
use crate::store::names::NamesWriter;
use crate::store::path;
use crate::store::rows::{ChunkRow, DocumentRow, EntityRow, NONE, UnresolvedRow, document_flag, flag};
use crate::store::strings::StringsWriter;
use crate::store::text::{TextRow, TextWriter};
use crate::store::uses::UsesWriter;
use crate::{Error, Result};

pub(crate) struct GenerationWriter<'a> {
    folder: PathBuf,
    files: BufWriter<File>,
    files_at: u64,
    strings: StringsWriter,
    names: NamesWriter,
    uses: UsesWriter,
    documents: Vec<DocumentRow>,
    entities: Vec<EntityRow>,
    chunks: Vec<ChunkRow>,
    meaning: Meaning<'a>,
    languages: Vec<String>,
    text: Option<TextWriter>,
    tree: Tree,
    problems: Vec<ProblemRow>,
    counts: Counts,
    comments: bool,
}

/// The graph, ready to be written.
struct Linking {
    tables: GraphTables,
    unresolved: Vec<UnresolvedRow>,
    importance: Vec<f32>,
}

/// What the manifest needs to know of the tables.
pub(crate) struct Tables {
    pub(crate) link_seconds: f64,
    pub(crate) languages: Vec<String>,
    pub(crate) counts: Counts,
    pub(crate) skipped: Vec<SkippedFile>,
    pub(crate) files: BTreeMap<String, WrittenFile>,
}

impl<'a> GenerationWriter<'a> {
    pub(crate) fn create(
        build: &Build<'a>,
        folder: &Path,
        source_bytes: u64,
        busy: &'a dyn Fn(),
    ) -> Result<GenerationWriter<'a>> {
        for part in ["graph", "indices"] {
            let part = folder.join(part);
            std::fs::create_dir_all(&part).map_err(Error::io(&part))?;
        }
        let files_path = folder.join(path::FILES);
        let files = File::create(&files_path).map_err(Error::io(&files_path))?;
        Ok(GenerationWriter {
            files: BufWriter::with_capacity(1 << 20, files),
            files_at: 0,
            strings: StringsWriter::default(),
            names: NamesWriter::default(),
            uses: UsesWriter::default(),
            documents: Vec::new(),
            entities: Vec::new(),
            chunks: Vec::new(),
            meaning: Meaning::create(folder, build.home, build.models, build.cancel, busy)?,
            languages: Vec::new(),
            text: Some(TextWriter::create(&folder.join(path::BM25), source_bytes, build.effort.segment_memory())?),
            tree: Tree::default(),
            problems: Vec::new(),
            counts: Counts::default(),
            comments: build.options.comments,
            folder: folder.to_owned(),
        })
    }

    pub(crate) fn add(&mut self, file: Prepared, rules: &LinkRules) -> Result<()> {
        let id = self.documents.len() as u32;
        let entity = self.entities.len() as u32;
        let first_chunk = self.chunks.len() as u32;
        let role = PathRole::of(&file.path);
        let blob = self.files_at;
        self.files_at += file.packed.write(&mut self.files, &self.folder.join(path::FILES))?;
        let language = self.language(&file.language);
        self.documents.push(DocumentRow {
            blob,
            size: file.size,
            modified_ns: file.modified_ns,
            indexed_at: file.indexed_at,
            hash: file.hash,
            path: self.strings.add(&file.path),
            packed: file.packed.block.len() as u32,
            text_len: file.packed.text_len,
            facts_len: file.packed.facts_len,
            checksum: file.packed.checksum,
            first_chunk,
            chunks: file.facts.chunks.len() as u32,
            entity,
            entities: file.facts.entities.len() as u32,
            lines: file.facts.lines,
            language,
            role: role as u8,
            flags: if file.racy { document_flag::RACY } else { 0 },
            users: 0,
            vector_length: 0.0,
            function_lines: function_lines(&file.facts),
        });
        self.add_entities(id, &file, first_chunk);
        self.tree.add(&file.path, &file.language, rules, entity, &file.facts);
        if Tree::wants_text(&file.path) {
            self.tree.add_manifest(&file.path, &file.text);
        }
        self.add_chunks(id, entity, role, &file.facts);
        let text = findable(&file.text, &file.facts, self.comments);
        self.add_text(&file, &text, first_chunk)?;
        self.meaning.add(&file, &text)?;
        self.counts.references += file.facts.references.len() as u64;
        self.counts.source_bytes += file.size;
        for problem in &file.facts.problems {
            self.problems.push(ProblemRow {
                path: file.path.clone(),
                reason: problem.kind.name().to_owned(),
                detail: problem.detail.clone(),
                skipped: false,
                stamp: None,
            });
        }
        Ok(())
    }

    fn language(&mut self, name: &str) -> u16 {
        let at = self.languages.iter().position(|l| l == name).unwrap_or_else(|| {
            self.languages.push(name.to_owned());
            self.languages.len() - 1
        });
        at as u16
    }

    fn add_entities(&mut self, file: u32, prepared: &Prepared, first_chunk: u32) {
        let facts = &prepared.facts;
        let own = self.entities.len() as u32;
        let file_name = prepared.path.rsplit('/').next().unwrap_or(&prepared.path);
        self.names.add(file_name, own);
        self.entities.push(EntityRow {
            file,
            // The folder's entity is written last; see `add_directories`.
            parent: NONE,
            name: self.strings.add(file_name),
            scope: NONE,
            chunk: if facts.chunks.is_empty() { NONE } else { first_chunk },
            start_line: 1,
            end_line: facts.lines.max(1),
            kind: Kind::known("file").code(),
            flags: flag::PUBLIC,
            depth: 0,
        });
        for entity in &facts.entities {
            self.names.add(&entity.name, self.entities.len() as u32);
            let depth = entity.parent.map_or(0, |p| self.entities[(own + 1 + p) as usize].depth + 1);
            self.entities.push(EntityRow {
                file,
                parent: entity.parent.map_or(own, |p| own + 1 + p),
                name: self.strings.add(&entity.name),
                scope: entity.scope.as_deref().map_or(NONE, |s| self.strings.add(s)),
                chunk: chunk_at(&facts.chunks, entity.span.start).map_or(NONE, |c| first_chunk + c),
                start_line: entity.span.start_line,
                end_line: entity.span.end_line,
                kind: entity.kind.code(),
                flags: flags(entity.is_public, entity.is_test),
                depth,
            });
        }
    }

    fn add_chunks(&mut self, file: u32, own: u32, role: PathRole, facts: &FileFacts) {
        for chunk in &facts.chunks {
            let entity = chunk.entity.map(|e| &facts.entities[e as usize]);
            let declares = chunk.part == 0 && entity.is_some_and(|e| e.kind.row().is_type);
            let is_test = role == PathRole::Test || entity.is_some_and(|e| e.is_test);
            self.chunks.push(ChunkRow {
                file,
                entity: chunk.entity.map_or(NONE, |e| own + 1 + e),
                start: chunk.span.start,
                end: chunk.span.end,
                start_line: chunk.span.start_line,
                end_line: chunk.span.end_line,
                tokens: chunk.token_count,
                kind: chunk.node_type.code(),
                flags: flags(entity.is_none_or(|e| e.is_public), is_test) | if declares { flag::TYPE } else { 0 },
                part: chunk.part,
            });
        }
    }

    fn add_text(&mut self, file: &Prepared, text: &str, first_chunk: u32) -> Result<()> {
        let facts = &file.facts;
        let writer = self.text.as_mut().expect("files come before the end");
        for (i, chunk) in facts.chunks.iter().enumerate() {
            let entity = chunk.entity.filter(|_| chunk.part == 0).map(|e| &facts.entities[e as usize]);
            let doc = match entity {
                Some(entity) => entity.doc_comment.as_deref(),
                None if i == 0 => facts.doc_comment.as_deref(),
                None => None,
            };
            writer.add(&TextRow {
                chunk: first_chunk + i as u32,
                content: &text[chunk.span.range()],
                path: &file.path,
                signature: entity.map_or("", |e| &e.signature),
                doc: doc.filter(|_| self.comments).unwrap_or_default(),
                definitions: defined_in(facts, chunk).map(|e| e.name.as_str()).collect(),
            })?;
            for reference in used_in(facts, chunk) {
                self.uses.add(&reference.name, first_chunk + i as u32);
            }
        }
        Ok(())
    }

    /// Folders of indexed files become entities, outer ones first; files learn their parent.
    fn add_directories(&mut self) -> FxHashMap<String, u32> {
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        let path_of = |d: &DocumentRow| (d.entity, self.strings.get(d.path).to_owned());
        let paths: Vec<(u32, String)> = self.documents.iter().map(path_of).collect();
        for (entity, path) in paths {
            let mut parent = NONE;
            let folders = path.match_indices('/').map(|(i, _)| &path[..i]);
            for folder in folders {
                if let Some(&id) = known.get(folder) {
                    parent = id;
                    continue;
                }
                let name = folder.rsplit('/').next().unwrap_or(folder);
                let id = self.entities.len() as u32;
                self.names.add(name, id);
                self.entities.push(EntityRow {
                    file: NONE,
                    parent,
                    name: self.strings.add(name),
                    scope: NONE,
                    chunk: NONE,
                    start_line: 0,
                    end_line: 0,
                    kind: Kind::known("directory").code(),
                    flags: flag::PUBLIC,
                    depth: 0,
                });
                known.insert(folder.to_owned(), id);
                parent = id;
            }
            self.entities[entity as usize].parent = parent;
        }
        known
    }

    /// Finds out what names mean, gives what is not in the tree entities of its own, and lays the graph out.
    fn link(&mut self, folders: &FxHashMap<String, u32>) -> Linking {
        let mut tree = std::mem::take(&mut self.tree);
        let linked = cds_graph::link(&mut tree, |path| folders.get(path).copied(), self.entities.len() as u32);
        for name in &linked.outside {
            self.names.add(name, self.entities.len() as u32);
            self.entities.push(EntityRow {
                file: NONE,
                parent: NONE,
                name: self.strings.add(name),
                scope: NONE,
                chunk: NONE,
                start_line: 0,
                end_line: 0,
                kind: Kind::known("external").code(),
                flags: flag::PUBLIC,
                depth: 0,
            });
        }
        let parents: Vec<Option<u32>> = self.entities.iter().map(|e| (e.parent != NONE).then_some(e.parent)).collect();
        let mut tables = GraphTables::new(&linked, &parents);
        for [_, alias] in &mut tables.aliases {
            *alias = self.strings.add(tree.text(*alias));
        }
        let mut unresolved: Vec<UnresolvedRow> = Vec::with_capacity(linked.unresolved.len());
        unresolved.extend(linked.unresolved.iter().map(|site| UnresolvedRow {
            name: self.entities[site.like as usize].name,
            from: site.from,
            line: site.line,
            candidates: site.candidates,
        }));
        unresolved.sort_unstable();
        self.counts.edges = tables.edges.len() as u64;
        self.counts.unresolved = unresolved.len() as u64;
        self.counts.calls_outside = linked.calls_outside;
        let importance = cds_graph::importance(tables.graph());
        Linking { tables, unresolved, importance }
    }

    /// Writes the tables; the generation is complete but not yet published.
    pub(crate) fn finish(mut self, mut problems: Vec<ProblemRow>) -> Result<Tables> {
        let folders = self.add_directories();
        self.files.flush().map_err(Error::io(self.folder.join(path::FILES)))?;
        // The text index takes longest to close: it goes on beside the rest.
        let text = self.text.take().expect("it is closed once").close();
        let started = Instant::now();
        let linking = self.link(&folders);
        let link_seconds = started.elapsed().as_secs_f64();
        let (map, lists) = self.names.finish();
        let (uses_map, uses) = self.uses.finish();
        let mut meaning = self.meaning.finish()?;
        count_users(&mut self.documents, &self.entities, &linking.tables);
        measure_vectors(&mut self.documents, &self.folder.join(path::VECTORS), &meaning.scales)?;
        let mut files = BTreeMap::from([
            (path::FILES.to_owned(), WrittenFile { size: self.files_at, checksum: None }),
            (path::VECTORS.to_owned(), meaning.vectors),
        ]);
        let mut write = |name: &str, bytes: &[u8]| {
            let path = self.folder.join(name);
            files.insert(name.to_owned(), WrittenFile::of(bytes));
            std::fs::write(&path, bytes).map_err(Error::io(&path))
        };
        write(path::DOCUMENTS, rows(&self.documents))?;
        write(path::ENTITIES, rows(&self.entities))?;
        write(path::CHUNKS, rows(&self.chunks))?;
        write(path::SCALES, rows(&meaning.scales))?;
        write(path::TERMS, rows(&meaning.terms))?;
        write(path::WEIGHTS, rows(&meaning.weights))?;
        write(path::STRINGS, &self.strings.finish())?;
        write(path::NAMES_FST, &map)?;
        write(path::NAMES, rows(&lists))?;
        write(path::USES_FST, &uses_map)?;
        write(path::USES, &uses)?;
        write(path::OUT, rows(&linking.tables.out))?;
        write(path::EDGES, rows(&linking.tables.edges))?;
        write(path::INCOMING, rows(&linking.tables.incoming))?;
        write(path::ALIASES, rows(&linking.tables.aliases))?;
        write(path::UNRESOLVED, rows(&linking.unresolved))?;
        write(path::IMPORTANCE, rows(&linking.importance))?;
        problems.append(&mut self.problems);
        problems.append(&mut meaning.problems);
        problems.sort_by(|a, b| (&a.path, &a.reason, &a.detail).cmp(&(&b.path, &b.reason, &b.detail)));
        let listed = serde_json::to_vec(&problems).expect("problems are plain data");
        write(path::PROBLEMS, &listed)?;
        text.finish()?;
        files.extend(text_files(&self.folder)?);
        let counts = Counts {
            files: self.documents.len() as u64,
            entities: self.entities.len() as u64,
            chunks: self.chunks.len() as u64,
            problems: problems.len() as u64,
            not_encoded: meaning.missed,
            truncated: meaning.truncated,
            ..self.counts
        };
        Ok(Tables {
            link_seconds,
            languages: self.languages,
            counts,
            skipped: problems.iter().filter_map(ProblemRow::skipped_file).collect(),
            files,
        })
    }
}

/// Tells each file how many others use it. A file is one user however often it does.
fn count_users(documents: &mut [DocumentRow], entities: &[EntityRow], tables: &GraphTables) {
    let graph = tables.graph();
    for id in 0..documents.len() {
        let own = &documents[id];
        let mut used: Vec<u32> = (own.entity..=own.entity + own.entities)
            .flat_map(|entity| graph.outgoing(entity))
            .filter(|(_, edge)| edge.is_use())
            .map(|(_, edge)| entities[edge.to as usize].file)
            .filter(|file| *file != NONE && *file as usize != id)
            .collect();
        used.sort_unstable();
        used.dedup();
        for file in used {
            documents[file as usize].users += 1;
        }
    }
}

/// Tells each file the length of the sum of its vectors.
fn measure_vectors(documents: &mut [DocumentRow], vectors: &Path, scales: &[f32]) -> Result<()> {
    let codes = Mapped::open(vectors, None)?;
    let dimensions = codes.bytes().len().checked_div(scales.len()).unwrap_or_default();
    documents.par_iter_mut().filter(|_| dimensions > 0).for_each(|document| {
        let mut sum = vec![0f32; dimensions];
        let own = document.first_chunk as usize..(document.first_chunk + document.chunks) as usize;
        let rows = codes.bytes().chunks_exact(dimensions).zip(scales);
        for (row, scale) in rows.skip(own.start).take(own.len()) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += f32::from(x.cast_signed()) * scale);
        }
        document.vector_length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    });
    Ok(())
}

/// Lines of functions, each once: what is nested lies within. A declaration of one line has no body.
fn function_lines(facts: &FileFacts) -> u32 {
    let mut after = 0;
    let mut lines = 0;
    for entity in facts.entities.iter().filter(|e| e.kind.row().chunked && e.kind.entity_type() == EntityType::Function)
    {
        let (start, end) = (entity.span.start_line.max(after), entity.span.end_line + 1);
        if end > start + 1 {
            lines += end - start;
            after = end;
        }
    }
    lines
}

/// The files of the text index, read back: it writes them itself.
fn text_files(folder: &Path) -> Result<BTreeMap<String, WrittenFile>> {
    let text = folder.join(path::BM25);
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(&text).map_err(Error::io(&text))? {
        let file = entry.map_err(Error::io(&text))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // Locks come and go with whoever opens it.
        if !name.ends_with(".lock") {
            let written = WrittenFile::of(Mapped::open(&file, None)?.bytes());
            files.insert(format!("{}/{name}", path::BM25), written);
        }
    }
    Ok(files)
}

fn rows<T: IntoBytes + Immutable>(rows: &[T]) -> &[u8] {
    rows.as_bytes()
}

fn flags(is_public: bool, is_test: bool) -> u8 {
    (if is_public { flag::PUBLIC } else { 0 }) | (if is_test { flag::TEST } else { 0 })
}

/// The chunk that holds `byte`; of overlapping ones the first.
fn chunk_at(chunks: &[Chunk], byte: u32) -> Option<u32> {
    let at = chunks.partition_point(|c| c.span.end <= byte);
    (at < chunks.len()).then_some(at as u32)
}

/// Entities that begin in the chunk.
fn defined_in<'a>(facts: &'a FileFacts, chunk: &Chunk) -> impl Iterator<Item = &'a Entity> {
    let from = facts.entities.partition_point(|e| e.span.start < chunk.span.start);
    let end = chunk.span.end;
    facts.entities[from..].iter().take_while(move |e| e.span.start < end)
}

/// References that stand in the chunk.
fn used_in<'a>(facts: &'a FileFacts, chunk: &Chunk) -> impl Iterator<Item = &'a Reference> {
    let from = facts.references.partition_point(|r| r.start < chunk.span.start);
    let end = chunk.span.end;
    facts.references[from..].iter().take_while(move |r| r.start < end)
}
