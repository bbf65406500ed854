//! Closes a connection whose other side does not read: the response would otherwise stay in memory, and the
//! connection open, for as long as the client likes.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Bytes that must be taken in each stretch of time; who takes them one by one is not waited for, either.
const BYTES_MIN: usize = 16 << 10;

/// A stream whose writes fail when nothing much is taken for a while.
pub(super) struct Patient<S> {
    stream: S,
    time_max: Duration,
    /// Runs from when a write first had to wait, or from when enough was taken since.
    deadline: Pin<Box<Sleep>>,
    is_waiting: bool,
    n_taken: usize,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S, time_max: Duration) -> Self {
        Self {
            stream,
            time_max,
            deadline: Box::pin(sleep(time_max)),
            is_waiting: false,
            n_taken: 0,
        }
    }

    /// Looks at the clock while a write waits.
    fn watched(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(n_bytes)) => {
                self.n_taken += n_bytes;
                self.is_waiting &= self.n_taken < BYTES_MIN;
                Poll::Ready(Ok(n_bytes))
            }
            Poll::Pending => {
                if !self.is_waiting {
                    (self.is_waiting, self.n_taken) = (true, 0);
                    let deadline = Instant::now() + self.time_max;
                    self.deadline.as_mut().reset(deadline);
                }
                ready!(self.deadline.as_mut().poll(cx));
                Poll::Ready(Err(ErrorKind::TimedOut.into()))
            }
            failed => failed,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn who_does_not_read_is_not_waited_for() {
        let (stream, _never_reads) = duplex(1_024);
        let mut patient = Patient::new(stream, Duration::ZERO);
        let written = patient.write_all(&[0; 4_096]).await;
        assert_eq!(written.unwrap_err().kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn time_begins_anew_only_when_enough_was_taken() {
        let (stream, mut reader) = duplex(1_024);
        let mut patient = Patient::new(stream, Duration::from_secs(3_600));
        patient.write_all(&[0; 1_024]).await.unwrap();
        let mut write = async |n_bytes: usize| {
            let bytes = vec![0; n_bytes];
            let written = patient.write_all(&bytes);
            let read = async {
                for _ in 0..n_bytes {
                    reader.read_u8().await.unwrap();
                }
            };
            tokio::join!(written, read).0.unwrap();
            patient.deadline.deadline()
        };
        let first = write(100).await;
        assert_eq!(write(1_000).await, first);
        assert!(write(2 * BYTES_MIN).await > first);
    }

    #[tokio::test]
    async fn who_reads_slowly_but_surely_gets_everything() {
        let (stream, mut reader) = duplex(1_024);
        let mut patient = Patient::new(stream, Duration::from_secs(3_600));
        let mut all = Vec::new();
        let writing = async {
            patient.write_all(&[0; 200_000]).await.unwrap();
            drop(patient);
        };
        let (read, ()) = tokio::join!(reader.read_to_end(&mut all), writing);
        assert_eq!(read.unwrap(), 200_000);
    }
}
