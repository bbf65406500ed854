//! `ken doctor`: checks everything a search depends on, and says what it found.

mod pictures;
mod providers;

use anyhow::Result;
use kenning::vault::Vault;

use super::Found;
use crate::args::Place;
use crate::hint::{self, Hinted};
use crate::render;
use crate::runtime;
use crate::searcher::caveats;
use crate::settings::{Located, Settings};

pub(super) fn run(settings: &Settings, place: &Place, deep: bool) -> Result<Found> {
    let mut checks = Checks::default();
    let exists = if settings.file.exists() {
        ""
    } else {
        " (none, defaults apply)"
    };
    checks.good("settings", &format!("{}{exists}", settings.file.display()));
    checks.good("data", &settings.data_dir.display().to_string());
    match settings.locate_all(place) {
        Ok(all) => {
            let is_one = all.len() == 1;
            for located in &all {
                if !is_one {
                    checks.good("domain", &located.name);
                }
                check_model(runtime::Model::of(located), &mut checks);
                check_place(located, deep, &mut checks);
            }
        }
        Err(error) => {
            check_model(runtime::Model::load(settings), &mut checks);
            checks.bad("vault", &error);
        }
    }
    pictures::check(settings, place, &mut checks);
    providers::check(settings, &mut checks);
    render::print(&checks.lines)?;
    Ok(if checks.n_bad == 0 {
        Found::Something
    } else {
        Found::Nothing
    })
}

#[derive(Default)]
struct Checks {
    lines: String,
    n_bad: usize,
}

impl Checks {
    fn good(&mut self, what: &str, found: &str) {
        self.lines += &format!("ok    {what:<9} {}\n", render::inline(found));
    }

    fn bad(&mut self, what: &str, error: &anyhow::Error) {
        self.n_bad += 1;
        let message = hint::with_causes(error);
        self.lines += &format!("BAD   {what:<9} {}\n", render::inline(&message));
        if let Some(hint) = hint::of(error) {
            self.lines += &format!("                hint: {}\n", render::inline(&hint));
        }
    }
}

fn check_model(model: Result<runtime::Model>, checks: &mut Checks) {
    let embed = || -> Result<String> {
        let model = model?;
        let model = model.embedder()?;
        let near = model.embed_query("a cat sat on the mat")?;
        let length: f32 = near.iter().map(|x| x * x).sum();
        anyhow::ensure!(
            (length - 1.0).abs() < 0.01,
            "the model gives vectors of length {length}"
        );
        Ok(model.id().to_string())
    };
    match embed() {
        Ok(id) => checks.good("model", &id),
        Err(error) => checks.bad("model", &error),
    }
}

fn check_place(located: &Located, deep: bool, checks: &mut Checks) {
    if let Some(folder) = &located.vault {
        match Vault::open(folder, located.rules.clone()) {
            Ok(vault) => {
                let walk = vault.walk();
                let found = format!(
                    "{} ({} notes, {} skipped)",
                    vault.root().display(),
                    walk.found.len(),
                    walk.skipped.len()
                );
                checks.good("vault", &found);
            }
            Err(error) => checks.bad("vault", &error.into()),
        }
    }
    let verify = || -> Result<(String, Vec<String>, Vec<String>)> {
        let store = runtime::store(located)?;
        let status = store.status()?;
        let found = format!(
            "{} ({} notes, {} chunks{})",
            located.store_name().display(),
            status.n_notes,
            status.n_chunks,
            if deep { ", all of it read" } else { "" }
        );
        let mut problems = store.verify()?;
        let differences = match deep && problems.is_empty() {
            true => store.cross_check()?,
            false => Vec::new(),
        };
        problems.extend(caveats::of(located, &store)?);
        Ok((found, problems, differences))
    };
    let (found, problems, differences) = match verify() {
        Ok(verified) => verified,
        Err(error) => return checks.bad("index", &error),
    };
    if problems.is_empty() && differences.is_empty() {
        checks.good("index", &found);
    }
    for problem in problems {
        checks.bad("index", &Hinted::error(problem, "run `ken index`"));
    }
    // An update would only replace what changed in the vault.
    let anew = match located.remote {
        Some(_) => "run `ken index --full`, which makes it anew".to_owned(),
        None => format!(
            "remove {} and run `ken index`, which makes it anew",
            located.store_name().display()
        ),
    };
    for difference in differences {
        checks.bad("index", &Hinted::error(difference, &anew));
    }
}
