//! Subtitles: what is said, in paragraphs of about a minute, without times and numbers.

use super::Extracted;
use super::guard::Budget;
use super::parts::{Parts, non_blank};

/// Cues that go into one part, about a minute of speech; `page` has no meaning here.
const BATCH_CUES: usize = 20;

/// Reads a WebVTT or SubRip file.
pub(super) fn read(text: &str, budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    let mut n_cues = 0_usize;
    let mut is_speech = false;
    let mut last = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        parts.check()?;
        parts.at(number, number);
        if let Some((start, _)) = line.split_once("-->") {
            is_speech = true;
            if n_cues.is_multiple_of(BATCH_CUES) {
                let start = start.trim().split(['.', ',']).next().unwrap_or_default();
                parts.start_page(0, false);
                parts.start_section(2, start);
            }
            n_cues += 1;
        } else if line.trim().is_empty() {
            is_speech = false;
        } else if is_speech
            // Rolling captions repeat the line before.
            && let Some(line) = non_blank(&untagged(line)).filter(|line| *line != last)
        {
            parts.line(&line);
            last = line;
        }
    }
    if n_cues == 0 {
        return Err("it holds no subtitles".to_owned());
    }
    parts.finish_untitled()
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
