//! One file a command: parse, call one operation, render.

mod combo;
mod config;
mod eval;
mod graph;
mod grep;
mod index;
mod input;
mod locagent;
mod model;
mod outline;
mod research;
mod retrieve;
mod search;
mod serve;
mod similar;
mod status;
mod symbol;
mod watch;

use std::path::{Path, PathBuf};

use cds_engine::{Config, Engine, Error, ErrorKind, FilterRequest, find_root};

use crate::args::{Args, Color, Command, Common, Compat, EffortArgs, FilterArgs, Format, GraphCommand, IndexArgs};
use crate::output::{Printable, note, print, say, stderr_is_terminal, stdout_is_terminal};
use crate::{exit, progress};

/// What every command works with.
pub(crate) struct Context {
    pub(crate) engine: Engine,
    pub(crate) format: Format,
    pub(crate) color: bool,
}

/// Why a command ended early.
pub(crate) enum Stop {
    /// The engine said no.
    Error(Error),
    /// The reader went away: not an error.
    ClosedPipe,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

pub(crate) type Done = Result<u8, Stop>;

/// Runs a command and gives the exit code.
pub(crate) fn run(args: Args) -> u8 {
    let result = match args.command {
        Command::Completions { shell } => completions(shell),
        Command::Install(install) => crate::install::run(&args.common, &install, false),
        Command::Uninstall(install) => crate::install::run(&args.common, &install, true),
        Command::Combo(combo) => combo::run(&args.common, &combo),
        Command::Serve(serve) => serve::run(&args.common, &serve),
        Command::Mcp(mcp) => serve::mcp(&args.common, &mcp),
        command => context(&args.common, &command).and_then(|context| match args.common.compat {
            None => dispatch(&context, &args.common, command),
            Some(Compat::Locagent) => locagent::run(&context, command),
        }),
    };
    match result {
        Ok(code) => code,
        Err(Stop::ClosedPipe) => exit::FOUND,
        Err(Stop::Error(error)) => {
            say(&format!("cds: {error}"));
            exit::code(error.kind)
        }
    }
}

fn dispatch(context: &Context, common: &Common, command: Command) -> Done {
    match command {
        Command::Index(args) => index::run(context, &args),
        Command::Watch(args) => watch::run(context, common, &args),
        Command::Search(args) => search::run(context, args),
        Command::Research(args) => research::run(context, args),
        Command::Similar(args) => similar::run(context, args),
        Command::Symbol(args) => symbol::run(context, args),
        Command::Outline(args) => outline::run(context, args),
        Command::Retrieve(args) => retrieve::run(context, args),
        Command::Grep(args) => grep::run(context, args),
        Command::Traverse(args) => graph::traverse(context, args),
        Command::Callers(args) => graph::ask(context, args, graph::Question::Callers),
        Command::Callees(args) => graph::ask(context, args, graph::Question::Callees),
        Command::Implementations(args) => graph::ask(context, args, graph::Question::Implementations),
        Command::Dependents(args) => graph::ask(context, args, graph::Question::Dependents),
        Command::Path(args) => graph::path(context, args),
        Command::Graph(GraphCommand::Export(args)) => graph::export(context, &args),
        Command::Model(command) => model::run(context, command),
        Command::Eval(args) => eval::run(context, common, args),
        Command::Status(args) => status::run(context, &args),
        Command::Config(args) => config::run(&args, context),
        // They need no index of their own, and were run before one was opened.
        Command::Completions { .. }
        | Command::Serve(_)
        | Command::Mcp(_)
        | Command::Install(_)
        | Command::Uninstall(_)
        | Command::Combo(_) => Ok(exit::FOUND),
    }
}

fn completions(shell: clap_complete::Shell) -> Done {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut <Args as clap::CommandFactory>::command(), "cds", &mut out);
    print(&Printable::text(String::from_utf8_lossy(&out).into_owned()))?;
    Ok(exit::FOUND)
}

fn context(common: &Common, command: &Command) -> Result<Context, Stop> {
    let given = match command {
        Command::Index(args) => args.path.clone().or_else(|| common.root.clone()),
        Command::Watch(args) => args.path.clone().or_else(|| common.root.clone()),
        _ => common.root.clone(),
    };
    // A named folder is the root; only without one is it looked for.
    let root = given.unwrap_or_else(|| find_root(&PathBuf::from(".")));
    let index = match command {
        Command::Index(args) => Some(args),
        _ => None,
    };
    let effort = match command {
        Command::Index(args) => Some(&args.effort),
        Command::Watch(args) => Some(&args.effort),
        _ => None,
    };
    let engine = open(common, &root, index, effort)?;
    let config = engine.config();
    config.limit_process();
    progress::approve_all(common.yes);
    let format = match common.format {
        Some(format) => format,
        None => value("output.format", config.text("output.format"))?,
    };
    let color: Color = match common.color {
        Some(color) => color,
        None => value("output.color", config.text("output.color"))?,
    };
    let color = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => stdout_is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    };
    Ok(Context { engine, format, color })
}

/// A folder with the settings in force for it.
fn open(common: &Common, root: &Path, index: Option<&IndexArgs>, effort: Option<&EffortArgs>) -> Result<Engine, Error> {
    let mut config = Config::load(root, |name| std::env::var(name).ok()).map_err(Error::from)?;
    let mut set = |key: &str, value: Option<String>| match value {
        Some(value) => config.set(key, &value).map_err(Error::from),
        None => Ok(()),
    };
    let absolute = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone()).display().to_string();
    set("index.dir", common.index_dir.as_ref().map(absolute))?;
    set("search.update", common.no_update.then(|| "false".to_owned()))?;
    if let Some(args) = index {
        set("index.max_file_size", args.max_file_size.map(|n| n.to_string()))?;
        set("index.wait", args.wait.map(|n| n.to_string()))?;
        set("index.comments", args.no_comments.then(|| "false".to_owned()))?;
    }
    if let Some(effort) = effort {
        set("index.jobs", effort.jobs.map(|n| n.to_string()))?;
        set("index.max_memory", effort.max_memory.clone())?;
        set("index.nice", effort.nice.then(|| "true".to_owned()))?;
    }
    Engine::open(root, config)
}

fn value<T: clap::ValueEnum>(key: &str, text: &str) -> Result<T, Error> {
    T::from_str(text, true).map_err(|_| {
        let names: Vec<String> =
            T::value_variants().iter().filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned())).collect();
        Error { kind: ErrorKind::Invalid, message: format!("{key} {text:?}: use {}", names.join(", ")) }
    })
}

/// Makes sure there is an index to answer from; says so on stderr when one was made.
fn ensure_indexed(context: &Context) -> Result<(), Stop> {
    let engine = &context.engine;
    let has_service = || engine.owns_home() && cds_service::refresh(engine.home(), engine.root());
    if engine.config().flag("search.update") && has_service() {
        return Ok(());
    }
    let report = progress::with_bar(&context.engine, cds_engine::Engine::ensure_indexed)?;
    if let Some(report) = report.filter(|r| r.parsed > 0 && stderr_is_terminal()) {
        say(&index::summary(&report));
    }
    Ok(())
}

/// 0 when something was found, 1 when not.
pub(crate) fn found(something: bool) -> u8 {
    if something { exit::FOUND } else { exit::NOTHING_FOUND }
}

pub(crate) fn filters(args: FilterArgs) -> FilterRequest {
    FilterRequest {
        languages: args.languages,
        paths: args.paths,
        exclude: args.exclude,
        types: args.types,
        kinds: args.kinds,
        node_name: args.node_name,
        parent_context: args.parent_context,
        scope_depth: args.scope_depth,
        has_definitions: args.has_definitions,
        has_references: args.has_references,
        conformances: args.conformances,
        is_test: args.is_test,
        is_public: args.is_public,
        modified_since: args.modified_since,
    }
}
