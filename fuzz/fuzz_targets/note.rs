//! Any text is a note, read as Markdown and as plain text.
#![no_main]

use kenning::note::{self, Format};
use kenning::secrets;
use kenning_fuzz::{check_note, remember};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    remember(input);
    let text = String::from_utf8_lossy(input);
    let (clean, _) = secrets::mask(text.into_owned());
    for (path, format) in [("a.md", Format::Markdown), ("a.txt", Format::Plain)] {
        let n_lines = clean.matches('\n').count();
        let (note, _) = note::parse(path, clean.clone(), format);
        assert_eq!(note.text.matches('\n').count(), n_lines, "lines are kept");
        check_note(&note);
    }
});
