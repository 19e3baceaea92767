//! `cds retrieve`

use cds_engine::{Error, ErrorKind, RetrieveRequest, SearchRequest};

use super::{Context, Done, ensure_indexed, found, input, note, print};
use crate::args::RetrieveArgs;
use crate::render;

pub(crate) fn run(context: &Context, args: RetrieveArgs) -> Done {
    let ids = ids(&args.ids)?;
    let as_search = SearchRequest { snippet: args.snippet.clone(), ..SearchRequest::default() };
    context.engine.check(&as_search)?;
    ensure_indexed(context)?;
    let request = RetrieveRequest { ids, snippet: args.snippet, max_tokens: args.max_tokens };
    let response = context.engine.retrieve(&request)?;
    for miss in &response.missing {
        let near = miss.candidates.join(", ");
        let hint = if near.is_empty() { String::new() } else { format!(": {near}") };
        note(&format!("{}: {}{hint}", miss.id, miss.reason));
    }
    for warning in &response.warnings {
        note(warning);
    }
    print(&render::retrieve(&response, context))?;
    Ok(found(!response.hits.is_empty()))
}

/// Ids as named, or one a line from standard input.
pub(crate) fn ids(named: &[String]) -> Result<Vec<String>, Error> {
    let mut ids = named.to_vec();
    if ids.is_empty() || ids == ["-"] {
        let text = input::stdin(input::MAX_IDS)?;
        ids = text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect();
    }
    if ids.is_empty() {
        let message = "no ids: name some, or give one a line on standard input".to_owned();
        return Err(Error { kind: ErrorKind::Invalid, message });
    }
    Ok(ids)
}
