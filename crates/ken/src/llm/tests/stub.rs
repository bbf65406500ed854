//! A server that answers as it was told to, one reply for each request, and keeps what it was asked.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// What happens after one request.
pub(crate) struct Reply {
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) end: End,
}

/// How a reply ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As it should.
    Whole,
    /// The connection is closed where more was promised.
    Cut,
    /// Nothing more comes until the client goes.
    Stall,
}

impl Reply {
    pub(crate) fn new(status: u16, kind: &str, body: impl Into<String>) -> Self {
        Self {
            head: format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n"
            ),
            body: body.into(),
            end: End::Whole,
        }
    }

    pub(crate) fn json(status: u16, body: impl Into<String>) -> Self {
        Self::new(status, "application/json", body)
    }

    pub(crate) fn events(body: impl Into<String>) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    pub(crate) fn lines(body: impl Into<String>) -> Self {
        Self::new(200, "application/x-ndjson", body)
    }

    pub(crate) fn header(mut self, line: &str) -> Self {
        self.head += line;
        self.head += "\r\n";
        self
    }

    pub(crate) fn end(self, end: End) -> Self {
        Self { end, ..self }
    }
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Says what is answered to a request; `None` closes the connection.
type Answering = Arc<dyn Fn(&Asked) -> Option<Reply> + Send + Sync>;

pub(crate) struct Stub {
    pub(crate) url: String,
    seen: Arc<Seen>,
    gone: mpsc::UnboundedReceiver<()>,
}

#[derive(Default)]
struct Seen {
    asked: Mutex<Vec<Asked>>,
    n_now: AtomicUsize,
    n_most: AtomicUsize,
}

impl Stub {
    /// Answers with these, one after the other.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect::<VecDeque<_>>());
        Self::serving(Arc::new(move |_| replies.lock().unwrap().pop_front())).await
    }

    /// Answers each request with what is made of it.
    pub(crate) async fn answering(
        answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::serving(Arc::new(move |asked| Some(answer(asked)))).await
    }

    async fn serving(answer: Answering) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Seen::default());
        let (left, gone) = mpsc::unbounded_channel();
        let seeing = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seeing));
                tokio::spawn(serve(stream, answer, seen, left.clone()));
            }
        });
        Self { url, seen, gone }
    }

    /// Returns all requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.seen.asked.lock().unwrap().clone()
    }

    /// Returns how many requests were being answered at once, at most.
    pub(crate) fn most_at_once(&self) -> usize {
        self.seen.n_most.load(Ordering::SeqCst)
    }

    /// Waits until a client has gone that was being answered.
    pub(crate) async fn client_gone(&mut self) {
        self.gone.recv().await.unwrap();
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: Answering,
    seen: Arc<Seen>,
    left: mpsc::UnboundedSender<()>,
) {
    while let Some(asked) = request(&mut stream).await {
        let n_now = seen.n_now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.n_most.fetch_max(n_now, Ordering::SeqCst);
        let reply = answer(&asked);
        seen.asked.lock().unwrap().push(asked);
        let stays = match reply {
            Some(reply) => send(&mut stream, reply, &left).await,
            None => false,
        };
        seen.n_now.fetch_sub(1, Ordering::SeqCst);
        if !stays {
            return;
        }
    }
}

/// Sends a reply and returns whether the connection stays open.
async fn send(stream: &mut TcpStream, reply: Reply, left: &mpsc::UnboundedSender<()>) -> bool {
    if !reply.head.is_empty() {
        let head = format!("{}\r\n", reply.head);
        let _ = stream.write_all(head.as_bytes()).await;
    }
    // In small pieces, so that events and letters are torn apart; large ones would take too long.
    for piece in reply.body.as_bytes().chunks(7.max(reply.body.len() / 500)) {
        let size = format!("{:x}\r\n", piece.len());
        let chunk = [size.as_bytes(), piece, b"\r\n"].concat();
        if stream.write_all(&chunk).await.is_err() {
            let _ = left.send(());
            return false;
        }
    }
    match reply.end {
        End::Whole => stream.write_all(b"0\r\n\r\n").await.is_ok(),
        End::Cut => false,
        End::Stall => {
            // Who sends nothing more and closes is gone.
            while stream.read_u8().await.is_ok() {}
            let _ = left.send(());
            false
        }
    }
}

async fn request(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(bytes).unwrap().to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    let body = String::from_utf8(body).unwrap();
    Some(Asked { head, body })
}
