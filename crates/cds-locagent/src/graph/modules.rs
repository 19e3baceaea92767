//! Module names to files, as LocAgent does it: from the repository's root and nowhere else.

use std::path::{Path, PathBuf};

use compact_str::CompactString;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::walk::Walk;

/// Which files exist, and what was asked before.
pub(crate) struct Modules {
    root: PathBuf,
    files: FxHashSet<String>,
    linked_directories: Vec<String>,
    known: FxHashMap<CompactString, Option<CompactString>>,
}

impl Modules {
    pub(crate) fn new(root: &Path, walk: &mut Walk) -> Self {
        Self {
            root: root.to_path_buf(),
            files: std::mem::take(&mut walk.modules).into_iter().collect(),
            linked_directories: std::mem::take(&mut walk.linked_directories),
            known: FxHashMap::default(),
        }
    }

    /// `a.b` is `a/b.py`, else `a/b/__init__.py`, else nothing.
    pub(crate) fn resolve(&mut self, module: &str) -> Option<CompactString> {
        if let Some(path) = self.known.get(module) {
            return path.clone();
        }
        let path = self.look_up(module);
        self.known.insert(module.into(), path.clone());
        path
    }

    fn look_up(&self, module: &str) -> Option<CompactString> {
        let path = module.replace('.', "/");
        // `from . import n` at the root asks for `.n`: an absolute path, outside of the repository.
        if path.starts_with('/') {
            return None;
        }
        let package = if path.is_empty() { "__init__.py".to_owned() } else { format!("{path}/__init__.py") };
        [path + ".py", package].into_iter().find(|candidate| self.is_file(candidate)).map(CompactString::from)
    }

    /// Whether links lead to a file, and stay within the root: what is outside of it makes no difference.
    fn is_file_within(&self, path: &str) -> bool {
        let behind = |path: &Path| path.canonicalize().ok();
        let (file, root) = (behind(&self.root.join(path)), behind(&self.root));
        file.zip(root).is_some_and(|(file, root)| file.starts_with(root) && file.is_file())
    }

    fn is_file(&self, path: &str) -> bool {
        let through_link = || {
            self.linked_directories
                .iter()
                .any(|link| path.strip_prefix(link.as_str()).is_some_and(|rest| rest.starts_with('/')))
        };
        self.files.contains(path)
            || (!self.linked_directories.is_empty() && through_link() && self.is_file_within(path))
    }
}

/// The module that `from` names in a file: level 1 is the file's own folder, for a package's `__init__.py` too.
pub(crate) fn absolute_module(file: &str, level: u32, module: &str) -> CompactString {
    if level == 0 {
        return module.into();
    }
    let parts: Vec<&str> = file.split('/').collect();
    let kept = parts.len().saturating_sub(level as usize);
    let mut name = CompactString::from(parts[..kept].join("."));
    if !module.is_empty() {
        if kept > 0 {
            name.push('.');
        }
        name.push_str(module);
    }
    name
}
