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
        _ => {
            let mut text = String::new();
            for (setting, value, origin) in config.rows() {
                let value = value.to_string();
                text.push_str(&format!("{:<24} {:<12} {origin:<14} # {}\n", setting.key, value, setting.about));
            }
            text
        }
    };
    print(&text)?;
    Ok(exit::FOUND)
}
