//! The settings file: how it is changed, and what is said where something in it is wrong.

use std::fs;
use std::path::Path;

use anyhow::Result;
use kenning::vault::{Links, read_regular_text};
use serde::de::DeserializeOwned;
use strsim::levenshtein;
use toml::de::DeTable;

use crate::hint::Hinted;

/// Larger files are not settings.
pub(super) const FILE_BYTES_MAX: u64 = 4 << 20;

/// Changes the settings file and puts it in place at once.
pub(crate) fn edit(file: &Path, change: impl FnOnce(&mut toml::Table) -> Result<()>) -> Result<()> {
    let text = match read_regular_text(file, FILE_BYTES_MAX, Links::Followed) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(kenning::Error::io(file, error).into()),
    };
    let mut table: toml::Table =
        toml::from_str(&text).map_err(|error| bad_toml(file, Some(&text), &error))?;
    change(&mut table)?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| kenning::Error::io(path, error)
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(io(folder))?;
    }
    let fresh = file.with_extension("toml.new");
    fs::write(&fresh, toml::to_string_pretty(&table)?).map_err(io(&fresh))?;
    fs::rename(&fresh, file).map_err(io(file))?;
    Ok(())
}

/// Whether somebody wrote `/dev/null`, which is how one says: no settings.
pub(super) fn is_nothing(file: &Path) -> bool {
    cfg!(unix)
        && file
            .canonicalize()
            .is_ok_and(|file| file == Path::new("/dev/null"))
}

/// Puts `own` over `values`, table by table.
pub(super) fn merge(values: &mut toml::Table, own: toml::Table) {
    for (key, value) in own {
        match (values.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(own)) => merge(inner, own),
            (_, value) => {
                values.insert(key, value);
            }
        }
    }
}

/// Turns settings into their type. What has the wrong one is told by its key, and by its line in the
/// user's own file.
pub(super) fn typed<T: DeserializeOwned>(values: toml::Table, file: &Path, own: &str) -> Result<T> {
    serde_path_to_error::deserialize(toml::Value::Table(values)).map_err(|error| {
        let key = error.path().to_string();
        let message = error.inner().message().to_owned();
        // An unknown key is named by the message.
        let is_named = key == "." || message.starts_with("unknown field");
        let shown = match is_named {
            true => String::new(),
            false => format!("{key}: "),
        };
        let line = line_of(own, &key).or_else(|| line_of(own, &unknown_key(&key, &message)?));
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        Hinted::error(
            format!("{}: {line}{shown}{message}", file.display()),
            suggestion(&message).unwrap_or_else(|| format!("edit {}", file.display())),
        )
    })
}

/// Returns the whole key of an unknown field: the path to it ends at the table that holds it.
fn unknown_key(table: &str, message: &str) -> Option<String> {
    let (_, told) = message.split_once("unknown field `")?;
    let (name, _) = told.split_once('`')?;
    match table {
        "." => Some(name.to_owned()),
        table if table.ends_with(name) => Some(table.to_owned()),
        table => Some(format!("{table}.{name}")),
    }
}

/// Returns the line of a file at which a key such as `search.limit` stands.
pub(super) fn line_of(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let mut within = table.get_ref();
    let mut at = None;
    // `hooks.folders[0].path` is looked for up to its list.
    for name in key.split(['.', '[']) {
        let Some((found, value)) = within.iter().find(|(key, _)| key.get_ref() == name) else {
            break;
        };
        at = Some(found.span().start);
        match value.get_ref().as_table() {
            Some(table) => within = table,
            None => break,
        }
    }
    Some(text.get(..at?)?.matches('\n').count() + 1)
}

/// Says what is wrong with a TOML file, in which line if its text is at hand, and which key was
/// meant.
pub(crate) fn bad_toml(file: &Path, text: Option<&str>, error: &toml::de::Error) -> anyhow::Error {
    let message = error.message();
    let start = error.span().map_or(0, |span| span.start);
    let line = text.and_then(|text| text.get(..start)).map(|before| {
        let number = before.matches('\n').count() + 1;
        format!("line {number}: ")
    });
    Hinted::error(
        format!("{}: {}{message}", file.display(), line.unwrap_or_default()),
        suggestion(message).unwrap_or_else(|| format!("edit {}", file.display())),
    )
}

/// Turns "unknown field `limt`, expected one of `limit`, …" into the nearest known name.
pub(crate) fn suggestion(message: &str) -> Option<String> {
    let (_, told) = message.split_once("unknown field `")?;
    let (unknown, expected) = told.split_once("`, expected ")?;
    // TOML quotes the names it knows, YAML does not.
    let known = expected
        .trim_start_matches("one of ")
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|known| !known.is_empty());
    let nearest = known.min_by_key(|known| levenshtein(unknown, known))?;
    Some(format!("did you mean `{nearest}`?"))
}
