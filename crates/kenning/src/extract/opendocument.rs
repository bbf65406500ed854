//! OpenDocument files: texts by section, slides by page, sheets by batches of rows.

use super::archive::Archive;
use super::guard::Budget;
use super::parts::{Parts, iso_date, non_blank, one_line};
use super::spreadsheet::Sheet;
use super::xml::{Child, Element};
use super::{Extracted, drawing};

/// Repeated cells and rows are written once above this number: they only fill the sheet.
const REPEATS_MAX: usize = 64;

/// Reads an OpenDocument file of any kind.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let mut archive = Archive::open(bytes, budget)?;
    if is_encrypted(&mut archive) {
        return Err("it is protected with a password".to_owned());
    }
    let root = archive.expect_xml("content.xml")?;
    let facts = properties(&mut archive);
    let body = root.child("body").ok_or("the file has no body")?;
    let mut parts = Parts::new(budget);
    for content in body.elements() {
        match content.name.as_str() {
            "presentation" | "drawing" => slides(content, &mut parts)?,
            "spreadsheet" => sheets(content, &mut parts)?,
            _ => blocks(content, 0, &mut parts)?,
        }
    }
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("the file holds no text".to_owned());
    }
    Ok(Extracted { parts, ..facts })
}

fn is_encrypted(archive: &mut Archive<'_>) -> bool {
    let manifest = archive.xml("META-INF/manifest.xml");
    matches!(manifest, Ok(Some(manifest)) if manifest.find("encryption-data").is_some())
}

fn properties(archive: &mut Archive<'_>) -> Extracted {
    let Ok(Some(root)) = archive.xml("meta.xml") else {
        return Extracted::default();
    };
    let text_of = |name: &str| {
        root.find(name)
            .and_then(|element| non_blank(&element.text()))
    };
    Extracted {
        title: text_of("title"),
        author: text_of("initial-creator").or_else(|| text_of("creator")),
        created: text_of("creation-date").and_then(|time| iso_date(&time)),
        parts: Vec::new(),
        ..Extracted::default()
    }
}

fn blocks(element: &Element, list_depth: usize, parts: &mut Parts<'_>) -> Result<(), String> {
    parts.check()?;
    for element in element.elements() {
        match element.name.as_str() {
            "h" => {
                let level = element
                    .attribute("outline-level")
                    .and_then(|level| level.parse().ok());
                parts.start_section(level.unwrap_or(1), &inline(element));
            }
            "p" => paragraph(element, list_depth, parts)?,
            "list" => blocks(element, list_depth + 1, parts)?,
            "table" => parts.table(&rows(element)),
            "tracked-changes" | "sequence-decls" | "forms" | "annotation" | "notes" => {}
            _ => blocks(element, list_depth, parts)?,
        }
    }
    Ok(())
}

fn paragraph(element: &Element, list_depth: usize, parts: &mut Parts<'_>) -> Result<(), String> {
    let text = inline(element);
    match list_depth {
        0 => parts.block(&text),
        depth => parts.item(depth - 1, "-", &one_line(&text)),
    }
    // Text boxes hang on paragraphs; their text follows the paragraph.
    let mut boxes = Vec::new();
    collect(element, "text-box", &mut boxes);
    for text_box in boxes {
        blocks(text_box, 0, parts)?;
    }
    let mut notes = Vec::new();
    collect(element, "note", &mut notes);
    for note in notes {
        let mark = note
            .child("note-citation")
            .map(Element::text)
            .unwrap_or_default();
        let body = note.child("note-body").map(flat).unwrap_or_default();
        parts.block(&format!("[^{}]: {}", mark.trim(), one_line(&body)));
    }
    Ok(())
}

fn collect<'e>(element: &'e Element, name: &str, found: &mut Vec<&'e Element>) {
    for element in element.elements() {
        match element.name == name {
            true => found.push(element),
            false => collect(element, name, found),
        }
    }
}

/// Returns the text of a paragraph; text boxes and notes are left to the caller.
fn inline(element: &Element) -> String {
    let mut text = String::new();
    push_inline(element, &mut text);
    text
}

fn push_inline(element: &Element, text: &mut String) {
    for child in &element.children {
        let element = match child {
            Child::Text(inner) => {
                push_collapsed(inner, text);
                continue;
            }
            Child::Element(element) => element,
        };
        match element.name.as_str() {
            "s" => text.push(' '),
            "tab" => text.push('\t'),
            "line-break" => text.push('\n'),
            "note" => {
                let mark = element
                    .child("note-citation")
                    .map(Element::text)
                    .unwrap_or_default();
                text.push_str(&format!("[^{}]", mark.trim()));
            }
            "text-box" | "annotation" | "annotation-end" | "image" | "object" => {}
            "math" => drawing::push_formula(element, text),
            _ => push_inline(element, text),
        }
    }
}

fn push_collapsed(inner: &str, text: &mut String) {
    for character in inner.chars() {
        if !character.is_whitespace() {
            text.push(character);
        } else if !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
    }
}

/// Returns all text of a cell or note, on one line.
fn flat(element: &Element) -> String {
    let mut text = String::new();
    push_flat(element, &mut text);
    text
}

fn push_flat(element: &Element, text: &mut String) {
    for element in element.elements() {
        match element.name.as_str() {
            "p" | "h" => {
                if !text.is_empty() {
                    text.push(' ');
                }
                push_inline(element, text);
                element.each("text-box", &mut |text_box| push_flat(text_box, text));
            }
            "annotation" => {}
            _ => push_flat(element, text),
        }
    }
}

fn rows(table: &Element) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    each_row(table, &mut |row, _| {
        let mut cells = Vec::new();
        for cell in row
            .elements()
            .filter(|cell| cell.name == "table-cell" || cell.name == "covered-table-cell")
        {
            cells.push(flat(cell));
        }
        rows.push(cells);
    });
    rows
}

/// Calls `visit` with every row and how often it is repeated.
fn each_row(table: &Element, visit: &mut dyn FnMut(&Element, usize)) {
    for element in table.elements() {
        match element.name.as_str() {
            "table-row" => visit(element, repeats(element, "number-rows-repeated")),
            "table-header-rows" | "table-rows" | "table-row-group" => each_row(element, visit),
            _ => {}
        }
    }
}

fn repeats(element: &Element, name: &str) -> usize {
    element
        .attribute(name)
        .and_then(|number| number.parse().ok())
        .unwrap_or(1)
}

fn slides(content: &Element, parts: &mut Parts<'_>) -> Result<(), String> {
    for (position, slide) in content.all("page").enumerate() {
        parts.check()?;
        parts.start_page(position + 1, true);
        let is_title = |frame: &&Element| frame.attribute("class") == Some("title");
        let title = slide
            .all("frame")
            .find(is_title)
            .map(flat)
            .unwrap_or_default();
        parts.start_section(1, &title);
        for element in slide.elements() {
            if element.name == "notes" {
                let notes = one_line(&flat(element));
                if !notes.is_empty() {
                    parts.block(&format!("Notes: {notes}"));
                }
            } else if !is_title(&element) {
                shape(element, parts)?;
            }
        }
    }
    Ok(())
}

/// A shape holds its paragraphs directly, in a text box, or as a table.
fn shape(element: &Element, parts: &mut Parts<'_>) -> Result<(), String> {
    match element.name.as_str() {
        "g" => element.elements().try_for_each(|inner| shape(inner, parts)),
        _ => blocks(element, 0, parts),
    }
}

fn sheets(content: &Element, parts: &mut Parts<'_>) -> Result<(), String> {
    for (position, table) in content.all("table").enumerate() {
        let mut sheet = Sheet::default();
        let mut number = 0_u32;
        let mut trouble = Ok(());
        each_row(table, &mut |row, n_repeats| {
            let n_written = if n_repeats > REPEATS_MAX {
                1
            } else {
                n_repeats
            };
            for _ in 0..n_written {
                if trouble.is_ok() {
                    trouble = cells(row, number, &mut sheet, parts);
                }
                number = number.saturating_add(1);
            }
            let n_left = n_repeats.saturating_sub(n_written);
            number = number.saturating_add(u32::try_from(n_left).unwrap_or(u32::MAX));
        });
        trouble?;
        sheet.write(
            position + 1,
            table.attribute("name").unwrap_or("Sheet"),
            parts,
        );
    }
    Ok(())
}

fn cells(row: &Element, number: u32, sheet: &mut Sheet, parts: &Parts<'_>) -> Result<(), String> {
    let mut column = 0_u32;
    for cell in row.elements() {
        if cell.name != "table-cell" && cell.name != "covered-table-cell" {
            continue;
        }
        let n_repeats = repeats(cell, "number-columns-repeated");
        let text = flat(cell);
        let n_written = if n_repeats > REPEATS_MAX {
            1
        } else {
            n_repeats
        };
        for offset in 0..n_written {
            let at = column.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
            sheet.take((number, at), &text, parts)?;
        }
        column = column.saturating_add(u32::try_from(n_repeats).unwrap_or(u32::MAX));
    }
    Ok(())
}
