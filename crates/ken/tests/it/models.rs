//! Models that a provider runs, from the outside: named in the settings, tried by `ken doctor`, used by
//! indexes, and missed without harm.

use std::fs;

use serde_json::{Value, json};

use crate::model_server::ModelServer;
use crate::vault::TestVault;

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

    // A note that cannot be embedded now ends the run, with the reason; the index stays as it was.
    vault.write("New.md", "# New\n\nA quince tree.\n");
    let url = server.url();
    vault.ken(&["index"]).expect_hint(
        &format!(
            "the model BAAI/bge-large-en-v1.5 does not answer: cannot connect to local ({url})"
        ),
        "start the server",
    );
    let answer = vault
        .ken(&["search", "--json", "sourdough"])
        .expect_code(0)
        .json();
    assert_eq!(answer["hits"][0]["path"], "Bread.md");
    let asked = vault.ken(&["search", "--mode", "vector", "penalty"]);
    let asked = asked.expect_code(2).stderr;
    assert!(asked.contains("hint: start the server"), "{asked}");
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
    vault
        .ken(&["index"])
        .expect_hint("a vector has 768 dimensions, not 1024", "");
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
