//! Days of commits come from any ordinary repository, and no repository gets anything run or asked.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::process::Command;

use crate::vault::{TestVault, finish};

/// Runs git as a user would, on a day of choice, without the settings of whoever runs the tests.
fn git(folder: &Path, arguments: &[&str], day: &str) -> String {
    let date = format!("{day}T12:00:00Z");
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .envs([("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)])
        .envs([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn has_git() -> bool {
    Command::new("git").arg("--version").output().is_ok()
}

fn commit(folder: &Path, path: &str, day: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("The walrus of {day}.\n")).unwrap();
    git(folder, &["add", "."], day);
    git(folder, &["commit", "-qm", day], day);
}

/// Makes a repository with a note of 2021 and one of 2022.
fn repository(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    git(folder, &["init", "-q", "-b", "main"], "2021-01-01");
    commit(folder, "sub dir/old.md", "2021-02-03");
    commit(folder, "sub dir/new.md", "2022-03-04");
}

/// Indexes a folder and tells where the dates of its notes come from.
fn dates(test: &TestVault, vault: &Path, notes: &[&str]) -> Vec<String> {
    let ken = |arguments: &[&str]| {
        let mut command = test.bare_command(arguments);
        command.env("KEN_VAULT", vault);
        finish(command)
    };
    ken(&["index"]).expect_code(0);
    let date = |note: &&str| {
        let json = ken(&["get", "--json", note]).expect_code(0).json();
        match json["date_source"].as_str().unwrap() {
            "git" => json["date"].as_str().unwrap().to_owned(),
            other => other.to_owned(),
        }
    };
    notes.iter().map(date).collect()
}

#[track_caller]
fn check(test: &TestVault, vault: &Path) {
    let dates = dates(test, vault, &["old", "new"]);
    assert_eq!(dates, ["2021-02-03", "2022-03-04"], "{}", vault.display());
}

#[test]
fn ordinary_repositories_tell_their_days() {
    if !has_git() {
        return;
    }
    let test = TestVault::empty();
    let top = test.root();
    repository(&top);
    check(&test, &top);
    check(&test, &top.join("sub dir"));
    // Objects in a pack, references in one file.
    git(&top, &["gc", "-q"], "2022-03-05");
    git(&top, &["pack-refs", "--all"], "2022-03-05");
    assert!(!top.join(".git/refs/heads/main").exists());
    let packed = test.beside("packed");
    fs::rename(&top, &packed).unwrap();
    check(&test, &packed);
    // A commit that is checked out by itself.
    git(&packed, &["checkout", "-q", "--detach"], "2022-03-05");
    commit(&packed, "sub dir/old.md", "2023-01-01");
    let dates = dates(&test, &packed, &["old", "new"]);
    assert_eq!(dates, ["2023-01-01", "2022-03-04"]);
}

#[test]
fn work_trees_submodules_and_shallow_clones_tell_their_days() {
    if !has_git() {
        return;
    }
    let test = TestVault::empty();
    let top = test.beside("origin");
    repository(&top);
    let day = "2022-03-05";
    let tree = test.beside("tree");
    let name = tree.to_str().unwrap();
    git(&top, &["worktree", "add", "-q", "-b", "other", name], day);
    check(&test, &tree);
    check(&test, &tree.join("sub dir"));

    let around = test.beside("around");
    fs::create_dir(&around).unwrap();
    git(&around, &["init", "-q"], day);
    let origin = top.to_str().unwrap();
    git(
        &around,
        &["submodule", "--quiet", "add", origin, "notes"],
        day,
    );
    assert!(around.join("notes/.git").is_file());
    check(&test, &around.join("notes"));

    let url = format!("file://{origin}");
    git(
        &test.beside(""),
        &["clone", "-q", "--depth=1", &url, "shallow"],
        day,
    );
    let dates = dates(&test, &test.beside("shallow"), &["old", "new"]);
    assert_eq!(dates, ["2022-03-04", "2022-03-04"]);
}

#[test]
fn longer_names_of_objects_are_understood() {
    let test = TestVault::empty();
    let top = test.root();
    let init = ["init", "-q", "-b", "main", "--object-format=sha256"];
    let is_known = Command::new("git").current_dir(&top).args(init).output();
    if !is_known.is_ok_and(|output| output.status.success()) {
        return;
    }
    commit(&top, "old.md", "2021-02-03");
    commit(&top, "new.md", "2022-03-04");
    check(&test, &top);
}

#[test]
fn objects_and_references_of_others_are_not_read() {
    if !has_git() {
        return;
    }
    let test = TestVault::empty();
    let origin = test.beside("origin");
    repository(&origin);
    let unknown = ["modification time"; 2];
    let write = |name: &str, files: &[(&str, String)]| {
        let folder = test.beside(name);
        fs::create_dir_all(folder.join("sub dir")).unwrap();
        for note in ["old", "new"] {
            fs::write(folder.join(format!("sub dir/{note}.md")), "walrus").unwrap();
        }
        for (path, text) in files {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    };
    let theirs = origin.join(".git").display().to_string();
    let head = git(&origin, &["rev-parse", "HEAD"], "2022-03-05");
    let refused = [
        write("file", &[(".git", format!("gitdir: {theirs}\n"))]),
        write(
            "common",
            &[
                (".git/HEAD", head.clone()),
                (".git/commondir", theirs.clone()),
            ],
        ),
        write(
            "alternates",
            &[
                (".git/HEAD", head.clone()),
                (
                    ".git/objects/info/alternates",
                    format!("{theirs}/objects\n"),
                ),
            ],
        ),
        write(
            "escape",
            &[(".git/HEAD", "ref: refs/../../origin/.git/HEAD".to_owned())],
        ),
        write(
            "table",
            &[(".git/HEAD", "ref: refs/heads/.invalid\n".to_owned())],
        ),
    ];
    for folder in refused {
        let dates = dates(&test, &folder, &["old", "new"]);
        assert_eq!(dates, unknown, "{}", folder.display());
    }
    #[cfg(unix)]
    {
        let folder = write("linked", &[]);
        std::os::unix::fs::symlink(&theirs, folder.join(".git")).unwrap();
        assert_eq!(dates(&test, &folder, &["old", "new"]), unknown);
        let folder = write("objects", &[(".git/HEAD", head)]);
        std::os::unix::fs::symlink(origin.join(".git/objects"), folder.join(".git/objects"))
            .unwrap();
        assert_eq!(dates(&test, &folder, &["old", "new"]), unknown);
    }
}

/// Makes a repository of three commits that lacks the tree of the first and says who has it.
fn partial_clone(top: &Path, url: &str) {
    repository(top);
    commit(top, "sub dir/newest.md", "2023-04-05");
    let tree = git(top, &["rev-parse", "HEAD~2^{tree}"], "2023-04-06");
    let (folder, file) = tree.split_at(2);
    fs::remove_file(top.join(".git/objects").join(folder).join(file)).unwrap();
    let settings = format!(
        "[core]\nrepositoryFormatVersion = 1\n[extensions]\npartialClone = origin\n\
         [remote \"origin\"]\npromisor = true\nurl = {url}\n"
    );
    fs::write(top.join(".git/config"), settings).unwrap();
}

/// Names a program that writes a file wherever a repository can name one. Returns the file.
#[cfg(unix)]
fn arm(test: &TestVault, top: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let (mark, script) = (test.beside("PWNED"), test.beside("script"));
    let text = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.display();
    let settings = format!(
        "[remote \"origin\"]\nuploadpack = \"{script}; false\"\n\
         [core]\nsshCommand = {script}\npager = {script}\nfsmonitor = {script}\n\
         gitProxy = {script}\naskPass = {script}\nhooksPath = .git/hooks\neditor = {script}\n\
         [pager]\nlog = {script}\n[alias]\nlog = !{script}\n[credential]\nhelper = !{script}\n\
         [diff]\nexternal = {script}\n[diff \"x\"]\ntextconv = {script}\ncommand = {script}\n\
         [filter \"x\"]\nsmudge = {script}\nclean = {script}\nprocess = {script}\n\
         [gpg]\nprogram = {script}\n[log]\nshowSignature = true\n[protocol]\nallow = always\n"
    );
    let file = top.join(".git/config");
    fs::write(&file, fs::read_to_string(&file).unwrap() + &settings).unwrap();
    fs::write(top.join(".gitattributes"), "* diff=x filter=x\n").unwrap();
    fs::create_dir_all(top.join(".git/hooks")).unwrap();
    for hook in [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
    ] {
        fs::copy(test.beside("script"), top.join(".git/hooks").join(hook)).unwrap();
    }
    mark
}

#[cfg(unix)]
#[test]
fn no_program_that_a_repository_names_is_run() {
    if !has_git() {
        return;
    }
    for url in ["/nowhere", "ssh://example.invalid/x", "ext::{script}"] {
        let test = TestVault::empty();
        let top = test.root();
        let script = test.beside("script").display().to_string();
        partial_clone(&top, &url.replace("{script}", &script));
        let mark = arm(&test, &top);
        // What can be read is told.
        let dates = dates(&test, &top, &["old", "newest"]);
        assert_eq!(dates, ["modification time", "2023-04-05"], "{url}");
        test.ken(&["search", "walrus"]).expect_code(0);
        assert!(!mark.exists(), "{url}");
    }
}

#[test]
fn no_server_that_a_repository_names_is_asked() {
    if !has_git() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for scheme in ["http", "git"] {
        let test = TestVault::empty();
        partial_clone(&test.root(), &format!("{scheme}://127.0.0.1:{port}/x"));
        test.ken(&["index"]).expect_code(0);
        test.ken(&["search", "walrus"]).expect_code(0);
    }
    let asked = listener.accept().map(|(_, address)| address);
    assert_eq!(asked.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

/// Verbs that answer and end. Those that take an answer or a call get it on standard input.
#[cfg(target_os = "linux")]
const VERBS: &[&[&str]] = &[
    &["index"],
    &["index", "--full"],
    &["search", "walrus"],
    &["search", "--fresh", "https://example.com/walrus"],
    &["query", "walrus"],
    &["vsearch", "walrus"],
    &["get", "walrus"],
    &["multi-get", "*.md"],
    &["ls"],
    &["links", "walrus"],
    &["traverse", "walrus", "ice"],
    &["cite", "-"],
    &["audit"],
    &["status"],
    &["doctor"],
    &["backup", "copy.db"],
    &["domain", "add", "other", "vault"],
    &["domain", "list"],
    &["domain", "remove", "other"],
    &["collection", "list"],
    &["model", "list"],
    &["eval", "golden.toml"],
    &["hook", "install", "--agent", "claude"],
    &["hook", "status", "--agent", "claude"],
    &["hook", "prompt"],
    &["hook", "session-start"],
    &["hook", "pre-tool"],
    &["hook", "post-tool"],
    &["hook", "log"],
    &["hook", "remove", "--agent", "claude"],
    &["tools"],
    &["mcp"],
    &["completions", "bash"],
    &["man"],
    &["--version"],
];

/// Runs a command with its environment under strace, and returns what it asked of the network and
/// what it started; `None` where nobody may watch.
#[cfg(target_os = "linux")]
fn traced(before: &[&str], ken: &Command, test: &TestVault) -> Option<String> {
    let calls = test.beside("calls");
    let input = test.beside("input.json");
    let asked = r#"{"session_id":"s","cwd":"/","prompt":"where did the walrus sleep last winter?",
        "tool_name":"Bash","tool_input":{"command":"grep walrus winter"}}"#;
    fs::write(&input, asked).unwrap();
    let mut traced = Command::new("strace");
    traced
        .args(["-f", "-qq", "-e", "trace=%network,execve", "-o"])
        .arg(&calls)
        .args(before)
        .arg(ken.get_program())
        .args(ken.get_args())
        .env("HOME", test.beside("home"))
        .stdin(fs::File::open(input).unwrap())
        .current_dir(ken.get_current_dir().unwrap());
    for (name, value) in ken.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    let output = traced.output().ok()?;
    let calls = fs::read_to_string(calls).unwrap_or_default();
    let is_forbidden = String::from_utf8_lossy(&output.stderr).contains("ptrace");
    if calls.is_empty() && is_forbidden {
        return None;
    }
    Some(calls)
}

/// Whether there is a strace here that may trace.
#[cfg(target_os = "linux")]
fn can_trace() -> bool {
    let tried = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .output();
    tried.is_ok_and(|output| output.status.success())
}

/// What was traced is `ken` itself, and nothing it did could leave the machine. A pair of sockets
/// joins a process with its child and leads nowhere else.
#[cfg(target_os = "linux")]
#[track_caller]
fn check_calls(arguments: &[&str], calls: &str, may_listen: bool) {
    let started = calls.lines().filter(|call| call.contains("execve("));
    let n_ken = started
        .filter(|call| call.contains(env!("CARGO_BIN_EXE_ken")))
        .count();
    assert!(n_ken > 0, "{arguments:?} was not traced: {calls:?}");
    let is_open = |call: &&str| {
        let is_socket = call.contains("socket(") && !may_listen;
        let sends = call.contains("sendto(") || call.contains("sendmsg(");
        // What goes to no address goes to the other end of a pair.
        let has_address = !call.contains("NULL, 0)") && !call.contains("msg_name=NULL");
        is_socket || call.contains("connect(") || (sends && has_address)
    };
    let opened: Vec<&str> = calls.lines().filter(is_open).collect();
    assert!(opened.is_empty(), "{arguments:?}: {opened:#?}");
    for call in calls.lines().filter(|call| call.contains("bind(")) {
        assert!(
            may_listen && call.contains("127.0.0.1"),
            "{arguments:?}: {call}"
        );
    }
}

/// Nothing leaves the machine: no verb so much as opens a socket that could.
#[cfg(target_os = "linux")]
#[test]
fn no_verb_opens_a_socket() {
    if !can_trace() {
        eprintln!("SKIPPED: there is no strace to watch with, so nothing was shown here");
        return;
    }
    let test = TestVault::example();
    if has_git() {
        git(&test.root(), &["init", "-q"], "2021-01-01");
        commit(&test.root(), "walrus.md", "2021-02-03");
    }
    let golden = "[[query]]\ntext = \"walrus\"\nrelevant = [\"walrus.md\"]\n";
    fs::write(test.beside("golden.toml"), golden).unwrap();
    for arguments in VERBS {
        let calls = traced(&[], &test.command(arguments), &test).expect("strace may trace");
        check_calls(arguments, &calls, false);
    }
    // A witness that calls are seen at all.
    let mut python = Command::new("python3");
    python
        .args(["-c", "import socket; socket.socket()"])
        .current_dir(test.beside(""));
    if Command::new("python3").arg("--version").output().is_ok() {
        let calls = traced(&[], &python, &test).unwrap();
        assert!(calls.contains("socket(AF_INET"), "{calls}");
    }
}

/// The verbs that stay: they are ended once they have said that they are there. `serve` listens, and
/// calls nobody.
#[cfg(target_os = "linux")]
#[test]
fn what_stays_calls_nobody() {
    if !can_trace() {
        eprintln!("SKIPPED: there is no strace to watch with, so nothing was shown here");
        return;
    }
    let test = TestVault::example();
    test.ken(&["index"]).expect_code(0);
    let until_it_speaks =
        r#"mkfifo "$0"; "$@" 2>"$0" & read -r line <"$0"; kill -TERM $!; wait; rm "$0""#;
    let pipe = test.beside("said");
    let before = ["sh", "-c", until_it_speaks, pipe.to_str().unwrap()];
    for (arguments, may_listen) in [
        (["watch", "--sweep", "1000"], false),
        (["serve", "--port", "0"], true),
    ] {
        let calls = traced(&before, &test.command(&arguments), &test).expect("strace may trace");
        check_calls(&arguments, &calls, may_listen);
        assert_eq!(
            calls.contains("bind("),
            may_listen,
            "{arguments:?}: {calls}"
        );
    }
}

/// The same from the other side: where there is no network at all, everything works.
#[cfg(target_os = "linux")]
#[test]
fn everything_works_without_a_network() {
    let test = TestVault::example();
    let alone = |arguments: &[&str]| {
        let ken = test.command(arguments);
        let mut command = Command::new("unshare");
        command
            .args(["--map-root-user", "--net", "--"])
            .arg(ken.get_program())
            .args(ken.get_args())
            .envs(
                ken.get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .current_dir(ken.get_current_dir().unwrap());
        finish(command)
    };
    let is_permitted = Command::new("unshare")
        .args(["--map-root-user", "--net", "true"])
        .output();
    if !is_permitted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no network namespace can be made here");
        return;
    }
    alone(&["index"]).expect_code(0);
    let there = alone(&["search", "-f", "paths", "meeting"]).stdout;
    assert_eq!(
        there,
        test.ken(&["search", "-f", "paths", "meeting"]).stdout
    );
    assert!(!there.is_empty());
}
