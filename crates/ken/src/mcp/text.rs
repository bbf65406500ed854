//! What tools answer as readable text. Words from notes are quoted and carry their address, so that
//! they cannot be taken for words of this program; names of notes never begin a line.

use std::fmt::Write;

use crate::render::{FROM_NOTES, counted, quoted, told};
use crate::wire::{
    AskResponse, CheckedCitation, ContextResponse, GetOutput, LinksOutput, ListOutput, ListedNote,
    MultiGetOutput, RememberResponse, SearchOutput, StatusOutput, TraverseOutput, VerifyOutput,
    also_in,
};

pub(super) fn found(found: &SearchOutput) -> String {
    let mut out = String::new();
    match found.message {
        Some(message) => line(&mut out, format_args!("No passage was found: {message}.")),
        None => line(
            &mut out,
            format_args!(
                "{} for {:?}, {} evidence",
                counted(found.results.len(), "passage"),
                told(&found.query),
                found.evidence
            ),
        ),
    }
    for result in &found.results {
        let section = match &result.section {
            Some(section) => format!(" › {section}"),
            None => String::new(),
        };
        line(
            &mut out,
            format_args!(
                "\n{}. {}",
                result.rank,
                told(&format!("{}{section}", result.title))
            ),
        );
        let lines = result.start_line.zip(result.end_line);
        let lines = lines.map(|(start, end)| format!(", {}", lines_of(start, end)));
        let page = result.page.map(|page| format!(", page {page}"));
        let picture = result.picture.as_ref();
        let picture = picture.map(|picture| match *picture == result.path {
            true => ", read from a picture".to_owned(),
            false => format!(", read from the picture {}", told(picture)),
        });
        let date = result.date.as_ref().map(|date| format!(", {date}"));
        let memory = result.memory_type.map(|kind| format!(", {kind} memory"));
        let domain = result.domain.as_ref();
        let domain = domain.map(|domain| format!(", domain {}", told(domain)));
        let others = also_in(&result.also_in).map(|others| format!(", {others}"));
        line(
            &mut out,
            format_args!(
                "   in {}{}{}{}, id {}{}{}{}{}",
                told(&result.path),
                lines.unwrap_or_default(),
                page.unwrap_or_default(),
                picture.unwrap_or_default(),
                result.id,
                date.unwrap_or_default(),
                memory.unwrap_or_default(),
                domain.unwrap_or_default(),
                told(&others.unwrap_or_default())
            ),
        );
        let passage = result.text.as_ref().or(result.excerpt.as_ref());
        quote(&mut out, passage.map_or("", String::as_str));
    }
    let has_notes = !found.results.is_empty();
    notes(if has_notes { labelled(&out) } else { out }, &found.notices)
}

pub(super) fn context(context: &ContextResponse) -> String {
    let out = match context.blocks.is_empty() {
        true => "The notes do not say enough about it.\n".to_owned(),
        false => context.text.clone(),
    };
    notes(out, &context.notices)
}

pub(super) fn written(written: &RememberResponse) -> String {
    let lines = written.start_line.zip(written.end_line);
    let lines = lines.map(|(start, end)| format!(", {}", lines_of(start, end)));
    let out = format!(
        "Written down in {}{}, domain {}\n",
        told(&written.path),
        lines.unwrap_or_default(),
        told(&written.domain)
    );
    notes(out, &written.notices)
}

pub(super) fn answered(answered: &AskResponse) -> String {
    let mut out = String::new();
    match answered.message {
        Some(message) => line(&mut out, format_args!("{message}.")),
        None => line(&mut out, format_args!("{} evidence", answered.evidence)),
    }
    if let Some(answer) = &answered.answer {
        line(&mut out, format_args!("Answer: {:?}", told(answer)));
    }
    for sentence in &answered.sentences {
        let domain = sentence.domain.as_ref();
        let domain = domain.map(|domain| format!(", domain {}", told(domain)));
        line(
            &mut out,
            format_args!(
                "\n{}. in {}, id {}{}",
                sentence.rank,
                told(&sentence.place()),
                sentence.id,
                domain.unwrap_or_default()
            ),
        );
        quote(&mut out, &sentence.quote);
    }
    let has_notes = !answered.sentences.is_empty();
    notes(
        if has_notes { labelled(&out) } else { out },
        &answered.notices,
    )
}

pub(super) fn got(got: &GetOutput) -> String {
    let mut out = labelled("");
    write_got(&mut out, got);
    out.trim_end().to_owned()
}

fn write_got(out: &mut String, got: &GetOutput) {
    let passage = &got.passage;
    let lines = lines_of(passage.start_line, passage.end_line);
    line(
        out,
        format_args!(
            "Note {}\n   in {}, {lines} of {}, domain {}",
            told(&passage.title),
            told(&passage.path),
            passage.n_lines,
            told(&got.domain)
        ),
    );
    quote(out, &passage.text);
    for notice in &got.notices {
        line(out, format_args!("note: {}", told(notice)));
    }
}

pub(super) fn got_many(many: &MultiGetOutput) -> String {
    let mut out = labelled("");
    for got in &many.notes {
        write_got(&mut out, got);
        out.push('\n');
    }
    for missing in &many.missing {
        line(
            &mut out,
            format_args!("missing: {:?}: {}", missing.reference, told(&missing.error)),
        );
        if let Some(hint) = &missing.hint {
            line(&mut out, format_args!("   hint: {}", told(hint)));
        }
    }
    notes(out, &many.notices)
}

pub(super) fn linked(linked: &LinksOutput) -> String {
    let links = &linked.links;
    let mut out = labelled(&format!(
        "Links of {}, domain {}\n",
        told(&links.path),
        told(&linked.domain)
    ));
    for (name, list) in [
        ("leads to", &links.outgoing),
        ("linked from", &links.backlinks),
        ("leads nowhere", &links.unresolved),
    ] {
        if list.is_empty() {
            continue;
        }
        line(&mut out, format_args!("{name}:"));
        for link in list {
            let path = link.path.as_ref().unwrap_or(&link.target);
            line(
                &mut out,
                format_args!("   - {} (line {}, {})", told(path), link.line, link.kind),
            );
        }
    }
    notes(out, &linked.notices)
}

pub(super) fn reached(reached: &TraverseOutput) -> String {
    let mut out = labelled(&format!(
        "{} from {}, domain {}, {} walk of {}, {} left out\n",
        counted(reached.retained.len(), "note"),
        told(&reached.path),
        told(&reached.domain),
        reached.mode,
        counted(reached.hops_walked as usize, "hop"),
        reached.n_dropped
    ));
    for note in &reached.retained {
        let seen = &note.seen;
        line(
            &mut out,
            format_args!(
                "{}. {}\n   in {}, hop {}, similarity {}, way: {}",
                note.rank,
                told(&seen.title),
                told(&seen.path),
                seen.hop,
                seen.similarity,
                told(&seen.way.join(" → "))
            ),
        );
    }
    notes(out, &reached.notices)
}

pub(super) fn status(status: &StatusOutput) -> String {
    let mut out = format!("ken {}\n", status.version);
    for domain in &status.domains {
        let age = match domain.index_age_s {
            Some(age_s) => format!(", checked {age_s} s ago"),
            None => String::new(),
        };
        let state = match &domain.problem {
            Some(problem) => problem.clone(),
            None => format!(
                "{} notes, {} chunks, {} links{age}",
                domain.notes, domain.chunks, domain.links
            ),
        };
        let name = told(&domain.domain);
        line(&mut out, format_args!("- {name}: {}", told(&state)));
    }
    notes(out, &status.notices)
}

pub(super) fn listed(listed: &ListOutput) -> String {
    let mut out = labelled(&format!(
        "{} of {}, from number {}\n",
        counted(listed.notes.len(), "note"),
        listed.n_notes,
        listed.offset + 1
    ));
    for ListedNote { domain, note } in &listed.notes {
        let date = note.date.as_ref().map(|date| format!(", {date}"));
        line(
            &mut out,
            format_args!(
                "- {}: {} ({}{})",
                told(domain),
                told(&note.path),
                told(&note.title),
                told(&date.unwrap_or_default())
            ),
        );
    }
    notes(out, &listed.notices)
}

pub(super) fn checked(checked: &VerifyOutput) -> String {
    let mut out = labelled(&format!(
        "{}: {}\n",
        checked.checked.citations_status,
        counted(checked.checked.citations.len(), "citation")
    ));
    for verdict in &checked.checked.citations {
        write_verdict(&mut out, verdict);
    }
    notes(out, &checked.notices)
}

fn write_verdict(out: &mut String, verdict: &CheckedCitation) {
    let cited = verdict.cited.as_deref().unwrap_or("(names no note)");
    line(
        out,
        format_args!("{}: {}", verdict.citation_reason, told(cited)),
    );
    if let Some(words) = &verdict.quote {
        quote(out, words);
    }
    if let Some(found) = &verdict.found {
        let place = match (found.start_line.zip(found.end_line), found.page) {
            (Some((start, end)), _) => format!(", {}", lines_of(start, end)),
            (None, Some(page)) => format!(", page {page}"),
            (None, None) => String::new(),
        };
        line(
            out,
            format_args!("   stands in {}{place}", told(&found.path)),
        );
    }
    if let Some(problem) = &verdict.problem {
        line(out, format_args!("   problem: {}", told(problem)));
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = out.write_fmt(text);
    out.push('\n');
}

fn quote(out: &mut String, text: &str) {
    out.push_str(&quoted(text, true));
}

/// Says first whose words these are.
fn labelled(text: &str) -> String {
    format!("{FROM_NOTES}\n{text}")
}

fn notes(mut out: String, notices: &[String]) -> String {
    for notice in notices {
        line(&mut out, format_args!("note: {}", told(notice)));
    }
    out.trim_end().to_owned()
}

fn lines_of(start: u32, end: u32) -> String {
    if start == end {
        format!("line {start}")
    } else {
        format!("lines {start}-{end}")
    }
}
