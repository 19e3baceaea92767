//! Threads that work beside the one that answers. They are kept: a thread for every question would cost more than what it does, and each
//! would leave memory behind. They are not those that index, which are busy for long.

use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, sync_channel};

use cds_model::CancelToken;
use rayon::ThreadPool;

static WORKERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let name = |at: usize| format!("beside {at}");
    rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).thread_name(name).build().ok()
});

/// The threads that answers are worked out on; none where the system gives no more of them.
pub fn workers() -> Option<&'static ThreadPool> {
    WORKERS.as_ref()
}

static SCANNERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| scan_pool("scan"));
static COSTLY_SCANNERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| scan_pool("costly scan"));

fn scan_pool(name: &'static str) -> Option<ThreadPool> {
    let name = move |at: usize| format!("{name} {at}");
    rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).thread_name(name).build().ok()
}

/// Threads that scan whole texts (`grep`). They are separate from [`workers`], so that a search never queues behind a scan. Costly
/// expressions have threads of their own, so that others do not queue behind them.
pub fn scanners(is_costly: bool) -> Option<&'static ThreadPool> {
    if is_costly { COSTLY_SCANNERS.as_ref() } else { SCANNERS.as_ref() }
}

/// Begins work beside.
pub(crate) struct Beside<'a, 'scope, 'env> {
    pool: Option<&'a rayon::Scope<'scope>>,
    threads: &'scope std::thread::Scope<'scope, 'env>,
}

/// Runs `work`, which may begin more beside it, and returns when all of it has ended.
pub(crate) fn beside<'env, T>(work: impl for<'a, 'scope> FnOnce(&Beside<'a, 'scope, 'env>) -> T) -> T {
    std::thread::scope(|threads| match workers() {
        Some(pool) => pool.in_place_scope(|pool| work(&Beside { pool: Some(pool), threads })),
        None => work(&Beside { pool: None, threads }),
    })
}

impl<'scope> Beside<'_, 'scope, '_> {
    /// Begins something, and tells where it will be found. What is slow has a thread of its own, and others need not wait for it.
    pub(crate) fn start<T: Send + 'scope>(&self, slow: bool, work: impl FnOnce() -> T + Send + 'scope) -> Receiver<T> {
        let (send, receive) = sync_channel(1);
        let cancel = CancelToken::current();
        let work = move || drop(send.send(cancel.scope(work)));
        match self.pool.filter(|_| !slow) {
            Some(pool) => pool.spawn(move |_| work()),
            None => drop(self.threads.spawn(work)),
        }
        receive
    }
}
