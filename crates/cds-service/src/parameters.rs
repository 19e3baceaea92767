//! Request parameters, validated against the schema of their operation before anything is read. Names of other tools are accepted
//! ([`crate::aliases`]); an error names the field.

use serde_json::{Map, Value};

use crate::aliases;
use crate::fault::Fault;

/// Parameters of an operation with these properties, under our names.
pub(crate) fn check(schema: &Value, given: Map<String, Value>) -> Result<Map<String, Value>, Fault> {
    let properties = schema["properties"].as_object().expect("inputs are objects");
    let mut all = Vec::new();
    for (name, value) in &given {
        if !aliases::resolve(properties, name, value.clone(), &given, &mut all)? {
            let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
            known.sort_unstable();
            return Err(Fault::parameter(name, &format!("one of {}", known.join(", ")), "a name that is not known"));
        }
    }
    // Defaults last: they yield to what is given.
    all.sort_by_key(|given| given.is_default);
    let mut taken = Map::new();
    for aliases::Given { parameter, value, name, is_default } in all {
        // Null means absent.
        if value.is_null() || is_default && taken.contains_key(&parameter) {
            continue;
        }
        let property = &properties[&parameter];
        let value = number_from(resolved(schema, property), value);
        fits(schema, property, &name, &value)?;
        let value = whole(value);
        // Numbers of a preset come one by one or in one object.
        if let (Some(Value::Object(numbers)), Value::Object(more)) = (taken.get_mut(&parameter), &value) {
            numbers.extend(more.clone());
            continue;
        }
        if taken.get(&parameter).is_some_and(|other| *other != value) {
            return Err(Fault::parameter(&parameter, "one value", "two, under two names"));
        }
        taken.insert(parameter, value);
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !taken.contains_key(name) {
            return Err(Fault::parameter(name, "a value", "nothing"));
        }
    }
    Ok(taken)
}

/// Patterns of the texts that are accepted as numbers, by type.
const NUMERALS: [(&str, &str); 2] = [("integer", "^-?[0-9]+$"), ("number", "^-?[0-9]+(\\.[0-9]+)?$")];

/// The pattern of texts that a parameter accepts as numbers; none where it takes no number, or where a text has its own meaning.
pub(crate) fn numerals(schema: &Value) -> Option<&'static str> {
    let types = types(schema);
    let (_, pattern) = NUMERALS.iter().find(|(name, _)| types.contains(name))?;
    (!types.contains(&"string")).then_some(*pattern)
}

/// The number that a text stands for: language models quote them.
fn number_from(schema: &Value, value: Value) -> Value {
    let Some(text) = value.as_str().filter(|_| numerals(schema).is_some()) else { return value };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let is_number = match unsigned.split_once('.') {
        Some((whole, fraction)) => types(schema).contains(&"number") && digits(whole) && digits(fraction),
        None => digits(unsigned),
    };
    // Leading zeros are no JSON, and no reason to refuse.
    let parsed = text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from));
    if is_number { parsed.unwrap_or(value) } else { value }
}

/// 3.0 is as whole as 3.
fn whole(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() < 9.1e15 => Value::from(number as i64),
        _ => value,
    }
}

fn fits(root: &Value, schema: &Value, field: &str, value: &Value) -> Result<(), Fault> {
    let schema = resolved(root, schema);
    let types = types(schema);
    let received = || Fault::parameter(field, &expected(schema), &shown(value));
    // One member may stand for its list.
    if types.contains(&"array") && value.is_string() && resolved(root, &schema["items"])["type"] == "string" {
        return Ok(());
    }
    if !types.is_empty() && !types.iter().any(|t| is_a(t, value)) {
        return Err(received());
    }
    let is_empty = value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
    if is_empty && (schema["minLength"] == 1 || schema["minItems"] == 1) {
        return Err(Fault { message: format!("{field} cannot be empty"), ..received() });
    }
    if let Some(number) = value.as_f64() {
        let least = schema["minimum"].as_f64().is_some_and(|least| number < least);
        let most = schema["maximum"].as_f64().is_some_and(|most| number > most);
        // What is whole and larger than a machine's word fits nothing.
        let huge = types.contains(&"integer") && number.abs() >= 9.1e15;
        if least || most || huge {
            return Err(received());
        }
    }
    if let Some(prefix) = schema["prefixItems"].as_array() {
        let items = value.as_array().map_or(0, Vec::len);
        if items != prefix.len() {
            return Err(received());
        }
        for (item, schema) in value.as_array().into_iter().flatten().zip(prefix) {
            fits(root, schema, field, item)?;
        }
    } else if !schema["items"].is_null() {
        for item in value.as_array().into_iter().flatten() {
            fits(root, &schema["items"], field, item)?;
        }
    }
    if !schema["additionalProperties"].is_null() && !schema["additionalProperties"].is_boolean() {
        for item in value.as_object().into_iter().flat_map(Map::values) {
            fits(root, &schema["additionalProperties"], field, item)?;
        }
    }
    Ok(())
}

fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema["$ref"].as_str().and_then(|r| root.pointer(r.strip_prefix('#')?));
    target.unwrap_or(schema)
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_a(name: &str, value: &Value) -> bool {
    match name {
        "integer" => whole(value.clone()).is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn expected(schema: &Value) -> String {
    let names: Vec<&str> = types(schema).into_iter().filter(|t| *t != "null").collect();
    let mut text = names.join(" or ");
    for (key, word) in [("minimum", "at least"), ("maximum", "at most")] {
        if let Some(bound) = schema[key].as_f64() {
            text.push_str(&format!(", {word} {bound}"));
        }
    }
    if let Some(prefix) = schema["prefixItems"].as_array() {
        text.push_str(&format!(" of {}", prefix.len()));
    }
    text
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;

    fn schema() -> Value {
        json!({
            "type": "object", "required": ["query"],
            "properties": {
                "query": { "type": "string" },
                "limit": { "type": ["integer", "null"], "minimum": 0 },
                "path": { "type": "array", "items": { "type": "string" } },
                "scope_depth": { "type": ["array", "null"], "prefixItems": [{ "type": "integer", "minimum": 0 }, { "type": "integer" }] },
                "set": { "type": "object", "additionalProperties": { "type": "number" } },
            }
        })
    }

    #[test]
    fn parameters_are_held_against_the_schema() {
        let ok = |given: Value, expect: Value| {
            let found = check(&schema(), given.as_object().unwrap().clone());
            assert_eq!(found.map(Value::Object), Ok(expect), "{given}");
        };
        ok(json!({ "query": "a" }), json!({ "query": "a" }));
        ok(json!({ "query": "a", "top_k": 3 }), json!({ "query": "a", "limit": 3 }));
        ok(json!({ "query": "a", "limit": null }), json!({ "query": "a" }));
        ok(json!({ "query": "a", "file_filter": "src/**" }), json!({ "query": "a", "path": "src/**" }));
        ok(
            json!({ "query": "a", "rrf_k": 20, "set": { "k1": 2 } }),
            json!({ "query": "a", "set": { "rrf_k": 20, "k1": 2 } }),
        );
        ok(json!({ "query": "a", "scope_depth": [0, 2] }), json!({ "query": "a", "scope_depth": [0, 2] }));

        let bad = |given: Value, expect: &str| {
            let found = check(&schema(), given.as_object().unwrap().clone());
            assert_eq!(found.expect_err("it is refused").message, expect, "{given}");
        };
        bad(json!({}), "query: expected a value, received nothing");
        bad(json!({ "query": 5 }), "query: expected string, received 5");
        bad(json!({ "query": "a", "limit": "five" }), "limit: expected integer, at least 0, received \"five\"");
        bad(json!({ "query": "a", "limit": "" }), "limit: expected integer, at least 0, received \"\"");
        bad(json!({ "query": "a", "limit": "5.5" }), "limit: expected integer, at least 0, received \"5.5\"");
        bad(json!({ "query": "a", "limit": "-1" }), "limit: expected integer, at least 0, received -1");
        bad(json!({ "query": "a", "top_k": "x" }), "top_k: expected integer, at least 0, received \"x\"");
        bad(json!({ "query": "a", "limit": -1 }), "limit: expected integer, at least 0, received -1");
        bad(json!({ "query": "a", "limit": 2.5 }), "limit: expected integer, at least 0, received 2.5");
        bad(
            json!({ "query": "a", "limit": 1, "top_k": 2 }),
            "limit: expected one value, received two, under two names",
        );
        bad(json!({ "query": "a", "path": [1] }), "path: expected string, received 1");
        bad(json!({ "query": "a", "scope_depth": [1] }), "scope_depth: expected array of 2, received [1]");
        bad(json!({ "query": "a", "set": { "x": "y" } }), "set: expected number, received \"y\"");
        bad(
            json!({ "query": "a", "limits": 1 }),
            "limits: expected one of limit, path, query, scope_depth, set, received a name that is not known",
        );
    }
}
