//! Where ids of the old generation are in the new one. Files keep their order, so that ids move in long stretches: a few numbers tell what
//! became of all of them, and looking one up touches no table.

/// Stretches of old ids, each with how far it moved.
#[derive(Default)]
pub(crate) struct Moves {
    /// The first id of each.
    firsts: Vec<u32>,
    /// None where ids are not there any more. One more than there are firsts: what lies before the first stretch.
    steps: Vec<Option<u32>>,
}

impl Moves {
    /// From the first id of each file, in order, and how far it moved. From `end` on nothing is known.
    pub(crate) fn new(files: impl Iterator<Item = (u32, Option<u32>)>, end: u32) -> Moves {
        let mut moves = Moves { firsts: Vec::new(), steps: vec![None] };
        for (first, step) in files.chain([(end, None)]) {
            // A file without ids begins where the next one does.
            if moves.firsts.last() == Some(&first) {
                moves.firsts.pop();
                moves.steps.pop();
            }
            if moves.steps.last() != Some(&step) {
                moves.firsts.push(first);
                moves.steps.push(step);
            }
        }
        moves
    }

    /// What an id is now, if it is still there.
    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        let at = self.firsts.partition_point(|first| *first <= id);
        self.steps.get(at).copied().flatten().map(|step| id.wrapping_add(step))
    }
}

#[cfg(test)]
mod tests {
    use super::Moves;

    #[test]
    fn ids_move_with_their_files() {
        let gone = u32::MAX;
        let check = |files: &[(u32, Option<u32>)], expect: &[u32]| {
            let moves = Moves::new(files.iter().copied(), 8);
            let now: Vec<u32> = (0..10).map(|id| moves.get(id).unwrap_or(gone)).collect();
            assert_eq!(now, expect, "{files:?}");
        };
        check(&[], &[gone; 10]);
        check(&[(0, Some(0)), (3, Some(0))], &[0, 1, 2, 3, 4, 5, 6, 7, gone, gone]);
        check(&[(0, Some(0)), (3, None), (5, Some(2))], &[0, 1, 2, gone, gone, 7, 8, 9, gone, gone]);
        check(&[(2, Some(u32::MAX)), (4, None), (4, Some(1))], &[gone, gone, 1, 2, 5, 6, 7, 8, gone, gone]);
        check(&[(0, Some(1)), (4, None), (4, Some(1)), (8, None)], &[1, 2, 3, 4, 5, 6, 7, 8, gone, gone]);
        check(&[(0, None), (8, Some(3))], &[gone; 10]);
    }
}
