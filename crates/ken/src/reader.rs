//! Reads files in child processes, so that a hostile one takes a child with it and nothing else.
//!
//! A child is this program again, started with a verb nobody types. Children are started when they
//! are needed, one for each thread that waits for one, used for file after file, and ended with the
//! run. A thread cannot be held to a limit of memory, nor be ended; a process can.

pub(crate) mod child;
pub(crate) mod limited;
pub(crate) mod pictures;
mod pipe;

use std::io::{self, BufReader, BufWriter, Read};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kenning::extract::{Extracted, InProcess, Kind, Limits, Reader, Trouble};
use pictures::{Patience, Pictures};
use pipe::{Answer, Request, Said};

/// The verb that makes this program a child. It is not a command: only another `ken` can speak to it.
pub(crate) const CHILD_VERB: &str = "__read";

/// Memory of one child, its program and threads included.
pub(crate) const MEMORY_BYTES_MAX: u64 = 1 << 30;

/// Files up to this size cannot do much harm if only lines are looked for in them.
const SMALL_BYTES: usize = 1 << 20;

/// How long after its deadline a child may still answer; its own guard comes first.
const GRACE: Duration = Duration::from_secs(1);

/// What is kept of a child's last words.
const LAST_WORDS_BYTES: u64 = 4 << 10;

/// Reads risky files in children and the others here.
#[derive(Default)]
pub(crate) struct Readers {
    inside: InProcess,
    idle: Mutex<Vec<Worker>>,
    pictures: Option<Pictures>,
}

impl Reader for Readers {
    fn read(&self, kind: Kind, path: &str, bytes: Vec<u8>) -> Result<Extracted, Trouble> {
        self.read_with(kind, path, bytes, Patience::None)
    }

    fn read_pictures(&self, kind: Kind, path: &str, bytes: Vec<u8>) -> Result<Extracted, Trouble> {
        self.read_with(kind, path, bytes, Patience::Endless)
    }
}

impl Readers {
    /// Reads pictures, too, if there is something to read them with.
    pub(crate) fn with_pictures(pictures: Option<Pictures>) -> Self {
        Self {
            pictures,
            ..Self::default()
        }
    }

    fn read_with(
        &self,
        kind: Kind,
        path: &str,
        bytes: Vec<u8>,
        patience: Patience,
    ) -> Result<Extracted, Trouble> {
        if let (Kind::Picture, Some(pictures)) = (kind, &self.pictures) {
            return pictures.read(path, &bytes, patience);
        }
        if !is_risky(kind, bytes.len()) {
            return self.inside.read(kind, path, bytes);
        }
        let scan = (kind == Kind::Pdf && self.pictures.is_some()).then(|| bytes.clone());
        let mut extracted = self.text(kind, path, bytes)?;
        if let (Some(bytes), Some(pictures)) = (scan, &self.pictures) {
            let draw = |page| self.drawn(path, bytes.clone(), page);
            pictures.read_blank(path, &bytes, &mut extracted, patience, draw)?;
        }
        extracted.with_text()
    }

    fn text(&self, kind: Kind, path: &str, bytes: Vec<u8>) -> Result<Extracted, Trouble> {
        let path = path.to_owned();
        let page = None;
        match self.asked(Request {
            kind,
            path,
            bytes,
            page,
        })? {
            Said::Text(extracted) => Ok(extracted),
            Said::Picture(_) => Err(Loss::Garbled.told(&self.inside.0)),
        }
    }

    /// Has a page of a PDF drawn.
    fn drawn(&self, path: &str, bytes: Vec<u8>, page: u32) -> Result<Vec<u8>, Trouble> {
        let request = Request {
            kind: Kind::Pdf,
            path: path.to_owned(),
            bytes,
            page: Some(page),
        };
        match self.asked(request)? {
            Said::Picture(picture) => Ok(picture),
            Said::Text(_) => Err(Loss::Garbled.told(&self.inside.0)),
        }
    }

    fn asked(&self, request: Request) -> Answer {
        let request = Arc::new(request);
        // A child that has read before may have died since, or keep memory from files before. So
        // what it fails at is tried once more, and how a file ends does not depend on the others.
        let used = self.idle().pop();
        if let Some(worker) = used
            && let Some(answer) = self.ask_used(worker, &request)
        {
            return answer;
        }
        let worker = Worker::start().map_err(|error| {
            Trouble::Reader(format!(
                "there was no process to read it with ({error}); it is tried again next time"
            ))
        })?;
        self.ask(worker, &request)
            .unwrap_or_else(|loss| Err(loss.told(&self.inside.0)))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `None` where another child should be asked.
    fn ask_used(&self, worker: Worker, request: &Arc<Request>) -> Option<Answer> {
        match self.ask(worker, request) {
            Ok(Err(Trouble::Reader(_))) => None,
            Ok(answer) => Some(answer),
            Err(Loss::Late) => Some(Err(Loss::Late.told(&self.inside.0))),
            Err(_) => None,
        }
    }

    fn ask(&self, mut worker: Worker, request: &Arc<Request>) -> Result<Answer, Loss> {
        let deadline = Duration::from_millis(self.inside.0.deadline_ms);
        let started = Instant::now();
        let answer = worker.ask(request, deadline + GRACE)?;
        // One that gave a file up ends itself, and one without a thread left is of no more use.
        if started.elapsed() < deadline && !matches!(answer, Err(Trouble::Reader(_))) {
            self.idle().push(worker);
        }
        Ok(answer)
    }
}

/// Whether a file is read in a child: what is unpacked, interpreted or decoded by a large reader,
/// and anything that is large itself.
fn is_risky(kind: Kind, n_bytes: usize) -> bool {
    kind.is_risky() || n_bytes > SMALL_BYTES
}

/// How a child was lost.
#[derive(Debug)]
enum Loss {
    /// It did not answer in time.
    Late,
    /// What it said made no sense.
    Garbled,
    /// It ended, and these were its last words.
    Ended(ExitStatus, String),
}

impl Loss {
    /// Says whose fault it was.
    fn told(self, limits: &Limits) -> Trouble {
        match self {
            Self::Late => Trouble::too_slow(limits),
            Self::Garbled => Trouble::File("its reader answered nonsense".to_owned()),
            Self::Ended(status, words) => told_of_end(status, &words, limits),
        }
    }
}

fn told_of_end(status: ExitStatus, words: &str, limits: &Limits) -> Trouble {
    if words.contains("memory allocation of") {
        let most = MEMORY_BYTES_MAX >> 30;
        return Trouble::File(format!("reading it needed more than {most} GB of memory"));
    }
    if words.contains("overflowed its stack") {
        return Trouble::File("it is nested too deep for its reader".to_owned());
    }
    match signal(status) {
        Some(SIGNAL_CPU) => Trouble::too_slow(limits),
        Some(signal) if SIGNALS_FROM_OUTSIDE.contains(&signal) => Trouble::Reader(format!(
            "its reader was ended from outside (signal {signal}); it is tried again next time"
        )),
        Some(signal) => Trouble::File(format!("its reader crashed (signal {signal})")),
        None => Trouble::File(format!("its reader crashed ({status})")),
    }
}

/// `SIGXCPU` on Linux, macOS and the BSDs.
const SIGNAL_CPU: i32 = 24;

/// `SIGHUP`, `SIGINT`, `SIGKILL` and `SIGTERM`: no file causes them.
const SIGNALS_FROM_OUTSIDE: [i32; 4] = [1, 2, 9, 15];

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// A child and the thread that speaks with it. Pipes have no deadline; channels have.
struct Worker {
    process: std::process::Child,
    requests: SyncSender<Arc<Request>>,
    answers: Receiver<io::Result<Answer>>,
}

impl Worker {
    fn start() -> io::Result<Self> {
        let mut command = Command::new(program()?);
        command
            .arg(CHILD_VERB)
            // What it says last is to be short: it is looked at when it has ended.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Ctrl-C is for us; children end when we do.
            command.arg0("ken").process_group(0);
        }
        let mut process = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (requests, to_write) = mpsc::sync_channel(1);
        let (sender, answers) = mpsc::sync_channel(1);
        thread::spawn(move || speak(stdin, stdout, &to_write, &sender));
        Ok(Self {
            process,
            requests,
            answers,
        })
    }

    fn ask(&mut self, request: &Arc<Request>, patience: Duration) -> Result<Answer, Loss> {
        // A thread that is gone has left an error among its answers, or hung up.
        let _ = self.requests.send(Arc::clone(request));
        match self.answers.recv_timeout(patience) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => Err(Loss::Garbled),
            Err(RecvTimeoutError::Timeout) => Err(Loss::Late),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// Waits for a child whose pipes are closed and reads its last words.
    fn ended(&mut self) -> Loss {
        let _ = self.process.kill();
        let Ok(status) = self.process.wait() else {
            return Loss::Garbled;
        };
        let mut words = Vec::new();
        if let Some(stderr) = self.process.stderr.take() {
            let _ = stderr.take(LAST_WORDS_BYTES).read_to_end(&mut words);
        }
        Loss::Ended(status, String::from_utf8_lossy(&words).into_owned())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes requests and reads answers until one of both fails or the worker is dropped.
fn speak(
    stdin: ChildStdin,
    stdout: ChildStdout,
    requests: &Receiver<Arc<Request>>,
    answers: &SyncSender<io::Result<Answer>>,
) {
    let (mut to, mut from) = (BufWriter::new(stdin), BufReader::new(stdout));
    for request in requests {
        let answer =
            pipe::write_request(&mut to, &request).and_then(|()| pipe::read_answer(&mut from));
        let is_over = answer.is_err();
        if answers.send(answer).is_err() || is_over {
            return;
        }
    }
}

/// This very program, even if its file was replaced since.
fn program() -> io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok(PathBuf::from("/proc/self/exe")),
        false => std::env::current_exe(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn told(raw_status: i32, words: &str) -> Trouble {
        let status = ExitStatus::from_raw(raw_status);
        Loss::Ended(status, words.to_owned()).told(&Limits::default())
    }

    #[test]
    fn an_end_is_the_fault_of_the_file_unless_it_came_from_outside() {
        let is_file = |trouble: Trouble, word: &str| match trouble {
            Trouble::File(reason) => reason.contains(word),
            Trouble::Reader(_) => false,
        };
        let words = "memory allocation of 4294967296 bytes failed\n";
        assert!(is_file(told(6, words), "1 GB of memory"));
        let words = "thread 'kenning-extract' (7) has overflowed its stack\n";
        assert!(is_file(told(6, words), "too deep"));
        assert!(is_file(told(11, ""), "signal 11"));
        assert!(is_file(told(24, ""), "10 s"));
        assert!(is_file(told(101 << 8, ""), "101"));
        for signal in SIGNALS_FROM_OUTSIDE {
            assert!(matches!(told(signal, ""), Trouble::Reader(_)));
        }
    }
}
