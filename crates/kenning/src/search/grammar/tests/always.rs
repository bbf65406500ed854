//! What holds for whatever is typed.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use serde_json::json;

use super::super::{Dates, Filter, View, parse};
use crate::budget::Budget;

const TODAY: Date = date(2026, 3, 5);

/// Something with the signs of the grammar in it.
fn typed() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[a-zA-Z0-9éß猫🎉]{1,4}",
        2 => prop::sample::select(vec![
            " ", " ", "(", ")", "\"", "“", "”", "-", "/", "[", "]", "[[", "]]", ":", "#", "*",
            " OR ", "OR", "\\", "<", ">=", "null", "|", "!",
        ])
        .prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "tag:", "path:", "file:", "content:", "match-case:", "ignore-case:", "line:", "block:",
            "section:", "task:", "task-todo:", "task-done:", "since:", "before:", "on:", "as-of:",
            "2026-03", "last week", "3 days ago", "9999", "[a:", "[n:<5]", "/a+/", "99999d",
        ])
        .prop_map(str::to_owned),
        1 => "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// A query without slips, whose every part is a condition.
fn well_formed() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        "[a-z]{2,5}",
        "\"[a-z]{1,4} [a-z]{1,4}\"",
        "(tag|path|file|content|match-case|task|line|block|section):[a-z]{2,5}",
        "(path|content|line):\"[a-z]{1,3} [a-z]{1,3}\"",
        "\\[[a-z]{2,4}(:[a-z]{2,4}|:<[0-9]|:null|:\"[a-z]{2}\"|:/[a-z][+]/)?\\]",
        "(since|before):20[0-9]{2}-0[1-9]",
        "/[a-z]{1,3}[+*]?/",
    ];
    atom.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|of| format!("({})", of.join(" "))),
            prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|of| format!("({})", of.join(" OR "))),
            inner.clone().prop_map(|of| format!("-({of})")),
            inner.prop_map(|of| format!("line:({of})")),
        ]
    })
}

/// The query that a filter is explained by.
fn as_query(filter: &Filter) -> String {
    let shown = filter.to_string();
    format!("({})", shown.replace(" AND ", " ").replace("NOT ", "-"))
}

fn in_view<T>(text: &str, body_start: usize, test: impl FnOnce(&View<'_>) -> T) -> T {
    let read = || text;
    reading(&read, body_start, test)
}

fn reading<'a, T>(
    read: &dyn Fn() -> &'a str,
    body_start: usize,
    test: impl FnOnce(&View<'_>) -> T,
) -> T {
    let properties = json!({"a": "null", "n": [3, "2026-01-01"], "status": null});
    let tags = ["ab".to_owned(), "a/b".to_owned()];
    test(&View {
        path: "ab/abc.md",
        tags: &tags,
        types: [Some("ab"), None],
        aliases: &["bc de".to_owned()],
        properties: properties.as_object().unwrap(),
        dates: Dates {
            created: Some(date(2026, 2, 1)),
            ..Dates::default()
        },
        text: &|| read(),
        headings: &[0..2, 7..9, 500..510],
        body_start,
    })
}

proptest! {
    /// Nothing that is typed, and no note, makes it panic.
    #[test]
    fn anything_typed_is_understood(query in typed(), text in "[a-e \n\\[\\]#éx-]{0,60}") {
        let request = parse(&query, TODAY);
        prop_assert_eq!(&request, &parse(&query, TODAY));
        if let Some(filter) = &request.filter {
            let _ = filter.to_string();
            let _ = filter.positive_text_matches(&text, &[0..2, 7..8], &Budget::default());
            in_view(&text, 3, |view| filter.matches(view, &Budget::default()));
        }
    }

    #[test]
    fn any_characters_at_all_are_understood(query in any::<String>()) {
        let _ = parse(&query, TODAY);
    }

    /// Without a sign of the grammar, what is typed is what ranks.
    #[test]
    fn plain_words_stay_as_they_are(query in "[a-zé]{1,5}( [a-zé0-9]{1,5}){0,5}") {
        let request = parse(&query, TODAY);
        prop_assert_eq!(request.words, query);
        prop_assert_eq!(request.filter, None);
    }

    /// An explanation, typed as a query, is explained in the same way.
    #[test]
    fn printing_is_stable(query in well_formed()) {
        let request = parse(&format!("({query})"), TODAY);
        prop_assert_eq!(&request.notices, &Vec::<String>::new());
        let filter = request.filter.unwrap();
        let again = parse(&as_query(&filter), TODAY).filter.unwrap();
        prop_assert_eq!(again.to_string(), filter.to_string());
        in_view("ab cd\n- [ ] abc de\n", 0, |view| {
            prop_assert_eq!(again.matches(view, &Budget::default()), filter.matches(view, &Budget::default()));
            Ok(())
        })?;
    }

    /// The part that needs no text lets through whatever the whole does.
    #[test]
    fn the_meta_part_is_weaker(query in well_formed(), text in "[a-e \n]{0,30}") {
        let Some(filter) = parse(&format!("({query})"), TODAY).filter else {
            return Ok(());
        };
        if let Some(part) = filter.meta_part() {
            prop_assert!(!part.needs_text());
            in_view(&text, 0, |view| {
                prop_assert!(part.matches(view, &Budget::default()) || !filter.matches(view, &Budget::default()));
                Ok(())
            })?;
        }
    }

    /// The text is not asked for when the rest decides.
    #[test]
    fn text_is_read_only_if_needed(query in well_formed()) {
        let filter = parse(&format!("({query})"), TODAY).filter.unwrap();
        let n_read = std::cell::Cell::new(0);
        let read = || {
            n_read.set(n_read.get() + 1);
            "ab cd"
        };
        reading(&read, 0, |view| filter.matches(view, &Budget::default()));
        prop_assert!(n_read.get() <= usize::from(filter.needs_text()));
    }
}
