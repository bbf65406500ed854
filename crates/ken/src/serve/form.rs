//! A question as it is sent: as JSON with files in base64, or as a form with files as they are.

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::App;
use super::input::{Sent, json, late};
use super::problem::Problem;
use crate::agent::attach::{FILES_MAX, SentFile};
use crate::wire::rag::{RagFile, RagParams};

/// The kind of a form that has files.
pub(super) const FORM: &str = "multipart/form-data";
/// Fields that are text whatever they look like; the others are JSON.
const TEXTS: [&str; 3] = ["question", "conversation", "model"];

/// A question and the files that came with it.
pub(super) struct SentQuestion(pub(super) RagParams, pub(super) Vec<SentFile>);

impl FromRequest<App> for SentQuestion {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.trim_start().to_ascii_lowercase().starts_with(FORM) {
            let read = timeout(app.0.read_time_max, form(request, app));
            return read.await.unwrap_or_else(|_| Err(late()));
        }
        let Sent(mut asked) = Sent::<RagParams>::from_request(request, app).await?;
        let files = asked.files.take().unwrap_or_default().into_iter();
        let files = files.map(decoded).collect::<Result<_, _>>()?;
        Ok(Self(asked, files))
    }
}

fn decoded(file: RagFile) -> Result<SentFile, Problem> {
    let bytes = STANDARD.decode(file.data.trim());
    let bytes =
        bytes.map_err(|_| Problem::bad_value(format!("{}: data is not base64", file.name)))?;
    Ok(SentFile {
        name: file.name,
        bytes,
    })
}

/// Reads a form: parts with a file name are files, the others are fields of the question.
async fn form(request: Request, app: &App) -> Result<SentQuestion, Problem> {
    let mut parts = Multipart::from_request(request, app)
        .await
        .map_err(|refused| Problem::new(refused.status(), refused.body_text()))?;
    let (mut fields, mut files) = (Map::new(), Vec::new());
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let name = part.name().unwrap_or_default().to_owned();
        match part.file_name().map(str::to_owned) {
            Some(file) if files.len() < FILES_MAX => {
                let bytes = part.bytes().await.map_err(broken)?.to_vec();
                files.push(SentFile { name: file, bytes });
            }
            Some(_) => {
                let detail = format!("these are more than {FILES_MAX} files");
                return Err(Problem::bad_value(detail));
            }
            None if fields.contains_key(&name) => {
                return Err(Problem::bad(format!("duplicate field `{name}`")));
            }
            None => {
                let value = value(&name, part).await?;
                fields.insert(name, value);
            }
        }
    }
    let asked: RagParams = json(Value::Object(fields).to_string().as_bytes())?;
    match asked.files {
        None => Ok(SentQuestion(asked, files)),
        Some(_) => Err(Problem::bad_value("files of a form are parts of their own")
            .hint("give each part a file name")),
    }
}

async fn value(name: &str, part: Field<'_>) -> Result<Value, Problem> {
    let text = part.text().await.map_err(broken)?;
    let as_text = || Value::String(text.clone());
    Ok(match TEXTS.contains(&name) {
        true => as_text(),
        // What it should have been is told by who takes the fields apart.
        false => serde_json::from_str(&text).unwrap_or_else(|_| as_text()),
    })
}

fn broken(error: MultipartError) -> Problem {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(error.status(), "the form is too large"),
        _ => Problem::bad(format!("the form cannot be read: {}", error.body_text())),
    }
}
