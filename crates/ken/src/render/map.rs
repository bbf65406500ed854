//! The map of a vault, for people: as lists, and as a picture.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use kenning::map::Map;

use super::{DIM, HEAD, PATH, inline};
use crate::wire::{AtlasResponse, SuggestionsResponse};

/// Entries of each list.
const SHOWN: usize = 8;
/// Size of the picture.
const EXTENT: f32 = 1000.0;

/// Prints what the map says.
pub(crate) fn atlas(atlas: &AtlasResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let name = |region: usize| {
        atlas
            .regions
            .get(region)
            .map(|region| region.words.join(" "))
            .unwrap_or_default()
    };
    writeln!(out, "{HEAD}regions{HEAD:#}")?;
    for region in &atlas.regions {
        let words = inline(&region.words.join(" ")).into_owned();
        writeln!(
            out,
            "{:>6} notes  {words}  {DIM}density {:.2}{DIM:#}",
            region.notes, region.density
        )?;
    }
    let borders = format!("{HEAD}borders{HEAD:#}, where what is asked is hard to place");
    heading(&mut out, &borders, !atlas.bridges.is_empty())?;
    for bridge in atlas.bridges.iter().take(SHOWN) {
        let (a, b) = (name(bridge.regions.0), name(bridge.regions.1));
        let (n, links) = (bridge.border.len(), bridge.links);
        writeln!(
            out,
            "   {} ↔ {}  {DIM}{n} notes between them, {links} links{DIM:#}",
            inline(&a),
            inline(&b)
        )?;
    }
    let same = format!("{HEAD}nearly the same{HEAD:#}");
    heading(&mut out, &same, !atlas.duplicates.is_empty())?;
    for pair in atlas.duplicates.iter().take(SHOWN) {
        let (a, b) = (inline(&pair.paths.0), inline(&pair.paths.1));
        writeln!(
            out,
            "   {PATH}{a}{PATH:#} = {PATH}{b}{PATH:#}  {DIM}{:.2}{DIM:#}",
            pair.similarity
        )?;
    }
    let old = format!("{HEAD}old, and linked most{HEAD:#}");
    let has_old = !atlas.stale.is_empty() || !atlas.superseded.is_empty();
    heading(&mut out, &old, has_old)?;
    for note in atlas.stale.iter().take(SHOWN) {
        writeln!(
            out,
            "   {PATH}{}{PATH:#}  {DIM}{}{DIM:#}",
            inline(&note.path),
            inline(&note.date)
        )?;
    }
    for note in atlas.superseded.iter().take(SHOWN) {
        writeln!(
            out,
            "   {PATH}{}{PATH:#}  {DIM}replaced by {}{DIM:#}",
            inline(&note.path),
            inline(&note.by)
        )?;
    }
    let links = format!("{HEAD}links that could be there{HEAD:#}");
    heading(&mut out, &links, !atlas.suggestions.is_empty())?;
    out.flush()?;
    drop(out);
    let suggestions = atlas.suggestions.iter().take(SHOWN).cloned().collect();
    super::suggestions(&SuggestionsResponse {
        suggestions,
        orphans: atlas.orphans.clone(),
    })
}

/// Writes what stands above a list, where there is one.
fn heading(out: &mut impl Write, text: &str, is_wanted: bool) -> Result<()> {
    if is_wanted {
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// Draws the map.
pub(crate) fn map_svg(map: &Map) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-20 -20 {0} {0}\" font-family=\"sans-serif\">\n",
        EXTENT + 40.0
    );
    for point in &map.points {
        let (x, y) = (point.x * EXTENT, point.y * EXTENT);
        let hue = point.region * 47 % 360;
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"hsl({hue} 60% 50%)\"><title>{}</title></circle>",
            escaped(&point.title)
        );
    }
    for region in map.regions.iter().filter(|region| !region.words.is_empty()) {
        let (x, y) = (region.x * EXTENT, region.y * EXTENT);
        let words = escaped(&region.words.join(" "));
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"13\" text-anchor=\"middle\" paint-order=\"stroke\" stroke=\"white\" stroke-width=\"3\">{words}</text>"
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Writes a text so that it is none of the marks.
fn escaped(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    plain
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
