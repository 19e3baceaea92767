//! Filters, compiled once a query and applied to every chunk while it is retrieved.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use cds_index::{DocumentView, EntityView, Inside, Snapshot};
use cds_model::{CancelToken, ChunkId, EntityId, EntityType, FileId, Filters, Kind, Pattern, Span};
use regex::Regex;
use rustc_hash::FxHashSet;

use crate::globs::{GlobCache, PathPattern};
use crate::patterns::{self, PatternError};
use crate::{Error, Result};

/// What a chunk must be like, ready to be asked often.
pub struct CompiledFilter<'a> {
    filters: &'a Filters,
    paths: Vec<Arc<PathPattern>>,
    exclude: Vec<Arc<PathPattern>>,
    node_name: Option<NamePattern>,
    parent_context: Option<NamePattern>,
    /// Whether a file passes, once it was asked: chunks of a file come one after another.
    files: RefCell<Vec<Option<bool>>>,
    /// The scope that was matched last, and the outcome: entities of a file mostly share one.
    last_scope: RefCell<(String, bool)>,
    /// Whether the name or the signature of a parent matches, for each parent that was compared.
    parents: RefCell<Vec<Option<bool>>>,
    /// The entities with one of the conformances, when the first is asked for.
    conforming: OnceCell<FxHashSet<EntityId>>,
    asks_nothing: bool,
    /// The request's token: a filter that is asked for every chunk of an index must stop with it.
    cancel: CancelToken,
    asked: Cell<u32>,
    is_cancelled: Cell<bool>,
}

/// How many times a filter is asked between two looks at the token.
const ASKED: u32 = 64;

/// What is judged: a chunk, or an entity inside one.
struct Subject<'a> {
    entity: Option<EntityView<'a>>,
    /// None for folders.
    language: Option<&'a str>,
    node_type: Kind,
    /// How many definitions, its own included, or headings of prose lead to it.
    depth: u32,
    is_test: bool,
    is_public: bool,
}

impl<'a> Subject<'a> {
    fn of(entity: EntityView<'a>) -> Subject<'a> {
        Subject {
            entity: Some(entity),
            language: entity.language(),
            node_type: entity.kind(),
            depth: entity.depth() + 1,
            is_test: entity.is_test(),
            is_public: entity.is_public(),
        }
    }
}

enum NamePattern {
    Exact(String),
    Regex(Regex),
}

/// The regular expression that a pattern of names is compiled to, or the name itself if it is exact.
fn expression(pattern: &Pattern) -> Result<Cow<'_, str>, &str> {
    match pattern {
        Pattern::Exact(name) => Err(name),
        Pattern::Regex(text) => Ok(Cow::Borrowed(text)),
        Pattern::Glob(glob) => {
            let escaped = regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".");
            Ok(Cow::Owned(format!("^{escaped}$")))
        }
    }
}

/// The cost of a pattern of names; see [`patterns::check_regex`].
pub fn name_cost(pattern: &Pattern) -> usize {
    expression(pattern).map_or(0, |text| patterns::regex_cost(&text))
}

impl NamePattern {
    fn compile(field: &'static str, pattern: &Pattern) -> Result<NamePattern> {
        let refused = |e: PatternError| Error::Invalid { field, message: e.to_string() };
        match expression(pattern) {
            Ok(text) => patterns::regex(&text).map(NamePattern::Regex).map_err(refused),
            Err(name) => Ok(NamePattern::Exact(name.to_owned())),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            NamePattern::Exact(name) => name == text,
            NamePattern::Regex(regex) => regex.is_match(text),
        }
    }
}

impl<'a> CompiledFilter<'a> {
    /// Compiles patterns; a mistake in one names its option.
    pub fn new(filters: &'a Filters, globs: &GlobCache) -> Result<CompiledFilter<'a>> {
        let patterns = |field: &'static str, list: &[String]| -> Result<Vec<_>> {
            patterns::check_globs(field, list)?;
            list.iter().map(|p| globs.get(field, p)).collect()
        };
        let name = |field: &'static str, pattern: &Option<Pattern>| {
            pattern.as_ref().map(|p| NamePattern::compile(field, p)).transpose()
        };
        Ok(CompiledFilter {
            paths: patterns("path", &filters.paths)?,
            exclude: patterns("exclude", &filters.exclude)?,
            node_name: name("node_name", &filters.node_name)?,
            parent_context: name("parent_context", &filters.parent_context)?,
            files: RefCell::new(Vec::new()),
            last_scope: RefCell::default(),
            parents: RefCell::default(),
            conforming: OnceCell::new(),
            asks_nothing: *filters == Filters::default(),
            cancel: CancelToken::current(),
            asked: Cell::new(0),
            is_cancelled: Cell::new(false),
            filters,
        })
    }

    /// Whether the request has ended; then nothing passes any more. Looks at the token after some number of calls.
    fn has_ended(&self) -> bool {
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        if asked.is_multiple_of(ASKED) {
            self.is_cancelled.set(self.is_cancelled.get() || self.cancel.is_cancelled());
        }
        self.is_cancelled.get()
    }

    /// Matches a name against a pattern of the request. Patterns may be slow, so the token is looked at each time.
    fn matches(&self, pattern: &NamePattern, text: &str) -> bool {
        self.is_cancelled.set(self.is_cancelled.get() || self.cancel.is_cancelled());
        !self.is_cancelled.get() && pattern.matches(text)
    }

    /// Names that the text index answers for: the chunk must define one of these.
    pub(crate) fn definitions(&self) -> &[String] {
        &self.filters.has_definitions
    }

    /// The chunk must use one of these.
    pub(crate) fn references(&self) -> &[String] {
        &self.filters.has_references
    }

    /// Whether a chunk may be a hit, but for the names it must define or use: the text index answers for those.
    pub fn accepts(&self, snapshot: &Snapshot, chunk: ChunkId) -> bool {
        if self.asks_nothing {
            return true;
        }
        let Some(view) = snapshot.chunk(chunk) else { return false };
        let subject = Subject {
            entity: view.entity(),
            language: Some(view.language()),
            node_type: view.node_type(),
            depth: view.depth(),
            is_test: view.is_test(),
            is_public: view.is_public(),
        };
        view.document().is_some_and(|d| self.accepts_file(d)) && self.accepts_subject(snapshot, &subject)
    }

    /// Whether a chunk that the text index was not asked about defines and uses what is asked for.
    pub(crate) fn accepts_names(&self, snapshot: &Snapshot, chunk: ChunkId) -> bool {
        if self.definitions().is_empty() && self.references().is_empty() {
            return true;
        }
        let inside = || {
            let view = snapshot.chunk(chunk)?;
            let file = snapshot.load(view.document()?.id).ok()?;
            Some(self.names_inside(&file.inside(file.chunk(view.local()?)?.span)?))
        };
        inside().unwrap_or(false)
    }

    /// The same for an entity as a whole; a file is the whole of its text.
    fn accepts_names_of(&self, snapshot: &Snapshot, entity: EntityView) -> bool {
        if self.definitions().is_empty() && self.references().is_empty() {
            return true;
        }
        let inside = || {
            let file = snapshot.load(entity.document()?.id).ok()?;
            let whole = Span { start: 0, end: u32::MAX, start_line: 1, end_line: u32::MAX };
            let span = match entity.local() {
                Some(local) => file.entity(local)?.full,
                None => whole,
            };
            Some(self.names_inside(&file.inside(span)?))
        };
        inside().unwrap_or(false)
    }

    fn names_inside(&self, inside: &Inside) -> bool {
        let asked = |names: &[String], name: &str| names.iter().any(|n| n == name);
        let defines = || inside.definitions().any(|name| asked(self.definitions(), name));
        let uses = || inside.uses().any(|name| asked(self.references(), name));
        (self.definitions().is_empty() || defines()) && (self.references().is_empty() || uses())
    }

    /// Whether an entity that was found by its name may be a hit.
    pub fn accepts_entity(&self, snapshot: &Snapshot, entity: EntityView) -> bool {
        // What the tree only uses has nothing to show.
        if entity.entity_type() == EntityType::External {
            return false;
        }
        let in_file = match entity.document() {
            Some(document) => self.accepts_file(document),
            None => self.filters.languages.is_empty(),
        };
        self.asks_nothing
            || in_file
                && self.accepts_subject(snapshot, &Subject::of(entity))
                && self.accepts_names_of(snapshot, entity)
    }

    /// Whether the filter is about definitions: then those without a chunk of their own are hits as well.
    pub(crate) fn judges_inside(&self) -> bool {
        let Filters { node_types, entity_types, node_name, parent_context, scope_depth, conformances, .. } =
            self.filters;
        let by_kind = !node_types.is_empty() || !entity_types.is_empty() || !conformances.is_empty();
        by_kind || node_name.is_some() || parent_context.is_some() || scope_depth.is_some()
    }

    /// Whether a definition inside a chunk may be a hit, but for the names that the chunk must define or use.
    pub(crate) fn accepts_inside(&self, snapshot: &Snapshot, entity: EntityView) -> bool {
        self.accepts_subject(snapshot, &Subject::of(entity))
    }

    /// Whether nothing is asked for.
    pub fn accepts_all(&self) -> bool {
        self.asks_nothing
    }

    /// Whether what is asked of files holds for one; what is asked of what stands in it is another question.
    pub fn accepts_file(&self, document: DocumentView) -> bool {
        let at = document.id.index();
        let mut files = self.files.borrow_mut();
        if files.len() <= at {
            files.resize(at + 1, None);
        }
        if let Some(known) = files[at] {
            return known;
        }
        if self.has_ended() {
            return false;
        }
        let filters = self.filters;
        let path = document.path();
        let passes = (filters.languages.is_empty() || filters.languages.iter().any(|l| document.has_language(l)))
            && (self.paths.is_empty() || self.paths.iter().any(|p| p.matches(path)))
            && !self.exclude.iter().any(|p| p.matches(path))
            && filters.modified_since.is_none_or(|since| document.modified_ns() / 1_000_000_000 >= since);
        files[at] = Some(passes);
        passes
    }

    fn accepts_subject(&self, snapshot: &Snapshot, subject: &Subject) -> bool {
        if self.has_ended() {
            return false;
        }
        let filters = self.filters;
        let entity = subject.entity;
        let entity_type = entity.map_or(EntityType::File, EntityView::entity_type);
        let flags = filters.is_test.is_none_or(|t| t == subject.is_test)
            && filters.is_public.is_none_or(|p| p == subject.is_public);
        let types = filters.entity_types.is_empty() || filters.entity_types.contains(&entity_type);
        let nodes = filters.node_types.is_empty() || filters.node_types.contains(&subject.node_type);
        let asks_language = !filters.languages.is_empty() && !filters.whole_files;
        let is_foreign = |own: &str| asks_language && !filters.languages.iter().any(|l| l == own);
        if !(flags && types && nodes) || subject.language.is_some_and(is_foreign) {
            return false;
        }
        if filters.scope_depth.is_some_and(|(least, most)| subject.depth < least || subject.depth > most) {
            return false;
        }
        if let Some(pattern) = &self.node_name
            && !entity.is_some_and(|e| self.matches(pattern, e.name()))
        {
            return false;
        }
        if let Some(pattern) = &self.parent_context {
            let matches = |parent: EntityView| {
                let compare = || {
                    self.matches(pattern, parent.name()) || parent.signature().is_some_and(|s| self.matches(pattern, s))
                };
                let mut parents = self.parents.borrow_mut();
                if parents.is_empty() {
                    parents.resize(snapshot.entity_count(), None);
                }
                match parents.get_mut(parent.id.index()) {
                    Some(known) => *known.get_or_insert_with(compare),
                    None => compare(),
                }
            };
            let scoped = entity.and_then(EntityView::scope).is_some_and(|scope| self.matches_scope(pattern, scope));
            if !(scoped || entity.and_then(EntityView::parent).is_some_and(matches)) {
                return false;
            }
        }
        filters.conformances.is_empty() || entity.is_some_and(|entity| self.conforming(snapshot).contains(&entity.id))
    }

    fn matches_scope(&self, pattern: &NamePattern, scope: &str) -> bool {
        let mut last = self.last_scope.borrow_mut();
        if last.0 != scope {
            *last = (scope.to_owned(), self.matches(pattern, scope));
        }
        last.1
    }

    fn conforming(&self, snapshot: &Snapshot) -> &FxHashSet<EntityId> {
        self.conforming.get_or_init(|| snapshot.conforming(&self.filters.conformances))
    }

    /// The only files in which chunks can pass, where a condition on entities selects them: those with an entity that has one of the
    /// conformances. `None` if chunks of any file may pass.
    pub(crate) fn documents<'s>(&self, snapshot: &'s Snapshot) -> Option<Vec<DocumentView<'s>>> {
        if self.filters.conformances.is_empty() {
            return None;
        }
        let conforming = self.conforming(snapshot).iter();
        let mut files: Vec<FileId> =
            conforming.filter_map(|id| snapshot.entity(*id)?.document()).map(|document| document.id).collect();
        files.sort_unstable();
        files.dedup();
        Some(files.into_iter().filter_map(|id| snapshot.document(id)).collect())
    }
}
