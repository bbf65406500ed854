//! Results that somebody found worth keeping, in a file beside the index. The index can always be
//! made again; this file cannot, so nothing here ever rewrites it.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use axum::extract::State;
use kenning::cite::{self, Citation};
use kenning::vault::{Links, read_regular};

use super::App;
use super::handlers::{Answer, check_query, within};
use super::input::{At, Params, Sent};
use super::problem::Problem;
use super::reply::Created;
use crate::hint::Hinted;
use crate::runtime;
use crate::searcher::{Searcher, masked};
use crate::wire::http::{
    CITATIONS_MAX, KeepParams, KeptCitation, KeptResult, KeptResults, LIMIT_MAX, PageParams,
    TEXT_CHARS_MAX,
};
use crate::wire::{CitationFields, VerifyResponse};

/// Most bytes of the file.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Results of a list where no number is told.
const LIMIT: u32 = 20;

/// Lets one result be written at a time.
#[derive(Default)]
pub(super) struct Shelf(Mutex<()>);

pub(super) async fn keep(
    State(app): State<App>,
    At(searcher): At,
    Sent(params): Sent<KeepParams>,
) -> Result<Created<KeptResult>, Problem> {
    check(&params)?;
    let shelf = app.clone();
    let kept = app.ask(move || {
        let kept = curated(&searcher, params)?;
        shelf.0.kept.append(&file(&searcher), &kept)?;
        Ok(kept)
    });
    Ok(Created(kept.await?))
}

fn check(params: &KeepParams) -> Result<(), Problem> {
    check_query(&params.query)?;
    if params.query.trim().is_empty() || params.text.trim().is_empty() {
        return Err(Problem::bad_value("query and text may not be empty"));
    }
    if params.text.chars().nth(TEXT_CHARS_MAX).is_some() {
        return Err(Problem::bad_value(format!(
            "text is longer than {TEXT_CHARS_MAX} characters"
        )));
    }
    let n_citations = match &params.citations {
        Some(citations) => citations.len(),
        None => cite::citations(&params.text).len(),
    };
    if n_citations > CITATIONS_MAX {
        return Err(Problem::bad_value(format!(
            "these are more than {CITATIONS_MAX} citations"
        )));
    }
    Ok(())
}

/// Masks credentials, finds the note and checks the quotes.
fn curated(searcher: &Searcher, params: KeepParams) -> Result<KeptResult> {
    let note = params
        .note
        .map(|note| searcher.passage(&note))
        .transpose()?;
    let citations: Vec<CitationFields> = match params.citations {
        Some(sent) => sent.into_iter().map(CitationFields::from).collect(),
        // An answer quotes the way it does where quotes are checked.
        None => (cite::citations(&params.text).into_iter())
            .map(CitationFields::from)
            .collect(),
    };
    let citations: Vec<CitationFields> =
        citations.into_iter().map(CitationFields::masked).collect();
    let checked = searcher.verify(citations.iter().cloned().map(Citation::from).collect())?;
    let checked = VerifyResponse::new(checked);
    let citations = citations.into_iter().zip(checked.citations);
    Ok(KeptResult {
        at: runtime::now(),
        query: masked(&params.query),
        note: note.map(|found| found.note.path.clone()),
        text: masked(&params.text),
        citations: citations
            .map(|(citation, verdict)| KeptCitation {
                citation,
                citation_verified: Some(verdict.citation_verified),
                citation_reason: Some(verdict.citation_reason.to_owned()),
            })
            .collect(),
        citations_status: checked.citations_status.to_owned(),
    })
}

impl Shelf {
    fn append(&self, path: &Path, kept: &KeptResult) -> Result<()> {
        let mut line = serde_json::to_string(kept)?;
        line.push('\n');
        let _alone = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let io = |error| kenning::Error::io(path, error);
        let mut file = private().append(true).create(true).open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Err(io(ErrorKind::InvalidInput.into()).into());
        }
        let n_bytes = metadata.len();
        if n_bytes + line.len() as u64 > FILE_BYTES_MAX {
            return Err(Hinted::error(
                "there is no room for more results",
                format!("move {} away", path.display()),
            ));
        }
        // One write, so that a line of another process cannot come in between.
        file.write_all(line.as_bytes()).map_err(io)?;
        Ok(())
    }
}

/// Opens files that only their owner can read. Neither links nor what somebody put in their place is
/// written to, or waited for.
#[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has more to say"))]
fn private() -> OpenOptions {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

pub(super) async fn list(
    State(app): State<App>,
    At(searcher): At,
    Params(params): Params<PageParams>,
) -> Answer<KeptResults> {
    let limit = within("limit", params.limit, LIMIT_MAX)?.unwrap_or(LIMIT) as usize;
    let offset = params.offset.unwrap_or_default() as usize;
    app.ask(move || page(&file(&searcher), offset, limit)).await
}

/// Reads a page of results, the last one first. A line that is none is passed over: people may have
/// edited the file.
fn page(path: &Path, offset: usize, limit: usize) -> Result<KeptResults> {
    let bytes = match read_regular(path, FILE_BYTES_MAX, Links::Refused) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        bytes => bytes.map_err(|error| kenning::Error::io(path, error))?,
    };
    let lines = bytes.split(|&byte| byte == b'\n');
    let results: Vec<KeptResult> = lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    Ok(KeptResults {
        n_results: results.len(),
        offset,
        results: results.into_iter().rev().skip(offset).take(limit).collect(),
    })
}

/// Returns the file of a domain.
fn file(searcher: &Searcher) -> PathBuf {
    searcher.located().store.with_extension("deep.jsonl")
}
