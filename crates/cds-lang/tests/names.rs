//! Which names a text declares and which it uses, language by language: what filters by definitions and references ask for.

use std::collections::BTreeSet;

use cds_lang::{Registry, extract};
use cds_model::Name;

fn check(language: &str, text: &str, declares: &str, uses: &str) {
    let registry = Registry::builtin();
    let facts = extract(registry, registry.by_name(language).unwrap(), text);
    let named = |is_asked: fn(&Name) -> bool| {
        let names = facts.names.iter().filter(move |name| is_asked(name));
        names.map(|name| &text[name.start as usize..name.end as usize])
    };
    let entities = facts.entities.iter().map(|entity| entity.name.as_str());
    let references = facts.references.iter().map(|reference| reference.name.as_str());
    let declared: BTreeSet<&str> = entities.chain(named(|name| name.is_definition)).collect();
    let used: BTreeSet<&str> = references.chain(named(|name| name.is_use)).collect();
    let join = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(" ");
    let found = (join(declared), join(used));
    assert_eq!((found.0.as_str(), found.1.as_str()), (declares, uses), "{language}: {text}");
    assert!(facts.names.is_sorted(), "{language}: {:?}", facts.names);
}

#[test]
fn python() {
    check(
        "python",
        "import os.path as p\nfrom app import config\nlogger = config.get('x')\nclass A(Base):\n    size: int = 3\n    def f(self, a, *rest, b: T = NONE, **more):\n        self.total = a[i]\n        with open(a) as out, (x := y):\n            for k, (v, w) in rest: print(k)\n",
        "A a b f k logger more out p rest size total v w x",
        "Base NONE T a app config get i int k open os path print rest y",
    );
}

#[test]
fn ecma() {
    check(
        "javascript",
        "import React, { useState as use } from 'react';\nconst { a, b: c = d, ...rest } = require('./lib/logger.js');\nclass S { #own = AWS.upload(p); static n = 1; }\nfunction f(x, { y }, z = w) { this.total = x; exports.g = new AWS.S3(); }\nfor (const i of list) { try { i.go(); } catch (error) {} }\nconst h = (q) => q + 1;\n",
        "#own S a c error f g h i n q rest total use x y z",
        "./lib/logger.js AWS React S3 b d exports go i list logger p q react require upload useState w x",
    );
    check(
        "typescript",
        "enum Mode { Fast = LIMIT, Slow }\ninterface I<T> { size: number; run(a: Options): T }\nclass S { constructor(private readonly log: Logger) {} name?: string = base; }\ntype Alias = Other;\nlet v: Kind = tracing.info(x!);\n",
        "Alias Fast I Mode S Slow T a constructor log name run size v",
        "Kind LIMIT Logger Options Other T base info tracing x",
    );
    check("tsx", "const l = <Button onClick={save}>{text}</Button>;\n", "l", "Button onClick save text");
}

#[test]
fn rust() {
    check(
        "rust",
        "use tokio::sync as sync;\nconst MAX: usize = OTHER;\nenum E { A, B(Inner) }\nstruct S { field: Type }\nfn f<T: Bound>(a: &str, (b, c): Pair) -> Out {\n    let S { field, .. } = a;\n    let mut d = tokio::spawn(config.get());\n    if let Some(e) = d {}\n    for i in 0..MAX { tracing::info!(i, key); }\n    let g = |h, (j, _)| h + j;\n    S { field: a.0 }\n}\n",
        "A B E MAX S T a b c d e f field g h i j sync",
        "Bound Inner MAX OTHER Out Pair S Some Type a config d field get h i info j key spawn sync tokio tracing",
    );
}

#[test]
fn go() {
    check(
        "go",
        "package main\nimport (\n  \"net/http\"\n  log \"github.com/acme/logger\"\n)\nconst Max = other.Limit\ntype S struct { url string }\nfunc (s *S) Get(a, b int) (err error) {\n  x, y := http.Get(s.url), S{url: a}\n  for i, v := range items { log.Print(i, v) }\n}\n",
        "Get Max S a b err i log main s url v x y",
        "Get Limit Print S a error github.com/acme/logger http i int items log logger net/http other s string url v",
    );
}

#[test]
fn jvm() {
    check(
        "java",
        "import org.slf4j.Logger;\nclass A<T> extends B {\n  static final int MAX = Other.LIMIT;\n  enum Mode { FAST }\n  void f(@Tag(key) String a, int... b) throws E {\n    var c = log.get(a);\n    for (X d : list) { run(e -> e.go(), (g, h) -> g); }\n    try (R r = open()) {} catch (IOException ex) {}\n  }\n}\n",
        "A FAST MAX Mode T a b c d e ex f g h r",
        "B E IOException LIMIT Logger Other R String Tag X a e g get go key list log open org run slf4j var",
    );
    check(
        "kotlin",
        "import org.slf4j.Logger\nclass A(val size: Int = LIMIT) {\n  val log: Logger = make()\n  fun f(a: String): T { val (b, c) = pair; list.map { d -> d.go() } }\n}\nenum class Mode { FAST }\n",
        "A FAST LIMIT Mode a b c d f log size",
        "Int Logger String T d go list make map org pair slf4j",
    );
    // Pattern matching binds every name, though one that is capitalised, as `None`, is compared with.
    check(
        "scala",
        "import org.slf4j.Logger\nclass A(size: Int) {\n  val log: Logger = Other.make(size)\n  def f(a: String = base): T = { val (b, c) = pair; list.map(d => d.go) }\n  x match { case Some(y) => y; case None => z }\n}\n",
        "A None a b c d f log size",
        "Int Logger Other Some String T base d go list make map org pair size slf4j x y z",
    );
}

#[test]
fn c_family() {
    check(
        "c",
        "#include <sys/stat.h>\n#include \"logger.h\"\n#define MAX LIMIT\nenum mode { FAST = BASE, SLOW };\nstruct s { int *size, *rows[WIDTH]; };\nstatic int f(const char *a, struct s b) { int c = b.size, *d = &c; return MAX + d[i]; }\n",
        "FAST MAX SLOW a b c d f mode rows s size",
        "BASE MAX WIDTH b c d i logger logger.h s size stat sys/stat.h",
    );
    check(
        "cpp",
        "#include <vector>\nnamespace n { class A : public B { int size_ = LIMIT; void f(std::string a) const; }; }\ntemplate <typename T> T g(T&& b, int c = base) { auto [d, e] = pair; for (auto& h : list) log::info(h); std::vector<X> v(c); return v; }\n",
        "A T a b c d e f g h n size_ v",
        "B LIMIT T X base c h info list log pair std string v vector",
    );
    check(
        "csharp",
        "using System.Text;\nnamespace N { class A : B { int size = Other.Limit; string Name { get; set; }\n  T F<T>(string a, int b = BASE) { var c = log.Get(a); foreach (var d in list) { Run(e => e.Go()); } if (x is Y y) {} try {} catch (E ex) {} } }\n  enum Mode { Fast = ONE } }\n",
        "A F Fast Mode N Name T a b c d e ex size y",
        "B BASE E Get Go Limit ONE Other Run System T Text Y a e list log x",
    );
}

#[test]
fn scripts() {
    check(
        "php",
        "<?php\nnamespace App;\nuse Psr\\Log\\Logger as Log;\nclass A extends B { private $size = Other::LIMIT; const MAX = 1;\n  function f(string $a, $b = BASE) { $this->total = $a; $c = $log->get($a); foreach ($list as $d) {} } }\n",
        "A App Log MAX a b c d f size total",
        "B BASE LIMIT Log Logger Other Psr a get list log",
    );
    check(
        "ruby",
        "require 'net/http'\nclass A < B\n  MAX = Other::LIMIT\n  attr_reader :size\n  def f(a, b = base, *rest, key:)\n    @total = a\n    c, d = log.get(a), $stdout\n    list.each { |e| e.go }\n  end\nend\n",
        "A MAX a b c d e f key rest size total",
        "$stdout B LIMIT Other a attr_reader base e each get go http list log net/http require",
    );
    // The grammar calls the key in `[k] = v` a name as well.
    check(
        "lua",
        "local log = require('app.logger')\nlocal a, b = log.get(x), { size = LIMIT, [k] = v }\nfunction M.f(c, d) self.total = c; for i, w in pairs(t) do print(i) end; for n = 1, LAST do end end\n",
        "a b c d f i k log n size total w",
        "LAST LIMIT M c get i log pairs print require t v x",
    );
    check(
        "bash",
        "export LOG=$BASE\nlocal a b=1\nf() { echo \"$a ${LOG}\"; for i in $list; do run \"$i\"; done; }\n",
        "LOG a b f i",
        "BASE LOG a i list run",
    );
}

#[test]
fn others() {
    check(
        "swift",
        "import Foundation\nextension A: B { var size: Int { limit } }\nenum Mode { case fast, slow(Speed) }\nfunc f<T>(for a: String, _ b: Int = base) -> T { let (c, d) = pair; guard let e = log.get(a) else { return x }\n  list.map { g in g.go() }; for h in list {} }\n",
        "A Mode a b c d e f fast g h size slow",
        "B Foundation Int Speed String T _ a base for g get go limit list log map pair x",
    );
    check(
        "elixir",
        "defmodule A.B do\n  alias Other.Logger\n  @max 3\n  def f(a, %User{name: n} = b) when a > 1 do\n    {:ok, c} = Logger.get(a)\n    Enum.map(list, fn d -> d + @max end)\n    case c do\n      {:error, e} -> e\n    end\n  end\nend\n",
        "A.B a b c d e f max n",
        "B Enum Logger Other Other.Logger User a alias c case d def defmodule e get list map max",
    );
    check(
        "haskell",
        "module A where\nimport qualified Data.Map as M\ndata T = C { size :: Int } | D Other\nf :: Int -> T\nf a (Just b) = let c = M.lookup a b in case c of { Nothing -> base; Just d -> go d }\n",
        "A C D T a b c d f size",
        "Data Int Just M Map Nothing Other T a b base c d go lookup",
    );
    check(
        "zig",
        "const std = @import(\"std\");\nconst S = struct { size: u32 = LIMIT };\nfn f(a: S, b: u8) T { var c = std.mem.eql(a.size, b); for (list) |d| { run(d); } return c; }\n",
        "S a b c d f size",
        "LIMIT S T a b c d eql import list mem run size std",
    );
}

#[test]
fn names_stand_once_in_a_chunk_and_entity() {
    let registry = Registry::builtin();
    let names = |text: &str| {
        let facts = extract(registry, registry.by_name("python").unwrap(), text);
        let shown = |n: &Name| {
            let roles = [(n.is_definition, "declared"), (n.is_use, "used")];
            let roles: Vec<&str> = roles.iter().filter(|(is, _)| *is).map(|(_, role)| *role).collect();
            format!("{} {}", &text[n.start as usize..n.end as usize], roles.join(" and "))
        };
        facts.names.iter().map(shown).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(names("a = b\na = b + b\n"), "a declared, b used");
    assert_eq!(names("a = b\nb = a\n"), "a declared and used, b declared and used");
    // A reference tells as much as a name behind it, and an entity's own name is that of the entity.
    assert_eq!(names("f(f)\nf = 1\nf\n"), "f declared and used");
    assert_eq!(names("def f():\n    pass\n"), "");
    assert_eq!(names("x\ndef f():\n    x\n    x\n"), "x used, x used");
    // What an object calls itself is no name.
    assert_eq!(names("class A:\n    def f(self, a):\n        self.b = a\n"), "a declared and used, b declared");
    // Comments and strings have no names; a broken text has those that are left.
    assert_eq!(names("# a\n'b'\n\"{c}\"\nf\"{d}\"\n"), "d used");
    assert_eq!(names("def (:\n  e.g\n"), "e used, g used");
    // Files of 81 lines and more are cut: each piece has the name.
    assert_eq!(names(&"a\n".repeat(100)), "a used, a used");
}
