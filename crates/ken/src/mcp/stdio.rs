//! MCP on standard input and output: one message a line, and nothing else on standard output.
//!
//! The SDK drops lines it cannot read and gives up on a client that begins with a notification.
//! This transport answers the first and passes over the second.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcError, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt};
use serde_json::Value;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader, stdin, stdout,
};
use tokio::sync::{Mutex, Notify};

use super::{Server, choose};
use crate::runtime;
use crate::searcher::Searchers;
use crate::settings::Caller;

/// How long after the end of input answers that are under way may still be written.
const GRACE: Duration = Duration::from_millis(500);

/// The longest message that is read.
const LINE_BYTES_MAX: usize = 4 << 20;

/// Serves until standard input ends.
pub(crate) fn stdio(searchers: Searchers, caller: Caller) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    // Indexing listens to Ctrl-C as well; who comes first must not keep it from the other.
    let stop = runtime::stop_flag();
    runtime.block_on(serve(searchers, caller));
    // What still runs is not waited for: indexes are whole between commits, and children that read
    // files end with this process.
    stop.store(true, Ordering::Relaxed);
    runtime.shutdown_background();
    Ok(())
}

async fn serve(searchers: Searchers, caller: Caller) {
    let all = searchers.all().to_vec();
    // Nobody waits for it: what has changed since the last time is indexed by the first question.
    tokio::task::spawn_blocking(move || choose::refresh(&all));
    let ended = Arc::new(Notify::new());
    let lines = Lines::new(BufReader::new(stdin()), stdout(), Arc::clone(&ended));
    let served = async {
        if let Ok(service) = Server::new(searchers, caller).serve(lines).await {
            let _ = service.waiting().await;
        }
    };
    let over = async {
        ended.notified().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = served => {}
        () = over => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Messages as lines.
struct Lines<R, W> {
    reader: R,
    /// The line that is being read. It stays here while another message is attended to.
    line: Vec<u8>,
    is_too_long: bool,
    writer: Arc<Mutex<W>>,
    /// Whether the client has asked for anything yet.
    is_begun: bool,
    ended: Arc<Notify>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncBufRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn new(reader: R, writer: W, ended: Arc<Notify>) -> Self {
        Self {
            reader,
            line: Vec::new(),
            is_too_long: false,
            writer: Arc::new(Mutex::new(writer)),
            is_begun: false,
            ended,
        }
    }

    /// Reads on until a line is complete; false at the end.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.reader.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let n_bytes = end.map_or(bytes.len(), |end| end + 1);
            if self.line.len() + n_bytes > LINE_BYTES_MAX {
                self.is_too_long = true;
            }
            if self.is_too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&bytes[..n_bytes]);
            }
            self.reader.consume(n_bytes);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Takes the line that was read as a message.
    fn take(&mut self) -> Result<Option<ClientJsonRpcMessage>, Box<JsonRpcError>> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            let message = format!("a message may have {LINE_BYTES_MAX} bytes");
            return Err(wrong(ErrorData::invalid_request(message, None), None));
        }
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.is_empty() {
            return Ok(None);
        }
        let message = parse(line)?;
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        if !is_request && !self.is_begun {
            return Ok(None);
        }
        self.is_begun = true;
        Ok(Some(message))
    }
}

/// Reads a message, or says what is wrong with it.
pub(super) fn parse(line: &[u8]) -> Result<ClientJsonRpcMessage, Box<JsonRpcError>> {
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        let message = format!("this is not valid JSON: {error}");
        wrong(ErrorData::parse_error(message, None), None)
    })?;
    let id = value.get("id").cloned();
    serde_json::from_value(value).map_err(|_| {
        let message = "this is not a JSON-RPC message";
        wrong(ErrorData::invalid_request(message, None), id)
    })
}

/// The answer to what is not a message; whom to tell may be readable all the same.
fn wrong(error: ErrorData, id: Option<Value>) -> Box<JsonRpcError> {
    let id = id.and_then(|id| serde_json::from_value(id).ok());
    Box::new(JsonRpcError::new(id, error))
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncBufRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            writer.write_all(&line).await?;
            writer.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Ok(true) = self.read_line().await {
            match self.take() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => {
                    if self
                        .send(ServerJsonRpcMessage::Error(*error))
                        .await
                        .is_err()
                    {
                        break;
                    }
                }
            }
        }
        self.ended.notify_one();
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn received(input: &str) -> (Vec<bool>, String) {
        let (ours, mut theirs) = tokio::io::duplex(1 << 16);
        let mut lines = Lines::new(input.as_bytes(), ours, Arc::default());
        let mut requests = Vec::new();
        while let Some(message) = lines.receive().await {
            requests.push(matches!(message, ClientJsonRpcMessage::Request(_)));
        }
        drop(lines);
        let mut written = String::new();
        let read = tokio::io::AsyncReadExt::read_to_string(&mut theirs, &mut written);
        read.await.unwrap();
        (requests, written)
    }

    #[tokio::test]
    async fn what_is_no_message_is_answered_and_passed_over() {
        let input = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
            \n\
            not json\n\
            [1]\n\
            {\"jsonrpc\":\"2.0\",\"id\":7}\n\
            {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\
            {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        let (requests, written) = received(input).await;
        assert_eq!(requests, [true, false]);
        let codes: Vec<(Value, Value)> = written
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|answer| (answer["error"]["code"].clone(), answer["id"].clone()))
            .collect();
        let expected = [
            (-32700, Value::Null),
            (-32600, Value::Null),
            (-32600, 7.into()),
        ];
        assert_eq!(codes, expected.map(|(code, id)| (code.into(), id)));
    }

    #[tokio::test]
    async fn a_line_without_end_fills_no_memory() {
        let long = "x".repeat(LINE_BYTES_MAX + 10);
        let input = format!("{long}\n{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n");
        let (requests, written) = received(&input).await;
        assert_eq!(requests, [true]);
        assert!(written.contains("-32600"), "{written}");
    }
}
