//! Vectors from a provider: batches, order, prefixes, and what happens when one fails.

use kenning::embed::{EmbedError, Embedder};
use serde_json::json;

use super::super::RemoteEmbedder;
use super::stub::{End, Reply, Stub};
use super::*;
use crate::settings::Embedding;

fn embedding(kind: ProviderKind, url: &str, dimensions: Option<usize>) -> Embedding {
    Embedding {
        name: "tiny".to_owned(),
        provider: provider(kind, url),
        model: "tiny:1".to_owned(),
        dimensions,
        window_tokens: 8,
        query_prefix: "query: ".to_owned(),
        passage_prefix: "passage: ".to_owned(),
    }
}

fn ollama_rows(rows: &[[f32; 2]]) -> Reply {
    Reply::json(
        200,
        json!({"model": "tiny", "embeddings": rows}).to_string(),
    )
}

/// The engine asks from threads of its own, never from within a runtime.
async fn apart<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn ollama_is_asked_with_prefixes_and_never_cuts() {
    let stub = Stub::start([
        ollama_rows(&[[3.0, 4.0], [0.0, 2.0]]),
        ollama_rows(&[[1.0, 0.0]]),
    ])
    .await;
    let settings = embedding(ProviderKind::Ollama, &stub.url, Some(2));
    let (rows, row) = apart(|| {
        let model = RemoteEmbedder::open(settings).unwrap();
        let mut rows = Vec::new();
        let long = "one two three four five six seven eight nine";
        model.embed_passages(&["a cat", long], &mut rows).unwrap();
        (rows, model.embed_query("cats?").unwrap())
    })
    .await;
    assert_eq!((rows, row), (vec![0.6, 0.8, 0.0, 1.0], vec![1.0, 0.0]));
    let asked = stub.asked();
    assert!(asked[0].head.starts_with("post /api/embed "));
    assert_eq!(
        asked[0].json(),
        json!({"model": "tiny:1", "input": ["passage: a cat", "passage: one two three four five"], "truncate": false})
    );
    assert_eq!(asked[1].json()["input"], json!(["query: cats?"]));
}

#[tokio::test]
async fn rows_of_openai_come_in_any_order() {
    let reply = json!({"object": "list", "data": [
        {"object": "embedding", "index": 1, "embedding": [0.0, 1.0]},
        {"object": "embedding", "index": 0, "embedding": [1.0, 0.0]},
    ], "model": "tiny", "usage": {"prompt_tokens": 8, "total_tokens": 8}});
    let stub = Stub::start([Reply::json(200, reply.to_string())]).await;
    let settings = embedding(ProviderKind::OpenAi, &stub.url, Some(2));
    let rows = apart(|| {
        let model = RemoteEmbedder::open(settings).unwrap();
        let mut rows = Vec::new();
        model.embed_passages(&["a", "b"], &mut rows).unwrap();
        rows
    })
    .await;
    assert_eq!(rows, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        stub.asked()[0].json(),
        json!({"model": "tiny:1", "input": ["passage: a", "passage: b"], "encoding_format": "float"})
    );
}

#[tokio::test]
async fn dimensions_are_asked_for_where_nobody_knows_them() {
    let stub = Stub::start([ollama_rows(&[[1.0, 0.0]])]).await;
    let settings = embedding(ProviderKind::Ollama, &stub.url, None);
    let id = apart(|| RemoteEmbedder::open(settings).unwrap().id().clone()).await;
    assert_eq!((id.name.as_str(), id.dimensions), ("tiny", 2));
}

#[tokio::test]
async fn a_failed_batch_is_tried_again_and_a_long_text_cut_again() {
    let stub = Stub::start([
        Reply::json(500, r#"{"error":"llama runner process has terminated"}"#)
            .header("retry-after: 0"),
        Reply::json(
            400,
            r#"{"error":"the input length exceeds the context length"}"#,
        ),
        ollama_rows(&[[0.0, 1.0]]),
    ])
    .await;
    let settings = embedding(ProviderKind::Ollama, &stub.url, Some(2));
    let rows = apart(|| {
        let model = RemoteEmbedder::open(settings).unwrap();
        let mut rows = Vec::new();
        model
            .embed_passages(&["one two three four five six"], &mut rows)
            .map(|()| rows)
    })
    .await;
    assert_eq!(rows.unwrap(), [0.0, 1.0]);
    let sent = stub
        .asked()
        .into_iter()
        .map(|asked| asked.json()["input"][0].clone());
    let whole = "passage: one two three four five";
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [whole, whole, "passage: one two three"]
    );
}

#[tokio::test]
async fn a_server_that_is_too_slow_gets_fewer_at_once() {
    let stub = Stub::answering(|asked| {
        let n_texts = asked.json()["input"].as_array().unwrap().len();
        let rows = ollama_rows(&vec![[0.0, 1.0]; n_texts]);
        rows.end(if n_texts > 10 { End::Stall } else { End::Whole })
    })
    .await;
    let mut settings = embedding(ProviderKind::Ollama, &stub.url, Some(2));
    settings.provider.total = Duration::from_millis(60);
    let rows = apart(|| {
        let model = RemoteEmbedder::open(settings).unwrap();
        let mut rows = Vec::new();
        model.embed_passages(&["a"; 33], &mut rows).map(|()| rows)
    })
    .await;
    assert_eq!(rows.unwrap(), [0.0, 1.0].repeat(33));
}

#[tokio::test]
async fn many_texts_go_in_batches_a_few_at_once_and_keep_their_order() {
    let n_texts = 32 * 7 + 1;
    // Each row says how many texts stood before it, so that an exchange would show.
    let stub = Stub::answering(|asked| {
        let texts = asked.json()["input"].as_array().unwrap().clone();
        let place = |text: &serde_json::Value| {
            let text = text.as_str().unwrap();
            text.rsplit(' ').next().unwrap().parse::<f32>().unwrap()
        };
        let rows: Vec<[f32; 2]> = texts.iter().map(|text| [1.0, place(text)]).collect();
        Reply::json(200, json!({"embeddings": rows}).to_string())
    })
    .await;
    let settings = embedding(ProviderKind::Ollama, &stub.url, Some(2));
    let rows = apart(move || {
        let model = RemoteEmbedder::open(settings).unwrap();
        let texts: Vec<String> = (0..n_texts).map(|place| place.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut rows = Vec::new();
        model.embed_passages(&texts, &mut rows).unwrap();
        rows
    })
    .await;
    for (place, row) in rows.chunks_exact(2).enumerate() {
        assert!(
            (row[1] / row[0] - place as f32).abs() < 0.01,
            "{place}: {row:?}"
        );
    }
    let asked = stub.asked();
    assert_eq!(asked.len(), 8);
    assert!(stub.most_at_once() <= 5, "{}", stub.most_at_once());
}

#[tokio::test]
async fn what_comes_back_is_checked() {
    let check = async |reply: Reply, expected: &str| {
        let stub = Stub::start([reply]).await;
        let settings = embedding(ProviderKind::Ollama, &stub.url, Some(2));
        let error = apart(|| {
            let model = RemoteEmbedder::open(settings).unwrap();
            model.embed_passages(&["a"], &mut Vec::new()).unwrap_err()
        })
        .await;
        assert!(matches!(error, EmbedError::Unavailable { .. }));
        let message = error.to_string().replace(&stub.url, "URL");
        assert_eq!(
            message,
            format!("the model tiny does not answer: {expected}")
        );
    };
    let rows = |rows: serde_json::Value| Reply::json(200, json!({"embeddings": rows}).to_string());
    check(
        rows(json!([[1.0, 2.0, 3.0]])),
        "test (URL): a vector has 3 dimensions, not 2",
    )
    .await;
    check(
        rows(json!([])),
        "test (URL): 1 texts were sent, and 0 vectors came back",
    )
    .await;
    check(
        rows(json!([[1e39, 0.0]])),
        "test (URL): a vector holds something that is not a number",
    )
    .await;
    check(
        rows(json!(null)),
        "test (URL): there are no vectors in the reply",
    )
    .await;
    check(
        Reply::json(
            404,
            r#"{"error":"model \"tiny:1\" not found, try pulling it first"}"#,
        ),
        "test (URL) does not know the model \"tiny:1\"",
    )
    .await;
}

#[tokio::test]
async fn anthropic_makes_no_vectors() {
    let settings = embedding(ProviderKind::Anthropic, "http://127.0.0.1:1", Some(2));
    let error = apart(|| {
        RemoteEmbedder::open(settings)
            .unwrap()
            .embed_query("a")
            .unwrap_err()
    })
    .await;
    assert!(error.to_string().ends_with("makes no vectors"), "{error}");
}
