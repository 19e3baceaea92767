//! What speaks for a file: its name and place, its size, who uses it, how its neighbours match.

use std::collections::BTreeMap;

use cds_index::{DocumentView, Snapshot};
use cds_model::{ChunkId, EntityId, FileId};
use rustc_hash::FxHashMap;

use super::super::{Candidate, Candidates};
use super::words::QueryWords;
use crate::Result;
use crate::pipeline::Cx;
use crate::preset::Weights;
use crate::store::{Embedded, VectorStore};

/// Stems that say nothing: the folder speaks for such a file.
const HOLLOW_STEMS: &[&str] = &["__init__", "all", "index", "init", "mod", "package", "package-info"];

/// Files whose match is passed on to what they use.
const PASSED_ON: usize = 40;

/// Files whose match is weighed for those near them.
const WEIGHED: usize = 200;

/// Best files of a folder that say how well it matches.
const NEIGHBOURS: usize = 5;

/// Levels of folders that tell files apart.
const LEVELS: f32 = 4.0;

/// Lines beyond which a file does not gain.
const LARGE: u32 = 500;

/// Lines in functions that show that a file does something.
const SUBSTANTIAL: u32 = 50;

/// Users that are as good as any more.
const POPULAR: f32 = 1000.0;

/// Evidence for a file, each from 0 to 1 before it is weighted.
#[derive(Default)]
pub(super) struct FileEvidence {
    pub(super) whole_stem: f32,
    pub(super) first_word: f32,
    pub(super) levels: f32,
    pub(super) size: f32,
    pub(super) used: f32,
    pub(super) substance: f32,
    pub(super) near: FileNearness,
    /// Sum of how well the names fit that it defines.
    pub(super) definitions: f32,
    /// Its chunks that match well.
    pub(super) matching: f32,
}

impl FileEvidence {
    pub(super) fn new(cx: &Cx, words: &mut QueryWords, document: DocumentView, near: FileNearness) -> FileEvidence {
        let path = document.path();
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or(path);
        let levels = folders.len() as f32;
        let mut stem = name.split('.').find(|p| !p.is_empty()).unwrap_or(name);
        if HOLLOW_STEMS.contains(&stem)
            && let Some(folder) = folders.pop()
        {
            stem = folder;
        }
        let fit = words.fit(stem);
        FileEvidence {
            whole_stem: if fit.all { fit.rarity } else { 0.0 },
            first_word: words.has(stem, &cx.parsed.first),
            levels,
            size: share(document.lines().min(LARGE) as f32, LARGE as f32),
            used: share(document.users() as f32, POPULAR).min(1.0),
            substance: share(document.function_lines().min(SUBSTANTIAL) as f32, SUBSTANTIAL as f32),
            near,
            definitions: 0.0,
            matching: 0.0,
        }
    }

    /// How few folders it lies in, beside the one that lies in fewest.
    pub(super) fn shallow(&self, fewest: f32) -> f32 {
        1.0 - ((self.levels - fewest) / LEVELS).min(1.0)
    }
}

/// How large a count is beside what is large, by logarithm.
fn share(count: f32, large: f32) -> f32 {
    (1.0 + count).ln() / (1.0 + large).ln()
}

/// How near a file is in meaning; never below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FileNearness {
    /// Mean cosine of its three best chunks; those that it lacks count as zero.
    pub(super) best: f32,
    /// Cosine of the file as a whole: of the sum of its vectors.
    pub(super) whole: f32,
}

impl FileNearness {
    /// How near the files of candidates are to a query's vector.
    pub(super) fn of_files(cx: &Cx, vector: &[f32], list: &[Candidate]) -> Result<FxHashMap<FileId, FileNearness>> {
        let weights = &cx.preset.weights;
        if vector.is_empty() || weights.file_dense + weights.centroid == 0.0 {
            return Ok(FxHashMap::default());
        }
        let mut files: Vec<FileId> = list.iter().filter_map(|c| cx.snapshot.file_of(c.chunk)).collect();
        files.sort_unstable();
        files.dedup();
        let documents: Vec<DocumentView> = files.into_iter().filter_map(|id| cx.snapshot.document(id)).collect();
        let chunks: Vec<ChunkId> = documents.iter().flat_map(|document| document.chunks()).collect();
        let cosines = Embedded::new(cx.snapshot, &cx.query.filters, &cx.tools.globs).cosines(vector, &chunks)?;
        let mut rest = cosines.as_slice();
        let mut near = |document: DocumentView| {
            let (own, others) = rest.split_at(document.chunks().len());
            rest = others;
            (document.id, FileNearness::new(document, own))
        };
        Ok(documents.into_iter().map(&mut near).collect())
    }

    fn new(document: DocumentView, cosines: &[f32]) -> FileNearness {
        let mut best = [0f32; 3];
        let mut sum = 0.0;
        for cosine in cosines {
            let mut cosine = *cosine;
            sum += cosine;
            for place in &mut best {
                if cosine > *place {
                    std::mem::swap(place, &mut cosine);
                }
            }
        }
        let length = document.vector_length();
        let whole = if length > 0.0 { (sum / length).max(0.0) } else { 0.0 };
        FileNearness { best: best.iter().sum::<f32>() / 3.0, whole }
    }
}

/// How well files match that stand near others.
pub(super) struct Neighbours {
    folders: BTreeMap<Option<EntityId>, f32>,
    users: BTreeMap<FileId, f32>,
}

impl Neighbours {
    /// Only what the preset weighs is worked out.
    pub(super) fn new(snapshot: &Snapshot, weights: &Weights, pool: &Candidates) -> Neighbours {
        let best = pool.files.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let mut matched: Vec<(f32, FileId)> =
            pool.files.iter().zip(0..).filter(|(s, _)| **s > 0.0).map(|(s, id)| (*s / best, FileId(id))).collect();
        let better = |a: &(f32, FileId), b: &(f32, FileId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if matched.len() > WEIGHED {
            matched.select_nth_unstable_by(WEIGHED, better);
            matched.truncate(WEIGHED);
        }
        matched.sort_unstable_by(better);
        let folders = if weights.coherence > 0.0 { coherent(snapshot, &matched) } else { BTreeMap::default() };
        let users = if weights.users > 0.0 { passed_on(snapshot, &matched) } else { BTreeMap::default() };
        Neighbours { folders, users }
    }

    /// Mean match of the best files in its folder, as a share of the best folder.
    pub(super) fn coherence(&self, document: DocumentView) -> f32 {
        self.folders.get(&document.folder()).copied().unwrap_or(0.0)
    }

    /// Mean match of the files that use it, as a share of the best.
    pub(super) fn users(&self, document: DocumentView) -> f32 {
        self.users.get(&document.id).copied().unwrap_or(0.0)
    }
}

fn coherent(snapshot: &Snapshot, matched: &[(f32, FileId)]) -> BTreeMap<Option<EntityId>, f32> {
    let mut folders: BTreeMap<Option<EntityId>, (usize, f32)> = BTreeMap::default();
    for (score, file) in matched {
        let Some(document) = snapshot.document(*file) else { continue };
        let (count, sum) = folders.entry(document.folder()).or_default();
        if *count < NEIGHBOURS {
            *count += 1;
            *sum += score;
        }
    }
    normal(folders.into_iter().map(|(folder, (_, sum))| (folder, sum / NEIGHBOURS as f32)).collect())
}

fn passed_on(snapshot: &Snapshot, matched: &[(f32, FileId)]) -> BTreeMap<FileId, f32> {
    let mut users: BTreeMap<FileId, f32> = BTreeMap::default();
    for (score, file) in matched.iter().take(PASSED_ON) {
        for used in snapshot.document(*file).map(DocumentView::uses).unwrap_or_default() {
            *users.entry(used).or_default() += score;
        }
    }
    for (file, sum) in &mut users {
        *sum /= snapshot.document(*file).map_or(1.0, |d| d.users().max(1) as f32);
    }
    normal(users)
}

/// Shares of the largest.
fn normal<K: Ord>(mut values: BTreeMap<K, f32>) -> BTreeMap<K, f32> {
    let most = values.values().copied().fold(f32::MIN_POSITIVE, f32::max);
    for value in values.values_mut() {
        *value /= most;
    }
    values
}

/// Candidates whose files pass on what they have.
const PASSING: usize = 60;

/// How much the best of them have more than the others.
const SHARPNESS: f32 = 0.2;

/// A report speaks of the surface, and what must be mended lies one layer below: files that match pass on their share in equal parts to
/// what they import.
pub(super) fn imported(snapshot: &Snapshot, list: &[Candidate]) -> BTreeMap<FileId, f32> {
    let mut best: Vec<&Candidate> = list.iter().collect();
    best.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
    best.truncate(PASSING);
    let top = best.first().map_or(0.0, |c| c.score);
    let mut shares: BTreeMap<FileId, f32> = BTreeMap::default();
    for candidate in &best {
        if let Some(file) = snapshot.file_of(candidate.chunk) {
            *shares.entry(file).or_default() += ((candidate.score - top) / SHARPNESS).exp();
        }
    }
    let mut received: BTreeMap<FileId, f32> = BTreeMap::default();
    for (file, share) in shares {
        let imports = snapshot.document(file).map(DocumentView::imports).unwrap_or_default();
        for used in &imports {
            *received.entry(*used).or_default() += share / imports.len() as f32;
        }
    }
    for value in received.values_mut() {
        *value = value.sqrt();
    }
    normal(received)
}
