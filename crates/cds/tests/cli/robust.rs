//! Input that no one writes by hand, and that must not hurt.

use std::time::{Duration, Instant};

use crate::fixture::{Project, column};

/// Indexes a project with one odd file beside an ordinary one, and finds the ordinary one.
fn check(path: &str, content: impl AsRef<[u8]>) -> Project {
    let project = Project::new("//- ordinary.py\ndef ordinary():\n    return 1\n");
    project.write(path, content);
    let started = Instant::now();
    let output = project.cds(&["index"]);
    assert_eq!(output.code, 0, "{path}: {}", output.stderr);
    assert!(!output.stderr.contains("panicked"), "{path}: {}", output.stderr);
    assert!(started.elapsed() < Duration::from_secs(20), "{path}: {:?}", started.elapsed());
    assert_eq!(project.ids(&["symbol", "ordinary"]), ["ordinary.py:ordinary"], "{path}");
    project
}

#[test]
fn deep_nesting() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + " needle " + &close.repeat(100_000);
    let project = check("deep.py", deep("(", ")"));
    project.write("deep.rs", deep("{", "}"));
    project.write("deep.js", deep("[", "]"));
    project.write("deep.go", deep("(", ")"));
    project.write("Deep.java", deep("{", "}"));
    project.write("open.c", "(".repeat(10_000));
    project.write("classes.py", (0..300).map(|i| format!("{}class C{i}:\n", " ".repeat(i))).collect::<String>());
    let found = project.cds(&["search", "needle", "-f", "paths"]);
    let mut paths: Vec<&str> = found.stdout.lines().collect();
    paths.sort_unstable();
    assert_eq!(paths, ["Deep.java", "deep.go", "deep.js", "deep.py", "deep.rs"], "{}", found.stderr);
    assert_eq!(project.cds(&["symbol", "C299"]).code, 0);
}

/// A limit that only the owner of the machine raises.
fn allow_large_files(project: &Project) {
    let folder = project.home().join(".config/cds");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "[index]\nmax_file_size = 10000000\n").unwrap();
}

#[test]
fn a_line_of_five_megabytes() {
    let line = "let value = needle + 1; ".repeat(5_000_000 / 24);
    let project = check("line.js", &line);
    assert_eq!(project.json(&["status", "--problems"])["problems"][0]["reason"], "too_large");
    allow_large_files(&project);
    let found = project.cds(&["search", "needle"]);
    assert!(found.stdout.starts_with("line.js:1-1") && found.stdout.len() < 2_000, "a preview is short");
    let grep = project.json(&["grep", "needle", "--path", "line.js"]);
    assert!(grep["hits"][0]["text"].as_str().unwrap().len() <= 500);
    assert_eq!(grep["total"], 1);
}

#[test]
fn a_hundred_thousand_lines() {
    let text: String = (0..100_000).map(|i| format!("x{i} = {i}\n")).collect();
    let project = check("long.py", text + "\n\ndef needle_at_the_end():\n    return 1\n");
    allow_large_files(&project);
    let hit = project.json(&["symbol", "needle_at_the_end"])["hits"][0].clone();
    assert_eq!((&hit["start_line"], &hit["end_line"]), (&100_003.into(), &100_004.into()));
    let found = project.json(&["retrieve", "long.py:50001"]);
    assert_eq!(column(&found, "snippet"), ["x50000 = 50000"]);
}

#[test]
fn files_without_words() {
    let odd = [
        ("blank.py", "   \n\t\n\n"),
        ("empty.rs", ""),
        ("newline.go", "\n"),
        ("only_comment.py", "# \n"),
        ("punctuation.md", "---\n***\n"),
        ("bom.py", "\u{feff}"),
        ("carriage.py", "\r\r\r"),
    ];
    let project = check(odd[0].0, odd[0].1);
    for (path, content) in odd {
        project.write(path, content);
    }
    for (path, _) in odd {
        let outline = project.json(&["outline", path]);
        assert_eq!(outline["files"][0]["path"], path);
        assert!(project.cds(&["retrieve", path]).code <= 1, "{path}");
    }
    assert_eq!(project.json(&["status"])["files"], 8, "all of them, and the ordinary one");
}

#[test]
fn bytes_that_are_no_text() {
    let noise: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
    let project = check("noise.py", &noise);
    for path in ["noise.rs", "noise.md", "noise.html", "noise.txt"] {
        project.write(path, &noise);
    }
    project.write("half.py", b"def caf\xc3");
    project.write("wide.txt", b"\xff\xfe\x00");
    let output = project.cds(&["symbol", "ordinary"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert_eq!(project.json(&["status"])["files"], 8);
}

#[test]
fn odd_names_of_files() {
    let project = Project::new("");
    let names = [
        "with space.py",
        "ünïcode/日本.py",
        "-dash.py",
        "colon:name.py",
        "quote\"'.py",
        "a.py.py",
        "#hash.py",
        "*star?.py",
    ];
    for (i, name) in names.iter().enumerate() {
        project.write(name, format!("def function_{i}():\n    return needle\n"));
    }
    for (i, name) in names.iter().enumerate() {
        let found = project.json(&["symbol", &format!("function_{i}")]);
        assert_eq!(column(&found, "path"), [*name]);
        let id = format!("{name}:function_{i}");
        assert_eq!(column(&found, "id"), [id.as_str()]);
        let code = project.json(&["retrieve", "--", &id, &format!("{name}:2")]);
        assert_eq!(column(&code, "snippet")[1], "    return needle", "{name}");
    }
    assert_eq!(project.cds(&["search", "needle", "-f", "paths", "-n", "50"]).stdout.lines().count(), names.len());
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_files_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new("//- ordinary.py\ndef ordinary():\n    return 1\n");
    let name = std::ffi::OsStr::from_bytes(b"bad\xff.py");
    std::fs::write(project.root().join(name), "def oddly_named():\n    return 1\n").unwrap();
    let output = project.cds(&["symbol", "oddly_named"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("bad\u{fffd}.py"), "{}", output.stdout);
    assert_eq!(project.cds(&["symbol", "ordinary"]).code, 0);
    let folder = project.root().join(std::ffi::OsStr::from_bytes(b"fold\xfeer"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("inner.py"), "def inside():\n    return 1\n").unwrap();
    assert_eq!(project.cds(&["symbol", "inside"]).code, 0);
    // Known by their own bytes, they are not read anew each time.
    let generation = project.generation();
    assert_eq!(project.json(&["status"])["freshness"], "fresh");
    assert_eq!(project.json(&["symbol", "inside"])["hits"][0]["stale"], false);
    assert_eq!(project.generation(), generation);
    std::fs::write(project.root().join(name), "def changed():\n    return 2\n").unwrap();
    assert_eq!(project.cds(&["symbol", "changed"]).code, 0, "and changes are seen");
}

#[cfg(target_os = "linux")]
#[test]
fn of_names_that_are_written_alike_the_second_is_listed() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new("//- ordinary.py\ndef ordinary():\n    return 1\n");
    for (i, name) in [&b"bad\xfe.py"[..], b"bad\xff.py"].into_iter().enumerate() {
        let path = project.root().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, format!("def alike_{i}():\n    return 1\n")).unwrap();
    }
    assert_eq!(project.ids(&["symbol", "alike_*"]), ["bad\u{fffd}.py:alike_0"]);
    let status = project.json(&["status", "--problems"]);
    assert_eq!((&status["freshness"], &status["files"]), (&"fresh".into(), &2.into()));
    let problem = &status["problems"][0];
    assert_eq!((&problem["reason"], &problem["skipped"]), (&"same_name".into(), &true.into()));
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("bad\\xFF.py") && detail.contains("bad\\xFE.py"), "{detail}");
    let generation = project.generation();
    project.cds(&["index"]);
    assert_eq!(project.generation(), generation, "nothing is stale for ever");
}

#[test]
fn odd_queries() {
    let project = Project::new("//- a.py\ndef ordinary():\n    return \"日本語\"\n");
    let long = "word ".repeat(5_000);
    for query in [
        "\"",
        "\"\"",
        "*",
        "**",
        "\"*\"",
        "a*b",
        "::",
        "->",
        "...",
        "()",
        "\\",
        "/",
        "'; drop table",
        "--",
        "\u{0}x",
        "🎉",
        "日",
        "日本",
        "\"日本語\"",
        "ﬁ",
        "İ",
        "-",
        "\t\n",
        "or and not",
        "\" \"",
        "\"a",
        &long,
    ] {
        for args in [
            &["search"][..],
            &["search", "--preset", "cds-index"],
            &["symbol"],
            &["symbol", "--fuzzy"],
            &["grep", "-F"],
            &["retrieve"],
        ] {
            // The system itself refuses NUL in arguments.
            if query.contains('\0') {
                continue;
            }
            let output = project.cds(&[args, &["--", query]].concat());
            assert!(output.code <= 2, "{args:?} {query:?}: {output:?}");
            assert!(!output.stderr.contains("panicked"), "{args:?} {query:?}: {output:?}");
        }
    }
    assert_eq!(project.ids(&["search", "日本"]), ["a.py:ordinary"]);
    let cut = project.json_or_nothing(&["search", &format!("ordinary {long}")]);
    assert_eq!(column(&cut, "id"), ["a.py:ordinary"]);
    assert_eq!(cut["warnings"][0], "only the first 10000 characters of the query were read");
}
