//! Filters over notes.

use insta::assert_snapshot;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

use super::super::{Dates, View, parse};
use crate::budget::Budget;

const TODAY: Date = date(2026, 3, 5);

struct Note {
    name: &'static str,
    path: &'static str,
    tags: &'static [&'static str],
    aliases: &'static [&'static str],
    properties: Value,
    date: Option<Date>,
    text: &'static str,
}

fn notes() -> [Note; 3] {
    [
        Note {
            name: "roof",
            path: "Projects/Roof repair.md",
            tags: &["work", "project/house"],
            aliases: &["Dachreparatur"],
            properties: json!({
                "status": "In progress", "cost": 1500, "due": "2026-04-01", "done": false,
                "people": ["Anna", "Jörg"], "empty": null, "Note": " ", "nested": {"a": ["deep"]},
            }),
            date: Some(date(2026, 2, 10)),
            text: include_str!("roof.md"),
        },
        Note {
            name: "garden",
            path: "archive/2025/Garden.md",
            tags: &["home", "myjob/work"],
            aliases: &[],
            properties: json!({
                "status": "done", "type": "Chore", "cost": 15, "due": "2025-12-01T10:00", "empty": [], "rating": "4",
            }),
            date: Some(date(2025, 6, 1)),
            text: include_str!("garden.md"),
        },
        Note {
            name: "cat",
            path: "Daily notes/2026-03-04.md",
            tags: &["#Work/today"],
            aliases: &[],
            properties: json!({}),
            date: None,
            text: include_str!("cat.md"),
        },
    ]
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Returns the names of the notes that pass.
fn check(query: &str) -> String {
    let request = parse(query, TODAY);
    assert_eq!(request.notices, Vec::<String>::new());
    let filter = request.filter.unwrap();
    let mut names = Vec::new();
    for note in notes() {
        let read = || note.text;
        let body_start = note.text.find("---\n\n").map_or(0, |at| at + 4);
        let view = View {
            path: note.path,
            tags: &strings(note.tags),
            types: [note.properties["type"].as_str(), None],
            aliases: &strings(note.aliases),
            properties: note.properties.as_object().unwrap(),
            dates: Dates {
                published: note.date,
                ..Dates::default()
            },
            text: &read,
            body_start,
            headings: &crate::note::outline_of_markdown(&note.text[body_start..]),
        };
        if filter.matches(&view, &Budget::default()) {
            names.push(note.name);
        }
    }
    names.join(" ")
}

#[test]
fn a_word_is_the_start_of_a_word() {
    assert_snapshot!(check("(roof)"), @"roof cat");
    assert_snapshot!(check("(gutt)"), @"roof");
    assert_snapshot!(check("(utter)"), @"");
    assert_snapshot!(check("(ROOFER)"), @"roof");
    assert_snapshot!(check("(cafe muller)"), @"roof");
    assert_snapshot!(check("(Café Müller)"), @"roof");
    assert_snapshot!(check("(strasse)"), @"roof");
    assert_snapshot!(check("(roof tree)"), @"");
    assert_snapshot!(check("(roof OR tree)"), @"roof garden cat");
    assert_snapshot!(check("(ball)"), @"");
    assert_snapshot!(check("(dachrep)"), @"roof");
    assert_snapshot!(check("content:dachrep"), @"");
    assert_snapshot!(check("(5)"), @"roof");
    assert_snapshot!(check("(in progress)"), @"");
}

#[test]
fn a_type_is_the_whole_of_it() {
    assert_snapshot!(check("type:chore"), @"garden");
    assert_snapshot!(check("type:cho"), @"");
    assert_snapshot!(check("type:/^ch/"), @"garden");
    assert_snapshot!(check("-type:chore"), @"roof cat");
    assert_snapshot!(check("type:(chore OR meeting)"), @"garden");
}

#[test]
fn unspaced_scripts_are_found_anywhere() {
    assert_snapshot!(check("(程语)"), @"garden");
    assert_snapshot!(check("(rust)"), @"garden");
    assert_snapshot!(check("(使用)"), @"garden");
}

#[test]
fn a_phrase_is_contained() {
    assert_snapshot!(check(r#""happy cat""#), @"cat");
    assert_snapshot!(check(r#""HAPPY  CAT""#), @"cat");
    assert_snapshot!(check(r#""appy ca""#), @"cat");
    assert_snapshot!(check(r#""star wars""#), @"roof");
    assert_snapshot!(check(r#""football""#), @"garden");
    assert_snapshot!(check(r#""ball""#), @"garden");
    assert_snapshot!(check(r#""Roof repair""#), @"roof cat");
    assert_snapshot!(check(r#"content:"Roof repair""#), @"cat");
    assert_snapshot!(check(r#"-"happy cat""#), @"roof garden");
}

#[test]
fn words_are_left_out() {
    assert_snapshot!(check("-roof"), @"garden");
    assert_snapshot!(check("-(roof gutter)"), @"garden cat");
    assert_snapshot!(check("-(roof dog)"), @"roof garden");
    assert_snapshot!(check("-roof -dog"), @"garden");
    assert_snapshot!(check("(cat -dog)"), @"");
    assert_snapshot!(check("-(-dog)"), @"cat");
}

#[test]
fn case_counts_if_asked_for() {
    assert_snapshot!(check("match-case:HappyCat"), @"roof");
    assert_snapshot!(check("match-case:happycat"), @"");
    assert_snapshot!(check("match-case:(Café Müller)"), @"roof");
    assert_snapshot!(check("match-case:cafe"), @"");
    assert_snapshot!(check(r#"match-case:"star wars""#), @"roof");
    assert_snapshot!(check("match-case:/HAPPY/"), @"");
    assert_snapshot!(check("/HAPPY/"), @"roof cat");
}

#[test]
fn expressions() {
    assert_snapshot!(check(r"/\d{4}-\d{2}-\d{2}/"), @"roof cat");
    assert_snapshot!(check(r"content:/\d{4}-\d{2}-\d{2}/"), @"roof");
    assert_snapshot!(check("/^dog cat$/"), @"cat");
    assert_snapshot!(check("/star.wars/"), @"");
    assert_snapshot!(check("/star.wars/s"), @"roof");
}

#[test]
fn tags() {
    assert_snapshot!(check("tag:work"), @"roof cat");
    assert_snapshot!(check("tag:#WORK"), @"roof cat");
    assert_snapshot!(check("tag:work/today"), @"cat");
    assert_snapshot!(check("tag:project"), @"roof");
    assert_snapshot!(check("tag:house"), @"");
    assert_snapshot!(check("tag:myjob/work"), @"garden");
    assert_snapshot!(check("tag:/job/"), @"garden");
    assert_snapshot!(check("-tag:work"), @"garden");
    assert_snapshot!(check("(#home OR tag:project)"), @"roof garden");
    assert_snapshot!(check("tag:wor"), @"");
}

#[test]
fn paths_and_names() {
    assert_snapshot!(check("path:archive"), @"garden");
    assert_snapshot!(check(r#"path:"daily notes""#), @"cat");
    assert_snapshot!(check("path:ROOF"), @"roof");
    assert_snapshot!(check("file:roof"), @"roof");
    assert_snapshot!(check("file:archive"), @"");
    assert_snapshot!(check("file:.md"), @"roof garden cat");
    assert_snapshot!(check(r"path:/^\w+\/\d{4}\//"), @"garden");
    assert_snapshot!(check("-path:archive"), @"roof cat");
    assert_snapshot!(check("match-case:(path:projects)"), @"");
    assert_snapshot!(check("path:(archive OR daily)"), @"garden cat");
}

#[test]
fn lines_blocks_and_sections() {
    assert_snapshot!(check("line:(mix water)"), @"roof");
    assert_snapshot!(check("line:(mix dough)"), @"");
    assert_snapshot!(check("block:(mix dough)"), @"roof");
    assert_snapshot!(check("block:(mix call)"), @"");
    assert_snapshot!(check("section:(mix call)"), @"roof");
    assert_snapshot!(check("section:(mix happycat)"), @"");
    assert_snapshot!(check("block:(call tiles)"), @"");
    assert_snapshot!(check("line:(dog -cat)"), @"cat");
    assert_snapshot!(check("line:(cat -dog)"), @"cat");
    assert_snapshot!(check("-line:(mix water)"), @"garden cat");
    assert_snapshot!(check("block:(dog code)"), @"cat");
    assert_snapshot!(check(r#"line:("dog cat" OR mix)"#), @"roof cat");
    assert_snapshot!(check("section:(gutter mix)"), @"");
    assert_snapshot!(check("line:(tag:work dog)"), @"cat");
    assert_snapshot!(check("line:/^xx$/"), @"cat");
    assert_snapshot!(check("line:roof"), @"roof cat");
}

#[test]
fn tasks() {
    assert_snapshot!(check("task:call"), @"roof garden");
    assert_snapshot!(check("task-todo:call"), @"roof");
    assert_snapshot!(check("task-done:call"), @"garden");
    assert_snapshot!(check(r#"task:"""#), @"roof garden cat");
    assert_snapshot!(check(r#"task-done:"""#), @"roof garden");
    assert_snapshot!(check(r#"task-todo:"""#), @"roof garden cat");
    assert_snapshot!(check("task:half"), @"roof");
    assert_snapshot!(check("task-done:half"), @"");
    assert_snapshot!(check("task-todo:quoted"), @"cat");
    assert_snapshot!(check("task-todo:(call -roofer)"), @"");
    assert_snapshot!(check("task:wait"), @"");
    assert_snapshot!(check(r#"-task:"""#), @"");
}

#[test]
fn properties() {
    assert_snapshot!(check("[status]"), @"roof garden");
    assert_snapshot!(check("[status:progress]"), @"roof");
    assert_snapshot!(check("[STATUS:in PROGRESS]"), @"roof");
    assert_snapshot!(check(r#"[status:"progress"]"#), @"");
    assert_snapshot!(check(r#"[status:"in progress"]"#), @"roof");
    assert_snapshot!(check("[status:done OR progress]"), @"roof garden");
    assert_snapshot!(check("[status:-done]"), @"roof");
    assert_snapshot!(check("[cost:15]"), @"garden");
    assert_snapshot!(check("[cost:<100]"), @"garden");
    assert_snapshot!(check("[cost:>=1500]"), @"roof");
    assert_snapshot!(check("[cost:>15 OR <15]"), @"roof");
    assert_snapshot!(check("[due:<2026]"), @"garden");
    assert_snapshot!(check("[due:>=2026-04-01]"), @"roof");
    assert_snapshot!(check("[due:<=2025-12]"), @"garden");
    assert_snapshot!(check("[due:2026]"), @"roof");
    assert_snapshot!(check("[people:jorg]"), @"roof");
    assert_snapshot!(check("[people:/^an/]"), @"roof");
    assert_snapshot!(check("[empty]"), @"roof garden");
    assert_snapshot!(check("[empty:null]"), @"roof garden");
    assert_snapshot!(check("[note:null]"), @"roof");
    assert_snapshot!(check("[status:null]"), @"");
    assert_snapshot!(check("[rating:>3]"), @"garden");
    assert_snapshot!(check("[done:false]"), @"roof");
    assert_snapshot!(check("[due:>today]"), @"roof");
    assert_snapshot!(check("[nothing:x]"), @"");
    assert_snapshot!(check("-[status]"), @"cat");
    assert_snapshot!(check("[nested:deep]"), @"roof");
}

#[test]
fn dates() {
    assert_snapshot!(check("since:2026"), @"roof");
    assert_snapshot!(check("before:2026"), @"garden");
    assert_snapshot!(check("on:2025-06"), @"garden");
    assert_snapshot!(check("since:2026-02-10"), @"roof");
    assert_snapshot!(check("before:2026-02-10"), @"garden");
    assert_snapshot!(check("-since:2026"), @"garden cat");
    assert_snapshot!(check("on:last month"), @"roof");
    assert_snapshot!(check("(on:last month OR on:2025)"), @"roof garden");
    assert_snapshot!(check("published:2025"), @"garden");
    assert_snapshot!(check("published:>2025"), @"roof");
    assert_snapshot!(check("published:2025..2026"), @"roof garden");
    assert_snapshot!(check("modified:2025"), @"");
}

#[test]
fn each_operator_sees_its_date() {
    let day = |text: &str| Some(text.parse().unwrap());
    let all = Dates {
        created: day("2020-01-01"),
        modified: day("2026-02-01"),
        published: day("2022-03-03"),
        named: None,
        changed: day("2026-03-01"),
    };
    let check = |dates: Dates, query: &str| {
        let filter = parse(query, TODAY).filter.unwrap();
        let none = serde_json::Map::new();
        let view = View {
            path: "a.md",
            tags: &[],
            types: [None, Some("episodic")],
            aliases: &[],
            properties: &none,
            dates,
            text: &|| "",
            headings: &[],
            body_start: 0,
        };
        filter.matches(&view, &Budget::default())
    };
    for query in [
        "created:2020",
        "modified:last-month",
        "published:2022-03",
        "published:>2021",
        "created:<2021",
        // The newest of them decides what is since, the oldest what is before.
        "since:2026",
        "before:2021",
        "on:2022",
        "-since:2026-03",
    ] {
        assert!(check(all, query), "{query}");
    }
    // No date of it lies between: one that is too old and one that is too new do not make one.
    for query in [
        "created:2022",
        "on:2024",
        "since:2023 before:2025",
        "modified:march",
    ] {
        assert!(!check(all, query), "{query}");
    }
    // What a note does not say, its name and then its file tell.
    let named = Dates {
        named: day("2026-01-07"),
        changed: day("2026-03-01"),
        ..Dates::default()
    };
    assert!(check(named, "created:2026-01") && check(named, "published:2026-01"));
    assert!(check(named, "modified:march") && !check(named, "since:march"));
    let bare = Dates {
        changed: day("2026-03-01"),
        ..Dates::default()
    };
    assert!(check(bare, "since:march") && check(bare, "modified:march"));
    assert!(!check(bare, "created:march") && !check(bare, "published:march"));
}

#[test]
fn front_matter_is_no_text() {
    assert_snapshot!(check("content:status"), @"");
    assert_snapshot!(check("(progress)"), @"");
}

#[test]
fn links() {
    assert_snapshot!(check("([[Roof repair]])"), @"cat");
    assert_snapshot!(check("-[[roof repair]]"), @"roof garden");
}

/// Returns the part without text, and whether each passage holds a wanted text.
fn sides(query: &str, passages: &[&str]) -> String {
    let filter = parse(query, TODAY).filter.unwrap();
    let part = filter
        .meta_part()
        .map_or("-".to_owned(), |part| part.to_string());
    let held: Vec<String> = passages
        .iter()
        .map(|passage| {
            filter
                .positive_text_matches(passage, &[], &Budget::default())
                .to_string()
        })
        .collect();
    format!("{part} | {}", held.join(" "))
}

#[test]
fn what_a_filter_tells_without_a_note() {
    assert_snapshot!(sides("tag:a (b OR path:c) -d", &["b", "d", "B c"]), @"tag:a | true false true");
    assert_snapshot!(sides("tag:a OR path:b", &["a"]), @"tag:a OR path:b | false");
    assert_snapshot!(sides("tag:a OR b", &["b"]), @"- | true");
    assert_snapshot!(sides("-(tag:a OR b)", &["b"]), @"NOT tag:a | false");
    assert_snapshot!(sides("-(tag:a b)", &["b"]), @"- | false");
    assert_snapshot!(sides(r#"line:(tag:a "b c d")"#, &["x b c d", "b", "b\nc d"]), @"tag:a | true false false");
    assert_snapshot!(sides(r#""the big old house""#, &["THE  big\nold house", "house"]), @"- | true false");
    assert_snapshot!(sides(r#""a b c" OR "x b y""#, &["x b y"]), @"- | true");
    assert_snapshot!(sides("(编程语言 猫 rust)", &["猫"]), @"- | true");
    assert_snapshot!(sides("task-todo:call -tag:x", &["- [ ] call", "- [x] call", "call"]), @"NOT tag:x | true false false");
    assert_snapshot!(sides("block:(a -b)", &["a\n\nb", "a b"]), @"- | true false");
    assert_snapshot!(sides("section:(a path:p)", &["a"]), @"path:p | true");
    assert_snapshot!(sides("since:2026 [a:b] /x+/", &["axx", "b"]), @"since:2026-01-01 AND [a:b] | true false");
}
