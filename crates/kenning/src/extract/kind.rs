//! The kinds of files that are read besides Markdown, one row each.

/// Family of formats a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// PDF: the text layer, and pages without one as pictures.
    Pdf,
    /// Word.
    Docx,
    /// PowerPoint.
    Pptx,
    /// Excel in its three formats, and OpenDocument sheets.
    Spreadsheet,
    /// Rows of text with a separator.
    Delimited,
    /// HTML.
    Html,
    /// E-books.
    Epub,
    /// OpenDocument text and slides.
    OpenDocument,
    /// Rich Text Format.
    Rtf,
    /// Text without structure that is not a note of its own.
    Plain,
    /// Source code.
    Code,
    /// JSON.
    Json,
    /// One JSON value a line.
    JsonLines,
    /// YAML, and Obsidian bases.
    Yaml,
    /// TOML.
    Toml,
    /// A mail message.
    Email,
    /// A Jupyter notebook.
    Notebook,
    /// Subtitles.
    Subtitles,
    /// An Obsidian canvas.
    Canvas,
    /// A picture: what it shows is read by a program that is handed in with the reader.
    Picture,
}

/// What is known of a kind without looking into a file.
struct Row {
    kind: Kind,
    /// What the store calls it.
    name: &'static str,
    /// Endings of file names, lower case.
    extensions: &'static [&'static str],
    is_text: bool,
    /// Whether it is unpacked, interpreted or decoded by a large reader.
    is_risky: bool,
}

const fn row(
    kind: Kind,
    name: &'static str,
    [is_text, is_risky]: [bool; 2],
    extensions: &'static [&'static str],
) -> Row {
    Row {
        kind,
        name,
        extensions,
        is_text,
        is_risky,
    }
}

const BINARY: [bool; 2] = [false, true];
const TEXT: [bool; 2] = [true, false];
const RISKY_TEXT: [bool; 2] = [true, true];

/// Every kind, in the order of the enum.
#[rustfmt::skip]
const ROWS: [Row; 20] = [
    row(Kind::Pdf, "pdf", BINARY, &["pdf"]),
    row(Kind::Docx, "docx", BINARY, &["docx", "docm", "dotx", "dotm"]),
    row(Kind::Pptx, "pptx", BINARY, &["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"]),
    row(Kind::Spreadsheet, "spreadsheet", BINARY, &[
        "xlsx", "xlsm", "xltx", "xltm", "xlsb", "xls", "xla", "xlam", "ods", "ots",
    ]),
    row(Kind::Delimited, "delimited", TEXT, &["csv", "tsv", "tab", "psv"]),
    row(Kind::Html, "html", RISKY_TEXT, &["html", "htm", "xhtml"]),
    row(Kind::Epub, "epub", BINARY, &["epub"]),
    row(Kind::OpenDocument, "opendocument", BINARY, &["odt", "ott", "odp", "otp"]),
    row(Kind::Rtf, "rtf", RISKY_TEXT, &["rtf"]),
    row(Kind::Plain, "text", TEXT, &["log", "tex", "bib", "ini", "cfg", "conf", "properties"]),
    row(Kind::Code, "code", TEXT, &[
        "bash", "c", "cc", "clj", "cpp", "cs", "css", "cxx", "dart", "elm", "erl", "ex", "exs", "fish",
        "fs", "go", "gradle", "h", "hh", "hpp", "hs", "java", "jl", "js", "jsx", "kt", "kts", "less",
        "lisp", "lua", "m", "mjs", "ml", "mm", "nim", "php", "pl", "pm", "proto", "ps1", "py", "pyi",
        "r", "rb", "rs", "scala", "scss", "sh", "sql", "svelte", "swift", "tf", "ts", "tsx", "vim",
        "vue", "zig", "zsh",
    ]),
    row(Kind::Json, "json", TEXT, &["json", "geojson"]),
    row(Kind::JsonLines, "jsonlines", TEXT, &["jsonl", "ndjson"]),
    row(Kind::Yaml, "yaml", TEXT, &["yaml", "yml", "base"]),
    row(Kind::Toml, "toml", TEXT, &["toml"]),
    row(Kind::Email, "email", RISKY_TEXT, &["eml"]),
    row(Kind::Notebook, "notebook", TEXT, &["ipynb"]),
    row(Kind::Subtitles, "subtitles", TEXT, &["vtt", "srt"]),
    row(Kind::Canvas, "canvas", TEXT, &["canvas"]),
    row(Kind::Picture, "picture", BINARY, &["png", "jpg", "jpeg", "webp", "tif", "tiff", "heic", "heif"]),
];

impl Kind {
    /// Returns every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.kind)
    }

    /// Returns the kind of a file name, `None` when its extension is not one we read.
    ///
    /// Markdown and plain notes are not kinds: they are read by `note`.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (_, extension) = name.rsplit_once('.')?;
        let is_own = |known: &&str| known.eq_ignore_ascii_case(extension);
        let mut rows = ROWS.iter();
        let row = rows.find(|row| row.extensions.iter().any(is_own))?;
        Some(row.kind)
    }

    /// Whether a person sees lines when they open it, so that they can be pointed at.
    pub fn has_lines(self) -> bool {
        self.is_text() && self != Self::Rtf
    }

    /// Whether its bytes are text.
    pub(crate) fn is_text(self) -> bool {
        self.row().is_text
    }

    /// Whether even a small file may do harm to its reader: what is unpacked, interpreted or decoded.
    pub fn is_risky(self) -> bool {
        self.row().is_risky
    }

    /// Returns the name the store keeps.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_and_every_ending_one_kind() {
        for (at, kind) in Kind::all().enumerate() {
            assert_eq!(kind as usize, at, "{kind:?}");
        }
        for row in &ROWS {
            for extension in row.extensions {
                assert_eq!(Kind::of(&format!("a/b.c.{extension}")), Some(row.kind));
            }
        }
        assert_eq!(Kind::of("A.PDF"), Some(Kind::Pdf));
        assert_eq!((Kind::of("a.md"), Kind::of("pdf")), (None, None));
    }
}
