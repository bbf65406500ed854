//! The outline of a note: its headings, with where they stand. Made once, when the note is read; whoever
//! has to know what a heading is, in the whole of a note or in a passage of it, reads it here. Pure.
//!
//! Headings inside quotes and lists do not begin a section and are not part of it, and neither is what only
//! looks like a heading in code.

use std::ops::Range;

/// A heading and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Text without markup.
    pub text: String,
    /// Bytes that it takes in the note, from the start of its first line on.
    pub range: Range<usize>,
    /// 1-based line of the note's text that it begins on.
    pub line: u32,
}

impl Heading {
    /// Returns the heading as it is written in the text of its note, without the marks around it.
    pub(crate) fn written<'t>(&self, text: &'t str) -> &'t str {
        let lines = text.get(self.range.clone()).unwrap_or_default();
        let first = lines.lines().next().unwrap_or_default();
        first.trim().trim_matches('#').trim()
    }
}

/// Returns the headings from `first` on that stand below it, and how many there are with it.
pub(crate) fn n_in_section(headings: &[Heading], first: usize) -> usize {
    let below = headings[first + 1..].iter();
    let level = headings[first].level;
    1 + below.take_while(|heading| heading.level > level).count()
}

/// Returns where the headings of a passage stand in it; the passage takes the bytes `passage` of its note.
pub(crate) fn headings_in(headings: &[Heading], passage: &Range<usize>) -> Vec<Range<usize>> {
    let first = headings.partition_point(|heading| heading.range.start < passage.start);
    let inside = headings[first..].iter().map(|heading| &heading.range);
    inside
        .take_while(|range| range.start < passage.end)
        .map(|range| range.start - passage.start..range.end.min(passage.end) - passage.start)
        .collect()
}

/// Returns the heading that stands on a line of the same text, or goes on there.
pub(crate) fn heading_on<'h>(
    headings: &'h [Range<usize>],
    line: &Range<usize>,
) -> Option<&'h Range<usize>> {
    let next = headings.partition_point(|heading| heading.end <= line.start);
    headings
        .get(next)
        .filter(|heading| heading.start < line.end)
}

/// Returns where the headings of a Markdown text stand, as its note would know them: for a passage whose note
/// is not at hand.
pub(crate) fn of_markdown(text: &str) -> Vec<Range<usize>> {
    let (clean, _) = crate::secrets::mask(text.to_owned());
    let (note, _) = super::parse("a.md", clean, super::Format::Markdown);
    match note.text.len() == text.len() {
        true => headings_in(&note.headings, &(0..text.len())),
        false => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_told_from_what_looks_like_them() {
        let check = |text: &str| -> Vec<String> {
            let headings = of_markdown(text).into_iter();
            headings
                .map(|range| text[range].trim().to_owned())
                .collect()
        };
        assert_eq!(
            check("# One\n\ntext\n\n## Two ##\n"),
            ["# One", "## Two ##"]
        );
        assert_eq!(
            check("```sh\n# comment\n```\n# One\n~~~\n# no\n~~~\n"),
            ["# One"]
        );
        assert_eq!(
            check("One\n===\n\nTwo\nmore\n---\n"),
            ["One\n===", "Two\nmore\n---"]
        );
        assert_eq!(check("text\n\n    # code\n\n   # One\n"), ["# One"]);
        assert!(check("> # quoted\n\n- # in a list\n\n1. ## there\n\n#tag\n").is_empty());
        assert!(check("%%\n# hidden\n%%\n\n<!--\n# hidden\n-->\n").is_empty());
    }

    #[test]
    fn headings_know_their_lines() {
        let text = "---\na: b\n---\n\n# One\n\nTwo\n---\n```\n# no\n```\n### Three";
        let (clean, _) = crate::secrets::mask(text.to_owned());
        let (note, _) = super::super::parse("a.md", clean, super::super::Format::Markdown);
        let lines: Vec<(u32, &str)> = (note.headings.iter())
            .map(|heading| (heading.line, heading.written(&note.text)))
            .collect();
        assert_eq!(lines, [(5, "One"), (7, "Two"), (12, "Three")]);
        assert_eq!(n_in_section(&note.headings, 0), 3);
        assert_eq!(n_in_section(&note.headings, 1), 2);
    }

    #[test]
    fn a_passage_has_the_headings_that_begin_in_it() {
        let text = "# One\na\n# Two\nb\n";
        let headings = of_markdown(text);
        assert_eq!(heading_on(&headings, &(6..8)), None);
        assert_eq!(heading_on(&headings, &(8..14)), Some(&headings[1]));
    }
}
