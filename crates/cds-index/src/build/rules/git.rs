//! Where git keeps rules outside `.gitignore` files: `info/exclude` of each repository, and the file that `core.excludesFile` names.
//!
//! Paths come from files that anybody may have written. They are opened as the owner's files are, with a limit and only if they are regular, and
//! nothing of them is shown: all they can do is leave files of the project out.

use std::path::{Path, PathBuf};

use crate::disk::{self, Kind, open_owner_file};

/// The most bytes of a `.git` file or a `commondir` file: they hold one path.
const MAX_POINTER: u64 = 64 << 10;
/// The most bytes of a configuration file of git.
const MAX_CONFIG: u64 = 1_000_000;

/// The folders of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFolders {
    /// What belongs to one working tree: `HEAD`.
    pub own: PathBuf,
    /// What all working trees share: `info/exclude` and `config`.
    pub common: PathBuf,
    /// Files that named these folders.
    pub(crate) pointers: Vec<PathBuf>,
}

impl GitFolders {
    /// Those of a repository with one working tree.
    pub fn at(git: PathBuf) -> GitFolders {
        GitFolders { common: git.clone(), own: git, pointers: Vec::new() }
    }

    /// Those of a working tree, by its `.git`: a folder, or a file that names one, as in other working trees and in submodules.
    pub fn of(folder: &Path) -> Option<GitFolders> {
        let git = folder.join(".git");
        match disk::stat_owner_file(&git)?.0 {
            Kind::Folder => Some(GitFolders::at(git)),
            Kind::File => {
                let own = folder.join(pointer(&git)?.strip_prefix("gitdir:")?.trim());
                let of_common = own.join("commondir");
                let common = pointer(&of_common).map_or_else(|| own.clone(), |common| own.join(common.trim()));
                Some(GitFolders { own, common, pointers: vec![of_common] })
            }
            _ => None,
        }
    }

    /// Rules for one clone alone.
    pub(crate) fn exclude(&self) -> PathBuf {
        self.common.join("info/exclude")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.common.join("config")
    }
}

fn pointer(path: &Path) -> Option<String> {
    let text = open_owner_file(path, MAX_POINTER).and_then(disk::OpenFile::read_text).ok()?;
    Some(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// The environment that git looks at.
#[derive(Clone, Copy)]
pub(crate) struct Environment<'a>(pub(crate) &'a (dyn Fn(&str) -> Option<PathBuf> + Sync));

impl Environment<'static> {
    pub(crate) fn of_process() -> Environment<'static> {
        Environment(&|name| std::env::var_os(name).map(PathBuf::from))
    }
}

impl Environment<'_> {
    fn path(&self, name: &str) -> Option<PathBuf> {
        (self.0)(name).filter(|path| !path.as_os_str().is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| self.path("USERPROFILE"))
    }

    fn config_home(&self) -> Option<PathBuf> {
        self.path("XDG_CONFIG_HOME").or_else(|| Some(self.home()?.join(".config")))
    }

    /// The user's and the machine's configuration files, the strongest first.
    pub(crate) fn configs(&self) -> Vec<PathBuf> {
        let own = match (self.0)("GIT_CONFIG_GLOBAL") {
            Some(path) => vec![path],
            None => {
                let of_home = self.home().map(|home| home.join(".gitconfig"));
                of_home.into_iter().chain(self.config_home().map(|folder| folder.join("git/config"))).collect()
            }
        };
        let system = self.path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
        let system = Some(system).filter(|_| self.path("GIT_CONFIG_NOSYSTEM").is_none());
        own.into_iter().chain(system).filter(|path| path.is_absolute()).collect()
    }

    /// The file of rules that configuration files name, the strongest first, or the one git takes where none does.
    pub(crate) fn excludes_file(&self, configs: &[PathBuf]) -> Option<PathBuf> {
        let named = configs.iter().find_map(|path| excludes_file_in(path));
        let path = match named {
            Some(named) => match named.strip_prefix("~/") {
                Some(below) => self.home()?.join(below),
                None => PathBuf::from(named),
            },
            None => self.config_home()?.join("git/ignore"),
        };
        Some(path).filter(|path| path.is_absolute())
    }
}

/// What a configuration file has as `core.excludesFile`.
pub(crate) fn excludes_file_in(config: &Path) -> Option<String> {
    let text = open_owner_file(config, MAX_CONFIG).and_then(disk::OpenFile::read_text).ok()?;
    excludes_file(&text)
}

/// `include` is not followed.
fn excludes_file(text: &str) -> Option<String> {
    let mut is_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.split(']').next().unwrap_or(section).trim();
            is_core = name.eq_ignore_ascii_case("core");
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_core)
            && key.trim().eq_ignore_ascii_case("excludesfile")
        {
            found = Some(unquoted(value.trim()));
        }
    }
    found.filter(|path| !path.is_empty())
}

/// A value without its quotes, escapes and comment.
fn unquoted(value: &str) -> String {
    let mut text = String::new();
    let mut is_quoted = false;
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => text.extend(chars.next()),
            char => text.push(char),
        }
    }
    if is_quoted { text } else { text.trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::excludes_file;

    #[test]
    fn the_excludes_file_is_found_in_a_configuration() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(excludes_file(text).as_deref(), expect, "{text}");
        check("[core]\n\texcludesFile = /a/b\n", Some("/a/b"));
        check("[CORE]\nEXCLUDESFILE=~/x # mine\n", Some("~/x"));
        check("[core]\n excludesfile = \"/a b;c\" ; other\n", Some("/a b;c"));
        check("[core]\nexcludesfile = /a\n[user]\nexcludesfile = /b\n[core]\nexcludesfile = /c\n", Some("/c"));
        check("[core \"x\"]\nexcludesfile = /a\n", None);
        check("[user]\nname = x\n", None);
        check("", None);
    }
}
