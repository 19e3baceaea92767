//! `cds index` and `cds status`: which files, what is kept, what happens to a damaged index.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::fixture::{Project, Run, files_below};

/// Paths in the index.
fn indexed(project: &Project) -> Vec<String> {
    let output = project.cds(&["outline", "-f", "paths"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout.lines().map(str::to_owned).collect()
}

/// `parsed`, `reused`, `removed` and `changed` of one run.
fn build(project: &Project, args: &[&str]) -> (u64, u64, u64, bool) {
    let report = project.json(&[&["index"], args].concat());
    let number = |field: &str| report[field].as_u64().unwrap();
    (number("parsed"), number("reused"), number("removed"), report["changed"].as_bool().unwrap())
}

const THREE: &str = "\
//- a.py
def first():
    return 1
//- b.rs
pub fn second() {}
//- sub/c.go
package c

func third() {}
";

#[test]
fn only_what_changed_is_read_again() {
    let project = Project::new(THREE);
    assert_eq!(build(&project, &[]), (3, 0, 0, true));
    assert_eq!(build(&project, &[]), (0, 3, 0, false));
    let human = project.cds(&["index"]).stdout;
    assert!(human.starts_with("up to date: 3 files, nothing changed"), "{human}");
    project.write("a.py", "def first():\n    return 2\n");
    assert_eq!(build(&project, &[]), (1, 2, 0, true));
    project.write("sub/d.go", "package c\n\nfunc fourth() {}\n");
    assert_eq!(build(&project, &[]), (1, 3, 0, true));
    project.remove("b.rs");
    assert_eq!(build(&project, &[]), (0, 3, 1, true));
    assert_eq!(project.cds(&["symbol", "second"]).code, 1);
    assert_eq!(project.cds(&["symbol", "fourth"]).code, 0);
    // A touched file with the same text is not parsed again.
    let touched = fs::File::options().write(true).open(project.path("a.py")).unwrap();
    touched.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(5)).unwrap();
    assert_eq!(build(&project, &[]).0, 0);
    assert_eq!(build(&project, &["--force"]), (3, 0, 0, true));
}

#[test]
fn an_updated_index_equals_a_clean_build() {
    let project = Project::new(THREE);
    build(&project, &[]);
    project.write("a.py", "class Moved:\n    def first(self):\n        return third()\n");
    build(&project, &[]);
    fs::rename(project.path("sub"), project.path("renamed")).unwrap();
    build(&project, &[]);
    project.remove("b.rs");
    project.write("b.rs/inner.rs", "pub struct Inner;\n");
    build(&project, &[]);
    project.write("zero.py", "");
    build(&project, &[]);
    let answers = || {
        let mut all = Vec::new();
        for args in [
            &["outline", "--depth", "9"][..],
            &["search", "first third inner"],
            &["symbol", "*", "-n", "100"],
            &["grep", "."],
        ] {
            let mut answer = project.json(args);
            answer.as_object_mut().unwrap().remove("timings_ms");
            for hit in answer["hits"].as_array_mut().into_iter().flatten() {
                hit["indexed_at"].take();
            }
            all.push(answer);
        }
        all
    };
    let updated = answers();
    build(&project, &["--force"]);
    assert_eq!(updated, answers());
}

#[test]
fn ignore_files_of_every_kind_are_respected() {
    let project = Project::new(
        "\
//- .gitignore
*.log
build/
!keep.log
//- .ignore
by_ignore.py
//- .cdsignore
by_cdsignore/
//- .git/info/exclude
by_exclude.py
//- nested/.gitignore
/local.py
//- a.py
x = 1
//- b.log
x
//- keep.log
x
//- build/out.py
x = 1
//- by_ignore.py
x = 1
//- by_cdsignore/a.py
x = 1
//- by_exclude.py
x = 1
//- nested/local.py
x = 1
//- nested/deeper/local.py
x = 1
//- nested/b.log
x
",
    );
    let code: Vec<String> = indexed(&project).into_iter().filter(|p| !p.ends_with("ignore")).collect();
    assert_eq!(code, ["a.py", "keep.log", "nested/deeper/local.py"]);
    // An ignore file that changes changes the index.
    project.write(".gitignore", "a.py\n");
    let code: Vec<String> = indexed(&project).into_iter().filter(|p| !p.ends_with("ignore")).collect();
    assert_eq!(code, ["b.log", "build/out.py", "keep.log", "nested/b.log", "nested/deeper/local.py"]);
}

#[test]
fn ignore_files_count_without_a_repository_and_the_user_s_own_too() {
    let project =
        Project::new("//- .gitignore\nhidden.py\n//- hidden.py\nx = 1\n//- shown.py\nx = 1\n//- mine.tmp\nx\n");
    let folder = project.home().join(".config/git");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("ignore"), "*.tmp\n").unwrap();
    assert_eq!(indexed(&project), [".gitignore", "shown.py"]);
}

#[test]
fn folders_of_tools_are_never_entered() {
    let mut fixture = "//- src/a.py\nx = 1\n//- .github/workflows/ci.yml\non: push\n".to_owned();
    for folder in ["node_modules/left-pad", ".git", ".hg", ".svn", ".venv/lib", "__pycache__", "deep/node_modules"] {
        fixture.push_str(&format!("//- {folder}/never.py\nx = 1\n"));
    }
    fixture.push_str("//- env/pyvenv.cfg\nhome = /usr\n//- env/lib/never.py\nx = 1\n");
    let project = Project::new(&fixture);
    assert_eq!(indexed(&project), [".github/workflows/ci.yml", "src/a.py"]);
    assert_eq!(indexed(&project), [".github/workflows/ci.yml", "src/a.py"], "nor is the index itself");
}

#[cfg(unix)]
#[test]
fn links_are_listed_and_not_followed() {
    let project = Project::new("//- real/a.py\ndef only_once():\n    pass\n");
    let outside = project.home().join("outside.py");
    fs::write(&outside, "def outside():\n    pass\n").unwrap();
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, project.path(name)).unwrap();
    link("real/a.py", "link.py");
    link(".", "loop");
    link("..", "real/up");
    link("nowhere", "dangling");
    link(outside.to_str().unwrap(), "outside.py");
    link(project.home().to_str().unwrap(), "elsewhere");
    assert_eq!(indexed(&project), ["real/a.py"]);
    assert_eq!(project.json(&["symbol", "only_once"])["total"], 1);
    assert_eq!(project.cds(&["symbol", "outside"]).code, 1);
    let problems = project.json(&["status", "--problems"])["problems"].clone();
    let found: Vec<&str> = problems.as_array().unwrap().iter().map(|p| p["path"].as_str().unwrap()).collect();
    assert_eq!(found, ["dangling", "elsewhere", "link.py", "loop", "outside.py", "real/up"]);
    assert!(problems.as_array().unwrap().iter().all(|p| p["reason"] == "symlink" && p["skipped"] == true));
}

#[test]
fn what_cannot_be_indexed_is_listed_with_its_reason() {
    let project = Project::new("//- good.py\ndef good():\n    return 1\n//- broken.py\ndef broken(:\n    return 2\n");
    project.write("binary.dat", b"\x7fELF\0\x01\x02");
    project.write("latin.py", b"def latin():\n    return \"caf\xe9\"\n");
    project.write("large.txt", "word ".repeat(1_000));
    project.write("empty.py", "");
    project.write("blank.py", " \n\t\n\n");
    project.write("wide.txt", b"\xff\xfeh\0e\0l\0l\0o\0w\0i\0d\0e\0");
    project.write(".cds.toml", "[index]\nmax_file_size = 4000\n");
    assert_eq!(project.cds(&["index"]).code, 0);
    let status = project.json(&["status", "--problems"]);
    let rows: Vec<String> = status["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            let text = |f: &str| p[f].as_str().unwrap();
            format!("{} {} {}", text("path"), text("reason"), if p["skipped"] == true { "left out" } else { "indexed" })
        })
        .collect();
    let expect = [
        "binary.dat binary left out",
        "broken.py syntax_error indexed",
        "large.txt too_large left out",
        "latin.py invalid_utf8 indexed",
    ];
    assert_eq!(rows, expect);
    let counts = serde_json::json!({"binary": 1, "invalid_utf8": 1, "syntax_error": 1, "too_large": 1});
    assert_eq!(status["problem_counts"], counts);
    let human = project.cds(&["status", "--problems"]).stdout;
    assert!(human.contains("large.txt: too_large (left out) 5000 bytes, more than max_file_size 4000"), "{human}");
    let short = project.cds(&["status"]).stdout;
    assert!(short.contains("binary 1, invalid_utf8 1") && short.contains("cds status --problems"), "{short}");
    assert!(project.cds(&["index", "--force"]).stdout.contains("4 problems, see `cds status --problems`"));
    // What is listed as indexed is found, and so are texts in other encodings.
    for name in ["latin", "broken", "good"] {
        assert_eq!(project.cds(&["symbol", name]).code, 0, "{name}");
    }
    assert_eq!(project.cds(&["search", "hellowide", "-f", "paths"]).stdout, "wide.txt\n");
    assert_eq!(project.cds(&["status", "--problems", "-f", "paths"]).stdout.lines().count(), 4);
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_listed_and_stops_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let project =
        Project::new("//- good.py\ndef good(): pass\n//- secret.py\ndef secret(): pass\n//- locked/a.py\nx = 1\n");
    let set_mode = |path: &str, mode: u32| {
        fs::set_permissions(project.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode("secret.py", 0o000);
    set_mode("locked", 0o000);
    let Some(program) = unprivileged(&project) else {
        eprintln!("skipped: this user reads everything and may not become another");
        return;
    };
    let cds = |args: &[&str]| -> Value {
        let mut command = Command::new(program[0]);
        let output = command.args(&program[1..]).arg("-f").arg("json").args(args).current_dir(project.root());
        let output = output.env_clear().env("HOME", project.home()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let problems = || -> Vec<String> {
        let status = cds(&["status", "--problems"]);
        let rows = status["problems"].as_array().into_iter().flatten();
        rows.map(|p| format!("{} {} {}", p["path"], p["reason"], p["skipped"]).replace('"', "")).collect()
    };
    let report = cds(&["index"]);
    assert_eq!((&report["files"], &report["problems"]), (&1.into(), &2.into()));
    assert_eq!(problems(), ["locked unreadable true", "secret.py unreadable true"]);
    assert_eq!(cds(&["symbol", "good"])["total"], 1);
    assert_eq!(cds(&["index"])["changed"], false, "they are no reason to write again");
    // A permission changes no time, and is noticed all the same.
    set_mode("secret.py", 0o644);
    assert_eq!((&cds(&["index"])["parsed"], problems()), (&1.into(), vec!["locked unreadable true".to_owned()]));
    assert_eq!(cds(&["symbol", "secret"])["total"], 1);
    set_mode("locked", 0o755);
    assert_eq!((&cds(&["index"])["parsed"], problems().len()), (&1.into(), 0));
}

/// How to run the binary as somebody for whom permissions count: the superuser, who reads everything, becomes nobody and
/// gives the project away. `None` when that is impossible.
#[cfg(unix)]
fn unprivileged(project: &Project) -> Option<Vec<&'static str>> {
    const NOBODY: u32 = 65534;
    const AS_NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    if fs::read(project.path("secret.py")).is_err() {
        return Some(vec![env!("CARGO_BIN_EXE_cds")]);
    }
    let works = Command::new(AS_NOBODY[0]).args(&AS_NOBODY[1..]).arg("true").status().is_ok_and(|s| s.success());
    if !works {
        return None;
    }
    // Where the binary was built, nobody may not look.
    fs::copy(env!("CARGO_BIN_EXE_cds"), project.home().join("cds")).unwrap();
    let mut folders = vec![project.root().parent().unwrap().to_owned()];
    while let Some(folder) = folders.pop() {
        std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY)).unwrap();
        for entry in fs::read_dir(&folder).unwrap().map(|e| e.unwrap()) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                std::os::unix::fs::chown(entry.path(), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
    }
    Some([&AS_NOBODY[..], &["../home/cds"]].concat())
}

#[test]
fn a_file_left_out_that_becomes_readable_in_place_is_found_by_the_next_search() {
    let project = Project::new(THREE);
    project.write(".cds.toml", "[index]\nmax_file_size = 4000\n");
    project.write("large.py", "x = 1\n".repeat(1_000));
    project.write("binary.py", b"\x00\x01\x02");
    assert_eq!(indexed(&project), [".cds.toml", "a.py", "b.rs", "sub/c.go"]);
    let generation = project.generation();
    assert_eq!(project.json(&["status"])["freshness"], "fresh");
    // In place: the folder's time stays.
    let rewrite = |path: &str, text: &str| fs::write(project.path(path), text).unwrap();
    rewrite("large.py", "def no_longer_large():\n    pass\n");
    assert_eq!(project.json(&["status"])["changed"], 1);
    assert_eq!(project.cds(&["symbol", "no_longer_large"]).code, 0);
    rewrite("binary.py", "def no_longer_binary():\n    pass\n");
    assert_eq!(project.cds(&["symbol", "no_longer_binary"]).code, 0);
    // And the other way round.
    rewrite("binary.py", "\0");
    assert_eq!(project.cds(&["symbol", "no_longer_binary"]).code, 1);
    assert_ne!(project.generation(), generation);
    let generation = project.generation();
    project.cds(&["symbol", "first"]);
    assert_eq!(project.generation(), generation, "and then there is peace");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_old_index_whole() {
    let project = Project::new("//- old.py\ndef before(): pass\n");
    build(&project, &[]);
    let old = project.generation();
    // A reader leaves its lock behind.
    let files = || -> Vec<String> { files_below(&old).into_iter().filter(|f| !f.ends_with(".lock")).collect() };
    let stored = files();
    // Several batches: there is always one more to come.
    let functions: String =
        (0..25).map(|i| format!("def function_{i}(a, b):\n    return a.method_{i}(b) + {i}\n\n")).collect();
    for i in 0..1_200 {
        project.write(&format!("many/f{i}.py"), format!("{functions}def after_{i}(): pass\n"));
    }
    let mut command = project.command(&["index"]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // Midway: the new generation was begun.
    let begun = project.path(".cds-index/p000002/files.bin");
    while !begun.exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let status = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(130), &b""[..]), "{stderr}");
    assert_eq!(stderr, "cds: indexing was interrupted; the previous index is unchanged: run it again when you like\n");

    assert_eq!((project.generation(), files()), (old.clone(), stored), "nothing of it was touched");
    assert!(!project.path(".cds-index/g000002").exists(), "and nothing is left over");
    assert_eq!(project.ids(&["symbol", "before", "--no-update"]), ["old.py:before"]);
    assert_eq!(project.cds(&["symbol", "after_7", "--no-update"]).code, 1);
    assert_eq!(build(&project, &[]), (1_200, 1, 0, true));
    assert_eq!(project.ids(&["symbol", "after_7"]), ["many/f7.py:after_7"]);
}

#[test]
fn c7_a_saved_index_answers_as_the_one_that_was_built() {
    let project = Project::new(THREE);
    let commands = [&["outline", "--depth", "9"][..], &["symbol", "*", "-n", "100"]];
    // The first process builds and answers, the second loads and answers.
    let built = commands.map(|args| project.json(args));
    let generation = project.generation();
    assert_eq!(commands.map(|args| project.json(args)), built);
    assert_eq!(project.generation(), generation, "nothing was written again");
    let status = project.json(&["status"]);
    assert_eq!((&status["files"], &status["freshness"]), (&3.into(), &"fresh".into()));
    assert_eq!(status["entities"], 8, "three files, two folders, three functions: {status}");
}

#[test]
fn c7_another_format_is_a_clear_error_and_index_rebuilds() {
    let project = Project::new(THREE);
    build(&project, &[]);
    let manifest = project.path(".cds-index/manifest.json");
    let good = fs::read_to_string(&manifest).unwrap();
    let format = project.json(&["status"])["format"].as_u64().unwrap();
    for other in [0, format + 1, 4_000_000_000] {
        let text = good.replacen(&format!("\"format\":{format}"), &format!("\"format\":{other}"), 1);
        assert_ne!(text, good);
        fs::write(&manifest, text).unwrap();
        for args in [
            &["search", "first"][..],
            &["symbol", "first"],
            &["outline"],
            &["grep", "x"],
            &["retrieve", "a.py"],
            &["status"],
        ] {
            let output = project.cds(args);
            assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{args:?}");
            let says = format!("has format {other}, this cds reads format {format}: run `cds index` to rebuild it");
            assert!(output.stderr.contains(&says), "{args:?}: {}", output.stderr);
        }
    }
    assert_eq!(build(&project, &[]), (3, 0, 0, true));
    assert_eq!(project.cds(&["symbol", "first"]).code, 0);
}

#[test]
fn c13_the_index_lives_where_it_is_told_to() {
    let elsewhere = |project: &Project, name: &str| project.home().join(name);
    let check = |args: &[&str], env: &[(&str, &str)], project: &Project, home: &std::path::Path| {
        for command in [&["index"][..], &["search", "first", "-f", "paths"], &["status"]] {
            let args = [command, args].concat();
            let output = project.run(&Run { args: &args, env, ..Run::default() });
            assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
        }
        assert!(home.join("manifest.json").exists());
        assert!(!project.path(".cds-index").exists(), "nothing in the project");
    };
    for variable in ["GRAPH_INDEX_DIR", "CDS_INDEX_DIR"] {
        let project = Project::new(THREE);
        let home = elsewhere(&project, "one");
        check(&[], &[(variable, home.to_str().unwrap())], &project, &home);
    }
    let project = Project::new(THREE);
    let (one, two) = (elsewhere(&project, "one"), elsewhere(&project, "two"));
    let env = [("GRAPH_INDEX_DIR", one.to_str().unwrap())];
    check(&["--index-dir", two.to_str().unwrap()], &env, &project, &two);
    assert!(!one.exists(), "the flag wins");
    // Inside the root, it is not indexed itself.
    let project = Project::new(THREE);
    check(&["--index-dir", "my-index"], &[], &project, &project.path("my-index"));
    let output = project.cds(&["outline", "-f", "paths", "--index-dir", "my-index"]);
    assert_eq!(output.stdout, "a.py\nb.rs\nsub/c.go\n");
}

#[test]
fn one_generation_is_left_and_leftovers_of_a_killed_run_do_no_harm() {
    let project = Project::new(THREE);
    build(&project, &[]);
    project.write(".cds-index/g000999/graph/half", "written");
    project.write(".cds-index/manifest.json.new", "{\"format\":");
    assert_eq!(project.cds(&["symbol", "first"]).code, 0, "the old generation still answers");
    project.write("a.py", "def changed():\n    pass\n");
    assert_eq!(build(&project, &[]), (1, 2, 0, true));
    let generations: Vec<String> = fs::read_dir(project.path(".cds-index"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.starts_with('g'))
        .collect();
    assert_eq!(generations.len(), 1, "{generations:?}");
}

#[test]
fn one_writes_at_a_time_and_readers_do_not_wait() {
    let project = Project::new(THREE);
    build(&project, &[]);
    let lock = fs::File::options().write(true).open(project.path(".cds-index/lock")).unwrap();
    lock.lock().unwrap();
    project.write("a.py", "def changed():\n    pass\n");
    let writer = project.cds(&["index", "--wait", "0"]);
    assert_eq!((writer.code, writer.stdout.as_str()), (4, ""));
    assert!(writer.stderr.contains("another process is indexing"), "{}", writer.stderr);
    let reader = project.json(&["symbol", "first"]);
    assert_eq!(reader["hits"][0]["stale"], true, "answers from what is there");
    lock.unlock().unwrap();
    assert_eq!(project.cds(&["symbol", "changed"]).code, 0);
}

#[test]
fn a_missing_or_truncated_file_of_the_index_is_told_and_force_repairs() {
    let project = Project::new(THREE);
    build(&project, &[]);
    let home = project.path(".cds-index");
    let files: Vec<String> = files_below(&project.generation())
        .into_iter()
        .filter(|f| fs::metadata(project.generation().join(f)).unwrap().len() > 0)
        .collect();
    assert!(files.len() > 10, "{files:?}");
    let commands = [&["search", "first"][..], &["symbol", "first"], &["outline", "a.py"], &["grep", "first"]];
    let right = commands.map(|args| strip(project.json(args)));
    for file in &files {
        // Names of files of the text index differ between generations.
        let Some(path) = files_below(&project.generation()).into_iter().find(|f| f == file) else { continue };
        let path = project.generation().join(path);
        let whole = fs::read(&path).unwrap();
        for damage in [None, Some(&whole[..whole.len() / 2]), Some(&[][..])] {
            match damage {
                None => fs::remove_file(&path).unwrap(),
                Some(bytes) => fs::write(&path, bytes).unwrap(),
            }
            for (args, right) in commands.iter().zip(&right) {
                let output = project.cds(&[*args, &["-f", "json"]].concat());
                let what = format!("{file} {:?} {args:?}: {output:?}", damage.map(<[u8]>::len));
                match output.code {
                    0 => assert_eq!(strip(serde_json::from_str(&output.stdout).unwrap()), *right, "{what}"),
                    code => {
                        assert_eq!((code, output.stdout.as_str()), (3, ""), "{what}");
                        assert!(output.stderr.contains("run `cds index"), "{what}");
                    }
                }
            }
        }
        fs::write(&path, &whole).unwrap();
    }
    fs::write(home.join("manifest.json"), "{\"format\": ").unwrap();
    let output = project.cds(&["search", "first"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.stderr.contains("run `cds index`"), "{}", output.stderr);
    assert_eq!(build(&project, &["--force"]), (3, 0, 0, true));
    assert_eq!(commands.map(|args| strip(project.json(args))), right);
}

/// Without what differs between two builds of the same tree.
fn strip(mut answer: Value) -> Value {
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("timings_ms");
    }
    for hit in answer["hits"].as_array_mut().into_iter().flatten() {
        hit["indexed_at"].take();
        // Its time is the first index's, and that is lost with the manifest.
        hit["chunk_id"].take();
    }
    answer
}

#[test]
fn overwritten_texts_and_postings_are_told() {
    let project = Project::new(THREE);
    build(&project, &[]);
    let generation = project.generation();
    for file in files_below(&generation) {
        let checked = file.contains("bm25") || file.ends_with("files.bin") || file.ends_with("names.fst");
        let path = generation.join(&file);
        let whole = fs::read(&path).unwrap();
        if !checked || whole.is_empty() {
            continue;
        }
        for byte in [0u8, 0xff, 0x5a] {
            fs::write(&path, vec![byte; whole.len()]).unwrap();
            for args in [&["search", "first"][..], &["symbol", "first"], &["grep", "first"], &["search", "fir*"]] {
                let output = project.cds(args);
                let what = format!("{file} {byte} {args:?}: {output:?}");
                assert!(output.code == 0 || output.code == 3 && output.stderr.contains("cds index"), "{what}");
                assert!(output.code != 0 || output.stdout.contains("a.py"), "{what}");
            }
        }
        fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn status_tells_what_is_there_and_whether_it_is_fresh() {
    let project = Project::new(THREE);
    build(&project, &[]);
    let status = project.json(&["status"]);
    assert_eq!((&status["files"], &status["freshness"], &status["changed"]), (&3.into(), &"fresh".into(), &0.into()));
    let languages: Vec<&str> =
        status["languages"].as_array().unwrap().iter().map(|l| l["language"].as_str().unwrap()).collect();
    assert_eq!(languages, ["go", "python", "rust"]);
    assert!(status["index_bytes"].as_u64().unwrap() > 0);
    assert!(status.get("problems").is_none());
    project.write("a.py", "def longer_than_before():\n    return 12345\n");
    let status = project.json(&["status"]);
    assert_eq!((&status["freshness"], &status["changed"]), (&"stale".into(), &1.into()));
    assert!(project.cds(&["status"]).stdout.contains("run `cds index`"));
    project.cds(&["index"]);
    project.write(".cds.toml", "[index]\nmax_file_size = 77\n");
    assert_eq!(project.json(&["status"])["freshness"], "settings changed");
}

#[test]
fn a_flag_of_index_holds_until_the_next_index() {
    let project = Project::new(THREE);
    project.write("large.txt", "needle ".repeat(100));
    build(&project, &["--max-file-size", "300"]);
    assert_eq!(project.cds(&["search", "needle"]).code, 1);
    project.write("a.py", "def changed():\n    pass\n");
    assert_eq!(project.cds(&["symbol", "changed"]).code, 0, "the change is seen");
    assert_eq!(project.cds(&["search", "needle"]).code, 1, "and the limit kept");
    build(&project, &[]);
    assert_eq!(project.cds(&["search", "needle"]).code, 0);
}
