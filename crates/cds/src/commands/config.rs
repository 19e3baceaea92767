//! `cds config`

use super::{Context, Done, print};
use crate::args::Format;
use crate::{exit, render};

pub(crate) fn run(context: &Context) -> Done {
    let config = context.engine.config();
    let text = match context.format {
        Format::Json | Format::Jsonl => {
            let rows: Vec<serde_json::Value> = config
                .rows()
                .map(|(setting, value, origin)| {
                    serde_json::json!({
                        "key": setting.key, "value": value,
                        "origin": origin.to_string(), "about": setting.about, "env": setting.env,
                    })
                })
                .collect();
            render::json::line(&rows)
        }
        _ => render::plain(|out| {
            for (setting, value, origin) in config.rows() {
                let value = value.to_string();
                out.line(format_args!("{:<24} {:<12} {origin:<14} # {}", setting.key, value, setting.about));
            }
        }),
    };
    print(&text)?;
    Ok(exit::FOUND)
}
