//! `cds research`

use cds_engine::ResearchRequest;

use super::{Context, Done, ensure_indexed, filters, found, note, print};
use crate::args::ResearchArgs;
use crate::render;

pub(crate) fn run(context: &Context, args: ResearchArgs) -> Done {
    let request = ResearchRequest {
        query: args.query.join(" "),
        focus: args.focus,
        depth: args.depth,
        limit: args.limit,
        certainty: args.certainty,
        filters: filters(args.filters),
        max_tokens: args.max_tokens,
    };
    // Mistakes show before a long first index.
    context.engine.check_research(&request)?;
    ensure_indexed(context)?;
    let response = context.engine.research(&request)?;
    for warning in &response.warnings {
        note(warning);
    }
    print(&render::research(&response, context))?;
    Ok(found(response.total > 0))
}
