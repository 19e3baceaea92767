//! Any request is answered or refused as the caller's mistake.

use cds_engine::{
    Config, Engine, Error, ErrorKind, GrepRequest, Hit, OutlineRequest, ResearchRequest, ResearchResponse,
    RetrieveRequest, SymbolRequest, TraverseRequest,
};
use tempfile::TempDir;

use crate::project::Indexed;
use crate::request::{Asked, read};

thread_local! {
    static EMPTY: (TempDir, Engine) = {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let engine = Engine::open(folder.path(), Config::default()).expect("the folder is there");
        (folder, engine)
    };
    static PROJECT: (Indexed, Engine) = {
        let project = Indexed::new(Indexed::SOURCE);
        let engine = project.engine();
        (project, engine)
    };
}

/// Lines of `field=value` are checked as every operation would, without an index.
pub fn filters(data: &[u8]) {
    let asked = read(data);
    EMPTY.with(|(_, engine)| {
        refused("search", engine.check(&asked.search));
        refused("symbol", engine.check_symbol(&symbol(&asked)));
        refused("grep", engine.check_grep(&grep(&asked)));
        refused("traverse", engine.check_traverse(&traverse(&asked)));
        refused("research", engine.check_research(&research(&asked)));
    });
}

/// The same lines are asked of a small index that is whole.
pub fn requests(data: &[u8]) {
    let asked = read(data);
    PROJECT.with(|(project, engine)| {
        if let Some(response) = refused("search", engine.search(&asked.search)) {
            check_hits(project, &response.hits, asked.search.set.is_empty());
            if let Some(cursor) = response.next_cursor {
                let next = cds_engine::SearchRequest { cursor: Some(cursor), ..asked.search.clone() };
                refused("the next page", engine.search(&next));
            }
        }
        if let Some(response) = refused("symbol", engine.symbol(&symbol(&asked))) {
            check_hits(project, &response.hits, true);
        }
        if let Some(response) = refused("grep", engine.grep(&grep(&asked))) {
            for hit in response.hits {
                let text = project.text(&hit.path).unwrap_or_else(|| panic!("no file {}", hit.path));
                assert_eq!(text.lines().nth(hit.line as usize - 1), Some(hit.text.as_str()), "{hit:?}");
            }
        }
        let ids = [asked.ids.as_slice(), std::slice::from_ref(&asked.search.query)].concat();
        let request =
            RetrieveRequest { ids, snippet: asked.search.snippet.clone(), max_tokens: asked.search.max_tokens };
        if let Some(response) = refused("retrieve", engine.retrieve(&request)) {
            check_hits(project, &response.hits, true);
        }
        let outline = OutlineRequest { path: asked.search.query.clone(), depth: Some(asked.search.depth) };
        refused("outline", engine.outline(&outline));
        refused("similar", engine.similar(asked.ids.first().map_or("", String::as_str), &asked.search));
        let walk = traverse(&asked);
        refused("traverse", engine.traverse(&walk));
        refused("callers", engine.callers(&walk));
        refused("callees", engine.callees(&walk));
        refused("implementations", engine.implementations(&walk));
        refused("dependents", engine.dependents(&walk));
        if let Some(response) = refused("research", engine.research(&research(&asked))) {
            check_findings(project, &response);
        }
        refused("path", engine.path(&walk, asked.ids.last().map_or("", String::as_str)));
    });
}

/// An error must be the caller's to mend, or of a model that is not there.
fn refused<T>(what: &str, answer: Result<T, Error>) -> Option<T> {
    match answer {
        Ok(answer) => Some(answer),
        Err(error) => {
            let is_theirs = matches!(error.kind, ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Model);
            assert!(is_theirs && !error.message.is_empty(), "{what}: {:?}: {error}", error.kind);
            None
        }
    }
}

/// What is shown stands in the file that is named, at the lines that are named.
fn check_hits(project: &Indexed, hits: &[Hit], by_own_weights: bool) {
    for hit in hits {
        check_hits(project, &hit.chunks, by_own_weights);
        if by_own_weights {
            assert!(hit.score.is_none_or(|s| (0.0..=1.0).contains(&s)), "{}: score {:?}", hit.id, hit.score);
        }
        let Some(text) = project.text(&hit.path) else {
            assert_eq!(hit.entity_type, "directory", "{} is no file", hit.path);
            continue;
        };
        let lines = text.lines().count() as u32;
        assert!(1 <= hit.start_line && hit.start_line <= hit.end_line && hit.end_line <= lines, "{hit:?}");
        assert!(hit.end_byte as usize <= text.len() && hit.start_byte <= hit.end_byte, "{hit:?}");
    }
}

/// Every site that is named is a line of a file, and the code beside it stands there.
fn check_findings(project: &Indexed, response: &ResearchResponse) {
    for section in &response.sections {
        assert!(section.findings.len() <= section.total, "{section:?}");
        for finding in &section.findings {
            for site in &finding.via {
                let (path, line) = site.rsplit_once(':').expect("path:line");
                let text = project.text(path).unwrap_or_else(|| panic!("no file {path}"));
                let line = text.lines().nth(line.parse::<usize>().expect("a line") - 1);
                let line = line.unwrap_or_else(|| panic!("no line {site}"));
                let is_last = finding.via.last() == Some(site) && !finding.text.is_empty();
                assert!(!is_last || line.trim().starts_with(&finding.text), "{site}: {}", finding.text);
            }
        }
    }
}

fn research(asked: &Asked) -> ResearchRequest {
    ResearchRequest {
        query: asked.search.query.clone(),
        focus: asked.focus.clone(),
        depth: Some(asked.search.depth).filter(|depth| *depth > 0),
        limit: asked.search.limit,
        certainty: asked.certainty.clone(),
        filters: asked.search.filters.clone(),
        max_tokens: asked.search.max_tokens,
    }
}

fn symbol(asked: &Asked) -> SymbolRequest {
    SymbolRequest {
        name: asked.search.query.clone(),
        ignore_case: asked.switches.ignore_case,
        fuzzy: asked.switches.fuzzy,
        filters: asked.search.filters.clone(),
        limit: asked.search.limit,
        snippet: asked.search.snippet.clone(),
    }
}

fn grep(asked: &Asked) -> GrepRequest {
    GrepRequest {
        pattern: asked.search.query.clone(),
        ignore_case: asked.switches.ignore_case,
        fixed: asked.switches.fixed,
        word: asked.switches.word,
        filters: asked.search.filters.clone(),
        limit: asked.search.limit,
    }
}

fn traverse(asked: &Asked) -> TraverseRequest {
    TraverseRequest {
        from: asked.ids.clone(),
        direction: asked.direction.clone(),
        depth: Some(asked.search.depth),
        edges: asked.edges.clone(),
        types: asked.search.filters.types.clone(),
        certainty: asked.certainty.clone(),
        limit: asked.search.limit,
    }
}
