//! Every provider and embedding model of the settings, tried out. This is one of the few places that
//! ask somebody without being asked a question.

use std::time::Instant;

use anyhow::Result;
use kenning::embed::Embedder;
use tokio::runtime::Builder;

use super::Checks;
use crate::llm::probe::{Probe, ToolUse, probe};
use crate::llm::{self, RemoteEmbedder};
use crate::settings::{Embedding, Key, Provider, Settings};

pub(super) fn check(settings: &Settings, checks: &mut Checks) {
    for provider in settings.providers() {
        let what = described(&provider);
        match tried(provider) {
            Ok(found) => checks.good("provider", &format!("{what}: {found}")),
            Err(error) => checks.bad("provider", &error),
        }
    }
    match settings.embeddings() {
        Ok(embeddings) => {
            for embedding in embeddings {
                let what = format!("{} at {}", embedding.name, embedding.provider.name);
                match embedded(embedding) {
                    Ok(found) => checks.good("embedding", &format!("{what}: {found}")),
                    Err(error) => checks.bad("embedding", &error),
                }
            }
        }
        Err(error) => checks.bad("embedding", &error),
    }
}

fn described(provider: &Provider) -> String {
    let key = match &provider.key {
        Key::None => String::new(),
        Key::Missing { variable } | Key::Set { variable, .. } => format!(", key in {variable}"),
    };
    let (name, kind) = (&provider.name, provider.kind.name());
    format!("{name} ({kind}, {}{key})", provider.base_url)
}

fn tried(provider: Provider) -> Result<String> {
    let model = provider.model.clone();
    let chat = llm::open(provider)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let found = runtime.block_on(probe(&*chat, &model))?;
    Ok(told(&found, &model))
}

fn told(found: &Probe, model: &str) -> String {
    let mut parts = vec![format!("there in {} ms", found.list_ms)];
    match (model.is_empty(), found.is_listed) {
        (true, _) => parts.push("no model is named".to_owned()),
        (false, Some(false)) => parts.push(format!("{model} is not in its list")),
        (false, _) => parts.push(model.to_owned()),
    }
    if let Some(answer) = &found.answer {
        let how = if answer.n_pieces > 1 {
            "streams"
        } else {
            "answers at once"
        };
        parts.push(format!("{how}, first word in {} ms", answer.first_ms));
    }
    parts.extend(found.tools.map(|tools| {
        let tools = match tools {
            ToolUse::Called => "calls tools",
            ToolUse::Accepted => "takes tools, but did not call one",
            ToolUse::Unknown => "no tools",
        };
        tools.to_owned()
    }));
    parts.join(" · ")
}

fn embedded(embedding: Embedding) -> Result<String> {
    let model = RemoteEmbedder::open(embedding)?;
    let started = Instant::now();
    model.embed_query("a cat sat on the mat")?;
    let took_ms = started.elapsed().as_millis();
    Ok(format!(
        "{} dimensions · {took_ms} ms a question",
        model.id().dimensions
    ))
}
