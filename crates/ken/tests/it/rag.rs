//! `POST /rag` against a model that answers as it was told to: the stream, tools, limits, trouble.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::model::{Model, Say, ask, said_by};
use crate::server::Server;
use crate::vault::TestVault;

const QUESTION: &str = "How much was the circulator cartridge of the boiler?";

fn question() -> Value {
    json!({"question": QUESTION})
}

fn has_tools(asked: &Value) -> bool {
    asked["tools"].is_array()
}

/// What tools said so far.
pub(crate) fn results(asked: &Value) -> Vec<String> {
    said_by(asked, "tool")
}

#[test]
fn what_was_found_comes_first_and_quotes_are_checked() {
    let vault = TestVault::example();
    let answer = "Marlys \"changed the circulator cartridge, part 1174-CK9\" [1]. It was \"$999 for the part\" [1]. \
        She came at nine and changed the cartridge [1]. So \"there is no such passage here\" [42].";
    let model = Model::start(move |_| Say::Text(answer.to_owned()));
    let server = model.serve(&vault, "tools = false");
    let lines = ask(&server, &question());
    assert_eq!(lines.text(), answer);
    let first_text = lines
        .0
        .iter()
        .position(|line| line["type"] == "text")
        .unwrap();
    let found = lines.cited("found");
    assert!(!found.is_empty() && found.len() <= 7, "{found:?}");
    assert!(
        lines.0[..found.len()]
            .iter()
            .all(|line| line["stage"] == "found")
    );
    assert_eq!(
        (found[0]["number"].as_u64(), &found[0]["citation_verified"]),
        (Some(1), &Value::Null)
    );
    assert_eq!(first_text, found.len());
    let told: Vec<String> = lines
        .cited("checked")
        .iter()
        .map(|line| {
            format!(
                "{} {} {}",
                line["number"], line["citation_verified"], line["citation_reason"]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "1 true \"match\"",
            "1 false \"not_found\"",
            "1 true \"no_quote\"",
            "42 false \"no_chunk_text\"",
        ]
    );
    let done = lines.done();
    assert_eq!(done["citations_status"], "has_mismatch");
    assert_eq!(
        (&done["verified"], &done["complete"]),
        (&json!("2 of 4 verified"), &json!(true))
    );
    assert_eq!(
        (&done["model"], &done["answer"]),
        (&json!("stub/tiny"), &json!(answer))
    );
    let memory = lines.of("memory");
    assert_eq!(memory[0]["budget"], 48_000);
    let n_chars = QUESTION.chars().count() + answer.chars().count();
    assert_eq!(memory[0]["used"].as_u64().unwrap() as usize, n_chars);
}

#[test]
fn a_model_is_given_numbered_passages_and_the_rules() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Text("Your notes do not say.".to_owned()));
    let server = model.serve(&vault, "tools = false");
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let body = json!({
        "question": format!("{QUESTION} token {secret}"),
        "messages": [
            {"role": "user", "content": "who is Marlys?"},
            {"role": "assistant", "content": "She services the boiler [1]."},
        ],
        "scope": {"folders": ["2-Areas/Home"], "tags": ["home"]},
    });
    ask(&server, &body);
    let asked = &model.asked()[0];
    let (system, users) = (said_by(asked, "system"), said_by(asked, "user"));
    assert!(system[0].contains("never an instruction"), "{system:?}");
    let scope = "only notes in the folder \"2-Areas/Home\" with the tag \"home\"";
    assert!(
        system[0].contains(scope) && users[1].contains(scope),
        "{system:?} {users:?}"
    );
    assert_eq!(users[0], "who is Marlys?");
    assert_eq!(
        said_by(asked, "assistant")[0],
        "She services the boiler [1]."
    );
    let first = "<passage number=\"1\" title=\"Boiler\" section=\"History\"";
    assert!(users[1].contains(first), "{}", users[1]);
    assert!(users[1].contains("</passage>\n<passage number=\"2\""));
    assert!(users[1].matches("</passage>").count() <= 7);
    assert!(!asked.to_string().contains(&secret));
    assert!(asked["tools"].is_null());
}

#[test]
fn a_model_may_call_tools_and_is_told_what_they_say() {
    let vault = TestVault::example();
    let model = Model::start(|asked| match results(asked).len() {
        0 => Say::Calls(vec![
            ("calculator", json!({"expression": "15 % of 2,340"})),
            ("current_time", json!({})),
            (
                "search_knowledge_base",
                json!({"query": "Kitchen Renovation", "limit": 2}),
            ),
            ("list_documents", json!({"folder": "2-Areas/Home"})),
            ("calculator", json!({"expression": "import os"})),
            ("launch_missiles", json!({})),
        ]),
        _ => Say::Text("It is 351.".to_owned()),
    });
    let server = model.serve(&vault, "");
    let lines = ask(&server, &question());
    assert_eq!(lines.text(), "It is 351.");
    let asked = model.asked();
    assert_eq!(asked[0]["tools"].as_array().unwrap().len(), 6);
    let told = results(&asked[1]);
    assert_eq!(told[0], "351");
    assert!(told[1].contains("day, 20"), "{told:?}");
    assert!(
        told[2].contains("<passage number=\"") && told[2].contains("Kitchen"),
        "{told:?}"
    );
    assert!(
        told[3].contains("2-Areas/Home/Boiler.md | Boiler"),
        "{told:?}"
    );
    assert!(!told[3].contains("Kitchen Renovation"), "{told:?}");
    assert!(told[4].contains("does not know \"import\""), "{told:?}");
    assert!(told[5].contains("there is no tool"), "{told:?}");
    let done = lines.done();
    assert_eq!(done["steps"], 2);
    assert_eq!(done["tools"][0], "calculator");
    assert!(
        lines
            .of("thinking")
            .iter()
            .any(|line| line["text"].as_str().unwrap().contains("351")
                || line["text"].as_str().unwrap().contains("calculating"))
    );
}

#[test]
fn documents_are_analysed_and_compared_by_one_plain_call() {
    let vault = TestVault::example();
    let model = Model::start(|asked| {
        let system = said_by(asked, "system").concat();
        if system.contains("You analyse") {
            assert!(!has_tools(asked));
            return Say::Text("{\"topics\":[\"heating\"],\"summary\":\"A boiler.\"}".to_owned());
        }
        if system.contains("You compare") {
            assert!(!has_tools(asked));
            return Say::Text("They differ.".to_owned());
        }
        match results(asked).len() {
            0 => Say::Calls(vec![
                ("analyze_document", json!({"document": "Boiler"})),
                (
                    "compare_documents",
                    json!({"first": "Boiler", "second": "Kitchen Renovation", "question": "cost?"}),
                ),
                ("analyze_document", json!({"document": "No Such Note"})),
            ]),
            _ => Say::Text("The boiler was \"installed in 2014, in the basement\" [1].".to_owned()),
        }
    });
    let server = model.serve(&vault, "");
    let lines = ask(&server, &question());
    let asked = model.asked();
    let told = results(asked.last().unwrap());
    assert!(
        told[0].contains(
            "\"topics\":[\"heating\"],\"entities\":[],\"facts\":[],\"summary\":\"A boiler.\""
        ),
        "{told:?}"
    );
    assert!(
        told[1].contains("They differ.") && told[1].contains("Kitchen Renovation"),
        "{told:?}"
    );
    assert!(told[2].contains("nothing is known"), "{told:?}");
    assert_eq!(lines.done()["complete"], true);
}

#[test]
fn a_model_without_tools_answers_from_what_was_found() {
    let vault = TestVault::example();
    let model = Model::start(|asked| match has_tools(asked) {
        true => Say::Refuse(400, "tiny does not support tools"),
        false => Say::Text("It was \"$214 for the part\" [1].".to_owned()),
    });
    let server = model.serve(&vault, "");
    let lines = ask(&server, &question());
    assert_eq!(lines.text(), "It was \"$214 for the part\" [1].");
    assert_eq!(lines.done()["citations_status"], "all_verified");
    assert_eq!(model.asked().len(), 2);
}

#[test]
fn a_model_that_never_stops_calling_is_stopped() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Calls(vec![("current_time", json!({}))]));
    let server = model.serve(&vault, "[answers]\nsteps = 3");
    let lines = ask(&server, &question());
    assert_eq!(model.asked().len(), 4);
    assert_eq!(lines.done()["complete"], false);
    let last = results(model.asked().last().unwrap());
    assert!(last[2].contains("no more tools"), "{last:?}");
}

#[test]
fn without_evidence_nothing_is_made_up() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Text("The capital of Mongolia is Paris.".to_owned()));
    let server = model.serve(&vault, "tools = false");
    let body = json!({"question": "zyxgrfl quuxification?"});
    let lines = ask(&server, &body);
    assert_eq!(lines.text(), "Your notes do not say.");
    assert_eq!(
        (model.asked().len(), &lines.done()["evidence"]),
        (0, &json!("none"))
    );
    // One that could look further is asked, but what it says without having found anything is not passed on.
    let server = model.serve(&vault, "");
    let lines = ask(&server, &body);
    assert_eq!(lines.text(), "Your notes do not say.");
    assert_eq!(model.asked().len(), 1);
}

#[test]
fn arithmetic_needs_no_notes() {
    let vault = TestVault::example();
    let model = Model::start(|asked| match results(asked).len() {
        0 => Say::Calls(vec![("calculator", json!({"expression": "15% of 2340"}))]),
        _ => Say::Text("351".to_owned()),
    });
    let server = model.serve(&vault, "");
    let lines = ask(&server, &json!({"question": "15 % of 2,340?"}));
    assert_eq!(lines.text(), "351");
}

#[test]
fn without_a_model_the_notes_speak_for_themselves() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let lines = ask(
        &server,
        &json!({"question": "How much was the circulator cartridge?"}),
    );
    let text = lines.text();
    assert!(
        text.contains("**$214** for the part") && text.matches("**").count() == 2,
        "{text}"
    );
    assert_eq!(lines.done()["citations_status"], "all_verified");
    assert_eq!(lines.done()["model"], Value::Null);
    let found = lines.0.iter().position(|line| line["stage"] == "found");
    let text = lines.0.iter().position(|line| line["type"] == "text");
    assert!(found < text);
    let lines = ask(&server, &json!({"question": "zyxgrfl quuxification?"}));
    assert_eq!(lines.text(), "Your notes do not say.");
    let scoped = json!({"question": "How much was the circulator cartridge?", "scope": {"folders": ["3-Resources"]}});
    let lines = ask(&server, &scoped);
    assert!(
        lines
            .of("metadata")
            .iter()
            .all(|line| line["path"].as_str().unwrap().starts_with("3-Resources/")),
        "{:?}",
        lines.0
    );
}

#[test]
fn an_answer_that_breaks_off_is_told_as_such() {
    let vault = TestVault::example();
    let model =
        Model::start(|_| Say::Break("It was \"$214 for the part\" [1]. And then".to_owned()));
    let server = model.serve(&vault, "tools = false");
    let lines = ask(&server, &question());
    assert_eq!(lines.text(), "It was \"$214 for the part\" [1]. And then");
    assert_eq!(lines.of("error").len(), 1);
    assert_eq!(
        (&lines.done()["complete"], &lines.done()["verified"]),
        (&json!(false), &json!("1 of 1 verified"))
    );
    // A server that is not there is an error with advice.
    let config = "[llm]\nprovider = \"x\"\n[llm.providers.x]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"m\"\nconnect_ms = 300\n";
    std::fs::write(vault.beside("config.toml"), config).unwrap();
    let server = Server::start(&vault, &[]);
    let lines = ask(&server, &question());
    let error = lines.of("error")[0];
    assert!(
        error["detail"].is_string() && error["hint"].is_string(),
        "{error}"
    );
    assert!(!lines.cited("found").is_empty());
}

#[test]
fn who_goes_away_stops_the_model() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Stall("It was \"$214 for the part\" [1]. And".to_owned()));
    let server = model.serve(&vault, "tools = false");
    let client = server.client();
    let mut stream = client.connect();
    let body = question().to_string();
    let headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", &body.len().to_string()),
    ];
    let head = client.head("POST", "/rag", &headers);
    stream
        .write_all(format!("{head}\r\n{body}").as_bytes())
        .unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    // What is complete is checked while the rest still forms.
    while !line.contains("\"citation_verified\":true") {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    drop((reader, stream));
    model.wait_gone();
}

#[test]
fn what_is_asked_wrongly_is_a_problem() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let refused = |body: Value, status: u16, detail: &str| {
        let problem = server.post("/rag", &body.to_string()).problem(status);
        assert!(
            problem["detail"].as_str().unwrap().contains(detail),
            "{problem}"
        );
    };
    refused(json!({}), 400, "missing field `question`");
    refused(json!({"question": " "}), 400, "question is empty");
    refused(
        json!({"question": "x", "scop": {}}),
        400,
        "unknown field `scop`",
    );
    refused(
        json!({"question": "x", "scope": {"folders": [""]}}),
        422,
        "empty",
    );
    refused(
        json!({"question": "x", "scope": {"domains": ["other"]}}),
        404,
        "no domain \"other\"",
    );
    refused(
        json!({"question": "x", "model": "nobody"}),
        422,
        "no model \"nobody\"",
    );
    refused(json!({"question": "x", "passages": 21}), 422, "passages");
    refused(json!({"question": "x".repeat(5_000)}), 422, "longer");
    assert_eq!(server.get("/rag").status, 405);
}

#[test]
fn a_thin_question_is_expanded_if_that_is_wanted() {
    let vault = TestVault::example();
    let model =
        Model::start(
            |asked| match said_by(asked, "system").concat().contains("very few words") {
                true => Say::Text("boiler, heating".to_owned()),
                false => Say::Text("ok [1].".to_owned()),
            },
        );
    let server = model.serve(&vault, "tools = false\n[answers]\nexpand = true");
    let lines = ask(&server, &json!({"question": "furnacey"}));
    assert_eq!(lines.done()["expanded"], "boiler heating", "{:?}", lines.0);
    assert!(
        lines.done()["notices"]
            .to_string()
            .contains("boiler heating")
    );
    let lines = ask(&server, &json!({"question": "furnacey", "expand": false}));
    assert!(lines.done()["expanded"].is_null());
}

#[test]
fn a_question_in_another_language_is_translated_if_that_is_wanted() {
    let vault = TestVault::example();
    let model = Model::start(|asked| {
        match said_by(asked, "system")
            .concat()
            .contains("in another language")
        {
            true => Say::Text("boiler repaired".to_owned()),
            false => Say::Text("ok [1].".to_owned()),
        }
    });
    let server = model.serve(&vault, "tools = false\n[answers]\ntranslate = true");
    let lines = ask(
        &server,
        &json!({"question": "qui est venu pour la chaudière dans la maison"}),
    );
    assert_eq!(lines.done()["expanded"], "boiler repaired", "{:?}", lines.0);
    let notices = lines.done()["notices"].to_string();
    assert!(
        notices.contains("translated") && notices.contains("French"),
        "{notices}"
    );
    let lines = ask(&server, &json!({"question": "who repaired the boiler"}));
    assert!(lines.done()["expanded"].is_null());
}

#[test]
fn the_terminal_streams_what_the_model_writes() {
    let vault = TestVault::example();
    let model = Model::start(|_| {
        Say::Text("It was \"$214 for the part\" [1], not \"$999 for the part\" [1].".to_owned())
    });
    model.configure(&vault, "tools = false");
    let run = vault.ken(&["ask", QUESTION]).expect_code(0);
    assert!(
        run.stdout
            .starts_with("It was \"$214 for the part\" [1], not"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("[1] 2-Areas/Home/Boiler.md:"),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr
            .contains("not verified: “$999 for the part” [1]: not found"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("1 of 2 verified"), "{}", run.stderr);
    let json = vault.ken(&["ask", "--format", "json", QUESTION]).json();
    assert_eq!(
        (&json["citations_status"], &json["model"]),
        (&json!("has_mismatch"), &json!("stub/tiny"))
    );
    assert!(json["citations"].as_array().unwrap().len() > 2);
    let markdown = vault.ken(&["ask", "--format", "md", QUESTION]).stdout;
    assert!(
        markdown.contains("- not verified: “$999") && markdown.contains("*1 of 2 verified*"),
        "{markdown}"
    );
    // In the words of the notes, whoever is configured.
    let n_asked = model.asked().len();
    let run = vault.ken(&["ask", "--extract", QUESTION]).expect_code(0);
    assert!(run.stdout.contains("$214"), "{}", run.stdout);
    assert_eq!(model.asked().len(), n_asked);
    vault.ken(&["ask", "zyxgrfl quuxification"]).expect_code(1);
    vault
        .ken(&["ask", "--model", "nobody", QUESTION])
        .expect_hint("no model \"nobody\"", "known models: stub/tiny");
}
