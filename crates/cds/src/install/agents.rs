//! The agents cds can be given to, as data: where each keeps its servers and its instructions.

use std::path::Path;

use serde_json::{Value, json};

use super::{NAME, jsonc};

/// How a settings file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    Toml,
}

/// What an entry looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// `command` and `args`.
    Plain,
    /// The same with `type: stdio`.
    Typed,
    /// One list with the command first.
    List,
}

/// An agent.
pub(crate) struct Agent {
    pub(crate) name: &'static str,
    /// The settings of a project, below its root.
    pub(crate) project: &'static str,
    /// Those of a user, below the home folder.
    pub(crate) user: &'static str,
    pub(crate) syntax: Syntax,
    /// Where servers stand in them.
    pub(crate) key: &'static str,
    pub(crate) entry: Entry,
    /// Files of instructions of a project. It reads the first that is there and no other; where none is, the first is made.
    pub(crate) instructions: &'static [&'static str],
    /// That of a user, where there is one.
    pub(crate) user_instructions: Option<&'static str>,
    /// What a file of instructions must begin with to be read, where it is all ours.
    pub(crate) preface: &'static str,
}

/// Without it Cursor shows a rule to the model only when somebody names it.
const ALWAYS: &str = "---\ndescription: How to find code in this project\nalwaysApply: true\n---\n";

/// Where editors keep what is a user's differs from system to system.
const VSCODE: &str = if cfg!(target_os = "macos") {
    "Library/Application Support/Code/User/mcp.json"
} else if cfg!(windows) {
    "AppData/Roaming/Code/User/mcp.json"
} else {
    ".config/Code/User/mcp.json"
};
const ZED: &str = if cfg!(windows) { "AppData/Roaming/Zed/settings.json" } else { ".config/zed/settings.json" };

/// In the order in which Zed looks for them.
const ZED_RULES: &[&str] = &[
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

#[rustfmt::skip]
pub(crate) const AGENTS: &[Agent] = &[
    Agent { name: "claude", project: ".mcp.json", user: ".claude.json", syntax: Syntax::Json, key: "mcpServers", entry: Entry::Typed, instructions: &["CLAUDE.md"], user_instructions: Some(".claude/CLAUDE.md"), preface: "" },
    Agent { name: "cursor", project: ".cursor/mcp.json", user: ".cursor/mcp.json", syntax: Syntax::Json, key: "mcpServers", entry: Entry::Typed, instructions: &[".cursor/rules/cds.mdc"], user_instructions: None, preface: ALWAYS },
    Agent { name: "codex", project: ".codex/config.toml", user: ".codex/config.toml", syntax: Syntax::Toml, key: "mcp_servers", entry: Entry::Plain, instructions: &["AGENTS.md"], user_instructions: Some(".codex/AGENTS.md"), preface: "" },
    Agent { name: "vscode", project: ".vscode/mcp.json", user: VSCODE, syntax: Syntax::Json, key: "servers", entry: Entry::Typed, instructions: &[".github/copilot-instructions.md"], user_instructions: None, preface: "" },
    Agent { name: "gemini", project: ".gemini/settings.json", user: ".gemini/settings.json", syntax: Syntax::Json, key: "mcpServers", entry: Entry::Plain, instructions: &["GEMINI.md"], user_instructions: Some(".gemini/GEMINI.md"), preface: "" },
    Agent { name: "opencode", project: "opencode.json", user: ".config/opencode/opencode.json", syntax: Syntax::Json, key: "mcp", entry: Entry::List, instructions: &["AGENTS.md", "CLAUDE.md"], user_instructions: Some(".config/opencode/AGENTS.md"), preface: "" },
    Agent { name: "zed", project: ".zed/settings.json", user: ZED, syntax: Syntax::Json, key: "context_servers", entry: Entry::Plain, instructions: ZED_RULES, user_instructions: None, preface: "" },
];

/// What agents are told.
pub(crate) const INSTRUCTIONS: &str = "\
## Finding code

This project is indexed by cds. Before reading whole files or running grep, ask its MCP tools: `search_code` with words, names or a
question; `find_symbol` for a name; `code_research` before a change (\"what would break if X changed\", \"which tests reach X\",
\"path from A to B\", \"what depends on src/x\"); `traverse_graph` for callers, callees, imports and subtypes; `outline` for what a file defines;
`retrieve` for code by `path:line` or id. Answers cite `path:first-last`. Edges marked `named` are guesses.";

impl Agent {
    /// The file of instructions that it reads in a folder.
    pub(crate) fn reads(&self, folder: &Path) -> &'static str {
        let there = self.instructions.iter().find(|file| folder.join(file).is_file());
        there.unwrap_or(&self.instructions[0])
    }

    /// Where our entry stands in its settings. opencode has servers one step deeper than it had, and takes both.
    pub(crate) fn way(&self, text: &str) -> Vec<&'static str> {
        let deeper = [self.key, "servers"];
        let is_server = |value: &Value| value.get("type").is_some() || value.get("enabled").is_some();
        match jsonc::get(text, &deeper) {
            Ok(Some(servers)) if self.entry == Entry::List && servers.is_object() && !is_server(&servers) => {
                [&deeper[..], &[NAME]].concat()
            }
            _ => vec![self.key, NAME],
        }
    }

    /// The entry that starts cds.
    pub(crate) fn value(&self, command: &str) -> Value {
        match self.entry {
            Entry::Plain => json!({ "command": command, "args": ["mcp"] }),
            Entry::Typed => json!({ "type": "stdio", "command": command, "args": ["mcp"] }),
            Entry::List => json!({ "type": "local", "command": [command, "mcp"] }),
        }
    }

    /// Whether an entry is one of ours, wherever cds was when it was written.
    pub(crate) fn is_ours(entry: &Value) -> bool {
        let command = entry["command"].as_str().or_else(|| entry["command"][0].as_str()).unwrap_or_default();
        let argument = entry["args"][0].as_str().or_else(|| entry["command"][1].as_str());
        let file = command.rsplit(['/', '\\']).next().unwrap_or(command);
        matches!(file, "cds" | "cds.exe") && argument == Some("mcp")
    }
}
