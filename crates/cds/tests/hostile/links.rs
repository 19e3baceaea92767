//! Links, pipes, sockets and devices in the place of sources.

use crate::sandbox::Case;

pub(crate) const CASES: &[Case] = &[
    Case::finds("a link to a secret", |s| s.link("a.py", s.outside("lock"))),
    Case::finds("a link to a folder outside", |s| s.link("sub", s.outside(""))),
    Case::finds("a relative link out of the root", |s| s.link("sub/a.py", "../../outside/lock")),
    Case::finds("a link to the root", |s| s.link("sub/loop", "..")),
    Case::finds("a link to itself", |s| s.link("a.py", "a.py")),
    Case::finds("a chain of links", |s| {
        s.link("a.py", "b.py");
        s.link("b.py", "c.py");
        s.link("c.py", s.outside("lock"));
    }),
    Case::finds("a link to a device", |s| s.link("a.py", "/dev/zero")),
    Case::finds("a link to the terminal", |s| s.link("a.py", "/dev/tty")),
    Case::finds("a link to a process", |s| s.link("a.py", "/proc/self/mem")),
    Case::finds("a dangling link", |s| s.link("a.py", "missing.py")),
    Case::finds("a pipe", |s| s.fifo("a.py")),
    Case::finds("a pipe in a folder", |s| s.fifo("sub/deeper/a.ts")),
    Case::finds("a socket", |s| s.socket("a.py")),
    Case::finds("a mark of an environment is a link", |s| s.link("pyvenv.cfg", s.outside("lock"))),
    Case::finds("a mark of a cache is a pipe", |s| s.fifo("sub/CACHEDIR.TAG")),
    Case::finds("a manifest of npm is a link", |s| s.link("package.json", s.outside("lock"))),
    Case::finds("a manifest of cargo is a pipe", |s| s.fifo("Cargo.toml")),
    Case::finds("a manifest of go is a device", |s| s.link("go.mod", "/dev/zero")),
];
