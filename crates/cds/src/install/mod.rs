//! `cds install` and `cds uninstall`: an entry in an agent's settings and a block in its instructions. Nothing else is touched.

mod agents;
mod block;
mod jsonc;

use std::path::{Path, PathBuf};

use cds_engine::{Error, ErrorKind, find_root, refuse_links, write_inside};

use crate::args::{Common, InstallArgs};
use crate::commands::Done;
use crate::exit;
use crate::output::{Printable, note, print};
use agents::{AGENTS, Agent, INSTRUCTIONS, Syntax};

/// What the server is called.
const NAME: &str = "cds";

/// A file as it is and as it is to be; none: it is not there.
struct Change {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
}

fn invalid(message: String) -> Error {
    Error { kind: ErrorKind::Invalid, message }
}

pub(crate) fn run(common: &Common, args: &InstallArgs, removes: bool) -> Done {
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    let agents: Vec<&Agent> = args
        .agents
        .iter()
        .map(|name| {
            let known = AGENTS.iter().find(|agent| agent.name == name);
            known.ok_or_else(|| invalid(format!("unknown agent {name:?}; known are {}", names.join(", "))))
        })
        .collect::<Result<_, _>>()?;
    let folder = match (args.user, std::env::home_dir()) {
        (true, Some(home)) => home,
        (true, None) => return Err(invalid("there is no home folder: leave out --user".to_owned()).into()),
        (false, _) => common.root.clone().unwrap_or_else(|| find_root(Path::new("."))),
    };
    let command = command();
    let mut text = String::new();
    let below = |path: &str| if args.user { below_home(&folder, path) } else { folder.join(path) };
    let settings = |agent: &Agent| below(if args.user { agent.user } else { agent.project });
    let instructions = |agent: &Agent| {
        let file = if args.user { agent.user_instructions } else { Some(agent.reads(&folder)) };
        file.map(below)
    };
    for agent in &agents {
        let path = settings(agent);
        let change = |path: &Path, edit: &dyn Fn(&str) -> Result<String, Error>| {
            // A cloned repository may bring links; a user's own lead where the user wants them to.
            let within = (!args.user).then_some(folder.as_path());
            change(within, path, edit)
        };
        let mut changes = vec![change(&path, &|before| entry(agent, &path, before, &command, removes))?];
        if let Some(path) = instructions(agent) {
            // Agents that share a file share the block in it.
            let is_shared = removes
                && AGENTS.iter().filter(|other| !agents.iter().any(|agent| agent.name == other.name)).any(|other| {
                    let settings = settings(other);
                    let text = std::fs::read_to_string(&settings).unwrap_or_default();
                    let without = entry(other, &settings, &text, &command, true);
                    instructions(other).as_ref() == Some(&path) && without.is_ok_and(|without| without != text)
                });
            changes.push(change(&path, &|before| {
                Ok(match (removes, is_shared) {
                    (true, true) => before.to_owned(),
                    (true, false) => without_preface(agent, &block::remove(before)),
                    (false, _) => block::set(&with_preface(agent, before), INSTRUCTIONS),
                })
            })?);
        }
        for change in changes {
            let shown = change.path.strip_prefix(&folder).unwrap_or(&change.path).display().to_string();
            let word = match (&change.before, &change.after) {
                (before, after) if before == after => "unchanged",
                (None, _) => "new",
                (_, None) => "removed",
                _ => "changed",
            };
            text.push_str(&format!("{}: {word} {shown}\n", agent.name));
            if args.dry_run {
                text.push_str(&difference(&change));
            } else {
                apply(&change, &folder, args.user)?;
            }
        }
    }
    print(&Printable::text(text))?;
    if args.dry_run {
        note("nothing was written: leave out --dry-run to do it");
    }
    Ok(exit::FOUND)
}

/// A file of a user's. What lies in `.config` lies where the system says that is.
fn below_home(home: &Path, path: &str) -> PathBuf {
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    match (path.strip_prefix(".config/"), config) {
        (Some(rest), Some(config)) => config.join(rest),
        _ => home.join(path),
    }
}

/// The text that our block goes into. A file that holds nothing but the block begins as its agent wants it to.
fn with_preface(agent: &Agent, text: &str) -> String {
    let is_ours = block::remove(text).trim().is_empty();
    if is_ours { agent.preface.to_owned() } else { text.to_owned() }
}

fn without_preface(agent: &Agent, text: &str) -> String {
    if text.trim() == agent.preface.trim() { String::new() } else { text.to_owned() }
}

/// How agents start us: by name where that finds this very program, else by its path.
fn command() -> String {
    let own = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let found = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path).map(|folder| folder.join(NAME)).find(|file| file.is_file())?.canonicalize().ok()
    });
    match own {
        Some(own) if found.as_ref() != Some(&own) => own.display().to_string(),
        _ => NAME.to_owned(),
    }
}

/// A file as it is to be. Within a project no links are followed.
fn change(
    within: Option<&Path>,
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, Error>,
) -> Result<Change, Error> {
    if let Some(folder) = within {
        let refused = |e: std::io::Error| invalid(format!("{}: {e}", path.display()));
        refuse_links(folder, path).map_err(refused)?;
    }
    let before = match std::fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(Error { kind: ErrorKind::Io, message: format!("{}: {e}", path.display()) }),
    };
    let after = edit(before.as_deref().unwrap_or_default())?;
    // What is left when ours is gone was there for ours; what never had ours stays, empty or not.
    let is_same = before.as_deref() == Some(after.as_str());
    let after = Some(after).filter(|text| is_same || !is_shell(text));
    Ok(Change { path: path.to_owned(), before, after })
}

/// Whether only what we once wrapped an entry in is left.
fn is_shell(text: &str) -> bool {
    let plain: String = text.split_whitespace().collect();
    let shells = AGENTS.iter().map(|agent| format!("{{\"{}\":{{}}}}", agent.key));
    plain.is_empty() || shells.into_iter().any(|shell| plain == shell)
}

/// The settings with our entry, or without it.
fn entry(agent: &Agent, path: &Path, text: &str, command: &str, removes: bool) -> Result<String, Error> {
    let way = agent.way(text);
    let value = agent.value(command);
    let unreadable = || {
        let by_hand = serde_json::json!({ agent.key: { NAME: &value } });
        invalid(format!("{} cannot be read, and is left as it is; by hand: {by_hand}", path.display()))
    };
    let foreign = || invalid(format!("{} has a server {NAME:?} that is not ours: rename or remove it", path.display()));
    if agent.syntax == Syntax::Toml {
        let mut document: toml_edit::DocumentMut = text.parse().map_err(|_| unreadable())?;
        let known = document.get(agent.key).and_then(|servers| servers.get(NAME));
        let ours = |item: &toml_edit::Item| {
            let command = item.get("command").and_then(|c| c.as_str()).unwrap_or_default();
            let args = item.get("args").and_then(|a| a.as_array()).and_then(|a| a.get(0)?.as_str());
            Agent::is_ours(&serde_json::json!({ "command": command, "args": [args] }))
        };
        let is_foreign = known.is_some_and(|known| !ours(known));
        if removes {
            if known.is_some()
                && !is_foreign
                && let Some(servers) = document.get_mut(agent.key).and_then(toml_edit::Item::as_table_like_mut)
            {
                servers.remove(NAME);
                if servers.is_empty() {
                    document.remove(agent.key);
                }
            }
            return Ok(document.to_string());
        }
        if is_foreign {
            return Err(foreign());
        }
        let servers = document.entry(agent.key).or_insert_with(|| {
            let mut table = toml_edit::Table::new();
            table.set_implicit(true);
            toml_edit::Item::Table(table)
        });
        let mut server = toml_edit::Table::new();
        server.insert("command", toml_edit::value(command));
        server.insert("args", toml_edit::value(toml_edit::Array::from_iter(["mcp"])));
        servers.as_table_like_mut().ok_or_else(unreadable)?.insert(NAME, toml_edit::Item::Table(server));
        return Ok(document.to_string());
    }
    let known = jsonc::get(text, &way).map_err(|_| unreadable())?;
    let is_foreign = known.as_ref().is_some_and(|known| !Agent::is_ours(known));
    match (removes, is_foreign) {
        (true, true) => Ok(text.to_owned()),
        (true, false) => jsonc::remove(text, &way).map_err(|_| unreadable()),
        (false, true) => Err(foreign()),
        (false, false) if known.as_ref() == Some(&value) => Ok(text.to_owned()),
        (false, false) => jsonc::set(text, &way, &value).map_err(|_| unreadable()),
    }
}

fn apply(change: &Change, within: &Path, for_user: bool) -> Result<(), Error> {
    let io = |e: std::io::Error| Error { kind: ErrorKind::Io, message: format!("{}: {e}", change.path.display()) };
    match (&change.before, &change.after) {
        (before, after) if before == after => Ok(()),
        (_, None) => {
            std::fs::remove_file(&change.path).map_err(io)?;
            // Folders that are empty now were made for it; one that is not stays.
            let folders =
                change.path.ancestors().skip(1).take_while(|folder| *folder != within && folder.starts_with(within));
            let _ = folders.map(std::fs::remove_dir).take_while(Result::is_ok).count();
            Ok(())
        }
        (_, Some(text)) if !for_user => write_inside(within, &change.path, text).map_err(io),
        (_, Some(text)) => {
            if let Some(folder) = change.path.parent() {
                std::fs::create_dir_all(folder).map_err(io)?;
            }
            std::fs::write(&change.path, text).map_err(io)
        }
    }
}

/// Lines that go and lines that come.
fn difference(change: &Change) -> String {
    let lines =
        |text: &Option<String>| text.as_deref().unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (lines(&change.before), lines(&change.after));
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - same;
    let end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let gone = before[same..before.len() - end].iter().map(|line| format!("  - {line}\n"));
    let come = after[same..after.len() - end].iter().map(|line| format!("  + {line}\n"));
    gone.chain(come).collect()
}
