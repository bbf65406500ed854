//! Files that break parsers: each is indexed or reported, and none stops the others.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeSet;
use std::fs;

use kenning::search::{Mode, SearchOptions};
use kenning::store::{By, Known, Part};

use crate::support::{TestVault, files_below, fixture};

/// Ours to skip, each for its reason; everything else in the folder must be indexed.
const UNREADABLE: [&str; 0] = [];
const NO_NOTES: [&str; 2] = [".hidden.md", "no extension"];

fn set(paths: impl IntoIterator<Item = impl Into<String>>) -> BTreeSet<String> {
    paths.into_iter().map(Into::into).collect()
}

/// Indexes, expecting no fault of ours.
#[track_caller]
fn update(vault: &TestVault) -> BTreeSet<String> {
    let report = vault.update();
    for skipped in &report.skipped {
        assert!(!skipped.reason.contains("fault of ours"), "{skipped:?}");
    }
    set(report.skipped.into_iter().map(|skipped| skipped.path))
}

fn indexed(vault: &TestVault) -> BTreeSet<String> {
    let notes = vault.store().known(Known::Every).unwrap();
    set(notes.into_iter().map(|note| note.path))
}

#[test]
fn every_file_is_indexed_or_reported() {
    let vault = fixture("hostile");
    assert_eq!(update(&vault), set(UNREADABLE));
    let mut expected = set(files_below(vault.root()));
    expected
        .retain(|path| !UNREADABLE.contains(&path.as_str()) && !NO_NOTES.contains(&path.as_str()));
    assert_eq!(indexed(&vault), expected);
    let store = vault.store();
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
    for path in &expected {
        let note = store.note_at(path).unwrap().unwrap();
        let text = store.text(note, &Part::Whole).unwrap();
        let n_lines = store.note(note).unwrap().n_lines.max(1);
        let chunks = store.chunks(By::Note(note)).unwrap();
        assert!(!chunks.is_empty(), "{path}");
        for chunk in chunks {
            assert!(text.get(chunk.range.clone()).is_some(), "{path}: {chunk:?}");
            assert!(
                (1..=chunk.end_line).contains(&chunk.start_line),
                "{path}: {chunk:?}"
            );
            assert!(chunk.end_line <= n_lines, "{path}: {chunk:?}");
        }
    }
    let again = vault.update();
    assert_eq!((again.n_added, again.n_changed, again.n_removed), (0, 0, 0));
}

#[test]
fn what_is_left_of_a_broken_note_is_found() {
    let vault = fixture("hostile");
    vault.update();
    for (query, expected) in [
        ("broken front matter", "broken yaml.md"),
        ("marmalade", "unclosed front matter.md"),
        ("nobody at home", "front matter only.md"),
        ("everything down here is code", "unclosed fence.md"),
        ("honest text before the hole", "late nul.md"),
        ("façade", "latin1.md"),
        ("wombats", "utf16le.md"),
        ("wallabies", "utf16be.md"),
        ("byte order mark", "bom.md"),
        ("marked", "bom.md"),
        ("carriage", "crlf.md"),
        ("bottom of ten thousand quotes", "deep quotes.md"),
        ("bottom of ten thousand lists", "deep lists.md"),
        ("blanks before within and after", "  spaces   inside .md"),
        ("ähren und öl", "A\u{308}hren und O\u{308}l.md"),
        ("emoji 🦀 crab", "emoji 🦀 crab.md"),
        ("-leading dash", "-leading dash.md"),
        ("shouted", "UPPER.MD"),
        ("little bobby", "sql'; DROP TABLE note; --.md"),
    ] {
        let found = vault.paths(query);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{query}");
    }
    assert!(vault.paths("nightjar").is_empty());
    let warned: Vec<_> = vault.store().status().unwrap().warnings;
    assert!(
        warned.iter().any(|(path, ..)| path == "broken yaml.md"),
        "{warned:?}"
    );
}

#[test]
fn lines_point_into_the_file_whatever_its_line_ends() {
    let vault = fixture("hostile");
    vault.update();
    let hit = vault.search("second section two-byte").remove(0);
    assert_eq!(hit.note.path, "crlf.md");
    assert_eq!((hit.chunk.start_line, hit.chunk.end_line), (11, 13));
    assert_eq!(hit.note.tags, ["dos"]);
}

#[test]
fn very_long_lines_and_very_many_headings_are_cut() {
    let vault = TestVault::empty();
    vault.write("line.md", "x".repeat(1_000_000));
    vault.write("words.md", "word ".repeat(100_000));
    vault.write("wide.md", "界".repeat(100_000));
    vault.write("headings.md", "## h\n".repeat(20_000));
    vault.write("links.md", "[[a]] ".repeat(20_000));
    vault.write(
        "tags.md",
        (0..5_000).map(|n| format!("#t{n} ")).collect::<String>(),
    );
    assert_eq!(update(&vault), set(Vec::<String>::new()));
    let store = vault.store();
    for note in store.known(Known::Every).unwrap() {
        let id = store.note_at(&note.path).unwrap().unwrap();
        for chunk in store.chunks(By::Note(id)).unwrap() {
            assert!(chunk.range.len() <= 4 * 2_000, "{}: {chunk:?}", note.path);
        }
    }
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
}

/// Anything that stands in the files can be asked for without harm, in every mode.
#[test]
fn any_text_is_a_question() {
    let vault = fixture("hostile");
    vault.update();
    for path in files_below(vault.root()) {
        let bytes = fs::read(vault.root().join(&path)).unwrap();
        let text: String = String::from_utf8_lossy(&bytes)
            .chars()
            .take(3_000)
            .collect();
        for mode in [Mode::Hybrid, Mode::Lexical, Mode::Vector] {
            let options = SearchOptions {
                mode,
                ..SearchOptions::at(0)
            };
            vault.ask(&text, &options);
        }
    }
}
