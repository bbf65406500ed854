//! A server that speaks OpenAI's way and says what a test tells it to, and a vault whose settings name it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::server::{Reply, Server};
use crate::vault::TestVault;

/// What the model does with a question.
pub(crate) enum Say {
    /// It answers.
    Text(String),
    /// It calls tools: name and arguments of each.
    Calls(Vec<(&'static str, Value)>),
    /// The server refuses.
    Refuse(u16, &'static str),
    /// It says this much and breaks off.
    Break(String),
    /// It says this much and then nothing until the other side goes.
    Stall(String),
}

/// A model that answers as it was told to.
pub(crate) struct Model {
    url: String,
    asked: Arc<Mutex<Vec<Value>>>,
    gone: Mutex<Receiver<()>>,
}

impl Model {
    /// Starts a server that makes of each request what `think` says.
    pub(crate) fn start(think: impl Fn(&Value) -> Say + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (left, gone) = channel();
        let (think, seen) = (Arc::new(think), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (think, seen, left) = (Arc::clone(&think), Arc::clone(&seen), left.clone());
                thread::spawn(move || serve(stream, &*think, &seen, &left));
            }
        });
        let gone = Mutex::new(gone);
        Self { url, asked, gone }
    }

    /// Returns every request so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until somebody has gone who was being answered.
    pub(crate) fn wait_gone(&self) {
        self.gone.lock().unwrap().recv().unwrap();
    }

    /// Writes settings that let it answer.
    pub(crate) fn configure(&self, vault: &TestVault, more: &str) {
        let url = &self.url;
        let settings = format!(
            "[llm]\nprovider = \"stub\"\n[llm.providers.stub]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"tiny\"\n{more}"
        );
        fs::write(vault.beside("config.toml"), settings).unwrap();
    }

    /// Serves a vault with this model.
    pub(crate) fn serve(&self, vault: &TestVault, more: &str) -> Server {
        self.configure(vault, more);
        Server::start(vault, &[])
    }
}

fn serve(
    stream: TcpStream,
    think: &dyn Fn(&Value) -> Say,
    seen: &Mutex<Vec<Value>>,
    left: &Sender<()>,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    let (mut n_bytes, mut line) = (0, String::new());
    while reader.read_line(&mut line).ok()? > 2 {
        let lower = line.to_lowercase();
        if let Some(length) = lower.strip_prefix("content-length: ") {
            n_bytes = length.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; n_bytes];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    seen.lock().unwrap().push(asked.clone());
    let head = |status: u16, kind: &str| {
        format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")
    };
    let mut say = |text: &str| {
        stream
            .write_all(text.as_bytes())
            .and_then(|()| stream.flush())
            .ok()
    };
    match think(&asked) {
        Say::Refuse(status, message) => {
            let error = json!({"error": {"message": message}});
            say(&(head(status, "application/json") + &error.to_string()))
        }
        Say::Text(text) => {
            say(&head(200, "text/event-stream"))?;
            say(&pieces(&text))?;
            say(&(event(json!({}), Some("stop")) + "data: [DONE]\n\n"))
        }
        Say::Calls(calls) => {
            say(&head(200, "text/event-stream"))?;
            for (index, (name, arguments)) in calls.into_iter().enumerate() {
                let function = json!({"name": name, "arguments": arguments.to_string()});
                let call = json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": function});
                say(&event(json!({"tool_calls": [call]}), None))?;
            }
            say(&(event(json!({}), Some("tool_calls")) + "data: [DONE]\n\n"))
        }
        Say::Break(text) => {
            // More is promised than comes.
            let length = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ncontent-length: 999999\r\n\r\n";
            say(length)?;
            say(&pieces(&text))
        }
        Say::Stall(text) => {
            say(&head(200, "text/event-stream"))?;
            say(&pieces(&text))?;
            while reader.read(&mut [0; 64]).is_ok_and(|n| n > 0) {}
            left.send(()).ok()
        }
    }
}

/// A text in pieces of a few letters.
fn pieces(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let pieces = letters
        .chunks(9)
        .map(|piece| piece.iter().collect::<String>());
    pieces
        .map(|piece| event(json!({"content": piece}), None))
        .collect()
}

fn event(delta: Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!(
        "data: {}\n\n",
        json!({"object": "chat.completion.chunk", "choices": [choice]})
    )
}

/// Returns the texts of the messages of a role.
pub(crate) fn said_by(asked: &Value, role: &str) -> Vec<String> {
    let messages = asked["messages"].as_array().unwrap().iter();
    let own = messages.filter(|message| message["role"] == role);
    own.map(|message| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts.to_string(),
    })
    .collect()
}

/// An answer over `/rag`, line by line.
pub(crate) struct Lines(pub(crate) Vec<Value>);

/// Asks for an answer.
#[track_caller]
pub(crate) fn ask(server: &Server, body: &Value) -> Lines {
    lines(&server.post("/rag", &body.to_string()))
}

/// Takes an answer apart.
#[track_caller]
pub(crate) fn lines(reply: &Reply) -> Lines {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    let lines = reply.body.lines();
    Lines(
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

impl Lines {
    /// Returns the lines of a type.
    pub(crate) fn of(&self, kind: &str) -> Vec<&Value> {
        self.0.iter().filter(|line| line["type"] == kind).collect()
    }

    /// Returns the metadata of a stage.
    pub(crate) fn cited(&self, stage: &str) -> Vec<&Value> {
        let mut cited = self.of("metadata");
        cited.retain(|line| line["stage"] == stage);
        cited
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> String {
        let pieces = self.of("text").into_iter();
        pieces.map(|line| line["text"].as_str().unwrap()).collect()
    }

    /// Returns the last line.
    #[track_caller]
    pub(crate) fn done(&self) -> &Value {
        let last = self.0.last().unwrap();
        assert_eq!(last["type"], "done", "{:?}", self.0);
        last
    }
}
