//! Strings as small numbers: every string of an index once, two bytes of length, then the text. Beside them a table of slots, by hash,
//! tells whether a string is there. An update adds to what is there without reading or copying it.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A string of the tree: where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub(crate) struct Symbol(pub(crate) u32);

impl Symbol {
    /// Equal to no symbol of any row.
    pub(crate) const NOWHERE: Symbol = Symbol(u32::MAX - 1);
}

/// Strings as they are stored.
#[derive(Clone, Copy, Default)]
pub struct StoredStrings<'a> {
    /// One after the other.
    pub bytes: &'a [u8],
    /// Where a string begins, plus one; 0 is free. A power of two, at most half full.
    pub slots: &'a [u32],
}

/// Strings, each once.
pub struct Symbols<'a> {
    /// Those that were there before and are written elsewhere.
    before: StoredStrings<'a>,
    /// Those that follow, and slots that count from the first of them.
    bytes: Vec<u8>,
    slots: Vec<u32>,
    used: usize,
}

/// Strings are cut at this length.
const LONGEST: usize = u16::MAX as usize;

impl Default for Symbols<'_> {
    fn default() -> Self {
        Symbols { before: StoredStrings::default(), bytes: Vec::new(), slots: vec![0; 1 << 10], used: 0 }
    }
}

impl<'a> Symbols<'a> {
    /// Goes on where others ended: `before` stay where they are, `since` are to be written again.
    pub fn after(before: StoredStrings<'a>, since: StoredStrings) -> Symbols<'a> {
        let usable = |slots: &[u32]| slots.is_empty() || slots.len().is_power_of_two();
        if !usable(before.slots) || !usable(since.slots) {
            return Symbols::default();
        }
        if since.slots.is_empty() {
            return Symbols { before, ..Symbols::default() };
        }
        let used = since.slots.iter().filter(|slot| **slot != 0).count();
        Symbols { before, bytes: since.bytes.to_vec(), slots: since.slots.to_vec(), used }
    }

    /// The position of `text`, which is added when it is new.
    pub fn add(&mut self, text: &str) -> u32 {
        let text = if text.len() <= LONGEST { text } else { &text[..text.floor_char_boundary(LONGEST)] };
        let slot = match self.find(text) {
            Ok(at) => return at,
            Err(slot) => slot,
        };
        let at = self.bytes.len() as u32;
        self.bytes.extend((text.len() as u16).to_le_bytes());
        self.bytes.extend(text.as_bytes());
        self.slots[slot] = at + 1;
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
        self.first() + at
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        for &slot in self.slots.iter().filter(|slot| **slot != 0) {
            let free = find(&self.bytes, &slots, text_at(&self.bytes, slot - 1));
            slots[free.expect_err("every string is there once")] = slot;
        }
        self.slots = slots;
    }

    /// Where the first of those that follow begins.
    fn first(&self) -> u32 {
        self.before.bytes.len() as u32
    }

    /// Where a string begins, or the slot it belongs into.
    fn find(&self, text: &str) -> Result<u32, usize> {
        if !self.before.slots.is_empty()
            && let Ok(at) = find(self.before.bytes, self.before.slots, text)
        {
            return Ok(at);
        }
        find(&self.bytes, &self.slots, text).map(|at| self.first() + at)
    }

    /// The string added at a position.
    pub fn text(&self, at: u32) -> &str {
        match at.checked_sub(self.first()) {
            Some(at) => text_at(&self.bytes, at),
            None => text_at(self.before.bytes, at),
        }
    }

    /// Strings from a position on that is none of those that were there before.
    pub(crate) fn since(&self, at: u32) -> impl Iterator<Item = &str> {
        let mut at = at.saturating_sub(self.first());
        std::iter::from_fn(move || {
            let text = ((at as usize) < self.bytes.len()).then(|| text_at(&self.bytes, at))?;
            at += 2 + text.len() as u32;
            Some(text)
        })
    }

    /// Where a string begins, if it is there.
    pub(crate) fn get(&self, text: &str) -> Option<Symbol> {
        self.find(text).ok().map(Symbol)
    }

    pub(crate) fn symbol(&mut self, text: &str) -> Symbol {
        Symbol(self.add(text))
    }

    pub(crate) fn of(&self, symbol: Symbol) -> &str {
        self.text(symbol.0)
    }

    /// Strings that are to be written, and their slots.
    pub fn finish(self) -> (Vec<u8>, Vec<u32>) {
        (self.bytes, self.slots)
    }
}

/// Where `text` begins, or the slot it belongs into.
fn find(bytes: &[u8], slots: &[u32], text: &str) -> Result<u32, usize> {
    let mask = slots.len() - 1;
    let mut slot = crc32fast::hash(text.as_bytes()) as usize & mask;
    loop {
        match slots[slot] {
            0 => return Err(slot),
            at if text_at(bytes, at - 1) == text => return Ok(at - 1),
            _ => slot = (slot + 1) & mask,
        }
    }
}

/// The string at a position; empty when the position is damaged.
pub fn text_at(bytes: &[u8], at: u32) -> &str {
    let at = at as usize;
    let read = || {
        let len = bytes.get(at..at + 2)?;
        let len = usize::from(u16::from_le_bytes([len[0], len[1]]));
        std::str::from_utf8(bytes.get(at + 2..at + 2 + len)?).ok()
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{StoredStrings, Symbols, text_at};

    #[test]
    fn equal_strings_are_stored_once() {
        let mut writer = Symbols::default();
        let (a, b, c) = (writer.add("alpha"), writer.add("beta"), writer.add("alpha"));
        let long = writer.add(&"é".repeat(40_000));
        assert_eq!(writer.add(&"é".repeat(50_000)), long, "cut to the same");
        let (bytes, _) = writer.finish();
        assert_eq!((text_at(&bytes, a), text_at(&bytes, b), a), ("alpha", "beta", c));
        assert_eq!(text_at(&bytes, long).len(), 65_534, "cut at a character");
        assert_eq!(text_at(&bytes, 1 << 30), "");
    }

    #[test]
    fn an_update_goes_on_where_the_last_one_ended() {
        let mut writer = Symbols::default();
        let name = |i: u32| format!("name {i}");
        let first: Vec<u32> = (0..3_000).map(|i| writer.add(&name(i))).collect();
        let (bytes, slots) = writer.finish();
        let before = StoredStrings { bytes: &bytes, slots: &slots };
        let mut added: (Vec<u8>, Vec<u32>) = Default::default();
        let mut known = first;
        // Update after update, each with some that are new; all keep their numbers.
        for end in [3_000, 3_001, 5_000, 9_000] {
            let mut writer = Symbols::after(before, StoredStrings { bytes: &added.0, slots: &added.1 });
            let from = bytes.len() + added.0.len();
            let again: Vec<u32> = (0..end).map(|i| writer.add(&name(i))).collect();
            assert_eq!(again[..known.len()], known[..]);
            assert!((0..end).all(|i| writer.text(again[i as usize]) == name(i)));
            let new: Vec<&str> = writer.since(from as u32).collect();
            assert_eq!(new.len(), again.len() - known.len());
            assert!((known.len() as u32..).zip(new).all(|(i, text)| text == name(i)));
            assert!(writer.get("another").is_none());
            known = again;
            added = writer.finish();
        }
    }

    #[test]
    fn slots_that_cannot_be_are_not_searched() {
        let broken = StoredStrings { bytes: &[1, 0, b'a'], slots: &[1, 0, 0] };
        assert_eq!(Symbols::after(broken, StoredStrings::default()).add("a"), 0);
        assert_eq!(Symbols::after(StoredStrings::default(), broken).add("b"), 0);
    }
}
