//! The smallest files of each format that say something, made in code.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::extract::Kind;

/// One sample of every kind that is not plain text, and some that are.
pub(super) fn all() -> Vec<(Kind, &'static str, Vec<u8>)> {
    vec![
        (
            Kind::Pdf,
            "a.pdf",
            pdf(&["Hello first page", "Second page here"]),
        ),
        (Kind::Docx, "a.docx", docx()),
        (Kind::Pptx, "a.pptx", pptx()),
        (Kind::Spreadsheet, "a.xlsx", xlsx(45)),
        (Kind::Spreadsheet, "a.ods", ods()),
        (Kind::Delimited, "a.csv", b"name,age\nAda,36\n".to_vec()),
        (Kind::Html, "a.html", HTML.as_bytes().to_vec()),
        (Kind::Epub, "a.epub", epub()),
        (Kind::OpenDocument, "a.odt", odt()),
        (Kind::OpenDocument, "a.odp", odp()),
        (Kind::Rtf, "a.rtf", RTF.as_bytes().to_vec()),
        (Kind::Plain, "a.log", b"started\nstopped\n".to_vec()),
        (
            Kind::Code,
            "a.rs",
            b"use x;\n\nfn add() {\n    1\n}\n".to_vec(),
        ),
        (
            Kind::Json,
            "a.json",
            br#"{"a":{"b":[1,2],"c":[{"d":true}]}}"#.to_vec(),
        ),
        (
            Kind::JsonLines,
            "a.jsonl",
            b"{\"a\":1}\n{\"a\":2}\n".to_vec(),
        ),
        (Kind::Yaml, "a.yaml", b"a:\n  b: 1\nlist: [x, y]\n".to_vec()),
        (
            Kind::Toml,
            "a.toml",
            b"[a]\nb = 1\nd = 2024-01-02\n".to_vec(),
        ),
        (Kind::Email, "a.eml", EMAIL.as_bytes().to_vec()),
        (Kind::Notebook, "a.ipynb", NOTEBOOK.as_bytes().to_vec()),
        (Kind::Subtitles, "a.vtt", VTT.as_bytes().to_vec()),
        (Kind::Canvas, "a.canvas", CANVAS.as_bytes().to_vec()),
    ]
}

/// Makes a zip archive.
pub(super) fn zip_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Makes a PDF with one line of text a page.
pub(super) fn pdf(pages: &[&str]) -> Vec<u8> {
    let n_pages = pages.len();
    let kids: Vec<String> = (0..n_pages)
        .map(|page| format!("{} 0 R", 4 + 2 * page))
        .collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {n_pages}/Kids[{}]>>", kids.join(" ")),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    for (position, text) in pages.iter().enumerate() {
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F 3 0 R>>>>/Contents {} 0 R>>",
            5 + 2 * position
        ));
        let stream = match text.is_empty() {
            true => "0 0 10 10 re f".to_owned(),
            false => format!("BT /F 12 Tf 20 200 Td ({text}) Tj ET"),
        };
        objects.push(format!(
            "<</Length {}>>stream\n{stream}\nendstream",
            stream.len()
        ));
    }
    objects.push("<</Title(Two pages)/Author(Ada)/CreationDate(D:20240203100000Z)>>".to_owned());
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = String::new();
    for (position, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", position + 1));
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n{table}"));
    file.push_str(&format!(
        "trailer<</Size {size}/Root 1 0 R/Info {} 0 R>>\nstartxref\n{start}\n%%EOF\n",
        size - 1
    ));
    file.into_bytes()
}

/// Relationships of an Office part: id, last word of the kind, target.
pub(super) fn relations(links: &[(&str, &str, &str)]) -> String {
    let links: String = links
        .iter()
        .map(|(id, kind, target)| format!(r#"<Relationship Id="{id}" Type="http://x/relationships/{kind}" Target="{target}"/>"#))
        .collect();
    format!("<Relationships>{links}</Relationships>")
}

pub(super) fn docx() -> Vec<u8> {
    let links = relations(&[
        ("a", "styles", "styles.xml"),
        ("b", "footnotes", "footnotes.xml"),
        ("c", "numbering", "numbering.xml"),
    ]);
    zip_of(&[
        (
            "_rels/.rels",
            &relations(&[("a", "officeDocument", "word/document.xml")]),
        ),
        ("word/_rels/document.xml.rels", &links),
        ("word/document.xml", DOCX_BODY),
        (
            "word/styles.xml",
            r#"<w:styles><w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Mine"><w:name w:val="x"/><w:basedOn w:val="H2"/></w:style></w:styles>"#,
        ),
        (
            "word/footnotes.xml",
            r#"<w:footnotes><w:footnote w:id="1"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#,
        ),
        (
            "word/numbering.xml",
            r#"<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"#,
        ),
        (
            "docProps/core.xml",
            "<p><dc:title>Plan</dc:title><dc:creator>Ada</dc:creator><dcterms:created>2024-02-03T10:00:00Z</dcterms:created></p>",
        ),
    ])
}

const DOCX_BODY: &str = r#"<w:document><w:body>
<w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr><w:r><w:t>Goals</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">Grow </w:t></w:r><w:del><w:r><w:delText>less</w:delText></w:r></w:del><w:ins><w:r><w:t>more</w:t></w:r></w:ins><w:r><w:footnoteReference w:id="1"/></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>first</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>second</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Year</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Sum</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>2024</w:t></w:r></w:p></w:tc><w:tc><w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p></w:tc></w:tr></w:tbl>
<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>
</w:body></w:document>"#;

pub(super) fn pptx() -> Vec<u8> {
    let shape = |kind: &str, text: &str| {
        let paragraphs: String = text
            .split('/')
            .map(|line| format!("<a:p><a:r><a:t>{line}</a:t></a:r></a:p>"))
            .collect();
        format!(
            r#"<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"#
        )
    };
    let slide =
        |shapes: &str| format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>");
    let cell = |text: &str| {
        format!("<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>")
    };
    let table = format!(
        "<p:graphicFrame><a:tbl><a:tr>{}{}</a:tr></a:tbl></p:graphicFrame>",
        cell("k"),
        cell("v")
    );
    zip_of(&[
        (
            "ppt/presentation.xml",
            r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>"#,
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            &relations(&[
                ("r1", "slide", "slides/slide1.xml"),
                ("r2", "slide", "slides/slide2.xml"),
            ]),
        ),
        (
            "ppt/slides/slide1.xml",
            &slide(&(shape("title", "Last") + &table)),
        ),
        (
            "ppt/slides/slide2.xml",
            &slide(
                &(shape("body", "one/two") + &shape("ctrTitle", "Opening") + &shape("sldNum", "7")),
            ),
        ),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            &relations(&[("n", "notesSlide", "../notesSlides/n1.xml")]),
        ),
        (
            "ppt/notesSlides/n1.xml",
            &slide(&shape("body", "Say thanks")),
        ),
    ])
}

/// Makes a workbook with a header and `n_rows` rows.
pub(super) fn xlsx(n_rows: usize) -> Vec<u8> {
    let text =
        |at: &str, text: &str| format!(r#"<c r="{at}" t="inlineStr"><is><t>{text}</t></is></c>"#);
    let mut rows = format!(
        r#"<row r="1">{}{}</row>"#,
        text("A1", "name"),
        text("C1", "when")
    );
    for row in 2..n_rows + 2 {
        rows.push_str(&format!(
            r#"<row r="{row}">{}<c r="C{row}" s="1"><v>45000</v></c></row>"#,
            text(&format!("A{row}"), &format!("n{row}"))
        ));
    }
    zip_of(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "_rels/.rels",
            &relations(&[("a", "officeDocument", "xl/workbook.xml")]),
        ),
        (
            "xl/workbook.xml",
            r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="People" sheetId="1" r:id="r1"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
        ),
        (
            "xl/styles.xml",
            r#"<styleSheet><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#,
        ),
        (
            "xl/worksheets/sheet1.xml",
            &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ])
}

fn ods() -> Vec<u8> {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let filler = r#"<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>"#;
    let rows = format!(
        "<table:table-row>{}{}</table:table-row><table:table-row>{}{}</table:table-row>{filler}",
        cell("k"),
        cell("v"),
        cell("one"),
        cell("1")
    );
    zip_of(&[(
        "content.xml",
        &format!(
            r#"<office:document-content><office:body><office:spreadsheet><table:table table:name="Data">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"#
        ),
    )])
}

fn odt() -> Vec<u8> {
    zip_of(&[
        (
            "content.xml",
            r#"<office:document-content><office:body><office:text><text:h text:outline-level="2">Head</text:h><text:p>Some<text:s/>text<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Noted.</text:p></text:note-body></text:note></text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list></office:text></office:body></office:document-content>"#,
        ),
        (
            "meta.xml",
            "<office:document-meta><dc:title>T</dc:title><meta:creation-date>2020-01-02T03:04:05</meta:creation-date></office:document-meta>",
        ),
    ])
}

fn odp() -> Vec<u8> {
    zip_of(&[(
        "content.xml",
        r#"<office:document-content><office:body><office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>First</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>body</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body></office:document-content>"#,
    )])
}

pub(super) fn epub() -> Vec<u8> {
    zip_of(&[
        (
            "META-INF/container.xml",
            r#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#,
        ),
        (
            "OEBPS/book.opf",
            r#"<package><metadata><dc:title>Tales</dc:title><dc:creator>Ada</dc:creator><dc:date>1999-05-06</dc:date></metadata><manifest><item id="b" href="b.xhtml"/><item id="a" href="a%20a.xhtml"/><item id="t" href="toc.xhtml" properties="nav"/></manifest><spine><itemref idref="t"/><itemref idref="a"/><itemref idref="b"/></spine></package>"#,
        ),
        (
            "OEBPS/a a.xhtml",
            "<html><body><h1>One</h1><p>Once</p></body></html>",
        ),
        (
            "OEBPS/b.xhtml",
            "<html><body><h1>Two</h1><p>Twice</p></body></html>",
        ),
        (
            "OEBPS/toc.xhtml",
            "<html><body><h1>Contents</h1></body></html>",
        ),
    ])
}

pub(super) const HTML: &str = r#"<!doctype html><html><head><title>T &amp; U</title><meta name="author" content="Ada">
<style>p{}</style></head><body><nav><a href="/">Home</a></nav><h1>Top</h1><p>One <b>bold</b>
<a href="x">link</a>.<br>Next</p><ul><li>a<ol><li>b</li><li>c</li></ol></li></ul>
<table><tr><th>k</th><th>v</th></tr><tr><td>x</td><td>1</td></tr></table><h2>Sub</h2><pre>code
  more</pre><script>var x = "<p>no</p>";</script></body></html>"#;

pub(super) const RTF: &str = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title Letter}}{\*\generator X;}
Caf\'e9 \u8211? {\b bold}\par Second\par \trowd\pard\intbl k\cell v\cell\row\pard\par}";

pub(super) const EMAIL: &str = "From: Ada <ada@x.org>\r\nTo: Bob <bob@x.org>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nDate: Sat, 3 Feb 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Hello <b>you</b></p>\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=bill.pdf\r\n\r\nx\r\n--b--\r\n";

pub(super) const NOTEBOOK: &str = r##"{"cells":[{"cell_type":"markdown","source":["# Title\n","Words"]},{"cell_type":"code","source":"print(1)","outputs":[{"output_type":"stream","text":["1\n"]}]}]}"##;

pub(super) const VTT: &str = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ada>Hello <i>there</i>\n\n2\n00:00:03.000 --> 00:00:04.000\nBye\n";

pub(super) const CANVAS: &str = r##"{"nodes":[{"type":"text","text":"below","y":9,"x":0},{"type":"text","text":"# above","y":1,"x":0},{"type":"file","file":"Notes/a.md","y":20,"x":0}],"edges":[{"label":"leads to"}]}"##;
