//! The JSON types of other programs whose place `ken serve` can take. Their names are theirs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What Omnisearch answers for one note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct OmnisearchNote {
    pub(crate) score: f64,
    pub(crate) vault: String,
    pub(crate) path: String,
    pub(crate) basename: String,
    #[serde(rename = "foundWords")]
    pub(crate) found_words: Vec<String>,
    pub(crate) matches: Vec<OmnisearchMatch>,
    pub(crate) excerpt: String,
}

/// A word of the question in a note; `offset` counts as JavaScript does.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
pub(crate) struct OmnisearchMatch {
    pub(crate) r#match: String,
    pub(crate) offset: usize,
}

/// What Omnisearch is asked.
#[derive(Debug, Deserialize)]
pub(crate) struct OmnisearchParams {
    pub(crate) q: Option<String>,
}

/// How Miyo is.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoHealth {
    pub(crate) status: &'static str,
    pub(crate) service: &'static str,
    pub(crate) qdrant: &'static str,
    pub(crate) llama_server: &'static str,
    pub(crate) model_download_progress: Option<f64>,
    pub(crate) embedding_model: Option<String>,
    pub(crate) batch_size_preset: &'static str,
    pub(crate) gpu_variant: Option<String>,
    pub(crate) indexed_files: u64,
}

/// A search as Miyo is asked. A folder is named by its path, in later versions by its name.
#[derive(Debug, Deserialize)]
pub(crate) struct MiyoSearch {
    pub(crate) query: Option<String>,
    pub(crate) folder_path: Option<String>,
    pub(crate) folder_name: Option<String>,
    /// Only files with this in their path.
    pub(crate) path: Option<String>,
    pub(crate) limit: Option<u32>,
    #[serde(default)]
    pub(crate) filters: Option<Vec<MiyoFilter>>,
    /// Folders of the vault whose files are not wanted.
    #[serde(default)]
    pub(crate) exclude_folders: Option<Vec<String>>,
}

/// A range that a field must lie in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MiyoFilter {
    pub(crate) field: String,
    pub(crate) gt: Option<f64>,
    pub(crate) gte: Option<f64>,
    pub(crate) lt: Option<f64>,
    pub(crate) lte: Option<f64>,
}

/// What Miyo answers to a search.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoAnswer {
    pub(crate) results: Vec<MiyoHit>,
    pub(crate) query: String,
    pub(crate) count: usize,
    pub(crate) execution_time_ms: f64,
}

/// One passage. Numbers of chunks are left out: a passage is named by its id and its lines.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoHit {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) score: f64,
    pub(crate) title: String,
    pub(crate) mtime: Option<i64>,
    pub(crate) file_name: String,
    pub(crate) chunk_text: String,
    pub(crate) metadata: Value,
    pub(crate) embedding_model: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) extension: String,
    pub(crate) created_at: Option<String>,
    pub(crate) nchars: usize,
    pub(crate) folder_path: Option<String>,
}

/// What is like a file.
#[derive(Debug, Deserialize)]
pub(crate) struct MiyoRelated {
    #[serde(alias = "path", alias = "file")]
    pub(crate) file_path: Option<String>,
    pub(crate) folder_path: Option<String>,
    pub(crate) folder_name: Option<String>,
    pub(crate) limit: Option<u32>,
    #[serde(default)]
    pub(crate) filters: Option<Vec<MiyoFilter>>,
}

/// What Miyo answers to that.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoRelatedAnswer {
    pub(crate) results: Vec<MiyoRelatedFile>,
    pub(crate) file_path: String,
    pub(crate) count: usize,
    pub(crate) execution_time_ms: f64,
}

/// One file that is like another.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoRelatedFile {
    pub(crate) path: String,
    pub(crate) score: f64,
}

/// Which folder is meant.
#[derive(Debug, Deserialize)]
pub(crate) struct MiyoFolderParams {
    pub(crate) path: Option<String>,
}

/// A folder that is indexed.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoFolder {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) include_patterns: Vec<String>,
    pub(crate) exclude_patterns: Vec<String>,
    pub(crate) exclude_folders: Vec<String>,
    pub(crate) recursive: bool,
    pub(crate) status: &'static str,
    pub(crate) indexed_files: u64,
}

/// Every folder that is indexed.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoFolders {
    pub(crate) folders: Vec<MiyoFolder>,
}

/// Which indexed files are wanted.
#[derive(Debug, Deserialize)]
pub(crate) struct MiyoFilesParams {
    pub(crate) folder_path: Option<String>,
    pub(crate) folder_name: Option<String>,
    /// Only files with this in their title.
    pub(crate) title: Option<String>,
    /// Only this file.
    pub(crate) file_path: Option<String>,
    pub(crate) mtime_after: Option<f64>,
    pub(crate) mtime_before: Option<f64>,
    pub(crate) offset: Option<usize>,
    pub(crate) limit: Option<usize>,
    /// `mtime` or `updated_at`, which are the same here.
    pub(crate) order_by: Option<String>,
}

/// A page of the indexed files.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoFiles {
    pub(crate) files: Vec<MiyoFile>,
    /// How many meet the conditions, on this page or not.
    pub(crate) total: usize,
}

/// One indexed file.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoFile {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) mtime: i64,
    pub(crate) updated_at: String,
    pub(crate) folder_path: String,
    pub(crate) total_chunks: usize,
}

/// Whose passages are wanted.
#[derive(Debug, Deserialize)]
pub(crate) struct MiyoDocumentsParams {
    pub(crate) path: Option<String>,
    pub(crate) folder_path: Option<String>,
    pub(crate) folder_name: Option<String>,
}

/// The passages of a file.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoDocuments {
    pub(crate) documents: Vec<MiyoDocument>,
}

/// One passage of a file.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoDocument {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) chunk_index: u32,
    pub(crate) chunk_text: String,
    pub(crate) metadata: Value,
    pub(crate) embedding_model: Option<String>,
    pub(crate) mtime: Option<i64>,
    pub(crate) tags: Vec<String>,
    pub(crate) extension: String,
    pub(crate) created_at: Option<String>,
    pub(crate) nchars: usize,
    pub(crate) folder_path: String,
}

/// Whose text is wanted.
#[derive(Debug, Deserialize)]
pub(crate) struct MiyoParse {
    pub(crate) path: Option<String>,
    pub(crate) folder_path: Option<String>,
    pub(crate) folder_name: Option<String>,
}

/// The text of a file.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoParsed {
    pub(crate) text: String,
    pub(crate) format: String,
    pub(crate) source_path: String,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_count: Option<u32>,
}

/// What became of a wish about a folder.
#[derive(Debug, Serialize)]
pub(crate) struct MiyoStarted {
    pub(crate) status: &'static str,
    pub(crate) path: String,
}
