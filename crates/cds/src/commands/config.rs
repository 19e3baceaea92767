//! `cds config`

use serde_json::{Value, json};

use super::{Context, Done, print};
use crate::args::{ConfigArgs, Format};
use crate::output::Printable;
use crate::{exit, render};

pub(crate) fn run(args: &ConfigArgs, context: &Context) -> Done {
    print(&match &args.preset {
        Some(name) => preset(name, context)?,
        None => settings(context),
    })?;
    Ok(exit::FOUND)
}

/// Every setting, then the numbers of presets that files replace.
fn settings(context: &Context) -> Printable {
    let config = context.engine.config();
    if is_json(context) {
        let settings = config.rows().map(|(setting, value, origin)| {
            json!({
                "key": setting.key, "value": value,
                "origin": origin.to_string(), "about": setting.about, "env": setting.env,
            })
        });
        let numbers = config.preset_numbers().map(|number| {
            let key = format!("search.preset.{}.{}", number.preset, number.name);
            json!({ "key": key, "value": number.value, "origin": number.origin.to_string() })
        });
        let rows: Vec<Value> = settings.chain(numbers).collect();
        return render::json::line(&rows);
    }
    render::plain(|out| {
        for (setting, value, origin) in config.rows() {
            let value = value.to_string();
            out.line(format_args!("{:<24} {:<12} {origin:<14} # {}", setting.key, value, setting.about));
        }
        for number in config.preset_numbers() {
            let key = format!("search.preset.{}.{}", number.preset, number.name);
            out.line(format_args!("{key:<24} {:<12} {}", number.value, number.origin));
        }
    })
}

/// Every number of one preset.
fn preset(name: &str, context: &Context) -> Result<Printable, cds_engine::Error> {
    let values = context.engine.config().preset_values(name)?;
    if is_json(context) {
        let row = |(name, value, origin): &(&str, f32, cds_engine::Origin)| json!({ "name": name, "value": value, "origin": origin.to_string() });
        return Ok(render::json::line(&values.iter().map(row).collect::<Vec<Value>>()));
    }
    Ok(render::plain(|out| {
        for (name, value, origin) in &values {
            out.line(format_args!("{name:<26} {value:<8} {origin}"));
        }
    }))
}

fn is_json(context: &Context) -> bool {
    matches!(context.format, Format::Json | Format::Jsonl)
}
