//! What a query names: files by their paths, functions and classes by their names, places that a stack went through.

use cds_index::{DocumentView, EntityView, Snapshot};
use cds_model::{EntityId, EntityType, FileId};
use rustc_hash::FxHashMap;
use tantivy::Term;

use super::{Candidates, Stage};
use crate::Result;
use crate::lookup::{LookupOptions, resolve};
use crate::pipeline::Cx;
use crate::query::{Place, QueryKind, Report};

/// A name that more than these bear names nothing.
const MOST_BEARERS: usize = 30;

/// Words of a title that may be its subject.
const SUBJECTS: usize = 12;

/// What a frame says of the rest of its file.
const SAME_FILE: f32 = 0.6;

/// Evidence by what was named.
#[derive(Debug, Default)]
pub(crate) struct Mentioned {
    files: FxHashMap<FileId, f32>,
    entities: FxHashMap<EntityId, f32>,
    subjects: FxHashMap<EntityId, f32>,
    subject_files: FxHashMap<FileId, f32>,
    stems: FxHashMap<FileId, f32>,
    /// By file, the places in it: line, function, weight.
    frames: FxHashMap<FileId, Vec<Place>>,
    /// Whether the query is a place and nothing else: then its line alone is meant.
    is_place: bool,
}

impl Mentioned {
    pub(crate) fn file(&self, document: DocumentView) -> f32 {
        self.files.get(&document.id).copied().unwrap_or(0.0)
    }

    pub(crate) fn stem(&self, document: DocumentView) -> f32 {
        self.stems.get(&document.id).copied().unwrap_or(0.0)
    }

    /// The entity's own name, or that of what it lies in.
    pub(crate) fn entity(&self, entity: Option<EntityView>) -> f32 {
        around(entity).filter_map(|e| self.entities.get(&e.id)).copied().sum::<f32>().min(2.0)
    }

    pub(crate) fn subject(&self, entity: Option<EntityView>, document: DocumentView) -> f32 {
        let named = around(entity).filter_map(|e| self.subjects.get(&e.id)).copied().fold(0.0, f32::max);
        named + self.subject_files.get(&document.id).copied().unwrap_or(0.0)
    }

    /// How sure it is that a stack went through these lines.
    pub(crate) fn frame(&self, entity: Option<EntityView>, document: DocumentView, lines: (u32, u32)) -> f32 {
        let places = self.frames.get(&document.id).map_or(&[][..], Vec::as_slice);
        let here = |place: &Place| {
            let by_line = place.line.is_some_and(|l| lines.0 <= l && l <= lines.1);
            let last = |name: &str| name.rsplit(['.', ':', '#', '>', '\\']).next().map(str::to_owned);
            let function = place.function.as_deref().and_then(last);
            let by_name = function.is_some_and(|f| around(entity).any(|e| e.name() == f));
            let elsewhere = if self.is_place { 0.0 } else { SAME_FILE };
            place.weight * if by_line || by_name { 1.0 } else { elsewhere }
        };
        places.iter().map(here).fold(0.0, f32::max)
    }
}

/// An entity and what it lies in.
fn around(entity: Option<EntityView>) -> impl Iterator<Item = EntityView> {
    std::iter::successors(entity, |e| e.parent().filter(|p| p.local().is_some()))
}

pub(crate) struct Mentions;

impl Stage for Mentions {
    fn name(&self) -> &'static str {
        "mentions"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let mentioned = &mut pool.mentioned;
        mentioned.is_place = cx.parsed.kind == QueryKind::Path;
        add_places(cx.snapshot, &cx.parsed.places, mentioned);
        if let Some(report) = &cx.parsed.report {
            let rarity = Rarity { snapshot: cx.snapshot, total: cx.snapshot.chunk_count() as f32 };
            add_names(&rarity, report, mentioned);
            add_subject(&rarity, report, mentioned)?;
            add_stems(&rarity, report, mentioned)?;
        }
        Ok(())
    }
}

/// Files that the places mean: those whose path ends as the place's does, as far as possible.
fn add_places(snapshot: &Snapshot, places: &[Place], mentioned: &mut Mentioned) {
    for place in places {
        let wanted: Vec<&str> = place.path.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
        let Some(name) = wanted.last() else { continue };
        let shared = |document: DocumentView| {
            let parts = document.path().rsplit('/');
            parts.zip(wanted.iter().rev()).take_while(|(a, b)| a == *b).count()
        };
        let found: Vec<(usize, FileId)> =
            files_named(snapshot, name).map(|d| (shared(d), d.id)).filter(|(n, _)| *n > 0).collect();
        let longest = found.iter().map(|(n, _)| *n).max().unwrap_or(0);
        let files: Vec<FileId> = found.into_iter().filter(|(n, _)| *n == longest).map(|(_, id)| id).collect();
        let share = (files.len() as f32).sqrt();
        for file in files {
            let at = mentioned.files.entry(file).or_default();
            *at = at.max(place.weight / share);
            if place.function.is_some() || place.line.is_some() {
                let place = Place { weight: place.weight / share, ..place.clone() };
                mentioned.frames.entry(file).or_default().push(place);
            }
        }
    }
}

/// Files of this very name.
fn files_named<'a>(snapshot: &'a Snapshot, name: &str) -> impl Iterator<Item = DocumentView<'a>> {
    let found = snapshot.find_names(name, cds_index::NameMatch::Exact, 1000);
    let is_file = |e: &EntityView| e.entity_type() == EntityType::File;
    found.into_iter().filter_map(|id| snapshot.entity(id)).filter(is_file).filter_map(EntityView::document)
}

/// How much an identifier tells by how few chunks have it, from 0 to 1.
struct Rarity<'a> {
    snapshot: &'a Snapshot,
    total: f32,
}

impl Rarity<'_> {
    fn of(&self, name: &str) -> Result<f32> {
        let text: String = name.to_lowercase().chars().filter(|c| *c != '_').collect();
        let mut tokenizer = cds_index::tokenize::Tokenizer::default();
        let term = Term::from_field_text(self.snapshot.fields().content, &tokenizer.stem(&text));
        let having = self.snapshot.doc_freq(&term)? as f32;
        Ok((((self.total + 1.0) / (having + 1.0)).ln() / (self.total + 1.0).ln()).max(0.0).powi(2))
    }
}

fn add_names(rarity: &Rarity, report: &Report, mentioned: &mut Mentioned) {
    for mention in &report.mentions {
        let found = named(rarity.snapshot, &mention.name);
        let share = (found.len() as f32).sqrt();
        for id in found {
            let at = mentioned.entities.entry(id).or_default();
            *at = at.max(mention.weight / share);
        }
    }
}

/// Functions and classes of a name; of a longer one those that its last parts mean.
fn named(snapshot: &Snapshot, name: &str) -> Vec<EntityId> {
    let parts: Vec<&str> = name.split(['.', ':']).filter(|p| !p.is_empty()).collect();
    for from in 0..parts.len() {
        let found = resolve(snapshot, &parts[from..].join("."), LookupOptions::default());
        let defined = |id: &EntityId| snapshot.entity(*id).is_some_and(|e| e.local().is_some() && !e.is_test());
        let found: Vec<EntityId> = found.entities.into_iter().filter(defined).collect();
        if !found.is_empty() {
            return if found.len() <= MOST_BEARERS { found } else { Vec::new() };
        }
    }
    Vec::new()
}

fn add_subject(rarity: &Rarity, report: &Report, mentioned: &mut Mentioned) -> Result<()> {
    let words = report.subject.iter().take(SUBJECTS).enumerate();
    for (at, word) in words {
        let value = rarity.of(word)? / (1.0 + at as f32);
        let found = rarity.snapshot.find_names(word, cds_index::NameMatch::AnyCase, MOST_BEARERS + 1);
        let is_own = |id: &EntityId| rarity.snapshot.entity(*id).is_some_and(|e| e.local().is_some() && !e.is_test());
        let found: Vec<EntityId> = found.into_iter().filter(is_own).collect();
        let share = (found.len() as f32).sqrt();
        for id in found.into_iter().filter(|_| share * share <= MOST_BEARERS as f32) {
            let at = mentioned.subjects.entry(id).or_default();
            *at = at.max(value / share);
        }
        let files = with_stem(rarity.snapshot, word);
        let share = files.len() as f32;
        for file in files {
            let at = mentioned.subject_files.entry(file).or_default();
            *at = at.max(value / share);
        }
    }
    Ok(())
}

fn add_stems(rarity: &Rarity, report: &Report, mentioned: &mut Mentioned) -> Result<()> {
    for (word, weight) in &report.words {
        let files = with_stem(rarity.snapshot, word);
        if files.is_empty() {
            continue;
        }
        let value = weight * rarity.of(word)? / files.len() as f32;
        for file in files {
            let at = mentioned.stems.entry(file).or_default();
            *at = at.max(value);
        }
    }
    Ok(())
}

/// Files whose stem is a word, with or without the `s` of many; a package's file goes by its folder's name.
fn with_stem(snapshot: &Snapshot, word: &str) -> Vec<FileId> {
    let prefix = format!("{}.", word.trim_end_matches('s'));
    let plural = format!("{}s.", word.trim_end_matches('s'));
    let mut files = Vec::new();
    for start in [prefix, plural] {
        for id in snapshot.find_names(&start, cds_index::NameMatch::Prefix, 50) {
            let document =
                snapshot.entity(id).filter(|e| e.entity_type() == EntityType::File).and_then(EntityView::document);
            files.extend(document.map(|d| d.id));
        }
    }
    files.sort_unstable();
    files.dedup();
    files
}
