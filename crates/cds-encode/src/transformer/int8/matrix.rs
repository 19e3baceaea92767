//! Linear layers in whole numbers. A weight is a signed byte times its output's scale; an input is an unsigned byte times its row's scale,
//! plus the row's least number. So an output is
//!
//! `row scale * column scale * sum of products + least * sum of the column's weights + bias`
//!
//! and only the sum of products is as much work as there are weights.

use super::float::{Activation, highest, lowest};
use super::processor::{COLUMNS, Group, Processor, ROWS, Strip};

/// The largest weight of an output becomes this.
const LARGEST_WEIGHT: f32 = 127.0;

/// The largest input of a row becomes this, the least zero.
const LARGEST_INPUT: f32 = 255.0;

/// The most inputs of a layer: sums of more products may overflow.
pub(super) const MOST_INPUTS: usize = 1 << 16;

/// Added to a number from zero to 2^22, it leaves the rounded number in the lowest bits.
const ROUNDING: f32 = (1 << 23) as f32;

/// A map from inputs to outputs.
pub(super) struct Linear {
    outputs: usize,
    /// For each 64 outputs, their weights by input.
    strips: Vec<Strip>,
    /// Groups of four inputs.
    groups: usize,
    columns: Vec<[Column; COLUMNS]>,
}

/// What else there is of an output.
#[derive(Clone, Copy, Default)]
struct Column {
    scale: f32,
    sum: f32,
    bias: f32,
}

/// Rows of inputs, rounded.
#[derive(Default)]
pub(super) struct Rows {
    groups: Vec<Group>,
    /// Scale and least number of each row.
    ranges: Vec<(f32, f32)>,
    codes: Vec<u8>,
}

impl Linear {
    /// Rounds weights, `inputs` for each output.
    pub(super) fn new(inputs: usize, weights: &[f32], bias: &[f32]) -> Linear {
        let (outputs, groups) = (bias.len(), inputs.div_ceil(4));
        let panels = outputs.div_ceil(COLUMNS);
        let mut strips = vec![Strip::default(); panels * groups];
        let mut columns = vec![[Column::default(); COLUMNS]; panels];
        for (output, (weights, bias)) in weights.chunks_exact(inputs).zip(bias).enumerate() {
            let (panel, column) = (output / COLUMNS, output % COLUMNS);
            let scale = highest(weights).max(-lowest(weights)) / LARGEST_WEIGHT;
            let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
            let mut sum = 0;
            for (input, weight) in weights.iter().enumerate() {
                let code = (weight * inverse).round() as i8;
                sum += i32::from(code);
                strips[panel * groups + input / 4][column / 16][column % 16][input % 4] = code;
            }
            columns[panel][column] = Column { scale, sum: scale * sum as f32, bias: *bias };
        }
        Linear { outputs, strips, groups, columns }
    }

    /// How many numbers a row becomes.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Outputs of all rows, each passed through the activation.
    #[inline(always)]
    pub(super) fn forward<P: Processor>(
        &self,
        processor: P,
        rows: &Rows,
        activation: Option<Activation>,
        out: &mut Vec<f32>,
    ) {
        out.resize(rows.ranges.len() * self.outputs, 0.0);
        let mut sums = [[0; COLUMNS]; ROWS];
        let panels = self.strips.chunks_exact(self.groups).zip(&self.columns);
        for ((strips, columns), first) in panels.zip((0..).step_by(COLUMNS)) {
            let count = COLUMNS.min(self.outputs - first);
            let tiles = rows.groups.chunks_exact(self.groups).zip(rows.ranges.chunks(ROWS));
            for ((groups, ranges), out) in tiles.zip(out.chunks_mut(ROWS * self.outputs)) {
                processor.sums(groups, strips, &mut sums);
                for ((sums, (scale, least)), out) in sums.iter().zip(ranges).zip(out.chunks_exact_mut(self.outputs)) {
                    let mut values = [0.0; COLUMNS];
                    for ((value, sum), column) in values.iter_mut().zip(sums).zip(columns) {
                        let rest = processor.multiply_add(*least, column.sum, column.bias);
                        *value = processor.multiply_add(*sum as f32, scale * column.scale, rest);
                    }
                    if let Some(activation) = activation {
                        activation.apply(processor, &mut values);
                    }
                    out[first..first + count].copy_from_slice(&values[..count]);
                }
            }
        }
    }
}

impl Rows {
    /// Rounds rows of `inputs` numbers, each between its own least and largest.
    #[inline(always)]
    pub(super) fn fill(&mut self, values: &[f32], inputs: usize) {
        let groups = inputs.div_ceil(4);
        let count = values.len() / inputs;
        self.ranges.clear();
        self.groups.clear();
        self.groups.resize(count.div_ceil(ROWS) * groups, Group::default());
        // What follows the last input stays zero.
        self.codes.clear();
        self.codes.resize(4 * groups, 0);
        for (row, values) in values.chunks_exact(inputs).enumerate() {
            let (least, largest) = (lowest(values), highest(values));
            let scale = (largest - least) / LARGEST_INPUT;
            let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
            for (code, value) in self.codes.iter_mut().zip(values) {
                *code = ((value - least) * inverse + ROUNDING).to_bits() as u8;
            }
            let tile = &mut self.groups[row / ROWS * groups..][..groups];
            for (group, codes) in tile.iter_mut().zip(self.codes.as_chunks::<4>().0) {
                group[row % ROWS] = *codes;
            }
            self.ranges.push((scale, least));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::processor::{Machine, Sums, Work};
    use super::*;

    /// Bytes that look random and are the same each time.
    fn noise(seed: &mut u32) -> u8 {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 24) as u8
    }

    struct Tile<'a>(&'a [Group], &'a [Strip]);

    impl Work for Tile<'_> {
        type Output = Sums;

        #[inline(always)]
        fn run<P: Processor>(self, processor: P) -> Sums {
            let mut sums = [[-1; COLUMNS]; ROWS];
            processor.sums(self.0, self.1, &mut sums);
            sums
        }
    }

    #[test]
    fn sums_are_exact_on_every_kind_of_processor() {
        let mut seed = 1;
        for groups in [0, 1, 2, 3, 7, 96, 385] {
            let mut rows = vec![Group::default(); groups];
            let mut columns = vec![Strip::default(); groups];
            rows.as_flattened_mut().as_flattened_mut().fill_with(|| noise(&mut seed));
            columns.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill_with(|| noise(&mut seed) as i8);
            // The largest products, which overflow where pairs are added in 16 bits.
            if let (Some(row), Some(column)) = (rows.first_mut(), columns.first_mut()) {
                row[0] = [255; 4];
                column[0][0] = [127; 4];
                column[1][0] = [-128; 4];
            }
            let mut expected = [[0; COLUMNS]; ROWS];
            for (row, sums) in expected.iter_mut().enumerate() {
                for (column, sum) in sums.iter_mut().enumerate() {
                    for (group, strip) in rows.iter().zip(&columns) {
                        let pairs = group[row].iter().zip(strip[column / 16][column % 16]);
                        *sum += pairs.map(|(input, weight)| i32::from(*input) * i32::from(weight)).sum::<i32>();
                    }
                }
            }
            for machine in Machine::all() {
                assert_eq!(machine.run(Tile(&rows, &columns)), expected, "{groups} groups on {machine:?}");
            }
        }
    }

    struct Forward<'a>(&'a Linear, &'a [f32], usize);

    impl Work for Forward<'_> {
        type Output = Vec<f32>;

        #[inline(always)]
        fn run<P: Processor>(self, processor: P) -> Vec<f32> {
            let (mut rows, mut out) = (Rows::default(), Vec::new());
            rows.fill(self.1, self.2);
            self.0.forward(processor, &rows, None, &mut out);
            out
        }
    }

    #[test]
    fn odd_sizes_are_near_the_product_of_floats() {
        let mut seed = 2;
        let mut number = move || f32::from(noise(&mut seed)) / 128.0 - 1.0;
        for (count, inputs, outputs) in [(1, 1, 1), (5, 3, 7), (6, 4, 64), (7, 31, 65), (13, 130, 129)] {
            let weights: Vec<f32> = (0..inputs * outputs).map(|_| number()).collect();
            let bias: Vec<f32> = (0..outputs).map(|_| number()).collect();
            let values: Vec<f32> = (0..count * inputs).map(|_| number() + 0.5).collect();
            let linear = Linear::new(inputs, &weights, &bias);
            let exact = values.chunks(inputs).flat_map(|row| {
                let dot = |weights: &[f32]| row.iter().zip(weights).map(|(x, w)| x * w).sum::<f32>();
                weights.chunks(inputs).zip(&bias).map(move |(weights, bias)| dot(weights) + bias)
            });
            let exact: Vec<f32> = exact.collect();
            for machine in Machine::all() {
                let found = machine.run(Forward(&linear, &values, inputs));
                assert_eq!(found.len(), exact.len());
                // Each product is off by half a step of either side at most; errors nearly cancel.
                let bound = 0.02 * (inputs as f32).sqrt();
                let off = found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(off < bound, "{count}x{inputs}x{outputs} on {machine:?}: off by {off}");
            }
        }
    }

    #[test]
    fn equal_inputs_are_exact_and_no_outputs_are_none() {
        let linear = Linear::new(3, &[0.5, 0.5, 0.5, 0.0, 0.0, 0.0], &[1.0, 2.0]);
        let found = Machine::all()[0].run(Forward(&linear, &[4.0, 4.0, 4.0, 0.0, 0.0, 0.0], 3));
        assert!((found[0] - 7.0).abs() < 1e-5, "{found:?}");
        assert_eq!(found[1..], [2.0, 1.0, 2.0]);
        assert!(Machine::all()[0].run(Forward(&linear, &[], 3)).is_empty());
    }
}
