//! Code by id: entities, files, line ranges.

use cds_index::{DocumentView, EntityView, Snapshot};
use cds_model::counted;
use cds_search::LookupOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Result, checkpoint};
use crate::hydrate::{Hydrator, damaged};
use crate::request::{Checked, SNIPPETS, SearchRequest, between, one_or_many, short_enough};
use crate::response::Hit;

/// Ids to fetch.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetrieveRequest {
    /// `path:Outer.inner`, `path`, `path:42`, `path:10-20`, or a name that only one entity bears.
    #[serde(deserialize_with = "one_or_many")]
    pub ids: Vec<String>,
    /// `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: full.
    #[schemars(extend("pattern" = SNIPPETS))]
    pub snippet: Option<String>,
    /// Budget in estimated tokens; 0 or none: no budget.
    pub max_tokens: Option<usize>,
}

/// What was fetched.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RetrieveResponse {
    /// In the order asked.
    pub hits: Vec<Hit>,
    /// Ids that were not.
    pub missing: Vec<RetrieveMiss>,
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// An id that names nothing, or too much.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RetrieveMiss {
    /// As asked.
    pub id: String,
    /// Why it is missing.
    pub reason: String,
    /// Ids that may be meant.
    pub candidates: Vec<String>,
}

/// One id, resolved.
enum Retrieved {
    /// It is here; a type and what extends it in the same file share an id.
    Hits(Vec<Hit>),
    /// It is not.
    Miss(RetrieveMiss),
}

/// Candidates named when an id is ambiguous.
const MAX_CANDIDATES: usize = 10;

/// Budget of an answer where the request sets none, in estimated tokens.
const MAX_TOKENS: usize = super::search::MAX_ANSWER / 4;

/// Ids in one request.
const MAX_IDS: usize = 10_000;

impl Engine {
    /// Fetches code by id. An ambiguous or unknown id never answers for another: it comes back in `missing`.
    pub fn retrieve(&self, request: &RetrieveRequest) -> Result<RetrieveResponse> {
        let as_search = SearchRequest {
            snippet: request.snippet.clone().or_else(|| Some("full".to_owned())),
            max_tokens: request.max_tokens,
            ..SearchRequest::default()
        };
        let checked = as_search.check(self)?;
        between("the number of ids", request.ids.len(), 0, MAX_IDS)?;
        request.ids.iter().try_for_each(|id| short_enough("id", id))?;
        self.limited(|_| self.answer(|snapshot| self.retrieve_in(snapshot, request, &checked)))
    }

    fn retrieve_in(
        &self,
        snapshot: &Snapshot,
        request: &RetrieveRequest,
        checked: &Checked,
    ) -> Result<RetrieveResponse> {
        let mut hydrator = Hydrator::new(self, snapshot, Vec::new());
        hydrator.levels.clone_from(&checked.snippets);
        let mut response = RetrieveResponse { hits: Vec::new(), missing: Vec::new(), warnings: Vec::new() };
        let mut left = if checked.max_tokens == 0 { MAX_TOKENS } else { checked.max_tokens.min(MAX_TOKENS) };
        for id in &request.ids {
            checkpoint()?;
            match resolve(snapshot, &mut hydrator, id, checked.snippet)? {
                Retrieved::Miss(miss) => response.missing.push(miss),
                Retrieved::Hits(hits) => {
                    for mut hit in hits {
                        let cost = |hit: &Hit| super::search::text_tokens(hit);
                        let whole = cost(&hit);
                        if whole > left {
                            super::search::fold(&mut hit);
                            // The first is shown whatever it costs: "nothing" would be a lie.
                            let is_shown = cost(&hit) <= left || response.hits.is_empty();
                            let becomes = if is_shown { "cut to one line" } else { "left out" };
                            let needed = counted(whole, "token");
                            response.warnings.push(format!(
                                "max_tokens: {} needs about {needed}, {left} left, and is {becomes}",
                                hit.id
                            ));
                            if !is_shown {
                                continue;
                            }
                        }
                        left = left.saturating_sub(cost(&hit));
                        response.hits.push(hit);
                    }
                }
            }
        }
        Ok(response)
    }
}

fn resolve(snapshot: &Snapshot, hydrator: &mut Hydrator, id: &str, snippet: cds_model::Snippet) -> Result<Retrieved> {
    if let Some((document, from, to)) = line_range(snapshot, id) {
        let entity = snapshot.entity(document.entity()).ok_or_else(|| damaged("the entity of a file"))?;
        let lines = document.lines().max(1);
        if to < from {
            return Ok(miss(id, "its last line stands before its first"));
        }
        if from == 0 || from > lines {
            return Ok(miss(id, &format!("{} has {}", document.path(), counted(lines as usize, "line"))));
        }
        let mut hit = hydrator.entity(entity, snippet)?;
        let file = hydrator.load(document.id)?;
        let to = to.min(lines);
        let shown: Vec<&str> = file.text.lines().skip(from as usize - 1).take((to - from + 1) as usize).collect();
        hit.id = format!("{}:{from}-{to}", hit.path);
        (hit.start_line, hit.end_line, hit.snippet_line) = (from, to, from);
        hit.kind = "block";
        hit.doc_comment = None;
        hit.snippet = shown.join("\n");
        hydrator.show_levels(&mut hit, &shown, from, None);
        let bytes =
            |lines: u32| file.text.split_inclusive('\n').take(lines as usize).map(str::len).sum::<usize>() as u32;
        (hit.start_byte, hit.end_byte) = (file.offset_on_disk(bytes(from - 1)), file.offset_on_disk(bytes(to)));
        hit.token_count = cds_model::estimate_tokens(&hit.snippet);
        return Ok(Retrieved::Hits(vec![hit]));
    }
    let found = cds_search::lookup(snapshot, id, LookupOptions::default());
    let entities: Vec<EntityView> = found.entities.iter().filter_map(|&e| snapshot.entity(e)).collect();
    let share_an_id = entities.iter().all(|e| e.shared_key() == entities[0].shared_key());
    if entities.is_empty() {
        let hint = if found.suggestions.is_empty() { " (`cds symbol` and `cds outline` list ids)" } else { "" };
        let reason = format!("nothing in the index has this id or name{hint}");
        return Ok(Retrieved::Miss(RetrieveMiss { id: id.to_owned(), reason, candidates: found.suggestions }));
    }
    if share_an_id {
        let hits = entities.into_iter().map(|e| hydrator.entity(e, snippet));
        return Ok(Retrieved::Hits(hits.collect::<Result<_>>()?));
    }
    let mut candidates: Vec<String> = entities.iter().map(|e| e.shared_key()).collect();
    candidates.dedup();
    candidates.truncate(MAX_CANDIDATES);
    let reason = format!("{} entities have this name: use one of their ids", entities.len());
    Ok(Retrieved::Miss(RetrieveMiss { id: id.to_owned(), reason, candidates }))
}

fn miss(id: &str, reason: &str) -> Retrieved {
    Retrieved::Miss(RetrieveMiss { id: id.to_owned(), reason: reason.to_owned(), candidates: Vec::new() })
}

/// `path:42` and `path:10-20`.
pub(super) fn line_range<'a>(snapshot: &'a Snapshot, id: &str) -> Option<(DocumentView<'a>, u32, u32)> {
    let (path, lines) = id.rsplit_once(':')?;
    let document = snapshot.document_at(path.trim_start_matches("./"))?;
    let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
    Some((document, from.parse().ok()?, to.parse().ok()?))
}
