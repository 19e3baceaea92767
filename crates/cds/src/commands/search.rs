//! `cds search`

use cds_engine::{Error, ErrorKind, SearchRequest};

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
        limit: args.limit.or(args.files),
        granularity: args.granularity,
        chunks_per_file: args.chunks_per_file,
        filters: filters(args.filters),
        preset: args.preset,
        snippet: args.snippet,
        max_tokens: args.max_tokens,
        upper_threshold: args.upper_threshold,
        cursor: args.cursor,
    };
    // Mistakes show before a long first index.
    context.engine.check(&request)?;
    ensure_indexed(context)?;
    let response = context.engine.search(&request)?;
    for warning in &response.warnings {
        note(warning);
    }
    if response.total == 0 {
        note("nothing found: try fewer or other words, or fewer filters");
    }
    print(&render::search(&response, context, args.explain))?;
    Ok(found(!response.hits.is_empty()))
}
