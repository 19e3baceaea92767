//! Answers to questions about the code as a whole: a tree a section for people, lists with citations, tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cds_engine::{EdgeCounts, Finding, ResearchResponse, ResearchSection, ResearchSubject, counted};
use serde_json::{Value, json};

use super::paint::{Painter, Style};
use super::toon;

/// For people: what it is about, then each section as a tree that grows from there.
pub(super) fn human(response: &ResearchResponse, painter: &Painter) -> String {
    let mut out = String::new();
    for subject in &response.subjects {
        let arrow = if subject.is_target { "-> " } else { "" };
        let name = painter.paint(Style::Bold, shown(&subject.id));
        let kind = painter.paint(Style::Dim, subject.kind);
        let _ = writeln!(out, "{arrow}{name}  {kind}  {}", painter.paint(Style::Path, &lines(subject)));
        if let Some(signature) = &subject.signature {
            let _ = writeln!(out, "   {}", painter.code(signature, &mut painter.lexer(&subject.language), &[]));
        }
        if let Some(doc) = &subject.doc {
            let _ = writeln!(out, "   {}", painter.paint(Style::Comment, doc));
        }
    }
    for section in &response.sections {
        if !out.is_empty() {
            out.push('\n');
        }
        let kind = painter.paint(Style::Keyword, section.kind);
        let _ = writeln!(out, "{kind}  {}", section.about);
        Tree::of(section, &response.subjects).draw(&mut out, painter);
        for note in notes(section) {
            let _ = writeln!(out, "{}", painter.paint(Style::Dim, &note));
        }
    }
    if !response.follow_ups.is_empty() {
        let _ = writeln!(out, "\n{}", painter.paint(Style::Dim, "ask next:"));
        for question in &response.follow_ups {
            let _ = writeln!(out, "{}", painter.paint(Style::Dim, &format!("  cds research '{question}'")));
        }
    }
    out
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

    fn draw(&self, out: &mut String, painter: &Painter) {
        for (root, findings) in &self.roots {
            if !root.is_empty() {
                let _ = writeln!(out, "{}", painter.paint(Style::Bold, root));
            }
            self.branches(out, findings, "", painter);
        }
    }

    fn branches(&self, out: &mut String, findings: &[&Finding], indent: &str, painter: &Painter) {
        for (at, finding) in findings.iter().enumerate() {
            let is_last = at + 1 == findings.len();
            let (branch, rest) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let _ = writeln!(out, "{indent}{branch}{}", self.line(finding, indent.is_empty(), painter));
            let below = self.below.get(finding.id.as_str()).map(Vec::as_slice).unwrap_or_default();
            let deeper = format!("{indent}{rest}");
            if !finding.text.is_empty() {
                let bar = if below.is_empty() { "   " } else { "│  " };
                let code = painter.code(&finding.text, &mut painter.lexer_for(&finding.path), &[]);
                let _ = writeln!(out, "{deeper}{bar}{code}");
            }
            self.branches(out, below, &deeper, painter);
        }
    }

    fn line(&self, finding: &Finding, is_first: bool, painter: &Painter) -> String {
        let mut line = painter.paint(Style::Bold, shown(&finding.id));
        if !matches!(finding.kind, "file" | "directory" | "external") {
            let _ = write!(line, " {}", painter.paint(Style::Dim, finding.kind));
        }
        let start = format!("{}:{}", finding.path, finding.start_line);
        let site = finding.via.last().cloned().unwrap_or(start);
        let _ = write!(line, "  {}", painter.paint(Style::Path, &site));
        let (style, facts) = facts(finding, self.kind);
        if !facts.is_empty() {
            let _ = write!(line, "  {}", painter.paint(style, &facts));
        }
        let is_shared = self.kind == "related";
        let is_new = is_first && !finding.from.is_empty() && !self.plain.contains(finding.from.as_str());
        if is_new && self.kind != "modules" {
            let word = if is_shared { "both with" } else { "by way of" };
            let _ = write!(line, "  {}", painter.paint(Style::Dim, &format!("{word} {}", shown(&finding.from))));
        }
        line
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
pub(super) fn markdown(response: &ResearchResponse) -> String {
    let mut out = String::new();
    for subject in &response.subjects {
        let arrow = if subject.is_target { "to " } else { "" };
        let _ = writeln!(out, "- {arrow}`{}` — {} ({})", lines(subject), shown(&subject.id), subject.kind);
    }
    for section in &response.sections {
        let _ = writeln!(out, "\n## {}\n\n{}\n", section.kind, section.about);
        Tree::of(section, &response.subjects).each(&mut |level, finding| {
            let pad = "  ".repeat(level);
            let start = format!("{}:{}", finding.path, finding.start_line);
            let site = finding.via.last().unwrap_or(&start);
            let from = if section.kind == "modules" { format!("{} → ", finding.from) } else { String::new() };
            let (_, facts) = facts(finding, section.kind);
            let code = if finding.text.is_empty() { String::new() } else { format!(": {}", quoted(&finding.text)) };
            let _ = writeln!(out, "{pad}- `{site}` — {from}{} ({facts}){code}", shown(&finding.id));
        });
        for note in notes(section) {
            let _ = writeln!(out, "\n{note}");
        }
    }
    out
}

/// Code in a fence longer than any inside it.
fn quoted(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// One table for the subjects, one for each section: columns that all rows have.
pub(super) fn toon(response: &ResearchResponse) -> String {
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
