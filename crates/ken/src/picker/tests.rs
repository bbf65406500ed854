//! The picker without a terminal: keys and answers in, pictures out.

use insta::assert_snapshot;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::{Terminal, buffer::Buffer};

use super::complete::Vocabulary;
use super::state::{Found, Item, Preview, State};
use super::update::{Effect, Event, query, update};
use super::view::{self, Look, view};

fn item(path: &str, line: u32, excerpt: &str, marked: &str) -> Item {
    let start = excerpt.find(marked).map(|at| excerpt[..at].chars().count());
    Item {
        path: path.to_owned(),
        start_line: Some(line),
        end_line: Some(line + 1),
        breadcrumb: vec!["Title".to_owned(), "Repairs".to_owned()],
        date: Some("2026-03-05".to_owned()),
        excerpt: excerpt.to_owned(),
        marks: start
            .map(|start| (start, start + marked.chars().count()))
            .into_iter()
            .collect(),
        uri: "obsidian://open".to_owned(),
        ..Item::default()
    }
}

fn answered() -> State {
    let mut state = State::default();
    for c in "roof".chars() {
        assert_eq!(press(&mut state, KeyCode::Char(c)), Effect::Ask);
    }
    let items = vec![
        item("Home/Roof.md", 4, "Esko repaired the roof in May.", "roof"),
        item("日本/屋根の修理.md", 2, "屋根の修理が完了した。", "屋根"),
        item(
            &format!("{}Deep.md", "very long folder/".repeat(8)),
            1,
            "A roof.",
            "roof",
        ),
    ];
    let found = Found {
        number: state.n_asked,
        items,
        said: "3 hits".to_owned(),
    };
    assert_eq!(update(&mut state, Event::Found(found)), Effect::Look);
    let lines = [
        "# Roof",
        "",
        "## Repairs",
        "Esko repaired the Roof in May.",
        "It is a roof again.",
        "",
        "Roofing, later.",
    ];
    let preview = Preview {
        path: "Home/Roof.md".to_owned(),
        lines: lines.map(str::to_owned).to_vec(),
        ..Preview::default()
    };
    update(&mut state, Event::Preview(preview));
    state
}

fn press(state: &mut State, code: KeyCode) -> Effect {
    update(state, Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn control(state: &mut State, c: char) -> Effect {
    update(
        state,
        Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)),
    )
}

/// Draws as the loop does.
fn drawn(state: &State, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            let cursor = view(state, Look::new(false), frame.area(), frame.buffer_mut());
            frame.set_cursor_position(cursor);
        })
        .unwrap();
    shown(terminal.backend().buffer())
}

fn shown(buffer: &Buffer) -> String {
    let area = buffer.area;
    let row = |y: u16| {
        let mut line = String::new();
        let mut skipped = 0;
        for x in 0..area.width {
            let symbol = buffer[(x, y)].symbol();
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            skipped = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        line.trim_end().to_owned()
    };
    (0..area.height).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_small_screen_has_the_note_below() {
    assert_snapshot!(drawn(&answered(), 60, 16), @r"
    > roof
      3 hits
    ▌ Home/Roof.md:4  2026-03-05
    ▌ Repairs  Esko repaired the roof in May.
      日本/屋根の修理.md:2  2026-03-05
      Repairs  屋根の修理が完了した。
      …r/very long folder/very long folder/Deep.md:1  2026-03-05
      Repairs  A roof.

    ── Home/Roof.md ────────────────────────────────────────────
    2
    3  ## Repairs
    4│ Esko repaired the Roof in May.
    5│ It is a roof again.
    6
    Enter open · Ctrl-O Obsidian · Ctrl-Y copy link · Tab compl…
    ");
}

#[test]
fn a_wide_screen_has_the_note_beside() {
    assert_snapshot!(drawn(&answered(), 120, 9), @r"
    > roof
      3 hits
    ▌ Home/Roof.md:4  2026-03-05                                ── Home/Roof.md ────────────────────────────────────────────
    ▌ Repairs  Esko repaired the roof in May.                   2
      日本/屋根の修理.md:2  2026-03-05                          3  ## Repairs
      Repairs  屋根の修理が完了した。                           4│ Esko repaired the Roof in May.
      …/very long folder/very long folder/Deep.md:1  2026-03-05 5│ It is a roof again.
      Repairs  A roof.                                          6
    Enter open · Ctrl-O Obsidian · Ctrl-Y copy link · Tab complete · ? help · Esc leave
    ");
}

#[test]
fn hits_are_moved_through_and_chosen() {
    let mut state = answered();
    assert_eq!(press(&mut state, KeyCode::Up), Effect::Nothing);
    assert_eq!(press(&mut state, KeyCode::Down), Effect::Look);
    assert_eq!(control(&mut state, 'n'), Effect::Look);
    assert_eq!(control(&mut state, 'n'), Effect::Nothing);
    assert_eq!(control(&mut state, 'p'), Effect::Look);
    assert_eq!(state.item().unwrap().path, "日本/屋根の修理.md");
    assert_eq!(
        control(&mut state, 'y'),
        Effect::Copy("[[日本/屋根の修理#Repairs]]".to_owned())
    );
    assert_eq!(control(&mut state, 'o'), Effect::OpenInObsidian);
    assert_eq!(press(&mut state, KeyCode::Enter), Effect::Open);
    assert_eq!(press(&mut state, KeyCode::Esc), Effect::Leave);
    let mut nothing = State::default();
    assert_eq!(press(&mut nothing, KeyCode::Enter), Effect::Nothing);
}

#[test]
fn a_stale_answer_and_a_stale_note_are_dropped() {
    let mut state = answered();
    let stale = Found {
        number: state.n_asked - 1,
        ..Found::default()
    };
    assert_eq!(update(&mut state, Event::Found(stale)), Effect::Nothing);
    assert_eq!(state.items.len(), 3);
    let other = Preview {
        path: "Other.md".to_owned(),
        ..Preview::default()
    };
    update(&mut state, Event::Preview(other));
    assert_eq!(state.preview.as_ref().unwrap().path, "Home/Roof.md");
}

#[test]
fn conditions_are_completed_by_tab() {
    let mut state = State::default();
    let vocabulary = Vocabulary {
        tags: vec!["house".to_owned(), "house/roof".to_owned()],
        ..Vocabulary::default()
    };
    update(&mut state, Event::Vocabulary(vocabulary));
    update(&mut state, Event::Paste("leak tag:ho".to_owned()));
    assert_snapshot!(drawn(&state, 40, 5), @r"
    > leak tag:ho
       …     ▸ house
               house/roof

    Enter open · Ctrl-O Obsidian · Ctrl-Y c…
    ");
    press(&mut state, KeyCode::BackTab);
    assert_eq!(press(&mut state, KeyCode::Tab), Effect::Ask);
    assert_eq!(state.input.text(), "leak tag:house/roof ");
    assert!(state.completion.is_none());
}

#[test]
fn help_is_a_page_that_any_key_leaves() {
    let mut state = State::default();
    press(&mut state, KeyCode::Char('?'));
    assert!(state.is_helping && drawn(&state, 80, 24).contains("open in your editor"));
    assert_eq!(press(&mut state, KeyCode::Esc), Effect::Nothing);
    assert!(!state.is_helping);
    let mut state = answered();
    press(&mut state, KeyCode::Char('?'));
    assert_eq!(state.input.text(), "roof?");
}

#[test]
fn the_last_word_may_not_be_finished() {
    for (line, expected) in [
        ("roof rep", "roof rep*"),
        ("roof ", "roof "),
        ("r", "r"),
        ("roof tag:ho", "roof tag:ho"),
        ("\"north gut", "\"north gut"),
        ("roof OR", "roof OR"),
        ("who?", "who?"),
    ] {
        assert_eq!(query(line, true), expected);
    }
    assert_eq!(query("roof rep", false), "roof rep");
}

#[test]
fn no_size_and_no_text_is_too_odd_to_draw() {
    let mut state = answered();
    state.items[0].excerpt =
        "\u{1b}]52;c;eA==\u{7} \u{202e}\ttab \u{0301} e\u{0301} 👩\u{200d}🚀".to_owned();
    if let Some(preview) = &mut state.preview {
        preview.lines[3] = "\u{1b}[2J\tx".repeat(50);
    }
    update(&mut state, Event::Paste("屋根".repeat(40)));
    for width in 0..40 {
        for height in 0..12 {
            let area = Rect::new(0, 0, width, height);
            let mut buffer = Buffer::empty(area);
            view(&state, Look::new(true), area, &mut buffer);
            view::n_shown(area);
            state.is_helping = !state.is_helping;
        }
    }
    assert!(!drawn(&state, 80, 24).contains('\u{1b}'));
}
