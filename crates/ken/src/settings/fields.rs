//! What a word counts for by where it stands.

use kenning::store::FieldWeights;
use serde::Deserialize;

/// More than this is a slip.
pub(super) const WEIGHT_MAX: f32 = 1_000.0;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldSettings {
    content: f32,
    file_name: f32,
    title: f32,
    aliases: f32,
    tags: f32,
    area: f32,
    headings: f32,
    summary: f32,
    properties: f32,
    compounds: f32,
}

impl FieldSettings {
    /// Returns the first weight that is none, by name.
    pub(super) fn bad_weight(&self) -> Option<(&'static str, f32)> {
        [
            ("content", self.content),
            ("file_name", self.file_name),
            ("title", self.title),
            ("aliases", self.aliases),
            ("tags", self.tags),
            ("area", self.area),
            ("headings", self.headings),
            ("summary", self.summary),
            ("properties", self.properties),
            ("compounds", self.compounds),
        ]
        .into_iter()
        .find(|(_, weight)| !(0.0..=WEIGHT_MAX).contains(weight))
    }

    /// Sets the weights of the ranking.
    pub(super) fn weigh(&self, weights: &mut FieldWeights) {
        *weights = FieldWeights {
            text: self.content,
            file_name: self.file_name,
            title: self.title,
            aliases: self.aliases,
            tags: self.tags,
            area: self.area,
            section: self.headings,
            summary: self.summary,
            properties: self.properties,
            compound: self.compounds,
            ..*weights
        };
    }
}
