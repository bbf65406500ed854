//! Domains that a vault lists in `_domains.yaml`: their folders, their indexes, their boundaries.

use std::fs;

use crate::vault::TestVault;

const LIST: &str = "\
home:
  legacy: true
work:
  include: [Work/]
  exclude: [Work/Archive/]
  lexical: { weight: 0.5 }
  decay: { mode: off }
";

/// A vault with two domains, each with a note about the same thing.
fn two_domains() -> TestVault {
    let vault = TestVault::empty();
    vault.write("_domains.yaml", LIST);
    vault.write(
        "Garden.md",
        "# Garden\n\nThe quince tree needs a deep watering in July.\n",
    );
    vault.write(
        "Work/Orchard.md",
        "# Orchard\n\nThe client wants every quince tree counted. See [[Garden]].\n",
    );
    vault.write(
        "Work/Archive/Old.md",
        "# Old\n\nA quince tree of last year.\n",
    );
    vault
}

#[test]
fn each_domain_has_its_folders_and_its_own_index() {
    let vault = two_domains();
    vault.ken(&["index"]).expect_code(0);
    let stores = fs::read_dir(vault.beside("data")).unwrap();
    let stores = stores.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
        name.ends_with(".db")
    });
    assert_eq!(stores.count(), 2);
    let paths = |domain: &str| {
        let args = ["search", "-f", "paths", "-d", domain, "quince tree"];
        vault.ken(&args).expect_code(0).stdout
    };
    assert_eq!(paths("home"), "Garden.md\n");
    assert_eq!(paths("work"), "Work/Orchard.md\n");
    let list = vault.ken(&["domain", "list", "--json"]).json();
    assert_eq!(list[0]["name"], "home");
    assert_eq!(list[1]["indexed"], true);
}

#[test]
fn several_domains_are_searched_as_one() {
    let vault = two_domains();
    for args in [
        &["search", "-f", "json", "quince tree"][..],
        &[
            "search",
            "-f",
            "json",
            "--domain",
            "work,home",
            "quince tree",
        ],
    ] {
        let answer = vault.ken(args).expect_code(0).json();
        let hits = answer["hits"].as_array().unwrap();
        let mut domains: Vec<&str> = hits
            .iter()
            .filter_map(|hit| hit["domain"].as_str())
            .collect();
        domains.sort_unstable();
        assert_eq!(domains, ["home", "work"]);
        assert_eq!((&hits[0]["rank"], &hits[1]["rank"]), (&1.into(), &2.into()));
    }
}

#[test]
fn a_domain_is_a_boundary() {
    let vault = two_domains();
    vault.ken(&["index"]).expect_code(0);
    // Neither by name, by path, by walking along a link nor by a condition.
    for args in [
        &["get", "-d", "work", "Garden"][..],
        &["get", "-d", "work", "Garden.md"],
        &["get", "-d", "work", "../Garden.md"],
        &["links", "-d", "work", "Garden"],
        &["traverse", "-d", "work", "Garden"],
    ] {
        vault.ken(args).expect_code(2);
    }
    let links = vault
        .ken(&["links", "-d", "work", "--json", "Orchard"])
        .json();
    assert_eq!(links["outgoing"].as_array().unwrap().len(), 0);
    let walk = vault
        .ken(&["traverse", "-d", "work", "--deep", "--json", "Orchard"])
        .json();
    assert!(!walk.to_string().contains("Garden.md"), "{walk}");
    vault
        .ken(&["search", "-d", "work", "path:Garden"])
        .expect_code(1);
    let run = vault.ken(&[
        "search",
        "-d",
        "work",
        "-f",
        "paths",
        "deep watering in July",
    ]);
    assert!(!run.stdout.contains("Garden.md"));
}

#[test]
fn mistakes_in_the_list_are_told() {
    let vault = two_domains();
    vault.write("_domains.yaml", "work:\n  inclde: [Work/]\n");
    vault
        .ken(&["index"])
        .expect_hint("_domains.yaml", "did you mean `include`?");
    vault.write("_domains.yaml", "work: [\n");
    vault.ken(&["index"]).expect_hint("_domains.yaml", "edit");
    vault.write(
        "_domains.yaml",
        "work:\n  include: [Work/]\n  chunking: slices\n",
    );
    vault.ken(&["index"]).expect_hint("slices", "edit");
    vault.write("_domains.yaml", LIST);
    vault
        .ken(&["search", "-d", "play", "quince"])
        .expect_hint("there is no domain \"play\"", "known domains: home, work");
    vault
        .ken(&["backup", "copy.db"])
        .expect_hint("there are several: home, work", "--domain NAME");
}

#[test]
fn a_domain_names_its_model() {
    let vault = two_domains();
    vault.write(
        "_domains.yaml",
        "work:\n  embedding: minishlab/potion-base-8M\n  embedding_dim: 256\n",
    );
    vault.ken(&["index"]).expect_code(0);
    vault.write("_domains.yaml", "work:\n  embedding_dim: 1024\n");
    vault
        .ken(&["search", "quince"])
        .expect_hint("wants 1024 dimensions", "embedding_dim");
    vault.write(
        "_domains.yaml",
        "work:\n  embedding: BAAI/bge-large-en-v1.5\n",
    );
    let run = vault.ken(&["index"]).expect_code(2);
    assert!(
        run.stderr.contains("the model of the domain work"),
        "{}",
        run.stderr
    );
}
