//! What can the grammar that LocAgent pins not read, though ours reads it?
//!
//! Only what shows in its blocks. A file with such a statement is lost, since an error directly below a block loses it; the old grammar's other
//! errors stay inside of expressions, where nobody looks.

use tree_sitter::Node;

use super::syntax::{Syntax, SyntaxTable};

/// Whether the old grammar has an error at a statement.
pub(crate) fn is_unreadable(table: &SyntaxTable, statement: Node<'_>, text: &str) -> bool {
    match table.of(statement) {
        Syntax::Expression => {
            let own = &text[statement.byte_range()];
            is_match_call(table, statement, own) || is_first_of_two_trailing_commas(table, statement, own)
        }
        Syntax::Blocked => is_lonely_try(statement),
        _ => false,
    }
}

/// `try` without `except` and `finally`, which is no Python either; but our grammar lets it pass.
fn is_lonely_try(statement: Node<'_>) -> bool {
    let mut cursor = statement.walk();
    statement.kind() == "try_statement"
        && !statement.children(&mut cursor).any(|part| matches!(part.kind(), "except_clause" | "finally_clause"))
}

/// The name `match` of a statement that begins with `match(` or `match[`, which the old grammar takes for the keyword.
///
/// Assignments survive that: what stands between the name and the `=` is skipped.
pub(crate) fn leading_match(own: &str) -> bool {
    own.strip_prefix("match").is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(['(', '[']))
}

fn is_match_call(table: &SyntaxTable, statement: Node<'_>, own: &str) -> bool {
    leading_match(own) && statement.child(0).is_none_or(|inner| table.of(inner) != Syntax::Assignment)
}

/// The old grammar has no comma after the last parameter of a generic type, as in `x: Dict[str, int,]`. It gets over one by assuming that
/// another parameter is missing; but when the next statement's annotation has such a comma too, it loses its way for good.
fn is_first_of_two_trailing_commas(table: &SyntaxTable, statement: Node<'_>, own: &str) -> bool {
    let Some(before) = own.strip_suffix(']') else { return false };
    before.trim_end().ends_with(',')
        && assignment(table, statement)
            .is_some_and(|(annotation, value)| value.is_none() && is_generic_of_many(annotation))
        && statement
            .next_sibling()
            .and_then(|next| assignment(table, next))
            .is_some_and(|(annotation, _)| has_trailing_comma_inside(annotation))
}

/// The annotation and the value of an annotated assignment.
fn assignment<'t>(table: &SyntaxTable, statement: Node<'t>) -> Option<(Node<'t>, Option<Node<'t>>)> {
    let inner = statement.child(0).filter(|_| table.of(statement) == Syntax::Expression)?;
    let annotation = inner.child_by_field_name("type").filter(|_| table.of(inner) == Syntax::Assignment)?;
    Some((annotation, inner.child_by_field_id(table.right)))
}

/// `Name[a, b,]`, nothing around it. One parameter with a comma does no harm.
fn is_generic_of_many(annotation: Node<'_>) -> bool {
    let parameters =
        annotation.child(0).filter(|inner| inner.kind() == "generic_type").and_then(|generic| generic.child(1));
    parameters.is_some_and(|parameters| has_trailing_comma(parameters) && parameters.named_child_count() > 1)
}

fn has_trailing_comma(parameters: Node<'_>) -> bool {
    let count = parameters.child_count();
    parameters.kind() == "type_parameter"
        && count > 1
        && parameters.child(count - 2).is_some_and(|part| part.kind() == ",")
}

fn has_trailing_comma_inside(annotation: Node<'_>) -> bool {
    let mut open = vec![annotation];
    while let Some(node) = open.pop() {
        if has_trailing_comma(node) {
            return true;
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::chunks::{Dropped, chunk_file};

    #[track_caller]
    fn check(text: &str, is_lost: bool) {
        let expect = if is_lost { Some(Dropped::OldSyntaxError) } else { None };
        assert_eq!(chunk_file("a.py", text).err(), expect, "{text}");
    }

    #[test]
    fn the_name_match() {
        check("match(1)\n", true);
        check("if a:\n    match [1]\n", true);
        check("match(x).y or z\n", true);
        check("match = re.match(1)\nmatch.group()\n", false);
        check("match[1] = 2\n", false);
        check("match x:\n    case 1: pass\n", false);
        check("matches(1)\n", false);
    }

    #[test]
    fn try_without_clauses() {
        check("try:\n    a\nelse:\n    b\n", true);
        check("try:\n    a\nfinally:\n    b\n", false);
        check("try: a\nexcept* B: b\n", false);
    }

    #[test]
    fn commas_after_the_last_parameter() {
        check("x: A[B, C,]\ny: A[B, C,]\n", true);
        check("class Q:\n    x: A[\n        B,\n        C[D],\n    ]\n    y: O[A[B,]] = 1\n", true);
        check("x: A[B, C,]\nz = 1\ny: A[B, C,]\n", false);
        check("x: A[B,]\ny: A[B,]\n", false);
        check("x: A[B, C,] = 1\ny: A[B, C,]\n", false);
        check("x: m.A[B, C,]\ny: A[B, C,]\n", false);
        check("x: A[B, C,]\ny: A[B, C]\n", false);
        check("def f(a: A[B, C,], b: A[B, C,]): pass\n", false);
    }
}
