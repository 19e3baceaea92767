//! The first hits, with scores between 0 and 1.

use cds_model::{Granularity, Hit};

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;

pub(crate) struct Cut;

impl Stage for Cut {
    fn name(&self) -> &'static str {
        "cut"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let best = pool.list.iter().map(|c| c.score).fold(f32::MIN_POSITIVE, f32::max);
        let by_words = !pool.term_weights.is_empty();
        // The best hit is as good as the share of the query it answers, not always perfect.
        let ceiling = match pool.list.iter().find(|c| c.score >= best) {
            Some(top) if by_words && top.retrieved_by("names").is_none() => {
                let near = top.retrieved_by("dense").map_or(0.0, |(cosine, _)| cosine);
                pool.coverage(top.terms).max(near)
            }
            _ => 1.0,
        };
        let scale = if by_words { ceiling.max(0.01) / best } else { 1.0 / best.max(1.0) };
        let list = std::mem::take(&mut pool.list);
        let by_meaning = |c: &Candidate| c.retrieved_by("dense").is_some() && c.retrieved_by("names").is_none();
        if by_words && !pool.has_words && !list.is_empty() && list.iter().all(by_meaning) {
            pool.warnings.push("no chunk has a word of the query: these hits are only near it in meaning".to_owned());
        }
        // In document granularity the limit counts files.
        let mut files = 0;
        let mut last = None;
        let by_file = matches!(cx.query.granularity, Granularity::Document | Granularity::File);
        let limit = cx.query.limit + cx.options.offset;
        for candidate in list {
            let file = cx.snapshot.chunk(candidate.chunk).and_then(|v| v.document()).map(|d| d.id);
            if !by_file || last != file {
                files += 1;
                last = file;
            }
            if files > limit {
                pool.more = true;
                break;
            }
            if files <= cx.options.offset {
                continue;
            }
            pool.hits.push(Hit {
                chunk: candidate.chunk,
                entity: candidate.entity,
                score: (candidate.score * scale).clamp(0.0, 1.0),
                match_type: candidate.match_type(),
                retrieved: candidate.retrieved,
                signals: candidate.signals,
                rrf: candidate.rrf,
                more_in_file: candidate.more_in_file,
                // As a share of what the best group could have.
                group_score: candidate.group_score.map(|score| (score * scale / 2.0).clamp(0.0, 1.0)),
                hop_depth: candidate.hop_depth,
            });
        }
        Ok(())
    }
}
