//! Prints the facts of files, with language data read from disk: the tool for writing a language.
//!
//! `facts FILE...` prints entities, references and imports; `facts --summary FILE...` prints one line a file and the totals;
//! `facts --tree FILE` prints the syntax tree; `facts --chunks FILE` prints where it is cut; `facts --patterns FILE` prints what
//! compiling each pattern of its language costs; `facts --cost FILE...` prints the time to parse and to run the query;
//! `facts --definitions FILE...` prints path, line, kind and name of each entity and problem, separated by tabs.

use std::io::{Error, ErrorKind, Write};
use std::path::Path;

use cds_lang::{Language, LanguageFiles, Registry, describe, extract};

fn main() -> Result<(), Error> {
    run(std::env::args().skip(1).collect(), &mut std::io::stdout().lock())
}

/// Prints what the arguments ask for, as far as someone reads it.
pub(crate) fn run(arguments: Vec<String>, out: &mut impl Write) -> Result<(), Error> {
    match print(arguments, out) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

fn print(mut arguments: Vec<String>, out: &mut impl Write) -> Result<(), Error> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    let read = |name: &str, file: &str| std::fs::read_to_string(folder.join(name).join(file)).ok();
    let mode = arguments.first().filter(|a| a.starts_with("--")).cloned();
    if mode.is_some() {
        arguments.remove(0);
    }
    // Only the languages at hand are read from disk: compiling every query takes a second.
    let builtin = Registry::builtin();
    let wanted: Vec<&Language> = arguments.iter().map(|path| builtin.detect(path, "")).collect();
    let registry = Registry::new(|name| {
        if wanted.iter().any(|w| w.name == name || w.spec.inherits.iter().any(|i| i == name)) {
            LanguageFiles {
                toml: read(name, "language.toml"),
                tags: read(name, "tags.scm"),
                imports: read(name, "imports.scm"),
            }
        } else {
            LanguageFiles::default()
        }
    })
    .unwrap_or_else(|e| panic!("{e}"));
    let mut totals = [0usize; 6];
    let mut cost = (std::time::Duration::ZERO, std::time::Duration::ZERO);
    for path in &arguments {
        let Ok(bytes) = std::fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let language = registry.detect(path, &text);
        if mode.as_deref() == Some("--tree") {
            writeln!(out, "{}", cds_lang::syntax_tree(language, &text))?;
            continue;
        }
        if mode.as_deref() == Some("--patterns") {
            let costs = cds_lang::pattern_costs(language);
            writeln!(out, "all alone: {:?}", costs.iter().map(|(c, _)| *c).sum::<std::time::Duration>())?;
            for (cost, pattern) in costs.iter().take(25) {
                writeln!(out, "{cost:?}\n{pattern}\n")?;
            }
            continue;
        }
        if mode.as_deref() == Some("--cost") {
            if let Some((parse, query)) = cds_lang::parse_and_query_time(language, &text) {
                cost.0 += parse;
                cost.1 += query;
            }
            continue;
        }
        let started = std::time::Instant::now();
        let facts = extract(&registry, language, &text);
        let took = started.elapsed();
        match mode.as_deref() {
            Some("--definitions") => {
                for entity in &facts.entities {
                    writeln!(out, "{path}\t{}\t{}\t{}", entity.span.start_line, entity.kind.name(), entity.name)?;
                }
                for problem in &facts.problems {
                    writeln!(out, "{path}\t0\tproblem {}\t{}", problem.kind.name(), problem.detail)?;
                }
            }
            Some("--summary") => {
                let numbers = [
                    1,
                    facts.entities.len(),
                    facts.entities.iter().filter(|e| e.doc_comment.is_some()).count(),
                    facts.references.len(),
                    facts.imports.len(),
                    facts.problems.len(),
                ];
                for (total, n) in totals.iter_mut().zip(numbers) {
                    *total += n;
                }
                let problems: Vec<&str> = facts.problems.iter().map(|p| p.detail.as_str()).collect();
                writeln!(out, "{path}: {:?} {took:?} {}", &numbers[1..], problems.join("; "))?;
            }
            Some("--chunks") => {
                for chunk in &facts.chunks {
                    let name = chunk.entity.map(|e| facts.qualified_name(e)).unwrap_or_default();
                    let span = chunk.span;
                    let headings = chunk.headings.join(" > ");
                    writeln!(
                        out,
                        "--- {} {name}{headings} {}-{}",
                        chunk.node_type.name(),
                        span.start_line,
                        span.end_line
                    )?;
                    writeln!(out, "{}", &text[span.range()])?;
                }
            }
            _ => writeln!(out, "## {path}\n{}", describe(&facts))?,
        }
    }
    if mode.as_deref() == Some("--cost") {
        writeln!(
            out,
            "parse {:?}, query {:?}, ratio {:.2}",
            cost.0,
            cost.1,
            cost.1.as_secs_f64() / cost.0.as_secs_f64()
        )?;
    }
    if mode.as_deref() == Some("--summary") {
        writeln!(out, "files, entities, documented, references, imports, problems: {totals:?}")?;
    }
    Ok(())
}
