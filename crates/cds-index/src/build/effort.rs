//! What a build may cost. Nothing of it changes what is in the index.

use std::time::Duration;

use super::lock::Owner;

/// What a build may cost, and how long it may wait.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// How long to wait for another process that writes the same index.
    pub wait: Duration,
    /// Told about once a second while it waits; who is waited for is not always known.
    pub waiting: &'a (dyn Fn(Option<&Owner>) + Sync),
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Effort { wait: Duration::ZERO, waiting: &|_| {} }
    }
}
