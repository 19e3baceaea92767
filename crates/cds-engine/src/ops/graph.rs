//! Questions to the code graph: walks, callers, callees, ways from one entity to another, implementations, dependents.

use std::collections::BTreeMap;

use cds_graph::{Direction, EdgeRow, Taken, Walk};
use cds_index::{EntityView, Snapshot};
use cds_model::{CancelToken, Certainty, EdgeKind, EntityId, EntityType};
use cds_search::LookupOptions;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::twins::Twins;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result, checkpoint};
use crate::hydrate::Hydrator;
use crate::request::{between, one_of, one_or_many, short_enough};

/// A walk through the graph.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TraverseRequest {
    /// Ids or names that only one entity bears.
    #[serde(deserialize_with = "one_or_many")]
    pub from: Vec<String>,
    /// `forward`, `backward` or `both`, or another tool's word for it; none: forward.
    #[schemars(extend("enum" = ["forward", "backward", "both", "downstream", "upstream", "outgoing", "incoming", null]))]
    pub direction: Option<String>,
    /// 1 to 10; none: 2.
    #[schemars(range(min = 1, max = 10))]
    pub depth: Option<u32>,
    /// Kinds of edges; none: all but `contain`.
    #[serde(deserialize_with = "one_or_many")]
    pub edges: Vec<String>,
    /// Types of entities to pass; none: all.
    #[serde(rename = "type", deserialize_with = "one_or_many")]
    pub types: Vec<String>,
    /// The least sure way an edge may be known; none: `named`, all of them.
    #[schemars(extend("enum" = ["scoped", "imported", "typed", "named", null]))]
    pub certainty: Option<String>,
    /// How many entities at most; none: 100.
    #[schemars(range(min = 1, max = 100_000))]
    pub limit: Option<usize>,
}

/// A part of the graph.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GraphResponse {
    /// Where it begins.
    pub from: Vec<GraphNode>,
    /// What was reached, in the order it was.
    pub nodes: Vec<GraphNode>,
    /// Edges between them, in the order they were followed.
    pub edges: Vec<GraphEdge>,
    /// Whether the limit ended it.
    pub truncated: bool,
    /// Calls of these entities' names that could not be resolved; none of them is an edge.
    pub unresolved: Unresolved,
}

/// Calls that could not be resolved: of a name that too many entities bear, or only such as are not visible to the caller.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Unresolved {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub sites: Vec<UnresolvedSite>,
}

/// One of them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnresolvedSite {
    /// `path:line`
    pub site: String,
    /// The entity that calls.
    pub from: String,
    /// How many entities bear the name.
    pub candidates: u32,
}

/// An entity of the graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct GraphNode {
    /// `path:Outer.inner`; `#2` and so on behind it tells overloads and other twins in the file from the first.
    pub id: String,
    /// Its own name.
    pub name: String,
    /// `directory`, `file`, `class` or `function`; `external` for what the tree does not have.
    pub entity_type: &'static str,
    /// The language's own word; `external` for what the tree does not have.
    pub kind: &'static str,
    /// Relative to the root.
    pub path: String,
    /// First line; 0 where there is none.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// How much it matters by who uses it, from 0 to 1: PageRank over certain edges.
    pub importance: f32,
    /// How many edges away.
    pub depth: u32,
    /// Whether its file changed since it was indexed, so that lines and edges may be others now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// An edge of the graph, in its own direction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// The id it begins at.
    pub from: String,
    /// The id it leads to.
    pub to: String,
    /// `contain`, `import`, `invoke` or `inherit`.
    pub kind: &'static str,
    /// `scoped`, `imported`, `typed` or `named`.
    pub certainty: &'static str,
    /// Among how many this one was found.
    pub candidates: u32,
    /// `path:line` of the first place that says so.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// How many places say so.
    pub sites: u32,
    /// What an import calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// How many edges away it was followed.
    pub depth: u32,
    /// Whether it was followed against its direction.
    pub backward: bool,
    /// Whether it leads to what had been reached before.
    pub repeated: bool,
}

/// One row of the whole graph.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum GraphRow {
    /// An entity.
    Node(GraphNode),
    /// An edge.
    Edge(GraphEdge),
}

/// Entities named when one is ambiguous.
const MAX_CANDIDATES: usize = 10;
/// Unresolved calls shown.
const MAX_SITES: usize = 20;
/// How far a walk may go.
const MAX_DEPTH: u32 = 10;
/// How many entities a walk may give.
const MAX_LIMIT: usize = 100_000;
/// Names that a walk may begin at.
const MAX_STARTS: usize = 1_000;
/// How many entities a walk gives unless it is told.
const LIMIT: usize = 100;

impl Engine {
    /// Finds mistakes in a request without an index.
    pub fn check_traverse(&self, request: &TraverseRequest) -> Result<()> {
        request.check().map(|_| ())
    }

    /// Hands out every entity, then every edge between them, in a stable order. Places in a walk do not apply: depths are 0. All tables are
    /// verified first: rows that were handed out cannot be taken back.
    pub fn export_graph(&self, take: &mut dyn FnMut(GraphRow)) -> Result<()> {
        self.answer(|snapshot| {
            snapshot.verify_tables()?;
            let graph = snapshot.graph();
            let entities = || (0..graph.nodes() as u32).filter_map(|id| snapshot.entity(EntityId(id)));
            entities().for_each(|entity| take(GraphRow::Node(node(snapshot, entity, 0))));
            for source in entities() {
                for (at, row) in graph.outgoing(source.id.0) {
                    let Some(target) = snapshot.entity(EntityId(row.to)) else { continue };
                    let mut edge = edge(source, target, *row, 0);
                    edge.alias = snapshot.alias(at).map(str::to_owned);
                    take(GraphRow::Edge(edge));
                }
            }
            Ok(())
        })
    }

    /// Walks from some entities along edges.
    pub fn traverse(&self, request: &TraverseRequest) -> Result<GraphResponse> {
        let (walk, types) = request.check()?;
        self.walk(|snapshot| {
            let starts = self.starts(snapshot, &request.from, |_| true)?;
            Ok(walked(snapshot, &starts, &walk, &types))
        })
    }

    /// Who calls an entity, and who calls those, as deep as asked.
    pub fn callers(&self, request: &TraverseRequest) -> Result<GraphResponse> {
        self.calls(request, Direction::Backward)
    }

    /// What an entity calls, and what those call, as deep as asked.
    pub fn callees(&self, request: &TraverseRequest) -> Result<GraphResponse> {
        self.calls(request, Direction::Forward)
    }

    fn calls(&self, request: &TraverseRequest, direction: Direction) -> Result<GraphResponse> {
        let (walk, types) = request.check()?;
        let depth = request.depth.unwrap_or(1);
        let walk = Walk { direction, kinds: vec![EdgeKind::Invoke], depth, ..walk };
        self.walk(|snapshot| {
            let starts = self.starts(snapshot, &request.from, |e| e.local().is_some() || e.kind().name() == "file")?;
            Ok(walked(snapshot, &starts, &walk, &types))
        })
    }

    /// Every type that extends, implements or conforms to one, directly or through others.
    pub fn implementations(&self, request: &TraverseRequest) -> Result<GraphResponse> {
        let (walk, types) = request.check()?;
        let depth = request.depth.unwrap_or(MAX_DEPTH);
        let walk = Walk { direction: Direction::Backward, kinds: vec![EdgeKind::Inherit], depth, ..walk };
        self.walk(|snapshot| {
            let is_type = |e: EntityView| matches!(e.entity_type(), EntityType::Class | EntityType::External);
            let starts = self.starts(snapshot, &request.from, is_type)?;
            Ok(walked(snapshot, &starts, &walk, &types))
        })
    }

    /// Files that use a file, or anything in it; and files that use those, as deep as asked.
    pub fn dependents(&self, request: &TraverseRequest) -> Result<GraphResponse> {
        let (walk, _) = request.check()?;
        let walk = Walk { depth: request.depth.unwrap_or(1), ..walk };
        self.walk(|snapshot| {
            let starts = self.starts(snapshot, &request.from, |e| e.local().is_none())?;
            Ok(files_using(snapshot, &starts, &walk))
        })
    }

    /// The shortest way from the first entity to the second; certain edges are preferred to guesses.
    pub fn path(&self, request: &TraverseRequest, to: &str) -> Result<GraphResponse> {
        let (walk, _) = request.check()?;
        let walk = Walk { depth: request.depth.unwrap_or(MAX_DEPTH), ..walk };
        self.walk(|snapshot| {
            let from = self.starts(snapshot, &request.from, |_| true)?;
            let to = self.starts(snapshot, &[to.to_owned()], |_| true)?;
            let floors = [Certainty::Typed, Certainty::Named];
            let mut found: Option<Vec<Taken>> = None;
            for floor in floors.into_iter().filter(|f| *f <= walk.floor) {
                let walk = Walk { floor, ..walk.clone() };
                for (&a, &b) in from.iter().flat_map(|a| to.iter().map(move |b| (a, b))) {
                    let way = cds_graph::path(snapshot.graph(), a, b, &walk);
                    if way.as_ref().is_some_and(|w| found.as_ref().is_none_or(|f| w.len() < f.len())) {
                        found = way;
                    }
                }
                if found.is_some() {
                    break;
                }
            }
            let mut response = GraphResponse { from: nodes(snapshot, &from), ..GraphResponse::default() };
            for taken in found.into_iter().flatten() {
                add(snapshot, &mut response, &taken);
            }
            Ok(response)
        })
    }

    /// The nodes that names mean: a type together with what adds to it, all overloads of a function. A name that several entities bear, or
    /// none, is an error that lists what may be meant.
    fn starts(&self, snapshot: &Snapshot, names: &[String], fits: impl Fn(EntityView) -> bool) -> Result<Vec<u32>> {
        let mut starts = Vec::new();
        for name in names {
            checkpoint()?;
            let found = cds_search::lookup(snapshot, name, LookupOptions::default());
            let all: Vec<EntityView> = found.entities.iter().filter_map(|&id| snapshot.entity(id)).collect();
            let mut fitting: Vec<EntityView> = all.iter().copied().filter(|e| fits(*e)).collect();
            // What is defined comes before files, folders and outside modules that happen to be called so.
            if fitting.iter().any(|e| e.local().is_some()) {
                fitting.retain(|e| e.local().is_some());
            }
            let groups = Twins::new(self.registry()?, snapshot).group(fitting);
            match groups.as_slice() {
                [] => {
                    if let Some(other) = all.first() {
                        let (kind, id) = (other.kind().name(), other.key());
                        let message = format!("{name:?} names a {kind} ({id}), which this question is not about");
                        return Err(Error { kind: ErrorKind::NotFound, message });
                    }
                    let near = match found.suggestions.join(", ").as_str() {
                        "" => "; `cds symbol` and `cds outline` list ids".to_owned(),
                        near => format!("; near it: {near}"),
                    };
                    let message = format!("nothing is named {name:?}{near}");
                    return Err(Error { kind: ErrorKind::NotFound, message });
                }
                [one] => starts.extend(one.iter().map(|e| e.id.0)),
                several => {
                    let ids = several.iter().take(MAX_CANDIDATES).filter_map(|group| group.first());
                    let list = ids.map(|e| e.shared_key()).collect::<Vec<_>>().join(", ");
                    let (count, more) = (several.len(), if several.len() > MAX_CANDIDATES { ", ..." } else { "" });
                    return Err(Error::invalid(format!(
                        "{count} entities are named {name:?}, use one of their ids: {list}{more}"
                    )));
                }
            }
        }
        Ok(starts)
    }

    /// Answers within the time limit. "No way leads there" can only be said when all ways were tried, so a walk that was stopped is an
    /// error.
    fn walk(&self, work: impl Fn(&Snapshot) -> Result<GraphResponse>) -> Result<GraphResponse> {
        self.limited(|_| {
            self.answer(|snapshot| {
                let response = work(snapshot)?;
                checkpoint()?;
                Ok(self.marked(snapshot, response))
            })
        })
    }

    /// Says of each node whether its file changed since it was indexed.
    fn marked(&self, snapshot: &Snapshot, mut response: GraphResponse) -> GraphResponse {
        let mut hydrator = Hydrator::new(self, snapshot, Vec::new());
        for node in response.from.iter_mut().chain(&mut response.nodes) {
            node.stale = snapshot.document_at(&node.path).is_some_and(|document| hydrator.is_stale(document));
        }
        response
    }
}

impl TraverseRequest {
    fn check(&self) -> Result<(Walk, Vec<EntityType>)> {
        if self.from.iter().all(|f| f.trim().is_empty()) {
            return Err(Error::invalid("name cannot be empty"));
        }
        let direction = match self.direction.as_deref() {
            None => Direction::Forward,
            Some(name) => Direction::from_name(name)
                .ok_or_else(|| Error::invalid(format!("unknown direction {name:?}: use forward, backward or both")))?,
        };
        let depth = self.depth.unwrap_or(2);
        between("depth", depth as usize, 1, MAX_DEPTH as usize)?;
        let limit = self.limit.unwrap_or(LIMIT);
        between("limit", limit, 1, MAX_LIMIT)?;
        between("the number of names", self.from.len(), 1, MAX_STARTS)?;
        self.from.iter().try_for_each(|name| short_enough("name", name))?;
        let kinds = if self.edges.is_empty() {
            vec![EdgeKind::Import, EdgeKind::Invoke, EdgeKind::Inherit]
        } else {
            // Other tools say `invokes` for `invoke`.
            let one = |name: &String| match name.strip_suffix('s').and_then(EdgeKind::from_name) {
                Some(kind) => Ok(kind),
                None => one_of("edge", name, &EdgeKind::ALL, EdgeKind::name),
            };
            self.edges.iter().map(one).collect::<Result<_>>()?
        };
        let types: Vec<EntityType> =
            self.types.iter().map(|t| one_of("type", t, &EntityType::ALL, EntityType::name)).collect::<Result<_>>()?;
        let floor = match self.certainty.as_deref() {
            None => Certainty::Named,
            Some(name) => one_of("certainty", name, &Certainty::ALL, Certainty::name)?,
        };
        Ok((Walk { direction, depth, kinds, floor, limit }, types))
    }
}

fn walked(snapshot: &Snapshot, starts: &[u32], walk: &Walk, types: &[EntityType]) -> GraphResponse {
    let accepts = |node: u32| {
        types.is_empty() || snapshot.entity(EntityId(node)).is_some_and(|e| types.contains(&e.entity_type()))
    };
    let walked = cds_graph::walk(snapshot.graph(), starts, walk, accepts);
    let mut response = GraphResponse {
        from: nodes(snapshot, starts),
        truncated: walked.truncated,
        unresolved: unresolved(snapshot, starts, walk),
        ..GraphResponse::default()
    };
    for taken in &walked.taken {
        add(snapshot, &mut response, taken);
    }
    response
}

/// Calls of, or by, the first entities that may mean too many to be edges.
fn unresolved(snapshot: &Snapshot, starts: &[u32], walk: &Walk) -> Unresolved {
    if walk.direction == Direction::Forward || !walk.kinds.contains(&EdgeKind::Invoke) {
        return Unresolved::default();
    }
    let mut names: Vec<EntityId> = starts.iter().map(|&s| EntityId(s)).collect();
    names.dedup_by_key(|id| snapshot.entity(*id).map(|e| e.name().to_owned()));
    Unresolved::of(snapshot, names, MAX_SITES)
}

impl Unresolved {
    /// Calls of these entities' names, each name given once; so many of them are shown.
    pub(super) fn of(snapshot: &Snapshot, names: impl IntoIterator<Item = EntityId>, shown: usize) -> Unresolved {
        let mut found = Unresolved::default();
        for (from, line, candidates) in names.into_iter().flat_map(|id| snapshot.unresolved(id)) {
            found.count += 1;
            if found.sites.len() < shown
                && let Some(caller) = snapshot.entity(from)
            {
                let site = format!("{}:{line}", caller.path());
                found.sites.push(UnresolvedSite { site, from: caller.key(), candidates });
            }
        }
        found
    }
}

fn nodes(snapshot: &Snapshot, starts: &[u32]) -> Vec<GraphNode> {
    let mut nodes: Vec<GraphNode> =
        starts.iter().filter_map(|&s| Some(node(snapshot, snapshot.entity(EntityId(s))?, 0))).collect();
    nodes.dedup_by(|a, b| a.id == b.id);
    nodes
}

fn node(snapshot: &Snapshot, entity: EntityView, depth: u32) -> GraphNode {
    let (start_line, end_line) = entity.lines();
    GraphNode {
        id: entity.key(),
        name: entity.name().to_owned(),
        entity_type: entity.entity_type().name(),
        kind: entity.kind().name(),
        path: entity.path(),
        start_line,
        end_line,
        importance: snapshot.importance(entity.id),
        depth,
        stale: false,
    }
}

fn add(snapshot: &Snapshot, response: &mut GraphResponse, taken: &Taken) {
    let graph = snapshot.graph();
    let Some(row) = graph.edges.get(taken.edge as usize) else { return };
    let (from, to) = if taken.backward { (taken.to, taken.from) } else { (taken.from, taken.to) };
    let (Some(source), Some(target)) = (snapshot.entity(EntityId(from)), snapshot.entity(EntityId(to))) else { return };
    if !taken.repeated {
        response.nodes.push(node(snapshot, if taken.backward { source } else { target }, taken.depth));
    }
    let mut edge = edge(source, target, *row, taken.depth);
    edge.alias = snapshot.alias(taken.edge).map(str::to_owned);
    (edge.backward, edge.repeated) = (taken.backward, taken.repeated);
    response.edges.push(edge);
}

fn edge(source: EntityView, target: EntityView, row: EdgeRow, depth: u32) -> GraphEdge {
    let site = if row.line() == 0 { String::new() } else { format!("{}:{}", source.path(), row.line()) };
    GraphEdge {
        from: source.key(),
        to: target.key(),
        kind: row.kind().name(),
        certainty: row.certainty().name(),
        candidates: row.candidates(),
        site,
        sites: row.sites(),
        alias: None,
        depth,
        backward: false,
        repeated: false,
    }
}

/// Files with an edge to a file or to anything in it, level by level; one edge a pair of files, the surest.
fn files_using(snapshot: &Snapshot, starts: &[u32], walk: &Walk) -> GraphResponse {
    let graph = snapshot.graph();
    let mut response = GraphResponse { from: nodes(snapshot, starts), ..GraphResponse::default() };
    let file_of = |node: u32| {
        let entity = snapshot.entity(EntityId(node))?;
        Some(entity.document().map_or(node, |d| d.entity().0))
    };
    let cancel = CancelToken::current();
    let mut reached: FxHashSet<u32> = starts.iter().copied().collect();
    let mut level: Vec<u32> = starts.to_vec();
    for depth in 1..=walk.depth {
        let mut next: BTreeMap<(u32, u32), EdgeRow> = BTreeMap::new();
        for &file in &level {
            if cancel.is_cancelled() {
                return response;
            }
            let Some(entity) = snapshot.entity(EntityId(file)) else { continue };
            let inside = entity.document().into_iter().flat_map(|d| d.entities().map(|id| id.0));
            for node in std::iter::once(file).chain(inside) {
                for (_, source, row) in graph.incoming(node) {
                    let wanted = walk.kinds.contains(&row.kind()) && row.certainty() <= walk.floor;
                    let Some(user) =
                        file_of(source).filter(|u| wanted && *u != file && row.kind() != EdgeKind::Contain)
                    else {
                        continue;
                    };
                    let kept = next.entry((user, file)).or_insert(*row);
                    if row.certainty() < kept.certainty() {
                        *kept = *row;
                    }
                }
            }
        }
        level.clear();
        for ((user, file), row) in next {
            let (Some(source), Some(target)) = (snapshot.entity(EntityId(user)), snapshot.entity(EntityId(file)))
            else {
                continue;
            };
            let repeated = reached.contains(&user);
            if !repeated {
                if response.nodes.len() == walk.limit {
                    response.truncated = true;
                    return response;
                }
                reached.insert(user);
                level.push(user);
                response.nodes.push(node(snapshot, source, depth));
            }
            if response.edges.len() == cds_graph::MAX_EDGES {
                response.truncated = true;
                return response;
            }
            let mut edge = edge(source, target, row, depth);
            (edge.backward, edge.repeated) = (true, repeated);
            response.edges.push(edge);
        }
    }
    response
}
