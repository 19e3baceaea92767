//! Ignore files that are no files, or cost too much.

use crate::sandbox::Case;

pub(crate) const CASES: &[Case] = &[
    Case::finds(".gitignore is a pipe", |s| s.fifo(".gitignore")),
    Case::finds(".ignore is a pipe", |s| s.fifo(".ignore")),
    Case::finds(".cdsignore is a pipe", |s| s.fifo("sub/.cdsignore")),
    Case::finds(".gitignore is a device", |s| s.link(".gitignore", "/dev/zero")),
    Case::finds(".gitignore is a link to a secret", |s| s.link(".gitignore", s.outside("lock"))),
    Case::finds(".gitignore is a folder", |s| s.folder(".gitignore")),
    Case::finds(".gitignore is enormous", |s| s.sparse(".gitignore", 10 << 30)),
    Case::finds("a million patterns", |s| s.write(".gitignore", "other*.txt\n".repeat(1_000_000))),
    Case::finds("a pattern of five megabytes", |s| s.write(".gitignore", "x".repeat(5_000_000))),
    Case::finds("patterns with many stars", |s| s.write(".gitignore", format!("{}\n", "*a".repeat(2_000)).repeat(20))),
    Case::finds("patterns with many braces", |s| s.write(".ignore", "{a,b}".repeat(2_000))),
    Case::finds("patterns that are none", |s| s.write(".gitignore", "[\n\\\n!\n/**/**/**/\n[z-a]\n\0\n")),
    Case::finds("ten thousand patterns with stars and long names", |s| {
        s.write(".gitignore", (0..9_990).map(|i| format!("{}b{i}\n", "*a".repeat(24))).collect::<String>());
        for i in 0..300 {
            s.write(format!("{}{i}.txt", "a".repeat(240)), "x\n");
        }
    }),
    Case::finds("ignore files in folders below each other", |s| {
        for depth in 0..60 {
            s.write("d/".repeat(depth) + ".gitignore", (0..9_990).map(|i| format!("*a{i}?\n")).collect::<String>());
            for i in 0..5 {
                s.write("d/".repeat(depth) + &format!("f{i}.txt"), "x\n");
            }
        }
    }),
    Case::finds("a thousand ignore files", |s| {
        for i in 0..1_000 {
            s.write(format!("f{i}/.gitignore"), "*.log\n!keep.log\n".repeat(50));
        }
    }),
];
