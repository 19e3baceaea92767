//! What of a large tree is indexed first, so that there is something to ask while the rest is read.

use cds_lang::Registry;
use cds_model::PathRole;

use super::walk::{FoundFile, Walked};

/// Files of the first step: read and linked in about a second.
const FIRST: usize = 1_000;
/// Each step is so many times as large as the one before: what is written more than once stays a small part of the whole.
const GROWTH: usize = 8;
/// A step that would leave less than this many times itself for later is not worth publishing.
const WORTH: usize = 4;

/// The next step, where the index has `indexed` of the files that were found: those that matter most, in order of path. None where the rest is
/// best read at once.
pub(crate) fn step(found: &Walked, indexed: usize, registry: &Registry) -> Option<Walked> {
    let count = size(found.files.len(), indexed)?;
    let mut ranked: Vec<((bool, bool, usize), usize)> =
        found.files.iter().enumerate().map(|(i, file)| (rank(file, registry), i)).collect();
    ranked.sort_unstable();
    let mut chosen: Vec<usize> = ranked.into_iter().take(count).map(|(_, i)| i).collect();
    chosen.sort_unstable();
    let files: Vec<FoundFile> = chosen.into_iter().map(|i| found.files[i].clone()).collect();
    Some(Walked { left: found.files.len() - files.len(), files, ..found.clone() })
}

fn size(total: usize, indexed: usize) -> Option<usize> {
    let sizes = std::iter::successors(Some(FIRST), |size| size.checked_mul(GROWTH));
    sizes.take_while(|size| size * WORTH <= total).find(|size| *size > indexed)
}

/// What people ask about first: source rather than tests, code rather than other text, and what stands near the root.
fn rank(file: &FoundFile, registry: &Registry) -> (bool, bool, usize) {
    let is_code = registry.detect(file.path(), "").has_grammar();
    (!is_code, PathRole::of(file.path()) != PathRole::Source, file.path().matches('/').count())
}

#[cfg(test)]
mod tests {
    use cds_lang::Registry;

    use super::super::walk::{FoundFile, Walked};
    use super::{FIRST, size, step};
    use crate::disk::Stamp;

    #[test]
    fn steps_grow_and_end() {
        let check = |total: usize, expect: &[usize]| {
            let steps = std::iter::successors(size(total, 0), |indexed| size(total, *indexed));
            assert_eq!(steps.collect::<Vec<_>>(), expect, "{total}");
        };
        check(0, &[]);
        check(3_999, &[]);
        check(4_000, &[1_000]);
        check(31_999, &[1_000]);
        check(50_000, &[1_000, 8_000]);
        check(300_000, &[1_000, 8_000, 64_000]);
        assert_eq!(size(50_000, 1_700), Some(8_000), "as it was left by who was stopped");
    }

    #[test]
    fn source_near_the_root_comes_first() {
        let file = |path: String| FoundFile::known(&path, Stamp { size: 1, ..Stamp::default() });
        let mut files: Vec<FoundFile> = (0..FIRST).map(|i| file(format!("tests/test_{i}.py"))).collect();
        files.extend((0..FIRST * 2).map(|i| file(format!("docs/{i}.txt"))));
        files.extend((0..FIRST).map(|i| file(format!("src/deep/er/{i}.py"))));
        files.push(file("src/near.py".to_owned()));
        files.sort_by(|a, b| a.path().cmp(b.path()));
        let walked = Walked { files, ..Walked::default() };
        let first = step(&walked, 0, Registry::builtin()).expect("a step");
        assert_eq!((first.files.len(), first.left), (FIRST, 3 * FIRST + 1));
        assert!(first.files.iter().all(|file| file.path().starts_with("src/")), "{:?}", first.files[0]);
        assert!(first.files.iter().any(|file| file.path() == "src/near.py"));
        assert!(first.files.is_sorted_by(|a, b| a.path() < b.path()));
    }
}
