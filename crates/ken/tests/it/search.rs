//! `ken search`: what is found, when it indexes, what it says when nothing is there.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::vault::{TestVault, finish};

#[test]
fn the_success_queries_find_their_note_first() {
    let vault = TestVault::example();
    let first = |query: &str| vault.paths(query).first().cloned().unwrap_or_default();
    assert_eq!(first("April Jane"), "2-Areas/People/April Jane.md");
    assert_eq!(first("AJ"), "2-Areas/People/April Jane.md");
    assert_eq!(first("IRS penalty"), "2-Areas/Finance/IRS-Letter.md");
    let found = first("tax documents");
    assert!(found.starts_with("2-Areas/Finance/"), "{found}");
    let found = first("people who do design");
    assert!(found.starts_with("2-Areas/People/"), "{found}");
    let found = first("home projects");
    let is_home = found.starts_with("1-Projects/") || found.starts_with("2-Areas/Home/");
    assert!(is_home, "{found}");
}

#[test]
fn the_first_search_indexes_and_the_second_says_nothing_of_it() {
    let vault = TestVault::example();
    let first = vault.ken(&["search", "boiler"]).expect_code(0);
    assert!(
        first.stderr.contains("indexed 47 added"),
        "{}",
        first.stderr
    );
    assert!(!first.stdout.contains("indexed"), "{}", first.stdout);
    let second = vault.ken(&["search", "boiler"]).expect_code(0);
    assert!(!second.stderr.contains("indexed"), "{}", second.stderr);
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn a_new_a_changed_and_a_removed_file_are_noticed_by_the_next_search() {
    let vault = TestVault::example();
    assert!(
        !vault
            .paths("quinquereme")
            .contains(&"Inbox/Ships.md".to_owned())
    );
    vault.write("Inbox/Ships.md", "# Ships\n\nA quinquereme from Nineveh.\n");
    assert_eq!(vault.paths("quinquereme")[0], "Inbox/Ships.md");
    vault.write(
        "Inbox/Ships.md",
        "# Ships\n\nA stately galleon, homeward bound.\n",
    );
    assert_eq!(vault.paths("galleon")[0], "Inbox/Ships.md");
    assert!(
        !vault
            .paths("quinquereme")
            .contains(&"Inbox/Ships.md".to_owned())
    );
    fs::remove_file(vault.root().join("Inbox/Ships.md")).unwrap();
    assert!(
        !vault
            .paths("galleon")
            .contains(&"Inbox/Ships.md".to_owned())
    );
    vault.ken(&["doctor"]).expect_code(0);
}

#[test]
fn nothing_relevant_is_exit_code_one() {
    let vault = TestVault::example();
    vault.ken(&["index", "--quiet"]).expect_code(0);
    let run = vault
        .ken(&["search", "--mode", "lexical", "zyzzyva quokka"])
        .expect_code(1);
    assert_eq!(run.stdout, "");
    assert_snapshot!(run.stderr.trim_end(), @"Your notes do not seem to say anything about this.");
    let run = vault
        .ken(&[
            "search",
            "--mode",
            "lexical",
            "--format",
            "json",
            "zyzzyva quokka",
        ])
        .expect_code(1);
    assert_eq!(run.json()["evidence"], "none");
    assert_eq!(run.json()["hits"], serde_json::json!([]));
}

#[test]
fn a_query_of_several_words_needs_no_quotes() {
    let vault = TestVault::example();
    let quoted = vault.ken(&["search", "-f", "paths", "IRS penalty"]);
    let bare = vault.ken(&["search", "-f", "paths", "IRS", "penalty"]);
    assert_eq!(quoted.stdout, bare.stdout);
    let alias = vault.ken(&["s", "-f", "paths", "IRS penalty"]);
    assert_eq!(quoted.stdout, alias.stdout);
}

#[test]
fn every_mode_and_both_fusions_answer() {
    let vault = TestVault::example();
    for mode in ["hybrid", "lexical", "vector"] {
        let run = vault
            .ken(&["search", "--mode", mode, "-f", "json", "kitchen paint"])
            .expect_code(0);
        assert_eq!(run.json()["mode"], mode);
    }
    for fusion in ["blend", "rrf"] {
        vault
            .ken(&["search", "--fusion", fusion, "kitchen paint"])
            .expect_code(0);
    }
}

#[test]
fn limits_hold() {
    let vault = TestVault::example();
    let hits = |args: &[&str]| {
        let args = [&["search", "-f", "json", "kitchen"], args].concat();
        let answer = vault.ken(&args).json();
        answer["hits"].as_array().unwrap().clone()
    };
    assert_eq!(hits(&["-n", "3"]).len(), 3);
    let of_one_note = hits(&["--per-note", "1", "-n", "20"]);
    let mut paths: Vec<&str> = of_one_note
        .iter()
        .map(|hit| hit["path"].as_str().unwrap())
        .collect();
    let n_hits = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), n_hits);
    assert!(
        hits(&["--min-score", "0.5"])
            .iter()
            .all(|hit| hit["score"].as_f64().unwrap() >= 0.5)
    );
    let n_chars: usize = hits(&["--max-tokens", "50"])
        .iter()
        .map(|hit| hit["text"].as_str().unwrap().chars().count())
        .sum();
    assert!((1..=200).contains(&n_chars), "{n_chars}");
}

#[test]
fn no_update_answers_from_the_index_as_it_is() {
    let vault = TestVault::example();
    let missing = vault.ken(&["search", "--no-update", "boiler"]);
    let missing = missing.expect_code(1);
    assert_eq!(missing.stdout, "");
    assert!(
        missing
            .stderr
            .contains("hint: there is no index yet; run `ken index` first")
    );
    vault.ken(&["index"]).expect_code(0);
    vault.write("Inbox/Ships.md", "# Ships\n\nA quinquereme from Nineveh.\n");
    let stale = vault.ken(&["search", "--no-update", "-m", "lexical", "quinquereme"]);
    stale.expect_code(1);
    let fresh = vault.ken(&["search", "--fresh", "-m", "lexical", "quinquereme"]);
    fresh.expect_code(0);
}

#[test]
fn a_missing_vault_is_an_error_with_advice() {
    let vault = TestVault::empty();
    vault
        .bare_ken(&["search", "--vault", "nowhere", "boiler"])
        .expect_hint("there is no vault at nowhere", "--vault PATH");
    vault
        .bare_ken(&["search", "boiler"])
        .expect_hint("no vault was named", "--vault PATH");
}

#[test]
fn a_vault_without_notes_is_no_error() {
    let vault = TestVault::empty();
    let run = vault.ken(&["search", "boiler"]).expect_code(1);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_reader_that_has_gone_is_nobodys_fault() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    for format in ["text", "json", "jsonl", "md", "paths"] {
        let mut command = vault.command(&["search", "--format", format, "kitchen"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        let mut stream = child.stderr.take().unwrap();
        stream.read_to_string(&mut stderr).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{format}: {stderr}");
        assert!(!stderr.contains("error"), "{format}: {stderr}");
    }
}

#[test]
fn a_credential_is_masked_in_what_is_stored_and_in_what_is_typed() {
    let vault = TestVault::empty();
    // Put together here, so that no credential stands in this file.
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    vault.write(
        "Keys.md",
        &format!("# Keys\n\nThe token is {secret} for now.\n"),
    );
    let run = vault.ken(&["search", "-f", "json", &secret, "token"]);
    assert!(!run.stdout.contains(&secret), "{}", run.stdout);
    assert!(run.stdout.contains("[REDACTED:"), "{}", run.stdout);
    assert!(!run.stderr.contains(&secret), "{}", run.stderr);
    let run = vault.ken(&["get", "Keys"]).expect_code(0);
    assert!(!run.stdout.contains(&secret), "{}", run.stdout);
    for file in fs::read_dir(vault.beside("data")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        let is_there = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!is_there);
    }
}

#[test]
fn the_vault_is_never_written_to() {
    let vault = TestVault::example();
    let names = |vault: &TestVault| {
        let mut names: Vec<_> = fs::read_dir(vault.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = names(&vault);
    vault.ken(&["search", "boiler"]).expect_code(0);
    assert_eq!(names(&vault), before);
}

#[test]
fn inside_a_vault_it_needs_not_be_named() {
    let vault = TestVault::example();
    let mut command = vault.bare_command(&["search", "--format", "paths", "boiler"]);
    command.current_dir(vault.root().join("2-Areas/People"));
    let run = finish(command).expect_code(0);
    assert!(run.stdout.starts_with("2-Areas/Home/Boiler.md\n"));
}

/// A model that is named but gone takes only the meaning with it.
#[test]
fn words_are_searched_without_the_model() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    std::fs::write(vault.beside("config.toml"), "model = \"/nowhere/model\"\n").unwrap();
    let lexical = vault.ken(&["search", "-m", "lexical", "-f", "json", "north gutter"]);
    let lexical = lexical.expect_code(0).json();
    assert_eq!(lexical["notices"].to_string(), "[]");
    assert!(!lexical["hits"].as_array().unwrap().is_empty());
    let hybrid = vault.ken(&["search", "-f", "json", "north gutter"]);
    let hybrid = hybrid.expect_code(0).json();
    assert_eq!(hybrid["mode"], "lexical");
    assert_eq!(hybrid["hits"], lexical["hits"]);
    let notices = hybrid["notices"].to_string();
    assert!(
        notices.contains("there is no model at /nowhere/model") && notices.contains("only words"),
        "{notices}"
    );
    vault
        .ken(&["search", "-m", "vector", "north gutter"])
        .expect_hint("/nowhere/model", "--mode lexical");
    for verb in [
        &["status"][..],
        &["get", "Kitchen Renovation"],
        &["links", "Kitchen Renovation"],
    ] {
        vault.ken(verb).expect_code(0);
    }
    let doctor = vault.ken(&["doctor"]).expect_code(1);
    assert!(doctor.stdout.contains("BAD   model"), "{}", doctor.stdout);
    // What changed since cannot be indexed, which is told; the rest still answers.
    vault.write("New.md", "The north gutter again.");
    let run = vault
        .ken(&["search", "-m", "lexical", "north gutter"])
        .expect_code(0);
    assert!(run.stderr.contains("without the model"), "{}", run.stderr);
    vault
        .ken(&["index"])
        .expect_hint("/nowhere/model", "ken model use default");
}

#[test]
fn a_time_in_a_question_can_be_switched_off() {
    let vault = TestVault::empty();
    vault.write("New.md", "The roof leaks again.");
    vault.write("Old.md", "---\ncreated: 2019-05-05\n---\nThe roof leaks.");
    let question = ["search", "-f", "json", "where does the roof leak this year"];
    let found = |args: &[&str]| {
        let run = vault
            .ken(&[&question[..], args].concat())
            .expect_code(0)
            .json();
        (
            run["hits"].as_array().unwrap().len(),
            run["notices"].to_string(),
        )
    };
    let (n_hits, notices) = found(&[]);
    assert_eq!(n_hits, 1);
    assert!(notices.contains("only notes from"), "{notices}");
    assert_eq!(found(&["--no-dates"]), (2, "[]".to_owned()));
    std::fs::write(vault.beside("config.toml"), "[search]\ndates = false\n").unwrap();
    assert_eq!(found(&[]), (2, "[]".to_owned()));
}

/// A large vault is looked at window by window, and every search looks at the next one.
#[test]
fn as_many_searches_as_there_are_windows_see_every_edit() {
    const N_NOTES: usize = 2_100;
    let n_windows = N_NOTES.div_ceil(250);
    let vault = TestVault::empty();
    for n in 0..N_NOTES {
        vault.write(&format!("{}/{n}.md", n / 100), &format!("note number {n}"));
    }
    vault.ken(&["index"]).expect_code(0);
    for (n, word) in [
        (7, "quinquereme"),
        (1_033, "galleon"),
        (2_099, "coaster"),
        (512, "frigate"),
    ] {
        vault.write(
            &format!("{}/{n}.md", n / 100),
            &format!("a {word} of note {n}"),
        );
        let is_seen = (0..n_windows).any(|_| !vault.paths(word).is_empty());
        assert!(is_seen, "{word} was not seen in {n_windows} searches");
    }
    let turns: Vec<_> = fs::read_dir(vault.beside("data"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".turn"))
        .collect();
    let [turn] = &turns[..] else {
        panic!("{turns:?}");
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let mode = fs::metadata(turn).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // A link is not written through, and searches go on without.
        let other = vault.beside("other");
        fs::write(&other, "17").unwrap();
        fs::remove_file(turn).unwrap();
        symlink(&other, turn).unwrap();
        assert!(!vault.paths("galleon").is_empty());
        assert_eq!(fs::read_to_string(&other).unwrap(), "17");
    }
}

#[test]
fn the_score_that_is_printed_is_enough_for_its_hit() {
    let vault = TestVault::example();
    let shown = |args: &[&str]| vault.ken(&[&["search", "boiler gutter roof"], args].concat());
    let hits = shown(&["-f", "json"]).json()["hits"]
        .as_array()
        .unwrap()
        .clone();
    let lines = shown(&[]).stdout;
    let printed = lines.lines().filter(|line| line.contains(" #"));
    let printed: Vec<&str> = printed
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert_eq!(printed.len(), hits.len());
    for (place, (hit, printed)) in hits.iter().zip(printed).enumerate() {
        for score in [&hit["score"].to_string(), printed] {
            let run = shown(&["-f", "json", "--min-score", score]).json();
            assert!(run["hits"].as_array().unwrap().len() > place, "{score}");
        }
    }
}

#[test]
fn open_tasks_are_shown_and_nothing_else() {
    let vault = TestVault::empty();
    vault.write(
        "tasks.md",
        "# Tasks\n\nSome intro about a shed.\n\n- [ ] call the numismatist\n- [x] write to the baker of the shed\n\n\
         More text here.\n\n## Later\n\nParagraph.\n\n* [ ] paint the shed\n    - [ ] buy a brush\n\n## Done\n\n- [x] mend the shed\n",
    );
    let shown = |query: &str| {
        let run = vault.ken(&["search", "--per-note", "5", "-f", "json", query]);
        let hits = run.expect_code(0).json()["hits"]
            .as_array()
            .unwrap()
            .clone();
        let excerpts = hits
            .iter()
            .map(|hit| hit["excerpt"].as_str().unwrap().to_owned());
        excerpts.collect::<Vec<_>>().join(" / ")
    };
    assert_snapshot!(shown("task-todo:\"\""), @"call the numismatist / paint the shed · buy a brush");
    assert_snapshot!(shown("task-todo:shed"), @"paint the shed");
    assert_snapshot!(shown("task-done:\"\""), @"write to the baker of the shed / mend the shed");
    assert_snapshot!(shown("shed task-todo:numismatist"), @"call the numismatist");
}
