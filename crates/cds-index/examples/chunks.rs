//! Prints every chunk of a folder as one line of JSON, with its words as the index splits them.
//!
//! `chunks ROOT [FOLDER]` walks FOLDER below ROOT; paths stay relative to ROOT. Vectors are studied on these lines.
//! `chunks --queries` reads lines of JSON with `id` and `query` from standard input and splits the queries.

use std::io::{BufRead, BufWriter, Write};
use std::path::Path;

use cds_index::tokenize::{Tokenizer, is_common};
use cds_lang::{Registry, extract};

/// As the index: larger files are data.
const MAX_FILE: u64 = 1_000_000;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut tokenizer = Tokenizer::default();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--queries"] => {
            for line in std::io::stdin().lock().lines() {
                let task: serde_json::Value = serde_json::from_str(&line?)?;
                let query = task["query"].as_str().unwrap_or_default();
                let (words, terms) = (words(&mut tokenizer, query), terms(&mut tokenizer, query));
                writeln!(out, "{}", serde_json::json!({"id": task["id"], "words": words, "terms": terms}))?;
            }
        }
        [root] => print(Path::new(root), Path::new(root), &mut tokenizer, &mut out)?,
        [root, folder] => print(Path::new(root), &Path::new(root).join(folder), &mut tokenizer, &mut out)?,
        _ => return Err(std::io::Error::other("say a root and, if wanted, a folder below it")),
    }
    out.flush()
}

fn print(root: &Path, folder: &Path, tokenizer: &mut Tokenizer, out: &mut impl Write) -> std::io::Result<()> {
    let registry = Registry::builtin();
    for entry in ignore::WalkBuilder::new(folder).sort_by_file_path(Ord::cmp).build().filter_map(Result::ok) {
        let is_file = entry.file_type().is_some_and(|t| t.is_file());
        if !is_file || entry.metadata().is_ok_and(|m| m.len() > MAX_FILE) {
            continue;
        }
        let Ok(bytes) = std::fs::read(entry.path()) else { continue };
        if bytes.iter().take(8_000).any(|b| *b == 0) {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_string_lossy().into_owned();
        let language = registry.detect(&path, &text);
        let facts = extract(registry, language, &text);
        for chunk in &facts.chunks {
            let (start, end) = (chunk.span.start as usize, chunk.span.end as usize);
            let entity = chunk.entity.map(|e| &facts.entities[e as usize]);
            let name = chunk.entity.map(|e| facts.scope_path(e).join(" ")).unwrap_or_default();
            let row = serde_json::json!({
                "path": path,
                "start_line": chunk.span.start_line,
                "end_line": chunk.span.end_line,
                "language": language.name,
                "content": words(tokenizer, &text[start..end]),
                "terms": terms(tokenizer, &text[start..end]),
                "signature": words(tokenizer, entity.map_or("", |e| e.signature.as_str())),
                "doc": words(tokenizer, entity.and_then(|e| e.doc_comment.as_deref()).unwrap_or_default()),
                "name": words(tokenizer, &name),
                "own": words(tokenizer, entity.map_or("", |e| e.name.as_str())),
                "path_words": words(tokenizer, &path),
                "path_part": words(tokenizer, &path_part(&path)),
            });
            writeln!(out, "{row}")?;
        }
    }
    Ok(())
}

/// The last two folders and the file's name without its ending.
fn path_part(path: &str) -> String {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut last: Vec<&str> = folders.rsplit('/').take(2).collect();
    last.reverse();
    format!("{} {stem}", last.join(" "))
}

/// The split words: whole identifiers are left out.
fn words(tokenizer: &mut Tokenizer, text: &str) -> String {
    let terms = tokenizer.terms(text);
    terms.iter().filter(|t| !t.is_whole).map(|t| t.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// What the text index has of a chunk: whole identifiers too, the commonest words not.
fn terms(tokenizer: &mut Tokenizer, text: &str) -> String {
    let terms = tokenizer.terms(text);
    terms.iter().map(|t| t.text.as_str()).filter(|t| !is_common(t)).collect::<Vec<_>>().join(" ")
}
