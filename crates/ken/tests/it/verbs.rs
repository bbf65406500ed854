//! Verbs that list and open notes: `open`, `similar`, `tags`, `tasks`, `recent`, `random`.

use insta::assert_snapshot;

use crate::vault::{TestVault, finish};

fn vault() -> TestVault {
    let vault = TestVault::empty();
    vault.write("Home/Roof.md", "---\ntags: [house/roof]\ndate: 2026-02-01\n---\n# Roof\n\nThe gutter leaks when it rains on the roof.\n\n## Next\n\n- [ ] call the roofer\n- [x] buy a ladder\n");
    vault.write("Home/Rain.md", "---\ntags: [house]\ndate: 2026-03-01\n---\n# Rain\n\nRain on the roof fills the gutter, see [[Roof]].\n\n- [ ] call the neighbour\n");
    vault.write(
        "Work/Talk.md",
        "---\ndate: 2025-01-01\n---\n# Talk\n\nA talk about conservation of paper.\n",
    );
    vault.ken(&["index", "-q"]).expect_code(0);
    vault
}

#[test]
fn tags_are_counted_with_those_below_them() {
    let vault = vault();
    assert_snapshot!(vault.ken(&["tags"]).expect_code(0).stdout, @r"
    2  house
    1  house/roof
    ");
    assert_eq!(
        vault.ken(&["tags", "list"]).stdout,
        vault.ken(&["tags"]).stdout
    );
    assert_eq!(
        vault.ken(&["tags", "roof", "--json"]).json()[0]["tag"],
        "house/roof"
    );
    vault.ken(&["tags", "nowhere"]).expect_code(1);
}

#[test]
fn open_tasks_are_listed_by_note_and_date() {
    let vault = vault();
    assert_snapshot!(vault.ken(&["tasks", "-q"]).expect_code(0).stdout, @r"
    Home/Rain.md  2026-03-01
      9  call the neighbour

    Home/Roof.md  2026-02-01
      11  call the roofer
    ");
    let told = |args: &[&str]| {
        let run = vault.ken(&[&["tasks", "--json"], args].concat()).json();
        let notes = run.as_array().unwrap().iter();
        let lines = notes.flat_map(|note| note["tasks"].as_array().unwrap().clone());
        lines
            .map(|task| task["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&["roofer"]), ["call the roofer"]);
    assert_eq!(told(&["--done"]), ["buy a ladder"]);
    assert_eq!(told(&["--tag", "house/roof"]), ["call the roofer"]);
    assert_eq!(
        told(&["call", "--since", "2026-03"]),
        ["call the neighbour"]
    );
    assert_eq!(told(&["-n", "1"]), ["call the neighbour"]);
    vault.ken(&["tasks", "dance"]).expect_code(1);
}

#[test]
fn what_only_shows_how_a_task_is_written_is_none() {
    let vault = vault();
    let text = "---\ndate: 2026-03-02\n---\n# Tasks\n\n- [ ] water the beds\n- [ ]\n\n```md\n- [ ] an example\n```\n\n1. So:\n\n   ~~~\n   - [ ] another\n   ~~~\n\n- [ ] feed the cat\n";
    vault.write("Home/Tasks.md", text);
    assert_snapshot!(vault.ken(&["tasks", "path:Tasks", "-q"]).expect_code(0).stdout, @r"
    Home/Tasks.md  2026-03-02
       6  water the beds
      19  feed the cat
    ");
    vault.ken(&["tasks", "example"]).expect_code(1);
}

#[test]
fn notes_are_listed_and_one_is_chosen_by_chance() {
    let vault = vault();
    let recent = vault.ken(&["recent", "--json"]).expect_code(0).json();
    assert_eq!(recent.as_array().unwrap().len(), 3);
    let recent = vault.ken(&["recent", "--json", "--tag", "house"]).json();
    assert_eq!(recent.as_array().unwrap().len(), 2);
    let note = vault
        .ken(&["random", "--json", "--path", "Work"])
        .expect_code(0)
        .json();
    assert_eq!(note["path"], "Work/Talk.md");
    let run = vault.ken(&["random", "--path", "Work"]).expect_code(0);
    assert!(
        run.stdout.contains("conservation of paper"),
        "{}",
        run.stdout
    );
    vault.ken(&["random", "--tag", "nowhere"]).expect_code(1);
}

#[test]
fn similar_notes_are_found_and_linked_ones_may_be_left_out() {
    let vault = vault();
    let paths = |args: &[&str]| {
        let run = vault
            .ken(&[&["similar", "--json", "Roof"], args].concat())
            .json();
        let notes = run.as_array().unwrap().iter();
        notes
            .map(|note| note["path"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(&[])[0], "Home/Rain.md");
    assert!(!paths(&["--unlinked"]).contains(&"Home/Rain.md".to_owned()));
}

#[test]
fn a_note_is_opened_at_its_line() {
    let vault = vault();
    let root = vault.root().canonicalize().unwrap();
    let opened = |editor: &str, args: &[&str]| {
        let mut command = vault.command(&[&["open", "--dry-run"], args].concat());
        command.env("VISUAL", editor).env_remove("KEN_EDITOR");
        let run = finish(command).expect_code(0);
        run.stdout
            .trim_end()
            .replace(root.to_str().unwrap(), "ROOT")
    };
    assert_eq!(opened("nvim", &["Roof:9"]), "nvim +9 ROOT/Home/Roof.md");
    assert_eq!(
        opened("code -w", &["Roof#Next"]),
        "code -w --goto ROOT/Home/Roof.md:9"
    );
    assert_eq!(
        opened("x {file} {line}", &["Talk"]),
        "x ROOT/Work/Talk.md 1"
    );
    let obsidian = opened("vi", &["Roof#Next", "--obsidian"]);
    assert!(
        obsidian.ends_with("obsidian://open?vault=vault&file=Home%2FRoof.md%23Next"),
        "{obsidian}"
    );
    vault
        .ken(&["open", "Rof"])
        .expect_hint("nothing is known by the name", "did you mean Roof?");
}

#[cfg(unix)]
#[test]
fn the_best_hit_is_opened_by_the_editor_itself() {
    use std::os::unix::fs::PermissionsExt;
    let vault = vault();
    let editor = vault.beside("vi");
    let told = vault.beside("told");
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\n", told.display());
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    vault.write(
        "Home/$(touch pwned) Chimney.md",
        "# Chimney\n\nThe sweep came for the chimney.\n",
    );
    let mut command = vault.command(&["search", "--open", "chimney sweep"]);
    command.env("EDITOR", &editor).env_remove("VISUAL");
    finish(command).expect_code(0);
    let told = std::fs::read_to_string(told).unwrap();
    assert!(
        told.starts_with("+1\n") && told.ends_with("$(touch pwned) Chimney.md\n"),
        "{told}"
    );
    assert!(!vault.beside("pwned").exists());
}
