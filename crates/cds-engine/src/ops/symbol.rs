//! Entities by name.

use cds_index::Snapshot;
use cds_model::{EntityType, Snippet};
use cds_search::{CompiledFilter, LookupOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Result, checkpoint};
use crate::hydrate::Hydrator;
use crate::request::{Checked, FilterRequest, SNIPPETS, SearchRequest, short_enough};
use crate::response::Hit;

/// A look-up.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SymbolRequest {
    /// A name, a prefix (`Auth*`), a path, a qualified name or an id.
    pub name: String,
    /// Whether case does not count.
    pub ignore_case: bool,
    /// Whether a letter or two may differ.
    pub fuzzy: bool,
    /// What entities must be like.
    #[serde(flatten)]
    pub filters: FilterRequest,
    /// How many; none: the setting's.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: fold.
    #[schemars(extend("pattern" = SNIPPETS))]
    pub snippet: Option<String>,
}

/// What a look-up found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolResponse {
    /// As asked.
    pub name: String,
    /// How many bear it, before the limit.
    pub total: usize,
    /// Declarations first, then, for a type, its members.
    pub hits: Vec<Hit>,
    /// How many bear it and do not pass the filters.
    #[serde(skip_serializing_if = "is_zero")]
    pub filtered_out: usize,
    /// Names near it, when nothing bears it.
    pub suggestions: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Engine {
    /// Finds mistakes in a request without an index.
    pub fn check_symbol(&self, request: &SymbolRequest) -> Result<()> {
        short_enough("name", &request.name)?;
        self.check(&SearchRequest {
            snippet: request.snippet.clone(),
            limit: request.limit,
            filters: request.filters.clone(),
            ..SearchRequest::default()
        })
    }

    /// Looks up a name. A name that nothing bears has no hits, only suggestions.
    pub fn symbol(&self, request: &SymbolRequest) -> Result<SymbolResponse> {
        let as_search = SearchRequest {
            snippet: request.snippet.clone().or_else(|| Some(Snippet::Fold.name().to_owned())),
            limit: request.limit,
            ..SearchRequest::default()
        };
        short_enough("name", &request.name)?;
        let checked = as_search.check(self)?;
        self.limited(|_| {
            let filters = request.filters.check(self)?;
            let filter = CompiledFilter::new(&filters, &self.tools.globs)?;
            self.answer(|snapshot| self.symbol_in(snapshot, request, &checked, &filter))
        })
    }

    fn symbol_in(
        &self,
        snapshot: &Snapshot,
        request: &SymbolRequest,
        checked: &Checked,
        filter: &CompiledFilter,
    ) -> Result<SymbolResponse> {
        let options = LookupOptions { ignore_case: request.ignore_case, fuzzy: request.fuzzy };
        let mut found = cds_search::lookup(snapshot, &request.name, options);
        found.entities.retain(|&id| snapshot.entity(id).is_some_and(|e| e.entity_type() != EntityType::External));
        // The filter comes after the name: a name is never widened to find something that passes.
        let passing: Vec<_> = found
            .entities
            .iter()
            .filter_map(|&id| snapshot.entity(id))
            .filter(|e| filter.accepts_entity(snapshot, *e))
            .collect();
        // Which of them pass is only known when all were asked.
        checkpoint()?;
        let mut hydrator = Hydrator::new(self, snapshot, Vec::new());
        hydrator.levels.clone_from(&checked.snippets);
        let mut hits = Vec::new();
        for entity in passing.iter().take(checked.query.limit) {
            let mut hit = hydrator.entity(*entity, checked.snippet)?;
            hit.rank(1.0, found.how);
            hits.push(hit);
        }
        if found.how == "exact" {
            // A type's members follow it.
            for owner in passing.iter().filter(|e| e.entity_type() == EntityType::Class).take(checked.query.limit) {
                let members = owner
                    .document()
                    .into_iter()
                    .flat_map(cds_index::DocumentView::entities)
                    .filter_map(|id| snapshot.entity(id));
                for member in members.filter(|m| m.parent().is_some_and(|p| p.id == owner.id)) {
                    if hits.len() >= checked.query.limit {
                        break;
                    }
                    if filter.accepts_entity(snapshot, member) {
                        let mut hit = hydrator.entity(member, Snippet::Fold)?;
                        hit.rank(0.5, "member");
                        hits.push(hit);
                    }
                }
            }
        }
        Ok(SymbolResponse {
            name: request.name.clone(),
            total: passing.len(),
            filtered_out: found.entities.len() - passing.len(),
            hits,
            suggestions: if passing.is_empty() { found.suggestions } else { Vec::new() },
        })
    }
}
