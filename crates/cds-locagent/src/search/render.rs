//! From what was found to the text that the agent reads: results merged, grouped by the terms that found them, and written down.

use crate::graph::{Graph, NodeType};
use crate::like::pystr;
use crate::search::names::id_path;
use crate::search::results::{Format, Found, SearchError, Step, lines_of};
use crate::search::skeleton::skeleton;

/// From so many lines on a class or a file is shown as a skeleton.
const LONG: i64 = 100;

/// The text of an answer.
pub(crate) fn answer(graph: &Graph, notice: &str, steps: &[Step]) -> Result<String, SearchError> {
    let mut text = notice.to_owned();
    let terms: Vec<&str> = steps.iter().filter_map(searched).map(|(term, _)| term).collect();
    for (group, results) in groups(merge(steps)) {
        let names: Vec<String> = group.iter().map(|&term| format!("\"{}\"", terms[term])).collect();
        text += &format!("##Searching for term {}...\n### Search Result:\n", names.join(", "));
        text += &section(graph, &results)?;
        text += "\n\n";
    }
    Ok(pystr::strip(&text).to_owned())
}

/// A step's term and what it found; none for a refusal.
fn searched(step: &Step) -> Option<(&str, Vec<&Found>)> {
    match step {
        Step::Refused { .. } => None,
        Step::Searched { term, entity_results, content_results, .. } => {
            Some((term, entity_results.iter().chain(content_results.iter().flatten()).collect()))
        }
        Step::Lines { term, line_results } => Some((term, line_results.iter().collect())),
    }
}

/// A result and the terms that found it.
struct Merged {
    found: Found,
    terms: Vec<usize>,
}

/// Snippets as they are, then one result a node: the fullest format, with the lines and the reason that came with it.
fn merge(steps: &[Step]) -> Vec<Merged> {
    let (mut snippets, mut merged): (Vec<Merged>, Vec<Merged>) = (Vec::new(), Vec::new());
    for (term, (_, results)) in steps.iter().filter_map(searched).enumerate() {
        for found in results {
            if found.format == Format::CodeSnippet {
                snippets.push(Merged { found: found.clone(), terms: vec![term] });
                continue;
            }
            let Some(known) = merged.iter_mut().find(|known| known.found.node == found.node) else {
                merged.push(Merged { found: found.clone(), terms: vec![term] });
                continue;
            };
            if !known.terms.contains(&term) {
                known.terms.push(term);
            }
            if found.format < known.found.format {
                known.found = found.clone();
            }
        }
    }
    snippets.append(&mut merged);
    snippets
}

/// Results with the very same terms, groups by their first term.
fn groups(results: Vec<Merged>) -> Vec<(Vec<usize>, Vec<Found>)> {
    let mut groups: Vec<(Vec<usize>, Vec<Found>)> = Vec::new();
    for Merged { found, terms } in results {
        match groups.iter_mut().find(|(group, _)| *group == terms) {
            Some((_, results)) => results.push(found),
            None => groups.push((terms, vec![found])),
        }
    }
    groups.sort_by_key(|(terms, _)| terms[0]);
    groups
}

/// The results of one group, by format.
fn section(graph: &Graph, results: &[Found]) -> Result<String, SearchError> {
    let of = |format: Format| results.iter().filter(move |found| found.format == format);
    let shown = of(Format::Complete).chain(of(Format::CodeSnippet)).chain(uncovered(of(Format::Preview).collect()));
    let mut text = String::new();
    for found in shown {
        text += &result(graph, found)?;
        text.push('\n');
    }
    text += &folds(&of(Format::Fold).collect::<Vec<_>>());
    Ok(text)
}

/// Large previews, then the small ones, file by file, without those inside another.
fn uncovered(previews: Vec<&Found>) -> Vec<&Found> {
    let lines = |found: &Found| found.lines.expect("a preview has lines");
    let (small, mut shown): (Vec<&Found>, Vec<&Found>) =
        previews.into_iter().partition(|found| lines(found).1 - lines(found).0 < LONG);
    let mut files: Vec<(&str, Vec<&Found>)> = Vec::new();
    for found in small {
        let file = id_path(&found.nid);
        match files.iter_mut().find(|(other, _)| *other == file) {
            Some((_, same)) => same.push(found),
            None => files.push((file, vec![found])),
        }
    }
    for (_, mut same) in files {
        same.sort_by_key(|found| (lines(found).0, -lines(found).1));
        let mut covered = -1;
        for found in same {
            if lines(found).1 > covered {
                covered = lines(found).1;
                shown.push(found);
            }
        }
    }
    shown
}

/// Results that are only named; the reason is said where it changes and at the end.
fn folds(results: &[&Found]) -> String {
    let [first, rest @ ..] = results else { return String::new() };
    let named = |found: &Found| format!("Found {} `{}`.\n", found.kind.name(), found.nid);
    let mut text = named(first);
    let mut source = &first.source;
    for found in rest {
        if found.source != *source {
            text += &format!("Source: {source}\n\n");
            source = &found.source;
        }
        text += &named(found);
    }
    text += &format!("Source: {source}\n");
    if rest.is_empty() {
        text += &format!("Hint: Search `{}` for the full content if needed.\n\n", first.nid);
    } else {
        text += "Hint: Use more detailed query to get the full content of some if needed.\n\n";
    }
    text
}

/// One result that is more than named.
pub(crate) fn result(graph: &Graph, found: &Found) -> Result<String, SearchError> {
    if found.format == Format::CodeSnippet {
        return snippet(graph, found);
    }
    let kind = found.kind.name();
    let mut text = format!("Found {kind} `{}`.\nSource: {}\n", found.nid, found.source);
    let Some((first, last)) = lines_of(graph, found.node) else { return Ok(text) };
    let structured = found.format == Format::Preview && found.kind != NodeType::Function && last - first > LONG;
    if structured {
        text += &format!("Just show the structure of this {kind} due to response length limitations:\n");
        text += &format!("```\n{}\n```\n", skeleton(&graph.code(found.node)));
        text += &format!("Hint: Search `{}` to get the full content if needed.\n", found.nid);
    } else {
        text += &format!("```\n{}\n```\n", numbered(&graph.code(found.node), first).join("\n"));
    }
    Ok(text)
}

fn snippet(graph: &Graph, found: &Found) -> Result<String, SearchError> {
    let (from, to) = found.lines.expect("a snippet has lines");
    let (first, _) = lines_of(graph, found.node).ok_or_else(|| SearchError::NoLines(found.nid.clone()))?;
    let lines = numbered(&graph.code(found.node), first);
    // The last line may be before the first, or count from the end, when lines were asked for that the file does not have.
    let end = pystr::upto(lines.len(), to);
    let start = ((from - 1).max(0) as usize).min(end);
    let usual = || format!("Found code snippet in file `{}`.", found.nid);
    let desc = found.desc.clone().filter(|desc| !desc.is_empty()).unwrap_or_else(usual);
    let message = found.message.as_deref().unwrap_or_default();
    Ok(format!("{desc}\nSource: {}\n```\n{}\n```\n{message}", found.source, lines[start..end].join("\n")))
}

/// Lines with their numbers, right-aligned to the widest.
fn numbered(code: &str, first: i64) -> Vec<String> {
    let lines: Vec<&str> = code.split('\n').collect();
    let width = (first + lines.len() as i64 - 1).to_string().len();
    lines.iter().zip(first..).map(|(line, number)| format!("{number:>width$} | {line}")).collect()
}
