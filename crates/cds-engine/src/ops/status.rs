//! What an index holds, how fresh it is and what it lacks.

use std::collections::BTreeMap;

use cds_index::{Freshness, ProblemRow, Snapshot};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::Result;

/// The state of an index.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusResponse {
    /// What is indexed.
    pub root: String,
    /// Where the index lives.
    pub index_dir: String,
    /// Its layout.
    pub format: u32,
    /// Its generation.
    pub generation: String,
    /// When it was written, in seconds since 1970.
    pub built: i64,
    /// `fresh`, `stale`, `settings changed`, or `partial` where the first index was begun and is not whole.
    pub freshness: &'static str,
    /// Files and folders that changed since, or are not in it yet.
    pub changed: usize,
    /// Files.
    pub files: u64,
    /// Entities, files and folders included.
    pub entities: u64,
    /// Chunks.
    pub chunks: u64,
    /// References.
    pub references: u64,
    /// Bytes of source.
    pub source_bytes: u64,
    /// Bytes on disk.
    pub index_bytes: u64,
    /// Which model made the vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Which model weighed the terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sparse_model: Option<String>,
    /// Chunks that a model failed on; the next `cds index` tries again.
    pub not_encoded: u64,
    /// Texts that were longer than a model reads.
    pub truncated: u64,
    /// Files by language, most first.
    pub languages: Vec<LanguageCount>,
    /// Problems by reason.
    pub problem_counts: BTreeMap<String, usize>,
    /// Every file left out or read badly, when asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<ProblemShape>")]
    pub problems: Vec<ProblemRow>,
}

/// A file left out, or read badly.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its shape is asked for")]
struct ProblemShape {
    /// Relative to the root.
    path: String,
    /// One word.
    reason: String,
    /// In words.
    detail: String,
    /// Whether the file is missing from the index.
    skipped: bool,
    /// Size in bytes, and when it was changed, in nanoseconds since 1970.
    stamp: Option<(u64, i64)>,
}

/// Files of one language.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LanguageCount {
    /// Its name.
    pub language: String,
    /// How many files.
    pub files: usize,
    /// How many lines.
    pub lines: u64,
}

impl Engine {
    /// Tells the state of the index without touching it. The one answer that reads every byte first: damage is part of the state.
    pub fn status(&self, with_problems: bool) -> Result<StatusResponse> {
        self.answer_so_far(|snapshot| self.status_of(snapshot, with_problems))
    }

    fn status_of(&self, snapshot: &Snapshot, with_problems: bool) -> Result<StatusResponse> {
        snapshot.verify()?;
        let manifest = snapshot.manifest();
        let (freshness, changed) = match self.freshness(snapshot) {
            _ if !self.has_settings_model(manifest) => ("settings changed", 0),
            _ if manifest.left > 0 => ("partial", manifest.left as usize),
            Freshness::Fresh => ("fresh", 0),
            Freshness::Stale(n) => ("stale", n),
            Freshness::Settings => ("settings changed", 0),
        };
        let mut by_language: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
        for document in snapshot.documents() {
            let (files, lines) = by_language.entry(document.language()).or_default();
            *files += 1;
            *lines += u64::from(document.lines());
        }
        let mut languages: Vec<LanguageCount> = by_language
            .into_iter()
            .map(|(language, (files, lines))| LanguageCount { language: language.to_owned(), files, lines })
            .collect();
        languages.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.language.cmp(&b.language)));
        let problems = snapshot.problems()?;
        let mut problem_counts = BTreeMap::new();
        for problem in &problems {
            *problem_counts.entry(problem.reason.clone()).or_default() += 1;
        }
        Ok(StatusResponse {
            root: self.root().display().to_string(),
            index_dir: self.home().display().to_string(),
            format: manifest.format,
            generation: manifest.generation.clone(),
            built: manifest.built,
            freshness,
            changed,
            files: manifest.counts.files,
            entities: manifest.counts.entities,
            chunks: manifest.counts.chunks,
            references: manifest.counts.references,
            source_bytes: manifest.counts.source_bytes,
            index_bytes: snapshot.disk_bytes(),
            model: manifest.model.as_ref().map(ToString::to_string),
            sparse_model: manifest.sparse_model.as_ref().map(ToString::to_string),
            not_encoded: manifest.counts.not_encoded,
            truncated: manifest.counts.truncated,
            languages,
            problem_counts,
            problems: if with_problems { problems } else { Vec::new() },
        })
    }
}
