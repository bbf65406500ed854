//! Scopes of `POST /rag`: no tool leads out of one, and chats at once never mix.

use serde_json::{Value, json};

use crate::model::{Model, Say, ask, lines, said_by};
use crate::rag::results;
use crate::server::Server;
use crate::vault::TestVault;

#[test]
fn a_tool_never_leaves_the_scope() {
    let vault = TestVault::empty();
    vault.write(
        "in/Open.md",
        "# Open\n\nThe open number is 111. See [[Hidden]].\n",
    );
    vault.write(
        "out/Hidden.md",
        "---\naliases: [Secret Plan]\ntags: [x]\n---\n# Hidden\n\nThe hidden number is 222.\n",
    );
    vault.write("out/Open.md", "# Open\n\nThe hidden number is 222, too.\n");
    let model = Model::start(|asked| {
        match results(asked).len() {
        0 => Say::Calls(vec![
            ("search_knowledge_base", json!({"query": "hidden number"})),
            ("search_knowledge_base", json!({"query": "[[Hidden]] path:out #x"})),
            ("list_documents", json!({})),
            ("list_documents", json!({"folder": "out"})),
            ("analyze_document", json!({"document": "out/Hidden.md"})),
            ("analyze_document", json!({"document": "Secret Plan"})),
            ("compare_documents", json!({"first": "Open", "second": "Hidden", "question": "?"})),
        ]),
        _ => Say::Text("As \"The hidden number is 222.\" [[Hidden]] says. And \"The hidden number is 222.\" (out/Hidden.md:6)".to_owned()),
    }
    });
    let server = model.serve(&vault, "");
    for deep in [false, true] {
        let body = json!({"question": "What is the open number?", "scope": {"folders": ["in"]}, "deep": deep});
        let lines = ask(&server, &body);
        let metadata = lines
            .of("metadata")
            .into_iter()
            .filter(|line| line["stage"] == "found");
        assert!(
            metadata.clone().all(|line| line["path"] == "in/Open.md"),
            "{:?}",
            lines.0
        );
        assert!(metadata.count() >= 1);
        for checked in lines.cited("checked") {
            assert_eq!(checked["citation_verified"], false, "{checked}");
            assert_eq!(checked["found"], Value::Null, "{checked}");
        }
    }
    for asked in model.asked() {
        for told in results(&asked) {
            assert!(!told.contains("222"), "{told}");
        }
        assert!(
            said_by(&asked, "user")
                .iter()
                .all(|text| !text.contains("222"))
        );
    }
    // Without a scope it is all there.
    let lines = ask(&server, &json!({"question": "What is the hidden number?"}));
    assert!(
        lines.cited("checked")[0]["citation_verified"] == true,
        "{:?}",
        lines.0
    );
}

/// What is kept is as far apart as what was told.
fn check_kept(server: &Server, n_chats: usize) {
    let all = server.get("/conversations?limit=100").json();
    let ids = all["conversations"].as_array().unwrap().iter();
    let kept = ids.map(|one| {
        let id = one["id"].as_str().unwrap();
        let kept = server.get(&format!("/conversations/{id}")).json();
        let folder = kept["scope"]["folders"][0].as_str().unwrap().to_owned();
        let number: usize = folder.trim_start_matches("unit").parse().unwrap();
        let answer = &kept["turns"][0]["answer"];
        assert_eq!(answer, &format!("figures: {} [1].", 7_000 + number));
        number
    });
    let mut kept: Vec<usize> = kept.collect();
    kept.sort_unstable();
    assert_eq!(kept, (0..n_chats).collect::<Vec<_>>());
}

#[test]
fn fifty_chats_at_once_never_mix() {
    const CHATS: usize = 50;
    let vault = TestVault::empty();
    for number in 0..CHATS {
        let text = format!(
            "# Report\n\nThe quarterly report says that the figure of unit {number} is {}.\n",
            7_000 + number
        );
        vault.write(&format!("unit{number}/Report.md"), &text);
        vault.write(
            &format!("unit{number}/Other.md"),
            &format!("# Other {number}\n\nMore of the report of unit {number}.\n"),
        );
    }
    // It searches once more, and repeats every figure that it was ever shown.
    let model = Model::start(|asked| match results(asked).len() {
        0 => Say::Calls(vec![
            (
                "search_knowledge_base",
                json!({"query": "quarterly report figure", "limit": 10}),
            ),
            ("list_documents", json!({})),
        ]),
        _ => {
            let shown = asked["messages"].to_string();
            let words = shown.split(|c: char| !c.is_ascii_digit());
            let mut figures: Vec<&str> = words
                .filter(|word| word.len() == 4 && word.starts_with('7'))
                .collect();
            figures.sort_unstable();
            figures.dedup();
            Say::Text(format!("figures: {} [1].", figures.join(" ")))
        }
    });
    let server = model.serve(&vault, "");
    let client = || server.client();
    std::thread::scope(|scope| {
        let chats: Vec<_> = (0..CHATS)
            .map(|number| {
                let client = client();
                scope.spawn(move || {
                    let folder = format!("unit{number}");
                    let body = json!({"question": "What is the figure of the quarterly report?", "scope": {"folders": [folder]}, "conversation": "new"});
                    let lines = lines(&client.post("/rag", &body.to_string()));
                    assert_eq!(lines.text(), format!("figures: {} [1].", 7_000 + number));
                    for line in lines.of("metadata") {
                        let path = line["path"].as_str().unwrap();
                        assert!(path.starts_with(&format!("{folder}/")), "{path}");
                    }
                })
            })
            .collect();
        chats.into_iter().for_each(|chat| chat.join().unwrap());
    });
    check_kept(&server, CHATS);
    for asked in model.asked() {
        let own = said_by(&asked, "user")[0].clone();
        let unit = own.split("the folder \"unit").nth(1).unwrap();
        let number: usize = unit.split('"').next().unwrap().parse().unwrap();
        for told in results(&asked) {
            assert!(told.matches("/Report.md").count() <= 2, "{told}");
            let other = format!("unit{}/", (number + 1) % CHATS);
            assert!(!told.contains(&other), "{told}");
        }
    }
}
