//! Markdown without the HTML in it: for those who read a passage, not for those who quote it. Pure.

use std::borrow::Cow;

use super::inline;

/// Returns a passage of Markdown without tags, and without the empty lines that comments and styles leave.
/// Code stays as it is.
pub(in crate::search) fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut prose = String::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let marks = ["```", "~~~"];
        let mark = (marks.into_iter()).find(|mark| line.trim_start().starts_with(mark));
        if mark.is_none() && fence.is_none() {
            prose.push_str(line);
            prose.push('\n');
            continue;
        }
        push_prose(&std::mem::take(&mut prose), &mut out);
        push_line(line, &mut out);
        if mark.is_some() && fence.is_none_or(|open| Some(open) == mark) {
            fence = mark.filter(|_| fence.is_none());
        }
    }
    push_prose(&prose, &mut out);
    out.truncate(out.trim_end().len());
    out
}

fn push_prose(prose: &str, out: &mut String) {
    // What begins a line needs no blank in front.
    let mut read = String::from("\n");
    let mut rest = prose;
    while let Some(at) = rest.find(['`', '<']) {
        read.push_str(&rest[..at]);
        rest = &rest[at..];
        let after = match rest.starts_with('`') {
            true => code(rest, &mut read),
            false => inline::element(rest, &mut read),
        };
        rest = after.unwrap_or_else(|| {
            read.push_str(&rest[..1]);
            &rest[1..]
        });
    }
    read.push_str(rest);
    for line in read[1..].lines().map(str::trim_end) {
        // One empty line parts as well as three.
        if !line.is_empty() || !out.is_empty() && !out.ends_with("\n\n") {
            push_line(&without_gaps(line), out);
        }
    }
}

/// Closes the gaps that comments leave in a line; the cells of tables keep theirs.
fn without_gaps(line: &str) -> Cow<'_, str> {
    let text = line.trim_start();
    if !text.contains("   ") || text.contains(['|', '`']) {
        return Cow::Borrowed(line);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    Cow::Owned(format!(
        "{}{}",
        &line[..line.len() - text.len()],
        words.join(" ")
    ))
}

/// Appends code inside a line with its marks; returns what comes after.
fn code<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let body = text.trim_start_matches('`');
    let mark = &text[..text.len() - body.len()];
    let end = mark.len() + body.find(mark)? + mark.len();
    out.push_str(&text[..end]);
    Some(&text[end..])
}

fn push_line(line: &str, out: &mut String) {
    out.push_str(line);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    #[test]
    fn tags_go_and_code_stays() {
        let text = "# Heron\n\n    \n   \n\n<div\n class=\"box\">The <b>heron</b> waits.<br/>Long.</div>\n\n\
                    a < b, `<b>x</b>`, <T>, <https://a.b>\n\n  - Two            herons\n```html\n<p>code</p>\n\n\n```\n<p>End</p>\n<hr>\n";
        assert_snapshot!(without_tags(text), @r#"
        # Heron

        The heron waits. Long.

        a < b, `<b>x</b>`, <T>, https://a.b

          - Two herons
        ```html
        <p>code</p>


        ```
        End
        "#);
    }

    proptest! {
        /// What holds no HTML is left as it is.
        #[test]
        fn nothing_else_is_lost(text in "[a-z`~*|# .\n]{0,60}") {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(words(&without_tags(&text)), words(&text));
        }
    }
}
