//! What a Word paragraph is: heading, list item or plain, by its style and its numbering.

use std::collections::HashMap;

use crate::extract::xml::Element;

/// Styles that build on each other are followed this far; a circle must end.
const BASES_MAX: usize = 16;

/// Levels a Word list can have.
const LEVELS: usize = 9;

/// The styles and lists of a file, with the numbers counted so far.
#[derive(Default)]
pub(super) struct Styles {
    styles: HashMap<String, Style>,
    /// List to its abstract list.
    lists: HashMap<String, String>,
    abstracts: HashMap<String, Vec<Level>>,
    counters: HashMap<String, [u32; LEVELS]>,
}

/// What one paragraph is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Level of the heading.
    pub(super) heading: Option<u8>,
    /// Depth in a list, from 0.
    pub(super) list_depth: Option<usize>,
    /// Number in front, such as `1.2`; `None` for bullets.
    pub(super) number: Option<String>,
}

#[derive(Default)]
struct Style {
    base: Option<String>,
    heading: Option<u8>,
    list: Option<(String, usize)>,
}

struct Level {
    is_bullet: bool,
    start: u32,
    /// Text with `%1` in place of the first level's number.
    pattern: String,
    format: String,
}

impl Styles {
    /// Reads the two files that describe styles and lists; either may be missing.
    pub(super) fn of(styles: Option<&Element>, numbering: Option<&Element>) -> Self {
        let mut known = Self::default();
        for style in styles.into_iter().flat_map(|root| root.all("style")) {
            if let Some(id) = style.attribute("styleId") {
                known.styles.insert(id.to_owned(), Style::of(style));
            }
        }
        for element in numbering.into_iter().flat_map(Element::elements) {
            match element.name.as_str() {
                "abstractNum" => {
                    let id = element.attribute("abstractNumId").unwrap_or_default();
                    known.abstracts.insert(id.to_owned(), levels(element));
                }
                "num" => {
                    let id = element.attribute("numId").unwrap_or_default();
                    let list = value(element, "abstractNumId").unwrap_or_default();
                    known.lists.insert(id.to_owned(), list.to_owned());
                }
                _ => {}
            }
        }
        known
    }

    /// Tells what a paragraph is, and counts it if it is numbered.
    pub(super) fn shape(&mut self, paragraph: &Element) -> Shape {
        let Some(properties) = paragraph.child("pPr") else {
            return Shape::default();
        };
        let style = value(properties, "pStyle").unwrap_or_default();
        let own = properties.child("outlineLvl").and_then(outline_level);
        let heading = own.or_else(|| self.inherited(style, |style| style.heading));
        let list =
            list_of(properties).or_else(|| self.inherited(style, |style| style.list.clone()));
        let list = list.filter(|(id, _)| id != "0" && self.lists.contains_key(id));
        let number = list.as_ref().and_then(|(id, level)| self.count(id, *level));
        Shape {
            heading,
            list_depth: list.map(|(_, level)| level),
            number,
        }
    }

    fn inherited<T>(&self, style: &str, read: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let mut style = self.styles.get(style)?;
        for _ in 0..BASES_MAX {
            if let Some(found) = read(style) {
                return Some(found);
            }
            style = self.styles.get(style.base.as_ref()?)?;
        }
        None
    }

    fn count(&mut self, list: &str, level: usize) -> Option<String> {
        let abstract_id = self.lists.get(list)?;
        let levels = self.abstracts.get(abstract_id)?;
        let here = levels.get(level)?;
        if here.is_bullet {
            return None;
        }
        let counters = self
            .counters
            .entry(abstract_id.clone())
            .or_insert([0; LEVELS]);
        counters[level] = match counters[level] {
            0 => here.start,
            number => number.saturating_add(1),
        };
        counters[level + 1..].fill(0);
        let mut number = here.pattern.clone();
        for (position, count) in counters.iter().enumerate().take(level + 1) {
            let format = levels
                .get(position)
                .map_or("decimal", |level| &level.format);
            number = number.replace(
                &format!("%{}", position + 1),
                &numeral((*count).max(1), format),
            );
        }
        Some(number.trim().to_owned()).filter(|number| !number.is_empty())
    }
}

impl Style {
    fn of(style: &Element) -> Self {
        let properties = style.child("pPr");
        let name = value(style, "name")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let by_name = match name.as_str() {
            "title" => Some(1),
            _ => name
                .strip_prefix("heading ")
                .and_then(|level| level.parse().ok()),
        };
        let outline = properties.and_then(|properties| properties.child("outlineLvl"));
        Self {
            base: value(style, "basedOn").map(str::to_owned),
            heading: by_name.or_else(|| outline.and_then(outline_level)),
            list: properties.and_then(list_of),
        }
    }
}

fn levels(list: &Element) -> Vec<Level> {
    let level = |element: &Element| {
        let format = value(element, "numFmt").unwrap_or("decimal");
        Level {
            is_bullet: matches!(format, "bullet" | "none"),
            start: value(element, "start")
                .and_then(|start| start.parse().ok())
                .unwrap_or(1),
            pattern: value(element, "lvlText").unwrap_or_default().to_owned(),
            format: format.to_owned(),
        }
    };
    list.all("lvl").take(LEVELS).map(level).collect()
}

fn list_of(properties: &Element) -> Option<(String, usize)> {
    let numbering = properties.child("numPr")?;
    let id = value(numbering, "numId")?.to_owned();
    let level = value(numbering, "ilvl")
        .and_then(|level| level.parse().ok())
        .unwrap_or(0);
    Some((id, usize::min(level, LEVELS - 1)))
}

/// Level 9 of the outline means body text.
fn outline_level(element: &Element) -> Option<u8> {
    let level: u8 = element.attribute("val")?.parse().ok()?;
    (level < 9).then_some(level + 1)
}

fn value<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    element.child(name)?.attribute("val")
}

fn numeral(number: u32, format: &str) -> String {
    let letter = |first: u8| char::from(first + ((number - 1) % 26) as u8).to_string();
    match format {
        "lowerLetter" => letter(b'a'),
        "upperLetter" => letter(b'A'),
        "lowerRoman" => roman(number).to_lowercase(),
        "upperRoman" => roman(number),
        _ => number.to_string(),
    }
}

fn roman(number: u32) -> String {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut rest = number.min(3_999);
    let mut text = String::new();
    for (worth, sign) in SIGNS {
        while rest >= worth {
            text.push_str(sign);
            rest -= worth;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals() {
        assert_eq!(numeral(4, "upperRoman"), "IV");
        assert_eq!(numeral(27, "lowerLetter"), "a");
        assert_eq!(numeral(1949, "lowerRoman"), "mcmxlix");
        assert_eq!(numeral(12, "decimal"), "12");
    }
}
