//! BM25 over the text index's postings, with k1, b and field weights from the preset. Fields are joined before
//! saturation (BM25F): a word in the name and in the text is one word said twice, not two.

use std::cell::Cell;

use cds_index::tokenize::Tokenizer;
use cds_index::{FileColumns, Places, Snapshot, TextSegment};
use cds_model::{CancelToken, ChunkId, FileId};
use rayon::prelude::*;
use regex::bytes::{Regex, RegexBuilder};
use rustc_hash::FxHashSet;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::Result;
use crate::filter::CompiledFilter;
use crate::pipeline::{Asked, Cx};
use crate::preset::Preset;
use crate::query::ParsedQuery;
use crate::workers::workers;

/// Chunks that go on to the signals. Files beyond cannot win: their best chunk is that far down.
const POOL: usize = 700;

/// The same of reports, which have something in common with every chunk.
const REPORT_POOL: usize = 1_500;

/// What other words for a word count, where the index does not have it.
const STAND_IN: f32 = 0.3;

/// Saturation of repeated words in files.
const FILE_K1: f32 = 2.0;

/// How many terms a prefix may stand for.
const MAX_EXPANSIONS: usize = 64;

/// Bytes of the expression that finds texts in which a phrase may stand.
const MAX_HINT: usize = 1 << 20;

/// What makes a word of a prefix, so that its stem is known.
const ENDINGS: &[&str] = &["", "e", "ed", "er", "ing", "ion", "or", "s"];

/// A chunk that matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub(crate) chunk: ChunkId,
    pub(crate) score: f32,
    /// Which of the query's terms it has, the first 32 of them.
    pub(crate) terms: u32,
}

/// A term of the query as the index knows it.
pub(crate) struct IndexedTerm {
    /// Its spellings: one, or what a prefix stands for.
    pub(crate) texts: Vec<String>,
    /// The query's weight times how rare it is.
    pub(crate) weight: f32,
    /// The query's weight alone.
    pub(crate) query_weight: f32,
}

/// Every file that has a chunk with a term of the query, whether or not the chunk is among the best.
#[derive(Default)]
pub(crate) struct Matches {
    /// How many chunks of each file, by its number.
    by_file: Vec<u32>,
    /// The best chunk of each of these files.
    pub(crate) best: Vec<Scored>,
}

impl Matches {
    /// How many chunks of a file matched.
    pub(crate) fn in_file(&self, file: FileId) -> u32 {
        self.by_file.get(file.index()).copied().unwrap_or(0)
    }
}

/// What BM25 found.
pub(crate) struct Ranking {
    /// The best, best first; ties in order of position.
    pub(crate) chunks: Vec<Scored>,
    /// The query's terms, in its order.
    pub(crate) terms: Vec<IndexedTerm>,
    /// Whether time ran out.
    pub(crate) partial: bool,
    /// All files with a chunk that matched.
    pub(crate) matches: Matches,
    /// BM25 of each file as a whole, where the preset asks for it.
    pub(crate) files: Vec<f32>,
}

/// The best of all chunks that have a term of the query and pass the filter.
pub(crate) fn rank(cx: &Cx) -> Result<Ranking> {
    let Asked { snapshot, parsed: query, preset, .. } = cx.asked;
    let cancel = CancelToken::current();
    let filter = cx.filter;
    let fields = weighted_fields(snapshot, preset);
    let terms = index_terms(snapshot, query, &fields)?;
    let mut scorer = Scorer { preset, fields: &fields, terms: &terms, averages: averages(snapshot, &fields)? };
    let mut chunks = Best::new(if query.report.is_some() { REPORT_POOL } else { POOL });
    let mut by_file = vec![0u32; snapshot.file_count()];
    // The place in `best` of each file that has one.
    let mut places_of_best = vec![0u32; by_file.len()];
    let mut best: Vec<Scored> = Vec::new();
    let mut partial = false;
    let mut files = FileScorer::new(cx, terms.len());
    let mut places = snapshot.columns().places();
    for segment in snapshot.text_segments() {
        if cancel.is_cancelled() {
            partial = true;
            break;
        }
        let required = required(snapshot, &segment, query, filter)?;
        scorer.segment(&segment, &cancel, files.as_mut(), |doc, score, mask| {
            let Some(chunk) = segment.chunk(doc) else { return };
            let allowed = required.iter().all(|set| set.contains(doc));
            if allowed && (filter.accepts(snapshot, chunk) || !cx.inside.of(chunk).is_empty()) {
                let scored = Scored { chunk, score, terms: mask };
                chunks.push(scored);
                let file = places.file(chunk).index();
                if let Some((count, place)) = by_file.get_mut(file).zip(places_of_best.get_mut(file)) {
                    if *count == 0 {
                        *place = best.len() as u32;
                        best.push(scored);
                    } else if Best::better(&scored, &best[*place as usize]).is_lt() {
                        best[*place as usize] = scored;
                    }
                    *count += 1;
                }
            }
        })?;
    }
    let chunks = chunks.into_list();
    let matches = Matches { by_file, best };
    let files = files.map(|files| files.finish(&terms)).unwrap_or_default();
    Ok(Ranking { chunks, terms, partial, matches, files })
}

/// The best so far, found in one pass.
struct Best {
    most: usize,
    /// Nothing below it gets in.
    least: f32,
    list: Vec<Scored>,
}

impl Best {
    fn new(most: usize) -> Best {
        Best { most, least: f32::MIN, list: Vec::new() }
    }

    fn push(&mut self, scored: Scored) {
        if scored.score < self.least {
            return;
        }
        self.list.push(scored);
        // Cut when four times as many are there: cheaper than keeping order.
        if self.list.len() >= 4 * self.most {
            self.cut();
        }
    }

    fn better(a: &Scored, b: &Scored) -> std::cmp::Ordering {
        b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk))
    }

    fn cut(&mut self) {
        if self.list.len() > self.most {
            self.list.select_nth_unstable_by(self.most - 1, Self::better);
            self.list.truncate(self.most);
            self.least = self.list[self.most - 1].score;
        }
    }

    /// Best first; equal ones by chunk.
    fn into_list(mut self) -> Vec<Scored> {
        self.cut();
        self.list.sort_unstable_by(Self::better);
        self.list
    }
}

impl Ranking {
    /// What a retriever hands over to a mixture: the best chunks, and the best chunk of each of the best files.
    pub(crate) fn candidates(&self, most: usize) -> Vec<Scored> {
        let mut best = self.matches.best.clone();
        if best.len() > most {
            best.select_nth_unstable_by(most, Best::better);
            best.truncate(most);
        }
        let mut list: Vec<Scored> = self.chunks.iter().take(most).copied().collect();
        let known: FxHashSet<ChunkId> = list.iter().map(|scored| scored.chunk).collect();
        list.extend(best.into_iter().filter(|scored| !known.contains(&scored.chunk)));
        list.sort_unstable_by(Best::better);
        list
    }
}

fn weighted_fields(snapshot: &Snapshot, preset: &Preset) -> Vec<(Field, f32)> {
    let fields = snapshot.fields();
    let weights = preset.fields;
    let all = [
        (fields.content, weights.content),
        (fields.symbols, weights.symbols),
        (fields.signature, weights.signature),
        (fields.doc, weights.doc),
        (fields.path, weights.path),
    ];
    all.into_iter().filter(|(_, w)| *w > 0.0).collect()
}

/// How much a term tells by how few have it.
fn rarity(total: f32, having: f32) -> f32 {
    (1.0 + (total - having + 0.5) / (having + 0.5)).ln()
}

/// Looks up which spellings exist and how rare they are.
fn index_terms(snapshot: &Snapshot, query: &ParsedQuery, fields: &[(Field, f32)]) -> Result<Vec<IndexedTerm>> {
    let total = snapshot.chunk_count() as f32;
    let mut terms = Vec::with_capacity(query.terms.len());
    for term in &query.terms {
        let texts = if term.is_prefix { expand(snapshot, &term.text)? } else { vec![term.text.clone()] };
        let mut frequency = 0u64;
        for text in &texts {
            let mut of_text = 0;
            for (field, _) in fields {
                of_text = of_text.max(snapshot.doc_freq(&Term::from_field_text(*field, text))?);
            }
            frequency += of_text;
        }
        let mut frequency = (frequency as f32).min(total);
        let mut texts = texts;
        let mut weight = term.weight;
        // Other words stand in for one that nothing has; where something has it they would only push it down.
        if frequency == 0.0 && !term.others.is_empty() {
            texts = term.others.clone();
            weight *= STAND_IN;
            let content = snapshot.fields().content;
            for text in &texts {
                frequency += snapshot.doc_freq(&Term::from_field_text(content, text))? as f32;
            }
            frequency = frequency.min(total);
        }
        // A pair that nobody writes as one word is no word of the query.
        let weight = if term.is_joined && frequency == 0.0 { 0.0 } else { weight };
        terms.push(IndexedTerm { texts, weight: weight * rarity(total, frequency), query_weight: weight });
    }
    Ok(terms)
}

/// Terms of the content that begin with `prefix`.
fn expand(snapshot: &Snapshot, prefix: &str) -> Result<Vec<String>> {
    let content = snapshot.fields().content;
    let mut found = std::collections::BTreeSet::new();
    for segment in snapshot.text_segments() {
        let inverted = segment.reader.inverted_index(content)?;
        let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
        let mut taken = 0;
        while taken < MAX_EXPANSIONS && stream.advance() {
            let Ok(text) = std::str::from_utf8(stream.key()) else { continue };
            if !text.starts_with(prefix) {
                break;
            }
            // Postings keep terms of chunks that are gone.
            if found.contains(text) || has_term(snapshot, text)? {
                found.insert(text.to_owned());
                taken += 1;
            }
        }
    }
    // The first of all, however they are spread over segments.
    while found.len() > MAX_EXPANSIONS {
        found.pop_last();
    }
    // The index holds stems, and a stem may end before the prefix does: `retri` stands for what begins with `retry`.
    let mut tokenizer = Tokenizer::default();
    for ending in ENDINGS {
        let stem = tokenizer.stem(&format!("{prefix}{ending}"));
        if !stem.starts_with(prefix) && has_term(snapshot, &stem)? {
            found.insert(stem.to_string());
        }
    }
    Ok(found.into_iter().collect())
}

/// The first chunk, in order of path and position, whose content has a term.
pub(crate) fn first_chunk_with(snapshot: &Snapshot, text: &str) -> Result<Option<ChunkId>> {
    let content = snapshot.fields().content;
    let term = Term::from_field_text(content, text);
    let mut first: Option<ChunkId> = None;
    for segment in snapshot.text_segments() {
        let found = segment.reader.inverted_index(content)?.read_postings(&term, IndexRecordOption::Basic)?;
        let Some(mut postings) = found else { continue };
        // Documents of a segment are in the order of chunks; those of replaced files have none.
        while postings.doc() != TERMINATED {
            if let Some(chunk) = segment.chunk(postings.doc()) {
                first = Some(first.map_or(chunk, |first| first.min(chunk)));
                break;
            }
            postings.advance();
        }
    }
    Ok(first)
}

/// Whether the content has a term.
pub(crate) fn has_term(snapshot: &Snapshot, text: &str) -> Result<bool> {
    Ok(snapshot.doc_freq(&Term::from_field_text(snapshot.fields().content, text))? > 0)
}

/// Mean length of each field, over all segments.
fn averages(snapshot: &Snapshot, fields: &[(Field, f32)]) -> Result<Vec<f32>> {
    let chunks = snapshot.chunk_count().max(1) as f32;
    fields.iter().map(|(field, _)| Ok((snapshot.token_count(*field)? as f32 / chunks).max(1.0))).collect()
}

/// What is known of a document of the text index while its segment is scored.
#[derive(Clone, Copy, Default)]
struct Tally {
    score: f32,
    /// The weighted frequency of the term at hand.
    frequency: f32,
    /// Which terms it has.
    mask: u32,
}

thread_local! {
    /// One a document, all empty between two segments: a megabyte that need not be asked for and cleared for every question.
    static TALLIES: Cell<Vec<Tally>> = const { Cell::new(Vec::new()) };
}

struct Scorer<'a> {
    preset: &'a Preset,
    fields: &'a [(Field, f32)],
    terms: &'a [IndexedTerm],
    averages: Vec<f32>,
}

impl Scorer<'_> {
    /// Term after term, those that there is time for: the weighted frequency of one term in each chunk is summed over fields, then saturated.
    fn segment(
        &mut self,
        segment: &TextSegment,
        cancel: &CancelToken,
        mut files: Option<&mut FileScorer>,
        mut emit: impl FnMut(DocId, f32, u32),
    ) -> Result<()> {
        let reader = segment.reader;
        let size = reader.max_doc() as usize;
        // What an error leaves half done is not put back.
        let mut kept = TALLIES.take();
        if kept.len() < size {
            kept.resize(size, Tally::default());
        }
        let tallies = &mut kept[..size];
        let mut touched: Vec<DocId> = Vec::new();
        let mut met = DocSetBits::new(reader.max_doc());
        let norms = self.length_factors(reader)?;
        for (i, term) in self.terms.iter().enumerate() {
            if cancel.is_cancelled() {
                break;
            }
            touched.clear();
            let mut list = 0;
            for ((field, weight), factors) in self.fields.iter().zip(&norms) {
                let inverted = reader.inverted_index(*field)?;
                for text in &term.texts {
                    list += 1;
                    let found =
                        inverted.read_postings(&Term::from_field_text(*field, text), IndexRecordOption::WithFreqs)?;
                    let Some(mut postings) = found else { continue };
                    let mut doc = postings.doc();
                    while doc != TERMINATED {
                        let at = &mut tallies[doc as usize].frequency;
                        if *at == 0.0 {
                            touched.push(doc);
                        }
                        let times = postings.term_freq() as f32;
                        *at += times * factors.of(doc);
                        if let Some(files) = files.as_mut()
                            && let Some(chunk) = segment.chunk(doc)
                        {
                            files.add((i, list), *field, chunk, times * weight);
                        }
                        doc = postings.advance();
                    }
                }
            }
            let k1 = self.preset.k1;
            let mask = 1u32.checked_shl(i as u32).unwrap_or(0);
            for &doc in &touched {
                let tally = &mut tallies[doc as usize];
                let frequency = std::mem::take(&mut tally.frequency);
                tally.score += term.weight * frequency * (k1 + 1.0) / (frequency + k1);
                tally.mask |= mask;
                met.insert(doc);
            }
        }
        for doc in met.iter() {
            let Tally { score, mask, .. } = std::mem::take(&mut tallies[doc as usize]);
            if score > 0.0 {
                emit(doc, score, mask);
            }
        }
        TALLIES.set(kept);
        Ok(())
    }

    fn length_factors(&self, segment: &SegmentReader) -> Result<Vec<LengthFactors>> {
        let b = self.preset.b;
        let factors = self.fields.iter().zip(&self.averages).map(|((field, weight), average)| {
            let norms = segment.get_fieldnorms_reader(*field)?;
            let table = std::array::from_fn(|id| {
                let length = tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(id as u8) as f32;
                weight / (1.0 - b + b * length / average)
            });
            Ok(LengthFactors { norms, table })
        });
        factors.collect()
    }
}

/// BM25 of files: a file is one long text, whatever chunks it was cut into.
struct FileScorer<'a> {
    columns: &'a FileColumns,
    places: Places<'a>,
    path: Field,
    /// For each term the files it was met in, in the order of postings: the same file may come again for another field.
    met: Vec<Vec<Met>>,
}

/// A term in a field of a file.
struct Met {
    file: u32,
    weighted: f32,
    /// The list of postings of the segment.
    list: u16,
    is_path: bool,
}

impl<'a> FileScorer<'a> {
    /// None where no signal asks for files.
    fn new(cx: &Cx<'a>, terms: usize) -> Option<FileScorer<'a>> {
        let weights = &cx.asked.preset.weights;
        let snapshot = cx.asked.snapshot;
        let path = snapshot.fields().path;
        let asked = weights.file_bm25 + weights.coherence + weights.users > 0.0;
        asked.then(|| FileScorer {
            columns: snapshot.columns(),
            places: snapshot.columns().places(),
            path,
            met: (0..terms).map(|_| Vec::new()).collect(),
        })
    }

    /// Numbers are added up in the same order however files lie in segments: list after list, also where no other file stands between.
    fn add(&mut self, (term, list): (usize, u16), field: Field, chunk: ChunkId, weighted: f32) {
        let file = self.places.file(chunk);
        let is_path = field == self.path;
        let met = &mut self.met[term];
        match met.last_mut() {
            Some(last) if last.file == file.0 && last.list == list => {
                // All chunks of a file repeat its path.
                if !is_path {
                    last.weighted += weighted;
                }
            }
            _ => met.push(Met { file: file.0, weighted, list, is_path }),
        }
    }

    /// Scores by file: long files count less, but only half as much as their length says.
    fn finish(self, terms: &[IndexedTerm]) -> Vec<f32> {
        let count = self.columns.len();
        let mut scores = vec![0f32; count];
        let mut frequencies = vec![0f32; count];
        for (term, met) in terms.iter().zip(&self.met) {
            let mut files = 0;
            for Met { file, is_path, weighted, .. } in met {
                let Some(frequency) = frequencies.get_mut(*file as usize) else { continue };
                files += usize::from(*frequency == 0.0);
                let length = if *is_path { 1.0 } else { 0.5 + 0.5 * self.columns.relative_size(FileId(*file)) };
                *frequency += weighted / length;
            }
            let weight = term.query_weight * rarity(count as f32, files as f32);
            for Met { file, .. } in met {
                // Met again in another field it is zero by now.
                let Some(frequency) = frequencies.get_mut(*file as usize).map(std::mem::take) else { continue };
                scores[*file as usize] += weight * frequency / (frequency + FILE_K1);
            }
        }
        scores
    }
}

/// Weight of one occurrence in a field, by the field's length in the chunk.
struct LengthFactors {
    norms: tantivy::fieldnorm::FieldNormReader,
    table: [f32; 256],
}

impl LengthFactors {
    fn of(&self, doc: DocId) -> f32 {
        self.table[usize::from(self.norms.fieldnorm_id(doc))]
    }
}

/// Chunks of a segment that a phrase or a name filter allows.
struct DocSetBits(Vec<u64>);

impl DocSetBits {
    fn new(size: u32) -> DocSetBits {
        DocSetBits(vec![0; size as usize / 64 + 1])
    }

    /// Documents past the segment's last are another segment's.
    fn insert(&mut self, doc: DocId) {
        if let Some(word) = self.0.get_mut(doc as usize / 64) {
            *word |= 1 << (doc % 64);
        }
    }

    fn insert_all(&mut self, docs: &mut dyn DocSet) {
        let mut doc = docs.doc();
        while doc != TERMINATED {
            self.insert(doc);
            doc = docs.advance();
        }
    }

    fn and(mut self, other: &DocSetBits) -> DocSetBits {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
        self
    }

    fn iter(&self) -> impl Iterator<Item = DocId> + '_ {
        let bits = |(at, &word): (usize, &u64)| {
            let left = |bits: u64| Some(bits).filter(|bits| *bits != 0);
            let lefts = std::iter::successors(left(word), move |bits| left(bits & (bits - 1)));
            lefts.map(move |bits| at as u32 * 64 + bits.trailing_zeros())
        };
        self.0.iter().enumerate().flat_map(bits)
    }

    fn contains(&self, doc: DocId) -> bool {
        self.0[doc as usize / 64] & (1 << (doc % 64)) != 0
    }
}

/// Of the chunks that have all words of a phrase those in which they stand as asked. The text index keeps no positions, a
/// sixth of its size, so the text itself is read: a file at a time, on every core.
fn standing(
    snapshot: &Snapshot,
    segment: &TextSegment,
    all: &DocSetBits,
    phrase: &[(usize, String)],
) -> Result<DocSetBits> {
    let docs: Vec<DocId> = all.iter().collect();
    let file_of = |doc: DocId| snapshot.file_of(segment.chunk(doc)?);
    let files: Vec<&[DocId]> = docs.chunk_by(|a, b| file_of(*a) == file_of(*b)).collect();
    let hint = hint(phrase);
    let cancel = CancelToken::current();
    let find = || -> Result<Vec<Vec<DocId>>> {
        let all = files.into_par_iter().map_init(Tokenizer::default, |tokenizer, docs| {
            let Some(file) = file_of(docs[0]).filter(|_| !cancel.is_cancelled()) else { return Ok(Vec::new()) };
            let text = snapshot.text(file)?;
            let holds = |doc: &&DocId| {
                let range = segment.chunk(**doc).and_then(|chunk| snapshot.chunk(chunk)).map(|c| c.range());
                let likely = |text: &&str| hint.as_ref().is_none_or(|h| h.is_match(text.as_bytes()));
                range.and_then(|r| text.get(r)).filter(likely).is_some_and(|text| stands(tokenizer, text, phrase))
            };
            Ok(docs.iter().filter(holds).copied().collect())
        });
        all.collect()
    };
    // Not on the threads that index: a search would wait for them.
    let found = match workers() {
        Some(pool) => pool.install(find)?,
        None => find()?,
    };
    let mut set = DocSetBits(vec![0; all.0.len()]);
    for doc in found.into_iter().flatten() {
        set.insert(doc);
    }
    Ok(set)
}

/// What a text must match for a phrase to stand in it: far cheaper than to tell its words apart. Stems differ from words in
/// their last two letters; between words that follow each other stand no letters.
fn hint(phrase: &[(usize, String)]) -> Option<Regex> {
    let mut pattern = String::from("(?i-u)");
    let mut last = None;
    for (place, term) in phrase {
        if !term.is_ascii() {
            return None;
        }
        match last {
            None => {}
            Some(1) => pattern.push_str(r"\w*[^a-z0-9]*"),
            Some(gap) => pattern.push_str(&format!(r"\w*(?:[^a-z0-9]*\w+){{0,{gap}}}[^a-z0-9]*")),
        }
        pattern.push_str(&regex::escape(&term[..term.len().saturating_sub(2).max(1)]));
        let next = phrase.iter().map(|(p, _)| *p).find(|p| p > place);
        last = next.map(|next| next - place);
    }
    // One that is too large is no help.
    RegexBuilder::new(&pattern).size_limit(MAX_HINT).dfa_size_limit(MAX_HINT).build().ok()
}

/// Whether the words of a phrase stand in a text, each in its place.
fn stands(tokenizer: &mut Tokenizer, text: &str, phrase: &[(usize, String)]) -> bool {
    let terms = tokenizer.terms(text);
    let places: FxHashSet<(usize, &str)> = terms.iter().map(|t| (t.position, t.text.as_str())).collect();
    let Some((first_place, first)) = phrase.first() else { return false };
    let starts = terms.iter().filter(|t| t.text == *first);
    let fits =
        |at: usize| phrase.iter().all(|(place, text)| places.contains(&(at + place - first_place, text.as_str())));
    starts.map(|t| t.position).any(fits)
}

fn required(
    snapshot: &Snapshot,
    segment: &TextSegment,
    query: &ParsedQuery,
    filter: &CompiledFilter,
) -> Result<Vec<DocSetBits>> {
    let fields = snapshot.fields();
    let reader = segment.reader;
    let mut sets = Vec::new();
    let of_chunks = |chunks: &mut dyn Iterator<Item = ChunkId>| {
        let mut set = DocSetBits::new(reader.max_doc());
        chunks.filter_map(|chunk| snapshot.doc_in(segment, chunk)).for_each(|doc| set.insert(doc));
        set
    };
    if !filter.definitions().is_empty() {
        let mut chunks = filter.definitions().iter().flat_map(|name| snapshot.chunks_defining(name));
        sets.push(of_chunks(&mut chunks));
    }
    if !filter.references().is_empty() {
        let mut chunks = filter.references().iter().flat_map(|name| snapshot.chunks_using(name));
        sets.push(of_chunks(&mut chunks));
    }
    for phrase in &query.phrases {
        let mut all: Option<DocSetBits> = None;
        for (_, text) in phrase {
            let term = Term::from_field_text(fields.content, text);
            let mut set = DocSetBits::new(reader.max_doc());
            let found = reader.inverted_index(fields.content)?.read_postings(&term, IndexRecordOption::Basic)?;
            if let Some(mut postings) = found {
                set.insert_all(&mut postings);
            }
            all = Some(match all {
                Some(before) => before.and(&set),
                None => set,
            });
        }
        let all = all.unwrap_or_else(|| DocSetBits::new(reader.max_doc()));
        sets.push(if phrase.len() == 1 { all } else { standing(snapshot, segment, &all, phrase)? });
    }
    Ok(sets)
}
