//! What an agent sends: Claude Code's and Codex's names, and Copilot's spelling of them.

use std::io::Read;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// How long a silent standard input is waited for.
const STDIN_WAIT: Duration = Duration::from_millis(300);
const STDIN_BYTES_MAX: usize = 64 << 20;

/// One call, understood. What was not sent is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    /// What the agent calls the event; empty where it says nothing that only an agent would.
    pub(crate) event: String,
    pub(crate) session: String,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) transcript: Option<PathBuf>,
    pub(crate) prompt: String,
    /// Why a session starts.
    pub(crate) source: String,
    pub(crate) tool: String,
    pub(crate) tool_input: Value,
    pub(crate) tool_output: Value,
    pub(crate) tool_call: Option<String>,
}

impl Input {
    /// Reads what was sent; `None` for anything but an object.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let object = value.as_object()?;
        let one_of = |names: [&str; 2]| names.into_iter().find_map(|name| object.get(name));
        let text = |names: [&str; 2]| {
            let text = one_of(names).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let path = |names| Some(text(names)).filter(|path| !path.is_empty());
        let tool_input = match one_of(["tool_input", "toolArgs"]) {
            // Copilot sends the arguments as JSON in a string.
            Some(Value::String(json)) => {
                serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.clone()))
            }
            Some(value) => value.clone(),
            None => Value::Null,
        };
        let session = text(["session_id", "sessionId"]);
        let mut event = text(["hook_event_name", "hookEventName"]);
        // Copilot sends no name.
        if event.is_empty() && !session.is_empty() {
            event = "unknown".to_owned();
        }
        Some(Self {
            event,
            session,
            cwd: path(["cwd", "cwd"]).map(PathBuf::from),
            transcript: path(["transcript_path", "transcriptPath"]).map(PathBuf::from),
            prompt: text(["prompt", "initialPrompt"]),
            source: text(["source", "source"]),
            tool: text(["tool_name", "toolName"]),
            tool_input,
            tool_output: one_of(["tool_response", "toolResult"])
                .cloned()
                .unwrap_or_default(),
            tool_call: path(["tool_use_id", "toolUseId"]),
        })
    }

    /// Returns a text among the arguments of the tool.
    pub(crate) fn argument(&self, names: &[&str]) -> Option<&str> {
        let found = names.iter().find_map(|name| self.tool_input.get(name));
        found
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    }
}

/// Reads standard input to its end, or until nothing more comes: some agents keep it open, some
/// send nothing.
pub(super) fn read() -> Vec<u8> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut buffer = vec![0; 64 << 10];
        while let Ok(n_bytes) = stdin.read(&mut buffer) {
            if n_bytes == 0 || sender.send(buffer[..n_bytes].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut bytes = Vec::new();
    while bytes.len() < STDIN_BYTES_MAX {
        match receiver.recv_timeout(STDIN_WAIT) {
            Ok(part) => bytes.extend(part),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_understood() {
        let claude = Input::parse(
            br#"{"session_id":"s","cwd":"/x","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        );
        let copilot = Input::parse(
            br#"{"sessionId":"s","cwd":"/x","toolName":"Bash","toolArgs":"{\"command\":\"ls\"}"}"#,
        );
        for input in [claude.unwrap(), copilot.unwrap()] {
            assert_eq!((input.session.as_str(), input.tool.as_str()), ("s", "Bash"));
            assert_eq!(input.argument(&["command"]), Some("ls"));
        }
    }

    #[test]
    fn what_is_no_object_is_nothing() {
        for bytes in ["", "[]", "{", "7", "\"prompt\"", "\u{0}"] {
            assert!(Input::parse(bytes.as_bytes()).is_none(), "{bytes:?}");
        }
    }
}
