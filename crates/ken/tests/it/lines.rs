//! Whatever the format, the lines that are told are the file's, and `get` prints them as they stand.

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::server::Server;
use crate::vault::TestVault;

/// Files with one word each that no other has.
fn files() -> Vec<(&'static str, String, &'static str)> {
    let functions = |n: usize| -> String {
        let function = |i: usize| {
            format!("/// Adds {i}.\npub fn add{i}(x: u32) -> u32 {{\n\n    x + {i}\n}}\n\n")
        };
        (0..n).map(function).collect()
    };
    let rows = |from: usize, to: usize| -> String {
        (from..to)
            .map(|i| format!("{i},\"Ann\nLee\",{}\n", i * 3))
            .collect()
    };
    vec![
        ("code.rs", format!("{}// Calls quokkaone.\nfn last() {{}}\n", functions(30)), "quokkaone"),
        ("rows.csv", format!("id,who,sum\n{}90,quokkatwo,1\n{}", rows(0, 33), rows(34, 50)), "quokkatwo"),
        (
            "page.html",
            "<html>\n<head><title>Roof</title>\n<style>\np { color: red }\n</style></head>\n<body>\n<p>One\nline.</p>\n\n<p>The <b>quokkathree</b> &amp; more.</p>\n</body></html>\n".to_owned(),
            "quokkathree",
        ),
        (
            "data.json",
            "{\n  \"a\": [\n    1,\n    2\n  ],\n\n  \"b\": {\n    \"c\": \"about quokkafour\"\n  }\n}\n".to_owned(),
            "quokkafour",
        ),
        ("data.yaml", "# c\na: 1\n\nb:\n  - c: x\n    d: about quokkafive\n".to_owned(), "quokkafive"),
        ("data.toml", "z = 1\n\n[a]\nb = [\n  1,\n]\nc = \"about quokkasix\"\n".to_owned(), "quokkasix"),
        ("talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello.\n\n2\n00:00:03,000 --> 00:00:04,000\nA quokkaseven.\n".to_owned(), "quokkaseven"),
        ("plain.txt", "One.\n\nTwo.\n\n\nThe quokkaeight is here, they say.\n".to_owned(), "quokkaeight"),
        (
            "book.ipynb",
            "{\"cells\": [\n{\"cell_type\": \"code\",\n\"source\": [\n\"x = 1\\n\",\n\"quokkanine(x)\"\n],\n\"outputs\": []}\n]}\n".to_owned(),
            "quokkanine",
        ),
        ("mail.eml", "From: Ann <ann@example.org>\nSubject: Hi\n\nHello,\n\nthe quokkaten is here.\n".to_owned(), "quokkaten"),
    ]
}

/// The range must hold the line, and what `get` prints of it must be the file's lines.
#[track_caller]
fn check(by: &str, hit: &Value, file: &(&str, String, &str), got: impl Fn(&str) -> String) {
    let (path, text, word) = file;
    assert_eq!(hit["path"], *path, "{by}: {hit}");
    let lines: Vec<&str> = text.lines().collect();
    let line = lines.iter().position(|line| line.contains(word)).unwrap() + 1;
    let (from, to) = (
        hit["start_line"].as_u64().unwrap(),
        hit["end_line"].as_u64().unwrap(),
    );
    assert!(
        (from..=to).contains(&(line as u64)),
        "{by}: {path}:{from}-{to} without line {line}"
    );
    let expected = lines[from as usize - 1..to as usize].join("\n");
    assert_eq!(
        got(&format!("{path}:{from}-{to}")).trim_end_matches('\n'),
        expected,
        "{by}: {path}"
    );
    assert_eq!(
        got(&format!("{path}:{line}-{line}")).trim_end_matches('\n'),
        lines[line - 1],
        "{by}: {path}"
    );
}

#[test]
fn every_interface_tells_lines_of_the_file_and_prints_them() {
    let vault = TestVault::empty();
    let files = files();
    for (path, text, _) in &files {
        vault.write(path, text);
    }
    vault.ken(&["index"]).expect_code(0);
    let server = Server::start(&vault, &[]);
    let client = std::cell::RefCell::new(Client::modern(&vault, &[]));
    for file in &files {
        let hits = vault.ken(&["search", "-f", "json", file.2]).json();
        check("terminal", &hits["hits"][0], file, |reference| {
            vault.ken(&["get", reference]).expect_code(0).stdout
        });
        let hits = server.get(&format!("/search?q={}", file.2)).json();
        check("http", &hits["hits"][0], file, |reference| {
            let (path, lines) = reference.split_once(':').unwrap();
            let node = server.get(&format!("/node/{path}?lines={lines}")).json();
            node["text"].as_str().unwrap().to_owned()
        });
        let found = client
            .borrow_mut()
            .answer("search", json!({"query": file.2}));
        check("mcp", &found["results"][0], file, |reference| {
            let got = client
                .borrow_mut()
                .answer("get", json!({"reference": reference}));
            got["text"].as_str().unwrap().to_owned()
        });
    }
}

#[test]
fn a_whole_file_is_printed_as_it_stands() {
    let vault = TestVault::empty();
    let files = files();
    for (path, text, _) in &files {
        vault.write(path, text);
    }
    vault.ken(&["index"]).expect_code(0);
    for (path, text, _) in &files {
        assert_eq!(
            vault.ken(&["get", path]).expect_code(0).stdout,
            *text,
            "{path}"
        );
    }
}

#[test]
fn a_format_without_lines_tells_none() {
    let vault = TestVault::empty();
    let letter =
        "{\\rtf1\\ansi Dear Ann,\\par the quokkaeleven came by and ate the apples.\\par Bob}";
    vault.write("letter.rtf", letter);
    let run = vault.ken(&["search", "-f", "json", "quokkaeleven"]);
    let hit = &run.json()["hits"][0];
    assert_eq!(
        (&hit["start_line"], &hit["end_line"]),
        (&Value::Null, &Value::Null)
    );
    let shown = vault.ken(&["search", "quokkaeleven"]).stdout;
    assert!(shown.contains("letter.rtf  "), "{shown}");
    // Its passage is read by its id.
    let got = vault
        .ken(&["get", hit["id"].as_str().unwrap()])
        .expect_code(0);
    assert!(got.stdout.contains("ate the apples"), "{}", got.stdout);
}

#[test]
fn what_is_quoted_from_a_page_is_checked_as_a_reader_sees_it() {
    let vault = TestVault::empty();
    for (path, text, _) in files() {
        vault.write(path, &text);
    }
    vault.ken(&["index"]).expect_code(0);
    let server = Server::start(&vault, &[]);
    let cited = json!({"citations": [
        {"path": "page.html", "start_line": 10, "end_line": 10, "quote": "The quokkathree & more."},
        {"path": "page.html", "quote": "no such thing stands here"},
        {"path": "code.rs", "quote": "pub fn add7(x: u32) -> u32"},
    ]});
    let checked = server.post("/verify", &cited.to_string()).json();
    let verdicts: Vec<(&Value, &Value)> = checked["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["citation_verified"], &one["citation_reason"]))
        .collect();
    let (yes, no) = (json!(true), json!(false));
    assert_eq!(
        verdicts,
        [
            (&yes, &json!("match")),
            (&no, &json!("not_found")),
            (&yes, &json!("match"))
        ]
    );
    assert_eq!(checked["citations_status"], "has_mismatch");
    assert_eq!(checked["citations"][2]["found"]["start_line"], 44);
}
