//! Any text is settings or a mistake with its place.

use cds_engine::{Config, Engine, SETTINGS, Value};
use tempfile::TempDir;

thread_local! {
    static ROOT: TempDir = tempfile::tempdir().expect("a temporary folder");
}

/// The bytes are `.cds.toml`; each line is also the value of every setting, as a variable or a flag would give it.
pub fn settings(data: &[u8]) {
    ROOT.with(|root| {
        std::fs::write(root.path().join(".cds.toml"), data).expect("the settings are written");
        match Config::load(root.path(), |_| None) {
            Ok(config) => {
                read(&config);
                // A folder of languages may be anywhere: only the input is to decide what is read.
                if config.text("index.languages").is_empty() {
                    let _ = Engine::open(root.path(), config);
                }
            }
            Err(error) => {
                assert!(error.place.contains(".cds.toml"), "no place: {error}");
                assert!(!error.message.is_empty(), "no message: {error}");
            }
        }
    });
    let text = String::from_utf8_lossy(data);
    let mut config = Config::default();
    for line in text.lines().take(8) {
        for setting in SETTINGS {
            let _ = config.set(setting.key, line);
        }
        assert!(config.set(line, "1").is_ok() <= SETTINGS.iter().any(|s| s.key == line), "{line:?} is no setting");
    }
    read(&config);
}

/// Every value has the type of its default, or asking for it would panic.
fn read(config: &Config) {
    let mut rows = 0;
    for (setting, value, origin) in config.rows() {
        match value {
            Value::Bool(own) => assert_eq!(config.flag(setting.key), *own),
            Value::Number(own) => assert_eq!(config.number(setting.key), *own),
            Value::Text(own) => assert_eq!(config.text(setting.key), own),
        }
        let _ = (value.to_string(), origin.to_string());
        rows += 1;
    }
    assert_eq!(rows, SETTINGS.len(), "a setting without a value");
}
