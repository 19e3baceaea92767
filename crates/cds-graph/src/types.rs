//! Types as they are written, down to the one name that matters: `Optional[foo.Bar]`, `&mut Bar`, `Promise<Bar>`, `Bar | null`.

/// The path of the type a value has; `None` when it is several, or no name.
pub(crate) fn type_path<'a>(text: &'a str, wrappers: &[String]) -> Option<&'a str> {
    let mut text = text.trim().trim_start_matches(':').trim();
    for _ in 0..4 {
        text = strip(text);
        let parts = split_top(text, '|');
        if parts.len() > 1 {
            let mut kinds = parts.into_iter().map(str::trim).filter(|p| !is_nothing(p));
            text = kinds.next()?;
            if kinds.next().is_some() {
                return None;
            }
            continue;
        }
        let Some(open) = text.find(['[', '<']) else { break };
        let base = text[..open].trim_end_matches("::").trim();
        let last = base.rsplit(['.', ':']).next().unwrap_or(base);
        if !wrappers.iter().any(|w| w == last) {
            // `[]Foo` and `Foo[]` are many, `Foo<T>` is one.
            let is_list = base.is_empty() || text[open..].starts_with("[]");
            text = if is_list { return None } else { base };
            break;
        }
        let inner = text[open + 1..].strip_suffix([']', '>'])?;
        text = split_top(inner, ',').into_iter().next()?;
    }
    let text = strip(text);
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\' | '$');
    (!text.is_empty() && text.chars().all(is_path)).then_some(text)
}

/// The path of the type that something of another type holds: `Db` of `Option<Db>`; `None` when nothing holds it.
pub(crate) fn held_type<'a>(text: &'a str, rules: &cds_model::LinkRules) -> Option<&'a str> {
    if rules.holders.is_empty() {
        return None;
    }
    let all: Vec<String> = rules.wrappers.iter().chain(&rules.holders).cloned().collect();
    let inner = type_path(text, &all);
    inner.filter(|_| inner != type_path(text, &rules.wrappers))
}

/// The first of several results: `(*Foo, error)`, `(f *Foo, err error)`.
pub(crate) fn first_result(text: &str) -> &str {
    let Some(inner) = text.trim().strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let first = split_top(inner, ',').first().copied().unwrap_or(inner).trim();
    // A name in front of the type.
    first.split_once(' ').map_or(first, |(_, after)| after)
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "None" | "null" | "undefined" | "nil" | "false" | "void" | "Null")
}

fn strip(text: &str) -> &str {
    let mut text = text.trim().trim_matches(['"', '\'']).trim();
    loop {
        let before = text;
        text = text.trim_start_matches(['&', '*', '?', '@', '!']).trim_end_matches(['?', '!', '*', '&']).trim();
        for keyword in [
            "mut ",
            "dyn ",
            "impl ",
            "const ",
            "readonly ",
            "struct ",
            "union ",
            "enum ",
            "class ",
            "unsigned ",
            "some ",
            "any ",
            "inout ",
            "final ",
        ] {
            text = text.strip_prefix(keyword).unwrap_or(text).trim_start();
        }
        if let Some(rest) = text.strip_prefix('\'') {
            // A lifetime.
            text = rest.split_once(' ').map_or("", |(_, after)| after);
        }
        if text == before {
            return text;
        }
    }
}

/// Parts at a separator that stands in no bracket.
fn split_top(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0i32;
    let mut from = 0;
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '[' | '<' | '(' | '{' => depth += 1,
            ']' | '>' | ')' | '}' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::type_path;

    #[test]
    fn the_name_inside_is_found() {
        let wrappers: Vec<String> = ["Optional", "Promise", "Box", "Arc"].map(str::to_owned).to_vec();
        let cases = [
            ("Foo", Some("Foo")),
            (": Foo", Some("Foo")),
            ("foo.Bar", Some("foo.Bar")),
            ("Optional[foo.Bar]", Some("foo.Bar")),
            ("typing.Optional[Bar]", Some("Bar")),
            ("Bar | None", Some("Bar")),
            ("A | B", None),
            ("\"Bar\"", Some("Bar")),
            ("&'a mut Bar<T>", Some("Bar")),
            ("Arc<Box<dyn Store>>", Some("Store")),
            ("Promise<Bar>", Some("Bar")),
            ("List[Bar]", Some("List")),
            ("Bar[]", None),
            ("[]Bar", None),
            ("*http.Client", Some("http.Client")),
            ("Bar?", Some("Bar")),
            ("(a: number) => void", None),
            ("", None),
        ];
        for (text, expect) in cases {
            assert_eq!(type_path(text, &wrappers), expect, "{text}");
        }
    }
}
