//! What folders say of models.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use kenning_onnx::{Folder, Pooling};

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, kenning_onnx::Folder) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("bge-small-en-v1.5");
    for (name, text) in [("model.onnx", ""), ("tokenizer.json", "{}")]
        .iter()
        .chain(files)
    {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let folder = Folder::open(&root).unwrap();
    (place, folder)
}

#[test]
fn a_name_tells_what_files_do_not() {
    let (_place, folder) = folder(&[]);
    assert_eq!(folder.name, "bge-small-en-v1.5");
    assert_eq!(folder.pooling, Pooling::Cls);
    assert!(folder.query_prefix.starts_with("Represent this sentence"));
    assert_eq!(
        (folder.passage_prefix.as_str(), folder.window_tokens),
        ("", 512)
    );
}

#[test]
fn files_tell_more_than_names_and_ours_has_the_last_word() {
    let usual = [
        (
            "1_Pooling/config.json",
            r#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}"#,
        ),
        (
            "config_sentence_transformers.json",
            r#"{"prompts": {"query": "q: ", "document": "d: "}}"#,
        ),
        ("sentence_bert_config.json", r#"{"max_seq_length": 128}"#),
        (
            "config.json",
            r#"{"max_position_embeddings": 514, "model_type": "xlm-roberta"}"#,
        ),
    ];
    let (_place, told) = folder(&usual);
    assert_eq!(told.pooling, Pooling::Mean);
    assert_eq!(
        (told.query_prefix.as_str(), told.passage_prefix.as_str()),
        ("q: ", "d: ")
    );
    assert_eq!(told.window_tokens, 128);
    let own = "pooling = \"last\"\nquery_prefix = \"\"\nwindow_tokens = 64\nname = \"mine\"\nnear = 0.6\n";
    let (_place, own) = folder(&[&usual[..], &[("kenning.toml", own)]].concat());
    assert_eq!((own.pooling, own.name.as_str()), (Pooling::Last, "mine"));
    assert_eq!((own.query_prefix.as_str(), own.window_tokens), ("", 64));
    assert!((own.calibration.near - 0.6).abs() < 1e-6);
}

#[test]
fn positions_of_roberta_begin_behind_the_padding() {
    let (_place, folder) = folder(&[(
        "config.json",
        r#"{"max_position_embeddings": 514, "model_type": "xlm-roberta"}"#,
    )]);
    assert_eq!(folder.window_tokens, 512);
}

#[test]
fn a_slip_in_our_file_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("model.onnx"), "").unwrap();
    for (file, text, says) in [
        ("kenning.toml", "poling = \"cls\"", "poling"),
        ("config.json", "{", "not valid JSON"),
    ] {
        let path = place.path().join(file);
        std::fs::write(&path, text).unwrap();
        let error = Folder::open(place.path()).err().unwrap().to_string();
        assert!(error.contains(file) && error.contains(says), "{error}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_file_with_weights_stands_for_its_folder() {
    let (place, of_folder) = folder(&[("onnx/model.onnx", "")]);
    let root = place.path().join("bge-small-en-v1.5");
    let inner = Folder::open(&root.join("onnx/model.onnx")).unwrap();
    assert_eq!(inner.path, root);
    assert!(inner.weights.ends_with("onnx/model.onnx"));
    assert_eq!(of_folder.weights, root.join("model.onnx"));
    let mut files = inner.files();
    files.sort();
    assert_eq!(
        files,
        [Path::new("onnx/model.onnx"), Path::new("tokenizer.json")]
    );
}
