//! `ken hook post-tool`: long outputs are shortened, and can be had whole.

use std::fs;

use serde_json::{Value, json};

use crate::hook::{call, context, indexed, send, why};
use crate::vault::TestVault;

fn long_output(secret: &str) -> String {
    let mut output = String::new();
    for n in 0..400 {
        output += &format!(
            "2026-02-10 09:15:{:02} test part_{n} ... ok in 0.{n}s\n",
            n % 60
        );
        if n == 200 {
            output += &format!("error: boiler pressure is off, token {secret}\n");
        }
    }
    output + "done\n"
}

#[test]
fn a_long_output_is_shortened_and_can_be_had_whole() {
    let vault = indexed();
    // Put together here, so that no credential stands in this file.
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let output = long_output(&secret);
    let input = json!({
        "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "run tests"},
        "tool_response": {"stdout": output, "stderr": "", "interrupted": false},
    });
    let text = context(&call(&vault, "post-tool", &input));
    assert!(
        text.contains("error: boiler pressure is off") && text.ends_with("done\n"),
        "{text}"
    );
    assert!(!text.contains(&secret) && !text.contains("09:15"), "{text}");
    assert!(text.chars().count() < 4_500);
    let (_, rest) = text.split_once("ken hook output ").unwrap();
    let id = rest.split('`').next().unwrap();
    let whole = vault.ken(&["hook", "output", id]).expect_code(0).stdout;
    assert_eq!(whole.lines().count(), output.lines().count());
    assert!(!whole.contains(&secret) && whole.contains("[REDACTED:"));
    vault
        .ken(&["hook", "output", "00"])
        .expect_hint("there is no output", "run the command again");

    for agent in ["codex", "copilot"] {
        let command = vault.command(&["hook", "post-tool", "--agent", agent]);
        assert_eq!(send(command, &input.to_string()).stdout, "", "{agent}");
    }
    let said = shortened(&vault, &input);
    let updated = &said["updatedToolOutput"];
    assert_eq!(updated["stdout"], text.as_str());
    assert_eq!(updated["interrupted"], false);
    assert_eq!(
        said.get("additionalContext"),
        None,
        "nothing is said twice: {said}"
    );
    // Times differ from run to run; what is said does not, the id in it included.
    let again = output.replace("09:15", "10:42");
    let input = json!({
        "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "run tests"},
        "tool_response": {"stdout": again, "stderr": "", "interrupted": false},
    });
    assert_eq!(&shortened(&vault, &input)["updatedToolOutput"], updated);
    let whole = vault.ken(&["hook", "output", id]).expect_code(0).stdout;
    assert!(whole.contains("10:42"), "the last one is kept");
}

/// Returns what Claude Code is told about an output.
#[track_caller]
fn shortened(vault: &TestVault, input: &Value) -> Value {
    let command = vault.command(&["hook", "post-tool", "--agent", "claude"]);
    let stdout = send(command, &input.to_string()).expect_code(0).stdout;
    let mut value: Value =
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout:?}"));
    value["hookSpecificOutput"].take()
}

#[test]
fn the_end_of_an_output_that_the_agent_cut_is_kept() {
    let vault = indexed();
    let results = vault.beside("agent/s/tool-results");
    fs::create_dir_all(&results).unwrap();
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let whole: String = (1..=9_000).map(|n| format!("{n}\n")).collect();
    let whole = format!("{whole}error: gasket lost, token {secret}\n");
    fs::write(results.join("b1.txt"), &whole).unwrap();
    let input = |file: &std::path::Path| {
        json!({
            "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "count"},
            "transcript_path": vault.beside("agent/s.jsonl"),
            "tool_response": {
                "stdout": &whole[..30_000], "stderr": "", "interrupted": false,
                "persistedOutputPath": file, "persistedOutputSize": whole.len(),
            },
        })
    };
    let said = shortened(&vault, &input(&results.join("b1.txt")));
    let updated = said["updatedToolOutput"].as_object().unwrap();
    assert_eq!(
        updated.keys().collect::<Vec<_>>(),
        ["stdout", "stderr", "interrupted"]
    );
    let text = updated["stdout"].as_str().unwrap();
    assert!(
        text.contains("error: gasket lost, token [REDACTED:"),
        "{text}"
    );
    assert!(text.contains("of 9001 lines were cut"), "{text}");
    assert!(!text.contains("\n500\n") && !text.contains(&secret));

    // A file that the agent did not write is not read to the model, nor is its beginning taken for
    // the whole.
    let foreign = vault.beside("key.txt");
    fs::write(&foreign, &whole).unwrap();
    let command = vault.command(&["hook", "post-tool", "--agent", "claude"]);
    let run = send(command, &input(&foreign).to_string()).expect_code(0);
    assert_eq!(run.stdout, "");
    assert!(why(&vault).contains("not the agent's"), "{}", why(&vault));
}

#[test]
fn what_is_short_or_a_file_is_left_whole() {
    let vault = indexed();
    let input = |tool: &str, output: &str| json!({"tool_name": tool, "tool_input": {}, "tool_response": output});
    assert_eq!(call(&vault, "post-tool", &input("Bash", "done\n")), "");
    assert_eq!(
        call(&vault, "post-tool", &input("Read", &long_output(""))),
        ""
    );
    assert_eq!(
        call(&vault, "post-tool", &input("Bash", &"x".repeat(50_000))),
        ""
    );
}
