//! A tree in a temporary folder, written from one string, and the snapshot of it.

use std::sync::atomic::AtomicBool;

use cds_encode::Models;
use cds_index::{Build, BuildOptions, Registry, Snapshot, index_home};
use cds_model::{Filters, Granularity, Hit, Query};
use cds_search::{Outcome, SearchOptions, Tools};
use tempfile::TempDir;

pub(crate) struct Tree {
    // The folder lives as long as its snapshot.
    _dir: TempDir,
    pub(crate) snapshot: Snapshot,
    pub(crate) tools: Tools,
}

/// A query for entities in the default preset.
pub(crate) fn query(text: &str) -> Query {
    Query {
        text: text.to_owned(),
        limit: 20,
        granularity: Granularity::Entity,
        chunks_per_file: 3,
        filters: Filters::default(),
        preset: "default".to_owned(),
    }
}

/// Options that replace numbers of the preset.
pub(crate) fn set(numbers: &[(&str, f32)]) -> SearchOptions {
    let set = numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    SearchOptions { set, ..SearchOptions::default() }
}

/// The same by words alone: no signals, every field alike.
pub(crate) fn words(text: &str) -> Query {
    Query { preset: "bm25".to_owned(), ..query(text) }
}

impl Tree {
    /// Writes the files of a fixture, where a line `//- path` begins each, and indexes them.
    pub(crate) fn new(fixture: &str) -> Tree {
        let files = fixture.split("//- ").skip(1);
        Tree::of(files.map(|file| file.split_once('\n').expect("a path on a line of its own")))
    }

    pub(crate) fn of<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Tree {
        Tree::with(files, Models::default())
    }

    /// Indexed and asked with these models.
    pub(crate) fn with<'a>(files: impl Iterator<Item = (&'a str, &'a str)>, models: Models) -> Tree {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().expect("inside the root")).expect("folders are made");
            std::fs::write(path, text).expect("the file is written");
        }
        let home = index_home(dir.path());
        cds_index::build(&Build {
            models: &models,
            model_limit: None,
            root: dir.path(),
            home: &home,
            registry: Registry::builtin(),
            options: BuildOptions::default(),
            force: false,
            quick: false,
            seen: None,
            empty: false,
            early: None,
            effort: cds_index::Effort::default(),
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
        })
        .expect("the tree is indexed");
        let tools = Tools { models, ..Tools::default() };
        Tree { snapshot: Snapshot::open(&home).expect("the index opens"), tools, _dir: dir }
    }

    pub(crate) fn search(&self, query: &Query) -> Outcome {
        self.search_with(query, &SearchOptions::default())
    }

    pub(crate) fn search_with(&self, query: &Query, options: &SearchOptions) -> Outcome {
        cds_search::search(&self.snapshot, query, options, &self.tools).expect("the query is answered")
    }

    /// What a hit stands for: the id of its entity, else its file and lines.
    pub(crate) fn shown(&self, hit: &Hit) -> String {
        match hit.entity.and_then(|id| self.snapshot.entity(id)) {
            Some(entity) => entity.key(),
            None => {
                let chunk = self.snapshot.chunk(hit.chunk).expect("a chunk of the snapshot");
                let (first, last) = chunk.lines();
                format!("{}:{first}-{last}", self.path(hit))
            }
        }
    }

    pub(crate) fn path(&self, hit: &Hit) -> String {
        let chunk = self.snapshot.chunk(hit.chunk).expect("a chunk of the snapshot");
        chunk.document().expect("its file").path().to_owned()
    }

    /// What the hits of a query stand for, in order.
    pub(crate) fn found(&self, query: &Query) -> Vec<String> {
        self.search(query).hits.iter().map(|hit| self.shown(hit)).collect()
    }

    /// The same where the order is not the question.
    pub(crate) fn found_sorted(&self, query: &Query) -> Vec<String> {
        let mut found = self.found(query);
        found.sort();
        found
    }
}
