//! Who may use whom in the crate that changes vaults, and which words only some of its files may say.

/// What each room may use of the others, and of the engine.
pub(super) const CURATE_ROOMS: [(&str, &[&str], &[&str]); 12] = [
    ("disk", &[], &["vault"]),
    ("write", &["disk", "error"], &[]),
    ("page", &["error", "write"], &["note", "vault"]),
    ("diff", &["write"], &[]),
    (
        "library",
        &["error", "tags::QUEUE", "tags::TAXONOMY"],
        &["links", "store", "words"],
    ),
    (
        "tags",
        &["error", "library", "page", "write"],
        &["note", "secrets", "vault"],
    ),
    (
        "suggest",
        &["error", "library", "page"],
        &["links", "note", "store", "words"],
    ),
    ("duplicate", &[], &[]),
    ("report", &[], &[]),
    (
        "atlas",
        &["duplicate", "error", "library", "suggest"],
        &["map", "note", "store"],
    ),
    (
        "intake",
        &[
            "disk",
            "duplicate",
            "error",
            "library",
            "page",
            "tags",
            "write",
        ],
        &[
            "Tuning", "budget", "chunk", "embed", "extract", "links", "note", "search", "secrets",
            "store", "words",
        ],
    ),
    (
        "links",
        &["error", "page", "write"],
        &["links", "note", "vault"],
    ),
];

/// Words that only some files may say, and which files those are.
pub(super) const KEPT_IN_CURATE: [(&str, &[&str]); 9] = [
    ("rusqlite", &[]),
    ("tantivy", &[]),
    ("std::fs", &["disk"]),
    ("Instant::now", &[]),
    ("std::env", &[]),
    ("SystemTime::now", &[]),
    ("println!", &[]),
    ("std::net", &[]),
    ("std::process", &[]),
];
