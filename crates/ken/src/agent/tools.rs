//! What a model may ask to be done. Each tool is one row: its name, what it is for, what it takes, and who
//! does it. None of them reaches notes but through the library of this request, and none calls the agent.

mod documents;

use kenning::search::Evidence;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::event::{Event, Events};
use super::library::Library;
use super::sources::Sources;
use super::{calculator, prompt};
use crate::llm::{ChatModel, Tool, ToolCall, Usage};
use crate::runtime;

/// Most characters that the result of a tool has.
const RESULT_CHARS_MAX: usize = 16_000;
/// Passages that a search finds if it does not say how many, and the most it may ask for.
const HITS: u64 = 5;
const HITS_MAX: u64 = 10;

/// What tools work with.
pub(super) struct ToolContext<'a> {
    pub(super) library: &'a Library,
    pub(super) model: &'a dyn ChatModel,
    pub(super) sources: &'a mut Sources,
    pub(super) events: &'a Events,
    pub(super) usage: &'a mut Vec<Usage>,
}

/// What a tool says: text for the model, or what is wrong with the call.
pub(super) type Said = Result<String, String>;

const SEARCH: &str = "search_knowledge_base";
const LIST: &str = "list_documents";
const ANALYZE: &str = "analyze_document";
const COMPARE: &str = "compare_documents";
const CALCULATE: &str = "calculator";
const TIME: &str = "current_time";

/// Returns every tool.
pub(super) fn all() -> Vec<Tool> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let note = || text("Path, title or alias of the document");
    vec![
        tool(
            SEARCH,
            "Find passages of the user's notes by word and by meaning. Returns numbered passages to cite.",
            json!({"query": text("What to look for"), "limit": {"type": "integer", "minimum": 1, "maximum": HITS_MAX}}),
            &["query"],
        ),
        tool(
            LIST,
            "List the documents there are, by path, with title and date.",
            json!({
                "folder": text("Only documents below this folder"),
                "tag": text("Only documents with this tag"),
                "offset": {"type": "integer", "minimum": 0},
            }),
            &[],
        ),
        tool(
            ANALYZE,
            "Read one document in full and return its topics, entities, facts and a summary.",
            json!({"document": note()}),
            &["document"],
        ),
        tool(
            COMPARE,
            "Put a question to two documents side by side.",
            json!({"first": note(), "second": note(), "question": text("What to compare")}),
            &["first", "second", "question"],
        ),
        tool(
            CALCULATE,
            "Work out arithmetic exactly, with percentages and units: `15% of 2,340`, `3 km + 400 m to m`.",
            json!({"expression": text("The expression")}),
            &["expression"],
        ),
        tool(
            TIME,
            "Tell the date, the day of the week and the time.",
            json!({}),
            &[],
        ),
    ]
}

fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> Tool {
    Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    }
}

/// Does what a model asks for. Whether it worked or not, the model is told.
pub(super) async fn call(cx: &mut ToolContext<'_>, call: &ToolCall) -> Said {
    let said = match call.name.as_str() {
        SEARCH => search(cx, call).await,
        LIST => documents::list(cx, call).await,
        ANALYZE => documents::analyze(cx, call).await,
        COMPARE => documents::compare(cx, call).await,
        CALCULATE => calculated(text(call, "expression")).await,
        TIME => Ok(time()),
        other => {
            let known: Vec<String> = all().into_iter().map(|tool| tool.name).collect();
            Err(format!(
                "there is no tool {other:?}; there are {}",
                known.join(", ")
            ))
        }
    };
    said.map(|text| super::sources::cut(&text, RESULT_CHARS_MAX).to_owned())
}

/// Whether what a tool said is something that an answer can rest on.
pub(super) fn is_ground(call: &ToolCall, sources: &Sources) -> bool {
    [CALCULATE, TIME, LIST].contains(&call.name.as_str()) || !sources.all().is_empty()
}

/// Says what a call does, for people.
pub(super) fn told(call: &ToolCall) -> String {
    let of = |name: &str| text(call, name).unwrap_or("…");
    match call.name.as_str() {
        SEARCH => format!("searching the notes for {:?}", of("query")),
        LIST => "listing the notes".to_owned(),
        ANALYZE => format!("reading {:?}", of("document")),
        COMPARE => format!("comparing {:?} with {:?}", of("first"), of("second")),
        CALCULATE => format!("calculating {}", of("expression")),
        TIME => "looking at the clock".to_owned(),
        other => format!("calling {other:?}"),
    }
}

/// Returns a text that a call must give.
fn text<'a>(call: &'a ToolCall, name: &str) -> Result<&'a str, String> {
    let value = call.arguments.get(name).and_then(Value::as_str);
    let value = value.map(str::trim).filter(|value| !value.is_empty());
    value.ok_or_else(|| format!("{}: `{name}` is missing or no text", call.name))
}

async fn search(cx: &mut ToolContext<'_>, call: &ToolCall) -> Said {
    let query = text(call, "query")?;
    let limit = call.arguments.get("limit").and_then(Value::as_u64);
    let limit = limit.unwrap_or(HITS).clamp(1, HITS_MAX) as u32;
    let answer = cx
        .library
        .search(query, limit)
        .await
        .map_err(|error| error.to_string())?;
    if answer.evidence == Evidence::None.name() || answer.hits.is_empty() {
        return Ok("Nothing was found: the notes do not say.".to_owned());
    }
    let mut found = Vec::new();
    for hit in answer.hits {
        let (number, is_new) = cx.sources.add_hit(hit);
        let Some(source) = cx.sources.get(number).cloned() else {
            continue;
        };
        if is_new {
            cx.events.send(Event::Found(Box::new(source.clone())));
        }
        found.push(source);
    }
    let room = RESULT_CHARS_MAX - 200 * found.len();
    let evidence = answer.evidence;
    Ok(format!(
        "Evidence: {evidence}.\n{}",
        prompt::fenced(&found, room)
    ))
}

/// A hard sum keeps its thread busy for a while: not one that serves.
async fn calculated(expression: Result<&str, String>) -> Said {
    let expression = expression?.to_owned();
    let result = spawn_blocking(move || calculator::calculate(&expression)).await;
    result.unwrap_or_else(|_| Err("it cannot be worked out".to_owned()))
}

/// Date, day of the week and time of this machine.
fn time() -> String {
    let now = jiff::Timestamp::from_second(runtime::now()).unwrap_or_default();
    let now = now.to_zoned(jiff::tz::TimeZone::system());
    now.strftime("%A, %Y-%m-%d %H:%M %:z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_takes_an_object_and_is_told_in_words() {
        for tool in all() {
            assert_eq!(tool.parameters["type"], "object");
            let call = ToolCall {
                id: "1".to_owned(),
                name: tool.name,
                arguments: Value::String("no object".to_owned()),
            };
            assert!(!told(&call).contains("calling"), "{call:?}");
        }
    }

    #[test]
    fn the_time_has_a_day_of_the_week() {
        let time = time();
        assert!(time.contains("day, 20") && time.contains(':'), "{time}");
    }
}
