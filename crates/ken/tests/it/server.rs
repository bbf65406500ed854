//! A running `ken serve`, and a client for it that knows just enough of HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::vault::TestVault;

/// Longest time to wait for an answer: a test that hangs should fail.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that ends with the test.
pub(crate) struct Server {
    child: Child,
    /// The main address, and those of the compatibility servers in their order.
    addresses: Vec<SocketAddr>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Server {
    /// Serves a vault that is indexed first.
    pub(crate) fn start(vault: &TestVault, args: &[&str]) -> Self {
        vault.ken(&["index"]).expect_code(0);
        Self::start_command(vault.command(&[&["serve", "--port", "0"], args].concat()))
    }

    /// Runs a command that serves.
    pub(crate) fn start_command(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stderr = child.stderr.take().unwrap();
        BufReader::new(stderr).read_line(&mut line).unwrap();
        let addresses = line
            .split("http://")
            .skip(1)
            .map(|rest| {
                rest.trim_end()
                    .trim_end_matches(|c: char| !c.is_ascii_digit())
            })
            .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
            .collect();
        assert!(line.starts_with("listening on http://"), "{line:?}");
        Self { child, addresses }
    }

    /// Returns an address of the main server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addresses[0])
    }

    /// Asks a compat instead of the main address.
    pub(crate) fn compat(&self, place: usize) -> Client {
        Client {
            address: self.addresses[place],
        }
    }

    pub(crate) fn client(&self) -> Client {
        self.compat(0)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.client().ask("GET", path, &[], "")
    }

    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.client().ask("GET", path, headers, "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Reply {
        self.client().post(path, body)
    }

    /// Asks the process to end, as the system does.
    #[cfg(unix)]
    pub(crate) fn tell_to_end(&self) {
        use rustix::process::{Pid, Signal, kill_process};
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Waits for the end and returns the exit code.
    #[cfg(unix)]
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody who asks one address.
pub(crate) struct Client {
    address: SocketAddr,
}

impl Client {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Reply {
        self.ask("POST", path, &[("Content-Type", "application/json")], body)
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut stream = self.connect();
        let mut head = self.head(method, path, headers);
        if method != "GET" {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        // What is refused early may not be read to its end.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        read(&mut stream)
    }

    /// Returns the head of a request without the empty line; a Host of its own goes first.
    pub(crate) fn head(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head
    }
}

/// Reads an answer to its end.
pub(crate) fn read(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let result = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {result:?} {bytes:?}"));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut reply = Reply {
        status: status.parse().unwrap(),
        headers,
        body: String::new(),
    };
    let body = match reply.header("transfer-encoding") {
        Some("chunked") => unchunked(&bytes[end + 4..]),
        _ => bytes[end + 4..].to_vec(),
    };
    reply.body = String::from_utf8_lossy(&body).into_owned();
    reply
}

/// Puts a body together that came in pieces.
fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 2 + size + 2..];
    }
    body
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the body of an answer that must be good.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(&self.body).unwrap()
    }

    /// Checks that this is a problem as RFC 9457 writes it, and returns it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        let kind = self.header("content-type");
        assert_eq!(kind, Some("application/problem+json"), "{self:?}");
        let problem: Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], "about:blank");
        assert!(problem["title"].is_string() && problem["detail"].is_string());
        problem
    }
}
