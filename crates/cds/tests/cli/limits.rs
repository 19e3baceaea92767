//! What may be asked, and what indexing may take: every limit is told by name.

use std::process::Command;

use crate::fixture::{Project, Run, column};

fn project() -> Project {
    let many: String = (0..30).map(|i| format!("//- f{i:02}.py\ndef needle_{i}(a):\n    return needle(a)\n")).collect();
    Project::new(&many)
}

/// One long line that is slow for `a[ab]{4000}c`: every byte begins another state.
fn noise() -> String {
    let mut seed = 7u32;
    let coin = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 16 & 1 == 0 { 'a' } else { 'b' }
    };
    (0..900_000).map(coin).collect()
}

#[test]
fn a_question_beyond_a_limit_is_refused_by_the_name_of_the_limit() {
    let project = project();
    let long = "x".repeat(10_001);
    let ids: Vec<String> = (0..10_001).map(|i| format!("f{i}")).collect();
    let paths: Vec<String> = (0..1_001).flat_map(|i| ["--path".to_owned(), format!("f{i}")]).collect();
    let paths: Vec<&str> = [&["search", "x"][..], &paths.iter().map(String::as_str).collect::<Vec<_>>()].concat();
    let check = |args: &[&str], says: &str| {
        let output = project.cds(args);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{says}: {}", output.stderr);
        assert!(output.stderr.contains(says), "{says}: {}", output.stderr);
    };
    check(&["search", "x", "--limit", "1001"], "limit must be between 1 and 1000, not 1001");
    check(&["search", "x", "--limit", "0"], "limit must be between 1 and 1000, not 0");
    check(&["search", "x", "--granularity", "both", "--files", "1001"], "files must be between 1 and 1000, not 1001");
    check(&["search", "x", "--depth", "6"], "6 is not in 0..=5");
    check(&["search", "x", "--cursor", "4000000000"], "cursor must be between 0 and 1000000, not 4000000000");
    check(&["search", "x", "--path", &long], "path must have at most 10000 characters, not 10001");
    check(&["search", "x", "--node-name", &long], "node_name must have at most 10000 characters, not 10001");
    check(&paths, "path takes at most 1000 values, not 1001");
    check(&["symbol", &long], "name must have at most 10000 characters, not 10001");
    check(&["grep", &long], "pattern must have at most 10000 characters, not 10001");
    check(&["grep", "x", "-n", "0"], "limit must be between 1 and 1000000, not 0");
    check(&["traverse", "x", "--depth", "11"], "depth must be between 1 and 10, not 11");
    check(&["traverse", "x", "-n", "100001"], "limit must be between 1 and 100000, not 100001");
    check(&["callers", &long], "name must have at most 10000 characters, not 10001");
    let output = project.run(&Run { args: &["retrieve", "-"], stdin: &ids.join("\n"), ..Run::default() });
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("the number of ids must be between 0 and 10000, not 10001"), "{}", output.stderr);
    // Of a long query, such as a pasted log, the beginning is read, and it says so.
    let cut = project.json_or_nothing(&["search", &format!("needle_3 {long}")]);
    assert_eq!(cut["warnings"][0], "only the first 10000 characters of the query were read");
}

#[test]
fn time_that_runs_out_gives_what_there_is_and_says_so() {
    let project = project();
    project.write("noise.txt", noise());
    assert_eq!(project.cds(&["index"]).code, 0);
    let run = |args: &[&str]| project.run(&Run { args, env: &[("CDS_TIME_LIMIT_MS", "1000")], ..Run::default() });
    let output = run(&["grep", "needle_1.*|a[ab]{4000}c", "-f", "json", "--no-update"]);
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&answer["partial"], &answer["timed_out"]), (&true.into(), &true.into()), "{}", output.stderr);
    assert!(output.stderr.contains("raise search.time_limit_ms"), "{}", output.stderr);
    assert!(!column(&answer, "path").is_empty(), "what was found is there");
    let whole = project.json(&["grep", "needle_1.*|zzz", "--no-update"]);
    assert_eq!((&whole["partial"], whole.get("timed_out")), (&false.into(), None));
}

#[test]
fn patterns_have_limits_and_time_holds_inside_one_line() {
    let project = project();
    let check = |args: &[&str], says: &str| {
        let started = std::time::Instant::now();
        let output = project.cds(args);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains(says), "{args:?}: {}", output.stderr);
        assert!(started.elapsed() < std::time::Duration::from_secs(10), "{args:?}: {:?}", started.elapsed());
    };
    check(&["grep", "a{1,1000}{1,1000}"], "expands to 1000000 states, the limit is 10000");
    check(&["grep", "(?i)\\p{L}{1000}"], "expands to 20000 states, the limit is 10000");
    let deep = format!("{}a{}", "(".repeat(200), ")".repeat(200));
    check(&["grep", &deep], "nested too deeply: the limit is 100 levels");
    check(&["search", "x", "--node-name", "/a{1,1000}{1,1000}/"], "node_name: the expression is too large");
    check(&["search", "x", "--path", &"a".repeat(5_000)], "path: a path pattern has at most 4096 bytes, not 5000");
    project.write("noise.txt", noise());
    let started = std::time::Instant::now();
    let env = [("CDS_TIME_LIMIT_MS", "500")];
    let output = project.run(&Run { args: &["grep", "a[ab]{4000}c", "-f", "json"], env: &env, ..Run::default() });
    let answer: serde_json::Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
    assert_eq!(answer["timed_out"], true);
    assert!(started.elapsed() < std::time::Duration::from_secs(15), "{:?}", started.elapsed());
}

#[test]
fn a_large_tree_is_not_indexed_unasked() {
    let project = project();
    let limit = [("CDS_MAX_FILES", "29")];
    let run = |args: &[&str], env: &[(&str, &str)]| project.run(&Run { args, env, ..Run::default() });
    for args in [&["index"][..], &["search", "needle"], &["symbol", "needle_1"], &["watch"]] {
        let output = run(args, &limit);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}: {}", output.stderr);
        let says = "has 30 files (0.0 MB), more than index.max_files 29 or index.max_total_size 5000000000";
        assert!(output.stderr.contains(says) && output.stderr.contains("--yes"), "{}", output.stderr);
        assert!(!project.path(".cds-index").exists(), "nothing is left behind");
    }
    let output = run(&["index"], &[("CDS_MAX_TOTAL_SIZE", "100")]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert_eq!(run(&["search", "needle", "--yes"], &limit).code, 0);
    // Who said yes is not asked about every change.
    project.write("more.py", "def more():\n    pass\n");
    assert_eq!(run(&["symbol", "more"], &limit).code, 0);
    assert_eq!(run(&["index", "--force"], &limit).code, 0);
}

#[test]
fn the_home_folder_and_the_root_of_the_system_are_not_indexed_unasked() {
    let project = project();
    let home = project.root();
    let env = [("HOME", home.to_str().unwrap())];
    let run = |args: &[&str]| project.run(&Run { args, env: &env, ..Run::default() });
    let output = run(&["search", "needle"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    assert!(output.stderr.contains("is your home folder: name a project with --root, or index it all with --yes"));
    assert!(!project.path(".cds-index").exists());
    assert_eq!(run(&["index", "--yes"]).code, 0);
    assert_eq!(run(&["search", "needle"]).code, 0, "once it is indexed there is nothing to ask");
    let elsewhere = project.home().join("elsewhere");
    let output = run(&["index", "/", "--index-dir", elsewhere.to_str().unwrap()]);
    assert_eq!((output.code, elsewhere.exists()), (2, false), "{}", output.stderr);
    assert!(output.stderr.contains("/ is the root of the file system"), "{}", output.stderr);
}

#[test]
fn fewer_threads_less_memory_and_low_priority_give_the_same_answers() {
    let project = project();
    for i in 0..60 {
        let functions: String = (0..40).map(|k| format!("def f_{i}_{k}(x):\n    return x.y_{k} + {i}\n\n")).collect();
        project.write(&format!("many/g{i}.py"), functions);
    }
    let answers = || {
        let mut found =
            project.json(&["search", "needle y_3 f_7", "--no-update", "-n", "40", "--granularity", "chunk"]);
        found.as_object_mut().unwrap().remove("timings_ms");
        for hit in found["hits"].as_array_mut().unwrap() {
            hit["indexed_at"].take();
        }
        found
    };
    assert_eq!(project.cds(&["index"]).code, 0);
    let usual = answers();
    let output = project.cds(&["index", "--force", "--jobs", "1", "--max-memory", "32M", "--nice"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(answers(), usual);
    for (args, says) in [
        (["--jobs", "2000"], "index.jobs must be between 0 and 1024, not 2000"),
        (["--max-memory", "1M"], "index.max_memory must be at least 32M, not 1M"),
        (["--max-memory", "much"], "index.max_memory \"much\": use bytes, or a number with K, M or G"),
    ] {
        let output = project.cds(&[&["index"][..], &args].concat());
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains(says), "{}", output.stderr);
    }
    let output = project.run(&Run { args: &["search", "x"], env: &[("CDS_JOBS", "many")], ..Run::default() });
    assert!(
        output.code == 2 && output.stderr.contains("$CDS_JOBS: index.jobs must be a whole number"),
        "{}",
        output.stderr
    );
}

#[cfg(target_os = "linux")]
#[test]
fn threads_and_priority_are_what_was_asked_for() {
    let project = project();
    let mut watcher = project.command(&["watch", "--nice", "--jobs", "1"]);
    let mut child = watcher.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let is_ready = std::io::BufRead::lines(stderr).map_while(Result::ok).any(|line| line.starts_with("watching"));
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let nice: i32 = fields[16].parse().unwrap();
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    assert_eq!((is_ready, child.wait().unwrap().code()), (true, Some(0)));
    assert!(nice >= 10, "{nice}");
}
