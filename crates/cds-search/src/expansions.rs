//! Words related to those of a query, as the index spells them. They are shown, not searched.

use cds_encode::{Models, Sparse};
use cds_index::tokenize::{Term, Tokenizer};
use cds_index::{NameMatch, Snapshot};
use rustc_hash::FxHashSet;

use crate::query::{ParsedQuery, QueryKind};
use crate::{Result, bm25};

/// Limits of what is shown: words related to one word, all of them, and letters of the shortest.
const RELATED: usize = 3;
const EXPANSIONS: usize = 16;
const SHORTEST: usize = 3;

/// Names in which a spelling is looked for, and files that may be read for spellings that no name has.
const NAMES: usize = 32;
const FILES: usize = 2;

/// Adds words that the model's table relates to those of the query, if the index has them. The table has stems.
pub(crate) fn add(snapshot: &Snapshot, models: &Models, parsed: &mut ParsedQuery) -> Result<()> {
    let Ok(Some(Sparse::Related(table))) = models.sparse() else { return Ok(()) };
    if parsed.kind == QueryKind::Symbol || parsed.report.is_some() {
        return Ok(());
    }
    let mut spelling = Spelling { snapshot, tokenizer: Tokenizer::default(), files_read: 0 };
    let mut known: FxHashSet<String> = parsed.terms.iter().map(|term| term.text.clone()).collect();
    known.extend(parsed.expansions.iter().map(|word| spelling.tokenizer.stem(word).to_string()));
    for term in parsed.terms.iter().filter(|t| !t.is_prefix && !t.is_joined) {
        let related = table.of(&term.text).iter().filter(|(stem, _)| stem.len() >= SHORTEST).take(RELATED);
        for (stem, _) in related {
            if parsed.expansions.len() < EXPANSIONS
                && known.insert((*stem).to_owned())
                && let Some(word) = spelling.of(stem)?
            {
                parsed.expansions.push(word);
            }
        }
    }
    Ok(())
}

struct Spelling<'a> {
    snapshot: &'a Snapshot,
    tokenizer: Tokenizer,
    files_read: usize,
}

impl Spelling<'_> {
    /// A word with this stem: from the shortest name that begins with it, or the first in the text of the first chunk that has it.
    fn of(&mut self, stem: &str) -> Result<Option<String>> {
        let names = self.snapshot.find_names(stem, NameMatch::PrefixAnyCase, NAMES);
        let mut names: Vec<&str> = names.into_iter().filter_map(|id| Some(self.snapshot.entity(id)?.name())).collect();
        names.sort_unstable_by_key(|name| (name.len(), *name));
        names.dedup();
        if let Some(word) = names.into_iter().find_map(|name| word_in(&mut self.tokenizer, name, stem)) {
            return Ok(Some(word));
        }
        if self.files_read == FILES {
            return Ok(None);
        }
        let Some(chunk) = bm25::first_chunk_with(self.snapshot, stem)? else { return Ok(None) };
        let Some(view) = self.snapshot.chunk(chunk) else { return Ok(None) };
        let Some(document) = view.document() else { return Ok(None) };
        self.files_read += 1;
        let text = self.snapshot.text(document.id)?;
        Ok(word_in(&mut self.tokenizer, text.get(view.range()).unwrap_or_default(), stem))
    }
}

/// The first word of a text with this stem, in lower case.
fn word_in(tokenizer: &mut Tokenizer, text: &str, stem: &str) -> Option<String> {
    let is_spelled = |term: &Term| term.text == stem;
    let term = text
        .lines()
        .find_map(|line| tokenizer.terms(line).into_iter().find(is_spelled).map(|term| &line[term.start..term.end]));
    term.map(str::to_lowercase)
}
