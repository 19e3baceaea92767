//! A fixed orthogonal rotation for each number of dimensions: it spreads large numbers of a vector over all of them and keeps lengths and
//! products.
//!
//! Each step changes the signs of some numbers and applies a fast Hadamard transform, in turn to the first and to the last of them: as many as
//! the largest power of two that fits, so that any number of dimensions works.

/// Steps. Four pass numbers of both ends on to all others.
const STEPS: u64 = 4;

/// Rotates a vector.
pub(crate) fn rotate(vector: &mut [f32]) {
    for step in 0..STEPS {
        change_signs(vector, step);
        transform(stretch(vector, step));
    }
}

/// Undoes [`rotate`].
pub(crate) fn rotate_back(vector: &mut [f32]) {
    for step in (0..STEPS).rev() {
        transform(stretch(vector, step));
        change_signs(vector, step);
    }
}

/// The numbers that a step transforms.
fn stretch(vector: &mut [f32], step: u64) -> &mut [f32] {
    let len = vector.len();
    let most = len.checked_ilog2().map_or(0, |power| 1 << power);
    if step.is_multiple_of(2) { &mut vector[..most] } else { &mut vector[len - most..] }
}

/// SplitMix64, seeded by the step: an index is read by other machines than wrote it.
fn change_signs(vector: &mut [f32], step: u64) {
    let mut state = step;
    for some in vector.chunks_mut(64) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        for (at, x) in some.iter_mut().enumerate() {
            *x = f32::from_bits(x.to_bits() ^ ((bits >> at & 1) as u32) << 31);
        }
    }
}

/// The Hadamard transform, scaled so that it keeps lengths: its own inverse. The length is a power of two.
fn transform(numbers: &mut [f32]) {
    let mut half = 1;
    while half < numbers.len() {
        for pair in numbers.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    let scale = (numbers.len() as f32).sqrt().recip();
    for x in numbers {
        *x *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::{rotate, rotate_back};

    #[test]
    fn a_rotation_keeps_lengths_spreads_peaks_and_is_undone() {
        for dimensions in [0_usize, 1, 2, 3, 7, 64, 100, 384, 768, 1000] {
            for peak in [0, dimensions / 2, dimensions.saturating_sub(1)] {
                let mut vector: Vec<f32> = (0..dimensions).map(|i| if i == peak { 10.0 } else { 0.1 }).collect();
                let before = vector.clone();
                let squares = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>();
                rotate(&mut vector);
                assert!((squares(&vector) - squares(&before)).abs() <= 1e-4 * squares(&before), "{dimensions}");
                let largest = vector.iter().fold(0f32, |most, x| most.max(x.abs()));
                assert!(dimensions < 64 || largest < 5.0, "{largest} of {dimensions}");
                rotate_back(&mut vector);
                assert!(vector.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-4), "{dimensions}");
            }
        }
    }
}
