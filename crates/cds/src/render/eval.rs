//! `cds eval`: tables for people and pages, objects for programs.

use std::collections::BTreeMap;

use cds_eval::{Bad, Comparison, Difference, Evaluation, Found, Move, Numbers, Section, Summary};

use super::markdown::prose;
use super::table::Table;
use super::{json, toon};
use crate::args::Format;
use crate::commands::Context;
use crate::output::{Printable, TextOutput};

/// How a measure is headed and written. Measures that are not here are headed by their own name.
const COLUMNS: &[(&str, &str, Kind)] = &[
    ("ndcg_10", "NDCG@10", Kind::Score),
    ("recall_1", "R@1", Kind::Share),
    ("recall_5", "R@5", Kind::Share),
    ("recall_10", "R@10", Kind::Share),
    ("mrr", "MRR", Kind::Share),
    ("acc_1", "Acc@1", Kind::Share),
    ("acc_3", "Acc@3", Kind::Share),
    ("acc_5", "Acc@5", Kind::Share),
    ("tokens_to_first", "tokens", Kind::Whole),
    ("recall_500_tokens", "R@500t", Kind::Share),
    ("recall_1000_tokens", "R@1000t", Kind::Share),
    ("recall_2000_tokens", "R@2000t", Kind::Share),
    ("file_acc_1", "file@1", Kind::Percent),
    ("file_acc_3", "file@3", Kind::Percent),
    ("file_acc_5", "file@5", Kind::Percent),
    ("module_acc_5", "module@5", Kind::Percent),
    ("module_acc_10", "module@10", Kind::Percent),
    ("function_acc_5", "func@5", Kind::Percent),
    ("function_acc_10", "func@10", Kind::Percent),
];

#[derive(Clone, Copy)]
enum Kind {
    Score,
    Share,
    Percent,
    Whole,
}

impl Kind {
    fn write(self, value: f64) -> String {
        match self {
            Kind::Score => format!("{value:.4}"),
            Kind::Share => format!("{value:.3}"),
            Kind::Percent => format!("{:.1}", value * 100.0),
            Kind::Whole => format!("{value:.0}"),
        }
    }

    /// With its sign.
    fn gap(self, value: f64) -> String {
        let text = self.write(value);
        if value > 0.0 { format!("+{text}") } else { text }
    }
}

fn column(measure: &'static str) -> (&'static str, Kind) {
    COLUMNS.iter().find(|row| row.0 == measure).map_or((measure, Kind::Share), |row| (row.1, row.2))
}

pub(crate) fn evaluation(evaluation: &Evaluation, against: Option<&str>, context: &Context) -> Printable {
    match context.format {
        Format::Json => json::line(evaluation),
        Format::Jsonl => json::lines(&evaluation.outcomes),
        Format::Toon => toon::value(evaluation),
        Format::Markdown => page(evaluation, against, true),
        Format::Human | Format::Paths => page(evaluation, against, false),
    }
}

/// Text in parts with titles.
struct Page {
    out: TextOutput<'static>,
    is_markdown: bool,
}

impl Page {
    fn title(&mut self, title: &str) {
        if !self.out.is_empty() {
            self.out.end();
        }
        if self.is_markdown {
            self.out.line(format_args!("## {}", prose(title)));
            self.out.end();
        } else {
            self.line(title);
        }
    }

    fn table(&mut self, table: &Table) {
        if self.is_markdown {
            table.markdown(&mut self.out);
        } else {
            table.aligned(&mut self.out);
        }
    }

    fn line(&mut self, text: &str) {
        self.out.line(format_args!("{text}"));
    }

    /// Names, queries and paths in a line.
    fn shown(&self, text: &str) -> String {
        if self.is_markdown { prose(text) } else { text.to_owned() }
    }
}

fn page(evaluation: &Evaluation, against: Option<&str>, is_markdown: bool) -> Printable {
    let mut page = Page { out: TextOutput::plain(), is_markdown };
    let sections = [("query", "queries", &evaluation.queries), ("issue", "issues", &evaluation.issues)];
    for (one, many, section) in sections {
        if let Some(section) = section {
            let count = section.report.overall.count;
            family(&mut page, &format!("{count} {}", if count == 1 { one } else { many }), section, against);
        }
    }
    if !evaluation.worst.is_empty() {
        page.title("Worst");
        for bad in &evaluation.worst {
            worst(&mut page, bad);
        }
    }
    page.out.finish()
}

fn family(page: &mut Page, counted_questions: &str, section: &Section, against: Option<&str>) {
    let report = &section.report;
    let told = |n: usize, what: &str| if n == 0 { String::new() } else { format!(", {n} {what}") };
    let missing = told(report.missing, "of them missing") + &told(report.without_hits, "without a hit");
    let repositories = match report.repositories {
        1 => "1 repository".to_owned(),
        n => format!("{n} repositories"),
    };
    page.title(&format!("{counted_questions}, {repositories}{missing}"));
    page.table(&summaries("", std::slice::from_ref(&report.overall)));
    let groups =
        [("category", &report.by_category), ("language", &report.by_language), ("repository", &report.by_repository)];
    for (name, group) in groups {
        // One group is all of it again.
        if group.len() > 1 {
            if !page.is_markdown {
                page.line("");
            }
            page.table(&summaries(name, group));
        }
    }
    if let (Some(theirs), Some(comparison)) = (&section.against, &section.comparison) {
        let options = against.map(str::trim).filter(|o| !o.is_empty()).unwrap_or("no options");
        page.title(&format!("Against {options}"));
        both(page, &report.overall, &theirs.overall, comparison);
    }
}

fn summaries(title: &str, group: &[Summary]) -> Table {
    let mut head = vec![title.to_owned(), "n".to_owned()];
    head.extend(group.iter().take(1).flat_map(|s| s.numbers.0.iter()).map(|(m, _)| column(m).0.to_owned()));
    head.extend(["p50 ms".to_owned(), "p95 ms".to_owned()]);
    let rows = group.iter().map(|s| {
        let mut row = vec![s.name.clone(), s.count.to_string()];
        row.extend(cells(&s.numbers));
        row.extend([format!("{:.1}", s.latency_p50_ms), format!("{:.1}", s.latency_p95_ms)]);
        row
    });
    Table { head, rows: rows.collect() }
}

fn cells(numbers: &Numbers) -> Vec<String> {
    numbers.0.iter().map(|(measure, value)| column(measure).1.write(*value)).collect()
}

fn both(page: &mut Page, ours: &Summary, theirs: &Summary, comparison: &Comparison) {
    let mut head = vec![String::new()];
    head.extend(ours.numbers.0.iter().map(|(measure, _)| column(measure).0.to_owned()));
    head.extend(["p50 ms".to_owned(), "p95 ms".to_owned()]);
    let row = |name: &str, cells: Vec<String>, times: [f64; 2], sign: &str| {
        let times = times.map(|ms| if sign == "+" && ms > 0.0 { format!("+{ms:.1}") } else { format!("{ms:.1}") });
        std::iter::once(name.to_owned()).chain(cells).chain(times).collect::<Vec<_>>()
    };
    let gaps = comparison.difference.0.iter().map(|(measure, gap)| column(measure).1.gap(*gap)).collect();
    let rows = vec![
        row("these", cells(&ours.numbers), [ours.latency_p50_ms, ours.latency_p95_ms], ""),
        row("those", cells(&theirs.numbers), [theirs.latency_p50_ms, theirs.latency_p95_ms], ""),
        row(
            "difference",
            gaps,
            [ours.latency_p50_ms - theirs.latency_p50_ms, ours.latency_p95_ms - theirs.latency_p95_ms],
            "+",
        ),
    ];
    page.table(&Table { head, rows });
    let b = &comparison.bootstrap;
    let Comparison { won, lost, tied, .. } = comparison;
    page.line("");
    page.line(&format!(
        "NDCG@10 {:+.4}, 95% of draws from {:+.4} to {:+.4}, p = {:.4}; won {won}, lost {lost}, tied {tied}",
        b.mean, b.low, b.high, b.p
    ));
    for (name, group) in [("category", &comparison.by_category), ("repository", &comparison.by_repository)] {
        if group.len() > 1 {
            page.line("");
            page.table(&differences(name, group));
        }
    }
    for (name, moves) in [("gains", &comparison.gains), ("losses", &comparison.losses)] {
        if !moves.is_empty() {
            page.line("");
            page.table(&moved(name, moves));
        }
    }
}

fn differences(title: &str, group: &[Difference]) -> Table {
    let head = [title, "n", "these", "those", "difference", "won", "lost"].map(str::to_owned).to_vec();
    let row = |d: &Difference| {
        vec![
            d.name.clone(),
            d.count.to_string(),
            Kind::Score.write(d.ours),
            Kind::Score.write(d.theirs),
            Kind::Score.gap(d.difference),
            d.won.to_string(),
            d.lost.to_string(),
        ]
    };
    Table { head, rows: group.iter().map(row).collect() }
}

fn moved(title: &str, moves: &[Move]) -> Table {
    let head = [title, "difference", "rank", "was"].map(str::to_owned).to_vec();
    let row = |m: &Move| {
        let name = format!("{}  {}", m.id, short(&m.query));
        vec![name, Kind::Score.gap(m.difference), rank(m.our_rank), rank(m.their_rank)]
    };
    Table { head, rows: moves.iter().map(row).collect() }
}

fn rank(rank: Option<usize>) -> String {
    rank.map_or("-".to_owned(), |rank| rank.to_string())
}

/// One line of a query: issues are pages.
fn short(query: &str) -> String {
    const LETTERS: usize = 60;
    let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LETTERS {
        return line;
    }
    line.chars().take(LETTERS - 3).collect::<String>() + "..."
}

fn worst(page: &mut Page, bad: &Bad) {
    let bullet = if page.is_markdown { "- " } else { "" };
    let (id, query) = (page.shown(&bad.id), page.shown(&short(&bad.query)));
    page.line(&format!("{bullet}{id}  {:.4}  {query}", bad.score));
    let targets: Vec<String> = bad
        .targets
        .iter()
        .map(|t| format!("{} at {}", page.shown(&t.name), t.rank.map_or("-".to_owned(), |r| r.to_string())))
        .collect();
    page.line(&format!("  {bullet}wanted {}", targets.join(", ")));
    for (label, hit) in [("first ", &bad.first), ("target", &bad.wanted)] {
        if let Some(hit) = hit {
            page.line(&format!("  {bullet}{label} {}", page.shown(&place(hit))));
        }
    }
    if let (Some(first), Some(wanted)) = (&bad.first, &bad.wanted)
        && first != wanted
    {
        page.line(&format!("  {bullet}lead   {}", lead(first, wanted)));
    }
    if bad.wanted.is_none() {
        page.line(&format!("  {bullet}no target is among the first 100 hits"));
    }
}

fn place(hit: &Found) -> String {
    let number = |(name, value): (&&str, &f32)| format!("{name} {value:.2}");
    let factor = |(name, value): (&&str, &f32)| format!("{name} ×{value:.2}");
    let signals: Vec<String> = hit.signals.iter().map(number).chain(hit.factors.iter().map(factor)).collect();
    format!("{}:{}-{}  {}", hit.path, hit.start_line, hit.end_line, signals.join(", "))
}

/// What the first has over the target, the most first.
fn lead(first: &Found, wanted: &Found) -> String {
    let mut gaps: BTreeMap<&str, f32> = first.signals.iter().map(|(name, value)| (*name, *value)).collect();
    for (name, value) in &wanted.signals {
        *gaps.entry(name).or_default() -= value;
    }
    let mut gaps: Vec<(&str, f32)> = gaps.into_iter().filter(|(_, gap)| gap.abs() >= 0.005).collect();
    gaps.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(b.0)));
    let product = |hit: &Found| hit.factors.values().product::<f32>();
    let shown: Vec<String> = gaps.into_iter().map(|(name, gap)| format!("{name} {gap:+.2}")).collect();
    format!("{}; factors ×{:.2} and ×{:.2}", shown.join(", "), product(first), product(wanted))
}
