//! Multipliers: what a chunk is, whatever its words.

use cds_index::{ChunkView, DocumentView};
use cds_model::{PathRole, Signal};

use super::super::Candidate;
use super::super::relations::is_relation;
use crate::pipeline::Cx;
use crate::query::QueryKind;

/// A name borne by fewer entities than this is rare.
const RARE: usize = 10;

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

pub(super) fn multiply(cx: &Cx, candidate: &mut Candidate, view: ChunkView, document: DocumentView) {
    let weights = &cx.preset.weights;
    let mut factors: Vec<Signal> = Vec::new();
    let mut factor = |name: &'static str, value: f32, on: bool| {
        if on && (value - 1.0).abs() > f32::EPSILON {
            factors.push(Signal { name, value, multiplies: true });
        }
    };
    let named = candidate.retrieved.iter().any(|(name, _, _)| *name == "names");
    let is_rare = |id| {
        let entity = cx.snapshot.entity(id);
        entity.is_some_and(|e| cx.snapshot.find_names(e.name(), cds_index::NameMatch::Exact, RARE).len() < RARE)
    };
    // In "implementations of X" the name is where the question begins, not what it asks for.
    let rare = named && !is_relation(&cx.query.text) && candidate.entity.is_some_and(is_rare);
    factor("exact_symbol", weights.exact_symbol, rare);
    let bare_type = cx.parsed.kind == QueryKind::Symbol && named && view.is_type_declaration() && !is_addition(view);
    factor("type_declaration", weights.type_declaration, bare_type);
    let role = document.role();
    // Tests inside a source file count as tests.
    let is_test = view.is_test() || role == PathRole::Test;
    let is_source = role == PathRole::Source && !is_test;
    let asked = is_test && cx.parsed.asks_for_tests;
    factor("source_path", weights.source_path, is_source);
    factor("other_role", weights.other_role, !is_source && !asked && (weights.source_path - 1.0).abs() > f32::EPSILON);
    factor("other_platform", weights.other_platform, is_elsewhere(document.path(), &cx.parsed.keywords));
    factor("public", weights.public, view.entity().is_some() && view.is_public());
    let product: f32 = factors.iter().map(|s| s.value).product();
    candidate.score *= product.min(weights.cap);
    candidate.signals.append(&mut factors);
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

/// Whether a chunk adds to a type that is declared elsewhere.
fn is_addition(view: ChunkView) -> bool {
    matches!(view.node_type().name(), "impl" | "extension")
}
