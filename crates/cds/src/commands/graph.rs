//! `cds traverse`, `callers`, `callees`, `path`, `implementations`, `dependents`

use cds_engine::{GraphResponse, TraverseRequest, counted};

use super::{Context, Done, ensure_indexed, found, note, print};
use crate::args::{CallsArgs, Draw, PathArgs, RouteArgs, TraverseArgs, WalkArgs};
use crate::render;

/// What is asked of one entity.
#[derive(Clone, Copy)]
pub(crate) enum Question {
    Callers,
    Callees,
    Implementations,
    Dependents,
}

fn request(from: Vec<String>, route: RouteArgs) -> (TraverseRequest, Draw) {
    let RouteArgs { direction, edges, walk } = route;
    let WalkArgs { depth, types, certainty, limit, draw } = walk;
    (TraverseRequest { from, direction, depth, edges, types, certainty, limit }, draw)
}

pub(crate) fn traverse(context: &Context, args: TraverseArgs) -> Done {
    let (request, draw) = request(args.from, args.route);
    context.engine.check_traverse(&request)?;
    ensure_indexed(context)?;
    finish(context, &context.engine.traverse(&request)?, draw, "no edge of these kinds leads on from it")
}

pub(crate) fn ask(context: &Context, args: CallsArgs, question: Question) -> Done {
    let (mut request, draw) =
        request(vec![args.name], RouteArgs { direction: None, edges: Vec::new(), walk: args.walk });
    let engine = &context.engine;
    engine.check_traverse(&request)?;
    if !matches!(question, Question::Implementations) {
        request.depth = request.depth.or(Some(1));
    }
    ensure_indexed(context)?;
    let (response, nothing) = match question {
        Question::Callers => (engine.callers(&request)?, "no call of it is known"),
        Question::Callees => (engine.callees(&request)?, "it calls nothing that the tree defines"),
        Question::Implementations => (engine.implementations(&request)?, "no type is known to extend or implement it"),
        Question::Dependents => (engine.dependents(&request)?, "no file is known to use it"),
    };
    finish(context, &response, draw, nothing)
}

pub(crate) fn path(context: &Context, args: PathArgs) -> Done {
    let (request, draw) = request(vec![args.from], args.route);
    context.engine.check_traverse(&request)?;
    ensure_indexed(context)?;
    let response = context.engine.path(&request, &args.to)?;
    finish(context, &response, draw, "no way leads there; --direction both and --depth 10 look further")
}

/// Prints an answer; what is not known is said as well.
fn finish(context: &Context, response: &GraphResponse, draw: Draw, nothing: &str) -> Done {
    let is_empty = response.edges.is_empty();
    if is_empty {
        note(nothing);
    }
    if response.unresolved.count > 0 {
        let sites = counted(response.unresolved.count, "call");
        note(&format!("{sites} of this name may mean it or others, and could not be resolved (-f json lists them)"));
    }
    if response.truncated {
        note("there are more: --limit shows them");
    }
    print(&render::graph(response, context, draw))?;
    Ok(found(!is_empty))
}
