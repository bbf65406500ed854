//! Whatever comes in, a hook ends well: no waiting, no indexing, nothing that was not asked for.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::hook::{BOILER, call, indexed, prompt, send, why};
use crate::vault::TestVault;

#[test]
fn whatever_comes_in_it_ends_well() {
    let vault = indexed();
    for input in [
        "",
        "   ",
        "{",
        "[]",
        "null",
        "{\"prompt\":7}",
        "{\"prompt\":null}",
        "\u{feff}{}",
        "{\"cwd\":\"\\u0000\"}",
    ] {
        for event in ["prompt", "session-start", "pre-tool", "post-tool"] {
            let run = send(vault.command(&["hook", event]), input).expect_code(0);
            if event != "session-start" {
                assert_eq!(run.stdout, "", "{event} {input:?}");
            }
        }
    }
    let run = send(vault.command(&["hook", "prompt", "--no-such-option"]), "{}");
    assert_eq!(run.expect_code(0).stdout, "");
    fs::write(vault.beside("config.toml"), "nonsense = [").unwrap();
    let run = send(vault.command(&["hook", "prompt"]), "{}");
    assert_eq!(run.expect_code(0).stdout, "");
}

#[test]
fn a_silent_input_is_not_waited_for() {
    let vault = indexed();
    let mut command = vault.command(&["hook", "prompt"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Held open until it has ended.
    let stdin = child.stdin.take();
    let status = child.wait().unwrap();
    drop(stdin);
    assert_eq!(status.code(), Some(0));
    assert_eq!(why(&vault), "nothing came in");
}

#[test]
fn a_hook_that_takes_too_long_says_nothing() {
    let vault = indexed();
    fs::write(vault.beside("config.toml"), "[hooks]\ndeadline_ms = 0\n").unwrap();
    assert_eq!(prompt(&vault, "s", BOILER), "");
    assert_eq!(why(&vault), "it took too long");
}

#[test]
fn without_an_index_nothing_is_said_and_nothing_is_indexed() {
    let vault = TestVault::example();
    fs::write(
        vault.beside("config.toml"),
        "[hooks]\ndeadline_ms = 60000\n",
    )
    .unwrap();
    assert_eq!(prompt(&vault, "s", BOILER), "");
    assert!(why(&vault).contains("there is no index"), "{}", why(&vault));
    let names = fs::read_dir(vault.beside("data")).unwrap();
    assert_eq!(names.count(), 1, "only what hooks remember");
}

#[test]
fn a_folder_that_is_not_mapped_is_given_nothing() {
    let vault = indexed();
    let other = TestVault::empty();
    let mapped = vault.beside("mapped");
    fs::create_dir_all(mapped.join("deep")).unwrap();
    let settings = |mapping: &str| {
        let text = format!(
            "[hooks]\ndeadline_ms = 60000\n{mapping}\n[domains.home]\npath = {:?}\n[domains.other]\npath = {:?}\n",
            vault.root(),
            other.root()
        );
        fs::write(vault.beside("config.toml"), text).unwrap();
    };
    let ask = |cwd: &std::path::Path| {
        let input = json!({"prompt": BOILER, "cwd": cwd}).to_string();
        send(vault.bare_command(&["hook", "prompt"]), &input)
            .expect_code(0)
            .stdout
    };
    settings("");
    assert!(ask(&vault.root().join("2-Areas")).contains("Boiler.md"));
    assert_eq!(ask(&mapped), "");
    assert_eq!(
        why(&vault),
        "there are several domains and the folder is mapped to none"
    );
    settings(&format!(
        "[[hooks.folders]]\npath = {mapped:?}\ndomains = [\"home\"]"
    ));
    assert!(ask(&mapped.join("deep")).contains("Boiler.md"));
    assert_eq!(ask(&vault.beside("")), "");
    assert!(
        why(&vault).contains("mapped to no domain"),
        "{}",
        why(&vault)
    );
    settings(&format!(
        "[[hooks.folders]]\npath = {mapped:?}\ndomains = [\"other\"]"
    ));
    assert_eq!(
        ask(&mapped),
        "",
        "the notes of another domain do not exist here"
    );
}

#[test]
fn an_agent_that_calls_astray_is_not_refused() {
    let vault = indexed();
    let input = json!({
        "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": BOILER,
    });
    let calls: [&[&str]; 6] = [
        &[],
        &["hook"],
        &["hook", "stop"],
        &["hook", "--agent", "claude"],
        &["--vault", "notes"],
        &["hook", "output"],
    ];
    for args in calls {
        let run = send(vault.command(args), &input.to_string()).expect_code(0);
        assert_eq!(run.stdout, "", "{args:?}");
        assert!(why(&vault).contains("ken hook install"), "{args:?}");
        let copilot = json!({"sessionId": "s", "timestamp": 1, "cwd": "/x"});
        send(vault.command(args), &copilot.to_string()).expect_code(0);
        for other in ["", "{}", "roof gutter\n", "{\"prompt\":\"roof\"}"] {
            let run = send(vault.command(args), other).expect_code(2);
            assert!(run.stderr.contains("ken"), "{args:?} {other:?}");
        }
    }
    // A mistake that is not a hook's stays one, whatever comes in.
    send(vault.command(&["serch", "roof"]), &input.to_string()).expect_code(2);
}

#[test]
fn a_credential_in_a_prompt_is_written_nowhere() {
    let vault = indexed();
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    prompt(
        &vault,
        "s",
        &format!("why does the boiler service token {secret} fail"),
    );
    let mut folders = vec![vault.beside("data/hook")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert!(
                    !fs::read_to_string(&path).unwrap().contains(&secret),
                    "{}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn many_calls_at_once_leave_whole_lines_and_no_process() {
    let vault = indexed();
    let input = json!({"session_id": "s", "prompt": BOILER}).to_string();
    let mut n_given = 0;
    for _ in 0..25 {
        let children: Vec<_> = (0..8)
            .map(|_| {
                let mut command = vault.command(&["hook", "prompt"]);
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                let mut child = command.spawn().unwrap();
                child
                    .stdin
                    .take()
                    .unwrap()
                    .write_all(input.as_bytes())
                    .unwrap();
                child
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0));
            n_given += usize::from(
                String::from_utf8(output.stdout)
                    .unwrap()
                    .contains("Boiler.md:"),
            );
        }
    }
    assert!(n_given >= 1);
    let log = fs::read_to_string(vault.beside("data/hook/log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 200);
    assert!(log.len() < 1 << 20);
    let mut given: Vec<String> = Vec::new();
    for line in log.lines() {
        let receipt: Value = serde_json::from_str(line).unwrap();
        given.extend(
            receipt["given"]
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_string),
        );
    }
    let n = given.len();
    given.sort_unstable();
    given.dedup();
    assert_eq!(given.len(), n, "a passage was given twice");
}

#[cfg(unix)]
#[test]
fn pipes_in_the_place_of_its_books_are_never_waited_for() {
    let vault = indexed();
    let make = |name: &str| {
        let path = vault.beside("data/hook").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    for name in [
        "log.jsonl",
        "log.1.jsonl",
        "sessions/piped.jsonl",
        "outputs/00aa.txt",
    ] {
        make(name);
    }
    let input =
        json!({"session_id": "piped", "prompt": "When was the kitchen renovation planned?"});
    call(&vault, "prompt", &input);
    vault.ken(&["hook", "log"]).expect_code(1);
    vault.ken(&["hook", "output", "00aa"]).expect_code(2);
}
