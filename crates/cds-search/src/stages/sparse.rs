//! Chunks that agree with the query in weighted terms: those of a SPLADE model, if the index was made with one, else words of the index
//! and the words that code says for them.

use cds_encode::{Related, Sparse, SparseEncoder};

use super::beside::{Clock, Finding};
use super::dense::{CANDIDATES, deepen};
use crate::filter::CompiledFilter;
use crate::inside::Inside;
use crate::pipeline::{Asked, Cx};
use crate::preset::Retriever;
use crate::query::{ParsedQuery, QueryTerm};
use crate::store::Allowed;
use crate::{Result, bm25};

/// How much a related word counts beside the query's own. Half and whole weight measured alike; a word that was said comes first.
const RELATED_WEIGHT: f32 = 0.5;

pub(crate) fn find(asked: &Asked) -> Result<Finding> {
    match asked.tools.models.sparse() {
        Ok(None) => Ok(Finding::new(Retriever::Sparse)),
        Ok(Some(Sparse::Encoder(encoder))) => by_model(asked, encoder.as_ref()),
        Ok(Some(Sparse::Related(table))) => by_words(asked, table),
        Err(error) => {
            let mut finding = Finding::new(Retriever::Sparse);
            finding.fail(&error.to_string());
            Ok(finding)
        }
    }
}

fn by_model(asked: &Asked, encoder: &dyn SparseEncoder) -> Result<Finding> {
    let mut finding = Finding::new(Retriever::Sparse);
    if let Err(error) = asked.snapshot.check_sparse_model(encoder.id()) {
        finding.fail(&error.to_string());
        return Ok(finding);
    }
    let Some(weights) = asked.snapshot.sparse_weights()? else { return Ok(finding) };
    let mut clock = Clock::start();
    let mut encoded = match encoder.encode(&[&asked.query.text]) {
        Ok(encoded) => encoded,
        Err(error) => {
            finding.fail(&error.to_string());
            return Ok(finding);
        }
    };
    finding.used_model = true;
    finding.warn_truncated(encoded.truncated, encoder.id());
    let terms = encoded.entries.pop().unwrap_or_default();
    finding.timings.push(("sparse_encode", clock.lap()));
    let allowed = Allowed::new(asked.snapshot, &asked.query.filters, &asked.tools.globs)?;
    let nearest = |most: usize| {
        let chunks = weights.nearest(&terms, most, |chunk| allowed.passes(chunk));
        Ok((chunks.len() == most, chunks))
    };
    (finding.is_cut, finding.chunks) = deepen(asked, nearest)?;
    finding.timings.push(("sparse", clock.lap()));
    Ok(finding)
}

fn by_words(asked: &Asked, table: &Related) -> Result<Finding> {
    let mut finding = Finding::new(Retriever::Sparse);
    if asked.options.no_bm25 {
        finding
            .warnings
            .push("BM25 is left out, but the sparse retriever of this preset also finds by words".to_owned());
    }
    let mut clock = Clock::start();
    let wide = widen(asked.parsed, table);
    finding.timings.push(("sparse_encode", clock.lap()));
    // A filter remembers what it has decided, so each thread has its own.
    let filter = CompiledFilter::new(&asked.query.filters, &asked.tools.globs)?;
    let inside = Inside::new(asked.snapshot, &wide, &filter);
    let cx = Cx { asked: Asked { parsed: &wide, ..*asked }, filter: &filter, inside };
    let ranking = bm25::rank(&cx)?;
    finding.chunks = ranking.candidates(CANDIDATES).into_iter().map(|scored| (scored.chunk, scored.score)).collect();
    finding.matches = ranking.matches;
    finding.timings.push(("sparse", clock.lap()));
    Ok(finding)
}

/// The query and the words that code says for its words. A bare name is meant as it is written.
pub(crate) fn widen(parsed: &ParsedQuery, table: &Related) -> ParsedQuery {
    let mut wide = parsed.clone();
    if parsed.kind == crate::QueryKind::Symbol {
        return wide;
    }
    for term in parsed.terms.iter().filter(|term| !term.is_prefix) {
        for (word, weight) in table.of(&term.text) {
            let weight = RELATED_WEIGHT * term.weight * weight;
            match wide.terms.iter_mut().find(|known| known.text == **word) {
                Some(known) => known.weight = known.weight.max(weight),
                None => {
                    let text = (*word).to_owned();
                    wide.terms.push(QueryTerm { text, weight, is_prefix: false, is_joined: false, others: Vec::new() });
                }
            }
        }
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::widen;

    #[test]
    fn words_gain_what_code_says_for_them_and_names_do_not() {
        let terms = |query: &str| {
            let wide = widen(&crate::parse(query), cds_encode::related());
            wide.terms.into_iter().map(|t| (t.text, t.weight)).collect::<Vec<_>>()
        };
        let wide = terms("user authentication");
        assert!(wide.iter().any(|(text, weight)| text == "auth" && *weight < 1.0), "{wide:?}");
        assert_eq!(
            wide[..2].iter().map(|(_, weight)| *weight).collect::<Vec<_>>(),
            [1.0, 1.0],
            "what was said comes first"
        );
        assert_eq!(terms("authentication").len(), 1);
    }
}
