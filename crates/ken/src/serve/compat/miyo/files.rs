//! What Miyo tells of single files: which are indexed, their passages, and their text.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::State;
use kenning::Error;
use kenning::search::passage;
use kenning::store::{By, Select, Store, Wanted};
use serde_json::json;

use super::filter::seconds;
use super::{Named, extension, place};
use crate::searcher::Searcher;
use crate::serve::App;
use crate::serve::handlers::Answer;
use crate::serve::input::{Every, Params, Sent};
use crate::serve::problem::Problem;
use crate::wire::compat::{
    MiyoDocument, MiyoDocuments, MiyoDocumentsParams, MiyoFile, MiyoFiles, MiyoFilesParams,
    MiyoParse, MiyoParsed,
};
use crate::wire::handle;

/// Lists indexed files, those that changed last first.
pub(super) async fn files(
    State(app): State<App>,
    Every(searchers): Every,
    Params(params): Params<MiyoFilesParams>,
) -> Answer<MiyoFiles> {
    if let Some(order) = &params.order_by
        && !matches!(order.as_str(), "mtime" | "updated_at")
    {
        return Err(Problem::bad("order_by is mtime or updated_at"));
    }
    let named = Named::find_all(
        &searchers,
        params.folder_path.clone(),
        params.folder_name.clone(),
    )?;
    app.ask(move || {
        let mut found = Vec::new();
        for named in &named {
            let of_domain = named
                .searcher
                .with_store(|store| listed(store, named, &params))?;
            found.extend(of_domain.into_iter().map(|file| (named, file)));
        }
        found.sort_by(|(_, a), (_, b)| b.mtime.cmp(&a.mtime).then_with(|| a.path.cmp(&b.path)));
        let total = found.len();
        let page = found.into_iter().skip(params.offset.unwrap_or(0));
        let page = page.take(params.limit.unwrap_or(usize::MAX));
        let files = page.map(|(named, mut file)| {
            file.total_chunks = named
                .searcher
                .with_store(|store| n_chunks(store, &file.path))?;
            file.path = named.outer(&file.path);
            Ok(file)
        });
        let files = files.collect::<Result<Vec<MiyoFile>>>()?;
        Ok(MiyoFiles { files, total })
    })
    .await
}

/// Returns the files of one folder that meet the conditions, by their paths below it.
fn listed(store: &Store, named: &Named, params: &MiyoFilesParams) -> Result<Vec<MiyoFile>> {
    let title = params.title.as_ref().map(|title| title.to_lowercase());
    let file_path = params.file_path.as_ref().map(|path| named.inner(path));
    let mut facts = Arc::unwrap_or_clone(store.select(Select::Every, Wanted::NAMES)?);
    facts.sort_by(|a, b| a.path.cmp(&b.path));
    let mut files = Vec::new();
    for note in facts {
        let is_wanted = title
            .as_ref()
            .is_none_or(|title| note.title.to_lowercase().contains(title))
            && file_path.as_ref().is_none_or(|path| *path == note.path);
        let mtime = note.mtime_ns / 1_000_000_000;
        let is_in_time = params
            .mtime_after
            .is_none_or(|after| mtime as f64 >= seconds(after))
            && params
                .mtime_before
                .is_none_or(|before| mtime as f64 <= seconds(before));
        if is_wanted && is_in_time {
            files.push(MiyoFile {
                path: note.path,
                title: note.title,
                mtime,
                updated_at: jiff::Timestamp::from_second(mtime)
                    .unwrap_or_default()
                    .to_string(),
                folder_path: place(&named.searcher),
                total_chunks: 0,
            });
        }
    }
    Ok(files)
}

fn n_chunks(store: &Store, path: &str) -> Result<usize> {
    Ok(match store.note_at(path)? {
        Some(note) => store.chunks(By::Note(note))?.len(),
        None => 0,
    })
}

/// Returns the passages of a file in their order.
pub(super) async fn documents(
    State(app): State<App>,
    Every(searchers): Every,
    Params(params): Params<MiyoDocumentsParams>,
) -> Answer<MiyoDocuments> {
    let path = params.path.ok_or_else(|| Problem::bad("path is missing"))?;
    let named = Named::of_file(&searchers, params.folder_path, params.folder_name, &path)?;
    app.ask(move || {
        let model = named.model()?;
        named.searcher.with_store(|store| {
            let found = match passage(store, &named.inner(&path)) {
                Ok(found) => found,
                // A file that is not indexed has no passages; clients ask to find that out.
                Err(Error::NotFound { .. } | Error::Ambiguous { .. }) => {
                    let documents = Vec::new();
                    return Ok(MiyoDocuments { documents });
                }
                Err(error) => return Err(error.into()),
            };
            let note = found.note;
            let vault = named.vault();
            let stamp = vault.and_then(|vault| vault.stamp(&note.path));
            let chunks = store.chunks(By::Note(note.id))?;
            let documents = chunks.iter().map(|chunk| {
                let text = store.passage(chunk)?;
                let heading = chunk.heading.and_then(|at| note.headings.get(at));
                Ok(MiyoDocument {
                    id: handle(chunk.handle),
                    path: named.outer(&note.path),
                    title: note.title.clone(),
                    chunk_index: chunk.ordinal,
                    nchars: text.chars().count(),
                    chunk_text: text,
                    metadata: json!({
                        "section": heading.map(|heading| &heading.text),
                        "start_line": chunk.start_line,
                        "end_line": chunk.end_line,
                    }),
                    embedding_model: model.clone(),
                    mtime: stamp.map(|stamp| stamp.mtime_ns / 1_000_000_000),
                    tags: note.tags.clone(),
                    extension: extension(&note.path),
                    created_at: note.date.clone(),
                    folder_path: place(&named.searcher),
                })
            });
            Ok(MiyoDocuments {
                documents: documents.collect::<Result<Vec<MiyoDocument>>>()?,
            })
        })
    })
    .await
}

/// Returns the text of a file as it was read for the index, credentials masked. Files that are not
/// indexed are not opened: what may be read is for the settings to say.
pub(super) async fn parse(
    State(app): State<App>,
    Every(searchers): Every,
    Sent(params): Sent<MiyoParse>,
) -> Answer<MiyoParsed> {
    let path = params.path.ok_or_else(|| Problem::bad("path is missing"))?;
    let named = Named::of_file(&searchers, params.folder_path, params.folder_name, &path)?;
    let parsed = app.ask(move || {
        let inner = named.inner(&path);
        let note = named.searcher.passage(&inner)?;
        if note.note.path != inner {
            return Err(kenning::Error::NotFound { name: inner }.into());
        }
        Ok(MiyoParsed {
            text: note.text,
            format: note.facts.source.format,
            source_path: named.outer(&note.note.path),
            title: note.note.title.clone(),
            page_count: n_pages(&named.searcher, &note.note.path),
        })
    });
    parsed.await
}

fn n_pages(searcher: &Searcher, path: &str) -> Option<u32> {
    let pages = searcher.with_store(|store| {
        let Some(note) = store.note_at(path)? else {
            return Ok(None);
        };
        let chunks = store.chunks(By::Note(note))?;
        Ok(chunks.iter().filter_map(|chunk| chunk.page).max())
    });
    pages.ok().flatten()
}
