//! What each format gives, and what hostile files cost.

mod samples;

use std::io::{Cursor, Read, Write};

use proptest::prelude::*;
use samples::{all, pdf, zip_of};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

fn read_file(path: &str, bytes: &[u8]) -> Result<Extracted, String> {
    extract(Kind::of(path).unwrap(), path, bytes, &Limits::default())
}

/// Writes parts as text: `[page] #level heading`, then the text.
fn shown(extracted: &Extracted) -> String {
    let mut text = String::new();
    for part in &extracted.parts {
        if let Some(page) = part.page {
            text.push_str(&format!("[{page}] "));
        }
        if let Some((level, heading)) = &part.heading {
            text.push_str(&format!("{} {heading}", "#".repeat(usize::from(*level))));
        }
        text.push_str(&format!("\n{}\n", part.text));
    }
    text.trim().to_owned()
}

#[track_caller]
fn check(path: &str, bytes: &[u8], expected: &str) -> Extracted {
    let extracted = read_file(path, bytes).unwrap();
    assert_eq!(shown(&extracted), expected);
    extracted
}

fn sample(path: &str) -> Vec<u8> {
    all()
        .into_iter()
        .find(|(_, name, _)| *name == path)
        .unwrap()
        .2
}

#[test]
fn kinds_are_told_by_extension() {
    assert_eq!(Kind::of("a/B.PDF"), Some(Kind::Pdf));
    assert_eq!(Kind::of("x.tar.Xlsx"), Some(Kind::Spreadsheet));
    assert_eq!(Kind::of("x.base"), Some(Kind::Yaml));
    assert_eq!(Kind::of("folder.pdf/readme"), None);
    assert_eq!(Kind::of("note.md"), None);
    assert_eq!(Kind::of("note.txt"), None);
}

#[test]
fn pdf_pages_and_facts() {
    let facts = check(
        "a.pdf",
        &sample("a.pdf"),
        "[1] \nHello first page\n[2] \nSecond page here",
    );
    assert_eq!(facts.title.as_deref(), Some("Two pages"));
    assert_eq!(facts.author.as_deref(), Some("Ada"));
    assert_eq!(facts.created.as_deref(), Some("2024-02-03"));
}

#[test]
fn pdf_without_text_says_so() {
    let reason = read_file("a.pdf", &pdf(&["", ""])).unwrap_err();
    assert_eq!(reason, "no text layer: nothing is written on its pages");
}

#[test]
fn docx_structure() {
    let facts = check(
        "a.docx",
        &sample("a.docx"),
        "## Goals\nGrow more[^1]\n\n1. first\n2. second\n\n| Year | Sum |\n| --- | --- |\n| 2024 | (a)/(b) |\n\nBoxed\n\n[^1]: A note.",
    );
    assert_eq!(
        (facts.title.as_deref(), facts.created.as_deref()),
        (Some("Plan"), Some("2024-02-03"))
    );
}

#[test]
fn pptx_slides_in_order_of_showing() {
    check(
        "a.pptx",
        &sample("a.pptx"),
        "[1] # Opening\n- one\n- two\n[2] # Last\n| k | v |\n| --- | --- |\n\nNotes: Say thanks",
    );
}

#[test]
fn xlsx_batches_repeat_the_header() {
    let extracted = read_file("a.xlsx", &sample("a.xlsx")).unwrap();
    let rows: Vec<usize> = extracted
        .parts
        .iter()
        .map(|part| part.text.lines().count())
        .collect();
    assert_eq!(rows, [3 + 20, 3 + 20, 3 + 5]);
    for part in &extracted.parts {
        assert!(
            part.text
                .starts_with("[Sheet: People]\n| name | when |\n| --- | --- |\n")
        );
        assert_eq!((part.page, part.is_structured), (Some(1), true));
    }
    assert!(extracted.parts[0].text.contains("| n2 | 2023-03-15 |"));
}

#[test]
fn ods_sheet_without_its_filler() {
    check(
        "a.ods",
        &sample("a.ods"),
        "[1] ## Data\n[Sheet: Data]\n| k | v |\n| --- | --- |\n| one | 1 |",
    );
}

#[test]
fn csv_rows() {
    check(
        "a.csv",
        &sample("a.csv"),
        "| name | age |\n| --- | --- |\n| Ada | 36 |",
    );
}

#[test]
fn html_structure() {
    let facts = check(
        "a.html",
        &sample("a.html"),
        "# Top\nOne bold link.\nNext\n\n- a\n  1. b\n  2. c\n\n| k | v |\n| --- | --- |\n| x | 1 |\n## Sub\n```\ncode\n  more\n```",
    );
    assert_eq!(
        (facts.title.as_deref(), facts.author.as_deref()),
        (Some("T & U"), Some("Ada"))
    );
}

#[test]
fn html_main_is_preferred_and_layout_tables_are_opened() {
    let page = "<body><div>aside words</div><main><table><tr><td><h2>In</h2><p>the middle of the page</p></td></tr></table></main></body>";
    check("a.html", page.as_bytes(), "## In\nthe middle of the page");
}

#[test]
fn epub_chapters_in_order() {
    let facts = check("a.epub", &sample("a.epub"), "# One\nOnce\n# Two\nTwice");
    assert_eq!(
        (facts.title.as_deref(), facts.created.as_deref()),
        (Some("Tales"), Some("1999-05-06"))
    );
}

#[test]
fn opendocument_text_and_slides() {
    let facts = check(
        "a.odt",
        &sample("a.odt"),
        "## Head\nSome text[^1]\n\n[^1]: Noted.\n\n- item",
    );
    assert_eq!(
        (facts.title.as_deref(), facts.created.as_deref()),
        (Some("T"), Some("2020-01-02"))
    );
    check("a.odp", &sample("a.odp"), "[1] # First\nbody");
}

#[test]
fn rtf_text() {
    let facts = check(
        "a.rtf",
        &sample("a.rtf"),
        "Café – bold\n\nSecond\n\n| k | v |\n| --- | --- |",
    );
    assert_eq!(facts.title.as_deref(), Some("Letter"));
}

#[test]
fn code_items() {
    check(
        "a.rs",
        &sample("a.rs"),
        "use x;\n## fn add()\nfn add() {\n    1\n}",
    );
}

#[test]
fn data_is_flattened() {
    check("a.json", &sample("a.json"), "a.b: 1, 2\na.c[0].d: true");
    check("a.jsonl", &sample("a.jsonl"), "a: 1\n\na: 2");
    check("a.yaml", &sample("a.yaml"), "a.b: 1\nlist: x, y");
    check("a.toml", &sample("a.toml"), "a.b: 1\na.d: 2024-01-02");
    check(
        "a.json",
        b"// settings\n{\"a\": 1}",
        "// settings\n{\"a\": 1}",
    );
}

#[test]
fn email_head_body_and_attachments() {
    let facts = check(
        "a.eml",
        &sample("a.eml"),
        "# Grüße\nFrom: Ada <ada@x.org>\nTo: Bob <bob@x.org>\nDate: 2024-02-03T10:00:00Z\nSubject: Grüße\n\nHello you\n\nAttachment: bill.pdf",
    );
    assert_eq!(
        (facts.author.as_deref(), facts.created.as_deref()),
        (Some("Ada <ada@x.org>"), Some("2024-02-03"))
    );
}

#[test]
fn notebook_subtitles_and_canvas() {
    check(
        "a.ipynb",
        &sample("a.ipynb"),
        "# Title\nWords\n\n```\nprint(1)\n```\n\n1",
    );
    check(
        "a.vtt",
        &sample("a.vtt"),
        "## 00:00:01\nAda: Hello there\nBye",
    );
    check(
        "a.canvas",
        &sample("a.canvas"),
        "# above\n\nbelow\n\n[[Notes/a.md]]\n\n- leads to",
    );
}

#[test]
fn truncated_files_give_text_or_a_reason() {
    for (kind, path, bytes) in all() {
        for end in (0..bytes.len()).step_by(64) {
            if let Err(reason) = extract(kind, path, &bytes[..end], &Limits::default()) {
                assert!(!reason.is_empty(), "{path} cut at {end}");
            }
        }
    }
}

#[test]
fn wrong_extensions_give_a_reason_or_text() {
    for (_, _, bytes) in all() {
        for kind in Kind::all() {
            let _ = extract(kind, "x", &bytes, &Limits::default());
        }
    }
    assert!(
        read_file("a.docx", &pdf(&["x"]))
            .unwrap_err()
            .contains("PDF")
    );
    assert!(
        read_file("a.pdf", b"PK\x03\x04")
            .unwrap_err()
            .contains("no PDF")
    );
    assert!(
        read_file("a.xlsx", b"<html></html>")
            .unwrap_err()
            .contains("no spreadsheet")
    );
}

#[test]
fn zip_bombs_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let zeros = vec![b' '; 1 << 20];
    for name in ["word/document.xml", "xl/workbook.xml", "content.xml"] {
        writer.start_file(name, options).unwrap();
        (0..40).for_each(|_| writer.write_all(&zeros).unwrap());
    }
    let bomb = writer.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 20);
    for path in ["a.docx", "a.xlsx", "a.odt"] {
        assert!(
            read_file(path, &bomb).unwrap_err().contains("bomb"),
            "{path}"
        );
    }
}

#[test]
fn pdf_bombs_are_refused() {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b' '; 1 << 20];
    (0..300).for_each(|_| encoder.write_all(&zeros).unwrap());
    let stream = encoder.finish().unwrap();
    let mut file = b"%PDF-1.4\n1 0 obj<</Filter/FlateDecode>>stream\n".to_vec();
    file.extend(stream);
    file.extend(b"\nendstream endobj");
    assert!(read_file("a.pdf", &file).unwrap_err().contains("bomb"));
}

#[test]
fn pdf_streams_compressed_twice_are_refused() {
    let file = String::from_utf8(pdf(&["Hello"])).unwrap();
    let file = file.replace("<</Length", "<</Filter[/FlateDecode/FlateDecode]/Length");
    assert!(
        read_file("a.pdf", file.as_bytes())
            .unwrap_err()
            .contains("twice")
    );
}

#[test]
fn pdf_fonts_with_billions_of_letters_are_refused() {
    let font = "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/X/W[0 4000000000 500]>>]>>";
    let file = String::from_utf8(pdf(&["Hello"])).unwrap();
    let file = file.replace("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", font);
    assert!(
        read_file("a.pdf", file.as_bytes())
            .unwrap_err()
            .contains("letters")
    );
}

#[test]
fn entities_are_not_expanded() {
    let mut entities = "<!ENTITY a0 \"ha\">".to_owned();
    for level in 1..20 {
        let before = level - 1;
        entities.push_str(&format!(
            "<!ENTITY a{level} \"{}\">",
            format!("&a{before};").repeat(10)
        ));
    }
    let body = format!(
        "<!DOCTYPE x [{entities}]><w:document><w:body><w:p><w:r><w:t>laugh &a19; end</w:t></w:r></w:p></w:body></w:document>"
    );
    check(
        "a.docx",
        &zip_of(&[("word/document.xml", &body)]),
        "laugh   end",
    );
    let aliases = (1..30).fold("a0: &a0 [ha]\n".to_owned(), |yaml, level| {
        let before = level - 1;
        yaml + &format!(
            "a{level}: &a{level} [{}]\n",
            format!("*a{before}, ").repeat(9)
        )
    });
    // Too many aliases to follow: the file is kept as the text it is.
    let yaml = read_file("a.yaml", aliases.as_bytes()).unwrap();
    assert_eq!(
        yaml.parts.iter().map(|part| part.text.len()).sum::<usize>(),
        aliases.trim().len()
    );
}

#[test]
fn deep_nesting_is_survived() {
    let deep =
        |open: &str, close: &str| format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
    assert!(
        read_file("a.json", deep("[", "]").as_bytes())
            .unwrap_err()
            .contains("deep")
    );
    assert!(read_file("a.jsonl", deep("{\"a\":", "}").as_bytes()).is_ok());
    assert!(
        read_file("a.toml", format!("a = {}", deep("[", "]")).as_bytes())
            .unwrap_err()
            .contains("deep")
    );
    assert!(
        read_file("a.yaml", deep("[", "]").as_bytes())
            .unwrap_err()
            .contains("deep")
    );
    let block_yaml: String = (0..2_000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    let _ = read_file("a.yaml", block_yaml.as_bytes());
    let _ = read_file("a.yaml", "- ".repeat(10_000).as_bytes());
    assert!(
        read_file(
            "a.html",
            deep("<div><ul><li>", "</li></ul></div>").as_bytes()
        )
        .is_ok()
    );
    assert!(read_file("a.html", "<a".repeat(500_000).as_bytes()).is_ok());
    let body = deep("<w:p>", "</w:p>");
    assert!(
        read_file("a.docx", &zip_of(&[("word/document.xml", &body)]))
            .unwrap_err()
            .contains("deep")
    );
    assert!(
        read_file(
            "a.rtf",
            format!("{{\\rtf1 {}", "{".repeat(10_000)).as_bytes()
        )
        .is_err()
    );
    let _ = read_file("a.ipynb", deep("[", "]").as_bytes());
    let _ = read_file("a.canvas", deep("[", "]").as_bytes());
}

/// Returns the sample workbook with one text replaced by another in all its files.
fn altered_workbook(changes: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(samples::xlsx(0))).unwrap();
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        let text = changes
            .iter()
            .fold(text, |text, (from, to)| text.replace(from, to));
        files.push((file.name().unwrap().into_owned(), text));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    zip_of(&files)
}

#[test]
fn a_cell_in_the_last_corner_is_one_cell() {
    let book = altered_workbook(&[
        ("r=\"C1\"", "r=\"XFD1048576\""),
        ("<row r=\"1\">", "<row r=\"1048576\">"),
    ]);
    assert!(shown(&read_file("a.xlsx", &book).unwrap()).contains("when"));
}

#[test]
fn promises_of_billions_of_texts_are_refused() {
    let book = altered_workbook(&[(
        "<styleSheet>",
        "<sst uniqueCount=\"4294967295\"/><styleSheet>",
    )]);
    assert!(read_file("a.xlsx", &book).unwrap_err().contains("promises"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_bytes_never_crash(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for kind in Kind::all() {
            let _ = extract(kind, "x", &bytes, &Limits::default());
        }
    }

    #[test]
    fn random_text_never_crashes(text in "[\\[\\]{}<>/\\\\\"'&;:#|,\\-= \\na-z0-9é]{0,400}") {
        for kind in Kind::all() {
            let _ = extract(kind, "x", text.as_bytes(), &Limits::default());
        }
    }

    #[test]
    fn damaged_samples_never_crash(seed in any::<u64>(), n_damages in 1_usize..12) {
        for (kind, path, mut bytes) in all() {
            let mut state = seed | 1;
            for _ in 0..n_damages {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let position = (state >> 33) as usize % bytes.len();
                bytes[position] = (state >> 24) as u8;
            }
            let _ = extract(kind, path, &bytes, &Limits::default());
        }
    }
}
