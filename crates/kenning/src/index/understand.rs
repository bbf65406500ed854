//! The bytes of a file into a note: decoded or extracted, masked, parsed.

use crate::extract::{self, Kind, Limits};
use crate::note::{self, Composed, Format, Note, Warning};
use crate::secrets::{self, Finding};
use crate::vault::decode;

/// A file, understood.
pub(super) struct Understood {
    pub(super) format: Format,
    pub(super) note: Note,
    pub(super) warnings: Vec<Warning>,
    pub(super) masked: Vec<Finding>,
}

/// Understands a file, or says why it is no text.
pub(super) fn understand(path: &str, bytes: Vec<u8>) -> Result<Understood, String> {
    let format = Format::of(path).unwrap_or(Format::Markdown);
    if let Format::Other(kind) = format {
        return Ok(extracted(path, kind, &bytes));
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
fn extracted(path: &str, kind: Kind, bytes: &[u8]) -> Understood {
    let mut warnings = Vec::new();
    let mut composed = match extract::extract(kind, path, bytes, &Limits::default()) {
        Ok(extracted) => note::compose(extracted),
        Err(reason) => {
            warnings.push(Warning {
                line: 1,
                message: format!("{reason}; it is found by its name only"),
            });
            Composed::default()
        }
    };
    let mask = |text: String| secrets::mask(text).0.into_string();
    composed.title = composed.title.map(mask);
    composed.author = composed.author.map(mask);
    let (clean, masked) = secrets::mask(std::mem::take(&mut composed.text));
    Understood {
        format: Format::Other(kind),
        note: note::parse_parts(path, clean, &composed),
        warnings,
        masked,
    }
}
