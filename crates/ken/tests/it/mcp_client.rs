//! A client that speaks plain JSON-RPC with `ken mcp`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::vault::TestVault;

/// A client that speaks plain JSON-RPC, so that every byte is seen.
pub(crate) struct Client {
    pub(crate) process: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
    /// What a client of 2026-07-28 sends along with each request.
    pub(crate) meta: Option<Value>,
    pub(crate) n_sent: u64,
}

impl Client {
    pub(crate) fn start(vault: &TestVault, args: &[&str]) -> Self {
        let mut all = vec!["mcp"];
        all.extend(args);
        let mut command = match args {
            [] => vault.command(&all),
            _ => vault.bare_command(&all),
        };
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            meta: None,
            n_sent: 0,
        }
    }

    /// A client of 2026-07-28: no handshake, every request stands alone.
    pub(crate) fn modern(vault: &TestVault, args: &[&str]) -> Self {
        let mut client = Self::start(vault, args);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        }));
        client
    }

    /// An older client, after its handshake. Returns what the server said in it, too.
    pub(crate) fn legacy(vault: &TestVault, version: &str) -> (Self, Value) {
        let mut client = Self::start(vault, &[]);
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let result = client.ask("initialize", params)["result"].take();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        (client, result)
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    #[track_caller]
    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.n_sent += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let id = self.n_sent;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message.to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns its whole result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Calls a tool that works and returns what it says as JSON.
    #[track_caller]
    pub(crate) fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that refuses, and returns its message and hint.
    #[track_caller]
    pub(crate) fn refusal(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("Nothing was executed."), "{text}");
        let said = &result["structuredContent"];
        assert_eq!(said["executed"], false);
        let word = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
        (word("error"), word("hint"))
    }

    /// Ends the input and returns how long the server took to go.
    pub(crate) fn end(mut self) -> Duration {
        drop(self.input.take());
        let started = Instant::now();
        assert!(self.process.wait().unwrap().success());
        started.elapsed()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
