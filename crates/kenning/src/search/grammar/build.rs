//! Tokens into a request: what ranks, and what must hold. Pure.

use jiff::civil::Date;

use super::Request;
use super::date::Span;
use super::filter::{Expression, Filter, Matcher, Text, Which};
use super::fold::is_only_punctuation;
use super::mend::push_new;
use super::pattern::Pattern;
use super::property::{Compare, PropertyTest};
use super::token::{Extent, Kind, Operator, Token, tokens};

/// Understands a query.
pub(super) fn build(source: &str, today: Date) -> Request {
    let mut request = Request::default();
    let tokens = tokens(source, Extent::Query, today, &mut request.notices);
    let context = Context {
        field: Field::Text,
        is_cased: false,
        is_content: false,
        is_negated: false,
        is_soft: !has_top_level_or(&tokens),
    };
    let mut builder = Builder {
        tokens: tokens.into_iter(),
        words: Vec::new(),
        request,
        today,
    };
    let filter = builder.expression(context);
    let Builder {
        mut request, words, ..
    } = builder;
    request.filter = filter;
    request.words = words.join(" ");
    request
}

fn has_top_level_or(tokens: &[Token]) -> bool {
    let mut depth = 0usize;
    tokens.iter().any(|token| {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.kind == Kind::Or
    })
}

/// What words are about.
#[derive(Clone, Copy)]
enum Field<'a> {
    Text,
    File,
    Path,
    Tag,
    Type,
    Property(&'a str),
}

/// What is true of the place where a token stands.
#[derive(Clone, Copy)]
struct Context<'a> {
    field: Field<'a>,
    is_cased: bool,
    is_content: bool,
    is_negated: bool,
    /// Whether words only rank.
    is_soft: bool,
}

impl<'a> Context<'a> {
    fn on(self, field: Field<'a>) -> Self {
        Self { field, ..self }
    }

    fn text(self, shown: &str) -> Text {
        Text::new(shown, self.is_cased, self.is_content)
    }
}

struct Builder {
    tokens: std::vec::IntoIter<Token>,
    words: Vec<String>,
    request: Request,
    today: Date,
}

impl Builder {
    /// Reads up to the end of the bracket or of the query.
    fn expression(&mut self, context: Context<'_>) -> Option<Filter> {
        let mut alternatives = Vec::new();
        let mut parts = Vec::new();
        while let Some(token) = self.tokens.next() {
            match token.kind {
                Kind::Close => break,
                Kind::Or => alternatives.extend(Filter::all(std::mem::take(&mut parts))),
                _ => parts.extend(self.condition(token, context)),
            }
        }
        alternatives.extend(Filter::all(parts));
        Filter::any(alternatives)
    }

    fn condition(&mut self, token: Token, context: Context<'_>) -> Option<Filter> {
        let is_plain = !token.is_negated && token.operator.is_none();
        let inner = Context {
            is_negated: context.is_negated || token.is_negated,
            is_soft: context.is_soft && is_plain,
            ..context
        };
        let filter = match token.operator {
            Some(operator) => self.operated(operator, token.kind, inner),
            None => self.plain(token.kind, inner),
        }?;
        Some(if token.is_negated {
            filter.negated()
        } else {
            filter
        })
    }

    fn operated(&mut self, operator: Operator, kind: Kind, context: Context<'_>) -> Option<Filter> {
        let text = context.on(Field::Text);
        let inner = match operator {
            Operator::File => context.on(Field::File),
            Operator::Path => context.on(Field::Path),
            Operator::Tag => context.on(Field::Tag),
            Operator::Type => context.on(Field::Type),
            Operator::Content => Context {
                is_content: true,
                ..text
            },
            Operator::MatchCase => Context {
                is_cased: true,
                ..context
            },
            Operator::IgnoreCase => Context {
                is_cased: false,
                ..context
            },
            _ => text,
        };
        if operator.is_date() {
            return self.dated(operator, kind);
        }
        let is_any = matches!(&kind, Kind::Phrase(text) if text.trim().is_empty());
        let filter = self.plain(kind, inner);
        match operator {
            Operator::Line => Some(Filter::Line(Box::new(filter?))),
            Operator::Block => Some(Filter::Block(Box::new(filter?))),
            Operator::Section => Some(Filter::Section(Box::new(filter?))),
            Operator::Task(state) if is_any => Some(Filter::Task(state, None)),
            Operator::Task(state) => Some(Filter::Task(state, Some(Box::new(filter?)))),
            _ => filter,
        }
    }

    fn dated(&mut self, operator: Operator, kind: Kind) -> Option<Filter> {
        let dated = |which, from, to| Some(Filter::Dated { which, from, to });
        if let Kind::Days(Span { from, to }) = kind {
            let which = match operator {
                Operator::Created => Which::Created,
                Operator::Modified => Which::Modified,
                Operator::Published => Which::Published,
                _ => Which::Any,
            };
            return dated(which, from, to);
        }
        let Kind::Date(period) = kind else {
            return None;
        };
        match operator {
            Operator::Since => dated(Which::Any, Some(period.first), None),
            Operator::Before => dated(Which::Any, None, Some(period.first)),
            _ => {
                if self.request.as_of.is_some() {
                    self.notice("only the last as-of: counts".to_owned());
                }
                self.request.as_of = Some(period.last_day(self.today));
                None
            }
        }
    }

    fn plain(&mut self, kind: Kind, context: Context<'_>) -> Option<Filter> {
        match kind {
            Kind::Text(text) => {
                self.rank(&text, context);
                None
            }
            Kind::Word(text) => self.word(&text, context),
            Kind::Phrase(text) => self.phrase(&text, context),
            Kind::Regex { source, flags } => self.regex(&source, &flags, context),
            Kind::Tag(name) => self.tag(name, context),
            Kind::Link(name) => self.link(name, context),
            Kind::Property { name, value } => self.property(name, value, context),
            Kind::Open => self.expression(Context {
                is_soft: false,
                ..context
            }),
            Kind::Date(_) | Kind::Days(_) | Kind::Close | Kind::Or => None,
        }
    }

    /// Adds to the words that rank, if they are asked for and are about the text.
    fn rank(&mut self, text: &str, context: Context<'_>) {
        let text = text.trim();
        if matches!(context.field, Field::Text) && !context.is_negated && !text.is_empty() {
            self.words.push(text.to_owned());
            self.request.is_prefix = false;
        }
    }

    fn word(&mut self, typed: &str, context: Context<'_>) -> Option<Filter> {
        let text = without_star(typed);
        self.rank(text, context);
        if matches!(context.field, Field::Text) && !context.is_negated {
            self.request.is_prefix = text.len() < typed.len();
        }
        if context.is_soft {
            return None;
        }
        match context.field {
            Field::Text if is_only_punctuation(text) => None,
            Field::Text => Some(Filter::Word(context.text(without_sentence(text)))),
            Field::Property(name) => Some(self.property_word(name, typed, context)),
            _ => Some(named(Matcher::Text(context.text(text)), context)),
        }
    }

    fn phrase(&mut self, text: &str, context: Context<'_>) -> Option<Filter> {
        self.rank(text, context);
        if text.trim().is_empty() {
            return None;
        }
        Some(match context.field {
            Field::Text => Filter::Phrase(context.text(text)),
            Field::Property(name) => property(name, PropertyTest::Equals(context.text(text))),
            Field::Tag => {
                let name = text.trim().trim_start_matches('#').trim_end_matches('/');
                named(Matcher::Text(context.text(name)), context)
            }
            _ => named(Matcher::Text(context.text(text)), context),
        })
    }

    fn regex(&mut self, source: &str, flags: &str, context: Context<'_>) -> Option<Filter> {
        let Some(pattern) = Pattern::new(source, flags, context.is_cased) else {
            self.notice(format!(
                "/{source}/ is not a regular expression that works here, so it was read as words"
            ));
            self.rank(source, context.on(Field::Text));
            return None;
        };
        Some(match context.field {
            Field::Text => Filter::Regex(Expression {
                pattern,
                is_content: context.is_content,
            }),
            Field::Property(name) => property(name, PropertyTest::Matches(pattern)),
            _ => named(Matcher::Pattern(pattern), context),
        })
    }

    /// A bare tag only sees to it that its notes are among the hits.
    fn tag(&mut self, name: String, context: Context<'_>) -> Option<Filter> {
        if !context.is_soft {
            return Some(Filter::Tag(Matcher::Text(context.text(&name))));
        }
        self.rank(&name, context);
        push_new(&mut self.request.tags, name);
        None
    }

    fn link(&mut self, name: String, context: Context<'_>) -> Option<Filter> {
        let condition = Filter::Phrase(context.text(&format!("[[{name}")));
        if !context.is_negated {
            self.rank(&name, context);
            push_new(&mut self.request.pinned, name);
        }
        (!context.is_soft).then_some(condition)
    }

    fn property(
        &mut self,
        name: String,
        value: Option<String>,
        context: Context<'_>,
    ) -> Option<Filter> {
        let Some(value) = value else {
            return Some(property(&name, PropertyTest::Exists));
        };
        let mut notices = std::mem::take(&mut self.request.notices);
        let inside = tokens(&value, Extent::Value, self.today, &mut notices);
        self.request.notices = notices;
        let inside = with_words_joined(inside, &value);
        let outside = std::mem::replace(&mut self.tokens, inside.into_iter());
        let filter = self.expression(Context {
            field: Field::Property(&name),
            is_soft: false,
            ..context
        });
        self.tokens = outside;
        let filter = filter?;
        // `[status:-done]` is about notes that have a status.
        if has_negation(&filter) {
            return Filter::all(vec![property(&name, PropertyTest::Exists), filter]);
        }
        Some(filter)
    }

    fn property_word(&mut self, name: &str, text: &str, context: Context<'_>) -> Filter {
        let test = if text == "null" {
            PropertyTest::IsEmpty
        } else if let Some(compare) = Compare::parse(text, self.today) {
            PropertyTest::Compares(compare)
        } else {
            if text.starts_with(['<', '>']) {
                self.notice(format!(
                    "“{text}” names neither a number nor a date, so it was compared as text"
                ));
            }
            PropertyTest::Contains(context.text(text))
        };
        property(name, test)
    }

    fn notice(&mut self, text: String) {
        push_new(&mut self.request.notices, text);
    }
}

fn property(name: &str, test: PropertyTest) -> Filter {
    Filter::Property {
        name: name.to_owned(),
        test,
    }
}

fn named(matcher: Matcher, context: Context<'_>) -> Filter {
    match context.field {
        Field::File => Filter::File(matcher),
        Field::Tag => Filter::Tag(matcher),
        Field::Type => Filter::Type(matcher),
        _ => Filter::Path(matcher),
    }
}

fn has_negation(filter: &Filter) -> bool {
    match filter {
        Filter::Not(_) => true,
        Filter::All(parts) | Filter::Any(parts) => parts.iter().any(has_negation),
        _ => false,
    }
}

/// Joins neighbouring words: the value in `[status:in progress]` is one.
fn with_words_joined(tokens: Vec<Token>, source: &str) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let is_word = matches!(token.kind, Kind::Word(_)) && !token.is_negated;
        match joined.last_mut() {
            Some(last) if is_word && matches!(last.kind, Kind::Word(_)) => {
                let start = last.start + usize::from(last.is_negated);
                last.kind = Kind::Word(source[start..token.end].to_owned());
                last.end = token.end;
            }
            _ => joined.push(token),
        }
    }
    joined
}

/// Returns the start of a word that was typed as `start*`.
fn without_star(word: &str) -> &str {
    match word.strip_suffix('*') {
        Some(start) if start.ends_with(char::is_alphanumeric) && !start.contains('*') => start,
        _ => word,
    }
}

/// Takes off what a sentence puts around a word; signs of its own stay: `C++`, `.NET`, `f(x)`.
fn without_sentence(word: &str) -> &str {
    let word = word.trim_start_matches(['"', '\'', '“', '„']);
    let n_open = word.matches('(').count();
    let mut n_unopened = word.matches(')').count().saturating_sub(n_open);
    word.trim_end_matches(|c: char| match c {
        ')' if n_unopened > 0 => {
            n_unopened -= 1;
            true
        }
        c => matches!(
            c,
            ',' | '.' | ';' | ':' | '!' | '?' | '"' | '\'' | '“' | '”' | '…'
        ),
    })
}
