//! Every string of the tables, once: two bytes of length, then the text. Beside them a table of slots, by hash, tells whether a string is
//! there: an update adds to what the last one wrote without reading it all.

/// Collects strings while a generation is written.
pub(crate) struct StringsWriter {
    bytes: Vec<u8>,
    /// Where a string begins, plus one; 0 is free. A power of two, at most half full.
    slots: Vec<u32>,
    used: usize,
}

/// Strings are cut at this length.
const LONGEST: usize = u16::MAX as usize;

impl Default for StringsWriter {
    fn default() -> StringsWriter {
        StringsWriter { bytes: Vec::new(), slots: vec![0; 1 << 10], used: 0 }
    }
}

impl StringsWriter {
    /// Goes on where another one ended.
    pub(crate) fn after(bytes: &[u8], slots: &[u32]) -> StringsWriter {
        if !slots.len().is_power_of_two() {
            return StringsWriter::default();
        }
        let used = slots.iter().filter(|slot| **slot != 0).count();
        StringsWriter { bytes: bytes.to_vec(), slots: slots.to_vec(), used }
    }

    /// The position of `text`, which is added when it is new.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
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
            let free = find(&self.bytes, &slots, get(&self.bytes, slot - 1));
            slots[free.expect_err("every string is there once")] = slot;
        }
        self.slots = slots;
    }

    /// The string added at a position.
    pub(crate) fn get(&self, at: u32) -> &str {
        get(&self.bytes, at)
    }

    /// The strings, and the slots.
    pub(crate) fn finish(self) -> (Vec<u8>, Vec<u32>) {
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
            at if get(bytes, at - 1) == text => return Ok(at - 1),
            _ => slot = (slot + 1) & mask,
        }
    }
}

/// The string at a position; empty when the position is damaged.
pub(crate) fn get(bytes: &[u8], at: u32) -> &str {
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
    use super::{StringsWriter, get};

    #[test]
    fn equal_strings_are_stored_once() {
        let mut writer = StringsWriter::default();
        let (a, b, c) = (writer.add("alpha"), writer.add("beta"), writer.add("alpha"));
        let long = writer.add(&"é".repeat(40_000));
        assert_eq!(writer.add(&"é".repeat(50_000)), long, "cut to the same");
        let (bytes, _) = writer.finish();
        assert_eq!((get(&bytes, a), get(&bytes, b), a), ("alpha", "beta", c));
        assert_eq!(get(&bytes, long).len(), 65_534, "cut at a character");
        assert_eq!(get(&bytes, 1 << 30), "");
    }

    #[test]
    fn an_update_goes_on_where_the_last_one_ended() {
        let mut writer = StringsWriter::default();
        let first: Vec<u32> = (0..3_000).map(|i| writer.add(&format!("name {i}"))).collect();
        let (bytes, slots) = writer.finish();
        let mut writer = StringsWriter::after(&bytes, &slots);
        let again: Vec<u32> = (0..3_000).map(|i| writer.add(&format!("name {i}"))).collect();
        assert_eq!(first, again);
        let empty = writer.add("");
        let (bytes, _) = writer.finish();
        assert_eq!((empty as usize, get(&bytes, again[2_999])), (bytes.len() - 2, "name 2999"));
    }
}
