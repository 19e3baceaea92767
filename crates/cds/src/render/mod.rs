//! Responses to text, one file a format. Results only: messages go to stderr elsewhere.

pub(crate) mod eval;
mod graph;
mod human;
pub(crate) mod json;
mod markdown;
pub(crate) mod paint;
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
use crate::output::{Printable, TextOutput};

pub(crate) fn search(
    response: &SearchResponse,
    context: &Context,
    explain: bool,
    max_tokens: Option<usize>,
) -> Printable {
    match context.format {
        Format::Human => context.text(|out| human::search(out, response, explain)),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => toon::hits(&toon::List {
            query: Some(&response.query),
            total: Some(response.total),
            hits: &response.hits,
            next_cursor: response.next_cursor.as_deref(),
            max_tokens: max_tokens.unwrap_or_else(|| context.engine.config().number("search.max_tokens") as usize),
        }),
        Format::Markdown => plain(|out| markdown::hits(out, &response.hits)),
        Format::Paths => paths(response.hits.iter().map(|h| h.path.as_str())),
    }
}

pub(crate) fn symbol(response: &SymbolResponse, context: &Context) -> Printable {
    match context.format {
        Format::Human => context.text(|out| human::hits(out, &response.hits, false)),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => toon::hits(&toon::List {
            query: Some(&response.name),
            total: Some(response.total),
            hits: &response.hits,
            ..toon::List::default()
        }),
        Format::Markdown => plain(|out| markdown::hits(out, &response.hits)),
        Format::Paths => paths(response.hits.iter().map(|h| h.path.as_str())),
    }
}

pub(crate) fn retrieve(response: &RetrieveResponse, context: &Context) -> Printable {
    match context.format {
        Format::Human => context.text(|out| human::hits(out, &response.hits, false)),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => toon::hits(&toon::List { hits: &response.hits, ..toon::List::default() }),
        Format::Markdown => plain(|out| markdown::hits(out, &response.hits)),
        Format::Paths => paths(response.hits.iter().map(|h: &Hit| h.path.as_str())),
    }
}

pub(crate) fn graph(response: &GraphResponse, context: &Context, draw: Draw) -> Printable {
    match (context.format, draw) {
        (Format::Human, Draw::Tree) => context.text(|out| graph::tree(out, response)),
        (Format::Human, Draw::Dot) => plain(|out| graph::dot(out, response)),
        (Format::Human, Draw::Mermaid) => plain(|out| graph::mermaid(out, response)),
        (Format::Markdown, _) => plain(|out| {
            // Labels have no backticks: there, they are entities.
            out.line(format_args!("```mermaid"));
            graph::mermaid(out, response);
            out.line(format_args!("```"));
        }),
        (Format::Json, _) => json::line(response),
        (Format::Jsonl, _) => json::lines(&response.edges),
        (Format::Toon, _) => toon::value(response),
        (Format::Paths, _) => paths(response.nodes.iter().map(|n| n.path.as_str())),
    }
}

pub(crate) fn research(response: &ResearchResponse, context: &Context) -> Printable {
    match context.format {
        Format::Human => context.text(|out| research::human(out, response)),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&research::rows(response)),
        Format::Toon => research::toon(response),
        Format::Markdown => plain(|out| research::markdown(out, response)),
        Format::Paths => paths(response.sections.iter().flat_map(|s| &s.findings).map(|f| f.path.as_str())),
    }
}

pub(crate) fn outline(response: &OutlineResponse, context: &Context) -> Printable {
    match context.format {
        Format::Human => context.text(|out| human::outline(out, response)),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.files),
        Format::Toon => toon::value(response),
        Format::Markdown => plain(|out| markdown::outline(out, response)),
        Format::Paths => paths(response.files.iter().map(|f| f.path.as_str())),
    }
}

pub(crate) fn grep(response: &GrepResponse, context: &Context) -> Printable {
    match context.format {
        Format::Human => context.text(|out| human::grep(out, response)),
        Format::Json => json::line(response),
        Format::Jsonl => json::lines(&response.hits),
        Format::Toon => toon::value(response),
        Format::Markdown => plain(|out| markdown::grep(out, response)),
        Format::Paths => paths(response.hits.iter().map(|h| h.path.as_str())),
    }
}

pub(crate) fn status(response: &StatusResponse, context: &Context) -> Printable {
    match context.format {
        Format::Json | Format::Jsonl => json::line(response),
        Format::Toon => toon::value(response),
        Format::Paths => paths(response.problems.iter().map(|p| p.path.as_str())),
        Format::Human | Format::Markdown => context.text(|out| human::status(out, response)),
    }
}

/// Each path once, in the order of the hits.
fn paths<'a>(all: impl Iterator<Item = &'a str>) -> Printable {
    let mut seen = BTreeSet::new();
    plain(|out| all.filter(|p| seen.insert(*p)).for_each(|p| out.line(format_args!("{p}"))))
}

/// Text without colours.
pub(crate) fn plain(render: impl FnOnce(&mut TextOutput)) -> Printable {
    let mut out = TextOutput::plain();
    render(&mut out);
    out.finish()
}

impl Context {
    /// Text in the colours that were asked for.
    fn text(&self, render: impl FnOnce(&mut TextOutput)) -> Printable {
        // A mistake in the user's language data shows when something is indexed by it; colour is not the place.
        let languages = || self.engine.registry().unwrap_or_else(|_| Registry::builtin());
        let mut out = TextOutput::new(self.color.then(languages));
        render(&mut out);
        out.finish()
    }
}
