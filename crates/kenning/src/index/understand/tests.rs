//! Files become notes whose lines are the file's, and whose secrets are masked however they are written.

use proptest::prelude::*;

use super::*;
use crate::chunk::{self, Profile};
use crate::extract::InProcess;

fn check(path: &str, file: &str) -> (String, String, Vec<u32>) {
    let understood = understand(path, file.into(), &InProcess::default()).unwrap();
    let lines = understood.masked.iter().map(|finding| finding.line);
    let own = understood.note.own.unwrap_or_default();
    (understood.note.text, own, lines.collect())
}

#[test]
fn what_shows_only_once_a_file_is_read_is_hidden_in_the_file_too() {
    let key = format!("{}_{}", "ghp", "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8");
    let page = format!(
        "<p>Hello.</p>\n<p>key {}<b>{}</b></p>\n<p>End.</p>\n",
        &key[..9],
        &key[9..]
    );
    let (text, own, lines) = check("page.html", &page);
    assert!(
        text.contains("[REDACTED:") && !own.contains(&key[9..]),
        "{own}"
    );
    assert_eq!((own.lines().count(), lines), (3, vec![2]));
    let (text, own, lines) = check(
        "plain.html",
        &format!("<p>Hello.</p>\n<p>key {key} end</p>\n"),
    );
    assert!(
        text.contains("[REDACTED:") && own.contains("<p>key [REDACTED:"),
        "{own}"
    );
    assert_eq!(lines, [2]);
}

/// Every format that has lines, by an extension of it.
const EXTENSIONS: [&str; 25] = [
    "md",
    "txt",
    "org",
    "rst",
    "rs",
    "py",
    "c",
    "sh",
    "log",
    "tex",
    "ini",
    "json",
    "jsonl",
    "yaml",
    "toml",
    "csv",
    "tsv",
    "html",
    "srt",
    "vtt",
    "eml",
    "mail.eml",
    "ipynb",
    "canvas",
    "properties",
];

fn word(number: usize) -> String {
    format!("numbat{number}q")
}

/// Writes a text for each of `n` words.
fn each(n: usize, write: &dyn Fn(usize, &str) -> String) -> String {
    let words = (0..n).map(|number| write(number, &word(number)));
    words.collect()
}

/// Writes a file that says each of `n` words on a line of its own, with `gap` lines between some.
fn file(extension: &str, n: usize, gap: usize) -> String {
    let blank = "\n".repeat(gap);
    match extension {
        "json" | "jsonl" | "yaml" | "toml" | "csv" | "tsv" => data(extension, n, &blank),
        "html" | "srt" | "vtt" => shown(extension, n, &blank),
        "eml" | "mail.eml" | "ipynb" | "canvas" => wrapped(extension, n, &blank),
        _ => plain(extension, n, &blank),
    }
}

/// Records and settings.
fn data(extension: &str, n: usize, blank: &str) -> String {
    match extension {
        "json" => {
            let entries = each(n, &|i, w| match i % 3 {
                0 => format!("  \"k{i}\": \"about {w} and \\\"more\\\"\",{blank}\n"),
                1 => format!("  \"{w}\": {{\n    \"a\": [\n      1,\n      2\n    ]\n  }},\n"),
                _ => format!("  \"l{i}\": [\n    \"x\",\n    \"{w}\"\n  ],\n"),
            });
            format!("{{\n{entries}  \"end\": null\n}}\n")
        }
        "jsonl" => each(n, &|i, w| {
            format!("{{\"i\": {i}, \"text\": \"about {w} here\"}}\n{blank}")
        }),
        "yaml" => each(n, &|i, w| match i % 3 {
            0 => format!("# comment\nk{i}: about {w}\n{blank}"),
            1 => format!("m{i}:\n  {w}:\n    - one\n    - two\n"),
            _ => format!("t{i}: |\n  first line\n  then {w}\n{blank}"),
        }),
        "toml" => each(n, &|i, w| match i % 3 {
            0 => format!("[t{i}]\nzeta = \"about {w}\"\nalpha = 1\n{blank}"),
            1 => format!("[u{i}.{w}]\nx = [\n  1,\n]\n"),
            _ => format!("[[list]]\ntext = \"\"\"\nfirst\n{w}\n\"\"\"\n"),
        }),
        _ => {
            let tab = if extension == "csv" { "," } else { "\t" };
            let rows = each(n, &|i, w| match i % 4 {
                0 => format!("{i}{tab}\"two\nlines {w}\"{tab}x\n"),
                _ => format!("{i}{tab}{w}{tab}y\n{blank}"),
            });
            format!("id{tab}what{tab}who\n{rows}")
        }
    }
}

/// Pages and subtitles.
fn shown(extension: &str, n: usize, blank: &str) -> String {
    match extension {
        "html" => {
            let body = each(n, &|i, w| match i % 5 {
                0 => format!(
                    "<h2>Part {i}</h2>\n<!-- not\nseen -->\n<p>It is\nabout <b>{w}</b>\nand more.</p>{blank}\n"
                ),
                1 => format!("<ul>\n<li>one</li>\n<li>{w}</li>\n</ul>\n"),
                2 => format!(
                    "<table><tr><th>a</th>\n<th>b</th></tr>\n<tr><td>1</td>\n<td>{w}</td></tr>\n</table>\n"
                ),
                3 => format!("<pre>\n\nfirst\n\n{w}\nlast</pre>\n"),
                _ => format!("<script>\nvar x;\n</script>\n<p>{w}<br>\nmore</p>\n"),
            });
            format!("<html><head><title>Page</title></head>\n<body>\n{body}</body></html>\n")
        }
        "srt" => each(n, &|i, w| {
            format!(
                "{}\n00:00:{:02},000 --> 00:00:59,000\nhe said\n{w} indeed\n\n{blank}",
                i + 1,
                i % 60
            )
        }),
        _ => format!(
            "WEBVTT\n\n{}",
            each(n, &|i, w| format!(
                "00:{:02}.000 --> 00:59.000\n<v Ann>{w}\n\n{blank}",
                i % 60
            ))
        ),
    }
}

/// Texts inside of something else.
fn wrapped(extension: &str, n: usize, blank: &str) -> String {
    match extension {
        "eml" => format!(
            "From: Ann <ann@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: Hello\r\n there\r\n\r\n{}",
            each(n, &|i, w| format!(
                "Line {i} says {w}.\r\n{}",
                blank.replace('\n', "\r\n")
            ))
        ),
        "mail.eml" => format!(
            "From: Ann <ann@example.org>\nSubject: Hello\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n{}",
            each(n, &|i, w| format!(
                "<p>Line {i} goes=20on and=\n on and says {w} to=\n day.</p>\n"
            ))
        ),
        "ipynb" => {
            let cells = each(n, &|i, w| match i % 3 {
                0 => format!(
                    "{{\n \"cell_type\": \"markdown\",\n \"source\": [\n  \"# Part {i}\\n\",\n  \"\\n\",\n  \"about {w}\\n\"\n ]\n}},\n"
                ),
                1 => format!(
                    "{{\n \"cell_type\": \"code\",\n \"source\": [\n  \"x = 1\\n\",\n  \"{w}(x)\"\n ],\n \"outputs\": []\n}},\n"
                ),
                _ => format!(
                    "{{\n \"cell_type\": \"code\",\n \"source\": \"y\",\n \"outputs\": [{{\"output_type\": \"stream\",\n \"text\": [\n\"{w}\\n\"]}}]\n}},\n"
                ),
            });
            format!(
                "{{\"cells\": [\n{cells}{{\"cell_type\": \"raw\", \"source\": \"\"}}],\n\"metadata\": {{}}}}\n"
            )
        }
        _ => {
            let nodes = each(n, &|i, w| {
                format!(
                    "{{\"type\": \"text\", \"y\": {}, \"x\": 0,\n\"text\": \"about {w}\"}},\n",
                    1000 - i
                )
            });
            format!(
                "{{\"nodes\": [\n{nodes}{{\"type\": \"text\", \"text\": \"end\"}}],\n\"edges\": []}}\n"
            )
        }
    }
}

/// Code and prose.
fn plain(extension: &str, n: usize, blank: &str) -> String {
    match extension {
        "rs" | "c" => each(n, &|i, w| match i % 3 {
            0 => format!("{blank}// Says {w}.\nint f{i}(void) {{\n    return {i};\n}}\n"),
            1 => format!("pub fn f{i}() {{\n{blank}    call(\"{w}\");\n}}\n"),
            _ => format!("const A{i}: u8 = 1; // {w}\n"),
        }),
        "py" | "sh" => each(n, &|i, w| {
            format!("def f{i}(x):\n    \"\"\"Says {w}.\"\"\"\n{blank}    return x\n\n")
        }),
        "ini" | "properties" => each(n, &|i, w| format!("[s{i}]\n{blank}key = {w}\n")),
        _ => each(n, &|i, w| match i % 4 {
            0 => format!("# Part {i}\n\nIt is about {w} and more of it.\n{blank}"),
            1 => format!("- item one\n- item {w}\n\n"),
            _ => format!(
                "Some words here. Then\n{w} on the next line. {}\n\n",
                "More words. ".repeat(20)
            ),
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Wherever a word stands in a file, the passage that holds it tells a range with that line, and
    /// the line itself is kept as the file has it.
    #[test]
    fn passages_tell_the_lines_of_the_file(
        extension in prop::sample::select(EXTENSIONS.to_vec()),
        n in 1..90_usize,
        gap in 0..4_usize,
    ) {
        let text = file(extension, n, gap);
        let path = format!("file.{extension}");
        let understood = understand(&path, text.clone().into_bytes(), &InProcess::default()).unwrap();
        let note = understood.note;
        let own: Vec<&str> = note.own.as_deref().unwrap_or(&note.text).lines().collect();
        let lines: Vec<&str> = text.lines().collect();
        prop_assert_eq!(own.len(), lines.len());
        let chunks = chunk::chunk(&note, Profile::Section);
        for word in (0..n).map(word) {
            let line = lines.iter().position(|line| line.contains(&word)).unwrap() + 1;
            prop_assert!(own[line - 1].contains(&word), "{} {}", path, word);
            let holding: Vec<_> = chunks
                .iter()
                .filter(|chunk| note.text[chunk.range.clone()].contains(&word))
                .collect();
            prop_assert!(!holding.is_empty(), "{} does not say {}:\n{}", path, word, note.text);
            let told = holding.iter().any(|chunk| (chunk.start_line as usize..=chunk.end_line as usize).contains(&line));
            let ranges: Vec<_> = holding.iter().map(|chunk| (chunk.start_line, chunk.end_line)).collect();
            prop_assert!(told, "{} says {} on line {}, not {:?}\n{}", path, word, line, ranges, text);
        }
    }
}

#[test]
fn code_is_pointed_at_line_by_line() {
    let text = file("rs", 90, 3);
    let understood =
        understand("file.rs", text.clone().into_bytes(), &InProcess::default()).unwrap();
    let chunks = chunk::chunk(&understood.note, Profile::Section);
    let longest = chunks
        .iter()
        .map(|chunk| chunk.end_line - chunk.start_line)
        .max();
    assert!(longest < Some(120), "{longest:?}");
    assert_eq!(
        chunks.last().unwrap().end_line as usize,
        text.lines().count()
    );
}

/// Pieces that a parser may wait for the end of, each by the hundred thousand. Whoever looks for it from
/// every one of them takes hours; `scripts/growth` measures what is between.
#[test]
fn pieces_without_an_end_take_time_by_their_number() {
    const N: usize = 200_000;
    let pieces = [
        ("a.md", "[["),
        ("a.md", "!["),
        ("a.md", "]("),
        ("a.md", "`"),
        ("a.md", "``\n"),
        ("a.md", "$"),
        ("a.md", "%%"),
        ("a.md", "<!--"),
        ("a.md", "<div>"),
        ("a.md", "<"),
        ("a.md", "*a "),
        ("a.md", "~~"),
        ("a.md", "=="),
        ("a.md", "|"),
        ("a.md", "> "),
        ("a.md", "[^a]"),
        ("a.md", "[a]: b\n"),
        ("a.md", "\\"),
        ("a.md", "&"),
        ("a.md", "a="),
        ("a.md", "\"'"),
        ("a.md", "password="),
        ("a.md", "password: "),
        ("a.md", "QUJD+/"),
        ("a.md", "deadbeef"),
        ("a.md", "a@"),
        ("a.md", "://"),
        ("a.md", "echo "),
        ("a.md", "<<<"),
        ("a.md", "pin "),
        ("a.md", "curl "),
        ("a.md", "card "),
        ("a.md", "-----BEGIN "),
        ("a.md", "mysql "),
        ("a.md", "login: "),
        ("a.md", "{{"),
        ("a.md", "\u{200b}"),
        ("a.md", " "),
        ("a.md", "\t"),
        ("a.html", "<div>"),
        ("a.html", "<!--"),
        ("a.html", "<a "),
        ("a.html", "<"),
        ("a.html", "</p>"),
        ("a.html", "&"),
        ("a.csv", "1,2\n"),
        ("a.csv", "\"a\n"),
        ("a.json", "["),
        ("a.json", "{\"a\":"),
        ("a.rtf", "{"),
        ("a.eml", "a: b\r\n"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\na\n\n"),
        ("a.rs", "{"),
        ("a.rs", "/*"),
        ("a.py", "\"\"\""),
        ("a.txt", "a"),
    ];
    for (path, piece) in pieces {
        let text = match path {
            "a.rtf" => format!("{{\\rtf1 {}", piece.repeat(N)),
            _ => piece.repeat(N),
        };
        if let Ok(understood) = understand(path, text.into_bytes(), &InProcess::default()) {
            let _ = chunk::chunk(&understood.note, Profile::default());
        }
    }
}
