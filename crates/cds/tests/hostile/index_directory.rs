//! A project that brings an index directory of its own, or something in its place.

use crate::sandbox::{Case, Sandbox};

const fn rejected(name: &'static str, make: fn(&Sandbox)) -> Case {
    Case::rejected(name, make, ".cds-index")
}

/// What an index that somebody else built may claim of itself.
const MANIFEST: &str =
    "{\"format\":10,\"version\":\"0.1.0\",\"generation\":\"../../outside\",\"parts\":[{\"name\":\"../../outside\"}]}";

pub(crate) const CASES: &[Case] = &[
    rejected("the index is a link to a folder", |s| s.link(".cds-index", s.outside(""))),
    rejected("the index is a link to a file", |s| s.link(".cds-index", s.outside("lock"))),
    rejected("the index is a dangling link", |s| s.link(".cds-index", s.outside("missing"))),
    rejected("the index is a file", |s| s.write(".cds-index", "text")),
    rejected("the index is a pipe", |s| s.fifo(".cds-index")),
    rejected("lock is a link", |s| s.link(".cds-index/lock", s.outside("lock"))),
    rejected("lock is a pipe", |s| s.fifo(".cds-index/lock")),
    rejected("lock is a folder", |s| s.folder(".cds-index/lock/x")),
    rejected("manifest is a link", |s| s.link(".cds-index/manifest.json", s.outside("manifest.json"))),
    rejected("manifest is a pipe", |s| s.fifo(".cds-index/manifest.json")),
    rejected("manifest is a device", |s| s.link(".cds-index/manifest.json", "/dev/zero")),
    rejected("a generation is a link", |s| s.link(".cds-index/g000001", s.outside(""))),
    rejected("a new manifest is a link", |s| s.link(".cds-index/manifest.json.new", s.outside("manifest.json"))),
    rejected("settings of the index are a link", |s| s.link(".cds-index/config.toml", s.outside("lock"))),
    rejected("ignore rules of the index are a link", |s| s.link(".cds-index/.gitignore", s.outside("lock"))),
    rejected("the socket of a service is a link", |s| s.link(".cds-index/service.sock", s.outside("lock"))),
    rejected("other files in the index", |s| s.write(".cds-index/notes.txt", "mine")),
    rejected("links deep inside", |s| {
        s.write(".cds-index/manifest.json", MANIFEST);
        s.link(".cds-index/g000001/graph", s.outside(""));
    }),
    Case::finds("a manifest of somebody else", |s| s.write(".cds-index/manifest.json", MANIFEST)),
    Case::finds("a manifest without sense", |s| s.write(".cds-index/manifest.json", "[".repeat(50_000))),
    Case::finds("an empty index", |s| s.folder(".cds-index")),
    Case::finds("a lock of a process that is gone", |s| {
        s.write(".cds-index/lock", "{\"pid\":1,\"host\":\"elsewhere\"}")
    }),
];
