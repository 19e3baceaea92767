//! The agents cds can be given to, as data: where each keeps its servers and its instructions.

use serde_json::{Value, json};

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
    /// The file of instructions of a project.
    pub(crate) instructions: &'static str,
    /// That of a user, where there is one.
    pub(crate) user_instructions: Option<&'static str>,
}

#[rustfmt::skip]
pub(crate) const AGENTS: &[Agent] = &[
    Agent { name: "claude", project: ".mcp.json", user: ".claude.json", syntax: Syntax::Json, key: "mcpServers", entry: Entry::Typed, instructions: "CLAUDE.md", user_instructions: Some(".claude/CLAUDE.md") },
    Agent { name: "cursor", project: ".cursor/mcp.json", user: ".cursor/mcp.json", syntax: Syntax::Json, key: "mcpServers", entry: Entry::Plain, instructions: ".cursor/rules/cds.mdc", user_instructions: None },
    Agent { name: "codex", project: ".codex/config.toml", user: ".codex/config.toml", syntax: Syntax::Toml, key: "mcp_servers", entry: Entry::Plain, instructions: "AGENTS.md", user_instructions: Some(".codex/AGENTS.md") },
    Agent { name: "vscode", project: ".vscode/mcp.json", user: ".config/Code/User/mcp.json", syntax: Syntax::Json, key: "servers", entry: Entry::Typed, instructions: ".github/copilot-instructions.md", user_instructions: None },
    Agent { name: "gemini", project: ".gemini/settings.json", user: ".gemini/settings.json", syntax: Syntax::Json, key: "mcpServers", entry: Entry::Plain, instructions: "GEMINI.md", user_instructions: Some(".gemini/GEMINI.md") },
    Agent { name: "opencode", project: "opencode.json", user: ".config/opencode/opencode.json", syntax: Syntax::Json, key: "mcp", entry: Entry::List, instructions: "AGENTS.md", user_instructions: Some(".config/opencode/AGENTS.md") },
    Agent { name: "zed", project: ".zed/settings.json", user: ".config/zed/settings.json", syntax: Syntax::Json, key: "context_servers", entry: Entry::Plain, instructions: ".rules", user_instructions: None },
];

/// What agents are told.
pub(crate) const INSTRUCTIONS: &str = "\
## Finding code

This project is indexed by cds. Before reading whole files or running grep, ask its MCP tools: `search_code` with words, names or a
question; `find_symbol` for a name; `code_research` before a change (\"what would break if X changed\", \"which tests reach X\",
\"path from A to B\", \"what depends on src/x\"); `traverse_graph` for callers, callees, imports and subtypes; `outline` for what a file defines;
`retrieve` for code by `path:line` or id. Answers cite `path:first-last`. Edges marked `named` are guesses.";

impl Agent {
    /// The entry that starts cds.
    pub(crate) fn value(&self, command: &str) -> Value {
        match self.entry {
            Entry::Plain => json!({ "command": command, "args": ["mcp"] }),
            Entry::Typed => json!({ "type": "stdio", "command": command, "args": ["mcp"] }),
            Entry::List => json!({ "type": "local", "command": [command, "mcp"], "enabled": true }),
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
