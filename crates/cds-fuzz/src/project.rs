//! A small project with an index whose files can be damaged and put back.

use std::path::{Path, PathBuf};

use cds_engine::{Config, Engine, ErrorKind, Hooks};
use tempfile::TempDir;

/// Files by path: what is indexed.
pub type Source = &'static [(&'static str, &'static str)];

/// A project in a temporary folder, indexed.
pub struct Indexed {
    folder: TempDir,
    home: PathBuf,
    source: Source,
    /// Files of the index, relative to its folder, and their bytes.
    whole: Vec<(PathBuf, Vec<u8>)>,
}

impl Indexed {
    /// Names, calls, an import, a heading, a base and text that is not ASCII: a row in most tables.
    pub const SOURCE: Source = &[
        (
            "app/main.py",
            "from app.store import Store\n\nLIMIT = 3\n\nclass Cache(Store):\n    \"\"\"Keeps what was read.\"\"\"\n\n    def first(self):\n        return self.load(LIMIT)\n",
        ),
        ("app/store.py", "class Store:\n    def load(self, limit):\n        return limit  # naïve\n"),
        ("lib.rs", "/// Says hello.\npub fn second() {\n    helper();\n}\n\nfn helper() {}\n"),
        ("notes.md", "# First\n\nWords about the second.\n"),
    ];

    /// Writes the files and indexes them.
    pub fn new(source: Source) -> Indexed {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in source {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a file stands in a folder")).expect("a folder is made");
            std::fs::write(path, text).expect("a file is written");
        }
        let engine = Engine::open(folder.path(), Config::default()).expect("the folder is there");
        engine.index(true, &Hooks::default()).expect("it is indexed");
        let home = engine.home().to_owned();
        let mut whole = Vec::new();
        collect(&home, &home, &mut whole);
        // Segments of the text index have names by chance, their endings do not: in this order the same file has the same
        // place in every run.
        whole.sort_by_key(|(path, _)| (path.extension().map(ToOwned::to_owned), path.clone()));
        Indexed { folder, home, source, whole }
    }

    /// Opens it anew: a snapshot that is open keeps what it mapped.
    pub fn engine(&self) -> Engine {
        Engine::open(self.folder.path(), Config::default()).expect("the folder is there")
    }

    /// What was indexed at a path.
    pub fn text(&self, path: &str) -> Option<&'static str> {
        self.source.iter().find(|(own, _)| *own == path).map(|(_, text)| *text)
    }

    /// Files of the index with their bytes, in a stable order.
    pub fn files(&self) -> &[(PathBuf, Vec<u8>)] {
        &self.whole
    }

    /// Writes other bytes over a file of the index; none removes it. No engine may be open: bytes that are mapped must not
    /// go away.
    pub fn damage(&self, file: &Path, bytes: Option<&[u8]>) {
        let path = self.home.join(file);
        match bytes {
            Some(bytes) => std::fs::write(path, bytes).expect("damage is written"),
            None => std::fs::remove_file(path).expect("a file is removed"),
        }
    }

    /// Puts a file back as it was.
    pub fn heal(&self, file: &Path) {
        let (_, bytes) = self.whole.iter().find(|(own, _)| own == file).expect("a file of the index");
        self.damage(file, Some(bytes));
    }
}

fn collect(home: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("the index can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(home, &path, files);
        } else {
            let bytes = std::fs::read(&path).expect("a file of the index");
            files.push((path.strip_prefix(home).expect("it stands in the index").to_owned(), bytes));
        }
    }
}

/// An answer from damaged bytes may be an error, if it says what to do. That a thing is not there, or is named twice, is for
/// the caller to act on; what the system refuses is told with the file it refused. A fault of ours is not an answer.
pub(crate) fn is_told(error: &cds_engine::Error) -> bool {
    match error.kind {
        ErrorKind::NotReady => error.message.contains("run `cds index`"),
        ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Io => true,
        _ => false,
    }
}
