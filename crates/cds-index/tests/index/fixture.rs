//! A tree in a temporary folder, written from one string, and builds of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use cds_encode::Models;
use cds_index::{Build, BuildOptions, BuildReport, Progress, Registry, Result, Snapshot, index_home};
use tempfile::TempDir;

static NEVER: AtomicBool = AtomicBool::new(false);

pub(crate) struct Tree {
    dir: TempDir,
    home: PathBuf,
    pub(crate) options: BuildOptions,
    pub(crate) models: Models,
}

impl Tree {
    /// Writes the files of a fixture: a line `//- path` begins each.
    pub(crate) fn new(fixture: &str) -> Tree {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let tree =
            Tree { home: index_home(dir.path()), dir, options: BuildOptions::default(), models: Models::default() };
        tree.write_all(fixture);
        tree
    }

    /// Writes the files of a fixture over those that are there.
    pub(crate) fn write_all(&self, fixture: &str) {
        for file in fixture.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').expect("a path on a line of its own");
            self.write(path, text);
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("inside the root")).expect("folders are made");
        std::fs::write(path, text).expect("the file is written");
    }

    /// Makes the next updates of a small tree partial, as those of a large one are. A file is added that nothing refers to and that is larger
    /// than all edits, and times become so old that they are trusted: otherwise everything would be written and linked again.
    pub(crate) fn settle(&self) {
        self.write("ballast.md", "# Ballast\n\nNothing refers to this line of text.\n\n".repeat(400));
        std::thread::sleep(std::time::Duration::from_millis(30));
    }

    pub(crate) fn build(&self) -> BuildReport {
        self.try_build(|_| {}).expect("the tree is indexed")
    }

    /// A build whose parts are changed before it runs.
    pub(crate) fn try_build<'a>(&'a self, change: impl FnOnce(&mut Build<'a>)) -> Result<BuildReport> {
        let mut build = Build {
            models: &self.models,
            model_limit: None,
            root: self.root(),
            home: &self.home,
            registry: Registry::builtin(),
            options: self.options.clone(),
            force: false,
            quick: false,
            seen: None,
            empty: false,
            early: None,
            // A process that another test starts holds our locks until it has begun: between fork and exec.
            effort: cds_index::Effort { wait: std::time::Duration::from_secs(20), ..cds_index::Effort::default() },
            cancel: &NEVER,
            progress: &|_: Progress| {},
        };
        change(&mut build);
        cds_index::build(&build)
    }

    pub(crate) fn open(&self) -> Snapshot {
        Snapshot::open(&self.home).expect("the index opens")
    }

    pub(crate) fn built(&self) -> Snapshot {
        self.build();
        self.open()
    }

    /// A file or folder of the current generation, or of its newest part.
    pub(crate) fn stored(&self, name: &str) -> PathBuf {
        let snapshot = self.open();
        let manifest = snapshot.manifest();
        let part = &manifest.parts.last().expect("there is a part").name;
        let places = [&manifest.generation, part].map(|folder| self.home.join(folder).join(name));
        places.into_iter().find(|path| path.exists()).expect("it is stored")
    }
}

/// Paths of all files.
pub(crate) fn paths(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.documents().map(|d| d.path()).collect()
}
