//! Settings in layers, and `cds config`.

use serde_json::Value;

use crate::fixture::{Project, Run};

fn project() -> Project {
    let many: String = (0..12).map(|i| format!("//- f{i:02}.py\ndef needle_{i}():\n    return needle\n")).collect();
    Project::new(&many)
}

fn user_file(project: &Project, text: &str) {
    let folder = project.home().join(".config/cds");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn later_layers_win_and_config_names_the_origin() {
    let project = project();
    let check = |env: &[(&str, &str)], flags: &[&str], hits: usize, origin: &str| {
        let args = [&["search", "needle", "-f", "paths"], flags].concat();
        let output = project.run(&Run { args: &args, env, ..Run::default() });
        assert_eq!(output.stdout.lines().count(), hits, "{origin}: {}", output.stderr);
        let config = project.run(&Run { args: &["config", "-f", "json"], env, ..Run::default() });
        let rows: Vec<Value> = serde_json::from_str(&config.stdout).unwrap();
        let row = rows.iter().find(|r| r["key"] == "search.limit").unwrap();
        let found = row["origin"].as_str().unwrap();
        assert!(found.ends_with(origin), "{found} ends with {origin}");
        if flags.is_empty() {
            assert_eq!(row["value"], hits);
        }
    };
    check(&[], &[], 10, "default");
    user_file(&project, "[search]\nlimit = 2\n");
    check(&[], &[], 2, ".config/cds/config.toml");
    project.write(".cds.toml", "[search]\nlimit = 3\n");
    check(&[], &[], 3, ".cds.toml");
    check(&[("CDS_LIMIT", "4")], &[], 4, "$CDS_LIMIT");
    check(&[("CDS_LIMIT", "4")], &["--limit", "5"], 5, "$CDS_LIMIT");
}

#[test]
fn every_setting_is_listed_with_value_and_origin() {
    let project = project();
    project.write(".cds.toml", "[output]\nformat = \"paths\"\n[index]\ncomments = false\n");
    let output = project.cds(&["config"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let rows = project.json(&["config"]);
    let value = |key: &str| rows.as_array().unwrap().iter().find(|r| r["key"] == key).unwrap()["value"].clone();
    assert_eq!(value("index.comments"), false);
    assert_eq!(value("index.max_file_size"), 1_000_000);
    assert_eq!((value("output.format"), value("index.dir")), ("paths".into(), "".into()));
    let row = |key: &str| output.stdout.lines().find(|l| l.starts_with(key)).unwrap_or_default().to_owned();
    assert!(row("output.format").contains("\"paths\"") && row("output.format").contains(".cds.toml"));
    assert!(row("index.comments").contains("false") && row("index.comments").contains(".cds.toml"));
    assert!(row("search.preset").contains("\"default\"") && row("search.preset").contains(" default "));
    assert_eq!(project.cds(&["symbol", "needle_1"]).stdout, "f01.py\n", "the format is the setting's");
    assert_eq!(project.cds(&["symbol", "needle_1", "-f", "jsonl"]).stdout.lines().count(), 1);
}

#[test]
fn mistakes_name_their_place_and_what_is_meant() {
    let project = project();
    let check = |text: &str, env: &[(&str, &str)], expect: &str| {
        project.write(".cds.toml", text);
        for args in [&["search", "needle"][..], &["config"], &["index"]] {
            let output = project.run(&Run { args, env, ..Run::default() });
            assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{text:?} {args:?}");
            assert!(output.stderr.contains(expect), "{text:?}: {}", output.stderr);
        }
    };
    check("[search]\nlimits = 3\n", &[], ".cds.toml:2: no setting \"search.limits\"; did you mean \"search.limit\"?");
    check("[serch]\nlimit = 3\n", &[], "did you mean \"search.limit\"?");
    check("colour = true\n", &[], ".cds.toml:1: no setting \"colour\"; there are index.comments");
    check("[search]\nlimit = \"ten\"\n", &[], ".cds.toml:2: search.limit must be a whole number, not \"ten\"");
    check("[index]\ncomments = 7\n", &[], "index.comments must be true or false");
    check("[search\n", &[], ".cds.toml");
    check("[output]\nformat = \"xml\"\n", &[], "human, json, jsonl, toon, markdown, paths");
    check("", &[("CDS_LIMIT", "ten")], "$CDS_LIMIT: search.limit must be a whole number");
}

#[test]
fn searching_obeys_every_setting_as_it_does_the_flag() {
    let project = project();
    let check = |env: &[(&str, &str)], flags: &[&str]| {
        let ask = |env: &[(&str, &str)], flags: &[&str]| {
            let args = [&["search", "needle", "-f", "json"], flags].concat();
            let output = project.run(&Run { args: &args, env, ..Run::default() });
            let mut answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
            answer["timings_ms"].take();
            answer
        };
        assert_eq!(ask(env, &[]), ask(&[], flags), "{env:?}");
        assert_ne!(ask(env, &[]), ask(&[], &[]), "{env:?} changes something");
    };
    check(&[("CDS_PRESET", "bm25")], &["--preset", "bm25"]);
    let hierarchical = [("CDS_PRESET", "cds-index"), ("CDS_UPPER_THRESHOLD", "50")];
    check(&hierarchical, &["--preset", "cds-index", "--upper-threshold", "50"]);
    check(&[("CDS_SNIPPET", "fold")], &["--snippet", "fold"]);
    check(&[("CDS_MAX_TOKENS", "100")], &["--max-tokens", "100"]);
    check(&[("CDS_LIMIT", "3")], &["--limit", "3"]);
    check(&[("CDS_CHUNKS_PER_FILE", "2"), ("CDS_LIMIT", "3")], &["--chunks-per-file", "2", "--limit", "3"]);
}

#[test]
fn update_off_answers_from_the_index_as_it_is() {
    let project = project();
    project.cds(&["index"]);
    project.write("fresh.py", "def brand_new():\n    return 1\n");
    let without =
        project.run(&Run { args: &["symbol", "brand_new"], env: &[("CDS_UPDATE", "false")], ..Run::default() });
    assert_eq!(without.code, 1, "{}", without.stdout);
    assert_eq!(project.cds(&["symbol", "brand_new", "--no-update"]).code, 1);
    assert_eq!(project.cds(&["symbol", "brand_new"]).code, 0);
}
