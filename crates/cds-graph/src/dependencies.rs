//! What the links of a file depend on, as keys.
//!
//! A [`Recorder`] is passed explicitly to every function that reads another file or a table over all files, and notes one key per
//! look-up. An update compares the recorded keys of a file with the keys of what changed (`changes.rs`): a file none of whose keys
//! changed keeps its edges.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashSet;

use crate::symbols::Symbol;

/// Keys have this many bits: three bytes on disk. A collision only causes a file to be linked again.
const BITS: u32 = 24;

/// Bytes of a key on disk.
const WIDTH: usize = 3;

macro_rules! dep_kinds {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
        /// The kind of fact that a key stands for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum DepKind {
            $($(#[$doc])* $kind,)*
        }

        /// The names of all kinds of dependencies.
        #[cfg(feature = "mutation")]
        pub const DEPENDENCY_KINDS: &[&str] = &[$(stringify!($kind),)*];
    };
}

dep_kinds! {
    /// The definitions, bindings and imports of a name in one file; its keys are made by [`file_key`].
    InFile,
    /// The definitions and bindings of a name in the whole tree.
    Name,
    /// The same with the names of all that encloses them.
    Qualified,
    /// A name that no string of the index equals.
    Missing,
    /// The file at a path, its language and package.
    Path,
    /// The folder at a path.
    Folder,
    /// Files by the last part of their path.
    FileName,
    /// The files of a folder.
    Members,
    /// The list of all folders.
    Folders,
    /// The files of a package.
    Package,
    /// The folders in which a Python module of a name may lie.
    PythonRoot,
    /// What a file imports with a wildcard or as a whole.
    Wildcards,
    /// Which files include which.
    Includes,
    /// Bases and extensions of a type.
    Bases,
    /// The default export of a file.
    Default,
}

/// Notes what is looked up while one file is linked.
pub(crate) struct Recorder {
    /// The file that is linked: look-ups in it are no dependencies.
    own: u32,
    keys: RefCell<FxHashSet<u32>>,
    /// The key recorded last: many look-ups repeat it.
    last: Cell<u32>,
}

impl Recorder {
    /// A recorder for the file with that path [`hash`].
    pub(crate) fn new(own: u32) -> Recorder {
        Recorder { own, keys: RefCell::default(), last: Cell::new(0) }
    }

    /// A name was looked up in a file.
    pub(crate) fn in_file(&self, file: u32, name: Symbol) {
        if self.own != file && name != Symbol::NOWHERE {
            self.insert(DepKind::InFile, file_key(file, name));
        }
    }

    /// A name was looked up in the whole tree.
    pub(crate) fn name(&self, name: Symbol) {
        if name != Symbol::NOWHERE {
            self.record(DepKind::Name, name.0);
        }
    }

    /// A qualified name that ends in this name was looked up in the whole tree. Covers [`Recorder::name`].
    pub(crate) fn qualified(&self, name: Symbol) {
        if name != Symbol::NOWHERE {
            self.record(DepKind::Qualified, name.0);
        }
    }

    /// Something that a text identifies was looked up.
    pub(crate) fn text(&self, kind: DepKind, text: &str) {
        self.record(kind, hash(text));
    }

    /// Something that a number identifies was looked up.
    pub(crate) fn record(&self, kind: DepKind, what: u32) {
        self.insert(kind, key(kind, what));
    }

    fn insert(&self, kind: DepKind, key: u32) {
        if self.last.replace(key) != key && !omitted(kind) {
            self.keys.borrow_mut().insert(key);
        }
    }

    /// All keys, in no order.
    pub(crate) fn finish(self) -> Vec<u32> {
        self.keys.into_inner().into_iter().collect()
    }
}

/// Whether keys of a kind are left out. Only the mutation check does that: it names a kind in `CDS_OMIT_DEPENDENCY` and expects updated
/// indexes to differ from clean ones.
#[cfg(feature = "mutation")]
fn omitted(kind: DepKind) -> bool {
    static OMITTED: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var("CDS_OMIT_DEPENDENCY").ok());
    OMITTED.as_ref().is_some_and(|name| *name == format!("{kind:?}"))
}

#[cfg(not(feature = "mutation"))]
const fn omitted(_: DepKind) -> bool {
    false
}

/// The hash of a text, the same on every machine.
pub(crate) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn mix(a: u32, b: u32) -> u32 {
    let mixed = (a.rotate_left(13) ^ b).wrapping_mul(0x9E37_79B1);
    (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA6B) >> (32 - BITS)
}

/// The key of a name inside one file, which its path hash identifies.
pub(crate) fn file_key(file: u32, name: Symbol) -> u32 {
    mix(file, name.0)
}

pub(crate) fn key(kind: DepKind, what: u32) -> u32 {
    mix(0x5BD1_E995 ^ kind as u32, what)
}

pub(crate) fn text_key(kind: DepKind, text: &str) -> u32 {
    key(kind, hash(text))
}

/// The dependencies of a file as they are stored: how many keys the targets of its imports depend on, those keys, then all others. Both
/// lists are sorted.
#[derive(Clone, Copy)]
pub(crate) struct Stored<'a> {
    targets: &'a [u8],
    links: &'a [u8],
}

impl<'a> Stored<'a> {
    pub(crate) fn pack(mut targets: Vec<u32>, mut links: Vec<u32>) -> Vec<u8> {
        targets.sort_unstable();
        targets.dedup();
        links.retain(|key| targets.binary_search(key).is_err());
        links.sort_unstable();
        links.dedup();
        let count = targets.len() as u32;
        let words = [count].into_iter().chain(targets).chain(links);
        words.flat_map(|word| word.to_be_bytes().into_iter().skip(4 - WIDTH)).collect()
    }

    /// Reads what [`Stored::pack`] wrote; a file that was never linked has none.
    pub(crate) fn read(packed: &'a [u8]) -> Stored<'a> {
        let Some((count, keys)) = packed.split_at_checked(WIDTH) else { return Stored { targets: &[], links: &[] } };
        let (targets, links) = keys.split_at((word(count, 0) as usize * WIDTH).min(keys.len()));
        Stored { targets, links }
    }

    /// Whether any key of the set is among them.
    pub(crate) fn has_any(self, keys: &KeySet) -> bool {
        self.targets_have_any(keys) || keys.is_any_in(self.links)
    }

    /// Whether any key of the set is among those that the targets of the file's imports depend on.
    pub(crate) fn targets_have_any(self, keys: &KeySet) -> bool {
        keys.is_any_in(self.targets)
    }
}

/// A set of keys that is compared with the dependencies of all files.
#[derive(Default)]
pub(crate) struct KeySet {
    keys: Vec<u32>,
    /// A bit for each possible key; empty for a small set.
    bits: Vec<u64>,
}

/// A set of at most this many keys has no bits: looking up each key takes less time than allocating them.
const SMALL: usize = 8;

impl FromIterator<u32> for KeySet {
    fn from_iter<I: IntoIterator<Item = u32>>(keys: I) -> KeySet {
        let keys: Vec<u32> = keys.into_iter().collect();
        let mut bits = Vec::new();
        if keys.len() > SMALL {
            bits.resize((1 << BITS) / 64, 0);
            for key in &keys {
                bits[*key as usize / 64] |= 1 << (key % 64);
            }
        }
        KeySet { keys, bits }
    }
}

impl KeySet {
    pub(crate) fn contains(&self, key: u32) -> bool {
        match self.bits.get(key as usize / 64) {
            Some(bits) => bits >> (key % 64) & 1 == 1,
            None => self.keys.contains(&key),
        }
    }

    /// Whether any key is in this sorted list of stored keys.
    fn is_any_in(&self, packed: &[u8]) -> bool {
        let count = packed.len() / WIDTH;
        let steps = count.checked_ilog2().map_or(0, |log| log as usize + 1);
        if self.bits.is_empty() || self.keys.len() * steps < count {
            return self.keys.iter().any(|key| contains(packed, *key));
        }
        (0..count).any(|at| self.contains(word(packed, at)))
    }
}

fn word(packed: &[u8], at: usize) -> u32 {
    packed[at * WIDTH..(at + 1) * WIDTH].iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

fn contains(packed: &[u8], key: u32) -> bool {
    let (mut low, mut high) = (0, packed.len() / WIDTH);
    while low < high {
        let middle = usize::midpoint(low, high);
        match word(packed, middle).cmp(&key) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{DepKind, KeySet, Recorder, Stored, Symbol, file_key, key};

    #[test]
    fn look_ups_in_other_files_are_recorded_once() {
        let recorder = Recorder::new(7);
        recorder.in_file(7, Symbol(1));
        recorder.in_file(8, Symbol(1));
        recorder.in_file(8, Symbol::NOWHERE);
        recorder.name(Symbol(2));
        recorder.name(Symbol(2));
        recorder.name(Symbol::NOWHERE);
        let packed = Stored::pack(Vec::new(), recorder.finish());
        let stored = Stored::read(&packed);
        assert_eq!(packed.len(), (1 + 2) * 3);
        assert!(
            stored.has_any(&KeySet::from_iter([key(DepKind::Name, 2)]))
                && stored.has_any(&KeySet::from_iter([file_key(8, Symbol(1))]))
        );
        assert!(!stored.has_any(&KeySet::from_iter([key(DepKind::Name, 3), file_key(7, Symbol(1))])));
    }

    #[test]
    fn keys_of_targets_are_told_from_the_others() {
        let packed = Stored::pack(vec![9, 3, 3], vec![9, 4]);
        let stored = Stored::read(&packed);
        assert_eq!(packed.len(), (1 + 3) * 3);
        assert!(stored.targets_have_any(&KeySet::from_iter([9])) && !stored.targets_have_any(&KeySet::from_iter([4])));
        assert!(stored.has_any(&KeySet::from_iter([4])) && !stored.has_any(&KeySet::from_iter([5])));
        let (nothing, damaged) = (Stored::read(&[]), Stored::read(&[255, 255, 255, 0, 0, 1]));
        assert!(!nothing.has_any(&KeySet::from_iter([0])) && damaged.targets_have_any(&KeySet::from_iter([1])));
    }

    #[test]
    fn small_and_large_sets_find_the_same_keys() {
        let packed = Stored::pack(Vec::new(), (0..1_000).map(|i| i * 7).collect());
        let stored = Stored::read(&packed);
        for (count, expected) in [(0, false), (1, true), (5, true), (9, true), (400, true), (100_000, true)] {
            let multiples = (0..count).map(|i| i * 7);
            assert_eq!(stored.has_any(&multiples.clone().collect()), expected, "{count}");
            assert!(!stored.has_any(&multiples.map(|key| key + 1).collect()), "{count}");
        }
    }
}
