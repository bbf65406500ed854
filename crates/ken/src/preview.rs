//! A note as HTML that is safe to show: Markdown is rendered here and sanitised before anybody sees it.
//! Nothing in it runs, and nothing in it asks another server for anything: pictures become their words.

mod code;
mod languages;
mod markdown;

use ammonia::{Builder, UrlRelative};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(crate) use markdown::escaped;

/// Most bytes of a text that is shown as a whole; of a longer one, the lines around the wanted ones are.
const TEXT_BYTES_MAX: usize = 200_000;
/// Lines that are shown before and behind the wanted ones of a long text.
const LINES_AROUND: usize = 150;

/// What is shown of a note.
pub(crate) struct Preview {
    pub(crate) html: String,
    /// Whether only the lines around the wanted ones are shown.
    pub(crate) is_cut: bool,
}

/// Renders a note. Blocks tell the lines of the file that they stand on as `data-line` and `data-end`.
pub(crate) fn render(path: &str, format: &str, text: &str, wanted_line: u32) -> Preview {
    let (text, first_line) = match text.len() > TEXT_BYTES_MAX {
        true => around(text, wanted_line as usize),
        false => (text, 1),
    };
    let html = match format {
        "markdown" => markdown::html(path, text, first_line),
        "code" | "json" | "jsonlines" | "yaml" | "toml" | "delimited" => {
            lines(path, text, first_line)
        }
        _ => paragraphs(text, first_line),
    };
    Preview {
        html: CLEANER.clean(&html).to_string(),
        is_cut: first_line > 1 || text.len() > TEXT_BYTES_MAX,
    }
}

/// Cuts the lines around one out of a long text.
fn around(text: &str, line: usize) -> (&str, usize) {
    let first = line.saturating_sub(LINES_AROUND).max(1);
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut starts = starts.skip(first - 1);
    let Some(from) = starts.next() else {
        return ("", 1);
    };
    let to = starts.nth(2 * LINES_AROUND).unwrap_or(text.len());
    // One line may be longer than all others together.
    let to = text.floor_char_boundary(to.min(from + TEXT_BYTES_MAX));
    (&text[from..to], first)
}

/// Shows every line as it stands, in the colours of the language that the name of the file tells.
fn lines(path: &str, text: &str, first_line: usize) -> String {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let coloured = match code::language(ending) {
        Some(language) => code::html(language, text),
        None => escaped(text),
    };
    let mut html = String::from("<pre class=\"source\">");
    for (number, line) in (first_line..).zip(coloured.lines()) {
        html.push_str(&format!(
            "<span class=\"line\" data-line=\"{number}\" data-end=\"{number}\">{line}\n</span>"
        ));
    }
    html.push_str("</pre>");
    html
}

/// Shows plain text with its paragraphs.
fn paragraphs(text: &str, first_line: usize) -> String {
    let mut html = String::new();
    let mut open: Option<(usize, Vec<String>)> = None;
    let mut close = |open: &mut Option<(usize, Vec<String>)>, end: usize| {
        if let Some((start, lines)) = open.take() {
            html.push_str(&format!(
                "<p data-line=\"{start}\" data-end=\"{end}\" dir=\"auto\">{}</p>",
                lines.join("<br>")
            ));
        }
    };
    let mut number = first_line;
    for line in text.lines() {
        match line.trim() {
            "" => close(&mut open, number.saturating_sub(1)),
            line => {
                let (_, lines) = open.get_or_insert((number, Vec::new()));
                lines.push(escaped(line));
            }
        }
        number += 1;
    }
    close(&mut open, number.saturating_sub(1));
    html
}

/// What may stand in a preview. Pictures, forms, styles and everything that runs are not in it.
static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = [
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "input",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
        "var",
    ];
    let attributes: [(&str, &[&str]); 6] = [
        ("a", &["href", "title"]),
        ("input", &["type", "checked", "disabled", "aria-label"]),
        ("ol", &["start"]),
        ("td", &["colspan", "rowspan"]),
        ("th", &["colspan", "rowspan"]),
        ("details", &["open"]),
    ];
    let spans = [
        &["picture", "callout", "line", "math", "tag"],
        &code::Kind::CLASSES[..],
    ]
    .concat();
    let classes: [(&str, &[&str]); 3] = [
        ("span", &spans),
        ("div", &["block", "math"]),
        ("pre", &["source"]),
    ];
    let sets = |rows: &[(&'static str, &[&'static str])]| -> HashMap<_, HashSet<_>> {
        let rows = rows.iter();
        rows.map(|(tag, values)| (*tag, values.iter().copied().collect()))
            .collect()
    };
    let mut builder = Builder::empty();
    builder
        .tags(tags.into_iter().collect())
        .clean_content_tags(
            ["script", "style", "iframe", "object", "svg", "math"]
                .into_iter()
                .collect(),
        )
        .tag_attributes(sets(&attributes))
        .tag_attribute_values(HashMap::from([(
            "input",
            HashMap::from([("type", HashSet::from(["checkbox"]))]),
        )]))
        .generic_attributes(HashSet::from(["dir", "lang"]))
        .generic_attribute_prefixes(HashSet::from(["data-"]))
        .allowed_classes(sets(&classes))
        .url_schemes(HashSet::from([
            "http", "https", "mailto", "obsidian", "zotero",
        ]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn markdown(text: &str) -> String {
        render("Folder/Note.md", "markdown", text, 1).html
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let html = markdown(text);
        assert!(html.contains(expected), "{html}");
    }

    #[test]
    fn blocks_tell_the_lines_they_stand_on() {
        check(
            "# A\n\nfirst\nsecond\n\n- x\n- y\n",
            "<div class=\"block\" data-line=\"3\" data-end=\"4\" dir=\"auto\">\n<p>first\nsecond</p>",
        );
        check("---\na: 1\n---\n# A\n", "data-line=\"4\" data-end=\"4\"");
        check("# A\n\n- x\n- y\n", "data-line=\"3\" data-end=\"4\"");
    }

    #[test]
    fn links_lead_to_notes_and_pictures_are_words() {
        check("[[Roof repair|roof]]", "data-note=\"Roof repair\"");
        check("[x](../Other.md#Part)", "data-note=\"../Other.md#Part\"");
        check("[x](Two%20words.md)", "data-note=\"Two words.md\"");
        check(
            "[x](https://example.org/a)",
            "href=\"https://example.org/a\"",
        );
        check(
            "![a cat](https://evil.example/c.png)",
            "<span class=\"picture\">a cat</span>",
        );
        check("![[plan.png]]", "<span class=\"picture\">plan.png</span>");
        check("a [ ] b\n\n- [x] done", "type=\"checkbox\"");
        check(
            "```js\nlet a\n```",
            "<pre><code><span class=\"code-keyword\">let</span> a\n</code></pre>",
        );
        check("```nothing\nlet a\n```", "<pre><code>let a\n</code></pre>");
    }

    #[test]
    fn callouts_say_their_kind_and_marked_words_are_marked() {
        check(
            "> [!danger] Clearing **it** deletes all.\n> Really.",
            "<p><span class=\"callout\" dir=\"ltr\">Danger</span> <strong>Clearing <strong>it</strong> deletes all.</strong><br>Really.</p>",
        );
        check(
            "> [!tip]-\n> Fold me.",
            "<p><span class=\"callout\" dir=\"ltr\">Tip</span> <strong></strong><br>Fold me.</p>",
        );
        check("> [x] is no callout", "<p>[x] is no callout</p>");
        check("so ==this== counts", "so <mark>this</mark> counts");
        check("a == b == c", "a == b == c");
        check(
            "![[plus.svg#icon]]",
            "<span class=\"picture\">plus.svg</span>",
        );
    }

    #[test]
    fn nothing_of_a_note_runs_or_asks() {
        let text = "<script>alert(1)</script><img src=x onerror=alert(1)><iframe src=//e></iframe>\n\n\
            <a href=\"javascript:alert(1)\" onclick=alert(1)>x</a> <b style=\"background:url(//e)\">y</b>\n\n\
            <style>@import '//e'</style><form action=//e><input name=q></form><svg onload=alert(1)></svg>\n\n\
            [z](javascript:alert(1)) [d](data:text/html,x) ![p](//e/x.png)\n\n<link rel=stylesheet href=//e>\n";
        let html = markdown(text);
        for bad in [
            "script",
            "alert",
            "onerror",
            "javascript",
            "style",
            "<img",
            "iframe",
            "<form",
            "//e",
            "svg",
            "data:",
        ] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
    }

    #[test]
    fn other_formats_are_shown_line_by_line_or_in_paragraphs() {
        let html = render("a.py", "code", "# x <\ny", 1).html;
        let line =
            "data-line=\"1\" data-end=\"1\"><span class=\"code-comment\"># x &lt;</span>\n</span>";
        assert!(html.contains(line), "{html}");
        let html = render("a.csv", "delimited", "x < 1\ny", 1).html;
        let line = "data-line=\"1\" data-end=\"1\">x &lt; 1\n</span>";
        assert!(html.contains(line), "{html}");
        let html = render("a.pdf", "pdf", "one\ntwo\n\n<b>three", 1).html;
        assert!(
            html.contains("<p data-line=\"1\" data-end=\"2\" dir=\"auto\">one<br>two</p>"),
            "{html}"
        );
        assert!(html.contains("&lt;b&gt;three"), "{html}");
    }

    #[test]
    fn of_a_long_text_the_wanted_lines_are_shown() {
        let text: String = (1..=20_000)
            .map(|n| format!("line number {n}\n\n"))
            .collect();
        let shown = render("a.md", "markdown", &text, 20_001);
        assert!(shown.is_cut && shown.html.contains("data-line=\"20001\""));
        assert!(shown.html.len() < 60_000);
    }

    proptest! {
        #[test]
        fn no_text_makes_an_attribute_that_runs(text in "[<>\"'a-z=/ \\[\\]()!`#\n-]{0,200}") {
            let html = markdown(&text);
            prop_assert!(!html.contains("<script") && !html.contains("<img"));
        }
    }
}
