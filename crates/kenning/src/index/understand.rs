//! The bytes of a file into a note: decoded or extracted, masked, parsed.

use crate::extract::{Extracted, Kind, Lines, Reader, Trouble, decode};
use crate::note::{self, Composed, Format, Note, Warning};
use crate::secrets::{self, CleanText, Finding};

/// A file, understood.
pub(super) struct Understood {
    pub(super) format: Format,
    pub(super) note: Note,
    pub(super) warnings: Vec<Warning>,
    pub(super) masked: Vec<Finding>,
    /// Whether pictures in it wait to be read.
    pub(super) is_unread: bool,
}

/// Understands a file, or says why it cannot be taken now.
pub(super) fn understand(
    path: &str,
    bytes: Vec<u8>,
    reader: &dyn Reader,
) -> Result<Understood, String> {
    let format = Format::of(path).unwrap_or(Format::Markdown);
    if let Format::Other(kind) = format {
        return extracted(path, kind, bytes, reader);
    }
    let (clean, masked) = secrets::mask(decode(bytes)?);
    let (note, warnings) = note::parse(path, clean, format);
    Ok(Understood {
        format,
        note,
        warnings,
        masked,
        is_unread: false,
    })
}

/// A file that cannot be read inside is still a note: its name may be what somebody looks for.
fn extracted(
    path: &str,
    kind: Kind,
    bytes: Vec<u8>,
    reader: &dyn Reader,
) -> Result<Understood, String> {
    let mut warnings = Vec::new();
    let extracted = match reader.read(kind, path, bytes) {
        Ok(extracted) => extracted,
        Err(Trouble::File(reason)) => {
            warnings.push(Warning {
                line: 1,
                message: format!("{reason}; it is found by its name only"),
            });
            Extracted::default()
        }
        Err(Trouble::Reader(reason)) => return Err(reason),
    };
    let is_unread = extracted.is_unread;
    let laid = lay_out(extracted);
    Ok(Understood {
        format: Format::Other(kind),
        note: note::parse_parts(path, laid.text, laid.own, &laid.composed),
        warnings,
        masked: laid.masked,
        is_unread,
    })
}

/// What a file says, laid out and masked.
struct LaidOut {
    composed: Composed,
    /// The text that is searched.
    text: CleanText,
    /// The file as it stands.
    own: Option<CleanText>,
    /// What was masked, and on what line.
    masked: Vec<Finding>,
}

fn lay_out(extracted: Extracted) -> LaidOut {
    let mut composed = note::compose(extracted);
    let mask = |text: String| secrets::mask(text).0.into_string();
    composed.title = composed.title.map(mask);
    composed.author = composed.author.map(mask);
    let (text, mut masked) = secrets::mask(std::mem::take(&mut composed.text));
    let own = composed.own.take().map(|own| {
        let (own, on_its_lines) = secrets::mask(own);
        let read = std::mem::replace(&mut masked, on_its_lines);
        hide(&text, own, &composed.lines, &read, &mut masked)
    });
    LaidOut {
        composed,
        text,
        own,
        masked,
    }
}

/// Masks whole lines of a file for what shows only once it is read: a mail may be encoded, a word of
/// a web page be cut by tags. `masked` holds what was found in the file, `read` in what it says.
fn hide(
    text: &CleanText,
    own: CleanText,
    lines: &[Lines],
    read: &[Finding],
    masked: &mut Vec<Finding>,
) -> CleanText {
    if read.is_empty() {
        return own;
    }
    let own_lines: Vec<&str> = own.lines().collect();
    let mut hidden = Vec::new();
    for (line, &(from, to)) in text.lines().zip(lines) {
        let is_gone: fn(&str) -> bool = match line.trim().is_empty() {
            // A later line of a secret of several; gaps between paragraphs stand on no line.
            true => |line| line.trim().is_empty(),
            false if secrets::has_mask(line) => secrets::has_mask,
            false => continue,
        };
        let range = (from.max(1) as usize - 1)..to as usize;
        let own = own_lines.get(range.clone()).unwrap_or_default();
        if !own.is_empty() && !own.iter().any(|line| is_gone(line)) {
            hidden.push(range);
        }
    }
    let is_hidden = |line: u32| {
        hidden
            .iter()
            .any(|range| range.contains(&(line as usize - 1)))
    };
    for finding in read {
        let place = lines.get(finding.line as usize - 1);
        let line = place.map_or(1, |place| place.0.max(1));
        if is_hidden(line) && !masked.iter().any(|known| known.line == line) {
            masked.push(Finding { line, ..*finding });
        }
    }
    masked.sort_unstable();
    own.without_lines(&hidden)
}

/// Returns what a file says that is not a note of the vault, credentials masked.
pub fn attached_text(path: &str, bytes: Vec<u8>, reader: &dyn Reader) -> Result<String, String> {
    let format = Format::of(path);
    let is_text = format.is_some() || decode(bytes.clone()).is_ok();
    if !is_text || format.is_some_and(Format::is_picture) {
        return Err("files of its kind are not read".to_owned());
    }
    let understood = understand(path, bytes, reader)?;
    let text = understood.note.text;
    match understood.warnings.into_iter().next() {
        Some(warning) if text.trim().is_empty() => Err(warning.message),
        _ => Ok(text),
    }
}

/// Returns where credentials stand in a file.
///
/// Lines are those of the file if it is text, and those of the text the index keeps if not.
pub fn findings(path: &str, bytes: Vec<u8>, reader: &dyn Reader) -> Result<Vec<Finding>, String> {
    let Some(Format::Other(kind)) = Format::of(path) else {
        return Ok(secrets::mask(decode(bytes)?).1);
    };
    let plain = match kind.is_text() {
        true => decode(bytes.clone()).ok(),
        false => None,
    };
    let is_plain = plain.is_some();
    let mut findings = plain.map_or_else(Vec::new, |text| secrets::mask(text).1);
    match reader.read(kind, path, bytes) {
        Ok(extracted) => {
            let masked = lay_out(extracted).masked;
            let is_new = |finding: &Finding| findings.iter().all(|f| f.pattern != finding.pattern);
            let mut hidden: Vec<Finding> = masked.into_iter().filter(is_new).collect();
            findings.append(&mut hidden);
        }
        Err(trouble) if !is_plain => return Err(trouble.into_reason()),
        Err(_) => {}
    }
    Ok(findings)
}

#[cfg(test)]
mod tests;
