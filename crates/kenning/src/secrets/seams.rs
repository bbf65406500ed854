//! Credentials that something meaningless cuts in two: an invisible character, `**`, an escape, a line end.
//!
//! Around each seam a window of the text is copied without it and read like any other text. What is found across a
//! seam is a credential of the text, seam and all.

use std::ops::Range;

use super::shape::{ALNUM, ALPHA, DIGIT, URL64, is, run_length, run_length_back};
use super::{Span, keyword_spans};

/// How far around a seam is read.
const BEFORE_BYTES: usize = 256;
const BEHIND_BYTES: usize = 512;

/// Bytes without meaning, and what they stand for.
#[derive(Debug, Clone)]
pub(super) struct Seam {
    range: Range<usize>,
    stands_for: Option<u8>,
}

/// Adds what is found across seams; `lines` are those at the ends of lines.
pub(super) fn find(text: &[u8], lines: Vec<Seam>, spans: &mut Vec<Span>) {
    let mut seams = lines;
    push_signs(text, &mut seams);
    seams.sort_unstable_by_key(|seam| seam.range.start);
    let is_near = |before: &Seam, seam: &Seam| seam.range.start < before.range.end + BEHIND_BYTES;
    seams
        .chunk_by(is_near)
        .for_each(|near| across(text, near, spans));
}

/// Reads the window around some seams.
fn across(text: &[u8], seams: &[Seam], spans: &mut Vec<Span>) {
    let (Some(first), Some(last)) = (seams.first(), seams.last()) else {
        return;
    };
    let start = line_start(text, first.range.start);
    let end = line_end(text, last.range.end);
    let mut window = Vec::with_capacity(end - start);
    // Where each seam was, and how much further a byte stands in the text than in the window from there on.
    let mut cuts: Vec<(usize, usize)> = Vec::with_capacity(seams.len());
    let mut copied = start;
    for seam in seams {
        window.extend_from_slice(&text[copied..seam.range.start]);
        window.extend(seam.stands_for);
        copied = seam.range.end;
        cuts.push((window.len(), copied - window.len()));
    }
    window.extend_from_slice(&text[copied..end]);
    let back = |position: usize, is_end: bool| {
        let n_before =
            cuts.partition_point(|&(cut, _)| cut < position || cut == position && !is_end);
        position + n_before.checked_sub(1).map_or(start, |cut| cuts[cut].1)
    };
    for span in keyword_spans(&window) {
        let crosses = cuts.partition_point(|&(cut, _)| cut <= span.start)
            != cuts.partition_point(|&(cut, _)| cut < span.end);
        if crosses {
            spans.push(Span {
                start: back(span.start, false),
                end: back(span.end, true),
                pattern: span.pattern,
            });
        }
    }
}

fn line_start(text: &[u8], position: usize) -> usize {
    let from = position.saturating_sub(BEFORE_BYTES);
    let line = text[from..position].iter().rposition(|&byte| byte == b'\n');
    line.map_or(from, |at| from + at + 1)
}

fn line_end(text: &[u8], position: usize) -> usize {
    let to = text.len().min(position + BEHIND_BYTES);
    let line = text[position..to].iter().position(|&byte| byte == b'\n');
    line.map_or(to, |at| position + at)
}

/// Blocks without such a byte are passed over at once; the compiler compares several bytes in one step.
const BLOCK_BYTES: usize = 32;

/// Adds the signs that mean nothing inside of a token.
fn push_signs(text: &[u8], seams: &mut Vec<Seam>) {
    let mut end = 0;
    for (n, block) in text.chunks(BLOCK_BYTES).enumerate() {
        if !block.iter().fold(false, |any, &byte| any | may_begin(byte)) {
            continue;
        }
        let candidates = (n * BLOCK_BYTES..)
            .zip(block)
            .filter(|(_, byte)| may_begin(**byte));
        for (at, _) in candidates {
            // Several may stand side by side; the first of them has a letter before it, the last one behind it.
            let is_behind = at > 0 && (at == end || at > end && is(text[at - 1], URL64));
            if is_behind && let Some(seam) = sign_at(text, at) {
                end = seam.range.end;
                seams.push(seam);
            }
        }
    }
}

fn may_begin(byte: u8) -> bool {
    matches!(byte, b'*' | b'\\' | b'%' | b'&' | b'<')
        | (byte == 0xE2)
        | (byte == 0xEF)
        | (byte == 0xC2)
}

fn sign_at(text: &[u8], at: usize) -> Option<Seam> {
    let (length, stands_for) = sign(&text[at..])?;
    let end = at + length;
    let is_cut = text.get(end).is_some_and(|&byte| is(byte, URL64)) || sign(&text[end..]).is_some();
    is_cut.then_some(Seam {
        range: at..end,
        stands_for,
    })
}

/// Reads a sign that means nothing inside of a token: its length, and the byte it stands for.
fn sign(rest: &[u8]) -> Option<(usize, Option<u8>)> {
    match rest {
        [0xE2, 0x80, 0x8B..=0x8F, ..] | [0xE2, 0x81, 0xA0..=0xA4, ..] | [0xEF, 0xBB, 0xBF, ..] => {
            Some((3, None))
        }
        [0xC2, 0xAD, ..] | [b'*', b'*', ..] => Some((2, None)),
        [b'\\', b'_' | b'-' | b'.' | b'=' | b'+' | b'~', ..] => Some((1, None)),
        [b'*', ..] => Some((1, None)),
        [b'%', high, low, ..] => percent(*high, *low).map(|byte| (3, Some(byte))),
        _ if rest.starts_with(b"&shy;") || rest.starts_with(b"<wbr>") => Some((5, None)),
        _ if rest.starts_with(b"&#8203;") => Some((7, None)),
        _ => None,
    }
}

/// A byte of a token in the writing of URLs.
fn percent(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = (digit(high)? * 16 + digit(low)?) as u8;
    (is(byte, ALNUM) || b"_-.=+/~".contains(&byte)).then_some(byte)
}

/// Parts of a token at the end of one line and alone on the next are shorter in words.
const PART_BYTES_MIN: usize = 8;
const TOKEN_BYTES_MIN: usize = 20;

/// A line end at `at` inside of a token: both parts look generated, and nothing else stands on the second line.
pub(super) fn line_seam(text: &[u8], at: usize) -> Option<Seam> {
    let mut start = at;
    start -= usize::from(start > 0 && text[start - 1] == b'\r');
    start -= usize::from(start > 0 && text[start - 1] == b'\\');
    if start == 0 || !is(text[start - 1], URL64) {
        return None;
    }
    let end = at
        + 1
        + text[at + 1..]
            .iter()
            .take(16)
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'>'))
            .count();
    let n_behind = run_length(&text[end..], URL64, 512);
    if n_behind < PART_BYTES_MIN || !is_generated(&text[end..end + n_behind]) {
        return None;
    }
    let n_before = run_length_back(text, start, start.saturating_sub(512), URL64);
    let is_token = n_before >= PART_BYTES_MIN
        && n_before + n_behind >= TOKEN_BYTES_MIN
        && is_generated(&text[start - n_before..start]);
    let rest = &text[end + n_behind..];
    let n_closing = rest
        .iter()
        .take(3)
        .take_while(|byte| b"\"'`,;).*\\\r".contains(byte))
        .count();
    let is_alone = rest.get(n_closing).is_none_or(|&byte| byte == b'\n');
    (is_token && is_alone).then_some(Seam {
        range: start..end,
        stands_for: None,
    })
}

/// Says whether a part holds what words do not: digits among letters.
fn is_generated(part: &[u8]) -> bool {
    part.iter().any(|&byte| is(byte, ALPHA)) && part.iter().any(|&byte| is(byte, DIGIT))
}
