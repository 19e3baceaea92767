//! Requests as lines of `field=value`: a form that people can write, and that stays a request when bytes change.

use cds_engine::SearchRequest;

/// A request of any operation; each takes what it needs of it.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) search: SearchRequest,
    pub(crate) ids: Vec<String>,
    pub(crate) edges: Vec<String>,
    pub(crate) direction: Option<String>,
    pub(crate) certainty: Option<String>,
    pub(crate) focus: Option<String>,
    pub(crate) switches: Switches,
}

/// What is on or off.
#[derive(Default)]
pub(crate) struct Switches {
    pub(crate) ignore_case: bool,
    pub(crate) fixed: bool,
    pub(crate) word: bool,
    pub(crate) fuzzy: bool,
}

/// Reads lines; one that is no field is another line of the query.
pub(crate) fn read(data: &[u8]) -> Asked {
    let text = String::from_utf8_lossy(data);
    let mut asked = Asked::default();
    for line in text.split('\n') {
        let Some((field, value)) = line.split_once('=') else {
            asked.search.query.push_str(line);
            continue;
        };
        set(&mut asked, field, value);
    }
    asked
}

fn set(asked: &mut Asked, field: &str, value: &str) {
    let text = || Some(value.to_owned());
    let number = || value.parse().ok();
    let share = || value.parse::<f32>().ok();
    let flag = || value == "1";
    let search = &mut asked.search;
    let filters = &mut search.filters;
    match field {
        "query" => value.clone_into(&mut search.query),
        "limit" => search.limit = number(),
        "granularity" => search.granularity = text(),
        "chunks" => search.chunks_per_file = number(),
        "preset" => search.preset = text(),
        "snippet" => search.snippet = text(),
        "focus" => asked.focus = text(),
        "tokens" => search.max_tokens = number(),
        "threshold" => search.upper_threshold = number(),
        "cursor" => search.cursor = text(),
        "similarity" => search.min_similarity = share(),
        "weight" => search.semantic_weight = share(),
        "alpha" => search.alpha = share(),
        "mmr" => search.mmr = share(),
        "files" => search.files = number(),
        "no_bm25" => search.no_bm25 = flag(),
        "rerank" => search.rerank = Some(flag()),
        "depth" => search.depth = value.parse().unwrap_or_default(),
        "set" => {
            if let Some((name, number)) = value.split_once(':') {
                search.set.push((name.to_owned(), number.parse().unwrap_or_default()));
            }
        }
        "lang" => filters.languages.push(value.to_owned()),
        "path" => filters.paths.push(value.to_owned()),
        "exclude" => filters.exclude.push(value.to_owned()),
        "type" => filters.types.push(value.to_owned()),
        "kind" => filters.kinds.push(value.to_owned()),
        "name" => filters.node_name = text(),
        "parent" => filters.parent_context = text(),
        "scope" => {
            let (least, most) = value.split_once('-').unwrap_or((value, value));
            filters.scope_depth = least.parse().ok().zip(most.parse().ok());
        }
        "defines" => filters.has_definitions.push(value.to_owned()),
        "uses" => filters.has_references.push(value.to_owned()),
        "conforms" => filters.conformances.push(value.to_owned()),
        "test" => filters.is_test = Some(flag()),
        "public" => filters.is_public = Some(flag()),
        "since" => filters.modified_since = text(),
        "id" => asked.ids.push(value.to_owned()),
        "edge" => asked.edges.push(value.to_owned()),
        "direction" => asked.direction = text(),
        "certainty" => asked.certainty = text(),
        "ignore_case" => asked.switches.ignore_case = flag(),
        "fixed" => asked.switches.fixed = flag(),
        "word" => asked.switches.word = flag(),
        "fuzzy" => asked.switches.fuzzy = flag(),
        _ => {}
    }
}
