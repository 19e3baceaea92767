// Made by generate.mjs from openapi.json: change neither by hand.

/** How a query was understood. */
export interface ParsedQuery {
  /** As asked. */
  original: string;
  /** `symbol`, `natural`, `mixed`, `path` or `regex`. */
  kind: string;
  /** `navigational`, `factual`, `exploratory` or `analytical`. */
  intent: string;
  /** How sure the intent is, from 0 to 1. */
  confidence: number;
  /** Words without stop words. */
  keywords: string[];
  /** Words that are names in code. */
  code_terms: string[];
  /** Languages that it asks for. */
  languages?: string[];
  /** Other words for its words. */
  expanded?: string[];
  /** Whether a model that is loaded or asked over the network took part. The tables inside the binary are none. */
  used_model: boolean;
  /** Whether it was read as a report: a long text with a title, prose, code and stacks. */
  is_report: boolean;
}

/** One hit: a chunk, an entity or a document. */
export interface Hit {
  /** `path:Outer.inner` for entities, `path:10-20` for other chunks, the path for documents. */
  id: string;
  /** The chunk's own id, equal as long as its text and place are. */
  chunk_id?: string;
  /** Relative to the root. */
  path: string;
  /** First line, from 1. */
  start_line: number;
  /** Last line. */
  end_line: number;
  /** First byte in the file on disk. */
  start_byte: number;
  /** One past the last byte. */
  end_byte: number;
  /** The language it is written in: that of the embedded block it lies in, or the file's. */
  language: string;
  /** `directory`, `file`, `class` or `function`. */
  entity_type: string;
  /** The language's own word, `block` or `section`. */
  kind: string;
  /** The entity's name. */
  name?: string | null;
  /** `Outer > Inner > member` */
  breadcrumb?: string;
  /** The same as a list. */
  scope_path?: string[];
  /** The signature of the entity around it. */
  parent_context?: string | null;
  /** Everything before the body. */
  signature?: string | null;
  /** Without markers. */
  doc_comment?: string | null;
  /** Keywords in front of the name. */
  modifiers?: string[];
  /** Decorators, annotations, attributes. */
  decorators?: string[];
  /** Bases, interfaces, traits. */
  conformances?: string[];
  /** Names the chunk declares, those of entities first. */
  definitions?: string[];
  /** Names the chunk uses, those of calls and types first. */
  references?: string[];
  /** Whether it declares a type. */
  is_type_declaration: boolean;
  /** Whether it is a test. */
  is_test: boolean;
  /** Whether its definition was recovered from a part of a file with syntax errors: its lines and parameters may be incomplete. */
  recovered?: boolean;
  /** Whether others may use it. */
  is_public: boolean;
  /** 0..1; none where nothing was ranked. */
  score?: number | null;
  /** The same in percent. */
  relevance_percent?: number | null;
  /**
   * `name`, `bm25` or `hybrid`; for names how they answered: `exact`, `prefix`, `any_case`, `fuzzy`, `member`.
   * None where an id was asked for.
   */
  match_type?: string | null;
  /** Each retriever's score. In presets that mix retrievers, `rrf` is the sum of their weights, each divided by `k` plus the rank. */
  scores?: Record<string, number>;
  /** Each retriever's rank, from 1. */
  ranks?: Record<string, number>;
  /**
   * What made the score, in the order of application: evidence that is added, the greatest first; multipliers of the sum; then what the
   * graph or a reranker adds.
   */
  signals?: Record<string, number>;
  /** Line, first and last-plus-one character of each match in the snippet. */
  highlights?: [number, number, number][];
  /** The text shown. */
  snippet?: string;
  /** The line it begins on. */
  snippet_line: number;
  /** The text at each level, where the request names several. */
  snippets?: Record<string, string>;
  /** Searches only: words of the query that the hit has in its text, its name or its path, in the order of the query. */
  matched_terms?: string[];
  /** Estimated tokens of the whole chunk. */
  token_count: number;
  /** blake3 of the file's bytes from `start_byte` to `end_byte`, of hits that are chunks. */
  hash?: string;
  /** Seconds since 1970. */
  indexed_at: number;
  /** Steps from a direct hit. */
  hop_depth: number;
  /** Whether the file has changed since it was indexed. */
  stale: boolean;
  /** How many more chunks of the file matched. */
  more_in_file?: number;
  /** Chunks grouped by file only: the score of the group, 0 to 1. */
  group_score?: number | null;
  /** Documents only: number of chunks. */
  chunk_count?: number | null;
  /** Documents only: every language in it, the one with most tokens first. */
  languages?: string[];
  /** Documents only: the language with most tokens. */
  primary_language?: string | null;
  /** Documents only: bytes. */
  size?: number | null;
  /** Documents only: seconds since 1970. */
  last_modified?: number | null;
  /** Documents only: its best chunks. */
  chunks?: Hit[];
  /** Which project it is of, where several were asked. */
  project?: string;
}

/** An entity of the graph. */
export interface GraphNode {
  /** `path:Outer.inner`; `#2` and so on behind it tells overloads and other twins in the file from the first. */
  id: string;
  /** Its own name. */
  name: string;
  /** `directory`, `file`, `class` or `function`; `external` for what the tree does not have. */
  entity_type: string;
  /** The language's own word; `external` for what the tree does not have. */
  kind: string;
  /** Relative to the root. */
  path: string;
  /** First line; 0 where there is none. */
  start_line: number;
  /** Last line. */
  end_line: number;
  /** How much it matters by who uses it, from 0 to 1: PageRank over certain edges. */
  importance: number;
  /** How many edges away. */
  depth: number;
  /** Whether its file changed since it was indexed, so that lines and edges may be others now. */
  stale?: boolean;
}

/** An edge of the graph, in its own direction. */
export interface GraphEdge {
  /** The id it begins at. */
  from: string;
  /** The id it leads to. */
  to: string;
  /** `contain`, `import`, `invoke` or `inherit`. */
  kind: string;
  /** `scoped`, `imported`, `typed` or `named`. */
  certainty: string;
  /** Among how many this one was found. */
  candidates: number;
  /** `path:line` of the first place that says so. */
  site?: string;
  /** How many places say so. */
  sites: number;
  /** What an import calls it. */
  alias?: string | null;
  /** How many edges away it was followed. */
  depth: number;
  /** Whether it was followed against its direction. */
  backward: boolean;
  /** Whether it leads to what had been reached before. */
  repeated: boolean;
}

/** Calls that could not be resolved: of a name that too many entities bear, or only such as are not visible to the caller. */
export interface Unresolved {
  /** How many. */
  count: number;
  /** The first of them. */
  sites: UnresolvedSite[];
}

/** One of them. */
export interface UnresolvedSite {
  /** `path:line` */
  site: string;
  /** The entity that calls. */
  from: string;
  /** How many entities bear the name. */
  candidates: number;
}

/** What a question is about. */
export interface ResearchSubject {
  /** `path:Outer.inner` */
  id: string;
  /** Its own name. */
  name: string;
  /** `directory`, `file`, `class` or `function`. */
  entity_type: string;
  /** The language's own word; `external` for what the tree does not have. */
  kind: string;
  /** Relative to the root. */
  path: string;
  /** First line; 0 where there is none. */
  start_line: number;
  /** Last line. */
  end_line: number;
  /** The file's language. */
  language?: string;
  /** Everything before the body. */
  signature?: string | null;
  /** The first line of its doc comment. */
  doc?: string | null;
  /** How much it matters by who uses it, from 0 to 1: PageRank over certain edges. */
  importance: number;
  /** Where a path leads: the other end. */
  is_target?: boolean;
}

/** One part of the answer. */
export interface ResearchSection {
  /**
   * `callees`, `callers`, `dependencies`, `dependents`, `external`, `impact`, `implementations`, `modules`, `path`, `related`,
   * `similar` or `tests`.
   */
  kind: string;
  /** What it says, in a sentence. */
  about: string;
  /** Surest and nearest first; the steps of a path in their order. */
  findings: Finding[];
  /** How many there are in all. */
  total: number;
  /** Whether there are more than are shown, or than were looked for. */
  truncated: boolean;
  /** How many of all rest on a guess: a name that several entities bear. */
  guesses?: number;
  /** Calls that may mean the subjects among too many others to say so; none of them is a finding. */
  unresolved?: Unresolved | null;
}

/** Something that was found, with its evidence. */
export interface Finding {
  /** `path:Outer.inner`, or a path. */
  id: string;
  /** Its own name. */
  name: string;
  /** `directory`, `file`, `class` or `function`. */
  entity_type: string;
  /** The language's own word; `external` for what the tree does not have. */
  kind: string;
  /** Relative to the root. */
  path: string;
  /** First line; 0 where there is none. */
  start_line: number;
  /** Last line. */
  end_line: number;
  /** Whether it is a test. */
  is_test?: boolean;
  /** How many steps away. */
  depth: number;
  /** The step before it: a subject or a part of one, another finding, or what is shared. */
  from?: string;
  /** The last edge: `import`, `invoke` or `inherit`. */
  edge?: string;
  /** How the least sure edge of the way is known: `scoped`, `imported`, `typed` or `named`; none where no edge led here. */
  certainty?: string;
  /** Among how many the most doubtful step was chosen, where there was a choice. */
  candidates?: number;
  /** `path:line` of each edge of the way, the subject's end first. */
  via?: string[];
  /** The code at the last of them. */
  text?: string;
  /** Where it stands for several edges: how many of each kind. */
  counts?: EdgeCounts | null;
  /** Modules from outside: how many files use it. */
  files?: number;
  /** Related code: how many entities both are joined to. */
  shared?: number;
  /** Similar code: the cosine of both. */
  similarity?: number | null;
}

/** Edges between two things, by kind. */
export interface EdgeCounts {
  /** Imports. */
  import?: number;
  /** Calls. */
  invoke?: number;
  /** Bases, interfaces, traits. */
  inherit?: number;
  /** Edges that are guesses; in none of the others. */
  guesses?: number;
}

/** An id that names nothing, or too much. */
export interface RetrieveMiss {
  /** As asked. */
  id: string;
  /** Why it is missing. */
  reason: string;
  /** Ids that may be meant. */
  candidates: string[];
}

/** One file. */
export interface OutlineFile {
  /** Relative to the root. */
  path: string;
  /** Its language. */
  language: string;
  /** Number of lines. */
  lines: number;
  /** Whether it changed since it was indexed. */
  stale: boolean;
  /** What it defines, in order. */
  entities: OutlineEntity[];
}

/** One definition, or a heading of prose. */
export interface OutlineEntity {
  /** Its id. */
  id: string;
  /** The language's own word. */
  kind: string;
  /** Its name. */
  name: string;
  /** How deep it is nested. */
  depth: number;
  /** First line. */
  start_line: number;
  /** Last line. */
  end_line: number;
  /** Everything before the body. */
  signature: string;
  /** The first line of its doc comment. */
  doc?: string | null;
}

/** A line that matches. */
export interface GrepHit {
  /** Relative to the root. */
  path: string;
  /** The file's language. */
  language: string;
  /** From 1. */
  line: number;
  /** First character of the first match, from 1. */
  column: number;
  /** The line. */
  text: string;
  /** Matches: first character and one past the last, from 0. */
  matches: [number, number][];
  /** The innermost entity around it. */
  entity?: string | null;
  /** Whether the file changed since it was indexed. */
  stale: boolean;
  /** Which project it is of, where several were asked. */
  project?: string;
}

/** Files of one language. */
export interface LanguageCount {
  /** Its name. */
  language: string;
  /** How many files. */
  files: number;
  /** How many lines. */
  lines: number;
}

/** A file left out, or read badly. */
export interface ProblemShape {
  /** Relative to the root. */
  path: string;
  /** One word. */
  reason: string;
  /** In words. */
  detail: string;
  /** Whether the file is missing from the index. */
  skipped: boolean;
  /** Size in bytes, and when it was changed, in nanoseconds since 1970. */
  stamp: [number, number] | null;
}

/** Where a task stands. */
export type TaskState =
  /** It waits for another of its project. */
  | "pending"
  /** It is under way. */
  | "running"
  /** It ended well. */
  | "completed"
  /** It did not. */
  | "failed"
  /** An equal one was asked for before: follow that one. */
  | "merged"
  /** It was cancelled. */
  | "cancelled";

/** How an index is doing. */
export interface State {
  /** `indexing` until there is a whole index, then `ready`, also while it is brought up to date; `failed`. */
  state: string;
  /** What is being done, where something is. */
  phase?: string;
  /** Files done. */
  done: number;
  /** Files in all; 0 while they are being counted. */
  total: number;
  /** Why it failed. */
  error?: string;
}

/** A task as others see it. */
export interface Task {
  /** What to ask for it by. */
  id: string;
  /** The project. */
  project: string;
  /** Whether everything is read anew. */
  force: boolean;
  /** Where it stands. */
  state: TaskState;
  /** What is being done. */
  phase: string;
  /** Files done. */
  done: number;
  /** Files in all; 0 while they are being counted. */
  total: number;
  /** Which task does the work, of one that was merged. */
  merged_into?: string | null;
  /** Why it failed. */
  error?: string | null;
  /** Files in the index, at the end. */
  files?: number | null;
  /** Files whose facts were computed. */
  parsed?: number | null;
  /** Wall time. */
  seconds?: number | null;
}

/** A project as others see it. */
export interface Project {
  /** What requests call it. */
  name: string;
  /** Its folder. */
  root: string;
  /** How its index is doing. */
  index: State;
}

export interface Fault {
  error: {
    code: string;
    message: string;
    /** `field`, `expected` and `received` of a parameter at fault. */
    data?: Record<string, unknown>;
  };
}

/** What `POST /api/v1/search` takes. Search code by words, names and meaning. Best hits first. */
export interface SearchRequest {
  /** The words. */
  query: string;
  /** How many hits; none: the setting's. */
  limit?: number | null;
  /** `file`, `document`, `chunk`, `entity` or `both`; none: as the preset says. */
  granularity?: "file" | "document" | "chunk" | "entity" | "both" | null;
  /** How many chunks of one file; none: the setting's, 3 for documents, all for chunks. */
  chunks_per_file?: number | null;
  /** Languages, by name or alias. */
  lang?: string[] | string | null;
  /** Path globs, prefixes or extensions. */
  path?: string[] | string | null;
  /** Path globs to leave out. */
  exclude?: string[] | string | null;
  /** Entity types. */
  type?: string[] | string | null;
  /** Kinds, such as `struct` or `method`. */
  kind?: string[] | string | null;
  /** A name, a glob or `/regex/`. */
  node_name?: string | null;
  /** The same for the entity around it, by name or signature. */
  parent_context?: string | null;
  /** Least and greatest nesting depth. */
  scope_depth?: [number, number] | null;
  /** Names defined. */
  has_definitions?: string[] | string | null;
  /** Names used. */
  has_references?: string[] | string | null;
  /** Names conformed to. */
  conformances?: string[] | string | null;
  /** Tests only, or none. */
  is_test?: boolean | null;
  /** Public only, or none. */
  is_public?: boolean | null;
  /** Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now. */
  modified_since?: string | null;
  /** A preset's name; none: the setting's. */
  preset?: string | null;
  /** `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: the setting's. */
  snippet?: string | null;
  /** Budget in estimated tokens; none: the setting's. */
  max_tokens?: number | null;
  /** Names that are enough without BM25; none: the setting's. */
  upper_threshold?: number | null;
  /** Where an earlier answer left off. */
  cursor?: string | null;
  /** The least cosine of what meaning finds, 0 to 1. */
  min_similarity?: number | null;
  /** How much meaning counts beside words, 0 to 1, in a preset that mixes both. */
  semantic_weight?: number | null;
  /** How much ranks count beside scores, 0 to 1, in such a preset. */
  alpha?: number | null;
  /** Numbers of the preset to replace, by name. */
  set?: Record<string, number> | null;
  /** How many documents, where hits are documents or both; none: 5. */
  files?: number | null;
  /** Whether words are left out, so that meaning alone finds. */
  no_bm25?: boolean | null;
  /** Whether a reranker reads the first candidates; none: as the preset says. */
  rerank?: boolean | null;
  /** Steps that the graph is followed from the best hits, up to 5; 0: none. */
  depth?: number | null;
  /** How much standing counts beside novelty, 0 to 1; none: hits that are alike may follow each other. */
  mmr?: number | null;
  /** Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one. */
  project?: string | string[] | null;
}

/** What `POST /api/v1/search` gives. Search code by words, names and meaning. Best hits first. */
export interface SearchResponse {
  /** As asked. */
  query: string;
  /** As understood. */
  parsed_query: ParsedQuery;
  /** How many there are in all: as many as all pages have. */
  total: number;
  /** Whether there are more than that. What is near in meaning has no end, and time may run out. */
  total_is_lower_bound?: boolean;
  /** Whether time ran out, a model could not be used, or the index is not whole yet. */
  partial: boolean;
  /** What the reader should know. */
  warnings: string[];
  /** Milliseconds by stage. */
  timings_ms: Record<string, number>;
  /** Best first. */
  hits: Hit[];
  /** Suggested next queries. */
  follow_ups: string[];
  /** Pass it as `cursor` to go on. */
  next_cursor: string | null;
}

/** What `POST /api/v1/symbol` takes. Look up an entity by name, prefix, qualified name or id. */
export interface SymbolRequest {
  /** A name, a prefix (`Auth*`), a path, a qualified name or an id. */
  name: string;
  /** Whether case does not count. */
  ignore_case?: boolean | null;
  /** Whether a letter or two may differ. */
  fuzzy?: boolean | null;
  /** Languages, by name or alias. */
  lang?: string[] | string | null;
  /** Path globs, prefixes or extensions. */
  path?: string[] | string | null;
  /** Path globs to leave out. */
  exclude?: string[] | string | null;
  /** Entity types. */
  type?: string[] | string | null;
  /** Kinds, such as `struct` or `method`. */
  kind?: string[] | string | null;
  /** A name, a glob or `/regex/`. */
  node_name?: string | null;
  /** The same for the entity around it, by name or signature. */
  parent_context?: string | null;
  /** Least and greatest nesting depth. */
  scope_depth?: [number, number] | null;
  /** Names defined. */
  has_definitions?: string[] | string | null;
  /** Names used. */
  has_references?: string[] | string | null;
  /** Names conformed to. */
  conformances?: string[] | string | null;
  /** Tests only, or none. */
  is_test?: boolean | null;
  /** Public only, or none. */
  is_public?: boolean | null;
  /** Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now. */
  modified_since?: string | null;
  /** How many; none: the setting's. */
  limit?: number | null;
  /** `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: fold. */
  snippet?: string | null;
  /** Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one. */
  project?: string | string[] | null;
}

/** What `POST /api/v1/symbol` gives. Look up an entity by name, prefix, qualified name or id. */
export interface SymbolResponse {
  /** As asked. */
  name: string;
  /** How many bear it, before the limit. */
  total: number;
  /** Declarations first, then, for a type, its members. */
  hits: Hit[];
  /** How many bear it and do not pass the filters. */
  filtered_out?: number;
  /** Names near it, when nothing bears it. */
  suggestions: string[];
}

/** What `POST /api/v1/traverse` takes. Walk the code graph from entities: what they call, import, extend and contain, and who does that to them. Each edge says how sure it is. */
export interface TraverseRequest {
  /** Ids or names that only one entity bears. */
  from: string[] | string;
  /** `forward`, `backward` or `both`, or another tool's word for it; none: forward. */
  direction?: "forward" | "backward" | "both" | "downstream" | "upstream" | "outgoing" | "incoming" | null;
  /** 1 to 10; none: 2. */
  depth?: number | null;
  /** Kinds of edges; none: all but `contain`. */
  edges?: string[] | string | null;
  /** Types of entities to pass; none: all. */
  type?: string[] | string | null;
  /** The least sure way an edge may be known; none: `named`, all of them. */
  certainty?: "scoped" | "imported" | "typed" | "named" | null;
  /** How many entities at most; none: 100. */
  limit?: number | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/traverse` gives. Walk the code graph from entities: what they call, import, extend and contain, and who does that to them. Each edge says how sure it is. */
export interface TraverseResponse {
  /** Where it begins. */
  from: GraphNode[];
  /** What was reached, in the order it was. */
  nodes: GraphNode[];
  /** Edges between them, in the order they were followed. */
  edges: GraphEdge[];
  /** Whether the limit ended it. */
  truncated: boolean;
  /** Calls of these entities' names that could not be resolved; none of them is an edge. */
  unresolved: Unresolved;
}

/** What `POST /api/v1/callers` takes. Who calls an entity. */
export type CallersRequest = TraverseRequest;

/** What `POST /api/v1/callers` gives. Who calls an entity. */
export type CallersResponse = TraverseResponse;

/** What `POST /api/v1/callees` takes. What an entity calls. */
export type CalleesRequest = TraverseRequest;

/** What `POST /api/v1/callees` gives. What an entity calls. */
export type CalleesResponse = TraverseResponse;

/** What `POST /api/v1/implementations` takes. Which types extend, implement or conform to one. */
export type ImplementationsRequest = TraverseRequest;

/** What `POST /api/v1/implementations` gives. Which types extend, implement or conform to one. */
export type ImplementationsResponse = TraverseResponse;

/** What `POST /api/v1/dependents` takes. Which files use a file, or a module from outside. */
export type DependentsRequest = TraverseRequest;

/** What `POST /api/v1/dependents` gives. Which files use a file, or a module from outside. */
export type DependentsResponse = TraverseResponse;

/** What `POST /api/v1/path` takes. The shortest way through the graph from one entity to another. */
export interface PathRequest {
  /** Where it begins: an id or a name. */
  from: string;
  /** Where it ends. */
  to: string;
  /** Steps at most. */
  depth?: number | null;
  /** Kinds of edges that are followed; none: all but `contain`. */
  edges?: string[] | string | null;
  /** The least that must be known of an edge: `scoped`, `imported`, `typed` or `named`. */
  certainty?: "scoped" | "imported" | "typed" | "named" | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/path` gives. The shortest way through the graph from one entity to another. */
export type PathResponse = TraverseResponse;

/** What `POST /api/v1/research` takes. Answer a question about the code as a whole: what would break if X changed and which tests reach it, who calls X through the chain, how A reaches B, what implements X, what depends on a folder, how modules depend on each other. Every finding has its evidence (path:line) and says how sure it is. */
export interface ResearchRequest {
  /** A question ("what would break if Session.send changed"), a name or an id. */
  query: string;
  /** `architecture`, `dependencies`, `patterns` or `flow`; none: what the question asks for. */
  focus?: "architecture" | "dependencies" | "patterns" | "flow" | null;
  /** Steps that are followed, 1 to 10; none: as the section says, 3 for callers. */
  depth?: number | null;
  /** How many findings a section shows; none: 20, or 6 where all is told of a name. */
  limit?: number | null;
  /** The least sure way an edge may be known; none: `named`, all of them. */
  certainty?: "scoped" | "imported" | "typed" | "named" | null;
  /** Languages, by name or alias. */
  lang?: string[] | string | null;
  /** Path globs, prefixes or extensions. */
  path?: string[] | string | null;
  /** Path globs to leave out. */
  exclude?: string[] | string | null;
  /** Entity types. */
  type?: string[] | string | null;
  /** Kinds, such as `struct` or `method`. */
  kind?: string[] | string | null;
  /** A name, a glob or `/regex/`. */
  node_name?: string | null;
  /** The same for the entity around it, by name or signature. */
  parent_context?: string | null;
  /** Least and greatest nesting depth. */
  scope_depth?: [number, number] | null;
  /** Names defined. */
  has_definitions?: string[] | string | null;
  /** Names used. */
  has_references?: string[] | string | null;
  /** Names conformed to. */
  conformances?: string[] | string | null;
  /** Tests only, or none. */
  is_test?: boolean | null;
  /** Public only, or none. */
  is_public?: boolean | null;
  /** Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now. */
  modified_since?: string | null;
  /** Budget in estimated tokens; none: the setting's. */
  max_tokens?: number | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/research` gives. Answer a question about the code as a whole: what would break if X changed and which tests reach it, who calls X through the chain, how A reaches B, what implements X, what depends on a folder, how modules depend on each other. Every finding has its evidence (path:line) and says how sure it is. */
export interface ResearchResponse {
  /** As asked. */
  query: string;
  /** As asked. */
  focus?: string | null;
  /** As understood. */
  parsed_query: ParsedQuery;
  /** What it is about; none: the project as a whole. */
  subjects: ResearchSubject[];
  /** What is known of it, what was asked for first. */
  sections: ResearchSection[];
  /** How many findings there are in all. */
  total: number;
  /** Whether time ran out. */
  partial: boolean;
  /** What the reader should know. */
  warnings: string[];
  /** Milliseconds by step. */
  timings_ms: Record<string, number>;
  /** Suggested next questions. */
  follow_ups: string[];
}

/** What `POST /api/v1/retrieve` takes. Print code by id: path:Outer.inner, path, path:42, path:10-20. */
export interface RetrieveRequest {
  /** `path:Outer.inner`, `path`, `path:42`, `path:10-20`, or a name that only one entity bears. */
  ids: string[] | string;
  /** `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: full. */
  snippet?: string | null;
  /** Budget in estimated tokens; 0 or none: no budget. */
  max_tokens?: number | null;
  /** Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one. */
  project?: string | string[] | null;
}

/** What `POST /api/v1/retrieve` gives. Print code by id: path:Outer.inner, path, path:42, path:10-20. */
export interface RetrieveResponse {
  /** In the order asked. */
  hits: Hit[];
  /** Ids that were not. */
  missing: RetrieveMiss[];
  /** What the reader should know. */
  warnings: string[];
}

/** What `POST /api/v1/similar` takes. Find code like that at a place. */
export interface SimilarRequest {
  /** A place: `path:line`. */
  place: string;
  /** The words. */
  query?: string | null;
  /** How many hits; none: the setting's. */
  limit?: number | null;
  /** `file`, `document`, `chunk`, `entity` or `both`; none: as the preset says. */
  granularity?: "file" | "document" | "chunk" | "entity" | "both" | null;
  /** How many chunks of one file; none: the setting's, 3 for documents, all for chunks. */
  chunks_per_file?: number | null;
  /** Languages, by name or alias. */
  lang?: string[] | string | null;
  /** Path globs, prefixes or extensions. */
  path?: string[] | string | null;
  /** Path globs to leave out. */
  exclude?: string[] | string | null;
  /** Entity types. */
  type?: string[] | string | null;
  /** Kinds, such as `struct` or `method`. */
  kind?: string[] | string | null;
  /** A name, a glob or `/regex/`. */
  node_name?: string | null;
  /** The same for the entity around it, by name or signature. */
  parent_context?: string | null;
  /** Least and greatest nesting depth. */
  scope_depth?: [number, number] | null;
  /** Names defined. */
  has_definitions?: string[] | string | null;
  /** Names used. */
  has_references?: string[] | string | null;
  /** Names conformed to. */
  conformances?: string[] | string | null;
  /** Tests only, or none. */
  is_test?: boolean | null;
  /** Public only, or none. */
  is_public?: boolean | null;
  /** Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now. */
  modified_since?: string | null;
  /** A preset's name; none: the setting's. */
  preset?: string | null;
  /** `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: the setting's. */
  snippet?: string | null;
  /** Budget in estimated tokens; none: the setting's. */
  max_tokens?: number | null;
  /** Names that are enough without BM25; none: the setting's. */
  upper_threshold?: number | null;
  /** Where an earlier answer left off. */
  cursor?: string | null;
  /** The least cosine of what meaning finds, 0 to 1. */
  min_similarity?: number | null;
  /** How much meaning counts beside words, 0 to 1, in a preset that mixes both. */
  semantic_weight?: number | null;
  /** How much ranks count beside scores, 0 to 1, in such a preset. */
  alpha?: number | null;
  /** Numbers of the preset to replace, by name. */
  set?: Record<string, number> | null;
  /** How many documents, where hits are documents or both; none: 5. */
  files?: number | null;
  /** Whether words are left out, so that meaning alone finds. */
  no_bm25?: boolean | null;
  /** Whether a reranker reads the first candidates; none: as the preset says. */
  rerank?: boolean | null;
  /** Steps that the graph is followed from the best hits, up to 5; 0: none. */
  depth?: number | null;
  /** How much standing counts beside novelty, 0 to 1; none: hits that are alike may follow each other. */
  mmr?: number | null;
  /** Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one. */
  project?: string | string[] | null;
}

/** What `POST /api/v1/similar` gives. Find code like that at a place. */
export type SimilarResponse = SearchResponse;

/** What `POST /api/v1/outline` takes. What a file or folder defines. */
export interface OutlineRequest {
  /** A file or folder relative to the root; empty: the root. */
  path?: string | null;
  /** Deepest nesting shown; none: all of a file, the top level of a folder. */
  depth?: number | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/outline` gives. What a file or folder defines. */
export interface OutlineResponse {
  /** In order of path. */
  files: OutlineFile[];
  /** Files below the path in all. */
  total: number;
}

/** What `POST /api/v1/grep` takes. Search the indexed files with a regular expression. */
export interface GrepRequest {
  /** The expression. */
  pattern: string;
  /** Whether case does not count. */
  ignore_case?: boolean | null;
  /** Whether the pattern is plain text. */
  fixed?: boolean | null;
  /** Whether matches must be whole words. */
  word?: boolean | null;
  /** Languages, by name or alias. */
  lang?: string[] | string | null;
  /** Path globs, prefixes or extensions. */
  path?: string[] | string | null;
  /** Path globs to leave out. */
  exclude?: string[] | string | null;
  /** Entity types. */
  type?: string[] | string | null;
  /** Kinds, such as `struct` or `method`. */
  kind?: string[] | string | null;
  /** A name, a glob or `/regex/`. */
  node_name?: string | null;
  /** The same for the entity around it, by name or signature. */
  parent_context?: string | null;
  /** Least and greatest nesting depth. */
  scope_depth?: [number, number] | null;
  /** Names defined. */
  has_definitions?: string[] | string | null;
  /** Names used. */
  has_references?: string[] | string | null;
  /** Names conformed to. */
  conformances?: string[] | string | null;
  /** Tests only, or none. */
  is_test?: boolean | null;
  /** Public only, or none. */
  is_public?: boolean | null;
  /** Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now. */
  modified_since?: string | null;
  /** How many lines at most. */
  limit?: number | null;
  /** Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one. */
  project?: string | string[] | null;
}

/** What `POST /api/v1/grep` gives. Search the indexed files with a regular expression. */
export interface GrepResponse {
  /** As asked. */
  pattern: string;
  /** Lines found, before the limit; a lower bound when `partial`. */
  total: number;
  /** Whether the search stopped at the limit. */
  partial: boolean;
  /** Whether time ran out, so that not all files were searched. */
  timed_out?: boolean;
  /** In order of path and line. */
  hits: GrepHit[];
}

/** What `POST /api/v1/status` takes. What is indexed, how fresh it is and what was left out. */
export interface StatusRequest {
  /** Whether files that were left out are listed. */
  problems?: boolean | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/status` gives. What is indexed, how fresh it is and what was left out. */
export interface StatusResponse {
  /** What is indexed. */
  root: string;
  /** Where the index lives. */
  index_dir: string;
  /** Its layout. */
  format: number;
  /** Its generation. */
  generation: string;
  /** When it was written, in seconds since 1970. */
  built: number;
  /** `fresh`, `stale`, `settings changed`, or `partial` where the first index was begun and is not whole. */
  freshness: string;
  /** Files and folders that changed since, or are not in it yet. */
  changed: number;
  /** Files. */
  files: number;
  /** Entities, files and folders included. */
  entities: number;
  /** Chunks. */
  chunks: number;
  /** References. */
  references: number;
  /** Bytes of source. */
  source_bytes: number;
  /** Bytes on disk. */
  index_bytes: number;
  /** Which model made the vectors. */
  model?: string | null;
  /** Which model weighed the terms. */
  sparse_model?: string | null;
  /** Chunks that a model failed on; the next `cds index` tries again. */
  not_encoded: number;
  /** Texts that were longer than a model reads. */
  truncated: number;
  /** Files by language, most first. */
  languages: LanguageCount[];
  /** Problems by reason. */
  problem_counts: Record<string, number>;
  /** Every file left out or read badly, when asked for. */
  problems?: ProblemShape[];
}

/** What `POST /api/v1/locagent_search` takes. LocAgent's search_code_snippets, to the letter: Python code by names, ids, words and lines. */
export interface LocagentSearchRequest {
  /** Names, ids or words: at most 100. */
  search_terms?: string[] | string | null;
  /** Lines of the one file that `file_path_or_pattern` names. */
  line_nums?: number[] | null;
  /** A pattern over whole paths, or a part of a path; none: `**\/*.py`, which no file at the root matches. */
  file_path_or_pattern?: string | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/locagent_search` gives. LocAgent's search_code_snippets, to the letter: Python code by names, ids, words and lines. */
export interface LocagentSearchResponse {
  /** The text, as the command line prints it. */
  text: string;
}

/** What `POST /api/v1/locagent_explore` takes. LocAgent's explore_tree_structure, to the letter: a tree of what Python entities contain, import, invoke and inherit. */
export interface LocagentExploreRequest {
  /** Ids of nodes: `path`, `path:Class.method`. */
  start_entities: string[] | string;
  /** Which way edges are followed; none: `downstream`. */
  direction?: "downstream" | "upstream" | "both" | null;
  /** How deep; none: 2; -1: as deep as LocAgent goes, which is 20. */
  traversal_depth?: number | null;
  /** Only nodes of these types; none: all. */
  entity_type_filter?: ("directory" | "file" | "class" | "function")[] | string | null;
  /** Only edges of these types; none: all. */
  dependency_type_filter?: ("contains" | "imports" | "inherits" | "invokes")[] | string | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/locagent_explore` gives. LocAgent's explore_tree_structure, to the letter: a tree of what Python entities contain, import, invoke and inherit. */
export type LocagentExploreResponse = LocagentSearchResponse;

/** What `POST /api/v1/locagent_retrieve` takes. LocAgent's get_entity_contents, to the letter: the code of Python entities by exact id. */
export interface LocagentRetrieveRequest {
  /** Ids of nodes: at most 100. */
  entity_names: string[] | string;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/locagent_retrieve` gives. LocAgent's get_entity_contents, to the letter: the code of Python entities by exact id. */
export type LocagentRetrieveResponse = LocagentSearchResponse;

/** What `POST /api/v1/locagent_graph` takes. LocAgent's graph of the Python files, to the letter: its nodes or its edges, a page at a time. */
export interface LocagentGraphRequest {
  /** `nodes` or `edges`; none: `nodes`. */
  part?: "nodes" | "edges" | null;
  /** Rows that are left out at the beginning. */
  offset?: number | null;
  /** Rows at most; none: 1,000. */
  limit?: number | null;
  /** Which project is asked: its name or a path in it. None: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/locagent_graph` gives. LocAgent's graph of the Python files, to the letter: its nodes or its edges, a page at a time. */
export interface LocagentGraphResponse {
  /** A JSON object a line, as `cds graph export --compat locagent` prints them. */
  text: string;
  /** Rows in all. */
  total: number;
  /** Where the next rows begin, if there are more. */
  next_offset: number | null;
}

/** What `GET /api/v1/projects` gives. Projects that are open. */
export type ListProjectsResponse = Project[];

/** What `POST /api/v1/projects` takes. Open a folder: it is indexed and kept up to date. */
export interface OpenProjectRequest {
  /** The folder. */
  root: string;
}

/** What `POST /api/v1/projects` gives. Open a folder: it is indexed and kept up to date. */
export type OpenProjectResponse = Project;

/** What `GET /api/v1/projects/{id}` gives. A project. */
export type GetProjectResponse = Project;

/** What `DELETE /api/v1/projects/{id}` gives. Stop keeping a project. Its index stays on disk. */
export type CloseProjectResponse = void;

/** What `POST /api/v1/refresh` takes. Bring an index up to date, and answer when it is. */
export interface RefreshRequest {
  /** The project, by name or path; none: the only one. */
  project?: string | null;
}

/** What `POST /api/v1/refresh` gives. Bring an index up to date, and answer when it is. */
export type RefreshResponse = Project;

/** What `GET /api/v1/tasks` gives. Tasks, the newest first. */
export type ListTasksResponse = Task[];

/** What `POST /api/v1/tasks` takes. Index in the background. A request equal to one that has not ended is merged with it. */
export interface IndexRequest {
  /** The project, by name or path; none: the only one. */
  project?: string | null;
  /** Whether everything is read anew. */
  force?: boolean | null;
}

/** What `POST /api/v1/tasks` gives. Index in the background. A request equal to one that has not ended is merged with it. */
export type IndexResponse = Task;

/** What `GET /api/v1/tasks/{id}` gives. A task as it stands. */
export type GetTaskResponse = Task;

/** What `POST /api/v1/tasks/{id}/cancel` gives. Ask a task to stop. */
export type CancelTaskResponse = Task;

/** What `GET /api/v1/tasks/{id}/events` gives. A task, each time it changes, until it ends. */
export type FollowTaskResponse = unknown;
