//! What a project's own settings may decide.
//!
//! The flags, the environment and the user's file belong to the owner of the machine. `.cds.toml` belongs to the project, which may have
//! been cloned a moment ago from anywhere: it chooses how its own code is indexed and shown, and nothing else. Each row of
//! [`SETTINGS`](crate::SETTINGS) carries a [`ProjectMay`]; a value that it does not permit is an error, never ignored.

use std::path::{Component, Path};

use crate::config::{Setting, Value};
use crate::limits::{ENOUGH, automatic_memory, parse_size};

/// Which values of a setting a project may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectMay {
    /// Every value of the domain: it changes the answers about this project and nothing else.
    Any,
    /// A number up to the owner's.
    AtMost(Zero),
    /// A size up to the owner's; an empty text stands for what cds chooses by itself.
    AtMostSize,
    /// One value: the other one disables a check or takes more of the machine.
    Only(bool),
    /// A folder inside the root, not reached through links.
    PathInside,
    /// The name of a model: a built-in one, or one that the owner added. Neither a service nor a folder.
    Model,
    /// No value, for this reason.
    Never(&'static str),
}

/// What 0 stands for in a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// The lowest value.
    Lowest,
    /// No limit, or as many as there are: the highest value.
    Unlimited,
}

impl Zero {
    fn rank(self, value: u64) -> u64 {
        if self == Zero::Unlimited && value == 0 { u64::MAX } else { value }
    }
}

impl ProjectMay {
    /// What the documentation and `cds config` say.
    pub fn about(self) -> &'static str {
        match self {
            ProjectMay::Any => "yes",
            ProjectMay::AtMost(_) | ProjectMay::AtMostSize => "lower",
            ProjectMay::Only(true) => "true",
            ProjectMay::Only(false) => "false",
            ProjectMay::PathInside => "inside the root",
            ProjectMay::Model => "by name",
            ProjectMay::Never(_) => "no",
        }
    }

    /// Checks a project's value against the owner's.
    pub(crate) fn check(self, row: &Setting, value: &Value, owners: &Value, root: &Path) -> Result<(), String> {
        let key = row.key;
        let never = |why: &str| Err(format!("{key} cannot be set by a project: {why} ({})", owners_way(row)));
        let raised =
            || Err(format!("{key} cannot be raised by a project: {value} is more than {owners} ({})", owners_way(row)));
        match (self, value, owners) {
            (ProjectMay::Never(why), ..) => never(why),
            (ProjectMay::Only(only), Value::Bool(b), _) if *b != only => {
                Err(format!("{key} can only be set to {only} by a project ({})", owners_way(row)))
            }
            (ProjectMay::AtMost(zero), Value::Number(n), Value::Number(most)) if zero.rank(*n) > zero.rank(*most) => {
                raised()
            }
            (ProjectMay::AtMostSize, Value::Text(size), Value::Text(most)) => {
                let bytes = |text: &str| parse_size(text).or_else(automatic_memory).unwrap_or(ENOUGH);
                if bytes(size) > bytes(most) { raised() } else { Ok(()) }
            }
            (ProjectMay::Model, Value::Text(name), _) if name == "service" => never("it names a network service"),
            (ProjectMay::Model, Value::Text(name), _) if name.contains(['/', '\\']) => {
                never("it names a folder; `cds model add FOLDER` gives it a name")
            }
            (ProjectMay::PathInside, Value::Text(path), _) => outside(root, path).map_or(Ok(()), never),
            _ => Ok(()),
        }
    }
}

/// How the owner sets it.
fn owners_way(row: &Setting) -> String {
    let flag = if row.key == "index.dir" { "--index-dir, ".to_owned() } else { String::new() };
    format!("set it with {flag}${} or in the user's config.toml", row.env[0])
}

/// Why a path does not lie inside the root, if it does not. An empty one names the default.
fn outside(root: &Path, path: &str) -> Option<&'static str> {
    let mut at = root.to_owned();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => continue,
            Component::Normal(name) => at.push(name),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Some("it names a path outside the root");
            }
        }
        if std::fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_symlink()) {
            return Some("it names a path through a symbolic link");
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ProjectMay;
    use crate::config::{Config, SETTINGS};

    /// What the owner set, in the same words as the project's value.
    const DEFAULT: &str = "";

    /// Key, owner's value, project's value, why it is rejected. Every setting has a row: a new one is added with the values that an attacker
    /// would choose. Where every value of the domain is harmless, the row has one outside of the domain.
    #[rustfmt::skip]
    const HOSTILE: &[(&str, &str, &str, &str)] = &[
        ("index.comments",         DEFAULT,     "7",                   "must be true or false"),
        ("index.dir",              DEFAULT,     "\"../../.cargo\"",    "cannot be set by a project: it names a path outside the root (set it with --index-dir, $CDS_INDEX_DIR or in the user's config.toml)"),
        ("index.dir",              DEFAULT,     "\"inside\"",          "cannot be set by a project"),
        ("index.jobs",             "4",         "5",                   "cannot be raised by a project: 5 is more than 4"),
        ("index.jobs",             "4",         "0",                   "cannot be raised by a project: 0 is more than 4"),
        ("index.languages",        DEFAULT,     "\"../data\"",         "it names a path outside the root"),
        ("index.languages",        DEFAULT,     "\"/etc\"",            "it names a path outside the root"),
        ("index.languages",        DEFAULT,     "\"link/data\"",       "it names a path through a symbolic link"),
        ("index.max_file_size",    DEFAULT,     "1000001",             "cannot be raised by a project: 1000001 is more than 1000000 (set it with $CDS_MAX_FILE_SIZE or in the user's config.toml)"),
        ("index.max_files",        DEFAULT,     "0",                   "0 is more than 200000"),
        ("index.max_files",        "10",        "11",                  "11 is more than 10"),
        ("index.max_memory",       "\"500M\"",  "\"1G\"",              "\"1G\" is more than \"500M\""),
        ("index.max_memory",       "\"500M\"",  "\"\"",                "\"\" is more than \"500M\""),
        ("index.max_memory",       DEFAULT,     "\"900G\"",            "\"900G\" is more than \"\""),
        ("index.max_memory",       DEFAULT,     "\"1K\"",              "must be at least 32M"),
        ("index.max_total_size",   DEFAULT,     "0",                   "0 is more than 5000000000"),
        ("index.nice",             "true",      "false",               "can only be set to true by a project"),
        ("index.wait",             DEFAULT,     "601",                 "601 is more than 600"),
        ("models.dense",           DEFAULT,     "\"service\"",         "it names a network service"),
        ("models.dense",           DEFAULT,     "\"/opt/model\"",      "it names a folder; `cds model add FOLDER` gives it a name"),
        ("models.dense",           DEFAULT,     "\"../model\"",        "it names a folder"),
        ("models.reranker",        DEFAULT,     "\"models/small\"",    "it names a folder"),
        ("models.service_model",   DEFAULT,     "\"large\"",           "it names a network service"),
        ("models.service_url",     DEFAULT,     "\"http://127.0.0.1\"", "it names a network service"),
        ("models.sparse",          DEFAULT,     "'C:\\model'",          "it names a folder"),
        ("output.color",           DEFAULT,     "\"rainbow\"",         "use auto, always, never"),
        ("output.format",          DEFAULT,     "\"exec\"",            "use human, json, jsonl, toon, markdown, paths"),
        ("search.chunks_per_file", DEFAULT,     "0",                   "must be at least 1"),
        ("search.limit",           DEFAULT,     "1001",                "must be between 1 and 1000"),
        ("search.max_tokens",      "500",       "0",                   "0 is more than 500"),
        ("search.preset",          DEFAULT,     "\"x\"",               "use default, cds-index"),
        ("search.rerank_limit_ms", DEFAULT,     "2001",                "2001 is more than 2000"),
        ("search.snippet",         DEFAULT,     "\"x\"",               "use fold, preview, full"),
        ("search.time_limit_ms",   DEFAULT,     "0",                   "0 is more than 10000"),
        ("search.update",          DEFAULT,     "false",               "can only be set to true by a project"),
        ("search.upper_threshold", DEFAULT,     "-1",                  "must be a whole number"),
        ("watch.debounce_ms",      DEFAULT,     "0",                   "it decides how often this machine looks for changes"),
        ("watch.poll",             DEFAULT,     "86400",               "it decides how often this machine looks for changes"),
    ];

    /// Key, owner's value, project's value: these are the project's to choose.
    #[rustfmt::skip]
    const PERMITTED: &[(&str, &str, &str)] = &[
        ("index.comments",         DEFAULT,     "false"),
        ("index.jobs",             DEFAULT,     "8"),
        ("index.languages",        DEFAULT,     "\"data/languages\""),
        ("index.max_file_size",    DEFAULT,     "1000"),
        ("index.max_file_size",    "5000000",   "4000000"),
        ("index.max_files",        "0",         "900000"),
        ("index.max_memory",       "\"1G\"",    "\"500M\""),
        ("index.max_memory",       DEFAULT,     "\"\""),
        ("index.nice",             DEFAULT,     "true"),
        ("index.wait",             DEFAULT,     "0"),
        ("models.dense",           DEFAULT,     "\"none\""),
        ("models.dense",           DEFAULT,     "\"all-MiniLM-L6-v2\""),
        ("models.reranker",        DEFAULT,     "\"small\""),
        ("output.format",          DEFAULT,     "\"json\""),
        ("search.limit",           "5",         "20"),
        ("search.max_tokens",      DEFAULT,     "1000"),
        ("search.update",          "false",     "true"),
    ];

    struct Loaded {
        dir: tempfile::TempDir,
    }

    impl Loaded {
        fn new() -> Loaded {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(dir.path().join("root")).unwrap();
            std::fs::create_dir_all(dir.path().join("home/cds")).unwrap();
            #[cfg(unix)]
            std::os::unix::fs::symlink("..", dir.path().join("root/link")).unwrap();
            Loaded { dir }
        }

        fn load(&self, key: &str, owners: &str, value: &str, env: Option<(&str, &str)>) -> Result<Config, String> {
            let (section, name) = key.split_once('.').unwrap();
            let file = |path: &str, text: String| std::fs::write(self.dir.path().join(path), text).unwrap();
            let owners = if owners.is_empty() { String::new() } else { format!("[{section}]\n{name} = {owners}\n") };
            file("home/cds/config.toml", owners);
            file("root/.cds.toml", format!("# {name}\n\n[{section}]\n{name} = {value}\n"));
            let home = self.dir.path().join("home").display().to_string();
            let env = |name: &str| match name {
                "XDG_CONFIG_HOME" => Some(home.clone()),
                _ => env.filter(|(own, _)| *own == name).map(|(_, value)| value.to_owned()),
            };
            Config::load(&self.dir.path().join("root"), env).map_err(|e| e.to_string())
        }
    }

    #[test]
    fn a_hostile_value_of_every_setting_is_rejected_with_file_line_and_reason() {
        let loaded = Loaded::new();
        for (key, owners, value, why) in HOSTILE {
            if cfg!(windows) && why.contains("symbolic link") {
                continue;
            }
            let error = loaded.load(key, owners, value, None).map(drop).unwrap_err();
            let place = format!("{}:4: {key} ", loaded.dir.path().join("root/.cds.toml").display());
            assert!(error.starts_with(&place) && error.contains(why), "{error}");
        }
        let covered: BTreeSet<&str> = HOSTILE.iter().map(|(key, ..)| *key).collect();
        for row in SETTINGS {
            assert!(covered.contains(row.key), "{} has no hostile value", row.key);
        }
    }

    #[test]
    fn what_a_project_may_choose_takes_effect() {
        let loaded = Loaded::new();
        for (key, owners, value) in PERMITTED {
            let config = loaded.load(key, owners, value, None).unwrap();
            let (_, found, origin) = config.rows().find(|(row, ..)| row.key == *key).unwrap();
            assert!(found.to_string() == *value && origin.to_string().ends_with(".cds.toml"), "{key} {found} {origin}");
        }
    }

    #[test]
    fn the_environment_is_the_owners_and_wins() {
        let loaded = Loaded::new();
        let check = |owners: &str, value: &str, expect: Option<u64>| {
            let config = loaded.load("index.max_files", "", value, Some(("CDS_MAX_FILES", owners)));
            assert_eq!(config.ok().map(|config| config.number("index.max_files")), expect, "{owners} {value}");
        };
        check("900000", "500000", Some(900_000));
        check("10", "11", None);
        check("0", "0", Some(0));
    }

    #[test]
    fn the_documentation_has_the_rule_of_every_setting() {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md")).unwrap();
        for row in SETTINGS {
            let line = text.lines().find(|line| line.starts_with(&format!("| `{}` |", row.key))).expect(row.key);
            assert_eq!(line.split(" | ").nth(4), Some(row.project.about()), "{}", row.key);
        }
    }

    #[test]
    fn rows_have_defaults_that_a_project_could_repeat() {
        let loaded = Loaded::new();
        for row in SETTINGS {
            let is_own = matches!(row.project, ProjectMay::Never(_)) || row.project == ProjectMay::Only(true);
            let repeated = loaded.load(row.key, DEFAULT, row.default, None);
            assert!(is_own || repeated.is_ok(), "{}", repeated.map(drop).unwrap_err());
        }
    }
}
