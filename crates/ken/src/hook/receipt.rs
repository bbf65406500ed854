//! One line in a log for every call of a hook: what was given, or why nothing was.

use std::fs;
use std::io::Write;
use std::path::Path;

use kenning::vault::{Links, read_regular_text};

use crate::private;
use crate::wire::Receipt;

/// A log that is longer is put aside; the one put aside before it goes.
const LOG_BYTES_MAX: u64 = 1 << 20;
const LOG: &str = "log.jsonl";
const LOG_BEFORE: &str = "log.1.jsonl";
const LOCK: &str = "log.lock";

/// Adds a line, in one write, so that hooks that run at once do not mix theirs.
pub(crate) fn add(folder: &Path, receipt: &Receipt) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let log = folder.join(LOG);
    if is_full(&log) {
        put_aside(folder)?;
    }
    let mut line = serde_json::to_string(receipt)?;
    line.push('\n');
    private::append(&log)?.write_all(line.as_bytes())
}

/// Returns every receipt there is, oldest first. A line that was cut by a crash is left out.
pub(crate) fn read(folder: &Path) -> Vec<Receipt> {
    let mut receipts = Vec::new();
    for name in [LOG_BEFORE, LOG] {
        // A line may go over the limit before the log is put aside.
        let file = folder.join(name);
        let text = read_regular_text(&file, 2 * LOG_BYTES_MAX, Links::Refused).unwrap_or_default();
        receipts.extend(
            text.lines()
                .filter_map(|line| serde_json::from_str(line).ok()),
        );
    }
    receipts
}

fn is_full(log: &Path) -> bool {
    fs::metadata(log).is_ok_and(|meta| meta.len() >= LOG_BYTES_MAX)
}

/// Whoever gets the lock does it; the size is looked at again, because somebody may have been first.
fn put_aside(folder: &Path) -> std::io::Result<()> {
    let lock = private::append(&folder.join(LOCK))?;
    if lock.try_lock().is_ok() && is_full(&folder.join(LOG)) {
        fs::rename(folder.join(LOG), folder.join(LOG_BEFORE))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_put_aside_when_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let receipt = Receipt {
            why: "x".repeat(200_000),
            ..Receipt::default()
        };
        for _ in 0..14 {
            add(folder.path(), &receipt).unwrap();
        }
        for name in [LOG, LOG_BEFORE] {
            let bytes = fs::metadata(folder.path().join(name)).unwrap().len();
            assert!(bytes < LOG_BYTES_MAX + 201_000, "{name}: {bytes}");
        }
        assert!(read(folder.path()).len() > 2);
    }
}
