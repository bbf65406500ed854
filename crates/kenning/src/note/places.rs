//! Where tags and links stand in a text, byte for byte, for whoever changes them. What counts as a tag is
//! decided here for everybody. Pure.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::body::{self, decode, is_local_address};
use super::frontmatter;
use super::inline::{self, LinkKind};

/// Where the tags and links of a Markdown note stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The YAML between the fences of the front matter, if there is any.
    pub front_matter: Option<Range<usize>>,
    /// Where the body begins.
    pub body_start: usize,
    /// Names of the tags in the body, without `#`; not those in code, comments, links and addresses.
    pub tags: Vec<Range<usize>>,
    /// Links that may lead to a file of the vault.
    pub links: Vec<LinkPlace>,
    /// Code, comments, addresses and the like, in the body: text that is not prose.
    pub aside: Vec<Range<usize>>,
}

/// Where the target of a link is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPlace {
    /// How the link is written.
    pub kind: LinkKind,
    /// The bytes of the target, without heading, block or shown text.
    pub range: Range<usize>,
    /// The whole link.
    pub whole: Range<usize>,
    /// What it names, percent-encoding undone.
    pub target: String,
}

/// Finds the tags and links of a Markdown text as it stands in its file.
pub fn places(text: &str) -> Places {
    let body_start = frontmatter::end(text);
    let front_matter = super::front_matter(text);
    // Blanks take the place of comments, so that every offset stays.
    let mut seen = text.to_owned();
    let structure = body::visible_structure(&mut seen, body_start);
    let (code, addresses) = (structure.code, structure.addresses);
    let mut found = Places {
        body_start,
        ..Places::default()
    };
    if let Some(yaml) = &front_matter {
        wikilinks(
            text,
            yaml.clone(),
            Some(LinkKind::Property),
            &mut found.links,
        );
    }
    for gap in between(&code, body_start..seen.len()) {
        wikilinks(&seen, gap, None, &mut found.links);
    }
    found.links.extend(addresses.links(text));
    found.links.sort_by_key(|link| link.range.start);
    tags(&seen, body_start, &code, &addresses.aside, |tag| {
        found.tags.push(tag)
    });
    let mut aside = addresses.aside;
    aside.extend(code);
    aside.extend(blanked(text, &seen));
    aside.sort_by_key(|range| range.start);
    Places {
        front_matter,
        aside,
        ..found
    }
}

/// Whether a name can be a tag that is written `#name`.
pub fn is_tag(name: &str) -> bool {
    let text = format!("#{name}");
    let mut is_whole = false;
    inline::tags(&text, |tag, _| is_whole |= tag == name);
    is_whole && !name.contains("//") && !name.starts_with('/')
}

/// Calls `found` with the place of each tag in the body; `code` is in order.
pub(super) fn tags(
    text: &str,
    body_start: usize,
    code: &[Range<usize>],
    aside: &[Range<usize>],
    mut found: impl FnMut(Range<usize>),
) {
    let mut not_there: Vec<Range<usize>> = aside.to_vec();
    for gap in between(code, body_start..text.len()) {
        let at = gap.start;
        let gap = &text[gap];
        if !gap.contains('#') {
            continue;
        }
        inline::wikilinks(gap, |target, shown, open| {
            let inner = shown.unwrap_or(target);
            let end = inline::offset_in(gap, inner) + inner.len();
            not_there.push(at + open..at + end);
        });
    }
    not_there.sort_by_key(|range| range.start);
    let mut next = 0;
    let mut end_before = 0;
    for gap in between(code, body_start..text.len()) {
        let at = gap.start;
        inline::tags(&text[gap], |tag, offset| {
            let start = at + offset;
            while not_there.get(next).is_some_and(|range| range.start < start) {
                end_before = end_before.max(not_there[next].end);
                next += 1;
            }
            // `#[[two words]]` begins before its brackets do.
            let is_bracketed = text[..start].trim_end().ends_with("#[[");
            if end_before <= start || is_bracketed {
                found(start..start + tag.len());
            }
        });
    }
}

/// Returns what lies between ranges that are in order and may lie in each other.
pub(super) fn between(ranges: &[Range<usize>], whole: Range<usize>) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut at = whole.start;
    for range in ranges {
        if range.start > at {
            gaps.push(at..range.start);
        }
        at = at.max(range.end);
    }
    if whole.end > at {
        gaps.push(at..whole.end);
    }
    gaps
}

/// Returns the marks of HTML in a piece of it: what stands between `<` and `>`.
fn marks_of_html(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut marks = Vec::new();
    let mut at = range.start;
    while let Some(open) = text[at..range.end].find('<').map(|found| at + found) {
        let close = text[open..range.end]
            .find('>')
            .map(|found| open + found + 1);
        at = close.unwrap_or(range.end);
        marks.push(open..at);
    }
    marks
}

/// Returns where the texts differ, which have the same length.
fn blanked(text: &str, seen: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let bytes = text.as_bytes();
    for (at, (own, shown)) in bytes.iter().zip(seen.bytes()).enumerate() {
        if *own == shown {
            continue;
        }
        match ranges.last_mut() {
            // A blank in a comment is as it was.
            Some(last) if bytes[last.end..at].trim_ascii().is_empty() => last.end = at + 1,
            _ => ranges.push(at..at + 1),
        }
    }
    ranges
}

fn wikilinks(text: &str, gap: Range<usize>, kind: Option<LinkKind>, links: &mut Vec<LinkPlace>) {
    let (at, gap) = (gap.start, &text[gap]);
    inline::wikilinks(gap, |target, shown, open| {
        let inner = shown.unwrap_or(target);
        let end = inline::offset_in(gap, inner) + inner.len();
        let is_embed = gap[..open].ends_with('!');
        let named = target.split('#').next().unwrap_or(target).trim();
        let start = at + inline::offset_in(gap, named);
        let close = gap[end..].find("]]").map_or(end, |found| end + found + 2);
        links.push(LinkPlace {
            kind: match is_embed {
                true => kind.unwrap_or(LinkKind::Embed),
                false => kind.unwrap_or(LinkKind::Wiki),
            },
            range: start..start + named.len(),
            whole: at + open..at + close,
            target: named.to_owned(),
        });
    });
}

/// Where `[text](…)`, `![text](…)` and `[name]: …` lead, collected while the structure is read.
#[derive(Default)]
pub(super) struct Addresses {
    /// Links and pictures that are open, and where their text ends so far.
    open: Vec<(Range<usize>, usize)>,
    /// The bytes of each address, and of the whole link.
    found: Vec<(Range<usize>, Range<usize>)>,
    /// Addresses and marks of HTML: no tag stands there, whatever it looks like.
    pub(super) aside: Vec<Range<usize>>,
}

impl Addresses {
    /// Takes up `[name]: address`.
    pub(super) fn define(&mut self, text: &str, span: &Range<usize>) {
        let marks = text[span.clone()].find("]:");
        let range = marks.and_then(|marks| address(text, span.start + marks + 2..span.end));
        self.found.extend(range.map(|range| (range, span.clone())));
        self.aside.push(span.clone());
    }

    /// Takes up what the parser tells, in order.
    pub(super) fn see(&mut self, text: &str, event: &Event<'_>, range: &Range<usize>) {
        if let (Some((_, inner_end)), false) =
            (self.open.last_mut(), matches!(event, Event::End(_)))
        {
            *inner_end = (*inner_end).max(range.end);
        }
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                self.open.push((range.clone(), range.start));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some((whole, inner_end)) = self.open.pop() {
                    self.aside.push(inner_end..whole.end);
                    let found = behind(text, &whole, inner_end);
                    self.found.extend(found.map(|range| (range, whole)));
                }
            }
            Event::Html(_) | Event::InlineHtml(_) => self.aside.extend(marks_of_html(text, range)),
            _ => {}
        }
    }

    fn links<'t>(&'t self, text: &'t str) -> impl Iterator<Item = LinkPlace> + 't {
        self.found.iter().filter_map(|(range, whole)| {
            let written = &text[range.clone()];
            // What is escaped would have to be escaped again.
            if !is_local_address(written) || written.contains('\\') {
                return None;
            }
            let len = written.find(['#', '?']).unwrap_or(written.len());
            let range = range.start..range.start + len;
            Some(LinkPlace {
                kind: LinkKind::Markdown,
                target: decode(&text[range.clone()]),
                range,
                whole: whole.clone(),
            })
        })
    }
}

/// Finds the address behind the text of a link, which ends at `inner_end`.
fn behind(text: &str, whole: &Range<usize>, inner_end: usize) -> Option<Range<usize>> {
    // Without text the link has only its marks: `[](a.md)`, `![](a.png)`.
    let rest = text.get(inner_end..whole.end)?;
    let marks = rest.find("](")?;
    let is_text_over = rest[..marks]
        .bytes()
        .all(|byte| matches!(byte, b'[' | b'!'));
    let found = address(text, inner_end + marks + 2..whole.end)?;
    is_text_over.then_some(found)
}

/// Returns the bytes of an address that begins a piece of text, without `<` and `>`.
fn address(text: &str, piece: Range<usize>) -> Option<Range<usize>> {
    let written = text.get(piece.clone())?;
    let blank = written.len() - written.trim_start().len();
    let (start, written) = (piece.start + blank, &written[blank..]);
    if let Some(inner) = written.strip_prefix('<') {
        let len = inner.find(['>', '\n'])?;
        return Some(start + 1..start + 1 + len);
    }
    let mut depth = 0usize;
    for (at, c) in written.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(start..start + at),
            ')' => depth -= 1,
            c if c.is_whitespace() => return Some(start..start + at),
            _ => {}
        }
    }
    Some(start..start + written.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, tags: &[&str], links: &[&str]) {
        let found = places(text);
        let shown: Vec<&str> = found.tags.iter().map(|tag| &text[tag.clone()]).collect();
        assert_eq!(shown, tags, "tags of {text:?}");
        let shown: Vec<String> = (found.links.iter())
            .map(|link| format!("{}={}", link.target, &text[link.whole.clone()]))
            .collect();
        assert_eq!(shown, links, "links of {text:?}");
        for link in &found.links {
            assert_eq!(decode(&text[link.range.clone()]), link.target);
        }
    }

    #[test]
    fn tags_stand_in_prose_only() {
        check("#a and #b/c, (#d)", &["a", "b/c", "d"], &[]);
        check(
            "`#a` %%#b%% <!-- #c -->\n\n```\n#d\n```\n\n    #e\n",
            &[],
            &[],
        );
        check(
            "[x](#top) <a href=\"#top\"> #b</a> <https://x.y/#z>",
            &["b"],
            &[],
        );
        check(
            "[[Note #1|see #x]] #[[two words]]",
            &["two words"],
            &["Note=[[Note #1|see #x]]", "two words=[[two words]]"],
        );
        check(
            "[ref]: a.md \"see #x\"\n\n[t][ref] #y",
            &["y"],
            &["a.md=[ref]: a.md \"see #x\""],
        );
        check("---\ntags: [x]\n---\n#y", &["y"], &[]);
    }

    #[test]
    fn links_are_found_with_their_bytes() {
        let links = ["A=[[A]]", "B=[[B#c|d]]", "E=[[E#^f]]"];
        check("[[A]] ![[B#c|d]] [[E#^f]]", &[], &links);
        check(
            "[t](a%20b.md#h \"title\")",
            &[],
            &["a b.md=[t](a%20b.md#h \"title\")"],
        );
        check(
            "![p](<img a.png>) [](x.md)",
            &[],
            &["img a.png=![p](<img a.png>)", "x.md=[](x.md)"],
        );
        check(
            "[*a*](b_(c).md) [u](https://x.y)",
            &[],
            &["b_(c).md=[*a*](b_(c).md)"],
        );
        check("---\nup: \"[[Home]]\"\n---\n", &[], &["Home=[[Home]]"]);
        check(
            "[![p](a.png)](b.md)",
            &[],
            &["a.png=![p](a.png)", "b.md=[![p](a.png)](b.md)"],
        );
        check("`[[A]]` %%[[B]]%%", &[], &[]);
    }

    #[test]
    fn what_is_not_prose_is_known() {
        let text = "a `b` %%c d%% [e](f.md)";
        let aside: Vec<&str> = (places(text).aside.into_iter())
            .map(|range| &text[range])
            .collect();
        assert_eq!(aside, ["`b`", "%%c d%%", "](f.md)"]);
    }
}
