//! How `tesseract` is asked, and what is kept of what it says: words with its own doubts, laid out as lines.

use std::ffi::OsString;
use std::fs;

use kenning::extract::Trouble;
use kenning::words::Language;

use crate::reader::limited::{Ended, Limits, run};
use crate::settings::PictureTools;

/// Languages that a picture is read in at once: each makes it slower.
const LANGUAGES_MAX: usize = 3;
/// A language of fewer notes than one in this many is a quote.
const ONE_IN: u64 = 20;
/// Percent that tesseract believes a line to be right, on average; specks and patterns stay below.
const CERTAIN_MIN: f32 = 40.0;
/// What it takes for the language of nobody.
const FALLBACK: &str = "eng";
/// Largest picture that a HEIC file may become.
const CONVERTED_BYTES_MAX: u64 = 512 << 20;

/// What is installed.
pub(crate) struct Installed {
    /// As it calls itself: `tesseract 5.3.0`.
    pub(crate) version: String,
    /// Languages by tesseract's names: `eng`, `deu`.
    pub(crate) languages: Vec<String>,
}

impl Installed {
    /// Asks the program itself.
    pub(crate) fn ask(tools: &PictureTools) -> Option<Self> {
        let said = |option: &str| match run(
            &tools.program,
            &[OsString::from(option)],
            Vec::new(),
            limits(tools, 0),
        ) {
            Ok(Ended::Well(output)) => String::from_utf8(output).ok(),
            _ => None,
        };
        let version = said("--version")?.lines().next()?.to_owned();
        let languages = said("--list-langs")?;
        let languages = languages.lines().skip(1).map(str::trim);
        let is_language =
            |name: &&str| !name.is_empty() && !matches!(*name, "osd" | "equ" | "snum");
        Some(Self {
            version,
            languages: languages.filter(is_language).map(str::to_owned).collect(),
        })
    }
}

/// Returns the languages to read in: those that notes are written in and that are installed, commonest first.
pub(super) fn chosen(notes: &[(Language, u64)], installed: &[String]) -> Vec<String> {
    let n_notes: u64 = notes.iter().map(|(_, n)| n).sum();
    let common = notes.iter().filter(|(_, n)| n * ONE_IN >= n_notes);
    let mut chosen: Vec<String> = common
        .filter_map(|(language, _)| name_of_language(*language))
        .filter(|name| installed.iter().any(|one| one == name))
        .map(str::to_owned)
        .take(LANGUAGES_MAX)
        .collect();
    if chosen.is_empty() {
        let first = installed.iter().find(|one| *one == FALLBACK);
        chosen.extend(first.or(installed.first()).cloned());
    }
    chosen
}

/// Returns what tesseract calls a language.
pub(crate) fn name_of_language(language: Language) -> Option<&'static str> {
    use Language::*;

    Some(match language {
        Unknown => return None,
        Arabic => "ara",
        Danish => "dan",
        Dutch => "nld",
        English => "eng",
        Finnish => "fin",
        French => "fra",
        German => "deu",
        Greek => "ell",
        Hungarian => "hun",
        Italian => "ita",
        Norwegian => "nor",
        Portuguese => "por",
        Romanian => "ron",
        Russian => "rus",
        Spanish => "spa",
        Swedish => "swe",
        Tamil => "tam",
        Turkish => "tur",
    })
}

/// Reads a picture; returns its pages.
pub(super) fn read(
    tools: &PictureTools,
    languages: &[String],
    picture: Vec<u8>,
) -> Result<Vec<String>, Trouble> {
    let picture = match is_heic(&picture) {
        true => converted(tools, &picture)?,
        false => picture,
    };
    let mut arguments: Vec<OsString> = ["stdin", "stdout", "-c", "tessedit_create_tsv=1"]
        .map(OsString::from)
        .to_vec();
    if !languages.is_empty() {
        arguments.extend(["-l".into(), languages.join("+").into()]);
    }
    let ended = run(&tools.program, &arguments, picture, limits(tools, 0));
    let table = told(tools, ended)?;
    Ok(pages(&String::from_utf8_lossy(&table)))
}

fn limits(tools: &PictureTools, file_bytes: u64) -> Limits {
    Limits {
        deadline: tools.deadline,
        memory_bytes: tools.memory_bytes,
        file_bytes,
    }
}

/// Says whose fault it was.
fn told(tools: &PictureTools, ended: std::io::Result<Ended>) -> Result<Vec<u8>, Trouble> {
    match ended {
        Ok(Ended::Well(output)) => Ok(output),
        Ok(Ended::Late) => Err(Trouble::File(format!(
            "reading the picture took too long (more than {} s), so it was given up",
            tools.deadline.as_secs()
        ))),
        Ok(Ended::Badly(status, words)) => {
            let words = words.lines().rfind(|line| !line.trim().is_empty());
            let words: String = words.unwrap_or_default().chars().take(120).collect();
            Err(Trouble::File(format!(
                "the picture could not be read ({status}: {words})"
            )))
        }
        Err(error) => Err(Trouble::Reader(format!(
            "there was no process to read the picture with ({error}); it is tried again next time"
        ))),
    }
}

fn is_heic(picture: &[u8]) -> bool {
    let brands: [&[u8]; 6] = [b"heic", b"heix", b"hevc", b"heim", b"mif1", b"msf1"];
    picture.get(4..8) == Some(b"ftyp") && picture.get(8..12).is_some_and(|b| brands.contains(&b))
}

/// Makes a PNG of a HEIC file, which tesseract does not read.
fn converted(tools: &PictureTools, picture: &[u8]) -> Result<Vec<u8>, Trouble> {
    let Some(converter) = &tools.heic_converter else {
        return Err(Trouble::File(
            "it is a HEIC picture, and neither heif-dec nor heif-convert is installed".to_owned(),
        ));
    };
    let failed = |error: std::io::Error| {
        Trouble::Reader(format!(
            "the picture could not be put aside to be read ({error})"
        ))
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let (from, to) = (folder.path().join("in.heic"), folder.path().join("out.png"));
    fs::write(&from, picture).map_err(failed)?;
    let arguments = [from.into_os_string(), to.clone().into_os_string()];
    let limits = limits(tools, CONVERTED_BYTES_MAX);
    told(tools, run(converter, &arguments, Vec::new(), limits))?;
    fs::read(to).map_err(|_| Trouble::File("the HEIC picture holds nothing".to_owned()))
}

/// A line as tesseract puts it into a table, word by word.
#[derive(Default)]
struct Line {
    /// Page, block, paragraph and line.
    place: [u32; 4],
    words: Vec<String>,
    certain: f32,
}

impl Line {
    /// Whether it is text rather than specks.
    fn is_text(&self) -> bool {
        let is_word = |word: &String| word.chars().any(char::is_alphanumeric);
        self.words.iter().any(is_word) && self.certain / self.words.len() as f32 >= CERTAIN_MIN
    }
}

/// Lays the words of a table out as pages: lines below each other, paragraphs apart, words that were cut at
/// the end of a line whole again.
fn pages(table: &str) -> Vec<String> {
    let mut pages: Vec<String> = Vec::new();
    let mut last = [0; 4];
    for line in lines(table).filter(Line::is_text) {
        let page = line.place[0].clamp(1, 10_000) as usize;
        if pages.len() < page {
            pages.resize(page, String::new());
        }
        let text = &mut pages[page - 1];
        let line_text = line.words.join(" ");
        let is_same_paragraph = last[..3] == line.place[..3];
        let is_cut = is_same_paragraph && is_cut(text, &line_text);
        if is_cut {
            text.pop();
        } else if !text.is_empty() {
            text.push_str(if is_same_paragraph { "\n" } else { "\n\n" });
        }
        text.push_str(&line_text);
        last = line.place;
    }
    pages
}

/// Whether a word goes on in the next line.
fn is_cut(text: &str, next: &str) -> bool {
    let mut ending = text.chars().rev();
    ending.next() == Some('-')
        && ending.next().is_some_and(char::is_lowercase)
        && next.starts_with(char::is_lowercase)
}

/// Reads tesseract's table: level, page, block, paragraph, line, word, four numbers of the place, certainty, text.
fn lines(table: &str) -> impl Iterator<Item = Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in table.lines() {
        let cells: Vec<&str> = row.splitn(12, '\t').collect();
        let [level, page, block, paragraph, line, .., certain, text] = cells[..] else {
            continue;
        };
        let (true, Ok(certain)) = (level == "5", certain.parse::<f32>()) else {
            continue;
        };
        if text.trim().is_empty() {
            continue;
        }
        let place = [page, block, paragraph, line].map(|number| number.parse().unwrap_or(0));
        if lines.last().is_none_or(|last| last.place != place) {
            lines.push(Line {
                place,
                ..Line::default()
            });
        }
        if let Some(line) = lines.last_mut() {
            line.words.push(text.trim().to_owned());
            line.certain += certain;
        }
    }
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(place: [u32; 4], certain: f32, text: &str) -> String {
        let [page, block, paragraph, line] = place;
        format!("5\t{page}\t{block}\t{paragraph}\t{line}\t1\t0\t0\t9\t9\t{certain}\t{text}\n")
    }

    #[test]
    fn words_become_lines_paragraphs_and_pages() {
        let mut table =
            "level\tpage_num\tblock_num\n1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n".to_owned();
        table += &row([1, 1, 1, 1], 90.0, "A");
        table += &row([1, 1, 1, 1], 80.0, "pic-");
        table += &row([1, 1, 1, 2], 90.0, "ture.");
        table += &row([1, 1, 2, 1], 90.0, "Next");
        table += &row([1, 2, 1, 1], 12.0, "~;_");
        table += &row([1, 2, 1, 2], 12.0, "iil");
        table += &row([3, 1, 1, 1], 90.0, "Third-");
        table += &row([3, 1, 1, 2], 90.0, "Party");
        assert_eq!(pages(&table), ["A picture.\n\nNext", "", "Third-\nParty"]);
    }

    #[test]
    fn pictures_are_read_in_the_languages_of_the_notes() {
        let installed = ["deu", "eng", "fra"].map(str::to_owned);
        let notes = [
            (Language::German, 80),
            (Language::English, 19),
            (Language::French, 1),
        ];
        assert_eq!(chosen(&notes, &installed), ["deu", "eng"]);
        assert_eq!(chosen(&[(Language::Swedish, 9)], &installed), ["eng"]);
        assert_eq!(chosen(&[], &installed[..1]), ["deu"]);
    }
}
