//! `cds status`

use super::{Context, Done, print};
use crate::args::StatusArgs;
use crate::{exit, render};

pub(crate) fn run(context: &Context, args: &StatusArgs) -> Done {
    let response = context.engine.status(args.problems)?;
    print(&render::status(&response, context))?;
    Ok(exit::FOUND)
}
