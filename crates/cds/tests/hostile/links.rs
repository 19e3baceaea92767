//! Links, pipes, sockets and devices in the place of sources.

use crate::sandbox::{Case, Expect, Sandbox};

const fn finds(name: &'static str, make: fn(&Sandbox)) -> Case {
    Case { name, make, expect: Expect::Finds }
}

pub(crate) const CASES: &[Case] = &[
    finds("a link to a secret", |s| s.link("a.py", s.outside("lock"))),
    finds("a link to a folder outside", |s| s.link("sub", s.outside(""))),
    finds("a relative link out of the root", |s| s.link("sub/a.py", "../../outside/lock")),
    finds("a link to the root", |s| s.link("sub/loop", "..")),
    finds("a link to itself", |s| s.link("a.py", "a.py")),
    finds("a chain of links", |s| {
        s.link("a.py", "b.py");
        s.link("b.py", "c.py");
        s.link("c.py", s.outside("lock"));
    }),
    finds("a link to a device", |s| s.link("a.py", "/dev/zero")),
    finds("a link to the terminal", |s| s.link("a.py", "/dev/tty")),
    finds("a link to a process", |s| s.link("a.py", "/proc/self/mem")),
    finds("a dangling link", |s| s.link("a.py", "missing.py")),
    finds("a pipe", |s| s.fifo("a.py")),
    finds("a pipe in a folder", |s| s.fifo("sub/deeper/a.ts")),
    finds("a socket", |s| s.socket("a.py")),
    finds("a mark of an environment is a link", |s| s.link("pyvenv.cfg", s.outside("lock"))),
    finds("a mark of a cache is a pipe", |s| s.fifo("sub/CACHEDIR.TAG")),
    finds("a manifest of npm is a link", |s| s.link("package.json", s.outside("lock"))),
    finds("a manifest of cargo is a pipe", |s| s.fifo("Cargo.toml")),
    finds("a manifest of go is a device", |s| s.link("go.mod", "/dev/zero")),
];
