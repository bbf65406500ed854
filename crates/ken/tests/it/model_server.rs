//! A server of models that a test has in its hand: it answers as the test says and counts what it is asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Makes status, kind and body of a reply out of path and body of a request.
type Answer = dyn Fn(&str, &Value) -> (u16, &'static str, String) + Send + Sync;

/// It goes away with the test.
pub(crate) struct ModelServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    is_closed: Arc<AtomicBool>,
}

impl ModelServer {
    pub(crate) fn start(
        answer: impl Fn(&str, &Value) -> (u16, &'static str, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
            is_closed: Arc::default(),
        };
        let (asked, is_closed) = (Arc::clone(&server.asked), Arc::clone(&server.is_closed));
        let answer: Arc<Answer> = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if is_closed.load(Ordering::SeqCst) {
                    return;
                }
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                thread::spawn(move || serve(stream.unwrap(), &*answer, &asked));
            }
        });
        server
    }

    /// An Ollama that turns texts into rows of this many floats, and says "It is here." to everything.
    pub(crate) fn ollama(dimensions: usize) -> Self {
        Self::start(move |path, body| match path {
            "/api/tags" => (
                200,
                "application/json",
                json!({"models": [{"name": "tiny:latest"}]}).to_string(),
            ),
            "/api/embed" => {
                let texts = body["input"].as_array().unwrap().iter();
                let rows: Vec<_> = texts
                    .map(|text| row(text.as_str().unwrap(), dimensions))
                    .collect();
                (
                    200,
                    "application/json",
                    json!({"embeddings": rows}).to_string(),
                )
            }
            _ => {
                let said = |text: &str| json!({"message": {"role": "assistant", "content": text}, "done": false});
                let end = json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"});
                let lines = [said("It is "), said("here."), end].map(|line| format!("{line}\n"));
                (200, "application/x-ndjson", lines.concat())
            }
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns path and body of every request so far.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }

    /// Stops listening: from here on connections are refused.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        // The listener waits for one more, and goes away with it.
        let _ = TcpStream::connect(self.address);
        while TcpStream::connect(self.address).is_ok() {}
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.close();
    }
}

fn serve(stream: TcpStream, answer: &Answer, asked: &Mutex<Vec<(String, Value)>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let (status, kind, reply) = answer(&path, &body);
    asked.lock().unwrap().push((path, body));
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reply.len()
    );
    (&stream).write_all(head.as_bytes()).ok()?;
    (&stream).write_all(reply.as_bytes()).ok()
}

/// Texts that share words are near each other.
fn row(text: &str, dimensions: usize) -> Vec<f32> {
    let mut row = vec![0.01; dimensions];
    let words = text.to_lowercase();
    for word in words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let hash = word.bytes().fold(7usize, |hash, byte| {
            hash.wrapping_mul(31) ^ usize::from(byte)
        });
        row[hash % dimensions] += 1.0;
    }
    row
}
