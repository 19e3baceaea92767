//! Every kind of dependency has an edit that only it announces: links of the file that looked something up change, and no other key of that
//! file does. Each edit must leave the index equal to a clean one, and must not when dependencies of its kind are left out.

use crate::equality::assert_equal_to_clean;
use crate::fixture::Tree;

/// A kind of dependency, a tree, and files written over it.
const CASES: &[(&str, &str, &str)] = &[
    (
        "InFile",
        "//- a.py\nfrom b import f\n\nf()\n//- b.py\nfrom c import f\n//- c.py\ndef f():\n    pass\n",
        "//- b.py\nfrom c import f\n\ndef f():\n    pass\n",
    ),
    (
        "Name",
        "//- a.py\ndef run(x):\n    x.send()\n//- b.py\nclass B:\n    def send(self):\n        pass\n",
        "//- c.py\nclass C:\n    def send(self):\n        pass\n",
    ),
    (
        "Qualified",
        "//- a.cpp\nvoid run(X* x) { x->send(); }\n//- b.h\nclass B { void send(); };\n//- c.cpp\nnamespace C { void send() {} }\n//- d.cpp\n\
         struct D { void send() {} };\nstruct E { void send() {} };\nstruct F { void send() {} };\nstruct G { void send() {} };\n\
         struct H { void send() {} };\nstruct I { void send() {} };\nstruct J { void send() {} };\nstruct K { void send() {} };\n",
        "//- c.cpp\nnamespace B { void send() {} }\n",
    ),
    (
        "Missing",
        "//- a.py\nimport lib.tools\n\nlib.tools.run()\n//- lib/__init__.py\n\n",
        "//- lib/__init__.py\nclass tools:\n    def run():\n        pass\n",
    ),
    ("Path", "//- a.py\nfrom . import b\n//- c.py\n\n", "//- b.py\n\n"),
    ("Folder", "//- main.go\npackage main\n\nimport _ \"./store\"\n", "//- store/store.go\npackage store\n"),
    ("FileName", "//- a/main.c\n#include \"tools.h\"\n//- b/other.h\n\n", "//- b/tools.h\n\n"),
    (
        "Members",
        "//- main.go\npackage main\n\nimport \"./go-kv\"\n\nfunc main() {\n\tkv.Get()\n}\n//- go-kv/b.go\npackage kv\n\nfunc Get() {}\n",
        "//- go-kv/a.go\npackage other\n",
    ),
    (
        "Folders",
        "//- main.go\npackage main\n\nimport _ \"example.com/m/store\"\n",
        "//- vendor/example.com/m/store/store.go\npackage store\n",
    ),
    (
        "Package",
        "//- A.java\npackage a;\n\nimport b.c.*;\n\nclass A {}\n",
        "//- x/B.java\npackage b.c;\n\nclass B {}\n",
    ),
    ("PythonRoot", "//- a.py\nimport tools\n//- lib/other.py\n\n", "//- lib/tools.py\n\n"),
    (
        "Wildcards",
        "//- a.py\nfrom b import f\n\nf()\n//- b.py\n\n//- c.py\ndef f():\n    pass\n//- d.py\ndef f():\n    pass\n",
        "//- b.py\nfrom c import *\n",
    ),
    (
        "Includes",
        "//- a.c\n#include \"b.h\"\nvoid run(void) { f(); }\n//- b.h\n#include \"c.h\"\n//- c.h\nvoid f(void);\n//- d.h\nvoid f(void);\n",
        "//- b.h\n#include \"d.h\"\n",
    ),
    (
        "Bases",
        "//- a.py\nfrom b import Child\n\ndef run(x: Child):\n    x.send()\n//- b.py\nfrom c import Base\n\nclass Child(Base):\n    pass\n//- c.py\nfrom d import Left as Base\n//- d.py\nclass Left:\n    def send(self):\n        pass\nclass Right:\n    def send(self):\n        pass\n",
        "//- c.py\nfrom d import Right as Base\n",
    ),
    (
        "Default",
        "//- a.ts\nimport start from './b';\n\nstart();\n//- b.ts\nexport const x = 1;\n",
        "//- b.ts\nexport const x = 1;\nexport default function begin() {}\n",
    ),
];

/// What a call by name depends on besides the name: where a candidate is visible, and whether it is part of a test.
const VISIBILITY: &[(&str, &str)] = &[
    (
        "//- a.swift\nfunc run() { unknown().send() }\n//- b.swift\nclass B {\n    func send() {}\n}\n//- c.swift\n\n",
        "//- b.swift\nclass B {\n    private func send() {}\n}\n",
    ),
    (
        "//- a.swift\nfunc run() { unknown().send() }\n//- b.swift\nprivate class B {\n    func send() {}\n}\n//- c.swift\n\n",
        "//- b.swift\nclass B {\n    func send() {}\n}\n",
    ),
    (
        "//- p/A.java\npackage p;\nclass A { void run(X x) { x.send(); } }\n//- p/B.java\npackage p;\nclass B { void send() {} }\n//- C.java\n\n",
        "//- p/B.java\npackage q;\nclass B { void send() {} }\n",
    ),
    (
        "//- p/A.java\npackage p;\nclass A { void run(X x) { x.send(); } }\n//- p/B.java\npackage q;\nclass B { void send() {} }\n//- C.java\n\n",
        "//- p/A.java\npackage q;\nclass A { void run(X x) { x.send(); } }\n",
    ),
    (
        "//- a.ts\nexport function run(x: any) { x.send(); }\n//- b.ts\nfunction send() {}\nexport const other = 1;\n//- c.ts\n\n",
        "//- b.ts\nfunction send() {}\nexport { send };\nexport const other = 1;\n",
    ),
    (
        "//- src/a.rs\nfn run(x: &X) { x.send(); }\n//- src/b.rs\nstruct B;\nimpl B {\n    fn send(&self) {}\n}\n//- src/c.rs\n\n",
        "//- src/b.rs\nstruct B;\nimpl S for B {\n    fn send(&self) {}\n}\n",
    ),
    (
        "//- a.rs\nfn run(x: &X) { x.send(); }\n//- b.rs\nmod inner {\n    pub fn send() {}\n}\n//- c.rs\n\n",
        "//- b.rs\n#[cfg(test)]\nmod inner {\n    pub fn send() {}\n}\n",
    ),
    (
        "//- a.py\ndef run(x):\n    x.send()\n//- b.py\n\n//- tests/c.py\ndef send(): ...\n",
        "//- b.py\ndef send(): ...\n//- tests/c.py\n\n",
    ),
];

fn check(tree: &str, edit: &str) {
    let tree = Tree::new(tree);
    tree.settle();
    tree.build();
    tree.write_all(edit);
    let report = assert_equal_to_clean(&tree, edit);
    assert!(report.linked < report.files, "all was linked: {report:?} {edit}");
}

#[test]
fn each_kind_of_dependency_is_followed() {
    let only = std::env::var("CDS_OMIT_DEPENDENCY").ok();
    for (_, tree, edit) in CASES.iter().filter(|(kind, ..)| only.as_ref().is_none_or(|only| only == kind)) {
        check(tree, edit);
    }
}

#[test]
fn s7_visibility_of_candidates_is_followed() {
    for (tree, edit) in VISIBILITY {
        check(tree, edit);
    }
}

/// Runs the first test above in processes that leave out one kind each, which must be noticed.
#[cfg(feature = "mutation")]
#[test]
fn each_kind_of_dependency_is_needed() {
    let kinds: Vec<&str> = CASES.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(kinds, cds_graph::DEPENDENCY_KINDS, "each kind has a case");
    let is_missed = |kind: &&str| {
        let mut child = std::process::Command::new(std::env::current_exe().expect("a test is a program"));
        child.args(["--exact", "dependencies::each_kind_of_dependency_is_followed"]).env("CDS_OMIT_DEPENDENCY", kind);
        let output = child.output().expect("it runs");
        assert!(String::from_utf8_lossy(&output.stdout).contains("running 1 test"), "{output:?}");
        output.status.success()
    };
    let missed: Vec<&str> = kinds.into_iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "left out, and the index was the same: {missed:?}");
}
