//! What is large of some files: their texts and facts, postings, vectors. A part is written once; generations share parts, and what an
//! update takes out of an older part is only no longer counted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::Term;
use tantivy::schema::Field;

use super::blocks::Blocks;
use super::catalog::Catalog;
use super::gone::Gone;
use super::manifest::PartEntry;
use super::map::Mapped;
use super::space::Offset;
use super::sparse::SparseMaps;
use super::text::TextReader;
use super::vectors::VectorMaps;
use super::{files, part_path as path};
use crate::{Error, Result};

/// A part as a reader sees it.
pub(crate) struct Part {
    pub(crate) files: Blocks,
    pub(crate) outlines: Mapped,
    pub(crate) text: TextReader,
    /// Terms of what was taken out of older parts when this one was written.
    gone: Option<Gone>,
    pub(crate) vectors: VectorMaps,
    pub(crate) sparse: SparseMaps,
}

/// A file that was taken out of a part: enough to tell which terms it had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GoneFile {
    /// The part it lies in.
    pub(crate) part: String,
    pub(crate) path: String,
    /// Its block there, and plain sizes of the text and the facts in it.
    pub(crate) blob: u64,
    pub(crate) packed: u32,
    pub(crate) text_len: u32,
    pub(crate) facts_len: u32,
    /// Of the block.
    pub(crate) checksum: u32,
}

impl Part {
    pub(crate) fn open(catalog: &Arc<Catalog>, entry: &PartEntry) -> Result<Part> {
        let named = |name: &str| format!("{}/{name}", entry.name);
        let map = |name: &str| catalog.map(&named(name));
        let gone = Some(named(path::GONE_TERMS)).filter(|name| catalog.contains(name));
        let offsets = Some(named(path::OFFSETS)).filter(|name| catalog.contains(name));
        let part = Part {
            files: catalog.blocks(&named(path::FILES))?,
            outlines: map(path::OUTLINES)?,
            text: TextReader::open(catalog, &named(path::BM25))?,
            gone: gone.map(|name| catalog.map_fst(&name)).transpose()?.map(Gone),
            vectors: VectorMaps {
                codes: map(path::VECTORS)?,
                scales: map(path::SCALES)?,
                sketches: map(path::SKETCHES)?,
                offsets: offsets.map(|name| catalog.map(&name)).transpose()?,
            },
            sparse: SparseMaps { terms: map(path::TERMS)?, weights: map(path::WEIGHTS)? },
        };
        part.vectors.scales.check_rows::<f32>()?;
        part.vectors.sketches.check_rows::<u64>()?;
        part.vectors.offsets.as_ref().map_or(Ok(()), Mapped::check_rows::<Offset>)?;
        part.sparse.check()?;
        part.outlines.check_rows::<u32>()?;
        if part.text.docs() != entry.docs {
            let folder = part.files.path().with_file_name(path::BM25);
            return Err(Error::damaged(folder, "another number of documents than the manifest says"));
        }
        Ok(part)
    }

    /// In how many documents a term stands, less those taken out of older parts.
    pub(crate) fn doc_freq(&self, term: &Term) -> Result<i64> {
        Ok(self.less_gone(self.text.doc_freq(term)?, |gone| gone.doc_freq(term)))
    }

    /// How many terms there are in a field, less those taken out of older parts.
    pub(crate) fn tokens(&self, field: Field) -> Result<i64> {
        Ok(self.less_gone(self.text.tokens(field)?, |gone| gone.tokens(field)))
    }

    fn less_gone(&self, count: u64, gone: impl Fn(&Gone) -> u64) -> i64 {
        count.cast_signed().wrapping_sub(self.gone.as_ref().map_or(0, gone).cast_signed())
    }

    /// Words of an outline.
    pub(crate) fn outline(&self, first: u32, count: u32) -> &[u32] {
        self.outlines.rows().slice(first as usize..first as usize + count as usize)
    }

    /// The entry of a file, if it is as it was written.
    pub(crate) fn block(&self, blob: u64, packed: u32, checksum: u32) -> Option<Vec<u8>> {
        self.files.read(blob, packed).filter(|block| files::checksum(block) == checksum)
    }
}
