//! The sections of an answer, each from a walk through the graph.

use cds_graph::Direction;
use cds_index::{EntityView, Snapshot};
use cds_model::{CancelToken, Certainty, EdgeKind, EntityId, EntityType, FileId, counted};
use cds_search::CompiledFilter;
use rustc_hash::FxHashSet;

use super::members::Stand;
use super::plan::{Planned, Topic};
use super::reach::{NO_EDGE, Reach, Reached, Start, Way};
use super::subjects::{Question, Subject, called};
use super::{Finding, ResearchSection, Wanted, members};
use crate::engine::Engine;
use crate::error::Result;
use crate::hydrate::Hydrator;
use crate::ops::graph::Unresolved;

/// Unresolved calls shown.
const MAX_SITES: usize = 5;

/// Members of a type whose counterparts in other types are looked for.
const MOST_MEMBERS: usize = 200;

/// Characters of a line of code that are shown.
const MAX_TEXT: usize = 160;

pub(super) const CALLS: &[EdgeKind] = &[EdgeKind::Invoke];
const BASES: &[EdgeKind] = &[EdgeKind::Inherit];
pub(super) const USES: &[EdgeKind] = &[EdgeKind::Import, EdgeKind::Invoke, EdgeKind::Inherit];
/// What a change travels along once it has left its file: who imports something need not use it.
const CHANGES: &[EdgeKind] = &[EdgeKind::Invoke, EdgeKind::Inherit];

/// What every section is worked out from.
pub(super) struct Ground<'a> {
    pub(super) engine: &'a Engine,
    pub(super) snapshot: &'a Snapshot,
    pub(super) question: &'a Question,
    pub(super) filter: &'a CompiledFilter<'a>,
    pub(super) wanted: &'a Wanted,
    /// How many findings are shown.
    pub(super) limit: usize,
    pub(super) cancel: &'a CancelToken,
}

/// Findings of a section, and how many there are.
#[derive(Default)]
pub(super) struct Found {
    pub(super) findings: Vec<Finding>,
    pub(super) total: usize,
    /// Files that all of them lie in, where that is known.
    pub(super) files: FxHashSet<FileId>,
    pub(super) guesses: usize,
    pub(super) truncated: bool,
    pub(super) late: bool,
    /// What is said of it, where that is not the same for all of its kind.
    pub(super) about: Option<String>,
}

impl<'a> Ground<'a> {
    /// Works a section out, and tells whether time ran out; none where the question is not one for these subjects.
    pub(super) fn section(&self, planned: Planned) -> Result<Option<(ResearchSection, bool)>> {
        let topic = planned.topic;
        let found = match topic {
            Topic::Callees => Some(self.walk(topic, &self.starts(false), CALLS, CALLS, |_, _| true)),
            Topic::Callers => Some(self.walk(topic, &self.starts(true), CALLS, CALLS, |_, _| true)),
            Topic::Tests => Some(self.tests()),
            Topic::Impact => Some(self.impact()),
            Topic::Implementations => self.implementations(),
            Topic::Path => self.path(),
            Topic::Dependents => Some(self.users()),
            Topic::Dependencies => Some(self.used()),
            Topic::External => Some(self.external()),
            Topic::Modules => Some(self.modules()),
            Topic::Related => Some(self.related()),
            Topic::Similar => self.similar()?,
        };
        let Some(mut found) = found else { return Ok(None) };
        let counts_unresolved = matches!(topic, Topic::Callers | Topic::Impact | Topic::Tests);
        let about = found.about.take().unwrap_or_else(|| self.about(topic, &found));
        let section = ResearchSection {
            kind: topic.name(),
            about,
            truncated: found.truncated || found.total > found.findings.len(),
            findings: found.findings,
            total: found.total,
            guesses: found.guesses,
            unresolved: counts_unresolved.then(|| self.unresolved()),
        };
        Ok(Some((section, found.late)))
    }

    /// Entities that are asked about.
    pub(super) fn subjects(&self) -> impl Iterator<Item = EntityView<'a>> {
        self.question.subjects.iter().filter_map(|s| s.entity(self.snapshot))
    }

    pub(super) fn depth(&self, topic: Topic) -> u32 {
        self.wanted.depth.unwrap_or(topic.depth())
    }

    pub(super) fn entity(&self, node: u32) -> Option<EntityView<'a>> {
        self.snapshot.entity(EntityId(node))
    }

    /// Where walks begin: all that is part of the subjects. For who may call them also what they stand for in the types above:
    /// a call of an interface's method may mean theirs.
    fn starts(&self, with_bases: bool) -> Vec<Start> {
        let parts = || self.question.subjects.iter().flat_map(|s| s.parts.iter().copied());
        let mut starts: Vec<Start> = parts().map(Start::sure).collect();
        let stand = Stand::new(self.snapshot, Direction::Forward);
        let is_small = |s: &&Subject| s.parts.len() <= MOST_MEMBERS;
        let few = self.question.subjects.iter().filter(is_small).flat_map(|s| s.parts.iter().copied());
        for part in few.filter(|_| with_bases && self.wanted.floor == Certainty::Named) {
            for (node, candidates) in stand.of(part) {
                if !starts.iter().any(|s| s.node == node) {
                    starts.push(Start { node, candidates: candidates.max(2) });
                }
            }
        }
        starts
    }

    pub(super) fn reach<'b>(&self, topic: Topic, first: &'b [EdgeKind], then: &'b [EdgeKind]) -> Reach<'b>
    where
        'a: 'b,
    {
        Reach {
            graph: self.snapshot.graph(),
            backward: !matches!(topic, Topic::Callees | Topic::Path),
            first,
            then,
            depth: self.depth(topic),
            floor: self.wanted.floor,
            stands_for: None,
            cancel: self.cancel,
        }
    }

    fn walk(
        &self,
        topic: Topic,
        starts: &[Start],
        first: &[EdgeKind],
        then: &[EdgeKind],
        keeps: impl Fn(EntityView, &Way) -> bool,
    ) -> Found {
        let stand = Stand::new(self.snapshot, Direction::Forward);
        let above = |node: u32| stand.of(node);
        let mut reach = self.reach(topic, first, then);
        reach.stands_for = (topic == Topic::Callers).then_some(&above);
        let reached = reach.from(starts);
        self.found(&reached, keeps)
    }

    /// What a walk came to and passes: surest first, then nearest, then what matters most.
    fn found(&self, reached: &Reached, keeps: impl Fn(EntityView, &Way) -> bool) -> Found {
        let passes = |way: &&Way| {
            let entity = self.entity(way.node);
            // What it stands for is passed through: it calls nothing.
            let is_call = way.edge != NO_EDGE;
            entity.is_some_and(|e| is_call && self.filter.accepts_entity(self.snapshot, e) && keeps(e, way))
        };
        let mut kept: Vec<(&Way, EntityView)> =
            reached.ways.iter().filter(passes).filter_map(|w| Some((w, self.entity(w.node)?))).collect();
        kept.sort_by_cached_key(|(way, entity)| {
            let importance = (self.snapshot.importance(entity.id) * 1e6) as u32;
            let sure = (way.is_guess(), way.depth, way.certainty);
            (sure, entity.is_test(), std::cmp::Reverse(importance), way.node)
        });
        // A type and what adds to it share an id.
        let mut seen = FxHashSet::default();
        kept.retain(|(_, e)| !members::is_type(*e) || seen.insert(e.shared_key()));
        Found {
            total: kept.len(),
            files: kept.iter().filter_map(|(_, e)| e.document()).map(|d| d.id).collect(),
            guesses: kept.iter().filter(|(way, _)| way.is_guess()).count(),
            findings: kept.iter().take(self.limit).map(|(way, e)| self.finding(*e, way, reached)).collect(),
            truncated: reached.truncated,
            late: reached.late,
            about: None,
        }
    }

    /// A finding about an entity, without a way to it.
    pub(super) fn bare(entity: EntityView) -> Finding {
        let (start_line, end_line) = entity.lines();
        Finding {
            id: entity.key(),
            name: entity.name().to_owned(),
            entity_type: entity.entity_type().name(),
            kind: entity.kind().name(),
            path: entity.path(),
            start_line,
            end_line,
            is_test: entity.is_test(),
            depth: 1,
            candidates: 1,
            ..Finding::default()
        }
    }

    pub(super) fn finding(&self, entity: EntityView, way: &Way, reached: &Reached) -> Finding {
        let edge = self.snapshot.graph().edges.get(way.edge as usize);
        Finding {
            depth: way.depth,
            from: self.entity(way.from).map(EntityView::key).unwrap_or_default(),
            edge: edge.map_or(EdgeKind::Inherit, |e| e.kind()).name(),
            certainty: way.certainty.name(),
            candidates: way.candidates,
            via: reached.steps(way).iter().filter_map(|step| self.site(step.edge)).collect(),
            ..Self::bare(entity)
        }
    }

    /// `path:line` of an edge.
    pub(super) fn site(&self, edge: u32) -> Option<String> {
        let graph = self.snapshot.graph();
        let row = graph.edges.get(edge as usize).filter(|row| edge != NO_EDGE && row.line() > 0)?;
        Some(format!("{}:{}", self.entity(graph.source(edge)?)?.path(), row.line()))
    }

    /// Tests that reach the subjects, whatever they go through.
    fn tests(&self) -> Found {
        let stand = Stand::new(self.snapshot, Direction::Forward);
        let above = |node: u32| stand.of(node);
        let reach = Reach { stands_for: Some(&above), ..self.reach(Topic::Tests, USES, CALLS) };
        let reached = reach.from(&self.starts(true));
        let told = self.told_by_others(&reached);
        self.found(&reached, |e, w| e.is_test() && !told(e, w))
    }

    /// Whether a file only imports what something in it uses: then that is told.
    fn told_by_others(&self, reached: &Reached) -> impl Fn(EntityView, &Way) -> bool {
        let entities = reached.ways.iter().filter_map(|w| self.entity(w.node));
        let used_in: FxHashSet<Option<FileId>> =
            entities.filter(|e| e.local().is_some()).map(|e| e.document().map(|d| d.id)).collect();
        let graph = self.snapshot.graph();
        move |entity, way| {
            let is_import = graph.edges.get(way.edge as usize).is_some_and(|e| e.kind() == EdgeKind::Import);
            is_import && entity.local().is_none() && used_in.contains(&entity.document().map(|d| d.id))
        }
    }

    /// What would be touched by a change: who uses it, who uses those, and what takes its place in other types.
    fn impact(&self) -> Found {
        let mut starts = self.starts(true);
        let own: Vec<u32> = self.question.subjects.iter().flat_map(|s| s.own.iter().map(|id| id.0)).collect();
        let below = own.iter().flat_map(|id| members::counterparts(self.snapshot, *id, Direction::Backward));
        let below: Vec<u32> = below.collect();
        starts.retain(|s| !below.contains(&s.node));
        let stand = Stand::new(self.snapshot, Direction::Forward);
        let above = |node: u32| stand.of(node);
        let reach = Reach { stands_for: Some(&above), ..self.reach(Topic::Impact, USES, CHANGES) };
        let reached = reach.from(&starts);
        let told = self.told_by_others(&reached);
        let mut found = self.found(&reached, |e, w| !e.is_test() && !told(e, w));
        let known: FxHashSet<u32> = reached.ways.iter().map(|w| w.node).collect();
        let mut overriding: Vec<Finding> = Vec::new();
        for entity in below.iter().filter(|n| !known.contains(n)).filter_map(|n| self.entity(*n)) {
            if self.filter.accepts_entity(self.snapshot, entity) && !entity.is_test() {
                found.files.extend(entity.document().map(|d| d.id));
                overriding.push(self.counterpart(entity, &own));
            }
        }
        found.total += overriding.len();
        // They stand beside what uses it directly.
        let at = found.findings.iter().take_while(|f| f.depth == 1 && f.candidates <= 1).count();
        found.findings.splice(at..at, overriding);
        found.findings.truncate(self.limit);
        found
    }

    /// A method that takes the place of one of these.
    fn counterpart(&self, method: EntityView, of: &[u32]) -> Finding {
        let from = of.iter().filter_map(|id| self.entity(*id)).find(|e| e.name() == method.name());
        let bare = Self::bare(method);
        Finding {
            from: from.map(EntityView::key).unwrap_or_default(),
            edge: EdgeKind::Inherit.name(),
            certainty: Certainty::Typed.name(),
            via: vec![format!("{}:{}", bare.path, bare.start_line)],
            ..bare
        }
    }

    /// Types below types, and methods that take the place of methods.
    fn implementations(&self) -> Option<Found> {
        let fits = |e: &EntityView| matches!(e.entity_type(), EntityType::Class | EntityType::External);
        let own = self.question.subjects.iter().flat_map(|s| s.own.iter()).filter_map(|id| self.snapshot.entity(*id));
        let types: Vec<EntityView> = own.clone().filter(fits).collect();
        let starts: Vec<Start> = types.iter().map(|e| Start::sure(e.id.0)).collect();
        let mut found = self.walk(Topic::Implementations, &starts, BASES, BASES, |_, _| true);
        let methods: Vec<u32> = own.filter(|e| e.entity_type() == EntityType::Function).map(|e| e.id.0).collect();
        if types.is_empty() && methods.is_empty() {
            return None;
        }
        for method in &methods {
            let below = members::counterparts(self.snapshot, *method, Direction::Backward);
            let shown = below.into_iter().filter_map(|n| self.entity(n));
            for entity in shown.filter(|e| self.filter.accepts_entity(self.snapshot, *e)) {
                found.total += 1;
                if found.findings.len() < self.limit {
                    found.findings.push(self.counterpart(entity, &methods));
                }
            }
        }
        if found.total == 0 && self.wanted.floor == Certainty::Named {
            for interface in types {
                let like = members::look_alikes(self.snapshot, interface);
                let like: Vec<_> =
                    like.into_iter().filter(|(e, _)| self.filter.accepts_entity(self.snapshot, *e)).collect();
                found.total += like.len();
                found.guesses += like.len();
                let finding = |(owner, method): &(EntityView, EntityView)| Finding {
                    from: interface.key(),
                    edge: EdgeKind::Inherit.name(),
                    certainty: Certainty::Named.name(),
                    via: vec![format!("{}:{}", method.path(), method.lines().0)],
                    ..Self::bare(*owner)
                };
                found.findings.extend(like.iter().map(finding));
            }
            found.findings.truncate(self.limit);
            if found.total > 0 {
                let it = called(self.snapshot, &self.question.subjects);
                let have = if found.total == 1 { "has" } else { "have" };
                found.about = Some(format!("{} {have} every method of {it}", counted(found.total, "type")));
            }
        }
        Some(found)
    }

    /// Calls of the subjects' names that may mean too many entities to be edges.
    fn unresolved(&self) -> Unresolved {
        let few = self.question.subjects.iter().filter(|s| s.parts.len() <= MOST_MEMBERS);
        let parts = few.flat_map(|s| &s.parts).filter_map(|node| self.entity(*node));
        let mut names: Vec<EntityView> = parts.filter(|e| e.entity_type() == EntityType::Function).collect();
        names.sort_by_key(|e| e.name());
        names.dedup_by_key(|e| e.name());
        Unresolved::of(self.snapshot, names.into_iter().map(|e| e.id), MAX_SITES)
    }
}

/// Reads the line of code at the last site of every finding that stands for one place.
pub(super) fn quote(sections: &mut [ResearchSection], hydrator: &mut Hydrator) -> Result<()> {
    let place = |finding: &Finding| {
        let (path, line) = finding.via.last()?.rsplit_once(':')?;
        Some((path.to_owned(), line.parse::<usize>().ok()?))
    };
    let quoted = |section: &&mut ResearchSection| section.kind != Topic::Modules.name();
    let mut wanted: Vec<(String, usize)> = Vec::new();
    for section in sections.iter_mut().filter(quoted) {
        wanted.extend(section.findings.iter().filter_map(place));
    }
    wanted.sort_unstable();
    wanted.dedup();
    let texts = hydrator.lines(&wanted)?;
    for finding in sections.iter_mut().filter(quoted).flat_map(|s| &mut s.findings) {
        let Some(at) = place(finding).and_then(|p| wanted.binary_search(&p).ok()) else { continue };
        finding.text = texts[at].trim().chars().take(MAX_TEXT).collect();
    }
    Ok(())
}
