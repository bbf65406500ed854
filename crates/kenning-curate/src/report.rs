//! The health of a vault as a note: what came in, what is never found, what was asked and not answered, what leads nowhere, and
//! how it grew; with small pictures. Pure: who has the figures writes them down.

use std::fmt::Write as _;

/// Entries of each list.
const LISTED_MAX: usize = 20;
/// Months that are drawn.
const MONTHS_MAX: usize = 24;

/// Figures of one day, kept so that growth can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// `YYYY-MM-DD`.
    pub day: String,
    /// Notes.
    pub n_notes: usize,
    /// Links between notes.
    pub n_links: usize,
    /// Links that lead nowhere.
    pub n_dead: usize,
    /// Tags that may be wrong.
    pub n_doubts: usize,
}

/// Everything that is reported.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// What the vault is called.
    pub name: String,
    /// Today, and days of earlier reports, the oldest first and today last.
    pub history: Vec<Snapshot>,
    /// Notes of each month that has any, the oldest first.
    pub months: Vec<(String, usize)>,
    /// What came in since the last report, by what became of it.
    pub came_in: Vec<(String, usize)>,
    /// Notes that were made of it.
    pub new_notes: Vec<String>,
    /// Items that wait for somebody.
    pub n_waiting: usize,
    /// Questions that were asked; `None` if they are not kept.
    pub n_questions: Option<usize>,
    /// Those that the notes did not answer, with how often each was asked, the most first.
    pub unanswered: Vec<(String, usize)>,
    /// Notes that no question has found, those that are linked most first.
    pub never_found: Vec<String>,
    /// Links that lead nowhere: note, line and target.
    pub dead: Vec<(String, u32, String)>,
    /// Tags that may be wrong: tag, notes and what is wrong.
    pub doubts: Vec<(String, usize, String)>,
}

/// Pictures of a report: what the name of each file ends in, what it shows, and its SVG.
pub fn pictures(health: &Health) -> Vec<(&'static str, &'static str, String)> {
    let mut pictures = Vec::new();
    let months = health.months.iter().rev().take(MONTHS_MAX).rev();
    let months: Vec<(String, usize)> = months.cloned().collect();
    if !months.is_empty() {
        pictures.push(("months", "Notes by month", bars("Notes by month", &months)));
    }
    if health.history.len() > 1 {
        let growth = health.history.iter().rev().take(MONTHS_MAX).rev();
        let growth: Vec<(String, usize)> = growth.map(|at| (at.day.clone(), at.n_notes)).collect();
        pictures.push((
            "growth",
            "Notes at each report",
            bars("Notes at each report", &growth),
        ));
    }
    if !health.came_in.is_empty() {
        let title = "What came in";
        pictures.push(("intake", title, bars(title, &health.came_in)));
    }
    pictures
}

/// Writes the report. `stem` is what the files of its pictures begin with.
pub fn markdown(health: &Health, stem: &str) -> String {
    let mut out = String::new();
    let now = health.history.last().cloned().unwrap_or_default();
    // Writing into a string cannot fail.
    let _ = writeln!(
        out,
        "---\ndate: {}\nkenning: report\n---\n# Report of {}, {}\n",
        now.day,
        code(&health.name),
        now.day
    );
    growth(health, &now, &mut out);
    for (ending, title, _) in pictures(health) {
        let _ = writeln!(out, "![{title}]({stem}-{ending}.svg)\n");
    }
    came_in(health, &mut out);
    questions(health, &mut out);
    let dead = health
        .dead
        .iter()
        .map(|(path, line, target)| format!("{} line {line} → {}", code(path), code(target)));
    list(
        &mut out,
        "Links that lead nowhere",
        "Every link leads somewhere.",
        dead.collect(),
    );
    let doubts = health.doubts.iter().map(|(tag, n, reason)| {
        format!(
            "{} in {n} {}: {}",
            code(tag),
            if *n == 1 { "note" } else { "notes" },
            plain(reason)
        )
    });
    list(
        &mut out,
        "Tags that may be wrong",
        "Every tag is in the vocabulary.",
        doubts.collect(),
    );
    out
}

fn growth(health: &Health, now: &Snapshot, out: &mut String) {
    let _ = writeln!(
        out,
        "{} notes with {} links between them.",
        now.n_notes, now.n_links
    );
    let before = health
        .history
        .len()
        .checked_sub(2)
        .map(|at| &health.history[at]);
    if let Some(before) = before {
        let change = |now: usize, before: usize| match now.cmp(&before) {
            std::cmp::Ordering::Equal => "as many".to_owned(),
            std::cmp::Ordering::Greater => format!("{} more", now - before),
            std::cmp::Ordering::Less => format!("{} fewer", before - now),
        };
        let _ = writeln!(
            out,
            "Since the report of {}: {} notes, {} links, {} links that lead nowhere.",
            before.day,
            change(now.n_notes, before.n_notes),
            change(now.n_links, before.n_links),
            change(now.n_dead, before.n_dead),
        );
    }
    out.push('\n');
}

fn came_in(health: &Health, out: &mut String) {
    let counts: Vec<String> = health
        .came_in
        .iter()
        .map(|(what, n)| format!("{n} {what}"))
        .collect();
    let _ = writeln!(out, "## What came in\n");
    match counts.is_empty() {
        true => out.push_str("Nothing since the last report.\n\n"),
        false => {
            let _ = writeln!(out, "{}.\n", counts.join(", "));
        }
    }
    if health.n_waiting > 0 {
        let _ = writeln!(out, "{} wait for `ken intake review`.\n", health.n_waiting);
    }
    lines(
        out,
        health.new_notes.iter().map(|path| code(path)).collect(),
    );
}

fn questions(health: &Health, out: &mut String) {
    let _ = writeln!(out, "## Questions without an answer\n");
    let Some(n_questions) = health.n_questions else {
        out.push_str("Questions are not kept (`questions` under `[report]`).\n\n");
        return;
    };
    let _ = writeln!(
        out,
        "{n_questions} questions were asked, {} of them without an answer.\n",
        health.unanswered.iter().map(|(_, n)| n).sum::<usize>()
    );
    let asked = health.unanswered.iter().map(|(question, n)| match n {
        1 => code(question),
        n => format!("{} ({n} times)", code(question)),
    });
    lines(out, asked.collect());
    if n_questions > 0 {
        let never = health.never_found.iter().map(|path| code(path));
        let title = "Never found";
        list(
            out,
            title,
            "Every note was found by some question.",
            never.collect(),
        );
    }
}

fn list(out: &mut String, title: &str, none: &str, entries: Vec<String>) {
    let _ = writeln!(out, "## {title}\n");
    if entries.is_empty() {
        let _ = writeln!(out, "{none}\n");
    }
    lines(out, entries);
}

fn lines(out: &mut String, entries: Vec<String>) {
    let n = entries.len();
    for entry in entries.into_iter().take(LISTED_MAX) {
        let _ = writeln!(out, "- {entry}");
    }
    if n > LISTED_MAX {
        let _ = writeln!(out, "- and {} more", n - LISTED_MAX);
    }
    if n > 0 {
        out.push('\n');
    }
}

/// What comes from notes and questions stands in code, so that it makes no link, tag or heading of its own.
fn code(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    format!("`{}`", line.join(" ").replace('`', "'"))
}

fn plain(text: &str) -> String {
    text.replace(['#', '[', ']', '`', '<', '\n'], " ")
}

/// Draws a bar for each figure.
fn bars(title: &str, figures: &[(String, usize)]) -> String {
    const HEIGHT: f32 = 120.0;
    const STEP: f32 = 26.0;
    let most = figures.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1) as f32;
    let width = 20.0 + STEP * figures.len() as f32;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {:.0}\" width=\"{width:.0}\" role=\"img\" font-family=\"sans-serif\" font-size=\"8\"><title>{}</title>\n",
        HEIGHT + 60.0,
        escaped(title)
    );
    for (at, (name, n)) in figures.iter().enumerate() {
        let x = 10.0 + STEP * at as f32;
        let height = HEIGHT * *n as f32 / most;
        let y = 12.0 + HEIGHT - height;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"#4c78a8\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#777\">{n}</text><text transform=\"translate({:.1} {:.1}) rotate(-60)\" text-anchor=\"end\" fill=\"#777\">{}</text>",
            STEP - 6.0,
            x + 10.0,
            y - 3.0,
            x + 13.0,
            HEIGHT + 20.0,
            escaped(name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_notes_say_makes_no_markup_of_its_own() {
        let at = |day: &str, n_notes| Snapshot {
            day: day.to_owned(),
            n_notes,
            ..Snapshot::default()
        };
        let health = Health {
            name: "v\n# x".to_owned(),
            history: vec![at("2024-01-01", 3), at("2024-02-01", 5)],
            months: vec![("2024-01".to_owned(), 2), ("<b>".to_owned(), 3)],
            n_questions: Some(4),
            unanswered: vec![("[[link]] `#tag`\n# heading".to_owned(), 2)],
            dead: vec![("a.md".to_owned(), 7, "[[x]]".to_owned())],
            ..Health::default()
        };
        let text = markdown(&health, "2024-02-01");
        assert!(
            text.contains("- `[[link]] '#tag' # heading` (2 times)"),
            "{text}"
        );
        assert!(
            text.contains("Since the report of 2024-01-01: 2 more notes, as many links"),
            "{text}"
        );
        assert!(
            text.contains("4 questions were asked, 2 of them without an answer"),
            "{text}"
        );
        let (clean, _) = kenning::secrets::mask(text);
        let (note, _) = kenning::note::parse("r.md", clean, kenning::note::Format::Markdown);
        assert!(note.tags.is_empty(), "{:?}", note.tags);
        assert_eq!(note.headings.len(), 6, "{:?}", note.headings);
        let pictures = pictures(&health);
        assert_eq!(pictures.len(), 2);
        assert!(pictures[0].2.contains("&lt;b>") && !pictures[0].2.contains("<b>"));
    }
}
