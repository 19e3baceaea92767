//! Git operations on a tree, as people and tools run them: real commands in a real repository.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::edits::Edited;

/// A tree under version control.
pub(crate) struct Repository {
    pub(crate) edited: Edited,
    /// Another repository, which becomes a submodule.
    other: tempfile::TempDir,
    branches: usize,
}

/// An operation and how it is called in the log. Those that fail, because git refuses, change nothing or are aborted.
type Operation = (&'static str, fn(&mut Repository));

const OPERATIONS: &[Operation] = &[
    ("commit", Repository::commit),
    ("checkout", Repository::checkout),
    ("stash", Repository::stash),
    ("stash pop", |repository| {
        repository.git(&["stash", "pop"]);
    }),
    ("rebase", Repository::rebase),
    ("merge", Repository::merge),
    ("rename a folder", Repository::rename_folder),
    ("add a submodule", Repository::add_submodule),
    ("remove a submodule", Repository::remove_submodule),
    ("add a worktree", Repository::add_worktree),
    ("remove a worktree", Repository::remove_worktree),
    ("sparse checkout", Repository::sparse),
    ("end of sparse checkout", |repository| {
        repository.git(&["sparse-checkout", "disable"]);
    }),
    ("clean", |repository| {
        repository.git(&["clean", "-fdq", "-e", ".cds-index"]);
    }),
    ("info/exclude", Repository::exclude),
    ("reset", |repository| {
        repository.git(&["reset", "-q", "--hard"]);
    }),
];

impl Repository {
    pub(crate) fn new(edited: Edited) -> Repository {
        let other = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(other.path().join("library.py"), "def shelve(book):\n    return book\n").expect("it is written");
        std::fs::write(other.path().join(".gitignore"), "*.h\n").expect("it is written");
        let repository = Repository { edited, other, branches: 0 };
        for folder in [repository.edited.tree.root(), repository.other.path()] {
            git(folder, &["init", "-q", "-b", "main"]);
            git(folder, &["add", "-A"]);
            assert!(git(folder, &["commit", "-q", "-m", "first"]), "git commits");
        }
        repository
    }

    /// One operation; returns what it was.
    pub(crate) fn step(&mut self) -> String {
        let (name, run) = *self.edited.dice.pick(OPERATIONS);
        run(self);
        // An operation that git refused half-way is taken back.
        for aborted in ["merge", "rebase", "am"] {
            self.git(&[aborted, "--abort"]);
        }
        self.edited.reload();
        if self.edited.files.len() < 20 {
            self.git(&["sparse-checkout", "disable"]);
            self.git(&["reset", "-q", "--hard"]);
            self.git(&["checkout", "-q", "-f", "main"]);
            self.edited.reload();
        }
        format!("git: {name}")
    }

    fn git(&self, arguments: &[&str]) -> bool {
        git(self.edited.tree.root(), arguments)
    }

    fn commit(&mut self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "another"]);
    }

    fn branch(&mut self) -> String {
        self.branches += 1;
        format!("branch{}", self.branches)
    }

    /// An earlier commit, a branch, or a new branch.
    fn checkout(&mut self) {
        let to = match self.edited.dice.below(4) {
            0 => "main".to_owned(),
            1 => format!("branch{}", 1 + self.edited.dice.below(self.branches.max(1))),
            back => format!("HEAD~{back}"),
        };
        let branch = self.branch();
        if self.edited.dice.below(2) == 0 {
            self.git(&["checkout", "-q", "-f", "-B", &branch, &to]);
        } else {
            self.git(&["checkout", "-q", "-f", &to]);
        }
    }

    fn stash(&mut self) {
        self.git(&["stash", "-q", "--include-untracked"]);
    }

    /// Edits some files on a branch that begins at an earlier commit.
    fn diverge(&mut self) -> String {
        self.commit();
        let branch = self.branch();
        self.git(&["branch", "-q", "-f", "before"]);
        self.git(&["checkout", "-q", "-f", "-B", &branch, "HEAD~2"]);
        self.edited.reload();
        for _ in 0..3 {
            let path = self.edited.any_path();
            let bytes = self.edited.files[&path].clone();
            let other = self.edited.other(&bytes);
            self.edited.write(path, other);
        }
        self.commit();
        branch
    }

    fn rebase(&mut self) {
        self.diverge();
        self.git(&["rebase", "-q", "-X", "theirs", "before"]);
    }

    fn merge(&mut self) {
        let branch = self.diverge();
        self.git(&["checkout", "-q", "-f", "before"]);
        self.git(&["merge", "-q", "-X", "ours", "-m", "merged", &branch]);
    }

    fn rename_folder(&mut self) {
        let path = self.edited.any_path();
        let Some((folder, _)) = path.rsplit_once('/') else { return };
        let root = self.edited.tree.root();
        let _ = std::fs::rename(root.join(folder), root.join(format!("{folder}_moved")));
    }

    fn add_submodule(&mut self) {
        let url = self.other.path().to_string_lossy().into_owned();
        self.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-f", &url, "vendor/library"]);
    }

    fn remove_submodule(&mut self) {
        self.git(&["submodule", "--quiet", "deinit", "-f", "vendor/library"]);
        self.git(&["rm", "-q", "-f", "vendor/library"]);
    }

    /// A second checkout inside the tree, of one of its folders: its `.git` is a file.
    fn add_worktree(&mut self) {
        let name = format!("trees/{}", self.edited.dice.below(2));
        let path = self.edited.any_path();
        let folder = path.split('/').next().unwrap_or(&path);
        if self.git(&["worktree", "add", "-q", "-f", "--detach", "--no-checkout", &name, "HEAD~1"]) {
            let worktree = self.edited.tree.root().join(&name);
            git(&worktree, &["sparse-checkout", "set", folder]);
            git(&worktree, &["checkout", "-q"]);
        }
    }

    fn remove_worktree(&mut self) {
        for name in ["trees/0", "trees/1"] {
            self.git(&["worktree", "remove", "-f", name]);
        }
    }

    fn sparse(&mut self) {
        let folders: Vec<String> = (0..3).map(|_| self.edited.any_path()).collect();
        let folders: Vec<&str> =
            folders.iter().filter_map(|path| path.split_once('/').map(|(first, _)| first)).collect();
        self.git(&[&["sparse-checkout", "set"], &folders[..]].concat());
    }

    /// Rules of this clone alone: of the tree, and of a submodule and a worktree where they are.
    fn exclude(&mut self) {
        let path = self.edited.any_path();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let rules = *self.edited.dice.pick(&[name, "*.py", "tests", ""]);
        let folders = [".git/info", ".git/modules/vendor/library/info"];
        let folder = self.edited.tree.root().join(*self.edited.dice.pick(&folders));
        match self.edited.dice.below(3) {
            0 => drop(std::fs::remove_dir_all(&folder)),
            _ if folder.parent().is_some_and(Path::is_dir) => {
                std::fs::create_dir_all(&folder).expect("the folder is made");
                std::fs::write(folder.join("exclude"), format!("{rules}\n")).expect("it is written");
            }
            _ => {}
        }
    }
}

/// Runs git in a folder, apart from the settings of the machine.
fn git(folder: &Path, arguments: &[&str]) -> bool {
    let none = Stdio::null;
    Command::new("git")
        .args(["-c", "user.name=cds", "-c", "user.email=cds@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(none())
        .stdout(none())
        .stderr(none())
        .status()
        .is_ok_and(|status| status.success())
}
