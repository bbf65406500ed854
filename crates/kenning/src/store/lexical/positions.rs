//! Where the words of a query stand in single passages, by the positions that the index keeps.

use super::{Postings, TermGroup, WordField, WordReader};
use crate::store::ChunkId;

/// Where words of a query stand in a passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// Number of the word in the query, and of the word in the passage; in the order of the passage.
    pub found: Vec<(usize, u32)>,
    /// Words of the passage.
    pub n_words: u32,
}

impl<P: Postings> WordReader<P> {
    /// Returns the positions in each of the chunks. A word of a passage stands for one word of the query,
    /// the first if there are several.
    pub fn positions(
        &self,
        groups: &[TermGroup],
        chunks: &[ChunkId],
    ) -> Result<Vec<Positions>, P::Error> {
        let mut positions = vec![Positions::default(); chunks.len()];
        let mut entries: Vec<(usize, usize)> = Vec::with_capacity(chunks.len());
        for (index, &chunk) in chunks.iter().enumerate() {
            if let Some(entry) = self.entries.entry(chunk) {
                positions[index].n_words = self.entries.n_terms[entry];
                entries.push((entry, index));
            }
        }
        entries.sort_unstable();
        for part in 0..self.postings.n_parts() {
            for (number, group) in groups.iter().enumerate() {
                for term in self.spellings(part, WordField::Text, group)?.iter() {
                    self.postings
                        .positions(part, term, &entries, |index, places| {
                            let found = places.iter().map(|&position| (number, position));
                            positions[index].found.extend(found);
                        })?;
                }
            }
        }
        for Positions { found, .. } in &mut positions {
            found.sort_unstable_by_key(|&(group, position)| (position, group));
            found.dedup_by_key(|(_, position)| *position);
        }
        Ok(positions)
    }
}
