//! Compatible with Miyo, the service that Obsidian's Copilot asks for notes. What Kenning does another
//! way is refused with a sentence that says so.

mod files;
mod filter;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use kenning::vault::Vault;
use serde_json::json;

use crate::runtime::How;
use crate::searcher::{SearchRequest, Searcher, Searchers, masked};
use crate::serve::App;
use crate::serve::handlers::{Answer, check_query, within};
use crate::serve::input::{Every, Params, Sent};
use crate::serve::problem::{self, Problem};
use crate::wire::compat::{
    MiyoAnswer, MiyoFolder, MiyoFolderParams, MiyoFolders, MiyoHealth, MiyoHit, MiyoRelated,
    MiyoRelatedAnswer, MiyoRelatedFile, MiyoSearch, MiyoStarted,
};
use crate::wire::{Hit, SearchResponse, merge};
use filter::{Sieve, checked, folders_of};

/// Hits where no number is told.
const LIMIT: u32 = 10;
const LIMIT_MAX: u32 = 200;
/// So many more hits are looked at where some of them will be left out afterwards.
const SPARE: u32 = 5;

pub(in crate::serve) fn router() -> Router<App> {
    let folder = get(folders)
        .post(add_folder)
        .patch(unsupported)
        .delete(unsupported);
    Router::new()
        .route("/v0/health", get(health))
        .route("/v0/search", post(search))
        .route("/v0/search/related", post(related))
        .route("/v0/folder", folder)
        .route("/v0/folder/files", get(files::files))
        .route("/v0/folder/documents", get(files::documents))
        .route("/v0/parse-doc", post(files::parse))
        .route("/v0/folder/pause", post(unsupported))
        .route("/v0/folder/resume", post(resume))
        .route("/v0/scan", post(scan))
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::wrong_method)
}

async fn health(State(app): State<App>, Every(searchers): Every) -> Answer<MiyoHealth> {
    let searcher = Arc::clone(searchers.get(None)?);
    // An index that is away is not waited for.
    let is_ready = searcher.pulse().await.is_ready();
    app.ask(move || {
        let status = is_ready.then(|| searcher.status().ok()).flatten();
        let status = status.map(|indexed| indexed.status);
        Ok(MiyoHealth {
            status: if status.is_some() { "ok" } else { "degraded" },
            service: "running",
            qdrant: "not used",
            llama_server: "not used",
            model_download_progress: None,
            indexed_files: status.as_ref().map_or(0, |status| status.n_notes),
            embedding_model: status.and_then(|status| Some(status.model?.to_string())),
            batch_size_preset: "default",
            gpu_variant: None,
        })
    })
    .await
}

async fn search(
    State(app): State<App>,
    Every(searchers): Every,
    Sent(params): Sent<MiyoSearch>,
) -> Answer<MiyoAnswer> {
    let query = params.query.unwrap_or_default();
    check_query(&query)?;
    if query.trim().is_empty() {
        return Err(Problem::bad("query is missing"));
    }
    let limit = within("limit", params.limit, LIMIT_MAX)?.unwrap_or(LIMIT);
    let named = Named::find_all(&searchers, params.folder_path, params.folder_name)?;
    let sieve = Sieve {
        filters: checked(params.filters)?,
        path: params.path.map(|path| path.to_lowercase()),
        excluded: folders_of(params.exclude_folders)?,
    };
    app.ask(move || {
        let started = Instant::now();
        let request = SearchRequest {
            query: query.clone(),
            limit: Some(if sieve.is_open() {
                limit
            } else {
                limit * SPARE
            }),
            ..SearchRequest::default()
        };
        let mut answers = Vec::new();
        let mut searched = Vec::new();
        for named in &named {
            answers.push((
                named.searcher.name().to_owned(),
                SearchResponse::from(named.searcher.search(&request)?),
            ));
            searched.push((named, named.vault(), named.model()?));
        }
        let n_hits = answers.iter().map(|(_, answer)| answer.hits.len()).sum();
        let hits = merge(answers, n_hits, None).map_or_else(Vec::new, |joined| joined.hits);
        let mut results = Vec::new();
        for hit in hits.into_iter().filter(|hit| !sieve.excludes(&hit.path)) {
            let own = hit.domain.as_deref();
            let at = searched
                .iter()
                .position(|(named, ..)| own == Some(named.searcher.name()));
            let (named, vault, model) = &searched[at.unwrap_or(0)];
            results.push(named.hit(hit, vault.as_ref(), model.clone()));
        }
        results.retain(|hit| sieve.passes(hit));
        results.truncate(limit as usize);
        Ok(MiyoAnswer {
            count: results.len(),
            results,
            query: masked(&query),
            execution_time_ms: started.elapsed().as_secs_f64() * 1e3,
        })
    })
    .await
}

/// Finds what is like a file by asking for its own words, by meaning.
async fn related(
    State(app): State<App>,
    Every(searchers): Every,
    Sent(params): Sent<MiyoRelated>,
) -> Answer<MiyoRelatedAnswer> {
    let file_path = params
        .file_path
        .ok_or_else(|| Problem::bad("file_path is missing"))?;
    let limit = within("limit", params.limit, LIMIT_MAX)?.unwrap_or(LIMIT);
    if !checked(params.filters)?.is_empty() {
        return Err(Problem::bad("related notes cannot be filtered"));
    }
    let named = Named::of_file(
        &searchers,
        params.folder_path,
        params.folder_name,
        &file_path,
    )?;
    app.ask(move || {
        let started = Instant::now();
        let (_, answer) = named.searcher.similar(&named.inner(&file_path), limit)?;
        let hits = SearchResponse::from(answer).hits.into_iter();
        let results: Vec<MiyoRelatedFile> = hits
            .map(|hit| MiyoRelatedFile {
                path: named.outer(&hit.path),
                score: hit.score,
            })
            .collect();
        Ok(MiyoRelatedAnswer {
            count: results.len(),
            results,
            file_path,
            execution_time_ms: started.elapsed().as_secs_f64() * 1e3,
        })
    })
    .await
}

async fn folders(
    State(app): State<App>,
    Every(searchers): Every,
    Params(params): Params<MiyoFolderParams>,
) -> Result<axum::response::Response, Problem> {
    use axum::response::IntoResponse;
    if let Some(path) = params.path {
        let named = Named::find(&searchers, Some(path), None)?;
        let folder = app.ask(move || Ok(folder(&named.searcher))).await?;
        return Ok(folder.into_response());
    }
    let list = app.ask(move || {
        Ok(MiyoFolders {
            folders: searchers
                .all()
                .iter()
                .map(|searcher| folder(searcher))
                .collect(),
        })
    });
    Ok(list.await?.into_response())
}

fn folder(searcher: &Searcher) -> MiyoFolder {
    let status = searcher.status().ok();
    let rules = &searcher.located().rules;
    // What is left out because another domain has it, or always, is not named.
    let is_own = |entry: &&String| {
        let mut others = rules.others.iter();
        entry.as_str() != kenning_curate::tags::QUEUE
            && !others
                .any(|other| other.allowed.has(entry) || other.allowed.entries().contains(entry))
    };
    let (exclude_patterns, exclude_folders) = rules
        .excluded
        .entries()
        .iter()
        .filter(is_own)
        .cloned()
        .partition(|entry| entry.contains(['*', '?', '[', '{']));
    MiyoFolder {
        path: place(searcher),
        name: short_name(searcher),
        include_patterns: vec!["**/*".to_owned()],
        exclude_patterns,
        exclude_folders,
        recursive: true,
        status: if status.is_some() {
            "indexed"
        } else {
            "not indexed"
        },
        indexed_files: status.map_or(0, |indexed| indexed.status.n_notes),
    }
}

async fn add_folder(Every(searchers): Every, Sent(params): Sent<MiyoFolderParams>) -> Problem {
    let path = params.path.unwrap_or_default();
    match Named::find(&searchers, Some(path), None) {
        Ok(_) => Problem::new(StatusCode::CONFLICT, "the folder is registered already")
            .hint("which folders of it are left out is set as `exclude` in Kenning's settings"),
        Err(_) => Problem::new(
            StatusCode::NOT_IMPLEMENTED,
            "folders are not added here; run `ken domain add NAME PATH` and start `ken serve` again",
        ),
    }
}

async fn unsupported() -> Problem {
    Problem::new(
        StatusCode::NOT_IMPLEMENTED,
        "which folders are indexed, and which of their files, is set in Kenning's settings",
    )
}

async fn resume(
    State(app): State<App>,
    Every(searchers): Every,
    Sent(params): Sent<MiyoFolderParams>,
) -> Result<(StatusCode, Json<MiyoStarted>), Problem> {
    begin(app, &searchers, params, "scanning")
}

async fn scan(
    State(app): State<App>,
    Every(searchers): Every,
    Sent(params): Sent<MiyoFolderParams>,
) -> Result<(StatusCode, Json<MiyoStarted>), Problem> {
    begin(app, &searchers, params, "started")
}

/// Brings a folder up to date, without waiting for it. Whether a file changed is always seen, so
/// that `force` has nothing to add.
fn begin(
    app: App,
    searchers: &Searchers,
    params: MiyoFolderParams,
    status: &'static str,
) -> Result<(StatusCode, Json<MiyoStarted>), Problem> {
    let path = params.path.ok_or_else(|| Problem::bad("path is missing"))?;
    let searcher = Named::find(searchers, Some(path.clone()), None)?.searcher;
    tokio::spawn(async move { app.reload(searcher, How::default(), |_| ()).await });
    Ok((StatusCode::ACCEPTED, Json(MiyoStarted { status, path })))
}

/// Where the notes of a searcher are.
fn place(searcher: &Searcher) -> String {
    searcher.vault().map_or_else(
        || searcher.name().to_owned(),
        |path| path.display().to_string(),
    )
}

/// What Obsidian calls a vault: the name of its folder.
fn short_name(searcher: &Searcher) -> String {
    let file_name = searcher.vault().and_then(Path::file_name);
    file_name.map_or_else(
        || searcher.name().to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// A searcher, and how the client calls its folder: by path or by name.
struct Named {
    searcher: Arc<Searcher>,
    /// What stands before paths below the vault.
    prefix: String,
}

impl Named {
    fn new(searcher: &Arc<Searcher>, prefix: String) -> Self {
        Self {
            searcher: Arc::clone(searcher),
            prefix,
        }
    }

    /// Returns the folder that is named, or all of them under their names.
    fn find_all(
        searchers: &Searchers,
        path: Option<String>,
        name: Option<String>,
    ) -> Result<Vec<Self>, Problem> {
        if path.is_some() || name.is_some() {
            return Self::find(searchers, path, name).map(|named| vec![named]);
        }
        let all = searchers.all().iter();
        let all: Vec<Self> = all
            .map(|searcher| Self::new(searcher, short_name(searcher)))
            .collect();
        match all.is_empty() {
            true => Err(Self::unknown()),
            false => Ok(all),
        }
    }

    /// Returns the folder that is named, or the one that the path of a file begins with.
    fn of_file(
        searchers: &Searchers,
        path: Option<String>,
        name: Option<String>,
        file: &str,
    ) -> Result<Self, Problem> {
        if path.is_some() || name.is_some() {
            return Self::find(searchers, path, name);
        }
        let begins = |prefix: &String| {
            let rest = file.strip_prefix(prefix.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        for searcher in searchers.all() {
            let names = [
                place(searcher),
                short_name(searcher),
                searcher.name().to_owned(),
            ];
            if let Some(prefix) = names.into_iter().find(begins) {
                return Ok(Self::new(searcher, prefix));
            }
        }
        let searcher = searchers.get(None).map_err(|_| Self::unknown())?;
        Ok(Self::new(searcher, short_name(searcher)))
    }

    fn find(
        searchers: &Searchers,
        path: Option<String>,
        name: Option<String>,
    ) -> Result<Self, Problem> {
        let wanted = path.or(name).unwrap_or_default();
        let wanted = wanted.trim_end_matches('/');
        let is_wanted = |searcher: &&Arc<Searcher>| {
            place(searcher) == wanted || searcher.name() == wanted || short_name(searcher) == wanted
        };
        let searcher = searchers.all().iter().find(is_wanted);
        let searcher = searcher.ok_or_else(Self::unknown)?;
        Ok(Self::new(searcher, wanted.to_owned()))
    }

    fn unknown() -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "this folder is not registered")
    }

    /// Returns the path below the vault of a path that the client knows.
    fn inner(&self, path: &str) -> String {
        let searcher = &self.searcher;
        let prefixes = [self.prefix.clone(), place(searcher), short_name(searcher)];
        let inner = prefixes.iter().find_map(|prefix| {
            let rest = path.strip_prefix(prefix.as_str())?;
            rest.strip_prefix('/')
        });
        inner.unwrap_or(path).to_owned()
    }

    /// Returns the path that the client knows a note by.
    fn outer(&self, path: &str) -> String {
        format!("{}/{path}", self.prefix)
    }

    fn model(&self) -> Result<Option<String>> {
        let status = self.searcher.status()?.status;
        Ok(status.model.as_ref().map(ToString::to_string))
    }

    fn vault(&self) -> Option<Vault> {
        let rules = self.searcher.located().rules.clone();
        Vault::open(self.searcher.vault()?, rules).ok()
    }

    fn hit(&self, hit: Hit, vault: Option<&Vault>, model: Option<String>) -> MiyoHit {
        let stamp = vault.and_then(|vault| vault.stamp(&hit.path));
        let file_name = hit.path.rsplit('/').next().unwrap_or(&hit.path).to_owned();
        MiyoHit {
            id: hit.id,
            path: self.outer(&hit.path),
            score: hit.score,
            title: hit.title,
            mtime: stamp.map(|stamp| stamp.mtime_ns / 1_000_000_000),
            extension: extension(&file_name),
            file_name,
            nchars: hit.text.chars().count(),
            chunk_text: hit.text,
            metadata: json!({
                "section": hit.section,
                "start_line": hit.start_line,
                "end_line": hit.end_line,
                "date": hit.date,
            }),
            embedding_model: model,
            tags: hit.tags,
            created_at: hit.date,
            folder_path: Some(place(&self.searcher)),
        }
    }
}

fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .map_or_else(String::new, |(_, extension)| format!(".{extension}"))
}
