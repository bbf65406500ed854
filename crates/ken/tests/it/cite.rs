//! `ken cite`: every quote of an answer is where it says, or it says where not.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::vault::{Run, TestVault};

/// Runs `ken cite` with an answer on standard input.
fn cite(vault: &TestVault, args: &[&str], answer: &str) -> Run {
    let args: Vec<&str> = ["cite"].iter().chain(args).copied().collect();
    let mut child = vault
        .command(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(answer.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn example() -> TestVault {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    vault
}

#[test]
fn quotes_are_found_however_they_are_cited() {
    let vault = example();
    let answer = "The gutter was hung by a neighbour: “Esko Niemi from next door, retired roofer” \
                  [[Roof and Gutters]]. The interest remains, \"Interest on the tax itself stays\" \
                  (2-Areas/Finance/IRS-Letter.md:44-46).\n\n\
                  > We owe nothing for any year.\n> — [[penalty letter]]\n";
    let run = cite(&vault, &[], answer).expect_code(0);
    assert_snapshot!(run.stdout, @"
    match         2-Areas/Home/Roof and Gutters.md:13  “Esko Niemi from next door, retired roofer”
    match         2-Areas/Finance/IRS-Letter.md:46  “Interest on the tax itself stays”
    match         2-Areas/Finance/IRS-Letter.md:35  “We owe nothing for any year.”
    all_verified 3 of 3 verified
    ");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_wrong_quote_and_a_wrong_place_are_told_apart() {
    let vault = example();
    let answer = "It says \"Interest on the tax itself stays\" (IRS-Letter:1-12), and \
                  \"the penalty was doubled by the IRS\" [[IRS-Letter]]; \"we owe\" [[IRS-Letter]]; \
                  \"Esko hung the gutter himself\" [[Nobody]]. See also [[Boiler]].";
    let run = cite(&vault, &[], answer).expect_code(1);
    assert_snapshot!(run.stdout, @r#"
    not_found     2-Areas/Finance/IRS-Letter.md:1-12  “Interest on the tax itself stays”
                  that note has it in line 46  #6cc9c67c
    not_found     2-Areas/Finance/IRS-Letter.md:1-55  “the penalty was doubled by the IRS”
    too_short     2-Areas/Finance/IRS-Letter.md:1-55  “we owe”
    no_chunk_text Nobody  “Esko hung the gutter himself”
                  nothing is known by the name "Nobody"
    no_quote      2-Areas/Home/Boiler.md:1-30
    has_mismatch 0 of 4 verified
    "#);
}

#[test]
fn json_goes_in_and_out() {
    let vault = example();
    let hit = &vault.ken(&["search", "-f", "json", "abatement"]).json()["hits"][0];
    let quote: String = hit["text"].as_str().unwrap().chars().take(60).collect();
    let answer = json!({"citations": [
        {"id": hit["id"], "quote": quote},
        {"id": "#00000000", "path": hit["path"], "start_line": hit["start_line"],
         "end_line": hit["end_line"], "quote": quote},
        {"path": "2-Areas/Home/Boiler.md"},
    ]});
    let file = vault.beside("answer.json");
    fs::write(&file, answer.to_string()).unwrap();
    let checked = vault
        .ken(&["cite", "--json", file.to_str().unwrap()])
        .expect_code(0)
        .json();
    assert_eq!(checked["citations_status"], "all_verified");
    let all = checked["citations"].as_array().unwrap();
    let reasons: Vec<&str> = all
        .iter()
        .map(|one| one["citation_reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["match", "match", "no_quote"]);
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "citation_verified",
            "citation_reason",
            "cited",
            "id",
            "path",
            "title",
            "start_line",
            "end_line",
            "page",
            "quote",
            "found",
            "problem"
        ]
    );
    for one in &all[..2] {
        assert_eq!(one["path"], hit["path"]);
        assert_eq!(one["id"], hit["id"]);
        assert_eq!(one["found"]["start_line"], hit["start_line"]);
    }
    // A list by itself is as good.
    let list = answer["citations"].to_string();
    let again = cite(&vault, &["--json"], &list).expect_code(0).json();
    assert_eq!(again, checked);
}

#[test]
fn the_answer_as_a_whole_has_a_status() {
    let vault = example();
    for (answer, status, code) in [
        ("", "no_quotes", 1),
        ("See [[Boiler]].", "no_quotes", 1),
        (
            "\"We owe nothing for any year\" [[IRS-Letter]]",
            "all_verified",
            0,
        ),
        (
            "\"We owe nothing for any year\" [[Boiler]]",
            "has_mismatch",
            1,
        ),
        (
            "\"We owe nothing for any year\" [[No Such Note]]",
            "unverifiable",
            1,
        ),
        ("\"We owe\" [[IRS-Letter]]", "unverifiable", 1),
        ("{\"citations\": []}", "no_quotes", 1),
    ] {
        let run = cite(&vault, &["--json"], answer).expect_code(code);
        assert_eq!(
            run.json()["citations_status"],
            Value::from(status),
            "{answer}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_an_error_with_advice() {
    let vault = example();
    vault
        .ken(&["cite", "no-such-file.md"])
        .expect_hint("no-such-file.md", "name a file");
    cite(&vault, &[], "{\"citations\": 3}")
        .expect_hint("not a list of citations", "\"citations\":[");
    let file = vault.beside("binary");
    fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
    vault
        .ken(&["cite", file.to_str().unwrap()])
        .expect_hint("is not text", "UTF-8");
    let other = TestVault::empty();
    cite(&other, &[], "x").expect_hint("there is no index", "ken index");
}
