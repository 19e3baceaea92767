//! What one hit stands for: files shown by their best chunks, chunks grouped by file, or entities.

use cds_model::{EntityId, Granularity};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;

pub(crate) struct Group;

impl Stage for Group {
    fn name(&self) -> &'static str {
        "group"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        pool.sort();
        let list = std::mem::take(&mut pool.list);
        let file_of = |c: &Candidate| cx.snapshot.chunk(c.chunk).and_then(|v| v.document()).map(|d| d.id.0);
        match cx.query.granularity {
            Granularity::Entity => {
                pool.list = by_entity(cx, list);
                pool.total = pool.list.len();
            }
            granularity => {
                let list = if granularity == Granularity::Chunk { list } else { without_bare_headers(cx, list) };
                let mut order: Vec<u32> = Vec::new();
                let mut files: FxHashMap<u32, Vec<Candidate>> = FxHashMap::default();
                for candidate in list {
                    let Some(file) = file_of(&candidate) else { continue };
                    let group = files.entry(file).or_insert_with(|| {
                        order.push(file);
                        Vec::new()
                    });
                    // A chunk may be here for its words and for a name in it: once is enough.
                    if !group.iter().any(|c| c.chunk == candidate.chunk) {
                        group.push(candidate);
                    }
                }
                if granularity == Granularity::Chunk {
                    let joint = |file: &u32| files[file].iter().map(|c| c.score).sum::<f32>();
                    order.sort_by(|a, b| joint(b).total_cmp(&joint(a)).then(a.cmp(b)));
                    pool.total = pool.matches_by_file.iter().sum::<u32>().max(1) as usize;
                } else {
                    pool.total = pool.matched_files.max(order.len());
                }
                for file in order {
                    let group = files.remove(&file).unwrap_or_default();
                    let matched = pool.matches_by_file.get(file as usize).copied().unwrap_or(0).max(group.len() as u32);
                    let shown = cx.query.chunks_per_file.min(group.len());
                    let more = matched - shown as u32;
                    pool.list.extend(group.into_iter().take(shown).enumerate().map(|(i, mut c)| {
                        c.more_in_file = if i == 0 { more } else { 0 };
                        c
                    }));
                }
            }
        }
        if pool.list.is_empty() {
            pool.total = 0;
        }
        Ok(())
    }
}

/// A line that only begins a definition does not represent its file, unless the query names it or the file has nothing else.
fn without_bare_headers(cx: &Cx, mut list: Vec<Candidate>) -> Vec<Candidate> {
    let is_bare = |c: &Candidate| {
        c.retrieved_by("names").is_none()
            && cx.snapshot.chunk(c.chunk).is_some_and(cds_index::ChunkView::is_bare_header)
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
        let file = || cx.snapshot.chunk(candidate.chunk).and_then(|v| v.document()).map(|d| d.entity());
        let Some(entity) = candidate.entity.or_else(file) else { continue };
        if seen.insert(entity) {
            candidate.entity = Some(entity);
            kept.push(candidate);
        }
    }
    kept
}
