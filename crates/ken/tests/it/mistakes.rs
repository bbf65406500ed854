//! What people type first, and get wrong first: each mistake is answered.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::vault::{TestVault, finish};

#[test]
fn a_question_needs_no_verb() {
    let vault = TestVault::example();
    let asked = vault
        .ken(&["search", "-f", "paths", "IRS", "penalty"])
        .expect_code(0);
    let bare = vault.ken(&["-f", "paths", "IRS", "penalty"]).expect_code(0);
    assert_eq!(asked.stdout, bare.stdout);
    let bare = vault
        .ken(&["--quiet", "IRS", "penalty", "-f", "paths"])
        .expect_code(0);
    assert_eq!(asked.stdout, bare.stdout);
    vault
        .ken(&["serach", "roof"])
        .expect_hint("there is no command `serach`", "did you mean `ken search`?");
}

#[test]
fn ids_paste_with_and_without_their_sign() {
    let vault = TestVault::example();
    let answer = vault.ken(&["search", "-f", "json", "abatement"]).json();
    let id = answer["hits"][0]["id"].as_str().unwrap();
    let with = vault.ken(&["get", id]).expect_code(0);
    let without = vault
        .ken(&["get", id.trim_start_matches('#')])
        .expect_code(0);
    assert_eq!(with.stdout, without.stdout);
    vault.ken(&["links", id.trim_start_matches('#')]);
}

#[test]
fn names_that_there_are_not_get_a_suggestion() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    for args in [
        &["get", "Aprl Jane"][..],
        &["links", "aprl jane:3"],
        &["traverse", "Aprl Jane"],
    ] {
        vault
            .ken(args)
            .expect_hint("nothing is known by the name", "did you mean April Jane?");
    }
    vault
        .bare_ken(&["domain", "add", "kitchen", "vault"])
        .expect_code(0);
    vault
        .bare_ken(&["search", "-d", "kitchn", "x"])
        .expect_hint("there is no domain", "did you mean kitchen?");
}

#[test]
fn an_empty_query_is_told_and_one_may_come_from_standard_input() {
    let vault = TestVault::example();
    for query in ["", "  "] {
        vault
            .ken(&["search", query])
            .expect_hint("there is nothing to search for", "ken search --help");
    }
    vault
        .ken(&["search"])
        .expect_hint("there is nothing to search for", "tag:house");
    let mut command = vault.command(&["search", "-f", "paths", "-"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"IRS penalty\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let typed = vault.ken(&["search", "-f", "paths", "IRS penalty"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), typed.stdout);
}

#[test]
fn an_operator_that_there_is_not_is_told() {
    let vault = TestVault::example();
    let run = vault.ken(&["search", "roof tags:house"]);
    let meant = "tags: is not an operator; did you mean tag:house?";
    assert!(run.stderr.contains(meant), "{}", run.stderr);
}

#[test]
fn lines_that_a_note_does_not_have_are_told() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    vault
        .ken(&["get", "April Jane:900-950"])
        .expect_hint("so there is no line 900", "prints the end");
    vault
        .ken(&["get", "April Jane:20-10"])
        .expect_hint("lines 20 to 10 run backwards", "April Jane.md:10-20");
    vault
        .ken(&["get", "April Jane:0"])
        .expect_hint("lines are counted from 1", "April Jane.md:1");
    vault.ken(&["get", "April Jane:5-900"]).expect_code(0);
}

#[test]
fn a_file_is_no_vault() {
    let vault = TestVault::example();
    let file = vault.root().join("2-Areas/Home/Boiler.md");
    vault
        .bare_ken(&["search", "--vault", file.to_str().unwrap(), "boiler"])
        .expect_hint("is a file, not a folder of notes", "2-Areas/Home`");
}

#[test]
fn a_tilde_in_the_settings_is_the_home_folder() {
    let vault = TestVault::example();
    let run = |config: &str, args: &[&str]| {
        fs::write(vault.beside("config.toml"), config).unwrap();
        let mut command = vault.bare_command(args);
        command.env("HOME", vault.beside(""));
        finish(command)
    };
    let found = run(
        "[domains.mine]\npath = \"~/vault\"\n",
        &["search", "-f", "paths", "boiler"],
    );
    assert!(
        found
            .expect_code(0)
            .stdout
            .starts_with("2-Areas/Home/Boiler.md\n")
    );
    run("", &["search", "--vault=~/vault", "boiler"]).expect_code(0);
}

#[test]
fn outside_of_a_vault_it_is_told_which_domains_were_searched() {
    let vault = TestVault::example();
    vault
        .bare_ken(&["domain", "add", "mine", "vault"])
        .expect_code(0);
    let run = vault.bare_ken(&["search", "boiler"]).expect_code(0);
    let said = "note: this folder is in no vault; searched the domain mine";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = vault
        .bare_ken(&["search", "-d", "mine", "boiler"])
        .expect_code(0);
    assert!(!run.stderr.contains("no vault"), "{}", run.stderr);
    vault.bare_ken(&["doctor"]).expect_code(0);
    fs::create_dir(vault.beside("other")).unwrap();
    fs::write(vault.beside("other/a.md"), "# Other\n\nAnother vault.\n").unwrap();
    vault
        .bare_ken(&["domain", "add", "other", "other"])
        .expect_code(0);
    vault.bare_ken(&["search", "boiler"]).expect_code(0);
    let run = vault.bare_ken(&["doctor"]).expect_code(0);
    let domains: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.contains("domain "))
        .collect();
    assert_eq!(domains, ["ok    domain    mine", "ok    domain    other"]);
}

#[test]
fn wrong_settings_are_told_by_key_and_line() {
    let vault = TestVault::example();
    let check = |text: &str, message: &str| {
        fs::write(vault.beside("config.toml"), text).unwrap();
        vault.ken(&["search", "boiler"]).expect_hint(message, "");
    };
    check(
        "model = \"default\"\n\n[search]\nlimit = \"ten\"\n",
        "config.toml: line 4: search.limit: invalid type: string \"ten\"",
    );
    check("[search]\nlimt = 3\n", "line 2: unknown field `limt`");
    check("\nnonsense", "line 2: ");
    check(
        "[index]\n\nchunking = \"bits\"\n",
        "config.toml line 3 is not one of",
    );
    check(
        "[domains.a]\npath = 7\n",
        "line 2: domains.a.path: invalid type",
    );
}

#[test]
fn an_audit_can_be_a_check() {
    let vault = TestVault::example();
    let before = vault.ken(&["audit"]);
    let n_before = before.stdout.lines().count();
    let code = vault.ken(&["audit", "--check"]).code;
    assert_eq!(code, i32::from(n_before > 0));
    let clean = TestVault::empty();
    clean.write("a.md", "# A\n\nNothing secret.\n");
    clean.ken(&["audit", "--check"]).expect_code(0);
    clean.ken(&["audit"]).expect_code(1);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    clean.write("b.md", &format!("token {secret}\n"));
    clean.ken(&["audit", "--check"]).expect_code(1);
}

#[test]
fn a_credential_in_a_query_is_text() {
    let vault = TestVault::empty();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    vault.write(
        "Keys.md",
        &format!("# Keys\n\nThe robot uses {secret} to push.\n"),
    );
    vault.write("Other.md", "# Other\n\nNothing of that kind.\n");
    let run = vault
        .ken(&["search", "-f", "json", &format!("robot {secret}")])
        .expect_code(0);
    assert_eq!(run.json()["hits"][0]["path"], "Keys.md");
    assert!(!run.stdout.contains(&secret));
    assert_eq!(vault.paths(&secret), ["Keys.md"]);
}
