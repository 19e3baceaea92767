//! All that a snapshot says, as text: two that dump alike answer alike. Where things lie on disk, and when they were written, is not in it.

use std::collections::BTreeMap;
use std::fmt::Write;

use cds_model::{ChunkId, EntityId};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, TERMINATED, Term, postings::Postings};

use crate::store::rows::ChunkRow;
use crate::{ChunkView, Result, Snapshot};

impl Snapshot {
    /// All that it says, line by line.
    pub fn dump(&self) -> Result<String> {
        let mut out = String::new();
        dump_files(self, &mut out);
        dump_entities(self, &mut out);
        dump_chunks(self, &mut out)?;
        dump_graph(self, &mut out);
        self.names().each(|name, ids| line(&mut out, format_args!("name {name} {ids:?}")));
        self.uses().each(|name, chunks| line(&mut out, format_args!("use {name} {chunks:?}")));
        dump_text(self, &mut out)?;
        for problem in self.problems()? {
            line(
                &mut out,
                format_args!("problem {} {} {} {}", problem.path, problem.reason, problem.detail, problem.skipped),
            );
        }
        line(&mut out, format_args!("counts {:?}", self.manifest().counts));
        if let Some(space) = &self.manifest().space {
            line(&mut out, format_args!("space {space:?}"));
        }
        Ok(out)
    }
}

fn line(out: &mut String, text: std::fmt::Arguments) {
    let _ = writeln!(out, "{text}");
}

fn dump_files(snapshot: &Snapshot, out: &mut String) {
    for document in snapshot.documents() {
        let row = document.row();
        let mut languages = snapshot.manifest().languages.clone();
        languages.retain(|language| document.has_language(language));
        languages.sort();
        let (path, language, hash) =
            (document.path(), document.language(), &blake3::Hash::from_bytes(row.hash).to_hex()[..12]);
        line(
            out,
            format_args!(
                "file {path} {language} of {languages:?} {hash} size {} chunks {}+{} entities {}+{} lines {}/{} role {} users {} length {:08x} \
                 references {} outside {}",
                row.size,
                row.first_chunk,
                row.chunks,
                row.entity,
                row.entities,
                row.lines,
                row.function_lines,
                row.role,
                row.users,
                row.vector_length.to_bits(),
                row.references,
                row.calls_outside,
            ),
        );
    }
}

fn dump_entities(snapshot: &Snapshot, out: &mut String) {
    for (i, row) in snapshot.entity_rows().all().iter().enumerate() {
        let Some(entity) = snapshot.entity(EntityId(i as u32)) else { continue };
        let importance = snapshot.importance(EntityId(i as u32)).to_bits();
        let (file, parent, chunk) = (row.file, row.parent, row.chunk);
        line(
            out,
            format_args!(
                "entity {i} {} {:?} {} in {file} below {parent} chunk {chunk} lines {}-{} flags {} depth {} ordinal {} importance {importance:08x} \
                 signature {:?} conforms {:?}",
                entity.name(),
                entity.scope(),
                entity.kind().name(),
                row.start_line,
                row.end_line,
                row.flags,
                row.depth,
                row.ordinal,
                entity.signature(),
                entity.conformances().collect::<Vec<_>>(),
            ),
        );
    }
}

fn dump_chunks(snapshot: &Snapshot, out: &mut String) -> Result<()> {
    let vectors = snapshot.vectors()?;
    for (i, row) in snapshot.chunk_rows().all().iter().enumerate() {
        let quantised = vectors.as_ref().and_then(|vectors| vectors.quantised(i as u32));
        let vector = quantised.map(|q| {
            let codes: Vec<u8> = q.codes.iter().map(|x| x.cast_unsigned()).collect();
            let offset = q.offset.map(|offset| (offset.product.to_bits(), offset.length.to_bits()));
            (q.scale.to_bits(), crc32fast::hash(&codes), offset)
        });
        // Languages are numbered as they come.
        let language = snapshot.chunk(ChunkId(i as u32)).map(ChunkView::language);
        let row = ChunkRow { language: 0, ..*row };
        line(out, format_args!("chunk {i} {row:?} {language:?} vector {vector:?}"));
    }
    Ok(())
}

fn dump_graph(snapshot: &Snapshot, out: &mut String) {
    let graph = snapshot.graph();
    for node in 0..snapshot.entity_count() as u32 {
        for (at, edge) in graph.outgoing(node) {
            let (kind, how) = (edge.kind(), edge.certainty());
            let (to, candidates, sites, on) = (edge.to, edge.candidates(), edge.sites(), edge.line());
            let alias = snapshot.alias(at);
            line(out, format_args!("edge {node} {to} {kind:?} {how:?} {candidates} {sites} {on} {alias:?}"));
        }
        let incoming: Vec<(u32, u32)> = graph.incoming(node).map(|(at, from, _)| (at, from)).collect();
        if !incoming.is_empty() {
            line(out, format_args!("incoming {node} {incoming:?}"));
        }
    }
    for row in snapshot.unresolved_rows() {
        line(out, format_args!("unresolved {row:?}"));
    }
}

fn dump_text(snapshot: &Snapshot, out: &mut String) -> Result<()> {
    let fields = snapshot.fields();
    let all: [(&str, Field); 5] = [
        ("content", fields.content),
        ("symbols", fields.symbols),
        ("signature", fields.signature),
        ("doc", fields.doc),
        ("path", fields.path),
    ];
    for (name, field) in all {
        let mut postings: BTreeMap<Vec<u8>, Vec<(ChunkId, u32)>> = BTreeMap::new();
        let mut lengths: Vec<(ChunkId, u8)> = Vec::new();
        for segment in snapshot.text_segments() {
            let inverted = segment.reader.inverted_index(field)?;
            let norms = segment.reader.get_fieldnorms_reader(field)?;
            let docs =
                (0..segment.reader.max_doc()).filter_map(|doc| Some((segment.chunk(doc)?, norms.fieldnorm_id(doc))));
            lengths.extend(docs);
            let mut terms = inverted.terms().stream().map_err(tantivy::TantivyError::from)?;
            while terms.advance() {
                let list = inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::WithFreqs);
                let mut list = list.map_err(tantivy::TantivyError::from)?;
                let found = postings.entry(terms.key().to_vec()).or_default();
                while list.doc() != TERMINATED {
                    found.extend(segment.chunk(list.doc()).map(|chunk| (chunk, list.term_freq())));
                    list.advance();
                }
            }
        }
        lengths.sort_unstable();
        line(out, format_args!("field {name} terms {} lengths {lengths:?}", snapshot.token_count(field)?));
        for (term, mut chunks) in postings {
            let text = String::from_utf8_lossy(&term);
            let count = snapshot.doc_freq(&Term::from_field_text(field, &text))?;
            chunks.sort_unstable();
            // A term that only what is gone had is not there.
            if count > 0 || !chunks.is_empty() {
                line(out, format_args!("term {name} {text} {count} {chunks:?}"));
            }
        }
    }
    Ok(())
}
