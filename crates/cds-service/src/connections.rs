//! Connections of one listener. When there are too many, the one that has been idle longest makes room for the next.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::admission::Client;

/// Numbers connections of all listeners.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What is known of a connection.
#[derive(Default)]
struct Known {
    /// Requests that are being answered.
    busy: usize,
    /// When the last one ended or the connection was opened, on a clock that counts events.
    idle_since: u64,
    close: Arc<Notify>,
}

/// All connections of a listener.
pub(crate) struct Connections {
    most: usize,
    open: Mutex<State>,
}

#[derive(Default)]
struct State {
    clock: u64,
    known: BTreeMap<u64, Known>,
}

/// An open connection. It is forgotten when this is dropped.
pub(crate) struct Connection {
    id: u64,
    all: Arc<Connections>,
    close: Arc<Notify>,
}

/// A request that is being answered.
pub(crate) struct Busy(Arc<Connection>);

impl Connections {
    pub(crate) fn new(most: usize) -> Arc<Connections> {
        Arc::new(Connections { most, open: Mutex::default() })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in one more connection. If there are as many as may be, the one that has been idle longest is told to close; `None` if
    /// all of them are being answered.
    pub(crate) fn open(self: &Arc<Self>) -> Option<Arc<Connection>> {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state();
        if state.known.len() >= self.most {
            let idle = state.known.iter().filter(|(_, known)| known.busy == 0);
            let oldest = idle.min_by_key(|(_, known)| known.idle_since).map(|(id, _)| *id)?;
            state.known.remove(&oldest)?.close.notify_one();
        }
        state.clock += 1;
        let known = Known { busy: 0, idle_since: state.clock, close: Arc::default() };
        let close = Arc::clone(&known.close);
        state.known.insert(id, known);
        Some(Arc::new(Connection { id, all: Arc::clone(self), close }))
    }
}

impl Connection {
    /// Who is at the other end, as [`Admission`](crate::admission::Admission) tells clients apart.
    pub(crate) fn client(&self) -> Client {
        Client(self.id)
    }

    /// Ends when the connection must make room.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }

    /// A request begins; it ends with what is returned.
    pub(crate) fn begin(self: &Arc<Self>) -> Busy {
        if let Some(known) = self.all.state().known.get_mut(&self.id) {
            known.busy += 1;
        }
        Busy(Arc::clone(self))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.0.all.state();
        state.clock += 1;
        let now = state.clock;
        if let Some(known) = state.known.get_mut(&self.0.id) {
            known.busy -= 1;
            known.idle_since = now;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.state().known.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::{Connection, Connections};

    fn is_told(connection: &Connection) -> bool {
        let mut closed = std::pin::pin!(connection.closed());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        closed.as_mut().poll(&mut context).is_ready()
    }

    #[test]
    fn the_one_that_is_idle_longest_makes_room() {
        let all = Connections::new(3);
        let open: Vec<_> = (0..3).map(|_| all.open().unwrap()).collect();
        // The first is asked something, the second was: the third is idle longest.
        let first = open[0].begin();
        drop(open[1].begin());
        let fourth = all.open().unwrap();
        assert_eq!(open.iter().map(|c| is_told(c)).collect::<Vec<_>>(), [false, false, true]);
        let busy = [open[1].begin(), fourth.begin()];
        assert!(all.open().is_none(), "all are being answered");
        drop((first, busy));
        drop(fourth);
        assert!(all.open().is_some(), "one has left");
        assert_eq!(all.state().known.len(), 2);
    }
}
