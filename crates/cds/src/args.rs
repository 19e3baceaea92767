//! Arguments as written. Names of flags are the same in every door.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Finds code by name, by words, by meaning and by pattern. Offline, no account.
#[derive(Parser, Debug)]
#[command(name = "cds", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  cds search \"where are retries handled\"      index on first use, then search
  cds search retry --lang rust --path 'src/**'  filters apply while searching
  cds symbol 'Auth*' --type class               names, by prefix
  cds outline src/main.rs                       what a file defines
  cds callers login --depth 2                   who calls it, and who calls those
  cds research 'what would break if login changed'  with evidence, and the tests that reach it
  cds grep 'fn \\w+_retry' --lang rust           regular expressions
  cds watch                                     keep the index up to date
  cds serve                                     answer other programs
  cds status --problems                         what is indexed, and what is not

Exit codes: 0 found, 1 nothing found, 2 bad arguments, 3 no usable index, 4 service error, 5 I/O error.";

/// Options of every command.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct Common {
    /// The folder to work on [default: the nearest one above with an index or version control]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Where the index lives [default: .cds-index in the root]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) index_dir: Option<PathBuf>,
    /// How answers are printed
    #[arg(long, short = 'f', global = true)]
    pub(crate) format: Option<Format>,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<Color>,
    /// Answer from the index as it is, without looking for changed files
    #[arg(long, global = true)]
    pub(crate) no_update: bool,
    /// Index also what is very large, without asking
    #[arg(long, global = true)]
    pub(crate) yes: bool,
    /// Behave as another system does, to the letter (index, search, retrieve, traverse, graph export)
    #[arg(long, global = true, value_name = "SYSTEM")]
    pub(crate) compat: Option<Compat>,
}

/// A system whose results cds reproduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// LocAgent (ACL 2025), for Python
    Locagent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: coloured code
    Human,
    /// One object with every field
    Json,
    /// One object a line
    Jsonl,
    /// Compact tables for language models
    Toon,
    /// With citations
    Markdown,
    /// Paths only, each once
    Paths,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Index the folder, or bring its index up to date
    #[command(alias = "init")]
    Index(IndexArgs),
    /// Keep the index up to date until Ctrl-C
    Watch(WatchArgs),
    #[cfg_attr(feature = "grpc", doc = "Serve JSON-RPC, HTTP, MCP and gRPC to other programs until Ctrl-C")]
    #[cfg_attr(not(feature = "grpc"), doc = "Serve JSON-RPC, HTTP and MCP to other programs until Ctrl-C")]
    Serve(ServeArgs),
    /// Answer an MCP client on standard input and output
    Mcp(McpArgs),
    /// Give cds to a coding agent: its MCP entry and a few lines of instructions
    Install(InstallArgs),
    /// Take it away again
    Uninstall(InstallArgs),
    /// Run the steps of a plan, each with what the ones before have found
    Combo(ComboArgs),
    /// Search by words, names and meaning; indexes on first use
    Search(SearchArgs),
    /// Answer a question from all that is known: impact, tests, callers, paths, implementations, modules
    Research(ResearchArgs),
    /// Find code like that at a place: path:line
    Similar(SimilarArgs),
    /// Look up an entity by name, prefix, qualified name or id
    Symbol(SymbolArgs),
    /// Show what a file or folder defines
    Outline(OutlineArgs),
    /// Print code by id: path:Outer.inner, path, path:42, path:10-20
    Retrieve(RetrieveArgs),
    /// Search the indexed files with a regular expression
    Grep(GrepArgs),
    /// Walk the code graph from an entity
    Traverse(TraverseArgs),
    /// Who calls an entity
    Callers(CallsArgs),
    /// What an entity calls
    Callees(CallsArgs),
    /// The shortest way from one entity to another
    Path(PathArgs),
    /// Which types extend, implement or conform to one
    Implementations(CallsArgs),
    /// Which files use a file, or a module from outside
    Dependents(CallsArgs),
    /// The graph as a whole
    #[command(subcommand)]
    Graph(GraphCommand),
    /// Add, list, test and choose models for search by meaning
    #[command(subcommand)]
    Model(ModelCommand),
    /// Measure how well searches answer a set of questions
    Eval(EvalArgs),
    /// Show what is indexed, how fresh it is and what was left out
    Status(StatusArgs),
    /// Show every setting with its value and origin
    Config(ConfigArgs),
    /// Print shell completions
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
}

#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  cds serve\n  cds serve ~/src/one ~/src/two --port 9000\n  cds serve --socket /run/user/1000/cds.sock --no-tcp\n  CDS_TOKEN=... cds serve --address 0.0.0.0 --allow-host code.example\n\nThe API is described at /api/docs and /api/openapi.json. Other machines need the token of CDS_TOKEN."
)]
pub(crate) struct ServeArgs {
    /// Folders to serve [default: as --root]
    pub(crate) paths: Vec<PathBuf>,
    /// The address to listen on; one that other machines reach needs a token in CDS_TOKEN
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) address: std::net::IpAddr,
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 9876)]
    pub(crate) port: u16,
    /// Also listen on a Unix socket, for this user alone
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Listen on the socket alone
    #[arg(long, requires = "socket")]
    pub(crate) no_tcp: bool,
    /// Serve with this certificate (PEM), so that nobody on the way can read along
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Another name the service is called by; repeat for more
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// A site whose pages may ask, by scheme and name; repeat for more
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Only folders below this one can be opened by clients; repeat for more [default: those that are served]
    #[arg(long, value_name = "DIR")]
    pub(crate) allow_root: Vec<PathBuf>,
    /// The tools that MCP clients are offered; all: those of LocAgent as well
    #[arg(long, value_enum, default_value_t)]
    pub(crate) tools: Tools,
    /// Do not look for changed files
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// Write a line of JSON about each request to standard error: never code or queries
    #[arg(long)]
    pub(crate) log: bool,
}

#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  cds install claude\n  cds install cursor vscode --dry-run\n  cds install codex --user\n  cds uninstall claude\n\nAgents: claude, cursor, codex, vscode, gemini, opencode, zed. Only what cds wrote is ever changed."
)]
pub(crate) struct InstallArgs {
    /// The agents
    #[arg(required = true, value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// For all projects of this user instead of this one
    #[arg(long)]
    pub(crate) user: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  cds combo plan.yaml\n  cds combo plan.yaml --dry-run\n  cds combo plan.yaml --set name=login --allow-shell\n\nA plan:\n  name: who calls it\n  steps:\n    - name: find\n      command: symbol\n      args: [\"${name}\", --limit, 1]\n      output_var: found\n    - name: callers\n      command: callers\n      args: [\"${found.hits[0].id}\"]\n      output_var: callers\n  final_output: ${callers.nodes}"
)]
pub(crate) struct ComboArgs {
    /// The plan, in YAML or JSON
    pub(crate) plan: PathBuf,
    /// Show the steps, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run steps that are commands of the shell
    #[arg(long)]
    pub(crate) allow_shell: bool,
    /// A variable before the first step; repeat for more
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Which tools MCP clients are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tools {
    #[default]
    Default,
    All,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:\n  cds mcp\n  cds mcp --root ~/src/project\n  claude mcp add cds -- cds mcp")]
pub(crate) struct McpArgs {
    /// Folders to serve [default: as --root, and those that the client names]
    pub(crate) paths: Vec<PathBuf>,
    /// The tools that MCP clients are offered; all: those of LocAgent as well
    #[arg(long, value_enum, default_value_t)]
    pub(crate) tools: Tools,
    /// Do not look for changed files
    #[arg(long)]
    pub(crate) no_watch: bool,
}

#[derive(ClapArgs, Debug)]
#[command(
    after_help = "Examples:\n  cds index\n  cds index ~/src/project --force\n  cds index --index-dir /tmp/idx\n  cds index --compat locagent"
)]
pub(crate) struct IndexArgs {
    /// The folder [default: as --root]
    pub(crate) path: Option<PathBuf>,
    /// Read everything anew; also repairs a damaged index
    #[arg(long)]
    pub(crate) force: bool,
    /// Larger files are skipped and listed, in bytes
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_file_size: Option<u64>,
    /// Leave words of comments and doc comments out
    #[arg(long)]
    pub(crate) no_comments: bool,
    /// How long to wait for another process that indexes the folder; 0 reports it at once [default: 600]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) wait: Option<u64>,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds watch                       one line for every update
  cds watch ~/src/project -f json one object a line, for scripts
  cds watch --poll=5              for file systems that do not tell what changes")]
pub(crate) struct WatchArgs {
    /// The folder [default: as --root]
    pub(crate) path: Option<PathBuf>,
    /// Look for changes every so many seconds instead of being told by the system [without a number: 2]
    #[arg(long, num_args = 0..=1, default_missing_value = "2", value_name = "SECONDS", require_equals = true,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) poll: Option<u64>,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
}

/// What indexing may take of the machine.
#[derive(ClapArgs, Clone, Debug, Default)]
pub(crate) struct EffortArgs {
    /// Threads to index with [default: one for each core]
    #[arg(long, short = 'j', value_name = "N")]
    pub(crate) jobs: Option<u64>,
    /// Memory to index with, such as 500M or 1G
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_memory: Option<String>,
    /// Leave the processor to others first
    #[arg(long)]
    pub(crate) nice: bool,
}

/// How a part of the graph is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Draw {
    /// A tree of lines
    #[default]
    Tree,
    /// For GraphViz
    Dot,
    /// For Markdown pages
    Mermaid,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds traverse src/app.py:App.run                      what it uses, two edges deep
  cds traverse App.run --direction backward --depth 3  what uses it
  cds traverse App --edge inherit,invoke --certainty typed
  cds traverse App --draw mermaid")]
pub(crate) struct TraverseArgs {
    /// Ids, qualified names, or names that only one entity bears
    #[arg(required = true)]
    pub(crate) from: Vec<String>,
    #[command(flatten)]
    pub(crate) route: RouteArgs,
}

/// Which edges are followed, and which way.
#[derive(ClapArgs, Debug)]
pub(crate) struct RouteArgs {
    /// forward, backward or both
    #[arg(long)]
    pub(crate) direction: Option<String>,
    /// Edges: contain, import, invoke, inherit [default: all but contain]
    #[arg(long = "edge", alias = "edges", value_delimiter = ',', value_name = "KIND")]
    pub(crate) edges: Vec<String>,
    #[command(flatten)]
    pub(crate) walk: WalkArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum GraphCommand {
    /// Print every node and every edge, one object a line
    Export(ExportArgs),
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds graph export > graph.jsonl
  cds graph export --edges | jq -r 'select(.certainty != \"named\") | .to' | sort | uniq -c
  cds graph export --compat locagent --nodes           as LocAgent would have it")]
pub(crate) struct ExportArgs {
    /// Nodes only
    #[arg(long, conflicts_with = "edges")]
    pub(crate) nodes: bool,
    /// Edges only
    #[arg(long)]
    pub(crate) edges: bool,
}

/// What every walk takes.
#[derive(ClapArgs, Debug)]
pub(crate) struct WalkArgs {
    /// How many edges away, 1 to 10 (with --compat locagent from 0 on, and -1 for as deep as it goes)
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) depth: Option<i32>,
    /// Only entities of these types: directory, file, class, function, external
    #[arg(long = "type", value_delimiter = ',', value_name = "TYPE")]
    pub(crate) types: Vec<String>,
    /// The least sure way an edge may be known: scoped, imported, typed or named [default: named]
    #[arg(long, value_name = "HOW")]
    pub(crate) certainty: Option<String>,
    /// How many entities [default: 100]
    #[arg(long, short = 'n')]
    pub(crate) limit: Option<usize>,
    /// How it is drawn for people
    #[arg(long, default_value = "tree")]
    pub(crate) draw: Draw,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds callers login                      direct callers
  cds callers login --depth 3            through the chain
  cds callees src/app.py:App.run --certainty typed
  cds implementations Codable            also by extensions
  cds dependents src/db.py               files that use it
  cds dependents requests                files that use a library")]
pub(crate) struct CallsArgs {
    /// An id, a qualified name, or a name that only one entity bears
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) walk: WalkArgs,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds path main Database.query
  cds path src/app.py:App.run src/db.py --edge import")]
pub(crate) struct PathArgs {
    /// Where it begins
    pub(crate) from: String,
    /// Where it ends
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) route: RouteArgs,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds search \"where are retries handled\"
  cds search 'parse config' --lang python --exclude 'tests/**' --limit 5
  cds search '\"connection reset\"'                 a phrase
  cds search 'Auth*' --granularity entity          a prefix
  cds search login --granularity document          files with their best chunks
  cds search login --format toon --max-tokens 1500 for an agent with a budget
  cds search login --explain                       why each hit stands where it does
  cds search --compat locagent Session 'get adapter'  LocAgent's search tool; each argument is a term")]
pub(crate) struct SearchArgs {
    /// Words, names, "phrases" and prefixes*
    #[arg(required_unless_present = "lines")]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
    /// How much text: fold, preview or full; several separated by commas are all in the JSON
    #[arg(long)]
    pub(crate) snippet: Option<String>,
    /// Budget of the answer in estimated tokens
    #[arg(long)]
    pub(crate) max_tokens: Option<usize>,
    /// Go on where an earlier answer left off
    #[arg(long)]
    pub(crate) cursor: Option<String>,
    /// Show every number that made the score
    #[arg(long)]
    pub(crate) explain: bool,
    /// With --compat locagent: lines of the file that --path names
    #[arg(long, value_delimiter = ',', value_name = "LINE", requires = "compat")]
    pub(crate) lines: Vec<i64>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds config                                   every setting, and the numbers of presets that files replace
  cds config --preset rice                     every number of one preset")]
pub(crate) struct ConfigArgs {
    /// Show every number of this preset instead
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
}

/// What is looked for and how it is ranked.
#[derive(ClapArgs, Debug)]
pub(crate) struct HowArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// How many hits [default: 10; 5 documents]
    #[arg(long, short = 'n')]
    pub(crate) limit: Option<usize>,
    /// What a hit stands for: file, document, chunk, entity or both (documents, then chunks)
    #[arg(long)]
    pub(crate) granularity: Option<String>,
    /// How many documents, in granularity document or both [default: 5]
    #[arg(long)]
    pub(crate) files: Option<usize>,
    /// How many chunks of one file
    #[arg(long)]
    pub(crate) chunks_per_file: Option<usize>,
    /// Ranking: default, cds-index (names, then BM25), bm25, dense, sparse, hybrid, swiftindex, rice, rice-sparse,
    /// rice-dense, breeze
    #[arg(long)]
    pub(crate) preset: Option<String>,
    /// Names that are enough without BM25 (preset cds-index)
    #[arg(long)]
    pub(crate) upper_threshold: Option<usize>,
    /// The least similarity of what meaning finds, 0 to 1
    #[arg(long, value_name = "COSINE")]
    pub(crate) min_similarity: Option<f32>,
    /// How much meaning counts beside words, 0 to 1 (presets that mix both)
    #[arg(long, value_name = "SHARE")]
    pub(crate) semantic_weight: Option<f32>,
    /// How much ranks count beside scores, 0 to 1 (presets that mix both)
    #[arg(long, value_name = "SHARE")]
    pub(crate) alpha: Option<f32>,
    /// Replace a number of the preset (docs/search.md lists them)
    #[arg(long, value_name = "NAME=NUMBER", value_parser = number)]
    pub(crate) set: Vec<(String, f32)>,
    /// Leave words out: meaning alone finds
    #[arg(long)]
    pub(crate) no_bm25: bool,
    /// Follow the code graph this many steps from the best hits: what they call, inherit and import joins
    #[arg(long, default_value_t = 0, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(0..=5))]
    pub(crate) depth: u32,
    /// Choose each next hit for being unlike those before it: how much standing counts, 0 to 1
    #[arg(long, num_args = 0..=1, default_missing_value = "0.7", value_name = "SHARE", require_equals = true)]
    pub(crate) mmr: Option<f32>,
    /// Let a reranker judge the first candidates (see `cds model`)
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", require_equals = true)]
    pub(crate) rerank: Option<bool>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds similar src/auth.py:42                   chunks most like the one at that line
  cds similar src/auth.py:42 --exclude 'tests/**' --min-similarity 0.6")]
pub(crate) struct SimilarArgs {
    /// path:line, path:from-to, or a path
    pub(crate) place: String,
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// How many hits [default: 10]
    #[arg(long, short = 'n')]
    pub(crate) limit: Option<usize>,
    /// The least similarity, 0 to 1
    #[arg(long, value_name = "COSINE")]
    pub(crate) min_similarity: Option<f32>,
    /// How much text: fold, preview or full; several separated by commas are all in the JSON
    #[arg(long)]
    pub(crate) snippet: Option<String>,
    /// Budget of the answer in estimated tokens
    #[arg(long)]
    pub(crate) max_tokens: Option<usize>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds research 'what would break if Session.send changed'   who uses it, and which tests reach it
  cds research 'which tests reach parse_header'
  cds research 'how does login reach validateCredentials'   the call path, step by step
  cds research 'what implements Encoder'
  cds research 'what depends on src/auth'
  cds research 'dependency map' --limit 40                  how the parts of the project use each other
  cds research Session                                      all there is to say of a name
  cds research 'how are retries handled' --focus flow       no name in it: what a search finds is asked about

--focus chooses sections: architecture (modules, implementations, external), dependencies (dependents,
dependencies, external), patterns (implementations, related, similar), flow (path, callers, callees).")]
pub(crate) struct ResearchArgs {
    /// A question, a name or an id
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// What to learn: architecture, dependencies, patterns or flow [default: what the question asks for]
    #[arg(long)]
    pub(crate) focus: Option<String>,
    /// How many steps are followed, 1 to 10 [default: 3 for callers and impact, 5 for tests]
    #[arg(long)]
    pub(crate) depth: Option<u32>,
    /// How many findings a section shows [default: 20]
    #[arg(long, short = 'n')]
    pub(crate) limit: Option<usize>,
    /// The least sure way an edge may be known: scoped, imported, typed or named [default: named]
    #[arg(long, value_name = "HOW")]
    pub(crate) certainty: Option<String>,
    /// Budget of the answer in estimated tokens
    #[arg(long)]
    pub(crate) max_tokens: Option<usize>,
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
}

/// One flag for each filter; lists take several values, separated by commas or repeated.
#[derive(ClapArgs, Debug, Default)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Languages: rust, python, go, ...
    #[arg(long = "lang", value_delimiter = ',', value_name = "LANGUAGE")]
    pub(crate) languages: Vec<String>,
    /// Path glob, folder, file name or .extension
    #[arg(long = "path", value_name = "GLOB")]
    pub(crate) paths: Vec<String>,
    /// Path glob to leave out
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Entity types: directory, file, class, function
    #[arg(long = "type", value_delimiter = ',', value_name = "TYPE")]
    pub(crate) types: Vec<String>,
    /// Kinds: struct, trait, method, ...
    #[arg(long = "kind", value_delimiter = ',', value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// The entity's name, a glob or /regex/
    #[arg(long, value_name = "PATTERN")]
    pub(crate) node_name: Option<String>,
    /// Name or signature of the entity around it, a glob or /regex/
    #[arg(long, value_name = "PATTERN")]
    pub(crate) parent_context: Option<String>,
    /// Least and greatest nesting depth
    #[arg(long, value_name = "MIN,MAX", value_parser = scope_depth)]
    pub(crate) scope_depth: Option<(u32, u32)>,
    /// Names of which one must be defined
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) has_definitions: Vec<String>,
    /// Names of which one must be used
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) has_references: Vec<String>,
    /// Bases, interfaces or traits of which one must be named
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) conformances: Vec<String>,
    /// Only tests (true) or no tests (false)
    #[arg(long, value_name = "BOOL")]
    pub(crate) is_test: Option<bool>,
    /// Only public (true) or only private (false)
    #[arg(long, value_name = "BOOL")]
    pub(crate) is_public: Option<bool>,
    /// Changed since: seconds since 1970, or 90s, 15m, 12h, 7d, 4w ago
    #[arg(long, value_name = "WHEN")]
    pub(crate) modified_since: Option<String>,
}

fn number(text: &str) -> Result<(String, f32), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=NUMBER, such as file_dense=2")?;
    Ok((name.to_owned(), value.parse().map_err(|_| format!("{value:?} is not a number"))?))
}

fn scope_depth(text: &str) -> Result<(u32, u32), String> {
    let (min, max) = text.split_once(',').ok_or("write MIN,MAX, such as 1,3")?;
    let number = |t: &str| t.trim().parse::<u32>().map_err(|_| format!("{t:?} is not a whole number"));
    Ok((number(min)?, number(max)?))
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds symbol AuthManager                    the declaration, then its members
  cds symbol 'Auth*' --type class           a prefix
  cds symbol Session.close                  qualified
  cds symbol authmanger --fuzzy             misspelled
  cds symbol parse --lang rust --snippet full")]
pub(crate) struct SymbolArgs {
    /// A name, prefix*, qualified name, path or id
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// Case does not count
    #[arg(long, short = 'i')]
    pub(crate) ignore_case: bool,
    /// A letter or two may differ
    #[arg(long)]
    pub(crate) fuzzy: bool,
    /// How many [default: 10]
    #[arg(long, short = 'n')]
    pub(crate) limit: Option<usize>,
    /// How much text: fold, preview or full [default: fold]
    #[arg(long)]
    pub(crate) snippet: Option<String>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:\n  cds outline src/main.rs\n  cds outline src --depth 1\n  cds outline README.md")]
pub(crate) struct OutlineArgs {
    /// A file or folder, relative to the root
    #[arg(default_value = "")]
    pub(crate) path: String,
    /// Deepest nesting shown [default: all of a file, the top level of a folder]
    #[arg(long)]
    pub(crate) depth: Option<u32>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:
  cds retrieve src/auth.py:Session.close
  cds retrieve src/auth.py:10-40
  cds search login --format jsonl | jq -r .id | cds retrieve -")]
pub(crate) struct RetrieveArgs {
    /// Ids; - or none: one a line from standard input
    pub(crate) ids: Vec<String>,
    /// How much text: fold, preview or full [default: full]
    #[arg(long)]
    pub(crate) snippet: Option<String>,
    /// Budget of the answer in estimated tokens
    #[arg(long)]
    pub(crate) max_tokens: Option<usize>,
}

#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:\n  cds grep 'TODO|FIXME' --lang rust\n  cds grep -F 'a.b(c)' --path 'src/**'")]
pub(crate) struct GrepArgs {
    /// A regular expression (Rust syntax)
    pub(crate) pattern: String,
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// Case does not count
    #[arg(long, short = 'i')]
    pub(crate) ignore_case: bool,
    /// The pattern is plain text
    #[arg(long, short = 'F')]
    pub(crate) fixed_strings: bool,
    /// Whole words only
    #[arg(long, short = 'w')]
    pub(crate) word: bool,
    /// How many lines
    #[arg(long, short = 'n', default_value_t = 1000)]
    pub(crate) limit: usize,
}

#[derive(Subcommand, Debug)]
#[command(after_help = "Examples:
  cds model list
  cds model add ~/models/all-MiniLM-L6-v2
  cds model test all-MiniLM-L6-v2
  cds model use all-MiniLM-L6-v2 && cds index   for this project
  cds model use builtin && cds index            back to what is inside the binary
  cds model use none --for sparse")]
pub(crate) enum ModelCommand {
    /// Show every model, and which are in use
    List,
    /// Add the model of a folder: config.json, model.safetensors, tokenizer.json
    Add {
        /// The folder
        folder: PathBuf,
        /// What to call it [default: the folder's name]
        #[arg(long)]
        name: Option<String>,
    },
    /// Write into the project's .cds.toml that a model is to be used
    Use {
        /// A model's name; or builtin, none, service
        name: String,
        /// What for: dense, sparse or reranker [default: what the model is]
        #[arg(long = "for", value_name = "PURPOSE")]
        purpose: Option<String>,
        /// Into your own settings, for every project
        #[arg(long)]
        user: bool,
    },
    /// Load a model and show what it makes of a few texts
    Test {
        /// Its name; builtin or service
        name: String,
    },
    /// Forget a model; its folder stays
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(ClapArgs, Debug)]
#[command(
    after_help = "A line of QUERIES is {\"id\", \"query\", \"targets\": [{\"path\", \"start_line\"?, \"end_line\"?}]} with \"repo\",
\"language\" and \"category\" if you like, or an issue with the functions to change; docs/eval.md tells all.

Examples:
  cds eval questions.jsonl                              ask this project
  cds eval questions.jsonl --worst 5                    and look into the worst answers
  cds eval questions.jsonl --against '--preset bm25'    what the default ranking is worth
  cds eval questions.jsonl --set file_dense=3 --against ''   what a change of a weight does
  cds eval set.jsonl --repos ~/src --index-dir /tmp/idx -f json

Exit codes: as elsewhere; 1 when a repository is missing."
)]
pub(crate) struct EvalArgs {
    /// Questions with known answers, one JSON object a line
    pub(crate) queries: PathBuf,
    /// A folder with one folder for each repository that questions name [default: all are asked of the root]
    #[arg(long, value_name = "DIR")]
    pub(crate) repos: Option<PathBuf>,
    /// A JSON list of objects with name, benchmark_root (the folder to index) and path
    #[arg(long, value_name = "FILE", requires = "repos")]
    pub(crate) repos_file: Option<PathBuf>,
    /// Ask again with these options in place of those given, and compare
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) against: Option<String>,
    /// Look into this many of the worst answers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) worst: usize,
    /// Write the hits as the scorers of public benchmarks read them, one question a line
    #[arg(long, value_name = "FILE")]
    pub(crate) predictions: Option<PathBuf>,
    /// Write every question with its score, ranks, times, hits and signals, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) details: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// Options written as one text.
#[derive(Parser, Debug)]
#[command(no_binary_name = true, disable_help_flag = true)]
pub(crate) struct Against {
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct StatusArgs {
    /// List every file that was left out or read badly, with the reason
    #[arg(long)]
    pub(crate) problems: bool,
}
