//! `cds combo`: steps that use what the ones before have found.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use cds_engine::{Error, ErrorKind, find_root};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Done, input, note, open, print};
use crate::args::{ComboArgs, Common, Format};
use crate::output::Printable;
use crate::{exit, progress};

/// A plan as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    name: String,
    #[serde(default)]
    description: String,
    steps: Vec<Step>,
    /// What is printed at the end; none: what the last step found.
    final_output: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    name: String,
    /// A command of cds, with a list as on the command line, or an operation with parameters by name.
    command: Option<String>,
    args: Option<Value>,
    /// A command of the shell.
    shell: Option<String>,
    output_var: Option<String>,
}

/// Steps of a plan.
const MAX_STEPS: usize = 1_000;

type Variables = BTreeMap<String, Value>;

fn invalid(message: impl Into<String>) -> Error {
    Error { kind: ErrorKind::Invalid, message: message.into() }
}

pub(crate) fn run(common: &Common, args: &ComboArgs) -> Done {
    let shown = args.plan.display();
    let text = input::file(&args.plan, input::MAX_PLAN)?;
    let options = serde_saphyr::options! { budget: budget() };
    let plan: Plan =
        serde_saphyr::from_str_with_options(&text, options).map_err(|e| invalid(format!("{shown}: {e}")))?;
    let mut variables = Variables::new();
    for set in &args.set {
        let (name, value) = set.split_once('=').ok_or_else(|| invalid(format!("--set {set:?}: use NAME=VALUE")))?;
        variables.insert(name.to_owned(), json!(value));
    }
    check(&plan, &variables, args)?;
    if args.dry_run {
        return dry(&plan);
    }
    let mut last = Value::Null;
    for step in &plan.steps {
        let found = match (&step.command, &step.shell) {
            (Some(command), _) => ask(common, command, step.args.as_ref(), &variables),
            (None, Some(line)) => shell(line, &variables),
            (None, None) => Ok(Value::Null),
        };
        last = found.map_err(|e| Error { message: format!("step {:?}: {}", step.name, e.message), ..e })?;
        if let Some(name) = &step.output_var {
            variables.insert(name.clone(), last.clone());
        }
    }
    let output = match &plan.final_output {
        Some(output) => filled(output, &variables)?,
        None => last,
    };
    let is_json = matches!(common.format, Some(Format::Json | Format::Jsonl));
    let text = match output {
        Value::String(text) if !is_json => Printable::text(format!("{}\n", text.trim_end_matches('\n'))),
        output if is_json => Printable::json(&output),
        output => Printable::pretty_json(&output),
    };
    print(&text)?;
    Ok(exit::FOUND)
}

/// What a plan may hold once anchors are expanded.
fn budget() -> Option<serde_saphyr::Budget> {
    serde_saphyr::budget! {
        max_events: 100_000,
        max_nodes: 50_000,
        max_aliases: 1_000,
        max_anchors: 1_000,
        max_recorded_anchor_events: 100_000,
        max_recorded_anchor_bytes: input::MAX_PLAN,
        max_total_scalar_bytes: 4 * input::MAX_PLAN,
        max_documents: 1,
        max_depth: 64,
    }
}

/// All that can be told before the first step.
fn check(plan: &Plan, variables: &Variables, args: &ComboArgs) -> Result<(), Error> {
    if plan.steps.is_empty() {
        return Err(invalid("the plan has no steps"));
    }
    if plan.steps.len() > MAX_STEPS {
        return Err(invalid(format!("the plan has {} steps, the limit is {MAX_STEPS}: split it", plan.steps.len())));
    }
    let mut known: Vec<&str> = variables.keys().map(String::as_str).collect();
    let used = |known: &[&str], place: &str, value: &Value| -> Result<(), Error> {
        let mut result = Ok(());
        each_text(value, &mut |text| {
            for reference in references(text) {
                let name = reference.split(['.', '[']).next().unwrap_or_default();
                if result.is_ok() && !known.contains(&name) {
                    let known = if known.is_empty() {
                        "none is set".to_owned()
                    } else {
                        format!("set are {}", known.join(", "))
                    };
                    result = Err(invalid(format!("{place}: ${{{reference}}} is not set there: {known}")));
                }
            }
        });
        result
    };
    for step in &plan.steps {
        let place = format!("step {:?}", step.name);
        match (&step.command, &step.shell) {
            (Some(_), Some(_)) => return Err(invalid(format!("{place}: give command or shell, not both"))),
            (None, None) => return Err(invalid(format!("{place}: give command or shell"))),
            (None, Some(_)) if step.args.is_some() => return Err(invalid(format!("{place}: args are for commands"))),
            (None, Some(_)) if !args.allow_shell && !args.dry_run => {
                return Err(invalid(format!("{place} runs a command of the shell: allow that with --allow-shell")));
            }
            (Some(command), None) => {
                if command == "combo" {
                    return Err(invalid(format!("{place}: a plan cannot run plans")));
                }
                let by_name = step.args.as_ref().is_some_and(Value::is_object);
                if by_name && cds_service::find(command).is_none() {
                    let names: Vec<&str> = cds_service::OPERATIONS.iter().map(|o| o.name).collect();
                    let message = format!("{place}: {command:?} takes no args by name; {} do", names.join(", "));
                    return Err(invalid(message));
                }
                if step.args.as_ref().is_some_and(|args| !args.is_object() && !args.is_array()) {
                    return Err(invalid(format!("{place}: args must be a list, or names with values")));
                }
            }
            (None, Some(_)) => {}
        }
        used(&known, &place, step.args.as_ref().unwrap_or(&Value::Null))?;
        used(&known, &place, &json!(step.shell))?;
        known.extend(step.output_var.as_deref());
    }
    used(&known, "final_output", plan.final_output.as_ref().unwrap_or(&Value::Null))
}

fn dry(plan: &Plan) -> Done {
    let mut text = format!("{}\n", plan.name);
    if !plan.description.is_empty() {
        text.push_str(&format!("{}\n", plan.description.trim()));
    }
    for (i, step) in plan.steps.iter().enumerate() {
        let what = match (&step.command, &step.shell) {
            (Some(command), _) => format!("cds {command} {}", step.args.as_ref().map(words).unwrap_or_default()),
            (None, shell) => format!("sh: {}", shell.as_deref().unwrap_or_default()),
        };
        let kept = step.output_var.as_ref().map(|name| format!(" -> ${{{name}}}")).unwrap_or_default();
        text.push_str(&format!("{}. {}: {}{kept}\n", i + 1, step.name, what.trim_end()));
    }
    print(&Printable::text(text))?;
    note("nothing was run: leave out --dry-run to do it");
    Ok(exit::FOUND)
}

fn words(args: &Value) -> String {
    match args {
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// A value as a word of a command line.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn ask(common: &Common, command: &str, args: Option<&Value>, variables: &Variables) -> Result<Value, Error> {
    match filled(args.unwrap_or(&json!([])), variables)? {
        Value::Object(given) => operation(common, command, given),
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(plain).collect();
            own(common, command, &list)
        }
        _ => Err(invalid("args must be a list, or names with values")),
    }
}

/// An operation of the table, asked as every door asks it.
fn operation(common: &Common, command: &str, given: Map<String, Value>) -> Result<Value, Error> {
    let root = common.root.clone().unwrap_or_else(|| find_root(Path::new(".")));
    let engine = open(common, &root, None, None)?;
    progress::with_bar(&engine, cds_engine::Engine::ensure_indexed)?;
    let operation = cds_service::find(command).ok_or_else(|| invalid(format!("no operation {command:?}")))?;
    let answer = operation.check(given).and_then(|given| operation.call(&engine, given));
    let answer = answer.map_err(|fault| invalid(fault.message))?;
    serde_json::from_str(answer.get()).map_err(|e| invalid(e.to_string()))
}

/// This very program, as a user runs it.
fn own(common: &Common, command: &str, args: &[String]) -> Result<Value, Error> {
    let io = |e: std::io::Error| Error { kind: ErrorKind::Io, message: e.to_string() };
    let mut process = Command::new(std::env::current_exe().map_err(io)?);
    process.args(["--format", "json", command]).args(args);
    for (flag, value) in [("--root", &common.root), ("--index-dir", &common.index_dir)] {
        if let Some(value) = value {
            process.arg(flag).arg(value);
        }
    }
    process.args(common.no_update.then_some("--no-update"));
    let output = process.stdin(Stdio::null()).stderr(Stdio::piped()).output().map_err(io)?;
    let said = String::from_utf8_lossy(&output.stderr).trim().trim_start_matches("cds: ").to_owned();
    match output.status.code() {
        Some(0 | 1) => Ok(read(&output.stdout)),
        Some(2) => Err(invalid(said)),
        _ => Err(Error { kind: ErrorKind::NotReady, message: said }),
    }
}

fn shell(line: &str, variables: &Variables) -> Result<Value, Error> {
    let (line, values) = as_parameters(line, variables)?;
    let mut process = Command::new("sh");
    process.arg("-c").arg(&line).envs(values).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = process.output().map_err(|e| Error { kind: ErrorKind::Io, message: format!("sh: {e}") })?;
    if !output.status.success() {
        return Err(invalid(format!("the shell says {}", output.status)));
    }
    Ok(read(&output.stdout))
}

/// A line of the shell whose references are parameters of the shell, and what these are. Values come from code that anybody may have
/// written: the shell puts them in after it has read the line, so that nothing in them is a command, whatever quotes stand around.
fn as_parameters(line: &str, variables: &Variables) -> Result<(String, Vec<(String, String)>), Error> {
    let mut out = String::new();
    let mut values = Vec::new();
    let mut quote = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some((reference, after)) = rest.strip_prefix("${").and_then(|rest| rest.split_once('}')) {
            let name = format!("CDS_VALUE_{}", values.len() + 1);
            // One word each, which ends no quote.
            out.push_str(&match quote {
                None => format!("\"${{{name}}}\""),
                Some('"') => format!("${{{name}}}"),
                Some(_) => format!("'\"${{{name}}}\"'"),
            });
            values.push((name, plain(looked_up(reference, variables)?).replace('\0', "")));
            rest = after;
            continue;
        }
        let taken = match (quote, c) {
            (None | Some('"'), '\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            (None, '\'' | '"') => {
                quote = Some(c);
                1
            }
            (Some(open), _) if open == c => {
                quote = None;
                1
            }
            _ => c.len_utf8(),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    Ok((out, values))
}

/// What a program printed: data where it is that, else text.
fn read(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&text).unwrap_or_else(|_| json!(text.trim_end_matches('\n')))
}

/// A value with all references in it replaced. A text that is one reference becomes what it refers to, whatever that is.
fn filled(value: &Value, variables: &Variables) -> Result<Value, Error> {
    Ok(match value {
        Value::String(text) => match references(text).as_slice() {
            [only] if text.len() == only.len() + 3 => looked_up(only, variables)?.clone(),
            _ => json!(replaced(text, variables)?),
        },
        Value::Array(list) => list.iter().map(|item| filled(item, variables)).collect::<Result<_, _>>()?,
        Value::Object(map) => {
            let pairs = map.iter().map(|(name, item)| Ok((name.clone(), filled(item, variables)?)));
            Value::Object(pairs.collect::<Result<_, Error>>()?)
        }
        other => other.clone(),
    })
}

fn replaced(text: &str, variables: &Variables) -> Result<String, Error> {
    let mut out = text.to_owned();
    for reference in references(text) {
        out = out.replace(&format!("${{{reference}}}"), &plain(looked_up(&reference, variables)?));
    }
    Ok(out)
}

/// What stands between `${` and `}`, each time.
fn references(text: &str) -> Vec<String> {
    text.split("${").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect()
}

fn each_text(value: &Value, take: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(list) => list.iter().for_each(|item| each_text(item, take)),
        Value::Object(map) => map.values().for_each(|item| each_text(item, take)),
        _ => {}
    }
}

/// `found.hits[0].id`
fn looked_up<'a>(reference: &str, variables: &'a Variables) -> Result<&'a Value, Error> {
    let mut steps = reference.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    let name = steps.next().unwrap_or_default();
    let mut value = variables.get(name).ok_or_else(|| invalid(format!("${{{reference}}} is not set")))?;
    for step in steps {
        let next = match value {
            Value::Array(list) => step.parse::<usize>().ok().and_then(|at| list.get(at)),
            value => value.get(step),
        };
        value = next.ok_or_else(|| invalid(format!("${{{reference}}}: there is no {step:?}")))?;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Variables, filled};

    #[test]
    fn values_are_words_of_the_shell_whatever_quotes_stand_around() {
        let evil = "a'b\"c $(touch x) `touch x` ; * \\";
        let variables = Variables::from([("x".to_owned(), json!(evil))]);
        let check = |line: &str, expect: String| {
            let output = super::shell(line, &variables).map_err(|e| e.message);
            assert_eq!(output, Ok(json!(expect)), "{line}");
        };
        check("printf '%s|' ${x}", format!("{evil}|"));
        check("printf '%s|' \"${x}\" '${x}'", format!("{evil}|{evil}|"));
        check("printf '%s|' \"it's ${x}\" \\\"${x}", format!("it's {evil}|\"{evil}|"));
        check("printf '%s|' 'say \"${x}\"'", format!("say \"{evil}\"|"));
    }

    #[test]
    fn references_are_replaced() {
        let found = json!({ "hits": [{ "id": "a.py:f", "line": 3 }], "total": 1 });
        let variables = Variables::from([("found".to_owned(), found.clone()), ("name".to_owned(), json!("f"))]);
        let check = |given: Value, expect: Result<Value, &str>| {
            let result = filled(&given, &variables).map_err(|e| e.message);
            assert_eq!(result.as_ref().map_err(String::as_str), expect.as_ref().map_err(|e| *e), "{given}");
        };
        check(json!("plain"), Ok(json!("plain")));
        check(json!("${name}"), Ok(json!("f")));
        check(json!("${found}"), Ok(found));
        check(json!("${found.hits[0].id}"), Ok(json!("a.py:f")));
        check(json!("${found.hits.0.line}"), Ok(json!(3)));
        check(json!("${name} at ${found.hits[0].line}"), Ok(json!("f at 3")));
        check(json!(["${name}", { "a": "${found.total}" }]), Ok(json!(["f", { "a": 1 }])));
        check(json!("$name {name}"), Ok(json!("$name {name}")));
        check(json!("${no}"), Err("${no} is not set"));
        check(json!("${found.hits[4]}"), Err("${found.hits[4]}: there is no \"4\""));
    }
}
