//! Writes the tables of one generation, file after file in order of path. What did not change is copied, row by row, from the old one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cds_graph::{GraphTables, Symbols, Tree, outline};
use cds_lang::Registry;
use cds_model::{Chunk, EntityType, FileFacts, Kind, LinkRules, Name, PathRole};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use zerocopy::{Immutable, IntoBytes};

use super::links::{Asked, Linker, Links};
use super::meaning::{self, Encoding};
use super::part::{ClosingPart, PartWriter, Placed, Taken};
use super::plan::Plan;
use super::prepare::{Kept, Prepared};
use super::{Build, ProblemRow};
use crate::store::blocks::Blocks;
use crate::store::checksums::{self, Summed};
use crate::store::files::{self, LoadedFile};
use crate::store::manifest::{Counts, PartEntry, SkippedFile, WrittenFile};
use crate::store::moves::Moves;
use crate::store::names::{self, NamesWriter};
use crate::store::rows::{
    AttributeRow, ChunkRow, DocumentRow, EntityRow, NONE, attribute, document_flag, flag, language_bit,
};
use crate::store::space::VectorSpace;
use crate::store::uses::{NameRole, UsesWriter};
use crate::store::vectors::VectorTables;
use crate::store::{part_path, path};
use crate::{Error, ROOT, Result, Snapshot, private_fs};

pub(crate) struct GenerationWriter<'a> {
    name: String,
    home: PathBuf,
    old: Option<&'a Snapshot>,
    plan: &'a Plan,
    registry: &'a Registry,
    part: Option<PartWriter<'a>>,
    /// By the old file: how far its entities and chunks moved; none if its rows are not kept.
    steps: Vec<Option<Step>>,
    /// By the old file, which it is now, if it is the same: also where its rows were written anew.
    same: Vec<Option<u32>>,
    strings: Symbols<'a>,
    names: NamesWriter,
    uses: UsesWriter,
    documents: Vec<DocumentRow>,
    entities: Vec<EntityRow>,
    chunks: Vec<ChunkRow>,
    attributes: Vec<AttributeRow>,
    languages: Vec<String>,
    /// Texts of files of build tools.
    manifests: Vec<(String, String)>,
    problems: Vec<ProblemRow>,
}

#[derive(Clone, Copy)]
struct Step {
    entities: u32,
    chunks: u32,
}

/// What the manifest needs to know of the tables.
pub(crate) struct Tables {
    pub(crate) link_seconds: f64,
    pub(crate) linked: usize,
    pub(crate) languages: Vec<String>,
    pub(crate) counts: Counts,
    pub(crate) space: Option<VectorSpace>,
    pub(crate) skipped: Vec<SkippedFile>,
    pub(crate) parts: Vec<PartEntry>,
    pub(crate) files: BTreeMap<String, WrittenFile>,
}

impl<'a> GenerationWriter<'a> {
    /// `number` is that of the generation and of the part that it adds.
    pub(crate) fn create(
        build: &Build<'a>,
        number: u32,
        old: Option<&'a Snapshot>,
        plan: &'a Plan,
        encoding: Encoding<'a>,
    ) -> Result<GenerationWriter<'a>> {
        let name = format!("g{number:06}");
        let folder = build.home.join(&name);
        for part in [folder.clone(), folder.join("graph"), folder.join("indices")] {
            private_fs::create_dir(&part).map_err(Error::io(&part))?;
        }
        // Without a part that stays nothing refers to what was there: strings that nobody has are let go.
        let old = old.filter(|_| plan.parts > 0);
        let steps = vec![None; old.map_or(0, Snapshot::file_count)];
        // Most of it comes again: vectors that need not grow are memory that is touched once.
        let room = |count: fn(&Snapshot) -> usize| old.map_or(0, |old| count(old) + count(old) / 64);
        Ok(GenerationWriter {
            part: Some(PartWriter::create(build, format!("p{number:06}"), plan.expected, encoding)?),
            same: vec![None; steps.len()],
            steps,
            strings: old.map_or_else(Symbols::default, Snapshot::strings_writer),
            names: NamesWriter::default(),
            uses: UsesWriter::default(),
            documents: Vec::with_capacity(room(Snapshot::file_count)),
            entities: Vec::with_capacity(room(Snapshot::entity_count)),
            chunks: Vec::with_capacity(room(Snapshot::chunk_count)),
            attributes: Vec::new(),
            languages: old.map_or_else(Vec::new, |old| old.manifest().languages.clone()),
            manifests: Vec::new(),
            problems: Vec::new(),
            registry: build.registry,
            home: build.home.to_owned(),
            old,
            plan,
            name,
        })
    }

    /// A file that changed, or moves to the new part.
    pub(crate) fn add(&mut self, file: &Prepared) -> Result<()> {
        let id = self.documents.len() as u32;
        let entity = self.entities.len() as u32;
        let first_chunk = self.chunks.len() as u32;
        let role = PathRole::of(&file.path);
        let no_rules = LinkRules::default();
        let rules = self.registry.by_name(&file.language).map_or(&no_rules, |l| &l.spec.link);
        let outlined = outline(&mut self.strings, rules, &file.facts);
        let Placed { blob, doc, outline } =
            self.part.as_mut().expect("files come before the end").add(file, &outlined)?;
        let language = self.language(&file.language);
        let all = file.facts.languages.iter().map(|share| self.language(&share.language));
        let languages = all.fold(language_bit(language), |bits, other| bits | language_bit(other));
        self.documents.push(DocumentRow {
            blob,
            size: file.stamp.size,
            modified_ns: file.stamp.modified_ns,
            changed_ns: file.stamp.changed_ns,
            indexed_at: file.indexed_at,
            hash: file.hash,
            languages,
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
            part: self.plan.parts as u32,
            doc,
            references: file.facts.references.len() as u32,
            calls_outside: 0,
            outline,
            outline_len: outlined.len() as u32,
            asked: 0,
            asked_len: 0,
        });
        if let Some(slot) = file.reused.and_then(|known| self.same.get_mut(known.index())) {
            *slot = Some(id);
        }
        self.add_entities(id, file, first_chunk);
        if Tree::wants_text(&file.path) {
            self.manifests.push((file.path.clone(), file.text.clone()));
        }
        self.add_attributes(entity, &file.facts);
        self.add_chunks(id, entity, role, language, &file.facts);
        self.add_names(first_chunk, file);
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

    /// A file that is as it was: its rows move.
    pub(crate) fn keep(&mut self, kept: &Kept) -> Result<()> {
        let old = self.old.expect("what is kept was there");
        let document = old.document(kept.id).expect("what is kept was there");
        let row = document.row();
        let id = self.documents.len() as u32;
        let (entity, first_chunk) = (self.entities.len() as u32, self.chunks.len() as u32);
        let step =
            Step { entities: entity.wrapping_sub(row.entity), chunks: first_chunk.wrapping_sub(row.first_chunk) };
        let moved = |id: u32, by: u32| if id == NONE { NONE } else { id.wrapping_add(by) };
        let damaged = || Error::damaged(old.home(), format!("the rows of {}", document.path()));
        let first = row.entity as usize;
        let entities = old.entity_rows().slice(first..first + row.entities as usize + 1);
        if entities.is_empty() {
            return Err(damaged());
        }
        self.entities.extend(entities.iter().map(|own| {
            let (parent, chunk) = (moved(own.parent, step.entities), moved(own.chunk, step.chunks));
            EntityRow { file: id, parent, chunk, ..*own }
        }));
        // The folder's entity is written last; see `add_directories`.
        self.entities[entity as usize].parent = NONE;
        let attributes = old.attribute_rows();
        let from = attributes.partition_point(|own| own.entity < row.entity);
        let end = attributes.partition_point(|own| own.entity <= row.entity + row.entities);
        let attributes = attributes.slice(from..end).iter();
        self.attributes.extend(attributes.map(|own| AttributeRow { entity: moved(own.entity, step.entities), ..*own }));
        let first = row.first_chunk as usize;
        let chunks = old.chunk_rows().slice(first..first + row.chunks as usize);
        if chunks.len() != row.chunks as usize {
            return Err(damaged());
        }
        self.chunks.extend(chunks.iter().map(|own| ChunkRow {
            file: id,
            entity: moved(own.entity, step.entities),
            ..*own
        }));
        self.documents.push(DocumentRow {
            modified_ns: kept.stamp.modified_ns,
            changed_ns: kept.stamp.changed_ns,
            flags: if kept.racy { document_flag::RACY } else { 0 },
            users: 0,
            entity,
            first_chunk,
            ..*row
        });
        if Tree::wants_text(document.path()) {
            self.manifests.push((document.path().to_owned(), old.text(kept.id)?));
        }
        self.steps[kept.id.index()] = Some(step);
        self.same[kept.id.index()] = Some(id);
        Ok(())
    }

    fn language(&mut self, name: &str) -> u16 {
        let at = self.languages.iter().position(|l| l == name).unwrap_or_else(|| {
            self.languages.push(name.to_owned());
            self.languages.len() - 1
        });
        at as u16
    }

    /// An entity that is new, or that of a file that is: it can be found by its name.
    fn add_entity(&mut self, row: EntityRow) {
        self.names.add(row.name, self.entities.len() as u32);
        self.entities.push(row);
    }

    fn add_entities(&mut self, file: u32, prepared: &Prepared, first_chunk: u32) {
        let facts = &prepared.facts;
        let own = self.entities.len() as u32;
        let file_name = prepared.path.rsplit('/').next().unwrap_or(&prepared.path);
        let name = self.strings.add(file_name);
        self.add_entity(EntityRow {
            file,
            // The folder's entity is written last; see `add_directories`.
            parent: NONE,
            name,
            scope: NONE,
            chunk: if facts.chunks.is_empty() { NONE } else { first_chunk },
            start_line: 1,
            end_line: facts.lines.max(1),
            kind: Kind::known("file").code(),
            flags: flag::PUBLIC,
            depth: 0,
            ordinal: 1,
        });
        for (entity, ordinal) in facts.entities.iter().zip(ordinals(facts)) {
            let name = self.strings.add(&entity.name);
            let scope = entity.scope.as_deref().map_or(NONE, |s| self.strings.add(s));
            let depth = entity.parent.map_or(0, |p| self.entities[(own + 1 + p) as usize].depth + 1);
            self.add_entity(EntityRow {
                file,
                parent: entity.parent.map_or(own, |p| own + 1 + p),
                name,
                scope,
                chunk: chunk_at(&facts.chunks, entity.span.start).map_or(NONE, |c| first_chunk + c),
                start_line: entity.span.start_line,
                end_line: entity.span.end_line,
                kind: entity.kind.code(),
                flags: flags(entity.is_public, entity.is_test),
                depth,
                ordinal,
            });
        }
    }

    /// `own` is the file's entity.
    fn add_attributes(&mut self, own: u32, facts: &FileFacts) {
        let mut has_members = vec![false; facts.entities.len()];
        facts.entities.iter().filter_map(|entity| entity.parent).for_each(|parent| has_members[parent as usize] = true);
        for (at, (entity, has_members)) in facts.entities.iter().zip(has_members).enumerate() {
            let signature = has_members.then_some((attribute::SIGNATURE, &entity.signature));
            let conformances = entity.conformances.iter().map(|name| (attribute::CONFORMANCE, name));
            for (attribute, text) in signature.into_iter().chain(conformances) {
                let text = self.strings.add(text);
                self.attributes.push(AttributeRow { entity: own + 1 + at as u32, attribute, text });
            }
        }
    }

    fn add_chunks(&mut self, file: u32, own: u32, role: PathRole, language: u16, facts: &FileFacts) {
        for chunk in &facts.chunks {
            let language = chunk.language.as_deref().map_or(language, |name| self.language(name));
            let entity = chunk.entity.map(|e| &facts.entities[e as usize]);
            let declares = chunk.part == 0 && entity.is_some_and(|e| e.kind.row().is_type);
            let is_test = role == PathRole::Test || entity.is_some_and(|e| e.is_test);
            let headings = chunk.headings.len().min(flag::MAX_HEADINGS.into()) as u8;
            let more = if declares { flag::TYPE } else { 0 } | headings << flag::HEADINGS;
            self.chunks.push(ChunkRow {
                file,
                entity: chunk.entity.map_or(NONE, |e| own + 1 + e),
                start: chunk.span.start,
                end: chunk.span.end,
                start_line: chunk.span.start_line,
                end_line: chunk.span.end_line,
                tokens: u16::try_from(chunk.token_count).unwrap_or(u16::MAX),
                language,
                kind: chunk.node_type.code(),
                flags: flags(entity.is_none_or(|e| e.is_public), is_test) | more,
                part: chunk.part,
            });
        }
    }

    /// Names that chunks declare and use. Those of entities are found by their table, but for chunks that repeat their beginning.
    fn add_names(&mut self, first_chunk: u32, file: &Prepared) {
        let facts = &file.facts;
        let text = |name: &Name| file.text.get(name.start as usize..name.end as usize).unwrap_or_default();
        for (i, chunk) in facts.chunks.iter().enumerate() {
            let id = first_chunk + i as u32;
            let names = within(&facts.names, chunk, |name| name.start);
            let entities = within(&facts.entities, chunk, |entity| entity.span.start);
            let repeated = entities.iter().filter(|e| chunk_at(&facts.chunks, e.span.start) != Some(i as u32));
            repeated.for_each(|entity| self.uses.add(&entity.name, NameRole::Defines, id));
            for reference in within(&facts.references, chunk, |reference| reference.start) {
                self.uses.add(&reference.name, NameRole::Uses, id);
            }
            for name in names {
                if name.is_definition {
                    self.uses.add(text(name), NameRole::Defines, id);
                }
                if name.is_use {
                    self.uses.add(text(name), NameRole::Uses, id);
                }
            }
        }
    }

    /// Folders of indexed files become entities, outer ones first, the root before all; files learn their parent.
    fn add_directories(&mut self) -> FxHashMap<String, u32> {
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        if self.documents.is_empty() {
            return known;
        }
        let root = self.entities.len() as u32;
        let name = self.strings.add(ROOT);
        // It is found by its path alone, since no one looks for the name.
        self.entities.push(EntityRow { name, ..no_file("directory") });
        known.insert(ROOT.to_owned(), root);
        let mut last = (String::new(), root);
        for at in 0..self.documents.len() {
            let DocumentRow { entity, path, .. } = self.documents[at];
            let path = self.strings.text(path);
            let own = path.rfind('/').map_or("", |end| &path[..end]);
            // Files of a folder mostly follow each other.
            if own == last.0 {
                self.entities[entity as usize].parent = last.1;
                continue;
            }
            let own = own.to_owned();
            let mut parent = root;
            let ends = own.match_indices('/').map(|(i, _)| i).chain((!own.is_empty()).then_some(own.len()));
            for folder in ends.map(|end| &own[..end]) {
                if let Some(&id) = known.get(folder) {
                    parent = id;
                    continue;
                }
                let name = self.strings.add(folder.rsplit('/').next().unwrap_or(folder));
                let id = self.entities.len() as u32;
                self.add_entity(EntityRow { parent, name, ..no_file("directory") });
                known.insert(folder.to_owned(), id);
                parent = id;
            }
            self.entities[entity as usize].parent = parent;
            last = (own, parent);
        }
        known
    }

    /// Finds out what names mean.
    fn link(&self, part: &ClosingPart, folders: &FxHashMap<String, u32>) -> Result<Links> {
        let (folder, outlines) = (part.folder(), part.outlines()?);
        outlines.verify_all()?;
        let files = Blocks::open(&folder.join(part_path::FILES), None)?;
        let facts = |row: &DocumentRow| {
            let block = files.read(row.blob, row.packed).filter(|block| files::checksum(block) == row.checksum)?;
            LoadedFile::unpack(&block, row.text_len, row.facts_len)?.facts()
        };
        let linker = Linker {
            registry: self.registry,
            symbols: &self.strings,
            documents: &self.documents,
            languages: &self.languages,
            entities: &self.entities,
            folders,
            outlines: outlines.rows().all(),
            facts: &facts,
            own_part: self.plan.parts as u32,
            manifests: &self.manifests,
            old: self.old,
            kept: &self.same,
        };
        Ok(linker.run(self.entities.len() as u32))
    }

    /// Gives what is not in the tree entities of its own.
    fn add_outside(&mut self, links: &Links, folders: &FxHashMap<String, u32>) {
        for outside in &links.outside {
            // What is called like a file or folder of the tree comes second.
            let is_file = || self.documents.binary_search_by(|d| self.strings.text(d.path).cmp(outside)).is_ok();
            let is_second = folders.contains_key(outside) || is_file();
            let name = self.strings.add(outside);
            self.add_entity(EntityRow { name, ordinal: 1 + u32::from(is_second), ..no_file("external") });
        }
    }

    /// Problems of files that did not change are those they had.
    fn keep_problems(&mut self, known: &[ProblemRow]) {
        let Some(old) = self.old else { return };
        let kept = |path: &str| old.document_at(path).is_some_and(|d| self.steps[d.id.index()].is_some());
        let kept: Vec<ProblemRow> =
            known.iter().filter(|p| !p.skipped && !p.is_of_rules() && kept(&p.path)).cloned().collect();
        self.problems.extend(kept);
    }

    /// Writes the tables; the generation is complete but not yet published. `known` are the problems of the old one.
    pub(crate) fn finish(mut self, mut problems: Vec<ProblemRow>, known: &[ProblemRow]) -> Result<Tables> {
        let folders = self.add_directories();
        self.keep_problems(known);
        let gone = match self.old {
            Some(old) => self.plan.gone(old, |file| self.steps[file.index()].is_some())?,
            None => Vec::new(),
        };
        let started = Instant::now();
        let part = self.part.take().expect("it is closed once");
        let comments = part.comments;
        let closing = part.close()?;
        let part_folder = closing.folder().to_owned();
        let old = self.old.filter(|_| !gone.is_empty());
        let (taken, links) = std::thread::scope(|scope| {
            let taken = old.map(|old| scope.spawn(|| Taken::new(old, &gone, comments)));
            let links = self.link(&closing, &folders);
            (taken.map(|taken| taken.join().expect("what was indexed once is indexed again")).transpose(), links)
        });
        let (taken, links) = (taken?, links?);
        self.add_outside(&links, &folders);
        let link_seconds = started.elapsed().as_secs_f64();
        let (part, mut meaning) = closing.finish(taken)?;
        measure_vectors(&mut self.documents, self.plan.parts as u32, &part_folder, &meaning)?;
        problems.append(&mut self.problems);
        problems.append(&mut meaning.problems);
        let space = meaning.space.take();
        problems.sort_by(|a, b| (&a.path, &a.reason, &a.detail).cmp(&(&b.path, &b.reason, &b.detail)));
        let truncated = self.old.map_or(0, |old| old.manifest().counts.truncated);
        let counts = Counts {
            files: self.documents.len() as u64,
            entities: self.entities.len() as u64,
            chunks: self.chunks.len() as u64,
            references: self.documents.iter().map(|d| u64::from(d.references)).sum(),
            source_bytes: self.documents.iter().map(|d| d.size).sum(),
            unresolved: links.unresolved.len() as u64,
            calls_outside: links.calls_outside.iter().map(|calls| u64::from(*calls)).sum(),
            problems: problems.len() as u64,
            not_encoded: meaning.missed,
            truncated: truncated + meaning.truncated,
            edges: 0,
        };
        let linked = links.linked;
        let (mut parts, mut files) = self.kept_parts();
        parts.push(part.entry);
        let languages = std::mem::take(&mut self.languages);
        let home = self.home.clone();
        let (edges, mut written) = self.write(links, &parts, &problems)?;
        written.extend(part.files);
        files.extend(checksums::seal(&home, written)?);
        let skipped = problems.iter().filter_map(ProblemRow::skipped_file).collect();
        let counts = Counts { edges, ..counts };
        Ok(Tables { link_seconds, linked, languages, counts, space, skipped, parts, files })
    }

    /// Parts that stay, and their files.
    fn kept_parts(&self) -> (Vec<PartEntry>, BTreeMap<String, WrittenFile>) {
        let Some(old) = self.old else { return Default::default() };
        let parts = old.manifest().parts[..self.plan.parts].to_vec();
        let is_kept = |name: &str| parts.iter().any(|p| name.strip_prefix(&p.name).is_some_and(|n| n.starts_with('/')));
        let kept = old.manifest().files.iter().filter(|(name, _)| is_kept(name));
        let kept = kept.map(|(name, file)| (name.clone(), *file)).collect();
        (parts, kept)
    }

    /// Lays the tables out and writes them in two lanes that need nothing of each other: what can be found, and what the graph tells.
    /// Gives the number of edges.
    fn write(self, links: Links, parts: &[PartEntry], problems: &[ProblemRow]) -> Result<(u64, Written)> {
        let GenerationWriter {
            old,
            plan,
            steps,
            names,
            uses,
            strings,
            mut documents,
            entities,
            chunks,
            attributes,
            ..
        } = self;
        let own_part = parts.last().map_or("", |part| part.name.as_str());
        let of_generation = |name: &str| format!("{}/{name}", self.name);
        let of_part = |name: &str| format!("{own_part}/{name}");
        let docs = docs(parts, &documents);
        let found = || -> Result<Written> {
            let mut tables = TablesWriter::new(&self.home);
            let kept = old.map(|old| {
                let names = old.names();
                names::Kept { maps: &names.maps[..plan.parts], lists: names, moved: entity_moves(old, &steps) }
            });
            let (map, lists) = names.finish(|name| strings.text(name), kept);
            tables.write(of_part(part_path::NAMES), &map)?;
            tables.write(of_generation(path::NAMES), rows(&lists))?;
            let (map, lists) = uses.finish(old.map(|old| {
                let uses = old.uses();
                names::Kept { maps: &uses.maps[..plan.parts], lists: uses, moved: chunk_moves(old, &steps) }
            }));
            tables.write(of_part(part_path::USES), &map)?;
            tables.write(of_generation(path::USES), &lists)?;
            tables.write(of_generation(path::ENTITIES), rows(&entities))?;
            tables.write(of_generation(path::ATTRIBUTES), rows(&attributes))?;
            tables.write(of_generation(path::CHUNKS), rows(&chunks))?;
            tables.write(of_generation(path::DOCS), rows(&docs))?;
            let (strings, slots) = strings.finish();
            // Those of the first part stay with it, and others follow.
            let is_first = plan.parts == 0;
            let place = |first: &str, since: &str| if is_first { of_part(first) } else { of_generation(since) };
            tables.write(place(part_path::STRINGS, path::STRINGS), &strings)?;
            tables.write(place(part_path::SLOTS, path::SLOTS), rows(&slots))?;
            let listed = serde_json::to_vec(problems).expect("problems are plain data");
            tables.write(of_generation(path::PROBLEMS), &listed)?;
            Ok(tables.written)
        };
        let told = || -> Result<(u64, Written)> {
            let mut tables = TablesWriter::new(&self.home);
            let Links { stretches, unresolved, calls_outside, asked, bases, extensions, .. } = links;
            let graph = GraphTables::new(stretches);
            tables.write(of_generation(path::OUT), rows(&graph.out))?;
            tables.write(of_generation(path::EDGES), rows(&graph.edges))?;
            tables.write(of_generation(path::INCOMING), rows(&graph.incoming))?;
            tables.write(of_generation(path::ALIASES), rows(&graph.aliases))?;
            tables.write(of_generation(path::UNRESOLVED), rows(&unresolved))?;
            tables.write(of_generation(path::BASES), rows(&bases))?;
            tables.write(of_generation(path::EXTENSIONS), rows(&extensions))?;
            let mut all_asked = Vec::new();
            for (row, (own, calls)) in documents.iter_mut().zip(asked.iter().zip(calls_outside)) {
                let own = match (own, old) {
                    (Asked::New(own), _) => own,
                    (Asked::Same(id), Some(old)) => old.asked(&old.document_rows().all()[*id as usize]),
                    (Asked::Same(_), None) => &[],
                };
                (row.asked, row.asked_len, row.calls_outside) = (all_asked.len() as u32, own.len() as u32, calls);
                all_asked.extend_from_slice(own);
            }
            tables.write(of_generation(path::ASKED), &all_asked)?;
            count_users(&mut documents, &entities, &graph);
            // Few ask for it, and it takes longer than all the rest of an update.
            if plan.parts == 0 {
                tables.write(of_generation(path::IMPORTANCE), rows(&cds_graph::importance(graph.graph())))?;
            }
            tables.write(of_generation(path::DOCUMENTS), rows(&documents))?;
            Ok((graph.edges.len() as u64, tables.written))
        };
        let (found, told) = rayon::join(found, told);
        let (edges, mut written) = told?;
        written.extend(found?);
        Ok((edges, written))
    }
}

/// Files by path inside the index folder.
type Written = BTreeMap<String, Summed>;

struct TablesWriter<'a> {
    home: &'a Path,
    written: Written,
}

impl<'a> TablesWriter<'a> {
    fn new(home: &'a Path) -> TablesWriter<'a> {
        TablesWriter { home, written: Written::new() }
    }

    fn write(&mut self, name: String, bytes: &[u8]) -> Result<()> {
        let path = self.home.join(&name);
        self.written.insert(name, Summed::of(bytes));
        private_fs::write(&path, bytes).map_err(Error::io(&path))
    }
}

/// What became of the entities of files. Folders and what is outside the tree are made anew.
fn entity_moves(old: &Snapshot, steps: &[Option<Step>]) -> Moves {
    let files = old.document_rows().all().iter().zip(steps).map(|(row, step)| (row.entity, step.map(|s| s.entities)));
    Moves::new(files, old.document_rows().all().last().map_or(0, |row| row.entity + row.entities + 1))
}

fn chunk_moves(old: &Snapshot, steps: &[Option<Step>]) -> Moves {
    let files =
        old.document_rows().all().iter().zip(steps).map(|(row, step)| (row.first_chunk, step.map(|s| s.chunks)));
    Moves::new(files, old.chunk_count() as u32)
}

/// Which chunk each document of each part is, part after part.
fn docs(parts: &[PartEntry], documents: &[DocumentRow]) -> Vec<u32> {
    let mut firsts = Vec::with_capacity(parts.len());
    let mut total = 0;
    for part in parts {
        firsts.push(total);
        total += part.docs as usize;
    }
    let mut docs = vec![NONE; total];
    for document in documents {
        let first = firsts[document.part as usize] + document.doc as usize;
        let chunks = document.first_chunk..document.first_chunk + document.chunks;
        docs[first..].iter_mut().zip(chunks).for_each(|(doc, chunk)| *doc = chunk);
    }
    docs
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

/// Tells each file of a part the length of the sum of its vectors.
fn measure_vectors(documents: &mut [DocumentRow], part: u32, folder: &Path, written: &meaning::Written) -> Result<()> {
    let VectorTables { scales, offsets, .. } = &written.tables;
    let path = folder.join(part_path::VECTORS);
    let codes = Blocks::open(&path, None)?;
    let dimensions = codes.size().checked_div(scales.len() as u64).unwrap_or_default();
    let of_part = documents.par_iter_mut().filter(|d| dimensions > 0 && d.part == part && d.chunks > 0);
    of_part.try_for_each(|document| {
        let own = document.doc as usize..(document.doc + document.chunks) as usize;
        let rows = codes.read(own.start as u64 * dimensions, document.chunks * dimensions as u32);
        let rows = rows.ok_or_else(|| Error::damaged(&path, "it is shorter than it was written"))?;
        let mut sum = vec![0f32; dimensions as usize];
        for (row, scale) in rows.chunks_exact(dimensions as usize).zip(&scales[own.clone()]) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += f32::from(x.cast_signed()) * scale);
        }
        if let Some(space) = &written.space {
            space.add_centre(&mut sum, offsets[own].iter().filter(|offset| !offset.is_absent()).count());
        }
        document.vector_length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        Ok(())
    })
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

fn rows<T: IntoBytes + Immutable>(rows: &[T]) -> &[u8] {
    rows.as_bytes()
}

/// An entity that lies in no file.
fn no_file(kind: &'static str) -> EntityRow {
    EntityRow {
        file: NONE,
        parent: NONE,
        name: NONE,
        scope: NONE,
        chunk: NONE,
        start_line: 0,
        end_line: 0,
        kind: Kind::known(kind).code(),
        flags: flag::PUBLIC,
        depth: 0,
        ordinal: 1,
    }
}

/// Of each entity of a file, which of those with its qualified name it is, from 1 in order of position.
fn ordinals(facts: &FileFacts) -> Vec<u32> {
    // Hashes of qualified names, each continued from that of the name around it (64-bit FNV-1a).
    let add = |hash: u64, text: &str| {
        let bytes = text.bytes().chain([b'.']);
        bytes.fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    let mut names: Vec<u64> = Vec::with_capacity(facts.entities.len());
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    let mut ordinals = Vec::with_capacity(facts.entities.len());
    for entity in &facts.entities {
        let mut name = entity.parent.map_or(0xcbf2_9ce4_8422_2325, |p| names[p as usize]);
        if let Some(scope) = &entity.scope {
            name = add(name, scope);
        }
        name = add(name, &entity.name);
        names.push(name);
        let count = counts.entry(name).or_default();
        *count += 1;
        ordinals.push(*count);
    }
    ordinals
}

fn flags(is_public: bool, is_test: bool) -> u8 {
    (if is_public { flag::PUBLIC } else { 0 }) | (if is_test { flag::TEST } else { 0 })
}

/// The chunk that holds `byte`; of overlapping ones the first.
fn chunk_at(chunks: &[Chunk], byte: u32) -> Option<u32> {
    let at = chunks.partition_point(|c| c.span.end <= byte);
    (at < chunks.len()).then_some(at as u32)
}

/// What of a list in order of position begins in a chunk.
fn within<'a, T>(list: &'a [T], chunk: &Chunk, start: impl Fn(&T) -> u32) -> &'a [T] {
    let from = list.partition_point(|one| start(one) < chunk.span.start);
    let end = list.partition_point(|one| start(one) < chunk.span.end);
    &list[from..end]
}
