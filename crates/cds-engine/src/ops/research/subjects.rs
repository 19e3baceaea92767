//! What a question is about: the names in it, looked up; where it names nothing, what a search for it finds.

use cds_index::{EntityView, Registry, Snapshot};
use cds_model::{EntityId, EntityType};
use cds_search::{Asked, LookupOptions, ParsedQuery, QueryKind, Relation};

use super::members;
use crate::config::distance;
use crate::error::{Error, ErrorKind, Result};
use crate::ops::twins::Twins;

/// Entities of one name that are asked about at once.
const MOST: usize = 5;

/// Bearers of a name that are compared with a misspelled one.
const MOST_ALIKE: usize = 1_000;

/// One thing that is asked about.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// Its entities: a type and what adds to it share an id.
    pub(super) own: Vec<EntityId>,
    /// These and all that is part of them, in order.
    pub(super) parts: Vec<u32>,
}

impl Subject {
    pub(super) fn new(snapshot: &Snapshot, own: &[EntityView]) -> Subject {
        Subject { own: own.iter().map(|e| e.id).collect(), parts: members::parts(snapshot, own) }
    }

    /// What it is shown as.
    pub(super) fn entity<'a>(&self, snapshot: &'a Snapshot) -> Option<EntityView<'a>> {
        self.own.first().and_then(|id| snapshot.entity(*id))
    }
}

/// A question, understood.
#[derive(Default)]
pub(super) struct Question {
    pub(super) relations: Vec<Relation>,
    /// What it is about; none: the project as a whole, or what a search finds.
    pub(super) subjects: Vec<Subject>,
    /// Where a path leads.
    pub(super) to: Vec<Subject>,
    /// Whether the project as a whole is meant.
    pub(super) is_whole: bool,
    pub(super) warnings: Vec<String>,
}

/// Reads a question. A name that must be one and is not known is an error with names near it.
pub(super) fn read(snapshot: &Snapshot, registry: &Registry, text: &str, parsed: &ParsedQuery) -> Result<Question> {
    let asked = cds_search::relations(text);
    let mut question = Question::default();
    let mut names =
        Names { snapshot, twins: Twins::new(registry, snapshot), warnings: Vec::new(), unknown: Vec::new() };
    for Asked { relation, names: of, to, .. } in &asked {
        let taste = Taste::of(*relation);
        let subjects = names.first_of(of, taste)?;
        if *relation == Relation::Path {
            let ends = names.first_of(to, taste)?;
            // "how does retry get to work" asks for no path.
            if subjects.is_empty() || ends.is_empty() {
                continue;
            }
            question.to = ends;
        }
        if *relation == Relation::Modules && subjects.is_empty() && of.iter().all(|word| cds_search::is_filler(word)) {
            question.is_whole = true;
        }
        question.relations.push(*relation);
        if question.subjects.is_empty() {
            question.subjects = subjects;
        }
    }
    if asked.is_empty() {
        question.subjects = names.written(text, parsed)?;
    }
    if question.subjects.is_empty() && !question.is_whole {
        question.warnings.append(&mut names.unknown);
    }
    question.warnings.append(&mut names.warnings);
    Ok(question)
}

/// Which bearers of a name a relation is likely to mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taste {
    /// What is defined, before files and folders.
    Definitions,
    /// Types, and what the tree only uses.
    Types,
    /// Folders and files, then what the tree only uses.
    Places,
}

impl Taste {
    fn of(relation: Relation) -> Taste {
        match relation {
            Relation::Implementations => Taste::Types,
            Relation::Modules | Relation::Dependents | Relation::Dependencies => Taste::Places,
            _ => Taste::Definitions,
        }
    }

    /// Smaller is likelier.
    fn rank(self, entity: EntityView) -> u8 {
        match (self, entity.entity_type()) {
            (Taste::Places, EntityType::External) => 3,
            (Taste::Definitions, EntityType::External) => 5,
            (Taste::Types | Taste::Definitions, EntityType::Class)
            | (Taste::Definitions, EntityType::Function)
            | (Taste::Places, EntityType::Directory | EntityType::File) => 0,
            (Taste::Types, EntityType::Function) | (Taste::Places, EntityType::Class) => 1,
            (Taste::Types, EntityType::External) | (Taste::Places, EntityType::Function) => 2,
            _ => 4,
        }
    }
}

struct Names<'a> {
    snapshot: &'a Snapshot,
    twins: Twins<'a>,
    warnings: Vec<String>,
    /// Names that nothing bears, where the question may be about something else.
    unknown: Vec<String>,
}

impl Names<'_> {
    /// What the first of some words names that names anything. The likeliest must, when it is written as a name or stands alone.
    fn first_of(&mut self, words: &[String], taste: Taste) -> Result<Vec<Subject>> {
        for word in words {
            let found = self.bearers(word, taste);
            if !found.is_empty() {
                return Ok(found);
            }
            if cds_search::is_name(word) || words.len() == 1 && !cds_search::is_filler(word) {
                return Err(self.nothing(word)?);
            }
        }
        Ok(Vec::new())
    }

    /// What a query without a relation names: itself, places in it, words that are written as names.
    fn written(&mut self, text: &str, parsed: &ParsedQuery) -> Result<Vec<Subject>> {
        let text = text.trim();
        let is_name = matches!(parsed.kind, QueryKind::Symbol | QueryKind::Path) && !text.contains(char::is_whitespace);
        if is_name {
            let whole = self.bearers(text.trim_end_matches("()"), Taste::Definitions);
            if !whole.is_empty() {
                return Ok(whole);
            }
        }
        let places = parsed.places.iter().filter_map(|place| self.at(&place.path, place.line));
        let mut subjects: Vec<Subject> = places.take(MOST).collect();
        if is_name && subjects.is_empty() {
            return Err(self.nothing(text)?);
        }
        for term in &parsed.code_terms {
            let found = self.bearers(term, Taste::Definitions);
            if found.is_empty() && subjects.is_empty() {
                let nothing = self.nothing(term)?;
                self.unknown.push(nothing.message);
            }
            let new = found.into_iter().filter(|s| !subjects.iter().any(|known| known.own == s.own));
            let new: Vec<Subject> = new.collect();
            subjects.extend(new);
        }
        subjects.truncate(MOST);
        Ok(subjects)
    }

    /// Entities that a word names, those that are used most first.
    fn bearers(&mut self, word: &str, taste: Taste) -> Vec<Subject> {
        let snapshot = self.snapshot;
        if let Some(place) = word.rsplit_once(':').and_then(|(path, line)| self.at(path, Some(line.parse().ok()?))) {
            return vec![place];
        }
        let found = cds_search::resolve(snapshot, word, LookupOptions::default());
        let mut all: Vec<EntityView> = found.entities.iter().filter_map(|id| snapshot.entity(*id)).collect();
        let best = all.iter().map(|e| taste.rank(*e)).min();
        all.retain(|e| Some(taste.rank(*e)) == best);
        let matters = |e: &EntityView| (e.is_test(), std::cmp::Reverse((snapshot.importance(e.id) * 1e6) as u32), e.id);
        all.sort_by_key(matters);
        let mut groups = self.twins.group(all);
        if groups.len() > 1 {
            let which = if groups.len() > MOST { format!("the {MOST} that matter most") } else { "all".to_owned() };
            let first: Vec<String> = groups.iter().take(2).map(|group| group[0].shared_key()).collect();
            self.warnings.push(format!(
                "{} entities are named {word:?}: this is about {which}; an id such as {} asks about one",
                groups.len(),
                first.join(" or ")
            ));
        }
        groups.truncate(MOST);
        groups.iter().map(|group| Subject::new(snapshot, group)).collect()
    }

    /// The innermost definition at a line of a file, or the file.
    fn at(&self, path: &str, line: Option<u32>) -> Option<Subject> {
        let snapshot = self.snapshot;
        let document = snapshot.document_at(path.trim_start_matches("./"))?;
        let around = |e: &EntityView| {
            let (first, last) = e.lines();
            line.is_some_and(|line| first <= line && line <= last)
        };
        let inside = document.entities().filter_map(|id| snapshot.entity(id)).filter(around);
        let entity = inside.max_by_key(|e| (e.depth(), e.id)).or_else(|| snapshot.entity(document.entity()))?;
        Some(Subject::new(snapshot, &[entity]))
    }

    /// Qualified names that end as a word does, those first whose beginnings are most like its own.
    fn alike(&self, word: &str) -> Vec<String> {
        let Some((scope, last)) = word.rsplit_once(['.', ':']) else { return Vec::new() };
        let found = cds_search::resolve(self.snapshot, last, LookupOptions::default()).entities;
        let scoped = found.into_iter().filter_map(|id| self.snapshot.entity(id)).filter(|e| e.local().is_some());
        let mut names: Vec<(usize, String)> = scoped
            .take(MOST_ALIKE)
            .map(|e| e.scope_path().join("."))
            .map(|name| (distance(name.rsplit_once('.').map_or("", |(own, _)| own), scope), name))
            .collect();
        names.sort();
        names.dedup();
        names.into_iter().take(MOST).map(|(_, name)| name).collect()
    }

    fn nothing(&self, word: &str) -> Result<Error> {
        self.snapshot.damage()?;
        let mut near = self.alike(word);
        if near.is_empty() {
            near = cds_search::lookup(self.snapshot, word, LookupOptions::default()).suggestions;
        }
        let near = match near.join(", ").as_str() {
            "" => "; `cds symbol` and `cds outline` list ids".to_owned(),
            near => format!("; near it: {near}"),
        };
        Ok(Error { kind: ErrorKind::NotFound, message: format!("nothing is named {word:?}{near}") })
    }
}

/// How subjects are called in a sentence.
pub(super) fn called(snapshot: &Snapshot, subjects: &[Subject]) -> String {
    let name = |subject: &Subject| {
        let entity = subject.entity(snapshot)?;
        Some(match entity.local() {
            Some(_) => entity.scope_path().join("."),
            None => entity.path(),
        })
    };
    let mut names: Vec<String> = subjects.iter().filter_map(name).collect();
    names.dedup();
    match names.as_slice() {
        [] => "the project".to_owned(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first, rest @ ..] => format!("{first} and {} others", rest.len()),
    }
}
