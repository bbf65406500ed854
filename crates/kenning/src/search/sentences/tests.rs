//! Texts and the sentences in them.

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

fn check(text: &str) -> String {
    let shown = |bytes: Range<usize>| text[bytes].replace('\n', "⏎");
    let headings = crate::note::outline_of_markdown(text);
    let all: Vec<String> = (sentences(text, &headings).into_iter())
        .map(shown)
        .collect();
    all.join(" | ")
}

/// Checks texts that are one sentence.
fn check_whole(texts: &[&str]) {
    for text in texts {
        assert_eq!(check(text), *text);
    }
}

/// Checks texts of several sentences, divided by ` | ` where the text has a blank.
fn check_cut(texts: &[&str]) {
    for text in texts {
        assert_eq!(check(&text.replace(" | ", " ")), *text);
    }
}

#[test]
fn plain_sentences() {
    check_cut(&[
        "It rains. | We stay! | Really? | Yes.",
        "He left in 2024. | Then she came. | 5 people stayed.",
        "It cost 3.50 euros. | Version 1.2.3 is out.",
        "Open main.rs or https://a.org/b.c?d=e. | Then read node.js docs.",
        "went home. | slept well.",
        "What?! | No... | Never. | Well… | She left.",
        "¿Qué? | ¡Nada! | Vale.",
    ]);
}

#[test]
fn a_block_of_html_stands_by_itself() {
    assert_snapshot!(
        check("- [ ] call the roofer\n<details>\n- [x] call the plumber\nSee\n<a href=\"x\">this</a>\n</details>"),
        @r#"- [ ] call the roofer | <details> | - [x] call the plumber⏎See⏎<a href="x">this</a> | </details>"#
    );
}

#[test]
fn english_abbreviations() {
    check_whole(&[
        "Dr. Smith met Mr. Jones vs. Mrs. Brown.",
        "Some fruit, e.g. Apples, i.e. Granny Smith, cost ca. 5 dollars.",
        "J. R. R. Tolkien and John F. Kennedy never met.",
        "The U.S. Senate and the U.K. Parliament agreed.",
        "See Fig. 3, No. 5 and vol. 2, pp. 7.",
        "Apple Inc. Chairman and Sammy Davis Jr. Show.",
        "On Jan. 5 at 5 p.m. sharp we met et al. in (approx. Five) rooms.",
        "Milk, eggs, etc. are here.",
    ]);
    check_cut(&[
        "Milk, eggs, etc. | Bread is out.",
        "He lives in the U.S. | He likes it.",
        "It starts at 5 p.m. | The doors open then.",
        "So did I. | Nobody saw.",
        "Use plan B. | It works.",
        "The answer is no. | Ask again.",
        "It took 5 ms. | Nobody noticed. | Keep it in mind. | What a gem. | She moved to CA. | He stayed.",
    ]);
}

#[test]
fn german_abbreviations() {
    check_whole(&[
        "Obst, z. B. Äpfel, d. h. Kernobst, mag Dr. Meier.",
        "Obst, z.B. Äpfel, bzw. Birnen gem. § 3 Abs. 2 Nr. 4.",
        "Das ist i. d. R. Sache der Länder, u. a. Bayern.",
        "Am 3. Mai und vom 5. 6. 2024 bis zum 19. Jahrhundert.",
        "Der 2. Versuch gelang, der 3. nicht.",
        "Karl V. war Kaiser, Ludwig XIV. nicht.",
        "Er wohnt Hauptstr. 5 in Bonn.",
        "Am 24.12. feiern wir mind. 3 Std. Arbeit, s. S. 5.",
        "Die max. Größe der Muster GmbH & Co. KG gilt gem. § 3 lt. Prof. Dr. med. Huber.",
        "Caesar starb 44 v. Chr. in Rom.",
    ]);
    check_cut(&[
        "Äpfel, Birnen usw. | Dann Brot.",
        "Sie kam am 3. Mai. | Er ging.",
        "Es waren 12. | Dann 13.",
        "Das war 1990. | Danach kam er.",
    ]);
}

#[test]
fn closing_marks_belong_to_the_sentence() {
    check_cut(&[
        "„Ja.“ | Er ging. | (So war es.) | Dann **nein.** | Gut.",
        "He said “yes.” | Then left.[^1] | Later.",
        "Use `code`. | Then **bold**. | So \"quoted\". | And [[linked]]. | And (so on). | End.",
    ]);
    check_whole(&[
        "\"Really?\" he asked.",
        "It was (well, etc.) fine.",
        "Then **Dr.** Meier and **Dr**. Huber came.",
    ]);
}

#[test]
fn other_scripts() {
    assert_snapshot!(check("我喜欢。你呢？「好！」他说。"), @"我喜欢。 | 你呢？ | 「好！」 | 他说。");
    assert_snapshot!(check("「そうだ。」と言った。次。"), @"「そうだ。」と言った。 | 次。");
    assert_snapshot!(check("यह एक है। वह दो है॥ तीन"), @"यह एक है। | वह दो है॥ | तीन");
    assert_snapshot!(check("هل جئت؟ نعم۔ حسنا"), @"هل جئت؟ | نعم۔ | حسنا");
}

#[test]
fn blocks() {
    assert_snapshot!(check("# Head. Line\nOne line\nand on. Two.\n\nThree"), @"# Head. Line | One line⏎and on. | Two. | Three");
    assert_snapshot!(check("- One. Two.\n  still one\n- [ ] Three\n1. Four\n2. Five"), @"- One. Two.⏎  still one | - [ ] Three | 1. Four | 2. Five");
    assert_snapshot!(check("```rust\nlet a. B\n\n# no\n```\nText. More."), @"```rust | let a. B | # no | ``` | Text. | More.");
    assert_snapshot!(check("| a. B | c |\n|---|---|\n| d | e |\nText"), @"| a. B | c | | |---|---| | | d | e | | Text");
    assert_snapshot!(check("a | b\n--- | ---\nc. D | d\n\nx | y"), @"a | b | --- | --- | c. D | d | x | y");
    assert_snapshot!(check("Title\n=====\nText.\n\n---\n[^1]: Note. More.\n[^2]: Two"), @"Title⏎===== | Text. | --- | [^1]: Note. | More. | [^2]: Two");
}

#[test]
fn quotes_and_callouts_lose_their_marks() {
    assert_snapshot!(check("> One line\n> and on. Two.\n>\n>> Deep.\nOut"), @"One line⏎> and on. | Two. | Deep. | Out");
    assert_snapshot!(check("> One.\n> Two."), @"One. | Two.");
    assert_snapshot!(check("> [!note]- A title. Yes\n> Text.\n\n> [!tip]\n> More"), @"A title. Yes | Text. | More");
    assert_snapshot!(check("> ```\n> a. B\n> ```\n> Text"), @"``` | a. B | ``` | Text");
    assert_snapshot!(check("> ```\n> a\nText. More."), @"``` | a | Text. | More.");
}

#[test]
fn broken_lines_are_not_items() {
    assert_snapshot!(check("Sie kam am\n3. Mai. Er\n- ging"), @"Sie kam am⏎3. Mai. | Er | - ging");
    assert_snapshot!(check("Items:\n1. one\n2. two"), @"Items: | 1. one | 2. two");
}

#[test]
fn long_items_are_cut() {
    let item = format!(
        "- {} Then more. And more.",
        "A sentence of words. ".repeat(12)
    );
    assert_eq!(sentences(&item, &[]).len(), 14);
    assert_eq!(
        &item[sentences(&item, &[])[0].clone()],
        "- A sentence of words."
    );
}

#[test]
fn nothing_at_all() {
    assert_eq!(check(""), "");
    assert_eq!(check(" \n\n> \n"), "");
    check_whole(&["...", ".", "?!", "x"]);
}

#[test]
fn time_grows_with_the_text_alone() {
    for unit in [
        "a.", ". ", "1. ", "[^", "\"", "> ", "a. b ", "|-", "…)", "。[^", ". ! ", "a. \n> ",
    ] {
        // Takes minutes if any of these is read again from its beginning at each stop.
        assert!(sentences(&unit.repeat(60_000), &[]).len() <= 120_000);
    }
}

proptest! {
    #[test]
    fn everything_is_in_one_sentence(
        text in r#"([ \n.!?…]|\n|> |\n- |\n# |```|\|| \[!a\]|\[\^1\]|[aA1。"é)*=-]|z\. B\.|am 3\. Mai){0,40}"#,
    ) {
        let found = sentences(&text, &crate::note::outline_of_markdown(&text));
        let mut at = 0;
        for bytes in found.iter().chain([&(text.len()..text.len())]) {
            prop_assert!(bytes.start >= at);
            // Only marks of quotes and callouts stand between sentences.
            let between = text[at..bytes.start].replace("[!a]-", "").replace("[!a]", "");
            prop_assert!(between.chars().all(|c| c.is_whitespace() || c == '>'), "{between:?}");
            at = bytes.end;
        }
        for bytes in found {
            let sentence = &text[bytes];
            prop_assert!(!sentence.is_empty());
            prop_assert_eq!(sentence, sentence.trim());
        }
    }
}
