//! Tests on the value of a property. Pure.

use std::cmp::Ordering;

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::date::{Period, parse_period};
use super::filter::Text;
use super::fold::{collapse, fold, is_same_ignoring_case};
use super::pattern::Pattern;
use crate::budget::Budget;

/// What is asked of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyTest {
    /// It is there.
    Exists,
    /// It is there and has no value.
    IsEmpty,
    /// A value contains it; a number equals it.
    Contains(Text),
    /// A value is just that.
    Equals(Text),
    /// A value matches.
    Matches(Pattern),
    /// A number or a date lies on the right side.
    Compares(Compare),
}

/// A comparison with a number or a date.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    pub(super) comparison: Comparison,
    /// What it is compared with, as typed.
    pub(super) shown: String,
    number: Option<f64>,
    /// `2026` may be a number and a year.
    period: Option<Period>,
}

/// How two values must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `=`
    Equal,
}

impl Compare {
    /// Reads `<5`, `>= 2026-03`, `<"last week"`; `None` if it compares with neither number nor date.
    pub(super) fn parse(text: &str, today: Date) -> Option<Self> {
        const SIGNS: [(&str, Comparison); 5] = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
            ("=", Comparison::Equal),
        ];
        let (operand, comparison) = SIGNS
            .iter()
            .find_map(|(sign, comparison)| Some((text.strip_prefix(sign)?, *comparison)))?;
        let shown = operand.trim().trim_matches('"').trim();
        let number = shown.parse().ok().filter(|number: &f64| number.is_finite());
        let period = parse_period(shown, today);
        (number.is_some() || period.is_some()).then(|| Self {
            comparison,
            shown: shown.to_owned(),
            number,
            period,
        })
    }

    fn holds(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => self.holds_number(number.as_f64()),
            Value::String(text) => match (self.period, date_in(text)) {
                (Some(period), Some(date)) => self.holds_date(date, period),
                _ => self.holds_number(text.trim().parse().ok()),
            },
            _ => false,
        }
    }

    fn holds_number(&self, number: Option<f64>) -> bool {
        let (Some(number), Some(other)) = (number, self.number) else {
            return false;
        };
        number
            .partial_cmp(&other)
            .is_some_and(|ordering| self.comparison.holds(ordering))
    }

    fn holds_date(&self, date: Date, period: Period) -> bool {
        let ordering = if date < period.first {
            Ordering::Less
        } else if date < period.end {
            Ordering::Equal
        } else {
            Ordering::Greater
        };
        self.comparison.holds(ordering)
    }
}

impl Comparison {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
            Self::Equal => ordering.is_eq(),
        }
    }
}

impl PropertyTest {
    /// Whether the property `name` passes.
    pub(super) fn holds(
        &self,
        name: &str,
        properties: &Map<String, Value>,
        budget: &Budget,
    ) -> bool {
        let exact = properties.get(name);
        let value = exact.or_else(|| {
            let mut all = properties.iter();
            all.find(|(key, _)| is_same_ignoring_case(key, name))
                .map(|(_, value)| value)
        });
        let Some(value) = value else {
            return false;
        };
        match self {
            Self::Exists => true,
            Self::IsEmpty => is_empty(value),
            _ => self.holds_for(value, budget),
        }
    }

    fn holds_for(&self, value: &Value, budget: &Budget) -> bool {
        match value {
            Value::Array(values) => values.iter().any(|value| self.holds_for(value, budget)),
            Value::Object(values) => values.values().any(|value| self.holds_for(value, budget)),
            value => match self {
                Self::Exists => true,
                Self::IsEmpty => is_empty(value),
                Self::Contains(text) => contains(value, text),
                Self::Equals(text) => as_compared(&written(value), text).trim() == text.needle,
                Self::Matches(pattern) => pattern.is_match(&written(value), budget),
                Self::Compares(compare) => compare.holds(value),
            },
        }
    }
}

/// Whether text contains the words; a number has to be equal, for 15 is not a kind of 5.
fn contains(value: &Value, text: &Text) -> bool {
    if let Value::Number(number) = value
        && let Ok(wanted) = text.needle.parse::<f64>()
    {
        return number.as_f64() == Some(wanted);
    }
    as_compared(&written(value), text).contains(&text.needle)
}

fn as_compared(written: &str, text: &Text) -> String {
    if text.is_cased {
        collapse(written)
    } else {
        fold(written)
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.iter().all(is_empty),
        Value::Object(values) => values.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the day that a text begins with: `2026-03-05`, `2026-03-05T10:00`.
fn date_in(text: &str) -> Option<Date> {
    let day = text.trim().get(..10)?;
    let is_over = !text.trim()[10..].starts_with(|c: char| c.is_alphanumeric() && c != 'T');
    day.parse().ok().filter(|_| is_over)
}
