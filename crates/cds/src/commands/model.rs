//! `cds model`

use cds_engine::KnownModel;

use super::{Context, Done, print};
use crate::args::{Format, ModelCommand};
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
            let next = format!(
                "added {name}: a {kind} model, {dimensions} dimensions. `cds model use {name}` puts it to use\n"
            );
            if as_json { render::json::line(&model) } else { next }
        }
        ModelCommand::Use { name, purpose, user } => {
            let (setting, file) = engine.use_model(&name, purpose.as_deref(), user)?;
            let next = if setting == "models.reranker" {
                "`cds search --rerank` uses it"
            } else {
                "`cds index` encodes this project with it"
            };
            format!("{setting} = {name:?} in {}: {next}\n", file.display())
        }
        ModelCommand::Test { name } => {
            let test = engine.test_model(&name)?;
            if as_json {
                render::json::line(&test)
            } else {
                let mut text = format!("{} model {}\n", test.kind, test.model);
                text.push_str(&format!("loads in {:.1} ms, reads a text in {:.2} ms\n", test.load_ms, test.text_ms));
                for (what, result) in &test.results {
                    text.push_str(&format!("  {result:>8}  {what}\n"));
                }
                text.push_str(if test.sensible {
                    "ok\n"
                } else {
                    "not sensible: code that answers the question is not ahead\n"
                });
                text
            }
        }
        ModelCommand::Remove { name } => {
            let model = engine.remove_model(&name)?;
            let folder = model.folder.unwrap_or_default();
            format!("forgot {name}; its files stay in {}\n", folder.display())
        }
    };
    print(&text)?;
    Ok(exit::FOUND)
}

fn table(models: &[KnownModel]) -> String {
    let width = models.iter().map(|m| m.name.len()).max().unwrap_or(0);
    let row = |model: &KnownModel| {
        let used = if model.in_use { "*" } else { " " };
        let size = if model.dimensions > 0 { format!("{} x", model.dimensions) } else { String::new() };
        let place =
            model.folder.as_ref().map_or_else(|| "inside cds".to_owned(), |folder| folder.display().to_string());
        format!("{used} {:width$}  {:8}  {size:>8}  {:16}  {place}\n", model.name, model.kind, model.weights)
    };
    let rows: String = models.iter().map(row).collect();
    format!("{rows}* is in use\n")
}
