//! What a question says besides its subject: the language it wants, and other words for its words.

/// Words for languages, and the language as the index names it.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &str)] = &[
    ("bash", "bash"), ("c", "c"), ("c#", "csharp"), ("c++", "cpp"), ("cpp", "cpp"), ("csharp", "csharp"), ("elixir", "elixir"),
    ("go", "go"), ("golang", "go"), ("haskell", "haskell"), ("html", "html"), ("java", "java"), ("javascript", "javascript"), ("js", "javascript"),
    ("kotlin", "kotlin"), ("lua", "lua"), ("markdown", "markdown"), ("php", "php"), ("python", "python"), ("ruby", "ruby"), ("rust", "rust"),
    ("scala", "scala"), ("shell", "bash"), ("swift", "swift"), ("ts", "typescript"), ("tsx", "tsx"), ("typescript", "typescript"),
    ("vue", "vue"), ("zig", "zig"),
];

/// Words before which a language stands: "in golang", "written in rust".
const BEFORE: &[&str] = &["in", "using"];

/// The language that a word names after the word before it.
pub(crate) fn language(before: Option<&str>, word: &str) -> Option<&'static str> {
    before.filter(|b| BEFORE.contains(b))?;
    LANGUAGES.iter().find(|(name, _)| *name == word).map(|(_, language)| *language)
}

/// Words that code says for each other. The first of a row is what people type.
#[rustfmt::skip]
const EXPANSIONS: &[(&[&str], &[&str])] = &[
    (&["auth", "authentication", "authenticate"], &["auth", "authenticate", "authentication", "login", "session", "credential"]),
    (&["err", "error", "errors"],                 &["error", "exception", "panic", "failure"]),
    (&["cfg", "config", "configuration"],         &["config", "settings", "options", "configuration"]),
    (&["db", "database"],                         &["database", "sql", "query", "store"]),
    (&["req", "request"],                         &["request", "call"]),
    (&["res", "resp", "response"],                &["response", "reply", "result"]),
    (&["msg", "message"],                         &["message", "event"]),
    (&["ctx", "context"],                         &["context", "scope"]),
    (&["conn", "connection"],                     &["connection", "socket", "pool"]),
    (&["async", "asynchronous"],                  &["async", "await", "future", "promise"]),
    (&["sync", "synchronise", "synchronize"],     &["sync", "lock", "mutex"]),
    (&["delete", "remove"],                       &["delete", "remove", "drop", "erase"]),
    (&["create", "make"],                         &["create", "new", "build", "make"]),
    (&["fetch", "download"],                      &["fetch", "download", "get", "load"]),
    (&["save", "persist", "store"],               &["save", "write", "persist", "store"]),
    (&["parse", "parser"],                        &["parse", "read", "decode"]),
    (&["serialize", "serialization"],             &["serialize", "encode", "marshal", "dump"]),
    (&["retry", "retries"],                       &["retry", "attempt", "backoff"]),
    (&["cache", "caching"],                       &["cache", "memo", "store"]),
    (&["log", "logging"],                         &["log", "logger", "trace"]),
    (&["init", "initialise", "initialize"],       &["init", "setup", "start", "new"]),
    (&["util", "utils", "utility"],               &["util", "helper", "tools"]),
    (&["perm", "permission", "permissions"],      &["permission", "access", "role", "authorize"]),
    (&["validate", "validation"],                 &["validate", "check", "verify"]),
    (&["handle", "handler", "handlers"],          &["handle", "handler", "callback", "listener", "dispatch"]),
    (&["encrypt", "encryption"],                  &["encrypt", "cipher", "crypto"]),
];

/// Most that are told.
const MOST: usize = 12;

/// Other words for these, without those that are there already.
pub(crate) fn expansions(keywords: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for keyword in keywords {
        let row = EXPANSIONS.iter().find(|(words, _)| words.contains(&keyword.as_str()));
        for word in row.map_or(&[][..], |(_, others)| others) {
            if !keywords.iter().any(|k| k == word) && !found.iter().any(|f| f == word) && found.len() < MOST {
                found.push((*word).to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{EXPANSIONS, LANGUAGES, expansions, language};

    #[test]
    fn languages_are_named_after_in() {
        assert_eq!(language(Some("in"), "golang"), Some("go"));
        assert_eq!(language(Some("in"), "go"), Some("go"));
        assert_eq!(language(Some("to"), "go"), None);
        assert_eq!(language(None, "rust"), None);
        assert!(LANGUAGES.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn words_have_others() {
        let of = |word: &str| expansions(&[word.to_owned()]);
        assert_eq!(of("auth"), ["authenticate", "authentication", "login", "session", "credential"]);
        assert_eq!(of("walrus"), [""; 0]);
        let lower = |w: &str| w.bytes().all(|b| b.is_ascii_lowercase());
        assert!(EXPANSIONS.iter().all(|(words, others)| words.iter().chain(*others).all(|w| lower(w))));
    }
}
