//! A stream whose other end must keep reading: a client that takes nothing of its answer for too long is disconnected, and what was
//! kept for it is freed.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// Fails a write that makes no progress for `limit`.
pub(crate) struct StallLimit<S> {
    stream: S,
    limit: Duration,
    /// Runs while a write waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> StallLimit<S> {
    pub(crate) fn new(stream: S, limit: Duration) -> StallLimit<S> {
        StallLimit { stream, limit, timer: None }
    }

    fn watched<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        match timer.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallLimit<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallLimit<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watched(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watched(cx, ended)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::StallLimit;

    #[tokio::test]
    async fn a_client_that_does_not_read_is_disconnected() {
        let (near, mut far) = tokio::io::duplex(1_000);
        let mut near = StallLimit::new(near, Duration::from_millis(100));
        // One that reads slowly is not.
        let slow = tokio::spawn(async move {
            let mut bytes = [0; 1_000];
            for _ in 0..5 {
                tokio::time::sleep(Duration::from_millis(40)).await;
                far.read_exact(&mut bytes).await.unwrap();
            }
            far
        });
        near.write_all(&[0; 5_000]).await.unwrap();
        let _far = slow.await.unwrap();
        let stalled = near.write_all(&[0; 5_000]).await.unwrap_err();
        assert_eq!(stalled.kind(), std::io::ErrorKind::TimedOut);
    }
}
