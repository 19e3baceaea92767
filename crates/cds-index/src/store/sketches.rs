//! A sketch of each vector: the sign of every number, one bit, and what a cosine is guessed by.
//!
//! Sketches are a seventh of what they stand for, and counting bits is cheaper than multiplying: a look at all sketches says which vectors
//! are worth a look. For a vector `o`, the signs `x` of its numbers and a query `q`, the guess of the product `o·q` is `x·q` times `o·o / x·o`
//! (the estimator of RaBitQ, Gao and Long 2024). Numbers of the query are rounded to four bits, so that `x·q` is a few counts of common bits.

/// Bits of a rounded number of the query.
const BITS: usize = 4;

/// The largest of them.
const LARGEST: f32 = ((1 << BITS) - 1) as f32;

/// How far a guess is from the cosine, times the root of the dimensions: nearly never further. One in a hundred is off by more than 2.
const MARGIN: f32 = 2.0;

/// Words that a sketch takes: signs, then in the last one how many are positive and what a product of signs is multiplied with.
pub(crate) fn stride(dimensions: usize) -> usize {
    dimensions.div_ceil(64) + 1
}

/// Adds the sketch of a vector whose numbers are `codes` times `scale`.
pub(crate) fn add(codes: &[i8], scale: f32, sketches: &mut Vec<u64>) {
    let mut positive = 0;
    for some in codes.chunks(64) {
        let signs = some.iter().enumerate().fold(0, |signs, (bit, x)| signs | u64::from(*x > 0) << bit);
        positive += signs.count_ones();
        sketches.push(signs);
    }
    let sizes: u32 = codes.iter().map(|x| u32::from(x.unsigned_abs())).sum();
    let squares: u32 = codes.iter().map(|x| u32::from(x.unsigned_abs()).pow(2)).sum();
    let share = if sizes == 0 { 0.0 } else { scale * squares as f32 / sizes as f32 };
    sketches.push(u64::from(positive) << 32 | u64::from(share.to_bits()));
}

/// A query that sketches are held against.
pub(crate) struct SketchQuery {
    dimensions: usize,
    /// For 64 numbers each: their lowest bits, the next ones, and so on.
    planes: Vec<[u64; BITS]>,
    /// What no bit stands for, and what the lowest bit does.
    low: f32,
    step: f32,
    /// The sum of all rounded numbers.
    sum: f32,
}

impl SketchQuery {
    pub(crate) fn new(query: &[f32]) -> SketchQuery {
        let low = query.iter().copied().fold(f32::MAX, f32::min);
        let high = query.iter().copied().fold(f32::MIN, f32::max);
        let step = ((high - low) / LARGEST).max(f32::MIN_POSITIVE);
        let mut planes = Vec::new();
        let mut total = 0;
        for some in query.chunks(64) {
            let mut plane = [0; BITS];
            for (at, x) in some.iter().enumerate() {
                let rounded = ((x - low) / step).round().min(LARGEST) as u64;
                total += rounded;
                for (bit, plane) in plane.iter_mut().enumerate() {
                    *plane |= (rounded >> bit & 1) << at;
                }
            }
            planes.push(plane);
        }
        SketchQuery { dimensions: query.len(), planes, low, step, sum: low * query.len() as f32 + step * total as f32 }
    }

    /// How far below what is needed a guess may lie.
    pub(crate) fn margin(&self) -> f32 {
        MARGIN / (self.dimensions as f32).sqrt()
    }

    /// Guesses the product with each vector. The loop is plain; it is compiled a second time for processors that count bits of many words at
    /// once, and a third time for those that count bits at all.
    pub(crate) fn guess(&self, sketches: &[u64], out: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx512vpopcntdq") && has!("avx512vl") && has!("avx512bw") {
                #[allow(unsafe_code)]
                // SAFETY: the processor has the features, as was just asked.
                return unsafe { self.guess_wide(sketches, out) };
            }
            if has!("popcnt") {
                #[allow(unsafe_code)]
                // SAFETY: as above.
                return unsafe { self.guess_counting(sketches, out) };
            }
        }
        self.guess_plain(sketches, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt")]
    fn guess_wide(&self, sketches: &[u64], out: &mut [f32]) {
        self.guess_plain(sketches, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn guess_counting(&self, sketches: &[u64], out: &mut [f32]) {
        self.guess_plain(sketches, out);
    }

    // All compilations are of this one loop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn guess_plain(&self, sketches: &[u64], out: &mut [f32]) {
        match <&[[u64; BITS]; 4]>::try_from(self.planes.as_slice()) {
            // The built-in model's 256 numbers: a loop of known length is twice as fast.
            Ok(planes) => self.guess_by(planes, sketches, out),
            Err(_) => self.guess_by(&self.planes, sketches, out),
        }
    }

    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn guess_by(&self, planes: &[[u64; BITS]], sketches: &[u64], out: &mut [f32]) {
        for (sketch, out) in sketches.chunks_exact(planes.len() + 1).zip(out) {
            let (signs, last) = sketch.split_at(planes.len());
            let mut counts = [0; BITS];
            for (signs, plane) in signs.iter().zip(planes) {
                for (count, bits) in counts.iter_mut().zip(plane) {
                    *count += (signs & bits).count_ones();
                }
            }
            let common: u32 = counts.iter().enumerate().map(|(bit, count)| count << bit).sum();
            let (positive, share) = ((last[0] >> 32) as i32, f32::from_bits(last[0] as u32));
            // Small numbers as signed ones of four bytes: many of those become floats at once.
            *out = (2.0 * (self.low * positive as f32 + self.step * common as i32 as f32) - self.sum) * share;
        }
    }
}
