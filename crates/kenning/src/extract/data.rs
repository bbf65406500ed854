//! JSON, YAML and TOML flattened to `key.path: value` lines, and the texts of an Obsidian canvas.
//!
//! A file that does not parse is still text, and is read as such: settings with comments are.

use serde_json::Value;

use super::Extracted;
use super::code::write_plain;
use super::encoding;
use super::guard::Budget;
use super::parts::{BATCH_ROWS, Parts, one_line};

/// Bytes after which the next record or top-level key starts another part.
const PART_BYTES: usize = 1_500;

/// Reads JSON.
pub(super) fn read_json(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let text = encoding::decode(bytes)?;
    check_depth(&text, budget)?;
    match serde_json::from_str(&text) {
        Ok(value) => flattened(&value, budget),
        Err(_) => as_text(&text, budget),
    }
}

/// Reads one JSON value a line, twenty to a part.
pub(super) fn read_json_lines(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let text = encoding::decode(bytes)?;
    let mut parts = Parts::new(budget);
    let mut n_bytes = 0;
    let records = text.lines().filter(|line| !line.trim().is_empty());
    for (position, record) in records.enumerate() {
        parts.check()?;
        if position.is_multiple_of(BATCH_ROWS) || n_bytes > 2 * PART_BYTES {
            parts.start_page(0, true);
            n_bytes = 0;
        }
        let block = match check_depth(record, budget)
            .and_then(|()| serde_json::from_str(record).map_err(|e| e.to_string()))
        {
            Ok(value) => flat_lines(&value, budget)?,
            Err(_) => record.to_owned(),
        };
        n_bytes += block.len();
        parts.block(&block);
    }
    if parts.is_empty() {
        return Err("it holds no records".to_owned());
    }
    parts.finish_untitled()
}

/// Reads YAML, one or several values to a file.
pub(super) fn read_yaml(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let text = encoding::decode(bytes)?;
    check_depth(&text, budget)?;
    // `y`, `no` and `off` are words before they are booleans.
    let options = serde_saphyr::options! { strict_booleans: true };
    match serde_saphyr::from_multiple_with_options::<Value>(&text, options) {
        Ok(mut values) if values.len() == 1 => flattened(&values.remove(0), budget),
        Ok(values) => flattened(&Value::Array(values), budget),
        Err(_) => as_text(&text, budget),
    }
}

/// Reads TOML.
pub(super) fn read_toml(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let text = encoding::decode(bytes)?;
    check_depth(&text, budget)?;
    match toml::from_str::<toml::Table>(&text) {
        Ok(table) => flattened(&json_of(toml::Value::Table(table)), budget),
        Err(_) => as_text(&text, budget),
    }
}

/// Reads an Obsidian canvas: the texts from top to bottom, files and addresses as links.
pub(super) fn read_canvas(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let text = encoding::decode(bytes)?;
    check_depth(&text, budget)?;
    let canvas: Value =
        serde_json::from_str(&text).map_err(|error| format!("the canvas is damaged ({error})"))?;
    let mut nodes: Vec<&Value> = canvas["nodes"]
        .as_array()
        .map(|nodes| nodes.iter().collect())
        .unwrap_or_default();
    nodes.sort_by_key(|node| {
        (
            node["y"].as_f64().unwrap_or(0.0) as i64,
            node["x"].as_f64().unwrap_or(0.0) as i64,
        )
    });
    let mut parts = Parts::new(budget);
    for node in nodes {
        parts.check()?;
        parts.start_page(0, true);
        let field = |name: &str| node[name].as_str().unwrap_or_default();
        match field("type") {
            "text" => parts.block(field("text")),
            "file" => parts.block(&format!("[[{}{}]]", field("file"), field("subpath"))),
            "link" => parts.block(field("url")),
            _ => parts.block(field("label")),
        }
    }
    parts.start_page(0, true);
    for edge in canvas["edges"].as_array().into_iter().flatten() {
        if let Some(label) = edge["label"].as_str() {
            parts.line(&format!("- {}", one_line(label)));
        }
    }
    if parts.is_empty() {
        return Err("the canvas is blank".to_owned());
    }
    parts.finish_untitled()
}

fn as_text(text: &str, budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    write_plain(text, &mut parts);
    if parts.is_empty() {
        return Err("the file is blank".to_owned());
    }
    parts.finish_untitled()
}

/// Refuses brackets nested so deep that a parser might run out of stack.
fn check_depth(text: &str, budget: &Budget) -> Result<(), String> {
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            // A string may not span lines in JSON; elsewhere a lone quote is no string.
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

fn flattened(value: &Value, budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    parts.start_page(0, true);
    let mut n_bytes = 0;
    let mut write = |key: &str, value: &Value, is_record: bool| {
        let mut lines = String::new();
        flatten(key, value, budget.limits.depth_max, &mut lines)?;
        parts.check()?;
        if n_bytes > 0 && n_bytes + lines.len() > PART_BYTES {
            parts.start_page(0, true);
            n_bytes = 0;
        }
        n_bytes += lines.len();
        match is_record {
            true => parts.block(&lines),
            false => parts.line(&lines),
        }
        Ok::<(), String>(())
    };
    match value {
        Value::Object(map) => map
            .iter()
            .try_for_each(|(key, value)| write(key, value, false))?,
        Value::Array(list) => list.iter().try_for_each(|value| write("", value, true))?,
        scalar => write("", scalar, false)?,
    }
    if parts.is_empty() {
        return Err("it holds no values".to_owned());
    }
    parts.finish_untitled()
}

fn flat_lines(value: &Value, budget: &Budget) -> Result<String, String> {
    let mut lines = String::new();
    flatten("", value, budget.limits.depth_max, &mut lines)?;
    Ok(lines)
}

fn flatten(path: &str, value: &Value, depth_left: usize, lines: &mut String) -> Result<(), String> {
    if depth_left == 0 {
        return Err("it is nested too deep".to_owned());
    }
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                flatten(&path, value, depth_left - 1, lines)?;
            }
        }
        Value::Array(list)
            if list
                .iter()
                .all(|value| !value.is_object() && !value.is_array()) =>
        {
            let values: Vec<String> = list.iter().map(scalar).collect();
            push_line(path, &values.join(", "), lines);
        }
        Value::Array(list) => {
            for (position, value) in list.iter().enumerate() {
                flatten(&format!("{path}[{position}]"), value, depth_left - 1, lines)?;
            }
        }
        value => push_line(path, &scalar(value), lines),
    }
    Ok(())
}

fn push_line(path: &str, value: &str, lines: &mut String) {
    if value.is_empty() {
        return;
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    if !path.is_empty() {
        lines.push_str(path);
        lines.push_str(": ");
    }
    lines.push_str(value);
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(is_true) => Value::Bool(is_true),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(list) => list.into_iter().map(json_of).collect(),
        toml::Value::Table(table) => Value::Object(
            table
                .into_iter()
                .map(|(key, value)| (key, json_of(value)))
                .collect(),
        ),
    }
}
