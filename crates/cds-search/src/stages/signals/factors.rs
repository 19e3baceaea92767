//! Multipliers: what a chunk is, whatever its words. They apply in the order of [`Factors::all`], and their product is capped.

use cds_index::{ChunkView, DocumentView, EntityView};
use cds_model::{EdgeKind, PathRole};

use super::super::relations::is_relation;
use super::super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;
use crate::preset::{Fusion, Weights};
use crate::query::QueryKind;

/// A name in fewer chunks than this is rare.
const RARE: u64 = 10;

/// What languages call a type that others promise to be.
const PROTOCOLS: &[&str] = &["interface", "protocol", "trait"];

/// Words for the same in questions.
const PROTOCOL_WORDS: &[&str] = &["interface", "interfaces", "protocol", "protocols", "trait", "traits", "typeclass"];

/// Kinds that add to a type that is declared elsewhere.
const ADDITIONS: &[&str] = &["extension", "impl", "instance"];

/// What almost every type promises, language by language: it says little about what a type is for.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Hashable", "Identifiable", "Sendable",
    "Clone", "Copy", "Debug", "Default", "Deserialize", "Display", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd", "Serialize",
    "Cloneable", "IComparable", "IEquatable", "IFormattable", "Serializable", "Stringable", "JsonSerializable", "Stringer",
    "Bounded", "Enum", "Read", "Show",
];

/// Words in paths that name an operating system, each with the others that mean the same.
#[rustfmt::skip]
const PLATFORMS: &[(&str, &[&str])] = &[
    ("windows", &["win", "win32", "windows", "mingw", "cygwin"]),
    ("macos",   &["darwin", "macos", "osx"]),
    ("ios",     &["ios", "tvos", "watchos"]),
    ("android", &["android"]),
    ("linux",   &["linux"]),
    ("other",   &["aix", "sunos", "solaris", "freebsd", "openbsd", "netbsd", "dragonfly", "bsd", "haiku", "hpux", "ibmi", "os390", "qnx", "wasm", "wasi", "emscripten"]),
];

/// The stage that multiplies.
pub(crate) struct Factors;

impl Stage for Factors {
    fn name(&self) -> &'static str {
        "factors"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        if cx.preset.weights == Weights::PLAIN && cx.parsed.languages.is_empty() {
            return Ok(());
        }
        let asked = Asked::new(cx);
        for candidate in &mut pool.list {
            let Some(view) = cx.snapshot.chunk(candidate.chunk) else { continue };
            let Some(document) = view.document() else { continue };
            let factors = asked.factors(candidate, view, document);
            candidate.multiply(factors, cx.preset.weights.cap);
        }
        Ok(())
    }
}

/// The query, as multipliers ask about it.
struct Asked<'a> {
    cx: &'a Cx<'a>,
    /// "What implements X": the name is where the question begins, not what it asks for.
    is_relation: bool,
    asks_for_protocol: bool,
    /// The query is a name and nothing else, or "what is X".
    asks_what_it_is: bool,
    /// A name of several words was typed whole: which bit of a candidate's terms says that it has it.
    whole_name: Option<u32>,
}

impl<'a> Asked<'a> {
    fn new(cx: &'a Cx<'a>) -> Asked<'a> {
        let words = &cx.parsed.names;
        let is_compound = cx.parsed.kind == QueryKind::Symbol && cx.parsed.terms.len() > 2;
        Asked {
            cx,
            is_relation: is_relation(&cx.query.text),
            asks_what_it_is: cx.parsed.kind == QueryKind::Symbol || what_is(&cx.query.text),
            asks_for_protocol: words.iter().any(|w| PROTOCOL_WORDS.contains(&w.to_lowercase().as_str())),
            // The whole of an identifier comes before its parts.
            whole_name: (is_compound && words.len() == 1 && !words[0].contains([':', '.'])).then_some(1),
        }
    }

    /// Every multiplier for a chunk, in order.
    fn factors(&self, candidate: &Candidate, view: ChunkView, document: DocumentView) -> Vec<(&'static str, f32)> {
        let weights = &self.cx.preset.weights;
        let mut factors = Vec::new();
        let mut factor = |name: &'static str, value: f32, on: bool| {
            if on {
                factors.push((name, value));
            }
        };
        let named = candidate.retrieved.iter().any(|(name, _, _)| *name == "names");
        let entity = candidate.entity.and_then(|id| self.cx.snapshot.entity(id));
        let declares = view.is_type_declaration();
        let is_addition = ADDITIONS.contains(&view.node_type().name());
        factor("exact_symbol", weights.exact_symbol, named && !self.is_relation && self.is_rare(entity));
        let bare_type = self.asks_what_it_is && named && declares && !is_addition;
        factor("type_declaration", weights.type_declaration, bare_type);
        let is_protocol = PROTOCOLS.contains(&view.node_type().name());
        let protocol = self.asks_for_protocol && is_protocol && entity.is_some_and(|e| self.names(e.name()));
        factor("protocol_kind", weights.protocol_kind, protocol);
        let promises = view.entity().filter(|_| declares).map(|entity| self.promises(entity)).unwrap_or_default();
        let conforms = promises.iter().any(|name| self.names(name));
        factor("conformance_implementation", weights.conformance_implementation, conforms && self.is_relation);
        // A word of prose may be a type's name by chance, and a bare name means itself where files are weighed.
        let by_name = promises.iter().any(|name| self.cx.parsed.code_terms.iter().any(|term| term == name));
        let has_file_evidence = self.cx.preset.fusion == Fusion::Evidence;
        let may_conform = self.cx.parsed.kind == QueryKind::Mixed || !has_file_evidence;
        factor("conformance", weights.conformance, by_name && !self.is_relation && may_conform);
        let is_standard = !conforms && self.cx.parsed.is_conceptual() && self.is_in_standard_addition(view);
        factor("standard_protocol", weights.standard_protocol, is_standard);
        let partial = self.whole_name.is_some_and(|bit| candidate.terms & bit == 0) && !named;
        // A member of what was named has the name around it.
        let is_member = entity.and_then(EntityView::parent).is_some_and(|parent| self.names(parent.name()));
        factor("partial_name", weights.partial_name, partial && candidate.terms != 0 && !is_member);
        let role = document.role();
        // Evidence of the chunk alone has been moved already where there is evidence of files.
        // Tests inside a source file count as tests.
        let is_test = !has_file_evidence && view.is_test() || role == PathRole::Test;
        let is_source = role == PathRole::Source && !is_test;
        let wanted = is_test && self.cx.parsed.asks_for_tests;
        let roles_count = (weights.source_path - 1.0).abs() > f32::EPSILON;
        factor("source_path", weights.source_path, is_source);
        let is_demoted = !is_source && !wanted && roles_count;
        // Documentation may answer a question in words; a name is looked for in code.
        let is_docs = role == PathRole::Docs && self.cx.parsed.is_in_words();
        factor("other_role", weights.other_role, is_demoted && !is_docs);
        factor("docs_role", weights.docs_role, is_demoted && is_docs);
        factor("other_platform", weights.other_platform, is_elsewhere(document.path(), &self.cx.parsed.keywords));
        let languages = &self.cx.parsed.languages;
        factor("language", weights.language, languages.contains(&document.language()));
        factor("public", weights.public, !has_file_evidence && super::is_public(view));
        factors
    }

    /// Whether the query names it, case and all.
    fn names(&self, name: &str) -> bool {
        self.cx.parsed.names.iter().any(|w| w == name)
    }

    /// Whether a chunk is an extension or an impl that conforms to a standard protocol, or a member of one, and the query does not name the
    /// protocol.
    fn is_in_standard_addition(&self, view: ChunkView<'a>) -> bool {
        let own = view.entity();
        let mut around = own.into_iter().chain(own.and_then(EntityView::parent));
        let Some(addition) = around.find(|entity| ADDITIONS.contains(&entity.kind().name())) else { return false };
        let promises = self.promises(addition);
        promises.iter().any(|name| STANDARD.contains(name)) && !promises.iter().any(|name| self.names(name))
    }

    /// The types that a type, an extension or an impl conforms to, by the graph.
    fn promises(&self, entity: EntityView<'a>) -> Vec<&'a str> {
        let edges = self.cx.snapshot.graph().outgoing(entity.id.0);
        let targets = edges.filter(|(_, e)| e.kind() == EdgeKind::Inherit).map(|(_, e)| cds_model::EntityId(e.to));
        targets.filter_map(|id| self.cx.snapshot.entity(id)).map(EntityView::name).collect()
    }

    /// Whether a name is in few chunks.
    fn is_rare(&self, entity: Option<EntityView>) -> bool {
        let Some(entity) = entity else { return false };
        self.cx.tools.frequencies.of(self.cx.snapshot, entity.name()) < RARE
    }
}

/// "what is X", "what's an X?": one name and nothing after it.
fn what_is(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let rest = ["what is ", "what's ", "what are "].iter().find_map(|opening| lower.strip_prefix(opening));
    let rest = rest.map(|r| ["a ", "an ", "the "].iter().find_map(|article| r.strip_prefix(article)).unwrap_or(r));
    rest.is_some_and(|name| !name.trim().is_empty() && !name.trim().contains(' '))
}

/// Whether a path names an operating system that is not this one; not where the query names one.
fn is_elsewhere(path: &str, asked: &[String]) -> bool {
    let named = |word: &str| PLATFORMS.iter().find(|(_, words)| words.contains(&word)).map(|(family, _)| *family);
    let lower = path.to_ascii_lowercase();
    let mut families = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(named).peekable();
    families.peek().is_some()
        && families.all(|family| family != std::env::consts::OS)
        && !asked.iter().any(|word| named(word).is_some())
}
