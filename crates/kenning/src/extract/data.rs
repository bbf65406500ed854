//! JSON, YAML and TOML flattened to `key.path: value` lines, and the texts of an Obsidian canvas.
//!
//! A file that does not parse is still text, and is read as such: settings with comments are.

use super::code::read_plain;
use super::guard::Budget;
use super::located::{self, Node, Value};
use super::parts::{BATCH_ROWS, Parts, one_line};
use super::{Extracted, Lines};

/// Bytes after which the next record or top-level key starts another part.
const PART_BYTES: usize = 1_500;

/// Reads JSON.
pub(super) fn read_json(text: &str, budget: &Budget) -> Result<Extracted, String> {
    check_depth(text, budget)?;
    match located::json(text) {
        Ok(node) => write(entries(&node, budget)?, budget),
        Err(_) => read_plain(text, budget),
    }
}

/// Reads one JSON value a line, twenty to a part.
pub(super) fn read_json_lines(text: &str, budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    let mut n_bytes = 0;
    let records = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    for (position, (number, record)) in records.enumerate() {
        parts.check()?;
        if position.is_multiple_of(BATCH_ROWS) || n_bytes > 2 * PART_BYTES {
            parts.start_page(0, true);
            n_bytes = 0;
        }
        let block = match check_depth(record, budget)
            .and_then(|()| located::json(record).map_err(|error| error.to_string()))
        {
            Ok(value) => flat_text(&value, budget)?,
            Err(_) => record.to_owned(),
        };
        n_bytes += block.len();
        parts.at(number, number);
        parts.block(&block);
    }
    if parts.is_empty() {
        return Err("it holds no records".to_owned());
    }
    parts.finish_untitled()
}

/// Reads YAML, one or several values to a file.
pub(super) fn read_yaml(text: &str, budget: &Budget) -> Result<Extracted, String> {
    check_depth(text, budget)?;
    let Some(node) = located::yaml(text) else {
        return read_plain(text, budget);
    };
    let mut entries = entries(&node, budget)?;
    reach_the_next(&mut entries, text.trim_end().lines().count());
    write(entries, budget)
}

/// Reads TOML.
pub(super) fn read_toml(text: &str, budget: &Budget) -> Result<Extracted, String> {
    check_depth(text, budget)?;
    match located::toml(text) {
        Some(node) => write(entries(&node, budget)?, budget),
        None => read_plain(text, budget),
    }
}

/// Reads an Obsidian canvas: the texts from top to bottom, files and addresses as links.
pub(super) fn read_canvas(text: &str, budget: &Budget) -> Result<Extracted, String> {
    check_depth(text, budget)?;
    let canvas = located::json(text).map_err(|error| format!("the canvas is damaged ({error})"))?;
    let nodes = canvas.get("nodes").items().unwrap_or_default();
    let mut nodes: Vec<&Node> = nodes.iter().collect();
    let place = |node: &Node, axis: &str| node.get(axis).number().unwrap_or(0.0) as i64;
    nodes.sort_by_key(|node| (place(node, "y"), place(node, "x")));
    let mut parts = Parts::new(budget);
    for node in nodes {
        parts.check()?;
        parts.start_page(0, true);
        parts.at(node.lines.0, node.lines.1);
        let field = |name: &str| node.get(name).text().unwrap_or_default();
        match field("type") {
            "text" => parts.block(field("text")),
            "file" => parts.block(&format!("[[{}{}]]", field("file"), field("subpath"))),
            "link" => parts.block(field("url")),
            _ => parts.block(field("label")),
        }
    }
    parts.start_page(0, true);
    for edge in canvas.get("edges").items().unwrap_or_default() {
        if let Some(label) = edge.get("label").text() {
            parts.at(edge.lines.0, edge.lines.1);
            parts.line(&format!("- {}", one_line(label)));
        }
    }
    if parts.is_empty() {
        return Err("the canvas is blank".to_owned());
    }
    parts.finish_untitled()
}

/// Refuses brackets nested so deep that a parser might run out of stack.
pub(super) fn check_depth(text: &str, budget: &Budget) -> Result<(), String> {
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            // A string may not span lines in JSON; elsewhere a lone quote does not begin a string.
            b'\n' => is_quoted = false,
            b'[' | b'{' if !is_quoted => depth += 1,
            b']' | b'}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > budget.limits.depth_max {
            return Err(format!(
                "it is nested more than {} deep",
                budget.limits.depth_max
            ));
        }
    }
    Ok(())
}

/// A value with the path to it, as one line, and the lines of the file it stands on.
struct Flat {
    text: String,
    lines: Lines,
}

/// What stands at the top of a file: the values of a key, or a record of a list.
struct Entry {
    flats: Vec<Flat>,
    is_record: bool,
}

fn entries(node: &Node, budget: &Budget) -> Result<Vec<Entry>, String> {
    let depth_max = budget.limits.depth_max;
    let entry = |path: &str, line: u32, node: &Node, is_record: bool| {
        let mut flats = Vec::new();
        flatten(path, node, depth_max, &mut Some(line), &mut flats)?;
        Ok(Entry { flats, is_record })
    };
    match &node.value {
        Value::Map(map) => map
            .iter()
            .map(|(key, line, node)| entry(key, *line, node, false))
            .collect(),
        Value::List(list) => list
            .iter()
            .map(|node| entry("", node.lines.0, node, true))
            .collect(),
        _ => Ok(vec![entry("", node.lines.0, node, false)?]),
    }
}

/// Lets each value reach to the line before the next one: YAML tells where a value begins only.
fn reach_the_next(entries: &mut [Entry], n_lines: usize) {
    let mut next = u32::try_from(n_lines + 1).unwrap_or(u32::MAX);
    let flats = entries.iter_mut().flat_map(|entry| &mut entry.flats);
    for flat in flats.rev() {
        let (from, to) = flat.lines;
        flat.lines.1 = to.max(next.saturating_sub(1));
        next = from;
    }
}

fn write(entries: Vec<Entry>, budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    parts.start_page(0, true);
    let mut n_bytes = 0;
    for entry in entries {
        parts.check()?;
        let n_more: usize = entry.flats.iter().map(|flat| flat.text.len() + 1).sum();
        if n_bytes > 0 && n_bytes + n_more > PART_BYTES {
            parts.start_page(0, true);
            n_bytes = 0;
        }
        n_bytes += n_more;
        for (position, flat) in entry.flats.iter().enumerate() {
            parts.at(flat.lines.0, flat.lines.1);
            match entry.is_record && position == 0 {
                true => parts.block(&flat.text),
                false => parts.line(&flat.text),
            }
        }
    }
    if parts.is_empty() {
        return Err("it holds no values".to_owned());
    }
    parts.finish_untitled()
}

fn flat_text(node: &Node, budget: &Budget) -> Result<String, String> {
    let mut flats = Vec::new();
    flatten("", node, budget.limits.depth_max, &mut None, &mut flats)?;
    let lines: Vec<String> = flats.into_iter().map(|flat| flat.text).collect();
    Ok(lines.join("\n"))
}

/// Writes the values below `node`. The first of them begins where the keys `above` it do.
fn flatten(
    path: &str,
    node: &Node,
    depth_left: usize,
    above: &mut Option<u32>,
    flats: &mut Vec<Flat>,
) -> Result<(), String> {
    if depth_left == 0 {
        return Err("it is nested too deep".to_owned());
    }
    match &node.value {
        Value::Map(map) => {
            for (key, line, node) in map {
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                above.get_or_insert(*line);
                flatten(&path, node, depth_left - 1, above, flats)?;
            }
        }
        Value::List(list) if list.iter().all(is_scalar) => {
            let values: Vec<&str> = list.iter().map(scalar).collect();
            push_flat(path, &values.join(", "), node, above, flats);
        }
        Value::List(list) => {
            for (position, node) in list.iter().enumerate() {
                let path = format!("{path}[{position}]");
                flatten(&path, node, depth_left - 1, above, flats)?;
            }
        }
        _ => push_flat(path, scalar(node), node, above, flats),
    }
    Ok(())
}

fn push_flat(path: &str, value: &str, node: &Node, above: &mut Option<u32>, flats: &mut Vec<Flat>) {
    if value.is_empty() {
        return;
    }
    let (from, to) = node.lines;
    let from = above.take().map_or(from, |above| above.min(from));
    flats.push(Flat {
        text: match path {
            "" => value.to_owned(),
            path => format!("{path}: {value}"),
        },
        lines: (from, to),
    });
}

fn is_scalar(node: &Node) -> bool {
    !matches!(node.value, Value::Map(_) | Value::List(_))
}

fn scalar(node: &Node) -> &str {
    match &node.value {
        Value::Text(text) => text.trim(),
        Value::Plain(value) => value,
        _ => "",
    }
}
