//! Whether a prompt calls something by its name: `WeakMap`, `max_connections`, CORS, Esko. One such
//! word says what is meant, where ordinary words need company. Pure.

use kenning::search;

use super::QUESTION_WORDS;

/// Shorter words are marks: `OK`, `Hm`.
const NAME_CHARS_MIN: usize = 3;
/// English writes these with a capital, too.
#[rustfmt::skip]
const CALENDAR: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january",
    "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
];

/// Whether one of the words is a name. An identifier always is; what may be emphasis or the custom of
/// a language counts in a question only.
pub(super) fn names_something(prompt: &str) -> bool {
    let is_question = is_question(prompt);
    let mut is_start = true;
    for token in prompt.split_whitespace() {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let is_marked = token.contains("()") || (is_question && token.starts_with('`'));
        let is_name = search::is_identifier(word)
            || (is_marked && !word.is_empty())
            || (is_question && is_acronym(word) && has_lower_case(prompt))
            || (is_question && !is_start && is_proper_name(word));
        if is_name && !is_path(token) {
            return true;
        }
        is_start = token.ends_with(['.', '!', '?', ':']);
    }
    false
}

fn is_question(prompt: &str) -> bool {
    let mut words = prompt.split(|c: char| !c.is_alphanumeric());
    prompt.contains('?') || words.any(|word| QUESTION_WORDS.contains(&word.to_lowercase().as_str()))
}

/// Where a file lies says nothing about what is asked.
fn is_path(token: &str) -> bool {
    token.contains(['/', '\\'])
}

fn is_acronym(word: &str) -> bool {
    let n_upper = word.chars().filter(|c| c.is_uppercase()).count();
    n_upper >= NAME_CHARS_MIN && n_upper == word.chars().filter(|c| c.is_alphabetic()).count()
}

fn has_lower_case(prompt: &str) -> bool {
    let has_lower = |word: &str| word.chars().any(char::is_lowercase);
    prompt.split_whitespace().any(has_lower)
}

/// A capital that no sentence begins with.
fn is_proper_name(word: &str) -> bool {
    let mut chars = word.chars();
    let is_capital = chars.next().is_some_and(char::is_uppercase);
    let is_rest_lower = chars.clone().all(char::is_lowercase);
    let is_long = chars.count() + 1 >= NAME_CHARS_MIN;
    is_capital && is_rest_lower && is_long && !CALENDAR.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompts: &[&str], expected: bool) {
        for prompt in prompts {
            assert_eq!(names_something(prompt), expected, "{prompt:?}");
        }
    }

    #[test]
    fn names_are_recognised() {
        check(
            &[
                "how does WeakMap work",
                "fetch with AbortController",
                "max_connections",
                "decode base64",
                "explain at()",
                "how does `fetch` work",
                "what is CORS",
                "who is Esko?",
                "what did Åsa say",
            ],
            true,
        );
    }

    #[test]
    fn ordinary_words_are_none() {
        check(
            &[
                "what is my blood type",
                "Fix it. Then run it again",
                "PLEASE STOP NOW",
                "commit and push to Main",
                "open src/myFile.rs",
                "what about Monday?",
                "LGTM",
                "is it OK?",
            ],
            false,
        );
    }
}
