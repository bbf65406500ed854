//! An index that is copied is the same index. Every kind of store runs it, as where it is copied to and from.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kenning::error::Error;
use kenning::index::{Copied, CopyContext, copy};
use kenning::store::{By, Known, LinksOf, Part, Place, Select, Store, Wanted};
use kenning::{Kenning, Vault, WalkRules};

use crate::support::scratch_place;

const QUESTIONS: [&str; 6] = [
    "roof",
    "gutt*",
    "boilr",
    "tag:home roof",
    "\"the roof\"",
    "when was the boiler last serviced?",
];

/// Notes of a vault that is not indexed in one go.
const NOTES: usize = 1_500;

/// Notes of every kind: properties, links, aliases, an extracted text, a masked credential, nothing at all.
fn vault(folder: &Path) -> Vault {
    for (path, text) in [
        (
            "Home/Roof.md",
            "---\ntags: [home]\naliases: [Top]\nstatus: open\nauthor: Ada\ncreated: 2024-05-01\n---\n# Roof\n\nThe roof leaks.\n\n## Gutters\n\nSee [[Boiler|the heater]] and ![[plan.png]].\n",
        ),
        (
            "Home/Boiler.md",
            "# Boiler\n\nServiced in March by Dale, see [[Top]].\n\napi_key = \"sk-proj-abcdefghijklmnopqrstuvwx1234567890ABCDEFGHIJ\"\n",
        ),
        (
            "Haus.md",
            "# Das Dach\n\nDie Dachrinne ist undicht, sagt der Dachdecker.\n",
        ),
        (
            "page.html",
            "<html><body><h1>Tiles</h1><p>Clay tiles last long.</p></body></html>",
        ),
        ("empty.md", ""),
        ("plan.png", "no picture"),
    ] {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    Vault::open(folder, WalkRules::default()).unwrap()
}

fn copied(from: &Place, to: &Place, replaces: bool, stop: &AtomicBool) -> Result<Copied, Error> {
    copy(&CopyContext {
        from,
        to,
        replaces,
        patience: Duration::from_secs(5),
        progress: &|_| {},
        stop,
    })
}

/// Everything that can be asked of an index, but for its numbers.
fn told(store: &Store) -> String {
    let everything = Wanted {
        tags: true,
        properties: true,
        standing: true,
        source: true,
        commits: true,
    };
    let mut facts = store.select(Select::Every, everything).unwrap().to_vec();
    facts.sort_by(|a, b| a.path.cmp(&b.path));
    let mut told = String::new();
    for fact in facts {
        let mut row = (*store.note(fact.id).unwrap()).clone();
        let links = store.links(LinksOf::Note(row.id)).unwrap().into_iter();
        let links: Vec<_> = links
            .map(|link| (link.line, link.kind, link.target, link.anchor, link.shown))
            .collect();
        let text = store.text(row.id, &Part::Whole).unwrap();
        let file = store.text(row.id, &Part::File).unwrap();
        let mut chunks = String::new();
        for chunk in store.chunks(By::Note(row.id)).unwrap() {
            let mut pieces = Vec::new();
            chunk.pieces(&mut pieces);
            let coded = store.coded_vectors(&[chunk.id]).unwrap().pop();
            chunks += &format!(
                "{:?} {:?} {:?}\n",
                (
                    chunk.ordinal,
                    chunk.heading,
                    &chunk.range,
                    chunk.start_line,
                    chunk.end_line
                ),
                (
                    chunk.page,
                    &chunk.picture,
                    chunk.handle,
                    &chunk.prints,
                    pieces
                ),
                coded.map(|(_, vector)| vector),
            );
        }
        row.id = kenning::store::NoteId::new(0);
        told += &format!("{row:?}\n{:?} {:?}\n", fact.properties, fact.source);
        told += &format!("{:?} {:?}\n", fact.standing, fact.committed);
        told += &format!("{links:?}\n{text}\n{file}\n{chunks}\n");
    }
    let status = store.status().unwrap();
    let mut beside = store.surroundings().unwrap();
    beside.folders.sort();
    let known = store.known(Known::Every).unwrap();
    let meta = store.meta().unwrap();
    told += &format!("{status:?}\n{:?}\n{:?}\n", beside.folders, beside.committed);
    told += &format!(
        "{known:?}\n{:?}\n{:?}\n",
        store.masked().unwrap(),
        store.files().unwrap()
    );
    told += &format!("{:?} {:?}\n", meta.vault, meta.fact("settings"));
    told
}

fn hits(place: &Place, question: &str) -> Vec<String> {
    let answer = Kenning::new(place.clone(), || 1_700_000_000)
        .search(question)
        .unwrap();
    let hits = answer.hits.iter();
    hits.map(|hit| {
        format!(
            "{}:{} {:.3}",
            hit.note.path, hit.chunk.start_line, hit.score
        )
    })
    .collect()
}

#[test]
fn a_copy_is_the_same_index() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(&folder.path().join("vault"));
    let own: Place = folder.path().join("own.db").into();
    let back: Place = folder.path().join("back.db").into();
    Kenning::new(own.clone(), || 7).update(&vault).unwrap();
    let never = AtomicBool::new(false);
    let there = copied(&own, &scratch.place, false, &never).unwrap();
    let again = copied(&scratch.place, &back, false, &never).unwrap();
    assert_eq!((there.n_notes, there, there.is_stopped), (5, again, false));
    let first = told(&own.read().unwrap());
    for place in [&scratch.place, &back] {
        let store = place.read().unwrap();
        assert_eq!(told(&store), first);
        assert_eq!(store.verify().unwrap(), Vec::<String>::new());
        drop(store);
        for question in QUESTIONS {
            assert_eq!(hits(place, question), hits(&own, question), "{question}");
        }
        // Whoever goes on from it finds nothing to do.
        let report = Kenning::new(place.clone(), || 8).update(&vault).unwrap();
        assert_eq!((report.n_unchanged, report.n_added), (5, 0), "{report:?}");
    }
}

#[test]
fn what_is_there_is_not_given_up_unasked_nor_by_halves() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(&folder.path().join("vault"));
    let own: Place = folder.path().join("own.db").into();
    Kenning::new(own.clone(), || 7).update(&vault).unwrap();
    let stop = AtomicBool::new(false);
    copied(&own, &scratch.place, false, &stop).unwrap();
    let before = scratch.place.read().unwrap().identity().unwrap();
    let refused = copied(&own, &scratch.place, false, &stop).err().unwrap();
    assert!(
        matches!(refused, Error::StoreFilled { n_notes: 5, .. }),
        "{refused}"
    );
    // Nor is an index copied onto itself.
    assert!(copied(&own, &own, true, &stop).is_err());
    stop.store(true, Ordering::Relaxed);
    assert!(
        copied(&own, &scratch.place, true, &stop)
            .unwrap()
            .is_stopped
    );
    let store = scratch.place.read().unwrap();
    assert_eq!(store.identity().unwrap(), before);
    assert!(store.note_at("Home/Roof.md").unwrap().is_some());
    drop(store);
    stop.store(false, Ordering::Relaxed);
    copied(&own, &scratch.place, true, &stop).unwrap();
    assert_eq!(
        told(&scratch.place.read().unwrap()),
        told(&own.read().unwrap())
    );
}

#[test]
fn an_index_that_is_made_anew_and_stopped_is_as_it_was() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // More than may be prepared ahead of what is written.
    for number in 0..NOTES {
        let text = format!("# Note {number}\n\nThe roof of house {number}.\n");
        std::fs::write(folder.path().join(format!("{number}.md")), text).unwrap();
    }
    let vault = Vault::open(folder.path(), WalkRules::default()).unwrap();
    let index = Kenning::new(scratch.place.clone(), || 7);
    index.update(&vault).unwrap();
    let before = scratch.place.read().unwrap().identity().unwrap();
    let stop = AtomicBool::new(false);
    let report = index
        .updating(&vault)
        .full()
        .progress(&|_| stop.store(true, Ordering::Relaxed))
        .stop(&stop)
        .run()
        .unwrap();
    assert!(report.is_stopped && report.is_undone, "{report:?}");
    let store = scratch.place.read().unwrap();
    assert_eq!(store.identity().unwrap(), before);
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
    drop(store);
    // Nobody is kept out afterwards.
    assert_eq!(index.update(&vault).unwrap().n_unchanged, NOTES);
}
