//! The bytes of a file into a note: decoded or extracted, masked, parsed.

use crate::extract::{Extracted, Kind, Reader, Trouble};
use crate::note::{self, Composed, Format, Note, Warning};
use crate::secrets::{self, CleanText, Finding};
use crate::vault::decode;

/// A file, understood.
pub(super) struct Understood {
    pub(super) format: Format,
    pub(super) note: Note,
    pub(super) warnings: Vec<Warning>,
    pub(super) masked: Vec<Finding>,
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
    let (clean, masked) = secrets::mask(decode::text(bytes).map_err(str::to_owned)?);
    let (note, warnings) = note::parse(path, clean, format);
    Ok(Understood {
        format,
        note,
        warnings,
        masked,
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
    let (composed, clean, masked) = compose(extracted);
    Ok(Understood {
        format: Format::Other(kind),
        note: note::parse_parts(path, clean, &composed),
        warnings,
        masked,
    })
}

/// Lays out and masks what a file says: the text that is stored, and what was masked in it.
fn compose(extracted: Extracted) -> (Composed, CleanText, Vec<Finding>) {
    let mut composed = note::compose(extracted);
    let mask = |text: String| secrets::mask(text).0.into_string();
    composed.title = composed.title.map(mask);
    composed.author = composed.author.map(mask);
    let (clean, masked) = secrets::mask(std::mem::take(&mut composed.text));
    (composed, clean, masked)
}

/// Returns where credentials stand in a file.
///
/// Lines are those of the file if it is text, and those of the text the index keeps if not. What
/// only shows once the file is read, as in a mail with an encoding, has lines of the second kind.
pub fn findings(path: &str, bytes: Vec<u8>, reader: &dyn Reader) -> Result<Vec<Finding>, String> {
    let Some(Format::Other(kind)) = Format::of(path) else {
        let text = decode::text(bytes).map_err(str::to_owned)?;
        return Ok(secrets::mask(text).1);
    };
    let plain = match kind.is_text() {
        true => decode::text(bytes.clone()).ok(),
        false => None,
    };
    let is_plain = plain.is_some();
    let mut findings = plain.map_or_else(Vec::new, |text| secrets::mask(text).1);
    match reader.read(kind, path, bytes) {
        Ok(extracted) => {
            let (_, _, masked) = compose(extracted);
            let is_new = |finding: &Finding| findings.iter().all(|f| f.pattern != finding.pattern);
            let mut hidden: Vec<Finding> = masked.into_iter().filter(is_new).collect();
            findings.append(&mut hidden);
        }
        Err(trouble) if !is_plain => return Err(trouble.into_reason()),
        Err(_) => {}
    }
    Ok(findings)
}
