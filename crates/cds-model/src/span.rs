//! Where something stands in a file.

use serde::{Deserialize, Serialize};

/// A half-open byte range with the lines it touches (1-based, inclusive).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte.
    pub start_line: u32,
    /// Line of the last byte.
    pub end_line: u32,
}

impl Span {
    /// The bytes as a range, for slicing.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `byte` lies inside.
    #[inline]
    pub fn contains(self, byte: u32) -> bool {
        self.start <= byte && byte < self.end
    }

    /// Whether `other` lies inside, borders included.
    #[inline]
    pub fn encloses(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
