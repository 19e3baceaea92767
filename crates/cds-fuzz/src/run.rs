//! Calls a target with its corpus and with what the mutator makes of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::corpus::Corpus;
use crate::mutate::Mutator;
use crate::target::Target;
use crate::watch::Watch;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// After so many changed inputs.
    Inputs(usize),
    /// After so much time.
    Time(Duration),
}

/// What a run did.
#[derive(Debug)]
pub struct Ran {
    /// Inputs tried.
    pub inputs: usize,
    /// How long the slowest took.
    pub slowest: Duration,
    /// The input that broke a promise; the run ended with it.
    pub broken: Option<Vec<u8>>,
}

/// Tries every input of the corpus, then changed ones until the bound. Ends the process at an input that does not end:
/// nothing else can stop it.
pub fn run(target: &Target, corpus: &Corpus, seed: u64, bound: Bound) -> Ran {
    crate::leave_guarded_panics();
    let started = Instant::now();
    let watch = Watch::new(target.name);
    let mut ran = Ran { inputs: 0, slowest: Duration::ZERO, broken: None };
    let mut mutator = Mutator::new(corpus, target.longest, seed);
    let mut left = corpus.inputs.iter();
    loop {
        let input = match left.next() {
            Some(input) => input.bytes.clone(),
            None => mutator.input(),
        };
        let begun = Instant::now();
        watch.begin(|| format!("b\"{}\"", input.escape_ascii()));
        let result = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        watch.end();
        ran.inputs += 1;
        ran.slowest = ran.slowest.max(begun.elapsed());
        if result.is_err() {
            ran.broken = Some(input);
            return ran;
        }
        let is_over = match bound {
            Bound::Inputs(most) => ran.inputs >= corpus.inputs.len() + most,
            Bound::Time(most) => left.len() == 0 && started.elapsed() >= most,
        };
        if is_over {
            return ran;
        }
    }
}
