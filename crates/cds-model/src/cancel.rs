//! Cooperative cancellation of a request.
//!
//! A [`CancelToken`] is created by whoever owns a request (a server for each request, the engine for each answer) and polled by
//! loops over user data. It is cancelled by [`CancelToken::cancel`] or when its deadline passes. Clones share the flag; a clone
//! made by [`CancelToken::within`] has an earlier deadline of its own.
//!
//! The token of the current request is ambient: [`CancelToken::scope`] installs it on the calling thread and
//! [`CancelToken::current`] reads it. Code that hands work to other threads captures the token first and moves the clone.
//!
//! ```
//! use cds_model::CancelToken;
//!
//! let token = CancelToken::default();
//! token.scope(|| {
//!     let inner = CancelToken::current();
//!     assert!(!inner.is_cancelled());
//!     token.cancel();
//!     assert!(inner.is_cancelled());
//! });
//! assert!(!CancelToken::current().is_cancelled());
//! ```

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Tells work that its result is no longer needed. The default token is never cancelled by itself.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

thread_local! {
    static CURRENT: RefCell<CancelToken> = RefCell::new(CancelToken::default());
}

impl CancelToken {
    /// The token of the request that the calling thread works on; one that is never cancelled if there is none.
    pub fn current() -> CancelToken {
        CURRENT.with_borrow(CancelToken::clone)
    }

    /// Runs `work` with this token as the current one. The previous token is restored afterwards, also after a panic.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(CancelToken);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }
        let _restore = Restore(CURRENT.replace(self.clone()));
        work()
    }

    /// The same token with a deadline `limit` from now, or its own if that is earlier. `None` means no limit.
    #[must_use]
    pub fn within(&self, limit: Option<Duration>) -> CancelToken {
        let own = limit.and_then(|limit| Instant::now().checked_add(limit));
        let deadline = match (self.deadline, own) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        CancelToken { flag: Arc::clone(&self.flag), deadline }
    }

    /// Cancels the token and all its clones.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled or its deadline has passed. Costs about 30 ns with a deadline, so it can be polled per file and per
    /// thousand steps, not per byte.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The time until the deadline; `None` if there is no deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether [`CancelToken::cancel`] was called: nobody waits for the answer, as opposed to a time limit that makes it partial.
    pub fn is_abandoned(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::CancelToken;

    #[test]
    fn a_token_is_cancelled_by_its_flag_or_its_deadline() {
        let hour = Some(Duration::from_hours(1));
        let check = |outer: Option<Duration>, inner: Option<Duration>, cancel: bool, expect: (bool, bool)| {
            let token = CancelToken::default().within(outer);
            let own = token.within(inner);
            if cancel {
                token.cancel();
            }
            assert_eq!((own.is_cancelled(), own.is_abandoned()), expect, "{outer:?} {inner:?} {cancel}");
        };
        check(None, None, false, (false, false));
        check(None, hour, false, (false, false));
        check(hour, None, false, (false, false));
        check(None, Some(Duration::ZERO), false, (true, false));
        check(Some(Duration::ZERO), hour, false, (true, false));
        check(Some(Duration::ZERO), None, false, (true, false));
        check(None, Some(Duration::MAX), false, (false, false));
        check(hour, hour, true, (true, true));
    }

    #[test]
    fn scopes_nest_and_are_restored_after_a_panic() {
        let (outer, inner) = (CancelToken::default(), CancelToken::default());
        outer.scope(|| {
            let panicked = std::panic::catch_unwind(|| inner.scope(|| panic!("on purpose")));
            assert!(panicked.is_err());
            outer.cancel();
            assert!(CancelToken::current().is_cancelled(), "the outer token is current again");
        });
        assert!(!CancelToken::current().is_cancelled() && !inner.is_cancelled());
    }
}
