//! `ken tools`: the tools of `ken mcp` as definitions for agent loops that do not speak MCP.

use anyhow::Result;
use serde_json::{Value, json};

use super::Found;
use crate::args::{ToolStyle, ToolsArgs};
use crate::mcp::TOOLS;
use crate::render;

pub(super) fn run(args: &ToolsArgs) -> Result<Found> {
    // Loops of others answer their calls by `ken search` and the like, which write nothing.
    let definitions: Vec<Value> = TOOLS
        .iter()
        .filter(|tool| !tool.writes)
        .map(|tool| match args.style {
            ToolStyle::Anthropic => json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": (tool.input)(),
            }),
            ToolStyle::Openai | ToolStyle::Ollama => json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": (tool.input)(),
                },
            }),
        })
        .collect();
    render::print(&(serde_json::to_string_pretty(&definitions)? + "\n"))?;
    Ok(Found::Something)
}
