//! Files whose content is made to cost much, or to be taken for something else.

use crate::sandbox::Case;

/// A little below the size limit of a file.
const LARGE: usize = 990_000;

pub(crate) const CASES: &[Case] = &[
    Case::finds("an enormous file", |s| s.sparse("a.py", 10 << 30)),
    Case::finds("one line of a megabyte", |s| s.write("a.js", "x".repeat(LARGE))),
    Case::finds("open parentheses in Python", |s| s.write("a.py", "(".repeat(LARGE))),
    Case::finds("open braces in C", |s| s.write("a.c", "{".repeat(LARGE))),
    Case::finds("open angles in C++", |s| s.write("a.cpp", "a<".repeat(LARGE / 2))),
    Case::finds("open brackets in TypeScript", |s| s.write("a.ts", "[".repeat(LARGE))),
    Case::finds("open elements in HTML", |s| s.write("a.html", "<a>".repeat(LARGE / 3))),
    Case::finds("quotes in Ruby", |s| s.write("a.rb", "\"#{".repeat(LARGE / 3))),
    Case::finds("headings in Markdown", |s| s.write("a.md", "# a\n".repeat(LARGE / 4))),
    Case::finds("a chain of members", |s| s.write("a.js", "a.b".repeat(LARGE / 3))),
    Case::finds("fifty thousand functions", |s| s.write("a.py", "def f(): f()\n".repeat(50_000))),
    Case::finds("a name of a hundred kilobytes", |s| s.write("a.py", format!("def {}(): pass\n", "n".repeat(100_000)))),
    Case::finds("zero bytes", |s| s.write("a.py", vec![0; LARGE])),
    Case::finds("UTF-16", |s| {
        s.write("a.py", "\u{feff}def f(): pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>())
    }),
    Case::finds("escape sequences in code", |s| {
        s.write("a.py", "def needle_function_two():\n    '''\u{1b}]52;c;b3duZWQ=\u{7}\u{1b}[2J\u{9b}31m\u{202e}'''\n    # needle_function \u{1b}[31m\r\n");
    }),
    Case::finds("fences in comments", |s| s.write("a.py", "# needle_function ```````` \n# ~~~~~~\n")),
    Case::finds("a manifest with a thousand aliases", |s| {
        let aliases: Vec<String> = (0..1_000).map(|i| format!("\"@{i}/*\": [\"./{i}/*\"]")).collect();
        s.write("tsconfig.json", format!("{{\"compilerOptions\": {{\"paths\": {{{}}}}}}}", aliases.join(",")));
        s.write(
            "a.ts",
            (0..2_000).map(|i| format!("import {{ x{i} }} from '@{}/y';\n", i % 1_000)).collect::<String>(),
        );
    }),
    Case::finds("a manifest of nested arrays", |s| s.write("package.json", "[".repeat(200_000))),
    Case::finds("files that include each other", |s| {
        for i in 0..300 {
            s.write(format!("h{i}.h"), (0..300).map(|j| format!("#include \"h{j}.h\"\n")).collect::<String>());
        }
    }),
    Case::finds("modules that import everything from each other", |s| {
        for i in 0..60 {
            let imports: String = (0..60).map(|j| format!("from m{j} import *\n")).collect();
            s.write(format!("m{i}.py"), imports + "def f():\n    return unknown_name(), other_name()\n");
        }
    }),
    Case::finds("classes that inherit in a circle", |s| {
        for i in 0..500 {
            s.write(
                format!("c{i}.py"),
                format!(
                    "from c{0} import C{0}\nclass C{i}(C{0}):\n    def f(self):\n        return self.g()\n",
                    (i + 1) % 500
                ),
            );
        }
    }),
];
