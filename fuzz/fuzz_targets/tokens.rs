//! Any text has the word pieces that the original tokenizer gives it.
#![no_main]

use std::sync::LazyLock;

use kenning::embed::{TokenVectors, embedded};
use kenning_fuzz::remember;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tokenizers::Tokenizer;

/// The original algorithm with the vocabulary of the model inside the binary.
static ORIGINAL: LazyLock<Tokenizer> = LazyLock::new(|| {
    let model = embedded();
    let vocab: serde_json::Map<String, Value> = (0..model.n_tokens() as u32)
        .map(|id| (model.token(id).to_owned(), json!(id)))
        .collect();
    let special = |id: u32| {
        json!({"id": id, "content": model.token(id), "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true})
    };
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": (0..5).map(special).collect::<Vec<_>>(),
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocab},
    });
    tokenizer.to_string().parse().expect("is a tokenizer")
});

fuzz_target!(|input: &[u8]| {
    remember(input);
    let text = String::from_utf8_lossy(input);
    let unknown = ORIGINAL.token_to_id("[UNK]");
    let encoding = ORIGINAL.encode_fast(&*text, false).expect("can be encoded");
    let ids = encoding.get_ids().iter().copied();
    let expected: Vec<u32> = ids.filter(|&id| Some(id) != unknown).collect();
    let mut found = Vec::new();
    embedded().tokens(&text, &mut found);
    assert_eq!(found, expected);
});
