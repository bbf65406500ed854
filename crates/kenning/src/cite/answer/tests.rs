//! Answers and the citations in them.

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

fn check(answer: &str) -> String {
    let line = |citation: &Citation| {
        let name = citation.id.as_ref().or(citation.note.as_ref());
        let lines = citation
            .lines
            .map_or(String::new(), |(from, to)| format!(":{from}-{to}"));
        let quote = citation.quote.as_deref().unwrap_or("–");
        format!(
            "{}{lines} <- {}",
            name.map_or("?", String::as_str),
            quote.replace('\n', "⏎")
        )
    };
    let lines: Vec<String> = citations(answer).iter().map(line).collect();
    lines.join("\n")
}

#[test]
fn every_way_to_name_a_note() {
    assert_snapshot!(check("It says \"the roof is new\" [[Roof]]."), @"Roof <- the roof is new");
    assert_snapshot!(check("It says \"the roof is new\" ([[Home/Roof#North|roof]])."), @"Home/Roof#North <- the roof is new");
    assert_snapshot!(check("It says “the roof is new” (Home/The Roof.md:12-20)."), @"Home/The Roof.md:12-20 <- the roof is new");
    assert_snapshot!(check("It says „the roof is new“ (Roof:3)."), @"Roof:3-3 <- the roof is new");
    assert_snapshot!(check("It says «the roof is new» #a1b2c3d4."), @"#a1b2c3d4 <- the roof is new");
    assert_snapshot!(check("It says 「屋根は新しいです」 (#a1b2c3d4)."), @"#a1b2c3d4 <- 屋根は新しいです");
    assert_snapshot!(check("It says \"the roof is new\" `Home/Roof.md:12`."), @"Home/Roof.md:12-12 <- the roof is new");
    assert_snapshot!(check("It says \"the roof is new\" Home/Roof.md:12-20."), @"Home/Roof.md:12-20 <- the roof is new");
    assert_snapshot!(check("It says \"the roof is new\" [here](Home/The%20Roof.md#L12-L20)."), @"Home/The Roof.md:12-20 <- the roof is new");
    assert_snapshot!(check("It says \"the roof is new\" ([[Roof]], lines 12–20)."), @"Roof:12-20 <- the roof is new");
    assert_snapshot!(check("It says \"the roof is new\" [Roof.md:12-20]."), @"Roof.md:12-20 <- the roof is new");
}

#[test]
fn which_reference_a_quote_has() {
    assert_snapshot!(check("[[Roof]] says that \"the roof is new\" and [[Door]] is old."), @"
    Roof <- the roof is new
    Door <- –
    ");
    assert_snapshot!(check("\"the roof is new\" and \"so is the door\" [[Home]]"), @"
    Home <- the roof is new
    Home <- so is the door
    ");
    assert_snapshot!(check("In [[Home]]: \"the roof is new\" and \"so is the door\"."), @"
    Home <- the roof is new
    Home <- so is the door
    ");
    assert_snapshot!(check("\"the roof is new\" [[Roof]], \"the door is old\" [[Door]]"), @"
    Roof <- the roof is new
    Door <- the door is old
    ");
    assert_snapshot!(check("\"the roof is new.\" Much later somebody wrote about [[Door]]."), @"
    ? <- the roof is new.
    Door <- –
    ");
    assert_snapshot!(check("\"The roof is new\". ([[Roof]])"), @"Roof <- The roof is new");
    assert_snapshot!(check("According to [[Roof]], \"the roof is new\"; see also [[Door]]."), @"
    Roof <- the roof is new
    Door <- –
    ");
    assert_snapshot!(check("More in [[Door]] of course, but \"the roof is new\", see [[Roof]]."), @"
    Door <- –
    Roof <- the roof is new
    ");
    assert_snapshot!(check("- \"the roof is new\"\n- [[Door]]"), @"
    ? <- the roof is new
    Door <- –
    ");
}

#[test]
fn quoted_blocks() {
    assert_snapshot!(check("> The roof is new,\n> and so on.\n> — [[Roof]]"), @"Roof <- The roof is new,⏎and so on.");
    assert_snapshot!(check("> The roof is new. (Roof.md:3)\n\nMore."), @"Roof.md:3-3 <- The roof is new.");
    assert_snapshot!(check("> [!quote]\n> The roof is new.\n\n[[Roof]] said so in \"other words of it\"."), @"
    Roof <- The roof is new.
    ? <- other words of it
    ");
    assert_snapshot!(check("> The roof is on [[House]]\n\nText."), @"? <- The roof is on [[House]]");
}

#[test]
fn what_is_no_citation() {
    assert_snapshot!(check("A \"so-called\" answer, 5\" wide and 7\" high."), @"");
    assert_snapshot!(check("```\n\"the roof is new\" [[Roof]]\n```\nNo `\"quote of code here\"`. See https://a.org/b.md."), @"");
    assert_snapshot!(check("It was 10:30 (at 10:30), see #tag and #12345678x and (v1.2)."), @"");
    assert_snapshot!(check(""), @"");
}

#[test]
fn what_is_named_or_quoted_alone_counts() {
    assert_snapshot!(check("See [[Roof]] and Door.md."), @"
    Roof <- –
    Door.md <- –
    ");
    assert_snapshot!(check("Somebody said \"the roof is new\" and left."), @"? <- the roof is new");
}

#[test]
fn what_stands_around_a_quote_is_claimed_too() {
    let around = |answer: &str| {
        let all = numbered(answer).into_iter();
        let told = all.map(|(_, citation)| citation.claim.unwrap_or_else(|| "–".to_owned()));
        told.collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(around("It cost $999, since \"the roof is new\" [1]. And so on."), @"It cost $999, since … .");
    assert_snapshot!(around("Before. \"The roof is new\" [1] since 1987, says Esko. After."), @"… since 1987, says Esko.");
    assert_snapshot!(around("\"The roof is new.\" [1] The door cost $5."), @"–");
    assert_snapshot!(around("\"The roof is new\" [1] and \"the door is old\" [2] of 1999."), @"
    –
    –
    ");
    assert_snapshot!(around("In 1999 \"the roof is new\" [1][2]."), @"–");
    assert_snapshot!(around("\"The roof is new\" [1]."), @"–");
}

proptest! {
    #[test]
    fn nothing_breaks_it(answer in r#"(\[\[|\]\]|[("“”„)`#:\n> a.]|a1b2c3d4|\.md|:12-2|\PC){0,40}"#) {
        citations(&answer);
        numbered(&answer);
    }
}
