//! Takes the files that changed: workers prepare them on all cores, one thread writes them, in order. Where others write
//! into the same index, each takes what nobody else does.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::gone::Known;
use super::pictures::{self, Pictures};
use super::prepare::{self, Group, Outcome, Tools, Written};
use super::report::{Progress, Report, Stage};
use super::{IndexContext, Plan};
use crate::error::Result;
use crate::store::{Claim, Claims, StoreWriter};
use crate::vault::{Found, Stamp};

/// Notes that a worker takes at once; enough to fill an embedding batch.
const GROUP_NOTES: usize = 32;
/// Groups that may be prepared ahead of the one that is written next; a file that takes long would
/// otherwise fill the memory with what follows it.
const GROUPS_AHEAD_MAX: usize = 24;

/// What is to be taken.
pub(super) struct Todo<'a, 'f> {
    pub(super) changed: &'a [&'f Found],
    pub(super) pictures: &'a Pictures,
    /// What the index has of them.
    pub(super) known: &'a Known,
}

/// Whom the work is shared with.
#[derive(Clone, Copy, Default)]
struct Sharing<'a> {
    claims: Option<&'a dyn Claims>,
    /// Whether there is nothing else left to do.
    waits: bool,
}

/// Takes changed notes, whoever else does so at the same time. What others are at is waited for: it is theirs, unless
/// they go away.
pub(super) fn write_shared(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    plan: &Plan,
    todo: &Todo<'_, '_>,
    report: &mut Report,
) -> Result<()> {
    note_settings(cx, writer, plan)?;
    // Where every note is taken again, that one is in the index says nothing.
    let claims = match plan.is_full() && !plan.is_reset {
        true => None,
        false => writer.claims()?,
    };
    let mut sharing = Sharing {
        claims: claims.as_deref(),
        waits: false,
    };
    let mut left = take(cx, writer, plan, todo, sharing, report)?;
    sharing.waits = true;
    while !left.is_empty() && !cx.stop.load(Ordering::Relaxed) {
        let rest = Todo {
            changed: &left,
            ..*todo
        };
        left = take(cx, writer, plan, &rest, sharing, report)?;
    }
    report.is_stopped = cx.stop.load(Ordering::Relaxed) && report.n_left > 0;
    Ok(())
}

/// Takes changed notes, all of them.
pub(super) fn write_changed(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    plan: &Plan,
    todo: &Todo<'_, '_>,
    report: &mut Report,
) -> Result<()> {
    note_settings(cx, writer, plan)?;
    take(cx, writer, plan, todo, Sharing::default(), report)?;
    report.is_stopped = cx.stop.load(Ordering::Relaxed) && report.n_left > 0;
    Ok(())
}

fn note_settings(cx: &IndexContext<'_>, writer: &mut StoreWriter, plan: &Plan) -> Result<()> {
    match plan.is_full() {
        true => writer.set_fact("settings", Some(cx.options.profile.name())),
        false => Ok(()),
    }
}

/// Prepares notes on all threads and writes them in order; returns those that others are at.
fn take<'f>(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    plan: &Plan,
    todo: &Todo<'_, 'f>,
    sharing: Sharing<'_>,
    report: &mut Report,
) -> Result<Vec<&'f Found>> {
    if todo.changed.is_empty() {
        return Ok(Vec::new());
    }
    let encoder = writer.encoder()?;
    let committed = writer.committed()?;
    let mut tools = Tools::new(cx, &encoder, todo.known, &committed, todo.pictures);
    tools.is_full = plan.is_full();
    let group_notes = match todo.pictures.is_patient {
        true => 1,
        false => GROUP_NOTES,
    };
    let groups: Vec<&[&'f Found]> = todo.changed.chunks(group_notes).collect();
    let next = AtomicUsize::new(0);
    let is_failed = AtomicBool::new(false);
    let written = Written::default();
    let n_threads = cx.options.n_threads.clamp(1, groups.len());
    std::thread::scope(|scope| {
        let (sender, receiver) = crossbeam_channel::bounded(2 * n_threads);
        for _ in 0..n_threads {
            let sender = sender.clone();
            let (tools, groups, next, is_failed) = (&tools, &groups, &next, &is_failed);
            let written = &written;
            scope.spawn(move || {
                loop {
                    if cx.stop.load(Ordering::Relaxed) || is_failed.load(Ordering::Relaxed) {
                        return;
                    }
                    // Whoever takes a number sends its group: others may wait for it.
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= groups.len() {
                        return;
                    }
                    written.wait_until(number.saturating_sub(GROUPS_AHEAD_MAX));
                    let part = part(tools, sharing, groups[number]);
                    if sender.send((number, part)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut output = Output {
            cx,
            writer,
            is_first: plan.is_first,
            claims: sharing.claims,
            n_total: todo.changed.len(),
            n_done: 0,
            n_held: 0,
            report,
        };
        let done = output.write_all(receiver, &written);
        is_failed.store(done.is_err(), Ordering::Relaxed);
        // Nobody waits for what will not be written.
        written.set(usize::MAX);
        done
    })
}

/// What became of the files of a group.
struct GroupPart<'a> {
    group: Group,
    /// Claimed for it.
    claimed: Vec<&'a Found>,
    /// How many others have done.
    n_by_others: usize,
    /// Those that others are at.
    left: Vec<&'a Found>,
}

/// Claims the files of a group and prepares those that were not claimed before.
fn part<'a>(tools: &Tools<'_>, sharing: Sharing<'_>, files: &[&'a Found]) -> Result<GroupPart<'a>> {
    let Some(claims) = sharing.claims else {
        return Ok(GroupPart {
            group: prepare::group(tools, files)?,
            claimed: Vec::new(),
            n_by_others: 0,
            left: Vec::new(),
        });
    };
    // What is taken again though its file did not change looks as if it were done.
    let is_again = |file: &&&Found| tools.pictures.again.contains(&file.path);
    let mut own: Vec<&Found> = files.iter().filter(is_again).copied().collect();
    let asked: Vec<&Found> = (files.iter().copied())
        .filter(|file| !is_again(&file))
        .collect();
    let named: Vec<(&str, Stamp)> = (asked.iter())
        .map(|file| (file.path.as_str(), file.stamp))
        .collect();
    let answers = claims.take(&named, sharing.waits)?;
    let of = |wanted: Claim| {
        let pairs = asked.iter().zip(&answers);
        let files = pairs.filter(move |(_, claim)| **claim == wanted);
        files.map(|(file, _)| *file).collect::<Vec<&Found>>()
    };
    let claimed = of(Claim::Own);
    own.extend(&claimed);
    Ok(GroupPart {
        group: prepare::group(tools, &own)?,
        claimed,
        n_by_others: of(Claim::Done).len(),
        left: of(Claim::Others),
    })
}

type Prepared<'a> = (usize, Result<GroupPart<'a>>);

/// Where groups go.
struct Output<'a> {
    cx: &'a IndexContext<'a>,
    writer: &'a mut StoreWriter,
    is_first: bool,
    claims: Option<&'a dyn Claims>,
    n_total: usize,
    n_done: usize,
    /// Bytes of text since the last step.
    n_held: u64,
    report: &'a mut Report,
}

impl Output<'_> {
    /// Writes groups in their order, whatever order they were prepared in; returns the files that others are at.
    fn write_all<'f>(
        &mut self,
        receiver: crossbeam_channel::Receiver<Prepared<'f>>,
        written: &Written,
    ) -> Result<Vec<&'f Found>> {
        let mut early: HashMap<usize, GroupPart<'f>> = HashMap::new();
        let mut next = 0;
        let mut left = Vec::new();
        self.report.n_left = self.n_total;
        for (number, part) in receiver {
            early.insert(number, part?);
            while let Some(mut part) = early.remove(&next) {
                next += 1;
                written.set(next);
                left.append(&mut part.left);
                self.write(part)?;
            }
        }
        Ok(left)
    }

    fn write(&mut self, part: GroupPart<'_>) -> Result<()> {
        let Group { outcomes, notes } = part.group;
        self.writer.put(notes)?;
        for outcome in outcomes {
            let n_bytes = write_outcome(self.writer, outcome, self.report)?;
            self.n_held += n_bytes;
            self.report.n_bytes += n_bytes;
            self.tell(1);
        }
        if part.n_by_others > 0 {
            self.report.n_by_others += part.n_by_others;
            self.tell(part.n_by_others);
        }
        if let Some(claims) = self.claims {
            let paths: Vec<&str> = (part.claimed.iter())
                .map(|file| file.path.as_str())
                .collect();
            claims.release(&paths)?;
        }
        if self.n_held >= self.cx.options.step_bytes {
            pictures::note_down(self.writer, self.report)?;
            match self.is_first {
                true => self.writer.commit(self.cx.now)?,
                false => self.writer.flush()?,
            }
            self.n_held = 0;
        }
        Ok(())
    }

    fn tell(&mut self, n: usize) {
        self.n_done += n;
        self.report.n_left -= n;
        (self.cx.progress)(Progress {
            stage: Stage::Notes,
            n_done: self.n_done,
            n_total: self.n_total,
            n_bytes: self.report.n_bytes,
        });
    }
}

/// Writes down what became of a file; returns the bytes of text it had.
fn write_outcome(writer: &mut StoreWriter, outcome: Outcome, report: &mut Report) -> Result<u64> {
    match outcome {
        Outcome::Taken(taken) => {
            report.n_added += usize::from(taken.is_new);
            report.n_changed += usize::from(!taken.is_new);
            report.n_chunks += taken.n_chunks;
            report.warnings.extend(taken.warnings);
            report.masked.extend(taken.masked);
            match taken.is_unread {
                true => report.unread.insert(taken.path),
                false => report.unread.remove(&taken.path),
            };
            Ok(taken.n_bytes)
        }
        Outcome::Same { path, stamp } => {
            report.n_unchanged += 1;
            writer.touch(&path, stamp, prepare::file_date(stamp).as_deref())?;
            Ok(0)
        }
        // The last good version stays: the file may only be out of reach for a moment.
        Outcome::Unreadable(skipped) => {
            report.skipped.push(skipped);
            Ok(0)
        }
    }
}
