//! The JSON of an extracted answer: sentences of notes, word for word, with their places.

use kenning::ask::Quoted;
use kenning::search::Evidence;
use schemars::JsonSchema;
use serde::Serialize;

use super::{handle, place, rounded, section};
use crate::searcher::Asked;

/// What an answer without evidence comes to.
const NOTHING_FOUND: &str = "your notes do not say";
/// What one with weak evidence comes to.
const WEAK: &str = "your notes hardly say; this is what is nearest";

/// An answer in the words of the notes.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AskResponse {
    pub(crate) question: String,
    /// What is asked for: `name`, `date`, `amount`, `place`, `steps`, `code`, `reason`, `definition`,
    /// `yes_no` or `thing`.
    pub(crate) sought: &'static str,
    /// How well the notes answer: strong, moderate, weak or none.
    pub(crate) evidence: &'static str,
    /// The same as a number from 0 to 1.
    pub(crate) confidence: f64,
    /// The marked span of the first sentence; null where the evidence is weak.
    pub(crate) answer: Option<String>,
    /// What to tell the person where the notes do not say, or hardly.
    pub(crate) message: Option<&'static str>,
    /// Whether a wide walk along links was taken.
    pub(crate) deep: bool,
    pub(crate) took_ms: f64,
    pub(crate) index_age_s: Option<i64>,
    pub(crate) notices: Vec<String>,
    /// One to three sentences, best first; none where the notes do not say.
    pub(crate) sentences: Vec<AskedSentence>,
}

/// One sentence.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AskedSentence {
    pub(crate) rank: usize,
    /// Short id of the passage it stands in.
    pub(crate) id: String,
    /// Where several domains were asked, the one it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) section: Option<String>,
    pub(crate) breadcrumb: Vec<String>,
    /// Lines of the file; null for formats that have none, such as PDF.
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    /// Page, slide or sheet.
    pub(crate) page: Option<u32>,
    /// The file with the picture that it was read from, if it was: letters may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<String>,
    /// The sentence, word for word; an ellipsis stands for what was left out.
    pub(crate) quote: String,
    /// Which characters of `quote` are the answer: the first, and the one behind the last.
    pub(crate) answer_start: Option<usize>,
    pub(crate) answer_end: Option<usize>,
    pub(crate) date: Option<String>,
    pub(crate) score: f64,
}

impl From<Asked> for AskResponse {
    fn from(asked: Asked) -> Self {
        let extracted = asked.extracted;
        let sentences = (1..).zip(extracted.sentences);
        let mut response = Self {
            question: asked.question,
            sought: extracted.sought.name(),
            evidence: extracted.evidence.name(),
            confidence: rounded(extracted.confidence),
            answer: None,
            message: None,
            deep: asked.is_deep,
            took_ms: (asked.took_ms * 1_000.0).round() / 1_000.0,
            index_age_s: asked.index_age_s,
            notices: extracted.notices,
            sentences: sentences
                .map(|(rank, quoted)| AskedSentence::new(rank, quoted))
                .collect(),
        };
        response.sum_up();
        response
    }
}

impl AskResponse {
    /// There is nothing to ask yet.
    pub(crate) fn without_index(question: String) -> Self {
        Self {
            question,
            sought: kenning::question::Sought::default().name(),
            evidence: Evidence::None.name(),
            confidence: 0.0,
            answer: None,
            message: Some(NOTHING_FOUND),
            deep: false,
            took_ms: 0.0,
            index_age_s: None,
            notices: vec!["there is no index yet; run `ken index` first".to_owned()],
            sentences: Vec::new(),
        }
    }

    /// Whether what is shown is merely nearest.
    pub(crate) fn is_weak(&self) -> bool {
        self.evidence == Evidence::Weak.name()
    }

    fn sum_up(&mut self) {
        self.message = match self.sentences.is_empty() {
            true => Some(NOTHING_FOUND),
            false => self.is_weak().then_some(WEAK),
        };
        let first = self.sentences.first();
        self.answer = first
            .filter(|_| !self.is_weak())
            .and_then(AskedSentence::span);
    }
}

impl AskedSentence {
    fn new(rank: usize, quoted: Quoted) -> Self {
        let lines = quoted.note.has_lines().then_some(quoted.lines);
        Self {
            rank,
            id: handle(quoted.chunk.handle),
            domain: None,
            path: quoted.note.path.clone(),
            title: quoted.note.title.clone(),
            section: section(&quoted.breadcrumb),
            breadcrumb: quoted.breadcrumb,
            start_line: lines.map(|lines| lines.0),
            end_line: lines.map(|lines| lines.1),
            page: quoted.chunk.page,
            picture: quoted.chunk.picture.clone(),
            quote: quoted.text,
            answer_start: quoted.answer.map(|answer| answer.0),
            answer_end: quoted.answer.map(|answer| answer.1),
            date: quoted.note.date.clone(),
            score: rounded(quoted.score),
        }
    }

    /// Returns which characters are the answer.
    pub(crate) fn answer(&self) -> Option<(usize, usize)> {
        self.answer_start.zip(self.answer_end)
    }

    fn span(&self) -> Option<String> {
        let (from, to) = self.answer()?;
        Some(self.quote.chars().skip(from).take(to - from).collect())
    }

    /// Returns where it stands, as a person writes it: `Roof.md:3`, `Manual.pdf page 3`.
    pub(crate) fn place(&self) -> String {
        place(&self.path, self.start_line.zip(self.end_line), self.page)
    }

    /// Returns it as Markdown, the answer in bold.
    pub(crate) fn marked(&self) -> String {
        let Some((from, to)) = self.answer() else {
            return self.quote.clone();
        };
        let mut out = String::new();
        for (at, c) in self.quote.chars().enumerate() {
            if at == from {
                out += "**";
            }
            out.push(c);
            if at + 1 == to {
                out += "**";
            }
        }
        out
    }
}

/// Most sentences and characters of an answer, from however many domains.
const SENTENCES_MAX: usize = 3;
const CHARS_MAX: usize = 600;

/// Makes one answer of those of several domains: each says how sure it is, and that decides.
pub(crate) fn merge_asked(answers: Vec<(String, AskResponse)>) -> Option<AskResponse> {
    if answers.len() < 2 {
        return answers.into_iter().next().map(|(_, answer)| answer);
    }
    let mut answers = answers;
    answers.sort_by(|(_, a), (_, b)| b.confidence.total_cmp(&a.confidence));
    let mut joined: Option<AskResponse> = None;
    let mut sentences: Vec<(f64, AskedSentence)> = Vec::new();
    for (domain, mut answer) in answers {
        for mut sentence in answer.sentences.drain(..) {
            sentence.domain = Some(domain.clone());
            sentences.push((sentence.score * answer.confidence, sentence));
        }
        for notice in &mut answer.notices {
            *notice = format!("{domain}: {notice}");
        }
        match &mut joined {
            None => joined = Some(answer),
            Some(joined) => {
                joined.took_ms += answer.took_ms;
                joined.index_age_s = joined.index_age_s.max(answer.index_age_s);
                joined.notices.append(&mut answer.notices);
            }
        }
    }
    let mut joined = joined?;
    sentences.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut room = CHARS_MAX;
    for (_, mut sentence) in sentences.into_iter().take(SENTENCES_MAX) {
        let n_chars = sentence.quote.chars().count();
        if n_chars > room && !joined.sentences.is_empty() {
            break;
        }
        room = room.saturating_sub(n_chars);
        sentence.rank = joined.sentences.len() + 1;
        joined.sentences.push(sentence);
    }
    joined.sum_up();
    Some(joined)
}
