//! Other programs within limits: this program again, which limits itself and then becomes the other one. So
//! the limits hold from its first instruction on, and a picture that kills it kills nothing else.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use super::child;
use crate::settings;

/// The verb that makes this program another one.
pub(crate) const VERB: &str = "__limited";

/// Longest output that is read.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;
/// What is kept of its last words.
const LAST_WORDS_BYTES: u64 = 4 << 10;
/// The deadline is to come before the limit of its time on the processor.
const GRACE_S: u64 = 5;

/// What a program may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) deadline: Duration,
    pub(crate) memory_bytes: u64,
    /// Largest file that it may write.
    pub(crate) file_bytes: u64,
}

/// How a program ended.
pub(crate) enum Ended {
    /// It printed this.
    Well(Vec<u8>),
    /// It took too long.
    Late,
    /// It failed or crashed, and these were its last words.
    Badly(ExitStatus, String),
}

/// Runs `program`, feeds it `input` and returns what it prints.
pub(crate) fn run(
    program: &Path,
    arguments: &[OsString],
    input: Vec<u8>,
    limits: Limits,
) -> io::Result<Ended> {
    let mut child = command(program, limits)?
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let printed = listen(&mut child, input);
    let in_time = printed.recv_timeout(limits.deadline);
    if in_time.is_err() {
        // It may have ended by itself.
        let _ = child.kill();
    }
    let status = child.wait()?;
    Ok(match in_time {
        Ok((output, _)) if status.success() => Ended::Well(output),
        Ok((_, words)) => Ended::Badly(status, words),
        Err(_) => Ended::Late,
    })
}

/// Feeds a child and reads what it says, on threads of their own.
fn listen(child: &mut Child, input: Vec<u8>) -> mpsc::Receiver<(Vec<u8>, String)> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // One that reads only a part of it has its reasons.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let words = thread::spawn(move || read_some(stderr, LAST_WORDS_BYTES));
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let output = read_some(stdout, OUTPUT_BYTES_MAX);
        let words = words.join().unwrap_or_default();
        let _ = sender.send((output, String::from_utf8_lossy(&words).into_owned()));
    });
    receiver
}

fn read_some(from: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // What it said before it was cut off is all there is.
        let _ = (&mut from).take(most).read_to_end(&mut bytes);
        let _ = io::copy(&mut from, &mut io::sink());
    }
    bytes
}

/// A program with as little of our environment as it needs.
fn command(program: &Path, limits: Limits) -> io::Result<Command> {
    let mut command = match cfg!(unix) {
        true => {
            let mut command = Command::new(super::program()?);
            command
                .arg(VERB)
                .arg((limits.deadline.as_secs() + GRACE_S).to_string())
                .arg(limits.memory_bytes.to_string())
                .arg(limits.file_bytes.to_string())
                .arg(program);
            command
        }
        false => Command::new(program),
    };
    command
        .env_clear()
        .envs(settings::search_path())
        .envs(settings::tesseract_data())
        // Threads of its own would take the processor from everybody, and are slower.
        .env("OMP_THREAD_LIMIT", "1")
        .env("LC_ALL", "C");
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A file that the program looks for beside itself must not be one of the vault's.
        command.current_dir("/");
        // Ctrl-C is for us; our children end when we do.
        command.process_group(0);
    }
    Ok(command)
}

/// Limits this process and becomes the program that was named.
#[cfg(unix)]
pub(crate) fn become_other(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    use std::os::unix::process::CommandExt;

    use child::limit;
    use rustix::process::Resource;

    let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
    let (Some(seconds), Some(memory), Some(file)) = (number(), number(), number()) else {
        return ExitCode::FAILURE;
    };
    let Some(program) = arguments.next() else {
        return ExitCode::FAILURE;
    };
    limit(Resource::Cpu, seconds);
    limit(Resource::Data, memory);
    #[cfg(not(target_os = "openbsd"))]
    limit(Resource::As, memory + (512 << 20));
    limit(Resource::Fsize, file);
    limit(Resource::Core, 0);
    // It only returns where the program cannot be started.
    let _ = Command::new(program).args(arguments).exec();
    ExitCode::FAILURE
}

#[cfg(not(unix))]
pub(crate) fn become_other(_: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::FAILURE
}
