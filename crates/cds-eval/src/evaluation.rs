//! The whole of it: a set asked once or twice, summed up and compared.

use std::collections::BTreeMap;

use cds_engine::{Result, SearchRequest};
use serde::Serialize;

use crate::compare::Comparison;
use crate::report::Report;
use crate::run::{Host, Missing, Outcome, run};
use crate::set::{Family, Question};
use crate::trees::Places;
use crate::worst::{Bad, worst};

/// What is to be measured.
pub struct Job<'a> {
    /// The set.
    pub questions: &'a [Question],
    /// Where its code is.
    pub places: &'a Places,
    /// How it is asked; the query is the question's.
    pub options: SearchRequest,
    /// How it is asked a second time, to compare.
    pub against: Option<SearchRequest>,
    /// How many of the worst questions are looked into.
    pub worst: usize,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// Questions asked.
    pub questions: usize,
    /// Trees that could not be asked.
    pub missing: Vec<Missing>,
    /// Lines with targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<Section>,
    /// Lines with functions to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issues: Option<Section>,
    /// Asked for with `worst`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<Bad>,
    /// What searches warned of, with how many did.
    pub warnings: BTreeMap<String, usize>,
    /// Every question with its hits, by the first options.
    #[serde(skip)]
    pub outcomes: Vec<Outcome>,
}

/// One family.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// By the first options.
    #[serde(flatten)]
    pub report: Report,
    /// By the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Report>,
    /// The first less the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
}

/// Asks, measures, compares.
pub fn evaluate(job: &Job, host: &Host) -> Result<Evaluation> {
    let options: Vec<SearchRequest> = std::iter::once(&job.options).chain(&job.against).cloned().collect();
    let ran = run(job.questions, job.places, &options, host)?;
    let mut outcomes = ran.outcomes.into_iter();
    let (ours, theirs) = (outcomes.next().unwrap_or_default(), outcomes.next());
    let section = |family: Family| {
        Some(Section {
            report: Report::of(family, &ours)?,
            against: theirs.as_ref().and_then(|theirs| Report::of(family, theirs)),
            comparison: theirs.as_ref().and_then(|theirs| Comparison::of(family, &ours, theirs)),
        })
    };
    Ok(Evaluation {
        questions: job.questions.len(),
        queries: section(Family::Queries),
        issues: section(Family::Issues),
        worst: if job.worst > 0 { worst(job, &ours, host)? } else { Vec::new() },
        missing: ran.missing,
        warnings: ran.warnings,
        outcomes: ours,
    })
}
