//! Arithmetic for the agent, which models get wrong in their heads.
//!
//! `fend-core` parses the text into a tree and works it out exactly, with percentages and units. It is given
//! nothing but signs and words that are listed here: no names to define, no functions of one's own, no dice,
//! no rates of exchange. Length, depth, time and stack are limited, so nothing a model writes does harm.

use std::thread;
use std::time::{Duration, Instant};

/// Most characters of what is asked and of what comes out.
const CHARS_MAX: usize = 300;
const RESULT_CHARS_MAX: usize = 400;
/// Most brackets inside of each other, and most signs in a row.
const DEPTH_MAX: usize = 24;
const SIGNS_MAX: usize = 4;
const TIME_MAX: Duration = Duration::from_millis(200);
/// The tree is walked by recursion; this is several times what the deepest one takes.
const STACK_BYTES: usize = 32 << 20;

/// Signs beside letters, digits and blanks.
const SIGNS: &str = "+-*/^%!().,°$€£";

/// Words that mean an operation, a function or a constant.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "of", "to", "in", "as", "per", "mod", "percent", "pi", "tau", "e", "choose", "permute",
    "sqrt", "cbrt", "abs", "floor", "ceil", "round", "exp", "ln", "log", "log10", "log2",
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "fraction", "decimal", "dp", "sf",
    "hundred", "thousand", "million", "billion", "trillion", "dozen",
];

/// Words that mean a unit; a plural "s" may follow.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "mm", "cm", "dm", "m", "km", "meter", "metre", "kilometer", "kilometre", "inch", "inches", "foot", "feet", "ft",
    "yard", "mile", "acre", "hectare", "ha", "sqft",
    "ms", "s", "sec", "second", "min", "minute", "h", "hr", "hour", "day", "week", "fortnight", "month", "year", "decade",
    "mg", "g", "kg", "gram", "kilogram", "tonne", "ton", "lb", "pound", "oz", "ounce", "stone",
    "ml", "cl", "l", "L", "liter", "litre", "gallon", "pint", "cup", "tbsp", "tsp",
    "K", "C", "F", "celsius", "fahrenheit", "kelvin", "degree", "deg", "rad", "radian",
    "J", "kJ", "MJ", "Wh", "kWh", "MWh", "cal", "kcal", "W", "kW", "MW", "hp", "V", "A", "mA", "Ah", "mAh", "ohm", "Hz", "kHz", "MHz", "GHz",
    "N", "Pa", "kPa", "MPa", "bar", "psi", "atm", "mph", "kph", "kmh", "knot",
    "bit", "byte", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "kbps", "Mbps", "Gbps",
    "USD", "EUR", "GBP", "dollar", "euro", "cent",
];

/// Works out an expression, or says why not.
pub(super) fn calculate(expression: &str) -> Result<String, String> {
    let plain = plain(expression);
    check(&plain)?;
    let worker = thread::Builder::new().stack_size(STACK_BYTES);
    let worker = worker.spawn(move || evaluate(&plain));
    let worker = worker.map_err(|_| "there is no thread to calculate with".to_owned())?;
    worker
        .join()
        .unwrap_or_else(|_| Err("it cannot be worked out".to_owned()))
}

/// Signs as people write them into those that are parsed.
fn plain(expression: &str) -> String {
    let signs = expression.trim().trim_end_matches(['=', '?']).chars();
    signs
        .map(|c| match c {
            '×' | '·' | '∙' => '*',
            '÷' | '∶' => '/',
            '−' | '–' => '-',
            '\u{a0}' | '\u{202f}' | '\n' | '\t' => ' ',
            c => c,
        })
        .collect()
}

fn check(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("the expression is empty".to_owned());
    }
    if text.chars().count() > CHARS_MAX {
        return Err(format!(
            "the expression is longer than {CHARS_MAX} characters"
        ));
    }
    let is_known = |c: char| c.is_ascii_alphanumeric() || c == ' ' || SIGNS.contains(c);
    if let Some(c) = text.chars().find(|&c| !is_known(c)) {
        return Err(format!("{c:?} has no meaning in an expression"));
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    if let Some(word) = words.find(|word| !is_word(word)) {
        return Err(format!(
            "the calculator does not know {word:?}; it takes numbers, + - * / ^ % ! ( ), functions and units"
        ));
    }
    check_depth(text)
}

/// Whether this is a number, or a word that is listed.
fn is_word(word: &str) -> bool {
    let name = word.trim_start_matches(|c: char| c.is_ascii_digit());
    // `1e6` is a number, and so is `3dp` a number of digits.
    let exponent = name.strip_prefix(['e', 'E']);
    let is_number = exponent.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let singular = name.strip_suffix('s').unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    name.is_empty()
        || is_number
        || WORDS.contains(&lower.as_str())
        || UNITS.contains(&name)
        || UNITS.contains(&singular)
}

/// Each bracket and each sign before a number is a step down in the tree.
fn check_depth(text: &str) -> Result<(), String> {
    let (mut depth, mut n_signs) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| *c != ' ') {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        n_signs = match c {
            '+' | '-' | '*' | '/' | '^' | '!' | '%' => n_signs + 1,
            _ => 0,
        };
        if depth > DEPTH_MAX || n_signs > SIGNS_MAX {
            return Err("the expression is nested too deep".to_owned());
        }
    }
    Ok(())
}

/// Ends a calculation in time.
struct Until(Instant);

impl fend_core::Interrupt for Until {
    fn should_interrupt(&self) -> bool {
        Instant::now() > self.0
    }
}

fn evaluate(text: &str) -> Result<String, String> {
    let mut context = fend_core::Context::new();
    let until = Until(Instant::now() + TIME_MAX);
    let result = fend_core::evaluate_with_interrupt(text, &mut context, &until)?;
    let result = result.get_main_result();
    match result.chars().count() {
        0 => Err("there is nothing to work out".to_owned()),
        n if n > RESULT_CHARS_MAX => Err(format!("the result has {n} digits")),
        _ => Ok(result.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, expected: &str) {
        assert_eq!(
            calculate(expression).as_deref(),
            Ok(expected),
            "{expression}"
        );
    }

    #[test]
    fn sums_are_exact() {
        check("15 % of 2,340", "351");
        check("15% of 2340 =", "351");
        check("0.1 + 0.2", "0.3");
        check("2 × (3 − 5) ÷ 4", "-1");
        check("17 mod 5", "2");
        check("2^64", "18446744073709551616");
        check("1/3", "approx. 0.3333333333");
        check("sqrt(144) + abs(-3)", "15");
        check("1e6 / 4", "250000");
        check("3 km + 400 m to m", "3400 m");
        check("5!", "120");
    }

    #[test]
    fn nothing_but_arithmetic_is_done() {
        for (expression, reason) in [
            ("", "empty"),
            ("import os", "does not know \"import\""),
            ("__import__('os')", "'_' has no meaning"),
            ("x = 5", "'=' has no meaning"),
            ("\\x. x x", "'\\\\' has no meaning"),
            ("roll d20", "does not know \"roll\""),
            ("1; 2", "';' has no meaning"),
            ("\"a\" * 9", "'\"' has no meaning"),
            ("today", "does not know \"today\""),
            ("1 +", ""),
            ("1/0", ""),
        ] {
            let error = calculate(expression).unwrap_err();
            assert!(error.contains(reason), "{expression}: {error}");
        }
    }

    #[test]
    fn size_depth_and_time_have_an_end() {
        let deep = format!("{}1{}", "(".repeat(25), ")".repeat(25));
        assert!(calculate(&deep).unwrap_err().contains("too deep"));
        assert!(calculate("-----1").unwrap_err().contains("too deep"));
        assert!(calculate(&"1+".repeat(200)).unwrap_err().contains("longer"));
        assert!(calculate("9^9^9").is_err());
        assert!(calculate("99999999!").is_err());
        assert!(calculate("10^500").unwrap_err().contains("501 digits"));
        // The deepest and the longest that are allowed are worked out.
        let deep = format!("{}1{}", "-(".repeat(24), ")".repeat(24));
        assert_eq!(calculate(&deep).as_deref(), Ok("1"));
        let long = format!("1{}", "+1".repeat(149));
        assert_eq!(calculate(&long).as_deref(), Ok("150"));
        let powers = format!("1{}", "^1".repeat(149));
        assert_eq!(calculate(&powers).as_deref(), Ok("1"));
    }
}
