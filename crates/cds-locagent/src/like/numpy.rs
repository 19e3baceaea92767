//! The ten best of an array, in the order numpy 1.26 gives them, equal scores included.
//!
//! bm25s takes `argpartition` for the choice and a reversed `argsort` for the order, neither of which is stable. Which of many equal scores are chosen,
//! and in which order, follows from the algorithms alone: an introselect over indexes, then, on the processors the reference was recorded on, a sorting
//! network of eight lanes. Both are here in the form that moves equal elements in the same way.

/// How many are chosen.
pub(crate) const TOP: usize = 10;

/// Places of the ten largest scores, best first. There must be ten.
pub(crate) fn top(scores: &[f32]) -> [u32; TOP] {
    assert!(scores.len() >= TOP, "the caller refuses smaller indexes");
    let mut places: Vec<u32> = (0..scores.len() as u32).collect();
    let first = places.len() - TOP;
    Selection { scores, places: &mut places }.select(first);
    let chosen: [u32; TOP] = places[first..].try_into().expect("ten are left");
    let mut order = network_order(&chosen.map(|place| scores[place as usize]));
    order.reverse();
    order.map(|lane| chosen[lane])
}

struct Selection<'a> {
    scores: &'a [f32],
    places: &'a mut [u32],
}

impl Selection<'_> {
    fn at(&self, slot: usize) -> f32 {
        self.scores[self.places[slot] as usize]
    }

    fn less(&self, a: usize, b: usize) -> bool {
        self.at(a) < self.at(b)
    }

    /// Moves what belongs to `slot` there, nothing larger before it, nothing smaller after it.
    fn select(&mut self, slot: usize) {
        let len = self.places.len();
        if slot < 3 {
            return self.select_smallest(slot);
        }
        if slot == len - 1 {
            return self.select_largest();
        }
        let (mut low, mut high) = (0, len - 1);
        let mut cheap_rounds = 2 * len.ilog2();
        while low + 1 < high {
            let (mut left, mut right);
            if cheap_rounds > 0 || high - low < 6 {
                self.median_of_three(low, low + (high - low) / 2, high);
                (left, right) = (low + 1, high);
            } else {
                // The pivot is somewhere inside, so the outermost two are compared as well.
                let pivot = low + 1 + self.median_of_medians(low + 1, high);
                self.places.swap(pivot, low);
                (left, right) = (low, high + 1);
            }
            cheap_rounds = cheap_rounds.saturating_sub(1);
            self.split(low, &mut left, &mut right);
            self.places.swap(low, right);
            if right >= slot {
                high = right - 1;
            }
            if right <= slot {
                low = left;
            }
        }
        if high == low + 1 && self.less(high, low) {
            self.places.swap(high, low);
        }
    }

    /// For the first few slots: one pass each.
    fn select_smallest(&mut self, slot: usize) {
        for start in 0..=slot {
            let smallest = (start + 1..self.places.len())
                .fold(start, |best, next| if self.less(next, best) { next } else { best });
            self.places.swap(start, smallest);
        }
    }

    /// For the last slot: the last of the largest.
    fn select_largest(&mut self) {
        let last = self.places.len() - 1;
        let largest = (1..=last).fold(0, |best, next| if self.less(next, best) { best } else { next });
        self.places.swap(last, largest);
    }

    /// Puts the median of three to `low`, the smallest beside it and the largest to `high`, where they stop the scans of `split`.
    fn median_of_three(&mut self, low: usize, mid: usize, high: usize) {
        for (a, b) in [(high, mid), (high, low), (low, mid)] {
            if self.less(a, b) {
                self.places.swap(a, b);
            }
        }
        self.places.swap(mid, low + 1);
    }

    /// Scans from both sides towards the middle and swaps what is on the wrong side of the pivot, equal ones too.
    fn split(&mut self, pivot: usize, left: &mut usize, right: &mut usize) {
        let pivot = self.at(pivot);
        loop {
            *left += 1;
            while self.at(*left) < pivot {
                *left += 1;
            }
            *right -= 1;
            while pivot < self.at(*right) {
                *right -= 1;
            }
            if *right < *left {
                return;
            }
            self.places.swap(*left, *right);
        }
    }

    /// Gathers the medians of groups of five at the front of `from..to` and gives the place, from `from`, of their median.
    fn median_of_medians(&mut self, from: usize, to: usize) -> usize {
        let groups = (to - from) / 5;
        for group in 0..groups {
            let median = self.median_of_five(from + 5 * group);
            self.places.swap(median, from + group);
        }
        if groups > 2 {
            let places = &mut self.places[from..from + groups];
            Selection { scores: self.scores, places }.select(groups / 2);
        }
        groups / 2
    }

    fn median_of_five(&mut self, from: usize) -> usize {
        for (a, b) in [(1, 0), (4, 3), (3, 0), (4, 1), (2, 1)] {
            if self.less(from + a, from + b) {
                self.places.swap(from + a, from + b);
            }
        }
        match (self.less(from + 3, from + 2), self.less(from + 3, from + 1)) {
            (true, true) => from + 1,
            (true, false) => from + 3,
            (false, _) => from + 2,
        }
    }
}

const LANES: usize = 8;

/// Keys and where they come from.
#[derive(Clone, Copy)]
struct Vector {
    keys: [f32; LANES],
    from: [usize; LANES],
}

/// One layer of the network: each lane is compared with lane `lane ^ partner` and keeps the larger if its bit is set in `larger`.
type Layer = (usize, u8);

/// Sorts eight lanes: bitonic runs of two, four, eight.
const SORT: [Layer; 6] = [(1, 0xaa), (3, 0xcc), (1, 0xaa), (7, 0xf0), (2, 0xcc), (1, 0xaa)];

/// Sorts eight lanes that are bitonic already.
const MERGE: [Layer; 3] = [(4, 0xf0), (2, 0xcc), (1, 0xaa)];

impl Vector {
    /// Lanes beyond the keys are infinite, and end up behind them.
    fn load(keys: &[f32], first: usize) -> Self {
        let mut vector = Self { keys: [f32::INFINITY; LANES], from: [0; LANES] };
        for (lane, &key) in keys.iter().enumerate() {
            (vector.keys[lane], vector.from[lane]) = (key, first + lane);
        }
        vector
    }

    fn through(self, layers: &[Layer]) -> Self {
        layers.iter().fold(self, |vector, &(partner, larger)| vector.layer(partner, larger))
    }

    /// A lane whose key is equal to its partner's keeps its own origin.
    fn layer(self, partner: usize, larger: u8) -> Self {
        let mut next = self;
        for lane in 0..LANES {
            let (own, other) = (self.keys[lane], self.keys[lane ^ partner]);
            let takes_other = if larger >> lane & 1 == 1 { other > own } else { other < own };
            if takes_other {
                (next.keys[lane], next.from[lane]) = (other, self.from[lane ^ partner]);
            }
        }
        next
    }

    fn reversed(mut self) -> Self {
        self.keys.reverse();
        self.from.reverse();
        self
    }
}

/// `argsort` of ten keys, ascending.
fn network_order(keys: &[f32; TOP]) -> [usize; TOP] {
    let low = Vector::load(&keys[..LANES], 0).through(&SORT);
    let high = Vector::load(&keys[LANES..], LANES).through(&SORT).reversed();
    let (mut smaller, mut larger) = (low, high);
    for lane in 0..LANES {
        if high.keys[lane] < low.keys[lane] {
            (smaller.keys[lane], smaller.from[lane]) = (high.keys[lane], high.from[lane]);
            (larger.keys[lane], larger.from[lane]) = (low.keys[lane], low.from[lane]);
        }
    }
    let (smaller, larger) = (smaller.through(&MERGE), larger.reversed().through(&MERGE));
    let mut order = [0; TOP];
    order[..LANES].copy_from_slice(&smaller.from);
    order[LANES..].copy_from_slice(&larger.from[..TOP - LANES]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores as digits; what numpy 1.26.4 chooses of them.
    #[test]
    fn equal_scores_come_in_numpys_order() {
        let check = |scores: &str, expected: [u32; TOP]| {
            let array: Vec<f32> = scores.bytes().map(|digit| f32::from(digit - b'0')).collect();
            assert_eq!(top(&array), expected, "{scores}");
        };
        check("0000000000", [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        check("1011101111", [9, 8, 7, 6, 4, 3, 0, 2, 5, 1]);
        check("1141041434", [9, 7, 2, 5, 8, 6, 0, 3, 1, 4]);
        check("0123443210", [5, 4, 6, 3, 7, 2, 1, 8, 9, 0]);
        check("0000000000000", [12, 2, 3, 4, 5, 1, 0, 8, 6, 10]);
        check("1101100000100", [0, 10, 4, 3, 1, 2, 5, 12, 8, 6]);
        check("4130114443003", [6, 7, 8, 0, 9, 2, 12, 5, 4, 1]);
        check("0000000000000", [12, 2, 3, 4, 5, 1, 0, 8, 6, 10]);
        check("0123456543210", [6, 5, 7, 8, 4, 9, 3, 2, 10, 11]);
        check("00000000000000000000000000000", [28, 12, 11, 10, 9, 13, 7, 1, 5, 8]);
        check("01110010101010110000100001001", [28, 2, 3, 6, 8, 10, 12, 1, 15, 14]);
        check("30240243433102241242321303010", [18, 3, 15, 6, 8, 0, 10, 9, 20, 7]);
        check("00000000000000000000000000000", [28, 12, 11, 10, 9, 13, 7, 1, 5, 8]);
        check("000000000000000000000000000000000000000000000000000000000", [56, 17, 18, 19, 20, 16, 27, 23, 21, 25]);
        check("001011100000010101011111010001010111011101111111000000011", [56, 19, 35, 34, 33, 31, 38, 13, 39, 25]);
        check("421112010442000220424242112241021213112440030103131301204", [56, 9, 10, 18, 20, 22, 39, 40, 0, 28]);
    }
}
