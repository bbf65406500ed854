//! Who may use whom in the binary, and which words only some of its files may say.

/// What each room of the binary may use of the others, and of the engine. Below stand those that use
/// what is above.
pub(super) const KEN_ROOMS: [(&str, &[&str], &[&str]); 24] = [
    ("args", &[], &["note::MemoryType", "search::Mode"]),
    ("llm/error", &[], &[]),
    ("llm/family", &[], &[]),
    ("hint", &["llm::error"], &["embed", "error"]),
    ("private", &[], &[]),
    ("reader", &[], &["extract"]),
    (
        "settings",
        &["args", "hint", "llm::family"],
        &["index", "search", "store", "vault"],
    ),
    ("llm", &["settings"], &["embed"]),
    ("git", &["settings"], &["vault"]),
    (
        "runtime",
        &[
            "git",
            "hint",
            "llm",
            "private",
            "reader",
            "render::say",
            "settings",
        ],
        &["Kenning", "Update", "embed", "index", "store", "vault"],
    ),
    (
        "searcher",
        &["args", "hint", "render::say", "runtime", "settings"],
        &[
            "Kenning", "ask", "budget", "cite", "embed", "index", "links", "search", "secrets",
            "store", "traverse", "vault",
        ],
    ),
    (
        "wire",
        &["hint", "searcher"],
        &[
            "ask",
            "cite",
            "conversation",
            "eval",
            "index",
            "links",
            "note::MemoryType",
            "question",
            "search",
            "store",
            "traverse",
            "vault",
        ],
    ),
    ("render", &["args", "hint", "wire"], &["index"]),
    (
        "conversations",
        &["hint", "runtime", "searcher", "settings", "wire"],
        &["conversation", "store"],
    ),
    ("context", &["render", "searcher", "wire"], &["search"]),
    (
        "remember",
        &[
            "git", "hint", "private", "runtime", "searcher", "settings", "wire",
        ],
        &["note::MemoryType", "secrets", "vault"],
    ),
    (
        "chat",
        &[
            "context",
            "conversations",
            "private",
            "render",
            "runtime",
            "searcher",
            "settings",
            "wire",
        ],
        &["budget", "cite", "conversation", "store"],
    ),
    ("watch", &["runtime", "searcher"], &[]),
    (
        "hook",
        &[
            "args", "context", "hint", "private", "render", "runtime", "searcher", "settings",
            "wire",
        ],
        &["search", "store", "vault"],
    ),
    (
        "mcp",
        &[
            "context", "hint", "remember", "render", "runtime", "searcher", "settings", "wire",
        ],
        &["budget", "cite", "note::MemoryType"],
    ),
    (
        "agent",
        &[
            "hint", "llm", "reader", "runtime", "searcher", "settings", "wire",
        ],
        &["budget", "cite", "conversation", "index", "search"],
    ),
    (
        "serve/compat",
        &["runtime", "searcher", "serve", "wire"],
        &["search", "store", "vault"],
    ),
    (
        "serve",
        &[
            "agent",
            "args",
            "context",
            "conversations",
            "hint",
            "llm",
            "mcp",
            "runtime",
            "searcher",
            "settings",
            "wire",
        ],
        &["budget", "cite", "conversation", "index", "vault"],
    ),
    (
        "cmd",
        &[
            "agent",
            "args",
            "chat",
            "context",
            "conversations",
            "git",
            "hint",
            "hook",
            "llm",
            "mcp",
            "private",
            "reader",
            "remember",
            "render",
            "runtime",
            "searcher",
            "serve",
            "settings",
            "watch",
            "wire",
        ],
        &[
            "Kenning", "budget", "cite", "embed", "eval", "index", "search", "secrets", "store",
            "vault",
        ],
    ),
];

/// Words that only some files of the binary may say, and which files those are.
pub(super) const KEPT_IN_KEN: [(&str, &[&str]); 9] = [
    ("rusqlite", &[]),
    ("tantivy", &[]),
    ("SystemTime::now", &["runtime"]),
    // The others ask for the name of this program or the words it was called with.
    ("std::env", &["settings", "main", "reader", "cmd/hook"]),
    // Who asks others over the network.
    ("hyper_rustls", &["llm"]),
    ("hyper_util::client", &["llm"]),
    ("std::net", &["serve", "cmd/serve"]),
    (
        "std::process",
        &["main", "git", "reader", "runtime", "hook"],
    ),
    ("stdout()", &["render", "reader/child", "mcp/stdio"]),
];
