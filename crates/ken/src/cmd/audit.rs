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
use crate::settings::{Located, Settings};
use crate::wire::Finding;

pub(super) fn run(settings: &Settings, place: &Place, args: &AuditArgs) -> Result<Found> {
    let places = settings.locate_all(place)?;
    let is_one = places.len() == 1;
    let mut all = Scan::default();
    for located in places {
        let found = scan(&opened(&located)?);
        let named = found.findings.into_iter().map(|finding| Finding {
            domain: (!is_one).then(|| located.name.clone()),
            ..finding
        });
        all.findings.extend(named);
        all.n_unreadable += found.n_unreadable;
    }
    match args.format {
        AuditFormat::Json => render::print_json(&all.findings)?,
        AuditFormat::Text => show(&all, place.quiet)?,
    }
    // A check passes where there is nothing to find.
    Ok(if all.findings.is_empty() != args.check {
        Found::Nothing
    } else {
        Found::Something
    })
}

fn opened(located: &Located) -> Result<Vault> {
    let folder = located.vault.as_ref().ok_or_else(|| {
        Hinted::error(
            "no vault was named",
            "name the folder of notes with `--vault PATH`",
        )
    })?;
    Ok(Vault::open(folder, located.rules.clone())?)
}

/// Prints places; where several domains were looked at, with the domain of each.
fn show(all: &Scan, is_quiet: bool) -> Result<()> {
    let line = |f: &Finding| {
        let path = render::inline(&f.path);
        let domain = f.domain.as_ref();
        let domain = domain.map_or(String::new(), |name| format!("[{name}] "));
        match f.line {
            0 => format!("{domain}{path}: {} in its name\n", f.pattern),
            line => format!("{domain}{path}:{line}: {}\n", f.pattern),
        }
    };
    render::print(&all.findings.iter().map(line).collect::<String>())?;
    if is_quiet {
        return Ok(());
    }
    let n_findings = render::counted(all.findings.len(), "credential");
    render::say(&format!("{n_findings} in the notes"));
    if all.n_unreadable > 0 {
        let n_files = render::counted(all.n_unreadable, "file");
        render::say(&format!("{n_files} could not be read"));
    }
    Ok(())
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
                            domain: None,
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
        domain: None,
        path: path.to_owned(),
        line: 0,
        pattern: pattern.to_owned(),
    })
}
