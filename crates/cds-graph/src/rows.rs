//! A table to read: a slice in memory, or a mapped file whose blocks are verified when a row in them is first read.

use std::fmt;
use std::ops::Range;

/// Verifies bytes of a mapped table before they are read.
pub trait Verify: Sync {
    /// Whether these bytes are as they were written. The implementation remembers damage: callers that get `false` continue with an
    /// empty row, and their result must be discarded.
    fn verify(&self, bytes: Range<usize>) -> bool;
}

/// Rows of a table. There is no access to a row of a mapped table that does not verify it first; a damaged row reads as absent.
pub struct Rows<'a, T> {
    rows: &'a [T],
    /// What verifies the table, and where `rows` begin in it, in bytes. `None`: a table in memory.
    source: Option<(&'a dyn Verify, usize)>,
}

impl<T> Clone for Rows<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Rows<'_, T> {}

impl<T> Default for Rows<'_, T> {
    fn default() -> Self {
        Rows { rows: &[], source: None }
    }
}

impl<T> fmt::Debug for Rows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.len())
    }
}

impl<'a, T> From<&'a [T]> for Rows<'a, T> {
    fn from(rows: &'a [T]) -> Self {
        Rows { rows, source: None }
    }
}

impl<'a, T> Rows<'a, T> {
    /// Rows of a mapped table that begins with them.
    pub fn mapped(rows: &'a [T], source: &'a dyn Verify) -> Rows<'a, T> {
        Rows { rows, source: Some((source, 0)) }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn verified(&self, range: Range<usize>) -> bool {
        let size = size_of::<T>();
        self.source.is_none_or(|(source, first)| source.verify(first + range.start * size..first + range.end * size))
    }

    /// A row; `None` behind the last one and where it is damaged.
    pub fn get(&self, at: usize) -> Option<&'a T> {
        let row = self.rows.get(at)?;
        self.verified(at..at + 1).then_some(row)
    }

    /// A range of rows; empty where it does not lie in the table or is damaged.
    pub fn slice(&self, range: Range<usize>) -> &'a [T] {
        let rows = self.rows.get(range.clone()).filter(|_| self.verified(range));
        rows.unwrap_or_default()
    }

    /// All rows. Verifies the whole table on first use; empty where any of it is damaged.
    pub fn all(&self) -> &'a [T] {
        self.slice(0..self.len())
    }

    /// The rows from `at` on, each verified when it is reached.
    pub fn iter_from(&self, at: usize) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let rows = *self;
        (at..rows.len()).map_while(move |at| rows.get(at))
    }

    /// The rows before and from `at` on; both empty where the table is shorter.
    pub fn split_at(&self, at: usize) -> (Rows<'a, T>, Rows<'a, T>) {
        let Some((before, after)) = self.rows.split_at_checked(at) else { return Default::default() };
        let moved = self.source.map(|(source, first)| (source, first + size_of_val(before)));
        (Rows { rows: before, source: self.source }, Rows { rows: after, source: moved })
    }

    /// The first row that is not `before`, in a table that has those first.
    pub fn partition_point(&self, before: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(&before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The row with a key, in a table sorted by it where each stands once: its position and the row.
    pub fn find_by_key<K: Ord>(&self, wanted: &K, key: impl Fn(&T) -> K) -> Option<(usize, &'a T)> {
        let at = self.partition_point(|row| key(row) < *wanted);
        self.get(at).filter(|row| key(row) == *wanted).map(|row| (at, row))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::Mutex;

    use super::{Rows, Verify};

    /// Bytes from 8 to 12 are damaged; every range that was asked for is recorded.
    #[derive(Default)]
    struct Recorded(Mutex<Vec<(usize, usize)>>);

    impl Verify for Recorded {
        fn verify(&self, bytes: Range<usize>) -> bool {
            self.0.lock().unwrap().push((bytes.start, bytes.end));
            bytes.end <= 8 || bytes.start >= 12
        }
    }

    #[test]
    fn every_access_is_verified_and_damaged_rows_are_absent() {
        let (recorded, rows) = (Recorded::default(), [10u32, 20, 30, 40, 50]);
        let rows = Rows::mapped(&rows, &recorded);
        let check = |found: &[u32], expect: &[u32], asked: &[(usize, usize)]| {
            assert_eq!(found, expect);
            assert_eq!(std::mem::take(&mut *recorded.0.lock().unwrap()), asked);
        };
        let one = |row: Option<&u32>| row.copied().into_iter().collect::<Vec<u32>>();
        check(&one(rows.get(1)), &[20], &[(4, 8)]);
        check(&one(rows.get(2)), &[], &[(8, 12)]);
        check(&one(rows.get(5)), &[], &[]);
        check(rows.slice(3..5), &[40, 50], &[(12, 20)]);
        check(rows.slice(1..4), &[], &[(4, 16)]);
        check(rows.slice(4..6), &[], &[]);
        check(rows.all(), &[], &[(0, 20)]);
        check(&rows.iter_from(3).copied().collect::<Vec<_>>(), &[40, 50], &[(12, 16), (16, 20)]);
        check(&rows.iter_from(1).copied().collect::<Vec<_>>(), &[20], &[(4, 8), (8, 12)]);
        let (before, after) = rows.split_at(3);
        check(before.slice(0..2), &[10, 20], &[(0, 8)]);
        check(after.slice(1..2), &[50], &[(16, 20)]);
        assert!(rows.split_at(6).1.is_empty());
    }

    #[test]
    fn sorted_tables_are_searched() {
        let table: Vec<u32> = (0..40).map(|i| i * 3).collect();
        let rows = Rows::from(table.as_slice());
        for wanted in 0..125 {
            let at = table.partition_point(|row| *row < wanted);
            assert_eq!(rows.partition_point(|row| *row < wanted), at);
            let found = rows.find_by_key(&wanted, |row| *row).map(|(at, _)| at);
            assert_eq!(found, table.binary_search(&wanted).ok());
        }
    }
}
