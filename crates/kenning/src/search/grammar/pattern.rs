//! Regular expressions as JavaScript writes them. Pure.
//!
//! They are matched byte by byte by an automaton that is made as it goes, so that each step can be counted:
//! what is typed decides how large it gets, and a few signs are enough for one that takes minutes.

use std::cell::{Cell, OnceCell, RefCell};

use regex::{Regex, RegexBuilder};
use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;

use crate::budget::Budget;

/// Most bytes a compiled expression may take: what is typed must not eat the memory.
const COMPILED_BYTES_MAX: usize = 1 << 20;
/// Bytes that are matched between two looks at the budget.
const BYTES_AT_ONCE: usize = 256;
/// Units of work that a byte costs.
const BYTE_COST: u64 = 2;
/// Units that a new byte of the automaton costs: a state is made of many of the expression's.
const GROWTH_COST: u64 = 16;
/// Bytes of the automaton that are kept; where it grows further, it begins anew.
const AUTOMATON_BYTES_MAX: usize = 2 << 20;
/// How often it may begin anew before it is given up, unless a state of it served so many bytes.
const CLEARED_MAX: usize = 3;
const BYTES_PER_STATE_MIN: usize = 10;
/// States of an expression that are tried at once for one unit, where an automaton cannot tell. Where it grew
/// too large, most of them are; else they are few.
const STATES_PER_UNIT: u64 = 8;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// As typed, without the slashes.
    source: String,
    is_cased: bool,
    /// Whether a dot is also the end of a line: the flag `s`.
    is_across_lines: bool,
    automaton: Box<DFA>,
    cache: RefCell<Box<Cache>>,
    /// Whether the automaton grew too large to be of use.
    is_given_up: Cell<bool>,
    /// For what it cannot decide, such as `\b` beside letters that are not ASCII.
    slow: OnceCell<Option<Regex>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        let parts = |of: &Self| (of.is_cased, of.is_across_lines);
        self.source == other.source && parts(self) == parts(other)
    }
}

impl Pattern {
    /// Compiles what stood between the slashes; `None` if it cannot be understood.
    ///
    /// As in Obsidian, case counts only if it is asked for, whatever the flags say.
    pub(super) fn new(source: &str, flags: &str, is_cased: bool) -> Option<Self> {
        let is_across_lines = flags.contains('s');
        let syntax = syntax::Config::new()
            .case_insensitive(!is_cased)
            // A note is made of lines; `^` for the very first one only would be of no use.
            .multi_line(true)
            .crlf(true)
            .dot_matches_new_line(is_across_lines);
        let config = DFA::config()
            .unicode_word_boundary(true)
            .cache_capacity(AUTOMATON_BYTES_MAX)
            .minimum_cache_clear_count(Some(CLEARED_MAX))
            .minimum_bytes_per_state(Some(BYTES_PER_STATE_MIN))
            .skip_cache_capacity_check(true);
        let automaton = DFA::builder()
            .configure(config)
            .syntax(syntax)
            .thompson(thompson::Config::new().nfa_size_limit(Some(COMPILED_BYTES_MAX)))
            .build(&translate(source))
            .ok()?;
        Some(Self {
            source: source.to_owned(),
            is_cased,
            is_across_lines,
            cache: RefCell::new(Box::new(automaton.create_cache())),
            automaton: Box::new(automaton),
            is_given_up: Cell::new(false),
            slow: OnceCell::new(),
        })
    }

    /// Returns the expression as it was typed.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the expression as it is typed into a query.
    pub(super) fn shown(&self) -> String {
        let flags = if self.is_across_lines { "s" } else { "" };
        format!("/{}/{flags}", self.source)
    }

    /// Whether case counts.
    pub(super) fn is_cased(&self) -> bool {
        self.is_cased
    }

    /// Whether it matches anywhere; never once the budget is used up.
    pub(super) fn is_match(&self, text: &str, budget: &Budget) -> bool {
        let decided = match self.is_given_up.get() {
            true => None,
            false => self.decide(text, budget),
        };
        decided.unwrap_or_else(|| self.is_match_slowly(text, budget))
    }

    /// Matches step by step; `None` where the automaton cannot tell.
    fn decide(&self, text: &str, budget: &Budget) -> Option<bool> {
        let automaton = &self.automaton;
        let cache = &mut **self.cache.borrow_mut();
        let input = Input::new(text);
        let mut state = automaton.start_state_forward(cache, &input).ok()?;
        for bytes in text.as_bytes().chunks(BYTES_AT_ONCE) {
            let before = (cache.memory_usage(), cache.clear_count());
            for &byte in bytes {
                let Ok(next) = automaton.next_state(cache, state, byte) else {
                    self.is_given_up.set(true);
                    return None;
                };
                state = next;
                if !state.is_tagged() {
                    continue;
                }
                if state.is_match() || state.is_dead() {
                    return Some(state.is_match());
                }
                if state.is_quit() {
                    return None;
                }
            }
            let n_grown = match cache.clear_count() == before.1 {
                true => cache.memory_usage().saturating_sub(before.0),
                false => AUTOMATON_BYTES_MAX,
            };
            let cost = BYTE_COST * bytes.len() as u64 + GROWTH_COST * n_grown as u64;
            if !budget.spend(cost) {
                return Some(false);
            }
        }
        let end = automaton.next_eoi_state(cache, state).ok()?;
        Some(end.is_match())
    }

    /// Tries all ways at once, which costs by the size of the expression, and cannot be ended.
    fn is_match_slowly(&self, text: &str, budget: &Budget) -> bool {
        let n_states = self.automaton.get_nfa().states().len() as u64;
        let n_tried = match self.is_given_up.get() {
            true => n_states,
            false => 1 + n_states / STATES_PER_UNIT,
        };
        if !budget.spend(text.len() as u64 * n_tried) {
            return false;
        }
        let slow = self.slow.get_or_init(|| {
            RegexBuilder::new(&translate(&self.source))
                .case_insensitive(!self.is_cased)
                .multi_line(true)
                .crlf(true)
                .dot_matches_new_line(self.is_across_lines)
                .build()
                .ok()
        });
        slow.as_ref().is_some_and(|slow| slow.is_match(text))
    }
}

/// Spells what JavaScript reads as plain text so that the `regex` crate does, too.
fn translate(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut is_in_class = false;
    let mut chars = source.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match c {
            '\\' => {
                chars.next();
                push_escaped(next, &mut out);
            }
            '[' if is_in_class => out.push_str("\\["),
            '[' => {
                is_in_class = true;
                out.push('[');
                if next == Some('^') {
                    chars.next();
                    out.push('^');
                }
            }
            ']' if is_in_class => {
                is_in_class = false;
                out.push(']');
            }
            // Doubled, these join classes in the `regex` crate.
            '&' | '~' | '-' if is_in_class && next == Some(c) => {
                out.push('\\');
                out.push(c);
            }
            '{' if !is_in_class && !is_counter(&source[at..]) && !ends_in_code(&out) => {
                out.push_str("\\{");
            }
            _ => out.push(c),
        }
    }
    out
}

/// Appends what a backslash stood before: JavaScript lets one stand before any sign.
fn push_escaped(escaped: Option<char>, out: &mut String) {
    match escaped {
        Some(c) if c.is_ascii_alphanumeric() => {
            out.push('\\');
            out.push(c);
        }
        Some(c) => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        None => out.push('\\'),
    }
}

/// Whether a brace here would belong to `\u{1f600}`, `\x{41}` or `\p{L}`.
fn ends_in_code(out: &str) -> bool {
    ["\\u", "\\x", "\\p", "\\P"]
        .iter()
        .any(|code| out.ends_with(code))
}

/// Whether the brace opens a `{2}`, `{2,}` or `{2,5}`, not a plain brace.
fn is_counter(rest: &str) -> bool {
    let Some((inner, _)) = rest[1..].split_once('}') else {
        return false;
    };
    let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && is_number(least) && is_number(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Stop;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn check(source: &str, text: &str) -> String {
        match Pattern::new(source, "", false) {
            Some(pattern) => pattern.is_match(text, &Budget::default()).to_string(),
            None => "not understood".to_owned(),
        }
    }

    #[test]
    fn what_javascript_reads_is_read() {
        assert_snapshot!(check(r"\d{4}-\d{2}-\d{2}", "on 2026-03-05"), @"true");
        assert_snapshot!(check(r"a\/b", "a/b"), @"true");
        assert_snapshot!(check(r"[[\]]x", "]x"), @"true");
        assert_snapshot!(check(r"{{.*}}", "a {{name}}"), @"true");
        assert_snapshot!(check(r"\<b\>", "<b>"), @"true");
        assert_snapshot!(check(r"(?<year>\d+)\_\é", "12_é"), @"true");
        assert_snapshot!(check(r"[a&&b]", "&"), @"true");
        assert_snapshot!(check(r"[^a-c]{2,}", "abxx"), @"true");
        assert_snapshot!(check(r"caf\u00e9", "CAFÉ"), @"true");
        assert_snapshot!(check(r"^b$", "a\r\nb\r\nc"), @"true");
    }

    #[test]
    fn words_end_where_letters_of_any_script_do() {
        assert_snapshot!(check(r"\bzug\b", "der Zug fährt"), @"true");
        assert_snapshot!(check(r"\bzug\b", "Zugführer über Züge"), @"false");
        assert_snapshot!(check(r"fährt\b", "der Zug fährt"), @"true");
        assert_snapshot!(check(r"\bäpfel", "drei Äpfel"), @"true");
        assert_snapshot!(check(r"x$", "é\r\nx"), @"true");
    }

    #[test]
    fn an_expression_that_takes_too_long_is_ended() {
        let letters = (0..20_000u32).map(|n| n.wrapping_mul(2_654_435_761) >> 13);
        let text: String = letters.map(|n| (b'a' + (n % 10) as u8) as char).collect();
        // What follows depends on which of the last letters were from a to e, of all of them.
        let source = "[a-e][a-j]{2000}7";
        let pattern = Pattern::new(source, "", false).unwrap();
        let budget = Budget::new(20_000_000, Stop::default());
        assert!(!pattern.is_match(&text, &budget) && budget.check().is_err());
        let enough = Budget::new(1_000_000_000, Stop::default());
        assert!(!pattern.is_match(&text, &enough) && enough.check().is_ok());
        let ended = format!("{text}a{}7", "b".repeat(2_000));
        assert!(pattern.is_match(&ended, &Budget::default()));
        let pattern = Pattern::new(r"\d{4}-\d{2}|e[a-j]{3}", "", false).unwrap();
        let budget = Budget::new(1_000_000, Stop::default());
        assert!(pattern.is_match(&text, &budget) && budget.check().is_ok());
    }

    proptest! {
        /// Step by step, an expression matches what it matches at once.
        #[test]
        fn steps_find_what_the_crate_finds(
            source in "[ab.é|()*+?^$\\\\bwds{}1,2 -]{0,12}",
            text in "[abé \\n1-]{0,40}",
        ) {
            let at_once = RegexBuilder::new(&translate(&source))
                .case_insensitive(true)
                .multi_line(true)
                .crlf(true)
                .build();
            let by_steps = Pattern::new(&source, "", false);
            prop_assert_eq!(at_once.is_ok(), by_steps.is_some());
            if let (Ok(at_once), Some(by_steps)) = (at_once, by_steps) {
                let found = by_steps.is_match(&text, &Budget::default());
                prop_assert_eq!(found, at_once.is_match(&text), "{}", source);
            }
        }
    }

    #[test]
    fn what_cannot_be_understood_says_so() {
        assert_snapshot!(check(r"(", ""), @"not understood");
        assert_snapshot!(check(r"(?=a)b", ""), @"not understood");
        assert_snapshot!(check(r"(a)\1", ""), @"not understood");
        assert_snapshot!(check(r"(((a{100}){100}){100}){100}", ""), @"not understood");
    }
}
