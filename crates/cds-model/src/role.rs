//! What a file is for, judged by its path alone.

use serde::{Deserialize, Serialize};

/// The part a file plays in its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum PathRole {
    /// The code itself.
    Source,
    /// Tests of it.
    Test,
    /// Examples and demonstrations.
    Example,
    /// Written by a program.
    Generated,
    /// Somebody else's code, copied in.
    Vendored,
    /// Prose about it.
    Docs,
    /// Measurements.
    Benchmark,
}

/// Folder names that decide the role of everything below; the innermost wins.
#[rustfmt::skip]
const FOLDERS: &[(&str, PathRole)] = &[
    ("__mocks__",        PathRole::Test),
    ("__snapshots__",    PathRole::Test),
    ("__tests__",        PathRole::Test),
    ("androidtest",      PathRole::Test),
    ("e2e",              PathRole::Test),
    ("spec",             PathRole::Test),
    ("specs",            PathRole::Test),
    ("test",             PathRole::Test),
    ("testdata",         PathRole::Test),
    ("testing",          PathRole::Test),
    ("tests",            PathRole::Test),
    ("unittest",         PathRole::Test),
    ("unittests",        PathRole::Test),
    ("bench",            PathRole::Benchmark),
    ("benches",          PathRole::Benchmark),
    ("benchmark",        PathRole::Benchmark),
    ("benchmarks",       PathRole::Benchmark),
    ("perf",             PathRole::Benchmark),
    ("demo",             PathRole::Example),
    ("demos",            PathRole::Example),
    ("example",          PathRole::Example),
    ("examples",         PathRole::Example),
    ("sample",           PathRole::Example),
    ("samples",          PathRole::Example),
    ("generated",        PathRole::Generated),
    ("__generated__",    PathRole::Generated),
    ("dist",             PathRole::Generated),
    ("_vendor",          PathRole::Vendored),
    ("_vendored",        PathRole::Vendored),
    ("bower_components", PathRole::Vendored),
    ("extern",           PathRole::Vendored),
    ("externals",        PathRole::Vendored),
    ("node_modules",     PathRole::Vendored),
    ("site-packages",    PathRole::Vendored),
    ("third-party",      PathRole::Vendored),
    ("third_party",      PathRole::Vendored),
    ("thirdparty",       PathRole::Vendored),
    ("vendor",           PathRole::Vendored),
    ("vendored",         PathRole::Vendored),
    ("doc",              PathRole::Docs),
    ("docs",             PathRole::Docs),
    ("documentation",    PathRole::Docs),
];

/// Endings of a file name (before its last extension is cut) that decide its role.
#[rustfmt::skip]
const NAME_ENDINGS: &[(&str, PathRole)] = &[
    ("_test.go",    PathRole::Test),
    ("_test.py",    PathRole::Test),
    ("_test.rb",    PathRole::Test),
    ("_spec.rb",    PathRole::Test),
    ("_test.exs",   PathRole::Test),
    ("_test.c",     PathRole::Test),
    ("_test.cc",    PathRole::Test),
    ("_test.cpp",   PathRole::Test),
    ("_unittest.cc",PathRole::Test),
    ("_test.rs",    PathRole::Test),
    ("_tests.rs",   PathRole::Test),
    ("_spec.lua",   PathRole::Test),
    ("_test.lua",   PathRole::Test),
    ("Test.java",   PathRole::Test),
    ("Tests.java",  PathRole::Test),
    ("IT.java",     PathRole::Test),
    ("Test.kt",     PathRole::Test),
    ("Tests.kt",    PathRole::Test),
    ("Spec.scala",  PathRole::Test),
    ("Test.scala",  PathRole::Test),
    ("Suite.scala", PathRole::Test),
    ("Test.php",    PathRole::Test),
    ("Tests.swift", PathRole::Test),
    ("Test.swift",  PathRole::Test),
    ("Tests.cs",    PathRole::Test),
    ("Test.cs",     PathRole::Test),
    ("Spec.hs",     PathRole::Test),
    ("Test.hs",     PathRole::Test),
    (".bats",       PathRole::Test),
    (".pb.go",      PathRole::Generated),
    ("_pb2.py",     PathRole::Generated),
    ("_pb2_grpc.py",PathRole::Generated),
    (".pb.cc",      PathRole::Generated),
    (".pb.h",       PathRole::Generated),
    (".min.js",     PathRole::Generated),
    (".min.css",    PathRole::Generated),
    (".g.dart",     PathRole::Generated),
    (".Designer.cs",PathRole::Generated),
    (".lock",       PathRole::Generated),
    ("-lock.json",  PathRole::Generated),
    (".md",         PathRole::Docs),
    (".mdx",        PathRole::Docs),
    (".rst",        PathRole::Docs),
    (".adoc",       PathRole::Docs),
    (".txt",        PathRole::Docs),
];

/// Words between dots in a file name that decide its role: `button.test.tsx`.
#[rustfmt::skip]
const NAME_PARTS: &[(&str, PathRole)] = &[
    ("bench",     PathRole::Benchmark),
    ("e2e",       PathRole::Test),
    ("generated", PathRole::Generated),
    ("spec",      PathRole::Test),
    ("stories",   PathRole::Example),
    ("test",      PathRole::Test),
];

impl PathRole {
    /// All roles.
    pub const ALL: [PathRole; 7] = [
        PathRole::Source,
        PathRole::Test,
        PathRole::Example,
        PathRole::Generated,
        PathRole::Vendored,
        PathRole::Docs,
        PathRole::Benchmark,
    ];

    /// The word used in output.
    pub fn name(self) -> &'static str {
        match self {
            PathRole::Source => "source",
            PathRole::Test => "test",
            PathRole::Example => "example",
            PathRole::Generated => "generated",
            PathRole::Vendored => "vendored",
            PathRole::Docs => "docs",
            PathRole::Benchmark => "benchmark",
        }
    }

    /// The role stored as `code`.
    pub fn from_code(code: u8) -> PathRole {
        Self::ALL.get(usize::from(code)).copied().unwrap_or(PathRole::Source)
    }

    /// Classifies a path relative to the root, with `/` between folders.
    pub fn of(path: &str) -> PathRole {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some((_, role)) = NAME_ENDINGS.iter().find(|(end, _)| name.ends_with(end)) {
            // Prose inside a test folder is test data.
            if *role != PathRole::Docs {
                return *role;
            }
        }
        let parts: Vec<&str> = name.split('.').collect();
        if parts.len() > 2 {
            let inner = &parts[1..parts.len() - 1];
            if let Some((_, role)) = NAME_PARTS.iter().find(|(part, _)| inner.contains(part)) {
                return *role;
            }
        }
        if name.starts_with("test_") && name.ends_with(".py") || name == "conftest.py" {
            return PathRole::Test;
        }
        let by_folder = folders.rsplit('/').find_map(|folder| {
            let folder = folder.to_ascii_lowercase();
            // .NET projects lie in folders of their own: `Shop.UnitTests`.
            if folder.rsplit_once('.').is_some_and(|(_, last)| last == "test" || last.ends_with("tests")) {
                return Some(PathRole::Test);
            }
            FOLDERS.iter().find(|(name, _)| *name == folder).map(|(_, role)| *role)
        });
        by_folder.unwrap_or_else(|| {
            NAME_ENDINGS.iter().find(|(end, _)| name.ends_with(end)).map_or(PathRole::Source, |(_, role)| *role)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::PathRole;

    fn check(role: &str, paths: &[&str]) {
        for path in paths {
            assert_eq!(PathRole::of(path).name(), role, "{path}");
        }
    }

    #[test]
    fn roles_follow_the_path() {
        check("source", &["src/auth.py", "lib/latest.rs", "contest/a.go", "test_functions.bash", "Makefile"]);
        check("test", &["tests/a.py", "src/__tests__/b.js", "pkg/a_test.go", "a/test_x.py", "ui/button.test.tsx"]);
        check("test", &["src/test/java/FooTest.java", "Tests/AuthTests.swift", "tests/data/readme.md"]);
        check("test", &["Shop.Tests/Cart.cs", "src/Shop.UnitTests/Pay/Cart.cs", "shop.test/Cart.cs"]);
        check("source", &["shop.contest/cart.py", "Shop.Testing/Cart.cs"]);
        check("example", &["examples/a.rs", "ui/button.stories.tsx"]);
        check("generated", &["api/x.pb.go", "static/a.min.js", "Cargo.lock"]);
        check("vendored", &["vendor/x/a.c", "third_party/b.h"]);
        check("docs", &["README.md", "docs/conf.py"]);
        check("benchmark", &["benches/a.rs"]);
    }
}
