//! How one thing leads to another.

use cds_graph::Direction;
use cds_model::{EdgeKind, counted};
use rustc_hash::FxHashSet;

use super::Finding;
use super::members::Stand;
use super::plan::Topic;
use super::reach::Start;
use super::sections::{CALLS, Found, Ground, USES};
use super::subjects::{Subject, called};

impl Ground<'_> {
    /// The surest way from the subjects to where a path leads, calls alone if they do; else the way back.
    pub(super) fn path(&self) -> Option<Found> {
        let (from, to) = (&self.question.subjects, &self.question.to);
        if to.is_empty() {
            return None;
        }
        let (a, b) = (called(self.snapshot, from), called(self.snapshot, to));
        let mut late = false;
        for (starts, ends, back) in [(from, to, false), (to, from, true)] {
            for (kinds, dispatches) in [(CALLS, false), (CALLS, true), (USES, true)] {
                let way = self.way(starts, ends, kinds, dispatches);
                late |= way.as_ref().is_err();
                let Ok(Some(findings)) = way else { continue };
                let steps = counted(findings.len(), "step");
                let about = if back {
                    format!("no way leads from {a} to {b}; {b} leads to {a} in {steps}")
                } else {
                    format!("{a} leads to {b} in {steps}")
                };
                let guesses = usize::from(findings.iter().any(|f| f.candidates > 1));
                let total = findings.len();
                return Some(Found { findings, total, guesses, about: Some(about), late, ..Found::default() });
            }
        }
        let about = format!("no way of {} steps leads from {a} to {b}, or back", self.depth(Topic::Path));
        Some(Found { about: Some(about), late, ..Found::default() })
    }

    /// The steps of a way; an error means that time ran out before one was found.
    fn way(
        &self,
        from: &[Subject],
        to: &[Subject],
        kinds: &[EdgeKind],
        dispatches: bool,
    ) -> std::result::Result<Option<Vec<Finding>>, ()> {
        let starts: Vec<Start> = from.iter().flat_map(|s| s.parts.iter().map(|n| Start::sure(*n))).collect();
        let ends: FxHashSet<u32> = to.iter().flat_map(|s| s.parts.iter().copied()).collect();
        let stand = Stand::new(self.snapshot, Direction::Backward);
        let below = |node: u32| stand.of(node);
        let mut reach = self.reach(Topic::Path, kinds, kinds);
        reach.stands_for = dispatches.then_some(&below);
        let reached = reach.from(&starts);
        let arrived = reached.ways.iter().filter(|w| ends.contains(&w.node));
        let best = arrived.min_by_key(|w| (w.is_guess(), w.depth, w.certainty, w.node));
        if best.is_none() && reached.late {
            return Err(());
        }
        let Some(best) = best else { return Ok(None) };
        let steps = reached.steps(best);
        let findings = steps.iter().filter_map(|step| {
            let entity = self.entity(step.node)?;
            // Each step shows its own site; together they are the way. What takes another's place is its own evidence.
            let own = || format!("{}:{}", entity.path(), entity.lines().0);
            let via = vec![self.site(step.edge).unwrap_or_else(own)];
            Some(Finding { via, ..self.finding(entity, step, &reached) })
        });
        Ok(Some(findings.collect()))
    }
}
