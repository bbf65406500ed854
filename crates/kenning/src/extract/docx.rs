//! Word files: headings, paragraphs, lists, tables, text boxes, notes and comments.

mod styles;

use styles::Styles;

use super::Extracted;
use super::archive::{Archive, Relation};
use super::drawing;
use super::guard::Budget;
use super::parts::{Parts, one_line};
use super::xml::Element;

/// Reads a Word file.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let mut archive = Archive::open(bytes, budget)?;
    let main = main_part(&mut archive)?;
    let root = archive.expect_xml(&main)?;
    let relations = archive.relations(&main)?;
    let facts = archive.office_properties();
    let linked = |archive: &mut Archive<'_>, kind: &str| -> Result<Option<Element>, String> {
        match relations.iter().find(|relation| relation.is(kind)) {
            Some(relation) => archive.xml(&relation.target),
            None => Ok(None),
        }
    };
    let styles = Styles::of(
        linked(&mut archive, "styles")?.as_ref(),
        linked(&mut archive, "numbering")?.as_ref(),
    );
    let footnotes = linked(&mut archive, "footnotes")?;
    let endnotes = linked(&mut archive, "endnotes")?;
    let comments = linked(&mut archive, "comments")?;
    let mut parts = Parts::new(budget);
    let mut walk = Walk {
        archive: &mut archive,
        parts: &mut parts,
        styles,
        relations: &relations,
        footnotes: footnotes.as_ref(),
        endnotes: endnotes.as_ref(),
        pending: Vec::new(),
    };
    let body = root.child("body").ok_or("the Word file has no body")?;
    walk.blocks(body)?;
    walk.write_pending();
    walk.comments(comments.as_ref());
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("the Word file holds no text".to_owned());
    }
    Ok(Extracted { parts, ..facts })
}

fn main_part(archive: &mut Archive<'_>) -> Result<String, String> {
    let relations = archive.relations("")?;
    let main = relations
        .iter()
        .find(|relation| relation.is("officeDocument"));
    let name = main.map_or("word/document.xml", |relation| &relation.target);
    Ok(name.to_owned())
}

struct Walk<'w, 'b> {
    archive: &'w mut Archive<'b>,
    parts: &'w mut Parts<'b>,
    styles: Styles,
    relations: &'w [Relation],
    footnotes: Option<&'w Element>,
    endnotes: Option<&'w Element>,
    /// Notes referred to since the last heading.
    pending: Vec<String>,
}

/// What stands inside a paragraph besides its text.
#[derive(Default)]
struct Inline<'e> {
    text: String,
    boxes: Vec<&'e Element>,
    charts: Vec<&'e str>,
    notes: Vec<(&'static str, &'e str)>,
}

impl Walk<'_, '_> {
    fn blocks(&mut self, element: &Element) -> Result<(), String> {
        self.parts.check()?;
        for element in element.elements() {
            match element.name.as_str() {
                "p" => self.paragraph(element)?,
                "tbl" => self.table(element)?,
                "del" | "moveFrom" | "sdtPr" => {}
                "AlternateContent" => {
                    if let Some(chosen) = drawing::alternative(element) {
                        self.blocks(chosen)?;
                    }
                }
                _ => self.blocks(element)?,
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, element: &Element) -> Result<(), String> {
        let mut inline = Inline::default();
        gather(element, &mut inline);
        let shape = self.styles.shape(element);
        let text = inline.text.trim();
        if let Some(level) = shape.heading
            && !text.is_empty()
        {
            self.write_pending();
            let heading = match &shape.number {
                Some(number) => format!("{number} {text}"),
                None => text.to_owned(),
            };
            self.parts.start_section(level, &heading);
        } else if let Some(depth) = shape.list_depth {
            let marker = shape.number.as_deref().unwrap_or("-");
            self.parts.item(depth, marker, &one_line(text));
        } else {
            self.parts.block(text);
        }
        self.extras(&inline)
    }

    /// Writes text boxes and charts after the paragraph they are anchored in.
    fn extras(&mut self, inline: &Inline<'_>) -> Result<(), String> {
        for &text_box in &inline.boxes {
            self.blocks(text_box)?;
        }
        for &id in &inline.charts {
            if let Some(chart) = self.relations.iter().find(|relation| relation.id == id) {
                drawing::write_chart(self.archive, &chart.target, self.parts)?;
            }
        }
        for &(kind, id) in &inline.notes {
            let notes = match kind {
                "endnote" => self.endnotes,
                _ => self.footnotes,
            };
            let note = notes.and_then(|notes| {
                notes
                    .elements()
                    .find(|note| note.attribute("id") == Some(id))
            });
            if let Some(note) = note {
                self.pending
                    .push(format!("[^{id}]: {}", one_line(&flat(note))));
            }
        }
        Ok(())
    }

    fn table(&mut self, table: &Element) -> Result<(), String> {
        let mut rows = Vec::new();
        let mut inlines = Vec::new();
        each_row(table, &mut |row| {
            let mut cells = Vec::new();
            each_cell(row, &mut |cell| {
                let mut inline = Inline::default();
                gather_blocks(cell, &mut inline);
                cells.push(std::mem::take(&mut inline.text));
                inlines.push(inline);
            });
            rows.push(cells);
        });
        self.parts.table(&rows);
        for inline in &inlines {
            self.extras(inline)?;
        }
        Ok(())
    }

    fn write_pending(&mut self) {
        for note in std::mem::take(&mut self.pending) {
            self.parts.block(&note);
        }
    }

    fn comments(&mut self, comments: Option<&Element>) {
        let Some(comments) = comments else {
            return;
        };
        for comment in comments.all("comment") {
            let text = one_line(&flat(comment));
            if !text.is_empty() {
                self.parts
                    .block(&drawing::comment(comment.attribute("author"), &text));
            }
        }
    }
}

/// Collects the text of a paragraph and notes what hangs on it.
fn gather<'e>(element: &'e Element, inline: &mut Inline<'e>) {
    for element in element.elements() {
        match element.name.as_str() {
            "t" => inline.text.push_str(&element.text()),
            "tab" => inline.text.push('\t'),
            "br" | "cr" => inline.text.push('\n'),
            "noBreakHyphen" => inline.text.push('-'),
            "sym" => inline.text.extend(symbol(element)),
            "oMath" => drawing::push_formula(element, &mut inline.text),
            "pPr" | "rPr" | "del" | "moveFrom" | "instrText" | "delText" | "sdtPr" => {}
            "footnoteReference" => note(element, "footnote", inline),
            "endnoteReference" => note(element, "endnote", inline),
            "txbxContent" => inline.boxes.push(element),
            "chart" => inline.charts.extend(element.attribute("id")),
            "AlternateContent" => {
                if let Some(chosen) = drawing::alternative(element) {
                    gather(chosen, inline);
                }
            }
            _ => gather(element, inline),
        }
    }
}

/// Collects the text of paragraphs, lists and tables inside a cell, on one line.
fn gather_blocks<'e>(element: &'e Element, inline: &mut Inline<'e>) {
    for element in element.elements() {
        match element.name.as_str() {
            "p" => {
                if !inline.text.is_empty() && !inline.text.ends_with(' ') {
                    inline.text.push(' ');
                }
                gather(element, inline);
            }
            "tcPr" | "tblPr" | "trPr" | "sdtPr" | "del" => {}
            _ => gather_blocks(element, inline),
        }
    }
}

fn flat(element: &Element) -> String {
    let mut inline = Inline::default();
    gather_blocks(element, &mut inline);
    inline.text
}

fn note<'e>(element: &'e Element, kind: &'static str, inline: &mut Inline<'e>) {
    if let Some(id) = element.attribute("id") {
        inline.text.push_str(&format!("[^{id}]"));
        inline.notes.push((kind, id));
    }
}

/// Symbol fonts hide their characters in a private area, one page above the real code.
fn symbol(element: &Element) -> Option<char> {
    let code = u32::from_str_radix(element.attribute("char")?, 16).ok()?;
    match code {
        0xF0B7 => Some('•'),
        0xF000..=0xF0FF => char::from_u32(code - 0xF000),
        _ => char::from_u32(code),
    }
}

fn each_row<'e>(table: &'e Element, visit: &mut dyn FnMut(&'e Element)) {
    for element in table.elements() {
        match element.name.as_str() {
            "tr" => visit(element),
            "sdt" | "sdtContent" | "ins" | "customXml" => each_row(element, visit),
            _ => {}
        }
    }
}

fn each_cell<'e>(row: &'e Element, visit: &mut dyn FnMut(&'e Element)) {
    for element in row.elements() {
        match element.name.as_str() {
            "tc" => visit(element),
            "sdt" | "sdtContent" | "customXml" => each_cell(element, visit),
            _ => {}
        }
    }
}
