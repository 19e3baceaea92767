//! Headings and fences of prose. A line scanner: headings need no grammar.

use std::ops::Range;

use compact_str::CompactString;

use crate::registry::Language;
use crate::spec::Structure;

/// A heading and everything up to the next one.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) start: usize,
    /// Headings from the outermost down to its own.
    pub(crate) headings: Vec<CompactString>,
}

/// The sections of a text whose language is cut at headings; none for others.
pub(crate) fn find(language: &Language, text: &str) -> Vec<Section> {
    if language.spec.structure != Structure::Headings {
        return Vec::new();
    }
    let mut sections = Vec::new();
    let mut path: Vec<(usize, CompactString)> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut previous: Option<(usize, &str)> = None;
    for (start, line) in lines(text) {
        if let Some(marker) = fence_marker(line) {
            match fence {
                Some(open) if marker.starts_with(open) => fence = None,
                None => fence = Some(marker),
                Some(_) => {}
            }
            previous = None;
            continue;
        }
        if fence.is_some() {
            continue;
        }
        let heading = atx(line).map(|(level, title)| (start, level, title)).or_else(|| {
            let (above, title) = previous?;
            underline(line).map(|level| (above, level, title.trim()))
        });
        previous = Some((start, line)).filter(|(_, l)| !l.trim().is_empty());
        let Some((start, level, title)) = heading else { continue };
        previous = None;
        path.truncate(path.partition_point(|(l, _)| *l < level));
        path.push((level, CompactString::from(title)));
        sections.push(Section { start, headings: path.iter().map(|(_, t)| t.clone()).collect() });
    }
    sections
}

/// Fenced stretches: the tag after the opening fence, and the bytes between the fences.
pub(crate) fn fences(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut lines = lines(text);
    std::iter::from_fn(move || {
        loop {
            let (start, line) = lines.next()?;
            let Some(open) = fence_marker(line) else { continue };
            let tag = line.trim().trim_start_matches(['`', '~']).trim();
            let tag = tag.split([' ', ',', '{', ':']).next().unwrap_or_default();
            let from = (start + line.len() + 1).min(text.len());
            let to = lines.by_ref().find(|(_, l)| fence_marker(l).is_some_and(|m| m.starts_with(open)));
            let range = from..to.map_or(text.len(), |(at, _)| at).max(from);
            return Some((tag, range));
        }
    })
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line)
    })
}

fn fence_marker(line: &str) -> Option<&str> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run = line.len() - line.trim_start_matches(mark).len();
    (run >= 3).then(|| &line[..run])
}

fn atx(line: &str) -> Option<(usize, &str)> {
    let line = line.strip_prefix("   ").or(line.strip_prefix("  ")).or(line.strip_prefix(' ')).unwrap_or(line);
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let spaced = title.is_empty() || title.starts_with([' ', '\t']);
    ((1..=6).contains(&level) && spaced).then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

fn underline(line: &str) -> Option<usize> {
    let line = line.trim_end();
    let all = |c: char| line.len() >= 3 && line.chars().all(|x| x == c);
    if all('=') {
        Some(1)
    } else if all('-') {
        Some(2)
    } else {
        None
    }
}
