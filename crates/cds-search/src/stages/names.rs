//! Entities that bear a name of the query.

use cds_index::{EntityView, NameMatch, Snapshot};
use cds_model::{ChunkId, EntityId, EntityType, Granularity};
use rustc_hash::FxHashSet;

use super::{Candidates, Stage};
use crate::Result;
use crate::lookup::{LookupOptions, resolve};
use crate::pipeline::Cx;

/// Bearers of names that a question may have beside its words.
const MOST: usize = 200;

/// Words shorter than this are no prefix of a name worth trying.
const MIN_PREFIX: usize = 3;

/// How close a name is that differs in case only, and one that goes on: the shorter, the closer.
const ANY_CASE: f32 = 0.999;
const PREFIX: f32 = 0.99;
const SHORTEST: f32 = 0.008;

/// An entity whose name the query has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) id: EntityId,
    /// 1 where the name is spelled as in the query.
    pub(crate) closeness: f32,
}

pub(crate) struct Names {
    /// Whether plain words are names too, and prefixes of names; otherwise only what looks like code.
    pub(crate) every_word: bool,
}

impl Stage for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        // A report names much in passing: mentions weigh its names.
        if cx.parsed.report.is_some() && !self.every_word {
            return Ok(());
        }
        let mut found = Finding { cx, every_word: self.every_word, seen: FxHashSet::default(), named: Vec::new() };
        for term in &cx.parsed.code_terms {
            let own = term.rsplit(['.', ':', '/', '#']).next().unwrap_or(term).trim_end_matches('*');
            found.keep(own, resolve(cx.snapshot, term, LookupOptions::default()).entities);
        }
        if self.every_word {
            for how in [NameMatch::Exact, NameMatch::AnyCase, NameMatch::PrefixAnyCase] {
                for word in &cx.parsed.keywords {
                    let word = as_typed(&cx.query.text, word);
                    if how != NameMatch::PrefixAnyCase || word.len() >= MIN_PREFIX {
                        found.keep(word, cx.snapshot.find_names(word, how, usize::MAX));
                    }
                }
            }
        }
        pool.named = found.named;
        Ok(())
    }
}

struct Finding<'a> {
    cx: &'a Cx<'a>,
    every_word: bool,
    seen: FxHashSet<EntityId>,
    named: Vec<Named>,
}

impl Finding<'_> {
    /// Takes those that pass the filter, once each, in the order found.
    fn keep(&mut self, word: &str, found: Vec<EntityId>) {
        let most = if self.every_word { usize::MAX } else { MOST };
        for id in found {
            let Some(entity) = self.cx.snapshot.entity(id) else { continue };
            let closeness = closeness(word, entity.name());
            let wanted = self.named.len() < most && self.is_meant(entity, closeness);
            let passes = wanted && self.cx.filter.accepts_entity(self.cx.snapshot, entity) && self.shows_names(entity);
            if passes && self.seen.insert(id) {
                self.named.push(Named { id, closeness });
            }
        }
    }

    /// Whether the chunk that is shown defines and uses the requested names. Hits that are entities were checked as a whole.
    fn shows_names(&self, entity: EntityView) -> bool {
        self.cx.query.granularity == Granularity::Entity
            || entity.chunk().is_none_or(|chunk| self.cx.filter.accepts_names(self.cx.snapshot, chunk))
    }

    /// Files and folders are not definitions: they are meant where they are asked for, or named in full among names alone.
    fn is_meant(&self, entity: EntityView, closeness: f32) -> bool {
        let kind = entity.entity_type();
        // A folder is no chunk and no file, and nothing is nested in it.
        let is_shown = kind != EntityType::Directory
            || self.cx.query.granularity == Granularity::Entity && self.cx.query.filters.scope_depth.is_none();
        entity.local().is_some()
            || self.every_word
                && is_shown
                && matches!(kind, EntityType::File | EntityType::Directory)
                && (closeness >= 1.0 || self.cx.query.filters.entity_types.contains(&kind))
    }
}

/// A keyword, which is in lower case, as the query spells it.
fn as_typed<'a>(query: &'a str, keyword: &'a str) -> &'a str {
    let mut words = query.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.find(|word| word.to_lowercase() == keyword).unwrap_or(keyword)
}

fn closeness(word: &str, name: &str) -> f32 {
    if name == word {
        1.0
    } else if name.to_lowercase() == word.to_lowercase() {
        ANY_CASE
    } else if name.len() > word.len() && name.to_lowercase().starts_with(&word.to_lowercase()) {
        PREFIX + SHORTEST * word.len() as f32 / name.len() as f32
    } else {
        // A qualified name, whose last part is another one.
        1.0
    }
}

/// The chunk that shows an entity: its own, or the first one in it.
pub(crate) fn chunk_of(snapshot: &Snapshot, entity: EntityView) -> Option<ChunkId> {
    let first = |path: &str| {
        let below = format!("{path}/");
        let is_below = |document: &cds_index::DocumentView| path.is_empty() || document.path().starts_with(&below);
        snapshot.documents().find(is_below)?.chunks().next()
    };
    entity.chunk().or_else(|| match entity.document() {
        Some(document) => document.chunks().next(),
        None => first(&entity.path()),
    })
}
