//! JSON schemas of arguments and results that every client can read: nothing is referred to, no
//! type is a union. What may be absent is absent and not `null`, so it is simply not required.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

/// Words of a schema that some clients do not know, or that repeat the name of a Rust type.
const UNUSED_WORDS: [&str; 4] = ["title", "format", "default", "$schema"];

/// Returns the schema of a tool's arguments.
pub(super) fn input<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = Value::Object(schema::<T>(settings));
    close(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// Returns the schema of a tool's result: what it says, or why it says nothing.
pub(super) fn output<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = schema::<T>(settings);
    schema.remove("required");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let text = |about: &str| json!({"type": "string", "description": about});
        properties.insert(
            "error".to_owned(),
            text("What went wrong; nothing else is there then."),
        );
        properties.insert("hint".to_owned(), text("What helps against the error."));
        properties.insert(
            "executed".to_owned(),
            json!({"type": "boolean", "description": "False with an error: nothing was executed."}),
        );
    }
    schema
}

/// Returns a result as JSON without what is `null`.
pub(super) fn value(result: &impl Serialize) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(result)?;
    drop_nulls(&mut value);
    Ok(value)
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> JsonObject {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    make_plain(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            // The description of the tool says it better.
            schema.remove("description");
            schema
        }
        _ => JsonObject::new(),
    }
}

/// Says that there are no other arguments than those named.
fn close(schema: &mut Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(close);
        schema["additionalProperties"] = false.into();
    }
    if let Some(items) = schema.get_mut("items") {
        close(items);
    }
}

/// Takes unions apart, all the way down.
fn make_plain(schema: &mut Value) {
    let Value::Object(words) = schema else {
        // `true`: anything goes.
        *schema = json!({});
        return;
    };
    for word in UNUSED_WORDS {
        words.remove(word);
    }
    if let Some(Value::String(about)) = words.get_mut("description") {
        *about = about.replace('\n', " ");
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = words.remove(union) {
            let chosen = choices.into_iter().find(|choice| !is_null(choice));
            if let Some(Value::Object(chosen)) = chosen {
                for (word, value) in chosen {
                    words.entry(word).or_insert(value);
                }
            }
        }
    }
    if let Some(Value::Array(types)) = words.get_mut("type") {
        types.retain(|name| name != "null");
        let only = types.first().cloned().unwrap_or(Value::Null);
        words.insert("type".to_owned(), only);
    }
    if let Some(Value::Array(values)) = words.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let mut optional = Vec::new();
    if let Some(Value::Object(properties)) = words.get_mut("properties") {
        for (name, property) in properties {
            if is_optional(property) {
                optional.push(name.clone());
            }
            make_plain(property);
        }
    }
    if let Some(Value::Array(required)) = words.get_mut("required") {
        required.retain(|name| !optional.iter().any(|optional| name == optional));
    }
    if let Some(items) = words.get_mut("items") {
        make_plain(items);
    }
}

/// Whether a value may be `null`.
fn is_optional(schema: &Value) -> bool {
    let Value::Object(words) = schema else {
        return true;
    };
    let has_null = |list: &str, is_null: fn(&Value) -> bool| {
        let list = words.get(list).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(is_null))
    };
    let is_named_null = |name: &Value| name == "null";
    let is_any = !["type", "anyOf", "oneOf", "enum"]
        .iter()
        .any(|word| words.contains_key(*word));
    is_any
        || has_null("type", is_named_null)
        || has_null("enum", Value::is_null)
        || has_null("anyOf", is_null)
        || has_null("oneOf", is_null)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema, Serialize)]
    struct Outer {
        /// A name.
        name: String,
        r#type: Option<u32>,
        inner: Option<Inner>,
        all: Vec<Inner>,
        any: Value,
    }

    #[derive(JsonSchema, Serialize)]
    struct Inner {
        format: String,
        maybe: Option<Vec<String>>,
    }

    #[test]
    fn what_may_be_null_is_plain_and_not_required() {
        let schema = Value::Object(schema::<Outer>(
            SchemaSettings::draft2020_12().for_serialize(),
        ));
        let inner = json!({
            "type": "object",
            "properties": {
                "format": {"type": "string"},
                "maybe": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["format"],
        });
        assert_eq!(schema["required"], json!(["name", "all"]));
        assert_eq!(
            schema["properties"]["type"],
            json!({"type": "integer", "minimum": 0})
        );
        assert_eq!(schema["properties"]["inner"], inner);
        assert_eq!(schema["properties"]["all"]["items"], inner);
        assert_eq!(schema["properties"]["any"], json!({}));
        assert_eq!(schema["properties"]["name"]["description"], "A name.");
    }

    #[test]
    fn a_result_leaves_out_what_is_null() {
        let outer = Outer {
            name: "n".to_owned(),
            r#type: None,
            inner: Some(Inner {
                format: "f".to_owned(),
                maybe: None,
            }),
            all: Vec::new(),
            any: json!({"a": null, "b": [null]}),
        };
        let expected =
            json!({"name": "n", "inner": {"format": "f"}, "all": [], "any": {"b": [null]}});
        assert_eq!(value(&outer).unwrap(), expected);
    }
}
