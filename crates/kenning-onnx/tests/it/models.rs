//! What comes out of models.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::time::Duration;

use kenning::embed::{EmbedError, Embedder, ModelId, PassageKey, ReadPassage, Reranker};
use kenning_onnx::{
    CrossEncoder, Patience, RerankOptions, TokenModel, Transformer, TransformerReranker, Watch,
};

use crate::tiny;

const TINY: [&str; 3] = ["tiny-wordpiece", "tiny-unigram", "tiny-bytepairs"];

fn row(model: &Transformer, text: &str) -> Vec<f32> {
    let mut rows = Vec::new();
    model.embed_passages(&[text], &mut rows).unwrap();
    rows
}

#[test]
fn a_text_has_the_same_row_whatever_it_is_run_with() {
    let long = "the roof and the gutter ".repeat(40);
    let texts = [
        "who repaired the roof",
        "",
        &long,
        "März",
        "東京",
        "the roof",
    ];
    for name in TINY {
        let model = Transformer::open(&tiny(name)).unwrap();
        let dimensions = model.id().dimensions;
        assert_eq!(dimensions, 8, "{name}");
        let mut together = Vec::new();
        model.embed_passages(&texts, &mut together).unwrap();
        let together: Vec<&[f32]> = together.chunks(dimensions).collect();
        assert_eq!(together.len(), texts.len());
        for (text, &row_of) in texts.iter().zip(&together) {
            let alone = row(&model, text);
            // To the last bit: what a graph of int8 makes of a text would otherwise depend on its neighbours.
            assert_eq!(alone, row_of, "{name} {text:?}");
            let length = row_of.iter().map(|x| x * x).sum::<f32>();
            assert!(
                (length - 1.0).abs() < 1e-4 || length == 0.0,
                "{name} {text:?}"
            );
        }
    }
}

#[test]
fn other_weights_or_prefixes_are_another_model() {
    let ids: Vec<ModelId> = TINY
        .iter()
        .map(|name| Transformer::open(&tiny(name)).unwrap().id().clone())
        .collect();
    assert!(ids[0].revision != ids[1].revision && ids[1].revision != ids[2].revision);
    let copy = tempfile::tempdir().unwrap();
    for file in ["model.onnx", "tokenizer.json", "config.json"] {
        std::fs::copy(tiny(TINY[0]).join(file), copy.path().join(file)).unwrap();
    }
    let same = Transformer::open(copy.path()).unwrap();
    assert_eq!(same.id().revision, ids[0].revision);
    std::fs::write(
        copy.path().join("kenning.toml"),
        "query_prefix = \"query: \"\n",
    )
    .unwrap();
    let other = Transformer::open(copy.path()).unwrap();
    assert_ne!(other.id().revision, ids[0].revision);
    assert_ne!(
        other.embed_query("roof").unwrap(),
        same.embed_query("roof").unwrap()
    );
    assert_eq!(row(&other, "roof"), row(&same, "roof"));
}

#[test]
fn what_cannot_be_run_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Transformer::open(folder.path()).err().unwrap();
    assert!(
        matches!(missing, EmbedError::ModelMissing { .. }),
        "{missing}"
    );
    std::fs::write(folder.path().join("model.onnx"), b"not a model").unwrap();
    let without = Transformer::open(folder.path()).err().unwrap();
    assert!(without.to_string().contains("tokenizer.json"), "{without}");
    std::fs::copy(
        tiny(TINY[0]).join("tokenizer.json"),
        folder.path().join("tokenizer.json"),
    )
    .unwrap();
    let broken = Transformer::open(folder.path()).err().unwrap();
    assert!(broken.to_string().contains("model.onnx"), "{broken}");
    let cross = Transformer::open(&tiny("tiny-cross")).err().unwrap();
    assert!(matches!(cross, EmbedError::Unsupported { .. }), "{cross}");
}

#[test]
fn pairs_are_compared() {
    let model = CrossEncoder::open(&tiny("tiny-cross")).unwrap();
    let score = |passage: &str| model.score("who repaired the roof", passage).unwrap();
    let long = score("the gutter on the north side was repaired in March");
    assert!(score("the roof").is_finite() && score("").is_finite() && long.is_finite());
    assert_ne!(score("the roof"), long);
}

fn passages(model: &ModelId, texts: &[&str]) -> Vec<ReadPassage> {
    let read = |text: &&str| ReadPassage {
        text: (*text).to_owned(),
        key: PassageKey::of(model, text),
        vector: None,
    };
    texts.iter().map(read).collect()
}

/// A deadline, and a clock on which a second passes between two looks at it.
fn until(seconds: f32) -> Box<Patience> {
    Box::new(move || {
        let passed = std::cell::Cell::new(0);
        Watch {
            deadline: Some(Duration::from_secs_f32(seconds)),
            elapsed: Box::new(move || Duration::from_secs(passed.replace(passed.get() + 1))),
        }
    })
}

#[test]
fn vectors_are_made_as_long_as_there_is_time_and_then_remembered() {
    let folder = tiny(TINY[0]);
    let model = Transformer::open(&folder).unwrap();
    let options = RerankOptions {
        share: 0.5,
        n_passages: 30,
    };
    let reranker = |seconds| {
        TransformerReranker::by_vectors(model.id().clone(), folder.clone(), options, until(seconds))
    };
    let texts = ["the roof", "the gutter", "March", "repaired", "cost"];
    let all = passages(model.id(), &texts);
    let judged = |reranker: &TransformerReranker, passages: &[ReadPassage]| {
        let judged = reranker.judge("roof", passages).unwrap();
        judged
            .iter()
            .filter(|judgement| judgement.is_some())
            .count()
    };
    assert_eq!(judged(&reranker(0.0), &all), 0);
    let some = reranker(3.5);
    assert_eq!(judged(&some, &all), 2);
    // The next question goes on where the last one ended.
    assert_eq!(judged(&some, &all), 4);
    assert_eq!(judged(&some, &all), 5);
    let mut made = some.take_made();
    assert_eq!((made.len(), some.take_made().len()), (5, 0));
    // Those that there was no time for are told to whoever makes vectors ahead, the most wanted first.
    let missed = some.take_missed();
    assert_eq!(missed[0], all[4].key, "it was missed twice");
    assert_eq!((missed.len(), some.take_missed().len()), (3, 0));
    // What the index keeps need not be made.
    made.sort_by_key(|(key, _)| *key);
    let kept: Vec<ReadPassage> = all
        .iter()
        .map(|passage| ReadPassage {
            vector: made
                .iter()
                .find(|(key, _)| *key == passage.key)
                .map(|(_, v)| v.clone()),
            ..passage.clone()
        })
        .collect();
    let fresh = reranker(0.0);
    assert_eq!(judged(&fresh, &kept), 5);
    assert_eq!(
        fresh.judge("roof", &kept).unwrap(),
        reranker(999.0).judge("roof", &all).unwrap()
    );
}

#[test]
fn a_passage_that_would_take_too_long_is_passed_over() {
    let folder = tiny(TINY[0]);
    let model = Transformer::open(&folder).unwrap();
    let options = RerankOptions {
        share: 0.5,
        n_passages: 30,
    };
    let id = model.id().clone();
    let reranker = TransformerReranker::by_vectors(id, folder.clone(), options, until(4.5));
    let long = "the gutter of the roof was repaired in March".repeat(9);
    // The first tells how long reading takes: a second for eight letters.
    let all = passages(model.id(), &["the roof", &long, "March", "cost"]);
    let judged = reranker.judge("roof", &all).unwrap();
    let is_judged: Vec<bool> = judged.iter().map(Option::is_some).collect();
    assert_eq!(is_judged, [true, false, true, false]);
    assert_eq!(reranker.take_missed().len(), 2);
}

/// Writes a static model: the tokenizer of a tiny one, and a row for each of its tokens.
fn static_folder(tokenizer: &str, n_rows: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = tiny(tokenizer).join("tokenizer.json");
    std::fs::copy(from, folder.path().join("tokenizer.json")).unwrap();
    let shape = format!(
        "{{\"embeddings\":{{\"dtype\":\"F32\",\"shape\":[{n_rows},2],\"data_offsets\":[0,{}]}}}}",
        n_rows * 8
    );
    let mut file = (shape.len() as u64).to_le_bytes().to_vec();
    file.extend(shape.as_bytes());
    for id in 0..n_rows {
        for number in [1.0f32, id as f32 / 100.0] {
            file.extend(number.to_le_bytes());
        }
    }
    std::fs::write(folder.path().join("model.safetensors"), file).unwrap();
    folder
}

#[test]
fn a_static_model_may_cut_text_into_unigrams_or_byte_pairs() {
    let golden = std::fs::read_to_string(tiny("golden.json")).unwrap();
    let golden: serde_json::Value = serde_json::from_str(&golden).unwrap();
    for (name, around) in [("tiny-unigram", 2), ("tiny-bytepairs", 1)] {
        let tokenizer =
            tokenizers::Tokenizer::from_file(tiny(name).join("tokenizer.json")).unwrap();
        let n_tokens = tokenizer.get_vocab_size(true);
        let folder = static_folder(name, n_tokens);
        let model = TokenModel::open(folder.path()).unwrap();
        assert_eq!(model.id().dimensions, 2);
        let vectors = model.token_vectors().unwrap();
        for text in golden[name].as_array().unwrap() {
            let expected: Vec<u32> = serde_json::from_value(text[1].clone()).unwrap();
            let mut tokens = Vec::new();
            vectors.tokens(text[0].as_str().unwrap(), &mut tokens);
            // Without those that a transformer wants around a text, and the unknown.
            let is_left =
                |id: &&u32| !["<s>", "</s>", "<unk>", "<|end|>"].contains(&vectors.token(**id));
            let expected: Vec<u32> = expected.iter().filter(is_left).copied().collect();
            assert_eq!(tokens, expected, "{name} {text} {around}");
            let row = model.embed_query(text[0].as_str().unwrap()).unwrap();
            let slope =
                tokens.iter().map(|&id| id as f32 / 100.0).sum::<f32>() / tokens.len() as f32;
            assert!((row[1] / row[0] - slope).abs() < 0.05, "{name} {text}");
        }
        let wrong = static_folder(name, n_tokens - 1);
        assert!(TokenModel::open(wrong.path()).is_err());
    }
}

#[test]
fn a_language_that_the_model_does_not_know_gets_a_smaller_share() {
    let model = Transformer::open(&tiny(TINY[0])).unwrap();
    let options = RerankOptions {
        share: 0.5,
        n_passages: 30,
    };
    let (id, folder) = (model.id().clone(), tiny(TINY[0]));
    let reranker = TransformerReranker::by_vectors(id, folder, options, until(0.0));
    let share = |text: &str| reranker.share(&passages(model.id(), &[text]));
    let (known, strange) = (share("repaired March gutter"), share("vxqkzw qzjxv wvkqx"));
    assert!(known > strange && strange < 0.1, "{known} {strange}");
    assert_eq!(share("1 2 3"), 0.5, "numbers tell nothing of a language");
}

#[test]
fn a_cross_encoder_reads_as_far_as_there_is_time() {
    let options = RerankOptions {
        share: 0.5,
        n_passages: 30,
    };
    let id = ModelId {
        name: "tiny-cross".to_owned(),
        revision: "1".to_owned(),
        dimensions: 0,
    };
    let all = passages(&id, &["the roof", "the gutter", "March"]);
    let reranker = TransformerReranker::by_pairs(id, tiny("tiny-cross"), options, until(3.5));
    let judged = reranker.judge("who repaired the roof", &all).unwrap();
    assert!(judged[0].is_some() && judged[1].is_some() && judged[2].is_none());
}
