//! A real model behind a real server. `scripts/test` starts one and says where it is; by itself this only
//! says that it was left out.

use std::time::Duration;

use kenning::embed::Embedder;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::super::error::Trouble;
use super::super::{RemoteEmbedder, Stop};
use super::*;
use crate::llm::http::Endpoint;
use crate::llm::openai::OpenAi;
use crate::llm::wire::Call;
use crate::settings::{Embedding, test_server};

/// Longer than anything takes on a machine that does other things, too.
const PATIENCE: Duration = Duration::from_secs(120);

fn server(what: &str) -> Option<Provider> {
    let Some(url) = test_server(what) else {
        eprintln!("*** left out: there is no {what} server; scripts/test starts one");
        return None;
    };
    let mut provider = provider(ProviderKind::OpenAi, &format!("{url}/v1"));
    (provider.total, provider.first_token) = (PATIENCE, PATIENCE);
    Some(provider)
}

fn essay() -> ChatRequest {
    ChatRequest {
        messages: vec![Message::user("Write a very long essay about the sea.")],
        max_tokens: Some(2000),
        ..ChatRequest::default()
    }
}

/// Whether the server is at work on anything.
async fn is_at_work(provider: &Provider) -> bool {
    let mut provider = provider.clone();
    provider.base_url = provider.base_url.replace("/v1", "");
    let wire = OpenAi::new(&provider);
    let endpoint = Endpoint::new(provider).unwrap();
    let deadline = Instant::now() + PATIENCE;
    let slots = endpoint
        .json(&wire, &Call::get("/slots"), deadline)
        .await
        .unwrap();
    let mut slots = slots.as_array().unwrap().iter();
    slots.any(|slot| slot["is_processing"] == Value::Bool(true))
}

#[tokio::test]
async fn it_streams() {
    let Some(provider) = server("chat") else {
        return;
    };
    let mut request = question();
    request.max_tokens = Some(12);
    let (events, reply) = ask(&model(provider), &request).await;
    let reply = reply.unwrap();
    assert!(events.len() > 3 && events.len() <= 12, "{events:?}");
    assert!(matches!(reply.stop, Stop::Length | Stop::Done));
    assert!(reply.usage.output_tokens.is_some_and(|n| n > 3 && n <= 12));
    assert!(!reply.text.is_empty());
}

#[tokio::test]
async fn it_lists_its_models_and_takes_tools() {
    let Some(provider) = server("chat") else {
        return;
    };
    let model = model(provider);
    assert_eq!(model.models().await.unwrap().len(), 1);
    let mut request = question();
    request.tools = vec![weather()];
    request.max_tokens = Some(16);
    // It is too small to call one, and must not be confused by them.
    ask(&model, &request).await.1.unwrap();
}

#[tokio::test]
async fn it_stops_when_nobody_listens() {
    let Some(provider) = server("chat") else {
        return;
    };
    let model = model(provider.clone());
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        let mut events = |event| drop(told.send(event));
        model.chat(&essay(), &mut events).await.map(drop)
    });
    heard.recv().await.unwrap();
    assert!(is_at_work(&provider).await);
    task.abort();
    let free = async {
        while is_at_work(&provider).await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, free).await.expect("the server works on");
}

#[tokio::test]
async fn it_is_killed_in_the_middle_of_an_answer() {
    let Some(provider) = server("doomed") else {
        return;
    };
    let pid = test_server("doomed_pid").unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let mut n_events = 0;
    let model = model(provider);
    let mut events = |_| {
        n_events += 1;
        if n_events == 3 {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    };
    let error = model.chat(&essay(), &mut events).await.unwrap_err();
    assert_eq!(error.trouble, Trouble::Cut, "{error}");
    assert!(n_events >= 3);
    let error = model.chat(&essay(), &mut |_| {}).await.unwrap_err();
    assert_eq!(error.trouble, Trouble::Unreachable, "{error}");
}

#[tokio::test]
async fn it_makes_vectors() {
    let Some(provider) = server("embed") else {
        return;
    };
    let settings = Embedding {
        name: "smollm2".to_owned(),
        provider,
        model: "smollm2".to_owned(),
        dimensions: None,
        window_tokens: 400,
        query_prefix: String::new(),
        passage_prefix: String::new(),
    };
    let task = tokio::task::spawn_blocking(move || {
        let model = RemoteEmbedder::open(settings).unwrap();
        let long = "The sea is deep. ".repeat(1000);
        let texts: Vec<&str> = (0..70)
            .map(|n| if n == 3 { long.as_str() } else { "a cat" })
            .collect();
        let mut rows = Vec::new();
        model.embed_passages(&texts, &mut rows).unwrap();
        (
            model.id().dimensions,
            rows,
            model.embed_query("a cat").unwrap(),
        )
    });
    let (dimensions, rows, cat) = task.await.unwrap();
    assert_eq!((dimensions, rows.len()), (576, 70 * 576));
    let like = |row: &[f32]| row.iter().zip(&cat).map(|(a, b)| a * b).sum::<f32>();
    let rows: Vec<&[f32]> = rows.chunks_exact(dimensions).collect();
    assert!(like(rows[0]) > 0.99 && like(rows[69]) > 0.99);
    assert!(like(rows[3]) < like(rows[0]));
}
