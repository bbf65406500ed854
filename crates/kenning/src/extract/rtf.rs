//! Rich Text Format: its text, paragraph by paragraph; fonts, pictures and styles are left out.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::Extracted;
use super::guard::Budget;
use super::parts::{Parts, non_blank, one_line};

/// Groups that hold no text of the file. Groups marked `\*` are skipped too.
const SKIPPED: [&str; 18] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "listtable",
    "listoverridetable",
    "generator",
    "themedata",
    "fldinst",
];

/// Reads an RTF file.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<Extracted, String> {
    let trimmed = bytes.trim_ascii_start();
    if !trimmed.starts_with(b"{\\rtf") {
        return Err("it is not what its name says: no RTF".to_owned());
    }
    let mut reader = Reader::new(Parts::new(budget));
    reader.run(trimmed, budget)?;
    let Reader {
        parts,
        title,
        author,
        ..
    } = reader;
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("the RTF file holds no text".to_owned());
    }
    Ok(Extracted {
        title: non_blank(&title),
        author: non_blank(&author),
        created: None,
        parts,
        ..Extracted::default()
    })
}

/// Where the text of a group goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Text,
    Title,
    Author,
    Nowhere,
}

#[derive(Clone, Copy)]
struct Group {
    goal: Goal,
    /// Characters written after each `\u` for readers that know no Unicode.
    n_fallback: usize,
    /// Heading level of the paragraph, from its outline level.
    level: Option<u8>,
    is_in_table: bool,
}

struct Reader<'b> {
    parts: Parts<'b>,
    title: String,
    author: String,
    run: String,
    row: Vec<String>,
    rows: Vec<Vec<String>>,
    groups: Vec<Group>,
    encoding: &'static Encoding,
    /// Bytes of a multi-byte encoding not yet decoded.
    raw: Vec<u8>,
    n_to_skip: usize,
    /// First half of a surrogate pair.
    high: Option<u16>,
}

impl<'b> Reader<'b> {
    fn new(parts: Parts<'b>) -> Self {
        let group = Group {
            goal: Goal::Text,
            n_fallback: 1,
            level: None,
            is_in_table: false,
        };
        Self {
            parts,
            title: String::new(),
            author: String::new(),
            run: String::new(),
            row: Vec::new(),
            rows: Vec::new(),
            groups: vec![group],
            encoding: WINDOWS_1252,
            raw: Vec::new(),
            n_to_skip: 0,
            high: None,
        }
    }

    fn run(&mut self, bytes: &[u8], budget: &Budget) -> Result<(), String> {
        let mut position = 0;
        let mut n_steps = 0_usize;
        while let Some(&byte) = bytes.get(position) {
            n_steps += 1;
            if n_steps.is_multiple_of(4_096) {
                budget.check()?;
            }
            position += 1;
            match byte {
                b'{' => {
                    self.flush_raw();
                    if self.groups.len() > budget.limits.depth_max.saturating_mul(8) {
                        return Err("its groups are nested too deep".to_owned());
                    }
                    let group = self.group();
                    self.groups.push(group);
                }
                b'}' => {
                    self.flush_raw();
                    if self.groups.len() > 1 {
                        self.groups.pop();
                    }
                }
                b'\\' => position = self.control(bytes, position),
                b'\r' | b'\n' | 0 => {}
                _ => self.byte(byte),
            }
        }
        self.flush_raw();
        self.end_paragraph();
        self.end_table();
        Ok(())
    }

    fn group(&self) -> Group {
        *self
            .groups
            .last()
            .expect("the outermost group is never closed")
    }

    fn group_mut(&mut self) -> &mut Group {
        self.groups
            .last_mut()
            .expect("the outermost group is never closed")
    }

    /// Reads what follows a backslash and returns where to go on.
    fn control(&mut self, bytes: &[u8], start: usize) -> usize {
        let Some(&first) = bytes.get(start) else {
            return start;
        };
        if !first.is_ascii_alphabetic() {
            return self.symbol(bytes, first, start + 1);
        }
        self.flush_raw();
        let rest = &bytes[start..];
        let n_word = rest
            .iter()
            .take(32)
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let word = std::str::from_utf8(&rest[..n_word]).unwrap_or("");
        let digits = &rest[n_word..];
        let n_sign = usize::from(digits.first() == Some(&b'-'));
        let n_digits = digits[n_sign..]
            .iter()
            .take(10)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let n_number = if n_digits == 0 { 0 } else { n_sign + n_digits };
        let number = std::str::from_utf8(&digits[..n_number])
            .ok()
            .and_then(|number| number.parse::<i64>().ok());
        let mut end = start + n_word + n_number;
        if bytes.get(end) == Some(&b' ') {
            end += 1;
        }
        self.word(word, number);
        match word {
            // Binary data follows; it may hold braces.
            "bin" => end.saturating_add(usize::try_from(number.unwrap_or(0)).unwrap_or(0)),
            _ => end,
        }
    }

    fn symbol(&mut self, bytes: &[u8], symbol: u8, position: usize) -> usize {
        match symbol {
            b'\'' => {
                let digits = bytes
                    .get(position..position + 2)
                    .and_then(|digits| std::str::from_utf8(digits).ok());
                let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
                else {
                    return position;
                };
                self.byte(byte);
                return position + 2;
            }
            b'*' => self.group_mut().goal = Goal::Nowhere,
            b'~' => self.push("\u{a0}"),
            b'_' => self.push("-"),
            b'\\' | b'{' | b'}' => self.byte(symbol),
            b'\r' | b'\n' => self.end_paragraph(),
            _ => {}
        }
        position
    }

    fn word(&mut self, word: &str, number: Option<i64>) {
        match word {
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" => self.push("\n"),
            "tab" => self.push("\t"),
            "emdash" => self.push("—"),
            "endash" => self.push("–"),
            "bullet" => self.push("•"),
            "lquote" => self.push("‘"),
            "rquote" => self.push("’"),
            "ldblquote" => self.push("“"),
            "rdblquote" => self.push("”"),
            "cell" => {
                let cell = one_line(&std::mem::take(&mut self.run));
                self.row.push(cell);
            }
            "row" => {
                let row = std::mem::take(&mut self.row);
                self.rows.push(row);
            }
            "intbl" => self.group_mut().is_in_table = true,
            "pard" => {
                let group = self.group_mut();
                group.level = None;
                group.is_in_table = false;
            }
            "outlinelevel" => {
                let level = number
                    .and_then(|level| u8::try_from(level).ok())
                    .filter(|level| *level < 9);
                self.group_mut().level = level.map(|level| level + 1);
            }
            "ansicpg" => self.code_page(number),
            "uc" => {
                self.group_mut().n_fallback = number
                    .and_then(|n| usize::try_from(n).ok())
                    .unwrap_or(1)
                    .min(8)
            }
            "u" => self.unicode(number),
            "title" => self.group_mut().goal = Goal::Title,
            "author" => self.group_mut().goal = Goal::Author,
            "info" => self.group_mut().goal = Goal::Nowhere,
            _ if SKIPPED.contains(&word) => self.group_mut().goal = Goal::Nowhere,
            _ => {}
        }
    }

    fn code_page(&mut self, number: Option<i64>) {
        let Some(number) = number else {
            return;
        };
        let label = match number {
            932 => "shift_jis".to_owned(),
            936 => "gbk".to_owned(),
            949 => "euc-kr".to_owned(),
            950 => "big5".to_owned(),
            number => format!("windows-{number}"),
        };
        self.encoding = Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252);
    }

    fn unicode(&mut self, number: Option<i64>) {
        let Some(number) = number else {
            return;
        };
        // Codes above 32,767 are written as negative numbers.
        let unit = (number & 0xFFFF) as u16;
        let pair = [self.high.take().unwrap_or(0), unit];
        match (pair[0], unit) {
            (0, 0xD800..=0xDBFF) => self.high = Some(unit),
            (0, _) => self.push(&String::from_utf16_lossy(&[unit])),
            _ => self.push(&String::from_utf16_lossy(&pair)),
        }
        self.n_to_skip = self.group().n_fallback;
    }

    fn byte(&mut self, byte: u8) {
        if self.n_to_skip > 0 {
            self.n_to_skip -= 1;
            return;
        }
        self.raw.push(byte);
    }

    fn flush_raw(&mut self) {
        // What a `\u` is followed by ends with the next control word or group.
        self.n_to_skip = 0;
        if self.raw.is_empty() {
            return;
        }
        let raw = std::mem::take(&mut self.raw);
        let text = self.encoding.decode_without_bom_handling(&raw).0;
        self.append(&text);
    }

    fn push(&mut self, text: &str) {
        self.flush_raw();
        self.append(text);
    }

    fn append(&mut self, text: &str) {
        match self.group().goal {
            Goal::Text => self.run.push_str(text),
            Goal::Title => self.title.push_str(text),
            Goal::Author => self.author.push_str(text),
            Goal::Nowhere => {}
        }
    }

    fn end_paragraph(&mut self) {
        self.flush_raw();
        if self.group().is_in_table {
            self.run.push(' ');
            return;
        }
        self.end_table();
        let run = std::mem::take(&mut self.run);
        match self.group().level {
            Some(level) => self.parts.start_section(level, &run),
            None => self.parts.block(&run),
        }
    }

    fn end_table(&mut self) {
        if !self.row.is_empty() {
            let row = std::mem::take(&mut self.row);
            self.rows.push(row);
        }
        let rows = std::mem::take(&mut self.rows);
        self.parts.table(&rows);
    }
}
