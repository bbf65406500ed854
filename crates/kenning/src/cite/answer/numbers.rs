//! Numbers in brackets that stand for passages: `[1]`, `[1, 3]`, `[2-4]`, `[1][2]`. Pure.

use super::scan::Reference;

/// Largest number, and most numbers that stand together: `[2024]` is a year.
const NUMBER_MAX: usize = 999;
const TOGETHER_MAX: usize = 12;

/// Reads the numbers that a text begins with: their length in bytes, and a reference that has them all.
pub(super) fn group(text: &str) -> Option<(usize, Reference)> {
    let mut found: Vec<usize> = Vec::new();
    let mut end = 0;
    while let Some((n_bytes, numbers)) = bracket(text[end..].trim_start_matches(' ')) {
        end = text.len() - text[end..].trim_start_matches(' ').len() + n_bytes;
        found.extend(numbers);
    }
    // `[1](address)` is a link.
    if found.is_empty() || found.len() > TOGETHER_MAX || text[end..].starts_with('(') {
        return None;
    }
    let name: Vec<String> = found.iter().map(usize::to_string).collect();
    let reference = Reference {
        name: format!("[{}]", name.join(",")),
        lines: None,
    };
    Some((end, reference))
}

/// Returns the numbers that [`group`] wrote down; none if this is the name of a note.
pub(super) fn of(name: &str) -> Vec<usize> {
    let inner = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let numbers = inner.map(|inner| inner.split(',').map(|number| number.parse().ok()).collect());
    numbers
        .and_then(|numbers: Option<Vec<usize>>| numbers)
        .unwrap_or_default()
}

fn bracket(text: &str) -> Option<(usize, Vec<usize>)> {
    let inner = text.strip_prefix(['[', '【'])?;
    let end = inner.find([']', '】'])?;
    let n_bytes = text.len() - inner[end..].len() + inner[end..].chars().next()?.len_utf8();
    let mut numbers = Vec::new();
    for part in inner[..end].split([',', ';']) {
        let part = part.trim().trim_start_matches('^');
        let (from, to) = part.split_once(['-', '–']).unwrap_or((part, part));
        let (from, to) = (number(from)?, number(to)?);
        if from > to || to - from >= TOGETHER_MAX {
            return None;
        }
        numbers.extend(from..=to);
    }
    Some((n_bytes, numbers))
}

fn number(text: &str) -> Option<usize> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain)?;
    (1..=NUMBER_MAX).contains(&number).then_some(number)
}
