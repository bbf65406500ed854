//! A Markdown text without its marks, as a reader would copy it. Pure.
//!
//! Quote and text both go through here, so it may take off more than is strictly a mark as long as
//! it does so on both sides alike.

/// Longest footnote name.
const FOOTNOTE_BYTES_MAX: usize = 32;

/// Returns the characters that a reader sees, each with its position in `source`.
pub(super) fn without(source: &str) -> Vec<(usize, char)> {
    let mut kept = Vec::with_capacity(source.len());
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let body = line.trim_end();
        if !is_frame(body) {
            let start = body.len() - without_line_marks(body).len();
            let end = body.len() - block_id_bytes(body);
            if start < end {
                keep_inline(&body[start..end], at + start, &mut kept);
            }
        }
        if body.len() < line.len() {
            kept.push((at + body.len(), ' '));
        }
        at += line.len();
    }
    kept
}

/// Lines that only frame others: code fences, rules, the line below a table's head.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    line.starts_with("```")
        || line.starts_with("~~~")
        || (line.len() >= 3 && line.chars().all(|c| " -=_*|:".contains(c)))
}

/// Takes off what makes a line a quote, a heading, a list item or a task.
fn without_line_marks(line: &str) -> &str {
    let mut rest = line.trim_start_matches([' ', '\t', '>']);
    if let Some((kind, after)) = rest.strip_prefix("[!").and_then(|r| r.split_once(']'))
        && !kind.contains('[')
    {
        rest = after.trim_start_matches(['+', '-']).trim_start();
    }
    let after = rest.trim_start_matches('#');
    if after.len() < rest.len() && after.starts_with(' ') {
        return after;
    }
    for mark in ["- ", "* ", "+ "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    for mark in ["[ ] ", "[x] ", "[X] "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    rest
}

/// Length of the `^name` at the end of a line, by which other notes link to it.
fn block_id_bytes(line: &str) -> usize {
    let is_id = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    match line.rsplit_once('^') {
        Some((before, name)) if is_id(name) && (before.is_empty() || before.ends_with(' ')) => {
            name.len() + 1
        }
        _ => 0,
    }
}

fn keep_inline(text: &str, offset: usize, kept: &mut Vec<(usize, char)>) {
    let is_row = text.starts_with('|');
    let mut before = ' ';
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let here = at;
        let rest = &text[at + c.len_utf8()..];
        at += c.len_utf8();
        match c {
            '*' | '`' => {}
            '[' => at += opening_bytes(rest),
            ']' if rest.starts_with(['(', '[']) => at += target_bytes(rest),
            ']' => {}
            '!' if rest.starts_with('[') => {}
            '~' | '=' if rest.starts_with(c) => at += 1,
            '_' if !(before.is_alphanumeric() && rest.starts_with(char::is_alphanumeric)) => {}
            '<' => match tag_bytes(rest) {
                0 => kept.push((offset + here, c)),
                n_bytes => at += n_bytes,
            },
            '|' | '-' | ':' if before.is_whitespace() && frame_bytes(&text[here..]) > 0 => {
                at = here + frame_bytes(&text[here..]);
                kept.push((offset + here, ' '));
            }
            '|' if is_row => kept.push((offset + here, ' ')),
            // What stands between cells and items where a text is shown on one line.
            '|' | '·' if before.is_whitespace() && rest.starts_with(' ') => {
                kept.push((offset + here, ' '));
            }
            '\\' if rest.starts_with(|c: char| c.is_ascii_punctuation()) => {
                kept.extend(rest.chars().next().map(|c| (offset + at, c)));
                at += 1;
            }
            _ => kept.push((offset + here, c)),
        }
        before = c;
    }
}

/// Bytes of a part of the line below a table's head, which a quote on one line has among its words: `|---|:--|`, `---`.
fn frame_bytes(text: &str) -> usize {
    let part = text.split(char::is_whitespace).next().unwrap_or_default();
    let is_frame = part.contains("--") && part.chars().all(|c| "-:|".contains(c));
    if is_frame && part.len() >= 3 {
        part.len()
    } else {
        0
    }
}

/// Bytes to skip after `[`: a footnote's name, or the target of `[[target|shown]]`.
fn opening_bytes(rest: &str) -> usize {
    if rest.starts_with('^') {
        let end = rest.find(']').filter(|end| *end <= FOOTNOTE_BYTES_MAX);
        return end.map_or(0, |end| end + 1);
    }
    let Some(inside) = rest.strip_prefix('[') else {
        return 0;
    };
    let end = inside.find("]]").unwrap_or(0);
    inside[..end].find('|').map_or(1, |bar| 1 + bar + 1)
}

/// Bytes to skip after the `]` of a link: `(address)` or `[name]`.
fn target_bytes(rest: &str) -> usize {
    let (open, close) = if rest.starts_with('(') {
        ('(', ')')
    } else {
        ('[', ']')
    };
    let mut depth = 0usize;
    for (at, c) in rest.char_indices() {
        match c {
            _ if c == open => depth += 1,
            _ if c == close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    0
}

/// Bytes to skip after `<` if it opens or closes an HTML element.
fn tag_bytes(rest: &str) -> usize {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let after = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    let has_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if has_name && after.starts_with([' ', '/', '>']) {
        rest.find(['<', '>'])
            .filter(|end| rest[*end..].starts_with('>'))
            .map_or(0, |end| end + 1)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn check(source: &str) -> String {
        let seen: String = without(source).into_iter().map(|(_, c)| c).collect();
        seen.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn marks_inside_a_line() {
        assert_snapshot!(check("**bold** *it* __b__ _i_ `code` ~~gone~~ ==lit=="), @"bold it b i code gone lit");
        assert_snapshot!(check("snake_case and _a_b_"), @"snake_case and a_b");
        assert_snapshot!(check("[[note]] [[note|shown]] ![[img.png]] [text](a(b)c) ![alt](x)"), @"note shown img.png text alt");
        assert_snapshot!(check("claim[^1] and [a][ref] <b>tag</b> a < b \\*star\\*"), @"claim and a tag a < b *star*");
        assert_snapshot!(check("Stop!! [[x"), @"Stop!! x");
    }

    #[test]
    fn what_stands_between_cells_and_items() {
        assert_snapshot!(check("Hall | Linen | 3000-1"), @"Hall Linen 3000-1");
        assert_snapshot!(check("one · two a|b 3·4"), @"one two a|b 3·4");
        assert_snapshot!(check("Hall | Linen | |---|---| | c | --- | 0"), @"Hall Linen c 0");
    }

    #[test]
    fn marks_of_a_line() {
        assert_snapshot!(check("## Head\n> [!note]- Title\n> said\n- [ ] task ^id-1\n* item"), @"Head Title said task item");
        assert_snapshot!(check("| a | b |\n|---|:-:|\n| c | d |"), @"a b c d");
        assert_snapshot!(check("```rust\nlet x;\n```\n---\n#tag x^2"), @"let x; #tag x^2");
    }

    proptest! {
        #[test]
        fn what_is_kept_stands_in_order(source in r"([\[\]|()<>!*_`~=^#\\ \n-]|[aé文]){0,40}") {
            let kept = without(&source);
            prop_assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for (at, c) in kept {
                let there = source[at..].chars().next().unwrap();
                prop_assert!(there == c || c == ' ');
            }
        }
    }
}
