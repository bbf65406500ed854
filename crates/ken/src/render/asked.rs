//! An extracted answer, for people and as Markdown: each sentence, and below it where it stands.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use super::{DIM, HEAD, PATH, inline, link, plain, print, say_styled, width, wrap};
use crate::wire::{AskResponse, AskedSentence};

/// Prints an answer for people.
pub(crate) fn asked(answer: &AskResponse, vault: Option<&Path>, quiet: bool) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if answer.is_weak() && !quiet {
        say_styled(&format!(
            "{HEAD}Your notes hardly say.{HEAD:#} This is what is nearest:\n"
        ));
    }
    for sentence in &answer.sentences {
        for line in wrap(&marked(sentence), width().saturating_sub(2)) {
            writeln!(out, "{line}")?;
        }
        let place = sentence.place();
        let lines = inline(&place[sentence.path.len()..]).into_owned();
        let path = link(&sentence.path, vault);
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

/// The words of a sentence, and which of them are the answer.
fn marked(sentence: &AskedSentence) -> Vec<(String, bool)> {
    let is_answer = |at: usize| {
        sentence
            .answer()
            .is_some_and(|(from, to)| (from..to).contains(&at))
    };
    let mut words: Vec<(String, bool)> = Vec::new();
    let (mut word, mut is_marked) = (String::new(), false);
    for (at, c) in sentence.quote.chars().enumerate() {
        if c.is_whitespace() {
            words.push((std::mem::take(&mut word), is_marked));
            is_marked = false;
        } else {
            word.push(c);
            is_marked |= is_answer(at);
        }
    }
    words.push((word, is_marked));
    words
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
        let quote = bold(sentence);
        let place = inline(&sentence.place()).replace('`', "'");
        let crumbs = inline(&sentence.breadcrumb.join(" › ")).into_owned();
        out += &format!(
            "{}\n— `{place}` · {crumbs}\n\n",
            plain::quoted(&quote, true).trim_end()
        );
    }
    print(&out)
}

fn bold(sentence: &AskedSentence) -> String {
    let Some((from, to)) = sentence.answer() else {
        return sentence.quote.clone();
    };
    let mut out = String::new();
    for (at, c) in sentence.quote.chars().enumerate() {
        if at == from {
            out += "**";
        }
        out.push(c);
        if at + 1 == to {
            out += "**";
        }
    }
    out
}
