//! A long text: a bug report, a pasted log. Its title says most, then its first lines; code and boilerplate say little.

use std::collections::BTreeMap;

use cds_index::tokenize::Tokenizer;
use rustc_hash::{FxHashMap, FxHashSet};

use super::frames;
use super::words;

/// Words, or lines, from which on a text is a report rather than a question.
const WORDS: usize = 50;
const LINES: usize = 4;

/// Lines of prose after the title that say what it is about.
const LEAD: usize = 3;

/// Repeating a word says less each time: its weight goes from 1 to this.
const SATURATED: f32 = 2.2;

/// Names that the report's own example defines: they are not the project's.
const OWN_NAMES: f32 = 0.3;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Zone {
    Title,
    Lead,
    Prose,
    Code,
    Error,
    /// The source line that a frame shows.
    Frame,
}

impl Zone {
    fn weight(self) -> f32 {
        match self {
            Zone::Title => 2.0,
            Zone::Lead => 1.2,
            Zone::Prose | Zone::Error => 1.0,
            Zone::Code | Zone::Frame => 0.5,
        }
    }
}

/// A name that the report speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// As written: `Q`, `QuerySet.only`, `django.db.models.Q`.
    pub name: String,
    /// How much it counts.
    pub weight: f32,
}

/// A report, understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Terms with their weights, those of the title first.
    pub terms: Vec<(String, f32)>,
    /// How many of them are the title's.
    pub title_terms: usize,
    /// Words of the title, in order, lower case: what stands first is what it is about.
    pub subject: Vec<String>,
    /// Names it speaks of.
    pub mentions: Vec<Mention>,
    /// Its plain words with the weight of where they stand.
    pub words: Vec<(String, f32)>,
}

/// Whether a text is a report.
pub(crate) fn is_report(text: &str) -> bool {
    let lines = text.lines().filter(|l| !l.trim().is_empty()).count();
    lines >= LINES || text.split_whitespace().count() >= WORDS || lines > 1 && text.lines().any(frames::is_frame)
}

/// Reads a report.
pub(crate) fn read(text: &str) -> Report {
    let zones = zones(text);
    let own = own_names(&zones);
    let mut counts: BTreeMap<(Zone, String), f32> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut report = Report::default();
    let mut mentioned: FxHashMap<String, (f32, f32)> = FxHashMap::default();
    let mut plain: FxHashMap<String, f32> = FxHashMap::default();
    let mut tokenizer = Tokenizer::default();
    for (zone, line) in &zones {
        if *zone == Zone::Title {
            report.subject = identifiers(line).map(str::to_lowercase).filter(|w| !words::is_stop(w)).collect();
        }
        for word in identifiers(line) {
            let lower = word.to_lowercase();
            if words::is_stop(&lower) || words::is_talk(&lower) || word.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            let share = if own.contains(word) { OWN_NAMES } else { 1.0 };
            for term in tokenizer.terms(word) {
                let count = counts.entry((*zone, term.text.clone())).or_insert_with(|| {
                    order.push(term.text.clone());
                    0.0
                });
                *count += share;
            }
            let at = plain.entry(lower).or_default();
            *at = at.max(zone.weight() * share);
        }
        for (name, form) in names(line) {
            let share = if own.contains(&name) { 0.25 } else { 1.0 };
            let (weight, count) = mentioned.entry(name).or_default();
            *weight = weight.max(mention_weight(*zone) * form * share);
            *count += 1.0;
        }
    }
    let mut weights: FxHashMap<&String, f32> = FxHashMap::default();
    for ((zone, term), count) in &counts {
        *weights.entry(term).or_default() += zone.weight() * SATURATED * count / (count + SATURATED - 1.0);
    }
    let in_title = |term: &String| counts.contains_key(&(Zone::Title, term.clone()));
    order.sort_by_key(|term| !in_title(term));
    let mut seen = FxHashSet::default();
    order.retain(|term| seen.insert(term.clone()));
    report.title_terms = order.iter().filter(|term| in_title(term)).count();
    report.terms = order.iter().map(|term| (term.clone(), weights[term])).collect();
    report.mentions = mentioned
        .into_iter()
        .map(|(name, (weight, count))| Mention { name, weight: weight * (1.0 + 0.3 * count.ln()) })
        .collect();
    report.mentions.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.name.cmp(&b.name)));
    report.words = plain.into_iter().collect();
    report.words.sort_by(|a, b| a.0.cmp(&b.0));
    report
}

fn mention_weight(zone: Zone) -> f32 {
    match zone {
        Zone::Title => 1.5,
        Zone::Lead | Zone::Prose => 1.0,
        Zone::Error => 0.7,
        Zone::Code => 0.6,
        Zone::Frame => 0.5,
    }
}

/// Lines with what they are. Boilerplate and what was said before is left out.
fn zones(text: &str) -> Vec<(Zone, String)> {
    let mut zones: Vec<(Zone, String)> = Vec::new();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut fenced = false;
    let mut after_frame = false;
    let mut lead = 0;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if trimmed.is_empty() || !seen.insert(trimmed) || is_boilerplate(trimmed) {
            continue;
        }
        let was_frame = std::mem::replace(&mut after_frame, false);
        let zone = if frames::is_frame(line) {
            // Its path and function are places; its words say nothing else.
            after_frame = true;
            continue;
        } else if was_frame && line.starts_with(' ') {
            Zone::Frame
        } else if zones.is_empty() {
            Zone::Title
        } else if fenced {
            Zone::Code
        } else if is_error(trimmed) {
            Zone::Error
        } else if !is_prose(trimmed) && is_code(line) {
            Zone::Code
        } else if lead < LEAD {
            lead += 1;
            Zone::Lead
        } else {
            Zone::Prose
        };
        zones.push((zone, without_addresses(trimmed)));
    }
    zones
}

/// Headings and facts about the machine, which reports have in common.
fn is_boilerplate(line: &str) -> bool {
    let bare = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let heading = line.starts_with('#') || line.starts_with("**") || line.ends_with("**");
    bare.is_empty()
        || words::HEADINGS.contains(&bare.as_str())
        || heading && words::HEADINGS.iter().any(|h| bare.starts_with(h))
        || bare.starts_with("last modified by")
        || bare.starts_with("traceback")
}

/// `ValueError: bad`, `WARNING: ...`, `error[E0308]: ...`
fn is_error(line: &str) -> bool {
    let Some((head, _)) = line.split_once(": ") else { return line.ends_with("Error") || line.ends_with("Exception") };
    let last = head.rsplit(['.', ' ', ':']).next().unwrap_or(head);
    let kind = last.split('[').next().unwrap_or(last);
    let named = ["Error", "Exception", "Warning", "Failure", "Panic"].iter().any(|end| kind.ends_with(end));
    named || matches!(kind.to_ascii_lowercase().as_str(), "error" | "warning" | "fatal" | "panic")
}

/// Six words and more, with few signs among them.
fn is_prose(line: &str) -> bool {
    let words = line.split_whitespace().count();
    let signs = line.chars().filter(|c| "=(){}[];<>_".contains(*c)).count();
    words >= 6 && signs * 5 < words
}

fn is_code(line: &str) -> bool {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let openings = [
        ">>>", "...", "$ ", "from ", "import ", "class ", "def ", "return ", "@", "#", "+", "-- ", "fn ", "func ",
        "let ", "const ", "var ", "public ", "private ", "if ", "for ", "while ", "SELECT ", "INSERT ", "CREATE ",
        "UPDATE ", "{%", "{{", "<",
    ];
    let calls = trimmed.contains('(') && trimmed.contains(')') && !trimmed.contains(". ");
    indent >= 4
        || openings.iter().any(|o| trimmed.starts_with(o))
        || trimmed.contains(" = ")
        || trimmed.ends_with([';', '{', '}'])
        || calls
}

/// Addresses are not about the code; paths in them were read as places.
fn without_addresses(line: &str) -> String {
    let is_address = |w: &&str| !w.contains("://");
    line.split_whitespace().filter(is_address).collect::<Vec<_>>().join(" ")
}

/// Words of letters, digits and underscores that do not begin with a digit, and numbers.
fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

/// Names that lines of code define: the example's own.
fn own_names(zones: &[(Zone, String)]) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    for (_, line) in zones.iter().filter(|(zone, _)| *zone == Zone::Code) {
        let mut words = identifiers(line);
        match words.next() {
            Some("class" | "def" | "function" | "fn" | "func" | "let" | "const" | "var" | "struct" | "interface") => {
                names.extend(words.next().map(str::to_owned));
            }
            Some(first) if line.trim_start_matches(first).starts_with(" = ") => {
                names.insert(first.to_owned());
            }
            _ => {}
        }
    }
    names
}

/// Names in a line as written, dots and all, with how much their form says that they are code.
fn names(line: &str) -> Vec<(String, f32)> {
    let mut found = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let mut start = None;
    let bytes_after = |at: usize| line[at..].chars().next();
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        if is_part(c) {
            start.get_or_insert(at);
            continue;
        }
        let Some(from) = start.take() else { continue };
        let written = line[from..at].trim_matches(['.', ':']);
        let first = written.chars().next();
        if written.len() < 2 || !first.is_some_and(|c| c.is_alphabetic() || c == '_') {
            continue;
        }
        let called = bytes_after(at) == Some('(');
        let ticked = from > 0 && line[..from].ends_with('`');
        let inner = words::has_inner_capital(written);
        let joined = written.trim_matches('_').contains('_') || written.contains('.') || written.contains("::");
        let form = if called || ticked || inner || joined {
            1.0
        } else if first.is_some_and(char::is_uppercase) && from > 0 {
            0.4
        } else {
            0.15
        };
        let lower = written.to_lowercase();
        if !words::is_stop(&lower) && !words::is_talk(&lower) {
            found.push((written.to_owned(), form));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Zone::{self, Code, Error, Frame, Lead, Prose, Title};
    use super::{is_report, names, read, zones};

    #[test]
    fn lines_are_told_apart() {
        let check = |text: &str, expect: &[Zone]| {
            let found: Vec<Zone> = zones(text).into_iter().map(|(zone, _)| zone).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        check("Crash in Cart\nIt stops when the cart is empty and nobody pays.", &[Title, Lead]);
        check("T\n```\ntotal(1)\n```\nthen it stops working for all of us", &[Title, Code, Lead]);
        check(
            "T\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    return x[1]\nIndexError: list index out of range",
            &[Title, Frame, Error],
        );
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    return x[1]\nIndexError: list index out of range",
            &[Frame, Error],
        );
        check("T\n    cart = Cart()\n>>> cart.total()", &[Title, Code, Code]);
        check("T\nDescription\n\t(last modified by somebody)\n**Expected behavior**", &[Title]);
        check("T\nT\nT", &[Title]);
        let long = "one two three four five six seven\n";
        check(&format!("T\n{long}a {long}b {long}c {long}"), &[Title, Lead, Lead, Lead, Prose]);
    }

    #[test]
    fn long_texts_and_stacks_are_reports() {
        assert!(!is_report("where are retries handled"));
        assert!(!is_report("two\nlines"));
        assert!(is_report("Error\n  File \"a.py\", line 3, in f"));
        assert!(is_report(&"word ".repeat(60)));
        assert!(is_report("a\nb\nc\nd"));
    }

    #[test]
    fn names_are_weighed_by_how_they_are_written() {
        let of = |line: &str| names(line).into_iter().map(|(n, w)| format!("{n} {w}")).collect::<Vec<_>>().join(", ");
        assert_eq!(of("the `total` of Cart"), "total 1, Cart 0.4");
        assert_eq!(of("QuerySet.only() fails"), "QuerySet.only 1");
        assert_eq!(of("call max_size(x)"), "max_size 1");
    }

    #[test]
    fn the_title_counts_most_and_stands_first() {
        let report =
            read("Cart loses coupons\nWhen a customer pays, coupons vanish.\n    basket = Cart()\n    basket.pay()");
        assert_eq!(report.subject, ["cart", "loses", "coupons"]);
        let weight = |term: &str| report.terms.iter().find(|(t, _)| t == term).map_or(0.0, |(_, w)| *w);
        assert!(report.terms[..report.title_terms].iter().any(|(t, _)| t == "coupon"));
        assert!(weight("coupon") > weight("vanish") && weight("vanish") > weight("basket"), "{:?}", report.terms);
        assert_eq!(read("").terms, []);
    }
}
