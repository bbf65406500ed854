//! The read flow end to end: which passages are found, in which order, and how many of them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::Error;
use kenning::budget::Budget;
use kenning::embed::{EmbedError, Embedder, ModelId, embedded};
use kenning::search::{Evidence, Hit, Mode, SearchOptions, Tuning, passage};
use kenning::store::{LexicalHit, LexicalQuery, NoteSet, Store, TermGroup};

use crate::support::{EMBEDDER, TestVault, ask, fixture, paths, vault};

/// What a hit is told apart by, for people: path, lines, score.
fn lines(hits: &[Hit]) -> Vec<String> {
    let line = |hit: &Hit| {
        let (path, chunk) = (&hit.note.path, &hit.chunk);
        format!(
            "{path}:{}-{} {:.3}",
            chunk.start_line, chunk.end_line, hit.score
        )
    };
    hits.iter().map(line).collect()
}

/// The tiny vault, indexed with the model inside the binary.
fn tiny() -> TestVault {
    let vault = fixture("tiny");
    vault.update_with(embedded()).unwrap();
    vault
}

/// Path of the first hit.
fn first(vault: &TestVault, query: &str) -> String {
    let options = SearchOptions::at(0);
    let answer = ask(&vault.store(), embedded(), query, &options).unwrap();
    answer
        .hits
        .first()
        .map_or_else(String::new, |hit| hit.note.path.clone())
}

#[test]
fn notes_are_found_by_name_alias_word_and_meaning() {
    let vault = tiny();
    for (query, expected) in [
        ("April Jane", "2-Areas/People/April Jane.md"),
        ("april_jane.md", "2-Areas/People/April Jane.md"),
        ("AJ", "2-Areas/People/April Jane.md"),
        ("empty shelf", "Empty Shelf.md"),
        ("IRS penalty", "2-Areas/Finance/IRS-Letter.md"),
        ("tax documents", "2-Areas/Finance/IRS-Letter.md"),
        ("bread recipe", "3-Resources/Sourdough.md"),
        ("oak worktop", "1-Projects/Kitchen Renovation.md"),
        ("Haus", "3-Resources/Häuser in Köln.md"),
        ("HÄUSER", "3-Resources/Häuser in Köln.md"),
        ("hauser", "3-Resources/Häuser in Köln.md"),
        ("Ha\u{308}user", "3-Resources/Häuser in Köln.md"),
        ("strasse", "3-Resources/Häuser in Köln.md"),
        ("Gärten", "3-Resources/Häuser in Köln.md"),
        ("krakow", "2-Areas/People/Tomasz Nowak.md"),
        ("编程语言", "3-Resources/编程语言.md"),
        ("软件", "3-Resources/编程语言.md"),
        ("内", "3-Resources/编程语言.md"),
        ("全", "3-Resources/编程语言.md"),
        ("rust", "3-Resources/编程语言.md"),
    ] {
        assert_eq!(first(&vault, query), expected, "{query}");
    }
}

#[test]
fn a_question_that_the_notes_do_not_answer_has_no_hit() {
    let vault = fixture("tiny");
    vault.update();
    for query in [
        "",
        "   ",
        "?!",
        "xylophone",
        "\u{0}",
        "\"",
        "((",
        "\u{200b}",
        "-",
        "*",
    ] {
        let answer = vault.ask(query, &SearchOptions::at(0));
        assert_eq!(lines(&answer.hits), Vec::<String>::new(), "{query:?}");
        assert_eq!(answer.evidence, Evidence::None);
    }
}

#[test]
fn a_named_note_stands_first_whatever_others_say_about_it() {
    let vault = vault(
        "-- zebra plan.md --\n\
         -- a.md --\n# Zebra\nzebra plan, zebra plan, zebra plan: all about the zebra plan\n\
         -- b.md --\n---\naliases: [Striped Horse]\n---\nA horse.\n",
    );
    vault.update();
    let answer = vault.ask("Zebra Plan", &SearchOptions::at(0));
    assert_eq!(paths(&answer.hits)[..2], ["zebra plan.md", "a.md"]);
    assert_eq!(answer.evidence, Evidence::Strong);
    assert!(answer.hits[0].is_pinned && !answer.hits[1].is_pinned);
    assert_eq!(answer.hits[0].score, 1.0);
    assert_eq!(vault.paths("striped-horse")[0], "b.md");
    assert!(!vault.search("all about")[0].is_pinned);
}

/// All three names lead to notes; file names and aliases before titles.
#[test]
fn a_title_pins_only_when_no_file_is_called_so() {
    let vault = vault(
        "-- a.md --\n# Winter\nCold and long, with snow on the roofs.\n\
         -- winter.md --\n# Something else\nThe file is called so.\n",
    );
    vault.update();
    let pinned = |query: &str| {
        let hits = vault.search(query);
        let pinned: Vec<Hit> = hits.into_iter().filter(|hit| hit.is_pinned).collect();
        paths(&pinned)
    };
    assert_eq!(pinned("winter"), ["winter.md"]);
    assert_eq!(pinned("something else"), ["winter.md"]);
    assert_eq!(pinned("snow"), Vec::<String>::new());
}

#[test]
fn the_same_question_has_the_same_answer() {
    let vault = fixture("tiny");
    vault.update();
    let options = SearchOptions::at(0);
    let store = vault.store();
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Vector] {
        let options = SearchOptions { mode, ..options };
        let fresh = vault.ask("the letter about the walls", &options);
        assert!(!fresh.hits.is_empty());
        // The second and third question of one snapshot go other ways inside.
        for _ in 0..3 {
            let again = ask(
                &store,
                &*crate::support::EMBEDDER,
                "the letter about the walls",
                &options,
            );
            assert_eq!(again.unwrap(), fresh);
        }
    }
}

#[test]
fn equal_scores_are_ordered_by_path_and_then_by_line() {
    // Punctuation is not a word: passages that differ in nothing else score the same.
    let text = |mark: &str| {
        let said = format!("The heron stands in the shallow water and waits{mark}");
        format!("## One\n\n{said}\n\n## One\n\n{said}{mark}\n")
    };
    let vault = TestVault::empty();
    // What is far from all the others makes the equal ones near.
    for number in 0..8 {
        vault.write(&format!("other/{number}.md"), format!("unlike {number}"));
    }
    // Ids follow the order of indexing, which is not the order of paths.
    for (path, mark) in [("m/note.md", "."), ("z/note.md", "!"), ("a/note.md", ";")] {
        vault.write(path, text(mark));
        vault.update();
    }
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Vector] {
        let options = SearchOptions {
            mode,
            ..SearchOptions::at(0)
        };
        let query = "the heron stands in the shallow water";
        let hits = vault.ask(query, &options).hits;
        let places: Vec<(&str, u32)> = hits
            .iter()
            .take(6)
            .map(|hit| (hit.note.path.as_str(), hit.chunk.start_line))
            .collect();
        let expected = [
            ("a/note.md", 1),
            ("a/note.md", 5),
            ("m/note.md", 1),
            ("m/note.md", 5),
            ("z/note.md", 1),
            ("z/note.md", 5),
        ];
        assert_eq!(places, expected, "{mode:?}");
        let few = SearchOptions {
            limit: 3,
            ..options
        };
        let cut = vault.ask(query, &few);
        assert_eq!(lines(&cut.hits), lines(&hits)[..3], "{mode:?}");
    }
}

#[test]
fn hits_keep_to_the_limits() {
    let vault = vault(
        "-- a.md --\n## One\n\nThe heron stands in the shallow water and waits.\n\n\
         ## Two\n\nAnother heron flies over the shallow water and calls.\n\n\
         ## Three\n\nNo heron was seen here for many years, says the warden.\n\
         -- b.md --\nA heron.\n-- c.md --\nThe heron, the stork and the crane walked in the meadow.\n",
    );
    vault.update();
    let default = SearchOptions::at(0);
    let ask = |options: SearchOptions| vault.ask("heron", &options).hits;
    let all = ask(SearchOptions {
        per_note: 9,
        ..default
    });
    assert_eq!(all.len(), 5);
    assert!(all.is_sorted_by(|a, b| a.score >= b.score));
    assert!(all.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));

    let per_note = ask(SearchOptions {
        per_note: 1,
        ..default
    });
    let mut notes = paths(&per_note);
    notes.sort();
    assert_eq!(notes, ["a.md", "b.md", "c.md"]);

    let few = ask(SearchOptions {
        limit: 2,
        per_note: 9,
        ..default
    });
    assert_eq!(lines(&few), lines(&all)[..2]);
    assert!(
        ask(SearchOptions {
            limit: 0,
            ..default
        })
        .is_empty()
    );

    let min_score = all[2].score;
    let good = ask(SearchOptions {
        min_score,
        per_note: 9,
        ..default
    });
    assert_eq!(lines(&good), lines(&all)[..good.len()]);
    assert!(good.len() >= 3 && good.iter().all(|hit| hit.score >= min_score));
    let none = vault.ask(
        "heron",
        &SearchOptions {
            min_score: 1.1,
            ..default
        },
    );
    // The notes do say something; it only scores too little.
    assert_eq!((none.hits.len(), none.evidence), (0, Evidence::Strong));
}

#[test]
fn the_texts_of_all_hits_fit_the_tokens() {
    let vault = vault(
        "-- a.md --\nThe heron stands in the shallow water, and waits for frogs and fish.\n\
         -- b.md --\nA heron.\n-- c.md --\nHerons: ünïcödé everywhere, all the time, also here.\n",
    );
    vault.update();
    for max_tokens in 0..60 {
        let options = SearchOptions {
            max_tokens: Some(max_tokens),
            ..SearchOptions::at(0)
        };
        let hits = vault.ask("heron", &options).hits;
        let n_chars: usize = hits.iter().map(|hit| hit.text.chars().count()).sum();
        assert!(n_chars <= 4 * max_tokens, "{n_chars} for {max_tokens}");
        assert!(!hits.is_empty());
    }
}

#[test]
fn each_mode_asks_its_own_retrievers() {
    let vault = fixture("tiny");
    vault.update();
    let hits = |mode| {
        let options = SearchOptions {
            mode,
            ..SearchOptions::at(0)
        };
        vault.ask("repairs bicycles", &options).hits
    };
    for (mode, has_lexical, has_vector) in [
        (Mode::Hybrid, true, true),
        (Mode::Lexical, true, false),
        (Mode::Vector, false, true),
    ] {
        let best = &hits(mode)[0];
        assert_eq!(best.note.path, "2-Areas/People/Tomasz Nowak.md");
        assert_eq!(best.lexical_rank.is_some(), has_lexical, "{mode:?}");
        assert_eq!(best.vector_rank.is_some(), has_vector, "{mode:?}");
    }
}

/// A model that must not be asked anything.
struct Untouchable;

impl Embedder for Untouchable {
    fn id(&self) -> &ModelId {
        unreachable!("words need no model")
    }

    fn embed_passages(&self, _: &[&str], _: &mut Vec<f32>) -> Result<(), EmbedError> {
        unreachable!("words need no model")
    }

    fn embed_query(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        unreachable!("words need no model")
    }
}

#[test]
fn lexical_mode_never_touches_the_model() {
    let vault = fixture("tiny");
    vault.update();
    let options = SearchOptions {
        mode: Mode::Lexical,
        ..SearchOptions::at(0)
    };
    let answer = ask(&vault.store(), &Untouchable, "oak worktop", &options).unwrap();
    assert_eq!(answer.hits[0].note.path, "1-Projects/Kitchen Renovation.md");
}

#[test]
fn a_hit_tells_where_it_stands() {
    let vault = fixture("tiny");
    vault.update();
    let hit = vault.search("oak worktop").remove(0);
    assert_eq!(hit.breadcrumb, ["Kitchen Renovation", "Budget"]);
    assert_eq!((hit.chunk.start_line, hit.chunk.end_line), (9, 11));
    assert_eq!(hit.note.tags, ["home", "project"]);
    let file = std::fs::read_to_string(vault.root().join(&hit.note.path)).unwrap();
    assert_eq!(file[hit.chunk.range.clone()], hit.text);

    let store = vault.store();
    let reference = format!("#{:08x}", hit.chunk.handle);
    let found = passage(&store, &reference).unwrap();
    assert_eq!(
        (found.text.as_str(), found.start_line),
        (hit.text.as_str(), 9)
    );
    for name in [
        "1-Projects/Kitchen Renovation.md",
        "1-Projects/Kitchen Renovation",
        "kitchen renovation",
        "[[Kitchen Renovation]]",
    ] {
        let found = passage(&store, &format!("{name}:9-11")).unwrap();
        assert_eq!(found.text, hit.text, "{name}");
    }
    let unknown = passage(&store, "nobody");
    assert!(matches!(unknown, Err(Error::NotFound { .. })));
}

#[test]
fn what_obsidian_hides_is_hidden_and_what_it_shows_is_found() {
    let vault = fixture("obsidian");
    let report = vault.update();
    assert_eq!((report.warnings, report.skipped), (vec![], vec![]));
    for (query, expected) in [
        ("quagmire", None),
        ("flabbergasted", None),
        ("grammar", Some("Syntax.md")),
        ("the rules", Some("Syntax.md")),
        ("begonias", Some("Syntax.md")),
        ("zygote", Some("Syntax.md")),
        ("pelican", Some("Syntax.md")),
        ("platform", Some("Syntax.md")),
        ("rhubarb", Some("Daily/2026-03-14.md")),
        ("carries the anchor", Some("Target.md")),
    ] {
        let found = vault.paths(query);
        assert_eq!(found.first().map(String::as_str), expected, "{query}");
    }
    let hit = |query: &str| vault.search(query).remove(0);
    assert_eq!(
        hit("begonias").note.tags,
        [
            "language/markup",
            "reference",
            "plain",
            "nested/deeper",
            "Ünïcode"
        ]
    );
    assert_eq!(hit("rhubarb").note.date.as_deref(), Some("2026-03-14"));
    let old = hit("before the move").note;
    assert_eq!(old.date.as_deref(), Some("2024-05-01"));
    assert!(
        old.superseded_by
            .as_ref()
            .is_some_and(|name| name.contains("Target"))
    );
    let links = vault.contents();
    let n_links = |target: &str| {
        let target = format!("target=Text(\"{target}\")");
        let is_link = |line: &&String| line.starts_with("link") && line.contains(&target);
        links.iter().filter(is_link).count()
    };
    assert_eq!(n_links("NotALink"), 0);
    assert_eq!(n_links("Nowhere"), 1);
    assert_eq!(n_links("Syntax"), 1);
    assert!(n_links("Target") >= 6);
}

#[test]
fn a_note_is_found_by_what_others_call_it() {
    let files = "-- a.md --\nsee [[Plan B|the backup route]]\n-- b.md --\nby [[Plan B|the backup route]]\n\
        -- Plan B.md --\nTake the train over Ulm.\n-- c.md --\nA backup of the photos. The route is long.\n";
    let vault = vault(files);
    vault.update_with(embedded()).unwrap();
    let found = vault
        .store()
        .note(vault.store().note_at("Plan B.md").unwrap().unwrap());
    assert_eq!(found.unwrap().anchor_texts, ["the backup route"]);
    let options = SearchOptions {
        is_explained: true,
        ..SearchOptions::at(0)
    };
    let answer = ask(&vault.store(), embedded(), "backup route", &options).unwrap();
    let called = answer.hits.iter().find(|hit| hit.note.path == "Plan B.md");
    let look = called
        .unwrap()
        .stages
        .iter()
        .find(|stage| stage.name == "rerank");
    assert!(look.unwrap().detail.contains("link_text 0.8"), "{look:?}");
    // What nobody says any more is forgotten.
    vault.write("a.md", "see [[Plan B]]\n");
    vault.write("b.md", "nothing\n");
    vault.update_with(embedded()).unwrap();
    let store = vault.store();
    let note = store.note_at("Plan B.md").unwrap().unwrap();
    assert!(store.note(note).unwrap().anchor_texts.is_empty());
}

#[test]
fn a_superseded_note_names_its_successor() {
    let vault = vault(
        "-- old.md --\n---\nsuperseded_by: \"[[new]]\"\n---\nThe quince budget is 40.\n\
         -- new.md --\nThe quince budget is 60.\n",
    );
    vault.update_with(embedded()).unwrap();
    let options = SearchOptions::at(0);
    let answer = ask(&vault.store(), embedded(), "quince budget", &options).unwrap();
    assert_eq!(paths(&answer.hits), ["new.md", "old.md"]);
    assert_eq!(answer.notices.len(), 1, "{:?}", answer.notices);
    assert!(answer.notices[0].starts_with("old.md is superseded by"));
}

#[test]
fn what_holds_no_word_and_is_hardly_near_is_left_out() {
    let vault = tiny();
    let options = |mode| SearchOptions {
        mode,
        limit: 50,
        ..SearchOptions::at(0)
    };
    let ask = |mode| {
        ask(
            &vault.store(),
            embedded(),
            "sourdough starter",
            &options(mode),
        )
        .unwrap()
    };
    let (hybrid, vector) = (ask(Mode::Hybrid), ask(Mode::Vector));
    assert!(
        hybrid.hits.len() < vector.hits.len(),
        "meaning alone lists more"
    );
    for hit in &hybrid.hits {
        let text = format!("{} {} {}", hit.note.path, hit.note.title, hit.text).to_lowercase();
        let is_worded = text.contains("sourdough") || text.contains("starter");
        assert!(is_worded || hit.vector_rank.is_some(), "{}", hit.note.path);
    }
}

/// The best chunks by words alone.
fn best(store: &Store, words: &[&str], limit: usize) -> Vec<LexicalHit> {
    let groups: Vec<TermGroup> = words
        .iter()
        .map(|word| TermGroup {
            terms: vec![(*word).to_owned()],
            is_prefix: false,
        })
        .collect();
    let query = LexicalQuery {
        groups: &groups,
        typed: &[],
        options: &Tuning::default().lexical,
        limit,
        per_note: 2,
    };
    let found = store.lexical(&query, &NoteSet::every(), &[], &Budget::default());
    found.unwrap().hits
}

#[test]
fn a_short_list_by_words_is_the_beginning_of_a_long_one() {
    let vault = TestVault::empty();
    for n in 0..120usize {
        let section = |of: usize| {
            format!(
                "## Part {of}\n\n{}{}and so on, at some length.\n\n",
                "red ".repeat((n * 7 + of) % 5),
                "roof ".repeat((n * 3 + of * of) % 4)
            )
        };
        let text: String = (0..n % 6).map(section).collect();
        vault.write(&format!("{n}.md"), format!("# Note {n}\n\n{text}"));
    }
    vault.update();
    let store = vault.store();
    let asked = ["red", "roof"];
    let all = best(&store, &asked, usize::MAX);
    assert!(all.len() > 150, "{}", all.len());
    for limit in [0, 1, 2, 10, 60, 1_000] {
        assert_eq!(best(&store, &asked, limit), all[..limit.min(all.len())]);
        // The question before leaves nothing behind.
        assert_ne!(best(&store, &["red"], 10), all[..10]);
    }
}

#[test]
fn a_stub_stuffed_with_keywords_loses_to_a_note_that_says_something() {
    let vault = vault(
        "-- stub.md --
# Keywords

roof repair roof repair roof repair roof repair roof repair
-- house.md --
# The house

Last autumn we had the roof repaired by Meyer & Sons. The repair took four days. They lifted the tiles
on the north side, found that two battens had rotted, and replaced them with larch. The whole roof
repair cost 4,180 euros, of which the insurance paid 1,500.
-- garden.md --
# The garden

Nothing but weeds and a shed without a roof.
",
    );
    vault.update_with(embedded()).unwrap();
    assert_eq!(first(&vault, "roof repair"), "house.md");
}

/// What is kept of frequent words must not change what a second question is told.
#[test]
fn a_slip_is_told_each_time() {
    let vault = TestVault::empty();
    for n in 0..600 {
        vault.write(&format!("{n}.md"), format!("the project number{n}"));
    }
    vault.update();
    let store = vault.store();
    let ask = |query: &str| {
        let options = SearchOptions::at(0);
        let answer = ask(&store, &*EMBEDDER, query, &options).unwrap();
        (lines(&answer.hits), answer.notices, answer.evidence)
    };
    let first = ask("projcet number7");
    assert_eq!(first.1.len(), 1, "{first:?}");
    assert_eq!(first, ask("projcet number7"));
    // The word itself is kept, and stands for itself.
    let known = ask("project number7");
    assert!(known.1.is_empty(), "{known:?}");
    assert_eq!(known, ask("project number7"));
    assert_eq!(first, ask("projcet number7"));
}

#[test]
fn what_was_looked_for_is_told_as_notes_spell_it() {
    let vault = vault(
        "-- a.md --\nThe penalty was removed after a letter to the office, which took three months and \
         some patience, because nobody there knew what the first letter had been about.\n",
    );
    vault.update();
    let answer = vault.ask("peanlty removed", &SearchOptions::at(0));
    assert_eq!(
        answer.notices,
        ["no note says \"peanlty\"; looked for penalty instead"]
    );
}
