//! What is kept of files beside the notes.

use std::collections::HashMap;

use kenning::store::{DATE_FROM_FILE, DATE_FROM_GIT, Inventory};

use crate::rows::clean;
use crate::session::Session;

/// Writes it.
pub(super) fn set(
    session: &mut Session,
    inventory: &Inventory<'_>,
) -> Result<(), tokio_postgres::Error> {
    match *inventory {
        Inventory::Walk {
            skipped,
            folders,
            attachments,
            left_out,
        } => {
            let pairs = skipped
                .iter()
                .map(|file| (file.path.as_str(), file.reason.clone()));
            replace(session, "skipped", "reason", "text", pairs)?;
            let pairs = folders
                .iter()
                .map(|(path, time)| (path.as_str(), time.to_string()));
            replace(session, "folder", "mtime_ns", "bigint", pairs)?;
            let pairs = left_out
                .iter()
                .map(|(path, rule)| (path.as_str(), rule.name().to_owned()));
            replace(session, "left_out", "rule", "text", pairs)?;
            let paths: Vec<String> = attachments.iter().map(|path| clean(path)).collect();
            session.execute("DELETE FROM attachment WHERE path <> ALL ($1)", &[&paths])?;
            session.execute(
                "INSERT INTO attachment (path) SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING",
                &[&paths],
            )?;
            Ok(())
        }
        Inventory::File { path, skipped } => {
            let path = clean(path);
            session.execute("DELETE FROM skipped WHERE path = $1", &[&path])?;
            if let Some(reason) = skipped {
                session.execute(
                    "INSERT INTO skipped (path, reason) VALUES ($1, $2)",
                    &[&path, &clean(reason)],
                )?;
            }
            Ok(())
        }
        Inventory::Commits { days, is_whole } => set_commits(session, days, is_whole),
    }
}

/// Replaces what a table of two columns holds.
fn replace<'a>(
    session: &mut Session,
    table: &str,
    column: &str,
    kind: &str,
    pairs: impl Iterator<Item = (&'a str, String)>,
) -> Result<(), tokio_postgres::Error> {
    let (paths, values): (Vec<String>, Vec<String>) = pairs
        .map(|(path, value)| (clean(path), clean(&value)))
        .unzip();
    session.batch(&format!("DELETE FROM {table}"))?;
    session.execute(
        &format!(
            "INSERT INTO {table} (path, {column}) SELECT path, value::{kind}
             FROM unnest($1::text[], $2::text[]) AS s (path, value) ON CONFLICT DO NOTHING"
        ),
        &[&paths, &values],
    )?;
    Ok(())
}

fn set_commits(
    session: &mut Session,
    days: &HashMap<String, String>,
    is_whole: bool,
) -> Result<(), tokio_postgres::Error> {
    if is_whole {
        session.batch("DELETE FROM committed")?;
    }
    let (paths, days): (Vec<String>, Vec<&str>) = days
        .iter()
        .map(|(path, day)| (clean(path), day.as_str()))
        .unzip();
    session.execute(
        "INSERT INTO committed (path, day) SELECT DISTINCT ON (path) * FROM unnest($1::text[], $2::text[]) AS s (path, day)
         ON CONFLICT (path) DO UPDATE SET day = excluded.day",
        &[&paths, &days],
    )?;
    session.execute(
        "UPDATE note SET date = s.day, date_source = $3 FROM unnest($1::text[], $2::text[]) AS s (path, day)
         WHERE note.path = s.path AND coalesce(note.date_source, $4) IN ($3, $4)",
        &[&paths, &days, &DATE_FROM_GIT, &DATE_FROM_FILE],
    )?;
    Ok(())
}
