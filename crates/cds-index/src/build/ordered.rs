//! Work on every core, results in order: the writer sees files as if one thread had read them one after the other.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Weight that may be under way at once: keeps every core busy and memory flat.
pub(crate) const WINDOW: u64 = 4 << 20;

/// Calls `work` on every item on as many threads as rayon's pool has, no more than `window` of their weight at once, and `take`
/// on every result, in the order of the items, on this thread. The first error of `take` ends it, and so does `stop`.
pub(crate) fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    window: u64,
    weight: impl Fn(&T) -> u64 + Sync,
    stop: impl Fn() -> bool + Sync,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let gate = Gate { window, state: Mutex::default(), room: Condvar::new() };
    let cost = |item: &T| weight(item).clamp(1, window);
    let threads = rayon::current_num_threads().min(items.len());
    let (send, receive) = crossbeam_channel::unbounded();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (send, gate) = (send.clone(), &gate);
            let (work, stop, cost) = (&work, &stop, &cost);
            scope.spawn(move || {
                // A worker that panics must not leave the others waiting for room.
                let _closing = CloseOnPanic(gate);
                while let Some(at) = gate.next(items, cost) {
                    if stop() || send.send((at, work(&items[at]))).is_err() {
                        gate.close();
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut expected = 0;
        for (at, result) in receive {
            early.insert(at, result);
            while let Some(result) = early.remove(&expected) {
                if let Err(e) = take(result) {
                    gate.close();
                    return Err(e);
                }
                gate.free(cost(&items[expected]));
                expected += 1;
            }
        }
        Ok(())
    })
}

/// Which item is next, and whether there is room for it.
struct Gate {
    window: u64,
    state: Mutex<State>,
    room: Condvar,
}

#[derive(Default)]
struct State {
    next: usize,
    under_way: u64,
    closed: bool,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Items are given out in order, so what the taker waits for is always under way: waiting for room ends.
    fn next<T>(&self, items: &[T], cost: impl Fn(&T) -> u64) -> Option<usize> {
        let mut state = self.lock();
        loop {
            let item = items.get(state.next).filter(|_| !state.closed)?;
            let cost = cost(item);
            if state.under_way + cost <= self.window {
                state.under_way += cost;
                state.next += 1;
                return Some(state.next - 1);
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn free(&self, cost: u64) {
        self.lock().under_way -= cost;
        self.room.notify_all();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
    }
}

struct CloseOnPanic<'a>(&'a Gate);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{WINDOW, in_order};

    fn run(items: &[u64], stop_at: Option<u64>, fail_at: Option<u64>) -> (Vec<u64>, Result<(), u64>) {
        let mut seen = Vec::new();
        let stopped = std::sync::atomic::AtomicBool::new(false);
        let result = in_order(
            items,
            WINDOW,
            |item| *item,
            || stopped.load(std::sync::atomic::Ordering::Relaxed),
            |item| {
                stopped.fetch_or(stop_at == Some(*item), std::sync::atomic::Ordering::Relaxed);
                // Later items finish first.
                std::thread::sleep(std::time::Duration::from_micros(200_u64.saturating_sub(*item % 200)));
                *item
            },
            |item| {
                seen.push(item);
                if fail_at == Some(item) { Err(item) } else { Ok(()) }
            },
        );
        (seen, result)
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..500).collect();
        assert_eq!(run(&items, None, None), (items, Ok(())));
        assert_eq!(run(&[], None, None), (vec![], Ok(())));
    }

    #[test]
    fn items_larger_than_the_window_pass_one_at_a_time() {
        let items = [WINDOW * 3, 1, WINDOW, WINDOW * 2, 7];
        assert_eq!(run(&items, None, None), (items.to_vec(), Ok(())));
    }

    #[test]
    fn an_error_and_a_stop_end_it() {
        let items: Vec<u64> = (0..500).collect();
        let (seen, result) = run(&items, None, Some(100));
        assert_eq!((seen.len(), result), (101, Err(100)));
        let (seen, result) = run(&items, Some(100), None);
        assert!(result.is_ok() && seen.len() < 500, "{}", seen.len());
    }

    #[test]
    fn a_panic_of_a_worker_reaches_the_caller() {
        let items: Vec<u64> = (0..100).map(|i| WINDOW + i).collect();
        let panicked = std::panic::catch_unwind(|| {
            let work = |item: &u64| assert_ne!(*item, WINDOW + 3, "on purpose");
            in_order(&items, WINDOW, |item| *item, || false, work, |()| Ok::<(), ()>(()))
        });
        assert!(panicked.is_err());
    }
}
