//! Intake from end to end on a small vault, and on disks that fail.

use std::path::Path;
use std::sync::Arc;

use kenning::extract::InProcess;
use kenning::{Kenning, Vault, WalkRules};
use tempfile::TempDir;

use super::log::Log;
use super::read::{Given, read};
use super::*;
use crate::disk::Machine;
use crate::write::Undone;

const NOTES: [(&str, &str); 8] = [
    (
        "Garden/Tomatoes.md",
        "# Tomatoes\n\nTomatoes want sun and water. Plant the seedlings in May, tie them to canes and water the beds in the evening. #garden\n",
    ),
    (
        "Garden/Compost.md",
        "# Compost\n\nCompost feeds the beds of the garden. Turn the heap every month and keep it damp, then spread it on the beds. #garden\n",
    ),
    (
        "Garden/Beans.md",
        "# Beans\n\nBeans climb canes in the sun. Sow beans in May in the garden beds and water them in the evening. #garden\n",
    ),
    (
        "Garden/Roses.md",
        "# Roses\n\nRoses are pruned in spring. Cut the canes of roses above a bud and feed the bed with compost. #garden\n",
    ),
    (
        "Code/Rust.md",
        "# Rust\n\nRust is a language with ownership. The compiler checks that references in the program outlive nothing. #code\n",
    ),
    (
        "Code/Git.md",
        "# Git\n\nGit keeps the history of source code. Commit small changes, and rebase the branch of the program before merging. #code\n",
    ),
    (
        "Code/Tests.md",
        "# Tests\n\nTests of a program run before each commit. The compiler finds type errors, tests of source code find the rest. #code\n",
    ),
    (
        "Code/Crates.md",
        "# Crates\n\nA crate is a library of Rust source code. The compiler of the program builds crates in parallel. #code\n",
    ),
];

const LONG: &str = "The compiler of Rust checks the program before it runs. Source code that borrows a value twice is refused, and the \
    message of the compiler says which reference lives too long. Commit the change when tests of the program pass.\n\n\
    ## How the compiler reads source code\n\nThe compiler reads crates one after the other. It builds a program out of the source \
    code of every crate and runs tests of each. Ownership tells when memory is given back, so that no program needs a collector.\n\n\
    ## What to do when the compiler complains\n\n1. Read the message of the compiler.\n2. Open the source code at that line.\n\
    3. Change the reference, or clone the value.\n4. Run the tests of the program again.\n\nA program that compiles is not yet right, \
    but tests of source code find the rest. Keep functions small, so that references do not outlive what they borrow from.\n";

struct Fixture {
    folder: TempDir,
    index: Kenning,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in NOTES {
            let file = folder.path().join("vault").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let index = Kenning::new(folder.path().join("index"), || 1_700_000_000)
            .embedder(Arc::new(kenning::embed::embedded()));
        let fixture = Self { folder, index };
        fixture.update();
        fixture
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("vault")
    }

    fn update(&self) {
        let vault = Vault::open(&self.root(), WalkRules::default()).unwrap();
        self.index.update(&vault).unwrap();
    }

    fn log<'a>(&self, disk: &'a dyn crate::disk::Disk) -> Log<'a> {
        Log::new(disk, &self.folder.path().join("intake"))
    }

    fn writer<'a>(&self, disk: &'a dyn crate::disk::Disk) -> Writer<'a> {
        Writer::new(disk, &self.root(), &self.folder.path().join("undo"))
    }

    /// Takes items in, and returns what became of them.
    fn take(&self, items: Vec<Item>) -> Vec<(String, Fate)> {
        self.update();
        let (log, writer) = (self.log(&Machine), self.writer(&Machine));
        let entries = log.read().unwrap().0;
        let mut judged = self.judged(items, &entries);
        let batch = plan(&writer, &mut judged, "2024-01-01").unwrap();
        let run = writer.commit(&batch, 1).unwrap();
        let new: Vec<Entry> = judged
            .iter()
            .filter(|one| !one.is_known)
            .map(|one| one.entry(run, 1))
            .collect();
        log.add(&new).unwrap();
        judged
            .into_iter()
            .map(|one| (one.item.title, one.fate))
            .collect()
    }

    fn judged(&self, items: Vec<Item>, entries: &[Entry]) -> Vec<Judged> {
        let judge = |store: &Store| -> Result<Vec<Judged>> {
            let library = Library::read(store)?;
            let vocabulary = Vocabulary::in_use(library.notes.iter().flat_map(|note| &note.tags));
            let model = kenning::embed::embedded();
            let file = self.folder.path().join("prints");
            let prints = Prints::read(&Machine, &file, store)?;
            let place = Place::new(store, &library, Some(&model))?;
            let intake = Intake::new(place, Rules::default(), &vocabulary, (&[], &[]))?;
            intake.judge(items.clone(), entries, &prints)
        };
        self.index.with_store(judge).unwrap()
    }

    /// Everything in the vault, by path.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        files.push((shown(&self.root(), &path), std::fs::read(&path).unwrap()))
                    }
                }
            }
        }
        files.sort();
        files
    }
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap()
        .to_string_lossy()
        .into_owned()
}

fn signal(title: &str, text: &str) -> Item {
    Item::of(Item {
        kind: "signal".to_owned(),
        title: title.to_owned(),
        text: text.to_owned(),
        author: Some("Ada".to_owned()),
        published: Some("2024-03-01".to_owned()),
        url: Some("https://a.example/x".to_owned()),
        ..Item::default()
    })
}

fn mixed() -> Vec<Item> {
    vec![
        signal("What the compiler checks", LONG),
        signal(
            "HURRY! 50% off!",
            "Buy now! Free shipping, limited offer, order today!!!",
        ),
        signal("Compost, again", NOTES[1].1),
    ]
}

#[test]
fn what_comes_in_is_kept_logged_or_known_again() {
    let fixture = Fixture::new();
    let before = fixture.files();
    let became = fixture.take(mixed());
    let path = "Code/What the compiler checks.md".to_owned();
    assert_eq!(became[0].1, Fate::Kept { path: path.clone() });
    assert_eq!(became[1].1, Fate::Logged);
    assert!(
        matches!(&became[2].1, Fate::Duplicate { of, .. } if of == "Garden/Compost.md"),
        "{became:?}"
    );
    let text = String::from_utf8(std::fs::read(fixture.root().join(&path)).unwrap()).unwrap();
    for part in [
        "source: \"https://a.example/x\"",
        "author: \"Ada\"",
        "date: 2024-03-01",
        "\nscore: 0.",
        "proposed_tags: [\"code\"]",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.ends_with(LONG));
    // Once more changes nothing, and neither does a nearly equal text.
    let after = fixture.files();
    let again = fixture.take(mixed());
    assert_eq!(again[0].1, Fate::Kept { path: path.clone() });
    let edited = LONG
        .replace("parallel", "turn")
        .replace("collector", "sweeper");
    let near = fixture.take(vec![signal("Compilers", &edited)]);
    assert!(
        matches!(&near[0].1, Fate::Duplicate { of, share } if *of == path && *share > 0.7),
        "{near:?}"
    );
    assert_eq!(fixture.files(), after);
    fixture.writer(&Machine).undo(Undone::Last, 2).unwrap();
    assert_eq!(fixture.files(), before);
}

#[test]
fn the_same_items_are_judged_the_same() {
    let fixture = Fixture::new();
    let told = |judged: Vec<Judged>| -> Vec<String> {
        judged
            .iter()
            .map(|one| {
                format!(
                    "{:?} {:?} {:?} {:?}",
                    one.scores, one.routes, one.tags, one.fate
                )
            })
            .collect()
    };
    let first = told(fixture.judged(mixed(), &[]));
    assert_eq!(first, told(fixture.judged(mixed(), &[])));
    let mut turned = mixed();
    turned.reverse();
    let mut turned = told(fixture.judged(turned, &[]));
    turned.reverse();
    assert_eq!(first, turned);
}

#[test]
fn a_note_of_the_vault_is_moved_with_every_byte() {
    let fixture = Fixture::new();
    let token = ["ghp", "x7Kp2mQ9vR4tW8zL3nB6cD1fG5hJ0sYaUeIo"].join("_");
    let text = format!(
        "---\r\nmine: yes\r\n---\r\n{}key {token}\r\n",
        LONG.replace('\n', "\r\n")
    );
    std::fs::create_dir(fixture.root().join("Inbox")).unwrap();
    std::fs::write(fixture.root().join("Inbox/Compilers.md"), &text).unwrap();
    let given = Given {
        name: "Inbox/Compilers.md".to_owned(),
        bytes: text.clone().into_bytes(),
        in_vault: Some("Inbox/Compilers.md".to_owned()),
    };
    let items = read(given, &InProcess::default()).unwrap().items;
    assert!(!items[0].text.contains(&token));
    let became = fixture.take(items);
    let Fate::Kept { path } = &became[0].1 else {
        panic!("{became:?}")
    };
    assert!(
        path.ends_with("/Compilers.md") && !path.starts_with("Inbox"),
        "{path}"
    );
    let moved = std::fs::read_to_string(fixture.root().join(path)).unwrap();
    assert!(
        moved.starts_with("---\r\nmine: yes\r\nreceived: 2024-01-01\r\n"),
        "{moved}"
    );
    assert!(moved.ends_with(&text["---\r\nmine: yes\r\n".len()..]));
    assert!(!fixture.root().join("Inbox/Compilers.md").exists());
    let log =
        std::fs::read_to_string(fixture.folder.path().join("intake/log-000001.jsonl")).unwrap();
    assert!(!log.contains(&token), "the log has a credential");
}

#[test]
fn what_waits_is_kept_where_a_person_says() {
    let fixture = Fixture::new();
    let judged = fixture.judged(
        vec![signal(
            "Borrowing",
            "A reference of a program must not outlive its value.",
        )],
        &[],
    );
    let entry = judged[0].entry(None, 1);
    let writer = fixture.writer(&Machine);
    let (batch, path) = keep(&writer, &entry, "/Garden/New/", "2024-01-01").unwrap();
    writer.commit(&batch, 1).unwrap();
    assert_eq!(path, "Garden/New/Borrowing.md");
    let (_, second) = keep(&writer, &entry, "Garden/New", "2024-01-01").unwrap();
    assert_eq!(second, "Garden/New/Borrowing (2).md");
}

/// Every write of a run of intake is made to fail in turn: afterwards the vault has all notes or none, and running again
/// ends where a run without trouble does.
#[test]
fn intake_is_all_or_nothing() {
    use crate::write::tests::{FAULTS, Faulty};
    let fixture = Fixture::new();
    let before = fixture.files();
    let mut judged = fixture.judged(mixed(), &[]);
    let batch = plan(&fixture.writer(&Machine), &mut judged, "2024-01-01").unwrap();
    fixture.writer(&Machine).commit(&batch, 1).unwrap();
    let after = fixture.files();
    fixture.writer(&Machine).undo(Undone::Last, 1).unwrap();
    assert_eq!(fixture.files(), before);
    for fault in FAULTS {
        for at in 0.. {
            let disk = Faulty::new(fault, at);
            let writer = fixture.writer(&disk);
            let done = plan(&writer, &mut judged.clone(), "2024-01-01")
                .and_then(|batch| writer.commit(&batch, 1));
            let healthy = fixture.writer(&Machine);
            let _ = healthy.recover();
            let files = fixture.files();
            assert!(
                files == before || files == after,
                "{fault:?} at {at}: {done:?}"
            );
            if files == after {
                healthy.undo(Undone::Last, 1).unwrap();
                assert_eq!(fixture.files(), before, "{fault:?} at {at}");
            }
            if disk.n_done() <= at {
                break;
            }
        }
    }
}
