//! The table of operations. Every door is a projection of it: a new operation is a row here, and nothing anywhere else.

use std::sync::LazyLock;

use cds_engine::{
    Engine, GraphResponse, GrepRequest, GrepResponse, OutlineRequest, OutlineResponse, ResearchRequest,
    ResearchResponse, RetrieveRequest, RetrieveResponse, SearchRequest, SearchResponse, StatusResponse, SymbolRequest,
    SymbolResponse, TraverseRequest,
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::admission::Class;
use crate::fault::Fault;
use crate::locagent;
use crate::parameters;

/// Answers are texts from here on: two of the doors pass them on as they are.
type Call = Box<dyn Fn(&Engine, Map<String, Value>) -> Result<Box<RawValue>, Fault> + Send + Sync>;

/// One operation.
pub struct Operation {
    /// Its name: the JSON-RPC method, and the last step of the HTTP path.
    pub name: &'static str,
    /// Other JSON-RPC methods that mean it.
    pub also: &'static [&'static str],
    /// The MCP tool; none where no agent needs it.
    pub tool: Option<&'static str>,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// JSON Schema of its parameters; definitions inside.
    pub input: Value,
    /// The same with the parameter that names the project, as a service takes it.
    pub(crate) served_input: Value,
    /// JSON Schema of its answer; definitions inside.
    pub output: Value,
    call: Call,
}

impl Operation {
    /// Parameters under our names, or what is wrong with them.
    pub fn check(&self, given: Map<String, Value>) -> Result<Map<String, Value>, Fault> {
        parameters::check(&self.input, given)
    }

    /// Answers. The parameters are checked ones.
    pub fn call(&self, engine: &Engine, given: Map<String, Value>) -> Result<Box<RawValue>, Fault> {
        (self.call)(engine, given)
    }

    /// How much work a call with these parameters may be. They are checked ones.
    pub(crate) fn class(&self, given: &Map<String, Value>) -> Class {
        // Its fields are all those that hold regular expressions, under the names that they have in every operation.
        let patterns: GrepRequest = serde_json::from_value(Value::Object(given.clone())).unwrap_or_default();
        if patterns.is_costly() {
            Class::Costly
        } else if EXPENSIVE.contains(&self.name) {
            Class::Expensive
        } else {
            Class::Light
        }
    }

    /// Whether it answers as another system does: few agents need its tool.
    pub(crate) fn is_compatibility(&self) -> bool {
        self.name.starts_with("locagent_")
    }

    /// Whether the answer is a list of hits: those of several projects can be one list.
    pub fn has_hits(&self) -> bool {
        self.output["properties"].get("hits").is_some()
    }

    /// Whether the answer is a list of hits that says of itself when it is not whole: it can be empty while an index is being made.
    pub fn may_be_partial(&self) -> bool {
        ["hits", "partial", "warnings"].iter().all(|name| self.output["properties"].get(name).is_some())
    }
}

/// Operations whose work grows with the size of the project.
const EXPENSIVE: &[&str] = &[
    "grep",
    "locagent_explore",
    "locagent_graph",
    "locagent_retrieve",
    "locagent_search",
    "path",
    "research",
    "traverse",
];

/// A search for what is like a place.
#[derive(Default, Deserialize, JsonSchema)]
struct SimilarRequest {
    /// A place: `path:line`.
    place: String,
    #[serde(flatten)]
    how: SearchRequest,
}

/// A way through the graph.
#[derive(Default, Deserialize, JsonSchema)]
struct PathRequest {
    /// Where it begins: an id or a name.
    from: String,
    /// Where it ends.
    to: String,
    #[serde(flatten)]
    how: PathOptions,
}

/// How a way is looked for.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct PathOptions {
    /// Steps at most.
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Kinds of edges that are followed; none: all but `contain`.
    edges: Vec<String>,
    /// The least that must be known of an edge: `scoped`, `imported`, `typed` or `named`.
    #[schemars(extend("enum" = ["scoped", "imported", "typed", "named", null]))]
    certainty: Option<String>,
}

/// What is asked of an index.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct StatusRequest {
    /// Whether files that were left out are listed.
    problems: bool,
}

/// All operations.
pub static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    vec![
        row(
            "search",
            &["search_entities", "search_code"],
            Some("search_code"),
            "Search code by words, names and meaning. Best hits first.",
            &["query"],
            |engine, request: SearchRequest| -> Result<SearchResponse, Fault> {
                if request.query.trim().is_empty() {
                    return Err(Fault::new(crate::FaultKind::Invalid, "query cannot be empty"));
                }
                Ok(engine.search(&request)?)
            },
        ),
        row(
            "symbol",
            &["find_symbol"],
            Some("find_symbol"),
            "Look up an entity by name, prefix, qualified name or id.",
            &["name"],
            |engine, request: SymbolRequest| -> Result<SymbolResponse, Fault> { Ok(engine.symbol(&request)?) },
        ),
        row(
            "traverse",
            &["traverse_graph"],
            Some("traverse_graph"),
            "Walk the code graph from entities: what they call, import, extend and contain, and who does that to them. Each edge says how sure it is.",
            &["from"],
            |engine, request: TraverseRequest| -> Result<GraphResponse, Fault> { Ok(engine.traverse(&request)?) },
        ),
        row(
            "callers",
            &[],
            None,
            "Who calls an entity.",
            &["from"],
            |engine, request: TraverseRequest| -> Result<GraphResponse, Fault> { Ok(engine.callers(&request)?) },
        ),
        row(
            "callees",
            &[],
            None,
            "What an entity calls.",
            &["from"],
            |engine, request: TraverseRequest| -> Result<GraphResponse, Fault> { Ok(engine.callees(&request)?) },
        ),
        row(
            "implementations",
            &[],
            None,
            "Which types extend, implement or conform to one.",
            &["from"],
            |engine, request: TraverseRequest| -> Result<GraphResponse, Fault> {
                Ok(engine.implementations(&request)?)
            },
        ),
        row(
            "dependents",
            &[],
            None,
            "Which files use a file, or a module from outside.",
            &["from"],
            |engine, request: TraverseRequest| -> Result<GraphResponse, Fault> { Ok(engine.dependents(&request)?) },
        ),
        row(
            "path",
            &[],
            None,
            "The shortest way through the graph from one entity to another.",
            &["from", "to"],
            |engine, request: PathRequest| -> Result<GraphResponse, Fault> {
                let PathOptions { depth, edges, certainty } = request.how;
                let walk = TraverseRequest { from: vec![request.from], depth, edges, certainty, ..Default::default() };
                Ok(engine.path(&walk, &request.to)?)
            },
        ),
        row(
            "research",
            &["code_research"],
            Some("code_research"),
            "Answer a question about the code as a whole: what would break if X changed and which tests reach it, who calls X through the chain, how A reaches B, what implements X, what depends on a folder, how modules depend on each other. Every finding has its evidence (path:line) and says how sure it is.",
            &["query"],
            |engine, request: ResearchRequest| -> Result<ResearchResponse, Fault> { Ok(engine.research(&request)?) },
        ),
        row(
            "retrieve",
            &["retrieve_entity"],
            Some("retrieve"),
            "Print code by id: path:Outer.inner, path, path:42, path:10-20.",
            &["ids"],
            |engine, request: RetrieveRequest| -> Result<RetrieveResponse, Fault> { Ok(engine.retrieve(&request)?) },
        ),
        row(
            "similar",
            &["find_similar"],
            Some("find_similar"),
            "Find code like that at a place.",
            &["place"],
            |engine, request: SimilarRequest| -> Result<SearchResponse, Fault> {
                // What is asked about stands in the place of words.
                let how = SearchRequest { query: request.place.clone(), ..request.how };
                Ok(engine.similar(&request.place, &how)?)
            },
        ),
        row(
            "outline",
            &[],
            Some("outline"),
            "What a file or folder defines.",
            &[],
            |engine, request: OutlineRequest| -> Result<OutlineResponse, Fault> { Ok(engine.outline(&request)?) },
        ),
        row(
            "grep",
            &[],
            None,
            "Search the indexed files with a regular expression.",
            &["pattern"],
            |engine, request: GrepRequest| -> Result<GrepResponse, Fault> { Ok(engine.grep(&request)?) },
        ),
        row(
            "status",
            &["index_status"],
            Some("index_status"),
            "What is indexed, how fresh it is and what was left out.",
            &[],
            |engine, request: StatusRequest| -> Result<StatusResponse, Fault> { Ok(engine.status(request.problems)?) },
        ),
        row(
            "locagent_search",
            &["search_code_snippets"],
            Some("locagent_search"),
            "LocAgent's search_code_snippets, to the letter: Python code by names, ids, words and lines.",
            &[],
            locagent::search,
        ),
        row(
            "locagent_explore",
            &["explore_tree_structure"],
            Some("locagent_explore"),
            "LocAgent's explore_tree_structure, to the letter: a tree of what Python entities contain, import, invoke and inherit.",
            &["start_entities"],
            locagent::explore,
        ),
        row(
            "locagent_retrieve",
            &["get_entity_contents"],
            Some("locagent_retrieve"),
            "LocAgent's get_entity_contents, to the letter: the code of Python entities by exact id.",
            &["entity_names"],
            locagent::retrieve,
        ),
        row(
            "locagent_graph",
            &[],
            None,
            "LocAgent's graph of the Python files, to the letter: its nodes or its edges, a page at a time.",
            &[],
            locagent::graph,
        ),
    ]
});

/// The parameter that says which project is asked.
pub(crate) const PROJECT: &str = "project";

/// Its schema; several projects can be asked for hits.
fn project_input(has_hits: bool) -> Value {
    if has_hits {
        let about =
            "Which project is asked: its name or a path in it; several names, or `*` for all. None: the only one.";
        json!({ "type": ["string", "array", "null"], "items": { "type": "string" }, "minItems": 1, "description": about })
    } else {
        json!({ "type": ["string", "null"], "description": "Which project is asked: its name or a path in it. None: the only one." })
    }
}

/// The operation of a name, or of another name for it.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|o| o.name == name || o.also.contains(&name))
}

fn row<I: DeserializeOwned + JsonSchema + 'static, O: Serialize + JsonSchema + 'static>(
    name: &'static str,
    also: &'static [&'static str],
    tool: Option<&'static str>,
    about: &'static str,
    required: &[&str],
    call: fn(&Engine, I) -> Result<O, Fault>,
) -> Operation {
    let input = input::<I>(required);
    let call = move |engine: &Engine, given: Map<String, Value>| {
        let request = serde_json::from_value(Value::Object(given))
            .map_err(|e| Fault::new(crate::FaultKind::Invalid, format!("parameters of {name}: {e}")))?;
        let answer = call(engine, request)?;
        text(&answer)
    };
    let mut output = schema::<O>();
    for hit in ["Hit", "GrepHit"] {
        if let Some(hit) = output.pointer_mut(&format!("/$defs/{hit}/properties")) {
            hit["project"] =
                json!({ "type": "string", "description": "Which project it is of, where several were asked." });
        }
    }
    let mut served_input = input.clone();
    served_input["properties"][PROJECT] = project_input(!output["properties"]["hits"].is_null());
    Operation { name, also, tool, about, input, served_input, output, call: Box::new(call) }
}

/// An answer as the text it goes out as.
pub(crate) fn text(answer: &impl Serialize) -> Result<Box<RawValue>, Fault> {
    serde_json::value::to_raw_value(answer).map_err(|e| Fault::new(crate::FaultKind::Internal, e.to_string()))
}

/// A text as data: numbers are those that the text has, 0.9 and not 0.8999999761581421.
pub(crate) fn value(answer: &RawValue) -> Result<Value, Fault> {
    serde_json::from_str(answer.get()).map_err(|e| Fault::new(crate::FaultKind::Internal, e.to_string()))
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|s| s.meta_schema = None)
}

/// The schema of what is answered.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    SchemaGenerator::new(settings().for_serialize()).into_root_schema_for::<T>().to_value()
}

/// The schema of what is asked: what must be given, and all that is taken.
pub(crate) fn input<T: JsonSchema>(required: &[&str]) -> Value {
    let mut schema = SchemaGenerator::new(settings().for_deserialize()).into_root_schema_for::<T>().to_value();
    schema["required"] = required.iter().copied().collect();
    for (name, property) in schema["properties"].as_object_mut().into_iter().flatten() {
        let mut types: Vec<Value> = match property["type"].take() {
            Value::Array(types) => types,
            Value::Null => continue,
            one => vec![one],
        };
        // A list may be given as its only member, and what need not be given may be null.
        if types.contains(&"array".into()) && property["items"]["type"] == "string" {
            types.push("string".into());
        }
        // An empty default is none.
        let is_empty = |value: &Value| value == "" || value.as_array().is_some_and(Vec::is_empty);
        if let Some(property) = property.as_object_mut().filter(|p| p.get("default").is_some_and(is_empty)) {
            property.remove("default");
        }
        if required.contains(&name.as_str()) {
            property[if types.contains(&"array".into()) { "minItems" } else { "minLength" }] = 1.into();
        } else if !types.contains(&"null".into()) {
            types.push("null".into());
        }
        let most = match property["format"].as_str() {
            Some("uint32") => Some(u64::from(u32::MAX)),
            // What every language can say exactly.
            Some("uint" | "uint64") => Some((1 << 53) - 1),
            _ => None,
        };
        if let Some(most) = most.filter(|_| property["maximum"].is_null()) {
            property["maximum"] = most.into();
        }
        property["type"] = match types.len() {
            1 => types.remove(0),
            _ => types.into(),
        };
    }
    schema
}
