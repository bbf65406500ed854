//! What is known of well-known embedding models: what they want in front of a question and of a passage,
//! how much they see, how long their rows are, and how tokens become one. Each by its own documentation.

/// What a model of a family wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// What stands in front of a question.
    pub query_prefix: &'static str,
    /// What stands in front of a passage.
    pub passage_prefix: &'static str,
    /// How many tokens it sees.
    pub window_tokens: usize,
    /// Where every model of that name has as many.
    pub dimensions: Option<usize>,
    /// Whether the first token stands for the text, instead of the mean of all.
    pub is_cls: bool,
}

/// What is in a name, and what it says of the model; the first that fits counts.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    usize,
    Option<usize>,
);

const SENTENCE: &str = "Represent this sentence for searching relevant passages: ";
const QWEN3: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:";
const GEMMA_QUERY: &str = "task: search result | query: ";
const GEMMA_PASSAGE: &str = "title: none | text: ";

const FAMILIES: [Row; 32] = [
    ("bge-m3", "", "", 8192, Some(1024)),
    ("bge-large-en", SENTENCE, "", 512, Some(1024)),
    ("bge-base-en", SENTENCE, "", 512, Some(768)),
    ("bge-small-en", SENTENCE, "", 512, Some(384)),
    ("bge-large", SENTENCE, "", 512, Some(1024)),
    ("bge", SENTENCE, "", 512, None),
    (
        "nomic-embed-text-v2",
        "search_query: ",
        "search_document: ",
        512,
        Some(768),
    ),
    (
        "nomic-embed-text",
        "search_query: ",
        "search_document: ",
        2048,
        Some(768),
    ),
    ("qwen3-embedding:0.6b", QWEN3, "", 8192, Some(1024)),
    ("qwen3-embedding-0.6b", QWEN3, "", 8192, Some(1024)),
    ("qwen3-embedding:4b", QWEN3, "", 8192, Some(2560)),
    ("qwen3-embedding-4b", QWEN3, "", 8192, Some(2560)),
    ("qwen3-embedding", QWEN3, "", 8192, None),
    (
        "embeddinggemma",
        GEMMA_QUERY,
        GEMMA_PASSAGE,
        2048,
        Some(768),
    ),
    ("snowflake-arctic-embed2", "query: ", "", 8192, Some(1024)),
    ("arctic-embed-l-v2", "query: ", "", 8192, Some(1024)),
    ("arctic-embed-m-v2", "query: ", "", 8192, Some(768)),
    ("snowflake-arctic-embed:22m", SENTENCE, "", 512, Some(384)),
    ("snowflake-arctic-embed:33m", SENTENCE, "", 512, Some(384)),
    ("snowflake-arctic-embed:110m", SENTENCE, "", 512, Some(768)),
    ("snowflake-arctic-embed:137m", SENTENCE, "", 2048, Some(768)),
    ("snowflake-arctic-embed:335m", SENTENCE, "", 512, Some(1024)),
    ("arctic-embed", SENTENCE, "", 512, None),
    ("mxbai-embed-large", SENTENCE, "", 512, Some(1024)),
    ("e5-large", "query: ", "passage: ", 512, Some(1024)),
    ("e5-base", "query: ", "passage: ", 512, Some(768)),
    ("e5-small", "query: ", "passage: ", 512, Some(384)),
    ("all-minilm", "", "", 256, Some(384)),
    ("text-embedding-3-small", "", "", 8191, Some(1536)),
    ("text-embedding-3-large", "", "", 8191, Some(3072)),
    ("text-embedding-ada-002", "", "", 8191, Some(1536)),
    // Of any other model nothing is known: what most of them see at least.
    ("", "", "", 512, None),
];

/// Names of models in which the first token stands for the text.
const CLS: [&str; 4] = ["bge", "arctic-embed", "mxbai-embed", "gte-modernbert"];

/// Returns what is known of a model by its name.
pub fn of(name: &str) -> Family {
    let name = name.to_lowercase();
    let row = FAMILIES.iter().find(|row| name.contains(row.0));
    let (_, query_prefix, passage_prefix, window_tokens, dimensions) =
        *row.unwrap_or(&FAMILIES[FAMILIES.len() - 1]);
    Family {
        query_prefix,
        passage_prefix,
        window_tokens,
        dimensions,
        is_cls: CLS.iter().any(|known| name.contains(known)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_their_names() {
        let check = |name: &str, query: &str, passage: &str, dimensions: Option<usize>| {
            let family = of(name);
            assert_eq!(
                (family.query_prefix, family.passage_prefix),
                (query, passage),
                "{name}"
            );
            assert_eq!(family.dimensions, dimensions, "{name}");
        };
        check("BAAI/bge-large-en-v1.5", SENTENCE, "", Some(1024));
        check("bge-m3:latest", "", "", Some(1024));
        check(
            "nomic-embed-text:v1.5",
            "search_query: ",
            "search_document: ",
            Some(768),
        );
        check(
            "nomic-ai/nomic-embed-text-v1.5",
            "search_query: ",
            "search_document: ",
            Some(768),
        );
        check("qwen3-embedding:0.6b", QWEN3, "", Some(1024));
        check("Qwen/Qwen3-Embedding-0.6B", QWEN3, "", Some(1024));
        check("embeddinggemma:300m", GEMMA_QUERY, GEMMA_PASSAGE, Some(768));
        check("snowflake-arctic-embed", SENTENCE, "", None);
        check("snowflake-arctic-embed2", "query: ", "", Some(1024));
        check(
            "Snowflake/snowflake-arctic-embed-l-v2.0",
            "query: ",
            "",
            Some(1024),
        );
        check(
            "intfloat/multilingual-e5-base",
            "query: ",
            "passage: ",
            Some(768),
        );
        check("unheard-of", "", "", None);
    }
}
