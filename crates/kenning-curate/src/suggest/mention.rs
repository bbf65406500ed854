//! Where the text of a note names another one without a link. Pure.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use kenning::note::{file_stem, places};
use kenning::words::{self, is_stop_word_anywhere, name_key};

use crate::error::{Error, Result};
use crate::library::Library;
use crate::page::edited;

/// Longest name in words.
const WORDS_MAX: usize = 6;
/// Shortest name of a single word that is looked for.
const CHARS_MIN: usize = 3;
/// Characters of a sentence that are shown before and behind the name.
const CHARS_AROUND: usize = 80;

/// A place in a text that names a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The bytes of the name.
    pub range: Range<usize>,
    /// 1-based line.
    pub line: u32,
    /// The name, as it stands there.
    pub words: String,
    /// The sentence around it.
    pub sentence: String,
    /// How telling the name is, from 0 to 1: what many notes are called tells little.
    pub weight: f32,
}

/// What notes are called, word by word.
pub(super) struct Names {
    by_words: HashMap<Vec<String>, Vec<usize>>,
    firsts: HashSet<String>,
    /// In how many titles a word stands.
    n_titles: HashMap<String, usize>,
    n_notes: usize,
}

impl Names {
    pub(super) fn of(library: &Library) -> Self {
        let mut names = Self {
            by_words: HashMap::new(),
            firsts: HashSet::new(),
            n_titles: HashMap::new(),
            n_notes: library.notes.len(),
        };
        for (at, note) in library.notes.iter().enumerate() {
            let stem = name_key(file_stem(&note.path));
            let mut called: Vec<Vec<String>> = (note.aliases.iter().chain([&note.title, &stem]))
                .map(|name| lowered(name))
                .filter(|words| is_name(words))
                .collect();
            called.sort();
            called.dedup();
            for word in called.iter().flatten().collect::<HashSet<_>>() {
                *names.n_titles.entry(word.clone()).or_default() += 1;
            }
            for words in called {
                names.firsts.insert(words[0].clone());
                names.by_words.entry(words).or_default().push(at);
            }
        }
        names
    }

    /// A name of several words, or of one that is rare in titles, says which note is meant.
    fn weight(&self, words: &[String], n_meant: usize) -> f32 {
        let n = self.n_notes.max(2) as f32;
        let rarity = |word: &String| {
            let n_titles = self.n_titles.get(word).copied().unwrap_or(1) as f32;
            (n / n_titles).ln() / n.ln()
        };
        let rarest = words.iter().map(rarity).fold(0.0f32, f32::max);
        let length = if words.len() > 1 { 1.0 } else { 0.85 };
        rarest * length / n_meant as f32
    }
}

fn lowered(text: &str) -> Vec<String> {
    words::words(text)
        .map(|word| word.text.to_lowercase())
        .collect()
}

fn is_name(words: &[String]) -> bool {
    let is_telling =
        |word: &String| word.chars().count() >= CHARS_MIN && !is_stop_word_anywhere(word);
    (1..=WORDS_MAX).contains(&words.len())
        && words.iter().any(is_telling)
        && words
            .iter()
            .any(|word| word.chars().any(char::is_alphabetic))
}

/// Finds the notes that a text names in its prose, each at its first place; not in links, code or headings.
pub(super) fn mentions(text: &str, names: &Names, own: usize) -> BTreeMap<usize, Mention> {
    let places = places(text);
    let mut taken: Vec<Range<usize>> = places.aside;
    taken.extend(places.links.into_iter().map(|link| link.whole));
    taken.sort_by_key(|range| range.start);
    let found: Vec<(usize, &str, String)> = words::words(&text[places.body_start..])
        .map(|word| {
            let start = word.text.as_ptr() as usize - text.as_ptr() as usize;
            (start, word.text, word.text.to_lowercase())
        })
        .collect();
    let mut mentions: BTreeMap<usize, Mention> = BTreeMap::new();
    for (at, (start, _, first)) in found.iter().enumerate() {
        if !names.firsts.contains(first) {
            continue;
        }
        for n_words in (1..=WORDS_MAX.min(found.len() - at)).rev() {
            let key: Vec<String> = found[at..at + n_words]
                .iter()
                .map(|word| word.2.clone())
                .collect();
            let Some(meant) = names.by_words.get(&key) else {
                continue;
            };
            let (last, shown, _) = &found[at + n_words - 1];
            let range = *start..last + shown.len();
            let is_free = !taken
                .iter()
                .any(|taken| taken.start < range.end && range.start < taken.end);
            if !is_free || text[range.clone()].contains('\n') || is_heading(text, *start) {
                continue;
            }
            let weight = names.weight(&key, meant.len());
            for &target in meant.iter().filter(|&&target| target != own) {
                mentions.entry(target).or_insert_with(|| Mention {
                    line: 1 + text[..*start].matches('\n').count() as u32,
                    words: text[range.clone()].to_owned(),
                    sentence: sentence(text, &range),
                    range: range.clone(),
                    weight,
                });
            }
            break;
        }
    }
    mentions
}

fn is_heading(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#')
}

/// Returns the sentence around some bytes, cut where it is long.
fn sentence(text: &str, range: &Range<usize>) -> String {
    let before = &text[..range.start];
    let ends = ["\n", ". ", "! ", "? "];
    let start = ends
        .iter()
        .filter_map(|end| before.rfind(end))
        .max()
        .map_or(0, |at| at + 1);
    let behind = &text[range.end..];
    let end = ["\n", ". ", ".\n", "! ", "? "]
        .iter()
        .filter_map(|end| behind.find(end))
        .min();
    let end = end.map_or(behind.len(), |at| at + 1);
    let head: Vec<char> = text[start..range.start].trim_start().chars().collect();
    let tail: Vec<char> = behind[..end].trim_end().chars().collect();
    let head_cut = head.len().saturating_sub(CHARS_AROUND);
    let head: String = head[head_cut..].iter().collect();
    let tail: String = tail[..tail.len().min(CHARS_AROUND)].iter().collect();
    format!("{head}{}{tail}", &text[range.clone()])
}

/// Returns a text with a link to the note at `path` at the first place that names it, and the line.
pub fn add_link(
    text: &str,
    library: &Library,
    source: usize,
    target: usize,
) -> Result<(String, u32)> {
    let mut found = mentions(text, &Names::of(library), source);
    let note = &library.notes[target];
    let Some(mention) = found.remove(&target) else {
        return Err(Error::Nothing {
            what: format!(
                "{} does not name {:?} anywhere",
                library.notes[source].path, note.title
            ),
            hint: "write the link yourself where it fits".to_owned(),
        });
    };
    let stem = file_stem(&note.path);
    let is_same_name = |other: &&crate::library::Known| {
        file_stem(&other.path).to_lowercase() == stem.to_lowercase()
    };
    let name = match library.notes.iter().filter(is_same_name).count() {
        1 => stem,
        _ => note.path.strip_suffix(".md").unwrap_or(&note.path),
    };
    // Inside a table the bar would end a cell.
    let is_table = text[..mention.range.start]
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .trim_start()
        .starts_with('|');
    let bar = if is_table { "\\|" } else { "|" };
    let link = match mention.words == name {
        true => format!("[[{name}]]"),
        false => format!("[[{name}{bar}{}]]", mention.words),
    };
    Ok((edited(text, vec![(mention.range, link)]), mention.line))
}
