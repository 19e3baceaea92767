//! Damage is an error with a remedy, never a panic, and a build repairs it.

use std::fs;

use cds_index::{Error, FORMAT_VERSION, Manifest, Snapshot};
use cds_model::{ChunkId, EntityId, FileId};

use crate::fixture::{Tree, paths};

const TREE: &str = "//- a.py\nclass A:\n    def first(self):\n        return 1\n//- sub/b.txt\nsecond\n";

const STORED: [&str; 15] = [
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
    "checksums.bin",
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
            let filled = vec![byte; whole.len()];
            // A table may be all zeros.
            if filled == whole {
                continue;
            }
            fs::write(&path, filled).unwrap();
            let Ok(snapshot) = Snapshot::open(tree.home()) else { continue };
            read_everything(&snapshot);
            assert!(snapshot.damage().is_err() || snapshot.verify().is_err(), "{name} of {byte:#x}");
        }
        fs::write(&path, &whole).unwrap();
    }
}

/// Asks for everything there is: rows may be absent, and then the damage is recorded.
fn read_everything(snapshot: &Snapshot) {
    let _ = snapshot.problems();
    for document in snapshot.documents() {
        let _ = (document.path(), document.language(), document.role(), document.lines(), document.hash());
        let _ = (document.chunks().len(), document.entities().len(), document.entity());
        let _ = (snapshot.load(document.id).is_ok(), snapshot.text(document.id).is_ok());
    }
    for id in 0..snapshot.entity_count() as u32 {
        let Some(entity) = snapshot.entity(EntityId(id)) else { continue };
        // A parent that is its own child would never end.
        if entity.parent().is_none_or(|p| p.id < entity.id && entity.document().is_some()) {
            let _ = (entity.name(), entity.kind(), entity.scope(), entity.lines(), entity.local(), entity.chunk());
        }
    }
    for id in 0..snapshot.chunk_count() as u32 {
        let Some(chunk) = snapshot.chunk(ChunkId(id)) else { continue };
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

/// Tables of several blocks.
fn many_files() -> Tree {
    let file = |i: usize| {
        let function = |n: usize| format!("def f{i}_{n}(x):\n    return f{}_{n}(x) + {n}\n\n", (i + 1) % 150);
        format!("//- d{}/m{i}.py\n{}", i % 7, (0..4).map(function).collect::<String>())
    };
    Tree::new(&(0..150).map(file).collect::<String>())
}

/// Every file of an index that an answer may come from.
fn stored_files(tree: &Tree) -> Vec<std::path::PathBuf> {
    let names: Vec<String> = tree.open().manifest().files.keys().cloned().collect();
    let paths = names.into_iter().map(|name| tree.home().join(name));
    paths.filter(|path| fs::metadata(path).is_ok_and(|meta| meta.len() > 0)).collect()
}

fn flip(path: &std::path::Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 0x04;
    fs::write(path, bytes).unwrap();
}

#[test]
fn an_update_never_gives_damaged_rows_new_checksums() {
    let (tree, clean) = (many_files(), many_files());
    tree.build();
    for edited in [&tree, &clean] {
        edited.write("d1/m1.py", "def changed(x):\n    return f2_1(x)\n");
    }
    clean.build();
    let expect = clean.open().dump().unwrap();
    let whole: Vec<_> = stored_files(&tree).into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    let manifest = fs::read(tree.home().join("manifest.json")).unwrap();
    for (bytes, path) in &whole {
        for quick in [false, true] {
            flip(path, bytes.len() * 2 / 3);
            // A build repairs it, or refuses: then the index still says that it is damaged.
            match tree.try_build(|b| b.quick = quick) {
                Ok(_) => {
                    let updated = tree.open();
                    if let Ok(dump) = updated.dump()
                        && updated.damage().is_ok()
                    {
                        assert_eq!(dump, expect, "{} {quick}", path.display());
                    } else {
                        assert!(quick && updated.verify().is_err(), "{}: it was repaired", path.display());
                    }
                }
                Err(error) => assert!(matches!(error, Error::Damaged { .. }), "{}: {error}", path.display()),
            }
            fs::remove_dir_all(tree.home()).unwrap();
            for (bytes, path) in &whole {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            fs::write(tree.home().join("manifest.json"), &manifest).unwrap();
        }
    }
}

#[test]
fn a_damaged_block_is_an_error_for_those_who_read_it_and_for_nobody_else() {
    let tree = many_files();
    tree.build();
    let entities = tree.stored("graph/entities.bin");
    let size = fs::metadata(&entities).unwrap().len() as usize;
    flip(&entities, size - 1);
    let snapshot = tree.open();
    assert!(snapshot.entity(EntityId(0)).is_some());
    snapshot.damage().unwrap();
    assert!(snapshot.entity(EntityId(snapshot.entity_count() as u32 - 1)).is_none());
    let error = snapshot.damage().unwrap_err().to_string();
    assert!(error.contains("entities.bin") && error.ends_with("run `cds index` to repair it"), "{error}");
    assert!(snapshot.verify_tables().is_err() && snapshot.verify().is_err());
    assert_eq!(snapshot.entity(EntityId(0)).map(|e| e.name()), Some("m0.py"), "what is whole can still be read");
}

#[test]
fn files_in_the_place_of_others_are_noticed() {
    let tree = many_files();
    tree.build();
    tree.write("d1/m1.py", "def changed(x):\n    return f2_1(x)\n");
    tree.build();
    let folders = tree.open().manifest().parts.iter().map(|part| part.name.clone()).collect::<Vec<_>>();
    assert_eq!(folders.len(), 2);
    for name in ["names.fst", "outlines.bin", "vectors.bin", "checksums.bin", "files.bin"] {
        let [a, b] = [0, 1].map(|i| tree.home().join(&folders[i]).join(name));
        let (first, second) = (fs::read(&a).unwrap(), fs::read(&b).unwrap());
        fs::write(&a, &second).unwrap();
        fs::write(&b, &first).unwrap();
        let error = Snapshot::open(tree.home()).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{name}: {error}");
        fs::write(&a, &first).unwrap();
        fs::write(&b, &second).unwrap();
    }
    tree.open().verify().unwrap();
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
