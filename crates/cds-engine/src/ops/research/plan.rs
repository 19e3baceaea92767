//! Which sections answer a question: tables.

use cds_model::EntityType;
use cds_search::{Intent, Relation};

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Callees,
    Callers,
    Dependencies,
    Dependents,
    External,
    Impact,
    Implementations,
    Modules,
    Path,
    Related,
    Similar,
    Tests,
}

impl Topic {
    /// The word used in every door.
    pub(super) fn name(self) -> &'static str {
        match self {
            Topic::Callees => "callees",
            Topic::Callers => "callers",
            Topic::Dependencies => "dependencies",
            Topic::Dependents => "dependents",
            Topic::External => "external",
            Topic::Impact => "impact",
            Topic::Implementations => "implementations",
            Topic::Modules => "modules",
            Topic::Path => "path",
            Topic::Related => "related",
            Topic::Similar => "similar",
            Topic::Tests => "tests",
        }
    }

    /// How many steps are followed unless the request says.
    pub(super) fn depth(self) -> u32 {
        match self {
            Topic::Implementations | Topic::Path => super::MAX_DEPTH,
            Topic::Tests => 5,
            Topic::Callers | Topic::Impact => 3,
            Topic::Callees => 2,
            _ => 1,
        }
    }
}

/// What a reader wants to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    Architecture,
    Dependencies,
    Patterns,
    Flow,
}

impl Focus {
    pub(super) const ALL: [Focus; 4] = [Focus::Architecture, Focus::Dependencies, Focus::Patterns, Focus::Flow];

    /// The word used in every door.
    pub(super) fn name(self) -> &'static str {
        match self {
            Focus::Architecture => "architecture",
            Focus::Dependencies => "dependencies",
            Focus::Patterns => "patterns",
            Focus::Flow => "flow",
        }
    }

    /// Its sections, in order.
    fn topics(self) -> &'static [Topic] {
        match self {
            Focus::Architecture => &[Topic::Modules, Topic::Implementations, Topic::External],
            Focus::Dependencies => &[Topic::Dependents, Topic::Dependencies, Topic::External],
            Focus::Patterns => &[Topic::Implementations, Topic::Related, Topic::Similar],
            Focus::Flow => &[Topic::Path, Topic::Callers, Topic::Callees],
        }
    }
}

/// What answers a relation that a question names.
fn asked(relation: Relation) -> &'static [Topic] {
    match relation {
        Relation::Callees => &[Topic::Callees],
        Relation::Callers => &[Topic::Callers],
        Relation::Dependencies => &[Topic::Dependencies, Topic::External],
        Relation::Dependents => &[Topic::Dependents],
        Relation::Impact => &[Topic::Impact, Topic::Tests],
        Relation::Implementations => &[Topic::Implementations],
        Relation::Modules => &[Topic::Modules, Topic::External],
        Relation::Path => &[Topic::Path],
        Relation::Related => &[Topic::Related, Topic::Similar],
        Relation::Tests => &[Topic::Tests],
    }
}

/// What is told of something that is only named, by what it is.
fn overview(entity_type: EntityType) -> &'static [Topic] {
    match entity_type {
        EntityType::External => &[Topic::Dependents, Topic::Implementations],
        EntityType::Directory => &[Topic::Modules, Topic::Dependents, Topic::External],
        EntityType::File => &[Topic::Dependents, Topic::Dependencies, Topic::External, Topic::Tests],
        EntityType::Class => &[Topic::Implementations, Topic::Dependents, Topic::Callees, Topic::Tests, Topic::Related],
        EntityType::Function => &[Topic::Callers, Topic::Callees, Topic::Implementations, Topic::Tests, Topic::Related],
    }
}

/// What is told of what a search found, by what the asker is after.
fn found(intent: Intent) -> &'static [Topic] {
    match intent {
        Intent::Analytical => &[Topic::Impact, Topic::Tests],
        Intent::Exploratory => &[Topic::Callees, Topic::Callers, Topic::Related],
        Intent::Factual | Intent::Navigational => &[Topic::Callers, Topic::Callees, Topic::Implementations],
    }
}

/// What decides about sections.
pub(super) struct Wish<'a> {
    pub(super) relations: &'a [Relation],
    pub(super) focus: Option<Focus>,
    pub(super) intent: Intent,
    /// Type of the first subject; none: the project as a whole.
    pub(super) subject: Option<EntityType>,
    /// Whether a search found the subjects.
    pub(super) is_found: bool,
}

/// A section to be worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) topic: Topic,
    /// Whether the question names it: then it is told that there is nothing.
    pub(super) is_asked: bool,
    /// Whether it is one of many that are told of what is only named.
    pub(super) is_overview: bool,
}

/// Sections in order, each once: what is asked for first.
pub(super) fn plan(wish: &Wish) -> Vec<Planned> {
    let mut planned: Vec<Planned> = Vec::new();
    let is_overview = wish.focus.is_none() && wish.relations.is_empty() && wish.subject.is_some();
    let mut add = |topics: &[Topic], is_asked: bool| {
        for &topic in topics {
            if !planned.iter().any(|p| p.topic == topic) {
                planned.push(Planned { topic, is_asked, is_overview });
            }
        }
    };
    wish.relations.iter().for_each(|relation| add(asked(*relation), true));
    match (wish.focus, wish.subject) {
        (Some(focus), _) => add(focus.topics(), false),
        _ if !wish.relations.is_empty() => {}
        (None, None) => add(asked(Relation::Modules), false),
        (None, Some(_)) if wish.is_found => add(found(wish.intent), false),
        (None, Some(entity_type)) => add(overview(entity_type), false),
    }
    planned
}

#[cfg(test)]
mod tests {
    use cds_model::EntityType;
    use cds_search::{Intent, Relation};

    use super::{Focus, Wish, plan};

    #[test]
    fn sections_follow_the_question_then_the_focus_then_the_subject() {
        let check = |relations: &[Relation], focus: Option<Focus>, subject: Option<EntityType>, expect: &str| {
            let wish = Wish { relations, focus, intent: Intent::Navigational, subject, is_found: false };
            let shown =
                plan(&wish).into_iter().map(|p| format!("{}{}", p.topic.name(), if p.is_asked { "!" } else { "" }));
            assert_eq!(shown.collect::<Vec<_>>().join(" "), expect, "{relations:?} {focus:?}");
        };
        let function = Some(EntityType::Function);
        check(&[Relation::Impact], None, function, "impact! tests!");
        check(&[Relation::Impact, Relation::Tests], None, function, "impact! tests!");
        check(&[Relation::Callers], Some(Focus::Flow), function, "callers! path callees");
        check(&[], Some(Focus::Dependencies), function, "dependents dependencies external");
        check(&[], Some(Focus::Patterns), function, "implementations related similar");
        check(&[], Some(Focus::Architecture), None, "modules implementations external");
        check(&[], None, None, "modules external");
        check(&[], None, function, "callers callees implementations tests related");
        check(&[], None, Some(EntityType::Directory), "modules dependents external");
        check(&[], None, Some(EntityType::External), "dependents implementations");
    }
}
