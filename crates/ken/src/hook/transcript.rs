//! What an agent wrote, from the transcript it keeps of a session. Only ever looked at, to count use.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use kenning::vault::{Links, open_regular};

const TRANSCRIPT_BYTES_MAX: u64 = 64 << 10;

/// Returns what the agent itself wrote last, from the end of a transcript. What hooks added stands
/// there, too, and must not count as use.
pub(super) fn answered(transcript: &Path) -> String {
    let is_transcript = transcript
        .extension()
        .is_some_and(|extension| extension == "jsonl");
    let tail = || -> io::Result<String> {
        let mut file = open_regular(transcript, Links::Followed)?;
        let n_bytes = file.metadata()?.len();
        file.seek(SeekFrom::Start(
            n_bytes.saturating_sub(TRANSCRIPT_BYTES_MAX),
        ))?;
        let mut bytes = Vec::new();
        file.take(TRANSCRIPT_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    if !is_transcript || !transcript.is_file() {
        return String::new();
    }
    let is_agent = |line: &&str| {
        let value: Result<serde_json::Value, _> = serde_json::from_str(line);
        value.is_ok_and(|value| value["type"] == "assistant")
    };
    let tail = tail().unwrap_or_default();
    tail.lines().filter(is_agent).collect()
}
