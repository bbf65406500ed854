//! What an answer says about itself: the grade, and what was looked for instead.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::budget::Budget;
use kenning::embed::embedded;
use kenning::search::{self, Answer, Evidence, Mode, SearchContext, SearchOptions, Tuning, tuning};

use crate::support::{TestVault, ask, vault};

/// Notes about a house, indexed with the model inside the binary.
fn house() -> TestVault {
    let vault = vault(
        "-- Boiler.md --
# Boiler

The gas boiler in the basement was installed in 2014. Marlys serviced it in September and replaced the
igniter, which cost 240 dollars. Cold pressure should be 14 psi.
-- Roof.md --
# Roof

Esko repaired the north gutter in October and hung new brackets. The bill was 1,180 dollars.
He would not take more. Don't forget to thank him.
-- Garden.md --
# Garden

The roses bloom in June. Deep roots need little water. The set of tools hangs in the shed, and we
graag sit there in the evening.
-- Lists.md --
# Lists

The intersection of two lists holds what is in both. `querySelectorAll` returns
a list of elements, `querySelector` the first of them.
-- Küche.md --
---
lang: de
---
# Küche

Die Müllers haben die neue Küche im Frühling eingebaut und dabei die alten Häuser der Straße gesehen.
-- Budget.md --
# Budget

The kitchen renovation took most of the budget of the year. The rest goes to the roof and the garden.
",
    );
    vault.update_with(embedded()).unwrap();
    vault
}

fn answer(vault: &TestVault, query: &str) -> Answer {
    ask(&vault.store(), embedded(), query, &SearchOptions::at(0)).unwrap()
}

#[track_caller]
fn check_respelled(vault: &TestVault, query: &str, expected: Option<&str>) {
    let answer = answer(vault, query);
    let notice = expected.map(|word| format!("looked for {word} instead"));
    let told = answer.notices.first().cloned().unwrap_or_default();
    match notice {
        Some(notice) => assert!(told.ends_with(&notice), "{query}: {told}"),
        None => assert_eq!(told, "", "{query}"),
    }
}

#[test]
fn slips_are_corrected_as_a_person_would() {
    let vault = house();
    for (query, expected) in [
        ("bolier", Some("boiler")),
        ("obiler", Some("boiler")),
        ("intersction", Some("intersection")),
        ("intersectoin", Some("intersection")),
        ("querySelectorAl", Some("queryselectorall")),
        ("renovaton", Some("renovation")),
        // Four letters have neighbours, too; the first one is likely right.
        ("rofo", Some("roof")),
        ("rof", None),
        // Endings are not slips.
        ("repare", Some("repaired")),
        // Spelled right: the notes just do not say it.
        ("blood", None),
        ("deed", None),
        ("garage", None),
        ("brake", None),
        // No word of the notes is near; that a stem is does not count.
        ("seitan", None),
        ("Döner", None),
        ("xqzvbn", None),
    ] {
        check_respelled(&vault, query, expected);
    }
}

#[test]
fn of_two_corrections_the_one_counts_that_goes_with_the_other_words() {
    let vault = vault(
        "-- a.md --\nBarley grows in the field.\n-- b.md --\nBarney came to visit.\n\
         -- c.md --\nBarney went home.\n",
    );
    vault.update_with(embedded()).unwrap();
    check_respelled(&vault, "barkey", Some("barney"));
    check_respelled(&vault, "barkey field", Some("barley"));
    check_respelled(&vault, "field barkey", Some("barley"));
}

#[test]
fn of_two_corrections_the_likelier_slip_counts() {
    let mut notes = "-- a.md --\nThe intersection of the lessons, in reverse.\n".to_owned();
    for number in 0..9 {
        notes += &format!("-- {number}.md --\nLess interaction, a reversal, and it is off.\n");
    }
    let vault = vault(&notes);
    vault.update_with(embedded()).unwrap();
    // A letter that is missing is likelier than one that was taken for another, and that than an ending.
    check_respelled(&vault, "intersction", Some("intersection"));
    check_respelled(&vault, "lessns", Some("lessons"));
    check_respelled(&vault, "revrse", Some("reverse"));
}

#[test]
fn a_rare_language_is_found_by_its_own_grammar() {
    let mut notes =
        "-- de.md --\n---\nlang: de\n---\nDie Rechnungen wurden bezahlt, und das Dach ist dicht.\n\
         -- ru.md --\nКрышу починил сосед в октябре, стоимость была тысяча долларов.\n"
            .to_owned();
    for number in 0..210 {
        notes += &format!(
            "-- {number}.md --\nThe boiler number {number} was serviced in the autumn of that year.\n"
        );
    }
    let vault = vault(&notes);
    vault.update_with(embedded()).unwrap();
    for (query, path) in [
        ("Rechnungen", "de.md"),
        ("Rechnung", "de.md"),
        ("крышу", "ru.md"),
        ("кто починил крышу", "ru.md"),
    ] {
        let found = answer(&vault, query);
        assert_eq!(found.hits.first().unwrap().note.path, path, "{query}");
        assert!(
            found.evidence >= Evidence::Moderate,
            "{query}: {}",
            found.confidence
        );
    }
}

#[test]
fn a_name_of_code_is_more_than_its_words() {
    let vault = vault(
        "-- a.md --\n# Django databases\n\nDjango recommends that you select the same database for production. \
         The ORM maps related tables to objects.\n-- b.md --\nThe garden needs rain.\n",
    );
    vault.update_with(embedded()).unwrap();
    let scattered = answer(&vault, "select_related");
    assert!(
        scattered.evidence <= Evidence::Weak,
        "{}",
        scattered.confidence
    );
    let scattered = answer(&vault, "Django ORM select_related");
    assert!(
        scattered.evidence < Evidence::Strong,
        "{}",
        scattered.confidence
    );
    vault.write("c.md", "Use `select_related` to follow keys at once.");
    vault.update_with(embedded()).unwrap();
    assert_eq!(answer(&vault, "select_related").evidence, Evidence::Strong);
}

#[test]
fn what_only_fills_a_strong_list_is_left_out_further_down_too() {
    let mut notes = "-- Offer.md --\nThe Chicago offer came in October.\n".to_owned();
    for number in 0..80 {
        notes += &format!(
            "-- {number}.md --\nThe boiler number {number} was serviced in the autumn of that year.\n"
        );
    }
    let vault = vault(&notes);
    vault.update_with(embedded()).unwrap();
    let options = SearchOptions {
        limit: 70,
        ..SearchOptions::at(0)
    };
    let found = ask(&vault.store(), embedded(), "Chicago offer", &options).unwrap();
    assert_eq!(found.evidence, Evidence::Strong);
    assert!(found.hits.len() <= 3, "{}", found.hits.len());
}

#[test]
fn what_was_not_asked_for_carries_no_grade() {
    let vault = house();
    for query in [
        "bolier",
        "intersction",
        "renovaton igntier",
        "north gutterz repaired",
        "boiler basemant pressure",
        // Only accents make them equal.
        "Mullers",
        "kuche",
        // Only the grammar of another language does.
        "Döner",
    ] {
        let answer = answer(&vault, query);
        assert!(answer.evidence <= Evidence::Weak, "{query}: {answer:?}");
        assert!(answer.confidence < 0.5, "{query}: {}", answer.confidence);
    }
    for query in ["boiler igniter", "Müllers", "kitchen renovation budget"] {
        let found = answer(&vault, query);
        assert!(
            found.evidence >= Evidence::Moderate,
            "{query}: {}",
            found.confidence
        );
    }
}

#[test]
fn gibberish_is_none_and_a_name_is_strong() {
    let vault = house();
    for query in ["xqzvbn", "qwfpgj zxcvtrk"] {
        let answer = answer(&vault, query);
        assert_eq!(
            (answer.evidence, answer.hits.len()),
            (Evidence::None, 0),
            "{query}"
        );
    }
    for query in ["Boiler", "küche", "garden.md"] {
        let answer = answer(&vault, query);
        assert_eq!(
            (answer.evidence, answer.confidence),
            (Evidence::Strong, 1.0),
            "{query}"
        );
    }
}

#[test]
fn what_the_notes_do_not_answer_is_weak_at_most() {
    let vault = house();
    for query in [
        "what is my blood type",
        "where is the deed to the house",
        "who painted the garage door",
        "vaccination schedule for the cat",
    ] {
        let answer = answer(&vault, query);
        assert!(
            answer.evidence <= Evidence::Weak,
            "{query}: {}",
            answer.confidence
        );
    }
    for query in [
        "who repaired the north gutter and what did it cost?",
        "what pressure should the boiler have",
        "when was the gas boiler installed in the basement",
    ] {
        let answer = answer(&vault, query);
        assert!(
            answer.evidence >= Evidence::Moderate,
            "{query}: {}",
            answer.confidence
        );
    }
}

/// All words are there but what was asked for: the number, the birthday, the price.
#[test]
fn near_misses_are_weak_at_most() {
    let vault = vault(
        "-- Marlys Voss.md --
Marlys Voss services the boiler. She is always on the phone, so do not call before noon.
-- Esko Niemi.md --
Esko Niemi, retired roofer, lives next door. Telephone 218-555-0143. Born on 3 May 1951.
-- Pilates.md --
The pilates class is on Thursdays in the old school, and it is good for the back.
-- Yoga.md --
The yoga class is $12 a week, in the same old school, on Mondays.
",
    );
    vault.update_with(embedded()).unwrap();
    for (query, is_answered) in [
        ("phone number of Marlys Voss", false),
        ("phone number of Esko Niemi", true),
        ("Marlys Voss's birthday", false),
        ("Esko Niemi's birthday", true),
        ("price of the pilates class", false),
        ("price of the yoga class", true),
    ] {
        let found = answer(&vault, query);
        assert_eq!(
            found.evidence > Evidence::Weak,
            is_answered,
            "{query} {}",
            found.confidence
        );
    }
}

/// Whatever is asked and however it is ranked, the grade is a function of the confidence.
#[test]
fn there_is_one_scale_for_every_mode() {
    let vault = house();
    let store = vault.store();
    let rrf = Tuning {
        fusion: tuning::RRF,
        ..Tuning::default()
    };
    let blend = Tuning::default();
    for (tuning, mode) in [
        (&blend, Mode::Hybrid),
        (&blend, Mode::Lexical),
        (&blend, Mode::Vector),
        (&rrf, Mode::Hybrid),
    ] {
        let cx = SearchContext {
            store: &store,
            embedder: embedded(),
            tuning,
            budget: &Budget::default(),
        };
        let options = SearchOptions {
            mode,
            ..SearchOptions::at(0)
        };
        let ask = |query: &str| search::search(&cx, query, &options).unwrap();
        for query in [
            "north gutter brackets",
            "blood type",
            "bolier",
            "Boiler",
            "xqzvbn",
            "",
        ] {
            let answer = ask(query);
            assert_eq!(answer.evidence, Evidence::of(answer.confidence), "{query}");
        }
        let (said, unsaid) = (ask("north gutter brackets October"), ask("blood type"));
        assert!(
            said.evidence >= Evidence::Moderate,
            "{mode:?}: {}",
            said.confidence
        );
        assert!(
            unsaid.evidence <= Evidence::Weak,
            "{mode:?}: {}",
            unsaid.confidence
        );
    }
}
