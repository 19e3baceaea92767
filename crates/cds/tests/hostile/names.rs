//! Names of files that a terminal, a shell or a program could take for something else.

use crate::sandbox::{Case, raw};

/// A text that every command shows, because it is what all of them look for.
const NEEDLE: &str = "def needle_function(): pass\n";

pub(crate) const CASES: &[Case] = &[
    Case::finds("an escape sequence in a name", |s| s.write("\u{1b}]52;c;b3duZWQ=\u{7}a.py", NEEDLE)),
    Case::finds("a line break in a name", |s| s.write("a\nb.py", NEEDLE)),
    Case::finds("a carriage return in a name", |s| s.write("a\rgood.py", NEEDLE)),
    Case::finds("a bidirectional control in a name", |s| s.write("a\u{202e}yp.b", NEEDLE)),
    Case::finds("a C1 control in a name", |s| s.write("a\u{9b}31m.py", NEEDLE)),
    Case::finds("a name that is not UTF-8", |s| s.write(raw(b"a\xFF\xFE.py"), NEEDLE)),
    Case::finds("names that are written alike", |s| {
        s.write(raw(b"a\xFF.py"), NEEDLE);
        s.write(raw(b"a\xFE.py"), NEEDLE);
    }),
    Case::finds("a name like a flag", |s| s.write("--force", NEEDLE)),
    Case::finds("a name like a command", |s| s.write("$(touch ran).py", NEEDLE)),
    Case::finds("a name of dots", |s| s.write("...", NEEDLE)),
    Case::finds("the longest name", |s| s.write("a".repeat(250) + ".py", NEEDLE)),
    Case::finds("four hundred levels", |s| s.write("d/".repeat(400) + "a.py", NEEDLE)),
    Case::finds("five thousand files", |s| (0..5_000).for_each(|i| s.write(format!("many/f{i}.txt"), "word\n"))),
    Case::finds("markup in a name", |s| s.write("<script>`a`[b](c).py", NEEDLE)),
];
