//! A page of a PDF as a picture: what is scanned, drawn in shades of grey for a program that reads pictures.
//!
//! Only images are drawn. A page that shows letters has a text layer, and lines around them say nothing.

use hayro_interpret::font::GlyphRun;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps,
    InterpreterCache, InterpreterSettings, LumaData, SoftMask, TransformExt, interpret_page,
};

use crate::extract::guard::Budget;

/// Pixels of one page, at most.
const PIXELS_MAX: f64 = 24e6;
/// Pixels for each of the 72 points of an inch: scans have 150 to 600 to the inch.
const SCALE_MIN: f64 = 1.0;
const SCALE_MAX: f64 = 8.5;

/// Draws a page, 1-based, as a greymap (PGM) that any reader of pictures understands.
pub(in crate::extract) fn draw(
    bytes: &[u8],
    number: u32,
    budget: &Budget,
) -> Result<Vec<u8>, String> {
    let pdf = super::open(bytes, budget)?;
    let at = (number as usize).checked_sub(1);
    let pages = pdf.pages();
    let page = at.and_then(|at| pages.get(at));
    let page = page.ok_or_else(|| format!("the PDF has no page {number}"))?;
    let mut sizes = Sizes { scale: SCALE_MIN };
    interpret(&pdf, page, Affine::IDENTITY, &mut sizes);
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    let most = (PIXELS_MAX / (width * height).max(1.0)).sqrt();
    let scale = sizes.scale.clamp(SCALE_MIN, SCALE_MAX).min(most);
    let mut canvas = Canvas::new(budget, width * scale, height * scale);
    interpret(&pdf, page, Affine::scale(scale), &mut canvas);
    Ok(canvas.into_greymap())
}

fn interpret<'a>(pdf: &'a Pdf, page: &Page<'a>, scaled: Affine, device: &mut impl Device<'a>) {
    let (width, height) = page.render_dimensions();
    let cache = InterpreterCache::new();
    let mut context = Context::new(
        scaled * page.initial_transform(true).to_kurbo(),
        Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
        &cache,
        pdf.xref(),
        InterpreterSettings::default(),
    );
    interpret_page(page, &mut context, device);
}

/// Looks for the finest image, whose pixels are to be kept.
struct Sizes {
    scale: f64,
}

impl Device<'_> for Sizes {
    fn draw_image(&mut self, _: Image<'_, '_>, props: ImageDrawProps<'_>) {
        let per_pixel = props.transform.determinant().abs().sqrt();
        if per_pixel > 0.0 {
            self.scale = self.scale.max(1.0 / per_pixel);
        }
    }

    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, '_>, _: DrawProps<'_>, _: &DrawMode) {}
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// White paper that images are drawn on.
struct Canvas<'b> {
    budget: &'b Budget,
    width: usize,
    height: usize,
    shades: Vec<u8>,
}

/// What an image puts on the paper at one of its pixels: a shade, and how much of it covers.
type Ink<'i> = &'i dyn Fn(usize) -> (u8, u8);

impl<'b> Canvas<'b> {
    fn new(budget: &'b Budget, width: f64, height: f64) -> Self {
        let (width, height) = (width.max(1.0) as usize, height.max(1.0) as usize);
        Self {
            budget,
            width,
            height,
            shades: vec![u8::MAX; width * height],
        }
    }

    fn into_greymap(self) -> Vec<u8> {
        let mut map = format!("P5\n{} {}\n255\n", self.width, self.height).into_bytes();
        map.extend(self.shades);
        map
    }

    /// Draws an image of `size` pixels where `place` puts them.
    fn put(&mut self, place: Affine, (width, height): (u32, u32), ink: Ink<'_>) {
        if place.determinant() == 0.0 {
            return;
        }
        let whole = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let covered = place.transform_rect_bbox(whole);
        let back = place.inverse();
        let until = |end: f64, most: usize| (end.ceil().max(0.0) as usize).min(most);
        for y in covered.y0.max(0.0) as usize..until(covered.y1, self.height) {
            self.budget.check_or_unwind();
            for x in covered.x0.max(0.0) as usize..until(covered.x1, self.width) {
                let at = back * Point::new(x as f64 + 0.5, y as f64 + 0.5);
                if !whole.contains(at) {
                    continue;
                }
                let pixel = at.y as usize * width as usize + at.x as usize;
                let (shade, cover) = ink(pixel);
                let paper = &mut self.shades[y * self.width + x];
                *paper = mixed(shade, *paper, cover);
            }
        }
    }
}

fn mixed(ink: u8, paper: u8, cover: u8) -> u8 {
    let (ink, paper, cover) = (u32::from(ink), u32::from(paper), u32::from(cover));
    ((ink * cover + paper * (255 - cover)) / 255) as u8
}

/// As people see it: green is brightest.
fn shade(rgb: &[u8]) -> u8 {
    let [red, green, blue] = [rgb[0], rgb[1], rgb[2]].map(u32::from);
    ((red * 299 + green * 587 + blue * 114) / 1_000) as u8
}

impl Device<'_> for Canvas<'_> {
    fn draw_image(&mut self, image: Image<'_, '_>, props: ImageDrawProps<'_>) {
        self.budget.check_or_unwind();
        let place = |(x, y): (f32, f32)| {
            props.transform * Affine::scale_non_uniform(f64::from(x), f64::from(y))
        };
        match image {
            // A mask is painted in some colour, which is that of letters.
            Image::Stencil(mask) => mask.with_stencil(
                |mask, _| {
                    let size = (mask.width, mask.height);
                    self.put(place(mask.scale_factors), size, &|at| (0, mask.data[at]));
                },
                None,
            ),
            Image::Raster(image) => image.with_rgba(
                |image, alpha| {
                    let size = (image.width(), image.height());
                    let cover = cover_of(alpha, size);
                    let place = place(image.scale_factors());
                    match &image {
                        ImageData::Luma(grey) => {
                            self.put(place, size, &|at| (grey.data[at], cover(at)));
                        }
                        ImageData::Rgb(colours) => self.put(place, size, &|at| {
                            (shade(&colours.data[3 * at..3 * at + 3]), cover(at))
                        }),
                    }
                },
                None,
            ),
        }
    }

    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, '_>, _: DrawProps<'_>, _: &DrawMode) {
        self.budget.check_or_unwind();
    }
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.budget.check_or_unwind();
    }
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// Returns how much of each pixel covers; the mask may be of another size than the image.
fn cover_of(alpha: Option<LumaData>, (width, height): (u32, u32)) -> impl Fn(usize) -> u8 {
    let (width, height) = (width as usize, height as usize);
    move |at| match &alpha {
        Some(mask) => {
            let (x, y) = (at % width, at / width);
            let (of_x, of_y) = (mask.width as usize, mask.height as usize);
            mask.data[y * of_y / height * of_x + x * of_x / width]
        }
        None => u8::MAX,
    }
}
