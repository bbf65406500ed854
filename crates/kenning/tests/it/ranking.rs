//! What counts in the order of hits, and what does not: repeated text, stubs, unknown scripts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::embed::embedded;
use kenning::search::{Answer, Evidence, Mode, SearchContext, SearchOptions, Tuning, note_paths};

use crate::support::{TestVault, ask, paths};

/// Texts about other things, so that words differ in rarity.
const OTHERS: [&str; 6] = [
    "The boiler lost pressure again, and the valve in the cellar was replaced on Tuesday.",
    "Flour, water and salt; the dough rests for a night and is folded twice in the morning.",
    "The train to the coast leaves at seven, seats are booked, and the dog stays with Anna.",
    "Ink and paper for the poster were ordered; the second proof is due before the weekend.",
    "Receipts of the year lie in the blue folder, the form for the deduction is still missing.",
    "In the reeds by the lake a heron waits, and nothing moves until the evening comes.",
];

fn vault(notes: &[(&str, String)]) -> TestVault {
    let vault = TestVault::empty();
    for (number, text) in OTHERS.iter().enumerate() {
        vault.write(&format!("other-{number}.md"), text);
    }
    for (path, text) in notes {
        vault.write(path, text);
    }
    vault.update_with(embedded()).unwrap();
    vault
}

fn asked(vault: &TestVault, query: &str, mode: Mode) -> Answer {
    let options = SearchOptions {
        mode,
        ..SearchOptions::at(0)
    };
    ask(&vault.store(), embedded(), query, &options).unwrap()
}

fn found(vault: &TestVault, query: &str) -> Vec<String> {
    paths(&asked(vault, query, Mode::Hybrid).hits)
}

const OAUTH: &str = "# Authentication of the portal\n\nHow the sign-in works, and why it was built this way.\n\n\
    ## OAuth flow\n\nWe use the authorization code flow with PKCE. The implementation lives in the gateway: it \
    sends the browser to the identity provider with a state parameter and a code challenge, receives the code \
    on the callback route, and exchanges it for an access token and a refresh token. Access tokens live for \
    fifteen minutes, refresh tokens for thirty days, and they are rotated at every use. The details of the \
    token store: one row per session, encrypted, and deleted when the person signs out.\n";

#[test]
fn a_stub_of_keywords_does_not_beat_the_note_that_explains() {
    for stub in [
        "# OAuth implementation\n\nOAuth implementation details. TODO: OAuth implementation details, details.\n",
        "# Todo\n\n- oauth implementation details\n- call the bank\n",
        "OAuth implementation details",
        "# OAuth\n\noauth oauth implementation oauth details oauth implementation guide details oauth oauth\n",
    ] {
        let vault = vault(&[
            ("Stub.md", stub.to_owned()),
            ("Portal.md", OAUTH.to_owned()),
        ]);
        for query in [
            "oauth implementation details",
            "how is oauth implemented, in detail?",
        ] {
            let found = found(&vault, query);
            assert_eq!(found[0], "Portal.md", "{query}: {stub:?}");
            assert!(found.contains(&"Stub.md".to_owned()), "{query}: {stub:?}");
        }
    }
}

#[test]
fn a_short_note_that_answers_stays_first() {
    let vault = vault(&[
        ("Paint.md", "Paint code 7114".to_owned()),
        (
            "Kitchen.md",
            format!("The paint dries slowly in the kitchen. {}", OTHERS[0]),
        ),
    ]);
    assert_eq!(found(&vault, "paint code")[0], "Paint.md");
}

#[test]
fn the_same_passage_is_shown_once_and_tells_where_else_it_stands() {
    let letter = "The gutter on the north side was replaced in October, for 1,180 in all.";
    let vault = vault(&[
        ("a.md", format!("# House\n\n{letter}\n")),
        ("b.md", format!("# Letters\n\n{letter}\n")),
        ("c.md", letter.replace("in October", "in\nOctober")),
    ]);
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Vector] {
        let hits = asked(&vault, "north gutter", mode).hits;
        let first = &hits[0];
        assert_eq!(first.also_in.len(), 2, "{mode:?}: {:?}", first.also_in);
        assert!(!first.also_in.contains(&first.note.path), "{mode:?}");
        let same = hits.iter().filter(|hit| hit.text.contains("1,180"));
        assert_eq!(same.count(), 1, "{mode:?}");
    }
    // Who calls a note by its name gets that one.
    assert_eq!(found(&vault, "c")[0], "c.md");
}

#[test]
fn a_note_is_ranked_once_though_it_has_what_another_one_has() {
    let letter = "The gutter on the north side was replaced in October, for 1,180 in all.";
    let own =
        "A second gutter, on the south side of the barn, was cleaned by Esko in May. ".repeat(20);
    let vault = vault(&[
        ("a.md", format!("# House\n\n{letter}\n")),
        (
            "b.md",
            format!("# Letters\n\n{letter}\n\n# Barn\n\n{own}\n"),
        ),
    ]);
    let cx = SearchContext {
        store: &vault.store(),
        embedder: embedded(),
        tuning: &Tuning::default(),
        budget: &kenning::budget::Budget::default(),
    };
    let options = SearchOptions {
        per_note: 1,
        ..SearchOptions::at(0)
    };
    let ranked = note_paths(&cx, "north gutter", &options).unwrap();
    for note in ["a.md", "b.md"] {
        let n = ranked.iter().filter(|path| *path == note).count();
        assert_eq!(n, 1, "{ranked:?}");
    }
}

#[test]
fn what_many_notes_repeat_says_little_about_any_of_them() {
    let footer =
        "Subscribe to the gardening newsletter and get a free pruning calendar every month.";
    let mut notes: Vec<(String, String)> = (0..12)
        .map(|number| {
            let text = format!(
                "# Letter {number}\n\n{} Number {number}.\n\n{footer}\n",
                OTHERS[number % 6]
            );
            (format!("letters/{number}.md"), text)
        })
        .collect();
    notes.push((
        "Trees.md".to_owned(),
        "# Trees\n\nThe plan for the orchard: in late winter the old apple trees need their pruning, the young \
         ones only a little of it. A calendar for the work hangs in the shed, with the days on which frost is \
         likely, and the list of tools that must be sharpened before anything is cut.\n"
            .to_owned(),
    ));
    let notes: Vec<(&str, String)> = notes
        .iter()
        .map(|(path, text)| (path.as_str(), text.clone()))
        .collect();
    let vault = vault(&notes);
    assert_eq!(found(&vault, "pruning calendar")[0], "Trees.md");
    // What only the footer says is found all the same.
    assert!(found(&vault, "gardening newsletter")[0].starts_with("letters/"));
}

/// Questions in scripts that the model was not trained on, and the note that answers each.
const SCRIPTS: [(&str, &str, &str); 8] = [
    (
        "ru1.md",
        "Крышу дома починил сосед Иван в октябре прошлого года.",
        "кто починил крышу",
    ),
    (
        "ru2.md",
        "Кот спит на тёплой печи и не хочет выходить на улицу.",
        "где спит кот",
    ),
    (
        "ru3.md",
        "Хлеб пекут из муки, воды и соли рано утром.",
        "из чего пекут хлеб",
    ),
    (
        "hi1.md",
        "छत की मरम्मत पड़ोसी ने अक्टूबर में की थी।",
        "छत की मरम्मत किसने की",
    ),
    ("hi2.md", "बिल्ली गर्म चूल्हे के पास सोती है।", "बिल्ली कहाँ सोती है"),
    (
        "ar1.md",
        "أصلح الجار سقف المنزل في شهر أكتوبر الماضي.",
        "من أصلح سقف المنزل",
    ),
    (
        "ar2.md",
        "تنام القطة بجانب الموقد الدافئ كل يوم.",
        "أين تنام القطة",
    ),
    (
        "th1.md",
        "เพื่อนบ้านซ่อมหลังคาบ้านเมื่อเดือนตุลาคมที่ผ่านมา",
        "ใครซ่อมหลังคาบ้าน",
    ),
];

#[test]
fn where_the_model_does_not_know_a_script_words_decide() {
    let notes: Vec<(&str, String)> = SCRIPTS
        .iter()
        .map(|&(path, text, _)| (path, text.to_owned()))
        .collect();
    let vault = vault(&notes);
    for (path, _, question) in SCRIPTS {
        let hybrid = asked(&vault, question, Mode::Hybrid);
        assert_eq!(hybrid.hits[0].note.path, path, "{question}");
        assert!(
            hybrid.hits.iter().all(|hit| hit.vector_rank.is_none()),
            "{question}"
        );
        assert!(
            hybrid.evidence > Evidence::Weak,
            "{question}: {:?}",
            hybrid.evidence
        );
    }
    let english = asked(&vault, "what does the heron wait for", Mode::Hybrid);
    assert!(english.hits[0].vector_rank.is_some());
}

#[test]
fn a_list_that_answers_well_is_not_filled_up() {
    let mut notes = vec![(
        "Heron.md",
        "The heron of the lake eats frogs and small fish.".to_owned(),
    )];
    let birds = [
        "stork", "crane", "egret", "bittern", "ibis", "swan", "goose", "duck",
    ];
    let texts: Vec<(String, String)> = birds
        .iter()
        .map(|bird| {
            (
                format!("{bird}.md"),
                format!("The {bird} eats grass and seeds beside the water."),
            )
        })
        .collect();
    notes.extend(
        texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.clone())),
    );
    let vault = vault(&notes);
    let answer = asked(&vault, "heron eats", Mode::Hybrid);
    assert_eq!(answer.evidence, Evidence::Strong);
    assert!(answer.hits.len() <= 4, "{:?}", paths(&answer.hits));
}

#[test]
fn a_word_that_a_question_repeats_counts_more() {
    let vault = vault(&[
        ("a.md", "The slate is old.".to_owned()),
        ("b.md", "The copper is old.".to_owned()),
    ]);
    let first = |query: &str| paths(&asked(&vault, query, Mode::Lexical).hits)[0].clone();
    assert_eq!(first("copper copper or slate, is copper good"), "b.md");
    assert_eq!(first("copper or slate, is slate good"), "a.md");
}
