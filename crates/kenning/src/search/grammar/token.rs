//! A query into tokens. Pure; whatever is typed becomes tokens, and slips become plain text.

use jiff::civil::Date;

use super::date::{Period, Span, parse_period, parse_span};
use super::filter::TaskState;
use super::fold::is_only_punctuation;
use super::mend::{mend, push_new};
use super::scan;

/// Deeper brackets are left out: nobody means them, and the stack is finite.
const DEPTH_MAX: usize = 32;
/// What stands before the colon where a credential was masked: `[REDACTED:npm-token]`.
const MASKED: &str = "REDACTED";
/// The most words a date has: "vor 3 Tagen".
const DATE_WORDS_MAX: usize = 3;

/// What stands before a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    File,
    Path,
    Content,
    MatchCase,
    IgnoreCase,
    Tag,
    Type,
    Line,
    Block,
    Section,
    Task(TaskState),
    Since,
    Before,
    On,
    AsOf,
    Created,
    Modified,
    Published,
}

const OPERATORS: [(&str, Operator); 20] = [
    ("file:", Operator::File),
    ("path:", Operator::Path),
    ("content:", Operator::Content),
    ("match-case:", Operator::MatchCase),
    ("ignore-case:", Operator::IgnoreCase),
    ("tag:", Operator::Tag),
    ("type:", Operator::Type),
    ("line:", Operator::Line),
    ("block:", Operator::Block),
    ("section:", Operator::Section),
    ("task:", Operator::Task(TaskState::Any)),
    ("task-todo:", Operator::Task(TaskState::Todo)),
    ("task-done:", Operator::Task(TaskState::Done)),
    ("since:", Operator::Since),
    ("before:", Operator::Before),
    ("on:", Operator::On),
    ("as-of:", Operator::AsOf),
    ("created:", Operator::Created),
    ("modified:", Operator::Modified),
    ("published:", Operator::Published),
];

/// What people type for an operator, and the one that they mean.
const SLIPS: [(&str, &str); 16] = [
    ("tags:", "tag:"),
    ("types:", "type:"),
    ("paths:", "path:"),
    ("folder:", "path:"),
    ("dir:", "path:"),
    ("files:", "file:"),
    ("filename:", "file:"),
    ("lines:", "line:"),
    ("blocks:", "block:"),
    ("sections:", "section:"),
    ("tasks:", "task:"),
    ("todo:", "task-todo:"),
    ("done:", "task-done:"),
    ("after:", "since:"),
    ("until:", "before:"),
    ("asof:", "as-of:"),
];

impl Operator {
    /// Whether a date follows.
    pub(super) fn is_date(self) -> bool {
        matches!(self, Self::Since | Self::Before | Self::AsOf) || self.takes_span()
    }

    /// Whether the date may have a sign before it, or be two with dots between.
    fn takes_span(self) -> bool {
        matches!(
            self,
            Self::On | Self::Created | Self::Modified | Self::Published
        )
    }
}

/// One piece of a query.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) is_negated: bool,
    pub(super) operator: Option<Operator>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What a [`Token`] is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Word(String),
    /// A slip: text that never becomes a condition.
    Text(String),
    Phrase(String),
    Regex {
        source: String,
        flags: String,
    },
    /// A bare `#tag`, without the `#`.
    Tag(String),
    /// The name in `[[…]]`.
    Link(String),
    Property {
        name: String,
        value: Option<String>,
    },
    Date(Period),
    Days(Span),
    Open,
    Close,
    Or,
}

/// How much of the grammar is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it.
    Query,
    /// What may stand behind the colon in `[property:value]`.
    Value,
}

/// Cuts `source` into tokens; what the person should know of slips goes to `notices`.
pub(super) fn tokens(
    source: &str,
    extent: Extent,
    today: Date,
    notices: &mut Vec<String>,
) -> Vec<Token> {
    let mut lexer = Lexer {
        source,
        extent,
        today,
        at: 0,
        tokens: Vec::new(),
        open: Vec::new(),
        n_left_out: 0,
        hopeless: Vec::new(),
        notices,
    };
    lexer.run();
    let Lexer { tokens, open, .. } = lexer;
    mend(tokens, &open, source, notices)
}

struct Lexer<'a> {
    source: &'a str,
    extent: Extent,
    today: Date,
    at: usize,
    tokens: Vec<Token>,
    /// The tokens of the brackets that are open.
    open: Vec<usize>,
    /// How many more are open, below the greatest depth.
    n_left_out: usize,
    /// Quotes and brackets that are not closed anymore: looked for once, not at each of them.
    hopeless: Vec<char>,
    notices: &'a mut Vec<String>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if self.rest().is_empty() {
                break;
            }
            self.token();
        }
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn is_in_bracket(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns where the word that starts at `at` ends.
    fn word_end(&self, at: usize) -> usize {
        at + scan::word_len(&self.source[at..], self.is_in_bracket())
    }

    fn notice(&mut self, text: String) {
        push_new(self.notices, text);
    }

    fn token(&mut self) {
        let start = self.at;
        if self.rest().starts_with(')') && self.is_in_bracket() {
            self.at += 1;
            self.close(start);
            return;
        }
        let is_or = scan::is_or(self.rest(), self.is_in_bracket());
        if is_or {
            self.at += 2;
            self.push(Kind::Or, false, None, start);
            return;
        }
        let is_negated = scan::is_negation(self.rest()) && !self.is_joined_on();
        if is_negated {
            self.at += 1;
        }
        let (operator, kind) = self.atom(start, is_negated);
        match kind {
            // `-[1]`, `-"unclosed`: what is behind the hyphen turned out not to be a condition.
            Kind::Word(_) if is_negated && scan::is_special(&self.source[start + 1..]) => {
                let text = self.source[start..self.at].to_owned();
                self.push(Kind::Word(text), false, None, start);
            }
            Kind::Text(_) => self.push(kind, false, None, start),
            Kind::Open => self.open(start, is_negated, operator),
            kind => self.push(kind, is_negated, operator, start),
        }
    }

    /// Whether the hyphen stands for what the word before had in front: "Inhaberkarten und -marken".
    fn is_joined_on(&self) -> bool {
        let is_word = (self.rest().chars().nth(1)).is_some_and(char::is_alphabetic);
        let before = self.tokens.last().map(|token| &token.kind);
        let is_and = |word: &str| scan::JOINING.contains(&word.to_lowercase().as_str());
        is_word && matches!(before, Some(Kind::Word(word)) if is_and(word))
    }

    fn push(&mut self, kind: Kind, is_negated: bool, operator: Option<Operator>, start: usize) {
        self.tokens.push(Token {
            kind,
            is_negated,
            operator,
            start,
            end: self.at,
        });
    }

    fn open(&mut self, start: usize, is_negated: bool, operator: Option<Operator>) {
        if self.open.len() >= DEPTH_MAX {
            self.n_left_out += 1;
            self.notice("the brackets are nested too deeply; the innermost were left out".into());
            return;
        }
        self.open.push(self.tokens.len());
        self.push(Kind::Open, is_negated, operator, start);
    }

    fn close(&mut self, start: usize) {
        if self.n_left_out > 0 {
            self.n_left_out -= 1;
            return;
        }
        self.open.pop();
        self.push(Kind::Close, false, None, start);
    }

    /// Reads what is not `OR`, a hyphen or a closing bracket; `start` is where its hyphen stands.
    fn atom(&mut self, start: usize, is_negated: bool) -> (Option<Operator>, Kind) {
        if self.extent == Extent::Query
            && let Some((name, operator)) = operator_at(self.rest())
        {
            let value_at = self.at + name.len();
            let kind = if operator.is_date() && !(is_negated && operator == Operator::AsOf) {
                self.date(start, value_at, operator)
            } else {
                self.value(start, value_at, operator)
            };
            return (Some(operator), kind);
        }
        let kind = match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                Some(Kind::Open)
            }
            Some('"' | '“' | '„') => self.phrase(),
            Some('/') => self.regex(),
            Some('[' | '!') if self.extent == Extent::Query => {
                self.link().or_else(|| self.property())
            }
            Some('#') if self.extent == Extent::Query => self.tag(),
            _ => None,
        };
        (None, kind.unwrap_or_else(|| self.word()))
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        self.at = self.word_end(start);
        let word = &self.source[start..self.at];
        if self.extent == Extent::Query
            && let Some((typed, meant)) = slip_at(word)
        {
            let value = &word[typed.len()..];
            self.notice(format!(
                "{typed} is not an operator; did you mean {meant}{value}?"
            ));
        }
        Kind::Word(word.to_owned())
    }

    /// Reads all up to `end` as mere text.
    fn slip(&mut self, start: usize, end: usize, notice: String) -> Kind {
        self.at = end;
        self.notice(notice);
        Kind::Text(self.source[start..end].to_owned())
    }

    fn phrase(&mut self) -> Option<Kind> {
        let quote = self.rest().chars().next()?;
        if self.hopeless.contains(&quote) {
            return None;
        }
        let Some((text, len)) = scan::phrase(self.rest()) else {
            self.hopeless.push(quote);
            self.notice("the quote was not closed, so it was read as text".into());
            return None;
        };
        self.at += len;
        Some(Kind::Phrase(text))
    }

    fn regex(&mut self) -> Option<Kind> {
        let (source, flags, len) = scan::regex(self.rest())?;
        self.at += len;
        Some(Kind::Regex {
            source: source.to_owned(),
            flags: flags.to_owned(),
        })
    }

    fn link(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let inner = rest.trim_start_matches('!').strip_prefix("[[")?;
        if self.hopeless.contains(&'[') {
            return None;
        }
        let Some((inner, after)) = inner.split_once("]]") else {
            self.hopeless.push('[');
            self.notice("the link was not closed, so [[ was read as text".into());
            return None;
        };
        let name = inner.split(['|', '#']).next().unwrap_or_default().trim();
        if name.is_empty() || inner.contains('\n') || inner.contains("[[") {
            return None;
        }
        self.at += rest.len() - after.len();
        Some(Kind::Link(name.to_owned()))
    }

    fn property(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let is_named = rest[1..].starts_with(|c: char| c.is_alphanumeric() || c == '"');
        if !rest.starts_with('[') || !is_named {
            return None;
        }
        let Some(len) = scan::bracket_len(rest) else {
            self.notice("the bracket was not closed, so [ was read as text".into());
            return None;
        };
        let (name, value) = scan::property(&rest[..len], &rest[len..])?;
        // What stands for a credential that was masked in the query is not a property of a note.
        if name == MASKED {
            self.at += len;
            return Some(Kind::Text(rest[..len].to_owned()));
        }
        if value == Some("") {
            let notice = format!("[{name}:] has no value, so it was read as text");
            return Some(self.slip(self.at, self.at + len, notice));
        }
        self.at += len;
        Some(Kind::Property {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        })
    }

    fn tag(&mut self) -> Option<Kind> {
        let end = self.word_end(self.at);
        let name = scan::tag(&self.source[self.at + 1..end])?;
        self.at = end;
        Some(Kind::Tag(name.to_owned()))
    }

    /// Reads what an operator takes: a word, a phrase, a regular expression or a bracket.
    fn value(&mut self, start: usize, at: usize, operator: Operator) -> Kind {
        if self.source[at..].starts_with('(') {
            self.at = at + 1;
            return Kind::Open;
        }
        let end = self.word_end(at);
        let named = &self.source[self.at..at];
        let mut text = &self.source[at..end];
        if operator == Operator::Tag {
            text = scan::tag_value(text);
        }
        let missing = if operator.is_date() {
            format!("{named} cannot be excluded, so it was read as text")
        } else {
            format!("{named} needs a value right behind the colon, so it was read as text")
        };
        if text.is_empty() || operator.is_date() {
            return self.slip(start, end, missing);
        }
        self.at = at;
        let kind = match text.chars().next() {
            Some('"' | '“' | '„') => match self.phrase() {
                // `task:""` is any task; elsewhere nothing asks for nothing.
                Some(Kind::Phrase(text))
                    if text.trim().is_empty() && !matches!(operator, Operator::Task(_)) =>
                {
                    Some(self.slip(start, self.at, missing))
                }
                Some(phrase) => Some(phrase),
                None => Some(Kind::Text(self.source[start..end].to_owned())),
            },
            Some('/') => self.regex(),
            _ => None,
        };
        if matches!(kind, None | Some(Kind::Text(_))) {
            self.at = self.at.max(end);
        }
        // Behind an operator signs are meant: `content:->`.
        kind.unwrap_or_else(|| match text {
            text if is_only_punctuation(text) => Kind::Phrase(text.to_owned()),
            text => Kind::Word(text.to_owned()),
        })
    }

    /// Reads a date: in quotes, or as many words as make one.
    fn date(&mut self, start: usize, at: usize, operator: Operator) -> Kind {
        let today = self.today;
        let read = |text: &str| match operator.takes_span() {
            true => parse_span(text, today).map(Kind::Days),
            false => parse_period(text, today).map(Kind::Date),
        };
        let rest = &self.source[at..];
        if let Some((text, len)) = scan::phrase(rest) {
            if let Some(kind) = read(&text) {
                self.at = at + len;
                return kind;
            }
            return self.no_date(start, at, at + len);
        }
        let mut ends = vec![self.word_end(at)];
        while ends.len() < DATE_WORDS_MAX {
            let last = ends[ends.len() - 1];
            let rest = &self.source[last..];
            let next = last + rest.len() - rest.trim_start().len();
            ends.push(self.word_end(next));
        }
        for &end in ends.iter().rev() {
            let text = self.source[at..end].trim_end_matches([',', ';']);
            if let Some(kind) = read(text) {
                self.at = end;
                return kind;
            }
        }
        self.no_date(start, at, ends[0])
    }

    fn no_date(&mut self, start: usize, at: usize, end: usize) -> Kind {
        let named = &self.source[self.at..at];
        let text = self.source[at..end].trim_matches('"');
        let notice = if text.is_empty() {
            format!("{named} needs a value right behind the colon, so it was read as text")
        } else {
            format!("“{text}” is not a date, so {named} was read as text")
        };
        self.slip(start, end, notice)
    }
}

fn operator_at(rest: &str) -> Option<(&'static str, Operator)> {
    named_at(&OPERATORS, rest)
}

/// Returns what was typed in place of an operator, with a value behind it.
fn slip_at(word: &str) -> Option<(&'static str, &'static str)> {
    named_at(&SLIPS, word).filter(|(typed, _)| word.len() > typed.len())
}

/// Finds the row whose name stands at the start.
fn named_at<T: Copy>(table: &[(&'static str, T)], rest: &str) -> Option<(&'static str, T)> {
    let found = table.iter().find(|(name, _)| {
        rest.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    })?;
    // `file:///home` is an address and `path::Path` is code.
    let value = &rest[found.0.len()..];
    let is_else = value.starts_with("//") || value.starts_with(':');
    (!is_else).then_some(*found)
}
