//! Numbers of ranking presets that settings files replace: `[search.preset.rice] dense_weight = 0.7`.

use std::collections::BTreeMap;

use cds_search::{Preset, canonical_number};

use crate::config::Origin;
use crate::settings_file::Scalar;

/// Where the tables of numbers are in a settings file, with the dot before the preset's name.
pub(crate) const TABLES: &str = "search.preset.";

/// One number of a preset, as a settings file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetNumber {
    /// The preset.
    pub preset: &'static str,
    /// The number, as written.
    pub name: String,
    /// Its value; switches are 0 or 1.
    pub value: f32,
    /// The file.
    pub origin: Origin,
}

/// Every number that settings replace, by preset and canonical name. Later layers replace earlier ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct PresetNumbers(BTreeMap<(&'static str, String), PresetNumber>);

impl PresetNumbers {
    /// Adds `NAME.NUMBER = value`, the key without [`TABLES`]. Rejects presets and numbers that do not exist and values out of bounds.
    pub(crate) fn add(&mut self, key: &str, value: Option<&Scalar>, origin: Origin) -> Result<(), String> {
        let (preset, name) = key.split_once('.').ok_or_else(|| format!("{TABLES}{key} must be a table of numbers"))?;
        let preset = Preset::find(preset).map_err(|e| e.to_string())?;
        let number = match value {
            Some(Scalar::Other(text)) if text == "true" => Some(1.0),
            Some(Scalar::Other(text)) if text == "false" => Some(0.0),
            Some(Scalar::Other(text)) => text.replace('_', "").parse().ok(),
            Some(Scalar::Text(_)) | None => None,
        };
        let value = number.ok_or_else(|| format!("{TABLES}{key} must be a number, true or false"))?;
        preset.clone().set(name, value).map_err(|e| e.to_string().replacen("set: ", "", 1))?;
        let number = PresetNumber { preset: preset.name, name: name.to_owned(), value, origin };
        self.0.insert((preset.name, canonical_number(name).to_owned()), number);
        Ok(())
    }

    /// All of them, by preset and canonical name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &PresetNumber> {
        self.0.values()
    }

    /// Those of one preset.
    pub(crate) fn of(&self, preset: &str) -> impl Iterator<Item = &PresetNumber> {
        self.0.values().filter(move |number| number.preset == preset)
    }
}
