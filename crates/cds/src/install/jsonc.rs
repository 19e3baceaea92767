//! One member of a JSON file put in, replaced or taken out, and not a byte of the rest changed: people keep comments, order and
//! spaces in their settings.

use serde_json::Value;

/// Why a file is left alone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotJson;

/// Where something stands in the text.
type Span = std::ops::Range<usize>;

/// The member at a path, if it is there, read without comments.
pub(crate) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, NotJson> {
    let Some(span) = find(text, path)? else { return Ok(None) };
    let plain = without_comments(&text[span.value]);
    serde_json::from_str(&plain).map(Some).map_err(|_| NotJson)
}

/// The text with the member at a path set; objects on the way are made.
pub(crate) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, NotJson> {
    if without_comments(text).trim().is_empty() {
        let whole = path.iter().rev().fold(value.clone(), |inner, key| serde_json::json!({ *key: inner }));
        return Ok(format!("{}\n", pretty(&whole, 0)));
    }
    if let Some(found) = find(text, path)? {
        let depth = path.len();
        return Ok([&text[..found.value.start], &pretty(value, depth), &text[found.value.end..]].concat());
    }
    // The deepest object that is there gets the rest.
    let known = (0..path.len()).rev().find_map(|depth| match object(text, &path[..depth]) {
        Ok(Some(span)) => Some(Ok((depth, span))),
        Ok(None) => None,
        Err(e) => Some(Err(e)),
    });
    let (depth, inside) = known.unwrap_or(Err(NotJson))?;
    let rest = path[depth + 1..].iter().rev().fold(value.clone(), |inner, key| serde_json::json!({ *key: inner }));
    let indent = "  ".repeat(depth + 1);
    let member = format!("\n{indent}{}: {}", Value::from(path[depth]), pretty(&rest, depth + 1));
    let is_empty = without_comments(&text[inside.start + 1..inside.end - 1]).trim().is_empty();
    let after = if is_empty { format!("\n{}", "  ".repeat(depth)) } else { ",".to_owned() };
    let tail = if is_empty {
        text[inside.start + 1..].trim_start_matches([' ', '\t', '\n', '\r'])
    } else {
        &text[inside.start + 1..]
    };
    Ok([&text[..=inside.start], &member, &after, tail].concat())
}

/// The text without the member at a path.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String, NotJson> {
    let Some(found) = find(text, path)? else { return Ok(text.to_owned()) };
    let after = &text[found.value.end..];
    let space = after.len() - after.trim_start().len();
    // With the comma after it, or as the last one with the comma before it.
    if after[space..].starts_with(',') {
        let end = found.value.end + space + 1;
        let start = text[..found.key].trim_end().len();
        return Ok([&text[..start], &text[end..]].concat());
    }
    let before = text[..found.key].trim_end();
    let start = before.strip_suffix(',').map_or(before.len(), str::len);
    Ok([&text[..start], &text[found.value.end..]].concat())
}

struct Found {
    key: usize,
    value: Span,
}

fn find(text: &str, path: &[&str]) -> Result<Option<Found>, NotJson> {
    let (Some((last, way)), Some(_)) = (path.split_last(), text.find('{')) else { return Ok(None) };
    let Some(inside) = object(text, way)? else { return Ok(None) };
    Ok(members(text, inside)?.into_iter().find(|(name, _)| name == last).map(|(_, found)| found))
}

/// The object at a path, with its braces.
fn object(text: &str, path: &[&str]) -> Result<Option<Span>, NotJson> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    scanner.space();
    let start = scanner.at;
    scanner.value()?;
    let mut span = start..scanner.at;
    for key in path {
        if !text[span.clone()].starts_with('{') {
            return Err(NotJson);
        }
        match members(text, span)?.into_iter().find(|(name, _)| name == key) {
            Some((_, found)) => span = found.value,
            None => return Ok(None),
        }
    }
    if text[span.clone()].starts_with('{') { Ok(Some(span)) } else { Err(NotJson) }
}

fn members(text: &str, span: Span) -> Result<Vec<(String, Found)>, NotJson> {
    let mut scanner = Scanner { text: text.as_bytes(), at: span.start + 1 };
    let mut members = Vec::new();
    loop {
        scanner.space();
        match scanner.peek() {
            Some(b'}') => return Ok(members),
            Some(b',') => scanner.at += 1,
            Some(b'"') => {
                let key = scanner.at;
                scanner.string()?;
                let name: String = serde_json::from_str(&text[key..scanner.at]).map_err(|_| NotJson)?;
                scanner.space();
                scanner.expect(b':')?;
                scanner.space();
                let start = scanner.at;
                scanner.value()?;
                members.push((name, Found { key, value: start..scanner.at }));
            }
            _ => return Err(NotJson),
        }
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), NotJson> {
        if self.peek() != Some(byte) {
            return Err(NotJson);
        }
        self.at += 1;
        Ok(())
    }

    /// Passes over spaces and comments.
    fn space(&mut self) {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            match rest {
                [b' ' | b'\t' | b'\n' | b'\r', ..] => self.at += 1,
                [0xEF, 0xBB, 0xBF, ..] => self.at += 3,
                [b'/', b'/', ..] => self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => {
                    self.at += rest.windows(2).skip(2).position(|w| w == b"*/").map_or(rest.len(), |i| i + 4)
                }
                _ => return,
            }
        }
    }

    fn string(&mut self) -> Result<(), NotJson> {
        self.expect(b'"')?;
        loop {
            match self.peek().ok_or(NotJson)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Passes over a value; what nests is counted, not called.
    fn value(&mut self) -> Result<(), NotJson> {
        let mut depth = 0usize;
        loop {
            self.space();
            match self.peek().ok_or(NotJson)? {
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or(NotJson)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                b'"' => self.string()?,
                b if b.is_ascii_alphanumeric() || b == b'-' => {
                    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
                    self.at += self.text[self.at..].iter().take_while(|b| is_word(b)).count();
                }
                _ => return Err(NotJson),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

fn without_comments(text: &str) -> String {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let mut plain = String::new();
    while scanner.at < text.len() {
        let start = scanner.at;
        scanner.space();
        if scanner.at > start {
            plain.push(' ');
            continue;
        }
        if scanner.peek() == Some(b'"') {
            if scanner.string().is_err() {
                scanner.at = text.len();
            }
        } else {
            scanner.at += text[start..].chars().next().map_or(1, char::len_utf8);
        }
        plain.push_str(text.get(start..scanner.at.min(text.len())).unwrap_or_default());
    }
    // A comma before a brace is a habit of people.
    let mut out = String::with_capacity(plain.len());
    for (i, c) in plain.char_indices() {
        if c == ',' && plain[i + 1..].trim_start().starts_with(['}', ']']) {
            continue;
        }
        out.push(c);
    }
    out
}

fn pretty(value: &Value, depth: usize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{NotJson, get, remove, set};

    const PATH: &[&str] = &["mcpServers", "cds"];

    #[test]
    fn a_member_comes_and_goes_and_the_rest_stays() {
        let entry = json!({ "command": "cds" });
        let check = |before: &str, with: &str| {
            let set_once = set(before, PATH, &entry).expect("it is JSON");
            assert_eq!(set_once, with);
            assert_eq!(set(&set_once, PATH, &entry).as_deref(), Ok(with), "once more changes nothing");
            assert_eq!(get(&set_once, PATH), Ok(Some(entry.clone())));
            let removed = remove(&set_once, PATH).expect("it is JSON");
            assert_eq!(get(&removed, PATH), Ok(None), "{removed}");
        };
        check("", "{\n  \"mcpServers\": {\n    \"cds\": {\n      \"command\": \"cds\"\n    }\n  }\n}\n");
        check("{}", "{\n  \"mcpServers\": {\n    \"cds\": {\n      \"command\": \"cds\"\n    }\n  }\n}");
        check(
            "{ // mine\n  \"a\": [1, 2],\n}\n",
            "{\n  \"mcpServers\": {\n    \"cds\": {\n      \"command\": \"cds\"\n    }\n  }, // mine\n  \"a\": [1, 2],\n}\n",
        );
        check(
            "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } /* keep */\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    \"cds\": {\n      \"command\": \"cds\"\n    },\n    \"other\": { \"command\": \"x\" } /* keep */\n  }\n}\n",
        );
    }

    #[test]
    fn what_was_there_before_is_there_after() {
        let check = |before: &str| {
            let with = set(before, PATH, &json!({ "command": "cds", "args": ["mcp"] })).expect("it is JSON");
            assert_eq!(remove(&with, PATH).as_deref(), Ok(before));
        };
        check("{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  }\n}\n");
        check("// head\n{\n  \"mcpServers\": {\n    \"a\": {}, \"b\": \"}{\\\"\"\n  },\n  \"z\": null\n}\n");
    }

    #[test]
    fn what_is_not_json_is_left_alone() {
        for text in ["[", "{ \"a\" 1 }", "\"text\"", "{\"mcpServers\": 3}", "{\"mcpServers\": {"] {
            assert_eq!(set(text, PATH, &json!(1)), Err(NotJson), "{text}");
        }
    }
}
