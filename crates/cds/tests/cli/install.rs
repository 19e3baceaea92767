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
    }
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
