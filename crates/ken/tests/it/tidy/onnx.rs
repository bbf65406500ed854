//! Who may use whom in the crate of transformers, and which words only some of its files may say.

/// What each room may use of the others.
pub(super) const ONNX_ROOMS: [(&str, &[&str]); 7] = [
    ("folder", &[]),
    ("tokens", &["folder"]),
    ("token_model", &["folder"]),
    ("session", &["folder", "tokens"]),
    ("embedder", &["folder", "session", "tokens"]),
    ("cross", &["folder", "session", "tokens"]),
    ("reranker", &["cross", "embedder"]),
];

/// Words that only some files may say, and which files those are.
pub(super) const KEPT_IN_ONNX: [(&str, &[&str]); 9] = [
    ("rten", &["session"]),
    ("tokenizers", &["token_model", "tokens"]),
    ("std::fs", &["folder"]),
    ("Instant::now", &[]),
    ("std::env", &[]),
    ("SystemTime::now", &[]),
    ("println!", &[]),
    ("std::net", &[]),
    ("std::process", &[]),
];
