//! A cloned repository writes nothing outside its index and changes nothing that the owner of the machine decided.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use crate::fixture::{Output, Project, Run, files_below};

const CODE: &str = "//- a.py\ndef first():\n    return 1\n";

/// Everything below a folder, links and pipes included, with what files hold.
fn contents(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap().map(|e| e.unwrap()) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                folders.push(path.clone());
            }
            let text = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let mode = entry.metadata().unwrap().mode();
            found.push(format!("{} {mode:o} {}", path.display(), String::from_utf8_lossy(&text)));
        }
    }
    found.sort();
    found
}

/// Files that no command may touch, next to a project.
fn decoys(project: &Project) -> std::path::PathBuf {
    let folder = project.home().join("precious");
    fs::create_dir_all(folder.join("g000001")).unwrap();
    for name in ["config.toml", "manifest.json", "lock", ".gitignore", "g000001/problems.json", "text"] {
        fs::write(folder.join(name), format!("precious {name}")).unwrap();
    }
    folder
}

fn refused(output: &Output, says: &str) {
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    assert!(output.stderr.contains(says), "{says}: {}", output.stderr);
}

const COMMANDS: [&[&str]; 5] =
    [&["search", "first"], &["index"], &["index", "--force"], &["status"], &["symbol", "first"]];

#[test]
fn settings_of_a_project_cannot_place_its_index() {
    let project = Project::new(CODE);
    let decoys = decoys(&project);
    let before = contents(&project.home());
    for dir in ["../home/precious", decoys.to_str().unwrap(), ".git", "inside"] {
        project.write(".cds.toml", format!("[search]\nlimit = 3\n[index]\ndir = {dir:?}\n"));
        for args in COMMANDS {
            refused(
                &project.cds(args),
                ".cds.toml:4: index.dir cannot be set by a project: it names a path outside the root",
            );
        }
    }
    assert_eq!(contents(&project.home()), before);
    assert_eq!(files_below(&project.root()), [".cds.toml", "a.py"]);
}

#[test]
fn a_directory_that_is_no_index_is_rejected_and_left_as_it_is() {
    let project = Project::new(CODE);
    let decoys = decoys(&project);
    symlink(&decoys, project.home().join("link")).unwrap();
    symlink(&decoys, project.path("linked")).unwrap();
    fs::create_dir(project.home().join("empty")).unwrap();
    symlink(project.home().join("empty"), project.home().join("to-empty")).unwrap();
    let home = project.home().display().to_string();
    let before = (contents(&project.root()), contents(&project.home()));
    let check = |dir: &str, says: &str| {
        for args in COMMANDS {
            refused(&project.cds(&[args, &["--index-dir", dir]].concat()), says);
            refused(&project.run(&Run { args, env: &[("GRAPH_INDEX_DIR", dir)], ..Run::default() }), says);
        }
        assert_eq!((contents(&project.root()), contents(&project.home())), before, "{dir}");
    };
    check(".", "it contains the project");
    check("..", "it contains the project");
    check(&format!("{home}/precious"), "is not an index of this project: name an empty or a new directory");
    check(&format!("{home}/link"), "is a symbolic link");
    check(&format!("{home}/to-empty"), "is a symbolic link");
    check("linked/index", "linked is a symbolic link");
    for unclear in ["missing/..", "missing/../..", "missing/../../decoys", "missing/../new"] {
        check(unclear, "it does not exist and its path contains `..`");
    }
}

#[test]
fn a_link_in_place_of_the_index_is_not_followed() {
    let project = Project::new(CODE);
    let decoys = decoys(&project);
    symlink(&decoys, project.path(".cds-index")).unwrap();
    let before = contents(&project.home());
    for args in COMMANDS {
        refused(&project.cds(args), ".cds-index is a symbolic link");
    }
    assert_eq!(contents(&project.home()), before);
}

/// Packs an index as a clone would bring it: every file, none of the times and inodes.
fn shipped(from: &Project, to: &Project) {
    for file in files_below(&from.path(".cds-index")) {
        to.write(&format!(".cds-index/{file}"), fs::read(from.path(&format!(".cds-index/{file}"))).unwrap());
    }
}

#[test]
fn an_index_that_came_with_a_clone_is_replaced() {
    let other = Project::new("//- b.py\ndef planted():\n    return 1\n");
    assert_eq!(other.cds(&["index"]).code, 0);
    let project = Project::new(CODE);
    shipped(&other, &project);
    // The marker of an attacker who guessed the path of the root.
    let marker = fs::read_to_string(project.path(".cds-index/cds-index.json")).unwrap();
    let here = project.root().canonicalize().unwrap().display().to_string();
    let marker = marker.replace(&other.root().canonicalize().unwrap().display().to_string(), &here);
    project.write(".cds-index/cds-index.json", marker);
    let status = project.cds(&["status"]);
    assert_eq!(status.code, 3, "{}", status.stderr);
    assert!(status.stderr.contains("was not made here") && status.stderr.contains("run `cds index`"));
    let found = project.cds(&["symbol", "planted", "--no-update"]);
    assert!(found.code == 1 && found.stderr.contains("was not made here"), "{found:?}");
    assert_eq!(project.ids(&["symbol", "first"]), ["a.py:first"]);
}

#[test]
fn an_index_without_a_marker_is_replaced_where_cds_put_it() {
    let project = Project::new(CODE);
    assert_eq!(project.cds(&["index"]).code, 0);
    project.remove(".cds-index/cds-index.json");
    let output = project.cds(&["search", "first"]);
    assert!(output.code == 0 && output.stderr.contains("was not made here"), "{output:?}");
    assert_eq!(project.cds(&["search", "first"]).stderr, "", "and is ours from then on");
}

#[test]
fn what_a_repository_brings_in_place_of_index_files_is_neither_followed_nor_waited_for() {
    let attacks = [
        "lock",
        "manifest.json",
        "manifest.json.new",
        "config.toml",
        "config.toml.new",
        ".gitignore",
        "cds-index.json",
        "cds-index.json.new",
        "g000001",
        "g000002",
        "p000001",
        "p000002",
        "cache",
        "daemon.sock",
        "locagent.bin",
    ];
    for is_built in [false, true] {
        for name in attacks {
            let project = Project::new(CODE);
            let decoys = decoys(&project);
            let at = project.path(&format!(".cds-index/{name}"));
            let before = contents(&project.home());
            for attack in ["file", "directory", "dangling", "pipe"] {
                let _ = fs::remove_dir_all(project.path(".cds-index"));
                if is_built {
                    assert_eq!(project.cds(&["index"]).code, 0);
                } else {
                    fs::create_dir(project.path(".cds-index")).unwrap();
                }
                let _ = fs::remove_file(&at).or_else(|_| fs::remove_dir_all(&at));
                match attack {
                    "file" => symlink(decoys.join("text"), &at).unwrap(),
                    "directory" => symlink(&decoys, &at).unwrap(),
                    "dangling" => symlink(decoys.join("new"), &at).unwrap(),
                    _ => {
                        assert!(std::process::Command::new("mkfifo").arg(&at).status().unwrap().success());
                    }
                }
                project.write("a.py", format!("def first():\n    return {}\n", attack.len()));
                for args in [&["search", "first"][..], &["index"], &["status"], &["search", "first", "--no-update"]] {
                    let output = timed(&project, args);
                    assert!(matches!(output.code, 0 | 2 | 3 | 5), "{is_built} {name} {attack} {args:?}: {output:?}");
                    assert!(!output.stderr.contains("precious "), "{output:?}");
                }
                assert_eq!(contents(&project.home()), before, "{is_built} {name} {attack}");
            }
        }
    }
}

/// A run that must end by itself.
fn timed(project: &Project, args: &[&str]) -> Output {
    let mut command = project.command(args);
    let child = command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    let mut child = child.stderr(std::process::Stdio::piped()).spawn().unwrap();
    for _ in 0..3_000 {
        if child.try_wait().unwrap().is_some() {
            let output = child.wait_with_output().unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            let code = output.status.code().expect("no signal");
            return Output { stdout: text(output.stdout), stderr: text(output.stderr), code };
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("{args:?} hangs");
}

#[test]
fn a_service_does_not_start_with_an_index_directory_that_is_rejected() {
    let project = Project::new(CODE);
    decoys(&project);
    let home = project.home().display().to_string();
    fs::write(project.home().join("file"), "").unwrap();
    let before = (contents(&project.root()), contents(&project.home()));
    for dir in [".", &format!("{home}/precious"), &format!("{home}/file"), &format!("{home}/file/below")] {
        let args = ["serve", "--port", "0", "--index-dir", dir];
        let mut command = project.command(&args);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while child.try_wait().unwrap().is_none() && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(!output.status.success() && output.status.code().is_some(), "{dir}: {:?}", output.status);
        assert_eq!(stdout, "", "{dir}");
        assert!(stderr.starts_with("cds: ") && !stderr.contains("serving"), "{dir}: {stderr}");
        assert_eq!((contents(&project.root()), contents(&project.home())), before, "{dir}");
    }
}

#[test]
fn two_roots_do_not_share_a_directory() {
    let (one, two) = (Project::new(CODE), Project::new("//- b.py\ndef second():\n    return 2\n"));
    let dir = one.home().join("index").display().to_string();
    let env = [("CDS_INDEX_DIR", dir.as_str())];
    let run = |project: &Project, args: &[&str]| project.run(&Run { args, env: &env, ..Run::default() });
    assert_eq!(run(&one, &["index"]).code, 0);
    for args in [&["search", "first"][..], &["search", "first", "--no-update"], &["index", "--force"], &["status"]] {
        let output = run(&two, args);
        refused(&output, "it is the index of ");
        assert!(output.stderr.contains(&one.root().canonicalize().unwrap().display().to_string()), "{}", output.stderr);
        assert!(output.stderr.contains("name another with --index-dir"), "{}", output.stderr);
    }
    assert_eq!(run(&one, &["symbol", "first"]).code, 0, "the first one is unharmed");
    // A directory inside the root is one for each root.
    for project in [&one, &two] {
        let output = project.run(&Run { args: &["index"], env: &[("CDS_INDEX_DIR", "idx")], ..Run::default() });
        assert_eq!(output.code, 0, "{}", output.stderr);
    }
}

#[test]
fn a_project_that_is_moved_keeps_its_index_and_a_copy_makes_its_own() {
    let project = Project::new("//- one/a.py\ndef first():\n    return 1\n");
    let outside = project.home().join("index").display().to_string();
    let index = |root: &str, args: &[&str]| project.json(&[&["index", root], args].concat());
    let elsewhere = ["--index-dir", outside.as_str()];
    index("one", &[]);
    index("one", &elsewhere);
    fs::rename(project.path("one"), project.path("two")).unwrap();
    for args in [&[][..], &elsewhere] {
        let moved = index("two", args);
        // Where a file system keeps no times of creation, a moved folder is a new one.
        let knows = fs::metadata(project.path("two")).unwrap().created().is_ok();
        assert!(!knows || moved["parsed"] == 0, "{moved}");
    }
    let copied = std::process::Command::new("cp").args(["-r", "two", "three"]).current_dir(project.root()).status();
    assert!(copied.unwrap().success());
    project.write("three/a.py", "def third():\n    return 3\n");
    let output = project.cds(&["symbol", "third", "--root", "three"]);
    assert!(output.code == 0 && output.stderr.contains("was not made here"), "{output:?}");
    assert_eq!(project.cds(&["symbol", "first", "--root", "two"]).code, 0);
    refused(&project.cds(&["symbol", "third", "--root", "three", "--index-dir", &outside]), "it is the index of ");
}

#[test]
fn an_index_is_for_its_owner_alone() {
    let project = Project::new("//- a.py\ndef first():\n    return 1\n//- pkg/b.py\nimport a\na.first()\n");
    let check = |home: &Path| {
        assert_eq!(fs::metadata(home).unwrap().mode() & 0o777, 0o700);
        let mut folders = vec![home.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(|e| e.unwrap()) {
                let meta = entry.metadata().unwrap();
                let expect = if meta.is_dir() { 0o700 } else { 0o600 };
                assert_eq!(meta.mode() & 0o777, expect, "{}", entry.path().display());
                if meta.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
    };
    let open = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let home = project.path(".cds-index");
    for args in [&["index"][..], &["index", "--force"], &["index", "--compat", "locagent"]] {
        assert_eq!(project.cds(args).code, 0);
        check(&home);
    }
    // One that others could read is closed by the next writer.
    for file in files_below(&home) {
        open(&home.join(file), 0o644);
    }
    open(&home, 0o755);
    project.write("a.py", "def second():\n    return 2\n");
    assert_eq!(project.cds(&["symbol", "second"]).code, 0);
    check(&home);
    // An empty directory that is given is closed too.
    let given = project.home().join("given");
    fs::create_dir(&given).unwrap();
    open(&given, 0o755);
    assert_eq!(project.cds(&["index", "--index-dir", given.to_str().unwrap()]).code, 0);
    check(&given);
}

#[test]
fn a_command_that_is_rejected_leaves_nothing_behind() {
    let project = Project::new("//- code/a.py\ndef first():\n    return 1\n//- empty/.gitignore\n*\n");
    let given = project.home().join("given");
    fs::create_dir(&given).unwrap();
    fs::set_permissions(&given, fs::Permissions::from_mode(0o755)).unwrap();
    let new = project.home().join("new/deep/index").display().to_string();
    let given = given.display().to_string();
    let before = (contents(&project.root()), contents(&project.home()));
    let check = |args: &[&str], env: &[(&str, &str)], code: i32| {
        for place in [&[][..], &["--index-dir", &given], &["--index-dir", &new]] {
            let args = [args, place].concat();
            let output = project.run(&Run { args: &args, env, ..Run::default() });
            assert_eq!(output.code, code, "{args:?}: {}", output.stderr);
            assert_eq!((contents(&project.root()), contents(&project.home())), before, "{args:?}");
        }
    };
    check(&["index", "--root", "empty"], &[], 3);
    check(&["search", "first", "--root", "empty"], &[], 3);
    check(&["index", "--root", "code"], &[("CDS_MAX_FILES", "0"), ("CDS_MAX_TOTAL_SIZE", "1")], 2);
    check(&["search", "first", "--root", "code"], &[("CDS_MAX_TOTAL_SIZE", "1")], 2);
    check(&["search", "first", "--root", "code"], &[("CDS_LIMIT", "0")], 2);
    check(&["status", "--root", "code"], &[], 3);
    check(&["index", "--root", "code", "--max-memory", "1K"], &[], 2);
}

#[test]
fn settings_and_instructions_are_not_written_through_links() {
    let project = Project::new(CODE);
    let decoys = decoys(&project);
    let before = contents(&project.home());
    let attack = |link: &str, target: &Path, args: &[&str]| {
        let path = project.path(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, &path).unwrap();
        let output = project.cds(args);
        assert!(matches!(output.code, 2 | 5), "{link}: {output:?}");
        assert!(output.stderr.contains("link"), "{link}: {}", output.stderr);
        assert_eq!(contents(&project.home()), before, "{link}");
        fs::remove_file(path).unwrap();
    };
    for target in [decoys.join("text"), decoys.join("new")] {
        attack(".mcp.json", &target, &["install", "claude"]);
        attack("CLAUDE.md", &target, &["install", "claude"]);
        attack("AGENTS.md", &target, &["install", "codex"]);
        attack(".mcp.json", &target, &["uninstall", "claude"]);
    }
    attack(".cursor", &decoys, &["install", "cursor"]);
    fs::write(decoys.join("toml"), "").unwrap();
    let before = contents(&project.home());
    symlink(decoys.join("toml"), project.path(".cds.toml")).unwrap();
    let output = project.cds(&["model", "use", "none", "--for", "sparse"]);
    assert!(output.code != 0 && output.stderr.contains("link"), "{output:?}");
    assert_eq!(contents(&project.home()), before);
}

#[test]
fn the_token_is_sent_to_no_socket_that_a_repository_links_to() {
    use std::io::Read;
    let project = Project::new(CODE);
    assert_eq!(project.cds(&["index"]).code, 0);
    let outside = project.home().join("other.sock");
    let listener = std::os::unix::net::UnixListener::bind(&outside).unwrap();
    listener.set_nonblocking(true).unwrap();
    symlink(&outside, project.path(".cds-index/daemon.sock")).unwrap();
    let env = [("CDS_TOKEN", "s3cr3t")];
    assert_eq!(project.run(&Run { args: &["symbol", "first"], env: &env, ..Run::default() }).code, 0);
    let asked = listener.accept().map(|(mut stream, _)| {
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    });
    assert!(asked.is_err(), "{asked:?}");
    assert!(fs::symlink_metadata(&outside).unwrap().file_type().is_socket());
}
