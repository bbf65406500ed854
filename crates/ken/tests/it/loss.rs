//! Notes that are out of reach, runs that break off, and folders that are closed: nothing is lost, and every
//! interface says what is the matter and what to type.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::server::Server;
use crate::vault::{TestVault, finish};

fn vault_of(n_notes: usize) -> TestVault {
    let vault = TestVault::empty();
    for n in 0..n_notes {
        vault.write(
            &format!("{n}.md"),
            &format!("# Note {n}\n\nA heron, number {n}.\n"),
        );
    }
    vault
}

fn empty(vault: &TestVault) {
    fs::remove_dir_all(vault.root()).unwrap();
    fs::create_dir(vault.root()).unwrap();
}

fn notices(shape: &Value) -> String {
    shape["notices"].to_string()
}

/// A command with what it is run by in front.
fn run_by(words: &[&str], inner: &Command) -> Command {
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .arg(inner.get_program())
        .args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = inner.get_current_dir() {
        command.current_dir(folder);
    }
    command.stdin(Stdio::null());
    command
}

#[test]
fn an_emptied_vault_is_answered_for_and_every_interface_says_so() {
    let vault = vault_of(25);
    let server = Server::start(&vault, &["--no-update"]);
    empty(&vault);
    let accept = format!(
        "ken index --accept-removals {}",
        vault.root().canonicalize().unwrap().display()
    );
    let search = ["search", "--json", "heron"];
    let found = vault.ken(&search).expect_code(0).json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 10);
    assert!(
        notices(&found).contains("25 of 25 notes are gone"),
        "{found}"
    );
    assert!(notices(&found).contains(&accept), "{found}");
    let run = vault.ken(&["index"]).expect_code(0);
    assert!(run.stderr.contains(&accept), "{}", run.stderr);
    let full = vault.ken(&["index", "--full", "--json"]).expect_code(0);
    assert!(notices(&full.json()).contains(&accept), "{}", full.stdout);
    assert!(vault.ken(&["status"]).stdout.contains(&accept));
    assert!(
        vault
            .ken(&["doctor"])
            .expect_code(1)
            .stdout
            .contains(&accept)
    );

    let found: Value = serde_json::from_str(&server.get("/search?q=heron").body).unwrap();
    assert!(notices(&found).contains(&accept), "{found}");
    assert_eq!(found["hits"].as_array().unwrap().len(), 10);
    let reloaded: Value = serde_json::from_str(&server.post("/reload", "").body).unwrap();
    assert!(notices(&reloaded).contains(&accept), "{reloaded}");

    let mut client = Client::modern(&vault, &[]);
    let told = client.call("search", json!({"query": "heron"})).to_string();
    assert_eq!(
        told.matches("25 of 25 notes are gone").count(),
        2,
        "text and data: {told}"
    );
    assert!(told.contains("25.md") || told.contains("1.md"), "{told}");

    let hook = vault.command(&["hook", "prompt"]);
    assert_eq!(finish(hook).code, 0);

    // What it says is what helps.
    let words: Vec<&str> = accept.split(' ').skip(1).collect();
    let run = vault.bare_ken(&words).expect_code(0);
    assert!(run.stderr.contains("25 removed"), "{}", run.stderr);
    assert_eq!(notices(&vault.ken(&search).json()), "[]");
}

#[test]
fn removals_are_accepted_over_http_too() {
    let vault = vault_of(25);
    let server = Server::start(&vault, &["--no-update"]);
    empty(&vault);
    let reload = |query: &str| -> Value {
        let reply = server.post(&format!("/reload{query}"), "");
        assert_eq!(reply.status, 200, "{}", reply.body);
        serde_json::from_str(&reply.body).unwrap()
    };
    assert_eq!(reload("")["removed"], 0);
    assert_eq!(reload("?accept_removals=false")["removed"], 0);
    let done = reload("?accept_removals=true");
    assert_eq!(
        (&done["removed"], &done["notices"]),
        (&json!(25), &json!([]))
    );
}

#[test]
fn a_vault_whose_folder_is_gone_is_still_answered_for() {
    let vault = vault_of(3);
    let server = Server::start(&vault, &["--no-update"]);
    let away = vault.beside("away");
    fs::rename(vault.root(), &away).unwrap();
    let found = vault
        .ken(&["search", "--json", "heron"])
        .expect_code(0)
        .json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 3);
    assert!(
        notices(&found).contains("the folder is not there"),
        "{found}"
    );
    vault.ken(&["index"]).expect_hint("vault", "stays as it is");
    let found: Value = serde_json::from_str(&server.get("/search?q=heron").body).unwrap();
    assert!(
        notices(&found).contains("the folder is not there"),
        "{found}"
    );
    let mut client = Client::modern(&vault, &[]);
    let told = client.call("search", json!({"query": "heron"})).to_string();
    assert!(told.contains("the folder is not there"), "{told}");
    fs::rename(&away, vault.root()).unwrap();
    let found = vault
        .ken(&["search", "--json", "heron"])
        .expect_code(0)
        .json();
    assert_eq!(notices(&found), "[]");
    // One that was never indexed is a slip of the pen.
    vault
        .bare_ken(&["search", "--vault", "nowhere", "heron"])
        .expect_hint("nowhere", "existing folder");
    vault.bare_ken(&["index", "nowhere"]).expect_code(2);
}

/// Something else is mounted where the notes were.
#[cfg(target_os = "linux")]
#[test]
fn another_file_system_in_the_place_of_the_vault_is_not_indexed() {
    let vault = vault_of(4);
    vault.ken(&["index"]).expect_code(0);
    let root = vault.root();
    let mount = "mount -t tmpfs kenning \"$0\" && echo stray > \"$0/stray.md\" && exec \"$@\"";
    let words = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        mount,
        root.to_str().unwrap(),
    ];
    if !run_by(&words, &Command::new("true"))
        .output()
        .is_ok_and(|output| output.status.success())
    {
        println!("left out: mounting is not allowed here");
        return;
    }
    let run = |args: &[&str]| finish(run_by(&words, &vault.command(args))).expect_code(0);
    let found = run(&["search", "--json", "heron"]).json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 4);
    assert!(notices(&found).contains("another file system"), "{found}");
    assert!(notices(&found).contains("--accept-removals"), "{found}");
    let kept = run(&["index", "--json"]).json();
    assert_eq!((&kept["added"], &kept["removed"]), (&json!(0), &json!(0)));
    // Back on the disk all is well.
    assert_eq!(
        notices(&vault.ken(&["search", "--json", "heron"]).json()),
        "[]"
    );
    let accepted = run(&["index", "--json", "--accept-removals"]).json();
    assert_eq!(
        (&accepted["added"], &accepted["removed"]),
        (&json!(1), &json!(4))
    );
}

/// Ctrl-C keeps what is done, says what is missing, and ends as shells expect it.
#[cfg(unix)]
#[test]
fn a_first_build_that_is_interrupted_says_what_is_missing() {
    use rustix::process::{Pid, Signal, kill_process};
    let n_notes = 2_500;
    let vault = vault_of(n_notes);
    let mut command = vault.command(&["index"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let is_begun =
        || fs::read_dir(vault.beside("data")).is_ok_and(|mut files| files.next().is_some());
    let started = Instant::now();
    while !is_begun() && started.elapsed() < Duration::from_secs(60) {
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains(&format!("of {n_notes} notes are indexed")),
        "{said}"
    );
    assert!(said.contains("`ken index "), "{said}");
    let unfinished = format!("of {n_notes} notes are in it");
    let doctor = vault.ken(&["doctor"]).expect_code(1);
    assert!(doctor.stdout.contains(&unfinished), "{}", doctor.stdout);
    let found = vault
        .ken(&["search", "--no-update", "--json", "heron"])
        .json();
    assert!(notices(&found).contains(&unfinished), "{found}");
    vault.ken(&["index"]).expect_code(0);
    vault.ken(&["doctor"]).expect_code(0);
    let found = vault
        .ken(&["search", "--json", "heron"])
        .expect_code(0)
        .json();
    assert_eq!(notices(&found), "[]");
}

/// Whoever may only read an index can ask it, by the binary as a whole.
#[cfg(unix)]
#[test]
fn a_folder_that_is_closed_to_writing_can_be_searched() {
    use std::os::unix::fs::PermissionsExt;
    let vault = vault_of(3);
    vault.ken(&["index"]).expect_code(0);
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let data = vault.beside("data");
    for entry in fs::read_dir(&data).unwrap() {
        allow(&entry.unwrap().path(), 0o444);
    }
    allow(&vault.beside("."), 0o755);
    allow(&data, 0o555);
    let is_root = fs::File::create(data.join("probe")).is_ok();
    let mut words: Vec<&str> = vec!["env"];
    if is_root {
        fs::remove_file(data.join("probe")).unwrap();
        // Nothing is closed to root.
        words = vec![
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ];
    }
    let is_possible = finish(run_by(&words, &vault.bare_command(&["--version"]))).code == 0;
    if !is_possible {
        println!("left out: {words:?} cannot run the binary");
        return;
    }
    let search = |args: &[&str]| {
        let all = [&["search", "--format", "paths", "heron"], args].concat();
        let run = finish(run_by(&words, &vault.command(&all))).expect_code(0);
        (run.stdout.lines().count(), run.stderr)
    };
    assert_eq!(search(&[]).0, 3);
    assert_eq!(search(&["--no-update"]).0, 3);
    vault.write("new.md", "A new heron.\n");
    let (n_found, said) = search(&[]);
    assert_eq!(n_found, 3);
    assert!(said.contains("the index cannot"), "{said}");
    allow(&data, 0o755);
}
