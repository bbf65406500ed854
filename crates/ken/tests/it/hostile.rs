//! Files that attack their reader: each costs a child process, and nothing else.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::vault::TestVault;

/// How long a test waits for something that should happen at once.
const PATIENCE: Duration = Duration::from_secs(20);

fn write_archive(file: &Path, parts: &[(&str, &str)]) {
    let mut zip = ZipWriter::new(File::create(file).unwrap());
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
}

fn relations(kind_and_target: &[(&str, &str)]) -> String {
    let relation = |(n, (kind, target)): (usize, &(&str, &str))| {
        let kind =
            format!("http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}");
        format!("<Relationship Id=\"r{n}\" Type=\"{kind}\" Target=\"{target}\"/>")
    };
    let list: String = kind_and_target.iter().enumerate().map(relation).collect();
    format!("<Relationships>{list}</Relationships>")
}

/// A workbook of a kilobyte that promises eighty million texts. Its reader makes room for them, and
/// the number stands too far from its name for the check that comes before the reader.
fn write_memory_bomb(file: &Path) {
    let far = " ".repeat(100);
    let texts = format!("<sst uniqueCount{far}=\"80000000\"><si><t>a</t></si></sst>");
    let parts: [(&str, &str); 4] = [
        (
            "_rels/.rels",
            &relations(&[("officeDocument", "xl/workbook.xml")]),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &relations(&[("sharedStrings", "sharedStrings.xml")]),
        ),
        ("xl/workbook.xml", "<workbook><sheets/></workbook>"),
        ("xl/sharedStrings.xml", &texts),
    ];
    write_archive(file, &parts);
}

/// A Word file with one sentence that is found after a long while only.
fn write_slow_file(vault: &TestVault) {
    let sentence = "<body><p><t>The chimney was swept in winter.</t></p></body>";
    let text = format!("<w>{}{sentence}</w>", "<a b=''/>".repeat(1_000_000));
    let file = vault.root().join("slow.docx");
    write_archive(&file, &[("word/document.xml", &text)]);
}

fn write_good_page(vault: &TestVault, name: &str) {
    vault.write(
        name,
        "<h1>Boiler</h1><p>The boiler was flushed in spring.</p>",
    );
}

/// Waits until `found` returns something.
#[track_caller]
fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the children of a process that run `ken`.
fn children(parent: u32) -> Vec<u32> {
    let run = Command::new("ps")
        .args(["-A", "-o", "pid=,ppid=,args="])
        .output()
        .unwrap();
    let list = String::from_utf8_lossy(&run.stdout).into_owned();
    list.lines()
        .filter(|line| line.contains("__read"))
        .filter_map(|line| {
            let mut fields = line.split_whitespace().map(str::parse::<u32>);
            let (child, of) = (fields.next()?.ok()?, fields.next()?.ok()?);
            (of == parent).then_some(child)
        })
        .collect()
}

fn is_running(process: u32) -> bool {
    let run = Command::new("ps")
        .args(["-o", "stat=", "-p", &process.to_string()])
        .output()
        .unwrap();
    let state = String::from_utf8_lossy(&run.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn kill(process: u32) {
    let status = Command::new("kill")
        .args(["-9", &process.to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

fn start_index(vault: &TestVault) -> Child {
    let mut command = vault.command(&["index", "--json"]);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_file_that_fills_the_memory_is_reported_and_the_others_are_indexed() {
    let vault = TestVault::empty();
    let bomb = vault.root().join("bomb.xlsx");
    write_memory_bomb(&bomb);
    let n_bytes = fs::metadata(&bomb).unwrap().len();
    assert!(n_bytes < 2_000, "{n_bytes}");
    write_good_page(&vault, "a.html");
    write_good_page(&vault, "z.html");
    vault.write("Note.md", "# Note\n\nThe gutter was cleaned in autumn.\n");
    let run = vault.ken(&["index", "--json"]).expect_code(0);
    assert_eq!(run.stderr, "");
    let report = run.json();
    assert_eq!(report["added"], 4);
    let warnings = report["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{report}");
    assert_eq!(warnings[0]["path"], "bomb.xlsx");
    let message = warnings[0]["message"].as_str().unwrap();
    assert!(message.contains("more than 1 GB of memory"), "{message}");
    assert_eq!(vault.paths("boiler flushed")[..2], ["a.html", "z.html"]);
}

#[test]
fn a_file_whose_reader_was_killed_is_skipped_and_read_next_time() {
    let vault = TestVault::empty();
    write_slow_file(&vault);
    vault.write("Note.md", "# Note\n\nThe gutter was cleaned in autumn.\n");
    let mut ken = start_index(&vault);
    let child = wait_for("a child is started", || children(ken.id()).pop());
    kill(child);
    let mut report = String::new();
    ken.stdout
        .take()
        .unwrap()
        .read_to_string(&mut report)
        .unwrap();
    assert!(ken.wait().unwrap().success());
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["added"], 1, "{report}");
    assert_eq!(report["skipped"][0]["path"], "slow.docx");
    let reason = report["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("ended from outside (signal 9)"), "{reason}");
    let report = vault.ken(&["index", "--json"]).expect_code(0).json();
    assert_eq!(
        (&report["added"], &report["unchanged"]),
        (&1.into(), &1.into())
    );
    assert_eq!(vault.paths("chimney swept")[0], "slow.docx");
}

#[test]
fn no_child_outlives_the_one_it_reads_for() {
    let vault = TestVault::empty();
    write_slow_file(&vault);
    let mut ken = start_index(&vault);
    let child = wait_for("a child is started", || children(ken.id()).pop());
    assert!(is_running(child));
    ken.kill().unwrap();
    ken.wait().unwrap();
    wait_for("the child ends", || (!is_running(child)).then_some(()));
}

#[test]
fn a_child_that_is_typed_by_hand_ends_with_its_input() {
    let vault = TestVault::empty();
    let run = vault.bare_ken(&["__read"]).expect_code(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let help = vault.bare_ken(&["--help"]).expect_code(0);
    assert!(!help.stdout.contains("__read"));
}
