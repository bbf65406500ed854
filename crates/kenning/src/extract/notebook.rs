//! Jupyter notebooks: prose, code and what the code printed, cell by cell.

use serde_json::Value;

use super::Extracted;
use super::encoding;
use super::guard::Budget;
use super::parts::{Parts, one_line};

/// Printed output kept of one cell; logs and tables of numbers say little.
const OUTPUT_CHARS_MAX: usize = 2_000;

/// Reads a notebook.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let text = encoding::decode(bytes)?;
    let notebook: Value = serde_json::from_str(&text)
        .map_err(|error| format!("the notebook is damaged ({error})"))?;
    let cells = notebook["cells"]
        .as_array()
        .or_else(|| notebook["worksheets"][0]["cells"].as_array());
    let cells = cells.ok_or("it is not what its name says: no notebook")?;
    let mut parts = Parts::new(budget);
    for cell in cells {
        parts.check()?;
        let source = joined(&cell["source"]);
        match cell["cell_type"].as_str() {
            Some("markdown") => prose(&source, &mut parts),
            Some("code") => {
                let source = if source.is_empty() {
                    joined(&cell["input"])
                } else {
                    source
                };
                if !source.trim().is_empty() {
                    parts.block(&format!("```\n{}\n```", source.trim_end()));
                }
                cell["outputs"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .for_each(|output| printed(output, &mut parts));
            }
            _ => parts.block(&source),
        }
    }
    if parts.is_empty() {
        return Err("the notebook is blank".to_owned());
    }
    Ok(Extracted {
        title: notebook["metadata"]["title"].as_str().map(one_line),
        author: notebook["metadata"]["authors"][0]["name"]
            .as_str()
            .map(one_line),
        created: None,
        parts: parts.finish()?,
    })
}

/// Writes a Markdown cell; its headings start sections.
fn prose(source: &str, parts: &mut Parts<'_>) {
    let mut block = String::new();
    let mut is_code = false;
    for line in source.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = !is_code && (1..=6).contains(&level) && line[level..].starts_with(' ');
        if is_heading {
            parts.block(&std::mem::take(&mut block));
            parts.start_section(u8::try_from(level).unwrap_or(6), &line[level..]);
        } else {
            block.push_str(line);
            block.push('\n');
        }
    }
    parts.block(&block);
}

fn printed(output: &Value, parts: &mut Parts<'_>) {
    let text = match output["output_type"].as_str() {
        Some("stream") => joined(&output["text"]),
        Some("error") => joined(&output["evalue"]),
        _ => joined(&output["data"]["text/plain"]),
    };
    let text: String = text.chars().take(OUTPUT_CHARS_MAX).collect();
    parts.block(text.trim_end());
}

/// Text is one string or a list of lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}
