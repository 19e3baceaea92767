//! Answers to questions about the code as a whole: a tree a section for people, lists with citations, tables.

use std::collections::{BTreeMap, BTreeSet};

use cds_engine::{EdgeCounts, Finding, ResearchResponse, ResearchSection, ResearchSubject, counted};
use serde_json::{Value, json};

use super::markdown::{code, paragraph, prose};
use super::paint::Style;
use super::toon;
use crate::output::{Printable, TextOutput};

/// For people: what it is about, then each section as a tree that grows from there.
pub(super) fn human(out: &mut TextOutput, response: &ResearchResponse) {
    for subject in &response.subjects {
        write!(out, "{}", if subject.is_target { "-> " } else { "" });
        out.styled(Style::Bold, shown(&subject.id));
        write!(out, "  ");
        out.styled(Style::Dim, subject.kind);
        write!(out, "  ");
        out.styled(Style::Path, lines(subject));
        out.end();
        if let Some(signature) = &subject.signature {
            write!(out, "   ");
            let mut lexer = out.lexer(&subject.language);
            out.code(signature, &mut lexer, &[]);
            out.end();
        }
        if let Some(doc) = &subject.doc {
            write!(out, "   ");
            out.styled(Style::Comment, doc);
            out.end();
        }
    }
    for section in &response.sections {
        if !out.is_empty() {
            out.end();
        }
        out.styled(Style::Keyword, section.kind);
        out.line(format_args!("  {}", section.about));
        Tree::of(section, &response.subjects).draw(out);
        for note in notes(section) {
            out.styled(Style::Dim, note);
            out.end();
        }
    }
    if !response.follow_ups.is_empty() {
        out.end();
        out.styled(Style::Dim, "ask next:");
        out.end();
        for question in &response.follow_ups {
            // A quote in a name must not end the one of the shell.
            let quoted = question.replace('\'', r"'\''");
            out.styled(Style::Dim, format_args!("  cds research '{quoted}'"));
            out.end();
        }
    }
}

/// What is not shown, and what is not known.
fn notes(section: &ResearchSection) -> Vec<String> {
    let mut notes = Vec::new();
    let more = section.total.saturating_sub(section.findings.len());
    if more > 0 {
        notes.push(format!("... {more} more: --limit shows them"));
    }
    if section.guesses > 0 && section.kind != "path" {
        notes.push(format!("{} of {} rest on a guess by name", section.guesses, section.total));
    }
    if let Some(unresolved) = section.unresolved.as_ref().filter(|u| u.count > 0) {
        let sites: Vec<&str> = unresolved.sites.iter().map(|s| s.site.as_str()).collect();
        let more = if unresolved.count > sites.len() { ", ..." } else { "" };
        let calls = counted(unresolved.count, "call");
        notes.push(format!("{calls} of this name may mean it or others: {}{more}", sites.join(", ")));
    }
    notes
}

/// `path:first-last`, or the path alone.
fn lines(subject: &ResearchSubject) -> String {
    match (subject.kind, subject.start_line) {
        ("external", _) => "from outside".to_owned(),
        (_, 0) => subject.path.clone(),
        (_, first) => format!("{}:{first}-{}", subject.path, subject.end_line),
    }
}

/// An entity by its names, a file or folder by its path.
fn shown(id: &str) -> &str {
    id.rsplit_once(':').map_or(id, |(_, name)| name)
}

/// Findings below what led to them.
struct Tree<'a> {
    roots: Vec<(String, Vec<&'a Finding>)>,
    below: BTreeMap<&'a str, Vec<&'a Finding>>,
    /// What needs no word on where it came from.
    plain: BTreeSet<&'a str>,
    /// The section's kind: what goes without saying depends on it.
    kind: &'static str,
}

impl<'a> Tree<'a> {
    fn of(section: &'a ResearchSection, subjects: &'a [ResearchSubject]) -> Tree<'a> {
        let plain: BTreeSet<&str> = subjects.iter().map(|s| s.id.as_str()).collect();
        let mut roots: Vec<(String, Vec<&Finding>)> = Vec::new();
        let mut below: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        let is_map = section.kind == "modules";
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for finding in &section.findings {
            let from = finding.from.as_str();
            if is_map {
                match roots.iter_mut().find(|(root, _)| root == from) {
                    Some((_, list)) => list.push(finding),
                    None => roots.push((from.to_owned(), vec![finding])),
                }
            } else if known.contains(from) && finding.depth > 1 && section.kind != "related" {
                below.entry(from).or_default().push(finding);
            } else {
                if roots.is_empty() {
                    roots.push((String::new(), Vec::new()));
                }
                roots[0].1.push(finding);
            }
            known.insert(&finding.id);
        }
        Tree { roots, below, plain, kind: section.kind }
    }

    /// Each finding with how deep it stands, what led to it first.
    fn each(&self, take: &mut dyn FnMut(usize, &Finding)) {
        for (_, findings) in &self.roots {
            self.each_below(findings, 0, take);
        }
    }

    fn each_below(&self, findings: &[&Finding], level: usize, take: &mut dyn FnMut(usize, &Finding)) {
        for finding in findings {
            take(level, finding);
            let below = self.below.get(finding.id.as_str()).map(Vec::as_slice).unwrap_or_default();
            self.each_below(below, level + 1, take);
        }
    }

    fn draw(&self, out: &mut TextOutput) {
        for (root, findings) in &self.roots {
            if !root.is_empty() {
                out.styled(Style::Bold, root);
                out.end();
            }
            self.branches(out, findings, "");
        }
    }

    fn branches(&self, out: &mut TextOutput, findings: &[&Finding], indent: &str) {
        for (at, finding) in findings.iter().enumerate() {
            let is_last = at + 1 == findings.len();
            let (branch, rest) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            write!(out, "{indent}{branch}");
            self.line(out, finding, indent.is_empty());
            out.end();
            let below = self.below.get(finding.id.as_str()).map(Vec::as_slice).unwrap_or_default();
            let deeper = format!("{indent}{rest}");
            if !finding.text.is_empty() {
                let bar = if below.is_empty() { "   " } else { "│  " };
                write!(out, "{deeper}{bar}");
                let mut lexer = out.lexer_for(&finding.path);
                out.code(&finding.text, &mut lexer, &[]);
                out.end();
            }
            self.branches(out, below, &deeper);
        }
    }

    fn line(&self, out: &mut TextOutput, finding: &Finding, is_first: bool) {
        out.styled(Style::Bold, shown(&finding.id));
        if !matches!(finding.kind, "file" | "directory" | "external") {
            write!(out, " ");
            out.styled(Style::Dim, finding.kind);
        }
        let start = format!("{}:{}", finding.path, finding.start_line);
        write!(out, "  ");
        out.styled(Style::Path, finding.via.last().unwrap_or(&start));
        let (style, facts) = facts(finding, self.kind);
        if !facts.is_empty() {
            write!(out, "  ");
            out.styled(style, facts);
        }
        let is_shared = self.kind == "related";
        let is_new = is_first && !finding.from.is_empty() && !self.plain.contains(finding.from.as_str());
        if is_new && self.kind != "modules" {
            let word = if is_shared { "both with" } else { "by way of" };
            write!(out, "  ");
            out.styled(Style::Dim, format_args!("{word} {}", shown(&finding.from)));
        }
    }
}

/// How sure a finding is and what it counts.
fn facts(finding: &Finding, section: &str) -> (Style, String) {
    let mut facts: Vec<String> = Vec::new();
    match (finding.certainty, finding.candidates) {
        ("", _) => {}
        (certainty, 0 | 1) => facts.push(certainty.to_owned()),
        (certainty, n) => facts.push(format!("{certainty} 1 of {n}")),
    }
    facts.extend(finding.counts.iter().map(counts).filter(|c| !c.is_empty()));
    if finding.files > 0 {
        facts.push(format!("in {}", counted(finding.files, "file")));
    }
    if finding.shared > 1 {
        facts.push(format!("{} shared", finding.shared));
    }
    if let Some(cosine) = finding.similarity {
        facts.push(format!("{:.0}% alike", cosine * 100.0));
    }
    if finding.is_test && section != "tests" {
        facts.push("test".to_owned());
    }
    (if finding.certainty == "named" { Style::Warn } else { Style::Dim }, facts.join(", "))
}

fn counts(counts: &EdgeCounts) -> String {
    let all = [(counts.import, "import"), (counts.invoke, "call"), (counts.inherit, "base")];
    let mut shown: Vec<String> = all.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| counted(n, noun)).collect();
    match counts.guesses {
        0 => {}
        1 => shown.push("1 guess".to_owned()),
        n => shown.push(format!("{n} guesses")),
    }
    shown.join(", ")
}

/// Nested lists; every finding begins with its place.
pub(super) fn markdown(out: &mut TextOutput, response: &ResearchResponse) {
    for subject in &response.subjects {
        let arrow = if subject.is_target { "to " } else { "" };
        let (place, name) = (code(&lines(subject)), prose(shown(&subject.id)));
        out.line(format_args!("- {arrow}{place} — {name} ({})", subject.kind));
    }
    for section in &response.sections {
        out.end();
        out.line(format_args!("## {}", section.kind));
        out.end();
        out.line(format_args!("{}", paragraph(&section.about)));
        out.end();
        Tree::of(section, &response.subjects).each(&mut |level, finding| {
            let pad = "  ".repeat(level);
            let start = format!("{}:{}", finding.path, finding.start_line);
            let site = code(finding.via.last().unwrap_or(&start));
            let from = if section.kind == "modules" { format!("{} → ", prose(&finding.from)) } else { String::new() };
            let name = prose(shown(&finding.id));
            let (_, facts) = facts(finding, section.kind);
            let text = if finding.text.is_empty() { String::new() } else { format!(": {}", code(&finding.text)) };
            out.line(format_args!("{pad}- {site} — {from}{name} ({facts}){text}"));
        });
        for note in notes(section) {
            out.end();
            out.line(format_args!("{}", paragraph(&note)));
        }
    }
}

/// One table for the subjects, one for each section: columns that all rows have.
pub(super) fn toon(response: &ResearchResponse) -> Printable {
    let subject = |s: &ResearchSubject| {
        let signature = s.signature.as_deref().unwrap_or_default();
        json!({ "id": s.id, "lines": format!("{}-{}", s.start_line, s.end_line), "kind": s.kind, "signature": signature })
    };
    let mut out = json!({
        "query": response.query,
        "subjects": response.subjects.iter().map(subject).collect::<Vec<_>>(),
    });
    let mut sections: Vec<Value> = Vec::new();
    for section in &response.sections {
        let row = |f: &Finding| {
            let (_, facts) = facts(f, section.kind);
            let site = f.via.last().cloned().unwrap_or_default();
            json!({ "id": f.id, "depth": f.depth, "from": f.from, "sure": facts, "site": site, "code": f.text })
        };
        let mut table = json!({
            "kind": section.kind,
            "about": section.about,
            "total": section.total,
            "findings": section.findings.iter().map(row).collect::<Vec<_>>(),
        });
        if let Some(unresolved) = &section.unresolved {
            table["unresolved"] = json!(unresolved.count);
        }
        sections.push(table);
    }
    out["sections"] = Value::Array(sections);
    toon::value(&out)
}

/// One finding a line, each with its section.
pub(super) fn rows(response: &ResearchResponse) -> Vec<Value> {
    let mut rows = Vec::new();
    for section in &response.sections {
        for finding in &section.findings {
            let mut row = json!(finding);
            row["section"] = json!(section.kind);
            rows.push(row);
        }
    }
    rows
}
