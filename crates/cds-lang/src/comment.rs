//! Comments to prose.

/// The text of a doc comment without its markers, whatever the language: `/** … */`, `///`, `#`, `--`, `"""`.
pub fn doc_text(comment: &str) -> String {
    let mut lines: Vec<&str> = comment.lines().filter(|l| !is_marker(l)).map(strip_markers).collect();
    while lines.last().is_some_and(|l| l.is_empty()) {
        lines.pop();
    }
    let first = lines.iter().position(|l| !l.is_empty()).unwrap_or(lines.len());
    lines[first..].join("\n")
}

/// Lines that only open or close: `=begin`, and tags of XML docs on lines of their own.
fn is_marker(line: &str) -> bool {
    let bare = line.trim().trim_start_matches(['/', '*', ' ']);
    let tag = bare.starts_with('<') && bare.ends_with('>') && !bare[1..bare.len() - 1].contains(['<', '>', ' ']);
    matches!(bare, "=begin" | "=end") || tag && bare.len() > 2
}

fn strip_markers(line: &str) -> &str {
    let line = line.trim();
    // Attributes that are docs: @doc "One."
    let line = match line.strip_prefix('@').and_then(|l| l.split_once(' ')) {
        Some(("doc" | "moduledoc" | "typedoc", rest)) => rest.trim_start(),
        _ => line,
    };
    // String prefixes of docstrings: r""" u""" @doc """ ~S"""
    let quote = line.find("\"\"\"").or_else(|| line.find("'''"));
    let line = match quote {
        Some(at) if line[..at].bytes().all(|b| b.is_ascii_alphabetic() || b"@~ ".contains(&b)) => &line[at + 3..],
        _ => line,
    };
    let line = line.trim_end_matches("*/").trim_end_matches("-}").trim_end_matches("]]");
    let line = line.trim_end_matches("\"\"\"").trim_end_matches("'''").trim_end();
    let bare = line.trim_start_matches(['/', '*', '#', '!', ';', '%', '"', '\'']);
    let bare = bare.strip_prefix("{-").unwrap_or(bare);
    let bare = if bare.len() == line.len() { strip_dashes(bare) } else { bare };
    let bare = bare.trim();
    // Haddock's `-- | text` and `-- ^ text`.
    let bare = bare.strip_prefix("<summary>").unwrap_or(bare);
    let bare = bare.strip_suffix("</summary>").unwrap_or(bare).trim();
    bare.strip_prefix("| ").or_else(|| bare.strip_prefix("^ ")).unwrap_or(bare).trim_end_matches(['"', '\''])
}

/// `-- text` and `--- text` are comments; `- item` is a list.
fn strip_dashes(line: &str) -> &str {
    if line.starts_with("--") { line.trim_start_matches('-').trim_start_matches(['[', '=']) } else { line }
}

#[cfg(test)]
mod tests {
    use super::doc_text;

    #[test]
    fn markers_go_and_words_stay() {
        let cases = [
            ("/** Adds two.\n *  - a list\n */", "Adds two.\n- a list"),
            ("/// One.\n/// Two.", "One.\nTwo."),
            ("# Ruby says\n#   so", "Ruby says\nso"),
            ("-- | Haddock.\n-- more", "Haddock.\nmore"),
            ("--- Lua doc", "Lua doc"),
            ("\"\"\"Docstring.\n\n    More.\n    \"\"\"", "Docstring.\n\nMore."),
            ("r'''Raw'''", "Raw"),
            ("//", ""),
            ("/* x */", "x"),
            ("'single'", "single"),
            ("/// <summary>\n/// Adds.\n/// </summary>", "Adds."),
            ("=begin\nRuby\n=end", "Ruby"),
            ("@doc \"One.\"", "One."),
            ("--[==[ Lua ]]", "Lua"),
        ];
        for (comment, expect) in cases {
            assert_eq!(doc_text(comment), expect, "{comment:?}");
        }
    }
}
