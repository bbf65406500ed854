//! The JSON of a search: an answer, its hits, and how each was scored.

use std::borrow::Cow;

use kenning::note::MemoryType;
use kenning::search;
use kenning::store::{ChunkRow, NoteRow};
use schemars::JsonSchema;
use serde::Serialize;

use super::{encode, handle, place, rounded, section};
use crate::searcher::Answered;

/// Characters of a passage that are shown where no words were asked for.
const EXCERPT_CHARS: usize = 240;

/// One answer.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SearchResponse {
    pub(crate) query: String,
    pub(crate) mode: &'static str,
    pub(crate) evidence: &'static str,
    pub(crate) confidence: f64,
    pub(crate) took_ms: f64,
    pub(crate) index_age_s: Option<i64>,
    pub(crate) notices: Vec<String>,
    pub(crate) hits: Vec<Hit>,
    /// What the notes are written in, if the question is in another language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes_language: Option<String>,
}

/// One hit. `highlights` are character ranges of `excerpt`.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Hit {
    pub(crate) rank: usize,
    pub(crate) id: String,
    /// Where several domains were asked, the one it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) category: Option<String>,
    pub(crate) area: Option<String>,
    pub(crate) section: Option<String>,
    pub(crate) breadcrumb: Vec<String>,
    /// First line of the file; null for formats that have none, such as PDF.
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    /// Page, slide or sheet.
    pub(crate) page: Option<u32>,
    /// The file with the picture that the passage was read from, if it was: letters may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<String>,
    pub(crate) score: f64,
    pub(crate) excerpt: String,
    pub(crate) highlights: Vec<(usize, usize)>,
    pub(crate) text: String,
    pub(crate) tags: Vec<String>,
    pub(crate) date: Option<String>,
    /// `semantic`, `procedural` or `episodic`, where the note is one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_type: Option<&'static str>,
    /// Other notes that have the same passage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_in: Vec<String>,
    /// The note that replaces this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) superseded_by: Option<String>,
    pub(crate) uri: String,
    pub(crate) sources: Vec<&'static str>,
    pub(crate) lexical_rank: Option<u32>,
    pub(crate) vector_rank: Option<u32>,
    /// How it was scored, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explain: Option<Vec<Stage>>,
}

/// One stage of the ranking: what it did to the score so far, by how much, and the score after it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Stage {
    pub(crate) stage: &'static str,
    /// `adds`, `times`, `is` or `at most`.
    pub(crate) effect: &'static str,
    pub(crate) value: f64,
    pub(crate) score: f64,
    pub(crate) detail: String,
}

impl From<Answered> for SearchResponse {
    fn from(answered: Answered) -> Self {
        let Answered { answer, vault, .. } = answered;
        let hits = (1..).zip(answer.hits);
        Self {
            query: answered.query,
            mode: answered.mode.name(),
            evidence: answer.evidence.name(),
            confidence: rounded(answer.confidence),
            took_ms: (answered.took_ms * 1_000.0).round() / 1_000.0,
            index_age_s: answered.index_age_s,
            notices: answer.notices,
            notes_language: answer.foreign.map(|foreign| foreign.of_notes()),
            hits: hits
                .map(|(rank, hit)| Hit::new(rank, hit, &vault, answered.is_explained))
                .collect(),
        }
    }
}

impl Hit {
    fn new(rank: usize, hit: search::Hit, vault: &str, is_explained: bool) -> Self {
        let found = [
            ("name", hit.is_pinned),
            ("lexical", hit.lexical_rank.is_some()),
            ("vector", hit.vector_rank.is_some()),
        ];
        let sources = found.into_iter().filter(|(_, is_one)| *is_one);
        let section = section(&hit.breadcrumb);
        Self {
            rank,
            uri: obsidian_uri(vault, &hit.note.path, section.as_deref()),
            score: rounded(hit.score),
            excerpt: hit.excerpt.text,
            highlights: hit.excerpt.highlights,
            also_in: hit.also_in,
            sources: sources.map(|(source, _)| source).collect(),
            lexical_rank: hit.lexical_rank,
            vector_rank: hit.vector_rank,
            explain: is_explained.then(|| stages(hit.stages)),
            ..Self::of(&hit.note, &hit.chunk, hit.breadcrumb, hit.text)
        }
    }

    /// A passage that a walk came by.
    pub(crate) fn walked(note: &NoteRow, piece: search::Piece, score: f32) -> Self {
        Self {
            score: rounded(score),
            excerpt: piece.text.chars().take(EXCERPT_CHARS).collect(),
            sources: vec!["links"],
            ..Self::of(note, &piece.chunk, piece.breadcrumb, piece.text)
        }
    }

    /// A passage, however it was come by.
    fn of(note: &NoteRow, chunk: &ChunkRow, breadcrumb: Vec<String>, text: String) -> Self {
        let (category, area) = note.para();
        let lines = note
            .has_lines()
            .then_some((chunk.start_line, chunk.end_line));
        Self {
            rank: 0,
            id: handle(chunk.handle),
            domain: None,
            path: note.path.clone(),
            title: note.title.clone(),
            category: category.map(str::to_owned),
            area: area.map(str::to_owned),
            section: section(&breadcrumb),
            breadcrumb,
            start_line: lines.map(|lines| lines.0),
            end_line: lines.map(|lines| lines.1),
            page: chunk.page,
            picture: chunk.picture.clone(),
            score: 0.0,
            excerpt: String::new(),
            highlights: Vec::new(),
            text,
            tags: note.tags.clone(),
            date: note.date.clone(),
            memory_type: note.memory_type.map(MemoryType::name),
            also_in: Vec::new(),
            superseded_by: note.superseded_by.clone(),
            uri: String::new(),
            sources: Vec::new(),
            lexical_rank: None,
            vector_rank: None,
            explain: None,
        }
    }

    /// Its text for a reader, without HTML. `text` itself is what is quoted.
    pub(crate) fn read_text(&self) -> Cow<'_, str> {
        search::as_read(&self.path, &self.text)
    }

    /// Returns where it stands, as a person writes it: `Roof.md:3-9`, `Manual.pdf page 3`.
    pub(crate) fn place(&self) -> String {
        place(&self.path, self.start_line.zip(self.end_line), self.page)
    }
}

fn stages(stages: Vec<search::Stage>) -> Vec<Stage> {
    let stages = stages.into_iter();
    stages
        .map(|stage| Stage {
            stage: stage.name,
            effect: stage.effect.name(),
            value: rounded(stage.value),
            score: rounded(stage.score),
            detail: stage.detail,
        })
        .collect()
}

/// Returns the address that opens a note in Obsidian, at a heading if there is one.
pub(crate) fn obsidian_uri(vault: &str, path: &str, section: Option<&str>) -> String {
    let mut file = path.to_owned();
    if let Some(section) = section {
        file.push('#');
        file.push_str(section);
    }
    format!(
        "obsidian://open?vault={}&file={}",
        encode(vault),
        encode(&file)
    )
}
