//! The embed room against its originals: what the `tokenizers` crate makes of many texts, recorded as
//! hashes (the fuzz target `tokens` asks it directly), golden rows made from the f32 weights for
//! vectors, and small Model2Vec directories written on the spot.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use kenning::embed::{
    self, EmbedError, Embedder, HashEmbedder, StaticModel, TokenVectors, embedded,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

const GOLDEN: &str = include_str!("../../assets/potion-base-8m/golden.jsonl");

fn golden() -> impl Iterator<Item = Value> {
    GOLDEN
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
}

fn pieces(model: &StaticModel, text: &str) -> Vec<u32> {
    let mut pieces = Vec::new();
    model.tokens(text, &mut pieces);
    pieces
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// A tokenizer.json with the vocabulary of the embedded model and the given normalizer flags.
fn tokenizer_json(flags: &Value) -> Value {
    let model = embedded();
    let vocab: serde_json::Map<String, Value> = (0..model.n_tokens() as u32)
        .map(|id| (model.token(id).to_owned(), json!(id)))
        .collect();
    let added: Vec<Value> = (0..5)
        .map(|id| {
            json!({"id": id, "content": model.token(id), "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true})
        })
        .collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", "clean_text": flags["clean_text"],
            "handle_chinese_chars": flags["handle_chinese_chars"],
            "strip_accents": flags["strip_accents"], "lowercase": flags["lowercase"]},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocab},
    })
}

fn usual_flags() -> Value {
    json!({"clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true})
}

/// What the original made of a text, by its label: a hash of the ids.
static ORIGINAL: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("tokens.golden").lines();
    lines.filter_map(|line| line.rsplit_once(' ')).collect()
});

/// Compares the ids of a text with those that the original gave it.
#[track_caller]
fn check_original(label: &str, model: &StaticModel, text: &str) {
    let ids = pieces(model, text);
    let hash = ids.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, id| {
        (hash ^ u64::from(*id)).wrapping_mul(0x0100_0000_01b3)
    });
    let expected = ORIGINAL.get(label).copied();
    assert_eq!(
        Some(format!("{hash:016x}").as_str()),
        expected,
        "{label} {text:?} {ids:?}"
    );
}

#[test]
fn golden_texts_give_the_ids_of_the_original() {
    for entry in golden() {
        let text = entry["text"].as_str().unwrap();
        let ids: Vec<u32> = serde_json::from_value(entry["ids"].clone()).unwrap();
        assert_eq!(pieces(embedded(), text), ids, "{text:?}");
    }
}

#[test]
fn golden_rows_point_where_the_f32_model_points() {
    let half = |bits: u16| {
        let size = f32::from_bits(u32::from(bits & 0x7fff) << 13) * 2f32.powi(112);
        if bits >> 15 == 1 { -size } else { size }
    };
    let mut n_rows = 0;
    for entry in golden() {
        let Some(hex) = entry["row_f16"].as_str() else {
            continue;
        };
        let expected: Vec<f32> = (0..hex.len())
            .step_by(4)
            .map(|at| u16::from_str_radix(&hex[at..at + 4], 16).unwrap())
            .map(|bits| half(bits.swap_bytes()))
            .collect();
        let row = embedded()
            .embed_query(entry["text"].as_str().unwrap())
            .unwrap();
        assert_eq!(row.len(), 256);
        assert!((cosine(&row, &row) - 1.0).abs() < 1e-6);
        assert!(cosine(&row, &expected) > 0.9995, "{}", entry["text"]);
        n_rows += 1;
    }
    assert!(n_rows >= 25);
}

/// All blocks with letters, marks and symbols in full; of the long runs of ideographs, syllables and
/// unassigned code points one in a hundred.
#[test]
fn every_character_alone_and_inside_a_word() {
    let is_varied = |code: u32| {
        matches!(code, 0..0x3400 | 0xa000..0xac00 | 0xd7a0..0xe010 | 0xf8f0..0x1_2000
            | 0x1_d000..0x2_0010)
    };
    let codes = (0..=0x10_ffff).filter(|&code| is_varied(code) || code % 101 == 0);
    let chars: Vec<char> = codes.filter_map(char::from_u32).collect();
    for some in chars.chunks(64) {
        let mut text = String::new();
        for &c in some {
            text.extend(['x', 'a', c, 'b', ' ', c, ' ']);
        }
        check_original(&format!("from {:x}", some[0] as u32), embedded(), &text);
    }
}

/// Characters that tokenizers get wrong.
#[rustfmt::skip]
const ODD: &[&str] = &["\u{301}", "\u{323}", "\u{308}", "\u{200b}", "\u{200d}", "\u{feff}", "\u{ad}", "\0", "\u{7}", "\u{b}", "\u{c}", "\u{85}", "\u{a0}", "\u{2028}", "\u{fffd}", "é", "ß", "İ", "ǅ", "Σ", "ς", "中", "文", "カ", "が", "각", "ᄀ", "ש", "ُ", "क्", "ﬁ", "Å", "≠", ";", "…", "—", "€", "🚀", "👩‍💻", "\u{1d165}", "\u{1d16d}", "\u{302e}", "\u{d7ff}", "\u{e000}", "\u{10ffff}", "[", "]", "[CLS]", "[UNK]", "[MASK]", "##", "_", "'", " ", "\t", "\n",];

/// Makes a text of odd characters and others.
fn odd_text(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    };
    let mut text = String::new();
    for _ in 0..next(40) {
        match next(4) {
            0 | 1 => text.push_str(ODD[next(ODD.len() as u64) as usize]),
            2 => text.extend((0..next(8)).filter_map(|_| char::from_u32(0x41 + next(58) as u32))),
            _ => text.extend(char::from_u32(next(0x2_0000) as u32)),
        }
    }
    text
}

#[test]
fn odd_texts_give_the_ids_of_the_original() {
    for seed in 0..2_000 {
        check_original(&format!("odd {seed}"), embedded(), &odd_text(seed));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_passage_comes_with_its_pieces_each_once(text in (0..u64::MAX).prop_map(odd_text)) {
        let (mut row, mut expected) = (Vec::new(), Vec::new());
        embedded().embed_passages(&[&text], &mut expected).unwrap();
        let found = embedded().embed_with_tokens(&[&text], &mut row).unwrap();
        let distinct: BTreeSet<u32> = pieces(embedded(), &text).into_iter().collect();
        prop_assert_eq!(found, [distinct.into_iter().collect::<Vec<_>>()]);
        prop_assert_eq!(row, expected);
    }

    #[test]
    fn quantised_rows_stay_close(row in prop::collection::vec(-2.0f32..2.0, 1..64)) {
        let (scale, bytes) = embed::quantise(&row);
        for (component, byte) in row.iter().zip(&bytes) {
            prop_assert!((component - scale * f32::from(*byte)).abs() <= scale * 0.5001);
        }
    }
}

#[test]
fn long_words_are_unknown_from_101_characters_on() {
    for n_chars in [1, 50, 99, 100, 101, 102, 300, 5000] {
        for letter in ["a", "é", "e\u{301}", "中", "ก", "\u{301}", "a\u{1}"] {
            let text = format!("x {} y", letter.repeat(n_chars));
            check_original(&format!("{n_chars} {letter:?}"), embedded(), &text);
        }
    }
}

#[test]
fn the_embedded_model_says_who_it_is() {
    let id = embedded().id();
    assert_eq!(
        (id.name.as_str(), id.dimensions),
        ("minishlab/potion-base-8M", 256)
    );
    assert_eq!(id.revision, "bf8b056651a2c21b8d2565580b8569da283cab23");
    assert_eq!(embedded().n_tokens(), 29_528);
    assert!(embedded().is_normalising() && !embedded().is_weighted());
}

#[test]
fn a_text_with_nothing_known_is_the_zero_row() {
    for text in ["", " \n", "\u{7}", "[UNK]"] {
        assert_eq!(
            embedded().embed_query(text).unwrap(),
            [0.0; 256],
            "{text:?}"
        );
    }
}

#[test]
fn rows_are_appended_and_long_texts_are_not_cut() {
    let long = "retrieval of notes ".repeat(2000) + &"sourdough bread ".repeat(20_000);
    let mut rows = vec![7.0];
    embedded()
        .embed_passages(&["retrieval of notes", &long], &mut rows)
        .unwrap();
    assert_eq!((rows.len(), rows[0]), (1 + 2 * 256, 7.0));
    let bread = embedded().embed_query("sourdough bread").unwrap();
    assert!(cosine(&rows[257..], &bread) > 0.9);
}

#[test]
fn rows_are_sums_of_scaled_pieces() {
    let ids = pieces(embedded(), "local-first hybrid retrieval");
    let mut sum = [0.0f32; 256];
    for id in ids {
        let (row, scale) = embedded().vector(id);
        for (sum, component) in sum.iter_mut().zip(row) {
            *sum += scale * f32::from(*component);
        }
    }
    let row = embedded()
        .embed_query("local-first hybrid retrieval")
        .unwrap();
    assert!((cosine(&row, &sum) - 1.0).abs() < 1e-6);
}

#[test]
fn the_hash_embedder_puts_shared_words_together() {
    let toy = HashEmbedder::new(64);
    let row = |text| toy.embed_query(text).unwrap();
    assert_eq!(row("Red apple"), row("red, apple!"));
    assert!(cosine(&row("red apple pie"), &row("red apple tart")) > 0.4);
    assert!(cosine(&row("red apple pie"), &row("gothic cathedral")) < 0.4);
    assert_eq!(row(""), [0.0; 64]);
    // Pinned: stores made in tests must not change under a new release.
    assert_eq!(
        HashEmbedder::new(8).embed_query("note").unwrap(),
        PINNED_NOTE
    );
}

const PINNED_NOTE: [f32; 8] = {
    let half_root = std::f32::consts::FRAC_1_SQRT_2;
    [0.0, half_root, half_root, 0.0, 0.0, 0.0, 0.0, 0.0]
};

/// Writes a safetensors file from names, kinds, shapes and bytes.
fn safetensors(tensors: &[(&str, &str, Vec<usize>, Vec<u8>)]) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for (name, kind, shape, bytes) in tensors {
        let offsets = [data.len(), data.len() + bytes.len()];
        let entry = json!({"dtype": kind, "shape": shape, "data_offsets": offsets});
        header.insert((*name).to_owned(), entry);
        data.extend(bytes);
    }
    let header = Value::Object(header).to_string();
    let n_bytes = header.len() as u64;
    [&n_bytes.to_le_bytes()[..], header.as_bytes(), &data].concat()
}

/// A vocabulary of six, so that every number of a directory can be checked by hand.
fn small_tokenizer() -> Value {
    let mut tokenizer = tokenizer_json(&usual_flags());
    tokenizer["model"]["vocab"] =
        json!({"[PAD]": 0, "[UNK]": 1, "tea": 2, "##pot": 3, "cup": 4, "!": 5});
    tokenizer["added_tokens"]
        .as_array_mut()
        .unwrap()
        .truncate(2);
    tokenizer
}

fn directory(tokenizer: &Value, tensors: &[u8]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    fs::write(dir.path().join("model.safetensors"), tensors).unwrap();
    fs::write(dir.path().join("config.json"), r#"{"normalize": true}"#).unwrap();
    dir
}

const SMALL: [[f32; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [9.0, 9.0, 9.0],
    [1.0, 0.0, 0.0],
    [0.0, 2.0, 0.0],
    [0.0, -0.5, 0.5],
    [0.0, 0.0, 0.25],
];

fn small_bytes<const N: usize>(encode: impl Fn(f32) -> [u8; N]) -> Vec<u8> {
    SMALL
        .as_flattened()
        .iter()
        .flat_map(|&number| encode(number))
        .collect()
}

fn assert_near(row: &[f32], direction: [f32; 3]) {
    assert!(
        cosine(row, &direction) > 0.9999,
        "{row:?} is not along {direction:?}"
    );
}

#[test]
fn directories_of_every_kind_of_float() {
    let half = |number: f32| match number.to_bits() {
        0 => [0, 0],
        bits => {
            (((bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112 << 10))) as u16).to_le_bytes()
        }
    };
    let kinds = [
        ("F32", small_bytes(f32::to_le_bytes)),
        ("F64", small_bytes(|number| f64::from(number).to_le_bytes())),
        ("F16", small_bytes(half)),
        (
            "BF16",
            small_bytes(|number| ((number.to_bits() >> 16) as u16).to_le_bytes()),
        ),
        (
            "I8",
            small_bytes(|number| ((number * 4.0) as i8).to_le_bytes()),
        ),
    ];
    for (kind, bytes) in kinds {
        let tensors = safetensors(&[("embeddings", kind, vec![6, 3], bytes)]);
        let dir = directory(&small_tokenizer(), &tensors);
        let model = embed::load(dir.path()).unwrap();
        assert_eq!(pieces(&model, "Teapot cups cup!"), [2, 3, 4, 5], "{kind}");
        assert_near(
            &model.embed_query("Teapot, cup!").unwrap(),
            [1.0, 1.5, 0.75],
        );
        assert_eq!(model.embed_query("cups saucers").unwrap(), [0.0; 3]);
        assert!(model.is_normalising());
    }
}

#[test]
fn weights_and_mappings_are_honoured() {
    let rows = small_bytes(f32::to_le_bytes);
    let floats = |numbers: [f32; 6]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let weights: Vec<u8> = floats([1.0, 1.0, 3.0, 0.5, 1.0, 1.0]);
    let mapping: Vec<u8> = [0i64, 1, 2, 3, 2, 5]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let tensors = safetensors(&[
        ("embeddings", "F32", vec![6, 3], rows),
        ("weights", "F32", vec![6], weights),
        ("mapping", "I64", vec![6], mapping),
    ]);
    let model = embed::load(directory(&small_tokenizer(), &tensors).path()).unwrap();
    assert!(model.is_weighted());
    assert_near(&model.embed_query("teapot").unwrap(), [3.0, 1.0, 0.0]);
    assert_near(&model.embed_query("cup!").unwrap(), [1.0, 0.0, 0.25]);
}

#[test]
fn normalizer_flags_are_honoured() {
    let texts: Vec<String> = golden()
        .map(|entry| entry["text"].as_str().unwrap().to_owned())
        .collect();
    let n_pieces = embedded().n_tokens();
    let tensors = safetensors(&[("embeddings", "I8", vec![n_pieces, 1], vec![1; n_pieces])]);
    let off = |key: &str, value: Value| {
        let mut flags = usual_flags();
        flags[key] = value;
        flags
    };
    let mut cased = off("lowercase", json!(false));
    cased["strip_accents"] = json!(true);
    for (name, flags) in [
        ("stripped", cased),
        ("cased", off("lowercase", json!(false))),
        ("unclean", off("clean_text", json!(false))),
        ("joined", off("handle_chinese_chars", json!(false))),
        ("accented", off("strip_accents", json!(false))),
    ] {
        let tokenizer = tokenizer_json(&flags);
        let model = embed::load(directory(&tokenizer, &tensors).path()).unwrap();
        for (number, text) in texts.iter().enumerate() {
            check_original(&format!("{name} {number}"), &model, text);
        }
    }
}

#[test]
fn a_model_written_to_a_file_is_the_same_model() {
    let tensors = safetensors(&[(
        "embeddings",
        "F32",
        vec![6, 3],
        small_bytes(f32::to_le_bytes),
    )]);
    let dir = directory(&small_tokenizer(), &tensors);
    let model = embed::load(dir.path()).unwrap();
    let file = dir.path().join("small.ken");
    fs::write(&file, model.as_bytes()).unwrap();
    let again = embed::load(&file).unwrap();
    assert_eq!(again.id(), model.id());
    assert_eq!(again.as_bytes(), model.as_bytes());
    assert_eq!(again.id().revision.len(), 32);
}

/// The script that made the asset and the code that converts directories must agree byte for byte.
#[test]
fn the_embedded_model_is_what_a_directory_would_become() {
    let n_pieces = embedded().n_tokens();
    let tensors = safetensors(&[("embeddings", "I8", vec![n_pieces, 1], vec![1; n_pieces])]);
    let dir = directory(&tokenizer_json(&usual_flags()), &tensors);
    let model = embed::load(dir.path()).unwrap();
    let vocabulary = |model: &StaticModel| {
        let (id, bytes) = (model.id(), model.as_bytes());
        let start = 64 + (id.name.len() + id.revision.len()).next_multiple_of(64);
        let n_rows_bytes = (n_pieces * 4).next_multiple_of(64) + n_pieces * id.dimensions;
        blake3::hash(&bytes[start..bytes.len() - n_rows_bytes])
    };
    assert_eq!(vocabulary(&model), vocabulary(embedded()));
    for id in (0..n_pieces as u32).step_by(50) {
        let (row, scale) = embedded().vector(id);
        let floats: Vec<f32> = row.iter().map(|byte| scale * f32::from(*byte)).collect();
        assert_eq!(embed::quantise(&floats).1, row);
    }
}

fn reason(path: &Path) -> String {
    let error = embed::load(path).err().expect("this model must be refused");
    let message = error.to_string();
    message.replace(&path.display().to_string(), "DIR")
}

#[test]
fn what_cannot_be_read_is_named() {
    let sound = safetensors(&[(
        "embeddings",
        "F32",
        vec![6, 3],
        small_bytes(f32::to_le_bytes),
    )]);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut tokenizer = small_tokenizer();
        change(&mut tokenizer);
        reason(directory(&tokenizer, &sound).path())
    };
    let check = |found: String, expected: &str| assert!(found.contains(expected), "{found}");
    check(
        with(&|t| t["model"]["type"] = json!("Unigram")),
        "DIR/tokenizer.json: tokenizer model `Unigram` (known: `WordPiece`) is not supported",
    );
    check(
        with(&|t| t["normalizer"] = json!({"type": "NFC"})),
        "normalizer `NFC`",
    );
    check(with(&|t| t["model"]["vocab"]["cup"] = json!(9)), "gaps");
    check(
        with(&|t| t["model"]["vocab"]["cup"] = json!(2)),
        "share an id",
    );
    check(
        with(&|t| t["added_tokens"][0]["single_word"] = json!(true)),
        "`single_word`",
    );

    let refuse = |tensors: &[u8]| reason(directory(&small_tokenizer(), tensors).path());
    check(refuse(&sound[..20]), "not a safetensors file");
    check(refuse(&sound[..sound.len() - 1]), "does not fit");
    check(refuse(&safetensors(&[])), "no tensor `embeddings`");
    let fewer = [("embeddings", "F32", vec![5, 3], vec![0; 60])];
    check(refuse(&safetensors(&fewer)), "one row for each token");
    let strange = [("embeddings", "U16", vec![6, 3], vec![0; 36])];
    check(refuse(&safetensors(&strange)), "`U16`");
    let endless = [(
        "embeddings",
        "F32",
        vec![6, 3],
        small_bytes(|_| f32::NAN.to_le_bytes()),
    )];
    check(refuse(&safetensors(&endless)), "not finite");

    let empty = tempfile::tempdir().unwrap();
    let missing = embed::load(empty.path());
    assert!(
        matches!(missing, Err(EmbedError::ModelMissing { path }) if path.ends_with("tokenizer.json"))
    );
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let tensors = safetensors(&[(
        "embeddings",
        "F32",
        vec![6, 3],
        small_bytes(f32::to_le_bytes),
    )]);
    let dir = directory(&small_tokenizer(), &tensors);
    let sound = embed::load(dir.path()).unwrap().as_bytes().to_vec();
    let file = dir.path().join("small.ken");
    for n_bytes in (0..sound.len()).step_by(5) {
        fs::write(&file, &sound[..n_bytes]).unwrap();
        assert!(embed::load(&file).is_err(), "cut to {n_bytes}");
    }
    for at in 0..sound.len() {
        for flip in [0xff, 0x01] {
            let mut damaged = sound.clone();
            damaged[at] ^= flip;
            fs::write(&file, damaged).unwrap();
            if let Ok(model) = embed::load(&file) {
                // Some damage cannot be seen; using the model must still be safe.
                model
                    .embed_query("A teapot, cups and a cup! [PAD] 中 é")
                    .unwrap();
            }
        }
    }
}
