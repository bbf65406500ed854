//! What is understood of a note, by example.

use insta::assert_snapshot;

use super::*;
use crate::secrets::mask;

fn check(text: &str) -> String {
    let (note, warnings) = parse(
        "Folder/File name.md",
        mask(text.to_owned()).0,
        Format::Markdown,
    );
    let mut out = format!("title: {}\n", note.title);
    for (name, list) in [("tags", &note.tags), ("aliases", &note.aliases)] {
        if !list.is_empty() {
            out += &format!("{name}: {}\n", list.join(" | "));
        }
    }
    for heading in &note.headings {
        out += &format!("h{} {}\n", heading.level, heading.text);
    }
    for link in &note.links {
        let anchor = link
            .anchor
            .as_ref()
            .map_or(String::new(), |a| format!(" #{a}"));
        let shown = link
            .shown
            .as_ref()
            .map_or(String::new(), |s| format!(" ({s})"));
        out += &format!(
            "{} {}: {}{anchor}{shown}\n",
            link.line,
            link.kind.name(),
            link.target
        );
    }
    for warning in warnings {
        out += &format!("warning {}: {}\n", warning.line, warning.message);
    }
    out
}

#[test]
fn title_comes_from_h1_then_property_then_file_name() {
    assert_snapshot!(check("---\ntitle: From YAML\n---\n# From *H1*\n"), @r"
    title: From H1
    h1 From H1
    ");
    assert_snapshot!(check("---\ntitle: From YAML\n---\ntext"), @"title: From YAML");
    assert_snapshot!(check("text"), @"title: File name");
}

#[test]
fn one_of_several_h1_names_the_note_only_if_the_file_name_agrees() {
    let title = |text| check(text).lines().next().unwrap_or_default().to_owned();
    assert_eq!(title("# Usage\na\n# Links\nb\n"), "title: File name");
    assert_eq!(title("# The file\na\n# Links\nb\n"), "title: The file");
    assert_eq!(title("intro\n# The file\na\n# Links\n"), "title: File name");
}

#[test]
fn an_h1_below_other_text_is_a_section() {
    let title = |text: &str| check(text).lines().next().unwrap_or_default().to_owned();
    for above in [
        "intro",
        "## Other",
        "[[Map]]",
        "#tag",
        "- item",
        "> quote",
        "```\ncode\n```",
    ] {
        let text = format!("{above}\n\n# Anything\na\n");
        assert_eq!(title(&text), "title: File name", "{above}");
        let text = format!("---\ntitle: Named\n---\n{text}");
        assert_eq!(title(&text), "title: Named", "{above}");
    }
    assert_eq!(
        title("---\na: b\n---\n\n\n# Anything\na\n"),
        "title: Anything"
    );
    assert_eq!(title("%% hidden %%\n\n# Anything\na\n"), "title: Anything");
    assert_eq!(
        title("<!-- hidden -->\n\n# Anything\na\n"),
        "title: Anything"
    );
    assert_eq!(title("Anything\n========\na\n"), "title: Anything");
}

#[test]
fn logseq_and_dataview_fields_are_properties() {
    assert_snapshot!(check("title:: My page\ntags:: one, #two, [[three four]]\nalias:: Nick\n\n- #[[big idea]] in a block\n  id:: 64a1b2\n- status:: done\n- std::vec is `no:: field`\n"), @r"
    title: My page
    tags: one | two | three four | big idea
    aliases: Nick
    2 wikilink: three four
    5 wikilink: big idea
    ");
}

#[test]
fn properties_know_their_type() {
    let text = "---\na: text\nb: [1, 2]\nc: 3.5\nd: true\ne: 2026-03-05\nf: 2026-03-05T10:20\ng: \"[[Note]]\"\nh:\ni: {x: 1}\nj: yes\n---\n";
    let (note, warnings) = parse("x.md", mask(text.to_owned()).0, Format::Markdown);
    let types: Vec<String> = note
        .properties
        .iter()
        .map(|(name, value)| format!("{name} {}", PropertyType::of(value).name()))
        .collect();
    assert_snapshot!(types.join(", "), @"a text, b list, c number, d checkbox, e date, f datetime, g link, h empty, i nested, j text");
    assert!(warnings.is_empty());
}

#[test]
fn an_embedded_search_is_not_what_the_note_says() {
    let text = "a\n```query\ntag:#x secret\n```\n#b\n";
    let (note, _) = parse("x.md", mask(text.to_owned()).0, Format::Markdown);
    assert!(!note.text.contains("secret"));
    assert_eq!(note.text.lines().count(), 5);
    assert_eq!(note.tags, ["b"]);
}

#[test]
fn tags_are_read_in_every_form_and_never_from_code() {
    assert_snapshot!(check("---\ntags: [work, '#deep/er']\n---\n#inline and `#code` (#paren) a#no #123 #v2\n```\n#fence\n```\n"), @r"
    title: File name
    tags: work | deep/er | inline | paren | v2
    ");
    assert_snapshot!(check("---\ntags: one, two three\nalias: Nick, Nicky\n---\n"), @r"
    title: File name
    tags: one | two | three
    aliases: Nick | Nicky
    ");
}

#[test]
fn links_of_all_kinds_know_their_line() {
    assert_snapshot!(check("---\nup: \"[[Home]]\"\n---\n[[A|shown]] ![[B#Part]] [[C#^id1]]\n\n[text](../D%20d.md#h) [web](https://x.org) `[[no]]`\n"), @r"
    title: File name
    2 property: Home
    4 wikilink: A (shown)
    4 embed: B #Part
    4 block: C #^id1
    6 markdown: ../D d.md #h (text)
    ");
}

#[test]
fn broken_front_matter_is_a_warning_and_loses_nothing() {
    assert_snapshot!(check("---\ntags: [a\nalias: x: y\n---\n# T\n"), @r"
    title: T
    tags: a
    aliases: x: y
    h1 T
    warning 1: front matter is not valid YAML
    ");
}

/// What is left of a note's text once nothing is in it that nobody sees; blanks are shown as one.
fn check_seen(text: &str, expected: &str) {
    let (note, _) = parse("x.md", mask(text.to_owned()).0, Format::Markdown);
    assert_eq!(note.text.len(), text.len(), "lines and offsets stay");
    let lines = note.text.lines().map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.join(" ")
    });
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.join("/"), expected);
}

#[test]
fn what_nobody_sees_is_blanked_and_lines_stay() {
    check_seen("a %%hidden\nmore%% b\n`%%` c\n", "a/b/`%%` c");
    check_seen("One <!-- two\nthree --> four.\n\n<!-- five", "One/four.");
    check_seen(
        "a `<!-- b -->`\n\n```html\n<!-- c -->\n```\n",
        "a `<!-- b -->`/```html/<!-- c -->/```",
    );
    check_seen(
        "<style>\np { color: red }\n</style>\n  <SCRIPT src=x>x()</Script> five",
        "five",
    );
    check_seen(
        "the <script> tag and the <style> tag",
        "the <script> tag and the <style> tag",
    );
    check_seen("a <!-- b\n\nc <!-- d", "a <!-- b/c <!-- d");
    check_seen("a\n\n<styled>b</styled>", "a/<styled>b</styled>");
    check_seen("ä <!-- ü --> ö", "ä ö");
}

#[test]
fn para_is_read_from_the_path() {
    assert_eq!(
        para("2-Areas/Finance/Taxes/x.md"),
        (Some("2-Areas"), Some("Finance"))
    );
    assert_eq!(para("x.md"), (None, None));
}

#[test]
fn dates_have_many_names() {
    let check = |property: &str| {
        let text = format!("---\n{property}: 2024-03-05\n---\ntext");
        let (note, _) = parse("a.md", mask(text).0, Format::Markdown);
        let facts = note.facts;
        let named = [
            ("published", facts.published),
            ("created", facts.created),
            ("modified", facts.modified),
        ];
        let named = named.into_iter().filter(|(_, day)| day.is_some());
        named.map(|(name, _)| name).collect::<Vec<_>>().join(" ")
    };
    for name in [
        "published_at",
        "Published At",
        "publishedAt",
        "pubDate",
        "date_published",
        "publish-date",
        "date",
    ] {
        assert_eq!(check(name), "published", "{name}");
    }
    for name in [
        "created_at",
        "created-at",
        "Date Created",
        "creation date",
        "createdOn",
        "ctime",
    ] {
        assert_eq!(check(name), "created", "{name}");
    }
    for name in [
        "updated",
        "last_modified",
        "Last Modified",
        "date modified",
        "lastmod",
        "updated-at",
        "lastUpdated",
    ] {
        assert_eq!(check(name), "modified", "{name}");
    }
    assert_eq!(check("due"), "");
    // `published: true` is not a date; the next name has it.
    let text = "---\npublished: true\ndate: 2024-03-05\n---\n".to_owned();
    let (note, _) = parse("a.md", mask(text).0, Format::Markdown);
    assert_eq!(note.facts.published.as_deref(), Some("2024-03-05"));
}

/// With work that grows by the square, each of these would take minutes to hours.
#[test]
fn long_notes_take_time_by_their_length() {
    const N: usize = 200_000;
    let tags: String = (0..N).map(|i| format!("#t{i}x ")).collect();
    let fields: String = (0..N).map(|i| format!("k{i}:: v\n")).collect();
    let opened = format!("{}]]", "[[a ".repeat(N));
    for text in [tags, fields, opened, "#[[a ".repeat(N), "[[".repeat(N)] {
        let (note, _) = parse("a.md", mask(text).0, Format::Markdown);
        assert!(note.links.len() <= 1);
        assert!([0, N].contains(&note.tags.len()) && [0, N].contains(&note.properties.len()));
    }
}

#[test]
fn of_brackets_that_wait_for_one_end_the_last_is_the_link() {
    let links = |text: &str| {
        let mut links = Vec::new();
        inline::wikilinks(text, |target, _, at| links.push(format!("{target}@{at}")));
        links.join(" ")
    };
    assert_eq!(links("[[a [[b]] c]] [[d]]"), "b@4 d@14");
    assert_eq!(links("[[a\nb]] [[c]] [[[d]]] [["), "c@8 [d@14");
    assert_eq!(links("[[a]][[b]]"), "a@0 b@5");
}
