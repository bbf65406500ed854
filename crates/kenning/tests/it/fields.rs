//! Notes are found by everything that a person sees of them: names, folders, properties, parts of words.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::embed::embedded;
use kenning::search::{Answer, Evidence, Mode, SearchOptions};

use crate::support::{TestVault, ask, paths, vault};

const MODES: [Mode; 2] = [Mode::Hybrid, Mode::Lexical];

/// Indexes with the model inside the binary.
fn indexed(files: &str) -> TestVault {
    let vault = vault(files);
    vault.update_with(embedded()).unwrap();
    vault
}

fn answer(vault: &TestVault, query: &str, mode: Mode) -> Answer {
    let options = SearchOptions {
        mode,
        ..SearchOptions::at(0)
    };
    ask(&vault.store(), embedded(), query, &options).unwrap()
}

/// Path of the first hit.
fn first(answer: &Answer) -> &str {
    answer.hits.first().map_or("", |hit| &hit.note.path)
}

/// Notes that are found by nothing but their words.
const OTHERS: &str = "-- o1.md --\nThe ferry leaves at noon and comes back in the evening.\n\
    -- o2.md --\nPaint the fence before the rain sets in.\n\
    -- o3.md --\nThe choir sings on Thursdays in the old hall.\n\
    -- o4.md --\nA list of books that somebody borrowed.\n\
    -- o5.md --\nThree eggs, flour, and a little milk.\n";

#[test]
fn whatever_is_seen_of_a_note_finds_it() {
    let vault = indexed(&format!(
        "{OTHERS}-- 2-Areas/Quokkaville/Deep/plan.md --\nThe committee met again.\n\
         -- s.md --\n---\nsummary: about the marzipan affair\n---\nThe committee met again.\n\
         -- k.md --\n---\ntype: zeppelin\nauthor: Ottoline Brandywine\nisbn: 978-3-16-148410-0\n\
         publisher: [Harrowgate]\nnested: {{inner: cobblestone}}\n---\nThe committee met again.\n\
         -- f.md --\n---\ntags: [ornithology/waders]\naliases: [Gallimaufry]\n---\nThe committee met again.\n"
    ));
    for (query, expected) in [
        ("quokkaville", "2-Areas/Quokkaville/Deep/plan.md"),
        ("marzipan", "s.md"),
        ("zeppelin", "k.md"),
        ("brandywine", "k.md"),
        ("978-3-16-148410-0", "k.md"),
        ("harrowgate", "k.md"),
        ("publisher", "k.md"),
        ("cobblestone", "k.md"),
        ("waders", "f.md"),
        ("gallimaufry", "f.md"),
        (
            "committee in quokkaville",
            "2-Areas/Quokkaville/Deep/plan.md",
        ),
    ] {
        for mode in MODES {
            let answer = answer(&vault, query, mode);
            assert_eq!(first(&answer), expected, "{query} {mode:?}");
            assert!(answer.evidence >= Evidence::Moderate, "{query} {mode:?}");
        }
    }
}

#[test]
fn the_file_name_is_a_name_whatever_the_first_heading_says() {
    let mut files = String::from(
        "-- Race Condition.md --\nTwo threads write at once.\n\n# Examples\n\nA counter that is lost when both of them write.\n\
         -- Deadlock.md --\n## Definition\n\nBoth wait for the other.\n\n# Sources\n\nA book.\n",
    );
    for number in 0..12 {
        files += &format!(
            "-- log {number}.md --\n# A race condition in part {number}\n\nA race condition again: what is a race, \
             what is a condition, and which race condition is it in part {number}?\n"
        );
    }
    let vault = indexed(&files);
    for mode in MODES {
        for query in [
            "what is a race condition",
            "What is a Race Condition?",
            "what are race conditions",
            "race condition",
        ] {
            let answer = answer(&vault, query, mode);
            assert_eq!(first(&answer), "Race Condition.md", "{query} {mode:?}");
            assert_eq!(answer.evidence, Evidence::Strong, "{query} {mode:?}");
        }
        assert_eq!(
            first(&answer(&vault, "deadlock definition", mode)),
            "Deadlock.md"
        );
    }
    let hits = answer(&vault, "two threads write at once", Mode::Hybrid).hits;
    assert_eq!(hits[0].breadcrumb, ["Race Condition"]);
    assert_eq!((hits[0].chunk.start_line, hits[0].chunk.end_line), (1, 1));
    let hits = answer(
        &vault,
        "a counter that is lost when both write",
        Mode::Hybrid,
    )
    .hits;
    assert_eq!(hits[0].breadcrumb, ["Race Condition", "Examples"]);
    assert_eq!(hits[0].note.title, "Race Condition");
}

/// A question that only one note is called like is about that note; with two of them it is a question.
#[test]
fn a_question_names_one_note_or_none() {
    let vault = indexed(&format!(
        "{OTHERS}-- a/Budget.md --\nMoney for the house.\n-- b/Budget.md --\nMoney for the boat.\n\
         -- Boiler.md --\nIt was serviced in May.\n"
    ));
    let pinned = |query: &str| {
        let mut hits = answer(&vault, query, Mode::Hybrid).hits;
        hits.retain(|hit| hit.is_pinned);
        paths(&hits)
    };
    assert_eq!(pinned("where is the boiler?"), ["Boiler.md"]);
    assert_eq!(pinned("what is the budget"), Vec::<String>::new());
    assert_eq!(pinned("budget"), ["a/Budget.md", "b/Budget.md"]);
}

#[test]
fn a_part_of_a_compound_finds_it() {
    for (others, note, query, marked) in [
        (
            "Das Dach wurde im Frühjahr neu gedeckt und ist seitdem dicht.",
            "Wir haben die Mietverträge im März unterschrieben und dann abgeheftet.",
            "Vertrag",
            "Mietverträge",
        ),
        (
            "Das Dach wurde im Frühjahr neu gedeckt und ist seitdem dicht.",
            "Nach der Ausbildereignungsverordnung ist das nicht mehr nötig gewesen.",
            "Verordnung",
            "Ausbildereignungsverordnung",
        ),
        (
            "Das Dach wurde im Frühjahr neu gedeckt und ist seitdem dicht.",
            "Nach der Ausbildereignungsverordnung ist das nicht mehr nötig gewesen.",
            "Eignung",
            "Ausbildereignungsverordnung",
        ),
        (
            "Das Dach wurde im Frühjahr neu gedeckt und ist seitdem dicht.",
            "Der Schornsteinfeger war im Januar bei uns und hat nichts beanstandet.",
            "Feger",
            "Schornsteinfeger",
        ),
        (
            "Het dak is in het voorjaar vernieuwd en sindsdien is alles weer droog gebleven.",
            "Wij hebben de huurovereenkomst in maart getekend en daarna in de map gedaan.",
            "overeenkomst",
            "huurovereenkomst",
        ),
        (
            "Taket lades om i våras och sedan dess har det inte kommit in något vatten alls.",
            "Vi skrev under hyresavtalet i mars och lade det sedan i pärmen hemma hos oss.",
            "avtal",
            "hyresavtalet",
        ),
        (
            "Taket ble lagt om i vår, og siden har det ikke kommet inn noe vann i det hele tatt.",
            "Vi skrev under på leiekontrakten i mars og la den så i permen hjemme hos oss.",
            "kontrakt",
            "leiekontrakten",
        ),
        (
            "Taget blev lagt om i foråret, og siden er der ikke kommet noget vand ind overhovedet.",
            "Vi skrev under på lejekontrakten i marts og lagde den så i mappen hjemme hos os.",
            "kontrakt",
            "lejekontrakten",
        ),
        (
            "Katto uusittiin keväällä, eikä sen jälkeen ole tullut yhtään vettä sisään taloon.",
            "Vuokrasopimus on nyt kansiossa, koska me allekirjoitimme sen maaliskuussa ja lähetimme sen vuokranantajalle.",
            "sopimus",
            "Vuokrasopimus",
        ),
    ] {
        check_part(others, note, query, marked);
    }
}

/// Whether a word finds the longer one that it is part of, in a note beside another.
fn check_part(others: &str, note: &str, query: &str, marked: &str) {
    let vault = indexed(&format!("-- a.md --\n{others}\n-- b.md --\n{note}\n"));
    for mode in MODES {
        let answer = answer(&vault, query, mode);
        assert_eq!(first(&answer), "b.md", "{query} {mode:?}");
        let evidence = answer.evidence;
        assert!(
            evidence == Evidence::Weak || evidence == Evidence::Moderate,
            "{query} {mode:?}"
        );
        let excerpt = &answer.hits[0].excerpt;
        let highlight = |(start, end): (usize, usize)| -> String {
            excerpt.text.chars().skip(start).take(end - start).collect()
        };
        let shown: Vec<String> = excerpt.highlights.iter().copied().map(highlight).collect();
        assert_eq!(shown, [marked], "{mode:?}");
    }
}

/// The word itself counts for more than one that it is part of, and English has no such words.
#[test]
fn a_compound_is_less_than_the_word_itself() {
    let vault = indexed(
        "-- a.md --\nDer Mietvertrag liegt im Ordner, und der Arbeitsvertrag auch.\n\
         -- b.md --\nDer Vertrag liegt nicht mehr in der Schublade, wo er einmal war.\n\
         -- c.md --\nDas Dach ist dicht, und die Rinne wurde im Mai gereinigt.\n\
         -- Kaufvertrag.md --\nDas Boot ist jetzt bezahlt und gehört uns ganz allein.\n",
    );
    for mode in MODES {
        let mut found = paths(&answer(&vault, "Vertrag", mode).hits);
        found.truncate(3);
        assert_eq!(found[0], "b.md", "{mode:?}");
        found.sort();
        assert_eq!(found, ["Kaufvertrag.md", "a.md", "b.md"], "{mode:?}");
    }
    let vault = indexed(
        "-- a.md --\nThe blackboard was wiped and the keyboard was cleaned by the caretaker.\n\
         -- b.md --\nThe fence is painted before the rain sets in again.\n",
    );
    assert_eq!(answer(&vault, "board", Mode::Lexical).hits, []);
}

#[test]
fn notes_with_a_few_zeros_are_read() {
    let vault = vault("-- a.md --\nThe heron\0 stands in the water.\n-- b.md --\nNothing.\n");
    vault.write(
        "wide.md",
        "The crane flies."
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>(),
    );
    vault.write("picture.md", [[0u8, 1, 2, 3, 255]; 60].concat());
    let report = vault.update();
    assert_eq!(vault.paths("heron water"), ["a.md"]);
    assert_eq!(vault.paths("crane"), ["wide.md"]);
    assert_eq!(report.skipped.len(), 1);
}
