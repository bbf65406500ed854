//! Files and pictures that come with a question, in JSON and in forms.

use serde_json::{Value, json};

use crate::model::{Lines, Model, Say, ask, lines, said_by};
use crate::server::{Reply, Server};
use crate::vault::TestVault;

#[test]
fn files_come_with_a_question_and_stay_with_it() {
    let vault = TestVault::example();
    let model = Model::start(|_| {
        Say::Text(
            "It says \"The zebra code is 4711.\" [1] and \"The zebra code is 4712.\" [1]."
                .to_owned(),
        )
    });
    let server = model.serve(&vault, "tools = false");
    // `The zebra code is 4711.` as a file, and the beginning of a picture.
    let file = json!({"name": "zebra.md", "data": "VGhlIHplYnJhIGNvZGUgaXMgNDcxMS4="});
    let picture = json!({"name": "x.png", "data": "iVBORw0KGgo="});
    let lines = ask(
        &server,
        &json!({"question": "What is the zebra code?", "files": [file, picture]}),
    );
    let checked: Vec<&Value> = lines
        .cited("checked")
        .iter()
        .map(|line| &line["citation_verified"])
        .collect();
    assert_eq!(checked, [&json!(true), &json!(false)], "{:?}", lines.0);
    assert_eq!(lines.cited("found")[0]["attached"], true);
    assert!(
        lines.done()["notices"].to_string().contains("see pictures"),
        "{}",
        lines.done()
    );
    let user = said_by(&model.asked()[0], "user");
    assert!(
        user[0].contains("<attachment number=\"1\" title=\"zebra.md\""),
        "{user:?}"
    );
    // The next question knows nothing of it.
    let lines = ask(&server, &json!({"question": "What is the zebra code?"}));
    assert!(
        lines
            .cited("found")
            .iter()
            .all(|line| line["path"] != "zebra.md")
    );
    let refused = |body: Value, status: u16| {
        server.post("/rag", &body.to_string()).problem(status)["detail"].to_string()
    };
    assert!(
        refused(
            json!({"question": "x", "files": [{"name": "a.md", "data": "???"}]}),
            422
        )
        .contains("base64")
    );
    assert!(
        refused(
            json!({"question": "x", "files": [{"name": "a.bin", "data": "AAECAwQF/w=="}]}),
            422
        )
        .contains("a.bin")
    );
}

#[test]
fn pictures_go_to_models_that_see() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Text("A zebra.".to_owned()));
    let server = model.serve(&vault, "tools = false\npictures = true");
    let picture = json!({"name": "x.png", "data": "iVBORw0KGgo="});
    let lines = ask(
        &server,
        &json!({"question": "What is in the picture?", "files": [picture]}),
    );
    assert_eq!(lines.text(), "A zebra.");
    let user = &said_by(&model.asked()[0], "user")[0];
    assert!(
        user.contains("data:image/png;base64,iVBORw0KGgo="),
        "{user}"
    );
}

/// Sends a form: name, file name and content of each part.
fn sent(server: &Server, parts: &[(&str, Option<&str>, &str)]) -> Reply {
    let mut body = String::new();
    for (name, file, content) in parts {
        let file = file.map_or(String::new(), |file| format!("; filename=\"{file}\""));
        body += &format!(
            "--XyX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
        );
    }
    body += "--XyX--\r\n";
    let kind = [("Content-Type", "multipart/form-data; boundary=XyX")];
    server.client().ask("POST", "/rag", &kind, &body)
}

#[test]
fn a_form_brings_files_as_they_are() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Text("\"The zebra code is 4711.\" [1]".to_owned()));
    let server = model.serve(&vault, "tools = false");
    let scope = "{\"folders\": [\"2-Areas\"]}";
    let reply = sent(
        &server,
        &[
            ("question", None, "What is the zebra code?"),
            ("scope", None, scope),
            ("passages", None, "2"),
            ("file", Some("zebra.md"), "The zebra code is 4711."),
            ("file", Some("photo.gif"), "GIF89a"),
        ],
    );
    let told: Lines = lines(&reply);
    assert_eq!(told.cited("checked")[0]["citation_verified"], true);
    assert_eq!(told.cited("found")[0]["attached"], true);
    assert!(told.cited("found").len() <= 3, "{:?}", told.0);
    assert!(told.done()["notices"].to_string().contains("see pictures"));
    let user = &said_by(&model.asked()[0], "user")[0];
    assert!(
        user.contains("only notes in the folder \"2-Areas\""),
        "{user}"
    );
    for (parts, status, detail) in [
        (
            vec![("file", Some("a.md"), "x")],
            400,
            "missing field `question`",
        ),
        (
            vec![("question", None, "x"), ("question", None, "y")],
            400,
            "duplicate field",
        ),
        (
            vec![("question", None, "x"), ("passages", None, "many")],
            422,
            "passages",
        ),
        (
            vec![("question", None, "x"), ("scop", None, "{}")],
            400,
            "unknown field `scop`",
        ),
        (
            vec![("question", None, "x"), ("f", Some("a.bin"), "\u{0}\u{1}")],
            422,
            "a.bin",
        ),
        (vec![("f", Some("a.md"), "x"); 9], 422, "more than 8 files"),
    ] {
        let problem = sent(&server, &parts).problem(status);
        let told = problem["detail"].as_str().unwrap();
        assert!(told.contains(detail), "{told}");
    }
    let kind = [("Content-Type", "multipart/form-data")];
    let broken = server.client().ask("POST", "/rag", &kind, "--XyX\r\n");
    broken.problem(400);
}
