//! Any bytes are a file of the kind named by `KEN_FUZZ_KIND`: parts, or a reason.
#![no_main]

use std::sync::{LazyLock, OnceLock};
use std::time::Duration;
use std::{env, fs, thread};

use kenning::extract::{self, Extracted, Kind, Limits};
use kenning::note::{self, Composed};
use kenning::secrets;
use kenning_fuzz::{abort_on_engine_panics, check_note, packed, remember};
use libfuzzer_sys::fuzz_target;

/// Small, so that an input which costs much is seen as such.
static LIMITS: LazyLock<Limits> = LazyLock::new(|| Limits {
    deadline_ms: 5_000,
    unpacked_bytes_max: 32 << 20,
    text_bytes_max: 4 << 20,
    ..Limits::default()
});

/// How long a thread may go on after its deadline.
const GRACE_MS: u64 = 8_000;

fuzz_target!(
    init: {
        // The first file makes the guard set its hook.
        let _ = extract::extract(kind(), "a", b"a", &LIMITS);
        abort_on_engine_panics();
    },
    |input: &[u8]| {
        remember(input);
        let archive = packed(input).filter(|_| is_archive(kind()));
        let path = format!("a.{}", extension(input));
        if let Some(extracted) = read(&path, archive.as_deref().unwrap_or(input)) {
            check(&path, extracted);
        }
    }
);

fn kind() -> Kind {
    static KIND: OnceLock<Kind> = OnceLock::new();
    *KIND.get_or_init(|| {
        let names = Kind::all().map(Kind::name).collect::<Vec<_>>().join(", ");
        let name = env::var("KEN_FUZZ_KIND").unwrap_or_default();
        let kind = Kind::all().find(|kind| kind.name() == name);
        kind.unwrap_or_else(|| panic!("KEN_FUZZ_KIND must be one of {names}"))
    })
}

fn is_archive(kind: Kind) -> bool {
    use Kind::{Docx, Epub, OpenDocument, Pptx, Spreadsheet};
    matches!(kind, Docx | Epub | OpenDocument | Pptx | Spreadsheet)
}

/// Only code is read by its extension: like C or not.
fn extension(input: &[u8]) -> &'static str {
    match input.len() % 2 {
        0 => "c",
        _ => "py",
    }
}

/// Reads a file, and sees to it that its thread ends even if it was given up.
fn read(path: &str, bytes: &[u8]) -> Option<Extracted> {
    let n_threads = n_threads();
    match extract::extract(kind(), path, bytes, &LIMITS) {
        Ok(extracted) => Some(extracted),
        Err(reason) => {
            assert!(!reason.trim().is_empty(), "a reason says something");
            if reason.contains("took too long") {
                wait_for_threads(n_threads);
            }
            None
        }
    }
}

/// Counts the threads of this process; 0 where there is no `/proc`.
fn n_threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fn wait_for_threads(n_before: usize) {
    for _ in 0..GRACE_MS / 10 {
        if n_threads() <= n_before {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("a thread outlives its deadline by {GRACE_MS} ms");
}

/// Makes a note of what was read, as indexing does.
fn check(path: &str, extracted: Extracted) {
    assert!(extracted.parts.len() <= LIMITS.n_parts_max);
    for part in &extracted.parts {
        assert!(part.page != Some(0));
        if let Some((level, heading)) = &part.heading {
            assert!((1..=6).contains(level) && !heading.contains('\n'));
        }
    }
    let mut composed: Composed = note::compose(extracted);
    let (clean, _) = secrets::mask(std::mem::take(&mut composed.text));
    let own = composed.own.take().map(|own| secrets::mask(own).0);
    check_note(&note::parse_parts(path, clean, own, &composed));
}
