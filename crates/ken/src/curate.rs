//! Opens a vault to be changed: the one door from verbs and routes to the crate that does it. What was changed is
//! in the index at once, unless it is very much.

pub(crate) mod advice;
pub(crate) mod intake;
pub(crate) mod report;
pub(crate) mod tags;

use anyhow::Result;
use kenning::vault::Vault;
use kenning_curate::disk::Machine;
use kenning_curate::tags::rename::{self, Renamed};
use kenning_curate::write::{Batch, Run, Undone, Writer};

use crate::git;
use crate::hint::Hinted;
use crate::runtime::{self, How};
use crate::settings::Located;

/// What is kept beside an index so that changes can be undone.
const JOURNAL_SUFFIX: &str = ".undo";
/// Changed files that are indexed one by one; of more, the whole vault is compared.
const FILES_ONE_BY_ONE_MAX: usize = 8;
/// Changed files that are indexed at once; more are when the index is asked next, so that nobody waits twice.
const FILES_AT_ONCE_MAX: usize = 500;

/// A vault that may be changed.
pub(crate) struct Curator<'a> {
    located: &'a Located,
    pub(crate) vault: Vault,
    pub(crate) writer: Writer<'static>,
    /// What is to be told besides.
    pub(crate) notices: Vec<String>,
}

impl<'a> Curator<'a> {
    /// Opens the vault of a domain. A run that was stopped half-way is finished or taken back first.
    pub(crate) fn open(located: &'a Located) -> Result<Self> {
        let folder = located.vault.as_deref().ok_or_else(|| {
            Hinted::error(
                "only an index is known here, not the vault it was made from",
                "name the vault with `--vault PATH`",
            )
        })?;
        let vault = Vault::open(folder, located.rules.clone())?.with_git(git::log);
        let mut journal = located.store.as_os_str().to_owned();
        journal.push(JOURNAL_SUFFIX);
        let writer = Writer::new(&Machine, vault.root(), journal.as_ref());
        let recovered = writer.recover()?.into_iter();
        let notices = recovered.map(|run| {
            let became = if run.is_finished {
                "finished"
            } else {
                "taken back"
            };
            format!(
                "`ken {}` was stopped half-way before; it has been {became}",
                run.verb
            )
        });
        Ok(Self {
            located,
            notices: notices.collect(),
            vault,
            writer,
        })
    }

    /// Brings the index up to date with the vault, before it is asked.
    pub(crate) fn refresh(&self) -> Result<()> {
        runtime::reload(self.located, How::default(), &|_| {}).map(drop)
    }

    /// What is written where the domain does not look would never be found.
    pub(crate) fn refuse_left_out(&self, path: &str, hint: &str) -> Result<()> {
        match self.located.holds(path) || is_unsought(path) {
            true => Ok(()),
            false => Err(Hinted::error(
                format!("{path} is not part of the domain {}", self.located.name),
                hint,
            )),
        }
    }

    /// Makes all changes or none, and brings the index up to date with them.
    pub(crate) fn commit(&mut self, batch: &Batch) -> Result<Option<u64>> {
        let run = self.writer.commit(batch, runtime::now())?;
        let paths: Vec<&str> = (batch.changes().iter())
            .map(|change| &*change.path)
            .collect();
        self.index(&paths);
        Ok(run)
    }

    /// Takes a run back.
    pub(crate) fn undo(&mut self, which: Undone<'_>) -> Result<Run> {
        let run = self.writer.undo(which, runtime::now())?;
        let paths: Vec<&str> = run.paths.iter().map(String::as_str).collect();
        self.index(&paths);
        Ok(run)
    }

    /// Brings the index up to date. Trouble with it does not undo what was written.
    fn index(&mut self, paths: &[&str]) {
        let indexed = match paths.len() {
            n if n <= FILES_ONE_BY_ONE_MAX => {
                paths.iter().try_for_each(|path| self.index_one(path))
            }
            n if n <= FILES_AT_ONCE_MAX => {
                runtime::reload(self.located, How::default(), &|_| {}).map(drop)
            }
            _ => {
                let notice = "the index follows when it is asked next, or with `ken index`";
                self.notices.push(notice.to_owned());
                Ok(())
            }
        };
        if let Err(error) = indexed {
            let notice = format!("the index could not be brought up to date: {error:#}");
            self.notices.push(notice);
        }
    }

    fn index_one(&mut self, path: &str) -> Result<()> {
        if self.vault.stamp(path).is_some() && self.vault.find(path).is_none() {
            if is_unsought(path) {
                return Ok(());
            }
            self.notices.push(format!(
                "{path} is left out of the index, so it will not be found; `ken status` tells why"
            ));
            return Ok(());
        }
        runtime::update_file(self.located, &self.vault, path).map(drop)
    }
}

/// Whether nobody looks for what is written there: proposals, and the pictures of a report.
fn is_unsought(path: &str) -> bool {
    path == kenning_curate::tags::QUEUE || path.ends_with(".svg")
}

/// Whether a tag may get a name that others have already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renaming {
    /// It is an error: nobody could tell afterwards which notes had which.
    Alone,
    /// That is what is wanted.
    Merging,
}

/// Plans other names for tags.
pub(crate) fn rename_tags(
    curator: &Curator<'_>,
    pairs: &[(String, String)],
    how: Renaming,
) -> Result<Renamed> {
    let renames = rename::renames(pairs)?;
    let renamed = rename::plan(&curator.writer, &curator.vault, &renames)?;
    match renamed.merged.first() {
        Some(name) if how == Renaming::Alone && !renamed.batch.is_empty() => Err(Hinted::error(
            format!("there are notes with the tag #{name} already"),
            "`ken tags merge` makes one tag of two",
        )),
        _ => Ok(renamed),
    }
}
