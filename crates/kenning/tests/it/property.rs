//! However an index came about, it equals one made anew; and what is gone is gone.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::budget::Budget;
use kenning::chunk::Profile;
use kenning::search::tuning::RRF;
use kenning::search::{self, Mode, SearchContext, SearchOptions, Tuning};
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{EMBEDDER, TestVault, look_into, unpacked_texts, vault};

/// Few names and words, so that notes collide, link to each other and answer the questions.
const PATHS: [&str; 8] = [
    "a.md",
    "b.md",
    "heron.md",
    "x/a.md",
    "x/lake.md",
    "x/y/b.md",
    "2026-01-02.md",
    "plain.txt",
];
const WORDS: [&str; 12] = [
    "heron",
    "herons",
    "lake",
    "the",
    "Winter",
    "reed",
    "Häuser",
    "Haus",
    "编程",
    "#bird",
    "[[lake]]",
    "[[x/a|reed]]",
];
pub(crate) const QUERIES: [&str; 7] = [
    "heron",
    "lake in winter",
    "the reed and the Häuser",
    "编",
    "bird",
    "a",
    "Vertrag",
];

#[derive(Clone, Debug)]
enum Edit {
    Write(&'static str, String),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    Touch(&'static str),
}

/// A few edits, and whether the files are then brought up to date one by one.
type Step = (Vec<Edit>, bool);

pub(crate) fn text() -> impl Strategy<Value = String> {
    let sentence = prop::collection::vec(select(WORDS.to_vec()), 1..40)
        .prop_map(|words| format!("{}.\n\n", words.join(" ")));
    let block = prop_oneof![
        5 => sentence,
        2 => select(WORDS.to_vec()).prop_map(|word| format!("## {word}\n\n")),
        1 => select(WORDS.to_vec()).prop_map(|word| format!("# {word}\n\n")),
        1 => Just("```\n[[code]] #code\n```\n\n%% heron %%\n\n".to_owned()),
        1 => Just("Der Mietvertrag und die Verträge des Hauses sind nicht mehr bei uns.\n\n".to_owned()),
        1 => Just(format!("{}word = \"q8Zt5vX2pLw9RmKd\"\n\n", "pass")),
    ];
    let front = prop_oneof![
        3 => Just(String::new()),
        1 => select(WORDS.to_vec())
            .prop_map(|word| format!("---\naliases: [\"{word}\"]\nkind: \"{word}\"\n---\n")),
        1 => Just("---\ndate: 2025-05-05\ntags: [bird, [}\n---\n".to_owned()),
    ];
    let body = prop::collection::vec(block, 0..7);
    (front, body).prop_map(|(front, body)| front + &body.concat())
}

fn edit() -> impl Strategy<Value = Edit> {
    let path = || select(PATHS.to_vec());
    prop_oneof![
        5 => (path(), text()).prop_map(|(path, text)| Edit::Write(path, text)),
        2 => path().prop_map(Edit::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => path().prop_map(Edit::Touch),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let edits = prop::collection::vec(edit(), 1..6);
    prop::collection::vec((edits, any::<bool>()), 1..5)
}

/// Makes an edit that can be made; returns the paths it concerns.
fn apply(vault: &TestVault, edit: &Edit) -> Vec<&'static str> {
    let exists = |path: &str| vault.root().join(path).is_file();
    match edit {
        Edit::Write(path, text) => {
            vault.write(path, text);
            vec![path]
        }
        Edit::Remove(path) if exists(path) => {
            vault.remove(path);
            vec![path]
        }
        Edit::Rename(from, to) if exists(from) && from != to => {
            vault.rename(from, to);
            vec![from, to]
        }
        Edit::Touch(path) if exists(path) => {
            vault.touch(path);
            vec![path]
        }
        _ => Vec::new(),
    }
}

fn profile() -> impl Strategy<Value = Profile> {
    select(Profile::ALL.to_vec())
}

fn empty_vault(profile: Profile) -> TestVault {
    let mut vault = TestVault::empty();
    vault.options.profile = profile;
    vault
}

/// Makes the edits and keeps up with them.
fn follow(vault: &TestVault, steps: &[Step]) {
    vault.update();
    for (edits, is_one_by_one) in steps {
        let touched: Vec<&str> = edits.iter().flat_map(|edit| apply(vault, edit)).collect();
        if *is_one_by_one {
            for path in touched {
                let known = vault.store().note_at(path).unwrap().is_some();
                if known || vault.root().join(path).is_file() {
                    vault.update_file(path).unwrap();
                }
            }
        } else {
            vault.update();
        }
    }
    vault.update();
}

type Found = (String, u32, u32, f32);

/// What every question finds in every mode and with both ways to fuse.
fn answers(vault: &TestVault) -> Vec<Vec<Found>> {
    let store = vault.store();
    let ways = [
        (Mode::Hybrid, Tuning::default().fusion),
        (Mode::Hybrid, RRF),
        (Mode::Lexical, RRF),
        (Mode::Vector, RRF),
    ];
    let mut answers = Vec::new();
    for query in QUERIES {
        for (mode, fusion) in ways {
            let tuning = &Tuning {
                fusion,
                ..Tuning::default()
            };
            let options = SearchOptions {
                mode,
                limit: 5,
                ..SearchOptions::at(0)
            };
            let cx = SearchContext {
                store: &store,
                embedder: &*EMBEDDER,
                tuning,
                budget: &Budget::default(),
            };
            let found = search::search(&cx, query, &options).unwrap().hits;
            let found = found.into_iter().map(|hit| {
                let (start, end) = (hit.chunk.start_line, hit.chunk.end_line);
                (hit.note.path.clone(), start, end, hit.score)
            });
            answers.push(found.collect());
        }
    }
    answers
}

fn are_alike(a: &[Vec<Found>], b: &[Vec<Found>]) -> bool {
    let is_same = |(a, b): (&Found, &Found)| {
        (&a.0, a.1, a.2) == (&b.0, b.1, b.2) && (a.3 - b.3).abs() <= 1e-6
    };
    a.iter()
        .zip(b)
        .all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(is_same))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn an_updated_index_equals_one_made_anew(profile in profile(), steps in steps()) {
        let vault = empty_vault(profile);
        follow(&vault, &steps);
        let elsewhere = vault.store_path().with_file_name("anew.ken");
        let mut anew = TestVault::at(vault.root().to_owned(), elsewhere);
        anew.options = vault.options.clone();
        anew.update();
        prop_assert_eq!(vault.contents(), anew.contents());
        prop_assert_eq!(vault.store().verify().unwrap(), Vec::<String>::new());
        prop_assert_eq!(vault.store().cross_check().unwrap(), Vec::<String>::new());
        let (updated, made_anew) = (answers(&vault), answers(&anew));
        prop_assert!(are_alike(&updated, &made_anew), "{updated:#?}\n{made_anew:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() })]

    #[test]
    fn nothing_is_left_of_notes_that_are_gone(profile in profile(), steps in steps()) {
        let vault = empty_vault(profile);
        follow(&vault, &steps);
        for path in PATHS {
            apply(&vault, &Edit::Remove(path));
        }
        vault.update();
        prop_assert_eq!(traces(&vault), Vec::<String>::new());
        prop_assert!(answers(&vault).iter().all(Vec::is_empty));
    }
}

/// What the tables still hold, apart from facts about the index as a whole.
///
/// Vector blocks may stay when they are blank, slots when they are free, and the word index as
/// long as it is empty.
fn traces(vault: &TestVault) -> Vec<String> {
    let connection = look_into(vault.store_path());
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    let mut tables = connection.prepare(names).unwrap();
    let tables = tables.query_map([], |row| row.get(0)).unwrap();
    let mut traces = Vec::new();
    for table in tables.map(Result::<String, _>::unwrap) {
        let condition = match table.as_str() {
            // The folders themselves are still there.
            "meta" | "identity" | "free_vector_id" | "folder" => continue,
            "vector_code" | "vector_row" => "data != zeroblob(length(data))",
            "lexical_file" => "name NOT IN ('meta.json')",
            "lexical_block" => "id >> 24 NOT IN (SELECT id FROM lexical_file)",
            _ => "1",
        };
        let count = format!("SELECT COUNT(*) FROM {table} WHERE {condition}");
        let n_rows: i64 = connection.query_row(&count, [], |row| row.get(0)).unwrap();
        if n_rows > 0 {
            traces.push(format!("{table}: {n_rows} rows"));
        }
    }
    traces
}

/// Texts share blocks: what one of them said must not stay behind because another is still there.
#[test]
fn the_words_of_a_note_that_is_gone_are_nowhere() {
    let vault = vault("-- a.md --\nkeep\n-- b.md --\nxyzzyplugh\n-- c.md --\nstay\n");
    vault.update();
    let holds_marker = || {
        let found = unpacked_texts(vault.store_path());
        let holds = |text: &Vec<u8>| text.windows(10).any(|window| window == b"xyzzyplugh");
        found.iter().any(holds)
    };
    assert!(holds_marker());
    vault.remove("b.md");
    vault.update();
    assert!(!holds_marker());
    assert_eq!(vault.paths("xyzzyplugh"), Vec::<String>::new());

    vault.write("a.md", "xyzzyplugh");
    vault.update();
    vault.write("a.md", "other");
    vault.update();
    assert!(!holds_marker());
    assert_eq!(vault.paths("stay"), ["c.md"]);
}

/// A vault large enough for a dictionary of its own is kept up to date like any other.
#[test]
fn texts_with_a_dictionary_are_exchanged_and_removed() {
    let mut vault = TestVault::empty();
    let text = |number: usize, word: &str| {
        let line = |n: usize| format!("Line {n} of note {number} mentions {word}{}.\n", n * number);
        (0..120).map(line).collect::<String>()
    };
    for number in 0..24 {
        vault.write(&format!("{number}.md"), text(number, "herons"));
    }
    vault.update();
    let sql = "SELECT length(value) FROM meta WHERE key = 'dictionary'";
    let n_bytes = look_into(vault.store_path()).query_row(sql, [], |row| row.get::<_, i64>(0));
    assert!(n_bytes.unwrap() > 0);
    for number in 0..24 {
        match number % 3 {
            0 => vault.write(&format!("{number}.md"), text(number, "storks")),
            1 => vault.remove(&format!("{number}.md")),
            _ => {}
        }
    }
    vault.update();
    assert_eq!(vault.store().verify().unwrap(), Vec::<String>::new());
    let updated = vault.contents();
    vault.options.full = true;
    vault.update();
    assert!(vault.contents() == updated);
}
