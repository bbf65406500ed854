//! The arguments of the tools, and the check that what a client sends is what the schema says.

use anyhow::Result;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use strsim::levenshtein;

use crate::hint::Hinted;
use crate::wire::{CitationFields, Mode};

/// Arguments of `search` and `memory_search`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchArguments {
    /// What to look for: a question, a name or key words. Operators: "exact phrase", -not, OR,
    /// tag:x, path:x, file:x, `[property:value]`, since:2025-01-31, before:2025-12, created:2024,
    /// modified:last-week, published:>2023-05.
    pub(super) query: String,
    /// Maximum number of results; 5 by default.
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: Option<u32>,
    /// Ask words (lexical), meaning (vector) or both (hybrid); the settings decide by default.
    pub(super) mode: Option<Mode>,
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
    /// Most tokens of text over all results, at four characters each.
    #[schemars(range(min = 1))]
    pub(super) max_tokens: Option<usize>,
    /// false reads "last week" or "2024" in the query as words, not as a time.
    pub(super) dates: Option<bool>,
}

/// Arguments of `ask`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AskArguments {
    /// The question, as a person asks it.
    pub(super) question: String,
    /// Walk widely along links from the best notes, too.
    pub(super) deep: Option<bool>,
    /// Only this domain; all that can be asked if not told.
    pub(super) domain: Option<String>,
}

/// Arguments of `get`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetArguments {
    /// Path, name, alias, #id or ken:// address of a note; Note#Heading, Note#^block and
    /// Note:12-20 name a part of it.
    pub(super) reference: String,
    /// First line.
    #[schemars(range(min = 1))]
    pub(super) from: Option<u32>,
    /// Last line.
    #[schemars(range(min = 1))]
    pub(super) to: Option<u32>,
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
}

/// Arguments of `multi_get`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MultiGetArguments {
    /// Notes or parts of notes, each as `get` takes it; at most 50.
    #[schemars(length(min = 1, max = 50))]
    pub(super) references: Vec<String>,
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
}

/// Arguments of `links`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LinksArguments {
    /// Path, name, alias or ken:// address of a note.
    pub(super) reference: String,
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
}

/// Arguments of `traverse`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TraverseArguments {
    /// Path, name, alias or ken:// address of the note to begin at.
    pub(super) reference: String,
    /// What to look for; what the note itself is about by default.
    pub(super) query: Option<String>,
    /// Most links between the note and what is found.
    #[schemars(range(min = 1, max = 16))]
    pub(super) depth: Option<u32>,
    /// Most notes.
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: Option<u32>,
    /// Look wider and never stop early.
    pub(super) deep: Option<bool>,
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
}

/// Arguments of `status`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StatusArguments {
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
}

/// Arguments of `list_notes`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListArguments {
    /// Only notes whose path begins with this, such as `2-Areas/`.
    pub(super) prefix: Option<String>,
    /// Only notes with this tag or one below it.
    pub(super) tag: Option<String>,
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
    /// Notes to leave out at the beginning.
    pub(super) offset: Option<usize>,
    /// Maximum number of notes; 50 by default.
    #[schemars(range(min = 1, max = 500))]
    pub(super) limit: Option<usize>,
}

/// Arguments of `context`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ContextArguments {
    /// The message that the conversation begins with, as the person wrote it.
    pub(super) message: String,
    /// Most passages; 5 if neither this nor the settings say.
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: Option<u32>,
    /// Leave out passages with a lower score; 0.25 if neither this nor the settings say.
    #[schemars(range(min = 0, max = 1))]
    pub(super) min_score: Option<f32>,
    /// Only this domain; all that can be asked if not told.
    pub(super) domain: Option<String>,
}

/// Arguments of `remember`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RememberArguments {
    /// What to write down, as Markdown; at most 20,000 characters.
    pub(super) text: String,
    /// What kind of memory it is: facts (semantic), how something is done (procedural), what happened
    /// (episodic).
    #[schemars(extend("enum" = ["semantic", "procedural", "episodic"]))]
    pub(super) r#type: Option<String>,
    /// The domain it belongs to; needed where there are several.
    pub(super) domain: Option<String>,
}

/// Arguments of `verify_citations`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VerifyArguments {
    /// An answer in Markdown whose quotes name their note behind them, such as: "Esko repaired the
    /// gutter" `[[Roof]]`, or (path.md:12-20), or #a1b2c3d4.
    pub(super) answer: Option<String>,
    /// The citations one by one, instead of an answer; at most 200.
    #[schemars(length(max = 200))]
    pub(super) citations: Option<Vec<CitationFields>>,
    /// Only this domain; all available ones by default.
    pub(super) domain: Option<String>,
}

/// Reads arguments, after their names and sizes were checked against their schema.
pub(super) fn read<T: DeserializeOwned + JsonSchema>(arguments: JsonObject) -> Result<T> {
    let mut value = Value::Object(arguments);
    // Some clients send `null` for what is absent.
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    let schema = Value::Object(super::schema::input::<T>());
    check(&value, &schema)?;
    serde_path_to_error::deserialize(value).map_err(|error| {
        let message = match error.path().iter().next() {
            Some(_) => format!("`{}`: {}", error.path(), error.inner()),
            None => error.inner().to_string(),
        };
        Hinted::error(message, known(&schema))
    })
}

/// Checks what the types do not: that every argument is known, and no number or list too small or too large.
fn check(value: &Value, schema: &Value) -> Result<()> {
    match value {
        Value::Object(fields) => {
            let Some(properties) = schema["properties"].as_object() else {
                return Ok(());
            };
            fields.iter().try_for_each(|(field, value)| {
                let property = properties.get(field);
                let property = property.ok_or_else(|| unknown(field, properties))?;
                check_range(field, value, property)?;
                check(value, property)
            })
        }
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| check(item, &schema["items"])),
        _ => Ok(()),
    }
}

fn unknown(field: &str, properties: &JsonObject) -> anyhow::Error {
    let nearest = properties
        .keys()
        .min_by_key(|known| levenshtein(field, known));
    let hint = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`? {}", known_of(properties)),
        None => "it takes no arguments".to_owned(),
    };
    Hinted::error(format!("there is no argument `{field}`"), hint)
}

fn check_range(field: &str, value: &Value, schema: &Value) -> Result<()> {
    let (size, least, most, what) = match value {
        Value::Array(items) => (Some(items.len() as f64), "minItems", "maxItems", " items"),
        _ => (value.as_f64(), "minimum", "maximum", ""),
    };
    let (least, most) = (schema[least].as_f64(), schema[most].as_f64());
    let is_outside = size.is_some_and(|size| {
        least.is_some_and(|least| size < least) || most.is_some_and(|most| size > most)
    });
    if !is_outside {
        return Ok(());
    }
    let range = match (least, most) {
        (Some(least), Some(most)) => format!("between {least} and {most}{what}"),
        (Some(least), None) => format!("at least {least}{what}"),
        (_, most) => format!("at most {}{what}", most.unwrap_or_default()),
    };
    Err(Hinted::error(
        format!("`{field}` is out of range"),
        format!("it must be {range}"),
    ))
}

fn known(schema: &Value) -> String {
    let none = JsonObject::new();
    known_of(schema["properties"].as_object().unwrap_or(&none))
}

fn known_of(properties: &JsonObject) -> String {
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    format!("known arguments: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint;
    use serde_json::json;

    #[track_caller]
    fn check_told<T: DeserializeOwned + JsonSchema>(arguments: Value, message: &str, advice: &str) {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        let Err(error) = read::<T>(arguments) else {
            panic!("{message:?} was expected");
        };
        assert_eq!(error.to_string(), message);
        let hint = hint::of(&error).unwrap();
        assert!(hint.contains(advice), "{hint:?}");
    }

    #[test]
    fn wrong_arguments_are_named_with_what_is_right() {
        check_told::<SearchArguments>(
            json!({"query": "x", "collection": "a"}),
            "there is no argument `collection`",
            "known arguments: query, limit, mode, domain, max_tokens, dates",
        );
        check_told::<SearchArguments>(
            json!({"query": "x", "limt": 3}),
            "there is no argument `limt`",
            "did you mean `limit`?",
        );
        check_told::<SearchArguments>(json!({}), "missing field `query`", "known arguments");
        check_told::<SearchArguments>(
            json!({"query": "x", "limit": "5"}),
            "`limit`: invalid type: string \"5\", expected u32",
            "known arguments",
        );
        check_told::<SearchArguments>(
            json!({"query": "x", "limit": 0}),
            "`limit` is out of range",
            "between 1 and 100",
        );
        check_told::<SearchArguments>(
            json!({"query": "x", "mode": "deep"}),
            "`mode`: unknown variant `deep`, expected one of `hybrid`, `lexical`, `vector`",
            "known arguments",
        );
        check_told::<VerifyArguments>(
            json!({"citations": [{"pth": "a.md"}]}),
            "there is no argument `pth`",
            "did you mean `path`?",
        );
        check_told::<VerifyArguments>(
            json!({"citations": [{"path": 7}]}),
            "`citations[0].path`: invalid type: integer `7`, expected a string",
            "known arguments",
        );
        check_told::<MultiGetArguments>(
            json!({"references": []}),
            "`references` is out of range",
            "between 1 and 50 items",
        );
    }

    #[test]
    fn null_is_as_if_not_told() {
        let arguments = json!({"query": "x", "domain": null, "limit": 7});
        let found: SearchArguments = read(arguments.as_object().unwrap().clone()).unwrap();
        assert_eq!((found.limit, found.domain), (Some(7), None));
    }
}
