//! Where a file is cut. A function is a chunk; a type is its header, its members chunks of their own; what lies
//! between is kept. Long stretches are cut where the fewest syntax nodes are cut, with some overlap.

use std::ops::Range;

use cds_model::{Chunk, Entity, EntityType, Kind, estimate_tokens};
use compact_str::CompactString;
use tree_sitter::Tree;

use crate::embedded;
use crate::extract::Lines;
use crate::sections::Section;

/// Longest chunk, in lines and in bytes.
const MAX_LINES: u32 = 80;
const MAX_BYTES: u32 = 6_000;

/// Lines that a piece of a long stretch repeats from the one before it.
const OVERLAP_LINES: u32 = 3;

/// A stretch between two entities that is no longer than this, without spaces, is only a closing bracket or `end`. So are several lines of
/// brackets and `end`, each no longer.
const CLOSER_BYTES: usize = 4;

/// How lines of comment begin. In C a `#` with a word right behind it begins none.
const COMMENT_MARKS: &[&str] = &["//", "# ", "##", "#-", "#=", "--", ";;", "/*", "<!--"];

/// A stretch of the file that belongs to one owner, before long ones are split.
struct Stretch {
    range: Range<usize>,
    entity: Option<u32>,
    headings: Vec<CompactString>,
}

/// Cuts a text into chunks that cover it; blocks of other languages are cut apart. `depths` says how many syntax nodes a cut before each line would cut.
pub(crate) fn cut(
    text: &str,
    lines: &Lines,
    entities: &[Entity],
    sections: &[Section],
    blocks: &[embedded::Stretch],
    depths: Option<&[u16]>,
) -> Vec<Chunk> {
    if text.is_empty() {
        return Vec::new();
    }
    let by_indent;
    let depths = match depths {
        Some(depths) => depths,
        None => {
            by_indent = indent_depths(text);
            &by_indent
        }
    };
    let stretches = match sections {
        [] => apart(text, lines, by_entity(text, lines, entities), blocks),
        sections => by_section(text, sections),
    };
    let mut parts = vec![0u16; entities.len()];
    let mut chunks = Vec::with_capacity(stretches.len());
    for stretch in fold_small(text, move_introductions(text, stretches)) {
        let node_type = match stretch.entity {
            Some(e) => entities[e as usize].kind,
            None if stretch.headings.is_empty() => Kind::known("block"),
            None => Kind::known("section"),
        };
        let mut block_part = 0;
        for range in split(text, lines, depths, stretch.range) {
            let part = stretch.entity.map_or(&mut block_part, |e| &mut parts[e as usize]);
            let content = &text[range.clone()];
            let mut span = lines.span(range.clone());
            let shown = content.trim_end().len();
            span.end_line = lines.line_of((range.start + shown.max(1) - 1) as u32).max(span.start_line);
            chunks.push(Chunk {
                span,
                node_type,
                entity: stretch.entity,
                part: *part,
                language: language_of(&range, blocks),
                headings: stretch.headings.clone(),
                token_count: estimate_tokens(content),
            });
            *part = part.saturating_add(1);
        }
    }
    chunks
}

/// Which entities get stretches of their own: those whose whole chain of owners is open. Types are open, and
/// functions too long to be one chunk.
fn by_entity(text: &str, lines: &Lines, entities: &[Entity]) -> Vec<Stretch> {
    let mut open = vec![false; entities.len()];
    let mut stretches = Vec::new();
    let mut stack: Vec<(usize, u32)> = Vec::new();
    let mut at = 0;
    let mut emit = |at: &mut usize, to: usize, owner: Option<u32>| {
        if to > *at {
            stretches.push(Stretch { range: *at..to, entity: owner, headings: Vec::new() });
            *at = to;
        }
    };
    for (i, entity) in entities.iter().enumerate() {
        let parent_open = entity.parent.is_none_or(|p| open[p as usize]);
        if !entity.kind.row().chunked {
            open[i] = parent_open;
            continue;
        }
        if !parent_open {
            continue;
        }
        let long = entity.span.end_line - entity.span.start_line >= MAX_LINES
            || entity.span.end - entity.span.start > MAX_BYTES;
        open[i] = entity.kind.entity_type() == EntityType::Class || long;
        let start = line_start_if_blank(text, lines, entity.full.start as usize);
        while let Some(&(end, owner)) = stack.last().filter(|(end, _)| *end <= start) {
            emit(&mut at, end, Some(owner));
            stack.pop();
        }
        emit(&mut at, start, stack.last().map(|&(_, owner)| owner));
        stack.push((entity.full.end as usize, i as u32));
    }
    while let Some((end, owner)) = stack.pop() {
        emit(&mut at, end, Some(owner));
    }
    emit(&mut at, text.len(), None);
    stretches
}

/// Cuts what belongs to no entity where code of another language begins and ends. Blocks of one line stay in what they stand in.
fn apart(text: &str, lines: &Lines, stretches: Vec<Stretch>, blocks: &[embedded::Stretch]) -> Vec<Stretch> {
    let tall = blocks.iter().filter(|block| block.is_code && text[block.range.clone()].trim().contains('\n'));
    let cuts = tall.flat_map(|block| [block.opens, block.range.end]);
    let cuts: Vec<usize> = cuts.map(|cut| line_start_if_blank(text, lines, cut)).collect();
    if cuts.is_empty() {
        return stretches;
    }
    let mut pieces = Vec::with_capacity(stretches.len() + cuts.len());
    for stretch in stretches {
        let Range { mut start, end } = stretch.range;
        let from = cuts.partition_point(|cut| *cut <= start);
        let inside = cuts[from..].iter().take_while(|cut| **cut < end && stretch.entity.is_none());
        for &cut in inside {
            pieces.push(Stretch { range: start..cut, entity: None, headings: Vec::new() });
            start = cut;
        }
        pieces.push(Stretch { range: start..end, ..stretch });
    }
    pieces
}

/// The language that most of a stretch of text is in, if that is one of a block in it.
fn language_of(range: &Range<usize>, blocks: &[embedded::Stretch]) -> Option<CompactString> {
    let first = blocks.partition_point(|block| block.range.end <= range.start);
    let mut shares: Vec<(&str, usize)> = Vec::new();
    let mut own = range.len();
    for block in blocks[first..].iter().take_while(|block| block.range.start < range.end) {
        let bytes = block.range.end.min(range.end) - block.range.start.max(range.start);
        own -= bytes;
        match shares.iter_mut().find(|(language, _)| *language == block.language.shown()) {
            Some((_, share)) => *share += bytes,
            None => shares.push((block.language.shown(), bytes)),
        }
    }
    let (language, share) = shares.into_iter().rev().max_by_key(|(_, share)| *share)?;
    (share > own).then(|| language.into())
}

/// The start of the line when only white space stands before `byte` on it, so that indentation is kept.
fn line_start_if_blank(text: &str, lines: &Lines, byte: usize) -> usize {
    let start = lines.start(lines.line_of(byte as u32)) as usize;
    if text[start..byte].bytes().all(|b| b.is_ascii_whitespace()) { start } else { byte }
}

fn by_section(text: &str, sections: &[Section]) -> Vec<Stretch> {
    let mut stretches = Vec::with_capacity(sections.len() + 1);
    if sections[0].start > 0 {
        stretches.push(Stretch { range: 0..sections[0].start, entity: None, headings: Vec::new() });
    }
    let ends = sections[1..].iter().map(|s| s.start).chain([text.len()]);
    for (section, end) in sections.iter().zip(ends) {
        stretches.push(Stretch { range: section.start..end, entity: None, headings: section.headings.clone() });
    }
    stretches
}

/// A line of comment at the end of a stretch goes to the next one, which it introduces.
fn move_introductions(text: &str, mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    for at in 1..stretches.len() {
        let range = stretches[at - 1].range.clone();
        let content = text[range.clone()].trim_end();
        let Some((before, line)) = content.rsplit_once('\n') else { continue };
        if stretches[at - 1].entity.is_some() && !before.trim().is_empty() && is_comment(line.trim()) {
            let start = range.start + before.len() + 1;
            stretches[at - 1].range.end = start;
            stretches[at].range.start = start;
        }
    }
    stretches
}

/// White space and closing brackets go to the stretch before them; what stands before the first goes to it. A line that only separates, such
/// as `// MARK: - Helpers`, goes to what it introduces.
fn fold_small(text: &str, stretches: Vec<Stretch>) -> Vec<Stretch> {
    let mut folded: Vec<Stretch> = Vec::with_capacity(stretches.len());
    let mut begun: Vec<bool> = Vec::new();
    let mut is_begun = |entity: Option<u32>| {
        let Some(entity) = entity.map(|e| e as usize) else { return true };
        begun.resize(begun.len().max(entity + 1), false);
        std::mem::replace(&mut begun[entity], true)
    };
    let mut is_introduction = false;
    for stretch in stretches {
        let content = &text[stretch.range.clone()];
        let was_begun = is_begun(stretch.entity);
        match folded.last_mut() {
            Some(last) if !is_introduction && is_closer(content) => last.range.end = stretch.range.end,
            Some(last) if is_introduction || text[last.range.clone()].trim().is_empty() => {
                let start = last.range.start;
                *last = Stretch { range: start..stretch.range.end, ..stretch };
                is_introduction = false;
            }
            _ => {
                is_introduction = was_begun && stretch.headings.is_empty() && is_separator(content);
                folded.push(stretch);
            }
        }
    }
    // One that introduces nothing ends what stands before it.
    if is_introduction && folded.len() > 1 {
        let end = folded.pop().map_or(text.len(), |last| last.range.end);
        if let Some(last) = folded.last_mut() {
            last.range.end = end;
        }
    }
    folded
}

/// Whether a text only closes what is open, or is not worth a chunk.
fn is_closer(text: &str) -> bool {
    let size = |text: &str| text.bytes().filter(|b| !b.is_ascii_whitespace()).count();
    let closes = |line: &str| {
        let word = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, ')' | ']' | '}' | ';' | ','));
        size(line) <= CLOSER_BYTES && matches!(word, "" | "end")
    };
    size(text) <= CLOSER_BYTES || text.lines().all(closes)
}

/// Whether a text is one line of comment, or brackets alone.
fn is_separator(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (Some(line), None) = (lines.next(), lines.next()) else { return false };
    is_comment(line) || !line.contains(char::is_alphanumeric)
}

fn is_comment(line: &str) -> bool {
    COMMENT_MARKS.iter().any(|mark| line.starts_with(mark))
}

/// Cuts a stretch into pieces of bounded size; each begins a few lines before the end of the one before it.
fn split(text: &str, lines: &Lines, depths: &[u16], range: Range<usize>) -> Vec<Range<usize>> {
    let end_line = lines.line_of(range.end.max(1) as u32 - 1);
    let mut pieces = Vec::new();
    let mut start = range.start;
    loop {
        let first = lines.line_of(start as u32);
        let fits = end_line - first < MAX_LINES && range.end - start <= MAX_BYTES as usize;
        if fits {
            pieces.push(start..range.end);
            return pieces;
        }
        // Lines a cut may stand before: after the middle, before either limit.
        let last = (first + MAX_LINES).min(end_line);
        let within = |line: &u32| {
            let at = lines.start(*line) as usize;
            at > start && at - start <= MAX_BYTES as usize
        };
        let earliest = first + MAX_LINES / 2;
        let best = (earliest..=last).rev().filter(within).min_by_key(|&l| depth_at(depths, l));
        let best = best.or_else(|| (first + 1..earliest).rev().find(within));
        let (cut, next) = match best {
            Some(line) => {
                let back = (line - OVERLAP_LINES.min(line - 1)).max(first + 1).min(line);
                (lines.start(line) as usize, lines.start(back) as usize)
            }
            None => {
                // One line longer than a chunk: minified code or data.
                let cut = char_boundary(text, start + MAX_BYTES as usize);
                (cut, cut)
            }
        };
        pieces.push(start..cut);
        start = next;
    }
}

fn depth_at(depths: &[u16], line: u32) -> u16 {
    depths.get(line as usize - 1).copied().unwrap_or(0)
}

fn char_boundary(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// For each line, how many syntax nodes begin before it and end on it or later.
pub(crate) fn line_depths(tree: &Tree, lines: u32) -> Vec<u16> {
    // Below the height of a chunk no cut is needed: short texts are not walked.
    if lines <= MAX_LINES {
        return vec![0; lines as usize];
    }
    let mut change = vec![0i32; lines as usize + 2];
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        let (start, end) = (node.start_position().row, node.end_position().row);
        let tall = end > start;
        if tall {
            change[(start + 1).min(lines as usize)] += 1;
            change[(end + 1).min(lines as usize + 1)] -= 1;
        }
        if tall && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    let mut depth = 0i32;
    let running = change.iter().take(lines as usize).map(|c| {
        depth += c;
        depth.clamp(0, i32::from(u16::MAX)) as u16
    });
    running.collect()
}

/// The same for text without a tree: indentation, with paragraphs' first lines cheapest.
fn indent_depths(text: &str) -> Vec<u16> {
    let mut after_blank = true;
    text.lines()
        .map(|line| {
            let blank = line.trim().is_empty();
            let indent = (line.len() - line.trim_start().len()).min(60) as u16;
            let depth = indent * 2 + u16::from(!after_blank);
            after_blank = blank;
            if blank { u16::MAX } else { depth }
        })
        .collect()
}
