//! `cds traverse`, `callers`, `callees`, `path`, `implementations`, `dependents`

use cds_engine::{Error, ErrorKind, GraphResponse, GraphRow, TraverseRequest, counted};

use super::{Context, Done, Stop, ensure_indexed, found, note, print};
use crate::args::{CallsArgs, Draw, ExportArgs, Format, PathArgs, RouteArgs, TraverseArgs, WalkArgs};
use crate::output::Printable;
use crate::{exit, render};

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
    // Out of range either way: the engine says what the range is.
    let depth = depth.map(|depth| u32::try_from(depth).unwrap_or(0));
    (TraverseRequest { from, direction, depth, edges, types, certainty, limit }, draw)
}

pub(crate) fn traverse(context: &Context, args: TraverseArgs) -> Done {
    let (request, draw) = request(args.from, args.route);
    context.engine.check_traverse(&request)?;
    ensure_indexed(context)?;
    finish(context, &context.engine.traverse(&request)?, draw, "no edge of these kinds leads on from it")
}

pub(crate) fn ask(context: &Context, args: CallsArgs, question: Question) -> Done {
    let (request, draw) = request(vec![args.name], RouteArgs { direction: None, edges: Vec::new(), walk: args.walk });
    let engine = &context.engine;
    engine.check_traverse(&request)?;
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

pub(crate) fn export(context: &Context, args: &ExportArgs) -> Done {
    require_lines(context)?;
    ensure_indexed(context)?;
    let mut out = Lines::default();
    context.engine.export_graph(&mut |row| match row {
        GraphRow::Node(_) if args.edges => {}
        GraphRow::Edge(_) if args.nodes => {}
        row => out.push(&render::json::line(&row)),
    })?;
    out.finish()
}

/// A whole graph is printed one object a line, or not at all.
pub(crate) fn require_lines(context: &Context) -> Result<(), Error> {
    match context.format {
        Format::Jsonl | Format::Human => Ok(()),
        _ => {
            Err(Error { kind: ErrorKind::Invalid, message: "graph export prints jsonl: leave --format out".to_owned() })
        }
    }
}

/// Many lines, printed in large pieces.
#[derive(Default)]
pub(crate) struct Lines {
    text: Printable,
    stopped: Option<Stop>,
}

impl Lines {
    pub(crate) fn push(&mut self, line: &Printable) {
        self.text.push(line);
        if self.text.as_str().len() > 1 << 16 && self.stopped.is_none() {
            self.stopped = print(&std::mem::take(&mut self.text)).err();
        }
    }

    pub(crate) fn finish(self) -> Done {
        self.stopped.map_or(Ok(()), Err)?;
        print(&self.text)?;
        Ok(exit::FOUND)
    }
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
    let stale = response.from.iter().chain(&response.nodes).filter(|node| node.stale).count();
    if stale > 0 {
        let are = if stale == 1 { "is in a file" } else { "are in files" };
        note(&format!("{stale} of these {are} that changed since: run `cds index`"));
    }
    print(&render::graph(response, context, draw))?;
    Ok(found(!is_empty))
}
