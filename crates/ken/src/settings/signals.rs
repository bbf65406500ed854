//! What the signals of the ranking add, by the names that the engine has for them.

use std::collections::BTreeMap;

use kenning::search::signals::{SIGNALS, SignalWeights};
use serde::Deserialize;

use super::fields::WEIGHT_MAX;

/// Weights of some of the signals.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, f32>")]
pub(super) struct SignalSettings(BTreeMap<String, f32>);

impl TryFrom<BTreeMap<String, f32>> for SignalSettings {
    type Error = String;

    fn try_from(named: BTreeMap<String, f32>) -> Result<Self, String> {
        for (name, weight) in &named {
            if !names().any(|known| known == name) {
                let known: Vec<&str> = names().collect();
                let known = known.join(", ");
                return Err(format!("unknown field `{name}`, expected one of {known}"));
            }
            if !(0.0..=WEIGHT_MAX).contains(weight) {
                return Err(format!(
                    "{name} is {weight}, expected a number from 0 to {WEIGHT_MAX}"
                ));
            }
        }
        Ok(Self(named))
    }
}

impl SignalSettings {
    /// Sets the weights that are told.
    pub(super) fn weigh(&self, weights: &mut SignalWeights) {
        for (name, &own) in &self.0 {
            if let Some(weight) = weights.named(name) {
                *weight = own;
            }
        }
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    SIGNALS.iter().map(|signal| signal.name)
}

/// Puts weights where they belong that stand in `[search]` by their names of 0.1.0, such as `title_weight`.
pub(super) fn gather(own: &mut toml::Table) {
    let Some(toml::Value::Table(search)) = own.get_mut("search") else {
        return;
    };
    let mut found = toml::Table::new();
    for name in names() {
        let before = if name == "compound" { "kin" } else { name };
        if let Some(weight) = search.remove(&format!("{before}_weight")) {
            found.insert(name.to_owned(), weight);
        }
    }
    if found.is_empty() {
        return;
    }
    let weights = search
        .entry("weights")
        .or_insert_with(|| toml::Table::new().into());
    if let toml::Value::Table(weights) = weights {
        for (name, weight) in found {
            weights.entry(name).or_insert(weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_the_first_release_are_understood() {
        let text = "[search]\nkin_weight = 0.5\ntitle_weight = 0.1\nlimit = 3\n[search.weights]\ntitle = 0.7";
        let mut own: toml::Table = toml::from_str(text).unwrap();
        gather(&mut own);
        let expected = "[search]\nlimit = 3\n[search.weights]\ntitle = 0.7\ncompound = 0.5";
        assert_eq!(own, toml::from_str(expected).unwrap());
    }

    #[test]
    fn a_signal_that_is_none_is_told() {
        let error = toml::from_str::<SignalSettings>("titel = 0.1").unwrap_err();
        assert!(
            error
                .message()
                .starts_with("unknown field `titel`, expected one of phrase")
        );
        let error = toml::from_str::<SignalSettings>("title = -1.0").unwrap_err();
        assert_eq!(
            error.message(),
            "title is -1, expected a number from 0 to 1000"
        );
    }

    /// The settings file says of each signal what the list says.
    #[test]
    fn the_settings_file_names_every_signal() {
        for signal in &SIGNALS {
            let line = format!("{} = {:?} # {}", signal.name, signal.weight, signal.about);
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let mut lines = crate::settings::DEFAULTS.lines().map(words);
            assert!(lines.any(|known| known == line), "default.toml: {line}");
        }
    }
}
