//! `cds search`

use cds_engine::{Error, ErrorKind, FilterRequest, SearchRequest};

use super::{Context, Done, ensure_indexed, filters, found, note, print};
use crate::args::{HowArgs, SearchArgs};
use crate::render;

pub(crate) fn run(context: &Context, args: SearchArgs) -> Done {
    let query = args.query.join(" ");
    if query.trim().is_empty() {
        return Err(Error { kind: ErrorKind::Invalid, message: "query cannot be empty".to_owned() }.into());
    }
    let request = SearchRequest {
        snippet: args.snippet,
        max_tokens: args.max_tokens,
        cursor: args.cursor,
        ..request(query, args.how)
    };
    // Mistakes show before a long first index.
    context.engine.check(&request)?;
    ensure_indexed(context)?;
    let response = context.engine.search(&request)?;
    for warning in &response.warnings {
        note(warning);
    }
    if response.total == 0 {
        let narrowed = request.filters != FilterRequest::default();
        note(match (response.parsed_query.keywords.is_empty(), narrowed) {
            (true, _) => "nothing found: the query has no words; `cds grep` finds any text",
            (_, true) => "nothing found: try other words, or leave out a filter",
            (_, false) => {
                "nothing found: try fewer or other words, a prefix such as 'auth*', or `cds grep` for any text"
            }
        });
    }
    print(&render::search(&response, context, args.explain, request.max_tokens))?;
    Ok(found(!response.hits.is_empty()))
}

/// What is asked, as far as it can be measured too.
pub(crate) fn request(query: String, how: HowArgs) -> SearchRequest {
    SearchRequest {
        query,
        limit: how.limit,
        files: how.files,
        set: how.set,
        no_bm25: how.no_bm25,
        rerank: how.rerank,
        granularity: how.granularity,
        chunks_per_file: how.chunks_per_file,
        filters: filters(how.filters),
        preset: how.preset,
        upper_threshold: how.upper_threshold,
        min_similarity: how.min_similarity,
        semantic_weight: how.semantic_weight,
        alpha: how.alpha,
        depth: how.depth,
        mmr: how.mmr,
        ..SearchRequest::default()
    }
}
