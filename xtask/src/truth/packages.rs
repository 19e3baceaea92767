//! The packages whose graph is measured, as trees on the disk, and the SCIP index of each. Both are made once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::scip::{self, Document};
use crate::trees;

/// A package and the part of it that is source. What a build or a bundler wrote is left out, since it says everything
/// twice, and so are tests, which wheels do not carry either.
pub(crate) struct Package {
    pub name: &'static str,
    pub version: &'static str,
    pub language: Language,
    keep: &'static [&'static str],
    /// More compiler options, as the package's own repository has them.
    options: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Language {
    Python,
    Script,
}

impl Language {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Script => "TypeScript and JavaScript",
        }
    }
}

/// Small enough that both indexers finish within a minute, and of different habits: typed and untyped, classes and
/// functions, modules and CommonJS. A package of npm is here only if its tarball has the source.
pub(crate) const PACKAGES: &[Package] = &[
    python("click", "8.1.7"),
    python("flask", "3.0.3"),
    python("httpx", "0.27.2"),
    python("requests", "2.32.3"),
    python("rich", "13.9.4"),
    script("axios", "1.21.1", &["index.js", "lib"]),
    script("commander", "14.0.3", &["index.js", "lib"]),
    script("express", "5.3.0", &["index.js", "lib"]),
    script("mobx", "7.1.3", &["src"]),
    script("rxjs", "7.8.2", &["src"]),
    Package { options: r#", "customConditions": ["@zod/source"]"#, ..script("zod", "4.6.7", &["src"]) },
];

/// Folders of tests and the like.
const LEFT_OUT: &[&str] = &["__tests__", "benchmarks", "test", "tests"];

const TOOLS: &[&str] = &[
    "@sourcegraph/scip-python@0.6.6",
    "@sourcegraph/scip-typescript@0.4.0",
    "@colbymchenry/codegraph-linux-x64@1.6.1",
];

const fn python(name: &'static str, version: &'static str) -> Package {
    Package { name, version, language: Language::Python, keep: &[], options: "" }
}

const fn script(name: &'static str, version: &'static str, keep: &'static [&'static str]) -> Package {
    Package { name, version, language: Language::Script, keep, options: "" }
}

/// Where packages, indexes and tools are kept.
pub(crate) struct Store {
    pub root: PathBuf,
}

impl Store {
    pub(crate) fn open(root: &Path) -> Result<Self> {
        std::fs::create_dir_all(root)?;
        Ok(Self { root: root.canonicalize()? })
    }

    /// A program from npm, below the folder of installed packages.
    pub(crate) fn tool(&self, program: &str) -> Result<PathBuf> {
        let tools = self.root.join("tools");
        let program = tools.join("node_modules").join(program);
        if !program.exists() {
            eprintln!("fetching {}", TOOLS.join(", "));
            std::fs::create_dir_all(&tools)?;
            trees::run(
                Command::new("npm")
                    .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
                    .arg(&tools)
                    .args(TOOLS),
            )?;
        }
        Ok(program)
    }

    /// The package's source.
    pub(crate) fn tree(&self, package: &Package) -> Result<PathBuf> {
        let tree = self.root.join("packages").join(package.name);
        if tree.exists() {
            return Ok(tree);
        }
        let partial = self.root.join("packages").join(format!("{}.partial", package.name));
        let _ = std::fs::remove_dir_all(&partial);
        match package.language {
            Language::Python => {
                let unpacked = trees::wheel(&format!("{}=={}", package.name, package.version))?;
                copy(&unpacked.join(package.name), &partial.join(package.name))?;
            }
            Language::Script => {
                let unpacked = trees::tarball(&format!("{}@{}", package.name, package.version))?;
                for kept in package.keep.iter().chain(&["package.json"]) {
                    copy(&unpacked.join(kept), &partial.join(kept))?;
                }
                std::fs::write(partial.join("tsconfig.json"), settings(package))?;
            }
        }
        std::fs::rename(&partial, &tree)?;
        Ok(tree)
    }

    /// What the compiler knows about the package.
    pub(crate) fn index(&self, package: &Package) -> Result<Vec<Document>> {
        let tree = self.tree(package)?;
        let index = self.root.join(format!("{}.scip", package.name));
        if !index.exists() {
            eprintln!("indexing {} with its compiler", package.name);
            let partial = self.root.join("partial.scip");
            let mut command = match package.language {
                Language::Python => {
                    // An empty list of installed packages: what a package imports from elsewhere is elsewhere.
                    let environment = self.root.join("environment.json");
                    std::fs::write(&environment, "[]")?;
                    let mut command = Command::new(self.tool(".bin/scip-python")?);
                    command.args(["index", ".", "--project-name", package.name, "--project-version", package.version]);
                    command.arg("--environment").arg(environment);
                    command
                }
                Language::Script => {
                    let mut command = Command::new(self.tool(".bin/scip-typescript")?);
                    command.args(["index", "--no-progress-bar"]);
                    command
                }
            };
            trees::run(command.arg("--output").arg(&partial).current_dir(&tree).stdout(Stdio::null()))?;
            std::fs::rename(&partial, &index)?;
        }
        scip::decode(&std::fs::read(&index)?).with_context(|| format!("{}: remove it to index again", index.display()))
    }
}

fn settings(package: &Package) -> String {
    format!(
        r#"{{
  "compilerOptions": {{
    "allowJs": true, "checkJs": true, "strict": true, "noEmit": true, "skipLibCheck": true, "types": [],
    "target": "es2022", "lib": ["es2022", "dom", "dom.iterable"], "module": "esnext", "moduleResolution": "bundler",
    "allowImportingTsExtensions": true{}
  }},
  "include": ["**/*"]
}}
"#,
        package.options
    )
}

/// Copies a file or a folder without [`LEFT_OUT`].
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_file() {
        std::fs::create_dir_all(to.parent().context("a file has a folder")?)?;
        std::fs::copy(from, to)?;
        return Ok(());
    }
    for entry in std::fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !LEFT_OUT.contains(&&*name) {
            copy(&entry.path(), &to.join(&*name))?;
        }
    }
    Ok(())
}
