//! The child's side: limits itself, then reads what it is handed until the pipe ends.

use std::io::{BufReader, BufWriter, stdin, stdout};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use kenning::extract::{self, Limits};

use super::pipe::{self, Answer, Request, Said};

/// Runs until whoever started this process ends, or a file took too long.
pub(crate) fn run() -> ExitCode {
    limit_process();
    let limits = Limits::default();
    let deadline = Duration::from_millis(limits.deadline_ms);
    let mut answers = BufWriter::new(stdout());
    for request in requests() {
        limit_time(deadline);
        let started = Instant::now();
        let answer = answered(request, &limits);
        let is_over = started.elapsed() >= deadline;
        // A thread that was given up may still run: it ends with the process.
        if pipe::write_answer(&mut answers, &answer).is_err() || is_over {
            break;
        }
    }
    ExitCode::SUCCESS
}

fn answered(request: Request, limits: &Limits) -> Answer {
    let Request {
        kind,
        path,
        bytes,
        page,
    } = request;
    match page {
        Some(page) => extract::page_picture(bytes, page, limits).map(Said::Picture),
        None => extract::pages(kind, &path, bytes, limits).map(Said::Text),
    }
}

/// Requests are awaited on a thread of their own, so that the end of the pipe is also noticed while
/// a file is being read: this process must not outlive the one it works for.
fn requests() -> mpsc::Receiver<pipe::Request> {
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut pipe = BufReader::new(stdin());
        while let Ok(Some(request)) = pipe::read_request(&mut pipe) {
            if sender.send(request).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    receiver
}

/// Limits the memory. Where a limit cannot be set, the deadline is what is left.
#[cfg(unix)]
fn limit_process() {
    use rustix::process::Resource;

    /// What is reserved and never touched: the program, stacks, room for the heaps of threads.
    #[cfg(not(target_os = "openbsd"))]
    const RESERVED_BYTES: u64 = 512 << 20;
    // Linux counts what can be written, the others the whole address space.
    limit(Resource::Data, super::MEMORY_BYTES_MAX);
    #[cfg(not(target_os = "openbsd"))]
    limit(Resource::As, super::MEMORY_BYTES_MAX + RESERVED_BYTES);
    // A crash is expected here; nobody wants its memory on the disk.
    limit(Resource::Core, 0);
}

/// Limits the time on the processor: what this process has used, and a file's worth on top of it.
#[cfg(unix)]
fn limit_time(deadline: Duration) {
    use rustix::process::Resource;
    use rustix::time::{ClockId, clock_gettime};

    /// The deadline is to come first.
    const GRACE_S: u64 = 5;
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    let used = u64::try_from(used).unwrap_or(0);
    limit(Resource::Cpu, used + deadline.as_secs() + GRACE_S);
}

#[cfg(unix)]
pub(crate) fn limit(resource: rustix::process::Resource, most: u64) {
    use rustix::process::{Rlimit, getrlimit, setrlimit};

    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    // Not every system knows every limit.
    let _ = setrlimit(resource, Rlimit { current, maximum });
}

#[cfg(not(unix))]
fn limit_process() {}

#[cfg(not(unix))]
fn limit_time(_: Duration) {}
