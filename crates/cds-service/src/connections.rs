//! Connections of one listener. When there are too many, the one that has been idle longest makes room for the next.
//!
//! A connection is idle unless one of its requests has been received completely and is being answered. Waiting for the rest of a
//! head or of a body counts as idle.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::Notify;

use crate::admission::Client;

/// Numbers connections of all listeners.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What is known of a connection.
#[derive(Default)]
struct Known {
    /// Requests that were received completely and are being answered.
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

/// A request, from its head until it is answered.
pub(crate) struct Received {
    connection: Arc<Connection>,
    is_complete: AtomicBool,
}

/// A request body that reports when it has been received completely.
pub(crate) struct ReceivedBody<B> {
    body: B,
    request: Weak<Received>,
}

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

    /// The head of a request was received. The connection is busy from the end of the body until the returned value is dropped.
    pub(crate) fn begin<B: Body>(self: &Arc<Self>, body: B) -> (Arc<Received>, ReceivedBody<B>) {
        let request = Arc::new(Received { connection: Arc::clone(self), is_complete: AtomicBool::new(false) });
        if body.is_end_stream() {
            request.complete();
        }
        let body = ReceivedBody { body, request: Arc::downgrade(&request) };
        (request, body)
    }
}

impl Received {
    fn complete(&self) {
        if self.is_complete.swap(true, Ordering::Relaxed) {
            return;
        }
        let Connection { id, all, .. } = &*self.connection;
        if let Some(known) = all.state().known.get_mut(id) {
            known.busy += 1;
        }
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        // An incomplete request does not renew the connection.
        if !*self.is_complete.get_mut() {
            return;
        }
        let Connection { id, all, .. } = &*self.connection;
        let mut state = all.state();
        state.clock += 1;
        let now = state.clock;
        if let Some(known) = state.known.get_mut(id) {
            known.busy -= 1;
            known.idle_since = now;
        }
    }
}

impl<B: Body + Unpin> Body for ReceivedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if (matches!(frame, Poll::Ready(None)) || self.body.is_end_stream())
            && let Some(request) = self.request.upgrade()
        {
            request.complete();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.state().known.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::Bytes;
    use http_body_util::{BodyExt, Empty, Full};

    use super::{Connection, Connections, Received};

    fn is_told(connection: &Connection) -> bool {
        let mut closed = std::pin::pin!(connection.closed());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        closed.as_mut().poll(&mut context).is_ready()
    }

    /// A request without a body.
    fn ask(connection: &Arc<Connection>) -> Arc<Received> {
        connection.begin(Empty::<Bytes>::new()).0
    }

    #[tokio::test]
    async fn a_request_whose_body_is_incomplete_makes_room() {
        let all = Connections::new(2);
        let (first, second) = (all.open().unwrap(), all.open().unwrap());
        let (_first_request, mut body) = first.begin(Full::new(Bytes::from_static(b"{}")));
        let (_second_request, _unread) = second.begin(Full::new(Bytes::from_static(b"{}")));
        assert!(body.frame().await.is_some(), "the first request is complete");
        let third = all.open().unwrap();
        assert_eq!([&first, &second, &third].map(|c| is_told(c)), [false, true, false]);
        let third_request = ask(&third);
        assert!(all.open().is_none(), "all are being answered");
        drop(third_request);
        // A body that is read after its request was answered changes nothing.
        let (request, mut late) = third.begin(Full::new(Bytes::from_static(b"{}")));
        drop(request);
        assert!(late.frame().await.is_some());
        assert!(all.open().is_some());
    }

    #[test]
    fn the_one_that_is_idle_longest_makes_room() {
        let all = Connections::new(3);
        let open: Vec<_> = (0..3).map(|_| all.open().unwrap()).collect();
        // The first is asked something, the second was: the third is idle longest.
        let first = ask(&open[0]);
        drop(ask(&open[1]));
        let fourth = all.open().unwrap();
        assert_eq!(open.iter().map(|c| is_told(c)).collect::<Vec<_>>(), [false, false, true]);
        let busy = [ask(&open[1]), ask(&fourth)];
        assert!(all.open().is_none(), "all are being answered");
        drop((first, busy));
        drop(fourth);
        assert!(all.open().is_some(), "one has left");
        assert_eq!(all.state().known.len(), 2);
    }
}
