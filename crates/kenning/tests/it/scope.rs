//! A scope: whatever is asked, in whatever way, only notes of it are found.

use kenning::search::{Mode, Scope, ScopeParts, SearchOptions};

use crate::support::{TestVault, paths, vault};

fn notes() -> TestVault {
    let vault = vault(
        "-- in/Open.md --\n# Open\n\nThe number of the open note. See [[Hidden]].\n\n\
         -- in/Twin.md --\n# Twin\n\nThe very same words in two notes, long enough to be known again.\n\
         -- out/Twin.md --\n# Twin\n\nThe very same words in two notes, long enough to be known again.\n\
         -- out/Hidden.md --\n---\naliases: [Secret Plan]\ntags: [x]\ndate: 2024-05-01\n---\n# Hidden\n\n\
         The number of the hidden note, which is 222. - [ ] a task\n",
    );
    vault.update();
    vault
}

#[test]
fn no_question_leads_out_of_it() {
    let vault = notes();
    let parts = ScopeParts {
        folders: vec!["in".to_owned()],
        ..ScopeParts::default()
    };
    let scope = Scope::new(parts).unwrap();
    let queries = [
        "number of the hidden note",
        "Hidden",
        "Secret Plan",
        "[[Hidden]]",
        "[[Secret Plan]] number",
        "#x number",
        "tag:x",
        "path:out",
        "-path:in",
        "path:in OR path:out",
        "task:task",
        "since:2024-01-01",
        "what happened in May 2024",
        "\"the hidden note\"",
        "/222/",
        "the very same words in two notes",
        "Twin",
    ];
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Vector] {
        for query in queries {
            let options = SearchOptions {
                scope: Some(&scope),
                mode,
                limit: 50,
                per_note: 9,
                ..SearchOptions::at(0)
            };
            let answer = vault.ask(query, &options);
            let found = paths(&answer.hits);
            let others = answer.hits.iter().flat_map(|hit| &hit.also_in);
            let mut all = found.iter().chain(others);
            assert!(
                all.all(|path| path.starts_with("in/")),
                "{query}: {found:?}"
            );
            assert!(
                answer.hits.iter().all(|hit| !hit.text.contains("222")),
                "{query}"
            );
        }
    }
}

#[test]
fn inside_of_it_everything_is_as_it_was() {
    let vault = notes();
    let parts = ScopeParts {
        files: vec!["out/Hidden.md".to_owned()],
        ..ScopeParts::default()
    };
    let scope = Scope::new(parts).unwrap();
    let options = SearchOptions {
        scope: Some(&scope),
        ..SearchOptions::at(0)
    };
    for query in [
        "number of the hidden note",
        "[[Hidden]]",
        "tag:x",
        "Secret Plan",
    ] {
        assert_eq!(
            paths(&vault.ask(query, &options).hits),
            ["out/Hidden.md"],
            "{query}"
        );
    }
    assert_eq!(Scope::new(ScopeParts::default()), None);
}
