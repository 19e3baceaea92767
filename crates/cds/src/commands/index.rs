//! `cds index`

use cds_engine::{BuildReport, counted};

use super::{Context, Done, print};
use crate::args::{Format, IndexArgs};
use crate::output::Printable;
use crate::{exit, progress, render};

pub(crate) fn run(context: &Context, args: &IndexArgs) -> Done {
    let report = progress::with_bar(&context.engine, |engine, hooks| engine.index(args.force, hooks).map(Some))?;
    let Some(report) = report else { return Ok(exit::FOUND) };
    let text = match context.format {
        Format::Json | Format::Jsonl => render::json::line(&serde_json::json!({
            "root": context.engine.root().display().to_string(),
            "index_dir": context.engine.home().display().to_string(),
            "files": report.files, "parsed": report.parsed, "reused": report.reused, "removed": report.removed,
            "problems": report.problems, "not_encoded": report.not_encoded, "changed": report.changed, "seconds": report.seconds, "link_seconds": report.link_seconds,
        })),
        _ => Printable::text(format!("{}\n", summary(&report))),
    };
    print(&text)?;
    Ok(exit::FOUND)
}

/// One line for people.
pub(crate) fn summary(report: &BuildReport) -> String {
    let BuildReport { files, parsed, reused, removed, problems, not_encoded, changed, seconds, .. } = report;
    if !changed {
        return format!("up to date: {}, nothing changed ({seconds:.2} s)", counted(*files, "file"));
    }
    let files = counted(*files, "file");
    let mut text = format!("indexed {files} in {seconds:.2} s ({parsed} parsed, {reused} reused");
    if *removed > 0 {
        text.push_str(&format!(", {removed} removed"));
    }
    text.push(')');
    if *not_encoded > 0 {
        text.push_str(&format!(
            "; {} without meaning: the next `cds index` tries again",
            counted(*not_encoded, "chunk")
        ));
    }
    if *problems > 0 {
        text.push_str(&format!("; {}, see `cds status --problems`", counted(*problems, "problem")));
    }
    text
}
