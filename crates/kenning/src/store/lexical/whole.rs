//! Reads a word index from end to end, and tells what does not hold together.

use tantivy::postings::Postings as _;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use super::fields::WordField;
use super::segments::{Segment, Segments};
use super::{LexicalReader, Postings};

/// Returns what is wrong with the postings of an index, each kind once for every field of a segment.
pub(in crate::store) fn problems(words: &LexicalReader) -> tantivy::Result<Vec<String>> {
    let segments = words.postings();
    let mut problems = Vec::new();
    for part in 0..segments.n_parts() {
        let mut n_text = vec![0u32; segments.segments[part].reader.max_doc() as usize];
        for field in WordField::WRITTEN.into_iter().chain([WordField::Compounds]) {
            let wrong = field_problem(segments, part, field, &mut n_text)?;
            problems.extend(wrong.map(|wrong| format!("the words of {field:?}: {wrong}")));
        }
        let first = segments.segments[part].first_entry;
        let n_terms = &words.entries.n_terms[first..first + n_text.len()];
        let is_chunk = &words.entries.chunk[first..first + n_text.len()];
        let other = (n_text.iter().zip(n_terms).zip(is_chunk))
            .filter(|((found, said), chunk)| **chunk != 0 && found != said)
            .count();
        if other > 0 {
            problems.push(format!(
                "{other} passages have more or fewer words than were counted"
            ));
        }
    }
    Ok(problems)
}

/// Reads every posting of a field; counts those of the text by entry.
fn field_problem(
    segments: &Segments,
    part: usize,
    field: WordField,
    n_text: &mut [u32],
) -> tantivy::Result<Option<String>> {
    let Segment { reader, .. } = &segments.segments[part];
    let has_positions = field == WordField::Text;
    let index = reader.inverted_index(segments.fields.of(field))?;
    let option = match has_positions {
        true => IndexRecordOption::WithFreqsAndPositions,
        false => IndexRecordOption::WithFreqs,
    };
    let (mut stream, mut positions) = (index.terms().stream()?, Vec::new());
    let mut last_term = Vec::new();
    while stream.advance() {
        if std::str::from_utf8(stream.key()).is_err() || stream.key() <= last_term.as_slice() {
            return Ok(Some("a word is not one, or not in its place".to_owned()));
        }
        last_term.clear();
        last_term.extend_from_slice(stream.key());
        let info = stream.value();
        let mut postings = index.read_postings_from_terminfo(info, option)?;
        let (mut n_docs, mut last) = (0, None);
        while postings.doc() != TERMINATED {
            let (doc, frequency) = (postings.doc(), postings.term_freq());
            let is_rising = last.is_none_or(|last| last < doc);
            if !is_rising || doc >= reader.max_doc() || frequency == 0 {
                return Ok(Some("a list of entries makes no sense".to_owned()));
            }
            if has_positions {
                postings.positions(&mut positions);
                if positions.len() != frequency as usize || !positions.is_sorted() {
                    return Ok(Some("places of a word make no sense".to_owned()));
                }
                n_text[doc as usize] += frequency;
            }
            (n_docs, last) = (n_docs + 1, Some(doc));
            postings.advance();
        }
        if n_docs != info.doc_freq {
            return Ok(Some("a list of entries is cut short".to_owned()));
        }
    }
    Ok(None)
}
