//! In which order CPython walks a set of strings, when hashes are not salted (`PYTHONHASHSEED=0`).
//!
//! LocAgent keeps the spans of a chunk in a set, shows the first five of it and writes all of them into the document that is searched. So the order is
//! part of its answer.

/// Entries looked at beside a slot before the next jump.
const NEIGHBOURS: usize = 9;

/// The items as `list(set(items))` has them; `items` may repeat.
pub(crate) fn order<'a>(items: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut table = Table { slots: vec![None; 8], used: 0 };
    for item in items {
        table.add((hash(item), item));
    }
    table.slots.into_iter().flatten().map(|(_, item)| item).collect()
}

type Entry<'a> = (u64, &'a str);

struct Table<'a> {
    slots: Vec<Option<Entry<'a>>>,
    used: usize,
}

impl<'a> Table<'a> {
    fn add(&mut self, entry: Entry<'a>) {
        let slot = self.slot(entry);
        if self.slots[slot].is_some() {
            return;
        }
        self.slots[slot] = Some(entry);
        self.used += 1;
        if self.used * 5 >= (self.slots.len() - 1) * 3 {
            self.grow();
        }
    }

    /// Where the entry is, or the free slot where it belongs: a run of neighbours, then a jump that mixes in more of the hash.
    fn slot(&self, (hash, item): Entry) -> usize {
        let mask = self.slots.len() - 1;
        let (mut start, mut rest) = (hash as usize & mask, hash);
        loop {
            // A run that would leave the table is not tried at all.
            let run = if start + NEIGHBOURS <= mask { NEIGHBOURS } else { 0 };
            let fits = |slot: &usize| self.slots[*slot].is_none_or(|(_, other)| other == item);
            if let Some(slot) = (start..=start + run).find(fits) {
                return slot;
            }
            rest >>= 5;
            start = start.wrapping_mul(5).wrapping_add(1).wrapping_add(rest as usize) & mask;
        }
    }

    /// Four times what is used (twice for a large set), rounded up to a power of two; entries move in table order.
    fn grow(&mut self) {
        let wanted = if self.used > 50_000 { self.used * 2 } else { self.used * 4 };
        let size = (wanted + 1).next_power_of_two().max(8);
        let old = std::mem::replace(&mut self.slots, vec![None; size]);
        for entry in old.into_iter().flatten() {
            let slot = self.slot(entry);
            self.slots[slot] = Some(entry);
        }
    }
}

/// `hash(text)`: SipHash-1-3 with a zero key over the bytes CPython stores, whose width is that of the widest character.
fn hash(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let widest = text.chars().max().map_or(0, u32::from);
    let bytes: Vec<u8> = match widest {
        0..=0x7f => text.bytes().collect(),
        0x80..=0xff => text.chars().map(|c| c as u8).collect(),
        0x100..=0xffff => text.chars().flat_map(|c| (c as u16).to_le_bytes()).collect(),
        _ => text.chars().flat_map(|c| (c as u32).to_le_bytes()).collect(),
    };
    // CPython keeps -1 for errors.
    match siphash13(&bytes) {
        u64::MAX => u64::MAX - 1,
        hash => hash,
    }
}

fn siphash13(bytes: &[u8]) -> u64 {
    let mut state = Sip([0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573]);
    let (words, tail) = bytes.as_chunks::<8>();
    for word in words {
        state.absorb(u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    last[7] = bytes.len() as u8;
    state.absorb(u64::from_le_bytes(last));
    state.finish()
}

struct Sip([u64; 4]);

impl Sip {
    fn absorb(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.0[0] ^= word;
    }

    fn finish(mut self) -> u64 {
        self.0[2] ^= 0xff;
        for _ in 0..3 {
            self.round();
        }
        self.0.into_iter().fold(0, |sum, part| sum ^ part)
    }

    fn round(&mut self) {
        let [mut a, mut b, mut c, mut d] = self.0;
        a = a.wrapping_add(b);
        b = b.rotate_left(13) ^ a;
        a = a.rotate_left(32);
        c = c.wrapping_add(d);
        d = d.rotate_left(16) ^ c;
        a = a.wrapping_add(d);
        d = d.rotate_left(21) ^ a;
        c = c.wrapping_add(b);
        b = b.rotate_left(17) ^ c;
        c = c.rotate_left(32);
        self.0 = [a, b, c, d];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_cpythons() {
        let check = |text: &str, expected: i64| assert_eq!(hash(text) as i64, expected, "{text}");
        check("a", 4_644_417_185_603_328_019);
        check("imports", 6_963_272_478_589_100_350);
        check("Session.send", -6_399_416_105_696_409_973);
        check("é", 6_047_309_291_227_476_195);
        check("日本", 6_243_316_497_235_261_705);
        check("😀 x", -4_799_405_777_759_393_172);
        check("docstring", -2_194_482_081_861_566_190);
    }

    #[test]
    fn sets_are_walked_as_cpython_does() {
        let check = |items: &str, expected: &str| assert_eq!(order(items.split(' ')).join(" "), expected);
        check("imports docstring impl", "docstring impl imports");
        check("A A.b A.c A.d A.e A.f A.g A.h", "A.f A.e A A.b A.d A.h A.g A.c");
        check("x x y", "y x");
        check(
            "a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff gg hh",
            "z r cc a bb v o j f x g k ff p ee d y n gg hh b m aa dd q u s h t i c e w l",
        );
    }
}
