//! `ken audit`: the place of a credential, never the credential.

use crate::vault::TestVault;

#[test]
fn places_are_listed_and_secrets_are_not() {
    let vault = TestVault::empty();
    // Put together here, so that no credential stands in this file.
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    vault.write(
        "Keys.md",
        &format!("# Keys\n\nThe token is {secret} for now.\n"),
    );
    vault.write(
        "Good.md",
        "# Good\n\nNothing to hide in this note, really.\n",
    );
    let run = vault.ken(&["audit"]).expect_code(0);
    assert!(run.stdout.starts_with("Keys.md:3: "), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1);
    let json = vault.ken(&["audit", "--format", "json"]).expect_code(0);
    assert_eq!(json.json()[0]["path"], "Keys.md");
    assert_eq!(json.json()[0]["line"], 3);
    assert!(json.json()[0]["pattern"].is_string());
    for stream in [run.stdout, run.stderr, json.stdout, json.stderr] {
        assert!(!stream.contains(&secret), "{stream}");
    }
    assert!(!vault.beside("data").exists(), "an audit needs no index");
}

#[test]
fn a_clean_vault_is_exit_code_one() {
    let vault = TestVault::empty();
    vault.write(
        "Good.md",
        "# Good\n\nNothing to hide in this note, really.\n",
    );
    let run = vault.ken(&["audit"]).expect_code(1);
    assert_eq!(run.stdout, "");
}
