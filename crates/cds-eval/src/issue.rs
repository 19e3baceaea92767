//! How well functions are located: names as `path:Class.method`, best first, against those that have to change. Files
//! and modules follow by first appearance.

use crate::measure::ndcg;

/// What is measured of an issue. The first is its score, which no paper has: it is for comparing issue by issue.
pub(crate) const ISSUE_MEASURES: &[&str] = &[
    "ndcg_10",
    "file_acc_1",
    "file_acc_3",
    "file_acc_5",
    "module_acc_5",
    "module_acc_10",
    "function_acc_5",
    "function_acc_10",
];

/// A constructor is its class.
fn plain(name: &str) -> &str {
    name.strip_suffix(".__init__").unwrap_or(name)
}

/// The top-level class or function around it.
fn module(name: &str) -> &str {
    let from = name.find(':').map_or(name.len(), |colon| colon + 1);
    let end = name[from..].find('.').map_or(name.len(), |dot| from + dot);
    &name[..end]
}

fn file(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = std::collections::BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

/// Names as they count: constructors as their classes, each once. What names no function or class does not count.
pub(crate) fn counted_names(names: &[String]) -> Vec<&str> {
    unique(names.iter().filter(|name| name.contains(':')).map(|name| plain(name)))
}

/// Whether everything wanted is among the first `k`, or, of more than `k`, as much as there is room for.
fn all_within(got: &[&str], wanted: &[&str], k: usize) -> f64 {
    let found = got.iter().take(k).filter(|name| wanted.contains(name)).count();
    f64::from(u8::from(found == wanted.len().min(k)))
}

/// The rank, from 1, of each function that has to change.
pub(crate) fn issue_ranks(ranked: &[String], functions: &[String]) -> Vec<Option<usize>> {
    let got = counted_names(ranked);
    counted_names(functions).iter().map(|name| got.iter().position(|g| g == name).map(|i| i + 1)).collect()
}

/// All numbers of an issue.
pub(crate) fn issue_values(ranked: &[String], files: &[String], functions: &[String]) -> Vec<f64> {
    let (got, wanted) = (counted_names(ranked), counted_names(functions));
    let mut values = vec![ndcg(&issue_ranks(ranked, functions))];
    let wanted_files: Vec<&str> = files.iter().map(String::as_str).collect();
    let levels = [
        (unique(got.iter().map(|name| file(name))), wanted_files, &[1, 3, 5][..]),
        (unique(got.iter().map(|name| module(name))), unique(wanted.iter().map(|name| module(name))), &[5, 10][..]),
        (got, wanted, &[5, 10][..]),
    ];
    for (got, wanted, depths) in &levels {
        values.extend(depths.iter().map(|k| all_within(got, wanted, *k)));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{ISSUE_MEASURES, issue_ranks, issue_values, module};

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn modules_are_the_outermost_names() {
        for (name, expect) in [("a.py:A.b", "a.py:A"), ("a.py:f", "a.py:f"), ("d.e/a.py:A.B.c", "d.e/a.py:A")] {
            assert_eq!(module(name), expect);
        }
    }

    #[test]
    fn numbers_by_hand() {
        let check = |ranked: &str, files: &str, functions: &str, expect: &str| {
            let values = issue_values(&names(ranked), &names(files), &names(functions));
            assert_eq!(values.len(), ISSUE_MEASURES.len());
            let shown: Vec<String> = values[1..].iter().map(ToString::to_string).collect();
            assert_eq!(shown.join(" "), expect, "{ranked} for {functions}");
        };
        //                                                      file@1 3 5, module@5 10, function@5 10
        check("a.py:f", "a.py", "a.py:f", "1 1 1 1 1 1 1");
        check("", "a.py", "a.py:f", "0 0 0 0 0 0 0");
        check("a.py:g", "a.py", "a.py:f", "1 1 1 0 0 0 0");
        check("b.py:g a.py:A.x", "a.py", "a.py:A.y", "0 1 1 1 1 0 0");
        check("b:1 c:1 d:1 e:1 f:1 a.py:f", "a.py", "a.py:f", "0 0 0 0 1 0 1");
        // A constructor is its class, on both sides.
        check("a.py:A.__init__", "a.py", "a.py:A", "1 1 1 1 1 1 1");
        check("a.py:A", "a.py", "a.py:A.__init__", "1 1 1 1 1 1 1");
        check("a.py:A a.py:A.__init__ b:1 b:2 b:3 c.py:f", "a.py c.py", "a.py:A c.py:f", "1 1 1 1 1 1 1");
        // All of several, or as many as there is room for.
        check("a.py:f b.py:g", "a.py b.py", "a.py:f b.py:g", "1 1 1 1 1 1 1");
        check("a.py:f x:1 y:1 z:1 u:1 b.py:g", "a.py b.py", "a.py:f b.py:g", "1 0 0 0 1 0 1");
        check("a:1 a:2 a:3 a:4 a:5", "a", "a:1 a:2 a:3 a:4 a:5 a:6", "1 1 1 1 0 1 0");
        // A file alone is no function and takes no place.
        check("b.py a.py:f", "a.py", "a.py:f", "1 1 1 1 1 1 1");
    }

    #[test]
    fn ranks_count_each_name_once() {
        let ranked = names("a.py:A.__init__ a.py:A b.py b.py:g");
        assert_eq!(issue_ranks(&ranked, &names("b.py:g a.py:A c:d")), [Some(2), Some(1), None]);
    }
}
