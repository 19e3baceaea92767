//! `--compat locagent`: the same commands, answered as LocAgent answers them.

use std::path::Path;
use std::time::Instant;

use cds_engine::{Error, ErrorKind, FilterRequest, ProjectRoot, counted};
use cds_locagent::graph::{EdgeRow, EdgeType, NodeRow, NodeType};
use cds_locagent::search::{Request, Step};
use cds_locagent::{Direction, Facts, MAX_FILE, Repository, Source, StoreError, TreeRequest};
use serde_json::json;

use super::graph::{Lines, require_lines};
use super::{Context, Done, Stop, filters, found, note, print};
use crate::args::{
    Command, Draw, ExportArgs, Format, GraphCommand, IndexArgs, RetrieveArgs, SearchArgs, StatusArgs, TraverseArgs,
};
use crate::output::Printable;
use crate::{exit, render};

pub(crate) fn run(context: &Context, command: Command) -> Done {
    match command {
        Command::Index(args) => index(context, &args),
        Command::Search(args) => search(context, args),
        Command::Retrieve(args) => retrieve(context, &args),
        Command::Traverse(args) => traverse(context, args),
        Command::Graph(GraphCommand::Export(args)) => export(context, &args),
        Command::Status(args) => status(context, &args),
        _ => Err(invalid(
            "LocAgent has no such command: leave --compat out, or use index, search, retrieve, traverse, graph export or status",
        )),
    }
}

fn invalid(message: impl Into<String>) -> Stop {
    Stop::Error(Error { kind: ErrorKind::Invalid, message: message.into() })
}

fn stop(error: &StoreError) -> Stop {
    let kind = match error {
        StoreError::Io(_) => ErrorKind::Io,
        StoreError::Missing | StoreError::Unusable => ErrorKind::NotReady,
    };
    Stop::Error(Error { kind, message: error.to_string() })
}

/// Flags that LocAgent has nothing for are refused: an answer that ignores one would be a lie.
fn refuse(flags: &[(&str, bool)]) -> Result<(), Stop> {
    match flags.iter().find(|(_, is_set)| *is_set) {
        Some((flag, _)) => {
            Err(invalid(format!("LocAgent has nothing like {flag}: leave it out, or leave --compat out")))
        }
        None => Ok(()),
    }
}

/// Reads the files and keeps the result. Those that are as they were for `facts` are not parsed again.
fn build(context: &Context, facts: Option<Facts>) -> Result<Repository, Stop> {
    let failed = |e: std::io::Error| Stop::Error(Error { kind: ErrorKind::Io, message: e.to_string() });
    // The folder comes first: it changes the time of the root, which is looked at next.
    let home = context.engine.prepare_home()?;
    let root = context.engine.root();
    let files = ProjectRoot::at(root);
    let read = |path: &Path| files.read(path, MAX_FILE).map_err(std::io::Error::other);
    let source = Source { root, read: &read, stop: &|| false };
    let repository = Repository::read(source, facts).map_err(failed)?;
    repository.save(home).map_err(|e| stop(&e))?;
    Ok(repository)
}

/// What was kept. An index directory that was not made here holds nothing to be believed.
fn load(context: &Context) -> Result<Repository, StoreError> {
    if context.engine.owns_home() { Repository::load(context.engine.home()) } else { Err(StoreError::Missing) }
}

/// What was kept, if it still fits the files; otherwise it is brought up to date.
fn open(context: &Context) -> Result<Repository, Stop> {
    let update = context.engine.config().flag("search.update");
    match load(context) {
        Ok(repository) if repository.is_current(context.engine.root()) => Ok(repository),
        Ok(repository) if !update => {
            note(
                "files have changed since this LocAgent index was made: `cds index --compat locagent` reads them again",
            );
            Ok(repository)
        }
        Ok(repository) => build(context, Some(repository.into_facts())),
        Err(error @ (StoreError::Unusable | StoreError::Io(_))) if !update => Err(stop(&error)),
        Err(error @ StoreError::Io(_)) => Err(stop(&error)),
        Err(_) => build(context, None),
    }
}

fn index(context: &Context, args: &IndexArgs) -> Done {
    refuse(&[("--max-file-size", args.max_file_size.is_some()), ("--no-comments", args.no_comments)])?;
    let started = Instant::now();
    let facts = if args.force { None } else { load(context).ok().map(Repository::into_facts) };
    let repository = build(context, facts)?;
    let seconds = started.elapsed().as_secs_f64();
    let Repository { graph, code, .. } = &repository;
    let files = graph.nodes.iter().filter(|node| node.kind == NodeType::File).count();
    let lost = graph.problems.len() + code.dropped.len();
    if files == 0 {
        note("no Python file here: LocAgent reads nothing else, the default mode does");
    }
    let text = match context.format {
        Format::Json | Format::Jsonl => render::json::line(&json!({
            "root": context.engine.root().display().to_string(),
            "index_dir": context.engine.home().display().to_string(),
            "files": files, "nodes": graph.nodes.len(), "edges": graph.edges.len(), "chunks": code.chunks.len(),
            "problems": lost, "seconds": seconds,
        })),
        _ => {
            let problems = match lost {
                0 => String::new(),
                n => format!(
                    "; {} lost as LocAgent loses them, see `cds status --compat locagent --problems`",
                    counted(n, "file")
                ),
            };
            let (nodes, edges, chunks) = (graph.nodes.len(), graph.edges.len(), code.chunks.len());
            Printable::text(format!(
                "indexed {} as LocAgent does in {seconds:.2} s: {nodes} nodes, {edges} edges, {chunks} chunks{problems}\n",
                counted(files, "file")
            ))
        }
    };
    print(&text)?;
    Ok(exit::FOUND)
}

fn search(context: &Context, args: SearchArgs) -> Done {
    let mut paths = args.how.filters.paths.clone();
    let other_filters = filters(args.how.filters);
    let only_paths = FilterRequest { paths: paths.clone(), ..FilterRequest::default() };
    refuse(&[
        ("a filter other than --path", other_filters != only_paths),
        ("a second --path", paths.len() > 1),
        ("--limit", args.how.limit.is_some()),
        ("--granularity", args.how.granularity.is_some()),
        ("--files", args.how.files.is_some()),
        ("--chunks-per-file", args.how.chunks_per_file.is_some()),
        ("--preset", args.how.preset.is_some()),
        ("--snippet", args.snippet.is_some()),
        ("--max-tokens", args.max_tokens.is_some()),
        ("--upper-threshold", args.how.upper_threshold.is_some()),
        ("--min-similarity", args.how.min_similarity.is_some()),
        ("--semantic-weight", args.how.semantic_weight.is_some()),
        ("--alpha", args.how.alpha.is_some()),
        ("--cursor", args.cursor.is_some()),
        ("--explain", args.explain),
    ])?;
    let mut request = Request { terms: args.query, line_nums: args.lines, ..Request::default() };
    if let Some(path) = paths.pop() {
        request.file_pattern = Some(path);
    }
    let repository = open(context)?;
    let file = request.file_pattern.as_deref().and_then(|path| repository.graph.find(path));
    if !request.line_nums.is_empty() && file.is_none() {
        note("LocAgent looks lines up in one file only, and --path names none: they are left out");
    }
    let outcome = repository
        .search(&request)
        .map_err(|error| invalid(format!("LocAgent fails here with {}: {error}", error.exception())))?;
    let anything = outcome.steps.iter().any(|step| match step {
        Step::Refused { .. } => false,
        Step::Searched { entity_results, content_results, .. } => {
            !entity_results.is_empty() || content_results.as_ref().is_some_and(|results| !results.is_empty())
        }
        Step::Lines { line_results, .. } => !line_results.is_empty(),
    });
    print(&match context.format {
        Format::Json | Format::Jsonl => render::json::line(&outcome),
        _ => Printable::compatible(outcome.text + "\n"),
    })?;
    Ok(found(anything))
}

fn retrieve(context: &Context, args: &RetrieveArgs) -> Done {
    refuse(&[("--snippet", args.snippet.is_some()), ("--max-tokens", args.max_tokens.is_some())])?;
    let ids = super::retrieve::ids(&args.ids)?;
    let repository = open(context)?;
    let text =
        cds_locagent::search::entity_contents(&repository.graph, &ids).map_err(|error| invalid(error.to_string()))?;
    print(&Printable::compatible(text + "\n"))?;
    Ok(found(ids.iter().any(|id| cds_locagent::search::visible(&repository.graph, id).is_some())))
}

fn traverse(context: &Context, args: TraverseArgs) -> Done {
    let route = args.route;
    let walk = &route.walk;
    refuse(&[
        ("--certainty", walk.certainty.is_some()),
        ("--limit", walk.limit.is_some()),
        ("--draw", walk.draw != Draw::Tree),
    ])?;
    let direction = match route.direction.as_deref() {
        None | Some("downstream" | "forward" | "outgoing") => Direction::Downstream,
        Some("upstream" | "backward" | "incoming") => Direction::Upstream,
        Some("both") => Direction::Both,
        Some(other) => return Err(invalid(format!("direction {other:?}: use downstream, upstream or both"))),
    };
    let depth = match walk.depth.unwrap_or(2) {
        -1 => None,
        depth => Some(
            u32::try_from(depth)
                .map_err(|_| invalid("depth: use a number from 0 on, or -1 for as deep as LocAgent goes"))?,
        ),
    };
    let request = TreeRequest {
        starts: args.from,
        direction,
        depth,
        node_types: names(&walk.types, &NodeType::ALL, NodeType::name, "type")?,
        edge_types: names(&route.edges, &EdgeType::ALL, EdgeType::name, "edge")?,
    };
    let repository = open(context)?;
    let text = repository.trees(&request);
    let anything = request.starts.iter().any(|start| repository.graph.find(cds_locagent::start_id(start)).is_some());
    print(&match context.format {
        Format::Json | Format::Jsonl => render::json::line(&json!({ "starts": request.starts, "text": text })),
        _ => Printable::compatible(text + "\n"),
    })?;
    Ok(found(anything))
}

/// Names of types or edges; none given means all.
fn names<T: Copy>(
    given: &[String],
    all: &[T],
    name: fn(T) -> &'static str,
    what: &str,
) -> Result<Option<Vec<T>>, Stop> {
    if given.is_empty() {
        return Ok(None);
    }
    let known = |text: &String| {
        all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
            invalid(format!("{what} {text:?}: LocAgent has {}", names.join(", ")))
        })
    };
    given.iter().map(known).collect::<Result<_, _>>().map(Some)
}

fn export(context: &Context, args: &ExportArgs) -> Done {
    require_lines(context)?;
    let repository = open(context)?;
    let graph = &repository.graph;
    let mut out = Lines::default();
    if !args.edges {
        graph.by_id().iter().for_each(|node| out.push(&render::json::line(&NodeRow::of(graph, *node))));
    }
    if !args.nodes {
        graph.edges.iter().for_each(|edge| out.push(&render::json::line(&EdgeRow::of(graph, edge))));
    }
    out.finish()
}

fn status(context: &Context, args: &StatusArgs) -> Done {
    let repository = load(context).map_err(|e| stop(&e))?;
    let Repository { graph, code, .. } = &repository;
    let fresh = repository.is_current(context.engine.root());
    let in_graph = graph.problems.iter().map(|problem| (problem.path.as_str(), problem.kind.describe().to_owned()));
    let in_code = code.dropped.iter().map(|(path, why)| (path.as_str(), format!("not in the code index: {why}")));
    let lost: Vec<(&str, String)> = in_graph.chain(in_code).collect();
    let text = match context.format {
        Format::Json | Format::Jsonl => render::json::line(&json!({
            "nodes": graph.nodes.len(), "edges": graph.edges.len(), "chunks": code.chunks.len(), "fresh": fresh,
            "problems": lost.iter().map(|(path, reason)| json!({ "path": path, "reason": reason })).collect::<Vec<_>>(),
        })),
        _ => render::plain(|out| {
            let state = if fresh { "up to date" } else { "files have changed since: `cds index --compat locagent`" };
            out.line(format_args!(
                "LocAgent index: {} nodes, {} edges, {} chunks; {state}; {} lost as LocAgent loses them",
                graph.nodes.len(),
                graph.edges.len(),
                code.chunks.len(),
                counted(lost.len(), "file"),
            ));
            if args.problems {
                for (path, reason) in &lost {
                    out.line(format_args!("{path}: {reason}"));
                }
            }
        }),
    };
    print(&text)?;
    Ok(exit::FOUND)
}
