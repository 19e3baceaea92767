//! Which requests run, and which wait.
//!
//! Work runs on a bounded number of threads, one more than there are cores. A request passes three gates in order: its client's
//! own, so that one client cannot queue ahead of all others; that of its [`Class`], so that expensive operations never take all
//! threads and do not wait for costly patterns; and the common one. Gates are first in, first out. The number of requests that run
//! or wait is limited for each class, so that requests of the others are still accepted. The [`Admitted`] permits move into the work and are returned when
//! it ends, not when its client stops waiting: work that outlives its request keeps its place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fault::{Fault, FaultKind};

/// Who sends requests: a connection. Requests that came without one share the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Client(pub(crate) u64);

tokio::task_local! {
    /// The client of the request that the current task answers.
    pub(crate) static CLIENT: Client;
}

/// How much an operation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Answered from tables.
    Light,
    /// May read all texts, or walk the whole graph.
    Expensive,
    /// Has a regular expression that takes long to compile and to match.
    Costly,
}

/// The right to run, until it is dropped.
pub(crate) struct Admitted {
    _permits: Vec<OwnedSemaphorePermit>,
}

pub(crate) struct Admission {
    /// Requests that run or wait.
    places: Arc<Semaphore>,
    threads: Arc<Semaphore>,
    expensive: Gate,
    costly: Gate,
    client_threads: usize,
    clients: Mutex<HashMap<Client, Weak<Semaphore>>>,
}

/// The limits of a class.
struct Gate {
    /// Requests that run or wait.
    places: Arc<Semaphore>,
    /// Requests that run.
    threads: Arc<Semaphore>,
}

impl Gate {
    fn new(places: usize, threads: usize) -> Gate {
        Gate { places: Arc::new(Semaphore::new(places.max(1))), threads: Arc::new(Semaphore::new(threads.max(1))) }
    }
}

impl Admission {
    /// For so many requests at once, waiting ones included: a quarter of them expensive, an eighth costly.
    pub(crate) fn new(places: usize, cores: usize) -> Admission {
        // One for each class at least.
        let threads = (cores + 1).max(3);
        Admission {
            places: Arc::new(Semaphore::new(places)),
            threads: Arc::new(Semaphore::new(threads)),
            expensive: Gate::new(places / 4, threads / 2),
            costly: Gate::new(places / 8, threads / 4),
            client_threads: (threads - 1).max(1),
            clients: Mutex::default(),
        }
    }

    /// Waits until a request of a client may run. Fails at once if too many wait.
    pub(crate) async fn enter(&self, client: Client, class: Class) -> Result<Admitted, Fault> {
        let stopping = |_| Fault::new(FaultKind::Cancelled, "the server is stopping");
        let (gate, kind) = match class {
            Class::Light => (None, ""),
            Class::Expensive => (Some(&self.expensive), "expensive requests"),
            Class::Costly => (Some(&self.costly), "requests with costly patterns"),
        };
        let place = |places: &Arc<Semaphore>, what: &str| {
            let full = |_| Fault::new(FaultKind::Busy, format!("too many {what} at once: try again in a moment"));
            Arc::clone(places).try_acquire_owned().map_err(full)
        };
        let mut permits = vec![place(&self.places, "requests")?];
        if let Some(gate) = gate {
            permits.push(place(&gate.places, kind)?);
        }
        permits.push(self.client(client).acquire_owned().await.map_err(stopping)?);
        if let Some(gate) = gate {
            permits.push(Arc::clone(&gate.threads).acquire_owned().await.map_err(stopping)?);
        }
        permits.push(Arc::clone(&self.threads).acquire_owned().await.map_err(stopping)?);
        Ok(Admitted { _permits: permits })
    }

    /// The gate of a client. Permits keep it alive; gates of clients that have none are forgotten.
    fn client(&self, client: Client) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = clients.get(&client).and_then(Weak::upgrade) {
            return known;
        }
        clients.retain(|_, gate| gate.strong_count() > 0);
        let gate = Arc::new(Semaphore::new(self.client_threads));
        clients.insert(client, Arc::downgrade(&gate));
        gate
    }

    /// Nobody is let in any more.
    pub(crate) fn close(&self) {
        self.threads.close();
        self.expensive.threads.close();
        self.costly.threads.close();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Admission, Admitted, Class, Client};
    use crate::fault::FaultKind;

    /// Whether a request gets in without waiting for another to end.
    async fn tries(gates: &Admission, client: u64, class: Class) -> Option<Admitted> {
        let enter = gates.enter(Client(client), class);
        tokio::time::timeout(Duration::from_millis(50), enter).await.ok().and_then(Result::ok)
    }

    #[tokio::test]
    async fn neither_a_client_nor_expensive_work_takes_all_threads() {
        // Three threads.
        let gates = Admission::new(100, 2);
        let first = tries(&gates, 1, Class::Expensive).await;
        assert!(first.is_some());
        assert!(tries(&gates, 1, Class::Expensive).await.is_none(), "expensive work has one thread");
        assert!(tries(&gates, 2, Class::Expensive).await.is_none(), "of all clients together");
        let second = tries(&gates, 1, Class::Costly).await;
        assert!(second.is_some(), "costly patterns have another");
        assert!(tries(&gates, 2, Class::Costly).await.is_none(), "of all clients together");
        assert!(tries(&gates, 1, Class::Light).await.is_none(), "a client has two");
        let third = tries(&gates, 2, Class::Light).await;
        assert!(third.is_some(), "another client is not kept waiting");
        assert_eq!(Admission::new(100, 1).threads.available_permits(), 3, "one for each class");
        assert!(tries(&gates, 3, Class::Light).await.is_none(), "there are three");
        drop(first);
        assert!(tries(&gates, 3, Class::Expensive).await.is_some());
        drop((second, third));
        assert!(gates.clients.lock().unwrap().values().all(|gate| gate.strong_count() == 0), "nothing is kept");
    }

    #[tokio::test]
    async fn too_many_requests_are_refused_at_once() {
        let gates = Admission::new(1, 2);
        let _first = tries(&gates, 1, Class::Light).await.unwrap();
        let refused = gates.enter(Client(2), Class::Light).await.err().map(|fault| fault.kind);
        assert_eq!(refused, Some(FaultKind::Busy));
    }

    #[tokio::test]
    async fn requests_that_wait_are_limited_for_each_class() {
        let gates = Arc::new(Admission::new(32, 2));
        for (class, most) in [(Class::Costly, 4), (Class::Expensive, 8)] {
            let running = tries(&gates, 1, class).await.unwrap();
            let mut waiting = tokio::task::JoinSet::new();
            for client in 2..=most {
                let gates = Arc::clone(&gates);
                waiting.spawn(async move { gates.enter(Client(client), class).await.map(drop).is_ok() });
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            let refused = gates.enter(Client(100), class).await.err().map(|fault| fault.kind);
            assert_eq!(refused, Some(FaultKind::Busy), "{class:?}");
            assert!(tries(&gates, 101, Class::Light).await.is_some(), "other classes are accepted");
            drop(running);
            assert!(waiting.join_all().await.into_iter().all(|entered| entered), "{class:?}");
        }
    }
}
