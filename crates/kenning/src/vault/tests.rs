//! Which files are notes, on vaults made for the purpose.

use std::fs;

use super::*;

fn vault(files: &[(&str, &str)]) -> (tempfile::TempDir, Vault) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let full = dir.path().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    }
    let vault = Vault::open(dir.path(), WalkRules::default()).unwrap();
    (dir, vault)
}

fn paths(vault: &Vault) -> Vec<String> {
    vault
        .walk()
        .found
        .into_iter()
        .map(|found| found.path)
        .collect()
}

#[test]
fn ignore_files_hidden_folders_and_obsidian_filters_are_kept_out() {
    let (_dir, vault) = vault(&[
        ("a.md", ""),
        ("b.png", ""),
        (".trash/c.md", ""),
        (".gitignore", "drafts/\n"),
        ("drafts/d.md", ""),
        (".kenignore", "*.secret.md\n"),
        ("e.secret.md", ""),
        (
            ".obsidian/app.json",
            r#"{"userIgnoreFilters":["Templates/","/^x.*\\.md$/"]}"#,
        ),
        ("Templates/f.md", ""),
        ("x1.md", ""),
        ("Ünï/ g .md", ""),
    ]);
    assert_eq!(paths(&vault), ["a.md", "Ünï/ g .md"]);
}

#[cfg(unix)]
#[test]
fn links_are_contained_and_loops_end() {
    let (outside, _) = vault(&[("secret.md", "x")]);
    let (dir, vault) = vault(&[("in/a.md", "")]);
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap()
    };
    link(&outside.path().join("secret.md"), "out.md");
    link(outside.path(), "outdir");
    link(dir.path(), "in/loop");
    link(&dir.path().join("in/a.md"), "twin.md");
    let walk = vault.walk();
    assert_eq!(walk.found.len(), 1);
    let skipped: Vec<_> = walk.skipped.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(skipped, ["out.md", "outdir"]);

    let following = Vault::open(
        dir.path(),
        WalkRules {
            follow_links: true,
            ..WalkRules::default()
        },
    )
    .unwrap();
    let walk = following.walk();
    let found: Vec<_> = walk.found.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(found, ["in/a.md", "out.md"]);
    assert!(walk.skipped.iter().any(|s| s.path == "in/loop"));
}

#[test]
fn large_files_are_reported_by_size() {
    let (dir, _) = vault(&[("big.md", "0123456789")]);
    let rules = WalkRules {
        file_bytes_max: 5,
        ..WalkRules::default()
    };
    let walk = Vault::open(dir.path(), rules).unwrap().walk();
    assert!(walk.found.is_empty());
    assert!(walk.skipped[0].reason.contains("limit"));
}

#[cfg(unix)]
fn fifo(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

/// Each of these would wait for ever if the pipe were opened as a file is.
#[cfg(unix)]
#[test]
fn pipes_are_never_waited_for() {
    let files = [("a.md", ""), ("in/b.md", ""), ("in/deep/c.md", "")];
    for name in [".gitignore", ".kenignore", ".git/info/exclude"] {
        let (dir, vault) = vault(&files);
        fifo(&dir.path().join("in").join(name));
        let walk = vault.walk();
        assert_eq!(walk.found.len(), 1, "{name}");
        assert_eq!(walk.skipped[0].path, "in", "{name}");
        assert!(walk.skipped[0].reason.contains(name), "{name}");
        fifo(&dir.path().join(name));
        assert!(vault.walk().found.is_empty(), "{name}");
    }
    let (dir, vault) = vault(&files);
    fifo(&dir.path().join(".obsidian/app.json"));
    fifo(&dir.path().join("pipe.md"));
    assert_eq!(paths(&vault), ["a.md", "in/b.md", "in/deep/c.md"]);
    // What was a note when it was found may be something else when it is read.
    fs::remove_file(dir.path().join("a.md")).unwrap();
    fifo(&dir.path().join("a.md"));
    assert_eq!(vault.read("a.md").unwrap_err(), "not a regular file");
    let socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket.md"));
    assert!(socket.is_ok());
    assert_eq!(vault.read("socket.md").unwrap_err(), "not a regular file");
}

#[cfg(unix)]
#[test]
fn a_note_that_became_a_link_is_not_followed() {
    let (outside, _) = vault(&[("secret.md", "x"), ("rules", "a.md\n")]);
    let (dir, vault) = vault(&[("a.md", "")]);
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap()
    };
    link(&outside.path().join("secret.md"), "b.md");
    assert_eq!(vault.read("b.md").unwrap_err(), "a symbolic link");
    link(Path::new("/dev/zero"), "c.md");
    assert_eq!(vault.read("c.md").unwrap_err(), "a symbolic link");
    // Rules may be kept elsewhere.
    link(&outside.path().join("rules"), ".kenignore");
    assert!(vault.walk().found.is_empty());
}
