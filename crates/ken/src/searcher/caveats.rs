//! What those who ask should know of an index: that it is not finished, or that it keeps notes whose
//! files are gone. Each says what to type.

use kenning::index::{self, Report, Withheld};
use kenning::store::Store;

use crate::settings::Located;

/// Returns what is to be said of an index, for people.
pub(crate) fn of(located: &Located, store: &Store) -> kenning::Result<Vec<String>> {
    let caveats = index::caveats(store)?;
    let unfinished = caveats.unfinished.map(|(n_notes, n_total)| {
        let command = command(located, "");
        if n_total == 0 {
            return format!("the index is not finished: nothing is in it yet; `{command}` goes on");
        }
        format!(
            "the index is not finished: {n_notes} of {n_total} notes are in it; `{command}` goes on"
        )
    });
    let withheld = caveats.withheld.map(|why| withheld(located, &why));
    let vectors = without_vectors(located, caveats.n_without_vector);
    let pictures = unread(located, caveats.n_unread);
    Ok([unfinished, withheld, vectors, pictures]
        .into_iter()
        .flatten()
        .collect())
}

/// Returns what is to be said of a run, for people.
pub(crate) fn of_run(located: &Located, report: &Report) -> Vec<String> {
    let again = command(located, "");
    let n_done = report.n_found.saturating_sub(report.n_left);
    let n_found = report.n_found;
    let stopped = match (report.is_stopped, report.is_undone) {
        (false, _) => None,
        (true, false) if report.n_left == 0 => Some("stopped: every note is indexed".to_owned()),
        (true, true) => Some(format!(
            "stopped after {n_done} of {n_found} notes; the index is as it was before, and `{again} --full` begins again"
        )),
        (true, false) => Some(format!(
            "stopped: {n_done} of {n_found} notes are indexed as they are now, {} are missing; `{again}` goes on",
            report.n_left
        )),
    };
    let elsewhere = report.is_elsewhere.then(|| {
        "the vault lies on another file system than before; this is remembered".to_owned()
    });
    let withheld = report.withheld.as_ref().map(|why| withheld(located, why));
    let vectors = without_vectors(located, report.n_without_vector);
    let pictures = unread(located, report.unread.len());
    [stopped, elsewhere, withheld, vectors, pictures]
        .into_iter()
        .flatten()
        .collect()
}

/// Says that vectors are missing, and what to do about it.
fn without_vectors(located: &Located, n: usize) -> Option<String> {
    let again = command(located, "");
    let (passages, have, are) = match n {
        0 => return None,
        1 => ("passage", "has no vector", "is"),
        _ => ("passages", "have no vectors", "are"),
    };
    Some(format!(
        "{n} {passages} {have} yet and {are} found by words only; `{again}` makes them"
    ))
}

/// Says that pictures wait to be read, and what to do about it.
fn unread(located: &Located, n: usize) -> Option<String> {
    let again = command(located, "");
    let (files, have) = match n {
        0 => return None,
        1 => ("file", "has pictures that are"),
        _ => ("files", "have pictures that are"),
    };
    Some(format!(
        "{n} {files} {have} not read yet, only found by name; `{again}` reads them"
    ))
}

/// Says why notes are kept that are gone, and what to do about it.
pub(crate) fn withheld(located: &Located, why: &Withheld) -> String {
    let accept = command(located, " --accept-removals");
    match why {
        Withheld::Removals { n_gone, n_known } => format!(
            "{n_gone} of {n_known} notes are gone at once, as if a disk or a cloud folder were not there; \
             they stay in the index until they are back. If they were removed on purpose, run `{accept}`"
        ),
        Withheld::OtherFileSystem { n_gone, n_known } => format!(
            "the vault lies on another file system than before, and {n_gone} of {n_known} notes are not there; \
             the index is left as it was. If this is the right one, run `{accept}`"
        ),
        Withheld::Closed { reason } => {
            format!("the vault cannot be read ({reason}); the index is left as it was")
        }
    }
}

/// Returns what to type for this index and no other.
fn command(located: &Located, options: &str) -> String {
    let mut command = format!("ken index{options}");
    if let Some(vault) = &located.vault {
        command += &format!(" {}", shell_word(&vault.to_string_lossy()));
    }
    if !located.is_own_place {
        command += &format!(" --store {}", shell_word(&located.store.to_string_lossy()));
    }
    command
}

/// Writes a word so that a shell takes it as it is.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,@%".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_typed_can_be_typed() {
        assert_eq!(shell_word("/home/jo/notes"), "/home/jo/notes");
        assert_eq!(shell_word("/home/jo/my notes"), "'/home/jo/my notes'");
        assert_eq!(shell_word("it's $HOME"), r"'it'\''s $HOME'");
    }
}
