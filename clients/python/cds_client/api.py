"""What cds takes and gives. Made by generate.py: not to be changed by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Unpack
from urllib.parse import quote


class ParsedQuery(TypedDict):
    """How a query was understood."""
    # As asked.
    original: str
    # `symbol`, `natural`, `mixed`, `path` or `regex`.
    kind: str
    # `navigational`, `factual`, `exploratory` or `analytical`.
    intent: str
    # How sure the intent is, from 0 to 1.
    confidence: float
    # Words without stop words.
    keywords: list[str]
    # Words that are names in code.
    code_terms: list[str]
    # Languages that it asks for.
    languages: NotRequired[list[str]]
    # Other words for its words.
    expanded: NotRequired[list[str]]
    # Whether a model that is loaded or asked over the network took part. The tables inside the binary are none.
    used_model: bool
    # Whether it was read as a report: a long text with a title, prose, code and stacks.
    is_report: bool


class Hit(TypedDict):
    """One hit: a chunk, an entity or a document."""
    # `path:Outer.inner` for entities, `path:10-20` for other chunks, the path for documents.
    id: str
    # The chunk's own id, equal as long as its text and place are.
    chunk_id: NotRequired[str]
    # Relative to the root.
    path: str
    # First line, from 1.
    start_line: int
    # Last line.
    end_line: int
    # First byte in the file on disk.
    start_byte: int
    # One past the last byte.
    end_byte: int
    # The language it is written in: that of the embedded block it lies in, or the file's.
    language: str
    # `directory`, `file`, `class` or `function`.
    entity_type: str
    # The language's own word, `block` or `section`.
    kind: str
    # The entity's name.
    name: NotRequired[str | None]
    # `Outer > Inner > member`
    breadcrumb: NotRequired[str]
    # The same as a list.
    scope_path: NotRequired[list[str]]
    # The signature of the entity around it.
    parent_context: NotRequired[str | None]
    # Everything before the body.
    signature: NotRequired[str | None]
    # Without markers.
    doc_comment: NotRequired[str | None]
    # Keywords in front of the name.
    modifiers: NotRequired[list[str]]
    # Decorators, annotations, attributes.
    decorators: NotRequired[list[str]]
    # Bases, interfaces, traits.
    conformances: NotRequired[list[str]]
    # Names the chunk declares, those of entities first.
    definitions: NotRequired[list[str]]
    # Names the chunk uses, those of calls and types first.
    references: NotRequired[list[str]]
    # Whether it declares a type.
    is_type_declaration: bool
    # Whether it is a test.
    is_test: bool
    # Whether its definition was recovered from a part of a file with syntax errors: its lines and parameters
    # may be incomplete.
    recovered: NotRequired[bool]
    # Whether others may use it.
    is_public: bool
    # 0..1; none where nothing was ranked.
    score: NotRequired[float | None]
    # The same in percent.
    relevance_percent: NotRequired[int | None]
    # `name`, `bm25` or `hybrid`; for names how they answered: `exact`, `prefix`, `any_case`, `fuzzy`, `member`.
    # None where an id was asked for.
    match_type: NotRequired[str | None]
    # Each retriever's score. In presets that mix retrievers, `rrf` is the sum of their weights, each divided by
    # `k` plus the rank.
    scores: NotRequired[dict[str, float]]
    # Each retriever's rank, from 1.
    ranks: NotRequired[dict[str, int]]
    # What made the score, in the order of application: evidence that is added, the greatest first; multipliers
    # of the sum; then what the
    # graph or a reranker adds.
    signals: NotRequired[dict[str, float]]
    # Line, first and last-plus-one character of each match in the snippet.
    highlights: NotRequired[list[list[int]]]
    # The text shown.
    snippet: NotRequired[str]
    # The line it begins on.
    snippet_line: int
    # The text at each level, where the request names several.
    snippets: NotRequired[dict[str, str]]
    # Searches only: words of the query that the hit has in its text, its name or its path, in the order of the
    # query.
    matched_terms: NotRequired[list[str]]
    # Estimated tokens of the whole chunk.
    token_count: int
    # blake3 of the file's bytes from `start_byte` to `end_byte`, of hits that are chunks.
    hash: NotRequired[str]
    # Seconds since 1970.
    indexed_at: int
    # Steps from a direct hit.
    hop_depth: int
    # Whether the file has changed since it was indexed.
    stale: bool
    # How many more chunks of the file matched.
    more_in_file: NotRequired[int]
    # Chunks grouped by file only: the score of the group, 0 to 1.
    group_score: NotRequired[float | None]
    # Documents only: number of chunks.
    chunk_count: NotRequired[int | None]
    # Documents only: every language in it, the one with most tokens first.
    languages: NotRequired[list[str]]
    # Documents only: the language with most tokens.
    primary_language: NotRequired[str | None]
    # Documents only: bytes.
    size: NotRequired[int | None]
    # Documents only: seconds since 1970.
    last_modified: NotRequired[int | None]
    # Documents only: its best chunks.
    chunks: NotRequired[list[Hit]]
    # Which project it is of, where several were asked.
    project: NotRequired[str]


class GraphNode(TypedDict):
    """An entity of the graph."""
    # `path:Outer.inner`; `#2` and so on behind it tells overloads and other twins in the file from the first.
    id: str
    # Its own name.
    name: str
    # `directory`, `file`, `class` or `function`; `external` for what the tree does not have.
    entity_type: str
    # The language's own word; `external` for what the tree does not have.
    kind: str
    # Relative to the root.
    path: str
    # First line; 0 where there is none.
    start_line: int
    # Last line.
    end_line: int
    # How much it matters by who uses it, from 0 to 1: PageRank over certain edges.
    importance: float
    # How many edges away.
    depth: int
    # Whether its file changed since it was indexed, so that lines and edges may be others now.
    stale: NotRequired[bool]


# An edge of the graph, in its own direction.
GraphEdge = TypedDict("GraphEdge", {
    # The id it begins at.
    "from": "str",
    # The id it leads to.
    "to": "str",
    # `contain`, `import`, `invoke` or `inherit`.
    "kind": "str",
    # `scoped`, `imported`, `typed` or `named`.
    "certainty": "str",
    # Among how many this one was found.
    "candidates": "int",
    # `path:line` of the first place that says so.
    "site": "NotRequired[str]",
    # How many places say so.
    "sites": "int",
    # What an import calls it.
    "alias": "NotRequired[str | None]",
    # How many edges away it was followed.
    "depth": "int",
    # Whether it was followed against its direction.
    "backward": "bool",
    # Whether it leads to what had been reached before.
    "repeated": "bool",
})


class Unresolved(TypedDict):
    """Calls that could not be resolved: of a name that too many entities bear, or only such as are not visible
    to the caller.
    """
    # How many.
    count: int
    # The first of them.
    sites: list[UnresolvedSite]


# One of them.
UnresolvedSite = TypedDict("UnresolvedSite", {
    # `path:line`
    "site": "str",
    # The entity that calls.
    "from": "str",
    # How many entities bear the name.
    "candidates": "int",
})


class ResearchSubject(TypedDict):
    """What a question is about."""
    # `path:Outer.inner`
    id: str
    # Its own name.
    name: str
    # `directory`, `file`, `class` or `function`.
    entity_type: str
    # The language's own word; `external` for what the tree does not have.
    kind: str
    # Relative to the root.
    path: str
    # First line; 0 where there is none.
    start_line: int
    # Last line.
    end_line: int
    # The file's language.
    language: NotRequired[str]
    # Everything before the body.
    signature: NotRequired[str | None]
    # The first line of its doc comment.
    doc: NotRequired[str | None]
    # How much it matters by who uses it, from 0 to 1: PageRank over certain edges.
    importance: float
    # Where a path leads: the other end.
    is_target: NotRequired[bool]


class ResearchSection(TypedDict):
    """One part of the answer."""
    # `callees`, `callers`, `dependencies`, `dependents`, `external`, `impact`, `implementations`, `modules`,
    # `path`, `related`,
    # `similar` or `tests`.
    kind: str
    # What it says, in a sentence.
    about: str
    # Surest and nearest first; the steps of a path in their order.
    findings: list[Finding]
    # How many there are in all.
    total: int
    # Whether there are more than are shown, or than were looked for.
    truncated: bool
    # How many of all rest on a guess: a name that several entities bear.
    guesses: NotRequired[int]
    # Calls that may mean the subjects among too many others to say so; none of them is a finding.
    unresolved: NotRequired[Unresolved | None]


# Something that was found, with its evidence.
Finding = TypedDict("Finding", {
    # `path:Outer.inner`, or a path.
    "id": "str",
    # Its own name.
    "name": "str",
    # `directory`, `file`, `class` or `function`.
    "entity_type": "str",
    # The language's own word; `external` for what the tree does not have.
    "kind": "str",
    # Relative to the root.
    "path": "str",
    # First line; 0 where there is none.
    "start_line": "int",
    # Last line.
    "end_line": "int",
    # Whether it is a test.
    "is_test": "NotRequired[bool]",
    # How many steps away.
    "depth": "int",
    # The step before it: a subject or a part of one, another finding, or what is shared.
    "from": "NotRequired[str]",
    # The last edge: `import`, `invoke` or `inherit`.
    "edge": "NotRequired[str]",
    # How the least sure edge of the way is known: `scoped`, `imported`, `typed` or `named`; none where no edge
    # led here.
    "certainty": "NotRequired[str]",
    # Among how many the most doubtful step was chosen, where there was a choice.
    "candidates": "NotRequired[int]",
    # `path:line` of each edge of the way, the subject's end first.
    "via": "NotRequired[list[str]]",
    # The code at the last of them.
    "text": "NotRequired[str]",
    # Where it stands for several edges: how many of each kind.
    "counts": "NotRequired[EdgeCounts | None]",
    # Modules from outside: how many files use it.
    "files": "NotRequired[int]",
    # Related code: how many entities both are joined to.
    "shared": "NotRequired[int]",
    # Similar code: the cosine of both.
    "similarity": "NotRequired[float | None]",
})


# Edges between two things, by kind.
EdgeCounts = TypedDict("EdgeCounts", {
    # Imports.
    "import": "NotRequired[int]",
    # Calls.
    "invoke": "NotRequired[int]",
    # Bases, interfaces, traits.
    "inherit": "NotRequired[int]",
    # Edges that are guesses; in none of the others.
    "guesses": "NotRequired[int]",
})


class RetrieveMiss(TypedDict):
    """An id that names nothing, or too much."""
    # As asked.
    id: str
    # Why it is missing.
    reason: str
    # Ids that may be meant.
    candidates: list[str]


class OutlineFile(TypedDict):
    """One file."""
    # Relative to the root.
    path: str
    # Its language.
    language: str
    # Number of lines.
    lines: int
    # Whether it changed since it was indexed.
    stale: bool
    # What it defines, in order.
    entities: list[OutlineEntity]


class OutlineEntity(TypedDict):
    """One definition, or a heading of prose."""
    # Its id.
    id: str
    # The language's own word.
    kind: str
    # Its name.
    name: str
    # How deep it is nested.
    depth: int
    # First line.
    start_line: int
    # Last line.
    end_line: int
    # Everything before the body.
    signature: str
    # The first line of its doc comment.
    doc: NotRequired[str | None]


class GrepHit(TypedDict):
    """A line that matches."""
    # Relative to the root.
    path: str
    # The file's language.
    language: str
    # From 1.
    line: int
    # First character of the first match, from 1.
    column: int
    # The line.
    text: str
    # Matches: first character and one past the last, from 0.
    matches: list[list[int]]
    # The innermost entity around it.
    entity: NotRequired[str | None]
    # Whether the file changed since it was indexed.
    stale: bool
    # Which project it is of, where several were asked.
    project: NotRequired[str]


class LanguageCount(TypedDict):
    """Files of one language."""
    # Its name.
    language: str
    # How many files.
    files: int
    # How many lines.
    lines: int


class ProblemShape(TypedDict):
    """A file left out, or read badly."""
    # Relative to the root.
    path: str
    # One word.
    reason: str
    # In words.
    detail: str
    # Whether the file is missing from the index.
    skipped: bool
    # Size in bytes, and when it was changed, in nanoseconds since 1970.
    stamp: list[int] | None


# Where a task stands.
TaskState = Literal["pending"] | Literal["running"] | Literal["completed"] | Literal["failed"] | Literal["merged"] | Literal["cancelled"]


class State(TypedDict):
    """How an index is doing."""
    # `indexing` until there is a whole index, then `ready`, also while it is brought up to date; `failed`.
    state: str
    # What is being done, where something is.
    phase: NotRequired[str]
    # Files done.
    done: int
    # Files in all; 0 while they are being counted.
    total: int
    # Why it failed.
    error: NotRequired[str]


class Task(TypedDict):
    """A task as others see it."""
    # What to ask for it by.
    id: str
    # The project.
    project: str
    # Whether everything is read anew.
    force: bool
    # Where it stands.
    state: TaskState
    # What is being done.
    phase: str
    # Files done.
    done: int
    # Files in all; 0 while they are being counted.
    total: int
    # Which task does the work, of one that was merged.
    merged_into: NotRequired[str | None]
    # Why it failed.
    error: NotRequired[str | None]
    # Files in the index, at the end.
    files: NotRequired[int | None]
    # Files whose facts were computed.
    parsed: NotRequired[int | None]
    # Wall time.
    seconds: NotRequired[float | None]


class Project(TypedDict):
    """A project as others see it."""
    # What requests call it.
    name: str
    # Its folder.
    root: str
    # How its index is doing.
    index: State


class Fault(TypedDict):
    error: dict[str, Any]


class SearchRequest(TypedDict):
    """What `POST /api/v1/search` takes."""
    # The words.
    query: str
    # How many hits; none: the setting's.
    limit: NotRequired[int | None]
    # `file`, `document`, `chunk`, `entity` or `both`; none: as the preset says.
    granularity: NotRequired[Literal["file", "document", "chunk", "entity", "both", None]]
    # How many chunks of one file; none: the setting's, 3 for documents, all for chunks.
    chunks_per_file: NotRequired[int | None]
    # Languages, by name or alias.
    lang: NotRequired[list[str] | str | None]
    # Path globs, prefixes or extensions.
    path: NotRequired[list[str] | str | None]
    # Path globs to leave out.
    exclude: NotRequired[list[str] | str | None]
    # Entity types.
    type: NotRequired[list[str] | str | None]
    # Kinds, such as `struct` or `method`.
    kind: NotRequired[list[str] | str | None]
    # A name, a glob or `/regex/`.
    node_name: NotRequired[str | None]
    # The same for the entity around it, by name or signature.
    parent_context: NotRequired[str | None]
    # Least and greatest nesting depth.
    scope_depth: NotRequired[list[int] | None]
    # Names defined.
    has_definitions: NotRequired[list[str] | str | None]
    # Names used.
    has_references: NotRequired[list[str] | str | None]
    # Names conformed to.
    conformances: NotRequired[list[str] | str | None]
    # Tests only, or none.
    is_test: NotRequired[bool | None]
    # Public only, or none.
    is_public: NotRequired[bool | None]
    # Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now.
    modified_since: NotRequired[str | None]
    # A preset's name; none: the setting's.
    preset: NotRequired[str | None]
    # `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: the setting's.
    snippet: NotRequired[str | None]
    # Budget in estimated tokens; none: the setting's.
    max_tokens: NotRequired[int | None]
    # Names that are enough without BM25; none: the setting's.
    upper_threshold: NotRequired[int | None]
    # Where an earlier answer left off.
    cursor: NotRequired[str | None]
    # The least cosine of what meaning finds, 0 to 1.
    min_similarity: NotRequired[float | None]
    # How much meaning counts beside words, 0 to 1, in a preset that mixes both.
    semantic_weight: NotRequired[float | None]
    # How much ranks count beside scores, 0 to 1, in such a preset.
    alpha: NotRequired[float | None]
    # Numbers of the preset to replace, by name.
    set: NotRequired[dict[str, float] | None]
    # How many documents, where hits are documents or both; none: 5.
    files: NotRequired[int | None]
    # Whether words are left out, so that meaning alone finds.
    no_bm25: NotRequired[bool | None]
    # Whether a reranker reads the first candidates; none: as the preset says.
    rerank: NotRequired[bool | None]
    # Steps that the graph is followed from the best hits, up to 5; 0: none.
    depth: NotRequired[int | None]
    # How much standing counts beside novelty, 0 to 1; none: hits that are alike may follow each other.
    mmr: NotRequired[float | None]
    # Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one.
    project: NotRequired[str | list[str] | None]


class SearchResponse(TypedDict):
    """What `POST /api/v1/search` gives."""
    # As asked.
    query: str
    # As understood.
    parsed_query: ParsedQuery
    # How many there are in all: as many as all pages have.
    total: int
    # Whether there are more than that. What is near in meaning has no end, and time may run out.
    total_is_lower_bound: NotRequired[bool]
    # Whether time ran out, a model could not be used, or the index is not whole yet.
    partial: bool
    # What the reader should know.
    warnings: list[str]
    # Milliseconds by stage.
    timings_ms: dict[str, float]
    # Best first.
    hits: list[Hit]
    # Suggested next queries.
    follow_ups: list[str]
    # Pass it as `cursor` to go on.
    next_cursor: str | None


class SymbolRequest(TypedDict):
    """What `POST /api/v1/symbol` takes."""
    # A name, a prefix (`Auth*`), a path, a qualified name or an id.
    name: str
    # Whether case does not count.
    ignore_case: NotRequired[bool | None]
    # Whether a letter or two may differ.
    fuzzy: NotRequired[bool | None]
    # Languages, by name or alias.
    lang: NotRequired[list[str] | str | None]
    # Path globs, prefixes or extensions.
    path: NotRequired[list[str] | str | None]
    # Path globs to leave out.
    exclude: NotRequired[list[str] | str | None]
    # Entity types.
    type: NotRequired[list[str] | str | None]
    # Kinds, such as `struct` or `method`.
    kind: NotRequired[list[str] | str | None]
    # A name, a glob or `/regex/`.
    node_name: NotRequired[str | None]
    # The same for the entity around it, by name or signature.
    parent_context: NotRequired[str | None]
    # Least and greatest nesting depth.
    scope_depth: NotRequired[list[int] | None]
    # Names defined.
    has_definitions: NotRequired[list[str] | str | None]
    # Names used.
    has_references: NotRequired[list[str] | str | None]
    # Names conformed to.
    conformances: NotRequired[list[str] | str | None]
    # Tests only, or none.
    is_test: NotRequired[bool | None]
    # Public only, or none.
    is_public: NotRequired[bool | None]
    # Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now.
    modified_since: NotRequired[str | None]
    # How many; none: the setting's.
    limit: NotRequired[int | None]
    # `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: fold.
    snippet: NotRequired[str | None]
    # Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one.
    project: NotRequired[str | list[str] | None]


class SymbolResponse(TypedDict):
    """What `POST /api/v1/symbol` gives."""
    # As asked.
    name: str
    # How many bear it, before the limit.
    total: int
    # Declarations first, then, for a type, its members.
    hits: list[Hit]
    # How many bear it and do not pass the filters.
    filtered_out: NotRequired[int]
    # Names near it, when nothing bears it.
    suggestions: list[str]


class TraverseRequest(TypedDict):
    """What `POST /api/v1/traverse` takes."""
    # Ids or names that only one entity bears.
    from_: list[str] | str
    # `forward`, `backward` or `both`, or another tool's word for it; none: forward.
    direction: NotRequired[Literal["forward", "backward", "both", "downstream", "upstream", "outgoing", "incoming", None]]
    # 1 to 10; none: 2.
    depth: NotRequired[int | None]
    # Kinds of edges; none: all but `contain`.
    edges: NotRequired[list[str] | str | None]
    # Types of entities to pass; none: all.
    type: NotRequired[list[str] | str | None]
    # The least sure way an edge may be known; none: `named`, all of them.
    certainty: NotRequired[Literal["scoped", "imported", "typed", "named", None]]
    # How many entities at most; none: 100.
    limit: NotRequired[int | None]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


# What `POST /api/v1/traverse` gives.
TraverseResponse = TypedDict("TraverseResponse", {
    # Where it begins.
    "from": "list[GraphNode]",
    # What was reached, in the order it was.
    "nodes": "list[GraphNode]",
    # Edges between them, in the order they were followed.
    "edges": "list[GraphEdge]",
    # Whether the limit ended it.
    "truncated": "bool",
    # Calls of these entities' names that could not be resolved; none of them is an edge.
    "unresolved": "Unresolved",
})


class PathRequest(TypedDict):
    """What `POST /api/v1/path` takes."""
    # Where it begins: an id or a name.
    from_: str
    # Where it ends.
    to: str
    # Steps at most.
    depth: NotRequired[int | None]
    # Kinds of edges that are followed; none: all but `contain`.
    edges: NotRequired[list[str] | str | None]
    # The least that must be known of an edge: `scoped`, `imported`, `typed` or `named`.
    certainty: NotRequired[Literal["scoped", "imported", "typed", "named", None]]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class ResearchRequest(TypedDict):
    """What `POST /api/v1/research` takes."""
    # A question ("what would break if Session.send changed"), a name or an id.
    query: str
    # `architecture`, `dependencies`, `patterns` or `flow`; none: what the question asks for.
    focus: NotRequired[Literal["architecture", "dependencies", "patterns", "flow", None]]
    # Steps that are followed, 1 to 10; none: as the section says, 3 for callers.
    depth: NotRequired[int | None]
    # How many findings a section shows; none: 20, or 6 where all is told of a name.
    limit: NotRequired[int | None]
    # The least sure way an edge may be known; none: `named`, all of them.
    certainty: NotRequired[Literal["scoped", "imported", "typed", "named", None]]
    # Languages, by name or alias.
    lang: NotRequired[list[str] | str | None]
    # Path globs, prefixes or extensions.
    path: NotRequired[list[str] | str | None]
    # Path globs to leave out.
    exclude: NotRequired[list[str] | str | None]
    # Entity types.
    type: NotRequired[list[str] | str | None]
    # Kinds, such as `struct` or `method`.
    kind: NotRequired[list[str] | str | None]
    # A name, a glob or `/regex/`.
    node_name: NotRequired[str | None]
    # The same for the entity around it, by name or signature.
    parent_context: NotRequired[str | None]
    # Least and greatest nesting depth.
    scope_depth: NotRequired[list[int] | None]
    # Names defined.
    has_definitions: NotRequired[list[str] | str | None]
    # Names used.
    has_references: NotRequired[list[str] | str | None]
    # Names conformed to.
    conformances: NotRequired[list[str] | str | None]
    # Tests only, or none.
    is_test: NotRequired[bool | None]
    # Public only, or none.
    is_public: NotRequired[bool | None]
    # Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now.
    modified_since: NotRequired[str | None]
    # Budget in estimated tokens; none: the setting's.
    max_tokens: NotRequired[int | None]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class ResearchResponse(TypedDict):
    """What `POST /api/v1/research` gives."""
    # As asked.
    query: str
    # As asked.
    focus: NotRequired[str | None]
    # As understood.
    parsed_query: ParsedQuery
    # What it is about; none: the project as a whole.
    subjects: list[ResearchSubject]
    # What is known of it, what was asked for first.
    sections: list[ResearchSection]
    # How many findings there are in all.
    total: int
    # Whether time ran out.
    partial: bool
    # What the reader should know.
    warnings: list[str]
    # Milliseconds by step.
    timings_ms: dict[str, float]
    # Suggested next questions.
    follow_ups: list[str]


class RetrieveRequest(TypedDict):
    """What `POST /api/v1/retrieve` takes."""
    # `path:Outer.inner`, `path`, `path:42`, `path:10-20`, or a name that only one entity bears.
    ids: list[str] | str
    # `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: full.
    snippet: NotRequired[str | None]
    # Budget in estimated tokens; 0 or none: no budget.
    max_tokens: NotRequired[int | None]
    # Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one.
    project: NotRequired[str | list[str] | None]


class RetrieveResponse(TypedDict):
    """What `POST /api/v1/retrieve` gives."""
    # In the order asked.
    hits: list[Hit]
    # Ids that were not.
    missing: list[RetrieveMiss]
    # What the reader should know.
    warnings: list[str]


class SimilarRequest(TypedDict):
    """What `POST /api/v1/similar` takes."""
    # A place: `path:line`.
    place: str
    # The words.
    query: NotRequired[str | None]
    # How many hits; none: the setting's.
    limit: NotRequired[int | None]
    # `file`, `document`, `chunk`, `entity` or `both`; none: as the preset says.
    granularity: NotRequired[Literal["file", "document", "chunk", "entity", "both", None]]
    # How many chunks of one file; none: the setting's, 3 for documents, all for chunks.
    chunks_per_file: NotRequired[int | None]
    # Languages, by name or alias.
    lang: NotRequired[list[str] | str | None]
    # Path globs, prefixes or extensions.
    path: NotRequired[list[str] | str | None]
    # Path globs to leave out.
    exclude: NotRequired[list[str] | str | None]
    # Entity types.
    type: NotRequired[list[str] | str | None]
    # Kinds, such as `struct` or `method`.
    kind: NotRequired[list[str] | str | None]
    # A name, a glob or `/regex/`.
    node_name: NotRequired[str | None]
    # The same for the entity around it, by name or signature.
    parent_context: NotRequired[str | None]
    # Least and greatest nesting depth.
    scope_depth: NotRequired[list[int] | None]
    # Names defined.
    has_definitions: NotRequired[list[str] | str | None]
    # Names used.
    has_references: NotRequired[list[str] | str | None]
    # Names conformed to.
    conformances: NotRequired[list[str] | str | None]
    # Tests only, or none.
    is_test: NotRequired[bool | None]
    # Public only, or none.
    is_public: NotRequired[bool | None]
    # Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now.
    modified_since: NotRequired[str | None]
    # A preset's name; none: the setting's.
    preset: NotRequired[str | None]
    # `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: the setting's.
    snippet: NotRequired[str | None]
    # Budget in estimated tokens; none: the setting's.
    max_tokens: NotRequired[int | None]
    # Names that are enough without BM25; none: the setting's.
    upper_threshold: NotRequired[int | None]
    # Where an earlier answer left off.
    cursor: NotRequired[str | None]
    # The least cosine of what meaning finds, 0 to 1.
    min_similarity: NotRequired[float | None]
    # How much meaning counts beside words, 0 to 1, in a preset that mixes both.
    semantic_weight: NotRequired[float | None]
    # How much ranks count beside scores, 0 to 1, in such a preset.
    alpha: NotRequired[float | None]
    # Numbers of the preset to replace, by name.
    set: NotRequired[dict[str, float] | None]
    # How many documents, where hits are documents or both; none: 5.
    files: NotRequired[int | None]
    # Whether words are left out, so that meaning alone finds.
    no_bm25: NotRequired[bool | None]
    # Whether a reranker reads the first candidates; none: as the preset says.
    rerank: NotRequired[bool | None]
    # Steps that the graph is followed from the best hits, up to 5; 0: none.
    depth: NotRequired[int | None]
    # How much standing counts beside novelty, 0 to 1; none: hits that are alike may follow each other.
    mmr: NotRequired[float | None]
    # Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one.
    project: NotRequired[str | list[str] | None]


class OutlineRequest(TypedDict):
    """What `POST /api/v1/outline` takes."""
    # A file or folder relative to the root; empty: the root.
    path: NotRequired[str | None]
    # Deepest nesting shown; none: all of a file, the top level of a folder.
    depth: NotRequired[int | None]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class OutlineResponse(TypedDict):
    """What `POST /api/v1/outline` gives."""
    # In order of path.
    files: list[OutlineFile]
    # Files below the path in all.
    total: int


class GrepRequest(TypedDict):
    """What `POST /api/v1/grep` takes."""
    # The expression.
    pattern: str
    # Whether case does not count.
    ignore_case: NotRequired[bool | None]
    # Whether the pattern is plain text.
    fixed: NotRequired[bool | None]
    # Whether matches must be whole words.
    word: NotRequired[bool | None]
    # Languages, by name or alias.
    lang: NotRequired[list[str] | str | None]
    # Path globs, prefixes or extensions.
    path: NotRequired[list[str] | str | None]
    # Path globs to leave out.
    exclude: NotRequired[list[str] | str | None]
    # Entity types.
    type: NotRequired[list[str] | str | None]
    # Kinds, such as `struct` or `method`.
    kind: NotRequired[list[str] | str | None]
    # A name, a glob or `/regex/`.
    node_name: NotRequired[str | None]
    # The same for the entity around it, by name or signature.
    parent_context: NotRequired[str | None]
    # Least and greatest nesting depth.
    scope_depth: NotRequired[list[int] | None]
    # Names defined.
    has_definitions: NotRequired[list[str] | str | None]
    # Names used.
    has_references: NotRequired[list[str] | str | None]
    # Names conformed to.
    conformances: NotRequired[list[str] | str | None]
    # Tests only, or none.
    is_test: NotRequired[bool | None]
    # Public only, or none.
    is_public: NotRequired[bool | None]
    # Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now.
    modified_since: NotRequired[str | None]
    # How many lines at most.
    limit: NotRequired[int | None]
    # Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one.
    project: NotRequired[str | list[str] | None]


class GrepResponse(TypedDict):
    """What `POST /api/v1/grep` gives."""
    # As asked.
    pattern: str
    # Lines found, before the limit; a lower bound when `partial`.
    total: int
    # Whether the search stopped at the limit.
    partial: bool
    # Whether time ran out, so that not all files were searched.
    timed_out: NotRequired[bool]
    # In order of path and line.
    hits: list[GrepHit]


class StatusRequest(TypedDict):
    """What `POST /api/v1/status` takes."""
    # Whether files that were left out are listed.
    problems: NotRequired[bool | None]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class StatusResponse(TypedDict):
    """What `POST /api/v1/status` gives."""
    # What is indexed.
    root: str
    # Where the index lives.
    index_dir: str
    # Its layout.
    format: int
    # Its generation.
    generation: str
    # When it was written, in seconds since 1970.
    built: int
    # `fresh`, `stale`, `settings changed`, or `partial` where the first index was begun and is not whole.
    freshness: str
    # Files and folders that changed since, or are not in it yet.
    changed: int
    # Files.
    files: int
    # Entities, files and folders included.
    entities: int
    # Chunks.
    chunks: int
    # References.
    references: int
    # Bytes of source.
    source_bytes: int
    # Bytes on disk.
    index_bytes: int
    # Which model made the vectors.
    model: NotRequired[str | None]
    # Which model weighed the terms.
    sparse_model: NotRequired[str | None]
    # Chunks that a model failed on; the next `cds index` tries again.
    not_encoded: int
    # Texts that were longer than a model reads.
    truncated: int
    # Files by language, most first.
    languages: list[LanguageCount]
    # Problems by reason.
    problem_counts: dict[str, int]
    # Every file left out or read badly, when asked for.
    problems: NotRequired[list[ProblemShape]]


class LocagentSearchRequest(TypedDict):
    """What `POST /api/v1/locagent_search` takes."""
    # Names, ids or words: at most 100.
    search_terms: NotRequired[list[str] | str | None]
    # Lines of the one file that `file_path_or_pattern` names.
    line_nums: NotRequired[list[int] | None]
    # A pattern over whole paths, or a part of a path; none: `**/*.py`, which no file at the root matches.
    file_path_or_pattern: NotRequired[str | None]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class LocagentSearchResponse(TypedDict):
    """What `POST /api/v1/locagent_search` gives."""
    # The text, as the command line prints it.
    text: str


class LocagentExploreRequest(TypedDict):
    """What `POST /api/v1/locagent_explore` takes."""
    # Ids of nodes: `path`, `path:Class.method`.
    start_entities: list[str] | str
    # Which way edges are followed; none: `downstream`.
    direction: NotRequired[Literal["downstream", "upstream", "both", None]]
    # How deep; none: 2; -1: as deep as LocAgent goes, which is 20.
    traversal_depth: NotRequired[int | None]
    # Only nodes of these types; none: all.
    entity_type_filter: NotRequired[list[Literal["directory", "file", "class", "function"]] | str | None]
    # Only edges of these types; none: all.
    dependency_type_filter: NotRequired[list[Literal["contains", "imports", "inherits", "invokes"]] | str | None]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class LocagentRetrieveRequest(TypedDict):
    """What `POST /api/v1/locagent_retrieve` takes."""
    # Ids of nodes: at most 100.
    entity_names: list[str] | str
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class LocagentGraphRequest(TypedDict):
    """What `POST /api/v1/locagent_graph` takes."""
    # `nodes` or `edges`; none: `nodes`.
    part: NotRequired[Literal["nodes", "edges", None]]
    # Rows that are left out at the beginning.
    offset: NotRequired[int | None]
    # Rows at most; none: 1,000.
    limit: NotRequired[int | None]
    # Which project is asked: its name or a path in it. None: the only one.
    project: NotRequired[str | None]


class LocagentGraphResponse(TypedDict):
    """What `POST /api/v1/locagent_graph` gives."""
    # A JSON object a line, as `cds graph export --compat locagent` prints them.
    text: str
    # Rows in all.
    total: int
    # Where the next rows begin, if there are more.
    next_offset: int | None


class OpenProjectRequest(TypedDict):
    """What `POST /api/v1/projects` takes."""
    # The folder.
    root: str


class RefreshRequest(TypedDict):
    """What `POST /api/v1/refresh` takes."""
    # The project, by name or path; none: the only one.
    project: NotRequired[str | None]


class IndexRequest(TypedDict):
    """What `POST /api/v1/tasks` takes."""
    # The project, by name or path; none: the only one.
    project: NotRequired[str | None]
    # Whether everything is read anew.
    force: NotRequired[bool | None]


class Operations:
    """Every operation, a method each. Parameters are named; one that is a word of Python ends in `_`."""

    def _ask(self, method: str, path: str, request: Any = None) -> Any:
        raise NotImplementedError

    def search(self, **request: Unpack[SearchRequest]) -> SearchResponse:
        """Search code by words, names and meaning. Best hits first."""
        return self._ask("POST", "/api/v1/search", request)

    def symbol(self, **request: Unpack[SymbolRequest]) -> SymbolResponse:
        """Look up an entity by name, prefix, qualified name or id."""
        return self._ask("POST", "/api/v1/symbol", request)

    def traverse(self, **request: Unpack[TraverseRequest]) -> TraverseResponse:
        """Walk the code graph from entities: what they call, import, extend and contain, and who does that to
        them. Each edge says how sure it is.
        """
        return self._ask("POST", "/api/v1/traverse", request)

    def callers(self, **request: Unpack[TraverseRequest]) -> TraverseResponse:
        """Who calls an entity."""
        return self._ask("POST", "/api/v1/callers", request)

    def callees(self, **request: Unpack[TraverseRequest]) -> TraverseResponse:
        """What an entity calls."""
        return self._ask("POST", "/api/v1/callees", request)

    def implementations(self, **request: Unpack[TraverseRequest]) -> TraverseResponse:
        """Which types extend, implement or conform to one."""
        return self._ask("POST", "/api/v1/implementations", request)

    def dependents(self, **request: Unpack[TraverseRequest]) -> TraverseResponse:
        """Which files use a file, or a module from outside."""
        return self._ask("POST", "/api/v1/dependents", request)

    def path(self, **request: Unpack[PathRequest]) -> TraverseResponse:
        """The shortest way through the graph from one entity to another."""
        return self._ask("POST", "/api/v1/path", request)

    def research(self, **request: Unpack[ResearchRequest]) -> ResearchResponse:
        """Answer a question about the code as a whole: what would break if X changed and which tests reach it,
        who calls X through the chain, how A reaches B, what implements X, what depends on a folder, how
        modules depend on each other. Every finding has its evidence (path:line) and says how sure it is.
        """
        return self._ask("POST", "/api/v1/research", request)

    def retrieve(self, **request: Unpack[RetrieveRequest]) -> RetrieveResponse:
        """Print code by id: path:Outer.inner, path, path:42, path:10-20."""
        return self._ask("POST", "/api/v1/retrieve", request)

    def similar(self, **request: Unpack[SimilarRequest]) -> SearchResponse:
        """Find code like that at a place."""
        return self._ask("POST", "/api/v1/similar", request)

    def outline(self, **request: Unpack[OutlineRequest]) -> OutlineResponse:
        """What a file or folder defines."""
        return self._ask("POST", "/api/v1/outline", request)

    def grep(self, **request: Unpack[GrepRequest]) -> GrepResponse:
        """Search the indexed files with a regular expression."""
        return self._ask("POST", "/api/v1/grep", request)

    def status(self, **request: Unpack[StatusRequest]) -> StatusResponse:
        """What is indexed, how fresh it is and what was left out."""
        return self._ask("POST", "/api/v1/status", request)

    def locagent_search(self, **request: Unpack[LocagentSearchRequest]) -> LocagentSearchResponse:
        """LocAgent's search_code_snippets, to the letter: Python code by names, ids, words and lines."""
        return self._ask("POST", "/api/v1/locagent_search", request)

    def locagent_explore(self, **request: Unpack[LocagentExploreRequest]) -> LocagentSearchResponse:
        """LocAgent's explore_tree_structure, to the letter: a tree of what Python entities contain, import,
        invoke and inherit.
        """
        return self._ask("POST", "/api/v1/locagent_explore", request)

    def locagent_retrieve(self, **request: Unpack[LocagentRetrieveRequest]) -> LocagentSearchResponse:
        """LocAgent's get_entity_contents, to the letter: the code of Python entities by exact id."""
        return self._ask("POST", "/api/v1/locagent_retrieve", request)

    def locagent_graph(self, **request: Unpack[LocagentGraphRequest]) -> LocagentGraphResponse:
        """LocAgent's graph of the Python files, to the letter: its nodes or its edges, a page at a time."""
        return self._ask("POST", "/api/v1/locagent_graph", request)

    def list_projects(self) -> list[Project]:
        """Projects that are open."""
        return self._ask("GET", "/api/v1/projects")

    def open_project(self, **request: Unpack[OpenProjectRequest]) -> Project:
        """Open a folder: it is indexed and kept up to date."""
        return self._ask("POST", "/api/v1/projects", request)

    def get_project(self, id: str) -> Project:
        """A project."""
        return self._ask("GET", f"/api/v1/projects/{quote(id, safe='')}")

    def close_project(self, id: str) -> None:
        """Stop keeping a project. Its index stays on disk."""
        self._ask("DELETE", f"/api/v1/projects/{quote(id, safe='')}")

    def refresh(self, **request: Unpack[RefreshRequest]) -> Project:
        """Bring an index up to date, and answer when it is."""
        return self._ask("POST", "/api/v1/refresh", request)

    def list_tasks(self) -> list[Task]:
        """Tasks, the newest first."""
        return self._ask("GET", "/api/v1/tasks")

    def index(self, **request: Unpack[IndexRequest]) -> Task:
        """Index in the background. A request equal to one that has not ended is merged with it."""
        return self._ask("POST", "/api/v1/tasks", request)

    def get_task(self, id: str) -> Task:
        """A task as it stands."""
        return self._ask("GET", f"/api/v1/tasks/{quote(id, safe='')}")

    def cancel_task(self, id: str) -> Task:
        """Ask a task to stop."""
        return self._ask("POST", f"/api/v1/tasks/{quote(id, safe='')}/cancel")
