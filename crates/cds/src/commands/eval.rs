//! `cds eval`

use std::path::Path;

use cds_engine::{Engine, Error, ErrorKind, Hooks, counted};
use cds_eval::{Evaluation, Host, Job, KnownRepo, Places};
use clap::Parser;
use serde::Serialize;

use super::search::request;
use super::{Context, Done, found, input, note, open, print};
use crate::args::{Against, Common, EvalArgs};
use crate::{progress, render};

pub(crate) fn run(context: &Context, common: &Common, args: EvalArgs) -> Done {
    let questions = cds_eval::parse_set(&args.queries.display().to_string(), &read(&args.queries)?)?;
    let against = args.against.as_deref().map(against).transpose()?;
    let known = args.repos_file.as_deref().map_or_else(|| Ok(Vec::new()), known_repos)?;
    let places = Places { repos: args.repos, known, root: context.engine.root().to_owned() };
    let job = Job {
        questions: &questions,
        places: &places,
        options: request(String::new(), args.how),
        against: against.map(|options| request(String::new(), options.how)),
        worst: args.worst,
    };
    let host = Host {
        open: &|tree| {
            let mut common = common.clone();
            if places.repos.is_some() {
                common.index_dir = common.index_dir.map(|dir| dir.join(&tree.name));
            }
            open(&common, &tree.folder, None, None)
        },
        index: &|engine| {
            let work = |engine: &Engine, hooks: &Hooks| {
                if common.no_update { engine.ensure_indexed(hooks) } else { engine.index(false, hooks).map(Some) }
            };
            progress::with_bar(engine, work).map(drop)
        },
    };
    let evaluation = cds_eval::evaluate(&job, &host)?;
    warn(&evaluation);
    if let Some(file) = &args.predictions {
        write(file, &cds_eval::predictions(&evaluation.outcomes))?;
    }
    if let Some(file) = &args.details {
        write(file, &evaluation.outcomes)?;
    }
    print(&render::eval::evaluation(&evaluation, args.against.as_deref(), context))?;
    Ok(found(evaluation.missing.is_empty()))
}

fn warn(evaluation: &Evaluation) {
    for (warning, times) in &evaluation.warnings {
        note(&format!("{times} of {}: {warning}", counted(evaluation.questions, "question")));
    }
    for missing in &evaluation.missing {
        let lost = counted(missing.questions, "question");
        note(&format!("{}: {}; not answered: {lost}", missing.folder, missing.reason));
    }
}

fn against(text: &str) -> Result<Against, Error> {
    let words = cds_eval::split_options(text)?;
    Against::try_parse_from(words).map_err(|e| {
        let told = e.to_string();
        let first = told.lines().next().unwrap_or_default();
        let message = format!("--against: {}", first.strip_prefix("error: ").unwrap_or(first));
        Error { kind: ErrorKind::Invalid, message }
    })
}

/// Folders that the file names are relative to the file.
fn known_repos(file: &Path) -> Result<Vec<KnownRepo>, Error> {
    let mut known = cds_eval::parse_repos(&file.display().to_string(), &read(file)?)?;
    for path in known.iter_mut().filter_map(|repo| repo.path.as_mut()) {
        *path = file.parent().unwrap_or(Path::new("")).join(&*path);
    }
    Ok(known)
}

fn read(file: &Path) -> Result<String, Error> {
    input::file(file, input::MAX_QUESTIONS)
}

fn write(file: &Path, lines: &[impl Serialize]) -> Result<(), Error> {
    std::fs::write(file, render::json::lines(lines).as_str()).map_err(|e| io(file, &e))
}

fn io(file: &Path, error: &std::io::Error) -> Error {
    Error { kind: ErrorKind::Io, message: format!("{}: {error}", file.display()) }
}
