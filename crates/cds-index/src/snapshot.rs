//! Everything a query may read. A snapshot never changes; a newer generation is another snapshot.

mod attributes;
mod columns;
mod views;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use tantivy::Term;
use tantivy::schema::Field;

use cds_encode::ModelId;
use cds_graph::{EdgeRow, Graph, Rows, Symbols};
use cds_model::{ChunkId, EntityId, EntityType, FileFacts, FileId};

use crate::build::ProblemRow;
use crate::store::catalog::Catalog;
use crate::store::files::LoadedFile;
use crate::store::map::Mapped;
use crate::store::names::{NameMatch, Names};
use crate::store::part::{GoneFile, Part};
use crate::store::rows::{AttributeRow, BelongRow, ChunkRow, DocumentRow, EntityRow, NONE, UnresolvedRow};
use crate::store::sparse::SparseWeights;
use crate::store::strings::Strings;
use crate::store::text::TextSegment;
use crate::store::uses::{NameRole, Uses};
use crate::store::vectors::Vectors;
use crate::store::{Bm25Fields, Manifest, files, part_path, path};
use crate::{Error, Result};

pub use columns::{FileColumns, Places};
pub use views::{ChunkView, DocumentView, EntityView, ROOT};

/// An index as a reader sees it.
pub struct Snapshot {
    home: PathBuf,
    folder: PathBuf,
    manifest: Manifest,
    catalog: Arc<Catalog>,
    entities: Mapped,
    attributes: Mapped,
    strings: Strings,
    documents: Mapped,
    chunks: Mapped,
    /// Which chunk each document of each part is, part after part.
    docs: Mapped,
    names: Names,
    uses: Uses,
    graph: GraphMaps,
    /// See [`GraphMaps::importance`].
    importance: OnceLock<Vec<f32>>,
    columns: OnceLock<FileColumns>,
    parts: Vec<Part>,
}

fn check_model(own: Option<&ModelId>, wanted: &ModelId, role: &'static str) -> Result<()> {
    if own == Some(wanted) {
        return Ok(());
    }
    Err(Error::OtherModel { index: own.cloned().map(Box::new), wanted: Box::new(wanted.clone()), role })
}

/// The mapped graph.
struct GraphMaps {
    out: Mapped,
    edges: Mapped,
    incoming: Mapped,
    aliases: Mapped,
    unresolved: Mapped,
    /// Written when everything is; an update leaves it to the first who asks.
    importance: Option<Mapped>,
    bases: Mapped,
    extensions: Mapped,
    asked: Mapped,
}

impl Snapshot {
    /// Opens the current generation of an index folder.
    pub fn open(home: &Path) -> Result<Snapshot> {
        // A writer may publish and sweep between the two reads: then the manifest names another generation.
        let mut last = None;
        for _ in 0..5 {
            let manifest = Manifest::read(home)?;
            let generation = manifest.generation.clone();
            match Self::open_generation(home, manifest) {
                Ok(snapshot) => return Ok(snapshot),
                Err(e) => {
                    let moved_on = Manifest::read(home).is_ok_and(|m| m.generation != generation);
                    if !moved_on {
                        return Err(e);
                    }
                    last = Some(e);
                }
            }
        }
        Err(last.expect("the loop ran"))
    }

    /// Opens a generation that need not be published.
    pub(crate) fn open_generation(home: &Path, manifest: Manifest) -> Result<Snapshot> {
        let folder = home.join(&manifest.generation);
        for name in std::iter::once(&manifest.generation).chain(manifest.parts.iter().map(|part| &part.name)) {
            let path = home.join(name);
            crate::private_fs::open_dir(&path).map_err(|e| Error::damaged(&path, e.to_string()))?;
        }
        let catalog = Arc::new(Catalog::open(home, &manifest)?);
        let map = |name: &str| catalog.map(&format!("{}/{name}", manifest.generation));
        let fst = |part: &str, name: &str| catalog.map_fst(&format!("{part}/{name}"));
        let fsts = |name: &str| manifest.parts.iter().map(|part| fst(&part.name, name)).collect::<Result<_>>();
        let names = Names { maps: fsts(part_path::NAMES)?, lists: map(path::NAMES)? };
        let uses = Uses { maps: fsts(part_path::USES)?, lists: map(path::USES)? };
        let importance = format!("{}/{}", manifest.generation, path::IMPORTANCE);
        let importance = Some(importance).filter(|name| catalog.contains(name));
        let snapshot = Snapshot {
            importance: OnceLock::new(),
            columns: OnceLock::new(),
            entities: map(path::ENTITIES)?,
            attributes: map(path::ATTRIBUTES)?,
            strings: Strings::open(&catalog, &manifest)?,
            documents: map(path::DOCUMENTS)?,
            chunks: map(path::CHUNKS)?,
            docs: map(path::DOCS)?,
            parts: manifest.parts.par_iter().map(|entry| Part::open(&catalog, entry)).collect::<Result<_>>()?,
            home: home.to_owned(),
            names,
            uses,
            graph: GraphMaps {
                out: map(path::OUT)?,
                edges: map(path::EDGES)?,
                incoming: map(path::INCOMING)?,
                aliases: map(path::ALIASES)?,
                unresolved: map(path::UNRESOLVED)?,
                importance: importance.map(|name| catalog.map(&name)).transpose()?,
                bases: map(path::BASES)?,
                extensions: map(path::EXTENSIONS)?,
                asked: map(path::ASKED)?,
            },
            manifest,
            catalog,
            folder,
        };
        snapshot.entities.check_rows::<EntityRow>()?;
        snapshot.attributes.check_rows::<AttributeRow>()?;
        snapshot.documents.check_rows::<DocumentRow>()?;
        snapshot.chunks.check_rows::<ChunkRow>()?;
        snapshot.names.lists.check_rows::<u32>()?;
        snapshot.graph.out.check_rows::<u32>()?;
        snapshot.graph.edges.check_rows::<EdgeRow>()?;
        snapshot.graph.incoming.check_rows::<u32>()?;
        snapshot.graph.aliases.check_rows::<[u32; 2]>()?;
        snapshot.graph.unresolved.check_rows::<UnresolvedRow>()?;
        snapshot.graph.importance.as_ref().map_or(Ok(()), Mapped::check_rows::<f32>)?;
        snapshot.graph.bases.check_rows::<BelongRow>()?;
        snapshot.graph.extensions.check_rows::<BelongRow>()?;
        snapshot.docs.check_rows::<u32>()?;
        Ok(snapshot)
    }

    /// What the index says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The vectors of its chunks, if they have any. Only those of one model can be compared: see [`Snapshot::check_model`].
    pub fn vectors(&self) -> Result<Option<Vectors<'_>>> {
        let model = self.manifest.model.as_ref();
        let parts = || self.parts().map(|(part, chunks)| (&part.vectors, chunks));
        let (documents, chunks) = (self.document_rows(), self.chunk_rows());
        let space = self.manifest.space.as_ref();
        model.map(|model| Vectors::new(parts(), model.dimensions as usize, space, documents, chunks)).transpose()
    }

    /// The weighted terms of its chunks, if a model made any.
    pub fn sparse_weights(&self) -> Result<Option<SparseWeights<'_>>> {
        let model = self.manifest.sparse_model.as_ref();
        let parts = || self.parts().map(|(part, chunks)| (&part.sparse, chunks));
        model.map(|_| SparseWeights::new(parts(), self.chunk_count())).transpose()
    }

    /// An error unless its vectors are of this model: those of two models cannot be compared.
    pub fn check_model(&self, wanted: &ModelId) -> Result<()> {
        check_model(self.manifest.model.as_ref(), wanted, "dense")
    }

    /// The same for its weighted terms.
    pub fn check_sparse_model(&self, wanted: &ModelId) -> Result<()> {
        check_model(self.manifest.sparse_model.as_ref(), wanted, "sparse")
    }

    /// What a model that reads whole texts is given of a chunk.
    pub fn passage(&self, chunk: ChunkId) -> Result<String> {
        let Some(view) = self.chunk(chunk) else { return Ok(String::new()) };
        let Some(document) = view.document() else { return Ok(String::new()) };
        let text = self.text(document.id)?;
        let scope = view.entity().map(|entity| entity.scope_path()).unwrap_or_default();
        Ok(crate::encode::passage(document.path(), &scope, text.get(view.range()).unwrap_or_default()))
    }

    /// The folder of the whole index.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Bytes this generation and its parts take on disk.
    pub fn disk_bytes(&self) -> u64 {
        let parts = self.manifest.parts.iter().map(|part| folder_bytes(&self.home.join(&part.name)));
        folder_bytes(&self.folder) + parts.sum::<u64>()
    }

    /// Its parts, each with the chunks that its documents are.
    fn parts(&self) -> impl Iterator<Item = (&Part, &[u32])> {
        let docs: &[u32] = self.docs.rows().all();
        let mut first = 0;
        self.parts.iter().zip(&self.manifest.parts).map(move |(part, entry)| {
            let chunks = docs.get(first..first + entry.docs as usize).unwrap_or_default();
            first += entry.docs as usize;
            (part, chunks)
        })
    }

    /// How many chunks its parts hold that are no longer there.
    pub fn dead_chunks(&self) -> usize {
        self.docs.rows::<u32>().len().saturating_sub(self.chunk_count())
    }

    /// How many parts it is made of.
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Files left out or read badly, with the reason.
    pub fn problems(&self) -> Result<Vec<ProblemRow>> {
        let name = format!("{}/{}", self.manifest.generation, path::PROBLEMS);
        let bytes = self.catalog.read(&name)?;
        serde_json::from_slice(&bytes).map_err(|e| Error::damaged(self.catalog.path(&name), e.to_string()))
    }

    /// Whether another generation was published since. Files of this one may then be gone: what is open stays, what is looked for anew
    /// seems damaged.
    pub fn is_superseded(&self) -> bool {
        !self.manifest.is_current(&self.home)
            && Manifest::read(&self.home).is_ok_and(|current| current.generation != self.manifest.generation)
    }

    /// Whether nothing was published since, not even other times of folders.
    pub fn is_current(&self) -> bool {
        self.manifest.is_current(&self.home)
    }

    /// The first damage that was met by whatever read this snapshot. Rows that are damaged read as absent, so that an answer is right
    /// only if there is none.
    pub fn damage(&self) -> Result<()> {
        self.catalog.damage()
    }

    /// Whether every byte on disk is what was written. Reads the whole generation.
    pub fn verify(&self) -> Result<()> {
        let names: Vec<&str> = self.catalog.names().collect();
        names.par_iter().try_for_each(|name| self.catalog.verify(name))
    }

    /// Verifies the tables that an update carries facts over by, without texts and postings.
    pub fn verify_tables(&self) -> Result<()> {
        let outlines = self.parts.iter().map(|part| &part.outlines);
        let all: Vec<&Mapped> = self.tables().into_iter().chain(outlines).chain(self.strings.files()).collect();
        all.par_iter().try_for_each(|table| table.verify_all())?;
        self.catalog.verify(&format!("{}/{}", self.manifest.generation, path::PROBLEMS))
    }

    fn tables(&self) -> [&Mapped; 15] {
        let GraphMaps { out, edges, incoming, aliases, unresolved, bases, extensions, asked, .. } = &self.graph;
        let (entities, documents, chunks, docs) = (&self.entities, &self.documents, &self.chunks, &self.docs);
        let (names, uses) = (&self.names.lists, &self.uses.lists);
        [
            entities,
            &self.attributes,
            documents,
            chunks,
            docs,
            names,
            uses,
            out,
            edges,
            incoming,
            aliases,
            unresolved,
            bases,
            extensions,
            asked,
        ]
    }

    pub(crate) fn document_rows(&self) -> Rows<'_, DocumentRow> {
        self.documents.rows()
    }

    pub(crate) fn entity_rows(&self) -> Rows<'_, EntityRow> {
        self.entities.rows()
    }

    pub(crate) fn attribute_rows(&self) -> Rows<'_, AttributeRow> {
        self.attributes.rows()
    }

    pub(crate) fn chunk_rows(&self) -> Rows<'_, ChunkRow> {
        self.chunks.rows()
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn uses(&self) -> &Uses {
        &self.uses
    }

    /// Its strings, to go on with.
    pub(crate) fn strings_writer(&self) -> Symbols<'_> {
        self.strings.writer()
    }

    /// A language, by its position in the manifest's list.
    fn language(&self, at: u16) -> &str {
        self.manifest.languages.get(usize::from(at)).map_or("text", String::as_str)
    }

    pub(crate) fn string(&self, at: u32) -> &str {
        self.strings.get(at)
    }

    /// Number of files.
    pub fn file_count(&self) -> usize {
        self.document_rows().len()
    }

    /// Number of entities.
    pub fn entity_count(&self) -> usize {
        self.entity_rows().len()
    }

    /// Number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunk_rows().len()
    }

    /// All files, sorted by path.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = DocumentView<'_>> + Clone {
        self.document_rows().all().iter().enumerate().map(|(i, row)| DocumentView {
            snapshot: self,
            row,
            id: FileId(i as u32),
        })
    }

    /// What scoring asks of all files, made when first asked for.
    pub fn columns(&self) -> &FileColumns {
        self.columns.get_or_init(|| FileColumns::of(self.document_rows().all()))
    }

    /// A file.
    pub fn document(&self, id: FileId) -> Option<DocumentView<'_>> {
        self.document_rows().get(id.index()).map(|row| DocumentView { snapshot: self, row, id })
    }

    /// The file at a path relative to the root.
    pub fn document_at(&self, path: &str) -> Option<DocumentView<'_>> {
        let rows = self.document_rows();
        let (at, _) = rows.find_by_key(&path, |row| self.string(row.path))?;
        self.document(FileId(at as u32))
    }

    /// An entity.
    pub fn entity(&self, id: EntityId) -> Option<EntityView<'_>> {
        self.entity_rows().get(id.index()).map(|row| EntityView { snapshot: self, row, id })
    }

    /// The folder that all others lie in; none where nothing is indexed.
    pub fn root(&self) -> Option<EntityView<'_>> {
        let last = self.document_rows().all().last()?;
        let root = self.entity(EntityId(last.entity.saturating_add(last.entities).saturating_add(1)))?;
        (root.entity_type() == EntityType::Directory).then_some(root)
    }

    /// The type that an entity adds to without lying in it; the entity itself when it is none of these.
    pub fn extended(&self, id: EntityId) -> EntityId {
        let Some(file) = self.entity(id).and_then(EntityView::document) else { return id };
        let rows: Rows<BelongRow> = self.graph.extensions.rows();
        let from = rows.partition_point(|row| row.file < file.id.0);
        let mut own = rows.iter_from(from).take_while(|row| row.file == file.id.0);
        own.find(|row| row.other == id.0).map_or(id, |row| EntityId(row.owner))
    }

    /// A chunk.
    pub fn chunk(&self, id: ChunkId) -> Option<ChunkView<'_>> {
        self.chunk_rows().get(id.index()).map(|row| ChunkView { snapshot: self, row, id })
    }

    /// The file a chunk belongs to.
    pub fn file_of(&self, id: ChunkId) -> Option<FileId> {
        self.chunk_rows().get(id.index()).map(|row| FileId(row.file))
    }

    /// Entities whose own name answers `name`, at most `most`.
    pub fn find_names(&self, name: &str, how: NameMatch, most: usize) -> Vec<EntityId> {
        self.names.find(name, how, most, |id| self.entity(id).map_or("", |e| e.name()))
    }

    /// Chunks that declare this very name, in no order; one may come twice.
    pub fn chunks_defining(&self, name: &str) -> impl Iterator<Item = ChunkId> {
        let named = self.find_names(name, NameMatch::Exact, usize::MAX);
        // Files and folders have names and are not defined by a chunk.
        let entities = named.into_iter().filter_map(|id| self.entity(id).filter(|e| e.local().is_some())?.chunk());
        entities.chain(self.uses.chunks(name, NameRole::Defines).map(ChunkId))
    }

    /// Chunks that use this very name, in order.
    pub fn chunks_using(&self, name: &str) -> impl Iterator<Item = ChunkId> {
        self.uses.chunks(name, NameRole::Uses).map(ChunkId)
    }

    /// The edges of all entities.
    pub fn graph(&self) -> Graph<'_> {
        Graph { out: self.graph.out.rows(), edges: self.graph.edges.rows(), incoming: self.graph.incoming.rows() }
    }

    /// What an import calls what it brings in, by the position of its edge.
    pub fn alias(&self, edge: u32) -> Option<&str> {
        self.alias_string(edge).map(|alias| self.string(alias))
    }

    /// How much an entity matters by who uses it, from 0 to 1.
    pub fn importance(&self, id: EntityId) -> f32 {
        let ranks: Rows<f32> = match &self.graph.importance {
            Some(written) => written.rows(),
            None => self.importance.get_or_init(|| cds_graph::importance(self.graph())).as_slice().into(),
        };
        ranks.get(id.index()).copied().unwrap_or(0.0)
    }

    /// What files say of types: their bases, and what belongs to them without lying in them.
    pub(crate) fn belongings(&self) -> (&[BelongRow], &[BelongRow]) {
        (self.graph.bases.rows().all(), self.graph.extensions.rows().all())
    }

    /// What a file asked of others when it was linked.
    pub(crate) fn asked(&self, row: &DocumentRow) -> &[u8] {
        self.graph.asked.rows().slice(row.asked as usize..row.asked as usize + row.asked_len as usize)
    }

    /// What linking needs to know of a file.
    pub(crate) fn outline(&self, row: &DocumentRow) -> &[u32] {
        self.parts.get(row.part as usize).map_or(&[], |part| part.outline(row.outline, row.outline_len))
    }

    /// Such calls as they lie in the table.
    pub(crate) fn unresolved_table(&self) -> &[UnresolvedRow] {
        self.graph.unresolved.rows().all()
    }

    /// The number of an alias among the strings.
    pub(crate) fn alias_string(&self, edge: u32) -> Option<u32> {
        let rows: Rows<[u32; 2]> = self.graph.aliases.rows();
        rows.find_by_key(&edge, |row| row[0]).map(|(_, row)| row[1])
    }

    /// All such calls by name, in the order of names.
    pub(crate) fn unresolved_rows(&self) -> Vec<(&str, u32, u32, u32)> {
        let mut rows: Vec<_> =
            self.unresolved_table().iter().map(|r| (self.string(r.name), r.from, r.line, r.candidates)).collect();
        rows.sort_unstable();
        rows
    }

    /// Calls of an entity's name that may mean too many entities to say which: who calls, the line, how many it may be.
    pub fn unresolved(&self, id: EntityId) -> impl Iterator<Item = (EntityId, u32, u32)> {
        let rows: Rows<UnresolvedRow> = self.graph.unresolved.rows();
        let name = self.entity_rows().get(id.index()).map_or(NONE, |e| e.name);
        let from = rows.partition_point(|r| r.name < name);
        rows.iter_from(from).take_while(move |r| r.name == name).map(|r| (EntityId(r.from), r.line, r.candidates))
    }

    /// The text index, for retrieval.
    pub fn text_segments(&self) -> impl Iterator<Item = TextSegment<'_>> {
        self.parts().enumerate().flat_map(|(i, (part, chunks))| part.text.segments(i, chunks))
    }

    /// The document that a chunk is in a segment of the text index, if it is one of that.
    pub fn doc_in(&self, segment: &TextSegment, chunk: ChunkId) -> Option<u32> {
        let document = self.document_rows().get(self.chunk_rows().get(chunk.index())?.file as usize)?;
        let at = chunk.0.checked_sub(document.first_chunk)?.checked_add(document.doc)?.checked_sub(segment.first)?;
        (document.part as usize == segment.part && at < segment.reader.max_doc()).then_some(at)
    }

    /// In how many chunks a term stands.
    pub fn doc_freq(&self, term: &Term) -> Result<u64> {
        let mut count = 0;
        for part in &self.parts {
            count += part.doc_freq(term)?;
        }
        Ok(count.max(0).cast_unsigned())
    }

    /// How many terms all chunks have in a field.
    pub fn token_count(&self, field: Field) -> Result<u64> {
        let mut count = 0;
        for part in &self.parts {
            count += part.tokens(field)?;
        }
        Ok(count.max(0).cast_unsigned())
    }

    /// Fields of the text index.
    pub fn fields(&self) -> Bm25Fields {
        self.parts.first().map_or_else(Bm25Fields::get, |part| part.text.fields)
    }

    /// A file's text and facts.
    pub fn load(&self, id: FileId) -> Result<LoadedFile> {
        let row = self.document_rows().get(id.index()).ok_or_else(|| Error::damaged(self.documents.path(), "a row"))?;
        let damaged = || self.damaged_file(row, &format!("the entry of file {}", id.0));
        let block = self.block(row).ok_or_else(damaged)?;
        LoadedFile::unpack(&block, row.text_len, row.facts_len).ok_or_else(damaged)
    }

    /// Facts of a file by its row, which may be that of another generation.
    pub(crate) fn facts_at(&self, row: &DocumentRow) -> Option<FileFacts> {
        LoadedFile::unpack(&self.block(row)?, row.text_len, row.facts_len)?.facts()
    }

    /// Bytes of its strings.
    pub(crate) fn string_bytes(&self) -> u32 {
        self.strings.len()
    }

    /// A file's text alone.
    pub fn text(&self, id: FileId) -> Result<String> {
        self.text_to(id, u32::MAX)
    }

    /// A file's text up to a byte at a character boundary: the rest is not decompressed.
    pub fn text_to(&self, id: FileId, end: u32) -> Result<String> {
        let row = self.document_rows().get(id.index()).ok_or_else(|| Error::damaged(self.documents.path(), "a row"))?;
        let damaged = || self.damaged_file(row, &format!("the text of file {}", id.0));
        let block = self.block(row).ok_or_else(damaged)?;
        files::unpack_text(&block, row.text_len.min(end)).ok_or_else(damaged)
    }

    pub(crate) fn block(&self, row: &DocumentRow) -> Option<Vec<u8>> {
        self.parts.get(row.part as usize)?.block(row.blob, row.packed, row.checksum)
    }

    /// Text and facts of a file that was taken out.
    pub(crate) fn gone(&self, file: &GoneFile) -> Result<(String, FileFacts)> {
        let part = self.manifest.parts.iter().position(|part| part.name == file.part).and_then(|at| self.parts.get(at));
        let damaged =
            || Error::damaged(self.home.join(&file.part), format!("the entry of {}, which is gone", file.path));
        let block = part.and_then(|part| part.block(file.blob, file.packed, file.checksum)).ok_or_else(damaged)?;
        let loaded = LoadedFile::unpack(&block, file.text_len, file.facts_len).ok_or_else(damaged)?;
        let facts = loaded.facts().ok_or_else(damaged)?;
        Ok((loaded.text, facts))
    }

    /// What was taken out when the parts from this one on were written.
    pub(crate) fn gone_files(&self, from: usize) -> Result<Vec<GoneFile>> {
        let mut gone = Vec::new();
        for part in self.manifest.parts.iter().skip(from) {
            let name = format!("{}/{}", part.name, part_path::GONE);
            if self.catalog.contains(&name) {
                let listed: Vec<GoneFile> = serde_json::from_slice(&self.catalog.read(&name)?)
                    .map_err(|e| Error::damaged(self.catalog.path(&name), e.to_string()))?;
                gone.extend(listed);
            }
        }
        Ok(gone)
    }

    fn damaged_file(&self, row: &DocumentRow, detail: &str) -> Error {
        let path = self.parts.get(row.part as usize).map_or(self.documents.path(), |part| part.files.path());
        Error::damaged(path, detail)
    }
}

pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => folder_bytes(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
