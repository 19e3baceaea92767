//! Expressions that are paths of names, read from their text alone: `self.db.session(x).query` in any language.

use compact_str::CompactString;

/// Longest path worth following.
const MAX_STEPS: usize = 12;

/// Brackets around brackets that are looked into.
const MAX_BRACKETS: usize = 3;

/// One name of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The name.
    pub name: &'a str,
    /// Whether it is called.
    pub called: bool,
}

/// The steps of an expression; none when it is anything but names, member accesses and calls.
pub fn steps(text: &str) -> Option<Vec<Step<'_>>> {
    steps_inside(text, 0)
}

fn steps_inside(text: &str, depth: usize) -> Option<Vec<Step<'_>>> {
    let mut rest = text.trim();
    let is_new = rest.strip_prefix("await ").unwrap_or(rest).trim_start().starts_with("new ");
    for keyword in ["await ", "new ", "yield ", "try ", "&mut ", "mut ", "&", "*"] {
        rest = rest.strip_prefix(keyword).unwrap_or(rest).trim_start();
    }
    // A path from the root of all names.
    rest = rest.trim_start_matches(['\\', ':']);
    let mut found: Vec<Step> = Vec::new();
    // `(new Foo()).bar`
    if let Some(after) = rest.strip_prefix('(').filter(|_| depth < MAX_BRACKETS) {
        let end = closing(after, '(', ')')?;
        found = steps_inside(&after[..end - 1], depth + 1)?;
        rest = after[end..].trim_start().trim_start_matches(['?', '!']);
        if rest.is_empty() {
            return Some(found);
        }
        rest = after_separator(rest)?;
    }
    loop {
        let name = name_at(rest)?;
        rest = rest[name.len()..].trim_start();
        let mut called = false;
        loop {
            // Type arguments before a call: `make::<T>()`, `make<T>()`.
            if let Some(after) = rest.strip_prefix("::<").or_else(|| rest.strip_prefix('<')) {
                let end = closing(after, '<', '>')?;
                rest = after[end..].trim_start();
            } else if let Some(after) = rest.strip_prefix('(') {
                let end = closing(after, '(', ')')?;
                rest = after[end..].trim_start();
                called = true;
            } else if let Some(after) = rest.strip_prefix('{').filter(|_| is_new && found.is_empty()) {
                // `new Foo { A = 1 }`
                let end = closing(after, '{', '}')?;
                rest = after[end..].trim_start();
                called = true;
            } else if let Some(after) = rest.strip_prefix(['?', '!']) {
                rest = after.trim_start();
            } else {
                break;
            }
        }
        found.push(Step { name, called });
        if rest.is_empty() {
            // `new Foo` calls without brackets.
            if is_new
                && found.iter().all(|s| !s.called)
                && let Some(last) = found.last_mut()
            {
                last.called = true;
            }
            return Some(found);
        }
        rest = after_separator(rest)?;
        // `.await` is no member.
        if let Some(after) = rest.strip_prefix("await").filter(|a| a.is_empty() || a.starts_with(['.', '?'])) {
            rest = after.trim_start_matches('?');
            match rest.strip_prefix('.') {
                Some(after) => rest = after.trim_start(),
                None => return rest.is_empty().then_some(found),
            }
        }
        if found.len() == MAX_STEPS {
            return None;
        }
    }
}

/// The same as text, with what stands in brackets left out: `self.db.session().query`.
pub fn path_text(text: &str) -> Option<CompactString> {
    let mut out = CompactString::default();
    for step in steps(text)? {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(step.name);
        if step.called {
            out.push_str("()");
        }
    }
    Some(out)
}

fn after_separator(text: &str) -> Option<&str> {
    ["::", "->", ".", "\\"].iter().find_map(|s| text.strip_prefix(s)).map(str::trim_start)
}

fn name_at(text: &str) -> Option<&str> {
    let starts = |c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@' | '#');
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let first = text.chars().next().filter(|&c| starts(c))?;
    let end = text[first.len_utf8()..].find(|c| !goes_on(c)).map_or(text.len(), |i| i + first.len_utf8());
    Some(&text[..end])
}

/// Where the bracket that was opened before `text` is closed: one past it. Strings are stepped over.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if let Some(end) = quote {
            if !escaped && c == end {
                quote = None;
            }
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '"' | '\'' | '`' if open != '<' => quote = Some(c),
            _ if c == open => depth += 1,
            _ if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + c.len_utf8());
                }
            }
            // `a < b` is no list of types.
            ';' | '{' | '&' if open == '<' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::path_text;

    #[test]
    fn paths_are_read_in_every_notation() {
        let cases = [
            ("self", Some("self")),
            ("self.db.session(a, 'b)').query", Some("self.db.session().query")),
            ("await fetch(url)", Some("fetch()")),
            ("new Foo<Bar>(1)", Some("Foo()")),
            ("new Foo(1) { A = \"}\" }", Some("Foo()")),
            ("Foo { a: 1 }", None),
            ("new \\App\\Foo", Some("App.Foo()")),
            ("new Foo().bar", Some("Foo().bar")),
            ("(new Foo())", Some("Foo()")),
            ("(await load(x)).json()", Some("load().json()")),
            ("((Foo) x).bar", None),
            ("std::env::args()", Some("std.env.args()")),
            ("parse::<u32>()", Some("parse()")),
            ("client.get(x).await?.json()", Some("client.get().json()")),
            ("self.run().await", Some("self.run()")),
            ("p->next", Some("p.next")),
            ("a?.b!.c", Some("a.b.c")),
            ("&mut self.x", Some("self.x")),
            ("$this->repo", Some("$this.repo")),
            ("super()", Some("super()")),
            ("", None),
            ("1 + x", None),
            ("x[0].y", None),
            ("a < b", None),
            ("f(", None),
            ("'text'.join", None),
            ("a + b", None),
        ];
        for (text, expect) in cases {
            assert_eq!(path_text(text).as_deref(), expect, "{text}");
        }
    }
}
