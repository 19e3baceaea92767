//! What a file, or the files below a folder, define.

use cds_index::{DocumentView, EntityView, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result, checkpoint};
use crate::hydrate::{Hydrator, damaged};

/// Files of a folder that are outlined before the rest is counted only.
const MAX_FILES: usize = 200;

/// An outline.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OutlineRequest {
    /// A file or folder relative to the root; empty: the root.
    pub path: String,
    /// Deepest nesting shown; none: all of a file, the top level of a folder.
    pub depth: Option<u32>,
}

/// The outline of a file or of several.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutlineResponse {
    /// In order of path.
    pub files: Vec<OutlineFile>,
    /// Files below the path in all.
    pub total: usize,
}

/// One file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutlineFile {
    /// Relative to the root.
    pub path: String,
    /// Its language.
    pub language: String,
    /// Number of lines.
    pub lines: u32,
    /// Whether it changed since it was indexed.
    pub stale: bool,
    /// What it defines, in order.
    pub entities: Vec<OutlineEntity>,
}

/// One definition, or a heading of prose.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutlineEntity {
    /// Its id.
    pub id: String,
    /// The language's own word.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// How deep it is nested.
    pub depth: u32,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Everything before the body.
    pub signature: String,
    /// The first line of its doc comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
}

impl Engine {
    /// Outlines a path; one that is not in the index is an error that says why it may be missing.
    pub fn outline(&self, request: &OutlineRequest) -> Result<OutlineResponse> {
        self.limited(|_| self.answer(|snapshot| self.outline_in(snapshot, request)))
    }

    fn outline_in(&self, snapshot: &Snapshot, request: &OutlineRequest) -> Result<OutlineResponse> {
        let path = request.path.trim_start_matches("./").trim_end_matches('/');
        let path = if path == "." { "" } else { path };
        let mut hydrator = Hydrator::new(self, snapshot, Vec::new());
        if let Some(document) = snapshot.document_at(path) {
            let file = outline_file(&mut hydrator, document, request.depth.unwrap_or(u32::MAX))?;
            return Ok(OutlineResponse { files: vec![file], total: 1 });
        }
        let below =
            |d: &DocumentView| path.is_empty() || d.path().strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let inside: Vec<DocumentView> = snapshot.documents().filter(below).collect();
        if inside.is_empty() {
            let message = format!(
                "no file or folder {path:?} in the index: ignored, skipped (see `cds status --problems`) or misspelled"
            );
            return Err(Error { kind: ErrorKind::NotFound, message });
        }
        let depth = request.depth.unwrap_or(0);
        let files = inside.iter().take(MAX_FILES).map(|d| outline_file(&mut hydrator, *d, depth));
        Ok(OutlineResponse { total: inside.len(), files: files.collect::<Result<_>>()? })
    }
}

fn outline_file(hydrator: &mut Hydrator, document: DocumentView, depth: u32) -> Result<OutlineFile> {
    checkpoint()?;
    let file = hydrator.load(document.id)?;
    let facts = file.facts().ok_or_else(|| damaged("the facts of a file"))?;
    let path = document.path();
    let mut entities = Vec::new();
    for (i, (entity, id)) in facts.entities.iter().zip(document.entities()).enumerate() {
        let nesting = facts.scope_depth(i as u32) as u32;
        if nesting > depth {
            continue;
        }
        entities.push(OutlineEntity {
            id: hydrator.snapshot.entity(id).map(EntityView::key).unwrap_or_default(),
            kind: entity.kind.name(),
            name: entity.name.to_string(),
            depth: nesting,
            start_line: entity.span.start_line,
            end_line: entity.span.end_line,
            signature: entity.signature.to_string(),
            doc: entity.doc_comment.as_deref().and_then(|d| d.lines().next()).map(str::to_owned),
        });
    }
    for section in facts.chunks.iter().filter(|c| !c.headings.is_empty() && c.part == 0) {
        let nesting = section.headings.len() as u32 - 1;
        let name = section.headings.last().map(ToString::to_string).unwrap_or_default();
        if nesting <= depth {
            let (start_line, end_line) = (section.span.start_line, section.span.end_line);
            let id = format!("{path}:{start_line}-{end_line}");
            let kind = section.node_type.name();
            entities.push(OutlineEntity {
                id,
                kind,
                signature: name.clone(),
                name,
                depth: nesting,
                start_line,
                end_line,
                doc: None,
            });
        }
    }
    Ok(OutlineFile {
        path: path.to_owned(),
        language: document.language().to_owned(),
        lines: document.lines(),
        stale: hydrator.is_stale(document),
        entities,
    })
}
