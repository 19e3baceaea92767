//! One question, answered from all that is known of the code: implementations, callers through the chain, paths, impact, tests,
//! dependencies, related code. Every finding has its evidence and says how sure it is.
//!
//! A question is read (`subjects`), sections are planned from tables (`plan`), each is worked out by walking the graph
//! (`reach`, `sections`, `paths`, `uses`, `modules`, `near`), said in a sentence (`about`), and the answer is cut to its budget (`budget`).

mod about;
mod answer;
mod budget;
mod members;
mod modules;
mod near;
mod paths;
mod plan;
mod reach;
mod sections;
mod subjects;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use cds_index::{EntityView, Snapshot};
use cds_model::{CancelToken, Certainty, EntityType, Filters};
use cds_search::CompiledFilter;

pub use self::answer::{EdgeCounts, Finding, ResearchRequest, ResearchResponse, ResearchSection, ResearchSubject};
use self::plan::{Focus, Topic, Wish};
use self::sections::Ground;
use self::subjects::{Question, Subject};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::hydrate::Hydrator;
use crate::request::{Checked, SearchRequest, between, one_of};
use crate::response::ParsedQuery;

/// How far a walk may go.
const MAX_DEPTH: u32 = 10;
/// Findings of a section, at most and unless told.
const MAX_LIMIT: usize = 1_000;
const LIMIT: usize = 20;
/// The same where all sections are told of what is only named.
const OVERVIEW_LIMIT: usize = 6;
/// Suggested next questions.
const FOLLOW_UP_LIMIT: usize = 3;
/// Hits of a search that are asked about where a question names nothing.
const SEEDS: usize = 5;

/// A request, checked.
struct Wanted {
    focus: Option<Focus>,
    depth: Option<u32>,
    limit: Option<usize>,
    floor: Certainty,
    filters: Filters,
    max_tokens: usize,
}

impl Engine {
    /// Finds mistakes in a request without an index.
    pub fn check_research(&self, request: &ResearchRequest) -> Result<()> {
        let wanted = request.check(self)?;
        CompiledFilter::new(&wanted.filters, &self.tools.globs)?;
        Ok(())
    }

    /// Answers a question about the code as a whole. A name that nothing bears is an error with names near it; an empty
    /// query is one too.
    pub fn research(&self, request: &ResearchRequest) -> Result<ResearchResponse> {
        let wanted = request.check(self)?;
        self.limited(|cancel| self.answer(|snapshot| self.research_in(snapshot, request, &wanted, cancel)))
    }

    fn research_in(
        &self,
        snapshot: &Snapshot,
        request: &ResearchRequest,
        wanted: &Wanted,
        cancel: &CancelToken,
    ) -> Result<ResearchResponse> {
        let mut timings_ms = BTreeMap::new();
        let mut clock = Instant::now();
        let mut lap = |name: &'static str| {
            timings_ms.insert(name, clock.elapsed().as_secs_f64() * 1e3);
            clock = Instant::now();
        };
        let parsed = cds_search::parse(&request.query);
        let mut question = subjects::read(snapshot, self.registry()?, &request.query, &parsed)?;
        lap("subjects");
        let mut partial = false;
        // A focus on the architecture needs no name.
        let asks_whole = question.is_whole || wanted.focus == Some(Focus::Architecture);
        let is_found = question.subjects.is_empty() && !asks_whole;
        if is_found {
            partial = self.seed(snapshot, request, &mut question)?;
            lap("search");
        }
        let first = question.subjects.first().and_then(|s| s.entity(snapshot));
        let planned = plan::plan(&Wish {
            relations: &question.relations,
            focus: wanted.focus,
            intent: parsed.intent,
            subject: first.map(EntityView::entity_type),
            is_found,
        });
        let filter = CompiledFilter::new(&wanted.filters, &self.tools.globs)?;
        let mut sections = Vec::new();
        let mut left_out: Vec<&str> = Vec::new();
        for planned in planned.into_iter().filter(|_| !(is_found && question.subjects.is_empty())) {
            if cancel.is_cancelled() {
                left_out.push(planned.topic.name());
                continue;
            }
            let limit = wanted.limit.unwrap_or(if planned.is_overview { OVERVIEW_LIMIT } else { LIMIT });
            let ground = Ground { engine: self, snapshot, question: &question, filter: &filter, wanted, limit, cancel };
            let Some((section, late)) = ground.section(planned)? else { continue };
            partial |= late || cancel.is_cancelled();
            // What nobody asked for and is not there is not told, but for callers: none is an answer.
            if planned.is_asked || !section.findings.is_empty() || planned.topic == Topic::Callers {
                sections.push(section);
            }
            lap(planned.topic.name());
        }
        let mut hydrator = Hydrator::new(self, snapshot, Vec::new());
        let mut shown = Vec::new();
        for (subjects, is_target) in [(&question.subjects, false), (&question.to, true)] {
            for entity in subjects.iter().filter_map(|s| s.entity(snapshot)) {
                shown.push(ResearchSubject { is_target, ..subject(snapshot, &mut hydrator, entity)? });
            }
        }
        let mut response = ResearchResponse {
            query: request.query.clone(),
            focus: wanted.focus.map(Focus::name),
            parsed_query: ParsedQuery::of(&request.query, &parsed),
            follow_ups: follow_ups(first, &sections),
            subjects: shown,
            total: sections.iter().map(|s| s.total).sum(),
            sections,
            partial: partial || !left_out.is_empty(),
            warnings: std::mem::take(&mut question.warnings),
            timings_ms: BTreeMap::new(),
        };
        sections::quote(&mut response.sections, &mut hydrator)?;
        lap("hydrate");
        budget::fit(&mut response, wanted.max_tokens);
        let paths = response.sections.iter().flat_map(|section| section.findings.iter().map(|finding| &finding.path));
        let paths: BTreeSet<&String> = response.subjects.iter().map(|subject| &subject.path).chain(paths).collect();
        let stale = paths.into_iter().filter_map(|path| snapshot.document_at(path));
        let stale = stale.filter(|document| hydrator.is_stale(*document)).count();
        if stale > 0 {
            let files = cds_model::counted(stale, "file");
            response
                .warnings
                .push(format!("{files} of these changed since, so lines and edges may be others now: run `cds index`"));
        }
        if response.partial {
            let left = if left_out.is_empty() { String::new() } else { format!(" ({} left out)", left_out.join(", ")) };
            response.warnings.push(format!(
                "time ran out, so findings may be missing{left}: lower the depth, narrow the question or raise search.time_limit_ms"
            ));
        }
        response.warnings.extend(self.missed());
        response.timings_ms = timings_ms;
        Ok(response)
    }

    /// What a search for the question finds becomes what it is about. Whether time ran out.
    fn seed(&self, snapshot: &Snapshot, request: &ResearchRequest, question: &mut Question) -> Result<bool> {
        let search = SearchRequest {
            query: request.query.clone(),
            limit: Some(SEEDS),
            granularity: Some("entity".to_owned()),
            filters: request.filters.clone(),
            ..SearchRequest::default()
        };
        let checked: Checked = search.check(self)?;
        let options = self.search_options(&search, &checked);
        let outcome = cds_search::search(snapshot, &checked.query, &options, &self.tools)?;
        let entities = outcome.hits.iter().filter_map(|hit| {
            let own = hit.entity.and_then(|id| snapshot.entity(id));
            own.or_else(|| snapshot.entity(snapshot.chunk(hit.chunk)?.document()?.entity()))
        });
        for entity in entities {
            if !question.subjects.iter().any(|s| s.own.contains(&entity.id)) {
                question.subjects.push(Subject::new(snapshot, &[entity]));
            }
        }
        if question.subjects.is_empty() {
            question.warnings.push("nothing was found to ask about: name an entity, or use other words".to_owned());
        } else {
            let message = "the question names nothing that the index knows: this is about what a search for it finds";
            question.warnings.push(message.to_owned());
        }
        Ok(outcome.partial)
    }
}

impl ResearchRequest {
    fn check(&self, engine: &Engine) -> Result<Wanted> {
        if self.query.trim().is_empty() {
            return Err(Error::invalid("query cannot be empty"));
        }
        let focus = self.focus.as_deref().map(|name| one_of("focus", name, &Focus::ALL, Focus::name)).transpose()?;
        between("limit", self.limit.unwrap_or(1), 1, MAX_LIMIT)?;
        between("depth", self.depth.unwrap_or(1) as usize, 1, MAX_DEPTH as usize)?;
        let floor = match self.certainty.as_deref() {
            None => Certainty::Named,
            Some(name) => one_of("certainty", name, &Certainty::ALL, Certainty::name)?,
        };
        let filters = self.filters.check(engine)?;
        let set = || engine.config().number("search.max_tokens") as usize;
        let max_tokens = self.max_tokens.unwrap_or_else(set);
        Ok(Wanted { focus, depth: self.depth, limit: self.limit, floor, filters, max_tokens })
    }
}

fn subject(snapshot: &Snapshot, hydrator: &mut Hydrator, entity: EntityView) -> Result<ResearchSubject> {
    let (start_line, end_line) = entity.lines();
    let mut subject = ResearchSubject {
        id: entity.key(),
        name: entity.name().to_owned(),
        entity_type: entity.entity_type().name(),
        kind: entity.kind().name(),
        path: entity.path(),
        start_line,
        end_line,
        importance: snapshot.importance(entity.id),
        ..ResearchSubject::default()
    };
    let Some(document) = entity.document() else { return Ok(subject) };
    document.language().clone_into(&mut subject.language);
    let file = hydrator.load(document.id)?;
    let own = entity.local().and_then(|at| file.entity(at));
    let doc = own.as_ref().map_or(file.doc_comment(), |own| own.doc_comment.as_deref());
    subject.signature = own.as_ref().map(|own| own.signature.to_string()).filter(|s| !s.is_empty());
    subject.doc = doc.and_then(|d| d.lines().find(|l| !l.trim().is_empty())).map(|l| l.trim().to_owned());
    if own.is_none() {
        (subject.start_line, subject.end_line) = (1, document.lines().max(1));
    }
    Ok(subject)
}

/// Questions that go with a type of entity, and the section that answers each.
const FOLLOW_UPS: &[(EntityType, Topic, &str)] = &[
    (EntityType::Function, Topic::Impact, "what would break if {} changed"),
    (EntityType::Function, Topic::Tests, "which tests reach {}"),
    (EntityType::Function, Topic::Callers, "what calls {}"),
    (EntityType::Function, Topic::Callees, "what does {} call"),
    (EntityType::Class, Topic::Implementations, "implementations of {}"),
    (EntityType::Class, Topic::Impact, "what would break if {} changed"),
    (EntityType::Class, Topic::Tests, "which tests reach {}"),
    (EntityType::Class, Topic::Dependents, "what uses {}"),
    (EntityType::File, Topic::Dependents, "what depends on {}"),
    (EntityType::File, Topic::Dependencies, "what does {} depend on"),
    (EntityType::File, Topic::Tests, "which tests reach {}"),
    (EntityType::External, Topic::Dependents, "what depends on {}"),
    (EntityType::Directory, Topic::Modules, "module map of {}"),
    (EntityType::Directory, Topic::Dependents, "what depends on {}"),
    (EntityType::Directory, Topic::Dependencies, "what does {} depend on"),
];

/// What else can be asked about the first subject.
fn follow_ups(subject: Option<EntityView>, sections: &[ResearchSection]) -> Vec<String> {
    let Some(subject) = subject else { return Vec::new() };
    let open = |topic: Topic| !sections.iter().any(|s| s.kind == topic.name());
    let rows = FOLLOW_UPS.iter().filter(|(of, topic, _)| *of == subject.entity_type() && open(*topic));
    rows.take(FOLLOW_UP_LIMIT).map(|(_, _, question)| question.replace("{}", &subject.key())).collect()
}
