//! An answer while it forms: hands out each sentence as soon as it is complete, with the numbers behind it.

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Forming {
    whole: String,
    /// Bytes that were handed out.
    n_done: usize,
    /// Whether sentences cannot be told apart any more until the next line.
    is_lost: bool,
}

impl Forming {
    /// Adds a piece; returns what it completed.
    pub(super) fn push(&mut self, piece: &str) -> Vec<String> {
        self.whole.push_str(piece);
        let mut complete = Vec::new();
        loop {
            let rest = &self.whole[self.n_done..];
            if self.is_lost {
                let line = rest.find('\n').map(|end| end + 1);
                self.n_done += line.unwrap_or(rest.len());
                self.is_lost = line.is_none();
            }
            let rest = &self.whole[self.n_done..];
            let Some((end, is_sentence)) = boundary(rest) else {
                return complete;
            };
            if is_sentence {
                complete.push(rest[..end].to_owned());
            }
            self.is_lost = !is_sentence;
            self.n_done += end;
        }
    }

    /// Returns everything.
    pub(super) fn whole(&self) -> &str {
        &self.whole
    }
}

/// Longest text that is held back; what is longer is looked at again when the answer is whole.
const HELD_BYTES_MAX: usize = 2_000;

/// Returns where the first sentence ends, once it is known that nothing more belongs to it; and whether it
/// is one, or merely too long.
fn boundary(text: &str) -> Option<(usize, bool)> {
    let start = prose(text)?;
    for (at, c) in text[start..].char_indices() {
        let end = start + at + c.len_utf8();
        let rest = &text[end..];
        if matches!(c, '.' | '!' | '?' | '。' | '\n') {
            let n_tail = tail(rest);
            let is_over = is_next(&rest[n_tail..], n_tail > 0 || c == '\n');
            if is_over && is_balanced(&text[start..end + n_tail]) {
                return Some((end + n_tail, true));
            }
        }
        if at > HELD_BYTES_MAX {
            return Some((end, false));
        }
    }
    None
}

/// Returns where code and quoted blocks end that a text begins with: they are handed out with what follows
/// them, which may say what they are from.
fn prose(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        let is_fence = body.starts_with("```") || body.starts_with("~~~");
        if !is_code && !is_fence && !body.is_empty() && !body.starts_with('>') {
            return Some(at);
        }
        is_code ^= is_fence;
        at += line.len();
    }
    None
}

/// Bytes of closing marks and numbers in brackets behind a stop.
fn tail(rest: &str) -> usize {
    let mut at = 0;
    loop {
        let more = &rest[at..];
        let closing: usize = (more.chars())
            .take_while(|c| matches!(c, '"' | '”' | '“' | '’' | '»' | ')' | '*' | '_'))
            .map(char::len_utf8)
            .sum();
        let blanks = more[closing..].len() - more[closing..].trim_start_matches([' ', '\n']).len();
        let number = more[closing + blanks..].strip_prefix(['[', '【']);
        let number = number.and_then(|inner| inner.find([']', '】']).map(|end| &inner[..end]));
        let is_number = |text: &str| {
            text.chars()
                .all(|c| c.is_ascii_digit() || " ,-–^".contains(c))
        };
        match number.filter(|number| is_number(number)) {
            Some(number) => {
                let open = more[closing + blanks..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8);
                let close = more[closing + blanks + open + number.len()..]
                    .chars()
                    .next();
                at += closing + blanks + open + number.len() + close.map_or(0, char::len_utf8);
            }
            None => return at + closing,
        }
    }
}

/// Whether another sentence begins here, and what is before it is over.
fn is_next(rest: &str, is_over: bool) -> bool {
    let begins = rest.trim_start();
    let has_gap = is_over || rest.starts_with(char::is_whitespace);
    let first = begins.chars().next();
    // What begins with a bracket may be a number that is not all here yet.
    has_gap && first.is_some_and(|c| !matches!(c, '[' | '【' | '(' | ')' | '”' | '—'))
}

/// Whether no quotation is open.
fn is_balanced(text: &str) -> bool {
    let n = |mark: char| text.matches(mark).count();
    let is_closed = match n('„') {
        0 => n('“') == n('”'),
        n_opened => n_opened == n('“') + n('”'),
    };
    is_closed && n('"').is_multiple_of(2) && n('«') == n('»')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let mut forming = Forming::default();
        let mut complete = Vec::new();
        for c in text.chars() {
            complete.extend(forming.push(&c.to_string()));
        }
        assert_eq!(complete, expected, "{text}");
        assert_eq!(forming.whole(), text);
    }

    #[test]
    fn a_sentence_comes_with_its_numbers() {
        check(
            "The gutter leaks [1]. It was \"repaired in May.\" [2] Then nothing",
            &["The gutter leaks [1].", " It was \"repaired in May.\" [2]"],
        );
        check("One. [1][2] Two", &["One. [1][2]"]);
        check("„Eins.“ [1] Zwei. „Drei", &["„Eins.“ [1]", " Zwei."]);
        check("One.【1】 Two", &["One.【1】"]);
        check(
            "- one [1]\n- two [2]\n- three",
            &["- one [1]\n", "- two [2]\n"],
        );
        check(
            "It costs 3.50 a day, e.g. here",
            &["It costs 3.50 a day, e.g."],
        );
        check(
            "He said \"One. Two.\" [3] and left. Then",
            &["He said \"One. Two.\" [3]", " and left."],
        );
    }

    #[test]
    fn what_may_go_on_is_waited_for() {
        check("It is so.", &[]);
        check("It is so. ", &[]);
        check("It is so. [", &[]);
        check("> a quoted block. It\n> goes on.\n\n[1]", &[]);
        check(
            "> a quoted block. It\n> goes on.\n\n[1] says so. And",
            &["> a quoted block. It\n> goes on.\n\n[1] says so."],
        );
        check(
            "```\na. b. c\n```\nSo it is. And",
            &["```\na. b. c\n```\nSo it is."],
        );
        let open = format!("\"{}", "a. ".repeat(1_000));
        let mut forming = Forming::default();
        assert_eq!(forming.push(&open), Vec::<String>::new());
        assert_eq!(forming.push("\" [1]. So it is. And"), Vec::<String>::new());
        assert_eq!(forming.push(" on.\nIt goes. On"), ["It goes."]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_told_twice(text in "([A-Za-z \"“”.!?\\n\\[\\]0-9>-]{0,80})", cut in 1usize..7) {
            let mut forming = Forming::default();
            let chars: Vec<char> = text.chars().collect();
            let mut told = String::new();
            for piece in chars.chunks(cut) {
                told.extend(forming.push(&piece.iter().collect::<String>()));
            }
            prop_assert!(text.starts_with(&told));
            prop_assert_eq!(forming.whole(), &text);
        }
    }
}
