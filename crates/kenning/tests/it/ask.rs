//! Answers by extraction: what is quoted stands in the notes, fits, and is marked where the answer is.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::ask::{AskOptions, Extracted, extract};
use kenning::budget::Budget;
use kenning::cite::{self, Citation, Reason};
use kenning::embed::embedded;
use kenning::search::{Evidence, SearchContext, Tuning};
use kenning::store::Store;
use proptest::prelude::*;

use crate::support::{NOW, TestVault, example, vault};

fn ask(store: &Store, question: &str, is_deep: bool) -> Extracted {
    try_ask(store, question, is_deep).unwrap()
}

fn try_ask(store: &Store, question: &str, is_deep: bool) -> kenning::Result<Extracted> {
    let cx = SearchContext {
        store,
        embedder: embedded(),
        tuning: &Tuning::default(),
        budget: &Budget::default(),
    };
    let options = AskOptions {
        is_deep,
        ..AskOptions::at(NOW)
    };
    extract(&cx, question, &options)
}

fn indexed(vault: TestVault) -> TestVault {
    vault.update_with(embedded()).unwrap();
    vault
}

/// The marked span of the first sentence must have the answer, and the sentence its place.
#[track_caller]
fn check(vault: &TestVault, question: &str, answer: &str, line: u32) {
    let extracted = ask(&vault.store(), question, false);
    let first = extracted.sentences.first().expect("the notes say it");
    let (from, to) = first.answer.expect("a span is marked");
    let span: String = first.text.chars().skip(from).take(to - from).collect();
    assert!(
        span.contains(answer),
        "{question}: {span:?} in {:?}",
        first.text
    );
    assert_eq!(first.lines.0, line, "{question}: {:?}", first.text);
}

/// Every sentence must be found again where it is said to stand, and all must fit.
fn hold_to_it(store: &Store, extracted: &Extracted, question: &str) {
    let n_chars: usize = extracted
        .sentences
        .iter()
        .map(|one| one.text.chars().count())
        .sum();
    assert!(
        extracted.sentences.len() <= 3 && n_chars <= 600,
        "{question}: {n_chars}"
    );
    let citations: Vec<Citation> = extracted
        .sentences
        .iter()
        .map(|one| Citation {
            note: Some(one.note.path.clone()),
            lines: Some(one.lines),
            quote: Some(one.text.clone()),
            ..Citation::default()
        })
        .collect();
    for verdict in cite::verify(store, citations, &Budget::default()).unwrap() {
        assert_eq!(
            verdict.reason,
            Reason::Match,
            "{question}: {:?}",
            verdict.citation
        );
    }
    for one in &extracted.sentences {
        let n_chars = one.text.chars().count();
        assert!(
            one.answer
                .is_none_or(|(from, to)| from < to && to <= n_chars),
            "{question}"
        );
    }
}

const HOUSE: &str = "-- Roof.md --
# Roof

## North gutter

The old one leaked. Esko Niemi repaired the north gutter on 3 May 2024 for $1,180.
The tiles come from a quarry in Wales.

## Cleaning

How the gutter is cleaned:

1. Put the ladder against the north wall.
2. Scoop the leaves into a bucket.
3. Rinse the gutter with `hose --gentle`.
-- Cat.md --
# Cat

The cat sleeps on the sofa all day and eats twice.
";

#[test]
fn who_when_and_how_much_are_marked() {
    let vault = indexed(vault(HOUSE));
    check(&vault, "Who repaired the north gutter?", "Esko Niemi", 5);
    check(&vault, "When was the north gutter repaired?", "May 2024", 5);
    check(&vault, "How much did the north gutter cost?", "1,180", 5);
}

#[test]
fn of_several_prices_the_one_beside_what_was_asked_about_is_marked() {
    let vault = indexed(vault(
        "-- Boiler.md --
# Boiler

Marlys came at nine and changed the circulator cartridge, part 1174-CK9, $214 for it and $130 for her.
",
    ));
    for question in [
        "How much was the cartridge of the boiler?",
        "what did the cartridge cost",
        "Wie viel war die cartridge?",
    ] {
        check(&vault, question, "214", 3);
    }
}

const TOOLS: &str = "-- Pipx.md --
# Pipx

It is very useful, they say.

[Pipx](https://example.org/pipx) is a command line tool to run applications in isolation.

You can list what is installed:

```bash
pipx list
```

You can use `pipx upgrade-all` to upgrade all installed packages of pipx.
-- Paint.md --
# Paint

All codes are from Zenith Paint on Grand Avenue, for walls and trim.

| Room | Color | Code |
|------|-------|------|
| Hall | Linen | 3000-1 |
| Attic | Owl | 5562-3 |
-- Boiler.md --
# Boiler

- **19 January 2026** no heat at six. Pump humming. Marlys changed the cartridge of the boiler, part 1174-CK9, for $214.
-- Rock.md --
# Rock

Rosetta Tharpe was a visionary with a guitar. Yes, she founded the genre of rock and roll.
";

#[test]
fn code_cells_definitions_and_what_goes_before_are_marked() {
    let vault = indexed(vault(TOOLS));
    check(&vault, "what is pipx", "a command line tool", 5);
    check(
        &vault,
        "which command lists what is installed with pipx",
        "pipx list",
        7,
    );
    check(
        &vault,
        "which command upgrades all packages of pipx",
        "pipx upgrade-all",
        13,
    );
    check(&vault, "which paint code is on the attic", "5562-3", 8);
    check(
        &vault,
        "when was the cartridge of the boiler changed",
        "19 January 2026",
        3,
    );
    check(
        &vault,
        "how much did the cartridge of the boiler cost",
        "214",
        3,
    );
    check(
        &vault,
        "who founded the genre of rock and roll",
        "Rosetta Tharpe",
        3,
    );
    for question in [
        "what is pipx",
        "when was the cartridge of the boiler changed",
        "who founded rock and roll",
    ] {
        hold_to_it(
            &vault.store(),
            &ask(&vault.store(), question, false),
            question,
        );
    }
}

const MARKED: &str = "-- Keys.md --
# Keys

Hotkeys differ from [[Editing shortcuts|system keyboard shortcuts]] such as `Ctrl+C`, which **cannot** be changed.

| Action | Shortcut |
|--------|----------|
| Bold text in the [[Editor]] | `Cmd+B` |
| Italic text | `Cmd+I` |
-- Board.md --
# Board

- Open the [[File explorer]] of the board
- Select **New board**.
- Done.
";

#[test]
fn an_answer_reads_as_a_person_sees_it() {
    let vault = indexed(vault(MARKED));
    let store = vault.store();
    let texts = |question: &str| {
        let extracted = ask(&store, question, false);
        hold_to_it(&store, &extracted, question);
        let texts = extracted.sentences.into_iter().map(|one| one.text);
        texts.collect::<Vec<_>>()
    };
    check(&vault, "which shortcut is for bold text", "Cmd+B", 7);
    let texts: Vec<String> = [
        "which shortcut is for bold text",
        "how do hotkeys differ from shortcuts",
        "how do I select a new board",
    ]
    .iter()
    .flat_map(|question| texts(question))
    .collect();
    for wanted in [
        "Bold text in the Editor | Cmd+B",
        "Hotkeys differ from system keyboard shortcuts such as Ctrl+C, which cannot be changed.",
        "Open the File explorer of the board · Select New board. Done.",
    ] {
        assert!(texts.iter().any(|text| text == wanted), "{texts:#?}");
    }
}

#[test]
fn what_the_notes_do_not_say_is_not_made_up() {
    let vault = indexed(vault(HOUSE));
    let extracted = ask(
        &vault.store(),
        "quarterly zeppelin maintenance budget",
        false,
    );
    assert!(extracted.evidence <= Evidence::Weak, "{extracted:?}");
    let nothing = ask(&vault.store(), "xqzzw vbnmk", false);
    assert_eq!(
        (nothing.evidence, nothing.sentences.len()),
        (Evidence::None, 0)
    );
}

#[test]
fn a_wide_walk_reaches_what_the_words_do_not() {
    let notes = "-- Boiler.md --\n# Boiler\n\nThe boiler is looked after as [[Service]] says.\n\
        -- Service.md --\n# Service\n\nEvery October somebody from Halvorsen comes by and checks the pressure.\n";
    let vault = indexed(vault(notes));
    let question = "who looks after the boiler";
    let paths = |is_deep: bool| {
        let extracted = ask(&vault.store(), question, is_deep);
        hold_to_it(&vault.store(), &extracted, question);
        let paths = extracted.sentences.iter().map(|one| one.note.path.clone());
        paths.collect::<Vec<_>>()
    };
    let (fast, deep) = (paths(false), paths(true));
    assert_eq!(fast[0], "Boiler.md");
    assert!(
        fast.iter().all(|path| deep.contains(path)),
        "{fast:?} {deep:?}"
    );
}

#[test]
fn answers_from_the_example_vault_hold() {
    let vault = indexed(example());
    let store = vault.store();
    for question in [
        "who repaired the gutter",
        "Wer hat die Dachrinne repariert?",
        "when is the tax payment due",
        "how much was the penalty",
        "how do I bleed the radiators",
        "where is the spare key",
        "which command makes a backup",
        "what is a letterpress",
        "is the boiler under warranty",
        "kitchen",
        "who does design",
        "what did the IRS write",
    ] {
        let extracted = ask(&store, question, false);
        hold_to_it(&store, &extracted, question);
        hold_to_it(&store, &ask(&store, question, true), question);
    }
}

fn any_block() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z][a-z]{2,8}( [a-zäöé]{1,9}| [A-Z][a-z]{2,6}| [0-9]{1,4}){2,12}[.!?]",
        "- (\\[ \\] )?[a-z]{3,8} \\*\\*[a-z]{3,8}\\*\\* [[a-z]{3,6}\\|[a-z]{3,6}]] [0-9]{1,3}",
        "\\| [a-z]{2,6} \\| [a-z]{2,6} \\|\n\\|---\\|---\\|\n\\| [A-Za-z ]{2,16} \\| [0-9]{1,4} \\|",
        "> [a-z ]{4,30}\n> [a-z ]{4,30}\\.",
        "```\n[a-z]{2,8} --[a-z]{2,6} '[a-z]{1,4}'\n```",
        "## [A-Z][a-z ]{2,14}",
        "[a-z]{3,9}:: \\[[a-z ]{3,9}\\]\\(https://a\\.org/[a-z]{1,5}\\) <b>[a-z]{3,6}</b> &amp; `x_[a-z]{2}`",
        "[a-z]{2,5}",
        "[一-龥]{6,24}。",
        "\\PC{0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_stands_in_a_note_is_quoted_as_it_stands(
        blocks in prop::collection::vec(any_block(), 1..12),
        asked in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let text = blocks.join("\n\n");
        let vault = TestVault::empty();
        vault.write("a.md", &text);
        vault.update_with(embedded()).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        prop_assume!(!words.is_empty());
        let words: Vec<&str> = asked.iter().map(|index| *index.get(&words)).collect();
        let question = format!("what about {}?", words.join(" ").replace(['"', '/'], " "));
        // What is typed may be a condition that makes no sense.
        if let Ok(extracted) = try_ask(&vault.store(), &question, false) {
            hold_to_it(&vault.store(), &extracted, &question);
        }
    }
}
