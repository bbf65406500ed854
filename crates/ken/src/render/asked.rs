//! An extracted answer, for people and as Markdown: each sentence, and below it where it stands.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use super::hits::link;
use super::wrap::{pieces, wrap};
use super::{DIM, HEAD, PATH, inline, plain, print, say_styled, width};
use crate::wire::AskResponse;

/// Prints an answer for people.
pub(crate) fn asked(answer: &AskResponse, vault: Option<&Path>, quiet: bool) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if answer.is_weak() && !quiet {
        say_styled(&format!(
            "{HEAD}Your notes hardly say.{HEAD:#} This is what is nearest:\n"
        ));
    }
    for sentence in &answer.sentences {
        let is_answer = |at: usize| {
            let answer = sentence.answer();
            answer.is_some_and(|(from, to)| (from..to).contains(&at))
        };
        let pieces = pieces(&sentence.quote, is_answer);
        for line in wrap(&pieces, width().saturating_sub(2)) {
            writeln!(out, "{line}")?;
        }
        let place = sentence.place();
        let lines = inline(&place[sentence.path.len()..]).into_owned();
        let path = link(&sentence.path, vault, sentence.start_line);
        let crumbs = inline(&sentence.breadcrumb.join(" › ")).into_owned();
        writeln!(out, "  {PATH}{path}{lines}{PATH:#}{DIM}  {crumbs}{DIM:#}\n")?;
    }
    out.flush()?;
    if quiet {
        return Ok(());
    }
    for notice in &answer.notices {
        say_styled(&format!("{HEAD}hint:{HEAD:#} {}", inline(notice)));
    }
    if answer.sentences.is_empty() {
        say_styled("Your notes do not say.");
    }
    if answer.is_weak() && !answer.deep {
        say_styled(&format!(
            "{HEAD}hint:{HEAD:#} `ken ask --deep` also looks in the notes around these"
        ));
    }
    let (evidence, took_ms) = (answer.evidence, answer.took_ms);
    if !answer.sentences.is_empty() {
        say_styled(&format!(
            "{DIM}{evidence} evidence · {took_ms:.1} ms{DIM:#}"
        ));
    }
    Ok(())
}

/// Prints an answer as Markdown: quotes with the answer in bold, and where each stands.
pub(crate) fn asked_markdown(answer: &AskResponse) -> Result<()> {
    let mut out = String::new();
    if let Some(message) = answer.message {
        let mut chars = message.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string());
        out += &format!("*{}{}.*\n\n", first.unwrap_or_default(), chars.as_str());
    }
    for sentence in &answer.sentences {
        let quote = sentence.marked();
        let place = inline(&sentence.place()).replace('`', "'");
        let crumbs = inline(&sentence.breadcrumb.join(" › ")).into_owned();
        out += &format!(
            "{}\n— `{place}` · {crumbs}\n\n",
            plain::quoted(&quote, true).trim_end()
        );
    }
    print(&out)
}
