//! Quotes against chunks.

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

const TEXT: &str = "The **IRS** removed the penalty of “$1,200” — but only for 2023. See [[Taxes|the tax page]]\nfor more. Don’t pay twice.";

fn check(quote: &str, text: &str) -> String {
    let checked = super::check(Some(quote), Some(text));
    let places: Vec<&str> = checked.ranges.iter().map(|r| &text[r.clone()]).collect();
    let line = format!("{} {}", checked.reason.name(), places.join(" | "));
    line.trim().replace('\n', "⏎")
}

#[test]
fn typing_does_not_matter() {
    assert_snapshot!(check("removed the penalty of \"$1,200\" - but only", TEXT), @"match removed the penalty of “$1,200” — but only");
    assert_snapshot!(check("FOR MORE.  don't pay", TEXT), @"match for more. Don’t pay");
    assert_snapshot!(check("\u{201C}Don\u{2019}t pay twice.\u{201D}", TEXT), @"match Don’t pay twice.");
    assert_snapshot!(check("die strasse ist", "Die Straße ist lang."), @"match Die Straße ist");
}

#[test]
fn punctuation_does_not_either() {
    assert_snapshot!(check("but only for 2023, see the tax page", TEXT), @"match but only for 2023. See [[Taxes|the tax page");
    assert_snapshot!(check("Don't pay twice!", TEXT), @"match Don’t pay twice");
    assert_snapshot!(check("the penalty of $1200, but only", TEXT), @"not_found");
    assert_snapshot!(check("the penalty of $1.200 but only", TEXT), @"not_found");
    assert_snapshot!(check("a, b; c, d! e? f (g)", "a b c d e f g"), @"match a b c d e f g");
}

#[test]
fn a_number_is_not_cut_in_two() {
    assert_snapshot!(check("removed the penalty of \"$1,20", TEXT), @"not_found");
    assert_snapshot!(check("removed the penalty of \"$1", TEXT), @"not_found");
    assert_snapshot!(check("200\" - but only for 2023", TEXT), @"not_found");
}

#[test]
fn words_do() {
    assert_snapshot!(check("removed the penalty of $1,300", TEXT), @"not_found");
    assert_snapshot!(check("the penalty removed of", TEXT), @"not_found");
}

#[test]
fn quotes_of_what_a_reader_sees() {
    assert_snapshot!(check("The IRS removed the penalty", TEXT), @"match The **IRS** removed the penalty");
    assert_snapshot!(check("See the tax page for more", TEXT), @"match See [[Taxes|the tax page]]⏎for more");
    assert_snapshot!(check("The **IRS** removed", TEXT), @"match The **IRS** removed");
    assert_snapshot!(check("the __IRS__ removed the", TEXT), @"match The **IRS** removed the");
    assert_snapshot!(check("one two three four", "> one two\n> three four"), @"match one two⏎> three four");
}

#[test]
fn fragments_stand_in_order() {
    assert_snapshot!(check("The IRS … only for 2023", TEXT), @"match The **IRS | only for 2023");
    assert_snapshot!(check("removed the penalty [...] pay twice", TEXT), @"match removed the penalty | pay twice");
    assert_snapshot!(check("...only for 2023.... See", TEXT), @"match only for 2023 | See");
    assert_snapshot!(check("pay twice ... removed the penalty", TEXT), @"not_found");
    assert_snapshot!(check("removed the penalty . . . Don't", TEXT), @"match removed the penalty | Don’t");
    // "emo" stands inside "removed": a few letters prove nothing.
    assert_snapshot!(check("emo … pen … nly … for 2023", TEXT), @"not_found");
    assert_snapshot!(check("wait... and then see", "Wait... and then see."), @"match Wait... and then see");
}

#[test]
fn what_cannot_be_checked() {
    assert_snapshot!(check("2023. See [[", TEXT), @"match 2023. See [[");
    assert_snapshot!(check("the penalty", TEXT), @"too_short");
    assert_snapshot!(check("'the penalty'", TEXT), @"too_short");
    assert_snapshot!(check("... [...] … ............", TEXT), @"too_short");
    assert_snapshot!(check("** ** ** ** ** ** **", "nothing of the kind"), @"not_found");
    assert_snapshot!(check("  ", TEXT), @"no_quote");
    assert_snapshot!(check("a quote of something", " \n"), @"no_chunk_text");
    assert_eq!(super::check(None, None).reason, Reason::NoQuote);
    assert_eq!(
        super::check(Some("a quote of something"), None).reason,
        Reason::NoChunkText
    );
}

#[test]
fn twelve_characters_are_enough() {
    // "he penalty o" has 12, "e penalty o" 11.
    assert_snapshot!(check("he penalty o", TEXT), @"match he penalty o");
    assert_snapshot!(check("e penalty o", TEXT), @"too_short");
}

#[test]
fn a_span_reaches_from_the_first_to_the_last() {
    let checked = super::check(
        Some("first part … last part"),
        Some("first part, then last part."),
    );
    assert_eq!(checked.ranges, [0..10, 17..26]);
    assert_eq!(checked.span(), Some(0..26));
    assert_eq!(super::check(None, None).span(), None);
}

#[test]
fn what_an_answer_comes_to() {
    use Reason::{Match, NoChunkText, NoQuote, NotFound, TooShort};
    let status = |reasons: &[Reason]| Status::of(reasons.iter().copied()).name();
    assert_eq!(status(&[]), "no_quotes");
    assert_eq!(status(&[NoQuote, NoQuote]), "no_quotes");
    assert_eq!(status(&[NoQuote, Match, Match, NoQuote]), "all_verified");
    assert_eq!(status(&[Match, NotFound, TooShort]), "has_mismatch");
    assert_eq!(status(&[TooShort, NotFound]), "has_mismatch");
    assert_eq!(status(&[TooShort, Match]), "unverifiable");
    assert_eq!(status(&[Match, NoChunkText, NoQuote]), "unverifiable");
}

proptest! {
    #[test]
    fn every_part_of_a_text_is_found_in_it(
        text in r"([a-zA-Zéß文“”’—.,*_ \n\[\]|-]){20,60}",
        start in 0usize..30,
    ) {
        let quote: String = text.chars().skip(start).collect();
        let checked = super::check(Some(&quote), Some(&text));
        prop_assert_ne!(checked.reason, Reason::NotFound);
        for range in checked.ranges {
            prop_assert!(text.get(range).is_some());
        }
    }

    #[test]
    fn nothing_breaks_it(quote in r"(\PC|[ \n*.…\[\]]){0,40}", text in r"(\PC|[ \n*.…\[\]]){0,40}") {
        super::check(Some(&quote), Some(&text));
    }
}
