//! Models that a provider runs, from the outside: named in the settings, tried by `ken doctor`, used by
//! indexes, and missed without harm.

use std::fs;

use serde_json::{Value, json};

use crate::model_server::ModelServer;
use crate::vault::{Run, TestVault};

const PREFIX: &str = "Represent this sentence for searching relevant passages: ";

/// The domain of the documentation, and a note for it.
fn finance() -> TestVault {
    let vault = TestVault::empty();
    let list =
        "finance:\n  legacy: true\n  embedding: BAAI/bge-large-en-v1.5\n  embedding_dim: 1024\n";
    vault.write("_domains.yaml", list);
    vault.write(
        "Letter.md",
        "# Letter\n\nThe penalty was removed in March.\n",
    );
    vault.write("Bread.md", "# Bread\n\nSourdough wants time and salt.\n");
    vault
}

fn configure(vault: &TestVault, server: &ModelServer) {
    let settings = format!(
        "[llm]\nprovider = \"local\"\n[llm.providers.local]\nkind = \"ollama\"\nmodel = \"tiny\"\nbase_url = \"{}\"\n\
         [embeddings.\"BAAI/bge-large-en-v1.5\"]\nprovider = \"local\"\nmodel = \"bge-large\"\n",
        server.url()
    );
    fs::write(vault.beside("config.toml"), settings).unwrap();
}

fn embedded_texts(server: &ModelServer) -> Vec<String> {
    let asked = server.asked().into_iter();
    let embeds = asked.filter(|(path, _)| path == "/api/embed");
    let inputs = embeds.flat_map(|(_, body)| body["input"].as_array().unwrap().clone());
    inputs
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_domain_names_a_model_that_the_settings_have_a_provider_for() {
    let (vault, server) = (finance(), ModelServer::ollama(1024));
    configure(&vault, &server);
    vault.ken(&["index"]).expect_code(0);
    let args = ["search", "--json", "--mode", "vector", "penalty removed"];
    let answer = vault.ken(&args).expect_code(0).json();
    assert_eq!(answer["hits"][0]["path"], "Letter.md");
    let texts = embedded_texts(&server);
    assert!(
        texts.contains(&format!("{PREFIX}penalty removed")),
        "{texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.starts_with("Letter\n")),
        "{texts:?}"
    );
    let bodies: Vec<Value> = server.asked().into_iter().map(|(_, body)| body).collect();
    assert!(
        bodies
            .iter()
            .all(|body| body["model"] == "bge-large" && body["truncate"] == json!(false))
    );
    let status = vault.ken(&["status"]).expect_code(0).stdout;
    assert!(status.contains("BAAI/bge-large-en-v1.5"), "{status}");
}

#[test]
fn without_the_server_words_are_searched_and_nothing_is_lost() {
    let (vault, server) = (finance(), ModelServer::ollama(1024));
    configure(&vault, &server);
    vault.ken(&["index"]).expect_code(0);
    server.close();
    let answer = vault
        .ken(&["search", "--json", "penalty"])
        .expect_code(0)
        .json();
    assert_eq!(answer["hits"][0]["path"], "Letter.md");
    assert_eq!(answer["mode"], "lexical");
    let notices = answer["notices"].to_string();
    assert!(notices.contains("so only words were searched"), "{notices}");

    // A note that cannot be embedded now is stored with its words, and the run says what is missing.
    vault.write("New.md", "# New\n\nA quince tree.\n");
    let url = server.url();
    check_failed(
        vault.ken(&["index"]),
        &format!(
            "error: no vectors could be made of 1 passage: the model BAAI/bge-large-en-v1.5 does not answer: cannot connect to local ({url})"
        ),
        "hint: start the server",
    );
    for (word, path) in [("sourdough", "Bread.md"), ("quince", "New.md")] {
        let args = ["search", "--json", word];
        let answer = vault.ken(&args).expect_code(0).json();
        assert_eq!(answer["hits"][0]["path"], path);
        let notices = answer["notices"].to_string();
        assert!(notices.contains("1 passage has no vector yet"), "{notices}");
    }
    let status = vault.ken(&["status", "--json"]).expect_code(0).json();
    assert_eq!(
        (&status["chunks"], &status["without_vector"]),
        (&json!(4), &json!(1))
    );
    let doctor = vault.ken(&["doctor"]).expect_code(1).stdout;
    assert!(doctor.contains("1 passage has no vector yet"), "{doctor}");
    let asked = vault.ken(&["search", "--mode", "vector", "penalty"]);
    let asked = asked.expect_code(2).stderr;
    assert!(asked.contains("hint: start the server"), "{asked}");
}

/// Checks that a run did not do all that it should, and says so behind what it did.
#[track_caller]
fn check_failed(run: Run, message: &str, hint: &str) {
    let stderr = run.expect_code(2).stderr;
    assert!(
        stderr.contains(message) && stderr.contains(hint),
        "{stderr}"
    );
}

/// Rows for the texts of a request, or a reply that says why not.
fn embedded(body: &Value, dimensions: usize) -> (u16, &'static str, String) {
    let n_texts = body["input"].as_array().unwrap().len();
    let rows = vec![vec![1.0; dimensions]; n_texts];
    (
        200,
        "application/json",
        json!({ "embeddings": rows }).to_string(),
    )
}

fn refusal(status: u16) -> (u16, &'static str, String) {
    (
        status,
        "application/json",
        json!({"error": "not now"}).to_string(),
    )
}

fn without_vector(vault: &TestVault) -> Value {
    vault.ken(&["status", "--json"]).expect_code(0).json()["without_vector"].clone()
}

#[test]
fn an_index_is_made_without_the_server_and_completed_with_it() {
    let (vault, server) = (finance(), ModelServer::ollama(1024));
    configure(&vault, &server);
    server.close();
    check_failed(
        vault.ken(&["index"]),
        "no vectors could be made of 3 passages",
        "hint: start the server",
    );
    let answer = vault
        .ken(&["search", "--json", "penalty"])
        .expect_code(0)
        .json();
    assert_eq!(answer["hits"][0]["path"], "Letter.md");

    let server = ModelServer::ollama(1024);
    configure(&vault, &server);
    let report = vault.ken(&["index", "--json"]).expect_code(0).json();
    assert_eq!(
        (&report["vectors"], &report["without_vector"]),
        (&json!(3), &json!(0))
    );
    let args = ["search", "--json", "--mode", "vector", "penalty removed"];
    let answer = vault.ken(&args).expect_code(0).json();
    assert_eq!(answer["hits"][0]["path"], "Letter.md");
    assert_eq!(answer["notices"], json!([]));
    // Nothing is embedded twice.
    let n_before = embedded_texts(&server).len();
    vault.ken(&["index"]).expect_code(0);
    assert_eq!(embedded_texts(&server).len(), n_before);
}

#[test]
fn a_busy_server_is_asked_again_and_a_text_that_breaks_it_costs_no_other() {
    let vault = finance();
    for number in 0..70 {
        let text = format!("# Note {number}\n\nThe gutter of house {number} was painted.\n");
        vault.write(&format!("notes/{number:02}.md"), &text);
    }
    vault.write("notes/Poison.md", "# Poison\n\nThis one breaks it.\n");
    let is_first = std::sync::atomic::AtomicBool::new(true);
    let server = ModelServer::start(move |_, body| {
        if is_first.swap(false, std::sync::atomic::Ordering::SeqCst) {
            return refusal(429);
        }
        match body["input"].to_string().contains("This one breaks it") {
            true => refusal(400),
            false => embedded(body, 1024),
        }
    });
    configure(&vault, &server);
    let run = vault.ken(&["index", "--json"]).expect_code(2);
    let report: Value = run.json();
    let told = report["unembedded"].to_string();
    assert!(
        told.contains("notes/Poison.md") && told.contains("not now"),
        "{told}"
    );
    let n_missing = without_vector(&vault).as_u64().unwrap();
    assert!((1..=32).contains(&n_missing), "{n_missing}");
    let n_chunks = report["chunks"].as_u64().unwrap();
    assert_eq!(report["vectors"], json!(n_chunks - n_missing));
}

#[test]
fn a_server_that_goes_in_the_middle_is_gone_on_with_later() {
    let vault = finance();
    for number in 0..400 {
        let text = format!("# Note {number}\n\nThe gutter of house {number} was painted.\n");
        vault.write(&format!("notes/{number:03}.md"), &text);
    }
    let n_requests = std::sync::atomic::AtomicUsize::new(0);
    let server = ModelServer::start(move |_, body| {
        match n_requests.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0..12 => embedded(body, 1024),
            _ => refusal(404),
        }
    });
    configure(&vault, &server);
    vault.ken(&["index"]).expect_code(2);
    let n_missing = without_vector(&vault).as_u64().unwrap();
    assert!((1..403).contains(&n_missing), "{n_missing}");
    assert_eq!(vault.paths("house 17 painted")[0], "notes/017.md");
    let server = ModelServer::start(|_, body| embedded(body, 1024));
    configure(&vault, &server);
    let report = vault.ken(&["index", "--json"]).expect_code(0).json();
    assert_eq!(report["vectors"], json!(n_missing));
    let n_asked = embedded_texts(&server).len() as u64;
    assert_eq!(n_asked, n_missing);
}

/// A real model behind a real server, if `scripts/model-server test` has started one.
#[test]
fn a_real_server_indexes_and_answers() {
    let Ok(url) = std::env::var("KEN_TEST_EMBED") else {
        eprintln!("*** left out: there is no embed server; scripts/test starts one");
        return;
    };
    let vault = TestVault::example();
    let settings = format!(
        "model = \"smollm2\"\n[llm.providers.local]\nkind = \"openai\"\nbase_url = \"{url}\"\n\
         [embeddings.smollm2]\nprovider = \"local\"\nwindow_tokens = 400\n"
    );
    fs::write(vault.beside("config.toml"), settings).unwrap();
    let report = vault.ken(&["index", "--json"]).expect_code(0).json();
    assert_eq!(
        (&report["vectors"], &report["without_vector"]),
        (&report["chunks"], &json!(0))
    );
    let args = [
        "search",
        "--json",
        "--mode",
        "vector",
        "who repaired the roof",
    ];
    let answer = vault.ken(&args).expect_code(0).json();
    assert!(!answer["hits"].as_array().unwrap().is_empty());
    assert_eq!(answer["notices"], json!([]));
    let status = vault.ken(&["status"]).expect_code(0).stdout;
    assert!(
        status.contains("smollm2") && status.contains("576 dimensions"),
        "{status}"
    );
    let report = vault.ken(&["index", "--json"]).expect_code(0).json();
    assert_eq!(report["vectors"], json!(0));
}

#[test]
fn a_vault_cannot_bring_an_address() {
    let vault = TestVault::empty();
    let server = ModelServer::ollama(8);
    vault.write("A.md", "# A\n\nA quince tree.\n");
    for list in [
        format!("home:\n  embedding: {}\n", server.url()),
        format!("home:\n  embedding: local\n  base_url: {}\n", server.url()),
        format!(
            "llm:\n  providers: {{ local: {{ kind: ollama, base_url: \"{}\" }} }}\n",
            server.url()
        ),
    ] {
        vault.write("_domains.yaml", &list);
        vault.ken(&["index"]).expect_code(2);
    }
    assert!(server.asked().is_empty());
}

#[test]
fn the_wrong_dimension_is_told() {
    let (vault, server) = (finance(), ModelServer::ollama(768));
    configure(&vault, &server);
    let run = vault.ken(&["index"]);
    check_failed(run, "a vector has 768 dimensions, not 1024", "hint: ");
}

#[test]
fn doctor_tries_every_provider() {
    let (vault, server) = (finance(), ModelServer::ollama(1024));
    configure(&vault, &server);
    vault.ken(&["index"]).expect_code(0);
    let file = vault.beside("config.toml");
    let mut settings = fs::read_to_string(&file).unwrap();
    settings += "[llm.providers.cloud]\nkind = \"anthropic\"\nmodel = \"m\"\nkey_env = \"NO_SUCH_KEY\"\nbase_url = \"http://127.0.0.1:1\"\n";
    fs::write(&file, settings).unwrap();
    let doctor = vault.ken(&["doctor"]).expect_code(1).stdout;
    let lines: Vec<String> = doctor
        .lines()
        .filter(|line| {
            !["settings", "data", "vault", "index"]
                .iter()
                .any(|what| line[6..].starts_with(what))
        })
        .map(|line| {
            let line = line.replace(&server.url(), "URL");
            let words = line.split(' ');
            // Times differ.
            let words = words.map(|word| {
                if word.parse::<u32>().is_ok_and(|n| n != 1024) {
                    "N"
                } else {
                    word
                }
            });
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    ok    model     BAAI/bge-large-en-v1.5 (bdb9b9bb, 1024 dimensions)
    ok    pictures  not read, as the settings say
    BAD   provider  the key of the provider cloud should be in NO_SUCH_KEY, which is not set
                    hint: set NO_SUCH_KEY, or correct `key_env` of [llm.providers.cloud] in the settings
    ok    provider  local (ollama, URL): there in N ms · tiny · streams, first word in N ms · takes tools, but did not call one
    ok    embedding BAAI/bge-large-en-v1.5 at local: 1024 dimensions · N ms a question
    ");
    let listed = vault.ken(&["model", "list"]).expect_code(0).stdout;
    insta::assert_snapshot!(listed.replace(&server.url(), "URL"), @r"
    * default  minishlab/potion-base-8M (bf8b0566, 256 dimensions) (in the binary)
      BAAI/bge-large-en-v1.5  bge-large by local (URL)
      cloud  answers by m (http://127.0.0.1:1/v1)
    * local  answers by tiny (URL)
    ");
}
