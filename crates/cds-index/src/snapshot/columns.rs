//! What scoring asks of every file, number beside number. Rows of files are two cache lines long, and a question about words that many chunks
//! have asks thousands of times which file the next one is of.

use cds_model::{ChunkId, FileId};

use crate::store::rows::DocumentRow;

/// Two numbers of each file, in order.
pub struct FileColumns {
    first_chunks: Vec<u32>,
    sizes: Vec<f32>,
    mean_size: f32,
}

impl FileColumns {
    pub(super) fn of(rows: &[DocumentRow]) -> FileColumns {
        let sizes: Vec<f32> = rows.iter().map(|row| row.size as f32).collect();
        let mean_size = (sizes.iter().sum::<f32>() / rows.len().max(1) as f32).max(1.0);
        FileColumns { first_chunks: rows.iter().map(|row| row.first_chunk).collect(), sizes, mean_size }
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// How long a file is beside the others.
    pub fn relative_size(&self, file: FileId) -> f32 {
        self.sizes.get(file.index()).map_or(1.0, |size| size / self.mean_size)
    }

    /// Tells files of chunks.
    pub fn places(&self) -> Places<'_> {
        Places { first_chunks: &self.first_chunks, at: 0 }
    }
}

/// Which file a chunk is of, for chunks that mostly come in order: the answer is at hand, or a few files on.
#[derive(Clone)]
pub struct Places<'a> {
    first_chunks: &'a [u32],
    /// The file told last.
    at: usize,
}

impl Places<'_> {
    /// The file of a chunk: the last that begins at or before it, as those without chunks begin where the next does.
    pub fn file(&mut self, chunk: ChunkId) -> FileId {
        let begins = |at: usize| self.first_chunks.get(at).is_some_and(|first| *first <= chunk.0);
        let (mut low, mut step) = if begins(self.at) { (self.at, 1) } else { (0, self.at.max(1)) };
        while begins(low + step) {
            low += step;
            step *= 2;
        }
        // It is `low`, or one of those up to the last step.
        let end = (low + step).min(self.first_chunks.len());
        let within = self.first_chunks.get(low..end).unwrap_or_default();
        self.at = low + within.partition_point(|first| *first <= chunk.0).saturating_sub(1);
        FileId(self.at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_is_of_its_file_in_whatever_order() {
        // Files of 1, 0, 0, 3, 1, 0 and 40 chunks, the last without an end.
        let first_chunks = [0, 1, 1, 1, 4, 5, 5];
        let expect = |chunk: u32| match chunk {
            0 => 0,
            1..4 => 3,
            4 => 4,
            _ => 6,
        };
        for stride in 1..50 {
            let mut places = Places { first_chunks: &first_chunks, at: 0 };
            for chunk in (0..200).map(|i| i * stride % 45) {
                assert_eq!(places.file(ChunkId(chunk)).0, expect(chunk), "chunk {chunk} by steps of {stride}");
            }
        }
    }
}
