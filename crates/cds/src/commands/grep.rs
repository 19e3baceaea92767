//! `cds grep`

use cds_engine::{GrepRequest, counted};

use super::{Context, Done, ensure_indexed, filters, found, note, print};
use crate::args::GrepArgs;
use crate::render;

pub(crate) fn run(context: &Context, args: GrepArgs) -> Done {
    let request = GrepRequest {
        pattern: args.pattern,
        ignore_case: args.ignore_case,
        fixed: args.fixed_strings,
        word: args.word,
        filters: filters(args.filters),
        limit: Some(args.limit),
    };
    context.engine.check_grep(&request)?;
    ensure_indexed(context)?;
    let response = context.engine.grep(&request)?;
    if response.timed_out {
        note(
            "time ran out before all files were searched: narrow it with --path or --lang, or raise search.time_limit_ms",
        );
    } else if response.partial {
        note(&format!("only the first {} shown: raise --limit", counted(response.hits.len(), "line")));
    }
    if response.hits.is_empty() {
        note("no line matches: -i ignores case, -F takes the pattern as plain text; only indexed files are searched");
    }
    print(&render::grep(&response, context))?;
    Ok(found(!response.hits.is_empty()))
}
