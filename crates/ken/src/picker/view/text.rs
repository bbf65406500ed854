//! Texts cut to columns, with what was asked for marked. Pure.

use ratatui::style::Style;
use ratatui::text::Span;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::state::lower;

/// Columns that stand before the first mark where the beginning of a text is left out.
const LEAD_COLUMNS: usize = 12;

/// Returns a text that fits; where it was cut, an ellipsis stands.
pub(super) fn fitted(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut n_columns = 1;
    for c in text.chars() {
        n_columns += c.width().unwrap_or(0);
        if n_columns > width {
            break;
        }
        out.push(c);
    }
    out + "…"
}

/// Returns a path that fits: its end says more than its beginning.
pub(super) fn fitted_path(path: &str, width: usize) -> String {
    if path.width() <= width {
        return path.to_owned();
    }
    let mut end = path;
    while end.width() + 1 > width {
        let mut chars = end.chars();
        if chars.next().is_none() {
            return String::new();
        }
        end = chars.as_str();
    }
    format!("…{end}")
}

/// Returns a text in pieces, marked or not; it begins late enough that the first mark is seen.
pub(super) fn marked(
    text: &str,
    is_marked: impl Fn(usize) -> bool,
    width: usize,
    styles: (Style, Style),
) -> Vec<Span<'static>> {
    let chars: Vec<char> = text.chars().collect();
    let first = (0..chars.len()).find(|at| is_marked(*at));
    let start = first.map_or(0, |first| start_before(&chars, first, width));
    let mut spans: Vec<Span<'static>> = Vec::new();
    let (mut run, mut is_run_marked) = (String::new(), false);
    if start > 0 {
        run.push('…');
    }
    let style = |is_marked| if is_marked { styles.1 } else { styles.0 };
    for (at, c) in chars.iter().enumerate().skip(start) {
        if is_marked(at) != is_run_marked {
            spans.push(Span::styled(std::mem::take(&mut run), style(is_run_marked)));
            is_run_marked = !is_run_marked;
        }
        run.push(*c);
    }
    spans.push(Span::styled(run, style(is_run_marked)));
    spans
}

/// Returns where a text begins so that its first mark is on the screen.
fn start_before(chars: &[char], first: usize, width: usize) -> usize {
    let columns = |range: &[char]| range.iter().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    if columns(&chars[..first]) + LEAD_COLUMNS < width {
        return 0;
    }
    let mut start = first;
    while start > 0 && columns(&chars[start..first]) < LEAD_COLUMNS {
        start -= 1;
    }
    start
}

/// Returns which characters of a line belong to one of some words, which are in lower case. A word begins
/// where a word begins, unless its script has no blanks.
pub(super) fn matches(line: &str, words: &[Vec<char>]) -> Vec<bool> {
    let chars: Vec<char> = line.chars().map(lower).collect();
    let mut is_marked = vec![false; chars.len()];
    for word in words.iter().filter(|word| !word.is_empty()) {
        let is_wide = word[0].width() == Some(2);
        for start in 0..(chars.len() + 1).saturating_sub(word.len()) {
            let is_begun = is_wide || start == 0 || !chars[start - 1].is_alphanumeric();
            if is_begun && chars[start..start + word.len()] == word[..] {
                is_marked[start..start + word.len()].fill(true);
            }
        }
    }
    is_marked
}
