//! What is done in single precision: norms, activations, softmax and small products. All are loops over blocks of known length, which
//! compilers turn into vector instructions.

use std::array;

use super::processor::Processor;

/// Numbers that are looked at together.
pub(super) const LANES: usize = 16;

/// Arguments of `exp` are clamped to this range: beyond it the result is not a normal float.
const EXP_RANGE: (f32, f32) = (-87.0, 88.0);

/// Added to a number below 2^22, positive or not, it leaves the rounded number in the lowest bits.
const ROUNDING: f32 = (3 << 22) as f32;

/// A non-linear function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    GeluTanh,
    Relu,
    Silu,
}

impl Activation {
    /// Replaces each number by the function of it.
    #[inline(always)]
    pub(super) fn apply<P: Processor>(self, processor: P, values: &mut [f32]) {
        match self {
            Activation::Gelu => values.iter_mut().for_each(|x| *x = gelu(processor, *x)),
            Activation::GeluTanh => values.iter_mut().for_each(|x| {
                let inner = 1.595_769 * (*x + 0.044_715 * *x * *x * *x);
                *x /= 1.0 + exp(processor, -inner);
            }),
            Activation::Relu => values.iter_mut().for_each(|x| *x = if *x > 0.0 { *x } else { 0.0 }),
            Activation::Silu => values.iter_mut().for_each(|x| *x /= 1.0 + exp(processor, -*x)),
        }
    }
}

/// A layer norm's weights.
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) epsilon: f32,
}

impl Norm {
    /// Norms each row in place.
    #[inline(always)]
    pub(super) fn apply(&self, states: &mut [f32]) {
        let size = self.weight.len();
        for row in states.chunks_exact_mut(size) {
            let mean = sum(row, |x| x) / size as f32;
            let variance = sum(row, |x| (x - mean) * (x - mean)) / size as f32;
            let scale = (variance + self.epsilon).sqrt().recip();
            for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = (*x - mean) * scale * weight + bias;
            }
        }
    }

    /// Adds `more` to each row before.
    #[inline(always)]
    pub(super) fn add_and_apply(&self, states: &mut [f32], more: &[f32]) {
        for (x, y) in states.iter_mut().zip(more) {
            *x += y;
        }
        self.apply(states);
    }
}

/// e to the power of x, off by a few units of the last place.
#[inline(always)]
fn exp<P: Processor>(processor: P, x: f32) -> f32 {
    let fma = |a, b, c| processor.multiply_add(a, b, c);
    let x = if x > EXP_RANGE.0 { x } else { EXP_RANGE.0 };
    let x = if x < EXP_RANGE.1 { x } else { EXP_RANGE.1 };
    let power = fma(x, std::f32::consts::LOG2_E, ROUNDING);
    let whole = power - ROUNDING;
    // The logarithm of two in two parts, the first of which has few digits. The polynomial is that of Cephes.
    let rest = fma(whole, 2.121_944_4e-4, fma(whole, -0.693_359_4, x));
    let mut y = fma(1.987_569_1e-4, rest, 1.398_199_9e-3);
    y = fma(y, rest, 8.333_452e-3);
    y = fma(y, rest, 4.166_579_6e-2);
    y = fma(y, rest, 0.166_666_65);
    y = fma(y, rest, 0.5);
    y = fma(y, rest * rest, rest + 1.0);
    f32::from_bits(y.to_bits().wrapping_add(power.to_bits() << 23))
}

/// Half of x times one plus the error function of x over the root of two, by formula 7.1.26 of Abramowitz and Stegun: off by 1.5e-7.
#[inline(always)]
fn gelu<P: Processor>(processor: P, x: f32) -> f32 {
    let fma = |a, b, c| processor.multiply_add(a, b, c);
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = fma(0.327_591_1, z, 1.0).recip();
    let mut y = fma(1.061_405_4, t, -1.453_152);
    y = fma(y, t, 1.421_413_7);
    y = fma(y, t, -0.284_496_74);
    y = fma(y, t, 0.254_829_6);
    let tail = 0.5 * y * t * exp(processor, -z * z);
    // The share of x: one minus the tail on the right, the tail on the left.
    x * if x > 0.0 { 1.0 - tail } else { tail }
}

/// Makes each row's numbers positive ones that sum to one. Rows are blocks; what is no score must be the least float.
#[inline(always)]
pub(super) fn softmax<P: Processor>(processor: P, row: &mut [f32]) {
    let largest = highest(row);
    let mut sums = [0.0; LANES];
    for block in row.as_chunks_mut::<LANES>().0 {
        for (x, sum) in block.iter_mut().zip(&mut sums) {
            *x = exp(processor, *x - largest);
            *sum += *x;
        }
    }
    let scale = sums.iter().sum::<f32>().recip();
    for x in row {
        *x *= scale;
    }
}

/// The largest number; the least float of none.
#[inline(always)]
pub(super) fn highest(values: &[f32]) -> f32 {
    fold(values, f32::MIN, |a, b| if b > a { b } else { a })
}

/// The least number; the largest float of none.
#[inline(always)]
pub(super) fn lowest(values: &[f32]) -> f32 {
    fold(values, f32::MAX, |a, b| if b < a { b } else { a })
}

#[inline(always)]
fn sum(values: &[f32], each: impl Fn(f32) -> f32) -> f32 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for block in blocks {
        for (sum, x) in sums.iter_mut().zip(block) {
            *sum += each(*x);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|x| each(*x)).sum::<f32>()
}

#[inline(always)]
fn fold(values: &[f32], first: f32, choose: impl Fn(f32, f32) -> f32) -> f32 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut chosen = [first; LANES];
    for block in blocks {
        for (chosen, x) in chosen.iter_mut().zip(block) {
            *chosen = choose(*chosen, *x);
        }
    }
    chosen.into_iter().chain(rest.iter().copied()).fold(first, choose)
}

/// The left side of a product: rows that begin `stride` apart and have `inputs` numbers.
#[derive(Clone, Copy)]
pub(super) struct Left<'a> {
    pub(super) values: &'a [f32],
    pub(super) stride: usize,
    pub(super) inputs: usize,
}

/// The product of the left side's rows and of `right`, which has `width` columns, a multiple of 32. `out` says how many rows there are.
#[inline(always)]
pub(super) fn product<P: Processor>(processor: P, left: Left, right: &[f32], width: usize, out: &mut [f32]) {
    if P::WIDE {
        product_by::<P, 4, 32>(processor, left, right, width, out);
    } else {
        product_by::<P, 4, 16>(processor, left, right, width, out);
    }
}

#[inline(always)]
fn product_by<P: Processor, const R: usize, const C: usize>(
    processor: P,
    left: Left,
    right: &[f32],
    width: usize,
    out: &mut [f32],
) {
    let count = out.len() / width;
    for column in (0..width).step_by(C) {
        let mut row = 0;
        while row + R <= count {
            tile::<P, R, C>(processor, left, row, right, width, column, out);
            row += R;
        }
        while row < count {
            tile::<P, 1, C>(processor, left, row, right, width, column, out);
            row += 1;
        }
    }
}

/// Some rows and columns of a product, whose sums stay in registers.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn tile<P: Processor, const R: usize, const C: usize>(
    processor: P,
    left: Left,
    row: usize,
    right: &[f32],
    width: usize,
    column: usize,
    out: &mut [f32],
) {
    let rows: [&[f32]; R] = array::from_fn(|at| &left.values[(row + at) * left.stride..][..left.inputs]);
    let mut sums = [[0.0; C]; R];
    for (input, right) in right.chunks_exact(width).take(left.inputs).enumerate() {
        let right = &right[column..column + C];
        for (sums, row) in sums.iter_mut().zip(rows) {
            let x = row[input];
            for (sum, y) in sums.iter_mut().zip(right) {
                *sum = processor.multiply_add(x, *y, *sum);
            }
        }
    }
    for (at, sums) in sums.iter().enumerate() {
        out[(row + at) * width + column..][..C].copy_from_slice(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::super::processor::{Machine, Work};
    use super::*;

    struct Apply(Activation, Vec<f32>);

    impl Work for Apply {
        type Output = Vec<f32>;

        #[inline(always)]
        fn run<P: Processor>(mut self, processor: P) -> Vec<f32> {
            self.0.apply(processor, &mut self.1);
            self.1
        }
    }

    #[test]
    fn activations_are_those_of_their_definitions() {
        let check = |activation: Activation, expect: &[(f32, f32)]| {
            let inputs: Vec<f32> = expect.iter().map(|(x, _)| *x).collect();
            for machine in Machine::all() {
                let found = machine.run(Apply(activation, inputs.clone()));
                for (found, (x, y)) in found.iter().zip(expect) {
                    assert!(
                        (found - y).abs() < 1e-5 * y.abs().max(1.0),
                        "{activation:?}({x}) is {found} on {machine:?}"
                    );
                }
            }
        };
        let ends = [(0.0, 0.0), (100.0, 100.0), (-100.0, 0.0)];
        check(
            Activation::Gelu,
            &[&ends[..], &[(1.0, 0.841_344_7), (-1.0, -0.158_655_3), (-3.0, -0.004_049_7)]].concat(),
        );
        check(
            Activation::GeluTanh,
            &[&ends[..], &[(1.0, 0.841_192), (-1.0, -0.158_808), (-3.0, -0.003_637_4)]].concat(),
        );
        check(Activation::Silu, &[&ends[..], &[(1.0, 0.731_058_6), (-1.0, -0.268_941_4)]].concat());
        check(Activation::Relu, &[&ends[..], &[(1.5, 1.5), (-1.5, 0.0)]].concat());
    }

    struct Softmax(Vec<f32>);

    impl Work for Softmax {
        type Output = Vec<f32>;

        #[inline(always)]
        fn run<P: Processor>(mut self, processor: P) -> Vec<f32> {
            softmax(processor, &mut self.0);
            self.0
        }
    }

    #[test]
    fn softmax_leaves_nothing_to_what_is_no_score() {
        let mut row = vec![f32::MIN; LANES];
        row[..3].copy_from_slice(&[1.0, 2.0, 3.0]);
        for machine in Machine::all() {
            let found = machine.run(Softmax(row.clone()));
            for (found, expect) in found.iter().zip([0.090_030_6, 0.244_728_5, 0.665_240_9, 0.0]) {
                assert!((found - expect).abs() < 1e-6, "{found} on {machine:?}");
            }
        }
    }
}
