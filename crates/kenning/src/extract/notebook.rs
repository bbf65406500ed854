//! Jupyter notebooks: prose, code and what the code printed, cell by cell.

use super::Extracted;
use super::data::check_depth;
use super::guard::Budget;
use super::located::{self, Node, Value};
use super::parts::{Parts, one_line};

/// Printed output kept of one cell; logs and tables of numbers say little.
const OUTPUT_CHARS_MAX: usize = 2_000;

/// Reads a notebook.
pub(super) fn read(text: &str, budget: &Budget) -> Result<Extracted, String> {
    check_depth(text, budget)?;
    let notebook =
        located::json(text).map_err(|error| format!("the notebook is damaged ({error})"))?;
    let sheet = notebook.get("worksheets").items().and_then(<[Node]>::first);
    let cells = notebook.get("cells").items();
    let cells = cells.or_else(|| sheet?.get("cells").items());
    let cells = cells.ok_or("it is not what its name says: no notebook")?;
    let mut parts = Parts::new(budget);
    for cell in cells {
        parts.check()?;
        let source = lines_of(cell.get("source"));
        match cell.get("cell_type").text() {
            Some("markdown") => prose(&source, &mut parts),
            Some("code") => {
                let input = || lines_of(cell.get("input"));
                let source = if source.is_empty() { input() } else { source };
                write_code(&source, &mut parts);
                let outputs = cell.get("outputs").items().unwrap_or_default();
                outputs
                    .iter()
                    .for_each(|output| printed(output, &mut parts));
            }
            _ => parts.verbatim(source),
        }
    }
    if parts.is_empty() {
        return Err("the notebook is blank".to_owned());
    }
    let facts = notebook.get("metadata");
    let author = facts.get("authors").items().and_then(<[Node]>::first);
    Ok(Extracted {
        title: facts.get("title").text().map(one_line),
        author: author.and_then(|author| author.get("name").text().map(one_line)),
        parts: parts.finish()?,
        ..Extracted::default()
    })
}

/// A line of a cell, and the line of the file it stands on.
type Line<'n> = (&'n str, u32);

/// Text is one string or a list of lines.
fn lines_of(node: &Node) -> Vec<Line<'_>> {
    let strings = match &node.value {
        Value::List(strings) => strings.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let texts = strings
        .iter()
        .filter_map(|node| Some((node.text()?, node.lines.0)));
    texts
        .flat_map(|(text, number)| text.lines().map(move |line| (line, number)))
        .collect()
}

/// Writes a Markdown cell; its headings start sections.
fn prose(source: &[Line<'_>], parts: &mut Parts<'_>) {
    let mut start = 0;
    let mut is_code = false;
    for (index, (line, number)) in source.iter().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if !is_code && (1..=6).contains(&level) && line[level..].starts_with(' ') {
            parts.verbatim(source[start..index].iter().copied());
            parts.at(*number, *number);
            parts.start_section(u8::try_from(level).unwrap_or(6), &line[level..]);
            start = index + 1;
        }
    }
    parts.verbatim(source[start..].iter().copied());
}

fn write_code(lines: &[Line<'_>], parts: &mut Parts<'_>) {
    let Some((_, first)) = lines.iter().find(|(line, _)| !line.trim().is_empty()) else {
        return;
    };
    let mut fenced = vec![("```", *first)];
    fenced.extend(lines);
    fenced.extend(lines.last().map(|(_, last)| ("```", *last)));
    parts.verbatim(fenced);
}

fn printed(output: &Node, parts: &mut Parts<'_>) {
    let text = match output.get("output_type").text() {
        Some("stream") => output.get("text"),
        Some("error") => output.get("evalue"),
        _ => output.get("data").get("text/plain"),
    };
    let mut n_left = OUTPUT_CHARS_MAX;
    let kept = |(line, number): Line<'_>| {
        let end = line
            .char_indices()
            .nth(n_left)
            .map_or(line.len(), |(at, _)| at);
        n_left = n_left.saturating_sub(line.chars().count() + 1);
        (end > 0 || line.is_empty()).then(|| (line[..end].to_owned(), number))
    };
    let lines: Vec<(String, u32)> = lines_of(text).into_iter().map_while(kept).collect();
    parts.verbatim(lines.iter().map(|(line, number)| (line.as_str(), *number)));
}
