//! What the Office formats share: charts, formulas and alternative content.

use super::archive::Archive;
use super::parts::{Parts, one_line};
use super::xml::{Child, Element};

/// Writes a chart as its title and the table behind it.
pub(super) fn write_chart(
    archive: &mut Archive<'_>,
    name: &str,
    parts: &mut Parts<'_>,
) -> Result<(), String> {
    let Some(root) = archive.xml(name)? else {
        return Ok(());
    };
    if let Some(title) = root.find("title") {
        parts.block(&one_line(&drawn_text(title)));
    }
    let mut series = Vec::new();
    root.each("ser", &mut |element| series.push(Series::of(element)));
    let Some(longest) = series.iter().max_by_key(|series| series.values.len()) else {
        return Ok(());
    };
    let mut rows = vec![vec![String::new()]];
    for label in 0..longest.values.len() {
        rows.push(vec![longest.labels.get(label).cloned().unwrap_or_default()]);
    }
    for column in &series {
        rows[0].push(column.name.clone());
        for (position, row) in rows.iter_mut().skip(1).enumerate() {
            row.push(column.values.get(position).cloned().unwrap_or_default());
        }
    }
    parts.table(&rows);
    Ok(())
}

struct Series {
    name: String,
    labels: Vec<String>,
    values: Vec<String>,
}

impl Series {
    fn of(element: &Element) -> Self {
        let points = |names: [&str; 2]| -> Vec<String> {
            let mut points = Vec::new();
            if let Some(element) = names.into_iter().find_map(|name| element.child(name)) {
                element.each("v", &mut |value| points.push(value.text()));
            }
            points
        };
        Self {
            name: points(["tx", "tx"]).join(" "),
            labels: points(["cat", "xVal"]),
            values: points(["val", "yVal"]),
        }
    }
}

/// Returns the ids and names of the people listed in a file.
pub(super) fn people(root: &Element, id: &str, name: &str) -> Vec<(String, String)> {
    let person = |element: &Element| {
        let (id, name) = (element.attribute(id)?, element.attribute(name)?);
        Some((id.to_owned(), name.to_owned()))
    };
    root.elements().filter_map(person).collect()
}

/// Returns the name of the person with an id.
pub(super) fn name_of<'p>(people: &'p [(String, String)], id: Option<&str>) -> Option<&'p str> {
    let (_, name) = people
        .iter()
        .find(|(known, _)| Some(known.as_str()) == id)?;
    Some(name)
}

/// Writes a comment with its author.
pub(super) fn comment(author: Option<&str>, text: &str) -> String {
    match author.filter(|author| !author.trim().is_empty()) {
        Some(author) => format!("Comment by {}: {text}", author.trim()),
        None => format!("Comment: {text}"),
    }
}

/// Returns the text of drawn paragraphs (`a:p`), one line each.
pub(super) fn drawn_text(element: &Element) -> String {
    let mut text = String::new();
    element.each("p", &mut |paragraph| {
        let line = drawn_line(paragraph);
        if !text.is_empty() && !line.trim().is_empty() {
            text.push('\n');
        }
        text.push_str(line.trim_end());
    });
    text
}

/// Returns the text of one drawn paragraph.
pub(super) fn drawn_line(paragraph: &Element) -> String {
    let mut line = String::new();
    for element in paragraph.elements() {
        match element.name.as_str() {
            "r" | "fld" => {
                if let Some(text) = element.child("t") {
                    line.push_str(&text.text());
                }
            }
            "br" => line.push('\n'),
            "AlternateContent" | "m" => push_formulas(element, &mut line),
            _ => {}
        }
    }
    line
}

fn push_formulas(element: &Element, line: &mut String) {
    let chosen = alternative(element).unwrap_or(element);
    chosen.each("oMath", &mut |math| push_formula(math, line));
}

/// Returns the richer of two versions of the same content.
pub(super) fn alternative(element: &Element) -> Option<&Element> {
    element
        .child("Choice")
        .or_else(|| element.child("Fallback"))
}

/// Writes a formula on one line: `x=(-b±√(b^(2)-4ac))/(2a)`.
pub(super) fn push_formula(math: &Element, text: &mut String) {
    for child in &math.children {
        let Child::Element(element) = child else {
            continue;
        };
        let argument = |name: &str, text: &mut String| {
            if let Some(inner) = element.child(name) {
                push_formula(inner, text);
            }
        };
        let wrapped = |before: &str, name: &str, text: &mut String| {
            let mut inner = String::new();
            argument(name, &mut inner);
            if !inner.is_empty() {
                text.push_str(&format!("{before}({inner})"));
            }
        };
        match element.name.as_str() {
            "t" => text.push_str(&element.text()),
            "f" => {
                wrapped("", "num", text);
                wrapped("/", "den", text);
            }
            "rad" => wrapped("√", "e", text),
            "d" => {
                text.push('(');
                push_formula(element, text);
                text.push(')');
            }
            "sSup" | "sSub" | "sSubSup" => {
                argument("e", text);
                wrapped("_", "sub", text);
                wrapped("^", "sup", text);
            }
            "nary" => {
                text.push_str(
                    element
                        .find("chr")
                        .and_then(|sign| sign.attribute("val"))
                        .unwrap_or("∫"),
                );
                wrapped("_", "sub", text);
                wrapped("^", "sup", text);
                text.push(' ');
                argument("e", text);
            }
            "mr" | "e" if element.name == "mr" || math.name == "eqArr" => {
                push_formula(element, text);
                text.push_str("; ");
            }
            name if name.ends_with("Pr") => {}
            _ => push_formula(element, text),
        }
    }
}
