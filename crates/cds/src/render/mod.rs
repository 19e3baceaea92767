//! Responses to text, one file a format. Results only: messages go to stderr elsewhere.

pub(crate) mod eval;
mod graph;
mod human;
pub(crate) mod json;
mod markdown;
mod paint;
mod research;
mod table;
mod toon;

use std::collections::BTreeSet;

use cds_engine::{
    GraphResponse, GrepResponse, Hit, OutlineResponse, Registry, ResearchResponse, RetrieveResponse, SearchResponse,
    StatusResponse, SymbolResponse,
};

use crate::args::{Draw, Format};
use crate::commands::Context;

pub(crate) fn search(response: &SearchResponse, context: &Context, explain: bool) -> String {
    match context.format {
        Format::Human => human::search(response, &context.painter(), explain),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => {
            toon::hits(Some(&response.query), Some(response.total), &response.hits, response.next_cursor.as_deref())
        }
        Format::Markdown => markdown::hits(&response.hits),
        Format::Paths => paths(response.hits.iter().map(|h| h.path.as_str())),
    }
}

pub(crate) fn symbol(response: &SymbolResponse, context: &Context) -> String {
    match context.format {
        Format::Human => human::hits(&response.hits, &context.painter(), false),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => toon::hits(Some(&response.name), Some(response.total), &response.hits, None),
        Format::Markdown => markdown::hits(&response.hits),
        Format::Paths => paths(response.hits.iter().map(|h| h.path.as_str())),
    }
}

pub(crate) fn retrieve(response: &RetrieveResponse, context: &Context) -> String {
    match context.format {
        Format::Human => human::hits(&response.hits, &context.painter(), false),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => toon::hits(None, None, &response.hits, None),
        Format::Markdown => markdown::hits(&response.hits),
        Format::Paths => paths(response.hits.iter().map(|h: &Hit| h.path.as_str())),
    }
}

pub(crate) fn graph(response: &GraphResponse, context: &Context, draw: Draw) -> String {
    match (context.format, draw) {
        (Format::Human, Draw::Tree) => graph::tree(response, &context.painter()),
        (Format::Human, Draw::Dot) => graph::dot(response),
        (Format::Human, Draw::Mermaid) => graph::mermaid(response),
        (Format::Markdown, _) => format!("```mermaid\n{}```\n", graph::mermaid(response)),
        (Format::Json, _) => json::line(response),
        (Format::Jsonl, _) => json::lines(&response.edges),
        (Format::Toon, _) => toon::value(response),
        (Format::Paths, _) => paths(response.nodes.iter().map(|n| n.path.as_str())),
    }
}

pub(crate) fn research(response: &ResearchResponse, context: &Context) -> String {
    match context.format {
        Format::Human => research::human(response, &context.painter()),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&research::rows(response)),
        Format::Toon => research::toon(response),
        Format::Markdown => research::markdown(response),
        Format::Paths => paths(response.sections.iter().flat_map(|s| &s.findings).map(|f| f.path.as_str())),
    }
}

pub(crate) fn outline(response: &OutlineResponse, context: &Context) -> String {
    match context.format {
        Format::Human => human::outline(response, &context.painter()),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.files),
        Format::Toon => toon::value(response),
        Format::Markdown => markdown::outline(response),
        Format::Paths => paths(response.files.iter().map(|f| f.path.as_str())),
    }
}

pub(crate) fn grep(response: &GrepResponse, context: &Context) -> String {
    match context.format {
        Format::Human => human::grep(response, &context.painter()),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => toon::value(response),
        Format::Markdown => markdown::grep(response),
        Format::Paths => paths(response.hits.iter().map(|h| h.path.as_str())),
    }
}

pub(crate) fn status(response: &StatusResponse, context: &Context) -> String {
    match context.format {
        Format::Json | Format::Jsonl => json::line(response),
        Format::Toon => toon::value(response),
        Format::Paths => paths(response.problems.iter().map(|p| p.path.as_str())),
        Format::Human | Format::Markdown => human::status(response, &context.painter()),
    }
}

/// Each path once, in the order of the hits.
fn paths<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let mut seen = BTreeSet::new();
    all.filter(|p| seen.insert(*p)).map(|p| format!("{p}\n")).collect()
}

impl Context {
    fn painter(&self) -> paint::Painter<'_> {
        // A mistake in the user's language data shows when something is indexed by it; colour is not the place.
        let languages = || self.engine.registry().unwrap_or_else(|_| Registry::builtin());
        paint::Painter::new(self.color.then(languages))
    }
}
