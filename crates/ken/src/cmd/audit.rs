//! `ken audit`: where credentials stand in the notes. It reads the files themselves, so that it
//! needs no index, and prints pattern and place only.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use kenning::secrets;
use kenning::vault::{Vault, decode};

use super::{Found, open};
use crate::args::{AuditArgs, AuditFormat, Place};
use crate::hint::Hinted;
use crate::render;
use crate::settings::Settings;
use crate::wire::FindingShape;

pub(super) fn run(settings: &Settings, place: &Place, args: &AuditArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let folder = located.vault.clone().ok_or_else(|| {
        Hinted::error(
            "no vault was named",
            "name the folder of notes with `--vault PATH`",
        )
    })?;
    let vault = Vault::open(&folder, located.rules)?;
    let findings = scan(&vault);
    match args.format {
        AuditFormat::Json => render::print_json(&findings)?,
        AuditFormat::Text => {
            let line = |f: &FindingShape| format!("{}:{}: {}\n", f.path, f.line, f.pattern);
            render::print(&findings.iter().map(line).collect::<String>())?;
            if !place.quiet {
                let n = render::counted(findings.len(), "credential");
                render::say(&format!("{n} in the notes"));
            }
        }
    }
    Ok(if findings.is_empty() {
        Found::Nothing
    } else {
        Found::Something
    })
}

/// Reads every note on all cores.
fn scan(vault: &Vault) -> Vec<FindingShape> {
    let files = vault.walk().found;
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..open::n_threads() {
            scope.spawn(|| {
                let mut own = Vec::new();
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(bytes) = vault.read(&file.path) else {
                        continue;
                    };
                    let Ok(text) = decode::text(bytes) else {
                        continue;
                    };
                    own.extend(
                        secrets::mask(text)
                            .1
                            .into_iter()
                            .map(|finding| FindingShape {
                                path: file.path.clone(),
                                line: finding.line,
                                pattern: finding.pattern,
                            }),
                    );
                }
                if let Ok(mut all) = all.lock() {
                    all.append(&mut own);
                }
            });
        }
    });
    let mut findings = all.into_inner().unwrap_or_default();
    findings.sort_by(|a, b| (&a.path, a.line, a.pattern).cmp(&(&b.path, b.line, b.pattern)));
    findings
}
