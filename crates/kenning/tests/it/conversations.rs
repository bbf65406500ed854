//! Conversations: branches, budget, and what damage, other programs and a sudden end do to their database.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::PathBuf;

use kenning::conversation::{BUDGET_CHARS, Conversation, TurnId, TurnState};
use kenning::store::{AnswerRecord, AskedAt, Conversations, NewConversation};
use proptest::prelude::*;
use tempfile::TempDir;

struct Book {
    folder: TempDir,
}

impl Book {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("conversations.db")
    }

    fn open(&self) -> Conversations {
        Conversations::open(&self.path()).unwrap()
    }

    fn begin(&self, owner: &str) -> Conversation {
        let new = NewConversation {
            owner: owner.to_owned(),
            domains: vec!["home".to_owned()],
            ..NewConversation::default()
        };
        self.open().begin(&new, 1).unwrap()
    }
}

fn answered(text: &str) -> AnswerRecord {
    AnswerRecord {
        text: text.to_owned(),
        state: TurnState::Answered,
        sources: None,
        model: None,
    }
}

fn say(book: &mut Conversations, of: &Conversation, question: &str, at: AskedAt) -> TurnId {
    let turn = book.ask(of, question, at, 2).unwrap();
    let answer = answered(&format!("re {question}"));
    book.answer(turn, &answer, 3).unwrap();
    turn
}

fn questions(book: &Conversations, id: &str) -> Vec<String> {
    let of = book.get("", id).unwrap();
    let turns = book.turns(&of).unwrap();
    turns.into_iter().map(|turn| turn.question).collect()
}

#[test]
fn an_edited_question_begins_a_branch_and_the_old_one_stays() {
    let test = Book::new();
    let of = test.begin("");
    let mut book = test.open();
    say(&mut book, &of, "roof?", AskedAt::End);
    let second = say(&mut book, &of, "who?", AskedAt::End);
    say(&mut book, &of, "when?", AskedAt::End);
    let edited = say(&mut book, &of, "who paid?", AskedAt::InsteadOf(second));
    assert_eq!(questions(&book, &of.id), ["roof?", "who paid?"]);
    let turns = book.turns(&book.get("", &of.id).unwrap()).unwrap();
    assert_eq!(turns[1].alternatives, [second, edited]);
    // The way back leads to the end of the other branch.
    book.show(&of, second).unwrap();
    assert_eq!(questions(&book, &of.id), ["roof?", "who?", "when?"]);
    book.rewind(&of, second).unwrap();
    assert_eq!(questions(&book, &of.id), ["roof?"]);
    // A turn of another conversation is none of this one.
    let other = test.begin("");
    assert!(book.show(&other, second).is_err());
    assert!(book.rewind(&other, second).is_err());
    let at = AskedAt::InsteadOf(second);
    assert!(book.ask(&other, "x", at, 4).is_err());
    assert_eq!(book.turns(&other).unwrap(), []);
}

#[test]
fn the_first_question_names_a_conversation_until_somebody_does() {
    let test = Book::new();
    let of = test.begin("");
    let mut book = test.open();
    let title = |book: &Conversations| book.get("", &of.id).unwrap().title;
    let first = say(&mut book, &of, "who repaired\nthe  roof?", AskedAt::End);
    say(&mut book, &of, "when?", AskedAt::End);
    assert_eq!(title(&book), "who repaired the roof?");
    say(&mut book, &of, "who painted it?", AskedAt::InsteadOf(first));
    assert_eq!(title(&book), "who painted it?");
    book.rename(&of, "House", 9).unwrap();
    say(&mut book, &of, "who broke it?", AskedAt::InsteadOf(first));
    assert_eq!(title(&book), "House");
}

#[test]
fn each_owner_sees_what_is_theirs() {
    let test = Book::new();
    let (mine, theirs) = (test.begin(""), test.begin("phone"));
    let book = test.open();
    let list = |owner| -> Vec<String> {
        let list = book.list(owner).unwrap();
        list.into_iter().map(|one| one.id).collect()
    };
    assert_eq!(list(""), [mine.id.as_str()]);
    assert_eq!(list("phone"), [theirs.id.as_str()]);
    assert!(book.get("", &theirs.id).is_err());
    assert!(book.get("", "%").is_err() && book.get("", "").is_err());
    let prefix = &mine.id[..7];
    assert_eq!(book.get("", prefix).unwrap(), mine);
}

#[test]
fn words_are_found_in_titles_questions_and_answers() {
    let test = Book::new();
    let (roof, bath) = (test.begin(""), test.begin(""));
    let mut book = test.open();
    say(
        &mut book,
        &roof,
        "Who repaired the Äußere Gutter?",
        AskedAt::End,
    );
    say(&mut book, &bath, "bath tiles", AskedAt::End);
    let found = |words: &str| -> Vec<String> {
        let found = book.search("", words).unwrap();
        found.into_iter().map(|one| one.conversation.id).collect()
    };
    assert_eq!(found("gutter REPAIRED"), [roof.id.as_str()]);
    assert_eq!(found("äußere"), [roof.id.as_str()]);
    assert_eq!(found("re tiles"), [bath.id.as_str()]);
    assert!(found("gutter tiles").is_empty() && found(" ").is_empty());
    assert!(book.search("phone", "gutter").unwrap().is_empty());
}

#[test]
fn what_is_deleted_is_gone_from_the_file() {
    let test = Book::new();
    let of = test.begin("");
    let mut book = test.open();
    say(&mut book, &of, "where is the quinquereme?", AskedAt::End);
    book.delete(&of).unwrap();
    assert!(book.list("").unwrap().is_empty());
    drop(book);
    for suffix in ["", "-wal"] {
        let path = format!("{}{suffix}", test.path().display());
        let bytes = fs::read(path).unwrap_or_default();
        let has = bytes.windows(11).any(|bytes| bytes == b"quinquereme");
        assert!(!has, "{suffix:?}");
    }
}

#[test]
fn a_question_survives_a_program_that_ends_before_its_answer() {
    let test = Book::new();
    let of = test.begin("");
    let mut book = test.open();
    say(&mut book, &of, "roof?", AskedAt::End);
    book.ask(&of, "who?", AskedAt::End, 5).unwrap();
    // What a kill leaves: files as they are, nothing closed.
    let copy = Book::new();
    for suffix in ["", "-wal"] {
        let from = format!("{}{suffix}", test.path().display());
        let to = format!("{}{suffix}", copy.path().display());
        fs::copy(from, to).unwrap();
    }
    let book = copy.open();
    assert_eq!(questions(&book, &of.id), ["roof?", "who?"]);
    let of = book.get("", &of.id).unwrap();
    let turns = book.turns(&of).unwrap();
    assert_eq!(turns[1].state, TurnState::Asked);
    // Only what was answered is told again.
    let (history, usage) = book.history(&of, BUDGET_CHARS).unwrap();
    assert_eq!((history.len(), usage.n_dropped), (1, 0));
    assert_eq!(usage.used, "roof?re roof?".len());
}

#[test]
fn files_of_others_and_damage_are_told_and_left_alone() {
    let test = Book::new();
    let told = || match Conversations::open(&test.path()) {
        Ok(_) => "opened".to_owned(),
        Err(error) => error.to_string(),
    };
    for (bytes, expected) in [
        (b"Dear Sir or Madam".to_vec(), "are none (not a SQLite"),
        (
            [&b"SQLite format 3\0"[..], &[0; 100]].concat(),
            "are none (a SQLite database of another",
        ),
    ] {
        fs::write(test.path(), &bytes).unwrap();
        assert!(told().contains(expected), "{}", told());
        assert_eq!(fs::read(test.path()).unwrap(), bytes);
        fs::remove_file(test.path()).unwrap();
    }
    let of = test.begin("");
    let mut book = test.open();
    for n in 0..200 {
        say(
            &mut book,
            &of,
            &format!("question number {n}"),
            AskedAt::End,
        );
    }
    book.backup(&test.folder.path().join("copy.db")).unwrap();
    drop(book);
    let mut bytes = fs::read(test.path()).unwrap();
    let last = bytes.len() - 3_000;
    bytes[last] ^= 1;
    fs::write(test.path(), &bytes).unwrap();
    let error = test.open().search("", "nothing of it").unwrap_err();
    assert!(error.to_string().contains("are damaged: "), "{error}");
    // The copy is whole, and put back it is the conversations again.
    fs::copy(test.folder.path().join("copy.db"), test.path()).unwrap();
    assert_eq!(questions(&test.open(), &of.id).len(), 200);
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_it_and_no_link_is_followed() {
    use std::os::unix::fs::PermissionsExt;
    let test = Book::new();
    let of = test.begin("");
    let mut book = test.open();
    say(&mut book, &of, "roof?", AskedAt::End);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(test.path()), 0o600);
    let log = test.folder.path().join("conversations.db-wal");
    assert_eq!(mode(log), 0o600);
    let link = test.folder.path().join("link.db");
    std::os::unix::fs::symlink(test.folder.path().join("elsewhere.db"), &link).unwrap();
    let error = Conversations::open(&link).err().unwrap().to_string();
    assert!(error.contains("a symbolic link"), "{error}");
    assert!(!test.folder.path().join("elsewhere.db").exists());
}

/// What can happen in a conversation; places are counted from the end of what is shown.
#[derive(Clone, Debug)]
enum Step {
    Ask,
    Edit(usize),
    Rewind(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Ask),
        1 => (0usize..6).prop_map(Step::Edit),
        1 => (0usize..6).prop_map(Step::Rewind),
    ];
    prop::collection::vec(step, 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// What is shown is what a list would hold that is cut and added to; nothing is ever lost.
    #[test]
    fn a_conversation_is_a_list_that_remembers_its_branches(steps in steps()) {
        let test = Book::new();
        let of = test.begin("");
        let mut shown: Vec<(TurnId, String)> = Vec::new();
        let mut all: Vec<TurnId> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            // Each step is another process.
            let mut book = test.open();
            let question = format!("q{number}");
            match step {
                Step::Ask => {
                    let turn = say(&mut book, &of, &question, AskedAt::End);
                    shown.push((turn, question));
                    all.push(turn);
                }
                Step::Edit(back) => {
                    let Some(place) = shown.len().checked_sub(back + 1) else { continue };
                    let turn = say(&mut book, &of, &question, AskedAt::InsteadOf(shown[place].0));
                    shown.truncate(place);
                    shown.push((turn, question));
                    all.push(turn);
                }
                Step::Rewind(back) => {
                    let Some(place) = shown.len().checked_sub(back + 1) else { continue };
                    book.rewind(&of, shown[place].0).unwrap();
                    shown.truncate(place);
                }
            }
            let expected: Vec<String> = shown.iter().map(|(_, question)| question.clone()).collect();
            prop_assert_eq!(questions(&book, &of.id), expected);
        }
        let mut book = test.open();
        let of = book.get("", &of.id).unwrap();
        prop_assert_eq!(of.n_turns, all.len());
        for turn in all {
            book.show(&of, turn).unwrap();
            let of = book.get("", &of.id).unwrap();
            let turns = book.turns(&of).unwrap();
            prop_assert!(turns.iter().any(|shown| shown.id == turn));
        }
    }

    /// Whatever the budget, what is told fits and is the end of what is shown.
    #[test]
    fn a_history_is_the_end_of_what_is_shown(n_turns in 1usize..12, budget in 0usize..120) {
        let test = Book::new();
        let of = test.begin("");
        let mut book = test.open();
        for n in 0..n_turns {
            say(&mut book, &of, &"x".repeat(1 + n % 5), AskedAt::End);
        }
        let of = book.get("", &of.id).unwrap();
        let turns = book.turns(&of).unwrap();
        let (history, usage) = book.history(&of, budget).unwrap();
        prop_assert_eq!(&turns[usage.n_dropped..], &history[..]);
        let n_chars: usize = history.iter().map(|turn| turn.n_chars()).sum();
        prop_assert!(n_chars == usage.used && usage.used <= budget);
    }
}
