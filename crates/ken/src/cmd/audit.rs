//! `ken audit`: where credentials stand in the notes. It reads the files themselves, so that it
//! needs no index, and prints pattern and place only.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use kenning::vault::Vault;
use kenning::{index, secrets};

use super::Found;
use crate::args::{AuditArgs, AuditFormat, Place};
use crate::hint::Hinted;
use crate::reader::Readers;
use crate::render;
use crate::runtime;
use crate::settings::Settings;
use crate::wire::Finding;

pub(super) fn run(settings: &Settings, place: &Place, args: &AuditArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let folder = located.vault.clone().ok_or_else(|| {
        Hinted::error(
            "no vault was named",
            "name the folder of notes with `--vault PATH`",
        )
    })?;
    let vault = Vault::open(&folder, located.rules)?;
    let Scan {
        findings,
        n_unreadable,
    } = scan(&vault);
    match args.format {
        AuditFormat::Json => render::print_json(&findings)?,
        AuditFormat::Text => {
            let line = |f: &Finding| {
                let path = render::inline(&f.path);
                match f.line {
                    0 => format!("{path}: {} in its name\n", f.pattern),
                    line => format!("{path}:{line}: {}\n", f.pattern),
                }
            };
            render::print(&findings.iter().map(line).collect::<String>())?;
            if !place.quiet {
                render::say(&format!(
                    "{} in the notes",
                    render::counted(findings.len(), "credential")
                ));
                if n_unreadable > 0 {
                    render::say(&format!(
                        "{} could not be read",
                        render::counted(n_unreadable, "file")
                    ));
                }
            }
        }
    }
    // A check passes where there is nothing to find.
    Ok(if findings.is_empty() != args.check {
        Found::Nothing
    } else {
        Found::Something
    })
}

/// What was found, and how many files kept what they say to themselves.
#[derive(Default)]
struct Scan {
    findings: Vec<Finding>,
    n_unreadable: usize,
}

/// Reads every note on all cores.
fn scan(vault: &Vault) -> Scan {
    let walk = vault.walk();
    let files = walk.found;
    let reader = Readers::default();
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Scan::default());
    std::thread::scope(|scope| {
        for _ in 0..runtime::n_threads() {
            scope.spawn(|| {
                let mut own = Scan::default();
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let read = vault.read(&file.path);
                    let found = read.and_then(|bytes| index::findings(&file.path, bytes, &reader));
                    let Ok(found) = found else {
                        own.n_unreadable += 1;
                        continue;
                    };
                    own.findings
                        .extend(found.into_iter().map(|finding| Finding {
                            path: file.path.clone(),
                            line: finding.line,
                            pattern: finding.pattern.to_owned(),
                        }));
                }
                if let Ok(mut all) = all.lock() {
                    all.findings.append(&mut own.findings);
                    all.n_unreadable += own.n_unreadable;
                }
            });
        }
    });
    let mut scan = all.into_inner().unwrap_or_default();
    let skipped = walk.skipped.iter().map(|skipped| &skipped.path);
    let paths = files.iter().map(|file| &file.path);
    for path in paths.chain(&walk.attachments).chain(skipped) {
        scan.findings.extend(in_name(path));
    }
    scan.findings
        .sort_by(|a, b| (&a.path, a.line, &a.pattern).cmp(&(&b.path, b.line, &b.pattern)));
    scan
}

/// Names the credentials that a path holds; they are masked in it already.
fn in_name(path: &str) -> impl Iterator<Item = Finding> + '_ {
    secrets::masks(path).map(move |pattern| Finding {
        path: path.to_owned(),
        line: 0,
        pattern: pattern.to_owned(),
    })
}
