//! Damage is an error with a remedy, never a panic, and a build repairs it.

use std::fs;

use cds_index::{Error, FORMAT_VERSION, Manifest, Snapshot};
use cds_model::{ChunkId, EntityId, FileId};

use crate::fixture::{Tree, paths};

const TREE: &str = "//- a.py\nclass A:\n    def first(self):\n        return 1\n//- sub/b.txt\nsecond\n";

const STORED: [&str; 14] = [
    "graph/entities.bin",
    "strings.bin",
    "graph/out.bin",
    "graph/edges.bin",
    "graph/in.bin",
    "indices/documents.bin",
    "indices/chunks.bin",
    "indices/docs.bin",
    "indices/names.bin",
    "indices/uses.bin",
    "files.bin",
    "outlines.bin",
    "names.fst",
    "problems.json",
];

#[test]
fn a_missing_or_cut_file_is_named() {
    let tree = Tree::new(TREE);
    tree.build();
    for name in STORED {
        let path = tree.stored(name);
        let whole = fs::read(&path).unwrap();
        for damage in [None, Some(&whole[..whole.len() - 1]), Some(&[][..])] {
            match damage {
                None => fs::remove_file(&path).unwrap(),
                Some(bytes) => fs::write(&path, bytes).unwrap(),
            }
            let error = match Snapshot::open(tree.home()) {
                Ok(snapshot) => snapshot.problems().map(|_| ()).unwrap_err(),
                Err(error) => error,
            };
            let text = error.to_string();
            assert!(matches!(error, Error::Damaged { .. }), "{name}: {error}");
            assert!(text.contains(name) && text.ends_with("run `cds index` to repair it"), "{text}");
        }
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(paths(&tree.open()), ["a.py", "sub/b.txt"]);
}

#[test]
fn bytes_that_were_overwritten_never_panic() {
    let tree = Tree::new(TREE);
    tree.build();
    for name in STORED {
        let path = tree.stored(name);
        let whole = fs::read(&path).unwrap();
        for byte in [0x00, 0xff, 0x5a] {
            fs::write(&path, vec![byte; whole.len()]).unwrap();
            let Ok(snapshot) = Snapshot::open(tree.home()) else { continue };
            read_everything(&snapshot);
        }
        fs::write(&path, &whole).unwrap();
    }
}

/// Asks for everything there is; answers may be wrong, but they come.
fn read_everything(snapshot: &Snapshot) {
    let _ = snapshot.problems();
    for document in snapshot.documents() {
        let _ = (document.path(), document.language(), document.role(), document.lines(), document.hash());
        let _ = (document.chunks().len(), document.entities().len(), document.entity());
        let _ = (snapshot.load(document.id).is_ok(), snapshot.text(document.id).is_ok());
    }
    for id in 0..snapshot.entity_count() as u32 {
        let entity = snapshot.entity(EntityId(id)).unwrap();
        // A parent that is its own child would never end.
        if entity.parent().is_none_or(|p| p.id < entity.id && entity.document().is_some()) {
            let _ = (entity.name(), entity.kind(), entity.scope(), entity.lines(), entity.local(), entity.chunk());
        }
    }
    for id in 0..snapshot.chunk_count() as u32 {
        let chunk = snapshot.chunk(ChunkId(id)).unwrap();
        let _ = (chunk.document().is_some(), chunk.entity().is_some(), chunk.node_type(), chunk.range(), chunk.local());
    }
    for how in [cds_index::NameMatch::Exact, cds_index::NameMatch::Prefix, cds_index::NameMatch::Fuzzy(1)] {
        let _ = snapshot.find_names("first", how, 10);
    }
}

#[test]
fn a_block_that_changed_is_told_and_the_next_build_mends_it() {
    let tree = Tree::new(TREE);
    tree.build();
    let path = tree.stored("files.bin");
    let mut bytes = fs::read(&path).unwrap();
    bytes[10] ^= 0xff;
    fs::write(&path, &bytes).unwrap();
    let snapshot = tree.open();
    let (broken, good) = (FileId(0), FileId(1));
    for error in [snapshot.load(broken).map(|_| ()).unwrap_err(), snapshot.text(broken).map(|_| ()).unwrap_err()] {
        assert!(matches!(error, Error::Damaged { .. }) && error.to_string().contains("of file 0"), "{error}");
    }
    assert_eq!(snapshot.load(good).unwrap().text, "second\n");
    drop(snapshot);
    // Nothing changed on disk; what is still good is kept.
    let report = tree.build();
    assert_eq!((report.parsed, report.reused, report.changed), (1, 1, true));
    assert!(tree.open().text(broken).is_ok());
}

#[test]
fn what_is_not_there_is_none() {
    let tree = Tree::new(TREE);
    let snapshot = tree.built();
    let past = u32::MAX - 1;
    assert!(snapshot.document(FileId(past)).is_none() && snapshot.document_at("nowhere").is_none());
    assert!(snapshot.entity(EntityId(past)).is_none() && snapshot.chunk(ChunkId(past)).is_none());
    assert!(snapshot.file_of(ChunkId(past)).is_none());
    assert!(matches!(snapshot.load(FileId(past)), Err(Error::Damaged { .. })));
    assert!(matches!(snapshot.text(FileId(past)), Err(Error::Damaged { .. })));
}

#[test]
fn manifests_are_told_apart() {
    let tree = Tree::new(TREE);
    let check = |text: &str, expect: &str| {
        tree.write(".cds-index/manifest.json", text);
        let error = Manifest::read(tree.home()).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
        assert_eq!(Snapshot::open(tree.home()).map(|_| ()).unwrap_err().to_string(), error);
    };
    let error = Snapshot::open(tree.home()).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Missing(_)) && error.to_string().ends_with("run `cds index`"), "{error}");
    check("", "the index is damaged");
    check("{\"format\": ", "the index is damaged");
    check(&format!("{{\"format\": {FORMAT_VERSION}}}"), "the index is damaged");
    check("{\"format\": 999, \"anything\": []}", &format!("has format 999, this cds reads format {FORMAT_VERSION}"));
    fs::remove_file(tree.home().join("manifest.json")).unwrap();
    tree.write(".cds-index/manifest.json/x", "a folder");
    assert!(matches!(Manifest::read(tree.home()), Err(Error::Io { .. })));
    fs::remove_dir_all(tree.home().join("manifest.json")).unwrap();
    assert_eq!(tree.build().parsed, 2, "and a build makes a new one");
}

#[test]
fn a_damaged_text_index_is_told() {
    let tree = Tree::new(TREE);
    tree.build();
    let folder = tree.stored("bm25");
    let check = |expect: &str| {
        let error = Snapshot::open(tree.home()).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }) && error.to_string().contains(expect), "{error}");
    };
    let meta = folder.join("meta.json");
    let whole = fs::read(&meta).unwrap();
    fs::write(&meta, "{}").unwrap();
    check("bm25");
    fs::write(&meta, &whole).unwrap();
    for entry in fs::read_dir(&folder).unwrap().flatten().filter(|e| e.path().extension().is_some_and(|x| x != "json"))
    {
        let bytes = fs::read(entry.path()).unwrap();
        fs::remove_file(entry.path()).unwrap();
        if let Err(error) = Snapshot::open(tree.home()) {
            assert!(matches!(error, Error::Damaged { .. }), "{}: {error}", entry.path().display());
        }
        fs::write(entry.path(), bytes).unwrap();
    }
    fs::remove_dir_all(&folder).unwrap();
    check("bm25");
    assert_eq!(tree.try_build(|_| {}).unwrap().parsed, 2);
    assert_eq!(tree.open().chunk_count(), 3);
}

#[test]
fn readers_follow_a_writer_that_publishes_meanwhile() {
    let tree = Tree::new(TREE);
    tree.build();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..8 {
                tree.try_build(|b| b.force = true).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            let snapshot = tree.open();
            assert_eq!(snapshot.text(FileId(1)).unwrap(), "second\n");
        }
    });
}
