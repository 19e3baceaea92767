//! The best of many, found in one pass.

use cds_model::ChunkId;

/// The best so far.
pub(crate) struct Best {
    most: usize,
    /// Nothing below it gets in.
    least: f32,
    list: Vec<(ChunkId, f32)>,
}

fn better((a, high): (ChunkId, f32), (b, low): (ChunkId, f32)) -> std::cmp::Ordering {
    low.total_cmp(&high).then(a.cmp(&b))
}

impl Best {
    pub(crate) fn new(most: usize) -> Best {
        Best { most: most.max(1), least: f32::MIN, list: Vec::new() }
    }

    /// What is below it need not be asked about. What is equal may come earlier: chunks are not met in their order.
    pub(crate) fn least(&self) -> f32 {
        self.least
    }

    pub(crate) fn push(&mut self, chunk: ChunkId, score: f32) {
        self.list.push((chunk, score));
        // Cut when twice as many are there: cheaper than keeping order.
        if self.list.len() >= 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.list.len() > self.most {
            self.list.select_nth_unstable_by(self.most - 1, |a, b| better(*a, *b));
            self.list.truncate(self.most);
            self.least = self.list[self.most - 1].1;
        }
    }

    /// Best first; equal ones by chunk.
    pub(crate) fn into_list(mut self) -> Vec<(ChunkId, f32)> {
        self.cut();
        self.list.sort_by(|a, b| better(*a, *b));
        self.list
    }
}
