//! Subtitles: what is said, in paragraphs of about a minute, without times and numbers.

use super::Extracted;
use super::encoding;
use super::guard::Budget;
use super::parts::{Parts, non_blank};

/// Cues that go into one part, about a minute of speech; `page` has no meaning here.
const BATCH_CUES: usize = 20;

/// Reads a WebVTT or SubRip file.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let text = encoding::decode(bytes)?
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let mut parts = Parts::new(budget);
    let mut n_cues = 0_usize;
    let mut last = String::new();
    for block in text.split("\n\n") {
        parts.check()?;
        let Some((start, speech)) = cue(block) else {
            continue;
        };
        if n_cues.is_multiple_of(BATCH_CUES) {
            parts.start_page(0, false);
            parts.start_section(2, start);
        }
        n_cues += 1;
        for line in speech.lines() {
            // Rolling captions repeat the line before.
            if let Some(line) = non_blank(&untagged(line)).filter(|line| *line != last) {
                parts.line(&line);
                last = line;
            }
        }
    }
    if n_cues == 0 {
        return Err("it holds no subtitles".to_owned());
    }
    parts.finish_untitled()
}

/// Returns the time a cue starts and its text.
fn cue(block: &str) -> Option<(&str, &str)> {
    let arrow = block.find("-->")?;
    let line_start = block[..arrow].rfind('\n').map_or(0, |found| found + 1);
    let start = block[line_start..arrow].trim().split(['.', ',']).next()?;
    let speech = block[arrow..]
        .split_once('\n')
        .map_or("", |(_, speech)| speech);
    Some((start, speech))
}

/// Drops tags such as `<i>`; a voice tag gives its speaker.
fn untagged(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let Some(end) = rest[start..].find('>') else {
            rest = &rest[start..];
            break;
        };
        let tag = &rest[start + 1..start + end];
        if let Some((_, speaker)) = tag
            .split_once(' ')
            .filter(|(name, _)| name.starts_with('v'))
        {
            text.push_str(speaker.trim());
            text.push_str(": ");
        }
        rest = &rest[start + end + 1..];
    }
    text.push_str(rest);
    text
}
