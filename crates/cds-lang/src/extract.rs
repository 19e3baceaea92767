//! Text to facts: parse, run the language's query once, put the pieces together, cut chunks.

use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use cds_model::{FileFacts, Kind, LanguageShare, Problem, ProblemKind, ReferenceKind, estimate_tokens};
use tree_sitter::{Node, ParseOptions, Parser, QueryCursor, QueryCursorOptions, StreamingIterator, Tree};

use crate::capture::Capture;
use crate::recover::{self, Plan};
use crate::registry::{Compiled, Language, Registry};
use crate::{allocation, assemble, chunk, embedded, names, sections};

/// Part of every cache key: raise it when the same bytes and the same language data give other facts.
pub const EXTRACTOR_VERSION: u32 = 8;

/// Matches a query may have under way at once. Bounds the work per node; real code stays far below.
const MATCH_LIMIT: u32 = 512;

/// Work allowed for a text, in the parser's own units (one callback is about a hundred operations), so that the same
/// bytes give the same facts on every machine. Real code needs about one callback for 150 bytes in either phase.
fn parse_budget(bytes: usize) -> usize {
    5_000 + bytes / 8
}

/// The same for running the query.
fn query_budget(bytes: usize) -> usize {
    2_000 + bytes / 16
}

/// Bytes that the parser reads at once. It asks again where it goes on, and where it goes back.
const READ: usize = 4_096;

/// How often it may ask. Real code is read once; where a text is broken, some scanners look for the end of a token from every byte to the
/// end of the text, in one operation that no callback interrupts.
fn read_budget(bytes: usize) -> usize {
    1_000 + 64 * bytes / READ
}

/// The last resort when a grammar's own scanner loops: then the clock decides.
const TIME_BUDGET: Duration = Duration::from_secs(3);

/// Parts of a text that may be unfinished at one place, in nodes of the parser's stack: each bracket, operator and keyword around it is one
/// or two. Completing more of them at the end of a broken text takes too much memory; see [`crate::allocation`].
const MAX_STACK: usize = 2_000;

/// Children of one error node beyond which a text is not worth a query: looking at siblings takes the square of their number.
const MAX_ERROR_CHILDREN: u32 = 5_000;

thread_local! {
    static TOOLS: RefCell<(Parser, QueryCursor)> = RefCell::new({
        allocation::install();
        (Parser::new(), QueryCursor::new())
    });
}

/// The facts of `text`, which is in `language`. Never fails: what goes wrong is listed in `problems`.
pub fn extract(registry: &Registry, language: &Language, text: &str) -> FileFacts {
    if !language.has_grammar() || text.is_empty() || text.ends_with('\n') {
        return extract_whole_lines(registry, language, text);
    }
    // Some grammars' scanners run to the next white space without looking for the end of the text, and never return.
    let mut facts = extract_whole_lines(registry, language, &format!("{text}\n"));
    let len = text.len() as u32;
    let spans = facts.entities.iter_mut().flat_map(|e| [&mut e.span, &mut e.full]);
    for span in spans.chain(facts.chunks.iter_mut().map(|c| &mut c.span)) {
        span.end = span.end.min(len);
    }
    facts.chunks.retain(|c| c.span.start < c.span.end);
    for name in &mut facts.names {
        name.end = name.end.min(len);
    }
    for (_, end) in facts.comments.iter_mut().chain(&mut facts.doc_spans) {
        *end = (*end).min(len);
    }
    facts
}

fn extract_whole_lines(registry: &Registry, language: &Language, text: &str) -> FileFacts {
    let lines = Lines::new(text);
    let mut facts = FileFacts { lines: lines.count(), ..FileFacts::default() };
    let stretches = embedded::find(registry, language, text);
    let (mut depths, mut own_names) = (None, Vec::new());
    if language.has_grammar() {
        depths = parse_into(&mut facts, &mut own_names, language, text, &lines, None);
    } else {
        for stretch in stretches.iter().filter(|s| s.is_code) {
            parse_into(&mut facts, &mut own_names, stretch.language, text, &lines, Some(stretch.range.clone()));
        }
    }
    let sections = sections::find(language, text);
    facts.chunks = chunk::cut(text, &lines, &facts.entities, &sections, &stretches, depths.as_deref());
    names::join_alike(&mut facts, &mut own_names, text);
    facts.languages = shares(language, text, &stretches);
    facts
}

/// Parses all of `text`, or one stretch of it, and adds what it says to `facts`, and positions of names of entities to `own_names`. Gives the nesting depth at each
/// line, for choosing where to cut; `None` when the parser gave up.
fn parse_into(
    facts: &mut FileFacts,
    own_names: &mut Vec<u32>,
    language: &Language,
    text: &str,
    lines: &Lines,
    stretch: Option<Range<usize>>,
) -> Option<Vec<u16>> {
    let compiled = language.compiled()?;
    let grammar = language.grammar()?;
    TOOLS.with_borrow_mut(|(parser, cursor)| {
        let is_part = stretch.is_some();
        let mut tree = match parse(parser, grammar, text, lines, stretch.as_slice()) {
            Ok(tree) => tree,
            Err(problem) => {
                facts.problems.push(problem);
                return None;
            }
        };
        let ended = if tree.root_node().has_error() { recover::with_ends(language, text) } else { None };
        if let Some(ended) = &ended
            && let Ok(other) = parse(parser, grammar, ended, lines, stretch.as_slice())
            && lost_bytes(&other) < lost_bytes(&tree)
        {
            tree = other;
        }
        let root = tree.root_node();
        let error = root.has_error().then(|| first_error(root));
        if let Some(error) = error
            && error.child_count() > MAX_ERROR_CHILDREN
        {
            facts.problems.push(syntax_error(error, 0, 0));
            facts.problems.push(too_much("too broken to read: indexed as plain text".to_owned()));
            return None;
        }
        let mut found = match run_query(cursor, compiled, root, text) {
            Ok(found) => found,
            Err(problem) => {
                facts.problems.extend(error.map(|error| syntax_error(error, 0, 0)));
                facts.problems.push(problem);
                return None;
            }
        };
        // Trees of parts live as long as what was found in them.
        let (skeleton, whole, headers);
        if let Some(error) = error {
            let mut unknown = recover::not_understood(root);
            let mut recovered = 0;
            if let Some(mut plan) = Plan::new(language, text, &found).filter(|_| !is_part) {
                let source = ended.as_deref().unwrap_or(text);
                let mut parse_parts = |parts: Vec<Vec<Range<usize>>>| -> Vec<Part> {
                    let parsed = parts.into_iter().map(|ranges| {
                        let tree = parse(parser, grammar, source, lines, &ranges).ok()?;
                        Some(Part { ranges, tree })
                    });
                    parsed.flatten().collect()
                };
                let mut query = |part| run_query(cursor, compiled, part, text).ok();
                skeleton = parse_parts(plan.skeleton(text.len()).into_iter().collect());
                add_parts(&mut plan, &mut found, &skeleton, &mut unknown, &mut query);
                whole = parse_parts(plan.whole());
                add_parts(&mut plan, &mut found, &whole, &mut unknown, &mut query);
                headers = parse_parts(plan.headers());
                add_parts(&mut plan, &mut found, &headers, &mut unknown, &mut query);
                plan.by_keyword(&mut found, root);
                recovered = plan.recovered;
            }
            let bytes = unknown.iter().map(|range| text[range.clone()].trim().len()).sum();
            facts.problems.push(syntax_error(error, bytes, recovered));
        }
        let mut declared = found.declared.clone();
        declared.extend(found.bindings.iter().map(|binding| binding.name.clone()));
        declared.sort_by_key(|range| (range.start, range.end));
        names::collect(&compiled.names, &tree, text, &declared, &mut facts.names);
        for module in found.imports.iter().flat_map(|import| &import.module) {
            names::add_module(&mut facts.names, text, module.clone());
        }
        own_names.extend(assemble::add(facts, language, &compiled.fields, found, text, lines));
        Some(chunk::line_depths(&tree, lines.count()))
    })
}

/// How many bytes of a text a parser did not understand. One that is only missing a token counts as one.
fn lost_bytes(tree: &Tree) -> usize {
    let root = tree.root_node();
    let lost: usize = recover::not_understood(root).iter().map(ExactSizeIterator::len).sum();
    lost + usize::from(root.has_error())
}

/// A part of a text that was parsed alone.
struct Part {
    ranges: Vec<Range<usize>>,
    tree: Tree,
}

/// Adds what parts of a text gave, and takes from `unknown` the ranges that they explain.
fn add_parts<'tree>(
    plan: &mut Plan,
    found: &mut Found<'tree>,
    parts: &'tree [Part],
    unknown: &mut Vec<Range<usize>>,
    query: &mut impl FnMut(Node<'tree>) -> Option<Found<'tree>>,
) {
    for part in parts {
        let (before, root) = (plan.recovered, part.tree.root_node());
        if let Some(more) = query(root) {
            plan.add(found, more);
        }
        if plan.recovered > before {
            *unknown = recover::without(unknown, &part.ranges);
            unknown.extend(recover::not_understood(root));
            unknown.sort_by_key(|range| range.start);
        }
    }
}

/// What a syntax error cost.
fn syntax_error(first: Node, bytes: usize, recovered: usize) -> Problem {
    let mut detail = format!("line {}", first.start_position().row + 1);
    if bytes > 0 {
        detail.push_str(&format!("; {bytes} bytes not understood"));
    }
    if recovered > 0 {
        detail.push_str(&format!("; {recovered} definitions recovered"));
    }
    Problem { kind: ProblemKind::SyntaxError, detail }
}

fn parse(
    parser: &mut Parser,
    grammar: &tree_sitter::Language,
    text: &str,
    lines: &Lines,
    parts: &[Range<usize>],
) -> Result<Tree, Problem> {
    parser.reset();
    parser.set_language(grammar).map_err(|e| too_much(e.to_string()))?;
    let ranges: Vec<tree_sitter::Range> = parts.iter().map(|r| lines.tree_range(r.clone())).collect();
    parser.set_included_ranges(&ranges).map_err(|e| too_much(format!("included ranges: {e:?}")))?;
    let mut guard = Guard::new(parse_budget(text.len()));
    let (before, mut is_deep) = (allocation::stack_nodes(), false);
    let reads = Cell::new(read_budget(text.len()));
    let mut progress = |_: &tree_sitter::ParseState| {
        is_deep |= allocation::stack_nodes() > before + MAX_STACK;
        if is_deep || reads.get() == 0 { ControlFlow::Break(()) } else { guard.step() }
    };
    // To a parser that reads too much the text ends here, so that it comes to its next step.
    let mut read = |at: usize, _: tree_sitter::Point| {
        reads.set(reads.get().saturating_sub(1));
        let end = text.floor_char_boundary((at + READ).min(text.len()));
        text.as_bytes().get(at..end).filter(|_| reads.get() > 0).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut progress)));
    tree.filter(|_| reads.get() > 0).ok_or_else(|| {
        // What was begun is let go of now, not when the next file is parsed.
        parser.reset();
        let why = if is_deep { "nested too deeply" } else { "parsing took too long" };
        too_much(format!("{why}: indexed as plain text"))
    })
}

fn too_much(detail: String) -> Problem {
    Problem { kind: ProblemKind::BudgetExceeded, detail }
}

/// Counts work and looks at the clock now and then.
struct Guard {
    left: usize,
    started: Duration,
}

impl Guard {
    fn new(left: usize) -> Guard {
        Guard { left, started: processor_time() }
    }

    fn step(&mut self) -> ControlFlow<()> {
        self.left = self.left.saturating_sub(1);
        // A step may take milliseconds where a text is broken, and most texts need few.
        let late = self.left.is_multiple_of(4) && processor_time().saturating_sub(self.started) > TIME_BUDGET;
        if self.left == 0 || late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Processor time of this thread, so that what else runs on the machine does not decide what is indexed.
fn processor_time() -> Duration {
    #[cfg(unix)]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed()
    }
}

/// Follows the first child with an error down to where it stands.
fn first_error(root: Node) -> Node {
    let mut node = root;
    let mut cursor = root.walk();
    while !node.is_error() && !node.is_missing() {
        let Some(child) = node.children(&mut cursor).find(Node::has_error) else { break };
        node = child;
    }
    node
}

/// Everything a query found in a text, not yet joined.
#[derive(Default)]
pub(crate) struct Found<'tree> {
    pub(crate) definitions: Vec<Definition<'tree>>,
    pub(crate) references: Vec<Use>,
    pub(crate) imports: Vec<ImportMatch>,
    pub(crate) bindings: Vec<BindingMatch>,
    /// Stretches in which all names are declared.
    pub(crate) declared: Vec<Range<usize>>,
    pub(crate) package: Option<Range<usize>>,
    /// Comments, decorators and modifiers, to be joined with definitions by position.
    pub(crate) marks: Vec<Mark>,
    /// Nodes that belong to the definition in them.
    pub(crate) wrappers: Vec<Range<usize>>,
    pub(crate) file_doc: Option<Range<usize>>,
}

impl<'tree> Found<'tree> {
    /// Adds what was found in a part of the same text.
    pub(crate) fn join(&mut self, part: Found<'tree>) {
        self.definitions.extend(part.definitions);
        self.references.extend(part.references);
        self.imports.extend(part.imports);
        self.bindings.extend(part.bindings);
        self.declared.extend(part.declared);
        self.marks.extend(part.marks);
        self.wrappers.extend(part.wrappers);
        self.package = self.package.take().or(part.package);
    }
}

pub(crate) struct Definition<'tree> {
    pub(crate) node: Node<'tree>,
    /// The node's, unless no node holds it.
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
    pub(crate) name: Option<Range<usize>>,
    pub(crate) scope: Vec<Range<usize>>,
    pub(crate) doc: Option<Range<usize>>,
    pub(crate) body: Option<usize>,
    pub(crate) parameters: Option<Node<'tree>>,
    pub(crate) return_type: Option<Range<usize>>,
    pub(crate) modifiers: Vec<Range<usize>>,
    pub(crate) is_test: bool,
    /// Whether it counts only outside functions.
    pub(crate) only_outer: bool,
    /// Whether a parse of the whole text did not find it.
    pub(crate) is_recovered: bool,
    /// A later pattern refines what an earlier one said of the same node.
    pub(crate) pattern: usize,
}

pub(crate) struct Use {
    pub(crate) kind: ReferenceKind,
    pub(crate) name: Range<usize>,
    pub(crate) receiver: Option<Range<usize>>,
}

pub(crate) struct ImportMatch {
    pub(crate) start: usize,
    pub(crate) module: Vec<Range<usize>>,
    pub(crate) item: Option<Range<usize>>,
    pub(crate) alias: Option<Range<usize>>,
    pub(crate) wildcard: bool,
    pub(crate) is_default: bool,
    pub(crate) is_export: bool,
}

pub(crate) struct BindingMatch {
    pub(crate) name: Range<usize>,
    pub(crate) type_name: Option<Range<usize>>,
    pub(crate) value: Option<Range<usize>>,
    pub(crate) is_member: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    Comment,
    Decorator,
    Modifier,
}

#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) kind: MarkKind,
    pub(crate) range: Range<usize>,
}

fn run_query<'tree>(
    cursor: &mut QueryCursor,
    compiled: &Compiled,
    root: Node<'tree>,
    text: &str,
) -> Result<Found<'tree>, Problem> {
    let mut found = Found::default();
    let mut guard = Guard::new(query_budget(text.len()));
    let mut stopped = false;
    let mut progress = |_: &tree_sitter::QueryCursorState| {
        let flow = guard.step();
        stopped = flow.is_break();
        flow
    };
    cursor.set_match_limit(MATCH_LIMIT);
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let mut matches = cursor.matches_with_options(&compiled.query, root, text.as_bytes(), options);
    while let Some(one) = matches.next() {
        collect(&mut found, one, compiled);
    }
    drop(matches);
    if stopped { Err(too_much("queries took too long: indexed as plain text".to_owned())) } else { Ok(found) }
}

fn collect<'tree>(found: &mut Found<'tree>, one: &tree_sitter::QueryMatch<'_, 'tree>, compiled: &Compiled) {
    let mut main = None;
    let (mut name, mut receiver, mut doc, mut body) = (None, None, None, None);
    let (mut parameters, mut return_type) = (None, None);
    let (mut scope, mut module) = (Vec::new(), Vec::new());
    let (mut item, mut alias) = (None, None);
    let (mut wildcard, mut is_test, mut is_default) = (false, false, false);
    let (mut type_name, mut value) = (None, None);
    let mut modifiers = Vec::new();
    for capture in one.captures() {
        let node = capture.node;
        let range = node.byte_range();
        match compiled.captures[capture.index as usize] {
            meaning @ (Capture::Definition(_)
            | Capture::Reference(_)
            | Capture::Import
            | Capture::Export
            | Capture::Binding { .. }
            | Capture::Declared
            | Capture::Package) => main = Some((meaning, node)),
            Capture::Default => is_default = true,
            Capture::Type => type_name = Some(range),
            Capture::Value => value = Some(range),
            Capture::Name => name = Some(range),
            Capture::Scope => scope.push(range),
            // Several are one path: `a::B::` before the name.
            Capture::Receiver => {
                let start = receiver.as_ref().map_or(range.start, |r: &Range<usize>| r.start.min(range.start));
                receiver = Some(start..range.end);
            }
            Capture::Module => module.push(range),
            Capture::Item => item = Some(range),
            Capture::Alias => alias = Some(range),
            Capture::Wildcard => wildcard = true,
            Capture::Doc => doc = Some(range),
            Capture::Body => body = Some(range.start),
            Capture::Parameters => parameters = Some(node),
            Capture::Return => return_type = Some(range),
            Capture::Test => is_test = true,
            Capture::Comment => found.marks.push(Mark { kind: MarkKind::Comment, range }),
            Capture::Decorator => found.marks.push(Mark { kind: MarkKind::Decorator, range }),
            Capture::Modifier => modifiers.push(range),
            Capture::Wrapper => found.wrappers.push(range),
            Capture::Helper => {}
        }
    }
    let pattern = one.pattern_index;
    match main {
        Some((Capture::Definition(kind), node)) => found.definitions.push(Definition {
            node,
            range: node.byte_range(),
            kind,
            name,
            scope,
            doc,
            body,
            parameters,
            return_type,
            modifiers,
            is_test,
            only_outer: compiled.outer[pattern],
            is_recovered: false,
            pattern,
        }),
        Some((Capture::Reference(kind), node)) => {
            found.references.push(Use { kind, name: name.unwrap_or_else(|| node.byte_range()), receiver });
        }
        Some((meaning @ (Capture::Import | Capture::Export), node)) => {
            let (start, is_export) = (node.start_byte(), meaning == Capture::Export);
            found.imports.push(ImportMatch { start, module, item, alias, wildcard, is_default, is_export });
        }
        Some((Capture::Binding { member }, node)) => {
            let name = node.byte_range();
            found.bindings.push(BindingMatch { name, type_name, value, is_member: member });
        }
        Some((Capture::Declared, node)) => found.declared.push(node.byte_range()),
        // The first is the outermost.
        Some((Capture::Package, node)) => {
            found.package.get_or_insert(node.byte_range());
        }
        _ => {
            found.marks.extend(modifiers.into_iter().map(|range| Mark { kind: MarkKind::Modifier, range }));
            if found.file_doc.is_none() {
                found.file_doc = doc;
            }
        }
    }
}

fn shares(language: &Language, text: &str, stretches: &[embedded::Stretch]) -> Vec<LanguageShare> {
    let mut shares = vec![LanguageShare { language: language.shown().into(), tokens: estimate_tokens(text) }];
    for stretch in stretches {
        let tokens = estimate_tokens(&text[stretch.range.clone()]);
        let name = stretch.language.shown();
        shares[0].tokens = shares[0].tokens.saturating_sub(tokens);
        match shares.iter_mut().find(|s| s.language == name) {
            Some(share) => share.tokens += tokens,
            None => shares.push(LanguageShare { language: name.into(), tokens }),
        }
    }
    shares.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.language.cmp(&b.language)));
    shares
}

/// Byte positions of line starts.
pub(crate) struct Lines {
    starts: Vec<u32>,
    len: u32,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Lines {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        if starts.len() > 1 && starts.last() == Some(&(text.len() as u32)) {
            starts.pop();
        }
        Lines { starts, len: text.len() as u32 }
    }

    /// Number of lines; an empty text has none.
    pub(crate) fn count(&self) -> u32 {
        if self.len == 0 { 0 } else { self.starts.len() as u32 }
    }

    /// The line `byte` stands on, from 1.
    pub(crate) fn line_of(&self, byte: u32) -> u32 {
        self.starts.partition_point(|&s| s <= byte) as u32
    }

    /// First byte of a line, from 1; the end of the text for lines past the last.
    pub(crate) fn start(&self, line: u32) -> u32 {
        self.starts.get(line as usize - 1).copied().unwrap_or(self.len)
    }

    pub(crate) fn span(&self, range: Range<usize>) -> cds_model::Span {
        let (start, end) = (range.start as u32, range.end as u32);
        let start_line = self.line_of(start);
        let end_line = if end > start { self.line_of(end - 1) } else { start_line };
        cds_model::Span { start, end, start_line, end_line }
    }

    fn tree_range(&self, range: Range<usize>) -> tree_sitter::Range {
        let point = |byte: usize| {
            let line = self.line_of(byte as u32);
            tree_sitter::Point { row: line as usize - 1, column: byte - self.start(line) as usize }
        };
        tree_sitter::Range {
            start_byte: range.start,
            end_byte: range.end,
            start_point: point(range.start),
            end_point: point(range.end),
        }
    }
}
