//! `ken domain`: names for folders of notes, kept in the settings file.

use std::fs;

use anyhow::{Context, Result};
use serde_json::json;

use super::Found;
use crate::args::{DomainAction, Place};
use crate::fill;
use crate::hint::Hinted;
use crate::questions;
use crate::render;
use crate::runtime;
use crate::settings::{Settings, edit, is_name};

pub(super) fn run(settings: &Settings, place: &Place, action: &DomainAction) -> Result<Found> {
    match action {
        DomainAction::Add { name, path } => add(settings, name, path),
        DomainAction::List { json } => list(settings, place, *json),
        DomainAction::Remove { name, delete_index } => remove(settings, name, *delete_index),
    }
}

fn add(settings: &Settings, name: &str, path: &std::path::Path) -> Result<Found> {
    if !is_name(name) {
        return Err(Hinted::error(
            format!("{name:?} cannot name a domain"),
            "use letters, digits, hyphens and underscores",
        ));
    }
    let path = path
        .canonicalize()
        .map_err(|_| kenning::Error::VaultMissing {
            path: path.to_owned(),
        })?;
    if let Some(known) = settings.domains.get(name) {
        return Err(Hinted::error(
            format!(
                "the domain {name:?} exists already: {}",
                known.path.display()
            ),
            format!("run `ken domain remove {name}` first"),
        ));
    }
    edit(&settings.file, |table| {
        let domains = table
            .entry("domains")
            .or_insert_with(|| toml::Value::Table(toml::Table::new()));
        let domains = domains.as_table_mut().context("`domains` is not a table")?;
        let mut domain = toml::Table::new();
        domain.insert(
            "path".to_owned(),
            path.to_string_lossy().into_owned().into(),
        );
        domains.insert(name.to_owned(), domain.into());
        Ok(())
    })?;
    render::say(&format!(
        "added {name}: {}; `ken index --domain {name}` indexes it",
        path.display()
    ));
    Ok(Found::Something)
}

fn list(settings: &Settings, place: &Place, as_json: bool) -> Result<Found> {
    let rows = settings.known_domains(place)?;
    if as_json {
        let listed: Vec<_> = rows
            .iter()
            .map(|row| {
                json!({
                    "name": row.name,
                    "path": row.vault,
                    "store": row.store_name(),
                    "indexed": row.is_indexed(),
                    "listed_in_vault": row.is_listed,
                    "taxonomy": row.domain.taxonomy,
                    "review_queue": row.domain.review_queue,
                })
            })
            .collect();
        render::print_json(&listed)?;
    } else {
        let widths = rows.iter().map(|row| row.name.chars().count());
        let width = widths.max().unwrap_or(0);
        for row in &rows {
            let note = match (row.is_indexed(), row.is_listed) {
                (true, false) => "",
                (true, true) => "  (listed in the vault)",
                (false, _) => "  (not indexed yet)",
            };
            let line = format!("{:<width$}  {}{note}", row.name, row.vault.display());
            render::print(&format!("{}\n", render::inline(&line)))?;
        }
    }
    Ok(if rows.is_empty() {
        Found::Nothing
    } else {
        Found::Something
    })
}

fn remove(settings: &Settings, name: &str, delete_index: bool) -> Result<Found> {
    let Some(domain) = settings.domains.get(name) else {
        return Err(settings.unknown_domain(name, [].iter()));
    };
    edit(&settings.file, |table| {
        if let Some(domains) = table.get_mut("domains").and_then(toml::Value::as_table_mut) {
            domains.remove(name);
            if domains.is_empty() {
                table.remove("domains");
            }
        }
        Ok(())
    })?;
    if delete_index && let Ok(vault) = domain.path.canonicalize() {
        let store = settings.store_path(&vault, None);
        for suffix in [
            "",
            "-wal",
            "-shm",
            ".lock",
            runtime::TURN_SUFFIX,
            fill::LOCK_SUFFIX,
            questions::SUFFIX,
        ] {
            let mut file = store.clone().into_os_string();
            file.push(suffix);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(kenning::Error::io(std::path::PathBuf::from(file), error).into());
                }
                _ => {}
            }
        }
    }
    render::say(&format!("removed {name}; the notes were not touched"));
    Ok(Found::Something)
}
