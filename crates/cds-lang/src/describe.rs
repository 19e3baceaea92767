//! Facts as short readable text: what corpus cases expect and the `facts` example prints.

use std::fmt::Write;

use cds_model::{Entity, FileFacts};

/// Entities as an indented outline, then references, imports and problems, a line each.
pub fn describe(facts: &FileFacts) -> String {
    let mut out = String::new();
    if let Some(doc) = &facts.doc_comment {
        let _ = writeln!(out, "file doc \"{}\"", first_line(doc));
    }
    for (i, entity) in facts.entities.iter().enumerate() {
        let depth = facts.scope_depth(i as u32);
        describe_entity(&mut out, entity, depth);
    }
    for reference in &facts.references {
        let receiver = reference.receiver.as_deref().map(|r| format!(" on {r}")).unwrap_or_default();
        let inside = reference.enclosing.map(|e| format!(" in {}", facts.qualified_name(e))).unwrap_or_default();
        let kind = reference.kind.name();
        let _ = writeln!(out, "{kind} {}{receiver} @{}{inside}", reference.name, reference.line);
    }
    for import in facts.imports.iter().filter(|i| i.is_export) {
        let rest = if import.wildcard { "*" } else { "" };
        let _ = write!(out, "export {}", import.name.as_deref().unwrap_or(rest));
        let alias = import.alias.as_deref().map(|a| format!(" as {a}")).unwrap_or_default();
        let _ = writeln!(out, "{alias} @{}", import.line);
    }
    for import in facts.imports.iter().filter(|i| !i.is_export) {
        let _ = write!(out, "import {}", import.module);
        if let Some(name) = &import.name {
            let _ = write!(out, " > {name}");
        }
        if import.wildcard {
            out.push_str(" > *");
        }
        if let Some(alias) = &import.alias {
            let _ = write!(out, " as {alias}");
        }
        let inside = import.enclosing.map(|e| format!(" in {}", facts.qualified_name(e))).unwrap_or_default();
        let _ = writeln!(out, " @{}{inside}", import.line);
    }
    for problem in &facts.problems {
        let _ = writeln!(out, "problem {} {}", problem.kind.name(), problem.detail);
    }
    out
}

fn describe_entity(out: &mut String, entity: &Entity, depth: usize) {
    let pad = "  ".repeat(depth);
    let scope = entity.scope.as_deref().map(|s| format!("{s}.")).unwrap_or_default();
    let (start, end) = (entity.span.start_line, entity.span.end_line);
    let _ = write!(out, "{pad}{} {scope}{} {start}-{end}", entity.kind.name(), entity.name);
    let mut flag = |on: bool, name: &str| {
        if on {
            let _ = write!(out, " {name}");
        }
    };
    flag(!entity.is_public, "private");
    flag(entity.is_test, "test");
    flag(entity.is_recovered, "recovered");
    out.push('\n');
    let mut line = |label: &str, value: String| {
        if !value.is_empty() {
            let _ = writeln!(out, "{pad}  | {label} {value}");
        }
    };
    line("sig", entity.signature.to_string());
    line("doc", entity.doc_comment.as_deref().map(|d| format!("\"{}\"", first_line(d))).unwrap_or_default());
    line("mods", entity.modifiers.join(", "));
    line("decorators", entity.decorators.join(", "));
    let parameters = entity.parameters.iter().map(|p| match &p.type_name {
        Some(t) => format!("{}: {t}", p.name),
        None => p.name.to_string(),
    });
    line("params", parameters.collect::<Vec<_>>().join(", "));
    line("returns", entity.return_type.as_deref().unwrap_or_default().to_owned());
    line("conforms", entity.conformances.join(", "));
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The syntax tree of a text, a node a line, with field names: for people who write queries.
pub fn syntax_tree(language: &crate::Language, text: &str) -> String {
    let Some(grammar) = language.grammar() else { return String::new() };
    crate::allocation::install();
    let mut parser = tree_sitter::Parser::new();
    if parser.set_language(grammar).is_err() {
        return String::new();
    }
    let Some(tree) = parser.parse(text, None) else { return String::new() };
    let mut out = String::new();
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        let pad = "  ".repeat(cursor.depth() as usize);
        let field = cursor.field_name().map(|f| format!("{f}: ")).unwrap_or_default();
        let shown = if node.child_count() == 0 { format!(" {:?}", &text[node.byte_range()]) } else { String::new() };
        let named = if node.is_named() { format!("({})", node.kind()) } else { format!("{:?}", node.kind()) };
        let _ = writeln!(out, "{pad}{field}{named}{shown} @{}", node.start_position().row + 1);
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    out
}
