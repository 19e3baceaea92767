//! Which files does the code index read, and in which order?

use std::io;
use std::path::{Path, PathBuf};

/// The files of the code index below `root`, as paths relative to it and as paths to read, in index order.
///
/// All `.py` files but tests and what is hidden. Order is that of path components, so `a/b.py` comes before `a.py`. Linked files are read,
/// linked directories are not entered. A hidden component above the root does not count here (LocAgent finds no file at all then).
pub fn code_files(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Found::default();
    found.walk(root)?;
    let rejected = without_extensions(found.rejected);
    let mut files = found.files;
    files.retain(|(name, _)| !is_rejected(parent(name), &rejected));
    files.sort_unstable_by(|a, b| a.0.split('/').cmp(b.0.split('/')));
    Ok(files)
}

#[derive(Default)]
struct Found {
    files: Vec<(String, PathBuf)>,
    /// Directories that an exclusion names.
    rejected: Vec<String>,
}

impl Found {
    fn walk(&mut self, root: &Path) -> io::Result<()> {
        let mut open = vec![(String::new(), root.to_path_buf())];
        while let Some((prefix, dir)) = open.pop() {
            for entry in std::fs::read_dir(&dir)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with('.') {
                    continue;
                }
                let relative = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
                let kind = entry.file_type()?;
                // A link that leads nowhere is no file.
                let Some(is_dir) = (if kind.is_symlink() {
                    entry.path().metadata().ok().map(|m| m.is_dir())
                } else {
                    Some(kind.is_dir())
                }) else {
                    continue;
                };
                if is_dir {
                    if name == "test" || name == "tests" || is_test(&name) {
                        self.rejected.push(relative.clone());
                    }
                    if !kind.is_symlink() {
                        open.push((relative, entry.path()));
                    }
                } else if name.ends_with(".py") && !is_test(&name) {
                    self.files.push((relative, entry.path()));
                }
            }
        }
        Ok(())
    }
}

fn is_test(name: &str) -> bool {
    name.ends_with("_test.py") || name.starts_with("test_") && name.ends_with(".py")
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Sorted, without those that begin with another one.
fn without_extensions(mut paths: Vec<String>) -> Vec<String> {
    paths.sort_unstable();
    paths.dedup_by(|next, kept| next.starts_with(kept.as_str()));
    paths
}

/// A quirk: a directory is left out when its path begins with the *text* of an excluded one, so `pkg/tests` takes `pkg/tests_extra` along,
/// and `pkg/test` takes `pkg/testing`.
fn is_rejected(dir: &str, rejected: &[String]) -> bool {
    let after = rejected.partition_point(|r| r.as_str() <= dir);
    after > 0 && dir.starts_with(rejected[after - 1].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_what_begins_like_them_are_left_out() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let all = [
            "a-b.py",
            "conftest.py",
            "d.py/k.py",
            "pkg/mytest.py",
            "pkg/testing/m.py",
            "pkg/test/m.py",
            "pkg/.hid/m.py",
            "pkg.py",
            "real/m.py",
            "real/test_a.py",
            "real/b_test.py",
            "real/.h.py",
            "test.py",
            "test_top/m.py",
            "real/X.PY",
            "deep/tests/a/b.py",
            "deep/tests_extra/m.py",
        ];
        for path in all {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            std::fs::write(path, "x = 1\n").expect("written");
        }
        let files: Vec<String> = code_files(dir.path()).expect("readable").into_iter().map(|(name, _)| name).collect();
        let expect =
            ["a-b.py", "conftest.py", "d.py/k.py", "pkg/mytest.py", "pkg.py", "real/m.py", "test.py", "test_top/m.py"];
        assert_eq!(files, expect);
    }
}
