//! What questions notice of the disk, how files are opened, and who may open them.

use std::path::Path;

use cds_index::{Freshness, NameMatch, Progress, check_freshness};

use crate::fixture::Tree;

fn freshness(tree: &Tree) -> Freshness {
    check_freshness(&tree.open(), tree.root(), &tree.options)
}

fn paths(tree: &Tree) -> Vec<String> {
    tree.open().documents().map(|document| document.path().to_owned()).collect()
}

/// Builds, changes the tree, and says that questions notice it and that an update ends with these files.
fn check(change: impl FnOnce(&Tree), expect: &[&str]) {
    let tree = Tree::new("//- a.py\ndef a(): pass\n//- d/b.py\ndef b(): pass\n//- sub/.git/HEAD\n//- sub/c.py\n\n");
    tree.write(".git/HEAD", "");
    tree.build();
    assert_eq!(freshness(&tree), Freshness::Fresh);
    change(&tree);
    assert_ne!(freshness(&tree), Freshness::Fresh, "the change is noticed");
    tree.try_build(|build| build.quick = true).expect("the tree is indexed");
    assert_eq!(paths(&tree), expect);
    assert_eq!(freshness(&tree), Freshness::Fresh, "once is enough");
    let clean = tree.try_build(|build| build.force = true).expect("the tree is indexed");
    assert_eq!((clean.files, paths(&tree)), (expect.len(), expect.iter().map(|p| (*p).to_owned()).collect()));
}

const ALL: &[&str] = &["a.py", "d/b.py", "sub/c.py"];

#[test]
fn rules_that_come_go_and_change_are_noticed() {
    check(|tree| tree.write(".git/info/exclude", "a.py"), &["d/b.py", "sub/c.py"]);
    check(|tree| tree.write("sub/.git/info/exclude", "c.py"), &["a.py", "d/b.py"]);
    check(|tree| tree.write("d/.gitignore", "b.py\n.gitignore"), &["a.py", "sub/c.py"]);
    check(|tree| tree.write("d/.git", "gitdir: ../.git/modules/d"), ALL);
    check(
        |tree| {
            tree.write(".gitignore", "c.py\n.gitignore");
            std::fs::remove_dir_all(tree.root().join("sub/.git")).unwrap();
        },
        &["a.py", "d/b.py"],
    );
    let named = |tree: &Tree| {
        let rules = tree.root().join(".git/mine");
        tree.write(".git/mine", "b.py");
        tree.write(".git/config", format!("[core]\n\texcludesFile = {}\n", rules.display()));
    };
    check(named, &["a.py", "sub/c.py"]);
}

#[test]
fn a_burst_of_edits_of_rules_is_followed() {
    let tree = Tree::new("//- a.py\n\n//- b.py\n\n//- c.py\n\n");
    tree.write(".gitignore", ".gitignore\nx.py");
    tree.build();
    for i in 0..40 {
        // Equal sizes, as fast as they can be written.
        let name = ["a.py", "b.py", "c.py"][i % 3];
        for other in ["c.py", "a.py", "b.py", name] {
            tree.write(".gitignore", format!(".gitignore\n{other}"));
        }
        tree.try_build(|build| build.quick = true).expect("the tree is indexed");
        let found = paths(&tree);
        assert!(found.len() == 2 && !found.contains(&name.to_owned()), "{i}: {found:?}");
    }
}

#[test]
fn files_that_come_and_go_within_the_clock_s_grain_are_noticed() {
    let tree = Tree::new("//- a.py\n\n");
    tree.build();
    for i in 0..40 {
        let name = format!("n{i}.py");
        tree.write(&name, "");
        tree.try_build(|build| build.quick = true).expect("the tree is indexed");
        assert!(paths(&tree).contains(&name), "{i}");
        std::fs::remove_file(tree.root().join(&name)).unwrap();
        assert_ne!(freshness(&tree), Freshness::Fresh, "{i}");
    }
}

#[cfg(unix)]
#[test]
fn changes_that_keep_size_and_time_are_noticed() {
    use std::os::unix::fs::PermissionsExt;

    let set = |tree: &Tree, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(tree.root().join("a.py"), permissions).unwrap();
    };
    check(|tree| set(tree, 0o700), ALL);
    let in_place = |tree: &Tree| {
        let path = tree.root().join("a.py");
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::write(&path, "def z(): pass\n").unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    check(in_place, ALL);
    let tree = Tree::new("//- a.py\ndef a(): pass\n");
    tree.build();
    in_place(&tree);
    tree.try_build(|build| build.quick = true).expect("the tree is indexed");
    assert_eq!(tree.open().find_names("z", NameMatch::Exact, 10).len(), 1);
}

#[test]
fn a_file_in_place_of_a_folder_and_the_reverse_are_noticed() {
    let to_file = |tree: &Tree| {
        std::fs::remove_dir_all(tree.root().join("d")).unwrap();
        tree.write("d", "text\n");
    };
    check(to_file, &["a.py", "d", "sub/c.py"]);
    let to_folder = |tree: &Tree| {
        std::fs::remove_file(tree.root().join("a.py")).unwrap();
        tree.write("a.py/in.py", "");
    };
    check(to_folder, &["a.py/in.py", "d/b.py", "sub/c.py"]);
}

#[cfg(unix)]
#[test]
fn what_a_source_became_since_it_was_found_is_looked_at_before_it_is_read() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let check = |make: &(dyn Fn(&Path) + Sync), reason: &str| {
        let tree = Tree::new("");
        for i in 0..600 {
            tree.write(&format!("d{}/{i:03}.txt", i / 100), "word");
        }
        // It stands in the last batch, and is another thing before the first is done.
        let path = tree.root().join("d5/599.txt");
        let done = std::sync::Once::new();
        let progress = |p: Progress| {
            if p.phase == "indexing" {
                done.call_once(|| make(&path));
            }
        };
        tree.try_build(|build| build.progress = &progress).expect("the tree is indexed");
        let problems = tree.open().problems().unwrap();
        let problem = problems.iter().find(|p| p.path == "d5/599.txt").expect("it is listed");
        assert_eq!(problem.reason, reason, "{problem:?}");
    };
    let pipe = |path: &Path| mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let instead = |make: &dyn Fn(&Path), path: &Path| {
        std::fs::remove_file(path).unwrap();
        make(path);
    };
    check(&|path| instead(&pipe, path), "special_file");
    check(&|path| instead(&|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(), path), "symlink");
    check(&|path| std::fs::File::create(path).unwrap().set_len(10_000_000_000).unwrap(), "too_large");
    let linked_folder = |path: &Path| {
        let folder = path.parent().unwrap();
        let aside = folder.with_file_name("aside");
        std::fs::rename(folder, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, folder).unwrap();
    };
    check(&linked_folder, "symlink");
}

/// Calls that open files. Files of a project are opened by `disk` alone.
const OPENERS: &[&str] = &[
    "fs::read(",
    "fs::read_to_string(",
    "fs::copy(",
    "File::open(",
    "OpenOptions::new(",
    "File::options(",
    "fs::File::open",
];

/// Who else may, where a line has this text, and what it opens. Tests may open what they like.
#[rustfmt::skip]
const MAY_OPEN: &[(&str, &str, &str)] = &[
    ("cds-encode/src/transformer/folder.rs", "File::open(path)?.take(", "a model's folder, which the user named; looked at first"),
    ("cds-engine/src/limits.rs",             "fs::read_to_string(path)", "the kernel's limits of memory in /proc and /sys"),
    ("cds-engine/src/models.rs",             "BufReader::new(File::open", "a text for a model to read, in quotes"),
    ("cds-engine/src/watch/network.rs",      "/proc/self/mountinfo", "what is mounted"),
    ("cds-index/src/",                       "private_fs::", "the index itself"),
    ("cds-index/src/build/lock.rs",          "fs::read_to_string(path).ok()", "the name of the machine and processes in /proc"),
    ("cds-index/src/disk/resolve.rs",        "", "the one way to files of a project"),
    ("cds-index/src/private_fs.rs",          "", "the one way to files of an index"),
    ("cds-service/src/tls.rs",               "", "keys and certificates that the user named"),
];

/// Crates that run where a project is. The command line opens what its user names; `cds-locagent` and `cds-eval` run on trees that
/// are known.
const CHECKED: &[&str] =
    &["cds-encode", "cds-engine", "cds-graph", "cds-index", "cds-lang", "cds-model", "cds-search", "cds-service"];

#[test]
fn files_of_a_project_are_opened_in_one_place() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> = CHECKED.iter().map(|name| crates.join(name).join("src")).collect();
    let mut wrong = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("sources are there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&crates).expect("below it").to_string_lossy().replace('\\', "/");
            if !name.ends_with(".rs") || name.ends_with("/tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("sources are text");
            // Tests stand at the end.
            let shipped = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
            for (number, line) in (1..).zip(shipped.lines()) {
                let may = MAY_OPEN.iter().any(|(file, text, _)| name.starts_with(file) && line.contains(text));
                if OPENERS.iter().any(|opener| line.contains(opener)) && !may {
                    wrong.push(format!("{name}:{number}: {}", line.trim()));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "open files of a project with cds_index::ProjectRoot, others with open_owner_file: {wrong:#?}"
    );
}
