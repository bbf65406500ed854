//! PowerPoint files: one part a slide, with title, text, tables, charts, notes and comments.

use super::Extracted;
use super::archive::{Archive, Relation};
use super::drawing::{self, drawn_line, drawn_text};
use super::guard::Budget;
use super::parts::{Parts, one_line};
use super::xml::Element;

/// Reads a PowerPoint file.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let mut archive = Archive::open(bytes, budget)?;
    let slides = slide_names(&mut archive)?;
    let facts = archive.office_properties();
    let mut parts = Parts::new(budget);
    for (position, name) in slides.iter().enumerate() {
        parts.check()?;
        parts.start_page(position + 1, true);
        slide(&mut archive, name, &mut parts)?;
    }
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("the slides hold no text".to_owned());
    }
    Ok(Extracted { parts, ..facts })
}

/// Returns the slides in the order they are shown.
fn slide_names(archive: &mut Archive<'_>) -> Result<Vec<String>, String> {
    let main = "ppt/presentation.xml";
    let root = archive.expect_xml(main)?;
    let relations = archive.relations(main)?;
    let ids = root
        .child("sldIdLst")
        .into_iter()
        .flat_map(|list| list.all("sldId"));
    // The attribute is `r:id`; beside it stands a plain `id` with a number.
    let target = |slide: &Element| {
        let is_linked = |relation: &&Relation| {
            slide
                .attributes
                .iter()
                .any(|(_, value)| *value == relation.id)
        };
        relations
            .iter()
            .find(is_linked)
            .map(|relation| relation.target.clone())
    };
    Ok(ids.filter_map(target).collect())
}

fn slide(archive: &mut Archive<'_>, name: &str, parts: &mut Parts<'_>) -> Result<(), String> {
    let Some(root) = archive.xml(name)? else {
        return Ok(());
    };
    let relations = archive.relations(name)?;
    let mut shapes = Vec::new();
    if let Some(tree) = root.find("spTree") {
        collect_shapes(tree, &mut shapes);
    }
    let is_title = |shape: &&Element| matches!(placeholder(shape), Some("title" | "ctrTitle"));
    let title = shapes.iter().find(|shape| is_title(shape)).copied();
    if let Some(title) = title {
        parts.start_section(1, &drawn_text(title));
    }
    for shape in shapes {
        if title.is_some_and(|title| std::ptr::eq(title, shape)) {
            continue;
        }
        write_shape(archive, shape, &relations, parts)?;
    }
    for relation in &relations {
        if relation.is("notesSlide") {
            notes(archive, &relation.target, parts)?;
        } else if relation.is("comments") || relation.is("comment") {
            comments(archive, &relation.target, parts)?;
        }
    }
    Ok(())
}

/// Shapes, pictures and frames in order, groups opened.
fn collect_shapes<'e>(tree: &'e Element, shapes: &mut Vec<&'e Element>) {
    for element in tree.elements() {
        match element.name.as_str() {
            "sp" | "graphicFrame" | "cxnSp" => shapes.push(element),
            "grpSp" => collect_shapes(element, shapes),
            "AlternateContent" => {
                if let Some(chosen) = drawing::alternative(element) {
                    collect_shapes(chosen, shapes);
                }
            }
            _ => {}
        }
    }
}

fn placeholder(shape: &Element) -> Option<&str> {
    shape.find("nvPr")?.child("ph")?.attribute("type")
}

fn write_shape(
    archive: &mut Archive<'_>,
    shape: &Element,
    relations: &[Relation],
    parts: &mut Parts<'_>,
) -> Result<(), String> {
    let target = |id: Option<&str>| {
        let id = id?;
        relations
            .iter()
            .find(|relation| relation.id == id)
            .map(|relation| relation.target.as_str())
    };
    if shape.name == "graphicFrame" {
        if let Some(table) = shape.find("tbl") {
            parts.table(&table_rows(table));
        } else if let Some(chart) = shape
            .find("chart")
            .and_then(|chart| target(chart.attribute("id")))
        {
            drawing::write_chart(archive, chart, parts)?;
        } else if let Some(diagram) = shape
            .find("relIds")
            .and_then(|ids| target(ids.attribute("dm")))
            && let Some(root) = archive.xml(diagram)?
        {
            parts.block(&drawn_text(&root));
        }
        return Ok(());
    }
    // Numbers and dates of the slide master say nothing about the slide.
    if matches!(placeholder(shape), Some("sldNum" | "dt" | "ftr" | "hdr")) {
        return Ok(());
    }
    if let Some(body) = shape.child("txBody") {
        let is_list = shape
            .find("nvPr")
            .is_some_and(|properties| properties.child("ph").is_some())
            && body.all("p").count() > 1;
        body.all("p")
            .for_each(|paragraph| write_paragraph(paragraph, is_list, parts));
    }
    Ok(())
}

fn write_paragraph(paragraph: &Element, is_list: bool, parts: &mut Parts<'_>) {
    let text = drawn_line(paragraph);
    let properties = paragraph.child("pPr");
    let level = properties
        .and_then(|properties| properties.attribute("lvl")?.parse().ok())
        .unwrap_or(0);
    let has = |name: &str| properties.is_some_and(|properties| properties.child(name).is_some());
    let is_item = !has("buNone") && (is_list || has("buChar") || has("buAutoNum") || level > 0);
    match is_item {
        true => parts.item(level, "-", &one_line(&text)),
        false => parts.block(&text),
    }
}

fn table_rows(table: &Element) -> Vec<Vec<String>> {
    let cells = |row: &Element| row.all("tc").map(drawn_text).collect();
    table.all("tr").map(cells).collect()
}

fn notes(archive: &mut Archive<'_>, name: &str, parts: &mut Parts<'_>) -> Result<(), String> {
    let Some(root) = archive.xml(name)? else {
        return Ok(());
    };
    let mut shapes = Vec::new();
    if let Some(tree) = root.find("spTree") {
        collect_shapes(tree, &mut shapes);
    }
    for shape in shapes
        .into_iter()
        .filter(|shape| placeholder(shape) == Some("body"))
    {
        let text = drawn_text(shape);
        if !text.trim().is_empty() {
            parts.block(&format!("Notes: {text}"));
        }
    }
    Ok(())
}

/// Comments come in two formats: plain text, or drawn paragraphs in threads.
fn comments(archive: &mut Archive<'_>, name: &str, parts: &mut Parts<'_>) -> Result<(), String> {
    let Some(root) = archive.xml(name)? else {
        return Ok(());
    };
    let mut people = Vec::new();
    for list in ["ppt/commentAuthors.xml", "ppt/authors.xml"] {
        if let Some(root) = archive.xml(list)? {
            people.extend(drawing::people(&root, "id", "name"));
        }
    }
    let mut write = |comment: &Element| {
        let text = match comment.child("text") {
            Some(text) => text.text(),
            None => comment.child("txBody").map(drawn_text).unwrap_or_default(),
        };
        let author = drawing::name_of(&people, comment.attribute("authorId"));
        if !text.trim().is_empty() {
            parts.block(&drawing::comment(author, &one_line(&text)));
        }
    };
    root.each("cm", &mut write);
    root.each("reply", &mut write);
    Ok(())
}
