//! What linking a file asked of the rest of the tree, as keys: a change that touches none of them leaves its edges as they are.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::symbols::Symbol;

/// Keys have this many bits: three bytes on disk, and one in a hundred thousand questions is taken for another.
const BITS: u32 = 24;

/// What kind of thing was asked for.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// A name, wherever it is defined.
    Name = 1,
    /// A name that no file had.
    Missing,
    /// A file or folder at a path.
    Path,
    Folder,
    /// A file by its last name.
    Base,
    /// All files of a folder.
    Members,
    /// All folders.
    Folders,
    /// Files of a package.
    Package,
    /// Where a Python module of that name may lie.
    Root,
    /// What a file takes whole from others.
    Wild,
    /// What files include.
    Includes,
    /// Bases and extensions of a type.
    Bases,
}

#[derive(Default)]
struct Recorder {
    is_on: bool,
    own: u32,
    keys: FxHashSet<u32>,
    last: u32,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::new(Recorder::default());
}

/// Of a text, the same on every machine.
pub(crate) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn mix(a: u32, b: u32) -> u32 {
    let mixed = (a.rotate_left(13) ^ b).wrapping_mul(0x9E37_79B1);
    (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA6B) >> (32 - BITS)
}

/// A name inside one file.
pub(crate) fn file_key(file: u32, name: Symbol) -> u32 {
    mix(file, name.0)
}

pub(crate) fn key(of: Of, what: u32) -> u32 {
    mix(0x5BD1_E995 ^ of as u32, what)
}

pub(crate) fn text_key(of: Of, text: &str) -> u32 {
    key(of, hash(text))
}

fn note(make: impl FnOnce() -> u32) {
    RECORDER.with_borrow_mut(|recorder| {
        if recorder.is_on {
            let key = make();
            // The same is often asked again at once.
            if key != recorder.last {
                recorder.last = key;
                recorder.keys.insert(key);
            }
        }
    });
}

/// A file was asked for a name. What a file asks of itself is its own affair.
pub(crate) fn ask_file(file: u32, name: Symbol) {
    RECORDER.with_borrow_mut(|recorder| {
        if recorder.is_on && recorder.own != file {
            let key = file_key(file, name);
            if key != recorder.last {
                recorder.last = key;
                recorder.keys.insert(key);
            }
        }
    });
}

pub(crate) fn ask(of: Of, what: u32) {
    note(|| key(of, what));
}

pub(crate) fn ask_name(name: Symbol) {
    note(|| key(Of::Name, name.0));
}

pub(crate) fn ask_text(of: Of, text: &str) {
    note(|| text_key(of, text));
}

/// Notes what `work` asks on behalf of a file; sorted, each once.
pub(crate) fn record<T>(file: u32, work: impl FnOnce() -> T) -> (T, Vec<u32>) {
    RECORDER.with_borrow_mut(|recorder| *recorder = Recorder { is_on: true, own: file, ..Recorder::default() });
    let done = work();
    let recorder = RECORDER.with_borrow_mut(std::mem::take);
    let mut keys: Vec<u32> = recorder.keys.into_iter().collect();
    keys.sort_unstable();
    (done, keys)
}

/// Work that is done for all, and only by chance now.
pub(crate) fn unrecorded<T>(work: impl FnOnce() -> T) -> T {
    let was_on = RECORDER.with_borrow_mut(|recorder| std::mem::take(&mut recorder.is_on));
    let done = work();
    RECORDER.with_borrow_mut(|recorder| recorder.is_on = was_on);
    done
}

/// Keys as they are kept: three bytes each, sorted.
pub(crate) fn pack(mut keys: Vec<u32>) -> Vec<u8> {
    keys.sort_unstable();
    keys.dedup();
    keys.iter().flat_map(|key| key.to_be_bytes().into_iter().skip(1)).collect()
}

/// Whether any of these sorted keys is among those kept.
pub(crate) fn has_any(packed: &[u8], keys: &[u32]) -> bool {
    let at = |i: usize| u32::from_be_bytes([0, packed[i * 3], packed[i * 3 + 1], packed[i * 3 + 2]]);
    let count = packed.len() / 3;
    keys.iter().any(|key| {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match at(middle).cmp(key) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::{Of, Symbol, ask_file, ask_name, has_any, key, pack, record, unrecorded};

    #[test]
    fn what_a_file_asks_of_others_is_kept() {
        let ((), keys) = record(7, || {
            ask_file(7, Symbol(1));
            ask_file(8, Symbol(1));
            ask_name(Symbol(2));
            ask_name(Symbol(2));
            unrecorded(|| ask_name(Symbol(3)));
        });
        ask_name(Symbol(4));
        let packed = pack(keys);
        assert_eq!(packed.len(), 2 * 3);
        assert!(has_any(&packed, &[key(Of::Name, 2)]) && has_any(&packed, &[super::file_key(8, Symbol(1))]));
        assert!(!has_any(&packed, &[key(Of::Name, 3), key(Of::Name, 4), super::file_key(7, Symbol(1))]));
        assert!(!has_any(&[], &[1]));
    }
}
