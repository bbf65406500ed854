//! PDF files: the text layer, page by page. Which pages are pictures is told; `picture` draws them.
//!
//! The interpreter draws every page on a device that only listens for letters; `layout` puts them
//! back into lines.

mod hazards;
mod layout;
pub(super) mod picture;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, TransformExt, interpret_page,
};
use layout::{Letter, Page};

use super::guard::Budget;
use super::parts::{Parts, non_blank};
use super::{Extracted, encoding};

/// Units a glyph is designed in, per em.
const UNITS_PER_EM: f64 = 1_000.0;

/// Fewer letters than this beside a picture that fills the page are a stamp of the scanner.
const STAMP_CHARS_MAX: usize = 60;

/// Opens a PDF that is no bomb.
fn open(bytes: &[u8], budget: &Budget) -> Result<Pdf, String> {
    if !bytes[..bytes.len().min(1_024)]
        .windows(5)
        .any(|window| window == b"%PDF-")
    {
        return Err("it is not what its name says: no PDF".to_owned());
    }
    hazards::refuse_bombs(bytes, budget)?;
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            "it is protected with a password".to_owned()
        }
        LoadPdfError::Decryption(_) => "it is encrypted in a way we cannot undo".to_owned(),
        LoadPdfError::Invalid => "the PDF is damaged".to_owned(),
    })?;
    hazards::refuse_objects(&pdf, budget)?;
    Ok(pdf)
}

/// Reads a PDF.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let pdf = open(bytes, budget)?;
    let cache = InterpreterCache::new();
    let mut parts = Parts::new(budget);
    let mut blank = Vec::new();
    let (mut n_pages, mut n_unknown) = (0_u32, 0);
    for page in pdf.pages().iter() {
        parts.check()?;
        n_pages += 1;
        let (width, height) = page.render_dimensions();
        let mut context = Context::new(
            page.initial_transform(true).to_kurbo(),
            Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
            &cache,
            pdf.xref(),
            InterpreterSettings::default(),
        );
        let mut listener = Listener {
            budget,
            page: Page::default(),
            n_unknown: 0,
            seen: 0.0,
        };
        interpret_page(page, &mut context, &mut listener);
        n_unknown += listener.n_unknown;
        let text = listener.page.text();
        if is_picture(&text, listener.seen / f64::from(width * height).max(1.0)) {
            blank.push(n_pages);
        }
        parts.start_page(n_pages as usize, false);
        parts.block(&text);
    }
    let parts = parts.finish()?;
    match (parts.is_empty() && blank.is_empty(), n_pages, n_unknown) {
        (true, 0, _) => Err("the PDF has no pages".to_owned()),
        (true, _, 0) => Err("no text layer: nothing is written on its pages".to_owned()),
        (true, ..) => {
            Err("no text layer: the fonts of the PDF do not say which letters they draw".to_owned())
        }
        _ => Ok(Extracted {
            blank,
            ..facts(&pdf, parts)
        }),
    }
}

/// Whether a page is to be read as a picture: `seen` is the part of it that images cover.
fn is_picture(text: &str, seen: f64) -> bool {
    match text.trim().chars().count() {
        0 => seen > 0.01,
        n_chars => n_chars < STAMP_CHARS_MAX && seen > 0.6,
    }
}

fn facts(pdf: &Pdf, parts: Vec<super::Part>) -> Extracted {
    let metadata = pdf.metadata();
    let text = |bytes: &Option<Box<[u8]>>| {
        let text = encoding::decode(bytes.as_deref()?).ok()?;
        non_blank(text.trim_matches('\0'))
    };
    let title = text(&metadata.title).map(|title| match title.strip_prefix("Microsoft Word - ") {
        Some(file) => file.to_owned(),
        None => title,
    });
    let created = metadata.creation_date.as_ref();
    Extracted {
        title: title.filter(|title| is_name(title)),
        author: text(&metadata.author).filter(|author| is_name(author)),
        created: created.map(|date| format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)),
        parts,
        ..Extracted::default()
    }
}

/// Programs fill the fields even when nobody told them anything.
fn is_name(text: &str) -> bool {
    let text = text.trim_matches(['(', ')']).to_ascii_lowercase();
    !matches!(
        text.as_str(),
        "" | "untitled" | "anonymous" | "unspecified" | "unknown"
    )
}

/// A device that draws nothing and notes every letter.
struct Listener<'b> {
    budget: &'b Budget,
    page: Page,
    /// Glyphs whose letter is not known.
    n_unknown: usize,
    /// Square points that images cover.
    seen: f64,
}

impl Device<'_> for Listener<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, mode: &DrawMode) {
        self.budget.check_or_unwind();
        // Text that is filled and stroked comes twice.
        let is_outline = matches!(mode, DrawMode::Stroke(_));
        for glyph in run.glyphs() {
            let text = match glyph.as_unicode() {
                Some(BfString::Char(character)) => character.to_string(),
                Some(BfString::String(text)) => text,
                None => {
                    self.n_unknown += 1;
                    continue;
                }
            };
            let advance = match &**glyph {
                Glyph::Outline(outline) => outline.advance_width(),
                Glyph::Type3(type3) => type3.advance_width(),
            };
            let place = props.transform * glyph.transform();
            self.page.push(
                letter(text, f64::from(advance.unwrap_or(0.0)), place),
                is_outline,
            );
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.budget.check_or_unwind();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}

    fn draw_image(&mut self, image: Image<'_, '_>, props: ImageDrawProps<'_>) {
        self.budget.check_or_unwind();
        let pixels = f64::from(image.width()) * f64::from(image.height());
        self.seen += pixels * props.transform.determinant().abs();
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

fn letter(text: String, advance: f64, place: Affine) -> Letter {
    let start = place * Point::ZERO;
    let end = place * Point::new(advance, 0.0);
    let top = place * Point::new(0.0, UNITS_PER_EM);
    let along = place * Point::new(UNITS_PER_EM, 0.0) - start;
    let length = along.hypot();
    let direction = if length > 0.0 {
        along / length
    } else {
        (1.0, 0.0).into()
    };
    Letter {
        text,
        start: (start.x, start.y),
        direction: (direction.x, direction.y),
        width: (end - start).hypot(),
        size: (top - start).hypot(),
    }
}
