//! Terminal output. Standard output carries data only; everything for people about the run goes
//! to standard error.

mod asked;
mod changes;
mod chat;
mod cited;
mod hits;
mod hooks;
mod intake;
mod lists;
mod map;
mod pager;
mod plain;
mod stream;
mod walk;
mod wrap;
mod written;

pub(crate) use asked::{asked, asked_markdown};
pub(crate) use changes::{doubts, link_figures, proposals, runs, suggestions, tag_figures};
pub(crate) use chat::{AnswerStream, conversations, show_answer, sources};
pub(crate) use cited::verdicts;
pub(crate) use hits::{Line, hit, hits, read_from, set_links, summary};
pub(crate) use hooks::receipt;
pub(crate) use intake::{intake, intake_figures, intake_stats, waiting};
pub(crate) use lists::{note, notes, tags, tasks};
pub(crate) use map::{atlas, map_svg};
pub(crate) use pager::{Pager, paged, set_pager};
pub(crate) use plain::{FROM_NOTES, block, inline, quoted, told, told_as_code};
pub(crate) use walk::traversal;
pub(crate) use written::{summed_up, written, written_markdown};

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use kenning::index::Report;

use crate::args::When;
use crate::hint;
use crate::wire::{self, LinksResponse, Passage, SearchResponse, StatusResponse};

const PATH: Style = AnsiColor::Cyan.on_default().bold();
const DIM: Style = Style::new().dimmed();
const MATCH: Style = AnsiColor::Yellow.on_default().bold();
const HEAD: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();

/// Files, warnings and credentials of one run that are told one by one.
const SHOWN_MAX: usize = 20;

/// Decides once whether colours are used, for both streams.
pub(crate) fn set_color(when: When) {
    match when {
        When::Auto => {}
        When::Always => anstream::ColorChoice::Always.write_global(),
        When::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Prints an error and what to do about it.
pub(crate) fn error(error: &anyhow::Error) {
    let mut err = anstream::stderr();
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let mut message = String::new();
    for cause in causes {
        // A cause that its outer error already spells out is not said twice.
        if !message.contains(&cause) {
            if !message.is_empty() {
                message.push_str(": ");
            }
            message.push_str(&cause);
        }
    }
    let _ = writeln!(err, "{BAD}error:{BAD:#} {}", inline(&message));
    if let Some(hint) = hint::of(error) {
        let _ = writeln!(err, "\n{HEAD}hint:{HEAD:#} {}", inline(&hint));
    }
}

/// Prints a line for people.
pub(crate) fn say(text: &str) {
    say_styled(&inline(text));
}

/// Prints a line whose styles are ours; what it says of others must have been made plain.
fn say_styled(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Writes data, without characters that a terminal obeys.
pub(crate) fn print(text: &str) -> Result<()> {
    write_out(&block(text))
}

/// Writes a text as it is, for programs; a terminal gets it plain.
pub(crate) fn print_text(text: &str) -> Result<()> {
    match io::stdout().is_terminal() {
        true => print(text),
        false => write_out(text),
    }
}

fn write_out(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a value as one line of JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    write_out(&plain::json(&(serde_json::to_string(value)? + "\n")))
}

/// Columns that text is wrapped to.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).clamp(20, 120))
}

/// Rows of the terminal that standard output is, if it is one.
pub(crate) fn height() -> Option<usize> {
    let size = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal());
    size.map(|(_, height)| usize::from(height.0))
}

/// Whether somebody sits at a terminal, at both ends.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Prints an answer as Markdown with whole passages.
pub(crate) fn markdown(answer: &SearchResponse) -> Result<()> {
    let mut out = String::new();
    for hit in &answer.hits {
        let others = wire::also_in(&hit.also_in);
        let others = others.map_or_else(String::new, |others| format!(" · {others}"));
        out += &format!(
            "### {}\n\n`{}` · {} · score {:.2}{}\n\n{}\n",
            inline(&hit.breadcrumb.join(" › ")),
            inline(&hit.place()).replace('`', "'"),
            hit.id,
            wire::two_digits(hit.score),
            inline(&others),
            // Quoted, a passage cannot be taken for part of the page around it.
            plain::quoted(&hit.read_text(), true)
        );
    }
    print(&out)
}

/// Prints a passage, with line numbers if asked for; on a terminal through the pager.
pub(crate) fn passage(passage: &Passage, line_numbers: bool) -> Result<()> {
    let mut out = String::new();
    for (number, line) in (passage.start_line..).zip(passage.text.lines()) {
        if line_numbers {
            out += &format!("{number:>5}  {line}\n");
        } else {
            out += line;
            out.push('\n');
        }
    }
    match (io::stdout().is_terminal(), line_numbers) {
        (true, _) => paged(&block(&out)),
        (false, true) => print(&out),
        (false, false) => write_out(&out),
    }
}

/// Says what an index run did.
pub(crate) fn report(report: &Report, seconds: f64, quiet: bool) {
    for file in report
        .skipped
        .iter()
        .take(if quiet { 0 } else { SHOWN_MAX })
    {
        let (path, reason) = (inline(&file.path), inline(&file.reason));
        say_styled(&format!("{BAD}skipped{BAD:#} {path}: {reason}"));
    }
    for file in report
        .unembedded
        .iter()
        .take(if quiet { 0 } else { SHOWN_MAX })
    {
        let (path, reason) = (inline(&file.path), inline(&file.reason));
        say_styled(&format!("{BAD}no vector{BAD:#} {path}: {reason}"));
    }
    for (path, line, message) in report
        .warnings
        .iter()
        .take(if quiet { 0 } else { SHOWN_MAX })
    {
        let (path, message) = (inline(path), inline(message));
        say_styled(&format!("{DIM}warning{DIM:#} {path}:{line}: {message}"));
    }
    if quiet {
        return;
    }
    let hidden = report.skipped.len().saturating_sub(SHOWN_MAX)
        + report.warnings.len().saturating_sub(SHOWN_MAX);
    if hidden > 0 {
        say_styled(&format!(
            "{DIM}… and {hidden} more; `ken status` lists all{DIM:#}"
        ));
    }
    if let Some(rebuild) = &report.rebuilt {
        let reason = wire::rebuild_reason(rebuild);
        let reason = inline(&reason);
        say_styled(&format!("{DIM}indexed everything: {reason}{DIM:#}"));
    }
    say_counts(report, seconds);
    for (path, line, pattern) in report.masked.iter().take(SHOWN_MAX) {
        let path = inline(path);
        say_styled(&match line {
            0 => format!("{DIM}masked{DIM:#} {path}: in its name"),
            line => format!("{DIM}masked{DIM:#} {path}:{line}: {pattern}"),
        });
    }
    if !report.masked.is_empty() {
        let n = counted(report.masked.len(), "credential");
        say_styled(&format!(
            "{DIM}{n} masked before anything was stored; `ken audit` lists where{DIM:#}"
        ));
    }
}

fn say_counts(report: &Report, seconds: f64) {
    let mut parts = Vec::new();
    for (n, what) in [
        (report.n_added, "added"),
        (report.n_changed, "changed"),
        (report.n_renamed, "renamed"),
        (report.n_removed, "removed"),
        (report.n_unchanged, "unchanged"),
        (report.n_by_others, "by another ken"),
        (report.skipped.len(), "skipped"),
        (report.n_pictures, "with pictures read"),
    ] {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    }
    let done = match (report.is_stopped, report.is_undone) {
        (false, _) => "indexed",
        (true, false) => "stopped early; kept",
        (true, true) => "stopped early; left out",
    };
    let parts = if parts.is_empty() {
        "no notes found".to_owned()
    } else {
        parts.join(", ")
    };
    say_styled(&format!(
        "{GOOD}{done}{GOOD:#} {parts} · {} chunks · {:.1} MB in {seconds:.2} s",
        report.n_chunks,
        report.n_bytes as f64 / 1e6
    ));
}

/// `1 note`, `2 notes`.
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Prints the state of an index for people.
pub(crate) fn status(status: &StatusResponse) -> Result<()> {
    let languages: Vec<String> = status
        .languages
        .iter()
        .map(|(code, n)| format!("{code} {n}"))
        .collect();
    let age = status
        .index_age_s
        .map_or("never".to_owned(), |age| ago(age) + " ago");
    let mut out = String::new();
    for (name, value) in [
        (
            "vault",
            status.vault.clone().unwrap_or_else(|| "unknown".to_owned()),
        ),
        (
            "index",
            match status.bytes {
                // A server does not say.
                0 => status.store.clone(),
                bytes => format!("{} ({:.1} MB)", status.store, bytes as f64 / 1e6),
            },
        ),
        ("checked", age),
        ("notes", status.notes.to_string()),
        ("chunks", status.chunks.to_string()),
        ("links", status.links.to_string()),
        ("languages", languages.join(", ")),
        (
            "model",
            match (&status.model, status.adapted) {
                (None, _) => "none".to_owned(),
                (Some(model), false) => model.clone(),
                (Some(model), true) => format!("{model}, adapted to the notes"),
            },
        ),
        ("masked", counted(status.masked as usize, "credential")),
    ]
    .into_iter()
    .chain(status.reads_again.iter().map(|reader| {
        let (model, n, of) = (&reader.model, reader.with_vector, reader.passages);
        ("reader", format!("{model}: {n} of {of} vectors"))
    })) {
        out += &format!("{name:<10} {}\n", inline(&value));
    }
    for notice in &status.notices {
        out += &format!("note       {notice}\n");
    }
    out += &left_out(status);
    for file in &status.skipped {
        let (path, reason) = (inline(&file.path), inline(&file.reason));
        out += &format!("skipped    {path}: {reason}\n");
    }
    for warning in &status.warnings {
        let (path, message) = (inline(&warning.path), inline(&warning.message));
        out += &format!("warning    {path}:{}: {message}\n", warning.line);
    }
    print(&out)
}

/// Says what rules left out and which files are of no kind that is read.
fn left_out(status: &StatusResponse) -> String {
    let mut out = String::new();
    for rule in &status.left_out {
        let more = rule.n - rule.paths.len();
        let more = if more > 0 {
            format!(" … and {more} more")
        } else {
            String::new()
        };
        out += &format!(
            "left out   {}: {}{more}\n",
            inline(&rule.rule),
            inline(&rule.paths.join(", "))
        );
    }
    if !status.other_files.is_empty() {
        let kinds: Vec<String> = status
            .other_files
            .iter()
            .map(|(kind, n)| {
                format!(
                    "{n} {}",
                    if kind.is_empty() {
                        "without extension"
                    } else {
                        kind
                    }
                )
            })
            .collect();
        let kinds = kinds.join(", ");
        out += &format!("left out   kinds that are not read: {}\n", inline(&kinds));
    }
    out
}

/// Prints the links around a note for people.
pub(crate) fn links(links: &LinksResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for (title, list) in [
        ("links to", &links.outgoing),
        ("linked from", &links.backlinks),
        ("leads nowhere", &links.unresolved),
    ] {
        if list.is_empty() {
            continue;
        }
        writeln!(out, "{HEAD}{title}{HEAD:#}")?;
        for link in list {
            let anchor = link
                .anchor
                .as_ref()
                .map_or(String::new(), |anchor| format!("#{anchor}"));
            let path = inline(link.path.as_deref().unwrap_or(&link.target));
            let anchor = inline(&anchor);
            writeln!(
                out,
                "  {PATH}{path}{PATH:#}{anchor} {DIM}line {} · {}{DIM:#}",
                link.line, link.kind
            )?;
        }
    }
    out.flush()?;
    Ok(())
}

/// A time span as people say it.
pub(crate) fn ago(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
