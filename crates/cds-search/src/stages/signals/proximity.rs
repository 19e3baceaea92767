//! Words of the query that stand together: the most of its weight in three lines that follow each other.

use cds_index::Snapshot;
use cds_index::tokenize::Tokenizer;
use rustc_hash::FxHashMap;

use super::super::Candidate;
use crate::Result;

/// Lines that count as together.
const TOGETHER: usize = 3;

/// Candidates whose text is read: the index keeps no positions.
const READ: usize = 50;

/// Adds the signal to the best candidates so far.
pub(super) fn add(snapshot: &Snapshot, weight: f32, terms: &[(String, f32)], list: &mut [Candidate]) -> Result<()> {
    list.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
    let mut tokenizer = Tokenizer::default();
    let mut texts: FxHashMap<u32, String> = FxHashMap::default();
    for candidate in list.iter_mut().take(READ) {
        let Some(view) = snapshot.chunk(candidate.chunk) else { continue };
        let Some(document) = view.document() else { continue };
        let text = match texts.entry(document.id.0) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(room) => room.insert(snapshot.text(document.id)?),
        };
        let value = together(&mut tokenizer, text.get(view.range()).unwrap_or_default(), terms);
        candidate.add("proximity", weight * value);
    }
    Ok(())
}

/// The greatest share of the terms' weight in a window of lines.
fn together(tokenizer: &mut Tokenizer, text: &str, terms: &[(String, f32)]) -> f32 {
    let total: f32 = terms.iter().map(|(_, weight)| weight).sum();
    let lines: Vec<Vec<bool>> = text
        .lines()
        .map(|line| {
            let words = tokenizer.terms(line);
            terms.iter().map(|(term, _)| words.iter().any(|word| word.text == *term)).collect()
        })
        .collect();
    let held = |window: &[Vec<bool>]| -> f32 {
        let weights = terms.iter().enumerate();
        weights.filter(|(i, _)| window.iter().any(|line| line[*i])).map(|(_, (_, weight))| weight).sum()
    };
    let best = lines.windows(TOGETHER.min(lines.len()).max(1)).map(held).fold(0.0, f32::max);
    if total > 0.0 { best / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use cds_index::tokenize::Tokenizer;

    use super::together;

    #[test]
    fn words_count_that_stand_within_three_lines() {
        let check = |text: &str, expect: f32| {
            let terms = [("retri".to_owned(), 1.0), ("socket".to_owned(), 3.0)];
            let found = together(&mut Tokenizer::default(), text, &terms);
            assert!((found - expect).abs() < 1e-6, "{text:?}: {found}");
        };
        check("retry the socket", 1.0);
        check("retry\n\nsocket", 1.0);
        check("retry\n\n\nsocket", 0.75);
        check("retries", 0.25);
        check("nothing", 0.0);
        check("", 0.0);
    }
}
