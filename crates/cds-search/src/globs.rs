//! Path patterns, compiled once and kept: the hundred used last.

use std::sync::Arc;

use regex::bytes::Regex;

use crate::lru::Lru;
use crate::{Error, Result, patterns};

/// How many compiled patterns are kept.
const KEPT: usize = 100;

/// Compiled patterns.
pub struct GlobCache {
    patterns: Lru<String, Arc<PathPattern>>,
}

impl Default for GlobCache {
    fn default() -> GlobCache {
        GlobCache { patterns: Lru::new(KEPT) }
    }
}

/// A glob, or a plain prefix or file name.
pub(crate) struct PathPattern {
    globs: Vec<Regex>,
}

impl PathPattern {
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.globs.iter().any(|g| g.is_match(path.as_bytes()))
    }

    /// `src/auth` means that folder and all below, `*.rs` means any such file, `.rs` an extension, the rest is a glob from the root.
    fn compile(field: &'static str, pattern: &str) -> Result<PathPattern> {
        let plain = pattern.trim_start_matches("./").trim_end_matches('/');
        let has_glob = plain.contains(['*', '?', '[', '{']);
        let written: Vec<String> = match plain {
            "" => return Err(Error::Invalid { field, message: "a path pattern cannot be empty".to_owned() }),
            p if p.starts_with('.') && !p.contains('/') && !has_glob => {
                vec![format!("**/*{p}"), format!("**/{p}"), format!("{p}/**")]
            }
            p if !has_glob && p.contains('/') => vec![p.to_owned(), format!("{p}/**")],
            p if !has_glob => vec![p.to_owned(), format!("{p}/**"), format!("**/{p}")],
            p if !p.contains('/') => vec![format!("**/{p}")],
            p => vec![p.to_owned()],
        };
        Ok(PathPattern {
            globs: written.iter().map(|glob| patterns::glob(field, pattern, glob)).collect::<Result<_>>()?,
        })
    }
}

impl GlobCache {
    pub(crate) fn get(&self, field: &'static str, pattern: &str) -> Result<Arc<PathPattern>> {
        let pattern = pattern.to_owned();
        if let Some(compiled) = self.patterns.get(&pattern) {
            return Ok(compiled);
        }
        let compiled = Arc::new(PathPattern::compile(field, &pattern)?);
        self.patterns.insert(pattern, Arc::clone(&compiled));
        Ok(compiled)
    }

    /// The patterns kept, least recently used first.
    pub fn kept(&self) -> Vec<String> {
        self.patterns.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::GlobCache;

    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let compiled = GlobCache::default().get("path", pattern).unwrap();
        for path in yes {
            assert!(compiled.matches(path), "{pattern} should match {path}");
        }
        for path in no {
            assert!(!compiled.matches(path), "{pattern} should not match {path}");
        }
    }

    #[test]
    fn s9_patterns_choose_paths() {
        check("Sources/Auth/**", &["Sources/Auth/A.swift", "Sources/Auth/x/B.swift"], &["Sources/Other/A.swift"]);
        check("*.swift", &["A.swift", "a/b/C.swift"], &["a.swiftx", "swift"]);
        check("**/Tests/**", &["Tests/A.swift", "a/Tests/B.swift"], &["a/Testing/B.swift"]);
        check("src/auth", &["src/auth", "src/auth/a.py"], &["src/authx/a.py", "x/src/auth/a.py"]);
        check("login.py", &["login.py", "a/login.py", "login.py/x"], &["a/xlogin.py"]);
        check(".rs", &["a.rs", "b/c.rs"], &["rs", "a.rsx"]);
        check("src/*.rs", &["src/a.rs"], &["src/a/b.rs"]);
        check("src/", &["src/a", "src/b/c"], &["srcs/a"]);
    }

    #[test]
    fn s9_bad_patterns_say_so() {
        let error = GlobCache::default().get("exclude", "a[").map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with("exclude: \"a[\" is not a path pattern"), "{error}");
        assert!(GlobCache::default().get("path", "").is_err());
    }

    #[test]
    fn s9_a_pattern_is_compiled_once_and_the_101st_evicts_the_least_recently_used() {
        let cache = GlobCache::default();
        let first = cache.get("path", "p0").unwrap();
        for i in 1..100 {
            cache.get("path", &format!("p{i}")).unwrap();
        }
        // Used again: now p1 is the oldest.
        assert!(std::sync::Arc::ptr_eq(&first, &cache.get("path", "p0").unwrap()));
        cache.get("path", "p100").unwrap();
        let kept = cache.kept();
        assert_eq!(kept.len(), 100);
        assert!(kept.contains(&"p0".to_owned()) && !kept.contains(&"p1".to_owned()));
    }
}
