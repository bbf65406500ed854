//! Damaged, exchanged and closed index files, as people and servers meet them: it is made good, with a
//! word, and nothing of somebody else's is touched.

use std::fs::{self, OpenOptions};
use std::path::PathBuf;

use crate::server::Server;
use crate::vault::{TestVault, finish};

const BOILER: &str = "2-Areas/Home/Boiler.md";

/// The index where `ken` puts it by itself.
fn own_index(vault: &TestVault) -> PathBuf {
    let files = fs::read_dir(vault.beside("data")).unwrap();
    let mut paths = files.map(|entry| entry.unwrap().path());
    let is_index = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "db");
    paths.find(is_index).unwrap()
}

fn aside(index: &std::path::Path) -> PathBuf {
    PathBuf::from(format!("{}.damaged-1", index.display()))
}

/// Every page but the first is overwritten.
fn ruin(index: &std::path::Path) {
    let mut bytes = fs::read(index).unwrap();
    bytes[4_096..].fill(0xA5);
    fs::write(index, bytes).unwrap();
}

/// What becomes of the bytes of a file.
type Damage = fn(&[u8]) -> Vec<u8>;

#[test]
fn a_damaged_index_is_made_again_with_a_word() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    let index = own_index(&vault);
    let damages: [(&str, Damage); 5] = [
        ("cut", |whole| whole[..whole.len() / 2].to_vec()),
        ("cut to the bone", |whole| whole[..60].to_vec()),
        ("emptied", |whole| vec![0; whole.len()]),
        ("another's", |_| b"Dear Sir or Madam".repeat(1_000)),
        ("one bit", |whole| {
            let mut bytes = whole.to_vec();
            // The third page, which holds what every verb asks for.
            bytes[9_000] ^= 1;
            bytes
        }),
    ];
    let whole = fs::read(&index).unwrap();
    for (what, damage) in damages {
        for verb in [
            &["search", "boiler"][..],
            &["get", BOILER],
            &["index"],
            &["status"],
        ] {
            fs::write(&index, damage(&whole)).unwrap();
            let doctor = vault.ken(&["doctor"]);
            assert!(
                doctor.stdout.contains("BAD   index"),
                "{what}: {}",
                doctor.stdout
            );
            let run = vault.ken(verb).expect_code(0);
            let is_told = run.stderr.contains("damaged") && run.stderr.contains(".damaged-1");
            assert!(
                is_told || run.stdout.contains("damaged"),
                "{what} {verb:?}: {}",
                run.stderr
            );
            assert!(
                fs::read(aside(&index)).unwrap() == damage(&whole),
                "{what}: it is kept"
            );
            fs::remove_file(aside(&index)).unwrap();
            vault.ken(&["doctor"]).expect_code(0);
            assert_eq!(vault.paths("boiler")[0], BOILER);
        }
    }
}

#[test]
fn what_was_typed_is_not_taken_for_a_damaged_index() {
    let vault = TestVault::example();
    fs::write(vault.beside("Cargo.lock"), "precious").unwrap();
    vault
        .ken(&["index", "--store", "Cargo"])
        .expect_hint("Cargo.lock", "never overwritten");
    let kept = fs::read_to_string(vault.beside("Cargo.lock")).unwrap();
    assert_eq!(kept, "precious");
    assert!(!vault.beside("Cargo").exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_symbolic_link() {
    use std::os::unix::fs::symlink;
    let vault = TestVault::example();
    for name in [
        "own.db",
        "own.db.lock",
        "own.db-wal",
        "own.db-shm",
        "own.db-journal",
    ] {
        let target = vault.beside("target");
        symlink(&target, vault.beside(name)).unwrap();
        let run = vault.ken(&["index", "--store", "own.db"]);
        assert!(
            run.code == 2 || name.ends_with("-journal"),
            "{name}: {}",
            run.stderr
        );
        assert!(!target.exists(), "{name}");
        fs::write(&target, "").unwrap();
        vault.ken(&["index", "--store", "own.db"]);
        assert_eq!(fs::read(&target).unwrap(), b"", "{name}");
        for file in [
            "own.db",
            "own.db.lock",
            "own.db-wal",
            "own.db-shm",
            "own.db-journal",
        ] {
            drop(fs::remove_file(vault.beside(file)));
        }
        fs::remove_file(target).unwrap();
    }
    fs::write(vault.beside("target"), "precious").unwrap();
    symlink(vault.beside("target"), vault.beside("copy.db")).unwrap();
    vault.ken(&["index"]).expect_code(0);
    vault.ken(&["backup", "copy.db"]).expect_code(2);
    assert_eq!(fs::read(vault.beside("target")).unwrap(), b"precious");
}

#[test]
fn an_index_answers_for_its_own_vault_only() {
    let (vault, other) = (TestVault::example(), TestVault::empty());
    other.write("a.md", "A boiler of somebody else.\n");
    vault.ken(&["index", "--store", "own.db"]).expect_code(0);
    let index = vault.beside("own.db");
    let before = fs::read(&index).unwrap();
    let store = index.to_str().unwrap();
    for verb in [
        &["search", "boiler"][..],
        &["search", "--no-update", "boiler"],
        &["get", BOILER],
        &["status"],
        &["index"],
    ] {
        let args = [verb, &["--store", store]].concat();
        other
            .ken(&args)
            .expect_hint("is the index of another vault", "--store");
    }
    assert!(fs::read(&index).unwrap() == before);
    other
        .ken(&["index", "--full", "--store", store])
        .expect_code(0);
    let args = ["search", "--store", store, "--format", "paths", "boiler"];
    assert_eq!(other.ken(&args).expect_code(0).stdout, "a.md\n");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let vault = TestVault::example();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let allow = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let openly = |args: &[&str]| {
        let ken = vault.command(args);
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", "umask 0; exec \"$@\"", "sh"])
            .arg(ken.get_program());
        shell.args(args).current_dir(vault.beside("."));
        for (name, value) in ken.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        finish(shell).expect_code(0)
    };
    openly(&["index"]);
    openly(&["backup", "copy.db"]);
    let (data, index) = (vault.beside("data"), own_index(&vault));
    assert_eq!(mode(&data), 0o700);
    for entry in fs::read_dir(&data).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    assert_eq!(mode(&vault.beside("copy.db")), 0o600);
    // What an older version left.
    allow(&data, 0o755);
    allow(&index, 0o644);
    fs::write(data.join("diary.txt"), "").unwrap();
    allow(&data.join("diary.txt"), 0o644);
    let run = openly(&["search", "boiler"]);
    assert!(run.stderr.contains("was open to others"), "{}", run.stderr);
    assert_eq!((mode(&data), mode(&index)), (0o700, 0o600));
    assert_eq!(mode(&data.join("diary.txt")), 0o644, "it is not ours");
    let run = openly(&["search", "boiler"]);
    assert!(!run.stderr.contains("was open to others"), "{}", run.stderr);
}

/// Asks until there is an answer; an index that is being made again may take a moment.
#[track_caller]
fn check_answer(server: &Server, what: &str) {
    let reply = server.get("/search?q=boiler+service&k=1");
    assert_eq!(reply.status, 200, "{what}: {}", reply.body);
    assert_eq!(reply.json()["hits"][0]["path"], BOILER, "{what}");
    let reply = server.get(&format!("/node/{BOILER}"));
    assert_eq!(reply.status, 200, "{what}: {}", reply.body);
}

#[test]
fn a_file_that_is_cut_or_exchanged_under_a_server_is_noticed() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let index = own_index(&vault);
    check_answer(&server, "whole");
    let whole = fs::read(&index).unwrap();
    let cut = |n_bytes: u64| {
        let file = OpenOptions::new().write(true).open(&index).unwrap();
        file.set_len(n_bytes).unwrap();
    };
    cut(whole.len() as u64 / 2);
    check_answer(&server, "cut");
    cut(0);
    check_answer(&server, "emptied");
    ruin(&index);
    check_answer(&server, "ruined");
    fs::remove_file(&index).unwrap();
    check_answer(&server, "removed");
    fs::write(&index, &whole).unwrap();
    check_answer(&server, "put back");
    let other = vault.beside("other.db");
    fs::write(&other, &whole).unwrap();
    fs::rename(&other, &index).unwrap();
    check_answer(&server, "exchanged");
    let notes = PathBuf::from(format!("{}-shm", index.display()));
    if let Ok(file) = OpenOptions::new().write(true).open(notes) {
        file.set_len(0).unwrap();
    }
    check_answer(&server, "shared notes cut");
    vault.write("new.md", "A boiler service of another kind.\n");
    vault.ken(&["index"]).expect_code(0);
    let found = server.get("/search?q=another+kind&k=1").json();
    assert_eq!(found["hits"][0]["path"], "new.md");
}

#[test]
fn a_log_of_another_index_is_not_applied() {
    let log_of = |index: &std::path::Path| PathBuf::from(format!("{}-wal", index.display()));
    let vault = TestVault::example();
    let index = own_index_of(&vault);
    let older = fs::read(&index).unwrap();
    // As long as somebody reads, the log stays where it is.
    let server = Server::start_command(vault.command(&["serve", "--port", "0", "--no-update"]));
    check_answer(&server, "before");
    vault.write("new.md", "A boiler of another kind, with a samovar.\n");
    vault.ken(&["index"]).expect_code(0);
    let log = fs::read(log_of(&index)).unwrap();
    assert!(log.len() > 4_096, "there is no log to try this with");
    drop(server);
    // That of another vault.
    let other = TestVault::empty();
    other.write("b.md", "About oars.\n");
    let others = own_index_of(&other);
    fs::write(log_of(&others), &log).unwrap();
    let run = other.ken(&["search", "oars"]).expect_code(0);
    assert!(
        run.stderr.contains("the log beside it is not its own"),
        "{}",
        run.stderr
    );
    assert_eq!(other.paths("samovar"), Vec::<String>::new());
    assert_eq!(other.paths("oars"), ["b.md"]);
    // That of the same index, but not of this state of it: a backup was put back.
    vault.ken(&["index"]).expect_code(0);
    vault.write("newer.md", "Another samovar.\n");
    vault.ken(&["index"]).expect_code(0);
    vault.write("newest.md", "A third samovar.\n");
    let server = Server::start_command(vault.command(&["serve", "--port", "0", "--no-update"]));
    check_answer(&server, "again");
    vault.ken(&["index"]).expect_code(0);
    drop(server);
    assert!(log_of(&index).exists());
    fs::write(&index, &older).unwrap();
    let run = vault.ken(&["search", "samovar"]).expect_code(0);
    assert!(
        run.stderr.contains("the log beside it is not its own"),
        "{}",
        run.stderr
    );
    let mut found = vault.paths("samovar");
    found.sort();
    assert_eq!(found, ["new.md", "newer.md", "newest.md"]);
}

/// Makes an index where `ken` puts it by itself.
fn own_index_of(vault: &TestVault) -> PathBuf {
    vault.ken(&["index"]).expect_code(0);
    own_index(vault)
}
