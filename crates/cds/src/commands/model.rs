//! `cds model`

use cds_engine::KnownModel;

use super::{Context, Done, print};
use crate::args::{Format, ModelCommand};
use crate::output::Printable;
use crate::{exit, render};

pub(crate) fn run(context: &Context, command: ModelCommand) -> Done {
    let engine = &context.engine;
    let as_json = matches!(context.format, Format::Json | Format::Jsonl);
    let text = match command {
        ModelCommand::List => {
            let models = engine.models()?;
            if as_json { render::json::line(&serde_json::json!({ "models": models })) } else { table(&models) }
        }
        ModelCommand::Add { folder, name } => {
            let model = engine.add_model(&folder, name.as_deref())?;
            let KnownModel { name, kind, dimensions, .. } = &model;
            if as_json {
                render::json::line(&model)
            } else {
                line(format_args!(
                    "added {name}: a {kind} model, {dimensions} dimensions. `cds model use {name}` puts it to use"
                ))
            }
        }
        ModelCommand::Use { name, purpose, user } => {
            let (setting, file) = engine.use_model(&name, purpose.as_deref(), user)?;
            let next = if setting == "models.reranker" {
                "`cds search --rerank` uses it"
            } else {
                "`cds index` encodes this project with it"
            };
            line(format_args!("{setting} = {name:?} in {}: {next}", file.display()))
        }
        ModelCommand::Test { name } => {
            let test = engine.test_model(&name)?;
            if as_json {
                render::json::line(&test)
            } else {
                render::plain(|out| {
                    out.line(format_args!("{} model {}", test.kind, test.model));
                    let (load, text) = (test.load_ms, test.text_ms);
                    out.line(format_args!("loads in {load:.1} ms, reads a text in {text:.2} ms"));
                    for (what, result) in &test.results {
                        out.line(format_args!("  {result:>8}  {what}"));
                    }
                    let not = "not sensible: code that answers the question is not ahead";
                    out.line(format_args!("{}", if test.sensible { "ok" } else { not }));
                })
            }
        }
        ModelCommand::Remove { name } => {
            let model = engine.remove_model(&name)?;
            let folder = model.folder.unwrap_or_default();
            line(format_args!("forgot {name}; its files stay in {}", folder.display()))
        }
    };
    print(&text)?;
    Ok(exit::FOUND)
}

fn line(content: std::fmt::Arguments) -> Printable {
    render::plain(|out| out.line(content))
}

fn table(models: &[KnownModel]) -> Printable {
    let width = models.iter().map(|m| m.name.len()).max().unwrap_or(0);
    render::plain(|out| {
        for model in models {
            let used = if model.in_use { "*" } else { " " };
            let size = if model.dimensions > 0 { format!("{} x", model.dimensions) } else { String::new() };
            let place =
                model.folder.as_ref().map_or_else(|| "inside cds".to_owned(), |folder| folder.display().to_string());
            let KnownModel { name, kind, weights, .. } = model;
            out.line(format_args!("{used} {name:width$}  {kind:8}  {size:>8}  {weights:16}  {place}"));
        }
        out.line(format_args!("* is in use"));
    })
}
