//! Files that are not Markdown into text: bytes in, parts out.
//!
//! One file per format family. Nothing here opens a file or asks for the time of day; the only
//! clock is the deadline of the guard. A malformed or hostile file is a reason for a person,
//! never a crash, a hang or a full memory: every format draws on the same [`Limits`]. A thread
//! cannot be held to all of them, so who wants more than [`InProcess`] hands another [`Reader`] in.

mod archive;
mod code;
mod container;
mod data;
mod delimited;
mod docx;
mod drawing;
mod email;
mod encoding;
mod epub;
mod guard;
mod html;
mod kind;
mod located;
mod notebook;
mod opendocument;
mod parts;
mod pdf;
mod pptx;
mod rtf;
mod spreadsheet;
mod subtitles;
#[cfg(test)]
mod tests;
mod xml;

use std::borrow::Cow;

pub use encoding::text as decode;
use guard::Budget;
pub use kind::Kind;

/// What a file that is not Markdown says, in reading order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// The title the file gives itself.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was made, as `YYYY-MM-DD`.
    pub created: Option<String>,
    /// Its text, in reading order.
    pub parts: Vec<Part>,
    /// The file as it stands, decoded, where its lines can be pointed at.
    pub own: Option<String>,
    /// Pages that say nothing but show something, 1-based.
    pub blank: Vec<u32>,
    /// Whether pictures in it wait to be read, which takes seconds: [`Reader::read_pictures`] does.
    pub is_unread: bool,
}

impl Extracted {
    /// Refuses a file that is nothing but pictures, unless they wait to be read.
    pub fn with_text(self) -> Result<Self, Trouble> {
        let is_silent = self.parts.iter().all(|part| part.text.trim().is_empty());
        match self.blank.len() {
            0 => Ok(self),
            _ if self.is_unread || !is_silent => Ok(self),
            1 => Err(Trouble::File(
                "no text layer: the one page of the PDF is a picture".to_owned(),
            )),
            n_pages => Err(Trouble::File(format!(
                "no text layer: the {n_pages} pages of the PDF are pictures"
            ))),
        }
    }
}

/// First and last line of a file, 1-based.
pub type Lines = (u32, u32);

/// Said of what stands on no line of its own, such as a header that is repeated.
pub const NO_LINES: Lines = (0, 0);

/// One page, slide, batch of rows, chapter or section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Page, slide or sheet, 1-based.
    pub page: Option<u32>,
    /// Level (1 to 6) and text of the heading the part stands under; the text does not repeat it.
    pub heading: Option<(u8, String)>,
    /// Plain text or light Markdown: tables as `| rows |`, lists as `- `.
    pub text: String,
    /// Rows, records, slides or code: worth finding even when short.
    pub is_structured: bool,
    /// What lines of the file each line of the text comes from; empty where there are none.
    pub lines: Vec<Lines>,
    /// What lines of the file the heading stands on.
    pub heading_lines: Lines,
    /// The file with the picture that the text was read from, if it was.
    pub picture: Option<String>,
}

/// Why a file was not read, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The file is at fault: damaged, locked, hostile or without text. It stays so until it changes.
    File(String),
    /// What should read it is at fault; the next time it may go well.
    Reader(String),
}

impl Trouble {
    /// The deadline passed.
    pub fn too_slow(limits: &Limits) -> Self {
        let seconds = limits.deadline_ms as f64 / 1_000.0;
        Self::File(format!(
            "reading it took too long (more than {seconds} s), so it was given up"
        ))
    }

    /// Returns the reason.
    pub fn into_reason(self) -> String {
        match self {
            Self::File(reason) | Self::Reader(reason) => reason,
        }
    }
}

/// Reads files that are not Markdown. It is handed in, because how well a bad file is kept from
/// doing harm depends on what the program around may do.
pub trait Reader: Sync {
    /// Reads the bytes of the file at `path`.
    fn read(&self, kind: Kind, path: &str, bytes: Vec<u8>) -> Result<Extracted, Trouble>;

    /// Reads them with the pictures in them, however long it takes. Those that have been read before are part
    /// of what [`Reader::read`] returns.
    fn read_pictures(&self, kind: Kind, path: &str, bytes: Vec<u8>) -> Result<Extracted, Trouble> {
        self.read(kind, path, bytes)
    }
}

/// Reads on a thread of this process: panics and deadlines hold, memory is only counted where the
/// format can count it.
#[derive(Clone, Debug, Default)]
pub struct InProcess(pub Limits);

impl Reader for InProcess {
    fn read(&self, kind: Kind, path: &str, bytes: Vec<u8>) -> Result<Extracted, Trouble> {
        pages(kind, path, bytes, &self.0)?.with_text()
    }
}

/// How much one file may cost before it is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time one file may take; afterwards its thread is left behind.
    pub deadline_ms: u64,
    /// Bytes an archive or a compressed stream may unpack to, in total.
    pub unpacked_bytes_max: usize,
    /// Growth above which a large stream counts as a bomb. Deflate ends at about 1,030; real
    /// sheets stay below 100.
    pub unpack_ratio_max: usize,
    /// Text taken from one file.
    pub text_bytes_max: usize,
    /// Parts made of one file.
    pub n_parts_max: usize,
    /// Depth of nested elements, lists or objects.
    pub depth_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline_ms: 10_000,
            unpacked_bytes_max: 256 << 20,
            unpack_ratio_max: 300,
            text_bytes_max: 32 << 20,
            n_parts_max: 100_000,
            depth_max: 256,
        }
    }
}

/// Reads the bytes of the file at `path`, or returns the reason why not, for a person.
///
/// Runs on its own thread with a deadline; a panic inside a format becomes a reason.
pub fn extract(kind: Kind, path: &str, bytes: &[u8], limits: &Limits) -> Result<Extracted, String> {
    let extracted = pages(kind, path, bytes.to_vec(), limits);
    extracted
        .and_then(Extracted::with_text)
        .map_err(Trouble::into_reason)
}

/// Reads the bytes of the file at `path`, even if all that it has are pages that are pictures.
pub fn pages(
    kind: Kind,
    path: &str,
    bytes: Vec<u8>,
    limits: &Limits,
) -> Result<Extracted, Trouble> {
    let extension = match path.rsplit_once('.') {
        Some((_, extension)) => extension.to_ascii_lowercase(),
        None => String::new(),
    };
    guard::run(limits, bytes, move |bytes, budget| {
        read(kind, &extension, bytes, budget)
    })
}

/// Draws a page of a PDF that is a picture, 1-based, as a greymap (PGM).
pub fn page_picture(bytes: Vec<u8>, page: u32, limits: &Limits) -> Result<Vec<u8>, Trouble> {
    guard::run(limits, bytes, move |bytes, budget| {
        pdf::picture::draw(bytes, page, budget)
    })
}

fn read(kind: Kind, extension: &str, bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    match kind {
        Kind::Pdf => pdf::read(bytes, budget),
        Kind::Docx => docx::read(bytes, budget),
        Kind::Pptx => pptx::read(bytes, budget),
        Kind::Spreadsheet => spreadsheet::read(bytes, budget),
        Kind::Epub => epub::read(bytes, budget),
        Kind::OpenDocument => opendocument::read(bytes, budget),
        Kind::Rtf => rtf::read(bytes, budget),
        Kind::Email => {
            let own = encoding::decode(bytes)?.into_owned();
            let extracted = email::read(bytes, budget)?;
            Ok(Extracted {
                own: Some(own),
                ..extracted
            })
        }
        Kind::Html => of_text(html::decode(bytes)?, |text| html::read(text, budget)),
        Kind::Delimited => decoded(bytes, |text| delimited::read(text, budget)),
        Kind::Plain => decoded(bytes, |text| code::read_plain(text, budget)),
        Kind::Code => decoded(bytes, |text| code::read(text, extension, budget)),
        Kind::Json => decoded(bytes, |text| data::read_json(text, budget)),
        Kind::JsonLines => decoded(bytes, |text| data::read_json_lines(text, budget)),
        Kind::Yaml => decoded(bytes, |text| data::read_yaml(text, budget)),
        Kind::Toml => decoded(bytes, |text| data::read_toml(text, budget)),
        Kind::Notebook => decoded(bytes, |text| notebook::read(text, budget)),
        Kind::Subtitles => decoded(bytes, |text| subtitles::read(text, budget)),
        Kind::Canvas => decoded(bytes, |text| data::read_canvas(text, budget)),
        Kind::Picture => Err("nothing reads pictures here".to_owned()),
    }
}

/// Reads what is text in some encoding.
fn decoded(
    bytes: &[u8],
    read: impl FnOnce(&str) -> Result<Extracted, String>,
) -> Result<Extracted, String> {
    of_text(encoding::decode(bytes)?, read)
}

/// Reads text, and keeps it for those who look at lines.
fn of_text(
    text: Cow<'_, str>,
    read: impl FnOnce(&str) -> Result<Extracted, String>,
) -> Result<Extracted, String> {
    // Lines may end as they did on old Macs.
    let own = match text.contains('\r') && !text.contains('\n') {
        true => text.replace('\r', "\n"),
        false => text.into_owned(),
    };
    let extracted = read(&own)?;
    Ok(Extracted {
        own: Some(own),
        ..extracted
    })
}
