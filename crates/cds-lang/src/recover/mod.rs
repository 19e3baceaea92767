//! Definitions that a parser loses to a syntax error.
//!
//! Where a grammar does not know a construct, tree-sitter may drop the definitions around it. [`Plan`] compares the definitions that a query
//! found with those that `scan` finds by keywords and braces. If some are missing, parts of the text are parsed again: first all of it
//! without the statements in it ([`Plan::skeleton`]), then each missing definition alone, then its header alone. What still is no definition
//! for the parser is one by its keyword ([`Plan::by_keyword`]).
//!
//! A grammar may also want more than its language: the end of a statement before every closing brace. [`with_ends`] gives the text with these
//! ends, which is parsed instead if more of it is understood so, and of which parts are parsed.

mod scan;

use std::ops::Range;

use cds_model::EntityType;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

use self::scan::{Scan, Scanned};
use crate::extract::{Definition, Found};
use crate::registry::Language;

/// Bytes that may be parsed again, as a multiple of the text.
const MAX_WORK: usize = 2;

/// Further bytes that may be parsed again.
const MIN_WORK: usize = 16 << 10;

/// Missing functions that are parsed one by one at once.
const FEW: usize = 2;

/// The text as a grammar reads it that wants the end of a statement before every closing brace; `None` if the language has no such grammar,
/// or the text no such place. Positions are the same.
pub(crate) fn with_ends(language: &Language, text: &str) -> Option<String> {
    let rules = language.spec.recover.as_ref().filter(|rules| rules.ends_before_braces)?;
    scan::with_ends(rules, &language.spec.highlight, text)
}

/// Definitions that are missing from a text, and the parts of it that are worth another parse.
pub(crate) struct Plan {
    scan: Scan,
    /// Positions of names that are known to be definitions.
    known: FxHashSet<usize>,
    /// Bytes that may still be parsed.
    work: usize,
    /// Definitions that were recovered.
    pub(crate) recovered: usize,
}

impl Plan {
    /// A plan for a text in which the parser met errors; `None` if nothing is known to be missing.
    pub(crate) fn new(language: &Language, text: &str, found: &Found) -> Option<Plan> {
        let rules = language.spec.recover.as_ref()?;
        let scan = scan::scan(rules, &language.spec.highlight, text);
        let known = found.definitions.iter().filter_map(|d| Some(d.name.as_ref()?.start)).collect();
        let plan = Plan { scan, known, work: text.len() * MAX_WORK + MIN_WORK, recovered: 0 };
        let is_missing = plan.missing().next().is_some();
        is_missing.then_some(plan)
    }

    fn missing(&self) -> impl Iterator<Item = &Scanned> {
        self.scan.definitions.iter().filter(|definition| !self.known.contains(&definition.name.start))
    }

    /// The text without what is inside blocks of statements, where most errors are; nothing if only a few functions are missing.
    pub(crate) fn skeleton(&self, len: usize) -> Option<Vec<Range<usize>>> {
        let is_type = |definition: &Scanned| definition.kind.entity_type() == EntityType::Class;
        if self.missing().count() <= FEW && !self.missing().any(is_type) {
            return None;
        }
        let mut ranges = Vec::with_capacity(self.scan.hidden.len() + 1);
        let mut at = 0;
        for hidden in &self.scan.hidden {
            if hidden.start > at {
                ranges.push(at..hidden.start);
            }
            at = hidden.end.max(at);
        }
        if at < len {
            ranges.push(at..len);
        }
        Some(ranges)
    }

    /// Missing definitions, each as a whole. Those inside others are left to the next round.
    pub(crate) fn whole(&mut self) -> Vec<Vec<Range<usize>>> {
        let mut end = 0;
        let mut parts: Vec<Range<usize>> = Vec::new();
        for definition in self.missing() {
            if definition.range.start >= end {
                end = definition.range.end;
                parts.push(definition.range.clone());
            }
        }
        self.affordable(parts.into_iter().map(|range| vec![range]))
    }

    /// Headers of missing definitions with an empty body.
    pub(crate) fn headers(&mut self) -> Vec<Vec<Range<usize>>> {
        let parts: Vec<Vec<Range<usize>>> = self
            .missing()
            .map(|definition| match &definition.body {
                Some(body) => vec![definition.range.start..body.start, body.end..definition.range.end.max(body.end)],
                None => vec![definition.range.clone()],
            })
            .collect();
        self.affordable(parts.into_iter())
    }

    /// Parts as far as the work for them is allowed.
    fn affordable(&mut self, parts: impl Iterator<Item = Vec<Range<usize>>>) -> Vec<Vec<Range<usize>>> {
        parts
            .map_while(|ranges| {
                let bytes = ranges.iter().map(ExactSizeIterator::len).sum::<usize>() + 200;
                self.work = self.work.checked_sub(bytes)?;
                Some(ranges)
            })
            .collect()
    }

    /// Adds what a part of the text gave. A definition whose node has no error replaces one of the same name that has.
    pub(crate) fn add<'tree>(&mut self, found: &mut Found<'tree>, mut part: Found<'tree>) {
        let listed: FxHashSet<usize> = self.missing().map(|definition| definition.name.start).collect();
        let mut added = FxHashSet::default();
        let mut replaced = FxHashSet::default();
        for definition in &part.definitions {
            let Some(name) = definition.name.as_ref().map(|name| name.start) else { continue };
            let is_whole = !definition.node.has_error();
            if self.known.contains(&name) {
                let had_error = |old: &Definition| {
                    old.name.as_ref().is_some_and(|n| n.start == name)
                        && (old.node.has_error() || old.node.byte_range() != definition.node.byte_range())
                };
                if is_whole && found.definitions.iter().any(had_error) {
                    replaced.insert(name);
                }
            } else if is_whole || listed.contains(&name) {
                added.insert(name);
            }
        }
        let name = |definition: &Definition| definition.name.as_ref().map(|name| name.start);
        found.definitions.retain(|old| name(old).is_none_or(|name| !replaced.contains(&name)));
        part.definitions.retain(|new| name(new).is_some_and(|name| added.contains(&name) || replaced.contains(&name)));
        for definition in &mut part.definitions {
            definition.is_recovered = name(definition).is_some_and(|name| added.contains(&name));
        }
        self.recovered += added.len();
        self.known.extend(added);
        found.join(part);
    }

    /// Definitions of which only the keyword and the name are known.
    pub(crate) fn by_keyword<'tree>(&mut self, found: &mut Found<'tree>, root: Node<'tree>) {
        let missing = self.missing().filter(|definition| definition.by_keyword);
        let definitions: Vec<Definition> = missing.map(|scanned| Definition::by_keyword(root, scanned)).collect();
        self.recovered += definitions.len();
        found.definitions.extend(definitions);
    }
}

impl<'tree> Definition<'tree> {
    fn by_keyword(root: Node<'tree>, scanned: &Scanned) -> Definition<'tree> {
        Definition {
            node: root,
            range: scanned.range.clone(),
            kind: scanned.kind,
            name: Some(scanned.name.clone()),
            scope: Vec::new(),
            doc: None,
            body: Some(scanned.body.as_ref().map_or(scanned.range.end, |body| body.start - 1)),
            parameters: None,
            return_type: None,
            modifiers: Vec::new(),
            is_test: false,
            only_outer: false,
            is_recovered: true,
            pattern: 0,
        }
    }
}

/// Bytes below the errors of a tree that belong to no node that was understood, as ranges in order.
pub(crate) fn not_understood(root: Node) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if !node.has_error() {
            continue;
        }
        let mut cursor = node.walk();
        let mut at = node.start_byte();
        for child in node.children(&mut cursor) {
            if node.is_error() && child.is_named() {
                ranges.push(at..child.start_byte());
                at = child.end_byte();
            }
            stack.push(child);
        }
        if node.is_error() {
            ranges.push(at..node.end_byte());
        }
    }
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// Ranges without what others cover; both in order.
pub(crate) fn without(ranges: &[Range<usize>], covered: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    for range in ranges {
        let mut at = range.start;
        let first = covered.partition_point(|cover| cover.end <= range.start);
        for cover in covered[first..].iter().take_while(|cover| cover.start < range.end) {
            if cover.start > at {
                left.push(at..cover.start);
            }
            at = at.max(cover.end);
        }
        if at < range.end {
            left.push(at..range.end);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::{scan, without};
    use crate::Registry;

    fn check(language: &str, text: &str, expect: &str) {
        let registry = Registry::builtin();
        let spec = &registry.by_name(language).expect("a built-in language").spec;
        let scan = scan::scan(spec.recover.as_ref().expect("rules"), &spec.highlight, text);
        let mut found = String::new();
        for definition in &scan.definitions {
            let line = |at: usize| text[..at].matches('\n').count() + 1;
            let (first, last) = (line(definition.range.start), line(definition.range.end.max(1) - 1));
            let _ = writeln!(found, "{} {} {first}-{last}", definition.kind.name(), &text[definition.name.clone()]);
        }
        assert_eq!(found.trim(), expect, "{text}");
    }

    #[test]
    fn definitions_are_found_by_keywords_and_braces() {
        check(
            "kotlin",
            "class A<T>(\n    val x: Int = 1,\n) : B<T>() {\n    override fun <R> List<R>.f(\n        a: Int\n    ): R {\n        val c = A::class\n        \"fun no() {\"\n    }\n    \
             fun g() = h {\n    }\n    // fun no() {}\n}\nobject C\nfun `with space`() {}\n",
            "class A 1-13\nfunction f 4-9\nfunction g 10-11\nobject C 14-14\nfunction `with space` 15-15",
        );
        check(
            "swift",
            "public struct S: P\n    where T: Q\n{\n    static func a<T>(_ x: T)\n        -> Int where T: P {\n        switch x {}\n    }\n}\nextension S.T {\n}\n",
            "struct S 1-8\nfunction a 4-7\nextension S 9-10",
        );
        check(
            "cpp",
            "namespace a {\nclass EXPORT B final : public C {\n public:\n  B(int x) : x_(x) {}\n  int f(int y) const override {\n    if (y) { g(y); }\n  }\n};\nstruct D *make(int z)\n{\n}\n}\n",
            "namespace a 1-12\nclass B 2-8\nfunction B 4-4\nfunction f 5-7\nfunction make 9-11",
        );
        check(
            "c",
            "#define X {\nstatic int\nf(void)\n{\n  char c = '{';\n}\nint g(void) {\n",
            "function f 2-6\nfunction g 7-7",
        );
        check(
            "scala",
            "trait T {\n  def f(x: Int): Int = {\n    x\n  }\n  def g = 1\n}\n",
            "trait T 1-6\nfunction f 2-4\nfunction g 5-5",
        );
        check(
            "php",
            "<?php\nfinal class A {\n  public function b(): int {\n    return 1;\n  }\n}\n",
            "class A 2-6\nfunction b 3-5",
        );
        check(
            "csharp",
            "namespace N {\n  public class A : B {\n    public int F(int x) {\n      return 1;\n    }\n  }\n}\n",
            "namespace N 1-7\nclass A 2-6\nfunction F 3-5",
        );
    }

    #[test]
    fn a_brace_that_is_lost_ends_at_the_indentation_of_an_outer_one() {
        check(
            "kotlin",
            "class A {\n    fun f() {\n        if (x) {\n    }\n    fun g() {\n    }\n}\nfun h() {\n}\n",
            "class A 1-7\nfunction f 2-4\nfunction g 5-6\nfunction h 8-9",
        );
    }

    #[test]
    fn statements_end_before_a_brace_on_their_line() {
        let registry = Registry::builtin();
        let kotlin = registry.by_name("kotlin").expect("a built-in language");
        let ended = |text: &str| super::with_ends(kotlin, text);
        assert_eq!(ended("class A { val b = \"x }\" }\n").as_deref(), Some("class A { val b = \"x }\";}\n"));
        assert_eq!(ended("fun a() { b { c -> d } }").as_deref(), Some("fun a() { b { c -> d;};}"));
        assert_eq!(ended("class A { }\nfun a() {\n    b\n    }\nval c = { d -> }\nval e = { f; }\n"), None);
        let java = registry.by_name("java").expect("a built-in language");
        assert_eq!(super::with_ends(java, "class A { int a; int b() { return a; } }"), None);
    }

    #[test]
    fn ranges_are_subtracted() {
        assert_eq!(without(&[0..10, 20..30], &[3..5, 8..22]), [0..3, 5..8, 22..30]);
        assert_eq!(without(&[0..4, 6..7], &[]), [0..4, 6..7]);
    }
}
