//! Strings as small numbers: every string of an index once, two bytes of length, then the text. Beside them a table of slots, by hash,
//! tells whether a string is there: an update adds to what the last one wrote without reading it all.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A string of the tree: where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub(crate) struct Symbol(pub(crate) u32);

/// Strings, each once.
pub struct Symbols {
    bytes: Vec<u8>,
    /// Where a string begins, plus one; 0 is free. A power of two, at most half full.
    slots: Vec<u32>,
    used: usize,
}

/// Strings are cut at this length.
const LONGEST: usize = u16::MAX as usize;

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols { bytes: Vec::new(), slots: vec![0; 1 << 10], used: 0 }
    }
}

impl Symbols {
    /// Goes on where another one ended.
    pub fn after(bytes: &[u8], slots: &[u32]) -> Symbols {
        if !slots.len().is_power_of_two() {
            return Symbols::default();
        }
        let used = slots.iter().filter(|slot| **slot != 0).count();
        // Room for what a few files add.
        let mut own = Vec::with_capacity(bytes.len() + bytes.len() / 64);
        own.extend_from_slice(bytes);
        Symbols { bytes: own, slots: slots.to_vec(), used }
    }

    /// The position of `text`, which is added when it is new.
    pub fn add(&mut self, text: &str) -> u32 {
        let text = if text.len() <= LONGEST { text } else { &text[..text.floor_char_boundary(LONGEST)] };
        let slot = match find(&self.bytes, &self.slots, text) {
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
        at
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        for &slot in self.slots.iter().filter(|slot| **slot != 0) {
            let free = find(&self.bytes, &slots, text_at(&self.bytes, slot - 1));
            slots[free.expect_err("every string is there once")] = slot;
        }
        self.slots = slots;
    }

    /// The string added at a position.
    pub fn text(&self, at: u32) -> &str {
        text_at(&self.bytes, at)
    }

    /// Bytes of all strings.
    pub fn len(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Strings from a position on.
    pub(crate) fn since(&self, mut at: u32) -> impl Iterator<Item = &str> {
        std::iter::from_fn(move || {
            let text = ((at as usize) < self.bytes.len()).then(|| text_at(&self.bytes, at))?;
            at += 2 + text.len() as u32;
            Some(text)
        })
    }

    /// Where a string begins, if it is there.
    pub(crate) fn get(&self, text: &str) -> Option<Symbol> {
        find(&self.bytes, &self.slots, text).ok().map(Symbol)
    }

    pub(crate) fn symbol(&mut self, text: &str) -> Symbol {
        Symbol(self.add(text))
    }

    pub(crate) fn of(&self, symbol: Symbol) -> &str {
        text_at(&self.bytes, symbol.0)
    }

    /// The strings, and the slots.
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
    use super::{Symbols, text_at};

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
        let first: Vec<u32> = (0..3_000).map(|i| writer.add(&format!("name {i}"))).collect();
        let (bytes, slots) = writer.finish();
        let mut writer = Symbols::after(&bytes, &slots);
        let again: Vec<u32> = (0..3_000).map(|i| writer.add(&format!("name {i}"))).collect();
        assert_eq!(first, again);
        let empty = writer.add("");
        let (bytes, _) = writer.finish();
        assert_eq!((empty as usize, text_at(&bytes, again[2_999])), (bytes.len() - 2, "name 2999"));
    }
}
