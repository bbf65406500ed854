//! How notes are cut, by example and by property.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::note::{Format, parse};
use crate::secrets::mask;

fn note(text: &str) -> Note {
    parse("Note.md", mask(text.to_owned()).0, Format::Markdown).0
}

fn check(text: &str, max: usize) -> String {
    let note = note(text);
    lined(&note, section::cut_to(&note, max, 5))
        .iter()
        .map(|chunk| {
            let path = breadcrumb(&note.title, &note.headings, chunk.heading).join(" > ");
            let text = note.text[chunk.range.clone()].replace('\n', "⏎");
            format!("{}-{} {path}: {text}\n", chunk.start_line, chunk.end_line)
        })
        .collect()
}

#[test]
fn one_chunk_per_h2_with_its_path() {
    assert_snapshot!(check("# T\n\nIntro text.\n\n## One\n\nBody one.\n\n### Deep\n\nBody deep.\n\n## Two\n\nBody two.\n", 100), @r"
    1-3 T: # T⏎⏎Intro text.
    5-11 T > One: ## One⏎⏎Body one.⏎⏎### Deep⏎⏎Body deep.
    13-15 T > Two: ## Two⏎⏎Body two.
    ");
}

#[test]
fn long_sections_are_cut_at_h3_then_between_blocks() {
    assert_snapshot!(check("## A\n\nFirst paragraph.\n\n### B\n\nSecond one here.\n\nThird one here.\n", 30), @r"
    1-3 Note > A: ## A⏎⏎First paragraph.
    5-7 Note > A > B: ### B⏎⏎Second one here.
    9-9 Note > A > B: Third one here.
    ");
}

#[test]
fn a_list_of_links_at_the_end_is_left_out() {
    assert_snapshot!(check("## A\n\nSome words.\n\n## See also\n\n- [[B]]\n- [[C]]\n", 100), @"1-3 Note > A: ## A⏎⏎Some words.");
}

#[test]
fn small_pieces_join_their_neighbour() {
    assert_snapshot!(check("# Title\n\n## A\n\nSome words.\n\n## IBAN\n\nDE1\n", 100), @"1-9 Title > A: # Title⏎⏎## A⏎⏎Some words.⏎⏎## IBAN⏎⏎DE1");
}

#[test]
fn text_above_a_heading_does_not_belong_to_it() {
    assert_snapshot!(check("Up.\n\n# A\n\nSome words.\n", 100), @r"
    1-1 Note: Up.
    3-5 Note > A: # A⏎⏎Some words.
    ");
    assert_snapshot!(check("# T\n\nUp.\n\n## A\n\nSome words.\n", 100), @r"
    1-3 T: # T⏎⏎Up.
    5-7 T > A: ## A⏎⏎Some words.
    ");
}

fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "#{1,6} [a-z]{1,8}",
        "[a-zäß中. ]{0,60}",
        Just(String::new()),
        "- [a-z ]{1,20}",
        Just("```".to_owned()),
        "\\| [a-z] \\| [a-z] \\|",
        "> [a-z ]{1,20}",
        "    [a-z]{1,10}",
    ];
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

/// Chunks must be in order, with true lines, and lose no word.
fn assert_covers(note: &Note, chunks: &[Chunk], may_overlap: bool) -> Result<(), TestCaseError> {
    let mut at = note.body_start;
    let line = |offset: usize| {
        let before = &note.text.as_bytes()[..offset];
        before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1
    };
    for chunk in chunks {
        prop_assert!(chunk.range.end > chunk.range.start && chunk.range.end > at);
        prop_assert!(may_overlap || chunk.range.start >= at);
        let gap = note.text.get(at..chunk.range.start).unwrap_or_default();
        prop_assert!(!gap.contains(char::is_alphanumeric), "lost {gap:?}");
        prop_assert_eq!(chunk.start_line, line(chunk.range.start));
        prop_assert_eq!(chunk.end_line, line(chunk.range.end - 1));
        at = chunk.range.end;
    }
    prop_assert!(!note.text[at..].contains(char::is_alphanumeric));
    Ok(())
}

proptest! {
    #[test]
    fn sections_of_any_size_tile_the_note(text in markdown(), max in 10usize..200) {
        let note = note(&text);
        assert_covers(&note, &lined(&note, section::cut_to(&note, max, 5)), false)?;
    }

    #[test]
    fn every_profile_covers_the_note(text in markdown(), n_copies in 1usize..12) {
        let note = note(&format!("{text}\n").repeat(n_copies));
        for profile in Profile::ALL {
            let may_overlap = matches!(profile, Profile::Window | Profile::Recursive);
            assert_covers(&note, &chunk(&note, profile), may_overlap)?;
        }
    }
}

#[test]
fn each_profile_keeps_to_its_size() {
    let text = "One sentence of a few words here. ".repeat(400);
    let note = note(&format!("# T\n\n{text}\n\n## U\n\n{text}"));
    let most = |profile: Profile| {
        let sizes = chunk(&note, profile)
            .into_iter()
            .map(|chunk| chunk.range.len());
        sizes.max().unwrap_or(0)
    };
    assert!(most(Profile::Section) <= 2_010);
    assert!(most(Profile::Paragraph) <= 1_210);
    assert!(most(Profile::Recursive) <= 1_100);
    assert!(most(Profile::Breadcrumb) <= 8_010);
    let windows = chunk(&note, Profile::Window);
    let n_words = |chunk: &Chunk| note.text[chunk.range.clone()].split_whitespace().count();
    assert!(windows.iter().all(|chunk| n_words(chunk) <= 600));
    let shared = windows[0].range.end - windows[1].range.start;
    assert_eq!(
        note.text[windows[1].range.start..][..shared]
            .split_whitespace()
            .count(),
        80
    );
}

#[test]
fn code_and_tables_stay_whole_where_they_fit() {
    let prose = "Some prose to fill the chunk. ".repeat(60);
    let code = format!("```rust\n{}```", "let x = 1;\n".repeat(40));
    let note = note(&format!("## A\n\n{prose}\n\n{code}\n\n{prose}\n"));
    for profile in [Profile::Section, Profile::Paragraph, Profile::Breadcrumb] {
        let holds = |chunk: &Chunk| note.text[chunk.range.clone()].contains(&code);
        assert!(
            chunk(&note, profile).iter().any(holds),
            "{}",
            profile.name()
        );
    }
}
