//! What kinds of processors do differently: sums of products of bytes, and whether multiplying and adding are one instruction.
//!
//! Every kind gives the same sums. The bytes of the left side are unsigned and those of the right signed, because that is what the
//! instructions take.

/// Rows of a tile.
pub(super) const ROWS: usize = 6;

/// Columns of a tile.
pub(super) const COLUMNS: usize = 64;

/// Four successive inputs of each row.
pub(super) type Group = [[u8; 4]; ROWS];

/// Four successive inputs of each column, as four registers of 64 bytes.
pub(super) type Strip = [[[i8; 4]; 16]; COLUMNS / 16];

/// A tile: for each row and column the sum of the products of their inputs.
pub(super) type Sums = [[i32; COLUMNS]; ROWS];

/// One kind of processor. A value of a type exists only where the processor is of that kind.
pub(super) trait Processor: Copy {
    /// Sums over all inputs; both sides have as many.
    fn sums(self, rows: &[Group], columns: &[Strip], sums: &mut Sums);

    /// `a * b + c`, rounded once or twice.
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32;

    /// Whether there are 32 registers of 16 floats, rather than 16 of eight or fewer.
    const WIDE: bool;
}

/// Work that is compiled for each kind of processor.
pub(super) trait Work {
    /// What it gives.
    type Output;

    /// Does it. Implementations and all they call are `inline(always)`.
    fn run<P: Processor>(self, processor: P) -> Self::Output;
}

/// The instructions that are used on this machine.
#[derive(Clone, Copy, Debug)]
pub(super) enum Machine {
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(x86::AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    Plain(Plain),
}

impl Machine {
    /// All that its processor has, fastest first.
    pub(super) fn all() -> Vec<Machine> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86::Avx512::detect().map(Machine::Avx512));
            all.extend(x86::AvxVnni::detect().map(Machine::AvxVnni));
            all.extend(x86::Avx2::detect().map(Machine::Avx2));
        }
        all.push(Machine::Plain(Plain));
        all
    }

    /// The fastest, unless it is plain code: products of floats are faster than that.
    pub(super) fn fast() -> Option<Machine> {
        Machine::all().into_iter().next().filter(|machine| !matches!(machine, Machine::Plain(_)))
    }

    /// Does work with these instructions.
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Machine::Avx512(processor) => processor.run(work),
            #[cfg(target_arch = "x86_64")]
            Machine::AvxVnni(processor) => processor.run(work),
            #[cfg(target_arch = "x86_64")]
            Machine::Avx2(processor) => processor.run(work),
            Machine::Plain(processor) => work.run(processor),
        }
    }
}

/// Any processor. The reference of the tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

impl Processor for Plain {
    #[inline(always)]
    fn sums(self, rows: &[Group], columns: &[Strip], sums: &mut Sums) {
        *sums = [[0; COLUMNS]; ROWS];
        for (row, sums) in sums.iter_mut().enumerate() {
            for (group, strip) in rows.iter().zip(columns) {
                let inputs = group[row].map(i32::from);
                for (sum, weights) in sums.iter_mut().zip(strip.as_flattened()) {
                    *sum += inputs[0] * i32::from(weights[0])
                        + inputs[1] * i32::from(weights[1])
                        + inputs[2] * i32::from(weights[2])
                        + inputs[3] * i32::from(weights[3]);
                }
            }
        }
    }

    #[inline(always)]
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

    const WIDE: bool = false;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::is_x86_feature_detected as has;
    // The instructions by their own names, of which a list would be long.
    #[allow(clippy::wildcard_imports)]
    use std::arch::x86_64::*;

    use super::{COLUMNS, Group, Processor, ROWS, Strip, Sums, Work};

    /// Products of four pairs of bytes added to 16 sums by one instruction.
    #[derive(Clone, Copy, Debug)]
    pub(in super::super) struct Avx512(());

    /// The same for eight sums: processors without AVX-512 that are newer than it.
    #[derive(Clone, Copy, Debug)]
    pub(in super::super) struct AvxVnni(());

    /// Products of numbers of two bytes. Those of bytes would overflow.
    #[derive(Clone, Copy, Debug)]
    pub(in super::super) struct Avx2(());

    impl Avx512 {
        pub(super) fn detect() -> Option<Avx512> {
            let wide = has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vnni");
            (wide && has!("avx2") && has!("fma")).then_some(Avx512(()))
        }

        pub(super) fn run<W: Work>(self, work: W) -> W::Output {
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")]
            fn entry<W: Work>(processor: Avx512, work: W) -> W::Output {
                work.run(processor)
            }
            #[allow(unsafe_code)]
            // SAFETY: `detect` is the only constructor of the type and has checked the features.
            unsafe {
                entry(self, work)
            }
        }
    }

    impl Processor for Avx512 {
        #[inline(always)]
        fn sums(self, rows: &[Group], columns: &[Strip], sums: &mut Sums) {
            #[allow(unsafe_code)]
            // SAFETY: `detect` is the only constructor of the type and has checked the features.
            unsafe {
                sums_of_64_bytes(rows, columns, sums);
            }
        }

        #[inline(always)]
        fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        const WIDE: bool = true;
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")]
    #[inline]
    fn sums_of_64_bytes(rows: &[Group], columns: &[Strip], sums: &mut Sums) {
        let mut registers = [[_mm512_setzero_si512(); COLUMNS / 16]; ROWS];
        for (group, strip) in rows.iter().zip(columns) {
            let weights = [load_64(&strip[0]), load_64(&strip[1]), load_64(&strip[2]), load_64(&strip[3])];
            for (inputs, registers) in group.iter().zip(&mut registers) {
                let inputs = _mm512_set1_epi32(i32::from_le_bytes(*inputs));
                for (register, weights) in registers.iter_mut().zip(weights) {
                    *register = _mm512_dpbusd_epi32(*register, inputs, weights);
                }
            }
        }
        for (registers, sums) in registers.iter().zip(sums) {
            for (register, sums) in registers.iter().zip(sums.as_chunks_mut::<16>().0) {
                #[allow(unsafe_code)]
                // SAFETY: the target has 16 numbers of four bytes, and need not be aligned.
                unsafe {
                    _mm512_storeu_si512(sums.as_mut_ptr().cast(), *register);
                }
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load_64(bytes: &[[i8; 4]; 16]) -> __m512i {
        #[allow(unsafe_code)]
        // SAFETY: the source has 64 bytes, and need not be aligned.
        unsafe {
            _mm512_loadu_si512(bytes.as_ptr().cast())
        }
    }

    impl AvxVnni {
        pub(super) fn detect() -> Option<AvxVnni> {
            (has!("avxvnni") && has!("avx2") && has!("fma")).then_some(AvxVnni(()))
        }

        pub(super) fn run<W: Work>(self, work: W) -> W::Output {
            #[target_feature(enable = "avxvnni,avx2,fma")]
            fn entry<W: Work>(processor: AvxVnni, work: W) -> W::Output {
                work.run(processor)
            }
            #[allow(unsafe_code)]
            // SAFETY: `detect` is the only constructor of the type and has checked the features.
            unsafe {
                entry(self, work)
            }
        }
    }

    impl Processor for AvxVnni {
        #[inline(always)]
        fn sums(self, rows: &[Group], columns: &[Strip], sums: &mut Sums) {
            #[allow(unsafe_code)]
            // SAFETY: `detect` is the only constructor of the type and has checked the features.
            unsafe {
                sums_of_32_bytes(rows, columns, sums);
            }
        }

        #[inline(always)]
        fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        const WIDE: bool = false;
    }

    /// Sixteen columns at a time: more sums than that would not fit into 16 registers.
    #[target_feature(enable = "avxvnni,avx2,fma")]
    #[inline]
    fn sums_of_32_bytes(rows: &[Group], columns: &[Strip], sums: &mut Sums) {
        for part in 0..COLUMNS / 16 {
            let mut registers = [[_mm256_setzero_si256(); 2]; ROWS];
            for (group, strip) in rows.iter().zip(columns) {
                let (halves, _) = strip[part].as_chunks::<8>();
                let weights = [load_32(&halves[0]), load_32(&halves[1])];
                for (inputs, registers) in group.iter().zip(&mut registers) {
                    let inputs = _mm256_set1_epi32(i32::from_le_bytes(*inputs));
                    for (register, weights) in registers.iter_mut().zip(weights) {
                        *register = _mm256_dpbusd_avx_epi32(*register, inputs, weights);
                    }
                }
            }
            for (registers, sums) in registers.iter().zip(&mut *sums) {
                let own = &mut sums.as_chunks_mut::<8>().0[2 * part..];
                for (register, sums) in registers.iter().zip(own) {
                    *sums = stored(*register);
                }
            }
        }
    }

    impl Avx2 {
        pub(super) fn detect() -> Option<Avx2> {
            (has!("avx2") && has!("fma")).then_some(Avx2(()))
        }

        pub(super) fn run<W: Work>(self, work: W) -> W::Output {
            #[target_feature(enable = "avx2,fma")]
            fn entry<W: Work>(processor: Avx2, work: W) -> W::Output {
                work.run(processor)
            }
            #[allow(unsafe_code)]
            // SAFETY: `detect` is the only constructor of the type and has checked the features.
            unsafe {
                entry(self, work)
            }
        }
    }

    impl Processor for Avx2 {
        #[inline(always)]
        fn sums(self, rows: &[Group], columns: &[Strip], sums: &mut Sums) {
            #[allow(unsafe_code)]
            // SAFETY: `detect` is the only constructor of the type and has checked the features.
            unsafe {
                sums_of_pairs(rows, columns, sums);
            }
        }

        #[inline(always)]
        fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        const WIDE: bool = false;
    }

    /// Eight columns at a time, each with two sums: of the first two inputs of each group, and of the others.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn sums_of_pairs(rows: &[Group], columns: &[Strip], sums: &mut Sums) {
        for part in 0..COLUMNS / 8 {
            let mut registers = [[_mm256_setzero_si256(); 2]; ROWS];
            for (group, strip) in rows.iter().zip(columns) {
                let weights = load_32(&strip[part / 2].as_chunks::<8>().0[part % 2]);
                let first = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(weights));
                let second = _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(weights));
                for (inputs, registers) in group.iter().zip(&mut registers) {
                    let inputs = _mm256_cvtepu8_epi16(_mm_set1_epi32(i32::from_le_bytes(*inputs)));
                    registers[0] = _mm256_add_epi32(registers[0], _mm256_madd_epi16(inputs, first));
                    registers[1] = _mm256_add_epi32(registers[1], _mm256_madd_epi16(inputs, second));
                }
            }
            for (registers, sums) in registers.iter().zip(&mut *sums) {
                let own = &mut sums.as_chunks_mut::<4>().0[2 * part..];
                for (register, sums) in registers.iter().zip(own) {
                    let halves = stored(*register);
                    *sums = std::array::from_fn(|column| halves[2 * column] + halves[2 * column + 1]);
                }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load_32(bytes: &[[i8; 4]; 8]) -> __m256i {
        #[allow(unsafe_code)]
        // SAFETY: the source has 32 bytes, and need not be aligned.
        unsafe {
            _mm256_loadu_si256(bytes.as_ptr().cast())
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn stored(register: __m256i) -> [i32; 8] {
        let mut numbers = [0; 8];
        #[allow(unsafe_code)]
        // SAFETY: the target has eight numbers of four bytes, and need not be aligned.
        unsafe {
            _mm256_storeu_si256(numbers.as_mut_ptr().cast(), register);
        }
        numbers
    }
}
