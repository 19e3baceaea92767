//! Chunks to vectors, on the threads that read files.

use std::cell::RefCell;

use cds_encode::{WordBag, builtin, compose};
use cds_model::{Chunk, FileFacts};

use crate::tokenize::Tokenizer;

/// What a thread keeps from file to file: words met before are found faster.
struct Encoder {
    tokenizer: Tokenizer,
    bag: WordBag,
}

thread_local! {
    static ENCODER: RefCell<Encoder> = RefCell::new(Encoder { tokenizer: Tokenizer::default(), bag: WordBag::new(builtin()) });
}

/// A vector for each chunk of a file, from a table of words.
pub fn chunk_vectors(path: &str, text: &str, facts: &FileFacts) -> Vec<Vec<f32>> {
    ENCODER.with_borrow_mut(|Encoder { tokenizer, bag }| {
        tokenizer.parts_of(path_words(path), |word| bag.add(word));
        let path = bag.words();
        let vector = |chunk: &Chunk| {
            for name in chunk.entity.map(|entity| facts.scope_path(entity)).into_iter().flatten() {
                tokenizer.parts_of(name, |word| bag.add(word));
            }
            let name = bag.words();
            tokenizer.parts_of(&text[chunk.span.range()], |word| bag.add(word));
            compose(&bag.content(), &name, &path)
        };
        facts.chunks.iter().map(vector).collect()
    })
}

/// The last two folders and the name without its ending: what lies above says little of a file.
fn path_words(path: &str) -> &str {
    let start = path.rmatch_indices('/').nth(2).map_or(0, |(at, _)| at + 1);
    let name = path.rfind('/').map_or(0, |at| at + 1);
    let end = path[name..].find('.').filter(|at| *at > 0).map_or(path.len(), |at| name + at);
    &path[start..end]
}

/// What a model that reads whole texts is given of a chunk: where it stands, what it is called, what it says.
pub(crate) fn passage(path: &str, scope: &[&str], text: &str) -> String {
    let name = scope.join(" > ");
    format!("{path}\n{name}\n{text}")
}

/// The vector of a query, from the table of words inside the binary.
pub fn query_vector(query: &str) -> Vec<f32> {
    ENCODER.with_borrow_mut(|Encoder { tokenizer, bag }| {
        tokenizer.parts_of(query, |word| bag.add(word));
        bag.words()
    })
}

#[cfg(test)]
mod tests {
    use super::path_words;

    #[test]
    fn a_path_is_its_last_folders_and_its_stem() {
        for (path, expect) in [
            ("a.py", "a"),
            ("src/a.test.py", "src/a"),
            ("x/y/z/name.rs", "y/z/name"),
            (".bashrc", ".bashrc"),
            ("a.b/c", "a.b/c"),
        ] {
            assert_eq!(path_words(path), expect);
        }
    }
}
