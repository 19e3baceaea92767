//! `cds install` as a user meets it: what is written, what is left alone, and that it goes away without a trace.

use serde_json::{Value, json};

use crate::fixture::Project;

const TREE: &str = "//- src/a.py\ndef a(): pass\n";

const AGENTS: [(&str, &str, &str); 7] = [
    ("claude", ".mcp.json", "CLAUDE.md"),
    ("cursor", ".cursor/mcp.json", ".cursor/rules/cds.mdc"),
    ("codex", ".codex/config.toml", "AGENTS.md"),
    ("vscode", ".vscode/mcp.json", ".github/copilot-instructions.md"),
    ("gemini", ".gemini/settings.json", "GEMINI.md"),
    ("opencode", "opencode.json", "AGENTS.md"),
    ("zed", ".zed/settings.json", ".rules"),
];

#[test]
fn every_agent_is_given_an_entry_and_instructions_and_loses_them_again() {
    for (agent, settings, instructions) in AGENTS {
        let project = Project::new(TREE);
        let read = |path: &str| std::fs::read_to_string(project.path(path)).ok();
        let dry = project.cds(&["install", agent, "--dry-run"]);
        assert_eq!((dry.code, read(settings)), (0, None), "{agent}: {}", dry.stderr);
        assert!(dry.stdout.contains("mcp") && dry.stdout.contains("search_code"), "{agent}: {}", dry.stdout);

        let first = project.cds(&["install", agent]);
        assert_eq!(first.stdout, format!("{agent}: new {settings}\n{agent}: new {instructions}\n"), "{}", first.stderr);
        let (entry, words) = (read(settings).expect("it is written"), read(instructions).expect("it is written"));
        assert!(entry.contains("\"mcp\"") && words.contains("search_code"), "{agent}: {entry}");
        if !settings.ends_with(".toml") {
            assert!(serde_json::from_str::<Value>(&entry).is_ok(), "{agent}: {entry}");
        }

        let again = project.cds(&["install", agent]);
        assert_eq!(again.stdout, format!("{agent}: unchanged {settings}\n{agent}: unchanged {instructions}\n"));
        assert_eq!((read(settings), read(instructions)), (Some(entry), Some(words)), "{agent}");

        let gone = project.cds(&["uninstall", agent]);
        assert_eq!(gone.stdout, format!("{agent}: removed {settings}\n{agent}: removed {instructions}\n"));
        assert_eq!((read(settings), read(instructions)), (None, None), "{agent}");
        let mut left: Vec<_> = std::fs::read_dir(project.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["src"], "{agent}: no folder stays");
    }
}

/// Each program reads one file of instructions, in an order of its own: a new one must not hide what is there.
#[test]
fn instructions_go_where_they_are_read() {
    let check = |agent: &str, there: &[&str], expect: &str| {
        let project = Project::new(TREE);
        for file in there {
            project.write(file, "Mine.\n");
        }
        let output = project.cds(&["install", agent]);
        let word = if there.contains(&expect) { "changed" } else { "new" };
        assert!(
            output.stdout.ends_with(&format!("{agent}: {word} {expect}\n")),
            "{agent} {there:?}: {}",
            output.stdout
        );
        project.cds(&["uninstall", agent]);
        for file in there {
            assert_eq!(std::fs::read_to_string(project.path(file)).unwrap(), "Mine.\n", "{agent} {file}");
        }
    };
    check("zed", &[], ".rules");
    check("zed", &["AGENTS.md"], "AGENTS.md");
    check("zed", &["CLAUDE.md", "AGENTS.md"], "AGENTS.md");
    check("zed", &["CLAUDE.md", ".rules"], ".rules");
    check("opencode", &["CLAUDE.md"], "CLAUDE.md");
    check("opencode", &["CLAUDE.md", "AGENTS.md"], "AGENTS.md");
    check("claude", &["AGENTS.md"], "CLAUDE.md");

    let project = Project::new(TREE);
    project.cds(&["install", "cursor"]);
    let rule = std::fs::read_to_string(project.path(".cursor/rules/cds.mdc")).unwrap();
    assert!(rule.starts_with("---\ndescription: ") && rule.contains("\nalwaysApply: true\n---\n"), "{rule}");
}

#[test]
fn agents_that_share_instructions_keep_them() {
    let project = Project::new(TREE);
    project.cds(&["install", "codex", "opencode"]);
    project.cds(&["uninstall", "codex"]);
    assert!(std::fs::read_to_string(project.path("AGENTS.md")).is_ok_and(|text| text.contains("search_code")));
    project.cds(&["uninstall", "opencode"]);
    assert!(!project.path("AGENTS.md").exists());
}

#[test]
fn opencode_is_written_to_as_its_settings_are() {
    let check = |before: &str, at: &str| {
        let project = Project::new(TREE);
        project.write("opencode.json", before);
        let output = project.cds(&["install", "opencode"]);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let with: Value =
            serde_json::from_str(&std::fs::read_to_string(project.path("opencode.json")).unwrap()).unwrap();
        assert_eq!(with.pointer(at).map(|entry| &entry["command"][1]), Some(&json!("mcp")), "{with}");
        assert!(project.cds(&["install", "opencode"]).stdout.contains("unchanged opencode.json"));
        project.cds(&["uninstall", "opencode"]);
        assert_eq!(std::fs::read_to_string(project.path("opencode.json")).unwrap(), before);
    };
    let other = r#"{ "type": "local", "command": ["x"] }"#;
    check(&format!("{{\n  \"mcp\": {{\n    \"other\": {other}\n  }}\n}}\n"), "/mcp/cds");
    check(
        &format!("{{\n  \"mcp\": {{\n    \"servers\": {{\n      \"other\": {other}\n    }}\n  }}\n}}\n"),
        "/mcp/servers/cds",
    );
    // A server may be called so.
    check(&format!("{{\n  \"mcp\": {{\n    \"servers\": {other}\n  }}\n}}\n"), "/mcp/cds");
}

#[test]
fn what_others_wrote_stays_as_it_is() {
    let check = |agent: &str, path: &str, before: &str| {
        let project = Project::new(TREE);
        project.write(path, before);
        let output = project.cds(&["install", agent]);
        assert_eq!(output.code, 0, "{agent}: {}", output.stderr);
        let with = std::fs::read_to_string(project.path(path)).unwrap();
        assert_ne!(with, before, "{agent} {path}");
        for line in before.lines().filter(|line| line.trim().len() > 2) {
            assert!(with.contains(line.trim_end_matches(',')), "{agent}: {line} is gone from {with}");
        }
        project.cds(&["uninstall", agent]);
        assert_eq!(std::fs::read_to_string(project.path(path)).unwrap(), before, "{agent} {path}");
    };
    check("claude", ".mcp.json", "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  }\n}\n");
    check("claude", "CLAUDE.md", "# Mine\n\nKeep this.\n");
    check("codex", ".codex/config.toml", "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n");
    check("codex", "AGENTS.md", "Be kind.\n");
    check(
        "zed",
        ".zed/settings.json",
        "{\n  \"tab_size\": 2, // two\n  \"context_servers\": {\n    \"z\": {}\n  },\n}\n",
    );
}

#[test]
fn what_is_not_ours_or_cannot_be_read_is_refused() {
    let check = |agents: &[&str], file: Option<(&str, &str)>, expect: &str| {
        let project = Project::new(TREE);
        if let Some((path, text)) = file {
            project.write(path, text);
        }
        let output = project.cds(&[&["install"], agents].concat());
        assert_eq!(output.code, 2, "{}", output.stdout);
        assert!(output.stderr.contains(expect), "{}", output.stderr);
        if let Some((path, text)) = file {
            assert_eq!(std::fs::read_to_string(project.path(path)).unwrap(), text);
        }
    };
    check(&["emacs"], None, "known are claude, cursor, codex");
    check(&["claude"], Some((".mcp.json", "{ broken")), "left as it is; by hand");
    let foreign = json!({ "mcpServers": { "cds": { "command": "python", "args": ["cds.py"] } } }).to_string();
    check(&["claude"], Some((".mcp.json", &foreign)), "not ours");
    check(&["codex"], Some((".codex/config.toml", "[[")), "left as it is");
}

#[test]
fn a_user_can_have_it_in_all_projects() {
    let project = Project::new(TREE);
    let output = project.cds(&["install", "claude", "--user"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let entry: Value =
        serde_json::from_str(&std::fs::read_to_string(project.home().join(".claude.json")).unwrap()).unwrap();
    assert_eq!(entry["mcpServers"]["cds"]["args"], json!(["mcp"]));
    assert!(!project.path(".mcp.json").exists());
}

#[test]
fn empty_files_of_others_are_not_taken_away() {
    let project = Project::new("//- a.py\nx = 1\n");
    project.write("CLAUDE.md", "");
    project.write(".mcp.json", "{}");
    let output = project.cds(&["uninstall", "claude"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(std::fs::read_to_string(project.path("CLAUDE.md")).unwrap(), "");
    assert_eq!(std::fs::read_to_string(project.path(".mcp.json")).unwrap(), "{}");
}
