//! Searches that were saved under a name.

use anyhow::{Context, Result};

use super::{Settings, edit, is_name, nearest};
use crate::hint::Hinted;

impl Settings {
    /// Writes the saved searches of a query out: `@kitchen paint`. A word with `@` that is none stays as it
    /// is, unless it is all there is.
    pub(crate) fn with_saved(&self, query: &str) -> Result<String> {
        if let Some(name) = query.strip_prefix('@').filter(|name| is_name(name)) {
            return self.saved(name).map(str::to_owned);
        }
        let written = |word: &str| {
            let saved = word
                .strip_prefix('@')
                .and_then(|name| self.searches.get(name));
            saved.map_or_else(|| word.to_owned(), |saved| bracketed(saved))
        };
        match query.split(' ').any(|word| word.starts_with('@')) {
            true => Ok(query.split(' ').map(written).collect::<Vec<_>>().join(" ")),
            false => Ok(query.to_owned()),
        }
    }

    fn saved(&self, name: &str) -> Result<&str> {
        if let Some(saved) = self.searches.get(name) {
            return Ok(saved);
        }
        let names = self.searches.keys().map(String::as_str);
        let hint = match nearest(name, names) {
            Some(meant) => format!("did you mean @{meant}? `ken search --saved` lists them"),
            None => format!(
                "save one with `ken search --save {name} QUERY`; `ken search --saved` lists them"
            ),
        };
        Err(Hinted::error(
            format!("no search is saved as {name:?}"),
            hint,
        ))
    }

    /// Saves a query under a name; what was saved under it before is gone.
    pub(crate) fn save_search(&self, name: &str, query: &str) -> Result<()> {
        if !is_name(name) {
            return Err(Hinted::error(
                format!("{name:?} cannot name a search"),
                "use letters, digits, hyphens and underscores",
            ));
        }
        edit(&self.file, |table| {
            let searches = table
                .entry("searches")
                .or_insert_with(|| toml::Value::Table(toml::Table::new()));
            let searches = searches
                .as_table_mut()
                .context("`searches` is not a table")?;
            searches.insert(name.to_owned(), query.to_owned().into());
            Ok(())
        })
    }

    /// Forgets a saved search.
    pub(crate) fn forget_search(&self, name: &str) -> Result<()> {
        self.saved(name)?;
        edit(&self.file, |table| {
            if let Some(searches) = table
                .get_mut("searches")
                .and_then(toml::Value::as_table_mut)
            {
                searches.remove(name);
            }
            Ok(())
        })
    }
}

/// Returns a query that other conditions may stand beside: `OR` would take them for one of its sides.
pub(crate) fn bracketed(query: &str) -> String {
    let has_choice = query.split_whitespace().any(|word| word == "OR");
    match has_choice {
        true => format!("({query})"),
        false => query.to_owned(),
    }
}
