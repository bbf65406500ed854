//! What the fuzz targets share: what must hold of every note, and what is kept of an input.

mod archive;
mod bed;
mod panics;

pub use archive::packed;
pub use bed::{example_index, quiet_panics};
pub use panics::abort_on_engine_panics;

use std::path::PathBuf;
use std::sync::OnceLock;

use kenning::chunk::{self, Chunk, Profile};
use kenning::note::Note;

/// Names the file that always holds the input at work.
const LAST_INPUT: &str = "KEN_FUZZ_LAST";

/// Writes the input to the file named by `KEN_FUZZ_LAST`.
///
/// A stack overflow ends the process before the fuzzer can save the input that did it.
pub fn remember(input: &[u8]) {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let file = FILE.get_or_init(|| std::env::var_os(LAST_INPUT).map(PathBuf::from));
    if let Some(file) = file {
        std::fs::write(file, input).expect("KEN_FUZZ_LAST can be written");
    }
}

/// Checks what every note promises, whole and cut in every way.
pub fn check_note(note: &Note) {
    assert!(note.text.is_char_boundary(note.body_start));
    check_blocks(note);
    for heading in &note.headings {
        assert!((1..=6).contains(&heading.level));
        assert!(note.text.is_char_boundary(heading.range.start));
    }
    for profile in Profile::ALL {
        check_chunks(note, profile, &chunk::chunk(note, profile));
    }
}

fn check_blocks(note: &Note) {
    let mut end = 0;
    for block in &note.blocks {
        assert!(end <= block.range.start, "blocks overlap");
        assert!(note.text.get(block.range.clone()).is_some());
        end = block.range.end;
    }
}

fn check_chunks(note: &Note, profile: Profile, chunks: &[Chunk]) {
    // A file that ends with a line end has a last line without anything on it.
    let n_lines = 1 + note.n_lines() as usize;
    for chunk in chunks {
        assert!(note.text.get(chunk.range.clone()).is_some(), "{chunk:?}");
        assert!(1 <= chunk.start_line && chunk.start_line <= chunk.end_line);
        assert!(chunk.end_line as usize <= n_lines);
        chunk::breadcrumb(&note.title, &note.headings, chunk.heading);
    }
    let may_overlap = matches!(profile, Profile::Window | Profile::Recursive);
    for pair in chunks.windows(2) {
        assert!(pair[0].range.start <= pair[1].range.start, "out of order");
        // What a file says may be read in another order than it stands in.
        let is_read = !note.lines.is_empty();
        assert!(
            is_read || pair[0].start_line <= pair[1].start_line,
            "lines go back"
        );
        assert!(
            may_overlap || pair[0].range.end <= pair[1].range.start,
            "chunks of {} overlap",
            profile.name()
        );
    }
}
