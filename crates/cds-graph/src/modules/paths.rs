//! Files, folders and packages of the tree by path and name. Every look-up is recorded.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::package;
use crate::dependencies::{DepKind, Recorder};
use crate::tree::Tree;

pub(super) struct Paths<'a> {
    files: FxHashMap<&'a str, u32>,
    /// By file.
    paths: Vec<&'a str>,
    folder_of: Vec<u32>,
    folders: Vec<Folder>,
    by_folder: FxHashMap<String, u32>,
    /// Files that declare a package, by its name.
    packages: FxHashMap<String, Vec<u32>>,
    /// By the last part of the path: for headers and files that are named from a root that is not known.
    by_name: FxHashMap<&'a str, Vec<u32>>,
}

pub(super) struct Folder {
    pub(super) path: String,
    pub(super) files: Vec<u32>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(tree: &Tree<'a>) -> Paths<'a> {
        let mut paths = Paths {
            files: FxHashMap::with_capacity_and_hasher(tree.file_count(), FxBuildHasher),
            paths: tree.files().iter().map(|f| f.path).collect(),
            folder_of: Vec::with_capacity(tree.file_count()),
            folders: Vec::new(),
            by_folder: FxHashMap::default(),
            packages: FxHashMap::default(),
            by_name: FxHashMap::default(),
        };
        for (file, at) in tree.files().iter().zip(0..) {
            paths.files.insert(file.path, at);
            let folder = paths.add_folder(file.folder());
            paths.folders[folder as usize].files.push(at);
            paths.folder_of.push(folder);
            let name = file.path.rsplit('/').next().unwrap_or_default();
            paths.by_name.entry(name).or_default().push(at);
            if let Some(package) = file.contents().package {
                let name = package::normal(tree.symbols.of(package));
                paths.packages.entry(name).or_default().push(at);
            }
        }
        paths
    }

    fn add_folder(&mut self, path: &str) -> u32 {
        if let Some(&at) = self.by_folder.get(path) {
            return at;
        }
        if let Some((above, _)) = path.rsplit_once('/') {
            self.add_folder(above);
        } else if !path.is_empty() {
            self.add_folder("");
        }
        let at = self.folders.len() as u32;
        self.folders.push(Folder { path: path.to_owned(), files: Vec::new() });
        self.by_folder.insert(path.to_owned(), at);
        at
    }

    pub(super) fn file(&self, path: &str, recorder: &Recorder) -> Option<u32> {
        recorder.text(DepKind::Path, path);
        self.files.get(path).copied()
    }

    pub(super) fn folder(&self, path: &str, recorder: &Recorder) -> Option<u32> {
        recorder.text(DepKind::Folder, path);
        self.by_folder.get(path).copied()
    }

    /// All folders, the outer ones first.
    pub(super) fn all_folders(&self, recorder: &Recorder) -> &[Folder] {
        recorder.text(DepKind::Folders, "");
        &self.folders
    }

    pub(super) fn files_in(&self, folder: u32, recorder: &Recorder) -> &[u32] {
        let folder = &self.folders[folder as usize];
        recorder.text(DepKind::Members, &folder.path);
        &folder.files
    }

    pub(super) fn package_files(&self, name: &str, recorder: &Recorder) -> Option<&[u32]> {
        recorder.text(DepKind::Package, name);
        self.packages.get(name).map(Vec::as_slice)
    }

    pub(super) fn files_named(&self, name: &str, recorder: &Recorder) -> Option<&[u32]> {
        recorder.text(DepKind::FileName, name);
        self.by_name.get(name).map(Vec::as_slice)
    }

    pub(super) fn path_of(&self, file: u32) -> &'a str {
        self.paths[file as usize]
    }

    pub(super) fn folder_path(&self, folder: u32) -> &str {
        &self.folders[folder as usize].path
    }

    /// The folder that a file lies in.
    pub(super) fn folder_of(&self, file: u32) -> u32 {
        self.folder_of[file as usize]
    }

    pub(super) fn package_names(&self) -> impl Iterator<Item = &String> {
        self.packages.keys()
    }
}
