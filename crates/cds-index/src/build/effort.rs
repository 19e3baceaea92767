//! What a build may cost. Nothing of it changes what an index answers.

use std::time::Duration;

use super::lock::Owner;
use super::ordered;
use crate::store::SEGMENT_MEMORY;

/// What a build may cost, and how long it may wait. Threads are those of rayon's pool.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// How long to wait for another process that writes the same index.
    pub wait: Duration,
    /// Told about once a second while it waits; who is waited for is not always known.
    pub waiting: &'a (dyn Fn(Option<&Owner>) + Sync),
    /// Bytes of memory to aim at. What is set aside for text in work and for the open part of the text index shrinks with it,
    /// down to a floor; none: as much as is fastest.
    pub memory: Option<u64>,
    /// Asked before a first index of a tree that is larger than this.
    pub large: TreeSize,
    /// Whether to go on with a tree of this size.
    pub approve: &'a (dyn Fn(TreeSize) -> bool + Sync),
}

/// How much there is to index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSize {
    /// Files.
    pub files: u64,
    /// Bytes in them, without files that are too large to be indexed.
    pub bytes: u64,
}

impl TreeSize {
    /// Larger than any tree.
    pub const ANY: TreeSize = TreeSize { files: u64::MAX, bytes: u64::MAX };

    pub(crate) fn exceeds(self, other: TreeSize) -> bool {
        self.files > other.files || self.bytes > other.bytes
    }
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Effort { wait: Duration::ZERO, waiting: &|_| {}, memory: None, large: TreeSize::ANY, approve: &|_| true }
    }
}

impl Effort<'_> {
    /// Source that may be in work at once: facts, vectors and compressed text of it take many times as much.
    pub(crate) fn window(&self) -> u64 {
        self.memory.map_or(ordered::WINDOW, |memory| (memory / 128).clamp(256 << 10, ordered::WINDOW))
    }

    /// Of the text index one part may be open while another goes to disk.
    pub(crate) fn segment_memory(&self) -> usize {
        self.memory.map_or(SEGMENT_MEMORY, |memory| {
            usize::try_from(memory / 6).unwrap_or(SEGMENT_MEMORY).clamp(16 << 20, SEGMENT_MEMORY)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Effort, TreeSize};

    #[test]
    fn only_a_small_budget_binds() {
        let check = |memory: Option<u64>, window: u64, segment: usize| {
            let effort = Effort { memory, ..Effort::default() };
            assert_eq!((effort.window(), effort.segment_memory()), (window, segment), "{memory:?}");
        };
        check(None, 4 << 20, 160 << 20);
        check(Some(8 << 30), 4 << 20, 160 << 20);
        check(Some(384 << 20), 3 << 20, 64 << 20);
        check(Some(1), 256 << 10, 16 << 20);
        check(Some(u64::MAX), 4 << 20, 160 << 20);
    }

    #[test]
    fn a_tree_is_large_by_files_or_by_bytes() {
        let size = |files, bytes| TreeSize { files, bytes };
        assert!(!size(10, 10).exceeds(size(10, 10)));
        assert!(size(11, 1).exceeds(size(10, 10)) && size(1, 11).exceeds(size(10, 10)));
        assert!(!size(1_000_000_000, u64::MAX).exceeds(TreeSize::ANY));
    }
}
