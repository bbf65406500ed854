//! Where the words of a query stand in single passages, by the positions that the index keeps.

use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use super::{LexicalReader, Segment, TermGroup};
use crate::store::ChunkId;

/// Where words of a query stand in a passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// Number of the word in the query, and of the word in the passage; in the order of the passage.
    pub found: Vec<(usize, u32)>,
    /// Words of the passage.
    pub n_words: u32,
}

impl LexicalReader {
    /// Returns the positions in each of the chunks. A word of a passage stands for one word of the query,
    /// the first if there are several.
    pub(in crate::store) fn positions(
        &self,
        groups: &[TermGroup],
        chunks: &[ChunkId],
    ) -> tantivy::Result<Vec<Positions>> {
        let mut positions = vec![Positions::default(); chunks.len()];
        let mut entries: Vec<(usize, usize)> = Vec::with_capacity(chunks.len());
        for (index, &chunk) in chunks.iter().enumerate() {
            if let Some(entry) = self.entries.entry(chunk) {
                positions[index].n_words = self.entries.n_terms[entry];
                entries.push((entry, index));
            }
        }
        entries.sort_unstable();
        for segment in &self.segments {
            let end = segment.first_entry + segment.reader.max_doc() as usize;
            let of_segment = entries.partition_point(|(entry, _)| *entry < segment.first_entry)
                ..entries.partition_point(|(entry, _)| *entry < end);
            for (number, group) in groups.iter().enumerate() {
                self.look_up(
                    segment,
                    (number, group),
                    &entries[of_segment.clone()],
                    &mut positions,
                )?;
            }
        }
        for Positions { found, .. } in &mut positions {
            found.sort_unstable_by_key(|&(group, position)| (position, group));
            found.dedup_by_key(|(_, position)| *position);
        }
        Ok(positions)
    }

    /// Adds the positions of one word of the query in entries of a segment, which are in order.
    fn look_up(
        &self,
        segment: &Segment,
        (number, group): (usize, &TermGroup),
        entries: &[(usize, usize)],
        positions: &mut [Positions],
    ) -> tantivy::Result<()> {
        let field = self.fields.text;
        let index = segment.reader.inverted_index(field)?;
        let mut of_entry = Vec::new();
        for term in segment.spellings(field, group)? {
            let option = IndexRecordOption::WithFreqsAndPositions;
            let Some(mut postings) = index.read_postings(&term, option)? else {
                continue;
            };
            for &(entry, index) in entries {
                let doc = (entry - segment.first_entry) as u32;
                if postings.doc() < doc && postings.seek(doc) == TERMINATED {
                    break;
                }
                if postings.doc() == doc {
                    postings.positions(&mut of_entry);
                    let found = of_entry.iter().map(|&position| (number, position));
                    positions[index].found.extend(found);
                }
            }
        }
        Ok(())
    }
}
