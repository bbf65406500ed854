//! What a property is: Obsidian's types, told from the value itself.

use serde_json::Value;

use super::date;

/// Type of a front-matter property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyType {
    /// Any text.
    Text,
    /// Several values.
    List,
    /// A number.
    Number,
    /// True or false.
    Checkbox,
    /// A day.
    Date,
    /// A day and a time.
    DateTime,
    /// A link to a note, in quotes.
    Link,
    /// Properties inside a property, which Obsidian does not show.
    Nested,
    /// A name without a value.
    Empty,
}

impl PropertyType {
    /// Tells the type of a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Empty,
            Value::Bool(_) => Self::Checkbox,
            Value::Number(_) => Self::Number,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Nested,
            Value::String(text) => Self::of_text(text.trim()),
        }
    }

    fn of_text(text: &str) -> Self {
        // A year or a compact stamp is text first: only what Obsidian would take for a date is one.
        let is_date = text.len() >= 10 && text.as_bytes()[4] == b'-' && date::parse(text).is_some();
        match text {
            "" => Self::Empty,
            _ if text.starts_with("[[") && text.ends_with("]]") => Self::Link,
            _ if is_date && date::has_time(text) => Self::DateTime,
            _ if is_date && text.len() == 10 => Self::Date,
            _ => Self::Text,
        }
    }

    /// Returns the name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::List => "list",
            Self::Number => "number",
            Self::Checkbox => "checkbox",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::Link => "link",
            Self::Nested => "nested",
            Self::Empty => "empty",
        }
    }
}
