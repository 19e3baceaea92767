//! What stands around a name in source text: is it called, does it begin a class with bases, is it a function's name, is
//! it imported. Indexes say what a name means and not what is done with it, so this is read from the text, as far as the
//! question goes and no further.

use super::packages::Language;

/// Longest text that is read for the end of type arguments or of parameters.
const REACH: usize = 4000;

/// Is the name between `before` and `rest` called?
pub(crate) fn is_called(before: &str, rest: &str, language: Language) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    if language == Language::Python {
        return rest.starts_with('(');
    }
    let rest = rest.strip_prefix('!').unwrap_or(rest);
    let rest = rest.strip_prefix("?.").unwrap_or(rest);
    let rest = if rest.starts_with('<') { after_brackets(rest).unwrap_or_default() } else { rest };
    if !rest.starts_with('(') {
        return false;
    }
    // `f(a) {` and, as the first of its line, `f(a): T {` are methods of a literal.
    let after = after_brackets(rest).unwrap_or_default();
    let first = matches!(before.lines().last().unwrap_or_default().trim(), "" | "async");
    !(after.starts_with('{') || first && after.starts_with(':'))
}

/// The word that ends `before`, blanks between aside.
pub(crate) fn word_before(before: &str) -> &str {
    let before = before.trim_end();
    let start =
        before.rfind(|c: char| !is_word(c)).map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
    &before[start..]
}

/// Is the name before `rest` given a function or a class as its value? `field` is a field of an object literal, whose
/// value follows a colon.
pub(crate) fn is_function_value(rest: &str, field: bool) -> bool {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(['?', '!']).unwrap_or(rest).trim_start();
    let value = match rest.chars().next() {
        Some('(' | '<') => return field,
        Some(':') if field => &rest[1..],
        Some(':') => match assigned(&rest[1..]) {
            Some(value) => value,
            None => return false,
        },
        Some('=') if !rest.starts_with("=>") => &rest[1..],
        _ => return false,
    };
    let value = value.trim_start();
    let value = value.strip_prefix("async ").unwrap_or(value).trim_start();
    let word = &value[..value.find(|c| !is_word(c)).unwrap_or(value.len())];
    if matches!(word, "function" | "class" | "lambda") {
        return true;
    }
    if !word.is_empty() {
        return value[word.len()..].trim_start().starts_with("=>");
    }
    let value = if value.starts_with('<') { after_brackets(value).unwrap_or_default() } else { value };
    if !value.starts_with('(') {
        return false;
    }
    let Some(after) = after_brackets(value) else { return false };
    // A type of what is returned may stand between.
    after.starts_with("=>") || after.starts_with(':') && after[..reach(after, 300)].contains("=>")
}

/// Offsets in `rest`, the text behind a class's name, at which the names of its bases begin; of a dotted name, the last.
pub(crate) fn bases(rest: &str, language: Language) -> Vec<usize> {
    let rest = &rest[..reach(rest, REACH)];
    let mut found = Vec::new();
    let mut depth = 0_i32;
    let mut keyword = false;
    let mut offset = 0;
    while let Some(character) = rest[offset..].chars().next() {
        let next = offset + character.len_utf8();
        if is_word(character) && !character.is_ascii_digit() {
            let end = offset + rest[offset..].find(|c| !is_word(c)).unwrap_or(rest.len() - offset);
            let after = rest[end..].trim_start();
            match (language, &rest[offset..end]) {
                (Language::Script, "extends" | "implements") if depth == 0 => keyword = true,
                (Language::Script, _) if depth == 0 && keyword && !after.starts_with(['.', '(']) => found.push(offset),
                (Language::Python, _) if depth == 1 && after.starts_with('=') => keyword = true,
                (Language::Python, _) if depth == 1 && !keyword && !after.starts_with(['.', '(']) => found.push(offset),
                _ => {}
            }
            offset = end;
            continue;
        }
        match (language, character) {
            (Language::Python, ':') | (Language::Script, '{') if depth == 0 => break,
            (Language::Python, ',') if depth == 1 => keyword = false,
            // Type parameters of a Python class stand where its bases could be; they are one deeper than bases.
            (_, '(') | (Language::Script, '<') => depth += 1,
            (_, '[' | '{') => depth += 2,
            (_, ')') => depth -= 1,
            (_, ']' | '}') => depth -= 2,
            (Language::Script, '>') if !rest[..offset].ends_with('=') => depth -= 1,
            _ => {}
        }
        offset = next;
    }
    found
}

/// Where the name ends that is all of what the name before `rest` is given: in `f = a.b`, that of `b`. A name with a
/// type is one that is defined here.
pub(crate) fn assigned_name(rest: &str, definition: bool) -> Option<usize> {
    let line = rest.lines().next()?;
    let trimmed = line.trim_start();
    let value = match trimmed.strip_prefix(':') {
        Some(typed) if definition => assigned(typed)?,
        _ => trimmed.strip_prefix('=').filter(|value| !value.starts_with(['=', '>']))?,
    };
    let value = value.trim_start();
    let end = value.find(|c: char| !is_word(c) && c != '.').unwrap_or(value.len());
    let (name, after) = value.split_at(end);
    let after = after.trim_start();
    let whole = after.is_empty() || after.starts_with([';', '#']) || after.starts_with("//");
    (whole && name.ends_with(is_word)).then(|| line.len() - value.len() + end)
}

/// Is the name before `rest` given a function or a class, in an assignment that defines nothing?
pub(crate) fn is_assigned_function(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    rest.starts_with('=') && !rest.starts_with("==") && is_function_value(rest, false)
}

/// For each line of `text`, the first line of the import that it is part of.
pub(crate) fn import_lines(text: &str, language: Language) -> Vec<Option<usize>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = vec![None; lines.len()];
    for (first, line) in lines.iter().enumerate() {
        let ends = |line: &&str| match language {
            Language::Python => line.contains(')'),
            Language::Script => line.contains(['"', '\'', ';']) || line.contains('}') && !line.contains("from"),
        };
        let starts = |with: &[&str]| with.iter().any(|start| line.starts_with(start));
        let open = match language {
            Language::Python if !starts(&["import ", "from "]) => continue,
            Language::Python => line.contains('(') && !line.contains(')'),
            Language::Script if starts(&["import ", "import{", "export {", "export *", "export type {"]) => !ends(line),
            Language::Script => {
                if line.contains("require(") {
                    found[first] = Some(first);
                }
                continue;
            }
        };
        let more = if open { lines[first + 1..].iter().position(ends).map_or(0, |i| i + 1) } else { 0 };
        if !line.starts_with("export") || lines[first + more].contains("from") {
            found[first..=first + more].fill(Some(first));
        }
    }
    found
}

/// What follows the bracket that closes the one `text` begins with, without blanks.
fn after_brackets(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    let mut quote = None;
    let mut previous = ' ';
    for (offset, character) in text[..reach(text, REACH)].char_indices() {
        match (quote, character) {
            (Some(open), _) if character == open && previous != '\\' => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(character),
            (None, '(' | '<' | '[' | '{') => depth += 1,
            (None, '>') if previous == '=' => {}
            (None, ')' | '>' | ']' | '}') => depth -= 1,
            (None, ';') if depth == 1 && text.starts_with('<') => return None,
            _ => {}
        }
        previous = character;
        if depth == 0 {
            return Some(text[offset + 1..].trim_start());
        }
    }
    None
}

/// The value behind a type, in the text behind the colon that begins the type.
fn assigned(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    let mut previous = ' ';
    for (offset, character) in text[..reach(text, REACH)].char_indices() {
        match character {
            '(' | '<' | '[' | '{' => depth += 1,
            '>' if previous == '=' => {}
            ')' | '>' | ']' | '}' => depth -= 1,
            '=' if depth == 0 && !text[offset + 1..].starts_with('>') => return Some(&text[offset + 1..]),
            ';' | ',' if depth == 0 => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        previous = character;
    }
    None
}

/// At most `limit` bytes, ended between characters.
fn reach(text: &str, limit: usize) -> usize {
    text.floor_char_boundary(limit)
}

pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls() {
        let check = |rest: &str, language, expected| assert_eq!(is_called("a\n  ", rest, language), expected, "{rest}");
        check(" (a)", Language::Python, true);
        check("[0](a)", Language::Python, false);
        check("<A, (b: B) => C<D>>(a)", Language::Script, true);
        check("<T>", Language::Script, false);
        check(" < b; c > (d)", Language::Script, false);
        check("?.(a)", Language::Script, true);
        check("!(a)", Language::Script, true);
        check("\n(a)", Language::Script, false);
        check("(a) {", Language::Script, false);
        check("(a): B {", Language::Script, false);
        assert!(is_called("a ? b : ", "(c)", Language::Script));
        assert!(is_called("a ? ", "(b) : c", Language::Script));
    }

    #[test]
    fn function_values() {
        let check = |rest: &str, field, expected| assert_eq!(is_function_value(rest, field), expected, "{rest}");
        check(" = (\n  a: A,\n) => a", false, true);
        check(" = async <T>(a: T): Promise<T> => a", false, true);
        check(": (a: A) => B = a => a", false, true);
        check(": () => void;\n x = () => 1", false, false);
        check(" = (a) ? b : c", false, false);
        check(" = /* pure */ make(() => 1)", false, false);
        check(" = class {}", false, true);
        check(" = lambda: 1", false, true);
        check(": function () {}", true, true);
        check("() {}", true, true);
        check(", b", true, false);
    }

    #[test]
    fn assigned_names() {
        let check = |rest: &str, definition, expected: Option<&str>| {
            assert_eq!(assigned_name(rest, definition).map(|end| &rest[..end]), expected, "{rest}");
        };
        check(" = a.b  # why\nc", false, Some(" = a.b"));
        check(": F = a;", true, Some(": F = a"));
        check(": F = a", false, None);
        check(" = a.b()", false, None);
        check("=a, b=c)", false, None);
        check(" == a", false, None);
        check(":\n a = b", true, None);
        assert!(is_assigned_function(" = (a) => b"));
        assert!(!is_assigned_function(" == (a) => b"));
        assert!(!is_assigned_function(": (a) => b"));
    }

    #[test]
    fn bases_of_classes() {
        let check = |rest: &str, language, expected: &[&str]| {
            let found: Vec<&str> =
                bases(rest, language).into_iter().map(|i| rest[i..].split(|c| !is_word(c)).next().unwrap()).collect();
            assert_eq!(found, expected, "{rest}");
        };
        check("(A, b.C[D], metaclass=M):\n  x(Y)", Language::Python, &["A", "C"]);
        check("[T](\n  A,\n):", Language::Python, &["A"]);
        check(":\n  x(Y)", Language::Python, &[]);
        check("<T extends U> extends a.B<C> implements D, E {\n f(x)", Language::Script, &["B", "D", "E"]);
        check(" extends mixin(A) {", Language::Script, &[]);
    }

    #[test]
    fn imports() {
        let check = |text: &str, language, expected: &str| {
            let found: String =
                import_lines(text, language).into_iter().map(|i| if i.is_some() { 'i' } else { '.' }).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("import a\nfrom .b import (\n  c,\n)\nd", Language::Python, "iiii.");
        check("from a import b\nc", Language::Python, "i.");
        check("import {\n  a,\n} from './b'\nc\nexport { d }\ne = require('f')", Language::Script, "iii..i");
        check("export {\n  a,\n} from './b'\nexport {\n c,\n}\nd", Language::Script, "iii....");
    }

    #[test]
    fn words_before() {
        assert_eq!(word_before("  function "), "function");
        assert_eq!(word_before("a é"), "é");
        assert_eq!(word_before("a."), "");
    }
}
