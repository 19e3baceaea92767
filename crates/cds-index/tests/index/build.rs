//! What a build reads, keeps, reports and refuses.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use cds_index::{BuildOptions, Error, Freshness, Progress, check_freshness};

use crate::fixture::{Tree, paths};

const THREE: &str = "\
//- a.py
def first():
    return 1
//- b.rs
pub fn second() {}
//- sub/c.txt
third
";

fn set_time(tree: &Tree, path: &str, seconds_ago: u64) {
    let file = std::fs::File::options().write(true).open(tree.root().join(path)).expect("it opens");
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds_ago)).expect("its time is set");
}

/// `parsed`, `reused`, `removed`, `problems`, `changed`.
fn check(tree: &Tree, expect: (usize, usize, usize, usize, bool)) {
    let report = tree.build();
    assert_eq!((report.parsed, report.reused, report.removed, report.problems, report.changed), expect);
    assert_eq!(report.files, tree.open().file_count());
    assert!(report.seconds >= 0.0);
}

#[test]
fn only_what_changed_is_read_again() {
    let tree = Tree::new(THREE);
    check(&tree, (3, 0, 0, 0, true));
    check(&tree, (0, 3, 0, 0, false));
    // Times that are long past tell alone.
    for path in ["a.py", "b.rs", "sub/c.txt"] {
        set_time(&tree, path, 100);
    }
    check(&tree, (0, 3, 0, 0, true));
    check(&tree, (0, 3, 0, 0, false));
    tree.write("a.py", "def first():\n    return 2\n");
    check(&tree, (1, 2, 0, 0, true));
    std::fs::remove_file(tree.root().join("b.rs")).unwrap();
    tree.write("d.txt", "fourth");
    check(&tree, (1, 2, 1, 0, true));
    assert_eq!(paths(&tree.open()), ["a.py", "d.txt", "sub/c.txt"]);
    assert!(tree.try_build(|b| b.force = true).unwrap().parsed == 3);
}

#[test]
fn a_file_rewritten_within_the_clock_s_grain_is_seen() {
    let tree = Tree::new(THREE);
    let path = tree.root().join("sub/c.txt");
    // Not in the past when it is read: its time cannot show what comes after.
    let time = SystemTime::now() + Duration::from_hours(1);
    let set = || std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    set();
    tree.build();
    assert_eq!(check_freshness(&tree.open(), tree.root(), &tree.options), Freshness::Fresh);
    check(&tree, (0, 3, 0, 0, false));
    // Same size, same time: only the bytes differ.
    tree.write("sub/c.txt", "THIRD\n");
    set();
    assert_eq!(check_freshness(&tree.open(), tree.root(), &tree.options), Freshness::Stale(1));
    check(&tree, (1, 2, 0, 0, true));
    let snapshot = tree.open();
    let id = snapshot.document_at("sub/c.txt").unwrap().id;
    assert_eq!(snapshot.text(id).unwrap(), "THIRD\n");
}

#[test]
fn other_settings_mean_other_content() {
    let mut tree = Tree::new(THREE);
    tree.write("long.txt", "word ".repeat(100));
    check(&tree, (4, 0, 0, 0, true));
    tree.options.max_file_size = 400;
    assert_eq!(check_freshness(&tree.open(), tree.root(), &tree.options), Freshness::Settings);
    check(&tree, (3, 0, 0, 1, true));
    let problems = tree.open().problems().unwrap();
    assert_eq!((problems[0].path.as_str(), problems[0].reason.as_str()), ("long.txt", "too_large"));
    assert_eq!(problems[0].detail, "500 bytes, more than max_file_size 400");
    // What was left out is left out again without a look, until it changes.
    check(&tree, (0, 3, 0, 1, false));
    tree.write("long.txt", "short");
    check(&tree, (1, 3, 0, 0, true));
    let config = std::fs::read_to_string(tree.home().join("config.toml")).unwrap();
    assert!(config.ends_with("[index]\nmax_file_size = 400\ncomments = true\n"), "{config}");
}

#[test]
fn comments_can_be_left_out_of_the_words() {
    let mut tree = Tree::new("//- a.py\n# walrus\ndef f():\n    \"\"\"Penguin.\"\"\"\n    return 'osprey'  # été\n");
    let words = |tree: &Tree| -> Vec<bool> {
        let snapshot = tree.built();
        let has = |word: &str| {
            let fields = snapshot.fields();
            [fields.content, fields.doc].iter().any(|field| {
                let term = tantivy::Term::from_field_text(*field, word);
                snapshot.doc_freq(&term).unwrap() > 0
            })
        };
        ["walrus", "penguin", "osprey", "été"].map(has).to_vec()
    };
    assert_eq!(words(&tree), [true, true, true, true]);
    tree.options = BuildOptions { comments: false, ..BuildOptions::default() };
    assert_eq!(words(&tree), [false, false, true, false]);
    let snapshot = tree.open();
    let id = snapshot.document_at("a.py").unwrap().id;
    assert!(snapshot.text(id).unwrap().contains("# walrus"), "the text itself is kept");
}

#[test]
fn freshness_counts_what_changed() {
    let tree = Tree::new(THREE);
    let check = |expect: Freshness| {
        assert_eq!(check_freshness(&tree.open(), tree.root(), &tree.options), expect);
    };
    tree.build();
    check(Freshness::Fresh);
    set_time(&tree, "a.py", 50);
    check(Freshness::Stale(1));
    tree.write("b.rs", "pub fn other_name() {}\n");
    check(Freshness::Stale(2));
    tree.build();
    check(Freshness::Fresh);
    tree.write("sub/new.txt", "new");
    check(Freshness::Stale(1));
    std::fs::remove_dir_all(tree.root().join("sub")).unwrap();
    // The folder, its parent and its file.
    check(Freshness::Stale(3));
}

#[test]
fn a_build_that_is_stopped_leaves_the_old_index() {
    let tree = Tree::new(THREE);
    tree.build();
    let before = tree.open().manifest().clone();
    tree.write("a.py", "def changed():\n    pass\n");
    let stop = AtomicBool::new(true);
    let error = tree.try_build(|b| b.cancel = &stop).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
    assert_eq!(
        error.to_string(),
        "indexing was interrupted; the previous index is unchanged: run it again when you like"
    );
    // Stopped in the middle of a batch.
    let stop = AtomicBool::new(false);
    let progress = |p: Progress| stop.store(p.phase == "indexing", Ordering::Relaxed);
    let error = tree.try_build(|b| (b.cancel, b.progress) = (&stop, &progress));
    assert!(matches!(error, Err(Error::Cancelled)));
    assert_eq!(*tree.open().manifest(), before);
    let left: Vec<_> = std::fs::read_dir(tree.home()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.iter().filter(|n| n.to_string_lossy().starts_with("g0")).count(), 1, "{left:?}");
    assert_eq!(tree.build().parsed, 1);
}

#[test]
fn progress_is_told_in_order() {
    let tree = Tree::new(THREE);
    let told = Mutex::new(Vec::new());
    let progress = |p: Progress| told.lock().unwrap().push((p.phase, p.done, p.total));
    tree.try_build(|b| b.progress = &progress).unwrap();
    let mut told = told.lock().unwrap().clone();
    told[1..4].sort_unstable();
    let expect = [("walking", 0, 0), ("indexing", 1, 3), ("indexing", 2, 3), ("indexing", 3, 3), ("writing", 3, 3)];
    assert_eq!(told, expect);
}

#[test]
fn many_files_are_prepared_in_batches_and_written_in_order() {
    let tree = Tree::new("");
    for i in 0..1_100 {
        tree.write(&format!("{i:04}.txt"), format!("word{i}"));
    }
    // One file is larger than a batch may be.
    tree.write("0500.bin", vec![0; 9 << 20]);
    let report = tree.try_build(|b| b.options.max_file_size = 20_000_000).unwrap();
    assert_eq!((report.parsed, report.problems), (1_100, 1));
    let snapshot = tree.open();
    assert!(paths(&snapshot).is_sorted());
    for (i, document) in snapshot.documents().enumerate() {
        assert_eq!(snapshot.text(document.id).unwrap(), format!("word{i}"));
    }
}

#[test]
fn a_file_that_vanishes_meanwhile_is_listed() {
    let tree = Tree::new("");
    for i in 0..600 {
        tree.write(&format!("{i:03}.txt"), "word");
    }
    // It stands in the second batch, and is gone before the first is done.
    let gone = tree.root().join("599.txt");
    let progress = |p: Progress| {
        if p.phase == "indexing" {
            let _ = std::fs::remove_file(&gone);
        }
    };
    let report = tree.try_build(|b| b.progress = &progress).unwrap();
    assert_eq!((report.files, report.problems), (599, 1));
    let problem = &tree.open().problems().unwrap()[0];
    assert_eq!((problem.path.as_str(), problem.reason.as_str(), problem.skipped), ("599.txt", "unreadable", true));
    check(&tree, (0, 599, 0, 0, true));
}

#[test]
fn nothing_to_index_is_an_error_that_leaves_no_trace() {
    let tree = Tree::new("");
    assert!(matches!(tree.try_build(|_| {}), Err(Error::Empty(_))));
    assert!(!tree.home().exists());
    // Only what cannot be indexed.
    tree.write("data.bin", b"\0\0\0");
    let error = tree.try_build(|_| {}).unwrap_err();
    assert!(matches!(error, Error::Empty(_)) && error.to_string().starts_with("nothing to index in "), "{error}");
    // An index that was there stays.
    tree.write("a.txt", "words");
    tree.build();
    std::fs::remove_file(tree.root().join("a.txt")).unwrap();
    std::fs::remove_file(tree.root().join("data.bin")).unwrap();
    assert!(matches!(tree.try_build(|_| {}), Err(Error::Empty(_))));
    assert_eq!(paths(&tree.open()), ["a.txt"]);
}

#[test]
fn roots_and_homes_that_cannot_be_used_are_named() {
    let tree = Tree::new(THREE);
    let check = |root: &str, home: &str, expect: &str| {
        let (root, home) = (tree.root().join(root), tree.root().join(home));
        let error = tree.try_build(|b| (b.root, b.home) = (&root, &home)).unwrap_err();
        assert!(matches!(error, Error::Io { .. }) && error.to_string().contains(expect), "{error}");
    };
    check("absent", ".cds-index", "absent: ");
    check("a.py", ".cds-index", "a.py: not a folder");
    check("", "a.py", "a.py: ");
    check("", "a.py/inside", "a.py/inside: ");
    // A folder stands where a file must be.
    for name in ["lock", "manifest.json.new", "config.toml"] {
        let (root, home) = (tree.root().to_owned(), tree.root().join(name.replace('.', "-")));
        tree.try_build(|b| (b.root, b.home) = (&root, &home)).unwrap();
        let _ = std::fs::remove_file(home.join(name));
        std::fs::create_dir_all(home.join(name).join("x")).unwrap();
        tree.write("a.py", format!("{name} = 1\n"));
        let error = tree.try_build(|b| (b.root, b.home) = (&root, &home)).unwrap_err();
        assert!(
            matches!(error, Error::Io { .. }) && error.to_string().contains(name.trim_end_matches(".new")),
            "{error}"
        );
    }
}

#[test]
fn one_writes_at_a_time() {
    let tree = Tree::new(THREE);
    tree.build();
    let lock = std::fs::File::options().write(true).open(tree.home().join("lock")).unwrap();
    lock.lock().unwrap();
    let error = tree.try_build(|b| (b.force, b.effort.wait) = (true, Duration::ZERO)).unwrap_err();
    assert!(matches!(error, Error::Busy { .. }) && error.to_string().starts_with("another process is indexing "));
    assert_eq!(tree.open().file_count(), 3, "readers do not wait");
    lock.unlock().unwrap();
    assert_eq!(tree.try_build(|b| b.force = true).unwrap().parsed, 3);
}

#[test]
fn git_does_not_see_the_index() {
    let tree = Tree::new(THREE);
    tree.build();
    assert_eq!(std::fs::read_to_string(tree.home().join(".gitignore")).unwrap(), "*\n");
    std::fs::write(tree.home().join(".gitignore"), "mine\n").unwrap();
    tree.try_build(|b| b.force = true).unwrap();
    assert_eq!(std::fs::read_to_string(tree.home().join(".gitignore")).unwrap(), "mine\n", "nor is it written again");
}

#[test]
fn a_moved_index_is_born_again_and_an_updated_one_is_not() {
    let tree = Tree::new(THREE);
    tree.build();
    let born = |tree: &Tree| tree.open().manifest().born_ms;
    let first = born(&tree);
    tree.write("a.py", "x = 1\n");
    tree.build();
    assert_eq!(born(&tree), first);
    // Another root: chunk ids must not be taken for those of the first.
    let other = Tree::new(THREE);
    other.write("d.txt", "x");
    std::thread::sleep(Duration::from_millis(5));
    let copied = std::fs::read_to_string(tree.home().join("manifest.json")).unwrap();
    other.write(".cds-index/manifest.json", copied);
    other.build();
    assert!(born(&other) > first);
}

#[test]
fn equal_trees_give_equal_tables() {
    let (one, two) = (Tree::new(THREE), Tree::new(THREE));
    for name in ["graph/entities.bin", "strings.bin", "indices/chunks.bin", "names.fst", "indices/names.bin"] {
        one.build();
        two.build();
        assert_eq!(std::fs::read(one.stored(name)).unwrap(), std::fs::read(two.stored(name)).unwrap(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_text_file_is_listed() {
    let tree = Tree::new("//- a.txt\nwords\n");
    std::os::unix::fs::symlink("a.txt", tree.root().join("link")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(tree.root().join("socket")).unwrap();
    tree.write("binary.dat", b"\x7fELF\0");
    // A submodule's, where a folder is expected.
    tree.write("module/.git", "gitdir: ../.git/modules/module");
    tree.write("latin.txt", b"caf\xe9");
    tree.write("broken.py", "def f(:\n");
    let snapshot = tree.built();
    assert_eq!(paths(&snapshot), ["a.txt", "broken.py", "latin.txt"]);
    let problems: Vec<String> = snapshot
        .problems()
        .unwrap()
        .into_iter()
        .map(|p| format!("{} {} {} {}", p.path, p.reason, p.skipped, p.detail))
        .collect();
    let expect = [
        "binary.dat binary true a NUL byte at 4",
        "broken.py syntax_error false line 1",
        "latin.txt invalid_utf8 false byte 3: replaced what is not UTF-8",
        "link symlink true link to a.txt, not followed",
        "socket special_file true a socket, not read",
    ];
    assert_eq!(problems, expect);
    assert_eq!(snapshot.manifest().counts.problems, 5);
}

#[test]
fn rules_that_leave_out_their_own_file_are_followed() {
    let tree = Tree::new("");
    tree.write("a.py", "def a(): pass\n");
    tree.write("b.log", "words\n");
    tree.write(".gitignore", ".gitignore\n*.log\n");
    tree.build();
    let check = |expect: &[&str]| {
        assert_ne!(check_freshness(&tree.open(), tree.root(), &tree.options), Freshness::Fresh);
        tree.try_build(|build| build.quick = true).expect("the tree is indexed");
        assert_eq!(paths(&tree.open()), expect);
        assert_eq!(check_freshness(&tree.open(), tree.root(), &tree.options), Freshness::Fresh);
    };
    assert_eq!(paths(&tree.open()), ["a.py"]);
    tree.write(".gitignore", ".gitignore\n");
    check(&["a.py", "b.log"]);
    tree.write(".git/info/exclude", "*.py\n");
    tree.write(".ignore", ".ignore\n");
    check(&["b.log"]);
    tree.write(".git/info/exclude", "");
    check(&["a.py", "b.log"]);
}

/// More files than the first step takes, some of which use others that come later.
fn large() -> Tree {
    let tree = Tree::new("//- src/main.py\nfrom lib.deep.m1 import f1\n\ndef main():\n    return f1()\n");
    for i in 0..4_000 {
        tree.write(&format!("lib/deep/m{i}.py"), format!("def f{i}():\n    return f{}()\n", (i + 7) % 4_000));
    }
    tree
}

/// The same with the index of who was stopped when the first of it was published.
fn stopped_after_one_step() -> Tree {
    let tree = large();
    let cancel = AtomicBool::new(false);
    let stop = || cancel.store(true, Ordering::Relaxed);
    let stopped = tree.try_build(|build| {
        build.early = Some(&stop);
        build.cancel = &cancel;
    });
    assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
    tree
}

#[test]
fn some_of_a_large_tree_can_be_asked_before_all_of_it() {
    let tree = large();
    let steps = Mutex::new(Vec::new());
    let told = || {
        let snapshot = tree.open();
        assert!(snapshot.document_at("src/main.py").is_some(), "what stands near the root comes first");
        assert!(check_freshness(&snapshot, tree.root(), &BuildOptions::default()) != Freshness::Fresh);
        steps.lock().unwrap().push((snapshot.file_count(), snapshot.manifest().left));
    };
    let report = tree.try_build(|build| build.early = Some(&told)).unwrap();
    assert_eq!(*steps.lock().unwrap(), [(1_000, 3_001)]);
    assert_eq!((report.files, report.parsed, report.reused, report.removed), (4_001, 4_001, 0, 0));
    let whole = tree.open();
    assert_eq!(whole.manifest().left, 0);
    assert!(check_freshness(&whole, tree.root(), &BuildOptions::default()) == Freshness::Fresh);
    let in_steps = whole.dump().unwrap();
    tree.try_build(|build| build.force = true).unwrap();
    assert_eq!(in_steps, tree.open().dump().unwrap(), "the same as in one step");
    // There is something to ask already.
    let none = || panic!("nothing is published before it is whole");
    tree.try_build(|build| {
        build.force = true;
        build.early = Some(&none);
    })
    .unwrap();
}

#[test]
fn a_first_index_that_was_stopped_goes_on_where_it_was() {
    let tree = stopped_after_one_step();
    assert_eq!((tree.open().file_count(), tree.open().manifest().left), (1_000, 3_001));
    tree.write("src/new.py", "def fresh():\n    return 1\n");
    // Whoever asks for little looks at everything all the same.
    let report = tree.try_build(|build| build.quick = true).unwrap();
    assert_eq!((report.files, report.parsed, report.reused), (4_002, 3_002, 1_000));
    let resumed = tree.open().dump().unwrap();
    tree.try_build(|build| build.force = true).unwrap();
    assert_eq!(resumed, tree.open().dump().unwrap());
}

#[test]
fn a_first_step_with_nothing_to_read_is_passed_over_and_what_vanished_is_not_waited_for() {
    let tree = Tree::new("//- z/read_me.txt\nwords\n");
    for i in 0..4_000 {
        tree.write(&format!("m{i}.py"), "\0");
    }
    let told = AtomicBool::new(false);
    let tell = || told.store(true, Ordering::Relaxed);
    let report = tree.try_build(|build| build.early = Some(&tell)).unwrap();
    assert_eq!((report.files, told.load(Ordering::Relaxed)), (1, false));

    let tree = stopped_after_one_step();
    let indexed: Vec<String> = paths(&tree.open()).into_iter().map(str::to_owned).collect();
    for i in 0..4_000 {
        let path = format!("lib/deep/m{i}.py");
        if !indexed.contains(&path) {
            std::fs::remove_file(tree.root().join(path)).unwrap();
        }
    }
    tree.try_build(|build| build.quick = true).unwrap();
    assert_eq!((tree.open().file_count(), tree.open().manifest().left), (1_000, 0));
}

#[test]
fn several_may_make_an_index_directory_at_once() {
    for _ in 0..30 {
        let tree = Tree::new("//- a.py\ndef f(): pass\n");
        std::thread::scope(|scope| {
            let prepare = || cds_index::prepare_home(tree.root(), tree.home());
            let others: Vec<_> = (0..3).map(|_| scope.spawn(prepare)).collect();
            tree.build();
            for other in others {
                other.join().expect("no panic").expect("the directory is there");
            }
        });
    }
}
