//! The `.proto` of the gRPC door: a projection of the table, like the OpenAPI document. The number of a field is what clients know it
//! by, so numbers are read from the text as it was; what is new gets the next one, and those of what is gone are never given again.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use crate::doors::index_input;
use crate::operations::{OPERATIONS, schema};
use crate::tasks::Task;

/// What JSON says as a list of fixed length: the field, the message that it is here, and the names of its parts.
const TUPLES: &[(&str, &str, &[&str])] = &[
    ("highlights", "Highlight", &["line", "first", "end"]),
    ("matches", "Match", &["first", "end"]),
    ("stamp", "Stamp", &["size", "changed"]),
];

/// What JSON says as an object whose order means something, which a map of protobuf has not: the field, and the message of a member.
const ORDERED: &[(&str, &str)] = &[("signals", "Signal")];

const HEAD: &str = r#"// What cds answers over gRPC. Made from the table of operations by `cargo xtask codegen`: numbers of fields never change.
// A field that is not set is as if it were not there; what it means then is said beside it.

syntax = "proto3";

package cds.v1;

// Finds code by name, by words, by meaning and by walking the code graph.
service Cds {
"#;

/// What streams, which no other door has in this shape.
const STREAMS: &str = "  // The same, a hit at a time: the best first, and at the end all but the hits.
  rpc SearchStream(SearchRequest) returns (stream SearchPart);
  // Index, and tell how it goes until it ends. A request equal to one that has not ended is merged with it, and follows that one. A
  // client that cancels its own stops it.
  rpc Index(TaskRequest) returns (stream Task);
}

// A part of what a search found.
message SearchPart {
  oneof part {
    // A hit.
    Hit hit = 1;
    // The answer without its hits, and the last part.
    SearchResponse rest = 2;
  }
}
";

/// The text, with the numbers of the text as it was before.
pub fn document(before: &str) -> String {
    let mut messages = Messages::default();
    let mut text = HEAD.to_owned();
    for operation in OPERATIONS.iter() {
        let (asked, answered) = (messages.root(&operation.served_input), messages.root(&operation.output));
        for line in operation.about.lines() {
            let _ = writeln!(text, "  // {line}");
        }
        let _ = writeln!(text, "  rpc {}({asked}) returns ({answered});", title(operation.name));
    }
    messages.root(&index_input());
    messages.root(&schema::<Task>());
    text.push_str(STREAMS);
    let known = Known::read(before);
    for (name, message) in &messages.0 {
        text.push_str(&message.text(name, known.0.get(name)));
    }
    text
}

/// `locagent_search` is `LocagentSearch` here.
fn title(name: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    };
    name.split('_').map(capital).collect()
}

#[derive(PartialEq, Debug)]
struct Message {
    about: String,
    /// Name, type and what it says.
    fields: Vec<(String, String, String)>,
}

/// All messages, by name.
#[derive(Default)]
struct Messages(BTreeMap<String, Message>);

/// What a field holds.
enum Holds {
    One(String),
    /// A list or a map, which are empty where they are not there.
    Many(String),
}

impl Messages {
    /// The message of a schema with definitions inside.
    fn root(&mut self, schema: &Value) -> String {
        let name = schema["title"].as_str().expect("what is asked and answered has a name").to_owned();
        self.message(schema, &name, schema);
        name
    }

    fn message(&mut self, root: &Value, name: &str, schema: &Value) {
        if self.0.contains_key(name) {
            return;
        }
        self.0.insert(name.to_owned(), Message { about: about(schema), fields: Vec::new() });
        let mut fields = Vec::new();
        for (field, property) in schema["properties"].as_object().expect("a message has fields") {
            let required = schema["required"].as_array().is_some_and(|r| r.iter().any(|n| n == field.as_str()));
            let is_given = required && !types(property).contains(&"null");
            let kind = match self.holds(root, property, field) {
                Holds::One(message) if self.0.contains_key(&message) => message,
                Holds::One(plain) if is_given => plain,
                Holds::One(plain) => format!("optional {plain}"),
                Holds::Many(list) => list,
            };
            fields.push((field.clone(), kind, about(property)));
        }
        self.0.get_mut(name).expect("it was just put there").fields = fields;
    }

    fn holds(&mut self, root: &Value, schema: &Value, field: &str) -> Holds {
        // What may be null is what it is otherwise: every message may be missing.
        if let Some(other) = schema["anyOf"].as_array().and_then(|any| any.iter().find(|one| one["type"] != "null")) {
            return self.holds(root, other, field);
        }
        if let Some(name) = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
            let target = &root["$defs"][name];
            // A word of a closed set is a word here too, so that doors can be compared.
            if target["properties"].is_null() {
                return Holds::One("string".to_owned());
            }
            // What is there for its schema alone is called what it is a schema of.
            let name = name.strip_suffix("Shape").unwrap_or(name);
            self.message(root, name, target);
            return Holds::One(name.to_owned());
        }
        let types = types(schema);
        if types.contains(&"array") {
            return match schema["prefixItems"].as_array() {
                Some(parts) => self.tuple(parts, field),
                None => match self.holds(root, &schema["items"], field) {
                    Holds::One(member) | Holds::Many(member) => Holds::Many(format!("repeated {member}")),
                },
            };
        }
        if types.contains(&"object") {
            let value = scalar(&schema["additionalProperties"], field);
            return Holds::Many(match ORDERED.iter().find(|(ordered, _)| *ordered == field) {
                Some((_, member)) => {
                    let part = |name: &str, kind: &str| (name.to_owned(), kind.to_owned(), String::new());
                    let fields = vec![part("name", "string"), part("value", value)];
                    let about = "A name and its number.".to_owned();
                    self.0.insert((*member).to_owned(), Message { about, fields });
                    format!("repeated {member}")
                }
                None => format!("map<string, {value}>"),
            });
        }
        Holds::One(scalar(schema, field).to_owned())
    }

    fn tuple(&mut self, parts: &[Value], field: &str) -> Holds {
        let parts: Vec<&str> = parts.iter().map(|part| scalar(part, field)).collect();
        let Some((_, message, names)) = TUPLES.iter().find(|(tuple, ..)| *tuple == field) else {
            assert!(parts.iter().all(|part| *part == parts[0]), "{field}: its parts need names in TUPLES");
            return Holds::Many(format!("repeated {}", parts[0]));
        };
        assert_eq!(parts.len(), names.len(), "{field}: each part needs a name in TUPLES");
        let part = |(name, kind): (&&str, &&str)| ((*name).to_owned(), (*kind).to_owned(), String::new());
        let fields = names.iter().zip(&parts).map(part).collect();
        self.0.insert((*message).to_owned(), Message { about: format!("One of `{field}`."), fields });
        Holds::One((*message).to_owned())
    }
}

fn about(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn scalar(schema: &Value, field: &str) -> &'static str {
    let types = types(schema);
    match types.iter().find(|t| **t != "null").copied() {
        Some("string") => "string",
        Some("boolean") => "bool",
        Some("number") if schema["format"] == "float" => "float",
        Some("number") => "double",
        Some("integer") => match schema["format"].as_str() {
            Some("uint32") => "uint32",
            Some("int64") => "int64",
            _ => "uint64",
        },
        _ => panic!("{field}: no type of protobuf for {schema}"),
    }
}

/// Numbers of a message that were given before.
#[derive(Default)]
struct Numbers {
    fields: BTreeMap<String, u32>,
    gone: Vec<u32>,
    gone_names: Vec<String>,
}

/// Numbers of all messages.
struct Known(BTreeMap<String, Numbers>);

impl Known {
    /// Reads what [`document`] wrote.
    fn read(text: &str) -> Known {
        let mut known: BTreeMap<String, Numbers> = BTreeMap::new();
        let mut current = String::new();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            if let Some(name) = line.strip_prefix("message ").and_then(|rest| rest.strip_suffix(" {")) {
                current = name.to_owned();
            }
            let Some(line) = line.strip_suffix(';') else { continue };
            let numbers = known.entry(current.clone()).or_default();
            if let Some(list) = line.strip_prefix("reserved ") {
                numbers.gone.extend(list.split(", ").filter_map(|n| n.parse::<u32>().ok()));
                numbers
                    .gone_names
                    .extend(list.split(", ").filter_map(|n| Some(n.strip_prefix('"')?.strip_suffix('"')?.to_owned())));
            } else if let Some((field, number)) = line.rsplit_once(" = ")
                && let (Some(name), Ok(number)) = (field.split(' ').next_back(), number.parse())
            {
                numbers.fields.insert(name.to_owned(), number);
            }
        }
        Known(known)
    }
}

impl Message {
    fn text(&self, name: &str, known: Option<&Numbers>) -> String {
        let none = Numbers::default();
        let known = known.unwrap_or(&none);
        let mut next = known.fields.values().chain(&known.gone).max().map_or(1, |last| last + 1);
        let mut numbered = BTreeMap::new();
        for (field, kind, about) in &self.fields {
            let number = known.fields.get(field).copied().unwrap_or_else(|| {
                next += 1;
                next - 1
            });
            numbered.insert(number, (field, kind, about));
        }
        let lost = known.fields.iter().filter(|(name, _)| !self.fields.iter().any(|field| field.0 == **name));
        let (lost_names, lost): (Vec<String>, Vec<u32>) = lost.map(|(name, number)| (name.clone(), *number)).unzip();
        let gone: Vec<String> = known.gone.iter().chain(&lost).map(u32::to_string).collect();
        let gone_names: Vec<String> =
            known.gone_names.iter().chain(&lost_names).map(|name| format!("{name:?}")).collect();
        let mut text = String::from("\n");
        let comment = |text: &mut String, indent: &str, about: &str| {
            for line in about.lines() {
                let _ = writeln!(text, "{}", format!("{indent}// {line}").trim_end());
            }
        };
        comment(&mut text, "", &self.about);
        let _ = writeln!(text, "message {name} {{");
        for list in [gone, gone_names].iter().filter(|list| !list.is_empty()) {
            let _ = writeln!(text, "  reserved {};", list.join(", "));
        }
        for (number, (field, kind, about)) in numbered {
            comment(&mut text, "  ", about);
            let _ = writeln!(text, "  {kind} {field} = {number};");
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, Message, document};

    /// `cargo xtask codegen` writes it, and the code that is made from it.
    #[test]
    fn the_proto_says_what_the_table_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/proto/cds/v1/cds.proto");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        let expect = document(&written);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, expect).unwrap();
        } else {
            assert!(written == expect, "the table has changed: run `cargo xtask codegen`");
        }
    }

    #[test]
    fn numbers_are_never_given_twice() {
        let message = |fields: &[&str]| {
            let field = |name: &&str| ((*name).to_owned(), "string".to_owned(), String::new());
            Message { about: "A thing.".to_owned(), fields: fields.iter().map(field).collect() }
        };
        let check = |fields: &[&str], before: &str, expect: &str| {
            let known = Known::read(before);
            let text = message(fields).text("Thing", known.0.get("Thing"));
            assert_eq!(text, expect);
            text
        };
        let first = check(&["a", "b"], "", "\n// A thing.\nmessage Thing {\n  string a = 1;\n  string b = 2;\n}\n");
        let second = check(
            &["c", "a"],
            &first,
            "\n// A thing.\nmessage Thing {\n  reserved 2;\n  reserved \"b\";\n  string a = 1;\n  string c = 3;\n}\n",
        );
        check(
            &["d", "a"],
            &second,
            "\n// A thing.\nmessage Thing {\n  reserved 2, 3;\n  reserved \"b\", \"c\";\n  string a = 1;\n  string d = 4;\n}\n",
        );
    }
}
