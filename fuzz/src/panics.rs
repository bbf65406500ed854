//! Tells panics of the engine from panics of the crates it uses.

use std::backtrace::Backtrace;
use std::panic::{self, PanicHookInfo};

/// Ends the process on a panic in the engine's own code.
///
/// The guard of `extract` catches every panic, silently, because a format crate may give up on a
/// damaged file; our own code may not. Call this after the guard has set its hook, so that this one
/// is asked first.
pub fn abort_on_engine_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if is_in_engine(info) {
            eprintln!("{info}\n{}", Backtrace::force_capture());
            std::process::abort();
        }
        before(info);
    }));
}

fn is_in_engine(info: &PanicHookInfo<'_>) -> bool {
    let Some(location) = info.location() else {
        return true;
    };
    let file = location.file();
    // The standard library often blames itself; then whoever called it counts.
    match file.starts_with("/rustc/") || file.contains("/library/") {
        true => is_engine_first(&Backtrace::force_capture().to_string()),
        false => file.contains("crates/kenning/src"),
    }
}

/// Whether the innermost frame outside of the standard library is the engine's.
fn is_engine_first(backtrace: &str) -> bool {
    const STANDARD: [&str; 6] = ["core", "alloc", "std", "rust_", "__rust", "kenning_fuzz"];
    let mut frames = backtrace.lines().filter_map(|line| {
        let (number, name) = line.trim_start().split_once(": ")?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| name.trim_start_matches(['<', '&', '[', '(']))
    });
    frames
        .find(|name| !STANDARD.iter().any(|prefix| name.starts_with(prefix)))
        .is_none_or(|name| name.starts_with("kenning::"))
}
