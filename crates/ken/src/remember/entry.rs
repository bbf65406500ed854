//! What is added to the note of the day, in the line ends of the note. Pure.

/// What is added.
pub(super) struct Entry<'a> {
    /// Title of a note that is made for it.
    pub(super) title: &'a str,
    pub(super) heading: &'a str,
    pub(super) text: &'a str,
}

impl Entry<'_> {
    /// Returns the note with the entry at its end, and the first line of the entry's text. Line ends are those
    /// that the note has.
    pub(super) fn added_to(&self, before: Option<&str>) -> (String, u32) {
        let mut text = match before {
            Some(before) => before.to_owned(),
            None => format!("# {}\n", self.title),
        };
        let is_crlf = text.contains("\r\n") && !text.replace("\r\n", "").contains('\n');
        let end = if is_crlf { "\r\n" } else { "\n" };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(end);
        }
        if !text.is_empty() && !text.ends_with(&format!("{end}{end}")) {
            text.push_str(end);
        }
        text.push_str(&format!("## {}{end}{end}", self.heading));
        let start_line = text.matches('\n').count() as u32 + 1;
        for line in self.text.lines() {
            text.push_str(line);
            text.push_str(end);
        }
        (text, start_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry<'_> = Entry {
        title: "2026-11-18",
        heading: "09:15",
        text: "Esko repairs roofs.\nHe is away in May.",
    };

    #[test]
    fn an_entry_follows_the_line_ends_of_its_note() {
        let check = |before: Option<&str>, expected: &str, line: u32| {
            let (text, start_line) = ENTRY.added_to(before);
            assert_eq!((text.as_str(), start_line), (expected, line), "{before:?}");
        };
        let own = "## 09:15\n\nEsko repairs roofs.\nHe is away in May.\n";
        check(None, &format!("# 2026-11-18\n\n{own}"), 5);
        check(Some(""), own, 3);
        check(Some("a"), &format!("a\n\n{own}"), 5);
        check(Some("a\n\n"), &format!("a\n\n{own}"), 5);
        let crlf = own.replace('\n', "\r\n");
        check(Some("a\r\n"), &format!("a\r\n\r\n{crlf}"), 5);
    }
}
