//! A project in a temporary folder, written from one string, and the binary run inside it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder of source, with a home folder of its own: the settings of whoever runs the tests never matter.
pub(crate) struct Project {
    dir: TempDir,
}

/// What a run of the binary left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// One run of the binary that needs more than arguments.
#[derive(Default)]
pub(crate) struct Run<'a> {
    pub(crate) args: &'a [&'a str],
    pub(crate) env: &'a [(&'a str, &'a str)],
    pub(crate) stdin: &'a str,
    /// The folder to run in, relative to the root.
    pub(crate) folder: &'a str,
}

impl Project {
    /// Writes the files of a fixture: a line `//- path` begins each.
    pub(crate) fn new(fixture: &str) -> Project {
        let project = Project { dir: tempfile::tempdir().expect("a temporary folder") };
        std::fs::create_dir_all(project.root()).expect("the root is made");
        std::fs::create_dir_all(project.home()).expect("the home is made");
        let mut file: Option<(&str, String)> = None;
        for line in fixture.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("//- ") {
                if let Some((path, text)) = file.replace((path.trim(), String::new())) {
                    project.write(path, text);
                }
            } else if let Some((_, text)) = &mut file {
                text.push_str(line);
            }
        }
        if let Some((path, text)) = file {
            project.write(path, text);
        }
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("inside the root")).expect("folders are made");
        std::fs::write(path, content).expect("the file is written");
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).expect("the file is removed");
    }

    /// The folder of the current generation.
    pub(crate) fn generation(&self) -> PathBuf {
        let manifest = std::fs::read_to_string(self.path(".cds-index/manifest.json")).expect("a manifest");
        let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
        self.path(".cds-index").join(manifest["generation"].as_str().expect("a generation"))
    }

    /// A command with nothing of the outer environment but what programs need to start.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cds"));
        command.env_clear().current_dir(self.root()).args(args);
        for name in ["PATH", "SystemRoot", "TMPDIR", "TEMP"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", self.home()).env("XDG_CONFIG_HOME", self.home().join(".config"));
        command
    }

    pub(crate) fn run(&self, run: &Run) -> Output {
        let mut command = self.command(run.args);
        command.current_dir(self.path(run.folder)).envs(run.env.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        // A command that does not read its input may be gone already.
        let _ = child.stdin.take().expect("piped").write_all(run.stdin.as_bytes());
        let output = child.wait_with_output().expect("the binary ends");
        Output {
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
            code: output.status.code().expect("no signal"),
        }
    }

    pub(crate) fn cds(&self, args: &[&str]) -> Output {
        self.run(&Run { args, ..Run::default() })
    }

    /// The answer of a command that finds something.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.cds(&[&["--format", "json"], args].concat());
        assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
        serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", output.stdout))
    }

    /// The answer of a command that may find nothing.
    pub(crate) fn json_or_nothing(&self, args: &[&str]) -> Value {
        let output = self.cds(&[&["--format", "json"], args].concat());
        assert!(output.code <= 1, "{args:?}: {}", output.stderr);
        serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", output.stdout))
    }

    /// Ids of the hits of a command that may find nothing, in order.
    pub(crate) fn ids(&self, args: &[&str]) -> Vec<String> {
        column(&self.json_or_nothing(args), "id")
    }
}

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// A number that a long form of a test is asked for with.
pub(crate) fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap_or_else(|e| panic!("{variable}: {e}")))
}

/// Folders of generations and parts in an index: those that are there, and those that its manifest names.
pub(crate) fn index_folders(home: &Path) -> (Vec<String>, Vec<String>) {
    let entries = std::fs::read_dir(home).expect("an index").map(|e| e.expect("an entry"));
    let names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
    let is_ours = |name: &String| name.len() == 7 && name.starts_with(['g', 'p']) && name[1..].parse::<u32>().is_ok();
    let manifest = std::fs::read(home.join("manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    let parts = manifest["parts"].as_array().expect("parts").iter().map(|part| &part["name"]);
    let named =
        std::iter::once(&manifest["generation"]).chain(parts).map(|name| name.as_str().expect("a name").to_owned());
    (sorted(names.filter(is_ours).collect()), sorted(named.collect()))
}

/// One field of each hit, numbers and texts alike; empty where it is left out.
pub(crate) fn column(response: &Value, field: &str) -> Vec<String> {
    let text = |hit: &Value| match &hit[field] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    response["hits"].as_array().expect("hits").iter().map(text).collect()
}

/// The same, sorted: for questions whose answer has no order.
pub(crate) fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

/// Every file below a folder, relative to it, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("a folder").map(|e| e.expect("an entry")) {
            if entry.file_type().expect("a type").is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path();
                files.push(path.strip_prefix(folder).expect("below").to_string_lossy().into_owned());
            }
        }
    }
    files.sort();
    files
}
