//! An answer within a budget: the best findings of every section, in turn.

use cds_model::{counted, estimate_tokens};

use super::{Finding, ResearchResponse, ResearchSubject};

/// Estimated tokens of a section besides its findings, and of a subject or finding besides its texts.
const SECTION_TOKENS: usize = 24;
const FINDING_TOKENS: usize = 12;

fn tokens(texts: &[&str]) -> usize {
    FINDING_TOKENS + texts.iter().map(|text| estimate_tokens(text) as usize).sum::<usize>()
}

fn subject_cost(subject: &ResearchSubject) -> usize {
    let words = [subject.signature.as_deref(), subject.doc.as_deref()];
    tokens(&[subject.id.as_str(), words[0].unwrap_or_default(), words[1].unwrap_or_default()])
}

fn cost(finding: &Finding) -> usize {
    let last = finding.via.last().map_or("", String::as_str);
    tokens(&[finding.id.as_str(), finding.text.as_str(), last])
}

/// Cuts an answer: the first finding of each section, then the second of each, until the budget is spent. What a section loses is
/// at its end, so what led to a finding stays with it.
pub(super) fn fit(response: &mut ResearchResponse, max_tokens: usize) {
    if max_tokens == 0 {
        return;
    }
    let fixed: usize =
        response.subjects.iter().map(subject_cost).sum::<usize>() + response.sections.len() * SECTION_TOKENS;
    let wanted = fixed + response.sections.iter().flat_map(|s| &s.findings).map(cost).sum::<usize>();
    if wanted <= max_tokens {
        return;
    }
    let mut left = max_tokens.saturating_sub(fixed);
    let mut kept = vec![0; response.sections.len()];
    let mut open = vec![true; response.sections.len()];
    let longest = response.sections.iter().map(|s| s.findings.len()).max().unwrap_or(0);
    for rank in 0..longest {
        for (at, section) in response.sections.iter().enumerate().filter(|(at, _)| open[*at]).collect::<Vec<_>>() {
            match section.findings.get(rank).map(cost) {
                Some(cost) if cost <= left => {
                    left -= cost;
                    kept[at] += 1;
                }
                _ => open[at] = false,
            }
        }
    }
    let mut lost = Vec::new();
    for (section, kept) in response.sections.iter_mut().zip(kept) {
        let gone = section.findings.len() - kept;
        section.findings.truncate(kept);
        if gone > 0 {
            section.truncated = true;
            lost.push(format!("{} {gone}", section.kind));
        }
    }
    response.warnings.push(format!(
        "max_tokens {max_tokens}: findings left out: {}; all need about {}, or ask for one of these alone",
        lost.join(", "),
        counted(wanted, "token")
    ));
}
