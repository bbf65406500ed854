//! A transformer that a person brought, from the outside: added, chosen, filled beside a server, named by a domain.
#![cfg(feature = "onnx")]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::server::Server;
use crate::vault::TestVault;

/// A test that waits this long for a thread beside it should fail.
const PATIENCE: Duration = Duration::from_secs(120);

fn tiny(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models");
    root.join(name).to_string_lossy().into_owned()
}

fn roofs() -> TestVault {
    let vault = TestVault::empty();
    vault.write("Roof.md", "# Roof\n\nThe gutter was repaired in March.\n");
    vault.write("Bread.md", "# Bread\n\nSourdough wants time and salt.\n");
    vault.write("Cost.md", "# Cost\n\nWhat the roof did cost. [[Roof]]\n");
    vault
        .ken(&["model", "add", &tiny("tiny-wordpiece")])
        .expect_code(0);
    vault
}

fn reads_again(status: &Value) -> (u64, u64) {
    let reader = &status["reads_again"];
    let number = |key: &str| reader[key].as_u64().unwrap();
    (number("with_vector"), number("passages"))
}

#[test]
fn a_server_makes_vectors_beside_its_answers_and_tells_how_far_they_are() {
    let vault = roofs();
    vault
        .ken(&["model", "use", "tiny-wordpiece"])
        .expect_code(0);
    vault.ken(&["index"]).expect_code(0);
    let before = vault.ken(&["status", "--json"]).expect_code(0).json();
    assert_eq!(reads_again(&before), (0, 3));
    let settings = fs::read_to_string(vault.beside("config.toml")).unwrap();
    fs::write(
        vault.beside("config.toml"),
        format!("{settings}fill = \"always\"\n"),
    )
    .unwrap();
    let server = Server::start(&vault, &[]);
    let started = Instant::now();
    loop {
        let answer = server.get("/search?q=roof+repaired");
        assert_eq!(answer.status, 200, "{}", answer.body);
        let status: Value = serde_json::from_str(&server.get("/status").body).unwrap();
        if reads_again(&status) == (3, 3) {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{status}");
        std::thread::yield_now();
    }
    drop(server);
    let told = vault.ken(&["status"]).expect_code(0).stdout;
    assert!(told.contains(": 3 of 3 vectors"), "{told}");
    // One question in the terminal uses what the server made.
    let args = ["search", "--json", "--explain", "gutter repaired"];
    let answer = vault.ken(&args).expect_code(0).json();
    assert!(answer["hits"].to_string().contains("reread"), "{answer}");
}

#[test]
fn vectors_of_another_model_stay_until_those_of_the_new_one_are_complete() {
    let vault = roofs();
    vault
        .ken(&["model", "add", &tiny("tiny-unigram")])
        .expect_code(0);
    vault.ken(&["index"]).expect_code(0);
    let fill = |name: &str| vault.ken(&["model", "fill", name]).expect_code(0).stderr;
    assert!(fill("tiny-wordpiece").contains("3 of 3 passages have a vector"));
    assert!(fill("tiny-unigram").contains("3 of 3 passages have a vector"));
    vault.ken(&["model", "use", "tiny-unigram"]).expect_code(0);
    let status = vault.ken(&["status", "--json"]).expect_code(0).json();
    assert_eq!(reads_again(&status), (3, 3));
}

#[test]
fn a_domain_names_its_own_and_only_one_that_was_added() {
    let vault = roofs();
    vault.write(
        "_domains.yaml",
        "house:\n  legacy: true\n  reranker: tiny-wordpiece\n",
    );
    vault.ken(&["model", "fill"]).expect_code(0);
    let status = vault.ken(&["status", "--json"]).expect_code(0).json();
    let (n_covered, n_passages) = reads_again(&status);
    assert!(n_covered == n_passages && n_covered >= 3, "{status}");
    vault.write(
        "_domains.yaml",
        "house:\n  legacy: true\n  reranker: ../../elsewhere\n",
    );
    let answer = vault.ken(&["search", "--json", "roof"]).expect_code(0);
    assert!(
        answer.stderr.contains("there is no model"),
        "{}",
        answer.stderr
    );
    assert!(!answer.json()["hits"].as_array().unwrap().is_empty());
}

#[test]
fn a_name_that_nobody_knows_is_told_with_those_that_are_known() {
    let vault = TestVault::empty();
    let told = vault
        .ken(&["model", "pull", "nothing"])
        .expect_code(2)
        .stderr;
    assert!(
        told.contains("no model is known as") && told.contains("bge-small-en-v1.5"),
        "{told}"
    );
    let folder = vault.beside("empty");
    fs::create_dir(&folder).unwrap();
    let args = [
        "model",
        "pull",
        "bge-small-en-v1.5",
        "--from",
        folder.to_str().unwrap(),
    ];
    let told = vault.ken(&args).expect_code(2).stderr;
    assert!(told.contains("has no onnx/model_quantized.onnx"), "{told}");
}
