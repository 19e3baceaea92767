//! `cds outline`

use cds_engine::{OutlineRequest, counted};

use super::{Context, Done, ensure_indexed, note, print};
use crate::args::OutlineArgs;
use crate::{exit, render};

pub(crate) fn run(context: &Context, args: OutlineArgs) -> Done {
    ensure_indexed(context)?;
    let response = context.engine.outline(&OutlineRequest { path: args.path, depth: args.depth })?;
    if response.files.len() < response.total {
        note(&format!("{} of {} shown: name a smaller folder", response.files.len(), counted(response.total, "file")));
    }
    print(&render::outline(&response, context))?;
    Ok(exit::FOUND)
}
