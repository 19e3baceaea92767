//! Ids to answers: the text and metadata of what was found. Only final hits come here.

use std::sync::Arc;

use cds_index::{DocumentView, EntityView, LoadedFile, ProjectRoot, Snapshot};
use cds_model::{ChunkId, Entity, FileId, Snippet, Span};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::loaded::Loaded;
use crate::response::Hit;
use crate::snippet::{self, Highlighter, MatchedWords};

/// Files that were read a moment ago.
pub(crate) type Files = Loaded<FileId, LoadedFile>;

/// About how many bytes of them are kept.
const KEPT: usize = 24 << 20;

/// About how many bytes of files one request holds at once.
const HELD: usize = 64 << 20;

/// Files that are read one after the other: fewer are not worth waking other threads.
const FEW: usize = 3;

pub(crate) fn files() -> Files {
    Loaded::new(KEPT, LoadedFile::weight)
}

/// Turns ids of one snapshot into hits, reading each file once.
pub(crate) struct Hydrator<'a> {
    pub(crate) snapshot: &'a Snapshot,
    root: ProjectRoot,
    known: &'a Files,
    files: FxHashMap<FileId, Arc<LoadedFile>>,
    /// Bytes of them.
    held: usize,
    stale: FxHashMap<FileId, bool>,
    pub(crate) highlighter: Highlighter,
    /// Levels of the text that hits show besides the snippet; none unless several were asked for.
    pub(crate) levels: Vec<Snippet>,
    /// What tells the words of the query that a hit has; none where there is no query.
    pub(crate) matched: Option<MatchedWords>,
}

impl<'a> Hydrator<'a> {
    pub(crate) fn new(engine: &'a Engine, snapshot: &'a Snapshot, terms: Vec<String>) -> Hydrator<'a> {
        let (files, stale) = (FxHashMap::default(), FxHashMap::default());
        let (root, known) = (ProjectRoot::at(engine.root()), &engine.files);
        let highlighter = Highlighter::new(terms);
        let (levels, matched) = (Vec::new(), None);
        Hydrator { snapshot, root, known, files, held: 0, stale, highlighter, levels, matched }
    }

    /// Reads files beside each other, as many as may be held at once: what follows finds them read. One that cannot be read is told by
    /// who needs it.
    pub(crate) fn preload(&mut self, ids: impl Iterator<Item = FileId>) {
        let mut ids: Vec<FileId> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        // Facts take about as much again as the text.
        let mut bytes = 0;
        ids.retain(|id| {
            bytes += self.snapshot.document(*id).map_or(0, |document| 2 * document.size() as usize);
            bytes <= HELD
        });
        let known = |id: &FileId| self.known.get(self.which(), *id).map(|file| (*id, file));
        self.files = ids.iter().filter_map(known).collect();
        ids.retain(|id| !self.files.contains_key(id));
        if let Some(workers) = cds_search::workers().filter(|_| ids.len() > FEW) {
            let read = |id: &FileId| Some((*id, self.read(*id).ok()?));
            let files: Vec<_> = workers.install(|| ids.par_iter().filter_map(read).collect());
            self.files.extend(files);
        }
    }

    /// What tells this snapshot from every other: names of generations come again when an index is made from nothing.
    fn which(&self) -> &'a str {
        &self.snapshot.manifest().checksum
    }

    fn read(&self, id: FileId) -> Result<Arc<LoadedFile>> {
        Ok(self.known.keep(self.which(), id, self.snapshot.load(id)?))
    }

    pub(crate) fn load(&mut self, id: FileId) -> Result<Arc<LoadedFile>> {
        if let Some(file) = self.files.get(&id) {
            return Ok(Arc::clone(file));
        }
        let file = match self.known.get(self.which(), id) {
            Some(file) => file,
            None => self.read(id)?,
        };
        self.held += file.weight();
        if self.held > HELD {
            self.files.clear();
            self.held = file.weight();
        }
        self.files.insert(id, Arc::clone(&file));
        Ok(file)
    }

    /// Lines of code by path and number; empty where there is none.
    pub(crate) fn lines(&mut self, places: &[(String, usize)]) -> Result<Vec<String>> {
        let ids: Vec<Option<FileId>> =
            places.iter().map(|(path, _)| self.snapshot.document_at(path).map(|d| d.id)).collect();
        self.preload(ids.iter().copied().flatten());
        let mut lines = Vec::with_capacity(places.len());
        for ((_, line), id) in places.iter().zip(ids) {
            let text = match id {
                Some(id) => self.load(id)?.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned(),
                None => String::new(),
            };
            lines.push(text);
        }
        Ok(lines)
    }

    /// Whether the file on disk differs from what was indexed.
    pub(crate) fn is_stale(&mut self, document: DocumentView) -> bool {
        let (root, snapshot) = (&self.root, self.snapshot);
        *self.stale.entry(document.id).or_insert_with(|| snapshot.is_changed(root, document))
    }

    /// A hit for a chunk, or for an entity inside it when one is named.
    pub(crate) fn chunk(&mut self, id: ChunkId, entity: Option<EntityView>, shown: Snippet) -> Result<Hit> {
        let view = self.snapshot.chunk(id).ok_or_else(|| damaged("a chunk"))?;
        let document = view.document().ok_or_else(|| damaged("the file of a chunk"))?;
        let file = self.load(document.id)?;
        let chunk_entity = view.entity();
        let entity = entity.filter(|e| e.local().is_some()).or(chunk_entity);
        let local = entity.and_then(EntityView::local).and_then(|at| file.entity(at));
        let chunk = view.local().and_then(|at| file.chunk(at)).ok_or_else(|| damaged("the facts of a chunk"))?;
        let inside = file.inside(chunk.span).ok_or_else(|| damaged("the facts of a chunk"))?;

        // A chunk shows its entity's own lines; one that has only the first of them shows all, and so does an entity that shares its chunk.
        let span = match (entity, &local) {
            (Some(e), Some(own)) if chunk_entity.is_some_and(|c| c.id == e.id) && !view.is_bare_header() => {
                clip(own.full, chunk.span)
            }
            (Some(_), Some(own)) => own.full,
            _ => chunk.span,
        };
        let mut hit = self.base(document, &file, entity, local);
        let text = text_of(&file, chunk.span);
        let before = file.chunk_texts().take(view.local().unwrap_or(0) as usize);
        let twins = before.filter(|other| *other == text).count();
        hit.chunk_id = chunk_id(self.snapshot, document.path(), text, twins);
        hit.hash = blake3::hash(&file.bytes_on_disk(span)).to_hex().to_string();
        view.language().clone_into(&mut hit.language);
        hit.kind = entity.map_or(view.node_type(), EntityView::kind).name();
        hit.token_count = view.tokens();
        hit.is_type_declaration = view.is_type_declaration();
        hit.is_test = view.is_test();
        hit.is_public = entity.map_or(view.is_public(), EntityView::is_public);
        if hit.signature.is_none() {
            hit.id = format!("{}:{}-{}", hit.path, span.start_line, span.end_line);
            hit.scope_path = chunk.headings.iter().map(ToString::to_string).collect();
            hit.breadcrumb = hit.scope_path.join(" > ");
            hit.name = hit.scope_path.last().cloned();
        }
        hit.definitions = once(inside.definitions());
        hit.references = once(inside.uses());
        self.show(&mut hit, &file, span, shown);
        Ok(hit)
    }

    /// A hit for an entity as a whole: files and folders too.
    pub(crate) fn entity(&mut self, entity: EntityView, shown: Snippet) -> Result<Hit> {
        let Some(document) = entity.document() else {
            // A folder, or what is outside the tree.
            return Ok(Hit {
                id: entity.key(),
                path: entity.path(),
                entity_type: entity.entity_type().name(),
                kind: entity.kind().name(),
                name: Some(entity.name().to_owned()),
                is_public: true,
                ..Hit::default()
            });
        };
        let file = self.load(document.id)?;
        let local = entity.local().and_then(|at| file.entity(at));
        let whole = Span { start: 0, end: file.text.len() as u32, start_line: 1, end_line: file.lines().max(1) };
        let span = local.as_ref().map_or(whole, |e| e.full);
        let doc_of_file = if local.is_none() { file.doc_comment() } else { None };
        let mut hit = self.base(document, &file, Some(entity), local);
        hit.kind = entity.kind().name();
        hit.is_public = entity.is_public();
        hit.is_test = entity.is_test();
        hit.is_type_declaration = entity.kind().row().is_type;
        hit.token_count = cds_model::estimate_tokens(text_of(&file, span));
        hit.doc_comment = hit.doc_comment.or(doc_of_file.map(str::to_owned));
        self.show(&mut hit, &file, span, shown);
        Ok(hit)
    }

    fn base(
        &mut self,
        document: DocumentView,
        file: &LoadedFile,
        entity: Option<EntityView>,
        local: Option<Entity>,
    ) -> Hit {
        let strings = |list: Vec<compact_str::CompactString>| list.into_iter().map(|s| s.into_string()).collect();
        let mut hit = Hit {
            path: document.path().to_owned(),
            language: entity.and_then(EntityView::language).unwrap_or(document.language()).to_owned(),
            entity_type: entity.map_or("file", |e| e.entity_type().name()),
            indexed_at: document.indexed_at(),
            stale: self.is_stale(document),
            ..Hit::default()
        };
        if let Some(entity) = entity {
            hit.id = entity.key();
            hit.name = Some(entity.name().to_owned());
        }
        if let (Some(entity), Some(own)) = (entity, local) {
            hit.scope_path = entity.scope_path().into_iter().map(str::to_owned).collect();
            hit.breadcrumb = hit.scope_path.join(" > ");
            hit.signature = Some(own.signature.into_string());
            hit.signature_line = own.span.start_line;
            hit.doc_comment = own.doc_comment;
            hit.modifiers = strings(own.modifiers);
            hit.decorators = strings(own.decorators);
            hit.recovered = own.is_recovered;
            hit.conformances = strings(own.conformances);
            let parent = own.parent.and_then(|parent| file.entity(parent));
            // A method may be written outside of its type, which its head names.
            hit.parent_context = parent.map(|p| p.signature.into_string()).or(own.scope.map(|s| s.into_string()));
        }
        hit
    }

    /// Where the hit is, and what of it is shown.
    fn show(&mut self, hit: &mut Hit, file: &LoadedFile, span: Span, shown: Snippet) {
        (hit.start_line, hit.end_line) = (span.start_line, span.end_line);
        (hit.start_byte, hit.end_byte) = (file.offset_on_disk(span.start), file.offset_on_disk(span.end));
        let first = span.start_line.max(1);
        let count = (span.end_line + 1).saturating_sub(first) as usize;
        let lines: Vec<&str> = from_line_of(&file.text, span.start as usize).lines().take(count).collect();
        let signature = hit.signature.clone();
        let signature = signature.as_deref().map(|text| (text, hit.signature_line));
        let shown = snippet::show(&lines, first, signature, shown, &mut self.highlighter);
        (hit.snippet, hit.snippet_line, hit.highlights) = (shown.text, shown.first_line, shown.highlights);
        self.show_levels(hit, &lines, first, signature);
        if let Some(matched) = &mut self.matched {
            let name = hit.name.as_deref().unwrap_or_default();
            let text = file.text.get(span.range()).unwrap_or_default();
            hit.matched_terms = matched.of(&[name, &hit.path, text]);
        }
    }

    /// Adds the text at every level that was asked for, where those are several.
    pub(crate) fn show_levels(&mut self, hit: &mut Hit, lines: &[&str], first: u32, signature: Option<(&str, u32)>) {
        let highlighter = &mut self.highlighter;
        let mut text = |level: Snippet| snippet::show(lines, first, signature, level, highlighter).text;
        hit.snippets = self.levels.iter().map(|level| (level.name(), text(*level))).collect();
    }
}

/// A text from the beginning of the line that a byte is in.
fn from_line_of(text: &str, at: usize) -> &str {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    text.get(start..).unwrap_or_default()
}

/// A table points at what is not there.
pub(crate) fn damaged(what: &str) -> Error {
    let message = format!("the index is damaged ({what} is missing): run `cds index` to repair it");
    Error { kind: ErrorKind::NotReady, message }
}

/// Names, each where it comes first.
fn once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = rustc_hash::FxHashSet::default();
    names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

fn clip(span: Span, within: Span) -> Span {
    Span {
        start: span.start.max(within.start),
        end: span.end.min(within.end),
        start_line: span.start_line.max(within.start_line),
        end_line: span.end_line.min(within.end_line),
    }
}

fn text_of(file: &LoadedFile, span: Span) -> &str {
    file.text.get(span.range()).unwrap_or_default()
}

/// A UUID v7 whose time is the project's first index and whose other bits come from path and text, and from how many equal
/// chunks stand before it in the file: the same chunk keeps its id, in an update as in a clean build.
fn chunk_id(snapshot: &Snapshot, path: &str, text: &str, twins: usize) -> String {
    let manifest = snapshot.manifest();
    let mut hasher = blake3::Hasher::new();
    hasher.update(manifest.project.as_bytes()).update(&[0]);
    hasher.update(path.as_bytes()).update(&[0]).update(text.as_bytes());
    if twins > 0 {
        hasher.update(&[0]).update(&(twins as u64).to_le_bytes());
    }
    let hash = hasher.finalize();
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    bytes[..6].copy_from_slice(&manifest.born_ms.to_be_bytes()[2..]);
    bytes[6] = bytes[6] & 0x0f | 0x70;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes
        .iter()
        .flat_map(|b| [b >> 4, b & 15])
        .map(|n| char::from_digit(u32::from(n), 16).unwrap_or('0'))
        .collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
