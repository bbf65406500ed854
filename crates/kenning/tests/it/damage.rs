//! Damaged files: whatever happens to the bytes of an index, it answers as before or says that it is
//! damaged; the check of the whole file finds it; and the next run makes it good.
//!
//! `KENNING_DAMAGES` sets how many damages of each kind are tried; `scripts/damage` tries many.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::ptr_arg, reason = "some damages change the length")]

use std::fs;
use std::path::{Path, PathBuf};

use kenning::Error;
use kenning::search::{Mode, SearchOptions};
use kenning::store::{Known, Part, Store};

use crate::support::{EMBEDDER, TestVault, ask, fixture, write_into};

const PAGE: usize = 4_096;
const FRAME: usize = PAGE + 24;
const QUESTIONS: [&str; 4] = [
    "the heron and the oak worktop",
    "letter about walls",
    "bicycles",
    "tag:finance",
];

/// How many damages of each kind are tried.
fn n_tries() -> u64 {
    let asked = std::env::var("KENNING_DAMAGES");
    asked.ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % n.max(1)
    }
}

type Damage = fn(&mut Vec<u8>, &mut Dice);

fn flip_a_bit(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len());
    bytes[at] ^= 1 << dice.below(8);
}

fn flip_a_bit_of_the_head(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(100.min(bytes.len()));
    bytes[at] ^= 1 << dice.below(8);
}

fn zero_a_page(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len() / PAGE) * PAGE;
    bytes[at..at + PAGE].fill(0);
}

fn zero_a_stretch(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len());
    let end = (at + 1 + dice.below(3 * PAGE)).min(bytes.len());
    bytes[at..end].fill(0);
}

fn fill_a_stretch(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len());
    let end = (at + 1 + dice.below(2 * PAGE)).min(bytes.len());
    bytes[at..end]
        .iter_mut()
        .for_each(|byte| *byte = dice.below(256) as u8);
}

fn swap_pages(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let n_pages = bytes.len() / PAGE;
    let (a, b) = (dice.below(n_pages) * PAGE, dice.below(n_pages) * PAGE);
    for offset in 0..PAGE {
        bytes.swap(a + offset, b + offset);
    }
}

fn copy_a_page_over_another(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let n_pages = bytes.len() / PAGE;
    let from = dice.below(n_pages) * PAGE;
    bytes.copy_within(from..from + PAGE, dice.below(n_pages) * PAGE);
}

fn shift_the_rest(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len());
    bytes.insert(at, dice.below(256) as u8);
}

fn cut_off(bytes: &mut Vec<u8>, dice: &mut Dice) {
    bytes.truncate(dice.below(bytes.len()));
}

fn append_something(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let more: Vec<u8> = (0..dice.below(3 * PAGE))
        .map(|_| dice.below(256) as u8)
        .collect();
    bytes.extend(more);
}

const DAMAGES: [(&str, Damage); 10] = [
    ("flip a bit", flip_a_bit),
    ("flip a bit of the head", flip_a_bit_of_the_head),
    ("zero a page", zero_a_page),
    ("zero a stretch", zero_a_stretch),
    ("fill a stretch", fill_a_stretch),
    ("swap pages", swap_pages),
    ("copy a page", copy_a_page_over_another),
    ("shift the rest", shift_the_rest),
    ("cut off", cut_off),
    ("append something", append_something),
];

/// Everything that somebody may ask of an index.
fn answers(path: &Path) -> kenning::Result<Vec<String>> {
    let store = Store::open(path)?;
    let mut answers = vec![format!("{:?}", store.status()?)];
    for question in QUESTIONS {
        for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
            let options = SearchOptions {
                mode,
                ..SearchOptions::at(0)
            };
            let found = ask(&store, &*EMBEDDER, question, &options)?;
            let hits = found
                .hits
                .iter()
                .map(|hit| (&hit.note.path, hit.score, &hit.text));
            answers.push(format!("{:?}", hits.collect::<Vec<_>>()));
        }
    }
    for note in store.known(Known::Every)? {
        let id = store.note_at(&note.path)?;
        let id = id.ok_or_else(|| Error::NotFound { name: note.path })?;
        answers.push(store.text(id, &Part::Whole)?);
    }
    Ok(answers)
}

/// What `ken doctor --deep` finds.
fn examined(path: &Path) -> kenning::Result<Vec<String>> {
    let store = Store::open(path)?;
    let mut problems = store.verify()?;
    if problems.is_empty() {
        problems = store.cross_check()?;
    }
    Ok(problems)
}

fn is_found(path: &Path) -> bool {
    examined(path).map_or(true, |problems| !problems.is_empty())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

/// An index, whole, as files; and what it answers.
struct Scene {
    vault: TestVault,
    file: Vec<u8>,
    log: Vec<u8>,
    answers: Vec<String>,
    contents: Vec<String>,
}

/// What became of a damage.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Told,
    Harmless,
}

impl Scene {
    fn new() -> Self {
        let mut vault = fixture("tiny");
        vault.options.check = true;
        vault.update();
        Self::of(vault)
    }

    /// Everything that was written last lies in the log only: somebody reads what was before.
    fn with_log() -> Self {
        let mut vault = fixture("tiny");
        vault.options.check = true;
        vault.update();
        let reader = vault.store();
        vault.write(
            "new.md",
            "The heron has a new letter about the oak worktop.\n",
        );
        vault.update();
        let scene = Self::of(vault);
        drop(reader);
        assert!(scene.log.len() > 2 * FRAME);
        scene
    }

    fn of(vault: TestVault) -> Self {
        let path = vault.store_path();
        Self {
            file: fs::read(path).unwrap(),
            log: fs::read(beside(path, "-wal")).unwrap_or_default(),
            answers: answers(path).unwrap(),
            contents: vault.contents(),
            vault,
        }
    }

    /// Puts files in place of the index, and nothing else beside them.
    fn put(&self, file: &[u8], log: &[u8]) {
        let folder = self.vault.store_path().parent().unwrap();
        fs::remove_dir_all(folder).unwrap();
        fs::create_dir(folder).unwrap();
        fs::write(self.vault.store_path(), file).unwrap();
        if !log.is_empty() {
            fs::write(beside(self.vault.store_path(), "-wal"), log).unwrap();
        }
    }

    /// What there was to answer after each transaction in the log, and before the first.
    fn states(&self) -> Vec<Vec<String>> {
        let frames = (32..self.log.len()).step_by(FRAME);
        let is_commit = |at: &usize| self.log[at + 4..at + 8] != [0; 4];
        let ends = frames.filter(is_commit).map(|at| at + FRAME);
        std::iter::once(0)
            .chain(ends)
            .map(|end| {
                self.put(&self.file, &self.log[..end]);
                answers(self.vault.store_path()).unwrap()
            })
            .collect()
    }

    /// Uses what is in place; `is_lawful` tells which other answers are not a lie.
    #[track_caller]
    fn check(&self, what: &str, is_lawful: impl Fn(&[String]) -> bool) -> Fate {
        let path = self.vault.store_path();
        let fate = match answers(path) {
            Ok(found) => {
                assert!(
                    found == self.answers || is_lawful(&found),
                    "{what}: other answers"
                );
                Fate::Harmless
            }
            Err(
                Error::StoreCorrupt { .. }
                | Error::StoreForeign { .. }
                | Error::StoreMissing { .. }
                | Error::StoreOutdated { .. },
            ) => Fate::Told,
            Err(other) => panic!("{what}: {other:?}"),
        };
        if fate == Fate::Told {
            assert!(is_found(path), "{what}");
        }
        match self.vault.try_update() {
            // Nothing of it is left that says whose it is.
            Err(Error::StoreForeign { .. }) if fate == Fate::Told => return fate,
            updated => drop(updated.unwrap_or_else(|error| panic!("{what}: {error:?}"))),
        }
        assert!(
            self.vault.contents() == self.contents,
            "{what}: not made good"
        );
        assert!(
            answers(path).unwrap() == self.answers,
            "{what}: not made good"
        );
        assert_eq!(examined(path).unwrap(), Vec::<String>::new(), "{what}");
        fate
    }
}

#[test]
fn a_damaged_file_answers_as_before_or_says_so_and_is_made_good() {
    let scene = Scene::new();
    let mut dice = Dice(1);
    for (what, damage) in DAMAGES {
        let mut n_told = 0;
        for number in 0..n_tries() {
            let mut file = scene.file.clone();
            damage(&mut file, &mut dice);
            scene.put(&file, &[]);
            let fate = scene.check(&format!("{what} {number}"), |_| false);
            n_told += u64::from(fate == Fate::Told);
        }
        println!(
            "{what}: {} tried, {n_told} told, the others harmless",
            n_tries()
        );
        assert!(n_told > 0 || what == "append something", "{what}");
    }
}

#[test]
fn a_damaged_log_answers_as_before_or_says_so_and_is_made_good() {
    let scene = Scene::with_log();
    let states = scene.states();
    scene.put(&scene.file, &scene.log);
    assert_eq!(scene.check("whole", |_| false), Fate::Harmless);
    let mut dice = Dice(2);
    for (what, damage) in DAMAGES {
        let mut n_told = 0;
        for number in 0..n_tries() {
            let mut log = scene.log.clone();
            damage(&mut log, &mut dice);
            scene.put(&scene.file, &log);
            // A log without its end is what a run leaves that was killed before it was done.
            let end = scene.log.len() - FRAME..scene.log.len() - PAGE;
            let is_shorter = log.len() < scene.log.len();
            let is_cut = is_shorter || log.get(end.clone()) != scene.log.get(end);
            let is_lawful = |found: &[String]| is_cut && states.iter().any(|state| state == found);
            let fate = scene.check(&format!("log: {what} {number}"), is_lawful);
            n_told += u64::from(fate == Fate::Told);
        }
        println!(
            "log: {what}: {} tried, {n_told} told, the others harmless",
            n_tries()
        );
    }
}

/// A frame is also looked at when the log has been read before, and nobody looks at its sums.
#[test]
fn a_log_that_is_damaged_while_it_is_in_use_is_told() {
    let scene = Scene::with_log();
    scene.put(&scene.file, &scene.log);
    let path = scene.vault.store_path();
    // Somebody has the log open, so that it is not read anew.
    let _open = scene.vault.store();
    let mut n_told = 0;
    for frame in 0..(scene.log.len() - 32) / FRAME {
        let mut log = scene.log.clone();
        log[32 + frame * FRAME + 24 + 2_000] ^= 1;
        fs::write(beside(path, "-wal"), &log).unwrap();
        match answers(path) {
            Ok(found) => assert!(found == scene.answers, "frame {frame}"),
            Err(Error::StoreCorrupt { .. }) => n_told += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(n_told > 0);
}

#[test]
fn what_lies_beside_an_index_does_it_no_harm() {
    let scene = Scene::new();
    let mut dice = Dice(3);
    for n_bytes in [1, 100, 32 << 10, 100_000] {
        let garbage: Vec<u8> = (0..n_bytes).map(|_| dice.below(256) as u8).collect();
        for suffix in ["-shm", "-wal", "-journal"] {
            scene.put(&scene.file, &[]);
            fs::write(beside(scene.vault.store_path(), suffix), &garbage).unwrap();
            scene.check(&format!("{n_bytes} bytes as {suffix}"), |_| false);
        }
    }
}

/// Pages may be whole and still make no sense, if somebody wrote them so.
#[test]
fn rows_that_make_no_sense_are_damage() {
    let scene = Scene::new();
    let nonsense = [
        "UPDATE lexical_file SET size = 1 << 60",
        "UPDATE lexical_file SET size = size - 1",
        "UPDATE lexical_file SET name = 'meta.json' || name WHERE name != 'meta.json'",
        "UPDATE lexical_block SET data = zeroblob(length(data))",
        "UPDATE lexical_block SET data = randomblob(length(data))",
        "UPDATE lexical_block SET data = substr(data, 1, length(data) / 2)",
        "DELETE FROM lexical_block",
        "UPDATE vector_code SET data = zeroblob(7)",
        "UPDATE vector_row SET data = zeroblob(0)",
        "INSERT INTO vector_row (block, data) SELECT block + 1, data FROM vector_row ORDER BY block DESC LIMIT 1",
        "DELETE FROM vector_row",
        "UPDATE text_block SET data = randomblob(200)",
        "UPDATE text_block SET data = x'28b52ffdc0ffffffffffffffff'",
        "UPDATE note_text SET start = 9223372036854775807, n_bytes = 9223372036854775807",
        "UPDATE note_text SET start = -1",
        "DELETE FROM note_text",
        "UPDATE chunk SET start_byte = end_byte + 1",
        "UPDATE chunk SET end_byte = 9223372036854775807",
        "UPDATE chunk SET heading = 1 << 40",
        "UPDATE chunk SET start_line = -5",
        "UPDATE chunk SET pieces = randomblob(50)",
        "DELETE FROM chunk",
        "UPDATE note SET headings = '[[\"a\"', tags = '{', anchor_texts = '7', warnings = 'x'",
        "UPDATE note SET date = 'yesterday', n_lines = -1",
        "DELETE FROM note",
        "UPDATE meta SET value = randomblob(900) WHERE key = 'code_center'",
        "UPDATE meta SET value = x'00' WHERE key = 'vector_sum'",
        "UPDATE meta SET value = randomblob(99) WHERE key = 'dictionary'",
        "DELETE FROM meta",
        "DROP TABLE chunk",
    ];
    let mut problems = Vec::new();
    for sql in nonsense {
        scene.put(&scene.file, &[]);
        let connection = write_into(scene.vault.store_path());
        let sql_alone = format!("PRAGMA foreign_keys = OFF; {sql}");
        connection.execute_batch(&sql_alone).unwrap();
        drop(connection);
        let path = scene.vault.store_path();
        match std::panic::catch_unwind(|| answers(path)) {
            Ok(Ok(found)) if found != scene.answers && !is_found(path) => {
                problems.push(format!("{sql}: other answers, and nobody can tell"));
            }
            Ok(
                Ok(_)
                | Err(
                    Error::StoreCorrupt { .. }
                    | Error::NotFound { .. }
                    | Error::ModelMismatch { .. },
                ),
            ) => {}
            Ok(Err(other)) => problems.push(format!("{sql}: {other:?}")),
            Err(_) => problems.push(format!("{sql}: a panic")),
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}

/// What a run would never have written is found by comparing the parts of an index, and by nothing less.
#[test]
fn parts_of_an_index_that_do_not_tell_the_same_are_found() {
    let scene = Scene::new();
    assert_eq!(
        examined(scene.vault.store_path()).unwrap(),
        Vec::<String>::new()
    );
    for (sql, said) in [
        (
            "UPDATE chunk SET note = (SELECT MAX(id) FROM note), ordinal = 99 WHERE id = 0",
            "passage 0 is of another note in the word index",
        ),
        ("DELETE FROM chunk WHERE id = 0", "were counted"),
        (
            "UPDATE chunk SET heading = 1 << 40 WHERE id = 0",
            "its passage 0 is not part of it",
        ),
        (
            "UPDATE note SET tags = '{' WHERE id = 1",
            "its `tags` cannot be read",
        ),
        (
            "UPDATE meta SET value = value + 1 WHERE key = 'n_links'",
            "were counted",
        ),
        (
            "UPDATE vector_row SET data = CAST(zeroblob(length(data)) AS BLOB)",
            "the vectors do not add up",
        ),
        (
            "UPDATE meta SET value = x'0000000000000000' WHERE key = 'vector_sum'",
            "the vectors do not add up",
        ),
        (
            "INSERT INTO free_vector_id (id) VALUES (0)",
            "in use and free at once",
        ),
        (
            "INSERT INTO text_block (data) SELECT data FROM text_block",
            "a text belongs to no note",
        ),
        ("DELETE FROM name", "cannot be called by any name"),
    ] {
        scene.put(&scene.file, &[]);
        let connection = write_into(scene.vault.store_path());
        connection.execute_batch(sql).unwrap();
        drop(connection);
        let store = scene.vault.store();
        assert_eq!(store.verify().unwrap(), Vec::<String>::new(), "{sql}");
        let found = store.cross_check().unwrap().join("\n");
        assert!(found.contains(said), "{sql}: {found}");
    }
}
