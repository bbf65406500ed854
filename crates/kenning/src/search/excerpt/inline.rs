//! What a reader sees of a sentence of Markdown: links as their texts, no marks. Pure.

/// Endings of files that are looked at, not read.
const PICTURES: [&str; 8] = [
    ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".avif",
];

/// HTML elements that people write into Markdown.
const ELEMENTS: [&str; 48] = [
    "a",
    "abbr",
    "article",
    "aside",
    "audio",
    "b",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "dd",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "hr",
    "i",
    "iframe",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "picture",
    "pre",
    "section",
    "small",
    "source",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "u",
    "ul",
    "video",
];

/// Elements of tables and headings, which are as good as any.
const MORE_ELEMENTS: [&str; 12] = [
    "h1", "h2", "h3", "h4", "h5", "h6", "tbody", "td", "tfoot", "th", "thead", "tr",
];

/// Appends a sentence without the markup that means nothing outside its place.
pub(super) fn push(sentence: &str, out: &mut String) {
    let mut rest = sentence;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        // Most of a text means nothing but itself.
        let n_plain = rest.bytes().take_while(|byte| is_plain(*byte)).count();
        if n_plain > 0 {
            before = char::from(rest.as_bytes()[n_plain - 1]);
            out.push_str(&rest[..n_plain]);
            rest = &rest[n_plain..];
            continue;
        }
        if let Some(after) = markup(rest, before, out) {
            before = rest[..rest.len() - after.len()]
                .chars()
                .next_back()
                .unwrap_or(c);
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if c.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !(c == '>' && before == '\n') {
            // But for the mark of the second and later lines of something quoted.
            out.push(c);
        }
        before = c;
    }
}

/// Whether a sentence is nothing but a call of a macro, which fills a page with something else.
pub(super) fn is_macro(sentence: &str) -> bool {
    let inside = sentence
        .strip_prefix("{{")
        .and_then(|rest| rest.strip_suffix("}}"));
    inside.is_some_and(|inside| !inside.contains("}}"))
}

/// Whether a byte is a character that no markup begins or ends with.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b',' | b'-' | b':' | b'/' | b'(' | b')')
}

/// Reads what begins here if it is markup; returns what comes after.
fn markup<'t>(text: &'t str, before: char, out: &mut String) -> Option<&'t str> {
    match text.as_bytes()[0] {
        b'`' => code(text, out),
        b'!' => embedded(text, out),
        b'[' => link(text, out),
        b'<' => element(text, out),
        b'&' => entity(text, out),
        b'{' => called(text, out),
        b'\\' => escaped(text, out),
        b'^' => block_id(text, before),
        // A star with blanks around it is a sign, not emphasis.
        b'*' => {
            let after = &text[1..];
            let is_sign = before.is_whitespace() && after.starts_with(char::is_whitespace);
            (!is_sign).then_some(after)
        }
        b'_' => underscored(text, before, out),
        b'=' => paired(text, "==", out),
        b'~' => paired(text, "~~", out),
        _ => None,
    }
}

/// Code inside a line stands as it is.
fn code<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let body = text.trim_start_matches('`');
    let fence = &text[..text.len() - body.len()];
    let Some(end) = body.find(fence) else {
        return Some(body);
    };
    for (index, word) in body[..end].split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
    Some(&body[end + fence.len()..])
}

/// A picture says what stands in its place; a note that is embedded, its name.
fn embedded<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    if let Some(inside) = text.strip_prefix("![[") {
        let (target, after) = inside.split_once("]]")?;
        let (target, shown) = target.split_once(['|', '\\']).unwrap_or((target, ""));
        let name = target.split('#').next().unwrap_or(target).to_lowercase();
        let is_picture = PICTURES.iter().any(|ending| name.ends_with(ending));
        let is_size = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "x|".contains(c));
        if !is_picture {
            push_target(target, out);
        } else if !is_size(shown) {
            out.push_str(shown);
        } else if after.starts_with([',', '.', ';', ':', '!', '?', ')']) {
            // The blank before it goes with the picture.
            out.truncate(out.trim_end_matches(' ').len());
        }
        return Some(after);
    }
    let inside = text.strip_prefix("![")?;
    let (shown, after) = text_and_address(inside)?;
    push(shown.split('|').next().unwrap_or(shown), out);
    Some(after)
}

/// `[[Target|shown]]` reads as what is shown, `[shown](target)` and `[shown][name]` too.
fn link<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    if let Some(inside) = text.strip_prefix("[[") {
        let (inside, after) = inside.split_once("]]")?;
        match inside.split_once('|') {
            Some((_, shown)) => push(shown, out),
            None => push_target(inside, out),
        }
        return Some(after);
    }
    if let Some(note) = text.strip_prefix("[^") {
        // A footnote's number, here or in front of the footnote itself.
        let (name, after) = note.split_once(']')?;
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        return is_name.then(|| after.strip_prefix(':').map_or(after, str::trim_start));
    }
    let (shown, after) = text_and_address(&text[1..])?;
    push(shown, out);
    Some(after)
}

/// `Note#Heading` is shown as Obsidian shows it.
fn push_target(target: &str, out: &mut String) {
    let (note, anchor) = target.split_once('#').unwrap_or((target, ""));
    out.push_str(note.trim());
    let headings = anchor
        .split('#')
        .filter(|part| !part.is_empty() && !part.starts_with('^'));
    for (index, heading) in headings.enumerate() {
        if index > 0 || !note.trim().is_empty() {
            out.push_str(" > ");
        }
        out.push_str(heading.trim());
    }
}

/// Splits `shown](target) and so on` into what is shown and what comes after.
fn text_and_address(text: &str) -> Option<(&str, &str)> {
    let end = closing(text, '[', ']')?;
    let (shown, rest) = (&text[..end], &text[end + 1..]);
    if let Some(address) = rest.strip_prefix('(') {
        let end = closing(address, '(', ')')?;
        return Some((shown, &address[end + 1..]));
    }
    let name = rest.strip_prefix('[')?;
    let (name, after) = name.split_once(']')?;
    (!name.contains('[')).then_some((shown, after))
}

/// Returns where the bracket that is open closes.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            match depth {
                0 => return Some(at),
                _ => depth -= 1,
            }
        }
    }
    None
}

/// HTML is what it does, an address in angle brackets itself.
pub(super) fn element<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let inside = &text[1..];
    let (tag, after) = inside.split_once('>')?;
    if tag.starts_with("http://") || tag.starts_with("https://") || tag.starts_with("mailto:") {
        out.push_str(tag);
        return Some(after);
    }
    let name = tag.trim_start_matches('/');
    let n_name = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_whole = name[n_name..].is_empty() || name[n_name..].starts_with([' ', '\n', '/', '\t']);
    let name = name[..n_name].to_ascii_lowercase();
    let is_known = ELEMENTS.contains(&name.as_str()) || MORE_ELEMENTS.contains(&name.as_str());
    if !is_whole || !is_known {
        return None;
    }
    let parts = matches!(
        name.as_str(),
        "br" | "li" | "p" | "div" | "td" | "th" | "tr" | "dt" | "dd"
    );
    if parts && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
    Some(after)
}

fn entity<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    const ENTITIES: [(&str, char); 9] = [
        ("&nbsp;", ' '),
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&#39;", '\''),
        ("&mdash;", '—'),
        ("&ndash;", '–'),
        ("&hellip;", '…'),
    ];
    let (entity, meaning) = ENTITIES
        .iter()
        .find(|(entity, _)| text.starts_with(entity))?;
    out.push(*meaning);
    Some(&text[entity.len()..])
}

/// `{{name("target", "shown")}}` reads as its last text; a call without texts stays.
fn called<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let (call, after) = text.strip_prefix("{{")?.split_once("}}")?;
    let (name, arguments) = call.trim().split_once('(')?;
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || "_-.".contains(c));
    let mut quoted = arguments.split('"').skip(1).step_by(2);
    let (first, second) = (quoted.next(), quoted.next());
    let shown = second.filter(|text| !text.is_empty()).or(first)?;
    if !is_name {
        return None;
    }
    out.push_str(shown);
    Some(after)
}

fn escaped<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let c = text[1..]
        .chars()
        .next()
        .filter(char::is_ascii_punctuation)?;
    // `\(` and `\[` begin formulas.
    if matches!(c, '(' | ')' | '\\') {
        return None;
    }
    out.push(c);
    Some(&text[2..])
}

/// The id of a block stands behind it, for links only.
fn block_id(text: &str, before: char) -> Option<&str> {
    let id = &text[1..];
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (before.is_whitespace() && is_id).then_some("")
}

/// Underscores around words are emphasis, inside of words they are letters.
fn underscored<'t>(text: &'t str, before: char, out: &mut String) -> Option<&'t str> {
    let body = text.trim_start_matches('_');
    let marks = &text[..text.len() - body.len()];
    let opens = !before.is_alphanumeric() && !body.starts_with(char::is_whitespace);
    let closes = |end: usize| {
        let (inside, after) = (&body[..end], &body[end + marks.len()..]);
        !inside.ends_with([' ', '_'])
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let mut ends = body.match_indices(marks).map(|(end, _)| end);
    let end = ends.find(|&end| end > 0 && closes(end)).filter(|_| opens);
    match end {
        Some(end) => {
            push(&body[..end], out);
            Some(&body[end + marks.len()..])
        }
        None => {
            out.push_str(marks);
            Some(body)
        }
    }
}

/// Reads what stands between two equal marks.
fn paired<'t>(text: &'t str, mark: &str, out: &mut String) -> Option<&'t str> {
    let body = text.strip_prefix(mark)?;
    let end = body.find(mark).filter(|&end| end > 0)?;
    let inside = &body[..end];
    if inside.starts_with(char::is_whitespace) || inside.ends_with(char::is_whitespace) {
        return None;
    }
    push(inside, out);
    Some(&body[end + mark.len()..])
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn check(sentence: &str) -> String {
        let mut out = String::new();
        super::push(sentence, &mut out);
        out.trim_end().to_owned()
    }

    #[test]
    fn links_are_what_is_shown_of_them() {
        assert_snapshot!(check("See [[April Jane|April]], [[Style guide#Optimization]], [[#Use it]] and [[Note#^b1]]."), @"See April, Style guide > Optimization, Use it and Note.");
        assert_snapshot!(check("A [text (x)](http://a.b/c_(d)) and [two][ref], [sic] and [[open"), @"A text (x) and two, [sic] and [[open");
        assert_snapshot!(check("Press ![[lucide-x.svg#icon]] or ![[Note#Part]] ![alt|200](x.png)![[p.jpg|200]]."), @"Press or Note > Part alt.");
        assert_snapshot!(check("<https://a.b/?c=d_e> done[^1]. ^block-1"), @"https://a.b/?c=d_e done.");
        assert_snapshot!(check("[^1]: The note."), @"The note.");
        assert_snapshot!(check("On Desktop ![[x.svg#icon]], do it ![[y.png]]."), @"On Desktop, do it.");
    }

    #[test]
    fn emphasis_goes_and_names_stay() {
        assert_snapshot!(check("a _type identifier_, __bold__, snake_case_name, _private and 2 * 3 **x** ==y== ~~z~~ a == b"), @"a type identifier, bold, snake_case_name, _private and 2 * 3 x y z a == b");
        assert_snapshot!(check(r"5\* and \_x\_ `a_b * [[c]]` ``d ` e``"), @"5* and _x_ a_b * [[c]] d ` e");
    }

    #[test]
    fn html_and_macros_are_read() {
        assert_snapshot!(check("<b>Bold</b> line<br>two &amp; <T> Vec<u8> <div align=\"center\">x</div>"), @"Bold line two & <T> Vec<u8> x");
        assert_snapshot!(check(r#"The {{jsxref("Array")}} has {{jsxref("Array/map", "map()")}} on {{date}}"#), @"The Array has map() on {{date}}");
    }

    proptest! {
        /// Whatever is written, something is shown and nothing breaks.
        #[test]
        fn anything_can_be_read(text in "[a-z_*`\\[\\]!<>{}\"()|#^&;=~\\\\ é語\n]{0,40}") {
            let shown = check(&text);
            prop_assert!(shown.len() <= text.len() + 8);
        }
    }
}
