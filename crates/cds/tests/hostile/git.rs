//! `.git` as a hostile archive or a submodule may bring it.

use crate::sandbox::Case;

pub(crate) const CASES: &[Case] = &[
    Case::finds("a .git file that leads outside", |s| {
        s.write(".git", format!("gitdir: {}\n", s.outside("").display()))
    }),
    Case::finds("a .git file that leads to a device", |s| s.write(".git", "gitdir: /dev/zero\n")),
    Case::finds("a .git file without sense", |s| s.write(".git", [0xFF; 5_000])),
    Case::finds("an enormous .git file", |s| s.sparse(".git", 10 << 30)),
    Case::finds("a .git pipe", |s| s.fifo(".git")),
    Case::finds("a .git link", |s| s.link(".git", s.outside(""))),
    Case::finds("info/exclude is a pipe", |s| s.fifo(".git/info/exclude")),
    Case::finds("info/exclude is a device", |s| s.link(".git/info/exclude", "/dev/zero")),
    Case::finds("info/exclude is a link to a secret", |s| s.link(".git/info/exclude", s.outside("lock"))),
    Case::finds("HEAD is a pipe", |s| s.fifo(".git/HEAD")),
    Case::finds("commondir leads outside", |s| s.write(".git/commondir", "../../outside\n")),
    Case::finds("commondir leads to itself", |s| s.write(".git/commondir", ".\n")),
    Case::finds("settings of git that run commands", |s| {
        s.write(".git/config", "[core]\n\tfsmonitor = \"touch ../../outside/ran\"\n\thooksPath = ../../outside\n");
        s.write(".git/HEAD", "ref: refs/heads/main\n");
    }),
    Case::finds("settings of git that name a secret", |s| {
        s.write(".git/config", "[core]\n\texcludesFile = ../outside/lock\n[include]\n\tpath = /dev/zero\n");
    }),
    Case::finds("a nested repository that leads outside", |s| s.write("sub/.git", "gitdir: ../../outside\n")),
];
