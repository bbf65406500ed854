//! Pictures are found by what they show, with `tesseract`; what goes wrong with one costs nothing else.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::vault::{Run, TestVault, finish, repository};

fn picture(name: &str) -> Vec<u8> {
    fs::read(repository().join("fixtures/pictures").join(name)).unwrap()
}

/// Whether there is a tesseract that reads English and German; says so loudly if not.
#[expect(clippy::print_stderr, reason = "what is not tested is said")]
fn is_installed() -> bool {
    let output = Command::new("tesseract").arg("--list-langs").output();
    let languages = output.map_or_else(|_| Vec::new(), |output| output.stdout);
    let languages = String::from_utf8_lossy(&languages).into_owned();
    let has = |name: &str| languages.lines().any(|line| line == name);
    let is_installed = has("eng") && has("deu");
    if !is_installed {
        eprintln!(
            "*** PICTURES WERE NOT TESTED: tesseract-ocr and tesseract-ocr-deu are not installed"
        );
    }
    is_installed
}

/// Runs `ken` on the vault with pictures read.
fn ken(vault: &TestVault, arguments: &[&str]) -> Run {
    let mut command = vault.command(arguments);
    command.env_remove("KEN_PICTURES");
    finish(command)
}

/// The hits of a search as JSON.
fn hits(vault: &TestVault, query: &str) -> Vec<serde_json::Value> {
    let run = ken(vault, &["search", "--json", query]);
    run.json()["hits"].as_array().unwrap().clone()
}

/// A vault with a note that shows an invoice, and a letter that no note shows.
fn office() -> TestVault {
    let vault = TestVault::empty();
    vault.write(
        "Boiler.md",
        "---\ntags: [house]\n---\n# Boiler\n\nIt hums in the cellar.\n\n## Bills\n\n![[Invoice.png]]\n\nPaid by bank transfer.\n",
    );
    vault.write(
        "Wohnung.md",
        "# Wohnung\n\nDie Miete wird am ersten Werktag des Monats überwiesen, und zwar von dem Konto, das wir gemeinsam haben.\n",
    );
    let attachments = vault.root().join("Attachments");
    fs::create_dir(&attachments).unwrap();
    fs::write(attachments.join("Invoice.png"), picture("invoice.png")).unwrap();
    fs::write(vault.root().join("Brief.png"), picture("brief.png")).unwrap();
    vault
}

#[test]
fn what_a_picture_shows_is_found_and_belongs_to_the_note_that_shows_it() {
    if !is_installed() {
        return;
    }
    let vault = office();
    ken(&vault, &["index"]).expect_code(0);
    let found = hits(&vault, "who replaced the pressure valve tag:house");
    assert_eq!(found[0]["path"], "Boiler.md");
    assert_eq!(found[0]["picture"], "Attachments/Invoice.png");
    assert_eq!(
        (&found[0]["start_line"], &found[0]["section"]),
        (&10.into(), &"Bills".into())
    );
    let found = hits(&vault, "Kündigungsfrist Quartalsende");
    assert_eq!(
        (&found[0]["path"], &found[0]["picture"]),
        (&"Brief.png".into(), &"Brief.png".into())
    );
    assert!(found[0]["text"].as_str().unwrap().contains("Hölderlin"));
    let told = ken(&vault, &["search", "pressure valve"]).stdout;
    assert!(
        told.contains("read from the picture Attachments/Invoice.png"),
        "{told}"
    );
    // Whoever answers with it says so, too.
    let asked = ken(
        &vault,
        &["ask", "--json", "who replaced the pressure valve"],
    )
    .json();
    let quoted = asked["sentences"].as_array().unwrap();
    let is_shown = |sentence: &serde_json::Value| sentence["picture"] == "Attachments/Invoice.png";
    assert!(quoted.iter().any(is_shown), "{asked}");
    let context = ken(&vault, &["context", "who replaced the pressure valve"]).stdout;
    assert!(
        context.contains("read from the picture Attachments/Invoice.png"),
        "{context}"
    );
    // The note itself is shown as it stands in its file.
    let note = ken(&vault, &["get", "Boiler.md"]).stdout;
    assert!(
        note.contains("![[Invoice.png]]") && !note.contains("Sycamore"),
        "{note}"
    );
    let everything = fs::read_dir(vault.beside("data")).unwrap().count();
    assert!(everything > 0);
    for hit in hits(&vault, "Sycamore Plumbing password") {
        assert!(!hit.to_string().contains("Kettle"), "{hit}");
    }
    let doctor = ken(&vault, &["doctor"]).stdout;
    assert!(doctor.contains("read by tesseract"), "{doctor}");
}

#[test]
fn a_picture_that_moved_is_not_read_again_and_one_that_went_is_not_found() {
    if !is_installed() {
        return;
    }
    let vault = office();
    ken(&vault, &["index"]).expect_code(0);
    // Whoever reads from now on fails.
    program(&vault, "exit 1", "");
    fs::rename(
        vault.root().join("Brief.png"),
        vault.root().join("Attachments/Letter.png"),
    )
    .unwrap();
    ken(&vault, &["index", "--full"]).expect_code(0);
    let found = hits(&vault, "Kündigungsfrist Quartalsende");
    assert_eq!(found[0]["path"], "Attachments/Letter.png");
    assert_eq!(hits(&vault, "pressure valve")[0]["path"], "Boiler.md");
    fs::remove_file(vault.root().join("Attachments/Invoice.png")).unwrap();
    ken(&vault, &["index"]).expect_code(0);
    let left = hits(&vault, "pressure valve");
    assert!(left.iter().all(|hit| hit["picture"].is_null()), "{left:?}");
}

#[test]
fn a_scanned_page_is_found_with_its_number() {
    if !is_installed() {
        return;
    }
    let vault = TestVault::empty();
    let scan = scanned(&[&picture("brief.png"), &picture("invoice.png")]);
    fs::write(vault.root().join("Scan.pdf"), scan).unwrap();
    let without = vault.ken(&["index"]).expect_code(0);
    assert!(
        without
            .stderr
            .contains("the 2 pages of the PDF are pictures"),
        "{}",
        without.stderr
    );
    ken(&vault, &["index", "--full"]).expect_code(0);
    let found = hits(&vault, "boiler pressure valve");
    assert_eq!(found[0]["path"], "Scan.pdf");
    assert_eq!(
        (&found[0]["page"], &found[0]["picture"]),
        (&2.into(), &"Scan.pdf".into())
    );
}

/// Nobody who asks waits for pictures: notes are found at once, and pictures when there was time.
#[test]
fn a_search_does_not_wait_for_pictures() {
    let vault = office();
    program(&vault, "exec sleep 30", "");
    let started = Instant::now();
    let answer = ken(&vault, &["search", "--json", "cellar"]).json();
    assert!(started.elapsed() < Duration::from_secs(25));
    assert_eq!(answer["hits"][0]["path"], "Boiler.md");
    let notices = answer["notices"].to_string();
    assert!(
        notices.contains("3 files have pictures that are not read yet"),
        "{notices}"
    );
}

/// Crashes, hangs, floods and bombs: each takes its own process with it.
#[test]
fn a_hostile_picture_takes_only_its_reader_with_it() {
    for (deed, word) in [
        ("kill -SEGV $$", "could not be read"),
        ("exec sleep 30", "took too long"),
        ("exec yes", "took too long"),
        ("x=a; while :; do x=$x$x; done", "could not be read"),
    ] {
        let vault = office();
        fs::remove_file(vault.root().join("Brief.png")).unwrap();
        program(&vault, deed, "deadline_s = 3\nmemory_mb = 128\n");
        let run = ken(&vault, &["index"]).expect_code(0);
        assert!(run.stderr.contains(word), "{deed}: {}", run.stderr);
        assert_eq!(hits(&vault, "cellar")[0]["path"], "Boiler.md");
    }
}

/// Bytes that are no picture are told by the real program, and cost nothing else.
#[test]
fn what_is_no_picture_is_found_by_its_name() {
    if !is_installed() {
        return;
    }
    let vault = office();
    let mut cut = picture("brief.png");
    cut.truncate(900);
    fs::write(vault.root().join("Brief.png"), cut).unwrap();
    fs::write(vault.root().join("nothing.jpg"), "no picture at all").unwrap();
    let run = ken(&vault, &["index"]).expect_code(0);
    assert!(run.stderr.contains("nothing.jpg"), "{}", run.stderr);
    assert_eq!(hits(&vault, "pressure valve")[0]["path"], "Boiler.md");
}

/// Has pictures read by a shell script that does this.
fn program(vault: &TestVault, deed: &str, settings: &str) -> PathBuf {
    let file = vault.beside("reader.sh");
    fs::write(
        &file,
        format!("#!/bin/sh\ncase $1 in --*) exit 0;; esac\n{deed}\n"),
    )
    .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
    let settings = format!(
        "[pictures]\nprogram = \"{}\"\nlanguages = [\"deu\"]\n{settings}",
        file.display()
    );
    fs::write(vault.beside("config.toml"), settings).unwrap();
    file
}

/// A PDF whose pages are these pictures, one bit deep and packed as PNG packs them, and nothing else.
fn scanned(pictures: &[&[u8]]) -> Vec<u8> {
    let mut objects = vec![b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(), Vec::new()];
    let mut pages = String::new();
    for png in pictures {
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        let (width, height) = (number(16), number(20));
        let at = objects.len() + 1;
        pages += &format!("{at} 0 R ");
        let (wide, high) = (width / 3, height / 3);
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide} {high}] /Contents {} 0 R /Resources << /XObject << /P {} 0 R >> >> >>", at + 1, at + 2).into_bytes());
        objects.push(stream(
            "",
            format!("{wide} 0 0 {high} 0 0 cm /P Do").as_bytes(),
        ));
        let shape = format!(
            "/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns {width} /BitsPerComponent 1 /Colors 1 >>"
        );
        objects.push(stream(&shape, &packed(png)));
    }
    objects[1] = format!(
        "<< /Type /Pages /Kids [{pages}] /Count {} >>",
        pictures.len()
    )
    .into_bytes();
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (n, object) in objects.iter().enumerate() {
        places.push(pdf.len());
        pdf.extend(format!("{} 0 obj\n", n + 1).bytes());
        pdf.extend(object);
        pdf.extend(b"\nendobj\n");
    }
    let start = pdf.len();
    pdf.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        pdf.extend(format!("{place:010} 00000 n \n").bytes());
    }
    pdf.extend(
        format!(
            "trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        )
        .bytes(),
    );
    pdf
}

fn stream(facts: &str, data: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {facts} /Length {} >>\nstream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream");
    object
}

/// The packed lines of a PNG.
fn packed(png: &[u8]) -> Vec<u8> {
    let (mut data, mut rest) = (Vec::new(), &png[8..]);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        if after.starts_with(b"IDAT") {
            data.extend(&after[4..4 + length]);
        }
        rest = &after[4 + length + 4..];
    }
    data
}
