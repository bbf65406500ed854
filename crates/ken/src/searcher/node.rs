//! What a note is searched by, and what a domain rests on.

use anyhow::Result;
use kenning::search;

use super::Searcher;
use crate::wire::handle;
use crate::wire::http::{Chunk, DomainHealth, NodeResponse};

impl Searcher {
    /// Returns a note or some of its lines, with the passages that stand on them.
    pub(crate) fn node(&self, reference: &str) -> Result<NodeResponse> {
        self.with_store(|store| {
            let passage = search::passage(store, reference)?;
            let has_lines = passage.note.has_lines();
            let mut chunks = Vec::new();
            for found in search::chunks_on(store, &passage)? {
                let (chunk, crumbs) = (found.chunk, found.breadcrumb);
                chunks.push(Chunk {
                    id: handle(chunk.handle),
                    section: crumbs.last().filter(|_| crumbs.len() > 1).cloned(),
                    breadcrumb: crumbs,
                    start_line: has_lines.then_some(chunk.start_line),
                    end_line: has_lines.then_some(chunk.end_line),
                    page: chunk.page,
                    text: found.text,
                });
            }
            Ok(NodeResponse {
                passage: passage.into(),
                chunks,
            })
        })
    }

    /// Tells what the domain rests on; it never fails, since it is asked when something is wrong.
    pub(crate) fn health(&self) -> DomainHealth {
        let model = self.with_store(|store| Ok(store.model()?.cloned()));
        let model = model.ok().flatten();
        let located = self.located();
        DomainHealth {
            domain: self.name().to_owned(),
            vault: self.vault().map(|vault| vault.display().to_string()),
            index: located.store.display().to_string(),
            dimension: model.as_ref().map(|model| model.dimensions),
            model: model.map(|model| model.name),
        }
    }
}
