//! Notes as they stand in their files, to be changed: credentials are not masked here, because every byte that is
//! not meant must stay. Nothing of them is kept or shown but the lines that change.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kenning::note::Format;
use kenning::vault::{Skipped, Vault};

use crate::error::Result;
use crate::write::{Seen, Writer};

/// Threads that read files.
const N_THREADS: usize = 4;

/// A note that may be changed.
#[derive(Clone, Debug)]
pub struct Page {
    /// The file as it was read.
    pub seen: Seen,
    /// Its text.
    pub text: String,
}

impl Page {
    /// Returns its path below the vault.
    pub fn path(&self) -> &str {
        &self.seen.path
    }
}

/// Reads the notes of a vault that `is_wanted` wants, by path; it is asked with path and text. Notes that cannot be
/// read are told, not changed.
pub fn pages(
    writer: &Writer<'_>,
    vault: &Vault,
    is_wanted: impl Fn(&str, &str) -> bool + Sync,
) -> Result<(Vec<Page>, Vec<Skipped>)> {
    let mut found = vault.walk().found;
    found.retain(|found| is_page(&found.path));
    let next = AtomicUsize::new(0);
    let collected = Mutex::new((Vec::new(), Vec::new()));
    let work = || {
        let (mut wanted, mut skipped) = (Vec::new(), Vec::new());
        while let Some(found) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
            match page(writer, &found.path) {
                Ok(page) => wanted.extend(page.filter(|page| is_wanted(page.path(), &page.text))),
                Err(reason) => skipped.push(Skipped {
                    path: found.path.clone(),
                    reason,
                }),
            }
        }
        if let Ok(mut all) = collected.lock() {
            all.0.append(&mut wanted);
            all.1.append(&mut skipped);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..N_THREADS {
            scope.spawn(work);
        }
    });
    let (mut wanted, mut skipped) = collected.into_inner().unwrap_or_default();
    wanted.sort_by(|a: &Page, b| a.path().cmp(b.path()));
    skipped.sort();
    Ok((wanted, skipped))
}

/// Whether a file is one whose tags and links are changed.
fn is_page(path: &str) -> bool {
    Format::of(path) == Some(Format::Markdown) || is_canvas(path)
}

/// Whether a file is a canvas, which names notes by their paths.
pub(crate) fn is_canvas(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".canvas")
}

fn page(writer: &Writer<'_>, path: &str) -> Result<Option<Page>, String> {
    let Some(mut seen) = writer.read(path).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    match String::from_utf8(std::mem::take(&mut seen.bytes)) {
        Ok(text) => {
            seen.bytes = text.clone().into_bytes();
            Ok(Some(Page { seen, text }))
        }
        Err(_) => Err("it is not UTF-8, so it is left as it is".to_owned()),
    }
}

/// A piece of text in the place of some bytes.
pub type Edit = (Range<usize>, String);

/// Returns a text with pieces of it replaced; edits must not overlap.
pub fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, piece) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&piece);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Returns how the lines of a text end.
pub fn line_end(text: &str) -> &'static str {
    let n_crlf = text.matches("\r\n").count();
    match n_crlf > 0 && 2 * n_crlf >= text.matches('\n').count() {
        true => "\r\n",
        false => "\n",
    }
}
