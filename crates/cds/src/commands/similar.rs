//! `cds similar`

use cds_engine::SearchRequest;

use super::{Context, Done, ensure_indexed, filters, found, note, print};
use crate::args::SimilarArgs;
use crate::render;

pub(crate) fn run(context: &Context, args: SimilarArgs) -> Done {
    let request = SearchRequest {
        query: args.place.clone(),
        limit: args.limit,
        filters: filters(args.filters),
        snippet: args.snippet,
        max_tokens: args.max_tokens,
        min_similarity: args.min_similarity,
        granularity: Some("chunk".to_owned()),
        ..SearchRequest::default()
    };
    context.engine.check(&request)?;
    ensure_indexed(context)?;
    let response = context.engine.similar(&args.place, &request)?;
    for warning in &response.warnings {
        note(warning);
    }
    if response.hits.is_empty() {
        note("nothing is like it: lower --min-similarity, or leave out a filter");
    }
    print(&render::search(&response, context, false, request.max_tokens))?;
    Ok(found(!response.hits.is_empty()))
}
