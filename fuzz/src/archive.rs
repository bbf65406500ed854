//! Archives written as text, so that the fuzzer changes what is inside and not only the wrapping.
//!
//! A flipped byte in a real zip fails its checksum before any format reads it.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Packs `-- name --` lines, each followed by what that file holds, into an archive.
///
/// Returns `None` when the input does not begin with such a line.
pub fn packed(input: &[u8]) -> Option<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    name_of(input.split(|&byte| byte == b'\n').next()?)?;
    let mut is_open = false;
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        match name_of(line) {
            // A name that stands twice is refused; its file is left out.
            Some(name) => is_open = writer.start_file(name, options).is_ok(),
            None if is_open => writer.write_all(line).ok()?,
            None => {}
        }
    }
    Some(writer.finish().ok()?.into_inner())
}

fn name_of(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    line.trim_end().strip_prefix("-- ")?.strip_suffix(" --")
}
