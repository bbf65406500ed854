//! What belongs to the index: allowed and excluded folders, chunking per domain, dates from git.

use std::fs;
use std::process::Command;

use crate::vault::{TestVault, finish};

fn vault() -> TestVault {
    let vault = TestVault::empty();
    vault.write("Work/plan.md", "The walrus plan.\n");
    vault.write("Work/raw.log", "walrus log\n");
    vault.write("Private/diary.md", "My secret walrus.\n");
    vault.write("Other/x.md", "Another walrus.\n");
    fs::write(vault.root().join("Work/picture.png"), [0u8, 1, 2]).unwrap();
    vault
}

fn paths(vault: &TestVault) -> String {
    vault.ken(&["search", "-f", "paths", "walrus"]).stdout
}

#[test]
fn settings_allow_and_exclude_and_status_says_so() {
    let vault = vault();
    let settings = vault.beside("config.toml");
    fs::write(
        &settings,
        "[index]\ninclude = [\"Work\", \"Private\"]\nexclude = [\"Private/\", \"**/*.log\"]\n",
    )
    .unwrap();
    assert_eq!(paths(&vault), "Work/plan.md\n");
    let status = vault.ken(&["status"]).expect_code(0).stdout;
    for line in [
        "left out   excluded by the settings: Private/, Work/raw.log",
        "left out   not among the allowed folders: Other/",
        "left out   kinds that are not read: 1 png",
    ] {
        assert!(status.contains(line), "{line} in\n{status}");
    }
    // A file that is left out cannot be smuggled in by its name.
    let run = vault
        .ken(&["index", "vault/Private/diary.md"])
        .expect_code(2);
    assert!(
        run.stderr.contains("left out of the index"),
        "{}",
        run.stderr
    );
    // What is excluded later leaves the index.
    fs::write(&settings, "[index]\nexclude = [\"Work\"]\n").unwrap();
    let found = paths(&vault);
    assert!(!found.contains("Work/") && found.contains("Private/diary.md"));
}

#[test]
fn a_domain_has_lists_and_chunking_of_its_own() {
    let vault = vault();
    let root = vault.root();
    let domain = format!(
        "[domains.work]\npath = {root:?}\ninclude = [\"Work\"]\nchunking = \"paragraph\"\n"
    );
    fs::write(vault.beside("config.toml"), domain).unwrap();
    let run = vault.bare_ken(&["search", "-d", "work", "-f", "paths", "walrus"]);
    assert!(!run.stdout.contains("Private") && run.stdout.contains("Work/plan.md"));
    fs::write(
        vault.beside("config.toml"),
        "[index]\nchunking = \"pargraph\"\n",
    )
    .unwrap();
    let run = vault.ken(&["status"]).expect_code(2);
    assert!(
        run.stderr.contains("one of section, window"),
        "{}",
        run.stderr
    );
    fs::write(vault.beside("config.toml"), "[index]\nexclude = [\"a[\"]\n").unwrap();
    let run = vault.ken(&["status"]).expect_code(2);
    assert!(
        run.stderr.contains("\"a[\" is not a file pattern"),
        "{}",
        run.stderr
    );
}

#[test]
fn dates_come_from_front_matter_then_name_then_git_then_file() {
    let vault = TestVault::empty();
    let git = |arguments: &[&str], date: &str| {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        Command::new("git")
            .args(["-C", vault.root().to_str().unwrap()])
            .args(identity)
            .args(arguments)
            .envs([("GIT_AUTHOR_DATE", date), ("GIT_COMMITTER_DATE", date)])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"], "") {
        return; // No git, no dates from it.
    }
    vault.write("a b/known.md", "walrus one\n");
    vault.write("own.md", "---\ndate: 2019-05-06\n---\nwalrus two\n");
    vault.write("2020-07-08.md", "walrus three\n");
    assert!(git(&["add", "."], "") && git(&["commit", "-qm", "one"], "2021-02-03T12:00:00Z"));
    vault.write("new.md", "walrus four\n");
    let date = |note: &str| {
        let json = vault.ken(&["get", "--json", note]).json();
        format!("{} {}", json["date"], json["date_source"]).replace('"', "")
    };
    vault.ken(&["index"]).expect_code(0);
    assert_eq!(date("known"), "2021-02-03 git");
    assert_eq!(date("own"), "2019-05-06 front matter");
    assert_eq!(date("2020-07-08.md"), "2020-07-08 file name");
    assert!(date("new").ends_with("modification time"));
    // A commit changes the date of a note that did not change since it was indexed.
    assert!(git(&["add", "."], "") && git(&["commit", "-qm", "two"], "2022-03-04T12:00:00Z"));
    vault.ken(&["index"]).expect_code(0);
    assert_eq!(date("new"), "2022-03-04 git");
    assert_eq!(date("known"), "2021-02-03 git");
    // An edit that is not committed yet keeps what git knows.
    vault.write("a b/known.md", "walrus one, edited\n");
    vault.ken(&["index"]).expect_code(0);
    assert_eq!(date("known"), "2021-02-03 git");
}

#[test]
fn what_is_typed_goes_before_the_environment() {
    let vault = vault();
    vault
        .bare_ken(&["domain", "add", "mine", "vault"])
        .expect_code(0);
    let mut command = vault.command(&["search", "--domain", "mine", "-f", "paths", "walrus"]);
    command.env("KEN_VAULT", "/nowhere");
    let run = finish(command);
    assert!(run.stdout.contains("Work/plan.md"), "{}", run.stderr);
}
