//! Groups candidates into hits: files with their best chunks, chunks by file, or entities. Matching files that are not candidates follow
//! them, so that pages reach every file.

use cds_index::ChunkView;
use cds_model::{ChunkId, EntityId, FileId, Granularity};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::bm25::Scored;
use crate::pipeline::Cx;

pub(crate) struct Group;

impl Stage for Group {
    fn name(&self) -> &'static str {
        "group"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        pool.sort();
        let list = std::mem::take(&mut pool.list);
        let ranked: FxHashSet<FileId> = list.iter().filter_map(|c| cx.snapshot.file_of(c.chunk)).collect();
        let mut files = ranked.len();
        pool.list = match cx.query.granularity {
            Granularity::Entity => by_entity(cx, list),
            granularity => {
                let mut groups = by_file(cx, granularity, list);
                groups.truncate(cx.options.files.unwrap_or(usize::MAX));
                files = groups.len();
                groups.into_iter().flat_map(|group| group.shown(cx, pool)).collect()
            }
        };
        let mut others: Vec<Scored> = std::mem::take(&mut pool.matches.best);
        let is_other = |file: FileId| !ranked.contains(&file) && !pool.left_out.contains(&file);
        others.retain(|scored| cx.snapshot.file_of(scored.chunk).is_some_and(is_other));
        // A match may be due to a related word of a definition that the query does not name: then nothing in the chunk may be shown.
        if cx.query.granularity == Granularity::Entity && !cx.filter.accepts_all() {
            others.retain(|scored| shown_entity(cx, scored.chunk, None).is_some());
        } else if cx.inside.is_asked() {
            others.retain(|scored| !cx.subjects(scored.chunk).is_empty());
        }
        let room = cx.options.files.map_or(usize::MAX, |most| most.saturating_sub(files));
        // Where hits are files the limit counts those.
        let is_by_file = matches!(cx.query.granularity, Granularity::File | Granularity::Document);
        let hits = if is_by_file { files } else { pool.list.len() };
        pool.total = hits + others.len().min(room);
        add_others(cx, pool, others, room.min((cx.wanted() + 1).saturating_sub(hits)));
        Ok(())
    }
}

/// Adds the best of the files that are not among the candidates, by BM25 alone and below all that were ranked.
fn add_others(cx: &Cx, pool: &mut Candidates, mut others: Vec<Scored>, most: usize) {
    if most == 0 || others.is_empty() {
        return;
    }
    let better = |a: &Scored, b: &Scored| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk));
    if others.len() > most {
        others.select_nth_unstable_by(most - 1, better);
        others.truncate(most);
    }
    others.sort_unstable_by(better);
    let best = others[0].score.max(f32::MIN_POSITIVE);
    let last = pool.list.iter().map(|c| c.score).fold(f32::MAX, f32::min);
    let last = if pool.list.is_empty() { 1.0 } else { last };
    for scored in others {
        let entity = cx.subjects(scored.chunk).first().copied().flatten();
        let mut candidate = Candidate::new(scored.chunk, entity);
        candidate.terms = scored.terms;
        candidate.add("bm25", last * (scored.score / best).min(1.0));
        let file = cx.snapshot.file_of(scored.chunk);
        candidate.more_in_file = file.map_or(0, |file| pool.matches.in_file(file).saturating_sub(1));
        if cx.query.granularity == Granularity::Entity {
            candidate.entity = shown_entity(cx, scored.chunk, entity);
        }
        pool.list.push(candidate);
    }
}

/// The entity that represents a chunk where hits are entities: a known one, the first that passes the filters, or its file unless that is in
/// another language than the chunk.
fn shown_entity(cx: &Cx, chunk: ChunkId, known: Option<EntityId>) -> Option<EntityId> {
    let file = || {
        let document = cx.snapshot.chunk(chunk)?.document()?;
        let languages = &cx.query.filters.languages;
        let is_wanted = languages.is_empty() || languages.iter().any(|language| language == document.language());
        is_wanted.then(|| document.entity())
    };
    known.or_else(|| cx.subjects(chunk).first().copied().flatten()).or_else(file)
}

/// The candidates of one file, best first.
struct FileGroup {
    file: FileId,
    chunks: Vec<Candidate>,
}

impl FileGroup {
    /// Each further chunk counts half of the one before: twice the best chunk is the most a file can have, however many match.
    fn score(&self) -> f32 {
        self.chunks.iter().rev().fold(0.0, |sum, candidate| candidate.score + sum / 2.0)
    }

    /// The chunks to show; the first has the number of further matches.
    fn shown(mut self, cx: &Cx, pool: &Candidates) -> Vec<Candidate> {
        let group_score = (cx.query.granularity == Granularity::Chunk).then(|| self.score());
        let matched = pool.matches.in_file(self.file).max(self.chunks.len() as u32);
        self.chunks.truncate(cx.query.chunks_per_file);
        let more = matched - self.chunks.len() as u32;
        for (at, candidate) in self.chunks.iter_mut().enumerate() {
            candidate.more_in_file = if at == 0 { more } else { 0 };
            candidate.group_score = group_score;
        }
        self.chunks
    }
}

/// Candidates by file: files in the order of their best chunk, or of all their chunks where hits are chunks.
fn by_file(cx: &Cx, granularity: Granularity, list: Vec<Candidate>) -> Vec<FileGroup> {
    let by_chunk = granularity == Granularity::Chunk;
    let list = if by_chunk { list } else { without_bare_headers(cx, list) };
    let mut places: FxHashMap<FileId, usize> = FxHashMap::default();
    let mut groups: Vec<FileGroup> = Vec::new();
    for candidate in list {
        let Some(file) = cx.snapshot.file_of(candidate.chunk) else { continue };
        let place = *places.entry(file).or_insert_with(|| {
            groups.push(FileGroup { file, chunks: Vec::new() });
            groups.len() - 1
        });
        // A chunk may be here for its words and for a name in it: once is enough.
        if !groups[place].chunks.iter().any(|c| c.chunk == candidate.chunk) {
            groups[place].chunks.push(candidate);
        }
    }
    if by_chunk {
        groups.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.file.cmp(&b.file)));
    }
    groups
}

/// A line that only begins a definition does not represent its file, unless the query names it or the file has nothing else.
fn without_bare_headers(cx: &Cx, mut list: Vec<Candidate>) -> Vec<Candidate> {
    let is_bare = |c: &Candidate| {
        c.retrieved_by("names").is_none() && cx.snapshot.chunk(c.chunk).is_some_and(ChunkView::is_bare_header)
    };
    let file = |c: &Candidate| cx.snapshot.file_of(c.chunk);
    let others: FxHashSet<_> = list.iter().filter(|c| !is_bare(c)).filter_map(file).collect();
    list.retain(|c| !is_bare(c) || file(c).is_some_and(|file| !others.contains(&file)));
    list
}

/// One hit an entity; chunks that show none stand for their file.
fn by_entity(cx: &Cx, list: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen: FxHashSet<EntityId> = FxHashSet::default();
    let mut kept = Vec::with_capacity(list.len());
    for mut candidate in list {
        let Some(entity) = shown_entity(cx, candidate.chunk, candidate.entity) else { continue };
        if seen.insert(entity) {
            candidate.entity = Some(entity);
            kept.push(candidate);
        }
    }
    kept
}
