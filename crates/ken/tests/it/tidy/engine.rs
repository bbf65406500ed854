//! Who may use whom in the engine, the order of the read flow, and which words only some files may say.

/// What each room of the engine may use of the others: a whole room, or single types of it.
/// Rooms come before those that use them; the first ones are pure.
pub(super) const ROOMS: [(&str, &[&str]); 35] = [
    ("budget", &["error"]),
    ("conversation", &[]),
    ("cpu", &[]),
    ("words", &[]),
    ("secrets", &[]),
    ("extract", &[]),
    (
        "note",
        &[
            "extract::Extracted",
            "extract::Kind",
            "extract::Lines",
            "extract::NO_LINES",
            "secrets",
            "words",
        ],
    ),
    ("chunk", &["note"]),
    ("graph", &[]),
    ("question", &["words"]),
    ("search/grammar", &["budget", "note::heading_on", "words"]),
    ("search/intent", &[]),
    ("search/decay", &[]),
    ("search/links", &[]),
    (
        "search/query",
        &["search::spelling", "store::TermGroup", "words"],
    ),
    (
        "search/candidate",
        &["store::Beside", "store::ChunkId", "store::NoteId"],
    ),
    (
        "search/fuse",
        &[
            "search::Mode",
            "search::candidate",
            "search::tuning",
            "store::ChunkId",
            "store::NoteId",
        ],
    ),
    ("search/sentences", &["note::heading_on"]),
    (
        "search/excerpt",
        &[
            "note::Layout",
            "note::outline_of_markdown",
            "note::heading_on",
            "search::matcher",
            "search::sentences",
            "words",
        ],
    ),
    (
        "search/tuning",
        &[
            "search::decay",
            "search::links",
            "search::signals",
            "embed::Calibration",
            "store::FieldWeights",
            "store::LexicalOptions",
            "words::Language",
        ],
    ),
    ("embed", &["cpu"]),
    ("vault", &["error", "note::Format", "secrets"]),
    (
        "store",
        &[
            "budget",
            "chunk::Chunk",
            "chunk::Prints",
            "conversation",
            "cpu",
            "embed::Adapter",
            "embed::ModelId",
            "embed::PassageKey",
            "embed::quantise",
            "error",
            "note",
            "secrets::Finding",
            "vault::Rule",
            "vault::Skipped",
            "vault::Stamp",
            "words",
        ],
    ),
    (
        "index",
        &[
            "chunk", "embed", "error", "extract", "graph", "links", "note", "secrets", "store",
            "vault", "words",
        ],
    ),
    (
        "search",
        &[
            "budget", "chunk", "cpu", "embed", "error", "note", "question", "store", "words",
        ],
    ),
    ("facets", &["error", "store"]),
    ("map", &["budget", "error", "store", "words"]),
    ("links", &["error", "note", "store", "words"]),
    ("traverse/beam", &[]),
    (
        "traverse",
        &[
            "budget",
            "chunk",
            "embed",
            "error",
            "links",
            "search::decay",
            "store",
        ],
    ),
    ("cite/quote", &[]),
    (
        "cite",
        &[
            "budget", "error", "note", "question", "search", "store", "words",
        ],
    ),
    (
        "ask",
        &[
            "budget", "chunk", "cite", "embed", "error", "note", "question", "search", "store",
            "traverse", "words",
        ],
    ),
    (
        "eval",
        &[
            "ask", "budget", "embed", "error", "links", "search", "store", "vault", "words",
        ],
    ),
    (
        "kenning",
        &[
            "budget", "embed", "error", "extract", "index", "links", "search", "store", "vault",
        ],
    ),
];

/// The files of the read flow, in its order: what is asked, retrieval, ranking, the list, its judgement
/// and what is shown. None of them uses a later one.
pub(super) const STAGES: [&str; 39] = [
    "mode",
    "decay",
    "links",
    "signals",
    "tuning",
    "intent",
    "spelling",
    "grammar",
    "query",
    "matcher",
    "maxsim",
    "sentences",
    "excerpt",
    "when",
    "scope",
    "select",
    "plan",
    "names",
    "candidate",
    "retrieve",
    "fuse",
    "features",
    "ranked",
    "repeat",
    "rerank",
    "reread",
    "condition",
    "rank",
    "list",
    "promise",
    "answer",
    "demand",
    "event",
    "evidence",
    "verdict",
    "period",
    "explain",
    "present",
    "cut",
];

/// Words that only some files of the engine may say, and which files those are.
pub(super) const KEPT_IN: [(&str, &[&str]); 9] = [
    ("rusqlite", &["store"]),
    ("tantivy", &["store"]),
    ("std::fs", &["store", "vault", "embed", "eval"]),
    ("Instant::now", &["eval"]),
    ("std::env", &[]),
    ("SystemTime::now", &[]),
    ("println!", &[]),
    ("std::net", &[]),
    ("std::process", &[]),
];
