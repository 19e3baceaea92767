//! Parameter names of other search tools, as a table: what each sets and how its value is converted. Request validation
//! ([`crate::parameters`]), the OpenAPI document and the MCP tool schemas read it, so a new name is a new row.

use serde_json::{Map, Value, json};

use crate::fault::Fault;

/// A name that another tool gives to one of our parameters.
pub(crate) struct Alias {
    /// The other tool's name.
    pub(crate) name: &'static str,
    /// The parameter that it sets. The alias exists where an operation has this parameter and none called `name`.
    pub(crate) parameter: &'static str,
    conversion: Conversion,
}

/// How the value of an alias becomes the value of a parameter.
enum Conversion {
    /// It is the same.
    Same,
    /// A boolean whose values stand for a value of the parameter, or for its default.
    Flag { on: Option<Constant>, off: Option<Constant> },
    /// A list of words that are searched together.
    Words,
    /// A number of the preset, by this name.
    Number,
    /// File extensions, as a list or separated by commas.
    Extensions,
    /// A path. Together with line numbers in the parameter `lines` it stands for the code at these lines.
    Places { lines: &'static str },
    /// Line numbers, used by the parameter `of`.
    Lines { of: &'static str },
    /// An object whose members are parameters.
    Members,
    /// Accepted without an effect, for the reason given.
    Ignored(&'static str),
}

/// A value in the table.
#[derive(Clone, Copy)]
enum Constant {
    Bool(bool),
    Integer(u64),
    Text(&'static str),
}

impl Constant {
    fn value(self) -> Value {
        match self {
            Constant::Bool(value) => value.into(),
            Constant::Integer(value) => value.into(),
            Constant::Text(value) => value.into(),
        }
    }
}

const fn same(name: &'static str, parameter: &'static str) -> Alias {
    Alias { name, parameter, conversion: Conversion::Same }
}

/// A number of presets, under a name that cds accepts in `set`.
const fn number(name: &'static str) -> Alias {
    Alias { name, parameter: "set", conversion: Conversion::Number }
}

const fn flag(name: &'static str, parameter: &'static str, on: Option<Constant>, off: Option<Constant>) -> Alias {
    Alias { name, parameter, conversion: Conversion::Flag { on, off } }
}

const fn ignored(name: &'static str, parameter: &'static str, reason: &'static str) -> Alias {
    Alias { name, parameter, conversion: Conversion::Ignored(reason) }
}

/// Every alias, by parameter. Rows of one name are in the order in which they are tried.
const ALIASES: &[Alias] = &[
    same("exclude_paths", "exclude"),
    same("hops", "depth"),
    same("max_depth", "depth"),
    same("multi_hop_depth", "depth"),
    same("traversal_depth", "depth"),
    flag("multi_hop", "depth", Some(Constant::Integer(2)), Some(Constant::Integer(0))),
    same("dependency_type_filter", "edges"),
    same("edge", "edges"),
    same("edge_types", "edges"),
    same("file_limit", "files"),
    same("max_per_file", "chunks_per_file"),
    same("start_entities", "from"),
    flag("group_by_file", "granularity", Some(Constant::Text("chunk")), None),
    same("entity_id", "ids"),
    same("entity_ids", "ids"),
    same("entity_names", "ids"),
    same("id", "ids"),
    Alias { name: "file_path_or_pattern", parameter: "ids", conversion: Conversion::Places { lines: "line_nums" } },
    Alias { name: "line_nums", parameter: "ids", conversion: Conversion::Lines { of: "file_path_or_pattern" } },
    same("node_types", "kind"),
    same("kinds", "kind"),
    same("language", "lang"),
    same("languages", "lang"),
    Alias { name: "filter", parameter: "lang", conversion: Conversion::Members },
    same("max_results", "limit"),
    same("num_results", "limit"),
    same("top_k", "limit"),
    same("symbol", "name"),
    flag("use_bm25", "no_bm25", None, Some(Constant::Bool(true))),
    same("node_name_pattern", "node_name"),
    same("parent_context_pattern", "parent_context"),
    same("file_filter", "path"),
    same("file_path_or_pattern", "path"),
    same("path_filter", "path"),
    same("path_prefix", "path"),
    same("paths", "path"),
    Alias { name: "extensions", parameter: "path", conversion: Conversion::Extensions },
    same("regex", "pattern"),
    same("path", "project"),
    same("project_id", "project"),
    same("store", "project"),
    same("question", "query"),
    same("text", "query"),
    Alias { name: "search_terms", parameter: "query", conversion: Conversion::Words },
    ignored("expand_query", "snippet", "words are always expanded where the query's own find nothing"),
    ignored("expanded", "snippet", "words are always expanded where the query's own find nothing"),
    ignored("format", "snippet", "the protocol decides the format"),
    ignored("synthesize", "snippet", "answers are not summarised"),
    same("path", "root"),
    same("enable_reranking", "rerank"),
    number("bm25_weight"),
    number("dense_weight"),
    number("rerank_top_k"),
    number("rrf_k"),
    number("source_boost"),
    number("sparse_weight"),
    flag("include_content", "snippet", Some(Constant::Text("full")), Some(Constant::Text("fold"))),
    same("entity_type_filter", "type"),
    same("entity_types", "type"),
    same("types", "type"),
    flag("use_bm25_fallback", "upper_threshold", None, Some(Constant::Integer(0))),
];

/// A parameter with its value, and the name that it was given under.
pub(crate) struct Given {
    pub(crate) parameter: String,
    pub(crate) value: Value,
    pub(crate) name: String,
    /// Whether the parameter itself overrides it.
    pub(crate) is_default: bool,
}

/// Aliases that an operation with these parameters accepts.
pub(crate) fn of(properties: &Map<String, Value>) -> impl Iterator<Item = &'static Alias> {
    let mut seen = Vec::new();
    ALIASES.iter().filter(move |alias| {
        let is_one = properties.contains_key(alias.parameter) && !properties.contains_key(alias.name);
        let is_first = is_one && !seen.contains(&alias.name);
        seen.extend(is_first.then_some(alias.name));
        is_first
    })
}

/// Appends the parameters that a name and its value stand for; `false`: the name is unknown. `beside` has the other names of the request.
pub(crate) fn resolve(
    properties: &Map<String, Value>,
    name: &str,
    value: Value,
    beside: &Map<String, Value>,
    out: &mut Vec<Given>,
) -> Result<bool, Fault> {
    let mut add = |parameter: &str, value: Value, is_default: bool| {
        out.push(Given { parameter: parameter.to_owned(), value, name: name.to_owned(), is_default });
    };
    if properties.contains_key(name) {
        add(name, value, false);
        return Ok(true);
    }
    let Some(alias) = of(properties).find(|alias| alias.name == name) else { return Ok(false) };
    // Null means absent.
    if value.is_null() {
        return Ok(true);
    }
    let wrong = |expected: &str, value: &Value| Fault::parameter(name, expected, &value.to_string());
    match &alias.conversion {
        Conversion::Same => add(alias.parameter, value, false),
        Conversion::Number => add(alias.parameter, json!({ alias.name: value }), false),
        Conversion::Flag { on, off } => match value.as_bool() {
            Some(true) => on.iter().for_each(|on| add(alias.parameter, on.value(), true)),
            Some(false) => off.iter().for_each(|off| add(alias.parameter, off.value(), false)),
            None => return Err(wrong("boolean", &value)),
        },
        Conversion::Words => {
            let words = texts(&value).ok_or_else(|| wrong("array or string", &value))?;
            add(alias.parameter, words.join(" ").into(), false);
        }
        Conversion::Extensions => {
            let list = texts(&value).ok_or_else(|| wrong("array or string", &value))?;
            let each =
                list.iter().flat_map(|text| text.split(',')).map(|text| text.trim().trim_start_matches(['*', '.']));
            let extensions: Vec<String> = each.filter(|text| !text.is_empty()).map(|text| format!(".{text}")).collect();
            if !extensions.is_empty() {
                add(alias.parameter, extensions.into(), false);
            }
        }
        Conversion::Places { lines } => {
            let path = value.as_str().ok_or_else(|| wrong("string", &value))?;
            let numbers = match beside.get(*lines) {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(numbers)) => numbers.iter().collect(),
                Some(one) => vec![one],
            };
            let place = |number: &Value| match number.as_u64() {
                Some(number) => Ok(format!("{path}:{number}")),
                None => Err(Fault::parameter(lines, "line numbers", &number.to_string())),
            };
            let places: Vec<String> = numbers.into_iter().map(place).collect::<Result<_, _>>()?;
            add(alias.parameter, if places.is_empty() { vec![path.to_owned()] } else { places }.into(), false);
        }
        Conversion::Lines { of } => {
            if beside.get(*of).is_none_or(Value::is_null) {
                return Err(Fault::parameter(of, &format!("a path for {name}"), "nothing"));
            }
        }
        Conversion::Members => {
            let Value::Object(members) = value else { return Err(wrong("object", &value)) };
            let beside = members.clone();
            for (member, value) in members {
                if !resolve(properties, &member, value, &beside, out)? {
                    return Err(Fault::parameter(&format!("{name}.{member}"), "a filter", "an unknown name"));
                }
            }
        }
        Conversion::Ignored(_) => {}
    }
    Ok(true)
}

/// The texts of a list, or the only one.
fn texts(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::Array(list) => list.iter().map(Value::as_str).collect(),
        one => one.as_str().map(|one| vec![one]),
    }
}

impl Alias {
    /// Whether it sets its parameter, so that a request with it needs no value for that.
    fn sets_parameter(&self) -> bool {
        matches!(self.conversion, Conversion::Same | Conversion::Words | Conversion::Places { .. })
    }

    /// Its JSON Schema, given the schema of its parameter.
    fn schema(&self, properties: &Map<String, Value>) -> Value {
        let parameter = self.parameter;
        let list = || json!({ "type": ["array", "string", "null"], "items": { "type": "string" } });
        let (mut schema, about) = match &self.conversion {
            Conversion::Same => (properties[parameter].clone(), format!("Alias of `{parameter}`.")),
            Conversion::Flag { on, off } => {
                let value =
                    |constant: &Option<Constant>| constant.map_or("its default".to_owned(), |c| c.value().to_string());
                let about = format!("Alias: true sets `{parameter}` to {}, false to {}.", value(on), value(off));
                (json!({ "type": ["boolean", "null"] }), about)
            }
            Conversion::Words => (list(), format!("Alias: words for `{parameter}`.")),
            Conversion::Number => (json!({ "type": ["number", "null"] }), "Alias: a number of the preset.".to_owned()),
            Conversion::Extensions => {
                (list(), format!("Alias: file extensions for `{parameter}`, also separated by commas."))
            }
            Conversion::Places { lines } => (
                json!({ "type": ["string", "null"] }),
                format!("Alias: a path for `{parameter}`; with `{lines}` its lines."),
            ),
            Conversion::Lines { of } => {
                let number = json!({ "type": "integer", "minimum": 0 });
                let schema = json!({ "type": ["array", "integer", "null"], "minimum": 0, "items": number });
                (schema, format!("Line numbers in `{of}`."))
            }
            Conversion::Members => {
                (json!({ "type": ["object", "null"] }), "An object of filters by their names here.".to_owned())
            }
            Conversion::Ignored(reason) => (json!({}), format!("Accepted without an effect: {reason}.")),
        };
        schema["description"] = about.into();
        schema["deprecated"] = true.into();
        schema
    }
}

/// Adds every alias to the schema of a request as a deprecated property.
pub(crate) fn describe(input: &mut Value) {
    let Some(properties) = input["properties"].as_object().cloned() else { return };
    let required: Vec<String> =
        input["required"].as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    let mut plain: Vec<String> = Vec::new();
    let mut choices: Vec<Value> = Vec::new();
    for name in required {
        let aliases = of(&properties).filter(|alias| alias.parameter == name && alias.sets_parameter());
        let names: Vec<Value> = std::iter::once(name.as_str())
            .chain(aliases.map(|alias| alias.name))
            .map(|name| json!({ "required": [name] }))
            .collect();
        match names.len() {
            1 => plain.push(name),
            _ => choices.push(json!({ "anyOf": names })),
        }
    }
    for alias in of(&properties) {
        input["properties"][alias.name] = alias.schema(&properties);
    }
    if !choices.is_empty() {
        input["required"] = plain.into();
        input["allOf"] = choices.into();
    }
}

/// Adds the names of aliases to the descriptions of the parameters that they set: shorter than a property for each.
pub(crate) fn mention(properties: &mut Map<String, Value>) {
    let known: Vec<&Alias> = of(properties).collect();
    for (parameter, schema) in properties.iter_mut() {
        let names = |is_same: bool| -> Vec<String> {
            let own = known.iter().filter(|alias| alias.parameter == *parameter);
            let own = own.filter(|alias| !matches!(alias.conversion, Conversion::Ignored(_)));
            let kind = own.filter(|alias| matches!(alias.conversion, Conversion::Same) == is_same);
            kind.map(|alias| format!("`{}`", alias.name)).collect()
        };
        let mut about = schema["description"].as_str().unwrap_or_default().to_owned();
        for (is_same, words) in [(true, "Also"), (false, "Set too by")] {
            let names = names(is_same);
            if !names.is_empty() {
                about.push_str(&format!(" {words}: {}.", names.join(", ")));
            }
        }
        if !about.is_empty() {
            schema["description"] = about.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ALIASES;

    #[test]
    fn every_alias_is_documented_and_sets_a_parameter() {
        let docs = include_str!("../../../docs/service.md");
        let inputs: Vec<&serde_json::Value> = crate::operations::OPERATIONS.iter().map(|o| &o.served_input).collect();
        for alias in ALIASES {
            assert!(docs.contains(&format!("`{}`", alias.name)), "{} is not in docs/service.md", alias.name);
            let is_used = inputs.iter().any(|input| !input["properties"][alias.parameter].is_null());
            assert!(is_used || alias.parameter == "root", "{} sets {}, which nothing has", alias.name, alias.parameter);
        }
    }
}
