//! Do both parsers' trees give the same blocks?

use std::path::{Path, PathBuf};

use super::blocks::{Blocks, Tools};
use super::{Dropped, decode, from_ruff};

/// Everything about the blocks of a file.
fn told(blocks: Result<Blocks, Dropped>) -> Result<Vec<String>, Dropped> {
    let built = blocks?;
    let tell = |block: &super::blocks::Block| {
        format!(
            "{:?} {} in {:?}, parent {} end {}, lines {}-{}, {:?} {:?} {}, tokens {} {}",
            block.kind,
            built.paths.text(block.path),
            block.span.map(|span| built.spans.name(span)),
            block.parent,
            block.end,
            block.start_line,
            block.end_line,
            block.before,
            block.text,
            block.continued,
            block.tokens,
            block.total
        )
    };
    Ok(built.blocks.iter().map(tell).collect())
}

/// The first difference, if there is one. Says nothing of files that are left to tree-sitter.
fn difference(tools: &mut Tools, text: &str) -> Option<String> {
    if !from_ruff::parse(text, tools.tree_mut()) {
        return None;
    }
    let fast = told(tools.build(text));
    let slow = told(tools.parse_with_tree_sitter(text).and_then(|()| tools.build(text)));
    match (fast, slow) {
        (Ok(fast), Ok(slow)) => {
            let at = (0..fast.len().max(slow.len())).find(|at| fast.get(*at) != slow.get(*at))?;
            Some(format!("ruff:        {:?}\ntree-sitter: {:?}", fast.get(at), slow.get(at)))
        }
        (fast, slow) if fast == slow => None,
        (fast, slow) => Some(format!("ruff: {:?}, tree-sitter: {:?}", fast.err(), slow.err())),
    }
}

#[track_caller]
fn check(text: &str) {
    let mut tools = Tools::new();
    assert!(from_ruff::parse(text, tools.tree_mut()), "left to tree-sitter: {text}");
    if let Some(difference) = difference(&mut tools, text) {
        panic!("{text}\n{difference}");
    }
}

fn python_files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() && entry.path().extension().is_some_and(|ext| ext == "py") => {
                    files.push(entry.path());
                }
                _ => {}
            }
        }
    }
    files
}

#[test]
fn on_the_odd_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny/source");
    let files = python_files(&root);
    assert!(!files.is_empty());
    let mut tools = Tools::new();
    for file in files {
        let text = decode(&std::fs::read(&file).expect("a file"));
        assert_eq!(difference(&mut tools, &text), None, "{}", file.display());
    }
}

/// `CDS_PYTHON_FOLDERS=a:b cargo test --release -p cds-locagent --lib parsers_agree -- --ignored --nocapture`
#[test]
#[ignore = "reads folders that are named in the environment"]
#[allow(clippy::print_stderr)]
fn on_folders() {
    let folders = std::env::var("CDS_PYTHON_FOLDERS").expect("folders to read, with colons between");
    let (mut tools, mut all, mut left, mut different) = (Tools::new(), 0, 0, 0);
    for file in folders.split(':').flat_map(|folder| python_files(Path::new(folder))) {
        let text = decode(&std::fs::read(&file).unwrap_or_default());
        all += 1;
        left += u32::from(!from_ruff::parse(&text, tools.tree_mut()));
        if let Some(difference) = difference(&mut tools, &text) {
            different += 1;
            eprintln!("{}\n{difference}", file.display());
        }
    }
    eprintln!("{all} files, {left} left to tree-sitter, {different} different");
    assert_eq!(different, 0);
}

#[test]
fn on_comments() {
    check("");
    check("\n\n  \n");
    check("# only");
    check("  # a\nx\n# b\n\n# c\n");
    check("x = 1  # a\n# b\ny\n");
    check("if a:  # a\n    # b\n  # c\n# d\n    x  # e\n    # f\n        # g\n  # h\n    # i\ny\n");
    check("if a:\n    x\n    # a\n# b\n    # c\nelse:\n    y\n# d\n");
    check("if a:\n    if b:\n        x\n        # a\n    # b\n      # c\n# d\nelif c: y # e\n# f\nelse: # g\n    z\n");
    check("def f():\n    if a: b # a\n# b\n    else: c\n  # c\n");
    check("@a # a\n# b\n@b\n# c\nclass C: # d\n    # e\n    x\n    # f\n");
    check("class A: # a\n    class B: # b\n        x\n    def f(self): pass # c\n    y\n");
    check(
        "try: # a\n    x\n    # b\n# c\nexcept (A, # d\n  B) as e: # e\n    y\n# f\nelse:\n    z\n# g\nfinally: # h\n    w # i\n",
    );
    check(
        "match x: # a\n    # b\n  # c\n    case 1: # d\n        # e\n        y\n        # f\n    # g\n    case 2: z\n    # h\n# i\n",
    );
    check("with (a as b, # a\n      c, # :\n      ): # b\n    x\nwhile (a # :\n  ): # c\n    x\nelse: # d\n    y\n");
    check("if a:\n    x = (\n  1,\n2\n)\n    y = '''\nb.\nc\n'''\n    if b(\n1 # c\n , c): z\n");
    check("def f(\n    a, # a\n) -> (b # c:\n  ): # d\n    return (a # e\n    ) # f\n# end");
}

#[test]
fn on_statements() {
    check("a; b;\nif x: c; d; # a\ne;\n");
    check("x = y = f(1)\nx = (y) = 1\n(x) = y = 2\nx.y = z[0] = w = 3\nx, y = 1, 2\nx = (f(1))\nx = 1,\n");
    check("x: int\nx: (int # =\n ) = f(1)\n(x): int = 1\nx.y: int = 2\nx[0]: int = 3\nx += f(1)\n");
    check(
        "x = \\\n  f(1)\ny = 'a' \\\n  'b'\nz \\\n  = 1\nreturn \\\n  1\nreturn \\\n rb'a'\nv = \\\n 'a'\nu = \\\n u\nw =\\\n\\\n3\nif \\\n a \\\n: b\n",
    );
    check(
        "f(1)\nf(x for x in y)\nf((x for x in y))\n(f)(1)\n(f(1))\na.b(1)\n(a).b(1)\na()()\nf(1), g(2)\nawait_(1).x\nf(1) or b\n",
    );
    check("'a'\n''\n'a' 'b'\n('a')\nb'a'\nb''\nr'''a\nb'''\nf'{a}'\nf'a{b}'\nf'{{'\nf''\n'a', b\n'a'.b\n'a' % b\n");
    check("import a\nimport a.b as c, d\nfrom a import b\nfrom .a import b as c, d\n");
    check(
        "from . import *\nfrom . import (a as b, # c\n  d,)\nfrom __future__ import x\nfrom .__future__ import y\nfrom . import a as b\n",
    );
    check(
        "def f():\n    return\n    return f(1)\n    return (f(1))\n    return a, b\n    return \\\n      a\n    return(yield a)\n    yield f(1)\n",
    );
    check(
        "async def f():\n    async with a: b\n    async for x in y: await z\n    await f(1)\n@a.b(1)\nasync def g(): pass\n",
    );
    check(
        "pass\nbreak\ncontinue\nglobal a, b\ndel a, b\ndel (a)\nassert a, b\nraise A from b\ntype X = int\nlambda: f(1)\nnot a\n*a, b\n",
    );
    check("try: a\nexcept* B: b\nexcept* (C): c\ntry: a\nexcept: b\n");
    check(
        "class A: pass\nclass A(): pass\nclass A[T]: pass\nclass A[T](B, c=d): x = 1; y = 2\ndef f[T](a: T = lambda: 1) -> T: ...\n",
    );
    check("if lambda: a: b\nwhile x[1:2]: y\nfor a, in b,: c\nwith a, b as c: d\nwith (a): b\nwith (a, b) as c: d\n");
    check(
        "match = 1\nmatch.x()\nprint(1)\nprint\nprint(a), b\nexec(a)\ntype = 1\ntype(x)\ncase = 2\ntype(x).y(1)\ntype.x = 1\n",
    );
    check("match a, b:\n    case 1, 2 if (c # :\n ): x\n    case (A(x=1)): y\n    case [*_]: z\n");
}

#[test]
fn what_is_left_to_tree_sitter() {
    for text in [
        "\u{feff}a\n",
        "a\r\n",
        "if a:\n\tb\n",
        "a\u{c}\n",
        "print 1\n",
        "x = (\n",
        "match(1)\n",
        "x: A[B, C,]\n",
        "if a: \\\n  b\n",
        "a; \\\n  b\n",
        "from \\\n a import b\n",
        "type(x).y = 1\n",
        "if a:\n    (b.\n  c)\n",
        "if a:\n    if (b +\n  c): d\n",
        "from __future__ import *\n",
        "class A:\n    @b\n# c\n    def f(): pass\n",
    ] {
        assert!(!from_ruff::parse(text, Tools::new().tree_mut()), "{text:?}");
    }
}
