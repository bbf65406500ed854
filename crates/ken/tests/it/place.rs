//! Settings, domains and models: what is searched, and with what.

use std::fs;

use insta::assert_snapshot;

use crate::vault::{TestVault, finish};

#[test]
fn a_domain_is_added_searched_and_removed() {
    let vault = TestVault::example();
    vault.bare_ken(&["domain", "list"]).expect_code(1);
    let run = vault
        .bare_ken(&["domain", "add", "mine", "vault"])
        .expect_code(0);
    assert_eq!(run.stdout, "");
    let list = vault.bare_ken(&["domain", "list", "--json"]).json();
    assert_eq!(list[0]["name"], "mine");
    assert_eq!(list[0]["indexed"], false);
    let run = vault
        .bare_ken(&["search", "--domain", "mine", "-f", "paths", "boiler"])
        .expect_code(0);
    assert!(run.stdout.starts_with("2-Areas/Home/Boiler.md\n"));
    let list = vault.bare_ken(&["domain", "list", "--json"]).json();
    assert_eq!(list[0]["indexed"], true);
    // The only domain there is needs not be named.
    vault.bare_ken(&["search", "boiler"]).expect_code(0);
    vault
        .bare_ken(&["domain", "remove", "mine", "--delete-index"])
        .expect_code(0);
    assert_eq!(fs::read_dir(vault.beside("data")).unwrap().count(), 0);
    assert!(vault.root().join("2-Areas/Home/Boiler.md").exists());
    vault.bare_ken(&["domain", "list"]).expect_code(1);
}

#[test]
fn mistakes_with_domains_are_told() {
    let vault = TestVault::example();
    vault
        .bare_ken(&["domain", "add", "my notes", "vault"])
        .expect_hint("cannot name a domain", "letters, digits");
    vault
        .bare_ken(&["domain", "add", "mine", "nowhere"])
        .expect_hint("there is no vault at", "--vault PATH");
    vault
        .bare_ken(&["domain", "add", "mine", "vault"])
        .expect_code(0);
    vault
        .bare_ken(&["domain", "add", "mine", "vault"])
        .expect_hint("exists already", "ken domain remove mine");
    vault
        .bare_ken(&["search", "--domain", "other", "boiler"])
        .expect_hint("there is no domain", "known domains: mine");
    vault
        .bare_ken(&["domain", "remove", "other"])
        .expect_hint("there is no domain", "known domains: mine");
}

#[test]
fn the_model_in_the_binary_is_the_default() {
    let vault = TestVault::empty();
    let run = vault.bare_ken(&["model", "list"]).expect_code(0);
    assert_snapshot!(run.stdout.trim_end(), @"* default  minishlab/potion-base-8M (bf8b0566, 256 dimensions) (in the binary)");
    let run = vault.bare_ken(&["model", "use", "default"]).expect_code(0);
    assert_eq!(run.stdout, "");
    let config = fs::read_to_string(vault.beside("config.toml")).unwrap();
    assert_snapshot!(config.trim_end(), @r#"model = "default""#);
}

#[test]
fn a_model_that_is_not_there_changes_nothing() {
    let vault = TestVault::empty();
    let run = vault.bare_ken(&["model", "use", "nowhere"]).expect_code(2);
    assert!(
        run.stderr
            .starts_with("error: there is no model at nowhere\n"),
        "{}",
        run.stderr
    );
    let config = fs::read_to_string(vault.beside("config.toml")).unwrap();
    assert_eq!(config, "");
}

#[test]
fn settings_hold_unless_an_option_says_otherwise() {
    let vault = TestVault::example();
    fs::write(
        vault.beside("config.toml"),
        "[search]\nlimit = 2\nmode = \"lexical\"\n",
    )
    .unwrap();
    let answer = vault.ken(&["search", "-f", "json", "kitchen"]).json();
    assert_eq!(answer["mode"], "lexical");
    assert_eq!(answer["hits"].as_array().unwrap().len(), 2);
    let answer = vault
        .ken(&["search", "-f", "json", "-n", "4", "-m", "hybrid", "kitchen"])
        .json();
    assert_eq!(answer["mode"], "hybrid");
    assert_eq!(answer["hits"].as_array().unwrap().len(), 4);
}

#[test]
fn a_mistake_in_the_settings_is_named_with_the_nearest_right_word() {
    let vault = TestVault::example();
    let check = |text: &str, message: &str, hint: &str| {
        fs::write(vault.beside("config.toml"), text).unwrap();
        vault.ken(&["search", "boiler"]).expect_hint(message, hint);
    };
    check(
        "[search]\nlimt = 3\n",
        "unknown field `limt`",
        "did you mean `limit`?",
    );
    check(
        "[search]\nmode = \"fast\"\n",
        "\"fast\" is not a search mode",
        "hybrid",
    );
    check(
        "[search]\nvector_share = 2.0\n",
        "search.vector_share",
        "edit ",
    );
    check("nonsense", "config.toml", "edit ");
}

#[test]
fn a_wrong_option_is_exit_code_two() {
    let vault = TestVault::example();
    for args in [
        &["search"][..],
        &["frobnicate"],
        &["search", "--mode", "psychic", "x"],
        &["search", "--limit", "0", "x"],
        &["search", "--domain", "a", "--vault", "b", "x"],
    ] {
        let run = vault.bare_ken(args).expect_code(2);
        assert_eq!(run.stdout, "", "{args:?}");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn no_settings_are_said_by_dev_null() {
    let vault = TestVault::example();
    let with = |config: &str| {
        let mut command = vault.command(&["--config", config, "status"]);
        command.env_remove("KEN_CONFIG");
        finish(command)
    };
    vault.ken(&["index"]).expect_code(0);
    with("/dev/null").expect_code(0);
    let run = with("/dev/zero").expect_code(2);
    assert!(run.stderr.contains("not a regular file"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn the_domains_of_a_vault_may_be_linked_inside_of_it() {
    use std::os::unix::fs::symlink;
    let vault = TestVault::example();
    let domains = "work:\n  include: [1-Projects]\nrest:\n  legacy: true\n";
    vault.write("system/domains.yaml", domains);
    let link = vault.root().join("_domains.yaml");
    symlink("system/domains.yaml", &link).unwrap();
    let listed = vault.ken(&["domain", "list"]).expect_code(0).stdout;
    assert!(listed.contains("work"), "{listed}");
    std::fs::remove_file(&link).unwrap();
    std::fs::write(vault.beside("domains.yaml"), domains).unwrap();
    symlink(vault.beside("domains.yaml"), &link).unwrap();
    vault
        .ken(&["domain", "list"])
        .expect_hint("leads out of the vault", "put the file itself there");
}
