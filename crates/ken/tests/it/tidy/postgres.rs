//! Who may use whom in the crate of the second store, and which words only some of its files may say.

/// What each room may use of the others.
pub(super) const POSTGRES_ROOMS: [(&str, &[&str]); 12] = [
    ("address", &[]),
    ("connection", &["tls"]),
    ("error", &["connection::Refusal"]),
    ("rows", &[]),
    ("tls", &[]),
    (
        "session",
        &["address", "connection", "error", "snapshot::States", "tls"],
    ),
    ("schema", &["session"]),
    ("snapshot", &["error", "session", "words"]),
    ("words", &["snapshot"]),
    ("vectors", &["session", "snapshot"]),
    (
        "store",
        &["rows", "schema", "session", "snapshot", "vectors", "words"],
    ),
    (
        "write",
        &["error", "rows", "schema", "session", "vectors", "words"],
    ),
];

/// Words that only some files may say, and which files those are.
pub(super) const KEPT_IN_POSTGRES: [(&str, &[&str]); 7] = [
    ("tokio_rustls", &["tls"]),
    ("std::fs", &[]),
    ("Instant::now", &["session"]),
    ("std::env", &[]),
    ("SystemTime::now", &[]),
    ("println!", &[]),
    ("std::process", &[]),
];
