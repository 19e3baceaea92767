//! Search by words and names.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use cds_index::Snapshot;
use cds_model::{CancelToken, Granularity, Snippet, counted};
use cds_search::{Outcome, SearchOptions};

use crate::engine::{Engine, so_far};
use crate::error::{Result, checkpoint};
use crate::hydrate::Hydrator;
use crate::request::{Checked, SearchRequest};
use crate::response::{Hit, ParsedQuery, SearchResponse};
use crate::snippet::MatchedWords;

/// Maximum size of an answer in bytes of code; hits beyond it are shown by their signatures.
pub(super) const MAX_ANSWER: usize = 64 << 20;

/// Estimated tokens of a hit besides its snippet: path, lines, name.
const HIT_TOKENS: usize = 24;

impl Engine {
    /// Finds mistakes in a request without an index.
    pub fn check(&self, request: &SearchRequest) -> Result<()> {
        let checked = request.check(self)?;
        cds_search::CompiledFilter::new(&checked.query.filters, &self.tools.globs)?;
        Ok(())
    }

    /// Answers from the current snapshot. An empty query has an empty answer; doors reject it before.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse> {
        let checked = request.check(self)?;
        self.limited(|_| self.search_checked(request, &checked))
    }

    fn search_checked(&self, request: &SearchRequest, checked: &Checked) -> Result<SearchResponse> {
        self.answer_so_far(|snapshot| {
            let Some(documents) = checked.documents.clone() else {
                return self.search_in(snapshot, request, checked);
            };
            // One budget for both, spent when they are one list.
            let first = Checked { query: documents, offset: 0, max_tokens: 0, documents: None, ..checked.clone() };
            let documents = self.search_in(snapshot, request, &first)?;
            // Chunks that a document shows are left out, and others take their place.
            let shown = documents.hits.iter().map(|document| document.chunks.len()).sum::<usize>();
            let mut chunks = Checked { query: checked.query.clone(), ..first };
            chunks.query.limit = checked.offset + checked.query.limit + shown;
            let response = join(documents, self.search_in(snapshot, request, &chunks)?, checked);
            Ok(response)
        })
    }

    fn search_in(&self, snapshot: &Snapshot, request: &SearchRequest, checked: &Checked) -> Result<SearchResponse> {
        let options = self.search_options(request, checked);
        let outcome = cds_search::search(snapshot, &checked.query, &options, &self.tools)?;
        self.respond(snapshot, request, checked, outcome)
    }

    /// What is not part of the question itself.
    pub(super) fn search_options(&self, request: &SearchRequest, checked: &Checked) -> SearchOptions {
        SearchOptions {
            upper_threshold: Some(checked.upper_threshold),
            // The whole operation has one; see `Engine::limited`.
            time_limit: None,
            offset: checked.offset,
            set: checked.set.clone(),
            no_bm25: request.no_bm25,
            rerank_limit: Some(Duration::from_millis(self.config().number("search.rerank_limit_ms"))),
            min_similarity: checked.min_similarity,
            files: checked.files,
            project: project_names(self.root()),
            depth: request.depth,
            mmr: checked.mmr,
        }
    }

    /// Reads the text of what was found and makes the answer of it.
    pub(crate) fn respond(
        &self,
        snapshot: &Snapshot,
        request: &SearchRequest,
        checked: &Checked,
        outcome: Outcome,
    ) -> Result<SearchResponse> {
        let started = Instant::now();
        let mut hydrator = Hydrator::new(self, snapshot, outcome.terms.clone());
        hydrator.levels.clone_from(&checked.snippets);
        let parsed = &outcome.parsed;
        let is_prefix = |word: &str| parsed.terms.iter().any(|term| term.is_prefix && term.text == word);
        hydrator.matched = Some(MatchedWords::new(&parsed.keywords, is_prefix));
        let hits = hydrate(snapshot, &mut hydrator, checked, &outcome)?;
        // What is remembered below must not come from damaged rows.
        snapshot.damage()?;
        let mut response = SearchResponse {
            query: request.query.clone(),
            parsed_query: ParsedQuery::of(&request.query, &outcome.parsed),
            total: outcome.total,
            total_is_lower_bound: outcome.total_is_lower_bound,
            partial: outcome.partial,
            warnings: checked.warnings.iter().cloned().chain(outcome.warnings).collect(),
            timings_ms: outcome.timings.into_iter().collect(),
            hits,
            follow_ups: Vec::new(),
            next_cursor: None,
        };
        response.follow_ups = self.follow_ups.of(&response);
        if response.parsed_query.kind == "regex" {
            response.warnings.push(
                "the query looks like a regular expression: its words were searched, `cds grep` searches by it"
                    .to_owned(),
            );
        }
        if request.query.chars().count() > cds_search::MAX_QUERY {
            response
                .warnings
                .push(format!("only the first {} characters of the query were read", cds_search::MAX_QUERY));
        }
        let found = response.hits.len();
        fit_budget(&mut response, checked);
        // Pages count hits, or files where a hit stands for one.
        let counted = matches!(checked.query.granularity, Granularity::Chunk | Granularity::Entity);
        let files = response.hits.iter().map(|h| &h.path).collect::<BTreeSet<_>>().len();
        let seen = if counted { response.hits.len() } else { files };
        if seen > 0 && (outcome.more || response.hits.len() < found) {
            response.next_cursor = Some((checked.offset + seen).to_string());
        }
        let stale = response.hits.iter().filter(|h| h.stale).count();
        if stale > 0 {
            let are = if stale == 1 { "is from a file" } else { "are from files" };
            response.warnings.push(format!("{stale} of the hits {are} that changed since: run `cds index`"));
        }
        if outcome.timed_out {
            response.warnings.push(
                "time ran out, so hits may be missing: narrow it with filters or raise search.time_limit_ms".to_owned(),
            );
        }
        response.warnings.extend(self.missed());
        if let Some(so_far) = so_far(snapshot) {
            response.partial = true;
            response.warnings.push(so_far);
        }
        response.timings_ms.insert("hydrate", started.elapsed().as_secs_f64() * 1e3);
        Ok(response)
    }
}

/// Documents stand before chunks, which are those that no document shows. Later pages have chunks alone.
fn join(documents: SearchResponse, mut response: SearchResponse, checked: &Checked) -> SearchResponse {
    let chunks_of_documents = documents.hits.iter().flat_map(|document| &document.chunks);
    let shown: BTreeSet<String> = chunks_of_documents.map(|chunk| chunk.chunk_id.clone()).collect();
    let (offset, limit) = (checked.offset, checked.query.limit);
    let mut chunks = std::mem::take(&mut response.hits);
    chunks.retain(|chunk| !shown.contains(&chunk.chunk_id));
    let has_more = response.next_cursor.is_some() || chunks.len() > offset + limit;
    // What documents show is among the chunks, on this page or a later one.
    response.total = response.total.saturating_sub(shown.len()) + documents.hits.len();
    response.total_is_lower_bound |= documents.total_is_lower_bound;
    response.partial |= documents.partial;
    for warning in documents.warnings {
        if !response.warnings.contains(&warning) {
            response.warnings.push(warning);
        }
    }
    if offset == 0 {
        response.hits = documents.hits;
    }
    let first = response.hits.len();
    response.hits.extend(chunks.into_iter().skip(offset).take(limit));
    fit_budget(&mut response, checked);
    // Pages count chunks.
    let seen = response.hits.len().saturating_sub(first);
    response.next_cursor = (has_more && seen > 0).then(|| (offset + seen).to_string());
    response
}

fn hydrate(snapshot: &Snapshot, hydrator: &mut Hydrator, checked: &Checked, outcome: &Outcome) -> Result<Vec<Hit>> {
    let by_entity = checked.query.granularity == Granularity::Entity;
    let mut hits: Vec<Hit> = Vec::with_capacity(outcome.hits.len());
    hydrator.preload(outcome.hits.iter().filter_map(|found| snapshot.file_of(found.chunk)));
    let mut bytes = 0;
    for found in &outcome.hits {
        if CancelToken::current().is_abandoned() {
            checkpoint()?;
        }
        let entity = found.entity.and_then(|id| snapshot.entity(id));
        let snippet = if bytes > MAX_ANSWER { Snippet::Fold } else { checked.snippet };
        if bytes > MAX_ANSWER {
            hydrator.levels.clear();
        }
        let mut hit = match entity.filter(|_| by_entity) {
            Some(entity) => hydrator.entity(entity, snippet)?,
            None => hydrator.chunk(found.chunk, entity, snippet)?,
        };
        bytes += hit.snippet.len() + hit.snippets.values().map(String::len).sum::<usize>();
        hit.rank(found.score, found.match_type.name());
        hit.scores = found.retrieved.iter().map(|(name, score, _)| (*name, *score)).collect();
        hit.ranks = found.retrieved.iter().map(|(name, _, rank)| (*name, *rank)).collect();
        hit.scores.extend(found.rrf.map(|rrf| ("rrf", rrf)));
        hit.signals.clone_from(&found.signals);
        // Evidence commutes up to the first multiplier only.
        let evidence = hit.signals.iter().position(|signal| signal.multiplies).unwrap_or(hit.signals.len());
        hit.signals[..evidence].sort_by(|a, b| b.value.total_cmp(&a.value));
        hit.more_in_file = found.more_in_file;
        hit.group_score = found.group_score;
        hit.hop_depth = found.hop_depth;
        hits.push(hit);
    }
    if checked.query.granularity == Granularity::Document {
        return documents(snapshot, hydrator, hits);
    }
    Ok(hits)
}

/// Chunks of one file after another to one document each.
fn documents(snapshot: &Snapshot, hydrator: &mut Hydrator, chunks: Vec<Hit>) -> Result<Vec<Hit>> {
    let mut documents: Vec<Hit> = Vec::new();
    for mut chunk in chunks {
        // Said once, of the document.
        let more_in_file = std::mem::take(&mut chunk.more_in_file);
        if let Some(last) = documents.last_mut().filter(|d| d.path == chunk.path) {
            last.chunks.push(chunk);
            continue;
        }
        let Some(document) = snapshot.document_at(&chunk.path) else { continue };
        let Some(entity) = snapshot.entity(document.entity()) else { continue };
        let mut hit = hydrator.entity(entity, Snippet::Fold)?;
        hit.snippets.clear();
        let languages = hydrator.load(document.id)?.languages().to_vec();
        hit.snippet = String::new();
        hit.highlights = Vec::new();
        hit.score = chunk.score;
        hit.relevance_percent = chunk.relevance_percent;
        hit.match_type = chunk.match_type;
        hit.more_in_file = more_in_file;
        hit.chunk_count = Some(document.chunks().len() as u32);
        hit.primary_language = languages.first().map(|l| l.language.to_string());
        hit.languages = languages.into_iter().map(|l| l.language.to_string()).collect();
        hit.size = Some(document.size());
        hit.last_modified = Some(document.modified_ns() / 1_000_000_000);
        hit.chunks.push(chunk);
        documents.push(hit);
    }
    Ok(documents)
}

/// Fills the budget best first. A hit that does not fit is shown by its signature; when even that is too much, it and
/// what follows are left out, and the answer says so.
fn fit_budget(response: &mut SearchResponse, checked: &Checked) {
    if checked.max_tokens == 0 {
        return;
    }
    let cost = |hit: &Hit| HIT_TOKENS + text_tokens(hit);
    let whole_cost = |hit: &Hit| cost(hit) + hit.chunks.iter().map(cost).sum::<usize>();
    let wanted: usize = response.hits.iter().map(whole_cost).sum();
    let mut left = checked.max_tokens;
    let mut kept = 0;
    let mut folded = 0;
    for hit in &mut response.hits {
        if whole_cost(hit) > left {
            hit.chunks.truncate(1);
            fold(hit);
            hit.chunks.iter_mut().for_each(fold);
            folded += 1;
        }
        // The first is shown whatever it costs: "nothing" would be a lie.
        if whole_cost(hit) > left && kept > 0 {
            folded -= 1;
            break;
        }
        left = left.saturating_sub(whole_cost(hit));
        kept += 1;
    }
    let dropped = response.hits.len() - kept;
    response.hits.truncate(kept);
    if dropped + folded > 0 {
        response.warnings.push(format!(
            "max_tokens {}: {} left out, {folded} cut to one line; all need about {}, or go on with the cursor",
            checked.max_tokens,
            counted(dropped, "hit"),
            counted(wanted, "token")
        ));
    }
}

/// Estimated tokens of what a hit shows of its text.
pub(super) fn text_tokens(hit: &Hit) -> usize {
    let texts = std::iter::once(&hit.snippet).chain(hit.snippets.values());
    texts.map(|text| cds_model::estimate_tokens(text) as usize).sum()
}

/// Cuts a hit to its signature, or to its first line when it has none.
pub(super) fn fold(hit: &mut Hit) {
    let lines = (hit.snippet_line..).zip(hit.snippet.lines());
    let first = lines.into_iter().find(|(_, line)| !line.trim().is_empty()).unwrap_or((hit.snippet_line, ""));
    let signature = hit.signature.as_deref().filter(|text| !text.is_empty() && !hit.snippet.is_empty());
    let (line, text) = signature.map_or(first, |text| (hit.signature_line, text));
    (hit.snippet_line, hit.snippet) = (line, text.chars().take(200).collect());
    hit.snippets.clear();
    hit.highlights.clear();
}

/// Folders that hold code and say nothing of whose.
const NAMELESS: &[&str] = &["app", "code", "core", "include", "lib", "main", "packages", "source", "sources", "src"];

/// What a project is called: its folder, or the nearest above that has a name of its own.
fn project_names(root: &Path) -> Vec<String> {
    let folders = root.ancestors().filter_map(|f| f.file_name()).map(|f| f.to_string_lossy().to_lowercase());
    folders.filter(|f| !NAMELESS.contains(&f.as_str())).take(1).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Config, Engine, Hooks, SearchRequest};

    #[test]
    fn s2_an_empty_query_has_an_empty_answer() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.txt"), "some words").unwrap();
        let engine = Engine::open(dir.path(), Config::default()).unwrap();
        engine.ensure_indexed(&Hooks::default()).unwrap();
        let check = |query: &str, hits: usize| {
            let response =
                engine.search(&SearchRequest { query: query.to_owned(), ..SearchRequest::default() }).unwrap();
            assert_eq!((response.hits.len(), response.total), (hits, hits), "{query:?}");
            assert_eq!((response.next_cursor, response.warnings.len()), (None, 0), "{query:?}");
        };
        check("", 0);
        check(" \t", 0);
        check("words", 1);
    }

    /// Some words of a ledger, the same for the same number.
    fn program(number: usize, functions: usize) -> String {
        const WORDS: [&str; 9] = ["ledger", "balance", "account", "open", "close", "entry", "total", "sum", "ledgers"];
        let word = |i: usize| WORDS[(i * i + 3 * number + i / 4) % WORDS.len()];
        let function = |i: usize| {
            let (a, b, c) = (word(i), word(i + 1), word(i + number));
            format!(
                "def {a}_{b}_{i}({c}):\n    \"\"\"The {b} of a {c} {a}.\"\"\"\n    return {c} + {}({b})\n\n\n",
                word(i + 2)
            )
        };
        (0..functions).map(function).collect()
    }

    #[test]
    fn scores_do_not_depend_on_how_files_lie_in_parts() {
        let (whole, updated) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let open = |dir: &tempfile::TempDir| Engine::open(dir.path(), Config::default()).unwrap();
        let engine = open(&updated);
        // Each is large enough for a part of its own, and small enough to leave the one before alone.
        let files =
            [("most.py", 700), ("ledger/much.py", 240), ("account/some.py", 80), ("few.py", 27), ("least.py", 9)];
        for (number, (name, functions)) in files.into_iter().enumerate() {
            for dir in [&whole, &updated] {
                std::fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
                std::fs::write(dir.path().join(name), program(number, functions)).unwrap();
            }
            // A file that is read within the grain of the clock is written again by the next update, and with it its part.
            std::thread::sleep(std::time::Duration::from_millis(40));
            engine.ensure_indexed(&Hooks::default()).unwrap();
        }
        let clean = open(&whole);
        clean.ensure_indexed(&Hooks::default()).unwrap();
        let parts = |engine: &Engine| engine.snapshot().unwrap().part_count();
        assert!(parts(&clean) == 1 && parts(&engine) > 2, "{} and {} parts", parts(&clean), parts(&engine));
        for query in ["how is the ledger balanced", "open account", "ledg*", "sum of entries", "close total balance"] {
            let request = SearchRequest { query: query.to_owned(), limit: Some(50), ..SearchRequest::default() };
            let answer = |engine: &Engine| {
                let hits = engine.search(&request).unwrap().hits;
                let hit =
                    |hit: &crate::Hit| format!("{} {} {:?} {:?}", hit.path, hit.start_line, hit.scores, hit.signals);
                hits.iter().map(hit).collect::<Vec<String>>()
            };
            assert_eq!(answer(&engine), answer(&clean), "{query}");
        }
    }
}
