//! Fabricated quotes are flagged every time, true ones pass however they are typed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::budget::Budget;
use kenning::cite::{self, Citation, Reason, Support};
use kenning::search;
use kenning::store::{Known, Store};

use crate::support::{EMBEDDER, TestVault, example};

/// Fabrications of each kind.
const EACH: usize = 40;

/// A sentence of a note.
#[derive(Clone, PartialEq)]
struct Said {
    path: String,
    text: String,
}

/// Sentences without markup, by note.
fn sentences(store: &Store) -> Vec<Said> {
    let mut said = Vec::new();
    for note in store.known(Known::Every).unwrap() {
        let text = text_of(store, &note.path);
        for line in text.lines() {
            let is_plain = !line.contains(['[', ']', '|', '`', '*', '#', '"', '_', '<', '…', '^']);
            let begins = line.starts_with(char::is_uppercase);
            if is_plain && begins && line.split_whitespace().count() >= 8 && !line.contains("...") {
                said.push(Said {
                    path: note.path.clone(),
                    text: line.to_owned(),
                });
            }
        }
    }
    assert!(said.len() > 60, "{} sentences are too few", said.len());
    said
}

/// A note as it is indexed, credentials masked.
fn text_of(store: &Store, path: &str) -> String {
    search::passage(store, path).unwrap().text
}

fn judged(store: &Store, path: &str, quote: &str) -> cite::Verdict {
    let citation = Citation {
        note: Some(path.to_owned()),
        quote: Some(quote.to_owned()),
        ..Citation::default()
    };
    let verdicts = cite::verify(store, vec![citation], &Budget::default());
    verdicts.unwrap().remove(0)
}

#[track_caller]
fn check_flagged(store: &Store, path: &str, quote: &str) {
    let verdict = judged(store, path, quote);
    let is_flagged = verdict.reason == Reason::NotFound && !verdict.is_verified();
    assert!(is_flagged, "{path}: {quote:?} is {}", verdict.reason.name());
}

fn indexed() -> TestVault {
    let vault = example();
    vault.update_with(&*EMBEDDER).unwrap();
    vault
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn fabricated_quotes_are_flagged_every_time() {
    let vault = indexed();
    let store = vault.store();
    let said = sentences(&store);
    // From another note.
    let others = said.iter().zip(said.iter().cycle().skip(17));
    let others = others.filter(|(one, other)| !text_of(&store, &other.path).contains(&one.text));
    let others: Vec<_> = others.take(EACH).collect();
    assert_eq!(others.len(), EACH);
    for (one, other) in others {
        check_flagged(&store, &other.path, &one.text);
    }
    // With another number, of which there may be few sentences: each digit is changed in turn.
    let mut n_numbers = 0;
    for one in &said {
        for (at, digit) in one.text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
            let mut changed = one.text.clone();
            changed.replace_range(at..=at, if digit == '7' { "3" } else { "7" });
            check_flagged(&store, &one.path, &changed);
            n_numbers += 1;
        }
    }
    assert!(n_numbers >= EACH, "{n_numbers}");
    // Two sentences made into one.
    for pair in said.windows(2).take(EACH) {
        let (head, tail) = (words(&pair[0].text), words(&pair[1].text));
        let merged = [&head[..head.len() / 2], &tail[tail.len() / 2..]]
            .concat()
            .join(" ");
        check_flagged(&store, &pair[0].path, &merged);
    }
    // With a word that is not there, and with a word too many.
    for one in said.iter().take(EACH) {
        let mut own = words(&one.text);
        let middle = own.len() / 2;
        own[middle] = "zorbel";
        check_flagged(&store, &one.path, &own.join(" "));
        let mut denied = words(&one.text);
        denied.insert(middle, "never");
        check_flagged(&store, &one.path, &denied.join(" "));
    }
}

#[test]
fn true_quotes_pass_however_they_are_typed() {
    let vault = indexed();
    let store = vault.store();
    for one in sentences(&store) {
        let own = words(&one.text);
        let third = own.len() / 3;
        let end = one.text.trim_end_matches(['.', '!', '?', ',', ':', ';']);
        for quote in [
            one.text.clone(),
            one.text.to_uppercase(),
            own.join("\n  "),
            format!("“{}”", one.text),
            format!("{end},"),
            format!("{end}!"),
            end.to_owned(),
            one.text.replace('\'', "’").replace(" - ", " — "),
            one.text.replace(", ", " ").replace("; ", ", "),
            format!(
                "{} … {}",
                own[..third].join(" "),
                own[third * 2..].join(" ")
            ),
            format!(
                "… {} [...] {}",
                own[..third].join(" "),
                own[third * 2..].join(" ")
            ),
        ] {
            let verdict = judged(&store, &one.path, &quote);
            assert_eq!(verdict.reason, Reason::Match, "{}: {quote:?}", one.path);
            assert!(verdict.is_verified());
        }
    }
}

#[test]
fn claims_without_quotes_are_graded_by_what_they_cite() {
    let vault = indexed();
    let store = vault.store();
    let answer = "Esko Niemi, a retired roofer from next door, hung the gutter [[Roof and Gutters]]. \
        Anna Berg hung the gutter [[Roof and Gutters]]. See [[Boiler]].";
    let verdicts = cite::verify(&store, cite::citations(answer), &Budget::default()).unwrap();
    let support = |place: usize| verdicts[place].graded.as_ref().map(|graded| graded.support);
    assert_ne!(support(0), Some(Support::Unsupported), "{:?}", verdicts[0]);
    assert_eq!(support(1), Some(Support::Unsupported), "{:?}", verdicts[1]);
    assert!(
        verdicts[1]
            .graded
            .as_ref()
            .unwrap()
            .missing
            .contains(&"Berg".to_owned())
    );
    assert_eq!(support(2), None);
    assert_eq!(cite::tally(&verdicts).1, 2);
}
