//! `ken watch` and `ken serve --watch`: what changes is found without anybody asking for it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::server::Server;
use crate::vault::TestVault;

/// Longest time until a change must be seen; it takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks until the answer is as expected.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

struct Watcher(Child);

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn changes_are_taken_in_and_told() {
    let vault = TestVault::empty();
    vault.write("a.md", "# A\n\nthe first note\n");
    let mut command = vault.command(&["watch", "--quiet-for", "50"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let watcher = Watcher(child);
    let first = lines.next().unwrap().unwrap();
    assert!(first.starts_with("vault: 1 added"), "{first}");
    // A burst is taken together.
    for number in 0..15 {
        vault.write(&format!("burst/{number}.md"), "quinces are ripe\n");
    }
    let found = || {
        let args = [
            "search",
            "--no-update",
            "-n",
            "50",
            "-f",
            "paths",
            "quinces",
        ];
        vault.ken(&args).stdout.lines().count()
    };
    until("the burst is indexed", || found() == 15);
    fs::remove_dir_all(vault.root().join("burst")).unwrap();
    until("the folder is gone", || found() == 0);
    drop(watcher);
}

#[test]
fn a_server_sees_changes_by_itself() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &["--watch"]);
    vault.write(
        "Quince.md",
        "# Quince\n\nThe quince jelly recipe of aunt Ilse.\n",
    );
    until("the new note is found", || {
        server
            .get("/search?q=quince+jelly")
            .body
            .contains("Quince.md")
    });
}
