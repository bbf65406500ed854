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
    let options = ChunkOptions {
        section_chars_max: max,
        section_chars_min: 5,
    };
    chunk(&note, &options)
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

proptest! {
    /// Chunks are in order, do not overlap, and no word of the body is lost.
    #[test]
    fn chunks_tile_the_note(text in markdown(), max in 10usize..200) {
        let note = note(&text);
        let options = ChunkOptions { section_chars_max: max, section_chars_min: 5 };
        let chunks = chunk(&note, &options);
        let mut at = note.body_start;
        for chunk in &chunks {
            prop_assert!(chunk.range.start >= at && chunk.range.end > chunk.range.start);
            let gap = &note.text[at..chunk.range.start];
            prop_assert!(!gap.contains(char::is_alphanumeric), "lost {gap:?}");
            let bytes = note.text.as_bytes();
            let line = |offset: usize| bytes[..offset].iter().filter(|b| **b == b'\n').count() as u32 + 1;
            prop_assert_eq!(chunk.start_line, line(chunk.range.start));
            prop_assert_eq!(chunk.end_line, line(chunk.range.end - 1));
            at = chunk.range.end;
        }
        prop_assert!(!note.text[at..].contains(char::is_alphanumeric));
    }
}
