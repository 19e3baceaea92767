//! Whatever stands in the files of an index: an answer, or an error that says what to do.

use cds_engine::{
    Engine, GrepRequest, OutlineRequest, ResearchRequest, RetrieveRequest, SearchRequest, SymbolRequest,
    TraverseRequest,
};

use crate::project::{Indexed, is_told};

thread_local! {
    static PROJECT: Indexed = Indexed::new(Indexed::SOURCE);
}

/// The first byte chooses a file of the index, the second what happens to it, the rest says where and with what.
pub fn index_readers(data: &[u8]) {
    let [which, how, rest @ ..] = data else { return };
    PROJECT.with(|project| {
        let (file, whole) = &project.files()[usize::from(*which) % project.files().len()];
        let damaged = damaged(whole, *how, rest);
        if damaged == *whole {
            return;
        }
        project.damage(file, Some(&damaged));
        ask_everything(&project.engine());
        project.heal(file);
    });
}

/// Two bytes are a place, the third is what stands there then.
fn damaged(whole: &[u8], how: u8, rest: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let place = |low: u8, high: u8| usize::from(u16::from_le_bytes([low, high])) % whole.len().max(1);
    let how = how % 5;
    match how {
        // Single bytes.
        0 | 1 if !whole.is_empty() => {
            for change in rest.chunks_exact(3) {
                let at = place(change[0], change[1]);
                bytes[at] = if how == 0 { change[2] } else { bytes[at] ^ change[2] };
            }
        }
        // A stretch.
        2 if !whole.is_empty() => {
            if let [low, high, with @ ..] = rest {
                let at = place(*low, *high);
                let len = with.len().min(whole.len() - at);
                bytes[at..at + len].copy_from_slice(&with[..len]);
            }
        }
        // The end.
        3 => {
            if let [low, high, more @ ..] = rest {
                bytes.truncate(place(*low, *high));
                bytes.extend_from_slice(more);
            }
        }
        // All of it.
        _ => bytes = rest.to_vec(),
    }
    bytes
}

/// Asks for everything a caller can ask for.
pub(crate) fn ask_everything(engine: &Engine) {
    let told = |what: &str, answer: Result<(), cds_engine::Error>| {
        if let Err(error) = answer {
            assert!(is_told(&error), "{what}: {:?}: {error}", error.kind);
        }
    };
    for (query, preset, granularity) in [
        ("first second", "default", "file"),
        ("sec* \"words about\"", "cds-index", "chunk"),
        ("what keeps what was read", "hybrid", "both"),
        ("load", "bm25", "entity"),
    ] {
        let request = SearchRequest {
            query: query.to_owned(),
            preset: Some(preset.to_owned()),
            granularity: Some(granularity.to_owned()),
            depth: 2,
            ..SearchRequest::default()
        };
        told("search", engine.search(&request).map(drop));
    }
    for (name, ignore_case, fuzzy) in [("Cache", false, false), ("sec*", true, false), ("hepler", false, true)] {
        let request = SymbolRequest { name: name.to_owned(), ignore_case, fuzzy, ..SymbolRequest::default() };
        told("symbol", engine.symbol(&request).map(drop));
    }
    for path in ["", "app/main.py"] {
        told("outline", engine.outline(&OutlineRequest { path: path.to_owned(), depth: None }).map(drop));
    }
    let ids = ["app/main.py:Cache.first", "app", "notes.md:1-3", "helper"];
    let request = RetrieveRequest { ids: ids.map(str::to_owned).to_vec(), ..RetrieveRequest::default() };
    told("retrieve", engine.retrieve(&request).map(drop));
    let grep = GrepRequest { pattern: "[a-z]+d".to_owned(), limit: Some(20), ..GrepRequest::default() };
    told("grep", engine.grep(&grep).map(drop));
    let walk = |from: &str| TraverseRequest {
        from: vec![from.to_owned()],
        direction: Some("both".to_owned()),
        depth: Some(4),
        ..TraverseRequest::default()
    };
    told("traverse", engine.traverse(&walk("app/main.py:Cache")).map(drop));
    told("callers", engine.callers(&walk("helper")).map(drop));
    told("implementations", engine.implementations(&walk("Store")).map(drop));
    told("dependents", engine.dependents(&walk("app/store.py")).map(drop));
    told("path", engine.path(&walk("first"), "load").map(drop));
    for query in ["what would break if load changed", "Store", "dependency map", "path from first to load"] {
        let request = ResearchRequest { query: query.to_owned(), ..ResearchRequest::default() };
        told("research", engine.research(&request).map(drop));
    }
    told("export", engine.export_graph(&mut |_| {}));
    told("similar", engine.similar("app/main.py:8", &SearchRequest::default()).map(drop));
    told("status", engine.status(true).map(drop));
}
