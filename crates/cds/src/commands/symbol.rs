//! `cds symbol`

use cds_engine::{Error, ErrorKind, SymbolRequest};

use super::{Context, Done, ensure_indexed, filters, found, note, print};
use crate::args::SymbolArgs;
use crate::render;

pub(crate) fn run(context: &Context, args: SymbolArgs) -> Done {
    if args.name.trim().is_empty() {
        return Err(Error { kind: ErrorKind::Invalid, message: "name cannot be empty".to_owned() }.into());
    }
    let request = SymbolRequest {
        name: args.name,
        ignore_case: args.ignore_case,
        fuzzy: args.fuzzy,
        filters: filters(args.filters),
        limit: args.limit,
        snippet: args.snippet,
    };
    context.engine.check_symbol(&request)?;
    ensure_indexed(context)?;
    let response = context.engine.symbol(&request)?;
    if response.filtered_out > 0 && response.hits.is_empty() {
        let (name, which) = (&response.name, "pass the filters: leave one of them out");
        match response.filtered_out {
            1 => note(&format!("one entity is named {name:?}, and it does not {which}")),
            n => note(&format!("{n} entities are named {name:?}, and they do not {which}")),
        }
    } else if response.hits.is_empty() {
        let near = response.suggestions.join(", ");
        let hint = match near.as_str() {
            "" => "; --ignore-case and --fuzzy look further, `cds search` looks inside texts".to_owned(),
            near => format!("; near it: {near}"),
        };
        note(&format!("nothing is named {:?}{hint}", response.name));
    }
    print(&render::symbol(&response, context))?;
    Ok(found(!response.hits.is_empty()))
}
