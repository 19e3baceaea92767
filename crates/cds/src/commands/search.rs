//! `cds search`

use cds_engine::{Error, ErrorKind, FilterRequest, SearchRequest};

use super::{Context, Done, ensure_indexed, filters, found, note, print};
use crate::args::SearchArgs;
use crate::render;

pub(crate) fn run(context: &Context, args: SearchArgs) -> Done {
    let query = args.query.join(" ");
    if query.trim().is_empty() {
        return Err(Error { kind: ErrorKind::Invalid, message: "query cannot be empty".to_owned() }.into());
    }
    let request = SearchRequest {
        query,
        limit: args.limit,
        files: args.files,
        set: args.set,
        no_bm25: args.no_bm25,
        rerank: args.rerank,
        granularity: args.granularity,
        chunks_per_file: args.chunks_per_file,
        filters: filters(args.filters),
        preset: args.preset,
        snippet: args.snippet,
        max_tokens: args.max_tokens,
        upper_threshold: args.upper_threshold,
        cursor: args.cursor,
        min_similarity: args.min_similarity,
        semantic_weight: args.semantic_weight,
        alpha: args.alpha,
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
    print(&render::search(&response, context, args.explain))?;
    Ok(found(!response.hits.is_empty()))
}
