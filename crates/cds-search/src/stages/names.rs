//! Entities that bear a name of the query.

use cds_index::{NameMatch, Snapshot};
use cds_model::EntityId;

use super::{Candidates, Stage};
use crate::Result;
use crate::lookup::{LookupOptions, resolve};
use crate::pipeline::Cx;

/// Bearers of one name that are considered.
const MOST: usize = 200;

/// Words shorter than this are no prefix of a name worth trying.
const MIN_PREFIX: usize = 3;

pub(crate) struct Names {
    /// Whether plain words are names too, and prefixes of names; otherwise only what looks like code.
    pub(crate) every_word: bool,
}

impl Stage for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let mut named = Vec::new();
        // A report names much in passing: mentions weigh its names.
        if cx.parsed.report.is_some() && !self.every_word {
            return Ok(());
        }
        for term in &cx.parsed.code_terms {
            let found = resolve(cx.snapshot, term, LookupOptions::default());
            keep(cx, &mut named, found.entities);
        }
        if self.every_word {
            for how in [NameMatch::Exact, NameMatch::PrefixAnyCase] {
                for word in &cx.parsed.keywords {
                    if how == NameMatch::Exact || word.len() >= MIN_PREFIX {
                        keep(cx, &mut named, find(cx.snapshot, word, how));
                    }
                }
            }
        }
        pool.named = named;
        Ok(())
    }
}

fn find(snapshot: &Snapshot, word: &str, how: NameMatch) -> Vec<EntityId> {
    snapshot.find_names(word, how, MOST)
}

/// Those that pass the filter, once each, in the order found. Files and folders are not definitions.
fn keep(cx: &Cx, named: &mut Vec<EntityId>, found: Vec<EntityId>) {
    for id in found {
        let Some(entity) = cx.snapshot.entity(id) else { continue };
        let is_defined = entity.local().is_some();
        let wanted = named.len() < MOST && is_defined && !named.contains(&id);
        if wanted && cx.filter.accepts_entity(cx.snapshot, entity) {
            named.push(id);
        }
    }
}
