//! What comes in from outside: shown first, taken in once, found at once, undone to the byte.

use std::fs;

use serde_json::{Value, json};

use crate::server::Server;
use crate::vault::TestVault;

const NOTES: [(&str, &str); 6] = [
    (
        "Garden/Tomatoes.md",
        "# Tomatoes\n\nTomatoes want sun and water. Plant the seedlings in May, tie them to canes and water the beds in the evening. #garden\n",
    ),
    (
        "Garden/Compost.md",
        "# Compost\n\nCompost feeds the beds of the garden. Turn the heap every month, keep it damp and spread it on the beds. #garden\n",
    ),
    (
        "Garden/Beans.md",
        "# Beans\n\nBeans climb canes in the sun. Sow beans in May in the garden beds and water them in the evening. #garden\n",
    ),
    (
        "Code/Rust.md",
        "# Rust\n\nRust is a language with ownership. The compiler checks that references in the program outlive nothing. #code\n",
    ),
    (
        "Code/Git.md",
        "# Git\n\nGit keeps the history of source code. Commit small changes and rebase the branch of the program. #code\n",
    ),
    (
        "Code/Tests.md",
        "# Tests\n\nTests of a program run before each commit. The compiler finds type errors, tests find the rest. #code\n",
    ),
];

const TEXT: &str = "The compiler of Rust checks the program before it runs. Source code that borrows a value twice is refused, \
    and the message of the compiler says which reference lives too long. Commit the change when tests of the program pass.\n\n\
    ## How the compiler reads source code\n\nThe compiler reads crates one after the other. It builds a program out of the \
    source code of every crate and runs tests of each. Ownership tells when memory is given back.\n\n\
    ## What to do when the compiler complains\n\n1. Read the message of the compiler.\n2. Open the source code at that line.\n\
    3. Change the reference, or clone the value.\n4. Run the tests of the program again.\n";

fn vault() -> TestVault {
    let vault = TestVault::empty();
    for (path, text) in NOTES {
        vault.write(path, text);
    }
    vault
}

fn signals() -> String {
    let kept = json!({"title": "What the compiler checks", "text": TEXT, "author": "Ada", "published": "2024-03-01"});
    let stub = json!({"title": "Compiler of the program", "text": "The compiler checks the references of a program in Rust, and tests of source code find the rest."});
    let advert = json!({"title": "HURRY! 50% off", "text": "Buy now! Free shipping, limited offer, order today!!!"});
    let known = json!({"title": "Compost (saved)", "text": NOTES[1].1});
    [kept, stub, advert, known]
        .map(|signal| signal.to_string() + "\n")
        .concat()
}

fn outcomes(response: &Value) -> Vec<&str> {
    let items = response["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["outcome"].as_str().unwrap())
        .collect()
}

#[test]
fn a_page_that_lies_in_the_vault_is_no_copy_of_itself() {
    let vault = vault();
    let page = format!(
        "<html><title>What the compiler checks</title><h1>What the compiler checks</h1><p>{TEXT}</p></html>"
    );
    vault.write("Inbox/page.html", &page);
    vault.ken(&["index"]).expect_code(0);
    let file = vault.root().join("Inbox/page.html");
    let args = ["intake", file.to_str().unwrap(), "--json"];
    let taken = vault.ken(&args).expect_code(0).json();
    assert_eq!(outcomes(&taken), ["kept"], "{taken:#}");
    assert!(file.exists());
    // It came in, and is known again.
    let again = vault.ken(&args).expect_code(1).json();
    assert_eq!(again["items"][0]["known"], true, "{again:#}");
}

#[test]
fn what_comes_in_is_judged_kept_once_and_undone() {
    let vault = vault();
    fs::write(vault.beside("in.jsonl"), signals()).unwrap();
    let file = vault.beside("in.jsonl");
    let file = file.to_str().unwrap();
    let shown = vault
        .ken(&["intake", file, "--dry-run", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(
        outcomes(&shown),
        ["kept", "queued", "logged", "duplicate"],
        "{shown:#}"
    );
    assert_eq!(shown["items"][3]["path"], "Garden/Compost.md");
    assert!(
        shown["items"][0]["reasons"][0]
            .as_str()
            .unwrap()
            .starts_with("relevance ")
    );
    assert!(
        !vault
            .root()
            .join("Code/What the compiler checks.md")
            .exists()
    );
    let run = vault.ken(&["intake", file]).expect_code(0);
    assert!(
        run.stdout.contains("→ Code/What the compiler checks.md"),
        "{}",
        run.stdout
    );
    let note = fs::read_to_string(vault.root().join("Code/What the compiler checks.md")).unwrap();
    assert!(
        note.contains("author: \"Ada\"\ndate: 2024-03-01\n"),
        "{note}"
    );
    assert!(
        vault
            .paths("references live too long")
            .contains(&"Code/What the compiler checks.md".to_owned())
    );
    // The same once more is known, and changes nothing.
    let again = vault.ken(&["intake", file, "--json"]).expect_code(1).json();
    assert!(
        again["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|item| item["known"] == true)
    );
    assert_eq!(again["run"], Value::Null);
}

#[test]
fn what_waits_is_decided_and_what_was_logged_is_judged_again() {
    let vault = vault();
    fs::write(vault.beside("in.jsonl"), signals()).unwrap();
    let file = vault.beside("in.jsonl");
    let file = file.to_str().unwrap();
    vault.ken(&["intake", file]).expect_code(0);
    let waiting = vault
        .ken(&["intake", "review", "--json"])
        .expect_code(0)
        .json();
    let id = waiting["items"][0]["id"].as_str().unwrap();
    vault
        .ken(&["intake", "review", "--keep", id, "--to", "Garden/Odd"])
        .expect_code(0);
    assert!(
        vault
            .root()
            .join("Garden/Odd/Compiler of the program.md")
            .exists()
    );
    vault.ken(&["intake", "review", "--list"]).expect_code(1);
    vault
        .ken(&["intake", "review", "--drop", "nothing"])
        .expect_hint("nothing with the id", "--list");
    let stats = vault
        .ken(&["intake", "stats", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(
        stats["outcomes"],
        json!({"duplicate": 1, "kept": 2, "logged": 1})
    );
    // A log can be judged again, by other settings.
    let config = "[intake]\nreview = 0.0\n";
    fs::write(vault.beside("config.toml"), config).unwrap();
    let replayed = vault
        .ken(&["intake", "replay", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(outcomes(&replayed), ["queued"], "{replayed:#}");
    // What was undone can be taken in again.
    vault.ken(&["undo"]).expect_code(0);
    vault.ken(&["undo"]).expect_code(0);
    assert!(
        !vault
            .root()
            .join("Code/What the compiler checks.md")
            .exists()
    );
    let third = vault.ken(&["intake", file, "--json"]).expect_code(0).json();
    assert_eq!(outcomes(&third)[0], "kept", "{third:#}");
}

#[test]
fn bad_input_is_answered_and_costs_nothing() {
    let vault = vault();
    vault
        .ken(&["intake"])
        .expect_hint("nothing was given", "name files");
    vault
        .ken(&["intake", "nowhere.md"])
        .expect_hint("nowhere.md", "can be taken in");
    fs::write(vault.beside("bad.pdf"), "%PDF-nonsense").unwrap();
    let bad = vault.beside("bad.pdf");
    vault.ken(&["intake", bad.to_str().unwrap()]).expect_code(2);
    fs::write(vault.beside("config.toml"), "[intake]\nkeep = 0.3\n").unwrap();
    fs::write(vault.beside("in.jsonl"), signals()).unwrap();
    let file = vault.beside("in.jsonl");
    vault
        .ken(&["intake", file.to_str().unwrap()])
        .expect_hint("review not above keep", "ken doctor");
}

#[test]
fn over_http_things_are_taken_in_for_those_who_may() {
    let vault = vault();
    let config = "[clients.reader]\ntoken = \"reader-token\"\n[clients.writer]\ntoken = \"writer-token\"\ncurate = true\n";
    fs::write(vault.beside("config.toml"), config).unwrap();
    let server = Server::start(&vault, &[]);
    let send = |token: &str, path: &str, body: Value| {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
        ];
        server
            .client()
            .ask("POST", path, &headers, &body.to_string())
    };
    let items: Vec<Value> = signals()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    send("reader-token", "/intake", json!({"items": items})).problem(403);
    send("writer-token", "/intake", json!({"items": []})).problem(422);
    let dry = send(
        "writer-token",
        "/intake",
        json!({"items": items, "dry_run": true}),
    )
    .json();
    assert_eq!(dry["run"], Value::Null);
    let done = send("writer-token", "/intake", json!({"items": items})).json();
    assert_eq!(outcomes(&done), outcomes(&dry));
    assert!(
        vault
            .root()
            .join("Code/What the compiler checks.md")
            .exists()
    );
    let id = done["items"][1]["id"].clone();
    let kept = send(
        "writer-token",
        "/intake/decide",
        json!({"id": id, "decision": "keep", "folder": "Code"}),
    )
    .json();
    assert_eq!(kept["path"], "Code/Compiler of the program.md");
    send(
        "writer-token",
        "/intake/decide",
        json!({"id": id, "decision": "drop"}),
    )
    .problem(409);
}

#[test]
fn a_report_says_what_there_is_and_what_is_not() {
    let vault = vault();
    vault.write("Code/Dead.md", "# Dead\n\nSee [[Nowhere at all]]. #code\n");
    vault.ken(&["search", "compost heap"]).expect_code(0);
    vault.ken(&["ask", "who won the zeppelin derby of 1911"]);
    let run = vault.ken(&["report"]).expect_code(0);
    let file = run.stdout.lines().next().unwrap();
    assert!(
        file.contains("/Reports/") && file.ends_with(".md"),
        "{file}"
    );
    let text = fs::read_to_string(file).unwrap();
    for part in [
        "7 notes",
        "`Code/Dead.md` line 3 → `Nowhere at all`",
        "zeppelin derby",
        "## Never found",
        "-months.svg)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("- `Garden/Compost.md`"), "{text}");
    // It is no note of the vault to those who count them, and goes when it is undone.
    let again = vault.ken(&["report", "--print"]).expect_code(0).stdout;
    assert!(again.contains("7 notes"), "{again}");
    vault.ken(&["undo"]).expect_code(0);
    assert!(!vault.root().join("Reports").exists());
    // Elsewhere it is written, too; and questions are not kept where that is not wanted.
    fs::write(vault.beside("config.toml"), "[report]\nquestions = false\n").unwrap();
    let to = vault.beside("elsewhere");
    let run = vault
        .ken(&["report", "--to", to.to_str().unwrap()])
        .expect_code(0);
    let text = fs::read_to_string(run.stdout.lines().next().unwrap()).unwrap();
    assert!(
        text.contains("Questions are not kept") && !text.contains("zeppelin"),
        "{text}"
    );
}
