//! Ignore files that are no files, or cost too much.

use crate::sandbox::{Case, Expect, Sandbox};

const fn finds(name: &'static str, make: fn(&Sandbox)) -> Case {
    Case { name, make, expect: Expect::Finds }
}

pub(crate) const CASES: &[Case] = &[
    finds(".gitignore is a pipe", |s| s.fifo(".gitignore")),
    finds(".ignore is a pipe", |s| s.fifo(".ignore")),
    finds(".cdsignore is a pipe", |s| s.fifo("sub/.cdsignore")),
    finds(".gitignore is a device", |s| s.link(".gitignore", "/dev/zero")),
    finds(".gitignore is a link to a secret", |s| s.link(".gitignore", s.outside("lock"))),
    finds(".gitignore is a folder", |s| s.folder(".gitignore")),
    finds(".gitignore is enormous", |s| s.sparse(".gitignore", 10 << 30)),
    finds("a million patterns", |s| s.write(".gitignore", "other*.txt\n".repeat(1_000_000))),
    finds("a pattern of five megabytes", |s| s.write(".gitignore", "x".repeat(5_000_000))),
    finds("patterns with many stars", |s| s.write(".gitignore", format!("{}\n", "*a".repeat(2_000)).repeat(20))),
    finds("patterns with many braces", |s| s.write(".ignore", "{a,b}".repeat(2_000))),
    finds("patterns that are none", |s| s.write(".gitignore", "[\n\\\n!\n/**/**/**/\n[z-a]\n\0\n")),
    finds("a thousand ignore files", |s| {
        for i in 0..1_000 {
            s.write(format!("f{i}/.gitignore"), "*.log\n!keep.log\n".repeat(50));
        }
    }),
];
