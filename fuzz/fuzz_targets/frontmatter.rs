//! Any text between two fences is front matter or a warning.
#![no_main]

use kenning::note::{self, Format};
use kenning::secrets;
use kenning_fuzz::{check_note, remember};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    remember(input);
    let yaml = String::from_utf8_lossy(input);
    let text = format!("---\n{yaml}\n---\nbody\n");
    let n_lines = text.matches('\n').count();
    let (clean, _) = secrets::mask(text);
    let (note, warnings) = note::parse("a.md", clean, Format::Markdown);
    assert_eq!(note.text.matches('\n').count(), n_lines, "lines are kept");
    for warning in warnings {
        assert!((1..=n_lines + 1).contains(&(warning.line as usize)));
    }
    check_note(&note);
});
