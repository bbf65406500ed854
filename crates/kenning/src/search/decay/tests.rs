//! Ages of small sets of notes.

use super::*;
use insta::assert_snapshot;
use jiff::civil::date;

const TODAY: Date = date(2026, 7, 1);

fn ladder() -> Decay {
    let filings = ("Filings".to_owned(), vec![1.0, 0.6]);
    Decay {
        mode: Aging::RankedGrouped(RankedGrouped {
            kind_overrides: BTreeMap::from([filings]),
            ..RankedGrouped::default()
        }),
        ..Decay::default()
    }
}

fn half_life() -> Decay {
    Decay {
        mode: Aging::HalfLife(HalfLife::default()),
        ..Decay::default()
    }
}

fn note<'a>(path: &'a str, author: &'a str, date: Date) -> Dated<'a> {
    Dated {
        score: 1.0,
        author: Some(author),
        path,
        date: Some(date),
        modified: Some(date),
        ..Dated::default()
    }
}

fn check(candidates: &[Dated<'_>], decay: &Decay) -> String {
    let mut lines = Vec::new();
    for (candidate, decayed) in candidates.iter().zip(weigh(candidates, TODAY, decay)) {
        let detail = match decayed.reason {
            Reason::Ladder { rank } => format!(" {rank}"),
            Reason::HalfLife { age_days } => format!(" {age_days}"),
            _ => String::new(),
        };
        lines.push(format!(
            "{} {:.4} + {:.2} = {:.4} {}{detail}{}",
            candidate.path,
            decayed.factor,
            decayed.boost,
            decayed.score(candidate.score),
            decayed.reason.name(),
            if decayed.is_demoted { " demoted" } else { "" },
        ));
    }
    lines.join("\n")
}

#[test]
fn an_authors_notes_stand_on_a_ladder() {
    let notes = [
        note("2021", "Ann", date(2021, 1, 1)),
        note("2025", "Ann", date(2025, 1, 1)),
        note("2020", "ann ", date(2020, 1, 1)),
        note("2024", "Ann", date(2024, 1, 1)),
        note("2022", "Ann", date(2022, 1, 1)),
        note("2023", "Ann", date(2023, 1, 1)),
        note("bob", "Bob", date(1990, 1, 1)),
    ];
    // 2025 is first (1), then .6, .45, .35, .25, and .25 is the floor. Bob stands alone.
    assert_snapshot!(check(&notes, &ladder()), @"
    2021 0.2500 + 0.00 = 0.2500 ladder 5
    2025 1.0000 + 0.00 = 1.0000 ladder 1
    2020 0.2500 + 0.00 = 0.2500 ladder 6
    2024 0.6000 + 0.00 = 0.6000 ladder 2
    2022 0.3500 + 0.00 = 0.3500 ladder 4
    2023 0.4500 + 0.00 = 0.4500 ladder 3
    bob 1.0000 + 0.00 = 1.0000 ladder 1
    ");
}

#[test]
fn recent_notes_are_lifted() {
    let notes = [
        note("newest", "Ann", date(2026, 6, 30)),
        Dated {
            score: 0.5,
            ..note("thirty-days", "Ann", date(2026, 6, 1))
        },
        note("thirty-one", "Ann", date(2026, 5, 31)),
        note("tomorrow", "Bob", date(2026, 7, 2)),
        // What counts is when the file was modified, not when the note was published.
        Dated {
            modified: Some(date(2026, 6, 20)),
            ..note("revised", "Cyd", date(2019, 1, 1))
        },
        Dated {
            modified: Some(date(2019, 1, 1)),
            ..note("untouched", "Dan", date(2026, 6, 20))
        },
    ];
    // .5·.6 + .05 = .35
    assert_snapshot!(check(&notes, &ladder()), @"
    newest 1.0000 + 0.05 = 1.0500 ladder 1
    thirty-days 0.6000 + 0.05 = 0.3500 ladder 2
    thirty-one 0.4500 + 0.00 = 0.4500 ladder 3
    tomorrow 1.0000 + 0.05 = 1.0500 ladder 1
    revised 1.0000 + 0.05 = 1.0500 ladder 1
    untouched 1.0000 + 0.00 = 1.0000 ladder 1
    ");
}

#[test]
fn some_kinds_are_grouped_by_folder() {
    let filing = |path, year| Dated {
        kind: Some("filings"),
        ..note(path, "Ann", date(year, 1, 1))
    };
    let notes = [
        filing("acme/10k.md", 2024),
        filing("acme/10k-old.md", 2023),
        filing("acme/10k-older.md", 2022),
        filing("bolt/10k.md", 2001),
        note("acme/thoughts.md", "Ann", date(2000, 1, 1)),
    ];
    assert_snapshot!(check(&notes, &ladder()), @"
    acme/10k.md 1.0000 + 0.00 = 1.0000 ladder 1
    acme/10k-old.md 0.6000 + 0.00 = 0.6000 ladder 2
    acme/10k-older.md 0.6000 + 0.00 = 0.6000 ladder 3
    bolt/10k.md 1.0000 + 0.00 = 1.0000 ladder 1
    acme/thoughts.md 1.0000 + 0.00 = 1.0000 ladder 1
    ");
}

#[test]
fn chunks_of_one_note_and_notes_of_one_day_share_a_place() {
    let notes = [
        note("a", "Ann", date(2024, 1, 1)),
        note("a", "Ann", date(2024, 1, 1)),
        note("b", "Ann", date(2024, 1, 1)),
        note("c", "Ann", date(2023, 1, 1)),
    ];
    assert_snapshot!(check(&notes, &ladder()), @"
    a 1.0000 + 0.00 = 1.0000 ladder 1
    a 1.0000 + 0.00 = 1.0000 ladder 1
    b 1.0000 + 0.00 = 1.0000 ladder 1
    c 0.4500 + 0.00 = 0.4500 ladder 3
    ");
}

#[test]
fn what_is_not_known_does_not_count_against_a_note() {
    let notes = [
        note("new", "Ann", date(2025, 1, 1)),
        Dated {
            date: None,
            modified: None,
            ..note("undated", "Ann", TODAY)
        },
        note("nobody", " ", date(2001, 1, 1)),
        Dated {
            is_evergreen: true,
            ..note("evergreen", "Ann", date(2025, 2, 1))
        },
        note("old", "Ann", date(2024, 1, 1)),
    ];
    // The evergreen note is the newest and takes no place all the same.
    assert_snapshot!(check(&notes, &ladder()), @"
    new 1.0000 + 0.00 = 1.0000 ladder 1
    undated 1.0000 + 0.00 = 1.0000 no_date
    nobody 1.0000 + 0.00 = 1.0000 no_group
    evergreen 1.0000 + 0.00 = 1.0000 evergreen
    old 0.6000 + 0.00 = 0.6000 ladder 2
    ");
}

#[test]
fn the_worked_example_of_a_half_life() {
    let notes = [
        note("today", "", TODAY),
        // 1 - .15 + .15·½ = .925
        note("30 days", "", date(2026, 6, 1)),
        // 1 - .15 + .15·¼ = .8875
        note("60 days", "", date(2026, 5, 2)),
        // 1 - .15 + .15·2^(-10043/30), of which the last is nothing
        note("ages", "", date(1999, 1, 1)),
        note("future", "", date(2030, 1, 1)),
        Dated {
            date: None,
            ..note("undated", "", TODAY)
        },
        Dated {
            is_evergreen: true,
            ..note("evergreen", "", date(1999, 1, 1))
        },
    ];
    assert_snapshot!(check(&notes, &half_life()), @"
    today 1.0000 + 0.00 = 1.0000 half_life 0
    30 days 0.9250 + 0.00 = 0.9250 half_life 30
    60 days 0.8875 + 0.00 = 0.8875 half_life 60
    ages 0.8500 + 0.00 = 0.8500 half_life 10043
    future 1.0000 + 0.00 = 1.0000 half_life 0
    undated 1.0000 + 0.00 = 1.0000 no_date
    evergreen 1.0000 + 0.00 = 1.0000 evergreen
    ");
}

#[test]
fn superseded_notes_are_demoted_in_every_mode() {
    let old = Dated {
        is_superseded: true,
        ..note("old", "Ann", date(2026, 6, 1))
    };
    assert_snapshot!(check(&[old], &Decay::default()), @"old 0.5000 + 0.00 = 0.5000 off demoted");
    assert_snapshot!(check(&[old], &ladder()), @"old 0.5000 + 0.00 = 0.5000 ladder 1 demoted");
    // .925·.5
    assert_snapshot!(check(&[old], &half_life()), @"old 0.4625 + 0.00 = 0.4625 half_life 30 demoted");
}

#[test]
fn odd_settings_leave_scores_alone() {
    let bare = Aging::RankedGrouped(RankedGrouped {
        ladder: Vec::new(),
        ..RankedGrouped::default()
    });
    let zero = Aging::HalfLife(HalfLife {
        half_life_days: 0.0,
        ..HalfLife::default()
    });
    for mode in [bare, zero, Aging::Off] {
        let decay = Decay {
            mode,
            ..Decay::default()
        };
        assert_eq!(
            weigh(&[note("a", "Ann", date(1999, 1, 1))], TODAY, &decay)[0].factor,
            1.0
        );
    }
}
