//! The mode of a search where it is read: parameters, arguments and settings all take its name.

use std::borrow::Cow;

use kenning::search;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// A mode, by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode(search::Mode);

impl From<Mode> for search::Mode {
    fn from(mode: Mode) -> Self {
        mode.0
    }
}

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const NAMES: &[&str] = &["hybrid", "lexical", "vector"];
        let name = String::deserialize(deserializer)?;
        let mode = search::Mode::from_name(&name);
        mode.map(Self)
            .ok_or_else(|| de::Error::unknown_variant(&name, NAMES))
    }
}

impl JsonSchema for Mode {
    fn schema_name() -> Cow<'static, str> {
        "Mode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "What is asked: words, meaning or both.",
            "type": "string",
            "enum": search::Mode::ALL.map(search::Mode::name),
        })
    }
}
