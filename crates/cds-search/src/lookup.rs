//! Names to entities, and what to suggest when there is none. An exact look-up never answers for another name.

use cds_index::{EntityView, NameMatch, Snapshot};
use cds_model::{EntityId, EntityType};

/// How a name is looked up.
#[derive(Clone, Copy, Debug, Default)]
pub struct LookupOptions {
    /// Whether case counts not.
    pub ignore_case: bool,
    /// Whether names a letter or two away will do.
    pub fuzzy: bool,
}

/// What a look-up found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The entities, declarations of types first, then in order of path and line.
    pub entities: Vec<EntityId>,
    /// How they answer the name: `exact`, `prefix`, `any_case` or `fuzzy`.
    pub how: &'static str,
    /// Names near it, when there is none.
    pub suggestions: Vec<String>,
}

/// Bearers of one name that are looked at; more than these no one reads.
const MOST: usize = 100_000;

/// Names suggested when there is none.
const SUGGESTIONS: usize = 5;

/// Looks up `name`: a name, a prefix (`Auth*`), a path, a qualified name (`module.Class.method`, `Class::method`) or
/// an id (`path/file.py:Class.method`).
pub fn lookup(snapshot: &Snapshot, name: &str, options: LookupOptions) -> Found {
    let mut found = resolve(snapshot, name, options);
    if found.entities.is_empty() {
        let last = segments(name.trim()).pop().unwrap_or_default();
        found.suggestions = suggest(snapshot, last.strip_suffix('*').unwrap_or(last));
    }
    found
}

/// The same without suggestions, which take longest.
pub fn resolve(snapshot: &Snapshot, name: &str, options: LookupOptions) -> Found {
    let name = name.trim();
    if let Some(root) = snapshot.root().filter(|_| matches!(name, "." | "./")) {
        return Found { entities: vec![root.id], how: "exact", suggestions: Vec::new() };
    }
    let name = name.trim_start_matches("./");
    if let Some(document) = snapshot.document_at(name) {
        return Found { entities: vec![document.entity()], how: "exact", suggestions: Vec::new() };
    }
    if let Some((shared, ordinal)) = split_ordinal(name) {
        let mut found = resolve(snapshot, shared, options);
        found.entities.retain(|&id| snapshot.entity(id).is_some_and(|e| e.ordinal() == ordinal));
        if !found.entities.is_empty() {
            return found;
        }
    }
    let (path, dotted) = split_path(snapshot, name);
    // Files (`login.py`) and modules (`App.Accounts`) have dots in their own names, and files stand in folders: what
    // is written is one name, or a path, or a qualified name.
    let parts = segments(dotted);
    let folders: Vec<&str> = dotted.split('/').filter(|p| !p.is_empty()).collect();
    let mut ways = vec![vec![dotted], folders, parts];
    ways.dedup();
    let mut found = Found::default();
    for way in ways {
        found = look_up_parts(snapshot, path, way, options);
        if !found.entities.is_empty() {
            // An id means what it says, also where its last part is the end of another id.
            let is_own = |id: &EntityId| path.is_some() && snapshot.entity(*id).is_some_and(|e| e.shared_key() == name);
            if found.entities.iter().any(is_own) {
                found.entities.retain(is_own);
            }
            return found;
        }
    }
    found
}

/// Looks up one reading of a name: scopes, then the entity's own name.
fn look_up_parts(snapshot: &Snapshot, path: Option<&str>, mut scopes: Vec<&str>, options: LookupOptions) -> Found {
    let Some(last) = scopes.pop().filter(|l| !l.is_empty()) else { return Found::default() };
    let prefix = last.strip_suffix('*');
    let own = prefix.unwrap_or(last);
    let (matching, how) = match (prefix.is_some(), options.ignore_case, options.fuzzy) {
        (true, false, _) => (NameMatch::Prefix, "prefix"),
        (true, true, _) => (NameMatch::PrefixAnyCase, "prefix"),
        (false, false, false) => (NameMatch::Exact, "exact"),
        (false, true, false) => (NameMatch::AnyCase, "any_case"),
        (false, _, true) => (near(own), "fuzzy"),
    };
    let fits = |entity: EntityView| {
        path.is_none_or(|p| entity.path() == p) && (scopes.is_empty() || ends_with(&chain(entity), &scopes))
    };
    let mut entities: Vec<EntityId> = snapshot.find_names(own, matching, MOST);
    entities.retain(|&id| snapshot.entity(id).is_some_and(fits));
    if how != "fuzzy" {
        entities.sort_by_key(|&id| snapshot.entity(id).map(|e| (order(e), id)));
    }
    Found { entities, how, suggestions: Vec::new() }
}

/// Longer names are not misspelled but something else, and their automaton takes seconds to build.
const MAX_FUZZY: usize = 64;

/// How names near this one are asked for: no letter may differ in short names, two in long ones.
fn near(name: &str) -> NameMatch {
    match name.chars().count() {
        0..=2 => NameMatch::Fuzzy(0),
        3..=5 => NameMatch::Fuzzy(1),
        6..=MAX_FUZZY => NameMatch::Fuzzy(2),
        _ => NameMatch::AnyCase,
    }
}

/// Types before functions before files before folders; within them source before tests.
fn order(entity: EntityView) -> (u8, u8) {
    let rank = match entity.entity_type() {
        EntityType::Class if matches!(entity.kind().name(), "impl" | "extension") => 1,
        EntityType::Class => 0,
        EntityType::Function => 2,
        EntityType::File => 3,
        EntityType::Directory => 4,
        EntityType::External => 5,
    };
    (rank, u8::from(entity.is_test()))
}

/// `path/file.py:Outer.inner` to its two halves, when the first is a file of the index.
fn split_path<'a>(snapshot: &Snapshot, name: &'a str) -> (Option<&'a str>, &'a str) {
    let halves = name.match_indices(':').map(|(i, _)| (&name[..i], &name[i + 1..]));
    for (path, rest) in halves {
        if !rest.starts_with(':') && snapshot.document_at(path).is_some() {
            return (Some(path), rest);
        }
    }
    (None, name)
}

/// `path:Outer.inner#2` to the id that several share and which of them is meant.
fn split_ordinal(name: &str) -> Option<(&str, u32)> {
    let (shared, ordinal) = name.rsplit_once('#')?;
    let is_number = ordinal.starts_with(|c: char| c.is_ascii_digit() && c != '0');
    Some((shared, ordinal.parse().ok().filter(|&n| is_number && n > 1)?))
}

/// The parts of a qualified name, whatever the language writes between them.
fn segments(dotted: &str) -> Vec<&str> {
    let parts = dotted.split(['.', ':', '#', '/', '\\']).flat_map(|p| p.split("->"));
    parts.map(|p| p.trim_end_matches("()")).filter(|p| !p.is_empty()).collect()
}

/// Everything around an entity, from the root: folders, the file's stem, scopes. Around files and folders are folders.
fn chain(entity: EntityView) -> Vec<String> {
    let path = entity.path();
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = file.split('.').next().unwrap_or(file);
    let mut chain: Vec<String> = folders.split('/').filter(|f| !f.is_empty()).map(str::to_owned).collect();
    if entity.local().is_none() {
        return chain;
    }
    // These files speak for their folder.
    if !matches!(stem, "__init__" | "mod" | "index" | "lib" | "main") {
        chain.push(stem.to_owned());
    }
    let mut scopes = entity.scope_path();
    scopes.pop();
    chain.extend(scopes.iter().flat_map(|s| s.split('.')).map(str::to_owned));
    chain
}

fn ends_with(chain: &[String], scopes: &[&str]) -> bool {
    chain.len() >= scopes.len() && chain[chain.len() - scopes.len()..].iter().zip(scopes).all(|(a, b)| a == b)
}

fn suggest(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let prefix: String = name.chars().take(4).collect();
    for how in [NameMatch::AnyCase, near(name), NameMatch::PrefixAnyCase] {
        let asked = if how == NameMatch::PrefixAnyCase { prefix.as_str() } else { name };
        if asked.is_empty() {
            continue;
        }
        for id in snapshot.find_names(asked, how, 40) {
            let near = snapshot.entity(id).map_or("", EntityView::name);
            if names.len() < SUGGESTIONS && near != name && !names.iter().any(|n| n == near) {
                names.push(near.to_owned());
            }
        }
    }
    names
}
