//! Pictures that notes embed, and those that wait to be read: what a picture says belongs to the notes that
//! show it. Reading takes seconds, so it is done when everything else is stored.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering;

use super::changed::{Todo, write_changed};
use super::gone::Known;
use super::prepare::Tools;
use super::report::{Progress, Report, Stage};
use super::understand::{Understood, understand};
use super::{IndexContext, Plan};
use crate::chunk::{self, Chunk};
use crate::error::Result;
use crate::extract::{Extracted, Kind, Reader, Trouble};
use crate::links::Files;
use crate::note::{Format, Heading, LinkKind, Note};
use crate::secrets::Finding;
use crate::store::{LinksOf, Select, Store, StoreWriter, Wanted};
use crate::vault::{Found, Source};

/// Files with pictures that nobody read yet, as a JSON list of paths.
const UNREAD: &str = "unread_pictures";
/// Files that are read between two commits.
const STEP_FILES: usize = 8;
/// Pictures of one note that are read for it. A gallery says little.
const PICTURES_OF_NOTE_MAX: usize = 64;

/// Whether files of this name are pictures.
fn is_picture(path: &str) -> bool {
    Format::of(path).is_some_and(Format::is_picture)
}

/// What is known of pictures while notes are prepared.
pub(super) struct Pictures {
    files: Files,
    has_any: bool,
    /// Notes that are taken again though they did not change: a picture of theirs did.
    pub(super) again: BTreeSet<String>,
    /// Whether pictures are read now, however long it takes.
    pub(super) is_patient: bool,
}

impl Pictures {
    /// Takes the paths of a vault's notes.
    pub(super) fn among<'p>(paths: impl Iterator<Item = &'p String>) -> Self {
        let paths: Vec<String> = paths.filter(|path| is_picture(path)).cloned().collect();
        Self {
            has_any: !paths.is_empty(),
            files: Files::new(paths),
            again: BTreeSet::new(),
            is_patient: false,
        }
    }
}

/// Reads pictures, too, where somebody has the time.
pub(super) struct Patient<'r>(pub(super) &'r dyn Reader);

impl Reader for Patient<'_> {
    fn read(&self, kind: Kind, path: &str, bytes: Vec<u8>) -> Result<Extracted, Trouble> {
        self.0.read_pictures(kind, path, bytes)
    }
}

/// A picture that a note shows, as a note of its own, and the line it is shown on.
pub(super) struct Shown {
    line: u32,
    note: Note,
}

/// Reads the pictures that a note shows. What cannot be read is told by the picture itself.
pub(super) fn shown(
    pictures: &Pictures,
    source: &dyn Source,
    reader: &dyn Reader,
    path: &str,
    understood: &mut Understood,
) -> Vec<Shown> {
    let mut shown = Vec::new();
    if !pictures.has_any {
        return shown;
    }
    let mut seen = BTreeSet::new();
    for link in &understood.note.links {
        let is_shown = link.kind == LinkKind::Embed && is_picture(&link.target);
        let found = is_shown.then(|| pictures.files.resolve(path, &link.target));
        let Some(picture) = found.flatten().filter(|picture| seen.insert(*picture)) else {
            continue;
        };
        if seen.len() > PICTURES_OF_NOTE_MAX {
            break;
        }
        let read = (source.read(picture)).and_then(|bytes| understand(picture, bytes, reader));
        if let Ok(read) = read {
            understood.is_unread |= read.is_unread;
            let on_line = |finding: Finding| Finding {
                line: link.line,
                ..finding
            };
            understood
                .masked
                .extend(read.masked.into_iter().map(on_line));
            shown.push(Shown {
                line: link.line,
                note: read.note,
            });
        }
    }
    shown
}

/// Adds what pictures say to the note that shows them, behind its own text. The file stays as it stands, and
/// their passages lie on the line that shows the picture, under its heading.
pub(super) fn append(note: &mut Note, shown: Vec<Shown>, profile: chunk::Profile) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for Shown { line, note: of } in shown {
        if of.text.trim().is_empty() {
            continue;
        }
        note.own.get_or_insert_with(|| note.text.clone());
        note.text.push_str("\n\n");
        let start = note.text.len();
        note.text.push_str(&of.text);
        let heading = heading_above(&note.headings, line);
        chunks.extend(chunk::chunk(&of, profile).into_iter().map(|chunk| Chunk {
            range: chunk.range.start + start..chunk.range.end + start,
            start_line: line,
            end_line: line,
            heading,
            ..chunk
        }));
    }
    chunks
}

fn heading_above(headings: &[Heading], line: u32) -> Option<usize> {
    headings
        .partition_point(|heading| heading.line <= line)
        .checked_sub(1)
}

/// Returns the paths of files that came, changed or went.
pub(super) fn differing<'p>(found: &'p [Found], known: &'p Known) -> Vec<&'p str> {
    let mut gone: HashSet<&str> = known.keys().map(String::as_str).collect();
    let mut differing = Vec::new();
    for file in found {
        gone.remove(file.path.as_str());
        let before = known.get(&file.path);
        if before.is_none_or(|(stamp, _)| *stamp != file.stamp) {
            differing.push(file.path.as_str());
        }
    }
    differing.extend(gone);
    differing
}

/// Returns notes as they were found last.
pub(super) fn known_among(known: &Known, paths: &BTreeSet<String>) -> Vec<Found> {
    let found = |path: &String| {
        let (stamp, _) = *known.get(path)?;
        let path = path.clone();
        Some(Found { path, stamp })
    };
    paths.iter().filter_map(found).collect()
}

/// Returns the notes that show one of these pictures, or one of that name.
pub(super) fn showing(cx: &IndexContext<'_>, changed: &[&str]) -> Result<BTreeSet<String>> {
    let names: BTreeSet<String> = (changed.iter())
        .filter(|path| is_picture(path))
        .map(|path| name_of(path))
        .collect();
    if names.is_empty() {
        return Ok(BTreeSet::new());
    }
    let store = cx.store.read()?;
    let links = store.links(LinksOf::Every)?.into_iter();
    let sources: BTreeSet<_> = links
        .filter(|link| link.kind == LinkKind::Embed && names.contains(&name_of(&link.target)))
        .map(|link| link.source)
        .collect();
    let sources: Vec<_> = sources.into_iter().collect();
    let notes = store.select(Select::Notes(&sources), Wanted::NAMES)?;
    Ok(notes.iter().map(|note| note.path.clone()).collect())
}

fn name_of(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_lowercase()
}

/// Returns the files that wait to have their pictures read.
pub(super) fn unread(fact: Option<&str>) -> BTreeSet<String> {
    fact.and_then(|paths| serde_json::from_str(paths).ok())
        .unwrap_or_default()
}

/// Returns how many files wait, as an index remembers it.
pub(super) fn n_unread(store: &Store) -> Result<usize> {
    Ok(unread(store.meta()?.fact(UNREAD)).len())
}

/// Begins a run with what waits from the run before.
pub(super) fn recall(writer: &StoreWriter, report: &mut Report) -> Result<()> {
    report.unread = unread(writer.meta()?.fact(UNREAD));
    Ok(())
}

/// Notes down what waits.
pub(super) fn note_down(writer: &mut StoreWriter, report: &Report) -> Result<()> {
    let paths = serde_json::to_string(&report.unread).unwrap_or_default();
    let value = (!report.unread.is_empty()).then_some(paths.as_str());
    match writer.meta()?.fact(UNREAD) == value {
        true => Ok(()),
        false => writer.set_fact(UNREAD, value),
    }
}

/// Reads what waits, if there is time: the pictures themselves first, so that those who show them find them read.
pub(super) fn fill(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    plan: &Plan,
    report: &mut Report,
) -> Result<()> {
    if report.unread.is_empty() || !cx.options.reads_pictures {
        return Ok(());
    }
    let known: Known = writer.known(None)?;
    let mut waiting = known_among(&known, &report.unread);
    waiting.sort_by_key(|found| !is_picture(&found.path));
    let n_total = waiting.len();
    for (n_done, step) in waiting.chunks(STEP_FILES).enumerate() {
        if cx.stop.load(Ordering::Relaxed) {
            report.is_stopped = true;
            break;
        }
        (cx.progress)(Progress {
            stage: Stage::Pictures,
            n_done: n_done * STEP_FILES,
            n_total,
            n_bytes: report.n_bytes,
        });
        let mut pictures = Pictures::among(known.keys());
        pictures.again = step.iter().map(|found| found.path.clone()).collect();
        pictures.is_patient = true;
        let mut told = Report {
            unread: std::mem::take(&mut report.unread),
            ..Report::default()
        };
        let step: Vec<&Found> = step.iter().collect();
        let todo = Todo {
            changed: &step,
            pictures: &pictures,
            known: &known,
        };
        write_changed(cx, writer, plan, &todo, &mut told)?;
        report.n_pictures += told.n_changed;
        report.warnings.append(&mut told.warnings);
        report.masked.append(&mut told.masked);
        report.skipped.append(&mut told.skipped);
        report.unread = told.unread;
        note_down(writer, report)?;
        writer.commit(cx.now)?;
    }
    Ok(())
}

/// What the workers read files with.
pub(super) fn read(tools: &Tools<'_>, path: &str, bytes: Vec<u8>) -> Result<Read, String> {
    let patient = Patient(tools.reader);
    let reader: &dyn Reader = match tools.pictures.is_patient {
        true => &patient,
        false => tools.reader,
    };
    let mut understood = understand(path, bytes, reader)?;
    let shown = shown(tools.pictures, tools.source, reader, path, &mut understood);
    Ok(Read { understood, shown })
}

/// A file with the pictures it shows.
pub(super) struct Read {
    pub(super) understood: Understood,
    pub(super) shown: Vec<Shown>,
}
