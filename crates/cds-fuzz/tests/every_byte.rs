//! Damage of one byte, anywhere in an index.
//!
//! Each byte of each file is changed, each file is cut at each length and removed, and then the index is asked. Nothing
//! crashes, and an answer is that of the whole index or an error that says what to do. `flips.rs` does the same to a larger index.
//!
//! `cargo test` tries some places of every file; all of them, which takes minutes, are tried with
//!
//! ```sh
//! CDS_EVERY_BYTE=1 cargo test -p cds-fuzz --test every_byte -- --nocapture
//! ```

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use cds_engine::{Engine, Error, ErrorKind, SearchRequest, SymbolRequest};
use cds_fuzz::{Indexed, Source, Watch, leave_guarded_panics};
use serde_json::Value;

/// As little as has a name, a call and a second language.
const SOURCE: Source = &[
    ("a.py", "def first():\n    return second()\n\n\ndef second():\n    return 1\n"),
    ("b.md", "# Notes\n\nThe first words.\n"),
];

/// Places of a file that are tried unless all are.
const PLACES: usize = 6;

/// What happened to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// Bits of one byte.
    Flipped { at: usize, bits: u8 },
    /// All from here on is gone.
    Cut { at: usize },
    /// It is not there.
    Removed,
}

impl Damage {
    fn of(self, whole: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = whole.to_vec();
        match self {
            Damage::Flipped { at, bits } => bytes[at] ^= bits,
            Damage::Cut { at } => bytes.truncate(at),
            Damage::Removed => return None,
        }
        Some(bytes)
    }

    fn all(len: usize, stride: usize) -> impl Iterator<Item = Damage> {
        let places = move || (0..len).step_by(stride).chain((stride > 1 && len > 0).then(|| len - 1));
        let flipped = places().flat_map(|at| [0xff, 0x01].map(|bits| Damage::Flipped { at, bits }));
        flipped.chain(places().map(|at| Damage::Cut { at })).chain([Damage::Removed])
    }
}

/// Three questions: for words, for a name, for the state.
fn answers(engine: &Engine) -> [(&'static str, Result<Value, Error>); 3] {
    fn plain(answer: impl serde::Serialize) -> Value {
        let mut value = serde_json::to_value(answer).expect("an answer is plain data");
        if let Some(fields) = value.as_object_mut() {
            fields.remove("timings_ms");
        }
        value
    }
    let search = SearchRequest { query: "first words".to_owned(), ..SearchRequest::default() };
    let symbol = SymbolRequest { name: "second".to_owned(), ..SymbolRequest::default() };
    [
        ("search", engine.search(&search).map(plain)),
        ("symbol", engine.symbol(&symbol).map(plain)),
        ("status", engine.status(true).map(plain)),
    ]
}

/// Whether the caller is told what to do about it.
fn is_told(error: &Error) -> bool {
    error.kind == ErrorKind::NotReady && error.message.contains("run `cds index`")
}

#[derive(Default)]
struct Tally {
    same: usize,
    told: usize,
}

#[test]
fn one_byte_of_damage_changes_no_answer_silently() {
    leave_guarded_panics();
    let everywhere = std::env::var_os("CDS_EVERY_BYTE").is_some();
    let project = Indexed::new(SOURCE);
    let whole = answers(&project.engine()).map(|(_, answer)| answer.expect("a whole index answers"));
    let watch = Watch::new("every byte");
    let mut tallies: BTreeMap<(String, &str), Tally> = BTreeMap::new();
    let mut broken = Vec::new();
    let mut tried = 0;
    for (file, bytes) in project.files() {
        let stride = if everywhere { 1 } else { bytes.len().div_ceil(PLACES).max(1) };
        for damage in Damage::all(bytes.len(), stride) {
            let what = format!("{} {damage:?}", shown(file));
            watch.begin(|| what.clone());
            project.damage(file, damage.of(bytes).as_deref());
            let answered = catch_unwind(AssertUnwindSafe(|| answers(&project.engine())));
            watch.end();
            project.heal(file);
            tried += 1;
            let Ok(answered) = answered else {
                broken.push(format!("{what}: a panic"));
                continue;
            };
            for ((question, answer), right) in answered.into_iter().zip(&whole) {
                let tally = tallies.entry((shown(file), question)).or_default();
                // Settings that it was built with are kept next to it, without a checksum: changed ones look like other settings.
                let is_settings = |answer: &Value| question == "status" && answer["freshness"] == "settings changed";
                match answer {
                    Ok(answer) if answer == *right => tally.same += 1,
                    Ok(answer) if is_settings(&answer) => tally.told += 1,
                    Ok(answer) => broken.push(format!("{what}: {question}: silently other: {answer}")),
                    Err(error) if is_told(&error) => tally.told += 1,
                    Err(error) => broken.push(format!("{what}: {question}: {:?}: {error}", error.kind)),
                }
            }
        }
    }
    let bytes: usize = project.files().iter().map(|(_, bytes)| bytes.len()).sum();
    eprintln!("{tried} damages of {} files of {bytes} bytes", project.files().len());
    eprintln!("file, question: same, told");
    for ((file, question), tally) in &tallies {
        eprintln!("{file}, {question}: {}, {}", tally.same, tally.told);
    }
    assert!(broken.is_empty(), "{} promises broken:\n{}", broken.len(), broken.join("\n"));
}

/// A file's name without what is other in every index.
fn shown(file: &Path) -> String {
    let parts = file.iter().map(|part| part.to_string_lossy());
    let stable = parts.map(|part| match part.split_once('.') {
        Some((name, ending)) if name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()) => {
            format!("*.{ending}")
        }
        _ => part.into_owned(),
    });
    stable.collect::<Vec<_>>().join("/")
}
