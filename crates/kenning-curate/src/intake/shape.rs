//! What a text looks like from afar: how much of it is prose, links, steps, code, or advertising. Pure.

use kenning::words;

/// What advertisements say, in lower case.
const PITCHES: [&str; 40] = [
    "% off",
    "act now",
    "best price",
    "book a demo",
    "buy now",
    "cash back",
    "click here",
    "coupon",
    "credit card required",
    "deal of",
    "discount",
    "don't miss",
    "exclusive offer",
    "for a limited time",
    "free shipping",
    "free trial",
    "get started today",
    "guaranteed",
    "hurry",
    "join millions",
    "lifetime access",
    "limited offer",
    "limited time",
    "money back",
    "money-back",
    "no obligation",
    "only today",
    "order now",
    "order today",
    "promo code",
    "risk-free",
    "sale ends",
    "save up to",
    "shop now",
    "sign up today",
    "sponsored",
    "subscribe now",
    "unsubscribe",
    "upgrade now",
    "while supplies last",
];
/// Words that sentences begin with that tell somebody to do something, in lower case.
const ORDERS: [&str; 58] = [
    "add",
    "apply",
    "ask",
    "avoid",
    "build",
    "call",
    "change",
    "check",
    "choose",
    "click",
    "close",
    "configure",
    "connect",
    "copy",
    "create",
    "define",
    "delete",
    "disable",
    "download",
    "edit",
    "enable",
    "ensure",
    "enter",
    "execute",
    "find",
    "follow",
    "go",
    "import",
    "insert",
    "install",
    "keep",
    "make",
    "move",
    "navigate",
    "note",
    "open",
    "paste",
    "pick",
    "press",
    "put",
    "read",
    "remove",
    "rename",
    "replace",
    "restart",
    "run",
    "save",
    "search",
    "select",
    "send",
    "set",
    "start",
    "stop",
    "try",
    "turn",
    "type",
    "update",
    "use",
];
/// Words of a line that make it one of prose.
const PROSE_WORDS: usize = 5;

/// What a text looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shape {
    /// All words.
    pub(super) n_words: usize,
    /// Words outside of links, addresses and code.
    pub(super) n_prose: usize,
    /// Words and addresses of links.
    pub(super) n_linked: usize,
    /// Links to the web.
    pub(super) n_links_out: usize,
    /// Links to notes.
    pub(super) n_links_in: usize,
    /// Headings.
    pub(super) n_headings: usize,
    /// Blocks of prose.
    pub(super) n_paragraphs: usize,
    /// Numbered steps.
    pub(super) n_steps: usize,
    /// Things to do.
    pub(super) n_tasks: usize,
    /// Lines of code.
    pub(super) n_code: usize,
    /// Sentences and items that tell somebody to do something.
    pub(super) n_orders: usize,
    /// What only advertisements say.
    pub(super) n_pitches: usize,
    /// Exclamation marks and words in capitals.
    pub(super) n_shouts: usize,
    /// Different words.
    pub(super) n_distinct: usize,
}

impl Shape {
    /// Looks at a text.
    pub(super) fn of(title: &str, text: &str) -> Self {
        let mut shape = Self::default();
        let mut distinct = std::collections::HashSet::new();
        let (mut is_code, mut is_open) = (false, false);
        for line in text.lines().map(str::trim) {
            if line.starts_with("```") || line.starts_with("~~~") {
                is_code = !is_code;
            } else if is_code {
                shape.n_code += usize::from(!line.is_empty());
            } else {
                let n_prose = shape.line(line, &mut distinct);
                let is_prose = n_prose >= PROSE_WORDS && !line.starts_with('#');
                shape.n_paragraphs += usize::from(is_prose && !is_open);
                is_open = !line.is_empty();
            }
        }
        let all = format!("{title}\n{text}").to_lowercase();
        shape.n_pitches = PITCHES.iter().filter(|pitch| all.contains(**pitch)).count();
        shape.n_shouts = title.matches('!').count() + text.matches('!').count()
            - text.matches("![").count().min(text.matches('!').count());
        let capitals =
            |word: &str| word.chars().count() > 3 && word.chars().all(char::is_uppercase);
        shape.n_shouts += words::words(title)
            .filter(|word| capitals(word.text))
            .count();
        shape.n_distinct = distinct.len();
        shape
    }

    /// Looks at a line, and returns how many words of prose it has.
    fn line(&mut self, line: &str, distinct: &mut std::collections::HashSet<String>) -> usize {
        self.n_headings +=
            usize::from(line.starts_with('#') && line.trim_start_matches('#').starts_with(' '));
        let item = line.trim_start_matches(['-', '*', '+', '>', ' ']);
        self.n_tasks += usize::from(["[ ] ", "[x] "].iter().any(|mark| item.starts_with(mark)));
        let numbered = item.split_once(['.', ')']).filter(|(number, rest)| {
            !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && rest.starts_with(' ')
        });
        self.n_steps += usize::from(numbered.is_some());
        let (prose, linked) = self.without_links(numbered.map_or(item, |(_, rest)| rest));
        self.n_linked += linked;
        let mut n_prose = 0;
        for word in words::words(&prose) {
            n_prose += 1;
            distinct.insert(word.text.to_lowercase());
        }
        for sentence in prose.split(['.', ':', ';', '!', '?']) {
            let first = words::words(sentence)
                .next()
                .map(|word| word.text.to_lowercase());
            self.n_orders += usize::from(first.is_some_and(|word| ORDERS.contains(&&*word)));
        }
        self.n_prose += n_prose;
        self.n_words += n_prose + linked;
        n_prose
    }

    /// Returns a line without its links, and how many words these have.
    fn without_links(&mut self, line: &str) -> (String, usize) {
        let (mut prose, mut n_linked) = (String::with_capacity(line.len()), 0);
        let mut rest = line;
        while let Some(at) = rest.find(['[', 'h', '<']) {
            prose.push_str(&rest[..at]);
            rest = &rest[at..];
            let (taken, shown) = match link(rest) {
                Some(Link::Note(taken, shown)) => {
                    self.n_links_in += 1;
                    // What a note is called is part of the sentence.
                    prose.push_str(shown);
                    n_linked += usize::from(prose.trim().is_empty());
                    rest = &rest[taken..];
                    continue;
                }
                Some(Link::Web(taken, shown)) => (taken, shown),
                None => {
                    let next = rest.chars().next().map_or(1, char::len_utf8);
                    prose.push_str(&rest[..next]);
                    rest = &rest[next..];
                    continue;
                }
            };
            self.n_links_out += 1;
            n_linked += 1 + words::words(shown).count();
            rest = &rest[taken..];
        }
        prose.push_str(rest);
        (prose, n_linked)
    }

    /// Returns how much of the text is links.
    pub(super) fn link_share(&self) -> f32 {
        self.n_linked as f32 / self.n_words.max(1) as f32
    }
}

enum Link<'a> {
    /// `[[Note]]`: its bytes and what it shows.
    Note(usize, &'a str),
    /// `[text](https://…)` or a bare address.
    Web(usize, &'a str),
}

fn link(text: &str) -> Option<Link<'_>> {
    if let Some(rest) = text.strip_prefix("[[") {
        let end = rest.find("]]")?;
        let shown = rest[..end].rsplit('|').next().unwrap_or_default();
        return Some(Link::Note(end + 4, shown));
    }
    if let Some(rest) = text.strip_prefix('[') {
        let end = rest.find("](")?;
        let shown = &rest[..end];
        let close = rest[end..].find(')')?;
        let whole = end + close + 2;
        let address = rest[end + 2..end + close].trim_start_matches('<');
        return Some(match address.contains("://") {
            true => Link::Web(whole, shown),
            false => Link::Note(whole, shown),
        });
    }
    let bare = text.trim_start_matches('<');
    if bare.starts_with("http://") || bare.starts_with("https://") {
        let end = text.find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"'));
        return Some(Link::Web(end.unwrap_or(text.len()), ""));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_links_steps_and_pitches_are_told_apart() {
        let text = "# Roof\n\nThe roof leaks when it rains, see [[Gutters]] and [this](https://a.example/x).\n\n\
                    1. Open the hatch.\n2. Check the tiles.\n- [ ] Call Esko\n\n```\nls\n```\n";
        let shape = Shape::of("Roof", text);
        assert_eq!(
            (shape.n_headings, shape.n_steps, shape.n_tasks, shape.n_code),
            (1, 2, 1, 1)
        );
        assert_eq!(
            (shape.n_links_in, shape.n_links_out, shape.n_paragraphs),
            (1, 1, 1)
        );
        assert!(shape.n_orders >= 3 && shape.n_pitches == 0, "{shape:?}");
        let list = Shape::of(
            "Links",
            "- [One two](https://a.example)\n- https://b.example/long\n",
        );
        assert!(list.link_share() > 0.9, "{list:?}");
        let pitch = Shape::of("HURRY! 50% off", "Buy now! Free shipping!!! Limited offer.");
        assert!(pitch.n_pitches >= 4 && pitch.n_shouts >= 5, "{pitch:?}");
        // No text is too odd to be looked at.
        for odd in [
            "[", "[[", "[a](", "http", "<", "[é](x)", "![", "#", "1.", "[[a|b",
        ] {
            Shape::of(odd, odd);
        }
    }
}
