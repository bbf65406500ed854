//! Whole outputs of tools that were shortened, kept for a while so that nothing is lost.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kenning::vault::{Links, read_regular_text};

/// Outputs that are kept; the oldest go first.
const OUTPUTS_MAX: usize = 50;
const ALL_BYTES_MAX: u64 = 32 << 20;
const OUTPUT_BYTES_MAX: usize = 4 << 20;

/// Keeps an output whose credentials are masked already; returns its id. What has the fingerprint of
/// an earlier one takes its place.
pub(crate) fn keep(folder: &Path, fingerprint: u64, output: &str) -> io::Result<String> {
    // The end says how it went.
    let from = output.ceil_char_boundary(output.len().saturating_sub(OUTPUT_BYTES_MAX));
    let output = &output[from..];
    let id = format!("{fingerprint:016x}");
    fs::create_dir_all(folder)?;
    make_room(folder, output.len() as u64);
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut fresh, output.as_bytes())?;
    fresh.persist(file_of(folder, &id))?;
    Ok(id)
}

/// Returns an output by its id.
pub(crate) fn read(folder: &Path, id: &str) -> Option<String> {
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id
        .then(|| read_regular_text(&file_of(folder, id), ALL_BYTES_MAX, Links::Refused).ok())
        .flatten()
}

fn file_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.txt"))
}

fn make_room(folder: &Path, n_bytes: u64) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            Some((meta.modified().ok()?, meta.len(), entry.path()))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let mut sum = n_bytes;
    for (place, (_, n_bytes, path)) in files.iter().enumerate() {
        sum += n_bytes;
        if place + 1 >= OUTPUTS_MAX || sum > ALL_BYTES_MAX {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_output_of_a_kind_is_kept_and_never_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let id = keep(folder.path(), 7, "roof at 9:15").unwrap();
        assert_eq!(keep(folder.path(), 7, "roof at 9:30").unwrap(), id);
        assert_eq!(read(folder.path(), &id).unwrap(), "roof at 9:30");
        assert_eq!(read(folder.path(), "../roof"), None);
        for n in 0..OUTPUTS_MAX as u64 + 10 {
            keep(folder.path(), n, "roof").unwrap();
        }
        assert!(fs::read_dir(folder.path()).unwrap().count() <= OUTPUTS_MAX);
    }
}
