//! [`judge`] compares edges with the [`Truth`] and counts: of the edges at judged places how many are right, of the true
//! edges how many are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::Value;

use super::sites::{Place, Site, Truth};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Invoke,
    Inherit,
    Import,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Invoke, Self::Inherit, Self::Import];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Invoke => "invoke",
            Self::Inherit => "inherit",
            Self::Import => "import",
        }
    }

    /// Must an edge of this kind start at the site?
    fn is_true(self, site: &Site) -> bool {
        match self {
            Self::Invoke => site.call,
            Self::Inherit => site.base,
            Self::Import => site.import,
        }
    }
}

/// Every certainty that cds writes; the last is a guess.
pub(crate) const CERTAINTIES: [&str; 4] = ["scoped", "imported", "typed", "named"];

/// The place of "named" in [`CERTAINTIES`].
pub(crate) const NAMED: usize = 3;

pub(crate) struct Edge {
    pub kind: Kind,
    /// In [`CERTAINTIES`].
    pub certainty: usize,
    pub place: Place,
    pub name: String,
    /// For people: the target as cds names it.
    pub to: String,
    pub target: (String, u32),
    pub whole_file: bool,
}

/// The edges of a tree, and the calls that stay without one with the number of their candidates.
#[derive(Default)]
pub(crate) struct Graph {
    pub edges: Vec<Edge>,
    pub unresolved: BTreeMap<Place, u64>,
}

impl Graph {
    /// Reads what the `edges` example prints: one JSON object a line.
    pub(crate) fn parse(lines: &str) -> Result<Self> {
        let mut graph = Self::default();
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let value: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
            graph.add(&value).with_context(|| line.to_owned())?;
        }
        Ok(graph)
    }

    fn add(&mut self, value: &Value) -> Result<()> {
        let text = |key: &str| value[key].as_str().map(str::to_owned).with_context(|| format!("no {key}"));
        let number = |key: &str| value[key].as_u64().with_context(|| format!("no {key}"));
        let place = Place { path: text("path")?, line: number("line")? as u32, column: number("column")? as u32 };
        let kind = text("edge")?;
        if kind == "unresolved" {
            self.unresolved.insert(place, number("candidates")?);
            return Ok(());
        }
        let certainty = text("certainty")?;
        let (to, to_path) = (text("to")?, text("to_path")?);
        self.edges.push(Edge {
            kind: Kind::ALL.into_iter().find(|k| k.name() == kind).context("no such kind of edge")?,
            certainty: CERTAINTIES.iter().position(|c| *c == certainty).context("no such certainty")?,
            place,
            name: text("name")?,
            whole_file: to == to_path,
            to,
            target: (to_path, number("to_line").unwrap_or(1) as u32),
        });
        Ok(())
    }
}

/// Counts for one kind of edge.
#[derive(Clone, Copy, Default)]
pub(crate) struct Score {
    /// For each certainty: right edges, and edges at places that could be judged.
    pub edges: [(usize, usize); CERTAINTIES.len()],
    pub not_judged: usize,
    /// True edges; those found with any certainty; those found without guessing.
    pub sites: usize,
    pub found: usize,
    pub found_certainly: usize,
}

impl Score {
    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, others) in self.edges.iter_mut().zip(other.edges) {
            *mine = (mine.0 + others.0, mine.1 + others.1);
        }
        self.not_judged += other.not_judged;
        self.sites += other.sites;
        self.found += other.found;
        self.found_certainly += other.found_certainly;
    }

    /// Right and judged edges of all certainties but a guess.
    pub(crate) fn certain(&self) -> (usize, usize) {
        self.edges[..NAMED].iter().fold((0, 0), |sum, edges| (sum.0 + edges.0, sum.1 + edges.1))
    }
}

/// The scores, one for each of [`Kind::ALL`], and a text that names every wrong certain edge and every missed one.
pub(crate) fn judge(truth: &Truth, graph: &Graph) -> ([Score; Kind::ALL.len()], String) {
    let mut scores = [Score::default(); Kind::ALL.len()];
    let mut misses = String::new();
    let mut found: [BTreeMap<&Place, bool>; Kind::ALL.len()] = Default::default();
    let mut pointed: BTreeMap<(Kind, &Place), BTreeSet<&str>> = BTreeMap::new();
    for edge in &graph.edges {
        let score = &mut scores[edge.kind as usize];
        let place = match edge.kind {
            Kind::Import => truth.import_place(&edge.place, &edge.name),
            _ => &edge.place,
        };
        pointed.entry((edge.kind, place)).or_default().insert(&edge.to);
        let site = truth.sites.get(place);
        let right = site.is_some_and(|site| {
            let by_path = edge.whole_file || site.whole_file;
            site.targets.contains(&edge.target)
                || by_path && site.targets.iter().any(|(path, _)| *path == edge.target.0)
                || edge.whole_file && site.from.contains(&edge.target.0)
        });
        let Some(site) = site.filter(|site| right || !site.vague) else {
            score.not_judged += 1;
            continue;
        };
        score.edges[edge.certainty].0 += usize::from(right);
        score.edges[edge.certainty].1 += 1;
        if right {
            *found[edge.kind as usize].entry(place).or_default() |= edge.certainty != NAMED;
        } else if edge.certainty != NAMED {
            let why = format!("wrong {} {}", CERTAINTIES[edge.certainty], edge.kind.name());
            let cds = format!("{} ({}:{})", edge.to, edge.target.0, edge.target.1);
            miss(&mut misses, &why, truth, (place, &edge.name, site), &cds);
        }
    }
    for (place, site) in &truth.sites {
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_true(site)) {
            let score = &mut scores[kind as usize];
            score.sites += 1;
            if let Some(certainly) = found[kind as usize].get(place) {
                score.found += 1;
                score.found_certainly += usize::from(*certainly);
                continue;
            }
            let cds = match (pointed.get(&(kind, place)), graph.unresolved.get(place)) {
                (Some(targets), _) => targets.iter().copied().collect::<Vec<_>>().join(" "),
                (None, Some(candidates)) => format!("unresolved, {candidates} candidates"),
                (None, None) => "nothing here".to_owned(),
            };
            miss(&mut misses, &format!("missed {}", kind.name()), truth, (place, &site.name, site), &cds);
        }
    }
    (scores, misses)
}

fn miss(out: &mut String, why: &str, truth: &Truth, (place, name, site): (&Place, &str, &Site), cds: &str) {
    let Place { path, line, column } = place;
    let scip: Vec<String> = site.targets.iter().map(|(path, line)| format!("{path}:{line}")).collect();
    let scip = if scip.is_empty() { "outside of the package".to_owned() } else { scip.join(" ") };
    let source = truth.line(place).trim();
    let _ = writeln!(out, "{why}: {path}:{line}:{column} {name}\n    {source}\n    cds: {cds}\n    scip: {scip}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32) -> Place {
        Place { path: "a.py".into(), line, column: 4 }
    }

    #[test]
    fn edges_are_counted_by_what_the_compiler_knows() {
        let target = |line| BTreeSet::from([("b.py".to_owned(), line)]);
        let mut sites = BTreeMap::new();
        for line in 1..=4 {
            sites.insert(place(line), Site { targets: target(line), call: true, ..Site::default() });
        }
        sites.insert(place(5), Site::default());
        sites.insert(place(6), Site { vague: true, ..Site::default() });
        sites.insert(place(8), Site { targets: target(1), whole_file: true, import: true, ..Site::default() });
        let truth = Truth { sites, lines: [("a.py".into(), vec!["x = f()".into(); 8])].into() };
        let edge = |line: u32, certainty: &str, to_line: u32| {
            format!(
                r#"{{"edge":"invoke","certainty":"{certainty}","candidates":1,"path":"a.py","line":{line},"column":4,"name":"f","to":"b.py:f","to_path":"b.py","to_line":{to_line}}}"#
            )
        };
        let lines = [
            edge(1, "scoped", 1),
            edge(2, "typed", 9),
            edge(3, "named", 3),
            edge(3, "named", 9),
            edge(5, "imported", 1),
            edge(6, "imported", 1),
            edge(7, "imported", 1),
            r#"{"edge":"unresolved","path":"a.py","line":4,"column":4,"name":"f","candidates":2}"#.to_owned(),
            r#"{"edge":"import","certainty":"imported","candidates":1,"path":"a.py","line":8,"column":4,"name":"b","to":"b.py","to_path":"b.py","to_line":1}"#.to_owned(),
        ];
        let (scores, misses) = judge(&truth, &Graph::parse(&lines.join("\n")).unwrap());
        let invoke = scores[Kind::Invoke as usize];
        assert_eq!(invoke.edges, [(1, 1), (0, 1), (0, 1), (1, 2)]);
        assert_eq!(invoke.certain(), (1, 3));
        assert_eq!((invoke.not_judged, invoke.sites, invoke.found, invoke.found_certainly), (2, 4, 2, 1));
        let import = scores[Kind::Import as usize];
        assert_eq!((import.edges[1], import.sites, import.found), ((1, 1), 1, 1));
        let missed: Vec<&str> = misses.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(
            missed,
            [
                "wrong typed invoke: a.py:2:4 f",
                "wrong imported invoke: a.py:5:4 f",
                "missed invoke: a.py:2:4 ",
                "missed invoke: a.py:4:4 "
            ]
        );
        assert!(misses.contains("    cds: unresolved, 2 candidates\n    scip: b.py:4\n"), "{misses}");
    }
}
