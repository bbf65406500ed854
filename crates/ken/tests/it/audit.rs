//! `ken audit`: the place of a credential, never the credential.

use std::fs::File;
use std::io::Write;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

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
    assert_eq!(run.stderr, "1 credential in the notes\n");
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
fn every_domain_is_looked_at() {
    let vault = TestVault::empty();
    vault.write(
        "_domains.yaml",
        "home:\n  legacy: true\nwork:\n  include: [Work/]\n",
    );
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    vault.write("Garden.md", "# Garden\n\nNothing to hide here.\n");
    vault.write("Work/Keys.md", &format!("# Keys\n\nIt is {secret}.\n"));
    let run = vault.ken(&["audit", "--check"]).expect_code(1);
    assert!(
        run.stdout.starts_with("[work] Work/Keys.md:3: "),
        "{}",
        run.stdout
    );
    let one = vault.ken(&["audit", "--check", "--domain", "home"]);
    assert_eq!(one.expect_code(0).stdout, "");
    let json = vault.ken(&["audit", "--format", "json"]).json();
    assert_eq!(json[0]["domain"], "work");
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

#[test]
fn files_that_are_not_text_are_read_first() {
    let vault = TestVault::empty();
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let paragraphs = ["Keys of the house.", &secret]
        .map(|text| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"))
        .concat();
    let text = format!("<w:document><w:body>{paragraphs}</w:body></w:document>");
    let mut zip = ZipWriter::new(File::create(vault.root().join("Keys.docx")).unwrap());
    zip.start_file("word/document.xml", SimpleFileOptions::default())
        .unwrap();
    zip.write_all(text.as_bytes()).unwrap();
    zip.finish().unwrap();
    // Base64 hides a credential from whoever looks at the lines of the file only.
    let hidden = base64(format!("The token is {secret} for now.\n").as_bytes());
    let head = "From: a@example.org\nContent-Type: text/plain\nContent-Transfer-Encoding: base64";
    vault.write("mail.eml", &format!("{head}\n\n{hidden}\n"));
    vault.write("Keys.py", &format!("# Keys\n\n\ntoken = '{secret}'\n"));
    vault.write("broken.pdf", "no PDF at all");
    let run = vault.ken(&["audit"]).expect_code(0);
    let places: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.rsplit_once(": "))
        .map(|(place, _)| place)
        .collect();
    assert_eq!(places[..2], ["Keys.docx:3", "Keys.py:4"], "{}", run.stdout);
    assert!(places[2].starts_with("mail.eml:"), "{}", run.stdout);
    assert_eq!(
        run.stderr,
        "3 credentials in the notes\n1 file could not be read\n"
    );
    assert!(!run.stdout.contains(&secret));
}

#[test]
fn a_column_of_passwords_in_a_sheet_is_masked() {
    let vault = TestVault::empty();
    let secret = ["kL9", "mm2z", "Qa"].join("#");
    let rows = [
        ["site", "Kennwort"],
        ["router", &secret],
        ["shop", "sunflower"],
    ];
    let cell = |text: &&str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let row = |row: &[&str; 2]| format!("<row>{}</row>", row.iter().map(cell).collect::<String>());
    let rows: String = rows.iter().map(row).collect();
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let leads = |what: &str, target: &str| {
        format!(
            "<Relationships><Relationship Id=\"r1\" Type=\"{kind}/{what}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let mut zip = ZipWriter::new(File::create(vault.root().join("Logins.xlsx")).unwrap());
    for (name, text) in [
        ("_rels/.rels", leads("officeDocument", "xl/workbook.xml")),
        (
            "xl/_rels/workbook.xml.rels",
            leads("worksheet", "worksheets/sheet1.xml"),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns:r=\"{kind}\"><sheets><sheet name=\"Logins\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let run = vault.ken(&["audit"]).expect_code(0);
    assert!(run.stdout.contains("Logins.xlsx:"), "{}", run.stdout);
    vault.ken(&["index"]).expect_code(0);
    let got = vault.ken(&["get", "Logins.xlsx"]).expect_code(0);
    assert!(got.stdout.contains("router"), "{}", got.stdout);
    assert!(!got.stdout.contains(&secret), "{}", got.stdout);
}

#[test]
fn a_credential_in_a_name_stays_in_the_vault() {
    let vault = TestVault::empty();
    let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let own = format!("{secret}.md");
    vault.write(
        &own,
        "# Orchard\n\nThe pear tree by the gate gave forty kilos.\n",
    );
    vault.write(
        &format!("Keys {secret}/Plan.md"),
        "# Plan\n\nGraft the quince in March, see ![[harvest.png]].\n",
    );
    vault.write(&format!("of {secret}.png"), "no picture at all");
    let shown = "[REDACTED:github-token].md";
    let mut outputs = Vec::new();
    let mut run = |args: &[&str], expected: &str| {
        let run = vault.ken(args).expect_code(0);
        assert!(run.stdout.contains(expected), "{args:?}: {}", run.stdout);
        outputs.push(run.stdout);
        outputs.push(run.stderr);
    };
    run(&["index"], "");
    run(&["search", "pear tree"], shown);
    run(
        &["search", "quince in March"],
        "Keys [REDACTED:github-token]/Plan.md",
    );
    run(&["get", shown], "forty kilos");
    run(&["get", &own], "forty kilos");
    // The masked path leads to the file, so that a change of it is noticed.
    vault.write(&own, "# Orchard\n\nThe medlar by the wall gave nothing.\n");
    run(&["search", "medlar wall"], shown);
    run(
        &["audit"],
        "[REDACTED:github-token].md: github-token in its name\n",
    );
    run(
        &["audit"],
        "of [REDACTED:github-token].png: github-token in its name\n",
    );
    run(&["audit", "--format", "json"], "\"line\"");
    for output in outputs {
        assert!(!output.contains(&secret), "{output}");
    }
    let mut files = vec![vault.beside("data")];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                std::fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let holds = bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!holds, "{}", path.display());
    }
}

#[test]
fn a_column_of_passwords_is_masked_in_a_file_of_its_own() {
    let vault = TestVault::empty();
    let secret = ["kL9", "mm2z"].join("#");
    vault.write(
        "logins.csv",
        &format!("site,user,password\nshop,jo,{secret}\n"),
    );
    let run = vault.ken(&["audit"]).expect_code(0);
    assert_eq!(run.stdout, "logins.csv:2: password\n");
    vault.ken(&["index"]).expect_code(0);
    let run = vault.ken(&["get", "logins.csv"]).expect_code(0);
    assert!(run.stdout.contains("[REDACTED:password]"), "{}", run.stdout);
    assert!(!run.stdout.contains(&secret), "{}", run.stdout);
}

#[test]
fn of_two_names_that_differ_in_their_credential_one_is_told() {
    let vault = TestVault::empty();
    for digit in ["1", "2"] {
        let secret = ["ghp_", digit, "6C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
        vault.write(&format!("{secret}.md"), "# Key\n\nOne of two.\n");
    }
    let run = vault.ken(&["index"]).expect_code(0);
    let reason = "its name holds a credential, and without it another file has the same name";
    assert!(run.stderr.contains(reason), "{}", run.stderr);
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n)) as usize & 63];
            text.push(if n > chunk.len() {
                '='
            } else {
                char::from(letter)
            });
        }
    }
    text
}
