//! Hits for people: where each stands, the headings above it, its best sentences; and what is said below.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;

use anyhow::Result;
use unicode_width::UnicodeWidthStr;

use super::wrap::{broken_path, pieces, wrap};
use super::{DIM, HEAD, MATCH, PATH, inline, say_styled, width};
use crate::wire::{self, Hit, SearchResponse};

/// Columns before everything but the number of a hit.
const INDENT: usize = 3;

/// One line of a note that is shown around a match.
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) text: String,
    /// Whether it is a match, and not only beside one.
    pub(crate) is_meant: bool,
    /// Whether lines were left out before it.
    pub(crate) is_after_gap: bool,
}

/// Prints every hit of an answer.
pub(crate) fn hits(answer: &SearchResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for one in &answer.hits {
        writeln!(out, "{}", hit(one, None, None, width()))?;
    }
    out.flush()?;
    Ok(())
}

/// Says what is to be said of an answer, and how much of it was shown.
pub(crate) fn summary(answer: &SearchResponse, n_shown: usize, n_found: usize) {
    for notice in &answer.notices {
        say_styled(&format!("{HEAD}hint:{HEAD:#} {}", inline(notice)));
    }
    // Notes may say it, though no hit is good enough for who asked.
    if n_found == 0 && answer.evidence != "none" && !answer.notices.is_empty() {
        return;
    }
    let hits = match (n_shown, n_found) {
        (1, 1) => "1 hit".to_owned(),
        (n, of) if n < of => format!("{n} of {of} hits, `--all` shows more"),
        (n, _) => format!("{n} hits"),
    };
    say_styled(&match (n_found, answer.evidence) {
        (0, _) => "Your notes do not seem to say anything about this.".to_owned(),
        (_, evidence) => {
            let took_ms = answer.took_ms;
            format!("{DIM}{hits} · {evidence} evidence · {took_ms:.1} ms{DIM:#}")
        }
    });
}

/// Shows a hit on several lines; in place of its excerpt the lines around what was found, if they are given.
pub(crate) fn hit(hit: &Hit, vault: Option<&Path>, lines: Option<&[Line]>, width: usize) -> String {
    let mut out = head(hit, vault, width);
    let room = width.saturating_sub(INDENT);
    let names = inline(&hit.breadcrumb.join(" › ")).into_owned();
    for line in wrap(&pieces(&names, |_| false), room) {
        out += &format!("   {HEAD}{line}{HEAD:#}\n");
    }
    let is_marked = |at: usize| {
        hit.highlights
            .iter()
            .any(|&(start, end)| (start..end).contains(&at))
    };
    match lines {
        Some(lines) => out += &numbered(lines, room),
        None => {
            for line in wrap(&pieces(&hit.excerpt, is_marked), room) {
                out += &format!("   {line}\n");
            }
        }
    }
    if let Some(picture) = read_from(hit) {
        for line in wrap(&pieces(&picture, |_| false), room) {
            out += &format!("   {DIM}{line}{DIM:#}\n");
        }
    }
    if let Some(others) = wire::also_in(&hit.also_in) {
        for line in wrap(&pieces(&others, |_| false), room) {
            out += &format!("   {DIM}{line}{DIM:#}\n");
        }
    }
    out + &explanation(hit)
}

/// Says that a passage was read from a picture, and from which if it is another file.
pub(crate) fn read_from(hit: &Hit) -> Option<String> {
    let picture = hit.picture.as_ref()?;
    Some(match *picture == hit.path {
        true => "read from a picture".to_owned(),
        false => format!("read from the picture {}", inline(picture)),
    })
}

/// The first line of a hit: number, domain, path, lines, date, id and score. What is too long for a terminal
/// goes on below, inside of the indent.
fn head(hit: &Hit, vault: Option<&Path>, width: usize) -> String {
    let lines = match (hit.start_line.zip(hit.end_line), hit.page) {
        (Some((start, end)), _) => format!(":{start}-{end}"),
        (None, Some(page)) => format!(" page {page}"),
        (None, None) => String::new(),
    };
    let domain = hit
        .domain
        .as_deref()
        .map(|domain| format!("[{}] ", inline(domain)));
    let domain = domain.unwrap_or_default();
    let date = inline(hit.date.as_deref().unwrap_or_default()).into_owned();
    let score = wire::two_digits(hit.score);
    let rest = format!("  {date}  {}  {score:.2}", hit.id);
    let path = inline(&hit.path);
    let is_terminal = std::io::stdout().is_terminal();
    let room = match is_terminal {
        true => width.saturating_sub(INDENT + domain.width()).max(16),
        false => usize::MAX,
    };
    // The lines stay behind the path.
    let parts = broken_path(&path, room.saturating_sub(lines.width()).max(8));
    let last_width = parts.last().map_or(0, |part| part.width()) + lines.width();
    let vault = vault.filter(|_| is_terminal);
    let url = vault.map(|vault| address(vault, &hit.path, hit.start_line));
    let parts = parts.into_iter().map(|part| linked(part, url.as_deref()));
    let path = parts.collect::<Vec<_>>().join("\n   ");
    let rank = hit.rank;
    let head = format!("{DIM}{rank:>2} {domain}{DIM:#}{PATH}{path}{PATH:#}{DIM}{lines}{DIM:#}");
    match last_width.saturating_add(rest.width()) <= room {
        true => format!("{head}{DIM}{rest}{DIM:#}\n"),
        false => format!("{head}\n   {DIM}{}{DIM:#}\n", rest.trim_start()),
    }
}

/// Lines with their numbers, as grep prints them.
fn numbered(lines: &[Line], room: usize) -> String {
    let mut out = String::new();
    let digits = lines.last().map_or(1, |line| line.number.to_string().len());
    for line in lines {
        if line.is_after_gap {
            out += &format!("   {DIM}…{DIM:#}\n");
        }
        let (number, style) = (line.number, if line.is_meant { MATCH } else { DIM });
        let text = inline(&line.text).into_owned();
        let width = room.saturating_sub(digits + 2);
        // Code keeps its blanks as long as it fits.
        let parts = match text.width() > width {
            true => wrap(&pieces(&text, |_| false), width),
            false => vec![text],
        };
        for (at, part) in parts.into_iter().enumerate() {
            out += &match at {
                0 => format!(
                    "   {style}{number:>digits$}{style:#}  {part}
"
                ),
                _ => format!(
                    "   {:>digits$}  {part}
",
                    ""
                ),
            };
        }
    }
    out
}

fn explanation(hit: &Hit) -> String {
    let mut out = String::new();
    for stage in hit.explain.iter().flatten() {
        let sign = match stage.effect {
            "adds" => "+",
            "times" => "×",
            "at most" => "≤",
            _ => "=",
        };
        let (name, value, score) = (stage.stage, stage.value, stage.score);
        let detail = inline(&stage.detail);
        out += &format!("   {DIM}{name:<12} {sign} {value:.4}  → {score:.4}  {detail}{DIM:#}\n");
    }
    out
}

/// How the addresses of notes are written, with `{path}` and `{line}`.
static LINK_TEMPLATE: OnceLock<String> = OnceLock::new();

/// Decides once how terminals open notes.
pub(crate) fn set_links(template: &str) {
    LINK_TEMPLATE.get_or_init(|| template.to_owned());
}

/// Returns the address of a note's file that a terminal opens, at a line.
fn address(vault: &Path, path: &str, line: Option<u32>) -> String {
    let full = vault.join(path);
    let encoded: Vec<String> = full
        .to_string_lossy()
        .split('/')
        .map(wire::encode)
        .collect();
    let template = LINK_TEMPLATE.get().map_or("", String::as_str);
    let line = line.unwrap_or(1).to_string();
    template
        .replace("{path}", &encoded.join("/"))
        .replace("{line}", &line)
}

/// A text that terminals open an address by.
fn linked(text: &str, url: Option<&str>) -> String {
    match url.filter(|url| !url.is_empty()) {
        Some(url) => format!("\x1b]8;;{}\x1b\\{text}\x1b]8;;\x1b\\", inline(url)),
        None => text.to_owned(),
    }
}

/// A path that terminals can open.
pub(super) fn link(path: &str, vault: Option<&Path>, line: Option<u32>) -> String {
    let is_terminal = std::io::stdout().is_terminal();
    let url = vault
        .filter(|_| is_terminal)
        .map(|vault| address(vault, path, line));
    linked(&inline(path), url.as_deref())
}
