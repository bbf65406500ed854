//! What is told by whole lines: tables with a telling column, recovery phrases, and key material without its frame.

use std::ops::Range;

use super::seams::{Seam, line_seam};
use super::shape::{BASE64, DIGIT, EQUALS, LOWER, UPPER, is};
use super::{Span, phrase, table};

/// Adds what the lines of `text` give away, and returns the line ends that may cut a token in two.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) -> Vec<Seam> {
    let mut seams = Vec::new();
    let bytes = text.as_bytes();
    let mut before = 0..0;
    let mut line = 0;
    let mut block_end = 0;
    while line < bytes.len() {
        let end = text_end(text, line);
        match bytes[line..end].trim_ascii_start().first() {
            Some(b'|' | b'-' | b':') if is_rule(&bytes[line..end]) => {
                table::markdown(bytes, before.clone(), (end + 1).min(bytes.len()), spans);
            }
            Some(b'a'..=b'z' | b'0'..=b'9' | b'-' | b'*' | b'>' | b'`') => {
                spans.extend(phrase::begins(bytes, line))
            }
            _ => {}
        }
        if line >= block_end && is_material(&bytes[line..end]) {
            let block = block(text, line);
            block_end = block.end;
            spans.extend(key_material(bytes, block));
        }
        if end < bytes.len() {
            seams.extend(line_seam(bytes, end));
        }
        before = line..end;
        line = end + 1;
    }
    seams
}

fn text_end(text: &str, from: usize) -> usize {
    // Lines begin behind a line end, which is a boundary of characters.
    text[from..].find('\n').map_or(text.len(), |at| from + at)
}

/// Says whether a line is the rule below the header of a table.
pub(super) fn is_rule(line: &[u8]) -> bool {
    line.iter()
        .all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t' | b'\r'))
        && line.contains(&b'|')
        && line.contains(&b'-')
}

/// Programs cut key material into lines of 64, 70, 72 or 76 letters.
const WIDTHS: [usize; 4] = [64, 70, 72, 76];
const BLOCK_LINES_MIN: usize = 3;

fn is_material(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    WIDTHS.contains(&line.len()) && line.iter().all(|&byte| is(byte, BASE64))
}

/// Returns the lines of key material that begin with `start`, and the shorter one that ends them.
fn block(text: &str, start: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let mut end = start;
    let mut line = start;
    while line < bytes.len() {
        let line_end = text_end(text, line);
        let content = bytes[line..line_end].trim_ascii();
        let is_rest = !content.is_empty()
            && content.len() < 76
            && content.iter().all(|&byte| is(byte, BASE64 | EQUALS));
        if is_material(&bytes[line..line_end]) || is_rest {
            end = line_end;
        }
        if !is_material(&bytes[line..line_end]) {
            break;
        }
        line = line_end + 1;
    }
    start..end
}

/// Beginnings of base64 that is not secret: certificates and public keys, pictures, documents, archives.
const OPEN_STARTS: [&[u8]; 14] = [
    b"MI", b"AAAA", b"iVBOR", b"/9j/", b"R0lGOD", b"UklGR", b"PHN2Zy", b"PD94", b"JVBERi", b"UEsD",
    b"H4sI", b"d09G", b"mQ", b"mD",
];

/// Decides whether a block is the inside of a private key: it has all the letters of base64, and no frame names it.
fn key_material(text: &[u8], block: Range<usize>) -> Option<Span> {
    let material = &text[block.clone()];
    let n_lines = material.split(|&byte| byte == b'\n').count();
    let content = material.trim_ascii_start();
    let before = &text[block.start.saturating_sub(FRAME_BYTES)..block.start];
    let has = |class| content.iter().any(|&byte| is(byte, class));
    let is_framed = [b"-----".as_slice(), b"base64"]
        .iter()
        .any(|mark| before.windows(mark.len()).any(|part| part == *mark));
    let is_key = n_lines >= BLOCK_LINES_MIN
        && !is_framed
        && has(UPPER)
        && has(LOWER)
        && has(DIGIT)
        && (content.contains(&b'+') || content.contains(&b'/'))
        && !OPEN_STARTS.iter().any(|start| content.starts_with(start));
    is_key.then_some(Span {
        start: block.end - content.len(),
        end: block.end,
        pattern: "key-material",
    })
}

/// How far above a block its frame is looked for.
const FRAME_BYTES: usize = 160;
